//! Images of files: what was at a path at one moment.
//!
//! Purpose: the journal keeps a [`FileImage`] before and after every write, small enough for an event; the content goes
//! to the blob store under the image's hash. Rolling back and the probe of an interrupted write compare images.
//!
//! Not to be assumed: that content above [`IMAGE_CAP`] can be brought back. It is marked, and never compared equal to
//! anything that matters.

use serde::{Deserialize, Serialize};

use super::confine::Workspace;
use super::error::WorkspaceError;
use super::files::EntryKind;
pub use crate::run::checkpoint::FileState;
use crate::run::id::Hash;

/// The largest file of which an image keeps the content, in bytes.
pub const IMAGE_CAP: u64 = 16 * 1024 * 1024;

/// What a path held at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileImage {
    /// Relative to the root, links resolved when it was taken.
    pub path: String,
    /// What was there.
    pub state: FileState,
}

/// An image with the content it speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The image.
    pub image: FileImage,
    /// The content, for [`FileState::File`] only.
    pub bytes: Option<Vec<u8>>,
}

/// The hash under which content is stored and compared: BLAKE3, hex.
#[must_use]
pub fn hash(bytes: &[u8]) -> Hash {
    Hash::of(bytes)
}

/// Takes the image of a path. The last part of the path is not followed if it is a link.
///
/// # Errors
/// What [`Workspace::entry`] and [`Workspace::read`] say; a file that vanishes meanwhile is [`FileState::Absent`].
pub fn take(workspace: &Workspace, path: &str) -> Result<Taken, WorkspaceError> {
    let path = workspace.relative(path)?;
    let bare = |state| Taken { image: FileImage { path: path.clone(), state }, bytes: None };
    let Some(entry) = workspace.entry(&path)? else {
        return Ok(bare(FileState::Absent));
    };
    match entry.kind {
        EntryKind::File => {}
        EntryKind::Dir | EntryKind::Link | EntryKind::Special => {
            return Ok(bare(FileState::NotAFile));
        }
    }
    match workspace.read(&path, IMAGE_CAP) {
        Ok((bytes, entry)) => Ok(Taken {
            image: FileImage {
                path,
                state: FileState::File { hash: hash(&bytes), len: entry.len, mode: entry.mode },
            },
            bytes: Some(bytes),
        }),
        Err(WorkspaceError::TooBig { len, .. }) => Ok(bare(FileState::TooBig { len })),
        Err(WorkspaceError::NotFound { .. }) => Ok(bare(FileState::Absent)),
        Err(WorkspaceError::NotAFile { .. }) => Ok(bare(FileState::NotAFile)),
        Err(error) => Err(error),
    }
}
