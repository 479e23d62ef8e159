//! What becomes of a proposed call: it goes, a person is asked, or it is refused. The worker gathers the evidence
//! (schema, danger, earlier effects); the verdict is made here and stored in its event.

use super::quota;
use crate::run::call::{Call, Origin};
use crate::run::id::Millis;
use crate::run::settings::{Class, Mode, Rule, RuleVerdict};
use crate::run::state::RunState;

/// What the worker found out about a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The tool does not exist or the arguments do not fit it.
    pub problem: Option<Problem>,
    /// The argument that rules look at: command, path or URL.
    pub main_arg: Option<String>,
    /// Why the call is dangerous, if it is.
    pub danger: Option<String>,
    /// True for a file write inside the workspace.
    pub writes_inside: bool,
    /// True if the call sends something out of this machine that the configuration does not allow by itself.
    pub sends_out: bool,
    /// The same effect on an abandoned timeline, in words.
    pub earlier: Option<String>,
}

/// An error as the model gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Stable word.
    pub kind: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub suggestion: String,
}

/// What becomes of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes; the words say by which rule.
    Approve(String),
    /// A person is asked; the words say why.
    Ask(String),
    /// It is refused.
    Reject(Problem),
}

/// Judges a proposed call.
pub fn judge(state: &RunState, call: &Call, evidence: &Evidence, now: Millis) -> Verdict {
    if let Some(problem) = &evidence.problem {
        return Verdict::Reject(problem.clone());
    }
    if let Origin::Check(_) = call.origin {
        return check_call(call);
    }
    let Some(settings) = state.settings() else {
        return reject("policy", "the run has no settings", "ask a person");
    };
    let rule = strictest(&settings.rules, &call.tool, evidence.main_arg.as_deref());
    if let Some(Rule { tool, arg, then: RuleVerdict::Deny }) = rule {
        let pattern = arg.as_deref().map(|a| format!(" with {a}")).unwrap_or_default();
        let words = format!("a rule of the configuration denies {tool}{pattern}");
        return reject("denied_by_rule", &words, "do it another way, or ask the person");
    }
    if let Some((kind, words)) = quota::refuses(state, call, now) {
        return reject(kind, &words, "use fewer calls");
    }
    if call.class == Class::Person {
        return Verdict::Ask("the agent asks you".to_owned());
    }
    if let Some(danger) = &evidence.danger {
        return Verdict::Ask(format!("dangerous: {danger}"));
    }
    if let Some(earlier) = &evidence.earlier {
        return Verdict::Ask(earlier.clone());
    }
    match rule.map(|r| r.then) {
        Some(RuleVerdict::Allow) => return Verdict::Approve("a rule allows it".to_owned()),
        Some(RuleVerdict::Ask) => return Verdict::Ask("a rule says: ask".to_owned()),
        Some(RuleVerdict::Deny) | None => {}
    }
    by_mode(settings.mode, call.class, evidence)
}

/// Acceptance checks were approved by whoever added them; a `human` check is a question.
fn check_call(call: &Call) -> Verdict {
    match call.class {
        Class::Person => Verdict::Ask("an acceptance check asks you".to_owned()),
        Class::Read | Class::Keyed | Class::Effect | Class::Inner => {
            Verdict::Approve("an acceptance check of the goal".to_owned())
        }
    }
}

fn by_mode(mode: Mode, class: Class, evidence: &Evidence) -> Verdict {
    let asks = || Verdict::Ask(format!("mode {}: a call with an effect waits for you", mode_word(mode)));
    match class {
        Class::Inner => Verdict::Approve("it changes only the run's own state".to_owned()),
        Class::Person => Verdict::Ask("the agent asks you".to_owned()),
        Class::Read if evidence.sends_out && mode != Mode::Auto => {
            Verdict::Ask("a URL can carry data out, and this host is not in allow_hosts".to_owned())
        }
        Class::Read => Verdict::Approve("it only reads".to_owned()),
        Class::Keyed | Class::Effect => match mode {
            Mode::Auto => Verdict::Approve("mode auto".to_owned()),
            Mode::Safe if evidence.writes_inside => {
                Verdict::Approve("mode safe: a file write inside the workspace".to_owned())
            }
            Mode::Safe | Mode::Ask => asks(),
        },
    }
}

fn mode_word(mode: Mode) -> &'static str {
    match mode {
        Mode::Ask => "ask",
        Mode::Safe => "safe",
        Mode::Auto => "auto",
    }
}

fn reject(kind: &str, message: &str, suggestion: &str) -> Verdict {
    Verdict::Reject(Problem {
        kind: kind.to_owned(),
        message: message.to_owned(),
        suggestion: suggestion.to_owned(),
    })
}

/// The strictest rule that matches: deny beats ask beats allow.
fn strictest<'a>(rules: &'a [Rule], tool: &str, arg: Option<&str>) -> Option<&'a Rule> {
    let rank = |rule: &Rule| match rule.then {
        RuleVerdict::Deny => 2,
        RuleVerdict::Ask => 1,
        RuleVerdict::Allow => 0,
    };
    rules.iter().filter(|rule| matches(rule, tool, arg)).max_by_key(|rule| rank(rule))
}

/// True if a rule speaks of this tool and argument.
pub fn matches(rule: &Rule, tool: &str, arg: Option<&str>) -> bool {
    let arg_fits = match (&rule.arg, arg) {
        (None, _) => true,
        (Some(pattern), Some(arg)) => glob(pattern, arg),
        (Some(_), None) => false,
    };
    arg_fits && glob(&rule.tool, tool)
}

/// True if `text` is `pattern`, where each `*` stands for any text.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(first) = parts.next() else { return text.is_empty() };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part).and_then(|at| rest.get(at + part.len()..)) {
            Some(tail) => rest = tail,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text_and_the_rest_is_exact() {
        assert!(glob("cargo *", "cargo test"));
        assert!(glob("*", ""));
        assert!(glob("a*b*c", "aXbYc"));
        assert!(!glob("a*b*c", "aXbY"));
        assert!(!glob("cargo test", "cargo test && rm x"));
        assert!(!glob("ab*b", "ab"));
        assert!(glob("目标*", "目标一"));
    }

    #[test]
    fn deny_beats_ask_beats_allow_in_any_order() {
        let rule = |then| Rule { tool: "shell".to_owned(), arg: None, then };
        let rules = [rule(RuleVerdict::Deny), rule(RuleVerdict::Allow), rule(RuleVerdict::Ask)];
        assert_eq!(strictest(&rules, "shell", Some("ls")).map(|r| r.then), Some(RuleVerdict::Deny));
        assert_eq!(strictest(&rules[1..], "shell", None).map(|r| r.then), Some(RuleVerdict::Ask));
        assert!(strictest(&rules, "read_file", None).is_none());
    }
}
