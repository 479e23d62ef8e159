//! Commands whose supervisor died: finding what lives of them, and ending it.
//!
//! A process belongs to a spool when it has the spool's `life` open, carries its mark in the
//! environment it was started with, or shares a session with such a process (the number of a
//! session is not reused while it has members). A process that closed `life`, dropped the mark
//! and left the session cannot be found: say "may still be running" where that matters.

use super::HostError;
use super::process::{self, ProcessId};
use super::spool::Spool;
use rustix::process::Signal;
use std::collections::BTreeSet;

/// The living processes that belong to the spool's command, supervisors excepted.
pub fn members(spool: &Spool) -> Result<Vec<ProcessId>, HostError> {
    let table = process::table().map_err(|source| HostError::System { action: "read /proc", source })?;
    let (mark, life) = (spool.mark(), spool.file("life"));
    let me = i32::try_from(std::process::id()).unwrap_or(0);
    let supervisors = spool.supervisors()?;
    let candidate = |pid: i32| pid != me && !supervisors.iter().any(|id| id.pid == pid && id.is_alive());
    let living: Vec<_> = table.iter().filter(|entry| !entry.zombie && candidate(entry.pid)).collect();
    let sure: Vec<i32> = living
        .iter()
        .filter(|entry| process::has_mark(entry.pid, &mark) || process::has_open(entry.pid, &life))
        .map(|entry| entry.pid)
        .collect();
    // Only sessions led by one of the spool's own supervisors, so never a person's terminal.
    let sessions: BTreeSet<i32> = living
        .iter()
        .filter(|entry| sure.contains(&entry.pid) && supervisors.iter().any(|id| id.pid == entry.session))
        .map(|entry| entry.session)
        .collect();
    Ok(living
        .iter()
        .filter(|entry| sure.contains(&entry.pid) || sessions.contains(&entry.session))
        .map(|entry| ProcessId::from(**entry))
        .collect())
}

/// Signals each of them, or nobody where the number has another process now. A stopped one is
/// woken so that it can take the signal.
pub fn signal(members: &[ProcessId], signal: Signal) -> Result<(), HostError> {
    for member in members {
        for each in [signal, Signal::CONT] {
            member
                .signal(each)
                .map_err(|source| HostError::System { action: "signal a left-over process", source })?;
        }
    }
    Ok(())
}
