//! The client for embeddings against a server that is right, wrong, slow and busy.

use super::embedder::{answer, texts, vector};
use super::server::{Answer, ChatServer, Request, until};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use wakeful::provider::mask::Secret;
use wakeful::provider::retry::RetryPolicy;
use wakeful::provider::{EmbedOptions, Embedder, ErrorKind};

const KEY: &str = "sk-live-4711-abcdefghijklmnop";

fn options(server: &ChatServer) -> EmbedOptions {
    EmbedOptions {
        base_url: server.base(),
        model: "toy-e5".to_owned(),
        key: None,
        dimensions: None,
        query_prefix: "query: ".to_owned(),
        document_prefix: "passage: ".to_owned(),
        batch: 4,
        query_time_out: Duration::from_secs(5),
        time_out: Duration::from_secs(5),
        retry: RetryPolicy { base: Duration::from_millis(5), jitter: 0.0, ..RetryPolicy::default() },
    }
}

fn client(server: &ChatServer) -> Embedder {
    Embedder::new(options(server)).unwrap()
}

fn owned(all: &[&str]) -> Vec<String> {
    all.iter().map(|text| (*text).to_owned()).collect()
}

type Rule = Box<dyn Fn(&Request) -> Answer + Send + Sync>;

/// Answers the nth request by the nth of these, the last one from then on.
fn scripted(answers: Vec<Rule>) -> (ChatServer, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let server = ChatServer::start(move |_, request| {
        let n = count.fetch_add(1, Ordering::SeqCst);
        answers[n.min(answers.len() - 1)](request)
    });
    (server, asked)
}

fn always(answer: Answer) -> Rule {
    Box::new(move |_| answer.clone())
}

#[tokio::test]
async fn texts_are_marked_sent_together_and_come_back_in_their_order() {
    let server = ChatServer::start(|_, request| {
        // In reverse, as a server may.
        let mut data: Vec<Value> = texts(request)
            .iter()
            .enumerate()
            .map(|(index, text)| json!({"index": index, "embedding": vector(text)}))
            .collect();
        data.reverse();
        Answer::json(200, &json!({"data": data}))
    });
    let key = Some(Secret::new(KEY));
    let source = Embedder::new(EmbedOptions { key, dimensions: Some(5), ..options(&server) }).unwrap();
    let made = source.documents(&owned(&["slow", "lunch at noon", "猫"])).await.unwrap();
    let made: Vec<Vec<f32>> = made.into_iter().map(Result::unwrap).collect();
    let strongest = |values: &Vec<f32>| (0..5).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap();
    assert_eq!(made.iter().map(strongest).collect::<Vec<_>>(), [0, 1, 3]);
    for values in &made {
        let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 1e-6, "of length 1: {values:?}");
    }
    source.query("slow").await.unwrap();
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    let body = json!({"model": "toy-e5", "input": ["passage: slow", "passage: lunch at noon", "passage: 猫"],
        "dimensions": 5});
    assert_eq!((requests[0].path.as_str(), &requests[0].body), ("/v1/embeddings", &body));
    assert_eq!(requests[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(texts(&requests[1]), ["query: slow"]);
    assert_eq!(source.id(), "toy-e5 dimensions=5 prefix=\"passage: \"");
}

#[tokio::test]
async fn a_bad_answer_is_told_and_not_asked_for_again() {
    let one = json!({"index": 0, "embedding": [1.0, 0.5]});
    for (answer, said) in [
        (Answer::json(200, &json!({"data": [one]})), "1 vectors came for 2 texts"),
        (Answer::json(200, &json!({"data": [one, one]})), "the same index"),
        (Answer::json(200, &json!({"data": [one, {"index": 1, "embedding": [1.0]}]})), "not of one length"),
        (Answer::json(200, &json!({"data": [one, {"index": 1, "embedding": [0, 0]}]})), "all zero"),
        (Answer::json(200, &json!({"data": [one, {"index": 1, "embedding": [1e39, 0]}]})), "not finite"),
        (Answer::json(200, &json!({"choices": []})), "no list `data`"),
        (Answer::body(200, &[("content-type", "text/html")], "<html>hello</html>"), "no JSON came"),
        (Answer::json(404, &json!({"error": {"message": "no route"}})), "not every server has embeddings"),
        (Answer::json(401, &json!({"error": {"message": format!("bad key {KEY}")}})), "memory.key_env"),
    ] {
        let (server, asked) = scripted(vec![always(answer)]);
        let key = Some(Secret::new(KEY));
        let source = Embedder::new(EmbedOptions { key, ..options(&server) }).unwrap();
        let error = source.documents(&owned(&["a", "b"])).await.unwrap_err();
        assert!(error.message.contains(said) && error.message.starts_with(&server.base()), "{said}: {error}");
        assert!(!format!("{error:?}").contains(KEY), "{error:?}");
        assert_eq!(asked.load(Ordering::SeqCst), 1, "{said}");
    }
    let (server, _) = scripted(vec![always(Answer::json(200, &json!({"data": [one]})))]);
    let source = Embedder::new(EmbedOptions { dimensions: Some(64), ..options(&server) }).unwrap();
    let error = source.query("a").await.unwrap_err();
    assert!(error.message.contains("64 numbers were asked for, and 2 came"), "{error}");
}

#[tokio::test]
async fn a_busy_server_is_asked_again_and_a_query_never_waits_for_it() {
    let busy =
        || always(Answer::body(429, &[("retry-after", "0")], "{\"error\":{\"message\":\"slow down\"}}"));
    let (server, asked) = scripted(vec![busy(), always(Answer::nothing()), Box::new(answer)]);
    let made = client(&server).documents(&owned(&["slow"])).await.unwrap();
    assert_eq!((made.len(), asked.load(Ordering::SeqCst)), (1, 3));
    let (server, asked) = scripted(vec![busy()]);
    let error = client(&server).documents(&owned(&["slow"])).await.unwrap_err();
    assert_eq!((error.kind, asked.load(Ordering::SeqCst)), (ErrorKind::RateLimited, 3), "two retries");
    let error = client(&server).query("slow").await.unwrap_err();
    assert_eq!((error.kind, asked.load(Ordering::SeqCst)), (ErrorKind::RateLimited, 4), "and none");
}

#[tokio::test]
async fn a_server_that_is_silent_is_left_after_the_time_of_a_query() {
    let server = ChatServer::script(vec![Answer::default().hang()]);
    let query_time_out = Duration::from_millis(60);
    let source = Embedder::new(EmbedOptions { query_time_out, ..options(&server) }).unwrap();
    let begun = Instant::now();
    let error = source.query("slow").await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::TimeoutFirstToken);
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    assert!(error.message.contains("no embeddings in time (no answer within 60 ms)"), "{error}");
    until("the connection is closed", || server.left_by_client() == 1).await;
}

#[tokio::test]
async fn what_is_too_long_is_cut_and_what_is_refused_is_told_apart_from_the_others() {
    // Takes texts of at most 300 characters, and none about dogs.
    let server = ChatServer::start(|_, request| {
        let texts = texts(request);
        if texts.iter().any(|text| text.chars().count() > 300) {
            let why = "input (700 tokens) is too large to process. increase the physical batch size";
            return Answer::json(500, &json!({"error": {"code": 500, "message": why}}));
        }
        if texts.iter().any(|text| text.contains("dog")) {
            return Answer::json(400, &json!({"error": {"message": "refused by a filter"}}));
        }
        answer(request)
    });
    let long = "慢".repeat(900);
    let made = client(&server).documents(&owned(&["lunch", &long, "a dog", "deploy"])).await.unwrap();
    assert_eq!(made.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false, true]);
    assert!(made[1].as_ref().unwrap()[0] > 0.9, "its beginning says what it is about");
    let why = made[2].as_ref().unwrap_err();
    assert!(why.message.contains("refused by a filter"), "{why}");
    // A query is cut, and cut once more.
    let error = client(&server).query(&long).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::PromptTooLong);
    let sent: Vec<usize> =
        server.requests().iter().rev().take(2).map(|r| texts(r)[0].chars().count()).collect();
    assert_eq!(sent, [507, 907]);
    // If it takes none, it is not for the texts.
    let before = server.requests().len();
    let error = client(&server).documents(&owned(&["dog 1", "dog 2", "dog 3", "dog 4"])).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadRequest);
    assert!(server.requests().len() - before <= 6, "and it is not asked for long");
}

#[test]
fn an_address_or_a_key_that_cannot_be_is_refused_before_anything_is_sent() {
    let server = ChatServer::script(vec![Answer::nothing()]);
    let with = |base_url: &str, key: &str| {
        let key = Some(Secret::new(key));
        Embedder::new(EmbedOptions { base_url: base_url.to_owned(), key, ..options(&server) })
    };
    assert_eq!(with("ftp://h/v1", KEY).unwrap_err().kind, ErrorKind::BadRequest);
    let error = with(&server.base(), "two\nlines").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Auth);
    assert!(!error.message.contains("lines"), "{error}");
}
