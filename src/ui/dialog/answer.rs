//! The dialog for a call that asks a person: a question, or a decision among options.

use super::flow::Flow;
use super::outside::Outside;
use super::parts::{self, KeyWords, key};
use super::scroll::Scroll;
use super::text::TextDialog;
use super::{Dialog, Shown, Step};
use crate::run::CallStatus;
use crate::run::control::Decision;
use crate::store::CallRow;
use crate::tool::{AskArgs, DecideArgs};
use crate::ui::app::model::{Drafts, Model};
use crate::ui::app::msg::{Cmd, Msg, Ticket};
use crate::ui::app::written::to_message;
use crate::ui::dialog::guard::Guard;
use crate::ui::edit::Editor;
use crate::ui::feed::{Snapshot, Waiting};
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Line, Strength, Wrap, neutral, one_line};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, row};
use crate::ui::words::numbers::{clock, hour_minute};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use std::time::Instant;

/// Most rows of the field that the dialog asks for.
const ROWS: u16 = 8;

/// What is asked.
#[derive(Debug)]
enum Asked {
    /// It is being read.
    Reading,
    /// It cannot be read; neutral.
    Broken(String),
    /// A question, with likely answers.
    Question(AskArgs),
    /// A decision.
    Decision(DecideArgs),
    /// A call whose arguments are of neither kind: as they stand.
    Raw(String),
}

impl Asked {
    fn of(args: &str) -> Self {
        if let Ok(mut decide) = serde_json::from_str::<DecideArgs>(args) {
            if let Some(advised) = advised(&decide).and_then(|nth| decide.options.get(nth)) {
                decide.recommendation = advised.title.clone();
            }
            return Asked::Decision(decide);
        }
        match serde_json::from_str::<AskArgs>(args) {
            Ok(ask) => Asked::Question(ask),
            Err(_) => Asked::Raw(super::review::pretty(args)),
        }
    }

    /// The answers to choose from.
    fn options(&self) -> Vec<&str> {
        match self {
            Asked::Question(ask) => ask.options.iter().map(String::as_str).collect(),
            Asked::Decision(decide) => decide.options.iter().map(|option| option.title.as_str()).collect(),
            Asked::Reading | Asked::Broken(_) | Asked::Raw(_) => Vec::new(),
        }
    }
}

/// The option that the agent would take: it names its title, or its number from 1.
fn advised(decide: &DecideArgs) -> Option<usize> {
    let said = decide.recommendation.trim();
    let named = decide.options.iter().position(|option| option.title.trim() == said);
    let number = || said.parse::<usize>().ok()?.checked_sub(1).filter(|nth| *nth < decide.options.len());
    named.or_else(number)
}

/// The dialog.
#[derive(Debug)]
pub struct AnswerDialog {
    waiting: Waiting,
    asked: Asked,
    /// The marked option; the one after the last is "in my words".
    marked: usize,
    /// The person's own words are typed.
    typing: Option<Editor>,
    scroll: Scroll,
    first: Guard,
    reading: Option<Ticket>,
    outside: Outside,
    /// What was written or chosen before and not sent.
    draft: Option<String>,
    /// It is over, by whom; neutral.
    gone: Option<String>,
    /// What was decided then, as it was said.
    decided: Option<String>,
}

impl AnswerDialog {
    /// The dialog about a call that waits for an answer.
    pub fn new(model: &Model, waiting: &Waiting) -> Box<dyn Dialog> {
        let mut dialog = Self {
            draft: model.drafts.answers.get(&waiting.call.call_id).cloned(),
            waiting: waiting.clone(),
            asked: Asked::Reading,
            marked: 0,
            typing: None,
            scroll: Scroll::default(),
            first: Guard::default(),
            reading: None,
            outside: Outside::default(),
            gone: None,
            decided: None,
        };
        if !waiting.args.is_part() {
            dialog.take(&waiting.args.shown);
        }
        Box::new(dialog)
    }

    fn take(&mut self, args: &str) {
        self.asked = Asked::of(args);
        if let Asked::Decision(decide) = &self.asked {
            let advised = decide.options.iter().position(|option| option.title == decide.recommendation);
            self.marked = advised.unwrap_or(0);
        }
        let draft = self.draft.take();
        let chosen = draft.as_ref().and_then(|text| self.asked.options().iter().position(|one| one == text));
        match (chosen, draft) {
            (Some(chosen), _) => self.marked = chosen,
            (None, Some(draft)) => self.typing = Some(Editor::new(&draft)),
            (None, None) if self.asked.options().is_empty() => self.typing = Some(Editor::default()),
            (None, None) => {}
        }
    }

    fn is_check(&self) -> bool {
        self.waiting.call.why.as_deref() == Some("an acceptance check asks you")
    }

    /// What is asked, and the options; with it the row at which each of them begins.
    fn body(&self, model: &Model, width: u16) -> (Flow, Vec<usize>) {
        let mut flow = Flow::default();
        let words = &model.words().decision;
        if let Some(gone) = &self.gone {
            flow.words(&format!("{} {gone}", model.look.glyphs.needs_you), Role::Warn);
            if let Some(decided) = &self.decided {
                let label = words.decided;
                let mut lines = neutral(decided, Strength::Prose).lines.into_iter();
                let cells = crate::ui::text::width(label) + 2;
                flow.labelled(label, cells, lines.next().unwrap_or_default(), Role::Accent);
                lines.for_each(|line| flow.labelled("", cells, line, Role::Accent));
            }
            flow.blank();
        }
        match &self.asked {
            Asked::Reading => flow.words(model.words().review.loading, Role::Muted),
            Asked::Broken(why) => flow.words(why, Role::Danger),
            Asked::Raw(text) => flow.exact(text, Role::Agent),
            Asked::Question(ask) => flow.prose(&ask.question, Role::Agent),
            Asked::Decision(decide) => {
                let goal = one_line(&decide.goal, Strength::Prose);
                flow.labelled(words.goal, crate::ui::text::width(words.goal) + 2, goal, Role::Goal);
                flow.prose(&decide.why, Role::Agent);
            }
        }
        // What is over has nothing to choose from.
        if self.typing.is_some() || self.gone.is_some() {
            return (flow, Vec::new());
        }
        let options = self.asked.options().len();
        let mut at = Vec::new();
        for nth in 0..=options {
            at.push(flow.rows(width).len());
            flow.item(Some(nth));
            if nth < options {
                self.option(model, nth, &mut flow);
            } else if options > 0 {
                let own = model.key(live::OPT, Action::OptionOwn);
                self.entry(model, nth, &own, Line::plain(words.own_words), &mut flow);
            }
        }
        flow.item(None);
        if options > 0 {
            flow.words(&self.without_answer(model), Role::Muted);
        }
        (flow, at)
    }

    /// What becomes of it if nobody answers.
    fn without_answer(&self, model: &Model) -> String {
        let words = &model.words().decision;
        let (Asked::Decision(decide), Some(default)) = (&self.asked, model.default_of(&self.waiting.call))
        else {
            return words.it_waits.to_owned();
        };
        let advised = advised(decide).map_or(0, |nth| nth as u64 + 1);
        let left = u64::try_from(default.at.saturating_sub(model.clock.wall)).unwrap_or(0);
        words.by_default(advised, &hour_minute(default.at, &model.look.zone), &clock(left))
    }

    fn option(&self, model: &Model, nth: usize, flow: &mut Flow) {
        let mut line = match &self.asked {
            Asked::Decision(decide) => {
                let Some(option) = decide.options.get(nth) else { return };
                let mut line = one_line(&option.title, Strength::Prose).into_owned();
                line.pieces.extend(Line::plain("  ").pieces);
                line.pieces.extend(one_line(&option.effect_on_goal, Strength::Prose).into_owned().pieces);
                if option.title == decide.recommendation {
                    line.pieces.extend(Line::plain(format!("  {}", model.words().decision.advised)).pieces);
                }
                line
            }
            Asked::Question(ask) => {
                let Some(option) = ask.options.get(nth) else { return };
                one_line(option, Strength::Prose).into_owned()
            }
            Asked::Reading | Asked::Broken(_) | Asked::Raw(_) => return,
        };
        let number = if nth < 9 { (nth + 1).to_string() } else { " ".to_owned() };
        self.entry(model, nth, &number, std::mem::take(&mut line), flow);
    }

    fn entry(&self, model: &Model, nth: usize, key: &str, line: Line<'_>, flow: &mut Flow) {
        let here = nth == self.marked;
        let mark = if here { model.look.glyphs.selected } else { " " };
        let first = format!("{mark}{key} ");
        let next = " ".repeat(crate::ui::text::width(&first));
        flow.guttered(&first, &next, line, if here { Role::Accent } else { Role::Base }, Wrap::Words);
    }

    /// That the person's words are too large for the window; empty if they are not.
    fn too_large(&self, model: &Model) -> Flow {
        let mut flow = Flow::default();
        if let Some(editor) = self.typing.as_ref().filter(|_| self.gone.is_none()) {
            flow.too_large(model, editor.tokens(), model.room_of(&self.waiting.call.run));
        }
        flow
    }

    fn answer(&mut self, model: &Model, text: String) -> Step {
        if self.first.is_too_soon(model.clock.mono) {
            return Step::Say(model.words().review.too_soon.to_owned());
        }
        Step::Post {
            run: self.waiting.call.run.clone(),
            control: parts::decide(&self.waiting.call, Decision::Answer { text }),
            news: model.words().notes.answered(&parts::name(&self.waiting.call)),
        }
    }

    fn choose(&mut self, model: &Model) -> Step {
        let option = self.asked.options().get(self.marked).map(|text| (*text).to_owned());
        match option {
            Some(text) => self.answer(model, text),
            None => {
                self.typing = Some(Editor::default());
                Step::Stay
            }
        }
    }

    fn typed(&mut self, hit: Hit, model: &mut Model) -> Step {
        let Some(editor) = &mut self.typing else { return Step::Stay };
        match hit.action {
            Action::TextSubmit | Action::TextSave => match editor.text().trim() {
                "" => Step::Say(model.words().review.empty_answer.to_owned()),
                text => {
                    let text = text.to_owned();
                    self.answer(model, text)
                }
            },
            Action::TextExternal => self.outside.send(model, editor.text(), "answer.txt"),
            _ if editor.act(hit) => Step::Stay,
            _ => parts::not_here(model),
        }
    }

    /// Marks another option and brings it into view.
    fn mark(&mut self, to: usize, model: &Model) {
        self.marked = to.min(self.asked.options().len());
        let width = self.scroll.width();
        let (flow, at) = self.body(model, width);
        let from = at.get(self.marked).copied().unwrap_or(0);
        let after = at.get(self.marked + 1).copied().unwrap_or(flow.rows(width).len());
        // Its end first: where it is higher than the page, its beginning is what is seen.
        self.scroll.to(after.saturating_sub(1));
        self.scroll.to(from);
    }
}

/// What was said on a call that waits no more: the answer without the note that it was taken by default, or the reason of
/// a denial.
fn said(shot: &Snapshot, call: &CallRow) -> Option<String> {
    let row = shot.run.as_ref()?.calls.iter().find(|row| row.call_id == call.call_id)?;
    let text = match row.status {
        CallStatus::Done => row.result.as_ref()?.inline()?,
        CallStatus::Denied => row.why.as_deref()?,
        CallStatus::Proposed
        | CallStatus::Waiting
        | CallStatus::Approved
        | CallStatus::Started
        | CallStatus::Failed
        | CallStatus::Rejected
        | CallStatus::Cancelled
        | CallStatus::Uncertain => return None,
    };
    let text = match row.by_default() {
        Some(_) => text.rsplit_once("\n[").map_or(text, |(said, _)| said),
        None => text,
    };
    (!text.trim().is_empty()).then(|| text.to_owned())
}

impl Dialog for AnswerDialog {
    fn live(&self) -> &'static [Ctx] {
        match (&self.gone, &self.typing, &self.asked) {
            (Some(_), _, _) | (None, None, Asked::Reading | Asked::Broken(_)) => live::SHOW,
            (None, Some(_), _) => live::TEXT,
            (None, None, _) => live::OPT,
        }
    }

    fn decided(&self) -> Option<String> {
        self.gone.clone()
    }

    fn title(&self, model: &Model) -> (String, String) {
        let words = &model.words().review;
        let title = match &self.asked {
            Asked::Decision(_) => model.words().decision.title,
            _ if self.is_check() => words.check_asks,
            Asked::Reading | Asked::Broken(_) | Asked::Question(_) | Asked::Raw(_) => words.agent_asks,
        };
        (title.to_owned(), parts::place(model, &self.waiting.call))
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        let field = self.typing.as_ref().map_or(0, |editor| editor.rows(width).min(ROWS));
        let large = self.too_large(model).height(width);
        self.body(model, width).0.height(width).saturating_add(field + large).saturating_add(1)
    }

    fn columns(&self) -> u16 {
        70
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let words = &model.words().decision;
        let live = self.live();
        let key = |action, words: &str| key(model, live, action, words);
        let last = row(area, usize::from(area.height - 1));
        let left = if self.gone.is_some() {
            Vec::new()
        } else if self.typing.is_some() {
            vec![
                key(Action::TextSubmit, model.words().review.answer),
                key(Action::TextNewline, model.words().new_run.new_line).map(KeyWords::aside),
            ]
        } else {
            // The key of one's own words stands with them, in the list.
            vec![
                key(Action::OptionPick, words.choose),
                key(Action::Open, words.decide),
                key(Action::RequestShow, words.what_it_knows).map(KeyWords::aside),
            ]
        };
        let large = self.too_large(model);
        let warns = large.height(area.width).min(area.height.saturating_sub(3));
        let room = area.height - 1 - warns;
        let (flow, at) = self.body(model, area.width);
        let field = self.typing.as_ref().map_or(0, |editor| {
            let wanted = editor.rows(area.width).clamp(1, ROWS);
            wanted.min((room / 2).max(1)).min(room)
        });
        let text = Rect { height: room - field, ..area };
        let mut shown = self.scroll.shown(flow.rows(area.width).len(), text);
        flow.draw(
            &mut pen,
            text,
            self.scroll.top(usize::from(flow.height(area.width)), usize::from(text.height)),
        );
        let top = self.scroll.top(usize::from(flow.height(area.width)), usize::from(text.height));
        // Options that are not in view, not even in part, are counted.
        let hidden = at.iter().filter(|from| **from >= top + usize::from(text.height)).count();
        let more = (hidden > 0).then(|| parts::note(format!("{} {hidden}", pen.look.glyphs.down))).flatten();
        let leave = match (&self.gone, &self.typing) {
            (None, _) => words.later,
            (Some(_), Some(editor)) if !editor.text().trim().is_empty() => words.to_message,
            (Some(_), Some(_) | None) => model.words().ask.close,
        };
        let back = key(Action::Back, leave).map(|key| key.or_short(model.words().review.later));
        // It counts options, which tell more than rows.
        if parts::keys(&mut pen, last, &left, &[more, back]) {
            shown.hidden.1 = 0;
        }
        let below = text.y + flow.height(area.width).min(text.height);
        if let Some(editor) = &self.typing {
            let place = Rect { y: below, height: field, ..area };
            shown.caret = editor.draw(&mut pen, place, self.gone.is_none(), model.words().review.your_answer);
            large.draw_cut(&mut pen, Rect { y: place.bottom(), height: warns, ..area });
        }
        shown
    }

    fn click(&mut self, _field: usize, row: usize, model: &mut Model) -> Step {
        if self.marked == row {
            return self.act(Hit { action: Action::Open, nth: 0 }, model);
        }
        self.mark(row, model);
        Step::Stay
    }

    fn drawn(&mut self, shown: Shown, at: Instant) {
        self.first.drawn(at);
        self.scroll.was_drawn(shown);
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        if self.gone.is_some() || matches!(self.asked, Asked::Reading | Asked::Broken(_)) {
            self.scroll.act(hit.action);
            return Step::Stay;
        }
        if self.typing.is_some() {
            return self.typed(hit, model);
        }
        let options = self.asked.options().len();
        match hit.action {
            Action::LineDown => self.mark((self.marked + 1).min(options), model),
            Action::LineUp => self.mark(self.marked.saturating_sub(1), model),
            Action::OptionPick if hit.nth < options => self.mark(hit.nth, model),
            Action::Open => return self.choose(model),
            Action::OptionOwn => self.typing = Some(Editor::default()),
            Action::RequestShow => {
                let (run, step) = (self.waiting.call.run.clone(), self.waiting.call.step);
                return Step::Open(TextDialog::knows(model, run, step));
            }
            other if self.scroll.act(other) => {}
            _ => return parts::not_here(model),
        }
        Step::Stay
    }

    fn key(&mut self, key: &KeyEvent, _model: &mut Model) -> Step {
        if let Some(editor) = &mut self.typing {
            editor.key(key);
        }
        Step::Stay
    }

    fn paste(&mut self, text: &str, _model: &mut Model) -> Step {
        if let Some(editor) = &mut self.typing {
            editor.insert(text);
        }
        Step::Stay
    }

    fn put_down(&self, drafts: &mut Drafts) {
        let (Some(editor), None) = (&self.typing, &self.gone) else { return };
        let (call, text) = (self.waiting.call.call_id.clone(), editor.text());
        if text.trim().is_empty() {
            drafts.answers.remove(&call);
        } else {
            drafts.answers.insert(call, text);
        }
    }

    fn leave(&mut self, model: &mut Model) -> Option<String> {
        if let (Some(why), Some(editor)) = (&self.gone, &self.typing) {
            let text = editor.text();
            // There is nothing to answer any more: it can still be said to the agent.
            if text.trim().is_empty() {
                return None;
            }
            let key = to_message(model, &self.waiting.call.run, &text);
            let notes = &model.words().notes;
            return Some(key.map_or_else(|| notes.kept_for_run(why), |key| notes.refused_kept(why, &key)));
        }
        self.put_down(&mut model.drafts);
        let kept = self.typing.is_some() && model.drafts.answers.contains_key(&self.waiting.call.call_id);
        kept.then(|| model.words().notes.draft_kept.to_owned())
    }

    fn told(&mut self, msg: &Msg, model: &mut Model) -> Step {
        match msg {
            Msg::Shot(shot) => {
                self.gone = parts::gone(model, shot, &self.waiting.call);
                self.decided = self.gone.as_ref().and_then(|_| said(shot, &self.waiting.call));
            }
            Msg::Text(ticket, read) if self.reading == Some(*ticket) => {
                self.reading = None;
                match read {
                    Ok(text) => self.take(text),
                    Err(why) => {
                        let why = neutral(&model.look.lang.trouble(why), Strength::Prose).shown();
                        self.asked = Asked::Broken(model.words().review.unreadable(&why));
                    }
                }
            }
            Msg::Edited(..) => return self.outside.back(msg, self.typing.as_mut()).unwrap_or(Step::Stay),
            _ => {}
        }
        Step::Stay
    }

    fn open(&mut self, model: &mut Model) -> Vec<Cmd> {
        if !matches!(self.asked, Asked::Reading) {
            return Vec::new();
        }
        let ticket = model.ticket();
        self.reading = Some(ticket);
        vec![Cmd::Text(ticket, self.waiting.args.body.clone())]
    }

    fn covered(&mut self) {
        self.first.begin_anew();
    }

    fn guards(&self) -> bool {
        true
    }
}
