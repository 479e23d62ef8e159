//! The rails beside the checkpoints: which timelines run past a row, and where they join.
//!
//! The present timeline with what it grew from is the trunk, rail 0. What was undone of another one is a branch: it
//! begins at its newest checkpoint and ends above the checkpoint at which it left its parent. The work grows with the
//! number of timelines and not with that of checkpoints.

use crate::run::state::Timeline;
use crate::run::{Seq, TimelineNo};

/// Most rails that are drawn; branches beyond share the last.
const MOST: usize = 6;

/// The undone part of a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The timeline.
    pub timeline: TimelineNo,
    /// Its newest checkpoint.
    pub top: Seq,
    /// The checkpoint above which it ends.
    pub joint: Seq,
    /// Its rail, from 1.
    pub rail: usize,
    /// The rail it ends at.
    pub to: usize,
}

/// All branches.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Up to which seq each timeline lies on the trunk; 0 is not at all.
    trunk: Vec<(TimelineNo, Seq)>,
    /// Branches, those with the newest joint first.
    pub branches: Vec<Branch>,
}

impl Tree {
    /// The tree of these timelines with `head` as the present one. `newest` gives the newest checkpoint of a timeline.
    pub fn of(timelines: &[Timeline], head: TimelineNo, newest: impl Fn(TimelineNo) -> Option<Seq>) -> Self {
        let mut tree = Tree { trunk: trunk(timelines, head), branches: Vec::new() };
        for timeline in timelines {
            let on_trunk = tree.limit(timeline.no);
            let joint = if on_trunk > 0 { on_trunk } else { timeline.parent_seq };
            let Some(top) = newest(timeline.no).filter(|top| *top > on_trunk && *top > joint) else {
                continue;
            };
            // Parents stand before their children, so the rail of the parent is known.
            let to = if on_trunk > 0 { 0 } else { tree.rail((joint, timeline.parent)) };
            let taken =
                |rail: usize| tree.branches.iter().any(|b| b.rail == rail && b.joint < top && joint < b.top);
            let rail = (to + 1..MOST).find(|rail| !taken(*rail)).unwrap_or(MOST);
            tree.branches.push(Branch { timeline: timeline.no, top, joint, rail, to });
        }
        tree.branches.sort_by_key(|branch| std::cmp::Reverse((branch.joint, branch.rail)));
        tree
    }

    /// Up to which seq a timeline lies on the trunk.
    fn limit(&self, timeline: TimelineNo) -> Seq {
        self.trunk.iter().find(|(no, _)| *no == timeline).map_or(0, |(_, upto)| *upto)
    }

    /// Whether something at this place was undone.
    pub fn is_undone(&self, (seq, timeline): (Seq, TimelineNo)) -> bool {
        seq > self.limit(timeline)
    }

    /// The rail of something at this place.
    pub fn rail(&self, place: (Seq, TimelineNo)) -> usize {
        if !self.is_undone(place) {
            return 0;
        }
        self.branches.iter().find(|branch| branch.timeline == place.1).map_or(0, |branch| branch.rail)
    }

    /// The rails that run past the row of a seq, beside its own; the trunk does, beside a branch.
    pub fn passes(&self, seq: Seq, rail: usize) -> bool {
        rail == 0 || self.branches.iter().any(|b| b.rail == rail && b.joint < seq && seq <= b.top)
    }

    /// The highest rail beside the rows from `old` to `new`.
    pub fn width(&self, old: Seq, new: Seq) -> usize {
        let near = self.branches.iter().filter(|b| b.joint <= new && old <= b.top);
        near.map(|branch| branch.rail).max().unwrap_or(0)
    }
}

/// How much of each timeline lies on the trunk.
fn trunk(timelines: &[Timeline], head: TimelineNo) -> Vec<(TimelineNo, Seq)> {
    let mut trunk = vec![(head, Seq::MAX)];
    let mut no = head;
    // A parent is always older; more turns than timelines would be a ring.
    for _ in 0..timelines.len() {
        let Some(timeline) = timelines.iter().find(|t| t.no == no).filter(|t| t.parent != 0) else { break };
        no = timeline.parent;
        if !trunk.iter().any(|(known, _)| *known == no) {
            trunk.push((no, timeline.parent_seq));
        }
    }
    trunk
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(no: TimelineNo, parent: TimelineNo, parent_seq: Seq) -> Timeline {
        Timeline { no, from_seq: parent_seq + 1, parent_seq, parent }
    }

    #[test]
    fn what_a_rollback_undid_is_a_branch_beside_the_trunk() {
        let timelines = [timeline(1, 0, 0), timeline(2, 1, 10)];
        let tree = Tree::of(&timelines, 2, |no| Some(if no == 1 { 20 } else { 40 }));
        assert_eq!(tree.branches, [Branch { timeline: 1, top: 20, joint: 10, rail: 1, to: 0 }]);
        assert!(tree.is_undone((20, 1)) && !tree.is_undone((10, 1)) && !tree.is_undone((40, 2)));
        assert!(tree.passes(15, 1) && !tree.passes(10, 1) && !tree.passes(30, 1) && tree.passes(15, 0));
        assert_eq!((tree.width(1, 9), tree.width(1, 10), tree.width(25, 40)), (0, 1, 0));
    }

    #[test]
    fn branches_of_branches_and_crossing_ones_have_their_own_rails() {
        // Timeline 2 left 1 at 10; a redo left 1 at 20; a rollback left 1 at 5.
        let timelines = [timeline(1, 0, 0), timeline(2, 1, 10), timeline(3, 1, 20), timeline(4, 1, 5)];
        let tops = [0, 20, 40, 60, 80];
        let tree = Tree::of(&timelines, 4, |no| tops.get(no as usize).copied());
        let rail = |no| tree.branches.iter().find(|b| b.timeline == no).map(|b| (b.rail, b.to));
        assert_eq!((rail(1), rail(2), rail(3), rail(4)), (Some((1, 0)), Some((2, 1)), Some((3, 1)), None));
        assert_eq!(tree.branches.first().map(|b| b.timeline), Some(3), "the newest joint comes first");
    }

    #[test]
    fn a_timeline_that_made_nothing_has_no_branch_and_many_share_the_last_rail() {
        let timelines = [timeline(1, 0, 0), timeline(2, 1, 10)];
        assert!(Tree::of(&timelines, 2, |no| (no == 1).then_some(10)).branches.is_empty());
        let many: Vec<Timeline> = (1..40).map(|no| timeline(no, no.min(2) - 1, 10)).collect();
        let tree = Tree::of(&many, 39, |no| Some(Seq::from(no) * 100));
        assert!(tree.branches.iter().all(|b| b.rail <= MOST));
    }
}
