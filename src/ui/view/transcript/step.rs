//! A step as rows: folded to a line, or its reply, its calls and its checkpoint.

use super::items::{self, Place, more_lines};
use super::pieces::{Row, badness, call_sign, prose};
use super::{call, live};
use crate::run::StepNo;
use crate::run::event::Purpose;
use crate::ui::app::model::Model;
use crate::ui::app::transcript::Spot;
use crate::ui::feed::{Ending, Item, RunView, StepSpan, StepView, Text};
use crate::ui::keys::{Action, live as keys};
use crate::ui::theme::Role;
use crate::ui::view::head::{begin, failure, plain};
use crate::ui::view::paint::{Part, cells, part};
use crate::ui::words::failures;
use crate::ui::words::numbers::{clock, span, time_of_day};

/// Columns before what a step holds.
const INDENT: usize = 4;
/// Lines of a reply that are shown above its calls where room is short.
const REPLY: usize = 2;

/// A step that is to be drawn.
pub struct Drawing<'a> {
    /// The model.
    pub model: &'a Model,
    /// The run.
    pub view: &'a RunView,
    /// The step as it was read.
    pub step: &'a StepView,
    /// Its range, once it is committed.
    pub span: Option<StepSpan>,
    /// True for the newest one.
    pub newest: bool,
    /// Cells of a row.
    pub cells: usize,
}

/// Whether a step is folded to a line.
pub fn is_folded(model: &Model, step: StepNo, newest: bool) -> bool {
    let own = model.transcript.folds.get(&Spot { step, item: None });
    own.copied().unwrap_or(!newest && !model.transcript.unfolded)
}

impl Drawing<'_> {
    fn spot(&self, item: Option<usize>) -> Spot {
        Spot { step: self.step.step, item }
    }

    /// The step's rows; none for a step in which nothing happened yet.
    pub fn rows(&self) -> Vec<Row> {
        let is_asked = |item: &Item| matches!(item, Item::Asked { .. });
        let first = self.step.items.iter().position(is_asked).unwrap_or(self.step.items.len());
        let mut rows = Vec::new();
        let folded = is_folded(self.model, self.step.step, self.newest);
        for (at, item) in self.step.items.iter().enumerate().take(first) {
            // What happened between the steps stands between them; calls of checks do not.
            if !folded || items::stays(item) {
                rows.extend(self.item(at, item, 0));
            }
        }
        let streams = live::streams(self.model, self.view, self.span);
        if first == self.step.items.len() && !streams && self.span.is_none() {
            return rows;
        }
        if folded {
            rows.push(self.folded());
            rows.extend(self.never_folded().1);
            return rows;
        }
        rows.extend(self.unfolded(first, streams));
        rows
    }

    /// What is seen of the step also while it is part of a group: before its reply, and after it.
    pub fn never_folded(&self) -> (Vec<Row>, Vec<Row>) {
        let is_asked = |item: &Item| matches!(item, Item::Asked { .. });
        let first = self.step.items.iter().position(is_asked).unwrap_or(self.step.items.len());
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (at, item) in self.step.items.iter().enumerate().filter(|(_, item)| items::stays(item)) {
            if at < first {
                before.extend(self.item(at, item, 0));
            } else {
                after.extend(self.item(at, item, INDENT));
            }
        }
        (before, after)
    }

    fn number(&self, sign: &str) -> Part<'static> {
        let last = self.view.state.path.step.saturating_add(1).to_string().len();
        part(Role::Base, format!("{sign} {:<last$}  ", self.step.step))
    }

    /// The step on one line.
    fn folded(&self) -> Row {
        let said = self.step.said().map(|text| first_line(&text.shown)).unwrap_or_default();
        let left = vec![self.number(self.model.look.glyphs.folded), part(Role::Agent, said)];
        let mut right = Vec::new();
        if let Some(worst) = self.step.calls().map(|call| call.status).max_by_key(|status| badness(*status)) {
            let calls = u64::try_from(self.step.calls().count()).unwrap_or(u64::MAX);
            let (sign, role) = call_sign(self.model, worst);
            right.push(part(Role::Muted, format!("{} ", self.model.words().live.calls(calls))));
            right.push(part(role, sign));
        }
        Row { spot: self.spot(None), left, right }
    }

    fn unfolded(&self, first: usize, streams: bool) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut heading = Some(());
        for (at, item) in self.step.items.iter().enumerate().skip(first) {
            match item {
                Item::Asked { purpose: Purpose::Summary { rounds, .. }, .. } => {
                    let asks = self.model.words().live.summary_asked(u64::from(*rounds));
                    rows.extend(self.aside(at, item, asks));
                }
                Item::Asked { purpose: Purpose::Keeper, .. } => {
                    rows.extend(self.aside(at, item, self.model.words().live.core_asked.to_owned()));
                }
                Item::Asked { .. } => rows.extend(self.asked(at, item, heading.take().is_some())),
                Item::Call(_)
                | Item::Person { .. }
                | Item::Returned { .. }
                | Item::Checked { .. }
                | Item::Goal { .. }
                | Item::Folded { .. }
                | Item::Held { .. }
                | Item::Other { .. }
                | Item::Ended { .. } => rows.extend(self.item(at, item, INDENT)),
            }
        }
        if heading.is_some() {
            rows.push(Row::new(self.spot(None), self.heading()));
        }
        if streams {
            let more = self.streaming(rows.last_mut().filter(|row| row.spot.item.is_none()));
            rows.extend(more);
        }
        rows.extend(self.checkpoint());
        rows
    }

    /// The reply that is coming in. Its first line stands on the step's heading, if nothing else does.
    fn streaming(&self, heading: Option<&mut Row>) -> Vec<Row> {
        let spot = self.spot(Some(self.step.items.len()));
        let beside = heading.as_ref().map_or(INDENT, |row| cells(&row.left));
        let mut rows =
            live::reply(self.model, spot, INDENT, self.cells.saturating_sub(beside - INDENT.min(beside)));
        if let Some(heading) = heading
            && !rows.is_empty()
        {
            heading.left.extend(rows.remove(0).left.into_iter().skip(1));
        }
        rows
    }

    /// The begin of the step's heading.
    fn heading(&self) -> Vec<Part<'static>> {
        let mut parts = vec![self.number(self.model.look.glyphs.unfolded)];
        if super::is_wide(self.model) {
            parts.push(part(Role::Agent, format!("{}  ", self.model.words().live.agent)));
        }
        parts
    }

    /// A request and its reply. The first one's first line is the step's heading.
    fn asked(&self, at: usize, item: &Item, heads: bool) -> Vec<Row> {
        let Item::Asked { attempt, purpose, text, reasoning, ending, .. } = item else { return Vec::new() };
        let spot = self.spot(Some(at));
        let words = self.model.words().live;
        let mut rows = Vec::new();
        let mut head = if heads { self.heading() } else { vec![part(Role::Base, " ".repeat(INDENT))] };
        let head_spot = if heads { self.spot(None) } else { spot };
        if matches!(purpose, Purpose::Report(_)) {
            head.push(part(Role::Goal, format!("{}  ", words.report)));
        }
        let thinking = reasoning.as_ref().filter(|text| !text.body.is_empty());
        if let Some(thought) = thinking {
            head.push(thinking_note(self.model, thought.body.len()));
        }
        let mut first = Row::new(head_spot, head);
        if *attempt > 1 {
            first.right = vec![part(Role::Muted, words.attempt(u64::from(*attempt)))];
        }
        let beside = if thinking.is_some() { INDENT } else { cells(&first.left).max(INDENT) + 1 };
        let lines = self.reply(spot, text.as_ref(), beside);
        if thinking.is_some() {
            rows.push(first);
            if self.model.transcript.thinking
                && let Some(thought) = thinking
            {
                rows.extend(indented(
                    spot,
                    prose(&thought.shown, self.cells.saturating_sub(INDENT), Role::Thinking),
                ));
            }
            rows.extend(lines);
        } else {
            // Without thinking the reply begins on the heading itself.
            let mut lines = lines.into_iter();
            if let Some(begin) = lines.next() {
                first.left.extend(begin.left.into_iter().skip(1));
            }
            if heads || first.left.len() > 1 {
                rows.push(first);
            }
            rows.extend(lines);
        }
        rows.extend(self.ending(spot, ending));
        rows
    }

    /// What was asked aside: what it cost, its text if it is unfolded, and how it failed.
    fn aside(&self, at: usize, item: &Item, asks: String) -> Vec<Row> {
        let Item::Asked { text, ending, .. } = item else { return Vec::new() };
        let (spot, glyphs) = (self.spot(Some(at)), self.model.look.glyphs);
        let place = Place { spot, indent: INDENT, cells: self.cells };
        let mut rows = items::one(&place, glyphs.dot, Role::Muted, asks);
        if let Ending::Replied { ms, .. } = ending {
            let took = part(Role::Muted, span(*ms));
            rows.iter_mut().take(1).for_each(|row| row.right = vec![took.clone()]);
        }
        if self.model.transcript.folds.get(&spot) == Some(&false) {
            rows.extend(self.reply(spot, text.as_ref(), INDENT));
        }
        rows.extend(self.ending(spot, ending));
        rows
    }

    /// The lines of a reply, each after a blank piece of its own.
    fn reply(&self, spot: Spot, text: Option<&Text>, beside: usize) -> Vec<Row> {
        let Some(text) = text else { return Vec::new() };
        let fold = self.model.transcript.folds.get(&spot);
        let has_calls = self.step.calls().next().is_some();
        let lines = prose(&text.shown, self.cells.saturating_sub(beside), Role::Agent);
        let most = match fold {
            Some(true) => 1,
            Some(false) => lines.len(),
            None if self.model.transcript.unfolded => lines.len(),
            None if has_calls && !super::is_wide(self.model) => REPLY,
            None => lines.len(),
        };
        // A line that says that one more follows takes the room of that one.
        let most = if lines.len() == most + 1 { lines.len() } else { most };
        let more = lines.len().saturating_sub(most);
        let mut rows = indented(spot, lines.into_iter().take(most).collect());
        if more > 0 {
            let blank = part(Role::Base, " ".repeat(INDENT));
            rows.push(Row::new(spot, vec![blank, more_lines(self.model, more)]));
        }
        rows
    }

    /// How a request ended, unless it was answered.
    fn ending(&self, spot: Spot, ending: &Ending) -> Vec<Row> {
        let (glyphs, words) = (self.model.look.glyphs, self.model.words().live);
        let place = Place { spot, indent: INDENT, cells: self.cells };
        match ending {
            Ending::Replied { refused: Some(why), .. } => {
                let text = words.not_taken(self.model.look.lang.refused(*why));
                items::one(&place, glyphs.failed, Role::Warn, text)
            }
            Ending::Open | Ending::Replied { refused: None, .. } => Vec::new(),
            Ending::Failed { kind, message, retry_at } => {
                let mut said = failure(self.model, kind, message);
                if retry_at.is_none()
                    && let Some(kind) = failures::kind(kind)
                {
                    said = format!("{said} {} {}", glyphs.dot, self.model.look.lang.failure_help(kind));
                }
                let mut rows = items::one(&place, glyphs.failed, Role::Danger, said);
                // A pause ended the wait.
                let waits = self.model.view().is_none_or(|view| view.state.ledger.paused.is_none());
                let retry_at = retry_at.filter(|_| waits);
                let left =
                    retry_at.map(|at| at.saturating_sub(self.model.clock.wall)).filter(|left| *left > 0);
                if let Some(left) = left {
                    let time = clock(u64::try_from(left).unwrap_or(0));
                    let again = part(Role::Warn, self.model.words().banners.again_in(&time));
                    rows.iter_mut().take(1).for_each(|row| row.right = vec![again.clone()]);
                }
                rows
            }
            Ending::Aborted(why) => {
                let lang = self.model.look.lang;
                let why = plain(&crate::ui::words::reasons::said(lang, why));
                items::one(&place, glyphs.denied, Role::Warn, lang.label(words.given_up, &why))
            }
        }
    }

    fn item(&self, at: usize, item: &Item, indent: usize) -> Vec<Row> {
        let spot = self.spot(Some(at));
        if let Some(call) = item.call() {
            let tools = call::tool_cells(self.step.calls());
            return call::rows(self.model, call, spot, tools, self.cells);
        }
        items::rows(self.model, self.view, item, &Place { spot, indent, cells: self.cells })
    }

    fn checkpoint(&self) -> Option<Row> {
        let span = self.span?;
        let rows = &self.view.checkpoints;
        let at = rows.partition_point(|row| row.checkpoint.seq < span.to);
        let found = rows.get(at).filter(|row| row.checkpoint.seq == span.to)?;
        let before = at.checked_sub(1).and_then(|at| rows.get(at)).map_or(0, |row| row.checkpoint.tokens);
        let words = self.model.words().live;
        let glyphs = self.model.look.glyphs;
        let changed = found.files.saturating_sub(found.made);
        let files = match (found.made, changed) {
            (0, 0) => words.no_files.to_owned(),
            (made, 0) => format!("{}{}", glyphs.plus, words.files(u64::from(made))),
            (0, changed) => format!("{}{}", glyphs.about, words.files(u64::from(changed))),
            (made, changed) => {
                format!("{}{made} {}{}", glyphs.plus, glyphs.about, words.files(u64::from(changed)))
            }
        };
        let said = [
            words.checkpoint(u64::from(span.step)),
            time_of_day(found.checkpoint.at, &self.model.look.zone),
            words.tokens(found.checkpoint.tokens.saturating_sub(before)),
            files,
        ];
        let gap = if super::is_wide(self.model) { "  ".to_owned() } else { format!(" {} ", glyphs.dot) };
        let left = vec![
            part(Role::Accent, format!("{}{} ", " ".repeat(INDENT), glyphs.checkpoint)),
            part(Role::Muted, said.join(&gap)),
        ];
        Some(Row::new(self.spot(Some(self.step.items.len())), left))
    }
}

/// The first line with words of a text, on one line.
pub fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    plain(begin(line, 1_000).trim())
}

fn indented(spot: Spot, lines: Vec<Vec<Part<'static>>>) -> Vec<Row> {
    let row = |line: Vec<Part<'static>>| {
        let mut left = vec![part(Role::Base, " ".repeat(INDENT))];
        left.extend(line);
        Row::new(spot, left)
    };
    lines.into_iter().map(row).collect()
}

/// How much was thought, and the key that shows it.
pub fn thinking_note(model: &Model, bytes: u64) -> Part<'static> {
    let key = model.key(keys::RUN_LOOP, Action::ThinkingToggle);
    let glyphs = model.look.glyphs;
    let sign = if model.transcript.thinking { glyphs.unfolded } else { glyphs.folded };
    // Servers count thinking with the reply; about four bytes are a token.
    part(Role::Thinking, format!("{sign} {}", model.words().live.thinking(bytes.div_ceil(4), &key)))
}
