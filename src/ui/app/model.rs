//! What there is to show. The screen is drawn from this alone.

use super::beside::Beside;
use super::complete::Complete;
use super::held::Held;
use super::msg::{Clock, Contact, Found, Ticket};
use super::transcript::Transcript;
use crate::run::call::DefaultAnswer;
use crate::run::control::Author;
use crate::run::settings::{LimitsPatch, Mode};
use crate::run::{CallId, Hash, Millis, RunId};
use crate::store::CallRow;
use crate::ui::dialog::Dialog;
use crate::ui::dialog::form::Draft;
use crate::ui::edit::Editor;
use crate::ui::feed::{RunView, Snapshot, Waiting};
use crate::ui::keys::Keymap;
use crate::ui::layout::{Moved, Panel, Size};
use crate::ui::text::{Strength, one_line};
use crate::ui::theme::{Glyphs, Theme};
use crate::ui::view::Drawn;
use crate::ui::words::{Lang, Phase, Words};
use jiff::tz::TimeZone;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How everything looks.
#[derive(Clone, Debug)]
pub struct Look {
    /// The language.
    pub lang: Lang,
    /// All words.
    pub words: &'static Words,
    /// Colours.
    pub theme: Theme,
    /// Signs.
    pub glyphs: &'static Glyphs,
    /// The person's time zone.
    pub zone: TimeZone,
    /// Keys.
    pub keys: Keymap,
}

impl Look {
    /// A figure or other words of ours, without signs but ASCII if that is wanted.
    pub fn own(&self, text: String) -> String {
        if self.glyphs.is_ascii() { crate::ui::words::ascii::own(&text) } else { text }
    }
}

/// The reply that is coming in, of one run.
#[derive(Clone, Debug)]
pub struct LiveRun {
    /// The phase of its step.
    pub phase: Option<Phase>,
    /// When it began; later by as long as the run waited in it.
    pub since: Instant,
    /// Since when the run waits in it, for a person or for another try; none while it works.
    pub waits: Option<Instant>,
    /// How long the phases before it worked, in this step.
    pub took: Vec<(Phase, Duration)>,
    /// What was said so far.
    pub text: String,
    /// What was thought so far.
    pub thought: String,
    /// Pieces so far: about as many tokens.
    pub pieces: u64,
    /// They were not seen: their number is an estimate from the text.
    pub estimated: bool,
    /// When the first piece came.
    pub first: Option<Instant>,
}

/// A decision on its way: until it is taken, the call still waits in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Names the answer.
    pub ticket: Ticket,
    /// The run.
    pub run: RunId,
    /// The call, if it is about one, with its attempt and the moment since which it waits: it may wait once more later.
    pub call: Option<(CallId, u32, Millis)>,
    /// What to say when it is stored.
    pub news: String,
}

/// Short news at the foot.
#[derive(Clone, Debug)]
pub struct News {
    /// In the person's language, neutral.
    pub words: String,
    /// When it goes away.
    pub until: Instant,
    /// Why a dialog did nothing: it goes with the next key.
    pub refusal: bool,
}

/// What is selected in the lists, by id: a refresh keeps it.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// The slot in Context, by its place.
    pub slot: usize,
    /// The call in Queue.
    pub call: Option<CallId>,
    /// Where it stood when it was last seen.
    pub call_at: usize,
    /// Calls that are marked.
    pub marked: BTreeSet<CallId>,
    /// True: the calls of all runs.
    pub all_runs: bool,
    /// The checkpoint, by the seq of its event.
    pub checkpoint: Option<u64>,
    /// The item of the plan, by its place.
    pub plan: usize,
    /// The run in Runs.
    pub run: Option<RunId>,
    /// Where it stood when it was last seen.
    pub run_at: usize,
}

/// The field for a message to the agent.
#[derive(Debug, Default)]
pub struct MessageLine {
    /// The text.
    pub editor: Editor,
    /// True while it is typed in.
    pub open: bool,
    /// Earlier messages, oldest first.
    pub earlier: Vec<String>,
    /// Which earlier one is shown; none is a new text.
    pub at: Option<usize>,
}

/// What was written in a form and not sent.
#[derive(Clone, Debug, Default)]
pub struct Drafts {
    /// The form of a new run.
    pub new_run: Option<Draft>,
    /// Why the run of that form did not begin, neutral.
    pub not_started: Option<String>,
    /// The goal editor, by run: the version that the edit was made from, and what was written.
    pub goals: HashMap<RunId, (u32, Draft)>,
    /// Goals that were sent and not taken, by run: as the editor has them, it opens with them.
    pub returned: HashMap<RunId, (u32, Draft)>,
    /// The plan editor, by run: the plan that the edit was made from, and what was written.
    pub plans: HashMap<RunId, (Hash, String)>,
    /// Changes of limits and of the approval mode that were not done, by run.
    pub limits: HashMap<RunId, (LimitsPatch, Option<Mode>)>,
    /// Reasons for denying, by call.
    pub reasons: BTreeMap<CallId, String>,
    /// Answers, by call.
    pub answers: BTreeMap<CallId, String>,
    /// Arguments that were not stored, by call.
    pub args: BTreeMap<CallId, String>,
    /// Messages that were taken back while another run was shown, by run.
    pub back: BTreeMap<RunId, String>,
    /// What stands in the message lines of runs that are not shown.
    pub messages: BTreeMap<RunId, String>,
}

/// A run that is to begin.
#[derive(Clone, Debug)]
pub struct Starting {
    /// Names the answer.
    pub ticket: Ticket,
    /// Since when.
    pub since: Instant,
    /// How its server is asked, once it is.
    pub contact: Option<Contact>,
    /// Since when another process keeps it from being written down.
    pub held: Option<Clock>,
    /// The person gave it up; the answer is on its way.
    pub given_up: bool,
}

/// The database is being opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opening {
    /// Since when it is known that another process holds it.
    pub held: Option<Clock>,
}

/// Who wrote a version of a goal, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalBy {
    /// The run.
    pub run: RunId,
    /// The version.
    pub version: u32,
    /// When and who; none while it is read.
    pub known: Option<(Millis, Author)>,
}

/// What there is to show.
#[derive(Debug)]
pub struct Model {
    /// How it looks.
    pub look: Look,
    /// The clocks as they stood at the last message.
    pub clock: Clock,
    /// Columns and rows.
    pub size: (u16, u16),
    /// Whether the terminal has the focus, as far as it tells.
    pub attended: bool,
    /// What was found at the start.
    pub found: Found,
    /// The store is not there yet.
    pub opening: Option<Opening>,
    /// What the store held when it was last read.
    pub shot: Option<Arc<Snapshot>>,
    /// Since when the store cannot be read, and why.
    pub stale: Option<(Instant, String)>,
    /// Since when something that was decided here waits to be stored, if that takes long.
    pub unposted: Option<Instant>,
    /// The run that is shown.
    pub run: Option<RunId>,
    /// Replies that are coming in.
    pub live: HashMap<RunId, LiveRun>,
    /// The panel with the focus.
    pub focus: Panel,
    /// The list whose order is held, as the person moves in it.
    pub held: Option<Held>,
    /// It is shown alone.
    pub zoom: bool,
    /// Borders that the person moved, in windows of each size.
    pub moved: HashMap<Size, Moved>,
    /// The panel Loop.
    pub transcript: Transcript,
    /// The other panels.
    pub lists: Lists,
    /// Open dialogs, the top one last.
    pub layers: Vec<Box<dyn Dialog>>,
    /// The message to the agent.
    pub message: MessageLine,
    /// The active time that was shown of this run before the newest snapshot, if that says a little less.
    pub active: Option<(RunId, u64)>,
    /// Who wrote the goal in force, once that was read.
    pub goal_by: Option<GoalBy>,
    /// Forms that were left.
    pub drafts: Drafts,
    /// The run that is to begin.
    pub starting: Option<Starting>,
    /// Short news.
    pub news: Option<News>,
    /// Reasons that were given for denying, here and before, the newest first.
    pub reasons: Vec<String>,
    /// Files behind an `@`.
    pub complete: Complete,
    /// Decisions on their way.
    pub sent: Vec<Sent>,
    /// What is known beside the snapshot.
    pub beside: Beside,
    /// Runs that this process works at.
    pub working: BTreeSet<RunId>,
    /// This process.
    pub pid: u32,
    /// What was drawn last, for the mouse and for paging.
    pub drawn: Drawn,
    /// The next ticket.
    pub tickets: Ticket,
}

impl Model {
    /// The words.
    pub fn words(&self) -> &'static Words {
        self.look.words
    }

    /// The run that is shown, if it was read.
    pub fn view(&self) -> Option<&RunView> {
        let view = self.shot.as_ref()?.run.as_deref()?;
        (Some(&view.state.run) == self.run.as_ref()).then_some(view)
    }

    /// Why the run that is to be shown cannot be read, if that is so. Not neutral.
    pub fn unread(&self) -> Option<&str> {
        let unread = self.shot.as_ref()?.unread.as_ref()?;
        (Some(&unread.run) == self.run.as_ref()).then_some(unread.why.as_str())
    }

    /// What becomes of a waiting decision if nobody makes it, and when; none if it waits, or of another run.
    pub fn default_of(&self, call: &CallRow) -> Option<DefaultAnswer> {
        let state = &self.view()?.state;
        let waits = state.run == call.run && state.ledger.paused.is_none() && state.ledger.hold.is_none();
        state.open_call(&call.call_id).filter(|_| waits)?.default
    }

    /// The first step that will know of what is said to the agent of the shown run now.
    pub fn next_request_step(&self) -> u64 {
        self.view().map_or(1, |view| u64::from(view.state.next_request_step()))
    }

    /// When the shown run ended; none if it is not over.
    pub fn ended_at(&self) -> Option<Millis> {
        self.view()?.state.ledger.ended.as_ref().map(|ended| ended.at)
    }

    /// Whether it is being asked how to leave.
    pub fn leaving_asked(&self) -> bool {
        self.layers.last().is_some_and(|layer| layer.live() == crate::ui::keys::live::QUIT)
    }

    /// All calls that wait for the person and are not decided here already, oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        let all = self.shot.as_ref().map_or(&[][..], |shot| shot.waiting.as_slice());
        all.iter().filter(|waiting| !self.is_sent(&waiting.call))
    }

    /// Those of the shown run.
    pub fn waiting_here(&self) -> impl Iterator<Item = &Waiting> {
        self.waiting().filter(|waiting| Some(&waiting.call.run) == self.run.as_ref())
    }

    /// Whether a decision on this call is on its way.
    pub fn is_sent(&self, call: &CallRow) -> bool {
        self.sent
            .iter()
            .filter_map(|sent| sent.call.as_ref())
            .any(|(id, at, since)| (id, *at, *since) == (&call.call_id, call.attempt, call.since))
    }

    /// The reply that is coming in of the shown run.
    pub fn live_here(&self) -> Option<&LiveRun> {
        self.live.get(self.run.as_ref()?)
    }

    /// The title of the shown run, neutral.
    pub fn title(&self) -> String {
        self.view()
            .map(|view| one_line(&view.state.ledger.title, Strength::Prose).shown())
            .unwrap_or_default()
    }

    /// The key of an action where it is live, for hints in texts.
    pub fn key(&self, live: &[crate::ui::keys::Ctx], action: crate::ui::keys::Action) -> String {
        self.look.keys.key_of(live, action).unwrap_or_default()
    }

    /// A run is to begin: gives the name of the answer.
    pub fn starts(&mut self) -> Ticket {
        let ticket = self.ticket();
        let since = self.clock.mono;
        self.starting = Some(Starting { ticket, since, contact: None, held: None, given_up: false });
        ticket
    }

    /// The run that is to begin is given up: the name of its answer, if that was not said before.
    pub fn gives_up(&mut self) -> Option<Ticket> {
        let starting = self.starting.as_mut().filter(|starting| !starting.given_up)?;
        starting.given_up = true;
        Some(starting.ticket)
    }

    /// A new ticket.
    pub fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        self.tickets
    }
}
