//! Quotas on tool calls: a run, a minute, a tool. Over a quota the call gets an error result that says so.

use crate::run::call::{Call, CallStatus};
use crate::run::fold_ledger::QUOTA_MINUTE;
use crate::run::id::Millis;
use crate::run::state::RunState;

/// Stable word for a quota that a person would have to raise.
pub const USED_UP: &str = "quota";

/// Why a quota refuses a call: its stable word, and words for the model; none if it does not.
pub fn refuses(state: &RunState, call: &Call, now: Millis) -> Option<(&'static str, String)> {
    let settings = state.settings()?;
    let limits = &settings.limits;
    let ahead = |same_tool: bool| {
        let count = state
            .open_here()
            .filter(|c| c.status == CallStatus::Approved && (!same_tool || c.tool == call.tool))
            .count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    let used = state.ledger.totals.tool_calls.saturating_add(ahead(false));
    if used >= limits.tool_calls {
        return Some((
            USED_UP,
            format!(
                "the run may make {} tool calls and has made them; finish with what you have, a person can raise the limit",
                limits.tool_calls
            ),
        ));
    }
    let (started, frees) = state.ledger.starts_within_minute(now);
    if started.saturating_add(ahead(false)) >= limits.tool_calls_minute {
        let wait = frees.map_or(60, |at| (at - now).max(0).div_euclid(1000) + 1);
        return Some((
            QUOTA_MINUTE,
            format!(
                "{} tool calls a minute are allowed; the next one can start in {wait} s",
                limits.tool_calls_minute
            ),
        ));
    }
    let most = settings.tool(&call.tool)?.max_calls?;
    let done = state.ledger.tools.get(&call.tool).map_or(0, |t| t.started);
    (done.saturating_add(ahead(true)) >= most).then(|| {
        (USED_UP, format!("{} may be called {most} times in this run and was; use another tool", call.tool))
    })
}
