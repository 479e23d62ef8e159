//! The header, and the tabs of a small screen.

pub use super::goal::goal;
use super::paint::{Part, Pen, cells, part};
use super::{Drawn, Zone};
use crate::provider::ModelError;
use crate::run::settings::ModelSettings;
use crate::run::{Outcome, RunId, Status, WaitWhy};
use crate::store::RunRow;
use crate::ui::app::active::began;
use crate::ui::app::model::Model;
use crate::ui::feed::RunView;
use crate::ui::keys::{Action, live};
use crate::ui::layout::{Layout, Panel, Size};
use crate::ui::text::{Strength, cut_left, one_line, width};
use crate::ui::theme::Role;
use crate::ui::words::numbers::{clock, grouped, hour_minute, percent, time_of_day, wide_span};
use crate::ui::words::{Phase, failures};
use ratatui::layout::Rect;

/// Cells of the reason why a run waits.
const HELD: usize = 32;

/// From so many cells on the header names the folder of the run.
const FOLDER_FROM: u16 = 118;
/// Cells of it where it is cut short, and most cells.
const FOLDER: (usize, usize) = (14, 40);

/// The folder of the run, if there is room for it; its end is what tells it from others.
fn folder(model: &Model, room: usize) -> Option<Part<'static>> {
    let path = &model.view()?.state.ledger.workspace;
    let path = one_line(&path.to_string_lossy(), Strength::Exact).shown();
    let whole = width(&path).min(FOLDER.1);
    // Whole or short, and nothing between: it would jump with every figure beside it.
    let cells = if room >= whole { whole } else { FOLDER.0 };
    let fits = (1..=room).contains(&cells);
    let shown = cut_left(&path, cells, model.look.glyphs.ellipsis);
    fits.then(|| part(Role::Muted, shown.into_owned()))
}

/// The name of a panel.
pub fn name(model: &Model, panel: Panel) -> &'static str {
    let words = model.words().panels;
    match panel {
        Panel::Loop => words.live,
        Panel::Context => words.context,
        Panel::Queue => words.queue,
        Panel::Checkpoints => words.checkpoints,
        Panel::Plan => words.plan,
        Panel::Runs => words.runs,
    }
}

/// A text from outside on one line, neutral.
pub fn plain(text: &str) -> String {
    one_line(text, Strength::Prose).shown()
}

/// Most cells of a server's own words.
const SERVER: usize = 60;

/// Why the model gave no reply, with the server's own words if it said some.
pub fn failure(model: &Model, word: &str, message: &str) -> String {
    let kind = failures::kind(word);
    let (status, said) = kind.map_or((None, ""), |kind| ModelError::said(kind, message));
    // An empty object says nothing.
    let said = if kind.is_some_and(failures::has_words) && said.trim() != "{}" { said } else { "" };
    let said = plain(begin(said, 8 * SERVER));
    let said = crate::ui::text::cut(said.trim(), SERVER, model.look.glyphs.ellipsis);
    model.look.lang.failed_with(word, status, &said)
}

/// The begin of a text, of at most so many bytes.
pub(super) fn begin(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// A run's id as short as it can be without naming two runs of the list: at least four digits.
pub fn short_id(model: &Model, run: &RunId) -> String {
    let all = model.shot.as_ref().map_or(&[][..], |shot| shot.runs.as_slice());
    let id = run.as_str();
    let same = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let shared =
        all.iter().filter(|row| row.id != *run).map(|row| same(row.id.as_str(), id)).max().unwrap_or(0);
    let len = (shared + 1).max("r-0000".len()).min(id.len());
    plain(begin(id, len))
}

/// How many runs need the person.
pub fn runs_in_need(model: &Model) -> usize {
    let runs = model.shot.as_ref().map_or(&[][..], |shot| shot.runs.as_slice());
    runs.iter().filter(|row| needs_you(model, row)).count()
}

/// Whether a run waits for the person, whatever else it does: one of its calls may wait while another one runs, or while
/// the run is paused.
pub fn needs_you(model: &Model, row: &RunRow) -> bool {
    let waiting = model.shot.as_ref().map_or(&[][..], |shot| shot.waiting.as_slice());
    let mut calls = waiting.iter().filter(|waiting| waiting.call.run == row.id).peekable();
    match calls.peek() {
        // What is decided and on its way needs nobody.
        Some(_) => calls.any(|waiting| !model.is_sent(&waiting.call)),
        None => row.status == "waiting" && row.wait.as_deref() != Some("retry"),
    }
}

/// A row with a blank at both ends.
pub(super) fn padded(row: Rect) -> Rect {
    Rect { x: row.x.saturating_add(1).min(row.right()), width: row.width.saturating_sub(2), ..row }
}

fn bar(model: &Model) -> Part<'static> {
    part(Role::Border, format!(" {} ", model.look.glyphs.rail))
}

/// The header. Parts at its middle give way from the least important on.
pub fn header(model: &Model, places: &Layout, pen: &mut Pen<'_>, _drawn: &mut Drawn) {
    let full = places.size == Size::Full;
    let wide = full || places.size == Size::Quad;
    let row = padded(places.header);
    let mut right = right_of_header(model, wide, full);
    let mut middle = Vec::new();
    if let Some(view) = model.view() {
        middle.push(status(model, view, places.size));
        let step = u64::from(view.state.path.step) + u64::from(view.state.ledger.ended.is_none());
        middle.push(vec![part(Role::Base, model.words().header.step(step))]);
        if full && view.state.ledger.timelines.len() > 1 {
            let words = model.words().header.timeline(u64::from(view.state.head.timeline));
            middle.push(vec![part(Role::Muted, words)]);
        }
    }
    let mut left = Vec::new();
    if wide {
        left.extend([part(Role::Accent, "wakeful"), bar(model)]);
    }
    let id = model.run.as_ref().map(|run| short_id(model, run)).unwrap_or_default();
    let title = model.title();
    let own = cells(&right) + usize::from(!right.is_empty()) * 2;
    let room = usize::from(row.width).saturating_sub(own);
    let taken = |left: &[Part<'_>], middle: &[Vec<Part<'_>>]| {
        cells(left) + middle.iter().map(|parts| 3 + cells(parts)).sum::<usize>()
    };
    // What needs the person stays; the title is cut to a dozen cells before step and timeline go.
    while middle.len() > 1 && taken(&left, &middle) + width(&title).min(12) + 3 > room {
        middle.pop();
    }
    let for_title = room.saturating_sub(taken(&left, &middle));
    let with_id = width(&title) + 3 + width(&id) <= for_title;
    let shown = crate::ui::text::cut(&title, for_title, model.look.glyphs.ellipsis).into_owned();
    left.push(part(Role::Base, shown));
    if with_id && !id.is_empty() {
        let sign = if title.is_empty() { String::new() } else { format!(" {} ", model.look.glyphs.dot) };
        left.push(part(Role::Muted, format!("{sign}{id}")));
    }
    if with_id && row.width >= FOLDER_FROM {
        let used = width(&title) + 3 + width(&id);
        if let Some(folder) = folder(model, for_title.saturating_sub(used + 2 + 3)) {
            right.splice(..0, [folder, bar(model)]);
        }
    }
    for parts in middle {
        left.push(bar(model));
        left.extend(parts);
    }
    pen.ends(row, &left, &right);
}

fn right_of_header(model: &Model, wide: bool, full: bool) -> Vec<Part<'static>> {
    let mut right = Vec::new();
    let mut others = model.waiting().filter(|waiting| Some(&waiting.call.run) != model.run.as_ref());
    if full && let Some(first) = others.next() {
        right.push(part(Role::NeedsYou, elsewhere(model, &first.call.run, 1 + others.count())));
        right.push(part(Role::Base, " "));
        right.push(bar(model));
    }
    if let Some(settings) = model.view().and_then(|view| view.state.settings()) {
        right.push(part(Role::Base, model.look.lang.mode(settings.mode)));
        right.push(bar(model));
        if wide {
            right.push(part(Role::Muted, model_name(model, &settings.model, full)));
            right.push(bar(model));
        }
    }
    // Where nothing moves the screen is drawn once a minute, and seconds would stand still.
    let moves = model.view().is_none_or(|view| match view.state.status() {
        Status::Running | Status::Waiting(_) => true,
        Status::Paused | Status::Ended(_) => false,
    });
    let time = if moves { time_of_day } else { hour_minute };
    right.push(part(Role::Base, time(model.clock.wall, &model.look.zone)));
    right
}

/// That calls wait in another run, and how many more wait in others than that.
pub(super) fn elsewhere(model: &Model, run: &RunId, calls: usize) -> String {
    let key = model.key(live::RUN, Action::AttentionNext);
    let own = model.waiting().filter(|waiting| waiting.call.run == *run).count();
    let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let (header, id) = (&model.words().header, short_id(model, run));
    let words = match calls.saturating_sub(own) {
        0 => header.wait_elsewhere(number(own), &id, &key),
        more => header.wait_in_more(number(own), &id, number(more), &key),
    };
    format!("{} {words}", model.look.glyphs.needs_you)
}

fn model_name(model: &Model, settings: &ModelSettings, full: bool) -> String {
    if settings.offline {
        return model.words().header.offline.to_owned();
    }
    let name = plain(&settings.model);
    let host = settings.base_url.split("://").nth(1).unwrap_or(&settings.base_url);
    let host = plain(host.split(['/', ':']).next().unwrap_or_default());
    if full && !host.is_empty() { format!("{name} @ {host}") } else { name }
}

fn status(model: &Model, view: &RunView, size: Size) -> Vec<Part<'static>> {
    let wide = size >= Size::Quad;
    let (words, glyphs, lang) = (model.words().header, model.look.glyphs, model.look.lang);
    let waits = u64::try_from(model.waiting_here().count()).unwrap_or(u64::MAX);
    match view.state.status() {
        Status::Waiting(WaitWhy::Retry(until)) => {
            let left = u64::try_from(until.saturating_sub(model.clock.wall)).unwrap_or(0);
            let text = model.words().banners.again_in(&clock(left));
            vec![
                part(Role::Warn, format!("{} {} ", glyphs.dot, model.words().banners.retry)),
                part(Role::Base, text),
            ]
        }
        Status::Waiting(why) => {
            let needs_you = part(Role::NeedsYou, format!("{} {}", glyphs.needs_you, words.needs_you));
            let what = match (&why, waits) {
                // The line below has all of it.
                (WaitWhy::Hold(hold), _) => {
                    let most = if wide { HELD } else { HELD / 2 };
                    crate::ui::text::cut(&plain(&lang.hold(hold)), most, glyphs.ellipsis).into_owned()
                }
                (_, 0) => return vec![part(Role::Muted, words.sending)],
                (_, waits) => return needs(model, waits, wide),
            };
            vec![needs_you, part(Role::Base, format!("{}{what}", gap(model, wide)))]
        }
        Status::Running if !view.alive && !model.working.contains(&view.state.run) => {
            let mut parts = vec![part(Role::Warn, format!("{} {}", glyphs.limit, lang.interrupted()))];
            if model.beside.runs_alone(view) {
                parts.push(part(Role::Base, format!(" {} {}", glyphs.dot, words.runs_alone)));
            }
            parts
        }
        // What waits for the person is said first, whatever else goes on.
        Status::Running if waits > 0 => needs(model, waits, wide),
        Status::Running => {
            let mut parts = running(model, size);
            if model.beside.pause_asked(&view.state.run) == Some(true) || view.state.ledger.paused.is_some() {
                parts.push(part(Role::Warn, format!(" {} {}", glyphs.dot, words.pauses_after)));
            }
            parts
        }
        Status::Paused => {
            let mut parts =
                vec![part(Role::Warn, format!("{} {}", glyphs.limit, lang.status(&Status::Paused)))];
            if waits > 0 {
                parts.push(part(Role::Base, format!(" {} ", glyphs.dot)));
                parts.push(part(Role::NeedsYou, format!("{} {waits}", glyphs.needs_you)));
            }
            parts
        }
        Status::Ended(outcome) => {
            let (sign, role) = super::transcript::outcome_sign(model, &outcome);
            // The title keeps its place beside it; the Loop has all of it.
            let most = if wide { HELD * 2 } else { HELD / 2 };
            let text =
                crate::ui::text::cut(&plain(&lang.outcome(&outcome)), most, glyphs.ellipsis).into_owned();
            let mut parts = vec![part(role, format!("{sign} {text}"))];
            if let Outcome::Failed(_) = outcome {
                let key = model.key(live::RUN, Action::PauseToggle);
                let again = model.words().notes.tries_again(&key);
                parts.push(part(Role::Base, format!(" {} {again}", glyphs.dot)));
            }
            parts
        }
    }
}

/// That so many calls wait for the person.
fn needs(model: &Model, calls: u64, wide: bool) -> Vec<Part<'static>> {
    let (words, glyphs) = (model.words().header, model.look.glyphs);
    let what = if wide { words.calls_wait(calls) } else { grouped(calls) };
    vec![
        part(Role::NeedsYou, format!("{} {}", glyphs.needs_you, words.needs_you)),
        part(Role::Base, format!("{}{what}", gap(model, wide))),
    ]
}

/// In Chinese the words themselves take the place of the second blank.
fn gap(model: &Model, wide: bool) -> &'static str {
    if wide || model.look.lang == crate::ui::words::Lang::En { "  " } else { " " }
}

fn running(model: &Model, size: Size) -> Vec<Part<'static>> {
    let (words, glyphs) = (model.words().header, model.look.glyphs);
    let mut parts = vec![part(Role::Accent, format!("{} {}", glyphs.running, words.running))];
    let Some(view) = model.view().filter(|_| size >= Size::Tabs) else { return parts };
    let live = model.live_here();
    // Of a run elsewhere the journal says what it is at.
    let known = || [Phase::Infer, Phase::Act].into_iter().find(|phase| began(view, *phase).is_some());
    let told = live.and_then(|live| live.phase);
    if let Some(phase) = told.or_else(known) {
        let time = model.phase_ms(view, phase).map(|ms| format!(" {}", wide_span(ms))).unwrap_or_default();
        parts.push(part(Role::Base, format!(" {} {}{time}", glyphs.dot, model.look.lang.phase(phase))));
    }
    if size >= Size::Quad
        && let Some(live) = live
        && live.phase.is_none_or(|phase| phase == Phase::Infer)
        && let Some(rate) = super::transcript::rate(model, live)
    {
        parts.push(part(Role::Base, format!(" {} {}", glyphs.dot, words.rate(rate))));
    }
    parts
}

/// The tabs, with what there is to count in each panel. Where they have no room, only the chosen one has its name.
pub fn tabs(model: &Model, places: &Layout, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let row = padded(places.tabs);
    let all = |named: bool| Panel::ALL.map(|panel| (panel, tab(model, panel, named)));
    let named = all(true);
    let cells = named.iter().map(|(_, parts)| cells(parts)).sum::<usize>();
    let shown = if cells <= usize::from(row.width) + 1 { named } else { all(false) };
    let mut x = row.x;
    for (panel, parts) in shown {
        let parts = parts.get(usize::from(panel == Panel::Loop)..).unwrap_or_default();
        let place = Rect { x, width: row.right().saturating_sub(x), ..row };
        let used = pen.left(place, parts);
        drawn.zones.push((Rect { width: used, ..place }, Zone::Panel(panel)));
        x = x.saturating_add(used);
    }
}

/// A tab, with a blank before it.
fn tab(model: &Model, panel: Panel, named: bool) -> Vec<Part<'static>> {
    let glyphs = model.look.glyphs;
    let chosen = panel == model.focus;
    let (count, role) = count(model, panel);
    let edge = if chosen { Role::Accent } else { Role::Base };
    let name = if named || chosen { format!(" {}", name(model, panel)) } else { String::new() };
    let mut parts = vec![
        part(Role::Base, " "),
        part(edge, if chosen { glyphs.tab_left } else { "" }),
        part(edge, format!("{}{name}", panel.number())),
    ];
    if !count.is_empty() {
        parts.push(part(role, format!(" {count}")));
    }
    parts.push(part(edge, if chosen { glyphs.tab_right } else { " " }));
    parts
}

fn count(model: &Model, panel: Panel) -> (String, Role) {
    let waits = |n: usize| {
        let text = if n > 0 { format!("{}{n}", model.look.glyphs.needs_you) } else { String::new() };
        (text, Role::NeedsYou)
    };
    let Some(view) = model.view() else { return (String::new(), Role::Muted) };
    let text = match panel {
        Panel::Loop => String::new(),
        Panel::Context => view.asked.as_ref().map_or_else(String::new, |asked| {
            percent(u64::from(asked.table.total()), u64::from(asked.table.window)).replace(' ', "")
        }),
        Panel::Queue => return waits(model.waiting_here().count()),
        Panel::Checkpoints if view.steps.is_empty() => String::new(),
        Panel::Checkpoints => grouped(view.steps.len() as u64),
        Panel::Plan => {
            let top = || view.state.path.plan.iter().filter(|item| !item.id.contains('.'));
            let done = top().filter(|item| item.state == crate::run::plan::PlanState::Done).count();
            if top().next().is_none() { String::new() } else { format!("{done}/{}", top().count()) }
        }
        Panel::Runs => return waits(runs_in_need(model)),
    };
    (text, Role::Muted)
}
