//! A summary by rules, for requests that offer no tools.

use serde_json::Value;

use super::history::text_of;

/// Longest summary, in characters.
const LONGEST: usize = 1200;

/// Lines worth keeping of the last message of the person's role, in order, at most a quarter of its length.
#[must_use]
pub fn digest(messages: &[Value], script: &str) -> String {
    let source = messages
        .iter()
        .rev()
        .find(|m| m.get("role").and_then(Value::as_str) == Some("user"))
        .map(text_of)
        .unwrap_or_default();
    let room = (source.chars().count() / 4).clamp(80, LONGEST);
    let lines: Vec<&str> = source.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    // Places, errors and findings first, then whatever comes first.
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|at| !lines.get(*at).is_some_and(|line| weighty(line, script)));
    let mut kept = Vec::new();
    let mut used = 0;
    for at in order {
        let line: String = lines.get(at).copied().unwrap_or_default().chars().take(200).collect();
        let length = line.chars().count() + 1;
        if used + length > room {
            continue;
        }
        used += length;
        kept.push((at, line));
    }
    kept.sort_by_key(|(at, _)| *at);
    let text = kept.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n");
    if text.is_empty() { source.chars().take(room).collect() } else { text }
}

fn weighty(line: &str, script: &str) -> bool {
    let lower = line.to_lowercase();
    line.contains(&format!("[{script} "))
        || ["error", "failed", "denied", "decid", "confirmed", "survey:", "概览：", "错误", "拒绝"]
            .iter()
            .any(|word| lower.contains(word))
}
