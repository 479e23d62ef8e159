//! The screen, drawn from the model alone. Nothing here changes anything; what the mouse and paging need to know of a
//! frame is given back as [`Drawn`].

pub mod band;
pub mod banners;
pub mod cells;
pub mod checkpoints;
pub mod complete;
pub mod context;
pub mod foot;
pub mod goal;
pub mod head;
pub mod layer;
pub mod limits;
pub mod paint;
pub mod plan;
pub mod queue;
pub mod runs;
pub mod size;
pub mod small;
pub mod start;
pub mod transcript;
mod unread;

use super::app::model::Model;
use super::dialog::Shown;
use super::keys::Action;
use super::layout::{Layout, Needs, Panel, Size, layout};
use super::text;
use super::theme::Role;
use crate::run::{CallId, RunId};
use crate::ui::app::transcript::Spot;
use cells::{Hidden, signs};
use paint::{Part, Pen, cells as wide, part};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use std::collections::HashMap;

/// What a click on a place means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Zone {
    /// The panel gets the focus.
    Panel(Panel),
    /// A row of the transcript.
    Spot(Spot),
    /// A call in Queue.
    Call(CallId),
    /// A checkpoint.
    Checkpoint(u64),
    /// A run.
    Run(RunId),
    /// A slot of the context.
    Slot(usize),
    /// An item of the plan.
    Plan(usize),
    /// A banner.
    Banner(banners::Kind),
    /// What a key does.
    Key(Action),
    /// The message field.
    Message,
    /// The offer of the start screen.
    Offer,
    /// A row of a dialog: the field of its form, if it has one, and the row in it.
    Row(usize, usize),
}

impl Zone {
    /// The place in the transcript, if it is one.
    pub fn spot(&self) -> Option<Spot> {
        match self {
            Zone::Spot(spot) => Some(*spot),
            Zone::Panel(_)
            | Zone::Call(_)
            | Zone::Checkpoint(_)
            | Zone::Run(_)
            | Zone::Slot(_)
            | Zone::Plan(_)
            | Zone::Banner(_)
            | Zone::Key(_)
            | Zone::Message
            | Zone::Offer
            | Zone::Row(..) => None,
        }
    }
}

/// What was drawn, for the mouse and for paging.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// Where everything stands.
    pub layout: Option<Layout>,
    /// Places that can be clicked; later ones lie over earlier ones.
    pub zones: Vec<(Rect, Zone)>,
    /// Rows of each panel's inside.
    pub rows: HashMap<Panel, usize>,
    /// Rows of each list that are not shown, where the panel itself has no place to say so: its border does.
    pub hidden: HashMap<Panel, Hidden>,
    /// Rows of the limits that are not shown.
    pub limits_hidden: usize,
    /// Lines below the table of Context that have no room beside it: the selection moves on to them.
    pub beyond: usize,
    /// First row shown of each list.
    pub tops: HashMap<Panel, usize>,
    /// Steps that are in view, or next to it, and have not been read.
    pub unread: Vec<crate::ui::feed::StepSpan>,
    /// The window is too small for what is open: nothing of it is shown.
    pub small: bool,
    /// The top dialog.
    pub layer: Option<Shown>,
    /// Where the caret is.
    pub caret: Option<Position>,
}

/// Draws everything.
pub fn draw(model: &Model, frame: &mut Frame<'_>) -> Drawn {
    let area = frame.area();
    let mut drawn = Drawn { tops: model.drawn.tops.clone(), ..Drawn::default() };
    let mut pen = Pen::new(&model.look, frame.buffer_mut());
    pen.fill(area, Role::Base);
    if Size::of(area.width, area.height) == Size::TooSmall {
        small::draw(model, area, &mut pen);
        drawn.small = true;
        return drawn;
    }
    if model.run.is_none() {
        start::draw(model, area, &mut pen, &mut drawn);
    } else {
        run(model, area, &mut pen, &mut drawn);
    }
    layer::draw(model, area, &mut pen, &mut drawn);
    complete::draw(model, area, &mut pen, &mut drawn);
    if let Some(caret) = drawn.caret {
        frame.set_cursor_position(caret);
    }
    drawn
}

fn run(model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let size = Size::of(area.width, area.height);
    let needs = Needs {
        band: band::rows(model, size),
        zoom: model.zoom,
        message: foot::message_rows(model, area.width),
        writing: model.message.open,
        moved: model.moved.get(&size).copied().unwrap_or_default(),
    };
    let places = layout(area, model.focus, needs);
    head::header(model, &places, pen, drawn);
    head::goal(model, &places, pen, drawn);
    band::draw(model, &places, pen, drawn);
    head::tabs(model, &places, pen, drawn);
    // The focused panel is drawn last, so that its heavy border lies over the others'.
    let (last, first): (Vec<_>, Vec<_>) =
        places.panels.iter().copied().partition(|(panel, _)| *panel == model.focus);
    for (panel, rect) in first.into_iter().chain(last) {
        self::panel(model, panel, rect, pen, drawn);
    }
    if places.limits_panel.height > 0 {
        let name = model.words().panels.limits;
        let area = inside(places.limits_panel);
        match model.unread() {
            Some(_) => context::empty(model.words().unread.elsewhere, area, pen),
            None => limits::panel(model, area, pen, drawn),
        }
        let hidden = (0, drawn.limits_hidden);
        listed(pen, places.limits_panel, false, name, limits::note(model), hidden);
    }
    limits::strip(model, &places, pen, drawn);
    foot::message(model, &places, pen, drawn);
    foot::saved(model, &places, pen, drawn);
    foot::keys(model, &places, pen, drawn);
    drawn.layout = Some(places);
}

/// The inside of a border, with a column of blank at its left as drawn in SCREENS.
pub fn inside(rect: Rect) -> Rect {
    Rect {
        x: rect.x.saturating_add(2).min(rect.right()),
        y: rect.y.saturating_add(1).min(rect.bottom()),
        width: rect.width.saturating_sub(3),
        height: rect.height.saturating_sub(2),
    }
}

fn panel(model: &Model, panel: Panel, rect: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    let focused = panel == model.focus && model.layers.is_empty();
    // Of a run that cannot be read there is nothing to show but the list that it stands in.
    let unread = model.unread().filter(|_| panel != Panel::Runs);
    let name = format!("{} {}", panel.number(), head::name(model, panel));
    drawn.zones.push((rect, Zone::Panel(panel)));
    let area = inside(rect);
    drawn.rows.insert(panel, usize::from(area.height));
    if let Some(why) = unread {
        unread::draw(model, panel, why, area, pen);
        border(pen, rect, focused, &[part(Role::Base, name)], &[]);
        return;
    }
    match panel {
        Panel::Loop => transcript::draw(model, area, pen, drawn),
        Panel::Context => context::draw(model, area, pen, drawn),
        Panel::Queue => queue::draw(model, area, pen, drawn),
        Panel::Checkpoints => checkpoints::draw(model, area, pen, drawn),
        Panel::Plan => plan::draw(model, area, pen, drawn),
        Panel::Runs => runs::draw(model, area, pen, drawn),
    }
    let note = note(model, panel);
    if panel == Panel::Loop {
        let follows = vec![part(Role::Muted, model.look.glyphs.down)];
        titled(pen, rect, focused, &name, note, follows);
    } else {
        let hidden = drawn.hidden.get(&panel).copied().unwrap_or_default();
        listed(pen, rect, focused, &name, note, hidden);
    }
}

/// A border with a name, a note, and behind it the rows that have no room.
fn listed(
    pen: &mut Pen<'_>,
    rect: Rect,
    focused: bool,
    name: &str,
    mut note: Vec<Part<'static>>,
    hidden: Hidden,
) {
    let signs = signs(pen.look.glyphs, hidden);
    if signs.is_empty() {
        border(pen, rect, focused, &[part(Role::Base, name)], &note);
        return;
    }
    let signs = part(Role::Accent, signs);
    if !note.is_empty() {
        note.push(part(Role::Base, "  "));
    }
    note.push(signs.clone());
    titled(pen, rect, focused, name, note, vec![signs]);
}

/// A border with a name and a note; where it has no room, with the least of it that has to stand there: the name gives
/// way to that.
fn titled(
    pen: &mut Pen<'_>,
    rect: Rect,
    focused: bool,
    name: &str,
    note: Vec<Part<'static>>,
    least: Vec<Part<'static>>,
) {
    // Beside the corners, what is between both, and their blanks.
    let room = usize::from(rect.width).saturating_sub(4 + 3 + 2);
    let note = if wide(&note) + text::width(name) <= room { note } else { least };
    let name = text::cut(name, room.saturating_sub(wide(&note)), pen.look.glyphs.ellipsis);
    border(pen, rect, focused, &[part(Role::Base, name)], &note);
}

/// What stands at the right end of a panel's border.
fn note(model: &Model, panel: Panel) -> Vec<Part<'static>> {
    match panel {
        Panel::Loop => transcript::note(model),
        Panel::Context => context::note(model),
        Panel::Queue => queue::note(model),
        Panel::Checkpoints => checkpoints::note(model),
        Panel::Plan => plan::note(model),
        Panel::Runs => runs::note(model),
    }
}

/// A border with a title and a note in its upper line; neighbours' corners are joined.
pub fn border(pen: &mut Pen<'_>, rect: Rect, focused: bool, title: &[Part<'_>], note: &[Part<'_>]) {
    layer::border(pen, rect, focused, title, note);
}

/// A glyph of two cells that a rectangle covers by half becomes a blank.
pub fn halves(pen: &mut Pen<'_>, rect: Rect) {
    layer::halves(pen, rect);
}

#[cfg(test)]
mod tests;
