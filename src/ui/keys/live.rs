//! Which contexts are live together. No key stands twice in one of these sets; whoever changes a binding is held to it.

use super::table::Ctx;

/// The run's screen with a panel that has no keys of its own.
pub const RUN: &[Ctx] = &[Ctx::Sys, Ctx::Any, Ctx::Scroll, Ctx::List, Ctx::Run];
/// The run's screen with the focus on Loop.
pub const RUN_LOOP: &[Ctx] = &[Ctx::Sys, Ctx::Any, Ctx::Scroll, Ctx::List, Ctx::Run, Ctx::Loop];
/// The run's screen with the focus on Queue.
pub const RUN_QUEUE: &[Ctx] = &[Ctx::Sys, Ctx::Any, Ctx::Scroll, Ctx::List, Ctx::Run, Ctx::Queue];
/// The run's screen with the focus on Checkpoints.
pub const RUN_CHK: &[Ctx] = &[Ctx::Sys, Ctx::Any, Ctx::Scroll, Ctx::List, Ctx::Run, Ctx::Chk];
/// The start screen.
pub const START: &[Ctx] = &[Ctx::Sys, Ctx::Any, Ctx::Scroll, Ctx::List, Ctx::Start];
/// The browser of runs.
pub const BROWSE: &[Ctx] = &[Ctx::Sys, Ctx::Any, Ctx::Scroll, Ctx::List, Ctx::Browse];
/// The replay.
pub const REPLAY: &[Ctx] = &[Ctx::Sys, Ctx::Any, Ctx::Scroll, Ctx::List, Ctx::Replay];
/// The memories.
pub const MEM: &[Ctx] = &[Ctx::Sys, Ctx::Any, Ctx::Scroll, Ctx::List, Ctx::Mem];
/// The statistics.
pub const STATS: &[Ctx] = &[Ctx::Sys, Ctx::Any, Ctx::Scroll, Ctx::List, Ctx::Stats];

/// A dialog that only shows something.
pub const SHOW: &[Ctx] = &[Ctx::Sys, Ctx::Dialog, Ctx::Scroll, Ctx::Page];
/// The items of a slot of the context.
pub const ITEMS: &[Ctx] = &[Ctx::Sys, Ctx::Dialog, Ctx::Scroll, Ctx::Page, Ctx::Items];
/// A dialog with rows to choose from: whether to end a command.
pub const CHOOSE: &[Ctx] = &[Ctx::Sys, Ctx::Dialog, Ctx::Scroll, Ctx::List];
/// The choices of the banners.
pub const BANNERS: &[Ctx] = &[Ctx::Sys, Ctx::Dialog, Ctx::Scroll, Ctx::List, Ctx::Banners];
/// The dialog about a run that waits without a call: its rows have the keys of the run's screen.
pub const HELD: &[Ctx] = &[Ctx::Sys, Ctx::Dialog, Ctx::Scroll, Ctx::List, Ctx::Run];
/// The dialog that asks for a decision on a call.
pub const ASK: &[Ctx] = &[Ctx::Sys, Ctx::Dialog, Ctx::Scroll, Ctx::Page, Ctx::Ask];
/// The dialog about an uncertain effect.
pub const UNSURE: &[Ctx] = &[Ctx::Sys, Ctx::Dialog, Ctx::Scroll, Ctx::Unsure];
/// The preview of a rollback.
pub const ROLL: &[Ctx] = &[Ctx::Sys, Ctx::Dialog, Ctx::Scroll, Ctx::Roll];
/// The dialog with options.
pub const OPT: &[Ctx] = &[Ctx::Sys, Ctx::Dialog, Ctx::Scroll, Ctx::List, Ctx::Opt];
/// The dialog before leaving.
pub const QUIT: &[Ctx] = &[Ctx::Sys, Ctx::Dialog, Ctx::Scroll, Ctx::List, Ctx::Quit];

/// One text: arguments of a call, a typed word, a filter.
pub const TEXT: &[Ctx] = &[Ctx::Sys, Ctx::Text];
/// One text with earlier entries: the message line, a reason, an answer.
pub const TEXT_RECALL: &[Ctx] = &[Ctx::Sys, Ctx::Text, Ctx::Recall];
/// A form: new run, goal, limits.
pub const FORM: &[Ctx] = &[Ctx::Sys, Ctx::Text, Ctx::Recall, Ctx::Form];
/// A list filtered by typing: palette, help.
pub const PICK: &[Ctx] = &[Ctx::Sys, Ctx::Text, Ctx::Pick];

/// The list of files behind an `@`; what it does not bind goes on to the text below it.
pub const COMPLETE: &[Ctx] = &[Ctx::Sys, Ctx::Complete];

/// Every set that can be live, with its name in messages.
pub const SETS: &[(&str, &[Ctx])] = &[
    ("run", RUN),
    ("run, loop", RUN_LOOP),
    ("run, queue", RUN_QUEUE),
    ("run, checkpoints", RUN_CHK),
    ("start", START),
    ("runs", BROWSE),
    ("replay", REPLAY),
    ("memory", MEM),
    ("statistics", STATS),
    ("text shown", SHOW),
    ("items of a slot", ITEMS),
    ("choice", CHOOSE),
    ("banners", BANNERS),
    ("waiting run", HELD),
    ("decision on a call", ASK),
    ("uncertain effect", UNSURE),
    ("rollback", ROLL),
    ("options", OPT),
    ("leaving", QUIT),
    ("typing", TEXT),
    ("typing with earlier entries", TEXT_RECALL),
    ("form", FORM),
    ("palette and help", PICK),
    ("files", COMPLETE),
];

/// True if characters are typed in this context, so that no bare character may be bound in it.
pub fn is_typing(ctx: Ctx) -> bool {
    match ctx {
        Ctx::Sys | Ctx::Text | Ctx::Recall | Ctx::Form | Ctx::Pick | Ctx::Complete => true,
        Ctx::Any
        | Ctx::Scroll
        | Ctx::List
        | Ctx::Run
        | Ctx::Loop
        | Ctx::Queue
        | Ctx::Chk
        | Ctx::Dialog
        | Ctx::Page
        | Ctx::Ask
        | Ctx::Unsure
        | Ctx::Roll
        | Ctx::Opt
        | Ctx::Items
        | Ctx::Banners
        | Ctx::Quit
        | Ctx::Start
        | Ctx::Browse
        | Ctx::Replay
        | Ctx::Mem
        | Ctx::Stats => false,
    }
}
