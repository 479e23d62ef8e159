//! What a phase of a run came to, in a paragraph made by rule, to be remembered: what was to be reached, then what was noted,
//! answered and written.
//!
//! Derived from the state and the agent's answer alone: goal, plan, notes, names of files. Outputs of tools play no part,
//! so that what they say cannot become a memory by itself. Not to be assumed: that there is one. A title alone, or an answer
//! that says no more than "done", teaches nothing.

use super::words::{clip, first_line, flat, one_line};
use crate::run::plan::PlanItem;
use crate::run::state::Path;

/// Most characters in all.
const TEXT: usize = 600;
/// Most characters of what was to be reached, and of its parents with it.
const TITLE: usize = 160;
/// Most characters of the answer.
const ANSWER: usize = 400;
/// Most characters of one fact.
const FACT: usize = 240;
/// Most files, and characters of the name of one.
const FILES: usize = 5;
const FILE: usize = 60;
/// Characters of an answer that are looked at.
const LOOK: usize = 8_000;
/// Between the parts.
const SEPARATOR: &str = " — ";
/// Stands where something was left out.
const CUT: char = '…';
/// English words of an answer that says no more than that it is done.
const DONE: [&str; 40] = [
    "a",
    "all",
    "am",
    "and",
    "been",
    "complete",
    "completed",
    "done",
    "everything",
    "finished",
    "fully",
    "goal",
    "has",
    "have",
    "i",
    "is",
    "it",
    "job",
    "now",
    "of",
    "ok",
    "okay",
    "reached",
    "ready",
    "s",
    "steps",
    "success",
    "successfully",
    "task",
    "tasks",
    "that",
    "the",
    "this",
    "ve",
    "was",
    "were",
    "with",
    "work",
    "yes",
    "your",
];
/// Characters of a Chinese one.
const DONE_CHARACTERS: &str = "一下了事任切务作做全到力功务已并成我所就工完都的目标结束达部毕是有好经您你";

/// The paragraph; none if there is nothing to tell. `reached` are ids of the plan, none at the end of the run, which alone
/// has an `answer`.
pub fn phase_result(path: &Path, reached: &[String], answer: &str) -> Option<String> {
    let phase = path.phase.as_ref()?;
    let title = title(path, reached);
    let answer = if says_something(answer) { answer.trim() } else { "" };
    let answer: String = answer.chars().take(LOOK).filter(|c| c.is_whitespace() || !c.is_control()).collect();
    let said = flat(&answer);
    let facts = path.facts.iter().filter(|note| note.seq > phase.since);
    let facts: Vec<String> = facts
        .map(|note| one_line(&note.text, FACT))
        .filter(|fact| !said.contains(fact.trim_end_matches(STOPS)))
        .collect();
    let files = files(&phase.files, &title);
    if facts.is_empty() && answer.is_empty() && files.is_empty() {
        return None;
    }
    let mut left = TEXT.saturating_sub(length(&title)).saturating_sub(part(&files));
    // What was confirmed comes before how it was told.
    let room = if answer.is_empty() { left } else { left / 2 };
    let facts = newest(&facts, room.saturating_sub(length(SEPARATOR)), &title);
    left = left.saturating_sub(part(&facts));
    let answer = beginning(&answer, ANSWER.min(left.saturating_sub(length(SEPARATOR))));
    let parts = [title, facts, answer, files].into_iter().filter(|part| !part.is_empty());
    Some(parts.collect::<Vec<_>>().join(SEPARATOR))
}

/// Ends of sentences that are left out before a separator.
const STOPS: [char; 4] = ['.', '。', ';', '；'];

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Characters of a part with its separator.
fn part(text: &str) -> usize {
    if text.is_empty() { 0 } else { length(text) + length(SEPARATOR) }
}

/// Chinese, Japanese and Korean texts are told with the signs of their own.
fn is_unspaced(text: &str) -> bool {
    text.chars()
        .any(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'))
}

/// What was to be reached.
fn title(path: &Path, reached: &[String]) -> String {
    let items: Vec<&PlanItem> = path.plan.iter().filter(|item| reached.contains(&item.id)).collect();
    let title = match items.as_slice() {
        [] => first_line(&path.goal.text).to_owned(),
        [item] => with_parents(path, item),
        several => several.iter().map(|item| item.title.trim()).collect::<Vec<_>>().join("; "),
    };
    one_line(&title, TITLE - 1).trim_end_matches(STOPS).to_owned()
}

/// A part of the plan under as many of its parents as are short enough.
fn with_parents(path: &Path, item: &PlanItem) -> String {
    let mut title = item.title.trim().to_owned();
    let mut id = item.id.as_str();
    while let Some((upper, _)) = id.rsplit_once('.') {
        id = upper;
        let Some(parent) = path.plan.iter().find(|item| item.id == upper) else { break };
        let longer = format!("{} › {title}", parent.title.trim());
        if length(&longer) >= TITLE {
            break;
        }
        title = longer;
    }
    title
}

/// The names of the first files.
fn files(files: &[String], title: &str) -> String {
    let names: Vec<String> = files.iter().take(FILES).map(|file| one_line(file, FILE)).collect();
    let (label, comma) = if is_unspaced(title) { ("文件：", "、") } else { ("files: ", ", ") };
    let more = if files.len() > FILES { format!("{comma}{CUT}") } else { String::new() };
    if names.is_empty() { String::new() } else { format!("{label}{}{more}", names.join(comma)) }
}

/// The newest facts that fit, in their order; of one that is too long its beginning.
fn newest(facts: &[String], room: usize, title: &str) -> String {
    let between = if is_unspaced(title) { "；" } else { "; " };
    let mut kept: Vec<&str> = Vec::new();
    let mut left = room.saturating_sub(2);
    for fact in facts.iter().rev().map(|fact| fact.trim_end_matches(STOPS)) {
        let more = length(fact) + length(between);
        if more > left {
            break;
        }
        left -= more;
        kept.insert(0, fact);
    }
    let mark = if kept.len() < facts.len() { format!("{CUT} ") } else { String::new() };
    match (kept.is_empty(), facts.last()) {
        (true, Some(last)) => clip(last, room.saturating_sub(1)),
        (true, None) => String::new(),
        (false, _) => format!("{mark}{}", kept.join(between)),
    }
}

/// The beginning of a text on one line, up to the end of a sentence or a line; what is left out is marked.
fn beginning(text: &str, most: usize) -> String {
    let whole = flat(text);
    if length(&whole) <= most {
        return whole;
    }
    let mut out = String::new();
    // Where a sentence or line, and where a word ended last.
    let (mut end, mut word) = (0, 0);
    let mut gap = false;
    let mut chars = text.chars().peekable();
    let mut left = most.saturating_sub(2);
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            end = if c == '\n' { out.len() } else { end };
            (word, gap) = (out.len(), !out.is_empty());
            continue;
        }
        let cost = 1 + usize::from(gap);
        if cost > left {
            break;
        }
        left -= cost;
        if std::mem::take(&mut gap) {
            out.push(' ');
        }
        out.push(c);
        let ends = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => chars.peek().is_none_or(|next| next.is_whitespace()),
            _ => false,
        };
        end = if ends { out.len() } else { end };
    }
    // An early end would leave out too much.
    let third = out.len() / 3;
    let at = [end, word].into_iter().find(|at| *at > third).unwrap_or(out.len());
    out.truncate(at);
    if out.is_empty() { out } else { format!("{} {CUT}", out.trim_end()) }
}

/// Whether an answer says more than that it is done.
fn says_something(answer: &str) -> bool {
    let words = answer.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let says = |word: &str| match word.is_ascii() {
        true => DONE.binary_search(&word.to_ascii_lowercase().as_str()).is_err(),
        false => !word.chars().all(|c| DONE_CHARACTERS.contains(c)),
    };
    words.take(LOOK).any(says)
}

#[cfg(test)]
mod tests;
