//! What dead workers left beside the database, removed when a run is owned anew: spools whose verdict stands, spools
//! whose start was never committed, half-made and half-removed ones, and the locks of workers that are gone.
//!
//! Not to be assumed: that a spool which no stored call names is nobody's. Another run's worker may be between making
//! one and its commit, so only those of this run and of an earlier epoch are touched.

use super::driver::Driver;
use super::error::WorkError;
use crate::host::HostError;
use crate::host::spool::{self, Spool, SpoolName, Token};
use crate::host::{drive, lock, orphan};
use crate::store::StoreError;

/// What becomes of a spool.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is needed, or somebody else's.
    Stays,
    /// Its call is closed, or goes on with another attempt.
    Settled,
    /// No stored event starts its call, so nobody ever will.
    Uncommitted,
}

impl Driver<'_> {
    /// Removes what the workers before this one left of this run, and what nobody can own any more.
    pub async fn sweep(&mut self) -> Result<(), WorkError> {
        let (root, workers) = (self.spool_root(), self.engine.store.dir().join("workers"));
        let names = tokio::task::spawn_blocking(move || {
            // Left-overs do no harm: what cannot be removed now is the next worker's to remove.
            let _ = lock::sweep(&workers);
            let _ = spool::sweep(&root);
            spool::list(&root)
        })
        .await??;
        for name in names {
            let fate = self.fate(&name).await;
            if fate == Fate::Stays {
                continue;
            }
            let (spool, run) = (Spool::at(&self.spool_root(), &name)?, self.run.clone());
            tokio::task::spawn_blocking(move || match fate {
                Fate::Stays => Ok(()),
                Fate::Settled => clear(&spool),
                Fate::Uncommitted => discard(&spool, run.as_str()),
            })
            .await??;
        }
        Ok(())
    }

    async fn fate(&self, name: &SpoolName) -> Fate {
        if name.epoch() >= self.state.ledger.epoch {
            return Fate::Stays;
        }
        match self.engine.store.find_call(name.call_id()).await {
            Ok(row) if row.run != self.run => Fate::Stays,
            Ok(_) => {
                let open = self.state.ledger.open.values().any(|call| call.spool() == name.to_string());
                if open { Fate::Stays } else { Fate::Settled }
            }
            Err(StoreError::NoCall { .. }) => Fate::Uncommitted,
            // Not known: it stays.
            Err(_) => Fate::Stays,
        }
    }
}

/// Ends what is left of a command whose verdict stands, then removes its spool.
fn clear(spool: &Spool) -> Result<(), HostError> {
    let left = drive::left_overs(spool)?;
    orphan::signal(&left, rustix::process::Signal::KILL)?;
    spool.remove()
}

/// Removes a spool of this run that was made for a commit which never came.
fn discard(spool: &Spool, run: &str) -> Result<(), HostError> {
    if spool.spec()?.is_none_or(|spec| spec.run != run) {
        return Ok(());
    }
    spool.close()?;
    match spool.token()? {
        Token::Closed | Token::Missing => spool.remove(),
        // Only an older copy of the database can know nothing of it; a person may still want to see it.
        Token::Ready | Token::Begun => Ok(()),
    }
}
