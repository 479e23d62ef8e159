//! Paths that lead out, links, protected folders, and writing in one move (case M10).

use std::os::unix::fs::{PermissionsExt as _, symlink};

use wakeful::workspace::images::{self, FileState};
use wakeful::workspace::{EntryKind, Workspace, WorkspaceError};

use super::{Scene, names};

#[test]
fn relative_and_absolute_paths_inside_are_taken() {
    let scene = Scene::new();
    scene.put("a/b.txt", "inside");
    let absolute = scene.path("a/b.txt").to_string_lossy().into_owned();
    for path in ["a/b.txt", "./a//b.txt", "a/./b.txt", absolute.as_str()] {
        assert_eq!(scene.workspace.relative(path).unwrap(), "a/b.txt", "{path}");
        assert_eq!(scene.workspace.read(path, 100).unwrap().0, b"inside");
    }
    for root in ["", ".", "./"] {
        assert_eq!(scene.workspace.relative(root).unwrap(), ".");
    }
}

#[test]
fn a_root_reached_by_a_link_is_resolved_and_both_names_work() {
    let scene = Scene::new();
    scene.put("f", "x");
    let alias = scene.base.path().join("alias");
    symlink(scene.path(""), &alias).unwrap();
    let workspace = Workspace::open(&alias).unwrap();
    assert_eq!(workspace.root(), scene.workspace.root());
    assert_eq!(workspace.read(alias.join("f").to_str().unwrap(), 9).unwrap().0, b"x");
    assert_eq!(workspace.read(scene.path("f").to_str().unwrap(), 9).unwrap().0, b"x");
}

#[test]
fn dots_and_absolute_paths_elsewhere_are_refused_with_path_and_root() {
    let scene = Scene::new();
    let sibling = format!("{}-evil/x", scene.workspace.root().display());
    for path in ["..", "../out/x", "a/../../out/x", "a/../b", "/etc/passwd", sibling.as_str()] {
        let error = scene.workspace.write(path, b"x").unwrap_err();
        assert!(matches!(error, WorkspaceError::Outside { .. }), "{path}: {error}");
        let words = error.to_string();
        assert!(words.contains(path) && words.contains(scene.workspace.root().to_str().unwrap()), "{words}");
        assert!(matches!(scene.workspace.read(path, 9), Err(WorkspaceError::Outside { .. })), "{path}");
    }
    assert!(matches!(scene.workspace.relative("a\0b"), Err(WorkspaceError::BadPath { .. })));
    assert!(names(&scene.outside()).is_empty());
}

#[test]
fn links_that_lead_out_are_refused_for_reading_and_writing() {
    let scene = Scene::new();
    std::fs::write(scene.outside().join("secret"), "secret").unwrap();
    symlink(scene.outside(), scene.path("abs")).unwrap();
    symlink("../out", scene.path("rel")).unwrap();
    symlink(scene.outside().join("secret"), scene.path("file")).unwrap();
    symlink("rel", scene.path("chain")).unwrap();
    for path in ["abs/secret", "rel/secret", "file", "chain/secret", "abs/new", "rel/deep/new", "chain/new"] {
        let error = scene.workspace.write(path, b"x").unwrap_err();
        assert!(matches!(error, WorkspaceError::Outside { .. }), "write {path}: {error}");
        let error = scene.workspace.read(path, 99).unwrap_err();
        assert!(matches!(error, WorkspaceError::Outside { .. }), "read {path}: {error}");
        assert!(scene.workspace.remove(path).is_err(), "remove {path}");
    }
    assert_eq!(names(&scene.outside()), ["secret"]);
    assert_eq!(std::fs::read(scene.outside().join("secret")).unwrap(), b"secret");
}

#[test]
fn links_that_lead_nowhere_are_refused_as_targets() {
    let scene = Scene::new();
    symlink("missing", scene.path("dangling")).unwrap();
    symlink(scene.outside().join("new"), scene.path("dangling_out")).unwrap();
    symlink("loop_b", scene.path("loop_a")).unwrap();
    symlink("loop_a", scene.path("loop_b")).unwrap();
    for path in ["dangling", "dangling/x", "loop_a"] {
        let error = scene.workspace.write(path, b"x").unwrap_err();
        assert!(matches!(error, WorkspaceError::DanglingLink { .. }), "{path}: {error}");
    }
    assert!(matches!(scene.workspace.write("dangling_out", b"x"), Err(WorkspaceError::Outside { .. })));
    assert!(names(&scene.outside()).is_empty());
    assert!(!scene.path("missing").exists());
}

#[test]
fn links_that_stay_inside_are_followed_and_kept() {
    let scene = Scene::new();
    scene.put("real/f", "old");
    symlink("real", scene.path("dir")).unwrap();
    symlink("real/f", scene.path("f")).unwrap();
    assert_eq!(scene.workspace.real("dir/f").unwrap(), "real/f");
    assert_eq!(scene.workspace.real("dir/deep/new").unwrap(), "real/deep/new");
    scene.workspace.write("f", b"new").unwrap();
    assert_eq!(scene.get("real/f").unwrap(), b"new");
    assert_eq!(scene.workspace.entry("f").unwrap().unwrap().kind, EntryKind::Link);
    scene.workspace.write("dir/g", b"g").unwrap();
    assert_eq!(scene.get("real/g").unwrap(), b"g");
}

#[test]
fn folders_that_decide_what_is_safe_are_not_written() {
    let scene = Scene::new();
    scene.put(".git/hooks/keep", "");
    scene.put("sub/.git/config", "");
    symlink(".git", scene.path("innocent")).unwrap();
    for path in [
        ".git/hooks/pre-commit",
        ".GIT/config",
        ".wakeful/config.toml",
        "sub/.git/config",
        "innocent/hooks/pre-commit",
        ".git",
    ] {
        let error = scene.workspace.write(path, b"x").unwrap_err();
        assert!(matches!(error, WorkspaceError::Protected { .. }), "{path}: {error}");
        assert!(error.to_string().contains("never written by tools"));
    }
    scene.workspace.write(".gitignore", b"target\n").unwrap();
    assert!(scene.workspace.read(".git/hooks/keep", 9).is_ok(), "reading is fine");
}

#[test]
fn a_write_keeps_the_bits_makes_folders_and_leaves_no_temporary_file() {
    let scene = Scene::new();
    scene.put("run.sh", "old");
    std::fs::set_permissions(scene.path("run.sh"), std::fs::Permissions::from_mode(0o750)).unwrap();
    scene.workspace.write("run.sh", b"new").unwrap();
    assert_eq!(scene.get("run.sh").unwrap(), b"new");
    let mode = std::fs::metadata(scene.path("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    scene.workspace.write("a/b/c.txt", b"").unwrap();
    assert_eq!(names(&scene.path("")), ["a/b/c.txt", "run.sh"]);
}

#[test]
fn what_is_read_only_or_no_file_is_left_alone() {
    let scene = Scene::new();
    scene.put("locked", "keep");
    std::fs::set_permissions(scene.path("locked"), std::fs::Permissions::from_mode(0o444)).unwrap();
    assert!(matches!(scene.workspace.write("locked", b"x"), Err(WorkspaceError::ReadOnly { .. })));
    assert_eq!(scene.get("locked").unwrap(), b"keep");
    scene.put("dir/f", "");
    assert!(matches!(scene.workspace.write("dir", b"x"), Err(WorkspaceError::NotAFile { .. })));
    assert!(matches!(scene.workspace.write(".", b"x"), Err(WorkspaceError::NotAFile { .. })));
    assert!(scene.workspace.write("locked/below", b"x").is_err(), "a file is no folder");
    assert_eq!(names(&scene.path("")), ["dir/f", "locked"]);
}

#[test]
fn only_writable_regular_files_are_removed() {
    let scene = Scene::new();
    scene.put("f", "x");
    scene.put("dir/g", "x");
    scene.put("locked", "keep");
    std::fs::set_permissions(scene.path("locked"), std::fs::Permissions::from_mode(0o444)).unwrap();
    scene.workspace.remove("f").unwrap();
    assert!(matches!(scene.workspace.remove("f"), Err(WorkspaceError::NotFound { .. })));
    assert!(matches!(scene.workspace.remove("dir"), Err(WorkspaceError::NotAFile { .. })));
    assert!(matches!(scene.workspace.remove("locked"), Err(WorkspaceError::ReadOnly { .. })));
    assert!(matches!(scene.workspace.remove(".git/x"), Err(WorkspaceError::Protected { .. })));
    assert_eq!(names(&scene.path("")), ["dir/g", "locked"]);
}

#[test]
fn a_pipe_is_refused_without_waiting_for_its_writer() {
    let scene = Scene::new();
    let made = std::process::Command::new("mkfifo").arg(scene.path("pipe")).status().unwrap();
    assert!(made.success());
    assert!(matches!(scene.workspace.read("pipe", 9), Err(WorkspaceError::NotAFile { .. })));
    assert_eq!(images::take(&scene.workspace, "pipe").unwrap().image.state, FileState::NotAFile);
}

#[test]
fn reading_is_bounded() {
    let scene = Scene::new();
    scene.put("big", vec![b'x'; 1000]);
    assert!(matches!(
        scene.workspace.read("big", 999),
        Err(WorkspaceError::TooBig { len: 1000, cap: 999, .. })
    ));
    assert_eq!(scene.workspace.read("big", 1000).unwrap().0.len(), 1000);
}

#[test]
fn images_tell_absent_files_big_ones_and_links_apart() {
    let scene = Scene::new();
    scene.put("f", "abc");
    let taken = images::take(&scene.workspace, "f").unwrap();
    assert_eq!(taken.bytes.as_deref(), Some(b"abc".as_slice()));
    let FileState::File { hash, len, .. } = &taken.image.state else { panic!("{taken:?}") };
    assert_eq!((hash.as_str(), *len), (images::hash(b"abc").as_str(), 3));
    assert_eq!(images::take(&scene.workspace, "no/such").unwrap().image.state, FileState::Absent);
    assert_eq!(images::take(&scene.workspace, "f/below").unwrap().image.state, FileState::Absent);
    let big = std::fs::File::create(scene.path("big")).unwrap();
    big.set_len(images::IMAGE_CAP + 1).unwrap();
    let big = images::take(&scene.workspace, "big").unwrap();
    assert_eq!((big.image.state, big.bytes), (FileState::TooBig { len: images::IMAGE_CAP + 1 }, None));
    symlink("f", scene.path("l")).unwrap();
    assert_eq!(images::take(&scene.workspace, "l").unwrap().image.state, FileState::NotAFile);
    let stored = serde_json::to_string(&taken.image).unwrap();
    assert_eq!(serde_json::from_str::<images::FileImage>(&stored).unwrap(), taken.image);
}

#[test]
fn wakefuls_own_files_are_never_written_should_they_lie_in_the_workspace() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("config/wakeful")).unwrap();
    std::fs::write(dir.path().join("w.db"), "x").unwrap();
    symlink("w.db", dir.path().join("link")).unwrap();
    let own = [dir.path().join("w.db"), dir.path().join("config/wakeful")];
    let workspace = Workspace::open(dir.path()).unwrap().guarding(own);
    let all = ["w.db", "w.db-wal", "w.db-shm", "w.db.d/spool/x", "link", "config/wakeful/config.toml"];
    for path in all {
        assert!(matches!(workspace.writable(path), Err(WorkspaceError::Protected { .. })), "{path}");
    }
    for path in ["w.d", "other/w.db", "config/other.toml", "a.md"] {
        assert!(workspace.writable(path).is_ok(), "{path}");
    }
}
