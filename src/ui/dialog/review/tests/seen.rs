//! What was seen of a call, in windows of different sizes.

use super::*;

/// Rows seen and rows there are, as the dialog says it.
fn said(rows: &[String]) -> Option<(usize, usize)> {
    let text = rows.join(" ");
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_end_matches(',')).collect();
    let figures = |at: usize| Some((words.get(at)?.parse().ok()?, words.get(at + 2)?.parse().ok()?));
    (0..words.len()).filter(|at| words.get(at + 1) == Some(&"of")).find_map(figures)
}

#[test]
fn what_was_seen_stays_seen_in_a_window_of_another_size() {
    let mut model = model(Lang::En);
    let lines: Vec<String> = (1..=40).map(|n| format!("echo {n} and some more words behind it")).collect();
    let waiting = shell(&model, &serde_json::json!({"command": lines.join("\n")}).to_string());
    let mut dialog = Review::new(&model, &waiting);
    open(dialog.as_mut(), &mut model);
    let at = |dialog: &mut dyn Dialog, model: &Model, (width, height): (u16, u16)| {
        let (shown, rows) = sample::draw_dialog_in(dialog, model, width, height);
        dialog.drawn(shown, model.clock.mono);
        (shown.end, rows)
    };
    let (_, rows) = at(dialog.as_mut(), &model, (72, 16));
    assert_eq!(said(&rows), Some((11, 40)), "{rows:#?}");
    dialog.act(hit(Action::PageDown), &mut model);
    let (end, rows) = at(dialog.as_mut(), &model, (72, 16));
    assert_eq!((end, said(&rows)), (false, Some((21, 40))), "{rows:#?}");
    // Where a line takes two rows there are twice as many of them, and as much of the text was seen; nothing is counted anew.
    let (end, rows) = at(dialog.as_mut(), &model, (30, 16));
    let (seen, all) = said(&rows).unwrap();
    assert!(!end && seen >= 42 && all >= 80 && seen < all, "{seen} of {all}: {rows:#?}");
    // So it is in the smallest window, where all scrolls as one.
    let (_, rows) = at(dialog.as_mut(), &model, (37, 7));
    let (seen, all) = said(&rows).unwrap();
    assert!(seen >= 21 && all >= 40 && seen < all, "{seen} of {all}: {rows:#?}");
    let (_, rows) = at(dialog.as_mut(), &model, (72, 16));
    let (seen, all) = said(&rows).unwrap();
    assert!((21..40).contains(&seen) && all == 40, "{seen} of {all}: {rows:#?}");
    // Once all was seen, it was seen at every size, and never only some of it.
    (0..8).for_each(|_| {
        dialog.act(hit(Action::PageDown), &mut model);
        at(dialog.as_mut(), &model, (72, 16));
    });
    for size in [(72, 16), (30, 16), (50, 12), (100, 30), (72, 16)] {
        let (end, rows) = at(dialog.as_mut(), &model, size);
        let text = rows.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(end && text.contains("seen to the end") && said(&rows).is_none(), "{size:?}: {rows:#?}");
    }
}
