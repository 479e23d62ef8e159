//! Where the program stands towards its terminal: on it, outside it, behind another program, or without one.

use super::super::terminal::screen::{Ink, Screen};
use super::super::terminal::{FRAME_BEGINS, FRAME_ENDS, Guard, Options, Signals, Watch, title, tty};
use super::Still;
use ratatui::Terminal;
use std::io;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// How often a program in the background asks whether it has the terminal again: a shell that brings a running job to
/// the foreground does not tell it.
const BEHIND: Duration = Duration::from_millis(250);
/// How long a stop may take to happen. If it does not, nobody could have continued the process.
const STOP: Duration = Duration::from_millis(200);
/// How long others of this process may take to come to rest before it stops.
const REST: Duration = Duration::from_secs(2);
/// How long writing may go on before keys are looked at.
const WRITE: Duration = Duration::from_millis(8);

enum State<M> {
    /// The terminal is held.
    Here,
    /// Another process group has the terminal. When to ask again.
    Behind(Instant),
    /// Something of ours uses the terminal without its modes.
    Outside(JoinHandle<M>),
    /// There is no terminal any more.
    Lost,
}

/// What happened at the place.
pub(super) enum Next<M> {
    /// There is something to read, or the terminal is gone.
    Typed,
    /// What was done outside is over; `None` if it panicked.
    Back(Option<M>),
}

/// The terminal of the loop.
pub(super) struct Place<M> {
    guard: Guard,
    state: State<M>,
    keys: Watch,
    ink: Ink,
    terminal: Terminal<Screen>,
    /// Bytes that are not written yet, and how many of them are.
    out: (Vec<u8>, usize),
    size: (u16, u16),
    title: Option<String>,
    redraw: bool,
}

impl<M: Send + 'static> Place<M> {
    pub(super) fn take(options: Options) -> io::Result<Self> {
        let size = tty::size();
        let ink = Ink::default();
        let terminal = Terminal::new(Screen::new(ink.clone(), size))?;
        let keys = Watch::start()?;
        let guard = Guard::enter(options)?;
        let out = (Vec::new(), 0);
        Ok(Self { guard, state: State::Here, keys, ink, terminal, out, size, title: None, redraw: true })
    }

    pub(super) fn size(&self) -> (u16, u16) {
        self.size
    }

    pub(super) fn is_here(&self) -> bool {
        matches!(self.state, State::Here)
    }

    /// When [`Place::come_back`] is to be tried.
    pub(super) fn next_try(&self) -> Option<Instant> {
        match self.state {
            State::Behind(at) => Some(at),
            State::Here | State::Outside(_) | State::Lost => None,
        }
    }

    pub(super) fn is_outside(&self) -> bool {
        matches!(self.state, State::Outside(_))
    }

    pub(super) fn is_lost(&self) -> bool {
        matches!(self.state, State::Lost)
    }

    /// Waits for what happens next: something was typed while the terminal is ours to read, or what uses it is done.
    /// May be given up at any time.
    pub(super) async fn next(&mut self) -> Next<M> {
        match &mut self.state {
            State::Here => {
                self.keys.readable().await;
                Next::Typed
            }
            State::Outside(act) => {
                let message = act.await.ok();
                self.state = State::Behind(Instant::now());
                Next::Back(message)
            }
            State::Behind(_) | State::Lost => std::future::pending().await,
        }
    }

    /// The terminal answered a question about itself.
    pub(super) fn answered(&mut self, flags: bool) {
        let more = self.guard.answered(flags);
        self.queue(more);
    }

    /// Takes note of the terminal's size; the new one if it changed.
    pub(super) fn resized(&mut self) -> Option<(u16, u16)> {
        let size = tty::size();
        if !self.is_here() || size == self.size {
            return None;
        }
        self.size = size;
        self.terminal.backend_mut().set_size(size);
        self.redraw = true;
        Some(size)
    }

    pub(super) fn redraw(&mut self) {
        self.redraw = true;
    }

    pub(super) fn wants_redraw(&self) -> bool {
        self.redraw
    }

    /// Draws a frame, to be written by [`Place::pump`].
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut ratatui::Frame<'_>)) -> io::Result<()> {
        if std::mem::take(&mut self.redraw) {
            self.terminal.clear()?;
        }
        self.terminal.draw(draw)?;
        let frame = self.ink.take();
        self.queue(FRAME_BEGINS);
        self.queue(&frame);
        self.queue(FRAME_ENDS);
        Ok(())
    }

    /// Adds bytes to what is to be written, if the terminal is ours.
    pub(super) fn queue(&mut self, bytes: &[u8]) {
        if self.is_here() {
            self.out.0.extend_from_slice(bytes);
        }
    }

    pub(super) fn set_title(&mut self, text: &str) {
        self.title = Some(title(text));
        self.queue(title(text).as_bytes());
    }

    /// Whether there are bytes that the terminal did not take.
    pub(super) fn is_stalled(&self) -> bool {
        !self.out.0.is_empty()
    }

    /// Writes as much as the terminal takes now.
    pub(super) fn pump(&mut self) -> io::Result<()> {
        let (bytes, done) = &mut self.out;
        *done += self.guard.write(bytes.get(*done..).unwrap_or_default(), WRITE)?;
        if *done >= bytes.len() {
            bytes.clear();
            *done = 0;
        }
        Ok(())
    }

    /// Gives the terminal back, holds others of this process still, and stops. True when it goes on; then
    /// [`Place::come_back`] is next.
    pub(super) async fn suspend(&mut self, signals: &mut Signals, still: Option<Still>) -> io::Result<bool> {
        if !self.is_here() {
            return Ok(false);
        }
        self.go(State::Behind(Instant::now()));
        let _held = match still {
            // What does not come to rest in this time waits for somebody else, and holds nothing itself.
            Some(still) => tokio::time::timeout(REST, still()).await.ok(),
            None => None,
        };
        tty::stop()?;
        let _ = tokio::time::timeout(STOP, signals.continued()).await;
        Ok(true)
    }

    /// Gives the terminal to something of ours.
    pub(super) fn leave(&mut self, act: Box<dyn FnOnce() -> M + Send>) {
        if self.is_here() {
            self.go(State::Behind(Instant::now()));
            self.state = State::Outside(tokio::task::spawn_blocking(act));
        }
    }

    fn go(&mut self, to: State<M>) {
        self.out = (Vec::new(), 0);
        self.guard.restore();
        self.state = to;
    }

    /// Another process group has, or had, the terminal: what we turned on counts no more.
    pub(super) fn fall_behind(&mut self) {
        if !self.is_lost() {
            self.out = (Vec::new(), 0);
            self.guard.forget();
            self.state = State::Behind(Instant::now());
        }
    }

    /// There is no terminal any more.
    pub(super) fn lose(&mut self) {
        self.go(State::Lost);
    }

    /// Takes the terminal again if that is possible now.
    pub(super) fn come_back(&mut self) -> bool {
        match tty::standing() {
            tty::Standing::Foreground if self.guard.resume().is_ok() => {}
            tty::Standing::Gone => {
                self.lose();
                return false;
            }
            tty::Standing::Foreground | tty::Standing::Background => {
                self.state = State::Behind(Instant::now() + BEHIND);
                return false;
            }
        }
        self.state = State::Here;
        self.redraw = true;
        if let Some(title) = self.title.clone() {
            self.queue(title.as_bytes());
        }
        true
    }
}
