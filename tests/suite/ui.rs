//! Tests of `ui`: the workstation.

mod feed;
mod signs;
