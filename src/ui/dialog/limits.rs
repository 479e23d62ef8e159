//! The form that changes the limits and the approval mode of a run.

use super::flow::Flow;
use super::form::{Did, Draft, Entry, Field, Form};
use super::parts::{self, key};
use super::{Dialog, Posting, Shown, Step};
use crate::config::units::{format_duration, format_micro, parse_duration, parse_micro};
use crate::run::control::Control;
use crate::run::settings::{Limits, LimitsPatch, Mode};
use crate::run::{LimitKind, Outcome, RunId, Status};
use crate::ui::app::model::Model;
use crate::ui::edit::Editor;
use crate::ui::feed::RunView;
use crate::ui::keys::{Action, Ctx, Hit, live};
use crate::ui::theme::Role;
use crate::ui::view::paint::{Pen, row};
use crate::ui::words::numbers::{clock, grouped, money};
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

const STEPS: usize = 0;
const TOKENS: usize = 1;
const COST: usize = 2;
const TIME: usize = 3;
const CALLS: usize = 4;
const APPROVAL: usize = 5;

/// How many times the old limit, or which part of it, is asked about.
const FAR: u64 = 100;

/// The approval modes, in the order of the form.
const MODES: [Mode; 3] = [Mode::Ask, Mode::Safe, Mode::Auto];

/// The dialog.
#[derive(Debug)]
pub struct LimitsDialog {
    run: RunId,
    form: Form,
    limits: Limits,
    mode: Mode,
    problem: Option<String>,
}

impl LimitsDialog {
    /// The form with the limits in force; none if no run is shown, or its settings are not known.
    pub fn new(model: &Model) -> Option<Box<dyn Dialog>> {
        Some(Box::new(Self::form(model)?))
    }

    fn form(model: &Model) -> Option<Self> {
        let view = model.view()?;
        let settings = view.state.settings()?;
        let (limits, lang) = (settings.limits.clone(), model.look.lang);
        let words = &model.words().limits;
        let line = |text: String| Entry::Line(Editor::new(&text));
        let modes = MODES.iter().map(|mode| lang.mode(*mode).to_owned()).collect();
        let at = MODES.iter().position(|mode| *mode == settings.mode).unwrap_or(0);
        let mut form = Form::new(vec![
            Field::new(words.steps, line(limits.steps.to_string()), ""),
            Field::new(words.tokens, line(limits.tokens.to_string()), ""),
            Field::new(
                words.cost,
                line(limits.cost_micro.map(format_micro).unwrap_or_default()),
                words.no_limit,
            ),
            Field::new(words.time, line(format_duration(limits.active_ms)), ""),
            Field::new(words.tool_calls, line(limits.tool_calls.to_string()), ""),
            Field::new(words.approval, Entry::Choice(modes, at), ""),
        ]);
        for (field, note) in form.fields.iter_mut().zip(used(model, view, &limits)) {
            field.note = note;
        }
        let (run, mode) = (view.state.run.clone(), settings.mode);
        if let Some((patch, mode)) = model.drafts.limits.get(&run) {
            form.put(&written(form.draft(), patch, mode.map(|mode| lang.mode(mode))));
        }
        Some(Self { run, form, limits, mode, problem: None })
    }

    /// As [`Self::new`], with the focus on the field of this limit.
    pub fn at(model: &Model, limit: LimitKind) -> Option<Box<dyn Dialog>> {
        let mut dialog = Self::form(model)?;
        dialog.form.focus(match limit {
            LimitKind::Steps => STEPS,
            LimitKind::Tokens => TOKENS,
            LimitKind::Cost => COST,
            LimitKind::Time => TIME,
        });
        Some(Box::new(dialog))
    }

    /// What is changed.
    fn patch(&self, model: &Model) -> Result<LimitsPatch, (usize, &'static str)> {
        let (words, old) = (&model.words().limits, &self.limits);
        let text = |nth: usize| self.form.text(nth).trim().to_owned();
        let whole = |nth| text(nth).replace(',', "").parse::<u32>().map_err(|_| (nth, words.not_a_number));
        let (steps, calls) = (whole(STEPS)?, whole(CALLS)?);
        // None of them is a way to switch something off: a run with nothing could do nothing, and not even report.
        let least = |nth, changed: bool, value: u64| {
            if changed && value == 0 { Err((nth, words.not_zero)) } else { Ok(()) }
        };
        least(STEPS, steps != old.steps, u64::from(steps))?;
        least(CALLS, calls != old.tool_calls, u64::from(calls))?;
        let tokens = tokens(&text(TOKENS)).ok_or((TOKENS, words.not_tokens))?;
        least(TOKENS, tokens != old.tokens, tokens)?;
        let cost = match (text(COST), old.cost_micro) {
            (text, None) if text.is_empty() => None,
            (text, _) => {
                Some(parse_micro(text.trim_start_matches('$')).map_err(|_| (COST, words.not_money))?)
            }
        };
        let time = parse_duration(&text(TIME)).map_err(|_| (TIME, words.not_time))?;
        least(TIME, time != old.active_ms, time)?;
        Ok(LimitsPatch {
            steps: (steps != old.steps).then_some(steps),
            tokens: (tokens != old.tokens).then_some(tokens),
            cost_micro: cost.filter(|cost| Some(*cost) != old.cost_micro),
            active_ms: (time != old.active_ms).then_some(time),
            tool_calls: (calls != old.tool_calls).then_some(calls),
        })
    }

    /// The approval mode that is chosen, if it is another one.
    fn other_mode(&self) -> Option<Mode> {
        MODES.get(self.form.chosen(APPROVAL)).copied().filter(|mode| *mode != self.mode)
    }

    /// What a patch and another approval mode change, old and new in figures; true where the new one is far from the old one.
    fn changes(&self, model: &Model, patch: &LimitsPatch) -> Vec<(String, bool)> {
        let (words, old, lang) = (&model.words().limits, &self.limits, model.look.lang);
        let far = |old: u64, new: u64| new / FAR >= old.max(1) || old / FAR >= new.max(1);
        let count =
            |name, old: u64, new: u64| (words.changes(name, &grouped(old), &grouped(new)), far(old, new));
        let cost = |new: u64| match old.cost_micro {
            Some(old) => (words.changes(words.cost, &money(old), &money(new)), far(old, new)),
            None => (words.changes(words.cost, words.no_limit, &money(new)), false),
        };
        let time = |new: u64| {
            let (old, ms) = (old.active_ms, format_duration);
            (words.changes(words.time, &ms(old), &ms(new)), far(old, new))
        };
        let mode = |new: Mode| (words.changes(words.approval, lang.mode(self.mode), lang.mode(new)), false);
        [
            patch.steps.map(|new| count(words.steps, u64::from(old.steps), u64::from(new))),
            patch.tokens.map(|new| count(words.tokens, old.tokens, new)),
            patch.cost_micro.map(cost),
            patch.active_ms.map(time),
            patch.tool_calls.map(|new| count(words.tool_calls, u64::from(old.tool_calls), u64::from(new))),
            self.other_mode().map(mode),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn save(&mut self, model: &Model) -> Step {
        let words = model.words();
        let patch = match self.patch(model) {
            Ok(patch) => patch,
            Err((field, problem)) => {
                self.problem = Some(problem.to_owned());
                self.form.focus(field);
                return Step::Stay;
            }
        };
        let changes: Vec<String> =
            self.changes(model, &patch).into_iter().map(|(change, _)| change).collect();
        let news = words.limits.in_force(&changes.join(&format!(" {} ", model.look.glyphs.dot)));
        let limits = (!patch.is_empty()).then_some(Control::SetLimits { patch });
        let mode = self.other_mode().map(|mode| Control::SetMode { mode });
        let controls: Vec<Control> = limits.into_iter().chain(mode).collect();
        if controls.is_empty() {
            return Step::Say(words.limits.unchanged.to_owned());
        }
        let one = |control| Posting { run: self.run.clone(), control, news: news.clone() };
        Step::PostAll(controls.into_iter().map(one).collect())
    }

    fn foot(&self, model: &Model) -> Flow {
        let mut foot = Flow::default();
        let (words, glyphs) = (&model.words().limits, model.look.glyphs);
        if let Some(problem) = &self.problem {
            foot.problem(model, problem);
        } else if let (Ok(patch), Some(view)) = (self.patch(model), model.view()) {
            let (far, near): (Vec<_>, Vec<_>) =
                self.changes(model, &patch).into_iter().partition(|(_, far)| *far);
            for (change, _) in far {
                foot.words(&format!("{} {}", glyphs.needs_you, words.far(&change)), Role::Warn);
            }
            let near: Vec<String> = near.into_iter().map(|(change, _)| change).collect();
            if !near.is_empty() {
                foot.words(&near.join(&format!(" {} ", glyphs.dot)), Role::Base);
            }
            let totals = &view.state.ledger.totals;
            let low = [
                patch.steps.filter(|new| *new <= totals.steps).map(|_| grouped(u64::from(totals.steps))),
                patch.tokens.filter(|new| *new <= totals.charged).map(|_| grouped(totals.charged)),
            ];
            for used in low.into_iter().flatten() {
                foot.words(&format!("{} {}", glyphs.needs_you, words.below_used(&used)), Role::Warn);
            }
        }
        let ended =
            model.view().is_some_and(|view| matches!(view.state.status(), Status::Ended(Outcome::Limit(_))));
        foot.words(if ended { words.ended_goes_on } else { words.what_counts }, Role::Muted);
        foot
    }
}

/// The texts of the form with what was written before and could not be stored.
fn written(form: Draft, patch: &LimitsPatch, mode: Option<&str>) -> Draft {
    let mut new = [
        patch.steps.map(|steps| steps.to_string()),
        patch.tokens.map(|tokens| tokens.to_string()),
        patch.cost_micro.map(format_micro),
        patch.active_ms.map(format_duration),
        patch.tool_calls.map(|calls| calls.to_string()),
        mode.map(str::to_owned),
    ]
    .into_iter();
    form.into_iter().map(|old| new.next().flatten().unwrap_or(old)).collect()
}

/// What is used of each limit, `15/50`.
fn used(model: &Model, view: &RunView, limits: &Limits) -> Vec<String> {
    let totals = &view.state.ledger.totals;
    let of = |used: String, most: String| format!("{used}/{most}");
    vec![
        of(grouped(u64::from(totals.steps)), grouped(u64::from(limits.steps))),
        of(grouped(totals.charged), grouped(limits.tokens)),
        limits
            .cost_micro
            .map_or_else(|| money(totals.cost_micro), |most| of(money(totals.cost_micro), money(most))),
        of(clock(model.active_ms(view)), clock(limits.active_ms)),
        of(grouped(u64::from(totals.tool_calls)), grouped(u64::from(limits.tool_calls))),
    ]
}

/// `400000`, `400,000` or `400k`.
pub(super) fn tokens(text: &str) -> Option<u64> {
    let text = text.replace(',', "").to_lowercase();
    match text.strip_suffix('k') {
        Some(thousands) => thousands.trim().parse::<u64>().ok()?.checked_mul(1_000),
        None => text.parse().ok(),
    }
}

impl Dialog for LimitsDialog {
    fn live(&self) -> &'static [Ctx] {
        live::FORM
    }

    fn title(&self, model: &Model) -> (String, String) {
        (model.words().limits.title.to_owned(), String::new())
    }

    fn rows(&self, model: &Model, width: u16) -> u16 {
        self.form.rows(width).saturating_add(self.foot(model).height(width)).saturating_add(1)
    }

    fn columns(&self) -> u16 {
        64
    }

    fn draw(&self, model: &Model, area: Rect, mut pen: Pen<'_>) -> Shown {
        if area.height == 0 || area.width == 0 {
            return Shown::default();
        }
        let last = row(area, usize::from(area.height - 1));
        let key = |action, words: &str| key(model, live::FORM, action, words);
        let left = [
            key(Action::FieldNext, model.words().new_run.field),
            key(Action::TextSave, model.words().limits.save)
                .map(|key| key.or_short(model.words().new_run.save)),
        ];
        parts::keys(&mut pen, last, &left, &[key(Action::Back, model.words().ask.back)]);
        self.form.draw_over(&self.foot(model), area, &mut pen)
    }

    fn click(&mut self, field: usize, row: usize, _model: &mut Model) -> Step {
        self.form.click(field, row);
        Step::Stay
    }

    fn by_key(&self, action: Action) -> bool {
        matches!(action, Action::TextSave)
    }

    fn leave(&mut self, model: &mut Model) -> Option<String> {
        model.drafts.limits.remove(&self.run);
        None
    }

    fn act(&mut self, hit: Hit, model: &mut Model) -> Step {
        match self.form.act(hit) {
            Did::Save => self.save(model),
            Did::Changed => {
                self.problem = None;
                Step::Stay
            }
            Did::Left(_) | Did::Open(_) | Did::Nothing => Step::Stay,
        }
    }

    fn key(&mut self, key: &KeyEvent, _model: &mut Model) -> Step {
        if self.form.key(key) == Did::Changed {
            self.problem = None;
        }
        Step::Stay
    }

    fn paste(&mut self, text: &str, _model: &mut Model) -> Step {
        self.form.paste(text);
        Step::Stay
    }
}
