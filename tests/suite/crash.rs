//! Tests of `crash`.
