//! What is found at start, the probe of the tool protocol, the server's own tokenizer, and replay.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use wakeful::provider::cassette::{Cassette, RecordedReply, request_hash};
use wakeful::provider::discover::{Env, Search, Source, discover, from_env, local};
use wakeful::provider::protocol::{Protocol, probe_native};
use wakeful::provider::{Cancel, ErrorKind, Progress, Provider, Reply};

use super::server::{Answer, ChatServer};
use super::{ask, calls, finish, provider};

fn env(pairs: &[(&str, &str)]) -> Env {
    pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
}

/// Long enough for a loaded machine.
fn search(ports: Vec<u16>) -> Search {
    Search { ports, limit: Duration::from_secs(10), named_limit: Duration::from_secs(10) }
}

/// A server with models (and `/props` when a window is given).
fn models(list: Value, n_ctx: Option<u64>) -> ChatServer {
    ChatServer::start(move |_, request| match (request.path.as_str(), n_ctx) {
        ("/v1/models", _) => Answer::json(200, &list),
        ("/props", Some(n)) => Answer::json(200, &json!({"default_generation_settings": {"n_ctx": n}})),
        (_, _) => Answer::json(404, &json!({"error": "not here"})),
    })
}

#[tokio::test]
async fn local_servers_are_found_with_model_and_window() {
    let llama = models(
        json!({"object": "list", "data": [{"id": "qwen", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131_072}}]}),
        Some(4096),
    );
    let vllm = models(
        json!({"data": [{"id": "text-embedding-3"}, {"id": "big", "owned_by": "vllm", "max_model_len": "32768"}]}),
        None,
    );
    let site = ChatServer::script(vec![Answer::body(200, &[("content-type", "text/html")], "<html>hi")]);
    let empty = models(json!({"object": "list", "data": null}), None);
    let silent = ChatServer::script(vec![Answer::default().hang()]);
    let mut all = search(vec![site.port(), llama.port(), empty.port(), vllm.port()]);
    let found = local(&all, None).await;
    let told: Vec<_> = found.iter().map(|f| (f.model.as_deref().unwrap(), f.window, f.source)).collect();
    assert_eq!(
        told,
        [("qwen", Some(4096), Source::Port(llama.port())), ("big", Some(32_768), Source::Port(vllm.port()))]
    );
    assert!(found[0].name.starts_with("llama.cpp") && found[1].name.starts_with("vLLM"), "{found:?}");
    assert_eq!(found[1].models, ["text-embedding-3", "big"]);
    assert!(llama.requests().iter().all(|r| r.header("authorization").is_none()));

    // A server that does not answer is given up, whatever the others do.
    all.ports = vec![silent.port()];
    all.limit = Duration::from_millis(100);
    assert!(local(&all, None).await.is_empty());
}

#[tokio::test]
async fn variables_come_first_and_their_keys_are_not_kept() {
    let server = models(json!({"data": [{"id": "one"}, {"id": "two"}]}), Some(8192));
    let base = server.base();
    let vars = env(&[
        ("OPENAI_BASE_URL", &format!("{base}/")),
        ("OPENAI_API_KEY", "sk-very-secret-key"),
        ("DEEPSEEK_API_KEY", "sk-other-secret-key"),
        ("GROQ_API_KEY", " "),
    ]);
    let found = discover(&vars, &search(vec![server.port()])).await;
    let told: Vec<_> = found.iter().map(|f| (f.base_url.as_str(), f.model.as_deref(), f.window)).collect();
    assert_eq!(
        told,
        [
            (base.as_str(), Some("one"), Some(8192)),
            ("https://api.deepseek.com/v1", Some("deepseek-chat"), None)
        ],
        "and the probe does not find the same server twice"
    );
    assert!(!format!("{found:?}{:?}", found[0].options(&vars)).contains("secret"));
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer sk-very-secret-key"));
    assert_eq!(found[0].options(&vars).key.unwrap().expose(), "sk-very-secret-key");
}

#[test]
fn a_named_model_goes_to_the_first_server() {
    let found =
        from_env(&env(&[("WAKEFUL_MODEL", "mine"), ("DASHSCOPE_API_KEY", "k"), ("OPENROUTER_API_KEY", "k")]));
    let told: Vec<_> =
        found.iter().map(|f| (f.key_var.as_deref().unwrap(), f.model.as_deref().unwrap())).collect();
    assert_eq!(told, [("DASHSCOPE_API_KEY", "mine"), ("OPENROUTER_API_KEY", "openrouter/auto")]);
    assert!(from_env(&BTreeMap::new()).is_empty());
}

#[tokio::test]
async fn the_protocol_is_found_out_by_asking_for_a_call() {
    let probe = |answer: Answer| async move {
        let server = ChatServer::script(vec![answer]);
        let result = probe_native(&provider(&server), "stub", Cancel::new()).await;
        assert_eq!(server.requests()[0].body["tools"][0]["function"]["name"], "ready");
        result
    };
    let called = Answer::calls(&[("a", "ready", json!({"word": "yes"}))]);
    assert_eq!(probe(called).await.unwrap(), Protocol::Native);
    for answer in [
        Answer::text("```json\n{\"name\": \"ready\"}\n```"),
        Answer::chunks(&[
            calls(json!([{"id": "a", "function": {"name": "ready", "arguments": "{\"wo"}}])),
            finish("length"),
        ]),
        Answer::json(400, &json!({"error": {"message": "stub does not support tools"}})),
        Answer::json(500, &json!({"error": {"message": "Failed to parse tool call arguments as JSON"}})),
        Answer::json(500, &json!({"error": {"message": "tools param requires --jinja flag"}})),
        Answer::json(404, &json!({"error": {"message": "No endpoints found that support tool use"}})),
    ] {
        assert_eq!(probe(answer).await.unwrap(), Protocol::Schema);
    }
    let error = probe(Answer::json(401, &json!({"error": "no"}))).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Auth);
    let error = probe(Answer::json(400, &json!({"error": "temperature is wrong"}))).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadRequest, "says nothing about tools");

    // A server with another name for the limit is asked once more without it.
    let server = ChatServer::start(|_, request| {
        if request.body.get("max_tokens").is_some() {
            let why = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
            Answer::json(400, &json!({"error": {"message": why}}))
        } else {
            Answer::calls(&[("a", "ready", json!({"word": "yes"}))])
        }
    });
    let found = probe_native(&provider(&server), "stub", Cancel::new()).await;
    assert_eq!(found.unwrap(), Protocol::Native);
}

#[tokio::test]
async fn a_servers_own_tokenizer_is_used_where_there_is_one() {
    let server = ChatServer::start(|_, request| {
        assert_eq!((request.path.as_str(), &request.body), ("/tokenize", &json!({"content": "时间"})));
        Answer::json(200, &json!({"tokens": [1, 2, 3]}))
    });
    assert_eq!(provider(&server).tokenize("时间").await.unwrap(), Some(3));
    let without = ChatServer::script(vec![Answer::json(404, &json!({}))]);
    assert_eq!(provider(&without).tokenize("x").await.unwrap(), None);
}

#[tokio::test]
async fn a_cassette_gives_its_replies_in_order_and_then_says_so() {
    let record = |text: &str, hash: Option<String>| RecordedReply {
        request_hash: hash,
        reply: Reply { text: text.into(), ..Reply::default() },
    };
    let first = Some(request_hash(&ask("one")));
    let replies = vec![record("1", first), record("2", None)];
    let say = |cassette: &Cassette, text: &str| {
        let future = cassette.chat(ask(text), Progress::none(), Cancel::new());
        futures::executor::block_on(future)
    };
    let loose = Cassette::from_replies(replies.clone());
    assert!(loose.describe().offline);
    assert_eq!(say(&loose, "whatever").unwrap().text, "1");
    assert_eq!(say(&loose, "whatever").unwrap().text, "2");
    let error = say(&loose, "more").unwrap_err();
    assert!(!error.retryable() && error.message.contains("at its end"), "{error}");

    let strict = Cassette::from_replies(replies).strict();
    let error = say(&strict, "another").unwrap_err();
    assert!(error.message.contains("differs"), "{error}");
    assert_eq!(strict.left(), 2, "a refused request uses nothing up");
    assert_eq!(say(&strict, "one").unwrap().text, "1");
    assert_eq!(say(&strict, "any").unwrap().text, "2");
}
