//! The rule in English, on a part of a sentence in small letters.

use super::{is_built, set_to, word, words};

/// Words before a name that do not tell it from another.
const PLAIN: [&str; 14] =
    ["the", "this", "that", "these", "those", "all", "any", "every", "of", "our", "its", "both", "my", "a"];
/// Words before a name that say that it is another one, or whose it is.
const MARKED: [&str; 24] = [
    "your",
    "new",
    "current",
    "updated",
    "revised",
    "changed",
    "real",
    "actual",
    "true",
    "final",
    "latest",
    "only",
    "old",
    "original",
    "previous",
    "prior",
    "earlier",
    "above",
    "initial",
    "additional",
    "next",
    "corrected",
    "user's",
    "person's",
];
const GOALS: [&str; 4] = ["goals", "goal", "acceptance criteria", "acceptance criterion"];
const CONSTRAINTS: [&str; 2] = ["constraints", "constraint"];
const INSTRUCTIONS: [&str; 2] = ["instructions", "instruction"];
const SYSTEMS: [&str; 5] =
    ["system prompts", "system prompt", "system messages", "system message", "system instructions"];
const TASKS: [&str; 6] = ["tasks", "task", "objectives", "objective", "mission", "assignment"];
const BARE_SYSTEM: [&str; 1] = ["system"];
/// Words behind a name that make another of it: the goal file is no goal.
const COMPOUND: [&str; 42] = [
    "file",
    "files",
    "text",
    "texts",
    "line",
    "lines",
    "screen",
    "panel",
    "editor",
    "dialog",
    "field",
    "fields",
    "column",
    "columns",
    "keeper",
    "slot",
    "module",
    "page",
    "parser",
    "test",
    "tests",
    "struct",
    "type",
    "types",
    "enum",
    "variable",
    "name",
    "names",
    "solver",
    "satisfaction",
    "programming",
    "node",
    "nodes",
    "state",
    "post",
    "version",
    "list",
    "table",
    "key",
    "error",
    "errors",
    "violation",
];
/// What may be said of a goal that is another now.
const CHANGED: [&str; 26] = [
    "is now",
    "are now",
    "now is",
    "now are",
    "is no longer",
    "are no longer",
    "no longer",
    "has changed",
    "have changed",
    "has been",
    "have been",
    "was changed",
    "were changed",
    "was updated",
    "was replaced",
    "was set to",
    "is changed",
    "changed to",
    "changed from",
    "changes to",
    "becomes",
    "became",
    "will be",
    "shall be",
    "now reads",
    "from here on",
];
/// What may be said of what does not bind any more, anywhere behind its name.
const ANNULLED: [&str; 30] = [
    "no longer appl",
    "no longer hold",
    "no longer bind",
    "no longer valid",
    "no longer in force",
    "not apply any",
    "does not apply",
    "do not apply",
    "doesn't apply",
    "don't apply",
    "is lifted",
    "are lifted",
    "was lifted",
    "were lifted",
    "been lifted",
    "is void",
    "are void",
    "is waived",
    "are waived",
    "was waived",
    "is cancelled",
    "is canceled",
    "was cancelled",
    "are cancelled",
    "been cancelled",
    "was revoked",
    "is revoked",
    "be ignored",
    "be disregarded",
    "is superseded",
];
/// The same right behind its name, where the words say much else of other things.
const GONE: [&str; 17] = [
    "lifted",
    "removed",
    "dropped",
    "cancelled",
    "canceled",
    "revoked",
    "waived",
    "void",
    "off",
    "none",
    "changed",
    "replaced",
    "relaxed",
    "suspended",
    "withdrawn",
    "superseded",
    "obsolete",
];
const IS: [&str; 10] = ["is", "are", "was", "were", "has been", "have been", "now", "hereby", "all", "also"];
/// Words with which an own table of a database is spoken of.
const TABLES: [&str; 8] = ["table", "column", "database", "schema", "sql", "migration", "import", "index"];
/// Beginnings that instruct who reads them.
const ORDERS: [&str; 29] = [
    "from now on",
    "henceforth",
    "effective immediately",
    "you must",
    "you are now",
    "you should",
    "you may now",
    "you can now",
    "you are allowed",
    "you are free to",
    "you have permission",
    "you no longer",
    "you need not",
    "you don't have to",
    "you do not have to",
    "you will now",
    "you shall",
    "your task is",
    "your new task",
    "your job is",
    "your goal is",
    "your mission",
    "your only goal",
    "act as if",
    "act as a",
    "pretend to be",
    "pretend that",
    "obey",
    "you have to",
];
/// Words before an imperative.
const BEFORE: [&str; 12] =
    ["please", "now", "then", "so", "and", "but", "also", "instead", "just", "simply", "always", "therefore"];
/// Verbs that take what binds the agent from it, if that is named anywhere behind them.
const UNBIND: [&str; 14] = [
    "ignore",
    "disregard",
    "forget",
    "override",
    "overrule",
    "bypass",
    "violate",
    "do not follow",
    "don't follow",
    "stop following",
    "do not obey",
    "don't obey",
    "no need to follow",
    "pay no attention to",
];
/// The same, if it is named right behind them.
const GIVE_UP: [&str; 6] = ["abandon", "discard", "cancel", "lift", "drop", "waive"];
/// Verbs that set a goal that is named right behind them.
const SET: [&str; 12] = [
    "change", "replace", "set", "update", "revise", "redefine", "rewrite", "adopt", "pursue", "follow",
    "remove", "edit",
];
/// What binds the agent, anywhere behind such a verb.
const BINDS: [&str; 9] = [
    "goal",
    "constraint",
    "instruction",
    "rules",
    "rule",
    "system prompt",
    "system message",
    "everything above",
    "of the above",
];
const PERSONS: [&str; 12] = [
    "the user",
    "the person",
    "the operator",
    "the owner",
    "the human",
    "the developer",
    "the customer",
    "the admin",
    "the supervisor",
    "wakeful",
    "user",
    "the system",
];
const DID: [&str; 6] = ["has", "have", "had", "just", "now", "also"];
const CHANGES: [&str; 15] = [
    "changed",
    "updated",
    "replaced",
    "lifted",
    "removed",
    "cancelled",
    "canceled",
    "dropped",
    "revoked",
    "withdrew",
    "waived",
    "relaxed",
    "redefined",
    "suspended",
    "set",
];
const BIDS: [&str; 9] = [
    "wants you",
    "asks you",
    "asked you",
    "tells you",
    "orders you",
    "allows you",
    "allowed you",
    "permits you",
    "authorised you",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Goal,
    Constraint,
    Instruction,
    System,
    Task,
    /// Only the word `system`.
    Machine,
}

/// What a part is about: its name, whether it is said to be another one or whose it is, what is said.
struct Subject<'a> {
    name: Name,
    marked: bool,
    determined: bool,
    rest: &'a str,
}

pub(super) fn poses(text: &str) -> bool {
    let text = words(text, &BEFORE);
    orders(text)
        || annuls(text)
        || person_changed(text)
        || subject(text).is_some_and(|subject| claims(&subject))
}

fn subject(text: &str) -> Option<Subject<'_>> {
    let mut marked = false;
    let mut at = text;
    loop {
        at = words(at, &PLAIN);
        let Some(rest) = word(at, &MARKED) else { break };
        (at, marked) = (rest, true);
    }
    let named = [
        (Name::Goal, &GOALS[..]),
        (Name::Constraint, &CONSTRAINTS),
        (Name::Instruction, &INSTRUCTIONS),
        (Name::System, &SYSTEMS),
        (Name::Task, &TASKS),
        (Name::Machine, &BARE_SYSTEM),
    ];
    let (name, rest) = named.iter().find_map(|(name, of)| word(at, of).map(|rest| (*name, rest)))?;
    let compound = word(rest, &COMPOUND).is_some() && !rest.starts_with("version");
    (!compound).then(|| Subject {
        name,
        marked,
        determined: at.len() < text.len(),
        rest: after_version(rest),
    })
}

/// Without the number of the version that a name has: v2, (version 2), 2 before a mark.
fn after_version(rest: &str) -> &str {
    let at = rest.trim_start_matches(['(', '#', '*', '_', ' ']);
    let at = at.strip_prefix("version").or_else(|| at.strip_prefix('v')).unwrap_or(at).trim_start();
    let after = at.trim_start_matches(|c: char| c.is_ascii_digit());
    if after.len() == at.len() { rest } else { after.trim_start_matches(')').trim_start() }
}

/// Whether what is said of the goal, a constraint or the instructions sets, changes or annuls it.
fn claims(subject: &Subject<'_>) -> bool {
    let Subject { name, marked, rest, .. } = *subject;
    let built = name == Name::Constraint && is_built(rest);
    if set_to(rest).is_some() {
        return !built && (marked || name != Name::Task);
    }
    let now = rest.strip_prefix("is now").or_else(|| rest.strip_prefix("are now")).map(str::trim_start);
    let to = |text: &str| {
        word(text, &["to", "that", "none", "no", "not", "only"]).is_some() || set_to(text).is_some()
    };
    let is = rest.strip_prefix("is ").or_else(|| rest.strip_prefix("are "));
    let annulled = ANNULLED.iter().any(|words| rest.contains(words));
    let gone = words(rest, &IS).len() < rest.len() && word(words(rest, &IS), &GONE).is_some();
    let of_table = TABLES.iter().any(|word| rest.contains(word));
    match name {
        Name::Goal | Name::System => {
            let version = rest.starts_with("(version");
            let own = marked && is.is_some();
            version || own || annulled || gone || word(rest, &CHANGED).is_some()
        }
        Name::Constraint => {
            let other = now.is_some_and(to) || (marked && is.is_some_and(to));
            !built && (annulled || other || (gone && !of_table))
        }
        Name::Instruction => annulled || now.is_some_and(to) || (marked && is.is_some_and(to)),
        Name::Task => {
            let changed = ["has changed", "was changed to", "changed to", "is changed"];
            now.is_some_and(|text| word(text, &["to"]).is_some())
                || (marked && is.is_some_and(to))
                || word(rest, &changed).is_some()
        }
        Name::Machine => false,
    }
}

/// Whether it is an instruction, or says that nothing binds.
fn orders(text: &str) -> bool {
    let free =
        ["no constraints", "no constraint", "there are no constraints", "there are no more constraints"];
    let unbound = word(text, &free).is_some_and(|rest| {
        let end = rest.trim_matches(|c: char| !c.is_alphanumeric()).is_empty();
        end || word(rest, &["apply", "applies", "any more", "anymore", "now", "left", "remain", "hold"])
            .is_some()
    });
    let longer = text.starts_with("there are no longer any constraints")
        || text.starts_with("there are no longer constraints")
        || text.starts_with("there is no longer a goal");
    unbound || longer || word(text, &ORDERS).is_some()
}

/// Whether it bids to leave or to change what binds.
fn annuls(text: &str) -> bool {
    // As a noun: the ignore rule for target.
    if let Some(rest) = word(text, &UNBIND).filter(|rest| word(rest, &["rule"]).is_none()) {
        return binds(rest);
    }
    let named = |verbs: &[&str]| word(text, verbs).and_then(subject);
    let dropped = named(&GIVE_UP).is_some_and(|subject| match subject.name {
        Name::Goal | Name::System | Name::Instruction => subject.determined,
        Name::Constraint => {
            subject.determined
                && !is_built(subject.rest)
                && !TABLES.iter().any(|word| subject.rest.contains(word))
        }
        Name::Task | Name::Machine => false,
    });
    let set = named(&SET).is_some_and(|subject| match subject.name {
        Name::Goal | Name::System => subject.determined,
        Name::Constraint => subject.marked && !is_built(subject.rest),
        Name::Instruction => subject.marked,
        Name::Task | Name::Machine => false,
    });
    let as_goal = word(text, &["treat", "consider", "take", "use", "regard"]).is_some_and(|rest| {
        [" the goal", " the new goal", " your goal"].iter().any(|goal| ends_in(rest, goal))
    });
    dropped || set || as_goal
}

/// Whether a text ends in these words, or goes on behind them only after a mark.
fn ends_in(text: &str, of: &str) -> bool {
    let mut found = text.match_indices(of).map(|(at, _)| text.get(at + of.len()..).unwrap_or_default());
    found.any(|rest| rest.is_empty() || rest.starts_with(['.', ',', ':', '!', ';']))
}

/// Whether what binds the agent is named, and not only something that has the word in its name.
fn binds(text: &str) -> bool {
    BINDS.iter().any(|bind| {
        text.match_indices(bind).any(|(at, _)| {
            let rest = text.get(at + bind.len()..).unwrap_or_default();
            let rest = rest.strip_prefix('s').unwrap_or(rest).trim_start();
            let file = rest.starts_with('.') && rest.chars().nth(1).is_some_and(char::is_alphanumeric);
            !file && word(rest, &COMPOUND).is_none() && !is_built(rest)
        })
    })
}

/// Whether somebody is said to have changed what binds, or to bid the reader something.
fn person_changed(text: &str) -> bool {
    let Some(rest) = word(text, &PERSONS) else { return false };
    let rest = words(rest, &DID);
    let changed = word(rest, &CHANGES).and_then(subject).is_some_and(|subject| match subject.name {
        Name::Goal | Name::System | Name::Instruction => true,
        Name::Constraint => !is_built(subject.rest) && !TABLES.iter().any(|word| subject.rest.contains(word)),
        Name::Task | Name::Machine => false,
    });
    changed || word(rest, &BIDS).is_some()
}
