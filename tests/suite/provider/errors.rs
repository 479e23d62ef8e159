//! What servers say when they do not answer, as real exchanges.

use std::time::Duration;

use serde_json::{Value, json};
use wakeful::provider::openai::{OpenAi, Options};
use wakeful::provider::retry::{RetryPolicy, plan};
use wakeful::provider::{Cancel, ErrorKind, ModelError, Progress, Provider, WindowHint};

use super::server::{Answer, ChatServer};
use super::{ask, calls, chat, delta, finish};

async fn error(answer: Answer) -> ModelError {
    let server = ChatServer::script(vec![answer]);
    let error = chat(&server).await.unwrap_err();
    assert_eq!(server.requests().len(), 1, "no retry inside");
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains("0123456789"), "a key is shown: {shown}");
    assert!(error.message.contains(&server.base()), "no endpoint: {error}");
    error
}

async fn said(status: u16, body: Value) -> ModelError {
    error(Answer::json(status, &body)).await
}

#[tokio::test]
async fn each_status_has_its_kind() {
    for (status, body, kind) in [
        (401, json!({"error": {"message": "Incorrect API key: sk-test-key-0123456789"}}), ErrorKind::Auth),
        (403, json!({"detail": "no"}), ErrorKind::Auth),
        (402, json!({"error": {"message": "Insufficient Balance"}}), ErrorKind::Quota),
        (429, json!({"error": {"code": "insufficient_quota", "message": "billing"}}), ErrorKind::Quota),
        (404, json!({"error": {"message": "model \"x\" not found"}}), ErrorKind::NotFound),
        (400, json!({"error": {"code": "model_not_found", "message": "?"}}), ErrorKind::NotFound),
        (422, json!({"detail": [{"msg": "field required"}]}), ErrorKind::BadRequest),
        (400, json!({"object": "error", "message": "bad", "code": 400}), ErrorKind::BadRequest),
        (429, json!([{"error": {"code": 429, "message": "slow down"}}]), ErrorKind::RateLimited),
        (500, json!({"error": "oops"}), ErrorKind::Overloaded),
        (503, json!({"error": {"message": "Loading model", "code": 503}}), ErrorKind::Loading),
        (529, json!({"type": "error"}), ErrorKind::Overloaded),
        (
            500,
            json!({"error": {"code": 500, "message": "Failed to parse tool call arguments as JSON: …"}}),
            ErrorKind::BadModelJson,
        ),
        (
            400,
            json!({"error": {"code": "tool_use_failed", "message": "Failed to call a function."}}),
            ErrorKind::BadModelJson,
        ),
    ] {
        let error = said(status, body.clone()).await;
        assert_eq!(error.kind, kind, "{status} {body}");
        assert_eq!(error.status, Some(status));
        assert!(!error.body_excerpt.is_empty());
    }
}

#[tokio::test]
async fn p16_retry_after_is_read_in_every_form_and_minutes_are_honoured() {
    let soon = "Sun, 06 Nov 1994 08:49:37 GMT";
    let later = "Sun, 06 Nov 1994 08:54:37 GMT";
    for (headers, wait) in [
        (vec![("retry-after", "300")], 300.0),
        (vec![("retry-after", "1.5")], 1.5),
        (vec![("retry-after-ms", "2500"), ("retry-after", "3")], 2.5),
        (vec![("date", soon), ("retry-after", later)], 300.0),
        (vec![("date", later), ("retry-after", soon)], 0.0),
    ] {
        let body = json!({"error": {"message": "slow down"}}).to_string();
        let mut all = headers.clone();
        all.push(("x-request-id", "req-9"));
        let error = error(Answer::body(429, &all, &body)).await;
        assert_eq!(error.kind, ErrorKind::RateLimited);
        assert_eq!(error.retry_after, Some(Duration::from_secs_f64(wait)), "{headers:?}");
        assert_eq!(error.request_id.as_deref(), Some("req-9"));
        let planned = plan(1, &error, &mut rand::rng()).unwrap();
        assert!(planned >= Duration::from_secs_f64(wait.max(1.0)), "{planned:?}");
    }
    let words = said(429, json!({"error": {"message": "Please try again in 1m2.5s."}})).await;
    assert_eq!(words.retry_after, Some(Duration::from_secs_f64(62.5)));
}

#[tokio::test]
async fn a_server_that_loads_its_model_is_asked_again_for_a_while() {
    let loading =
        said(503, json!({"error": {"message": "Loading model", "type": "unavailable_error"}})).await;
    let waits: Vec<_> = (1..).map_while(|attempt| plan(attempt, &loading, &mut rand::rng())).collect();
    let sum: Duration = waits.iter().sum();
    assert!((60..300).contains(&sum.as_secs()), "{sum:?} in {} attempts", waits.len());
    let never = RetryPolicy { retries: 0, ..RetryPolicy::default() };
    assert_eq!(never.plan(1, &loading, &mut rand::rng()), None, "no retries are wanted");
}

#[tokio::test]
async fn p18_a_bare_429_is_planned_with_backoff_and_jitter() {
    let error = error(Answer::body(429, &[], "")).await;
    assert_eq!((error.kind, error.retry_after), (ErrorKind::RateLimited, None));
    let mut rng = rand::rng();
    let mut waits = std::collections::HashSet::new();
    for _ in 0..50 {
        for (attempt, least) in [(1, 1.0), (2, 2.0)] {
            let wait = plan(attempt, &error, &mut rng).unwrap();
            assert!((least..=least * 1.5).contains(&wait.as_secs_f64()), "{wait:?}");
            waits.insert(wait);
        }
    }
    assert!(waits.len() > 50, "no jitter");
    assert_eq!(plan(3, &error, &mut rng), None, "two retries");
    assert_eq!(plan(0, &error, &mut rng), None);
    let stubborn = RetryPolicy { retries: 40, ..RetryPolicy::default() };
    let wait = stubborn.plan(40, &error, &mut rng).unwrap();
    assert!(wait <= Duration::from_secs(90), "capped: {wait:?}");
    let bad = said(400, json!({"error": {"message": "no"}})).await;
    assert_eq!(plan(1, &bad, &mut rng), None, "the same again would not help");
}

#[test]
fn a_run_at_work_gives_a_server_time_to_start_anew() {
    let policy = RetryPolicy::at_work(2);
    let wait = |attempt, error: &ModelError| policy.plan(attempt, error, &mut rand::rng());
    let gone = ModelError::new(ErrorKind::Connect, "http://localhost/v1", "refused");
    for (attempt, least) in [(1, 5.0), (2, 20.0)] {
        let wait = wait(attempt, &gone).unwrap().as_secs_f64();
        assert!((least..=least * 1.5).contains(&wait), "{attempt}: {wait}");
    }
    assert_eq!(wait(3, &gone), None, "two retries");
    let asked = ModelError { retry_after: Some(Duration::from_secs(9)), ..gone.clone() };
    assert!(wait(1, &asked).unwrap() >= Duration::from_secs(9));
    let cut = ModelError::new(ErrorKind::CutStream, "http://localhost/v1", "");
    assert!(wait(1, &cut).unwrap() <= Duration::from_millis(1500), "others as before");
    let first = RetryPolicy::default().plan(1, &gone, &mut rand::rng()).unwrap();
    assert!(first <= Duration::from_millis(1500), "a first contact is told soon");
}

#[tokio::test]
async fn a_prompt_that_is_too_long_teaches_the_window() {
    let hint = |prompt: u64, window: u64| WindowHint { prompt_tokens: Some(prompt), window: Some(window) };
    let message = |text: &str| json!({"error": {"message": text}});
    for (status, body, wanted) in [
        (
            400,
            json!({"error": {"code": "context_length_exceeded", "message": "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion)."}}),
            hint(4000, 4097),
        ),
        (
            400,
            message(
                "This model's maximum context length is 128,000 tokens. However, your messages resulted in 130,500 tokens.",
            ),
            hint(130_500, 128_000),
        ),
        (
            400,
            json!({"error": {"code": 400, "type": "exceed_context_size_error", "message": "request (5210 tokens) exceeds the available context size (4096 tokens), try increasing it", "n_prompt_tokens": 5210, "n_ctx": 4096}}),
            hint(5210, 4096),
        ),
        (
            400,
            json!({"object": "error", "message": "The decoder prompt (length 9000) is longer than the maximum model length of 8192.", "code": 400}),
            hint(9000, 8192),
        ),
        (
            400,
            message(
                "'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum context length is 4096 tokens and your request has 3500 input tokens",
            ),
            hint(3500, 4096),
        ),
        (
            500,
            message(
                "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
            ),
            hint(5000, 4096),
        ),
        (400, message("prompt is too long: 205000 tokens > 200000 maximum"), hint(205_000, 200_000)),
        (
            400,
            message(
                "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
            ),
            hint(1_100_000, 1_048_576),
        ),
        (
            400,
            message(
                "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens: 4000 tokens from the input messages and 1000 tokens for the completion.",
            ),
            hint(4000, 4096),
        ),
        (
            400,
            message(
                "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            ),
            hint(40_000, 32_768),
        ),
    ] {
        let error = said(status, body.clone()).await;
        assert_eq!(error.kind, ErrorKind::PromptTooLong, "{body}");
        assert_eq!(error.window.as_deref(), Some(&wanted), "{body}");
        assert!(!error.retryable());
    }
    // Known as too long even where no number is given.
    for text in [
        "the input length exceeds the context length",
        "prompt too long; exceeded max context length by 12 tokens",
    ] {
        let error = said(500, json!({"error": text})).await;
        assert_eq!(error.kind, ErrorKind::PromptTooLong);
    }
}

#[tokio::test]
async fn a_200_that_is_no_completion_is_an_error() {
    let page = "<!doctype html><html><title>Sign in</title><body>Welcome to the portal</body>";
    let html = error(Answer::body(200, &[("content-type", "text/html")], page)).await;
    assert_eq!(html.kind, ErrorKind::NotSse);
    assert!(html.body_excerpt.contains("portal"));

    let in_disguise = json!({"error": {"message": "invalid key", "code": 401}});
    let json_error = said(200, in_disguise).await;
    assert_eq!(json_error.kind, ErrorKind::Auth);
    let other = said(200, json!({"hello": "world"})).await;
    assert_eq!(other.kind, ErrorKind::NotSse);
    let listing = said(200, json!([1, 2])).await;
    assert_eq!(listing.kind, ErrorKind::NotSse);
    let empty = error(Answer::body(200, &[], "")).await;
    assert_eq!(empty.kind, ErrorKind::CutStream);
    let moved = error(Answer::body(301, &[("location", "https://u:p@there/v1")], "")).await;
    assert_eq!(moved.kind, ErrorKind::NotFound);
    assert!(moved.message.contains("https://there/v1"), "{moved}");
}

#[tokio::test]
async fn an_error_object_in_mid_stream_is_an_error() {
    let begun = Answer::stream().data(&delta(json!({"content": "a"})));
    let plain = begun.clone().data(&json!({"error": {"message": "engine died", "type": "server_error"}}));
    assert_eq!(error(plain.done()).await.kind, ErrorKind::Overloaded);
    let coded = begun.clone().data(&json!({"error": {"message": "slow down", "code": "429"}}));
    assert_eq!(error(coded).await.kind, ErrorKind::RateLimited);
    let named = begun
        .clone()
        .raw(b"event: error\ndata: {\"error\":{\"message\":\"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens\"}}\n\n");
    assert_eq!(error(named).await.kind, ErrorKind::PromptTooLong);
    let in_choice = begun.data(&json!({"choices": [{"delta": {}, "finish_reason": "error", "error": {"code": 502, "message": "upstream"}}]}));
    assert_eq!(error(in_choice).await.kind, ErrorKind::Overloaded);
}

#[tokio::test]
async fn p09_a_stream_cut_in_a_call_is_never_a_call() {
    let call = calls(
        json!([{"index": 0, "id": "a", "function": {"name": "write_file", "arguments": "{\"path\":\"a"}}]),
    );
    let begun = Answer::stream().data(&call);
    for cut in [
        begun.clone(),
        begun.clone().done(),
        begun.clone().raw(b"data: {\"choices\":[{\"delta\":{\"tool_ca"),
        begun.raw(b"data: {\"choices\":[{\"del\n\n"),
        Answer::head(200, &[("content-type", "text/event-stream"), ("transfer-encoding", "chunked")])
            .http_chunk(&format!("data: {call}\n\n")),
    ] {
        let error = error(cut).await;
        assert_eq!(error.kind, ErrorKind::CutStream);
        assert!(error.retryable());
    }
}

#[tokio::test]
async fn text_that_is_cut_off_is_no_reply() {
    let text = delta(json!({"content": "The answer is"}));
    let cut = error(Answer::stream().data(&text)).await;
    assert_eq!(cut.kind, ErrorKind::CutStream);
    assert!(cut.message.contains("finish reason"), "{cut}");
    let broken =
        Answer::head(200, &[("transfer-encoding", "chunked")]).http_chunk(&format!("data: {text}\n\n"));
    assert_eq!(error(broken).await.kind, ErrorKind::CutStream);
    assert_eq!(error(Answer::nothing()).await.kind, ErrorKind::CutStream);
    assert_eq!(error(Answer::stream().done()).await.kind, ErrorKind::CutStream);

    // Whole by its finish reason, whatever the connection does afterwards.
    let whole = Answer::head(200, &[("transfer-encoding", "chunked")])
        .http_chunk(&format!("data: {text}\n\ndata: {}\n\n", finish("stop")));
    let server = ChatServer::script(vec![whole]);
    assert_eq!(chat(&server).await.unwrap().text, "The answer is");
}

#[tokio::test]
async fn broken_json_in_mid_stream_is_never_skipped() {
    let mid = Answer::stream()
        .data(&delta(json!({"content": "a"})))
        .raw(b"data: {\"choices\": oops}\n\n")
        .data(&finish("stop"));
    assert_eq!(error(mid.done()).await.kind, ErrorKind::Protocol);
    let unfinished = Answer::stream()
        .raw(b"data: {\"choices\":[{\"delta\":{\"content\":\"a\n\n")
        .data(&delta(json!({"content": "b"})))
        .data(&finish("stop"));
    assert_eq!(error(unfinished.done()).await.kind, ErrorKind::Protocol);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let address = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let base = format!("http://{address}/v1");
    let provider = OpenAi::new(Options::new("gone", &base, None)).unwrap();
    let error = provider.chat(ask("hi"), Progress::none(), Cancel::new()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Connect);
    assert!(error.message.contains(&address.to_string()), "{error}");
    for base in ["nonsense", "ftp://host/v1", ""] {
        let error = OpenAi::new(Options::new("bad", base, None)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::BadRequest, "{base}");
    }
    let base = format!("http://user:secret@{address}/v1");
    let error = OpenAi::new(Options::new("bad", &base, None)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadRequest);
    assert!(!format!("{error} {error:?}").contains("secret"));
    let key = wakeful::provider::mask::Secret::new("two\nlines");
    let error = OpenAi::new(Options::new("bad", "http://h/v1", Some(key))).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Auth);
}
