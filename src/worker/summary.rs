//! Folding the oldest rounds: the summary that stands for them is the model's, or that of the rules.
//!
//! What the model is asked is a request of its own, an aside: its reply does not enter the conversation. Asked a bounded
//! number of times, counted in the journal, so that a kill in the middle neither asks for ever nor folds twice. The reply and
//! the fold are one commit. In doubt (offline, replayed, near a limit, a reply that is no summary) the rules do it.

use super::driver::Driver;
use super::error::WorkError;
use super::replay::PREFIX;
use crate::agent::ends;
use crate::context::{self, Assembled, FoldPlan, SUMMARY_TRIES, Texts};
use crate::host::fault::fault;
use crate::provider::Reply;
use crate::run::Body;
use crate::run::event::{Event, Purpose, ResultText};
use crate::run::id::Seq;
use crate::run::state::Turn;
use crate::store::Durability;

impl Driver<'_> {
    /// The request for the summary of a fold; none if the rules are to write it.
    pub(super) fn summary_request(&self, plan: &FoldPlan, texts: &Texts) -> Option<Assembled> {
        let path = &self.state.path;
        // A step that is being tried again has its own count, which an aside would end.
        if path.turn != Turn::Idle || path.summary_tries >= SUMMARY_TRIES || plan.rounds == 0 {
            return None;
        }
        // A recorded run gives the replies of its turns and no others.
        if self.settings().ok()?.model.profile.starts_with(PREFIX) {
            return None;
        }
        let request = context::summary_request(&self.state, texts, plan.upto, &|text| self.count(text))?;
        ends::breaks(&self.state, request.table.total(), false).is_none().then_some(request)
    }

    /// Asks the model for the summary of a fold.
    pub(super) async fn ask_for_summary(
        &mut self,
        plan: &FoldPlan,
        request: Assembled,
    ) -> Result<(), WorkError> {
        let purpose = Purpose::Summary { upto: plan.upto, rounds: plan.rounds };
        let attempt = self.state.path.summary_tries + 1;
        Box::pin(self.ask(request, purpose, attempt)).await
    }

    /// The model's summary came: the rounds are folded with it, unless it is none.
    pub(super) async fn summarised(
        &mut self,
        mut reply: Reply,
        upto: Seq,
        rounds: u32,
        prompt: u32,
    ) -> Result<(), WorkError> {
        reply.text = self.masks.owned(reply.text);
        reply.reasoning = reply.reasoning.map(|text| self.masks.owned(text));
        // None were offered.
        reply.calls.clear();
        let texts = self.texts.load(&self.engine.store, &self.state).await?;
        let read = context::read_summary(&self.state, &texts, upto, &reply.text, &|text| self.count(text));
        let mut batch = self.batch();
        self.push_reply(&mut batch, &reply, prompt)?;
        if let Ok(text) = read {
            let summary = Some(ResultText { tokens: self.count(&text), body: batch.bag.body(text) });
            batch.push(Event::RoundsFolded { upto, rounds, summary, by_model: true })?;
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
        batch.push(Event::RoundsFolded { upto: plan.upto, rounds: plan.rounds, summary, by_model: false })?;
        self.commit(batch, Durability::Unsynced).await
    }
}
