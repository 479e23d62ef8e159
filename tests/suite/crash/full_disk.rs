//! The disk of the database fills up while a run works: it stops with clear words, nothing runs whose intent is not
//! stored, and with room again it goes on.

use super::scene::*;
use crate::suite::small_disk::Small;
use rusqlite::{Connection, OpenFlags};
use wakeful::run::{CallStatus, Decoded, Event};

/// The scene's database on a small file system. To be dropped before the scene.
fn small_disk(scene: &mut Scene, megabytes: u32) -> Option<Small> {
    let path = scene.dir.path().join("small");
    std::fs::create_dir(&path).unwrap();
    let small = Small::over(&path, megabytes)?;
    scene.db = path.join("w.db");
    Some(small)
}

/// Rounds whose command was started as the journal has it.
async fn intents(scene: &Scene) -> usize {
    let store = scene.store();
    let run = store.find_run("last").await.unwrap();
    let calls = scene.calls().await;
    let is_command = |id| calls.iter().any(|call| call.call_id == id && call.tool == "shell");
    let events = store.events(&run, 1, u64::MAX >> 1).await.unwrap();
    events
        .into_iter()
        .filter(|envelope| match &envelope.event {
            Decoded::Known(event) => match event.as_ref() {
                Event::CallStarted { call_id, .. } => is_command(call_id.clone()),
                _ => false,
            },
            Decoded::Unknown { .. } => false,
        })
        .count()
}

/// Reads and does not come to an end: the log behind what it saw cannot begin anew, so every commit needs room. Without
/// it a run whose log is long enough has all the room that it needs, disk or no disk, and rightly goes on.
fn reader(scene: &Scene) -> Connection {
    let conn = Connection::open_with_flags(&scene.db, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    conn.busy_timeout(std::time::Duration::from_secs(30)).unwrap();
    conn.execute_batch("BEGIN").unwrap();
    conn.query_row("SELECT count(*) FROM events", [], |_| Ok(())).unwrap();
    conn
}

async fn fills_up(megabytes: u32) {
    // Slow enough that the disk is full long before the rounds are over.
    let mut scene = Scene::new(Rounds::Slow(40), 80);
    let Some(small) = small_disk(&mut scene, megabytes) else { return };
    for more in [2, 3, 4] {
        let before = scene.effects().len();
        let mut running = scene.go("").await;
        // At work: on its way in it tidies up, which makes room.
        eventually("some effects of its own", || scene.effects().len() >= before + more || running.is_over());
        let reads = reader(&scene);
        small.fill();
        let ended = running.wait();
        assert_eq!(ended.said(), (Some(6), "storage", ""), "{ended:?}");
        assert!(ended.stderr.contains("space"), "clear words: {}", ended.stderr);
        drop(reads);
        // The last to leave brought the log into the file, which may have made room.
        small.fill();
        let again = scene.resume("").wait();
        assert_eq!(again.said(), (Some(6), "storage", ""), "still full: {again:?}");
        let effects = scene.effects().len();
        small.make_room();
        assert!(intents(&scene).await >= effects, "nothing ran whose intent was not stored");
        let state = scene.state().await;
        let doubtful = state.ledger.open.values().filter(|c| c.status == CallStatus::Uncertain).count();
        assert_eq!(doubtful, 0, "a full disk leaves nothing in doubt");
    }
    scene.finish().await.unwrap();
    scene.check("full disk", &[]).await;
}

#[tokio::test]
async fn a_full_disk_stops_a_run_and_room_lets_it_go_on() {
    // Too small for the reserve, and with it.
    fills_up(20).await;
    fills_up(56).await;
}

#[tokio::test]
async fn a_disk_that_is_full_from_the_start_is_said() {
    let mut scene = Scene::new(Rounds::Mixed, 2);
    let Some(small) = small_disk(&mut scene, 4) else { return };
    small.fill();
    let ended = scene.run("").wait();
    assert_eq!(ended.said(), (Some(6), "storage", ""), "{ended:?}");
    assert!(ended.stderr.contains("space") || ended.stderr.contains("disk"), "{}", ended.stderr);
    assert_eq!(scene.effects(), Vec::<usize>::new());
    small.make_room();
    scene.finish().await.unwrap();
    scene.check("full from the start", &[]).await;
}
