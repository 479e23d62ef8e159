//! Small words that many messages share: counts, who did something, what was decided, the end of a sentence.

use crate::run::control::{Author, Decision, Resolution};

/// A count with its noun: `1 file`, `2 files`, `3 memories`. Only for nouns that take an s.
pub fn many(n: impl TryInto<u64>, noun: &str) -> String {
    // What does not fit is no 1, and is a count that nobody has.
    let n: u64 = n.try_into().unwrap_or(u64::MAX);
    let (stem, end) = match noun.strip_suffix("ry") {
        _ if n == 1 => (noun, ""),
        Some(_) => (noun.trim_end_matches('y'), "ies"),
        None => (noun, "s"),
    };
    format!("{} {stem}{end}", super::duration::grouped(n))
}

/// Calls that wait: `a call waits`, `3 calls wait`.
pub fn calls_wait(n: usize) -> String {
    if n == 1 { "a call waits".to_owned() } else { format!("{n} calls wait") }
}

/// A text as a sentence: it ends with one full stop, or with the mark it has.
pub fn sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?', '…', '。']) { text.to_owned() } else { format!("{text}.") }
}

/// Who did something.
pub fn who(author: &Author) -> String {
    match author {
        Author::Person(face) => format!("a person ({face})"),
        Author::Agent => "the agent".to_owned(),
        Author::Wakeful => "wakeful".to_owned(),
    }
}

/// A decision in words that follow "decided:".
pub fn decision(decision: &Decision) -> &'static str {
    match decision {
        Decision::Approve | Decision::ApproveShown { args: None, .. } => "approved",
        Decision::ApproveEdited { .. } | Decision::ApproveShown { args: Some(_), .. } => {
            "approved with changed arguments"
        }
        Decision::Deny { .. } => "denied",
        Decision::Answer { .. } => "answered",
        Decision::Reuse { .. } => "its result of before reused",
        Decision::Resolve { resolution: verdict, .. } => resolution(*verdict),
    }
}

/// What was said of an uncertain call.
pub fn resolution(resolution: Resolution) -> &'static str {
    match resolution {
        Resolution::Happened => "recorded as happened",
        Resolution::Rerun => "to be run again",
        Resolution::Skip => "left as it is",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_a_sentence_has_one_end() {
        assert_eq!([0usize, 1, 2].map(|n| many(n, "file")), ["0 files", "1 file", "2 files"]);
        assert_eq!(many(12_345u32, "token"), "12,345 tokens");
        assert_eq!([1, 2].map(calls_wait), ["a call waits", "2 calls wait"]);
        assert_eq!(["done", "done.", "done. ", "done?"].map(sentence), ["done.", "done.", "done.", "done?"]);
    }
}
