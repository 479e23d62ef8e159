//! Time-outs and cancelling, as real exchanges with small limits.

use std::time::Duration;

use serde_json::json;
use wakeful::provider::idle::TimeOuts;
use wakeful::provider::openai::{OpenAi, Options};
use wakeful::provider::{Cancel, Delta, ErrorKind, Progress, Provider};

use super::server::{Answer, ChatServer, Gate, until};
use super::{ask, delta, finish};

const SHORT: Option<Duration> = Some(Duration::from_millis(100));

fn with(server: &ChatServer, first_token: Option<Duration>, between_tokens: Option<Duration>) -> OpenAi {
    let mut options = Options::new("stub", &server.base(), None);
    options.time_outs = TimeOuts { connect: Some(Duration::from_secs(5)), first_token, between_tokens };
    OpenAi::new(options).unwrap()
}

async fn timed_out(answer: Answer, first: Option<Duration>, between: Option<Duration>) -> ErrorKind {
    let server = ChatServer::script(vec![answer]);
    let provider = with(&server, first, between);
    let error = provider.chat(ask("hi"), Progress::none(), Cancel::new()).await.unwrap_err();
    until("the connection is closed after the time-out", || server.left_by_client() == 1).await;
    assert!(error.retryable());
    error.kind
}

#[tokio::test]
async fn p19_a_silent_server_times_out_before_its_first_token() {
    let first = ErrorKind::TimeoutFirstToken;
    assert_eq!(timed_out(Answer::default().hang(), SHORT, None).await, first);
    assert_eq!(timed_out(Answer::stream().hang(), SHORT, None).await, first);
    // Neither a role nor a sign of life is a token.
    let role = Answer::stream().raw(b": ping\n\n").data(&delta(json!({"role": "assistant", "content": ""})));
    assert_eq!(timed_out(role.hang(), SHORT, None).await, first);
}

#[tokio::test]
async fn p19_a_stream_that_falls_silent_times_out() {
    let begun = Answer::stream().data(&delta(json!({"content": "a"}))).hang();
    assert_eq!(timed_out(begun, None, SHORT).await, ErrorKind::TimeoutBetweenTokens);
}

#[tokio::test]
async fn p19_limits_can_be_off() {
    let gate = Gate::default();
    let slow = Answer::default()
        .wait(&gate)
        .raw(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        .data(&delta(json!({"content": "late"})))
        .data(&finish("stop"))
        .done();
    let server = ChatServer::script(vec![slow]);
    let provider = with(&server, None, None);
    let waiting =
        tokio::spawn(async move { provider.chat(ask("hi"), Progress::none(), Cancel::new()).await });
    until("the request is there", || server.requests().len() == 1).await;
    assert!(!waiting.is_finished());
    gate.open();
    assert_eq!(waiting.await.unwrap().unwrap().text, "late");
}

#[tokio::test]
async fn a_slow_but_living_stream_outlasts_its_limit() {
    // Each piece comes in time, all together take longer than one limit.
    let limit = Duration::from_secs(1);
    let gates: Vec<Gate> = (0..6).map(|_| Gate::default()).collect();
    let mut answer = Answer::stream();
    for gate in &gates {
        answer = answer.data(&delta(json!({"content": "."}))).wait(gate);
    }
    let server = ChatServer::script(vec![answer.data(&finish("stop")).done()]);
    let provider = with(&server, None, Some(limit));
    let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let start = std::time::Instant::now();
    let reading =
        tokio::spawn(async move { provider.chat(ask("hi"), Progress::from(sender), Cancel::new()).await });
    for gate in &gates {
        assert_eq!(heard.recv().await, Some(Delta::Text(".".into())));
        // Not a wait for a condition: time that passes is what is tested.
        tokio::time::sleep(limit / 4).await;
        gate.open();
    }
    assert_eq!(reading.await.unwrap().unwrap().text, "......");
    assert!(start.elapsed() > limit);
}

#[tokio::test]
async fn cancelling_closes_the_connection_at_every_stage() {
    let begun = Answer::stream().data(&delta(json!({"content": "a"})));
    for answer in [Answer::default().hang(), Answer::stream().hang(), begun.clone().hang()] {
        let server = ChatServer::script(vec![answer]);
        let provider = with(&server, None, None);
        let cancel = Cancel::new();
        let token = cancel.clone();
        let reading = tokio::spawn(async move { provider.chat(ask("hi"), Progress::none(), token).await });
        until("the request is there", || server.requests().len() == 1).await;
        cancel.cancel();
        let error = reading.await.unwrap().unwrap_err();
        assert_eq!(error.kind, ErrorKind::Cancelled);
        assert!(!error.retryable());
        until("the server sees the end", || server.left_by_client() == 1).await;
    }
    // Dropping the future does the same.
    let server = ChatServer::script(vec![begun.hang()]);
    let provider = with(&server, None, None);
    let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let reading =
        tokio::spawn(async move { provider.chat(ask("hi"), Progress::from(sender), Cancel::new()).await });
    assert_eq!(heard.recv().await, Some(Delta::Text("a".into())));
    reading.abort();
    until("the server sees the end", || server.left_by_client() == 1).await;
    // A token that was cancelled before sends nothing.
    let server = ChatServer::script(vec![Answer::text("x")]);
    let cancel = Cancel::new();
    cancel.cancel();
    let error = with(&server, None, None).chat(ask("hi"), Progress::none(), cancel).await.unwrap_err();
    assert_eq!((error.kind, server.requests().len()), (ErrorKind::Cancelled, 0));
}
