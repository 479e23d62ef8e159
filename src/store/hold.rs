//! Holding still: nothing is written for as long as somebody holds the store.
//!
//! For a process that is about to be stopped by a signal: stopped in the middle of a transaction it would keep the
//! database locked for everybody until it goes on.

use super::{Store, StoreError};
use tokio::sync::oneshot;

/// Nothing is written by this process until this is dropped; what is asked to be written waits.
#[derive(Debug)]
pub struct Held {
    _let_go: std::sync::mpsc::Sender<()>,
}

impl Store {
    /// Waits for the commit in flight and holds the store still.
    ///
    /// # Errors
    /// [`StoreError::Closed`].
    pub async fn hold(&self) -> Result<Held, StoreError> {
        let (let_go, wait) = std::sync::mpsc::channel::<()>();
        let (still, reached) = oneshot::channel();
        let store = self.clone();
        tokio::spawn(async move {
            store
                .write(move |_| {
                    let _ = still.send(());
                    // Ends when the other end is dropped.
                    let _ = wait.recv();
                    Ok(())
                })
                .await
        });
        reached.await.map_err(|_| StoreError::Closed)?;
        Ok(Held { _let_go: let_go })
    }
}
