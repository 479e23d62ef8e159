//! How seldom the beginning of a request changes: each trim makes room for several steps, so that a server's cache holds.

use super::build::*;
use serde_json::Value;
use wakeful::run::budget_table::Slot;
use wakeful::tool::{Registry, ShellLimits};

const GOAL: &str = "Survey the 300 parts of the ledger — 逐一检查, never rename one\n  and keep a list";
const INSTRUCTIONS: &str = "You are the surveyor of this ledger alone.\n- 只看不改: leave `src/` to others";
const STEPS: usize = 118;
const WINDOW: u32 = 8192;

fn o200k(text: &str) -> u32 {
    bpe_openai::o200k_base().count(text) as u32
}

/// What was seen of a run whose outputs have these lengths, in lines of some ten tokens, over and over.
#[derive(Debug, Default)]
struct Seen {
    /// Requests that did not only grow at their end.
    breaks: usize,
    /// Bytes of messages that stood at the beginning of the request before, of all.
    same: usize,
    bytes: usize,
    /// Tokens of the recent rounds, summed over the requests.
    recent: u64,
    drops: usize,
    folds: usize,
    /// Outputs that are shown whole, summed over the requests.
    whole: usize,
}

fn run(lines: &[usize]) -> Seen {
    let mut with = settings(WINDOW);
    with.model.reserve = 1024;
    with.tools = Registry::new(ShellLimits::default()).specs().to_vec();
    let mut bench = Bench::new(with, goal(GOAL));
    bench.count = o200k;
    bench.texts.instructions = Some(INSTRUCTIONS.to_owned());
    let mut rules: Option<String> = None;
    bench.person("only the first volume, please");
    let mut seen = Seen::default();
    let mut before: Vec<Value> = Vec::new();
    for step in 0..STEPS {
        let request = bench.settle().expect("fits");
        let (system, all) = (content(&request.messages[0]), text_of(&request.messages));
        assert!(system.contains(GOAL) && system.contains("- do not touch X"));
        // Case C21: role, rules and instructions of the workspace are what they were at the first step.
        let head = system.split("GOAL (version ").next().unwrap_or_default().to_owned();
        assert!(head.contains(INSTRUCTIONS) && head.len() > 4 * INSTRUCTIONS.len(), "{head}");
        assert_eq!(*rules.get_or_insert_with(|| head.clone()), head, "step {step}");
        assert!(all.contains("only the first volume, please"), "step {step}");
        assert!(request.table.total() <= WINDOW, "{:?}", request.table);
        let history = &request.messages[..request.messages.len() - request.tail];
        let size = |messages: &[Value]| messages.iter().map(|m| m.to_string().len()).sum::<usize>();
        let same = before.iter().zip(history).take_while(|(old, new)| old == new).count();
        seen.breaks += usize::from(same < before.len());
        seen.same += size(&history[..same]);
        seen.bytes += size(history);
        seen.recent += u64::from(request.table.used(Slot::Recent));
        seen.whole +=
            history.iter().filter(|m| m["role"] == "tool" && !content(m).contains("dropped")).count();
        before = history.to_vec();
        let output: String = (0..lines[step % lines.len()])
            .map(|n| format!("part {n} of {step}: 3 leaves, sound\n"))
            .collect();
        bench.step(&format!("I look at part {step}."), &format!("parts/{step}.txt"), &output);
    }
    seen.drops = bench.plans.iter().filter(|plan| **plan == "drop").count();
    seen.folds = bench.plans.iter().filter(|plan| **plan == "fold").count();
    println!(
        "{lines:?}: {} breaks, {:.0} % the same, recent {} a request, {:.1} outputs whole, {} drops, {} folds",
        seen.breaks,
        seen.same as f64 * 100.0 / seen.bytes as f64,
        seen.recent / STEPS as u64,
        seen.whole as f64 / STEPS as f64,
        seen.drops,
        seen.folds
    );
    seen
}

#[test]
fn what_fits_several_times_makes_room_for_several_steps() {
    // Most breaks, and least share of bytes that stay. At 18 breaks only every fifth step folds its five rounds.
    for (lines, breaks, same) in
        [(&[4][..], 18, 80), (&[25], 37, 70), (&[40], 43, 68), (&[20, 60, 100, 10], 42, 70)]
    {
        let seen = run(lines);
        assert!(seen.breaks <= breaks && seen.same * 100 >= seen.bytes * same, "{lines:?}: {seen:?}");
    }
}

#[test]
fn outputs_of_which_no_two_fit_are_dropped_one_by_one_and_their_rounds_are_not_folded_each_step() {
    let seen = run(&[120]);
    assert!(seen.folds <= STEPS / 5, "{seen:?}");
    assert!(seen.same * 2 >= seen.bytes, "{seen:?}");
    assert!(seen.whole >= STEPS - 1, "the newest is always shown: {seen:?}");
}
