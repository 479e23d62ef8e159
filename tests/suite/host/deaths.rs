//! Kills: of the worker, of the supervisor, of both, at every named point and while commands run.

use super::scene::{
    Driving, Scene, driver, eventually, is_alive, pids, record_of, runtime, spawner, verdict_of,
};
use rustix::process::Signal;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio::sync::watch;
use wakeful::host::decide::{Controls, NotStarted, Patience, Verdict};
use wakeful::host::drive::drive;
use wakeful::host::environment::Secrets;
use wakeful::host::fault;
use wakeful::host::lock::{Held, LivingLock, end_holder, holder, is_held};
use wakeful::host::record::ExitKind;
use wakeful::host::spool::{Class, Spec, Spool, StopReason, Token, prepare, sweep};

/// A worker in a process of its own: prepares the spool of the spec in `WAKEFUL_TEST_SPEC` if it
/// is not there, drives it and removes it. `WAKEFUL_TEST_STOP` asks for a stop once the file that
/// it names exists.
#[test]
#[ignore = "runs as a child process of other tests"]
fn worker_process() {
    let Ok(path) = std::env::var("WAKEFUL_TEST_SPEC") else {
        return;
    };
    let spec: Spec = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let root = std::path::Path::new(&path).parent().unwrap().join("spool");
    let mut spool = Spool::at(&root, &spec.name).unwrap();
    if !spool.path().exists() {
        spool = prepare(&root, &spec).unwrap();
    }
    let (controls, listen) = watch::channel(Controls::default());
    if let Some(sign) = std::env::var_os("WAKEFUL_TEST_STOP") {
        std::thread::spawn(move || {
            eventually("the sign to stop", || std::path::Path::new(&sign).exists());
            controls.send_modify(|controls| controls.stop = Some(StopReason::Cancelled));
        });
    }
    runtime().block_on(drive(&spool, spec.class, &driver(), &Secrets::default(), listen)).unwrap();
    spool.remove().unwrap();
}

fn worker(scene: &Scene, spec: &Spec, fault: &str, stop: Option<&str>) -> Child {
    let path = scene.path("spec.json");
    std::fs::write(&path, serde_json::to_vec(spec).unwrap()).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["suite::host::deaths::worker_process", "--exact", "--ignored"])
        .env("WAKEFUL_TEST_SPEC", &path)
        .env("WAKEFUL_FAULT", fault)
        .current_dir(scene.dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(sign) = stop {
        command.env("WAKEFUL_TEST_STOP", scene.path(sign));
    }
    command.spawn().unwrap()
}

/// Holds the living lock named in `WAKEFUL_TEST_LOCK` until it is killed.
#[test]
#[ignore = "runs as a child process of another test"]
fn sleeper_process() {
    let Some(path) = std::env::var_os("WAKEFUL_TEST_LOCK") else {
        return;
    };
    let _lock = LivingLock::take(std::path::Path::new(&path)).unwrap();
    loop {
        std::thread::park();
    }
}

#[test]
fn a_sleeping_owner_can_be_ended_and_a_dead_one_needs_nothing() {
    let scene = Scene::new();
    let path = scene.path("worker");
    assert!(end_holder(&path, Duration::ZERO).unwrap(), "nobody ever held it");
    let mut sleeper = Command::new(std::env::current_exe().unwrap())
        .args(["suite::host::deaths::sleeper_process", "--exact", "--ignored"])
        .env("WAKEFUL_TEST_LOCK", &path)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    eventually("the sleeper holds its lock", || is_held(&path).unwrap());
    eventually("it has signed", || holder(&path).unwrap().is_some());
    let id = holder(&path).unwrap().unwrap();
    id.signal(Signal::STOP).unwrap();
    assert!(is_held(&path).unwrap(), "asleep is not dead");
    assert!(end_holder(&path, Duration::from_secs(20)).unwrap());
    assert!(!sleeper.wait().unwrap().success());
    assert!(!is_held(&path).unwrap() && !id.is_alive());
}

fn supervisor_of(spool: &Spool) -> wakeful::host::process::ProcessId {
    let mut found = None;
    eventually("a supervisor signs the token", || {
        found = spool.begun().unwrap();
        found.is_some()
    });
    found.unwrap().supervisor
}

#[test]
fn a_killed_worker_s_command_goes_on_and_the_next_one_gets_its_result() {
    let scene = Scene::new();
    let spec = scene
        .spec("reattach", "echo x >> effect; while ! test -e go; do sleep 0.01; done; echo done; exit 7");
    let mut first = worker(&scene, &spec, "", None);
    let spool = Spool::at(&scene.root(), &spec.name).unwrap();
    eventually("the command begins", || scene.lines("effect") == 1);
    first.kill().unwrap();
    first.wait().unwrap();
    let second = Driving::effect(&spool);
    assert!(supervisor_of(&spool).is_alive());
    std::fs::write(scene.path("go"), "").unwrap();
    assert_eq!(second.record().kind, ExitKind::Exited { code: 7 });
    assert_eq!(scene.lines("effect"), 1);

    // And when the command ended while no worker lived.
    let spec = scene.spec("collect", "echo x >> effect2; exit 8");
    let mut first = worker(&scene, &spec, "drive.spawned", None);
    first.wait().unwrap();
    let spool = Spool::at(&scene.root(), &spec.name).unwrap();
    eventually("the record stands", || spool.exit().unwrap().0.is_some());
    assert_eq!(record_of(&spool).kind, ExitKind::Exited { code: 8 });
    assert_eq!(scene.lines("effect2"), 1);
}

#[test]
fn an_orphan_is_seen_and_uncertain_waits_for_its_end() {
    for class in [Class::Effect, Class::Keyed] {
        let scene = Scene::new();
        let script = "echo $$ > pid; while ! test -e go; do sleep 0.01; done; echo x >> effect";
        let spool = scene.shell("orphan", script);
        let driving = Driving::start(&spool, class, driver(), Secrets::default(), Controls::default());
        let pid = *pids(&scene.path("pid"), 1).first().unwrap();
        supervisor_of(&spool).signal(Signal::KILL).unwrap();
        eventually("the lock is free", || spool.probe_lock().unwrap() == Held::Free);
        assert_eq!(spool.probe_life().unwrap(), Held::Held);
        assert!(is_alive(pid) && !driving.is_finished());
        assert!(wakeful::host::drive::left_overs(&spool).unwrap().iter().any(|left| left.pid == pid));
        std::fs::write(scene.path("go"), "").unwrap();
        match (class, driving.verdict()) {
            (Class::Effect, Verdict::Uncertain { .. }) | (Class::Keyed, Verdict::RunAgain { .. }) => {}
            (_, other) => panic!("{other:?}"),
        }
        assert!(!is_alive(pid));
        assert_eq!(scene.lines("effect"), 1, "whatever happens, happens before the verdict");
    }
}

#[test]
fn an_orphan_is_ended_at_its_time_out_or_when_stopped() {
    for stopped in [false, true] {
        let scene = Scene::new();
        let script = "trap '' TERM; setsid sleep 999 & echo $! >> pids; echo $$ >> pids; sleep 999";
        let spool = scene.shell("late", script);
        let driving = Driving::effect(&spool);
        let family = pids(&scene.path("pids"), 2);
        supervisor_of(&spool).signal(Signal::KILL).unwrap();
        eventually("the lock is free", || spool.probe_lock().unwrap() == Held::Free);
        if stopped {
            driving.controls.send_modify(|controls| controls.stop = Some(StopReason::Cancelled));
        } else {
            spool.set_timeout(1).unwrap();
        }
        assert!(matches!(driving.verdict(), Verdict::Uncertain { why } if why.contains("was ended")));
        assert!(family.into_iter().all(|pid| !is_alive(pid)));
    }
}

#[test]
fn a_reading_orphan_is_ended_and_the_read_goes_again() {
    let scene = Scene::new();
    let spool = scene.shell("read", "echo $$ > pid; sleep 999");
    let driving = Driving::start(&spool, Class::Read, driver(), Secrets::default(), Controls::default());
    let pid = *pids(&scene.path("pid"), 1).first().unwrap();
    supervisor_of(&spool).signal(Signal::KILL).unwrap();
    assert!(matches!(driving.verdict(), Verdict::RunAgain { .. }));
    assert!(!is_alive(pid));
}

#[test]
fn with_supervisor_and_command_killed_nobody_guesses() {
    let scene = Scene::new();
    let spool = scene.shell("both", "echo $$ > pid; sleep 999");
    let driving = Driving::effect(&spool);
    let pid = *pids(&scene.path("pid"), 1).first().unwrap();
    supervisor_of(&spool).signal(Signal::KILL).unwrap();
    for left in wakeful::host::drive::left_overs(&spool).unwrap() {
        left.signal(Signal::KILL).unwrap();
    }
    assert!(matches!(driving.verdict(), Verdict::Uncertain { .. }));
    assert!(!is_alive(pid));
}

#[test]
fn a_hung_supervisor_is_ended_far_past_the_time_out() {
    let scene = Scene::new();
    let mut spec = scene.spec("hung", "echo $$ > pid; sleep 999");
    spec.timeout_ms = 400;
    let spool = scene.prepare(&spec);
    let mut hasty = driver();
    hasty.patience = Patience { over_ms: 300, beat_ms: 300, ..hasty.patience };
    let mut supervisor = spawner().spawn(&spool, &spec, &Secrets::default()).unwrap();
    let pid = *pids(&scene.path("pid"), 1).first().unwrap();
    supervisor_of(&spool).signal(Signal::STOP).unwrap();
    let verdict =
        Driving::start(&spool, Class::Effect, hasty, Secrets::default(), Controls::default()).verdict();
    match verdict {
        Verdict::Uncertain { .. } => {}
        // It was stopped only after its own time-out: then it ended the command itself.
        Verdict::Ended(record) => assert_eq!(record.kind, ExitKind::TimedOut),
        other => panic!("{other:?}"),
    }
    assert!(!is_alive(pid));
    runtime().block_on(async { supervisor.gone.wait_for(|gone| *gone).await.map(|_| ()).unwrap() });
}

#[test]
fn a_supervisor_outlives_the_signals_of_a_logout() {
    let scene = Scene::new();
    let spool = scene.shell("logout", "while ! test -e go; do sleep 0.01; done; exit 3");
    let driving = Driving::effect(&spool);
    let supervisor = supervisor_of(&spool);
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        supervisor.signal(signal).unwrap();
    }
    std::fs::write(scene.path("go"), "").unwrap();
    assert_eq!(driving.record().kind, ExitKind::Exited { code: 3 });
}

/// What must be true after a death at each of the supervisor's points.
fn after(point: &str) -> (&'static str, usize) {
    match point {
        "sup.started" | "sup.locked" => ("not started", 0),
        "sup.begun" | "sup.life" | "sup.synced" => ("uncertain", 0),
        "sup.spawned" | "sup.exited" | "sup.reaped" | "sup.written" => ("uncertain", 1),
        "sup.recorded" | "sup.left" => ("ended", 1),
        other => panic!("no expectation for {other}"),
    }
}

#[test]
fn a_supervisor_may_die_at_every_point() {
    for point in fault::ALL.iter().filter(|point| point.starts_with("sup.")) {
        let scene = Scene::new();
        let spool = scene.shell("point", "echo x >> effect");
        let mut dying = driver();
        dying.spawner = spawner().with_env("WAKEFUL_FAULT", point);
        let verdict =
            Driving::start(&spool, Class::Effect, dying, Secrets::default(), Controls::default()).verdict();
        let said = match verdict {
            Verdict::NotStarted(NotStarted::CouldNotStart { .. }) => "not started",
            Verdict::Uncertain { .. } => "uncertain",
            Verdict::Ended(record) if record.kind.is_success() => "ended",
            other => panic!("{point}: {other:?}"),
        };
        assert_eq!((said, scene.lines("effect")), after(point), "{point}");
    }
}

#[test]
fn a_worker_may_die_at_every_point() {
    for point in fault::ALL.iter().filter(|point| !point.starts_with("sup.")) {
        let scene = Scene::new();
        let early = *point == "drive.closed";
        let stopped = early || *point == "drive.stopped";
        let wait = if stopped { "sleep 999" } else { "true" };
        let spec = scene.spec("worker", &format!("echo x >> effect; {wait}"));
        let sign = if early { "spec.json" } else { "effect" };
        let spool = Spool::at(&scene.root(), &spec.name).unwrap();
        let mut died = false;
        // With the sign already there the stop races with the start: both ends are right.
        for _ in 0..50 {
            let status = worker(&scene, &spec, point, stopped.then_some(sign)).wait().unwrap();
            died = !status.success();
            if died || !early {
                break;
            }
            std::fs::remove_file(scene.path("effect")).unwrap_or_default();
        }
        if early && !died {
            continue;
        }
        assert!(died, "{point} was never passed");
        match *point {
            "spool.written" => {
                assert_eq!((sweep(&scene.root()).unwrap(), scene.lines("effect")), (1, 0));
                continue;
            }
            "spool.trashed" => {
                assert_eq!((sweep(&scene.root()).unwrap(), scene.lines("effect")), (1, 1));
                assert!(matches!(verdict_of(&spool), Verdict::Uncertain { .. }));
                continue;
            }
            _ => {}
        }
        let verdict = verdict_of(&spool);
        match *point {
            "drive.closed" => {
                assert_eq!(verdict, Verdict::NotStarted(NotStarted::ClosedEarlier));
                assert_eq!((spool.token().unwrap(), scene.lines("effect")), (Token::Closed, 0));
            }
            "drive.stopped" => {
                assert!(matches!(verdict, Verdict::Ended(record) if record.kind == ExitKind::Cancelled));
            }
            _ => {
                assert!(
                    matches!(&verdict, Verdict::Ended(record) if record.kind.is_success()),
                    "{point}: {verdict:?}"
                );
                assert_eq!(scene.lines("effect"), 1, "{point}");
            }
        }
    }
}
