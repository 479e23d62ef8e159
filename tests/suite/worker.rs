//! Tests of `worker`.
