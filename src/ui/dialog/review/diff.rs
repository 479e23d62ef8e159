//! A difference in the unified form, with the numbers of its lines.
//!
//! It comes as it is, with whatever a file holds; every character that acts or hides is shown as its code.

use crate::ui::app::model::Model;
use crate::ui::dialog::flow::Flow;
use crate::ui::text::{Line, Strength, Wrap, one_line};
use crate::ui::theme::Role;

/// True if it shows everything that would change.
pub fn is_whole(diff: &str) -> bool {
    lines(diff).any(|line| line.starts_with("@@")) && !lines(diff).any(|line| line.starts_with("[diff cut"))
}

/// Adds the lines of a difference.
pub fn add(model: &Model, diff: &str, flow: &mut Flow) {
    let glyphs = model.look.glyphs;
    let (mut old, mut new) = (0_u64, 0_u64);
    let mut hunks = 0;
    for line in lines(diff) {
        if let Some((from, to)) = hunk(line) {
            if hunks > 0 {
                flow.guttered(
                    &gutter("", " ", glyphs.rail),
                    "",
                    shown(glyphs.left_out),
                    Role::Muted,
                    Wrap::Cells,
                );
            }
            hunks += 1;
            (old, new) = (from, to);
            continue;
        }
        // Before the first hunk stand only the names of the file.
        if hunks == 0 {
            if !line.starts_with("--- ") && !line.starts_with("+++ ") {
                flow.line(shown(line), Role::Muted, Wrap::Words);
            }
            continue;
        }
        let next = gutter("", " ", glyphs.rail);
        let (first, role) = match line.chars().next() {
            Some('+') => (gutter(&new.to_string(), glyphs.plus, glyphs.rail), Role::Add),
            Some('-') => (gutter(&old.to_string(), glyphs.minus, glyphs.rail), Role::Del),
            Some(' ') => (gutter(&new.to_string(), " ", glyphs.rail), Role::Data),
            Some(_) | None => (next.clone(), Role::Muted),
        };
        match role {
            Role::Add => new += 1,
            Role::Del => old += 1,
            Role::Data => (old, new) = (old + 1, new + 1),
            _ => {}
        }
        flow.guttered(&first, &next, shown(line), role, Wrap::Cells);
    }
}

/// The lines of its hunks as they are drawn.
pub fn drawn(diff: &str) -> impl Iterator<Item = Line<'_>> {
    let hunks = lines(diff).skip_while(|line| hunk(line).is_none());
    hunks.filter(|line| hunk(line).is_none()).map(shown)
}

/// Its lines; a carriage return before a line end belongs to what is shown.
fn lines(diff: &str) -> impl Iterator<Item = &str> {
    diff.split_terminator('\n')
}

fn shown(line: &str) -> crate::ui::text::Line<'_> {
    one_line(line, Strength::Exact)
}

fn gutter(number: &str, sign: &str, rail: &str) -> String {
    format!("{number:>4} {sign} {rail}")
}

/// The first lines of both sides in a hunk's head, `@@ -41,3 +41,3 @@`.
fn hunk(line: &str) -> Option<(u64, u64)> {
    let rest = line.strip_prefix("@@ -")?;
    let (old, rest) = rest.split_once(" +")?;
    let first = |range: &str| range.split([',', ' ']).next().and_then(|n| n.parse().ok());
    Some((first(old)?, first(rest)?))
}
