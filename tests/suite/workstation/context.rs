//! The workstation at step 200 of a run in a window of 8k tokens: the goal as it was given, what fills the window, what
//! the model is reminded of. `cargo test --test all workstation::context -- --nocapture` prints the screens.

use super::place::Place;
use crate::suite::serve::long_run::{CONFIG, CONSTRAINT, server};
use std::sync::Arc;
use wakeful::inspect::asked;
use wakeful::run::event::JOURNAL_FORMAT;
use wakeful::run::{Author, BlobBag, Event, Hash, NewEvent, RunId, StepRef};
use wakeful::store::{Store, StoreOptions};

/// Tokens that the row of a slot says are used.
fn used(screen: &str, slot: &str) -> u64 {
    let words = screen
        .lines()
        .find_map(|line| line.split(['│', '┃']).find(|cell| cell.trim_start().starts_with(slot)));
    let words = words.unwrap_or_else(|| panic!("no row of {slot}\n{screen}"));
    let number = words.split_whitespace().nth(1).unwrap().replace(',', "");
    number.parse().unwrap_or_else(|_| panic!("{words:?}"))
}

#[test]
fn at_step_200_in_8k_the_screen_shows_the_goal_and_what_fills_the_window() {
    let server = server(200);
    let place = Place::new();
    place.config(&format!(
        "default_profile = \"stub\"\n[profile.stub]\nbase_url = \"{}\"\nmodel = \"stub\"\nwindow = 8192\n\
         reserve = 1024\nprotocol = \"native\"\n{CONFIG}",
        server.base()
    ));
    std::fs::write(place.workspace().join("part.txt"), "a line of part\n".repeat(30)).unwrap();
    let goal = "Survey the 300 parts of the ledger — 逐一检查, never rename one";
    let args =
        ["run", goal, "--constraint", CONSTRAINT, "--approve", "auto", "--headless", "--max-steps", "500"];
    let said = place.ask(&args);
    assert!(said.contains("All parts are seen"), "{said}");

    let desk = place.open(200, 60, &[]);
    desk.wait("✓ completed");
    desk.press("j");
    desk.press("\r");
    desk.wait("step 201");
    desk.wait(goal);
    desk.wait("rounds · folded");
    let screen = desk.screen();
    println!("{screen}");
    let slots = ["system", "tools", "goal", "core", "summary", "recent", "state", "reserve"];
    let sum: u64 = slots.iter().map(|slot| used(&screen, slot)).sum();
    assert!(slots.iter().all(|slot| used(&screen, slot) > 0), "{screen}");
    assert_eq!(sum, used(&screen, "total"), "{screen}");
    assert!(used(&screen, "total") <= 8192, "{screen}");
    assert!(screen.contains(CONSTRAINT), "{screen}");
    assert!(
        screen.contains("200.1 shell") && screen.contains("199.1 shell"),
        "a call's number is whole: {screen}"
    );

    desk.resize(80, 24);
    desk.press_until("2", "▐2 Context");
    desk.wait("Survey the 300 parts of the ledger — 逐一检查");
    // A frame comes in pieces.
    desk.until("the whole table", || {
        let shown = desk.screen();
        shown.lines().any(|line| line.split(['│', '┃']).any(|cell| cell.trim_start().starts_with("total")))
    });
    println!("{}", desk.screen());
    assert!(used(&desk.screen(), "total") <= 8192);
    desk.kill();
}

/// Enter on each row of the table shows what stands in that slot of the newest request.
#[test]
fn enter_on_a_row_shows_the_items_of_its_slot() {
    let place = Place::new();
    std::fs::write(place.workspace().join("AGENTS.md"), "Count twice.").unwrap();
    let desk = place.waiting(120, 40);
    desk.press_until("2", "Enter items of a slot");
    let items = |title: &str, shown: &[&str]| {
        desk.press("\r");
        desk.wait(title);
        shown.iter().for_each(|words| desk.wait(words));
        desk.press("\x1b");
        desk.wait_gone(title);
        desk.press("j");
    };
    items("Context: system, step 4", &["Role, rules, form of the reply ·", "Workspace instructions ·"]);
    items("Context: tools, step 4", &["list_files ·"]);
    items("Context: goal, step 4", &["The pinned goal ·", "Survey this folder"]);
    items("Context: summary, step 4", &["Nothing stands in it."]);
    items("Context: recent, step 4", &["agent ·", "result of list_files ·"]);
    items("Context: state, step 4", &["How far the run is ·"]);
    items("Context: reserve, step 4", &["kept free for the reply"]);
    desk.kill();
}

/// A past request that this program makes otherwise than it was sent is not shown as the exact one.
#[test]
fn a_request_that_differs_from_what_was_sent_is_not_shown_as_the_exact_one() {
    let place = Place::new();
    place.ask(&["run", "Look at the folder", "--model", "offline", "--approve", "safe", "--headless"]);
    block(forged(&place));
    let desk = place.open(120, 40, &[]);
    desk.wait("of another program");
    desk.press_till("j", "the selection of its row", || {
        desk.screen().lines().any(|line| line.contains("of another program") && line.contains('▌'))
    });
    desk.press("\r");
    desk.wait("step 1");
    desk.press_until("x", "Exact request · step 1");
    desk.wait("What is shown may differ from what was sent: this is not what was sent");
    desk.wait("\"messages\": [");
    desk.kill();
}

fn block<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(future)
}

/// A run elsewhere whose first request was sent as another version of the program makes it.
async fn forged(place: &Place) {
    let store = Store::open(StoreOptions::new(place.db(), Arc::new(|_| true))).unwrap();
    let first = store.find_run("last").await.unwrap();
    let state = store.load(&first).await.unwrap().state;
    let sent = asked(&store, &first, Some(StepRef { timeline: None, step: 1 })).await.unwrap().unwrap();
    let mut request = sent.parts.clone();
    request.hash = Hash::of(b"another");
    let created = Event::RunCreated {
        format: JOURNAL_FORMAT,
        title: "of another program".into(),
        goal: state.path.goal.clone(),
        workspace: place.workspace().join("elsewhere"),
        settings: Box::new(state.settings().unwrap().clone()),
    };
    let (step, attempt, purpose, table) = (sent.step, sent.attempt, sent.purpose, sent.table);
    let called = Event::ModelCalled { step, attempt, epoch: 0, purpose, table, request, by: None };
    let events = [created, called].map(|event| NewEvent { author: Author::Wakeful, event });
    let (id, now) = (RunId::new("r-cccccccccccc"), sent.at + 60_000);
    store.create_run(id, events.to_vec(), BlobBag::new(), now).await.unwrap();
    store.close().await.unwrap();
}
