//! Signs of life beside the journal: the pulse of an owner, the output of a command.

use crate::suite::store::support::*;
use std::fs::File;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use wakeful::host::lock::LivingLock;
use wakeful::host::spool::SpoolName;
use wakeful::run::*;
use wakeful::ui::feed::{Feed, Signs};

fn touch(file: &File, ago: u64) {
    file.set_modified(SystemTime::now() - Duration::from_secs(ago)).unwrap();
}

fn now() -> Millis {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

#[tokio::test]
async fn an_owner_without_a_pulse_sleeps() {
    let bench = Bench::new();
    let run = bench.run("aaaa").await;
    bench.living.lock().unwrap().insert("w-1".to_owned());
    let shot = Feed::new(bench.store.clone()).read(Some(&run.run), now()).await.unwrap();
    let view = shot.run.unwrap();
    let folder = bench.store.dir();
    let look = |own, rested| Signs::read(folder, &view, own, rested, now()).asleep;
    assert_eq!(look(false, true), None, "no lock, no word of it");
    let lock = LivingLock::take(&folder.join("workers").join("w-1")).unwrap();
    let file = File::options().write(true).open(lock.path()).unwrap();
    assert_eq!(look(false, true), None, "it has just begun");
    touch(&file, 50);
    assert_eq!(look(false, true), None, "a few beats are missing");
    touch(&file, 560);
    let asleep = look(false, true).unwrap();
    assert_eq!((asleep.worker.as_str(), asleep.pid), ("w-1", i32::try_from(std::process::id()).unwrap()));
    let ago = now() - asleep.alive_at;
    assert!((560_000..570_000).contains(&ago), "{ago}");
    assert_eq!(look(true, true), None, "that is this process");
    assert_eq!(look(false, false), None, "the machine slept, and nobody has had time for a beat");
}

#[tokio::test]
async fn a_command_that_writes_nothing_for_long_is_silent() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let id = run.propose(Class::Effect, "make").await;
    run.put(vec![run.approve(&id), run.start(&id, Vec::new())]).await;
    let shot = Feed::new(bench.store.clone()).read(Some(&run.run), now()).await.unwrap();
    let view = shot.run.unwrap();
    let call = view.calls[0].clone();
    let name = SpoolName::new(call.call_id.as_str(), call.attempt, call.spool_epoch).unwrap();
    let spool = bench.store.dir().join("spool").join(name.to_string());
    std::fs::create_dir_all(&spool).unwrap();
    let (out, lock) = (File::create(spool.join("out")).unwrap(), File::create(spool.join("lock")).unwrap());
    let look = |at| Signs::read(bench.store.dir(), &view, false, true, at).silent;
    touch(&out, 3_600);
    assert_eq!(look(now()), [], "nobody supervises it");
    lock.lock().unwrap();
    assert_eq!(look(call.since + 29_000), [], "it has just begun");
    let silent = look(call.since + 31_000);
    assert_eq!(silent.iter().map(|s| (s.call.clone(), s.wrote_at)).collect::<Vec<_>>(), [(id.clone(), None)]);
    std::io::Write::write_all(&mut &out, b"compiling\n").unwrap();
    touch(&out, 5);
    assert_eq!(look(now()), []);
    touch(&out, 41);
    let ago = now() - look(now())[0].wrote_at.unwrap();
    assert!((41_000..50_000).contains(&ago), "{ago}");
}
