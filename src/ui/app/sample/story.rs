//! The run of the mock-ups: what happened in it, step by step.

use super::at;
use super::journal::{Does, Goes, Journal, does, you};
use crate::inspect::{Asked, Ending, Replied};
use crate::run::checkpoint::CheckpointKind;
use crate::run::event::RequestParts;
use crate::run::message::FinishReason;
use crate::run::settings::{ContextSettings, ModelSettings, Price, Protocol};
use crate::run::{Author, Body, Class, Event, Goal, Hash, Limits, Mode, Purpose, Settings, Usage, WorkerId};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The run.
pub const RUN: &str = "r-7f3a5c20b944";

/// Tokens of a reply that charge so many in all.
pub fn usage(charged: u64, completion: u64) -> Usage {
    Usage { prompt: charged - completion + 4_544, completion, cached: 4_544, estimated: false }
}

fn settings() -> Settings {
    let tools =
        ["shell", "read_file", "edit_file", "write_file", "search", "http_get", "note", "plan", "ask_person"];
    let tool = |name: &str| crate::run::ToolSpec {
        name: name.to_owned(),
        description: "A tool.".to_owned(),
        parameters: json!({"type": "object"}),
        class: Class::Effect,
        timeout_ms: Some(120_000),
        max_calls: None,
    };
    Settings {
        mode: Mode::Ask,
        limits: Limits { cost_micro: Some(2_000_000), ..Limits::default() },
        rules: Vec::new(),
        tools: tools.into_iter().map(tool).collect(),
        model: ModelSettings {
            profile: "lan".to_owned(),
            model: "qwen3-32b".to_owned(),
            base_url: "http://vllm.lan:8000/v1".to_owned(),
            offline: false,
            window: 32_768,
            reserve: 4_096,
            protocol: Protocol::Native,
            tokenizer: "tokenizer.json".to_owned(),
            tokenizer_file: None,
            exact: true,
            calibration: None,
            learnt_window: None,
            price: Some(Price { prompt: 200_000, cached: 200_000, completion: 600_000 }),
            temperature: None,
            send_reasoning: false,
            state_at_head: false,
        },
        summary_model: None,
        context: ContextSettings::default(),
        decide_after_ms: None,
        keep_results: true,
        max_results: 200,
        prompts: "5be019c7".to_owned(),
        program: "0.1.0".to_owned(),
    }
}

/// Begins a run that this process owns.
pub fn begin(journal: &mut Journal, title: &str, goal: &str) {
    let created = Event::RunCreated {
        format: 1,
        title: title.to_owned(),
        goal: goal_of(goal, &[]),
        workspace: PathBuf::from("/home/ann/src/ledger"),
        settings: Box::new(settings()),
    };
    let seq = journal.push(you(), created);
    journal.checkpoint(seq, 0, CheckpointKind::Start);
    journal.push(Author::Wakeful, Event::RunClaimed { epoch: 1, worker: WorkerId::new("w-4121") });
}

fn goal_of(text: &str, constraints: &[&str]) -> Goal {
    let checks = ["file:docs/export.md", "cmd:cargo test", "cmd:./bench.sh --max 60"];
    Goal {
        text: text.to_owned(),
        constraints: constraints.iter().map(|text| (*text).to_owned()).collect(),
        checks: checks.iter().map(|check| check.parse().unwrap()).collect(),
    }
}

fn read(path: &str, lines: usize) -> Does {
    let text: Vec<String> = (1..=lines).map(|n| format!("{n:>4}\tlet line_{n} = {n};")).collect();
    does("read_file", Class::Read, json!({"path": path}), 12, text.join("\n"))
}

fn shell(command: &str, ms: u64, goes: fn(u64) -> Goes, result: &str) -> Does {
    let mut call = does("shell", Class::Effect, json!({"command": command}), ms, result);
    call.goes = goes(ms);
    call
}

fn edit(path: &'static str, files: &'static [&'static str], old: &str, new: &str) -> Does {
    let args = json!({"path": path, "old_string": old, "new_string": new});
    let told = format!(
        "wrote {path} (31 lines, 940 bytes)\n--- a/{path}\n+++ b/{path}\n@@ -14,3 +14,3 @@\n use std::fs;\n-{old}\n+{new}\n fn main() {{"
    );
    let mut call = does("edit_file", Class::Effect, args, 3, told);
    call.files = files;
    call
}

fn plan() -> Value {
    let items = [
        ("1", "Measure the baseline: 214 s", "done"),
        ("2", "Find the hot spot", "done"),
        ("2.1", "Bench fixture, 2 M rows", "done"),
        ("2.2", "Profile: write_all 71 %", "done"),
        ("3", "Buffer the writer", "active"),
        ("3.1", "Read writer.rs", "done"),
        ("3.2", "BufWriter, 1 MiB", "active"),
        ("3.3", "Bench again", "pending"),
        ("4", "Compare bytes, old and new", "pending"),
        ("5", "Write docs/export.md", "pending"),
    ];
    let items: Vec<Value> =
        items.iter().map(|(id, title, state)| json!({"id": id, "title": title, "state": state})).collect();
    json!({"items": items})
}

fn first_steps(journal: &mut Journal) {
    let steps: [(&str, u64, crate::run::Millis); 7] = [
        ("I look at the crate first.", 5_210, at(13, 12, 41)),
        ("The export lives in src/export.", 1_540, at(13, 13, 50)),
        ("I read how rows are written.", 3_388, at(13, 15, 9)),
        ("A fixture of 2 M rows is needed.", 4_561, at(13, 16, 22)),
        ("I build the release binary.", 5_833, at(13, 17, 30)),
        ("Baseline: 214 s.", 6_716, at(13, 18, 41)),
        ("I write down what is known so far.", 7_874, at(13, 19, 58)),
    ];
    for (n, (says, tokens, done)) in steps.into_iter().enumerate() {
        journal.now = done - 50_000;
        let mut calls = vec![read("src/export/mod.rs", 40)];
        match n {
            0 => calls.push(does(
                "search",
                Class::Read,
                json!({"pattern": "write_all("}),
                18,
                "src/export/writer.rs:42: self.file.write_all(f)?;",
            )),
            3 => calls.push(does(
                "note",
                Class::Inner,
                json!({"kind": "question", "text": "Is row order part of the spec?"}),
                2,
                "noted",
            )),
            5 => calls.push(shell("./bench.sh --once", 214_000, Goes::Done, "exit 0\n214.2 s")),
            6 => {
                let mut notes = does(
                    "write_file",
                    Class::Keyed,
                    json!({"path": "docs/notes.md", "content": "# Notes\n"}),
                    6,
                    "created docs/notes.md (1 line, 8 bytes)",
                );
                notes.files = &["docs/notes.md"];
                calls.push(notes);
            }
            _ => {}
        }
        journal.step(says, None, usage(tokens, 300), calls, Some(done));
    }
}

fn undone_steps(journal: &mut Journal) {
    journal.now = at(13, 20, 20);
    let cargo =
        edit("Cargo.toml", &["Cargo.toml", "Cargo.lock"], "[dependencies]", "[dependencies]\nrayon = \"1\"");
    journal.step(
        "rayon could write rows in parallel.",
        None,
        usage(8_833, 350),
        vec![cargo],
        Some(at(13, 21, 15)),
    );
    journal.now = at(13, 21, 40);
    let bench = edit("benches/export.rs", &["benches/export.rs"], "fn old() {}", "fn par() {}");
    journal.step(
        "Now the rows go to two threads.",
        None,
        usage(9_476, 350),
        vec![bench],
        Some(at(13, 22, 40)),
    );
    journal.now = at(13, 25, 2);
    let seventh = journal.checkpoints.iter().find(|row| row.checkpoint.step == 7).unwrap().checkpoint.seq;
    let started = Event::RollbackStarted {
        to_seq: seventh,
        to_step: 7,
        files: Vec::new(),
        redo: false,
        chosen: Default::default(),
    };
    let seq = journal.push(you(), started);
    journal.checkpoint(seq, 9, CheckpointKind::BeforeRollback);
    let back = Event::RolledBack { to_seq: seventh, timeline: 2, kept: Vec::new(), over: false };
    journal.push(Author::Wakeful, back);
}

fn later_steps(journal: &mut Journal) {
    let said = "Keep the row order: the auditors diff the files.";
    journal.now = at(13, 24, 30);
    journal.push(you(), Event::PersonMessage { body: Body::Inline(said.to_owned()), tokens: 14 });
    journal.now = at(13, 25, 10);
    let cargo = edit("Cargo.toml", &["Cargo.toml"], "harness = true", "harness = false");
    journal.step(
        "One thread stays; I set up the bench.",
        None,
        usage(9_214, 320),
        vec![cargo],
        Some(at(13, 26, 2)),
    );
    journal.now = at(13, 26, 30);
    let mut bench = does(
        "write_file",
        Class::Keyed,
        json!({"path": "benches/export.rs", "content": "fn main() {}\n"}),
        6,
        "created benches/export.rs (1 line, 13 bytes)",
    );
    bench.files = &["benches/export.rs"];
    let check = edit("Cargo.toml", &["Cargo.toml"], "name = \"x\"", "name = \"export\"");
    journal.step("Bench harness.", None, usage(10_111, 320), vec![check, bench], Some(at(13, 27, 31)));
    journal.now = at(13, 28, 0);
    let search = does(
        "search",
        Class::Read,
        json!({"pattern": "write_all("}),
        18,
        "src/export/writer.rs:42: self.file.write_all(f)?;",
    );
    let mut get = does("http_get", Class::Read, json!({"url": "https://lib.example/bufwriter"}), 0, "");
    get.goes = Goes::Denied("no new crates, see goal");
    journal.step(
        "Is there a crate for it?",
        None,
        usage(11_476, 340),
        vec![search, get],
        Some(at(13, 28, 57)),
    );
    journal.now = at(13, 29, 30);
    let failed = "error [exit]: the command ended with exit code 101\nerror: couldn't read `fixtures/rows-2m.csv`\n--> benches/export.rs:14:22\n   |\n14 | const ROWS: &str = include_str!(\"fixtures/rows-2m.csv\");\n   |                    ^^^^^^^^^^^^\n   = note: this error originates in a macro\n\nerror: could not compile `ledger` (bench \"export\")\nwarning: build failed\nline 10\nline 11\nline 12\nline 13";
    let bench = shell("cargo bench --bench export", 9_000, Goes::Fails, failed);
    journal.step(
        "The bench harness is in. Let me take a first number.",
        None,
        usage(12_887, 380),
        vec![bench],
        Some(at(13, 30, 20)),
    );
    journal.now = at(13, 31, 30);
    let path = edit(
        "benches/export.rs",
        &["benches/export.rs"],
        "const ROWS: &str = \"fixtures/rows-2m.csv\";",
        "const ROWS: &str = \"target/fixtures/rows-2m.csv\";",
    );
    journal.step(
        "The fixture is under target/. I correct the path.",
        None,
        usage(14_360, 390),
        vec![path],
        Some(at(13, 32, 31)),
    );
    journal.now = at(13, 34, 0);
    let mut profile = vec![
        "exit 0".to_owned(),
        "  71.02%  ledger  [.] std::io::Write::write_all".to_owned(),
        "  11.87%  ledger  [.] ledger::export::row::fmt_row".to_owned(),
        "   6.31%  ledger  [.] core::fmt::num::fmt_u64".to_owned(),
    ];
    profile.extend((1..=37).map(|n| format!("   0.{n:02}%  ledger  [.] other_{n}")));
    let calls = vec![
        shell("perf record -g target/release/ledger export", 4_200, Goes::Done, &profile.join("\n")),
        does(
            "note",
            Class::Inner,
            json!({"kind": "fact", "text": "71 % of the time is write_all, once a field"}),
            2,
            "noted",
        ),
        does("plan", Class::Inner, plan(), 1, "the plan has 10 items"),
    ];
    journal.step(
        "Where do 203 s go? I profile before I change anything.",
        None,
        usage(15_722, 405),
        calls,
        Some(at(13, 34, 52)),
    );
}

fn open_step(journal: &mut Journal) {
    journal.now = at(13, 35, 58);
    let says = "Each field goes to the file by itself: 2 M rows × 19 fields is about 38 M system calls. The cure that keeps every byte:\n\n  1. wrap the file in a BufWriter of 1 MiB,\n  2. flush once a chunk, not once a field,\n  3. return the flush error, which drop would swallow.\n\nRow order does not change, since one thread still writes all rows. I read writer.rs first, then edit it and run the benchmark again.";
    let old: Vec<String> = (1..=7).map(|n| format!("    self.file.write_all(field_{n})?;")).collect();
    let new: Vec<String> = (1..=18).map(|n| format!("    self.out.write_all(field_{n})?;")).collect();
    let mut writer =
        edit("src/export/writer.rs", &["src/export/writer.rs"], &old.join("\n"), &new.join("\n"));
    writer.goes = Goes::Waits;
    let bench = shell("cargo bench --bench export", 0, |_| Goes::Waits, "");
    journal.state.ledger.totals.active_ms = 705_000;
    // The reply takes 9.8 s and the file 12 ms: the calls wait since 13:36:11.
    journal.now = at(13, 36, 1) + 188;
    let calls = vec![read("src/export/writer.rs", 212), writer, bench];
    journal.step(
        says,
        Some("The profile says write_all. I should look at the writer before I touch it."),
        usage(17_682, 386),
        calls,
        None,
    );
    journal.state.ledger.totals.active_ms = 705_000;
    journal.state.path.last_checks =
        vec![crate::run::CheckResult { index: 1, passed: true, detail: "exit 0".to_owned() }];
}

/// The whole run: 13 steps, 2 of them undone on a first timeline, a fourteenth in which two calls wait.
pub fn story() -> Journal {
    let mut journal = Journal::new(RUN, at(13, 11, 53));
    begin(&mut journal, "Speed up ledger export", "`ledger export` of 2 M rows in under 60 s");
    first_steps(&mut journal);
    undone_steps(&mut journal);
    journal.now = at(13, 24, 0);
    let goal = goal_of(
        "`ledger export` of 2 M rows in under 60 s",
        &["bytes identical", "no new crates", "public API unchanged"],
    );
    journal.push(you(), Event::GoalEdited { version: 2, goal });
    later_steps(&mut journal);
    open_step(&mut journal);
    journal
}

/// The newest model call.
pub fn asked(journal: &Journal) -> Option<Asked> {
    let found = journal.events.iter().rev().find_map(|envelope| match &envelope.event {
        crate::run::Decoded::Known(event) => match event.as_ref() {
            Event::ModelCalled { table, .. } => Some((envelope, table.clone())),
            _ => None,
        },
        crate::run::Decoded::Unknown { .. } => None,
    })?;
    let replied = Replied {
        usage: journal.state.ledger.last_usage?,
        finish: FinishReason::ToolCalls,
        calls: 3,
        first_token_ms: 800,
        ms: 9_800,
        refused: None,
    };
    Some(Asked {
        seq: found.0.seq,
        timeline: found.0.timeline,
        at: found.0.at,
        step: journal.state.path.step + 1,
        attempt: 1,
        purpose: Purpose::Turn,
        table: found.1,
        parts: RequestParts { hash: Hash::of(b"request"), render: 1, max_tokens: 4_096 },
        by: None,
        ending: Some(Ending::Replied(replied)),
    })
}
