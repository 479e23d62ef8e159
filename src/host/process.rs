//! Processes of this machine by name: pid, start time and boot, so that a reused pid is never
//! taken for the process that had it before.
//!
//! Read from /proc. A process may vanish between any two looks; everything here treats that as
//! "gone", never as an error.

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;

/// A process, named so that no later one can be mistaken for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProcessId {
    /// The process id.
    pub pid: i32,
    /// Clock ticks between boot and the process's start (`starttime` of /proc/PID/stat).
    pub start_time: u64,
    /// The boot during which it ran.
    pub boot_id: String,
}

/// What became of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// Delivered to that very process.
    Delivered,
    /// That process is gone (also when another one has its number now).
    Gone,
    /// The system does not let us signal it (another user's).
    Refused,
}

/// One line of the process table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Process id.
    pub pid: i32,
    /// Parent.
    pub parent: i32,
    /// Process group.
    pub group: i32,
    /// Session.
    pub session: i32,
    /// Clock ticks between boot and its start.
    pub start_time: u64,
    /// Ended, but not yet waited for by its parent.
    pub zombie: bool,
}

/// The id of this boot; empty when the system does not say, which matches only itself.
pub fn boot_id() -> &'static str {
    static BOOT: OnceLock<String> = OnceLock::new();
    BOOT.get_or_init(|| {
        fs::read_to_string("/proc/sys/kernel/random/boot_id")
            .map(|text| text.trim().to_owned())
            .unwrap_or_default()
    })
}

/// Parses one `/proc/PID/stat`. The name in it may hold spaces and brackets: the fields are
/// counted from the last closing one (proc(5)).
fn parse_stat(pid: i32, text: &str) -> Option<Entry> {
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<i32>().ok());
    Some(Entry {
        pid,
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
        start_time: fields.get(19)?.parse().ok()?,
        zombie: matches!(fields.first(), Some(&"Z" | &"X")),
    })
}

/// Looks one process up; `None` when there is none with that pid.
pub fn entry(pid: i32) -> Option<Entry> {
    parse_stat(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The whole process table, as far as it can be read.
pub fn table() -> io::Result<Vec<Entry>> {
    let mut found = Vec::new();
    for item in fs::read_dir("/proc")? {
        let Ok(item) = item else { continue };
        let pid = item.file_name().to_str().and_then(|name| name.parse().ok());
        found.extend(pid.and_then(entry));
    }
    Ok(found)
}

/// Those of `table` that descend from `ancestor` (itself not among them), zombies left out.
pub fn descendants(table: &[Entry], ancestor: i32) -> Vec<Entry> {
    let mut family = vec![ancestor];
    let mut grown = true;
    while grown {
        grown = false;
        for entry in table {
            if family.contains(&entry.parent) && !family.contains(&entry.pid) {
                family.push(entry.pid);
                grown = true;
            }
        }
    }
    table
        .iter()
        .filter(|entry| entry.pid != ancestor && family.contains(&entry.pid) && !entry.zombie)
        .copied()
        .collect()
}

/// Whether the process was started with exactly `NAME=VALUE` in its environment.
/// Processes of other users cannot be looked into and say no.
pub fn has_mark(pid: i32, mark: &str) -> bool {
    fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes()))
}

/// Whether the process has this file open (compared by the path the kernel shows).
pub fn has_open(pid: i32, file: &Path) -> bool {
    let Ok(links) = fs::read_dir(format!("/proc/{pid}/fd")) else {
        return false;
    };
    links.flatten().any(|link| {
        fs::read_link(link.path()).is_ok_and(|to| to.as_os_str().as_bytes() == file.as_os_str().as_bytes())
    })
}

impl ProcessId {
    /// This process.
    pub fn of_self() -> io::Result<Self> {
        let pid = rustix::process::getpid().as_raw_nonzero().get();
        Self::of(pid).ok_or_else(|| io::Error::other("/proc does not show this process"))
    }

    /// The process that has `pid` now; `None` when there is none.
    pub fn of(pid: i32) -> Option<Self> {
        entry(pid).map(Self::from)
    }

    /// Whether this very process is running (a zombie is not).
    pub fn is_alive(&self) -> bool {
        self.boot_id == boot_id()
            && entry(self.pid).is_some_and(|now| now.start_time == self.start_time && !now.zombie)
    }

    /// Whether this very process stands still because somebody stopped it (SIGSTOP, Ctrl-Z, a debugger).
    pub fn is_stopped(&self) -> bool {
        // The state is the first field after the name.
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid)).unwrap_or_default();
        let stopped =
            stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with(['T', 't']));
        stopped && self.is_alive()
    }

    /// Signals this very process, or nobody.
    ///
    /// The pidfd is opened first and the start time compared after: if the number was reused in
    /// between, the comparison sees the newcomer and refuses.
    pub fn signal(&self, signal: Signal) -> io::Result<Sent> {
        let Some(handle) = self.open()? else {
            return Ok(Sent::Gone);
        };
        match pidfd_send_signal(&handle, signal) {
            Ok(()) => Ok(Sent::Delivered),
            Err(rustix::io::Errno::SRCH) => Ok(Sent::Gone),
            Err(rustix::io::Errno::PERM) => Ok(Sent::Refused),
            Err(error) => Err(error.into()),
        }
    }

    fn open(&self) -> io::Result<Option<OwnedFd>> {
        if self.boot_id != boot_id() {
            return Ok(None);
        }
        let Some(pid) = Pid::from_raw(self.pid) else {
            return Ok(None);
        };
        let handle = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(handle) => handle,
            Err(rustix::io::Errno::SRCH) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        Ok(self.is_alive().then_some(handle))
    }
}

impl From<Entry> for ProcessId {
    fn from(entry: Entry) -> Self {
        Self { pid: entry.pid, start_time: entry.start_time, boot_id: boot_id().to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let text = "42 (a ) b (c) S 7 42 40 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9876 1 1";
        let entry = parse_stat(42, text).unwrap();
        assert_eq!((entry.parent, entry.group, entry.session), (7, 42, 40));
        assert_eq!((entry.start_time, entry.zombie), (9876, false));
        assert_eq!(parse_stat(1, "garbage"), None);
    }

    #[test]
    fn another_start_time_or_boot_is_another_process() {
        let me = ProcessId::of_self().unwrap();
        assert!(me.is_alive());
        let later = ProcessId { start_time: me.start_time + 1, ..me.clone() };
        let other_boot = ProcessId { boot_id: "x".into(), ..me.clone() };
        assert!(!later.is_alive() && !other_boot.is_alive());
        assert_eq!(later.signal(Signal::KILL).unwrap(), Sent::Gone);
        assert_eq!(other_boot.signal(Signal::KILL).unwrap(), Sent::Gone);
    }

    #[test]
    fn a_stopped_process_is_told_from_one_that_runs() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let id = ProcessId::of(i32::try_from(child.id()).unwrap()).unwrap();
        assert!(!id.is_stopped());
        id.signal(Signal::STOP).unwrap();
        let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while !id.is_stopped() {
            assert!(std::time::Instant::now() < until, "never seen as stopped");
            std::thread::yield_now();
        }
        assert!(!ProcessId { start_time: id.start_time + 1, ..id.clone() }.is_stopped());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!id.is_stopped());
    }

    #[test]
    fn descendants_are_found_over_several_generations() {
        let row = |pid, parent, zombie| Entry { pid, parent, group: 1, session: 1, start_time: 1, zombie };
        let table = [row(4, 3, false), row(3, 2, true), row(2, 1, false), row(9, 1, false)];
        let pids: Vec<i32> = descendants(&table, 2).iter().map(|entry| entry.pid).collect();
        assert_eq!(pids, [4]);
    }
}
