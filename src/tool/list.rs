//! `list_files`: what is in a folder, with ignore rules.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use ignore::WalkBuilder;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::neutral::neutralise;
use super::{Cut, Output, ToolError, ToolResult};
use crate::workspace::{EntryKind, Workspace};

/// Entries without `limit`.
const ENTRIES: usize = 200;
/// After so many entries counting stops, so that a whole disk does not stall a step.
const COUNTED: usize = 100_000;

/// Which folder, and how much of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListArgs {
    /// The folder; the workspace itself without it.
    #[serde(default)]
    pub path: Option<String>,
    /// Levels below it: 1 is its own entries.
    #[serde(default)]
    pub depth: Option<usize>,
    /// Entries at most.
    #[serde(default)]
    pub limit: Option<usize>,
    /// Also names that begin with a dot (never `.git`).
    #[serde(default)]
    pub hidden: Option<bool>,
    /// Also what ignore files leave out.
    #[serde(default)]
    pub ignored: Option<bool>,
}

/// A walk over a folder of the workspace as its tools see it: sorted, links not followed, `.git` never entered.
pub(super) fn walk(workspace: &Workspace, real: &str, hidden: bool, ignored: bool) -> WalkBuilder {
    let mut builder = WalkBuilder::new(workspace.root().join(real));
    builder
        .follow_links(false)
        .hidden(!hidden)
        .parents(!ignored)
        .ignore(!ignored)
        .git_ignore(!ignored)
        .git_global(!ignored)
        .git_exclude(!ignored)
        // Ignore files count outside repositories too.
        .require_git(false)
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    builder
}

/// Lists the folder. `stop` ends it early, with what was found until then.
///
/// # Errors
/// `not_found`, `not_a_folder`, `outside_workspace` and the like.
pub fn list_files(args: &ListArgs, workspace: &Workspace, stop: &AtomicBool) -> ToolResult {
    let asked = args.path.as_deref().unwrap_or(".");
    let real = folder(workspace, asked)?;
    let depth = args.depth.unwrap_or(2).max(1);
    let limit = args.limit.unwrap_or(ENTRIES).max(1);
    let (hidden, ignored) = (args.hidden.unwrap_or(false), args.ignored.unwrap_or(false));
    let mut lines = Vec::new();
    let (mut found, mut unreadable, mut stopped) = (0_usize, 0_usize, false);
    for entry in walk(workspace, &real, hidden, ignored).max_depth(Some(depth)).build() {
        if stop.load(Ordering::Relaxed) || found >= COUNTED {
            stopped = true;
            break;
        }
        let Ok(entry) = entry else {
            unreadable += 1;
            continue;
        };
        if entry.depth() == 0 {
            continue;
        }
        found += 1;
        if lines.len() < limit {
            let relative = entry.path().strip_prefix(workspace.root()).unwrap_or(entry.path());
            lines.push(describe(&relative.to_string_lossy(), &entry));
        }
    }
    let left_out = found - lines.len();
    let shown = lines.len();
    let mut text = lines.join("\n");
    let mut notes = Vec::new();
    if found == 0 {
        notes.push(format!("{asked:?} holds no files that are not hidden or ignored"));
    }
    if left_out > 0 {
        let at_least = if stopped { "at least " } else { "" };
        notes.push(format!(
            "{at_least}{left_out} more entries are left out; list a folder of it, or raise `limit`"
        ));
    } else if stopped {
        notes.push("listing was stopped early".to_owned());
    }
    if unreadable > 0 {
        notes.push(format!("{unreadable} entries could not be read"));
    }
    if !notes.is_empty() {
        text.push_str(&format!("\n[{}]", notes.join("; ")));
    }
    Ok(Output {
        truncated: (left_out > 0 || stopped).then_some(Cut { total_bytes: text.len() as u64 }),
        text: text.trim_start().to_owned(),
        raw: None,
        meta: json!({"path": real, "entries": found, "shown": shown, "left_out": left_out, "complete": !stopped}),
    })
}

/// Paths of the files in a folder as its tools see them, relative to it and in order, but for names that are no text. At most
/// so many, and as far as is found within the time; true if there may be more. Blocks.
pub fn file_paths(workspace: &Workspace, most: usize, within: Duration) -> (Vec<String>, bool) {
    let begun = Instant::now();
    let mut paths = Vec::new();
    for (seen, entry) in walk(workspace, "", false, false).build().enumerate() {
        if paths.len() >= most || seen >= COUNTED || begun.elapsed() > within {
            return (paths, true);
        }
        let Ok(entry) = entry else { continue };
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink());
        let relative = entry.path().strip_prefix(workspace.root()).unwrap_or(entry.path());
        let text = relative.to_str().filter(|text| is_file && !text.contains(char::is_control));
        paths.extend(text.map(str::to_owned));
    }
    (paths, false)
}

/// What changed in a folder since a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Paths of the files that were written last, relative to the folder; the newest first, only a few.
    pub newest: Vec<String>,
    /// How many files changed.
    pub count: usize,
    /// False if not all files were looked at.
    pub whole: bool,
}

/// The files that were written since, hidden and ignored ones too, but for those below `.git`. At most so many are named,
/// and the looking ends after that time. Files that are gone leave nothing to find. Blocks.
pub fn changed_since(workspace: &Workspace, since: SystemTime, most: usize, within: Duration) -> Changed {
    let begun = Instant::now();
    let mut found: Vec<(SystemTime, String)> = Vec::new();
    let mut changed = Changed { whole: true, ..Changed::default() };
    for (seen, entry) in walk(workspace, "", true, true).build().enumerate() {
        if seen >= COUNTED || begun.elapsed() > within {
            changed.whole = false;
            break;
        }
        let Ok(entry) = entry else {
            changed.whole = false;
            continue;
        };
        let Some(written) =
            entry.metadata().ok().filter(|meta| !meta.is_dir()).and_then(|m| m.modified().ok())
        else {
            continue;
        };
        if written < since {
            continue;
        }
        changed.count += 1;
        let relative = entry.path().strip_prefix(workspace.root()).unwrap_or(entry.path());
        found.push((written, relative.to_string_lossy().into_owned()));
        found.sort_by_key(|(written, _)| Reverse(*written));
        found.truncate(most);
    }
    changed.newest = found.into_iter().map(|(_, path)| path).collect();
    changed
}

/// The path of a folder that is there, with links resolved, relative to the workspace.
///
/// # Errors
/// `not_found`, `not_a_folder`, `outside_workspace` and the like.
pub fn folder(workspace: &Workspace, asked: &str) -> Result<String, ToolError> {
    let real = workspace.real(asked)?;
    if real == "." {
        return Ok(real);
    }
    match workspace.entry(&real)?.map(|entry| entry.kind) {
        Some(EntryKind::Dir) => Ok(real),
        Some(EntryKind::File | EntryKind::Link | EntryKind::Special) => Err(ToolError::new(
            "not_a_folder",
            format!("{asked:?} is not a folder."),
            "Use read_file for a file.",
        )),
        None => Err(ToolError::new(
            "not_found",
            format!("there is no folder {asked:?} in the workspace."),
            "Leave `path` out to list the workspace itself.",
        )),
    }
}

/// One line: the path, `/` after a folder, the target of a link, the size of a file.
fn describe(path: &str, entry: &ignore::DirEntry) -> String {
    // A line feed in a name would look like a second entry.
    let path = neutralise(path).replace('\n', "\\n");
    let kind = entry.file_type();
    if kind.is_some_and(|kind| kind.is_dir()) {
        format!("{path}/")
    } else if kind.is_some_and(|kind| kind.is_symlink()) {
        let target = std::fs::read_link(entry.path()).map_or_else(
            |_| "?".to_owned(),
            |target| neutralise(&target.to_string_lossy()).replace('\n', "\\n"),
        );
        format!("{path} -> {target}")
    } else if kind.is_some_and(|kind| kind.is_file()) {
        match entry.metadata() {
            Ok(meta) => format!("{path}  {}", size(meta.len())),
            Err(_) => path,
        }
    } else {
        format!("{path}  (special)")
    }
}

/// A size with at most one decimal, in units of 1024.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut tenths = bytes.saturating_mul(10) / 1024;
    let mut unit = "KiB";
    for next in UNITS.iter().skip(1) {
        if tenths < 10_240 {
            break;
        }
        tenths /= 1024;
        unit = next;
    }
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}
