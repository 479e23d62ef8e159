//! Waking when something was written, here or in another process. Others' writes are seen by `PRAGMA data_version`
//! (3.6 µs), asked by one thread for all who wait, only while somebody does, and less often the longer nothing comes: who
//! waits for hours must not cost anything. A wake may be for nothing; none is missed.

use super::error::StoreError;
use super::open::{Store, connect, retry};
use super::writer::Shared;
use rusqlite::Connection;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::watch;

/// How often others' writes are looked for after something was written.
const POLL: Duration = Duration::from_millis(50);
/// How often when nothing was for a while.
const SELDOM: Duration = Duration::from_millis(250);
/// How long the thread stays when nobody waits: who waits for several things comes back in a moment.
const LINGER: Duration = Duration::from_secs(1);

/// The connection that looks, and what it saw last.
struct Poll {
    conn: Connection,
    seen: i64,
}

#[derive(Default)]
struct Looking {
    /// Kept here while no thread looks with it.
    poll: Option<Poll>,
    /// Whether the thread is there.
    runs: bool,
    /// How many wait now.
    waiting: usize,
    /// The store is gone.
    over: bool,
}

/// What those who wait and the thread that looks for them share.
#[derive(Default)]
struct Looker {
    looking: Mutex<Looking>,
    /// Somebody waits again, or the store is gone.
    news: Condvar,
}

impl Looker {
    fn lock(&self) -> MutexGuard<'_, Looking> {
        self.looking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The store's part of it: once it is dropped the thread ends.
#[derive(Default)]
pub(super) struct Looks(Arc<Looker>);

impl Drop for Looks {
    fn drop(&mut self) {
        self.0.lock().over = true;
        self.0.news.notify_all();
    }
}

/// Waits for writes; see [`Store::watch`].
pub struct Watch {
    shared: Arc<Shared>,
    ticks: watch::Receiver<u64>,
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
            retry(shared.busy, || prepare(&shared)).map_err(|error| shared.of_file(error))?;
            let ticks = shared.ticks.subscribe();
            Ok(Watch { shared, ticks })
        })
        .await
        .map_err(|_| StoreError::Closed)?
    }
}

impl Watch {
    /// Returns once something was written since the last return.
    pub async fn changed(&mut self) {
        let _waiting = Waiting::of(&self.shared);
        // The sender lives in `shared`, which we hold.
        let _ = self.ticks.changed().await;
    }
}

/// One who waits, for as long as this is held.
struct Waiting<'a>(&'a Looker);

impl<'a> Waiting<'a> {
    fn of(shared: &'a Arc<Shared>) -> Self {
        let looker = &shared.looks.0;
        let mut looking = looker.lock();
        looking.waiting += 1;
        if !looking.runs {
            looking.runs = start(shared);
        } else if looking.waiting == 1 {
            looker.news.notify_all();
        }
        Self(looker)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut looking = self.0.lock();
        looking.waiting = looking.waiting.saturating_sub(1);
    }
}

/// The connection is there, and what it saw last is from before now.
fn prepare(shared: &Shared) -> Result<(), StoreError> {
    let mut looking = shared.looks.0.lock();
    if !looking.runs && looking.poll.is_none() {
        let mut poll = Poll { conn: connect(&shared.path, true)?, seen: -1 };
        poll.look(shared)?;
        looking.poll = Some(poll);
    }
    Ok(())
}

impl Poll {
    /// Looks once and ticks if another connection wrote.
    fn look(&mut self, shared: &Shared) -> Result<(), StoreError> {
        let now: i64 = self.conn.query_row("PRAGMA data_version", [], |row| row.get(0))?;
        if now != self.seen {
            self.seen = now;
            shared.tick();
        }
        Ok(())
    }
}

/// Starts the thread; false if there can be none now, so that the next who waits tries again.
fn start(shared: &Arc<Shared>) -> bool {
    let (looker, shared) = (Arc::clone(&shared.looks.0), Arc::downgrade(shared));
    std::thread::Builder::new().name("store-watch".into()).spawn(move || look_on(&looker, &shared)).is_ok()
}

/// Looks for as long as somebody waits. The store itself is held only for each look: it goes when its last handle does.
fn look_on(looker: &Looker, shared: &Weak<Shared>) {
    let taken = looker.lock().poll.take();
    let Some(mut poll) = taken else {
        looker.lock().runs = false;
        return;
    };
    let (mut pause, mut known) = (POLL, None);
    loop {
        let rest = |time, until: fn(&mut Looking) -> bool| {
            let waited = looker.news.wait_timeout_while(looker.lock(), time, until);
            waited.unwrap_or_else(PoisonError::into_inner).0
        };
        let mut looking = rest(LINGER, |looking| looking.waiting == 0 && !looking.over);
        if looking.waiting == 0 || looking.over {
            looking.poll = Some(poll);
            looking.runs = false;
            return;
        }
        drop(looking);
        drop(rest(pause, |looking| !looking.over));
        let Some(shared) = shared.upgrade() else { continue };
        // What cannot be looked at now is looked at in a moment.
        let _ = poll.look(&shared);
        let ticks = Some(*shared.ticks.borrow());
        pause = if ticks == known { (pause + pause / 8).min(SELDOM) } else { POLL };
        known = ticks;
    }
}

#[cfg(test)]
mod tests {
    use super::super::types::StoreOptions;
    use super::*;

    async fn until(what: &str, condition: impl Fn() -> bool) {
        let begun = std::time::Instant::now();
        while !condition() {
            assert!(begun.elapsed() < Duration::from_secs(20), "never came true: {what}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Writes with a handle of its own, and waits until the watch saw it.
    async fn sees(watch: &mut Watch, writer: &Connection) {
        writer.execute_batch("CREATE TABLE IF NOT EXISTS t (a); INSERT INTO t VALUES (1)").unwrap();
        tokio::time::timeout(Duration::from_secs(20), watch.changed()).await.expect("it never woke");
    }

    /// One thread looks for all who wait; it goes when nobody does, and comes back.
    #[tokio::test]
    async fn who_waits_again_after_the_thread_has_gone_still_wakes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("w.db");
        let store = Store::open(StoreOptions::new(path.clone(), Arc::new(|_| true))).unwrap();
        let writer = connect(&path, false).unwrap();
        let runs = |shared: &Shared| shared.looks.0.lock().runs;
        let shared = Arc::clone(&store.inner.shared);
        let mut watch = store.watch().await.unwrap();
        for _ in 0..2 {
            sees(&mut watch, &writer).await;
            assert!(runs(&shared), "it stays for a moment");
            until("it goes", || !runs(&shared)).await;
        }
        let looker = Arc::downgrade(&shared.looks.0);
        sees(&mut watch, &writer).await;
        drop((watch, shared, store));
        until("the thread ends with the store", || looker.strong_count() == 0).await;
    }
}
