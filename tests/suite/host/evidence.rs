//! What spools tell when parts of them are missing, damaged or somebody else's; and the table of
//! decisions in full.

use super::scene::{Driving, Scene, driver, eventually, record_of, spawner, verdict_of};
use std::cell::Cell;
use wakeful::host::HostError;
use wakeful::host::decide::{Controls, Known, NotStarted, Patience, Start, Step, Verdict, decide};
use wakeful::host::environment::Secrets;
use wakeful::host::evidence::{Evidence, Look, look};
use wakeful::host::lock::{Held, LivingLock, is_held, probe};
use wakeful::host::process::ProcessId;
use wakeful::host::record::{ExitKind, ExitRecord};
use wakeful::host::spool::{Class, Spool, SpoolName, StopReason, Token, list, prepare, sweep};

fn verdict(spool: &Spool, class: Class) -> Verdict {
    Driving::start(spool, class, driver(), Secrets::default(), Controls::default()).verdict()
}

#[test]
fn a_missing_spool_is_never_not_started() {
    let scene = Scene::new();
    let gone = Spool::at(&scene.root(), &SpoolName::new("gone", 1, 1).unwrap()).unwrap();
    assert!(matches!(verdict(&gone, Class::Effect), Verdict::Uncertain { .. }));
    assert!(matches!(verdict(&gone, Class::Keyed), Verdict::Uncertain { .. }));
    assert!(matches!(verdict(&gone, Class::Read), Verdict::RunAgain { .. }));
    let spool = scene.shell("notoken", "echo x >> effect");
    std::fs::remove_file(spool.file("token.ready")).unwrap();
    assert!(matches!(verdict_of(&spool), Verdict::Uncertain { .. }));
    assert_eq!(scene.lines("effect"), 0);
}

#[test]
fn a_damaged_or_foreign_record_is_not_taken() {
    let scene = Scene::new();
    let (ours, other) = (scene.shell("ours", "true"), scene.shell("other", "exit 1"));
    record_of(&ours);
    record_of(&other);
    eventually("both supervisors leave", || {
        [&ours, &other].iter().all(|spool| spool.probe_lock().unwrap() == Held::Free)
    });
    std::fs::copy(other.file("exit"), ours.file("exit")).unwrap();
    assert!(matches!(verdict_of(&ours), Verdict::Uncertain { why } if why.contains("damaged")));
    let mut bytes = std::fs::read(other.file("exit")).unwrap();
    bytes[30] ^= 1;
    std::fs::write(other.file("exit"), bytes).unwrap();
    assert!(matches!(verdict(&other, Class::Keyed), Verdict::RunAgain { .. }));
    std::fs::remove_file(other.file("life")).unwrap();
    assert!(matches!(verdict(&other, Class::Keyed), Verdict::Uncertain { .. }), "life cannot be probed");
}

#[test]
fn no_supervisor_begins_on_a_closed_or_removed_spool() {
    let scene = Scene::new();
    let spool = scene.shell("closed", "echo x >> effect");
    let spec = spool.spec().unwrap().unwrap();
    assert!(spool.close().unwrap());
    assert!(!spool.close().unwrap());
    let late = spawner().spawn(&spool, &spec, &Secrets::default()).unwrap();
    eventually("the late supervisor leaves", || *late.gone.borrow());
    assert_eq!(spool.token().unwrap(), Token::Closed);
    spool.remove().unwrap();
    let late = spawner().spawn(&spool, &spec, &Secrets::default()).unwrap();
    eventually("the late supervisor leaves", || *late.gone.borrow());
    assert!(!spool.path().exists());
    assert_eq!(scene.lines("effect"), 0);
}

#[test]
fn a_supervisor_that_cannot_be_started_closes_the_token() {
    let scene = Scene::new();
    let spool = scene.shell("nobin", "true");
    let mut broken = driver();
    broken.spawner = wakeful::host::spawn::Spawner::of("/no/such/wakeful".into());
    let verdict =
        Driving::start(&spool, Class::Effect, broken, Secrets::default(), Controls::default()).verdict();
    assert!(matches!(verdict, Verdict::NotStarted(NotStarted::CouldNotStart { .. })), "{verdict:?}");
    let spool = scene.shell("badspec", "true");
    std::fs::write(spool.file("spec"), "{").unwrap();
    let verdict = verdict_of(&spool);
    assert!(
        matches!(&verdict, Verdict::NotStarted(NotStarted::CouldNotStart { why }) if why.contains("spec")),
        "{verdict:?}"
    );
}

#[test]
fn a_spool_is_made_whole_once_and_swept_only_when_its_maker_is_dead() {
    let scene = Scene::new();
    let spec = scene.spec("once", "true");
    let spool = prepare(&scene.root(), &spec).unwrap();
    assert_eq!(look(&spool).unwrap(), Look::Ready);
    assert_eq!(spool.spec().unwrap().unwrap(), spec);
    assert!(prepare(&scene.root(), &spec).is_err(), "an existing spool is not replaced");
    assert_eq!(std::fs::read_dir(scene.root()).unwrap().count(), 1, "the failed one leaves nothing");
    let me = wakeful::host::process::ProcessId::of_self().unwrap();
    let mine = scene.root().join(format!("tmp.{}.{}.x", me.pid, me.start_time));
    let dead = scene.root().join(format!("tmp.{}.{}.x", me.pid, me.start_time + 1));
    let trash = scene.root().join("trash.once.1.1.x");
    for path in [&mine, &dead, &trash] {
        std::fs::create_dir(path).unwrap();
    }
    assert_eq!(sweep(&scene.root()).unwrap(), 2);
    assert!(mine.exists() && !dead.exists() && !trash.exists());
    assert_eq!(list(&scene.root()).unwrap(), [spec.name]);
}

#[test]
fn names_are_read_only_as_they_are_written() {
    let name = SpoolName::new("ab-12_x", 3, 40).unwrap();
    assert_eq!(SpoolName::parse("ab-12_x.3.40").unwrap(), name);
    for bad in ["", "a", "a.1", "a.1.1.1", "a.01.1", "a.+1.1", "../x.1.1", "a b.1.1", ".1.1", "tmp.1.2.x"] {
        assert!(SpoolName::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_living_lock_is_seen_until_it_is_let_go() {
    let scene = Scene::new();
    let path = scene.path("worker");
    assert_eq!(probe(&path).unwrap(), Held::Absent);
    let lock = LivingLock::take(&path).unwrap();
    assert!(is_held(&path).unwrap());
    assert!(LivingLock::take(&path).is_err());
    drop(lock);
    assert_eq!(probe(&path).unwrap(), Held::Free);
    LivingLock::take(&path).unwrap().release().unwrap();
    assert!(!is_held(&path).unwrap() && !path.exists());
}

fn a_record() -> ExitRecord {
    ExitRecord {
        spool: SpoolName::new("t", 1, 1).unwrap(),
        kind: ExitKind::TimedOut,
        started_at: 0,
        ended_at: 0,
        duration_ms: 0,
        output_bytes: 0,
        punched: None,
        left_running: 0,
        ended_behind: 0,
    }
}

#[test]
fn a_full_table_keeps_the_rules() {
    let record = a_record();
    let mut looks = vec![Look::Missing, Look::Ready, Look::Closed, Look::Running, Look::Ended(record)];
    looks.push(Look::Orphan { members: Vec::new() });
    for (damaged, certain) in [(false, false), (false, true), (true, false), (true, true)] {
        looks.push(Look::Lost { damaged, certain });
    }
    let starts = [
        Start::NotTried,
        Start::Waiting { for_ms: 0 },
        Start::Waiting { for_ms: 60_000 },
        Start::Gone { why: String::new() },
        Start::Failed { why: String::new() },
    ];
    let times = [None, Some(0), Some(60_000)];
    let mut waits = Vec::new();
    for stop_ms in times {
        for term_ms in times {
            for kill_ms in times {
                for (age_ms, beat_ms) in [(0, 0), (120_000, 0), (120_000, 120_000)] {
                    waits.push((stop_ms, term_ms, kill_ms, age_ms, beat_ms));
                }
            }
        }
    }
    let mut wishes = Vec::new();
    for class in [Class::Read, Class::Keyed, Class::Effect] {
        for stop in [None, Some(StopReason::Cancelled)] {
            for close in [false, true] {
                wishes.push((class, Controls { close, stop, timeout_ms: None }));
            }
        }
    }
    let mut seen = 0;
    for (class, controls) in wishes {
        for start in &starts {
            for (stop_ms, term_ms, kill_ms, age_ms, beat_ms) in waits.iter().copied() {
                let known = Known {
                    class,
                    controls,
                    start: start.clone(),
                    closed: None,
                    stop_ms,
                    term_ms,
                    kill_ms,
                    beat_ms,
                    age_ms,
                    timeout_ms: 30_000,
                    patience: Patience::default(),
                };
                for look in &looks {
                    check(look, &known);
                    seen += 1;
                }
            }
        }
    }
    assert_eq!(seen, 3 * 2 * 2 * 5 * 27 * 3 * 10);
}

fn check(look: &Look, known: &Known) {
    let step = decide(look.clone(), known);
    let context = format!("{look:?} {known:?} -> {step:?}");
    let nothing_lives = matches!(look, Look::Lost { .. } | Look::Missing);
    match &step {
        Step::Say(Verdict::NotStarted(_)) => assert_eq!(*look, Look::Closed, "{context}"),
        Step::Say(Verdict::Ended(_)) => assert!(matches!(look, Look::Ended(_)), "{context}"),
        Step::Say(Verdict::Uncertain { .. }) => {
            assert!(nothing_lives && known.class != Class::Read, "{context}");
        }
        Step::Say(Verdict::RunAgain { .. }) => match known.class {
            Class::Effect => panic!("{context}"),
            Class::Keyed => assert!(matches!(look, Look::Lost { certain: true, .. }), "{context}"),
            Class::Read => assert!(nothing_lives || matches!(look, Look::Orphan { .. }), "{context}"),
        },
        Step::Spawn => {
            assert!(*look == Look::Ready && known.start == Start::NotTried, "{context}");
            assert!(known.controls.stop.is_none() && !known.controls.close, "{context}");
        }
        Step::Close(_) => assert_eq!(*look, Look::Ready, "{context}"),
        Step::RequestStop(_) => assert!(*look == Look::Running && known.controls.stop.is_some(), "{context}"),
        Step::KillSupervisor => {
            assert!(*look == Look::Running && known.beat_ms >= 10_000, "{context}");
            assert!(known.age_ms >= 60_000 || known.stop_ms >= Some(30_000), "{context}");
        }
        Step::TermOrphans(_) | Step::KillOrphans(_) => {
            assert!(
                matches!(look, Look::Orphan { .. }),
                "a command is signalled only without its supervisor: {context}"
            );
            let due = known.class == Class::Read
                || known.controls.stop.is_some()
                || known.age_ms >= known.timeout_ms;
            assert!(due, "{context}");
        }
        Step::Wait => assert!(matches!(look, Look::Ready | Look::Running | Look::Orphan { .. }), "{context}"),
    }
}

/// A call's life as a row of moments; each look happens at a moment chosen beforehand.
struct World {
    moments: Vec<(Token, bool, bool, bool)>,
    looks_at: Vec<usize>,
    looked: Cell<usize>,
}

impl World {
    fn now(&self) -> (Token, bool, bool, bool) {
        let look = self.looked.get();
        self.looked.set(look + 1);
        self.moments[self.looks_at[look]]
    }
}

fn held(is: bool) -> Result<Held, HostError> {
    Ok(if is { Held::Held } else { Held::Free })
}

impl Evidence for World {
    fn token(&self) -> Result<Token, HostError> {
        Ok(self.now().0)
    }

    fn lock(&self) -> Result<Held, HostError> {
        held(self.now().1)
    }

    fn exit(&self) -> Result<(Option<ExitRecord>, bool), HostError> {
        let written = self.now().3;
        Ok((written.then(a_record), written))
    }

    fn life(&self) -> Result<Held, HostError> {
        held(self.now().2)
    }

    fn members(&self) -> Result<Vec<ProcessId>, HostError> {
        Ok(Vec::new())
    }
}

/// All ways to look four times, in order of time, at a call whose supervisor ends well (or dies
/// while its command lives on).
#[test]
fn however_the_looks_fall_a_recorded_end_is_not_missed_and_a_living_orphan_seen() {
    use Token::{Begun, Ready};
    // token, lock, life, exit
    let well = vec![
        (Ready, false, false, false),
        (Ready, true, false, false),
        (Begun, true, false, false),
        (Begun, true, true, false),
        (Begun, true, true, true),
        (Begun, false, false, true),
    ];
    let orphaned = vec![
        (Ready, true, false, false),
        (Begun, true, false, false),
        (Begun, true, true, false),
        (Begun, false, true, false),
    ];
    for (moments, wrong) in [(well, "lost or orphan"), (orphaned, "lost")] {
        let count = moments.len();
        for at in 0..count.pow(4) {
            let looks_at: Vec<usize> = (0..4_u32).map(|look| at / count.pow(look) % count).collect();
            if !looks_at.is_sorted() {
                continue;
            }
            let world = World { moments: moments.clone(), looks_at: looks_at.clone(), looked: Cell::new(0) };
            let said = match look(&world).unwrap() {
                Look::Lost { .. } => "lost",
                Look::Orphan { .. } => "orphan",
                Look::Missing | Look::Ready | Look::Closed | Look::Running | Look::Ended(_) => "fine",
            };
            assert!(!wrong.contains(said), "{said}: looked at {looks_at:?} of {moments:?}");
        }
    }
}
