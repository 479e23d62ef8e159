//! `memory show`: one memory with where it comes from, what it disagrees with, which conflicts of it were settled, and how
//! it read before.

use super::args::OneArgs;
use super::{listed, scope, source, titled, with};
use crate::cli::app::{App, Failure};
use crate::cli::layout;
use crate::cli::words::{many, who};
use crate::run::memory::Memory;
use crate::store::{About, MemoryVersion, Settled, Store, StoreError};
use serde_json::{Value, json};

/// Sources that are named beside the first one, the newest.
const SOURCES: usize = 5;

pub(super) async fn show(app: &App, store: &Store, args: OneArgs) -> Result<(), Failure> {
    let (memory, versions) = match store.memory(args.id).await {
        Err(error @ StoreError::NoMemory { .. }) => return Err(gone(store, args.id, error).await?),
        other => other?,
    };
    let about = store.about_memory(args.id).await?;
    if args.json {
        return layout::json(&object(&memory, &versions, &about));
    }
    let what = &memory.what;
    let mut out = format!("memory {} · {} · {} % sure", memory.id, what.kind.word(), what.confidence);
    let words = [
        (what.pinned, " · pinned"),
        (memory.withdrawn, " · withdrawn with its timeline"),
        (memory.outdated.is_some(), " · withdrawn"),
    ];
    for (holds, word) in words {
        out.push_str(if holds { word } else { "" });
    }
    out.push('\n');
    out.push_str(&layout::wrapped(&titled(&memory), "  ", layout::width()));
    out.push_str(&format!("for       {}\n", scope(app, &what.scope)));
    out.push_str(&format!("source    {}, {}\n", source(&memory.source), layout::moment(memory.source.at)));
    out.push_str(&told_again(&about));
    if let Some(most) = memory.outdated {
        let why = format!(
            "withdrawn: {} are kept for a folder (memory.max_results), and the others were made or offered since; \
             `wakeful memory pin {}` brings it back\n",
            many(most, "result"),
            memory.id
        );
        out.push_str(&layout::wrapped(&why, "", layout::width()));
    }
    out.push_str(&conflict(&memory, &about.conflict));
    for one in about.settled.iter().rev() {
        out.push_str(&layout::wrapped(&settled(one), "", layout::width()));
    }
    for one in versions.iter().rev() {
        out.push_str(&format!("until {}, {} by {}:\n", layout::moment(one.at), one.why, who(&one.author)));
        out.push_str(&layout::wrapped(&one.text, "  ", layout::width()));
    }
    layout::text(&out)
}

/// Why there is no such memory: another one may have taken its place.
async fn gone(store: &Store, id: u64, error: StoreError) -> Result<Failure, Failure> {
    let Some((by, at)) = store.replaced_by(id).await? else { return Ok(error.into()) };
    let when = layout::moment(at);
    Ok(Failure::usage(format!(
        "no memory {id}: when a conflict was settled, {when}, memory {by} took its place; `wakeful memory show {by}` tells"
    )))
}

fn object(memory: &Memory, versions: &[MemoryVersion], about: &About) -> Value {
    let earlier = versions
        .iter()
        .map(|one| json!({ "at": one.at, "by": one.author, "text": one.text, "why": one.why }))
        .collect::<Vec<_>>();
    let settled = about.settled.iter().map(|one| {
        let how = if one.both { "both" } else { "kept" };
        json!({ "at": one.at, "by": one.author, "other": one.other, "text": one.text, "how": how })
    });
    let sources = about.sources.iter().map(|(source, kind)| {
        let mut source = json!(source);
        if let Some(fields) = source.as_object_mut() {
            fields.insert("kind".to_owned(), kind.word().into());
        }
        source
    });
    let conflict: Vec<u64> = about.conflict.iter().map(|other| other.id).collect();
    with(
        memory,
        &[
            ("conflict", if conflict.is_empty() { Value::Null } else { json!(conflict) }),
            ("earlier", earlier.into()),
            ("settled", settled.collect::<Vec<_>>().into()),
            ("sources", sources.collect::<Vec<_>>().into()),
        ],
    )
}

/// Who told the same again: as what, and when.
fn told_again(about: &About) -> String {
    let again = about.sources.get(1..).unwrap_or_default();
    let (_, newest) = again.split_at(again.len().saturating_sub(SOURCES));
    let mut out = String::new();
    if again.len() > newest.len() {
        out.push_str(&format!("also      {} before these\n", many(again.len() - newest.len(), "time")));
    }
    for (told, kind) in newest {
        out.push_str(&format!(
            "also      {}, {}, as a {}\n",
            source(told),
            layout::moment(told.at),
            kind.word()
        ));
    }
    out
}

/// What a memory disagrees with, side by side.
fn conflict(memory: &Memory, others: &[Memory]) -> String {
    if others.is_empty() {
        return String::new();
    }
    let ids: Vec<String> = others.iter().map(|other| other.id.to_string()).collect();
    let word = if ids.len() == 1 { "memory" } else { "memories" };
    let mut out =
        format!("! disagrees with {word} {}: `wakeful memory settle {} …`\n", listed(&ids), memory.id);
    for other in others {
        let at = layout::moment(other.source.at);
        out.push_str(&format!(
            "  {}, {} % sure, {}, {at}:\n",
            other.id,
            other.what.confidence,
            source(&other.source)
        ));
        out.push_str(&layout::wrapped(&titled(other), "    ", layout::width()));
    }
    out
}

/// How a conflict was settled, when, by whom, and against what.
fn settled(one: &Settled) -> String {
    let how = match one.both {
        true => "it stands beside",
        false => "it stands in the place of",
    };
    let words = if one.text.is_empty() { "deleted since" } else { one.text.as_str() };
    format!(
        "settled {} by {}: {how} memory {} ({words})",
        layout::moment(one.at),
        who(&one.author),
        one.other
    )
}
