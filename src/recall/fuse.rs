//! The order of what was found: by text and by meaning, joined by reciprocal rank.
//!
//! Reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009): a memory's sum over both orders of 1 / (60 + place).
//! It needs no common scale of the two. The *score* that people see, and that the threshold is about, is apart from it:
//! by text the share of weight that query and memory have in common, where a rare term weighs more; by meaning the
//! likeness less what is usual for this query, which makes models with different scales comparable.

use super::conflict::{Reading, same};
use super::terms::Terms;
use crate::run::memory::{MemoryId, Why};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// The constant of reciprocal rank fusion, as its authors give it.
const RRF: f64 = 60.0;
/// Where there are vectors, the order by text counts for memories that hold at least this share of the query's weight, or
/// have it of their own: below, a place is chance, and would outweigh a good one by meaning. Found with the labelled
/// queries of the tests: without it paraphrases fall from 0.69 to 0.31.
const PLACED: f64 = 0.3;
/// What a single character weighs against a word.
const CHARACTER: f64 = 0.25;
/// Most words that are shown as the reason.
const SHOWN: usize = 5;

/// What is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// Most memories, those that are pinned apart: a person said that they are offered whatever is asked.
    pub most: usize,
    /// Least score, percent.
    pub least: u8,
    /// Most results among them, those that are pinned apart.
    pub results: usize,
    /// Most memories of a conflict that nobody decided, which are taken together and count as one, those that are pinned
    /// apart; 0 takes each by itself.
    pub conflict: usize,
}

impl Policy {
    /// Memories of a conflict that a model is shown side by side.
    pub const SIDES: usize = 3;
}

impl Default for Policy {
    fn default() -> Self {
        Self { most: 5, least: 20, results: 2, conflict: 0 }
    }
}

/// A memory that may be near.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The memory.
    pub id: MemoryId,
    /// Its text, taken apart.
    pub reading: Arc<Reading>,
    /// Its place in the order by text, from 0.
    pub by_text: Option<usize>,
    /// Its place in the order by meaning, from 0.
    pub by_meaning: Option<usize>,
    /// Likeness of the vectors less the mean over all memories, as a share of what is left to 1.
    pub likeness: Option<f32>,
    /// It is offered whatever is asked.
    pub pinned: bool,
    /// It is a result: each run leaves some, and those of runs with like goals are alike.
    pub result: bool,
    /// The conflict that it is in, if it is taken with its others.
    pub conflict: Option<usize>,
}

/// A memory that is near enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The memory.
    pub id: MemoryId,
    /// Score, percent.
    pub score: u8,
    /// Why.
    pub why: Why,
    /// It stands beside the one before it, with which it disagrees.
    pub beside: bool,
    /// Others of its conflict that were not taken.
    pub more: u32,
}

/// What was taken, and what was not for its score alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranked {
    /// Those that are near enough, in their order.
    pub found: Vec<Found>,
    /// Those that there would have been room for, had their score been high enough.
    pub under: Vec<MemoryId>,
}

/// The best candidates for a query, pinned ones first, none that says the same as one before it; after one of a conflict
/// its others, however far they are.
///
/// `rarity` gives the weight of a term: the rarer, the more.
pub fn rank(query: &Terms, candidates: &[Candidate], policy: Policy, rarity: &dyn Fn(&str) -> f64) -> Ranked {
    let alone = candidates.iter().all(|candidate| candidate.by_meaning.is_none());
    let asked = Asked::of(query, rarity);
    let mut scored: Vec<(f64, Found, &Candidate)> = candidates
        .iter()
        .map(|candidate| {
            let (by_text, near) = near(&asked, candidate, rarity);
            let place = |place: Option<usize>| place.map_or(0.0, |at| 1.0 / (RRF + 1.0 + at as f64));
            let placed = candidate.by_text.filter(|_| alone || by_text >= PLACED);
            (place(placed) + place(candidate.by_meaning), near, candidate)
        })
        .collect();
    scored.sort_by(|(a, found_a, first), (b, found_b, second)| {
        let pinned = second.pinned.cmp(&first.pinned);
        pinned.then(b.total_cmp(a)).then(found_b.score.cmp(&found_a.score)).then(found_b.id.cmp(&found_a.id))
    });
    let mut taken: Vec<(Found, &Candidate)> = Vec::new();
    let (mut near, mut results, mut under) = (0, 0, Vec::new());
    for (_, found, candidate) in &scored {
        let candidate = *candidate;
        if !candidate.pinned && near >= policy.most {
            break;
        }
        let with_other = candidate.conflict.is_some()
            && taken.iter().any(|(_, before)| before.conflict == candidate.conflict);
        let counts = candidate.result && !candidate.pinned;
        if with_other || counts && results >= policy.results {
            continue;
        }
        if !candidate.pinned && found.score < policy.least {
            under.extend((found.score > 0).then_some(candidate.id));
            continue;
        }
        if !taken.iter().any(|(_, before)| same(&before.reading, &candidate.reading)) {
            near += usize::from(!candidate.pinned);
            results += usize::from(counts);
            let (others, more) = others(&scored, candidate, policy.conflict);
            taken.push((Found { more, ..found.clone() }, candidate));
            taken.extend(others);
        }
    }
    let found: Vec<Found> = taken.into_iter().map(|(found, _)| found).collect();
    // What came in beside another one of its conflict is in.
    under.retain(|id| !found.iter().any(|taken| taken.id == *id));
    under.truncate(policy.most.saturating_sub(near));
    Ranked { found, under }
}

/// The others of a candidate's conflict that are taken with it, pinned ones first, then the newest, and how many are not.
fn others<'a>(
    all: &[(f64, Found, &'a Candidate)],
    one: &Candidate,
    most: usize,
) -> (Vec<(Found, &'a Candidate)>, u32) {
    let of_it = |other: &Candidate| one.conflict.is_some() && other.conflict == one.conflict;
    let mut others: Vec<(Found, &Candidate)> = all
        .iter()
        .filter(|(_, _, other)| of_it(other) && other.id != one.id)
        .map(|(_, found, other)| (Found { beside: true, ..found.clone() }, *other))
        .collect();
    others.sort_by(|(_, a), (_, b)| b.pinned.cmp(&a.pinned).then(b.id.cmp(&a.id)));
    let (every, mut shown) = (others.len(), 1);
    others.retain(|(_, other)| {
        shown += 1;
        other.pinned || shown <= most
    });
    let more = u32::try_from(every - others.len()).unwrap_or(u32::MAX);
    (others, more)
}

/// The terms of a query, weighed once for all candidates.
struct Asked<'a> {
    terms: HashSet<&'a str>,
    /// What all of them weigh.
    weight: f64,
}

impl<'a> Asked<'a> {
    fn of(query: &'a Terms, rarity: &dyn Fn(&str) -> f64) -> Self {
        Self {
            terms: weights(query, rarity).map(|(term, _)| term).collect(),
            weight: all(weights(query, rarity)),
        }
    }
}

/// Score by text, and score and reason of one candidate.
fn near(asked: &Asked<'_>, candidate: &Candidate, rarity: &dyn Fn(&str) -> f64) -> (f64, Found) {
    let held: Vec<(&str, f64)> = weights(&candidate.reading.terms, rarity).collect();
    let mut shared: Vec<(&str, f64)> =
        held.iter().copied().filter(|(term, _)| asked.terms.contains(term)).collect();
    shared.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let common: f64 = shared.iter().map(|(_, weight)| weight).sum();
    // A long query names much beside what one memory is about, a long memory much beside what was asked.
    let by_text = (common / asked.weight).max(common / all(held.into_iter()));
    let by_meaning = candidate.likeness.map(f64::from);
    let words: BTreeSet<&str> = candidate.reading.terms.words.iter().map(String::as_str).collect();
    let shown = shared.iter().filter(|(term, _)| words.contains(term)).take(SHOWN);
    let why = Why {
        words: shown.map(|(term, _)| candidate.reading.terms.written(term).to_owned()).collect(),
        likeness: by_meaning.map(percent),
        pinned: candidate.pinned,
        words_alone: false,
    };
    (
        by_text,
        Found {
            id: candidate.id,
            score: percent(by_text.max(by_meaning.unwrap_or(0.0))),
            why,
            beside: false,
            more: 0,
        },
    )
}

/// The terms of a text, none twice, with what each weighs.
fn weights<'a>(terms: &'a Terms, rarity: &dyn Fn(&str) -> f64) -> impl Iterator<Item = (&'a str, f64)> {
    let words = terms.words.iter().map(|term| (term.as_str(), rarity(term)));
    let characters = terms.characters.iter().map(|term| (term.as_str(), CHARACTER * rarity(term)));
    words.chain(characters)
}

fn all<'a>(weights: impl Iterator<Item = (&'a str, f64)>) -> f64 {
    weights.map(|(_, weight)| weight).sum::<f64>().max(f64::MIN_POSITIVE)
}

fn percent(share: f64) -> u8 {
    // In range by the clamp.
    (share.clamp(0.0, 1.0) * 100.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::super::terms;
    use super::*;

    fn rank(
        query: &Terms,
        candidates: &[Candidate],
        policy: Policy,
        rarity: &dyn Fn(&str) -> f64,
    ) -> Vec<Found> {
        super::rank(query, candidates, policy, rarity).found
    }

    fn candidate(id: u64, text: &str, by_text: Option<usize>, meaning: Option<(usize, f32)>) -> Candidate {
        Candidate {
            id,
            reading: Arc::new(Reading::of(text)),
            by_text,
            by_meaning: meaning.map(|(at, _)| at),
            likeness: meaning.map(|(_, likeness)| likeness),
            pinned: false,
            result: false,
            conflict: None,
        }
    }

    fn ids(found: &[Found]) -> Vec<u64> {
        found.iter().map(|found| found.id).collect()
    }

    #[test]
    fn both_orders_together_beat_the_first_place_in_one() {
        let all = [
            candidate(1, "flush the writer", Some(0), None),
            candidate(2, "flush the buffered writer", Some(1), Some((0, 0.8))),
            candidate(3, "buffers are written late", None, Some((1, 0.7))),
        ];
        let found = rank(&terms("flush writer"), &all, Policy::default(), &|_| 1.0);
        assert_eq!(ids(&found), [2, 1, 3]);
        assert_eq!(found[0].why.words, ["flush", "writer"]);
        assert_eq!(found[2].why, Why { likeness: Some(70), ..Why::default() });
    }

    #[test]
    fn what_is_far_is_left_out_and_what_is_pinned_stays() {
        let mut pinned = candidate(9, "never touch fixtures", None, None);
        pinned.pinned = true;
        let all = [candidate(1, "the nightly build of the docs fails on arm", Some(0), None), pinned];
        let found = rank(
            &terms("which flags make the parser fast enough for large invoices"),
            &all,
            Policy::default(),
            &|_| 1.0,
        );
        assert_eq!(ids(&found), [9]);
        assert!(found[0].why.pinned);
    }

    #[test]
    fn pinned_ones_take_no_place_from_what_is_near() {
        let pinned = |id: u64| Candidate {
            pinned: true,
            ..candidate(id, &format!("rule {id} of the house number {}", id * 7), None, None)
        };
        let mut all: Vec<Candidate> = (11..=16).map(pinned).collect();
        all.extend(
            (1..=6).map(|id| candidate(id, &format!("the parser has flag {id}"), Some(id as usize), None)),
        );
        let found = ids(&rank(&terms("which flag has the parser"), &all, Policy::default(), &|_| 1.0));
        let (six, near) = found.split_at(6);
        assert!(six.iter().all(|id| *id > 10), "all that are pinned, first: {found:?}");
        assert_eq!(near, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn many_results_leave_room_for_what_else_is_near() {
        let result = |id: u64, at: usize| Candidate {
            result: true,
            ..candidate(id, &format!("The nightly bench of the parser came to {id} s"), Some(at), None)
        };
        let mut all: Vec<Candidate> = (1..=6).map(|id| result(id, id as usize)).collect();
        all.push(candidate(7, "The bench needs --release", Some(7), None));
        let query = terms("run the nightly bench of the parser");
        let found = |all: &[Candidate], policy| ids(&rank(&query, all, policy, &|_| 1.0));
        assert_eq!(found(&all, Policy::default()), [1, 2, 7]);
        all[5].pinned = true;
        assert_eq!(found(&all, Policy::default()), [6, 1, 2, 7], "a person chose that one");
        assert_eq!(
            found(&all, Policy { results: 5, ..Policy::default() }).len(),
            6,
            "where they are asked for, five beside the one that is pinned"
        );
    }

    #[test]
    fn those_of_a_conflict_come_together_and_count_as_one() {
        let of = |id: u64, text: &str, at: Option<usize>| Candidate {
            conflict: Some(0),
            ..candidate(id, text, at, None)
        };
        let mut all: Vec<Candidate> =
            (1..=5).map(|id| of(id, &format!("service {id} answers at 30{id}0"), None)).collect();
        all.push(of(6, "the deploy port is 3060", Some(0)));
        all.extend(
            (7..=9)
                .map(|id| candidate(id, &format!("the deploy port has rule {id}"), Some(id as usize), None)),
        );
        let policy = Policy { most: 3, conflict: Policy::SIDES, ..Policy::default() };
        let found = rank(&terms("deploy port"), &all, policy, &|_| 1.0);
        assert_eq!(ids(&found), [6, 5, 4, 7, 8]);
        let beside: Vec<(bool, u32)> = found.iter().map(|one| (one.beside, one.more)).collect();
        assert_eq!(beside, [(false, 3), (true, 0), (true, 0), (false, 0), (false, 0)]);
        all[0].pinned = true;
        let found = rank(&terms("deploy port"), &all, policy, &|_| 1.0);
        assert_eq!(ids(&found)[..3], [1, 6, 5], "with the one that a person chose");
    }

    #[test]
    fn none_is_shown_twice_in_other_order_of_words() {
        let all = [
            candidate(1, "The cache is cold after a restart", Some(0), None),
            candidate(2, "After a restart the cache is cold.", Some(1), None),
        ];
        let found = rank(&terms("cold cache"), &all, Policy::default(), &|_| 1.0);
        assert_eq!(ids(&found), [1]);
    }

    #[test]
    fn a_rare_word_counts_for_more_than_a_frequent_one() {
        let rarity = |term: &str| if term == "zstd" { 5.0 } else { 0.5 };
        let all = [
            candidate(1, "zstd level is six", Some(1), None),
            candidate(2, "level of the build is slow", Some(0), None),
        ];
        let found = rank(&terms("which zstd level"), &all, Policy { least: 0, ..Policy::default() }, &rarity);
        assert!(found.iter().find(|f| f.id == 1).unwrap().score > 80);
        assert!(found.iter().find(|f| f.id == 2).unwrap().score < 40);
    }

    #[test]
    fn those_that_only_their_score_kept_out_are_named_as_far_as_there_was_room() {
        let mut all: Vec<Candidate> = (1..=4)
            .map(|id| candidate(id, &format!("the parser has flag {id}"), Some(id as usize), None))
            .collect();
        let far = |id: u64| {
            let text =
                format!("flag {id} of the nightly build of the docs of the old arm machine in the cellar");
            candidate(id, &text, Some(id as usize), None)
        };
        all.extend((5..=7).map(far));
        all.push(candidate(8, "rooks nest in March", None, None));
        let of = |all: &[Candidate], most| {
            let policy = Policy { most, least: 60, ..Policy::default() };
            super::rank(&terms("which flag has the parser"), all, policy, &|_| 1.0)
        };
        let ranked = of(&all, 5);
        assert_eq!((ids(&ranked.found), ranked.under), (vec![1, 2, 3, 4], vec![5]), "one more had room");
        assert_eq!(of(&all, 9).under, [5, 6, 7], "what has nothing in common is not near at all");
        assert_eq!(of(&all, 4).under, Vec::<u64>::new());
    }
}
