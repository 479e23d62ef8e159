//! Limits in one line, as they are shown and typed: `50 steps · 300k tokens · $2.00 · 30 min`.
//!
//! Parts stand in any order; a limit that is not named stays as it is.

use crate::config::units::{format_duration, parse_duration, parse_micro};
use crate::run::settings::{Limits, LimitsPatch};
use crate::ui::words::Lang;
use crate::ui::words::numbers::{grouped, money};

/// The limits in words.
pub fn shown(limits: &Limits, lang: Lang) -> String {
    let tokens = match limits.tokens % 1_000 {
        0 => format!("{}k", grouped(limits.tokens / 1_000)),
        _ => grouped(limits.tokens),
    };
    let time = match limits.active_ms % 60_000 {
        0 => format!("{} {}", limits.active_ms / 60_000, lang.pick(["min", "分钟"])),
        _ => format_duration(limits.active_ms),
    };
    let cost = limits.cost_micro.map(money);
    let steps = format!("{} {}", grouped(u64::from(limits.steps)), lang.pick(["steps", "步"]));
    let all = [Some(steps), Some(format!("{tokens} {}", lang.pick(["tokens", "词元"]))), cost, Some(time)];
    all.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// What differs from `old`; the error is the part that cannot be read.
pub fn read(text: &str, old: &Limits) -> Result<LimitsPatch, String> {
    let mut patch = LimitsPatch::default();
    // The dot as it is shown where there is nothing but ASCII.
    let text = text.replace(" . ", ";");
    for part in text.split(['·', ';', '；', '\n']).map(str::trim).filter(|part| !part.is_empty()) {
        one(part, old, &mut patch).ok_or_else(|| part.to_owned())?;
    }
    Ok(patch)
}

fn one(part: &str, old: &Limits, patch: &mut LimitsPatch) -> Option<()> {
    let text = part.to_lowercase().replace([',', '，'], "");
    if let Some(cost) = text.strip_prefix('$') {
        let cost = parse_micro(cost.trim()).ok()?;
        patch.cost_micro = Some(cost).filter(|new| Some(*new) != old.cost_micro);
        return Some(());
    }
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at_checked(at)?;
    let unit = unit.trim();
    match unit {
        "step" | "steps" | "步" => {
            patch.steps = Some(number.parse().ok()?).filter(|new| *new != old.steps);
            some(patch.steps.map(u64::from))?;
        }
        "tokens" | "token" | "词元" | "k" | "k tokens" | "k 词元" | "k词元" => {
            let thousands = unit.starts_with('k');
            let n: u64 = number.parse().ok()?;
            let n = if thousands { n.checked_mul(1_000)? } else { n };
            patch.tokens = Some(n).filter(|new| *new != old.tokens);
            some(patch.tokens)?;
        }
        "call" | "calls" | "次调用" => {
            patch.tool_calls = Some(number.parse().ok()?).filter(|new| *new != old.tool_calls);
            some(patch.tool_calls.map(u64::from))?;
        }
        _ => {
            let time = text.replace("分钟", "m").replace("小时", "h").replace('秒', "s").replace("min", "m");
            let time = parse_duration(&time.split_whitespace().collect::<String>()).ok()?;
            patch.active_ms = Some(time).filter(|new| *new != old.active_ms);
            some(patch.active_ms)?;
        }
    }
    Some(())
}

/// None if a limit is changed to nothing: no run could do anything with it.
fn some(new: Option<u64>) -> Option<()> {
    (new != Some(0)).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_reads_back_in_both_languages() {
        let mut limits = Limits { cost_micro: Some(2_000_000), ..Limits::default() };
        assert_eq!(shown(&limits, Lang::En), "50 steps · 300k tokens · $2.00 · 30 min");
        assert_eq!(shown(&limits, Lang::Zh), "50 步 · 300k 词元 · $2.00 · 30 分钟");
        for (steps, tokens, ms) in
            [(50, 300_000, 1_800_000), (7, 123_456, 5_400_000), (900, 1_250_000, 61_000)]
        {
            (limits.steps, limits.tokens, limits.active_ms) = (steps, tokens, ms);
            for lang in [Lang::En, Lang::Zh] {
                let text = shown(&limits, lang);
                assert!(read(&text, &limits).unwrap().is_empty(), "{text}");
                let all =
                    read(&text, &Limits { steps: 1, tokens: 1, active_ms: 1, ..Limits::default() }).unwrap();
                assert_eq!(
                    (all.steps, all.tokens, all.active_ms, all.cost_micro),
                    (Some(steps), Some(tokens), Some(ms), Some(2_000_000)),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_named_and_what_is_not_named_stays() {
        let old = Limits::default();
        let patch = read("80 steps; 1h30m · $0.50", &old).unwrap();
        assert_eq!(
            (patch.steps, patch.active_ms, patch.cost_micro, patch.tokens),
            (Some(80), Some(5_400_000), Some(500_000), None)
        );
        for bad in [
            "lots",
            "50",
            "12 parsecs",
            "$free",
            "k tokens",
            "0 steps",
            "0 tokens",
            "0k tokens",
            "0 calls",
            "0 min",
        ] {
            assert_eq!(read(&format!("50 steps · {bad}"), &old).unwrap_err(), bad);
        }
    }
}
