//! The schema protocol: what is asked for, and what is understood.

use super::build::*;
use wakeful::context::parse_schema_reply;
use wakeful::run::settings::Protocol;

fn call(text: &str) -> (String, String) {
    parse_schema_reply(text).expect(text).call.expect("a call")
}

#[test]
fn replies_are_understood_bare_fenced_and_in_prose() {
    let object =
        r#"{"thought":"t","action":{"tool":"read_file","arguments":{"path":"a}\"{"}},"final_answer":null}"#;
    let wanted = ("read_file".to_owned(), r#"{"path":"a}\"{"}"#.to_owned());
    for text in [
        object.to_owned(),
        format!("  \n{object}\n"),
        format!("```json\n{object}\n```"),
        format!("Sure, I use {{braces}} here:\n{object}\nDone. {{}}"),
        format!("<think>maybe {{\"action\": 1}}</think>\n{object}"),
        r#"{"name":"read_file","arguments":"{\"path\":\"a}\\\"{\"}"}"#.to_owned(),
    ] {
        assert_eq!(call(&text), wanted, "{text}");
    }
    assert_eq!(call(r#"{"thought":"","action":{"tool":"note"}}"#), ("note".to_owned(), "{}".to_owned()));
    let answer =
        parse_schema_reply(r#"{"thought":"ok","action":null,"final_answer":"完成"}"#).expect("answer");
    assert_eq!((answer.thought.as_str(), answer.call, answer.answer), ("ok", None, Some("完成".to_owned())));
    let both = parse_schema_reply(r#"{"action":{"tool":"note"},"final_answer":"done"}"#).expect("both");
    assert!(both.call.is_some() && both.answer.is_none());
}

#[test]
fn what_is_cut_or_says_nothing_is_an_error_for_the_model() {
    let object = r#"{"thought":"t","action":{"tool":"shell","arguments":{"command":"rm -r build"}},"final_answer":null}"#;
    for end in 1..object.len() {
        let why = parse_schema_reply(&object[..end]).expect_err("cut");
        assert!(why.contains("final_answer"), "the form is shown: {why}");
    }
    for text in [
        "",
        "I am done.",
        "{}",
        "[1]",
        r#"{"thought":"t","action":null,"final_answer":null}"#,
        r#"{"action":"read_file"}"#,
        r#"{"action":{"arguments":{}}}"#,
        &"{".repeat(1_000_000),
        &"[".repeat(1_000_000),
        "```json\n{\"thought\": \"a\n```",
    ] {
        assert!(parse_schema_reply(text).is_err(), "{}", text.get(..40).unwrap_or(text));
    }
}

#[test]
fn own_turns_are_shown_in_the_form_that_is_asked_for() {
    let mut with = settings(50_000);
    with.model.protocol = Protocol::Schema;
    let mut bench = Bench::new(with, super::build::goal("g"));
    bench.step("Look.", "a.rs", "contents");
    let ids = bench.reply("Two.", &[("read_file", "not json", None), ("note", r#"{"b":1,"a":2}"#, None)]);
    bench.finish(&ids[0], false, "bad arguments", None);
    bench.finish(&ids[1], true, "noted", None);
    bench.commit();
    bench.reply("All done.", &[]);
    bench.commit();
    let request = bench.settle().expect("fits");
    let turns: Vec<&str> =
        request.messages.iter().filter(|m| m["role"] == "assistant").map(content).collect();
    assert_eq!(turns.len(), 4);
    assert_eq!(call(turns[0]), ("read_file".to_owned(), r#"{"path":"a.rs"}"#.to_owned()));
    assert_eq!(call(turns[1]).1, r#"{"unparsable_arguments":"not json"}"#);
    assert_eq!(call(turns[2]).1, r#"{"b":1,"a":2}"#);
    assert_eq!(parse_schema_reply(turns[3]).expect("answer").answer.as_deref(), Some("All done."));
    assert!(request.messages.iter().all(|m| m["role"] != "tool" && m.get("tool_calls").is_none()));
    assert!(request.messages.iter().any(|m| content(m) == "RESULT of read_file:\ncontents"));
    assert!(request.tools.is_empty() && content(&request.messages[0]).contains("TOOLS (name"));
    let schema = &request.response_format.expect("a form")["json_schema"]["schema"];
    let check = jsonschema::validator_for(schema).expect("a valid schema");
    let valid = |text: &str| check.is_valid(&serde_json::from_str(text).expect("json"));
    assert!(turns.iter().filter(|t| !t.contains("unparsable")).all(|t| valid(t)));
    assert!(!valid(r#"{"thought":"","action":null,"final_answer":null}"#));
    assert!(!valid(r#"{"thought":"","action":{"tool":"read_file","arguments":{}},"final_answer":"x"}"#));
    assert!(!valid(r#"{"thought":"","action":{"tool":"rm","arguments":{}},"final_answer":null}"#));
}
