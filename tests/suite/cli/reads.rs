//! The reading commands, with the real binary on real runs.

mod replay;
mod requests;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use wakeful::run::{Author, WorkerId};
use wakeful::store::{Store, StoreOptions};

/// A home, a workspace and a database of their own.
pub(super) struct Scene {
    dir: tempfile::TempDir,
}

impl Scene {
    pub(super) fn new() -> Self {
        let scene = Self { dir: tempfile::tempdir().unwrap() };
        std::fs::create_dir(scene.workspace()).unwrap();
        std::fs::write(scene.workspace().join("README.md"), "# Ledger\nTODO: bytes\n").unwrap();
        scene
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(super) fn workspace(&self) -> PathBuf {
        self.path("ws")
    }

    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wakeful"));
        command
            .args(args)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.dir.path())
            .env("LANG", "C.UTF-8")
            .env("WAKEFUL_DB", self.path("wakeful.db"))
            .current_dir(self.workspace())
            .stdin(Stdio::null());
        command
    }

    pub(super) fn wakeful(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// A run of the offline model under a script, or the default one; gives the exit code.
    pub(super) fn run(&self, script: Option<&str>, args: &[&str]) -> i32 {
        let mut all = vec!["run", "Look at the ledger", "--model", "offline", "--headless"];
        all.extend(args);
        let mut command = self.command(&all);
        self.scripted(&mut command, script);
        let output = command.output().unwrap();
        output.status.code().unwrap_or_else(|| panic!("{}", err(&output)))
    }

    fn scripted(&self, command: &mut Command, script: Option<&str>) {
        if let Some(script) = script {
            std::fs::write(self.path("script.toml"), script).unwrap();
            command.env("WAKEFUL_OFFLINE_SCRIPT", self.path("script.toml"));
        }
    }

    pub(super) fn text(&self, args: &[&str]) -> String {
        let output = self.wakeful(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", err(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    pub(super) fn json(&self, args: &[&str]) -> Value {
        let text = self.text(args);
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{args:?}: {e}: {text}"))
    }

    fn store(&self) -> Store {
        let alive = Arc::new(|_: &WorkerId| false);
        Store::open(StoreOptions::new(self.path("wakeful.db"), alive)).unwrap()
    }
}

pub(super) fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn by() -> Author {
    Author::Person("cli".to_owned())
}

#[test]
fn a_finished_run_is_shown_in_every_way() {
    let scene = Scene::new();
    assert_eq!(scene.run(None, &["--approve", "safe", "--check", "file:wakeful-report.md"]), 0);
    let runs = scene.json(&["runs", "--json"]);
    let run = &runs[0];
    assert_eq!((run["status"].as_str(), run["wait"].is_null()), (Some("completed"), true));
    assert_eq!(run["title"], "Look at the ledger");
    for number in ["steps", "tokens", "created", "updated", "bytes"] {
        assert!(run[number].as_u64().unwrap() > 0, "{number}: {run}");
    }
    assert_eq!(Path::new(run["workspace"].as_str().unwrap()).file_name().unwrap(), "ws");
    let id = run["id"].as_str().unwrap();
    let table = scene.text(&["runs"]);
    assert!(table.contains(id) && table.contains("completed") && table.contains("Look at the ledger"));

    let show = scene.json(&["show", "last", "--json"]);
    assert_eq!(show["id"], id);
    assert_eq!(show["report"]["outcome"], "completed");
    assert_eq!(show["goal"]["checks"][0]["check"], "file:wakeful-report.md");
    assert_eq!(show["goal"]["checks"][0]["passed"], true);
    assert_eq!(show["limits"]["steps"]["used"], run["steps"]);
    assert_eq!(show["next"][0], format!("wakeful message {id} TEXT"));
    assert!(show["owner"].is_null() && show["damage"].is_null());
    let page = scene.text(&["show", id]);
    for words in ["goal v1", "✓ check file:wakeful-report.md", "status     completed", "owner      nobody"]
    {
        assert!(page.contains(words), "{words}: {page}");
    }

    let points = scene.json(&["checkpoints", "last", "--json"]);
    let points = points.as_array().unwrap();
    assert_eq!((points[0]["kind"].as_str(), points[0]["step"].as_u64()), (Some("start"), Some(0)));
    assert_eq!(points.last().unwrap()["kind"], "end");
    assert!(points[0]["parent"].is_null());
    for pair in points.windows(2) {
        assert_eq!(pair[1]["parent"], pair[0]["seq"], "one chain");
        assert!(pair[1]["tokens"].as_u64() >= pair[0]["tokens"].as_u64());
    }
    assert_eq!(points.iter().map(|p| p["files"].as_u64().unwrap()).sum::<u64>(), 1, "the report");
    let tree = scene.text(&["checkpoints", "last"]);
    assert!(tree.contains("◆ ") && tree.contains("start") && tree.contains("end"), "{tree}");

    let calls = scene.json(&["intents", "last", "--json"]);
    let calls = calls.as_array().unwrap();
    assert!(calls.iter().all(|c| c["status"] == "done" && c["open"] == false), "{calls:?}");
    let steps: Vec<u64> = calls.iter().map(|c| c["step"].as_u64().unwrap()).collect();
    assert!(steps.is_sorted_by(|a, b| a >= b), "newest first: {steps:?}");
    let write = calls.iter().find(|c| c["tool"] == "write_file").unwrap();
    assert_eq!(write["args"]["path"], "wakeful-report.md");
    assert_eq!((write["class"].as_str(), write["attempt"].as_u64()), (Some("keyed"), Some(1)));
    assert!(write["call_id"].as_str().unwrap().starts_with("c-") && write["run"] == id);
    assert_eq!(write["decided_by"], "wakeful");
    let list = scene.text(&["intents"]);
    assert!(list.contains("no open calls") && list.contains("write_file"), "{list}");
}

#[test]
fn context_is_shown_for_every_step_and_the_request_to_the_byte() {
    let scene = Scene::new();
    assert_eq!(scene.run(None, &["--approve", "safe"]), 0);
    let steps = scene.json(&["runs", "--json"])[0]["steps"].as_u64().unwrap();
    assert!(steps > 3);
    for step in 1..=steps {
        let step = step.to_string();
        let table = scene.json(&["context", "last", "--step", &step, "--json"]);
        let rows = table["rows"].as_array().unwrap();
        let sum: u64 = rows.iter().map(|r| r["used"].as_u64().unwrap()).sum();
        assert_eq!(sum, table["total"].as_u64().unwrap());
        assert_eq!(table["step"].to_string(), step);
        let request = scene.json(&["context", "last", "--step", &step, "--request", "--json"]);
        assert_eq!(request["matches"], true, "{}", request["differs"]);
        assert_eq!(request["hash"], request["rebuilt"]);
        let messages = request["request"]["messages"].as_array().unwrap();
        assert_eq!(messages[0]["role"], "system");
        assert!(messages[0]["content"].as_str().unwrap().contains("Look at the ledger"));
    }
    let page = scene.text(&["context", "last"]);
    for words in ["slot", "trimmed", "goal", "long-term", "reserve", "prompt", "counted by", "█"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let output = scene.wakeful(&["context", "last", "--request"]);
    let request: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(request["messages"].is_array() && request["model"] == "offline-rules");
    assert!(err(&output).contains("as it was sent"), "{}", err(&output));
    let missing = scene.wakeful(&["context", "last", "--step", "99"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(err(&missing).contains("at step 99"), "{}", err(&missing));
}

#[test]
fn where_there_is_no_server_none_is_said_to_have_given_no_figures() {
    let scene = Scene::new();
    assert_eq!(scene.run(Some("name = \"s\"\n[[steps]]\nsay = \"Done.\"\n"), &[]), 0);
    let first = scene.text(&["context", "last"]);
    assert!(first.contains("no server counted: the offline model is built in; reply about "), "{first}");
    let played = scene.json(&["runs", "--json"])[0]["id"].as_str().unwrap().to_owned();
    let model = format!("replay:{played}");
    assert!(scene.wakeful(&["run", "Look at the ledger", "--model", &model, "--headless"]).status.success());
    let second = scene.text(&["context", "last"]);
    assert!(second.contains("no server counted: the replies are recorded ones; reply about "), "{second}");
    assert!(!format!("{first}{second}").contains("from the server"), "{second}");
}

#[test]
fn a_waiting_call_is_shown_whole_with_what_to_type() {
    let scene = Scene::new();
    let script = r#"
name = "hidden"
[[steps]]
say = "I run it."
calls = [{ name = "shell", args = { command = "echo a\u200bb\u202e && echo 'it is quite a long command, so that it has to be wrapped somewhere in the middle of the line, and nothing is lost END'" } }]
[[steps]]
say = "Done."
"#;
    assert_eq!(scene.run(Some(script), &["--approve", "ask"]), 4);
    let show = scene.json(&["show", "last", "--json"]);
    assert_eq!((show["status"].as_str(), show["wait"].as_str()), (Some("waiting"), Some("approval")));
    let call = show["calls"][0]["call_id"].as_str().unwrap().to_owned();
    assert_eq!(show["next"][0], format!("wakeful approve {call}"));
    assert!(show["next"][2].as_str().unwrap().starts_with("wakeful resume r-"));
    let page = scene.text(&["show", "last"]);
    assert!(page.contains("waiting: a call waits for your approval"), "{page}");
    assert!(page.contains(&format!("next       wakeful approve {call}")), "{page}");

    let calls = scene.json(&["intents", "--json"]);
    assert_eq!(calls[0]["status"], "waiting");
    assert!(calls[0]["args"]["command"].as_str().unwrap().contains('\u{200b}'), "to programs as it is");
    let list = scene.text(&["intents", "last"]);
    assert!(list.contains("echo a\\u{200b}b\\u{202e}"), "{list}");
    assert!(!list.contains('\u{200b}') && !list.contains('\u{202e}'));
    assert!(list.contains("shown as codes") && list.contains("END'"), "{list}");
    assert!(list.lines().all(|line| line.chars().count() <= 100), "wrapped: {list}");
    assert!(list.contains(&format!("→ wakeful deny {call}")), "{list}");
    let table = scene.text(&["runs"]);
    assert!(table.contains("waiting: approval"), "{table}");
}

#[test]
fn names_that_fit_nothing_or_too_much_end_with_2_and_words() {
    let scene = Scene::new();
    assert_eq!(scene.text(&["runs", "--json"]).trim(), "[]");
    for args in [
        vec!["show", "last"],
        vec!["checkpoints", "r-none"],
        vec!["intents", "r-none"],
        vec!["context", "nobody", "--json"],
    ] {
        let output = scene.wakeful(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && err(&output).contains("there is no run"), "{}", err(&output));
    }
    for _ in 0..2 {
        assert_eq!(scene.run(None, &["--approve", "ask"]), 4);
    }
    let output = scene.wakeful(&["show", "r-"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("Give more digits"), "{}", err(&output));
}

#[test]
fn runs_of_other_folders_are_listed_too_and_a_reader_may_go_away() {
    let scene = Scene::new();
    std::fs::create_dir(scene.path("other")).unwrap();
    let other = scene.path("other");
    assert_eq!(scene.run(None, &["--approve", "safe", "--workspace", other.to_str().unwrap()]), 0);
    let table = scene.text(&["runs"]);
    assert!(table.contains("~/other"), "{table}");
    let mut child =
        scene.command(&["intents", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(err(&output), "");
}

#[test]
fn the_doctor_finds_damage_and_mends_what_is_derived() {
    let scene = Scene::new();
    assert_eq!(scene.run(None, &["--approve", "safe"]), 0);
    let healthy = scene.json(&["doctor", "--json"]);
    assert_eq!(healthy["healthy"], true, "{healthy}");
    for check in ["database", "spools", "clock", "config", "model", "tools", "terminal"] {
        let found = healthy["checks"].as_array().unwrap().iter().any(|line| line["check"] == check);
        assert!(found, "{check}");
    }
    let page = scene.text(&["doctor"]);
    assert!(page.contains("✓ database") && page.contains("1 runs"), "{page}");

    let db = rusqlite::Connection::open(scene.path("wakeful.db")).unwrap();
    db.execute("UPDATE calls SET tool = 'other' WHERE step = 1", []).unwrap();
    let sick = scene.wakeful(&["doctor", "--json"]);
    assert_eq!(sick.status.code(), Some(6), "{}", err(&sick));
    let told: Value = serde_json::from_slice(&sick.stdout).unwrap();
    assert_eq!(told["healthy"], false);
    assert!(told["checks"][0]["next"].as_str().unwrap().contains("--repair"), "{told}");
    assert_eq!(scene.json(&["doctor", "--repair", "--json"])["healthy"], true);
    assert_eq!(scene.json(&["doctor", "--json"])["healthy"], true);

    db.execute("UPDATE events SET payload = x'00' WHERE seq = 20", []).unwrap();
    drop(db);
    let sick = scene.wakeful(&["doctor"]);
    assert_eq!(sick.status.code(), Some(6));
    assert!(String::from_utf8_lossy(&sick.stdout).contains("--accept-damage"), "{sick:?}");
    let show = scene.json(&["show", "last", "--json"]);
    assert_eq!(show["damage"]["first_bad_seq"], 20);
    assert!(scene.json(&["runs", "--json"])[0]["damage"].as_str().unwrap().contains("event 20"));
    assert!(scene.text(&["runs"]).contains(": damaged"));
    let accepted = scene.wakeful(&["doctor", "--accept-damage", "last"]);
    assert!(err(&accepted).contains("were set aside"), "{}", err(&accepted));
    assert!(scene.json(&["show", "last", "--json"])["damage"].is_null());
    // It stays told, and is no reason to worry again.
    assert!(scene.json(&["runs", "--json"])[0]["damage"].is_null());
    let well = scene.json(&["doctor", "--json"]);
    assert_eq!(well["healthy"], true);
    let told: Vec<&Value> =
        well["checks"].as_array().unwrap().iter().filter(|line| line["state"] == "accepted").collect();
    assert_eq!(told.len(), 1, "{well}");
    assert!(told[0]["words"].as_str().unwrap().contains("were set aside as damaged"), "{well}");
}

#[test]
fn a_wrong_config_is_told_by_doctor_and_config() {
    let scene = Scene::new();
    assert!(scene.text(&["config", "schema"]).contains("[limits]"));
    let shown = scene.json(&["config", "show", "--json"]);
    let steps = shown.as_array().unwrap().iter().find(|row| row["key"] == "limits.steps").unwrap();
    assert_eq!((steps["value"].as_u64(), steps["source"].as_str()), (Some(50), Some("default")));
    assert!(scene.text(&["config", "show"]).contains("limits.steps = 50"));
    assert_eq!(scene.wakeful(&["config", "check"]).status.code(), Some(0));
    let file = scene.path("wrong.toml");
    std::fs::write(&file, "[limits]\nstepz = 3\n").unwrap();
    let file = file.to_str().unwrap();
    let check = scene.wakeful(&["config", "check", "--config", file]);
    assert_eq!(check.status.code(), Some(2));
    assert!(err(&check).contains("stepz") && err(&check).contains("steps"), "{}", err(&check));
    // What only the screen can judge is judged too.
    for (text, says) in [
        ("[keys]\ndenny = [\"D\"]\n", "the nearest is \"deny\""),
        ("[keys]\nreview = [\"d\"]\n", "give one another key"),
        ("[screen]\ntheme = \"drak\"\n", "drak"),
    ] {
        std::fs::write(file, text).unwrap();
        let check = scene.wakeful(&["config", "check", "--config", file]);
        assert_eq!(check.status.code(), Some(2), "{text}");
        assert!(err(&check).contains(says), "{text}: {}", err(&check));
    }
    std::fs::write(file, "[limits]\nstepz = 3\n").unwrap();
    let doctor = scene.wakeful(&["doctor", "--config", file]);
    assert_eq!(doctor.status.code(), Some(2), "{}", err(&doctor));
}

#[test]
fn a_backup_is_a_whole_database_and_never_overwrites() {
    let scene = Scene::new();
    assert_eq!(scene.wakeful(&["backup", "copy.db"]).status.code(), Some(2), "nothing to copy");
    assert_eq!(scene.run(None, &["--approve", "safe"]), 0);
    let output = scene.wakeful(&["backup", "copy.db"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let copy = scene.json(&["runs", "--json", "--db", "copy.db"]);
    assert_eq!(copy[0]["id"], scene.json(&["runs", "--json"])[0]["id"]);
    assert_eq!(scene.json(&["doctor", "--json", "--db", "copy.db"])["healthy"], true);
    let again = scene.wakeful(&["backup", "copy.db"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(err(&again).contains("never overwrites"), "{}", err(&again));
}

#[test]
fn a_command_of_an_agents_call_reads_and_never_decides() {
    let scene = Scene::new();
    assert_eq!(scene.run(None, &["--approve", "ask"]), 4);
    let waiting = scene.json(&["intents", "last", "--json"]);
    let call = waiting[0]["call_id"].as_str().unwrap();
    let inside = |args: &[&str]| scene.command(args).env("WAKEFUL_CALL", "c-1.1.1").output().unwrap();
    for args in [vec!["approve", call], vec!["mode", "last", "auto"], vec!["resume", "last"], vec![]] {
        let output = inside(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(err(&output).contains("only people decide"), "{}", err(&output));
    }
    assert_eq!(inside(&["runs"]).status.code(), Some(0));
    assert_eq!(scene.json(&["intents", "last", "--json"])[0]["status"], "waiting");
}

#[test]
fn a_limit_of_the_offline_model_is_reported_in_words() {
    let scene = Scene::new();
    assert_eq!(scene.run(None, &["--max-steps", "2"]), 3);
    let answer = scene.json(&["show", "last", "--json"])["report"]["answer"].as_str().unwrap().to_owned();
    assert!(answer.starts_with("Stopped by a limit") && !answer.contains("STATE"), "{answer}");
}

#[test]
fn what_is_asked_of_a_screen_is_checked_where_there_is_none() {
    let scene = Scene::new();
    for (args, said) in [(["--lang", "fr"], "fr"), (["--theme", "pink"], "pink")] {
        let output = scene.wakeful(&args);
        assert_eq!(output.status.code(), Some(2), "{}", err(&output));
        assert!(err(&output).contains(said), "{}", err(&output));
        assert!(!scene.path("wakeful.db").exists(), "no job was begun");
    }
}
