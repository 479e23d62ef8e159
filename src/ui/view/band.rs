//! What needs the person, and banners: lines that are there only while they have something to say.

use super::banners::{Banner, banners};
use super::cells::flagged;
use super::head::{elsewhere, padded, plain};
use super::paint::{Part, Pen, cells, part, row};
use super::transcript::call::{about, change_parts};
use super::transcript::pieces::pieces;
use super::{Drawn, Zone};
use crate::run::settings::Class;
use crate::run::{CallStatus, Status, WaitWhy};
use crate::ui::app::model::Model;
use crate::ui::dialog::banner::acted_on;
use crate::ui::feed::Waiting;
use crate::ui::keys::{Action, live};
use crate::ui::layout::{Layout, Size};
use crate::ui::text::width;
use crate::ui::theme::Role;
use crate::ui::words::numbers::clock;
use ratatui::layout::Rect;

/// Most banners that are shown; the others are counted.
const SHOWN: usize = 2;
/// Most lines of waiting calls on a small screen.
const CALLS: usize = 2;
/// Least cells of a banner's words; under them a sign stands in their place.
const LEAST: usize = 16;

/// Rows that are wanted.
pub fn rows(model: &Model, size: Size) -> u16 {
    if size == Size::TooSmall {
        return 0;
    }
    let banners = banners(model).len();
    let banners = banners.min(SHOWN) + usize::from(banners > SHOWN);
    u16::try_from(needs(model, size).len() + banners).unwrap_or(u16::MAX)
}

/// A line of the band.
enum Line<'a> {
    /// What needs the person.
    Need(Need),
    /// A banner, and its place among those about which something can be done.
    Banner(&'a Banner, Option<usize>),
    /// How many more banners there are.
    More(usize),
}

/// What needs the person, and banners. Where not all of it has room, the last line says how much has none.
pub fn draw(model: &Model, places: &Layout, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let (banners, acted_on) = (banners(model), acted_on(model));
    let mut lines: Vec<Line<'_>> = needs(model, places.size).into_iter().map(Line::Need).collect();
    let all = lines.len() + banners.len();
    lines.extend(
        banners
            .iter()
            .take(SHOWN)
            .map(|banner| Line::Banner(banner, acted_on.iter().position(|kind| *kind == banner.kind))),
    );
    let more = banners.len().saturating_sub(SHOWN);
    lines.extend((more > 0).then_some(Line::More(more)));
    let room = usize::from(places.band.height);
    let hidden = if lines.len() > room { all.saturating_sub(room) } else { 0 };
    for (nth, line) in lines.into_iter().take(room).enumerate() {
        let mut place = padded(row(places.band, nth));
        if nth + 1 == room && hidden > 0 {
            let sign = [part(Role::NeedsYou, format!("{}{hidden}", model.look.glyphs.plus))];
            let own = u16::try_from(cells(&sign)).unwrap_or(u16::MAX).min(place.width);
            pen.left(Rect { x: place.right() - own, width: own, ..place }, &sign);
            place.width = place.width.saturating_sub(own + 2);
        }
        match line {
            Line::Need(need) => need.draw(place, pen, drawn),
            Line::Banner(banner, nth) => draw_banner(model, banner, nth, place, pen, drawn),
            Line::More(more) => draw_more(model, more, place, pen, drawn),
        }
    }
}

/// How many banners are not shown, and how they are.
fn draw_more(model: &Model, more: usize, place: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let words = model.words().banners;
    let key = model.key(live::RUN, Action::BannerOpen);
    let all = [part(Role::Accent, format!("{key} ")), part(Role::Base, words.all_of_them)];
    let all = if key.is_empty() { &[][..] } else { &all[..] };
    pen.ends(place, &[part(Role::Muted, words.more(more as u64))], all);
    drawn.zones.push((place, Zone::Key(Action::BannerOpen)));
}

/// A line about what needs the person.
struct Need {
    left: Vec<Part<'static>>,
    /// Pieces at the right, with what a click on them does; the first stay longest.
    right: Vec<(Vec<Part<'static>>, Option<Action>)>,
    /// Keys follow the text and do not stand at the end.
    follow: bool,
}

impl Need {
    fn draw(mut self, place: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
        if place.height == 0 {
            return;
        }
        let own = |right: &[(Vec<Part<'static>>, Option<Action>)]| {
            right.iter().map(|(parts, _)| cells(parts) + 2).sum::<usize>()
        };
        let room = usize::from(place.width);
        while self.right.len() > 1 && own(&self.right) + cells(&self.left).min(room / 2) > room {
            self.right.pop();
        }
        let right = u16::try_from(own(&self.right)).unwrap_or(u16::MAX).min(place.width);
        let left = Rect { width: place.width - right, ..place };
        let used = pen.left(left, &self.left);
        let mut x = if self.follow { place.x + used + 2 } else { left.right() + 2 };
        for (parts, action) in self.right {
            let place = Rect { x, width: place.right().saturating_sub(x), ..place };
            let used = pen.left(place, &parts);
            if let Some(action) = action {
                drawn.zones.push((Rect { width: used, ..place }, Zone::Key(action)));
            }
            x = x.saturating_add(used + 2);
        }
    }
}

fn key(model: &Model, action: Action) -> Option<(Vec<Part<'static>>, Option<Action>)> {
    let hint = model.look.keys.hint(live::RUN, action, model.look.lang)?;
    Some((vec![part(Role::Accent, hint.keys), part(Role::Base, format!(" {}", hint.words))], Some(action)))
}

/// The keys that decide on a waiting call; a question is answered, and has no arguments that a person would edit; what
/// nobody knows the end of is neither denied nor changed.
fn decides(
    model: &Model,
    waiting: &Waiting,
    actions: &[Action],
) -> Vec<(Vec<Part<'static>>, Option<Action>)> {
    let is_question = waiting.call.class == Class::Person;
    let is_unsure = waiting.call.status == CallStatus::Uncertain;
    let one = |action: &Action| match action {
        Action::EditArgs if is_question => None,
        Action::EditArgs | Action::Deny if is_unsure => None,

        Action::Review if is_question => {
            let own = part(Role::Accent, model.key(live::RUN, *action));
            let words = part(Role::Base, format!(" {}", model.words().review.answer));
            Some((vec![own, words], Some(*action)))
        }
        _ => key(model, *action),
    };
    actions.iter().filter_map(one).collect()
}

fn needs(model: &Model, size: Size) -> Vec<Need> {
    let glyphs = model.look.glyphs;
    let waiting: Vec<&Waiting> = model.waiting_here().collect();
    if let Some((first, rest)) = waiting.split_first() {
        return match size {
            Size::Quad | Size::Full => vec![one_line_need(model, first, rest)],
            Size::Tabs | Size::Tiny | Size::TooSmall => {
                let all = waiting.len();
                let shown = waiting.iter().take(CALLS).enumerate();
                shown.map(|(at, waiting)| own_line_need(model, waiting, at, all)).collect()
            }
        };
    }
    let held = model.view().filter(|_| model.sent.is_empty()).map(|view| view.state.status());
    if let Some(Status::Waiting(WaitWhy::Hold(hold))) = held {
        let text = plain(&model.look.lang.hold(&hold));
        let left = vec![part(Role::NeedsYou, format!("{} ", glyphs.needs_you)), part(Role::Base, text)];
        let keys = [Action::Review, Action::Message];
        return vec![Need {
            left,
            right: keys.into_iter().filter_map(|k| key(model, k)).collect(),
            follow: true,
        }];
    }
    // On a large screen the header has this.
    let mut others = model.waiting();
    match others.next() {
        Some(other) if size != Size::Full => {
            let text = elsewhere(model, &other.call.run, 1 + others.count());
            vec![Need { left: vec![part(Role::NeedsYou, text)], right: Vec::new(), follow: true }]
        }
        Some(_) | None => Vec::new(),
    }
}

fn sign(model: &Model, waiting: &Waiting) -> &'static str {
    match waiting.call.status {
        CallStatus::Uncertain => model.look.glyphs.unsure,
        CallStatus::Proposed
        | CallStatus::Waiting
        | CallStatus::Approved
        | CallStatus::Started
        | CallStatus::Done
        | CallStatus::Failed
        | CallStatus::Rejected
        | CallStatus::Denied
        | CallStatus::Cancelled => model.look.glyphs.needs_you,
    }
}

fn age(model: &Model, waiting: &Waiting) -> String {
    clock(u64::try_from(model.clock.wall.saturating_sub(waiting.call.since)).unwrap_or(0))
}

/// How long until a decision is made by default.
fn by_default(model: &Model, waiting: &Waiting) -> Option<String> {
    let at = model.default_of(&waiting.call)?.at;
    Some(clock(u64::try_from(at.saturating_sub(model.clock.wall)).unwrap_or(0)))
}

/// All waiting calls of the run on one line, the first with its age and keys.
fn one_line_need(model: &Model, first: &Waiting, rest: &[&Waiting]) -> Need {
    let words = model.words().header;
    let what = |waiting: &Waiting| {
        let about = about(model, &waiting.call.tool, &waiting.args.shown);
        format!(
            "{} {}",
            plain(&waiting.call.tool),
            crate::ui::text::cut(&about.shown(), 40, model.look.glyphs.ellipsis)
        )
    };
    // Whatever of the two is hidden, as one line.
    let mut hidden = about(model, &first.call.tool, &first.args.shown);
    let next = rest.first().map(|next| about(model, &next.call.tool, &next.args.shown));
    hidden.pieces.extend(next.into_iter().flat_map(|next| next.pieces));
    let changed: String = change_parts(model, &first.call.tool, &first.args.shown)
        .iter()
        .map(|piece| format!(" {}", piece.text))
        .collect();
    let mut text = words.has_waited(&format!("{}{changed}", what(first)), &age(model, first));
    if let Some(left) = by_default(model, first) {
        text.push_str(&format!(" {} {}", model.look.glyphs.dot, words.by_default(&left)));
    }
    if let Some(next) = rest.first() {
        text.push_str(&words.then_call(&what(next)));
    }
    if rest.len() > 1 {
        text.push_str(&format!(" {}{}", model.look.glyphs.plus, rest.len() - 1));
    }
    let mut left = vec![part(Role::NeedsYou, format!("{} ", sign(model, first)))];
    left.extend(flagged(&text, &hidden, Role::Base));
    let keys = [Action::Review, Action::Deny, Action::EditArgs];
    Need { left, right: decides(model, first, &keys), follow: true }
}

/// A waiting call on a line of its own.
fn own_line_need(model: &Model, waiting: &Waiting, at: usize, all: usize) -> Need {
    let call = &waiting.call;
    let mut left = vec![
        part(Role::NeedsYou, format!("{} ", sign(model, waiting))),
        part(Role::Base, format!("{}.{} ", call.step, call.position)),
        part(
            Role::Tool,
            crate::ui::text::pad(&plain(&call.tool), 10, crate::ui::text::Align::Left).into_owned(),
        ),
        part(Role::Base, " "),
    ];
    left.extend(pieces(&about(model, &call.tool, &waiting.args.shown), Role::Base));
    for (n, piece) in change_parts(model, &call.tool, &waiting.args.shown).into_iter().enumerate() {
        left.push(part(Role::Base, if n == 0 { "  " } else { " " }));
        left.push(piece);
    }
    let mut waited = model.words().header.waited(&age(model, waiting));
    if let Some(left) = by_default(model, waiting) {
        let by_default = model.words().header.by_default(&left);
        waited.push_str(&format!(" {} {by_default}", model.look.glyphs.dot));
    }
    let mut right = vec![(vec![part(Role::Base, waited)], None)];
    if at == 0 {
        right.extend(decides(model, waiting, &[Action::Review, Action::Deny]));
    } else {
        let panel = crate::ui::layout::Panel::Queue;
        let more = all.saturating_sub(CALLS);
        let more = if more > 0 { format!(" {}{more}", model.look.glyphs.plus) } else { String::new() };
        let text = format!("{} {}{more}", panel.number(), super::head::name(model, panel));
        right.push((vec![part(Role::Accent, text)], None));
    }
    Need { left, right, follow: false }
}

fn draw_banner(
    model: &Model,
    banner: &Banner,
    nth: Option<usize>,
    place: Rect,
    pen: &mut Pen<'_>,
    drawn: &mut Drawn,
) {
    let room = usize::from(place.width);
    let head = part(banner.role, format!("{} {}", banner.sign, banner.head));
    let left = cells(std::slice::from_ref(&head));
    // What helps gives way to what it is, and its key stays longest.
    let right = rights(model, banner, nth);
    let fits = |right: &&Vec<Part<'static>>| right.is_empty() || left + 1 + cells(right) <= room;
    let right = right.iter().find(fits).or(right.last()).map_or(&[][..], Vec::as_slice);
    let room = room.saturating_sub(left + 2 + cells(right) + usize::from(!right.is_empty()));
    let whole = std::iter::once(&banner.text).chain(&banner.short).find(|text| width(text) <= room);
    let text = whole.or_else(|| banner.short.last().or(Some(&banner.text)).filter(|_| room >= LEAST));
    let text = match text {
        Some(text) => format!("  {text}"),
        None => format!(" {}", model.look.glyphs.ellipsis),
    };
    pen.ends(place, &[head, part(Role::Base, text)], right);
    drawn.zones.push((place, Zone::Banner(banner.kind)));
}

/// What stands at the right of a banner, the longest first: its key and what that does, and when it is tried again.
fn rights(model: &Model, banner: &Banner, nth: Option<usize>) -> Vec<Vec<Part<'static>>> {
    let key = model.key(live::RUN, Action::BannerOpen);
    let mut right = Vec::new();
    let mut all = Vec::new();
    if !banner.help.is_empty() {
        // The key opens the choices of the top one; pressed again it goes on to those of the next.
        if let Some(nth) = nth.filter(|_| !key.is_empty()) {
            let twice = || model.look.lang.label(&model.words().banners.twice(&key), "");
            let press = if nth == 0 { format!("{key} ") } else { twice() };
            right.push(part(Role::Accent, press));
            all.push(vec![part(Role::Accent, key)]);
        }
        right.push(part(Role::Base, banner.help.clone()));
        all.insert(0, right.clone());
    }
    if !banner.when.is_empty() {
        let gap = if right.is_empty() { "" } else { "  " };
        right.push(part(Role::Base, format!("{gap}{}", banner.when)));
        all.insert(0, right);
    }
    all
}
