//! Puts a reply together from chunks. Pure.
//!
//! Whether a reply is whole is decided by finish reason or `[DONE]`, and by the validity of each call's arguments, never
//! by the mere end of the stream: a proxy that gives up looks the same as a server that is done.

use super::error::{ErrorKind, ModelError};
use super::types::{Delta, Finish, RawCall, Reply, is_object};
use super::wire::{CallPiece, Chunk, UsagePiece};

/// Most calls that are kept of one reply; more come only from a broken server.
const MAX_CALLS: usize = 1024;

/// How the stream ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct End {
    /// `[DONE]` (or the end of a whole JSON body) was seen.
    pub done: bool,
    /// The transport's own words when it broke.
    pub broken: Option<String>,
}

#[derive(Debug, Default)]
struct Building {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
    object: bool,
    /// The whole call was named once more without arguments: if any follow, they are a new call's.
    named_again: bool,
}

impl Building {
    fn whole(&self) -> bool {
        // Most pieces do not end an object: parse only what could be whole.
        self.arguments.trim_end().ends_with('}') && is_object(&self.arguments)
    }
}

/// Collects chunks into a [`Reply`].
#[derive(Debug, Default)]
pub struct Assembler {
    text: String,
    reasoning: String,
    calls: Vec<Building>,
    finish: Finish,
    usage: Option<UsagePiece>,
    model: Option<String>,
    error: Option<serde_json::Value>,
    unread: Option<Chunk>,
    started: bool,
    /// Bytes of text, reasoning and arguments so far.
    bytes: usize,
}

impl Assembler {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The error object the server sent, if it did: nothing after it counts.
    #[must_use]
    pub fn error(&self) -> Option<&serde_json::Value> {
        self.error.as_ref()
    }

    /// True once the server has given a finish reason: only usage may follow.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.finish != Finish::None
    }

    /// True once any text, reasoning or call has come.
    #[must_use]
    pub fn started(&self) -> bool {
        self.started
    }

    /// Bytes of text, reasoning and arguments so far.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Ends a reply that goes on far beyond its limit: the first `keep` bytes stay, as a reply that reached its limit. What
    /// was read is counted as used, four bytes a token, unless the server has counted.
    pub fn cut(&mut self, keep: usize) {
        let mut left = keep;
        let parts = [&mut self.text, &mut self.reasoning];
        for part in parts.into_iter().chain(self.calls.iter_mut().map(|call| &mut call.arguments)) {
            let ends = (0..=left.min(part.len())).rev().find(|at| part.is_char_boundary(*at));
            part.truncate(ends.unwrap_or(0));
            left = left.saturating_sub(part.len());
        }
        self.finish = Finish::Length;
        let read = u64::try_from(self.bytes / 4).unwrap_or(u64::MAX);
        self.usage.get_or_insert_with(|| UsagePiece { completion: Some(read), ..UsagePiece::default() });
    }

    /// Takes a chunk; returns what the screen may show of it.
    pub fn push(&mut self, chunk: Chunk) -> Vec<Delta> {
        let mut deltas = Vec::new();
        if self.error.is_some() {
            return deltas;
        }
        if !chunk.recognised {
            self.unread = Some(chunk);
            return deltas;
        }
        if let Some(error) = chunk.error {
            self.error = Some(error);
            return deltas;
        }
        if let Some(model) = chunk.model.filter(|m| !m.is_empty()) {
            self.model = Some(model);
        }
        if let Some(usage) = chunk.usage {
            self.usage = Some(self.usage.unwrap_or_default().merged(usage));
        }
        if chunk.finish != Finish::None {
            self.finish = chunk.finish;
        }
        // A server that streams and then sends the whole message once more says nothing new with it.
        if chunk.whole && self.started {
            return deltas;
        }
        if !chunk.text.is_empty() {
            self.bytes = self.bytes.saturating_add(chunk.text.len());
            self.text.push_str(&chunk.text);
            deltas.push(Delta::Text(chunk.text));
        }
        if !chunk.reasoning.is_empty() {
            self.bytes = self.bytes.saturating_add(chunk.reasoning.len());
            self.reasoning.push_str(&chunk.reasoning);
            deltas.push(Delta::Reasoning(chunk.reasoning));
        }
        let (count, before) = (chunk.calls.len(), self.calls.len());
        for (position, piece) in chunk.calls.into_iter().enumerate() {
            let place = Place { position, count, before, whole: chunk.whole };
            self.add(piece, place, &mut deltas);
        }
        self.started |= !deltas.is_empty();
        deltas
    }

    fn add(&mut self, piece: CallPiece, place: Place, deltas: &mut Vec<Delta>) {
        if piece.is_empty() && !place.whole {
            return;
        }
        let mut piece = piece;
        let slot = match self.slot(&piece, place) {
            Some(slot) => match self.calls.get(slot) {
                Some(call) if call.named_again && !piece.arguments.is_empty() => {
                    piece.name.get_or_insert_with(|| call.name.clone());
                    self.open(piece.index)
                }
                Some(_) | None => Some(slot),
            },
            None => self.open(piece.index),
        };
        let Some(slot) = slot else { return };
        let Some(call) = self.calls.get_mut(slot) else {
            return;
        };
        if call.id.is_none() {
            call.id = piece.id;
        }
        let named = piece.name.is_some();
        if let Some(name) = piece.name
            && call.name.is_empty()
        {
            call.name.clone_from(&name);
            deltas.push(Delta::CallName { index: slot, name });
        } else if named && piece.arguments.is_empty() && call.whole() {
            call.named_again = true;
        }
        if piece.object && call.object && call.arguments == piece.arguments {
            return;
        }
        call.object |= piece.object;
        if !piece.arguments.is_empty() {
            self.bytes = self.bytes.saturating_add(piece.arguments.len());
            call.arguments.push_str(&piece.arguments);
            deltas.push(Delta::CallArgs { index: slot, bytes: call.arguments.len() });
        }
    }

    /// A new call, unless there are too many already.
    fn open(&mut self, index: Option<u64>) -> Option<usize> {
        if self.calls.len() >= MAX_CALLS {
            return None;
        }
        self.calls.push(Building { index, ..Building::default() });
        self.calls.len().checked_sub(1)
    }

    /// The call that a piece goes on with; `None`: it begins a new one.
    fn slot(&self, piece: &CallPiece, place: Place) -> Option<usize> {
        if place.whole {
            return None;
        }
        if let Some(id) = &piece.id {
            return self.slot_by_id(id, piece);
        }
        if piece.index.is_some() {
            // A server that leaves the index out at first and gives it later means its last call.
            let slot = self
                .last(|call| call.index == piece.index)
                .or_else(|| self.last(|call| call.index.is_none() && !call.whole()))?;
            return self.goes_on(slot, piece).then_some(slot);
        }
        if piece.name.is_some() {
            let slot = place.same()?;
            let same = self.calls.get(slot).map(|c| Some(&c.name)) == Some(piece.name.as_ref());
            return (same && self.goes_on(slot, piece)).then_some(slot);
        }
        place.same().or_else(|| self.calls.len().checked_sub(1))
    }

    fn slot_by_id(&self, id: &str, piece: &CallPiece) -> Option<usize> {
        let known = self.last(|call| {
            call.id.as_deref() == Some(id)
                && (piece.index.is_none() || call.index.is_none() || call.index == piece.index)
        });
        if let Some(slot) = known {
            return self.goes_on(slot, piece).then_some(slot);
        }
        // A new id is a new call, whatever its index. Without a name it is the late or changed id of the open call
        // at its index: some servers make up an id for every piece.
        let slot = match piece.index {
            Some(_) => self.last(|call| call.index == piece.index)?,
            None => self
                .calls
                .len()
                .checked_sub(1)
                .filter(|slot| self.calls.get(*slot).is_some_and(|c| c.id.is_none()))?,
        };
        let open = self.calls.get(slot).is_some_and(|c| !c.whole());
        (piece.name.is_none() && open).then_some(slot)
    }

    /// Whether a piece at a call's own id or index belongs to it: not if it names a tool anew when the call is whole.
    fn goes_on(&self, slot: usize, piece: &CallPiece) -> bool {
        let Some(call) = self.calls.get(slot) else {
            return false;
        };
        match &piece.name {
            None => true,
            Some(name) if call.whole() => {
                *name == call.name
                    && (piece.arguments.is_empty() || (piece.object && piece.arguments == call.arguments))
            }
            Some(name) => call.name.is_empty() || *name == call.name || piece.id.is_some(),
        }
    }

    fn last(&self, wanted: impl Fn(&Building) -> bool) -> Option<usize> {
        self.calls.iter().rposition(wanted)
    }

    /// The reply, or why there is none. `endpoint` is for the error's words.
    ///
    /// # Errors
    /// - [`ErrorKind::CutStream`] when the stream ended or broke before the reply was whole;
    /// - [`ErrorKind::NotSse`] when what came was JSON, but no chat completion.
    ///
    /// An error object of the server (see [`Self::error`]) is for the caller to judge first.
    pub fn finish(self, end: &End, endpoint: &str) -> Result<Reply, ModelError> {
        let cut = |why: &str| Err(ModelError::new(ErrorKind::CutStream, endpoint, why));
        let nothing = !self.started && self.finish == Finish::None;
        if nothing && self.unread.is_some() && end.broken.is_none() {
            let why = "JSON came, but no chat completion";
            return Err(ModelError::new(ErrorKind::NotSse, endpoint, why));
        }
        let calls: Vec<RawCall> =
            self.calls.into_iter().map(|call| RawCall::new(call.id, call.name, call.arguments)).collect();
        if self.finish == Finish::None {
            if let Some(broken) = &end.broken {
                return cut(broken);
            }
            if let Some(open) = calls.iter().find(|call| !call.complete) {
                return cut(&format!("the stream ended within the arguments of a call of {:?}", open.name));
            }
            if nothing {
                return cut("the stream ended without a reply");
            }
            // A call with whole arguments may be the first of several, or have text to come that takes it back: one asked
            // for again costs less than one that runs and was not meant.
            if !end.done {
                return cut("the stream ended without a finish reason");
            }
        }
        Ok(Reply {
            text: self.text,
            reasoning: (!self.reasoning.is_empty()).then_some(self.reasoning),
            calls,
            finish: self.finish,
            usage: self.usage.map(UsagePiece::usage),
            model: self.model,
            ..Reply::default()
        })
    }
}

/// Where a piece stands in its chunk.
#[derive(Debug, Clone, Copy)]
struct Place {
    position: usize,
    count: usize,
    /// Calls there were before the chunk.
    before: usize,
    /// The chunk holds a whole message.
    whole: bool,
}

impl Place {
    /// The call this place goes on with when nothing else tells: pieces side by side go on with the last so many.
    fn same(self) -> Option<usize> {
        self.before.checked_sub(self.count.saturating_sub(self.position))
    }
}
