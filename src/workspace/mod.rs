//! The folder a run works in: confined access, before-images, restore.
//!
//! Purpose: the only way from a path a model wrote to a file. [`Workspace`] opens the root once and reaches everything
//! through that handle, so neither `..`, nor an absolute path, nor a symbolic link leads out. [`images`] remembers what
//! a file was, [`restore`] brings it back, all files or none.
//!
//! Not to be assumed: that this confines anything but our own file tools. A shell command is confined by the sandbox of
//! `host`, or not at all.

mod atomic;
mod confine;
mod error;
mod files;
pub mod images;
pub mod restore;

pub use confine::Workspace;
pub use error::WorkspaceError;
pub use files::{Entry, EntryKind};
