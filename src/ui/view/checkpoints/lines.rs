//! The lines of the list: the present step, checkpoints, where branches begin and end, the sum.

use super::tree::{Placed, Tree, What};
use crate::run::Seq;
use crate::ui::app::lists::{Point, arranged};
use crate::ui::app::model::Model;
use crate::ui::feed::RunView;
use crate::ui::theme::Role;
use crate::ui::view::paint::{Part, part};

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// The step in progress.
    Now,
    /// A checkpoint, by its place among the points, and whether the trunk goes on below it.
    Point(usize, bool),
    /// The end of a branch, by its place in the tree.
    Joint(usize, bool),
    /// The begin of a branch that hangs below where the run stands.
    Fork(usize, bool),
    /// The sum, if something was undone.
    Sum,
}

/// All lines.
pub struct Lines {
    /// The rails.
    pub tree: Tree,
    /// The newest checkpoint of the present timeline.
    pub head: Option<Seq>,
    lines: Vec<Line>,
}

impl Lines {
    /// The points of a view in their order, and their lines.
    pub fn of(view: &RunView) -> (Self, Vec<Point<'_>>) {
        let (tree, placed, given) = arranged(view);
        let mut points = Vec::with_capacity(given.len());
        let mut lines = vec![Line::Now];
        for Placed { what, trunk } in placed {
            match what {
                What::Point(nth) => {
                    if let Some(point) = given.get(nth) {
                        lines.push(Line::Point(points.len(), trunk));
                        points.push(*point);
                    }
                }
                What::Joint(branch) => lines.push(Line::Joint(branch, trunk)),
                What::Fork(branch) => lines.push(Line::Fork(branch, trunk)),
            }
        }
        if !tree.branches.is_empty() {
            lines.push(Line::Sum);
        }
        let undone = |point: &&Point<'_>| tree.is_undone((point.seq(), point.row.checkpoint.timeline));
        let head = points.iter().find(|point| !undone(point)).map(|point| point.seq());
        (Self { tree, head, lines }, points)
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// The line of a point.
    pub fn line_of(&self, nth: usize) -> usize {
        self.lines.iter().position(|line| matches!(line, Line::Point(at, _) if *at == nth)).unwrap_or(0)
    }

    /// So many lines from a place on.
    pub fn shown(&self, top: usize, room: usize) -> &[Line] {
        let from = self.lines.get(top..).unwrap_or_default();
        from.get(..room).unwrap_or(from)
    }

    /// The highest rail in these lines.
    pub fn rails_of(&self, points: &[Point<'_>], shown: &[Line]) -> usize {
        let rail = |line: &Line| match line {
            Line::Point(at, _) => {
                points.get(*at).map(|point| self.tree.rail((point.seq(), point.row.checkpoint.timeline)))
            }
            Line::Joint(branch, _) | Line::Fork(branch, _) => {
                self.tree.branches.get(*branch).map(|branch| branch.rail)
            }
            Line::Now | Line::Sum => None,
        };
        shown.iter().filter_map(rail).max().unwrap_or(0)
    }

    /// The rails at the left of a sign on rail `own`.
    pub fn rails(&self, model: &Model, own: usize, trunk: bool) -> String {
        let rail = |nth| if nth > 0 || trunk { model.look.glyphs.rail } else { " " };
        (0..own).map(|nth| format!("{} ", rail(nth))).collect()
    }

    /// The line at which a branch ends, `├─╯`, or begins, `├─╮`.
    pub fn joint(&self, model: &Model, nth: usize, trunk: bool, down: bool) -> Vec<Part<'static>> {
        let Some(branch) = self.tree.branches.get(nth) else { return Vec::new() };
        let glyphs = model.look.glyphs;
        let rails = self.rails(model, branch.to, trunk);
        let across = glyphs.rule.repeat((2 * branch.rail.saturating_sub(branch.to)).saturating_sub(1));
        let (begin, end) = match (down, trunk || branch.to > 0) {
            (false, _) => (glyphs.joint, glyphs.curve_up),
            (true, true) => (glyphs.joint, glyphs.curve_down),
            (true, false) => (glyphs.curve_right, glyphs.curve_down),
        };
        vec![part(Role::Muted, format!("{rails}{begin}{across}{end}"))]
    }
}
