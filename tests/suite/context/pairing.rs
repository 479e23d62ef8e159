//! No request leaves a call without its result or a result without its call, whatever the history went through.

use super::build::*;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;
use wakeful::context::{MessageText, needed, request_tokens};
use wakeful::run::settings::{Protocol, Strategy as Keep};

/// Checks what a strict server checks, and that a message comes out for every call.
fn assert_paired(messages: &[Value]) {
    assert_eq!(messages[0]["role"], "system");
    assert_eq!(messages.iter().filter(|m| m["role"] == "system").count(), 1);
    let mut seen = BTreeSet::new();
    let mut at = 1;
    while at < messages.len() {
        let message = &messages[at];
        at += 1;
        assert_ne!(message["role"], "tool", "a result without its call");
        assert!(message["content"].is_string());
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let id = call["id"].as_str().expect("id");
            assert!(!id.is_empty() && seen.insert(id.to_owned()), "the id {id} is used twice");
            let arguments = call["function"]["arguments"].as_str().expect("a text");
            assert!(serde_json::from_str::<Value>(arguments).expect("JSON").is_object());
            assert_eq!(messages[at]["role"], "tool", "a call without its result");
            assert_eq!(messages[at]["tool_call_id"], id);
            at += 1;
        }
    }
    assert!(messages.iter().any(|m| m["role"] == "user"));
    assert_ne!(messages.last().expect("some")["role"], "assistant", "a server would go on with these words");
}

#[derive(Clone, Debug)]
enum Op {
    Person(usize),
    Turn { text: usize, calls: Vec<(usize, Done)>, id: Option<bool> },
    Settle,
}

#[derive(Clone, Copy, Debug)]
enum Done {
    Ok,
    Failed,
    /// The process died, and no result was ever recorded.
    Never,
    /// The reply was folded before the result came.
    AfterFold,
    /// The result's text is lost.
    Lost,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let done = prop_oneof![
        8 => Just(Done::Ok), 2 => Just(Done::Failed), 1 => Just(Done::Never), 1 => Just(Done::AfterFold),
        1 => Just(Done::Lost),
    ];
    let len = prop_oneof![6 => 0..200_usize, 1 => 1000..6000_usize];
    let turn = (0..300_usize, prop::collection::vec((len, done), 0..4), prop::option::of(any::<bool>()))
        .prop_map(|(text, calls, id)| Op::Turn { text, calls, id });
    let op = prop_oneof![2 => (0..900_usize).prop_map(Op::Person), 6 => turn, 3 => Just(Op::Settle)];
    prop::collection::vec(op, 1..40)
}

fn perform(bench: &mut Bench, op: Op) {
    match op {
        Op::Person(len) => {
            bench.person(&format!("word {} {}", bench.state.head.seq, "p".repeat(len)));
        }
        Op::Turn { text, calls, id } => {
            // Alike for every call, different for each, or none.
            let names: Vec<Option<String>> = (0..calls.len())
                .map(|i| id.map(|alike| if alike { "call_0".to_owned() } else { format!("x{i}") }))
                .collect();
            let wanted: Vec<(&str, &str, Option<&str>)> =
                names.iter().map(|id| ("read_file", r#"{"path":"a"}"#, id.as_deref())).collect();
            let ids = bench.reply(&"t".repeat(text), &wanted);
            for (id, (len, done)) in ids.iter().zip(calls).rev() {
                let result = "r".repeat(len);
                match done {
                    Done::Ok | Done::Failed => {
                        bench.finish(id, matches!(done, Done::Ok), &result, None);
                    }
                    Done::Never => {}
                    Done::AfterFold => {
                        let upto = bench.state.head.seq;
                        bench.fold(upto, 1, None);
                        bench.last_words = None;
                        bench.finish(id, true, &result, None);
                    }
                    Done::Lost => {
                        let seq = bench.finish(id, true, &result, None);
                        bench.texts.messages.remove(&seq);
                    }
                }
            }
            bench.commit();
        }
        Op::Settle => check(bench),
    }
}

fn check(bench: &mut Bench) {
    match bench.settle() {
        Ok(request) => {
            assert_paired(&request.messages);
            assert_eq!(request_tokens(&request.messages, &request.tools, &chars), request.table.prompt());
            assert!(request.table.total() <= request.table.window);
            assert!(content(&request.messages[0]).contains("the goal, verbatim"));
            if let Some(words) = &bench.last_words {
                assert!(request.messages.iter().any(|m| content(m).contains(words)), "last words are gone");
            }
            // Of a dropped result it takes the text to tell how its call ended.
            assert_eq!(needed(&bench.state).len(), bench.state.path.messages.len());
        }
        Err(big) => assert!(big.used > 0 && !big.words.is_empty()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_request_is_paired_counted_and_reached(
        ops in ops(), window in 5000..16_000_u32, rounds in any::<bool>(), schema in any::<bool>(), head in any::<bool>(),
    ) {
        let mut with = settings(window);
        with.context.strategy = if rounds { Keep::Rounds } else { Keep::Combined };
        with.model.protocol = if schema { Protocol::Schema } else { Protocol::Native };
        with.model.state_at_head = head;
        let mut bench = Bench::new(with, goal("the goal, verbatim"));
        for op in ops {
            perform(&mut bench, op);
        }
        check(&mut bench);
    }
}

#[test]
fn a_call_whose_result_was_never_recorded_is_answered() {
    let mut bench = Bench::new(settings(50_000), goal("g"));
    let ids = bench.reply("Two.", &[("read_file", "{}", Some("a")), ("read_file", "{\"path\":", Some("a"))]);
    bench.finish(&ids[0], true, "first", None);
    bench.person("continue");
    let request = bench.settle().expect("fits");
    assert_paired(&request.messages);
    let tools: Vec<&Value> = request.messages.iter().filter(|m| m["role"] == "tool").collect();
    assert_eq!((tools.len(), content(tools[0])), (2, "first"));
    assert!(content(tools[1]).starts_with("[interrupted: no result is recorded"));
    assert_eq!(
        (&tools[0]["tool_call_id"], &tools[1]["tool_call_id"]),
        (&"a".into(), &ids[1].as_str().into())
    );
    // When the result comes after the person's words it still stands behind its call.
    bench.finish(&ids[1], false, "second", None);
    let request = bench.settle().expect("fits");
    assert_paired(&request.messages);
    let at = request.messages.iter().position(|m| m["content"] == "second").expect("shown");
    assert_eq!(request.messages[at + 1]["content"], "continue");
}

#[test]
fn a_result_without_its_call_is_kept_as_a_note() {
    let mut bench = Bench::new(settings(50_000), goal("g"));
    let ids = bench.reply("One.", &[("read_file", "{}", None)]);
    let upto = bench.state.head.seq;
    bench.fold(upto, 1, None);
    bench.finish(&ids[0], true, "words that came late", None);
    let request = bench.settle().expect("fits");
    assert_paired(&request.messages);
    assert!(
        request.messages.iter().any(|m| m["role"] == "user" && content(m).ends_with("words that came late"))
    );
}

#[test]
fn reasoning_goes_back_only_where_the_profile_says_so() {
    for send in [false, true] {
        let mut with = settings(50_000);
        with.model.send_reasoning = send;
        let mut bench = Bench::new(with, goal("g"));
        bench.step("Look.", "a.rs", "text");
        for text in bench.texts.messages.values_mut() {
            if let MessageText::Agent { reasoning, .. } = text {
                *reasoning = Some("because".to_owned());
            }
        }
        let request = bench.settle().expect("fits");
        let reply = request.messages.iter().find(|m| m["role"] == "assistant").expect("reply");
        assert_eq!(reply.get("reasoning_content").is_some(), send);
    }
}
