//! The turns of the loop: what is due is done, then it waits for what comes next.
//!
//! Order of a turn: inputs one by one with their wishes, as many as fit a turn, the end, a frame. Order of what is waited for: signals, panics,
//! the terminal, messages, time; so a flood of messages cannot keep a key waiting.

use super::super::input::{Answer, Input, Typed};
use super::super::terminal::{self, Signals, tty};
use super::place::{Next, Place};
use super::{FRAMES, Fault, Program, Wish};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Shortest time between two frames.
const FRAME: Duration = Duration::from_nanos(1_000_000_000 / FRAMES as u64);
/// Longest time for messages before keys are looked at again.
const TURN: Duration = Duration::from_millis(4);
/// Longest time for inputs before a frame may show what came of them.
const INPUTS: Duration = Duration::from_millis(50);
/// How often a terminal that takes no bytes is asked whether it does again.
const STALLED: Duration = Duration::from_millis(5);
/// A wait that is shorter was none.
const WAITED: Duration = Duration::from_millis(1);
/// Most reads before the program gets what was read.
const READS: usize = 64;

pub(super) struct Loop<'p, P: Program> {
    program: &'p mut P,
    place: Place<P::Msg>,
    signals: Signals,
    /// `None` once nobody can send any more.
    messages: Option<mpsc::Receiver<P::Msg>>,
    commands: std::sync::mpsc::Sender<P::Cmd>,
    typed: Typed,
    last_frame: Option<Instant>,
    /// When a shown clock changes.
    clock: Option<Instant>,
    hung_up: bool,
    /// Since when the loop has been busy: what is found to be typed may have been so since then.
    busy_since: Instant,
}

/// What ended a wait.
enum Woken<M> {
    Signal(terminal::Heard),
    Panic,
    Place(Next<M>),
    Message(Option<M>),
    Time,
}

impl<'p, P: Program> Loop<'p, P> {
    pub(super) fn new(
        program: &'p mut P,
        place: Place<P::Msg>,
        signals: Signals,
        messages: mpsc::Receiver<P::Msg>,
        commands: std::sync::mpsc::Sender<P::Cmd>,
    ) -> Self {
        Self {
            program,
            place,
            signals,
            messages: Some(messages),
            commands,
            typed: Typed::default(),
            last_frame: None,
            clock: None,
            hung_up: false,
            busy_since: Instant::now(),
        }
    }

    pub(super) async fn run(mut self) -> Result<P::End, Fault> {
        let (columns, rows) = self.place.size();
        self.input(Input::Resize(columns, rows));
        loop {
            let now = Instant::now();
            if self.typed.due().is_some_and(|due| now >= due) {
                // The rest of a burst may have come while something else was done.
                self.read(self.busy_since);
                self.typed.expire(now);
            }
            if self.place.next_try().is_some_and(|at| now >= at) {
                self.come_back();
            }
            while let Some(input) = self.typed.pop() {
                self.input(input);
                // One at a time: what this key opened may want the next ones dropped.
                self.wishes().await?;
                if self.program.done().is_some() || now.elapsed() >= INPUTS {
                    break;
                }
            }
            self.wishes().await?;
            if terminal::happened() {
                return Err(Fault::Panicked);
            }
            if let Some(end) = self.program.done() {
                return Ok(end);
            }
            self.show(Instant::now())?;
            let waits = Instant::now();
            let woken = self.wait().await;
            let now = Instant::now();
            // What was there before the wait came while the loop was busy.
            let typed = if now - waits < WAITED { self.busy_since } else { now };
            self.busy_since = now;
            self.handle(woken, typed).await;
        }
    }

    async fn wait(&mut self) -> Woken<P::Msg> {
        let wake = self.wake();
        let messages = &mut self.messages;
        tokio::select! {
            biased;
            signal = self.signals.next() => Woken::Signal(signal),
            () = terminal::happening() => Woken::Panic,
            next = self.place.next() => Woken::Place(next),
            message = async {
                match messages {
                    Some(messages) => messages.recv().await,
                    None => std::future::pending().await,
                }
            } => Woken::Message(message),
            () = async {
                match wake {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            } => Woken::Time,
        }
    }

    async fn handle(&mut self, woken: Woken<P::Msg>, typed: Instant) {
        match woken {
            Woken::Signal(signal) => self.signal(signal),
            Woken::Panic => {}
            Woken::Place(Next::Typed) => self.read(typed),
            Woken::Message(None) => self.messages = None,
            Woken::Message(Some(message)) => self.take_messages(message).await,
            Woken::Place(Next::Back(message)) => {
                self.come_back();
                if let Some(message) = message {
                    let commands = self.program.update(message);
                    self.give(commands);
                }
            }
            Woken::Time => {}
        }
    }

    /// As many messages as fit a turn, so that a flood of them does not keep a key waiting.
    async fn take_messages(&mut self, first: P::Msg) {
        let end = Instant::now() + TURN;
        let mut next = Some(first);
        while let Some(message) = next {
            let commands = self.program.update(message);
            self.give(commands);
            next = match &mut self.messages {
                Some(messages) if Instant::now() < end => messages.try_recv().ok(),
                Some(_) | None => None,
            };
        }
        // Lets the runtime look at the terminal even if there is always a message.
        tokio::task::yield_now().await;
    }

    /// Reads what was typed at about this time, if the terminal is ours.
    fn read(&mut self, at: Instant) {
        if !self.place.is_here() {
            return;
        }
        // Bounded: a terminal may send faster than what it sends is dealt with.
        let mut bytes = [0; 4096];
        for _ in 0..READS {
            match tty::read(&mut bytes) {
                tty::Got::Bytes(n) => self.typed.feed(bytes.get(..n).unwrap_or_default(), at),
                tty::Got::Nothing => break,
                tty::Got::Background => {
                    self.place.fall_behind();
                    break;
                }
                tty::Got::Gone => {
                    self.gone();
                    break;
                }
            }
        }
        for answer in self.typed.answers() {
            self.place.answered(answer == Answer::KeyboardFlags);
        }
    }

    fn signal(&mut self, signal: terminal::Heard) {
        match signal {
            // An editor on the screen gets the same one.
            terminal::Heard::Interrupt | terminal::Heard::Quit if self.place.is_outside() => {}
            terminal::Heard::Interrupt => self.input(Input::Interrupt),
            terminal::Heard::Terminate => self.input(Input::Terminate),
            terminal::Heard::Quit => {
                self.place.lose();
                terminal::quit();
            }
            terminal::Heard::Hangup => self.hang_up(),
            terminal::Heard::Resized => self.resized(),
            terminal::Heard::Continued if self.place.is_outside() => {}
            terminal::Heard::Continued => {
                // The shell has set up the terminal for itself in between.
                self.place.fall_behind();
                self.come_back();
            }
        }
    }

    fn hang_up(&mut self) {
        if !std::mem::replace(&mut self.hung_up, true) {
            self.input(Input::Hangup);
        }
    }

    fn gone(&mut self) {
        self.place.lose();
        self.hang_up();
    }

    fn resized(&mut self) {
        if let Some((columns, rows)) = self.place.resized() {
            self.input(Input::Resize(columns, rows));
        }
    }

    fn come_back(&mut self) {
        if self.place.come_back() {
            self.resized();
        } else if self.place.is_lost() {
            self.gone();
        }
    }

    fn input(&mut self, input: Input) {
        let commands = self.program.input(input);
        self.give(commands);
    }

    fn give(&mut self, commands: Vec<P::Cmd>) {
        for command in commands {
            // Fails only if the executor panicked, which ends the loop.
            let _ = self.commands.send(command);
        }
    }

    async fn wishes(&mut self) -> Result<(), Fault> {
        // Without the terminal they are kept by the program.
        while self.place.is_here()
            && let Some(wish) = self.program.wish()
        {
            match wish {
                Wish::Suspend => {
                    let still = self.program.still();
                    if self.place.suspend(&mut self.signals, still).await? {
                        self.come_back();
                    }
                }
                Wish::Redraw => self.place.redraw(),
                Wish::DropTyped => {
                    self.read(Instant::now());
                    self.typed.drop_typed();
                }
                Wish::Title(text) => self.place.set_title(&text),
                Wish::Bell => self.place.queue(b"\x07"),
                Wish::Escape(bytes) => self.place.queue(&bytes),
                Wish::Outside(act) => self.place.leave(act),
            }
        }
        Ok(())
    }

    /// When the next frame may be drawn.
    fn next_frame(&self) -> Option<Instant> {
        self.last_frame.map(|last| last + FRAME)
    }

    /// Whether a frame is wanted now, however soon it may come.
    fn wanted(&self, now: Instant) -> bool {
        self.program.dirty() || self.place.wants_redraw() || self.clock.is_some_and(|at| now >= at)
    }

    /// When the loop has something to do by itself.
    fn wake(&self) -> Option<Instant> {
        let now = Instant::now();
        if self.typed.is_pending() {
            return Some(now);
        }
        let show = if !self.place.is_here() {
            self.place.next_try()
        } else if self.place.is_stalled() {
            Some(now + STALLED)
        } else if self.wanted(now) {
            Some(self.next_frame().unwrap_or(now))
        } else {
            self.clock
        };
        [show, self.typed.due()].into_iter().flatten().min()
    }

    /// Goes on writing; draws a frame if one is wanted, may come and can be written.
    fn show(&mut self, now: Instant) -> Result<(), Fault> {
        if !self.place.is_here() {
            return Ok(());
        }
        let may = self.next_frame().is_none_or(|at| now >= at);
        if !self.place.is_stalled() && may && self.wanted(now) {
            let program = &mut *self.program;
            self.place.draw(|frame| program.draw(frame))?;
            self.last_frame = Some(now);
            let commands = self.program.after();
            self.give(commands);
            self.clock = self.program.tick().map(|d| Instant::now() + d.max(FRAME));
        } else if self.clock.is_none() {
            self.clock = self.program.tick().map(|d| now + d.max(FRAME));
        }
        if self.place.pump().is_err() {
            self.gone();
        }
        Ok(())
    }
}
