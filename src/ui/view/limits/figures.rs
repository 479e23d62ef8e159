//! The figures of the limits, from the ledger: what never goes back with a rollback.

use crate::agent::ends::tokens_for_turns;
use crate::run::checkpoint::CheckpointKind;
use crate::run::{Limits, RunState};
use crate::ui::app::model::Model;
use crate::ui::feed::RunView;
use crate::ui::words::numbers::{clock, grouped, money};

/// One figure.
pub struct Figure {
    /// What was used.
    pub text: String,
    /// The limit; none is no limit.
    pub most: Option<String>,
    /// Used and limit for a bar, where there is an end.
    pub share: Option<(u64, u64)>,
    /// What is to be said besides.
    pub note: String,
}

impl Figure {
    fn count(used: u64, most: u64) -> Self {
        Self {
            text: grouped(used),
            most: Some(grouped(most)),
            share: Some((used, most)),
            note: String::new(),
        }
    }

    fn with(self, note: String) -> Self {
        Self { note, ..self }
    }

    /// `15/50`, `$0.03/2.00`; without a limit the figure alone.
    pub fn short(&self, _model: &Model) -> String {
        match &self.most {
            Some(most) => {
                let same = self.text.starts_with('$');
                format!("{}/{}", self.text, if same { most.trim_start_matches('$') } else { most })
            }
            None => self.text.clone(),
        }
    }
}

/// All figures.
pub struct Figures {
    /// Steps.
    pub steps: Figure,
    /// Tokens of the run.
    pub tokens: Figure,
    /// Money.
    pub cost: Figure,
    /// Active time.
    pub time: Figure,
    /// Tool calls.
    pub calls: Figure,
    /// Tool calls that started within a minute.
    pub minute: Figure,
    /// Failures in a row.
    pub failures: Figure,
    /// The same call with the same result.
    pub same: Figure,
    /// The newest request, of the window.
    pub model_call: Option<Figure>,
    /// Tokens kept for the final report.
    pub kept: u64,
}

impl Figures {
    /// Those of the shown run.
    pub fn of(model: &Model) -> Option<Self> {
        let view = model.view()?;
        let (state, words) = (&view.state, model.words().limits);
        let settings = state.settings()?;
        let (limits, ledger) = (&settings.limits, &state.ledger);
        let totals = &ledger.totals;
        let undone = totals.steps.saturating_sub(state.path.step);
        let left = steps_left(view).map(|n| words.steps_left(n)).unwrap_or_default();
        let (minute, _) = ledger.starts_within_minute(model.clock.wall);
        let pauses = |n: u32| if n > 0 { words.pauses_at(u64::from(n)) } else { String::new() };
        let guard = |used: u32, most: u32| {
            if most == 0 {
                let text = grouped(u64::from(used));
                return Figure { text, most: None, share: None, note: String::new() };
            }
            Figure::count(u64::from(used), u64::from(most))
        };
        let asked = view.asked.as_ref().map(|asked| &asked.table);
        Some(Self {
            steps: Figure::count(u64::from(totals.steps), u64::from(limits.steps)).with(if undone > 0 {
                words.undone(u64::from(undone))
            } else {
                String::new()
            }),
            tokens: Figure::count(totals.charged, limits.tokens).with(left),
            cost: cost(model, state, limits),
            time: time(model, view, limits),
            calls: Figure::count(u64::from(totals.tool_calls), u64::from(limits.tool_calls)),
            minute: Figure::count(u64::from(minute), u64::from(limits.tool_calls_minute)),
            failures: guard(ledger.failures_in_a_row(), limits.breaker).with(pauses(limits.breaker)),
            same: guard(ledger.repeats(), limits.loop_repeats).with(pauses(limits.loop_repeats)),
            model_call: asked.map(|table| Figure::count(u64::from(table.prompt()), u64::from(table.window))),
            kept: limits.tokens.saturating_sub(tokens_for_turns(limits)),
        })
    }

    /// `1/30 a minute`.
    pub fn a_minute(&self, model: &Model) -> String {
        let (used, most) = self.minute.share.unwrap_or((0, 0));
        model.words().limits.a_minute(used, most)
    }
}

fn cost(model: &Model, state: &RunState, limits: &Limits) -> Figure {
    let (words, totals) = (model.words().limits, &state.ledger.totals);
    let price = state.settings().and_then(|settings| settings.model.price);
    // Without a price nobody knows what the calls cost that were made.
    let unknown = state.ledger.price_unknown || (price.is_none() && totals.cost_micro == 0);
    let text = match (unknown, totals.cost_micro) {
        (true, 0) => model.look.glyphs.unknown.to_owned(),
        (true, some) => words.at_least(&money(some)),
        (false, some) => money(some),
    };
    let note = match price {
        Some(price) => words.price(&money(price.prompt), &money(price.completion)),
        None => words.no_price.to_owned(),
    };
    let share = limits.cost_micro.filter(|_| !unknown).map(|most| (totals.cost_micro, most));
    Figure { text, most: limits.cost_micro.map(money), share, note }
}

fn time(model: &Model, view: &RunView, limits: &Limits) -> Figure {
    let (words, ledger) = (model.words().limits, &view.state.ledger);
    let (used, most) = (model.active_ms(view), limits.active_ms);
    let end = ledger.ended.as_ref().map_or(model.clock.wall, |ended| ended.at);
    let whole = u64::try_from(end.saturating_sub(ledger.created)).unwrap_or(0);
    let waiting = whole.saturating_sub(used);
    let note = if waiting >= 1_000 { words.left_out(&clock(waiting)) } else { String::new() };
    Figure { text: clock(used), most: Some(clock(most)), share: Some((used, most)), note }
}

/// About how many steps the tokens will do for, if each takes as many as the last one; none before the first step, and
/// none once the run is over.
pub fn steps_left(view: &RunView) -> Option<u64> {
    let state = &view.state;
    if state.ledger.ended.is_some() {
        return None;
    }
    let limits = &state.settings()?.limits;
    let at = view.checkpoints.iter().rposition(|row| row.checkpoint.kind == CheckpointKind::Step)?;
    let last = view.checkpoints.get(at)?.checkpoint.tokens;
    let before = at.checked_sub(1).and_then(|at| view.checkpoints.get(at))?.checkpoint.tokens;
    let each = last.saturating_sub(before);
    let left = tokens_for_turns(limits).saturating_sub(state.ledger.totals.charged);
    let steps = left.checked_div(each)?;
    Some(steps.min(u64::from(limits.steps.saturating_sub(state.ledger.totals.steps))))
}
