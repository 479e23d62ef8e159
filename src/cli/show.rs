//! `show`: one run at a glance: how it stands, what it waits for and what to type, its goal, limits, plan, notes, open
//! calls and report.
//!
//! JSON: `id`, `title`, `status` (SPEC §15; `interrupted` included), `wait` (word or null), `waits_for` (words or null),
//! `next` (commands that help, in order), `workspace`, `created` (milliseconds since 1970), `timeline`, `step`, `head`
//! (seq of the newest event), `goal` (`version`, `text`, `constraints`, `checks` of `check`, `passed` or null, `detail`),
//! `owner` (`worker`, `since`, `alive`; or null), `mode`, `model` (`profile`, `model`, `offline`, `window`, `protocol`,
//! `tokenizer`), `rollback` (one that has begun and is not through: `to_step`, `done` of `files`, `words`; or null), `limits` (each `used` and `limit`: `steps`, `tokens`, `cost_micro`, `active_ms`, `tool_calls`),
//! `cost_known`, `plan`, `facts`, `questions`, `calls` (open ones, as `intents`), `pending` (how many
//! things people asked that no worker has taken yet), `asked` (these: `control`, `words`, `at`, `by`), `damage` (`first_bad_seq`, `reason`, `rows`, `rests_on`: the event of the snapshot behind
//! it that keeps the state whole, or null; or null), `report` (once it ended, or null).

use super::app::{App, Failure};
use super::args::RunJson;
use super::asked;
use super::duration::{age, grouped, span};
use super::exit::Exit;
use super::intents::{decide, mark, object as call_object};
use super::layout;
use super::observe::hold_words;
use super::print::one_line;
use super::question::taken;
use super::report;
use super::words::{calls_wait, many};
use crate::run::plan::{Note, PlanState};
use crate::run::report::Report;
use crate::run::settings::LearntWindow;
use crate::run::{Hold, LimitKind, Millis, Outcome, RunState, Settings, Status, WaitWhy};
use crate::store::{CallFilter, CallRow, Damage, InboxRow, Store};
use crate::worker::preview::under_way;
use serde_json::{Value, json};

/// Everything that is shown of a run.
struct View<'a> {
    app: &'a App,
    state: &'a RunState,
    damage: Option<Damage>,
    status: &'static str,
    waits_for: Option<String>,
    next: Vec<String>,
    alive: bool,
    calls: Vec<CallRow>,
    asked: Vec<InboxRow>,
    report: Option<Report>,
}

/// `wakeful show`.
///
/// # Errors
/// See [`Failure`].
pub async fn show(app: &App, args: RunJson) -> Result<Exit, Failure> {
    let store = app.open()?;
    let run = super::run::find(&store, &args.run).await?;
    let loaded = store.load(&run).await?;
    let state = &*loaded.state;
    let filter = CallFilter { run: Some(run.clone()), open_only: true, ..CallFilter::default() };
    let calls = store.calls(filter).await?;
    let alive = state.ledger.owner.as_ref().is_some_and(|owner| store.is_alive(&owner.worker));
    let status = match state.status() {
        Status::Running if !alive => "interrupted",
        status => status.word(),
    };
    let view = View {
        app,
        state,
        status,
        waits_for: waits_for(state, app.now()),
        next: next(state, &calls, alive, loaded.damage.is_some()),
        damage: loaded.damage.clone(),
        alive,
        asked: store.pending(&run).await?,
        report: report::stored(&store, state).await?,
        calls,
    };
    if args.json {
        layout::json(&view.object(&store).await?)?;
    } else {
        layout::text(&view.page().join("\n"))?;
    }
    Ok(Exit::Completed)
}

/// What the run waits for, in words.
fn waits_for(state: &RunState, now: Millis) -> Option<String> {
    let Status::Waiting(why) = state.status() else { return None };
    Some(match why {
        WaitWhy::Approval(ids) => format!("{} for your approval", calls_wait(ids.len())),
        WaitWhy::Question(ids) => {
            let by_default = crate::agent::next_default(state)
                .and_then(|(_, call)| call.default)
                .map(|default| format!("; {}", taken(default, now)));
            format!("{} for your answer{}", calls_wait(ids.len()), by_default.unwrap_or_default())
        }
        WaitWhy::Uncertain(ids) => {
            format!("nobody knows whether {} happened", if ids.len() == 1 { "a call" } else { "some calls" })
        }
        WaitWhy::Hold(hold) => hold_words(&hold),
        WaitWhy::Retry(at) => format!("the model is asked again at {}", layout::moment(at)),
    })
}

/// What helps, in the order of typing.
fn next(state: &RunState, calls: &[CallRow], alive: bool, damaged: bool) -> Vec<String> {
    let run = &state.run;
    if damaged {
        return vec![format!("wakeful doctor --accept-damage {run}")];
    }
    let resume = (!alive).then(|| format!("wakeful resume {run}"));
    let mut next = Vec::new();
    match state.status() {
        Status::Running if alive => next.push(format!("wakeful pause {run}")),
        Status::Running | Status::Paused => {}
        Status::Waiting(WaitWhy::Approval(ids) | WaitWhy::Question(ids) | WaitWhy::Uncertain(ids)) => {
            let waiting = calls.iter().filter(|call| ids.contains(&call.call_id));
            next.extend(waiting.flat_map(|call| decide(call.call_id.as_str(), call.status, call.class)));
        }
        Status::Waiting(WaitWhy::Hold(Hold::Damage(_))) => {
            next.push(format!("wakeful doctor --accept-damage {run}"));
        }
        Status::Waiting(WaitWhy::Hold(
            Hold::Breaker(_) | Hold::Loop(_) | Hold::FailedCheck(_) | Hold::Context(_),
        )) => {
            next.extend([format!("wakeful continue {run}"), format!("wakeful message {run} TEXT")]);
        }
        Status::Waiting(WaitWhy::Retry(_)) => {}
        Status::Ended(Outcome::Limit(limit)) => {
            let option = match limit {
                LimitKind::Steps => "--max-steps N",
                LimitKind::Tokens => "--max-tokens N",
                LimitKind::Cost => "--max-cost X",
                LimitKind::Time => "--max-time D",
            };
            return vec![format!("wakeful resume {run} {option}")];
        }
        Status::Ended(Outcome::Failed(_)) => next.push(format!("wakeful continue {run}")),
        Status::Ended(Outcome::Completed | Outcome::Cancelled) => {
            next.push(format!("wakeful message {run} TEXT"));
        }
    }
    next.extend(resume);
    next
}

impl View<'_> {
    async fn object(&self, store: &Store) -> Result<Value, Failure> {
        let (state, ledger) = (self.state, &self.state.ledger);
        let mut calls = Vec::with_capacity(self.calls.len());
        for call in &self.calls {
            calls.push(call_object(store, call).await?);
        }
        let wait = match state.status() {
            Status::Waiting(why) => Some(why.word()),
            Status::Running | Status::Paused | Status::Ended(_) => None,
        };
        let owner = ledger
            .owner
            .as_ref()
            .map(|o| json!({ "worker": o.worker, "since": o.since, "alive": self.alive }));
        let damage = self.damage.as_ref().map(|d| {
            json!({
                "first_bad_seq": d.first_bad_seq, "reason": d.reason, "rows": d.rows, "rests_on": d.proven,
            })
        });
        let rollback = under_way(state).map(|r| {
            json!({ "to_step": r.to_step, "done": r.done, "files": r.files, "words": report::half_back(state) })
        });
        let settings = state.settings();
        let model = settings.map(|s| {
            json!({
                "profile": s.model.profile, "model": s.model.model, "offline": s.model.offline,
                "window": s.model.window, "protocol": s.model.protocol, "tokenizer": s.model.tokenizer,
            })
        });
        Ok(json!({
            "id": state.run, "title": ledger.title, "status": self.status, "wait": wait,
            "waits_for": self.waits_for, "next": self.next, "workspace": ledger.workspace.to_string_lossy(),
            "created": ledger.created, "timeline": state.head.timeline, "step": state.path.step,
            "head": state.head.seq, "goal": self.goal_object(), "owner": owner,
            "mode": settings.map(|s| s.mode), "model": model, "limits": settings.map(|s| self.limits(s)),
            "cost_known": !ledger.price_unknown, "plan": state.path.plan, "facts": notes(&state.path.facts),
            "questions": notes(&state.path.questions), "calls": calls, "pending": self.asked.len(),
            "asked": self.asked.iter().map(asked::object).collect::<Vec<_>>(), "rollback": rollback,
            "damage": damage, "report": self.report,
        }))
    }

    fn goal_object(&self) -> Value {
        let path = &self.state.path;
        let checks = path.goal.checks.iter().enumerate().map(|(at, check)| {
            let last = path.last_checks.iter().find(|result| result.index == at);
            json!({
                "check": check, "passed": last.map(|r| r.passed), "detail": last.map(|r| r.detail.as_str()),
            })
        });
        json!({
            "version": path.goal_version, "text": path.goal.text, "constraints": path.goal.constraints,
            "checks": checks.collect::<Vec<_>>(),
        })
    }

    fn limits(&self, settings: &Settings) -> Value {
        let (limits, totals) = (&settings.limits, &self.state.ledger.totals);
        json!({
            "steps": { "used": totals.steps, "limit": limits.steps },
            "tokens": { "used": totals.charged, "limit": limits.tokens },
            "cost_micro": { "used": totals.cost_micro, "limit": limits.cost_micro },
            "active_ms": { "used": totals.active_ms, "limit": limits.active_ms },
            "tool_calls": { "used": totals.tool_calls, "limit": limits.tool_calls },
        })
    }

    fn page(&self) -> Vec<String> {
        let (state, ledger) = (self.state, &self.state.ledger);
        let mut lines = vec![format!("{}  {}", state.run, one_line(&ledger.title))];
        let because = self.waits_for.as_ref().map_or(String::new(), |why| format!(": {}", one_line(why)));
        lines.push(format!("status     {}{because}", self.status));
        if let Some(words) = report::half_back(state) {
            let run = &state.run;
            lines.push(match self.alive {
                true => format!("rollback   {words}; its worker goes on with it"),
                false => format!(
                    "rollback   {words}; `wakeful resume {run}`, or any command that asks something of the run, finishes it"
                ),
            });
        }
        if let Some(damage) = &self.damage {
            lines.push(match damage.proven {
                Some(snapshot) => format!(
                    "damage     event {}: {}; the state is whole, it rests on the snapshot at event {snapshot}",
                    damage.first_bad_seq, damage.reason
                ),
                None => format!(
                    "damage     from event {} on ({}): {}",
                    damage.first_bad_seq,
                    many(damage.rows, "row"),
                    damage.reason
                ),
            });
        }
        lines.extend(self.next.iter().enumerate().map(|(at, command)| {
            format!("{}{command}", if at == 0 { "next       " } else { "           " })
        }));
        lines.extend(self.asked.iter().enumerate().map(|(at, row)| {
            format!("{}{}", if at == 0 { "asked      " } else { "           " }, asked::line(row))
        }));
        if !self.asked.is_empty() && !self.alive {
            let run = &state.run;
            lines.push(format!(
                "           not taken yet: `wakeful resume {run}`, or any command that asks something of the run, does it \
                 first"
            ));
        }
        lines.push(format!("owner      {}", self.owner()));
        lines.push(format!("workspace  {}", ledger.workspace.display()));
        lines.push(format!("created    {}", layout::moment(ledger.created)));
        lines.push(format!("at         step {}@{}", state.path.step, state.head.timeline));
        if let Some(settings) = state.settings() {
            lines.extend(self.bounds(settings));
        }
        lines.extend(self.goal_lines());
        lines.extend(self.work_lines());
        if let Some(report) = &self.report {
            lines.push(report::words(&state.run, report));
            if !report.answer.trim().is_empty() {
                lines.push(String::new());
                lines.push(layout::wrapped(report.answer.trim_end(), "  ", layout::width()));
            }
        }
        lines
    }

    fn owner(&self) -> String {
        match &self.state.ledger.owner {
            Some(owner) if self.alive => {
                format!("{}, alive, since {}", owner.worker, age(self.app.now(), owner.since))
            }
            Some(owner) => format!("nobody: {} is gone", owner.worker),
            None => "nobody".to_owned(),
        }
    }

    fn bounds(&self, settings: &Settings) -> Vec<String> {
        let (limits, totals, model) = (&settings.limits, &self.state.ledger.totals, &settings.model);
        let mode = match settings.mode {
            crate::run::Mode::Ask => "ask",
            crate::run::Mode::Safe => "safe",
            crate::run::Mode::Auto => "auto",
        };
        let offline = match model.profile.strip_prefix(crate::worker::replay::PREFIX) {
            Some(run) => format!(" (recorded replies of {run}, no model is asked)"),
            None if model.offline => " (built in, follows rules, not an LLM)".to_owned(),
            None => String::new(),
        };
        let money = |micro: u64| format!("{}.{:04}", micro / 1_000_000, micro % 1_000_000 / 100);
        let known = if self.state.ledger.price_unknown { " at least" } else { "" };
        let cap = limits.cost_micro.map_or("no cap".to_owned(), money);
        let window = grouped(u64::from(model.window));
        let window = match model.learnt_window {
            Some(LearntWindow { given, guessed, .. }) => {
                let how = if guessed { "a guess learnt" } else { "learnt" };
                format!("{window}, {how} from the server's refusals, not {}", grouped(u64::from(given)))
            }
            None => window,
        };
        vec![
            format!("model      {}{offline} · window {window}", model.model),
            format!("approval   {mode}"),
            format!(
                "used       steps {}/{} · tokens {}/{} · cost{known} {}/{cap} · time {}/{} · calls {}/{}",
                totals.steps,
                limits.steps,
                grouped(totals.charged),
                grouped(limits.tokens),
                money(totals.cost_micro),
                span(totals.active_ms),
                span(limits.active_ms),
                totals.tool_calls,
                limits.tool_calls
            ),
        ]
    }

    fn goal_lines(&self) -> Vec<String> {
        let path = &self.state.path;
        let wrapped = |text: &str| layout::wrapped(text, "  ", layout::width()).trim_end().to_owned();
        let mut lines = vec![format!("goal v{}", path.goal_version), wrapped(&path.goal.text)];
        lines.extend(path.goal.constraints.iter().map(|c| wrapped(&format!("constraint: {c}"))));
        for (at, check) in path.goal.checks.iter().enumerate() {
            let last = path.last_checks.iter().find(|result| result.index == at);
            let (sign, detail) = match last {
                Some(result) => (if result.passed { "✓" } else { "✗" }, format!(" · {}", result.detail)),
                None => ("○", String::new()),
            };
            lines.push(wrapped(&format!("{sign} check {check}{detail}")));
        }
        lines
    }

    fn work_lines(&self) -> Vec<String> {
        let path = &self.state.path;
        let mut lines = Vec::new();
        let mut part = |heading: &str, items: Vec<String>| {
            if !items.is_empty() {
                lines.push(heading.to_owned());
                lines.extend(items.into_iter().map(|item| format!("  {}", one_line(&item))));
            }
        };
        let sign = |state: PlanState| match state {
            PlanState::Pending => "○",
            PlanState::Active => "●",
            PlanState::Done => "✓",
            PlanState::Failed => "✗",
            PlanState::NeedsReview => "!",
        };
        let deep = |id: &str| "  ".repeat(id.matches('.').count());
        let item = |i: &crate::run::plan::PlanItem| format!("{} {} {}", sign(i.state), i.id, i.title);
        let plan = path.plan.iter();
        part("plan", plan.map(|i| format!("{}{}", deep(&i.id).replace(' ', "·"), item(i))).collect());
        let note = |note: &Note| format!("{} (step {})", note.text, note.step);
        part("facts", path.facts.iter().map(note).collect());
        part("open questions", path.questions.iter().map(note).collect());
        let call = |c: &CallRow| {
            format!(
                "{} {}.{} {} {} {}",
                mark(c.status),
                c.step,
                c.position,
                c.tool,
                c.status.word(),
                c.call_id
            )
        };
        part("open calls", self.calls.iter().map(call).collect());
        lines
    }
}

fn notes(notes: &[Note]) -> Vec<Value> {
    notes.iter().map(|note| json!({ "text": note.text, "step": note.step })).collect()
}
