//! A real small model works for many steps in a window of 8k tokens, does whatever it likes, and is told to go on: on every
//! request the goal and its constraint stand verbatim, the budget is kept, each slot holds what was sent by the run's own
//! counter, and the slots sum to the total; requests from all
//! over the run, the last among them, can be shown again byte for byte as they came over the wire.
//!
//! Between program and server stands one that writes down every request and passes it on. `WAKEFUL_TEST_LONG_STEPS` names
//! how many steps it shall be (else a few); `cargo test --test all real::long_run -- --nocapture` prints what was recorded.

use super::ONE;
use crate::suite::provider::server::{Answer, ChatServer, Request};
use crate::suite::serve::scene::{
    Done, Scene, all_text, asks_keeper, asks_summary, assert_paired, messages, total_of,
};
use crate::suite::serve::slots::{assembly_times, assert_shown, assert_slots_by, own_counter, used};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::PoisonError;
use std::time::Duration;

const WINDOW: u64 = 8192;
const GOAL: &str = "Read the notes in this folder one after the other — 逐一阅读,\n  and say for each on which day it was written";
const CONSTRAINT: &str = "never touch src/admin/route.rs";
const CONFIG: &str = "[limits]\nsteps = 10000\ntokens = 1000000000\ntool_calls = 100000\ntool_calls_per_minute = 100000\n\
                      time = \"100h\"\nfirst_token_timeout = \"off\"\nbetween_tokens_timeout = \"off\"\nloop_repeats = 8\n";
const HIDDEN: [&str; 7] =
    ["write_file", "edit_file", "shell", "http_get", "ask_person", "decide", "remember"];
/// Steps of one invocation.
const AT_ONCE: u64 = 20;
/// How long it may take: a slow machine takes half a minute for each step.
const PATIENCE: Duration = Duration::from_secs(3600);
/// Steps if nothing else is said.
const FEW: u64 = 6;
/// Requests that are shown again.
const SHOWN: usize = 12;

/// Sends a request on, and gives the whole answer.
fn pass_on(base: &str, request: &Request) -> Answer {
    let address = base.trim_start_matches("http://").split('/').next().unwrap();
    let body = request.body.to_string();
    let head = format!(
        "{} {} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        request.method,
        request.path,
        body.len()
    );
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).unwrap();
    let mut answer = Vec::new();
    // Whoever asked may have gone: what came until then is the answer.
    let _ = stream.read_to_end(&mut answer);
    Answer::nothing().raw(&answer)
}

/// What is recorded.
#[derive(Default)]
struct Recorded {
    calls: usize,
    folds: usize,
    by_model: usize,
    cores: usize,
    most: u64,
    prompt: u64,
    reply: u64,
    /// Tokens of the history so far, and of all turns' prompts if each had it whole.
    history: u64,
    whole: u64,
    /// Our count of all prompts.
    ours: u64,
    /// All `model_called` events.
    called: Vec<Value>,
}

impl Recorded {
    fn take(&mut self, end: &Done) {
        for line in &end.lines {
            let data = &line["data"];
            match line["event"].as_str().unwrap_or_default() {
                "model_called" => {
                    let total = total_of(&data["table"]);
                    assert!(total <= WINDOW, "{data}");
                    self.most = self.most.max(total);
                    let table = &data["table"];
                    let prompt = total - used(table, "reserve");
                    self.ours += prompt;
                    if data["purpose"] == "turn" {
                        let moves = used(table, "recent") + used(table, "summary");
                        self.whole += prompt - moves + self.history;
                    }
                    self.called.push(data.clone());
                }
                "call_finished" | "call_rejected" => {
                    self.history += data["result"]["tokens"].as_u64().unwrap();
                }
                "model_replied" => {
                    self.history += data["tokens"].as_u64().unwrap();
                    self.prompt += data["usage"]["prompt"].as_u64().unwrap();
                    self.reply += data["usage"]["completion"].as_u64().unwrap();
                    self.calls += data["calls"].as_array().map_or(0, Vec::len);
                }
                "rounds_folded" => {
                    self.folds += 1;
                    self.by_model += usize::from(data["by_model"] == true);
                }
                "core_kept" => self.cores += 1,
                _ => {}
            }
        }
    }
}

/// What it is told so that it works on.
fn told_to_go_on(scene: &Scene, status: &Value) {
    let args: &[&str] = match status.as_str() {
        Some("completed") => &["message", "last", "There are more notes. Read the next one."],
        Some("waiting") => &["continue", "last"],
        Some("limit") => return,
        other => panic!("it ended as {other:?}"),
    };
    // A message to a run that nobody works at waits in its inbox.
    let done = scene.command(args).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn steps(scene: &Scene) -> u64 {
    let shown = scene.command(&["show", "last", "--json"]).output().unwrap();
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    shown["limits"]["steps"]["used"].as_u64().unwrap()
}

fn assert_request(at: usize, request: &Request) {
    let all = all_text(request);
    if asks_summary(request) {
        assert!(!all.contains(GOAL) && !all.contains(CONSTRAINT), "request {at}");
    } else if asks_keeper(request) {
        assert!(all.contains(GOAL) && all.contains(CONSTRAINT), "request {at}");
    } else {
        let system = messages(request)[0]["content"].as_str().unwrap();
        assert!(system.contains(GOAL) && system.contains(&format!("- {CONSTRAINT}")), "request {at}");
        assert_paired(request);
    }
}

#[test]
fn a_real_model_that_wanders_keeps_goal_and_budget() {
    let set = |name: &str| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
    let (Some(base), Some(model)) = (set("WAKEFUL_TEST_BASE_URL"), set("WAKEFUL_TEST_MODEL")) else {
        println!("not tested: WAKEFUL_TEST_BASE_URL and WAKEFUL_TEST_MODEL name no server");
        return;
    };
    let wanted = set("WAKEFUL_TEST_LONG_STEPS").map_or(FEW, |steps| steps.trim().parse().unwrap());
    let _alone = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let server = ChatServer::start(move |_, request| pass_on(&base, request));
    let profile = "window = 8192\nreserve = 96\ntemperature = 0.7\nprotocol = \"schema\"";
    let hidden = HIDDEN.map(|tool| format!("[tools.{tool}]\nenabled = false\n")).concat();
    let scene = Scene::with(&server.base(), model.trim(), profile, &format!("{CONFIG}{hidden}"))
        .with_patience(PATIENCE);
    for n in 1..=40 {
        let words = "The ledger was counted again and nothing was missing. 账目清点无误。".repeat(4);
        scene.file(&format!("note-{n}.txt"), &format!("Note {n}, written on day {}.\n{words}\n", n * 3 % 7));
    }
    let mut recorded = Recorded::default();
    let (mut done, mut rounds) = (0, 0);
    let mut end =
        scene.run(GOAL, &["--constraint", CONSTRAINT, "--max-steps", &AT_ONCE.min(wanted).to_string()]);
    loop {
        recorded.take(&end);
        let before = done;
        done = steps(&scene);
        println!("{done} steps: {}", end.end()["status"]);
        if done >= wanted {
            break;
        }
        // Whatever it does, a step comes of being told to go on, or it waits with a reason again.
        rounds = if done == before { rounds + 1 } else { 0 };
        assert!(rounds < 5, "it stands still: {}\n{:?}", end.talk, end.kinds());
        told_to_go_on(&scene, &end.end()["status"]);
        end = scene.resume(&["--max-steps", &(done + AT_ONCE).min(wanted).to_string()]);
    }
    let requests = server.requests();
    let chats: Vec<&Request> = requests.iter().filter(|r| r.path.ends_with("/chat/completions")).collect();
    for (at, request) in chats.iter().enumerate() {
        assert_request(at, request);
    }
    let counter = own_counter(&scene);
    assert_eq!(recorded.called.len(), chats.len());
    for (called, request) in recorded.called.iter().zip(&chats) {
        assert_slots_by(called, request, &*counter);
    }
    let shown = assert_shown(&scene, &recorded.called.iter().collect::<Vec<_>>(), &chats, SHOWN);
    let timed = assembly_times(&scene, 1);
    let (median, sum) = (timed[timed.len() / 2], timed.iter().sum::<Duration>());
    let Recorded { calls, folds, by_model, cores, most, prompt, reply, whole, ours, .. } = recorded;
    println!(
        "we counted {ours} prompt tokens; with the whole history in each turn {whole}. {} assemblies took {sum:.1?}, the \
         median {median:.1?}",
        timed.len()
    );
    println!(
        "{done} steps, {} requests, {calls} calls, {folds} summaries ({by_model} by the model), {cores} cores; at most {most} of \
         {WINDOW} tokens; the server counted {prompt} and {reply}; {shown} requests were shown again",
        chats.len()
    );
}
