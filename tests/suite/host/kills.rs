//! Random kills and pauses at every step of workers and supervisors, two workers taking the run
//! from each other: no effect twice, none after the question, none lost, and always an end.
//!
//! Short by default; `WAKEFUL_LONG_KILLS=n` runs n rounds.

use super::scene::{Scene, driver, eventually, runtime};
use rusqlite::{Connection, params};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use wakeful::host::decide::{Controls, Verdict};
use wakeful::host::drive::{drive, left_overs};
use wakeful::host::environment::Secrets;
use wakeful::host::spool::{Class, Spec, Spool, SpoolName, list, prepare};

fn open(root: &Path) -> Connection {
    let journal = Connection::open(root.join("j.db")).unwrap();
    journal.busy_timeout(Duration::from_secs(20)).unwrap();
    journal.execute_batch("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL").unwrap();
    journal
}

struct Row {
    state: String,
    attempt: u32,
    spool: String,
    answer: String,
}

fn row(journal: &Connection) -> Row {
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Row { state: row.get(0)?, attempt: row.get(1)?, spool: row.get(2)?, answer: row.get(3)? })
    };
    journal.query_row("SELECT state, attempt, spool, answer FROM run", [], read).unwrap()
}

/// The toy journal's worker: takes the run, and drives its one call until it ends, waits for a
/// person, or somebody else has the run.
#[test]
#[ignore = "runs as a child process of another test"]
fn worker_process() {
    let Some(root) = std::env::var_os("WAKEFUL_TEST_RUN") else {
        return;
    };
    let root = Path::new(&root);
    let spec: Spec = serde_json::from_slice(&std::fs::read(root.join("spec.json")).unwrap()).unwrap();
    let closes = std::env::var_os("WAKEFUL_TEST_CLOSE").is_some();
    let spools = root.join("spool");
    let journal = open(root);
    let epoch: i64 =
        journal.query_row("UPDATE run SET epoch = epoch + 1 RETURNING epoch", [], |row| row.get(0)).unwrap();
    let commit = |state: &str, attempt: u32, spool: &str| {
        let sql = "UPDATE run SET state = ?1, attempt = ?2, spool = ?3, answer = '' WHERE epoch = ?4";
        journal.execute(sql, params![state, attempt, spool, epoch]).unwrap() == 1
    };
    loop {
        let now = row(&journal);
        let at = |name: &str| Spool::at(&spools, &SpoolName::parse(name).unwrap()).unwrap();
        if now.state == "approved" {
            let name = SpoolName::new("call", now.attempt + 1, epoch.unsigned_abs()).unwrap();
            let spool = prepare(&spools, &Spec { name: name.clone(), ..spec.clone() }).unwrap();
            if !commit("started", now.attempt + 1, &name.to_string()) {
                spool.remove().unwrap();
                return;
            }
        } else if now.state == "started" {
            let spool = at(&now.spool);
            let controls = watch::channel(Controls { close: closes, ..Controls::default() }).1;
            let verdict = runtime()
                .block_on(drive(&spool, Class::Effect, &driver(), &Secrets::default(), controls))
                .unwrap();
            let next = match verdict {
                Verdict::Ended(record) if record.kind.is_success() => "done",
                Verdict::NotStarted(_) => "approved",
                Verdict::Uncertain { .. } => "uncertain",
                other => panic!("{other:?}"),
            };
            if !commit(next, now.attempt, &now.spool) {
                return;
            }
            if next != "uncertain" {
                spool.remove().unwrap();
            }
            // Closing for ever would never come to an end.
            if closes {
                return;
            }
        } else if now.state == "uncertain" {
            let Some(answer) = now.answer.strip_prefix(&format!("{}:", now.spool)) else {
                return;
            };
            if !commit(if answer == "rerun" { "approved" } else { "done" }, now.attempt, &now.spool) {
                return;
            }
            at(&now.spool).remove().unwrap();
        } else {
            return;
        }
    }
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }
}

fn spawn(scene: &Scene, dice: &mut Dice, kill: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["suite::host::kills::worker_process", "--exact", "--ignored"])
        .env("WAKEFUL_TEST_RUN", scene.dir.path())
        .env("WAKEFUL_FAULT", format!("random:{}:{kill}:150", dice.roll(1 << 40)))
        .current_dir(scene.dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if kill > 0 && dice.roll(10) == 0 {
        command.env("WAKEFUL_TEST_CLOSE", "1");
    }
    command.spawn().unwrap()
}

#[derive(Default, Debug)]
struct Tally {
    workers: u32,
    kills: u32,
    uncertain: u32,
    rerun: u32,
}

/// The person is truthful: looks at the effect, and answers by what is there.
fn answer(scene: &Scene, journal: &Connection, now: &Row, tally: &mut Tally) {
    let count = scene.lines("effect");
    // Nothing can happen after the question: watch for something that must not come.
    std::thread::sleep(Duration::from_millis(60));
    assert_eq!(scene.lines("effect"), count, "an effect after the question");
    tally.uncertain += 1;
    let word = if count == 0 { "rerun" } else { "happened" };
    tally.rerun += u32::from(count == 0);
    let sql = "UPDATE run SET answer = ?1 WHERE state = 'uncertain' AND spool = ?2";
    journal.execute(sql, params![format!("{}:{word}", now.spool), now.spool]).unwrap();
}

fn round(dice: &mut Dice, tally: &mut Tally) {
    let scene = Scene::new();
    let script = format!(
        "sleep 0.0{:02}; echo x >> {}; sleep 0.0{:02}",
        dice.roll(30),
        scene.path("effect").display(),
        dice.roll(20)
    );
    std::fs::write(scene.path("spec.json"), serde_json::to_vec(&scene.spec("call", &script)).unwrap())
        .unwrap();
    let journal = open(scene.dir.path());
    journal
        .execute_batch(
            "CREATE TABLE run(epoch INTEGER, state TEXT, attempt INTEGER, spool TEXT, answer TEXT);
             INSERT INTO run VALUES (0, 'approved', 0, '', '')",
        )
        .unwrap();
    let started = Instant::now();
    loop {
        assert!(started.elapsed() < Duration::from_secs(60), "it does not end: {}", row(&journal).state);
        let kill = if started.elapsed() < Duration::from_millis(1500) { 60 } else { 0 };
        let mut workers = vec![spawn(&scene, dice, kill)];
        if dice.roll(5) < 2 {
            std::thread::sleep(Duration::from_millis(dice.roll(60)));
            workers.push(spawn(&scene, dice, kill));
        }
        for worker in &mut workers {
            tally.workers += 1;
            tally.kills += u32::from(!worker.wait().unwrap().success());
        }
        let now = row(&journal);
        assert!(scene.lines("effect") <= 1, "the effect happened twice");
        match now.state.as_str() {
            "uncertain" => answer(&scene, &journal, &now, tally),
            "done" => break,
            _ => {}
        }
    }
    assert_eq!(scene.lines("effect"), 1, "done means it happened, once");
    eventually("nothing is left running", || {
        list(&scene.root()).unwrap().iter().all(|name| {
            let spool = Spool::at(&scene.root(), name).unwrap();
            left_overs(&spool).unwrap().is_empty()
                && !spool.supervisors().unwrap().iter().any(|id| id.is_alive())
        })
    });
    assert_eq!(scene.lines("effect"), 1, "an effect after the end");
}

#[test]
fn random_kills_never_do_it_twice() {
    let wanted: Option<u32> = std::env::var("WAKEFUL_LONG_KILLS").ok().and_then(|text| text.parse().ok());
    let seed = std::env::var("WAKEFUL_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(11);
    let mut dice = Dice(seed);
    let mut tally = Tally::default();
    let started = Instant::now();
    let mut rounds = 0;
    while wanted.map_or(started.elapsed() < Duration::from_secs(8), |wanted| rounds < wanted) {
        round(&mut dice, &mut tally);
        rounds += 1;
    }
    println!("{rounds} rounds: {tally:?}");
    assert!(tally.kills > 0 && rounds > 0);
}
