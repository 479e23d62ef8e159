//! Tests of `tool`.
