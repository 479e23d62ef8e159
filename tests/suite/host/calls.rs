//! A command from its start to its end, with everybody alive.

use super::scene::{
    Driving, Scene, driver, eventually, is_alive, kind_of, pids, record_of, spawner, verdict_of,
};
use std::time::{Duration, Instant};
use wakeful::host::decide::{Controls, NotStarted, Patience, Verdict};
use wakeful::host::environment::Secrets;
use wakeful::host::output;
use wakeful::host::record::ExitKind;
use wakeful::host::spool::{Class, StopReason, Token, list};

#[test]
fn exit_code_signal_and_output_are_recorded() {
    let scene = Scene::new();
    let spool = scene.shell("ok", "echo out; echo err >&2");
    let record = record_of(&spool);
    assert!(record.kind.is_success());
    assert_eq!((record.spool.clone(), record.output_bytes, record.punched), (spool.name().clone(), 8, None));
    assert!(record.ended_at >= record.started_at && record.duration_ms < 20_000);
    let output = output::collect(&spool, &record, 100, 100).unwrap();
    assert_eq!((output.head.as_slice(), output.left_out()), (b"out\nerr\n".as_slice(), 0));
    let output = output::collect(&spool, &record, 3, 2).unwrap();
    assert_eq!(
        (output.head.as_slice(), output.tail.as_slice(), output.left_out()),
        (&b"out"[..], &b"r\n"[..], 3)
    );
    assert_eq!(kind_of(&scene.shell("three", "exit 3")), ExitKind::Exited { code: 3 });
    assert_eq!(kind_of(&scene.shell("sig", "kill -KILL $$")), ExitKind::Signal { signal: 9 });
    spool.remove().unwrap();
    spool.remove().unwrap();
    assert_eq!(list(&scene.root()).unwrap().len(), 2);
}

#[test]
fn there_is_no_terminal_no_input_and_no_editor() {
    let scene = Scene::new();
    let script = "cat; (read x </dev/tty) 2>/dev/null && exit 9; \
                  test \"$GIT_EDITOR\" = : && test \"$PAGER\" = cat && test \"$TERM\" = dumb && echo $WAKEFUL_CALL";
    let started = Instant::now();
    let spool = scene.shell("tty", script);
    let record = record_of(&spool);
    assert_eq!(record.kind, ExitKind::Exited { code: 0 });
    assert!(started.elapsed() < Duration::from_secs(15), "nothing waited for a person");
    assert_eq!(output::follow(&spool, 0, 100).unwrap(), b"tty.1.1\n");
}

#[test]
fn the_command_has_a_session_of_its_supervisor_s_and_a_group_of_its_own() {
    let scene = Scene::new();
    let spool = scene.shell("session", "read all < /proc/$$/stat; echo $all; echo $$");
    assert!(record_of(&spool).kind.is_success());
    let text = String::from_utf8(output::follow(&spool, 0, 9999).unwrap()).unwrap();
    let (stat, pid) = text.trim().split_once('\n').unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let supervisor = spool.begun().unwrap().unwrap().supervisor.pid.to_string();
    assert_eq!((fields[1], fields[2], fields[3]), (supervisor.as_str(), pid, supervisor.as_str()));
}

#[test]
fn the_command_inherits_life_and_no_other_file() {
    let scene = Scene::new();
    let spool = scene.shell("fds", "for f in /proc/$$/fd/*; do readlink $f; done; true");
    assert!(record_of(&spool).kind.is_success());
    let text = String::from_utf8(output::follow(&spool, 0, 9999).unwrap()).unwrap();
    let mut files: Vec<&str> =
        text.lines().filter(|line| line.starts_with('/') && !line.starts_with("/dev/null")).collect();
    files.sort_unstable();
    files.dedup();
    let (life, out) = (spool.file("life"), spool.file("out"));
    assert!(files.contains(&life.to_str().unwrap()) && files.contains(&out.to_str().unwrap()), "{text}");
    let others: Vec<_> =
        files.iter().filter(|file| file.starts_with(spool.path().to_str().unwrap())).collect();
    assert_eq!(others.len(), 2, "{text}");
}

#[test]
fn what_cannot_run_is_recorded_as_not_run() {
    let scene = Scene::new();
    let mut spec = scene.spec("noprog", "");
    spec.argv = vec!["/no/such/program".into()];
    let kind = kind_of(&scene.prepare(&spec));
    assert!(matches!(&kind, ExitKind::NotRun { why } if why.contains("/no/such/program")), "{kind:?}");
    assert!(!kind.may_have_happened());
    let mut spec = scene.spec("nodir", "true");
    spec.cwd = scene.path("gone");
    let kind = kind_of(&scene.prepare(&spec));
    assert!(matches!(&kind, ExitKind::NotRun { why } if why.contains("no such folder")), "{kind:?}");
}

#[test]
fn secrets_reach_the_command_and_no_file() {
    let scene = Scene::new();
    let mut spec = scene.spec(
        "secret",
        r#"case ${secret:TEST_WORD} in hunter[2]) ;; *) exit 1;; esac; test "$HIDDEN" = "x${secret:TEST_WORD}""#,
    );
    spec.env.push(("HIDDEN".into(), "x${secret:TEST_WORD}".into()));
    spec.secrets = vec!["TEST_WORD".into()];
    let spool = scene.prepare(&spec);
    let secrets: Secrets =
        [("TEST_WORD".to_owned(), "hunter2".to_owned()), ("OTHER".to_owned(), "o".to_owned())]
            .into_iter()
            .collect();
    let record = Driving::start(&spool, Class::Effect, driver(), secrets, Controls::default()).record();
    assert!(record.kind.is_success());
    for entry in std::fs::read_dir(spool.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("hunter2"));
    }
    spec.name = wakeful::host::spool::SpoolName::new("secret", 2, 1).unwrap();
    let spool = scene.prepare(&spec);
    let verdict = verdict_of(&spool);
    assert!(
        matches!(&verdict, Verdict::NotStarted(NotStarted::CouldNotStart { why }) if why.contains("TEST_WORD")),
        "{verdict:?}"
    );
    assert_eq!(spool.token().unwrap(), Token::Closed);
}

#[test]
fn secrets_that_never_arrive_leave_the_token_alone() {
    let scene = Scene::new();
    let mut spec = scene.spec("pipe", "echo x >> effect");
    spec.secrets = vec!["S".into()];
    let spool = scene.prepare(&spec);
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_wakeful"))
        .arg("supervise")
        .arg(spool.path())
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(!status.success());
    assert_eq!((spool.token().unwrap(), scene.lines("effect")), (Token::Ready, 0));
}

#[test]
fn at_the_time_out_the_whole_family_is_ended() {
    let scene = Scene::new();
    let script = "sleep 999 & echo $! >> pids; setsid sleep 999 & echo $! >> pids; \
                  (sh -c 'echo $$ >> pids; trap \"\" HUP; sleep 999' &) ; echo $$ >> pids; sleep 999";
    let spool = scene.shell("family", script);
    let driving = Driving::effect(&spool);
    let family = pids(&scene.path("pids"), 4);
    spool.set_timeout(1).unwrap();
    assert_eq!(driving.record().kind, ExitKind::TimedOut);
    for pid in family {
        assert!(!is_alive(pid), "{pid} lives on");
    }
}

#[test]
fn a_time_out_of_the_spec_ends_it_by_itself() {
    let scene = Scene::new();
    let mut spec = scene.spec("time", "sleep 999");
    spec.timeout_ms = 200;
    let record = record_of(&scene.prepare(&spec));
    assert_eq!(record.kind, ExitKind::TimedOut);
    assert!((200..20_000).contains(&record.duration_ms), "{}", record.duration_ms);
}

#[test]
fn what_the_command_leaves_running_is_ended_with_it() {
    let scene = Scene::new();
    let script = "setsid sleep 999 >/dev/null 2>&1 & echo $! >> pids; (sleep 999 &); exit 4";
    let spool = scene.shell("left", script);
    let record = record_of(&spool);
    assert_eq!(record.kind, ExitKind::Exited { code: 4 });
    assert_eq!((record.ended_behind, record.left_running), (2, 0));
    assert_eq!(record_of(&scene.shell("none", "sleep 0.01 & wait; ls | cat")).ended_behind, 0);
    for pid in pids(&scene.path("pids"), 1) {
        assert!(!is_alive(pid), "{pid} lives on");
    }
    assert!(wakeful::host::drive::left_overs(&spool).unwrap().is_empty());
}

#[test]
fn a_command_that_ignores_term_is_killed() {
    let scene = Scene::new();
    let spool = scene.shell("deaf", "trap '' TERM; echo $$ > pids; while :; do sleep 1; done");
    let driving = Driving::effect(&spool);
    let deaf = pids(&scene.path("pids"), 1);
    spool.set_timeout(1).unwrap();
    assert_eq!(driving.record().kind, ExitKind::TimedOut);
    assert!(deaf.into_iter().all(|pid| !is_alive(pid)));
}

#[test]
fn a_stop_ends_it_with_its_reason() {
    for (reason, kind) in
        [(StopReason::Cancelled, ExitKind::Cancelled), (StopReason::TimedOut, ExitKind::TimedOut)]
    {
        let scene = Scene::new();
        let spool = scene.shell("stop", "echo x > begun; sleep 999");
        let driving = Driving::effect(&spool);
        eventually("the command begins", || scene.lines("begun") == 1);
        driving.controls.send_modify(|controls| controls.stop = Some(reason));
        assert_eq!(driving.record().kind, kind);
    }
}

#[test]
fn a_record_that_cannot_be_written_is_tried_until_it_stands() {
    let scene = Scene::new();
    let script = "cd spool/full.1.1 && rm exit.tmp && mkdir exit.tmp && exit 2";
    let spool = scene.shell("full", script);
    let mut hasty = driver();
    hasty.patience = Patience { over_ms: 100, beat_ms: 5_000, ..hasty.patience };
    let driving = Driving::start(&spool, Class::Effect, hasty, Secrets::default(), Controls::default());
    let tries = || std::fs::read_to_string(spool.file("log")).unwrap().matches("trying again").count();
    eventually("it cannot be written", || tries() >= 1);
    spool.set_timeout(1).unwrap();
    eventually("it is tried again, far over the time-out", || tries() >= 3);
    assert!(!driving.is_finished(), "who keeps trying is not hung");
    std::fs::remove_dir(spool.file("exit.tmp")).unwrap();
    assert_eq!(driving.record().kind, ExitKind::Exited { code: 2 });
}

#[test]
fn a_control_before_the_start_closes_the_token() {
    for controls in [
        Controls { close: true, ..Controls::default() },
        Controls { stop: Some(StopReason::Cancelled), ..Controls::default() },
    ] {
        let scene = Scene::new();
        let spool = scene.shell("early", "echo x >> effect");
        let verdict = Driving::start(&spool, Class::Effect, driver(), Secrets::default(), controls).verdict();
        assert_eq!(verdict, Verdict::NotStarted(NotStarted::Stopped));
        assert_eq!(verdict_of(&spool), Verdict::NotStarted(NotStarted::ClosedEarlier));
        assert_eq!(scene.lines("effect"), 0);
    }
}

#[test]
fn close_alone_lets_a_begun_command_go_on() {
    let scene = Scene::new();
    let spool = scene.shell("closing", "echo x > begun; while ! test -e go; do sleep 0.01; done; exit 5");
    let driving = Driving::effect(&spool);
    eventually("the command begins", || scene.lines("begun") == 1);
    driving.controls.send_modify(|controls| controls.close = true);
    std::fs::write(scene.path("go"), "").unwrap();
    assert_eq!(driving.record().kind, ExitKind::Exited { code: 5 });
}

#[test]
fn a_time_out_can_be_extended_and_shortened() {
    let scene = Scene::new();
    let mut spec = scene.spec("longer", "while ! test -e go; do sleep 0.01; done; exit 6");
    spec.timeout_ms = 2_000;
    let spool = scene.prepare(&spec);
    let controls = Controls { timeout_ms: Some(60_000), ..Controls::default() };
    let driving = Driving::start(&spool, Class::Effect, driver(), Secrets::default(), controls);
    eventually("the first time-out has passed", || {
        spool.token().unwrap() == Token::Begun && spool.age_ms().unwrap() > 2_300
    });
    assert!(!driving.is_finished());
    std::fs::write(scene.path("go"), "").unwrap();
    assert_eq!(driving.record().kind, ExitKind::Exited { code: 6 });

    let spool = scene.shell("shorter", "echo x > begun; sleep 999");
    let driving = Driving::effect(&spool);
    eventually("the command begins", || scene.lines("begun") == 1);
    driving.controls.send_modify(|controls| controls.timeout_ms = Some(1));
    assert_eq!(driving.record().kind, ExitKind::TimedOut);
}

#[test]
fn many_supervisors_on_one_spool_run_it_once() {
    let scene = Scene::new();
    let spool = scene.shell("many", "echo x >> effect");
    let spec = spool.spec().unwrap().unwrap();
    let mut all: Vec<_> =
        (0..6).map(|_| spawner().spawn(&spool, &spec, &Secrets::default()).unwrap()).collect();
    for supervisor in &mut all {
        eventually("each supervisor leaves", || *supervisor.gone.borrow());
    }
    assert!(record_of(&spool).kind.is_success());
    assert_eq!(scene.lines("effect"), 1);
}
