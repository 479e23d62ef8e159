//! What is remembered beyond the run and offered with the request, with why; and what the goal keeper found when it last
//! held the goal against core and summary.
//!
//! Derived from the run's state alone. Not to be assumed: that there is either; then nothing of it is shown.

use crate::context::AUDIT_EVERY;
use crate::inspect::Asked;
use crate::run::budget_table::Slot;
use crate::run::memory::Recalled;
use crate::run::settings::Settings;
use crate::ui::app::lists::slots;
use crate::ui::app::model::Model;
use crate::ui::dialog::Dialog;
use crate::ui::dialog::flow::Flow;
use crate::ui::dialog::text::TextDialog;
use crate::ui::text::{Strength, one_line, width};
use crate::ui::theme::Role;
use crate::ui::view::cells::{left, outside};
use crate::ui::view::paint::{Part, part};
use ratatui::layout::Rect;

/// Cells of a score with the blank behind it, and of a kind.
const SCORE: usize = 6;
const KIND: usize = 9;
/// Most lines that an audit removed that are shown.
const REMOVED: usize = 3;

/// A score from 0 to 1.
fn score(percent: u8) -> String {
    format!("{}.{:02}", percent / 100, percent % 100)
}

/// The memories that the newest request holds.
fn held(model: &Model) -> &[Recalled] {
    let Some(view) = model.view() else { return &[] };
    let row =
        view.asked.as_ref().and_then(|asked| slots(&asked.table).find(|row| row.slot == Slot::LongTerm));
    let items = row.map_or(0, |row| usize::try_from(row.items).unwrap_or(usize::MAX));
    let all = &view.state.path.recalled;
    all.get(..items.min(all.len())).unwrap_or_default()
}

/// What found it, in a word or two.
fn found(model: &Model, one: &Recalled) -> &'static str {
    let words = model.words().context;
    match (one.why.words.is_empty(), one.why.likeness) {
        (false, Some(_)) => words.by_both,
        (false, None) => words.by_words,
        (true, Some(_)) => words.by_meaning,
        (true, None) => words.pinned,
    }
}

/// `0.81  result *  Export bench needs --release   words`, one line each.
pub fn offered(model: &Model, _asked: &Asked, area: Rect) -> Vec<Vec<Part<'static>>> {
    let (all, look) = (held(model), &model.look);
    if all.is_empty() {
        return Vec::new();
    }
    let words = model.words().context;
    let mut lines = vec![vec![part(Role::Accent, words.memories(all.len() as u64))]];
    for one in all {
        let kind = look.lang.memory(one.kind);
        let kind = if one.why.pinned { format!("{kind} {PINNED}") } else { kind.to_owned() };
        let why = found(model, one);
        let room = usize::from(area.width).saturating_sub(1 + SCORE + KIND + width(why) + 2);
        lines.push(vec![
            part(Role::Base, format!(" {}", left(look, &score(one.score), SCORE))),
            part(Role::Muted, left(look, &kind, KIND)),
            part(Role::Base, left(look, &outside(&one.text), room)),
            part(Role::Muted, format!("  {why}")),
        ]);
    }
    lines
}

/// Behind the kind of a memory that is pinned.
const PINNED: char = '*';

/// What the goal keeper found, and when it looks again.
pub fn audit(model: &Model) -> Vec<Vec<Part<'static>>> {
    let Some(view) = model.view() else { return Vec::new() };
    let (words, path) = (model.words().context, &view.state.path);
    let Some(core) =
        path.core.as_ref().filter(|_| view.state.settings().is_some_and(Settings::summaries_by_model))
    else {
        return Vec::new();
    };
    // It is asked before the step that follows the one it stands at.
    let step = u64::from(path.keeper.at) + 1;
    let mut lines = match (path.keeper.tries, core.drift) {
        (0, false) => vec![vec![part(Role::Base, words.audit_well(step))]],
        (0, true) => vec![vec![part(Role::Warn, words.audit_drift(step))]],
        (_, _) => match path.keeper.refused {
            None => vec![vec![part(Role::Warn, words.audit_failed(step))]],
            Some(why) => {
                let why = format!(" {}", model.look.lang.refused(why));
                vec![vec![part(Role::Warn, words.audit_refused(step))], vec![part(Role::Muted, why)]]
            }
        },
    };
    if let (0, Some(by)) = (path.keeper.tries, &core.by) {
        lines.push(vec![part(Role::Muted, format!(" {}", model.words().live.by_named(&outside(by))))]);
    }
    if path.keeper.tries == 0 {
        let minus = model.look.glyphs.minus;
        let gone = core.removed.iter().take(REMOVED);
        lines.extend(gone.map(|line| vec![part(Role::Del, format!(" {minus} {}", outside(line)))]));
    }
    lines.push(vec![part(Role::Muted, words.next_audit(step + u64::from(AUDIT_EVERY)))]);
    lines
}

/// Whether the slot of the memories is selected, and holds some.
pub fn is_selected(model: &Model) -> bool {
    super::selected(model) == Some(Slot::LongTerm) && !held(model).is_empty()
}

/// The memories whole: what each says, why it was found, where it comes from.
pub fn whole(model: &Model) -> Box<dyn Dialog> {
    let words = model.words().context;
    let mut flow = Flow::default();
    for (nth, one) in held(model).iter().enumerate() {
        if nth > 0 {
            flow.blank();
        }
        describe(model, one, &mut flow);
    }
    TextDialog::flow(words.memories(held(model).len() as u64), "", flow)
}

fn describe(model: &Model, one: &Recalled, flow: &mut Flow) {
    let (words, look) = (model.words().context, &model.look);
    let dot = format!(" {} ", look.glyphs.dot);
    let shown = |text: &str| one_line(text, Strength::Prose).shown();
    let mut head = vec![score(one.score), look.lang.memory(one.kind).to_owned(), format!("m-{}", one.id)];
    head.extend(one.why.pinned.then(|| format!("{PINNED} {}", words.pinned)));
    flow.words(&head.join(&dot), Role::Accent);
    flow.prose(&one.text, Role::Base);
    let comma = look.lang.pick([", ", "、"]);
    let found = (!one.why.words.is_empty()).then(|| words.memory_words(&shown(&one.why.words.join(comma))));
    let alike = one.why.likeness.map(|likeness| words.memory_meaning(&score(likeness)));
    let alone = one.why.words_alone.then(|| words.words_alone.to_owned());
    let why: Vec<String> = found.into_iter().chain(alike).chain(alone).collect();
    if !why.is_empty() {
        flow.words(&why.join(&dot), Role::Muted);
    }
    let from = match &one.from {
        Some((run, step)) => words.memory_from(&shown(run.as_str()), u64::from(*step)),
        None => words.from_you.to_owned(),
    };
    let day = jiff::Timestamp::from_millisecond(one.at)
        .map(|time| time.to_zoned(look.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string());
    let from = day.map_or_else(|_| from.clone(), |day| format!("{from}{dot}{day}"));
    flow.words(&from, Role::Muted);
    if let Some(other) = one.disagrees_with {
        let said = words.memory_disagrees(&format!("m-{other}"));
        flow.words(&format!("{} {said}", look.glyphs.needs_you), Role::NeedsYou);
    }
}

#[cfg(test)]
mod tests;
