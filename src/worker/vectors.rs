//! Vectors for memories: made behind the runs, asked for with a short time-out before a step looks for memories.
//!
//! A step waits for one vector, that of what it is about, and never for those of stored memories: a task of its own makes
//! these, a batch at a time, whenever a run looks for memories or keeps one. Where the source does not answer, words alone
//! count, and it is left alone for a while, so that a server that hangs costs one step a moment and not every step.
//!
//! Must not be assumed: that a memory has a vector by the time it is looked for, or that only this process makes them.
//! What is sent was masked when it was stored, and is masked once more with the keys of now.

use super::error::WorkError;
use super::masking::Masks;
use crate::provider::{Embedder, ModelError};
use crate::run::memory::MemoryId;
use crate::store::{Store, Vector};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How long a source that failed is left alone at first; doubled with each failure.
const LEFT_ALONE: Duration = Duration::from_secs(30);
/// Longest time that it is left alone.
const LONGEST: Duration = Duration::from_secs(600);
/// How long the end of a run waits for vectors that are being made.
const LAST: Duration = Duration::from_secs(2);

/// Most memories in a request of the task behind the runs: many servers do one request after the other, and a step's
/// query must not stand behind a long one.
const BEHIND: usize = 8;
/// Lengths that are believed in one go: a model may be another one behind its name, but not at each request.
const TURNS: u32 = 2;

/// One task at a time makes vectors in this process: the others then find them made.
static ONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Counts failures, and says until when nothing is asked.
#[derive(Debug, Default)]
struct Patience {
    failures: u32,
    until: Option<Instant>,
    why: String,
}

impl Patience {
    fn failed(&mut self, why: String, now: Instant) {
        let wait = LEFT_ALONE.saturating_mul(2_u32.saturating_pow(self.failures)).min(LONGEST);
        *self = Self { failures: self.failures.saturating_add(1), until: now.checked_add(wait), why };
    }

    /// Why nothing is to be asked now.
    fn refuses(&self, now: Instant) -> Option<&str> {
        self.until.filter(|until| now < *until).map(|_| self.why.as_str())
    }
}

#[derive(Default)]
struct Known {
    /// Numbers in a vector, once one was seen.
    numbers: Option<usize>,
    /// The source answered once in this process.
    answered: bool,
    /// The last query that was asked about, and its vector.
    asked: Option<(String, Vec<f32>)>,
    queries: Patience,
    documents: Patience,
    /// Memories that the source does not take.
    refused: HashSet<MemoryId>,
}

struct Shared {
    source: Result<Embedder, String>,
    store: Store,
    masks: Masks,
    known: Mutex<Known>,
    /// Rounds that were asked for.
    wanted: watch::Sender<u64>,
    /// The last of them that is done, well or not.
    done: watch::Sender<u64>,
}

/// A source of vectors at work for one engine; the task behind it ends with it.
pub struct Vectors {
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Drop for Vectors {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Vectors {
    /// Starts the task; it sends nothing until a run looks for memories. `source` may be words that say why there is
    /// none although one is configured. Needs a runtime.
    pub fn start(
        store: Store,
        source: Result<Embedder, String>,
        masks: Masks,
        stop: watch::Receiver<bool>,
    ) -> Arc<Self> {
        let shared = Arc::new(Shared {
            source,
            store,
            masks,
            known: Mutex::default(),
            wanted: watch::Sender::new(0),
            done: watch::Sender::new(0),
        });
        let task = tokio::spawn(keep_up(Arc::clone(&shared), stop));
        Arc::new(Self { shared, task })
    }

    /// There may be memories without a vector.
    pub fn wake(&self) {
        self.shared.wanted.send_modify(|wanted| *wanted = wanted.wrapping_add(1));
    }

    /// The vector of what is looked for; none if there is nothing to compare it with. The error says why words alone
    /// count.
    ///
    /// # Errors
    /// Words for the person.
    pub async fn of(&self, text: &str) -> Result<Option<Vector>, String> {
        let shared = &self.shared;
        let source = shared.source.as_ref().map_err(Clone::clone)?;
        let there = shared.store.has_vectors(source.id()).await.map_err(|error| error.to_string())?;
        let text = shared.masks.remembered(text);
        if there {
            self.wake();
            return self.vector(source, text).await.map(Some);
        }
        {
            // Not made yet; or they cannot be.
            let known = shared.known();
            if let Some(why) = known.documents.refuses(Instant::now()) {
                return Err(why.to_owned());
            }
            if known.answered {
                drop(known);
                self.wake();
                return Ok(None);
            }
        }
        // The task behind is patient and says nothing for long: at the first use a query tells whether the source answers,
        // and does so before many memories are sent there.
        let first = self.vector(source, text).await;
        self.wake();
        first.map(|_| None)
    }

    /// The vector of a query, asked for once, and not of a source that is left alone.
    async fn vector(&self, source: &Embedder, text: String) -> Result<Vector, String> {
        let shared = &self.shared;
        let vector = |values: Vec<f32>| Ok(Vector { model: source.id().to_owned(), values });
        {
            let known = shared.known();
            if let Some((_, values)) = known.asked.as_ref().filter(|(asked, _)| *asked == text) {
                return vector(values.clone());
            }
            if let Some(why) = known.queries.refuses(Instant::now()) {
                return Err(why.to_owned());
            }
        }
        match source.query(&text).await {
            Ok(values) => {
                let mut known = shared.known();
                known.queries = Patience::default();
                known.answered = true;
                known.numbers = Some(values.len());
                known.asked = Some((text, values.clone()));
                vector(values)
            }
            Err(error) => {
                shared.known().queries.failed(error.message.clone(), Instant::now());
                Err(error.message)
            }
        }
    }

    /// Waits a moment for what is being made, so that the next run finds it.
    pub async fn finish(&self) {
        if self.task.is_finished() {
            return;
        }
        let wanted = *self.shared.wanted.borrow();
        let mut done = self.shared.done.subscribe();
        let all_done = done.wait_for(|done| *done >= wanted);
        let _ = tokio::time::timeout(LAST, all_done).await;
    }
}

impl Shared {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes what is missing; leaves the source alone for a while if it fails.
    async fn round(&self, source: &Embedder) {
        let _one = ONE.lock().await;
        let (numbers, refused) = {
            let known = self.known();
            if known.documents.refuses(Instant::now()).is_some() {
                return;
            }
            (known.numbers, known.refused.clone())
        };
        let made = index(
            &self.store,
            source,
            &self.masks,
            Batches { numbers, most: source.batch().min(BEHIND), skipped: &refused },
            &mut |_| {},
        )
        .await;
        let mut known = self.known();
        match made {
            Ok(made) => {
                known.documents = Patience::default();
                known.numbers = made.numbers.or(known.numbers);
                if let (0, Some((_, why))) = (made.made, made.refused.first()) {
                    // None was taken: it may well be the source's fault.
                    known.documents.failed(why.clone(), Instant::now());
                }
                for (id, why) in made.refused {
                    tracing::warn!(memory = id, why, "no vector could be made of a memory");
                    known.refused.insert(id);
                }
            }
            Err(error) => {
                tracing::warn!(error = %error, "no vectors of memories could be made");
                known.documents.failed(error.to_string(), Instant::now());
            }
        }
    }
}

async fn keep_up(shared: Arc<Shared>, mut stop: watch::Receiver<bool>) {
    let Ok(source) = &shared.source else { return };
    let mut wanted = shared.wanted.subscribe();
    let mut done = 0;
    let work = async {
        loop {
            let Ok(seen) = wanted.wait_for(|wanted| *wanted != done).await.map(|seen| *seen) else { return };
            shared.round(source).await;
            done = seen;
            shared.done.send_replace(seen);
        }
    };
    tokio::select! {
        () = work => {}
        _ = stop.wait_for(|stop| *stop) => {}
    }
}

/// What came of making vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Indexed {
    /// Vectors that were made and kept.
    pub made: usize,
    /// Memories that the source does not take, and why.
    pub refused: Vec<(MemoryId, String)>,
    /// Numbers in a vector, if one is known.
    pub numbers: Option<usize>,
}

/// Why vectors could not be made.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The source.
    #[error(transparent)]
    Source(#[from] ModelError),
    /// The store, or what works with it.
    #[error(transparent)]
    Work(#[from] WorkError),
}

/// How vectors are made.
#[derive(Clone, Copy, Debug)]
pub struct Batches<'a> {
    /// The length that vectors are known to have; those of another length are missing too.
    pub numbers: Option<usize>,
    /// Most memories in a request.
    pub most: usize,
    /// Not asked about.
    pub skipped: &'a HashSet<MemoryId>,
}

/// Makes the vectors that are missing, a batch at a time; each batch is kept before the next one is asked for.
/// `progress` hears of all that was made so far.
///
/// # Errors
/// The source's and the store's; what was made until then is kept.
pub async fn index(
    store: &Store,
    source: &Embedder,
    masks: &Masks,
    how: Batches<'_>,
    progress: &mut (dyn FnMut(&Indexed) + Send),
) -> Result<Indexed, IndexError> {
    let mut all = Indexed { numbers: how.numbers, ..Indexed::default() };
    let (mut below, mut turns) = (None, 0);
    loop {
        let missing = store
            .without_vector(source.id(), all.numbers, below, how.most.max(1))
            .await
            .map_err(WorkError::from)?;
        let Some((last, _)) = missing.last() else { return Ok(all) };
        below = Some(*last);
        let known =
            |id: &MemoryId| how.skipped.contains(id) || all.refused.iter().any(|(refused, _)| refused == id);
        let asked: Vec<(MemoryId, String)> = missing.into_iter().filter(|(id, _)| !known(id)).collect();
        if asked.is_empty() {
            continue;
        }
        let texts: Vec<String> = asked.iter().map(|(_, text)| masks.remembered(text)).collect();
        let made = source.documents(&texts).await?;
        let mut vectors = Vec::new();
        for ((id, text), vector) in asked.into_iter().zip(made) {
            match vector {
                Ok(values) => vectors.push((id, text, values)),
                Err(why) => all.refused.push((id, why.message)),
            }
        }
        let length = vectors.first().map(|(_, _, values)| values.len());
        all.made += store.put_vectors(source.id(), vectors).await.map_err(WorkError::from)?;
        if length.is_some() && length != all.numbers && turns < TURNS {
            // Now it is known which others are of another length.
            (all.numbers, below, turns) = (length, None, turns + 1);
        }
        progress(&all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_fails_is_left_alone_longer_and_longer() {
        let (mut patience, start) = (Patience::default(), Instant::now());
        assert_eq!(patience.refuses(start), None);
        for (after, still) in [(30, 29), (60, 59), (120, 119), (240, 239), (480, 479), (600, 599), (600, 599)]
        {
            patience.failed("down".to_owned(), start);
            assert_eq!(patience.refuses(start + Duration::from_secs(still)), Some("down"));
            assert_eq!(patience.refuses(start + Duration::from_secs(after)), None);
        }
    }
}
