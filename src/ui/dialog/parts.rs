//! Pieces that dialogs share: the row of keys, where a call stands, what it is called.

use crate::run::call::CallStatus;
use crate::run::control::{Control, Decision};
use crate::run::settings::Class;
use crate::store::CallRow;
use crate::ui::app::model::Model;
use crate::ui::dialog::scroll::Scroll;
use crate::ui::dialog::{Dialog, Shown, Step, answer, review, unsure};
use crate::ui::edit::Editor;
use crate::ui::feed::{Snapshot, Waiting};
use crate::ui::keys::{Action, Ctx};
use crate::ui::text::{Strength, one_line};
use crate::ui::theme::Role;
use crate::ui::view::Zone;
use crate::ui::view::paint::{Part, Pen, cells, part};
use crate::ui::words::numbers::grouped;
use crate::ui::words::reasons;
use ratatui::layout::Rect;

/// A key and what it does.
#[derive(Clone, Debug)]
pub struct KeyWords {
    /// What a click on it does; none of a note.
    action: Option<Action>,
    key: String,
    words: String,
    /// Words for where there is less room, and for where there is still less.
    short: Vec<String>,
    live: bool,
    /// It stands for no key.
    is_note: bool,
    need: Need,
}

/// How much a key is missed where there is no room for its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// Nobody gets on without it.
    Must,
    /// It is found without words.
    Bare,
    /// It can be left out: the help of the dialog has it.
    Aside,
}

/// The key of an action and what it does here; none if it has no key.
pub fn key(model: &Model, live: &[Ctx], action: Action, words: impl Into<String>) -> Option<KeyWords> {
    let key = model.look.keys.key_of(live, action)?;
    let (action, words) = (Some(action), words.into());
    Some(KeyWords { action, key, words, short: Vec::new(), live: true, is_note: false, need: Need::Must })
}

/// Words between the keys that belong to none.
pub fn note(words: String) -> Option<KeyWords> {
    let (words, key) = (String::new(), words);
    Some(KeyWords {
        action: None,
        key,
        words,
        short: Vec::new(),
        live: false,
        is_note: true,
        need: Need::Must,
    })
}

impl KeyWords {
    /// The same, drawn as not working yet.
    pub fn dead_unless(mut self, live: bool) -> Self {
        self.live = live;
        self
    }

    /// The same, with shorter words where there is less room; given again, those for still less room.
    pub fn or_short(mut self, short: impl Into<String>) -> Self {
        self.short.push(short.into());
        self
    }

    /// The same; its words are the first to go where there is less room, as it is found without them.
    pub fn bare_first(mut self) -> Self {
        self.need = Need::Bare;
        self
    }

    /// The same; where there is less room its words are the first to go, and then itself.
    pub fn aside(mut self) -> Self {
        self.need = Need::Aside;
        self
    }

    /// With its shorter words, if it has some: the first or the second ones.
    fn shorter(&self, nth: usize) -> Self {
        let short = self.short.get(nth).or(self.short.last());
        Self { words: short.unwrap_or(&self.words).clone(), ..self.clone() }
    }

    /// The key alone.
    fn bare(&self) -> Self {
        Self { words: String::new(), ..self.clone() }
    }

    fn parts(&self) -> [Part<'_>; 2] {
        let (key, words) = if self.live { (Role::Accent, Role::Base) } else { (Role::Muted, Role::Muted) };
        [
            part(key, self.key.as_str()),
            part(words, if self.words.is_empty() { String::new() } else { format!(" {}", self.words) }),
        ]
    }
}

/// Which rows of a text are shown, if not all of them: `14–26 / 151`.
pub fn position(model: &Model, scroll: &Scroll, shown: Shown) -> Option<KeyWords> {
    let all = shown.rows + shown.most;
    let top = scroll.top(all, shown.rows);
    let number = |n: usize| grouped(n as u64);
    let range = model.look.glyphs.range;
    let lines = format!("{}{range}{} / {}", number(top + 1), number(top + shown.rows), number(all));
    (shown.most > 0).then(|| note(lines)).flatten()
}

/// Keys, one after the other.
fn group(keys: &[KeyWords]) -> Vec<Part<'static>> {
    let mut parts: Vec<Part<'static>> = Vec::new();
    for one in keys {
        if !parts.is_empty() {
            parts.push(part(Role::Base, "  "));
        }
        parts.extend(one.parts().map(|p| part(p.role, p.text.into_owned())));
    }
    parts
}

/// The keys without the words of those from `from` on.
fn bare(keys: &[KeyWords], from: usize) -> Vec<KeyWords> {
    let one = |(nth, key): (usize, &KeyWords)| if nth < from { key.clone() } else { key.bare() };
    keys.iter().enumerate().map(one).collect()
}

/// The keys with their shorter words.
fn shorter(keys: &[KeyWords], nth: usize) -> Vec<KeyWords> {
    keys.iter().map(|key| key.shorter(nth)).collect()
}

/// What of the keys has room. Words are said shorter, those on the right first. Then the keys that are not missed lose their
/// words, notes go, the words on the right get shorter once more, and keys that stand aside go. Then words give way before
/// keys: those of the last keys on the left, those on the right, then all; only then keys, from the last one on the left.
fn fitted(mut left: Vec<KeyWords>, mut right: Vec<KeyWords>, room: usize) -> (Vec<KeyWords>, Vec<KeyWords>) {
    let fits = |left: &[KeyWords], right: &[KeyWords]| cells(&group(left)) + cells(&group(right)) + 2 <= room;
    if !fits(&left, &right) {
        right = shorter(&right, 0);
    }
    if !fits(&left, &right) {
        left = shorter(&left, 0);
    }
    for nth in (1..left.len()).rev() {
        if !fits(&left, &right) {
            let key = left.get_mut(nth).filter(|key| key.need != Need::Must);
            key.into_iter().for_each(|key| *key = key.bare());
        }
    }
    // The first key keeps its words while those on the right have theirs.
    let some = |left: &[KeyWords], right: &[KeyWords]| {
        (0..left.len().max(1)).any(|from| fits(&bare(left, from + 1), right))
    };
    if !some(&left, &right) {
        left.retain(|one| !one.is_note);
    }
    if !fits(&left, &right) {
        right = shorter(&right, 1);
    }
    while !fits(&left, &right) {
        let Some(nth) = left.iter().rposition(|key| key.need == Need::Aside) else { break };
        left.remove(nth);
    }
    let most = left.len().saturating_sub(1);
    let short = bare(&right, 0);
    let mut ways = (0..=most)
        .rev()
        .map(|from| (from + 1, &right))
        .chain((0..=left.len()).rev().map(|from| (from, &short)));
    match ways.find(|(from, right)| fits(&bare(&left, *from), right)) {
        Some((from, way)) => (bare(&left, from), way.clone()),
        None => {
            left = bare(&left, 0);
            while !fits(&left, &short) && left.pop().is_some() {}
            (left, short)
        }
    }
}

/// Draws the row of keys, as much of them as has room; gives whether its notes are among it.
pub fn keys(pen: &mut Pen<'_>, row: Rect, left: &[Option<KeyWords>], right: &[Option<KeyWords>]) -> bool {
    let own = |keys: &[Option<KeyWords>]| keys.iter().flatten().cloned().collect::<Vec<_>>();
    let notes =
        |left: &[KeyWords], right: &[KeyWords]| left.iter().chain(right).filter(|one| one.is_note).count();
    let (left, right) = (own(left), own(right));
    let wanted = notes(&left, &right);
    let (left, right) = fitted(left, right, usize::from(row.width));
    let own = u16::try_from(cells(&group(&right))).unwrap_or(u16::MAX);
    if left.is_empty() {
        pen.left(row, &group(&right));
        note_keys(pen, row, &right);
    } else {
        pen.ends(row, &group(&left), &group(&right));
        note_keys(pen, row, &left);
        if own < row.width {
            note_keys(pen, Rect { x: row.right() - own, width: own, ..row }, &right);
        }
    }
    wanted > 0 && notes(&left, &right) == wanted
}

/// Notes where keys stand that were drawn from the beginning of a row: each is a button.
fn note_keys(pen: &mut Pen<'_>, row: Rect, keys: &[KeyWords]) {
    let mut x = row.x;
    for one in keys {
        let own = u16::try_from(cells(&one.parts())).unwrap_or(u16::MAX);
        let width = own.min(row.right().saturating_sub(x));
        if let Some(action) = one.action {
            pen.note(Rect { x, width, ..row }, Zone::Key(action));
        }
        x = x.saturating_add(own).saturating_add(2).min(row.right());
    }
}

/// `14.3 · 1 of 2`: where a call stands among those that wait, with its run if that is not the one on the screen.
pub fn place(model: &Model, call: &CallRow) -> String {
    let all = model.waiting().count() as u64;
    let at = model.waiting().position(|waiting| same(&waiting.call, call)).map_or(1, |at| at as u64 + 1);
    let name = number(call);
    let name = if Some(&call.run) == model.run.as_ref() {
        name
    } else {
        format!("{name} {} {}", model.look.glyphs.dot, short(call))
    };
    if all > 1 { model.words().review.place(&name, at, all) } else { name }
}

/// `14.3`.
pub fn number(call: &CallRow) -> String {
    format!("{}.{}", call.step, call.position)
}

/// The beginning of its run's name, as lists have it.
fn short(call: &CallRow) -> String {
    call.run.as_str().chars().take(6).collect()
}

/// The tool's name, neutral.
pub fn tool(call: &CallRow) -> String {
    one_line(&call.tool, Strength::Exact).shown()
}

/// `14.3 shell`.
pub fn name(call: &CallRow) -> String {
    format!("{} {}", number(call), tool(call))
}

/// True if both are the same attempt at the same arguments.
pub fn same(one: &CallRow, other: &CallRow) -> bool {
    one.run == other.run
        && one.call_id == other.call_id
        && one.args_hash == other.args_hash
        && one.attempt == other.attempt
}

/// What became of a call that was shown as waiting: none if it waits as it did.
pub fn gone(model: &Model, shot: &Snapshot, shown: &CallRow) -> Option<String> {
    let waits = shot.waiting.iter().any(|w| same(&w.call, shown) && w.call.status == shown.status);
    if waits {
        return None;
    }
    let words = &model.words().review;
    let lang = model.look.lang;
    let row = shot.run.as_ref().and_then(|view| view.calls.iter().find(|row| row.call_id == shown.call_id));
    Some(match row {
        Some(row) if row.args_hash != shown.args_hash && row.status == shown.status => {
            words.stale_call.to_owned()
        }
        Some(row) => {
            let by = || row.decided_by.as_ref().map_or("wakeful".to_owned(), |author| lang.author(author));
            let default = row.by_default().map(|why| reasons::said(lang, why));
            let who = default.map_or_else(by, |why| one_line(&why, Strength::Prose).shown());
            let who = one_line(&who, Strength::Prose).shown();
            words.decided_by(lang.call_status(row.status), &who)
        }
        None => words.waits_no_more.to_owned(),
    })
}

/// A decision bound to what was shown.
pub fn decide(call: &CallRow, decision: Decision) -> Control {
    Control::Decide {
        call_id: call.call_id.clone(),
        args_hash: call.args_hash.clone(),
        attempt: call.attempt,
        decision,
    }
}

/// The dialog that a waiting call needs.
pub fn dialog_for(model: &Model, waiting: &Waiting) -> Box<dyn Dialog> {
    match (waiting.call.status, waiting.call.class) {
        (CallStatus::Uncertain, _) => unsure::UnsureDialog::new(model, waiting),
        (_, Class::Person) => answer::AnswerDialog::new(model, waiting),
        (_, Class::Read | Class::Keyed | Class::Effect | Class::Inner) => review::Review::new(model, waiting),
    }
}

/// The dialog of the waiting call after this one, in any run; words if there is none.
pub fn next(model: &Model, call: &CallRow) -> Step {
    let after = model.waiting().skip_while(|w| !same(&w.call, call)).nth(1);
    match after.or_else(|| model.waiting().find(|w| !same(&w.call, call))) {
        Some(waiting) => Step::Swap(dialog_for(model, waiting)),
        None => Step::Say(model.words().notes.nothing_else_waits.to_owned()),
    }
}

/// From when an edit of the goal or the plan is used: a run that is over has no step that is about to come.
pub fn used_from(model: &Model) -> String {
    let words = &model.words().goal;
    match model.ended_at() {
        Some(_) => words.use_when_on.to_owned(),
        None => words.use_from(model.next_request_step()),
    }
}

/// Says that a key does nothing here.
pub fn not_here(model: &Model) -> Step {
    Step::Say(model.words().notes.not_here.to_owned())
}

/// A text came back from the person's editor.
pub fn edited(edited: &Result<String, String>, editor: &mut Editor) -> Step {
    match edited {
        Ok(text) => {
            editor.set(text.strip_suffix('\n').unwrap_or(text));
            Step::Stay
        }
        Err(why) => Step::Say(one_line(why, Strength::Prose).shown()),
    }
}
