//! SIGTERM, SIGINT and SIGHUP: saved, exit code 130, the running command goes on, its result is picked up.

use super::scene::*;
use rustix::process::Signal;
use wakeful::run::CallStatus;

async fn stops_and_goes_on(signal: Signal, resumed_meanwhile: bool) {
    let about = format!("{signal:?}, resumed meanwhile: {resumed_meanwhile}");
    let scene = Scene::new(Rounds::Slow(900), 2);
    let running = scene.run("");
    eventually("the command begins", || !scene.text("begun").is_empty());
    running.signal(signal);
    let ended = running.wait();
    assert_eq!(ended.said(), (Some(130), "interrupted", ""), "{about}: {ended:?}");
    assert_eq!(scene.effects(), Vec::<usize>::new(), "{about}: it did not wait for the command");
    let state = scene.state().await;
    assert!(state.ledger.owner.is_none(), "{about}: it gave the run back");
    assert!(state.ledger.open.values().any(|c| c.status == CallStatus::Started), "{about}");
    if !resumed_meanwhile {
        eventually("the command goes on by itself", || scene.effects() == [1]);
    }
    scene.finish().await.unwrap();
    scene.check(&about, &[]).await;
    for call in scene.calls().await {
        assert_eq!((call.status, call.attempt), (CallStatus::Done, 1), "{about}: its result was picked up");
    }
}

#[tokio::test]
async fn a_signal_saves_and_the_command_goes_on() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        stops_and_goes_on(signal, false).await;
        stops_and_goes_on(signal, true).await;
    }
}

#[tokio::test]
async fn a_signal_between_calls_loses_nothing() {
    for (signal, at) in [(Signal::TERM, 1), (Signal::INT, 2), (Signal::HUP, 3)] {
        let scene = Scene::new(Rounds::Mixed, 6);
        let mut running = scene.run("");
        eventually("some effects", || scene.effects().len() >= at || running.is_over());
        running.signal(signal);
        let ended = running.wait();
        assert!(matches!(ended.said(), (Some(130), "interrupted", _) | (Some(0), ..)), "{ended:?}");
        scene.finish().await.unwrap();
        scene.check(&format!("{signal:?}"), &[]).await;
    }
}
