//! A panic of any thread gives the terminal back before it is printed, and ends the workstation.
//!
//! The message is printed on the screen of the shell, where it can be read. A workstation that drew on would paint over
//! it on a screen whose modes are no longer its own, so a panic elsewhere (a command, a worker in this process) is told
//! to the loop, which ends.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

static HAPPENED: AtomicBool = AtomicBool::new(false);
static TELL: Notify = Notify::const_new();
static WATCH: Once = Once::new();

/// From now on. The hook of before is called after the terminal is given back.
pub(super) fn watch() {
    HAPPENED.store(false, Ordering::SeqCst);
    WATCH.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if super::TAKEN.load(Ordering::SeqCst) {
                super::give_back();
                HAPPENED.store(true, Ordering::SeqCst);
                TELL.notify_one();
            }
            before(panic);
        }));
    });
}

/// Whether a thread panicked while the terminal was taken.
pub(crate) fn happened() -> bool {
    HAPPENED.load(Ordering::SeqCst)
}

/// Waits for such a panic.
pub(crate) async fn happening() {
    while !happened() {
        TELL.notified().await;
    }
}
