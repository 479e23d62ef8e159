//! Names of files behind an `@`: what is typed is looked for among the files of the workspace, one of them is taken.
//!
//! The list is asked for when the first `@` is typed and again when it is old; until it is there, nothing opens. What is
//! taken is text and nothing else: no content comes with it.

use super::App;
use super::model::Model;
use super::msg::{Cmd, Ticket};
use crate::ui::keys::{Action, Hit};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a list of files is taken to be true.
const FRESH: Duration = Duration::from_secs(30);
/// Most files that are offered.
const OFFERED: usize = 200;
/// Most bytes of what is looked for.
const QUERY: usize = 200;

/// The files of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// The folder.
    pub folder: PathBuf,
    /// Their paths relative to it, in order. Not neutral.
    pub paths: Arc<Vec<String>>,
    /// There are more.
    pub more: bool,
}

/// A list that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// Where the `@` stands in the text.
    from: usize,
    query: String,
    /// Places of the files that fit, the best first.
    found: Vec<usize>,
    /// Which one is marked.
    pub marked: usize,
}

/// What is known of files, and the list.
#[derive(Debug, Default)]
pub struct Complete {
    files: Option<(Instant, Files)>,
    /// In lower case, as they are looked through.
    lower: Vec<String>,
    asked: Option<(Ticket, PathBuf)>,
    open: Option<Open>,
    /// The `@` whose list was closed.
    shut: Option<usize>,
}

impl Complete {
    /// The list, if it is open: the files that fit, which is marked, and whether there are more files than were listed.
    pub fn open(&self) -> Option<(Vec<&str>, usize, bool)> {
        let (open, (_, files)) = (self.open.as_ref()?, self.files.as_ref()?);
        let paths = open.found.iter().filter_map(|at| files.paths.get(*at)).map(String::as_str);
        Some((paths.collect(), open.marked, files.more))
    }

    fn look(&mut self, from: usize, query: &str) {
        let query = query.to_lowercase();
        let same = self.open.as_ref().filter(|open| open.from == from && open.query == query);
        if same.is_some() {
            return;
        }
        let mut found: Vec<(u8, usize, usize)> = Vec::new();
        for (at, path) in self.lower.iter().enumerate() {
            if let Some(rank) = rank(path, &query) {
                found.push((rank, path.len(), at));
            }
        }
        found.sort_unstable();
        found.truncate(OFFERED);
        let found: Vec<usize> = found.into_iter().map(|(_, _, at)| at).collect();
        self.open = (!found.is_empty()).then_some(Open { from, query, found, marked: 0 });
    }
}

/// How well a path fits, 0 best; none if it does not. Both in lower case.
fn rank(path: &str, query: &str) -> Option<u8> {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    if name.starts_with(query) || path.starts_with(query) {
        return Some(0);
    }
    if name.contains(query) {
        return Some(1);
    }
    if path.contains(query) {
        return Some(2);
    }
    // Its letters in their order.
    let mut rest = path.chars();
    query.chars().all(|c| rest.any(|p| p == c)).then_some(3)
}

/// The path as it is put into the text: in quotes if a blank would end it.
fn written(path: &str) -> String {
    if path.contains([' ', '\u{3000}', '"']) { format!("@\"{path}\" ") } else { format!("@{path} ") }
}

impl App {
    /// Looks at what is typed: opens, changes or closes the list.
    pub(super) fn complete(&mut self) -> Vec<Cmd> {
        let at = at(&self.model);
        let Some((folder, from, query)) = at.filter(|(.., query)| query.len() <= QUERY) else {
            self.model.complete.open = None;
            self.model.complete.shut = None;
            return Vec::new();
        };
        let now = self.model.clock.mono;
        let complete = &mut self.model.complete;
        let known = complete.files.as_ref().filter(|(_, files)| files.folder == folder);
        let fresh = known.is_some_and(|(at, _)| now.saturating_duration_since(*at) < FRESH);
        if known.is_none() {
            complete.open = None;
        } else if complete.shut != Some(from) {
            complete.look(from, &query);
        }
        let asked = complete.asked.as_ref().is_some_and(|(_, asked)| *asked == folder);
        if fresh || asked {
            return Vec::new();
        }
        let ticket = self.model.ticket();
        self.model.complete.asked = Some((ticket, folder.clone()));
        vec![Cmd::Files(ticket, folder)]
    }

    /// The files of a folder came in.
    pub(super) fn files(&mut self, ticket: Ticket, files: &Files) {
        let complete = &mut self.model.complete;
        if complete.asked.as_ref().is_none_or(|(asked, _)| *asked != ticket) {
            return;
        }
        complete.asked = None;
        complete.lower = files.paths.iter().map(|path| path.to_lowercase()).collect();
        complete.files = Some((self.model.clock.mono, files.clone()));
        complete.open = None;
        // It is fresh: nothing is asked again.
        let _ = self.complete();
    }

    /// A key of the list. False if it is closed or this is none.
    pub(super) fn complete_key(&mut self, hit: Hit) -> bool {
        let complete = &mut self.model.complete;
        let Some(open) = &mut complete.open else { return false };
        match hit.action {
            Action::FileMove => {
                let last = open.found.len().saturating_sub(1);
                open.marked =
                    if hit.nth == 0 { open.marked.saturating_sub(1) } else { (open.marked + 1).min(last) };
            }
            Action::Back => {
                complete.shut = Some(open.from);
                complete.open = None;
            }
            Action::FileTake => {
                let place = open.found.get(open.marked).copied();
                let path =
                    complete.files.as_ref().zip(place).and_then(|((_, files), at)| files.paths.get(at));
                let (from, text) = (open.from, path.map(|path| written(path)).unwrap_or_default());
                complete.open = None;
                let editor = match self.model.layers.last_mut() {
                    Some(layer) => layer.editor(),
                    None => Some(&mut self.model.message.editor),
                };
                if let Some(editor) = editor {
                    editor.replace_from(from, &text);
                }
            }
            _ => return false,
        }
        true
    }
}

/// The folder whose files are meant, where the `@` stands before the caret, and what is typed after it.
fn at(model: &Model) -> Option<(PathBuf, usize, String)> {
    let (folder, word) = match model.layers.last() {
        Some(layer) => layer.at_file(model)?,
        None if model.message.open => (workspace(model)?.to_owned(), model.message.editor.at_word()?),
        None => return None,
    };
    Some((folder, word.0, word.1))
}

/// The folder of the shown run.
pub fn workspace(model: &Model) -> Option<&Path> {
    model.view().map(|view| view.state.ledger.workspace.as_path())
}

#[cfg(test)]
mod tests;
