//! Tokenizers of real models (`.ci/tokenizers` fetches them). Without `WAKEFUL_TEST_TOKENIZERS`, which names their folder,
//! nothing is tested, and each test says so.

use super::{CHINESE, CODE, ENGLISH, OUTPUT};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use wakeful::tokens::{Counter, TokenizerJson};

fn open(name: &str) -> Option<TokenizerJson> {
    let Some(dir) = std::env::var("WAKEFUL_TEST_TOKENIZERS").ok().filter(|v| !v.trim().is_empty()) else {
        println!("not tested: WAKEFUL_TEST_TOKENIZERS names no folder");
        return None;
    };
    let file = PathBuf::from(dir.trim()).join(format!("{name}.json"));
    if !file.exists() {
        println!("not tested: {name}, which could not be fetched");
        return None;
    }
    Some(TokenizerJson::open(&file).unwrap())
}

/// Marks, mixed scripts, odd blanks: where splitting rules differ.
const ODD: [&str; 6] = [
    "日本語と한국어 и русский 🙂🇨🇳 e\u{301} naïve",
    "\t\tif (x)\r\n\r\n    return;\n\n\n  ",
    "1234567 12.5% 0x1F 3,000,000",
    "don't I'LL we've   'sup",
    "https://example.org/a?b=c&d=e#f path/to/file.rs:12:34",
    "a\u{200b}b\u{a0}c\u{3000}d ﬁ ①②③",
];

/// What is known of each: tokens of the four texts, as the crate counts each of them whole.
#[test]
fn texts_count_as_they_do_without_pieces() {
    for (name, known) in [
        ("qwen3", [325, 363, 486, 500]),
        ("deepseek_v3", [324, 335, 511, 439]),
        ("llama3_1", [325, 452, 482, 428]),
    ] {
        let Some(counter) = open(name) else { continue };
        assert_eq!([ENGLISH, CHINESE, CODE, OUTPUT].map(|text| counter.count(text)), known, "{name}");
        for (text, one) in [ENGLISH, CHINESE, CODE, OUTPUT].into_iter().zip(known) {
            let lines = format!("{}\n", text.trim_end());
            let (times, whole) = (200_000 / lines.len(), counter.count(&lines));
            assert!(whole.abs_diff(one) <= 1, "{name}: a line end more or less");
            let all = counter.count(&lines.repeat(times));
            assert_eq!(u64::from(all), u64::from(whole) * times as u64, "{name}: {text:.20}");
        }
    }
}

/// C18 and C19.
#[test]
fn no_text_is_too_odd() {
    for name in ["qwen3", "deepseek_v3", "llama3_1"] {
        let Some(counter) = open(name) else { continue };
        for c in ["a", " ", "!", "中"] {
            let text = c.repeat(1_000_000 / c.len());
            let begun = Instant::now();
            let count = counter.count(&text);
            assert!(begun.elapsed() < Duration::from_secs(120), "{name} stalls on {c:?}");
            assert!(count > 1_000, "{name}: {count} in a megabyte of {c:?}");
        }
    }
}

/// Tokens as a llama.cpp server counts them, by its own code.
fn at_server(base: &str, text: &str) -> u32 {
    let host = base.trim().trim_start_matches("http://").split('/').next().unwrap();
    let body = serde_json::json!({ "content": text, "add_special": false }).to_string();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let head = format!(
        "POST /tokenize HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let json = answer.find('{').and_then(|from| answer.rfind('}').and_then(|to| answer.get(from..=to)));
    let json: serde_json::Value = serde_json::from_str(json.unwrap_or_else(|| panic!("{answer}"))).unwrap();
    u32::try_from(json["tokens"].as_array().unwrap_or_else(|| panic!("{json}")).len()).unwrap()
}

/// Two programs, one vocabulary, the same counts.
#[test]
fn a_llama_cpp_server_counts_the_same() {
    let set = |name: &str| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
    let (Some(base), Some(name)) = (set("WAKEFUL_TEST_BASE_URL"), set("WAKEFUL_TEST_TOKENIZER")) else {
        println!(
            "not tested: WAKEFUL_TEST_BASE_URL and WAKEFUL_TEST_TOKENIZER name no server and no vocabulary"
        );
        return;
    };
    let Some(counter) = open(name.trim()) else { return };
    for text in [ENGLISH, CHINESE, CODE, OUTPUT].into_iter().chain(ODD) {
        assert_eq!(counter.count(text), at_server(&base, text), "{text:.60}");
    }
}
