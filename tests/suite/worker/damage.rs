//! Damage in a stored run, by the real binary: told the same everywhere, and accepting it leads out.

use super::scene::Scene;
use wakeful::run::{Outcome, Status};

/// A completed run of 23 steps, so that a snapshot stands well behind its beginning.
fn completed() -> Scene {
    let scene = Scene::new(
        "[[steps]]\nrepeat = 22\ncalls = [{ name = \"write_file\", args = { path = \"f{i}.txt\", content = \"x\" } }]\n",
    );
    scene.config("[limits]\ntool_calls_per_minute = 1000\n");
    scene.start(0, "auto");
    assert_eq!((scene.status(), scene.state().path.step), (Status::Ended(Outcome::Completed), 23));
    scene
}

fn spoil(scene: &Scene, sql: &str) {
    let conn = rusqlite::Connection::open(scene.beside().with_extension("")).unwrap();
    assert!(conn.execute(sql, []).unwrap() > 0, "{sql}");
}

#[test]
fn damage_behind_a_snapshot_is_told_the_same_everywhere_and_accepting_leads_out() {
    for (sql, seq) in
        [("UPDATE events SET payload = x'00' WHERE seq = 30", 30), ("DELETE FROM events WHERE seq = 1", 1)]
    {
        let scene = completed();
        spoil(&scene, sql);
        let doctor = scene.expect(6, &["doctor"]).out;
        assert!(
            doctor.contains(&format!("event {seq}: ")) && doctor.contains("does not rest on it"),
            "{doctor}"
        );
        let page = scene.expect(0, &["show", "last"]).out;
        assert!(
            page.contains(&format!("damage     event {seq}: ")) && page.contains("state is whole"),
            "{page}"
        );
        assert!(scene.expect(0, &["runs"]).out.contains("completed: damaged"));
        for args in [&["message", "last", "go on"][..], &["resume", "last", "--headless"]] {
            let said = scene.expect(6, args);
            assert!(said.err.contains("--accept-damage") && !said.err.contains("could not be"), "{said:?}");
        }
        let said = scene.expect(0, &["doctor", "--accept-damage", "last"]);
        assert!(said.err.contains("it stays at step 23"), "{said:?}");
        let doctor = scene.expect(0, &["doctor"]).out;
        assert!(doctor.contains("accepted") && doctor.contains("set aside"), "{doctor}");
        assert!(!scene.expect(0, &["show", "last"]).out.contains("damage"));
        assert!(scene.expect(6, &["doctor", "--accept-damage", "last"]).err.contains("not damaged"));
        let said = scene.expect(0, &["resume", "last", "--headless"]);
        assert!(said.err.contains("completed") && scene.count("person_message") == 1, "{said:?}");
        scene.expect(0, &["intents", "last"]);
        scene.expect(0, &["doctor", "--repair"]);
        let said = scene.say(&["rollback", "last", "--to", "5", "--dry-run"]);
        assert!(said.code != 0 && said.err.contains("set aside as damaged"), "{said:?}");
        scene.expect(0, &["rollback", "last", "--to", "22"]);
        assert_eq!(scene.state().path.step, 22);
        scene.expect(0, &["doctor"]);
    }
}

#[test]
fn a_cut_off_end_is_told_in_true_words_and_left_behind() {
    let scene = completed();
    let seq = scene.state().head.seq - 3;
    spoil(&scene, &format!("DELETE FROM events WHERE seq > {seq}"));
    let said = scene.expect(6, &["message", "last", "go on"]);
    assert!(said.err.contains("--accept-damage"), "{said:?}");
    let said = scene.expect(6, &["resume", "last", "--headless"]);
    assert!(said.err.contains("nothing was written") && !said.err.contains("could not be"), "{said:?}");
    assert!(scene.expect(0, &["doctor", "--accept-damage", "last"]).out.contains("accepted"));
    scene.expect(0, &["resume", "last", "--headless"]);
    scene.expect(0, &["doctor"]);
}

#[test]
fn the_doctor_does_not_send_people_to_the_doctor_and_knows_the_profiles() {
    let mut scene = Scene::new("");
    scene.set("WAKEFUL_MODEL", "");
    scene.config(
        "[discover]\nenabled = false\n[profile.home]\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n",
    );
    let said = scene.expect(0, &["doctor"]).out;
    assert!(said.contains("profile `home`") && said.contains("127.0.0.1:9"), "it was asked: {said}");
    assert!(said.contains("--model home") && !said.contains("no model is configured"), "{said}");
    let db = scene.beside().with_extension("");
    // Nothing of the first page may stand in the WAL.
    let conn = rusqlite::Connection::open(&db).unwrap();
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(conn);
    let mut bytes = std::fs::read(&db).unwrap();
    for byte in bytes.iter_mut().skip(100).take(4000) {
        *byte = 7;
    }
    std::fs::write(&db, bytes).unwrap();
    let said = scene.expect(6, &["doctor"]).out;
    assert!(said.contains("damaged") && !said.contains("Run `wakeful doctor`"), "{said}");
    assert!(said.contains("backup"), "{said}");
}
