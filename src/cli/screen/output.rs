//! Looks at what running commands of the shown run write: the end of it a few times a second, pieces of all of it on
//! request. Only their files are read, a bounded part of them at a time, so that it does not matter who works at the run.
//!
//! Keys and secrets are left out as they are of what is stored, and what may be the beginning of one waits for the rest.
//! Not to be assumed: that the file is still there; it goes once its call's end is in the journal.

use crate::cli::app::App;
use crate::cli::line::masks;
use crate::host::output::follow;
use crate::host::spool::{Spool, SpoolName};
use crate::run::call::Call;
use crate::run::{CallId, CallStatus, RunId, RunState};
use crate::store::Store;
use crate::tool::{decode_part, trim_end, trim_start};
use crate::ui::app::msg::Msg;
use crate::ui::feed::{OutputPart, Outputs, RunView, Running};
use crate::worker::Masks;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Time between two looks at a command that runs.
const LOOK: Duration = Duration::from_millis(250);
/// Time from a change of the run to the next look.
const SOON: Duration = Duration::from_millis(50);
/// Bytes of the end that are shown.
const TAIL: usize = 16 << 10;
/// Bytes before it that are read too: what begins in a key is not shown.
const MARGIN: usize = 8 << 10;
/// Most bytes between two looks in which lines are counted.
const COUNTED: u64 = 1 << 20;
/// Bytes of a piece: fewer than what may be held back of a text as the beginning of a key.
const PIECE: usize = 48 << 10;
/// An output up to this size is read from its beginning, of a larger one half as much of its end; bytes.
const WHOLE: u64 = 1 << 20;

/// Looks until the screen is gone.
pub async fn outputs(
    app: App,
    store: Store,
    mut of: watch::Receiver<Option<Arc<RunView>>>,
    tell: mpsc::Sender<Msg>,
) {
    let mut looker = Looker::new(app, store);
    let mut told = None;
    loop {
        let view = of.borrow_and_update().clone();
        let view = view.filter(|view| spooled(&view.state).next().is_some());
        let Some(view) = view else {
            if of.changed().await.is_err() {
                return;
            }
            continue;
        };
        let look = move || {
            let seen = looker.look(&view);
            (looker, seen)
        };
        let Ok((back, seen)) = tokio::task::spawn_blocking(look).await else { return };
        looker = back;
        if seen.is_some() && told != seen {
            told.clone_from(&seen);
            if let Some(seen) = seen
                && tell.send(Msg::Outputs(seen)).await.is_err()
            {
                return;
            }
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            changed = of.changed() => {
                if changed.is_err() {
                    return;
                }
                tokio::time::sleep(SOON).await;
            }
        }
    }
}

/// The calls that run as commands with a file.
fn spooled(state: &RunState) -> impl Iterator<Item = &Call> {
    state.open_here().filter(|call| call.status == CallStatus::Started && call.spool_epoch > 0)
}

fn spool_of(folder: &Path, call: &Call) -> Option<Spool> {
    let name = SpoolName::new(call.call_id.as_str(), call.attempt, call.spool_epoch).ok()?;
    Spool::at(&folder.join("spool"), &name).ok()
}

/// What is to be left out of what this run's commands write; none if that cannot be known.
fn masks_of(app: &App, state: &RunState) -> Option<Masks> {
    Some(masks(app, &app.config(&state.ledger.workspace).ok()?))
}

/// What was seen of a command before.
struct Seen {
    name: SpoolName,
    running: Running,
    /// Ends of lines so far; none once they came too fast.
    ends: Option<u64>,
}

/// Looks, and keeps what need not be read again.
struct Looker {
    app: App,
    store: Store,
    masks: Option<(RunId, Masks)>,
    seen: Vec<Seen>,
}

impl Looker {
    fn new(app: App, store: Store) -> Self {
        Self { app, store, masks: None, seen: Vec::new() }
    }

    /// What the commands of this run have written by now; none if it must not be shown.
    fn look(&mut self, view: &RunView) -> Option<Outputs> {
        let run = &view.state.run;
        if self.masks.as_ref().is_none_or(|(of, _)| of != run) {
            self.masks = masks_of(&self.app, &view.state).map(|masks| (run.clone(), masks));
        }
        let (_, masks) = self.masks.as_ref()?;
        let mut seen = Vec::new();
        for call in spooled(&view.state) {
            let Some(spool) = spool_of(self.store.dir(), call) else { continue };
            let before = self.seen.iter().position(|seen| seen.name == *spool.name());
            let before = before.map(|at| self.seen.swap_remove(at));
            seen.extend(look(&spool, call, before, masks));
        }
        self.seen = seen;
        let calls = self.seen.iter().map(|seen| seen.running.clone()).collect();
        Some(Outputs { run: run.clone(), calls })
    }
}

/// What a command has written by now. Of a file that is gone, what was seen before.
fn look(spool: &Spool, call: &Call, before: Option<Seen>, masks: &Masks) -> Option<Seen> {
    let read = || {
        let size = std::fs::metadata(spool.file("out")).ok()?.len();
        let was = before.as_ref().map_or(0, |seen| seen.running.bytes);
        if before.is_some() && size == was {
            return None;
        }
        let ends = match &before {
            Some(seen) => seen.ends,
            None => Some(0),
        };
        let ends = ends.filter(|_| size.saturating_sub(was) <= COUNTED);
        let grown = usize::try_from(size.saturating_sub(was)).unwrap_or(usize::MAX);
        let ends = match ends {
            Some(ends) => {
                let new = follow(spool, was, grown).ok()?;
                Some(ends + new.iter().filter(|byte| **byte == b'\n').count() as u64)
            }
            None => None,
        };
        let from = size.saturating_sub((TAIL + MARGIN) as u64);
        let bytes = follow(spool, from, usize::try_from(size - from).unwrap_or(usize::MAX)).ok()?;
        let open = bytes.last().is_some_and(|byte| *byte != b'\n');
        let running = Running {
            call: call.call_id.clone(),
            attempt: call.attempt,
            bytes: size,
            lines: ends.map(|ends| ends + u64::from(open)),
            tail: last_lines(&bytes, from > 0, masks),
        };
        Some(Seen { name: spool.name().clone(), running, ends })
    };
    read().or(before)
}

/// The end of an output as text; `cut` if there is something before these bytes.
fn last_lines(bytes: &[u8], cut: bool, masks: &Masks) -> String {
    let bytes = trim_end(if cut { trim_start(bytes) } else { bytes });
    let text = String::from_utf8_lossy(bytes);
    let masked = masks.text(text.get(..masks.settled(&text)).unwrap_or_default());
    let mut shown = masked.as_ref();
    if cut {
        let begin = (MARGIN.min(shown.len())..=shown.len()).find(|at| shown.is_char_boundary(*at));
        shown = shown.get(begin.unwrap_or(0)..).unwrap_or_default();
        // The first line is not whole, unless there is but one.
        shown = shown.split_once('\n').map_or(shown, |(_, rest)| if rest.is_empty() { shown } else { rest });
    }
    decoded(shown, masks)
}

/// Text of an output without keys as it is shown. What a line overwrote may make a key of two halves: they are looked for
/// once more.
fn decoded(text: &str, masks: &Masks) -> String {
    masks.text(&decode_part(text.as_bytes())).into_owned()
}

/// A piece of what a running command has written: from this byte on, or (none) the first one that is shown.
///
/// # Errors
/// Why there is none, in words.
pub async fn part(
    app: &App,
    store: &Store,
    run: &RunId,
    call: &CallId,
    from: Option<u64>,
) -> Result<OutputPart, String> {
    let state = store.load(run).await.map_err(|error| error.to_string())?.state;
    let (app, folder, call) = (app.clone(), store.dir().to_owned(), call.clone());
    let read = move || {
        // Of a call whose outcome nobody knows, what it wrote is evidence.
        let has_spool = |call: &&Call| {
            matches!(call.status, CallStatus::Started | CallStatus::Uncertain) && call.spool_epoch > 0
        };
        let call = state.open_here().filter(has_spool).find(|known| known.call_id == call)?;
        let spool = spool_of(&folder, call)?;
        piece(&spool, from, &masks_of(&app, &state)?)
    };
    let read = tokio::task::spawn_blocking(read).await.map_err(|error| error.to_string())?;
    read.ok_or_else(|| "it does not run any more".to_owned())
}

fn piece(spool: &Spool, from: Option<u64>, masks: &Masks) -> Option<OutputPart> {
    let size = std::fs::metadata(spool.file("out")).ok()?.len();
    let from = match from {
        Some(from) => from,
        None if size <= WHOLE => 0,
        None => {
            let middle = size - WHOLE / 2;
            let bytes = follow(spool, middle, PIECE).ok()?;
            let line = bytes.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            middle + line as u64
        }
    };
    let bytes = follow(spool, from, PIECE).ok()?;
    let full = bytes.len() == PIECE;
    let bytes = trim_end(&bytes);
    let text = String::from_utf8_lossy(bytes);
    let safe = match masks.settled(&text) {
        // A key is never so long.
        0 if full => text.len(),
        safe => safe,
    };
    let lines = text.get(..safe).and_then(|safe| safe.rfind('\n')).map(|end| end + 1);
    let end = lines.unwrap_or(if full { safe } else { 0 });
    let shown = |from: usize, to: usize| decoded(&masks.text(text.get(from..to).unwrap_or_default()), masks);
    let next = from + raw_len(bytes, end) as u64;
    Some(OutputPart { from, text: shown(0, end), rest: shown(end, safe), next, size })
}

/// Bytes that became the first `text` bytes when they were read as text.
fn raw_len(bytes: &[u8], text: usize) -> usize {
    let (mut raw, mut shown) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid().len();
        if shown + valid >= text {
            return raw + (text - shown);
        }
        raw += valid + chunk.invalid().len();
        shown += valid + char::REPLACEMENT_CHARACTER.len_utf8();
    }
    raw
}

#[cfg(test)]
mod tests;
