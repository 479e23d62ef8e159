//! Rows of calls that a person or wakeful said no to, that were given up or left with their steps, and whose decision is
//! on its way: a sign and a word, so that colour says nothing alone.

use super::*;
use crate::ui::app::model::Sent;

/// The row of the command, with this become of it.
fn row(lang: Lang, change: impl FnOnce(&mut crate::ui::feed::CallView)) -> String {
    let mut model = sample::model(lang, (120, 40));
    open_step(&mut model, |open| {
        let calls = open.items.iter_mut().filter_map(|item| match item {
            Item::Call(call) if call.tool == "shell" => Some(call),
            _ => None,
        });
        calls.take(1).for_each(change_once(change));
    });
    let rows = drawn(&model, (67, 30));
    rows.into_iter().rev().find(|row| row.contains(" shell ")).unwrap()
}

fn change_once(
    change: impl FnOnce(&mut crate::ui::feed::CallView),
) -> impl FnMut(&mut crate::ui::feed::CallView) {
    let mut change = Some(change);
    move |call| change.take().unwrap()(call)
}

#[test]
fn what_was_not_run_or_was_left_has_a_sign_and_a_word() {
    let cases = [
        (CallStatus::Denied, false, "denied by you", "你已拒绝"),
        (CallStatus::Rejected, false, "rejected", "已驳回"),
        (CallStatus::Cancelled, false, "cancelled", "已取消"),
        (CallStatus::Cancelled, true, "ended by the rollback", "因回退而结束"),
    ];
    for (status, rolled_back, en, zh) in cases {
        for (lang, word) in [(Lang::En, en), (Lang::Zh, zh)] {
            let row = row(lang, |call| (call.status, call.rolled_back) = (status, rolled_back));
            assert!(row.contains("⊘ shell") && row.contains(word), "{status:?} {rolled_back}: {row}");
        }
    }
}

#[test]
fn a_decision_on_its_way_is_said_in_the_row_of_its_call() {
    for (lang, sending, waits) in [(Lang::En, "sending…", "waits for you"), (Lang::Zh, "发送中…", "等你处理")]
    {
        let mut model = sample::model(lang, (120, 40));
        let waiting = model.waiting_here().find(|waiting| waiting.call.tool == "shell").unwrap();
        let call = waiting.call.clone();
        let before = drawn(&model, (67, 16));
        assert_eq!(before.iter().filter(|row| row.contains(waits)).count(), 2, "{before:#?}");
        model.sent.push(Sent {
            ticket: 1,
            run: call.run.clone(),
            call: Some((call.call_id.clone(), call.attempt, call.since)),
            news: String::new(),
        });
        let rows = drawn(&model, (67, 16));
        let row = rows.iter().find(|row| row.contains(" shell ")).unwrap();
        assert!(row.contains(sending) && !row.contains(waits) && row.contains("○ shell"), "{row}");
        assert_eq!(
            rows.iter().filter(|row| row.contains(waits)).count(),
            1,
            "the other one waits: {rows:#?}"
        );
        // Sent for an attempt that was: it waits anew.
        model.sent.iter_mut().for_each(|sent| sent.call.as_mut().unwrap().1 += 1);
        assert_eq!(drawn(&model, (67, 16)), before);
    }
}
