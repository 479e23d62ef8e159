//! Lines that a person types at a question. A wait for one can be given up at any moment (the future is dropped) and
//! leaves nothing behind: no reader that would take the next line, no text that was typed so far.
//!
//! What was typed before a question is shown never reaches it. If a question was taken away while somebody was at the
//! keyboard, the next one is shown a moment later, so that keys in flight are dropped with the old one. Not to be
//! assumed: that a line that is begun can be seen; the terminal gives whole lines.

use super::print::talk;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::termios::{QueueSelector, tcflush};
use std::io::{self, Write};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// How long keys may be on their way that were meant for a question that is gone.
const IN_FLIGHT: Duration = Duration::from_secs(1);

/// The keyboard behind stdin, which has to be a terminal.
#[derive(Debug, Default)]
pub struct Keys {
    /// The thread that reads, until it is known to be over: it and a flush must not meet, or its read would wait for
    /// the next question's line.
    reader: Option<JoinHandle<()>>,
    taken_away: Option<Instant>,
}

impl Keys {
    /// Shows a question and gives the line that is typed then, without its end; none at the end of input.
    pub async fn line(&mut self, question: &str) -> Option<String> {
        self.reader_over().await;
        if let Some(at) = self.taken_away {
            tokio::time::sleep_until((at + IN_FLIGHT).into()).await;
            self.taken_away = None;
        }
        match self.typed(question).await {
            Ok(line) => line,
            Err(error) => {
                talk(&format!("\n  the terminal cannot be read: {error}"));
                None
            }
        }
    }

    /// Says that a question went away before it was answered: what was typed at it is dropped.
    pub async fn taken_away(&mut self) {
        self.reader_over().await;
        forget();
        self.taken_away = Some(Instant::now());
    }

    async fn reader_over(&mut self) {
        if let Some(reader) = &mut self.reader {
            // It ends at once: its end of the pipe was told so when its wait was given up.
            let _ = reader.await;
            self.reader = None;
        }
    }

    async fn typed(&mut self, question: &str) -> io::Result<Option<String>> {
        forget();
        let mut err = io::stderr();
        let _ = write!(err, "{question}").and_then(|()| err.flush());
        let (give_up, given_up) = pipe_with(PipeFlags::CLOEXEC).map(|(read, write)| (write, read))?;
        let (say, said) = oneshot::channel();
        self.reader = Some(tokio::task::spawn_blocking(move || {
            // Nobody listens any more if the wait was given up.
            let _ = say.send(read_line(&given_up));
        }));
        let line = said.await.unwrap_or(Ok(None));
        // Closed when this future is dropped, which the reader sees.
        drop(give_up);
        line
    }
}

/// Drops what was typed and not read.
fn forget() {
    // Refused only where there is no terminal; then there are no keys either.
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
}

/// One line of stdin; none at its end, or when the other end of the pipe is closed before.
fn read_line(given_up: &OwnedFd) -> io::Result<Option<String>> {
    let stdin = io::stdin();
    let mut line: Vec<u8> = Vec::new();
    let mut piece = [0u8; 4096];
    loop {
        let mut fds = [PollFd::new(given_up, PollFlags::IN), PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut fds, None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        if fds.first().is_some_and(|pipe| !pipe.revents().is_empty()) {
            return Ok(None);
        }
        let read = match rustix::io::read(&stdin, &mut piece) {
            Ok(read) => piece.get(..read).unwrap_or_default(),
            Err(Errno::INTR | Errno::AGAIN) => continue,
            // The terminal is gone.
            Err(Errno::IO) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if read.is_empty() && line.is_empty() {
            return Ok(None);
        }
        let whole = read.split(|byte| *byte == b'\n').next().unwrap_or_default();
        line.extend_from_slice(whole);
        // What stands behind the line's end was typed before the next question.
        if whole.len() < read.len() || read.is_empty() {
            let text = String::from_utf8_lossy(&line);
            return Ok(Some(text.trim_end_matches('\r').to_owned()));
        }
    }
}
