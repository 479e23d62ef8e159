//! A durable step against the raw floor: the same bytes appended to a file and synced the same number of times, on the
//! same disk, in turn with the steps.
//!
//! A step is written as the worker writes it: the request, the reply with its call and its start, the result with the
//! step's end. With an effect it is synced twice, else once. SQLite syncs with fsync; so does the floor, and the floor
//! with fdatasync stands beside it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a bench says what is wrong")]

mod common;

use common::{Scratch, Texts, aim, create, median_ms, store, sum_ms, verdict};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use wakeful::run::budget_table::BudgetTable;
use wakeful::run::event::{Proposal, RequestParts};
use wakeful::run::message::{FinishReason, ReplyCall};
use wakeful::run::*;
use wakeful::store::{Claim, Commit, Durability, Store};

const STEPS: usize = 400;
/// Bytes of a step's texts.
const PAYLOAD: usize = 2_400;

struct Hand {
    store: Store,
    state: Arc<RunState>,
}

impl Hand {
    async fn put(&mut self, durability: Durability, events: Vec<Event>) {
        let events = events.into_iter().map(|event| NewEvent { author: Author::Wakeful, event }).collect();
        let commit = Commit {
            run: self.state.run.clone(),
            expected: self.state.head.clone(),
            epoch: self.state.ledger.epoch,
            now: 2,
            events,
            bag: BlobBag::new(),
            durability,
            taken: Vec::new(),
        };
        self.state = self.store.commit(commit).await.unwrap();
    }

    async fn step(&mut self, class: Class, said: &str, args: &str, result: &str) {
        let step = self.state.path.step + 1;
        let ask = Event::ModelCalled {
            step,
            attempt: 1,
            epoch: self.state.ledger.epoch,
            purpose: Purpose::Turn,
            table: BudgetTable {
                rows: Vec::new(),
                window: 8192,
                tokenizer: "t".to_owned(),
                exact: true,
                learnt: None,
                since_start: Vec::new(),
                next: None,
            },
            request: RequestParts { hash: Hash::of(b"request"), render: 1, max_tokens: 512 },
            by: None,
        };
        self.put(Durability::Unsynced, vec![ask]).await;
        let reply_seq = self.state.head.seq + 1;
        let (id, key) = (CallId::of(&self.state.run, reply_seq + 1), Hash::of(args.as_bytes()));
        let call = ReplyCall {
            provider_id: None,
            name: "shell".to_owned(),
            arguments: Body::Inline(args.to_owned()),
        };
        let reply = Event::ModelReplied {
            text: Body::Inline(said.to_owned()),
            reasoning: None,
            calls: vec![call],
            finish: FinishReason::ToolCalls,
            usage: Usage::default(),
            tokens: 5,
            first_token_ms: 1,
            ms: 2,
            refused: None,
        };
        let proposal = Event::CallProposed(Proposal {
            call_id: id.clone(),
            origin: Origin::Model,
            reply_seq,
            step,
            position: 1,
            tool: "shell".to_owned(),
            class,
            args: Body::Inline(args.to_owned()),
            args_hash: key.clone(),
            effect_key: key.clone(),
        });
        let approved =
            Event::CallApproved { call_id: id.clone(), args_hash: key, why: "rule".to_owned(), shown: None };
        let started = Event::CallStarted { call_id: id.clone(), attempt: 1, epoch: 1, files: Vec::new() };
        self.put(Durability::Unsynced, vec![reply, proposal, approved, started]).await;
        let finished = Event::CallFinished {
            call_id: id,
            attempt: 1,
            ok: true,
            kind: None,
            result: ResultText { body: Body::Inline(result.to_owned()), tokens: 3 },
            output: None,
            ms: 1,
            inner: None,
        };
        self.put(Durability::Synced, vec![finished, Event::StepCommitted { step }]).await;
    }
}

/// Appends `parts` and syncs after each.
fn raw(file: &mut File, parts: &[&str], data_only: bool) -> Duration {
    let begun = Instant::now();
    for part in parts {
        file.write_all(part.as_bytes()).unwrap();
        if data_only { file.sync_data().unwrap() } else { file.sync_all().unwrap() }
    }
    begun.elapsed()
}

async fn measure(scratch: &Scratch, name: &str, class: Class, syncs: usize) {
    let store = store(&scratch.0.join(format!("{name}.db")));
    let run = create(&store, name, &scratch.0).await;
    let Claim::Owned(loaded) = store.claim(&run, &WorkerId::new("w"), 1).await.unwrap() else {
        panic!("held")
    };
    let mut hand = Hand { store: store.clone(), state: loaded.state };
    let open = |end: &str| {
        let path = scratch.0.join(format!("{name}.{end}"));
        OpenOptions::new().create(true).append(true).open(path).unwrap()
    };
    let (mut full, mut data) = (open("fsync"), open("fdatasync"));
    let mut texts = Texts::new(7);
    let (mut steps, mut floor, mut floor_data) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..STEPS {
        let (said, args, result) = (texts.noise(400), texts.noise(200), texts.noise(PAYLOAD - 600));
        let begun = Instant::now();
        hand.step(class, &said, &args, &result).await;
        steps.push(begun.elapsed());
        let before = format!("{said}{args}");
        let whole = format!("{before}{result}");
        let parts: Vec<&str> = if syncs == 2 { vec![&before, &result] } else { vec![&whole] };
        floor.push(raw(&mut full, &parts, false));
        floor_data.push(raw(&mut data, &parts, true));
    }
    println!("{name}: {STEPS} steps of {PAYLOAD} bytes, {syncs} syncs a step");
    println!(
        "  median ms: step {:.3}, write + fsync {:.3}, write + fdatasync {:.3}",
        median_ms(&mut steps),
        median_ms(&mut floor),
        median_ms(&mut floor_data)
    );
    aim("median step ÷ fsync floor", median_ms(&mut steps) / median_ms(&mut floor), "", 2.0);
    aim("total step ÷ fsync floor", sum_ms(&steps) / sum_ms(&floor), "", 2.0);
    println!("       total step ÷ fdatasync floor: {:.2}", sum_ms(&steps) / sum_ms(&floor_data));
    store.close().await.unwrap();
}

fn main() -> ExitCode {
    let scratch = Scratch::new("durable");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(measure(&scratch, "read", Class::Read, 1));
    runtime.block_on(measure(&scratch, "effect", Class::Effect, 2));
    verdict()
}
