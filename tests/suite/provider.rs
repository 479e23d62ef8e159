//! Tests of `provider`.
