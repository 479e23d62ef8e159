//! A damaged row: it is said, nothing goes on by itself, nothing is lost.

use super::scene::*;
use rusqlite::{Connection, params};

/// Turns one bit of an event's content; doing it again mends it.
fn flip(scene: &Scene, seq: u64) {
    let conn = Connection::open(&scene.db).unwrap();
    let payload: Vec<u8> = conn
        .query_row("SELECT CAST(payload AS BLOB) FROM events WHERE seq = ?1", [seq as i64], |row| row.get(0))
        .unwrap();
    let mut bad = payload;
    let middle = bad.len() / 2;
    bad[middle] ^= 1;
    let changed = conn.execute("UPDATE events SET payload = ?1 WHERE seq = ?2", params![bad, seq as i64]);
    assert_eq!(changed.unwrap(), 1);
}

fn rows(scene: &Scene) -> i64 {
    let conn = Connection::open(&scene.db).unwrap();
    conn.query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_damaged_row_is_said_and_nothing_goes_on_over_it() {
    let scene = Scene::new(Rounds::Mixed, 5);
    let ended = scene.with(&["run", "Do all rounds.", "--max-steps", "3"]).wait();
    assert_eq!(ended.said(), (Some(3), "limit", ""), "{ended:?}");
    let store = scene.store();
    let run = store.find_run("last").await.unwrap();
    let whole = store.load(&run).await.unwrap();
    let steps = store.checkpoints(&run).await.unwrap();
    let third = steps.iter().find(|row| row.checkpoint.step == 3).unwrap().checkpoint.seq;
    let bad = third - 4;
    flip(&scene, bad);
    let events = rows(&scene);

    let loaded = store.load(&run).await.unwrap();
    let damage = loaded.damage.unwrap();
    assert_eq!(damage.first_bad_seq, bad);
    assert_eq!(
        (loaded.state.path.step, loaded.state.head.seq < bad),
        (2, true),
        "the last checkpoint before it"
    );
    for args in [&["resume", "last"][..], &["resume", "last", "--max-steps", "100"]] {
        let ended = scene.with(args).wait();
        assert_eq!(ended.status.code(), Some(6), "{ended:?}");
        assert!(ended.stderr.contains(&format!("event {bad}")), "{}", ended.stderr);
        assert!(ended.stderr.contains("wakeful doctor --accept-damage"), "{}", ended.stderr);
    }
    assert_eq!(rows(&scene), events, "nothing was written or removed");
    assert_eq!(scene.effects(), [1, 2, 3], "nothing was done");
    let raw = store.raw_events(&run, bad, bad).await.unwrap();
    assert!(raw.len() == 1 && raw[0].fault.is_some(), "the row is kept and shown: {raw:?}");

    flip(&scene, bad);
    assert_eq!(*store.load(&run).await.unwrap().state, *whole.state, "it was all there");
    let ended = scene.with(&["resume", "last", "--max-steps", "100"]).wait();
    assert_eq!(ended.said(), (Some(0), "completed", ""), "{ended:?}");
    scene.check("mended", &[]).await;
}
