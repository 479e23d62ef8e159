//! The pulse of a worker: it touches its living lock every few seconds, so that others can see that it does not merely
//! exist. The lock alone says who owns what; the pulse decides nothing and is shown to people.
//!
//! Not to be assumed: that a worker without a pulse is dead. A stopped process, or a machine that slept, has none.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tokio::task::JoinHandle;

/// Time between two beats.
const BEAT: Duration = Duration::from_secs(5);

/// Beats until it is dropped.
#[derive(Debug)]
pub struct Pulse(JoinHandle<()>);

impl Pulse {
    /// Touches this file from now on, on the present runtime: where that hangs, nothing beats. None without a runtime.
    pub fn of(lock: &Path) -> Option<Self> {
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        let lock = lock.to_owned();
        Some(Self(runtime.spawn(beat(lock, BEAT))))
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn beat(lock: PathBuf, every: Duration) {
    loop {
        tokio::time::sleep(every).await;
        let path = lock.clone();
        // A disk that hangs holds up a thread of its own. That the file is gone is not ours to tell.
        let _ = tokio::task::spawn_blocking(move || touch(&path)).await;
    }
}

fn touch(path: &Path) -> std::io::Result<()> {
    File::options().write(true).open(path)?.set_modified(SystemTime::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_lock_is_touched_again_and_again() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        let since = || file.as_file().metadata().unwrap().modified().unwrap();
        let beating = beat(file.path().to_owned(), Duration::from_millis(1));
        let twice = async {
            for _ in 0..2 {
                file.as_file().set_modified(long_ago).unwrap();
                while since() == long_ago {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            }
        };
        tokio::select! {
            () = beating => unreachable!(),
            () = twice => {}
            () = tokio::time::sleep(Duration::from_secs(20)) => panic!("it was not touched"),
        }
    }
}
