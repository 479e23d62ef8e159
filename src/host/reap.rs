//! The supervisor's children: waiting for them and ending what descends from it.
//!
//! The supervisor is a subreaper: an orphan among its descendants becomes its own child. So "no
//! children" means "nothing is left", however the descendants forked, left the group or the
//! session.

use super::process::{self, ProcessId, Sent};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group, wait};
use std::collections::BTreeSet;
use std::io;

/// What one round of waiting found.
#[derive(Debug)]
pub struct Reaped {
    /// The status of the main process, if it ended in this round.
    pub main: Option<WaitStatus>,
    /// Nothing is left.
    pub nothing_left: bool,
}

/// Takes the status of every child that has ended, without waiting.
pub fn reap(main: Pid) -> io::Result<Reaped> {
    let mut found = Reaped { main: None, nothing_left: false };
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => {
                if pid == main {
                    found.main = Some(status);
                }
            }
            Ok(None) => return Ok(found),
            Err(Errno::CHILD) => {
                found.nothing_left = true;
                return Ok(found);
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// What a signal to all descendants met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signalled {
    /// Descendants that were signalled.
    pub reached: u32,
    /// Descendants that belong to another user and cannot be.
    pub refused: u32,
}

/// Signals every descendant; with KILL whole groups at once, so that forking does not outrun it.
pub fn signal_all(signal: Signal) -> io::Result<Signalled> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let mut met = Signalled { reached: 0, refused: 0 };
    let family = process::descendants(&process::table()?, own);
    if signal == Signal::KILL {
        // A group lies within one session, and all sessions here are ours or our descendants'.
        let groups: BTreeSet<i32> =
            family.iter().map(|entry| entry.group).filter(|group| *group != own).collect();
        for group in groups.into_iter().filter_map(Pid::from_raw) {
            // Refusals show below, one by one.
            let _ = kill_process_group(group, signal);
        }
    }
    for entry in family {
        let id = ProcessId::from(entry);
        match id.signal(signal)? {
            Sent::Delivered => met.reached += 1,
            Sent::Gone => {}
            Sent::Refused => met.refused += 1,
        }
        if signal != Signal::KILL {
            // A stopped process takes a signal only when it goes on.
            id.signal(Signal::CONT)?;
        }
    }
    Ok(met)
}
