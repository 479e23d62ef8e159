//! Old steps on one row: what it says, how it opens, and that nothing jumps when it forms.

use crate::run::CallStatus;
use crate::ui::app::msg::Msg;
use crate::ui::app::sample;
use crate::ui::app::tests::Bench;
use crate::ui::app::transcript::Spot;
use crate::ui::feed::{CallView, Item};
use crate::ui::frame::Program as _;
use crate::ui::words::Lang;
use std::sync::Arc;

fn bench(lang: Lang, size: (u16, u16)) -> Bench {
    let mut model = sample::model(lang, size);
    sample::fold(&mut model, &[(7, "read the crate, 2 M row fixture, baseline 214 s"), (10, "")]);
    Bench::of(model)
}

fn spot(step: u32) -> Option<Spot> {
    Some(Spot { step, item: None })
}

/// The rows of the panel Loop that begin with a sign of folding, as text without the borders.
fn steps(bench: &mut Bench) -> Vec<String> {
    let rows = bench.frame();
    let own = |row: &String| {
        let inside = row.trim_start_matches(['┃', '│', ' ', '▌']);
        inside.split(['┃', '│']).next().unwrap_or_default().trim_end().to_owned()
    };
    rows.iter().map(own).filter(|row| row.starts_with('▸') || row.starts_with('▾')).collect()
}

/// The first rows of the panel, from the first step on.
fn first(lang: Lang, size: (u16, u16)) -> Vec<String> {
    let mut bench = bench(lang, size);
    bench.press("1 <");
    steps(&mut bench)
}

#[test]
fn the_steps_of_a_fold_stand_on_one_row() {
    let (words, en, zh) = ("read the crate, 2 M row fixture, baseline 214 s", Lang::En, Lang::Zh);
    let expected = [
        (
            en,
            (200, 60),
            "         11 calls ✓",
            "▸ 8–10  One thread stays; I set up the bench, Bench harness,… 5 calls ⊘ 1",
        ),
        (
            en,
            (120, 40),
            "   11 calls ✓",
            "▸ 8–10  One thread stays; I set up the bench, Bench ha… 5 calls ⊘ 1",
        ),
        (
            en,
            (80, 24),
            "             11 calls ✓",
            "▸ 8–10  One thread stays; I set up the bench, Bench harness, Is … 5 calls ⊘ 1",
        ),
        (
            zh,
            (200, 60),
            "        11 次调用 ✓",
            "▸ 8–10  One thread stays; I set up the bench，Bench harness… 5 次调用 ⊘ 1",
        ),
        (
            zh,
            (120, 40),
            "  11 次调用 ✓",
            "▸ 8–10  One thread stays; I set up the bench，Bench h… 5 次调用 ⊘ 1",
        ),
        (
            zh,
            (80, 24),
            "            11 次调用 ✓",
            "▸ 8–10  One thread stays; I set up the bench，Bench harness，Is… 5 次调用 ⊘ 1",
        ),
    ];
    for (lang, size, calls, second) in expected {
        let rows = first(lang, size);
        assert_eq!(rows[..2], [format!("▸ 1–7  {words}{calls}"), second.to_owned()], "{size:?}");
        assert!(rows[2].starts_with("▸ 11  The bench harness is in."), "{rows:#?}");
    }
}

#[test]
fn the_persons_words_stay_between_the_groups() {
    let mut bench = bench(Lang::En, (200, 60));
    let rows = bench.frame();
    let at = |text: &str| rows.iter().position(|row| row.contains(text)).unwrap_or_else(|| panic!("{text}"));
    assert!(at("▸ 1–7") < at("Keep the row order") && at("Keep the row order") < at("▸ 8–10"), "{rows:#?}");
}

#[test]
fn a_group_unfolds_and_folds_with_the_keys_of_steps() {
    for key in ["l", "Right", "Enter"] {
        let mut bench = bench(Lang::En, (120, 40));
        bench.press("1 <");
        bench.press(key);
        assert_eq!(bench.app.model.transcript.at, spot(1), "{key}");
        let rows = steps(&mut bench);
        assert!(rows[0].starts_with("▸ 1 ") && rows[6].starts_with("▸ 7 "), "{key}: {rows:#?}");
        assert!(rows[7].starts_with("▸ 8–10"), "the others stay: {rows:#?}");
        // From any of them; and a step that is unfolded is folded first.
        bench.press("j j l");
        assert!(steps(&mut bench)[2].starts_with("▾ 3 "));
        bench.press("h");
        assert!(steps(&mut bench)[2].starts_with("▸ 3 "));
        bench.press("h");
        assert_eq!(bench.app.model.transcript.at, spot(1));
        assert!(steps(&mut bench)[0].starts_with("▸ 1–7"));
        bench.press("h");
        assert!(steps(&mut bench)[0].starts_with("▸ 1–7"), "it is folded as far as it goes");
    }
}

#[test]
fn all_are_unfolded_and_folded_at_once_and_what_is_selected_stays_so() {
    let mut bench = bench(Lang::En, (120, 40));
    bench.press("1 < o");
    assert!(steps(&mut bench)[0].starts_with("▾ 1 "));
    bench.press("j j j j j j o");
    let at = bench.app.model.transcript.at;
    assert!(steps(&mut bench)[0].starts_with("▸ 1–7"));
    assert_eq!(at, spot(1));
    assert!(bench.frame().iter().any(|row| row.contains("▌▸ 1–7")));
}

#[test]
fn movement_goes_over_groups_as_over_steps() {
    let mut bench = bench(Lang::En, (120, 40));
    bench.press("1 <");
    let mut seen = vec![bench.app.model.transcript.at.unwrap()];
    while let Some(at) = {
        bench.press("j");
        bench.app.model.transcript.at
    } {
        seen.push(at);
    }
    let headings: Vec<u32> = seen.iter().filter(|spot| spot.item.is_none()).map(|spot| spot.step).collect();
    assert_eq!(headings, [1, 8, 11, 12, 13, 14], "{seen:?}");
    let mut back = Vec::new();
    for _ in 0..seen.len() {
        bench.press("k");
        back.extend(bench.app.model.transcript.at);
    }
    back.reverse();
    assert_eq!(back, seen);
}

#[test]
fn a_group_does_not_form_around_what_is_read_and_nothing_jumps() {
    let mut bench = Bench::of(sample::model(Lang::En, (120, 40)));
    bench.press("1 < j j");
    assert_eq!(bench.app.model.transcript.at, spot(3));
    let before = bench.frame();
    let mut folded = sample::model(Lang::En, (120, 40));
    sample::fold(&mut folded, &[(10, "much")]);
    let come = |bench: &mut Bench, folded: &crate::ui::app::model::Model| {
        bench.app.update(Msg::Shot(folded.shot.clone().unwrap()));
        bench.frame()
    };
    assert_eq!(come(&mut bench, &folded), before, "all that is in view is being read");

    // What is above and below the view is grouped, and the row that is read stays where it is.
    let mut bench = Bench::of(sample::model(Lang::En, (80, 24)));
    bench.press("1 < j j j j j j j j j j");
    let row = |rows: &[String]| rows.iter().position(|row| row.contains('▌') && row.contains("▸ 8 "));
    let rows = bench.frame();
    assert!(row(&rows).is_some() && !rows.iter().any(|row| row.contains("▸ 1 ")), "{rows:#?}");
    let now = come(&mut bench, &folded);
    assert_eq!(row(&now), row(&rows), "{now:#?}");
    bench.press("<");
    let top = steps(&mut bench);
    assert!(top[0].starts_with("▸ 1–"), "{top:#?}");

    // Who follows sees the group form above.
    let mut bench = Bench::of(sample::model(Lang::En, (120, 40)));
    bench.press("1");
    assert!(come(&mut bench, &folded).iter().any(|row| row.contains("▸ 8–10  ")));
}

#[test]
fn a_step_that_the_person_unfolded_stays_by_itself() {
    let mut bench = Bench::of(sample::model(Lang::En, (120, 40)));
    bench.press("1 < j j l f f");
    let mut folded = sample::model(Lang::En, (120, 40));
    sample::fold(&mut folded, &[(10, "much")]);
    bench.press(">");
    bench.app.update(Msg::Shot(folded.shot.clone().unwrap()));
    bench.press("<");
    let rows = steps(&mut bench);
    assert!(rows[0].starts_with("▸ 1–2 ") && rows[1].starts_with("▾ 3 "), "{rows:#?}");
    assert!(rows[2].starts_with("▸ 4–7 "), "{rows:#?}");
}

#[test]
fn what_is_asked_of_one_step_unfolds_the_group_first() {
    for key in ["r", "x"] {
        let mut bench = bench(Lang::En, (120, 40));
        bench.press("1 <");
        let commands = bench.press(key);
        assert!(commands.is_empty() && bench.app.model.layers.is_empty(), "{key}: {commands:?}");
        assert_eq!(bench.news(), "This was several steps: choose one of them.");
        assert!(steps(&mut bench)[1].starts_with("▸ 2 "));
        bench.press("j");
        bench.press(key);
        assert_eq!(bench.app.model.layers.len(), 1, "{key}");
    }
}

#[test]
fn steps_of_a_group_are_read_once_and_not_kept_for_it() {
    let mut bench = bench(Lang::En, (120, 40));
    let told = std::mem::take(&mut bench.app.model.transcript.told);
    let steps_read = std::mem::take(&mut bench.app.model.transcript.steps);
    bench.press("1 <");
    let rows = steps(&mut bench);
    assert!(rows[0].starts_with("▸ 1–7") && !rows[0].contains("call"), "{rows:#?}");
    assert!(rows.iter().any(|row| row.starts_with("▸ 8–10  ⋯")), "{rows:#?}");
    let wanted = |bench: &Bench| bench.app.model.drawn.unread.iter().map(|s| s.step).collect::<Vec<_>>();
    bench.app.model.drawn = sample::draw_with(&bench.app.model).0;
    assert_eq!(wanted(&bench), (1..=13).collect::<Vec<_>>());
    // Once read and dropped again, only those are wanted that stand by themselves, or hold what is never folded.
    bench.app.model.transcript.told = told;
    bench.app.model.drawn = sample::draw_with(&bench.app.model).0;
    assert_eq!(wanted(&bench), [8, 11, 12, 13]);
    bench.app.model.transcript.steps = steps_read;
    assert!(steps(&mut bench)[0].contains("11 calls ✓"));
}

#[test]
fn failed_calls_are_told_by_their_number() {
    let mut bench = bench(Lang::En, (120, 40));
    let mut step = (*bench.app.model.transcript.steps[&3]).clone();
    let mut calls: Vec<CallView> = step.calls().cloned().collect();
    calls[0].status = CallStatus::Failed;
    step.items.extend([Item::Call(calls[0].clone())]);
    bench.app.model.transcript.take(step);
    bench.press("1 <");
    let rows = steps(&mut bench);
    assert!(rows[0].ends_with("12 calls ✗ 1"), "{rows:#?}");
}

#[test]
fn a_hundred_thousand_steps_are_not_walked_through() {
    let mut model = sample::model(Lang::En, (120, 40));
    sample::change(&mut model, |view| {
        let last = view.steps.last().copied().unwrap();
        let span = |n: u32| {
            let (step, from) = (last.step + n, last.to + u64::from(n) * 10);
            crate::ui::feed::StepSpan { step, from, to: from + 9, ..last }
        };
        let steps: Vec<_> = view.steps.iter().copied().chain((1..=100_000).map(span)).collect();
        let upto = steps[100_000].to;
        view.steps = Arc::new(steps);
        view.folds = Arc::new(
            (1..=10_000).map(|n| crate::ui::feed::Fold::saying(n, upto * n / 10_000, "words")).collect(),
        );
    });
    let begun = std::time::Instant::now();
    let (drawn, _) = sample::draw_with(&model);
    assert!(drawn.unread.len() < 1_000, "{}", drawn.unread.len());
    assert!(begun.elapsed().as_millis() < 500, "{:?}", begun.elapsed());
}
