//! The model call: assemble, commit that it goes out, stream, commit what came.

use super::batch::Batch;
use super::beside::Beside;
use super::driver::Driver;
use super::engine::{Observer, Phase};
use super::error::WorkError;
use super::judge::Asked;
use super::masking::Stream;
use crate::agent::ends;
use crate::context::{self, Assembled, Assembly, MessageText, returned};
use crate::host::fault::fault;
use crate::provider::{
    self, Cancel, ChatRequest, Delta, ErrorKind, Finish, ModelError, Progress, Provider, Reply,
};
use crate::run::call::Origin;
use crate::run::control::Control;
use crate::run::event::{Event, Hold, Purpose, RequestParts};
use crate::run::figures::grouped;
use crate::run::id::RunId;
use crate::run::message::{FinishReason, ReplyCall};
use crate::run::refused::Refused;
use crate::run::report::{LimitKind, Outcome};
use crate::run::settings::{Protocol, Settings};
use crate::run::state::Turn;
use crate::run::usage::Usage;
use crate::store::Durability;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Least window that an error of a server can teach, tokens: a smaller figure is none.
const LEAST_WINDOW: u32 = 128;

/// A request that went out, as far as its failure is concerned.
#[derive(Clone, Copy)]
struct Sent {
    purpose: Purpose,
    attempt: u32,
    /// Tokens of its prompt by our count.
    prompt: u32,
    /// A window that the next request has to fit if this one was too long and the server does not say what fits.
    next: Option<u32>,
    begun: Instant,
}

/// How a request ended.
enum Ended {
    Replied(Box<Reply>),
    Failed(ModelError),
    /// A person or the end of the process cut it.
    Cut(&'static str),
}

impl Driver<'_> {
    /// Performs one model call of the present step, or what has to come before it.
    pub async fn call_model(&mut self, purpose: Purpose, attempt: u32) -> Result<(), WorkError> {
        self.engine.observer.phase(&self.run, Phase::Assemble);
        self.find_tokenizer().await?;
        let texts = self.texts.load(&self.engine.store, &self.state).await?;
        self.recount(&texts).await?;
        if purpose == Purpose::Turn
            && let Some((request, by)) = self.keeper_request(&texts)
        {
            return self.ask_keeper(request, by).await;
        }
        if purpose == Purpose::Turn && attempt == 1 && self.recall(&texts).await? {
            fault("worker.recalled");
        }
        let assembly = context::assemble(&self.state, &texts, purpose, &|text| self.count(text))
            .map_err(|e| WorkError::Stored(e.to_string()))?;
        let assembled = match assembly {
            Assembly::Ready(assembled) => assembled,
            Assembly::Fold(plan) => {
                return match self.summary_request(&plan, &texts) {
                    Some((request, by)) => self.ask_for_summary(&plan, request, by).await,
                    None => self.fold(&plan, &texts).await,
                };
            }
            Assembly::DropOutputs(plan) => {
                let mut batch = self.batch();
                for context::Dropped { seqs, tokens, kept } in plan.drops {
                    batch.push(Event::OutputsDropped { seqs, tokens, kept })?;
                }
                self.commit(batch, Durability::Unsynced).await?;
                fault("worker.dropped");
                return Ok(());
            }
            Assembly::TooBig(big) => {
                let mut batch = self.batch();
                batch.push(Event::Held { why: Hold::Context(big.words) })?;
                return self.commit(batch, Durability::Synced).await;
            }
        };
        let prompt = assembled.table.prompt();
        let model = &self.settings()?.model;
        if let Some(limit) = ends::breaks(&self.state, model, prompt, purpose != Purpose::Turn) {
            return self.stop_before(limit, purpose, attempt).await;
        }
        self.ask(*assembled, purpose, attempt, None).await
    }

    /// The next request would break a limit: ask for the final report instead, or end.
    async fn stop_before(
        &mut self,
        limit: LimitKind,
        purpose: Purpose,
        attempt: u32,
    ) -> Result<(), WorkError> {
        if purpose == Purpose::Turn && ends::report_fits(&self.state) {
            return Box::pin(self.call_model(Purpose::Report(limit), attempt)).await;
        }
        let reason = format!("the next model call would break the limit on {}", limit.word());
        let reason = ends::without_report(reason, &self.state);
        self.wrap_up(Outcome::Limit(limit), &reason).await
    }

    pub(super) async fn ask(
        &mut self,
        assembled: Assembled,
        purpose: Purpose,
        attempt: u32,
        by: Option<Beside>,
    ) -> Result<(), WorkError> {
        let settings = self.settings()?.clone();
        let model = by.as_ref().map_or(&settings.model, |by| &by.model);
        let prompt = assembled.table.prompt();
        let report = matches!(purpose, Purpose::Report(_));
        let max_tokens = ends::reply_tokens(&self.state, model, prompt, report);
        let max_tokens = max_tokens.unwrap_or(assembled.max_tokens);
        let request = ChatRequest {
            model: model.model.clone(),
            messages: assembled.messages,
            tools: assembled.tools,
            response_format: assembled.response_format,
            max_tokens: Some(max_tokens.min(assembled.max_tokens)),
            temperature: model.temperature,
            extra: serde_json::Map::new(),
        };
        // A key that is missing is told before anything is recorded.
        let provider = match &by {
            Some(by) => by.provider.clone(),
            None => self.provider().await?,
        };
        let next = (!purpose.is_aside()).then(|| assembled.table.smaller_window(max_tokens)).flatten();
        let mut batch = self.batch();
        batch.push(Event::ModelCalled {
            step: self.state.path.step + 1,
            attempt,
            epoch: self.state.ledger.epoch,
            purpose,
            table: assembled.table,
            request: RequestParts { hash: assembled.hash, render: assembled.render, max_tokens },
            by: by.as_ref().map(|by| by.model.model.clone()),
        })?;
        self.commit(batch, Durability::Unsynced).await?;
        fault("worker.called");
        self.engine.observer.phase(&self.run, Phase::Infer);
        let sent = Sent { purpose, attempt, prompt, next, begun: Instant::now() };
        match self.chat(request, purpose, provider).await? {
            Ended::Replied(reply) => self.replied(*reply, sent).await,
            Ended::Failed(error) => self.failed(&error, sent).await,
            Ended::Cut(why) => self.close_model_call(why).await,
        }
    }

    async fn chat(
        &mut self,
        request: ChatRequest,
        purpose: Purpose,
        provider: Arc<dyn Provider>,
    ) -> Result<Ended, WorkError> {
        self.partial.clear();
        let schema = self.settings()?.model.protocol == Protocol::Schema;
        let shown = Arc::new(Mutex::new(Shown {
            aside: purpose.is_aside(),
            said: String::new(),
            words: schema.then(context::SchemaText::default),
            text: Stream::new(self.masks.clone()),
            reasoning: Stream::new(self.masks.clone()),
            live: super::live::Live::open(&self.engine.store, &self.run),
            observer: self.engine.observer.clone(),
            run: self.run.clone(),
        }));
        let hears = shown.clone();
        let progress = Progress::new(move |delta: Delta| {
            if let Ok(mut shown) = hears.lock() {
                shown.delta(delta);
            }
        });
        let cancel = Cancel::new();
        let chat = provider.chat(request, progress, cancel.clone());
        tokio::pin!(chat);
        let mut changes = self.engine.store.watch().await?;
        // What was asked just before the watch began.
        if let Some(why) = self.cut_wanted().await? {
            return Ok(Ended::Cut(why));
        }
        loop {
            tokio::select! {
                answer = &mut chat => {
                    if let Ok(mut shown) = shown.lock() {
                        shown.finish();
                    }
                    return Ok(match answer {
                        Ok(reply) => Ended::Replied(Box::new(reply)),
                        Err(error) => {
                            self.partial = said(&shown);
                            Ended::Failed(error)
                        }
                    });
                }
                () = self.engine.stopped() => {
                    self.partial = said(&shown);
                    return Ok(Ended::Cut("the process was asked to stop"));
                }
                () = changes.changed() => {
                    if let Some(why) = self.cut_wanted().await? {
                        self.partial = said(&shown);
                        return Ok(Ended::Cut(why));
                    }
                }
            }
        }
    }

    async fn cut_wanted(&self) -> Result<Option<&'static str>, WorkError> {
        for row in self.engine.store.pending(&self.run).await? {
            match &row.control {
                Control::Pause { now: true } => return Ok(Some("a person paused the run")),
                Control::Message { now: true, .. } => return Ok(Some("a person wrote; it goes in at once")),
                Control::Cancel => return Ok(Some("a person cancelled the run")),
                Control::Rollback { .. } | Control::Redo => {
                    // One that is refused is told at the next safe point and costs no reply.
                    if self.rollback_refused(&row.control).await?.is_none() {
                        return Ok(Some("a person rolled the run back"));
                    }
                }
                Control::Pause { now: false }
                | Control::Continue
                | Control::Decide { .. }
                | Control::EditGoal { .. }
                | Control::EditPlan { .. }
                | Control::SetLimits { .. }
                | Control::SetMode { .. }
                | Control::SetModel { .. }
                | Control::Message { now: false, .. }
                | Control::ExtendTimeout { .. }
                | Control::StopCall { .. } => {}
            }
        }
        Ok(None)
    }

    /// Records a request that was given up, charged as if it had been read.
    pub async fn close_model_call(&mut self, why: &str) -> Result<(), WorkError> {
        let Turn::Asking(asking) = &self.state.path.turn else { return Ok(()) };
        let usage = Usage { prompt: u64::from(asking.prompt), estimated: true, ..Usage::default() };
        // A cassette gave away the reply that is lost with the request.
        self.provider = None;
        let mut batch = self.batch();
        let partial = std::mem::take(&mut self.partial);
        let partial = (!partial.is_empty()).then(|| batch.bag.body(partial));
        batch.push(Event::ModelAborted { why: why.to_owned(), usage, partial })?;
        self.commit(batch, Durability::Unsynced).await
    }

    async fn replied(&mut self, reply: Reply, sent: Sent) -> Result<(), WorkError> {
        fault("worker.replied");
        let prompt = sent.prompt;
        let report = match sent.purpose {
            Purpose::Turn => false,
            Purpose::Report(_) => true,
            Purpose::Summary { upto, rounds } => return self.summarised(reply, upto, rounds, prompt).await,
            Purpose::Keeper => return self.core_kept(reply, prompt).await,
        };
        self.engine.observer.phase(&self.run, Phase::Judge);
        let (mut reply, unreadable) = self.read_protocol(reply, report)?;
        reply.text = self.masks.owned(reply.text);
        reply.reasoning = reply.reasoning.map(|text| self.masks.owned(text));
        for call in &mut reply.calls {
            call.arguments = self.masks.call(&call.name, std::mem::take(&mut call.arguments));
        }
        if reply.text.trim().is_empty() && reply.calls.is_empty() {
            let why = match reply.finish {
                Finish::ContentFilter => {
                    "the server's content filter ended the reply before it said anything"
                }
                Finish::Stop | Finish::ToolCalls | Finish::Length | Finish::Other(_) | Finish::None => {
                    "the model sent an empty reply"
                }
            };
            let error = ModelError::new(ErrorKind::Protocol, &self.settings()?.model.model.clone(), why);
            return self.failed(&error, sent).await;
        }
        let mut batch = self.batch();
        let cut = reply.finish == Finish::Length;
        let claims = reply.calls.is_empty();
        self.outgrown(&mut batch, &reply, prompt)?;
        self.push_reply(&mut batch, &reply, prompt, None)?;
        let reply_seq = batch.state().head.seq;
        if report {
            return self.commit(batch, Durability::Unsynced).await;
        }
        for (call, position) in reply.calls.iter().zip(1..) {
            let cut = cut && !call.complete;
            let (name, raw) = (call.name.as_str(), call.arguments.as_str());
            let asked = Asked { reply_seq: Some(reply_seq), origin: Origin::Model, position, name, raw, cut };
            self.propose(&mut batch, asked)?;
        }
        let back = match unreadable {
            _ if reply.finish == Finish::ContentFilter => Some(returned::filtered()),
            Some(words) => Some(words),
            None => cut.then(returned::too_long),
        };
        if let Some(text) = back.filter(|_| claims) {
            self.give_back(&mut batch, text)?;
        }
        self.run_calls(batch).await
    }

    /// Gives a reply that nothing can be done with back to the model; after several in a row a person is asked.
    fn give_back(&self, batch: &mut Batch, text: String) -> Result<(), WorkError> {
        let result = self.words(batch, &MessageText::Wakeful { text });
        batch.push(Event::ClaimReturned { result })?;
        let most = self.settings()?.limits.breaker;
        let row = batch.state().path.returned;
        if most > 0 && row.is_multiple_of(most) {
            batch.push(Event::Held { why: Hold::Breaker(row) })?;
        }
        Ok(())
    }

    /// The server cannot parse what its model writes, also when asked again: the model is told.
    async fn unparsed(&mut self, error: &ModelError, prompt: u32) -> Result<(), WorkError> {
        let mut batch = self.batch();
        let name = self.settings()?.model.model.clone();
        let reply = Reply { model: Some(name), ..Reply::default() };
        self.push_reply(&mut batch, &reply, prompt, None)?;
        let text = returned::unparsed(&error.message);
        self.give_back(&mut batch, text)?;
        self.run_calls(batch).await
    }

    /// Under the schema protocol the text is the action or the answer; else the reply is as it came.
    /// The second value says what was wrong with a text that is neither.
    fn read_protocol(&self, mut reply: Reply, report: bool) -> Result<(Reply, Option<String>), WorkError> {
        if self.settings()?.model.protocol == Protocol::Native || !reply.calls.is_empty() {
            return Ok((reply, None));
        }
        match context::parse_schema_reply(&reply.text) {
            Ok(parsed) if report => {
                reply.text = parsed.answer.unwrap_or(parsed.thought);
                Ok((reply, None))
            }
            // Whatever it is, it is the last word; of a cut object the words are shown.
            Err(_) if report => {
                let words = context::SchemaText::default().push(&reply.text);
                if !words.trim().is_empty() {
                    reply.text = words;
                }
                Ok((reply, None))
            }
            Ok(parsed) => {
                reply.text = match &parsed.answer {
                    Some(answer) if parsed.call.is_none() => answer.clone(),
                    Some(_) | None => parsed.thought.clone(),
                };
                if let Some((name, arguments)) = parsed.call {
                    reply.calls.push(provider::RawCall::new(None, name, arguments));
                }
                Ok((reply, None))
            }
            Err(why) => Ok((reply, Some(returned::unreadable(&why.to_string())))),
        }
    }

    /// `refused` says why nothing is taken of the reply to a request aside.
    pub(super) fn push_reply(
        &self,
        batch: &mut Batch,
        reply: &Reply,
        prompt: u32,
        refused: Option<Refused>,
    ) -> Result<(), WorkError> {
        let seq = batch.next_seq();
        let message = MessageText::Agent {
            text: reply.text.clone(),
            reasoning: reply.reasoning.clone(),
            calls: reply
                .calls
                .iter()
                .zip(1..)
                .map(|(call, at)| context::AgentCall {
                    provider_id: call.provider_id.clone(),
                    call_id: crate::run::id::CallId::of(&self.run, seq + at),
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                })
                .collect(),
        };
        let tokens = self.message_tokens(&message);
        let event = Event::ModelReplied {
            text: batch.bag.body(reply.text.clone()),
            reasoning: reply.reasoning.clone().map(|text| batch.bag.body(text)),
            calls: reply
                .calls
                .iter()
                .map(|call| ReplyCall {
                    provider_id: call.provider_id.clone(),
                    name: call.name.clone(),
                    arguments: batch.bag.body(call.arguments.clone()),
                })
                .collect(),
            finish: finish(&reply.finish),
            usage: usage(reply, prompt, tokens, self.settings()?.model.window),
            tokens,
            first_token_ms: reply.first_token_ms,
            ms: reply.total_ms,
            refused,
        };
        batch.push_by(crate::run::control::Author::Agent, event)?;
        Ok(())
    }

    /// Gives up a window that was learnt if the server read a longer prompt.
    fn outgrown(&self, batch: &mut Batch, reply: &Reply, prompt: u32) -> Result<(), WorkError> {
        let mut new = Settings::clone(self.settings()?);
        let usage = usage(reply, prompt, 1, new.model.window);
        let longer = !usage.estimated && usage.prompt > u64::from(new.model.window);
        if longer && new.model.forget_window() {
            let why = format!(
                "the server took more than the window that was learnt of it: that is {} tokens again",
                new.model.window
            );
            batch.push(Event::SettingsChanged { settings: Box::new(new), why })?;
        }
        Ok(())
    }

    async fn failed(&mut self, error: &ModelError, sent: Sent) -> Result<(), WorkError> {
        let Sent { purpose, attempt, prompt, next, begun } = sent;
        let settings = self.settings()?.clone();
        let mut batch = self.batch();
        let window = error.window.as_ref().and_then(|w| w.window).and_then(|n| u32::try_from(n).ok());
        let again = if purpose.is_aside() {
            // It is not waited for: the rules can do it.
            None
        } else if error.kind == ErrorKind::PromptTooLong {
            // The window is learnt below; the next assembly fits it.
            (attempt <= settings.limits.model_retries + 1).then_some(Duration::ZERO)
        } else {
            let policy = provider::retry::RetryPolicy::at_work(settings.limits.model_retries);
            policy.plan(attempt, error, &mut rand::rng())
        };
        if again.is_none() && error.kind == ErrorKind::BadModelJson && purpose == Purpose::Turn {
            return self.unparsed(error, prompt).await;
        }
        let retry_at = again.map(|wait| batch.now + i64::try_from(wait.as_millis()).unwrap_or(i64::MAX / 2));
        // A request that was read before it broke off is charged, one that was refused is not.
        let read = matches!(
            error.kind,
            ErrorKind::CutStream | ErrorKind::TimeoutBetweenTokens | ErrorKind::Protocol
        );
        let charged = if read { u64::from(prompt) } else { 0 };
        let partial = std::mem::take(&mut self.partial);
        let partial = (!partial.is_empty()).then(|| batch.bag.body(partial));
        batch.push(Event::ModelFailed {
            kind: word(error.kind),
            message: error.to_string(),
            retry_at,
            usage: Usage { prompt: charged, estimated: true, ..Usage::default() },
            ms: super::tool_call::elapsed(begun),
            window,
            partial,
        })?;
        // What another model's window is says nothing of the run's.
        let beside = matches!(&self.state.path.turn, Turn::Asking(asking) if asking.by.is_some());
        let possible = |w: &u32| (LEAST_WINDOW..settings.model.window).contains(w);
        let stated = window.filter(possible);
        if error.kind == ErrorKind::PromptTooLong
            && !beside
            && let Some(window) = stated.or(next).filter(possible)
        {
            let mut new = Settings::clone(&settings);
            new.model.learn_window(window, stated.is_none());
            let why = match stated {
                Some(_) => format!("the server's window is {} tokens", grouped(window.into())),
                None => format!(
                    "the request was too long, and the server does not say how much fits: {} tokens are tried as its window, a guess",
                    grouped(window.into())
                ),
            };
            batch.push(Event::SettingsChanged { settings: Box::new(new), why })?;
        }
        self.commit(batch, Durability::Unsynced).await
    }
}

/// A reply as it comes in, on its way to whoever watches: readable and without keys.
struct Shown {
    /// It is no part of the conversation, and nobody watches it being written.
    aside: bool,
    /// The text as it was shown.
    said: String,
    /// Of the JSON that the schema protocol forces, only the words.
    words: Option<context::SchemaText>,
    text: Stream,
    reasoning: Stream,
    live: super::live::Live,
    observer: Arc<dyn Observer>,
    run: RunId,
}

impl Shown {
    fn delta(&mut self, delta: Delta) {
        let delta = match delta {
            Delta::Text(text) => {
                let text = match self.words.as_mut() {
                    None => text,
                    Some(words) => words.push(&text),
                };
                Delta::Text(self.text.push(&text))
            }
            Delta::Reasoning(text) => Delta::Reasoning(self.reasoning.push(&text)),
            other @ (Delta::CallName { .. } | Delta::CallArgs { .. }) => other,
        };
        self.show(&delta);
    }

    fn finish(&mut self) {
        let rest = [Delta::Reasoning(self.reasoning.finish()), Delta::Text(self.text.finish())];
        for delta in &rest {
            self.show(delta);
        }
    }

    fn show(&mut self, delta: &Delta) {
        if self.aside {
            return;
        }
        if let Delta::Text(text) = delta {
            self.said.push_str(text);
        }
        if let Delta::Text(text) | Delta::Reasoning(text) = delta
            && text.is_empty()
        {
            return;
        }
        self.live.delta(delta);
        self.observer.delta(&self.run, delta);
    }
}

/// What came of a reply that broke off, as it was shown.
fn said(shown: &Mutex<Shown>) -> String {
    let Ok(mut shown) = shown.lock() else { return String::new() };
    shown.finish();
    std::mem::take(&mut shown.said).trim_end().to_owned()
}

/// The stable word of a kind of failure.
fn word(kind: ErrorKind) -> String {
    match serde_json::to_value(kind) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(_) | Err(_) => "model_error".to_owned(),
    }
}

fn finish(finish: &Finish) -> FinishReason {
    match finish {
        Finish::Stop => FinishReason::Stop,
        Finish::ToolCalls => FinishReason::ToolCalls,
        Finish::Length => FinishReason::Length,
        Finish::ContentFilter => FinishReason::ContentFilter,
        Finish::Other(word) => FinishReason::Other(word.clone()),
        Finish::None => FinishReason::Other(String::new()),
    }
}

/// Tokens of a reply: the server's figures where they can be, else our own.
fn usage(reply: &Reply, prompt: u32, tokens: u32, window: u32) -> Usage {
    let usage = match &reply.usage {
        // No prompt has no tokens, and no reply that says something: the server did not say.
        Some(u) if u.prompt > 0 || u.completion > 0 => Usage {
            prompt: if u.prompt == 0 { u64::from(prompt) } else { u.prompt },
            completion: if u.completion == 0 { u64::from(tokens) } else { u.completion },
            cached: if u.prompt == 0 { 0 } else { u.cached.unwrap_or(0) },
            estimated: u.estimated || u.prompt == 0 || u.completion == 0,
        },
        Some(_) | None => {
            Usage { prompt: u64::from(prompt), completion: u64::from(tokens), cached: 0, estimated: true }
        }
    };
    usage.believed(prompt, tokens, window)
}
