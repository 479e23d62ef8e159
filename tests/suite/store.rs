//! Tests of `store`: the contract of its face, one file a capability.

mod blobs;
mod calls;
mod damage;
mod faults;
mod full_disk;
mod history;
mod hold;
mod inbox;
mod journal;
mod memories;
mod open;
mod owner;
mod runs;
mod size;
pub mod support;
mod watch;
