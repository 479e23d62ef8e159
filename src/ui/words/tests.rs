//! Tests of the words: both languages are whole, and say the same things.

use super::*;
use crate::run::budget_table::Slot;
use crate::run::plan::PlanState;
use crate::run::{Author, CallId, CallStatus, Class, Hold, LimitKind, Mode, Outcome, Status, WaitWhy};

/// Something to stand in a text, found again in it.
pub trait Sample {
    /// The sample at this place; counts are `n` and up.
    fn sample(n: u64, at: u64) -> Self;
}

thread_local! {
    /// Whether texts are Chinese.
    static CHINESE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

impl Sample for u64 {
    fn sample(n: u64, at: u64) -> Self {
        n + if n == 1 { 0 } else { at }
    }
}

impl Sample for i64 {
    fn sample(n: u64, at: u64) -> Self {
        u64::sample(n, at).try_into().unwrap()
    }
}

impl Sample for &'static str {
    fn sample(_: u64, at: u64) -> Self {
        if CHINESE.get() {
            return ["甲子", "乙丑", "丙寅", "丁卯", "戊辰", "己巳", "庚午"]
                [usize::try_from(at % 7).unwrap()];
        }
        // Told from counts by their form.
        ["«0»", "«1»", "«2»", "«3»", "«4»", "«5»", "«6»"][usize::try_from(at % 7).unwrap()]
    }
}

fn texts(words: &Words, n: u64) -> Vec<(&'static str, String)> {
    [
        words.header.all(n),
        words.banners.all(n),
        words.choices.all(n),
        words.panels.all(n),
        words.live.all(n),
        words.context.all(n),
        words.queue.all(n),
        words.checkpoints.all(n),
        words.plan.all(n),
        words.runs.all(n),
        words.limits.all(n),
        words.unread.all(n),
        words.start.all(n),
        words.new_run.all(n),
        words.review.all(n),
        words.edit.all(n),
        words.deny.all(n),
        words.unsure.all(n),
        words.rollback.all(n),
        words.compare.all(n),
        words.goal.all(n),
        words.plan_edit.all(n),
        words.decision.all(n),
        words.quit.all(n),
        words.help.all(n),
        words.palette.all(n),
        words.small.all(n),
        words.ask.all(n),
        words.notes.all(n),
    ]
    .concat()
}

fn is_han(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// What was filled in: numbers without their commas, and marked texts, sorted.
fn filled_in(text: &str) -> Vec<String> {
    let plain = text.replace(',', "");
    let mut found: Vec<String> = plain
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| !digits.is_empty())
        .map(str::to_owned)
        .collect();
    found.sort();
    found
}

#[test]
fn no_text_is_empty_in_either_language() {
    for n in [0, 1, 2, 4_000] {
        let (en, zh) = (texts(&EN, n), texts(&ZH, n));
        assert!(en.len() > 450, "{} texts", en.len());
        assert_eq!(en.len(), zh.len());
        for (name, text) in en.iter().chain(&zh) {
            assert!(
                !text.trim().is_empty() && text.trim() == text.as_str() || text.starts_with(", "),
                "{name}: {text:?}"
            );
            assert!(!text.contains('{') && !text.contains("  "), "{name}: {text:?}");
        }
        for (name, text) in &en {
            assert!(!text.chars().any(is_han), "{name}: {text:?}");
        }
    }
}

/// The places at which a blank stands between two Chinese characters.
fn blanks(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let wide = |at: usize| chars.get(at).copied().is_some_and(super::close::is_chinese);
    let apart = |at: &usize| chars[*at] == ' ' && *at > 0 && wide(*at - 1) && wide(*at + 1);
    (0..chars.len()).filter(apart).map(|at| chars[at - 1..at + 2].iter().collect()).collect()
}

#[test]
fn no_blank_stands_between_chinese_characters_whatever_is_put_in() {
    CHINESE.set(true);
    let said = [texts(&ZH, 4_000), texts(Words::with(Lang::Zh, true), 4_000)].concat();
    CHINESE.set(false);
    let mut faults: Vec<String> = said
        .iter()
        .filter(|(_, text)| !blanks(text).is_empty())
        .map(|(name, text)| format!("{name}: {text}"))
        .collect();
    let tables = [super::reasons::KNOWN, super::faults::KNOWN, super::refusals::KNOWN].concat();
    for [_, zh] in tables {
        let many = vec!["甲子"; zh.matches('{').count()];
        let said = super::reasons::fill(zh, &many);
        faults.extend((!blanks(&said).is_empty()).then_some(said));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_is_filled_in_stands_in_both_languages() {
    for ((name, en), (_, zh)) in texts(&EN, 4_000).into_iter().zip(texts(&ZH, 4_000)) {
        assert_eq!(filled_in(&en), filled_in(&zh), "{name}: {en:?} and {zh:?}");
    }
}

#[test]
fn chinese_texts_hold_no_english_but_names() {
    // Names of things, of keys of files, and words that are typed as they stand.
    let names = [
        "wakeful",
        "OPENAI_BASE_URL",
        "wakeful-report.md",
        "git",
        "JSON",
        "KiB",
        "yes",
        "file",
        "cmd",
        "answer-contains",
        "human",
        "none",
        "k",
        "m",
        "h",
        "v",
    ];
    let mut faults = Vec::new();
    for (name, text) in texts(&ZH, 4_000) {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.'));
        for word in words.filter(|word| word.chars().any(|c| c.is_ascii_alphabetic())) {
            let bare = word.trim_matches(|c: char| c.is_ascii_digit() || c == '.');
            if !names.contains(&bare) {
                faults.push(format!("{name}: {word:?} in {text:?}"));
            }
        }
        let alone = ["wakeful", "git", "+ “", "− “", "! ", "↓"];
        let is_filled = text.chars().all(|c| !c.is_alphabetic());
        if !(text.chars().any(is_han) || is_filled || alone.iter().any(|a| text.starts_with(a))) {
            faults.push(format!("{name}: {text:?}"));
        }
    }
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn counts_have_their_singular() {
    assert_eq!(EN.header.calls_wait(1), "1 call waits");
    assert_eq!(EN.header.calls_wait(2), "2 calls wait");
    assert_eq!(EN.header.runs_need_you(1), "runs: 1 needs you");
    assert_eq!(EN.header.runs_need_you(2), "runs: 2 need you");
    assert_eq!(EN.live.more_lines(1), "… 1 more line");
    assert_eq!(EN.live.more_lines(8), "… 8 more lines");
    assert_eq!(EN.checkpoints.branches(1), "1 branch");
    assert_eq!(EN.checkpoints.branches(2), "2 branches");
    assert_eq!(EN.checkpoints.would_undo(13, 13, "15,722"), "would undo step 13 (15,722 tokens)");
    assert_eq!(EN.limits.steps_left(1), "about 1 step left");
    let wrong = [
        "1 calls",
        "1 steps",
        "1 lines",
        "1 files",
        "1 tokens",
        "1 runs",
        "1 events",
        "1 commands",
        "1 rounds",
    ];
    let is_wrong = |text: &String| wrong.iter().any(|wrong| text.replace("of 1 tokens", "").contains(wrong));
    let faults: Vec<_> = texts(&EN, 1).into_iter().filter(|(_, text)| is_wrong(text)).collect();
    assert_eq!(faults, Vec::new());
}

#[test]
fn the_words_of_the_mock_ups_stand() {
    assert_eq!(EN.panels.following, "following ↓");
    assert_eq!(
        EN.banners.disk_full_text(14),
        "Step 14 is not saved; no effects run. Free some room on its disk"
    );
    assert_eq!(EN.context.drift("+229", "+1.1 %"), "drift +229 (+1.1 %)");
    assert_eq!(ZH.context.drift("+121", "+1.0 %"), "偏差 +121（+1.0 %）");
    assert_eq!(ZH.context.server("12,190"), "服务器计 12,190");
    assert_eq!(ZH.header.message("i"), "给智能体留言（i）");
    assert_eq!(ZH.header.runs_need_you(1), "1 个任务等你处理");
    assert_eq!(ZH.limits.steps_left(19), "约还能走 19 步");
    assert_eq!(EN.rollback.title(6), "Roll back to step 6?");
    assert_eq!(
        EN.rollback.undoes(7, 13, 14, 99_326, 3),
        "Undo steps 7–13 and open step 14; 99,326 tokens stay spent; timeline 3."
    );
    assert_eq!(EN.rollback.preflight_ok(2), "Preflight: both files can be put back");
    assert_eq!(EN.queue.empty, "Nothing waits. Calls that need you appear here.");
    assert_eq!(EN.checkpoints.empty, "No checkpoint yet: the first comes after step 1.");
    assert_eq!(EN.banners.near_limit("tokens", 80), "TOKENS 80 %");
    assert_eq!(EN.review.hidden(2), "2 characters are not what they look like; shown as codes, reversed.");
}

#[test]
fn slots_have_the_agreed_names() {
    let zh: Vec<&str> = Slot::ALL.iter().map(|slot| Lang::Zh.slot(*slot)).collect();
    assert_eq!(zh, ["系统", "工具", "目标", "要点", "摘要", "近期", "长期", "状态", "预留"]);
    for slot in Slot::ALL {
        assert_eq!(Lang::En.slot(slot), slot.word());
    }
}

#[test]
fn every_state_has_a_word_of_its_own_in_each_language() {
    use CallStatus as S;
    let calls = [
        S::Proposed,
        S::Waiting,
        S::Approved,
        S::Started,
        S::Done,
        S::Failed,
        S::Rejected,
        S::Denied,
        S::Cancelled,
        S::Uncertain,
    ];
    let outcomes = [
        Outcome::Completed,
        Outcome::Limit(LimitKind::Steps),
        Outcome::Failed("x".to_owned()),
        Outcome::Cancelled,
    ];
    for lang in Lang::ALL {
        let distinct = |words: Vec<&'static str>| {
            let all = words.len();
            let set: std::collections::BTreeSet<_> =
                words.into_iter().filter(|word| !word.is_empty()).collect();
            assert_eq!(set.len(), all, "{set:?}");
            assert!(set.iter().all(|word| word.chars().any(is_han) == (lang == Lang::Zh)), "{set:?}");
        };
        distinct(calls.map(|status| lang.call_status(status)).to_vec());
        distinct(outcomes.iter().map(|outcome| lang.ended(outcome)).collect());
        distinct(Phase::ALL.map(|phase| lang.phase(phase)).to_vec());
        distinct([Mode::Ask, Mode::Safe, Mode::Auto].map(|mode| lang.mode(mode)).to_vec());
        distinct(
            [Class::Read, Class::Keyed, Class::Effect, Class::Inner, Class::Person]
                .map(|c| lang.class(c))
                .to_vec(),
        );
        use PlanState as P;
        distinct([P::Pending, P::Active, P::Done, P::Failed, P::NeedsReview].map(|s| lang.plan(s)).to_vec());
        use LimitKind as L;
        distinct([L::Steps, L::Tokens, L::Cost, L::Time].map(|limit| lang.limit(limit)).to_vec());
    }
}

#[test]
fn reasons_to_wait_are_whole_sentences() {
    let hold = Hold::Loop("the same call gave the same result 3 times".to_owned());
    assert_eq!(Lang::En.hold(&hold), "it looks like a loop: the same call gave the same result 3 times");
    assert_eq!(Lang::Zh.hold(&hold), "看来陷入循环：同一调用 3 次得到同一结果");
    let check = Hold::FailedCheck("there is no file a.md; exit 1".to_owned());
    assert_eq!(Lang::Zh.hold(&check), "验收一再不通过：没有文件 a.md; exit 1");
    assert_eq!(Lang::En.hold(&Hold::Breaker(3)), "3 failures in a row");
    let one = WaitWhy::Approval(vec![CallId::new("c-1")]);
    assert_eq!(Lang::En.waits_for(&one, ""), "1 call waits for your approval");
    assert_eq!(Lang::Zh.waits_for(&one, ""), "1 个调用待你批准");
    assert_eq!(Lang::Zh.status(&Status::Waiting(one)), "等待中");
    assert_eq!(Lang::En.outcome(&Outcome::Limit(LimitKind::Tokens)), "limit: tokens");
    assert_eq!(Lang::Zh.outcome(&Outcome::Limit(LimitKind::Tokens)), "到达限额：词元");
    assert_eq!(Lang::Zh.author(&Author::Person("tui".to_owned())), "你");
    assert_eq!(Lang::Zh.trimmed("2 rounds"), "2 轮");
    assert_eq!(Lang::En.trimmed("2 rounds"), "2 rounds");
}

#[test]
fn every_control_has_a_name() {
    for control in [
        crate::run::Control::Continue,
        crate::run::Control::Cancel,
        crate::run::Control::Redo,
        crate::run::Control::Pause { now: true },
        crate::run::Control::Message { text: String::new(), now: false },
    ] {
        assert_ne!(Lang::En.control(&control), "control");
        assert!(Lang::Zh.control(&control).chars().any(is_han));
    }
}

#[test]
fn every_failure_has_words_and_is_known_by_its_word() {
    use crate::provider::ErrorKind as K;
    let all = K::ALL;
    assert!(all.iter().collect::<std::collections::HashSet<_>>().len() == all.len());
    for kind in all {
        let word = serde_json::to_value(kind).unwrap().as_str().unwrap().to_owned();
        assert_eq!(failures::kind(&word), Some(kind));
        for lang in Lang::ALL {
            let told = lang.outcome(&Outcome::Failed(word.clone()));
            assert!(told.ends_with(lang.failure(kind)) && !told.contains('_'), "{told}");
            assert_eq!(told.chars().any(is_han), lang == Lang::Zh, "{told}");
            assert_eq!(lang.failure_help(kind).chars().any(is_han), lang == Lang::Zh);
        }
        // What the journal has of it is taken apart again.
        let made =
            |detail: &str| crate::provider::ModelError::new(kind, "http://127.0.0.1:1/v1", detail).message;
        let said = |detail: &str| {
            let message = made(detail);
            let (status, words) = crate::provider::ModelError::said(kind, &message);
            (status, words.to_owned())
        };
        assert_eq!(said("HTTP 503: come (later)"), (Some(503), "come (later)".to_owned()));
        assert_eq!(said("HTTP 503"), (Some(503), String::new()));
        assert_eq!(said("no such host"), (None, "no such host".to_owned()));
        assert_eq!(said(""), (None, String::new()));
    }
}

#[test]
fn counts_of_a_thousand_and_more_have_their_separators() {
    for lang in Lang::ALL {
        let words = Words::of(lang);
        let (header, notes) = (&words.header, &words.notes);
        for said in [
            header.runs_need_you(1_200),
            header.runs_work(1_200),
            header.runs_paused(1_200),
            header.runs_interrupted(1_200),
            header.runs_ended(1_200),
            header.asks_pending(1_200),
            header.calls_wait(1_200),
            words.panels.new_below(1_200),
            notes.copied(1_200, 0),
            notes.copied(9_000, 1_200),
        ] {
            assert!(said.contains("1,200"), "{said}");
        }
    }
}
