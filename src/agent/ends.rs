//! What stops a run by itself: limits, the breaker, loop detection.

use crate::run::event::Hold;
use crate::run::message::Speaker;
use crate::run::report::LimitKind;
use crate::run::settings::Limits;
use crate::run::state::RunState;

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
    if limits.cost_micro.is_some_and(|cap| totals.cost_micro >= cap) {
        return Some(LimitKind::Cost);
    }
    (totals.active_ms >= limits.active_ms).then_some(LimitKind::Time)
}

/// Tokens that turns may use: the limit less the share kept for the final report.
pub fn tokens_for_turns(limits: &Limits) -> u64 {
    let kept = limits.tokens.saturating_mul(u64::from(limits.wrap_up_percent.min(100))) / 100;
    limits.tokens - kept
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

/// The limit that a request of this size would break, counted as if nothing of it were cached.
pub fn breaks(state: &RunState, prompt: u32, report: bool) -> Option<LimitKind> {
    let limits = &state.settings()?.limits;
    let most = if report { limits.tokens } else { tokens_for_turns(limits) };
    let cached = state.ledger.last_usage.map_or(0, |u| u.cached);
    let likely = u64::from(prompt).saturating_sub(cached);
    (charged(state, limits, report).saturating_add(likely) > most).then_some(LimitKind::Tokens)
}

/// Most tokens of the next reply: the reserve, or what is left of the run's limit.
pub fn reply_tokens(state: &RunState, prompt: u32, report: bool) -> Option<u32> {
    let settings = state.settings()?;
    let most = if report { settings.limits.tokens } else { tokens_for_turns(&settings.limits) };
    let cached = state.ledger.last_usage.map_or(0, |u| u.cached);
    let used =
        charged(state, &settings.limits, report).saturating_add(u64::from(prompt).saturating_sub(cached));
    let left = u32::try_from(most.saturating_sub(used)).unwrap_or(u32::MAX);
    Some(settings.model.reserve.min(left).max(1))
}

/// True if a final report can still be asked for under this limit.
pub fn report_fits(state: &RunState, limit: LimitKind) -> bool {
    let Some(settings) = state.settings() else { return false };
    let last = state.ledger.last_usage.map_or(0, |u| u.prompt.saturating_sub(u.cached));
    let needed = last.saturating_add(REPORT_TOKENS);
    match limit {
        LimitKind::Cost => false,
        LimitKind::Steps | LimitKind::Tokens | LimitKind::Time => {
            state.ledger.totals.model_calls > 0
                && charged(state, &settings.limits, true).saturating_add(needed) <= settings.limits.tokens
                && settings.limits.cost_micro.is_none_or(|cap| state.ledger.totals.cost_micro < cap)
        }
    }
}
