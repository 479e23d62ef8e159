//! The loop of the workstation: inputs and messages in, commands out, and a frame when there is something to show.
//!
//! Drawing happens on demand, at most [`FRAMES`] times a second; without a wish for a clock nothing wakes the loop. A
//! frame is drawn into memory and then written between the marks of a synchronized update, so that neither a panic nor a
//! slow terminal shows half of one. While the terminal takes no bytes, no further frame is drawn; keys, messages and
//! signals go on.
//!
//! The loop owns the terminal ([`Guard`](super::terminal::Guard)): suspension, editors and the end of the terminal are its matter. Commands are
//! carried out in their order on a thread of their own.
//!
//! Not to be assumed: that all that is written can be seen. What a program must not lose, it commits.

mod place;
mod turn;

use super::input::Input;
use super::terminal::{Options, Signals};
use place::Place;
use ratatui::Frame;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use turn::Loop;

/// Most frames a second.
pub const FRAMES: u32 = 60;
/// How long the end waits for commands that were given and not carried out.
const FINISH: Duration = Duration::from_secs(5);

/// Waits until nothing of this process is in the middle of something that others wait for, and keeps it so until what it
/// gives is dropped.
pub type Still = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Box<dyn Send>> + Send>> + Send + Sync>;

/// What the loop runs. None of the functions may wait: what takes time is a command.
pub trait Program {
    /// What commands and watchers report.
    type Msg: Send + 'static;
    /// Something to be done off this thread.
    type Cmd: Send + 'static;
    /// How it ended.
    type End;

    /// Something happened at the terminal. The first input is its size.
    fn input(&mut self, input: Input) -> Vec<Self::Cmd>;

    /// Something was reported.
    fn update(&mut self, msg: Self::Msg) -> Vec<Self::Cmd>;

    /// Draws everything. Afterwards the program is no longer dirty.
    fn draw(&mut self, frame: &mut Frame<'_>);

    /// Commands that follow from what was drawn: what came into view and was not read. Asked after each frame.
    fn after(&mut self) -> Vec<Self::Cmd> {
        Vec::new()
    }

    /// Whether the screen does not show what there is to show.
    fn dirty(&self) -> bool;

    /// In how long a shown clock changes, from now; `None` if none is shown. Asked after each frame.
    fn tick(&self) -> Option<Duration>;

    /// Something that the loop is to do with the terminal; asked until there is nothing more, after each input and
    /// message. Not asked while the terminal is not held.
    fn wish(&mut self) -> Option<Wish<Self::Msg>>;

    /// How others of this process are held still while it is stopped; none if there is nothing to hold.
    fn still(&self) -> Option<Still> {
        None
    }

    /// The end, once it has come.
    fn done(&self) -> Option<Self::End>;
}

/// What a program can ask of the terminal.
pub enum Wish<M> {
    /// Give the terminal back and stop the process, as Ctrl-Z does elsewhere.
    Suspend,
    /// Draw every cell again.
    Redraw,
    /// Drop what was typed before and is not delivered: a dialog opens, and it was not meant for it.
    DropTyped,
    /// Give the window this title.
    Title(String),
    /// Ring.
    Bell,
    /// Write this escape sequence after the frame. Its bytes are the program's own: text from outside must be encoded.
    Escape(Vec<u8>),
    /// Give the terminal back, do this on another thread (an editor that uses the screen), take the terminal again and
    /// deliver what it returns. Messages go on meanwhile.
    Outside(Box<dyn FnOnce() -> M + Send>),
}

/// Why the loop ended against its will.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The terminal could not be taken or listened to.
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] io::Error),
    /// A thread of this process panicked; the panic was printed.
    #[error(
        "an internal error ended the workstation; what was committed is safe: `wakeful` goes on from there"
    )]
    Panicked,
}

/// Takes the terminal and runs the program to its end. Messages come from whoever holds the other end of `messages`,
/// `execute` among them; it carries out the commands, one after the other, on a thread of its own within the present
/// tokio runtime. The terminal is given back before this returns or unwinds. Commands that were given before the end are
/// waited for, at most five seconds.
///
/// # Errors
/// If the terminal cannot be taken, or a thread of this process panicked.
pub async fn run<P, X>(
    program: &mut P,
    options: Options,
    messages: mpsc::Receiver<P::Msg>,
    execute: X,
) -> Result<P::End, Fault>
where
    P: Program,
    X: FnMut(P::Cmd) + Send + 'static,
{
    let signals = Signals::listen()?;
    let place = Place::take(options)?;
    let (commands, finished) = executor(execute)?;
    let result = Loop::new(program, place, signals, messages, commands).run().await;
    // The loop is gone, and with it the senders of commands and the receiver of messages: nobody can wait for us.
    let _ = tokio::time::timeout(FINISH, finished).await;
    result
}

type Finished = tokio::sync::oneshot::Receiver<()>;

fn executor<C, X>(mut execute: X) -> io::Result<(std::sync::mpsc::Sender<C>, Finished)>
where
    C: Send + 'static,
    X: FnMut(C) + Send + 'static,
{
    let (commands, given) = std::sync::mpsc::channel::<C>();
    let (done, finished) = tokio::sync::oneshot::channel();
    let runtime = tokio::runtime::Handle::current();
    std::thread::Builder::new().name("commands".to_owned()).spawn(move || {
        let _within = runtime.enter();
        for command in given {
            execute(command);
        }
        let _ = done.send(());
    })?;
    Ok((commands, finished))
}
