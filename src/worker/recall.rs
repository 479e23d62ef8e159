//! Memories for a run: what is near to its goal and present step is offered with each request, and recorded when it
//! changes, so that a past request can be made again and nothing is looked up twice after a kill.

use super::driver::Driver;
use super::error::WorkError;
use crate::context::{MessageText, Texts};
use crate::recall::Policy;
use crate::run::event::Event;
use crate::run::memory::Recalled;
use crate::run::plan::PlanState;
use crate::run::{RunId, RunState};
use crate::store::{Durability, Query, Store};
use crate::tool::RecallArgs;
use std::path::Path;

/// Characters of the last words that say what the step is about.
const LAST_WORDS: usize = 500;
/// Least score of what a tool call is given, percent: the agent asked for these words.
const LEAST: u8 = 8;

impl Driver<'_> {
    /// Looks for the memories that fit now, and records them if they are others than before. True if they are.
    pub async fn recall(&mut self, texts: &Texts) -> Result<bool, WorkError> {
        if self.settings()?.context.memory_percent == 0 {
            return Ok(false);
        }
        let path = &self.state.path;
        let query = Query {
            text: about(&self.state, texts),
            vector: None,
            run: Some(self.run.clone()),
            workspace: Some(self.state.ledger.workspace.clone()),
            policy: Policy::default(),
        };
        let (items, preferences) = self.engine.store.offered(query).await?;
        if same(&items, &path.recalled) && preferences == path.preferences {
            return Ok(false);
        }
        let mut batch = self.batch();
        batch.push(Event::MemoriesRecalled { items, preferences })?;
        self.commit(batch, Durability::Unsynced).await?;
        Ok(true)
    }
}

/// Whether the model would read the same: scores alone are no reason to write them down anew.
fn same(new: &[Recalled], old: &[Recalled]) -> bool {
    let read = |one: &Recalled| (one.id, one.text.clone(), one.disagrees_with);
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
    run: &RunId,
    workspace: &Path,
    args: &RecallArgs,
) -> Result<Vec<Recalled>, WorkError> {
    let query = Query {
        text: args.query.clone(),
        vector: None,
        run: Some(run.clone()),
        workspace: Some(workspace.to_owned()),
        policy: Policy { most: args.most(), least: LEAST },
    };
    let found = store.recall(query).await?;
    Ok(found.into_iter().map(|(_, recalled)| recalled).filter(|recalled| recalled.score >= LEAST).collect())
}
