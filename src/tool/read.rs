//! `read_file`: a part of a text file, exactly as it is apart from what would be harmful.
//!
//! Purpose: lines without numbers, so that a copied line fits `edit_file`; what was left out stands in a last line in
//! brackets. However large the file, memory stays bounded: lines are streamed, and reading stops once enough is there.
//!
//! Not to be assumed: that the text is the file byte for byte. Line ends are shown as `\n`, control characters escaped,
//! invalid bytes replaced; each of these is said.

use std::io::{self, BufReader, Read as _, Seek as _};

use encoding_rs::{Encoding, UTF_8};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::neutral::{neutralise, prefix};
use super::{Cut, Output, ToolError, ToolResult};
use crate::workspace::Workspace;

/// Lines without `limit`.
const LINES: u64 = 2000;
/// Text of one result, in bytes.
const TEXT: usize = 64 * 1024;
/// A longer line is cut, in bytes.
const LINE: usize = 4096;
/// Bytes in which a NUL makes a file binary.
const SNIFF: usize = 8192;
/// Files in encodings without single-byte line ends (UTF-16) are decoded as a whole, up to this size.
const WHOLE: u64 = 8 * 1024 * 1024;
/// Lines after the last one shown are counted in files up to this size.
const COUNTED: u64 = 8 * 1024 * 1024;

/// Which part of which file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadArgs {
    /// The file.
    pub path: String,
    /// First line, from 1.
    #[serde(default)]
    pub offset: Option<u64>,
    /// Lines at most.
    #[serde(default)]
    pub limit: Option<u64>,
    /// A label such as `gbk` or `shift_jis`; UTF-8, or what a byte order mark says, without it.
    #[serde(default)]
    pub encoding: Option<String>,
}

/// Reads the part.
///
/// # Errors
/// `not_found`, `not_a_file`, `outside_workspace` and the like; `binary_file`; `past_the_end`; `invalid_arguments` for
/// an unknown encoding.
pub fn read_file(args: &ReadArgs, workspace: &Workspace) -> ToolResult {
    let wanted = args.encoding.as_deref().map(encoding_named).transpose()?;
    let (mut file, entry) = workspace.open_file(&args.path)?;
    let io = |error: io::Error| {
        ToolError::new("io", format!("cannot read {:?}: {error}.", args.path), "Try again.")
    };
    let mut start = Vec::new();
    file.by_ref().take(SNIFF as u64).read_to_end(&mut start).map_err(io)?;
    let (encoding, mark) = match Encoding::for_bom(&start) {
        Some((encoding, len)) => (encoding, len as u64),
        None => (wanted.unwrap_or(UTF_8), 0),
    };
    file.seek(io::SeekFrom::Start(mark)).map_err(io)?;
    let mut part = Part::new(args, encoding);
    if encoding.is_ascii_compatible() {
        if start.contains(&0) {
            return Err(binary(&args.path, entry.len));
        }
        part.stream(&mut BufReader::new(file), entry.len <= COUNTED).map_err(io)?;
    } else {
        let mut bytes = Vec::new();
        file.take(WHOLE).read_to_end(&mut bytes).map_err(io)?;
        let (text, replaced) = encoding.decode_without_bom_handling(&bytes);
        part.replaced |= replaced;
        part.encoding = UTF_8;
        part.stream(&mut text.as_bytes(), true).map_err(io)?;
        part.ended &= entry.len <= WHOLE + mark;
    }
    part.result(entry.len)
}

fn encoding_named(label: &str) -> Result<&'static Encoding, ToolError> {
    Encoding::for_label(label.as_bytes()).ok_or_else(|| {
        ToolError::arguments(
            format!("there is no encoding named {label:?}."),
            "Leave `encoding` out for UTF-8, or use a label such as gbk, big5, shift_jis, euc-kr, windows-1252.",
        )
    })
}

fn binary(path: &str, len: u64) -> ToolError {
    ToolError::new(
        "binary_file",
        format!("{path:?} is a binary file of {len} bytes and was not read."),
        "If its content matters, look at it with a command made for its format.",
    )
}

/// The part that is being read.
struct Part<'a> {
    args: &'a ReadArgs,
    encoding: &'static Encoding,
    text: String,
    first: u64,
    /// Lines begun so far, whether shown or not.
    seen: u64,
    shown: u64,
    /// Whether the file's end was reached, so that `seen` is the number of its lines.
    ended: bool,
    replaced: bool,
    crlf: bool,
    long_lines: u64,
}

impl<'a> Part<'a> {
    fn new(args: &'a ReadArgs, encoding: &'static Encoding) -> Self {
        Self {
            args,
            encoding,
            text: String::new(),
            first: args.offset.unwrap_or(1).max(1),
            seen: 0,
            shown: 0,
            ended: false,
            replaced: false,
            crlf: false,
            long_lines: 0,
        }
    }

    /// Takes the lines wanted; goes on to the end to count the rest if `count`.
    fn stream(&mut self, source: &mut impl io::BufRead, count: bool) -> io::Result<()> {
        let limit = self.args.limit.unwrap_or(LINES);
        let mut full = false;
        loop {
            let wanted = self.seen + 1 >= self.first && self.shown < limit && !full;
            if !wanted && self.seen + 1 >= self.first && !count {
                // Only whether there is more at all.
                self.ended = source.fill_buf()?.is_empty();
                return Ok(());
            }
            let Some(line) = next_line(source, if wanted { LINE } else { 0 })? else {
                self.ended = true;
                return Ok(());
            };
            self.seen += 1;
            if wanted {
                // A line that does not fit any more is the first one left out.
                full = !self.push(&line);
            }
        }
    }

    /// Adds a line; false if the text is full.
    fn push(&mut self, line: &Line) -> bool {
        let mut bytes = line.bytes.as_slice();
        if line.ended && !line.cut && bytes.ends_with(b"\r") {
            self.crlf = true;
            bytes = bytes.split_at(bytes.len() - 1).0;
        }
        let (decoded, replaced) = self.encoding.decode_without_bom_handling(bytes);
        // A cut may fall into a character; that is no fault of the file.
        let decoded = if line.cut { decoded.trim_end_matches('\u{fffd}') } else { &decoded };
        let neutral = neutralise(decoded);
        if self.shown > 0 && self.text.len() + neutral.len() + 80 > TEXT {
            return false;
        }
        self.replaced |= replaced && !line.cut;
        self.text.push_str(prefix(&neutral, LINE));
        if line.cut {
            self.long_lines += 1;
            self.text.push_str(" [line cut]");
        }
        if line.ended {
            self.text.push('\n');
        }
        self.shown += 1;
        true
    }

    fn result(mut self, len: u64) -> ToolResult {
        if self.shown == 0 && self.first > 1 {
            return Err(ToolError::new(
                "past_the_end",
                format!("{:?} has {} lines; line {} does not exist.", self.args.path, self.seen, self.first),
                "Use a smaller offset.",
            ));
        }
        let last = self.first + self.shown.saturating_sub(1);
        let more = !self.ended || last < self.seen;
        let mut notes = Vec::new();
        if self.seen == 0 && self.ended {
            notes.push("the file is empty".to_owned());
        } else if more && self.ended {
            notes.push(format!(
                "lines {}-{last} of {}; go on with offset {}",
                self.first,
                self.seen,
                last + 1
            ));
        } else if more {
            notes.push(format!("lines {}-{last}, more follow; go on with offset {}", self.first, last + 1));
        } else if self.first > 1 {
            notes.push(format!("lines {}-{last} of {}", self.first, self.seen));
        }
        if self.long_lines > 0 {
            notes.push(format!("{} lines were cut after {LINE} bytes", self.long_lines));
        }
        if self.replaced {
            notes.push(format!("bytes that are not {} were replaced by \u{fffd}", self.encoding.name()));
        }
        if self.crlf {
            notes.push("line ends are CRLF".to_owned());
        }
        if !notes.is_empty() {
            if !self.text.is_empty() && !self.text.ends_with('\n') {
                self.text.push('\n');
            }
            self.text.push_str(&format!("[{}]", notes.join("; ")));
        }
        let cut = more || self.long_lines > 0;
        Ok(Output {
            text: self.text,
            truncated: cut.then_some(Cut { total_bytes: len }),
            raw: None,
            meta: json!({
                "path": self.args.path, "first": self.first, "lines": self.shown,
                "total_lines": self.ended.then_some(self.seen), "bytes": len,
                "crlf": self.crlf, "replaced": self.replaced,
            }),
        })
    }
}

/// One line, or its beginning.
struct Line {
    bytes: Vec<u8>,
    /// Whether a line feed followed it.
    ended: bool,
    /// Whether there was more of it than was kept.
    cut: bool,
}

/// Reads to the end of the line and keeps at most `max` bytes, however long the line is. None at the end of the file.
fn next_line(source: &mut impl io::BufRead, max: usize) -> io::Result<Option<Line>> {
    let mut line = Line { bytes: Vec::new(), ended: false, cut: false };
    let mut any = false;
    loop {
        let buffer = source.fill_buf()?;
        if buffer.is_empty() {
            return Ok(any.then_some(line));
        }
        any = true;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let body = buffer.split_at(end.unwrap_or(buffer.len())).0;
        let room = max - line.bytes.len();
        line.cut |= body.len() > room;
        line.bytes.extend_from_slice(body.split_at(room.min(body.len())).0);
        let used = body.len() + usize::from(end.is_some());
        source.consume(used);
        if end.is_some() {
            line.ended = true;
            return Ok(Some(line));
        }
    }
}
