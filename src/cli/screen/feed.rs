//! Reads the store for the screen: once for each change, and the live text of replies that come in elsewhere.

use super::work::Workers;
use crate::host::clock;
use crate::run::id::RunId;
use crate::store::Store;
use crate::tokens::Tally;
use crate::ui::app::msg::Msg;
use crate::ui::feed::{Feed, RunView};
use crate::worker::Live;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Least time between two reads.
const PAUSE: Duration = Duration::from_millis(30);
/// How often the live text of another process is looked at.
const LIVE: Duration = Duration::from_millis(150);
/// Time until a store that cannot be read is tried again.
const AGAIN: Duration = Duration::from_millis(500);

/// Time until a run that cannot be read is tried again.
const UNREAD: Duration = Duration::from_secs(5);

/// How long the store may take before the screen says that it does.
const SLOW: Duration = Duration::from_secs(1);

/// Does something with the store; if it takes long, that is told once.
pub async fn told_if_slow<T>(work: impl Future<Output = T>, tell: &mpsc::Sender<Msg>, slow: Msg) -> T {
    tokio::pin!(work);
    tokio::select! {
        done = &mut work => done,
        () = tokio::time::sleep(SLOW) => {
            let _ = tell.send(slow).await;
            work.await
        }
    }
}

/// The reply that comes in elsewhere, as it was last read, and its tokens.
#[derive(Default)]
struct Reply {
    run: Option<RunId>,
    text: String,
    tally: Tally,
}

impl Reply {
    /// Takes what is there now; its tokens, about, if it is something new. Only what came since is counted.
    fn take(&mut self, run: &RunId, text: &str) -> Option<u64> {
        let same = self.run.as_ref() == Some(run);
        if text.is_empty() || (same && text == self.text) {
            return None;
        }
        let rest = text.strip_prefix(self.text.as_str()).filter(|_| same);
        if rest.is_none() {
            *self = Self { run: Some(run.clone()), ..Self::default() };
        }
        let rest = rest.unwrap_or(text);
        self.tally.add(rest);
        self.text.push_str(rest);
        Some(self.tally.count())
    }
}

/// Reads until the screen is gone; `of` hears which run was read.
pub async fn feed(
    store: Store,
    workers: Workers,
    mut shown: watch::Receiver<(Option<RunId>, usize)>,
    tell: mpsc::Sender<Msg>,
    of: watch::Sender<Option<Arc<RunView>>>,
) {
    let mut feed = Feed::new(store.clone());
    let mut changes = None;
    let mut live = Reply::default();
    loop {
        let (run, runs) = shown.borrow_and_update().clone();
        feed.want_runs(runs);
        if changes.is_none() {
            changes = store.watch().await.ok();
        }
        let read =
            told_if_slow(feed.read(run.as_ref(), clock::wall_ms()), &tell, Msg::Stale(String::new())).await;
        let shot = match read {
            Ok(shot) => Arc::new(shot),
            Err(error) => {
                if tell.send(Msg::Stale(error.to_string())).await.is_err() {
                    return;
                }
                tokio::time::sleep(AGAIN).await;
                continue;
            }
        };
        if tell.send(Msg::Shot(Arc::clone(&shot))).await.is_err() {
            return;
        }
        of.send_replace(shot.run.clone());
        tokio::time::sleep(PAUSE).await;
        let elsewhere = shot.run.as_ref().filter(|view| view.alive && !workers.has(&view.state.run));
        let owner = elsewhere.and_then(|view| view.state.ledger.owner.as_ref()).map(|owner| &owner.worker);
        let elsewhere = elsewhere.map(|view| &view.state.run);
        loop {
            let changed = async {
                match changes.as_mut() {
                    Some(changes) => changes.changed().await,
                    None => tokio::time::sleep(AGAIN).await,
                }
            };
            tokio::select! {
                () = changed => break,
                // What stood in its way may be mended from outside, as a file is put back.
                () = tokio::time::sleep(UNREAD), if shot.unread.is_some() => break,
                moved = shown.changed() => {
                    if moved.is_err() {
                        return;
                    }
                    break;
                }
                () = tokio::time::sleep(LIVE), if elsewhere.is_some() => {
                    let Some(run) = elsewhere else { continue };
                    // A death changes nothing in the store.
                    if owner.is_some_and(|owner| !store.is_alive(owner)) {
                        break;
                    }
                    let text = tokio::fs::read_to_string(Live::path(&store, run)).await.unwrap_or_default();
                    if let Some(tokens) = live.take(run, &text)
                        && tell.send(Msg::Live(run.clone(), text, tokens)).await.is_err()
                    {
                        return;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]
    use super::*;
    use crate::tokens::{Counter as _, Estimate};

    #[test]
    fn a_reply_elsewhere_is_counted_as_it_grows_and_anew_when_it_begins_anew() {
        let (mut reply, run, other) = (Reply::default(), RunId::new("r-1"), RunId::new("r-2"));
        let count = |text: &str| Some(u64::from(Estimate.count(text)));
        let all = "First the numbers 12345, then 测试 and again. ".repeat(20);
        for upto in [9, 10, 33, 38, all.len() / 2, all.len()] {
            let upto = all.floor_char_boundary(upto);
            let text = all.get(..upto).unwrap();
            assert_eq!(reply.take(&run, text), count(text));
            assert_eq!(reply.take(&run, text), None, "nothing new");
        }
        assert_eq!(reply.take(&run, "Another one."), count("Another one."));
        assert_eq!(reply.take(&run, "Another two."), count("Another two."), "as long, and not the same");
        assert_eq!(reply.take(&other, "Another two."), count("Another two."), "of another run");
        assert_eq!(reply.take(&other, ""), None);
    }
}
