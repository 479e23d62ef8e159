//! The assembler alone: whatever comes, it never panics, and how a stream is split changes nothing.

use proptest::prelude::*;
use serde_json::{Value, json};
use wakeful::provider::stream::{Assembler, End};
use wakeful::provider::types::is_object;
use wakeful::provider::wire::{Chunk, parse_lossy};
use wakeful::provider::{ErrorKind, Finish, ModelError, Reply};

use super::{calls, finish};

fn assemble(chunks: &[Value], end: &End) -> Result<Reply, ModelError> {
    let mut assembler = Assembler::new();
    for chunk in chunks {
        assembler.push(Chunk::read(chunk));
    }
    assembler.finish(end, "here")
}

fn done() -> End {
    End { done: true, broken: None }
}

/// Any JSON, with the field names that matter more often than not.
fn any_json() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "choices",
        "delta",
        "message",
        "content",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "id",
        "index",
        "finish_reason",
        "usage",
        "prompt_tokens",
        "error",
        "reasoning",
        "text",
        "type",
        "object",
        "model",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
        prop::sample::select(vec!["{}", "{\"a\":", "1}", "0", "stop", "", "thinking"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 40, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..4).prop_map(|fields| Value::Object(
                fields.into_iter().map(|(n, v)| (n.to_owned(), v)).collect()
            )),
        ]
    })
}

/// A chunk of the right shape with arbitrary pieces of calls.
fn any_pieces() -> impl Strategy<Value = Value> {
    let piece = (
        prop::option::of(0u64..3),
        prop::option::of(prop::sample::select(vec!["", "a", "b"])),
        prop::option::of(prop::sample::select(vec!["", "read", "write"])),
        prop::sample::select(vec!["", "{}", "{\"a\":1}", "{\"a", "\":1}", "x"]),
    )
        .prop_map(|(index, id, name, arguments)| {
            json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}})
        });
    prop::collection::vec(piece, 0..4).prop_map(|pieces| calls(Value::from(pieces)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_json_never_panics(chunks in prop::collection::vec(any_json(), 0..6), done in any::<bool>()) {
        let end = End { done, broken: None };
        if let Ok(reply) = assemble(&chunks, &end) {
            for call in &reply.calls {
                prop_assert_eq!(call.complete, is_object(&call.arguments));
            }
        }
    }

    #[test]
    fn arbitrary_pieces_lose_no_byte(chunks in prop::collection::vec(any_pieces(), 0..8)) {
        let sent: usize = chunks
            .iter()
            .flat_map(|c| c["choices"][0]["delta"]["tool_calls"].as_array().unwrap().iter())
            .map(|p| p["function"]["arguments"].as_str().unwrap().len())
            .sum();
        let mut all = chunks.clone();
        all.push(finish("tool_calls"));
        let reply = assemble(&all, &done()).unwrap();
        let kept: usize = reply.calls.iter().map(|c| c.arguments.len()).sum();
        prop_assert_eq!(kept, sent);
    }

    #[test]
    fn how_a_reply_is_split_does_not_matter(
        arguments in prop::collection::vec("[a-z时\"\\\\{}]{0,12}", 1..4),
        text in ".{0,20}",
        cut in 1usize..5,
        with_index in any::<bool>(),
        with_id in any::<bool>(),
    ) {
        let mut chunks = vec![json!({"choices": [{"delta": {"content": text.as_str()}}]})];
        let mut wanted = Vec::new();
        for (index, value) in arguments.iter().enumerate() {
            let whole = json!({"path": value}).to_string();
            let mut piece = json!({"function": {"name": "read_file"}});
            if with_index { piece["index"] = index.into(); }
            if with_id { piece["id"] = format!("id{index}").into(); }
            chunks.push(calls(json!([piece])));
            let letters: Vec<char> = whole.chars().collect();
            for part in letters.chunks(cut) {
                let mut piece = json!({"function": {"arguments": part.iter().collect::<String>()}});
                if with_index { piece["index"] = index.into(); }
                chunks.push(calls(json!([piece])));
            }
            wanted.push(whole);
        }
        chunks.push(finish("tool_calls"));
        let reply = assemble(&chunks, &done()).unwrap();
        prop_assert_eq!(&reply.text, &text);
        let got: Vec<&str> = reply.calls.iter().map(|c| c.arguments.as_str()).collect();
        prop_assert_eq!(got, wanted);
        prop_assert!(reply.calls.iter().all(|c| c.complete));
    }

    #[test]
    fn arbitrary_event_text_never_panics(text in "(\\\\u[dD][89abCDcd][0-9a-f]{2}|\\\\|\"|u|\\{|\\}|:|界|.){0,30}") {
        let _ = parse_lossy(&text);
        let _ = parse_lossy(&format!("{{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}"));
    }
}

#[test]
fn half_surrogates_are_mended_and_whole_ones_kept() {
    let read = |escape: &str| {
        let text = format!("{{\"choices\":[{{\"delta\":{{\"content\":\"{escape}\"}}}}]}}");
        parse_lossy(&text).unwrap().text
    };
    assert_eq!(read("\\ud83d\\udc4d"), "👍");
    assert_eq!(read("\\ud83d\\udc4d\\ud83d"), "👍\u{fffd}");
    assert_eq!(read("\\udc4d\\\\ud83d"), "\u{fffd}\\ud83d");
}

#[test]
fn a_reply_that_is_journaled_reads_back_the_same() {
    let chunks = [
        calls(json!([{"id": "a", "function": {"name": "read_file", "arguments": "{\"path\":\"界\"}"}}])),
        json!({"choices": [{"delta": {"reasoning": "r", "content": "t"}, "finish_reason": "eos"}], "usage": {"prompt_tokens": 3}}),
    ];
    let reply = assemble(&chunks, &done()).unwrap();
    assert_eq!(reply.finish, Finish::Other("eos".into()));
    let text = serde_json::to_string(&reply).unwrap();
    assert_eq!(serde_json::from_str::<Reply>(&text).unwrap(), reply);
    let kind = serde_json::to_string(&ErrorKind::TimeoutFirstToken).unwrap();
    assert_eq!(kind, "\"timeout_first_token\"");
    assert_eq!(serde_json::from_str::<ErrorKind>(&kind).unwrap(), ErrorKind::TimeoutFirstToken);
    // What an older version wrote, with less in it.
    let old: Reply = serde_json::from_str(r#"{"text":"x"}"#).unwrap();
    assert_eq!(old.text, "x");
}

#[test]
fn only_a_finish_reason_or_done_make_a_reply() {
    let text = json!({"choices": [{"delta": {"content": "a"}}]});
    let call = calls(json!([{"id": "a", "function": {"name": "f", "arguments": "{}"}}]));
    let open = calls(json!([{"id": "b", "function": {"name": "f", "arguments": "{"}}]));
    let clean = End::default();
    let broken = End { done: false, broken: Some("reset".into()) };
    let kind = |chunks: &[Value], end: &End| assemble(chunks, end).err().map(|e| e.kind);
    assert_eq!(kind(std::slice::from_ref(&text), &done()), None);
    assert_eq!(kind(std::slice::from_ref(&text), &clean), Some(ErrorKind::CutStream));
    assert_eq!(kind(&[text.clone(), call.clone()], &clean), Some(ErrorKind::CutStream));
    assert_eq!(kind(&[text.clone(), call.clone()], &done()), None);
    assert_eq!(kind(&[text.clone(), call.clone()], &broken), Some(ErrorKind::CutStream));
    assert_eq!(kind(&[call, open], &done()), Some(ErrorKind::CutStream));
    assert_eq!(kind(&[text, finish("stop")], &broken), None);
    assert_eq!(kind(&[], &done()), Some(ErrorKind::CutStream));
    assert_eq!(kind(&[finish("stop")], &clean), None, "an empty reply is a reply");
}

#[test]
fn a_reply_far_beyond_its_limit_keeps_its_beginning() {
    let mut assembler = Assembler::new();
    assembler.push(Chunk::read(&json!({"choices": [{"delta": {"content": "时间 flies"}}]})));
    let call = json!([{"id": "a", "function": {"name": "f", "arguments": "{\"path\":\"a\"}"}}]);
    assembler.push(Chunk::read(&calls(call)));
    assert_eq!(assembler.bytes(), 24);
    assembler.cut(4);
    let reply = assembler.finish(&End::default(), "here").unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("时", Finish::Length));
    assert!(!reply.calls[0].complete && reply.usage.unwrap().completion == 6);
}

#[test]
fn llama_timings_stand_in_for_missing_usage() {
    let chunks = [json!({"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}],
        "timings": {"cache_n": 90, "prompt_n": 10, "predicted_n": 5}})];
    let usage = assemble(&chunks, &done()).unwrap().usage.unwrap();
    assert_eq!((usage.prompt, usage.cached, usage.completion), (100, Some(90), 5));
}
