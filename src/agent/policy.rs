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
    /// What rules with an argument look at.
    pub subject: Subject,
    /// Why the call is dangerous, if it is.
    pub danger: Option<String>,
    /// True for a file write inside the workspace.
    pub writes_inside: bool,
    /// True if the call sends something out of this machine that the configuration does not allow by itself.
    pub sends_out: bool,
    /// The same effect on an abandoned timeline, in words.
    pub earlier: Option<String>,
}

/// The argument that rules look at (command, path or URL), in the forms in which they look at it. A call without such an
/// argument has none of them, and only rules without an argument fit it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// A rule that denies or asks fits if it fits one of these: every way in which the argument may be spelled.
    pub any: Vec<String>,
    /// Rules that allow must fit each of these (the simple commands of a command, a path without detours). If there is
    /// none, no pattern is enough.
    pub every: Vec<String>,
    /// A command as it is written: a rule that is the very same text allows it whatever it holds.
    pub command: Option<String>,
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
    let rule = strictest(&settings.rules, &call.tool, &evidence.subject);
    if let Some(problem) = rule.and_then(denied) {
        return Verdict::Reject(problem);
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

/// Why a rule refuses a call outright; none if it does not.
pub fn denied(rule: &Rule) -> Option<Problem> {
    let Rule { tool, arg, then: RuleVerdict::Deny } = rule else { return None };
    let pattern = arg.as_deref().map(|a| format!(" with {a}")).unwrap_or_default();
    Some(Problem {
        kind: "denied_by_rule".to_owned(),
        message: format!("a rule of the configuration denies {tool}{pattern}"),
        suggestion: "do it another way, or ask the person".to_owned(),
    })
}

/// The rule that decides: one that denies beats one that asks, and both beat those that allow.
pub fn strictest<'a>(rules: &'a [Rule], tool: &str, subject: &Subject) -> Option<&'a Rule> {
    let fits = |rule: &&Rule, then| rule.then == then && glob(&rule.tool, tool) && touches(rule, subject);
    let first = |then| rules.iter().find(|rule| fits(rule, then));
    first(RuleVerdict::Deny).or_else(|| first(RuleVerdict::Ask)).or_else(|| allowing(rules, tool, subject))
}

/// True if the rule speaks of some part of the call.
fn touches(rule: &Rule, subject: &Subject) -> bool {
    rule.arg.as_deref().is_none_or(|pattern| subject.any.iter().any(|text| glob(pattern, text)))
}

/// A rule that allows the whole call, or the first of several that allow it part by part.
fn allowing<'a>(rules: &'a [Rule], tool: &str, subject: &Subject) -> Option<&'a Rule> {
    let allows = || rules.iter().filter(|rule| rule.then == RuleVerdict::Allow && glob(&rule.tool, tool));
    let whole = allows().find(|rule| match rule.arg.as_deref() {
        None => true,
        Some(pattern) if pattern.chars().all(|c| c == '*') => touches(rule, subject),
        Some(pattern) => subject.command.as_deref() == Some(pattern),
    });
    if whole.is_some() {
        return whole;
    }
    let of = |text: &String| allows().find(|rule| rule.arg.as_deref().is_some_and(|p| glob(p, text)));
    let first = of(subject.every.first()?)?;
    subject.every.iter().all(|text| of(text).is_some()).then_some(first)
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

    fn rule(arg: Option<&str>, then: RuleVerdict) -> Rule {
        Rule { tool: "shell".to_owned(), arg: arg.map(str::to_owned), then }
    }

    fn subject(parts: &[&str]) -> Subject {
        let parts: Vec<String> = parts.iter().map(|&part| part.to_owned()).collect();
        Subject { any: parts.clone(), every: parts, command: None }
    }

    #[test]
    fn deny_beats_ask_beats_allow_in_any_order() {
        use RuleVerdict::{Allow, Ask, Deny};
        let rules = [rule(None, Deny), rule(None, Allow), rule(None, Ask)];
        let of = |rules, tool, subject: &Subject| strictest(rules, tool, subject).map(|r| r.then);
        assert_eq!(of(&rules, "shell", &subject(&["ls"])), Some(Deny));
        assert_eq!(of(&rules[1..], "shell", &Subject::default()), Some(Ask));
        assert_eq!(of(&rules, "read_file", &Subject::default()), None);
    }

    #[test]
    fn one_part_is_enough_to_deny_and_each_must_be_allowed() {
        use RuleVerdict::{Allow, Deny};
        let rules = [rule(Some("echo *"), Allow), rule(Some("ls"), Allow), rule(Some("rm *"), Deny)];
        let of = |subject: &Subject| strictest(&rules, "shell", subject).map(|r| r.then);
        assert_eq!(of(&subject(&["echo a"])), Some(Allow));
        assert_eq!(of(&subject(&["echo a", "ls"])), Some(Allow));
        assert_eq!(of(&subject(&["echo a", "touch b"])), None);
        assert_eq!(of(&subject(&["echo a", "rm b"])), Some(Deny));
        assert_eq!(of(&Subject::default()), None);
        let opaque =
            Subject { every: Vec::new(), command: Some("echo *".to_owned()), ..subject(&["echo a"]) };
        assert_eq!(of(&opaque), Some(Allow), "the rule is the very command");
        assert_eq!(of(&Subject { command: Some("echo $(x)".to_owned()), ..opaque }), None);
    }
}
