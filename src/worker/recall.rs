//! Memories for a run: what is near to its goal and present step is offered with each request, and recorded when it
//! changes, so that a past request can be made again and nothing is looked up twice after a kill. A source of vectors that
//! does not answer is said once in a run; words alone count then.

use super::driver::Driver;
use super::error::WorkError;
use super::vectors::Vectors;
use crate::context::{MessageText, Texts};
use crate::recall::Policy;
use crate::run::event::Event;
use crate::run::memory::{Recalled, Under};
use crate::run::plan::PlanState;
use crate::run::{RunId, RunState};
use crate::store::{Durability, Offered, Query, Store, Vector};
use crate::tool::RecallArgs;
use std::path::Path;

/// Characters of the last words that say what the step is about.
const LAST_WORDS: usize = 500;
/// Least score of what a tool call is given, percent: the agent asked for these words.
const LEAST: u8 = 8;

impl Driver<'_> {
    /// Looks for the memories that fit now, and records them if they are others than before. True if they are.
    pub async fn recall(&mut self, texts: &Texts) -> Result<bool, WorkError> {
        // Where memories have no share of the window preferences are offered all the same: their place is the system part.
        let alone = self.settings()?.context.memory_percent == 0;
        let text = if alone { String::new() } else { about(&self.state, texts) };
        let vectors = self.engine.vectors.as_deref().filter(|_| !alone);
        let (vector, words_alone) = meaning(&self.engine.store, vectors, &text).await?;
        let path = &self.state.path;
        let query = Query {
            text,
            vector,
            run: Some(self.run.clone()),
            workspace: Some(self.state.ledger.workspace.clone()),
            policy: Policy { conflict: Policy::SIDES, ..Policy::default() },
        };
        let least = query.policy.least;
        let Offered { memories: mut items, under, mut preferences } =
            self.engine.store.offered(query).await?;
        items.retain(|_| !alone);
        let under = (!alone && !under.is_empty()).then(|| self.under(&under, least));
        for item in &mut items {
            item.why.words_alone = words_alone.is_some();
            // What was kept before a form of secrets was known.
            item.text = self.masks.remembered(&item.text);
        }
        preferences.iter_mut().for_each(|one| one.text = self.masks.remembered(&one.text));
        // Said once in a run.
        let words_alone = words_alone.filter(|_| !path.words_alone);
        let known = same(&items, &path.recalled) && preferences == path.preferences && under == path.under;
        if words_alone.is_none() && known {
            return Ok(false);
        }
        let mut batch = self.batch();
        batch.push(Event::MemoriesRecalled { items, preferences, words_alone, under })?;
        self.commit(batch, Durability::Unsynced).await?;
        Ok(true)
    }

    /// What only its score kept out, in figures.
    fn under(&self, all: &[Recalled], least: u8) -> Under {
        let tokens = |one: &Recalled| self.count(&format!("{}\n", self.masks.remembered(&one.line())));
        Under {
            items: u32::try_from(all.len()).unwrap_or(u32::MAX),
            least,
            tokens: all.iter().fold(0, |sum, one| sum.saturating_add(tokens(one))),
        }
    }
}

/// The vector of what is looked for, if there is a source of vectors and something to compare it with; else, if the
/// source should have given one, why it has not.
async fn meaning(
    store: &Store,
    vectors: Option<&Vectors>,
    text: &str,
) -> Result<(Option<Vector>, Option<String>), WorkError> {
    let Some(vectors) = vectors else { return Ok((None, None)) };
    if !store.remembers().await? {
        return Ok((None, None));
    }
    Ok(match vectors.of(text).await {
        Ok(vector) => (vector, None),
        Err(why) => (None, Some(why)),
    })
}

/// Whether the model would read the same: scores alone are no reason to write them down anew.
fn same(new: &[Recalled], old: &[Recalled]) -> bool {
    let read = |one: &Recalled| (one.id, one.text.clone(), one.disagrees_with, one.more);
    new.iter().map(read).eq(old.iter().map(read))
}

/// What the step is about: the goal, the sub-goals at work, open questions, and the agent's last words.
fn about(state: &RunState, texts: &Texts) -> String {
    let path = &state.path;
    let mut about = vec![path.goal.text.clone()];
    about.extend(
        path.plan.iter().filter(|item| item.state == PlanState::Active).map(|item| item.title.clone()),
    );
    about.extend(path.questions.iter().rev().take(2).map(|note| note.text.clone()));
    let last = path.messages.iter().rev().find_map(|message| match texts.messages.get(&message.seq) {
        Some(MessageText::Agent { text, .. } | MessageText::Person { text }) if !text.trim().is_empty() => {
            Some(text.chars().take(LAST_WORDS).collect::<String>())
        }
        Some(
            MessageText::Agent { .. }
            | MessageText::Person { .. }
            | MessageText::Result { .. }
            | MessageText::Wakeful { .. },
        )
        | None => None,
    });
    about.extend(last);
    about.join("\n")
}

/// What the agent asked for among the memories that its run may see.
///
/// # Errors
/// The store's.
pub async fn asked(
    store: &Store,
    vectors: Option<&Vectors>,
    run: &RunId,
    workspace: &Path,
    args: &RecallArgs,
) -> Result<Vec<Recalled>, WorkError> {
    let (vector, words_alone) = meaning(store, vectors, &args.query).await?;
    let query = Query {
        text: args.query.clone(),
        vector,
        run: Some(run.clone()),
        workspace: Some(workspace.to_owned()),
        policy: Policy { most: args.most(), least: LEAST, results: args.most(), conflict: Policy::SIDES },
    };
    let found = store.recall(query).await?;
    let mut found: Vec<Recalled> = found.into_iter().map(|(_, recalled)| recalled).collect();
    // Here pinned ones are no more than others: the agent asked for so many. Those of a conflict stay or go as one.
    let (mut taken, mut stays) = (0, false);
    found.retain(|one| {
        if !one.beside {
            stays = one.score >= LEAST && taken < args.most();
            taken += usize::from(stays);
        }
        stays
    });
    found.iter_mut().for_each(|one| one.why.words_alone = words_alone.is_some());
    Ok(found)
}
