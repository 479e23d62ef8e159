//! The rails beside the checkpoints, and in which order these stand.
//!
//! The present timeline with what it grew from is the trunk, rail 0, and stands on top. What was undone of another one is
//! a branch: it begins at its newest checkpoint and ends above the checkpoint at which it left its parent, or hangs below
//! it if the run stands there. The work is one pass over the checkpoints.

use crate::run::state::Timeline;
use crate::run::{Seq, TimelineNo};
use std::collections::HashMap;

/// Most rails that are drawn; branches beyond share the last.
const MOST: usize = 6;

/// The undone part of a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The timeline.
    pub timeline: TimelineNo,
    /// The branch it left; none for the trunk.
    pub of: Option<TimelineNo>,
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
            // Parents stand before their children, so the branch of the parent is known.
            let parent = tree.branches.iter().find(|b| on_trunk == 0 && b.timeline == timeline.parent);
            let parent = parent.filter(|_| tree.is_undone((joint, timeline.parent)));
            let to = parent.map_or(0, |parent| parent.rail);
            let of = parent.map(|parent| parent.timeline);
            let rail = (to + 1).min(MOST);
            tree.branches.push(Branch { timeline: timeline.no, of, top, joint, rail, to });
        }
        // Of several at one place the newest comes first.
        tree.branches.sort_by_key(|branch| std::cmp::Reverse((branch.joint, branch.top)));
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

    /// The lines of checkpoints, newest first. The trunk stands on top down to where a branch left it; the branch comes
    /// there, above the checkpoint it left, or below it if that is where the run stands.
    pub fn arrange(&self, points: &[(Seq, TimelineNo)]) -> Vec<Placed> {
        let mut rows = Rows { trunk: Vec::new(), undone: HashMap::new() };
        for (nth, place) in points.iter().enumerate() {
            match self.is_undone(*place) {
                false => rows.trunk.push((nth, place.0)),
                true => rows.undone.entry(place.1).or_default().push((nth, place.0)),
            }
        }
        let mut placed = Vec::with_capacity(points.len() + self.branches.len());
        self.place(None, &rows, true, &mut placed);
        placed
    }

    /// Places the rows of a branch, or of the trunk, with the branches that left it.
    fn place(&self, of: Option<TimelineNo>, rows: &Rows, trunk: bool, placed: &mut Vec<Placed>) {
        let own = of.map_or(Some(&rows.trunk), |no| rows.undone.get(&no));
        let own = own.map_or(&[][..], Vec::as_slice);
        let mut left = self.branches.iter().enumerate().filter(|(_, branch)| branch.of == of).peekable();
        for (at, (nth, seq)) in own.iter().enumerate() {
            let stands = of.is_none() && at == 0;
            if stands {
                placed.push(Placed { what: What::Point(*nth), trunk });
            }
            while let Some((branch, here)) = left.next_if(|(_, branch)| branch.joint >= *seq) {
                let more = left.peek().is_some_and(|(_, branch)| branch.joint >= *seq);
                let trunk = trunk && (!stands || more || own.len() > 1);
                if stands {
                    placed.push(Placed { what: What::Fork(branch), trunk });
                }
                self.place(Some(here.timeline), rows, trunk, placed);
                if !stands {
                    placed.push(Placed { what: What::Joint(branch), trunk });
                }
            }
            if !stands {
                placed.push(Placed { what: What::Point(*nth), trunk });
            }
        }
        for (branch, here) in left {
            self.place(Some(here.timeline), rows, trunk, placed);
            placed.push(Placed { what: What::Joint(branch), trunk });
        }
    }
}

/// Checkpoints by what they stand on: place among all, seq.
struct Rows {
    trunk: Vec<(usize, Seq)>,
    undone: HashMap<TimelineNo, Vec<(usize, Seq)>>,
}

/// What stands in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A checkpoint, by its place among those that were given.
    Point(usize),
    /// Where a branch ends, from above.
    Joint(usize),
    /// Where a branch begins that left the checkpoint above.
    Fork(usize),
}

/// A line, and whether the trunk goes on below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// What stands there.
    pub what: What,
    /// The trunk goes on.
    pub trunk: bool,
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

    /// Seqs of the checkpoints in their order; `-` is a joint, `+` a fork.
    fn order(tree: &Tree, points: &[(Seq, TimelineNo)]) -> String {
        let one = |placed: &Placed| match placed.what {
            What::Point(nth) => points[nth].0.to_string(),
            What::Joint(_) => "-".to_owned(),
            What::Fork(_) => "+".to_owned(),
        };
        tree.arrange(points).iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_a_rollback_undid_is_a_branch_beside_the_trunk() {
        let timelines = [timeline(1, 0, 0), timeline(2, 1, 10)];
        let tree = Tree::of(&timelines, 2, |no| Some(if no == 1 { 20 } else { 40 }));
        assert_eq!(tree.branches, [Branch { timeline: 1, of: None, top: 20, joint: 10, rail: 1, to: 0 }]);
        assert!(tree.is_undone((20, 1)) && !tree.is_undone((10, 1)) && !tree.is_undone((40, 2)));
        assert_eq!((tree.rail((20, 1)), tree.rail((40, 2))), (1, 0));
        assert_eq!(
            order(&tree, &[(40, 2), (30, 2), (20, 1), (15, 1), (10, 1), (5, 1)]),
            "40 30 20 15 - 10 5"
        );
        // Nothing was done since: the run stands at 10, and what was undone hangs below it.
        assert_eq!(order(&tree, &[(20, 1), (15, 1), (10, 1), (5, 1)]), "10 + 20 15 5");
    }

    #[test]
    fn the_trunk_stands_on_top_even_if_what_was_undone_is_newer() {
        // A rollback to 10 made 40 and 50; it was taken back: timeline 3 goes on where timeline 1 was.
        let timelines = [timeline(1, 0, 0), timeline(2, 1, 10), timeline(3, 1, 20)];
        let tree =
            Tree::of(&timelines, 3, |no| [None, Some(20), Some(50), None].get(no as usize).copied()?);
        let points = [(50, 2), (40, 2), (20, 1), (15, 1), (10, 1), (5, 1)];
        assert_eq!(order(&tree, &points), "20 15 50 40 - 10 5");
        // The trunk goes on below each of them but where nothing of it is left.
        assert!(tree.arrange(&points).iter().all(|placed| placed.trunk));
        let back = Tree::of(&[timeline(1, 0, 0), timeline(2, 1, 5)], 2, |no| (no == 1).then_some(20));
        let placed = back.arrange(&[(20, 1), (15, 1), (5, 1)]);
        assert_eq!(placed.iter().map(|placed| placed.trunk).collect::<Vec<_>>(), [true, false, false, false]);
    }

    #[test]
    fn branches_of_branches_stand_within_them() {
        // Timeline 2 left 1 at 10; a redo left 1 at 20; a rollback left 1 at 5.
        let timelines = [timeline(1, 0, 0), timeline(2, 1, 10), timeline(3, 1, 20), timeline(4, 1, 5)];
        let tops = [0, 20, 40, 60, 80];
        let tree = Tree::of(&timelines, 4, |no| tops.get(no as usize).copied());
        let rail = |no| tree.branches.iter().find(|b| b.timeline == no).map(|b| (b.rail, b.to));
        assert_eq!((rail(1), rail(2), rail(3), rail(4)), (Some((1, 0)), Some((2, 1)), Some((2, 1)), None));
        let points = [(80, 4), (60, 3), (40, 2), (20, 1), (15, 1), (10, 1), (5, 1)];
        assert_eq!(order(&tree, &points), "80 60 - 20 15 40 - 10 - 5");
    }

    #[test]
    fn a_timeline_that_made_nothing_has_no_branch_and_none_is_lost_among_many() {
        let timelines = [timeline(1, 0, 0), timeline(2, 1, 10)];
        assert!(Tree::of(&timelines, 2, |no| (no == 1).then_some(10)).branches.is_empty());
        let many: Vec<Timeline> = (1..40).map(|no| timeline(no, no - 1, Seq::from(no) * 100 - 95)).collect();
        for head in [1, 20, 39] {
            let tree = Tree::of(&many, head, |no| Some(Seq::from(no) * 100));
            assert!(tree.branches.iter().all(|b| b.rail <= MOST && b.to <= b.rail));
            let points: Vec<_> = (1..40).rev().map(|no| (Seq::from(no) * 100, no)).collect();
            let placed = tree.arrange(&points);
            let mut seen: Vec<usize> = placed
                .iter()
                .filter_map(|placed| if let What::Point(nth) = placed.what { Some(nth) } else { None })
                .collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..39).collect::<Vec<_>>(), "each once");
        }
    }
}
