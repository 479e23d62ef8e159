//! The screen while no run is open: what can be done now, and the runs that are there.

use super::Drawn;
use super::Zone;
use super::banners::banners;
use super::cells::{below, hint_parts, outside, select};
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
    let mut at = 0;
    let tight = is_tight(model, text);
    for line in found(model).into_iter().filter(|_| !tight) {
        at += words(&line.text, line.role, text, at, pen);
    }
    if model.starting.is_some() && model.layers.is_empty() {
        for (line, role) in starting::lines(model) {
            at += words(&line, role, text, at, pen);
        }
    }
    if let Some((_, why)) = model.stale.as_ref().filter(|_| model.shot.is_none()) {
        let why = model.words().start.cannot_open(&outside(&model.look.lang.trouble(why)));
        at += words(&why, Role::Danger, text, at, pen);
    } else {
        // What the screen of a run says in banners.
        for banner in banners(model) {
            let line = format!("{} {}  {}", banner.sign, banner.head, banner.text);
            at += words(&line, banner.role, text, at, pen);
        }
    }
    if model.stale.is_none() && model.shot.is_none() && model.opening.is_none() {
        at += words(model.words().start.reading, Role::Muted, text, at, pen);
    }
    if model.found.done {
        at += offer(model, text, at, tight, pen, drawn);
    }
    let runs = !run_rows(model).is_empty();
    // A blank before the list, and the line about the data after it.
    let gap = usize::from(!tight);
    let height = usize::from(inside.height).saturating_sub(at + gap + 1);
    if runs && height > 0 {
        let y = inside.y.saturating_add(u16::try_from(at + gap).unwrap_or(u16::MAX));
        let height = u16::try_from(height).unwrap_or(u16::MAX);
        let place = Rect { y, height: height.min(inside.bottom().saturating_sub(y)), ..inside };
        let hidden = runs::list(model, place, pen, drawn);
        let last = row(inside, usize::from(inside.height).saturating_sub(1));
        let own = below(model, hidden, last, pen);
        let width = last.width - own;
        pen.left(Rect { width, ..last }, &[data(model, width)]);
    } else {
        pen.left(row(inside, at), &[data(model, inside.width)]);
        if let Some(news) = &model.news {
            pen.left(row(inside, at + 1), &[part(Role::Warn, news.words.clone())]);
        }
    }
    if let Some(news) = model.news.as_ref().filter(|_| runs) {
        let place = row(inside, usize::from(inside.height).saturating_sub(1));
        let blank = usize::from(place.width).saturating_sub(width(&news.words));
        pen.left(place, &[part(Role::Warn, format!("{}{}", news.words, " ".repeat(blank)))]);
    }
    footer(model, row(area, usize::from(area.height).saturating_sub(1)), pen, drawn);
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

/// Draws a text over as many rows as it needs; gives how many.
fn words(text: &str, role: Role, area: Rect, at: usize, pen: &mut Pen<'_>) -> usize {
    let line = Line::plain(text);
    let lines = wrap(&line, usize::from(area.width), Wrap::Words);
    for (nth, line) in lines.iter().enumerate() {
        pen.line(row(area, at + nth), line, role);
    }
    lines.len()
}

/// The model that a new run would use, if it is another one than the offline model.
fn real(model: &Model) -> Option<&FoundModel> {
    model.found.models.iter().find(|found| found.profile != OFFLINE)
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

/// What Enter does: a new run with the model that was found, or the job of the offline model, on one row where it is
/// tight. Gives the rows used.
fn offer(model: &Model, area: Rect, at: usize, tight: bool, pen: &mut Pen<'_>, drawn: &mut Drawn) -> usize {
    let key = model.key(live::START, Action::Open);
    let (text, lead) = offered(model, area);
    let place = Rect { x: area.x + lead, width: area.width - lead, ..area };
    let rows = if tight {
        pen.left(row(place, at), &[part(Role::Base, text)]);
        1
    } else {
        self::words(&text, Role::Base, place, at, pen)
    };
    pen.left(row(area, at), &[part(Role::Accent, format!("  {key}"))]);
    if run_place(model, run_rows(model)).is_none() {
        select(pen, row(area, at), area.x, true);
    }
    for nth in 0..rows {
        drawn.zones.push((row(area, at + nth), Zone::Offer));
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
    let hint = |hint: Hint| (hint.keys, hint.words, hint.action);
    hint_parts(footer.left.into_iter().chain(footer.right).map(hint), place, pen, drawn);
}

#[cfg(test)]
mod tests;
