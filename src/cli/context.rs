//! `context`: the budget table of a step, or with `--request` the exact request that was sent; with `--summary` that for
//! a summary of older rounds, with `--core` that to the goal keeper; with `--slot` what one slot holds ([`super::slot`]).
//!
//! JSON of the table: `run`, `step`, `timeline`, `seq` and `at` (null if nothing was asked yet and the table was worked
//! out now), `attempt`, `purpose`, `rows` (`slot`, `used`, `budget`, `items`, and what was `trimmed` for this request:
//! `what`, `why`, `tokens`), `since_start` (the same of what left the recent rounds since the run began), `next` (the slot
//! that is trimmed next if the rounds go on as the newest one, or null),
//! `window`, `total`, `prompt`, `free`, `tokenizer`, `exact`, `learnt` (thousandths that estimates were multiplied by, or null),
//! `server` (`prompt`, `completion`, `cached`, `estimated`, or
//! null), `drift` (tokens that the server counted more, or null), `failed` (words, or null), `prefix` (`same` of `bytes`
//! bytes of the request, tools and messages, that stand at the beginning of the request of the step before; or null),
//! `memories` (`id`, `kind`, `text`, `score` in percent, `found_by`, `why`, `sent`: false if the budget left it out),
//! `preferences` (`key`, `text`).
//!
//! JSON of the request: `run`, `step`, `timeline`, `seq`, `attempt`, `purpose`, `hash` (stored when it was sent),
//! `rebuilt` (hash of what was rebuilt, or null), `matches`, `differs` (words, or null), `request` (or null). Without
//! `--json` the request alone goes to stdout and the rest to stderr. That a request differs is said, and exit code 1.

use super::app::{App, Failure};
use super::args::ContextArgs;
use super::duration::grouped;
use super::exit::Exit;
use super::layout::{self, bar};
use super::memory::found_by;
use super::print::{one_line, talk, terminal_width};
use super::table::{Column, Table, clip};
use super::words::many;
use crate::inspect::{
    Asked, ContextView, Ending, PastRequest, Prefix, Which, context_view, past_aside, past_request, prefix,
    slot_items,
};
use crate::run::budget_table::{BudgetTable, Slot, SlotRow, Trim};
use crate::run::memory::{Preference, Recalled};
use crate::run::{Purpose, RunId};
use crate::store::Store;
use crate::worker::replay::PREFIX;
use serde_json::{Value, json};

/// `wakeful context`.
///
/// # Errors
/// See [`Failure`].
pub async fn context(app: &App, args: ContextArgs) -> Result<Exit, Failure> {
    let store = app.open()?;
    let run = super::run::find(&store, &args.run).await?;
    let step = args.step.map(|step| step.0);
    if let Some(slot) = args.slot {
        let read = slot_items(&store, &run, step, slot).await?;
        return super::slot::print(&run, &read, &place(&read.asked), args.json);
    }
    if args.request {
        return print_request(&run, &past_request(&store, &run, step).await?, args.json);
    }
    let aside = args.summary.then_some(Which::Summary).or(args.core.then_some(Which::Core));
    if let Some(which) = aside {
        return print_request(&run, &past_aside(&store, &run, step, which).await?, args.json);
    }
    let view = context_view(&store, &run, step).await?;
    let shared = match &view.asked {
        Some(asked) => prefix(&store, &run, asked).await?,
        None => None,
    };
    let uncounted = match &view.asked {
        Some(asked) => uncounted(&store, &run, asked).await?,
        None => None,
    };
    let offered = Offered::of(&store, &run, &view).await?;
    if args.json {
        layout::json(&object(&run, &view, shared, &offered))?;
    } else {
        layout::text(&format!("{}{}", page(&view, shared, uncounted), offered.lines()))?;
    }
    Ok(Exit::Completed)
}

fn print_request(run: &RunId, past: &PastRequest, json: bool) -> Result<Exit, Failure> {
    let asked = &past.asked;
    if json {
        layout::json(&json!({
            "run": run, "step": asked.step, "timeline": asked.timeline, "seq": asked.seq,
            "attempt": asked.attempt, "purpose": asked.purpose, "hash": asked.parts.hash, "rebuilt": past.hash,
            "matches": past.matches(), "differs": past.differs, "request": past.request,
            "refused": asked.replied().and_then(|replied| replied.refused),
        }))?;
    } else {
        if let Some(request) = &past.request {
            layout::json(request)?;
        }
        let (place, hash) = (place(asked), asked.parts.hash.short(12));
        match &past.differs {
            None => talk(&format!(
                "{place}: as it was sent, to the byte (hash {hash} of messages, tools, format and limit; how it \
                 travelled, as `stream`, is no part of it)"
            )),
            Some(words) => talk(&format!("{place}: {words}")),
        }
        if let Some(why) = asked.replied().and_then(|replied| replied.refused) {
            talk(&format!("{place}: its reply was not taken: {why}"));
        }
    }
    Ok(if past.matches() { Exit::Completed } else { Exit::Internal })
}

fn place(asked: &Asked) -> String {
    let again = if asked.attempt > 1 { format!(", attempt {}", asked.attempt) } else { String::new() };
    format!("step {}@{}, {}{again}", asked.step, asked.timeline, purpose(asked.purpose))
}

fn purpose(purpose: Purpose) -> String {
    match purpose {
        Purpose::Turn => "a turn".to_owned(),
        Purpose::Report(limit) => format!("the final report ({} limit)", limit.word()),
        Purpose::Keeper => "the core of the task".to_owned(),
        Purpose::Summary { rounds, .. } => format!("a summary of {}", many(rounds, "round")),
    }
}

/// What outlived other runs and stands in the request.
struct Offered {
    memories: Vec<Recalled>,
    /// The first so many were sent; for the others there was no room.
    sent: usize,
    preferences: Vec<Preference>,
}

impl Offered {
    async fn of(store: &Store, run: &RunId, view: &ContextView) -> Result<Self, Failure> {
        let path = match &view.asked {
            Some(asked) => store.state_at(run, asked.seq.saturating_sub(1)).await?.path,
            None => store.load(run).await?.state.path.clone(),
        };
        let row = view.table.rows.iter().find(|row| row.slot == Slot::LongTerm);
        let sent = row.map_or(0, |row| usize::try_from(row.items).unwrap_or(usize::MAX));
        Ok(Self { memories: path.recalled, sent, preferences: path.preferences })
    }

    fn object(&self) -> Vec<Value> {
        let all = self.memories.iter().enumerate();
        let object = |(at, one): (usize, &Recalled)| {
            json!({
                "id": one.id, "kind": one.kind, "text": one.text, "score": one.score, "found_by": why(one),
                "why": one.why, "sent": at < self.sent,
            })
        };
        all.map(object).collect()
    }

    /// A line each, below the table.
    fn lines(&self) -> String {
        let mut text = String::new();
        for one in &self.preferences {
            text.push_str(&line(&format!("preference {}: {}", one.key, one.text)));
        }
        for (at, one) in self.memories.iter().enumerate() {
            let left = if at < self.sent { "" } else { " · left out: over the budget" };
            let kind = one.kind.word();
            text.push_str(&line(&format!(
                "memory {} ({kind}) · score {} % · by {}{left} · {}",
                one.id,
                one.score,
                why(one),
                one.text
            )));
        }
        text
    }
}

fn line(words: &str) -> String {
    format!("\n{}", clip(&one_line(words), layout::width()))
}

/// By what a memory came into the request.
fn why(one: &Recalled) -> String {
    let found = !one.why.words.is_empty() || one.why.likeness.is_some();
    match (one.why.pinned, found) {
        (true, false) => "being pinned".to_owned(),
        (true, true) => format!("being pinned, and {}", found_by(&one.why)),
        (false, _) => found_by(&one.why),
    }
}

fn object(run: &RunId, view: &ContextView, shared: Option<Prefix>, offered: &Offered) -> Value {
    let table = &view.table;
    let asked = view.asked.as_ref();
    let server = asked.and_then(Asked::replied).map(|replied| replied.usage);
    json!({
        "run": run, "step": view.step, "timeline": view.timeline, "seq": asked.map(|a| a.seq),
        "at": asked.map(|a| a.at), "attempt": asked.map(|a| a.attempt), "purpose": asked.map(|a| a.purpose),
        "rows": table.rows.iter().map(row).collect::<Vec<_>>(), "window": table.window, "total": table.total(),
        "prompt": table.prompt(), "free": table.free(), "tokenizer": table.tokenizer, "exact": table.exact,
        "learnt": table.learnt, "since_start": table.since_start, "next": table.next,
        "server": server, "drift": asked.and_then(Asked::drift), "failed": asked.and_then(failed),
        "prefix": shared, "memories": offered.object(), "preferences": offered.preferences,
    })
}

fn row(row: &SlotRow) -> Value {
    json!({
        "slot": row.slot, "used": row.used, "budget": row.budget, "items": row.items, "trimmed": row.trimmed,
    })
}

/// Why there is no reply, if there never will be one.
fn failed(asked: &Asked) -> Option<String> {
    match &asked.ending {
        Some(Ending::Failed(words)) => Some(words.clone()),
        Some(Ending::Aborted(words)) => Some(format!("given up: {words}")),
        Some(Ending::Replied(_)) | None => None,
    }
}

/// Why there are no figures of a server for a request that was replied to; none if there are.
async fn uncounted(store: &Store, run: &RunId, asked: &Asked) -> Result<Option<&'static str>, Failure> {
    if !asked.replied().is_some_and(|replied| replied.usage.estimated) {
        return Ok(None);
    }
    let state = store.state_at(run, asked.seq).await?;
    let model = state.settings().map(|settings| &settings.model);
    Ok(Some(match model {
        Some(model) if model.profile.starts_with(PREFIX) => {
            "no server counted: the replies are recorded ones"
        }
        Some(model) if model.offline => "no server counted: the offline model is built in",
        Some(_) | None => "no usable figures from the server",
    }))
}

fn page(view: &ContextView, shared: Option<Prefix>, uncounted: Option<&str>) -> String {
    let heading = match &view.asked {
        Some(asked) => format!("{}, {}", place(asked), layout::moment(asked.at)),
        None => format!("step {}@{}, worked out now: nothing was asked yet", view.step, view.timeline),
    };
    let mut text = format!("{heading}\n{}", budget(&view.table));
    let counted = if view.table.exact { "exact" } else { "an estimate" };
    let mut lines = vec![
        format!("prompt {} · free {}", number(view.table.prompt()), number(view.table.free())),
        format!("counted by {} ({counted})", view.table.counted_by()),
    ];
    if !view.table.since_start.is_empty() {
        let all: Vec<String> = view.table.since_start.iter().map(went).collect();
        lines.push(format!("trimmed since the start: {}", all.join(", ")));
    }
    lines.extend(view.table.next.map(|slot| format!("next trim: {}", slot.word())));
    if let Some(asked) = &view.asked {
        lines.extend(server(asked, uncounted));
    }
    if let Some(shared) = shared {
        let percent = shared.percent();
        lines.push(format!(
            "begins as the request of the step before: {} of {} bytes ({percent} %)",
            grouped(shared.same),
            grouped(shared.bytes)
        ));
    }
    text.push_str(&lines.join("\n"));
    text
}

/// What went, why, and the tokens that it would take.
fn went(trim: &Trim) -> String {
    match trim.tokens {
        0 => format!("{} ({})", trim.what, trim.why),
        tokens => format!("{} ({}, {})", trim.what, trim.why, many(tokens, "token")),
    }
}

fn budget(table: &BudgetTable) -> String {
    let mut shown = Table::new(&[
        Column::Name("slot"),
        Column::Number("used"),
        Column::Number("budget"),
        Column::Name("bar"),
        Column::Number("items"),
        Column::Text("trimmed"),
    ]);
    let figures = |used: u32, most: u32| [number(used), number(most), bar(u64::from(used), u64::from(most))];
    for row in &table.rows {
        let trims = row.trimmed.iter().map(|trim| format!("−{}", went(trim)));
        // The newest rounds go over their budget where others leave theirs.
        let borrowed = row.borrowed().map(|over| format!("borrows {} that others leave", number(over)));
        let trimmed = borrowed.into_iter().chain(trims).collect::<Vec<_>>().join(", ");
        let [used, most, bar] = figures(row.used, row.budget);
        shown.row([row.slot.word().to_owned(), used, most, bar, row.items.to_string(), trimmed]);
    }
    let [used, most, bar] = figures(table.total(), table.window);
    let percent = u64::from(table.total()) * 100 / u64::from(table.window.max(1));
    shown.row(["total".to_owned(), used, most, bar, String::new(), format!("{percent} % of the window")]);
    shown.render(terminal_width())
}

/// What the server said of the request, or why it said nothing.
fn server(asked: &Asked, uncounted: Option<&str>) -> Vec<String> {
    let Some(replied) = asked.replied() else {
        let words = failed(asked).unwrap_or_else(|| "no reply yet".to_owned());
        return vec![words];
    };
    let usage = replied.usage;
    if let Some(why) = uncounted {
        return vec![format!("{why}; reply about {}", grouped(usage.completion))];
    }
    let prompt = usage.prompt.max(1);
    let drift = asked.drift().unwrap_or(0);
    let counted = f64::from(asked.table.prompt().max(1));
    #[allow(clippy::cast_precision_loss, reason = "figures far below 2^53")]
    let percent = drift as f64 * 100.0 / counted;
    let learnt = if asked.table.learnt.is_some() { ", learnt for this model" } else { "" };
    vec![
        format!(
            "server {} · drift {drift:+} ({percent:+.1} %){learnt} · reply {}",
            grouped(usage.prompt),
            grouped(usage.completion)
        ),
        format!("cached {} ({} %)", grouped(usage.cached), usage.cached.saturating_mul(100) / prompt),
    ]
}

fn number(n: u32) -> String {
    grouped(u64::from(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_over_its_budget_says_that_it_borrows() {
        let row = |slot, used, budget| SlotRow { slot, used, budget, items: 1, trimmed: Vec::new() };
        let table = BudgetTable {
            rows: vec![row(Slot::Recent, 1_500, 1_200), row(Slot::State, 100, 400)],
            window: 8_000,
            tokenizer: "estimate".to_owned(),
            exact: false,
            learnt: None,
            since_start: Vec::new(),
            next: None,
        };
        let shown = budget(&table);
        assert_eq!(shown.matches("borrows").count(), 1, "{shown}");
        let recent = shown.lines().find(|line| line.starts_with("recent")).unwrap();
        assert!(recent.ends_with("borrows 300 that others leave"), "{shown}");
    }

    #[test]
    fn what_left_since_the_start_is_told_apart_and_what_goes_next_is_named() {
        let trim = |what: &str| Trim { what: what.to_owned(), why: "folded".to_owned(), tokens: 1_200 };
        let row =
            SlotRow { slot: Slot::Recent, used: 1, budget: 9, items: 1, trimmed: vec![trim("2 rounds")] };
        let table = BudgetTable {
            rows: vec![row],
            window: 8_000,
            tokenizer: "estimate".to_owned(),
            exact: false,
            learnt: None,
            since_start: vec![trim("12 rounds")],
            next: Some(Slot::LongTerm),
        };
        let shown = page(&ContextView { step: 3, timeline: 1, table, asked: None }, None, None);
        let recent = shown.lines().find(|line| line.starts_with("recent")).unwrap();
        assert!(recent.contains("−2 rounds (folded, 1,200 tokens)") && !recent.contains("12"), "{shown}");
        assert!(shown.contains("\ntrimmed since the start: 12 rounds (folded, 1,200 tokens)\n"), "{shown}");
        assert!(shown.ends_with("\nnext trim: long-term"), "{shown}");
    }
}
