//! The long-term slot: memories that fit the step, as lines at the end of a request.

use super::budget::Held;
use super::count::Count;
use super::prompts;
use crate::run::budget_table::{Trim, so_many};
use crate::run::memory::Recalled;

/// The memories within `budget` tokens, the nearest first: of those that do not fit the farthest go,
/// those of a conflict as one.
pub(super) fn memories(recalled: &[Recalled], budget: u32, count: &Count) -> (String, Held) {
    if recalled.is_empty() || budget == 0 {
        return (String::new(), Held::default());
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
    (text(kept), Held { used, items, trimmed: trimmed.into_iter().collect() })
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
