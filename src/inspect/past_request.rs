//! The exact request of a past step, rebuilt from the journal.
//!
//! Derived: the state right before the `ModelCalled` event, the texts that it names and the run's own counter go through
//! the same assembly as then, and the hash of what comes out is held against the hash that was stored when the request
//! went out. What is not in the journal is not shown: the key, and how an endpoint wants fields named
//! (`max_completion_tokens`, `stream`).

use super::asked::{Asked, Which, asked, asked_for};
use super::error::InspectError;
use crate::context::{
    Assembled, Assembly, Beside, RENDER_VERSION, assemble, keeper_request, prompts_version, summary_request,
};
use crate::run::budget_table::{BudgetTable, Slot};
use crate::run::{Hash, Purpose, RunId, RunState, Settings, StepRef};
use crate::store::{Store, TextCache};
use crate::tokens;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A rebuilt request.
#[derive(Clone, Debug, PartialEq)]
pub struct PastRequest {
    /// The model call.
    pub asked: Asked,
    /// The request: `model`, `messages`, `tools`, `response_format`, `max_tokens`, `temperature`; none if it cannot be
    /// rebuilt.
    pub request: Option<Value>,
    /// Hash of what was rebuilt.
    pub hash: Option<Hash>,
    /// How it differs from what was sent; none if it is the same, to the byte.
    pub differs: Option<String>,
}

impl PastRequest {
    /// True if the rebuilt request is the one that was sent.
    pub fn matches(&self) -> bool {
        self.differs.is_none()
    }
}

/// Rebuilds the request of a step, or of the newest model call.
///
/// # Errors
/// [`InspectError::NothingAsked`], and those of [`asked`]. That it comes out differently is no error: it is said.
pub async fn past_request(
    store: &Store,
    run: &RunId,
    step: Option<StepRef>,
) -> Result<PastRequest, InspectError> {
    let nothing = || InspectError::NothingAsked { run: run.clone() };
    rebuilt(store, asked(store, run, step).await?.ok_or_else(nothing)?, run).await
}

/// As [`past_request`], of what was asked beside the conversation in a step.
///
/// # Errors
/// As [`past_request`].
pub async fn past_aside(
    store: &Store,
    run: &RunId,
    step: Option<StepRef>,
    which: Which,
) -> Result<PastRequest, InspectError> {
    let none = || InspectError::NoAside { run: run.clone() };
    let asked = match asked_for(store, run, step, which).await {
        Err(InspectError::NotAsked { .. }) => return Err(none()),
        found => found?,
    };
    rebuilt(store, asked.ok_or_else(none)?, run).await
}

/// How much of a request stands in the same bytes at its beginning as in the request before it: what a server has read
/// already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Prefix {
    /// Bytes that are the same, from the beginning: tools, then messages, as JSON.
    pub same: u64,
    /// Bytes of the request, counted so.
    pub bytes: u64,
}

impl Prefix {
    /// The beginning that a request shares with the one before it.
    pub fn of(before: &Value, now: &Value) -> Self {
        let (before, now) = (in_order(before), in_order(now));
        let same = before.bytes().zip(now.bytes()).take_while(|(a, b)| a == b).count();
        Self { same: same as u64, bytes: now.len() as u64 }
    }

    /// Whole percent that is the same.
    pub fn percent(&self) -> u64 {
        self.same.saturating_mul(100) / self.bytes.max(1)
    }
}

/// What a template puts into the prompt, in its order.
fn in_order(request: &Value) -> String {
    let all = |key: &str| request.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    all("tools").iter().chain(&all("messages")).map(|part| format!("{part}\n")).collect()
}

/// The beginning that the request of a turn shares with that of the step before it; none for the first one, and if one of
/// them cannot be rebuilt to the byte.
///
/// # Errors
/// What reading can meet.
pub async fn prefix(store: &Store, run: &RunId, asked: &Asked) -> Result<Option<Prefix>, InspectError> {
    let Some(step) = asked.step.checked_sub(1).filter(|step| *step > 0) else { return Ok(None) };
    let before = match past_request(store, run, Some(StepRef { timeline: Some(asked.timeline), step })).await
    {
        Err(InspectError::NotAsked { .. } | InspectError::NothingAsked { .. }) => return Ok(None),
        found => found?,
    };
    let now = rebuilt(store, asked.clone(), run).await?;
    Ok(match (before, now) {
        (
            PastRequest { request: Some(before), differs: None, .. },
            PastRequest { request: Some(now), differs: None, .. },
        ) => Some(Prefix::of(&before, &now)),
        _ => None,
    })
}

/// The request of a model call, as this program makes it of the state before it.
pub(super) async fn rebuilt(store: &Store, asked: Asked, run: &RunId) -> Result<PastRequest, InspectError> {
    let nothing = || InspectError::NothingAsked { run: run.clone() };
    let state = store.state_at(run, asked.seq.saturating_sub(1)).await?;
    let Some(settings) = state.settings() else { return Err(nothing()) };
    match assembled(store, &state, settings, &asked).await? {
        Ok(assembled) => {
            let differs = difference(&asked, settings, &assembled);
            let request = request(settings, &asked, &assembled);
            Ok(PastRequest { hash: Some(assembled.hash), request: Some(request), differs, asked })
        }
        Err(why) => Ok(PastRequest { hash: None, request: None, differs: Some(why), asked }),
    }
}

/// The assembly as it was then, or why there is none now.
async fn assembled(
    store: &Store,
    state: &RunState,
    settings: &Settings,
    asked: &Asked,
) -> Result<Result<Assembled, String>, InspectError> {
    let texts = TextCache::default().load(store, state).await?;
    let counter = tokens::counter_of(&settings.model);
    let first =
        |what: &str| Ok(Err(format!("this program would {what} first; {}", versions(asked, settings))));
    let count = |text: &str| counter.count(text);
    let other = tokens::counter_of(settings.model_of(true));
    let counts = |text: &str| other.count(text);
    let beside = asked.by.as_ref().map(|_| Beside { model: settings.model_of(true), count: &counts });
    let aside = match asked.purpose {
        Purpose::Summary { upto, .. } => Some(summary_request(state, &texts, upto, &count, beside)),
        Purpose::Keeper => Some(keeper_request(state, &texts, &count, beside)),
        Purpose::Turn | Purpose::Report(_) => None,
    };
    if let Some(request) = aside {
        return Ok(request.ok_or_else(|| {
            format!("this program would ask nothing aside here; {}", versions(asked, settings))
        }));
    }
    match assemble(state, &texts, asked.purpose, &count) {
        Ok(Assembly::Ready(assembled)) => Ok(Ok(*assembled)),
        Ok(Assembly::Fold(_)) => first("fold older rounds"),
        Ok(Assembly::DropOutputs(_)) => first("drop old outputs"),
        Ok(Assembly::TooBig(big)) => first(&format!("stop with: {}", big.words)),
        Err(error) => Err(InspectError::NoContext { run: state.run.clone(), why: error.to_string() }),
    }
}

/// The request as the provider got it.
fn request(settings: &Settings, asked: &Asked, assembled: &Assembled) -> Value {
    let mut request = Map::new();
    let model = settings.model_of(asked.by.is_some());
    request.insert("model".into(), model.model.as_str().into());
    request.insert("messages".into(), Value::Array(assembled.messages.clone()));
    if !assembled.tools.is_empty() {
        request.insert("tools".into(), Value::Array(assembled.tools.clone()));
    }
    if let Some(format) = &assembled.response_format {
        request.insert("response_format".into(), format.clone());
    }
    // The run's own token limit may have left less than the context did.
    request.insert("max_tokens".into(), asked.parts.max_tokens.min(assembled.max_tokens).into());
    if let Some(temperature) = model.temperature {
        request.insert("temperature".into(), json!(temperature));
    }
    Value::Object(request)
}

/// What differs between then and now, in words.
fn difference(asked: &Asked, settings: &Settings, assembled: &Assembled) -> Option<String> {
    if assembled.hash == asked.parts.hash {
        return None;
    }
    let slots = other_slots(&asked.table, &assembled.table);
    let slots = if slots.is_empty() {
        "every slot takes as many tokens as then".to_owned()
    } else {
        format!("other sizes: {}", slots.join(", "))
    };
    Some(format!(
        "this is not what was sent: the hash is {}, that of the request sent was {}; {slots}; {}",
        assembled.hash.short(12),
        asked.parts.hash.short(12),
        versions(asked, settings)
    ))
}

fn versions(asked: &Asked, settings: &Settings) -> String {
    let mut causes = Vec::new();
    if asked.parts.render != RENDER_VERSION {
        causes.push(format!("it was rendered by version {}, this is {RENDER_VERSION}", asked.parts.render));
    }
    if settings.prompts != prompts_version() {
        causes.push("the prompts of this program are others".to_owned());
    }
    if settings.program != env!("CARGO_PKG_VERSION") {
        causes.push(format!("wakeful {} wrote it, this is {}", settings.program, env!("CARGO_PKG_VERSION")));
    }
    if let Some(error) = tokens::missing(&settings.model) {
        causes.push(error.to_string());
    }
    if causes.is_empty() {
        return "versions are the same, so `wakeful doctor` should look at the journal".to_owned();
    }
    causes.join("; ")
}

fn other_slots(then: &BudgetTable, now: &BudgetTable) -> Vec<String> {
    let differs = |slot: &Slot| then.used(*slot) != now.used(*slot);
    let words = |slot: Slot| format!("{} {} then, {} now", slot.word(), then.used(slot), now.used(slot));
    Slot::ALL.into_iter().filter(differs).map(words).collect()
}
