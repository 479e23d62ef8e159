//! What each slot of a request holds, item by item, with the tokens that they were counted with.
//!
//! Derived like the request itself, from the same parts. Not to be assumed: that the tokens of a slot's items add up to
//! those of the slot to the last one, as words that stand between items are in none of them.

use super::assemble::{Laid, NotCreated};
use super::budget::{Layout, Section};
use super::count::{Count, FRAMING, PRIMING, render, tools_tokens, value_tokens};
use super::pairing::{Entry, Item, PairedCall, Shown};
use super::render_native::user;
use super::state_text::{Group, Part};
use super::texts::Texts;
use super::{calibrate, prompts, render_schema};
use crate::run::budget_table::Slot;
use crate::run::calibration::scaled;
use crate::run::settings::{ModelSettings, Settings};
use crate::run::{Purpose, RunState, ToolSpec};
use serde_json::Value;

/// What an item is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// Role, rules, form of the reply.
    Rules,
    /// The workspace's instructions.
    Instructions,
    /// What the person likes.
    Preferences,
    /// A tool of this name.
    Tool(String),
    /// The pinned goal.
    Goal,
    /// The goal keeper's sentences.
    Core,
    /// The summary of older rounds.
    Summary,
    /// The words that begin a history in which nobody has spoken.
    Opener,
    /// A reply of the agent, with its calls.
    Agent,
    /// A person's words.
    Person,
    /// Words of wakeful.
    Wakeful,
    /// Something that has lost its place.
    Note,
    /// The result of a call of this tool.
    Result(String),
    /// The same, whose text is no longer shown.
    Dropped(String),
    /// Memories.
    Memories,
    /// How far the run is.
    Progress,
    /// Checks that failed.
    Checks,
    /// The plan.
    Plan,
    /// Open questions.
    Questions,
    /// Confirmed facts.
    Facts,
    /// The goal before the one in force.
    Superseded,
    /// What was done in rounds that left the window.
    Done,
    /// What is asked for now.
    Asked,
}

/// An item of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotItem {
    /// The slot.
    pub slot: Slot,
    /// What it is.
    pub named: Named,
    /// What the model reads.
    pub text: String,
    /// Tokens, as the budget table counts.
    pub tokens: u32,
}

/// The items of the request that [`super::assemble`] makes of the same, in prompt order. Nothing stands in the reserve.
///
/// # Errors
/// [`NotCreated`] for a run without its first event.
pub fn items(
    state: &RunState,
    texts: &Texts,
    purpose: Purpose,
    count: &Count,
) -> Result<Vec<SlotItem>, NotCreated> {
    let own = calibrate::own(state).ok_or(NotCreated)?;
    let settings = own.as_ref();
    let Laid { layout, draft, .. } = Laid::of(state, settings, texts, purpose, count);
    let mut items = head(&layout, settings, purpose, count);
    let part = |slot, named, text: &str| {
        let tokens = if text.is_empty() { 0 } else { count(text) };
        SlotItem { slot, named, text: text.to_owned(), tokens }
    };
    items.push(part(Slot::Summary, Named::Summary, &draft.summary_text));
    let turn = |slot, named, text: &str| SlotItem {
        slot,
        named,
        text: text.to_owned(),
        tokens: value_tokens(&user(text), count),
    };
    items.extend(draft.opener.then(|| turn(Slot::Recent, Named::Opener, prompts::OPENER)));
    items.extend(draft.entries.iter().flat_map(|entry| messages(entry, &settings.model, count)));
    items.push(part(Slot::LongTerm, Named::Memories, &draft.memories_text));
    items.extend(draft.nudge.then(|| turn(Slot::State, Named::Asked, prompts::GO_ON)));
    items.extend(draft.state.parts.iter().map(|(what, text)| part(Slot::State, named(*what), text)));
    items.retain(|item| !item.text.is_empty());
    let factor = state.ledger.factor();
    items.iter_mut().for_each(|item| item.tokens = scaled(item.tokens, factor));
    Ok(items)
}

fn named(part: Part) -> Named {
    match part {
        Part::Head => Named::Progress,
        Part::Lines(Group::Checks) => Named::Checks,
        Part::Lines(Group::Plan) => Named::Plan,
        Part::Lines(Group::Questions) => Named::Questions,
        Part::Lines(Group::Facts) => Named::Facts,
        Part::Lines(Group::Goal) => Named::Superseded,
        Part::Lines(Group::Done) => Named::Done,
        Part::Foot => Named::Asked,
    }
}

/// What is never trimmed.
fn head(layout: &Layout, settings: &Settings, purpose: Purpose, count: &Count) -> Vec<SlotItem> {
    let of = |slot, named, section: &Section| SlotItem {
        slot,
        named,
        text: section.text.clone(),
        tokens: section.tokens,
    };
    let mut items = vec![
        of(Slot::System, Named::Rules, &layout.role),
        of(Slot::System, Named::Instructions, &layout.instructions),
        of(Slot::System, Named::Preferences, &layout.preferences),
    ];
    // The frame of the message and what primes the reply are counted with the slot.
    items.iter_mut().take(1).for_each(|rules| rules.tokens += FRAMING + PRIMING);
    let offered: &[ToolSpec] = match purpose {
        Purpose::Turn => &settings.tools,
        Purpose::Report(_) | Purpose::Summary { .. } | Purpose::Keeper => &[],
    };
    items.extend(offered.iter().enumerate().map(|(nth, spec)| {
        // Under the native protocol a tool is counted as the JSON that is sent.
        let tokens = match layout.tools.get(nth) {
            Some(tool) => tools_tokens(std::slice::from_ref(tool), count),
            None => count(&render_schema::tool_text(spec)),
        };
        let text = format!("{}\n{:#}", spec.description.trim(), spec.parameters);
        SlotItem { slot: Slot::Tools, named: Named::Tool(spec.name.clone()), text, tokens }
    }));
    items.push(of(Slot::Goal, Named::Goal, &layout.goal));
    items.push(of(Slot::Core, Named::Core, &layout.core));
    items
}

/// The messages of a part of the history. Each that is no reply is the result of the next call.
fn messages(entry: &Entry, model: &ModelSettings, count: &Count) -> Vec<SlotItem> {
    let named = match &entry.item {
        Item::Agent { .. } => Named::Agent,
        Item::Person { .. } => Named::Person,
        Item::Wakeful { .. } => Named::Wakeful,
        Item::Note { .. } => Named::Note,
    };
    let calls: &[PairedCall] = match &entry.item {
        Item::Agent { calls, .. } => calls,
        Item::Person { .. } | Item::Wakeful { .. } | Item::Note { .. } => &[],
    };
    let mut results = calls.iter();
    let of = |value: &Value| {
        let reply = value.get("role").and_then(Value::as_str) == Some("assistant");
        let named = match (&named, reply) {
            (Named::Agent, false) => results.next().map_or(Named::Note, |paired| {
                let tool = paired.call.name.clone();
                match &paired.result {
                    Shown::Dropped(_) => Named::Dropped(tool),
                    Shown::Text(_) | Shown::Shortened(_) | Shown::Interrupted | Shown::None => {
                        Named::Result(tool)
                    }
                }
            }),
            (named, _) => named.clone(),
        };
        SlotItem { slot: Slot::Recent, named, text: words(value), tokens: value_tokens(value, count) }
    };
    render(&entry.item, model).iter().map(of).collect()
}

/// What stands in a message: its reasoning, its text, its calls.
fn words(message: &Value) -> String {
    let text = |value: &Value, pointer: &str| {
        value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let calls = message.get("tool_calls").and_then(Value::as_array).into_iter().flatten().map(|call| {
        let part = |pointer| text(call, pointer).unwrap_or_default();
        format!("{} {}", part("/function/name"), part("/function/arguments"))
    });
    let said = [text(message, "/reasoning_content"), text(message, "/content")].into_iter().flatten();
    said.chain(calls).collect::<Vec<_>>().join("\n")
}
