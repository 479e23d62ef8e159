//! The text of the preview of a rollback: files in columns, the goal, what stays, the preflight of what is chosen.

use super::RollbackDialog;
use crate::run::Turn;
use crate::ui::app::model::Model;
use crate::ui::app::msg::{FileBack, FileFate, Preview};
use crate::ui::dialog::flow::Flow;
use crate::ui::keys::{Action, live};
use crate::ui::text::{Align, Line, Strength, Wrap, fit, one_line, one_line_marked, pad, width};
use crate::ui::theme::Role;
use crate::ui::words::faults::fault;
use crate::ui::words::numbers::{hour_minute, size};
use crate::ui::words::reasons::said;

/// Most cells that paths, and what stands behind them, are lined up to.
const PATH: usize = 36;
const ORIGIN: usize = 24;

impl RollbackDialog {
    pub(super) fn body(&self, model: &Model) -> Flow {
        let mut flow = Flow::default();
        if let Some(preview) = self.head(model, &mut flow) {
            self.files(model, preview, &mut flow, None);
            self.below(model, preview, &mut flow);
        }
        flow
    }

    /// What stands above the files; the preview if it is here.
    pub(super) fn head(&self, model: &Model, flow: &mut Flow) -> Option<&Preview> {
        let (words, glyphs) = (&model.words().rollback, model.look.glyphs);
        if self.stale {
            flow.words(&format!("{} {}", glyphs.needs_you, words.gone_on), Role::Warn);
        }
        let preview = match &self.preview {
            None => {
                flow.words(words.looking, Role::Muted);
                return None;
            }
            Some(Err(why)) => {
                flow.words(
                    &words.refused(&one_line(&model.look.lang.trouble(why), Strength::Prose).shown()),
                    Role::Danger,
                );
                return None;
            }
            Some(Ok(preview)) => preview,
        };
        if let (Some(first), Some(last)) = (
            preview.undone.iter().map(|(step, _)| *step).min(),
            preview.undone.iter().map(|(step, _)| *step).max(),
        ) {
            let view =
                model.shot.as_ref().and_then(|shot| shot.run.as_ref()).filter(|v| v.state.run == self.run);
            let timelines = view.map_or(0, |view| view.state.ledger.timelines.len() as u64);
            let next = u64::from(preview.step) + 1;
            let undoes =
                words.undoes(u64::from(first), u64::from(last), next, preview.tokens, timelines.max(1) + 1);
            flow.words(&undoes, Role::Base);
        }
        if preview.undone.is_empty() && preview.back.is_empty() {
            self.dropped(model, preview, flow);
        }
        if let (Some(first), Some(last)) = (preview.back.first(), preview.back.last()) {
            flow.words(
                &format!("{} {}@{}{}{}@{}", words.bring_back, first.0, first.1, glyphs.range, last.0, last.1),
                Role::Base,
            );
        }
        flow.words(&words.paused_then(&model.key(live::RUN, Action::PauseToggle)), Role::Base);
        Some(preview)
    }

    /// What a return to the newest checkpoint gives up: the end of the run, or the step in progress.
    fn dropped(&self, model: &Model, preview: &Preview, flow: &mut Flow) {
        let words = &model.words().rollback;
        let Some(view) = model.view().filter(|view| view.state.run == self.run) else { return };
        let next = u64::from(preview.step) + 1;
        if view.state.ledger.ended.is_some() {
            flow.words(words.undoes_end, Role::Base);
        } else if view.state.path.turn != Turn::Idle {
            flow.words(&words.drops(next), Role::Base);
        }
    }

    /// The files in columns; only up to `upto`, if that is given.
    pub(super) fn files(&self, model: &Model, preview: &Preview, flow: &mut Flow, upto: Option<usize>) {
        let (words, glyphs) = (&model.words().rollback, model.look.glyphs);
        let label = label(model);
        if preview.files.is_empty() {
            flow.labelled(words.files, label, Line::plain(words.no_files), Role::Base);
            return;
        }
        let all = [words.restore, words.remove, words.keep];
        let cells = all.iter().map(|text| width(text)).max().unwrap_or(0) + 2;
        let columns: Vec<[String; 3]> =
            preview.files.iter().map(|file| self.columns(model, preview, file)).collect();
        let widest = |nth: usize, most: usize, all: &dyn Fn(&[String; 3]) -> bool| {
            let texts = columns.iter().filter(|row| all(row)).filter_map(|row| row.get(nth));
            texts.map(|text| width(text)).max().unwrap_or(0).min(most)
        };
        let path = widest(0, PATH, &|_| true);
        // What has no figures may be longer.
        let origin = widest(1, ORIGIN, &|[_, _, figures]| !figures.is_empty());
        for (nth, (file, row)) in preview.files.iter().zip(&columns).enumerate() {
            let fate = self.fate(file);
            let (what, sign, role) = match fate {
                FileFate::Restore => (words.restore, glyphs.about, Role::Base),
                FileFate::Remove => (words.remove, glyphs.plus, Role::Del),
                FileFate::Keep => (words.keep, "=", Role::Muted),
            };
            let here = nth == self.at;
            let mark = if here { glyphs.selected } else { " " };
            let head = fit(if nth == 0 { words.files } else { "" }, label - 1, Align::Left, glyphs.ellipsis);
            let first = format!("{head}{mark}{}{sign} ", fit(what, cells, Align::Left, glyphs.ellipsis));
            let [name, from, figures] = row;
            let mut text =
                format!("{}  {}  {figures}", pad(name, path, Align::Left), pad(from, origin, Align::Left));
            let turns = file.taken.is_some() && (here || file.what == FileFate::Keep);
            if turns {
                let words = if fate == FileFate::Keep { words.take } else { words.keep };
                let key = model.key(live::ROLL, Action::FileChoice);
                text = format!("{}  {key} {words}", text.trim_end());
            }
            flow.item(Some(nth));
            flow.guttered(
                &first,
                &" ".repeat(width(&first)),
                Line::plain(text.trim_end()),
                role,
                Wrap::Words,
            );
            flow.item(None);
            if upto == Some(nth) {
                return;
            }
        }
    }

    /// A file's path, where its fate comes from, and figures. Neutral.
    fn columns(&self, model: &Model, preview: &Preview, file: &FileBack) -> [String; 3] {
        let (words, look) = (&model.words().rollback, &model.look);
        let path = one_line(&file.path, Strength::Exact).shown();
        let step = u64::from(preview.step);
        let edit = file.edited.map(|at| hour_minute(at, &look.zone));
        let lines = file
            .lines
            .map(|(plus, minus)| format!("{}{minus} {}{plus}", look.glyphs.minus, look.glyphs.plus));
        let (origin, figures) = match (self.fate(file), file.what) {
            (FileFate::Keep, FileFate::Restore | FileFate::Remove) => (words.you_keep.to_owned(), None),
            (FileFate::Keep, FileFate::Keep) => {
                let why =
                    file.why.as_ref().map(|why| one_line(&said(look.lang, why), Strength::Prose).shown());
                let edited = || {
                    edit.map_or_else(|| words.removed_by_others.to_owned(), |at| words.edited_by_others(&at))
                };
                (why.unwrap_or_else(edited), None)
            }
            (FileFate::Restore | FileFate::Remove, FileFate::Keep) => match edit {
                Some(at) => (words.over_edit(&at), lines),
                None => (words.over_removal(step), None),
            },
            (FileFate::Restore, _) => (words.as_of(step), lines),
            (FileFate::Remove, _) => {
                let made = file.made_in.map(|step| words.made_in(u64::from(step))).unwrap_or_default();
                (made, file.bytes.map(size))
            }
        };
        [path, origin, figures.unwrap_or_default()]
    }

    /// What stands below the files.
    fn below(&self, model: &Model, preview: &Preview, flow: &mut Flow) {
        let (words, glyphs) = (&model.words().rollback, model.look.glyphs);
        if let Some(view) = model.view() {
            let now = u64::from(view.state.path.goal_version);
            let key = model.key(live::ROLL, Action::GoalChoice);
            let mut line = match (preview.goal.map(u64::from), self.goal) {
                (None, _) => words.goal_stays(now),
                (Some(then), false) => spaced(model, words.goal_stays(now), words.goal_back(&key, then)),
                (Some(then), true) => spaced(model, words.goal_goes_back(then), words.goal_kept(&key, now)),
            };
            let also = [
                (preview.cancelled, words.cancelled(preview.cancelled as u64)),
                (preview.withdrawn, words.withdrawn(preview.withdrawn as u64)),
                (preview.offered, words.offered(preview.offered as u64)),
            ];
            for (_, words) in also.into_iter().filter(|(count, _)| *count > 0) {
                line = format!("{line} {} {words}", glyphs.dot);
            }
            flow.labelled(words.goal, label(model), Line::plain(line), Role::Base);
        }
        let lasting = [(words.will_be_ended, &preview.ended), (words.cannot_undo, &preview.effects)];
        for (head, calls) in lasting.into_iter().filter(|(_, calls)| !calls.is_empty()) {
            flow.words(head, Role::Warn);
            for call in calls {
                flow.guttered("  ", "  ", one_line_marked(call, glyphs.line_end), Role::Base, Wrap::Words);
            }
        }
        if preview.effects.is_empty() && preview.ended.is_empty() {
            flow.words(words.nothing_lasting, Role::Muted);
        }
        if let Some((file, why)) = self.blocked(preview) {
            let path = one_line(&file.path, Strength::Exact).shown();
            let why = one_line(&fault(model.look.lang, why), Strength::Prose).shown();
            let words = model.look.lang.label(words.preflight_failed, &words.cannot_restore(&path, &why));
            flow.words(&format!("{} {words}", glyphs.failed), Role::Danger);
            return;
        }
        let changed = preview.files.iter().filter(|file| self.fate(file) != FileFate::Keep).count() as u64;
        let redo = model.key(live::RUN, Action::RollbackRedo);
        let ok = [glyphs.done, &words.preflight_ok(changed), glyphs.dot, &words.takes_back(&redo)].join(" ");
        flow.words(&ok, Role::Ok);
    }
}

/// Cells of the labels, with the one where the mark of the selected file stands.
fn label(model: &Model) -> usize {
    let words = &model.words().rollback;
    [words.files, words.goal].iter().map(|text| width(text)).max().unwrap_or(0) + 3
}

/// Two texts, with a space between where the language has one.
fn spaced(model: &Model, first: String, second: String) -> String {
    format!("{first}{}{second}", model.look.lang.pick([" ", ""]))
}
