//! `write_file` and `edit_file`: what is shown is what happens, and recovery can tell what did.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use proptest::prelude::*;
use serde_json::{Value, json};
use wakeful::tool::{Call, EditArgs, Prepared, Probe, ToolError, WriteArgs, exact_diff, probe};
use wakeful::workspace::images::{self, FileState};

use super::{Scene, read_call};

fn write(path: &str, content: &str) -> WriteArgs {
    WriteArgs { path: path.into(), content: content.into() }
}

fn edit(path: &str, old: &str, new: &str, all: bool) -> EditArgs {
    EditArgs { path: path.into(), old_string: old.into(), new_string: new.into(), replace_all: Some(all) }
}

/// As the model calls it: read, looked at, made.
fn run(scene: &Scene, name: &str, arguments: Value) -> Result<String, ToolError> {
    let prepared = match read_call(name, arguments)? {
        Call::WriteFile(args) => args.prepare(&scene.workspace)?,
        Call::EditFile(args) => args.prepare(&scene.workspace)?,
        other => panic!("{other:?} writes no file"),
    };
    prepared.perform(&scene.workspace).map(|output| output.text)
}

fn now(scene: &Scene, prepared: &Prepared) -> FileState {
    images::take(&scene.workspace, prepared.path()).unwrap().image.state
}

#[test]
fn looking_changes_nothing_and_shows_everything() {
    let scene = Scene::new(&[("f.txt", "one\ntwo\n")]);
    let prepared = write("f.txt", "one\nzwei\n").prepare(&scene.workspace).unwrap();
    assert_eq!(scene.get("f.txt"), "one\ntwo\n");
    assert_eq!(prepared.before.bytes.as_deref(), Some(b"one\ntwo\n".as_slice()));
    assert!(matches!(&prepared.after, FileState::File { hash, .. } if *hash == images::hash(b"one\nzwei\n")));
    assert_eq!(prepared.diff, "--- a/f.txt\n+++ b/f.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n");
    let output = prepared.perform(&scene.workspace).unwrap();
    assert_eq!(scene.get("f.txt"), "one\nzwei\n");
    assert!(output.text.starts_with("wrote f.txt (2 lines, 9 bytes)\n---"), "{}", output.text);
    assert_eq!(output.meta["diff"], json!(prepared.diff));
}

#[test]
fn new_files_and_folders_are_made() {
    let scene = Scene::new(&[]);
    let prepared = write("a/b/new.txt", "hi\n").prepare(&scene.workspace).unwrap();
    assert!(!scene.path("a").exists(), "looking makes no folders");
    assert!(prepared.diff.starts_with("--- /dev/null\n+++ b/a/b/new.txt\n"), "{}", prepared.diff);
    let output = prepared.perform(&scene.workspace).unwrap();
    assert_eq!((scene.get("a/b/new.txt").as_str(), &output.meta["created"]), ("hi\n", &json!(true)));
}

#[test]
fn a_file_changed_in_between_is_left_alone() {
    let scene = Scene::new(&[("f", "old")]);
    let prepared = write("f", "new").prepare(&scene.workspace).unwrap();
    scene.put("f", "theirs");
    assert_eq!(prepared.perform(&scene.workspace).unwrap_err().kind, "changed_since");
    assert_eq!(scene.get("f"), "theirs");
    let created = write("g", "new").prepare(&scene.workspace).unwrap();
    scene.put("g", "theirs");
    assert_eq!(created.perform(&scene.workspace).unwrap_err().kind, "changed_since");
}

#[test]
fn a_path_that_became_a_link_is_left_alone() {
    let scene = Scene::new(&[("dir/f", "old"), ("other/f", "old")]);
    let prepared = write("dir/f", "new").prepare(&scene.workspace).unwrap();
    std::fs::remove_dir_all(scene.path("dir")).unwrap();
    symlink("other", scene.path("dir")).unwrap();
    assert_eq!(prepared.perform(&scene.workspace).unwrap_err().kind, "changed_since");
    assert_eq!(scene.get("other/f"), "old");
}

#[test]
fn what_could_not_be_undone_or_written_is_refused_beforehand() {
    let scene = Scene::new(&[("dir/f", ""), ("locked", "keep")]);
    std::fs::File::create(scene.path("big")).unwrap().set_len(images::IMAGE_CAP + 1).unwrap();
    std::fs::set_permissions(scene.path("locked"), std::fs::Permissions::from_mode(0o444)).unwrap();
    for (path, kind) in [
        ("dir", "not_a_file"),
        (".", "not_a_file"),
        ("big", "too_big"),
        ("locked", "read_only"),
        ("../x", "outside_workspace"),
        (".git/hooks/x", "protected_path"),
        (".wakeful/config.toml", "protected_path"),
        ("dir/f/below", "io"),
    ] {
        let error = write(path, "x").prepare(&scene.workspace).unwrap_err();
        assert_eq!(error.kind, kind, "{path}: {error}");
    }
    let huge = "x".repeat(usize::try_from(images::IMAGE_CAP).unwrap() + 1);
    assert_eq!(write("huge", &huge).prepare(&scene.workspace).unwrap_err().kind, "too_big");
}

#[test]
fn a_read_only_folder_is_told_as_the_folder() {
    let scene = Scene::new(&[("dir/f", "old"), ("dir/sub/g", "")]);
    let bits =
        |mode| std::fs::set_permissions(scene.path("dir"), std::fs::Permissions::from_mode(mode)).unwrap();
    let earlier = write("dir/f", "new").prepare(&scene.workspace).unwrap();
    bits(0o555);
    let look = |path: &str| write(path, "new").prepare(&scene.workspace).unwrap_err();
    for error in
        [look("dir/f"), look("dir/new"), look("dir/no/such"), earlier.perform(&scene.workspace).unwrap_err()]
    {
        assert_eq!(error.kind, "read_only_folder", "{error}");
        assert!(error.message.contains("the folder \"dir\" is read-only"), "{error}");
    }
    let edited = edit("dir/f", "old", "new", false).prepare(&scene.workspace).unwrap_err();
    assert_eq!(edited.kind, "read_only_folder", "{edited}");
    assert!(write("dir/sub/g", "new").prepare(&scene.workspace).is_ok(), "a folder in it is another folder");
    assert!(write("dir/f", "old").prepare(&scene.workspace).is_ok(), "nothing would be written");
    assert_eq!(scene.get("dir/f"), "old");
    bits(0o755);
}

#[test]
fn a_lost_result_can_be_told() {
    let scene = Scene::new(&[("f", "before")]);
    let prepared = write("f", "after").prepare(&scene.workspace).unwrap();
    let before = prepared.before.image.state.clone();
    assert_eq!(probe(&before, &prepared.after, &now(&scene, &prepared)), Probe::NotRun);
    prepared.perform(&scene.workspace).unwrap();
    assert_eq!(probe(&before, &prepared.after, &now(&scene, &prepared)), Probe::Done);
    // Doing it again is the same as doing it once.
    let again = prepared.perform(&scene.workspace).unwrap();
    assert!(again.text.contains("already has this content"), "{}", again.text);
    scene.put("f", "else");
    assert_eq!(probe(&before, &prepared.after, &now(&scene, &prepared)), Probe::Unknown);
    std::fs::remove_file(scene.path("f")).unwrap();
    assert_eq!(probe(&before, &prepared.after, &now(&scene, &prepared)), Probe::Unknown);
    let created = write("new", "x").prepare(&scene.workspace).unwrap();
    let absent = created.before.image.state.clone();
    assert_eq!(probe(&absent, &created.after, &now(&scene, &created)), Probe::NotRun);
    let big = FileState::TooBig { len: 5 };
    assert_eq!(probe(&big, &created.after, &big), Probe::Unknown, "content that is not known proves nothing");
}

#[test]
fn an_edit_replaces_exactly() {
    let scene = Scene::new(&[("f", "let a = 1;\nlet b = 1;\n")]);
    let text =
        run(&scene, "edit_file", json!({"path": "f", "old_string": "a = 1", "new_string": "a = 2"})).unwrap();
    assert_eq!(scene.get("f"), "let a = 2;\nlet b = 1;\n");
    assert!(text.contains("-let a = 1;\n+let a = 2;\n"), "{text}");
    run(
        &scene,
        "edit_file",
        json!({"path": "f", "old_string": "let ", "new_string": "", "replace_all": true}),
    )
    .unwrap();
    assert_eq!(scene.get("f"), "a = 2;\nb = 1;\n");
}

#[test]
fn an_edit_that_fits_nowhere_shows_the_nearest_line() {
    let scene = Scene::new(&[("f", "fn main() {\n    println!(\"hello world\");\n}\n")]);
    let error = run(
        &scene,
        "edit_file",
        json!({"path": "f", "old_string": "print!(\"hello world\");", "new_string": "x"}),
    )
    .unwrap_err();
    assert_eq!(error.kind, "no_match");
    assert!(error.suggestion.starts_with("The nearest line is 2: "), "{error}");
    let blanks =
        run(&scene, "edit_file", json!({"path": "f", "old_string": "  fn main() {", "new_string": "x"}))
            .unwrap_err();
    assert!(blanks.message.contains("without the blanks"), "{blanks}");
    let far = run(&scene, "edit_file", json!({"path": "f", "old_string": "zzzzzzzz", "new_string": "x"}))
        .unwrap_err();
    assert!(!far.suggestion.contains("nearest"), "{far}");
}

#[test]
fn an_edit_that_fits_more_than_once_is_refused() {
    let scene = Scene::new(&[("f", "x\ny\nx\n"), ("o", "aaa")]);
    let error =
        run(&scene, "edit_file", json!({"path": "f", "old_string": "x", "new_string": "z"})).unwrap_err();
    assert_eq!(error.kind, "many_matches");
    assert!(error.message.contains("2 times") && error.message.contains("lines 1, 3"), "{error}");
    let overlap =
        run(&scene, "edit_file", json!({"path": "o", "old_string": "aa", "new_string": "b"})).unwrap_err();
    assert_eq!(overlap.kind, "many_matches", "overlapping places are two places");
    assert_eq!(scene.get("f"), "x\ny\nx\n");
}

#[test]
fn edits_that_make_no_sense_are_refused() {
    let scene = Scene::new(&[("f", "a\n")]);
    scene.put("latin1", b"caf\xe9");
    for (path, old, new, kind) in [
        ("f", "", "x", "invalid_arguments"),
        ("f", "a", "a", "no_change"),
        ("none", "a", "b", "not_found"),
        ("latin1", "caf", "x", "not_text"),
    ] {
        let error = run(&scene, "edit_file", json!({"path": path, "old_string": old, "new_string": new}))
            .unwrap_err();
        assert_eq!(error.kind, kind, "{path}");
    }
}

#[test]
fn line_ends_stay_as_they_are() {
    let scene = Scene::new(&[("dos", "a\r\nb\r\nc\r\n"), ("mixed", "a\r\nb\nc\n")]);
    run(&scene, "edit_file", json!({"path": "dos", "old_string": "a\nb", "new_string": "x\ny\nz"})).unwrap();
    assert_eq!(scene.get("dos"), "x\r\ny\r\nz\r\nc\r\n");
    run(&scene, "edit_file", json!({"path": "mixed", "old_string": "b\nc", "new_string": "d"})).unwrap();
    assert_eq!(scene.get("mixed"), "a\r\nd\n", "a file of both kinds is taken as it stands");
    let ends = run(&scene, "edit_file", json!({"path": "dos", "old_string": "x\r\n", "new_string": "x\n"}))
        .unwrap_err();
    assert_eq!(ends.kind, "no_change");
}

#[test]
fn a_diff_is_neutral_and_bounded() {
    let scene = Scene::new(&[("f", "a\n")]);
    let hostile = write("f", "\u{1b}]52;c;x\u{7}\u{202e}\n").prepare(&scene.workspace).unwrap();
    assert!(hostile.diff.contains("+\\u{1b}]52;c;x\\u{7}\\u{202e}\n"), "{}", hostile.diff);
    let long = write("f", &"展\n".repeat(100_000)).prepare(&scene.workspace).unwrap();
    assert!(long.diff.len() < 66 * 1024 && long.diff.contains("[diff cut: "));
    let name = write("a\n+evil", "x\n").prepare(&scene.workspace).unwrap();
    assert!(name.diff.contains("+++ b/a\\n+evil\n"), "{}", name.diff);
    scene.put("bin", b"\xff\0");
    let binary = write("bin", "text").prepare(&scene.workspace).unwrap();
    assert!(binary.diff.contains("2 bytes become 4 bytes"), "{}", binary.diff);
}

#[test]
fn the_diff_for_a_person_leaves_nothing_out() {
    let old = "a\u{1b}[1mold\r\nlone\rkept\n";
    let new = "a\u{1b}[31mhidden\u{1b}[0m\u{1b}[2K\u{8}\u{8}\r\nlone\rcame\n\u{9b}31m";
    let exact = exact_diff("f", Some(old.as_bytes()), new.as_bytes());
    let wanted = "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n-a\u{1b}[1mold\r\n-lone\rkept\n\
        +a\u{1b}[31mhidden\u{1b}[0m\u{1b}[2K\u{8}\u{8}\r\n+lone\rcame\n\
        +\u{9b}31m\n\\ No newline at end of file\n";
    assert_eq!(exact, wanted);
    let same_but_the_end = exact_diff("f", Some(b"a"), b"a\n");
    assert!(same_but_the_end.contains("-a\n\\ No newline at end of file\n+a\n"), "{same_but_the_end}");
    assert!(exact_diff("f", Some(b""), "x\n".repeat(100_000).as_bytes()).contains("[diff cut: "));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// An edit does what replacing one occurrence in the text would do, or leaves the file alone; and it can be undone
    /// from the image.
    #[test]
    fn an_edit_is_a_replacement_or_nothing(text in "[ab\n\r]{0,24}", old in "[ab\n]{1,3}", new in "[abc\n]{0,3}", all: bool) {
        let scene = Scene::new(&[("f", &text)]);
        match edit("f", &old, &new, all).prepare(&scene.workspace) {
            Ok(prepared) => {
                prop_assert_eq!(scene.get("f"), text.clone(), "looking changes nothing");
                prepared.perform(&scene.workspace).unwrap();
                let after = scene.get("f");
                let crlf = text.contains('\n') && text.matches('\n').count() == text.matches("\r\n").count();
                let fit = |given: &str| if crlf { given.replace('\n', "\r\n") } else { given.to_owned() };
                let expected = text.replacen(&fit(&old), &fit(&new), if all { usize::MAX } else { 1 });
                prop_assert_eq!(after, expected);
                prop_assert_eq!(prepared.before.bytes.unwrap(), text.into_bytes());
            }
            Err(error) => {
                prop_assert!(["no_match", "many_matches", "no_change"].contains(&error.kind.as_str()), "{}", error);
                prop_assert_eq!(scene.get("f"), text);
            }
        }
    }
}
