//! The lines of the list: the present step, checkpoints, where branches end, the sum. A line's place is worked out, so
//! that only visible lines are made.

use super::head;
use super::tree::Tree;
use crate::run::Seq;
use crate::ui::app::lists::Point;
use crate::ui::app::model::Model;
use crate::ui::feed::RunView;
use crate::ui::theme::Role;
use crate::ui::view::paint::{Part, part};
use std::collections::HashMap;

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// The step in progress.
    Now,
    /// A checkpoint, by its place among the points.
    Point(usize),
    /// The end of a branch, by its place in the tree.
    Joint(usize),
    /// The sum, if something was undone.
    Sum,
}

/// All lines, newest first.
pub struct Lines {
    /// The rails.
    pub tree: Tree,
    /// The newest checkpoint of the present timeline.
    pub head: Option<Seq>,
    /// Lines above which each branch ends: place of the point, place of the branch. The newest first.
    joints: Vec<(usize, usize)>,
}

impl Lines {
    /// The lines of these points.
    pub fn of(view: &RunView, points: &[Point<'_>]) -> Self {
        let ledger = &view.state.ledger;
        let mut newest = HashMap::new();
        if ledger.timelines.len() > 1 {
            for point in points {
                newest.entry(point.row.checkpoint.timeline).or_insert_with(|| point.seq());
            }
        }
        let tree = Tree::of(&ledger.timelines, view.state.head.timeline, |no| newest.get(&no).copied());
        let above = |joint: Seq| points.partition_point(|point| point.seq() > joint);
        let joints = tree.branches.iter().enumerate().map(|(nth, b)| (above(b.joint), nth)).collect();
        let undone = |point: &Point<'_>| tree.is_undone((point.seq(), point.row.checkpoint.timeline));
        let head = head(points, undone);
        Self { tree, head, joints }
    }

    /// How many lines there are.
    pub fn count(&self, points: &[Point<'_>]) -> usize {
        1 + points.len() + self.joints.len() + usize::from(!self.joints.is_empty())
    }

    /// The line of a point.
    pub fn line_of(&self, _points: &[Point<'_>], nth: usize) -> usize {
        1 + nth + self.joints.iter().filter(|(above, _)| *above <= nth).count()
    }

    /// The lines from a place on.
    pub fn from<'a>(&'a self, points: &'a [Point<'_>], top: usize) -> impl Iterator<Item = Line> + 'a {
        (top..self.count(points)).map(move |line| self.at(points, line))
    }

    fn at(&self, points: &[Point<'_>], line: usize) -> Line {
        let Some(mut nth) = line.checked_sub(1) else { return Line::Now };
        for (before, (above, branch)) in self.joints.iter().enumerate() {
            // The joint's own line has all points above it and all joints before it.
            match nth.cmp(&(above + before)) {
                std::cmp::Ordering::Less => return Line::Point(nth - before),
                std::cmp::Ordering::Equal => return Line::Joint(*branch),
                std::cmp::Ordering::Greater => {}
            }
        }
        nth -= self.joints.len();
        if nth < points.len() { Line::Point(nth) } else { Line::Sum }
    }

    /// The rails at the left of a sign on rail `own`.
    pub fn rails(&self, model: &Model, seq: Seq, own: usize) -> String {
        let glyphs = model.look.glyphs;
        (0..own).map(|rail| if self.tree.passes(seq, rail) { glyphs.rail } else { " " }).fold(
            String::new(),
            |mut rails, rail| {
                rails.push_str(rail);
                rails.push(' ');
                rails
            },
        )
    }

    /// The rails at the right of a sign on rail `own`, and their cells.
    pub fn rails_after(&self, model: &Model, seq: Seq, own: usize) -> (String, usize) {
        let last = self.tree.branches.iter().filter(|b| b.joint < seq && seq <= b.top).map(|b| b.rail).max();
        let last = last.filter(|last| *last > own).unwrap_or(own);
        let glyphs = model.look.glyphs;
        let rails: String = (own + 1..=last)
            .map(
                |rail| {
                    if self.tree.passes(seq, rail) { format!(" {}", glyphs.rail) } else { "  ".to_owned() }
                },
            )
            .collect();
        (rails, 2 * (last - own))
    }

    /// The line at which a branch ends: `├─╯`.
    pub fn joint(&self, model: &Model, nth: usize) -> Vec<Part<'static>> {
        let Some(branch) = self.tree.branches.get(nth) else { return Vec::new() };
        let glyphs = model.look.glyphs;
        // Just above the checkpoint at which it ends.
        let rails = self.rails(model, branch.joint.saturating_add(1), branch.to);
        let across = glyphs.rule.repeat((2 * branch.rail.saturating_sub(branch.to)).saturating_sub(1));
        let text = format!("{rails}{}{across}{}", glyphs.joint, glyphs.curve_up);
        let (after, _) = self.rails_after(model, branch.joint.saturating_add(1), branch.rail);
        vec![part(Role::Muted, text + &after)]
    }
}
