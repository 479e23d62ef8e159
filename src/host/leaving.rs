//! Children that are to leave our session and have not yet: a signal to our process group, or the end of our session,
//! would still reach them.
//!
//! A supervisor and a worker that goes on alone begin in our process group and leave it by `setsid` a millisecond
//! after; the system has no way to start them outside of it that lets them make a session of their own. So whoever
//! stops the group waits for them first, and begins none meanwhile.

use nix::unistd::{Pid, getsid};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often it is looked whether a child has left.
const LOOK: Duration = Duration::from_millis(1);

#[derive(Debug, Default)]
struct Children {
    /// Starts under way.
    starting: usize,
    /// Nothing may be started.
    held: bool,
    /// Started, and not known to have left.
    here: Vec<Pid>,
}

static CHILDREN: Mutex<Children> = Mutex::new(Children { starting: 0, held: false, here: Vec::new() });
static CHANGED: Condvar = Condvar::new();

fn children() -> MutexGuard<'static, Children> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait(children: MutexGuard<'static, Children>) -> MutexGuard<'static, Children> {
    CHANGED.wait(children).unwrap_or_else(PoisonError::into_inner)
}

/// A start under way.
pub(super) struct Starting(());

impl Starting {
    /// Waits while somebody holds still.
    pub(super) fn begin() -> Self {
        let mut children = children();
        while children.held {
            children = wait(children);
        }
        children.starting += 1;
        Self(())
    }

    /// The child is started.
    pub(super) fn started(self, child: u32) {
        let pid = pid(child);
        let mut children = children();
        children.here.retain(|pid| !has_left(*pid));
        children.here.extend(pid);
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        children().starting -= 1;
        CHANGED.notify_all();
    }
}

fn pid(child: u32) -> Option<Pid> {
    i32::try_from(child).ok().map(Pid::from_raw)
}

/// A session of its own, or gone. In a container the session may be one from outside, which has no number here: the
/// system says 0, as it also does of a process that just goes.
fn has_left(pid: Pid) -> bool {
    getsid(Some(pid)).map_or(true, |session| session == pid)
}

/// Nothing is started that could be in our process group, until this is dropped.
#[derive(Debug)]
pub struct NoStarts(());

impl Drop for NoStarts {
    fn drop(&mut self) {
        children().held = false;
        CHANGED.notify_all();
    }
}

/// Holds starts back and waits until every child has left our session, at most so long. Blocks.
pub fn hold(patience: Duration) -> NoStarts {
    let mut now = children();
    now.held = true;
    while now.starting > 0 {
        now = wait(now);
    }
    let here = std::mem::take(&mut now.here);
    drop(now);
    let held = NoStarts(());
    let until = Instant::now() + patience;
    let mut left: Vec<Pid> = here;
    while !left.is_empty() && Instant::now() < until {
        left.retain(|pid| !has_left(*pid));
        std::thread::sleep(LOOK);
    }
    children().here.extend(left);
    held
}

/// Waits until this child has left our session, at most so long. Blocks.
pub(super) fn await_leaving(child: u32, patience: Duration) {
    let Some(pid) = pid(child) else { return };
    let until = Instant::now() + patience;
    while !has_left(pid) && Instant::now() < until {
        std::thread::sleep(LOOK);
    }
}
