//! `context --slot`: what one slot of a step's request holds, item by item.
//!
//! JSON: `run`, `step`, `timeline`, `seq`, `attempt`, `purpose`, `slot`, `used`, `budget`, `trimmed` (as in the table), `items`
//! (`name`, `tool` or null, `text`, `tokens`), `unattributed` (tokens in none of the items: frames between them), `matches`, `differs` (words, or null). That the request differs from the one
//! that was sent is said, and exit code 1.

use super::app::Failure;
use super::duration::grouped;
use super::exit::Exit;
use super::layout;
use super::print::{one_line, talk, terminal_width};
use super::words::many;
use crate::context::{Named, SlotItem};
use crate::inspect::SlotItems;
use crate::run::RunId;
use crate::run::budget_table::{Slot, SlotRow};
use serde_json::{Value, json};

/// A slot by its word.
///
/// # Errors
/// The words that there are.
pub fn named(word: &str) -> Result<Slot, String> {
    let known = || Slot::ALL.map(Slot::word).join(", ");
    let slot = Slot::ALL.into_iter().find(|slot| slot.word() == word.trim());
    slot.ok_or_else(|| format!("there is no such slot; there are {}", known()))
}

/// Prints the items of a slot; `place` says of which request.
///
/// # Errors
/// If stdout cannot be written.
pub fn print(run: &RunId, read: &SlotItems, place: &str, json: bool) -> Result<Exit, Failure> {
    if json {
        layout::json(&object(run, read))?;
    } else {
        // What is read by another program is not broken into lines.
        layout::text(&page(read, place, terminal_width().unwrap_or(usize::MAX)))?;
        if let Some(words) = &read.differs {
            talk(&format!("{place}: {words}"));
        }
    }
    Ok(if read.differs.is_none() { Exit::Completed } else { Exit::Internal })
}

fn row(read: &SlotItems) -> Option<&SlotRow> {
    read.asked.table.rows.iter().find(|row| row.slot == read.slot)
}

fn object(run: &RunId, read: &SlotItems) -> Value {
    let asked = &read.asked;
    let item = |item: &SlotItem| {
        let (name, tool) = name(&item.named);
        json!({ "name": name, "tool": tool, "text": item.text, "tokens": item.tokens })
    };
    json!({
        "run": run, "step": asked.step, "timeline": asked.timeline, "seq": asked.seq, "attempt": asked.attempt,
        "purpose": asked.purpose, "slot": read.slot, "used": row(read).map(|row| row.used),
        "budget": row(read).map(|row| row.budget), "trimmed": row(read).map(|row| &row.trimmed),
        "items": read.items.iter().map(item).collect::<Vec<_>>(), "unattributed": read.unattributed(), "matches": read.differs.is_none(),
        "differs": read.differs,
    })
}

fn page(read: &SlotItems, place: &str, width: usize) -> String {
    let (used, budget) = row(read).map_or((0, 0), |row| (row.used, row.budget));
    let number = |n: u32| grouped(u64::from(n));
    let slot = read.slot.word();
    let mut text = format!("{slot}, {place}: {} of {} tokens\n", number(used), number(budget));
    for trim in row(read).into_iter().flat_map(|row| &row.trimmed) {
        let tokens = many(trim.tokens, "token");
        text.push_str(&format!("−{} ({}, {tokens})\n", one_line(&trim.what), one_line(&trim.why)));
    }
    if read.slot == Slot::Reserve {
        text.push_str(&format!(
            "kept free for the reply, at most {} tokens\n",
            number(read.asked.parts.max_tokens)
        ));
    } else if read.items.is_empty() {
        text.push_str("nothing stands in it\n");
    }
    for item in &read.items {
        let (name, tool) = name(&item.named);
        let tool = tool.map(|tool| format!(" {}", one_line(tool))).unwrap_or_default();
        text.push_str(&format!("\n{name}{tool} · {}\n", many(item.tokens, "token")));
        text.push_str(&layout::wrapped(item.text.trim_end(), "  ", width));
    }
    if read.unattributed() > 0 {
        text.push_str(&format!(
            "\nunattributed · {}, frames between the items\n",
            many(read.unattributed(), "token")
        ));
    }
    text
}

/// What an item is, in a stable word or two, and the tool that it is about.
fn name(named: &Named) -> (&'static str, Option<&str>) {
    let name = match named {
        Named::Tool(tool) => return ("tool", Some(tool)),
        Named::Result(tool) => return ("result of", Some(tool)),
        Named::Dropped(tool) => return ("no longer shown: result of", Some(tool)),
        Named::Rules => "rules",
        Named::Instructions => "instructions",
        Named::Preferences => "preferences",
        Named::Goal => "goal",
        Named::Core => "core",
        Named::Summary => "summary",
        Named::Opener => "opener",
        Named::Agent => "agent",
        Named::Person => "person",
        Named::Wakeful => "wakeful",
        Named::Note => "note",
        Named::Memories => "memories",
        Named::Progress => "progress",
        Named::Checks => "checks",
        Named::Plan => "plan",
        Named::Questions => "questions",
        Named::Facts => "facts",
        Named::Superseded => "superseded goal",
        Named::Done => "done before",
        Named::Asked => "asked for",
    };
    (name, None)
}
