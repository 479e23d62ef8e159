//! An owner that only sleeps keeps its run.

use super::scene::*;
use rustix::process::Signal;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_sleeping_owner_keeps_its_run_and_goes_on() {
    let scene = Scene::new(Rounds::Slow(150), 4);
    let owner = scene.run("");
    eventually("an effect", || !scene.effects().is_empty());
    owner.signal(Signal::STOP);
    let mut other = scene.resume("");
    eventually("it watches", || other.stderr().contains("; watching"));
    let before = scene.state().await;
    // Longer than the watcher's own period; it looks several times.
    let until = Instant::now() + Duration::from_millis(1_800);
    while Instant::now() < until {
        assert!(!other.is_over(), "{}", other.stderr());
        assert_eq!(scene.state().await.head, before.head, "nothing is written while the owner sleeps");
        std::thread::sleep(Duration::from_millis(50));
    }
    owner.signal(Signal::CONT);
    for ended in [owner.wait(), other.wait()] {
        assert_eq!(ended.said(), (Some(0), "completed", ""), "{ended:?}");
    }
    assert_eq!(scene.state().await.ledger.epoch, before.ledger.epoch);
    scene.check("stopped", &[]).await;
}

#[tokio::test]
async fn a_person_can_end_a_sleeping_owner_and_take_its_run() {
    let scene = Scene::new(Rounds::Slow(150), 4);
    let mut owner = scene.run("");
    eventually("an effect", || !scene.effects().is_empty());
    owner.signal(Signal::STOP);
    let before = scene.state().await;
    let ended = scene.with(&["resume", "last", "--take-over"]).wait();
    assert_eq!(ended.said(), (Some(0), "completed", ""), "{ended:?}");
    assert!(ended.stderr.contains("ending worker"), "{}", ended.stderr);
    eventually("the sleeper is gone", || owner.is_over());
    assert_eq!(scene.state().await.ledger.epoch, before.ledger.epoch + 1);
    scene.check("taken over", &[]).await;
}
