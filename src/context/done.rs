//! What was done in the rounds that leave the window, a line a call, for the state: it outlasts every summary, and stands
//! where there is none.
//!
//! Derived from the replies, their calls and results; the lines go into the event that folds the rounds. Not to be assumed:
//! that it lists all there ever was. A call of the same tool about the same thing takes the place of the one before.

use super::summary::{main_argument, result_of};
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
    let told = |call: &AgentCall| match settings.tool(&call.name).map(|tool| tool.class) {
        Some(Class::Effect | Class::Keyed | Class::Person) => true,
        Some(Class::Read) => reads,
        Some(Class::Inner) | None => false,
    };
    let folded: Vec<&MessageRef> = state.path.messages.iter().filter(|m| m.seq <= upto).collect();
    let mut done = Vec::new();
    for message in &folded {
        let Some(MessageText::Agent { calls, .. }) = texts.messages.get(&message.seq) else { continue };
        let Speaker::Agent { calls: shown } = &message.speaker else { continue };
        let shown = usize::try_from(*shown).unwrap_or(usize::MAX);
        for call in calls.iter().take(shown).filter(|call| told(call)) {
            let Some(result) = result_of(message.seq, call, &folded) else { continue };
            let what = format!("{} {}", call.name, main_argument(&call.arguments)).trim().to_owned();
            let class = settings.tool(&call.name).map(|tool| tool.class);
            done.push(DoneCall { what, came: came(texts.messages.get(&result), class) });
        }
    }
    done
}

/// What came of a call, by its result: of a question the answer; what was read is not said, it may be read again.
fn came(result: Option<&MessageText>, class: Option<Class>) -> String {
    match (result, class) {
        (Some(MessageText::Result { ok: true, .. }), Some(Class::Read)) => "ok".to_owned(),
        (Some(MessageText::Result { ok: true, text, .. }), Some(Class::Person)) => one_line(text, CAME),
        (Some(MessageText::Result { ok: true, text, .. }), _) => {
            format!("ok: {}", one_line(first_line(text), CAME))
        }
        (Some(MessageText::Result { ok: false, text, .. }), _) => format!("FAILED: {}", one_line(text, CAME)),
        (
            Some(MessageText::Agent { .. } | MessageText::Person { .. } | MessageText::Wakeful { .. }) | None,
            _,
        ) => "output no longer shown".to_owned(),
    }
}
