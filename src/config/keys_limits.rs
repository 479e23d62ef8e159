//! The keys of `[limits]`: a workspace may only lower them.

use super::document::Value;
use super::key::{Guard, Key, duration, duration_or_off, money, not_more, quoted, size, small, whole};
use super::settings::Config;
use super::units::{format_duration, format_micro, format_size};

const LOWER: &str = "only lower it";

fn time_or_off(ms: Option<u64>) -> Option<String> {
    Some(quoted(&ms.map_or("off".to_owned(), format_duration)))
}

/// `[limits]`.
pub static LIMITS: &[Key<Config>] = &[
    Key {
        name: "limits.steps",
        doc: "Most steps of a run. A run that stops at a limit can be resumed with a raised one.",
        example: "",
        set: |c, v| small(v, 1, u32::MAX).map(|n| c.limits.steps = n),
        show: |c| Some(c.limits.steps.to_string()),
        guard: Guard::Stricter(LOWER, |a, b| b.limits.steps <= a.limits.steps),
    },
    Key {
        name: "limits.tokens",
        doc: "Most tokens of a run: uncached prompt and completion together.",
        example: "",
        set: |c, v| whole(v, 1, i64::MAX as u64).map(|n| c.limits.tokens = n),
        show: |c| Some(c.limits.tokens.to_string()),
        guard: Guard::Stricter(LOWER, |a, b| b.limits.tokens <= a.limits.tokens),
    },
    Key {
        name: "limits.wrap_up_percent",
        doc: "Share of the tokens, and of the cost where it is limited, kept for the final report, percent (0 to 50).",
        example: "",
        set: |c, v| small(v, 0, 50).map(|n| c.limits.wrap_up_percent = n),
        show: |c| Some(c.limits.wrap_up_percent.to_string()),
        guard: Guard::Free,
    },
    Key {
        name: "limits.cost",
        doc: "Most cost of a run, in the currency of the profiles' prices, or \"off\". With a cap, a model without \
              a price is refused: unknown is never taken for zero.",
        example: "",
        set: |c, v| {
            c.limits.cost_micro = match v {
                Value::Text(text) if text == "off" => None,
                _ => Some(money(v)?),
            };
            Ok(())
        },
        show: |c| Some(c.limits.cost_micro.map_or(quoted("off"), format_micro)),
        guard: Guard::Stricter(LOWER, |a, b| not_more(a.limits.cost_micro, b.limits.cost_micro)),
    },
    Key {
        name: "limits.time",
        doc: "Most active time of a run: model and tools. Waiting for a person, pauses and sleep do not count.",
        example: "",
        set: |c, v| duration(v).map(|ms| c.limits.active_ms = ms),
        show: |c| Some(quoted(&format_duration(c.limits.active_ms))),
        guard: Guard::Stricter(LOWER, |a, b| b.limits.active_ms <= a.limits.active_ms),
    },
    Key {
        name: "limits.tool_calls",
        doc: "Most tool calls of a run.",
        example: "",
        set: |c, v| small(v, 0, u32::MAX).map(|n| c.limits.tool_calls = n),
        show: |c| Some(c.limits.tool_calls.to_string()),
        guard: Guard::Stricter(LOWER, |a, b| b.limits.tool_calls <= a.limits.tool_calls),
    },
    Key {
        name: "limits.tool_calls_per_minute",
        doc: "Most tool calls that start within a minute.",
        example: "",
        set: |c, v| small(v, 1, u32::MAX).map(|n| c.limits.tool_calls_minute = n),
        show: |c| Some(c.limits.tool_calls_minute.to_string()),
        guard: Guard::Stricter(LOWER, |a, b| b.limits.tool_calls_minute <= a.limits.tool_calls_minute),
    },
    Key {
        name: "limits.breaker",
        doc: "Tool failures in a row after which the run waits and asks.",
        example: "",
        set: |c, v| small(v, 1, u32::MAX).map(|n| c.limits.breaker = n),
        show: |c| Some(c.limits.breaker.to_string()),
        guard: Guard::Stricter(LOWER, |a, b| b.limits.breaker <= a.limits.breaker),
    },
    Key {
        name: "limits.loop_repeats",
        doc: "Times the same call may give the same result, or be refused for the same reason, among the last twelve calls before the run waits and asks (at least 2, at most 8).",
        example: "",
        set: |c, v| small(v, 2, 8).map(|n| c.limits.loop_repeats = n),
        show: |c| Some(c.limits.loop_repeats.to_string()),
        guard: Guard::Stricter(LOWER, |a, b| b.limits.loop_repeats <= a.limits.loop_repeats),
    },
    Key {
        name: "limits.check_returns",
        doc: "Times a claim that fails an acceptance check goes back to the model before a person is asked.",
        example: "",
        set: |c, v| small(v, 0, 100).map(|n| c.limits.check_returns = n),
        show: |c| Some(c.limits.check_returns.to_string()),
        guard: Guard::Stricter(LOWER, |a, b| b.limits.check_returns <= a.limits.check_returns),
    },
    Key {
        name: "limits.model_retries",
        doc: "Retries of a model call that failed in a way that may pass.",
        example: "",
        set: |c, v| small(v, 0, 100).map(|n| c.limits.model_retries = n),
        show: |c| Some(c.limits.model_retries.to_string()),
        guard: Guard::Stricter(LOWER, |a, b| b.limits.model_retries <= a.limits.model_retries),
    },
    Key {
        name: "limits.output_shown",
        doc: "Size of one call's output that the model is shown: its head and tail; all of it is kept.",
        example: "",
        set: |c, v| {
            c.limits.output_shown = size(v)?;
            if (256..=1 << 24).contains(&c.limits.output_shown) {
                Ok(())
            } else {
                Err(format!("takes a size from 256B to 16MiB, not {}", v.described()))
            }
        },
        show: |c| Some(quoted(&format_size(c.limits.output_shown))),
        guard: Guard::Stricter(LOWER, |a, b| b.limits.output_shown <= a.limits.output_shown),
    },
    Key {
        name: "limits.shell_timeout_max",
        doc: "Longest time-out that the model may ask for a shell command.",
        example: "",
        set: |c, v| duration(v).map(|ms| c.limits.shell_timeout_max_s = ms.div_ceil(1_000)),
        show: |c| Some(quoted(&format_duration(c.limits.shell_timeout_max_s.saturating_mul(1_000)))),
        guard: Guard::Stricter(LOWER, |a, b| b.limits.shell_timeout_max_s <= a.limits.shell_timeout_max_s),
    },
    Key {
        name: "limits.first_token_timeout",
        doc: "Longest wait for the first token of a reply, or \"off\" (slow local models may need minutes).",
        example: "",
        set: |c, v| duration_or_off(v).map(|ms| c.limits.first_token_ms = ms),
        show: |c| time_or_off(c.limits.first_token_ms),
        guard: Guard::Stricter(LOWER, |a, b| not_more(a.limits.first_token_ms, b.limits.first_token_ms)),
    },
    Key {
        name: "limits.between_tokens_timeout",
        doc: "Longest wait between two tokens of a reply, or \"off\".",
        example: "",
        set: |c, v| duration_or_off(v).map(|ms| c.limits.between_tokens_ms = ms),
        show: |c| time_or_off(c.limits.between_tokens_ms),
        guard: Guard::Stricter(LOWER, |a, b| {
            not_more(a.limits.between_tokens_ms, b.limits.between_tokens_ms)
        }),
    },
];
