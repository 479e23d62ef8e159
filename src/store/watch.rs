//! Waking when something was written, here or in another process. Others' writes are seen by `PRAGMA data_version`
//! (3.6 µs), asked only while somebody waits, and less often the longer nothing comes: who waits for hours must not cost
//! anything. A wake may be for nothing; none is missed.

use super::error::StoreError;
use super::open::{Store, connect, retry};
use super::writer::Shared;
use rusqlite::Connection;
use std::sync::{Arc, PoisonError, TryLockError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often others' writes are looked for after one was seen.
const POLL: Duration = Duration::from_millis(50);
/// How often when none was seen for a while.
const SELDOM: Duration = Duration::from_millis(250);

/// The connection that looks, and what it saw last.
pub(super) struct Poll {
    conn: Connection,
    seen: i64,
    /// When it looked last.
    at: Instant,
}

/// Waits for writes; see [`Store::watch`].
pub struct Watch {
    shared: Arc<Shared>,
    ticks: watch::Receiver<u64>,
    /// Time between two looks.
    pause: Duration,
    /// When the next one is due; kept here, since a wait may be given up at any time.
    next: Instant,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("seen", &*self.ticks.borrow()).finish_non_exhaustive()
    }
}

impl Store {
    /// A watch that wakes for everything written from now on. Look at the store after making it and after each wake.
    ///
    /// # Errors
    /// [`StoreError::Open`] if the looking connection cannot be had, [`StoreError::Busy`] if others hold the lock all the
    /// time.
    pub async fn watch(&self) -> Result<Watch, StoreError> {
        let shared = Arc::clone(&self.inner.shared);
        tokio::task::spawn_blocking(move || {
            // A log that somebody's death left is locked for a moment by whoever opens it first.
            retry(shared.busy, || look(&shared))?;
            let ticks = shared.ticks.subscribe();
            Ok(Watch { shared, ticks, pause: POLL, next: Instant::now() + POLL })
        })
        .await
        .map_err(|_| StoreError::Closed)?
    }
}

impl Watch {
    /// Returns once something was written since the last return.
    pub async fn changed(&mut self) {
        loop {
            tokio::select! {
                // The sender lives in `shared`, which we hold.
                _ = self.ticks.changed() => {
                    self.pause = POLL;
                    self.next = Instant::now() + POLL;
                    return;
                }
                () = tokio::time::sleep_until(self.next.into()) => {
                    self.pause = (self.pause + self.pause / 8).min(SELDOM);
                    self.next = Instant::now() + self.pause;
                    // Another watch of this process looked just now: its tick is ours too.
                    if looked_within(&self.shared, self.pause / 2) {
                        continue;
                    }
                    let shared = Arc::clone(&self.shared);
                    // What cannot be looked at now is looked at in a moment.
                    let _ = tokio::task::spawn_blocking(move || look(&shared)).await;
                }
            }
        }
    }
}

/// Whether somebody looked so short a time ago; who is looking right now counts.
fn looked_within(shared: &Shared, time: Duration) -> bool {
    match shared.poll.try_lock() {
        Ok(poll) => poll.as_ref().is_some_and(|poll| poll.at.elapsed() < time),
        Err(TryLockError::WouldBlock) => true,
        Err(TryLockError::Poisoned(_)) => false,
    }
}

/// Looks once and ticks if another connection wrote.
fn look(shared: &Shared) -> Result<(), StoreError> {
    let mut poll = shared.poll.lock().unwrap_or_else(PoisonError::into_inner);
    let poll = match poll.as_mut() {
        Some(poll) => poll,
        None => poll.insert(Poll { conn: connect(&shared.path, true)?, seen: -1, at: Instant::now() }),
    };
    poll.at = Instant::now();
    let now: i64 = poll.conn.query_row("PRAGMA data_version", [], |row| row.get(0))?;
    if now != poll.seen {
        poll.seen = now;
        shared.tick();
    }
    Ok(())
}
