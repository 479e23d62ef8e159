//! A token by which a request is cancelled from elsewhere.

use std::sync::Arc;

use tokio::sync::watch;

/// Cancels what was started with it. Clones share one state; once cancelled it stays so.
#[derive(Debug, Clone)]
pub struct Cancel(Arc<watch::Sender<bool>>);

impl Default for Cancel {
    fn default() -> Self {
        Self(Arc::new(watch::channel(false).0))
    }
}

impl Cancel {
    /// A token nobody has cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Ends once it is cancelled.
    pub async fn cancelled(&self) {
        let mut seen = self.0.subscribe();
        // The sender lives in `self`, so waiting cannot fail before it is cancelled.
        let _ = seen.wait_for(|cancelled| *cancelled).await;
    }
}
