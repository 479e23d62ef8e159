//! The items of a slot of the context, opened from its row.

use super::*;
use crate::context::{Named, SlotItem};
use crate::inspect::SlotItems;
use crate::run::budget_table::Slot;
use crate::ui::app::lists::slots;
use crate::ui::app::tests::Bench;
use crate::ui::frame::Program as _;

/// Enter on the row of a slot, answered with these items.
fn opened(lang: Lang, slot: Slot, items: &[(Named, &str, u32)], differs: Option<&str>) -> Bench {
    let mut bench = Bench::new(lang, (120, 40));
    bench.press("2");
    let asked = bench.app.model.view().unwrap().asked.clone().unwrap();
    bench.app.model.lists.slot = slots(&asked.table).position(|row| row.slot == slot).unwrap();
    assert!(bench.shows(lang.pick(["Enter items of a slot", "Enter 查看条目"])), "{:#?}", bench.frame());
    let commands = bench.press("Enter");
    let Some(Cmd::Items(ticket, _, step, of)) = commands.first() else { panic!("{commands:?}") };
    assert_eq!((*step, *of), (asked.step, slot));
    let item = |(named, text, tokens): &(Named, &str, u32)| SlotItem {
        slot,
        named: named.clone(),
        text: (*text).to_owned(),
        tokens: *tokens,
    };
    let read = SlotItems {
        asked,
        slot,
        items: items.iter().map(item).collect(),
        differs: differs.map(str::to_owned),
    };
    bench.app.update(Msg::Items(ticket + 1, Err("of another one".to_owned())));
    bench.app.update(Msg::Items(*ticket, Ok(Box::new(read))));
    bench
}

fn shown(bench: &mut Bench) -> String {
    bench.frame().join("\n")
}

#[test]
fn enter_on_a_slot_shows_its_items_with_tokens_and_what_was_left_out() {
    let items = [
        (Named::Person, "Keep the row order\u{202e}", 12),
        (Named::Result("read_file".to_owned()), "fn main() {}", 1_240),
        (Named::Dropped("shell".to_owned()), "[output dropped]", 30),
    ];
    let mut bench = opened(Lang::En, Slot::Recent, &items, None);
    let text = shown(&mut bench);
    for words in [
        "Context: recent, step 14",
        "12,207 of 15,372 tokens",
        "2 rounds left out: folded (3,918 tokens)",
        "2 old outputs left out: dropped to save room (1,204 tokens)",
        "you · 12 tokens",
        "Keep the row order\\u{202e}",
        "result of read_file · 1,240 tokens",
        "result of shell, no longer shown to the model · 30 tokens",
        "unattributed · 10,925 tokens of frames between the items",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // The whole request is one key away, and this is there again when it is left.
    let commands = bench.press("x");
    assert!(matches!(commands.first(), Some(Cmd::Request(_, _, 14))), "{commands:?}");
    bench.press("Esc");
    assert!(bench.shows("you · 12 tokens"), "{}", shown(&mut bench));
    let mut bench = opened(Lang::Zh, Slot::Recent, &items, None);
    let text: String = shown(&mut bench).split_whitespace().collect();
    assert!(text.contains("已略去2轮") && text.contains("read_file的结果·1,240词元"), "{text}");
    assert!(text.contains("未归属·10,925词元"), "{text}");
    // Where the items are all of it there is nothing to tell.
    let whole = [(Named::Person, "Keep the row order", 12_207)];
    let mut bench = opened(Lang::En, Slot::Recent, &whole, None);
    assert!(bench.shows("you · 12,207 tokens") && !bench.shows("unattributed"), "{}", shown(&mut bench));
}

#[test]
fn the_reserve_an_empty_slot_and_a_request_that_differs_say_what_they_are() {
    let mut bench = opened(Lang::En, Slot::Reserve, &[], None);
    assert!(bench.shows("kept free for the reply, which may take 4,096 tokens"), "{}", shown(&mut bench));
    let mut bench = opened(Lang::En, Slot::Core, &[], None);
    assert!(bench.shows("Nothing stands in it."), "{}", shown(&mut bench));
    let rules = [(Named::Rules, "You are an agent", 1_100)];
    let mut bench = opened(Lang::En, Slot::System, &rules, Some("it was rendered by version 7"));
    assert!(bench.shows("may differ from what was sent: it was rendered by version 7"));
    let long = "a line of rules\n".repeat(200) + "the end";
    let mut bench = opened(Lang::En, Slot::System, &[(Named::Rules, &long, 1_100)], None);
    assert!(!bench.shows("the end"));
    bench.press(">");
    assert!(bench.shows("the end"), "{}", shown(&mut bench));
}

#[test]
fn before_the_first_request_there_are_no_items() {
    let mut model = sample::model(Lang::En, (120, 40));
    sample::change(&mut model, |view| view.asked = None);
    let mut bench = Bench::of(model);
    assert!(bench.press("2 Enter").is_empty());
    assert!(bench.news().contains("no request yet"), "{}", bench.news());
}
