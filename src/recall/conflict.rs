//! Whether two memories say the same, or different things of the same.
//!
//! Only plain signs count, in sentences about the same thing, at the same place and time: a number of the same that differs, a
//! negation in one alone, another value where a thing has one at a time, or one of two words that exclude each other. It is
//! a question to a person, not a verdict: both stay, side by side, with their sources.

use super::amounts::differ;
use super::lexicon::{HAN_GROUPS, Link, exclude};
use super::statement::{Said, Shape, Statement, WITHOUT, statements};
use super::{Terms, terms};
use std::collections::BTreeSet;

/// Most words that one of two statements has beside all of the other.
const OTHER: usize = 2;
/// Least characters of a word that another one only goes on from: `Postgres` and `PostgreSQL`.
const BEGINNING: usize = 5;

/// A text as it is compared: taken apart once, whatever it is held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What it is found by.
    pub terms: Terms,
    /// What its sentences state.
    statements: Vec<Statement>,
}

impl Reading {
    /// Takes a text apart.
    pub fn of(text: &str) -> Self {
        Self { terms: terms(text), statements: statements(text) }
    }

    fn all(&self) -> BTreeSet<&str> {
        self.terms.words.iter().chain(&self.terms.characters).map(String::as_str).collect()
    }
}

/// True if two texts say the same: they have the same terms, in whatever order, and none turns the other round.
pub fn same(a: &Reading, b: &Reading) -> bool {
    let first = a.all();
    let turned = |reading: &Reading| reading.statements.iter().filter(|one| one.negative).count();
    !first.is_empty() && first == b.all() && turned(a) == turned(b) && !disagree(a, b)
}

/// True if two texts seem to say different things of the same.
pub fn disagree(a: &Reading, b: &Reading) -> bool {
    a.statements.iter().any(|one| b.statements.iter().any(|other| apart(one, other)))
}

fn apart(a: &Statement, b: &Statement) -> bool {
    if !about_the_same(a, b) {
        return with_or_without(a, b);
    }
    // What one says beside what the other says.
    let more = |one: &Statement, other: &Statement| one.words().difference(&other.words()).count();
    let (own, its) = (more(a, b), more(b, a));
    let within = own.min(its) == 0 && own.max(its) <= OTHER && !a.words().is_empty() && !b.words().is_empty();
    if within && (a.negative != b.negative || differ(&a.amounts, &b.amounts)) {
        return true;
    }
    a.negative == b.negative && a.amounts == b.amounts && excludes(a, b) || others(a, b)
}

/// The same thing, place and time; where these cannot be told from the rest, that decides.
fn about_the_same(a: &Statement, b: &Statement) -> bool {
    match (a.parted, b.parted) {
        (true, true) => a.thing.union(&a.scope).eq(b.thing.union(&b.scope)),
        (true, false) | (false, true) => a.scope.is_empty() && b.scope.is_empty(),
        // What Chinese begins with tells which thing it is.
        (false, false) => a.thing == b.thing && a.han.chars().next() == b.han.chars().next(),
    }
}

/// One holds with something, the other without it, and all else is alike.
fn with_or_without(a: &Statement, b: &Statement) -> bool {
    let all =
        |one: &Statement| one.scope.iter().filter(|word| *word != WITHOUT).cloned().collect::<BTreeSet<_>>();
    a.scope.contains(WITHOUT) != b.scope.contains(WITHOUT)
        && all(a) == all(b)
        && (&a.thing, &a.rest, &a.amounts, a.negative) == (&b.thing, &b.rest, &b.amounts, b.negative)
}

/// One word of each excludes the other, and all else is alike.
fn excludes(a: &Statement, b: &Statement) -> bool {
    let only =
        |one: &Statement, other: &Statement| one.rest.difference(&other.rest).cloned().collect::<Vec<_>>();
    let (own, its) = (only(a, b), only(b, a));
    if let ([own], [its]) = (own.as_slice(), its.as_slice())
        && a.thing == b.thing
        && exclude(own, its)
    {
        return true;
    }
    let latin = |one: &Statement| one.rest.iter().filter(|word| word.is_ascii()).cloned().collect::<Vec<_>>();
    let swapped =
        |x: &str, y: &str| a.han.contains(x) && b.han.contains(y) && a.han.replacen(x, y, 1) == b.han;
    let pairs = |group: &&[&str]| group.iter().any(|x| group.iter().any(|y| x != y && swapped(x, y)));
    latin(a) == latin(b) && a.thing == b.thing && HAN_GROUPS.iter().any(pairs)
}

/// Another value of a thing that has one at a time.
fn others(a: &Statement, b: &Statement) -> bool {
    let (Some(own), Some(its)) = (&a.said, &b.said) else { return false };
    if own.denied || its.denied || a.thing.is_empty() || is_vague(a) || !is_one(own, its) || extends(own, its)
    {
        return false;
    }
    use Shape::{Name, Path, Plain, Property};
    let single = own.single && its.single || matches!(own.link, Link::By(_));
    match (own.shape, its.shape) {
        (Path, Path) | (Name, Name) => true,
        (Name | Path, Name | Path) => own.link != Link::At,
        (Plain, Plain | Name | Path) | (Name | Path, Plain) => single && own.link != Link::At,
        (Property, _) | (_, Property) => false,
    }
}

fn is_vague(statement: &Statement) -> bool {
    statement.thing.iter().all(|word| super::lexicon::is_vague(word))
}

/// Whether both link so that one value excludes another.
fn is_one(a: &Said, b: &Said) -> bool {
    let single = a.single && b.single;
    match (a.link, b.link) {
        (Link::Uses, Link::Uses | Link::Is) | (Link::Is, Link::Uses) => single,
        (one, other) => one == other,
    }
}

/// Whether one value only says more than the other.
fn extends(a: &Said, b: &Said) -> bool {
    let goes_on = |long: &str, short: &str| {
        let path = short.contains('/') || long.contains('/');
        let least = if path { 2 } else { BEGINNING };
        let begins = long
            .strip_prefix(short.trim_end_matches('/'))
            .is_some_and(|rest| path || rest.chars().all(char::is_alphabetic));
        short.len() >= least && (begins || path && long.ends_with(&format!("/{short}")))
    };
    let within = |one: &Said, other: &Said| {
        one.value.iter().all(|x| other.value.iter().any(|y| x == y || goes_on(y, x) || goes_on(x, y)))
    };
    within(a, b) || within(b, a)
}

#[cfg(test)]
mod tests;
