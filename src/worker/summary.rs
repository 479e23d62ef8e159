//! What the model is asked aside: the summary that stands for the oldest rounds when they are folded (else that of the
//! rules), and the goal keeper's core of the task.
//!
//! What the model is asked is a request of its own, an aside: its reply does not enter the conversation. Asked a bounded
//! number of times, counted in the journal, so that a kill in the middle neither asks for ever nor folds twice. The reply and
//! the fold are one commit. In doubt (offline, replayed, near a limit, a reply that is no summary) the rules do it.

use super::beside::Beside;
use super::driver::Driver;
use super::error::WorkError;
use super::replay::PREFIX;
use crate::agent::ends;
use crate::context::{self, Assembled, FoldPlan, SUMMARY_TRIES, Texts, Written};
use crate::host::fault::fault;
use crate::provider::Reply;
use crate::run::Body;
use crate::run::event::{Event, Purpose, ResultText};
use crate::run::id::Seq;
use crate::run::settings::ModelSettings;
use crate::run::state::Turn;
use crate::store::Durability;

impl Driver<'_> {
    /// The request to the goal keeper, if it is due and may be asked.
    pub(super) fn keeper_request(&mut self, texts: &Texts) -> Option<(Assembled, Option<Beside>)> {
        if self.state.path.turn != Turn::Idle || !context::keeper_due(&self.state) || self.is_replay() {
            return None;
        }
        let keeper = &self.state.path.keeper;
        let tries = if keeper.at == self.state.path.step { keeper.tries } else { 0 };
        self.of_either(tries, |driver, beside| {
            context::keeper_request(&driver.state, texts, &|text| driver.count(text), beside)
        })
    }

    /// A request to the model beside the run's own, else to that; none if neither can take it within the limits.
    fn of_either(
        &mut self,
        tries: u32,
        request: impl Fn(&Self, Option<context::Beside>) -> Option<Assembled>,
    ) -> Option<(Assembled, Option<Beside>)> {
        let allowed = |driver: &Self, model: &ModelSettings, made: &Assembled| {
            ends::breaks(&driver.state, model, made.table.total(), false).is_none()
        };
        if let Some(by) = self.beside(tries) {
            let count = |text: &str| by.counter.count(text);
            let made = request(self, Some(context::Beside { model: &by.model, count: &count }));
            if let Some(made) = made.filter(|made| allowed(self, &by.model, made)) {
                return Some((made, Some(by)));
            }
        }
        let own = &self.settings().ok()?.model;
        request(self, None).filter(|made| allowed(self, own, made)).map(|made| (made, None))
    }

    /// Asks the goal keeper.
    pub(super) async fn ask_keeper(
        &mut self,
        request: Assembled,
        by: Option<Beside>,
    ) -> Result<(), WorkError> {
        let attempt = self.state.path.keeper.tries + 1;
        Box::pin(self.ask(request, Purpose::Keeper, attempt, by)).await
    }

    /// The keeper answered: its sentences stand from here on, unless there are none.
    pub(super) async fn core_kept(&mut self, reply: Reply, prompt: u32) -> Result<(), WorkError> {
        let reply = self.masked(reply);
        let texts = self.texts.load(&self.engine.store, &self.state).await?;
        let read = context::read_keeper(&self.state, &texts, &reply.text, &|text| self.count(text));
        let by = self.asked_beside();
        let mut batch = self.batch();
        self.push_reply(&mut batch, &reply, prompt, read.as_ref().err().copied())?;
        if let Ok(kept) = read {
            let summary =
                kept.summary.map(|text| ResultText { tokens: self.count(&text), body: batch.bag.body(text) });
            batch.push(Event::CoreKept {
                text: kept.core,
                summary,
                removed: kept.removed,
                left_out: kept.left_out,
                by,
            })?;
        }
        self.commit(batch, Durability::Unsynced).await
    }

    /// The model beside the run's own, if it is the one that is asked now.
    fn asked_beside(&self) -> Option<String> {
        match &self.state.path.turn {
            Turn::Asking(asking) => asking.by.clone(),
            Turn::Idle
            | Turn::Retry { .. }
            | Turn::Acting { .. }
            | Turn::Claiming { .. }
            | Turn::Reported { .. } => None,
        }
    }

    /// An aside's reply without keys. No tools were offered with it.
    fn masked(&self, mut reply: Reply) -> Reply {
        reply.text = self.masks.owned(reply.text);
        reply.reasoning = reply.reasoning.map(|text| self.masks.owned(text));
        reply.calls.clear();
        reply
    }

    /// A recorded run gives the replies of its turns and no others.
    fn is_replay(&self) -> bool {
        self.settings().is_ok_and(|settings| settings.model.profile.starts_with(PREFIX))
    }

    /// The request for the summary of a fold; none if the rules are to write it.
    pub(super) fn summary_request(
        &mut self,
        plan: &FoldPlan,
        texts: &Texts,
    ) -> Option<(Assembled, Option<Beside>)> {
        let tries = self.state.path.summary_tries;
        // A step that is being tried again has its own count, which an aside would end.
        if self.state.path.turn != Turn::Idle
            || tries >= SUMMARY_TRIES
            || plan.rounds == 0
            || self.is_replay()
        {
            return None;
        }
        self.of_either(tries, |driver, beside| {
            context::summary_request(&driver.state, texts, plan.upto, &|text| driver.count(text), beside)
        })
    }

    /// Asks the model for the summary of a fold.
    pub(super) async fn ask_for_summary(
        &mut self,
        plan: &FoldPlan,
        request: Assembled,
        by: Option<Beside>,
    ) -> Result<(), WorkError> {
        let purpose = Purpose::Summary { upto: plan.upto, rounds: plan.rounds };
        let attempt = self.state.path.summary_tries + 1;
        Box::pin(self.ask(request, purpose, attempt, by)).await
    }

    /// The model's summary came: the rounds are folded with it, unless it is none.
    pub(super) async fn summarised(
        &mut self,
        reply: Reply,
        upto: Seq,
        rounds: u32,
        prompt: u32,
    ) -> Result<(), WorkError> {
        let reply = self.masked(reply);
        let texts = self.texts.load(&self.engine.store, &self.state).await?;
        let read = context::read_summary(&self.state, &texts, upto, &reply.text, &|text| self.count(text));
        let by = self.asked_beside();
        let done = context::done_calls(&self.state, &texts, upto);
        let mut batch = self.batch();
        self.push_reply(&mut batch, &reply, prompt, read.as_ref().err().copied())?;
        if let Ok(Written { text, left_out }) = read {
            let summary = Some(ResultText { tokens: self.count(&text), body: batch.bag.body(text) });
            batch.push(Event::RoundsFolded { upto, rounds, summary, by_model: true, by, left_out, done })?;
        }
        self.commit(batch, Durability::Unsynced).await?;
        fault("worker.summarised");
        Ok(())
    }

    /// Folds with the summary of the rules.
    pub(super) async fn fold(&mut self, plan: &FoldPlan, texts: &Texts) -> Result<(), WorkError> {
        let summary = context::summarise(&self.state, texts, plan.upto, &|text| self.count(text));
        let mut batch = self.batch();
        let before = self.state.path.folded.as_ref().and_then(|folded| folded.summary.as_ref());
        let before: Option<(&Body, &str)> =
            before.zip(texts.summary.as_deref()).map(|(summary, text)| (&summary.body, text));
        let summary = summary
            .map(|text| ResultText { tokens: self.count(&text), body: batch.bag.body_like(text, before) });
        batch.push(Event::RoundsFolded {
            upto: plan.upto,
            rounds: plan.rounds,
            summary,
            by_model: false,
            by: None,
            left_out: 0,
            done: context::done_calls(&self.state, texts, plan.upto),
        })?;
        self.commit(batch, Durability::Unsynced).await
    }
}
