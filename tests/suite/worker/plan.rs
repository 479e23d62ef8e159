//! The plan: shown, replaced, edited in an editor; with an owner and without, on runs that are over; a stale edit is
//! refused with the difference, and neither the person's nor the agent's newer one is replaced unseen.

use super::scene::{Said, Scene, shell};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use wakeful::run::plan::{PlanState, plan_version};
use wakeful::run::{CallStatus, Event, Status};
use wakeful::store::CallRow;

/// A step in which the agent gives this plan.
fn plan(items: &[(&str, &str, &str)]) -> String {
    let item = |(id, title, state): &(&str, &str, &str)| {
        format!("{{ id = {id:?}, title = {title:?}, state = {state:?} }}")
    };
    let items: Vec<String> = items.iter().map(item).collect();
    format!("[[steps]]\ncalls = [{{ name = \"plan\", args = {{ items = [{}] }} }}]\n", items.join(", "))
}

const FIRST: &[(&str, &str, &str)] =
    &[("1", "look", "done"), ("2", "build", "active"), ("2.1", "test", "pending")];
const SHOWN: &str = "1 [done] look\n2 [active] build\n  2.1 [pending] test\n";

/// A run that has this plan and waits for an approval.
fn waiting() -> Scene {
    let scene = Scene::new(&format!("{}{}", plan(FIRST), shell("echo x > a.txt")));
    scene.start(4, "ask");
    scene
}

fn set(scene: &Scene, text: &str, more: &[&str]) -> Said {
    let mut command = scene.command(&[&["plan", "last", "--set", "-"], more].concat());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // What is too long is not read to its end.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    child.wait_with_output().unwrap().into()
}

fn shown(scene: &Scene) -> String {
    scene.expect(0, &["plan", "last"]).out
}

#[test]
fn a_plan_is_shown_replaced_and_seen_by_the_agent_in_its_next_request() {
    let scene = waiting();
    assert_eq!(shown(&scene), SHOWN);
    let before = plan_version(&scene.state().path.plan);
    let said = set(&scene, &SHOWN.replace("[active]", "[failed]"), &[]);
    assert_eq!(said.code, 0, "{said:?}");
    let said = set(&scene, "1 [done] look\n2 [done] build\n  2.2 [active] ship\n  a new one\n", &[]);
    assert_eq!(said.code, 0, "{said:?}");
    let state = scene.state();
    let items: Vec<(&str, &str)> =
        state.path.plan.iter().map(|i| (i.id.as_str(), i.title.as_str())).collect();
    assert_eq!(items, [("1", "look"), ("2", "build"), ("2.2", "ship"), ("2.3", "a new one")]);
    let json: serde_json::Value =
        serde_json::from_str(&scene.expect(0, &["plan", "last", "--json"]).out).unwrap();
    assert_eq!((&json["edited_in_step"], &json["items"][1]["state"]), (&2.into(), &"done".into()));
    let now = plan_version(&state.path.plan);
    assert_eq!(json["version"], now.as_str());
    // From the version that was seen first: refused, with the difference.
    let said = set(&scene, "mine\n", &["--based-on", before.short(12)]);
    assert_eq!(said.code, 2, "{said:?}");
    for words in ["it is at version", now.short(12), "-1 [done] look", "+3 [pending] mine"] {
        assert!(said.err.contains(words), "{words}: {said:?}");
    }
    let said = set(&scene, "", &["--based-on", now.short(12)]);
    assert!(said.code == 2 && said.err.contains("line 1: nothing stands here"), "{said:?}");
    let said = set(&scene, "none\n", &["--based-on", now.short(12), "--json"]);
    assert!(said.code == 0 && said.out.contains("\"applied\""), "{said:?}");
    assert!(scene.state().path.plan.is_empty());
    assert_eq!(set(&scene, "2.2 [active] x\nother\n", &[]).code, 0);
    scene.expect(0, &["approve", "last:2.1"]);
    scene.expect(0, &["resume", "last", "--headless"]);
    let request = scene.expect(0, &["context", "last", "--request"]).out;
    for words in ["Plan, as the person changed it in step 2", "- 1 [active] x", "- 2 [pending] other"] {
        assert!(request.contains(words), "{words}: {request}");
    }
    scene.is_whole();
}

#[test]
fn what_cannot_be_a_plan_names_its_line_and_is_refused_with_its_size() {
    let scene = waiting();
    for (text, words) in [
        ("a\n   b\n", "line 2: indent"),
        ("a\n2 [dnoe] b\n", "line 2: there is no state [dnoe]"),
        (&format!("[done] {}\n", "x".repeat(400)), "line 1: the title has 400 characters; at most 300"),
        (&"x\n".repeat(250), "line 201: the plan has 250 items; at most 200"),
        (&"x".repeat(2 << 20), "more than 1048576 bytes"),
        ("a\n2 [done] red \u{1b}[31m ink\n", "line 2: the title holds the control character U+001B"),
    ] {
        let said = set(&scene, text, &[]);
        assert!(said.code == 2 && said.err.contains(words), "{words}: {said:?}");
    }
    scene.expect(2, &["plan", "last", "--set", "none.txt"]);
    assert_eq!((shown(&scene), scene.count("plan_edited")), (SHOWN.to_owned(), 0));
}

#[test]
fn the_plan_is_edited_in_an_editor_and_a_text_that_is_not_taken_is_kept() {
    let scene = waiting();
    let edit = |script: &str| {
        let path = scene.beside().parent().unwrap().join("editor.sh");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let said: Said =
            scene.command(&["plan", "last", "--edit"]).env("EDITOR", path).output().unwrap().into();
        (said.code, said.err)
    };
    let (code, said) = edit("true");
    assert!(code == 0 && said.contains("nothing was changed"), "{said}");
    let (code, said) = edit("sed -i 's/2 \\[active]/2 [done]/; $a \\ \\ more' \"$1\"");
    assert_eq!(code, 0, "{said}");
    assert_eq!(shown(&scene), "1 [done] look\n2 [done] build\n  2.1 [pending] test\n  2.2 [pending] more\n");
    let (code, said) = edit("sed -i 's/look/[look/; s/2.2 .*/2.1 [done] twice/' \"$1\"");
    assert!(
        code == 2 && said.contains("line 6: the number 2.1 stands above") && said.contains("is kept in"),
        "{said}"
    );
    // While the editor is open somebody else changes it.
    let other = format!(
        "printf 'theirs' | {} plan last --set - && echo mine >> \"$1\"",
        env!("CARGO_BIN_EXE_wakeful")
    );
    let (code, said) = edit(&other);
    assert!(code == 2 && said.contains("-3 [pending] theirs") && said.contains("] mine"), "{said}");
    assert!(said.contains("is kept in"), "{said}");
    for line in said.split("is kept in ").skip(1) {
        std::fs::remove_file(line.lines().next().unwrap()).unwrap();
    }
}

#[test]
fn a_plan_can_be_changed_with_a_living_owner_and_on_paused_and_ended_runs_and_goes_back_with_a_rollback() {
    let scene = Scene::new(&format!("{}{}", plan(FIRST), shell("echo x > a.txt")));
    let mut owner = scene.start_living("ask");
    scene.until_waiting();
    assert_eq!(set(&scene, "1 [done] by the owner\n", &[]).code, 0);
    assert_eq!(shown(&scene), "1 [done] by the owner\n");
    scene.expect(0, &["pause", "last"]);
    assert_eq!(set(&scene, "1 [done] paused\n", &[]).code, 0);
    assert_eq!(scene.status(), Status::Paused);
    scene.expect(0, &["continue", "last"]);
    scene.expect(0, &["approve", "last:2.1"]);
    assert_eq!(owner.end(), 0);
    let said = set(&scene, "1 [done] ended\n", &[]);
    assert_eq!((said.code, shown(&scene).as_str()), (0, "1 [done] ended\n"), "{said:?}");
    assert!(matches!(scene.status(), Status::Ended(_)), "it stays over");
    let based_on = plan_version(&scene.state().path.plan);
    scene.expect(0, &["rollback", "last", "--to", "1"]);
    let state = scene.state();
    assert_eq!((shown(&scene).as_str(), state.path.plan_edit), (SHOWN, None));
    let said = set(&scene, "late\n", &["--based-on", based_on.as_str()]);
    assert_eq!(said.code, 2, "made on the timeline that was left: {said:?}");
    scene.expect(0, &["redo", "last"]);
    assert_eq!(shown(&scene), "1 [done] ended\n");
    assert_eq!(scene.count("plan_edited"), 3);
    scene.is_whole();
}

#[test]
fn an_edit_outlives_whoever_dies_on_the_way_and_is_done_once() {
    for fault in ["store.before_commit", "store.after_commit", "worker.before_commit", "worker.after_commit"]
    {
        for pass in 1..=2 {
            let scene = waiting();
            let mut command = scene.command(&["plan", "last", "--set", "-"]);
            command.env("WAKEFUL_FAULT", format!("{fault}:{pass}"));
            let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            child.stdin.take().unwrap().write_all(b"1 [done] mine\n").unwrap();
            child.wait().unwrap();
            // Whatever was done, whoever comes next brings it to its end.
            scene.expect(0, &["approve", "last:2.1"]);
            scene.expect(0, &["resume", "last", "--headless"]);
            assert_eq!(scene.pending(), 0);
            let about = format!("{fault}:{pass}");
            let edits = scene.count("plan_edited");
            // It may have died before it was written down at all.
            let wanted = if edits == 1 { "1 [done] mine\n" } else { SHOWN };
            assert!(edits <= 1, "{about}: {edits}");
            assert_eq!(shown(&scene), wanted, "{about}");
            scene.is_whole();
        }
    }
}

#[test]
fn a_plan_that_the_agent_made_before_the_person_changed_it_does_not_replace_it() {
    let mut items = FIRST.to_vec();
    items[1].2 = "done";
    // The command holds the plan back that stands behind it in the same reply.
    let steps =
        plan(&items).replace("calls = [", "calls = [{ name = \"shell\", args = { command = \"true\" } }, ");
    let scene = Scene::new(&format!("{}{steps}{}", plan(FIRST), plan(&items)));
    scene.start(4, "ask");
    assert_eq!(set(&scene, "1 [done] mine\n", &[]).code, 0);
    scene.expect(0, &["approve", "last:2.1"]);
    scene.expect(0, &["resume", "last", "--headless"]);
    let told = scene.result(2);
    assert!(told.contains("a person changed the plan after this one was made"), "{told}");
    let rejected =
        |event: &&Event| matches!(event, Event::CallRejected { kind, .. } if kind == "plan_edited");
    assert_eq!(scene.events().iter().filter(rejected).count(), 1);
    // The one that was made knowing it counts.
    let state = scene.state();
    assert_eq!((state.path.plan.len(), state.path.plan_edit), (3, None));
    assert_eq!(state.path.plan[1].state, PlanState::Done);
}

#[test]
fn numbers_that_were_written_and_do_not_fit_are_told() {
    let scene = waiting();
    let said = set(&scene, "1 [done] look\n  5 [active] deeper\n7 [pending] later\n20 days of tests\n", &[]);
    assert_eq!(said.code, 0, "{said:?}");
    for words in [
        "line 2: its number is 1.1 and not 5, which does not fit where it stands",
        "line 4: no [state] follows 20, so it is part of the title; its number is 8",
    ] {
        assert!(said.err.contains(words), "{words}: {said:?}");
    }
    assert!(!said.err.contains("line 1") && !said.err.contains("line 3"), "{said:?}");
}

#[test]
fn a_second_change_from_the_same_plan_is_refused_at_once_while_the_first_waits() {
    let scene = Scene::new(&format!("{}{}", plan(FIRST), shell("while [ ! -e go ]; do sleep 0.05; done")));
    let mut owner = scene.start_living("auto");
    let runs = |call: &CallRow| call.tool == "shell" && call.status == CallStatus::Started;
    scene.until("the command runs", || scene.calls().iter().any(runs));
    let said = set(&scene, "1 [done] mine\n", &[]);
    assert!(said.code == 0 && scene.pending() == 1, "{said:?}");
    let said = set(&scene, "1 [done] late\n", &[]);
    assert_eq!(said.code, 2, "{said:?}");
    for words in ["nothing was asked", "is on its way and comes first", "-1 [done] mine", "+1 [done] late"] {
        assert!(said.err.contains(words), "{words}: {said:?}");
    }
    let shown = scene.expect(0, &["plan", "last"]);
    assert!(shown.out == SHOWN && shown.err.contains("is on its way and not read yet"), "{shown:?}");
    // Whoever has seen the one on its way may replace it.
    let version = said.err.split("`--based-on ").nth(1).unwrap().split('`').next().unwrap().to_owned();
    let said = set(&scene, "1 [done] both\n", &["--based-on", &version]);
    assert!(said.code == 0 && scene.pending() == 2, "{said:?}");
    scene.put("go", "");
    assert_eq!(owner.end(), 0);
    assert_eq!((self::shown(&scene).as_str(), scene.count("plan_edited")), ("1 [done] both\n", 2));
    scene.is_whole();
}
