//! What stops a run by itself: limits, the breaker, loop detection.

use crate::run::event::Hold;
use crate::run::message::Speaker;
use crate::run::report::LimitKind;
use crate::run::settings::{Limits, ModelSettings};
use crate::run::state::RunState;
use crate::run::usage::Usage;

/// Tokens that a final report needs at least, beside its prompt.
pub const REPORT_TOKENS: u64 = 256;

/// The hold that the counters call for.
pub fn must_hold(state: &RunState) -> Option<Hold> {
    let limits = &state.settings()?.limits;
    let ledger = &state.ledger;
    let failures = ledger.failures_in_a_row();
    if limits.breaker > 0 && failures >= limits.breaker {
        return Some(failed_check(state).unwrap_or(Hold::Breaker(failures)));
    }
    let repeats = ledger.repeats();
    if limits.loop_repeats > 0 && repeats >= limits.loop_repeats {
        let words = format!("the same call gave the same result {repeats} times");
        return Some(failed_check(state).unwrap_or(Hold::Loop(words)));
    }
    None
}

/// The checks that failed, if the last thing that happened is that they sent a claim back: commands that failed were
/// theirs then.
fn failed_check(state: &RunState) -> Option<Hold> {
    let sent_back = state.path.messages.last().is_some_and(|m| m.speaker == Speaker::Wakeful);
    let failed = state.path.last_checks.iter().filter(|check| !check.passed);
    let words: Vec<&str> = failed.map(|check| check.detail.as_str()).collect();
    (sent_back && !words.is_empty()).then(|| Hold::FailedCheck(words.join("; ")))
}

/// The limit that is reached before the next turn.
pub fn limit_reached(state: &RunState) -> Option<LimitKind> {
    let limits = &state.settings()?.limits;
    let totals = &state.ledger.totals;
    if totals.steps >= limits.steps {
        return Some(LimitKind::Steps);
    }
    if totals.charged >= tokens_for_turns(limits) {
        return Some(LimitKind::Tokens);
    }
    if cost_for_turns(limits).is_some_and(|most| totals.cost_micro >= most) {
        return Some(LimitKind::Cost);
    }
    (totals.active_ms >= limits.active_ms).then_some(LimitKind::Time)
}

/// Tokens that turns may use: the limit less the share kept for the final report.
pub fn tokens_for_turns(limits: &Limits) -> u64 {
    without_the_share(limits.tokens, limits)
}

/// What turns may cost, likewise; none without a limit on cost.
pub fn cost_for_turns(limits: &Limits) -> Option<u64> {
    limits.cost_micro.map(|cap| without_the_share(cap, limits))
}

fn without_the_share(limit: u64, limits: &Limits) -> u64 {
    limit - limit.saturating_mul(u64::from(limits.wrap_up_percent.min(100))) / 100
}

/// Tokens that count against what a request may take. For the final report those that reports took which never came, as
/// their worker was gone or the stream broke, are left out once: else whoever takes the run over would have nothing of what
/// is kept for the report. So that share is spent twice at most, however often that happens.
fn charged(state: &RunState, limits: &Limits, report: bool) -> u64 {
    let charged = state.ledger.totals.charged;
    if !report {
        return charged;
    }
    let kept = limits.tokens - tokens_for_turns(limits);
    charged.saturating_sub(state.ledger.lost_reports.min(kept))
}

/// What a request to this model may cost, reports that were lost counted as for tokens; none without a limit on cost.
fn money(state: &RunState, model: &ModelSettings, report: bool) -> Option<u64> {
    let limits = &state.settings()?.limits;
    let (cap, for_turns) = (limits.cost_micro?, cost_for_turns(limits)?);
    let spent = state.ledger.totals.cost_micro;
    if !report {
        return Some(for_turns.saturating_sub(spent));
    }
    // What is lost was charged as a prompt, of which nothing is cached.
    let lost = Usage { prompt: state.ledger.lost_reports, ..Usage::default() };
    let lost = model.price.map_or(0, |price| lost.cost_micro(&price));
    Some(cap.saturating_sub(spent.saturating_sub(lost.min(cap - for_turns))))
}

/// A request of this size before its reply, as much of it cached as of the one before.
fn likely(state: &RunState, prompt: u32) -> Usage {
    let prompt = u64::from(prompt);
    let cached = state.ledger.last_usage.map_or(0, |usage| usage.cached).min(prompt);
    Usage { prompt, cached, ..Usage::default() }
}

/// The limit that a request of this size to this model would break, counted as if nothing of it were cached that was not
/// before.
pub fn breaks(state: &RunState, model: &ModelSettings, prompt: u32, report: bool) -> Option<LimitKind> {
    let limits = &state.settings()?.limits;
    let most = if report { limits.tokens } else { tokens_for_turns(limits) };
    let likely = likely(state, prompt);
    if charged(state, limits, report).saturating_add(likely.charged()) > most {
        return Some(LimitKind::Tokens);
    }
    let (left, price) = (money(state, model, report)?, model.price?);
    (likely.cost_micro(&price) > left).then_some(LimitKind::Cost)
}

/// Most tokens of the next reply of this model: the reserve, or what is left of the run's limits.
pub fn reply_tokens(state: &RunState, model: &ModelSettings, prompt: u32, report: bool) -> Option<u32> {
    let settings = state.settings()?;
    let most = if report { settings.limits.tokens } else { tokens_for_turns(&settings.limits) };
    let likely = likely(state, prompt);
    let used = charged(state, &settings.limits, report).saturating_add(likely.charged());
    let mut left = most.saturating_sub(used);
    if let (Some(money), Some(price)) = (money(state, model, report), model.price) {
        let rest = u128::from(money.saturating_sub(likely.cost_micro(&price))) * 1_000_000;
        let paid = rest.checked_div(u128::from(price.completion)).unwrap_or(u128::MAX);
        left = left.min(u64::try_from(paid).unwrap_or(u64::MAX));
    }
    let left = u32::try_from(left).unwrap_or(u32::MAX);
    Some(settings.model.reserve.min(left).max(1))
}

/// True if a final report can still be asked for at a limit.
pub fn report_fits(state: &RunState) -> bool {
    let Some(settings) = state.settings() else { return false };
    let last = state.ledger.last_usage.map_or(0, |u| u.prompt.saturating_sub(u.cached));
    let needed = last.saturating_add(REPORT_TOKENS);
    state.ledger.totals.model_calls > 0
        && charged(state, &settings.limits, true).saturating_add(needed) <= settings.limits.tokens
        && report_unpaid(state).is_none()
}

/// Why a limit on cost leaves no final report; none if it leaves one, or there is no such limit.
pub fn report_unpaid(state: &RunState) -> Option<&'static str> {
    let model = &state.settings()?.model;
    let left = money(state, model, true)?;
    let cost = match model.price {
        Some(price) => {
            let last = state.ledger.last_usage.unwrap_or_default();
            Usage { completion: REPORT_TOKENS, ..last }.cost_micro(&price)
        }
        None if model.offline => 0,
        None => return Some("the price of the model is not known"),
    };
    (cost > left).then_some("what is left of the cost does not pay for one")
}

/// The reason of an end at a limit, and why no final report was asked for, if that is for what it costs.
pub fn without_report(reason: String, state: &RunState) -> String {
    match report_unpaid(state) {
        Some(why) => format!("{reason}; no final report was asked for: {why}"),
        None => reason,
    }
}
