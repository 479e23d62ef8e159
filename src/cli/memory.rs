//! `memory`: browses, searches, adds, edits, pins, settles and deletes what is remembered; `memory index` is in
//! [`super::embedding`].
//!
//! JSON of a memory: `id`, `scope` (`user`, or an object with `workspace` or `run`), `kind`, `key`, `text`, `confidence`
//! (percent), `pinned`, `source` (`author`, `run`, `step`, `seq`, `at`), `edited`, `withdrawn` (with its timeline),
//! `outdated` (how many results its folder keeps, or null if it is one of those), `disagrees_with`; in
//! the list `conflict` (the ids of all that disagree about the same thing, or null), and in that of one folder
//! `overruled_by` (a preference of the same key that is nearer, or null); `show` has `conflict` too (the others), `earlier`,
//! `settled` (`at`, `by`, `other`, `text`, `how`: `kept` or `both`) and `sources` (all of them, with the `kind` told); what a
//! search found also has `score` (percent), `found_by` (a few words) and `why` (`words`, `likeness`, `pinned`). JSON of
//! `add`: `id`, `outcome` (`remembered` or `known`), `disagrees_with`, and of a new one `conflict` (all that it disagrees with,
//! or null), of a known one `raised` (`kind` and `confidence` if they are other ones now, and whether it is `pinned` now). JSON of
//! `index`: `model`, `dimensions`, `memories`, `made`, `already`, `without` (still), `refused` (`id`, `why`).

pub mod args;
mod show;

use super::app::{App, Failure};
use super::duration::age;
use super::embedding;
use super::exit::Exit;
use super::layout;
use super::line::masks;
use super::print::{talk, terminal_width};
use super::run::folder;
use super::runs::place;
use super::table::{Column, Table};
use super::words::who;
use crate::recall::Policy;
use crate::run::control::Author;
use crate::run::memory::{Kind, Memory, MemoryId, NewMemory, Recalled, Scope, Source, Why, overruled};
use crate::store::{Kept, MemoryFilter, MemoryPatch, Query, Raised, Settle, Store};
use args::{
    AddArgs, EditArgs, ListArgs, MemoryCommand, OneArgs, RemoveArgs, SearchArgs, SettleArgs, WhereArgs,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};

/// Least score of what a person's search shows, percent: they look for themselves.
const LEAST: u8 = 5;

/// `wakeful memory`.
///
/// # Errors
/// See [`Failure`].
pub async fn memory(app: &App, command: MemoryCommand) -> Result<Exit, Failure> {
    let store = app.open()?;
    match command {
        MemoryCommand::Ls(args) => list(app, &store, args).await?,
        MemoryCommand::Search(args) => search(app, &store, args).await?,
        MemoryCommand::Show(args) => show::show(app, &store, args).await?,
        MemoryCommand::Add(args) => add(app, &store, args).await?,
        MemoryCommand::Edit(args) => edit(app, &store, args).await?,
        MemoryCommand::Pin(args) => pin(app, &store, args, true).await?,
        MemoryCommand::Unpin(args) => pin(app, &store, args, false).await?,
        MemoryCommand::Settle(args) => settle(app, &store, args).await?,
        MemoryCommand::Rm(args) => remove(&store, args).await?,
        MemoryCommand::Index(args) => drop(embedding::run(app, &store, args).await?),
    }
    store.close().await?;
    Ok(Exit::Completed)
}

fn by() -> Author {
    Author::Person("cli".to_owned())
}

/// The folder that is asked about; none is all.
fn asked(app: &App, args: &WhereArgs) -> Result<Option<PathBuf>, Failure> {
    if args.all { Ok(None) } else { folder(app, args.workspace.as_deref()).map(Some) }
}

async fn list(app: &App, store: &Store, args: ListArgs) -> Result<(), Failure> {
    let filter = MemoryFilter {
        workspace: asked(app, &args.place)?,
        run: None,
        kinds: args.kind.into_iter().collect(),
        conflicts: args.conflicts,
        withdrawn: args.withdrawn,
        limit: None,
    };
    let everywhere = filter.workspace.is_none();
    // What is nearer can be told for one folder alone.
    let overruled = match &filter.workspace {
        Some(folder) => overruled_in(store, folder).await?,
        None => HashMap::new(),
    };
    let notes = Notes { overruled, conflicts: store.conflicts().await? };
    let memories = store.memories(filter).await?;
    if args.json {
        let all = memories.iter().map(|memory| {
            let nearer = json!(notes.overruled.get(&memory.id));
            with(memory, &[("overruled_by", nearer), ("conflict", json!(notes.conflict(memory.id)))])
        });
        return layout::json(&all.collect::<Vec<Value>>());
    }
    if memories.is_empty() {
        talk(&none(args.conflicts, args.kind, everywhere));
        return Ok(());
    }
    let memories = side_by_side(memories, &notes);
    let scores = memories.iter().map(|_| None);
    layout::text(&table(app, memories.iter().zip(scores), &notes).render(terminal_width()))?;
    if memories.iter().any(|memory| memory.disagrees_with.is_some()) {
        talk("! some disagree: `wakeful memory ls --conflicts` lists them, `wakeful memory settle` decides");
    }
    Ok(())
}

/// What is noted beside memories.
struct Notes {
    /// Preferences that a nearer one overrules, with that one.
    overruled: HashMap<MemoryId, MemoryId>,
    /// Which disagree about the same thing.
    conflicts: Vec<Vec<MemoryId>>,
}

impl Notes {
    /// All of the conflict that a memory is in, itself among them.
    fn conflict(&self, id: MemoryId) -> Option<&Vec<MemoryId>> {
        self.conflicts.iter().find(|conflict| conflict.contains(&id))
    }
}

/// Memories with those of one conflict side by side, where the first of them stands.
fn side_by_side(memories: Vec<Memory>, notes: &Notes) -> Vec<Memory> {
    let place = |memory: &Memory| {
        let conflict = notes.conflict(memory.id)?;
        memories.iter().position(|other| conflict.contains(&other.id))
    };
    let places: Vec<usize> =
        memories.iter().enumerate().map(|(at, memory)| place(memory).unwrap_or(at)).collect();
    let mut placed: Vec<(usize, Memory)> = places.into_iter().zip(memories).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, memory)| memory).collect()
}

/// What is said of an empty list: what was looked for, and where else it may be.
fn none(conflicts: bool, kind: Option<Kind>, everywhere: bool) -> String {
    let here = if everywhere { "" } else { " here; --all looks in all folders" };
    match (conflicts, kind) {
        (true, None) => format!("no two memories disagree{here}"),
        (true, Some(kind)) => format!("no two memories of the kind {} disagree{here}", kind.word()),
        (false, Some(kind)) => format!("nothing of the kind {} is remembered{here}", kind.word()),
        (false, None) => {
            format!("nothing is remembered{here}. `wakeful memory add TEXT` remembers something")
        }
    }
}

async fn search(app: &App, store: &Store, args: SearchArgs) -> Result<(), Failure> {
    let workspace = asked(app, &args.place)?;
    let config = app.config(workspace.as_deref().unwrap_or(&app.cwd))?;
    let limit = usize::from(args.limit);
    let query = Query {
        text: args.text.clone(),
        vector: embedding::of_search(app, &config, store, &args.text).await?,
        run: None,
        workspace,
        policy: Policy { most: limit, least: LEAST, results: limit, conflict: 0 },
    };
    let mut found = store.recall(query).await?;
    // What is pinned is offered to runs whatever they ask; a person asked for these words.
    found.retain(|(_, recalled)| recalled.score >= LEAST);
    found.truncate(limit);
    if args.json {
        let all = found.iter().map(|(memory, recalled)| {
            let by = found_by(&recalled.why);
            with(
                memory,
                &[("score", recalled.score.into()), ("found_by", by.into()), ("why", json!(recalled.why))],
            )
        });
        return layout::json(&all.collect::<Vec<Value>>());
    }
    if found.is_empty() {
        talk("nothing remembered fits that; other words may, and --all looks in all folders");
        return Ok(());
    }
    let rows = found.iter().map(|(memory, recalled)| (memory, Some(recalled)));
    let notes = Notes { overruled: HashMap::new(), conflicts: store.conflicts().await? };
    layout::text(&table(app, rows, &notes).render(terminal_width()))
}

/// By what a memory was found, in a few words.
pub(super) fn found_by(why: &Why) -> String {
    let words = (!why.words.is_empty()).then(|| format!("words ({})", why.words.join(", ")));
    let meaning =
        why.likeness.filter(|likeness| *likeness >= LEAST).map(|likeness| format!("meaning ({likeness} %)"));
    let by: Vec<String> = words.into_iter().chain(meaning).collect();
    // Single characters of Chinese words are counted, and not shown as words.
    if by.is_empty() { "characters".to_owned() } else { by.join(" and ") }
}

/// A memory as JSON, with more fields.
fn with(memory: &Memory, more: &[(&str, Value)]) -> Value {
    let mut object = json!(memory);
    if let Some(fields) = object.as_object_mut() {
        fields.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    }
    object
}

/// The preferences that no run in a folder is sent, as another of the same key is nearer, with that one.
async fn overruled_in(store: &Store, folder: &Path) -> Result<HashMap<MemoryId, MemoryId>, Failure> {
    let filter = MemoryFilter {
        workspace: Some(folder.to_owned()),
        kinds: vec![Kind::Preference],
        ..MemoryFilter::default()
    };
    Ok(overruled(&store.memories(filter).await?))
}

fn table<'a>(
    app: &App,
    rows: impl Iterator<Item = (&'a Memory, Option<&'a Recalled>)>,
    notes: &Notes,
) -> Table {
    let mut table = Table::new(&[
        Column::Number("id"),
        Column::Name("kind"),
        Column::Text("what"),
        Column::Text("for"),
        Column::Name("source"),
        Column::Number("sure"),
        Column::Number("age"),
        Column::Name(""),
    ]);
    let mut above = None;
    for (memory, found) in rows {
        let mut note = Vec::new();
        let conflict = notes.conflict(memory.id);
        let joins = conflict.is_some() && above == conflict;
        above = conflict;
        if let Some(found) = found {
            note.push(format!("score {} %", found.score));
            note.push(format!("by {}", found_by(&found.why)));
        }
        if let Some(conflict) = conflict {
            let others = conflict.iter().filter(|id| **id != memory.id).map(MemoryId::to_string);
            note.push(format!("! disagrees with {}", listed(&others.collect::<Vec<_>>())));
        }
        if let Some(nearer) = notes.overruled.get(&memory.id) {
            note.push(format!("not sent here: {nearer} is nearer"));
        }
        if !memory.stands() {
            note.push("withdrawn".to_owned());
        }
        table.row([
            memory.id.to_string(),
            format!(
                "{}{}{}",
                if joins { "└ " } else { "" },
                memory.what.kind.word(),
                if memory.what.pinned { " *" } else { "" }
            ),
            titled(memory),
            scope(app, &memory.what.scope),
            source(&memory.source),
            format!("{} %", memory.what.confidence),
            age(app.now(), memory.source.at),
            note.join(", "),
        ]);
    }
    table
}

/// Names in a sentence: `1`, `1 and 2`, `1, 2 and 3`.
fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
        None => String::new(),
    }
}

fn titled(memory: &Memory) -> String {
    match &memory.what.key {
        Some(key) => format!("{key}: {}", memory.what.text),
        None => memory.what.text.clone(),
    }
}

fn scope(app: &App, scope: &Scope) -> String {
    match scope {
        Scope::Run(run) => run.to_string(),
        Scope::Workspace(folder) => place(folder, &app.cwd, &app.env),
        Scope::User => "you".to_owned(),
    }
}

fn source(source: &Source) -> String {
    match (&source.run, source.step) {
        (Some(run), Some(step)) => format!("{run} s{step}"),
        (Some(run), None) => run.to_string(),
        (None, _) => who(&source.author),
    }
}

async fn add(app: &App, store: &Store, args: AddArgs) -> Result<(), Failure> {
    let workspace = folder(app, args.workspace.as_deref())?;
    whole(app, &workspace, args.key.as_deref(), &args.text)?;
    let scope = if args.user { Scope::User } else { Scope::Workspace(workspace) };
    let new = NewMemory {
        scope,
        kind: args.kind,
        key: args.key,
        text: args.text,
        confidence: args.confidence,
        pinned: args.pin,
    };
    let source = Source { author: by(), run: None, step: None, seq: None, at: app.now() };
    let kept = store.remember(new, source).await?;
    match kept {
        Kept::New { id, disagrees_with } => {
            let others = at_odds(store, id).await?;
            if args.json {
                return layout::json(&json!({
                    "id": id, "outcome": "remembered", "disagrees_with": disagrees_with, "conflict": conflict(&others),
                }));
            }
            talk(&format!("remembered as {id}{}", doubt(id, &others)));
        }
        Kept::Known { id, raised } => {
            if args.json {
                return layout::json(&json!({
                    "id": id, "outcome": "known", "disagrees_with": Value::Null,
                    "raised": { "kind": raised.kind, "confidence": raised.confidence, "pinned": raised.pinned },
                }));
            }
            talk(&format!("memory {id} says that already{}", changed(&raised)));
        }
    }
    Ok(())
}

/// The others of the conflict that a memory is in.
async fn at_odds(store: &Store, id: MemoryId) -> Result<Vec<MemoryId>, Failure> {
    Ok(store.about_memory(id).await?.conflict.iter().map(|other| other.id).collect())
}

fn conflict(others: &[MemoryId]) -> Value {
    if others.is_empty() { Value::Null } else { json!(others) }
}

/// What a memory disagrees with, behind what became of it; nothing if with none.
fn doubt(id: MemoryId, others: &[MemoryId]) -> String {
    let names: Vec<String> = others.iter().map(MemoryId::to_string).collect();
    let (word, all) = match names.len() {
        0 => return String::new(),
        1 => ("memory", "both are"),
        _ => ("memories", "all are"),
    };
    format!(
        ". ! It disagrees with {word} {}: {all} offered, dated, until `wakeful memory settle {id} --keep ID` or `--both WHEN` \
         decides",
        listed(&names)
    )
}

/// What telling it again changed; nothing if that was nothing.
fn changed(raised: &Raised) -> String {
    let kind = raised.kind.map(|kind| format!("a {}", kind.word()));
    let sure = raised.confidence.map(|percent| format!("{percent} % sure"));
    let pinned = raised.pinned.then(|| "pinned".to_owned());
    let all: Vec<String> = kind.into_iter().chain(sure).chain(pinned).collect();
    if all.is_empty() { String::new() } else { format!("; it is now {}", listed(&all)) }
}

/// Keys and secrets are never remembered.
fn whole(app: &App, workspace: &Path, key: Option<&str>, text: &str) -> Result<(), Failure> {
    if !masks(app, &app.config(workspace)?).keeps(key, text) {
        return Err(Failure::usage(
            "that holds a key, a password or another secret, and those are never remembered. Say where it is instead, or \
             write ${secret:NAME} for its value; `wakeful config schema` says how a secret gets a name",
        ));
    }
    Ok(())
}

async fn edit(app: &App, store: &Store, args: EditArgs) -> Result<(), Failure> {
    if let Some(text) = &args.text {
        let (before, _) = store.memory(args.id).await?;
        whole(app, &folder(app, None)?, before.what.key.as_deref(), text)?;
    }
    let patch = MemoryPatch {
        text: args.text,
        kind: args.kind,
        confidence: args.confidence,
        ..MemoryPatch::default()
    };
    let before = at_odds(store, args.id).await?;
    let memory = store.edit_memory(args.id, patch, by(), app.now()).await?;
    let now = at_odds(store, args.id).await?;
    let doubt = match (before.is_empty(), now.is_empty()) {
        (false, true) => ", and disagrees with none any more".to_owned(),
        (true | false, _) => doubt(memory.id, &now),
    };
    said(args.json, &memory, &format!("memory {} is changed{doubt}", memory.id))
}

async fn pin(app: &App, store: &Store, args: OneArgs, pinned: bool) -> Result<(), Failure> {
    let patch = MemoryPatch { pinned: Some(pinned), ..MemoryPatch::default() };
    let memory = store.edit_memory(args.id, patch, by(), app.now()).await?;
    let words = if pinned { "is offered whatever is asked" } else { "is offered where it fits" };
    said(args.json, &memory, &format!("memory {} {words}", memory.id))
}

fn said(json: bool, memory: &Memory, words: &str) -> Result<(), Failure> {
    if json {
        return layout::json(memory);
    }
    talk(words);
    Ok(())
}

async fn settle(app: &App, store: &Store, args: SettleArgs) -> Result<(), Failure> {
    let how = match (args.keep, args.both) {
        (Some(id), _) => Settle::Keep(id),
        (None, when) => {
            let when = when.unwrap_or_default();
            whole(app, &folder(app, None)?, None, &when)?;
            Settle::Both(when)
        }
    };
    let now = app.now();
    let left = store.settle_memory(args.id, how, by(), now).await?;
    if args.json {
        return layout::json(&left);
    }
    let ids: Vec<String> = left.iter().map(|memory| memory.id.to_string()).collect();
    let [kept] = left.as_slice() else {
        talk(&format!("settled: {} stand", listed(&ids)));
        return Ok(());
    };
    let settled = store.about_memory(kept.id).await?.settled;
    let replaced = settled.iter().filter(|one| one.at == now && !one.both).map(|one| one.other.to_string());
    talk(&format!("settled: {} stands in the place of {}", kept.id, listed(&replaced.collect::<Vec<_>>())));
    Ok(())
}

async fn remove(store: &Store, args: RemoveArgs) -> Result<(), Failure> {
    let (memory, _) = store.memory(args.id).await?;
    if !args.yes && !agreed(&memory)? {
        talk("nothing was deleted");
        return Ok(());
    }
    store.delete_memory(args.id).await?;
    if args.json {
        return layout::json(&json!({ "id": args.id, "outcome": "deleted" }));
    }
    let journal = match &memory.source.run {
        Some(run) => format!(
            "; the journal of {run}, which wrote it, keeps its words, as do those of runs that were offered it"
        ),
        None => "; journals of runs that were offered it keep its words".to_owned(),
    };
    talk(&format!("memory {} is deleted{journal}", args.id));
    Ok(())
}

/// Asks before words are lost; where nobody can answer, `--yes` has to be said.
fn agreed(memory: &Memory) -> Result<bool, Failure> {
    let id: MemoryId = memory.id;
    if !std::io::stdin().is_terminal() {
        let words = format!("memory {id} is deleted for good; say so: `wakeful memory rm {id} --yes`");
        return Err(Failure::usage(words));
    }
    talk(&format!("memory {id}: {}\ndelete it for good? y yes · n no (default)", titled(memory)));
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).map_err(|e| Failure::internal(e.to_string()))?;
    Ok(matches!(answer.trim(), "y" | "yes"))
}
