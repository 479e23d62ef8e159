//! A model for tests of the screen: the run of the mock-ups, made of real events, and the screen as rows of text.
//! Time is 13:36:53 UTC; call 14.2 has waited 42 seconds.

#![allow(dead_code, unused_imports, reason = "each test takes what it needs of it")]

mod journal;
mod story;

use super::model::{Lists, Look, MessageLine, Model};
use super::msg::{Clock, Found, FoundModel};
use super::transcript::Transcript;
use crate::run::{Class, Millis, RunId};
use crate::store::RunRow;
use crate::ui::dialog::{Dialog, Shown};
use crate::ui::feed::{Fold, RunView, Snapshot, Text, Waiting};
use crate::ui::keys::Keymap;
use crate::ui::layout::Panel;
use crate::ui::theme::{Glyphs, Theme};
use crate::ui::view::{Drawn, draw as draw_all};
use crate::ui::words::{Lang, Words};
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, CellWidth as _};
use ratatui::layout::Rect;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use journal::{Does, Goes, Journal, does, result, table, you};
pub use story::{RUN, story};

/// Midnight of the day of the mock-ups, UTC.
const DAY: Millis = 1_783_900_800_000;

/// A time of that day.
pub fn at(hour: i64, minute: i64, second: i64) -> Millis {
    DAY + ((hour * 60 + minute) * 60 + second) * 1_000
}

/// The time that the sample's clock shows.
pub fn now() -> Millis {
    at(13, 36, 53)
}

thread_local! {
    /// Whether looks that are made from now on have nothing but ASCII.
    pub static ASCII: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// A look with the built-in keys and the dark theme.
pub fn look(lang: Lang) -> Look {
    Look {
        lang,
        words: Words::with(lang, ASCII.get()),
        theme: Theme::default(),
        glyphs: Glyphs::of(ASCII.get()),
        zone: TimeZone::UTC,
        keys: Keymap::built_in().in_ascii(ASCII.get()),
    }
}

/// A model before the database is open.
pub fn opening(lang: Lang, size: (u16, u16)) -> Model {
    let mut model = empty(lang, size);
    (model.found.done, model.shot) = (false, None);
    model.opening = Some(super::model::Opening::default());
    model
}

/// A model in which no run is open and nothing is stored.
pub fn empty(lang: Lang, size: (u16, u16)) -> Model {
    let offline = FoundModel {
        profile: "offline".into(),
        model: "offline".into(),
        place: String::new(),
        window: Some(32_768),
    };
    let found = Found {
        models: vec![offline],
        missing: vec!["OPENAI_BASE_URL".to_owned(), "11434".to_owned()],
        db: PathBuf::from("/home/ann/.local/share/wakeful/wakeful.db"),
        here: PathBuf::from("/home/ann/src/ledger"),
        theme: "dark".to_owned(),
        mode: crate::run::settings::Mode::Ask,
        limits: crate::run::settings::Limits::default(),
        done: true,
    };
    Model {
        look: look(lang),
        clock: Clock { wall: now(), mono: Instant::now() + Duration::from_secs(86_400) },
        size,
        attended: true,
        found,
        opening: None,
        shot: Some(Arc::new(Snapshot { at: now(), ..Snapshot::default() })),
        stale: None,
        unposted: None,
        run: None,
        live: HashMap::new(),
        focus: Panel::Loop,
        held: None,
        zoom: false,
        moved: HashMap::new(),
        transcript: Transcript::default(),
        lists: Lists::default(),
        layers: Vec::new(),
        message: MessageLine::default(),
        active: None,
        goal_by: None,
        drafts: super::model::Drafts::default(),
        starting: None,
        complete: super::complete::Complete::default(),
        news: None,
        reasons: Vec::new(),
        sent: Vec::new(),
        beside: super::beside::Beside::default(),
        working: BTreeSet::new(),
        pid: 4_121,
        drawn: Drawn::default(),
        tickets: 0,
    }
}

/// The run of the mock-ups with two calls that wait, all its steps read, owned by this process.
pub fn model(lang: Lang, size: (u16, u16)) -> Model {
    let journal = story();
    let mut model = empty(lang, size);
    let steps = journal.spans();
    model.run = Some(journal.state.run.clone());
    model.transcript.run.clone_from(&model.run);
    steps.iter().for_each(|(_, view)| model.transcript.take(view.clone()));
    model.working.insert(journal.state.run.clone());
    model.shot = Some(Arc::new(snapshot(&journal)));
    model
}

/// What the feed would read of this journal.
pub fn snapshot(journal: &Journal) -> Snapshot {
    let view = view(journal);
    let title = view.state.ledger.title.clone();
    let mut waiting: Vec<Waiting> = journal
        .calls
        .iter()
        .filter(|row| !row.status.is_closed())
        .map(|row| Waiting { call: row.clone(), title: title.clone(), args: Text::of(&row.args) })
        .collect();
    waiting.extend(elsewhere());
    let mut runs = vec![row_of(journal)];
    runs.extend(other_runs());
    let runs_total = runs.len() as u64;
    waiting.sort_by_key(|waiting| (waiting.call.since, waiting.call.seq));
    Snapshot {
        at: now(),
        runs,
        runs_total,
        waiting,
        run: Some(Arc::new(view)),
        unread: None,
        db_bytes: 3_140_000,
    }
}

/// What the feed would read of the shown run.
pub fn view(journal: &Journal) -> RunView {
    let mut calls = journal.calls.clone();
    calls.sort_by_key(|call| std::cmp::Reverse((call.seq, call.position)));
    RunView {
        state: Arc::new(journal.state.clone()),
        damage: None,
        alive: true,
        calls,
        counts: None,
        checkpoints: Arc::new(journal.checkpoints.clone()),
        steps: Arc::new(journal.spans().into_iter().map(|(span, _)| span).collect()),
        folds: Arc::default(),
        open: journal.open(),
        asked: story::asked(journal),
        pending: 0,
        queued: Vec::new(),
        coming: Vec::new(),
    }
}

/// The same model with another view of its run.
pub fn change(model: &mut Model, change: impl FnOnce(&mut RunView)) {
    let mut shot = model.shot.as_deref().cloned().unwrap();
    let mut view = shot.run.as_deref().cloned().unwrap();
    change(&mut view);
    shot.run = Some(Arc::new(view));
    model.shot = Some(Arc::new(shot));
}

/// Steps up to each of these left the window, and what the summary said of them.
pub fn fold(model: &mut Model, folds: &[(u32, &str)]) {
    change(model, |view| {
        let upto = |step| view.steps.iter().find(|span| span.step == step).unwrap().to;
        let fold = |(step, words): &(u32, &str)| Fold::saying(upto(*step) + 9, upto(*step), words);
        view.folds = Arc::new(folds.iter().map(fold).collect());
    });
}

fn row_of(journal: &Journal) -> RunRow {
    let ledger = &journal.state.ledger;
    RunRow {
        id: journal.state.run.clone(),
        title: ledger.title.clone(),
        status: journal.state.status().word().to_owned(),
        wait: journal.state.waits_for().map(|why| why.word().to_owned()),
        steps: ledger.totals.steps,
        tokens: ledger.totals.charged,
        created: ledger.created,
        updated: journal.now,
        workspace: ledger.workspace.clone(),
        bytes: 3_100_000,
        owner: ledger.owner.as_ref().map(|owner| owner.worker.clone()),
    }
}

fn other_runs() -> Vec<RunRow> {
    let row = |id: &str, title: &str, status: &str, steps, tokens, created| RunRow {
        id: RunId::new(id),
        title: title.to_owned(),
        status: status.to_owned(),
        wait: (status == "waiting").then(|| "approval".to_owned()),
        steps,
        tokens,
        created,
        updated: created + 60_000,
        workspace: PathBuf::from("/home/ann/src/ledger"),
        bytes: 900_000,
        owner: None,
    };
    vec![
        row(OTHER, "Weekly dependency report", "waiting", 4, 31_700, at(13, 27, 10)),
        row("r-44d0e82c5b17", "Changelog for 0.8", "completed", 11, 88_000, at(11, 20, 0)),
    ]
}

/// The other run in which a call waits.
pub const OTHER: &str = "r-91c2044fe6d3";

fn elsewhere() -> Option<Waiting> {
    let call = other().calls.pop()?;
    let args = Text::of(&call.args);
    Some(Waiting { call, title: "Weekly dependency report".to_owned(), args })
}

/// The journal of that run.
pub fn other() -> Journal {
    let mut other = Journal::new(OTHER, at(13, 27, 10));
    story::begin(&mut other, "Weekly dependency report", "Report the dependencies that are out of date");
    let asks = Does {
        tool: "http_get",
        class: Class::Effect,
        args: serde_json::json!({"url": "https://api.osv.dev/v1/query"}),
        goes: Goes::Waits,
        result: String::new(),
        files: &[],
    };
    other.now = at(13, 33, 23);
    other.step("I ask the database of flaws.", None, story::usage(2_000, 100), vec![asks], None);
    other
}

/// The rows of a buffer as text. What a wide glyph covers is left out.
pub fn rows(buf: &Buffer) -> Vec<String> {
    let area = buf.area;
    (area.top()..area.bottom())
        .map(|y| {
            let mut row = String::new();
            let mut x = area.left();
            while x < area.right() {
                let symbol = buf[(x, y)].symbol();
                row.push_str(symbol);
                x += symbol.cell_width().max(1);
            }
            row
        })
        .collect()
}

/// The whole screen, drawn at the model's size: what was drawn, and the rows.
pub fn draw_with(model: &Model) -> (Drawn, Vec<String>) {
    let mut terminal = Terminal::new(TestBackend::new(model.size.0, model.size.1)).unwrap();
    let mut drawn = Drawn::default();
    let frame = terminal.draw(|frame| drawn = draw_all(model, frame)).unwrap();
    (drawn, rows(frame.buffer))
}

/// The rows of the whole screen, drawn at the model's size.
pub fn draw(model: &Model) -> Vec<String> {
    draw_with(model).1
}

/// The inside of a dialog at a width, as high as it wants to be.
pub fn draw_dialog(dialog: &dyn Dialog, model: &Model, width: u16) -> (Shown, Vec<String>) {
    draw_dialog_in(dialog, model, width, dialog.rows(model, width))
}

/// The inside of a dialog at a size.
pub fn draw_dialog_in(dialog: &dyn Dialog, model: &Model, width: u16, height: u16) -> (Shown, Vec<String>) {
    let area = Rect::new(0, 0, width, height);
    let mut buf = Buffer::empty(area);
    let shown = dialog.draw(model, area, crate::ui::view::paint::Pen::new(&model.look, &mut buf));
    (shown, rows(&buf))
}

/// What a part of the screen draws in an area: the rows.
pub fn draw_part(
    model: &Model,
    size: (u16, u16),
    paint: impl FnOnce(&Model, Rect, &mut crate::ui::view::paint::Pen<'_>, &mut Drawn),
) -> (Drawn, Vec<String>) {
    let area = Rect::new(0, 0, size.0, size.1);
    let mut buf = Buffer::empty(area);
    let mut drawn = Drawn::default();
    paint(model, area, &mut crate::ui::view::paint::Pen::new(&model.look, &mut buf), &mut drawn);
    (drawn, rows(&buf))
}

#[test]
fn the_sample_holds_what_the_mock_ups_show() {
    let model = model(Lang::En, (120, 40));
    let view = model.view().unwrap();
    assert_eq!((view.state.path.step, view.state.ledger.totals.charged), (13, 144_883));
    assert_eq!(model.waiting_here().count(), 2);
    assert_eq!(model.waiting().count(), 3);
    assert_eq!((view.steps.len(), view.state.ledger.timelines.len()), (13, 2));
    assert_eq!(view.open.calls().count(), 3);
    assert_eq!(draw(&model).len(), 40);
}
