//! The history as it can be sent: every call has exactly one result and every result its call.
//!
//! A call without a result gets one that says so; a result without its call is kept as a note. Servers refuse a
//! request in which one is without the other, and would refuse every later one as well.

use super::count::{Count, FRAMING, result_tokens};
use super::texts::{AgentCall, MessageText, Texts};
use super::words::one_line;
use crate::run::message::{MessageRef, Shortened, Speaker};
use crate::run::settings::ModelSettings;
use crate::run::{CallId, Seq};
use std::collections::{BTreeMap, BTreeSet};

/// Stands where an output stood that was dropped, behind how its call ended.
const DROPPED: &str =
    "output dropped to save room; if you still need it, call the tool again for a smaller part]";
/// Characters of a failure that stay of a dropped output.
const FAILURE: usize = 120;
/// Stands where no result is recorded.
pub(super) const INTERRUPTED: &str = "[interrupted: no result is recorded; nobody knows whether this call was carried out, so look before you repeat it]";
/// Stands where the journal has no readable text.
const UNREADABLE: &str = "[the text of this message could not be read]";
const ORPHAN: &str = "[result of a call that is no longer shown]";

/// What is shown for the result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shown<'a> {
    /// Its text.
    Text(&'a str),
    /// The beginning and the end of its text.
    Shortened(String),
    /// The words for a dropped output.
    Dropped(String),
    /// The words for a missing result.
    Interrupted,
    /// No message at all: only for counting a reply by itself.
    None,
}

/// A call with what is shown for its result.
#[derive(Clone, Debug)]
pub(super) struct PairedCall<'a> {
    /// The id in the request; each stands for one call only.
    pub id: String,
    /// The call.
    pub call: &'a AgentCall,
    /// Its result.
    pub result: Shown<'a>,
}

/// A part of the history that is rendered as a whole.
#[derive(Clone, Debug)]
pub(super) enum Item<'a> {
    /// A reply with its calls and their results.
    Agent {
        /// Its text.
        text: &'a str,
        /// Its reasoning.
        reasoning: Option<&'a str>,
        /// Its calls.
        calls: Vec<PairedCall<'a>>,
    },
    /// A person's words.
    Person {
        /// The words.
        text: &'a str,
    },
    /// Words of wakeful.
    Wakeful {
        /// The words.
        text: &'a str,
    },
    /// Something that has lost its place.
    Note {
        /// The whole message.
        text: String,
    },
}

/// An item with its tokens: recorded ones where there are, else counted here.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    /// The item.
    pub item: Item<'a>,
    /// Tokens of all its messages.
    pub tokens: u32,
}

/// Pairs the unfolded messages of a path.
pub(super) fn pair<'a>(
    messages: &'a [MessageRef],
    (dropped, short): (&'a BTreeMap<Seq, u32>, &'a BTreeMap<Seq, Shortened>),
    texts: &'a Texts,
    model: &ModelSettings,
    count: &Count,
) -> Vec<Entry<'a>> {
    let mut pairing = Pairing {
        texts,
        model,
        count,
        dropped,
        short,
        results: results_by_reply(messages),
        taken: BTreeSet::new(),
        ids: BTreeSet::new(),
    };
    // Replies first: a result may stand before or far behind its reply in a damaged history.
    let agents: BTreeMap<Seq, Entry<'a>> =
        messages.iter().filter_map(|m| Some((m.seq, pairing.agent(m)?))).collect();
    let mut entries = Vec::new();
    let mut agents = agents;
    for message in messages {
        match &message.speaker {
            Speaker::Agent { .. } => match agents.remove(&message.seq) {
                Some(entry) => entries.push(entry),
                None => entries.push(pairing.note(UNREADABLE.to_owned())),
            },
            Speaker::Result { .. } if pairing.taken.contains(&message.seq) => {}
            Speaker::Result { .. } => entries.push(pairing.orphan(message)),
            Speaker::Person | Speaker::Wakeful => entries.push(pairing.words(message)),
        }
    }
    entries
}

/// What is shown of a dropped output: how its call ended, and of a failure its first words.
pub(super) fn dropped_words(result: Option<&MessageText>) -> String {
    let ended = match result {
        Some(MessageText::Result { ok: true, .. }) => "ok; ".to_owned(),
        Some(MessageText::Result { ok: false, text, .. }) => {
            format!("FAILED: {}; ", one_line(text, FAILURE))
        }
        Some(MessageText::Agent { .. } | MessageText::Person { .. } | MessageText::Wakeful { .. }) | None => {
            String::new()
        }
    };
    format!("[{ended}{DROPPED}")
}

/// The beginning and the end of an output, together so many characters, and how much lies between.
pub(super) fn shortened(text: &str, kept: u32) -> String {
    let kept = usize::try_from(kept).unwrap_or(usize::MAX);
    if text.chars().nth(kept).is_none() {
        return text.to_owned();
    }
    let tail = kept / 3;
    let at = |found: Option<(usize, char)>, none: usize| found.map_or(none, |(at, _)| at);
    let head = at(text.char_indices().nth(kept - tail), text.len());
    let last = match tail.checked_sub(1) {
        Some(back) => at(text.char_indices().nth_back(back), head),
        None => text.len(),
    };
    let (first, end) = (text.get(..head).unwrap_or_default(), text.get(last..).unwrap_or_default());
    let gone = last.saturating_sub(head);
    format!(
        "{first}\n[{gone} bytes left out to fit the window; if you need them, call the tool again for a smaller part]\n{end}"
    )
}

fn results_by_reply(messages: &[MessageRef]) -> BTreeMap<(Seq, &CallId), &MessageRef> {
    let mut results = BTreeMap::new();
    for message in messages {
        if let Speaker::Result { call_id, reply_seq, .. } = &message.speaker {
            results.entry((*reply_seq, call_id)).or_insert(message);
        }
    }
    results
}

struct Pairing<'a, 'b> {
    texts: &'a Texts,
    model: &'b ModelSettings,
    count: &'b Count<'b>,
    dropped: &'a BTreeMap<Seq, u32>,
    short: &'a BTreeMap<Seq, Shortened>,
    results: BTreeMap<(Seq, &'a CallId), &'a MessageRef>,
    taken: BTreeSet<Seq>,
    ids: BTreeSet<String>,
}

impl<'a> Pairing<'a, '_> {
    fn agent(&mut self, message: &'a MessageRef) -> Option<Entry<'a>> {
        let Speaker::Agent { calls: shown } = &message.speaker else { return None };
        let Some(MessageText::Agent { text, reasoning, calls }) = self.texts.messages.get(&message.seq)
        else {
            return None;
        };
        let mut tokens = message.tokens;
        let mut paired = Vec::new();
        // A report's calls are never run: its reference says 0, whatever the reply holds.
        for call in calls.iter().take(usize::try_from(*shown).unwrap_or(usize::MAX)) {
            let (result, more) = self.result_of(message.seq, call);
            tokens = tokens.saturating_add(more);
            paired.push(PairedCall { id: self.id_of(call, paired.len()), call, result });
        }
        let item = Item::Agent { text, reasoning: reasoning.as_deref(), calls: paired };
        Some(Entry { item, tokens })
    }

    fn result_of(&mut self, reply: Seq, call: &'a AgentCall) -> (Shown<'a>, u32) {
        let found = self.results.get(&(reply, &call.call_id)).copied();
        match found {
            Some(result) if self.taken.insert(result.seq) => {
                if self.dropped.contains_key(&result.seq) {
                    let words = dropped_words(self.texts.messages.get(&result.seq));
                    let tokens = result_tokens(self.model, &call.name, &words, self.count);
                    return (Shown::Dropped(words), tokens);
                }
                match self.texts.messages.get(&result.seq) {
                    Some(MessageText::Result { text, .. }) => match self.short.get(&result.seq) {
                        Some(short) => (Shown::Shortened(shortened(text, short.kept)), result.tokens),
                        None => (Shown::Text(text), result.tokens),
                    },
                    Some(
                        MessageText::Agent { .. } | MessageText::Person { .. } | MessageText::Wakeful { .. },
                    )
                    | None => (
                        Shown::Text(UNREADABLE),
                        result_tokens(self.model, &call.name, UNREADABLE, self.count),
                    ),
                }
            }
            Some(_) | None => {
                (Shown::Interrupted, result_tokens(self.model, &call.name, INTERRUPTED, self.count))
            }
        }
    }

    /// The provider's id if no earlier call of the request has it; some servers name each first call alike. Only
    /// earlier calls are looked at, so that a later one never changes what stands before it.
    fn id_of(&mut self, call: &AgentCall, place: usize) -> String {
        let own = call.provider_id.clone().filter(|id| !id.trim().is_empty());
        let mut id =
            own.filter(|id| !self.ids.contains(id)).unwrap_or_else(|| call.call_id.as_str().to_owned());
        while self.ids.contains(&id) {
            id = format!("{id}-{place}");
        }
        self.ids.insert(id.clone());
        id
    }

    fn words(&self, message: &'a MessageRef) -> Entry<'a> {
        let item = match self.texts.messages.get(&message.seq) {
            Some(MessageText::Person { text }) => Item::Person { text },
            Some(MessageText::Wakeful { text }) => Item::Wakeful { text },
            // A result that came after its reply was folded: data, and never to be read as words of wakeful.
            Some(MessageText::Result { .. }) => return self.orphan(message),
            Some(MessageText::Agent { .. }) | None => return self.note(UNREADABLE.to_owned()),
        };
        Entry { item, tokens: message.tokens }
    }

    fn orphan(&self, message: &'a MessageRef) -> Entry<'a> {
        if self.dropped.contains_key(&message.seq) {
            return self.note(dropped_words(self.texts.messages.get(&message.seq)));
        }
        match self.texts.messages.get(&message.seq) {
            Some(MessageText::Result { tool, text, .. }) => {
                let kept = self.short.get(&message.seq).map_or(u32::MAX, |short| short.kept);
                self.note(format!("{ORPHAN} {tool}:\n{}", shortened(text, kept)))
            }
            Some(MessageText::Agent { .. } | MessageText::Person { .. } | MessageText::Wakeful { .. })
            | None => self.note(UNREADABLE.to_owned()),
        }
    }

    fn note(&self, text: String) -> Entry<'a> {
        let tokens = FRAMING.saturating_add((self.count)(&text));
        Entry { item: Item::Note { text }, tokens }
    }
}
