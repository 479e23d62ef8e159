//! Names, raw arguments, schemas, canonical form.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use wakeful::tool::{Call, Class, ReadArgs, ShellLimits, ToolSpec, built_in, canonical, validate};

use super::{read_call, registry};

fn error_of(name: &str, raw: &str) -> wakeful::tool::ToolError {
    registry().read(name, raw).unwrap_err()
}

#[test]
fn the_tools_have_the_classes_they_should() {
    let classes: Vec<(String, Class)> =
        built_in(ShellLimits::default()).into_iter().map(|spec| (spec.name, spec.class)).collect();
    let expected = [
        ("read_file", Class::Read),
        ("list_files", Class::Read),
        ("search", Class::Read),
        ("http_get", Class::Read),
        ("write_file", Class::Keyed),
        ("edit_file", Class::Effect),
        ("shell", Class::Effect),
        ("note", Class::Inner),
        ("plan", Class::Inner),
        ("remember", Class::Inner),
        ("recall", Class::Read),
        ("ask_person", Class::Person),
        ("decide", Class::Person),
    ];
    assert_eq!(classes, expected.map(|(name, class)| (name.to_owned(), class)));
}

/// Every property of every schema is one the reader knows, and required ones are really needed.
#[test]
fn schemas_and_readers_say_the_same() {
    let sample = json!({
        "path": "a", "offset": 1, "limit": 2, "encoding": "gbk", "depth": 1, "hidden": true, "ignored": true,
        "pattern": "x", "literal": true, "glob": "*.rs", "ignore_case": true, "context": 1, "url": "http://a.example/",
        "content": "", "old_string": "a", "new_string": "b", "replace_all": true, "command": "true", "timeout_s": 1,
        "cwd": ".", "kind": "fact", "text": "t", "items": [{"id": "1", "title": "t", "state": "active"}],
        "question": "q", "options": ["a", "b"], "goal": "g", "recommendation": 1, "why": "w",
        "key": "k", "for": "run", "query": "q",
    });
    for spec in registry().specs() {
        let properties = spec.parameters["properties"].as_object().unwrap();
        let mut whole: Map<String, Value> =
            properties.keys().map(|key| (key.clone(), sample[key].clone())).collect();
        if spec.name == "decide" {
            let option = |title| json!({"title": title, "effect_on_goal": "e"});
            whole.insert("options".into(), json!([option("a"), option("b")]));
        }
        let full = Value::Object(whole.clone());
        assert!(
            registry().call(&spec.name, &full).is_ok(),
            "{}: {:?}",
            spec.name,
            registry().call(&spec.name, &full)
        );
        for required in spec.parameters["required"].as_array().unwrap() {
            let mut less = whole.clone();
            less.remove(required.as_str().unwrap());
            let error = registry().call(&spec.name, &Value::Object(less)).unwrap_err();
            assert!(error.message.contains(required.as_str().unwrap()), "{error}");
        }
        whole.insert("surprise".into(), json!(1));
        let error = registry().call(&spec.name, &Value::Object(whole)).unwrap_err();
        assert!(error.message.contains("surprise"), "{error}");
    }
}

#[test]
fn unknown_names_get_the_nearest() {
    let error = error_of("readfile", "{}");
    assert_eq!(error.kind, "unknown_tool");
    assert!(error.suggestion.starts_with("Did you mean read_file"), "{error}");
    assert!(error_of("Shell", "{}").suggestion.contains("Did you mean shell?"));
    let far = error_of("qqqq", "{}");
    assert!(!far.suggestion.contains("Did you mean") && far.suggestion.contains("list_files"), "{far}");
    let none = registry().only(|name| name != "shell").read("shell", r#"{"command":"ls"}"#).unwrap_err();
    assert_eq!(none.kind, "unknown_tool", "a tool that is switched off does not exist");
}

#[test]
fn odd_forms_of_an_object_are_read() {
    let all = Call::ListFiles(wakeful::tool::ListArgs::default());
    for raw in ["", "  ", "null", "{}", "\"{}\"", "\"\\\"\\\"\"", r#"{"path":null}"#] {
        let read = registry().read("list_files", raw);
        if raw == "\"\\\"\\\"\"" {
            assert!(read.is_err(), "packed twice is not unpacked");
        } else {
            assert_eq!(read.unwrap().1, all, "{raw:?}");
        }
    }
    let packed = registry().read("read_file", r#""{\"path\":\"a\",\"offset\":3.0,\"limit\":null}""#).unwrap();
    let expected = ReadArgs { path: "a".into(), offset: Some(3), limit: None, encoding: None };
    assert_eq!(packed, (json!({"path": "a", "offset": 3}), Call::ReadFile(expected)));
}

/// Cases P09 to P11: what is cut or broken is never repaired, and never run.
#[test]
fn broken_arguments_are_answered_with_the_schema() {
    for (raw, what) in [
        (r#"{"path":"a"#, "end too early"),
        (r#"{"path":"a"}{"path":"b"}"#, "not valid JSON"),
        (r#"{"path":}"#, "not valid JSON"),
        ("[1]", "not a JSON object"),
        ("true", "not a JSON object"),
        (r#"{"path":7}"#, "/path"),
        (r#"{"path":"a","offset":0}"#, "/offset"),
        (r#"{"path":null}"#, "/path"),
        (r#"{"path":"a","line":1}"#, "line"),
    ] {
        let error = error_of("read_file", raw);
        assert_eq!(error.kind, "invalid_arguments", "{raw}");
        assert!(error.message.contains(what), "{raw}: {error}");
        assert!(error.suggestion.contains(r#""offset":{"type":"integer""#), "{raw}: {error}");
    }
}

#[test]
fn names_that_a_model_made_up_cannot_steer_a_terminal() {
    let errors = [
        error_of("\u{1b}[2Jx", "{}"),
        read_call("note", json!({"\u{1b}[2J\u{202e}": 1})).unwrap_err(),
        read_call("plan", json!({"items": [{"id": "\u{7}", "title": "t", "state": "done"}]})).unwrap_err(),
    ];
    for error in errors {
        assert!(!error.to_string().contains(|c: char| c.is_control() || c == '\u{202e}'), "{error:?}");
    }
}

#[test]
fn a_fault_does_not_repeat_the_value() {
    let huge = "x".repeat(100_000);
    let error = read_call("read_file", json!({"path": [huge]})).unwrap_err();
    assert!(error.message.len() < 500, "{}", error.message.len());
}

#[test]
fn a_wrong_schema_of_a_foreign_tool_is_told() {
    let spec = ToolSpec {
        name: "foreign".into(),
        description: String::new(),
        parameters: json!({"type": 12}),
        class: Class::Effect,
        timeout_ms: None,
        max_calls: None,
    };
    assert_eq!(validate(&spec, &json!({})).unwrap_err().kind, "invalid_schema");
}

#[test]
fn shell_arguments_have_bounds() {
    let Call::Shell(args) = read_call("shell", json!({"command": "ls"})).unwrap() else { panic!() };
    assert_eq!((args.command.as_str(), args.timeout_s, args.cwd), ("ls", Some(120), None));
    for (arguments, kind) in [
        (json!({"command": ""}), "invalid_arguments"),
        (json!({"command": " \n"}), "invalid_arguments"),
        (json!({"command": "a\u{0}b"}), "invalid_arguments"),
        (json!({"command": "ls", "timeout_s": 0}), "invalid_arguments"),
        (json!({"command": "ls", "timeout_s": 601}), "invalid_arguments"),
    ] {
        assert_eq!(read_call("shell", arguments).unwrap_err().kind, kind);
    }
    let wide = wakeful::tool::Registry::new(ShellLimits { default_s: 5, max_s: 7200 });
    assert!(wide.read("shell", r#"{"command":"make","timeout_s":7200}"#).is_ok());
    assert!(wide.spec("shell").unwrap().parameters.to_string().contains("7200"));
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,6}|[\\x00-\\x20\"\\\\]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("[a-c\u{e9}\"]{0,2}", inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// The same value with the keys of every object in the opposite order.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(reversed).collect()),
        Value::Object(object) => {
            Value::Object(object.iter().rev().map(|(key, item)| (key.clone(), reversed(item))).collect())
        }
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn canonical_text_depends_on_the_value_alone(value in json_value(), other in json_value()) {
        let text = canonical(&value);
        prop_assert_eq!(&canonical(&reversed(&value)), &text);
        let back: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&back, &value, "nothing is lost");
        prop_assert_eq!(value == other, text == canonical(&other));
    }
}

#[test]
fn canonical_text_is_stable() {
    let value = json!({"b": [1, {"z": null, "a": "\n"}], "a": 1.5});
    assert_eq!(canonical(&value), r#"{"a":1.5,"b":[1,{"a":"\n","z":null}]}"#);
}
