//! Tests of `agent`.
