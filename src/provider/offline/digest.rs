//! A summary by rules, for requests that offer no tools.

use serde_json::Value;

use super::history::text_of;
use crate::context::{goal_in, is_own_message};

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
    if is_own_message(&source) {
        return so_far(messages, script);
    }
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

/// The final report when a limit stops the script: what it said at each step that is still shown.
fn so_far(messages: &[Value], script: &str) -> String {
    let role = |m: &Value, role: &str| m.get("role").and_then(Value::as_str) == Some(role);
    let system = messages.iter().find(|m| role(m, "system")).map(text_of).unwrap_or_default();
    let chinese =
        goal_in(&system).is_some_and(|goal| goal.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)));
    let head = if chinese {
        "达到限额，在脚本结束前停下。到目前为止："
    } else {
        "Stopped by a limit before the script's end. So far:"
    };
    let mark = format!("[{script} ");
    let said = messages.iter().filter(|m| role(m, "assistant")).map(text_of);
    let lines = said.filter_map(|text| {
        let words = text.split(&mark).next().unwrap_or_default().trim();
        (!words.is_empty()).then(|| format!("- {}", words.replace('\n', " ")))
    });
    std::iter::once(head.to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
}

fn weighty(line: &str, script: &str) -> bool {
    let lower = line.to_lowercase();
    line.contains(&format!("[{script} "))
        || ["error", "failed", "denied", "decid", "confirmed", "survey:", "概览：", "错误", "拒绝"]
            .iter()
            .any(|word| lower.contains(word))
}
