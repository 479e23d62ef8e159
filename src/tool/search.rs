//! `search`: lines that match, by ripgrep's own crates, with ignore rules.
//!
//! Purpose: `path:line:text` for matches and `path-line-text` for the lines around them. Files are opened through the
//! workspace's handle, so a link that was placed meanwhile leads nowhere.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use grep_regex::RegexMatcherBuilder;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};
use ignore::overrides::{Override, OverrideBuilder};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::list::walk;
use super::neutral::{neutralise, prefix};
use super::{Cut, Output, ToolError, ToolResult};
use crate::workspace::{EntryKind, Workspace};

/// Matching lines without `limit`.
const MATCHES: u64 = 100;
/// Text of one result, in bytes.
const TEXT: usize = 48 * 1024;
/// A longer line is cut, in bytes.
const LINE: usize = 400;
/// A file with a longer line is passed over, in bytes; it bounds the memory of a search.
const HEAP: usize = 16 * 1024 * 1024;

/// What to look for, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchArgs {
    /// A regular expression (Rust syntax), or a text if `literal`.
    pub pattern: String,
    /// Take the pattern as it stands.
    #[serde(default)]
    pub literal: Option<bool>,
    /// A folder or file; the workspace itself without it.
    #[serde(default)]
    pub path: Option<String>,
    /// Only files whose path fits, such as `*.rs` or `src/**`; with `!` in front, all but those.
    #[serde(default)]
    pub glob: Option<String>,
    /// Make no difference between capitals and small letters.
    #[serde(default)]
    pub ignore_case: Option<bool>,
    /// Lines shown around each match.
    #[serde(default)]
    pub context: Option<usize>,
    /// Matching lines at most.
    #[serde(default)]
    pub limit: Option<u64>,
    /// Also names that begin with a dot (never `.git`).
    #[serde(default)]
    pub hidden: Option<bool>,
    /// Also what ignore files leave out.
    #[serde(default)]
    pub ignored: Option<bool>,
}

/// Searches. `stop` ends it early, with what was found until then.
///
/// # Errors
/// `invalid_arguments` for a pattern or glob that is none; `not_found`, `outside_workspace` and the like.
pub fn search(args: &SearchArgs, workspace: &Workspace, stop: &AtomicBool) -> ToolResult {
    let matcher = RegexMatcherBuilder::new()
        .case_insensitive(args.ignore_case.unwrap_or(false))
        .fixed_strings(args.literal.unwrap_or(false))
        .line_terminator(Some(b'\n'))
        .build(&args.pattern)
        .map_err(|error| bad_pattern(args, &error.to_string()))?;
    let glob = glob(args, workspace)?;
    let asked = args.path.as_deref().unwrap_or(".");
    let real = workspace.real(asked)?;
    if workspace.entry(&real)?.is_none() {
        return Err(ToolError::new(
            "not_found",
            format!("there is no {asked:?} in the workspace."),
            "Leave `path` out to search the whole workspace.",
        ));
    }
    let context = args.context.unwrap_or(0).min(20);
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .before_context(context)
        .after_context(context)
        .heap_limit(Some(HEAP))
        .binary_detection(BinaryDetection::quit(0))
        .build();
    let mut found = Found::new(args.limit.unwrap_or(MATCHES).max(1), stop);
    for entry in walk(workspace, &real, args.hidden.unwrap_or(false), args.ignored.unwrap_or(false)).build() {
        if found.full || stop.load(Ordering::Relaxed) {
            break;
        }
        let Ok(entry) = entry else {
            found.skipped += 1;
            continue;
        };
        let relative = entry.path().strip_prefix(workspace.root()).unwrap_or(entry.path());
        if !entry.file_type().is_some_and(|kind| kind.is_file()) || !fits(glob.as_ref(), relative) {
            continue;
        }
        found.begin(&relative.to_string_lossy());
        let opened = workspace.open_file(&relative.to_string_lossy());
        let searched = match opened {
            Ok((file, entry)) if entry.kind == EntryKind::File => {
                searcher.search_file(&matcher, &file.into_std(), &mut found).is_ok()
            }
            Ok(_) | Err(_) => false,
        };
        found.files += 1;
        found.skipped += u64::from(!searched);
    }
    Ok(found.result(args))
}

fn fits(glob: Option<&Override>, path: &std::path::Path) -> bool {
    glob.is_none_or(|glob| !glob.matched(path, false).is_ignore())
}

fn glob(args: &SearchArgs, workspace: &Workspace) -> Result<Option<Override>, ToolError> {
    let Some(pattern) = args.glob.as_deref().filter(|glob| !glob.trim().is_empty()) else {
        return Ok(None);
    };
    let mut builder = OverrideBuilder::new(workspace.root());
    let built = builder.add(pattern).and_then(|builder| builder.build());
    built.map(Some).map_err(|error| {
        ToolError::arguments(
            format!("the glob {pattern:?} is wrong: {error}."),
            "Use a glob such as *.rs or src/**/*.ts.",
        )
    })
}

fn bad_pattern(args: &SearchArgs, error: &str) -> ToolError {
    let error = neutralise(error);
    ToolError::arguments(
        format!("the pattern {:?} cannot be used: {error}.", args.pattern),
        "Correct it (lines are searched one by one, so it cannot contain a line feed), or set literal to true to look for \
         the text as it stands.",
    )
}

/// Collects the lines of all files.
struct Found<'a> {
    text: String,
    limit: u64,
    matches: u64,
    files: u64,
    with_match: u64,
    binary: u64,
    skipped: u64,
    full: bool,
    stop: &'a AtomicBool,
    path: String,
    in_file: u64,
}

impl<'a> Found<'a> {
    fn new(limit: u64, stop: &'a AtomicBool) -> Self {
        Self {
            text: String::new(),
            limit,
            matches: 0,
            files: 0,
            with_match: 0,
            binary: 0,
            skipped: 0,
            full: false,
            stop,
            path: String::new(),
            in_file: 0,
        }
    }

    fn begin(&mut self, path: &str) {
        self.path = neutralise(path).replace('\n', "\\n");
        self.in_file = 0;
    }

    fn push(&mut self, number: Option<u64>, mark: char, bytes: &[u8]) {
        let lossy = String::from_utf8_lossy(bytes);
        let line = neutralise(lossy.trim_end_matches(['\n', '\r'])).into_owned();
        let shown = prefix(&line, LINE);
        let cut = if shown.len() < line.len() { " [line cut]" } else { "" };
        let number = number.unwrap_or_default();
        self.text.push_str(&format!("{}{mark}{number}{mark}{shown}{cut}\n", self.path));
    }

    fn result(mut self, args: &SearchArgs) -> Output {
        let stopped = self.stop.load(Ordering::Relaxed);
        let mut notes = Vec::new();
        if self.full {
            notes.push(format!(
                "cut after {} matching lines, there may be more; narrow the pattern, `path` or `glob`",
                self.matches
            ));
        } else if stopped {
            notes.push("the search was stopped early".to_owned());
        } else if self.matches == 0 {
            let case = if args.ignore_case.unwrap_or(false) {
                ""
            } else {
                "; capitals count unless ignore_case is true"
            };
            notes.push(format!(
                "no match in {} {}{case}",
                self.files,
                if self.files == 1 { "file" } else { "files" }
            ));
        }
        if self.binary > 0 {
            notes.push(format!("{} binary files passed over", self.binary));
        }
        if self.skipped > 0 {
            notes.push(format!("{} files or folders could not be searched", self.skipped));
        }
        if !notes.is_empty() {
            self.text.push_str(&format!("[{}]", notes.join("; ")));
        }
        Output {
            truncated: (self.full || stopped).then_some(Cut { total_bytes: self.text.len() as u64 }),
            text: self.text,
            raw: None,
            meta: json!({
                "matches": self.matches, "files_searched": self.files, "files_matched": self.with_match,
                "complete": !(self.full || stopped),
            }),
        }
    }
}

impl Sink for &mut Found<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.matches >= self.limit || self.text.len() > TEXT {
            self.full = true;
            return Ok(false);
        }
        self.matches += 1;
        self.in_file += 1;
        self.push(found.line_number(), ':', found.bytes());
        Ok(!self.stop.load(Ordering::Relaxed))
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> Result<bool, io::Error> {
        // Context before a match that will not be shown any more would only confuse.
        if self.matches < self.limit || self.in_file > 0 {
            self.push(around.line_number(), '-', around.bytes());
        }
        self.full |= self.text.len() > TEXT;
        Ok(!self.full)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.text.push_str("--\n");
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        self.with_match += u64::from(self.in_file > 0);
        self.binary += u64::from(end.binary_byte_offset().is_some());
        Ok(())
    }
}
