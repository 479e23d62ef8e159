//! `write_file`, and the two halves of every write: a look, and the move.
//!
//! Purpose: [`Prepared`] holds everything a person approves and everything recovery needs, before anything happens: the
//! image before, the content after, the diff. [`Prepared::perform`] makes exactly that change or none.
//!
//! Not to be assumed: that the file is still what it was when it was prepared. `perform` looks again and refuses.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::diff::unified;
use super::{Output, ToolError, ToolResult};
use crate::workspace::images::{self, FileState, IMAGE_CAP, Taken};
use crate::workspace::{Workspace, WorkspaceError};

/// A whole file to write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteArgs {
    /// The file; folders on the way are made.
    pub path: String,
    /// All of its content.
    pub content: String,
}

/// A write that was looked at and not yet made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// What is there now, with its content.
    pub before: Taken,
    /// What will be there. The permission bits are those of the file before; of a new file the process decides them, and
    /// 0o644 stands here.
    pub after: FileState,
    /// The content that will be written.
    pub content: Vec<u8>,
    /// A unified diff, neutral and bounded, for showing only.
    pub diff: String,
    /// How many places an edit changes; 1 for a whole file.
    pub replacements: u64,
}

/// What became of a write whose result was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Probe {
    /// The file is as the write would have left it.
    Done,
    /// The file is as it was before.
    NotRun,
    /// The file is something else; a person decides.
    Unknown,
}

/// Decides what became of a write, by content alone: a content that is both counts as done.
#[must_use]
pub fn probe(before: &FileState, wanted: &FileState, now: &FileState) -> Probe {
    if now.same_content(wanted) {
        Probe::Done
    } else if now.same_content(before) {
        Probe::NotRun
    } else {
        Probe::Unknown
    }
}

impl WriteArgs {
    /// Looks at what the write would do. Changes nothing.
    ///
    /// # Errors
    /// `outside_workspace`, `protected_path`, `not_a_file`, `too_big` and the like: whatever would make the write fail,
    /// or make it impossible to undo.
    pub fn prepare(&self, workspace: &Workspace) -> Result<Prepared, ToolError> {
        Prepared::look(workspace, &self.path, |_| Ok((self.content.clone().into_bytes(), 1)))
    }
}

impl Prepared {
    /// The common look: `change` gets the old content (none if there is no file) and gives the new one.
    pub(super) fn look(
        workspace: &Workspace,
        path: &str,
        change: impl FnOnce(Option<&[u8]>) -> Result<(Vec<u8>, u64), ToolError>,
    ) -> Result<Self, ToolError> {
        let real = workspace.writable(path)?;
        let before = images::take(workspace, &real)?;
        let mode = match &before.image.state {
            FileState::Absent => 0o644,
            // Told now, not after somebody approved it.
            FileState::File { mode, .. } if mode & 0o222 == 0 => {
                return Err(WorkspaceError::ReadOnly { path: real }.into());
            }
            FileState::File { mode, .. } => *mode,
            FileState::TooBig { len } => return Err(too_big(path, *len, "is")),
            FileState::NotAFile => {
                return Err(ToolError::new(
                    "not_a_file",
                    format!("{path:?} is a folder or another thing that is no regular file."),
                    "Choose the path of a file.",
                ));
            }
        };
        let (content, replacements) = change(before.bytes.as_deref())?;
        let len = content.len() as u64;
        if len > IMAGE_CAP {
            return Err(too_big(path, len, "would be"));
        }
        if before.bytes.as_deref() != Some(content.as_slice()) {
            workspace.check_folder(&real)?;
        }
        let after = FileState::File { hash: images::hash(&content), len, mode };
        Ok(Self {
            diff: unified(&real, before.bytes.as_deref(), &content),
            before,
            after,
            content,
            replacements,
        })
    }

    /// The file's path, links resolved, relative to the root.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.before.image.path
    }

    /// Makes the change, if the file is still what it was; if it already is as wanted, nothing is written.
    ///
    /// # Errors
    /// `changed_since` if the file is neither, and what the system says (`read_only`, `disk_full` …). The file is then
    /// as it was.
    pub fn perform(&self, workspace: &Workspace) -> ToolResult {
        // A folder may have become a link since; its target would be another file than the one that was approved.
        let real = workspace.writable(self.path())?;
        let now = images::take(workspace, self.path())?.image.state;
        let before = &self.before.image.state;
        match probe(before, &self.after, &now) {
            Probe::Unknown => Err(self.changed()),
            Probe::NotRun | Probe::Done if real != self.path() => Err(self.changed()),
            Probe::Done => Ok(self.output(true)),
            Probe::NotRun => {
                workspace.write(self.path(), &self.content)?;
                Ok(self.output(false))
            }
        }
    }

    fn changed(&self) -> ToolError {
        ToolError::new(
            "changed_since",
            format!(
                "{:?} was changed by somebody else after this write was prepared; it was left alone.",
                self.path()
            ),
            "Read the file again and decide anew.",
        )
    }

    fn output(&self, already: bool) -> Output {
        let lines = self.content.split_inclusive(|&byte| byte == b'\n').count();
        let bytes = self.content.len();
        let path = self.path();
        let size = format!(
            "{lines} {}, {bytes} {}",
            if lines == 1 { "line" } else { "lines" },
            if bytes == 1 { "byte" } else { "bytes" }
        );
        let created = self.before.image.state == FileState::Absent;
        let text = match (already, created) {
            (true, _) => format!("{path} already has this content ({size}); nothing was written."),
            (false, true) => format!("created {path} ({size})"),
            (false, false) => format!("wrote {path} ({size})\n{}", self.diff),
        };
        Output {
            text,
            truncated: None,
            raw: None,
            meta: json!({
                "path": path, "created": created, "unchanged": already, "lines": lines, "bytes": bytes,
                "replacements": self.replacements, "diff": self.diff,
            }),
        }
    }
}

fn too_big(path: &str, len: u64, verb: &str) -> ToolError {
    ToolError::new(
        "too_big",
        format!(
            "{path:?} {verb} {len} bytes; above {IMAGE_CAP} bytes a write could not be undone, so none is made."
        ),
        "Write smaller files, or change the file with a shell command.",
    )
}
