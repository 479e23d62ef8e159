//! The ledger's half of the fold: calls, counters, ownership, ends. It is folded over all events of a run.

use super::calibration::{Calibration, FAR_FEWER, NEUTRAL, unscaled};
use super::call::{Call, CallMove, CallStatus};
use super::checkpoint::CheckpointKind;
use super::control::Resolution;
use super::event::{Envelope, Event, Proposal, Purpose};
use super::fold::FoldError;
use super::id::{CallId, Hash, Millis, Seq, TimelineNo};
use super::report::ToolStats;
use super::settings::Class;
use super::state::{Ended, Ledger, Owner, RECENT_CALLS, RollbackState};
use super::usage::Usage;
use std::sync::Arc;

/// Kind of a refusal by the per-minute quota.
pub const QUOTA_MINUTE: &str = "quota_minute";
/// Milliseconds of the per-minute quota.
pub const MINUTE: Millis = 60_000;

impl Ledger {
    /// After a pause: what nobody could answer for so long has so much more time.
    fn put_off_defaults(&mut self, now: Millis) {
        let Some(since) = self.paused_at.take() else { return };
        let paused = now.saturating_sub(since).max(0);
        for default in self.open.values_mut().filter_map(|call| call.default.as_mut()) {
            default.at = default.at.saturating_add(paused);
        }
    }

    /// The timeline that an event belongs to.
    pub fn timeline_of(&self, seq: Seq) -> TimelineNo {
        self.timelines.iter().rev().find(|t| t.from_seq <= seq).map_or(1, |t| t.no)
    }

    /// Folds one event; `beside` is true if the request that it may end was to the model beside the run's own.
    pub(super) fn apply(
        &mut self,
        envelope: &Envelope,
        event: &Event,
        beside: bool,
    ) -> Result<(), FoldError> {
        let seq = envelope.seq;
        if checkpoint_kind(event).is_some() {
            self.checkpoints += 1;
        }
        if self.ended.is_some() && !may_follow_end(event) {
            return Err(FoldError::Place { seq, kind: event.kind(), why: "the run is over" });
        }
        match event {
            Event::RunCreated { format, title, workspace, settings, .. } => {
                self.format = *format;
                self.title.clone_from(title);
                self.created = envelope.at;
                self.workspace.clone_from(workspace);
                self.settings = Some(Arc::new(settings.as_ref().clone()));
            }
            Event::RunClaimed { epoch, worker } => {
                if *epoch <= self.epoch {
                    return Err(FoldError::Place { seq, kind: event.kind(), why: "the epoch does not grow" });
                }
                self.epoch = *epoch;
                self.owner = Some(Owner { worker: worker.clone(), epoch: *epoch, since: envelope.at });
            }
            Event::RunReleased { .. } => self.owner = None,
            Event::SettingsChanged { settings, .. } => {
                let before = self.settings.as_ref();
                if before.is_none_or(|before| !before.model.counts_like(&settings.model)) {
                    self.calibration = Calibration::default();
                }
                if before.is_some_and(|before| !before.model.counts_messages_like(&settings.model)) {
                    self.counting_since = envelope.seq;
                }
                self.settings = Some(Arc::new(settings.as_ref().clone()));
            }
            Event::Paused { now } => {
                self.paused = Some(*now);
                self.paused_at.get_or_insert(envelope.at);
            }
            Event::Continued => {
                self.paused = None;
                self.put_off_defaults(envelope.at);
                self.hold = None;
                self.forget_failures();
                self.recent.clear();
            }
            Event::CancelRequested => self.cancelling = true,
            Event::ModelCalled { .. } => self.totals.model_calls += 1,
            Event::ModelReplied { usage, ms, .. } | Event::ModelFailed { usage, ms, .. } => {
                self.charge(usage, *ms, beside);
            }
            Event::ModelAborted { usage, .. } => self.charge(usage, 0, beside),
            Event::Held { why } => self.hold = Some(why.clone()),
            Event::StepCommitted { .. } => {
                self.totals.steps += 1;
                self.failures = self.failures_in_a_row();
                self.outcomes.clear();
                self.redo.clear();
                self.ends.clear();
                self.lost_reports = 0;
            }
            Event::RunEnded { outcome, .. } => {
                self.ended = Some(Ended { outcome: outcome.clone(), seq, at: envelope.at });
                self.cancelling = false;
                self.paused = None;
                self.paused_at = None;
                self.hold = None;
                self.lost_reports = 0;
            }
            Event::RunReopened { .. } => self.ended = None,
            Event::RollbackStarted { to_seq, to_step, files, redo, .. } => {
                self.rollback = Some(RollbackState {
                    seq,
                    to_seq: *to_seq,
                    to_step: *to_step,
                    files: files.clone(),
                    redo: *redo,
                });
            }
            Event::RolledBack { over, .. } => {
                let left = self.ended.take();
                match self.rollback.take() {
                    Some(rollback) if rollback.redo => {
                        let undone = self.redo.pop();
                        let end = self.ends.pop_if(|(seq, _)| Some(*seq) == undone);
                        self.ended = end.filter(|_| *over).map(|(_, ended)| ended);
                    }
                    Some(rollback) => {
                        self.ends.extend(left.map(|ended| (rollback.seq, ended)));
                        self.redo.push(rollback.seq);
                    }
                    None => {}
                }
                self.hold = None;
                self.lost_reports = 0;
                self.forget_failures();
                self.recent.clear();
            }
            Event::RollbackFailed { .. } => self.rollback = None,
            Event::CallProposed(proposal) => self.propose(envelope, proposal),
            Event::CallWaiting { .. }
            | Event::CallApproved { .. }
            | Event::CallEdited { .. }
            | Event::CallRejected { .. }
            | Event::CallDenied { .. }
            | Event::CallCancelled { .. }
            | Event::CallReused { .. }
            | Event::CallAnswered { .. }
            | Event::CallStarted { .. }
            | Event::CallReattached { .. }
            | Event::CallNotStarted { .. }
            | Event::CallFinished { .. }
            | Event::CallUncertain { .. }
            | Event::CallResolved { .. } => self.apply_call(envelope, event)?,
            Event::InstructionsRead { .. }
            | Event::TimeoutExtended { .. }
            | Event::CallStopAsked { .. }
            | Event::GoalEdited { .. }
            | Event::PlanEdited { .. }
            | Event::PersonMessage { .. }
            | Event::ControlRefused { .. }
            | Event::RoundsFolded { .. }
            | Event::CoreKept { .. }
            | Event::OutputsDropped { .. }
            | Event::MessagesRecounted { .. }
            | Event::MemoriesRecalled { .. }
            | Event::ResultKept { .. }
            | Event::CheckFinished { .. }
            | Event::ClaimReturned { .. } => {}
        }
        Ok(())
    }

    /// Keeps the usage of the conversation's last reply, and what the server counted of its prompt less what we did; an
    /// estimate of ours says nothing. `asked` is the request that is answered: our count of its prompt, what it was for.
    /// What a request for the final report took that came to nothing is kept too.
    pub(super) fn note_usage(&mut self, event: &Event, asked: Option<(u32, Purpose)>) {
        if let (
            Event::ModelAborted { usage, .. } | Event::ModelFailed { usage, .. },
            Some((_, Purpose::Report(_))),
        ) = (event, asked)
        {
            self.lost_reports = self.lost_reports.saturating_add(usage.charged());
        }
        if let (Event::ModelReplied { usage, .. }, Some((prompt, purpose))) = (event, asked)
            && !purpose.is_aside()
        {
            let of = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
            if !usage.estimated && self.settings.as_ref().is_some_and(|settings| !settings.model.offline) {
                // Learnt from only where counts are not known; a limit of the server's shows everywhere.
                self.calibration.note(unscaled(prompt, self.factor()), usage.prompt);
            }
            self.last_usage = Some(*usage);
            self.drift = (!usage.estimated).then(|| of(usage.prompt).saturating_sub(i64::from(prompt)));
        }
    }

    /// Where learning begins, thousandths; none if the model's counts are known or nothing is to be learnt.
    fn learns(&self) -> Option<u32> {
        let model = &self.settings.as_ref()?.model;
        model.calibration.filter(|_| !model.exact && !model.offline)
    }

    /// What estimates are multiplied by, thousandths.
    pub fn factor(&self) -> u32 {
        self.learns().map_or(NEUTRAL, |start| self.calibration.factor(start))
    }

    /// Tokens that the server read of the last prompt and that were sent by our count, if it read far fewer (three
    /// fifths at most, since our count may be an estimate, or the same number again and again for prompts that differ):
    /// some servers cut the front of a prompt that is too long, and say nothing.
    pub fn cut_at_front(&self) -> Option<(u64, u64)> {
        let (usage, drift) = (self.last_usage?, self.drift?);
        let sent = usage.prompt.saturating_add(u64::try_from(drift.saturating_neg()).ok()?);
        let few = usage.prompt.saturating_mul(5) <= sent.saturating_mul(3);
        let far = few || self.calibration.is_limit(usage.prompt);
        (far && sent.saturating_sub(usage.prompt) >= FAR_FEWER).then_some((usage.prompt, sent))
    }

    fn charge(&mut self, usage: &Usage, ms: u64, beside: bool) {
        let model = self.settings.as_ref().map(|s| s.model_of(beside));
        let (price, free) = (model.and_then(|m| m.price), model.is_some_and(|m| m.offline));
        if price.is_none() && !free {
            self.price_unknown = true;
        }
        self.totals.add(usage, price.as_ref());
        self.totals.active_ms = self.totals.active_ms.saturating_add(ms);
    }

    fn propose(&mut self, envelope: &Envelope, proposal: &Proposal) {
        self.stats(&proposal.tool).calls += 1;
        let call = Call {
            call_id: proposal.call_id.clone(),
            seq: envelope.seq,
            reply_seq: proposal.reply_seq,
            origin: proposal.origin,
            timeline: envelope.timeline,
            step: proposal.step,
            position: proposal.position,
            tool: proposal.tool.clone(),
            class: proposal.class,
            args_hash: proposal.args_hash.clone(),
            effect_key: proposal.effect_key.clone(),
            args_seq: envelope.seq,
            status: CallStatus::Proposed,
            attempt: 1,
            epoch: 0,
            spool_epoch: 0,
            since: envelope.at,
            why: None,
            may_have_happened: false,
            edited: false,
            shown: None,
            default: None,
        };
        self.open.insert(envelope.seq, call);
    }

    fn stats(&mut self, tool: &str) -> &mut ToolStats {
        let known = self.settings.as_ref().is_some_and(|s| s.tool(tool).is_some());
        let name = if known { tool } else { "(unknown)" };
        self.tools.entry(name.to_owned()).or_default()
    }

    fn call_key(&self, seq: Seq, call_id: &CallId) -> Result<Seq, FoldError> {
        let found = self.open.values().find(|call| call.call_id == *call_id);
        found.map(|call| call.seq).ok_or_else(|| FoldError::NoCall { seq, call: call_id.clone() })
    }

    fn apply_call(&mut self, envelope: &Envelope, event: &Event) -> Result<(), FoldError> {
        let seq = envelope.seq;
        let Some(call_id) = event.call_id() else { return Ok(()) };
        let key = self.call_key(seq, call_id)?;
        let Some(call) = self.open.get_mut(&key) else {
            return Err(FoldError::NoCall { seq, call: call_id.clone() });
        };
        let place = |why| FoldError::Place { seq, kind: event.kind(), why };
        if let Event::CallEdited { args_hash, effect_key, .. } = event {
            if call.status != CallStatus::Waiting {
                return Err(place("only a waiting call can be edited"));
            }
            call.args_hash = args_hash.clone();
            call.effect_key = effect_key.clone();
            call.args_seq = seq;
            call.edited = true;
            return Ok(());
        }
        if let Event::CallApproved { args_hash, .. } = event
            && *args_hash != call.args_hash
        {
            return Err(place("other arguments were approved"));
        }
        if let Event::CallApproved { shown, .. } = event {
            call.shown.clone_from(shown);
        }
        if let Event::CallStarted { attempt, .. } | Event::CallFinished { attempt, .. } = event
            && *attempt != call.attempt
        {
            return Err(place("it is another attempt"));
        }
        let step = call_move(event).ok_or_else(|| place("it moves no call"))?;
        call.status =
            call.status.after(step).map_err(|why| FoldError::Call { seq, call: call_id.clone(), why })?;
        call.since = envelope.at;
        if let Event::CallWaiting { why, .. } | Event::CallUncertain { why, .. } = event {
            call.why = Some(why.clone());
        }
        if let Event::CallWaiting { default, .. } = event {
            call.default = *default;
        }
        if let Event::CallStarted { epoch, .. } | Event::CallReattached { epoch, .. } = event {
            call.epoch = *epoch;
        }
        if let Event::CallStarted { epoch, .. } = event {
            call.spool_epoch = *epoch;
        }
        let rerun = matches!(event, Event::CallResolved { resolution: Resolution::Rerun, .. });
        if rerun || matches!(event, Event::CallNotStarted { .. }) {
            call.attempt += 1;
        }
        call.may_have_happened |= rerun;
        let call = call.clone();
        self.count(envelope.at, event, &call);
        if call.status.is_closed() {
            self.open.remove(&key);
        }
        Ok(())
    }

    /// Counters that a call's event moves.
    fn count(&mut self, at: Millis, event: &Event, call: &Call) {
        if let Event::CallFinished { ok, result, ms, .. } = event {
            self.count_finish(*ok, &result.body.hash(), *ms, call);
        } else if let Event::CallUncertain { ms, .. } = event {
            // Whatever came of it, it ran.
            self.totals.active_ms = self.totals.active_ms.saturating_add(*ms);
        } else if let Event::CallStarted { .. } = event {
            self.totals.tool_calls = self.totals.tool_calls.saturating_add(1);
            while self.minute.front().is_some_and(|t| *t + MINUTE <= at) {
                self.minute.pop_front();
            }
            self.minute.push_back(at);
            self.stats(&call.tool).started += 1;
        } else if let Event::CallRejected { kind, result, .. } = event {
            self.stats(&call.tool).rejected += 1;
            // Too many calls within a minute: time alone mends that.
            if kind != QUOTA_MINUTE {
                // One of a reply: the model could not know better yet when it wrote the others.
                if !self.outcomes.iter().any(|(reply, _, ok)| *reply == call.reply_seq && !ok) {
                    self.remember(call, &result.body.hash());
                }
                self.outcomes.push((call.reply_seq, call.position, false));
            }
        } else if let Event::CallDenied { .. } = event {
            self.stats(&call.tool).denied += 1;
        } else if let Event::CallAnswered { .. } | Event::CallReused { ok: true, .. } = event {
            self.stats(&call.tool).done += 1;
        } else if let Event::CallReused { ok: false, .. } = event {
            // A person chose it: it is no failure in a row.
            self.stats(&call.tool).failed += 1;
        }
    }

    fn count_finish(&mut self, ok: bool, result: &Hash, ms: u64, call: &Call) {
        self.totals.active_ms = self.totals.active_ms.saturating_add(ms);
        let stats = self.stats(&call.tool);
        stats.ms = stats.ms.saturating_add(ms);
        if ok {
            stats.done += 1;
        } else {
            stats.failed += 1;
        }
        self.outcomes.push((call.reply_seq, call.position, ok));
        self.remember(call, result);
    }

    /// Keeps what a call came to, for loop detection.
    fn remember(&mut self, call: &Call, result: &Hash) {
        let key = Hash::of_parts(&[call.effect_key.as_str().as_bytes(), result.as_str().as_bytes()]);
        self.recent.push_back(key);
        while self.recent.len() > RECENT_CALLS {
            self.recent.pop_front();
        }
    }

    /// Failures since the last call that went well, in the order in which the model asked: that some calls of a reply are
    /// refused before others run plays no part.
    pub fn failures_in_a_row(&self) -> u32 {
        let mut outcomes: Vec<&(Seq, u32, bool)> = self.outcomes.iter().collect();
        outcomes.sort_by_key(|(reply, position, _)| (*reply, *position));
        outcomes.iter().fold(self.failures, |row, (_, _, ok)| if *ok { 0 } else { row.saturating_add(1) })
    }

    fn forget_failures(&mut self) {
        self.failures = 0;
        self.outcomes.clear();
    }

    /// How often one and the same call with one and the same result stands among the recent ones, at most: other calls
    /// beside it do not make it less of a loop.
    pub fn repeats(&self) -> u32 {
        let times = |one: &Hash| self.recent.iter().filter(|key| *key == one).count();
        u32::try_from(self.recent.iter().map(times).max().unwrap_or(0)).unwrap_or(u32::MAX)
    }

    /// Starts within the minute before `now`, and when the oldest of them leaves it.
    pub fn starts_within_minute(&self, now: Millis) -> (u32, Option<Millis>) {
        let inside: Vec<Millis> = self.minute.iter().copied().filter(|t| *t + MINUTE > now).collect();
        (u32::try_from(inside.len()).unwrap_or(u32::MAX), inside.first().map(|t| t + MINUTE))
    }

    /// True if the class of some open, started call could have an effect.
    pub fn effect_in_flight(&self) -> bool {
        self.open
            .values()
            .any(|c| c.status == CallStatus::Started && matches!(c.class, Class::Effect | Class::Keyed))
    }
}

/// The move that an event makes, if it moves a call.
pub fn call_move(event: &Event) -> Option<CallMove> {
    let step = match event {
        Event::CallWaiting { .. } => CallMove::Wait,
        Event::CallApproved { .. } => CallMove::Approve,
        Event::CallRejected { .. } => CallMove::Reject,
        Event::CallDenied { .. } => CallMove::Deny,
        Event::CallCancelled { .. } => CallMove::Cancel,
        Event::CallAnswered { .. } => CallMove::Answer,
        Event::CallReused { ok: true, .. } => CallMove::Reuse,
        Event::CallReused { ok: false, .. } => CallMove::ReuseFailed,
        Event::CallStarted { .. } => CallMove::Start,
        Event::CallReattached { .. } => CallMove::Reattach,
        Event::CallNotStarted { end: None, .. } => CallMove::NotStarted,
        Event::CallNotStarted { end: Some(end), .. } if end.cancelled => CallMove::NotStartedCancel,
        Event::CallNotStarted { end: Some(_), .. } => CallMove::Fail,
        Event::CallFinished { ok: true, .. } => CallMove::Finish,
        Event::CallFinished { ok: false, .. } => CallMove::Fail,
        Event::CallUncertain { .. } => CallMove::Doubt,
        Event::CallResolved { resolution: Resolution::Happened, .. } => CallMove::Finish,
        Event::CallResolved { resolution: Resolution::Rerun, .. } => CallMove::Rerun,
        Event::CallResolved { resolution: Resolution::Skip, .. } => CallMove::Skip,
        Event::RunCreated { .. }
        | Event::RunClaimed { .. }
        | Event::RunReleased { .. }
        | Event::SettingsChanged { .. }
        | Event::InstructionsRead { .. }
        | Event::GoalEdited { .. }
        | Event::PlanEdited { .. }
        | Event::PersonMessage { .. }
        | Event::ControlRefused { .. }
        | Event::Paused { .. }
        | Event::Continued
        | Event::CancelRequested
        | Event::ModelCalled { .. }
        | Event::ModelReplied { .. }
        | Event::ModelFailed { .. }
        | Event::ModelAborted { .. }
        | Event::CallProposed(_)
        | Event::CallEdited { .. }
        | Event::TimeoutExtended { .. }
        | Event::CallStopAsked { .. }
        | Event::StepCommitted { .. }
        | Event::Held { .. }
        | Event::RoundsFolded { .. }
        | Event::CoreKept { .. }
        | Event::OutputsDropped { .. }
        | Event::MessagesRecounted { .. }
        | Event::MemoriesRecalled { .. }
        | Event::ResultKept { .. }
        | Event::CheckFinished { .. }
        | Event::ClaimReturned { .. }
        | Event::RunEnded { .. }
        | Event::RunReopened { .. }
        | Event::RollbackStarted { .. }
        | Event::RolledBack { .. }
        | Event::RollbackFailed { .. } => return None,
    };
    Some(step)
}

/// The checkpoint that an event makes, if it makes one.
pub fn checkpoint_kind(event: &Event) -> Option<CheckpointKind> {
    match event {
        Event::RunCreated { .. } => Some(CheckpointKind::Start),
        Event::StepCommitted { .. } => Some(CheckpointKind::Step),
        Event::RunEnded { .. } => Some(CheckpointKind::End),
        Event::RollbackStarted { .. } => Some(CheckpointKind::BeforeRollback),
        Event::RunClaimed { .. }
        | Event::RunReleased { .. }
        | Event::SettingsChanged { .. }
        | Event::InstructionsRead { .. }
        | Event::GoalEdited { .. }
        | Event::PlanEdited { .. }
        | Event::PersonMessage { .. }
        | Event::ControlRefused { .. }
        | Event::Paused { .. }
        | Event::Continued
        | Event::CancelRequested
        | Event::ModelCalled { .. }
        | Event::ModelReplied { .. }
        | Event::ModelFailed { .. }
        | Event::ModelAborted { .. }
        | Event::CallProposed(_)
        | Event::CallWaiting { .. }
        | Event::CallApproved { .. }
        | Event::CallEdited { .. }
        | Event::CallRejected { .. }
        | Event::CallDenied { .. }
        | Event::CallCancelled { .. }
        | Event::CallReused { .. }
        | Event::CallAnswered { .. }
        | Event::CallStarted { .. }
        | Event::CallReattached { .. }
        | Event::CallNotStarted { .. }
        | Event::TimeoutExtended { .. }
        | Event::CallStopAsked { .. }
        | Event::CallFinished { .. }
        | Event::CallUncertain { .. }
        | Event::CallResolved { .. }
        | Event::Held { .. }
        | Event::RoundsFolded { .. }
        | Event::CoreKept { .. }
        | Event::OutputsDropped { .. }
        | Event::MessagesRecounted { .. }
        | Event::MemoriesRecalled { .. }
        | Event::ResultKept { .. }
        | Event::CheckFinished { .. }
        | Event::ClaimReturned { .. }
        | Event::RunReopened { .. }
        | Event::RolledBack { .. }
        | Event::RollbackFailed { .. } => None,
    }
}

/// What may stand in the journal after a run's end.
fn may_follow_end(event: &Event) -> bool {
    matches!(
        event,
        Event::RunReopened { .. }
            | Event::RunClaimed { .. }
            | Event::RunReleased { .. }
            | Event::ControlRefused { .. }
            | Event::SettingsChanged { .. }
            | Event::GoalEdited { .. }
            | Event::PlanEdited { .. }
            | Event::PersonMessage { .. }
            | Event::RollbackStarted { .. }
            | Event::RollbackFailed { .. }
            | Event::RolledBack { .. }
            | Event::CallResolved { .. }
            | Event::CallFinished { .. }
    )
}
