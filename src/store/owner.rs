//! Who owns a run. Taking it is one transaction: nobody has it, we have it, or its owner is dead. Never is it taken
//! from a living worker, however long it sleeps; a living one that lost it all the same is fenced by its old epoch.

use super::bridge;
use super::commit::{Prepared, append, open_for_writing};
use super::error::StoreError;
use super::open::Store;
use super::types::{Claim, Durability, Loaded};
use crate::run::{Epoch, Event, Millis, RunId, RunState, WorkerId};
use std::sync::Arc;

enum Taken {
    Ours(Arc<RunState>),
    Held { worker: WorkerId, since: Millis },
}

impl Store {
    /// True if that worker lives, as far as can be seen.
    pub fn is_alive(&self, worker: &WorkerId) -> bool {
        (self.inner.shared.alive)(worker)
    }

    /// Takes a run for a worker under a new epoch, unless a living worker other than this one has it.
    ///
    /// # Errors
    /// [`StoreError::NoRun`], [`StoreError::Damaged`], [`StoreError::ReadOnly`], [`StoreError::Full`],
    /// [`StoreError::Busy`]. Nothing is taken then.
    pub async fn claim(&self, run: &RunId, worker: &WorkerId, now: Millis) -> Result<Claim, StoreError> {
        let (run, worker) = (run.clone(), worker.clone());
        let taken = self
            .write(move |writer| {
                let alive = Arc::clone(&writer.shared.alive);
                // Synced: an epoch that a power cut took back would name spools a second time.
                let taken = writer.transaction(Durability::Synced, |conn, remembered| {
                    let open = open_for_writing(conn, remembered, &run)?;
                    if let Some(owner) = &open.state.ledger.owner
                        && owner.worker != worker
                        && alive(&owner.worker)
                    {
                        return Ok(Taken::Held { worker: owner.worker.clone(), since: owner.since });
                    }
                    // A run whose damage is known goes on only when a person says so, also where its state is whole.
                    if let Some(damage) = bridge::marked(conn, open.head.run_no, open.head.snap_seq)? {
                        return Err(StoreError::Damaged { run: run.clone(), damage });
                    }
                    let claimed =
                        Event::RunClaimed { epoch: open.state.ledger.epoch + 1, worker: worker.clone() };
                    let prepared = Prepared::own(run.clone(), now, vec![claimed])?;
                    let (run_no, snap_seq) = (open.head.run_no, open.head.snap_seq);
                    Ok(Taken::Ours(append(conn, run_no, &open.state, snap_seq, &prepared)?))
                })?;
                if let Taken::Ours(state) = &taken {
                    writer.remembered.put(state);
                }
                Ok(taken)
            })
            .await?;
        Ok(match taken {
            Taken::Ours(state) => Claim::Owned(Loaded { state, damage: None }),
            Taken::Held { worker, since } => Claim::HeldBy { worker, since },
        })
    }

    /// Gives a run back, whatever its head is by now; that it is not ours any more is [`StoreError::Stale`].
    ///
    /// # Errors
    /// [`StoreError::Stale`], or what a write can meet.
    pub async fn release(&self, run: &RunId, epoch: Epoch, now: Millis) -> Result<Arc<RunState>, StoreError> {
        let run = run.clone();
        self.write(move |writer| {
            let prepared = Prepared::own(run.clone(), now, vec![Event::RunReleased { epoch }])?;
            let expected = writer.head_now(&run)?;
            writer.commit(&prepared, &expected, epoch, Durability::Unsynced)
        })
        .await
    }
}
