//! Calls of a reply: recorded as proposed, then judged. The evidence is gathered here; the verdict is the agent's.

use super::batch::Batch;
use super::driver::Driver;
use super::error::WorkError;
use super::reuse;
use super::subject::subject;
use crate::agent::policy::{Evidence, Problem, Verdict, denied, judge, strictest};
use crate::config::settings::TAKE_SECRETS;
use crate::context::{MessageText, message_tokens};
use crate::host::environment::secret_names;
use crate::run::call::{Call, DefaultAnswer, Origin};
use crate::run::event::{Event, Proposal, ResultText};
use crate::run::id::{CallId, Hash, Millis, Seq};
use crate::run::settings::{Class, Settings};
use crate::run::state::RunState;
use crate::store::CallFilter;
use crate::tool::{self, ToolError, canonical};
use crate::workspace::{Workspace, WorkspaceError};
use std::sync::Arc;

/// What the model gets instead of arguments that were cut off.
const CUT: &str = "(the arguments were cut off by the length limit of the reply)";

/// A call as it was asked for.
pub(super) struct Asked<'a> {
    /// The reply it stands in; none for a check.
    pub reply_seq: Option<Seq>,
    /// Who asks.
    pub origin: Origin,
    /// Place in the reply, from 1.
    pub position: u32,
    /// The tool's name as written.
    pub name: &'a str,
    /// The arguments as written.
    pub raw: &'a str,
    /// True if the reply ended in the middle of them.
    pub cut: bool,
}

impl Driver<'_> {
    /// Records a call as proposed.
    pub fn propose(&mut self, batch: &mut Batch, asked: Asked<'_>) -> Result<CallId, WorkError> {
        let Asked { reply_seq, origin, position, name, raw, cut } = asked;
        let seq = batch.next_seq();
        let call_id = CallId::of(&self.run, seq);
        let raw = self.masks.call(name, raw.to_owned());
        let text = match serde_json::from_str::<serde_json::Value>(&raw) {
            Ok(value) => canonical(&value),
            Err(_) if cut => format!("{CUT} {raw}"),
            Err(_) => raw,
        };
        let text = if text.trim().is_empty() { "{}".to_owned() } else { text };
        let class = self.class_of(name, origin)?;
        let key = effect_key(name, &text);
        self.args.insert((call_id.clone(), key.as_str().to_owned()), text.clone());
        let proposal = Proposal {
            call_id: call_id.clone(),
            origin,
            reply_seq: reply_seq.unwrap_or(seq),
            step: batch.state().path.step + 1,
            position,
            tool: name.to_owned(),
            class,
            args: batch.bag.body(text),
            args_hash: key.clone(),
            effect_key: key,
        };
        batch.push_by(author(origin), Event::CallProposed(proposal))?;
        Ok(call_id)
    }

    fn class_of(&self, name: &str, origin: Origin) -> Result<Class, WorkError> {
        let spec = self.settings()?.tool(name).map(|s| s.class);
        Ok(match (origin, spec) {
            // Whoever added a check said that its command may run again.
            (Origin::Check(_), Some(Class::Effect)) => Class::Keyed,
            (Origin::Check(_), None) if name == "shell" => Class::Keyed,
            (Origin::Check(_), None) if name == "ask_person" => Class::Person,
            (_, Some(class)) => class,
            (_, None) => Class::Read,
        })
    }

    /// Judges a proposed call into the batch.
    pub async fn judge_into(&mut self, batch: &mut Batch, call_id: &CallId) -> Result<(), WorkError> {
        let Some(call) = batch.state().open_call(call_id).cloned() else { return Ok(()) };
        let evidence = self.evidence(&call, acts_before(batch.state(), &call)).await?;
        let verdict = judge(batch.state(), &call, &evidence, batch.now);
        let event = match verdict {
            Verdict::Approve(why) => Event::CallApproved {
                call_id: call_id.clone(),
                args_hash: call.args_hash.clone(),
                why,
                shown: None,
            },
            Verdict::Ask(why) => {
                let default = default_answer(batch.state().settings(), &call, batch.now);
                Event::CallWaiting { call_id: call_id.clone(), why, default }
            }
            Verdict::Reject(problem) => {
                let result = self.result(batch, &call.tool, false, error_text(&problem));
                Event::CallRejected { call_id: call_id.clone(), kind: problem.kind, result }
            }
        };
        batch.push(event)?;
        Ok(())
    }

    /// The arguments in force of an open call.
    pub async fn args_of(&mut self, call: &Call) -> Result<String, WorkError> {
        let key = (call.call_id.clone(), call.args_hash.as_str().to_owned());
        if let Some(text) = self.args.get(&key) {
            return Ok(text.clone());
        }
        let filter = CallFilter { run: Some(self.run.clone()), open_only: true, ..CallFilter::default() };
        let rows = self.engine.store.calls(filter).await?;
        let Some(row) = rows.into_iter().find(|r| r.call_id == call.call_id) else {
            return Err(WorkError::Stored(format!("the arguments of call {} are missing", call.call_id)));
        };
        let text = self.engine.store.text(&row.args).await?;
        self.args.insert(key, text.clone());
        Ok(text)
    }

    /// The call as its tool reads it.
    pub async fn typed(&mut self, call: &Call) -> Result<Result<tool::Call, ToolError>, WorkError> {
        let raw = self.args_of(call).await?;
        let registry = match call.origin {
            // A check needs its tool also where the model is not offered it.
            Origin::Check(_) => Arc::new(tool::Registry::new(tool::ShellLimits::default())),
            Origin::Model => self.registry()?,
        };
        Ok(registry.read(&call.tool, &raw).map(|(_, typed)| typed))
    }

    /// What makes arguments that a person wrote useless whatever else happens: a path that leads out, a folder that is none.
    /// They can still mend it.
    pub fn hopeless_paths(&mut self, tool: &str, args: &str) -> Result<Option<Problem>, WorkError> {
        let Ok((_, typed)) = self.registry()?.read(tool, args) else { return Ok(None) };
        let Ok(workspace) = self.workspace() else { return Ok(None) };
        Ok(match &typed {
            tool::Call::Shell(args) => args.cwd.as_deref().and_then(|cwd| hopeless(workspace.real(cwd))),
            tool::Call::WriteFile(args) => hopeless(workspace.writable(&args.path)),
            tool::Call::EditFile(args) => hopeless(workspace.writable(&args.path)),
            tool::Call::ReadFile(_)
            | tool::Call::ListFiles(_)
            | tool::Call::Search(_)
            | tool::Call::HttpGet(_)
            | tool::Call::Note(_)
            | tool::Call::Plan(_)
            | tool::Call::Remember(_)
            | tool::Call::Recall(_)
            | tool::Call::AskPerson(_)
            | tool::Call::Decide(_) => None,
        })
    }

    /// What is found out about a call. While calls before it are still to change things, only that is held against it what
    /// they cannot mend; the rest is seen when its turn comes.
    async fn evidence(&mut self, call: &Call, early: bool) -> Result<Evidence, WorkError> {
        if let Some(error) = self.secret_problem(call).await? {
            return Ok(Evidence { problem: Some(problem(error)), ..Evidence::default() });
        }
        let typed = match self.typed(call).await? {
            Ok(typed) => typed,
            Err(error) => return Ok(Evidence { problem: Some(problem(error)), ..Evidence::default() }),
        };
        let workspace = self.workspace()?;
        let mut evidence = Evidence { subject: subject(&typed, &workspace), ..Evidence::default() };
        match &typed {
            tool::Call::Shell(args) => {
                evidence.danger = tool::dangerous(&args.command);
                evidence.problem = args.cwd.as_deref().and_then(|cwd| match early {
                    true => hopeless(workspace.real(cwd)),
                    false => tool::folder(&workspace, cwd).err().map(problem),
                });
            }
            tool::Call::WriteFile(args) => {
                evidence.problem = match early {
                    true => hopeless(workspace.writable(&args.path)),
                    false => args.prepare(&workspace).err().map(problem),
                };
                evidence.writes_inside = evidence.problem.is_none();
            }
            tool::Call::EditFile(args) => {
                evidence.problem = match early {
                    true => hopeless(workspace.writable(&args.path)),
                    false => args.prepare(&workspace).err().map(problem),
                };
                evidence.writes_inside = evidence.problem.is_none();
            }
            tool::Call::HttpGet(args) => evidence.sends_out = !self.host_allowed(&args.url),
            tool::Call::ReadFile(_)
            | tool::Call::ListFiles(_)
            | tool::Call::Search(_)
            | tool::Call::Note(_)
            | tool::Call::Plan(_)
            | tool::Call::Remember(_)
            | tool::Call::Recall(_)
            | tool::Call::AskPerson(_)
            | tool::Call::Decide(_) => {}
        }
        if call.class == Class::Effect {
            evidence.earlier = self.earlier(call).await?;
        }
        Ok(evidence)
    }

    /// Why a rule denies a call as it stands now: what its path leads to may be another place than when it was judged.
    pub fn denied_now(
        &self,
        call: &Call,
        typed: &tool::Call,
        workspace: &Workspace,
    ) -> Result<Option<Problem>, WorkError> {
        if let Origin::Check(_) = call.origin {
            return Ok(None);
        }
        let subject = subject(typed, workspace);
        Ok(strictest(&self.settings()?.rules, &call.tool, &subject).and_then(denied))
    }

    /// What stands against a call because of keys and secrets: one that stood in its arguments itself, or one that it
    /// names and that cannot be filled in.
    pub async fn secret_problem(&mut self, call: &Call) -> Result<Option<ToolError>, WorkError> {
        let args = self.args_of(call).await?;
        let secrets = &self.engine.secrets;
        let names: Vec<String> = secrets.names().iter().map(|name| format!("${{secret:{name}}}")).collect();
        let known = match names.is_empty() {
            true => "none is configured; the person adds one under [secrets] of the config file".to_owned(),
            false => format!("these are configured: {}", names.join(", ")),
        };
        if super::masking::taken_out(&args) {
            return Ok(Some(ToolError::new(
                "secret_in_arguments",
                "the arguments held a key or another secret, which was taken out; nothing was run.",
                format!(
                    "Never write a secret itself. Where shell or http_get needs one, write ${{secret:NAME}} in its place \
                     ({known})."
                ),
            )));
        }
        if !args.contains("${secret:") {
            return Ok(None);
        }
        if TAKE_SECRETS.contains(&call.tool.as_str()) {
            return Ok(secrets.missing_in(&args).map(|why| {
                ToolError::new(
                    "secret_missing",
                    format!("{why}; nothing was run."),
                    format!("Ask the person ({known})."),
                )
            }));
        }
        let writes = matches!(call.tool.as_str(), "write_file" | "edit_file");
        let named = secret_names(&args).into_iter().find(|name| secrets.names().contains(&name.as_str()));
        Ok(named.filter(|_| writes).map(|name| {
            ToolError::new(
                "secret_in_file",
                format!("${{secret:{name}}} is not filled in by {}, and would stand in the file as it is.", call.tool),
                "Read the secret from the environment in what you write, or write the file by a shell command.",
            )
        }))
    }

    fn host_allowed(&self, url: &str) -> bool {
        tool::host_of(url).is_some_and(|host| self.engine.allow_hosts.contains(&host))
    }

    /// The same effect on a timeline that was left: a person decides whether it is to happen again.
    async fn earlier(&self, call: &Call) -> Result<Option<String>, WorkError> {
        let found = reuse::earlier(&self.engine.store, &self.state, &call.effect_key, &call.call_id).await?;
        let Some(row) = found else { return Ok(None) };
        let result = match &row.result {
            Some(body) => self.engine.store.text(body).await?,
            None => "not known".to_owned(),
        };
        let result: String = result.chars().take(200).collect();
        Ok(Some(format!(
            "ran at step {} of abandoned timeline {} ({}); its result was: {result}",
            row.step,
            row.timeline,
            row.status.word()
        )))
    }

    /// A result as the model gets it, counted with its framing.
    pub fn result(&self, batch: &mut Batch, tool: &str, ok: bool, text: impl Into<String>) -> ResultText {
        let text = self.masks.owned(text.into());
        let message = MessageText::Result { tool: tool.to_owned(), ok, text: text.clone() };
        ResultText { tokens: self.message_tokens(&message), body: batch.bag.body(text) }
    }

    /// Tokens of a message in later requests.
    pub fn message_tokens(&self, message: &MessageText) -> u32 {
        self.state.settings().map_or(0, |s| message_tokens(&s.model, message, &|text| self.count(text)))
    }

    /// A text that is not a result, counted with its framing.
    pub fn words(&self, batch: &mut Batch, message: &MessageText) -> ResultText {
        let text = match message {
            MessageText::Agent { text, .. }
            | MessageText::Result { text, .. }
            | MessageText::Person { text }
            | MessageText::Wakeful { text } => self.masks.owned(text.clone()),
        };
        ResultText { tokens: self.message_tokens(message), body: batch.bag.body(text) }
    }
}

/// True while a call before this one in its reply is still to be performed and may change what this one needs.
fn acts_before(state: &RunState, call: &Call) -> bool {
    let before = |c: &Call| (c.reply_seq, c.position) < (call.reply_seq, call.position);
    state.open_here().any(|c| before(c) && matches!(c.class, Class::Keyed | Class::Effect))
}

/// What no other call can mend about a path.
fn hopeless(path: Result<String, WorkspaceError>) -> Option<Problem> {
    let error = path.err()?;
    let never = match &error {
        WorkspaceError::Root { .. }
        | WorkspaceError::Moved { .. }
        | WorkspaceError::Outside { .. }
        | WorkspaceError::BadPath { .. }
        | WorkspaceError::Protected { .. } => true,
        WorkspaceError::Io { source, .. } => source.kind() == std::io::ErrorKind::InvalidFilename,
        WorkspaceError::DanglingLink { .. }
        | WorkspaceError::NotFound { .. }
        | WorkspaceError::NotAFile { .. }
        | WorkspaceError::ReadOnlyFolder { .. }
        | WorkspaceError::ReadOnly { .. }
        | WorkspaceError::TooBig { .. } => false,
    };
    never.then(|| problem(error.into()))
}

fn author(origin: Origin) -> crate::run::control::Author {
    match origin {
        Origin::Model => crate::run::control::Author::Agent,
        Origin::Check(_) => crate::run::control::Author::Wakeful,
    }
}

/// Hash of a tool and its canonical arguments.
pub fn effect_key(tool: &str, args: &str) -> Hash {
    Hash::of_parts(&[tool.as_bytes(), args.as_bytes()])
}

/// A tool's error as the agent's problem.
pub fn problem(error: ToolError) -> Problem {
    Problem { kind: error.kind, message: error.message, suggestion: error.suggestion }
}

/// An error as the model gets it: kind, message, suggested action.
pub fn error_text(problem: &Problem) -> String {
    format!("error [{}]: {}\nwhat to do: {}", problem.kind, problem.message, problem.suggestion)
}

/// When the agent's recommendation is taken if nobody makes this decision; none if it waits for ever.
fn default_answer(settings: Option<&Settings>, call: &Call, now: Millis) -> Option<DefaultAnswer> {
    let after_ms =
        settings?.decide_after_ms.filter(|_| call.tool == "decide" && call.origin == Origin::Model)?;
    Some(DefaultAnswer { at: now.saturating_add(i64::try_from(after_ms).unwrap_or(i64::MAX)), after_ms })
}
