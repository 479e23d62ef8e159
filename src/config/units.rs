//! Human units, both ways: durations (`30m`, `1h30m`, `500ms`), sizes (`16KiB`), money (`2.50`).
//!
//! Money and prices are decimal texts turned into millionths exactly, never through binary fractions.

/// Milliseconds of a text like `90s`, `30m`, `1h30m`, `2d` or `500ms`.
///
/// # Errors
/// A phrase that says what to write, to stand after the name of the setting.
pub fn parse_duration(text: &str) -> Result<u64, String> {
    let wrong = || "takes a duration with its unit, such as 90s, 30m or 1h30m".to_owned();
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(wrong());
    }
    let mut sum: u64 = 0;
    let mut last_scale = u64::MAX;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let (number, after) = rest.split_at_checked(digits).ok_or_else(wrong)?;
        let unit_end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(unit_end).ok_or_else(wrong)?;
        let scale = match unit.trim() {
            "ms" => 1,
            "s" => 1_000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(wrong()),
        };
        // Units must get smaller, so that `1m1h` is a slip and not sixty-one minutes.
        if scale >= last_scale {
            return Err(wrong());
        }
        last_scale = scale;
        let part = number.parse::<u64>().map_err(|_| wrong())?.checked_mul(scale).ok_or_else(wrong)?;
        sum = sum.checked_add(part).ok_or_else(wrong)?;
        rest = after;
    }
    Ok(sum)
}

/// The shortest text that [`parse_duration`] reads back as `ms`.
pub fn format_duration(ms: u64) -> String {
    let units = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
    let mut rest = ms;
    let mut text = String::new();
    for (unit, scale) in units {
        if rest >= scale {
            text.push_str(&format!("{}{unit}", rest / scale));
            rest %= scale;
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

/// Bytes of a text like `512`, `16KiB`, `4 MiB` or `64kB`.
///
/// # Errors
/// A phrase that says what to write.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || "takes a size in bytes, such as 16384, 16KiB or 4MiB".to_owned();
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(digits).ok_or_else(wrong)?;
    let scale: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kib" | "k" => 1 << 10,
        "mib" | "m" => 1 << 20,
        "gib" | "g" => 1 << 30,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err(wrong()),
    };
    number.parse::<u64>().ok().and_then(|n| n.checked_mul(scale)).ok_or_else(wrong)
}

/// The shortest text that [`parse_size`] reads back as `bytes`.
pub fn format_size(bytes: u64) -> String {
    for (unit, scale) in [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] {
        if bytes >= scale && bytes.is_multiple_of(scale) {
            return format!("{}{unit}", bytes / scale);
        }
    }
    format!("{bytes}B")
}

/// Millionths of a decimal text like `2`, `0.28` or `1.5`.
///
/// # Errors
/// A phrase that says what to write.
pub fn parse_micro(text: &str) -> Result<u64, String> {
    let wrong = || "takes an amount of at least 0 with at most six decimals, such as 2 or 0.28".to_owned();
    let text = text.trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |s: &str| s.chars().all(|c| c.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || fraction.len() > 6 {
        return Err(wrong());
    }
    if text.ends_with('.') {
        return Err(wrong());
    }
    let whole = whole.parse::<u64>().ok().and_then(|n| n.checked_mul(1_000_000)).ok_or_else(wrong)?;
    let fraction = format!("{fraction:0<6}").parse::<u64>().map_err(|_| wrong())?;
    whole.checked_add(fraction).ok_or_else(wrong)
}

/// A decimal text of millionths: at least two decimals if there are any.
pub fn format_micro(micro: u64) -> String {
    let (whole, fraction) = (micro / 1_000_000, micro % 1_000_000);
    if fraction == 0 {
        return whole.to_string();
    }
    let fraction = format!("{fraction:06}");
    let kept = fraction.trim_end_matches('0');
    format!("{whole}.{kept:0<2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_back_as_written() {
        for (text, ms) in [("90s", 90_000), ("1h30m", 5_400_000), ("500ms", 500), ("2d", 172_800_000)] {
            assert_eq!(parse_duration(text), Ok(ms));
            assert_eq!(parse_duration(&format_duration(ms)), Ok(ms));
        }
        assert_eq!(format_duration(1_800_000), "30m");
        for bad in ["", "90", "m", "1m1h", "1x", "-5s", "1.5h", "99999999999999999999s", "600000000000000d"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_read_back_as_written() {
        for (text, bytes) in [("16KiB", 16_384), ("4 MiB", 4_194_304), ("100", 100), ("64kB", 64_000)] {
            assert_eq!(parse_size(text), Ok(bytes));
            assert_eq!(parse_size(&format_size(bytes)), Ok(bytes));
        }
        for bad in ["", "KiB", "16 furlongs", "-1", "99999999999GiB"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn money_is_exact() {
        assert_eq!(parse_micro("0.28"), Ok(280_000));
        assert_eq!(parse_micro("2"), Ok(2_000_000));
        assert_eq!(parse_micro("0.000001"), Ok(1));
        assert_eq!(format_micro(280_000), "0.28");
        assert_eq!(format_micro(2_500_000), "2.50");
        assert_eq!(format_micro(1), "0.000001");
        for bad in ["", ".", "1.", ".5", "-1", "1e3", "inf", "nan", "0.0000001"] {
            assert!(parse_micro(bad).is_err(), "{bad}");
        }
    }
}
