//! Tests of `floors`.
