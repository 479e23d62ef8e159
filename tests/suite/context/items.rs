//! The items of each slot: what is sent, and tokens that add up to those of the slot.

use super::build::*;
use wakeful::context::{FRAMING, Named, items};
use wakeful::run::budget_table::Slot;
use wakeful::run::plan::{InnerEffect, NoteKind};
use wakeful::run::settings::Protocol;
use wakeful::run::*;

#[test]
fn the_items_of_each_slot_are_what_is_sent_and_add_up_to_its_tokens() {
    for (protocol, at_head) in
        [(Protocol::Native, false), (Protocol::Schema, false), (Protocol::Native, true)]
    {
        let mut with = settings(20_000);
        with.model.protocol = protocol;
        with.model.state_at_head = at_head;
        let mut bench = Bench::new(with, goal("Write the report."));
        bench.texts.instructions = Some("Use tabs.".to_owned());
        bench.event(Event::InstructionsRead { body: BlobBag::new().body("x"), tokens: 1 });
        bench.person("Keep the row order");
        bench.event(recalled(2));
        let ids = bench.reply("I note it.", &[("note", "{}", None)]);
        let fact = InnerEffect::Note { kind: NoteKind::Fact, text: "71 % is write_all".to_owned() };
        bench.finish(&ids[0], true, "noted", Some(fact));
        bench.commit();
        bench.step("I look.", "src/main.rs", &format!("the old output {}", "x".repeat(400)));
        bench.step("Again.", "src/lib.rs", "the new output");
        let request = bench.settle().expect("fits");
        let old = bench.state.path.messages.iter().find(|m| {
            matches!(bench.texts.messages.get(&m.seq), Some(wakeful::context::MessageText::Result { text, .. })
                if text.contains("the old output"))
        });
        let seqs = vec![old.expect("it is shown").seq];
        let all = items(&bench.state, &bench.texts, Purpose::Turn, &chars).unwrap();
        for slot in Slot::ALL {
            let own: u32 = all.iter().filter(|item| item.slot == slot).map(|item| item.tokens).sum();
            let used = if slot == Slot::Reserve { 0 } else { request.table.used(slot) };
            // The heading of tools that are text and the frame of the state's message belong to no item.
            let between = used.checked_sub(own).unwrap_or_else(|| panic!("{slot:?}: {own} of {used}"));
            let most = if slot == Slot::Tools && protocol == Protocol::Schema { 80 } else { FRAMING };
            assert!(between <= most, "{slot:?}: {own} of {used}");
        }
        let sent = serde_json::to_string(&request.messages).unwrap();
        for item in all.iter().filter(|item| !matches!(item.slot, Slot::Tools | Slot::Recent)) {
            let text = serde_json::to_string(&item.text).unwrap();
            assert!(sent.contains(text.trim_matches('"')), "{item:?}");
        }
        let names = |all: &[wakeful::context::SlotItem], slot| -> Vec<Named> {
            all.iter().filter(|item| item.slot == slot).map(|item| item.named.clone()).collect()
        };
        let tools = ["read_file", "note"].map(|name| Named::Tool(name.to_owned()));
        assert_eq!(names(&all, Slot::Tools), tools);
        assert_eq!(names(&all, Slot::System), [Named::Rules, Named::Instructions, Named::Preferences]);
        assert_eq!(names(&all, Slot::LongTerm), [Named::Memories]);
        assert!(names(&all, Slot::State).contains(&Named::Facts));
        bench.event(Event::OutputsDropped { seqs, tokens: 30, kept: None });
        let all = items(&bench.state, &bench.texts, Purpose::Turn, &chars).unwrap();
        let recent = names(&all, Slot::Recent);
        assert_eq!(recent.iter().filter(|named| matches!(named, Named::Dropped(_))).count(), 1, "{recent:?}");
        assert!(recent.contains(&Named::Person) && recent.contains(&Named::Agent), "{recent:?}");
        let shown: String = all.iter().map(|item| item.text.as_str()).collect();
        assert!(shown.contains("the new output") && !shown.contains("the old output"));
    }
}
