//! The screen while no run is open: what can be done now, and the runs that are there.

use super::Drawn;
use super::Zone;
use super::banners::{Banner, banners};
use super::cells::{beyond, hint_parts, outside, select};
use super::paint::{Part, Pen, part, row};
use super::runs;
use crate::ui::app::lists::{run_place, run_rows};
use crate::ui::app::model::{Look, Model, Opening};
use crate::ui::app::msg::{Clock, FoundModel};
use crate::ui::dialog::starting;
use crate::ui::keys::{Action, Hint, live};
use crate::ui::text::{Line, Wrap, cut_middle, width, wrap};
use crate::ui::theme::Role;
use crate::ui::words::numbers::{clock, time_of_day};
use ratatui::layout::Rect;

/// Most cells of a line of text: longer ones are hard to read.
const READABLE: u16 = 100;

/// Least rows of the list of runs.
const SHORTEST: usize = 2;

/// Rows of the list of runs that have their room before what stands above it.
const LEAST: usize = 4;

/// The profile of the model that is always there.
const OFFLINE: &str = "offline";

/// The screen while no run is open.
pub fn draw(model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let name = " wakeful";
    pen.left(row(area, 0), &[part(Role::Goal, name)]);
    let inside = Rect {
        x: area.x.saturating_add(1).min(area.right()),
        y: area.y.saturating_add(1).min(area.bottom()),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    };
    let text = Rect { width: inside.width.min(READABLE), ..inside };
    let (tight, runs) = (is_tight(model, text), !run_rows(model).is_empty());
    if tight {
        // What was found stands beside the name, as far as there is room.
        let found = found(model).into_iter().flat_map(|line| [part(Role::Base, "  "), line]);
        let found: Vec<Part<'_>> = std::iter::once(part(Role::Goal, name)).chain(found).collect();
        pen.left(Rect { width: area.width.saturating_sub(1), ..row(area, 0) }, &found);
    }
    let news = model.news.as_ref();
    // The line about the data, news or the shortest list below what is told.
    let gap = usize::from(!tight);
    let below = 1 + if runs { gap + SHORTEST } else { usize::from(news.is_some()) };
    let room = usize::from(inside.height).saturating_sub(below);
    let mut at = 0;
    for (told, rows) in fitted(model, told(model, text, tight), text, (room, tight)) {
        let place = row(text, at);
        let height = u16::try_from(rows).unwrap_or(u16::MAX).min(text.bottom().saturating_sub(place.y));
        let place = Rect { height, ..place };
        at += match told {
            Told::Words(words, role) => pen.wrapped(place, &Line::plain(words), role),
            Told::Offer(words, lead) => offer(model, &words, lead, place, pen, drawn),
        };
    }
    let height = usize::from(inside.height).saturating_sub(at + gap + 1);
    let last = row(inside, usize::from(inside.height).saturating_sub(1));
    if runs && height > 0 {
        let y = inside.y.saturating_add(u16::try_from(at + gap).unwrap_or(u16::MAX));
        let height = u16::try_from(height).unwrap_or(u16::MAX);
        let place = Rect { y, height: height.min(inside.bottom().saturating_sub(y)), ..inside };
        let hidden = runs::list(model, place, pen, drawn);
        let own = beyond(hidden, last, pen);
        let width = last.width - own;
        pen.left(Rect { width, ..last }, &[data(model, width)]);
    } else {
        pen.left(row(inside, at), &[data(model, inside.width)]);
        if let Some(news) = news {
            pen.left(row(inside, at + 1), &[part(Role::Warn, news.words.clone())]);
        }
    }
    if let Some(news) = news.filter(|_| runs) {
        let blank = usize::from(last.width).saturating_sub(width(&news.words));
        pen.left(last, &[part(Role::Warn, format!("{}{}", news.words, " ".repeat(blank)))]);
    }
    footer(model, row(area, usize::from(area.height).saturating_sub(1)), pen, drawn);
}

/// What is told above the list of runs.
enum Told {
    /// A sentence.
    Words(String, Role),
    /// What Enter does, behind so many cells with its key.
    Offer(String, u16),
}

impl Told {
    /// The rows that it wants.
    fn rows(&self, area: Rect) -> usize {
        let (text, lead) = match self {
            Told::Words(text, _) => (text, 0),
            Told::Offer(text, lead) => (text, *lead),
        };
        wrap(&Line::plain(text.as_str()), usize::from(area.width.saturating_sub(lead)), Wrap::Words).len()
    }
}

/// All that is told, from above.
fn told(model: &Model, area: Rect, tight: bool) -> Vec<Told> {
    let words = |line: Part<'static>| Told::Words(line.text.into_owned(), line.role);
    let mut all: Vec<Told> = found(model).into_iter().filter(|_| !tight).map(words).collect();
    if model.starting.is_some() && model.layers.is_empty() {
        all.extend(starting::lines(model).into_iter().map(|(line, role)| Told::Words(line, role)));
    }
    if let Some((_, why)) = model.stale.as_ref().filter(|_| model.shot.is_none()) {
        let why = model.words().start.cannot_open(&outside(&model.look.lang.trouble(why)));
        all.push(Told::Words(why, Role::Danger));
    } else {
        // What the screen of a run says in banners.
        let line = |banner: Banner| {
            Told::Words(format!("{} {}  {}", banner.sign, banner.head, banner.text), banner.role)
        };
        all.extend(banners(model).into_iter().map(line));
    }
    if model.stale.is_none() && model.shot.is_none() && model.opening.is_none() {
        all.push(Told::Words(model.words().start.reading.to_owned(), Role::Muted));
    }
    if model.found.done {
        let (text, lead) = offered(model, area);
        all.push(Told::Offer(text, lead));
    }
    all
}

/// With so many rows for all of them: why nothing was found gives way first, then the longest is cut, the offer last.
fn fitted(model: &Model, mut all: Vec<Told>, area: Rect, (room, tight): (usize, bool)) -> Vec<(Told, usize)> {
    let wanted = |all: &[Told]| all.iter().map(|told| told.rows(area)).collect::<Vec<_>>();
    let mut rows = wanted(&all);
    if rows.iter().sum::<usize>() > room
        && let (Some(Told::Words(first, _)), Some(short)) = (all.first_mut(), nothing_found_short(model))
        && *first == nothing_found(model)
    {
        *first = short;
        rows = wanted(&all);
    }
    let is_offer = |told: Option<&Told>| matches!(told, Some(Told::Offer(..)));
    // The list of runs has its room before more than one row of the offer.
    let offers = rows.iter_mut().enumerate().filter(|(at, _)| tight && is_offer(all.get(*at)));
    offers.for_each(|(_, rows)| *rows = 1);
    while rows.iter().sum::<usize>() > room {
        let longest = |offer: bool| {
            let own = rows.iter().enumerate().filter(|(at, _)| is_offer(all.get(*at)) == offer);
            own.filter(|(_, rows)| **rows > 1).max_by_key(|(_, rows)| **rows).map(|(at, _)| at)
        };
        let Some(rows) = longest(false).or_else(|| longest(true)).and_then(|at| rows.get_mut(at)) else {
            break;
        };
        *rows -= 1;
    }
    all.into_iter().zip(rows).collect()
}

/// Whether the list of runs has too little room below what stands above it: then that gives way to it.
fn is_tight(model: &Model, area: Rect) -> bool {
    if run_rows(model).is_empty() {
        return false;
    }
    let rows = |text: &str, cells: u16| wrap(&Line::plain(text), usize::from(cells), Wrap::Words).len();
    let above: usize = found(model).iter().map(|line| rows(&line.text, area.width)).sum();
    let (text, lead) = offered(model, area);
    let offer = if model.found.done { rows(&text, area.width - lead) } else { 0 };
    above + offer + 2 + LEAST > usize::from(area.height)
}

/// What Enter does, and the cells before it, with its key.
fn offered(model: &Model, area: Rect) -> (String, u16) {
    let (words, lang) = (model.words().start, model.look.lang);
    let key = model.key(live::START, Action::Open);
    let text = match real(model) {
        Some(_) => words.new_run.to_owned(),
        None => {
            let here = outside(&model.found.here.to_string_lossy());
            let here = cut_middle(&here, 40, model.look.glyphs.ellipsis).into_owned();
            let job = format!("{}{}{}", words.surveys(&here), lang.pick([" ", ""]), words.asks_first);
            lang.label(words.try_here, &job)
        }
    };
    (text, u16::try_from(2 + width(&key) + 2).unwrap_or(u16::MAX).min(area.width))
}

/// The model that a new run would use, if it is another one than the offline model.
fn real(model: &Model) -> Option<&FoundModel> {
    model.found.models.iter().find(|found| found.profile != OFFLINE)
}

/// That nothing was found, without why; none where something was, or where it is not known yet.
fn nothing_found_short(model: &Model) -> Option<String> {
    let vain = model.opening.is_none() && model.found.done && real(model).is_none();
    vain.then(|| model.words().start.nothing_found_short.to_owned())
}

/// What was found, or looked for in vain.
fn found(model: &Model) -> Vec<Part<'static>> {
    let words = model.words().start;
    if let Some(opening) = model.opening {
        return opened(model, opening);
    }
    if !model.found.done {
        return vec![part(Role::Muted, words.looking)];
    }
    match real(model) {
        Some(found) => {
            let (name, place) = (outside(&found.model), outside(&found.place));
            let text = if place.is_empty() { name } else { words.found(&name, &place) };
            vec![part(Role::Base, text)]
        }
        None => vec![part(Role::Base, nothing_found(model))],
    }
}

/// That the database is being opened; who keeps it away, since when, and what comes of it.
fn opened(model: &Model, opening: Opening) -> Vec<Part<'static>> {
    let words = model.words().start;
    let Some(since) = opening.held else { return vec![part(Role::Muted, words.opening)] };
    let held = held(model, since);
    let next = words.held_next(&model.key(live::START, Action::QuitAsk));
    let sign = model.look.glyphs.needs_you;
    vec![part(Role::NeedsYou, format!("{sign} {held}")), part(Role::Base, next)]
}

/// That another process holds the database, and since when.
pub fn held(model: &Model, since: Clock) -> String {
    let waited = model.clock.mono.saturating_duration_since(since.mono).as_millis();
    let time = clock(u64::try_from(waited).unwrap_or(u64::MAX));
    model.words().start.held(&time_of_day(since.wall, &model.look.zone), &time)
}

/// `No model was found: no OPENAI_BASE_URL, no key, nothing on 11434, 8080. You can try …`
fn nothing_found(model: &Model) -> String {
    let (words, lang) = (model.words().start, model.look.lang);
    let is_port = |text: &&String| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let ports: Vec<&str> = model.found.missing.iter().filter(is_port).map(String::as_str).collect();
    let mut missing: Vec<String> = model
        .found
        .missing
        .iter()
        .filter(|text| !is_port(text))
        .map(|text| match text.as_str() {
            "OPENAI_BASE_URL" => words.no_base_url.to_owned(),
            "OPENAI_API_KEY" | "key" => words.no_key.to_owned(),
            other => outside(other),
        })
        .collect();
    let comma = lang.pick([", ", "，"]);
    if !ports.is_empty() {
        missing.push(words.nothing_on(&ports.join(lang.pick([", ", "、"]))));
    }
    // Words that give a reason stand before the full stop, also where nothing was looked for.
    if missing.is_empty() {
        missing.push(words.not_looked.to_owned());
    }
    let missing = missing.join(comma);
    let gap = lang.pick([" ", ""]);
    format!("{}{gap}{missing}{}{}", words.nothing_found, lang.pick([". ", "。"]), words.try_now)
}

/// What Enter does: a new run with the model that was found, or the job of the offline model, in as many rows as the area
/// has. Gives the rows used.
fn offer(model: &Model, text: &str, lead: u16, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) -> usize {
    let key = model.key(live::START, Action::Open);
    let place = Rect { x: area.x + lead, width: area.width - lead, ..area };
    let rows = pen.wrapped(place, &Line::plain(text), Role::Base);
    pen.left(row(area, 0), &[part(Role::Accent, format!("  {key}"))]);
    if run_place(model, run_rows(model)).is_none() {
        select(pen, row(area, 0), area.x, true);
    }
    for nth in 0..rows {
        drawn.zones.push((row(area, nth), Zone::Offer));
    }
    rows
}

/// Where the data lies, theme and language.
fn data(model: &Model, cells: u16) -> Part<'static> {
    let (words, look) = (model.words().start, &model.look);
    let theme = theme(look, &model.found.theme);
    let rest = width(&words.data("", &theme, look.lang.name()));
    let room = usize::from(cells).saturating_sub(rest);
    let file = outside(&model.found.db.to_string_lossy());
    let file = cut_middle(&file, room, look.glyphs.ellipsis);
    part(Role::Muted, words.data(&file, &theme, look.lang.name()))
}

/// The name of a theme in words.
fn theme(look: &Look, name: &str) -> String {
    let words = look.words.start;
    match name {
        "dark" => words.dark.to_owned(),
        "light" => words.light.to_owned(),
        "high-contrast" => words.high_contrast.to_owned(),
        "mono" => words.mono.to_owned(),
        other => outside(other),
    }
}

fn footer(model: &Model, place: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let footer = model.look.keys.footer(live::START, model.look.lang, |action| model.can_act(action));
    let place = Rect {
        x: place.x.saturating_add(1).min(place.right()),
        width: place.width.saturating_sub(2),
        ..place
    };
    // Help and the way out always have room; of the others those that fit stand before them.
    let own = |hint: &Hint| width(&hint.keys) + 1 + width(hint.words) + 2;
    let mut room = (usize::from(place.width) + 2).saturating_sub(footer.right.iter().map(own).sum());
    let fits = |hint: &Hint| {
        let left = room.checked_sub(own(hint));
        room = left.unwrap_or(room);
        left.is_some()
    };
    let left: Vec<Hint> = footer.left.into_iter().filter(fits).collect();
    let hint = |hint: Hint| (hint.keys, hint.words, hint.action);
    hint_parts(left.into_iter().chain(footer.right).map(hint), place, pen, drawn);
}

#[cfg(test)]
mod tests;
