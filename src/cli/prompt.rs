//! Questions asked in place, in a terminal. Nothing is approved by a key that was typed before the question was shown,
//! and the default is no decision: an empty line, or the end of input, leaves the call waiting. A question that somebody
//! answers elsewhere is given up at once, with what was typed at it.

use super::app::{App, Failure};
use super::elsewhere::{self, About, Gone};
use super::keys::Keys;
use super::print::{neutral, one_line, talk};
use super::question::{chosen, question, taken};
use super::screen::back;
use super::words::{sentence, who};
use super::{arguments, layout, observe};
use crate::host::editor;
use crate::run::call::CallStatus;
use crate::run::control::{Author, Control, Decision, Resolution};
use crate::run::event::Hold;
use crate::run::id::{CallId, Seq};
use crate::run::settings::Class;
use crate::run::state::{RunState, WaitWhy};
use crate::store::{CallFilter, CallRow, Posted, Store, StoreError};
use crate::worker::Masks;
use serde_json::Value;

/// Where questions are asked and answers go.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The invocation.
    pub app: &'a App,
    /// The store.
    pub store: &'a Store,
    /// What is kept out of an answer.
    pub masks: &'a Masks,
}

/// Asks about everything that `why` names. Returns false if the person left something undecided.
///
/// # Errors
/// The store's.
pub async fn ask(
    place: Place<'_>,
    state: &RunState,
    why: &WaitWhy,
    keys: &mut Keys,
) -> Result<bool, Failure> {
    match why {
        WaitWhy::Approval(_) | WaitWhy::Question(_) | WaitWhy::Uncertain(_) => {
            calls(place, state, keys).await
        }
        WaitWhy::Hold(hold) => held(place, state, hold, keys).await,
        WaitWhy::Retry(_) => Ok(true),
    }
}

async fn calls(place: Place<'_>, state: &RunState, keys: &mut Keys) -> Result<bool, Failure> {
    let Place { app, store, .. } = place;
    let filter = CallFilter {
        run: Some(state.run.clone()),
        open_only: true,
        statuses: vec![CallStatus::Waiting, CallStatus::Uncertain],
        limit: None,
    };
    let mut rows = store.calls(filter).await?;
    rows.retain(|r| r.timeline == state.head.timeline);
    rows.sort_by_key(|r| (r.seq, r.position));
    let (mut shown, mut decided_here) = (false, false);
    for row in rows {
        let mut desk = Desk { app, store, state, about: About::Call(&row), keys: &mut *keys };
        if let Some(gone) = desk.look().await? {
            // A decision that stood before anything was asked here is no news; its owner takes it.
            if shown {
                talk(&format!("\n! {}.{} {}: {}", row.step, row.position, row.tool, words_of(&gone)));
            }
            match gone {
                Gone::Call(_) => continue,
                Gone::Run(_) => return Ok(true),
            }
        }
        // A decision is taken down at once, so that it is seen elsewhere and the call starts; the next question is asked
        // after that. What others decided meanwhile is told all the same.
        if decided_here {
            continue;
        }
        shown = true;
        let decided = if row.status == CallStatus::Uncertain {
            desk.uncertain(&row).await
        } else if row.class == Class::Person {
            desk.question(&row).await
        } else {
            desk.approval(&row).await
        };
        match decided {
            Ok(decision) => {
                post(place, &row, decision).await?;
                decided_here = true;
            }
            Err(Left::Later) => return Ok(false),
            Err(Left::Gone(gone)) => {
                talk(&format!("\n  {}", words_of(&gone)));
                if let Gone::Run(_) = gone {
                    return Ok(true);
                }
            }
            Err(Left::Failed(failure)) => return Err(failure),
        }
    }
    Ok(true)
}

async fn held(place: Place<'_>, state: &RunState, hold: &Hold, keys: &mut Keys) -> Result<bool, Failure> {
    let Place { app, store, .. } = place;
    let mut desk = Desk { app, store, state, about: About::Hold(hold), keys };
    if desk.look().await?.is_some() {
        return Ok(true);
    }
    talk(&format!("\n! {}", observe::hold_words(hold)));
    let typed = desk.typed("  c continue, or type a message to the agent, empty leaves it waiting › ").await;
    let control = match typed {
        Ok(text) if text.trim().is_empty() => return Ok(false),
        Ok(text) if matches!(text.trim(), "c" | "continue") => Control::Continue,
        Ok(text) => Control::Message { text, now: false },
        Err(Left::Later) => return Ok(false),
        Err(Left::Gone(gone)) => {
            talk(&format!("\n  {}", words_of(&gone)));
            return Ok(true);
        }
        Err(Left::Failed(failure)) => return Err(failure),
    };
    let control = place.masks.control(control).map_err(Failure::usage)?;
    store.post(&state.run, control, person(), app.now()).await?;
    Ok(true)
}

fn person() -> Author {
    Author::Person("line".to_owned())
}

fn words_of(gone: &Gone) -> &str {
    match gone {
        Gone::Call(words) | Gone::Run(words) => words,
    }
}

async fn post(place: Place<'_>, row: &CallRow, decision: Decision) -> Result<(), Failure> {
    let Place { app, store, masks } = place;
    let edited = match &decision {
        Decision::ApproveEdited { args } | Decision::ApproveShown { args: Some(args), .. } => {
            Some(args.clone())
        }
        Decision::Approve
        | Decision::ApproveShown { args: None, .. }
        | Decision::Deny { .. }
        | Decision::Reuse { .. }
        | Decision::Answer { .. }
        | Decision::Resolve { .. } => None,
    };
    let control = Control::Decide {
        call_id: row.call_id.clone(),
        args_hash: row.args_hash.clone(),
        attempt: row.attempt,
        decision,
    };
    let control = match masks.control(control) {
        Ok(control) => control,
        Err(why) => {
            talk(&format!("  {why}"));
            return Ok(());
        }
    };
    let lost = match store.post(&row.run, control, person(), app.now()).await {
        Ok(Posted::Row(_)) => return Ok(()),
        Ok(Posted::LostTo { by, decision, .. }) => {
            format!("decided elsewhere before: {decision} by {}", who(&by))
        }
        Err(error @ StoreError::NotDecidable { .. }) => error.to_string(),
        Err(error) => return Err(error.into()),
    };
    talk(&format!("  {lost}"));
    if let Some(args) = edited {
        keep(&arguments::written(&args));
    }
    Ok(())
}

/// Puts edited arguments that come to nothing into a file, and names it.
fn keep(text: &str) {
    match editor::keep(text, arguments::FILE) {
        Ok(file) => talk(&format!("  your arguments are kept in {}", file.display())),
        Err(error) => talk(&format!("  your arguments could not be kept: {error}\n{text}")),
    }
}

/// Why a question ended without a decision of the person.
enum Left {
    /// The person leaves it open.
    Later,
    /// It is open no more.
    Gone(Gone),
    /// It could not be asked.
    Failed(Failure),
}

impl From<Failure> for Left {
    fn from(failure: Failure) -> Self {
        Left::Failed(failure)
    }
}

/// What a person made of a call's arguments so far. If nothing comes of it, however the question ends, it is kept.
struct Draft(Option<String>);

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(text) = self.0.take() {
            talk("");
            keep(&text);
        }
    }
}

/// Where one question is asked.
struct Desk<'a> {
    app: &'a App,
    store: &'a Store,
    /// The run when it was asked.
    state: &'a RunState,
    about: About<'a>,
    keys: &'a mut Keys,
}

impl Desk<'_> {
    fn seen(&self) -> Seq {
        self.state.head.seq
    }

    async fn look(&self) -> Result<Option<Gone>, Failure> {
        elsewhere::look(self.store, &self.state.run, self.about, self.seen()).await
    }

    /// Shows a question and gives the line that is typed, unless the question goes away before.
    async fn typed(&mut self, question: &str) -> Result<String, Left> {
        let seen = self.seen();
        let gone = tokio::select! {
            biased;
            gone = elsewhere::gone(self.store, &self.state.run, self.about, seen) => gone?,
            line = self.keys.line(question) => return line.ok_or(Left::Later),
        };
        self.keys.taken_away().await;
        Err(Left::Gone(gone))
    }

    async fn show(&self, row: &CallRow) -> Result<(), Failure> {
        let args = self.store.text(&row.args).await?;
        talk(&format!("\n! {}\n{}", head(row), shown(&args)));
        Ok(())
    }

    async fn approval(&mut self, row: &CallRow) -> Result<Decision, Left> {
        self.show(row).await?;
        let reusable = self.reusable(row).await?;
        let mut draft = Draft(None);
        let mut edited: Option<Value> = None;
        loop {
            let question = match (&edited, &reusable) {
                (None, None) => "  run it? y yes · n no · e edit · l later (default) › ",
                (None, Some(_)) => {
                    "  run it? y yes · n no · e edit · u use that result · l later (default) › "
                }
                (Some(_), _) => {
                    "  run it with your arguments? y yes · n no · e edit again · l later (default) › "
                }
            };
            match self.typed(question).await?.trim() {
                "u" | "use" => match (&reusable, &edited) {
                    (Some(from), None) => return Ok(Decision::Reuse { from: from.clone() }),
                    (Some(_), Some(_)) => talk("  that result is of the arguments before yours"),
                    (None, _) => talk("  there is no result to use; type y, n, e or l"),
                },
                "" | "l" | "later" => return Err(Left::Later),
                "y" | "yes" => {
                    let Some(args) = edited else { return Ok(Decision::Approve) };
                    draft.0 = None;
                    return Ok(Decision::ApproveEdited { args });
                }
                "n" | "no" => {
                    let reason = self.typed("  why not? (the agent is told) › ").await?;
                    return Ok(Decision::Deny { reason });
                }
                "e" | "edit" => edited = self.edit(row, &mut draft.0).await?,
                _ => talk("  type y, n, e or l"),
            }
        }
    }

    /// Tells what the same call did on a timeline that was left; gives it if its result can be used again.
    async fn reusable(&self, row: &CallRow) -> Result<Option<CallId>, Left> {
        let Some(before) = back::before(self.store, row).await? else { return Ok(None) };
        let step = before.step;
        if let Some(why) = &before.refused {
            talk(&format!(
                "  it ran in step {step}, which was rolled back; its result cannot be used: {why}"
            ));
            return Ok(None);
        }
        let result =
            before.result.as_deref().map_or_else(String::new, |text| format!(": {}", one_line(text)));
        talk(&format!("  it ran in step {step}, which was rolled back, with this result{result}"));
        Ok(Some(before.call))
    }

    async fn edit(&mut self, row: &CallRow, draft: &mut Option<String>) -> Result<Option<Value>, Left> {
        let args = self.store.text(&row.args).await.map_err(Failure::from)?;
        let before = draft.take().unwrap_or_else(|| arguments::pretty(&args));
        let text = match arguments::edit(self.app, before.clone()).await {
            Ok(text) => text,
            Err(failure) => {
                talk(&format!(
                    "  {} `wakeful approve {} --args JSON` needs no editor",
                    sentence(&failure.message),
                    row.call_id
                ));
                *draft = (before != arguments::pretty(&args)).then_some(before);
                return Ok(None);
            }
        };
        let read = arguments::read(self.state, row, &text);
        *draft = Some(text);
        if let Some(gone) = self.look().await? {
            self.keys.taken_away().await;
            return Err(Left::Gone(gone));
        }
        match read {
            Ok(new) if arguments::same(&new, &args) => {
                *draft = None;
                talk("  the arguments are as they were");
                Ok(None)
            }
            Ok(new) => {
                talk(&format!("  your arguments:\n{}", shown(&new.to_string())));
                Ok(Some(new))
            }
            Err(why) => {
                talk(&format!("  {why}\n  e opens your text again"));
                Ok(None)
            }
        }
    }

    async fn question(&mut self, row: &CallRow) -> Result<Decision, Left> {
        let args = self.store.text(&row.args).await.map_err(Failure::from)?;
        let asked = question(&row.tool, &args, layout::width());
        let words = asked.map_or_else(|| shown(&args), |words| words.trim_end().to_owned());
        talk(&format!("\n! {}\n{words}", head(row)));
        let call = self.state.open_here().find(|call| call.call_id == row.call_id);
        if let Some(default) = call.and_then(|call| call.default) {
            talk(&format!("    {}", taken(default, self.app.now())));
        }
        loop {
            let text = self.typed("  your answer (empty: later) › ").await?;
            if text.trim().is_empty() {
                return Err(Left::Later);
            }
            match chosen(&row.tool, &args, text) {
                Ok(text) => return Ok(Decision::Answer { text }),
                Err(why) => talk(&format!("  it has {why}")),
            }
        }
    }

    async fn uncertain(&mut self, row: &CallRow) -> Result<Decision, Left> {
        self.show(row).await?;
        talk("  It was started, and nobody knows whether it happened.");
        loop {
            let typed =
                self.typed("  h it happened · r it did not, run it · s skip it · l later (default) › ");
            let resolution = match typed.await?.trim() {
                "" | "l" | "later" => return Err(Left::Later),
                "h" | "happened" => Resolution::Happened,
                "r" | "rerun" => Resolution::Rerun,
                "s" | "skip" => Resolution::Skip,
                _ => {
                    talk("  type h, r, s or l");
                    continue;
                }
            };
            return Ok(Decision::Resolve { resolution, spool: spool(row) });
        }
    }
}

/// Which call is asked about, and why it waits.
fn head(row: &CallRow) -> String {
    let why = row.why.as_deref().unwrap_or("");
    format!("{}.{} {} ({}) · {why}", row.step, row.position, row.tool, row.class.word())
}

/// Arguments line by line, whole.
fn shown(args: &str) -> String {
    match serde_json::from_str::<Value>(args) {
        Ok(Value::Object(map)) => map
            .iter()
            .map(|(name, value)| match value {
                Value::String(text) => format!("    {name}: {}", visible(text).replace('\n', "\n      ")),
                other => format!("    {name}: {}", visible(&other.to_string())),
            })
            .collect::<Vec<_>>()
            .join("\n"),
        Ok(_) | Err(_) => format!("    {}", visible(args)),
    }
}

/// The whole text with every character that acts or hides shown as a code.
fn visible(text: &str) -> String {
    crate::tool::neutralise(&neutral(text)).into_owned()
}

/// Name of the spool that the question is about.
pub fn spool(row: &CallRow) -> String {
    format!("{}.{}.{}", row.call_id, row.attempt, row.spool_epoch)
}
