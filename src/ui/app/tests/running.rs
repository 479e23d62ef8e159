//! Enter on a running command, from the Loop and from the Queue.

use super::*;
use crate::run::CallStatus;
use crate::ui::app::transcript::Spot;
use crate::ui::feed::{Item, Outputs, Running};

/// The waiting command runs, and has written something.
fn bench() -> Bench {
    let mut model = model(Lang::En, (120, 40));
    change(&mut model, |view| {
        for item in &mut view.open.items {
            if let Item::Call(call) = item
                && call.tool == "shell"
            {
                (call.status, call.attempt) = (CallStatus::Started, 1);
                let row = view.calls.iter_mut().find(|row| row.call_id == call.call_id).unwrap();
                row.status = CallStatus::Started;
            }
        }
    });
    let mut shot = model.shot.as_deref().cloned().unwrap();
    shot.waiting.retain(|waiting| waiting.call.tool != "shell");
    model.shot = Some(Arc::new(shot));
    Bench::of(model)
}

fn wrote(bench: &mut Bench) {
    let view = bench.app.model.view().unwrap();
    let call = view.open.calls().find(|call| call.tool == "shell").unwrap().call_id.clone();
    let seen = Running { call, attempt: 1, bytes: 4, lines: Some(1), tail: "one\n".to_owned() };
    let outputs = Outputs { run: view.state.run.clone(), calls: vec![seen] };
    bench.app.update(Msg::Outputs(outputs));
}

fn opens(bench: &mut Bench) {
    let commands = bench.press("enter");
    assert!(matches!(commands.as_slice(), [Cmd::Output(_, _, _, None)]), "{commands:?}");
    assert!(bench.shows("running · 4 B so far"), "{:#?}", bench.frame());
    bench.press("esc");
    assert!(!bench.shows("so far"));
}

#[test]
fn enter_on_a_running_command_opens_what_it_has_written() {
    let mut bench = bench();
    bench.app.model.transcript.at = Some(Spot { step: 14, item: Some(3) });
    bench.press("enter");
    assert!(!bench.shows("so far"), "nothing is known of its output: its arguments are shown");
    bench.press("esc");
    wrote(&mut bench);
    assert!(bench.shows("│ one"), "{:#?}", bench.frame());
    opens(&mut bench);
    bench.app.model.focus = Panel::Queue;
    let view = bench.app.model.view().unwrap();
    let call = view.open.calls().find(|call| call.tool == "shell").unwrap().call_id.clone();
    bench.app.model.lists.call = Some(call);
    opens(&mut bench);
}

/// The hint stands at the command while the newest is followed, and means it: nothing has to be selected first.
#[test]
fn enter_while_following_opens_what_its_hint_stands_at() {
    let mut bench = bench();
    bench.app.model.focus = Panel::Loop;
    wrote(&mut bench);
    assert!(bench.app.model.transcript.at.is_none() && bench.shows("│ one"), "{:#?}", bench.frame());
    opens(&mut bench);
    assert!(bench.app.model.transcript.at.is_none(), "it follows on");
    // Also while a reply comes in below it, which holds nothing yet.
    let run = bench.app.model.run.clone().unwrap();
    bench.app.update(Msg::Piece(run, crate::ui::app::msg::Piece::Text("Meanwhile".to_owned())));
    bench.frame();
    opens(&mut bench);
}
