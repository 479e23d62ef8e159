//! How `run` and `resume` end: the status word, the report, the exit code.

use super::app::Failure;
use super::duration::{grouped, span};
use super::exit::{EndStatus, Exit};
use super::observe::hold_words;
use super::print::{Out, talk};
use super::words::{calls_wait, many, sentence};
use crate::run::event::{Decoded, Event};
use crate::run::id::{RunId, WorkerId};
use crate::run::report::{Outcome, Report};
use crate::run::state::{RunState, Status, WaitWhy};
use crate::store::Store;
use crate::worker::preview::under_way;
use serde_json::json;

/// The report of an ended run.
///
/// # Errors
/// The store's.
pub async fn stored(store: &Store, state: &RunState) -> Result<Option<Report>, Failure> {
    // While a rollback or a cancel is under way, the report of an earlier end is not how the run stands.
    let (Some(ended), Status::Ended(_)) = (&state.ledger.ended, state.status()) else { return Ok(None) };
    let Some(envelope) = store.event(&state.run, ended.seq).await? else { return Ok(None) };
    let Decoded::Known(event) = envelope.event else { return Ok(None) };
    let Event::RunEnded { report, .. } = *event else { return Ok(None) };
    let text = store.text(&report).await?;
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|e| Failure::internal(format!("the stored report cannot be read: {e}")))
}

/// Says how a run stands, in the way asked for, and gives the exit code.
///
/// # Errors
/// The store's.
pub async fn finish(
    store: &Store,
    run: &RunId,
    json: bool,
    ended: Option<EndStatus>,
) -> Result<Exit, Failure> {
    let loaded = store.load(run).await?;
    let (state, damage) = (loaded.state, loaded.damage);
    let status = ended.unwrap_or_else(|| EndStatus::from(&state.status()));
    let report = stored(store, &state).await?;
    if json {
        let wait = match state.status() {
            Status::Waiting(why) => Some(why.word()),
            Status::Running | Status::Paused | Status::Ended(_) => None,
        };
        let damage = damage.map(|d| json!({ "first_bad_seq": d.first_bad_seq, "reason": d.reason }));
        let line = json!({
            "event": "end", "run": run, "status": status.word(), "wait": wait, "report": report, "damage": damage,
        });
        Out::stdout().json_line(&line).map_err(|e| Failure::unheard(run, &e))?;
        return Ok(status.exit());
    }
    if let (EndStatus::Storage, Some(_)) = (status, &damage) {
        // What is wrong was said as it was met.
        talk(&format!(
            "nothing was written. `wakeful doctor --accept-damage {run}` sets the bad rows aside; then \
             `wakeful resume {run}` goes on"
        ));
        return Ok(status.exit());
    }
    match &report {
        Some(report) => {
            talk(&words(run, report));
            if !report.answer.trim().is_empty() {
                Out::stdout().text(&report.answer).map_err(|e| Failure::unheard(run, &e))?;
            }
        }
        None => talk(&standing(&state, status)),
    }
    Ok(status.exit())
}

/// Whoever reads JSON is told by a last line also when the database could not be used at all, and so no run be shown.
///
/// # Errors
/// What went wrong, as it came.
pub fn ended_in_json(json: bool, ended: Result<Exit, Failure>) -> Result<Exit, Failure> {
    if let (true, Err(failure)) = (json, &ended)
        && failure.exit == Exit::Storage
    {
        let line = json!({
            "event": "end", "run": null, "status": EndStatus::Storage.word(), "wait": null, "report": null, "damage": null,
        });
        // The failure itself is what is told; a stdout that cannot be written either changes nothing.
        let _ = Out::stdout().json_line(&line);
    }
    ended
}

/// The report in words.
pub fn words(run: &RunId, report: &Report) -> String {
    let totals = &report.totals;
    let mut lines = vec![format!("\n■ {run} {}: {}", report.outcome.word(), report.reason)];
    if let Outcome::Failed(kind) = &report.outcome {
        lines.push(format!("  what: {} `wakeful resume {run}` tries again", sentence(kind)));
    }
    let cost = if !report.cost_known {
        "cost unknown".to_owned()
    } else {
        format!("cost {}.{:04}", totals.cost_micro / 1_000_000, totals.cost_micro % 1_000_000 / 100)
    };
    lines.push(format!(
        "  {} · {} ({} prompt, {} cached, {} completion) · {cost} · {} active · {}",
        many(totals.steps, "step"),
        many(totals.charged, "token"),
        grouped(totals.prompt),
        grouped(totals.cached),
        grouped(totals.completion),
        span(totals.active_ms),
        many(totals.tool_calls, "tool call")
    ));
    for (tool, stats) in &report.tools {
        let mut parts = vec![format!("{} done", stats.done)];
        for (n, word) in [(stats.failed, "failed"), (stats.denied, "denied"), (stats.rejected, "refused")] {
            if n > 0 {
                parts.push(format!("{n} {word}"));
            }
        }
        lines.push(format!("  {tool}: {}", parts.join(", ")));
    }
    for check in &report.checks {
        lines.push(format!("  {} {}", if check.passed { "✓" } else { "✗" }, check.detail));
    }
    for open in &report.open {
        lines.push(format!("  open: {open}"));
    }
    lines.join("\n")
}

/// How far a rollback is that has begun and is not through.
pub fn half_back(state: &RunState) -> Option<String> {
    let under_way = under_way(state)?;
    let files = match under_way.done {
        Some(done) => format!("{done} of {}", many(under_way.files, "file")),
        None => format!("{}, which cannot be looked at now", many(under_way.files, "file")),
    };
    Some(format!("a rollback to step {} is half done ({files})", under_way.to_step))
}

/// Why a run that is not over was left, and what to do.
pub fn standing(state: &RunState, status: EndStatus) -> String {
    standing_with(state, status, None)
}

/// The same of a run that a living worker has: that one goes on by itself, and nobody has to be told to.
pub fn standing_with(state: &RunState, status: EndStatus, worker: Option<&WorkerId>) -> String {
    let run = &state.run;
    let goes_on = worker.map_or_else(
        || format!("`wakeful resume {run}`"),
        |worker| format!("{worker}, which has the run, goes on by itself"),
    );
    if status == EndStatus::Interrupted
        && let Some(words) = half_back(state)
    {
        return format!("{words}; `wakeful resume {run}` finishes it, before anything else");
    }
    match (status, state.status()) {
        (EndStatus::Storage, _) => {
            format!(
                "{run} stopped: the database could not be used. What was committed is safe; `wakeful resume {run}` goes on once \
                 that is mended"
            )
        }
        (EndStatus::Interrupted, _) => format!("saved. `wakeful resume {run}` goes on"),
        (_, Status::Paused) if worker.is_some() => format!("paused. `wakeful continue {run}` lets it go on"),
        (_, Status::Paused) => format!("paused. `wakeful resume {run}` goes on"),
        (_, Status::Waiting(why)) => match why {
            WaitWhy::Approval(ids) => format!(
                "{} for you. `wakeful intents {run}` shows what; then `wakeful approve CALL` or `wakeful deny CALL`, \
                 and {goes_on}",
                calls_wait(ids.len())
            ),
            WaitWhy::Question(_) => format!(
                "the agent asks you something. `wakeful intents {run}` shows it; then `wakeful answer CALL TEXT`, and \
                 {goes_on}"
            ),
            WaitWhy::Uncertain(_) => format!(
                "nobody knows whether a call happened. `wakeful intents {run}` shows it; then `wakeful resolve CALL \
                 happened|rerun|skip`, and {goes_on}"
            ),
            WaitWhy::Hold(hold) => format!(
                "{} `wakeful continue {run}` lets it go on, `wakeful message {run} TEXT` tells it something; then \
                 {goes_on}",
                sentence(&hold_words(&hold))
            ),
            WaitWhy::Retry(_) if worker.is_some() => {
                format!("the model is asked again later; {goes_on}")
            }
            WaitWhy::Retry(_) => {
                format!("the model is asked again later. `wakeful resume {run}` waits for that")
            }
        },
        (_, Status::Running | Status::Ended(_)) => format!("{run} is {}", status.word()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::event::Hold;

    #[test]
    fn what_a_run_waits_for_ends_in_one_full_stop() {
        let mut state = RunState::new(RunId::new("r-1".to_owned()));
        for (hold, words) in [
            (
                Hold::Context("the goal does not fit. To go on, shorten it.".to_owned()),
                "shorten it. `wakeful",
            ),
            (Hold::Breaker(1), "1 failure in a row. `wakeful"),
            (Hold::Breaker(5), "5 failures in a row. `wakeful"),
        ] {
            state.ledger.hold = Some(hold);
            let standing = standing(&state, EndStatus::Waiting);
            assert!(standing.contains(words), "{standing}");
        }
    }

    #[test]
    fn a_run_that_a_living_worker_has_is_not_to_be_resumed() {
        let mut state = RunState::new(RunId::new("r-1".to_owned()));
        let worker = WorkerId::new("w-7-1".to_owned());
        let said = |state: &RunState| standing_with(state, EndStatus::from(&state.status()), Some(&worker));
        state.ledger.hold = Some(Hold::Breaker(3));
        let held = said(&state);
        assert!(held.ends_with("then w-7-1, which has the run, goes on by itself"), "{held}");
        assert!(held.contains("`wakeful continue r-1`") && !held.contains("resume"), "{held}");
        assert!(standing(&state, EndStatus::Waiting).ends_with("then `wakeful resume r-1`"));
        state.ledger.hold = None;
        state.ledger.paused = Some(true);
        assert_eq!(said(&state), "paused. `wakeful continue r-1` lets it go on");
    }
}
