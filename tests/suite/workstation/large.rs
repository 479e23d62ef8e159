//! What is large stays out of memory: an output of half a gigabyte while it comes and once it is stored, and a store with
//! a text that is larger still.

use super::desk::{Desk, Place, eventually};
use super::jobs;
use crate::suite::store::support::{Driver, created, options};
use std::collections::BTreeMap;
use std::sync::Arc;
use wakeful::run::{BlobBag, Body, Class, Event, RunId, WorkerId};
use wakeful::store::{Claim, Store};

/// Most memory of any process, in KiB: far below what is written.
const MOST: u64 = 300 * 1024;
/// Bytes of the output.
const OUTPUT: u64 = 500_000_000;

/// The most memory that a process had so far, in KiB; none if it is gone.
fn peak(pid: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The peaks of all our processes of this place, by what they are.
fn peaks(place: &Place, all: &mut BTreeMap<i32, (u64, String)>) {
    for (pid, line) in place.processes() {
        if let Some(peak) = peak(pid).filter(|_| line.contains("wakeful")) {
            all.insert(pid, (peak, line));
        }
    }
}

/// A worker of its own, so that it is measured apart from the screen; the screen watches it.
#[test]
fn half_a_gigabyte_of_output_is_in_nobodys_memory() {
    let script = jobs::command(&format!("until test -e go; do sleep 0.05; done; yes | head -c {OUTPUT}"));
    let question = "[[steps]]\nsay = \"One question.\"\n\
        calls = [{ name = \"ask_person\", args = { question = \"Which colour?\" } }]\n[[steps]]\nsay = \"Done.\"\n";
    let place = Place::playing(&script.replace("[[steps]]\nsay = \"Done.\"\n", question));
    let mut worker = place.start(&["run", "Say yes", "--model", "offline", "--wait", "--headless"]);
    eventually("the run is there", || place.ask(&["runs", "--json"]).contains("Say yes"));
    let desk = place.open(120, 40, &[]);
    desk.wait("▸ shell  until test");
    desk.press_until("k", "▌    ▸ shell");
    // Its page grows meanwhile.
    desk.press("\r");
    desk.wait("running · ");
    std::fs::write(place.workspace().join("go"), "").unwrap();
    let mut all = BTreeMap::new();
    let begun = std::time::Instant::now();
    while !desk.shows("Which colour?") {
        peaks(&place, &mut all);
        if begun.elapsed() > std::time::Duration::from_secs(2) && !desk.shows("running · ") {
            desk.press("\x1b");
        }
        assert!(begun.elapsed() < std::time::Duration::from_secs(240), "{}", desk.screen());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    peaks(&place, &mut all);
    println!("{all:#?}");
    assert!(all.len() >= 3, "screen, worker and supervisor are measured: {all:#?}");
    assert!(all.values().all(|(peak, _)| *peak < MOST), "{all:#?}");
    worker.kill().unwrap();
    worker.wait().unwrap();
    desk.kill();
}

/// A store whose only run has a result of this size, all of it stored.
fn with_a_result_of(place: &Place, bytes: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Store::open(options(place.db(), &Arc::default())).unwrap();
        let content = "a line of what was printed\n".repeat(bytes / 27);
        let length = content.len() as u64;
        let hash = store.put_blob(content.into_bytes()).await.unwrap();
        let mut first = created("large");
        if let Event::RunCreated { workspace, .. } = &mut first.event {
            *workspace = place.workspace();
        }
        let id = RunId::new("r-large");
        store.create_run(id.clone(), vec![first], BlobBag::new(), 1_000).await.unwrap();
        let Claim::Owned(loaded) = store.claim(&id, &WorkerId::new("w-1"), 1_001).await.unwrap() else {
            panic!("held")
        };
        let mut run = Driver { store: store.clone(), run: id, state: loaded.state, now: 1_001 };
        run.whole_step("before").await;
        let id = run.propose(Class::Effect, "{\"command\": \"print\"}").await;
        run.put(vec![run.approve(&id), run.start(&id, Vec::new())]).await;
        let mut finished = run.finish(&id, "it printed very much");
        if let Event::CallFinished { output, .. } = &mut finished {
            *output = Some(Body::Blob { hash, bytes: length });
        }
        run.put(vec![finished]).await;
        run.end_step().await;
        run.waiting("{\"command\": \"one more\"}").await;
        store.close().await.unwrap();
    });
}

/// What the screen needs at most, from its start on, with that run in view.
fn looked_at(place: &Place) -> (Desk, u64) {
    let desk = place.open(120, 40, &[]);
    desk.wait("reach large");
    desk.wait("shell");
    for (key, text) in [("2", "━ 2 Context"), ("3", "━ 3 Queue"), ("4", "━ 4 Checkpoints"), ("1", "━ 1 Loop")]
    {
        desk.press(key);
        desk.wait(text);
    }
    let peak = peak(desk.pid()).unwrap();
    (desk, peak)
}

#[test]
fn a_store_with_a_result_of_three_hundred_megabytes_opens_as_one_with_a_short_one() {
    let short = Place::new();
    with_a_result_of(&short, 1_000);
    let (desk, quiet) = looked_at(&short);
    desk.kill();
    let large = Place::new();
    with_a_result_of(&large, 300_000_000);
    let (desk, peak) = looked_at(&large);
    println!("peak with a short result {quiet} KiB, with a large one {peak} KiB");
    assert!(peak < quiet + 64 * 1024, "{quiet} KiB and {peak} KiB");
    desk.kill();
}
