//! The goal: shown, replaced, edited in an editor; a stale edit is refused with the difference.

use super::scene::{Scene, shell};
use std::os::unix::fs::PermissionsExt;
use wakeful::run::Check;

fn with_goal(scene: &Scene) {
    scene.expect(
        4,
        &[
            "run",
            "first goal",
            "--model",
            "offline",
            "--constraint",
            "be quick",
            "--check",
            "file:a.txt",
            "--headless",
        ],
    );
}

#[test]
fn a_new_text_keeps_constraints_and_checks_and_a_stale_one_is_refused() {
    let scene = Scene::new(&shell("echo x > a.txt"));
    with_goal(&scene);
    let shown = scene.expect(0, &["goal", "last"]);
    assert_eq!(shown.out, ":: goal\nfirst goal\n\n:: constraints\n- be quick\n\n:: checks\n- file:a.txt\n");
    scene.expect(0, &["goal", "last", "--set", "second goal"]);
    let goal = scene.state().path.goal.clone();
    assert_eq!((goal.text.as_str(), goal.constraints.len()), ("second goal", 1));
    assert_eq!(goal.checks, [Check::File("a.txt".into())]);
    let said = scene.expect(2, &["goal", "last", "--set", "third goal", "--based-on", "1"]);
    for words in ["version 1", "version 2", "-second goal", "+third goal"] {
        assert!(said.err.contains(words), "{words}: {said:?}");
    }
    assert_eq!(scene.state().path.goal_version, 2);
    let json = scene.expect(0, &["goal", "last", "--json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["version"], &json["text"]), (&2.into(), &"second goal".into()));
}

#[test]
fn a_goal_that_no_request_has_room_for_is_refused_at_once_also_while_the_run_waits() {
    let scene = Scene::new(&shell("echo x > a.txt"));
    scene.expect(4, &["run", "first goal", "--model", "offline", "--window", "4500", "--headless"]);
    let table: serde_json::Value =
        serde_json::from_str(&scene.expect(0, &["context", "last", "--json"]).out).unwrap();
    let used = |slot: &str| {
        let rows = table["rows"].as_array().unwrap();
        rows.iter().find(|row| row["slot"] == slot).unwrap()["used"].as_u64().unwrap()
    };
    let others = ["system", "tools", "core", "reserve"].map(used);
    let room = 4500 - 4500 / 16 - others.iter().sum::<u64>();
    // Larger than what is left for it, and smaller than another slot.
    assert!(room + 100 < others[1], "{room} {others:?}");
    let long = "word ".repeat(usize::try_from(room).unwrap() + 20);
    let said = scene.expect(2, &["goal", "last", "--set", long.trim()]);
    let left = wakeful::run::figures::grouped(room);
    let figures = format!("of the window's 4,500, and is never cut; {left} are left beside what else always");
    assert!(said.err.contains(&figures), "{figures}: {said:?}");
    assert_eq!((scene.state().path.goal_version, scene.count("goal_edited")), (1, 0));
    let short = "word ".repeat(usize::try_from(room).unwrap() / 2);
    scene.expect(0, &["goal", "last", "--set", short.trim()]);
    scene.expect(0, &["approve", "last:1.1"]);
    scene.expect(0, &["resume", "last", "--headless"]);
}

#[test]
fn a_living_owner_goes_on_with_the_new_goal() {
    let scene = Scene::new(&shell("echo x > a.txt"));
    let mut owner = scene.start_living("ask");
    scene.until_waiting();
    scene.expect(0, &["goal", "last", "--set", "second goal"]);
    scene.expect(0, &["approve", "last:1.1"]);
    assert_eq!(owner.end(), 0);
    assert_eq!((scene.state().path.goal_version, scene.count("goal_edited")), (2, 1));
}

/// An editor that does this to its file.
fn editor(scene: &Scene, script: &str) -> std::path::PathBuf {
    let path = scene.beside().parent().unwrap().join("editor.sh");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn the_whole_goal_is_edited_in_an_editor() {
    let scene = Scene::new(&shell("echo x > a.txt"));
    with_goal(&scene);
    let edit = |script: &str| {
        let mut command = scene.command(&["goal", "last", "--edit"]);
        let output = command.env("EDITOR", editor(&scene, script)).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(edit("true").0, 0);
    assert_eq!(scene.state().path.goal_version, 1, "nothing was changed");
    let (code, said) = edit("sed -i -e 's/first goal/edited goal/' -e 's/^- be quick/- be slow/' \"$1\"");
    assert_eq!(code, 0, "{said}");
    let goal = scene.state().path.goal.clone();
    assert_eq!((goal.text.as_str(), goal.constraints), ("edited goal", vec!["be slow".to_owned()]));
    assert_eq!(goal.checks, [Check::File("a.txt".into())]);
    let (code, said) = edit("sed -i 's/^- file:a.txt/- fiel:a.txt/' \"$1\"");
    assert!(code == 2 && said.contains("fiel") && said.contains("is kept in"), "{said}");
    assert_eq!(edit("exit 1").0, 1);
    assert_eq!(scene.state().path.goal_version, 2);
}

#[test]
fn an_edit_that_took_too_long_is_refused_and_kept() {
    let scene = Scene::new(&shell("echo x > a.txt"));
    with_goal(&scene);
    // While the editor is open somebody else sets the goal.
    let script = format!(
        "{} goal last --set theirs && sed -i 's/first goal/mine/' \"$1\"",
        env!("CARGO_BIN_EXE_wakeful")
    );
    let mut command = scene.command(&["goal", "last", "--edit"]);
    let output = command.env("EDITOR", editor(&scene, &script)).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("-theirs") && said.contains("+mine"), "{said}");
    let kept = said.split("is kept in ").nth(1).unwrap().lines().next().unwrap();
    assert!(std::fs::read_to_string(kept).unwrap().contains("mine"));
    std::fs::remove_file(kept).unwrap();
    assert_eq!(scene.state().path.goal.text, "theirs");
}

#[test]
fn a_check_that_can_never_be_passed_is_refused_before_anything_starts() {
    let scene = Scene::new("");
    scene.put("bad.json", "{");
    scene.put("odd.json", "{\"type\": 7}");
    scene.put("good.json", "{\"type\": \"object\"}");
    for (check, words) in [
        ("json-schema:none.json", "does not exist"),
        ("json-schema:bad.json", "is not JSON"),
        ("json-schema:odd.json", "is not a JSON schema"),
        ("json-schema:../x.json", "outside the workspace"),
        ("file:../x", "outside the workspace"),
        ("contains:/etc/hostname:x", "outside the workspace"),
    ] {
        let said = scene.expect(2, &["run", "test", "--check", check, "--headless"]);
        assert!(said.err.contains(check) && said.err.contains(words), "{check}: {said:?}");
    }
    let runs = scene.expect(0, &["runs", "--json"]);
    assert_eq!(runs.out.trim(), "[]", "nothing was started");
    let checks = ["--check", "json-schema:good.json", "--check", "file:later/there.txt"];
    scene.expect(4, &[&["run", "test", "--headless"][..], &checks].concat());
    // The same for a goal that is edited.
    let editor = scene.ws("../edit.sh");
    std::fs::write(&editor, "#!/bin/sh\nsed -i 's/good/odd/' \"$1\"\n").unwrap();
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = scene.command(&["goal", "last", "--edit"]);
    let said: super::scene::Said = command.env("VISUAL", &editor).output().unwrap().into();
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("json-schema:odd.json can never be passed"), "{said:?}");
}

#[test]
fn the_versions_are_listed_with_their_authors_and_the_steps_from_which_they_held() {
    let scene = Scene::new(&shell("echo x > a.txt"));
    with_goal(&scene);
    scene.expect(0, &["goal", "last", "--set", "second goal"]);
    let said = scene.expect(0, &["goal", "last", "--versions"]).out;
    let heads: Vec<&str> = said.lines().filter(|line| line.starts_with("version ")).collect();
    assert_eq!(heads.len(), 2, "{said}");
    assert!(
        heads[0].starts_with("version 1 · a person (cli) · ") && heads[0].ends_with("from step 1 on"),
        "{said}"
    );
    assert!(heads[1].starts_with("version 2 · a person (cli) · "), "{said}");
    for words in ["  first goal\n", "  second goal\n", "  constraint: be quick\n", "  check: file:a.txt\n"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let json = scene.expect(0, &["goal", "last", "--versions", "--json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json[1]["version"], &json[1]["text"]), (&2.into(), &"second goal".into()), "{json}");
    scene.expect(2, &["goal", "last", "--versions", "--set", "x"]);
}
