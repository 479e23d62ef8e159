//! After a rollback the same call is proposed again: its result of before is reused, it runs again, or it is denied. A
//! result that is reused is marked as such, and nothing runs (case A09: each decision is bound to one call).

use super::scene::{Scene, shell};
use wakeful::run::control::{Author, Control, Decision};
use wakeful::run::id::CallId;
use wakeful::run::{CallStatus, Event, Outcome, Status};
use wakeful::store::CallRow;

/// One command ran, the run was rolled back to before it, and asks for it again.
fn asked_again(command: &str) -> Scene {
    let scene = Scene::new(&shell(command));
    scene.start(0, "auto");
    scene.expect(0, &["rollback", "last", "--to", "0"]);
    scene.expect(4, &["resume", "last", "--headless"]);
    scene
}

fn waiting(scene: &Scene) -> Vec<CallRow> {
    scene.calls().into_iter().filter(|call| call.status == CallStatus::Waiting).collect()
}

#[test]
fn the_result_of_before_is_reused_and_nothing_runs() {
    let scene = asked_again("echo x >> effects; echo said");
    let call = waiting(&scene).remove(0);
    let said = scene.expect(0, &["approve", call.call_id.as_str(), "--reuse"]);
    assert!(said.err.contains("the result of before is reused"), "{said:?}");
    let closed = scene.calls().into_iter().find(|c| c.call_id == call.call_id).unwrap();
    assert_eq!(
        (closed.status, closed.decided_by),
        (CallStatus::Done, Some(Author::Person("cli".to_owned())))
    );
    let result = scene.result(1);
    for words in ["not run again", "step 1 of timeline 1", "still stands", "said"] {
        assert!(result.contains(words), "{words}: {result}");
    }
    let first = scene.calls()[0].call_id.clone();
    let reused = |e: &Event| matches!(e, Event::CallReused { from, ok: true, .. } if *from == first);
    assert_eq!(scene.events().iter().filter(|e| reused(e)).count(), 1, "marked in the journal");
    let page = scene.expect(0, &["intents", "last", "--json"]).out;
    assert!(page.contains("done"), "{page}");
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.status(), Status::Ended(Outcome::Completed));
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
    assert_eq!(scene.count("call_started"), 1, "started on the first timeline alone");
    scene.is_whole();
}

#[test]
fn of_several_each_is_decided_by_itself_and_a_failure_stays_one() {
    let both = "[[steps]]\ncalls = [{ name = \"shell\", args = { command = \"echo a >> effects\" } }, \
                { name = \"shell\", args = { command = \"echo b >> effects; exit 3\" } }]\n";
    let scene = Scene::new(both);
    scene.start(0, "auto");
    scene.expect(0, &["rollback", "last", "--to", "0"]);
    scene.expect(4, &["resume", "last", "--headless"]);
    let calls = waiting(&scene);
    assert_eq!(calls.len(), 2);
    scene.expect(0, &["approve", calls[1].call_id.as_str(), "--reuse"]);
    let left = waiting(&scene);
    assert!(left.len() == 1 && left[0].call_id == calls[0].call_id, "the first one waits as before (A09)");
    let second = scene.calls().into_iter().find(|c| c.call_id == calls[1].call_id).unwrap();
    assert_eq!(second.status, CallStatus::Failed, "what failed has failed");
    assert_eq!(scene.state().ledger.failures_in_a_row(), 0, "a person chose it");
    // Running the other one again is the person's too.
    scene.expect(0, &["approve", calls[0].call_id.as_str()]);
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("effects").as_deref(), Some("a\nb\na\n"));
    scene.is_whole();
}

#[test]
fn where_no_effect_stands_nothing_is_reused() {
    let edit = "[[steps]]\ncalls = [{ name = \"edit_file\", args = { path = \"a.txt\", old_string = \"one\", \
                new_string = \"two\" } }]\n";
    let scene = Scene::new(edit);
    scene.put("a.txt", "one\n");
    scene.start(0, "auto");
    assert_eq!(scene.read("a.txt").as_deref(), Some("two\n"));
    scene.expect(0, &["rollback", "last", "--to", "0"]);
    scene.expect(4, &["resume", "last", "--headless"]);
    let call = waiting(&scene).remove(0);
    let said = scene.expect(2, &["approve", call.call_id.as_str(), "--reuse"]);
    assert!(said.err.contains("its files were put back by the rollback"), "{said:?}");
    post(&scene, &call, &scene.calls()[0].call_id.clone());
    assert_eq!((waiting(&scene).len(), scene.count("control_refused")), (1, 1), "the engine holds to it too");
    scene.expect(0, &["approve", call.call_id.as_str()]);
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("a.txt").as_deref(), Some("two\n"));

    let scene = Scene::new(&shell("echo x >> effects"));
    scene.start(4, "ask");
    let said = scene.expect(2, &["approve", "last:1.1", "--reuse"]);
    assert!(said.err.contains("did not run before"), "{said:?}");
    assert_eq!(waiting(&scene).len(), 1);
}

/// Asks for a result to be reused, as a screen would, and lets it be taken.
fn post(scene: &Scene, call: &CallRow, from: &CallId) {
    let control = Control::Decide {
        call_id: call.call_id.clone(),
        args_hash: call.args_hash.clone(),
        attempt: call.attempt,
        decision: Decision::Reuse { from: from.clone() },
    };
    let by = Author::Person("test".to_owned());
    scene.within(scene.store().post(&call.run, control, by, 0)).unwrap();
    scene.expect(0, &["mode", "last", "auto"]);
}

#[test]
fn another_result_than_the_one_that_was_shown_is_not_taken() {
    let scene = asked_again("echo x >> effects");
    let call = waiting(&scene).remove(0);
    post(&scene, &call, &CallId::new("c-another"));
    assert_eq!((waiting(&scene).len(), scene.count("control_refused")), (1, 1));
    let other = CallRow { args_hash: wakeful::run::Hash::of(b"other"), ..call.clone() };
    let control = Control::Decide {
        call_id: other.call_id.clone(),
        args_hash: other.args_hash.clone(),
        attempt: other.attempt,
        decision: Decision::Reuse { from: scene.calls()[0].call_id.clone() },
    };
    let by = Author::Person("test".to_owned());
    assert!(scene.within(scene.store().post(&call.run, control, by, 0)).is_err(), "other arguments");
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
}

#[test]
fn killed_anywhere_it_is_reused_once_or_waits_on() {
    let mut reused = 0;
    let points =
        (1..=3).flat_map(|n| [format!("store.before_commit:{n}"), format!("store.after_commit:{n}")]);
    for point in points {
        let scene = asked_again("echo x >> effects");
        let call = waiting(&scene).remove(0);
        let mut command = scene.command(&["approve", call.call_id.as_str(), "--reuse"]);
        command.env("WAKEFUL_FAULT", &point).output().unwrap();
        let asked = scene.pending() > 0 || scene.count("call_reused") > 0;
        scene.expect(0, &["mode", "last", "auto"]);
        assert_eq!(scene.count("call_reused"), usize::from(asked), "{point}");
        assert_eq!(waiting(&scene).is_empty(), asked, "{point}");
        assert_eq!(scene.read("effects").as_deref(), Some("x\n"), "{point}");
        reused += usize::from(asked);
        scene.is_whole();
    }
    assert!(reused >= 3, "the points lie within it: {reused}");
}

#[test]
fn a_request_is_reused_too_though_it_would_only_be_asked_for_its_address() {
    let scene = Scene::new(
        "[[steps]]\ncalls = [{ name = \"http_get\", args = { url = \"http://127.0.0.1:9/x\" } }]\n",
    );
    scene.start(4, "ask");
    scene.expect(0, &["approve", "last:1.1"]);
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.call_statuses(), [CallStatus::Failed], "nobody listens there");
    let before = scene.result(0);
    scene.expect(0, &["rollback", "last", "--to", "0"]);
    scene.expect(4, &["resume", "last", "--headless"]);
    let call = waiting(&scene).remove(0);
    scene.expect(0, &["approve", call.call_id.as_str(), "--reuse"]);
    assert!(scene.result(1).ends_with(&before) && scene.result(1).contains("not run again"));
    assert_eq!((scene.count("call_started"), scene.count("call_reused")), (1, 1));
    scene.is_whole();
}
