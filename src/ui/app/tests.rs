//! Key sequences over the whole program, without a terminal: what keys and reports make of the model, and which commands
//! they give.

mod ascii;
mod awaited;
mod clocks;
mod cut;
mod failed;
mod held;
mod keys;
mod listed;
mod news;
mod over;
mod panels;
mod past;
mod pictures;
mod plan;
mod room;
mod running;
mod runs;
pub(crate) mod scenes;
mod seen;
mod shown;
mod touch;
mod typing;
mod unread;

use super::model::Model;
use super::msg::{Clock, Cmd, FileChange, Msg, Posted};
use super::sample;
use super::sample::{change, draw, look, model};
use super::{App, lists};
use crate::run::control::{Control, Decision};
use crate::run::{Body, Hash, RunId};
use crate::ui::frame::{Program as _, Wish};
use crate::ui::input::Input;
use crate::ui::keys::KeyPress;
use crate::ui::layout::Panel;
use crate::ui::words::Lang;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The workstation with the run of the mock-ups, and a clock that the test moves.
pub(crate) struct Bench {
    pub app: App,
    clock: Arc<Mutex<Clock>>,
}

impl Bench {
    pub fn new(lang: Lang, size: (u16, u16)) -> Self {
        Self::of(model(lang, size))
    }

    pub fn of(model: Model) -> Self {
        let clock = Arc::new(Mutex::new(model.clock));
        let own = clock.clone();
        let mut app = App::new(
            look(model.look.lang),
            model.found.clone(),
            model.pid,
            Box::new(move || *own.lock().unwrap()),
        );
        app.model = model;
        Self { app, clock }
    }

    pub fn pass(&self, time: Duration) {
        let mut clock = self.clock.lock().unwrap();
        clock.mono += time;
        clock.wall += i64::try_from(time.as_millis()).unwrap();
    }

    /// Draws a frame, as the loop does after each input.
    pub fn frame(&mut self) -> Vec<String> {
        let size = self.app.model.size;
        let mut terminal =
            ratatui::Terminal::new(ratatui::backend::TestBackend::new(size.0, size.1)).unwrap();
        let frame = terminal.draw(|frame| self.app.draw(frame)).unwrap();
        super::sample::rows(frame.buffer)
    }

    pub fn shows(&mut self, text: &str) -> bool {
        self.frame().iter().any(|row| row.contains(text))
    }

    /// Presses keys by their names, a frame after each.
    pub fn press(&mut self, keys: &str) -> Vec<Cmd> {
        let mut commands = Vec::new();
        for name in keys.split(' ') {
            commands.extend(self.app.input(Input::Key(event(name))));
            self.frame();
        }
        commands
    }

    /// Types a text.
    pub fn write(&mut self, text: &str) {
        for c in text.chars() {
            let modifiers = if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
            self.app.input(Input::Key(KeyEvent::new(KeyCode::Char(c), modifiers)));
        }
        self.frame();
    }

    pub fn wishes(&mut self) -> Vec<Wish<Msg>> {
        std::iter::from_fn(|| self.app.wish()).collect()
    }

    pub fn news(&self) -> String {
        self.app.model.news.as_ref().map(|news| news.words.clone()).unwrap_or_default()
    }

    /// A snapshot comes in which nothing has changed.
    pub fn shot(&mut self) -> Vec<Cmd> {
        let shot = self.app.model.shot.clone().unwrap();
        self.app.update(Msg::Shot(shot))
    }
}

/// The event of a key by its name in configurations.
fn event(name: &str) -> KeyEvent {
    let press: KeyPress = name.parse().unwrap();
    let with = |code| {
        let mut modifiers = KeyModifiers::NONE;
        modifiers.set(KeyModifiers::CONTROL, press.ctrl());
        modifiers.set(KeyModifiers::ALT, press.alt());
        modifiers.set(KeyModifiers::SHIFT, press.shift());
        KeyEvent::new(code, modifiers)
    };
    use crate::ui::keys::Key;
    match press.key() {
        Key::Char(c) => with(KeyCode::Char(c)),
        Key::Enter => with(KeyCode::Enter),
        Key::Esc => with(KeyCode::Esc),
        Key::Tab => with(KeyCode::Tab),
        Key::Up => with(KeyCode::Up),
        Key::Down => with(KeyCode::Down),
        Key::Left => with(KeyCode::Left),
        Key::Right => with(KeyCode::Right),
        Key::Home => with(KeyCode::Home),
        Key::End => with(KeyCode::End),
        Key::Backspace => with(KeyCode::Backspace),
        Key::PageDown => with(KeyCode::PageDown),
        Key::F(n) => with(KeyCode::F(n)),
        other => panic!("no event for {other:?}"),
    }
}

pub(super) fn decisions(commands: &[Cmd]) -> Vec<(String, Decision)> {
    let of = |command: &Cmd| match command {
        Cmd::Post(_, _, Control::Decide { call_id, decision, .. }) => {
            Some((call_id.to_string(), decision.clone()))
        }
        _ => None,
    };
    commands.iter().filter_map(of).collect()
}

fn copied(bench: &mut Bench) -> Option<String> {
    bench.wishes().into_iter().find_map(|wish| match wish {
        Wish::Escape(bytes) => Some(String::from_utf8(bytes).unwrap()),
        _ => None,
    })
}

#[test]
fn the_selection_is_copied_through_the_terminal() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("6 y");
    // base64 of "r-7f3a", whatever else the name of the run holds.
    let sequence = copied(&mut bench).unwrap();
    assert!(sequence.starts_with("\x1b]52;c;ci03ZjNh"), "{sequence:?}");
    assert!(bench.news().contains("characters"), "{}", bench.news());
    bench.press("4 y");
    assert_eq!(copied(&mut bench).as_deref(), Some("\x1b]52;c;MTNAMg==\x1b\\"), "13@2");
    for panel in ["2", "3", "5"] {
        bench.press(&format!("{panel} y"));
        assert!(copied(&mut bench).is_some(), "panel {panel}");
    }
    // While nothing is selected in Loop there is nothing to copy, and that is said.
    bench.press("1 y");
    assert_eq!((copied(&mut bench), bench.news().as_str()), (None, "Nothing is selected."));
}

#[test]
fn a_copy_says_what_is_hidden_in_it_and_is_never_cut() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.app.copy_text("rm /tmp/\u{200b}x");
    assert!(bench.news().contains("1 of them cannot be seen"), "{}", bench.news());
    assert!(copied(&mut bench).is_some());
    bench.app.copy_text(&"x".repeat(super::copy::MOST + 1));
    assert!(bench.news().starts_with("Not copied"), "{}", bench.news());
    assert!(copied(&mut bench).is_none());
    // A text that lies apart is read first.
    let mut bench = Bench::new(Lang::En, (120, 40));
    let body = Body::Blob { hash: Hash::of(b"long"), bytes: 4 };
    change(&mut bench.app.model, |view| view.calls.iter_mut().for_each(|call| call.args = body.clone()));
    bench.press("3 > y");
    let calls = lists::selected_call(&bench.app.model).unwrap().args.clone();
    assert_eq!(calls, body);
    let ticket = bench.app.copying.unwrap();
    bench.app.update(Msg::Text(ticket, Ok("long".to_owned())));
    assert_eq!(copied(&mut bench).as_deref(), Some("\x1b]52;c;bG9uZw==\x1b\\"));
}

/// Marks both calls of the run, opens the batch and tells it what the write would change.
fn batch(bench: &mut Bench, change: &str) {
    for command in bench.press("3 Space j Space M") {
        if let Cmd::Change(ticket, ..) = command {
            let file = FileChange {
                path: "src/export/writer.rs".to_owned(),
                diff: change.to_owned(),
                added: 1,
                removed: 0,
                before: Some(7_270),
                lines: 212,
                state: None,
                problem: None,
            };
            assert!(decisions(&bench.press("y")).is_empty(), "what is not read is not approved");
            bench.app.update(Msg::Change(ticket, Ok(vec![file])));
        }
    }
    bench.frame();
}

#[test]
fn marked_calls_are_approved_as_a_batch_once_its_end_was_seen() {
    let mut bench = Bench::new(Lang::En, (120, 24));
    bench.press("3 M");
    assert_eq!(bench.news(), "No call is marked.");
    let long: String = (0..80).map(|n| format!("+line {n}\n")).collect();
    batch(&mut bench, &format!("@@ -1,0 +1,80 @@\n{long}"));
    assert!(bench.shows("Approve these 2 calls?") && bench.shows("14.2 edit_file"));
    bench.pass(Duration::from_secs(1));
    assert!(decisions(&bench.press("y")).is_empty());
    assert!(bench.news().starts_with("> shows the end; y works once you have seen it"), "{}", bench.news());
    bench.press("Space");
    assert_eq!(bench.news(), "", "the refusal goes with what is done about it");
    assert!(decisions(&bench.press("y")).is_empty(), "its end was not seen");
    bench.press(">");
    assert!(bench.shows("14.3 shell") || bench.shows("cargo bench"));
    assert!(bench.shows("end seen · ") && bench.shows(" lines were on the screen"), "{:#?}", bench.frame());
    let made = decisions(&bench.press("y"));
    assert_eq!(made.len(), 2, "{:#?}", bench.frame());
    assert!(made.iter().all(|(_, decision)| *decision == Decision::Approve));
    assert!(bench.app.model.layers.is_empty());
    // What is decided is no longer marked, so that nothing is decided with it later.
    bench.shot();
    assert!(bench.app.model.lists.marked.is_empty());
}

#[test]
fn a_batch_is_dead_for_as_long_as_one_call_is() {
    let mut bench = Bench::new(Lang::En, (200, 60));
    batch(&mut bench, "@@ -1,0 +1,1 @@\n+one\n");
    assert!(decisions(&bench.press("y")).is_empty());
    bench.pass(Duration::from_millis(301));
    assert_eq!(decisions(&bench.press("y")).len(), 2);
}

#[test]
fn a_batch_is_denied_with_one_reason() {
    let mut bench = Bench::new(Lang::Zh, (120, 40));
    bench.press("3 Space j Space M n");
    bench.write("not now");
    let made = decisions(&bench.press("Enter"));
    assert_eq!(made.len(), 2);
    assert!(made.iter().all(|(_, decision)| *decision == Decision::Deny { reason: "not now".to_owned() }));
}

#[test]
fn a_call_of_the_batch_that_is_decided_elsewhere_is_left_out_of_it() {
    let mut bench = Bench::new(Lang::En, (200, 60));
    batch(&mut bench, "@@ -1,0 +1,1 @@\n+one\n");
    let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
    let run = bench.app.model.run.clone().unwrap();
    let at = shot.waiting.iter().position(|waiting| waiting.call.run == run).unwrap();
    let gone = shot.waiting.remove(at).call.call_id;
    bench.app.update(Msg::Shot(Arc::new(shot)));
    bench.pass(Duration::from_secs(1));
    bench.frame();
    let made = decisions(&bench.press("y"));
    assert_eq!(made.len(), 1, "{:#?}", bench.frame());
    assert_ne!(made.first().unwrap().0, gone.to_string());
}

#[test]
fn only_what_waits_for_an_approval_can_be_marked() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    bench.press("3 > Space");
    assert_eq!(bench.news(), "Only calls that wait for an approval can be marked.");
    assert!(bench.app.model.lists.marked.is_empty());
    assert_eq!(bench.app.model.focus, Panel::Queue);
    assert_eq!(draw(&bench.app.model).len(), 40);
}

#[test]
fn a_question_that_waits_is_answered_and_not_edited() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    assert!(bench.shows("a review") && bench.shows("e edit"), "{:#?}", bench.frame());
    let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
    for waiting in &mut shot.waiting {
        let args =
            r#"{"goal":"paint","options":[],"recommendation":"red","why":"Which colour is it to be?"}"#;
        waiting.call.class = crate::run::settings::Class::Person;
        waiting.call.tool = "decide".to_owned();
        waiting.call.args = crate::run::Body::Inline(args.to_owned());
        waiting.args = crate::ui::feed::Text::of(&waiting.call.args);
    }
    bench.app.model.shot = Some(Arc::new(shot));
    assert!(bench.shows("a answer") && bench.shows("Which colour is it to be?"), "{:#?}", bench.frame());
    assert!(!bench.shows("a review") && !bench.shows("e edit"), "{:#?}", bench.frame());
}

#[test]
fn a_call_that_nobody_knows_the_end_of_is_shown_with_the_key_that_works_on_it() {
    for size in [(80, 24), (120, 40)] {
        let mut bench = Bench::new(Lang::En, size);
        let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
        for waiting in &mut shot.waiting {
            waiting.call.status = crate::run::CallStatus::Uncertain;
        }
        bench.app.model.shot = Some(Arc::new(shot));
        let rows = bench.frame();
        let line = rows.iter().find(|row| row.contains("a review")).unwrap_or_else(|| panic!("{rows:#?}"));
        assert!(!line.contains("d deny") && !line.contains("e edit"), "{line}");
        bench.press("a");
        assert!(bench.shows("y  "), "{:#?}", bench.frame());
    }
}

#[test]
fn who_wrote_the_goal_is_asked_once_and_shown() {
    let mut bench = Bench::new(Lang::En, (200, 60));
    let asked = bench.shot();
    let [Cmd::Goals(ticket, _)] = asked.as_slice() else { panic!("{asked:?}") };
    assert!(bench.shot().is_empty(), "it is asked once");
    let goal = bench.app.model.view().unwrap().state.path.goal.clone();
    let by = crate::run::control::Author::Person("tui".to_owned());
    let version = super::msg::GoalVersion { version: 2, at: sample::at(13, 24, 0), by, step: 8, goal };
    bench.app.update(Msg::Goals(*ticket, Ok(vec![version])));
    assert!(bench.shows("you · 13:24 · 1 edit · g edit"), "{:#?}", bench.frame());
}

/// A command of the run runs.
pub(super) fn running(bench: &mut Bench) {
    change(&mut bench.app.model, |view| {
        let state = Arc::make_mut(&mut view.state);
        let shell = |tool: &str| tool == "shell";
        for call in state.ledger.open.values_mut().filter(|call| shell(&call.tool)) {
            call.status = crate::run::CallStatus::Started;
        }
        for call in view.calls.iter_mut().filter(|call| shell(&call.tool) && !call.status.is_closed()) {
            call.status = crate::run::CallStatus::Started;
        }
    });
}

#[test]
fn the_question_whether_to_cancel_says_that_a_command_is_ended() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    running(&mut bench);
    bench.press("X");
    assert!(bench.shows("The command that runs is ended: shell cargo bench"), "{:#?}", bench.frame());
    bench.press("Enter");
    assert!(bench.shows("That is not r-7f3a. Type r-7f3a to go on"), "{:#?}", bench.frame());
}

fn controls(commands: &[Cmd]) -> Vec<Control> {
    let of =
        |command: &Cmd| if let Cmd::Post(_, _, control) = command { Some(control.clone()) } else { None };
    commands.iter().filter_map(of).collect()
}

#[test]
fn a_pause_ends_no_command_unless_the_person_says_so() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    assert_eq!(controls(&bench.press("P")), [Control::Pause { now: true }], "no command runs");
    for (keys, kills) in [("Enter", false), ("j j Enter", true)] {
        let mut bench = Bench::new(Lang::En, (120, 40));
        running(&mut bench);
        assert!(controls(&bench.press("P")).is_empty());
        assert!(bench.shows("A tool is running") && bench.shows("cargo bench --bench export"), "it is named");
        let posted = controls(&bench.press(keys));
        assert_eq!(posted.first(), Some(&Control::Pause { now: true }));
        assert_eq!(matches!(posted.get(1), Some(Control::StopCall { .. })), kills, "{posted:?}");
    }
    let mut bench = Bench::new(Lang::Zh, (120, 40));
    running(&mut bench);
    bench.press("P");
    assert!(controls(&bench.press("Esc")).is_empty() && bench.app.model.layers.is_empty());
    // Twice Esc is the same question.
    bench.press("Esc Esc");
    assert_eq!(controls(&bench.press("j Enter")), [Control::Pause { now: false }]);
}

#[test]
fn a_border_is_dragged_and_a_click_on_it_is_only_a_click() {
    use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
    let mut bench = Bench::new(Lang::En, (120, 40));
    let mouse = |bench: &mut Bench, kind, column, row| {
        let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        bench.app.input(Input::Mouse(event));
        bench.frame()
    };
    let left = MouseButton::Left;
    bench.press("3");
    // The border between Loop and Context stands at column 69.
    let row = 10;
    mouse(&mut bench, MouseEventKind::Down(left), 69, row);
    mouse(&mut bench, MouseEventKind::Drag(left), 60, row);
    let rows = mouse(&mut bench, MouseEventKind::Up(left), 60, row);
    assert!(rows.iter().any(|row| row.chars().nth(60).is_some_and(|c| "┬┭┮┱┰".contains(c))), "{rows:#?}");
    assert_eq!(bench.app.model.focus, Panel::Queue, "a drag is no click");
    mouse(&mut bench, MouseEventKind::Down(left), 60, row);
    mouse(&mut bench, MouseEventKind::Up(left), 60, row);
    assert_ne!(bench.app.model.focus, Panel::Queue, "a click on it goes to its panel");
    // With a dialog open nothing behind it moves.
    let before = bench.app.model.moved.clone();
    bench.press("?");
    mouse(&mut bench, MouseEventKind::Down(left), 60, row);
    mouse(&mut bench, MouseEventKind::Drag(left), 40, row);
    assert_eq!(bench.app.model.moved, before);
}

/// The run waits without a call: checks fail again and again.
fn hold(bench: &mut Bench) {
    let run = bench.app.model.run.clone().unwrap();
    change(&mut bench.app.model, |view| {
        let state = Arc::make_mut(&mut view.state);
        state.ledger.open.clear();
        state.ledger.hold = Some(crate::run::Hold::Breaker(3));
    });
    let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
    shot.waiting.retain(|waiting| waiting.call.run != run);
    shot.waiting.clear();
    bench.app.update(Msg::Shot(Arc::new(shot)));
}

#[test]
fn a_run_that_waits_without_a_call_says_what_can_be_done_about_it() {
    for keys in ["a", "!"] {
        let mut bench = Bench::new(Lang::En, (120, 40));
        hold(&mut bench);
        let rows = bench.frame();
        assert!(rows[0].contains("Speed up ledger"), "the title stays: {}", rows[0]);
        assert!(rows.iter().any(|row| row.contains("a review")) && rows[39].contains("p go on"), "{rows:#?}");
        bench.press(keys);
        assert!(bench.shows("The run waits for you"), "{keys}");
        assert_eq!(controls(&bench.press("Enter")), [Control::Continue]);
    }
    let mut bench = Bench::new(Lang::Zh, (80, 24));
    hold(&mut bench);
    bench.press("a j Enter");
    assert!(bench.app.model.message.open, "the second way is a message");
}

#[test]
fn what_waits_is_said_while_another_call_runs_and_while_the_run_is_paused() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    running(&mut bench);
    assert!(bench.frame()[0].contains("! NEEDS YOU"), "{}", bench.frame()[0]);
    let mut bench = Bench::new(Lang::En, (120, 40));
    change(&mut bench.app.model, |view| Arc::make_mut(&mut view.state).ledger.paused = Some(true));
    let head = bench.frame()[0].clone();
    assert!(head.contains("■ paused · ! 2"), "{head}");
    assert!(bench.frame()[39].contains("p go on"), "{}", bench.frame()[39]);
}

#[test]
fn what_was_said_of_a_run_is_not_said_of_another() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    let run = bench.app.model.run.clone().unwrap();
    let sent = bench.press("p");
    let Some(Cmd::Post(ticket, ..)) = sent.first() else { panic!("{sent:?}") };
    let ticket = *ticket;
    bench.app.say("Copied.");
    bench.app.show(Some(RunId::new(crate::ui::app::sample::OTHER)));
    assert_eq!(bench.news(), "", "it was about the run that was shown");
    // What comes of something asked of the run before names that.
    bench.app.update(Msg::Posted(ticket, Posted::Failed("locked".to_owned())));
    let begin = format!("{}: Not stored", crate::ui::view::head::short_id(&bench.app.model, &run));
    assert!(bench.news().starts_with(&begin), "{}", bench.news());
}

#[test]
fn the_focus_begins_in_queue_if_something_waits_there() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    let run = bench.app.model.run.clone();
    bench.app.show(None);
    let shot = bench.app.model.shot.clone().unwrap();
    bench.app.show(run);
    assert_eq!(bench.app.model.focus, Panel::Loop);
    bench.app.update(Msg::Shot(shot));
    assert_eq!(bench.app.model.focus, Panel::Queue);
    bench.press("1");
    bench.shot();
    assert_eq!(bench.app.model.focus, Panel::Loop, "only once");
}

#[test]
fn near_the_end_of_the_runs_more_of_them_are_read() {
    let mut bench = Bench::new(Lang::En, (120, 40));
    assert!(bench.press("6 j").is_empty(), "all of them are here");
    let mut shot = bench.app.model.shot.as_deref().cloned().unwrap();
    let here = shot.runs.len();
    shot.runs_total = 10_000;
    bench.app.update(Msg::Shot(Arc::new(shot)));
    assert_eq!(bench.press("> k"), [Cmd::MoreRuns(here * 4), Cmd::MoreRuns(here * 4)]);
}

#[test]
fn a_click_on_a_key_does_what_the_key_does() {
    use crate::ui::view::Zone;
    use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
    for size in [(80, 24), (120, 40), (200, 60)] {
        let mut bench = Bench::new(Lang::En, size);
        bench.frame();
        let review = Zone::Key(crate::ui::keys::Action::Review);
        let zones = bench.app.model.drawn.zones.clone();
        let places: Vec<_> =
            zones.iter().filter(|(_, zone)| *zone == review).map(|(rect, _)| *rect).collect();
        assert!(!places.is_empty());
        for place in places {
            let mut bench = Bench::new(Lang::En, size);
            bench.frame();
            for kind in [MouseEventKind::Down(MouseButton::Left), MouseEventKind::Up(MouseButton::Left)] {
                let event = MouseEvent { kind, column: place.x, row: place.y, modifiers: KeyModifiers::NONE };
                bench.app.input(Input::Mouse(event));
            }
            assert_eq!(bench.app.model.layers.len(), 1, "{size:?} {place:?}");
        }
    }
}

#[test]
fn a_key_that_can_do_nothing_says_why() {
    for (keys, why) in [
        ("t", "No call is running."),
        ("R", "No rollback to take back: none was made since the last step."),
        ("[", "This is the newest run."),
        ("0", "There is no banner."),
        ("3 M", "No call is marked."),
    ] {
        let mut bench = Bench::new(Lang::En, (120, 40));
        assert!(bench.press(keys).iter().all(|command| matches!(command, Cmd::Show(_))));
        assert_eq!(bench.news(), why, "{keys}");
    }
}

#[test]
fn a_start_that_fails_after_its_form_was_left_is_told_and_its_draft_says_why() {
    let mut bench = Bench::of(sample::empty(Lang::En, (100, 30)));
    bench.press("n");
    bench.write("Sort the photos");
    let looks = bench.press("Ctrl-O");
    let place = |cmd: &Cmd| match cmd {
        Cmd::Place(ticket, path, _) => Some((*ticket, path.clone())),
        _ => None,
    };
    let (ticket, path) = looks.iter().find_map(place).expect("the folder is looked at");
    let here = super::msg::Place { path, git: None, problem: None, missing: Vec::new() };
    let begun = bench.app.update(Msg::Place(ticket, here));
    let Some(Cmd::Start(ticket, _)) = begun.first() else { panic!("{begun:?}") };
    assert_eq!(bench.press("Esc"), [Cmd::GiveUp(*ticket)]);
    bench.press("Esc");
    assert!(bench.app.model.layers.is_empty());
    bench.app.update(Msg::Started(*ticket, Err("no".to_owned())));
    assert_eq!(bench.news(), "Given up; no run was started. What you wrote is kept as a draft: n");
    bench.press("n");
    assert!(bench.shows("Sort the photos") && bench.shows("Given up; no run was started."));
}

#[test]
fn why_a_write_cannot_be_made_is_said_in_the_language_of_the_screen() {
    for (lang, said) in [(Lang::En, "is not UTF-8 text"), (Lang::Zh, "不是 UTF-8 文本")] {
        let mut bench = Bench::new(lang, (120, 40));
        bench.press("3");
        for command in bench.press("a") {
            if let Cmd::Change(ticket, ..) = command {
                let why = "\"src/export/writer.rs\" is not UTF-8 text; an edit could damage it. \
                           Change it with a shell command made for its format or encoding.";
                let file = FileChange {
                    path: "src/export/writer.rs".to_owned(),
                    diff: String::new(),
                    added: 0,
                    removed: 0,
                    before: None,
                    lines: 0,
                    state: None,
                    problem: Some(why.to_owned()),
                };
                bench.app.update(Msg::Change(ticket, Ok(vec![file])));
            }
        }
        assert!(bench.shows(said), "{:#?}", bench.frame());
    }
}
