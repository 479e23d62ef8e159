//! Everything that must last, in one SQLite file: runs with their events, contents, and what people asked.
//!
//! [`Store`] is the only face; it speaks the types of `run`. One thread writes (`writer`), one job a transaction;
//! short reads go to a few connections on blocking threads. True are `runs.id`, `events`, `gaps`, `blobs`, `inbox`;
//! every other table and column is derived from the events and can be rebuilt ([`Store::rebuild_derived`]).
//! SQL stands nowhere else in the crate.

mod backup;
mod ballast;
mod blobs;
mod bridge;
mod calls;
mod checkpoints;
mod commit;
mod conflicts;
mod damage;
mod derive;
mod drafts;
mod error;
mod fold;
mod fs_check;
mod hold;
mod inbox;
mod journal;
mod keeping;
mod memories;
pub mod migrate;
mod open;
mod owner;
mod pack;
mod queue;
mod reader;
mod readings;
mod recall;
mod refs;
mod results;
mod rows;
mod runs;
mod settle;
mod snapshot;
mod texts;
mod types;
mod vectors;
mod verify;
mod watch;
mod writer;

pub use conflicts::{About, Settled};
pub use error::StoreError;
pub use hold::Held;
pub use memories::{Kept, MemoryFilter, MemoryPatch, MemoryVersion, Raised, Settle};
pub use open::Store;
pub use recall::{Offered, Query};
pub use refs::blobs_of;
pub use texts::TextCache;
pub use types::{
    Accepted, Alive, CallFilter, CallRow, CheckpointRow, Claim, Commit, Damage, Durability, FileChangeRow,
    Finding, FsProbe, HadBack, InboxId, InboxRow, Journaling, Loaded, OnBusy, Posted, RawEvent, RunFilter,
    RunRow, StoreOptions,
};
pub use vectors::{Vector, VectorCount};
pub use watch::Watch;

/// The fault points of this floor, in the order in which a commit passes them.
pub const FAULTS: &[&str] = &[
    "store.blob_begun",
    "store.blob_chunk",
    "store.blob_whole",
    "store.begin",
    "store.rows",
    "store.derived",
    "store.before_commit",
    "store.after_commit",
];
