//! The panel Runs: all runs, the newest first, those that wait with the call they wait for.

use super::Drawn;
use super::Zone;
use super::cells::{
    Hidden, argument, beyond, hint_parts, left, outside, right, run_face, select, short_run, subject,
};
use super::context::empty;
use super::head::needs_you;
use super::paint::{Part, Pen, part, row, top_for};
use crate::run::RunId;
use crate::store::RunRow;
use crate::ui::app::held::has_line;
use crate::ui::app::lists::{run_place, run_rows};
use crate::ui::app::model::Model;
use crate::ui::feed::Waiting;
use crate::ui::keys::{Action, live};
use crate::ui::layout::Panel;
use crate::ui::text::width;
use crate::ui::theme::Role;
use crate::ui::words::numbers::{age, clock, grouped, short};
use ratatui::layout::Rect;
use std::collections::HashMap;

/// What stands at the right end of the border: how many runs there are.
pub fn note(model: &Model) -> Vec<Part<'static>> {
    match model.shot.as_ref().map_or(0, |shot| shot.runs_total) {
        0 => Vec::new(),
        n => vec![part(Role::Muted, grouped(n))],
    }
}

/// Draws the inside.
pub fn draw(model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) {
    if run_rows(model).is_empty() {
        let key = model.key(live::RUN, Action::RunNew);
        return empty(&model.words().runs.empty(&key), area, pen);
    }
    let foot = usize::from(area.height >= 8);
    let height = area.height.saturating_sub(u16::try_from(foot).unwrap_or(0));
    let hidden = list(model, Rect { height, ..area }, pen, drawn);
    if foot > 0 {
        let last = row(area, height.into());
        let own = beyond(hidden, last, pen);
        let words = model.words().runs;
        let hints = [
            (Action::RunNext, words.next_run),
            (Action::AttentionNext, words.next_needs_you),
            (Action::RunNew, words.new_run),
        ];
        let hints = hints.map(|(action, words)| (model.key(live::RUN, action), words, action));
        hint_parts(hints.into_iter(), Rect { width: last.width - own, ..last }, pen, drawn);
    } else {
        drawn.hidden.insert(Panel::Runs, hidden);
    }
}

/// A line of the list.
#[derive(Clone, Copy)]
enum Line<'a> {
    Run(usize, &'a RunRow),
    /// What a run waits for, or how an interrupted one goes on.
    Below(&'a RunRow),
}

/// The rows with a heading, and how many runs are left out. Also drawn on the start screen. Gives how many lines are not
/// shown.
pub fn list(model: &Model, area: Rect, pen: &mut Pen<'_>, drawn: &mut Drawn) -> Hidden {
    let rows = run_rows(model);
    let selected = run_place(model, rows);
    let head = usize::from(area.height >= 3);
    let hidden = model.shot.as_ref().map_or(0, |shot| shot.runs_total).saturating_sub(rows.len() as u64);
    let foot = usize::from(hidden > 0 && area.height >= 4);
    let room = usize::from(area.height).saturating_sub(head + foot);
    let columns = Columns::of(area);
    let waits = oldest_waiting(model);
    if head > 0 {
        pen.left(row(area, 0), &columns.heading(model));
    }
    let lines: Vec<Line<'_>> = rows
        .iter()
        .enumerate()
        .flat_map(|(at, run)| {
            let below = has_below(model, &waits, run).then_some(Line::Below(run));
            std::iter::once(Line::Run(at, run)).chain(below)
        })
        .collect();
    let at =
        lines.iter().position(|line| matches!(line, Line::Run(at, _) if Some(*at) == selected)).unwrap_or(0);
    let top = top_for(drawn.tops.get(&Panel::Runs).copied().unwrap_or(0), at, room, lines.len());
    drawn.tops.insert(Panel::Runs, top);
    for (nth, line) in lines.iter().skip(top).take(room).enumerate() {
        let place = row(area, head + nth);
        match line {
            Line::Run(at, run) => {
                pen.left(place, &columns.row(model, run));
                if selected == Some(*at) {
                    let focused = model.focus == Panel::Runs || model.run.is_none();
                    select(pen, place, area.x, focused);
                }
            }
            Line::Below(run) => {
                pen.left(place, &columns.below(model, run, waits.get(&run.id).copied()));
            }
        }
        let (Line::Run(_, run) | Line::Below(run)) = line;
        drawn.zones.push((place, Zone::Run(run.id.clone())));
    }
    if foot > 0 {
        let text = format!("  {}", model.words().runs.more(hidden));
        pen.left(row(area, usize::from(area.height) - 1), &[part(Role::Muted, text)]);
    }
    // Runs that are not read yet count where no row of its own tells of them.
    let unread = if foot > 0 { 0 } else { usize::try_from(hidden).unwrap_or(usize::MAX) };
    (top, lines.len().saturating_sub(top + room).saturating_add(unread))
}

/// The oldest call that waits in each run.
fn oldest_waiting(model: &Model) -> HashMap<&RunId, &Waiting> {
    let mut oldest = HashMap::new();
    for waiting in model.waiting() {
        oldest.entry(&waiting.call.run).or_insert(waiting);
    }
    oldest
}

/// Whether a line stands below a run. The shown run tells of itself elsewhere.
fn has_below(model: &Model, waits: &HashMap<&RunId, &Waiting>, run: &RunRow) -> bool {
    let shown = model.run.as_ref() == Some(&run.id);
    !shown && (run.status == "interrupted" || has_line(model, &run.id, waits.contains_key(&run.id)))
}

/// Columns of the list; the mark of selection and the sign take four cells.
struct Columns {
    all: usize,
    status: usize,
    run: usize,
    title: usize,
    steps: usize,
    tokens: usize,
    age: usize,
}

/// Least cells for what a call is about.
const LEAST: usize = 6;
/// Least cells of a title for which the other columns are left out.
const TITLE: usize = 16;

impl Columns {
    fn of(area: Rect) -> Self {
        let all = usize::from(area.width);
        let fits = |fixed: usize| all >= 4 + fixed + TITLE;
        // Each column with the blank before or after it.
        let (run, age) = (8, 4);
        let (tokens, steps, status) = (8, 7, 11);
        let tokens = if fits(run + age + status + steps + tokens) { tokens } else { 0 };
        let steps = if fits(run + age + status + steps) { steps } else { 0 };
        let status = if fits(run + age + status) { status } else { 0 };
        let fixed = 4 + status + run + steps + tokens + age + 1;
        Self { all, status, run, title: all.saturating_sub(fixed), steps, tokens, age }
    }

    fn heading(&self, model: &Model) -> Vec<Part<'static>> {
        let (words, look) = (model.words().runs, &model.look);
        let status =
            if self.status > 0 { left(look, words.status, self.status + 2) } else { "  ".to_owned() };
        let text = format!(
            "  {status}{}{}{}{}{}",
            left(look, words.run, self.run),
            left(look, words.title, self.title),
            right(look, if self.steps > 0 { words.steps } else { "" }, self.steps),
            right(look, if self.tokens > 0 { words.tokens } else { "" }, self.tokens),
            right(look, words.age, self.age + 1),
        );
        vec![part(Role::Muted, text)]
    }

    fn row(&self, model: &Model, run: &RunRow) -> Vec<Part<'static>> {
        let look = &model.look;
        let (mut sign, mut role, word) = run_face(look, &run.status, run.wait.as_deref());
        // The word says what the run does, the sign that a call of it waits meanwhile.
        if needs_you(model, run) {
            (sign, role) = (look.glyphs.needs_you, Role::NeedsYou);
        }
        let title = outside(&run.title);
        let title = if title.is_empty() { model.words().runs.untitled.to_owned() } else { title };
        let steps = if self.steps > 0 { grouped(u64::from(run.steps)) } else { String::new() };
        let tokens = if self.tokens > 0 { short(run.tokens) } else { String::new() };
        let shown = model.run.as_ref() == Some(&run.id);
        vec![
            part(role, format!("  {sign} {}", left(look, &word, self.status))),
            part(Role::Muted, left(look, &short_run(&run.id), self.run)),
            part(if shown { Role::Goal } else { Role::Base }, left(look, &title, self.title)),
            part(Role::Base, right(look, &steps, self.steps)),
            part(Role::Base, right(look, &tokens, self.tokens)),
            part(Role::Muted, right(look, &age(model.clock.wall, run.created), self.age + 1)),
        ]
    }

    /// The line below a run.
    fn below(&self, model: &Model, run: &RunRow, waiting: Option<&Waiting>) -> Vec<Part<'static>> {
        let look = &model.look;
        // The line of a call that is decided stays empty until the rows move again.
        if waiting.is_none() && run.status != "interrupted" {
            return Vec::new();
        }
        let lead = format!("{}{} ", " ".repeat(4 + self.status), look.glyphs.curve_right);
        let words = match waiting {
            Some(waiting) => {
                let call = &waiting.call;
                let waited = u64::try_from(model.clock.wall.saturating_sub(call.since)).unwrap_or(0);
                let name = format!("{}.{} {}", call.step, call.position, outside(&call.tool));
                let bare = model.words().runs.waits(&name, &clock(waited));
                // What it is about gets the rest of the line.
                let room = self.all.saturating_sub(width(&lead) + width(&bare) + 1);
                if room < LEAST {
                    bare
                } else {
                    let what = subject(look, &argument(look, &waiting.args.shown).shown(), room);
                    model.words().runs.waits(&format!("{name} {}", what.trim_end()), &clock(waited))
                }
            }
            // On the start screen Enter opens it and it goes on; on the screen of a run it is opened first.
            None => model.words().start.interrupted(&model.key(live::START, Action::Open)),
        };
        let role = if waiting.is_some() { Role::NeedsYou } else { Role::Muted };
        vec![part(Role::Muted, lead), part(role, words)]
    }
}

#[cfg(test)]
mod tests;
