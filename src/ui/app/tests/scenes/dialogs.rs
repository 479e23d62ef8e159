//! Scenes of dialogs whose states need more than keys: a command that runs, a run that is held, what came back from the
//! store.

use super::super::{hold, sample};
use super::{Bench, asked, panel, with_call};
use crate::context::{Named, SlotItem};
use crate::inspect::SlotItems;
use crate::run::plan::{PlanItem, PlanState};
use crate::run::{Body, CallStatus};
use crate::ui::app::lists::slots;
use crate::ui::app::msg::{Cmd, Comparison, FileBack, FileFate, Known, Msg, Preview};
use crate::ui::feed::{Item, OutputPart, Outputs, Queued, Running};
use crate::ui::frame::Program as _;
use crate::ui::words::Lang;
use std::sync::Arc;
use std::time::Duration;

/// Words of one's own instead of an option.
pub fn own_words(lang: Lang, size: (u16, u16)) -> Bench {
    let mut bench = asked(lang, size, "decide", super::DECIDE);
    bench.press("t");
    bench.write("Two threads, 但不要改变行的顺序。");
    bench
}

/// More lines than fit, of which the last is not like the others.
pub fn long_command(lang: Lang, size: (u16, u16)) -> Bench {
    let mut bench = Bench::new(lang, size);
    let lines: String = (1..=60).map(|n| format!("echo line {n}\\n")).collect();
    let args = format!("{{\"command\":\"cat > notes <<'END'\\n{lines}END\\nrm notes\"}}");
    with_call(&mut bench, |call| call.args = Body::Inline(args.clone()));
    bench.press("3 j a");
    bench.pass(Duration::from_secs(1));
    bench
}

/// The command that waited runs.
fn at_work(lang: Lang, size: (u16, u16)) -> Bench {
    let mut model = sample::model(lang, size);
    sample::change(&mut model, |view| {
        for call in Arc::make_mut(&mut view.state).ledger.open.values_mut() {
            if call.tool == "shell" {
                call.status = CallStatus::Started;
            }
        }
        for item in &mut view.open.items {
            if let Item::Call(call) = item
                && call.tool == "shell"
            {
                (call.status, call.attempt) = (CallStatus::Started, 1);
            }
        }
        for call in view.calls.iter_mut().filter(|call| call.tool == "shell" && !call.status.is_closed()) {
            (call.status, call.attempt) = (CallStatus::Started, 1);
        }
    });
    let mut shot = model.shot.as_deref().cloned().unwrap();
    shot.waiting.retain(|waiting| waiting.call.tool != "shell");
    model.shot = Some(Arc::new(shot));
    Bench::of(model)
}

/// A pause is asked for while a command runs.
pub fn pause(lang: Lang, size: (u16, u16)) -> Bench {
    let mut bench = at_work(lang, size);
    bench.press("1 P");
    bench
}

/// A message is to be delivered while a command runs.
pub fn deliver(lang: Lang, size: (u16, u16)) -> Bench {
    let mut bench = at_work(lang, size);
    let text = "Keep the row order: 审计员会比较文件。".to_owned();
    sample::change(&mut bench.app.model, |view| view.queued = vec![Queued { id: 1, text, now: false }]);
    bench.press("1 I");
    bench
}

/// A message is to be delivered while calls wait.
pub fn deliver_waits(lang: Lang, size: (u16, u16)) -> Bench {
    let mut bench = Bench::new(lang, size);
    let text = "Keep the row order.".to_owned();
    sample::change(&mut bench.app.model, |view| view.queued = vec![Queued { id: 1, text, now: false }]);
    bench.press("1 I");
    bench
}

/// What a running command has written.
pub fn output(lang: Lang, size: (u16, u16)) -> Bench {
    let mut bench = at_work(lang, size);
    let view = bench.app.model.view().unwrap();
    let call = view.open.calls().find(|call| call.tool == "shell").unwrap().call_id.clone();
    let lines: String = (1..=40).map(|n| format!("row {n} 行\n")).collect();
    let bytes = lines.len() as u64;
    let seen =
        Running { call: call.clone(), attempt: 1, bytes, lines: Some(40), tail: "row 40 行\n".to_owned() };
    let outputs = Outputs { run: view.state.run.clone(), calls: vec![seen] };
    bench.app.update(Msg::Outputs(outputs));
    bench.press("3");
    bench.app.model.lists.call = Some(call);
    for command in bench.press("Enter") {
        if let Cmd::Output(ticket, ..) = command {
            let text = lines.clone();
            let part = OutputPart { from: 0, text, rest: "row 4".to_owned(), next: bytes, size: bytes + 5 };
            bench.app.update(Msg::Output(ticket, Ok(part)));
        }
    }
    bench
}

/// The run waits without a call.
pub fn held(lang: Lang, size: (u16, u16)) -> Bench {
    let mut bench = Bench::new(lang, size);
    hold(&mut bench);
    bench.press("a");
    bench
}

fn files() -> Vec<FileBack> {
    let file = |path: &str, what| FileBack {
        path: path.to_owned(),
        what,
        taken: Some(if what == FileFate::Remove { what } else { FileFate::Restore }),
        diff: "@@ -1,3 +1,1 @@\n-a\n-b\n-c\n+d\n".to_owned(),
        lines: Some((1, 3)),
        bytes: Some(2_200),
        made_in: (what == FileFate::Remove).then_some(9),
        edited: (what == FileFate::Keep).then(|| sample::at(13, 31, 0)),
        why: None,
        problem: None,
    };
    vec![
        file("Cargo.toml", FileFate::Restore),
        file("benches/export.rs", FileFate::Remove),
        file("docs/笔记.md", FileFate::Keep),
    ]
}

/// The preview of a rollback.
pub fn rollback(lang: Lang, size: (u16, u16)) -> Bench {
    let mut bench = Bench::new(lang, size);
    let seen = bench.app.model.view().unwrap().state.head.seq;
    for command in bench.press("4 j r") {
        if let Cmd::Preview(ticket, ..) = command {
            let preview = Preview {
                seen,
                step: 12,
                timeline: 2,
                undone: vec![(13, 2)],
                back: Vec::new(),
                tokens: 1_362,
                files: files(),
                goal: Some(1),
                effects: vec!["perf record (13.1)".to_owned()],
                cancelled: 2,
                ended: Vec::new(),
                withdrawn: 1,
                offered: 0,
            };
            bench.app.update(Msg::Preview(ticket, Ok(Box::new(preview))));
        }
    }
    bench
}

/// A checkpoint beside the head.
pub fn compare(lang: Lang, size: (u16, u16)) -> Bench {
    let mut bench = Bench::new(lang, size);
    let goal = bench.app.model.view().unwrap().state.path.goal.clone();
    let item = |id: &str, title: &str, state| PlanItem { id: id.to_owned(), title: title.to_owned(), state };
    for command in bench.press("4 j =") {
        if let Cmd::Compare(ticket, ..) = command {
            let then = Known {
                version: 1,
                goal: goal.clone(),
                plan: vec![item("1", "Measure", PlanState::Active)],
                facts: vec!["214 s".to_owned()],
                questions: Vec::new(),
            };
            let now = Known {
                version: 2,
                goal: goal.clone(),
                plan: vec![item("1", "Measure", PlanState::Done), item("2", "修改", PlanState::Pending)],
                facts: vec!["214 s".to_owned(), "71 % is write_all".to_owned()],
                questions: vec!["Is row order part of the spec?".to_owned()],
            };
            let comparison = Comparison {
                step: 12,
                timeline: 2,
                since: vec![(13, 2)],
                apart: vec![(8, 1), (9, 1)],
                tokens: 1_362,
                then,
                now,
                files: files(),
            };
            bench.app.update(Msg::Compared(ticket, Ok(Box::new(comparison))));
        }
    }
    bench
}

/// What stands in a slot of the context.
pub fn items(lang: Lang, size: (u16, u16)) -> Bench {
    let mut bench = panel(lang, size, "2");
    let all = bench.app.model.view().unwrap().asked.clone().unwrap();
    bench.app.model.lists.slot =
        slots(&all.table).position(|row| row.slot == crate::run::budget_table::Slot::Recent).unwrap();
    for command in bench.press("Enter") {
        if let Cmd::Items(ticket, _, _, slot) = command {
            let item = |named, text: &str, tokens| SlotItem { slot, named, text: text.to_owned(), tokens };
            let items = vec![
                item(Named::Person, "Keep the row order\u{202e}: 审计员会比较文件。", 12),
                item(Named::Result("read_file".to_owned()), "fn main() {}\n", 12_161),
                item(Named::Dropped("shell".to_owned()), "[output dropped]", 30),
            ];
            let read = SlotItems { asked: all.clone(), slot, items, differs: None };
            bench.app.update(Msg::Items(ticket, Ok(Box::new(read))));
        }
    }
    bench
}
