//! A stored run as a cassette: the same run again from the recorded replies, with real tools.

use super::{Scene, err};

#[test]
fn a_stored_run_is_played_again_with_real_tools_and_survives_a_limit() {
    let scene = Scene::new();
    assert_eq!(scene.run(None, &["--approve", "safe"]), 0);
    let first = scene.json(&["show", "last", "--json"]);
    let (recorded, steps) =
        (first["id"].as_str().unwrap().to_owned(), first["limits"]["steps"]["used"].clone());
    let report = scene.workspace().join("wakeful-report.md");
    std::fs::remove_file(&report).unwrap();

    // The script is another one now: what is played comes from the record, not from the offline model.
    let model = format!("replay:{recorded}");
    let mut again =
        scene.command(&["run", "Look at the ledger", "--model", &model, "--headless", "--max-steps", "3"]);
    scene.scripted(&mut again, Some("name = 'other'\n[[steps]]\nsay = 'I am another script.'\n"));
    let output = again.output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert!(!report.exists());
    let mut goes_on = scene.command(&["resume", "last", "--max-steps", "50", "--headless"]);
    scene.scripted(&mut goes_on, Some("name = 'other'\n[[steps]]\nsay = 'I am another script.'\n"));
    let output = goes_on.output().unwrap();
    assert_eq!(output.status.code(), Some(4), "it asks before it writes: {}", err(&output));
    let waiting = scene.json(&["intents", "last", "--json"]);
    let call = waiting[0]["call_id"].as_str().unwrap().to_owned();
    scene.text(&["approve", &call]);
    let output = scene.wakeful(&["resume", "last", "--headless"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let second = scene.json(&["show", "last", "--json"]);
    assert_ne!(second["id"], first["id"]);
    assert_eq!(second["limits"]["steps"]["used"], steps);
    assert_eq!(second["report"]["answer"], first["report"]["answer"]);
    assert!(report.exists(), "the tools are real");
    assert!(scene.text(&["show", "last"]).contains("recorded replies"));
}

#[test]
fn a_run_without_replies_cannot_be_played() {
    let scene = Scene::new();
    assert_eq!(scene.run(None, &["--approve", "safe"]), 0);
    let output = scene.wakeful(&["run", "x", "--model", "replay:r-zzz", "--headless"]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
}
