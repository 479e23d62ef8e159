//! Keeping drafts in the store, one write after the other on a task of its own.

use crate::cli::app::App;
use crate::store::Store;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Longest wait, at the end, for the last ones.
const FINISH: Duration = Duration::from_secs(5);
/// Time until what could not be kept is tried again.
const AGAIN: Duration = Duration::from_secs(2);

/// Changes of drafts: a place, and what is written there.
pub type Changes = Vec<(String, Option<String>)>;

/// Where drafts are given to be kept.
#[derive(Clone)]
pub struct Keeper(mpsc::UnboundedSender<Option<Changes>>);

impl Keeper {
    /// Begins to keep; the task ends after [`Keeper::finish`].
    pub fn new(app: App, store: Store) -> (Self, JoinHandle<()>) {
        let (keep, mut given) = mpsc::unbounded_channel::<Option<Changes>>();
        let task = tokio::spawn(async move {
            // What cannot be kept, as others hold the store or the disk is full, is on the screen all the same; it is tried
            // again with the next change, and after a while.
            let mut left = BTreeMap::new();
            loop {
                let next = match left.is_empty() {
                    true => Ok(given.recv().await),
                    false => tokio::time::timeout(AGAIN, given.recv()).await,
                };
                match next {
                    Ok(Some(Some(changes))) => left.extend(changes),
                    Ok(Some(None) | None) => return,
                    Err(_) => {}
                }
                if store.keep_drafts(left.clone().into_iter().collect(), app.now()).await.is_ok() {
                    left.clear();
                }
            }
        });
        (Self(keep), task)
    }

    /// Gives changes to be kept after those before them.
    pub fn keep(&self, changes: Changes) {
        // Fails only if the task panicked, which ends the workstation.
        let _ = self.0.send(Some(changes));
    }

    /// The last ones: waits until they are kept, but not for ever.
    pub async fn finish(&self, last: Changes, task: JoinHandle<()>) {
        if !last.is_empty() {
            self.keep(last);
        }
        let _ = self.0.send(None);
        let _ = tokio::time::timeout(FINISH, task).await;
    }
}
