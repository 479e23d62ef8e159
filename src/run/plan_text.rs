//! The plan as a text that a person edits: one sub-goal a line, two spaces a level.
//!
//! ```text
//! 1 [done] Measure the baseline
//! 2 [active] Find the hot spot
//!   2.1 [pending] Write a fixture
//! ```
//!
//! The number stands before the state, so that a title may begin with one. A line without a state is pending; one without
//! a number, or with one that does not fit where it stands, gets the next that was never used under its parent; all
//! others keep theirs. A title that reads as the one of its number was shown is that one, to the byte, whatever white space
//! or hidden character it holds; a new one holds no control character. Lines that begin with `#` are not read. `none` alone takes the whole plan away: an empty text, which
//! may be that of a command that failed, does not. Not to be assumed: that the order of a plan is kept that
//! does not follow its tree.

use super::plan::{ITEMS_MAX, LEVELS_MAX, PlanItem, PlanState, TITLE_MAX, is_id};
use std::collections::HashSet;

/// Spaces a level.
const INDENT: usize = 2;
/// The text of no plan.
const NONE: &str = "none";

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct BadLine {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: LineFault,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// Its indentation is no level under the line before it.
    #[error("indent it by two spaces a level, one level more than the line before it at most")]
    Indent,
    /// Too many levels.
    #[error("a plan has {LEVELS_MAX} levels at most")]
    Deep,
    /// A state that does not exist.
    #[error("there is no state [{0}]; there are pending, active, done, failed and needs_review")]
    State(String),
    /// A state that stands in the middle of a line.
    #[error("[{0}] stands where a title stands; a line is: number [state] title")]
    Misplaced(&'static str),
    /// Nothing at all.
    #[error("nothing stands here; to take the whole plan away, write: none")]
    Nothing,
    /// No title.
    #[error("a title is missing")]
    NoTitle,
    /// A title that is too long: its characters.
    #[error("the title has {0} characters; at most {TITLE_MAX} are kept")]
    LongTitle(usize),
    /// A title with a control character.
    #[error("the title holds the control character {}; titles hold none", code(*.0))]
    Control(char),
    /// A number that a line above has.
    #[error("the number {0} stands above already; take it away here, and the line gets its own")]
    Twice(String),
    /// One item too many: how many there are.
    #[error("the plan has {0} items; at most {ITEMS_MAX} are kept")]
    Many(usize),
}

/// A plan as text, in the order of its tree.
pub fn written(items: &[PlanItem]) -> String {
    let mut out = String::new();
    put(&mut out, items, None, 0);
    out
}

/// Puts what lies under `parent`; an item whose parent is missing is a main one.
fn put(out: &mut String, items: &[PlanItem], parent: Option<&str>, level: usize) {
    for item in items {
        let own = parent_id(&item.id).filter(|own| items.iter().any(|other| other.id == *own));
        if own != parent {
            continue;
        }
        let title = flat(&item.title);
        let indent = " ".repeat(level * INDENT);
        out.push_str(&format!("{indent}{} [{}] {title}\n", item.id, item.state.word()));
        put(out, items, Some(&item.id), level + 1);
    }
}

/// A title on one line.
fn flat(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `U+001B`.
pub fn code(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

/// The first control character of a title that is no white space: terminals would obey it, and nobody sees it.
pub fn control_in(title: &str) -> Option<char> {
    title.chars().find(|c| c.is_control() && !c.is_whitespace())
}

fn parent_id(id: &str) -> Option<&str> {
    id.rsplit_once('.').map(|(parent, _)| parent)
}

/// A line as it is written.
struct Line<'a> {
    no: usize,
    level: usize,
    id: Option<&'a str>,
    state: PlanState,
    title: String,
}

/// Reads a plan. `old` is the one that the text was made from: a number of its is not given to something else, and its
/// titles stay as they are where they were not touched.
///
/// # Errors
/// [`BadLine`] for the first line that cannot be read.
pub fn read(text: &str, old: &[PlanItem]) -> Result<Vec<PlanItem>, BadLine> {
    read_shown(text, old, str::to_owned)
}

/// As [`read`], of a text in which titles stand as `shown` makes them.
///
/// # Errors
/// Those of [`read`].
pub fn read_shown(
    text: &str,
    old: &[PlanItem],
    shown: impl Fn(&str) -> String,
) -> Result<Vec<PlanItem>, BadLine> {
    reading(text, old, shown).map(|read| read.items)
}

/// A plan that was read, and numbers that were written and are not those of their lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The plan.
    pub items: Vec<PlanItem>,
    /// In the order of the lines.
    pub renumbered: Vec<Renumbered>,
}

/// A line that begins with another number than it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renumbered {
    /// The line, from 1.
    pub line: usize,
    /// The number that was written.
    pub wrote: String,
    /// The number that it has.
    pub has: String,
    /// What was written is a part of the title, as no state follows it.
    pub in_title: bool,
}

/// As [`read_shown`], with the numbers that are others than those that were written.
///
/// # Errors
/// Those of [`read`].
pub fn reading(text: &str, old: &[PlanItem], shown: impl Fn(&str) -> String) -> Result<Reading, BadLine> {
    if text.trim() == NONE {
        return Ok(Reading::default());
    }
    let mut lines = Vec::new();
    for (nth, line) in text.lines().enumerate() {
        if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            lines.push(read_line(nth + 1, line)?);
        }
    }
    if let Some(line) = lines.get(ITEMS_MAX) {
        return Err(BadLine { line: line.no, what: LineFault::Many(lines.len()) });
    }
    if lines.is_empty() && !old.is_empty() {
        return Err(BadLine { line: 1, what: LineFault::Nothing });
    }
    let mut known: HashSet<String> = lines.iter().filter_map(|line| line.id).map(str::to_owned).collect();
    known.extend(old.iter().map(|item| item.id.clone()));
    let (mut items, mut renumbered) = (Vec::<PlanItem>::new(), Vec::new());
    let mut above: Vec<String> = Vec::new();
    for Line { no, level, id, state, title } in lines {
        if level > above.len() {
            return Err(BadLine { line: no, what: LineFault::Indent });
        }
        above.truncate(level);
        let parent = above.last().map(String::as_str);
        let wrote = id.or_else(|| title.split_whitespace().next().filter(|word| is_id(word)));
        let in_title = id.is_none();
        let id = match id.filter(|id| parent_id(id) == parent) {
            Some(id) if items.iter().any(|item| item.id == id) => {
                return Err(BadLine { line: no, what: LineFault::Twice(id.to_owned()) });
            }
            Some(id) => id.to_owned(),
            None => next_id(parent, &known),
        };
        if let Some(wrote) = wrote.filter(|wrote| *wrote != id) {
            renumbered.push(Renumbered { line: no, wrote: wrote.to_owned(), has: id.clone(), in_title });
        }
        known.insert(id.clone());
        above.push(id.clone());
        let same = |item: &&PlanItem| item.id == id && shown(&flat(&item.title)).trim() == title;
        let title = match (old.iter().find(same), control_in(&title)) {
            (Some(untouched), _) => untouched.title.clone(),
            (None, Some(control)) => return Err(BadLine { line: no, what: LineFault::Control(control) }),
            (None, None) => title,
        };
        items.push(PlanItem { id, title, state });
    }
    Ok(Reading { items, renumbered })
}

/// The number after all that are known under this parent.
fn next_id(parent: Option<&str>, known: &HashSet<String>) -> String {
    let own = |id: &String| -> Option<u32> {
        let (above, last) = match id.rsplit_once('.') {
            Some((above, last)) => (Some(above), last),
            None => (None, id.as_str()),
        };
        if above == parent { last.parse().ok() } else { None }
    };
    let next = known.iter().filter_map(own).max().unwrap_or(0).saturating_add(1);
    parent.map_or_else(|| next.to_string(), |parent| format!("{parent}.{next}"))
}

fn read_line(no: usize, line: &str) -> Result<Line<'_>, BadLine> {
    let bad = |what| BadLine { line: no, what };
    let body = line.trim();
    let indent = line.split(|c| c != ' ' && c != '\t').next().unwrap_or_default();
    // A tab is one level.
    let cells: usize = indent.chars().map(|c| if c == '\t' { INDENT } else { 1 }).sum();
    if !cells.is_multiple_of(INDENT) || line.trim_start_matches([' ', '\t']) != line.trim_start() {
        return Err(bad(LineFault::Indent));
    }
    let level = cells / INDENT;
    if level >= LEVELS_MAX {
        return Err(bad(LineFault::Deep));
    }
    let (id, rest) = match body.split_once(char::is_whitespace) {
        Some((id, rest)) if is_id(id) && rest.trim_start().starts_with('[') => (Some(id), rest.trim_start()),
        Some(_) | None => (None, body),
    };
    let (state, title) = match rest.strip_prefix('[') {
        Some(rest) => {
            let (word, title) = rest.split_once(']').unwrap_or((rest, ""));
            let word = word.trim();
            let state = PlanState::ALL.into_iter().find(|state| state.word() == word.replace(' ', "_"));
            (state.ok_or_else(|| bad(LineFault::State(word.to_owned())))?, title.trim())
        }
        None => {
            match PlanState::ALL.into_iter().find(|state| rest.contains(&format!("[{}]", state.word()))) {
                Some(state) => return Err(bad(LineFault::Misplaced(state.word()))),
                None => (PlanState::Pending, rest),
            }
        }
    };
    let length = title.chars().count();
    if title.is_empty() {
        return Err(bad(LineFault::NoTitle));
    }
    if length > TITLE_MAX {
        return Err(bad(LineFault::LongTitle(length)));
    }
    Ok(Line { no, level, id, state, title: title.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(lines: &[(&str, PlanState, &str)]) -> Vec<PlanItem> {
        let item = |(id, state, title): &(&str, PlanState, &str)| PlanItem {
            id: (*id).to_owned(),
            title: (*title).to_owned(),
            state: *state,
        };
        lines.iter().map(item).collect()
    }

    fn ids(items: &[PlanItem]) -> Vec<&str> {
        items.iter().map(|item| item.id.as_str()).collect()
    }

    #[test]
    fn what_is_written_is_read_back_in_the_order_of_the_tree() {
        use PlanState::{Active, Done, Failed, NeedsReview, Pending};
        let items = plan(&[
            ("1", Done, "2 M rows: measured [214 s]"),
            ("3", Active, "# not a remark"),
            ("1.2", Failed, "a\n  title"),
            ("1.2.1", NeedsReview, "[odd] one"),
            ("10", Pending, "last"),
        ]);
        let text = written(&items);
        assert_eq!(
            text,
            "1 [done] 2 M rows: measured [214 s]\n  1.2 [failed] a title\n    1.2.1 [needs_review] [odd] one\n\
             3 [active] # not a remark\n10 [pending] last\n"
        );
        let back = read(&text, &items).unwrap();
        assert_eq!(ids(&back), ["1", "1.2", "1.2.1", "3", "10"]);
        assert_eq!(written(&back), text);
        assert_eq!(back[2].title, "[odd] one");
    }

    #[test]
    fn ids_stay_and_what_is_new_or_moved_gets_one_that_was_never_used() {
        let old = plan(&[
            ("1", PlanState::Done, "a"),
            ("2", PlanState::Pending, "b"),
            ("2.1", PlanState::Pending, "c"),
            ("2.2", PlanState::Pending, "d"),
            ("3", PlanState::Pending, "e"),
        ]);
        // 2.2 is gone, 3 lies under 2 now, and three lines are new.
        let text = "new\n1 [done] a\n\n# a remark\n2 [needs review] b\n\t2.1 [pending] c\n  3 [pending] e\n    under it\n  [active] 7 more";
        let read = read(text, &old).unwrap();
        assert_eq!(ids(&read), ["4", "1", "2", "2.1", "2.3", "2.3.1", "2.4"]);
        assert_eq!(read[2].state, PlanState::NeedsReview);
        assert_eq!((read[6].title.as_str(), read[6].state), ("7 more", PlanState::Active));
        assert_eq!((read[0].title.as_str(), read[0].state), ("new", PlanState::Pending));
        assert!(super::super::plan::plan_fault(&read).is_none());
        assert_eq!(super::read("none\n", &old).unwrap(), []);
        for nothing in ["", " \n\t\n", "# all gone\n"] {
            let bad = super::read(nothing, &old).unwrap_err();
            assert_eq!((bad.line, bad.what), (1, LineFault::Nothing), "{nothing:?}");
            assert_eq!(super::read(nothing, &[]).unwrap(), [], "there was none");
        }
    }

    #[test]
    fn a_number_that_was_written_and_is_another_now_is_told() {
        let text = "1 [done] a\n  3 [pending] b\n5 [active] c\n7 d\ne\n";
        let read = reading(text, &[], str::to_owned).unwrap();
        assert_eq!(ids(&read.items), ["1", "1.1", "5", "6", "7"]);
        let told: Vec<_> =
            read.renumbered.iter().map(|r| (r.line, r.wrote.as_str(), r.has.as_str(), r.in_title)).collect();
        assert_eq!(told, [(2, "3", "1.1", false), (4, "7", "6", true)]);
    }

    #[test]
    fn a_title_that_was_not_touched_stays_to_the_byte() {
        let old = plan(&[
            ("1", PlanState::Done, "a\n  title of \t two lines"),
            ("2", PlanState::Active, "red \u{1b}[31m ink"),
            ("3", PlanState::Pending, "plain"),
        ]);
        let text = written(&old).replace("[active]", "[failed]").replace("plain", "plainer");
        let back = read(&text, &old).unwrap();
        assert_eq!((&back[0], &back[1].title, back[1].state), (&old[0], &old[1].title, PlanState::Failed));
        assert_eq!(back[2].title, "plainer");
        // A field that shows no control characters gives back what it was not told to change.
        let shown = |title: &str| title.replace('\u{1b}', "");
        let back = read_shown(&shown(&text), &old, shown).unwrap();
        assert_eq!((&back[0], &back[1].title), (&old[0], &old[1].title));
        // Under another number, or written anew, it is a new title.
        let bad = read(&text.replace("2 [failed]", "4 [failed]"), &old).unwrap_err();
        assert_eq!((bad.line, &bad.what), (2, &LineFault::Control('\u{1b}')));
        assert!(bad.to_string().contains("line 2: the title holds the control character U+001B"), "{bad}");
    }

    #[test]
    fn what_cannot_be_read_names_its_line() {
        for slip in ["x1 [active] Read the files", "- [done] dash", "2: [needs_review] b"] {
            let bad = read(slip, &[]).unwrap_err();
            assert!(matches!(bad.what, LineFault::Misplaced(_)), "{slip}: {bad}");
        }
        let long = format!("1 [done] {}", "x".repeat(301));
        let many = "x\n".repeat(201);
        for (text, line, what) in [
            ("a\n   b", 2, LineFault::Indent),
            ("a\n\n    b", 3, LineFault::Indent),
            ("  a", 1, LineFault::Indent),
            ("\u{3000}a", 1, LineFault::Indent),
            ("            a", 1, LineFault::Deep),
            ("a\n2 [dnoe] b", 2, LineFault::State("dnoe".to_owned())),
            ("[done", 1, LineFault::NoTitle),
            ("1 [done] ", 1, LineFault::NoTitle),
            (&long, 1, LineFault::LongTitle(301)),
            ("1 [done] a\n1 [done] b", 2, LineFault::Twice("1".to_owned())),
            (&many, 201, LineFault::Many(201)),
            ("a\n1 [done] b\u{1b}[2J", 2, LineFault::Control('\u{1b}')),
        ] {
            assert_eq!(read(text, &[]), Err(BadLine { line, what }), "{text:?}");
        }
        let said = read("a\n2 [dnoe] b", &[]).unwrap_err().to_string();
        assert!(said.starts_with("line 2: there is no state [dnoe]"), "{said}");
    }
}
