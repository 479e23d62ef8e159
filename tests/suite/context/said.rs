//! What outlasts the rounds it was said in: a person's answers, like their messages.

use super::build::*;
use serde_json::json;
use wakeful::context::{Assembly, read_summary, summarise, summary_request};
use wakeful::run::settings::Strategy;
use wakeful::run::*;

/// A run that asks the person, and then works on until the question has left the window.
fn asked(strategy: Strategy, answer: &str) -> Bench {
    let mut with = settings(24_000);
    with.context.strategy = strategy;
    with.tools.push(ToolSpec { class: Class::Person, ..tool("ask_person") });
    let mut bench = Bench::new(with, goal("Count the wolves"));
    let question = json!({ "question": "Which wolves count?" }).to_string();
    let ids = bench.reply("I ask.", &[("ask_person", &question, None)]);
    bench.finish(&ids[0], true, answer, None);
    bench.commit();
    bench
}

fn long_answer() -> String {
    let middle = (0..60).map(|n| format!("pack {n} ")).collect::<String>();
    format!("Only those 北 of the river: {middle}and NEVER the one at the mill")
}

#[test]
fn what_the_person_answered_is_there_whole_after_every_fold() {
    let answer = long_answer();
    for strategy in [Strategy::Combined, Strategy::Summary, Strategy::Rounds, Strategy::Extract] {
        let mut bench = asked(strategy, &answer);
        for step in 0..40 {
            bench.step(&format!("Looking {step}."), "w.rs", &"wolf ".repeat(60));
            let request = bench.settle().expect("fits");
            assert!(text_of(&request.messages).contains(&answer), "{strategy:?}: gone at step {step}");
        }
        assert!(bench.plans.iter().filter(|plan| **plan == "fold").count() > 2, "{:?}", bench.plans);
    }
}

#[test]
fn a_decision_that_left_the_window_tells_what_was_chosen_and_what_was_offered() {
    let option = |title: &str| json!({ "title": title, "effect_on_goal": "something of the goal" });
    let args = json!({
        "goal": "Count every wolf, in other words", "why": "It is measured.", "recommendation": "2",
        "options": [option("Wait for winter"), option("按爪印数"), option("Use the old list")],
    });
    let said = "- asked the person: to decide; answer: \"Wait for winter\"; offered: \"Wait for winter\" / \"按爪印数\" \
                (recommended) / \"Use the old list\"";
    for strategy in [Strategy::Combined, Strategy::Summary, Strategy::Rounds, Strategy::Extract] {
        let mut with = settings(24_000);
        with.context.strategy = strategy;
        with.tools.push(ToolSpec { class: Class::Person, ..tool("decide") });
        let mut bench = Bench::new(with, goal("Count the wolves"));
        let ids = bench.reply("I ask.", &[("decide", &args.to_string(), None)]);
        bench.finish(&ids[0], true, "Wait for winter", None);
        bench.commit();
        for step in 0..40 {
            bench.step(&format!("Looking {step}."), "w.rs", &"wolf ".repeat(60));
            bench.settle().expect("fits");
        }
        let request = bench.settle().expect("fits");
        let shown = text_of(&request.messages).replace("\\\"", "\"");
        assert!(shown.contains(said), "{strategy:?}: {shown}");
        assert!(!shown.contains("in other words"), "the goal in the words of who asks is not kept: {shown}");
        if matches!(strategy, Strategy::Combined | Strategy::Extract) {
            let done: Vec<&str> = bench.state.path.done.iter().map(|call| call.what.as_str()).collect();
            assert!(done.iter().any(|what| what.starts_with("decide \"Wait for winter\" / ")), "{done:?}");
        }
    }
    // A question with likely answers to choose from.
    let mut bench = asked(Strategy::Rounds, "yes");
    let question = json!({ "question": "Go on?", "options": ["yes", "no"] }).to_string();
    let ids = bench.reply("I ask.", &[("ask_person", &question, None)]);
    bench.finish(&ids[0], true, "no", None);
    bench.commit();
    let upto = bench.state.path.messages.last().expect("a result").seq;
    let made = summarise(&bench.state, &bench.texts, upto, &chars).expect("a summary");
    assert!(
        made.contains("- asked the person: \"Go on?\"; answer: \"no\"; offered: \"yes\" / \"no\"\n"),
        "{made}"
    );
}

#[test]
fn what_the_person_answered_stands_beside_the_summary_of_a_model() {
    let answer = long_answer();
    let mut bench = asked(Strategy::Combined, &answer);
    for step in 0..11 {
        bench.step(&format!("Looking {step}."), "w.rs", &"wolf ".repeat(60));
    }
    let Assembly::Fold(plan) = bench.assemble(Purpose::Turn) else { panic!("nothing is folded") };
    let made = read_summary(&bench.state, &bench.texts, plan.upto, "FACTS\n- wolves were seen", &chars);
    let made = made.expect("a summary").text;
    assert!(made.contains(&answer) && made.contains("- fact: wolves were seen"), "{made}");
    // The next one is made of it.
    bench.fold(plan.upto, plan.rounds, Some(made));
    let upto = bench.state.path.messages.last().expect("a result").seq;
    let later = read_summary(&bench.state, &bench.texts, upto, "FACTS\n- more wolves", &chars)
        .expect("a summary")
        .text;
    assert!(later.contains(&answer) && !later.contains("wolves were seen"), "{later}");
    let by_rules = summarise(&bench.state, &bench.texts, upto, &chars).expect("a summary");
    assert!(by_rules.contains(&answer), "{by_rules}");
}

/// Calls with long outputs, every second of which fails; the old outputs are dropped, and nothing is folded yet.
fn dropped() -> Bench {
    let mut with = settings(20_000);
    with.model.offline = false;
    with.tools.push(ToolSpec { class: Class::Effect, ..tool("shell") });
    let mut bench = Bench::new(with, goal("Mend the table"));
    let command = json!({ "command": format!("cd /srv && ./mend {} --now", "part/".repeat(30)) }).to_string();
    for n in 0..7 {
        let ids = bench.reply("I run it.", &[("shell", &command, None)]);
        let (ok, first) = if n % 2 == 1 { (false, "exit 3: no such table") } else { (true, "exit 0") };
        bench.finish(&ids[0], ok, &format!("{first}\n{}LAST LINE {n}", "y".repeat(1800)), None);
        bench.commit();
    }
    bench.settle().expect("fits");
    assert_eq!(bench.plans, ["drop"]);
    bench
}

#[test]
fn an_output_that_was_dropped_goes_on_saying_how_its_call_ended() {
    let mut bench = dropped();
    let request = bench.settle().expect("fits");
    let told = |begins: &str| {
        let shown = request.messages.iter().filter(|m| content(m).contains("output dropped"));
        shown.filter(|m| content(m).starts_with(begins)).count()
    };
    assert!(told("[ok; output dropped") > 0 && told("[FAILED: exit 3: no such table") > 0);
    assert_eq!(told("[ok; ") + told("[FAILED: "), told("["));
    let counted = wakeful::context::request_tokens(&request.messages, &request.tools, &chars);
    assert_eq!(request.table.prompt(), counted, "the table holds what is sent");
}

#[test]
fn a_summary_tells_how_calls_ended_whose_output_was_dropped_and_is_made_of_what_it_held() {
    let mut bench = dropped();
    let gone: Vec<Seq> = bench.state.path.dropped.keys().copied().collect();
    let upto = bench.state.path.messages.last().expect("a result").seq;
    let summary = summarise(&bench.state, &bench.texts, upto, &chars).expect("a summary");
    let failed = summary.matches("--now -> FAILED: exit 3: no such table").count();
    assert!(failed == 3 && !summary.contains("could not be read"), "{summary}");
    let asked = summary_request(&bench.state, &bench.texts, upto, &chars, None).expect("a request");
    let asked = text_of(&asked.messages);
    assert!(!asked.contains("output dropped") && gone.len() > 2);
    assert!((0..7).all(|n| asked.contains(&format!("LAST LINE {n}"))), "{asked}");
    bench.fold(upto, 7, Some(summary));
    let came: Vec<&str> = bench.state.path.done.iter().map(|call| call.came.as_str()).collect();
    assert!(matches!(came[..], ["ok: exit 0"]), "the newest of the same command: {came:?}");
}

/// What stands for a result in a request.
fn newest(request: &wakeful::context::Assembled) -> String {
    let result = request.messages.iter().rev().find(|m| m["role"] == "tool").expect("a result");
    content(result).to_owned()
}

#[test]
fn a_result_that_the_model_has_not_read_is_there_in_part_and_takes_what_is_free() {
    for window in [9_000, 12_000, 16_000] {
        let mut bench = Bench::new(settings(window), goal("Read the long files"));
        bench.person("Mind the wolves");
        let mut cut = 0;
        for n in 0..30 {
            let size = [900, 9_000, 40_000][n % 3];
            bench.step(
                &format!("I read {n}."),
                "w.rs",
                &format!("FIRST {n} {}LAST {n}", "狼w".repeat(size / 2)),
            );
            let request = bench.settle().expect("fits");
            let shown = newest(&request);
            assert!(
                shown.starts_with(&format!("FIRST {n} ")) && shown.ends_with(&format!("LAST {n}")),
                "{shown}"
            );
            let counted = wakeful::context::request_tokens(&request.messages, &request.tools, &chars);
            assert_eq!(request.table.prompt(), counted);
            let (total, budgets): (u32, u32) =
                (request.table.total(), request.table.rows.iter().map(|row| row.budget).sum());
            assert!(total <= window && window == budgets, "{total} {budgets}");
            if shown.contains(" bytes left out to fit the window") {
                cut += 1;
                assert!(
                    chars(&shown) >= 400 && window - total < 200,
                    "{} of {window} are free",
                    window - total
                );
                let recent = request.table.rows.iter().find(|row| row.slot == budget_table::Slot::Recent);
                let trimmed = &recent.expect("row").trimmed;
                assert!(trimmed.iter().any(|trim| trim.why == "shortened to fit the window"), "{trimmed:?}");
            }
            // The same once more: what was decided stays.
            assert_eq!(bench.settle().expect("fits").hash, request.hash);
        }
        assert!(cut >= 10, "{cut} at {window}");
    }
}

#[test]
fn the_summary_gives_way_to_a_new_result_before_that_is_cut_to_nothing() {
    let mut bench = Bench::new(settings(9_000), goal("Read the long files"));
    for n in 0..24 {
        bench.step(&format!("I read {n}. {}", "It is long. ".repeat(4)), "w.rs", &"w ".repeat(60));
        bench.settle().expect("fits");
    }
    let summary = |request: &wakeful::context::Assembled| {
        request.table.rows.iter().find(|row| row.slot == budget_table::Slot::Summary).expect("row").clone()
    };
    let before = summary(&bench.settle().expect("fits"));
    // Its own words leave next to no room for the result.
    let free = bench.settle().expect("fits").table;
    let room = free.window - free.total() + free.used(budget_table::Slot::Recent);
    bench.step(&"word ".repeat(usize::try_from(room / 5).expect("small") - 30), "w.rs", &"r".repeat(5_000));
    let request = bench.settle().expect("fits");
    assert!(summary(&request).used < before.used && !summary(&request).trimmed.is_empty());
    let shown = newest(&request);
    assert!(chars(&shown) >= 300 && shown.contains("bytes left out"), "{shown}");
}

/// C03: an instruction that was carried out must not come back with every fold.
#[test]
fn what_was_said_under_a_goal_that_is_superseded_is_marked_after_every_fold() {
    let old = "Propose a goal first";
    for strategy in [Strategy::Combined, Strategy::Rounds] {
        let mut with = settings(24_000);
        with.context.strategy = strategy;
        let mut bench = Bench::new(with, goal("Help with the ledger"));
        bench.person("Be brief");
        bench.person(old);
        // The first of them folds before the goal is set, the others after it.
        for step in 0..60 {
            if step == 12 {
                let request = bench.settle().expect("fits");
                let head = content(&request.messages[0]);
                assert!(
                    head.contains("LAST MESSAGE OF THE PERSON, verbatim:\nPropose a goal first"),
                    "{head}"
                );
                assert!(head.contains("- person: \"Be brief\""), "{head}");
                bench.event(Event::GoalEdited { version: 2, goal: goal("Sort the ledger by date") });
            }
            if step == 45 {
                bench.person("Mind the totals");
            }
            bench.step(&format!("Looking {step}."), "w.rs", &"wolf ".repeat(60));
            let request = bench.settle().expect("fits");
            if step < 25 {
                continue;
            }
            let head = content(&request.messages[0]);
            assert!(head.contains(old), "{strategy:?}: it is not forgotten: {head}");
            assert!(!head.contains("PERSON, verbatim:\nPropose"), "{strategy:?} {step}: {head}");
            let last = head.contains("from before the goal was changed, verbatim:\nPropose a goal first");
            assert!(last || step >= 45, "{strategy:?} {step}: {head}");
            assert!(
                !head.contains("- person: \"Propose") && !head.contains("- person: \"Be brief"),
                "{head}"
            );
            assert!(head.contains("- person, before the goal was changed: \"Be brief\""), "{head}");
            let tail = content(request.messages.last().expect("the state"));
            assert!(tail.contains("version 1 held until the person changed it"), "{tail}");
        }
        let request = bench.settle().expect("fits");
        let head = content(&request.messages[0]);
        assert!(head.contains("- person, before the goal was changed: \"Propose a goal first\""), "{head}");
        assert!(head.contains("LAST MESSAGE OF THE PERSON, verbatim:\nMind the totals"), "{head}");
    }
}

#[test]
fn what_was_said_before_the_goal_was_edited_is_marked_beside_the_summary_of_a_model_too() {
    let mut bench = Bench::new(settings(24_000), goal("Help with the ledger"));
    bench.person("Propose a goal first");
    bench.step("I do.", "w.rs", "wolf");
    bench.event(Event::GoalEdited { version: 2, goal: goal("Sort the ledger") });
    bench.person("Mind the totals");
    for step in 0..11 {
        bench.step(&format!("Looking {step}."), "w.rs", &"wolf ".repeat(60));
    }
    let Assembly::Fold(plan) = bench.assemble(Purpose::Turn) else { panic!("nothing is folded") };
    let made = read_summary(&bench.state, &bench.texts, plan.upto, "FACTS\n- wolves were seen", &chars);
    let made = made.expect("a summary").text;
    assert!(made.contains("- person, before the goal was changed: \"Propose a goal first\""), "{made}");
    assert!(made.contains("verbatim:\nMind the totals"), "{made}");
}
