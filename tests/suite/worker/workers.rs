//! Who takes up runs that were left: `wakeful worker`, and `wakeful` in their folder.

use super::scene::{Scene, processes, shell};
use wakeful::run::{Outcome, Status};
use wakeful::store::RunFilter;

fn statuses(scene: &Scene) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let runs = runtime.block_on(scene.store().runs(RunFilter::default())).unwrap();
    runs.into_iter().map(|r| r.status).collect()
}

/// Interrupts a run in the middle of its command.
fn interrupt(scene: &Scene, command: &str) {
    let mut owner = scene.start_living("auto");
    scene.until("the command", || !processes(command).is_empty());
    owner.kill();
}

#[test]
fn a_worker_goes_on_with_everything_that_can() {
    let scene = Scene::new(&shell("sleep 1.125; echo x >> effects"));
    interrupt(&scene, "sleep 1.125");
    // Another one that waits for a person, and is approved: it can go on.
    scene.script(&shell("echo y >> others"));
    scene.start(4, "ask");
    scene.start(4, "ask");
    let waiting = scene.run();
    scene.expect(0, &["pause", waiting.as_str()]);
    scene.script(&shell("sleep 1.125; echo x >> effects"));
    let said = scene.expect(0, &["worker"]);
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!(lines.len(), 1, "{said:?}");
    assert!(lines[0].ends_with(" completed"), "{said:?}");
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"), "once");
    assert_eq!(statuses(&scene), ["paused", "waiting", "completed"]);
    let said = scene.expect(0, &["worker"]);
    assert!(said.out.is_empty() && said.err.contains("no run can go on"), "{said:?}");
}

#[test]
fn a_worker_advances_runs_side_by_side_and_saves_when_it_is_told_to() {
    let scene = Scene::new(&shell("sleep 103.125"));
    interrupt(&scene, "sleep 103.125");
    scene.script(&shell("sleep 103.25"));
    interrupt(&scene, "sleep 103.25");
    let mut worker = scene.spawn(&["worker"]);
    let owned = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let runs = runtime.block_on(scene.store().runs(RunFilter::default())).unwrap();
        runs.iter().filter(|r| r.status == "running").count()
    };
    scene.until("both to be at work", || owned() == 2);
    let pid = rustix::process::Pid::from_raw(worker.pid()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(worker.end(), 130);
    assert_eq!(statuses(&scene), ["interrupted", "interrupted"]);
    assert!(!processes("sleep 103.125").is_empty(), "commands go on under their supervisors");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for run in runtime.block_on(scene.store().runs(RunFilter::default())).unwrap() {
        scene.expect(0, &["cancel", run.id.as_str()]);
    }
    assert!(processes("sleep 103.").is_empty());
}

#[test]
fn without_a_command_the_interrupted_run_of_this_folder_goes_on() {
    let scene = Scene::new(&shell("sleep 1.25; echo x >> effects"));
    interrupt(&scene, "sleep 1.25");
    let said = scene.expect(0, &[]);
    assert!(said.err.contains("goes on with"), "{said:?}");
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
    assert_eq!(scene.status(), Status::Ended(Outcome::Completed));
    assert_eq!(statuses(&scene).len(), 1, "and no other job was begun");
}

#[test]
fn elsewhere_it_is_only_named() {
    let scene = Scene::new(&shell("sleep 104.125"));
    interrupt(&scene, "sleep 104.125");
    let run = scene.run();
    let other = tempfile::tempdir().unwrap();
    scene.script("");
    let output = scene.command(&[]).current_dir(other.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains(&format!("interrupted elsewhere: {run}")), "{said}");
    assert!(said.contains("The default job"), "{said}");
    assert_eq!(statuses(&scene)[1], "interrupted");
    scene.expect(0, &["cancel", run.as_str()]);
}
