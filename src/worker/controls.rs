//! What people asked for, turned into events at a safe point. A control that saw something else is refused with words,
//! never applied to something else.

use super::batch::Batch;
use super::default::{by_default, told};
use super::driver::Driver;
use super::error::WorkError;
use super::judge::{effect_key, error_text, problem};
use crate::agent::{Hands, ends, hears};
use crate::context::MessageText;
use crate::run::call::{Call, CallStatus, Origin};
use crate::run::checkpoint::FileState;
use crate::run::control::{Author, Control, Decision, Resolution};
use crate::run::event::{Event, Hold};
use crate::run::fold::by_person;
use crate::run::goal::{Check, Goal};
use crate::run::id::{CallId, Hash, Millis, RunId};
use crate::run::plan::{PlanItem, plan_fault, plan_version};
use crate::run::report::Outcome;
use crate::run::settings::{Class, LimitsPatch, Mode, ModelSettings, Settings};
use crate::run::state::RunState;
use crate::store::{Durability, InboxRow, Store, StoreError};
use crate::tool::canonical;

/// Bytes of a message whose size is not looked at: no window is smaller.
const SHORT: usize = 256;

/// Why a rollback or redo is not done that a later one stands behind: a person who asks for another one no longer wants
/// the first, whose command may have died before it took effect.
pub const WITHDRAWN: &str = "withdrawn: a later rollback or redo was asked for before this one was done";

/// What of this is taken at `now`, in this order: what was asked of the run first, then what was said to the agent, if it
/// is about to read it. Once the run is over, all as it was asked by a worker that goes on with it, as a message begins
/// it anew; who only writes down what was asked leaves messages where they can be taken back.
pub fn in_turn(state: &RunState, rows: Vec<InboxRow>, now: Millis, hands: Hands) -> Vec<InboxRow> {
    if state.ledger.ended.is_some() && state.ledger.rollback.is_none() && hands == Hands::Working {
        return rows;
    }
    let (said, mut asked): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|row| matches!(row.control, Control::Message { .. }));
    if hears(state, now, hands) {
        asked.extend(said);
    }
    asked
}

/// Whether anything that is asked of a run would be taken by a worker at `now`.
///
/// # Errors
/// The store's.
pub async fn is_asked(store: &Store, run: &RunId, now: Millis) -> Result<bool, StoreError> {
    let pending = store.pending(run).await?;
    if pending.is_empty() {
        return Ok(false);
    }
    let state = store.load(run).await?.state;
    Ok(!in_turn(&state, pending, now, Hands::Working).is_empty())
}

/// True if the oldest control is a person's rollback or redo, and a later one stands behind it.
fn has_later(pending: &[InboxRow]) -> bool {
    let mut back = pending
        .iter()
        .map(|row| by_person(&row.author) && matches!(row.control, Control::Rollback { .. } | Control::Redo));
    back.next().unwrap_or(false) && back.any(|back| back)
}

impl Driver<'_> {
    /// What of the inbox is taken at `now`; see [`in_turn`].
    pub async fn asked(&self, now: Millis, hands: Hands) -> Result<Vec<InboxRow>, WorkError> {
        Ok(in_turn(&self.state, self.engine.store.pending(&self.run).await?, now, hands))
    }

    /// Takes every control in the inbox, oldest first, and messages that the agent is about to read. A rollback is gone
    /// through with before the next one is looked at.
    pub async fn take_controls(&mut self, now: Millis, hands: Hands) -> Result<(), WorkError> {
        // Read anew each time: while one is taken, a command that has to be stopped first may take others.
        while self.state.ledger.rollback.is_none() && !self.engine.stopping() {
            let pending = self.asked(now, hands).await?;
            let later = has_later(&pending);
            let Some(row) = pending.into_iter().next() else {
                return Ok(());
            };
            if later {
                self.refuse_row(&row, WITHDRAWN).await?;
                continue;
            }
            match &row.control {
                Control::Rollback { .. } | Control::Redo => self.begin_rollback(&row).await?,
                Control::Pause { .. }
                | Control::Continue
                | Control::Cancel
                | Control::Decide { .. }
                | Control::EditGoal { .. }
                | Control::EditPlan { .. }
                | Control::SetLimits { .. }
                | Control::SetMode { .. }
                | Control::SetModel { .. }
                | Control::Message { .. }
                | Control::ExtendTimeout { .. }
                | Control::StopCall { .. } => match self.take(&row).await {
                    // A person had it back first: nothing of it was written.
                    Err(WorkError::Store(StoreError::TakenBack { .. })) => {}
                    taken => taken?,
                },
            }
        }
        Ok(())
    }

    async fn take(&mut self, row: &InboxRow) -> Result<(), WorkError> {
        let mut batch = self.batch();
        let by = row.author.clone();
        let refused = match &row.control {
            Control::Pause { now } => self.pause(&mut batch, by, *now)?,
            Control::Continue => self.go_on(&mut batch, by)?,
            Control::Cancel => match &self.state.ledger.ended {
                Some(_) => Some("the run is over".to_owned()),
                None => {
                    batch.push_by(by, Event::CancelRequested)?;
                    None
                }
            },
            Control::Decide { call_id, args_hash, attempt, decision } => {
                self.decide(&mut batch, by, call_id, args_hash, *attempt, decision).await?
            }
            Control::EditGoal { based_on, goal } => self.edit_goal(&mut batch, by, *based_on, goal).await?,
            Control::EditPlan { based_on, items } => self.edit_plan(&mut batch, by, based_on, items)?,
            Control::SetLimits { patch } => self.set_limits(&mut batch, by, patch)?,
            Control::SetMode { mode } => self.set_mode(&mut batch, by, *mode)?,
            Control::SetModel { model } => self.set_model(&mut batch, by, model)?,
            Control::Message { text, .. } => self.message(&mut batch, by, text).await?,
            Control::StopCall { call_id } => return self.stop_call(row, call_id).await,
            Control::ExtendTimeout { call_id, more_ms } => return self.extend(row, call_id, *more_ms).await,
            Control::Rollback { .. } | Control::Redo => None,
        };
        if let Some(why) = refused {
            self.refuse(&mut batch, row, &why)?;
        }
        self.commit_taking(batch, Durability::Synced, vec![row.id]).await
    }

    /// Records that a control was not applied.
    pub fn refuse(&self, batch: &mut Batch, row: &InboxRow, why: &str) -> Result<(), WorkError> {
        let control = row.control.word().to_owned();
        batch.push_by(row.author.clone(), Event::ControlRefused { control, why: why.to_owned() })?;
        Ok(())
    }

    fn pause(&self, batch: &mut Batch, by: Author, now: bool) -> Result<Option<String>, WorkError> {
        if self.state.ledger.ended.is_some() {
            return Ok(Some("the run is over".to_owned()));
        }
        let paused = self.state.ledger.paused;
        if paused.is_none() || (now && paused == Some(false)) {
            batch.push_by(by, Event::Paused { now })?;
        }
        Ok(None)
    }

    fn go_on(&self, batch: &mut Batch, by: Author) -> Result<Option<String>, WorkError> {
        match self.state.ledger.ended.as_ref().map(|e| &e.outcome) {
            Some(Outcome::Failed(_)) => {
                batch.push_by(by.clone(), Event::RunReopened { why: "a person tries again".to_owned() })?;
            }
            Some(Outcome::Completed | Outcome::Limit(_) | Outcome::Cancelled) => {
                return Ok(Some("the run is over; send it a message, or raise its limit".to_owned()));
            }
            None => {}
        }
        batch.push_by(by, Event::Continued)?;
        Ok(None)
    }

    async fn edit_goal(
        &mut self,
        batch: &mut Batch,
        by: Author,
        based_on: u32,
        goal: &Goal,
    ) -> Result<Option<String>, WorkError> {
        let version = self.state.path.goal_version;
        if based_on != version {
            return Ok(Some(format!(
                "the edit was made from version {based_on}, the goal is at version {version}"
            )));
        }
        let new: Vec<Check> = goal
            .checks
            .iter()
            .filter(|check| !self.state.path.goal.checks.contains(check))
            .cloned()
            .collect();
        if let Ok(workspace) = self.workspace()
            && let Some(why) = super::checks::impossible(&new, &workspace)
        {
            return Ok(Some(why));
        }
        if goal.text.trim().is_empty() {
            return Ok(Some("a goal cannot be empty".to_owned()));
        }
        let texts = self.texts.load(&self.engine.store, &self.state).await?;
        let count = |text: &str| self.count(text);
        if let Some(why) = crate::context::goal_too_large(&self.state, goal, &texts, &count) {
            return Ok(Some(why));
        }
        batch.push_by(by.clone(), Event::GoalEdited { version: version + 1, goal: goal.clone() })?;
        self.look_again(batch, by)?;
        Ok(None)
    }

    /// An edit that was made from a plan which is not in force any more is refused: the agent may have gone on since.
    fn edit_plan(
        &self,
        batch: &mut Batch,
        by: Author,
        based_on: &Hash,
        items: &[PlanItem],
    ) -> Result<Option<String>, WorkError> {
        let now = &self.state.path.plan;
        if now == items {
            return Ok(None);
        }
        if *based_on != plan_version(now) {
            return Ok(Some("the plan was changed since the edit was begun".to_owned()));
        }
        if let Some(fault) = plan_fault(items) {
            return Ok(Some(fault.to_string()));
        }
        batch.push_by(by, Event::PlanEdited { items: items.to_vec() })?;
        Ok(None)
    }

    /// A run that waits because its context is too big looks again once what fills it, or the window, is another.
    fn look_again(&self, batch: &mut Batch, by: Author) -> Result<(), WorkError> {
        let free = self.state.ledger.paused.is_none() && self.state.ledger.ended.is_none();
        if let Some(Hold::Context(_)) = self.state.ledger.hold.as_ref().filter(|_| free) {
            batch.push_by(by, Event::Continued)?;
        }
        Ok(())
    }

    fn set_limits(
        &self,
        batch: &mut Batch,
        by: Author,
        patch: &LimitsPatch,
    ) -> Result<Option<String>, WorkError> {
        let mut settings = Settings::clone(self.settings()?);
        settings.limits = patch.apply(&settings.limits);
        if settings.limits.cost_micro.is_some() && settings.model.price.is_none() && !settings.model.offline {
            return Ok(Some("a cost cap needs a price: none is configured for this model".to_owned()));
        }
        let why = "limits changed".to_owned();
        batch.push_by(by.clone(), Event::SettingsChanged { settings: Box::new(settings), why })?;
        let at_limit =
            matches!(self.state.ledger.ended.as_ref().map(|e| &e.outcome), Some(Outcome::Limit(_)));
        if at_limit && ends::limit_reached(batch.state()).is_none() {
            batch.push_by(by, Event::RunReopened { why: "its limit was raised".to_owned() })?;
        }
        Ok(None)
    }

    fn set_mode(&self, batch: &mut Batch, by: Author, mode: Mode) -> Result<Option<String>, WorkError> {
        let mut settings = Settings::clone(self.settings()?);
        settings.mode = mode;
        let why = "approval mode changed".to_owned();
        batch.push_by(by, Event::SettingsChanged { settings: Box::new(settings), why })?;
        Ok(None)
    }

    /// Another model reopens a run that failed: the old one may be gone.
    fn set_model(
        &self,
        batch: &mut Batch,
        by: Author,
        model: &ModelSettings,
    ) -> Result<Option<String>, WorkError> {
        let mut settings = Settings::clone(self.settings()?);
        if settings.limits.cost_micro.is_some() && model.price.is_none() && !model.offline {
            return Ok(Some("the run has a cost cap, and no price is configured for this model".to_owned()));
        }
        settings.model = model.clone();
        let place = if model.base_url.is_empty() { "built in" } else { model.base_url.as_str() };
        let why = format!("model changed to {} ({place})", model.model);
        batch.push_by(by.clone(), Event::SettingsChanged { settings: Box::new(settings), why })?;
        if let Some(Outcome::Failed(_)) = self.state.ledger.ended.as_ref().map(|e| &e.outcome) {
            batch.push_by(by.clone(), Event::RunReopened { why: "its model was changed".to_owned() })?;
        }
        self.look_again(batch, by)?;
        Ok(None)
    }

    /// A message reopens an ended run, and releases one that is held. One that no window could take is not begun with.
    async fn message(
        &mut self,
        batch: &mut Batch,
        by: Author,
        text: &str,
    ) -> Result<Option<String>, WorkError> {
        if text.trim().is_empty() {
            return Ok(Some("the message is empty".to_owned()));
        }
        if let Some(why) = self.too_long(text).await? {
            return Ok(Some(why));
        }
        let message = MessageText::Person { text: text.to_owned() };
        if self.state.ledger.ended.is_some() {
            batch.push_by(by.clone(), Event::RunReopened { why: "a person wrote".to_owned() })?;
        }
        let result = self.words(batch, &message);
        batch.push_by(by.clone(), Event::PersonMessage { body: result.body, tokens: result.tokens })?;
        if self.state.ledger.hold.is_some() && self.state.ledger.paused.is_none() {
            batch.push_by(by, Event::Continued)?;
        }
        Ok(None)
    }

    /// Gives a command that runs under its supervisor more time; nobody need follow it for that.
    async fn extend(&mut self, row: &InboxRow, call_id: &CallId, more_ms: u64) -> Result<(), WorkError> {
        let call = self.state.open_call(call_id).cloned();
        let Some(call) = call.filter(|c| c.status == CallStatus::Started && c.tool == "shell") else {
            return self.refuse_row(row, "the call is not running any more").await;
        };
        let spool = self.spool_of(&call)?;
        let time = self.extended(row, &spool, call_id, more_ms).await?;
        Ok(tokio::task::spawn_blocking(move || spool.set_timeout(time)).await??)
    }

    /// Ends a running command. The row stays in the inbox until the command has ended: whoever comes after a kill ends it.
    async fn stop_call(&mut self, row: &InboxRow, call_id: &CallId) -> Result<(), WorkError> {
        let running = |call: &Call| call.status == CallStatus::Started && call.tool == "shell";
        if self.state.open_call(call_id).is_some_and(running) {
            self.attend(std::slice::from_ref(call_id), true).await?;
            if self.engine.stopping() {
                return Ok(());
            }
            self.stopped.insert(call_id.clone());
        }
        if !self.stopped.remove(call_id) {
            return self.refuse_row(row, "the call is not running any more").await;
        }
        let mut batch = self.batch();
        batch.push_by(row.author.clone(), Event::CallStopAsked { call_id: call_id.clone() })?;
        self.commit_taking(batch, Durability::Synced, vec![row.id]).await
    }

    /// Why words of a person cannot be given to the model as they are; none if they can.
    async fn too_long(&mut self, text: &str) -> Result<Option<String>, WorkError> {
        // Nothing so short is in doubt.
        if text.len() <= SHORT {
            return Ok(None);
        }
        let texts = self.texts.load(&self.engine.store, &self.state).await?;
        let message = MessageText::Person { text: text.to_owned() };
        super::size::refused(&self.state, &texts, &message, &|text| self.count(text))
    }

    async fn decide(
        &mut self,
        batch: &mut Batch,
        by: Author,
        call_id: &CallId,
        args_hash: &Hash,
        attempt: u32,
        decision: &Decision,
    ) -> Result<Option<String>, WorkError> {
        let Some(call) = self.state.open_call(call_id).cloned() else {
            return Ok(Some("the call is closed".to_owned()));
        };
        if call.args_hash != *args_hash || call.attempt != attempt {
            return Ok(Some("the call has changed since it was shown".to_owned()));
        }
        if let Decision::Resolve { resolution, spool } = decision {
            return self.resolve(batch, by, &call, *resolution, spool).await;
        }
        if call.status != CallStatus::Waiting {
            return Ok(Some(format!("the call is {} and waits for nobody", call.status.word())));
        }
        let question = call.class == Class::Person;
        if let Decision::Deny { reason: text } | Decision::Answer { text } = decision
            && let Some(why) = self.too_long(text).await?
        {
            return Ok(Some(why));
        }
        match decision {
            Decision::Approve
            | Decision::ApproveEdited { .. }
            | Decision::ApproveShown { .. }
            | Decision::Reuse { .. }
                if question =>
            {
                return Ok(Some("this is a question: answer it, or deny it".to_owned()));
            }
            Decision::Answer { .. } if !question => {
                return Ok(Some("this call asks nothing: approve it, or deny it".to_owned()));
            }
            Decision::Approve => {
                batch.push_by(by, approved(&call, None, None))?;
            }
            Decision::ApproveShown { args: None, before } => {
                batch.push_by(by, approved(&call, None, Some(before)))?;
            }
            Decision::ApproveShown { args: Some(args), before } => {
                return self.approve_edited(batch, by, &call, args, Some(before));
            }
            Decision::ApproveEdited { args } => return self.approve_edited(batch, by, &call, args, None),
            Decision::Reuse { from } => return self.reuse(batch, by, &call, from).await,
            Decision::Deny { reason } => {
                let said = if reason.trim().is_empty() { "no reason given" } else { reason.as_str() };
                let text =
                    format!("denied by the person: {said}\nwhat to do: do it another way, or ask the person");
                let result = self.result(batch, &call.tool, false, text);
                let reason = reason.clone();
                batch.push_by(by, Event::CallDenied { call_id: call.call_id, reason, result })?;
            }
            Decision::Answer { text } => {
                let default = if by_person(&by) { None } else { by_default(&call) };
                let text = if default.is_some() { told(&call, text) } else { text.clone() };
                let result = self.result(batch, &call.tool, true, text);
                batch.push_by(
                    by,
                    Event::CallAnswered { call_id: call.call_id, result, by_default: default },
                )?;
            }
            Decision::Resolve { .. } => {}
        }
        Ok(None)
    }

    fn approve_edited(
        &mut self,
        batch: &mut Batch,
        by: Author,
        call: &Call,
        args: &serde_json::Value,
        shown: Option<&FileState>,
    ) -> Result<Option<String>, WorkError> {
        let text = canonical(args);
        if super::masking::taken_out(&self.masks.arguments(text.clone())) {
            return Ok(Some(
                "the new arguments hold a key or another secret; write ${secret:NAME} in its place"
                    .to_owned(),
            ));
        }
        if let Err(error) = self.registry()?.read(&call.tool, &text) {
            return Ok(Some(format!("the new arguments do not fit: {}", error_text(&problem(error)))));
        }
        if let Some(hopeless) = self.hopeless_paths(&call.tool, &text)? {
            return Ok(Some(format!("the new arguments do not fit: {}", error_text(&hopeless))));
        }
        let key = effect_key(&call.tool, &text);
        self.args.insert((call.call_id.clone(), key.as_str().to_owned()), text.clone());
        let body = batch.bag.body(text);
        batch.push_by(
            by.clone(),
            Event::CallEdited {
                call_id: call.call_id.clone(),
                args: body,
                args_hash: key.clone(),
                effect_key: key,
            },
        )?;
        if let Some(edited) = batch.state().open_call(&call.call_id).cloned() {
            batch.push_by(
                by,
                approved(&edited, Some("a person changed the arguments and approved it"), shown),
            )?;
        }
        Ok(None)
    }

    async fn resolve(
        &self,
        batch: &mut Batch,
        by: Author,
        call: &Call,
        resolution: Resolution,
        spool: &str,
    ) -> Result<Option<String>, WorkError> {
        if call.status != CallStatus::Uncertain {
            return Ok(Some(format!("the call is {}, nothing about it is uncertain", call.status.word())));
        }
        if call.spool() != spool {
            return Ok(Some("the answer is about another attempt".to_owned()));
        }
        let gone = self.state.ledger.ended.is_some() || call.timeline != self.state.head.timeline;
        if gone && resolution == Resolution::Rerun {
            return Ok(Some(
                "its run is over or its timeline was left, so that it is not run again; say that it happened, or skip it"
                    .to_owned(),
            ));
        }
        let words = match resolution {
            Resolution::Happened => Some(match self.left_behind(call).await? {
                Some(output) => {
                    format!(
                        "a person says that it happened; how it ended is not known. It had written:\n{output}"
                    )
                }
                None => "a person says that it happened; its output is lost".to_owned(),
            }),
            Resolution::Skip => Some("nobody knows whether it happened; a person says: leave it".to_owned()),
            Resolution::Rerun => None,
        };
        let happened = resolution == Resolution::Happened;
        let result = words.map(|words| self.result(batch, &call.tool, happened, words));
        batch.push_by(by, Event::CallResolved { call_id: call.call_id.clone(), resolution, result })?;
        Ok(None)
    }
}

fn approved(call: &Call, why: Option<&str>, shown: Option<&FileState>) -> Event {
    let why = why.unwrap_or("a person approved it");
    Event::CallApproved {
        call_id: call.call_id.clone(),
        args_hash: call.args_hash.clone(),
        why: match call.origin {
            Origin::Model => why.to_owned(),
            Origin::Check(_) => format!("{why} (a check of the goal)"),
        },
        shown: shown.cloned(),
    }
}
