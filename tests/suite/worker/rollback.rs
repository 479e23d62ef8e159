//! Rolling back and redoing by the real binary: files and conversation together or neither, after any kill (cases B01,
//! B03, B08, B11).

use super::scene::{Scene, processes, shell, write};
use std::os::unix::fs::PermissionsExt;
use wakeful::run::{CallStatus, Event, Outcome, Status};

/// Writes `a.txt` twice and `new.txt` once, runs a command, and is done.
fn worked() -> Scene {
    let steps = [
        write("a.txt", "one\n"),
        format!(
            "[[steps]]\ncalls = [{}, {}]\n",
            "{ name = \"write_file\", args = { path = \"a.txt\", content = \"two\\n\" } }",
            "{ name = \"write_file\", args = { path = \"new.txt\", content = \"new\\n\" } }"
        ),
        shell("echo x >> effects"),
    ];
    let scene = Scene::new(&steps.concat());
    scene.put("theirs.txt", "untouched");
    scene.start(0, "auto");
    assert_eq!(scene.read("a.txt").as_deref(), Some("two\n"));
    scene
}

fn a(scene: &Scene) -> (Option<String>, Option<String>) {
    (scene.read("a.txt"), scene.read("new.txt"))
}

fn texts(one: &str, two: Option<&str>) -> (Option<String>, Option<String>) {
    (Some(one.to_owned()), two.map(str::to_owned))
}

#[test]
fn a_dry_run_tells_everything_and_changes_nothing() {
    let scene = worked();
    let head = scene.state().head.clone();
    let said = scene.expect(0, &["rollback", "last", "--to", "1", "--dry-run"]).out;
    for words in [
        "goes back to step 1@1",
        "restored: a.txt",
        "removed: new.txt",
        "cannot be undone: 3.1 shell done",
        "echo x >> effects",
        "are not recorded yet",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let json = scene.expect(0, &["rollback", "last", "--to", "1", "--dry-run", "--json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["undone"], serde_json::json!(["2@1", "3@1", "4@1"]));
    assert_eq!(json["files"][1], serde_json::json!({"path": "new.txt", "action": "removed", "why": null}));
    assert_eq!(json["cannot_be_undone"][0]["args"]["command"], "echo x >> effects");
    assert_eq!((a(&scene), scene.state().head.clone()), (texts("two\n", Some("new\n")), head));
    assert!(scene.expect(2, &["rollback", "last", "--to", "9"]).err.contains("no checkpoint 9"));
    assert!(scene.expect(2, &["redo", "last"]).err.contains("no rollback"));
}

#[test]
fn there_and_back_and_there_again() {
    let scene = worked();
    let said = scene.expect(0, &["rollback", "last", "--to", "1"]);
    assert!(said.err.contains("wakeful redo") && said.err.contains("timeline 2"), "{said:?}");
    assert_eq!(a(&scene), texts("one\n", None), "a file that the run made is removed (B03)");
    assert_eq!(scene.read("theirs.txt").as_deref(), Some("untouched"), "only what the run changed (B01)");
    assert_eq!((scene.status(), scene.state().path.step), (Status::Running, 1), "an ended run is open again");
    scene.expect(0, &["redo", "last"]);
    assert_eq!((a(&scene), scene.state().path.step), (texts("two\n", Some("new\n")), 4));
    assert_eq!(scene.status(), Status::Ended(Outcome::Completed), "it is over again");
    let asked = scene.count("model_called");
    let said = scene.expect(0, &["resume", "last", "--headless"]);
    assert!(said.err.contains("completed"), "{said:?}");
    assert_eq!(scene.count("model_called"), asked, "no model is asked for a run that is over");
    assert!(scene.expect(2, &["redo", "last"]).err.contains("no rollback"), "a redo is no rollback");
    scene.expect(0, &["rollback", "last", "--to", "1"]);
    assert_eq!((a(&scene), scene.state().path.step), (texts("one\n", None), 1));
    // A step of a timeline that was left.
    scene.expect(0, &["rollback", "last", "--to", "2@1"]);
    assert_eq!((a(&scene), scene.state().path.step), (texts("two\n", Some("new\n")), 2));
    scene.expect(0, &["rollback", "last", "--to", "0"]);
    assert_eq!(a(&scene), (None, None));
    assert_eq!(scene.state().ledger.timelines.len(), 6);
    scene.is_whole();
}

#[test]
fn redo_walks_back_every_rollback_until_a_new_step() {
    let scene = worked();
    scene.expect(0, &["rollback", "last", "--to", "2"]);
    scene.expect(0, &["rollback", "last", "--to", "1"]);
    scene.expect(0, &["rollback", "last", "--to", "0"]);
    assert_eq!(a(&scene), (None, None));
    for (step, files) in [(1, texts("one\n", None)), (2, texts("two\n", Some("new\n")))] {
        scene.expect(0, &["redo", "last"]);
        assert_eq!((scene.state().path.step, a(&scene)), (step, files));
    }
    // Another one on the way is on top of those that are left.
    scene.expect(0, &["rollback", "last", "--to", "0"]);
    for (step, over) in [(2, false), (4, true)] {
        let said = scene.expect(0, &["redo", "last"]);
        assert_eq!(said.err.contains("undoes the rollback before it too"), !over, "{said:?}");
        assert_eq!((scene.state().path.step, a(&scene)), (step, texts("two\n", Some("new\n"))));
        assert_eq!(scene.state().ledger.ended.is_some(), over);
    }
    assert!(scene.expect(2, &["redo", "last"]).err.contains("no rollback"));
    scene.expect(0, &["rollback", "last", "--to", "3"]);
    scene.expect(0, &["resume", "last", "--headless"]);
    let said = scene.expect(2, &["redo", "last"]);
    assert!(said.err.contains("since its last step") && said.err.contains("--to STEP@TIMELINE"), "{said:?}");
    scene.is_whole();
}

#[test]
fn what_others_changed_is_kept_and_told() {
    let scene = worked();
    scene.put("a.txt", "by a person\n");
    let said = scene.expect(0, &["rollback", "last", "--to", "1", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&json["outcome"], &json["kept"]), (&"done".into(), &serde_json::json!(["a.txt"])));
    assert_eq!(json["preview"]["files"][0]["action"], "kept");
    assert_eq!(a(&scene), texts("by a person\n", None));
    scene.expect(0, &["redo", "last"]);
    assert_eq!(a(&scene), texts("by a person\n", Some("new\n")));
}

#[test]
fn the_conversation_alone_and_then_the_files() {
    let scene = worked();
    scene.expect(0, &["rollback", "last", "--to", "1", "--files", "no"]);
    assert_eq!((a(&scene), scene.state().path.step), (texts("two\n", Some("new\n")), 1));
    // What the run itself left there is nobody else's change.
    scene.expect(0, &["rollback", "last", "--to", "1"]);
    assert_eq!(a(&scene), texts("one\n", None));
}

#[test]
fn mode_bits_are_no_reason_to_keep_a_file() {
    let scene = worked();
    for (path, mode) in [("a.txt", 0o600), ("new.txt", 0o755)] {
        std::fs::set_permissions(scene.ws(path), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    scene.expect(0, &["rollback", "last", "--to", "1"]);
    assert_eq!(a(&scene), texts("one\n", None));
    scene.expect(0, &["redo", "last"]);
    assert_eq!(a(&scene), texts("two\n", Some("new\n")));
    let mode = std::fs::metadata(scene.ws("new.txt")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o755, "it comes back with the bits that it had");
}

#[test]
fn a_read_only_file_stops_all_of_it_before_anything_is_given_up() {
    let steps = [write("a.txt", "one\n"), write("b.txt", "two\n"), shell("rm -r everything")];
    let scene = Scene::new(&steps.concat());
    scene.start(4, "auto");
    std::fs::set_permissions(scene.ws("b.txt"), std::fs::Permissions::from_mode(0o444)).unwrap();
    let dry = scene.expect(0, &["rollback", "last", "--to", "0", "--dry-run"]);
    assert!(dry.out.contains("nothing would be done") && dry.out.contains("b.txt"), "{dry:?}");
    let said = scene.expect(2, &["rollback", "last", "--to", "0"]);
    assert!(said.err.contains("nothing was changed") && said.err.contains("read-only"), "{said:?}");
    assert_eq!(
        (scene.read("a.txt").as_deref(), scene.read("b.txt").as_deref()),
        (Some("one\n"), Some("two\n"))
    );
    assert_eq!((scene.state().path.step, scene.state().head.timeline), (2, 1), "neither (B05)");
    assert_eq!(scene.calls()[2].status, CallStatus::Waiting, "the question stands");
    std::fs::set_permissions(scene.ws("b.txt"), std::fs::Permissions::from_mode(0o644)).unwrap();
    scene.expect(0, &["rollback", "last", "--to", "0"]);
    assert_eq!((scene.read("a.txt"), scene.read("b.txt")), (None, None));
    assert_eq!(scene.calls()[2].status, CallStatus::Cancelled);
    scene.is_whole();
}

#[test]
fn a_living_owner_stops_its_command_and_rolls_back() {
    let scene = Scene::new(&[write("a.txt", "one\n"), shell("sleep 102.125")].concat());
    let mut owner = scene.start_living("auto");
    scene.until("the command", || !processes("sleep 102.125").is_empty());
    // One that is refused stops nothing.
    std::fs::set_permissions(scene.ws("a.txt"), std::fs::Permissions::from_mode(0o444)).unwrap();
    scene.expect(2, &["rollback", "last", "--to", "0"]);
    assert!(!processes("sleep 102.125").is_empty());
    std::fs::set_permissions(scene.ws("a.txt"), std::fs::Permissions::from_mode(0o644)).unwrap();
    scene.script("[[steps]]\ncalls = [{ name = \"ask_person\", args = { question = \"And now?\" } }]\n");
    scene.expect(0, &["rollback", "last", "--to", "0"]);
    assert!(processes("sleep 102.125").is_empty());
    assert_eq!(scene.calls()[1].status, CallStatus::Failed);
    assert_eq!(scene.state().head.timeline, 2);
    owner.kill();
    scene.is_whole();
}

#[test]
fn the_same_effect_is_asked_about_again_on_the_new_timeline() {
    let scene = worked();
    scene.expect(0, &["rollback", "last", "--to", "2"]);
    scene.expect(4, &["resume", "last", "--headless"]);
    let call = scene.calls().into_iter().find(|c| c.status == CallStatus::Waiting).unwrap();
    let why = call.why.unwrap();
    assert!(call.tool == "shell" && why.contains("ran at step 3 of abandoned timeline 1"), "{why}");
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"), "mode auto does not run it again by itself");
    scene.expect(0, &["deny", call.call_id.as_str(), "--reason", "it is done"]);
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("effects").as_deref(), Some("x\n"));
    scene.is_whole();
}

#[test]
fn killed_anywhere_it_goes_forward() {
    let mut begun = 0;
    let points = ["rollback.staged", "rollback.renamed"].map(str::to_owned).into_iter();
    let store = (1..=5).flat_map(|n| [format!("store.before_commit:{n}"), format!("store.after_commit:{n}")]);
    for point in points.chain(store) {
        let scene = worked();
        let mut command = scene.command(&["rollback", "last", "--to", "1"]);
        let killed = command.env("WAKEFUL_FAULT", &point).output().unwrap();
        let survived = killed.status.code() == Some(0);
        let files = a(&scene);
        let two = texts("two\n", Some("new\n"));
        let one = texts("one\n", None);
        assert!(survived || files == two || files == one, "{point}: {files:?}");
        let asked = scene.pending() > 0 || scene.count("rollback_started") > 0;
        if survived {
            assert_eq!(files, one);
            continue;
        }
        // Whoever takes the run next goes through with it; a control that was not stored was never asked for.
        scene.expect(0, &["mode", "last", "auto"]);
        let stored = scene.state().head.timeline == 2;
        assert_eq!(stored, asked, "{point}");
        assert_eq!(a(&scene), if stored { one } else { two }, "{point}");
        begun += usize::from(stored);
        let left: Vec<_> =
            std::fs::read_dir(scene.ws("")).unwrap().flatten().map(|e| e.file_name()).collect();
        assert!(!left.iter().any(|n| n.to_string_lossy().starts_with(".wakeful-")), "{point}: {left:?}");
        scene.is_whole();
    }
    assert!(begun >= 6, "the points lie within the rollback: {begun}");
}

#[test]
fn a_half_done_rollback_goes_on_once_its_obstacle_is_gone() {
    let scene = worked();
    // Killed after the first of two files, as far as the files tell.
    let mut command = scene.command(&["rollback", "last", "--to", "1"]);
    command.env("WAKEFUL_FAULT", "rollback.staged").output().unwrap();
    assert_eq!((scene.count("rollback_started"), scene.status()), (1, Status::Running));
    scene.put("a.txt", "one\n");
    let page = scene.expect(0, &["show", "last"]).out;
    assert!(page.contains("a rollback to step 1 is half done (1 of 2 files)"), "{page}");
    assert!(!page.contains("completed:"), "the report of the end that is being left is not shown: {page}");
    let json =
        |args: &[&str]| -> serde_json::Value { serde_json::from_str(&scene.expect(0, args).out).unwrap() };
    let show = json(&["show", "last", "--json"]);
    assert_eq!((&show["rollback"]["done"], &show["report"]), (&1.into(), &serde_json::Value::Null));
    assert!(json(&["runs", "--json"])[0]["rollback"].as_str().unwrap().contains("1 of 2 files"));
    assert!(scene.expect(0, &["runs"]).out.contains("half rolled back"));
    std::fs::set_permissions(scene.ws("new.txt"), std::fs::Permissions::from_mode(0o444)).unwrap();
    let said = scene.expect(6, &["resume", "last", "--headless"]);
    assert!(said.err.contains("half done") && said.err.contains("new.txt"), "{said:?}");
    assert!(!scene.events().iter().any(|e| matches!(e, Event::RollbackFailed { .. })));
    std::fs::set_permissions(scene.ws("new.txt"), std::fs::Permissions::from_mode(0o644)).unwrap();
    scene.expect(0, &["mode", "last", "auto"]);
    assert_eq!(a(&scene), texts("one\n", None));
    scene.is_whole();
}

#[test]
fn what_is_asked_of_a_half_done_rollback_comes_after_it_and_is_told() {
    let half = || {
        let scene = worked();
        let mut command = scene.command(&["rollback", "last", "--to", "1"]);
        command.env("WAKEFUL_FAULT", "rollback.staged").output().unwrap();
        assert_eq!(scene.count("rollback_started"), 1);
        scene
    };
    let first = "the rollback to step 1 that was half done is finished first";

    let scene = half();
    let said = scene.expect(2, &["redo", "last", "--dry-run"]);
    assert!(said.err.contains("is half done"), "{said:?}");
    let said = scene.expect(0, &["redo", "last"]);
    assert!(said.err.contains(first), "{said:?}");
    assert_eq!(a(&scene), texts("two\n", Some("new\n")), "what was begun is undone");

    let scene = half();
    let said = scene.expect(0, &["rollback", "last", "--to", "1"]);
    assert!(said.err.contains(first) && said.err.contains("is back at step 1"), "{said:?}");
    assert_eq!(a(&scene), texts("one\n", None));

    let scene = half();
    scene.put("new.txt", "a person's\n");
    let said = scene.expect(0, &["pause", "last"]);
    assert!(said.err.contains(first) && said.err.contains("new.txt"), "what is kept is told: {said:?}");
    scene.is_whole();
}

#[test]
fn folders_that_the_run_made_go_with_their_files() {
    let steps = [write("theirs/own/a.txt", "a\n"), write("new/sub/b.txt", "b\n"), write("new/c.txt", "c\n")];
    let scene = Scene::new(&steps.concat());
    std::fs::create_dir(scene.ws("theirs")).unwrap();
    scene.start(0, "auto");
    scene.expect(0, &["rollback", "last", "--to", "2"]);
    assert!(scene.ws("new/sub/b.txt").exists() && !scene.ws("new/c.txt").exists());
    scene.put("new/sub/mine.txt", "a person's");
    scene.expect(0, &["rollback", "last", "--to", "0"]);
    assert!(!scene.ws("theirs/own").exists() && scene.ws("theirs").exists(), "only what the run made");
    assert_eq!(scene.read("new/sub/mine.txt").as_deref(), Some("a person's"), "only what is empty");
    std::fs::remove_file(scene.ws("new/sub/mine.txt")).unwrap();
    scene.expect(0, &["redo", "last"]);
    scene.expect(0, &["rollback", "last", "--to", "0"]);
    assert!(!scene.ws("new").exists());
    scene.expect(0, &["redo", "last"]);
    assert_eq!(scene.read("new/sub/b.txt").as_deref(), Some("b\n"));
    scene.is_whole();
}

/// A run whose `rollback --to 1` was killed right after it was asked for.
fn queued() -> Scene {
    let scene = worked();
    let mut command = scene.command(&["rollback", "last", "--to", "1"]);
    let killed = command.env("WAKEFUL_FAULT", "store.after_commit:1").output().unwrap();
    assert!(killed.status.code() != Some(0) && scene.pending() == 1, "{killed:?}");
    scene
}

#[test]
fn a_rollback_whose_command_was_killed_is_shown_and_withdrawn_by_a_later_one() {
    let scene = queued();
    let page = scene.expect(0, &["show", "last"]).out;
    assert!(page.contains("asked      roll back to step 1@1 with the files (asked 20"), "{page}");
    let show: serde_json::Value =
        serde_json::from_str(&scene.expect(0, &["show", "last", "--json"]).out).unwrap();
    assert_eq!((show["pending"].as_u64(), &show["asked"][0]["control"]), (Some(1), &"roll back".into()));
    let dry = scene.expect(0, &["rollback", "last", "--to", "2", "--dry-run"]).out;
    assert!(dry.contains("withdraws what was asked earlier") && dry.contains("step 1@1"), "{dry}");
    let said = scene.expect(0, &["rollback", "last", "--to", "2", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&json["outcome"], &json["also"][0]["outcome"]), (&"done".into(), &"withdrawn".into()));
    assert_eq!(json["preview"]["withdraws"][0]["control"], "roll back");
    assert_eq!((a(&scene), scene.state().path.step), (texts("two\n", Some("new\n")), 2));
    assert_eq!((scene.state().head.timeline, scene.count("control_refused"), scene.pending()), (2, 1, 0));
    scene.is_whole();
}

#[test]
fn a_redo_of_a_rollback_that_was_not_done_withdraws_it() {
    let scene = queued();
    let said = scene.expect(0, &["redo", "last"]);
    assert!(said.err.contains("withdrawn"), "{said:?}");
    assert_eq!((a(&scene), scene.state().head.timeline), (texts("two\n", Some("new\n")), 1));
    assert_eq!((scene.pending(), scene.status()), (0, Status::Ended(Outcome::Completed)));
}

#[test]
fn whoever_carries_out_what_was_asked_earlier_says_so_with_the_files() {
    let scene = queued();
    let said = scene.expect(0, &["message", "last", "go on"]);
    for words in [
        "comes first, since it was asked earlier: roll back to step 1@1",
        "also done: roll back",
        "a.txt, new.txt",
    ] {
        assert!(said.err.contains(words), "{words}: {said:?}");
    }
    assert_eq!(a(&scene), texts("one\n", None));
    let scene = queued();
    let said = scene.expect(0, &["mode", "last", "safe", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(json["also"][0]["files"], serde_json::json!(["a.txt", "new.txt"]));
}
