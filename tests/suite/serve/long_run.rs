//! Three hundred steps in a window of 8k tokens: on every request the goal stands verbatim, pairs are whole, the budget is
//! kept, the slots sum to the total and hold what was sent; what was found at the beginning is known at the end, and requests
//! can be shown again byte for byte.
//!
//! The server plays a model that reads, runs commands, keeps notes and plans; for a summary it answers with what it finds
//! marked in the turns it is shown, and forgets everything else. `cargo test --test all long_run -- --nocapture` prints what
//! was recorded.

use super::scene::{
    Done, Scene, all_text, asks_keeper, asks_summary, assert_paired, messages, text, total_of,
};
use super::slots::{assert_shown, assert_slots, used};
use crate::suite::provider::server::{Answer, ChatServer, Request};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

const STEPS: usize = 300;
/// The step at which the goal is changed, and the step of the first half's last request.
const HALF: usize = 150;
const WINDOW: u64 = 8192;
/// The goal of the first half.
pub const FIRST: &str = "Survey the 300 parts of the ledger — 逐一检查, never rename one\n  and keep a list";
const SECOND: &str = "Survey the 300 parts of the ledger — 只看后一半, never rename one";
/// What the workspace asks of whoever works there.
const RULES: &str =
    "You are the surveyor of this ledger alone.\n- 只看不改: leave every other folder to others\n";
/// What holds beside it.
pub const CONSTRAINT: &str = "do not touch src/admin/route.rs";
const KEEPER: &str = "CORE: The ledger has 300 parts; none is renamed. 关键：看后一半。\nWRONG: none";
/// Limits that do not matter, and a rule for commands.
pub const CONFIG: &str = "[limits]\nsteps = 500\ntokens = 100000000\ntool_calls = 1000\ntool_calls_per_minute = 100000\n\
                      time = \"8h\"\n[[rule]]\ntool = \"shell\"\nthen = \"allow\"\n";

/// A reply with calls; the server counts a token for each four bytes of the request.
fn calls(request: &Request, calls: &[(&str, &str, Value)]) -> Answer {
    Answer::counted_calls(calls, request.body.to_string().len() as u64 / 4, 40)
}

/// What the model does in its turn `n`; every one speaks of something that is marked.
fn turn(n: usize, request: &Request) -> Answer {
    let id = format!("c{n}");
    let call = |name: &str, args: Value| calls(request, &[(id.as_str(), name, args)]);
    match n % 10 {
        0 => call("note", json!({"kind": "fact", "text": format!("part {n} belongs to volume V{n}")})),
        1 => {
            let state = |at: usize| if at * 60 < n { "done" } else { "active" };
            let items: Vec<Value> = (0..5)
                .map(|at| json!({"id": format!("{}", at + 1), "title": format!("parts {} on", at * 60), "state": state(at)}))
                .collect();
            call("plan", json!({"items": items}))
        }
        2 => call("shell", json!({"command": format!("echo MARK-{n} in part {n}; seq 1 2000")})),
        3 => call("shell", json!({"command": format!("echo MARK-{n} missing >&2; exit 3")})),
        4 => {
            let (a, b) = (format!("{id}-a"), format!("{id}-b"));
            let read = |path: &str| json!({ "path": path });
            calls(request, &[(&a, "read_file", read("part.txt")), (&b, "read_file", read("none.txt"))])
        }
        _ => call(
            "shell",
            json!({"command": format!("echo MARK-{n}; echo {}", "some words of a part ".repeat(12))}),
        ),
    }
}

/// Words of a text that are marked.
fn marks(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '-'));
    words.filter(|word| word.starts_with("MARK-")).map(str::to_owned).collect()
}

/// The first marks and the last: what a summary of bounded length keeps.
fn summary(request: &Request) -> Answer {
    let mut all: Vec<usize> = marks(&all_text(request))
        .iter()
        .filter_map(|mark| mark.strip_prefix("MARK-")?.parse().ok())
        .collect();
    all.sort_unstable();
    let (first, rest) = all.split_at(all.len().min(5));
    let kept = first.iter().chain(rest.get(rest.len().saturating_sub(20)..).unwrap_or_default());
    let kept: String = kept.map(|n| format!("- part {n} was seen: MARK-{n}\n")).collect();
    text(&format!("DONE\n- looked at parts\nFACTS\n{kept}"), 900, 60)
}

/// What is asserted of every request, and what is recorded of all of them.
#[derive(Default)]
struct Recorded {
    /// Prompt tokens of all turns, and of all requests for summaries.
    turns: u64,
    asides: u64,
    /// Prompt tokens that the same turns would have taken with the whole history in each.
    whole: u64,
    history: u64,
    folds: u64,
    by_model: u64,
    cores: u64,
    /// Bytes of messages that were the same as in the request before, and all.
    same: u64,
    bytes: u64,
}

impl Recorded {
    fn take(&mut self, end: &Done) {
        for line in &end.lines {
            let data = &line["data"];
            match line["event"].as_str().unwrap_or_default() {
                "model_called" => {
                    let table = &data["table"];
                    let total = total_of(table);
                    assert!(total <= WINDOW, "{table}");
                    let prompt = total - used(table, "reserve");
                    if data["purpose"] == "keeper" {
                        self.asides += prompt;
                    } else if data["purpose"].get("summary").is_some() {
                        assert_eq!(used(table, "goal"), 0);
                        self.asides += prompt;
                    } else {
                        assert!(used(table, "goal") > 0 && used(table, "system") > 0);
                        self.turns += prompt;
                        let moves = used(table, "recent") + used(table, "summary");
                        self.whole += prompt - moves + self.history;
                    }
                }
                "model_replied" => self.history += data["tokens"].as_u64().unwrap(),
                "call_finished" | "call_rejected" => {
                    self.history += data["result"]["tokens"].as_u64().unwrap()
                }
                "rounds_folded" => {
                    self.folds += 1;
                    self.by_model += u64::from(data["by_model"] == true);
                }
                "core_kept" => self.cores += 1,
                _ => {}
            }
        }
    }

    /// How much of each request is the same, from its first byte on, as in the one before; the tail apart it is all of it
    /// unless something was folded, dropped or edited between.
    fn prefixes(&mut self, requests: &[&Request]) -> usize {
        let mut grown = 0;
        for pair in requests.windows(2) {
            let [old, new] = pair else { continue };
            let (old, new) = (messages(old), messages(new));
            let size = |messages: &[Value]| messages.iter().map(|m| m.to_string().len() as u64).sum::<u64>();
            let same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
            self.same += size(&new[..same]);
            self.bytes += size(new);
            grown += usize::from(same + 1 == old.len());
        }
        grown
    }
}

/// All that stands before the goal.
fn head_of(request: &Request) -> &str {
    messages(request)[0]["content"].as_str().unwrap().split("GOAL (version ").next().unwrap()
}

/// A server whose model does so many turns of that kind, and then says that it is done.
pub fn server(steps: usize) -> ChatServer {
    let turns = AtomicUsize::new(0);
    ChatServer::start(move |_, request| {
        if asks_summary(request) {
            return summary(request);
        }
        if asks_keeper(request) {
            return text(KEEPER, 900, 40);
        }
        if all_text(request).contains("final report") && request.body.get("tools").is_none() {
            return text("The first half is seen.", 4000, 10);
        }
        match turns.fetch_add(1, Ordering::SeqCst) {
            n if n < steps => turn(n, request),
            _ => text("All parts are seen.", 4000, 10),
        }
    })
}

#[test]
fn three_hundred_steps_in_eight_thousand_tokens_lose_neither_goal_nor_findings() {
    let server = server(STEPS);
    let scene = Scene::of(&server, "window = 8192\nreserve = 1024", CONFIG);
    scene.file("part.txt", &"a line of part\n".repeat(30));
    scene.file("AGENTS.md", RULES);
    let most = HALF.to_string();
    let first = scene.run(FIRST, &["--constraint", CONSTRAINT, "--max-steps", &most]);
    first.expect(3, "limit");
    let before = server.requests().len();
    assert!(scene.command(&["goal", "last", "--set", SECOND]).status().unwrap().success());
    let second = scene.resume(&["--max-steps", "500"]);
    second.expect(0, "completed");

    let requests = server.requests();
    let goals = |at: usize| if at < before { (FIRST, SECOND) } else { (SECOND, FIRST) };
    for (at, request) in requests.iter().enumerate() {
        let (goal, other) = goals(at);
        let (system, all) = (messages(request)[0]["content"].as_str().unwrap(), all_text(request));
        assert!(!all.contains(other), "request {at} has the goal that does not hold");
        if asks_summary(request) {
            assert!(!all.contains(goal) && !all.contains(CONSTRAINT), "request {at}");
            continue;
        }
        if asks_keeper(request) {
            assert!(all.contains(goal) && all.contains(CONSTRAINT), "request {at}");
            continue;
        }
        assert!(system.contains(goal) && system.contains(&format!("- {CONSTRAINT}")), "request {at}");
        assert_paired(request);
        // Case C21: role, rules and the instructions of the workspace, byte for byte those of the first request.
        let head = head_of(request);
        assert!(head.contains(RULES.trim_end()), "request {at}: {head}");
        assert_eq!(head, head_of(&requests[0]), "request {at}");
    }
    let of_turns: Vec<&Request> =
        requests.iter().filter(|request| !asks_summary(request) && !asks_keeper(request)).collect();
    let last = all_text(of_turns.last().unwrap());
    // Kept by a note, by the plan, by summaries of summaries.
    assert!(
        last.contains("part 0 belongs to volume V0") && last.contains("part 290 belongs to volume V290"),
        "{last}"
    );
    assert!(last.contains("1 [done] parts 0 on") && last.contains("关键：看后一半。"), "{last}");
    assert!(marks(&last).contains("MARK-2"), "what the second step found: {last}");

    let called: Vec<&Value> = [&first, &second].iter().flat_map(|end| end.all("model_called")).collect();
    assert_eq!(called.len(), requests.len());
    for (called, request) in called.iter().zip(&requests) {
        assert_slots(called, request);
    }
    let sent: Vec<&Request> = requests.iter().collect();
    assert!(assert_shown(&scene, &called, &sent, 20) >= 20);

    let mut recorded = Recorded::default();
    recorded.take(&first);
    recorded.take(&second);
    let grown = recorded.prefixes(&of_turns);
    let Recorded { turns, asides, whole, folds, by_model, cores, same, bytes, .. } = recorded;
    println!(
        "{} turns, {} summaries ({by_model} by the model), {cores} cores: {turns} prompt tokens for turns, {asides} for summaries and cores; with the \
         whole history in each request {whole}, {:.1} times as many. {grown} requests grew only at their end; {:.0} % of all bytes \
         were those of the request before",
        of_turns.len(),
        folds,
        whole as f64 / (turns + asides) as f64,
        same as f64 * 100.0 / bytes as f64,
    );
    assert!(turns + asides < whole / 3, "{turns} and {asides}, whole {whole}");
    assert!(by_model > 0 && by_model == folds, "the model wrote {by_model} of {folds}");
    // An audit every ten steps, once something had left the window.
    assert!(cores >= 25, "{cores} cores");
    assert!(grown >= of_turns.len() / 2, "{grown} of {} only grew at their end", of_turns.len());
}
