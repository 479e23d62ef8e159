//! Tests of `tokens`.
