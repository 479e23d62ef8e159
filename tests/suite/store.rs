//! Tests of `store`: the contract of its face, one file a capability.

mod journal;
mod support;
