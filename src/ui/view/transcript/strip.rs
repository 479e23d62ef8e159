//! The phases of the step in progress on one line. In this process they are told as they happen; of a run elsewhere
//! they are worked out from its state, without times that nobody measured.

use crate::run::{CallStatus, Millis, RunState, Status, Turn, WaitWhy};
use crate::ui::app::model::Model;
use crate::ui::feed::{Ending, RunView};
use crate::ui::theme::Role;
use crate::ui::view::head::plain;
use crate::ui::view::paint::{Part, Pen, cells, part};
use crate::ui::words::Phase;
use crate::ui::words::numbers::{clock, span, wide_span};
use ratatui::layout::Rect;

/// The phases whose times give way before any phase does, the first first: they take next to no time.
const UNTIMED: [Phase; 3] = [Phase::Load, Phase::Judge, Phase::Assemble];

/// Draws the phases, or how the run ended.
pub fn draw(model: &Model, view: &RunView, place: Rect, pen: &mut Pen<'_>) {
    let state = &view.state;
    if let Some(ended) = &state.ledger.ended {
        let (sign, role) = super::outcome_sign(model, &ended.outcome);
        let text = plain(&model.look.lang.outcome(&ended.outcome));
        pen.left(place, &[part(role, format!("{sign} {text}"))]);
        return;
    }
    let live = model.live_here();
    // A run that waits begins no phase: where it stands is in its state.
    let told = live.and_then(|live| live.phase).filter(|_| state.status() == Status::Running);
    let now = told.unwrap_or_else(|| phase_of(state));
    let wide = super::is_wide(model);
    let shown = |ms: u64| if wide { wide_span(ms) } else { span(ms) };
    let took = |phase: Phase| {
        let told = live.and_then(|live| live.took.iter().rev().find(|(of, _)| *of == phase));
        let told = told.map(|(_, time)| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        // What the journal has is the same for everybody.
        (phase == Phase::Infer).then(|| infer_ms(view)).flatten().or(told)
    };
    let line = |untimed: &[Phase]| {
        let mut parts = Vec::new();
        for phase in Phase::ALL {
            let gap = if parts.is_empty() { "" } else { "  " };
            let name = model.look.lang.phase(phase);
            let (role, text) = match phase.cmp(&now) {
                std::cmp::Ordering::Less => {
                    let ms = took(phase).filter(|_| !untimed.contains(&phase));
                    let time = ms.map(|ms| format!(" {}", shown(ms))).unwrap_or_default();
                    (Role::Ok, format!("{} {name}{time}", model.look.glyphs.done))
                }
                std::cmp::Ordering::Equal => {
                    let (sign, role, time) = present(model, view, now);
                    (role, format!("{sign} {}{time}", name.to_uppercase()))
                }
                std::cmp::Ordering::Greater => (Role::Muted, format!("{} {name}", model.look.glyphs.dot)),
            };
            push(&mut parts, gap, role, text);
        }
        parts
    };
    let room = usize::from(place.width);
    let mut parts = line(&[]);
    for untimed in [&UNTIMED[..1], &UNTIMED[..2], &UNTIMED[..]] {
        if cells(&parts) > room {
            parts = line(untimed);
        }
    }
    // Phases that are done give way, with a sign, so that the present one is seen.
    let before = 2 * Phase::ALL.iter().filter(|phase| **phase < now).count();
    let mut gone = 0;
    while gone < before && cells(parts.get(gone..).unwrap_or_default()) + 1 > room {
        gone += 2;
    }
    if gone > 0 && cells(&parts) > room {
        parts.drain(..gone);
        parts.insert(0, part(Role::Muted, model.look.glyphs.ellipsis));
    }
    pen.left(place, &parts);
}

fn push(parts: &mut Vec<Part<'static>>, gap: &str, role: Role, text: String) {
    parts.push(part(Role::Base, gap.to_owned()));
    parts.push(part(role, text));
}

/// The sign of the present phase, its role, and its clock.
fn present(model: &Model, view: &RunView, phase: Phase) -> (&'static str, Role, String) {
    let glyphs = model.look.glyphs;
    let since =
        |at: Millis| format!(" {}", clock(u64::try_from(model.clock.wall.saturating_sub(at)).unwrap_or(0)));
    let here = model.working.contains(&view.state.run);
    match view.state.status() {
        Status::Waiting(WaitWhy::Retry(_)) => (glyphs.dot, Role::Warn, String::new()),
        Status::Waiting(_) => {
            let waits = view
                .state
                .open_here()
                .filter(|call| matches!(call.status, CallStatus::Waiting | CallStatus::Uncertain));
            let first = waits.map(|call| call.since).min();
            (glyphs.needs_you, Role::NeedsYou, first.map(since).unwrap_or_default())
        }
        Status::Paused | Status::Ended(_) => (glyphs.limit, Role::Warn, String::new()),
        Status::Running if !view.alive && !here => (glyphs.limit, Role::Warn, String::new()),
        Status::Running => {
            let shown = |ms: u64| if super::is_wide(model) { wide_span(ms) } else { span(ms) };
            let time = model.phase_ms(view, phase).map(|ms| format!(" {}", shown(ms))).unwrap_or_default();
            (glyphs.running, Role::Accent, time)
        }
    }
}

/// The phase that a state is in.
fn phase_of(state: &RunState) -> Phase {
    match &state.path.turn {
        Turn::Idle => Phase::Load,
        Turn::Asking(_) | Turn::Retry { .. } => Phase::Infer,
        Turn::Acting { .. } | Turn::Claiming { .. } => {
            let open = || state.open_here();
            if open().any(|call| call.status == CallStatus::Proposed) {
                Phase::Judge
            } else if open().next().is_some() {
                Phase::Act
            } else {
                Phase::Commit
            }
        }
        Turn::Reported { .. } => Phase::Commit,
    }
}

/// How long the model took in the step in progress.
fn infer_ms(view: &RunView) -> Option<u64> {
    view.open.requests().find_map(|(_, ending)| match ending {
        Ending::Replied { ms, .. } => Some(*ms),
        Ending::Open | Ending::Failed { .. } | Ending::Aborted(_) => None,
    })
}
