//! Contents by hash: once each, large ones in chunks, damage seen.

use super::support::*;
use rand::RngCore;
use wakeful::run::*;
use wakeful::store::*;

fn noise(len: usize) -> Vec<u8> {
    let mut content = vec![0; len];
    rand::rng().fill_bytes(&mut content);
    content
}

#[tokio::test]
async fn equal_contents_are_stored_once_and_come_back() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let long = "words that come again and again ".repeat(500);
    for _ in 0..3 {
        let mut bag = BlobBag::new();
        let body = bag.body(long.clone());
        let mut commit = run.commit_of(vec![wakeful(Event::PersonMessage { body: body.clone(), tokens: 1 })]);
        commit.bag = bag;
        run.try_commit(commit).await.unwrap();
        assert_eq!(bench.store.text(&body).await.unwrap(), long);
    }
    let size = |column: &str| -> i64 {
        let sql = format!("SELECT {column} FROM blobs WHERE size = {}", long.len());
        bench.raw().query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(size("count(hash)"), 1);
    assert!(size("stored") < 1000, "{} bytes", size("stored"));
    let texts = bench.store.texts(vec![Body::Inline("a".to_owned()), Body::Inline("b".to_owned())]).await;
    assert_eq!(texts.unwrap(), ["a", "b"]);
}

#[tokio::test]
async fn a_large_content_goes_in_chunks_before_its_commit() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let content = noise((3 << 20) + 17);
    let hash = bench.store.put_blob(content.clone()).await.unwrap();
    assert_eq!(bench.store.put_blob(content.clone()).await.unwrap(), hash);
    assert_eq!(bench.store.blob(&hash).await.unwrap(), content);
    let chunks: i64 =
        bench.raw().query_row("SELECT count(idx) FROM blob_chunks", [], |row| row.get(0)).unwrap();
    assert_eq!(chunks, 4);

    let mut bag = BlobBag::new();
    let other = noise(2 << 20);
    let inside = bag.raw(other.clone());
    let body = Body::Blob { hash: inside.clone(), bytes: other.len() as u64 };
    let mut commit = run.commit_of(vec![wakeful(Event::PersonMessage { body, tokens: 1 })]);
    commit.bag = bag;
    run.try_commit(commit).await.unwrap();
    assert_eq!(bench.store.blob(&inside).await.unwrap(), other);
}

#[tokio::test]
async fn a_content_that_is_half_there_or_changed_is_no_content() {
    let bench = Bench::new();
    let content = noise(2 << 20);
    let hash = bench.store.put_blob(content.clone()).await.unwrap();
    let raw = bench.raw();
    raw.execute("UPDATE blobs SET complete = 0", []).unwrap();
    let half = bench.store.blob(&hash).await;
    assert!(matches!(half, Err(StoreError::NoBlob { .. })), "{half:?}");
    // Left behind by a kill: the next one who brings it makes it whole.
    raw.execute("DELETE FROM blob_chunks WHERE idx = 1", []).unwrap();
    bench.store.put_blob(content.clone()).await.unwrap();
    assert_eq!(bench.store.blob(&hash).await.unwrap(), content);
    raw.execute("UPDATE blob_chunks SET data = zeroblob(length(data)) WHERE idx = 0", []).unwrap();
    let changed = bench.store.blob(&hash).await;
    assert!(matches!(changed, Err(StoreError::BadBlob { .. })), "{changed:?}");
    let findings = bench.store.verify_all().await.unwrap();
    assert!(findings.iter().any(|f| f.what.contains(hash.as_str())), "{findings:?}");
}

/// A summary grows by a line at its end and loses one at its beginning.
fn summary(lines: std::ops::Range<u32>) -> String {
    let line = |n: u32| format!("- {n}: {}\n", Hash::of(&n.to_le_bytes()));
    lines.map(line).collect()
}

#[tokio::test]
async fn what_repeats_most_of_another_is_stored_as_the_difference() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let mut before: Option<(Body, String)> = None;
    let mut all = Vec::new();
    for n in 0..30 {
        let text = summary(n..n + 80);
        let mut bag = BlobBag::new();
        let body = bag.body_like(text.clone(), before.as_ref().map(|(body, text)| (body, text.as_str())));
        let mut commit = run.commit_of(vec![wakeful(Event::PersonMessage { body: body.clone(), tokens: 1 })]);
        commit.bag = bag;
        run.try_commit(commit).await.unwrap();
        all.push((body.clone(), text.clone()));
        before = Some((body, text));
    }
    for (body, text) in &all {
        assert_eq!(bench.store.text(body).await.unwrap(), *text);
    }
    let count = |test: &str| -> i64 {
        let sql = format!("SELECT count(hash) FROM blobs WHERE size > 5000 AND {test}");
        bench.raw().query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    // Whole ones stand between, so that no content hangs on more than eight others.
    assert_eq!((count("codec = 3"), count("codec = 1")), (26, 4));
    assert_eq!(count("codec = 3 AND stored < 300"), 26);
    assert!(bench.store.verify_all().await.unwrap().is_empty());

    // One of the whole ones is damaged: what hangs on it is damaged too, what does not is not.
    bench
        .raw()
        .execute("UPDATE blobs SET data = zeroblob(stored) WHERE hash = ?1", [raw_hash(&all[9].0)])
        .unwrap();
    for (n, (body, _)) in all.iter().enumerate() {
        let read = bench.store.text(body).await;
        let hangs = (9..18).contains(&n);
        assert_eq!(matches!(read, Err(StoreError::BadBlob { .. })), hangs, "{n}: {read:?}");
    }
}

#[tokio::test]
async fn a_difference_from_what_is_not_stored_is_not_used() {
    let bench = Bench::new();
    let mut run = bench.run("aaaa").await;
    let (never, text) = (summary(0..80), summary(1..81));
    let mut elsewhere = BlobBag::new();
    let base = elsewhere.body(never.clone());
    let mut bag = BlobBag::new();
    let body = bag.body_like(text.clone(), Some((&base, never.as_str())));
    let mut commit = run.commit_of(vec![wakeful(Event::PersonMessage { body: body.clone(), tokens: 1 })]);
    commit.bag = bag;
    run.try_commit(commit).await.unwrap();
    assert_eq!(bench.store.text(&body).await.unwrap(), text);
}

#[tokio::test]
async fn contents_that_hang_on_each_other_are_damage_and_no_endless_read() {
    let bench = Bench::new();
    let hashes = [Hash::of(b"one"), Hash::of(b"two")];
    let raw = bench.raw();
    for (at, hash) in hashes.iter().enumerate() {
        let mut data = vec![1];
        data.extend(bytes_of(&hashes[1 - at]));
        data.extend([0x28, 0xb5, 0x2f, 0xfd, 0]);
        raw.execute(
            "INSERT INTO blobs (hash, size, stored, codec, chunks, complete, created, data)
             VALUES (?1, 10, ?2, 3, 0, 1, 0, ?3)",
            rusqlite::params![bytes_of(hash), data.len() as i64, data],
        )
        .unwrap();
    }
    let read = bench.store.blob(&hashes[0]).await;
    assert!(matches!(read, Err(StoreError::BadBlob { .. })), "{read:?}");
}

fn bytes_of(hash: &Hash) -> Vec<u8> {
    let text = hash.as_str();
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

fn raw_hash(body: &Body) -> Vec<u8> {
    bytes_of(&body.hash())
}
