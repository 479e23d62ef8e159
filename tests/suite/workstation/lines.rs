//! Line mode in a terminal: a result of before is used again with a key; a rollback that is refused pauses nothing.

use super::desk::{Place, eventually};
use super::jobs::ONE_EFFECT;
use super::place::events;
use wakeful::run::control::{Author, Control, RollbackChoices, StepRef};
use wakeful::run::event::Event;
use wakeful::store::{RunFilter, Store, StoreOptions};

#[test]
fn a_result_of_before_is_used_again_with_a_key() {
    let place = Place::playing(ONE_EFFECT);
    place.ask(&["run", "One effect", "--model", "offline", "--headless"]);
    assert_eq!(place.read("effects").as_deref(), Some("x\n"));
    place.ask(&["rollback", "last", "--to", "0", "--files", "no"]);
    let desk = place.open(120, 40, &["resume", "last"]);
    desk.wait("it ran in step 1, which was rolled back, with this result");
    desk.wait("u use that result");
    desk.press("u\r");
    desk.wait("completed");
    desk.end();
    assert_eq!(place.read("effects").as_deref(), Some("x\n"), "it did not run again");
    assert!(events(&place).iter().any(|event| matches!(event, Event::CallReused { ok: true, .. })));
}

#[test]
fn a_rollback_that_is_refused_pauses_nothing_and_says_why() {
    let place = Place::new();
    let desk = place.waiting(120, 40);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Store::open(StoreOptions::new(place.db(), std::sync::Arc::new(|_| true))).unwrap();
        let run = store.runs(RunFilter::default()).await.unwrap().remove(0).id;
        let to = StepRef { timeline: None, step: 99 };
        let choices = RollbackChoices { paused: true, ..RollbackChoices::default() };
        let control = Control::Rollback { to, files: true, seen_seq: u64::MAX, choices };
        store.post(&run, control, Author::Person("test".to_owned()), 1).await.unwrap();
    });
    desk.wait("was refused: ");
    desk.wait("NEEDS YOU");
    assert!(!desk.shows("paused"));
    assert!(!events(&place).iter().any(|event| matches!(event, Event::Paused { .. })));
    eventually("it still waits", || place.ask(&["runs", "--json"]).contains("\"waiting\""));
    desk.kill();
}
