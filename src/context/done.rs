//! What was done in the rounds that leave the window, a line a call, for the state: it outlasts every summary, and stands
//! where there is none.
//!
//! Derived from the replies, their calls and results; the lines go into the event that folds the rounds. Not to be assumed:
//! that it lists all there ever was. A call of the same tool about the same thing takes the place of the one before; what
//! only begins alike is another thing.

use super::summary::{SAID, Subject, result_of};
use super::texts::{AgentCall, MessageText, Texts};
use super::words::{first_line, one_line};
use crate::run::earlier::DoneCall;
use crate::run::message::{MessageRef, Speaker};
use crate::run::settings::{Class, Strategy};
use crate::run::{RunState, Seq};

/// Characters of what came of a call.
const CAME: usize = 100;

/// The calls of the rounds up to `upto` as the state is to name them, oldest first. Under `extract` all but those whose
/// effect is the state itself; under `combined`, which has a summary too, those that reading does not undo: effects, and
/// what a person was asked. None under the strategies that have no state.
pub fn done_calls(state: &RunState, texts: &Texts, upto: Seq) -> Vec<DoneCall> {
    let Some(settings) = state.settings() else { return Vec::new() };
    let reads = match settings.context.strategy {
        Strategy::Extract => true,
        Strategy::Combined => false,
        Strategy::Rounds | Strategy::Summary => return Vec::new(),
    };
    let told = |call: &AgentCall| {
        let class = settings.tool(&call.name)?.class;
        match class {
            Class::Effect | Class::Keyed | Class::Person => Some(class),
            Class::Read => reads.then_some(class),
            Class::Inner => None,
        }
    };
    let folded: Vec<&MessageRef> = state.path.messages.iter().filter(|m| m.seq <= upto).collect();
    let mut done = Vec::new();
    for message in &folded {
        let Some(MessageText::Agent { calls, .. }) = texts.messages.get(&message.seq) else { continue };
        let Speaker::Agent { calls: shown } = &message.speaker else { continue };
        let shown = usize::try_from(*shown).unwrap_or(usize::MAX);
        done.extend(calls.iter().take(shown).filter_map(|call| {
            let (class, result) = (told(call)?, result_of(message.seq, call, &folded)?);
            let Subject { words, whole } = Subject::of(call);
            Some(DoneCall { what: words, whole, came: came(texts.messages.get(&result), class) })
        }));
    }
    done
}

/// What came of a call, by its result: of a question the answer; what was read is not said, it may be read again.
fn came(result: Option<&MessageText>, class: Class) -> String {
    let Some(MessageText::Result { ok, text, .. }) = result else {
        return "its text could not be read".to_owned();
    };
    if !ok {
        return format!("FAILED: {}", one_line(text, CAME));
    }
    match class {
        Class::Read => "ok".to_owned(),
        Class::Person => one_line(text, SAID),
        Class::Effect | Class::Keyed | Class::Inner => format!("ok: {}", one_line(first_line(text), CAME)),
    }
}
