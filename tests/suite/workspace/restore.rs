//! Rolling files back: preview, conflicts, failures, and going on after a kill (cases B01, B03, B08).

use std::collections::HashMap;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use proptest::prelude::*;
use wakeful::workspace::images::{self, FileState};
use wakeful::workspace::restore::{Action, RestoreError, Wanted, plan, stage};

use super::{Scene, names};

/// Remembers contents by hash, as the blob store does.
#[derive(Default)]
struct Blobs(HashMap<wakeful::run::Hash, Vec<u8>>);

impl Blobs {
    fn image(&mut self, scene: &Scene, path: &str) -> FileState {
        let taken = images::take(&scene.workspace, path).unwrap();
        if let (FileState::File { hash, .. }, Some(bytes)) = (&taken.image.state, taken.bytes) {
            self.0.insert(hash.clone(), bytes);
        }
        taken.image.state
    }

    fn get(&self, hash: &wakeful::run::Hash) -> Result<Vec<u8>, String> {
        self.0.get(hash).cloned().ok_or_else(|| "no such blob".to_owned())
    }
}

/// `changed` existed and was changed, `made` was made, `gone` was removed, all by the run.
fn changed_scene() -> (Scene, Blobs, Vec<Wanted>) {
    let scene = Scene::new();
    let mut blobs = Blobs::default();
    scene.put("changed", "old");
    std::fs::set_permissions(scene.path("changed"), std::fs::Permissions::from_mode(0o755)).unwrap();
    scene.put("dir/gone", "was here");
    scene.put("untouched.bin", "theirs");
    let paths = ["changed", "made", "dir/gone"];
    let before: Vec<FileState> = paths.iter().map(|path| blobs.image(&scene, path)).collect();
    scene.put("changed", "new");
    scene.put("made", "made");
    std::fs::remove_dir_all(scene.path("dir")).unwrap();
    let wanted = paths
        .iter()
        .zip(before)
        .map(|(path, wanted)| Wanted { path: (*path).to_owned(), seen: blobs.image(&scene, path), wanted })
        .collect();
    (scene, blobs, wanted)
}

fn actions(scene: &Scene, wanted: &[Wanted]) -> Vec<Action> {
    plan(&scene.workspace, wanted).unwrap().into_iter().map(|item| item.action).collect()
}

#[test]
fn files_come_back_and_made_ones_go() {
    let (scene, blobs, wanted) = changed_scene();
    assert_eq!(actions(&scene, &wanted), [Action::Restore, Action::Remove, Action::Restore]);
    let staged = stage(&scene.workspace, wanted.clone(), |hash| blobs.get(hash)).unwrap();
    assert_eq!(scene.get("changed").unwrap(), b"new", "staging changes no target");
    assert_eq!(scene.get("made").unwrap(), b"made");
    staged.commit().unwrap();
    assert_eq!(scene.get("changed").unwrap(), b"old");
    assert_eq!(scene.get("dir/gone").unwrap(), b"was here");
    assert_eq!(names(&scene.path("")), ["changed", "dir/gone", "untouched.bin"]);
    let mode = std::fs::metadata(scene.path("changed")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    assert_eq!(actions(&scene, &wanted), [const { Action::Unchanged }; 3]);
}

#[test]
fn staging_that_is_given_up_leaves_nothing() {
    let (scene, blobs, wanted) = changed_scene();
    let before = names(&scene.path(""));
    drop(stage(&scene.workspace, wanted, |hash| blobs.get(hash)).unwrap());
    assert_eq!(names(&scene.path("")), before);
    assert!(!scene.path("dir").exists());
}

#[test]
fn a_file_changed_by_somebody_else_stops_everything() {
    let (scene, blobs, wanted) = changed_scene();
    scene.put("made", "edited by a person");
    let found = images::take(&scene.workspace, "made").unwrap().image.state;
    assert!(matches!(&actions(&scene, &wanted)[1], Action::Conflict { found: f, .. } if *f == found));
    let error = stage(&scene.workspace, wanted.clone(), |hash| blobs.get(hash)).unwrap_err();
    assert!(error.to_string().contains("made (changed since"), "{error}");
    assert_eq!(scene.get("changed").unwrap(), b"new");
    // A change between staging and the first rename is noticed too.
    scene.put("made", "made");
    let staged = stage(&scene.workspace, wanted, |hash| blobs.get(hash)).unwrap();
    scene.put("dir/gone", "somebody's");
    assert!(matches!(staged.commit(), Err(RestoreError::Conflicts(_))));
    assert_eq!(names(&scene.path("")), ["changed", "dir/gone", "made", "untouched.bin"]);
    assert_eq!(scene.get("changed").unwrap(), b"new");
}

#[test]
fn a_read_only_file_or_folder_stops_everything() {
    for locked in ["changed", "made"] {
        let (scene, mut blobs, mut wanted) = changed_scene();
        std::fs::set_permissions(scene.path(locked), std::fs::Permissions::from_mode(0o444)).unwrap();
        for file in &mut wanted {
            file.seen = blobs.image(&scene, &file.path);
        }
        let before = names(&scene.path(""));
        let error = stage(&scene.workspace, wanted, |hash| blobs.get(hash)).unwrap_err();
        assert!(error.to_string().contains("read-only") && error.to_string().contains(locked), "{error}");
        assert_eq!(names(&scene.path("")), before);
        assert_eq!(scene.get("changed").unwrap(), b"new");
    }
    let (scene, blobs, mut wanted) = changed_scene();
    scene.put("ro/f", "x");
    let seen = images::take(&scene.workspace, "ro/f").unwrap().image.state;
    wanted.push(Wanted { path: "ro/f".into(), seen, wanted: FileState::Absent });
    std::fs::set_permissions(scene.path("ro"), std::fs::Permissions::from_mode(0o555)).unwrap();
    assert!(matches!(stage(&scene.workspace, wanted, |hash| blobs.get(hash)), Err(RestoreError::Refused(_))));
    assert_eq!(scene.get("changed").unwrap(), b"new");
    std::fs::set_permissions(scene.path("ro"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn missing_or_damaged_contents_stop_everything() {
    let (scene, mut blobs, wanted) = changed_scene();
    let before = names(&scene.path(""));
    let hash = images::hash(b"was here");
    blobs.0.insert(hash.clone(), b"damaged".to_vec());
    let error = stage(&scene.workspace, wanted.clone(), |hash| blobs.get(hash)).unwrap_err();
    assert!(error.to_string().contains("checksum"), "{error}");
    blobs.0.remove(&hash);
    let error = stage(&scene.workspace, wanted.clone(), |hash| blobs.get(hash)).unwrap_err();
    assert!(error.to_string().contains("no such blob"), "{error}");
    let twice = vec![wanted[0].clone(), wanted[0].clone()];
    assert!(matches!(stage(&scene.workspace, twice, |hash| blobs.get(hash)), Err(RestoreError::Twice(_))));
    assert_eq!(names(&scene.path("")), before);
    assert_eq!(scene.get("changed").unwrap(), b"new");
}

#[test]
fn a_folder_exchanged_for_a_link_is_a_conflict() {
    let (scene, blobs, wanted) = changed_scene();
    symlink(scene.outside(), scene.path("dir")).unwrap();
    assert!(matches!(actions(&scene, &wanted)[2], Action::Conflict { .. }));
    assert!(stage(&scene.workspace, wanted.clone(), |hash| blobs.get(hash)).is_err());
    std::fs::remove_file(scene.path("dir")).unwrap();
    scene.put("other/x", "");
    symlink("other", scene.path("dir")).unwrap();
    assert!(matches!(actions(&scene, &wanted)[2], Action::Conflict { .. }), "also when it stays inside");
    assert!(names(&scene.outside()).is_empty());
}

#[test]
fn what_cannot_be_known_is_a_conflict() {
    let scene = Scene::new();
    scene.put("f", "x");
    let seen = images::take(&scene.workspace, "f").unwrap().image.state;
    let file =
        |path: &str, seen: &FileState, wanted| Wanted { path: path.into(), seen: seen.clone(), wanted };
    let big = FileState::TooBig { len: 1 };
    std::fs::File::create(scene.path("big")).unwrap().set_len(images::IMAGE_CAP + 1).unwrap();
    let seen_big = images::take(&scene.workspace, "big").unwrap().image.state;
    for wanted in [
        file("f", &seen, big),
        file("f", &seen, FileState::NotAFile),
        file("big", &seen_big, FileState::Absent),
        file(".git/hooks/x", &FileState::Absent, seen.clone()),
        file("../out/x", &FileState::Absent, seen.clone()),
    ] {
        assert!(
            matches!(actions(&scene, std::slice::from_ref(&wanted))[0], Action::Conflict { .. }),
            "{wanted:?}"
        );
        assert!(stage(&scene.workspace, vec![wanted], |_| Ok::<_, String>(b"x".to_vec())).is_err());
    }
    assert_eq!(names(&scene.path("")), ["big", "f"]);
}

/// What a file held: nothing, or one of a few contents.
fn content() -> impl Strategy<Value = Option<u8>> {
    proptest::option::of(0_u8..3)
}

fn set(scene: &Scene, path: &str, content: Option<u8>) {
    match content {
        Some(byte) => scene.put(path, vec![byte; usize::from(byte) * 10]),
        None => drop(std::fs::remove_file(scene.path(path))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Killed after any number of moves, and after staging: the same list goes forward to what was wanted.
    #[test]
    fn a_restore_goes_forward_after_any_kill(files in proptest::collection::vec((content(), content()), 1..6), moves in 0_usize..6) {
        let scene = Scene::new();
        let mut blobs = Blobs::default();
        let path = |i: usize| format!("d{}/f{i}", i % 2);
        let mut wanted = Vec::new();
        for (i, (old, new)) in files.iter().enumerate() {
            set(&scene, &path(i), *old);
            let before = blobs.image(&scene, &path(i));
            set(&scene, &path(i), *new);
            wanted.push(Wanted { path: path(i), seen: blobs.image(&scene, &path(i)), wanted: before });
        }
        for (i, (old, _)) in files.iter().enumerate().take(moves) {
            set(&scene, &path(i), *old);
        }
        std::mem::forget(stage(&scene.workspace, wanted.clone(), |hash| blobs.get(hash)).unwrap());
        stage(&scene.workspace, wanted.clone(), |hash| blobs.get(hash)).unwrap().commit().unwrap();
        let mut left = Vec::new();
        for (i, (old, _)) in files.iter().enumerate() {
            prop_assert_eq!(blobs.image(&scene, &path(i)), wanted[i].wanted.clone());
            if old.is_some() {
                left.push(path(i));
            }
        }
        left.sort();
        prop_assert_eq!(names(&scene.path("")), left, "no temporary file is left");
    }
}
