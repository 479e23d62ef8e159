//! A pause that is asked for twice before anything of it is seen.

use crate::run::control::Control;
use crate::run::{Millis, RunId};
use crate::ui::app::msg::{Cmd, Found, Msg, Posted, Ticket};
use crate::ui::app::{App, sample};
use crate::ui::feed::Snapshot;
use crate::ui::frame::Program as _;
use crate::ui::input::Input;
use crate::ui::words::Lang;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::sync::Arc;

fn app(shot: &Arc<Snapshot>, run: &RunId) -> App {
    let sample = sample::model(Lang::En, (120, 40));
    let clock = sample.clock;
    let mut app = App::new(sample.look, Found::default(), 1, Box::new(move || clock));
    app.input(Input::Resize(120, 40));
    app.show(Some(run.clone()));
    app.update(Msg::Shot(Arc::clone(shot)));
    app
}

/// The sample's snapshot, begun at a time, with so many controls in the inbox.
fn shot(at: Millis, pending: usize) -> (Arc<Snapshot>, RunId) {
    let mut model = sample::model(Lang::En, (120, 40));
    sample::change(&mut model, |view| view.pending = pending);
    let mut shot = model.shot.as_deref().cloned().unwrap();
    shot.at = at;
    (Arc::new(shot), model.run.unwrap())
}

fn press(app: &mut App) -> (Ticket, Control) {
    let commands = app.input(Input::Key(KeyEvent::new(KeyCode::Char('p'), KeyModifiers::NONE)));
    match commands.as_slice() {
        [Cmd::Post(ticket, _, control)] => (*ticket, control.clone()),
        other => panic!("{other:?}"),
    }
}

const PAUSE: Control = Control::Pause { now: false };

#[test]
fn pressed_again_it_takes_back_what_was_asked() {
    let now = sample::now();
    let (before, run) = shot(now - 1_000, 0);
    let mut app = app(&before, &run);
    let (first, control) = press(&mut app);
    assert_eq!(control, PAUSE);
    let (second, control) = press(&mut app);
    assert_eq!(control, Control::Continue, "and not the same again");
    assert_eq!(press(&mut app).1, PAUSE);
    app.update(Msg::Posted(first, Posted::Stored));
    app.update(Msg::Posted(second, Posted::Stored));
    // The last one was not stored: nothing of it counts.
    let third = second + 1;
    app.update(Msg::Posted(third, Posted::Failed("the disk is full".to_owned())));
    assert_eq!(press(&mut app).1, PAUSE);
}

#[test]
fn what_a_snapshot_shows_counts_again_once_it_has_been_taken() {
    let now = sample::now();
    let (before, run) = shot(now - 1_000, 0);
    let mut app = app(&before, &run);
    let (ticket, _) = press(&mut app);
    app.update(Msg::Posted(ticket, Posted::Stored));
    // Begun before it was stored, or before it was taken: it does not show it.
    app.update(Msg::Shot(before));
    assert_eq!(app.model.beside.pause_asked(&run), Some(true));
    app.update(Msg::Shot(shot(now + 10, 1).0));
    assert_eq!(app.model.beside.pause_asked(&run), Some(true));
    app.update(Msg::Shot(shot(now + 20, 0).0));
    assert_eq!(app.model.beside.pause_asked(&run), None);
}
