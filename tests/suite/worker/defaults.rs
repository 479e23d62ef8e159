//! Decisions that nobody makes: the recommendation is taken after the configured time, by whoever has the run then; an
//! answer that came before it stands.

use super::scene::{Scene, shell};
use wakeful::run::control::{Author, Control, Decision};
use wakeful::run::{CallStatus, Event};
use wakeful::store::Posted;

const DECIDE: &str = "[[steps]]\ncalls = [{ name = \"decide\", args = { goal = \"Fast\", why = \"It is quick.\", \
    recommendation = \"2\", options = [{ title = \"Slow\", effect_on_goal = \"none\" }, \
    { title = \"Quick\", effect_on_goal = \"reached\" }] } }]\n";

/// A scene whose agent decides nothing by itself, then leaves a line in `effects`.
fn scene(after: &str) -> Scene {
    let scene = Scene::new(&format!("{DECIDE}{}", shell("echo x >> effects")));
    scene.config(&format!("[decide]\ndefault_after = \"{after}\"\n"));
    scene
}

fn started(scene: &Scene, code: i32, more: &[&str]) {
    scene.expect(
        code,
        &[&["run", "test", "--model", "offline", "--approve", "auto", "--headless"], more].concat(),
    );
}

/// How it was answered: by whose default, if it was one.
fn answered(scene: &Scene) -> Vec<Option<String>> {
    let of = |event: Event| match event {
        Event::CallAnswered { by_default, .. } => Some(by_default),
        _ => None,
    };
    scene.events().into_iter().filter_map(of).collect()
}

#[test]
fn without_a_default_it_waits_and_with_one_a_worker_that_waits_takes_it() {
    let plain = Scene::new(DECIDE);
    plain.start(4, "auto");
    plain.expect(4, &["resume", "last", "--headless"]);
    assert_eq!(answered(&plain), []);
    assert!(plain.expect(0, &["config", "schema"]).out.contains("default_after = \"off\""));

    let scene = scene("1s");
    started(&scene, 0, &["--wait"]);
    assert_eq!(answered(&scene), [Some("default after 1s".to_owned())]);
    let told = scene.result(0);
    assert!(told.starts_with("Quick\n[nobody answered within 1s"), "{told}");
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
    let row = &scene.calls()[0];
    assert_eq!((row.status, row.by_default()), (CallStatus::Done, Some("default after 1s")));
    let said = scene.expect(0, &["intents", "last", "--json"]).out;
    assert!(said.contains("default after 1s"), "{said}");
    scene.is_whole();
}

#[test]
fn headless_without_wait_leaves_it_and_whoever_resumes_after_the_moment_takes_it() {
    let scene = scene("1s");
    started(&scene, 4, &[]);
    let default = scene.state().first_open().unwrap().default.unwrap();
    assert_eq!(default.after_ms, 1_000);
    assert!(scene.expect(0, &["show", "last"]).out.contains("the agent's recommendation is taken at"));
    // The moment is the journal's: nothing begins anew with another process.
    scene.until("the moment", || wakeful::host::clock::wall_ms() > default.at);
    for command in [&["show", "last"][..], &["intents", "last"]] {
        let said = scene.expect(0, command).out;
        assert!(said.contains("recommendation was due at"), "{said}");
    }
    assert_eq!(answered(&scene), [], "nobody has the run");
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(answered(&scene), [Some("default after 1s".to_owned())]);
    scene.is_whole();
}

#[test]
fn a_worker_without_a_screen_stays_until_the_moment() {
    let scene = scene("3s");
    started(&scene, 4, &[]);
    let said = scene.expect(0, &["worker"]);
    assert!(said.out.contains("completed"), "{said:?}");
    assert_eq!(answered(&scene).len(), 1);
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
}

#[test]
fn an_answer_that_was_first_stands_and_one_that_is_late_is_told_so() {
    let scene = scene("1h");
    started(&scene, 4, &[]);
    let (run, call) = (scene.run(), scene.state().first_open().unwrap().clone());
    let answer = |text: &str, by: Author| {
        let decision = Decision::Answer { text: text.to_owned() };
        let (call_id, args_hash) = (call.call_id.clone(), call.args_hash.clone());
        let control = Control::Decide { call_id, args_hash, attempt: call.attempt, decision };
        scene.within(scene.store().post(&run, control, by, 1)).unwrap()
    };
    // Both stand at the same moment: whichever was written first.
    assert!(matches!(answer("Slow", Author::Person("tui".to_owned())), Posted::Row(_)));
    assert!(matches!(answer("Quick", Author::Wakeful), Posted::LostTo { .. }));
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!((answered(&scene), scene.result(0).as_str()), (vec![None], "Slow"));

    let late = self::scene("1s");
    started(&late, 0, &["--wait"]);
    let said = late.expect(2, &["answer", "last:1.1", "Slow"]);
    assert!(said.err.contains("answered"), "{said:?}");
    assert_eq!(answered(&late).len(), 1);
}

/// Waits until the moment of the default is over.
fn over(scene: &Scene) {
    let at = scene.state().first_open().unwrap().default.unwrap().at;
    scene.until("the moment", || wakeful::host::clock::wall_ms() > at);
}

#[test]
fn a_paused_run_takes_no_default_until_it_goes_on() {
    let scene = scene("1s");
    started(&scene, 4, &[]);
    scene.expect(0, &["pause", "last"]);
    over(&scene);
    let said = scene.expect(0, &["worker"]);
    assert!(said.err.contains("no run can go on"), "{said:?}");
    assert_eq!(answered(&scene), []);
    // It has the time again that the pause took.
    scene.expect(4, &["resume", "last", "--headless"]);
    assert_eq!(answered(&scene), []);
    over(&scene);
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(answered(&scene), [Some("default after 1s".to_owned())]);
}

#[test]
fn a_default_whose_worker_dies_on_the_way_is_taken_once() {
    for fault in ["store.before_commit", "store.after_commit", "worker.before_commit", "worker.after_commit"]
    {
        let mut died = 0;
        for pass in 1..=2 {
            let scene = scene("1s");
            started(&scene, 4, &[]);
            over(&scene);
            let mut command = scene.command(&["resume", "last", "--headless"]);
            let ended = command.env("WAKEFUL_FAULT", format!("{fault}:{pass}")).output().unwrap();
            died += u32::from(ended.status.code().is_none());
            scene.say(&["resume", "last", "--headless"]);
            let about = format!("{fault}:{pass}");
            assert_eq!(answered(&scene), [Some("default after 1s".to_owned())], "{about}");
            assert_eq!(scene.read("effects").as_deref(), Some("x\n"), "{about}");
            scene.is_whole();
        }
        assert!(died > 0, "{fault} was never passed");
    }
}

#[test]
fn a_pause_puts_the_moment_off_by_as_long_as_it_lasted() {
    let scene = scene("20s");
    started(&scene, 4, &[]);
    let before = scene.state().first_open().unwrap().default.unwrap();
    scene.expect(0, &["pause", "last"]);
    let since = scene.state().ledger.paused_at.unwrap();
    scene.until("a while", || wakeful::host::clock::wall_ms() > since + 700);
    scene.expect(0, &["continue", "last"]);
    let state = scene.state();
    let after = state.first_open().unwrap().default.unwrap();
    assert!(after.at >= before.at + 700, "{before:?} {after:?}");
    assert_eq!((after.after_ms, state.ledger.paused_at), (before.after_ms, None));
    scene.is_whole();
}

#[test]
fn an_option_is_chosen_by_its_number_on_the_command_line_too() {
    let scene = Scene::new(DECIDE);
    scene.start(4, "auto");
    let said = scene.expect(2, &["answer", "last:1.1", "3"]);
    assert!(said.err.contains("has the options 1 to 2; there is no 3"), "{said:?}");
    scene.expect(0, &["answer", "last:1.1", "1"]);
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.result(0), "Slow");
}

#[test]
fn a_decision_is_listed_in_words_with_numbered_options_and_the_ways_to_answer() {
    let scene = scene("1h");
    started(&scene, 4, &[]);
    let said = scene.expect(0, &["intents", "last"]).out;
    for words in [
        "the goal as the agent sees it: Fast",
        "    1  Slow\n       none\n",
        "    2  Quick\n       reached\n",
        "the agent recommends 2, Quick: It is quick.",
        "its number, its title or words of your own",
        "recommendation is taken at",
        "→ wakeful answer",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains("effect_on_goal") && !said.contains('{'), "{said}");
}
