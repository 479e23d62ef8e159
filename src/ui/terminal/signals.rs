//! Signals become messages: none of them ends the process while the terminal is in raw mode.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// SIGINT, from outside: in raw mode Ctrl-C is a key.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGQUIT.
    Quit,
    /// SIGHUP.
    Hangup,
    /// SIGCONT: the process was stopped and goes on.
    Continued,
    /// SIGWINCH.
    Resized,
}

/// The signals that are listened for. Once listened for, a signal does no longer end the process, also after this is
/// dropped.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    quit: Signal,
    hangup: Signal,
    continued: Signal,
    resized: Signal,
}

impl Signals {
    /// Listens from now on; before the terminal is taken. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            quit: signal(SignalKind::quit())?,
            hangup: signal(SignalKind::hangup())?,
            continued: signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
            resized: signal(SignalKind::window_change())?,
        })
    }

    /// The next one.
    pub(crate) async fn next(&mut self) -> Heard {
        tokio::select! {
            biased;
            _ = self.continued.recv() => Heard::Continued,
            _ = self.terminate.recv() => Heard::Terminate,
            _ = self.quit.recv() => Heard::Quit,
            _ = self.hangup.recv() => Heard::Hangup,
            _ = self.interrupt.recv() => Heard::Interrupt,
            _ = self.resized.recv() => Heard::Resized,
        }
    }

    /// Waits until the process was continued.
    pub(crate) async fn continued(&mut self) {
        self.continued.recv().await;
    }
}

/// Ends this process as SIGQUIT does where nobody listens for it. The terminal has to be given back before.
pub(crate) fn quit() {
    // It fails only for a signal that does not exist.
    let _ = signal_hook::low_level::emulate_default_handler(rustix::process::Signal::QUIT.as_raw());
}
