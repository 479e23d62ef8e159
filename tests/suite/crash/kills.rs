//! The program is killed at random moments until its run is completed: no effect twice, none missing.
//!
//! The short loop is part of every test run. `WAKEFUL_LONG_KILLS=N cargo test --test all long_kill_loop -- --nocapture`
//! kills N times in all and prints its figures.

use super::scene::*;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustix::process::Signal;
use std::fmt;
use std::time::{Duration, Instant};

/// How a run is hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hit {
    /// SIGKILL for the worker; supervisors and commands go on.
    Worker,
    /// SIGKILL for the worker and every supervisor: a command in flight is in doubt.
    Both,
    /// SIGTERM, SIGINT or SIGHUP.
    Signal,
}

/// From when the time until a kill counts: so that start, work and commands in flight are all hit, however fast or
/// busy the machine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// Its start.
    Start,
    /// The first event that it printed.
    Work,
    /// The begin of a command.
    Command,
}

impl From {
    fn any(dice: &mut StdRng) -> Self {
        [From::Start, From::Work, From::Command][dice.random_range(0..3)]
    }
}

/// What came of it.
#[derive(Debug, Default)]
struct Figures {
    kills: usize,
    supervisors: usize,
    runs: usize,
    resumes: usize,
    effects: usize,
    doubles: usize,
    missing: usize,
    questions: usize,
    left_over: usize,
    failed: Vec<String>,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "kills {} (and {} supervisors) · runs {} · resumes {} · effects {} · doubles {} · missing {} · \
             failed resumes {} · uncertain questions {} · left-over processes {}",
            self.kills,
            self.supervisors,
            self.runs,
            self.resumes,
            self.effects,
            self.doubles,
            self.missing,
            self.failed.len(),
            self.questions,
            self.left_over,
        )
    }
}

impl Figures {
    fn add(&mut self, other: Figures) {
        self.kills += other.kills;
        self.supervisors += other.supervisors;
        self.runs += other.runs;
        self.resumes += other.resumes;
        self.effects += other.effects;
        self.doubles += other.doubles;
        self.missing += other.missing;
        self.questions += other.questions;
        self.left_over += other.left_over;
        self.failed.extend(other.failed);
    }

    fn clean(&self) {
        assert_eq!(self.failed, Vec::<String>::new(), "{self}");
        assert_eq!((self.doubles, self.missing, self.left_over), (0, 0, 0), "{self}");
    }

    /// One run, hit again and again until it is completed, or `most` times.
    async fn one_run(&mut self, hit: Hit, most: usize, dice: &mut StdRng) {
        let n = 5;
        let scene = Scene::new(Rounds::Slow(50), n);
        self.runs += 1;
        let (mut best, mut stalled) = (0, 0);
        for turn in 0.. {
            // On a busy machine a start alone may take longer than a kill comes.
            let longest = 400 + 50 * stalled.min(60);
            let effects = scene.effects().len();
            stalled = if effects > best { 0 } else { stalled + 1 };
            best = best.max(effects);
            if stalled > 200 {
                self.failed.push(format!("{hit:?}: no progress over 200 turns"));
                return;
            }
            // Pauses at the fault points shift what happens at the same time.
            let seed: u32 = dice.random();
            let fault = if dice.random_ratio(1, 3) { format!("random:{seed}:0:80") } else { String::new() };
            let mut running = scene.go(&fault).await;
            self.resumes += usize::from(turn > 0);
            let since = From::any(dice);
            let begun = scene.text("begun").len();
            let until = Instant::now() + Duration::from_secs(2);
            let reached = |running: &Running| match since {
                From::Start => true,
                From::Work => running.printed() > 200,
                From::Command => scene.text("begun").len() > begun,
            };
            while !reached(&running) && Instant::now() < until && !running.is_over() {
                std::thread::sleep(Duration::from_millis(1));
            }
            let longest = if since == From::Command { 90 } else { longest };
            let at = Instant::now() + Duration::from_millis(dice.random_range(0..longest));
            while self.kills < most && Instant::now() < at && !running.is_over() {
                std::thread::sleep(Duration::from_millis(1));
            }
            if self.kills < most && !running.is_over() {
                self.hit(hit, &scene, &running, dice);
            }
            let ended = running.wait();
            match ended.said() {
                _ if ended.was_killed() => {}
                (Some(0), "completed", _) => break,
                (Some(4), "waiting", "uncertain") if hit == Hit::Both => {
                    self.questions += scene.answer().await
                }
                // A signal before anybody listens ends the process as any other.
                (Some(130), "interrupted", _) if hit == Hit::Signal => {}
                _ => {
                    self.failed.push(format!("{hit:?}, turn {turn}, fault {fault:?}: {ended:?}"));
                    return;
                }
            }
        }
        let effects = scene.effects();
        self.effects += effects.len();
        let times = |i| effects.iter().filter(|effect| **effect == i).count();
        self.doubles += (1..=n).map(|i| times(i).saturating_sub(1)).sum::<usize>();
        self.missing += (1..=n).filter(|i| times(*i) == 0).count();
        let until = Instant::now() + Duration::from_secs(10);
        while !scene.processes().is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.left_over += scene.processes().len();
        if effects.len() == n {
            scene.check(&format!("{hit:?}"), &[]).await;
        } else {
            self.failed.push(format!("{hit:?}: {effects:?}"));
        }
    }

    fn hit(&mut self, hit: Hit, scene: &Scene, running: &Running, dice: &mut StdRng) {
        self.kills += 1;
        match hit {
            Hit::Worker => running.signal(Signal::KILL),
            Hit::Both => {
                // In either order, and half of the time with the commands, as a power cut would.
                let (first, commands) = (dice.random::<bool>(), dice.random::<bool>());
                if first {
                    running.signal(Signal::KILL);
                }
                self.supervisors += scene.kill_supervisors(commands);
                if !first {
                    running.signal(Signal::KILL);
                }
            }
            Hit::Signal => {
                let signals = [Signal::TERM, Signal::INT, Signal::HUP];
                running.signal(signals[dice.random_range(0..3)]);
            }
        }
    }
}

/// Runs, hit until `kills` is reached.
async fn until(kills: usize, hits: &[Hit], seed: u64) -> Figures {
    let mut dice = StdRng::seed_from_u64(seed);
    let mut figures = Figures::default();
    while figures.kills < kills {
        for hit in hits {
            figures.one_run(*hit, kills, &mut dice).await;
        }
    }
    figures
}

#[tokio::test]
async fn killed_at_random_moments_no_effect_is_doubled_or_lost() {
    let figures = until(30, &[Hit::Worker], rand::rng().random()).await;
    figures.clean();
    assert!(figures.kills >= 30 && figures.questions == 0, "{figures}");
}

#[tokio::test]
async fn killed_with_its_supervisors_it_asks_and_no_effect_is_doubled_or_lost() {
    let figures = until(20, &[Hit::Both], rand::rng().random()).await;
    figures.clean();
}

#[tokio::test]
async fn signalled_at_random_moments_no_effect_is_doubled_or_lost() {
    let figures = until(10, &[Hit::Signal], rand::rng().random()).await;
    figures.clean();
}

/// Only with `WAKEFUL_LONG_KILLS`.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn long_kill_loop() {
    let Some(kills) = std::env::var("WAKEFUL_LONG_KILLS").ok().and_then(|n| n.parse::<usize>().ok()) else {
        return;
    };
    let lanes = std::env::var("WAKEFUL_LONG_LANES").ok().and_then(|n| n.parse::<usize>().ok()).unwrap_or(2);
    let seed: u64 = rand::rng().random();
    let begun = Instant::now();
    let hits = &[Hit::Worker, Hit::Both, Hit::Worker, Hit::Signal, Hit::Both];
    let lane = |n: usize| tokio::spawn(until(kills.div_ceil(lanes), hits, seed + n as u64));
    let mut all = Figures::default();
    for lane in (0..lanes).map(lane).collect::<Vec<_>>() {
        all.add(lane.await.unwrap());
    }
    println!("{all} · {} s · seed {seed}", begun.elapsed().as_secs());
    for failed in &all.failed {
        println!("failed: {failed}");
    }
    all.clean();
}
