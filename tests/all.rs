//! One integration test binary; the suites are in `tests/suite/`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test says what is wrong by panicking"
)]

mod suite;
