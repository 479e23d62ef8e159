//! The editor of a call's arguments. They are held against the tool's schema, then reviewed like the agent's own.

use super::flow::Flow;
use super::outside::Outside;
use super::parts::{self, KeyWords, key};
use super::review::{Review, pretty};
use super::{Dialog, Shown, Step};
use crate::ui::app::model::Model;
use crate::ui::app::msg::{Cmd, Msg, Ticket};
use crate::ui::edit::Editor;
use crate::ui::feed::Waiting;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::text::{Strength, one_line};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, row};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use serde_json::Value;

/// Most rows of the field that the dialog asks for.
const ROWS: u16 = 40;

/// The dialog.
#[derive(Debug)]
pub struct ArgsDialog {
    waiting: Waiting,
    /// The call's own arguments, once they were read.
    own: Option<Value>,
    editor: Editor,
    /// What is wrong with the text, neutral.
    problem: Option<String>,
    reading: Option<Ticket>,
    checking: Option<Ticket>,
    outside: Outside,
    gone: Option<String>,
}

impl ArgsDialog {
    /// The editor with the call's own arguments, or with what was written before and could not be stored.
    pub fn new(model: &Model, waiting: &Waiting) -> Box<dyn Dialog> {
        let mut dialog = Self::of(waiting);
        if let Some(draft) = model.drafts.args.get(&waiting.call.call_id) {
            dialog.editor = Editor::new(draft);
        }
        if !waiting.args.is_part() {
            dialog.take(&waiting.args.shown);
        }
        Box::new(dialog)
    }

    /// The editor with what the person wrote before.
    pub fn again(waiting: &Waiting, args: &Value) -> Box<dyn Dialog> {
        let mut dialog = Self::of(waiting);
        if !waiting.args.is_part() {
            dialog.take(&waiting.args.shown);
        }
        dialog.editor = Editor::new(&format!("{args:#}"));
        Box::new(dialog)
    }

    fn of(waiting: &Waiting) -> Self {
        Self {
            waiting: waiting.clone(),
            own: None,
            editor: Editor::default(),
            problem: None,
            reading: None,
            checking: None,
            outside: Outside::default(),
            gone: None,
        }
    }

    fn take(&mut self, args: &str) {
        self.own = Some(serde_json::from_str(args).unwrap_or(Value::Null));
        if self.editor.is_empty() {
            self.editor = Editor::new(&pretty(args));
        }
    }

    /// Names of the fields that differ from the call's own; none if the text is no JSON.
    fn changed(&self) -> Option<Vec<String>> {
        let new: Value = serde_json::from_str(&self.editor.text()).ok()?;
        let (Value::Object(new), Some(Value::Object(own))) = (&new, &self.own) else { return None };
        let mut names: Vec<String> =
            new.iter().filter(|(name, v)| own.get(*name) != Some(v)).map(|(n, _)| n.clone()).collect();
        names.extend(own.keys().filter(|name| !new.contains_key(*name)).cloned());
        Some(names)
    }

    fn check(&mut self, model: &mut Model) -> Step {
        let words = &model.words().edit;
        let text = self.editor.text();
        if let Err(error) = serde_json::from_str::<Value>(&text) {
            let (line, what) = fault(&text, &error);
            let what = format!("{}: {}", words.bad_json, one_line(&what, Strength::Prose).shown());
            self.problem = Some(words.at_line(line as u64, &what));
            return Step::Stay;
        }
        if self.changed().is_some_and(|names| names.is_empty()) {
            self.problem = Some(words.nothing_changed.to_owned());
            return Step::Stay;
        }
        let ticket = model.ticket();
        self.checking = Some(ticket);
        self.problem = None;
        let call = &self.waiting.call;
        Step::Do(vec![Cmd::ReadArgs(ticket, call.run.clone(), call.call_id.clone(), text)])
    }

    /// What stands below the field.
    fn foot(&self, model: &Model) -> Flow {
        let mut foot = Flow::default();
        let (words, glyphs) = (&model.words().edit, model.look.glyphs);
        if let Some(gone) = &self.gone {
            foot.words(&format!("{} {gone}", glyphs.needs_you), Role::Warn);
        } else if let Some(problem) = &self.problem {
            foot.problem(model, problem);
        }
        if self.own.is_none() {
            foot.words(model.words().review.loading, Role::Muted);
            return foot;
        }
        match self.changed() {
            Some(names) if !names.is_empty() => {
                let comma = model.look.lang.pick([", ", "、"]);
                let names = one_line(&names.join(comma), Strength::Exact).shown();
                foot.words(&format!("{} {}", words.changed(&names), words.both_stay), Role::Muted);
            }
            Some(_) if self.problem.is_none() => foot.words(words.nothing_changed, Role::Muted),
            Some(_) => {}
            // The problem says it with its line.
            None if self.problem.is_some() => {}
            None => foot.words(words.bad_json, Role::Muted),
        }
        foot
    }
}

/// The line of a text at which a person finds what is wrong with its JSON, and what that is. What is missing at the end of
/// a line is noticed only where the next text begins: it is missing where the text before it ends.
fn fault(text: &str, error: &serde_json::Error) -> (usize, String) {
    let (line, column) = (error.line(), error.column());
    let said = error.to_string();
    let place = format!(" at line {line} column {column}");
    let what = said.strip_suffix(&place).unwrap_or(&said).to_owned();
    let lines: Vec<&str> = text.split('\n').collect();
    let before = |upto: usize| {
        let written = lines.iter().take(upto).rposition(|line| !line.trim().is_empty());
        written.map_or(1, |at| at + 1)
    };
    // The reader stands behind the line end that it stumbled over.
    if column == 0 {
        return (line.saturating_sub(1).max(1), what);
    }
    let here = lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
    let (left, right) = here.split_at_checked(column - 1).unwrap_or((here, ""));
    let closes = right.starts_with([',', '}', ']']);
    let missing = ["expected `,`", "expected `:`", "trailing comma", "EOF while"];
    let lacks = missing.iter().any(|begin| what.starts_with(begin)) || what == "expected value" && closes;
    let at = if lacks && left.trim().is_empty() { before(line.saturating_sub(1)) } else { line };
    (if what.starts_with("EOF while") { before(lines.len()) } else { at }, what)
}

impl Dialog for ArgsDialog {
    fn live(&self) -> &'static [Ctx] {
        live::TEXT
    }

    fn decided(&self) -> Option<String> {
        self.gone.clone()
    }

    fn title(&self, model: &Model) -> (String, String) {
        (model.words().edit.title(&parts::tool(&self.waiting.call)), parts::number(&self.waiting.call))
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        let text = self.editor.rows(width.saturating_sub(self.editor.number_cells())).min(ROWS);
        text.saturating_add(self.foot(model).height(width)).saturating_add(1)
    }

    fn columns(&self) -> u16 {
        76
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        let words = &model.words().edit;
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let last = row(area, usize::from(area.height - 1));
        let key = |action, words: &str| key(model, live::TEXT, action, words);
        let left = match self.gone {
            Some(_) => Vec::new(),
            None => {
                let outside = key(Action::TextExternal, words.editor).map(KeyWords::aside);
                vec![
                    key(Action::TextSave, words.check_then_review).map(|key| key.or_short(words.check)),
                    outside,
                ]
            }
        };
        parts::keys(&mut pen, last, &left, &[key(Action::Back, words.drop)]);
        let foot = self.foot(model);
        let room = area.height - 1;
        let below = foot.height(area.width).min(room.saturating_sub(1));
        let field = Rect { height: room - below, ..area };
        let caret = self.editor.draw_numbered(&mut pen, field, self.gone.is_none());
        foot.draw_cut(&mut pen, Rect { y: field.bottom(), height: below, ..area });
        Shown { end: true, rows: usize::from(field.height), caret, ..Shown::default() }
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        // A text that can no longer be sent can still be looked through and copied.
        match hit.action {
            Action::TextSave if self.gone.is_some() || self.own.is_none() => parts::not_here(model),
            Action::TextSave if self.checking.is_some() => Step::Stay,
            Action::TextSave => self.check(model),
            Action::TextSubmit => {
                self.editor.newline();
                self.problem = None;
                Step::Stay
            }
            Action::TextExternal => {
                self.outside.send(model, format!("{}\n", self.editor.text()), "arguments.json")
            }
            _ if self.editor.act(hit) => Step::Stay,
            _ => parts::not_here(model),
        }
    }

    fn key(&mut self, key: &KeyEvent, _model: &mut Model) -> Step {
        if self.editor.key(key) {
            self.checking = None;
        }
        Step::Stay
    }

    fn paste(&mut self, text: &str, _model: &mut Model) -> Step {
        self.editor.insert(text);
        self.checking = None;
        Step::Stay
    }

    fn leave(&mut self, model: &mut Model) -> Option<String> {
        model.drafts.args.remove(&self.waiting.call.call_id);
        None
    }

    fn told(&mut self, msg: &Msg, model: &mut Model) -> Step {
        match msg {
            Msg::Text(ticket, read) if self.reading == Some(*ticket) => {
                self.reading = None;
                match read {
                    Ok(text) => self.take(text),
                    Err(why) => {
                        let why = one_line(&model.look.lang.trouble(why), Strength::Prose).shown();
                        self.problem = Some(model.words().review.unreadable(&why));
                    }
                }
            }
            Msg::ArgsRead(ticket, read) if self.checking == Some(*ticket) => {
                self.checking = None;
                match read {
                    Ok(value) if self.own.as_ref() == Some(value) => {
                        self.problem = Some(model.words().edit.nothing_changed.to_owned());
                    }
                    Ok(value) => {
                        return Step::Swap(Review::edited(
                            model,
                            &self.waiting,
                            value.clone(),
                            self.own.as_ref(),
                        ));
                    }
                    Err(why) => {
                        let why = one_line(&model.look.lang.trouble(why), Strength::Prose).shown();
                        self.problem = Some(why);
                    }
                }
            }
            Msg::Edited(..) => {
                if let Some(step) = self.outside.back(msg, Some(&mut self.editor)) {
                    (self.checking, self.problem) = (None, None);
                    return step;
                }
            }
            Msg::Shot(shot) => self.gone = parts::gone(model, shot, &self.waiting.call),
            _ => {}
        }
        Step::Stay
    }

    fn open(&mut self, model: &mut Model) -> Vec<Cmd> {
        if self.own.is_some() {
            return Vec::new();
        }
        let ticket = model.ticket();
        self.reading = Some(ticket);
        vec![Cmd::Text(ticket, self.waiting.args.body.clone())]
    }
}
