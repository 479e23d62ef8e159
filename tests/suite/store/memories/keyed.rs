//! Preferences and memories with a key: how they are found and which is sent; what deleting leaves of the words.

use super::*;

fn preference(key: &str, text: &str, scope: Scope) -> NewMemory {
    NewMemory { kind: Kind::Preference, key: Some(key.to_owned()), scope, ..fact(text) }
}

#[tokio::test]
async fn a_preference_is_found_by_its_key_and_by_its_parts() {
    let bench = Bench::new();
    let store = &bench.store;
    for n in 0..20 {
        keep(store, fact(&format!("unrelated thing number {n} of the garden"))).await;
    }
    let command = keep(store, preference("tests.command", "cargo nextest", Scope::User)).await;
    let chinese = keep(store, preference("语言", "English", Scope::User)).await;
    let plain = keep(store, fact("the command line has colours")).await;
    assert_eq!(ids(store, "tests.command").await.first(), Some(&command));
    assert_eq!(ids(store, "tests").await, [command]);
    assert_eq!(ids(store, "nextest").await, [command]);
    assert_eq!(ids(store, "语言").await, [chinese]);
    let both = ids(store, "command").await;
    assert!(both.contains(&command) && both.contains(&plain), "{both:?}");
    assert!(ids(store, "keyboard").await.is_empty());
}

#[tokio::test]
async fn of_one_key_the_nearest_preference_is_sent_and_that_of_another_folder_changes_nothing() {
    let bench = Bench::new();
    let store = &bench.store;
    let run = RunId::new("r-1");
    keep(store, preference("language", "简体中文", Scope::User)).await;
    keep(store, preference("indent", "tabs", Scope::User)).await;
    keep(store, preference("indent", "spaces", Scope::Workspace("/other".into()))).await;
    let sent = async |run: Option<RunId>| {
        let likes = store.offered(Query { run, ..query("x") }).await.unwrap().preferences;
        likes.into_iter().map(|one| (one.key, one.text)).collect::<Vec<_>>()
    };
    let of = |all: &[(&str, &str)]| {
        all.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(sent(Some(run.clone())).await, of(&[("indent", "tabs"), ("language", "简体中文")]));
    let folder = keep(store, preference("language", "English", Scope::Workspace("/w".into()))).await;
    assert_eq!(sent(Some(run.clone())).await, of(&[("language", "English"), ("indent", "tabs")]));
    keep(store, preference("language", "Deutsch", Scope::Run(run.clone()))).await;
    assert_eq!(sent(Some(run.clone())).await, of(&[("language", "Deutsch"), ("indent", "tabs")]));
    assert_eq!(sent(Some(RunId::new("r-2"))).await, of(&[("language", "English"), ("indent", "tabs")]));
    store.delete_memory(folder).await.unwrap();
    let back = sent(Some(RunId::new("r-2"))).await;
    assert_eq!(back, of(&[("indent", "tabs"), ("language", "简体中文")]));
}

/// Which of these words stand in the database's files.
fn in_files(bench: &Bench, words: &[&str]) -> Vec<String> {
    let mut bytes = std::fs::read(bench.path()).unwrap();
    let mut wal = bench.path().into_os_string();
    wal.push("-wal");
    bytes.extend(std::fs::read(wal).unwrap_or_default());
    let holds = |word: &&&str| bytes.windows(word.len()).any(|part| part == word.as_bytes());
    words.iter().filter(holds).map(|word| (*word).to_owned()).collect()
}

#[tokio::test]
async fn what_is_deleted_stands_in_no_free_page_no_index_and_no_log() {
    let bench = Bench::new();
    let store = &bench.store;
    for n in 0..300 {
        keep(store, fact(&format!("thing {n} has the colour {} and the weight {}", n * 7, n * 13))).await;
    }
    let words = ["quokkas", "marsupial", "wombatish"];
    let id = keep(store, fact(&format!("quokkas {}", "marsupial ".repeat(150)))).await;
    let patch = MemoryPatch { text: Some("a wombatish animal".to_owned()), ..MemoryPatch::default() };
    store.edit_memory(id, patch, person(), 8).await.unwrap();
    for n in 300..400 {
        keep(store, fact(&format!("thing {n} has the colour {} and the weight {}", n * 7, n * 13))).await;
    }
    assert_eq!(in_files(&bench, &words), words);
    store.delete_memory(id).await.unwrap();
    assert_eq!(in_files(&bench, &words), Vec::<String>::new());
    assert!(!ids(store, "thing 399 weight").await.is_empty(), "others are found as before");
}

#[tokio::test]
async fn keys_that_repeat_their_words_do_not_hide_their_memories_however_many_there_are() {
    for (keyed, others) in [(2, 0), (2, 1), (3, 2), (5, 4), (2, 2), (3, 3)] {
        for (key, text, asked) in [
            ("deploy_port", "Deploy port is", ["deploy port", "port"]),
            ("部署端口", "端口是", ["端口", "部署端口"]),
        ] {
            let bench = Bench::new();
            let mut named = Vec::new();
            for n in 0..keyed {
                let new = NewMemory { key: Some(key.to_owned()), ..fact(&format!("{text} 808{n}")) };
                named.push(keep(&bench.store, new).await);
            }
            for n in 0..others {
                let other = ["tea at nine", "lunch is late", "the door squeaks", "rain on Monday"][n];
                keep(&bench.store, fact(other)).await;
            }
            for asked in asked {
                let mut found = ids(&bench.store, asked).await;
                found.sort_unstable();
                assert_eq!(found, named, "{keyed} with the key {key} and {others} others: {asked}");
            }
        }
    }
}
