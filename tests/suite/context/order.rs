//! What is trimmed first, what is said of it, and what is said beforehand.

use super::build::*;
use serde_json::Value;
use wakeful::context::{Assembled, Assembly};
use wakeful::run::budget_table::{Slot, SlotRow, Trim};
use wakeful::run::*;

const GOAL: &str = "Count the wolves — 逐一检查\n  and name none";
const WORDS: &str = "Mind the one at the mill";
const MEMORIES: u64 = 4;

/// A run with memories, a full summary and some rounds whose outputs have these lengths.
fn with_all(outputs: &[usize]) -> Bench {
    let mut bench = Bench::new(settings(16_000), goal(GOAL));
    for step in 0..30 {
        bench.step(&format!("I look at {step}. {}", "It is far. ".repeat(20)), "w.rs", &"w ".repeat(60));
        bench.settle().expect("fits");
    }
    let upto = bench.state.path.messages.last().expect("some").seq;
    let rounds = bench.state.path.messages.iter().filter(|m| m.begins_round()).count() as u32;
    let summary = wakeful::context::summarise(&bench.state, &bench.texts, upto, &chars);
    bench.fold(upto, rounds, summary);
    bench.event(recalled(MEMORIES));
    bench.person(WORDS);
    for (at, output) in outputs.iter().enumerate() {
        bench.step(&format!("Then {at}."), "w.rs", &"o".repeat(*output));
    }
    bench.plans.clear();
    bench
}

fn row(request: &Assembled, slot: Slot) -> SlotRow {
    request.table.rows.iter().find(|row| row.slot == slot).expect("row").clone()
}

/// What goes first when a new output takes so much.
fn goes(outputs: &[usize], new: usize) -> (&'static str, i64) {
    let mut bench = with_all(outputs);
    let free = |bench: &Bench| match bench.assemble(Purpose::Turn) {
        Assembly::Ready(ready) => i64::from(ready.table.window) - i64::from(ready.table.total()),
        other => panic!("{other:?}"),
    };
    let before = bench.state.path.messages.iter().map(|m| i64::from(m.tokens)).sum::<i64>();
    let room = free(&bench);
    bench.step("Now.", "w.rs", &format!("FIRST {} LAST", "n".repeat(new)));
    let now = bench.state.path.messages.iter().map(|m| i64::from(m.tokens)).sum::<i64>();
    let over = now - before - room;
    let what = match bench.assemble(Purpose::Turn) {
        Assembly::Fold(_) => "rounds",
        Assembly::DropOutputs(plan) if plan.drops.iter().all(|drop| drop.kept.is_none()) => "old outputs",
        Assembly::DropOutputs(_) => "the new output",
        Assembly::TooBig(big) => panic!("{}", big.words),
        Assembly::Ready(request) => {
            let all = text_of(&request.messages);
            assert!(all.contains("FIRST ") && all.contains(" LAST") && all.contains(WORDS), "{over}");
            assert!(content(&request.messages[0]).contains(GOAL), "{over}");
            assert!(request.table.total() <= request.table.window);
            let (memories, summary) = (row(&request, Slot::LongTerm), row(&request, Slot::Summary));
            let kept = (1..=MEMORIES).filter(|id| all.contains(&format!("memory {id}:"))).collect::<Vec<_>>();
            let nearest: Vec<u64> = (1..=u64::from(memories.items)).collect();
            assert_eq!(kept, nearest, "the farthest go first");
            match (memories.items, summary.trimmed.is_empty()) {
                (items, true) if u64::from(items) == MEMORIES => "nothing",
                (_, true) => "memories",
                (_, false) => "the summary",
            }
        }
    };
    (what, over)
}

/// What goes, in order, as the new output grows.
fn order(outputs: &[usize]) -> Vec<&'static str> {
    let mut seen: Vec<&'static str> = Vec::new();
    for new in (0..15_000).step_by(150) {
        let (what, over) = goes(outputs, new);
        assert_eq!(what == "nothing", over <= 0 && what == "nothing", "over by {over}: {what}");
        // Recent rounds that are over their own budget while all fits are trimmed by themselves.
        if over > 0 && seen.last() != Some(&what) {
            seen.push(what);
        }
    }
    seen
}

#[test]
fn over_the_window_memories_go_first_then_old_outputs_then_rounds_and_the_summary_keeps_its_budget() {
    assert_eq!(order(&[1_500, 1_500, 300, 300]), ["memories", "old outputs", "rounds"]);
    // Where there is no old output that is worth dropping.
    assert_eq!(order(&[20, 20, 20, 20]), ["memories", "rounds"]);
}

#[test]
fn a_summary_that_is_over_its_budget_is_cut_to_it_before_a_round_goes() {
    let mut bench = with_all(&[300, 300]);
    let before = bench.settle().expect("fits");
    let mut smaller = bench.state.settings().expect("created").clone();
    smaller.model.window = before.table.total() - 100;
    bench.event(Event::SettingsChanged { settings: Box::new(smaller), why: String::new() });
    let Assembly::Ready(after) = bench.assemble(Purpose::Turn) else { panic!("a round goes") };
    let (old, new) = (row(&before, Slot::Summary), row(&after, Slot::Summary));
    assert!(new.used <= new.budget && new.budget < old.used && new.used > 0, "{old:?} {new:?}");
    assert_eq!(new.trimmed.len(), 1, "it is told");
    assert!(content(&after.messages[0]).contains(" earlier rounds left out)"), "and seen by the model");
    assert_eq!(row(&after, Slot::Recent).items, row(&before, Slot::Recent).items);
}

/// A run of rounds of these lengths, over and over, with memories; what was seen of each request: the system message, the
/// plans before it, what was said of the next trim, and what is trimmed.
struct Seen {
    system: String,
    plans: Vec<&'static str>,
    next: Option<Slot>,
    memories: u32,
    summary_cut: bool,
    now: Vec<Trim>,
    since: Vec<Trim>,
}

fn run(window: u32, lines: &[usize]) -> Vec<Seen> {
    let mut bench = Bench::new(settings(window), goal(GOAL));
    bench.person(WORDS);
    bench.event(recalled(MEMORIES));
    let mut all = Vec::new();
    for step in 0..80 {
        let output = "part of it: 3 leaves, sound\n".repeat(lines[step % lines.len()]);
        bench.step(&format!("I look at {step:03}."), &format!("parts/{step:03}.txt"), &output);
        bench.plans.clear();
        let request = bench.settle().expect("fits");
        let now = row(&request, Slot::Recent).trimmed;
        all.push(Seen {
            system: content(&request.messages[0]).to_owned(),
            plans: bench.plans.clone(),
            next: request.table.next,
            memories: row(&request, Slot::LongTerm).items,
            summary_cut: !row(&request, Slot::Summary).trimmed.is_empty(),
            now,
            since: request.table.since_start.clone(),
        });
    }
    all
}

#[test]
fn the_summary_changes_only_when_the_rounds_do() {
    let mut gave = 0;
    for lines in [&[4][..], &[25], &[40], &[20, 60, 100, 10], &[10, 10, 10, 120]] {
        let seen = run(12_000, lines);
        for pair in seen.windows(2) {
            let [before, now] = pair else { continue };
            let changed = before.system != now.system;
            assert!(!changed || !now.plans.is_empty(), "{lines:?}: it changed between");
            assert!(!changed || now.plans.contains(&"fold"), "{lines:?}: {:?}", now.plans);
        }
        gave += seen.iter().filter(|one| u64::from(one.memories) < MEMORIES).count();
    }
    println!("memories gave way in {gave} of 400 requests");
    assert!(gave > 0, "it was never so tight");
}

#[test]
fn what_is_said_to_be_trimmed_next_is_what_is_trimmed_next() {
    let mut told: Vec<(bool, Slot)> = Vec::new();
    for (window, lines) in [(12_000, 4), (12_000, 12), (12_000, 25), (12_000, 40), (12_000, 90), (9_000, 30)]
    {
        let seen = run(window, &[lines]);
        for (at, one) in seen.iter().enumerate() {
            let trimmed = |later: &Seen| match later {
                later if !later.plans.is_empty() => Some(Slot::Recent),
                later if later.summary_cut => Some(Slot::Summary),
                later if u64::from(later.memories) < MEMORIES => Some(Slot::LongTerm),
                _ => None,
            };
            if let Some(next) = seen[at + 1..].iter().find_map(trimmed) {
                told.push((one.next == Some(next), next));
                if one.next != Some(next) {
                    println!("window {window}, {lines} lines, step {at}: {:?}, {next:?}", one.next);
                }
            }
        }
    }
    // The state grows as well, which a step or two before a trim can turn it.
    let right = told.iter().filter(|(right, _)| *right).count();
    println!("{right} of {} were right", told.len());
    assert!(told.len() > 400 && right * 100 >= told.len() * 97, "{right} of {}", told.len());
    let of = |slot| told.iter().filter(|(right, next)| *right && *next == slot).count();
    assert!(of(Slot::Recent) > 100 && of(Slot::LongTerm) > 5, "{} {}", of(Slot::Recent), of(Slot::LongTerm));
}

#[test]
fn what_was_trimmed_for_one_step_is_not_told_of_the_next() {
    let seen = run(12_000, &[25]);
    let total = |trims: &[Trim]| trims.iter().map(|trim| u64::from(trim.tokens)).sum::<u64>();
    let (mut trimmed, mut not) = (0, 0);
    for pair in seen.windows(2) {
        let [before, now] = pair else { continue };
        if now.plans.is_empty() {
            not += 1;
            assert!(now.now.is_empty(), "nothing left for this request: {:?}", now.now);
            assert_eq!(now.since, before.since);
        } else {
            trimmed += 1;
            assert!(!now.now.is_empty());
            assert_eq!(total(&now.since), total(&before.since) + total(&now.now), "{:?}", now.now);
        }
    }
    assert!(trimmed > 5 && not > 5, "{trimmed} {not}");
    assert!(seen.last().is_some_and(|last| last.since.iter().any(|trim| trim.what.ends_with(" rounds"))));
}

/// The tail of a request is not part of what a server has read: that memories go changes nothing before it.
#[test]
fn memories_that_give_way_change_nothing_but_the_last_message() {
    let mut bench = with_all(&[300, 300]);
    let before = match bench.assemble(Purpose::Turn) {
        Assembly::Ready(ready) => ready,
        other => panic!("{other:?}"),
    };
    let history = |request: &Assembled| -> Vec<Value> {
        request.messages[..request.messages.len() - request.tail].to_vec()
    };
    let room = before.table.window - before.table.total();
    bench.step("Now.", "w.rs", &"n".repeat(room as usize));
    let Assembly::Ready(after) = bench.assemble(Purpose::Turn) else { panic!("more went than memories") };
    assert!(u64::from(row(&after, Slot::LongTerm).items) < MEMORIES);
    assert!(history(&after).starts_with(&history(&before)));
}
