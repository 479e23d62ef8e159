//! `edit_file`: replaces a text exactly, once or everywhere.
//!
//! Purpose: an edit changes what it names and nothing else. Line ends stay as the file has them: in a file with CRLF, a
//! text given with `\n` is looked for, and put in, with CRLF.

use serde::{Deserialize, Serialize};

use super::ToolError;
use super::neutral::{neutralise, prefix};
use super::write::Prepared;
use crate::workspace::Workspace;

/// Lines compared when a text is not found, to show the nearest one.
const COMPARED: usize = 5000;

/// What to replace, and by what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditArgs {
    /// The file.
    pub path: String,
    /// The text as it stands in the file.
    pub old_string: String,
    /// What takes its place.
    pub new_string: String,
    /// Replace every occurrence, however many.
    #[serde(default)]
    pub replace_all: Option<bool>,
}

impl EditArgs {
    pub(super) fn checked(self) -> Result<Self, ToolError> {
        if self.old_string.is_empty() {
            return Err(ToolError::arguments(
                "old_string is empty, so there is nothing to replace.",
                "Give the text to replace as it stands in the file; use write_file to write a whole file.",
            ));
        }
        if self.old_string == self.new_string {
            return Err(ToolError::new(
                "no_change",
                "old_string and new_string are the same; the edit would change nothing.",
                "Give the text as it should be afterwards in new_string.",
            ));
        }
        Ok(self)
    }

    /// Looks at what the edit would do. Changes nothing.
    ///
    /// # Errors
    /// `not_found` if there is no file; `no_match` with the nearest line; `many_matches` with their lines; `not_text`
    /// for a file that is not UTF-8; and what [`super::WriteArgs::prepare`] says.
    pub fn prepare(&self, workspace: &Workspace) -> Result<Prepared, ToolError> {
        Prepared::look(workspace, &self.path, |before| {
            let before = before.ok_or_else(|| self.missing())?;
            let text = std::str::from_utf8(before).map_err(|_| self.not_text())?;
            let (text, count) = self.replaced(text)?;
            Ok((text.into_bytes(), count))
        })
    }

    fn replaced(&self, text: &str) -> Result<(String, u64), ToolError> {
        let (old, new) = self.with_line_ends_of(text);
        if old == new {
            return Err(ToolError::new(
                "no_change",
                "old_string and new_string differ only in line ends, which are kept as the file has them.",
                "Change line ends with a shell command, if that was meant.",
            ));
        }
        // Overlapping occurrences count: in "aaa", "aa" stands twice, and which one is meant is open.
        let at: Vec<usize> = occurrences(text, &old);
        let all = self.replace_all.unwrap_or(false);
        match at.len() {
            0 => Err(self.no_match(text, &old)),
            1 => Ok((text.replacen(&old, &new, 1), 1)),
            _ if all => Ok((text.replace(&old, &new), text.matches(&old).count() as u64)),
            many => Err(self.many(text, &at, many)),
        }
    }

    /// Both texts with CRLF, if the file has CRLF throughout.
    fn with_line_ends_of(&self, text: &str) -> (String, String) {
        let feeds = text.matches('\n').count();
        let crlf = feeds > 0 && text.matches("\r\n").count() == feeds;
        let fit = |given: &str| {
            if crlf { given.replace("\r\n", "\n").replace('\n', "\r\n") } else { given.to_owned() }
        };
        (fit(&self.old_string), fit(&self.new_string))
    }

    fn missing(&self) -> ToolError {
        ToolError::new(
            "not_found",
            format!("{:?} does not exist, so there is nothing to edit.", self.path),
            "Check the path with list_files, or make the file with write_file.",
        )
    }

    fn not_text(&self) -> ToolError {
        ToolError::new(
            "not_text",
            format!("{:?} is not UTF-8 text; an edit could damage it.", self.path),
            "Change it with a shell command made for its format or encoding.",
        )
    }

    fn no_match(&self, text: &str, old: &str) -> ToolError {
        let advice = "Read the file again and copy the text exactly, blanks included.";
        let advice = match nearest(text, old) {
            Some((number, line)) => {
                let line = neutralise(line.trim_end());
                format!("The nearest line is {number}: {:?}. {advice}", prefix(&line, 300))
            }
            None => advice.to_owned(),
        };
        let trimmed = old.trim();
        let why = if !trimmed.is_empty() && trimmed != old && text.contains(trimmed) {
            " (it does without the blanks or line ends around it)"
        } else {
            ""
        };
        ToolError::new("no_match", format!("old_string does not occur in {:?}{why}.", self.path), advice)
    }

    fn many(&self, text: &str, at: &[usize], many: usize) -> ToolError {
        let lines: Vec<String> = at.iter().take(8).map(|&at| line_number(text, at).to_string()).collect();
        let more = if many > lines.len() { ", …" } else { "" };
        ToolError::new(
            "many_matches",
            format!(
                "old_string occurs {many} times in {:?}, in lines {}{more}.",
                self.path,
                lines.join(", ")
            ),
            "Add lines around it until it is unique, or set replace_all to true.",
        )
    }
}

/// Where a text begins, overlapping ones included.
fn occurrences(text: &str, wanted: &str) -> Vec<usize> {
    let step = wanted.chars().next().map_or(1, char::len_utf8);
    let mut at = Vec::new();
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find(wanted)) {
        at.push(from + found);
        from += found + step;
    }
    at
}

fn line_number(text: &str, at: usize) -> usize {
    text.split_at(at).0.matches('\n').count() + 1
}

/// The line most like the first line of the wanted text that says anything.
fn nearest<'t>(text: &'t str, wanted: &str) -> Option<(usize, &'t str)> {
    let key = prefix(wanted.lines().map(str::trim).find(|line| !line.is_empty())?, 200);
    let length = key.chars().count();
    text.lines()
        .take(COMPARED)
        .map(|line| (line, prefix(line.trim(), 200)))
        .enumerate()
        // Half as long or twice as long cannot be alike enough; most lines go without a comparison.
        .filter(|(_, (_, shown))| (length.div_ceil(2)..=length * 2).contains(&shown.chars().count()))
        .map(|(i, (line, shown))| (strsim::normalized_levenshtein(shown, key), i + 1, line))
        .filter(|(likeness, _, _)| *likeness >= 0.5)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
        .map(|(_, number, line)| (number, line))
}
