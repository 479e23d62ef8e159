//! Times and amounts as people read them: `9.8s`, `4:32`, `1h04`; ages `25m`, `2h`, `4d`; `127,201` and `127.2k`.
//!
//! For screens and tables only: JSON carries milliseconds and plain numbers. Reading durations is
//! [`crate::config::units`].

use crate::run::Millis;
pub use crate::run::figures::grouped;

/// A length of time: milliseconds under a second, tenths under a minute, `4:32` under an hour, then `1h04`.
pub fn span(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0 => format!("{ms}ms"),
        1..60 => format!("{seconds}.{}s", ms % 1_000 / 100),
        60..3_600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// How long ago `then` was, in its largest unit; a time in the future is `0s`.
pub fn age(now: Millis, then: Millis) -> String {
    let seconds = now.saturating_sub(then).max(0) / 1_000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// A number for lists: exact under 10,000, then with one decimal: `127.2k`, `3.1M`. Cut, never rounded up, so that it
/// does not reach a limit before the number does.
pub fn short(n: u64) -> String {
    match n {
        0..10_000 => grouped(n),
        10_000..1_000_000 => format!("{}.{}k", n / 1_000, n % 1_000 / 100),
        _ => format!("{}.{}M", n / 1_000_000, n % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_ages() {
        let spans =
            [0, 999, 1_000, 9_870, 59_999, 60_000, 272_000, 3_599_999, 3_840_000, 360_000_000].map(span);
        assert_eq!(
            spans,
            ["0ms", "999ms", "1.0s", "9.8s", "59.9s", "1:00", "4:32", "59:59", "1h04", "100h00"]
        );
        let ages = [0, 59_000, 25 * 60_000, 7_200_000, 4 * 86_400_000].map(|ms| age(ms, 0));
        assert_eq!(ages, ["0s", "59s", "25m", "2h", "4d"]);
        assert_eq!(age(0, 10_000), "0s", "a clock that was set back");
        assert_eq!(age(Millis::MAX, Millis::MIN), age(Millis::MAX, 0), "no overflow");
    }

    #[test]
    fn numbers() {
        assert_eq!(
            [0, 999, 1_000, 127_201, 1_234_567].map(grouped),
            ["0", "999", "1,000", "127,201", "1,234,567"]
        );
        assert_eq!(
            [9_999, 10_000, 127_201, 299_999, 3_149_999].map(short),
            ["9,999", "10.0k", "127.2k", "299.9k", "3.1M"]
        );
    }
}
