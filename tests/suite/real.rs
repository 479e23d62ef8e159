//! Tests of `real`.
