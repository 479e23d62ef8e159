//! What happens in a step besides replies and calls, as rows.

use super::pieces::{Row, outcome_sign, prose};
use crate::ui::app::model::Model;
use crate::ui::app::transcript::Spot;
use crate::ui::feed::{Item, RunView, Text};
use crate::ui::text::width;
use crate::ui::theme::Role;
use crate::ui::view::cells::left;
use crate::ui::view::head::plain;
use crate::ui::view::paint::{Part, cells, part};
use crate::ui::words::numbers::hour_minute;
use crate::ui::words::reasons::said;

/// Lines of words to the agent that are shown at first.
const SHOWN: usize = 3;
/// Lines of a person's words that are shown at first.
const SAID: usize = 12;

/// Whether an item is seen also while its step is folded: what people said, and why a run stopped.
pub fn stays(item: &Item) -> bool {
    match item {
        Item::Person { .. } | Item::Goal { .. } | Item::Held { .. } | Item::Ended { .. } => true,
        Item::Other { kind, .. } => {
            matches!(
                *kind,
                "control_refused"
                    | "memories_recalled"
                    | "redone"
                    | "rolled_back"
                    | "rollback_failed"
                    | "run_reopened"
            )
        }
        Item::Asked { .. }
        | Item::Call(_)
        | Item::Returned { .. }
        | Item::Checked { .. }
        | Item::Folded { .. } => false,
    }
}

/// Events without an item of their own that are told.
const TOLD: [&str; 14] = [
    "core_kept",
    "paused",
    "continued",
    "cancel_requested",
    "control_refused",
    "memories_recalled",
    "outputs_dropped",
    "plan_edited",
    "redone",
    "result_kept",
    "rollback_failed",
    "rolled_back",
    "run_reopened",
    "settings_changed",
];

/// Whether there are rows of an item.
pub fn is_told(item: &Item) -> bool {
    match item {
        Item::Other { kind, .. } => TOLD.contains(kind),
        Item::Asked { .. }
        | Item::Call(_)
        | Item::Person { .. }
        | Item::Returned { .. }
        | Item::Checked { .. }
        | Item::Goal { .. }
        | Item::Folded { .. }
        | Item::Held { .. }
        | Item::Ended { .. } => true,
    }
}

/// What an item is told with: columns before it, the step's timeline and number.
pub struct Place {
    /// Its place.
    pub spot: Spot,
    /// Columns before it.
    pub indent: usize,
    /// Cells of the row.
    pub cells: usize,
}

/// Rows of an item that is neither a reply nor a call.
pub fn rows(model: &Model, view: &RunView, item: &Item, place: &Place) -> Vec<Row> {
    let (glyphs, lang) = (model.look.glyphs, model.look.lang);
    let words = model.words().live;
    let line = |sign: &str, role: Role, text: String| one(place, sign, role, text);
    match item {
        Item::Asked { .. } | Item::Call(_) => Vec::new(),
        Item::Person { at, text, .. } => person(model, place, *at, text),
        Item::Returned { text, .. } => {
            let mut rows = line(glyphs.left, Role::Warn, words.returned.to_owned());
            rows.extend(some_lines(model, place, text));
            rows
        }
        Item::Checked { index, passed, detail, .. } => {
            let check = view.state.path.goal.checks.get(*index).map(ToString::to_string);
            let check = plain(&check.unwrap_or_else(|| glyphs.unknown.to_owned()));
            match passed {
                true => line(glyphs.done, Role::Ok, words.check_passed(&check)),
                false => {
                    let text = format!(
                        "{} {} {}",
                        words.check_failed(&check),
                        glyphs.dot,
                        plain(&said(lang, detail))
                    );
                    line(glyphs.failed, Role::Danger, text)
                }
            }
        }
        Item::Goal { version, .. } => line(glyphs.dot, Role::Goal, words.goal_now(u64::from(*version))),
        Item::Folded { rounds, by_model, by, left_out, .. } => {
            let folded = words.folded(u64::from(*rounds));
            let text = match by {
                Some(name) => format!("{folded} {} {}", glyphs.dot, words.by_named(&plain(name))),
                None if *by_model => format!("{folded} {} {}", glyphs.dot, words.by_model),
                None => folded,
            };
            line(glyphs.dot, Role::Muted, text + &without(model, *left_out))
        }
        Item::Held { why, .. } => line(glyphs.needs_you, Role::NeedsYou, plain(&lang.hold(why))),
        Item::Other { kind, words: own, .. } => {
            let told = other(model, view, place, kind, own);
            let mut rows = told.map(|(sign, role, text)| line(sign, role, text)).unwrap_or_default();
            if matches!(*kind, "rolled_back" | "redone") {
                rows.extend(own.lines().map(|call| ended(model, place, call)));
            }
            rows
        }
        Item::Ended { outcome, at, .. } => {
            let (sign, role) = outcome_sign(model, outcome);
            let mut rows = line(sign, role, plain(&lang.outcome(outcome)));
            let time = part(Role::Muted, hour_minute(*at, &model.look.zone));
            rows.iter_mut().take(1).for_each(|row| row.right = vec![time.clone()]);
            rows
        }
    }
}

/// Behind a summary or core of which lines were left out.
fn without(model: &Model, left_out: u32) -> String {
    if left_out == 0 {
        return String::new();
    }
    format!(" {} {}", model.look.glyphs.dot, model.words().live.left_out(u64::from(left_out)))
}

/// A call that was given up or ended so that the run could go back.
fn ended(model: &Model, place: &Place, call: &str) -> Row {
    let pad = " ".repeat(place.indent + 2);
    let left =
        vec![part(Role::Warn, format!("{pad}{} ", model.look.glyphs.denied)), part(Role::Base, plain(call))];
    let words = part(Role::Muted, model.words().live.by_rollback);
    Row { spot: place.spot, left, right: vec![words] }
}

/// Another event: its sign and its words, if a person should see it.
fn other(
    model: &Model,
    view: &RunView,
    place: &Place,
    kind: &str,
    own: &str,
) -> Option<(&'static str, Role, String)> {
    let (glyphs, lang) = (model.look.glyphs, model.look.lang);
    let words = model.words().live;
    let told = plain(&said(lang, own));
    Some(match kind {
        "paused" => (glyphs.limit, Role::Warn, words.paused.to_owned()),
        "continued" => (glyphs.running, Role::Muted, words.resumed.to_owned()),
        "cancel_requested" => (glyphs.denied, Role::Warn, lang.control_word("cancel").to_owned()),
        "control_refused" => {
            let (control, why) = own.split_once(": ").unwrap_or((own, ""));
            let why = plain(&said(lang, why));
            (glyphs.failed, Role::Warn, words.not_applied(lang.control_word(control), &why))
        }
        "rollback_failed" => (glyphs.failed, Role::Danger, words.not_rolled_back(&told)),
        "rolled_back" | "redone" => {
            let step = place.spot.step;
            let committed = view.steps.iter().rev().find(|span| span.step == step).map(|span| span.timeline);
            let timeline = committed.unwrap_or(view.state.head.timeline);
            let (step, timeline) = (u64::from(step.saturating_sub(1)), u64::from(timeline));
            match kind {
                "redone" => (glyphs.right, Role::Warn, words.redone(step, timeline)),
                _ => (glyphs.left, Role::Warn, words.rolled_back(step, timeline)),
            }
        }
        "outputs_dropped" => {
            (glyphs.dot, Role::Muted, words.outputs_shortened(own.parse().unwrap_or_default()))
        }
        "plan_edited" => (glyphs.dot, Role::User, words.plan_now(&plain(own))),
        "result_kept" => {
            // All of it is in the memories: here it is one row.
            let taken = place.indent + 2 + width(&words.result_kept(""));
            let own = left(&model.look, &plain(own), place.cells.saturating_sub(taken));
            (glyphs.dot, Role::Muted, words.result_kept(own.trim_end()))
        }
        // Said once in a run, if the source of vectors does not answer.
        "memories_recalled" => (glyphs.needs_you, Role::Warn, words.words_alone(&told)),
        "core_kept" => {
            // Before it stand the model that wrote it, if it is another one than the run's own, and what was left out.
            let mut lines = own.splitn(3, '\n');
            let (by, left_out) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
            let text = lines.next().unwrap_or_default();
            let told = words.core_kept(&plain(text));
            let by = (!by.is_empty()).then(|| format!(" {} {}", glyphs.dot, words.by_named(&plain(by))));
            (
                glyphs.dot,
                Role::Muted,
                format!("{told}{}{}", by.unwrap_or_default(), without(model, left_out.parse().unwrap_or(0))),
            )
        }
        "run_reopened" | "settings_changed" => (glyphs.dot, Role::Muted, told),
        _ => return None,
    })
}

/// One line with a sign, wrapped.
pub fn one(place: &Place, sign: &str, role: Role, text: String) -> Vec<Row> {
    let room = place.cells.saturating_sub(place.indent + 2);
    let lines = prose(&text, room, role);
    let first = lines.len().min(1);
    let pad = " ".repeat(place.indent);
    let signs =
        std::iter::repeat_n(format!("{pad}{sign} "), first).chain(std::iter::repeat(format!("{pad}  ")));
    lines
        .into_iter()
        .zip(signs)
        .map(|(line, sign)| {
            let mut left = vec![part(role, sign)];
            left.extend(line);
            Row::new(place.spot, left)
        })
        .collect()
}

fn person(model: &Model, place: &Place, at: crate::run::Millis, text: &Text) -> Vec<Row> {
    let pad = " ".repeat(place.indent);
    let who = [
        part(Role::User, format!("{pad}{} ", model.look.glyphs.person)),
        part(Role::User, model.words().live.you),
        part(Role::Muted, format!("  {}  ", hour_minute(at, &model.look.zone))),
    ];
    let beside = cells(&who);
    let lines = prose(&text.shown, place.cells.saturating_sub(beside), Role::User);
    let most = match model.transcript.folds.get(&place.spot) {
        Some(true) => 1,
        Some(false) => lines.len(),
        None if model.transcript.unfolded => lines.len(),
        None => SAID,
    };
    // A line that says that one more follows takes the room of that one.
    let most = if lines.len() == most + 1 { lines.len() } else { most };
    let more = lines.len().saturating_sub(most);
    let rail = part(Role::User, format!("{pad}{} ", model.look.glyphs.person));
    let blank = part(Role::User, " ".repeat(beside.saturating_sub(place.indent + 2)));
    let begin = |n: usize| -> Vec<Part<'static>> {
        if n == 0 { who.to_vec() } else { vec![rail.clone(), blank.clone()] }
    };
    let told = (more > 0).then(|| vec![more_lines(model, more)]);
    let rows = lines.into_iter().take(most).chain(told).enumerate().map(|(n, line)| {
        let mut left = begin(n);
        left.extend(line);
        Row::new(place.spot, left)
    });
    rows.collect()
}

/// The first lines of words to the agent, all if they are unfolded.
fn some_lines(model: &Model, place: &Place, text: &Text) -> Vec<Row> {
    let unfolded = model.transcript.folds.get(&place.spot) == Some(&false);
    let pad = format!("{}  {} ", " ".repeat(place.indent), model.look.glyphs.rail);
    let room = place.cells.saturating_sub(place.indent + 4);
    let lines = prose(&text.shown, room, Role::Data);
    let most = if unfolded { lines.len() } else { SHOWN };
    let more = lines.len().saturating_sub(most);
    let mut rows: Vec<Row> = lines
        .into_iter()
        .take(most)
        .map(|line| {
            let mut left = vec![part(Role::Border, pad.clone())];
            left.extend(line);
            Row::new(place.spot, left)
        })
        .collect();
    if more > 0 {
        rows.push(Row::new(place.spot, vec![part(Role::Border, pad), more_lines(model, more)]));
    }
    rows
}

/// That there are more lines.
pub fn more_lines(model: &Model, more: usize) -> Part<'static> {
    let more = u64::try_from(more).unwrap_or(u64::MAX);
    part(Role::Muted, format!("{}  [{}]", model.words().live.more_lines(more), model.look.glyphs.plus))
}
