//! Rules on paths, commands and addresses, however these are spelled.

use super::arguments::reply;
use super::scene::Scene;
use serde_json::{Value, json};
use wakeful::run::CallStatus::{self, Approved, Done, Rejected, Waiting};

const MANY: &str = "[limits]\nbreaker = 1000\ntool_calls_per_minute = 1000\n";

fn shells(commands: &[&str]) -> String {
    let calls: Vec<(&str, Value)> = commands.iter().map(|c| ("shell", json!({"command": c}))).collect();
    reply(&calls)
}

#[test]
fn a_denied_path_is_denied_in_every_spelling() {
    let scene = Scene::new("");
    scene.config(&format!("{MANY}[[rule]]\ntool = \"*\"\narg = \"secret/*\"\nthen = \"deny\"\n"));
    std::fs::create_dir(scene.ws("secret")).unwrap();
    scene.put("secret/a", "the code is 4711\n");
    std::os::unix::fs::symlink("secret", scene.ws("link")).unwrap();
    let root = scene.ws("secret/a").canonicalize().unwrap().to_string_lossy().into_owned();
    let named = scene.ws("secret/a").to_string_lossy().into_owned();
    let paths = ["secret/a", "./secret/a", "secret//a", ".//secret/./a", &root, &named, "link/a"];
    let mut calls: Vec<(&str, Value)> = paths.iter().map(|p| ("read_file", json!({"path": p}))).collect();
    calls.extend(paths.iter().map(|p| ("write_file", json!({"path": p, "content": "x"}))));
    let edit = |p: &&str| ("edit_file", json!({"path": p, "old_string": "4711", "new_string": "x"}));
    calls.extend(paths.iter().map(edit));
    for folder in ["secret", "./secret", "secret/", "link", &root.replace("/a", "")] {
        calls.push(("list_files", json!({"path": folder})));
        calls.push(("search", json!({"path": folder, "pattern": "code"})));
    }
    scene.script(&reply(&calls));
    scene.start(0, "auto");
    for (at, row) in scene.calls().iter().enumerate() {
        assert_eq!(row.status, Rejected, "{:?}: {}", calls[at], scene.result(at));
        assert!(scene.result(at).contains("denied_by_rule"), "{:?}: {}", calls[at], scene.result(at));
    }
    assert_eq!(scene.read("secret/a").as_deref(), Some("the code is 4711\n"));
}

#[test]
fn a_path_that_comes_to_lead_to_a_denied_place_is_denied_when_its_turn_comes() {
    let step = reply(&[
        ("shell", json!({"command": "ln -s secret late"})),
        ("read_file", json!({"path": "late/a"})),
    ]);
    let scene = Scene::new(&step);
    scene.config("[[rule]]\ntool = \"read_file\"\narg = \"secret/*\"\nthen = \"deny\"\n");
    std::fs::create_dir(scene.ws("secret")).unwrap();
    scene.put("secret/a", "x");
    scene.start(0, "auto");
    assert_eq!(scene.call_statuses(), [Done, Rejected]);
    assert!(scene.result(1).contains("denied_by_rule"), "{}", scene.result(1));
}

#[test]
fn a_path_is_allowed_only_where_it_leads() {
    let calls = ["docs/a", "./docs/b", "docs/../c", "link/d", "docs/out/e"]
        .map(|path| ("write_file", json!({"path": path, "content": "x"})));
    let scene = Scene::new(&reply(&calls));
    scene.config("[[rule]]\ntool = \"write_file\"\narg = \"docs/*\"\nthen = \"allow\"\n");
    std::fs::create_dir(scene.ws("docs")).unwrap();
    std::fs::create_dir(scene.ws("src")).unwrap();
    std::os::unix::fs::symlink("docs", scene.ws("link")).unwrap();
    std::os::unix::fs::symlink("../src", scene.ws("docs/out")).unwrap();
    scene.start(4, "ask");
    assert_eq!(scene.call_statuses(), [Done, Done, Rejected, Waiting, Waiting]);
}

#[test]
fn an_allowed_command_lets_no_other_through() {
    let chained = [
        "echo a; touch x",
        "echo a && touch x",
        "echo a || touch x",
        "echo a & touch x",
        "echo a\ntouch x",
        "echo a | tee x",
        "echo $(touch x)",
        "echo `touch x`",
        "echo \"$(touch x)\"",
        "echo a > x",
        "echo a >> x",
        "echo a 2> x",
        "echo <(touch x)",
        "echo a # it's\ntouch x # '",
        "X=1 echo a; touch x",
    ];
    let plain = ["echo 'a; b'", "echo a && echo b", "echo a 2>&1 >/dev/null", "touch y > z"];
    let all: Vec<&str> = chained.iter().chain(&plain).copied().collect();
    let scene = Scene::new(&shells(&all));
    scene.config(&format!(
        "{MANY}[[rule]]\ntool = \"shell\"\narg = \"echo *\"\nthen = \"allow\"\n\
         [[rule]]\ntool = \"shell\"\narg = \"touch y > z\"\nthen = \"allow\"\n"
    ));
    scene.start(4, "ask");
    let statuses = scene.call_statuses();
    for (command, status) in all.iter().zip(&statuses) {
        let wanted: CallStatus = if chained.contains(command) { Waiting } else { Approved };
        assert_eq!(*status, wanted, "{command}");
    }
    assert!(scene.read("x").is_none());
}

#[test]
fn a_denied_command_is_denied_wherever_it_stands() {
    let denied = [
        "curl x",
        "  curl x",
        "/usr/bin/curl x",
        "echo a; curl x",
        "echo a | curl x",
        "echo $(curl x)",
        "sh -c 'curl x'",
        "env A=1 curl x",
        "c\"\"url x",
        "curl\tx",
    ];
    let all: Vec<&str> = denied.iter().copied().chain(["echo curl x"]).collect();
    let scene = Scene::new(&shells(&all));
    scene.config(&format!("{MANY}[[rule]]\ntool = \"shell\"\narg = \"curl *\"\nthen = \"deny\"\n"));
    scene.start(0, "auto");
    for (at, row) in scene.calls().iter().enumerate() {
        let wanted = if at < denied.len() { Rejected } else { Done };
        assert_eq!(row.status, wanted, "{}: {}", all[at], scene.result(at));
    }
}

#[test]
fn a_denied_address_is_denied_in_every_spelling() {
    let addresses =
        ["https://example.invalid/a", "HTTPS://Example.INVALID/a", "https://example.invalid:443/a"];
    let calls = addresses.map(|url| ("http_get", json!({"url": url})));
    let scene = Scene::new(&reply(&calls));
    scene.config(&format!(
        "{MANY}[[rule]]\ntool = \"http_get\"\narg = \"https://example.invalid/*\"\nthen = \"deny\"\n"
    ));
    scene.start(0, "auto");
    assert_eq!(scene.call_statuses(), [Rejected; 3]);
}
