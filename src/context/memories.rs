//! The long-term slot: memories that fit the step, as lines at the end of a request.

use super::budget::Held;
use super::count::Count;
use super::prompts;
use crate::run::budget_table::{Trim, so_many};
use crate::run::memory::{Recalled, Under};

/// The memories within `budget` tokens, the nearest first: of those that do not fit the farthest go,
/// those of a conflict as one. Those that their score kept out are told as left out too.
pub(super) fn memories(
    (recalled, under): (&[Recalled], Option<Under>),
    budget: u32,
    count: &Count,
) -> (String, Held) {
    let under = under.map(|under| Trim {
        what: so_many(usize::try_from(under.items).unwrap_or(usize::MAX), "items"),
        why: format!("{}{}.{:02}", Trim::UNDER_SCORE, under.least / 100, under.least % 100),
        tokens: under.tokens,
    });
    if recalled.is_empty() || budget == 0 {
        return (String::new(), Held { trimmed: under.into_iter().collect(), ..Held::default() });
    }
    let lines: Vec<String> = recalled.iter().map(|one| format!("{}\n", one.line())).collect();
    let text =
        |kept: usize| prompts::memories(&lines.iter().take(kept).map(String::as_str).collect::<String>());
    let mut kept = lines.len();
    let whole = count(&text(kept));
    let mut used = whole;
    while kept > 0 && used > budget {
        kept -= 1;
        // Of a conflict no side alone.
        while kept > 0 && recalled.get(kept).is_some_and(|one| one.beside) {
            kept -= 1;
        }
        used = if kept == 0 { 0 } else { count(&text(kept)) };
    }
    let gone = lines.len() - kept;
    let trimmed = (gone > 0).then(|| Trim {
        what: so_many(gone, "memories"),
        why: "over the budget".to_owned(),
        tokens: whole.saturating_sub(used),
    });
    let items = u32::try_from(kept).unwrap_or(u32::MAX);
    (text(kept), Held { used, items, trimmed: trimmed.into_iter().chain(under).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::RunId;
    use crate::run::memory::{Kind, Why};

    fn memory(id: u64, text: &str) -> Recalled {
        Recalled {
            id,
            kind: Kind::Fact,
            text: text.to_owned(),
            score: 60,
            why: Why::default(),
            from: Some((RunId::new("r-3c19"), 31)),
            at: 1_767_225_600_000,
            disagrees_with: (id == 2).then_some(1),
            beside: false,
            more: 0,
        }
    }

    fn memories(recalled: &[Recalled], budget: u32, count: &Count) -> (String, Held) {
        super::memories((recalled, None), budget, count)
    }

    #[test]
    fn those_under_the_score_are_told_as_left_out_whether_or_not_others_are_offered() {
        let chars = |text: &str| text.chars().count() as u32;
        let under = |items| Some(Under { items, least: 20, tokens: 288 });
        let told = |items, why: &str| Trim { what: items, why: why.to_owned(), tokens: 288 };
        let (text, held) = super::memories((&[], under(1)), 0, &chars);
        assert_eq!((text.as_str(), held.used, held.items), ("", 0, 0));
        assert_eq!(held.trimmed, [told("1 item".to_owned(), "under score 0.20")]);
        let all = [memory(1, "Export uses 4 threads"), memory(3, "x")];
        let held = super::memories((&all, under(2)), 20, &chars).1;
        assert_eq!(held.trimmed.len(), 2, "beside what the budget left out");
        assert_eq!(held.trimmed[1], told("2 items".to_owned(), "under score 0.20"));
        assert!(held.trimmed[1].is_under_score() && !held.trimmed[0].is_under_score());
    }

    #[test]
    fn the_farthest_go_first_and_are_told_of() {
        let chars = |text: &str| text.chars().count() as u32;
        let all = [memory(1, "Export uses\n4 threads"), memory(2, "Export uses 1 thread"), memory(3, "x")];
        let (text, held) = memories(&all, 10_000, &chars);
        assert!(text.contains("- [fact, r-3c19 step 31, 2026-01-01] Export uses 4 threads\n"), "{text}");
        assert!(text.contains("(another memory, 1, says otherwise"), "{text}");
        assert_eq!((held.items, held.used, held.trimmed.len()), (3, chars(&text), 0));
        let (text, held) = memories(&all, held.used - 1, &chars);
        assert_eq!((held.items, held.used, held.trimmed[0].what.as_str()), (2, chars(&text), "1 memory"));
        let mut sides = all.clone();
        sides[1].beside = true;
        let (text, held) = memories(&sides, chars(&memories(&all[..2], 10_000, &chars).0) - 1, &chars);
        assert_eq!((text.as_str(), held.items), ("", 0), "no side alone");
        let (text, held) = memories(&all, 20, &chars);
        assert_eq!((text.as_str(), held.items, held.used, held.trimmed.len()), ("", 0, 0, 1));
        assert_eq!(memories(&[], 20, &chars).1.used, 0);
    }
}
