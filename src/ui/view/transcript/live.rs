//! The reply that is coming in, and the figures of the newest one.

use super::pieces::{Row, prose};
use super::step::thinking_note;
use crate::ui::app::model::{LiveRun, Model};
use crate::ui::app::transcript::Spot;
use crate::ui::feed::{Ending, RunView, StepSpan, StepView};
use crate::ui::keys::{Action, live as keys};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Part, Pen, cells, part};
use crate::ui::view::{Drawn, Zone};
use crate::ui::words::Phase;
use crate::ui::words::numbers::{UNKNOWN, wide_span};
use ratatui::layout::Rect;
use std::time::Instant;

fn ms(from: Instant, to: Instant) -> u64 {
    u64::try_from(to.saturating_duration_since(from).as_millis()).unwrap_or(u64::MAX)
}

/// Joins what stands before it and behind it to one sign.
const JOINER: char = '\u{200d}';

/// Shortest time over which a speed is told, milliseconds: the offline model is done at once.
const MEASURABLE: u64 = 100;

/// Tokens a second of the reply that is coming in; none before there is a second of it.
pub fn rate(model: &Model, live: &LiveRun) -> Option<u64> {
    let time = ms(live.first?, model.clock.mono);
    (time >= 1_000).then(|| live.pieces.saturating_mul(1_000) / time)
}

/// Whether a reply is coming in that belongs to this step: the one in progress, while its request is out.
pub fn streams(model: &Model, view: &RunView, span: Option<StepSpan>) -> bool {
    let Some(live) = model.live_here().filter(|_| span.is_none()) else { return false };
    let last = view.open.requests().next().map(|(_, ending)| ending);
    match last {
        Some(Ending::Open) => true,
        // The snapshot may be older than what is seen live.
        Some(Ending::Failed { .. } | Ending::Aborted(_)) | None => live.phase == Some(Phase::Infer),
        Some(Ending::Replied { .. }) => false,
    }
}

/// The rows of the reply that is coming in, with the caret at its end.
pub fn reply(model: &Model, spot: Spot, indent: usize, width: usize) -> Vec<Row> {
    let Some(live) = model.live_here() else { return Vec::new() };
    let pad = || part(Role::Base, " ".repeat(indent));
    let room = width.saturating_sub(indent + 1);
    let mut rows = Vec::new();
    let cut = model.view().is_some_and(was_cut);
    if !live.thought.is_empty() {
        let bytes = u64::try_from(live.thought.len()).unwrap_or(u64::MAX);
        rows.push(Row::new(spot, vec![pad(), thinking_note(model, bytes)]));
        if model.transcript.thinking {
            rows.extend(lines(spot, &pad, prose(&live.thought, room, Role::Thinking)));
        }
    }
    if live.text.trim().is_empty() {
        if live.thought.is_empty() && !cut {
            rows.push(Row::new(spot, vec![pad(), part(Role::Muted, model.words().live.first_token)]));
        }
        return rows;
    }
    // What a joiner joins comes with the next piece: until then it would be drawn as a code of its own, and then go again.
    let text = if cut { &live.text } else { live.text.trim_end_matches(JOINER) };
    rows.extend(lines(spot, &pad, prose(text, room, Role::Agent)));
    if cut {
        let words = format!("{} {}", model.look.glyphs.failed, model.words().live.cut);
        rows.push(Row::new(spot, vec![pad(), part(Role::Danger, words)]));
    } else if let Some(last) = rows.last_mut() {
        last.left.push(part(Role::Accent, model.look.glyphs.selected));
    }
    rows
}

/// Whether the reply that came in broke off, and is asked for again: what came of it stays to be read.
fn was_cut(view: &RunView) -> bool {
    matches!(view.open.requests().next(), Some((_, Ending::Failed { retry_at: Some(_), .. })))
}

fn lines(spot: Spot, pad: &dyn Fn() -> Part<'static>, lines: Vec<Vec<Part<'static>>>) -> Vec<Row> {
    let row = |line: Vec<Part<'static>>| {
        let mut left = vec![pad()];
        left.extend(line);
        Row::new(spot, left)
    };
    lines.into_iter().map(row).collect()
}

/// Figures of the reply that is coming in or of the last one, and the panel's keys.
pub fn figures(model: &Model, view: &RunView, place: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let words = model.words().live;
    let mut parts = Vec::new();
    let said = match model.live_here().filter(|_| streams(model, view, None)) {
        Some(live) => (live.pieces > 0).then(|| {
            let first = live.first.map(|first| wide_span(ms(live.since, first)));
            let first = first.as_deref().unwrap_or(UNKNOWN);
            match live.estimated {
                true => words.about_so_far(live.pieces, first),
                false => words.so_far(live.pieces, first),
            }
        }),
        None => last_reply(model, view),
    };
    parts.extend(said.map(|text| part(Role::Muted, text)));
    let mut x = place.x.saturating_add(pen.left(place, &parts));
    let mut gap = if parts.is_empty() { String::new() } else { format!(" {} ", model.look.glyphs.dot) };
    let shown = [Action::FoldAll, Action::WrapToggle, Action::ReplayOpen, Action::RequestShow];
    for action in shown {
        let Some(hint) = model.look.keys.hint(keys::RUN_LOOP, action, model.look.lang) else { continue };
        let hint = [
            part(Role::Muted, gap),
            part(Role::Accent, hint.keys),
            part(Role::Muted, format!(" {}", hint.words)),
        ];
        let own = u16::try_from(cells(&hint)).unwrap_or(u16::MAX);
        let place = Rect { x, width: place.right().saturating_sub(x), ..place };
        if own > place.width {
            break;
        }
        pen.left(place, &hint);
        drawn.zones.push((Rect { width: own, ..place }, Zone::Key(action)));
        x = x.saturating_add(own);
        gap = "  ".to_owned();
    }
}

/// Tokens and speed of the last reply that is known.
fn last_reply(model: &Model, view: &RunView) -> Option<String> {
    let newest = model.transcript.steps.values().next_back().map(AsRef::as_ref);
    let (usage, first, all) = replied(&view.open).or_else(|| newest.and_then(replied))?;
    let time = all.saturating_sub(first);
    let words = model.words().live;
    if time < MEASURABLE {
        return Some(words.tokens(usage.completion));
    }
    Some(words.reply(usage.completion, usage.completion.saturating_mul(1_000) / time))
}

fn replied(step: &StepView) -> Option<(crate::run::Usage, u64, u64)> {
    step.requests().find_map(|(_, ending)| match ending {
        Ending::Replied { usage, first_token_ms, ms, .. } => Some((*usage, *first_token_ms, *ms)),
        Ending::Open | Ending::Failed { .. } | Ending::Aborted(_) => None,
    })
}

#[cfg(test)]
mod tests;
