//! What a person chooses of a rollback against the default: files that stay, files of others that are taken, the goal of
//! then (cases B08, B11, B12). Nothing is lost by any choice, and every kill goes forward with what was chosen.

use super::scene::{Scene, shell, write};
use std::os::unix::fs::PermissionsExt;
use wakeful::run::control::Control;
use wakeful::run::decode::decode;
use wakeful::run::{Event, Status};

/// Writes `a.txt` twice and `new.txt` once, and is done.
fn worked() -> Scene {
    let both = format!(
        "[[steps]]\ncalls = [{}, {}]\n",
        "{ name = \"write_file\", args = { path = \"a.txt\", content = \"two\\n\" } }",
        "{ name = \"write_file\", args = { path = \"new.txt\", content = \"new\\n\" } }"
    );
    let scene = Scene::new(&[write("a.txt", "one\n"), both].concat());
    scene.start(0, "auto");
    assert_eq!(a(&scene), texts(Some("two\n"), Some("new\n")));
    scene
}

fn a(scene: &Scene) -> (Option<String>, Option<String>) {
    (scene.read("a.txt"), scene.read("new.txt"))
}

fn texts(one: Option<&str>, two: Option<&str>) -> (Option<String>, Option<String>) {
    (one.map(str::to_owned), two.map(str::to_owned))
}

fn goal(scene: &Scene) -> (String, u32) {
    let path = scene.state().path.clone();
    (path.goal.text, path.goal_version)
}

#[test]
fn a_file_that_would_be_restored_is_kept() {
    let scene = worked();
    let dry = scene.expect(0, &["rollback", "last", "--to", "1", "--keep", "a.txt", "--dry-run"]).out;
    assert!(dry.contains("kept: a.txt (you keep it)") && dry.contains("removed: new.txt"), "{dry}");
    scene.expect(0, &["rollback", "last", "--to", "1", "--keep", "a.txt"]);
    assert_eq!(a(&scene), texts(Some("two\n"), None));
    scene.expect(0, &["redo", "last"]);
    assert_eq!(a(&scene), texts(Some("two\n"), Some("new\n")));
    scene.expect(0, &["rollback", "last", "--to", "1", "--keep", "new.txt"]);
    assert_eq!(a(&scene), texts(Some("one\n"), Some("new\n")));
    // What was kept is still the run's, and is offered again.
    scene.expect(0, &["rollback", "last", "--to", "0"]);
    assert_eq!(a(&scene), texts(None, None));
    scene.is_whole();
}

#[test]
fn a_file_of_others_is_taken_and_redo_brings_back_what_they_made_of_it() {
    let scene = worked();
    scene.put("a.txt", "by a person\n");
    let args = ["rollback", "last", "--to", "1", "--take", "a.txt"];
    let dry = scene.expect(0, &[&args[..], &["--dry-run"]].concat()).out;
    assert!(dry.contains("restored: a.txt") && dry.contains("redo brings it back"), "{dry}");
    scene.expect(0, &args);
    assert_eq!(a(&scene), texts(Some("one\n"), None));
    scene.expect(0, &["redo", "last"]);
    assert_eq!(a(&scene), texts(Some("by a person\n"), Some("new\n")));
    // It is theirs still: without a choice it stays.
    scene.expect(0, &["rollback", "last", "--to", "1"]);
    assert_eq!(a(&scene), texts(Some("by a person\n"), None));
    scene.expect(0, &["redo", "last"]);
    assert_eq!(a(&scene), texts(Some("by a person\n"), Some("new\n")));
    // Taken again, and then all the way back: what they made is there at every point that had it.
    scene.expect(0, &["rollback", "last", "--to", "0", "--take", "a.txt"]);
    assert_eq!(a(&scene), texts(None, None));
    scene.expect(0, &["redo", "last"]);
    assert_eq!(a(&scene), texts(Some("by a person\n"), Some("new\n")));
    scene.is_whole();
}

#[test]
fn a_file_that_others_removed_is_brought_back_and_gone_again_after_the_redo() {
    let scene = worked();
    std::fs::remove_file(scene.ws("a.txt")).unwrap();
    scene.expect(0, &["rollback", "last", "--to", "1"]);
    assert_eq!(a(&scene), texts(None, None), "by itself it stays as others left it");
    scene.expect(0, &["redo", "last"]);
    scene.expect(0, &["rollback", "last", "--to", "1", "--take", "a.txt"]);
    assert_eq!(a(&scene), texts(Some("one\n"), None));
    scene.expect(0, &["redo", "last"]);
    assert_eq!(a(&scene), texts(None, Some("new\n")));
    scene.is_whole();
}

#[test]
fn what_cannot_be_taken_stops_all_of_it() {
    let scene = worked();
    std::fs::remove_file(scene.ws("a.txt")).unwrap();
    std::fs::create_dir(scene.ws("a.txt")).unwrap();
    let args = ["rollback", "last", "--to", "1", "--take", "a.txt"];
    let dry = scene.expect(0, &[&args[..], &["--dry-run"]].concat()).out;
    assert!(dry.contains("nothing would be done: a.txt cannot be taken"), "{dry}");
    let said = scene.expect(2, &args);
    assert!(said.err.contains("nothing was changed: a.txt cannot be taken"), "{said:?}");
    assert_eq!((scene.read("new.txt").as_deref(), scene.count("rollback_started")), (Some("new\n"), 0));
    for args in [
        ["rollback", "last", "--to", "1", "--keep", "b.txt"],
        ["rollback", "last", "--to", "1", "--take", "theirs/x"],
    ] {
        let said = scene.expect(2, &args);
        assert!(said.err.contains("nothing to do with") && said.err.contains("a.txt, new.txt"), "{said:?}");
    }
    let none = ["rollback", "last", "--to", "1", "--files", "no", "--keep", "a.txt"];
    assert!(scene.expect(2, &none).err.contains("--files no"));
    let both = ["rollback", "last", "--to", "1", "--take", "a.txt", "--keep", "a.txt"];
    assert!(scene.expect(2, &both).err.contains("one of the two"));
    assert_eq!(
        (scene.count("control_refused"), scene.state().head.timeline),
        (1, 1),
        "a slip is told at once"
    );
    scene.is_whole();
}

#[test]
fn a_file_that_stands_in_the_way_stands_in_nobodys_way_once_it_is_kept() {
    let scene = worked();
    std::fs::set_permissions(scene.ws("a.txt"), std::fs::Permissions::from_mode(0o444)).unwrap();
    scene.expect(2, &["rollback", "last", "--to", "1"]);
    assert_eq!(a(&scene), texts(Some("two\n"), Some("new\n")));
    let dry = scene.expect(0, &["rollback", "last", "--to", "1", "--keep", "a.txt", "--dry-run"]).out;
    assert!(!dry.contains("nothing would be done"), "{dry}");
    scene.expect(0, &["rollback", "last", "--to", "1", "--keep", "a.txt"]);
    assert_eq!(a(&scene), texts(Some("two\n"), None));
}

#[test]
fn the_goal_goes_back_as_a_new_version_and_redo_takes_that_back() {
    let scene = worked();
    scene.expect(0, &["goal", "last", "--set", "another goal"]);
    let dry = scene.expect(0, &["rollback", "last", "--to", "1", "--dry-run"]).out;
    assert!(dry.contains("goal: stays at version 2 (--goal: that of version 1 again)"), "{dry}");
    scene.expect(0, &["rollback", "last", "--to", "1"]);
    assert_eq!(goal(&scene), ("another goal".to_owned(), 2), "by itself it stays");
    scene.expect(0, &["redo", "last"]);
    let dry = scene.expect(0, &["rollback", "last", "--to", "1", "--goal", "--dry-run"]).out;
    assert!(dry.contains("goal: that of version 1 again, as version 3"), "{dry}");
    scene.expect(0, &["rollback", "last", "--to", "1", "--goal"]);
    assert_eq!((goal(&scene), a(&scene)), (("test".to_owned(), 3), texts(Some("one\n"), None)));
    let dry = scene.expect(0, &["redo", "last", "--dry-run"]).out;
    assert!(dry.contains("goal: that of version 2 again, as version 4"), "{dry}");
    scene.expect(0, &["redo", "last"]);
    assert_eq!(goal(&scene), ("another goal".to_owned(), 4));
    assert!(matches!(scene.status(), Status::Ended(_)), "the run is over as it was");
    // A goal that a person set since is not taken away by the redo.
    scene.expect(0, &["rollback", "last", "--to", "1", "--files", "no", "--goal"]);
    scene.expect(0, &["goal", "last", "--set", "the newest goal"]);
    scene.expect(0, &["redo", "last"]);
    assert_eq!(goal(&scene), ("the newest goal".to_owned(), 6));
    assert_eq!(a(&scene), texts(Some("two\n"), Some("new\n")));
    scene.is_whole();
}

#[test]
fn killed_anywhere_it_goes_forward_with_what_was_chosen() {
    let mut begun = 0;
    let points = ["rollback.staged", "rollback.renamed"].map(str::to_owned).into_iter();
    let store = (1..=5).flat_map(|n| [format!("store.before_commit:{n}"), format!("store.after_commit:{n}")]);
    for point in points.chain(store) {
        let steps = [write("a.txt", "one\n"), write("a.txt", "two\n"), write("new.txt", "new\n")];
        let scene = Scene::new(&steps.concat());
        scene.start(0, "auto");
        scene.expect(0, &["goal", "last", "--set", "another goal"]);
        scene.put("a.txt", "by a person\n");
        let args = ["rollback", "last", "--to", "1", "--take", "a.txt", "--keep", "new.txt", "--goal"];
        let killed = scene.command(&args).env("WAKEFUL_FAULT", &point).output().unwrap();
        let asked = scene.pending() > 0 || scene.count("rollback_started") > 0;
        let before = texts(Some("by a person\n"), Some("new\n"));
        let after = texts(Some("one\n"), Some("new\n"));
        let survived = killed.status.code() == Some(0);
        assert!(survived || a(&scene) == before || a(&scene) == after, "{point}: {:?}", a(&scene));
        // Whoever takes the run next goes through with it.
        scene.expect(0, &["mode", "last", "auto"]);
        let done = scene.state().head.timeline == 2;
        assert_eq!(done, asked || survived, "{point}");
        let goal_then = if done { ("test".to_owned(), 3) } else { ("another goal".to_owned(), 2) };
        assert_eq!(
            (a(&scene), goal(&scene)),
            (if done { after } else { before.clone() }, goal_then),
            "{point}"
        );
        if done {
            begun += usize::from(!survived);
            scene.expect(0, &["redo", "last"]);
            assert_eq!((a(&scene), goal(&scene).0), (before, "another goal".to_owned()), "{point}");
        }
        let left: Vec<_> =
            std::fs::read_dir(scene.ws("")).unwrap().flatten().map(|e| e.file_name()).collect();
        assert!(!left.iter().any(|n| n.to_string_lossy().starts_with(".wakeful-")), "{point}: {left:?}");
        scene.is_whole();
    }
    assert!(begun >= 6, "the points lie within the rollback: {begun}");
}

#[test]
fn a_file_that_changes_again_after_it_was_taken_is_left_alone() {
    let scene = worked();
    scene.put("a.txt", "by a person\n");
    let mut command = scene.command(&["rollback", "last", "--to", "1", "--take", "a.txt"]);
    command.env("WAKEFUL_FAULT", "rollback.staged").output().unwrap();
    assert_eq!(scene.count("rollback_started"), 1);
    scene.put("a.txt", "by a person, later\n");
    scene.expect(0, &["mode", "last", "auto"]);
    assert_eq!(a(&scene), texts(Some("by a person, later\n"), None));
    scene.expect(0, &["redo", "last"]);
    assert_eq!(a(&scene), texts(Some("by a person, later\n"), Some("new\n")));
    scene.is_whole();
}

#[test]
fn rows_and_events_of_before_there_were_choices_are_read() {
    let row = r#"{"rollback":{"to":{"timeline":null,"step":1},"files":true,"seen_seq":3}}"#;
    let Control::Rollback { choices, .. } = serde_json::from_str(row).unwrap() else { panic!() };
    assert!(choices.is_empty());
    let event = br#"{"rollback_started":{"to_seq":2,"to_step":0,"files":[],"redo":false}}"#;
    let wakeful::run::Decoded::Known(old) = decode("rollback_started", 1, event).unwrap() else { panic!() };
    assert_eq!(old.payload().unwrap(), event, "without choices it is written as before");
    let scene = Scene::new(&shell("true"));
    scene.start(0, "auto");
    scene.expect(0, &["goal", "last", "--set", "another goal"]);
    scene.expect(0, &["rollback", "last", "--to", "1", "--goal"]);
    let events = scene.events();
    let new = events.iter().find(|e| matches!(e, Event::RollbackStarted { .. })).unwrap();
    assert_eq!(new.version(), 2, "a program that does not know choices must not go through with it");
}
