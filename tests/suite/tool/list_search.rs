//! `list_files` and `search`: ignore rules, links, limits.

use std::os::unix::fs::symlink;
use std::sync::atomic::AtomicBool;

use serde_json::json;
use wakeful::tool::{ListArgs, SearchArgs, list_files, search};

use super::Scene;

fn tree() -> Scene {
    Scene::new(&[
        (".gitignore", "target/\n*.log\n"),
        (".hidden", "needle in hidden\n"),
        (".git/config", "needle in git\n"),
        ("README.md", "# Title\nneedle one\n"),
        ("src/main.rs", "fn main() {\n    // needle two\n}\n"),
        ("src/deep/er/x.rs", "needle three\nNEEDLE four\n"),
        ("target/out.rs", "needle in target\n"),
        ("run.log", "needle in log\n"),
    ])
}

#[test]
fn a_listing_is_sorted_and_respects_ignore_rules() {
    let scene = tree();
    symlink("src", scene.path("link")).unwrap();
    assert_eq!(
        scene.text("list_files", json!({})),
        "README.md  19 B\nlink -> src\nsrc/\nsrc/deep/\nsrc/main.rs  32 B"
    );
    assert_eq!(
        scene.text("list_files", json!({"path": "src/deep", "depth": 9})),
        "src/deep/er/\nsrc/deep/er/x.rs  25 B"
    );
    let all = scene.text("list_files", json!({"hidden": true, "ignored": true, "depth": 1}));
    assert_eq!(
        all,
        ".gitignore  14 B\n.hidden  17 B\nREADME.md  19 B\nlink -> src\nrun.log  14 B\nsrc/\ntarget/"
    );
}

#[test]
fn a_listing_says_what_it_leaves_out() {
    let scene = Scene::new(&[]);
    for i in 0..30 {
        scene.put(&format!("f{i:02}"), "");
    }
    let cut = scene.run("list_files", json!({"limit": 10})).unwrap();
    assert!(
        cut.text.starts_with("f00  0 B\n") && cut.text.contains("f09  0 B\n[20 more entries are left out")
    );
    assert!(cut.truncated.is_some());
    assert_eq!(cut.meta["left_out"], json!(20));
    assert!(Scene::new(&[]).text("list_files", json!({})).contains("holds no files"));
    assert_eq!(scene.error("list_files", json!({"path": "f00"})).kind, "not_a_folder");
    assert_eq!(scene.error("list_files", json!({"path": "no"})).kind, "not_found");
    assert_eq!(scene.error("list_files", json!({"path": ".."})).kind, "outside_workspace");
}

#[test]
fn names_cannot_fake_entries_or_steer_a_terminal() {
    let scene = Scene::new(&[("a\nfake.txt  9 B", ""), ("b\u{1b}[2J", "")]);
    assert_eq!(scene.text("list_files", json!({})), "a\\nfake.txt  9 B  0 B\nb\\u{1b}[2J  0 B");
}

/// M10: a walk does not follow links out.
#[test]
fn links_out_are_neither_listed_through_nor_searched() {
    let outside = Scene::new(&[("secret.txt", "needle outside\n")]);
    let scene = Scene::new(&[("in.txt", "needle inside\n")]);
    symlink(outside.path(""), scene.path("out")).unwrap();
    symlink(outside.path("secret.txt"), scene.path("file")).unwrap();
    let listed = scene.text("list_files", json!({"depth": 5}));
    assert!(listed.contains("out -> ") && !listed.contains("secret.txt  "), "{listed}");
    assert_eq!(scene.text("search", json!({"pattern": "needle"})), "in.txt:1:needle inside\n");
    for tool in ["list_files", "search"] {
        let error = scene.error(tool, json!({"path": "out", "pattern": "x"}));
        assert!(["outside_workspace", "invalid_arguments"].contains(&error.kind.as_str()), "{error}");
    }
    assert_eq!(scene.error("list_files", json!({"path": "out"})).kind, "outside_workspace");
    assert_eq!(scene.error("search", json!({"path": "file", "pattern": "x"})).kind, "outside_workspace");
}

#[test]
fn a_search_finds_lines_in_order() {
    let scene = tree();
    assert_eq!(
        scene.text("search", json!({"pattern": "ne+dle"})),
        "README.md:2:needle one\nsrc/deep/er/x.rs:1:needle three\nsrc/main.rs:2:    // needle two\n"
    );
    let any_case =
        scene.text("search", json!({"pattern": "needle", "ignore_case": true, "path": "src/deep"}));
    assert_eq!(any_case, "src/deep/er/x.rs:1:needle three\nsrc/deep/er/x.rs:2:NEEDLE four\n");
    assert_eq!(
        scene.text("search", json!({"pattern": "main()", "literal": true, "context": 1})),
        "src/main.rs:1:fn main() {\nsrc/main.rs-2-    // needle two\n"
    );
    assert_eq!(
        scene.text("search", json!({"pattern": "one", "path": "README.md"})),
        "README.md:2:needle one\n"
    );
    let none = scene.text("search", json!({"pattern": "Needle"}));
    assert!(none.starts_with("[no match in 3 files"), "{none}");
    let more = scene.run("search", json!({"pattern": "needle", "hidden": true, "ignored": true})).unwrap();
    assert_eq!(more.meta["matches"], json!(6), "{}", more.text);
    assert!(!more.text.contains(".git/config"));
}

#[test]
fn globs_narrow_a_search_and_never_widen_it() {
    let scene = tree();
    let matches = |glob: &str| {
        scene.run("search", json!({"pattern": "needle", "glob": glob})).unwrap().meta["matches"].clone()
    };
    assert_eq!(matches("*.rs"), json!(2), "target stays ignored");
    assert_eq!(matches("!*.rs"), json!(1));
    assert_eq!(matches("src/*.rs"), json!(1));
    assert_eq!(matches("*.log"), json!(0), "ignored files stay ignored");
    assert_eq!(scene.error("search", json!({"pattern": "x", "glob": "{a"})).kind, "invalid_arguments");
}

#[test]
fn wrong_patterns_are_explained() {
    let scene = tree();
    let error = scene.error("search", json!({"pattern": "main("}));
    assert_eq!(error.kind, "invalid_arguments");
    assert!(error.suggestion.contains("literal"), "{error}");
    assert_eq!(scene.error("search", json!({"pattern": "a\nb"})).kind, "invalid_arguments");
}

#[test]
fn a_search_is_bounded_and_says_so() {
    let scene =
        Scene::new(&[("many", &"needle\n".repeat(500)), ("wide", &format!("needle{}", "展".repeat(9999)))]);
    scene.put("bin", b"needle\0needle\n");
    let cut = scene.run("search", json!({"pattern": "needle", "limit": 20, "path": "many"})).unwrap();
    assert_eq!((cut.text.matches("many:").count(), cut.truncated.is_some()), (20, true));
    assert!(cut.text.contains("[cut after 20 matching lines"));
    let wide = scene.text("search", json!({"pattern": "needle", "glob": "wide"}));
    assert!(wide.len() < 500 && wide.contains("展 [line cut]") && !wide.contains('\u{fffd}'), "{wide}");
    let binary = scene.text("search", json!({"pattern": "needle", "glob": "bin"}));
    assert!(binary.contains("1 binary files passed over"), "{binary}");
    let exact = scene.run("search", json!({"pattern": "needle", "limit": 500, "path": "many"})).unwrap();
    assert_eq!(exact.truncated, None, "a limit that is just reached cuts nothing");
}

#[test]
fn a_file_with_an_endless_line_is_passed_over() {
    let scene = Scene::new(&[("small", "needle\n")]);
    scene.put("endless", vec![b'a'; 17 * 1024 * 1024]);
    let found = scene.text("search", json!({"pattern": "needle"}));
    assert_eq!(found, "small:1:needle\n[1 files or folders could not be searched]");
}

#[test]
fn both_stop_when_told() {
    let scene = tree();
    let stop = AtomicBool::new(true);
    let args = SearchArgs { pattern: "needle".into(), ..SearchArgs::default() };
    let found = search(&args, &scene.workspace, &stop).unwrap();
    assert!(found.truncated.is_some() && found.text.contains("stopped early"), "{}", found.text);
    let listed = list_files(&ListArgs::default(), &scene.workspace, &stop).unwrap();
    assert!(listed.truncated.is_some() && listed.meta["complete"] == json!(false));
}
