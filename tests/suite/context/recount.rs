//! Another way of counting in mid-run: what is recorded is counted anew, once, and the table is what is sent.

use super::build::*;
use wakeful::context::{message_tokens, recounted, request_tokens};
use wakeful::run::settings::Protocol;
use wakeful::run::*;

fn o200k(text: &str) -> u32 {
    bpe_openai::o200k_base().count(text) as u32
}

fn cl100k(text: &str) -> u32 {
    bpe_openai::cl100k_base().count(text) as u32
}

/// Changes the model as a person does.
fn change(bench: &mut Bench, by: impl Fn(&mut wakeful::run::settings::ModelSettings)) {
    let mut settings = bench.state.settings().expect("created").clone();
    by(&mut settings.model);
    bench.event(Event::SettingsChanged { settings: Box::new(settings), why: "changed".to_owned() });
}

fn recount(bench: &mut Bench) -> usize {
    assert!(bench.state.counts_are_old());
    let counts = recounted(&bench.state, &bench.texts, &bench.count);
    let changed = counts.len();
    bench.event(Event::MessagesRecounted { counts });
    assert!(!bench.state.counts_are_old(), "once");
    assert!(recounted(&bench.state, &bench.texts, &bench.count).is_empty());
    changed
}

/// The slots add up to what is sent.
fn assert_sent(bench: &mut Bench) {
    let count = bench.count;
    let request = bench.settle().expect("fits");
    assert_eq!(request_tokens(&request.messages, &request.tools, &count), request.table.prompt());
}

/// A run with all that the recent rounds can hold: words, results, one that was dropped, one that was shortened.
fn run() -> Bench {
    let mut bench = Bench::new(settings(20_000), goal("Write the report.\n(展开。)\n"));
    bench.person("Hello, 你好, 逐一检查");
    for step in 0..4 {
        bench.step(&format!("Step {step}: 看一看."), "src/main.rs", &"fn main() {} // 主函数\n".repeat(30));
    }
    let results: Vec<Seq> = bench
        .state
        .path
        .messages
        .iter()
        .filter(|message| matches!(message.speaker, wakeful::run::message::Speaker::Result { .. }))
        .map(|message| message.seq)
        .collect();
    bench.event(Event::OutputsDropped { seqs: vec![results[0]], tokens: 111, kept: None });
    bench.event(Event::OutputsDropped { seqs: vec![results[1]], tokens: 90, kept: Some(60) });
    bench
}

#[test]
fn after_a_change_of_the_tokenizer_all_is_counted_by_the_new_one() {
    let mut bench = run();
    assert!(!bench.state.counts_are_old(), "nothing was changed");
    change(&mut bench, |model| model.window = 19_000);
    assert!(!bench.state.counts_are_old(), "another window counts alike");
    for (name, count, least) in [("o200k", o200k as fn(&str) -> u32, 9), ("cl100k", cl100k, 1)] {
        change(&mut bench, |model| model.tokenizer = name.to_owned());
        bench.count = count;
        assert!(recount(&mut bench) >= least, "{name}");
        assert_sent(&mut bench);
        // What comes now is counted so from the start.
        bench.step("One more.", "b.rs", "文件的内容");
        assert_sent(&mut bench);
    }
    let shown = bench.state.path.messages.iter().map(|message| message.tokens).sum::<u32>();
    assert!(shown > 0 && bench.state.path.dropped.len() == 1 && bench.state.path.shortened.len() == 1);
}

#[test]
fn after_a_change_of_the_protocol_all_is_counted_as_it_is_sent() {
    let mut bench = run();
    bench.count = o200k;
    change(&mut bench, |model| model.tokenizer = "o200k".to_owned());
    recount(&mut bench);
    for protocol in [Protocol::Schema, Protocol::Native] {
        change(&mut bench, |model| model.protocol = protocol);
        assert!(recount(&mut bench) > 3, "calls and results are written otherwise");
        assert_sent(&mut bench);
    }
    // To another one and back: what was said between counts as it was said.
    change(&mut bench, |model| model.tokenizer = "cl100k".to_owned());
    bench.count = cl100k;
    let said = bench.person("多字节的中文 and more words");
    change(&mut bench, |model| model.tokenizer = "o200k".to_owned());
    bench.count = o200k;
    recount(&mut bench);
    let own = bench.state.path.messages.iter().find(|message| message.seq == said).expect("it is there");
    assert_eq!(own.tokens, message_tokens(&bench.model(), &bench.texts.messages[&said], &o200k));
    assert_sent(&mut bench);
}

#[test]
fn what_is_said_after_the_change_alone_needs_no_recount() {
    let mut bench = Bench::new(settings(20_000), goal("g"));
    change(&mut bench, |model| model.tokenizer = "o200k".to_owned());
    bench.count = o200k;
    bench.step("Look.", "a.rs", "文件的内容");
    assert!(!bench.state.counts_are_old());
    assert_sent(&mut bench);
}
