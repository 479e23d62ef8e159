//! The lines below the panels: the message to the agent, what is saved and who works, the keys.

mod queue;

use super::head::{needs_you, padded, plain, runs_in_need};
use super::paint::{Part, Pen, cells, part, row};
use super::{Drawn, Zone, size};
use crate::run::settings::Class;
use crate::run::{CallStatus, Outcome, Status};
use crate::ui::app::lists::acted_on;
use crate::ui::app::model::Model;
use crate::ui::feed::RunView;
use crate::ui::keys::{Action, Ctx, Hint, live};
use crate::ui::layout::{Layout, Panel, Size};
use crate::ui::text::cut;
use crate::ui::theme::Role;
use crate::ui::words::numbers::{disk, time_of_day};
use ratatui::layout::Rect;

/// Rows of the message field.
pub fn message_rows(model: &Model, width: u16) -> u16 {
    let own = if model.message.open { model.message.editor.rows(width.saturating_sub(4)).max(1) } else { 1 };
    own.saturating_add(u16::from(queue::newest(model).is_some()))
}

/// The message field: while it is not typed in, one line with what was left in it, or how to write.
pub fn message(model: &Model, places: &Layout, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let mut place = padded(places.message);
    // A run that cannot be read takes no message.
    if place.height == 0 || place.width == 0 || model.unread().is_some() {
        return;
    }
    if let Some(queued) = queue::newest(model) {
        let alone = place.height == 1;
        // With one row, what is written or was left unsent comes first.
        if !alone || !model.message.open && model.message.editor.is_empty() {
            queue::draw(model, queued, row(place, 0), pen);
        }
        if alone && !model.message.open && model.message.editor.is_empty() {
            return;
        }
        let above = u16::from(!alone);
        place = Rect { y: place.y + above, height: place.height - above, ..place };
    }
    drawn.zones.push((place, Zone::Message));
    let prompt = model.look.glyphs.prompt;
    pen.left(row(place, 0), &[part(if model.message.open { Role::Accent } else { Role::User }, prompt)]);
    let (words, key) = (model.words().header, model.key(live::RUN, Action::Message));
    let hint = match model.view() {
        Some(view) if places.size == Size::Full && view.state.ledger.ended.is_none() => {
            words.message_before(u64::from(view.state.next_request_step()), &key)
        }
        Some(_) | None => words.message(&key),
    };
    let field = Rect { x: (place.x + 2).min(place.right()), width: place.width.saturating_sub(2), ..place };
    if model.message.open {
        let field = Rect { x: field.x.saturating_sub(1), width: (field.width + 1).min(place.width), ..field };
        drawn.caret = model.message.editor.draw(pen, field, true, "");
        return;
    }
    let text = model.message.editor.text();
    if text.is_empty() {
        pen.left(row(field, 0), &[part(Role::Muted, hint)]);
    } else {
        let draft = [part(Role::User, plain(&text)), part(Role::Muted, format!(" ({key})"))];
        pen.left(row(field, 0), &draft);
    }
}

/// Short news, and before it that what is being written is too large, as long as it is: no news may hide that.
fn news(model: &Model) -> Vec<Part<'static>> {
    let open = Some(&model.message).filter(|message| message.open);
    let large = open.and_then(|field| size::too_large(model, field.editor.tokens(), model.message_room()));
    let news = model.news.as_ref().filter(|news| news.until > model.clock.mono);
    let gap = if large.is_some() { "  " } else { "" };
    let news = news.map(|news| part(Role::Accent, format!("{gap}{}", news.words)));
    large.map(|large| part(Role::Danger, large)).into_iter().chain(news).collect()
}

/// What is saved, who works, other runs; while there is short news, that instead.
pub fn saved(model: &Model, places: &Layout, pen: &mut Pen<'_>, _drawn: &mut Drawn) {
    let place = padded(row(places.saved, 0));
    if model.news.as_ref().is_some_and(|news| news.until > model.clock.mono) {
        pen.left(place, &news(model));
        return;
    }
    let words = model.words().header;
    let mut left = Vec::new();
    if let Some(size) = message_size(model) {
        let room = usize::from(place.width).saturating_sub(cells(std::slice::from_ref(&size)) + 2);
        // What is being written comes first: of the other runs nothing is said where there is no room beside it.
        let runs = other_runs(model, room);
        let runs = if cells(&runs) > room { Vec::new() } else { runs };
        pen.ends(place, &[size], &runs);
        return;
    }
    if !model.sent.is_empty() {
        left.push(words.sending.to_owned());
    }
    if let Some(view) = model.view() {
        left.push(when_saved(model, view, places.size));
        left.extend(worker(model, view, places.size));
    }
    if places.size >= Size::Quad {
        if places.size == Size::Full
            && let Some(view) = model.view()
        {
            left.push(words.journal(view.state.head.seq));
        }
        left.extend(model.shot.as_ref().map(|shot| words.database(&disk(shot.db_bytes))));
    }
    let sign = format!(" {} ", model.look.glyphs.dot);
    let left = [part(Role::Muted, left.join(&sign))];
    let right = other_runs(model, usize::from(place.width).saturating_sub(cells(&left) + 2));
    pen.ends(place, &left, &right);
}

/// How large the message is that is being written, and whether the window can take it.
fn message_size(model: &Model) -> Option<Part<'static>> {
    let message = Some(&model.message).filter(|message| message.open && !message.editor.is_empty())?;
    Some(size::of(model, message.editor.tokens(), model.message_room()))
}

fn when_saved(model: &Model, view: &RunView, size: Size) -> String {
    let words = model.words().header;
    let point = view.checkpoints.last().map(|row| &row.checkpoint);
    if size == Size::Full {
        return point.map_or_else(
            || words.not_saved.to_owned(),
            |point| words.saved_at(&time_of_day(point.at, &model.look.zone), u64::from(point.step)),
        );
    }
    // Every event is saved when it happens; the list of runs knows when the last one did.
    let runs = model.shot.as_ref().map_or(&[][..], |shot| shot.runs.as_slice());
    let at = runs.iter().find(|row| row.id == view.state.run).map(|row| row.updated);
    at.or(point.map(|point| point.at))
        .map_or_else(|| words.not_saved.to_owned(), |at| words.saved(&time_of_day(at, &model.look.zone)))
}

/// Who works at the run, and what nobody has taken yet.
fn worker(model: &Model, view: &RunView, size: Size) -> Vec<String> {
    let words = model.words().header;
    let here = model.working.contains(&view.state.run);
    let owner = view.state.ledger.owner.as_ref().filter(|_| view.alive);
    let pid = u64::from(model.pid);
    let mut said = Vec::new();
    if here {
        let runs = u64::try_from(model.working.len()).unwrap_or(u64::MAX);
        said.push(match size {
            Size::Full => words.worker_owns(pid, runs),
            Size::Quad => words.worker_pid(pid),
            Size::Tabs | Size::Tiny | Size::TooSmall => words.worker_here.to_owned(),
        });
    } else if let Some(owner) = owner {
        let name = plain(owner.worker.as_str());
        said.push(words.worker_elsewhere(&cut(&name, 24, model.look.glyphs.ellipsis)));
    } else if view.state.ledger.ended.is_none() {
        let none = if model.beside.runs_alone(view) { words.worker_gone } else { words.worker_none };
        said.push(none.to_owned());
        if view.pending > 0 {
            said.push(words.asks_pending(u64::try_from(view.pending).unwrap_or(u64::MAX)));
        }
    }
    said
}

/// How all runs stand, in so many cells: what needs the person, what is at work, what stands still, what has ended.
fn other_runs(model: &Model, room: usize) -> Vec<Part<'static>> {
    let words = model.words().header;
    let runs = model.shot.as_ref().map_or(&[][..], |shot| shot.runs.as_slice());
    let of = |statuses: &[&str]| {
        let rest = runs.iter().filter(|row| !needs_you(model, row));
        rest.filter(|row| statuses.contains(&row.status.as_str())).count()
    };
    let need = runs_in_need(model);
    // What waits for the server is at work.
    let work = of(&["running", "waiting"]);
    let ended = of(&["completed", "limit", "failed", "cancelled"]);
    let still = [(of(&["paused"]), Say::Paused), (of(&["interrupted"]), Say::Interrupted)];
    let all = |with_still: bool| {
        let mut counts = vec![(need, Say::Need), (work, Say::Work)];
        counts.extend(still.into_iter().filter(|_| with_still));
        counts.push((ended, Say::Ended));
        let mut right: Vec<Part<'static>> = Vec::new();
        for (n, say) in counts.into_iter().filter(|(n, _)| *n > 0) {
            let count = u64::try_from(n).unwrap_or(u64::MAX);
            let (role, text) = match say {
                Say::Need => (Role::NeedsYou, words.runs_need_you(count)),
                Say::Work => (Role::Muted, words.runs_work(count)),
                Say::Paused => (Role::Muted, words.runs_paused(count)),
                Say::Interrupted => (Role::Muted, words.runs_interrupted(count)),
                Say::Ended => (Role::Muted, words.runs_ended(count)),
            };
            let text = match (right.is_empty(), need > 0) {
                (true, true) => text,
                (true, false) => words.runs_first(&text),
                (false, _) => format!(" {} {text}", model.look.glyphs.dot),
            };
            right.push(part(role, text));
        }
        right
    };
    let whole = all(true);
    if cells(&whole) <= room { whole } else { all(false) }
}

/// A count of runs.
#[derive(Clone, Copy)]
enum Say {
    Need,
    Work,
    Paused,
    Interrupted,
    Ended,
}

/// The keys that are live on the run's screen.
pub fn live_keys(model: &Model) -> &'static [Ctx] {
    if model.message.open {
        return live::TEXT_RECALL;
    }
    match model.focus {
        Panel::Loop => live::RUN_LOOP,
        Panel::Queue => live::RUN_QUEUE,
        Panel::Checkpoints => live::RUN_CHK,
        Panel::Context | Panel::Plan | Panel::Runs => live::RUN,
    }
}

/// Actions about the shown run.
const OF_RUN: [Action; 19] = [
    Action::Review,
    Action::ReviewMarked,
    Action::Mark,
    Action::Deny,
    Action::EditArgs,
    Action::PauseToggle,
    Action::PauseNow,
    Action::TimeoutExtend,
    Action::Message,
    Action::MessageBack,
    Action::MessageNow,
    Action::GoalEdit,
    Action::PlanEdit,
    Action::RollbackPreview,
    Action::RollbackRedo,
    Action::Compare,
    Action::RequestShow,
    Action::LimitsEdit,
    Action::RunCancel,
];

/// Whether an action can do something now; only such keys are shown.
pub fn available(model: &Model, action: Action) -> bool {
    let Some(view) = model.view() else { return without_run(model, action) };
    let state = &view.state;
    let status = state.status();
    let waits = matches!(status, Status::Waiting(_));
    let asks = || acted_on(model).is_some_and(|waiting| waiting.call.status == CallStatus::Waiting);
    let here = model.waiting_here().next().is_some();
    let conditions: [(&[Action], bool); 15] = [
        (&[Action::MessageBack, Action::MessageNow], !view.queued.is_empty()),
        (&[Action::Review], here || state.ledger.hold.is_some() && waits),
        (&[Action::Mark], here),
        // What nobody knows the end of is neither denied nor changed.
        (&[Action::Deny, Action::EditArgs], here && asks()),
        (&[Action::ReviewMarked], !model.lists.marked.is_empty()),
        (
            &[Action::PauseToggle],
            !matches!(status, Status::Ended(_)) || has_failed(&status) || model.reopens(),
        ),
        (&[Action::RunCancel], !matches!(status, Status::Ended(_))),
        (&[Action::PauseNow], matches!(status, Status::Running)),
        (&[Action::TimeoutExtend], state.open_here().any(|call| call.status == CallStatus::Started)),
        (&[Action::RollbackPreview, Action::Compare], view.checkpoints.len() > 1),
        (&[Action::RollbackRedo], !state.ledger.redo.is_empty()),
        (&[Action::RequestShow], view.asked.is_some()),
        (&[Action::AttentionNext], waits || model.waiting().next().is_some()),
        (&[Action::BannerOpen], super::banners::has_banner(model)),
        (&[Action::RunPrev, Action::RunNext], model.shot.as_ref().is_some_and(|shot| shot.runs.len() > 1)),
    ];
    conditions.iter().find(|(actions, _)| actions.contains(&action)).is_none_or(|(_, can)| *can)
}

/// The same while no run is read: nothing that is about one.
fn without_run(model: &Model, action: Action) -> bool {
    // A panel that shows why nothing is read has no rows.
    let rows = [Action::FollowToggle, Action::FoldAll, Action::WrapToggle, Action::ThinkingToggle];
    let conditions = [
        (&OF_RUN[..], false),
        (&rows[..], model.unread().is_none()),
        (&[Action::AttentionNext][..], model.waiting().next().is_some()),
        (&[Action::BannerOpen][..], super::banners::has_banner(model)),
    ];
    conditions.iter().find(|(actions, _)| actions.contains(&action)).is_none_or(|(_, can)| *can)
}

/// Whether the model or its server ended the run, which can be tried again.
fn has_failed(status: &Status) -> bool {
    matches!(status, Status::Ended(Outcome::Failed(_)))
}

/// Whether the key that pauses lets the run go on now.
fn goes_on(model: &Model) -> bool {
    model.view().is_some_and(|view| match view.state.status() {
        Status::Paused => true,
        Status::Waiting(_) => view.state.ledger.hold.is_some(),
        // Interrupted: somebody who has it goes on.
        Status::Running => !view.alive && !model.working.contains(&view.state.run),
        Status::Ended(_) => model.reopens(),
    })
}

/// The keys. While a dialog is open it shows its own.
pub fn keys(model: &Model, places: &Layout, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let place = padded(places.keys);
    if place.height == 0 || !model.layers.is_empty() {
        return;
    }
    // Where there is no other line for them, news stand in the place of the keys.
    let news = if places.saved.height == 0 { news(model) } else { Vec::new() };
    if !news.is_empty() {
        pen.left(place, &news);
        return;
    }
    let (left, right) = if model.message.open {
        let keys = &model.look.keys;
        let help = keys.hint(live::TEXT_RECALL, Action::TextHelp, model.look.lang);
        (typing(model), help.into_iter().collect())
    } else {
        let footer = model.look.keys.footer(live_keys(model), model.look.lang, |action| {
            (action != Action::PlanEdit || model.focus == Panel::Plan) && available(model, action)
        });
        let mut left = footer.left;
        // The panel itself shows what it can do with its rows; what acts on the run stands first.
        let own = [Action::FollowToggle, Action::FoldAll, Action::WrapToggle];
        left.sort_by_key(|hint| own.contains(&hint.action));
        let notes = &model.words().notes;
        let failed = model.view().is_some_and(|view| has_failed(&view.state.status()));
        let goes = if failed { Some(notes.try_again) } else { goes_on(model).then_some(notes.go_on) };
        if let Some(words) = goes {
            left.iter_mut()
                .filter(|hint| hint.action == Action::PauseToggle)
                .for_each(|hint| hint.words = words);
        }
        // A question is answered, and has no arguments that a person would edit.
        if acted_on(model).is_some_and(|waiting| waiting.call.class == Class::Person) {
            left.retain(|hint| hint.action != Action::EditArgs);
            let review = left.iter_mut().find(|hint| hint.action == Action::Review);
            review.into_iter().for_each(|hint| hint.words = model.words().review.answer);
        }
        (left, footer.right)
    };
    let own = right.iter().map(hint_cells).sum::<usize>() + right.len().saturating_sub(1) * 2;
    let room = usize::from(place.width).saturating_sub(own + 2 * usize::from(own > 0));
    draw_hints(&left, Rect { width: u16::try_from(room).unwrap_or(place.width), ..place }, pen, drawn);
    let own = u16::try_from(own).unwrap_or(u16::MAX).min(place.width);
    draw_hints(&right, Rect { x: place.right() - own, width: own, ..place }, pen, drawn);
}

fn hint_cells(hint: &Hint) -> usize {
    cells(&hint_parts(hint))
}

fn hint_parts(hint: &Hint) -> [Part<'static>; 2] {
    [part(Role::Accent, hint.keys.clone()), part(Role::Base, format!(" {}", hint.words))]
}

/// Hints from the left; those that have no room are left out.
fn draw_hints(hints: &[Hint], place: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let mut x = place.x;
    for hint in hints {
        let room = place.right().saturating_sub(x);
        let own = u16::try_from(hint_cells(hint)).unwrap_or(u16::MAX);
        if own > room {
            continue;
        }
        let place = Rect { x, width: own, ..place };
        pen.left(place, &hint_parts(hint));
        drawn.zones.push((place, Zone::Key(hint.action)));
        x = x.saturating_add(own).saturating_add(2);
    }
}

fn typing(model: &Model) -> Vec<Hint> {
    let actions =
        [Action::TextSubmit, Action::TextNewline, Action::TextEarlier, Action::TextExternal, Action::Back];
    actions
        .into_iter()
        .filter_map(|action| model.look.keys.hint(live::TEXT_RECALL, action, model.look.lang))
        .collect()
}
