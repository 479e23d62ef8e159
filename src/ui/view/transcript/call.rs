//! A call as rows: one line that says what it is about, and what came of it.

use super::pieces::{Row, call_sign};
use crate::run::plan::NoteKind;
use crate::run::{Author, CallStatus, Class};
use crate::tool::OUTPUT_KEPT;
use crate::ui::app::model::Model;
use crate::ui::app::transcript::Spot;
use crate::ui::feed::{CallView, Text};
use crate::ui::keys::{Action, live};
use crate::ui::text::{Align, Line, Strength, Wrap, fit, neutral, width, wrap};
use crate::ui::theme::Role;
use crate::ui::view::cells::{argument, said};
use crate::ui::view::head::{begin, plain};
use crate::ui::view::paint::{Part, part};
use crate::ui::words::numbers::{clock, size, span, wide_span};
use crate::ui::words::told::told;
use serde_json::Value;
use std::borrow::Cow;

/// Columns before a call.
const INDENT: &str = "    ";
/// Columns before its output, with the rail.
const OUTPUT: usize = 8;
/// Lines of output that are shown at first, and of an error.
pub const SHOWN: usize = 3;
const SHOWN_OF_ERROR: usize = 8;
/// Most cells of a tool's name.
const TOOL: usize = 12;

/// What a call is about, on one line, neutral.
pub fn about(model: &Model, tool: &str, args: &str) -> Line<'static> {
    let found = argument(&model.look, args);
    let kind = match (tool, serde_json::from_str::<Value>(args)) {
        ("note", Ok(args)) => match args.get("kind").and_then(Value::as_str) {
            Some("fact") => Some(NoteKind::Fact),
            Some("question") => Some(NoteKind::Question),
            Some("answered") => Some(NoteKind::Answered),
            Some(_) | None => None,
        },
        (_, Ok(_) | Err(_)) => None,
    };
    match kind {
        Some(kind) => Line::plain(model.look.lang.label(model.look.lang.note(kind), &found.shown())),
        None => found,
    }
}

/// Lines that a call would add and remove, as far as its arguments say.
struct Change {
    old: String,
    new: String,
}

fn change(tool: &str, args: &str) -> Option<Change> {
    let args = || serde_json::from_str::<Value>(args).ok();
    let text = |args: &Value, key: &str| args.get(key).and_then(Value::as_str).map(str::to_owned);
    match tool {
        "edit_file" => {
            let args = args()?;
            Some(Change { old: text(&args, "old_string")?, new: text(&args, "new_string")? })
        }
        "write_file" => Some(Change { old: String::new(), new: text(&args()?, "content")? }),
        _ => None,
    }
}

/// `+18 −7` for a call that changes a file; nothing for others.
pub fn change_parts(model: &Model, tool: &str, args: &str) -> Vec<Part<'static>> {
    let Some(change) = change(tool, args) else { return Vec::new() };
    let glyphs = model.look.glyphs;
    let (new, old) = (change.new.lines().count(), change.old.lines().count());
    let mut parts = vec![part(Role::Add, format!("{}{new}", glyphs.plus))];
    if old > 0 {
        parts.push(part(Role::Del, format!("{}{old}", glyphs.minus)));
    }
    parts
}

/// The rows of a call. `tools` are the cells of the widest tool's name in its step, so that columns stand together.
pub fn rows(model: &Model, call: &CallView, spot: Spot, tools: usize, cells: usize) -> Vec<Row> {
    if let Some(running) = model.run.as_ref().and_then(|run| model.beside.output_of(run, call)) {
        let (lines, folded) = super::running::folded(model, running, spot);
        let folded = (counted(model, lines), folded);
        let mut rows = vec![head(model, call, spot, tools, folded)];
        rows.extend(super::running::rows(model, running, spot, cells));
        return rows;
    }
    let wide = super::is_wide(model);
    let output = Output::of(call);
    let total = output.lines();
    // Of an output of which a part is here, nobody knows how many lines it has.
    let part_only = call.output.is_some() || call.result.as_ref().is_some_and(Text::is_part);
    let bytes = match (&call.output, &call.result) {
        (Some(whole), _) => whole.len(),
        (None, Some(result)) if result.is_part() => result.body.len(),
        (None, Some(_) | None) => output.bytes(),
    };
    let unfolded = model.transcript.folds.get(&spot).map(|folded| !folded);
    let failed = matches!(call.status, CallStatus::Failed | CallStatus::Rejected);
    let shown = match unfolded {
        Some(true) => total,
        Some(false) => 0,
        None if failed => SHOWN_OF_ERROR,
        None if wide => SHOWN,
        None => 0,
    };
    // What a call would change stands in its line already.
    let much = match (&output.change, part_only) {
        (Some(_), _) => String::new(),
        (None, true) => recorded(model, bytes),
        (None, false) => counted(model, total),
    };
    let folded = shown == 0 && (total > 0 || part_only) && call.status != CallStatus::Waiting;
    let mut rows = vec![head(model, call, spot, tools, (much, folded))];
    if shown == 0 {
        return rows;
    }
    let told = output.told(model, call);
    for (nth, (sign, text, role)) in output.take(shown).enumerate() {
        let text = told.get(nth).map_or(text, String::as_str);
        rows.extend(output_line(model, spot, cells, (sign, text, role)));
    }
    if total > shown || part_only {
        let key = model.key(live::RUN_LOOP, Action::Open);
        let more = u64::try_from(total.saturating_sub(shown)).unwrap_or(u64::MAX);
        let words = match part_only && output.change.is_none() {
            true => model.words().live.more_size(&recorded(model, bytes), &key),
            false => model.words().live.more_lines_size(more, &size(bytes), &key),
        };
        rows.push(Row::new(spot, vec![rail(model), part(Role::Muted, words)]));
    }
    rows
}

/// Lines of an output that is here as a whole; empty without one.
fn counted(model: &Model, lines: usize) -> String {
    match u64::try_from(lines).unwrap_or(u64::MAX) {
        0 => String::new(),
        lines => model.words().live.lines(lines),
    }
}

/// How long a recorded output is. Of one that was too long to be kept whole, what was kept is the least.
fn recorded(model: &Model, bytes: u64) -> String {
    let more = if bytes >= OUTPUT_KEPT { model.look.glyphs.plus } else { "" };
    format!("{}{more}", size(bytes.min(OUTPUT_KEPT)))
}

/// A line of an output on its rows.
pub fn output_line(model: &Model, spot: Spot, cells: usize, line: (&'static str, &str, Role)) -> Vec<Row> {
    let (sign, text, role) = line;
    let room = cells.saturating_sub(OUTPUT).max(1);
    // A line that is cut is not looked at beyond what can be seen of it.
    let most = if model.transcript.wrap { text.len() } else { room.saturating_mul(8) };
    let neutral = neutral(begin(text, most), Strength::Prose);
    let mut rows = Vec::new();
    for line in &neutral.lines {
        let lines = if model.transcript.wrap { wrap(line, room, Wrap::Cells) } else { vec![line.clone()] };
        for line in &lines {
            let mut left = vec![rail(model), part(role, sign)];
            left.extend(super::pieces::pieces(line, role));
            rows.push(Row::new(spot, left));
        }
    }
    rows
}

/// What stands before a line of an output.
pub fn rail(model: &Model) -> Part<'static> {
    part(Role::Border, format!("      {} ", model.look.glyphs.rail))
}

/// The line of a call. `folded` is how much output it has, and whether that is folded away.
fn head(model: &Model, call: &CallView, spot: Spot, tools: usize, folded: (String, bool)) -> Row {
    let (sign, role) = match is_sent(model, call) {
        true => (model.look.glyphs.open, Role::Muted),
        false => call_sign(model, call.status),
    };
    let tool = fit(&plain(&call.tool), tools.min(TOOL), Align::Left, model.look.glyphs.ellipsis).into_owned();
    let mut left = vec![
        part(Role::Base, INDENT),
        part(role, format!("{sign} ")),
        part(Role::Tool, tool),
        part(Role::Base, "  "),
    ];
    left.extend(super::pieces::pieces(&about(model, &call.tool, &call.args.shown), Role::Base));
    for (n, piece) in change_parts(model, &call.tool, &call.args.shown).into_iter().enumerate() {
        left.push(part(Role::Base, if n == 0 { "  " } else { " " }));
        left.push(piece);
    }
    Row { spot, left, right: outcome(model, call, folded) }
}

/// Whether a decision on a call is on its way: to the store it still waits.
fn is_sent(model: &Model, call: &CallView) -> bool {
    let waiting = model.shot.as_ref().map_or(&[][..], |shot| shot.waiting.as_slice());
    waiting.iter().any(|one| one.call.call_id == call.call_id && model.is_sent(&one.call))
}

/// How a call stands: at the right end of its line.
fn outcome(model: &Model, call: &CallView, (much, folded): (String, bool)) -> Vec<Part<'static>> {
    let (words, lang) = (model.words().live, model.look.lang);
    let wide = super::is_wide(model);
    let began = call.started.filter(|_| call.status == CallStatus::Started).unwrap_or(call.since);
    let since = || clock(u64::try_from(model.clock.wall.saturating_sub(began)).unwrap_or(0));
    let mut said: Vec<(Role, String)> = Vec::new();
    match call.status {
        CallStatus::Waiting | CallStatus::Uncertain if is_sent(model, call) => {
            said.push((Role::Muted, model.words().header.sending.to_owned()));
        }
        CallStatus::Waiting => {
            let asks = call.class == Class::Person;
            let what = if asks { words.waits_for_answer } else { words.waits_for_you };
            said.push((Role::NeedsYou, what.to_owned()));
            said.push((Role::NeedsYou, since()));
        }
        CallStatus::Uncertain => said.push((Role::NeedsYou, lang.call_status(call.status).to_owned())),
        CallStatus::Started => {
            said.extend(crate::ui::view::queue::silent(model, &call.call_id).map(|text| (Role::Warn, text)));
            said.push((Role::Accent, since()));
        }
        CallStatus::Failed | CallStatus::Cancelled if call.rolled_back => {
            said.push((Role::Warn, words.by_rollback.to_owned()));
        }
        CallStatus::Denied => said.push((Role::Warn, words.denied_by_you.to_owned())),
        CallStatus::Proposed | CallStatus::Approved | CallStatus::Rejected | CallStatus::Cancelled => {
            said.push((Role::Muted, lang.call_status(call.status).to_owned()));
        }
        CallStatus::Done | CallStatus::Failed => {
            said.extend(defaulted(model, call).map(|text| (Role::Warn, text)));
            said.extend(call.ms.map(|ms| (Role::Muted, if wide { wide_span(ms) } else { span(ms) })));
            if wide {
                said.extend(exit(model, call).map(|text| (Role::Muted, text)));
            }
        }
    }
    if folded {
        let sign = format!("[{}]", model.look.glyphs.plus);
        said.push((Role::Muted, if much.is_empty() { sign } else { format!("{much} {sign}") }));
    }
    let mut parts = Vec::new();
    for (n, (role, text)) in said.into_iter().enumerate() {
        parts.push(part(role, if n == 0 { text } else { format!("  {text}") }));
    }
    parts
}

/// That nobody answered in time, where nobody did.
fn defaulted(model: &Model, call: &CallView) -> Option<String> {
    let nobody = call.class == Class::Person && call.by == Some(Author::Wakeful);
    (nobody && call.status == CallStatus::Done).then(|| said(&model.look, &call.why))
}

/// How a command ended, from the first line of what the model got.
fn exit(model: &Model, call: &CallView) -> Option<String> {
    let words = model.words().live;
    let first = call.result.as_ref()?.shown.lines().next()?;
    if let Some(code) = first.strip_prefix("exit ") {
        return code.trim().parse().ok().map(|code| words.exit(code));
    }
    let code = first.strip_prefix("error [exit]: ")?.rsplit(' ').next()?;
    code.parse().ok().map(|code| words.exit(code))
}

/// Whether the result of a call in this state is what wakeful told the agent of it.
pub fn told_of(status: CallStatus) -> bool {
    match status {
        CallStatus::Failed | CallStatus::Rejected | CallStatus::Denied | CallStatus::Cancelled => true,
        CallStatus::Proposed
        | CallStatus::Waiting
        | CallStatus::Approved
        | CallStatus::Started
        | CallStatus::Uncertain
        | CallStatus::Done => false,
    }
}

/// What there is to show below a call.
struct Output<'a> {
    /// A change of a file: lines that go and that come.
    change: Option<Change>,
    /// What the model got, without its first line if that says only how a command ended.
    text: &'a str,
    person: bool,
}

impl<'a> Output<'a> {
    fn of(call: &'a CallView) -> Self {
        let text = call.result.as_ref().map_or("", |text| text.shown.as_str());
        let failed = call.status != CallStatus::Done;
        let change = change(&call.tool, &call.args.shown).filter(|_| !failed || text.is_empty());
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let only_exit = first.starts_with("exit ") || first.starts_with("error [exit]:");
        let text = match call.class {
            Class::Inner if !failed => "",
            Class::Inner | Class::Read | Class::Keyed | Class::Effect | Class::Person => {
                if only_exit {
                    rest
                } else {
                    text
                }
            }
        };
        Self { change, text, person: call.class == Class::Person }
    }

    /// What the agent was told of a call that came to nothing, in the language of the screen: the first lines.
    fn told(&self, model: &Model, call: &CallView) -> Vec<String> {
        if self.change.is_some() || !told_of(call.status) {
            return Vec::new();
        }
        let first: Vec<&str> = self.text.lines().take(2).collect();
        match told(model.look.lang, &first.join("\n")) {
            Cow::Owned(told) => told.lines().map(str::to_owned).collect(),
            Cow::Borrowed(_) => Vec::new(),
        }
    }

    fn lines(&self) -> usize {
        match &self.change {
            Some(change) => change.old.lines().count() + change.new.lines().count(),
            None => self.text.lines().count(),
        }
    }

    fn bytes(&self) -> u64 {
        let len = self.change.as_ref().map_or(self.text.len(), |change| change.old.len() + change.new.len());
        u64::try_from(len).unwrap_or(u64::MAX)
    }

    /// The first lines with their roles. Only these are looked at.
    fn take(&self, most: usize) -> Box<dyn Iterator<Item = (&'static str, &str, Role)> + '_> {
        match &self.change {
            Some(change) => {
                let old = change.old.lines().map(|line| ("-", line, Role::Del));
                Box::new(old.chain(change.new.lines().map(|line| ("+", line, Role::Add))).take(most))
            }
            None => {
                let role = if self.person { Role::User } else { Role::Data };
                Box::new(self.text.lines().take(most).map(move |line| ("", line, role)))
            }
        }
    }
}

/// Cells of the widest tool's name of these calls.
pub fn tool_cells<'a>(calls: impl Iterator<Item = &'a CallView>) -> usize {
    calls.map(|call| width(&plain(&call.tool))).max().unwrap_or(0).min(TOOL)
}
