//! What is told as new, and what is claimed of a reply that comes in elsewhere.

use super::{Bench, change};
use crate::run::{Hold, Purpose};
use crate::ui::app::msg::Msg;
use crate::ui::feed::{Ending, Item};
use crate::ui::frame::Program as _;
use crate::ui::words::Lang;

#[test]
fn what_has_come_is_new_until_it_was_on_the_screen() {
    let held = |seq| Item::Held { seq, why: Hold::Breaker(3) };
    let newer = |keys: &str| {
        let mut bench = Bench::new(Lang::En, (120, 40));
        bench.frame();
        bench.press(keys);
        change(&mut bench.app.model, |view| view.open.items.extend([held(901), held(902)]));
        (0..3).for_each(|_| drop(bench.frame()));
        let mut said = bench.frame();
        said.truncate(6);
        said.join("\n")
    };
    // Below what is shown, and in view beside what is selected.
    assert!(newer("1 <").contains("↓ 2 new"), "{}", newer("1 <"));
    let seen = newer("1 z k");
    assert!(!seen.contains("2 new") && seen.contains(" ↓ "), "{seen}");
}

#[test]
fn of_a_reply_that_comes_in_elsewhere_nothing_is_claimed_that_was_not_seen() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    let run = bench.app.model.run.clone().unwrap();
    bench.app.model.working.clear();
    change(&mut bench.app.model, |view| {
        view.open.items = vec![Item::Asked {
            seq: 900,
            at: 0,
            attempt: 1,
            purpose: Purpose::Turn,
            prompt: 1,
            text: None,
            reasoning: None,
            ending: Ending::Open,
        }];
    });
    bench.app.update(Msg::Live(run, "The hot spot is write_all, once a field.".to_owned(), 11));
    let frame = bench.frame().join("\n");
    assert!(frame.contains(" ~11 tokens so far · first token —"), "an estimate, and said so: {frame}");
}
