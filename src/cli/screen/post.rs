//! Writing controls down, one after the other, on a task of its own: a store that others hold locked keeps neither the
//! screen nor its other commands waiting. A control waits until it is stored, however long that takes, and is stored once.

use super::feed::told_if_slow;
use super::work::Workers;
use crate::cli::app::App;
use crate::run::control::{Author, Control};
use crate::run::id::RunId;
use crate::store::{Posted as Stored, Store, StoreError};
use crate::ui::app::msg::{Msg, Posted, Ticket};
use crate::ui::words::Lang;
use crate::ui::words::reasons::said;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Longest wait, at the end, for what is not stored yet: longer than the store itself tries.
const FINISH: Duration = Duration::from_secs(15);

/// Time between two looks whether a full disk has room again.
const LOOK: Duration = Duration::from_secs(1);
/// Free space from which something can be stored, bytes.
const ROOM: u64 = 1 << 20;
/// Of a disk that is smaller than a few times that, its share from which something can be stored.
const SHARE: u64 = 8;

/// A control, the run it is for, and the name of the answer.
pub type Post = (Ticket, RunId, Control);

/// Where controls are given to be written down.
#[derive(Clone)]
pub struct Posts(mpsc::UnboundedSender<Option<Post>>);

impl Posts {
    /// Begins to write down; the task ends after [`Posts::finish`].
    pub fn new(
        app: App,
        store: Store,
        lang: Lang,
        workers: Workers,
        tell: mpsc::Sender<Msg>,
    ) -> (Self, JoinHandle<()>) {
        let (posts, mut given) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            let mut looking: Option<JoinHandle<()>> = None;
            while let Some(Some((ticket, run, control))) = given.recv().await {
                let work = !matches!(control, Control::Pause { .. });
                let posted = store_it(&app, &store, &run, control, &tell).await;
                let stored = matches!(posted, Ok(Stored::Row(_)));
                let said = match posted {
                    Ok(Stored::LostTo { by, decision, .. }) => {
                        Posted::Lost { what: said(lang, &decision).into_owned(), who: lang.author(&by) }
                    }
                    Ok(Stored::Row(_)) => Posted::Stored,
                    Err(error) => {
                        if tell.is_closed() {
                            workers.failed(&run, error.to_string());
                        }
                        if error.is_full() {
                            // Whoever looks for room already goes on doing so.
                            let looks = looking.as_ref().is_some_and(|task| !task.is_finished());
                            if !looks {
                                looking = Some(tokio::spawn(room(store.dir().to_owned(), tell.clone())));
                            }
                            Posted::Full
                        } else {
                            Posted::Failed(error.to_string())
                        }
                    }
                };
                let _ = tell.send(Msg::Posted(ticket, said)).await;
                if stored && work {
                    workers.work(run);
                }
            }
        });
        (Self(posts), task)
    }

    /// Gives a control to be written down after those before it.
    pub fn post(&self, post: Post) {
        // Fails only if the task panicked, which ends the workstation.
        let _ = self.0.send(Some(post));
    }

    /// Nothing more comes: waits for what was given, but not for ever.
    pub async fn finish(&self, task: JoinHandle<()>) {
        let _ = self.0.send(None);
        let _ = tokio::time::timeout(FINISH, task).await;
    }
}

/// Says when a full disk has room again.
async fn room(folder: PathBuf, tell: mpsc::Sender<Msg>) {
    loop {
        tokio::time::sleep(LOOK).await;
        let disk = rustix::fs::statvfs(&folder);
        if tell.is_closed() {
            return;
        }
        if disk.is_ok_and(|disk| has_room(disk.f_bavail, disk.f_blocks, disk.f_frsize)) {
            let _ = tell.send(Msg::Room).await;
            return;
        }
    }
}

/// Whether so many free blocks of a disk, of bytes each, are room. A small disk never has as much as a large one needs.
fn has_room(free: u64, all: u64, block: u64) -> bool {
    let (free, all) = (free.saturating_mul(block), all.saturating_mul(block));
    free > 0 && free >= ROOM.min(all / SHARE)
}

/// Tries until it is stored or cannot be; while the screen is there, a lock of others is no reason to give up.
async fn store_it(
    app: &App,
    store: &Store,
    run: &RunId,
    control: Control,
    tell: &mpsc::Sender<Msg>,
) -> Result<Stored, StoreError> {
    let by = || Author::Person("tui".to_owned());
    let tries = async {
        loop {
            match store.post(run, control.clone(), by(), app.now()).await {
                Err(error) if error.is_busy() && !tell.is_closed() => {}
                done => return done,
            }
        }
    };
    let done = told_if_slow(tries, tell, Msg::Unposted(true)).await;
    let _ = tell.send(Msg::Unposted(false)).await;
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_less_on_a_small_disk() {
        let block = 4_096;
        let disk = |bytes: u64| bytes / block;
        // One of 10 GiB has room from 1 MiB on.
        let large = disk(10 << 30);
        assert!(has_room(disk(1 << 20), large, block) && !has_room(disk(1 << 20) - 1, large, block));
        // One of 512 KiB never has that, and one of 2 MiB hardly.
        assert!(has_room(disk(64 << 10), disk(512 << 10), block));
        assert!(!has_room(disk(60 << 10), disk(512 << 10), block));
        assert!(has_room(disk(256 << 10), disk(2 << 20), block));
        assert!(!has_room(0, disk(16 << 10), block) && !has_room(0, 0, block), "a full one has none");
    }
}
