//! What one run learns another one is offered: remembered by a tool, recalled with each request, withdrawn by a rollback.

use super::scene::{Scene, shell};
use serde_json::Value;

const LEARNS: &str = "[[steps]]\nsay = \"I keep it.\"\ncalls = [\
    { name = \"remember\", args = { kind = \"lesson\", text = \"The ledger bench needs --release, or it times out\" } },\
    { name = \"remember\", args = { kind = \"fact\", text = \"导出的时间花在逐字段写文件上\", for = \"person\" } },\
    { name = \"remember\", args = { kind = \"preference\", key = \"language\", text = \"简体中文\", for = \"person\" } }]\n\
    [[steps]]\nsay = \"Done.\"\n";

fn request(scene: &Scene, step: &str) -> String {
    let said = scene.expect(0, &["context", "last", "--step", step, "--request", "--json"]);
    let request: Value = serde_json::from_str(&said.out).unwrap();
    request.to_string()
}

#[test]
fn a_later_run_is_offered_what_fits_and_what_the_person_likes() {
    let scene = Scene::new(LEARNS);
    scene.start(0, "auto");
    let listed = scene.expect(0, &["memory", "ls"]);
    assert!(
        listed.out.contains("bench needs --release") && listed.out.contains("language: 简体中文"),
        "{listed:?}"
    );
    // The goal of the scene's runs says nothing of it: the step's own words bring it.
    scene.script(
        "[[steps]]\nsay = \"Now the ledger bench: how do I start it?\"\ncalls = [{ name = \"recall\", args = { query = \"导出时间\" } }]\n\
         [[steps]]\nsay = \"Done.\"\n",
    );
    scene.start(0, "auto");
    assert!(scene.result(0).contains("逐字段写文件"), "{}", scene.result(0));
    let first = request(&scene, "1");
    assert!(first.contains("PREFERENCES of the person") && first.contains("- language: 简体中文"), "{first}");
    assert!(!first.contains("bench needs"), "nothing of the goal is near to it: {first}");
    let second = request(&scene, "2");
    assert!(
        second.contains("MEMORIES that may help") && second.contains("bench needs --release"),
        "{second}"
    );
    let table = scene.expect(0, &["context", "last", "--step", "2", "--json"]);
    let table: Value = serde_json::from_str(&table.out).unwrap();
    assert!(table.to_string().contains("long-term"), "{table}");
    assert_eq!(scene.count("memories_recalled"), 2, "once for the preference, once for the lesson");
    scene.is_whole();
}

#[test]
fn a_rollback_withdraws_what_was_learnt_on_the_way() {
    let scene = Scene::new(&format!("{}{LEARNS}", shell("echo one > one")));
    scene.start(0, "auto");
    let found = |words: &str| scene.expect(0, &["memory", "search", words, "--json"]).out;
    assert!(found("bench").contains("--release"));
    let dry = scene.expect(0, &["rollback", "last", "--to", "1", "--dry-run"]).out;
    assert!(dry.contains("memories withdrawn: 3"), "{dry}");
    scene.expect(0, &["rollback", "last", "--to", "1"]);
    assert_eq!(found("bench").trim(), "[]");
    let withdrawn = scene.expect(0, &["memory", "ls", "--withdrawn"]).out;
    assert_eq!(withdrawn.lines().filter(|line| line.contains("withdrawn")).count(), 3, "{withdrawn}");
    let dry = scene.expect(0, &["redo", "last", "--dry-run"]).out;
    assert!(dry.contains("memories offered again: 3"), "{dry}");
    scene.expect(0, &["redo", "last"]);
    assert!(found("bench").contains("--release"));
}

#[test]
fn a_person_keeps_finds_changes_and_settles_memories_on_the_command_line() {
    let scene = Scene::new(LEARNS);
    let said = scene.expect(0, &["memory", "add", "Export uses 4 threads", "--pin"]);
    assert!(said.err.contains("remembered as 1"), "{said:?}");
    assert!(
        scene
            .expect(0, &["memory", "add", "export uses 4 threads"])
            .err
            .contains("memory 1 says that already")
    );
    let other = scene.expect(0, &["memory", "add", "Export uses a single thread", "--json"]);
    let other: Value = serde_json::from_str(&other.out).unwrap();
    assert_eq!((&other["id"], &other["disagrees_with"]), (&2.into(), &1.into()));
    assert!(scene.expect(0, &["memory", "ls"]).err.contains("! some disagree"));
    assert!(scene.expect(0, &["memory", "show", "2"]).out.contains("disagrees with memory 1"));
    scene.expect(0, &["memory", "settle", "2", "--both", "old and new machine"]);
    let shown = scene.expect(0, &["memory", "show", "1"]).out;
    assert!(
        shown.contains("(old and new machine)") && shown.contains("settled by a person (cli)"),
        "{shown}"
    );
    scene.expect(0, &["memory", "edit", "1", "Export uses eight threads", "--confidence", "50"]);
    assert!(scene.expect(0, &["memory", "search", "eight"]).out.contains("50 %"));
    for (args, said) in [
        (&["memory", "rm", "1"][..], "--yes"),
        (&["memory", "show", "99"], "no memory 99"),
        (&["memory", "edit", "1"], "required"),
        (&["memory", "add", " "], "it is empty"),
        (&["memory", "add", "x", "--kind", "rumour"], "fact, preference"),
        (&["memory", "add", "tabs", "--kind", "preference"], "needs a key"),
        (
            &["memory", "add", "the key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"],
            "never remembered",
        ),
        (&["memory", "settle", "1", "--keep", "1"], "disagrees with none"),
    ] {
        let refused = scene.expect(2, args);
        assert!(refused.err.contains(said), "{args:?}: {refused:?}");
    }
    scene.expect(0, &["memory", "rm", "1", "--yes"]);
    assert!(!scene.expect(0, &["memory", "ls", "--json"]).out.contains("eight"));
}

#[test]
fn what_is_near_to_goal_plan_or_question_is_found_whatever_was_said_last() {
    let scene = Scene::new(
        "[[steps]]\nsay = \"I begin.\"\ncalls = [\
         { name = \"plan\", args = { items = [{ id = \"1\", title = \"Measure the parser\", state = \"active\" }] } },\
         { name = \"note\", args = { kind = \"question\", text = \"Which zstd level is set?\" } }]\n\
         [[steps]]\nsay = \"Lunch first: soup, bread and a pear.\"\n\
         calls = [{ name = \"note\", args = { kind = \"fact\", text = \"lunch is at noon\" } }]\n\
         [[steps]]\nsay = \"More bread and soup.\"\n\
         calls = [{ name = \"note\", args = { kind = \"fact\", text = \"soup is hot\" } }]\n",
    );
    for text in [
        "Ledger exports lock the file",
        "Measure the parser twice",
        "The zstd level is six",
        "Rooks nest in March",
    ] {
        scene.expect(0, &["memory", "add", text]);
    }
    scene.expect(
        0,
        &["run", "Speed up ledger exports", "--model", "offline", "--approve", "auto", "--headless"],
    );
    let said = scene.expect(0, &["context", "last", "--step", "4", "--json"]);
    let sent: Value = serde_json::from_str(&said.out).unwrap();
    let texts: Vec<&str> =
        sent["memories"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
    let request = request(&scene, "4");
    assert!(request.contains("More bread and soup"), "the last words are about lunch: {request}");
    for near in ["Ledger exports lock the file", "Measure the parser twice", "The zstd level is six"] {
        assert!(texts.contains(&near) && request.contains(near), "{near}: {texts:?}");
    }
    assert!(!texts.contains(&"Rooks nest in March"), "{texts:?}");
    scene.is_whole();
}

#[test]
fn a_question_that_is_answered_leaves_the_state_also_in_other_words() {
    let note = |kind: &str, text: &str| {
        format!("[[steps]]\ncalls = [{{ name = \"note\", args = {{ kind = {kind:?}, text = {text:?} }} }}]\n")
    };
    let scene = Scene::new(
        &[
            note("question", "Which zstd level is set?"),
            note("question", "导出用几个线程？"),
            note("question", "Who owns the ledger?"),
            note("answered", "which ZSTD level is set"),
            note("answered", "导出用几个线程？四个。"),
            note("answered", "What is the weather like?"),
        ]
        .concat(),
    );
    scene.start(0, "auto");
    let open: Vec<String> = scene.state().path.questions.iter().map(|note| note.text.clone()).collect();
    assert_eq!(open, ["Who owns the ledger?"]);
    assert_eq!((scene.result(3).as_str(), scene.result(4).as_str()), ("noted", "noted"));
    let refused = scene.result(5);
    assert!(refused.contains("No single open question reads like that"), "{refused}");
    assert!(refused.contains("- Who owns the ledger?") && !refused.contains("zstd"), "{refused}");
    let last = request(&scene, "7");
    assert!(last.contains("Who owns the ledger?") && !last.contains("Questions:\\n- Which zstd"), "{last}");
    scene.is_whole();
}

#[test]
fn what_is_for_the_run_alone_is_offered_to_it_and_to_no_other() {
    let scene = Scene::new(
        "[[steps]]\nsay = \"I keep it.\"\ncalls = [\
         { name = \"remember\", args = { kind = \"fact\", text = \"The zebra fixture is half built\", for = \"run\" } }]\n\
         [[steps]]\nsay = \"Now the zebra fixture.\"\n\
         calls = [{ name = \"recall\", args = { query = \"zebra fixture\" } }]\n\
         [[steps]]\nsay = \"Done.\"\n",
    );
    scene.start(0, "auto");
    assert!(scene.result(1).contains("half built"), "its own run is given it: {}", scene.result(1));
    assert!(request(&scene, "3").contains("The zebra fixture is half built"));
    let run = scene.state().run.to_string();
    let listed: Value =
        serde_json::from_str(&scene.expect(0, &["memory", "ls", "--all", "--json"]).out).unwrap();
    assert_eq!(listed[0]["scope"]["run"], run.as_str(), "{listed}");
    scene.script(
        "[[steps]]\nsay = \"The zebra fixture?\"\n\
         calls = [{ name = \"recall\", args = { query = \"zebra fixture\" } }]\n[[steps]]\nsay = \"Done.\"\n",
    );
    scene.start(0, "auto");
    assert!(!scene.result(0).contains("half built"), "another run is not: {}", scene.result(0));
    let second = request(&scene, "2");
    assert!(!second.contains("half built"), "{second}");
    scene.is_whole();
}
