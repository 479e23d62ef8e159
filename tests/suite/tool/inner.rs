//! `note`, `plan`, `ask_person`, `decide`: read into what the journal records, or answered helpfully.

use serde_json::{Value, json};
use wakeful::tool::{AskArgs, Call, NoteArgs, NoteKind, PlanItem, PlanState};

use super::read_call;

fn plan(ids: &[&str]) -> Value {
    let items: Vec<Value> =
        ids.iter().map(|id| json!({"id": id, "title": "t", "state": "pending"})).collect();
    json!({"items": items})
}

fn message(name: &str, arguments: Value) -> String {
    let error = read_call(name, arguments).unwrap_err();
    assert_eq!(error.kind, "invalid_arguments");
    assert!(!error.suggestion.is_empty());
    error.message
}

#[test]
fn notes_are_read() {
    let call = read_call("note", json!({"kind": "answered", "text": " port 80 \n"})).unwrap();
    assert_eq!(call, Call::Note(NoteArgs { kind: NoteKind::Answered, text: "port 80".into() }));
    assert!(message("note", json!({"kind": "fact", "text": "  "})).contains("empty"));
    assert!(message("note", json!({"kind": "rumour", "text": "x"})).contains("/kind"));
    assert!(message("note", json!({"kind": "fact", "text": "字".repeat(2001)})).contains("2001 characters"));
}

#[test]
fn plans_are_trees() {
    let items = json!([
        {"id": "1", "title": "find out", "state": "done"},
        {"id": "1.1", "title": " read ", "state": "needs_review"},
    ]);
    let Call::Plan(read) = read_call("plan", json!({"items": items})).unwrap() else { panic!() };
    assert_eq!(
        read.items[1],
        PlanItem { id: "1.1".into(), title: "read".into(), state: PlanState::NeedsReview }
    );
    assert!(read_call("plan", plan(&["2.1", "2"])).is_ok(), "the order is the agent's");
    assert!(message("plan", plan(&["1", "1"])).contains("\"1\" stands in the plan twice"));
    assert!(message("plan", plan(&["1", "2.1"])).contains("\"2\", which is not in the plan"));
    assert!(message("plan", plan(&["1", "1.1.1"])).contains("\"1.1\", which is not"));
    for bad in ["", "a", "1.", ".1", "1..2", "01", "1.1.1.1.1.1.1", "１"] {
        assert!(message("plan", plan(&[bad])).contains("is no id"), "{bad:?}");
    }
    let ids: Vec<String> = (1..=201).map(|i| i.to_string()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    assert!(read_call("plan", plan(&ids[..200])).is_ok());
    assert!(message("plan", plan(&ids)).contains("201 items"));
    assert!(message("plan", json!({"items": []})).contains("/items"));
    let hidden = json!({"items": [{"id": "1", "title": "red \u{1b}[31m ink", "state": "done"}]});
    assert!(message("plan", hidden).contains("\"1\" holds the control character U+001B"));
}

#[test]
fn questions_are_read() {
    let call = read_call("ask_person", json!({"question": "Which?", "options": ["a", "b"]})).unwrap();
    assert_eq!(
        call,
        Call::AskPerson(AskArgs { question: "Which?".into(), options: vec!["a".into(), "b".into()] })
    );
    assert!(message("ask_person", json!({"question": "Which?", "options": ["a", " a"]})).contains("twice"));
    assert!(message("ask_person", json!({"question": " "})).contains("empty"));
}

#[test]
fn a_recommendation_is_one_of_the_options() {
    let decide = |recommendation: Value, titles: &[&str]| {
        let options: Vec<Value> = titles.iter().map(|t| json!({"title": t, "effect_on_goal": "e"})).collect();
        json!({"goal": "g", "options": options, "recommendation": recommendation, "why": "w"})
    };
    for given in [json!("Rewrite"), json!("rewrite "), json!(2), json!("2")] {
        let Call::Decide(args) = read_call("decide", decide(given, &["Patch", "Rewrite"])).unwrap() else {
            panic!()
        };
        assert_eq!(args.recommendation, "Rewrite");
    }
    // A title that looks like a number is a title first.
    let Call::Decide(args) = read_call("decide", decide(json!("2"), &["2", "3"])).unwrap() else { panic!() };
    assert_eq!(args.recommendation, "2");
    for given in [json!(0), json!(3), json!("Both"), json!("")] {
        assert!(message("decide", decide(given, &["a", "b"])).contains("none of the options"));
    }
    assert!(message("decide", decide(json!(1), &["a"])).contains("/options"));
}
