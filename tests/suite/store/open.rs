//! Opening: modes, folders, foreign and newer files, network file systems, migrations, many at once, backups.

use super::support::*;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use wakeful::run::*;
use wakeful::store::*;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn the_files_are_private_and_the_folder_beside_is_there() {
    let bench = Bench::new();
    bench.run("aaaa").await;
    let path = bench.path();
    assert!(bench.store.is_wal());
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&path.with_extension("db-wal")), 0o600);
    assert_eq!(bench.store.dir(), path.with_extension("db.d"));
    for name in ["", "workers", "spool", "live", "log"] {
        assert_eq!(mode(&bench.store.dir().join(name)), 0o700, "{name}");
    }
    assert!(!bench.store.dir().join("ballast").exists());
    let mut options = options(path.clone(), &bench.living);
    options.ballast = true;
    let store = Store::open(options).unwrap();
    assert_eq!(std::fs::metadata(store.dir().join("ballast")).unwrap().len(), 4 << 20);
    store.close().await.unwrap();
    assert_eq!(std::fs::metadata(path.with_extension("db-wal")).unwrap().len(), 0);
    let page: i64 = bench.raw().query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap();
    assert_eq!(page, 8192);
}

#[tokio::test]
async fn who_opens_what_others_hold_hears_of_it_once_and_a_free_one_is_just_opened() {
    let bench = Bench::new();
    bench.store.close().await.unwrap();
    let told = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let open = |path: &Path, busy: Duration| {
        let told = told.clone();
        let on_busy: OnBusy = Arc::new(move || {
            told.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        });
        Store::open(StoreOptions {
            busy_at_open: busy,
            on_busy: Some(on_busy),
            ..options(path.to_path_buf(), &bench.living)
        })
    };
    let count = || told.load(std::sync::atomic::Ordering::Relaxed);
    drop(open(&bench.path(), Duration::ZERO).unwrap());
    assert_eq!(count(), 0);
    // A file of its own, which nobody has open yet.
    let path = bench.path().with_file_name("held.db");
    drop(open(&path, Duration::ZERO).unwrap());
    let held = rusqlite::Connection::open(&path).unwrap();
    // The thread of the one that was dropped may still have its connection.
    let begun = std::time::Instant::now();
    while held.execute_batch("PRAGMA journal_mode = DELETE").is_err() {
        assert!(begun.elapsed() < Duration::from_secs(30), "somebody still has it open");
        std::thread::sleep(Duration::from_millis(5));
    }
    held.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let refused = open(&path, Duration::from_millis(600));
    assert!(matches!(refused, Err(StoreError::Busy { waited_ms: 600.. })), "{refused:?}");
    assert_eq!(count(), 1, "several tries, told once");
    held.execute_batch("COMMIT").unwrap();
    drop(open(&path, Duration::ZERO).unwrap());
    assert_eq!(count(), 1);
}

#[tokio::test]
async fn a_network_file_system_is_refused_with_the_way_out() {
    let bench = Bench::new();
    for (magic, name) in [(0x6969, "NFS"), (0xff53_4d42, "CIFS"), (0x6573_5546, "FUSE")] {
        let mut options = options(bench.folder.path().join("n.db"), &bench.living);
        options.fs_probe = Some(Arc::new(move |_: &Path| Some(magic)));
        let words = Store::open(options).unwrap_err().to_string();
        assert!(words.contains(name) && words.contains("--db") && words.contains("n.db"), "{words}");
    }
    assert!(!bench.folder.path().join("n.db").exists());
}

#[tokio::test]
async fn without_wal_a_rollback_journal_serves_and_everything_is_synced() {
    let bench = Bench::new();
    let mut options = options(bench.folder.path().join("d.db"), &bench.living);
    options.journaling = Journaling::Rollback;
    let store = Store::open(options.clone()).unwrap();
    assert!(!store.is_wal());
    let mut run = Driver::create(store.clone(), "aaaa").await;
    run.whole_step("one").await;
    let other = Store::open(options).unwrap();
    assert_eq!(*other.load(&run.run).await.unwrap().state, *run.state);
    let (a, b) = tokio::join!(
        other.post(&run.run, Control::Continue, person(), 1),
        store.post(&run.run, Control::Continue, person(), 1)
    );
    assert!(a.is_ok() && b.is_ok(), "{a:?} {b:?}");
    assert_eq!(store.verify_all().await.unwrap(), vec![]);
}

#[tokio::test]
async fn a_foreign_or_newer_file_is_left_as_it_is() {
    let bench = Bench::new();
    let foreign = bench.folder.path().join("f.db");
    rusqlite::Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let text = bench.folder.path().join("t.db");
    std::fs::write(&text, "this is a letter and no database at all ".repeat(50)).unwrap();
    for path in [foreign, text] {
        let before = std::fs::read(&path).unwrap();
        let refused = Store::open(options(path.clone(), &bench.living)).unwrap_err();
        assert!(matches!(refused, StoreError::NotOurs { .. }), "{refused}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
    bench.raw().execute_batch("PRAGMA user_version = 999").unwrap();
    let newer = Store::open(options(bench.path(), &bench.living)).unwrap_err();
    assert!(matches!(newer, StoreError::Newer { found: 999, .. }), "{newer}");
    let nowhere = Store::open(options("/proc/nothing/w.db".into(), &bench.living)).unwrap_err();
    assert!(nowhere.to_string().contains("--db"), "{nowhere}");
}

#[tokio::test]
async fn what_is_no_file_is_named_as_what_it_is_and_left_alone() {
    let bench = Bench::new();
    let folder = bench.folder.path().join("a folder");
    std::fs::create_dir(&folder).unwrap();
    for (path, what) in [("/dev/null".into(), "a device, pipe or socket"), (folder.clone(), "a folder")] {
        let refused = Store::open(options(path.clone(), &bench.living)).unwrap_err().to_string();
        let said = format!("{} is {what} and holds no database; it was left as it is", path.display());
        assert!(refused.starts_with(&said) && refused.ends_with("Name a file with --db"), "{refused}");
        assert!(!path.with_extension("d").exists());
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[tokio::test]
async fn damage_in_the_file_is_heard_of_once_something_met_it() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    for step in 0..40 {
        run.whole_step(&format!("step {step} {}", "of many words ".repeat(200))).await;
    }
    let other = bench.again();
    other.close().await.unwrap();
    let heard = other.damage_met();
    assert_eq!(*heard.borrow(), None);
    let mut bytes = std::fs::read(bench.path()).unwrap();
    assert!(bytes.len() > 20 * 8192, "{}", bytes.len());
    bytes.iter_mut().skip(8192).for_each(|byte| *byte = 0xa5);
    std::fs::write(bench.path(), bytes).unwrap();
    let error = other.load(&run.run).await.unwrap_err().to_string();
    assert!(error.contains("is damaged (") && error.contains("Run `wakeful doctor`"), "{error}");
    assert!(heard.borrow().is_some());
}

#[tokio::test]
async fn an_older_schema_is_backed_up_and_then_brought_forward() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    run.whole_step("one").await;
    // A later step over today's schema, as the next version will bring it.
    let mut steps = migrate::STEPS.to_vec();
    let newest = steps.len() as i64;
    steps.push("ALTER TABLE runs ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'");
    let raw = bench.raw();
    let backup = migrate::migrate(&raw, &bench.path(), &steps).unwrap().expect("a backup");
    assert_eq!(migrate::version(&raw).unwrap(), newest + 1);
    let mood: String = raw.query_row("SELECT mood FROM runs", [], |row| row.get(0)).unwrap();
    assert_eq!(mood, "calm");
    assert_eq!(mode(&backup), 0o600);
    let old = Store::open(options(backup, &bench.living)).unwrap();
    assert_eq!(*old.load(&run.run).await.unwrap().state, *run.state);
    assert_eq!(migrate::migrate(&raw, &bench.path(), &steps).unwrap(), None);

    // A step that fails leaves the file as it was.
    steps.push("ALTER TABLE runs ADD COLUMN other TEXT; SELECT nothing FROM nowhere");
    assert!(migrate::migrate(&raw, &bench.path(), &steps).is_err());
    assert_eq!(migrate::version(&raw).unwrap(), newest + 1);
    assert!(raw.prepare("SELECT other FROM runs").is_err());
}

#[tokio::test]
async fn the_first_schema_with_runs_in_it_comes_forward_whole() {
    let folder = tempfile::tempdir().unwrap();
    let living = Arc::default();
    let path = folder.path().join("w.db");
    let raw = rusqlite::Connection::open(&path).unwrap();
    migrate::migrate(&raw, &path, &migrate::STEPS[..1]).unwrap();
    drop(raw);
    let store = Store::open(options(path.clone(), &living)).unwrap();
    assert!(folder.path().join("w.db.schema-1.backup").exists());
    let mut run = Driver::create(store.clone(), "aaaa").await;
    run.whole_step("one").await;
    assert_eq!(store.verify_all().await.unwrap(), vec![]);
}

#[test]
fn thirty_open_a_new_database_at_once_and_all_can_write() {
    let folder = tempfile::tempdir().unwrap();
    let living = Arc::default();
    let path = folder.path().join("w.db");
    let threads: Vec<_> = (0..30)
        .map(|n| {
            let options = options(path.clone(), &living);
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    let store = Store::open(options).unwrap();
                    Driver::create(store.clone(), &format!("{n:04}")).await.whole_step("one").await;
                    store.runs(RunFilter::default()).await.unwrap().len()
                })
            })
        })
        .collect();
    for thread in threads {
        assert!(thread.join().unwrap() > 0);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Store::open(options(path, &living)).unwrap();
        assert_eq!(store.count_runs().await.unwrap(), 30);
        assert_eq!(store.verify_all().await.unwrap(), vec![]);
    });
}

#[tokio::test]
async fn opening_and_reading_need_no_lock_and_writing_says_who_waits() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let raw = bench.raw();
    raw.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut options = options(bench.path(), &bench.living);
    options.busy = Duration::from_millis(300);
    let store = Store::open(options).unwrap();
    assert_eq!(*store.load(&run.run).await.unwrap().state, *run.state);
    assert_eq!(store.runs(RunFilter::default()).await.unwrap().len(), 1);
    let busy = store.commit(run.commit_of(vec![wakeful(Event::Continued)])).await.unwrap_err();
    assert!(busy.is_busy() && busy.to_string().contains("locked by another process"), "{busy}");
    raw.execute_batch("ROLLBACK").unwrap();
    run.store = store;
    run.put(vec![Event::Continued]).await;
}

#[tokio::test]
async fn a_backup_is_whole_while_others_write_and_never_overwrites() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    run.whole_step("one").await;
    let file = bench.folder.path().join("copy.db");
    let mut writing = run.clone();
    let (done, ()) = tokio::join!(bench.store.backup(&file), async {
        for n in 0..20 {
            writing.whole_step(&n.to_string()).await;
        }
    });
    done.unwrap();
    assert_eq!(mode(&file), 0o600);
    let copy = Store::open(options(file.clone(), &bench.living)).unwrap();
    assert_eq!(copy.verify_all().await.unwrap(), vec![]);
    assert!(copy.load(&run.run).await.unwrap().state.path.step >= 1);
    assert!(matches!(bench.store.backup(&file).await, Err(StoreError::Io { .. })));
}

#[tokio::test]
async fn a_log_that_a_reader_kept_long_is_short_again_afterwards() {
    let bench = Bench::new();
    let wal = bench.path().with_extension("db-wal");
    let reader = bench.raw();
    reader.execute_batch("BEGIN; SELECT count(id) FROM runs").unwrap();
    let noise = |seed: u32| -> Vec<u8> {
        (0..20_000_u32)
            .flat_map(|n| *blake3::hash(&[seed.to_le_bytes(), n.to_le_bytes()].concat()).as_bytes())
            .collect()
    };
    for seed in 0..60 {
        bench.store.put_blob(noise(seed)).await.unwrap();
    }
    assert!(std::fs::metadata(&wal).unwrap().len() > 32 << 20);
    reader.execute_batch("COMMIT").unwrap();
    for n in 0..70 {
        bench.store.put_blob(vec![n; 10]).await.unwrap();
    }
    assert!(std::fs::metadata(&wal).unwrap().len() <= 16 << 20);
}
