//! What outlives runs in a request: preferences in the system message, memories beside the state, both in the table.

use super::build::*;
use wakeful::context::{Assembly, Named, items, request_tokens};
use wakeful::run::budget_table::Slot;
use wakeful::run::memory::{Kind, Preference, Recalled, Why};
use wakeful::run::settings::Protocol;
use wakeful::run::*;

fn o200k(text: &str) -> u32 {
    bpe_openai::o200k_base().count(text) as u32
}

fn like(key: &str, text: &str) -> Preference {
    Preference { key: key.to_owned(), text: text.to_owned() }
}

fn memory(id: u64, text: &str) -> Recalled {
    Recalled {
        id,
        kind: Kind::Fact,
        text: text.to_owned(),
        score: 60,
        why: Why::default(),
        from: None,
        at: 1_767_225_600_000,
        disagrees_with: None,
        beside: false,
        more: 0,
    }
}

fn recall(bench: &mut Bench, items: Vec<Recalled>, preferences: Vec<Preference>) {
    bench.event(Event::MemoriesRecalled { items, preferences, words_alone: None, under: None });
}

#[test]
fn with_memories_and_preferences_the_slots_sum_to_what_is_sent_too() {
    for (protocol, at_head) in
        [(Protocol::Native, false), (Protocol::Schema, false), (Protocol::Native, true)]
    {
        let mut with = settings(6_000);
        with.model.protocol = protocol;
        with.model.state_at_head = at_head;
        let mut bench = Bench::new(with, goal("Write the report.\n(展开。)\n"));
        bench.count = o200k;
        for step in 0..12_u64 {
            let memories =
                vec![memory(step, &format!("Export uses {step} threads — 导出")), memory(99, "cold")];
            recall(&mut bench, memories, vec![like("language", "简体中文"), like("tests", "run them first")]);
            bench.step(&format!("Step {step}: look."), "src/main.rs", &"fn main() {}\n".repeat(30));
            let request = bench.settle().expect("fits");
            let table = &request.table;
            assert_eq!(request_tokens(&request.messages, &request.tools, &o200k), table.prompt());
            assert_eq!(table.rows.iter().map(|row| row.budget).sum::<u32>(), table.window);
            assert!(table.used(Slot::LongTerm) > 0);
            let head = content(&request.messages[0]);
            assert!(
                head.contains("PREFERENCES of the person") && head.contains("- language: 简体中文\n"),
                "{head}"
            );
            assert_eq!(head.contains("MEMORIES that may help"), at_head, "{head}");
        }
        let all = items(&bench.state, &bench.texts, Purpose::Turn, &o200k).unwrap();
        assert!(all.iter().any(|item| item.named == Named::Preferences && item.slot == Slot::System));
        assert!(all.iter().any(|item| item.named == Named::Memories && item.slot == Slot::LongTerm));
    }
}

#[test]
fn any_number_of_preferences_leaves_room_and_what_does_not_fit_is_told() {
    let mut bench = Bench::new(settings(16_000), goal("g"));
    let many = (0..200).map(|n| like(&format!("key{n}"), &"so I like it ".repeat(20))).collect();
    recall(&mut bench, Vec::new(), many);
    let request = bench.settle().expect("the newest of them fit");
    let head = content(&request.messages[0]);
    let sent = head.matches(": so I like it").count();
    assert!(sent > 3 && sent < 10, "a tenth of the window: {sent}");
    assert!(
        head.contains("- key0: ") && head.contains(&format!("- key{}: ", sent - 1)),
        "the newest: {head}"
    );
    assert!(!head.contains(&format!("- key{sent}: ")), "{head}");
    let row = request.table.rows.iter().find(|row| row.slot == Slot::System).unwrap();
    let told = &row.trimmed[0];
    assert_eq!(
        (told.what.as_str(), told.why.as_str()),
        (format!("{} preferences", 200 - sent).as_str(), "over the budget")
    );
    assert!(told.tokens > 10_000, "{told:?}");
    // A few are sent whole, and nothing is told.
    recall(&mut bench, Vec::new(), vec![like("language", "简体中文")]);
    let request = bench.settle().expect("fits");
    assert!(request.table.rows.iter().all(|row| row.trimmed.is_empty()));
}

#[test]
fn a_system_part_that_is_too_big_names_preferences_where_there_are_some() {
    let words = |likes: bool| {
        let mut bench = Bench::new(settings(8_000), goal("g"));
        bench.texts.instructions = Some("rule ".repeat(1500));
        if likes {
            recall(&mut bench, Vec::new(), vec![like("language", "简体中文")]);
        }
        match bench.assemble(Purpose::Turn) {
            Assembly::TooBig(big) => big.words,
            Assembly::Ready(_) | Assembly::Fold(_) | Assembly::DropOutputs(_) => panic!("it does not fit"),
        }
    };
    assert!(words(true).contains("remove preferences (`wakeful memory rm`)"), "{}", words(true));
    assert!(words(false).contains("shorten AGENTS.md") && !words(false).contains("preferences"));
}

#[test]
fn a_quirk_puts_state_and_memories_at_the_head() {
    for at_head in [false, true] {
        let mut with = settings(20_000);
        with.model.state_at_head = at_head;
        let mut bench = Bench::new(with, goal("g"));
        recall(&mut bench, vec![memory(1, "Export uses 4 threads")], Vec::new());
        bench.step("I look.", "a.rs", "text");
        for said in ["", "Mind the order"] {
            if !said.is_empty() {
                bench.person(said);
            }
            let request = bench.settle().expect("fits");
            let (head, last) = (content(&request.messages[0]), request.messages.last().expect("some"));
            for words in ["STATE kept by wakeful", "MEMORIES that may help"] {
                assert_eq!(head.contains(words), at_head, "{words} at the head");
                let last = last["content"].as_str().unwrap_or_default();
                assert_eq!(last.contains(words), !at_head, "{words} at the end");
                let all = request
                    .messages
                    .iter()
                    .filter(|m| m["content"].as_str().is_some_and(|t| t.contains(words)));
                assert_eq!(all.count(), 1, "{words} once");
            }
            assert_ne!(last["role"], "assistant", "no template goes on from the model's own words");
            assert_eq!(request.tail, usize::from(!at_head), "nothing is made anew at the end");
        }
    }
}
