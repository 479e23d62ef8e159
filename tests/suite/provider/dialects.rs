//! Dialects of the usual servers, each as a real exchange.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use wakeful::provider::openai::{OpenAi, Options};
use wakeful::provider::{Cancel, ChatRequest, Delta, ErrorKind, Finish, Progress, Provider, Reply, Usage};

use super::server::{Answer, ChatServer};
use super::{ask, calls, chat, delta, finish, provider};

async fn reply(chunks: &[Value]) -> Reply {
    let server = ChatServer::script(vec![Answer::chunks(chunks)]);
    chat(&server).await.unwrap()
}

/// Names and arguments of a reply's calls; each must be whole.
fn whole(reply: &Reply) -> Vec<(&str, &str)> {
    assert!(reply.calls.iter().all(|c| c.complete), "{:?}", reply.calls);
    reply.calls.iter().map(|c| (c.name.as_str(), c.arguments.as_str())).collect()
}

const TWO: [(&str, &str); 2] = [("read_file", r#"{"path":"a"}"#), ("read_file", r#"{"path":"b"}"#)];

#[tokio::test]
async fn a_plain_reply_with_everything() {
    let server = ChatServer::start(|_, _| {
        Answer::head(200, &[("content-type", "text/event-stream; charset=utf-8"), ("x-request-id", "req-7")])
            .data(&json!({"id": "x", "model": "stub-1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": null}}]}))
            .data(&delta(json!({"reasoning_content": "hm"})))
            .data(&delta(json!({"content": "时间"})))
            .data(&delta(json!({"content": " flies"})))
            .data(&finish("stop"))
            .data(&json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13,
                "prompt_tokens_details": {"cached_tokens": 7}, "completion_tokens_details": {"reasoning_tokens": 1}}}))
            .done()
    });
    let seen = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&seen);
    let progress = Progress::new(move |d| to.lock().unwrap().push(d));
    let request = ChatRequest {
        tools: vec![json!({"type": "function", "function": {"name": "t"}})],
        max_tokens: Some(99),
        temperature: Some(0.5),
        extra: json!({"seed": 3}).as_object().unwrap().clone(),
        ..ask("hello")
    };
    let reply = provider(&server).chat(request, progress, Cancel::new()).await.unwrap();
    assert_eq!(reply.text, "时间 flies");
    assert_eq!(reply.reasoning.as_deref(), Some("hm"));
    assert_eq!(reply.finish, Finish::Stop);
    assert_eq!(reply.model.as_deref(), Some("stub-1"));
    assert_eq!(reply.request_id.as_deref(), Some("req-7"));
    assert!(reply.first_token_ms <= reply.total_ms);
    let usage = Usage {
        prompt: 9,
        completion: 4,
        cached: Some(7),
        total: Some(13),
        reasoning: Some(1),
        estimated: false,
    };
    assert_eq!(reply.usage, Some(usage));
    assert_eq!(
        *seen.lock().unwrap(),
        [Delta::Reasoning("hm".into()), Delta::Text("时间".into()), Delta::Text(" flies".into())]
    );

    let requests = server.requests();
    assert_eq!(requests.len(), 1, "one request a call");
    let sent = &requests[0];
    assert_eq!((sent.method.as_str(), sent.path.as_str()), ("POST", "/v1/chat/completions"));
    assert_eq!(sent.header("authorization"), Some("Bearer sk-test-key-0123456789"));
    assert_eq!(sent.header("openai-organization"), None);
    assert_eq!(
        sent.body,
        json!({"model": "stub", "messages": [{"role": "user", "content": "hello"}],
            "tools": [{"type": "function", "function": {"name": "t"}}], "max_tokens": 99, "temperature": 0.5,
            "stream": true, "stream_options": {"include_usage": true}, "seed": 3})
    );
}

#[tokio::test]
async fn quirks_change_the_request_and_no_key_sends_no_header() {
    let server = ChatServer::script(vec![Answer::text("ok")]);
    let mut options = Options::new("stub", &format!("{}/", server.base()), None);
    options.include_usage = false;
    options.max_completion_tokens = true;
    let request = ChatRequest { max_tokens: Some(5), ..ask("hi") };
    OpenAi::new(options).unwrap().chat(request, Progress::none(), Cancel::new()).await.unwrap();
    let sent = &server.requests()[0];
    assert_eq!(sent.path, "/v1/chat/completions");
    assert_eq!(sent.header("authorization"), None);
    assert_eq!(sent.body["max_completion_tokens"], 5);
    assert_eq!(sent.body.get("max_tokens"), None);
    assert_eq!(sent.body.get("stream_options"), None);
    assert_eq!(sent.body.get("tools"), None);
}

#[tokio::test]
async fn p01_calls_without_index_stay_apart() {
    let by_id = [
        calls(json!([{"id": "a", "function": {"name": "read_file", "arguments": "{\"path\":"}}])),
        calls(json!([{"function": {"arguments": "\"a\"}"}}])),
        calls(json!([{"id": "b", "function": {"name": "read_file", "arguments": "{\"path\":"}}])),
        calls(json!([{"function": {"arguments": "\"b\"}"}}])),
        finish("tool_calls"),
    ];
    let answer = reply(&by_id).await;
    assert_eq!(whole(&answer), TWO);
    assert_eq!(answer.calls[1].provider_id.as_deref(), Some("b"));
    assert_eq!(answer.finish, Finish::ToolCalls);

    // Side by side in one chunk, without ids too.
    let by_position = [
        calls(json!([
            {"function": {"name": "read_file", "arguments": "{\"path\":"}},
            {"function": {"name": "read_file", "arguments": "{\"path\":"}}
        ])),
        calls(json!([{"function": {"arguments": "\"a\"}"}}, {"function": {"arguments": "\"b\"}"}}])),
        finish("tool_calls"),
    ];
    let answer = reply(&by_position).await;
    assert_eq!(answer.calls.len(), 2, "{:?}", answer.calls);
    assert_eq!(whole(&answer), TWO);
}

#[tokio::test]
async fn p02_calls_that_are_all_index_zero_stay_apart() {
    let two_ids = [
        calls(
            json!([{"index": 0, "id": "a", "function": {"name": "read_file", "arguments": "{\"path\":\"a\"}"}}]),
        ),
        calls(json!([{"index": 0, "id": "b", "function": {"name": "read_file", "arguments": ""}}])),
        calls(json!([{"index": 0, "function": {"arguments": "{\"path\":\"b\"}"}}])),
        finish("tool_calls"),
    ];
    assert_eq!(whole(&reply(&two_ids).await), TWO);

    let no_ids = [
        calls(json!([{"index": 0, "function": {"name": "read_file", "arguments": "{\"path\":\"a\"}"}}])),
        calls(json!([{"index": 0, "function": {"name": "read_file", "arguments": "{\"path\":\"b\"}"}}])),
        finish("tool_calls"),
    ];
    assert_eq!(whole(&reply(&no_ids).await), TWO);

    // A name or an id that is repeated with every piece is no new call.
    let repeated = [
        calls(json!([{"index": 0, "id": "a", "function": {"name": "read_file", "arguments": "{\"path\""}}])),
        calls(json!([{"index": 0, "id": "a", "function": {"name": "read_file", "arguments": ":\"a\"}"}}])),
        calls(json!([{"index": 1, "id": "b", "function": {"name": "read_file", "arguments": "{\"path\""}}])),
        calls(json!([{"index": 1, "id": "changed", "function": {"name": null, "arguments": ":\"b\"}"}}])),
        calls(json!([{"index": 1, "id": "b", "function": {"name": "read_file", "arguments": ""}}])),
        finish("tool_calls"),
    ];
    assert_eq!(whole(&reply(&repeated).await), TWO);
}

#[tokio::test]
async fn p03_unknown_finish_reasons_are_kept() {
    for (sent, kept) in [
        (json!("eos"), Finish::Other("eos".into())),
        (json!("eos_token"), Finish::Other("eos_token".into())),
        (json!(""), Finish::None),
        (json!(null), Finish::None),
        (json!("content_filter"), Finish::ContentFilter),
        (json!("length"), Finish::Length),
        (json!("function_call"), Finish::ToolCalls),
    ] {
        let last = json!({"choices": [{"delta": {"content": "!"}, "finish_reason": sent}]});
        let answer = reply(&[delta(json!({"content": "hi"})), last]).await;
        assert_eq!((answer.text.as_str(), &answer.finish), ("hi!", &kept));
    }
}

#[tokio::test]
async fn p04_p05_only_choices_are_needed() {
    let answer = reply(&[
        json!({"choices": [{"delta": {"content": "a"}}], "usage": {}}),
        json!({"choices": null, "usage": null}),
        json!({"choices": [], "usage": {"prompt_tokens": "12", "completion_tokens": 3.0}}),
        json!({"choices": [{"delta": {"content": [{"type": "text", "text": "b"}, {"type": "thinking", "thinking": "t"}]}}]}),
        json!({"choices": [{"delta": null, "finish_reason": "stop"}], "usage": {"total_tokens": "15"}, "created": "odd"}),
    ])
    .await;
    assert_eq!(answer.text, "ab");
    assert_eq!(answer.reasoning.as_deref(), Some("t"));
    let usage = answer.usage.unwrap();
    assert_eq!((usage.prompt, usage.completion, usage.total), (12, 3, Some(15)));
}

#[tokio::test]
async fn p08_reasoning_is_kept_under_every_name_and_only_once() {
    for piece in [
        json!({"reasoning_content": "r"}),
        json!({"reasoning": "r"}),
        json!({"reasoning_content": "r", "reasoning": "r"}),
        json!({"reasoning_content": null, "reasoning": "r"}),
    ] {
        let answer = reply(&[delta(piece), delta(json!({"content": "x"})), finish("stop")]).await;
        assert_eq!(answer.reasoning.as_deref(), Some("r"));
    }
}

#[tokio::test]
async fn p08_what_the_caller_renders_is_sent_as_it_is() {
    // A server that wants its reasoning back with the turn that called a tool.
    let server = ChatServer::start(|_, request| {
        let heard = request.body["messages"][1]["reasoning_content"] == "because";
        if heard {
            Answer::text("thanks")
        } else {
            let why = "The reasoning_content in the thinking mode must be passed back to the API.";
            Answer::json(400, &json!({"error": {"message": why, "type": "invalid_request_error"}}))
        }
    });
    let mut request = ask("hi");
    request.messages.push(json!({"role": "assistant", "content": "", "tool_calls": []}));
    let provider = provider(&server);
    let error = provider.chat(request.clone(), Progress::none(), Cancel::new()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadRequest);
    assert!(error.message.contains("reasoning_content"), "{error}");
    request.messages[1]["reasoning_content"] = "because".into();
    let answer = provider.chat(request, Progress::none(), Cancel::new()).await;
    assert_eq!(answer.unwrap().text, "thanks");
}

#[tokio::test]
async fn arguments_as_an_object_are_serialised() {
    let answer = reply(&[
        calls(json!([{"id": "a", "function": {"name": "read_file", "arguments": {"path": "a"}}}])),
        calls(json!([{"id": "b", "function": {"name": "read_file", "arguments": {"path": "b"}}}])),
        finish("tool_calls"),
    ])
    .await;
    assert_eq!(whole(&answer), TWO);
}

#[tokio::test]
async fn p10_p11_broken_arguments_stay_as_they_came_and_never_become_empty() {
    for reason in ["tool_calls", "length", "stop", "eos"] {
        let answer = reply(&[
            calls(json!([{"index": 0, "id": "a", "function": {"name": "write_file", "arguments": "{\"path\":"}}])),
            finish(reason),
        ])
        .await;
        assert_eq!(answer.calls[0].arguments, "{\"path\":", "{reason}");
        assert!(!answer.calls[0].complete, "{reason}");
    }
    // None at all is told apart from `{}`.
    let answer = reply(&[
        calls(json!([{"id": "a", "function": {"name": "now", "arguments": ""}}, {"id": "b", "function": {"name": "now", "arguments": "{}"}}])),
        finish("tool_calls"),
    ])
    .await;
    assert!(answer.calls[0].without_arguments() && !answer.calls[0].complete);
    assert!(!answer.calls[1].without_arguments() && answer.calls[1].complete);
}

#[tokio::test]
async fn p13_p15_a_bad_call_beside_a_good_one_keeps_its_place_and_id() {
    let answer = reply(&[
        calls(json!([{"index": 0, "id": "bad", "function": {"name": "write_file", "arguments": "{\"path\":"}}])),
        calls(json!([{"index": 1, "id": "good", "function": {"name": "read_file", "arguments": "{\"path\":\"a\"}"}}])),
        finish("tool_calls"),
    ])
    .await;
    let told: Vec<_> = answer.calls.iter().map(|c| (c.provider_id.as_deref().unwrap(), c.complete)).collect();
    assert_eq!(told, [("bad", false), ("good", true)]);
}

#[tokio::test]
async fn a_whole_completion_in_json_is_a_reply_too() {
    let body = json!({"id": "c", "object": "chat.completion", "model": "m", "choices": [{"index": 0,
        "message": {"role": "assistant", "content": "hi", "reasoning": "r", "tool_calls": [
            {"id": "", "type": "function", "function": {"name": "read_file", "arguments": {"path": "a"}}},
            {"id": "", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":\"b\"}"}}]},
        "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 1, "completion_tokens": 2}});
    let pretty = serde_json::to_string_pretty(&body).unwrap();
    for kind in ["application/json", "text/event-stream", "text/plain"] {
        let server = ChatServer::script(vec![Answer::body(200, &[("content-type", kind)], &pretty)]);
        let answer = chat(&server).await.unwrap();
        assert_eq!(answer.text, "hi");
        assert_eq!(whole(&answer), TWO);
        assert_eq!(answer.usage.unwrap().completion, 2);
    }
    // Without a finish reason it is whole all the same.
    let short = json!({"choices": [{"message": {"content": "yes"}}]});
    let server = ChatServer::script(vec![Answer::json(200, &short)]);
    assert_eq!(chat(&server).await.unwrap().text, "yes");
}

#[tokio::test]
async fn odd_bytes_in_the_stream_are_read() {
    let odd = Answer::head(200, &[])
        .raw(b"\xef\xbb\xbf: waiting\r\n\r\n")
        .raw(b"event: message\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"\xff\xfe\"}}]}\r\n\r\n")
        .raw(b"data: {\"choices\":[{\"delta\":{\"content\":\"\xe6")
        .raw(b"\x97\xb6")
        .raw(b"\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d!\"}}]}\n\n")
        .raw(b"data:{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}");
    let server = ChatServer::script(vec![odd]);
    let answer = chat(&server).await.unwrap();
    assert_eq!(answer.text, "\u{fffd}\u{fffd}时\u{fffd}!");
    assert_eq!(answer.finish, Finish::Stop);
}

#[tokio::test]
async fn a_stream_that_stays_open_after_the_finish_reason_is_whole() {
    let open = Answer::stream().data(&delta(json!({"content": "done"}))).data(&finish("stop")).hang();
    let server = ChatServer::script(vec![open]);
    let mut options = Options::new("stub", &server.base(), None);
    options.time_outs.between_tokens = Some(std::time::Duration::from_millis(100));
    let answer =
        OpenAi::new(options).unwrap().chat(ask("hi"), Progress::none(), Cancel::new()).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.finish), ("done", Finish::Stop));
}

#[tokio::test]
async fn a_large_event_in_many_packets_is_read_in_linear_time() {
    // 3 MiB in one line: scanning it anew with each packet would take longer than a test may.
    let text = "界".repeat(1 << 20);
    let line = format!("data: {}\n\n", delta(json!({"content": text})));
    let mut answer = Answer::stream();
    for part in line.as_bytes().chunks(4096) {
        answer = answer.raw(part);
    }
    let server = ChatServer::script(vec![answer.data(&finish("stop")).done()]);
    let read = tokio::time::timeout(super::server::PATIENCE, chat(&server)).await;
    assert_eq!(read.expect("too slow").unwrap().text.len(), text.len());
}
