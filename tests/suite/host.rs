//! Tests of `host`.
