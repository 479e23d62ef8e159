//! A database as the first released schema wrote it, with a completed run, one at a limit and one that waits after a
//! rollback: later programs open it, find it whole, and go on.
//!
//! `WAKEFUL_MAKE_GOLDEN=1 cargo test --test all make_golden` writes it anew for the present schema; a file of an older
//! schema is never replaced.

use super::scene::*;
use std::fs::File;
use std::path::{Path, PathBuf};
use wakeful::run::{Author, Control, Decision, StepRef};
use wakeful::store::{RunFilter, migrate};

/// The workspace's path stands in the journal, so it has to be the same everywhere.
const FOLDER: &str = "/tmp/wakeful-golden";

fn file(schema: usize) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/suite/crash/golden/schema-{schema}.db.zst"))
}

/// The one workspace, for this process alone while the value lives.
struct Place {
    _lock: File,
}

impl Place {
    fn take() -> Self {
        std::fs::create_dir_all(FOLDER).unwrap();
        let lock = File::create(Path::new(FOLDER).join("lock")).unwrap();
        lock.lock().unwrap();
        let work = Path::new(FOLDER).join("work");
        let _ = std::fs::remove_dir_all(&work);
        std::fs::create_dir(&work).unwrap();
        Self { _lock: lock }
    }

    fn path(&self, name: &str) -> PathBuf {
        Path::new(FOLDER).join("work").join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }
}

fn args<'a>(goal: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    ["run", goal, "--workspace", "/tmp/wakeful-golden/work"].into_iter().chain(more.iter().copied()).collect()
}

/// Only with `WAKEFUL_MAKE_GOLDEN`.
#[tokio::test]
async fn make_golden() {
    if std::env::var_os("WAKEFUL_MAKE_GOLDEN").is_none() {
        return;
    }
    let place = Place::take();
    let scene = Scene::new(Rounds::Mixed, 3);
    std::fs::write(place.path("log.txt"), "END\n").unwrap();
    assert_eq!(scene.with(&args("completed", &[])).wait().said().0, Some(0));
    scene.become_of(Rounds::Asking, 3);
    std::fs::write(place.path("log.txt"), "END\n").unwrap();
    assert_eq!(scene.with(&args("rolled back", &[])).wait().said().0, Some(4));
    let (to, seen_seq) = (StepRef { timeline: None, step: 1 }, scene.state().await.head.seq);
    scene.post(Control::Rollback { to, files: true, seen_seq, choices: Default::default() }).await;
    assert_eq!(scene.resume("").wait().said(), (Some(4), "waiting", "approval"));
    scene.become_of(Rounds::Mixed, 3);
    std::fs::write(place.path("log.txt"), "END\n").unwrap();
    assert_eq!(scene.with(&args("at a limit", &["--max-steps", "2"])).wait().said().0, Some(3));
    let whole = scene.dir.path().join("whole.db");
    scene.store().backup(&whole).await.unwrap();
    let packed = zstd::encode_all(File::open(whole).unwrap(), 19).unwrap();
    std::fs::create_dir_all(file(0).parent().unwrap()).unwrap();
    std::fs::write(file(migrate::STEPS.len()), packed).unwrap();
}

async fn opens_and_goes_on(schema: usize) {
    let place = Place::take();
    let scene = Scene::new(Rounds::Mixed, 3);
    std::fs::write(&scene.db, zstd::decode_all(File::open(file(schema)).unwrap()).unwrap()).unwrap();
    let store = scene.store();
    assert_eq!(store.verify_all().await.unwrap(), vec![], "schema {schema}");
    assert_eq!(store.integrity_check().await.unwrap(), vec![], "schema {schema}");
    let runs = store.runs(RunFilter::default()).await.unwrap();
    let mut seen: Vec<_> =
        runs.iter().map(|run| (run.title.as_str(), run.status.as_str(), run.steps)).collect();
    seen.sort_unstable();
    assert_eq!(
        seen,
        [("at a limit", "limit", 2), ("completed", "completed", 4), ("rolled back", "waiting", 3)]
    );
    let id = |title: &str| runs.iter().find(|run| run.title == title).unwrap().id.clone();

    // The completed one is told again, with nothing done.
    let ended = scene.with(&["resume", id("completed").as_str()]).wait();
    assert_eq!(ended.said(), (Some(0), "completed", ""), "{ended:?}");
    assert!(!place.path("effects").exists());

    // The one at its limit goes on where it was.
    std::fs::write(place.path("log.txt"), "line 1\nline 2\nEND\n").unwrap();
    let ended = scene.with(&["resume", id("at a limit").as_str(), "--max-steps", "9"]).wait();
    assert_eq!(ended.said(), (Some(0), "completed", ""), "{ended:?}");
    assert_eq!(place.text("effects"), "3\n");
    assert_eq!(place.text("log.txt"), "line 1\nline 2\nline 3\nEND\n");

    // The one that waits after its rollback takes its answer.
    std::fs::write(place.path("log.txt"), "line 1\nEND\n").unwrap();
    let run = id("rolled back");
    let state = store.load(&run).await.unwrap().state;
    assert_eq!((state.head.timeline, state.path.step), (2, 1));
    let call = state.first_open().unwrap().clone();
    let decision = Decision::Approve;
    let (call_id, args_hash, attempt) = (call.call_id, call.args_hash, call.attempt);
    let decide = Control::Decide { call_id, args_hash, attempt, decision };
    store.post(&run, decide, Author::Person("test".to_owned()), 0).await.unwrap();
    scene.become_of(Rounds::Asking, 3);
    let ended = scene.with(&["resume", run.as_str()]).wait();
    assert_eq!(ended.said(), (Some(4), "waiting", "approval"), "{ended:?}");
    assert_eq!(place.text("log.txt"), "line 1\nline 2\nEND\n");
    assert_eq!(store.verify_all().await.unwrap(), vec![], "schema {schema}");
    scene.nothing_left("golden");
}

#[tokio::test]
async fn the_database_of_every_released_schema_opens_verifies_and_goes_on() {
    let folder = file(0).parent().unwrap().to_path_buf();
    let names = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name());
    let schema = |name: &str| name.strip_prefix("schema-")?.strip_suffix(".db.zst")?.parse().ok();
    let schemas: Vec<usize> = names.filter_map(|name| schema(name.to_str()?)).collect();
    assert!(!schemas.is_empty());
    for schema in schemas {
        opens_and_goes_on(schema).await;
    }
}
