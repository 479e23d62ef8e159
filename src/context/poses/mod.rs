//! What a model writes beside the conversation, and what in it claims to be more than a record of the work.
//!
//! The goal and its constraints are pinned where nothing that a model writes reaches them, and only the system message
//! and the person instruct the agent. So the rule: a sentence of a summary or a core that begins by setting, changing or
//! annulling the goal, a constraint or the instructions, or as a message of somebody, or as an instruction to its reader,
//! is not taken, whatever it says after that. It is looked for where a line, a sentence or a part after a semicolon begins,
//! behind marks of lists and emphasis and words as `Note:`; in the middle of a sentence the same words are a report. A
//! name that only has such a word in it (the goal file, 目标目录) and a constraint of a database are what they are.
//! Not to be assumed: that every false sentence is found. What contradicts the goal in other words is for the goal keeper.

mod chinese;
mod english;
#[cfg(test)]
mod tests;

use super::words::sentences;

/// Words that make of a constraint one of a database, a type or a solver; in small letters.
const BUILT: [&str; 14] = [
    "unique",
    "primary key",
    "foreign key",
    "not null",
    "check (",
    "check(",
    "references ",
    "where clause",
    "trait bound",
    "唯一",
    "主键",
    "外键",
    "非空",
    "检查约束",
];
/// Words before what a line is about that say nothing of it, with a colon behind them.
const LEADS: [&str; 22] = [
    "note",
    "notice",
    "nb",
    "important",
    "attention",
    "warning",
    "reminder",
    "update",
    "correction",
    "new",
    "done",
    "decided",
    "decision",
    "fact",
    "open",
    "注意",
    "重要",
    "更新",
    "提醒",
    "更正",
    "决定",
    "事实",
];
/// Marks between a name and what it is set to.
const SETS: [&str; 11] = [":", "：", "=", "＝", "->", "=>", "→", "⇒", "—", "–", "- "];
/// Who speaks in a conversation, as templates of models and transcripts write it: only so, since they name much else too.
const SPEAKERS: [&str; 8] =
    ["USER", "PERSON", "ASSISTANT", "DEVELOPER", "WAKEFUL", "RULES", "SYSTEM", "System"];
/// Marks of templates that begin a message, without the brackets before them.
const TEMPLATES: [&str; 4] = ["im_start|>", "start_header_id|>", "inst]", "sys>>"];

/// Whether a line or sentence of the text poses as a goal or as an instruction.
pub(super) fn poses(text: &str) -> bool {
    let parts = text.lines().flat_map(sentences).flat_map(|sentence| sentence.split([';', '；']));
    parts.map(bare).any(part_poses)
}

fn part_poses(part: &str) -> bool {
    let small = flat(part);
    let small = without_leads(&small);
    speaks(part)
        || TEMPLATES.iter().any(|mark| small.starts_with(mark))
        || english::poses(small)
        || chinese::poses(small)
}

/// Without the marks and the number of a list.
fn bare(part: &str) -> &str {
    let part = part.trim_start_matches(|c: char| !c.is_alphanumeric());
    let after = part.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = after.len() < part.len() && after.starts_with(['.', ')', '、', '）']);
    if numbered { after.trim_start_matches(|c: char| !c.is_alphanumeric()) } else { part }
}

/// In small letters, on one line, with plain apostrophes.
fn flat(part: &str) -> String {
    let small = part.to_lowercase().replace('’', "'");
    small.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether somebody's name with a mark behind it begins a message.
fn speaks(part: &str) -> bool {
    SPEAKERS.iter().filter_map(|name| part.strip_prefix(name)).any(|rest| {
        let rest = rest.trim_start_matches(['*', '_', '`', '"', ')']).trim_start();
        rest.starts_with([':', '：', ']', '>'])
    })
}

fn without_leads(text: &str) -> &str {
    let mut text = text;
    while let Some(rest) = LEADS.iter().find_map(|lead| {
        let rest = text.strip_prefix(lead)?.trim_start_matches(['*', '_', '`', '"']).trim_start();
        rest.strip_prefix(':').or_else(|| rest.strip_prefix('：'))
    }) {
        text = bare(rest);
    }
    text
}

/// What follows behind a mark that sets what stands before it; none without one.
fn set_to(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches(['*', '_', '`', '"', '\'', ')', '）', '」', '”', ']', ' ']);
    // A path of a language, as in goal::parse.
    if rest.starts_with("::") {
        return None;
    }
    SETS.iter().find_map(|mark| rest.strip_prefix(mark))
}

/// Whether a constraint is one of a database, a type or a solver by what is said of it.
fn is_built(text: &str) -> bool {
    let named = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        word.contains('_') && word.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    BUILT.iter().any(|word| text.contains(word)) || text.split_whitespace().any(named)
}

/// What follows behind one of these words or phrases at the beginning, if it ends there.
fn word<'a>(text: &'a str, of: &[&str]) -> Option<&'a str> {
    of.iter().find_map(|one| {
        let rest = text.strip_prefix(one)?;
        let mut next = rest.chars();
        let ends = match next.next() {
            None => true,
            // A file or a path (goal.md, goal/x, goal-file), and not the word.
            Some('.' | '/' | '-' | '\\') => next.next().is_none_or(|c| !c.is_alphanumeric()),
            Some(c) => !c.is_alphanumeric() && c != '_' && c != '\'',
        };
        ends.then(|| rest.trim_start())
    })
}

/// What follows behind as many of these words as stand at the beginning.
fn words<'a>(text: &'a str, of: &[&str]) -> &'a str {
    let mut text = text;
    while let Some(rest) = word(text, of) {
        text = rest;
    }
    text
}
