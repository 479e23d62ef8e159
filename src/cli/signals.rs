//! SIGINT, SIGTERM and SIGHUP: save and stop. A second SIGINT leaves at once; what was committed is safe.

use super::app::Failure;
use super::print::talk;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// What signals have said so far.
#[derive(Clone)]
pub struct Signals {
    /// Becomes true when the process is to stop.
    pub stop: watch::Receiver<bool>,
    say: Arc<watch::Sender<bool>>,
    hangup: Arc<AtomicBool>,
}

impl Signals {
    /// Asks the process to save and stop, as a signal does.
    pub fn end(&self) {
        self.say.send_replace(true);
    }

    /// True if the terminal went away.
    pub fn hung_up(&self) -> bool {
        self.hangup.load(Ordering::Relaxed)
    }
}

/// Listens from now on.
///
/// # Errors
/// If the system refuses.
pub fn listen() -> Result<Signals, Failure> {
    let of =
        |kind| signal(kind).map_err(|e| Failure::internal(format!("signals cannot be listened for: {e}")));
    let (mut int, mut term, mut hup) =
        (of(SignalKind::interrupt())?, of(SignalKind::terminate())?, of(SignalKind::hangup())?);
    let (say, stop) = watch::channel(false);
    let say = Arc::new(say);
    let by_signal = Arc::clone(&say);
    let hangup = Arc::new(AtomicBool::new(false));
    let heard = hangup.clone();
    tokio::spawn(async move {
        let mut times = 0;
        loop {
            tokio::select! {
                _ = int.recv() => {
                    times += 1;
                    if times > 1 {
                        std::process::exit(130);
                    }
                    talk("\nsaving; a running command goes on (ctrl-c again leaves at once)");
                }
                _ = term.recv() => {}
                _ = hup.recv() => heard.store(true, Ordering::Relaxed),
            }
            by_signal.send_replace(true);
        }
    });
    Ok(Signals { stop, say, hangup })
}
