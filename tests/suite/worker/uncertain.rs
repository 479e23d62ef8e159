//! A command of which nobody knows whether it happened: worker and supervisor were killed. Only a person settles it.

use super::scene::{Scene, shell};
use wakeful::run::{CallStatus, Status, WaitWhy};

/// A run whose command is uncertain. The command itself went on and had its effect.
fn in_doubt() -> Scene {
    let scene = Scene::new(&shell("echo is being written; sleep 1; echo x >> effects"));
    let mut owner = scene.start_living("auto");
    let spools = scene.beside().join("spool");
    let begun = || {
        let spool =
            std::fs::read_dir(&spools).ok()?.flatten().find(|e| e.path().join("token.begun").exists())?;
        let names = std::fs::read_dir(spool.path()).ok()?.flatten();
        names.filter_map(|e| e.file_name().to_str()?.strip_prefix("sup.")?.parse::<i32>().ok()).next()
    };
    // Only once the command itself is there is there something to be uncertain about.
    scene.until("the command", || {
        begun().is_some_and(|pid| {
            let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
            children.is_ok_and(|c| !c.trim().is_empty())
        })
    });
    let supervisor = rustix::process::Pid::from_raw(begun().unwrap()).unwrap();
    rustix::process::kill_process(supervisor, rustix::process::Signal::KILL).unwrap();
    owner.kill();
    scene.expect(4, &["resume", "last", "--headless"]);
    assert!(matches!(scene.status(), Status::Waiting(WaitWhy::Uncertain(_))));
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"), "the orphan was waited for");
    scene
}

/// What an attempt took of which nobody knows how it ended counts all the same, and once.
#[test]
fn its_time_is_charged() {
    let scene = in_doubt();
    let charged = scene.state().ledger.totals.active_ms;
    // It slept for a second before it wrote, and was followed to its end.
    assert!((1_000..60_000).contains(&charged), "{charged} ms");
    scene.expect(0, &["resolve", "last:1.1", "happened"]);
    assert_eq!(scene.state().ledger.totals.active_ms, charged);
    // Folded anew from the journal alone it is the same.
    let conn = rusqlite::Connection::open(scene.beside().with_extension("")).unwrap();
    conn.execute("DELETE FROM snapshots", []).unwrap();
    drop(conn);
    assert_eq!(scene.state().ledger.totals.active_ms, charged);
    scene.is_whole();
}

#[test]
fn a_person_says_that_it_happened() {
    let scene = in_doubt();
    let said = scene.expect(2, &["approve", "last:1.1"]);
    assert!(said.err.contains("uncertain"), "{said:?}");
    scene.expect(0, &["resolve", "last:1.1", "happened"]);
    assert_eq!(scene.call_statuses(), [CallStatus::Done]);
    let told = scene.result(0);
    assert!(told.contains("a person says that it happened") && told.contains("is being written"), "{told}");
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
    scene.expect(2, &["resolve", "last:1.1", "rerun"]);
    assert!(std::fs::read_dir(scene.beside().join("spool")).unwrap().next().is_none());
    scene.is_whole();
}

#[test]
fn a_person_says_run_it() {
    let scene = in_doubt();
    scene.expect(0, &["resolve", "last:1.1", "rerun"]);
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"), "settling runs nothing");
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("effects").as_deref(), Some("x\nx\n"));
    assert_eq!((scene.calls()[0].attempt, scene.calls()[0].status), (2, CallStatus::Done));
    scene.is_whole();
}

#[test]
fn a_person_says_leave_it() {
    let scene = in_doubt();
    scene.expect(0, &["resolve", "last:1.1", "skip"]);
    assert_eq!(scene.call_statuses(), [CallStatus::Cancelled]);
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
}

#[test]
fn a_rollback_leaves_it_open_and_it_is_never_run_again() {
    let scene = in_doubt();
    let dry = scene.expect(0, &["rollback", "last", "--to", "0", "--dry-run"]);
    assert!(dry.out.contains("cannot be undone: 1.1 shell uncertain"), "{dry:?}");
    scene.expect(0, &["rollback", "last", "--to", "0"]);
    assert_eq!(scene.call_statuses(), [CallStatus::Uncertain]);
    let id = scene.calls()[0].call_id.clone();
    let said = scene.expect(2, &["resolve", id.as_str(), "rerun"]);
    assert!(said.err.contains("timeline was left"), "{said:?}");
    scene.expect(0, &["resolve", id.as_str(), "happened"]);
    // The same command, proposed again, is asked about.
    scene.expect(4, &["resume", "last", "--headless"]);
    assert_eq!(scene.call_statuses(), [CallStatus::Done, CallStatus::Waiting]);
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
    scene.is_whole();
}
