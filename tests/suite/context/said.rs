//! What outlasts the rounds it was said in: a person's answers, like their messages.

use super::build::*;
use serde_json::json;
use wakeful::context::{Assembly, read_summary, summarise};
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
fn what_the_person_answered_stands_beside_the_summary_of_a_model() {
    let answer = long_answer();
    let mut bench = asked(Strategy::Combined, &answer);
    for step in 0..11 {
        bench.step(&format!("Looking {step}."), "w.rs", &"wolf ".repeat(60));
    }
    let Assembly::Fold(plan) = bench.assemble(Purpose::Turn) else { panic!("nothing is folded") };
    let made = read_summary(&bench.state, &bench.texts, plan.upto, "FACTS\n- wolves were seen", &chars);
    let made = made.expect("a summary");
    assert!(made.contains(&answer) && made.contains("- fact: wolves were seen"), "{made}");
    // The next one is made of it.
    bench.fold(plan.upto, plan.rounds, Some(made));
    let upto = bench.state.path.messages.last().expect("a result").seq;
    let later =
        read_summary(&bench.state, &bench.texts, upto, "FACTS\n- more wolves", &chars).expect("a summary");
    assert!(later.contains(&answer) && !later.contains("wolves were seen"), "{later}");
    let by_rules = summarise(&bench.state, &bench.texts, upto, &chars).expect("a summary");
    assert!(by_rules.contains(&answer), "{by_rules}");
}
