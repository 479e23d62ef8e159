//! One request from a run's state and texts, or what has to happen first.

use super::budget::{Held, Layout, table};
use super::count::{Count, FRAMING, dropped_tokens, render, shortest, value_tokens};
use super::memories::memories;
use super::pairing::{Entry, pair};
use super::render_native::user;
use super::state_text::{StateText, state_text};
use super::texts::Texts;
use super::trim::{DropPlan, FoldPlan, Given, Lenders, Plan, Pressure, too_big_message, too_big_words};
use super::{RENDER_VERSION, ahead, calibrate, prompts, summary, trims};
use crate::run::budget_table::{BudgetTable, Slot, SlotRow, Trim};
use crate::run::calibration::{scaled, unscaled};
use crate::run::event::RequestParts;
use crate::run::message::{MessageRef, Speaker};
use crate::run::settings::ModelSettings;
use crate::run::{Hash, Purpose, RunState, Settings};
use serde_json::{Value, json};

/// A request that fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    /// The messages, in order.
    pub messages: Vec<Value>,
    /// Tools of the native protocol; empty if none are offered that way.
    pub tools: Vec<Value>,
    /// The form of the reply, under the schema protocol.
    pub response_format: Option<Value>,
    /// Most tokens of the reply.
    pub max_tokens: u32,
    /// How many of the last messages are the tail: made anew each time, not part of the history.
    pub tail: usize,
    /// The budget table.
    pub table: BudgetTable,
    /// Hash of the request's canonical JSON: messages, tools, form of the reply, most tokens.
    pub hash: Hash,
    /// Version of the rendering.
    pub render: u32,
}

impl Assembled {
    /// A request beside the conversation, of a system message and a question; the tokens of each slot that holds some.
    pub(super) fn aside(
        model: &ModelSettings,
        messages: Vec<Value>,
        response_format: Option<Value>,
        max_tokens: u32,
        slots: &[(Slot, u32)],
    ) -> Self {
        let rows = Slot::ALL.map(|slot| {
            let held = slots.iter().find(|(known, _)| *known == slot);
            let used = if slot == Slot::Reserve { max_tokens } else { held.map_or(0, |(_, used)| *used) };
            let items = u32::from(used > 0 && slot != Slot::Reserve);
            SlotRow { slot, used, budget: used, items, trimmed: Vec::new() }
        });
        Self {
            hash: hash_of(&messages, &[], response_format.as_ref(), max_tokens),
            messages,
            tools: Vec::new(),
            response_format,
            max_tokens,
            tail: 0,
            table: BudgetTable {
                rows: rows.to_vec(),
                window: model.window,
                tokenizer: model.tokenizer.clone(),
                exact: model.exact,
                learnt: None,
                since_start: Vec::new(),
                next: None,
            },
            render: RENDER_VERSION,
        }
    }

    /// Sets the most tokens of the reply.
    pub(super) fn limit_reply(&mut self, max_tokens: u32) {
        self.max_tokens = max_tokens;
        self.hash = hash_of(&self.messages, &self.tools, self.response_format.as_ref(), max_tokens);
    }

    /// What `ModelCalled` records of the request.
    pub fn parts(&self) -> RequestParts {
        RequestParts { hash: self.hash.clone(), render: self.render, max_tokens: self.max_tokens }
    }
}

/// Hash of a request's canonical JSON.
fn hash_of(messages: &[Value], tools: &[Value], response_format: Option<&Value>, max_tokens: u32) -> Hash {
    let canonical = json!({
        "messages": messages,
        "tools": tools,
        "response_format": response_format,
        "max_tokens": max_tokens,
    });
    Hash::of(canonical.to_string().as_bytes())
}

/// A context that does not fit and cannot be trimmed.
#[derive(Clone, Debug, PartialEq)]
pub struct TooBig {
    /// The slot to blame: the biggest one.
    pub slot: Slot,
    /// Tokens that it takes.
    pub used: u32,
    /// The model's window, tokens.
    pub window: u32,
    /// For the person: what happened and what helps.
    pub words: String,
    /// The table as it would be.
    pub table: BudgetTable,
}

/// What comes of assembling.
#[derive(Clone, Debug, PartialEq)]
pub enum Assembly {
    /// The request.
    Ready(Box<Assembled>),
    /// Commit `RoundsFolded` with the summary of [`super::summarise`], then assemble again.
    Fold(FoldPlan),
    /// Commit `OutputsDropped`, then assemble again.
    DropOutputs(DropPlan),
    /// Nothing helps; a person has to.
    TooBig(Box<TooBig>),
}

/// A run before its first event has no model to assemble for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the run has no settings yet; a request can be made only after its first event")]
pub struct NotCreated;

/// Makes the request for the next model call.
///
/// `texts` holds what [`super::needed`] names; tokens of messages are taken from the state, as they were recorded.
///
/// # Errors
/// [`NotCreated`] for a run without its first event.
pub fn assemble(
    state: &RunState,
    texts: &Texts,
    purpose: Purpose,
    count: &Count,
) -> Result<Assembly, NotCreated> {
    // All is decided in the tokens of our own counter, as they are recorded with the messages.
    let (real, factor) = (&state.settings().ok_or(NotCreated)?.model, state.ledger.factor());
    let own = calibrate::own(state).ok_or(NotCreated)?;
    let settings = own.as_ref();
    let laid = Laid::of(state, settings, texts, purpose, count);
    if let Some((slot, _)) = laid.layout.too_big(settings.model.window) {
        return Ok(too_big(state, settings, &laid.layout, &laid.draft, Some(slot)));
    }
    let dropped = |seq| dropped_tokens(&settings.model, texts.messages.get(&seq), count);
    let shortened = |message: &MessageRef, goal| {
        let result = texts.messages.get(&message.seq);
        shortest(&settings.model, result, (message.tokens, goal), count)
    };
    let pressure = Pressure {
        messages: &state.path.messages,
        dropped: &state.path.dropped,
        context: &settings.context,
        used: laid.draft.recent.used,
        budget: laid.recent,
        over_window: laid.over,
        fits: laid.fits,
        summary: laid.lenders.summary_budget,
        dropped_tokens: &dropped,
        shortened: &shortened,
    };
    match pressure.plan() {
        Some(Plan::Fold(plan)) => return Ok(Assembly::Fold(plan)),
        Some(Plan::Drop(plan)) => return Ok(Assembly::DropOutputs(plan)),
        None => {}
    }
    let still_over = laid.draft.table(settings, &laid.layout).total().saturating_sub(settings.model.window);
    if still_over > 0 {
        return Ok(match pressure.last_resort(still_over) {
            Some(plan) => Assembly::DropOutputs(plan),
            None => too_big(state, settings, &laid.layout, &laid.draft, None),
        });
    }
    let next = match purpose {
        Purpose::Turn => laid.ahead(pressure, settings.model.window).next(),
        Purpose::Report(_) | Purpose::Summary { .. } | Purpose::Keeper => None,
    };
    let mut made = laid.draft.render(settings, laid.layout);
    made.table.next = next;
    Ok(Assembly::Ready(Box::new(calibrate::request(made, real, factor))))
}

/// The table of a request that were made now, in the tokens of our own counter; none if the fixed part does not fit.
pub(super) fn table_of(
    state: &RunState,
    texts: &Texts,
    count: &Count,
) -> Result<Option<BudgetTable>, NotCreated> {
    let own = calibrate::own(state).ok_or(NotCreated)?;
    let settings = own.as_ref();
    let Laid { layout, draft, .. } = Laid::of(state, settings, texts, Purpose::Turn, count);
    Ok(layout.too_big(settings.model.window).is_none().then(|| draft.table(settings, &layout)))
}

/// The parts of a request with their budgets. If they are over the window, memories have given way; if
/// that is not enough, the summary too, which counts only if nothing of the rounds can go.
pub(super) struct Laid<'a> {
    pub(super) layout: Layout,
    pub(super) draft: Draft<'a>,
    /// Tokens of all before something gave way.
    total: u32,
    /// Tokens by which they are over the window though memories gave way.
    over: u32,
    /// Those made them fit.
    fits: bool,
    /// Budget of the recent slot before.
    recent: u32,
    /// Memories and summary before.
    lenders: Lenders,
}

impl<'a> Laid<'a> {
    pub(super) fn of(
        state: &'a RunState,
        settings: &Settings,
        texts: &'a Texts,
        purpose: Purpose,
        count: &Count,
    ) -> Self {
        let layout = Layout::of(state, settings, texts, purpose, count);
        let draft = Draft::new(state, settings, texts, purpose, &layout, count);
        let (total, window) = (draft.table(settings, &layout).total(), settings.model.window);
        let lenders = Lenders {
            memories: draft.memories.used,
            memories_budget: layout.memories,
            summary: draft.summary.used,
            summary_budget: layout.summary,
        };
        let over = total.saturating_sub(window);
        let recent = layout.recent;
        let mut laid = Self { layout, draft, total, over, fits: false, recent, lenders };
        if over == 0 || laid.layout.too_big(window).is_some() {
            return laid;
        }
        let mut give = |given: Given| {
            laid.layout.share(given.memories, given.summary);
            laid.draft = Draft::new(state, settings, texts, purpose, &laid.layout, count);
            laid.draft.table(settings, &laid.layout).total().saturating_sub(window)
        };
        let left = lenders.memories(over).map_or(over, &mut give);
        if left > 0 {
            give(lenders.all(over));
        }
        (laid.over, laid.fits) = (left, left == 0);
        laid
    }

    /// The same as a request that is ready.
    fn ahead<'p>(&self, pressure: Pressure<'p>, window: u32) -> ahead::Ready<'p> {
        ahead::Ready { pressure, lenders: self.lenders, total: self.total, window }
    }
}

/// The biggest of the person's messages that can be no part of a summary, if it alone takes more than all else of the
/// recent rounds.
fn to_blame(state: &RunState, recent: u32) -> Option<u32> {
    let said = state.path.messages.iter().filter(|message| message.speaker == Speaker::Person);
    said.map(|message| message.tokens).max().filter(|tokens| *tokens > recent / 2)
}

fn too_big(
    state: &RunState,
    settings: &Settings,
    layout: &Layout,
    draft: &Draft,
    slot: Option<Slot>,
) -> Assembly {
    let factor = state.ledger.factor();
    let table = draft.table(settings, layout);
    // What a person is told is in the model's tokens.
    let table = match state.settings() {
        Some(real) => calibrate::table(table, &real.model, factor),
        None => table,
    };
    let biggest = || table.rows.iter().max_by_key(|row| row.used).map_or(Slot::Recent, |row| row.slot);
    let slot = slot.unwrap_or_else(biggest);
    let (used, window) = (table.used(slot), table.window);
    let said = (slot == Slot::Recent).then(|| to_blame(state, unscaled(used, factor))).flatten();
    let words = match said {
        Some(tokens) => too_big_message(scaled(tokens, factor), window),
        None => too_big_words(slot, used, window, !layout.preferences.text.is_empty()),
    };
    Assembly::TooBig(Box::new(TooBig { slot, used, window, words, table }))
}

/// All parts of a request, counted but not yet rendered.
pub(super) struct Draft<'a> {
    pub(super) entries: Vec<Entry<'a>>,
    pub(super) opener: bool,
    pub(super) summary_text: String,
    pub(super) memories_text: String,
    pub(super) state: StateText,
    /// A last user message besides or instead of the state's.
    pub(super) nudge: bool,
    summary: Held,
    recent: Held,
    memories: Held,
    state_held: Held,
    since_start: Vec<Trim>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(
        state: &'a RunState,
        settings: &Settings,
        texts: &'a Texts,
        purpose: Purpose,
        layout: &Layout,
        count: &Count,
    ) -> Self {
        let model = &settings.model;
        let path = &state.path;
        let entries = pair(&path.messages, (&path.dropped, &path.shortened), texts, model, count);
        let opener = entries.first().is_some_and(|entry| !begins_with_user(entry));
        let opener_tokens = if opener { value_tokens(&user(prompts::OPENER), count) } else { 0 };
        let recent = Held {
            used: entries.iter().fold(opener_tokens, |sum, entry| sum.saturating_add(entry.tokens)),
            items: u32::try_from(path.messages.len()).unwrap_or(u32::MAX),
            trimmed: trims::now(&state.path),
        };
        let (summary_text, summary) = summary_part(texts, layout.summary, count);
        let under = path.under.filter(|_| purpose == Purpose::Turn);
        let (memories_text, memories) = memories((&path.recalled, under), layout.memories, count);
        // A template that cannot take the state at the end still must not end with the model's own words.
        let nudge = model.state_at_head && entries.last().is_none_or(ends_with_assistant);
        let nudge_tokens = if nudge { value_tokens(&user(prompts::GO_ON), count) } else { 0 };
        let frame = if model.state_at_head { nudge_tokens } else { FRAMING };
        let (text, state_held) = state_part(state, settings, purpose, (layout.state, frame), count);
        Self {
            entries,
            opener,
            summary_text,
            memories_text,
            state: text,
            nudge,
            summary,
            recent,
            memories,
            state_held,
            since_start: trims::since_start(path),
        }
    }

    fn table(&self, settings: &Settings, layout: &Layout) -> BudgetTable {
        let (summary, recent) = (self.summary.clone(), self.recent.clone());
        let (memories, state) = (self.memories.clone(), self.state_held.clone());
        let table = table(layout, &settings.model, summary, recent, memories, state);
        BudgetTable { since_start: self.since_start.clone(), ..table }
    }

    fn render(&self, settings: &Settings, layout: Layout) -> Assembled {
        let model = &settings.model;
        let table = self.table(settings, &layout);
        let mut head = [
            layout.role.text.as_str(),
            &layout.instructions.text,
            &layout.preferences.text,
            &layout.tools_text.text,
            &layout.goal.text,
            &layout.core.text,
            &self.summary_text,
        ]
        .concat();
        if model.state_at_head {
            head.push_str(&self.memories_text);
            head.push_str(&self.state.text);
        }
        let mut messages = vec![json!({ "role": "system", "content": head })];
        if self.opener {
            messages.push(user(prompts::OPENER));
        }
        messages.extend(self.entries.iter().flat_map(|entry| render(&entry.item, model)));
        let before = messages.len();
        if self.nudge {
            messages.push(user(prompts::GO_ON));
        }
        if !model.state_at_head {
            messages.push(user(&[self.memories_text.as_str(), &self.state.text].concat()));
        }
        let max_tokens = model.reserve.min(model.window.saturating_sub(table.prompt()));
        Assembled {
            hash: hash_of(&messages, &layout.tools, layout.response_format.as_ref(), max_tokens),
            tail: messages.len() - before,
            messages,
            tools: layout.tools,
            response_format: layout.response_format,
            max_tokens,
            table,
            render: RENDER_VERSION,
        }
    }
}

/// The state in a budget, part of which its frame takes.
fn state_part(
    state: &RunState,
    settings: &Settings,
    purpose: Purpose,
    (budget, frame): (u32, u32),
    count: &Count,
) -> (StateText, Held) {
    let text = state_text(state, settings, purpose, budget.saturating_sub(frame), count);
    let used = count(&text.text).saturating_add(frame);
    let held = Held { used, items: text.items, trimmed: text.trimmed.clone() };
    (text, held)
}

/// The summary in force as it stands in the head, cut to its budget if that has become smaller.
fn summary_part(texts: &Texts, budget: u32, count: &Count) -> (String, Held) {
    let Some(text) = texts.summary.as_deref().filter(|text| !text.trim().is_empty()) else {
        return (String::new(), Held::default());
    };
    let whole = prompts::summary(text);
    let tokens = count(&whole);
    if tokens <= budget {
        return (whole, Held { used: tokens, items: 1, trimmed: Vec::new() });
    }
    let frame = count(&prompts::summary(""));
    let cut = summary::cut(text, budget.saturating_sub(frame), count);
    let part = if cut.is_empty() { String::new() } else { prompts::summary(&cut) };
    let used = if part.is_empty() { 0 } else { count(&part) };
    let trim = Trim {
        what: "oldest lines".to_owned(),
        why: "over the budget".to_owned(),
        tokens: tokens.saturating_sub(used),
    };
    let items = u32::from(!part.is_empty());
    (part, Held { used, items, trimmed: vec![trim] })
}

fn begins_with_user(entry: &Entry) -> bool {
    match &entry.item {
        super::pairing::Item::Person { .. }
        | super::pairing::Item::Wakeful { .. }
        | super::pairing::Item::Note { .. } => true,
        super::pairing::Item::Agent { .. } => false,
    }
}

fn ends_with_assistant(entry: &Entry) -> bool {
    match &entry.item {
        super::pairing::Item::Agent { calls, .. } => calls.is_empty(),
        super::pairing::Item::Person { .. }
        | super::pairing::Item::Wakeful { .. }
        | super::pairing::Item::Note { .. } => false,
    }
}
