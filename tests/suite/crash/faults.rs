//! Death at every fault point of every floor, at its first, second and third pass, in the worker or in a supervisor.

use super::scene::*;
use wakeful::run::{CallStatus, Control, StepRef};

/// Passed once by a process, so that a later pass means a later process.
const ONCE: &[&str] = &["worker.claimed", "worker.ended", "worker.released"];
/// Passed only when a command is stopped or does not begin, or when a run is rolled back: tested on their own.
const APART: &[&str] = &["drive.closed", "drive.stopped", "rollback.staged", "rollback.renamed"];

/// Runs with a fault until somebody died of it `pass` times over; then goes on without it.
async fn dies_and_goes_on(point: &str, pass: u64) {
    let about = format!("{point}:{pass}");
    let scene = match point.starts_with("store.blob") {
        true => Scene::new(Rounds::Big, 3),
        false => Scene::new(Rounds::Mixed, 3),
    };
    if ONCE.contains(&point) {
        for time in 1..=pass {
            let ended = scene.go(point).await.wait();
            assert!(ended.was_killed() || time > 1, "{about} was never passed: {ended:?}");
        }
    } else {
        let count = scene.dir.path().join("passes");
        let ended = scene.run(&format!("{point}:{pass}@{}", count.display())).wait();
        let passes = std::fs::metadata(&count).map_or(0, |file| file.len());
        assert!(passes >= pass, "{about} was never passed: {ended:?}");
        assert!(ended.was_killed() || point.starts_with("sup."), "{about}: {ended:?}");
        if !ended.was_killed() {
            assert!(matches!(ended.said(), (Some(0), ..) | (Some(4), _, "uncertain")), "{about}: {ended:?}");
            scene.answer().await;
        }
    }
    scene.finish().await.unwrap_or_else(|why| panic!("{about}: {why}"));
    scene.check(&about, &[]).await;
}

async fn each(points: &[&str]) {
    for point in points.iter().filter(|point| !APART.contains(point)) {
        for pass in 1..=3 {
            dies_and_goes_on(point, pass).await;
        }
    }
}

#[tokio::test]
async fn death_at_every_point_of_spools_and_drives() {
    let (own, _): (Vec<&str>, Vec<&str>) =
        wakeful::host::fault::ALL.iter().partition(|point| !point.starts_with("sup."));
    each(&own).await;
}

#[tokio::test]
async fn death_at_every_point_of_a_supervisor() {
    let sup: Vec<&str> =
        wakeful::host::fault::ALL.iter().copied().filter(|point| point.starts_with("sup.")).collect();
    assert!(sup.len() > 9);
    each(&sup).await;
}

#[tokio::test]
async fn death_at_every_point_of_a_commit() {
    each(wakeful::store::FAULTS).await;
}

#[tokio::test]
async fn death_at_every_point_of_a_worker() {
    each(wakeful::worker::FAULTS).await;
}

#[tokio::test]
async fn death_when_a_command_that_did_not_begin_is_closed() {
    for pass in 1..=3 {
        let scene = Scene::new(Rounds::Mixed, 2);
        let count = scene.dir.path().join("passes");
        let ended = scene.run(&format!("sup.started,drive.closed:{pass}@{}", count.display())).wait();
        assert!(ended.was_killed(), "drive.closed:{pass}: {ended:?}");
        assert_eq!(scene.effects(), Vec::<usize>::new());
        scene.finish().await.unwrap();
        // After the third try the model is told that it could not be started.
        let lost: &[usize] = if pass == 3 { &[1] } else { &[] };
        scene.check(&format!("drive.closed:{pass}"), lost).await;
        let failed = scene.calls().await.into_iter().filter(|c| c.status == CallStatus::Failed).count();
        assert_eq!(failed, lost.len());
    }
}

#[tokio::test]
async fn death_when_a_running_command_is_stopped() {
    let scene = Scene::new(Rounds::Slow(60_000), 2);
    let running = scene.run("drive.stopped");
    eventually("the command begins", || !scene.text("begun").is_empty());
    scene.post(Control::Cancel).await;
    let ended = running.wait();
    assert!(ended.was_killed(), "{ended:?}");
    let ended = scene.resume("").wait();
    assert_eq!(ended.said(), (Some(5), "cancelled", ""), "{ended:?}");
    assert_eq!(scene.effects(), Vec::<usize>::new());
    assert_eq!(scene.store().verify_all().await.unwrap(), vec![]);
    scene.nothing_left("drive.stopped");
}

#[tokio::test]
async fn death_while_files_are_rolled_back() {
    for fault in [
        "rollback.staged:1",
        "rollback.renamed:1",
        "store.before_commit:2",
        "store.after_commit:2",
        "store.before_commit:3",
        "store.after_commit:3",
    ] {
        let scene = Scene::new(Rounds::Asking, 3);
        let ended = scene.run("").wait();
        assert_eq!(ended.said(), (Some(4), "waiting", "question"), "{ended:?}");
        let (to, seen_seq) = (StepRef { timeline: None, step: 1 }, scene.state().await.head.seq);
        scene.post(Control::Rollback { to, files: true, seen_seq, choices: Default::default() }).await;
        let ended = scene.resume(fault).wait();
        assert!(ended.was_killed(), "{fault}: {ended:?}");
        let ended = scene.resume("").wait();
        // Back at the end of step 1, the agent proposes its next edit again, and that is asked about.
        assert_eq!(ended.said(), (Some(4), "waiting", "approval"), "{fault}: {ended:?}");
        assert_eq!(scene.text("log.txt"), "line 1\nEND\n", "{fault}");
        assert_eq!(scene.text("now.txt"), "round 1\n", "{fault}");
        let state = scene.state().await;
        assert_eq!((state.head.timeline, state.path.step), (2, 1), "{fault}");
        scene.check(fault, &[]).await;
    }
}
