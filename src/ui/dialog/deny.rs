//! The dialog that denies a call, with a reason for the agent.

use super::flow::Flow;
use super::outside::Outside;
use super::parts::{self, KeyWords, key};
use super::review::brief;
use super::{Dialog, Posting, Shown, Step};
use crate::run::call::CallStatus;
use crate::run::control::{Author, Decision};
use crate::ui::app::model::{Drafts, Model};
use crate::ui::app::msg::Msg;
use crate::ui::edit::Editor;
use crate::ui::feed::Waiting;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, cut, one_line};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, part, row};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// Most rows of the field that the dialog asks for.
const ROWS: u16 = 8;
/// Most cells of the call in the title.
const TITLE: usize = 36;
/// Most earlier reasons.
const EARLIER: usize = 20;

/// The dialog.
#[derive(Debug)]
pub struct DenyDialog {
    /// What is denied, with one reason for all; those decided elsewhere leave it.
    calls: Vec<Waiting>,
    editor: Editor,
    /// What was written before, here and in other runs, the newest first; then some that are often given.
    earlier: Vec<String>,
    at: Option<usize>,
    outside: Outside,
    gone: Option<String>,
}

impl DenyDialog {
    /// The dialog about a call that waits for an approval or an answer.
    pub fn new(model: &Model, waiting: &Waiting) -> Box<dyn Dialog> {
        Self::all(model, vec![waiting.clone()])
    }

    /// The dialog about several of them.
    pub fn all(model: &Model, calls: Vec<Waiting>) -> Box<dyn Dialog> {
        let words = &model.words().deny;
        let mut earlier: Vec<String> = Vec::new();
        let known = model.view().map_or(&[][..], |view| view.calls.as_slice());
        let denied = known.iter().filter(|call| {
            call.status == CallStatus::Denied && matches!(call.decided_by, Some(Author::Person(_)))
        });
        let own = [words.wrong_approach, words.too_risky, words.not_now].map(str::to_owned);
        let said = model.reasons.iter().cloned().chain(denied.filter_map(|call| call.why.clone()));
        for reason in said.take(EARLIER).chain(own) {
            if !reason.trim().is_empty() && !earlier.contains(&reason) {
                earlier.push(reason);
            }
        }
        let draft =
            calls.iter().find_map(|one| model.drafts.reasons.get(&one.call.call_id).map(String::as_str));
        let editor = Editor::new(draft.unwrap_or_default());
        Box::new(Self { calls, editor, earlier, at: None, outside: Outside::default(), gone: None })
    }

    fn deny(&self, model: &mut Model) -> Step {
        let notes = &model.words().notes;
        let news = match self.calls.as_slice() {
            [one] => notes.denied(&parts::name(&one.call)),
            all => notes.denied_all(all.len() as u64),
        };
        let reason = self.editor.text().trim().to_owned();
        if !reason.is_empty() {
            model.reasons.retain(|one| *one != reason);
            model.reasons.insert(0, reason.clone());
            model.reasons.truncate(EARLIER);
        }
        for waiting in &self.calls {
            model.drafts.reasons.remove(&waiting.call.call_id);
        }
        let one = |waiting: &Waiting| Posting {
            run: waiting.call.run.clone(),
            control: parts::decide(&waiting.call, Decision::Deny { reason: reason.clone() }),
            news: news.clone(),
        };
        Step::PostAll(self.calls.iter().map(one).collect())
    }

    /// That the reason is too large for the window; empty if it is not.
    fn too_large(&self, model: &Model) -> Flow {
        let runs = self.calls.iter().map(|waiting| &waiting.call.run);
        let room = runs.filter_map(|run| model.room_of(run)).min();
        let mut flow = Flow::default();
        flow.too_large(model, self.editor.tokens(), room);
        flow
    }

    fn earlier(&mut self) {
        let next = self.at.map_or(0, |at| at + 1);
        if let Some(reason) = self.earlier.get(next) {
            self.editor.set(reason);
            self.at = Some(next);
        }
    }
}

impl Dialog for DenyDialog {
    fn live(&self) -> &'static [Ctx] {
        if self.gone.is_some() { live::SHOW } else { live::TEXT_RECALL }
    }

    fn decided(&self) -> Option<String> {
        self.gone.clone()
    }

    fn title(&self, model: &Model) -> (String, String) {
        let words = &model.words().deny;
        let [one] = self.calls.as_slice() else {
            return (words.title_all(self.calls.len() as u64), String::new());
        };
        let call = brief(&model.look, &one.call, &one.args.shown);
        let call = cut(&call, TITLE, model.look.glyphs.ellipsis);
        (words.title(&call), parts::number(&one.call))
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        self.editor.rows(width).min(ROWS) + 2 + self.too_large(model).height(width).max(1)
    }

    fn columns(&self) -> u16 {
        60
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        let words = &model.words().deny;
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let last = row(area, usize::from(area.height - 1));
        if let Some(gone) = &self.gone {
            if area.height > 1 {
                let text = format!("{} {gone}", model.look.glyphs.needs_you);
                pen.left(row(area, 0), &[part(Role::Warn, text)]);
            }
            parts::keys(
                &mut pen,
                last,
                &[],
                &[key(model, live::SHOW, Action::Back, model.words().review.close)],
            );
            return Shown { end: true, ..Shown::default() };
        }
        let keys = live::TEXT_RECALL;
        let enter = key(model, keys, Action::TextSubmit, words.deny);
        let line = key(model, keys, Action::TextNewline, model.words().new_run.new_line);
        let line = line.map(KeyWords::aside);
        let back = key(model, keys, Action::Back, words.back).map(|key| key.or_short(model.words().ask.back));
        parts::keys(&mut pen, last, &[enter, line], &[back]);
        // The field stays whatever the height; the words about it give way.
        let head = u16::from(area.height > 3);
        let large = self.too_large(model);
        let hints = large.height(area.width).max(1).min(area.height.saturating_sub(2));
        if head > 0 {
            pen.left(row(area, 0), &[part(Role::Base, words.agent_reads)]);
        }
        let height = area.height.saturating_sub(1 + head + hints);
        let field = Rect { y: area.y + head, height, ..area };
        let caret = self.editor.draw(&mut pen, field, true, "");
        let below = Rect { y: area.y + head + height, height: hints, ..area };
        if !large.is_empty() {
            large.draw_cut(&mut pen, below);
        } else if hints > 0 {
            let shown = self.earlier.iter().take(3).map(|r| one_line(r, Strength::Prose).shown());
            let all = shown.collect::<Vec<_>>().join(&format!(" {} ", model.look.glyphs.dot));
            let up = model.key(keys, Action::TextEarlier);
            let text = format!(" {} {all}", words.earlier);
            pen.left(row(below, 0), &[part(Role::Accent, up), part(Role::Muted, text)]);
        }
        Shown { end: true, rows: usize::from(height), caret, ..Shown::default() }
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        if self.gone.is_some() {
            return parts::not_here(model);
        }
        match hit.action {
            Action::TextSubmit | Action::TextSave => self.deny(model),
            Action::TextEarlier if self.editor.first_line() => {
                self.earlier();
                Step::Stay
            }
            Action::TextExternal => self.outside.send(model, self.editor.text(), "reason.txt"),
            _ if self.editor.act(hit) => Step::Stay,
            _ => parts::not_here(model),
        }
    }

    fn key(&mut self, key: &KeyEvent, _model: &mut Model) -> Step {
        self.editor.key(key);
        Step::Stay
    }

    fn paste(&mut self, text: &str, _model: &mut Model) -> Step {
        self.editor.insert(text);
        Step::Stay
    }

    fn put_down(&self, drafts: &mut Drafts) {
        let [one] = self.calls.as_slice() else { return };
        let reason = self.editor.text();
        if reason.trim().is_empty() || self.gone.is_some() {
            drafts.reasons.remove(&one.call.call_id);
        } else {
            drafts.reasons.insert(one.call.call_id.clone(), reason);
        }
    }

    fn leave(&mut self, model: &mut Model) -> Option<String> {
        self.put_down(&mut model.drafts);
        None
    }

    fn told(&mut self, msg: &Msg, model: &mut Model) -> Step {
        match msg {
            Msg::Edited(..) => return self.outside.back(msg, Some(&mut self.editor)).unwrap_or(Step::Stay),
            Msg::Shot(shot) => {
                let gone = |waiting: &Waiting| parts::gone(model, shot, &waiting.call);
                match self.calls.iter().map(gone).collect::<Option<Vec<_>>>() {
                    // None waits any more: what became of the last one is said.
                    Some(all) => self.gone = all.last().cloned(),
                    None => self.calls.retain(|waiting| gone(waiting).is_none()),
                }
            }
            _ => {}
        }
        Step::Stay
    }
}
