//! Several processes resume one run at the same time: one owns it, the others watch, and nothing happens twice.

use super::scene::*;
use rand::Rng;
use rustix::process::Signal;
use std::time::Duration;

#[tokio::test]
async fn who_does_not_own_a_run_watches_it() {
    let scene = Scene::new(Rounds::Slow(700), 2);
    let owner = scene.run("");
    eventually("the command begins", || !scene.text("begun").is_empty());
    let others = [scene.resume(""), scene.resume("")];
    for other in &others {
        eventually("it watches", || other.stderr().contains("; watching"));
    }
    let epoch = scene.state().await.ledger.epoch;
    for ended in std::iter::once(owner).chain(others).map(Running::wait) {
        assert_eq!(ended.said(), (Some(0), "completed", ""), "{ended:?}");
        assert!(ended.lines.iter().any(|line| line["event"] == "step_committed"), "it shows: {ended:?}");
    }
    assert_eq!(scene.state().await.ledger.epoch, epoch, "nobody took it");
    scene.check("watching", &[]).await;
}

#[tokio::test]
async fn a_watcher_takes_over_when_the_owner_dies() {
    let scene = Scene::new(Rounds::Slow(700), 2);
    let owner = scene.run("");
    eventually("the command begins", || !scene.text("begun").is_empty());
    let other = scene.resume("");
    eventually("it watches", || other.stderr().contains("; watching"));
    owner.signal(Signal::KILL);
    assert!(owner.wait().was_killed());
    let ended = other.wait();
    assert_eq!(ended.said(), (Some(0), "completed", ""), "{ended:?}");
    scene.check("taken over", &[]).await;
}

#[tokio::test]
async fn three_at_once_with_kills_never_do_it_twice() {
    for _ in 0..3 {
        let mut scene = Scene::new(Rounds::Slow(20), 5);
        scene.at_once = 3;
        for _ in 0..100 {
            let there = scene.has_run().await;
            let mut three = vec![scene.go("").await];
            if there {
                three.extend([scene.resume(""), scene.resume("")]);
            }
            // The moment of the kill: at random, since any moment has to do. Nothing is waited for.
            std::thread::sleep(Duration::from_millis(rand::rng().random_range(50..500)));
            // One, two or all of them die; the others take over.
            let dies = rand::rng().random_range(1..=three.len());
            three.iter().take(dies).for_each(|one| one.signal(Signal::KILL));
            let ends: Vec<Ended> = three.into_iter().map(Running::wait).collect();
            for ended in ends.iter().filter(|ended| !ended.was_killed()) {
                assert_eq!(ended.said(), (Some(0), "completed", ""), "{ended:?}");
            }
            if ends.iter().any(|ended| !ended.was_killed()) {
                break;
            }
        }
        scene.check("three at once", &[]).await;
    }
}
