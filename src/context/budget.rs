//! Budgets of the slots, and the table of a request.
//!
//! System, tools, goal and core take what they need and are never trimmed: their budget is what they use. Summary and state
//! get a share of the window, but together never more than half of what the fixed part leaves; the recent rounds get
//! all the rest. The budgets of all slots add up to the window.

use super::count::{Count, FRAMING, PRIMING, tools_tokens};
use super::keeper::core_budget;
use super::texts::Texts;
use super::{prompts, render_native, render_schema, state_text};
use crate::run::budget_table::{BudgetTable, Slot, SlotRow, Trim, so_many};
use crate::run::memory::Preference;
use crate::run::settings::{ModelSettings, Protocol};
use crate::run::{Purpose, RunState, Settings, ToolSpec};
use serde_json::Value;

/// Least tokens that the fixed part must leave for work.
const MIN_ROOM: u32 = 256;
/// Percent of the window that preferences may take: they are never trimmed, and there may be any number of them.
const PREFERENCES: u32 = 10;

/// A text of the head.
pub(super) struct Section {
    /// The text.
    pub text: String,
    /// Its tokens.
    pub tokens: u32,
}

impl Section {
    pub(super) fn new(text: String, count: &Count) -> Self {
        let tokens = if text.is_empty() { 0 } else { count(&text) };
        Self { text, tokens }
    }
}

/// The part of a request that is never trimmed, and what it leaves to the others.
pub(super) struct Layout {
    /// Role, rules, output format.
    pub role: Section,
    /// Workspace instructions; may be empty.
    pub instructions: Section,
    /// What the person likes, as far as there is room; may be empty.
    pub preferences: Section,
    /// Preferences for which there was none.
    pub unsaid: Option<Trim>,
    /// Tools as text; empty under the native protocol.
    pub tools_text: Section,
    /// Tools as JSON; empty under the schema protocol.
    pub tools: Vec<Value>,
    /// The goal.
    pub goal: Section,
    /// The goal keeper's sentences; empty if there are none, or they do not fit any more.
    pub core: Section,
    /// The form of the reply.
    pub response_format: Option<Value>,
    /// Tokens by slot.
    pub used: Fixed,
    /// How many tools are offered.
    pub tool_count: u32,
    /// Budget of the summary slot.
    pub summary: u32,
    /// Budget of the long-term slot; 0 if no memory is offered.
    pub memories: u32,
    /// Budget of the state slot.
    pub state: u32,
    /// Budget of the recent slot.
    pub recent: u32,
}

/// Tokens of what is never trimmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fixed {
    /// System slot, with the framing of its message and the priming of the reply.
    pub system: u32,
    /// Tool schemas.
    pub tools: u32,
    /// The goal.
    pub goal: u32,
    /// The goal keeper's sentences.
    pub core: u32,
    /// Kept for the reply.
    pub reserve: u32,
}

impl Fixed {
    fn sum(self) -> u32 {
        self.beside_the_goal().saturating_add(self.goal)
    }

    /// What always stands beside the goal.
    pub(super) fn beside_the_goal(self) -> u32 {
        let others = self.system.saturating_add(self.tools).saturating_add(self.core);
        others.saturating_add(self.reserve)
    }
}

impl Layout {
    /// Lays the fixed part out and shares the rest.
    pub(super) fn of(
        state: &RunState,
        settings: &Settings,
        texts: &Texts,
        purpose: Purpose,
        count: &Count,
    ) -> Self {
        let model = &settings.model;
        let offered: &[ToolSpec] = match purpose {
            Purpose::Turn => &settings.tools,
            Purpose::Report(_) | Purpose::Summary { .. } | Purpose::Keeper => &[],
        };
        let (tools, tools_text, response_format) = match model.protocol {
            Protocol::Native => (render_native::tools(offered), String::new(), None),
            Protocol::Schema => (
                Vec::new(),
                render_schema::tools_text(offered),
                Some(render_schema::response_format(offered)),
            ),
        };
        let instructions = texts.instructions.as_deref().filter(|text| !text.trim().is_empty());
        let role = Section::new(prompts::system(settings), count);
        let instructions = Section::new(instructions.map(prompts::instructions).unwrap_or_default(), count);
        let most = u32::try_from(u64::from(model.window) * u64::from(PREFERENCES) / 100).unwrap_or(u32::MAX);
        let (preferences, unsaid) = preferences(&state.path.preferences, most, count);
        let tools_text = Section::new(tools_text, count);
        let goal = Section::new(prompts::goal(&state.path.goal, state.path.goal_version), count);
        let core = core(state, model, count);
        let used = Fixed {
            system: FRAMING
                .saturating_add(PRIMING)
                .saturating_add(role.tokens)
                .saturating_add(instructions.tokens)
                .saturating_add(preferences.tokens),
            tools: tools_tokens(&tools, count).saturating_add(tools_text.tokens),
            goal: goal.tokens,
            core: core.tokens,
            reserve: model.reserve,
        };
        let room = model.window.saturating_sub(used.sum());
        let share = |percent: u32| {
            let of_window = u64::from(model.window) * u64::from(percent.min(100)) / 100;
            u32::try_from(of_window).unwrap_or(u32::MAX).min(room / 4)
        };
        let (head, foot) = state_text::frame(state, settings, purpose);
        let least = FRAMING.saturating_add(count(&head)).saturating_add(count(&foot));
        let summary = share(settings.context.summary_percent);
        let memories = match purpose {
            Purpose::Turn if !state.path.recalled.is_empty() => share(settings.context.memory_percent),
            Purpose::Turn | Purpose::Report(_) | Purpose::Summary { .. } | Purpose::Keeper => 0,
        };
        let state = share(settings.context.state_percent).max(least).min(room.saturating_sub(summary));
        let memories = memories.min(room.saturating_sub(summary).saturating_sub(state));
        Self {
            role,
            instructions,
            preferences,
            unsaid,
            tools_text,
            tools,
            goal,
            core,
            response_format,
            used,
            tool_count: u32::try_from(offered.len()).unwrap_or(u32::MAX),
            summary,
            memories,
            state,
            recent: room.saturating_sub(summary).saturating_sub(state).saturating_sub(memories),
        }
    }

    /// Takes `over` tokens from the memories, then from the summary, as far as those are used, for the recent rounds.
    pub(super) fn give_way(&mut self, over: u32, memories: u32, summary: u32) {
        let (from_memories, before) = (over.min(memories), self.memories.saturating_add(self.summary));
        if from_memories > 0 {
            // With no budget at all they would not be told of as left out.
            self.memories = (memories - from_memories).max(1);
        }
        let from_summary = (over - from_memories).min(summary);
        if from_summary > 0 {
            self.summary = summary - from_summary;
        }
        let now = self.memories.saturating_add(self.summary);
        self.recent = self.recent.saturating_add(before.saturating_sub(now));
    }

    /// The slot that makes the fixed part too big for the window, with its tokens.
    pub(super) fn too_big(&self, window: u32) -> Option<(Slot, u32)> {
        if self.used.sum().saturating_add(least(window)) <= window {
            return None;
        }
        let slots = [
            (Slot::System, self.used.system),
            (Slot::Tools, self.used.tools),
            (Slot::Goal, self.used.goal),
            (Slot::Reserve, self.used.reserve),
        ];
        slots.into_iter().max_by_key(|(_, used)| *used)
    }
}

/// The preferences within `most` tokens, and those that do not fit: the newest stay.
fn preferences(all: &[Preference], most: u32, count: &Count) -> (Section, Option<Trim>) {
    let of = |kept: usize| Section::new(prompts::preferences(all.get(..kept).unwrap_or_default()), count);
    let whole = of(all.len());
    if whole.tokens <= most {
        return (whole, None);
    }
    let (mut fits, mut over) = (0, all.len());
    while fits + 1 < over {
        let middle = fits + (over - fits) / 2;
        if of(middle).tokens <= most { fits = middle } else { over = middle }
    }
    let kept = of(fits);
    let trim = Trim {
        what: so_many(all.len() - fits, "preferences"),
        why: "over the budget".to_owned(),
        tokens: whole.tokens.saturating_sub(kept.tokens),
    };
    (kept, Some(trim))
}

/// The goal keeper's sentences, marked if the goal was edited since they were written.
fn core(state: &RunState, model: &ModelSettings, count: &Count) -> Section {
    let none = || Section::new(String::new(), count);
    let Some(core) = &state.path.core else { return none() };
    let plain = Section::new(prompts::core(&core.text, false), count);
    // Another model may have a smaller window than the one that the sentences were written for.
    if plain.tokens > core_budget(model) {
        return none();
    }
    if core.goal_version == state.path.goal_version {
        return plain;
    }
    Section::new(prompts::core(&core.text, true), count)
}

/// Tokens that the fixed part must leave of a window for work.
pub(super) fn least(window: u32) -> u32 {
    MIN_ROOM.max(window / 16)
}

/// What the trimmable slots of a request hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    /// Tokens.
    pub used: u32,
    /// Things in it.
    pub items: u32,
    /// What was left out.
    pub trimmed: Vec<Trim>,
}

/// The table of a request.
pub(super) fn table(
    layout: &Layout,
    model: &ModelSettings,
    summary: Held,
    recent: Held,
    memories: Held,
    state: Held,
) -> BudgetTable {
    let fixed = |slot, used, items| SlotRow { slot, used, budget: used, items, trimmed: Vec::new() };
    let open = |slot, budget, held: Held| SlotRow {
        slot,
        used: held.used,
        budget,
        items: held.items,
        trimmed: held.trimmed,
    };
    let some = |section: &Section| u32::from(!section.text.is_empty());
    let rows = Slot::ALL.map(|slot| match slot {
        Slot::System => SlotRow {
            trimmed: layout.unsaid.iter().cloned().collect(),
            ..fixed(
                slot,
                layout.used.system,
                some(&layout.role) + some(&layout.instructions) + some(&layout.preferences),
            )
        },
        Slot::Tools => fixed(slot, layout.used.tools, layout.tool_count),
        Slot::Goal => fixed(slot, layout.used.goal, some(&layout.goal)),
        Slot::Core => fixed(slot, layout.used.core, some(&layout.core)),
        Slot::LongTerm => open(slot, layout.memories, memories.clone()),
        Slot::Summary => open(slot, layout.summary, summary.clone()),
        Slot::Recent => open(slot, layout.recent, recent.clone()),
        Slot::State => open(slot, layout.state, state.clone()),
        Slot::Reserve => fixed(slot, layout.used.reserve, 0),
    });
    BudgetTable {
        rows: rows.to_vec(),
        window: model.window,
        tokenizer: model.tokenizer.clone(),
        exact: model.exact,
        learnt: None,
    }
}
