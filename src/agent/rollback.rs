//! What a rollback does to files, worked out from the changes that the run recorded: pure, so that the preview and the
//! deed are one computation.
//!
//! Only paths that this run changed are ever named. A path's state at a checkpoint is what the last change on the
//! checkpoint's own chain made of it, or, if none did, how the run found it the first time it touched it. Where a
//! rollback began, it is what that rollback saw there and took away: the content of others too, if a person let it be
//! taken, so that a redo brings that back.

use crate::run::checkpoint::{FileChange, FileRestore, FileState};
use crate::run::id::{Seq, TimelineNo};
use crate::run::state::{RunState, Timeline};
use std::collections::BTreeMap;

/// A recorded change with its place in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedChange {
    /// The `CallStarted` event.
    pub seq: Seq,
    /// Its timeline.
    pub timeline: TimelineNo,
    /// True if the change is known to have taken place.
    pub happened: bool,
    /// The file, before and after.
    pub change: FileChange,
}

/// True if the event at `seq` on `timeline` lies on the chain that ends at `end_seq` on `end_timeline`.
pub fn on_chain(timelines: &[Timeline], end: (Seq, TimelineNo), event: (Seq, TimelineNo)) -> bool {
    let (mut seq, mut no) = end;
    loop {
        if no == event.1 && event.0 <= seq {
            return true;
        }
        let Some(timeline) = timelines.iter().find(|t| t.no == no) else { return false };
        if timeline.parent == 0 {
            return false;
        }
        seq = timeline.parent_seq;
        no = timeline.parent;
    }
}

/// A file that an earlier rollback brought back: `before` as it was seen then, `after` as it was put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The `RolledBack` event.
    pub seq: Seq,
    /// The `RollbackStarted` event and its timeline: the point that a redo returns to.
    pub begun: (Seq, TimelineNo),
    /// True if others had made it what was seen, and a person let it be taken.
    pub taken: bool,
    /// The file.
    pub change: FileChange,
}

/// The files to restore when the head goes back to `to`: how the run left them (by its calls or by a rollback, whatever
/// came last), and how they are to stand. Files whose content needs nothing are left out; `FileRestore::seen` is then to
/// be compared with the disk. Content decides; permission bits come along where they were really looked at.
pub fn files(
    state: &RunState,
    to: (Seq, TimelineNo),
    changes: &[PlacedChange],
    restored: &[Restored],
) -> Vec<FileRestore> {
    let mut by_path: BTreeMap<&str, Vec<&PlacedChange>> = BTreeMap::new();
    for placed in changes.iter().filter(|c| c.happened) {
        by_path.entry(placed.change.path.as_str()).or_default().push(placed);
    }
    let mut restores = Vec::new();
    for (path, mut placed) in by_path {
        placed.sort_by_key(|c| c.seq);
        let (Some(first), Some(last)) = (placed.first(), placed.last()) else { continue };
        let mine: Vec<&Restored> = restored.iter().filter(|r| r.change.path == path).collect();
        let put = mine.iter().max_by_key(|r| r.seq).filter(|r| r.seq > last.seq);
        // What a redo put back of others is theirs still, and no leaving of the run.
        let theirs = |state: &FileState| mine.iter().any(|r| r.taken && r.change.before.same_content(state));
        let put = put.map(|r| &r.change.after).filter(|after| !theirs(after));
        let seen = put.unwrap_or(&last.change.after).clone();
        let there = |event| on_chain(&state.ledger.timelines, to, event);
        let made = placed.iter().rev().find(|c| there((c.seq, c.timeline)));
        let met = mine.iter().filter(|r| there(r.begun)).max_by_key(|r| r.begun);
        let wanted = match (made, met) {
            (made, Some(met)) if made.is_none_or(|made| made.seq < met.begun.0) => met.change.before.clone(),
            (Some(made), _) => looked_at(made, &placed, &mine),
            (None, _) => first.change.before.clone(),
        };
        if !seen.same_content(&wanted) {
            restores.push(FileRestore { path: path.to_owned(), seen, wanted });
        }
    }
    restores
}

/// What a change left, as the next look found it: before that look the bits of a new file are only expected ones.
fn looked_at(made: &PlacedChange, placed: &[&PlacedChange], restored: &[&Restored]) -> FileState {
    let after = &made.change.after;
    let later = placed.iter().filter(|c| c.seq > made.seq).map(|c| (c.seq, &c.change.before));
    let looks = later.chain(restored.iter().filter(|r| r.seq > made.seq).map(|r| (r.seq, &r.change.before)));
    looks.filter(|(_, s)| s.same_content(after)).min_by_key(|(seq, _)| *seq).map_or(after, |(_, s)| s).clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::id::{Hash, RunId};

    fn file(text: &str) -> FileState {
        FileState::File { hash: Hash::of(text.as_bytes()), len: text.len() as u64, mode: 0o644 }
    }

    fn change(
        seq: Seq,
        timeline: TimelineNo,
        path: &str,
        before: FileState,
        after: FileState,
    ) -> PlacedChange {
        let change = FileChange { path: path.to_owned(), before, after, made: Vec::new() };
        PlacedChange { seq, timeline, happened: true, change }
    }

    fn state(head: Seq, timeline: TimelineNo, timelines: Vec<Timeline>) -> RunState {
        let mut state = RunState::new(RunId::new("r-x"));
        state.head.seq = head;
        state.head.timeline = timeline;
        state.ledger.timelines = timelines;
        state
    }

    #[test]
    fn going_back_and_forth_over_timelines() {
        let one = Timeline { no: 1, from_seq: 1, parent_seq: 0, parent: 0 };
        let two = Timeline { no: 2, from_seq: 30, parent_seq: 10, parent: 1 };
        let changes = [
            change(5, 1, "a", FileState::Absent, file("a1")),
            change(15, 1, "a", file("a1"), file("a2")),
            change(16, 1, "b", file("b0"), file("b1")),
            change(35, 2, "a", file("a1"), file("a3")),
        ];
        // From the end of timeline 1 back to 10: a is a1 again, b as it was found.
        let first = state(20, 1, vec![one.clone()]);
        let back = files(&first, (10, 1), &changes[..3], &[]);
        assert_eq!(back.len(), 2);
        assert_eq!((&back[0].seen, &back[0].wanted), (&file("a2"), &file("a1")));
        assert_eq!((&back[1].seen, &back[1].wanted), (&file("b1"), &file("b0")));
        // From timeline 2 redo to the end of timeline 1.
        let second = state(40, 2, vec![one, two]);
        let restored: Vec<Restored> = back
            .iter()
            .map(|f| Restored {
                seq: 30,
                begun: (29, 1),
                taken: false,
                change: FileChange {
                    path: f.path.clone(),
                    before: f.seen.clone(),
                    after: f.wanted.clone(),
                    made: Vec::new(),
                },
            })
            .collect();
        let redo = files(&second, (20, 1), &changes, &restored);
        assert_eq!((&redo[0].seen, &redo[0].wanted), (&file("a3"), &file("a2")));
        assert_eq!((&redo[1].seen, &redo[1].wanted), (&file("b0"), &file("b1")));
        // Back to the very start: a was not there.
        let start = files(&second, (1, 1), &changes, &restored);
        assert_eq!(start.len(), 1);
        assert_eq!((&start[0].seen, &start[0].wanted), (&file("a3"), &FileState::Absent));
        // The rollback left the files alone: b is still as timeline 1 left it, and that is known.
        let alone = files(&second, (1, 1), &changes, &[]);
        assert_eq!((&alone[1].seen, &alone[1].wanted), (&file("b1"), &file("b0")));
    }

    #[test]
    fn bits_of_a_new_file_come_from_the_next_look() {
        let bits = |text: &str, mode| FileState::File {
            hash: Hash::of(text.as_bytes()),
            len: text.len() as u64,
            mode,
        };
        let one = Timeline { no: 1, from_seq: 1, parent_seq: 0, parent: 0 };
        let changes = [
            change(5, 1, "a", FileState::Absent, bits("a1", 0o644)),
            change(15, 1, "a", bits("a1", 0o600), bits("a2", 0o600)),
        ];
        let back = files(&state(20, 1, vec![one]), (10, 1), &changes, &[]);
        assert_eq!((&back[0].seen, &back[0].wanted), (&bits("a2", 0o600), &bits("a1", 0o600)));
    }
}
