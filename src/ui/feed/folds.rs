//! Which rounds left the window together, and what the summary says of them.
//!
//! Read once and then only added to. A summary is one of all that left the window; what a fold says of its own rounds is
//! what the summary before it did not say. Not to be assumed: that there are such words. Under the strategy `rounds` there
//! are none, and those of the oldest folds are not kept; their steps tell what happened.

use super::read::StepSpan;
use crate::agent::rollback::on_chain;
use crate::context::summary_lines;
use crate::run::{Body, Decoded, Envelope, Event, RunId, RunState, Seq};
use crate::store::{Store, StoreError};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Folds whose words are kept, the newest ones.
const WORDED: usize = 100;
/// Characters that tell two lines of summaries apart: older ones are shortened when room gets short.
const BEGIN: usize = 40;
/// Most characters of a fold's words.
const LONG: usize = 600;

/// Rounds that left the window together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The `RoundsFolded` event.
    pub seq: Seq,
    /// The steps that begin at or before this event are gone, but for those that an earlier fold took.
    pub upto: Seq,
    /// What the summary says of them; empty if it says nothing, or of an old fold. Not neutral.
    pub words: String,
    /// The summary in force from here.
    summary: Option<Body>,
}

/// The folds of the present timeline, oldest first. `before` are those that were read up to `after`.
pub(super) async fn read(
    store: &Store,
    run: &RunId,
    state: &RunState,
    steps: &[StepSpan],
    before: Option<(&Arc<Vec<Fold>>, Seq)>,
) -> Result<Arc<Vec<Fold>>, StoreError> {
    let Some(folded) = &state.path.folded else { return Ok(Arc::default()) };
    let (known, after) = before.map_or((&[][..], 0), |(folds, seq)| (folds.as_slice(), seq));
    if let Some((same, _)) = before
        && known.last().is_some_and(|last| last.seq >= folded.seq)
    {
        return Ok(Arc::clone(same));
    }
    let end = (Seq::MAX, state.head.timeline);
    let new = store.events_of(run, "rounds_folded", after).await?;
    let new = new.iter().filter(|e| on_chain(&state.ledger.timelines, end, (e.seq, e.timeline)));
    let new: Vec<Fold> = new.filter_map(fold).collect();
    if let Some((same, _)) = before
        && new.is_empty()
    {
        return Ok(Arc::clone(same));
    }
    let mut folds: Vec<Fold> = known.iter().cloned().chain(new).collect();
    let first = folds.len().saturating_sub(WORDED);
    let text = async |body: Option<Body>| match body {
        Some(body) => said(store, &body).await,
        None => Ok(String::new()),
    };
    let from = known.len().max(first);
    let mut was = text(from.checked_sub(1).and_then(|at| folds.get(at)?.summary.clone())).await?;
    for fold in folds.iter_mut().skip(from) {
        let now = text(fold.summary.clone()).await?;
        fold.words = new_words(&was, &now);
        was = now;
        if !ends_step(store, run, fold.upto).await? {
            let at = steps.partition_point(|span| span.from <= fold.upto);
            let step = at.checked_sub(1).and_then(|at| steps.get(at));
            fold.upto = step.map_or(fold.upto, |span| span.from.saturating_sub(1));
        }
    }
    for fold in folds.iter_mut().take(first) {
        (fold.words, fold.summary) = (String::new(), None);
    }
    Ok(Arc::new(folds))
}

fn fold(envelope: &Envelope) -> Option<Fold> {
    let Decoded::Known(event) = &envelope.event else { return None };
    let Event::RoundsFolded { upto, summary, .. } = event.as_ref() else { return None };
    let summary = summary.as_ref().map(|summary| summary.body.clone());
    Some(Fold { seq: envelope.seq, upto: *upto, words: String::new(), summary })
}

/// Whether the step of this message is gone with it. What a person or wakeful said comes before a reply that stays.
async fn ends_step(store: &Store, run: &RunId, upto: Seq) -> Result<bool, StoreError> {
    let message = store.event(run, upto).await?;
    Ok(!message.is_some_and(|envelope| match &envelope.event {
        Decoded::Known(event) => {
            matches!(event.as_ref(), Event::PersonMessage { .. } | Event::ClaimReturned { .. })
        }
        Decoded::Unknown { .. } => false,
    }))
}

/// A summary; nothing of one that is damaged, as the rest can be shown.
async fn said(store: &Store, body: &Body) -> Result<String, StoreError> {
    match store.text(body).await {
        Err(StoreError::NoBlob { .. } | StoreError::BadBlob { .. }) => Ok(String::new()),
        text => text,
    }
}

/// The lines that are new, on one.
pub(in crate::ui) fn new_words(was: &str, now: &str) -> String {
    let begin = |line: &String| -> String { line.chars().take(BEGIN).collect() };
    let known: BTreeSet<String> = summary_lines(was).iter().map(begin).collect();
    let new = summary_lines(now).into_iter().filter(|line| !known.contains(&begin(line)));
    new.collect::<Vec<_>>().join("; ").chars().take(LONG).collect()
}

#[cfg(test)]
impl Fold {
    /// A fold that says this.
    pub fn saying(seq: Seq, upto: Seq, words: &str) -> Self {
        Self { seq, upto, words: words.to_owned(), summary: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fold_says_what_the_summary_before_it_did_not() {
        let first = "- Read the crate.; read_file src/lib.rs: ok\n- Baseline: 214 s.\nLAST MESSAGE OF THE PERSON, verbatim:\nKeep the order.\n- and this";
        assert_eq!(new_words("", first), "Read the crate.; read_file src/lib.rs: ok; Baseline: 214 s.");
        let second = "- (1 earlier rounds left out)\n- Baseline: 214 s.\n- person: \"Keep the order.\"\n- Bench harness.\n";
        assert_eq!(new_words(first, second), "Bench harness.");
        assert_eq!(new_words(first, first), "");
        assert_eq!(new_words("", ""), "");
        assert!(new_words("", &format!("- {}", "长".repeat(900))).chars().count() <= LONG);
    }
}
