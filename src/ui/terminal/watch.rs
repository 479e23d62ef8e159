//! Tells the loop that something was typed, without reading it.
//!
//! A thread waits in `poll`, which neither takes bytes nor stops a process that is in the background, and only when it
//! was asked to: what has been told is not told again before the loop has read.

use std::io;
use std::sync::{Arc, mpsc};
use tokio::sync::Notify;

/// The watching thread. It ends at the next key after this is dropped, or with the process.
#[derive(Debug)]
pub(crate) struct Watch {
    ask: mpsc::Sender<()>,
    ready: Arc<Notify>,
    asked: bool,
}

impl Watch {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn start() -> io::Result<Self> {
        let (ask, asked) = mpsc::channel::<()>();
        let ready = Arc::new(Notify::new());
        let tell = Arc::clone(&ready);
        std::thread::Builder::new().name("keys".to_owned()).spawn(move || {
            for () in asked {
                super::tty::await_input();
                tell.notify_one();
            }
        })?;
        Ok(Self { ask, ready, asked: false })
    }

    /// Waits until there is something to read, or the terminal is gone, which a read tells. May be given up at any time.
    pub(crate) async fn readable(&mut self) {
        if !self.asked {
            self.asked = true;
            // Fails only if the thread is gone, which it is not before this is.
            let _ = self.ask.send(());
        }
        self.ready.notified().await;
        self.asked = false;
    }
}
