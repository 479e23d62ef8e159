//! Arguments that cannot be: whatever they are, the call gets a result and the run goes on.

use super::scene::{Scene, shell, write};
use crate::suite::provider::server::ChatServer;
use crate::suite::serve::scene as serve;
use serde_json::{Value, json};
use wakeful::run::CallStatus::{Done, Rejected};

/// A script step with these calls.
pub fn reply(calls: &[(&str, Value)]) -> String {
    let calls: Vec<String> = calls
        .iter()
        .map(|(name, args)| {
            // A JSON text is a TOML text.
            let args = args.as_object().unwrap().iter().map(|(key, value)| format!("{key} = {value}"));
            format!("{{ name = {name:?}, args = {{ {} }} }}", args.collect::<Vec<_>>().join(", "))
        })
        .collect();
    format!("[[steps]]\ncalls = [{}]\n", calls.join(", "))
}

const PATIENT: &str =
    "[limits]\nbreaker = 1000\nloop_repeats = 8\ntool_calls = 1000\ntool_calls_per_minute = 1000\n";

#[test]
fn a_folder_that_is_none_of_the_workspace_is_refused_and_the_run_goes_on() {
    let (long, deep) = ("n".repeat(300), "d/".repeat(3_000));
    let folders = ["../..", "/tmp", "out", "a\0b", &long, &deep, "file", "missing", "nowhere"];
    let mut calls: Vec<(&str, Value)> =
        folders.iter().map(|cwd| ("shell", json!({"command": "touch ran", "cwd": cwd}))).collect();
    calls.push(("shell", json!({"command": "pwd > here", "cwd": "./sub/"})));
    let scene = Scene::new(&reply(&calls));
    scene.config(PATIENT);
    scene.put("file", "x");
    std::fs::create_dir(scene.ws("sub")).unwrap();
    std::os::unix::fs::symlink("/tmp", scene.ws("out")).unwrap();
    std::os::unix::fs::symlink("gone", scene.ws("nowhere")).unwrap();
    scene.start(0, "auto");
    let statuses = scene.call_statuses();
    assert_eq!(statuses[..folders.len()], vec![Rejected; folders.len()]);
    assert_eq!(statuses[folders.len()], Done);
    for (at, folder) in folders.iter().enumerate() {
        assert!(scene.result(at).starts_with("error ["), "{folder:?}: {}", scene.result(at));
    }
    assert!(scene.result(0).contains("outside_workspace") && scene.result(2).contains("outside_workspace"));
    assert!(scene.read("sub/here").unwrap().ends_with("/ws/sub\n"));
    scene.is_whole();
}

#[test]
fn a_folder_is_looked_at_when_the_call_s_turn_comes() {
    let step = reply(&[
        ("shell", json!({"command": "mv d e; ln -s / d; mkdir made"})),
        ("shell", json!({"command": "touch ran", "cwd": "d"})),
        ("shell", json!({"command": "touch ran", "cwd": "made"})),
    ]);
    let scene = Scene::new(&step);
    std::fs::create_dir(scene.ws("d")).unwrap();
    scene.start(0, "auto");
    assert_eq!(scene.call_statuses(), [Done, Rejected, Done]);
    assert!(scene.result(1).contains("outside_workspace"), "{}", scene.result(1));
    assert!(scene.read("made/ran").is_some());
    scene.is_whole();
}

#[test]
fn calls_of_one_reply_build_on_each_other() {
    let edit = |path: &str, old: &str| json!({"path": path, "old_string": old, "new_string": "new"});
    let step = reply(&[
        ("write_file", json!({"path": "n", "content": "old\n"})),
        ("edit_file", edit("n", "old")),
        ("edit_file", edit("n", "old")),
        ("write_file", json!({"path": "../n", "content": "x"})),
        ("shell", json!({"command": "mkdir dir && echo old > dir/f"})),
        ("edit_file", edit("dir/f", "old")),
    ]);
    let scene = Scene::new(&step);
    scene.start(0, "auto");
    assert_eq!(scene.call_statuses(), [Done, Done, Rejected, Rejected, Done, Done]);
    assert!(scene.result(2).contains("no_match"), "{}", scene.result(2));
    assert_eq!(scene.read("n").as_deref(), Some("new\n"));
    assert_eq!(scene.read("dir/f").as_deref(), Some("new\n"));
    scene.is_whole();
}

#[test]
fn a_workspace_that_is_moved_away_stops_the_run_until_it_is_back() {
    let mv = "cd .. && mv ws moved && mkdir ws";
    let scene = Scene::new(&format!("{}{}", shell(mv), write("x", "y")));
    let said = scene.expect(2, &["run", "test", "--model", "offline", "--approve", "auto", "--headless"]);
    assert!(said.err.contains("moved or replaced"), "{said:?}");
    assert_eq!(scene.call_statuses()[0], Done, "what was done is recorded");
    let moved = scene.ws("").parent().unwrap().join("moved");
    assert!(!moved.join("x").exists() && scene.read("x").is_none());
    std::fs::remove_dir(scene.ws("")).unwrap();
    std::fs::rename(&moved, scene.ws("")).unwrap();
    scene.expect(0, &["resume", "last", "--headless"]);
    assert_eq!(scene.read("x").as_deref(), Some("y"));
    scene.is_whole();
}

/// Raw arguments for every tool: odd texts in each place where a text belongs, odd values in each place, and no object.
fn odd() -> Vec<(&'static str, String)> {
    let long = "n".repeat(5_000);
    let deep = "d/".repeat(3_000);
    let texts = [
        "",
        " ",
        "..",
        "../x",
        "/",
        "/etc/passwd",
        "a\0b",
        "~",
        "loop",
        "sub",
        "fifo",
        ".git/x",
        &long,
        &deep,
        "\u{202e}x",
    ];
    let shapes: [(&str, &[&str], Value); 11] = [
        ("read_file", &["path", "encoding"], json!({"path": "f"})),
        ("list_files", &["path"], json!({})),
        ("search", &["path", "pattern", "glob"], json!({"pattern": "x"})),
        ("write_file", &["path"], json!({"path": "w", "content": "x"})),
        ("edit_file", &["path", "old_string"], json!({"path": "f", "old_string": "x", "new_string": "y"})),
        ("shell", &["cwd", "command"], json!({"command": "true"})),
        ("http_get", &["url"], json!({"url": "x"})),
        ("note", &["text", "kind"], json!({"text": "x"})),
        ("plan", &["items"], json!({})),
        ("ask_person", &[], json!({})),
        ("no_such_tool", &["x"], json!({})),
    ];
    let mut all = Vec::new();
    for (tool, keys, whole) in shapes {
        for raw in ["", "null", "[]", "7", "\"{\"", "{", "{}", "{\"\\ud800\":1}", "{\"a\":1e999}"] {
            all.push((tool, raw.to_owned()));
        }
        for key in keys {
            let values = texts.iter().map(|text| json!(text));
            for value in values.chain([json!(-1), json!(1e300), json!([[]]), json!({"x": null}), json!(null)])
            {
                let mut args = whole.clone();
                args[*key] = value;
                all.push((tool, args.to_string()));
            }
        }
    }
    for number in [json!(-1), json!(0), json!(1e19), json!(u64::MAX), json!(0.5)] {
        all.push(("read_file", json!({"path": "f", "offset": number, "limit": number}).to_string()));
        all.push(("search", json!({"pattern": "x", "limit": number, "context": number}).to_string()));
        all.push(("list_files", json!({"depth": number, "limit": number}).to_string()));
        all.push(("shell", json!({"command": "true", "timeout_s": number}).to_string()));
    }
    // What these ask would be asked of a person.
    all.retain(|(tool, raw)| *tool != "shell" || !raw.contains("\"command\":\"/\""));
    all
}

#[test]
fn no_arguments_end_the_worker() {
    let calls = odd();
    let count = calls.len();
    let batches: Vec<Vec<(&str, String)>> = calls.chunks(40).map(<[_]>::to_vec).collect();
    let server = ChatServer::start(move |n, _| match batches.get(n) {
        Some(batch) => {
            let ids: Vec<String> = (0..batch.len()).map(|at| format!("c{n}-{at}")).collect();
            let calls: Vec<(&str, &str, &str)> =
                ids.iter().zip(batch).map(|(id, (tool, raw))| (id.as_str(), *tool, raw.as_str())).collect();
            serve::raw_calls(&calls)
        }
        None => serve::text("Done.", 10, 2),
    });
    let limits = format!("{PATIENT}tokens = 100_000_000\n");
    let scene = serve::Scene::of(&server, "window = 1_000_000", &limits);
    scene.file("f", "x\n");
    std::fs::create_dir(scene.workspace().join("sub")).unwrap();
    std::os::unix::fs::symlink("loop", scene.workspace().join("loop")).unwrap();
    std::process::Command::new("mkfifo").arg(scene.workspace().join("fifo")).status().unwrap();
    let end = scene.run("Look", &[]);
    end.expect(0, "completed");
    let ended = end.all("call_finished").len() + end.all("call_rejected").len();
    assert_eq!((end.all("call_proposed").len(), ended), (count, count));
    for request in server.requests() {
        serve::assert_paired(&request);
    }
}

#[test]
fn a_call_that_goes_wrong_in_the_same_way_is_a_loop_whatever_stands_beside_it() {
    // P15, L01: a command that fails, one that is refused, one that succeeds with the same words.
    let same = [
        ("shell", json!({"command": "exit 3"})),
        ("write_file", json!({"pth": "x"})),
        ("shell", json!({"command": "echo same"})),
    ];
    for (tool, args) in same {
        let rounds: Vec<String> = (0..6)
            .map(|n| {
                let beside = json!({"command": format!("echo {n}")});
                reply(&[(tool, args.clone()), ("shell", beside)])
            })
            .collect();
        let scene = Scene::new(&rounds.concat());
        scene.config("[limits]\ntool_calls_per_minute = 1000\n");
        scene.start(4, "auto");
        let wakeful::run::Status::Waiting(why) = scene.status() else { panic!("{tool}: it went on") };
        assert_eq!((why.word(), scene.state().path.step), ("loop", 3), "{tool} {args}");
    }
}
