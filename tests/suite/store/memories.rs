//! Memories: kept once, found by words of both languages and by vectors, settled, withdrawn with their timeline.

mod keyed;

use super::support::*;
use std::path::PathBuf;
use wakeful::recall::Policy;
use wakeful::run::memory::{Kind, Memory, MemoryId, NewMemory, Recalled, Scope, Source};
use wakeful::run::plan::InnerEffect;
use wakeful::run::*;
use wakeful::store::*;

fn by_person() -> Source {
    Source { author: person(), run: None, step: None, seq: None, at: 5 }
}

fn fact(text: &str) -> NewMemory {
    NewMemory {
        scope: Scope::Workspace(PathBuf::from("/w")),
        kind: Kind::Fact,
        key: None,
        text: text.to_owned(),
        confidence: 90,
        pinned: false,
    }
}

async fn keep(store: &Store, new: NewMemory) -> MemoryId {
    match store.remember(new, by_person()).await.unwrap() {
        Kept::New { id, .. } => id,
        Kept::Known { id, .. } => panic!("{id} is known"),
    }
}

fn query(text: &str) -> Query {
    Query {
        text: text.to_owned(),
        vector: None,
        run: None,
        workspace: Some(PathBuf::from("/w")),
        policy: Policy::default(),
    }
}

async fn found(store: &Store, query: Query) -> Vec<(MemoryId, Recalled)> {
    store.recall(query).await.unwrap().into_iter().map(|(memory, why)| (memory.id, why)).collect()
}

async fn ids(store: &Store, text: &str) -> Vec<MemoryId> {
    found(store, query(text)).await.into_iter().map(|(id, _)| id).collect()
}

#[tokio::test]
async fn words_of_one_two_and_more_characters_and_english_stems_are_found() {
    let bench = Bench::new();
    let store = &bench.store;
    let lock = keep(store, fact("写入时要拿锁，否则数据库会报错")).await;
    let time = keep(store, fact("导出的时间主要花在逐字段写文件上")).await;
    let cache = keep(store, fact("回退之后缓存要清空")).await;
    let build = keep(store, fact("The build fails on musl since openssl is linked dynamically")).await;
    let mixed = keep(store, fact("`write_all` 每个字段一次系统调用，改用 BufWriter")).await;
    assert_eq!(ids(store, "锁").await, [lock]);
    assert_eq!(ids(store, "时间").await, [time]);
    assert_eq!(ids(store, "数据库报错").await[0], lock);
    assert_eq!(ids(store, "缓存清空").await[0], cache);
    assert_eq!(ids(store, "failing builds").await, [build]);
    assert_eq!(ids(store, "where is write_all used").await, [mixed]);
    assert_eq!(ids(store, "bufwriter").await, [mixed]);
    assert!(ids(store, "天气").await.is_empty());
    assert!(ids(store, "").await.is_empty());
    assert!(ids(store, "\" OR words : NEAR(( * ^").await.is_empty(), "no syntax of the index in it");
    let why = found(store, query("failing builds")).await.remove(0).1.why;
    assert_eq!(why.words, ["build", "fails"]);
}

#[tokio::test]
async fn japanese_and_korean_are_found() {
    let bench = Bench::new();
    let store = &bench.store;
    let texts = [
        "ビルドは openssl が無いと失敗する",
        "データベースのロックは書き込みの前に取る",
        "テストのキャッシュは毎晩消える",
        "빌드는 openssl이 없으면 실패한다",
        "데이터베이스 잠금은 쓰기 전에 잡는다",
        "테스트 캐시는 매일 밤 지워진다",
    ];
    let mut kept = Vec::new();
    for text in texts {
        kept.push(keep(store, fact(text)).await);
    }
    for (words, at) in [
        ("ビルドが失敗する理由", 0),
        ("書き込みのロック", 1),
        ("キャッシュ", 2),
        ("빌드가 실패하는 이유", 3),
        ("쓰기 잠금", 4),
        ("캐시", 5),
    ] {
        assert_eq!(ids(store, words).await.first(), Some(&kept[at]), "{words}");
    }
    assert!(ids(store, "天気予報").await.is_empty() && ids(store, "날씨").await.is_empty());
}

#[tokio::test]
async fn the_same_is_kept_once_and_something_else_of_the_same_stands_beside_it() {
    let bench = Bench::new();
    let store = &bench.store;
    let four = keep(store, fact("Export uses 4 threads")).await;
    let known = |id, raised| Kept::Known { id, raised };
    let again = store.remember(fact("export uses 4 threads."), by_person()).await.unwrap();
    assert_eq!(again, known(four, Raised::default()));
    let kept = store.remember(fact("Export uses a single thread"), by_person()).await.unwrap();
    let Kept::New { id: single, disagrees_with } = kept else { panic!("{kept:?}") };
    assert_eq!(disagrees_with, Some(four));
    // Elsewhere it is another matter.
    let other = NewMemory { scope: Scope::User, ..fact("Export uses 16 threads") };
    assert!(matches!(
        store.remember(other, by_person()).await.unwrap(),
        Kept::New { disagrees_with: None, .. }
    ));
    let conflicts = MemoryFilter { conflicts: true, ..MemoryFilter::default() };
    let names = |all: Vec<Memory>| all.iter().map(|memory| memory.id).collect::<Vec<_>>();
    assert_eq!(names(store.memories(conflicts.clone()).await.unwrap()), [single, four]);
    assert!(matches!(
        store.settle_memory(single, Settle::Keep(99), person(), 9).await,
        Err(StoreError::BadMemory { .. })
    ));
    let left = store.settle_memory(four, Settle::Keep(single), person(), 9).await.unwrap();
    assert_eq!((names(left.clone()), left[0].disagrees_with), (vec![single], None));
    assert!(store.memories(conflicts).await.unwrap().is_empty());
    assert!(matches!(store.memory(four).await, Err(StoreError::NoMemory { id }) if id == four));
    assert!(!ids(store, "export threads").await.contains(&four));
    assert!(store.settle_memory(single, Settle::Both("x".to_owned()), person(), 9).await.is_err());
}

#[tokio::test]
async fn three_that_disagree_are_one_conflict_and_two_still_do_once_one_is_gone() {
    let bench = Bench::new();
    let store = &bench.store;
    let four = keep(store, fact("Export uses 4 threads")).await;
    let eight = keep(store, fact("Export uses 8 threads")).await;
    let nine = keep(store, fact("Export uses 9 threads")).await;
    keep(store, fact("The import needs 2 passes over the orders")).await;
    assert_eq!(store.conflicts().await.unwrap(), [[four, eight, nine]]);
    assert_eq!(store.memory(nine).await.unwrap().0.disagrees_with, Some(four));
    let beside = store.about_memory(eight).await.unwrap().conflict;
    assert_eq!(beside.iter().map(|other| other.id).collect::<Vec<_>>(), [four, nine]);
    store.delete_memory(four).await.unwrap();
    assert_eq!(store.memory(nine).await.unwrap().0.disagrees_with, Some(eight));
    assert_eq!(store.conflicts().await.unwrap(), [[eight, nine]]);
    let left = store.settle_memory(nine, Settle::Keep(nine), person(), 9).await.unwrap();
    assert_eq!((left[0].id, left[0].disagrees_with), (nine, None));
    assert!(store.conflicts().await.unwrap().is_empty());
}

#[tokio::test]
async fn one_that_stands_takes_the_place_of_all_that_disagree_with_it_and_says_so() {
    let bench = Bench::new();
    let store = &bench.store;
    let four = keep(store, fact("Export uses 4 threads")).await;
    let eight = keep(store, fact("Export uses 8 threads")).await;
    let nine = keep(store, fact("Export uses 9 threads")).await;
    let left = store.settle_memory(four, Settle::Keep(eight), person(), 9).await.unwrap();
    assert_eq!(left.iter().map(|m| (m.id, m.disagrees_with)).collect::<Vec<_>>(), [(eight, None)]);
    let settled = store.about_memory(eight).await.unwrap().settled;
    let said =
        |other, text: &str, both| Settled { at: 9, author: person(), other, text: text.to_owned(), both };
    assert_eq!(
        settled,
        [said(four, "Export uses 4 threads", false), said(nine, "Export uses 9 threads", false)]
    );
    for lost in [four, nine] {
        assert!(matches!(store.memory(lost).await, Err(StoreError::NoMemory { .. })));
        assert_eq!(store.replaced_by(lost).await.unwrap(), Some((eight, 9)));
    }
    assert_eq!(store.replaced_by(eight).await.unwrap(), None);
    // Both that stand say against which; what is deleted leaves no words there either.
    let two = keep(store, fact("Export uses 2 threads")).await;
    store.settle_memory(two, Settle::Both("by machine".to_owned()), person(), 10).await.unwrap();
    let settled = store.about_memory(two).await.unwrap().settled;
    assert_eq!(settled, [Settled { at: 10, ..said(eight, "Export uses 8 threads (by machine)", true) }]);
    store.delete_memory(eight).await.unwrap();
    assert_eq!(store.about_memory(two).await.unwrap().settled[0].text, "");
}

#[tokio::test]
async fn those_that_only_hang_together_by_a_third_stand_when_that_goes() {
    let bench = Bench::new();
    let store = &bench.store;
    // The first two say nothing of each other, and both something else than the third.
    let a = keep(store, fact("Export job uses 4 threads nightly batch")).await;
    let b = keep(store, fact("Export job uses 4 threads weekly queue")).await;
    assert!(store.conflicts().await.unwrap().is_empty());
    let c = keep(store, fact("Export job uses 8 threads")).await;
    assert_eq!(store.conflicts().await.unwrap(), [[a, b, c]]);
    store.settle_memory(c, Settle::Keep(a), person(), 9).await.unwrap();
    assert!(store.conflicts().await.unwrap().is_empty());
    assert_eq!(store.memory(b).await.unwrap().0.what.text, "Export job uses 4 threads weekly queue");
    assert_eq!(store.replaced_by(c).await.unwrap(), Some((a, 9)));
}

#[tokio::test]
async fn the_same_words_are_kept_once_whatever_kind_they_are_told_to_be() {
    let bench = Bench::new();
    let store = &bench.store;
    let words = "The bench needs --release";
    let id = keep(store, NewMemory { confidence: 95, ..fact(words) }).await;
    let lesson = NewMemory { kind: Kind::Lesson, confidence: 60, pinned: true, ..fact(words) };
    let later = Source { at: 7, ..by_person() };
    let raised = Raised { kind: Some(Kind::Lesson), confidence: None, pinned: true };
    assert_eq!(store.remember(lesson, later.clone()).await.unwrap(), Kept::Known { id, raised });
    let (memory, _) = store.memory(id).await.unwrap();
    assert_eq!((memory.what.kind, memory.what.confidence, memory.what.pinned), (Kind::Lesson, 95, true));
    assert_eq!(
        store.about_memory(id).await.unwrap().sources,
        [(by_person(), Kind::Fact), (later, Kind::Lesson)]
    );
    // The weaker kind takes nothing away, and what has another key is another thing.
    let again = store.remember(fact(words), by_person()).await.unwrap();
    assert_eq!(again, Kept::Known { id, raised: Raised::default() });
    assert_eq!(store.memory(id).await.unwrap().0.what.kind, Kind::Lesson);
    let surer = NewMemory { confidence: 99, ..fact(words) };
    let raised = Raised { confidence: Some(99), ..Raised::default() };
    assert_eq!(store.remember(surer, by_person()).await.unwrap(), Kept::Known { id, raised });
    keep(store, NewMemory { key: Some("bench".to_owned()), ..fact(words) }).await;
    assert_eq!(store.memories(MemoryFilter::default()).await.unwrap().len(), 2);
}

#[tokio::test]
async fn what_two_told_stays_until_both_are_withdrawn() {
    let bench = Bench::new();
    let store = &bench.store;
    let text = "rayon makes the export fast";
    let (mut one, mut two) = (bench.run("aaaa").await, bench.run("bbbb").await);
    for run in [&mut one, &mut two] {
        remembering_step(run, "the fixture is under target").await;
    }
    remembering_step(&mut one, text).await;
    step_with_result(&mut two, text).await;
    let id = ids(store, "rayon").await[0];
    let told = |sources: Vec<(Source, Kind)>| {
        sources.into_iter().map(|(source, kind)| (source.run.unwrap(), kind)).collect::<Vec<_>>()
    };
    let sources = told(store.about_memory(id).await.unwrap().sources);
    assert_eq!(sources, [(one.run.clone(), Kind::Fact), (two.run.clone(), Kind::Result)]);
    assert!(store.rebuild_derived().await.unwrap().is_empty());
    assert_eq!(told(store.about_memory(id).await.unwrap().sources).len(), 2, "a rebuild tells nothing again");
    one.roll_back(1).await;
    assert_eq!(ids(store, "rayon").await, [id], "the other run found the same");
    assert_eq!(told(store.about_memory(id).await.unwrap().sources), [(two.run.clone(), Kind::Result)]);
    two.roll_back(1).await;
    assert!(ids(store, "rayon").await.is_empty());
    assert!(store.verify(&two.run).await.unwrap().is_empty());
}

#[test]
fn conflicts_and_sources_of_before_come_forward() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w.db");
    let raw = rusqlite::Connection::open(&path).unwrap();
    migrate::migrate(&raw, &path, &migrate::STEPS[..6]).unwrap();
    let add = |id: i64, text: &str, disagrees: Option<i64>, gone: Option<&str>| {
        raw.execute(
            "INSERT INTO memories (id, scope, place, kind, text, confidence, pinned, author, at, disagrees, gone)
             VALUES (?1, 'user', '', 'fact', ?2, 90, 0, '{\"person\":\"cli\"}', 5, ?3, ?4)",
            rusqlite::params![id, text, disagrees, gone],
        )
        .unwrap();
    };
    add(1, "Export uses 4 threads", None, None);
    add(2, "Export uses 8 threads", Some(1), None);
    add(3, "Export uses 9 threads", Some(1), None);
    add(4, "", Some(1), Some("deleted"));
    add(5, "alone", None, None);
    migrate::migrate(&raw, &path, migrate::STEPS).unwrap();
    let rows = |sql: &str| {
        let mut statement = raw.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))).unwrap();
        rows.map(Result::unwrap).collect::<Vec<_>>()
    };
    assert_eq!(rows("SELECT older, newer FROM memory_conflicts ORDER BY 1, 2"), [(1, 2), (1, 3), (2, 3)]);
    assert_eq!(rows("SELECT memory, at FROM memory_sources ORDER BY 1").len(), 5);
}

#[tokio::test]
async fn both_can_stand_with_the_words_that_say_when() {
    let bench = Bench::new();
    let store = &bench.store;
    let on = keep(store, fact("The cache is enabled in CI")).await;
    let off = keep(store, fact("The cache is not enabled in CI")).await;
    let both = store
        .settle_memory(off, Settle::Both("depends on the branch".to_owned()), person(), 9)
        .await
        .unwrap();
    assert_eq!(both.len(), 2);
    assert!(
        both.iter().all(|m| m.what.text.ends_with("(depends on the branch)") && m.disagrees_with.is_none())
    );
    let (memory, versions) = store.memory(on).await.unwrap();
    assert_eq!(
        (memory.edited, versions.len(), versions[0].text.as_str()),
        (Some(9), 1, "The cache is enabled in CI")
    );
    assert!(ids(store, "branch").await.contains(&on), "found by its new words");
}

#[tokio::test]
async fn an_edit_keeps_the_words_before_and_a_deletion_none() {
    let bench = Bench::new();
    let store = &bench.store;
    let id = keep(store, fact("perf needs debug symbols")).await;
    store.put_vectors("m", vec![(id, "perf needs debug symbols".to_owned(), vec![1.0, 0.0])]).await.unwrap();
    assert!(store.without_vector("m", None, None, 9).await.unwrap().is_empty());
    let patch = MemoryPatch { text: Some("perf wants line tables".to_owned()), ..MemoryPatch::default() };
    store.edit_memory(id, patch, person(), 8).await.unwrap();
    assert_eq!(
        store.without_vector("m", None, None, 9).await.unwrap(),
        [(id, "perf wants line tables".to_owned())]
    );
    // A vector of the words before comes too late.
    store.put_vectors("m", vec![(id, "perf needs debug symbols".to_owned(), vec![1.0, 0.0])]).await.unwrap();
    assert_eq!(store.without_vector("m", None, None, 9).await.unwrap().len(), 1);
    assert_eq!((ids(store, "symbols").await, ids(store, "line tables").await), (vec![], vec![id]));
    let pin = MemoryPatch { pinned: Some(true), ..MemoryPatch::default() };
    store.edit_memory(id, pin, person(), 9).await.unwrap();
    assert_eq!(ids(store, "nothing of it").await, [id], "what is pinned is always offered");
    assert_eq!(store.memory(id).await.unwrap().1.len(), 1, "pinning is no other wording");
    store.delete_memory(id).await.unwrap();
    assert!(matches!(store.delete_memory(id).await, Err(StoreError::NoMemory { .. })));
    assert!(ids(store, "line tables").await.is_empty());
    let left: i64 = bench
        .raw()
        .query_row(
            "SELECT (SELECT count(*) FROM memories WHERE text <> '') + (SELECT count(*) FROM memory_versions)
             + (SELECT count(*) FROM memory_vectors)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn what_cannot_be_kept_is_said() {
    let bench = Bench::new();
    let store = &bench.store;
    let long = "x".repeat(3_000);
    for (new, said) in [
        (fact("  "), "says nothing"),
        (fact(&long), "3000 characters"),
        (NewMemory { kind: Kind::Preference, ..fact("tabs") }, "needs a key"),
    ] {
        let error = store.remember(new, by_person()).await.unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    assert!(store.memories(MemoryFilter::default()).await.unwrap().is_empty());
    let tabs = NewMemory { kind: Kind::Preference, key: Some("indent".to_owned()), ..fact("tabs") };
    let first = keep(store, tabs.clone()).await;
    let spaces = NewMemory { text: "spaces".to_owned(), ..tabs };
    let kept = store.remember(spaces, by_person()).await.unwrap();
    assert!(matches!(kept, Kept::New { disagrees_with: Some(id), .. } if id == first), "{kept:?}");
}

#[tokio::test]
async fn each_sees_what_is_for_it() {
    let bench = Bench::new();
    let store = &bench.store;
    let here = keep(store, fact("deploy with rsync")).await;
    let there =
        keep(store, NewMemory { scope: Scope::Workspace("/other".into()), ..fact("deploy with scp") }).await;
    let mine = keep(store, NewMemory { scope: Scope::User, ..fact("deploy only by day") }).await;
    let run = RunId::new("r-1");
    let own = keep(store, NewMemory { scope: Scope::Run(run.clone()), ..fact("deploy has begun") }).await;
    let sorted = |mut ids: Vec<MemoryId>| {
        ids.sort_unstable();
        ids
    };
    assert_eq!(sorted(ids(store, "deploy").await), [here, mine]);
    let of_run = Query { run: Some(run.clone()), ..query("deploy") };
    let of_run = found(store, of_run).await.into_iter().map(|(id, _)| id).collect();
    assert_eq!(sorted(of_run), [here, mine, own]);
    let all = Query { workspace: None, ..query("deploy") };
    let all = found(store, all).await.into_iter().map(|(id, _)| id).collect();
    assert_eq!(sorted(all), [here, there, mine, own]);
    let listed = MemoryFilter { workspace: Some("/w".into()), run: Some(run), ..MemoryFilter::default() };
    let listed = store.memories(listed).await.unwrap().iter().map(|memory| memory.id).collect();
    assert_eq!(sorted(listed), [here, mine, own]);
}

#[tokio::test]
async fn vectors_find_what_shares_no_word_and_only_those_of_one_model_are_compared() {
    let bench = Bench::new();
    let store = &bench.store;
    let mut kept = Vec::new();
    for (text, vector) in [
        ("buffers are flushed late", vec![1.0, 0.1, 0.0]),
        ("the office closes at six", vec![0.0, 1.0, 0.2]),
        ("lunch is at noon", vec![0.0, 0.9, 0.4]),
    ] {
        let id = keep(store, fact(text)).await;
        kept.push(id);
        store.put_vectors("a", vec![(id, text.to_owned(), vector)]).await.unwrap();
    }
    let near = |model: &str, values: Vec<f32>| Query {
        vector: Some(Vector { model: model.to_owned(), values }),
        ..query("slow output")
    };
    let hits = found(store, near("a", vec![0.9, 0.0, 0.1])).await;
    assert_eq!(hits.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [kept[0]]);
    assert!(hits[0].1.why.likeness > Some(80) && hits[0].1.why.words.is_empty(), "{hits:?}");
    assert!(found(store, near("b", vec![0.9, 0.0, 0.1])).await.is_empty());
    assert!(found(store, near("a", vec![0.9, 0.0])).await.is_empty(), "of another length");
}

#[tokio::test]
async fn many_results_do_not_crowd_out_what_else_is_near_by_words_or_by_meaning() {
    let bench = Bench::new();
    let store = &bench.store;
    let text = "The nightly bench of the large parser wants --release, or else it times out on this machine";
    let flag = keep(store, fact(text)).await;
    let mut vectors = vec![(flag, text.to_owned(), vec![0.9, 0.3, 0.1])];
    for n in 0..80_u8 {
        let text = format!("Nightly bench {n}");
        let id = keep(store, NewMemory { kind: Kind::Result, ..fact(&text) }).await;
        vectors.push((id, text, vec![1.0, 0.001 * f32::from(n), 0.0]));
    }
    // Something that is far, so that near is near.
    for n in 0..80_u8 {
        let text = format!("lunch at {n}");
        let id = keep(store, fact(&text)).await;
        vectors.push((id, text, vec![0.0, 1.0, 0.01 * f32::from(n)]));
    }
    store.put_vectors("a", vectors).await.unwrap();
    let near = Some(Vector { model: "a".to_owned(), values: vec![1.0, 0.0, 0.0] });
    for query in [
        query("nightly bench"),
        Query { vector: near.clone(), ..query("slow thing") },
        Query { vector: near, ..query("nightly bench") },
    ] {
        let hits = found(store, query.clone()).await;
        let results = hits.iter().filter(|(_, why)| why.kind == Kind::Result).count();
        assert_eq!((hits.len(), results), (3, 2), "{hits:?}");
        assert!(hits.iter().any(|(id, _)| *id == flag), "{hits:?}");
        let asked = Query { policy: Policy { most: 9, results: 9, least: 20, conflict: 0 }, ..query };
        assert_eq!(found(store, asked).await.len(), 9, "who asks for them gets them");
    }
}

/// One step that comes to a result.
async fn step_with_result(run: &mut Driver, text: &str) {
    let id = run.propose(Class::Inner, &format!("plan {text}")).await;
    run.put(vec![run.approve(&id), run.start(&id, Vec::new())]).await;
    let memory = NewMemory { kind: Kind::Result, ..fact(text) };
    let result = Event::ResultKept { memory, items: vec!["1".to_owned()] };
    let (finish, step) = (run.finish(&id, "the plan is recorded"), run.step());
    run.put(vec![finish, result, Event::StepCommitted { step }]).await;
}

#[tokio::test]
async fn a_result_is_for_other_runs_and_for_its_own_where_a_person_pinned_it() {
    let bench = Bench::new();
    let store = &bench.store;
    let mut run = bench.run("aaaa").await;
    step_with_result(&mut run, "rayon makes the export fast").await;
    let listed = store.memories(MemoryFilter::default()).await.unwrap();
    let source = &listed[0].source;
    assert_eq!(
        (&source.author, source.step, source.seq),
        (&Author::Wakeful, Some(1), Some(run.state.head.seq - 1))
    );
    let id = listed[0].id;
    let own = Query { run: Some(run.run.clone()), ..query("fast export") };
    let other = Query { run: Some(RunId::new("r-other")), ..query("fast export") };
    assert_eq!(found(store, other).await.len(), 1);
    assert!(found(store, own.clone()).await.is_empty());
    let pin = MemoryPatch { pinned: Some(true), ..MemoryPatch::default() };
    store.edit_memory(id, pin, person(), 9).await.unwrap();
    assert_eq!(found(store, own).await.len(), 1);
    assert!(store.rebuild_derived().await.unwrap().is_empty());
    assert_eq!(store.memories(MemoryFilter::default()).await.unwrap().len(), 1, "a rebuild makes none twice");
    assert!(store.verify(&run.run).await.unwrap().is_empty());
}

/// One step whose call remembers something.
async fn remembering_step(run: &mut Driver, text: &str) {
    let id = run.propose(Class::Inner, &format!("remember {text}")).await;
    run.put(vec![run.approve(&id), run.start(&id, Vec::new())]).await;
    let mut finish = run.finish(&id, "kept");
    if let Event::CallFinished { inner, .. } = &mut finish {
        *inner = Some(InnerEffect::Remember { memory: fact(text) });
    }
    let step = run.step();
    run.put(vec![finish, Event::StepCommitted { step }]).await;
}

#[tokio::test]
async fn what_an_agent_remembered_goes_and_comes_with_its_timeline() {
    let bench = Bench::new();
    let store = &bench.store;
    let mut run = bench.run("aaaa").await;
    remembering_step(&mut run, "the fixture is under target").await;
    let before = run.state.head.clone();
    remembering_step(&mut run, "rayon makes the export fast").await;
    let all = store.memories(MemoryFilter::default()).await.unwrap();
    assert_eq!(all.iter().map(|m| m.source.step).collect::<Vec<_>>(), [Some(2), Some(1)]);
    assert_eq!(
        (all[0].source.run.clone(), all[0].source.author.clone()),
        (Some(run.run.clone()), Author::Agent)
    );
    assert!(before.seq < run.state.head.seq);
    run.roll_back(1).await;
    assert_eq!(ids(store, "rayon export fixture").await.len(), 1);
    let withdrawn = MemoryFilter { withdrawn: true, ..MemoryFilter::default() };
    let all = store.memories(withdrawn).await.unwrap();
    assert_eq!(all.iter().map(|m| m.withdrawn).collect::<Vec<_>>(), [true, false]);
    // The same is learnt again on the new timeline: it is new, since the old one is not offered.
    remembering_step(&mut run, "rayon makes the export fast").await;
    assert_eq!(ids(store, "rayon").await.len(), 1);
    assert!(store.rebuild_derived().await.unwrap().is_empty());
    assert_eq!(ids(store, "rayon export fixture").await.len(), 2, "a rebuild makes none twice");
    assert!(store.verify(&run.run).await.unwrap().is_empty());
}
