//! The argument of a call by which a person knows it.

use serde_json::Value;

/// Arguments by which a person goes when they approve: commands, paths, addresses. Each character of them counts.
const EXACT: [&str; 5] = ["command", "path", "url", "query", "pattern"];
/// Arguments that are prose.
const PROSE: [&str; 5] = ["text", "question", "title", "name", "why"];

/// The argument that says what a call is about, and whether each character of it counts: then its lines stay lines, for
/// each may be a command. Blanks are one each. Not neutral.
pub fn main_argument(args: &str) -> (String, bool) {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let exact = |text: &str| {
        let blanks =
            |line: &str| line.split([' ', '\t']).filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ");
        text.split('\n').map(blanks).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    };
    let Ok(Value::Object(map)) = serde_json::from_str::<Value>(args) else {
        return (words(args), true);
    };
    let of = |keys: [&str; 5]| keys.iter().find_map(|key| map.get(*key).and_then(Value::as_str));
    match (of(EXACT), of(PROSE)) {
        (Some(found), _) => (exact(found), true),
        (None, Some(found)) => (words(found), false),
        (None, None) => (exact(map.values().find_map(Value::as_str).unwrap_or_default()), true),
    }
}
