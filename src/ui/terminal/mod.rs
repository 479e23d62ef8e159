//! The terminal: taken, given back, and given back whatever happens.
//!
//! [`Guard`] takes it: raw mode, the alternate screen, bracketed paste, mouse, focus, title. It is given back by
//! [`Guard::restore`], by dropping the guard, and by a panic of any thread before the panic is printed. What is on is
//! recorded in one place, so that giving back twice does nothing, and nothing is written to a screen that was given back.
//!
//! Not to be assumed: that the terminal is ours while the guard lives. It is given back for the time of a suspension
//! and while an editor has the screen, and it is never touched while another process group has it.

mod csi;
mod modes;
mod panic;
pub mod parse;
pub(crate) mod screen;
mod signals;
pub(crate) mod tty;
mod watch;

pub use modes::Options;
pub(crate) use modes::{FRAME_BEGINS, FRAME_ENDS, title};
pub(crate) use panic::{happened, happening};
pub(crate) use signals::{Heard, Signals, quit};
pub(crate) use watch::Watch;

use rustix::stdio::stdin;
use rustix::termios::{OptionalActions, Termios, isatty, tcgetattr, tcsetattr};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long giving back waits for a terminal that takes no bytes.
const PATIENCE: Duration = Duration::from_millis(200);
/// How long after the question about the keyboard its answer may still come: at the end it is waited for, so that it is
/// not typed into the shell.
const ANSWER: Duration = Duration::from_millis(100);

/// What is on.
struct Held {
    before: Termios,
    options: Options,
    /// How often keyboard flags were pushed.
    pushed: usize,
    /// When the terminal was asked about its keyboard, while it has not answered.
    asked: Option<Instant>,
}

/// Whether a guard lives. There is one terminal.
static TAKEN: AtomicBool = AtomicBool::new(false);
static HELD: Mutex<Option<Held>> = Mutex::new(None);

fn held() -> MutexGuard<'static, Option<Held>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The terminal, taken. Dropping it gives the terminal back.
#[derive(Debug)]
pub struct Guard {
    options: Options,
    /// Whether the terminal knows keyboard flags, once it answered.
    keyboard: Option<bool>,
    /// What another program left us no time to give back: the modes of before, and how often flags were pushed.
    owed: Option<(Termios, usize)>,
}

impl Guard {
    /// Takes the terminal. From the first call on, a panic of any thread gives it back before it is printed.
    ///
    /// # Errors
    /// If it is taken already, if standard input or output is no terminal, if this process is in the background, or if
    /// the system refuses. Then nothing is left on.
    pub fn enter(options: Options) -> io::Result<Self> {
        if !isatty(stdin()) || !isatty(rustix::stdio::stdout()) {
            return Err(io::Error::other(
                "standard input and output must be a terminal; without one, use `wakeful run GOAL --headless`",
            ));
        }
        if TAKEN.swap(true, Ordering::SeqCst) {
            return Err(io::Error::other("the terminal is taken already by this process"));
        }
        panic::watch();
        let mut guard = Self { options, keyboard: None, owed: None };
        guard.resume()?;
        Ok(guard)
    }

    /// Takes the terminal again after [`Guard::restore`]. Does nothing if it is held.
    ///
    /// # Errors
    /// If this process is in the background, or the system refuses. Then nothing is left on.
    pub fn resume(&mut self) -> io::Result<()> {
        let mut held = held();
        if held.is_some() {
            return Ok(());
        }
        match tty::standing() {
            tty::Standing::Foreground => {}
            tty::Standing::Background => {
                return Err(io::Error::other(
                    "the terminal is used by another program; bring wakeful to the foreground",
                ));
            }
            tty::Standing::Gone => return Err(io::Error::other("the terminal is gone")),
        }
        let now = tcgetattr(stdin())?;
        let mut raw = now.clone();
        raw.make_raw();
        tcsetattr(stdin(), OptionalActions::Now, &raw)?;
        let asked = self.keyboard.is_none().then(Instant::now);
        let (before, pushed) = self.owed.take().unwrap_or((now, 0));
        let pushed = pushed + usize::from(self.keyboard == Some(true));
        *held = Some(Held { before, options: self.options.clone(), pushed, asked });
        drop(held);
        if let Err(e) = tty::write(modes::on(&self.options, self.keyboard).as_bytes(), PATIENCE) {
            self.restore();
            return Err(e);
        }
        Ok(())
    }

    /// Gives the terminal back: keys, focus, mouse and paste off, cursor shown, screen and title as before, and only
    /// then the modes of before. The second time does nothing.
    pub fn restore(&self) {
        give_back();
    }

    /// Whether the terminal is held now.
    #[must_use]
    pub fn is_held(&self) -> bool {
        held().is_some()
    }

    /// Notes that the terminal was taken from us: another process group has it and has set it up for itself.
    pub(crate) fn forget(&mut self) {
        if let Some(held) = held().take() {
            self.owed = Some((held.before, held.pushed));
        }
    }

    /// The terminal answered. `flags` says that it knows keyboard flags; the answer about its attributes comes after
    /// that one, or alone. What comes back is to be written.
    pub(crate) fn answered(&mut self, flags: bool) -> &'static [u8] {
        let mut held = held();
        match held.as_mut() {
            Some(held) if flags && self.keyboard != Some(true) => {
                self.keyboard = Some(true);
                // Before it is written: flags that were not pushed can be popped, the reverse would leave them on.
                held.pushed += 1;
                modes::KEYBOARD_ON.as_bytes()
            }
            Some(_) if flags => &[],
            Some(held) => {
                self.keyboard.get_or_insert(false);
                held.asked = None;
                &[]
            }
            None => &[],
        }
    }

    /// Writes to the screen, as far as it goes within `patience`; nothing if the terminal is not held. Says how many
    /// bytes are dealt with.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub(crate) fn write(&self, bytes: &[u8], patience: Duration) -> io::Result<usize> {
        let held = held();
        if held.is_none() {
            return Ok(bytes.len());
        }
        tty::write(bytes, patience)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
        TAKEN.store(false, Ordering::SeqCst);
    }
}

/// Gives the terminal back if it is held. Errors are of no use here: a terminal that is gone needs nothing.
fn give_back() {
    let mut now = held();
    let Some(held) = now.take() else { return };
    if tty::standing() == tty::Standing::Background {
        return;
    }
    let _ = tty::write(modes::off(&held.options, held.pushed).as_bytes(), PATIENCE);
    if let Some(left) = held.asked.and_then(|at| ANSWER.checked_sub(at.elapsed())) {
        tty::await_typed(left);
    }
    // Mouse reports and answers on their way would be typed into the shell.
    tty::forget_typed();
    let _ = tcsetattr(stdin(), OptionalActions::Now, &held.before);
}
