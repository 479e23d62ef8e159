//! The hook that calls for attention, for a worker without a screen: called once when a run begins to need the person.

use super::app::App;
use super::print::talk;
use crate::config::Config;
use crate::host::notify::{Hook, Notice};
use crate::provider::Delta;
use crate::run::RunState;
use crate::run::event::NewEvent;
use crate::run::id::RunId;
use crate::run::state::{Status, WaitWhy};
use crate::ui::words::{Lang, Words};
use crate::worker::{Observer, Phase};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Passes on what a worker does, and calls the hook.
pub struct Attention {
    inner: Arc<dyn Observer>,
    hook: Hook,
    words: &'static Words,
    /// The run needed the person when it was last seen.
    needs: AtomicBool,
}

impl Attention {
    /// The observer with the hook of the configuration; the observer itself if there is none.
    pub fn over(inner: Arc<dyn Observer>, app: &App, config: &Config) -> Arc<dyn Observer> {
        let Some(hook) = Hook::of(&config.notify) else { return inner };
        let of = |name: &str| app.env.get(name).map(String::as_str);
        let chosen = config.screen.lang.as_deref().and_then(|flag| Lang::from_flag(flag).ok());
        let lang = chosen.unwrap_or_else(|| Lang::from_locale(of("LC_ALL"), of("LC_MESSAGES"), of("LANG")));
        Arc::new(Self { inner, hook, words: Words::of(lang), needs: AtomicBool::new(false) })
    }
}

impl Observer for Attention {
    fn phase(&self, run: &RunId, phase: Phase) {
        self.inner.phase(run, phase);
    }

    fn delta(&self, run: &RunId, delta: &Delta) {
        self.inner.delta(run, delta);
    }

    fn committed(&self, state: &RunState, events: &[NewEvent]) {
        self.inner.committed(state, events);
        let needs = match state.status() {
            Status::Waiting(WaitWhy::Retry(_)) | Status::Running | Status::Paused | Status::Ended(_) => false,
            Status::Waiting(_) => true,
        };
        if self.needs.swap(needs, Ordering::Relaxed) || !needs {
            return;
        }
        let body = self.words.notes.bell(1, &state.ledger.title);
        let (hook, notice) = (self.hook.clone(), Notice { event: "needs_you", body });
        // The command goes on if this process ends before it.
        let call = move || {
            if let Err(why) = hook.call(&notice) {
                talk(&format!("note: {why}"));
            }
        };
        let _ = std::thread::Builder::new().name("notify".to_owned()).spawn(call);
    }
}
