//! The workstation as a program: the model, and how inputs and reports change it.
//!
//! Pure but for the clock that is given to it: the same inputs and reports at the same times make the same model and the
//! same commands. What a key does on the screen of a run is in `act`, reports are taken in
//! `told`, dialogs are served in `layers`.
//!
//! Not to be assumed: that a command was carried out when it was given. What stands in the store comes back with the
//! next snapshot.

pub(super) mod act;
pub mod active;
mod awaited;
pub mod bell;
pub mod beside;
pub mod complete;
mod copy;
pub mod drafts;
mod going;
pub mod held;
mod layers;
pub mod lists;
pub mod model;
mod mouse;
pub mod msg;
mod opening;
mod pasted;
pub mod queue;
#[cfg(test)]
pub(crate) mod sample;
mod small;
mod steps;
#[cfg(test)]
pub(crate) mod tests;
mod told;
pub mod transcript;
pub(in crate::ui) mod written;

use super::dialog::Dialog;
use super::frame::{Program, Still, Wish};
use super::input::Input;
use super::keys::{Action, Ctx, Hit, KeyPress, live};
use super::layout::{Border, Panel};
use super::view;
use crate::host::fault::fault;
use crate::run::{RunId, Status};
use crossterm::event::KeyEvent;
use model::{Look, MessageLine, Model, News};
use msg::{Clock, Cmd, Found, Msg, Ticket};
use ratatui::Frame;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

/// Milliseconds of a minute.
const MINUTE: i64 = 60_000;
/// How long short news stay.
const NEWS: Duration = Duration::from_secs(6);
/// Two presses of Esc within this time pause now.
const TWICE: Duration = Duration::from_millis(600);

/// How the workstation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The person left.
    Left,
    /// The process was told to end.
    Ended,
    /// The terminal is gone.
    HungUp,
}

/// The workstation.
pub struct App {
    /// What there is to show.
    pub model: Model,
    clock: Box<dyn Fn() -> Clock + Send>,
    dirty: bool,
    wishes: VecDeque<Wish<Msg>>,
    end: Option<End>,
    /// When Esc found nothing to close.
    escaped: Option<Instant>,
    /// When something was pasted, or a key came that may be of it.
    pasted: Option<Instant>,
    /// Steps that were asked for.
    asked: HashSet<u64>,
    /// When it rings for what.
    bell: bell::Bell,
    title: String,
    /// The shown run was not seen yet: where the focus begins depends on what waits in it.
    unseen: bool,
    /// The border that the mouse was pressed on.
    dragged: Option<Border>,
    /// Where the mouse was pressed, and on what.
    pressed: Option<(ratatui::layout::Position, view::Zone)>,
    /// What a click is about, while it is served.
    clicked: Option<Action>,
    /// The message is being edited outside.
    message_outside: Option<msg::Ticket>,
    /// It is being read who wrote the goal in force.
    asking_goal: Option<msg::Ticket>,
    /// A text that is read to be copied.
    copying: Option<msg::Ticket>,
    /// The shown run and its head, up to which refusals were told.
    heard: Option<(RunId, crate::run::Seq)>,
    /// Commands that are given after the next frame.
    later: Vec<Cmd>,
    /// It was told that the command for attention fails.
    hook_failed: bool,
    /// What was sent, and is not seen to be done.
    written: written::Written,
    /// When what is being written is kept.
    keeping: drafts::Keeping,
    /// Holds the store still while the process is stopped.
    pub still: Option<Still>,
    /// The workers were told to stop; the end comes when they have.
    leaving: bool,
    /// They were told to stop now.
    at_once: bool,
    /// The news that say what is being done.
    awaited: Option<awaited::Awaited>,
    /// The runs that answers about messages are about.
    messages: HashMap<Ticket, RunId>,
    /// A key that waits for a snapshot.
    looking: Option<queue::Looking>,
}

impl App {
    /// A workstation that knows nothing yet.
    pub fn new(look: Look, found: Found, pid: u32, clock: Box<dyn Fn() -> Clock + Send>) -> Self {
        let model = Model {
            look,
            clock: clock(),
            size: (0, 0),
            attended: true,
            found,
            opening: None,
            shot: None,
            stale: None,
            unposted: None,
            run: None,
            live: HashMap::new(),
            focus: Panel::Loop,
            held: None,
            zoom: false,
            moved: HashMap::new(),
            transcript: transcript::Transcript::default(),
            lists: model::Lists::default(),
            layers: Vec::new(),
            message: MessageLine::default(),
            active: None,
            goal_by: None,
            drafts: model::Drafts::default(),
            starting: None,
            complete: complete::Complete::default(),
            news: None,
            reasons: Vec::new(),
            sent: Vec::new(),
            beside: beside::Beside::default(),
            working: BTreeSet::new(),
            pid,
            drawn: view::Drawn::default(),
            tickets: 0,
        };
        let bell = bell::Bell::new(model.clock.mono);
        Self {
            model,
            clock,
            dirty: true,
            wishes: VecDeque::new(),
            end: None,
            escaped: None,
            pasted: None,
            asked: HashSet::new(),
            bell,
            title: String::new(),
            unseen: false,
            dragged: None,
            pressed: None,
            clicked: None,
            message_outside: None,
            asking_goal: None,
            copying: None,
            heard: None,
            later: Vec::new(),
            hook_failed: false,
            written: written::Written::default(),
            keeping: drafts::Keeping::default(),
            still: None,
            leaving: false,
            at_once: false,
            awaited: None,
            messages: HashMap::new(),
            looking: None,
        }
    }

    /// Shows a run from now on.
    pub fn show(&mut self, run: Option<RunId>) -> Vec<Cmd> {
        if self.model.run == run {
            return Vec::new();
        }
        // What was said is about the run that was shown.
        self.model.news = None;
        let before = std::mem::replace(&mut self.model.run, run.clone());
        self.swap_message(before.as_ref());
        self.model.transcript = transcript::Transcript { run: run.clone(), ..Default::default() };
        lists::forget(&mut self.model, run.as_ref());
        self.model.held = None;
        self.asked.clear();
        self.model.focus = Panel::Loop;
        self.unseen = true;
        self.came_back();
        vec![Cmd::Show(run)]
    }

    /// Says something at the foot.
    fn say(&mut self, words: impl Into<String>) {
        self.model.news =
            Some(News { words: words.into(), until: self.model.clock.mono + NEWS, refusal: false });
    }

    /// Says why a key did nothing.
    fn refuse(&mut self, words: String) {
        self.model.news = Some(News { words, until: self.model.clock.mono + NEWS, refusal: true });
    }

    /// Says something of a run, with its name if another one is shown.
    fn say_of(&mut self, run: &RunId, words: String) {
        if self.model.run.as_ref() == Some(run) {
            return self.say(words);
        }
        let name = crate::ui::view::head::short_id(&self.model, run);
        self.say(self.model.look.lang.label(&name, &words));
    }

    /// The keys that live now.
    pub fn live(&self) -> &'static [Ctx] {
        if let Some(layer) = self.model.layers.last() {
            return layer.live();
        }
        if self.model.message.open {
            return live::TEXT_RECALL;
        }
        live_below(&self.model)
    }

    fn leave(&mut self, end: End) {
        self.end = Some(end);
    }

    fn key(&mut self, key: &KeyEvent) -> Vec<Cmd> {
        let of_list = |press| self.model.look.keys.find(live::COMPLETE, press);
        if let Some(hit) = KeyPress::from_event(key).and_then(of_list)
            && self.complete_key(hit)
        {
            return Vec::new();
        }
        let bound = KeyPress::from_event(key).and_then(|press| self.model.look.keys.find(self.live(), press));
        let bound = bound.or_else(|| KeyPress::from_event(key).and_then(|press| self.helps(press)));
        if self.is_of_paste(bound) {
            return Vec::new();
        }
        match bound {
            Some(hit) => self.hit(hit),
            None if !self.model.layers.is_empty() && self.live().contains(&Ctx::Text) => {
                self.layer(|layer, model| layer.key(key, model))
            }
            None if !self.model.layers.is_empty() => {
                let why = KeyPress::from_event(key).map(|press| self.not_in_dialog(press));
                why.into_iter().for_each(|why| self.refuse(why));
                Vec::new()
            }
            None if self.model.message.open => {
                self.model.message.editor.key(key);
                Vec::new()
            }
            None => {
                let why = KeyPress::from_event(key).and_then(|press| self.works_elsewhere(press));
                self.say(why.unwrap_or_else(|| self.model.words().notes.not_here.to_owned()));
                Vec::new()
            }
        }
    }

    /// Where a key works that does nothing here.
    fn works_elsewhere(&self, press: KeyPress) -> Option<String> {
        let (model, notes) = (&self.model, &self.model.words().notes);
        let does = |ctx| model.look.keys.in_context(ctx, press, model.look.lang).map(|hint| hint.words);
        let found = PANELS.iter().find_map(|(ctx, panel)| Some((panel, does(*ctx)?)));
        if let Some((panel, does)) = found {
            let (name, no) = (view::head::name(model, *panel), panel.number().to_string());
            return Some(notes.works_in(&press.label(), name, &no, does));
        }
        let does = does(Ctx::Run).filter(|_| model.run.is_none())?;
        Some(notes.works_in_run(&press.label(), does))
    }

    /// The key that shows the keys of a field shows those of every place where it means nothing else.
    fn helps(&self, press: KeyPress) -> Option<Hit> {
        let in_field = self.model.look.keys.find(live::TEXT, press)?;
        (in_field.action == Action::TextHelp).then_some(Hit { action: Action::HelpOpen, nth: 0 })
    }

    /// What a key says that means nothing in the dialog: where it works, or how to see what does.
    fn not_in_dialog(&self, press: KeyPress) -> String {
        let (model, notes) = (&self.model, &self.model.words().notes);
        let keys = &model.look.keys;
        if let Some(how) = model.layers.last().and_then(|layer| layer.decided()) {
            return notes.decided_before(&how, &model.key(self.live(), Action::Back));
        }
        let does = live_below(model).iter().filter(|ctx| !self.live().contains(ctx));
        let does = does.filter_map(|ctx| keys.in_context(*ctx, press, model.look.lang)).next();
        match does {
            Some(hint) => {
                notes.works_below(&press.label(), hint.words, &model.key(self.live(), Action::Back))
            }
            None => notes.not_in_dialog(&model.key(self.live(), Action::HelpOpen)),
        }
    }

    /// A bound key, a click that means one, or a command of the palette.
    pub(super) fn hit(&mut self, hit: Hit) -> Vec<Cmd> {
        match hit.action {
            Action::Back => return self.back(),
            Action::Suspend => {
                self.wishes.push_back(Wish::Suspend);
                return Vec::new();
            }
            Action::Redraw => {
                self.wishes.push_back(Wish::Redraw);
                return Vec::new();
            }
            Action::Interrupt => return self.interrupt(hit),
            Action::TextHelp => return self.text_help(),
            Action::HelpOpen if !self.model.layers.is_empty() => return self.text_help(),
            _ => {}
        }
        if !self.model.layers.is_empty() {
            return self.layer(|layer, model| layer.act(hit, model));
        }
        if self.model.message.open {
            return self.message_key(hit);
        }
        self.act(hit)
    }

    /// Esc: the top dialog closes, or the field is left; with nothing open, twice pauses.
    fn back(&mut self) -> Vec<Cmd> {
        let (layer, model) = (self.model.layers.pop(), &mut self.model);
        let own = match layer {
            Some(mut layer) => {
                let step = layer.back(model);
                model.layers.push(layer);
                step
            }
            None => model.gives_up().map(|ticket| vec![Cmd::GiveUp(ticket)]),
        };
        if let Some(commands) = own {
            return commands;
        }
        if let Some(mut layer) = self.model.layers.pop() {
            // Why it did nothing is not about what lies below it.
            self.model.news.take_if(|news| news.refusal);
            if let Some(words) = layer.leave(&mut self.model) {
                self.say(words);
            }
            return Vec::new();
        }
        if self.model.message.open {
            self.model.message.open = false;
            if !self.model.message.editor.is_empty() {
                self.say(self.model.words().notes.message_kept);
            }
            return Vec::new();
        }
        if self.model.zoom {
            self.model.zoom = false;
            return Vec::new();
        }
        let now = self.model.clock.mono;
        if self.escaped.take().is_some_and(|at| now.duration_since(at) <= TWICE) {
            return self.act(Hit { action: Action::PauseNow, nth: 0 });
        }
        self.escaped = Some(now);
        self.say(self.model.words().notes.nothing_open);
        Vec::new()
    }

    /// Ctrl-C: asks to leave; in that dialog it means now.
    fn interrupt(&mut self, hit: Hit) -> Vec<Cmd> {
        if self.leaving {
            if std::mem::replace(&mut self.at_once, true) {
                self.leave(End::Left);
                return Vec::new();
            }
            return vec![Cmd::Stop { now: true }];
        }
        if self.model.layers.last().is_some_and(|layer| layer.live() == live::QUIT) {
            return self.layer(|layer, model| layer.act(hit, model));
        }
        self.ask_to_leave()
    }

    fn ask_to_leave(&mut self) -> Vec<Cmd> {
        if self.model.working.is_empty() {
            self.leave(End::Left);
            return Vec::new();
        }
        let quit = super::dialog::quit::Quit::new(&self.model);
        self.open(quit)
    }

    /// Opens a dialog over what is there. What was said before is not about it, and goes.
    fn open(&mut self, mut layer: Box<dyn Dialog>) -> Vec<Cmd> {
        if !self.leaving {
            self.model.news = None;
        }
        if layer.guards() {
            self.wishes.push_back(Wish::DropTyped);
        }
        // What lies below is not seen for a while: what guards its keys begins anew when it is.
        self.model.layers.last_mut().into_iter().for_each(|below| below.covered());
        let commands = layer.open(&mut self.model);
        self.model.layers.push(layer);
        commands
    }

    fn paste(&mut self, text: &str) -> Vec<Cmd> {
        if !self.model.layers.is_empty() {
            return self.layer(|layer, model| layer.paste(text, model));
        }
        if self.model.message.open {
            self.model.message.editor.insert(text);
        } else if self.model.run.is_some() {
            // What is pasted on the screen of a run is meant for the agent.
            self.model.message.open = true;
            self.model.message.editor.insert(text);
        }
        Vec::new()
    }

    fn read_clock(&mut self) {
        self.model.clock = (self.clock)();
        held::let_go(&mut self.model);
        if self.model.news.as_ref().is_some_and(|news| news.until <= self.model.clock.mono) {
            self.model.news = None;
            if self.leaving {
                // Said until it is done: the screen would seem to hang.
                self.say(self.model.words().quit.stopping);
            }
        }
    }
}

/// Contexts with keys of one panel alone.
const PANELS: [(Ctx, Panel); 3] =
    [(Ctx::Loop, Panel::Loop), (Ctx::Queue, Panel::Queue), (Ctx::Chk, Panel::Checkpoints)];

/// The keys of the screen below all dialogs.
pub fn live_below(model: &Model) -> &'static [Ctx] {
    if model.run.is_none() {
        return live::START;
    }
    match model.focus {
        Panel::Loop => live::RUN_LOOP,
        Panel::Queue => live::RUN_QUEUE,
        Panel::Checkpoints => live::RUN_CHK,
        Panel::Context | Panel::Plan | Panel::Runs => live::RUN,
    }
}

impl Program for App {
    type Msg = Msg;
    type Cmd = Cmd;
    type End = End;

    fn input(&mut self, input: Input) -> Vec<Cmd> {
        self.read_clock();
        self.dirty = true;
        if matches!(input, Input::Key(_) | Input::Paste(_) | Input::Mouse(_) | Input::Wheel(_)) {
            self.bell.touched(self.model.clock.mono);
        }
        if !matches!(input, Input::Mouse(_) | Input::Wheel(_) | Input::Focus(_)) {
            // What lies under the mouse may be something else now.
            self.pressed = None;
        }
        match input {
            Input::Key(key) if self.is_small() => self.key_in_small(&key),
            Input::Paste(_) | Input::Mouse(_) | Input::Wheel(_) if self.is_small() => Vec::new(),
            Input::Key(key) => {
                let mut commands = self.key(&key);
                commands.extend(self.complete());
                self.hold_below();
                commands
            }
            Input::Paste(text) => {
                let mut commands = self.paste(&text);
                commands.extend(self.complete());
                self.was_pasted(&text);
                commands
            }
            Input::Mouse(event) => self.mouse(event),
            Input::Wheel(turns) => self.wheel(&turns),
            Input::Resize(columns, rows) => {
                self.model.size = (columns, rows);
                Vec::new()
            }
            Input::Focus(gained) => {
                self.model.attended = gained;
                self.bell.focused(gained);
                Vec::new()
            }
            // Whoever opened the screen stops its workers once it is gone. Who sends SIGINT wants the end, as with SIGTERM;
            // at the keyboard Ctrl-C is a key, and asks.
            Input::Interrupt | Input::Terminate => {
                self.leave(End::Ended);
                Vec::new()
            }
            Input::Hangup => {
                self.leave(End::HungUp);
                Vec::new()
            }
        }
    }

    fn update(&mut self, msg: Msg) -> Vec<Cmd> {
        self.read_clock();
        self.dirty = true;
        self.told(msg)
    }

    fn draw(&mut self, frame: &mut Frame<'_>) {
        self.read_clock();
        fault("ui.draw");
        self.model.drawn = view::draw(&self.model, frame);
        let at = self.model.clock.mono;
        if let (Some(layer), Some(shown)) = (self.model.layers.last_mut(), self.model.drawn.layer) {
            layer.drawn(shown, at);
        }
        // The border that told of it as new is drawn again.
        self.dirty = transcript::saw(&mut self.model);
    }

    fn after(&mut self) -> Vec<Cmd> {
        let mut commands = std::mem::take(&mut self.later);
        commands.extend(self.keep_drafts());
        let unread = std::mem::take(&mut self.model.drawn.unread);
        let Some(run) = self.model.run.clone() else { return commands };
        let new: Vec<_> = unread.into_iter().filter(|span| self.asked.insert(span.from)).collect();
        if !new.is_empty() {
            commands.push(Cmd::Steps(run, new));
        }
        commands
    }

    fn dirty(&self) -> bool {
        self.dirty
    }

    fn tick(&self) -> Option<Duration> {
        let model = &self.model;
        let news = model.news.as_ref().map(|news| news.until.saturating_duration_since(model.clock.mono));
        // The phase of a run that waits does not move: nothing wakes the screen for it ten times a second.
        let runs = model.view().is_some_and(|view| view.state.status() == Status::Running);
        let streams = runs && model.live_here().is_some_and(|live| live.phase.is_some());
        let moves = model.view().is_some_and(|view| match view.state.status() {
            Status::Running | Status::Waiting(_) => true,
            Status::Paused | Status::Ended(_) => false,
        });
        let clock = if streams {
            Some(Duration::from_millis(100))
        } else if moves || model.stale.is_some() || model.unposted.is_some() {
            Some(Duration::from_secs(1))
        } else {
            // At the next minute, which is what is shown of the time.
            let left = MINUTE - model.clock.wall.rem_euclid(MINUTE);
            model.run.as_ref().map(|_| Duration::from_millis(left.unsigned_abs()))
        };
        // A count-down to the next attempt, or how long others hold the database.
        let waits = model.starting.is_some() || model.opening.is_some();
        let starts = waits.then_some(Duration::from_secs(1));
        let bell = self.bell.due_in((self.clock)().mono).filter(|_| !self.leaving);
        let held = held::due_in(model);
        [news, clock, starts, bell, held, self.keeping.due_in(model.clock.mono)].into_iter().flatten().min()
    }

    fn wish(&mut self) -> Option<Wish<Msg>> {
        self.ring();
        self.wishes.pop_front()
    }

    fn still(&self) -> Option<Still> {
        self.still.clone()
    }

    fn done(&self) -> Option<End> {
        self.end
    }
}
