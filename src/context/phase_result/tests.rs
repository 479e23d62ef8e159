//! What the paragraph says, and where it is cut.

use super::*;
use crate::run::Goal;
use crate::run::phase::Phase;
use crate::run::plan::{Note, PlanState};

fn path(goal: &str, facts: &[(&str, u64)], files: &[&str]) -> Path {
    let note = |(text, seq): &(&str, u64)| Note { text: (*text).to_owned(), seq: *seq, step: 1 };
    let files = files.iter().map(|file| (*file).to_owned()).collect();
    let mut phase = Phase::default();
    (phase.since, phase.files) = (10, files);
    Path {
        goal: Goal { text: goal.to_owned(), ..Goal::default() },
        facts: facts.iter().map(note).collect(),
        phase: Some(phase),
        ..Path::default()
    }
}

fn at_end(path: &Path, answer: &str) -> String {
    phase_result(path, &[], answer).unwrap_or_default()
}

#[test]
fn the_end_of_a_run_tells_what_was_confirmed_answered_and_written() {
    let facts = [("an old phase", 10), ("The parser takes 4 s.", 11), ("zstd is used", 12)];
    let run = path("\n Make the import faster.\nIt takes too long.", &facts, &["src/a.rs", "src/b.rs"]);
    assert_eq!(
        at_end(&run, "It takes 1 s now.\n\n- zstd is used\n"),
        "Make the import faster — The parser takes 4 s — It takes 1 s now. - zstd is used — \
         files: src/a.rs, src/b.rs",
        "what the answer says is not said twice"
    );
    assert_eq!(
        at_end(&path("Make the import faster", &facts, &[]), "All done."),
        "Make the import faster — The parser takes 4 s; zstd is used"
    );
}

#[test]
fn a_title_alone_teaches_nothing() {
    assert!(DONE.is_sorted());
    let run = path("Count the files", &[("an old phase", 3)], &[]);
    for answer in [
        "",
        " \n",
        "Done.",
        "All done!",
        "The task is completed successfully.",
        "任务已全部完成。",
        "✅ Done",
    ] {
        assert_eq!(at_end(&run, answer), "", "{answer}");
    }
    for answer in ["42", "Done: 3 files.", "完成：共三个文件。", "没有文件"] {
        assert_eq!(at_end(&run, answer), format!("Count the files — {answer}"));
    }
    let off = Path { phase: None, ..path("Count the files", &[("new", 11)], &["a"]) };
    assert_eq!(at_end(&off, "42 of them"), "", "a run that keeps no results");
}

#[test]
fn a_part_of_the_plan_stands_under_its_parents_where_they_are_short() {
    let item = |id: &str, title: &str| PlanItem {
        id: id.to_owned(),
        title: title.to_owned(),
        state: PlanState::Done,
    };
    let mut run = path("the goal", &[("it has 3 stages", 11)], &[]);
    run.plan =
        vec![item("1", "Understand"), item("1.2", "Parser"), item("1.2.1", "Stages"), item("2", "Other")];
    let of = |run: &Path, ids: &[&str]| {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        phase_result(run, &ids, "").unwrap()
    };
    assert_eq!(of(&run, &["1.2.1"]), "Understand › Parser › Stages — it has 3 stages");
    assert_eq!(of(&run, &["1.2", "2"]), "Parser; Other — it has 3 stages");
    run.plan[0].title = "long ".repeat(40);
    assert_eq!(of(&run, &["1.2.1"]), "Parser › Stages — it has 3 stages");
    run.facts.clear();
    assert_eq!(phase_result(&run, &["2".to_owned()], ""), None);
}

#[test]
fn chinese_is_told_with_its_own_signs() {
    let run = path(
        "调查导出为什么慢。",
        &[("每个字段写一次文件。", 11), ("缓冲后快三倍", 12)],
        &["报告.md", "a.rs"],
    );
    assert_eq!(
        at_end(&run, "改用 BufWriter。测试通过。"),
        "调查导出为什么慢 — 每个字段写一次文件；缓冲后快三倍 — 改用 BufWriter。测试通过。 — 文件：报告.md、a.rs"
    );
    let long = format!("{}第二句很长{}", "结论在前。".repeat(70), "，没有尽头".repeat(100));
    let told = at_end(&path("长", &[], &[]), &long);
    assert!(told.ends_with("结论在前。 …") && told.chars().count() <= 4 + ANSWER, "{told}");
}

#[test]
fn what_is_long_is_cut_at_sentences_and_lines_and_says_so() {
    let goal = path("g", &[], &[]);
    let sentences = "This is a sentence of some words. ".repeat(20);
    let told = at_end(&goal, &sentences);
    assert!(told.ends_with("words. …") && told.chars().count() <= 4 + ANSWER, "{told}");
    let lines = "| a row | of a table |\n".repeat(40);
    assert!(at_end(&goal, &lines).ends_with("table | …"));
    let late = format!("Ok. {}", "word ".repeat(200));
    assert!(at_end(&goal, &late).ends_with("word …"), "an early end would leave out too much");
    let one = "x".repeat(1_000);
    assert_eq!(at_end(&goal, &one).chars().count(), 4 + ANSWER);
}

#[test]
fn it_never_grows_over_its_size_and_the_newest_facts_stay() {
    let long = "word ".repeat(100);
    let facts: Vec<String> =
        (0..30).map(|n| format!("fact number {n} of many that were confirmed")).collect();
    let facts: Vec<(&str, u64)> = facts.iter().map(|fact| (fact.as_str(), 11)).collect();
    let files: Vec<String> = (0..20).map(|n| format!("{}/{n}", "folder".repeat(20))).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let run = path(&long, &facts, &files);
    for (answer, newest) in [(long.as_str(), false), ("", true)] {
        let told = at_end(&run, answer);
        assert!(told.chars().count() <= TEXT, "{}", told.chars().count());
        assert!(told.ends_with('…') && !told.contains('\n'), "{told}");
        assert!(!newest || told.contains("… fact number"), "{told}");
    }
    let told = at_end(&path("g", &facts, &[]), "");
    assert!(
        told.starts_with("g — … fact number 1")
            && told.ends_with("fact number 29 of many that were confirmed")
    );
    let huge = [("f".repeat(3_000), 11)];
    let huge: Vec<(&str, u64)> = huge.iter().map(|(fact, seq)| (fact.as_str(), *seq)).collect();
    assert!(at_end(&path(&long, &huge, &files), &long).chars().count() <= TEXT);
}
