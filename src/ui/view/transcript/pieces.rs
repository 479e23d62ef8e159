//! Small parts of the panel: rows, signs, texts cut to lines.

use crate::run::{CallStatus, Outcome};
use crate::ui::app::model::Model;
use crate::ui::app::transcript::Spot;
use crate::ui::text::{Line, Strength, Wrap, cut, neutral, width, wrap_text};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Part, cells, part};

/// A row of the transcript.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it belongs to.
    pub spot: Spot,
    /// From the left.
    pub left: Vec<Part<'static>>,
    /// At the right end.
    pub right: Vec<Part<'static>>,
}

impl Row {
    /// A row with nothing at its right end.
    pub fn new(spot: Spot, left: Vec<Part<'static>>) -> Self {
        Self { spot, left, right: Vec::new() }
    }
}

/// The left pieces of a row, cut with a sign where they do not fit beside the right ones.
pub fn clip(left: &[Part<'static>], right: &[Part<'static>], room: usize, sign: &str) -> Vec<Part<'static>> {
    let own = cells(right);
    let room = if own == 0 || own >= room { room } else { room - own - 1 };
    if cells(left) <= room {
        return left.to_vec();
    }
    let mut free = room.saturating_sub(1);
    let mut kept = Vec::new();
    for piece in left {
        let long = width(&piece.text);
        if long > free {
            // With the sign behind it, a piece that would just fit shows too that something follows.
            let longer = format!("{}{sign}", piece.text);
            kept.push(part(piece.role, cut(&longer, free + usize::from(room > 0), sign).into_owned()));
            return kept;
        }
        free -= long;
        kept.push(piece.clone());
    }
    kept
}

/// The pieces of a neutral line; codes of hidden characters stand out.
pub fn pieces(line: &Line<'_>, role: Role) -> Vec<Part<'static>> {
    let own = |piece: &crate::ui::text::Piece<'_>| {
        part(if piece.hidden.is_some() { Role::Hidden } else { role }, piece.text.clone().into_owned())
    };
    line.pieces.iter().map(own).collect()
}

/// Prose as lines of at most so many cells, blank lines at both ends left out.
pub fn prose(text: &str, cells: usize, role: Role) -> Vec<Vec<Part<'static>>> {
    let text = text.trim_matches(['\n', '\r', ' ']);
    if text.is_empty() {
        return Vec::new();
    }
    let neutral = neutral(text, Strength::Prose);
    wrap_text(&neutral, cells.max(1), Wrap::Words).iter().map(|line| pieces(line, role)).collect()
}

/// The sign of a call, and its role.
pub fn call_sign(model: &Model, status: CallStatus) -> (&'static str, Role) {
    let glyphs = model.look.glyphs;
    match status {
        CallStatus::Proposed | CallStatus::Approved => (glyphs.dot, Role::Muted),
        CallStatus::Waiting => (glyphs.needs_you, Role::NeedsYou),
        CallStatus::Started => (glyphs.running, Role::Accent),
        CallStatus::Done => (glyphs.done, Role::Ok),
        CallStatus::Failed => (glyphs.failed, Role::Danger),
        CallStatus::Denied | CallStatus::Rejected | CallStatus::Cancelled => (glyphs.denied, Role::Warn),
        CallStatus::Uncertain => (glyphs.unsure, Role::NeedsYou),
    }
}

/// How bad a state is: of several calls the worst one's sign is shown.
pub fn badness(status: CallStatus) -> u8 {
    match status {
        CallStatus::Done => 0,
        CallStatus::Cancelled => 1,
        CallStatus::Denied => 2,
        CallStatus::Rejected => 3,
        CallStatus::Failed => 4,
        CallStatus::Proposed | CallStatus::Approved => 5,
        CallStatus::Started => 6,
        CallStatus::Uncertain => 7,
        CallStatus::Waiting => 8,
    }
}

/// The sign of how a run ended, and its role.
pub fn outcome_sign(model: &Model, outcome: &Outcome) -> (&'static str, Role) {
    let glyphs = model.look.glyphs;
    match outcome {
        Outcome::Completed => (glyphs.done, Role::Ok),
        Outcome::Limit(_) => (glyphs.limit, Role::Warn),
        Outcome::Failed(_) => (glyphs.failed, Role::Danger),
        Outcome::Cancelled => (glyphs.denied, Role::Warn),
    }
}
