//! The offline model, driven as a worker drives it: its calls are answered with results in the tools' own form.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use wakeful::provider::offline::{NAME, OfflineModel, SCRIPT_VARIABLE, Script};
use wakeful::provider::{Cancel, ChatRequest, Finish, Progress, Provider, RawCall, Reply};

/// A run with the offline model over pretended tools.
struct Run {
    model: OfflineModel,
    messages: Vec<Value>,
    files: BTreeMap<&'static str, &'static str>,
    written: BTreeMap<String, String>,
    /// The next write is denied.
    deny: bool,
    /// A part of the option that is picked where one is asked.
    answer: Option<&'static str>,
}

impl Run {
    fn new(model: OfflineModel, goal: &str) -> Self {
        Self {
            model,
            messages: vec![
                json!({"role": "system", "content": "You are an agent."}),
                json!({"role": "user", "content": goal}),
            ],
            files: BTreeMap::from([
                ("README.md", "# Ledger\n\nKeeps accounts.\n```sh\nledger --help\n```"),
                ("Cargo.toml", "[package]\nname = \"ledger\""),
                ("src/main.rs", "// TODO: arguments\nfn main() {}"),
                ("src/lib.rs", "pub mod x;"),
                ("LICENSE", "MIT"),
            ]),
            written: BTreeMap::new(),
            deny: false,
            answer: None,
        }
    }

    fn ask(&self) -> Reply {
        // The state comes as a message of its own, after the history.
        let mut messages = self.messages.clone();
        messages.push(json!({"role": "user", "content": "# State\nfacts: none"}));
        self.model.reply(&ChatRequest {
            model: "offline-rules".into(),
            messages,
            tools: vec![json!({"type": "function", "function": {"name": "list_files"}})],
            ..ChatRequest::default()
        })
    }

    fn perform(&mut self, call: &RawCall) -> String {
        let args: Value = serde_json::from_str(&call.arguments).unwrap();
        let path = args["path"].as_str().unwrap_or_default();
        match call.name.as_str() {
            "list_files" => {
                let mut lines: Vec<String> =
                    self.files.iter().map(|(p, t)| format!("{p}  {} B", t.len())).collect();
                lines.push("src/".into());
                lines.push("latest -> src/main.rs".into());
                lines.join("\n")
            }
            "read_file" => match self.written.get(path).map(String::as_str).or(self.files.get(path).copied())
            {
                Some(text) => text.to_owned(),
                None => format!("error: not_found\nthere is no file {path:?}"),
            },
            "search" => "src/main.rs:1:// TODO: arguments\n".into(),
            "note" => "noted".into(),
            "ask_person" => {
                let picked = self.answer.expect("nobody is there to answer");
                let options = args["options"].as_array().unwrap().iter().filter_map(Value::as_str);
                let option = options.into_iter().find(|option| option.contains(picked));
                option.unwrap_or_else(|| panic!("no {picked} in {args}")).to_owned()
            }
            "write_file" if std::mem::take(&mut self.deny) => {
                json!({"error": {"kind": "denied", "message": "The person said no."}}).to_string()
            }
            "write_file" => {
                let content = args["content"].as_str().unwrap().to_owned();
                self.written.insert(path.to_owned(), content);
                "written".into()
            }
            other => format!("error: unknown tool {other}"),
        }
    }

    /// One step: the reply and its results go into the history.
    fn step(&mut self) -> Reply {
        let reply = self.ask();
        let calls: Vec<Value> = reply
            .calls
            .iter()
            .map(|c| {
                assert!(c.complete, "{c:?}");
                json!({"id": c.provider_id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}})
            })
            .collect();
        self.messages.push(json!({"role": "assistant", "content": reply.text, "tool_calls": calls}));
        for call in &reply.calls {
            let result = self.perform(call);
            self.messages.push(json!({"role": "tool", "tool_call_id": call.provider_id, "content": result}));
        }
        reply
    }

    /// Steps until an answer; the tools called on the way, and the answer.
    fn finish_all(&mut self) -> (Vec<String>, Reply) {
        let mut called = Vec::new();
        for _ in 0..200 {
            let reply = self.step();
            if reply.calls.is_empty() {
                assert_eq!(reply.finish, Finish::Stop);
                return (called, reply);
            }
            assert_eq!(reply.finish, Finish::ToolCalls);
            called.extend(reply.calls.into_iter().map(|c| c.name));
        }
        panic!("no end");
    }
}

fn survey(goal: &str) -> Run {
    Run::new(OfflineModel::survey().unwrap(), goal)
}

#[test]
fn the_survey_looks_reads_searches_notes_writes_and_checks() {
    let mut run = survey("See what is here");
    let (called, answer) = run.finish_all();
    assert_eq!(called, ["list_files", "read_file", "read_file", "search", "note", "write_file", "read_file"]);
    assert!(answer.text.starts_with("Done:"), "{}", answer.text);
    let report = &run.written["wakeful-report.md"];
    for part in [
        "# Survey of this folder",
        "not an LLM",
        "Goal: See what is here",
        "| .rs | 2 |",
        "| no extension | 1 |",
        "5 files in 1 folder.",
        "## Readme: README.md",
        "# Ledger",
        "````text",
        "## Project file: Cargo.toml",
        "1 line with TODO or FIXME.",
        "- src/main.rs:1:// TODO: arguments",
    ] {
        assert!(report.contains(part), "{part:?} is missing in\n{report}");
    }
    // Coming back gives the same answer, and acknowledges what was said.
    run.messages.push(json!({"role": "user", "content": "Thank you, what next?"}));
    let again = run.step();
    assert!(again.calls.is_empty());
    assert!(
        again.text.contains("Noted: “Thank you, what next?”") && again.text.contains("Done:"),
        "{}",
        again.text
    );
    assert!(!run.step().text.contains("Noted"), "acknowledged once");
}

#[test]
fn a_chinese_goal_gets_a_chinese_report() {
    let mut run = survey("看看 src 里有什么");
    let (_, answer) = run.finish_all();
    assert!(answer.text.starts_with("完成："), "{}", answer.text);
    let report = &run.written["wakeful-report.md"];
    assert!(report.contains("# 文件夹概览") && report.contains("共 5 个文件，1 个文件夹。"), "{report}");
    assert!(report.contains("目标: 看看 src 里有什么"), "{report}");
}

#[test]
fn a_denied_write_asks_how_to_go_on() {
    for (goal, write, other, nothing) in [
        ("See what is here", "after all", "as wakeful-survey.md", "Write nothing"),
        ("看看 src 里有什么", "还是写", "改写成", "不写文件"),
    ] {
        let asked = |picked: &'static str| {
            let mut run = survey(goal);
            run.deny = true;
            run.answer = Some(picked);
            let (called, answer) = run.finish_all();
            (called, answer.text, run)
        };
        let (called, text, mut run) = asked(nothing);
        assert_eq!(called[called.len() - 2..], ["write_file", "ask_person"]);
        assert!(text.contains("| .rs | 2 |") && run.written.is_empty(), "{text}");
        // A check that wants the file is no reason to say the same again: it is asked about.
        run.messages
            .push(json!({"role": "user", "content": "You are not done: these acceptance checks failed."}));
        run.answer = Some(write);
        let (called, text) = (run.finish_all().0, run.written.clone());
        assert_eq!(called, ["ask_person", "write_file", "read_file"]);
        assert!(text.contains_key("wakeful-report.md"));

        let (called, text, run) = asked(other);
        assert_eq!(called.last().map(String::as_str), Some("write_file"));
        assert!(
            run.written.contains_key("wakeful-survey.md") && text.contains("wakeful-survey.md"),
            "{text}"
        );

        let (called, _, run) = asked(write);
        assert_eq!(called.last().map(String::as_str), Some("read_file"));
        assert!(run.written.contains_key("wakeful-report.md"));
    }
}

#[test]
fn an_empty_folder_is_reported_as_empty() {
    let mut run = survey("See what is here");
    run.files.clear();
    let (called, _) = run.finish_all();
    assert_eq!(called, ["list_files", "search", "note", "write_file", "read_file"]);
    assert!(run.written["wakeful-report.md"].contains("0 files in 1 folder."));
}

#[test]
fn a_message_of_the_person_is_acknowledged_and_the_work_goes_on() {
    let mut run = survey("See what is here");
    run.step();
    run.messages.push(json!({"role": "user", "content": "Please hurry\nup"}));
    let reply = run.step();
    assert!(reply.text.contains("Noted: “Please hurry up”"), "{}", reply.text);
    assert_eq!(reply.calls[0].name, "read_file");
    assert!(!run.step().text.contains("Noted"));
}

#[test]
fn of_a_folded_note_the_answer_holds_the_note_alone() {
    for goal in ["See what is here", "看看这个文件夹里有什么"] {
        for cut in [false, true] {
            let mut run = survey(goal);
            (0..5).for_each(|_| drop(run.step()));
            // The rounds before the last are lines of a summary, which go on behind the note.
            let kept = run.messages.split_off(run.messages.len() - 2);
            run.messages.truncate(2);
            let args: Value =
                serde_json::from_str(kept[0]["tool_calls"][0]["function"]["arguments"].as_str().unwrap())
                    .unwrap();
            let whole = args["text"].as_str().unwrap();
            let note: String =
                if cut { whole.chars().take(12).chain(['…']).collect() } else { whole.to_owned() };
            let line = format!("- I keep it. note {note} → ok: [fact] noted [survey 5/16]");
            run.messages
                .push(json!({"role": "system", "content": format!("SUMMARY of earlier turns\n{line}")}));
            run.messages.push(json!({"role": "assistant", "content": "[survey 5/16]"}));
            let (called, answer) = run.finish_all();
            assert_eq!(called, ["write_file", "read_file"]);
            let (said, report) = (&answer.text, &run.written["wakeful-report.md"]);
            assert!(said.contains(&note) && report.contains(&note), "{said}\n{report}");
            for tag in ["[fact]", "→", "noted"] {
                assert!(!said.contains(tag) && !report.contains(tag), "{tag}: {said}\n{report}");
            }
            assert_eq!(said.matches("[survey ").count(), 1, "{said}");
        }
    }
}

#[test]
fn folded_history_loses_neither_place_nor_findings() {
    let mut run = survey("See what is here");
    for _ in 0..5 {
        run.step();
    }
    // Only the last round is left of the history; the notes are in the state.
    let kept = run.messages.split_off(run.messages.len() - 2);
    run.messages.truncate(2);
    let note: Value =
        serde_json::from_str(kept[0]["tool_calls"][0]["function"]["arguments"].as_str().unwrap()).unwrap();
    run.messages
        .push(json!({"role": "system", "content": format!("Summary: {}", note["text"].as_str().unwrap())}));
    run.messages.extend(kept);
    let (called, answer) = run.finish_all();
    assert_eq!(called, ["write_file", "read_file"]);
    assert!(answer.text.contains("5 files in 1 folder"), "{}", answer.text);
    let report = &run.written["wakeful-report.md"];
    assert!(report.contains("no longer in the context. Survey: 5 files"), "{report}");

    // Even when no reply is left, the summary tells the place.
    let mut run = survey("See what is here");
    let text = "Summary of older rounds: it read the readme. [survey 2/16]";
    run.messages.push(json!({"role": "system", "content": text}));
    assert!(run.step().text.contains("[survey 4/16]"), "the manifest is not known, so it is passed over");
    // A mark in the goal or in a result is no place.
    let mut run = survey("What does [survey 9/16] mean?");
    assert!(run.step().text.contains("[survey 1/16]"));
}

#[test]
fn the_same_messages_give_the_same_reply_and_going_back_goes_back() {
    let mut run = survey("See what is here");
    run.step();
    let before = run.messages.clone();
    let reply = run.ask();
    assert_eq!(run.ask(), reply);
    run.step();
    run.step();
    run.messages = before;
    assert_eq!(run.ask(), reply);
}

const LOOP: &str = r#"{"name": "loop", "steps": [
    {"repeat": 50, "say": "Round {i} of {n}; $HOME stays ${HOME}.",
     "calls": [{"name": "shell", "args": {"command": "echo {i} >> effects; awk '{print}'", "timeout_s": 5}}]},
    {"say": "All done."}]}"#;

#[test]
fn a_loop_of_fifty_effects_counts_from_its_last_reply() {
    let mut run = Run::new(OfflineModel::new(Script::from_json(LOOP).unwrap()), "loop");
    for i in 1..=50 {
        // Folding: never more than the last two rounds.
        if run.messages.len() > 6 {
            run.messages.drain(2..4);
        }
        let reply = run.step();
        let args: Value = serde_json::from_str(&reply.calls[0].arguments).unwrap();
        assert_eq!(args, json!({"command": format!("echo {i} >> effects; awk '{{print}}'"), "timeout_s": 5}));
        assert_eq!(reply.text, format!("Round {i} of 50; $HOME stays ${{HOME}}. [loop 1/2 · {i}/50]"));
    }
    let reply = run.step();
    assert_eq!((reply.text.as_str(), reply.calls.len()), ("All done. [loop 2/2]", 0));
}

#[test]
fn ids_of_calls_differ_within_a_history() {
    let mut run = Run::new(OfflineModel::new(Script::from_json(LOOP).unwrap()), "loop");
    let ids: std::collections::HashSet<_> =
        (0..50).map(|_| run.step().calls[0].provider_id.clone()).collect();
    assert_eq!(ids.len(), 50);
}

#[test]
fn branches_follow_results() {
    let text = r#"
        name = "branch"
        [[steps]]
        calls = [{ name = "read_file", args = { path = "README.md" } }, { name = "read_file", args = { path = "none" } }]
        on = [
          { when = { contains = "no such text" }, goto = "wrong" },
          { when = { result = "failed" }, goto = "second" },
        ]
        [[steps]]
        id = "wrong"
        say = "wrong"
        [[steps]]
        id = "second"
        calls = [{ name = "read_file", args = { path = "LICENSE" } }]
        goto = "end"
        [[steps]]
        say = "passed over by goto"
        [[steps]]
        id = "end"
        when = { result = "failed", not = true }
        say = "It says {result}, {result.read_file}; {unknown}"
    "#;
    let mut run = Run::new(OfflineModel::new(Script::from_toml(text).unwrap()), "branch");
    let (called, answer) = run.finish_all();
    assert_eq!(called.len(), 3);
    assert_eq!(answer.text, "It says MIT, MIT; {unknown} [branch 5/5]");
}

#[test]
fn scripts_that_cannot_be_played_are_refused_with_the_reason() {
    for (text, why) in [
        (r#"{"name": "x", "steps": []}"#, "no steps"),
        (r#"{"name": "a b", "steps": [{}]}"#, "letters"),
        (r#"{"name": "x", "steps": [{"goto": "nowhere"}]}"#, "nowhere"),
        (r#"{"name": "x", "steps": [{"sey": "hi"}]}"#, "sey"),
    ] {
        let error = Script::from_json(text).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.json");
    std::fs::write(&file, r#"[{"say": "hi"}]"#).unwrap();
    let env = |path: &str| BTreeMap::from([(SCRIPT_VARIABLE.to_owned(), path.to_owned())]);
    let script = Script::from_env(&env(file.to_str().unwrap())).unwrap();
    assert_eq!((script.name.as_str(), script.steps.len()), ("script", 1));
    assert_eq!(Script::from_env(&BTreeMap::new()).unwrap().name, "survey");
    let error = Script::from_env(&env("/nowhere/x.toml")).unwrap_err().to_string();
    assert!(error.contains("/nowhere/x.toml") && error.contains(SCRIPT_VARIABLE), "{error}");
}

#[test]
fn a_request_without_tools_gets_a_shorter_extract() {
    let mut source = String::from("Rounds to summarise:\n");
    for i in 0..60 {
        source.push_str(&format!("step {i}: some output that does not matter much\n"));
    }
    source.push_str("step 61: error: disk full, fixed by pruning\n[survey 4/16]\n");
    let request =
        ChatRequest { messages: vec![json!({"role": "user", "content": source})], ..ChatRequest::default() };
    let reply = OfflineModel::survey().unwrap().reply(&request);
    assert!(reply.text.contains("disk full") && reply.text.contains("[survey 4/16]"), "{}", reply.text);
    assert!(!reply.text.is_empty() && reply.text.len() * 2 < source.len());
}

#[tokio::test]
async fn it_streams_says_what_it_is_and_can_be_cancelled() {
    let model = OfflineModel::survey().unwrap();
    let info = model.describe();
    assert!(info.offline && info.name == NAME && info.base_url.is_empty());
    let request = ChatRequest {
        messages: vec![json!({"role": "user", "content": "go"})],
        tools: vec![json!({"function": {"name": "list_files"}})],
        ..ChatRequest::default()
    };
    let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let reply = model.chat(request.clone(), Progress::from(sender), Cancel::new()).await.unwrap();
    let usage = reply.usage.clone().unwrap();
    assert!(usage.estimated && usage.prompt > 0 && usage.completion > 0);
    let mut text = String::new();
    let mut pieces = 0;
    while let Some(delta) = heard.recv().await {
        if let wakeful::provider::Delta::Text(piece) = delta {
            text.push_str(&piece);
            pieces += 1;
        }
    }
    assert_eq!(text, reply.text);
    assert!(pieces > 1);

    let mut script = Script::survey().unwrap();
    script.delay_ms = 3_600_000;
    let slow = OfflineModel::new(script);
    let cancel = Cancel::new();
    let token = cancel.clone();
    let waiting = tokio::spawn(async move { slow.chat(request, Progress::none(), token).await });
    cancel.cancel();
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(error.kind, wakeful::provider::ErrorKind::Cancelled);
}

#[test]
fn a_reply_is_told_without_the_mark_of_its_place() {
    for (text, told) in [
        ("Done: 3 files. [survey 9/16]", "Done: 3 files."),
        ("Round 2. [loop 1/2 · 2/50]\n", "Round 2."),
        ("[test 3/6]", ""),
        ("see [the list]", "see [the list]"),
        ("half of it [1/2]", "half of it [1/2]"),
        ("[survey 9/16] stands before", "[survey 9/16] stands before"),
        ("", ""),
    ] {
        assert_eq!(wakeful::provider::offline::unmarked(text), told, "{text}");
    }
}
