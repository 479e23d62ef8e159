//! Calls that a rollback ends, told with it.

use super::*;
use crate::run::{Author, CallId};
use crate::ui::app::sample::{Journal, result, story, you};

fn calls(journal: &Journal) -> Vec<CallId> {
    journal.open().calls().skip(1).map(|call| call.call_id.clone()).collect()
}

fn give_up(journal: &mut Journal, call: &CallId) {
    let event = Event::CallCancelled {
        call_id: call.clone(),
        why: ROLLED_BACK.to_owned(),
        result: result("cancelled: the run was rolled back; it did not run"),
    };
    journal.push(Author::Wakeful, event);
}

/// The call runs and is ended.
fn end(journal: &mut Journal, call: &CallId) {
    let args_hash = journal.state.open_call(call).unwrap().args_hash.clone();
    let epoch = journal.state.ledger.epoch;
    let (call_id, why) = (|| call.clone(), "a person approved it".to_owned());
    journal.push(you(), Event::CallApproved { call_id: call_id(), args_hash, why, shown: None });
    journal.push(
        Author::Wakeful,
        Event::CallStarted { call_id: call_id(), attempt: 1, epoch, files: Vec::new() },
    );
    let finished = Event::CallFinished {
        call_id: call_id(),
        attempt: 1,
        ok: false,
        kind: Some("cancelled".to_owned()),
        result: result("error [cancelled]: the command was ended by a person"),
        output: None,
        ms: 900,
        inner: None,
    };
    journal.push(Author::Wakeful, finished);
}

fn start(journal: &mut Journal) -> u64 {
    let to_seq =
        journal.checkpoints.iter().rev().find(|row| row.checkpoint.step == 12).unwrap().checkpoint.seq;
    let started = Event::RollbackStarted {
        to_seq,
        to_step: 12,
        files: Vec::new(),
        redo: false,
        chosen: Default::default(),
    };
    journal.push(you(), started);
    to_seq
}

fn marked(journal: &Journal) -> Vec<bool> {
    journal.open().calls().map(|call| call.rolled_back).collect()
}

#[test]
fn what_was_given_up_or_ended_is_known_and_told_with_the_rollback() {
    let mut journal = story();
    let all = calls(&journal);
    give_up(&mut journal, &all[0]);
    end(&mut journal, &all[1]);
    assert_eq!(marked(&journal), [false, true, false], "nobody knows yet what it was ended for");
    let to_seq = start(&mut journal);
    assert_eq!(marked(&journal), [false, true, true]);
    let back = Event::RolledBack { to_seq, timeline: 3, kept: Vec::new(), over: false };
    let seq = journal.push(Author::Wakeful, back);
    let open = journal.open();
    assert_eq!(open.calls().count(), 0);
    let told = open.items.iter().find_map(|item| match item {
        Item::Other { seq: at, words, .. } if *at == seq => Some(words.as_str()),
        _ => None,
    });
    assert_eq!(told, Some("edit_file src/export/writer.rs\nshell cargo bench --bench export"));
}

#[test]
fn a_rollback_that_is_taken_back_is_told_as_that() {
    use crate::ui::words::Lang;
    let mut journal = story();
    let all = calls(&journal);
    all.iter().for_each(|call| give_up(&mut journal, call));
    let to_seq = start(&mut journal);
    let back = |timeline| Event::RolledBack { to_seq, timeline, kept: Vec::new(), over: false };
    journal.push(Author::Wakeful, back(3));
    let chosen = Default::default();
    let again = Event::RollbackStarted { to_seq, to_step: 12, files: Vec::new(), redo: true, chosen };
    journal.push(you(), again);
    journal.push(Author::Wakeful, back(4));
    let open = journal.open();
    for (lang, words) in [(Lang::En, "→ rollback taken back: at step"), (Lang::Zh, "→ 已撤销回退：回到第")]
    {
        let mut model = crate::ui::app::sample::model(lang, (120, 40));
        crate::ui::app::sample::change(&mut model, |view| view.open = open.clone());
        let shown = crate::ui::app::sample::draw(&model).join("\n");
        assert!(shown.contains(words), "{shown}");
    }
}

#[test]
fn what_a_person_ended_was_not_ended_by_the_rollback() {
    let mut journal = story();
    let all = calls(&journal);
    end(&mut journal, &all[1]);
    journal.push(you(), Event::CallStopAsked { call_id: all[1].clone() });
    give_up(&mut journal, &all[0]);
    start(&mut journal);
    assert_eq!(marked(&journal), [false, true, false]);
}

#[test]
fn a_rollback_that_is_refused_after_it_ended_something_is_told_too() {
    let mut journal = story();
    let all = calls(&journal);
    end(&mut journal, &all[1]);
    let refused = |control: &str| Event::ControlRefused { control: control.to_owned(), why: "no".to_owned() };
    journal.push(you(), refused("limits"));
    assert_eq!(marked(&journal), [false, false, false]);
    journal.push(you(), refused(crate::run::Control::Redo.word()));
    assert_eq!(marked(&journal), [false, false, true]);
}

#[test]
fn a_cancel_is_told_once_while_it_is_asked_and_once_when_it_is_done() {
    let told = |journal: &Journal| {
        let open = journal.open();
        let told = |item: &&Item| match item {
            Item::Other { kind, .. } => *kind == "cancel_requested",
            Item::Ended { .. } => true,
            _ => false,
        };
        open.items.iter().filter(told).map(|item| matches!(item, Item::Ended { .. })).collect::<Vec<_>>()
    };
    let mut journal = story();
    let items = journal.open().items.len();
    journal.push(you(), Event::CancelRequested);
    assert_eq!(told(&journal), [false], "it is being done");
    for call in calls(&journal) {
        give_up(&mut journal, &call);
    }
    let report = crate::run::Body::Inline("{}".to_owned());
    journal.push(Author::Wakeful, Event::RunEnded { outcome: Outcome::Cancelled, report });
    assert_eq!(told(&journal), [true], "and now it is done");
    assert_eq!(journal.open().items.len(), items + 2, "no item moves");
}

#[test]
fn outputs_that_are_shortened_unread_are_told_in_the_loop_in_both_languages() {
    use crate::ui::app::sample::change;
    use crate::ui::words::Lang;
    let mut journal = story();
    let before = journal.open().items.len();
    let seqs: Vec<_> = journal.state.path.messages.iter().rev().take(2).map(|message| message.seq).collect();
    let dropped = |kept| Event::OutputsDropped { seqs: seqs.clone(), tokens: 9, kept };
    journal.push(Author::Wakeful, dropped(None));
    assert_eq!(journal.open().items.len(), before, "old ones go silently");
    journal.push(Author::Wakeful, dropped(Some(400)));
    let open = journal.open();
    for (lang, words) in
        [(Lang::En, "2 outputs shortened to fit the window"), (Lang::Zh, "2 份输出为适应窗口缩短")]
    {
        let mut model = crate::ui::app::sample::model(lang, (120, 40));
        change(&mut model, |view| view.open = open.clone());
        let shown = crate::ui::app::sample::draw(&model).join("\n");
        assert!(shown.contains(words), "{shown}");
    }
}
