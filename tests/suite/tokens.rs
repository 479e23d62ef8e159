//! Tests of `tokens`: exact counts agree with the reference, estimates keep the error they claim, and no text is too odd.

mod real;
pub mod tokenizer_json;

use std::time::{Duration, Instant};

use proptest::prelude::*;
use wakeful::tokens::{Counter, Encoding, Estimate, OpenAiBpe, TokenizerJson, counter_for};

const ENGLISH: &str = include_str!("tokens/english.txt");
const CHINESE: &str = include_str!("tokens/chinese.txt");
const CODE: &str = include_str!("tokens/code.txt");
const OUTPUT: &str = include_str!("tokens/output.txt");

/// How far the estimate is off, as a fraction of the exact `o200k_base` count.
fn error_of_estimate(text: &str) -> f64 {
    let exact = f64::from(OpenAiBpe::new(Encoding::O200k).count(text));
    (f64::from(Estimate.count(text)) - exact) / exact
}

#[test]
fn model_names_choose_the_counter() {
    for (name, id, exact) in [
        ("gpt-4o", "o200k_base", true),
        ("gpt-5.2-codex", "o200k_base", true),
        ("openai/GPT-4o-mini", "o200k_base", true),
        ("ft:gpt-4o-mini:team::x1", "o200k_base", true),
        ("gpt-oss-120b", "o200k_base", true),
        ("gpt-4-0314", "cl100k_base", true),
        ("gpt-3.5-turbo", "cl100k_base", true),
        ("deepseek-chat", "estimate-1", false),
        ("qwen2.5-coder:1.5b", "estimate-1", false),
        ("gpt2", "estimate-1", false),
        ("", "estimate-1", false),
    ] {
        let counter = counter_for(name);
        assert_eq!((counter.id(), counter.exact()), (id, exact), "{name}");
    }
}

#[test]
fn exact_counts_agree_with_the_reference() {
    for text in [ENGLISH, CHINESE, CODE, OUTPUT, "", "a", " ", "\n\n\n", "日本語と한국어 и русский 🙂🇨🇳"]
    {
        let reference = tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len();
        assert_eq!(OpenAiBpe::new(Encoding::O200k).count(text) as usize, reference, "o200k: {text:.40}");
        let reference = tiktoken_rs::cl100k_base_singleton().encode_ordinary(text).len();
        assert_eq!(OpenAiBpe::new(Encoding::Cl100k).count(text) as usize, reference, "cl100k: {text:.40}");
    }
}

#[test]
fn the_estimate_keeps_the_error_it_claims() {
    for (what, text) in [("English", ENGLISH), ("Chinese", CHINESE), ("code", CODE), ("output", OUTPUT)] {
        let error = error_of_estimate(text);
        assert!(error.abs() < 0.09, "{what}: off by {:.1} %", error * 100.0);
        let exact = f64::from(OpenAiBpe::new(Encoding::O200k).count(text));
        let crude = (text.len() as f64 / 4.0 - exact) / exact;
        assert!(error.abs() < crude.abs(), "{what}: {error:.3} is no better than bytes/4, {crude:.3}");
    }
    for text in [
        "Смотритель маяка вёл один и тот же журнал тридцать лет и каждый вечер записывал направление ветра.",
        "灯台守は三十年間同じ日誌をつけていた。毎晩、風向きと海の様子、そして通過した船の数を書き留めた。",
        "등대지기는 삼십 년 동안 같은 일지를 적었다. 매일 저녁 바람의 방향과 바다의 상태를 기록했다.",
        "احتفظ حارس المنارة بنفس السجل لمدة ثلاثين عامًا وكان يكتب كل مساء اتجاه الريح وحالة البحر.",
        "Le gardien du phare tenait le même journal depuis trente ans; chaque soir, il notait l'état de la mer.",
    ] {
        let error = error_of_estimate(text);
        assert!(error.abs() < 0.25, "{text:.20}: off by {:.1} %", error * 100.0);
    }
}

/// C18 and C19: a million identical characters neither panic nor stall.
#[test]
fn a_million_identical_characters_are_counted_at_once() {
    let counters: [&dyn Counter; 3] =
        [&OpenAiBpe::new(Encoding::O200k), &OpenAiBpe::new(Encoding::Cl100k), &Estimate];
    for counter in counters {
        counter.count("load the tables");
        for c in ['a', 'A', ' ', '!', '中', '\n', '0', '🙂', '\u{301}'] {
            let text = c.to_string().repeat(1_000_000);
            let begun = Instant::now();
            let count = counter.count(&text);
            // Unoptimised builds on busy machines: far above the milliseconds it takes, far below a stall.
            assert!(begun.elapsed() < Duration::from_secs(20), "{} stalls on {c:?}", counter.id());
            assert!(count > 1000, "{} finds only {count} in a million of {c:?}", counter.id());
        }
    }
}

/// Time of this thread alone, whatever else the machine does.
fn worked(count: impl Fn()) -> Duration {
    let now = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
    };
    let begun = now();
    count();
    now().saturating_sub(begun)
}

/// C18 and C19: eight times as much takes about eight times as long. What grows with the square would take 64 times.
#[test]
fn the_time_of_a_count_grows_with_the_text_and_not_with_its_square() {
    let json = TokenizerJson::open(&tokenizer_json::file()).unwrap();
    let counters: [&dyn Counter; 4] =
        [&OpenAiBpe::new(Encoding::O200k), &OpenAiBpe::new(Encoding::Cl100k), &Estimate, &json];
    let odd = ["a", " ", "!", "中", "\n", "\u{301}", "aA0", " \n\t", "\u{200b}", "<|end|>", "ab\u{301}中!"];
    for counter in counters {
        counter.count("load the tables");
        for piece in odd {
            let text = |bytes: usize| piece.repeat(bytes / piece.len());
            let (small, large) = (text(24_000), text(192_000));
            let least = |text: &str| {
                (0..3)
                    .map(|_| {
                        worked(|| {
                            std::hint::black_box(counter.count(text));
                        })
                    })
                    .min()
                    .unwrap()
            };
            let (one, eight) = (least(&small), least(&large));
            // So short a time is none to compare with.
            let one = one.max(Duration::from_micros(50));
            assert!(eight < one * 24, "{} on {piece:?}: {one:?}, then {eight:?}", counter.id());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Nothing is left out of a count: any text counts as the reference counts it.
    #[test]
    fn any_text_counts_as_the_reference_does(text in "\\PC{0,80}|[\\x00-\\x7f]{0,80}|.{0,80}") {
        let reference = tiktoken_rs::o200k_base_singleton().encode_ordinary(&text).len();
        prop_assert_eq!(OpenAiBpe::new(Encoding::O200k).count(&text) as usize, reference);
    }

    #[test]
    fn an_estimate_grows_with_its_text(a in ".{0,60}", b in ".{0,60}") {
        let whole = format!("{a}{b}");
        prop_assert!(Estimate.count(&whole) >= Estimate.count(&a));
        prop_assert_eq!(Estimate.count(""), 0);
    }
}
