//! What came over the wire against what is said of it: the slots of a request against the table that was made of it, and its
//! bytes against those that `wakeful context` shows.

use super::scene::{Scene, asks_keeper, asks_summary, messages};
use crate::suite::provider::server::Request;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wakeful::context::{Assembly, FRAMING, PRIMING, assemble, request_tokens};
use wakeful::run::calibration::{NEUTRAL, scaled};
use wakeful::run::{Decoded, Event, Purpose};
use wakeful::store::TextCache;
use wakeful::tokens::{Counter, Estimate, counter_of};

/// Tokens by which a figure may differ: sections are rounded up one by one, and once more where estimates are corrected.
const NEAR: u64 = 4;
const CORRECTED: u64 = 9;

/// Tokens of these messages, their framing included.
fn tokens(messages: &[Value], count: &dyn Fn(&str) -> u32) -> u32 {
    request_tokens(messages, &[], &count) - PRIMING
}

/// The counter of the newest run's own model.
pub fn own_counter(scene: &Scene) -> Arc<dyn Counter> {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let store = scene.store();
        let run = scene.last(&store).await;
        counter_of(&store.load(&run).await.unwrap().state.settings().unwrap().model)
    })
}

/// What a slot of a table holds.
pub fn used(table: &Value, slot: &str) -> u64 {
    let rows = table["rows"].as_array().unwrap();
    rows.iter().find(|row| row["slot"] == slot).unwrap_or_else(|| panic!("no {slot} in {table}"))["used"]
        .as_u64()
        .unwrap()
}

/// Tokens of each slot of a turn or a report, by what was sent: those of the system message by its headings, the last
/// message, and all between. Tools that are text stand in the system message, before the goal.
fn sent(request: &Request, count: &dyn Fn(&str) -> u32) -> Vec<(&'static [&'static str], u32)> {
    let messages = messages(request);
    let head = messages[0]["content"].as_str().unwrap();
    let goal = head.find("GOAL (version ").expect("no goal");
    let after = |from: usize, words: &str| head[from..].find(words).map_or(head.len(), |at| from + at);
    let summary = after(goal, "\n\nSUMMARY of earlier turns");
    let core = after(goal, "\n\nCORE of the task").min(summary);
    let tools = request.body["tools"].as_array().cloned().unwrap_or_default();
    let (tail, recent) = messages[1..].split_last().unwrap();
    assert!(tail["content"].as_str().unwrap().contains("STATE kept by wakeful"), "{tail}");
    let rules = count(&head[..goal]) + FRAMING + PRIMING;
    let mut slots: Vec<(&'static [&'static str], u32)> = match tools.is_empty() {
        true => vec![(&["system", "tools"], rules)],
        false => {
            vec![(&["system"], rules), (&["tools"], request_tokens(&[], &tools, &count) - PRIMING)]
        }
    };
    slots.extend::<[(&'static [&'static str], u32); 4]>([
        (&["goal"], count(&head[goal..core])),
        (&["core", "summary"], count(&head[core..])),
        (&["recent"], tokens(recent, count)),
        (&["long-term", "state"], tokens(std::slice::from_ref(tail), count)),
    ]);
    slots
}

/// Checks the table of a `model_called` event against the request that was sent for it: each slot of a turn, the whole
/// prompt of what was asked beside the conversation.
pub fn assert_slots(called: &Value, request: &Request) {
    assert_slots_by(called, request, &Estimate);
}

/// The same by the counter of the run's model.
pub fn assert_slots_by(called: &Value, request: &Request, counter: &dyn Counter) {
    let count = |text: &str| counter.count(text);
    let table = &called["table"];
    let factor = table["learnt"].as_u64().map_or(NEUTRAL, |learnt| u32::try_from(learnt).unwrap());
    let near = |what: &str, ours: u64, raw: u32| {
        let sent = u64::from(scaled(raw, factor));
        let most = if factor == NEUTRAL { NEAR } else { CORRECTED };
        assert!(
            ours.abs_diff(sent) <= most,
            "{what}: the table says {ours}, what was sent counts {sent}: {table}"
        );
    };
    if asks_summary(request) || asks_keeper(request) {
        let rows = table["rows"].as_array().unwrap();
        let prompt =
            rows.iter().filter(|row| row["slot"] != "reserve").map(|row| row["used"].as_u64().unwrap());
        return near("prompt", prompt.sum(), request_tokens(messages(request), &[], &count));
    }
    for (slots, raw) in sent(request, &count) {
        near(&slots.join(" and "), slots.iter().map(|slot| used(table, slot)).sum(), raw);
    }
}

/// The flag with which what was sent is shown again.
fn flag(request: &Request) -> &'static str {
    if asks_summary(request) {
        "--summary"
    } else if asks_keeper(request) {
        "--core"
    } else {
        "--request"
    }
}

/// Asks for some of the requests of a run again, about `some` and the last one, and compares them byte for byte with what
/// came over the wire; gives how many. `called` are the `model_called` events, of which each sent a request. Of several of
/// a kind in one step the last is shown.
pub fn assert_shown(scene: &Scene, called: &[&Value], requests: &[&Request], some: usize) -> usize {
    assert_eq!(called.len(), requests.len());
    let mut last = BTreeMap::new();
    for (called, request) in called.iter().zip(requests) {
        last.insert((called["step"].as_u64().unwrap(), flag(request)), (called, request));
    }
    let (all, apart) = (last.len(), last.len().div_ceil(some.max(1)));
    let chosen = last.into_iter().enumerate().filter(|(at, _)| at % apart == 0 || at + 1 == all);
    let mut shown_again = 0;
    for (_, ((step, flag), (called, request))) in chosen {
        let about = format!("step {step} {flag}");
        let out = scene
            .command(&["context", "last", flag, "--json", "--step", &step.to_string()])
            .output()
            .unwrap();
        let shown: Value = serde_json::from_slice(&out.stdout)
            .unwrap_or_else(|e| panic!("{about}: {e}: {}", String::from_utf8_lossy(&out.stderr)));
        assert_eq!(out.status.code(), Some(0), "{about}: {}", shown["differs"]);
        assert_eq!(shown["rebuilt"], called["request"]["hash"], "{about}");
        for part in ["messages", "tools", "response_format", "max_tokens", "temperature"] {
            let bytes = |value: &Value| value.get(part).map(Value::to_string);
            assert_eq!(bytes(&shown["request"]), bytes(&request.body), "{about}: {part}");
        }
        shown_again += 1;
    }
    shown_again
}

/// How long the assembly of every so many-th request of the newest run takes when it is made once more with its texts at
/// hand, the shortest first.
pub fn assembly_times(scene: &Scene, apart: usize) -> Vec<Duration> {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let store = scene.store();
        let run = scene.last(&store).await;
        let head = store.load(&run).await.unwrap().state.head.seq;
        let turn = |event: &Decoded| match event {
            Decoded::Known(event) => {
                matches!(&**event, Event::ModelCalled { purpose: Purpose::Turn, .. })
            }
            Decoded::Unknown { .. } => false,
        };
        let all = store.events(&run, 1, head).await.unwrap();
        let asked: Vec<u64> = all.iter().filter(|one| turn(&one.event)).map(|one| one.seq - 1).collect();
        let mut times = Vec::new();
        for seq in asked.into_iter().step_by(apart.max(1)) {
            let state = store.state_at(&run, seq).await.unwrap();
            let texts = TextCache::default().load(&store, &state).await.unwrap();
            let counter = counter_of(&state.settings().unwrap().model);
            let begun = Instant::now();
            let made = assemble(&state, &texts, Purpose::Turn, &|text| counter.count(text)).unwrap();
            times.push(begun.elapsed());
            assert!(matches!(made, Assembly::Ready(_)), "the request of seq {seq} is not made again");
        }
        times.sort_unstable();
        times
    })
}
