//! Looks for signs of life that stand in no journal, every two seconds: the owner that sleeps, the command that is
//! silent. Tells only what has changed. And hears of damage in the file.

use super::work::Workers;
use crate::host::clock;
use crate::run::Millis;
use crate::store::Store;
use crate::ui::app::msg::Msg;
use crate::ui::feed::{RunView, Signs};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Time between two looks.
const LOOK: Duration = Duration::from_secs(2);
/// A look that comes so late had the machine asleep before it, milliseconds.
const LATE: Millis = 10_000;
/// How long workers have after that to show life, milliseconds.
const RESTED: Millis = 20_000;

/// Tells once that something met damage in the file.
pub async fn damage(store: Store, tell: mpsc::Sender<Msg>) {
    let mut met = store.damage_met();
    let Ok(why) = met.wait_for(Option::is_some).await.map(|why| why.clone()) else { return };
    if let Some(why) = why {
        let _ = tell.send(Msg::FileDamaged(why)).await;
    }
}

/// Looks until the screen is gone.
pub async fn signs(
    store: Store,
    workers: Workers,
    mut of: watch::Receiver<Option<Arc<RunView>>>,
    tell: mpsc::Sender<Msg>,
) {
    let mut told: Option<Signs> = None;
    let (mut last, mut woken) = (clock::wall_ms(), Millis::MIN);
    loop {
        let now = clock::wall_ms();
        if now.saturating_sub(last) >= LATE {
            woken = now;
        }
        last = now;
        let view = of.borrow_and_update().clone();
        if let Some(view) = view {
            let (folder, own) = (store.dir().to_owned(), workers.has(&view.state.run));
            let rested = now.saturating_sub(woken) >= RESTED;
            let look = move || Signs::read(&folder, &view, own, rested, now);
            let Ok(signs) = tokio::task::spawn_blocking(look).await else { return };
            if told.as_ref() != Some(&signs) {
                if tell.send(Msg::Signs(signs.clone())).await.is_err() {
                    return;
                }
                told = Some(signs);
            }
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            // Another run, or the same one after a change: soon, but not for each of them.
            changed = of.changed() => {
                if changed.is_err() {
                    return;
                }
                // Of a death at once: what the dead worker started may run on.
                if of.borrow().as_ref().is_none_or(|view| view.alive) {
                    tokio::time::sleep(LOOK / 4).await;
                }
            }
        }
    }
}
