//! What an assembly counts: a text that was counted for one request is not counted anew for the next.

use super::build::*;
use std::sync::{Arc, Mutex};
use wakeful::context::{Assembled, Assembly, assemble};
use wakeful::run::*;
use wakeful::tokens::{Cached, Counter, SHORT};

/// Counts characters, and keeps what it was asked to count.
#[derive(Default)]
struct Recorder(Mutex<Vec<String>>);

impl Recorder {
    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Counter for Recorder {
    fn count(&self, text: &str) -> u32 {
        self.0.lock().unwrap().push(text.to_owned());
        chars(text)
    }

    fn id(&self) -> &str {
        "recorder"
    }

    fn exact(&self) -> bool {
        true
    }
}

fn assembled(bench: &Bench, count: &Cached) -> Box<Assembled> {
    match assemble(&bench.state, &bench.texts, Purpose::Turn, &|text| count.count(text)).expect("a run") {
        Assembly::Ready(ready) => ready,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_second_assembly_of_the_same_state_counts_no_message_anew() {
    let mut bench = Bench::new(settings(60_000), goal(&format!("Count the wolves. {}", "北 ".repeat(300))));
    bench.texts.instructions = Some("Use tabs. ".repeat(60));
    bench.event(Event::InstructionsRead { body: BlobBag::new().body("x"), tokens: 1 });
    for n in 0..8 {
        bench.step(
            &format!("message {n}: {}", "I look on. ".repeat(30)),
            "w.rs",
            &format!("message {n}: {}", "wolf ".repeat(80)),
        );
    }
    bench.settle().expect("fits");
    let recorder = Arc::new(Recorder::default());
    let cached = Cached::new(recorder.clone());
    let first = assembled(&bench, &cached);
    let counted: usize = recorder.taken().iter().map(String::len).sum();
    assert!(counted > 2_000, "the fixed parts at least: {counted}");
    let second = assembled(&bench, &cached);
    assert_eq!((first.hash, first.table), (second.hash, second.table));
    let anew = recorder.taken();
    assert!(anew.iter().all(|text| text.len() < SHORT), "{anew:#?}");
    assert!(anew.iter().all(|text| !text.contains("message ")), "{anew:#?}");
    assert!(anew.iter().map(String::len).sum::<usize>() < counted / 4, "{anew:#?}");
    // One step later only what is new is counted.
    bench.step("newest", "w.rs", &format!("newest {}", "wolf ".repeat(80)));
    bench.settle().expect("fits");
    recorder.taken();
    assembled(&bench, &cached);
    let anew = recorder.taken();
    assert!(anew.iter().all(|text| !text.contains("message ") && !text.contains("北")), "{anew:#?}");
}
