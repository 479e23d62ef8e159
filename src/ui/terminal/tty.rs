//! The terminal as the system gives it: who has it, its size, reading without waiting, writing without hanging.
//!
//! Input is standard input and output is standard output, both of which must be the terminal. Their file descriptions
//! are shared with the shell, so they are never made non-blocking: each read and write is preceded by a question
//! whether it would wait.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::stdio::{stdin, stdout};
use std::io;
use std::time::{Duration, Instant};

/// Bytes a write. The kernel says that a terminal can be written to when it has room for at least this much, so a write
/// of no more does not wait (Linux takes buffers of 256 bytes).
const PIECE: usize = 256;

/// Who has the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// This process group, or there is no job control: the terminal may be touched.
    Foreground,
    /// Another process group, usually the shell: touching its modes or reading would stop this process.
    Background,
    /// Nobody: the terminal is gone.
    Gone,
}

/// Who has the terminal now.
pub(crate) fn standing() -> Standing {
    match rustix::termios::tcgetpgrp(stdin()) {
        Ok(group) if group.as_raw_nonzero().get() == nix::unistd::getpgrp().as_raw() => Standing::Foreground,
        Ok(_) => Standing::Background,
        Err(Errno::IO | Errno::BADF) => Standing::Gone,
        // A terminal that does not control this session: no job control, so nobody else claims it.
        Err(_) => Standing::Foreground,
    }
}

/// Width and height in cells. A side the terminal does not know (0) is taken as 80 or 24.
pub(crate) fn size() -> (u16, u16) {
    let size = rustix::termios::tcgetwinsize(stdout()).map_or((0, 0), |s| (s.ws_col, s.ws_row));
    (if size.0 == 0 { 80 } else { size.0 }, if size.1 == 0 { 24 } else { size.1 })
}

/// What a read came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Got {
    /// So many bytes.
    Bytes(usize),
    /// Nothing is there now.
    Nothing,
    /// The terminal belongs to another process group: a read would stop this process.
    Background,
    /// End of file or an error: the terminal is gone, and further reads would end the same at once.
    Gone,
}

/// Reads what was typed, without waiting.
pub(crate) fn read(into: &mut [u8]) -> Got {
    match ready(PollFlags::IN, Duration::ZERO) {
        Ok(false) => return Got::Nothing,
        Ok(true) => {}
        Err(_) => return Got::Gone,
    }
    match standing() {
        Standing::Background => return Got::Background,
        Standing::Gone => return Got::Gone,
        Standing::Foreground => {}
    }
    match rustix::io::read(stdin(), into) {
        Ok(0) => Got::Gone,
        Ok(n) => Got::Bytes(n),
        Err(Errno::AGAIN | Errno::INTR) => Got::Nothing,
        Err(_) => Got::Gone,
    }
}

/// Writes from `bytes` until all is written or `patience` is over. Says how much was written.
///
/// # Errors
/// If the terminal is gone.
pub(crate) fn write(bytes: &[u8], patience: Duration) -> io::Result<usize> {
    let mut done = 0;
    let until = Instant::now() + patience;
    while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
        if !ready(PollFlags::OUT, until.saturating_duration_since(Instant::now()))? {
            break;
        }
        match rustix::io::write(stdout(), rest.get(..PIECE).unwrap_or(rest)) {
            Ok(n) => done += n,
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(done)
}

/// Whether standard input has something (also its end), or standard output has room.
fn ready(what: PollFlags, patience: Duration) -> io::Result<bool> {
    let patience = Timespec::try_from(patience).map_err(io::Error::other)?;
    let fd = if what == PollFlags::OUT { stdout() } else { stdin() };
    let mut fds = [PollFd::from_borrowed_fd(fd, what)];
    match poll(&mut fds, Some(&patience)) {
        Ok(n) => Ok(n > 0),
        Err(Errno::INTR) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

/// Waits until there is something to read, or the terminal is gone.
pub(super) fn await_input() {
    let mut fds = [PollFd::from_borrowed_fd(stdin(), PollFlags::IN)];
    // An interruption or an error counts as well: the read that follows tells.
    let _ = poll(&mut fds, None);
}

/// Drops what was typed and not read.
pub(super) fn forget_typed() {
    let _ = rustix::termios::tcflush(stdin(), rustix::termios::QueueSelector::IFlush);
}

/// Waits until something was typed or the terminal answered, at most so long.
pub(super) fn await_typed(patience: Duration) {
    let _ = ready(PollFlags::IN, patience);
}

/// Stops this process and its group, as the terminal does at Ctrl-Z, so that what started us (a script, `cargo run`)
/// stops with us and the shell gets the terminal. Returns when continued, or at once if there is no shell that could
/// continue us: then the system ignores the signal.
///
/// # Errors
/// If the system refuses.
pub(crate) fn stop() -> io::Result<()> {
    rustix::process::kill_current_process_group(rustix::process::Signal::TSTP).map_err(Into::into)
}
