//! Numbers and times as people read them, the same in both languages: `127,201` and `127.2k`, `9.8s`, `4:32`, `1h04`,
//! ages `25m 2h 4d`, `7.1 KiB`, `$0.03`. What is unknown is [`UNKNOWN`] and never 0; what is estimated begins with `~`.
//!
//! Figures are cut and not rounded up, so that none seems to have reached a limit before it has.

use crate::run::Millis;
pub use crate::run::figures::grouped;
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// What nobody knows.
pub const UNKNOWN: &str = "—";

/// A number with commas, or [`UNKNOWN`].
pub fn known(n: Option<u64>) -> String {
    n.map_or_else(|| UNKNOWN.to_owned(), grouped)
}

/// A number for lists: exact under 10,000, then `127.2k`, `3.1M`.
pub fn short(n: u64) -> String {
    match n {
        0..10_000 => grouped(n),
        10_000..1_000_000 => format!("{}.{}k", n / 1_000, n % 1_000 / 100),
        _ => format!("{}.{}M", n / 1_000_000, n % 1_000_000 / 100_000),
    }
}

/// A text that is an estimate: `~17.1k`.
pub fn estimate(text: &str) -> String {
    format!("~{text}")
}

/// A number with its sign, `+229` or `−12`.
pub fn signed(n: i64) -> String {
    let sign = if n < 0 { "−" } else { "+" };
    format!("{sign}{}", grouped(n.unsigned_abs()))
}

/// A share in whole percent, `78 %`; of nothing there is none.
pub fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => UNKNOWN.to_owned(),
        _ => format!("{} %", u128::from(part) * 100 / u128::from(whole)),
    }
}

/// A small share with its sign and one decimal, `+1.1 %`.
pub fn signed_percent(part: i64, whole: u64) -> String {
    if whole == 0 {
        return UNKNOWN.to_owned();
    }
    let whole = u128::from(whole);
    // The nearest tenth.
    let tenths = (u128::from(part.unsigned_abs()) * 1_000 + whole / 2) / whole;
    let sign = if part < 0 { "−" } else { "+" };
    format!("{sign}{}.{} %", tenths / 10, tenths % 10)
}

/// A length of time: `12ms`, `9.8s`, `4:32`, `1h04`.
pub fn span(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0 => format!("{ms}ms"),
        1..60 => format!("{seconds}.{}s", ms % 1_000 / 100),
        60.. => clock(ms),
    }
}

/// As [`span`] where there is room: `12 ms`, `9.8 s`.
pub fn wide_span(ms: u64) -> String {
    let span = span(ms);
    match span.find(['m', 's']) {
        Some(at) => format!("{} {}", span.get(..at).unwrap_or_default(), span.get(at..).unwrap_or_default()),
        None => span,
    }
}

/// A time that runs, to the second: `0:42`, `4:32`, `1h04`.
pub fn clock(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..3_600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        3_600.. => format!("{}h{:02}", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// How long ago `then` was, in its largest unit: `25m`, `2h`, `4d`; a time in the future is `0s`.
pub fn age(now: Millis, then: Millis) -> String {
    let seconds = now.saturating_sub(then).max(0) / 1_000;
    match seconds {
        i64::MIN..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        86_400.. => format!("{}d", seconds / 86_400),
    }
}

/// A time of day, `13:36:53`; of a clock gone mad [`UNKNOWN`].
pub fn time_of_day(at: Millis, zone: &TimeZone) -> String {
    local(at, zone, "%H:%M:%S")
}

/// A time of day to the minute, `13:36`.
pub fn hour_minute(at: Millis, zone: &TimeZone) -> String {
    local(at, zone, "%H:%M")
}

fn local(at: Millis, zone: &TimeZone, form: &str) -> String {
    match Timestamp::from_millisecond(at) {
        Ok(time) => time.to_zoned(zone.clone()).strftime(form).to_string(),
        Err(_) => UNKNOWN.to_owned(),
    }
}

/// Size of a text or file: `512 B`, `7.1 KiB`, `3.0 MiB`.
pub fn size(bytes: u64) -> String {
    scaled(bytes, 1_024, ["KiB", "MiB", "GiB", "TiB"])
}

/// Size of a database or disk: `3.1 MB`, `412 GB`.
pub fn disk(bytes: u64) -> String {
    scaled(bytes, 1_000, ["kB", "MB", "GB", "TB"])
}

/// Tenths below a hundred of a unit, whole ones from there.
fn scaled(bytes: u64, step: u64, units: [&str; 4]) -> String {
    let mut unit = 1;
    let mut best = None;
    for name in units {
        if bytes / unit < step {
            break;
        }
        unit *= step;
        best = Some((unit, name));
    }
    match best {
        None => format!("{bytes} B"),
        Some((unit, name)) if bytes / unit >= 100 => format!("{} {name}", bytes / unit),
        Some((unit, name)) => format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit),
    }
}

/// Money in millionths, `$0.03`; under a cent four decimals.
pub fn money(micro: u64) -> String {
    let (whole, part) = (micro / 1_000_000, micro % 1_000_000);
    match micro {
        1..10_000 => format!("$0.{:04}", part / 100),
        _ => format!("${}.{:02}", grouped(whole), part / 10_000),
    }
}

/// A count with its English noun: `1 call`, `2 calls`. For nouns that take an s.
pub fn many(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// A count with its English noun and verb: `1 call waits`, `2 calls wait`. For nouns and verbs that take an s.
pub fn many_do(n: u64, noun: &str, verb: &str) -> String {
    format!("{} {verb}{}", many(n, noun), if n == 1 { "s" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_or_short_and_never_rounded_up() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([9_999, 212_499, 3_199_999].map(short), ["9,999", "212.4k", "3.1M"]);
        assert_eq!((known(None), known(Some(0))), ("—".to_owned(), "0".to_owned()));
        assert_eq!(estimate(&short(17_100)), "~17.1k");
        assert_eq!([229, 0, -1_204].map(signed), ["+229", "+0", "−1,204"]);
    }

    #[test]
    fn shares() {
        assert_eq!(percent(25_707, 32_768), "78 %");
        assert_eq!((percent(1, 0), percent(u64::MAX, u64::MAX)), ("—".to_owned(), "100 %".to_owned()));
        assert_eq!(
            (signed_percent(229, 21_611), signed_percent(-100, 1_000)),
            ("+1.1 %".into(), "−10.0 %".into())
        );
    }

    #[test]
    fn times() {
        assert_eq!(
            [0, 999, 9_870, 59_999, 60_000, 272_000, 3_840_000].map(span),
            ["0ms", "999ms", "9.8s", "59.9s", "1:00", "4:32", "1h04"]
        );
        assert_eq!([3, 9_800, 272_000].map(wide_span), ["3 ms", "9.8 s", "4:32"]);
        assert_eq!([0, 42_999, 3_599_000, 3_600_000].map(clock), ["0:00", "0:42", "59:59", "1h00"]);
        assert_eq!(
            [59_000, 25 * 60_000, 7_200_000, 4 * 86_400_000].map(|ms| age(ms, 0)),
            ["59s", "25m", "2h", "4d"]
        );
        assert_eq!(age(0, 10_000), "0s", "a clock that was set back");
        assert_eq!(age(Millis::MAX, Millis::MIN), age(Millis::MAX, 0), "no overflow");
        assert_eq!(time_of_day(49_013_000, &TimeZone::UTC), "13:36:53");
        assert_eq!(hour_minute(49_013_000, &TimeZone::UTC), "13:36");
        assert_eq!(time_of_day(Millis::MAX, &TimeZone::UTC), "—");
    }

    #[test]
    fn sizes_and_money() {
        assert_eq!([0, 1_023, 7_270, 3 << 20].map(size), ["0 B", "1023 B", "7.0 KiB", "3.0 MiB"]);
        assert_eq!([999, 3_199_999, 412_700_000_000].map(disk), ["999 B", "3.1 MB", "412 GB"]);
        assert_eq!(size(u64::MAX), "16777215 TiB");
        assert_eq!([0, 300, 39_999, 2_000_000].map(money), ["$0.00", "$0.0003", "$0.03", "$2.00"]);
        assert_eq!([1, 2].map(|n| many_do(n, "call", "wait")), ["1 call waits", "2 calls wait"]);
    }
}
