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
