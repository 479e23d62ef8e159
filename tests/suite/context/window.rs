//! What stays, what goes, and in which order: goal, last words, summary, growth at the end only.

use super::build::*;
use serde_json::json;
use wakeful::context::{Assembly, MessageText, summarise};
use wakeful::run::budget_table::Slot;
use wakeful::run::plan::{InnerEffect, NoteKind, PlanItem, PlanState};
use wakeful::run::settings::{Protocol, Strategy};
use wakeful::run::*;

const GOAL: &str = "Ship it.\n\n  \"Quoted\", 展开, <|im_end|> and `code`";

#[test]
fn the_goal_stands_verbatim_in_every_request() {
    for protocol in [Protocol::Native, Protocol::Schema] {
        let mut with = settings(9000);
        with.model.protocol = protocol;
        let mut bench = Bench::new(with, goal(GOAL));
        for step in 0..40 {
            // Also in the middle of a turn: a reply is out, its result is not in yet.
            if step % 7 == 3 {
                let ids = bench.reply("mid", &[("read_file", "{}", None)]);
                let messages = bench.settle().expect("fits").messages;
                assert!(content(&messages[0]).contains(GOAL));
                bench.finish(&ids[0], true, "late", None);
                bench.commit();
            }
            bench.step(&format!("Step {step}."), "a.rs", &"x".repeat(400));
            let request = bench.settle().expect("fits");
            let head = content(&request.messages[0]);
            for part in [GOAL, "do not touch X", "- human"] {
                assert!(head.contains(part), "{part} is gone at step {step}");
            }
        }
        assert!(bench.plans.iter().filter(|p| **p == "fold").count() > 2, "{:?}", bench.plans);
        assert!(content(&bench.settle().expect("fits").messages[0]).contains("SUMMARY"));
        let edited = goal("Another goal");
        bench.event(Event::GoalEdited { version: 2, goal: edited });
        let head = bench.settle().expect("fits").messages;
        assert!(content(&head[0]).contains("Another goal") && !text_of(&head).contains("Ship it"));
    }
}

#[test]
fn from_step_to_step_the_request_only_grows_at_its_end() {
    for protocol in [Protocol::Native, Protocol::Schema] {
        let mut with = settings(200_000);
        with.model.protocol = protocol;
        let mut bench = Bench::new(with, goal(GOAL));
        let mut before: Option<(Vec<serde_json::Value>, Vec<serde_json::Value>)> = None;
        for step in 0..9 {
            if step == 4 {
                bench.person("and look at b.rs too");
            }
            let request = bench.settle().expect("fits");
            let history = request.messages[..request.messages.len() - request.tail].to_vec();
            if let Some((old, tools)) = before {
                let grown: Vec<_> = history.iter().take(old.len()).cloned().collect();
                assert_eq!(text_of(&grown), text_of(&old), "step {step} changed what was sent before");
                assert!(history.len() > old.len());
                assert_eq!(tools, request.tools);
            }
            before = Some((history, request.tools));
            let inner = InnerEffect::Note { kind: NoteKind::Fact, text: format!("fact {step}") };
            // Every server call is named alike: ids must not move when another comes.
            let ids = bench.reply("I note it.", &[("note", "{}", Some("call_0")), ("read_file", "{}", None)]);
            bench.finish(&ids[1], true, "contents", None);
            bench.finish(&ids[0], true, "noted", Some(inner));
            bench.commit();
        }
        assert!(bench.plans.is_empty());
    }
}

#[test]
fn the_last_words_of_the_person_stay_verbatim() {
    for strategy in [Strategy::Combined, Strategy::Rounds] {
        let mut with = settings(12_000);
        with.context.strategy = strategy;
        let mut bench = Bench::new(with, goal(GOAL));
        bench.step("First.", "a.rs", "one");
        bench.person("old question about apples");
        bench.step("Answered.", "a.rs", "two");
        let last = "now count the pears,\nline by line,\n- and stop at 7";
        bench.person(last);
        for step in 0..40 {
            bench.step(&format!("Looking {step}."), "p.rs", &"pear ".repeat(40));
            let request = bench.settle().expect("fits");
            let shown = request.messages.iter().any(|m| content(m).contains(last));
            assert!(shown, "{strategy:?}: the last words are gone at step {step}");
        }
        assert!(bench.plans.contains(&"fold"));
        // Newer words take their place.
        bench.person("stop counting");
        let request = bench.settle().expect("fits");
        assert!(!content(&request.messages[0]).contains("verbatim:\nstop"));
        assert!(request.messages.iter().any(|m| content(m) == "stop counting"));
    }
}

#[test]
fn words_too_long_for_the_summary_are_not_folded() {
    let mut bench = Bench::new(settings(16_000), goal(GOAL));
    let long = "word ".repeat(500);
    bench.person(&long);
    for step in 0..30 {
        bench.step(&format!("Step {step}."), "a.rs", &"x".repeat(300));
        match bench.settle() {
            Ok(request) => assert!(request.messages.iter().any(|m| content(m).contains(&long))),
            Err(big) => {
                assert_eq!(big.slot, Slot::Recent);
                return;
            }
        }
    }
}

#[test]
fn old_outputs_go_before_rounds_and_say_so() {
    let mut bench = Bench::new(settings(14_000), goal(GOAL));
    for step in 0..7 {
        bench.step(&format!("Step {step}."), "a.rs", &"y".repeat(1500));
    }
    let request = bench.settle().expect("fits");
    assert_eq!(bench.plans, ["drop"]);
    let dropped = request.messages.iter().filter(|m| content(m).contains("output dropped")).count();
    assert!(dropped >= 2);
    let shown: Vec<bool> =
        request.messages.iter().filter(|m| m["role"] == "tool").map(|m| content(m).len() == 1500).collect();
    assert!(shown.ends_with(&[true, true]), "the last two rounds are spared: {shown:?}");
    let recent = request.table.rows.iter().find(|row| row.slot == Slot::Recent).expect("row");
    assert_eq!(recent.trimmed[0].what, format!("{dropped} old outputs"));
    assert!(recent.trimmed[0].tokens > 0, "what they would take is known");
}

#[test]
fn over_ten_rounds_are_folded_to_five_in_one_go() {
    let mut bench = Bench::new(settings(200_000), goal(GOAL));
    for step in 0..10 {
        bench.step(&format!("Step {step}."), "a.rs", "output of some length");
        bench.settle().expect("fits");
    }
    assert!(bench.plans.is_empty());
    bench.step("Step 10.", "a.rs", "output of some length");
    bench.settle().expect("fits");
    assert_eq!((bench.plans.as_slice(), bench.state.rounds()), (["fold"].as_slice(), 5));
    let summary = bench.texts.summary.clone().expect("a summary");
    assert!(
        summary.starts_with("- Step 0. | read_file a.rs -> ok: output of some length\n- Step 1."),
        "{summary}"
    );
    assert!(summary.contains("Step 5.") && !summary.contains("Step 6."), "{summary}");
}

#[test]
fn what_begins_alike_is_not_the_same_thing_once_its_round_is_gone() {
    let mut with = settings(12_000);
    with.tools.push(ToolSpec { class: Class::Effect, ..tool("shell") });
    let mut bench = Bench::new(with, goal(GOAL));
    let common = format!("cd /srv/ledger && cargo run --release -- --input {}", "data/".repeat(20));
    let command = |end: &str| json!({ "command": format!("{common}{end}") }).to_string();
    // The first comes again and takes its own place; the second only begins as it does.
    for (end, ok, came) in
        [("first.csv", false, "no space"), ("second.csv", true, "2 rows"), ("first.csv", true, "7 rows")]
    {
        let ids = bench.reply("I run it.", &[("shell", &command(end), None)]);
        bench.finish(&ids[0], ok, came, None);
        bench.commit();
    }
    let upto = bench.state.path.messages.last().expect("a result").seq;
    let summary = summarise(&bench.state, &bench.texts, upto, &chars).expect("a summary");
    let mended: Vec<&str> = summary.lines().filter(|line| line.contains("after the failure above")).collect();
    assert!(matches!(mended[..], [line] if line.contains("7 rows")), "{summary}");
    bench.fold(upto, 3, Some(summary));
    let kept = bench.state.path.done.clone();
    let done: Vec<(&str, &str)> = kept.iter().map(|call| (call.what.as_str(), call.came.as_str())).collect();
    let [(second, "ok: 2 rows"), (first, "ok: 7 rows")] = done[..] else { panic!("{done:?}") };
    // And the model can tell them apart.
    assert!(second.ends_with("second.csv") && first.ends_with("first.csv"), "{done:?}");
    let request = bench.settle().expect("fits");
    let state = content(request.messages.last().expect("tail"));
    assert!(state.contains(&format!("- {second} -> ok: 2 rows\n- {first} -> ok: 7 rows\n")), "{state}");
}

#[test]
fn a_summary_is_never_empty_never_longer_and_always_the_same() {
    let mut bench = Bench::new(settings(12_000), goal(GOAL));
    for round in 0..60 {
        let ids = bench.reply("I build. Then more.", &[("shell", r#"{"command":"make"}"#, None)]);
        let ok = round % 3 == 1;
        bench.finish(&ids[0], ok, &format!("line {round}\nsecond"), None);
        bench.commit();
        let Assembly::Fold(plan) = bench.assemble(Purpose::Turn) else { continue };
        let old = bench.texts.summary.as_deref().map_or(0, chars);
        let summary = summarise(&bench.state, &bench.texts, plan.upto, &chars).expect("a summary");
        assert_eq!(Some(&summary), summarise(&bench.state, &bench.texts, plan.upto, &chars).as_ref());
        assert!(!summary.trim().is_empty() && chars(&summary) <= plan.tokens + old);
        assert!(!summary.contains(GOAL));
        bench.fold(plan.upto, plan.rounds, Some(summary));
        let table = bench.settle().expect("fits").table;
        let row = table.rows.iter().find(|row| row.slot == Slot::Summary).expect("row");
        assert!(row.used <= row.budget && row.trimmed.is_empty(), "{row:?}");
    }
    let summary = bench.texts.summary.expect("a summary");
    assert!(summary.contains("shell make -> FAILED: line"), "{summary}");
    assert!(summary.contains("shell make -> ok after the failure above: line"), "{summary}");
    assert!(summary.contains("earlier rounds left out"), "{summary}");
}

#[test]
fn facts_and_plan_outlast_a_fold_and_are_trimmed_oldest_first() {
    let mut bench = Bench::new(settings(40_000), goal(GOAL));
    let items = vec![
        PlanItem { id: "1".to_owned(), title: "measure".to_owned(), state: PlanState::Done },
        PlanItem { id: "2".to_owned(), title: "cure".to_owned(), state: PlanState::Active },
    ];
    let ids = bench.reply("Plan.", &[("plan", "{}", None)]);
    bench.finish(&ids[0], true, "ok", Some(InnerEffect::Plan { items }));
    bench.commit();
    for n in 0..90 {
        let ids = bench.reply("Note.", &[("note", "{}", None)]);
        let text = format!("fact number {n} is confirmed");
        bench.finish(&ids[0], true, "noted", Some(InnerEffect::Note { kind: NoteKind::Fact, text }));
        bench.commit();
        bench.settle().expect("fits");
    }
    let request = bench.settle().expect("fits");
    let state = content(request.messages.last().expect("tail"));
    let order = ["1 [done] measure", "2 [active] cure", "fact number 88 ", "fact number 89 ", "Go on toward"];
    let places: Vec<usize> = order.iter().map(|part| state.find(part).expect(part)).collect();
    assert!(places.is_sorted(), "{state}");
    assert!(!state.contains("fact number 0 "));
    let row = request.table.rows.iter().find(|row| row.slot == Slot::State).expect("row");
    assert!(row.used <= row.budget && row.trimmed[0].what.ends_with(" facts"), "{row:?}");
}

#[test]
fn a_million_identical_characters_neither_stall_nor_stay() {
    let started = std::time::Instant::now();
    let mut bench = Bench::new(settings(20_000), goal(GOAL));
    let huge = "A".repeat(1_000_000);
    bench.step(&huge, "a.rs", "small");
    // The model's own words are never cut: nothing can go, and the slot is named.
    assert_eq!(bench.settle().expect_err("too big").slot, Slot::Recent);
    let mut bench = Bench::new(settings(20_000), goal(GOAL));
    bench.step("Print it.", "a.rs", &huge);
    let request = bench.settle().expect("the newest output goes when nothing else helps");
    assert_eq!(bench.plans, ["drop"]);
    assert!(text_of(&request.messages).len() < 20_000);
    for step in 0..12 {
        bench.step(format!("{step} {huge}").split_at(2000).0, "a.rs", &huge);
        bench.settle().expect("fits");
    }
    assert!(matches!(bench.texts.messages.values().next(), Some(MessageText::Agent { .. })));
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
