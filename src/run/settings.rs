//! What a run is bound by: limits, approval mode, rules, tools, model. A config edit reaches a run only as an event
//! that carries these.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

/// Class of a tool call: what doing it twice would mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Changes nothing.
    Read,
    /// Doing it twice is the same as once.
    Keyed,
    /// Doing it twice is wrong.
    Effect,
    /// The event is the effect.
    Inner,
    /// A question to a person.
    Person,
}

impl Class {
    /// The word used in JSON and on screens.
    pub fn word(self) -> &'static str {
        match self {
            Class::Read => "read",
            Class::Keyed => "keyed",
            Class::Effect => "effect",
            Class::Inner => "inner",
            Class::Person => "person",
        }
    }
}

/// A tool as the model is offered it and as policy sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Name, unique in a run.
    pub name: String,
    /// What the model is told.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
    /// What doing it twice would mean.
    pub class: Class,
    /// Time-out of one call; none for questions.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
    /// Most calls of this tool in a run; none is no own limit.
    #[serde(default)]
    pub max_calls: Option<u32>,
}

/// Approval mode (SPEC §10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Every effect and every write outside the rules waits.
    #[default]
    Ask,
    /// Reads, and file writes inside the workspace, go.
    Safe,
    /// All but denied and dangerous.
    Auto,
}

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleVerdict {
    /// Goes without asking.
    Allow,
    /// A person is asked.
    Ask,
    /// Never goes.
    Deny,
}

/// One rule; `*` in a pattern stands for any text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Pattern of the tool's name.
    pub tool: String,
    /// Pattern of the main argument (command, path or URL); none matches any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arg: Option<String>,
    /// What then happens.
    pub then: RuleVerdict,
}

/// Hard limits of a run (SPEC §9). Each is checked before the thing it limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Most steps.
    pub steps: u32,
    /// Most tokens of the run: uncached prompt and completion together.
    pub tokens: u64,
    /// Share of `tokens` and `cost_micro` kept for the final report, percent.
    pub wrap_up_percent: u32,
    /// Most cost in millionths of the price table's currency; none is no cap.
    pub cost_micro: Option<u64>,
    /// Most active time, milliseconds: model and tools, not waits for a person.
    pub active_ms: u64,
    /// Most tool calls.
    pub tool_calls: u32,
    /// Most tool calls that start within a minute.
    pub tool_calls_minute: u32,
    /// Failures in a row that stop the run and ask.
    pub breaker: u32,
    /// Same call with the same result this many times stops the run and asks.
    pub loop_repeats: u32,
    /// Times a failed check goes back to the model before a person is asked.
    pub check_returns: u32,
    /// Retries of a failed model call.
    pub model_retries: u32,
    /// Bytes of one call's output that are shown to the model.
    pub output_shown: u64,
    /// Longest `timeout_s` that `shell` takes, seconds.
    pub shell_timeout_max_s: u64,
    /// Time to the first token of a reply, milliseconds; none is off.
    pub first_token_ms: Option<u64>,
    /// Time between tokens, milliseconds; none is off.
    pub between_tokens_ms: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 50,
            tokens: 300_000,
            wrap_up_percent: 10,
            cost_micro: None,
            active_ms: 30 * 60 * 1000,
            tool_calls: 200,
            tool_calls_minute: 30,
            breaker: 3,
            loop_repeats: 3,
            check_returns: 3,
            model_retries: 2,
            output_shown: 16 * 1024,
            shell_timeout_max_s: 600,
            first_token_ms: Some(60_000),
            between_tokens_ms: Some(60_000),
        }
    }
}

/// A change of limits; what is none stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitsPatch {
    /// New most steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// New most tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// New cost cap, millionths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_micro: Option<u64>,
    /// New most active time, milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_ms: Option<u64>,
    /// New most tool calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u32>,
}

impl LimitsPatch {
    /// True when it changes nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// `limits` with this patch.
    pub fn apply(&self, limits: &Limits) -> Limits {
        let mut new = limits.clone();
        new.steps = self.steps.unwrap_or(new.steps);
        new.tokens = self.tokens.unwrap_or(new.tokens);
        new.cost_micro = self.cost_micro.or(new.cost_micro);
        new.active_ms = self.active_ms.unwrap_or(new.active_ms);
        new.tool_calls = self.tool_calls.unwrap_or(new.tool_calls);
        new
    }
}

/// How tools are offered to a model (SPEC §13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// `tools` and `tool_calls`.
    #[default]
    Native,
    /// One action or a final answer a turn, forced by a JSON schema.
    Schema,
}

/// Price of a model, millionths of the currency for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Uncached prompt tokens.
    pub prompt: u64,
    /// Cached prompt tokens.
    pub cached: u64,
    /// Completion tokens.
    pub completion: u64,
}

/// The model of a run. The key is not here: it stays in the environment, under `profile`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelSettings {
    /// Profile of the config, or `env`, `local`, `offline`, or `replay:RUN`.
    pub profile: String,
    /// The model's name at the server.
    pub model: String,
    /// Base URL; empty for the offline model.
    pub base_url: String,
    /// True for the built-in rule-based model, which is not an LLM.
    pub offline: bool,
    /// Context window, tokens.
    pub window: u32,
    /// What the window was before the server refused requests that fit it; none if it never did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learnt_window: Option<LearntWindow>,
    /// Tokens kept for the reply.
    pub reserve: u32,
    /// How tools are offered.
    pub protocol: Protocol,
    /// Name of the tokenizer that counts.
    pub tokenizer: String,
    /// The `tokenizer.json` that counts, if it is one; its content is in the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer_file: Option<PathBuf>,
    /// True if that count is exact for this model.
    pub exact: bool,
    /// What an estimate is multiplied by until the run has learnt it, thousandths; none: nothing is learnt, as in runs that
    /// older programs began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<u32>,
    /// Price; none is unknown.
    pub price: Option<Price>,
    /// Sampling temperature; none leaves it to the server.
    pub temperature: Option<f64>,
    /// True if `reasoning_content` of earlier turns is sent back.
    pub send_reasoning: bool,
    /// True if state is put at the head, for templates that take no message at the end.
    pub state_at_head: bool,
}

/// Beside a window that was learnt from refusals: what the configuration gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearntWindow {
    /// The window, tokens.
    pub given: u32,
    /// What was kept for the reply, tokens.
    pub reserve: u32,
    /// True if the server named no figure that can be, so that the window in force is a guess.
    pub guessed: bool,
}

impl ModelSettings {
    /// The window that the configuration gave, tokens, whatever was learnt since.
    pub fn given_window(&self) -> u32 {
        self.learnt_window.map_or(self.window, |learnt| learnt.given)
    }

    /// Takes a smaller window, which the server stated or which is a guess.
    pub fn learn_window(&mut self, window: u32, guessed: bool) {
        let (given, reserve) =
            self.learnt_window.map_or((self.window, self.reserve), |learnt| (learnt.given, learnt.reserve));
        self.learnt_window = Some(LearntWindow { given, reserve, guessed });
        self.window = window;
        self.reserve = self.reserve.min(window / 4);
    }

    /// Goes back to what the configuration gave; false if nothing was learnt.
    pub fn forget_window(&mut self) -> bool {
        let Some(learnt) = self.learnt_window.take() else { return false };
        (self.window, self.reserve) = (learnt.given, learnt.reserve);
        true
    }

    /// True if what was learnt of that model's counts holds for this one.
    pub fn counts_like(&self, other: &Self) -> bool {
        let of = |model: &Self| {
            (model.base_url.clone(), model.model.clone(), model.tokenizer.clone(), model.protocol)
        };
        of(self) == of(other)
    }

    /// True if the same message takes as many tokens by our count, whatever the server counts.
    pub fn counts_messages_like(&self, other: &Self) -> bool {
        let of = |model: &Self| (model.tokenizer.clone(), model.protocol, model.send_reasoning);
        of(self) == of(other)
    }
}

/// How older rounds are kept (SPEC §6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// The last rounds only.
    Rounds,
    /// Older rounds become a summary.
    Summary,
    /// Older rounds leave nothing but the structured state.
    Extract,
    /// Older rounds become a summary, beside the structured state.
    #[default]
    Combined,
}

/// Who writes the summary of rounds that leave the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryBy {
    /// The run's model; the rules where it cannot, or writes none that can be used.
    #[default]
    Model,
    /// Rules: one line a round. They cost no tokens.
    Rules,
}

/// Context settings: budgets are tokens, 0 means a share worked out from the window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContextSettings {
    /// How older rounds are kept.
    pub strategy: Strategy,
    /// Who writes the summary of older rounds.
    pub summary_by: SummaryBy,
    /// Unfolded rounds over which the oldest are folded.
    pub fold_over: u32,
    /// Rounds that remain after folding.
    pub fold_keep: u32,
    /// Budget of the summary slot, percent of the window.
    pub summary_percent: u32,
    /// Budget of the state slot, percent of the window.
    pub state_percent: u32,
    /// Budget of the long-term slot, percent of the window; 0 offers no memories.
    pub memory_percent: u32,
}

impl Default for ContextSettings {
    fn default() -> Self {
        Self {
            strategy: Strategy::default(),
            summary_by: SummaryBy::default(),
            fold_over: 10,
            fold_keep: 5,
            summary_percent: 12,
            state_percent: 8,
            memory_percent: 6,
        }
    }
}

/// Everything a run is bound by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Approval mode.
    pub mode: Mode,
    /// Hard limits.
    pub limits: Limits,
    /// Allow, ask and deny rules; deny beats ask beats allow.
    pub rules: Vec<Rule>,
    /// Tools offered.
    pub tools: Vec<ToolSpec>,
    /// The model.
    pub model: ModelSettings,
    /// Another model that is asked first for summaries and for the core of the task; none: the run's own is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_model: Option<Box<ModelSettings>>,
    /// How the context is kept.
    pub context: ContextSettings,
    /// How long a decision waits for a person until the agent's recommendation is taken, milliseconds; none: for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decide_after_ms: Option<u64>,
    /// What each phase came to is remembered. Runs that older programs began keep no results.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_results: bool,
    /// Most results of a folder that are offered; older ones that were not offered for longest are kept aside.
    #[serde(default = "max_results")]
    pub max_results: u32,
    /// Version (hash) of the prompts in use.
    pub prompts: String,
    /// Version of the program.
    pub program: String,
}

/// Results of a folder that are offered, where nothing else is set.
pub const MAX_RESULTS: u32 = 200;

fn max_results() -> u32 {
    MAX_RESULTS
}

impl Settings {
    /// Whether the model is asked for summaries of older rounds, and for the core of the task.
    pub fn summaries_by_model(&self) -> bool {
        match (self.context.strategy, self.context.summary_by) {
            (Strategy::Summary | Strategy::Combined, SummaryBy::Model) => !self.model.offline,
            (Strategy::Rounds | Strategy::Extract, _) | (_, SummaryBy::Rules) => false,
        }
    }

    /// The run's own model, or the one beside it.
    pub fn model_of(&self, beside: bool) -> &ModelSettings {
        self.summary_model.as_deref().filter(|_| beside).unwrap_or(&self.model)
    }

    /// The spec of a tool that is offered.
    pub fn tool(&self, name: &str) -> Option<&ToolSpec> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}
