//! Memories by their meaning, with the real binary and a source of vectors that is there, slow, or gone.

use super::scene::{Said, Scene};
use crate::suite::provider::embedder::{self, answer, config, texts, vector};
use crate::suite::provider::server::{Answer, ChatServer, Gate, Request};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use wakeful::run::Event;
use wakeful::store::VectorCount;

/// What tells vectors of the toy model.
const ID: &str = "toy-e5 prefix=\"passage: \"";
const VPN: &str = "Every deploy needs the VPN";
const KEPT: [&str; 4] =
    [VPN, "lunch is at noon in the office", "The parser waits for the disk", "猫 is the mascot"];
/// Asks in the words of the second step for what no word of a memory says.
const ASKS: &str = "[[steps]]\nsay = \"Now the rollout.\"\n\
    calls = [{ name = \"note\", args = { kind = \"fact\", text = \"one\" } }]\n\
    [[steps]]\nsay = \"And on with the rollout.\"\n\
    calls = [{ name = \"note\", args = { kind = \"fact\", text = \"two\" } }]\n";

fn is_query(request: &Request) -> bool {
    texts(request).iter().all(|text| text.starts_with("query: "))
}

fn scene(server: &ChatServer, more: &str, steps: &str) -> Scene {
    let scene = Scene::new(steps);
    scene.config(&config(&server.base(), more));
    scene
}

fn keep(scene: &Scene) {
    for text in KEPT {
        scene.expect(0, &["memory", "add", text]);
    }
}

fn json_of(said: &Said) -> Value {
    serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"))
}

fn count(scene: &Scene, id: &str) -> VectorCount {
    scene.within(scene.store().count_vectors(id, None)).unwrap()
}

fn queries(server: &ChatServer) -> usize {
    server.requests().iter().filter(|request| is_query(request)).count()
}

/// What was offered, and why by words alone, of each time that it changed.
fn recalled(scene: &Scene) -> Vec<(Vec<String>, Option<String>)> {
    let of = |event| match event {
        Event::MemoriesRecalled { items, words_alone, .. } => {
            Some((items.into_iter().map(|item| item.text).collect(), words_alone))
        }
        _ => None,
    };
    scene.events().into_iter().filter_map(of).collect()
}

#[test]
fn a_run_is_offered_what_is_near_in_meaning_and_shares_no_word() {
    let server = embedder::start();
    let scene = scene(&server, "", ASKS);
    keep(&scene);
    assert_eq!(server.requests().len(), 0, "keeping one sends nothing");
    let made = json_of(&scene.expect(0, &["memory", "index", "--json"]));
    assert_eq!((&made["made"], &made["without"], &made["dimensions"]), (&4.into(), &0.into(), &5.into()));
    scene.start(0, "auto");
    // At first none is near enough, and that is told; then the one that is.
    assert_eq!(recalled(&scene), [(Vec::new(), None), (vec![VPN.to_owned()], None)]);
    let all: Vec<_> =
        scene.events().into_iter().filter(|event| event.kind() == "memories_recalled").collect();
    let [Event::MemoriesRecalled { under: Some(under), .. }, Event::MemoriesRecalled { items, .. }] =
        &all[..]
    else {
        panic!("{all:?}")
    };
    assert!(under.items > 0 && under.least == 20, "{under:?}");
    assert!(items[0].why.likeness > Some(80) && items[0].why.words.is_empty(), "{items:?}");
    scene.is_whole();
}

#[test]
fn what_a_run_keeps_has_its_vector_soon_and_its_steps_do_not_wait_for_it() {
    let remembers = "[[steps]]\nsay = \"Kept.\"\ncalls = [\
        { name = \"remember\", args = { kind = \"lesson\", text = \"Every deploy needs the VPN\" } }]\n";
    let gate = Gate::default();
    let held = gate.clone();
    let server = ChatServer::start(move |_, request| match is_query(request) {
        true => answer(request),
        false => {
            let values: Vec<Value> = texts(request).iter().map(|text| vector(text)).collect();
            let data: Vec<Value> = values.iter().map(|values| json!({"embedding": values})).collect();
            let body = json!({ "data": data }).to_string();
            Answer::head(200, &[("content-type", "application/json")]).wait(&held).raw(body.as_bytes())
        }
    });
    let scene = scene(&server, "", &format!("{remembers}{ASKS}"));
    let begun = Instant::now();
    scene.start(0, "auto");
    assert!(begun.elapsed() < Duration::from_secs(15), "the run is over while its vectors are held back");
    assert!(server.requests().iter().any(|request| !is_query(request)), "they were asked for");
    // What was remembered, and the result of the run.
    assert_eq!(count(&scene, ID), VectorCount { memories: 2, without: 2 });
    assert!(recalled(&scene).iter().all(|(_, words_alone)| words_alone.is_none()), "nothing failed");
    // The next run makes what is missing.
    gate.open();
    scene.script(ASKS);
    scene.start(0, "auto");
    assert_eq!(count(&scene, ID), VectorCount { memories: 2, without: 0 });
    scene.is_whole();
}

#[test]
fn a_source_that_does_not_answer_costs_a_run_one_wait_and_is_said_once() {
    let server = ChatServer::start(|n, request| match (is_query(request), n) {
        // The first query is that of `memory index`.
        (true, _) if texts(request)[0].contains("rollout") => Answer::default().hang(),
        (true, _) | (false, _) => answer(request),
    });
    let scene = scene(&server, "query_timeout = \"1s\"", ASKS);
    keep(&scene);
    scene.expect(0, &["memory", "index"]);
    // Of the words of this one something is found all the same.
    scene.expect(0, &["memory", "add", "the rollout is on Tuesdays"]);
    let before = queries(&server);
    let said = scene.expect(0, &["run", "test", "--model", "offline", "--approve", "auto", "--headless"]);
    let told = said.err.matches("found by their words alone").count();
    assert_eq!(told, 1, "{said:?}");
    assert!(
        said.err.contains("no answer within 1000 ms") && said.err.contains("memory.query_timeout"),
        "{said:?}"
    );
    let all = recalled(&scene);
    assert_eq!(all.iter().filter(|(_, words_alone)| words_alone.is_some()).count(), 1, "{all:?}");
    assert!(all.iter().any(|(texts, _)| texts == &["the rollout is on Tuesdays"]), "{all:?}");
    let reasons = scene.events().into_iter().filter_map(|event| match event {
        Event::MemoriesRecalled { items, .. } => Some(items),
        _ => None,
    });
    assert!(reasons.flatten().all(|item| item.why.words_alone && item.why.likeness.is_none()));
    // The goal alone was asked about at the first step; at the second it hung, and at the third nothing was asked.
    assert!(queries(&server) - before <= 2, "{}", queries(&server) - before);
    scene.is_whole();
}

#[test]
fn a_source_that_goes_away_in_mid_run_is_said_once_and_used_again_once_it_is_back() {
    let server = embedder::start();
    let port = server.port();
    let waits = "[[steps]]\nsay = \"Now the rollout.\"\n\
        calls = [{ name = \"shell\", args = { command = \"until [ -e go ]; do sleep 0.05; done\" } }]\n";
    let scene = scene(&server, "", &format!("{ASKS}{waits}{ASKS}"));
    keep(&scene);
    scene.expect(0, &["memory", "index"]);
    scene.expect(0, &["memory", "add", "the rollout is on Tuesdays"]);
    let mut running = scene.start_living("auto");
    scene.until("the command", || scene.count("call_started") == 3);
    let before = recalled(&scene);
    assert!(before.iter().all(|(_, words_alone)| words_alone.is_none()), "{before:?}");
    assert!(
        before.iter().any(|(texts, _)| texts.contains(&VPN.to_owned())),
        "found by its meaning: {before:?}"
    );
    drop(server);
    let gone = || std::net::TcpStream::connect(("127.0.0.1", port)).is_err();
    scene.until("nobody to listen", gone);
    scene.put("go", "");
    assert_eq!(running.end(), 0, "the run goes on without it");
    let all = recalled(&scene);
    let alone: Vec<&(Vec<String>, Option<String>)> = all.iter().filter(|(_, why)| why.is_some()).collect();
    let [(texts, Some(why))] = alone[..] else { panic!("{all:?}") };
    assert!(why.contains("Check that the server runs"), "{why}");
    assert!(
        texts.contains(&"the rollout is on Tuesdays".to_owned()),
        "words alone find what has them: {texts:?}"
    );
    scene.is_whole();
    let server = ChatServer::start_at(port, |_, request| answer(request));
    scene.script(ASKS);
    scene.start(0, "auto");
    let all = recalled(&scene);
    assert!(all.iter().all(|(_, words_alone)| words_alone.is_none()), "{all:?}");
    assert!(all.iter().any(|(texts, _)| texts.contains(&VPN.to_owned())), "{all:?}");
    assert!(queries(&server) > 0);
}

#[test]
fn a_source_without_its_key_or_without_a_server_is_said_and_stops_no_run() {
    let server = embedder::start();
    let gone = format!("http://127.0.0.1:{}/v1", super::super::provider::embedder::start().port());
    for (base, more, why) in [
        (server.base(), "key_env = \"NOT_SET_HERE\"", "takes its key from NOT_SET_HERE, which is not set"),
        (gone, "", "Check that the server runs"),
    ] {
        let scene = Scene::new(ASKS);
        scene.config(&config(&base, more));
        scene.start(0, "auto");
        assert!(recalled(&scene).is_empty(), "with nothing to look for there is nothing to say");
        keep(&scene);
        scene.start(0, "auto");
        let mut all = recalled(&scene);
        all.retain(|(_, words_alone)| words_alone.is_some());
        // Also of the very first run that looks for memories, before any vector was made.
        assert!(
            all.len() == 1 && all.iter().all(|(_, said)| said.as_ref().unwrap().contains(why)),
            "{all:?}"
        );
        if more.is_empty() {
            let said = scene.expect(0, &["memory", "search", "VPN"]);
            assert!(said.err.contains("found by words alone") && said.err.contains(why), "{said:?}");
            assert!(scene.expect(2, &["memory", "index"]).err.contains(why));
        }
        let doctor = scene.expect(0, &["doctor"]);
        assert!(doctor.out.contains(why) && doctor.out.contains("found by their words alone"), "{doctor:?}");
        scene.is_whole();
    }
    assert_eq!(server.requests().len(), 0, "without its key it is not asked");
}

#[test]
fn a_source_that_fails_or_is_slow_from_its_first_use_on_is_said_in_that_very_step() {
    for (slow, why) in [(false, "HTTP 500: out of memory"), (true, "no answer within 1000 ms")] {
        let server = ChatServer::start(move |_, _| match slow {
            true => Answer::default().hang(),
            false => Answer::json(500, &json!({"error": {"message": "out of memory"}})),
        });
        let scene = scene(&server, "query_timeout = \"1s\"", ASKS);
        scene.expect(0, &["memory", "add", "the rollout is on Tuesdays"]);
        let said = scene.expect(0, &["run", "test", "--model", "offline", "--approve", "auto", "--headless"]);
        assert_eq!(said.err.matches("found by their words alone").count(), 1, "{said:?}");
        assert!(said.err.contains(why), "{said:?}");
        // Before the first request to the model, not once some retries are over.
        let kinds: Vec<&str> = scene.events().iter().map(Event::kind).collect();
        let place = |wanted: &str| kinds.iter().position(|kind| *kind == wanted).unwrap();
        assert!(place("memories_recalled") < place("model_called"), "{kinds:?}");
        let all = recalled(&scene);
        assert_eq!(all.iter().filter(|(_, words_alone)| words_alone.is_some()).count(), 1, "{all:?}");
        assert!(all.iter().any(|(texts, _)| texts == &["the rollout is on Tuesdays"]), "{all:?}");
        let doctor = scene.expect(0, &["doctor"]);
        assert!(doctor.out.contains(why) && doctor.out.contains("found by their words alone"), "{doctor:?}");
        scene.is_whole();
    }
}

#[test]
fn nothing_that_is_secret_is_sent() {
    let server = embedder::start();
    let mut scene = scene(&server, "", "");
    // A word that was no secret when it was kept.
    scene.expect(0, &["memory", "add", "the door opens with swordfish-4711"]);
    scene.config(&config(&server.base(), "[secrets]\nDOOR = { env = \"DOOR_CODE\" }"));
    scene.set("DOOR_CODE", "swordfish-4711");
    scene.script(
        "[[steps]]\nsay = \"Is it swordfish-4711?\"\ncalls = [\
         { name = \"recall\", args = { query = \"the door\" } }]\n[[steps]]\nsay = \"I see swordfish-4711.\"\n",
    );
    scene.expect(0, &["memory", "index"]);
    scene.expect(0, &["memory", "search", "where does swordfish-4711 fit"]);
    scene.start(0, "auto");
    let sent: Vec<String> = server.requests().iter().flat_map(texts).collect();
    assert!(sent.iter().any(|text| text == "passage: the door opens with [masked secret DOOR]"), "{sent:?}");
    assert!(
        sent.iter().any(|text| text.starts_with("query: ") && text.contains("[masked secret DOOR]")),
        "{sent:?}"
    );
    assert!(sent.iter().all(|text| !text.contains("swordfish")), "{sent:?}");
    assert_eq!(count(&scene, ID).without, 0, "kept for the words as they are stored");
}

#[test]
fn the_command_line_makes_vectors_counts_them_and_says_by_what_it_found() {
    let server =
        ChatServer::start(|_, request| match texts(request).iter().any(|text| text.contains("mascot")) {
            true => Answer::json(400, &json!({"error": {"message": "no cats here"}})),
            false => answer(request),
        });
    let bare = Scene::new("");
    let none = bare.expect(2, &["memory", "index"]);
    assert!(
        none.err.contains("no source of vectors is configured") && none.err.contains("[memory]"),
        "{none:?}"
    );
    assert!(!bare.expect(0, &["doctor"]).out.contains("vectors"));
    let scene = scene(&server, "batch = 2", "");
    assert!(scene.expect(0, &["memory", "index"]).err.contains("nothing is remembered yet"));
    keep(&scene);
    let search = scene.expect(0, &["memory", "search", "rollout"]);
    assert!(
        search.err.contains("4 of 4 memories have no vector yet") && search.err.contains("memory index"),
        "{search:?}"
    );
    let doctor = scene.expect(0, &["doctor"]);
    assert!(
        doctor.out.contains("toy-e5 at ") && doctor.out.contains("0 of 4 memories have one"),
        "{doctor:?}"
    );
    let made = scene.expect(0, &["memory", "index"]);
    for said in [
        "making 4 vectors with toy-e5",
        "memory 4 gets none",
        "no cats here",
        "3 made; 3 of 4 memories have one",
    ] {
        assert!(made.err.contains(said), "{said}: {made:?}");
    }
    let again = json_of(&scene.expect(0, &["memory", "index", "--json"]));
    assert_eq!((&again["made"], &again["already"], &again["without"]), (&0.into(), &3.into(), &1.into()));
    assert_eq!((&again["model"], &again["refused"][0]["id"]), (&"toy-e5".into(), &4.into()));
    let found = json_of(&scene.expect(0, &["memory", "search", "rollout", "--json"]));
    assert_eq!((&found[0]["text"], &found[0]["why"]["words"]), (&VPN.into(), &json!([])), "{found}");
    assert!(found[0]["found_by"].as_str().unwrap().starts_with("meaning ("), "{found}");
    let found = json_of(&scene.expect(0, &["memory", "search", "VPN for the rollout", "--json"]));
    assert!(found[0]["found_by"].as_str().unwrap().starts_with("words (vpn) and meaning ("), "{found}");
    assert!(scene.expect(0, &["memory", "search", "rollout"]).out.contains("by meaning ("));
}

#[test]
fn another_model_makes_all_vectors_anew() {
    let server = ChatServer::start(|_, request| {
        let longer = request.body["model"] == "toy-e5" || request.body["model"] == "wide";
        let data: Vec<Value> = texts(request)
            .iter()
            .map(|text| {
                let mut values = vector(text).as_array().unwrap().clone();
                values.resize(if longer { 5 } else { 7 }, json!(0.1));
                json!({ "embedding": values })
            })
            .collect();
        Answer::json(200, &json!({ "data": data }))
    });
    let scene = scene(&server, "", "");
    keep(&scene);
    scene.expect(0, &["memory", "index"]);
    // A word changed: one vector to make.
    scene.expect(0, &["memory", "edit", "2", "lunch is at one in the office"]);
    assert_eq!(json_of(&scene.expect(0, &["memory", "index", "--json"]))["made"], 1);
    // Another name.
    let wide = config(&server.base(), "").replace("toy-e5", "wide");
    scene.config(&wide);
    assert!(
        scene.expect(0, &["memory", "search", "rollout"]).err.contains("4 of 4 memories have no vector yet")
    );
    let made = json_of(&scene.expect(0, &["memory", "index", "--json"]));
    assert_eq!((&made["made"], &made["dimensions"]), (&4.into(), &5.into()));
    assert_eq!(count(&scene, "wide").without, 0);
    assert_eq!(count(&scene, ID), VectorCount { memories: 4, without: 4 }, "those before are gone");
    // Of another length under a name that stays.
    scene.config(&wide.replace("\"wide\"", "\"wide2\""));
    scene.expect(0, &["memory", "index"]);
    let stored = scene.store();
    let four: Vec<_> = scene.within(stored.without_vector("none", None, None, 9)).unwrap();
    let short = four.into_iter().map(|(id, text)| (id, text, vec![1.0, 0.0])).collect();
    scene.within(stored.put_vectors("wide2", short)).unwrap();
    let made = json_of(&scene.expect(0, &["memory", "index", "--json"]));
    assert_eq!((&made["made"], &made["dimensions"]), (&4.into(), &7.into()));
    assert_eq!(json_of(&scene.expect(0, &["memory", "index", "--json"]))["made"], 0);
    assert_eq!(json_of(&scene.expect(0, &["memory", "index", "--anew", "--json"]))["made"], 4);
}
