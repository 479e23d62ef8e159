//! Numbers with what they count: `30 s` and `half a minute` are no other number, `about 60` is none than 58.

/// A number of something, as the span of what it may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Amount {
    /// What is counted; empty if nothing says so.
    pub unit: String,
    /// The noun before a number without a unit: `Rust 1.80`.
    pub label: String,
    /// As it stands.
    raw: String,
    /// The span in thousandths of the unit; none for a date, an address, a time of day.
    span: Option<(u64, u64)>,
}

/// How a number is meant, by the word before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Just this.
    Exactly,
    /// Near to it.
    About,
    /// This or more.
    AtLeast,
    /// This or less.
    AtMost,
}

impl Manner {
    /// By the words before a number, the last of which is nearest.
    pub fn of(before: &[&str]) -> Self {
        let ends = |words: &[&str]| before.ends_with(words);
        if ends(&["at", "least"]) || ends(&["over"]) || ends(&["than"]) && before.contains(&"more") {
            return Manner::AtLeast;
        }
        let below = ends(&["under"]) || ends(&["below"]) || ends(&["up", "to"]) || ends(&["within"]);
        if below || ends(&["at", "most"]) || ends(&["than"]) {
            return Manner::AtMost;
        }
        let near = ["about", "around", "roughly", "nearly", "almost", "approximately", "some"];
        match before.last() {
            Some(last) if near.contains(last) => Manner::About,
            Some(last) if ["约", "大约", "近", "将近"].iter().any(|word| last.ends_with(word)) => {
                Manner::About
            }
            Some(last) if ["至少", "超过", "不低于", "不少于"].iter().any(|word| last.ends_with(word)) => {
                Manner::AtLeast
            }
            Some(last) if ["至多", "最多", "不到", "不超过"].iter().any(|word| last.ends_with(word)) => {
                Manner::AtMost
            }
            Some(_) | None => Manner::Exactly,
        }
    }
}

/// Units of one dimension each, with how many thousandths of the first they are.
const UNITS: [(&[&str], &str, u64); 20] = [
    (&["ms", "millisecond", "milliseconds", "毫秒"], "time", 1),
    (&["s", "sec", "secs", "second", "seconds", "秒", "秒钟"], "time", 1_000),
    (&["min", "mins", "minute", "minutes", "分钟"], "time", 60_000),
    (&["h", "hr", "hrs", "hour", "hours", "小时"], "time", 3_600_000),
    (&["d", "day", "days", "天"], "time", 86_400_000),
    (&["week", "weeks", "周"], "time", 604_800_000),
    (&["b", "byte", "bytes", "字节"], "bytes", 1),
    (&["kb", "kib", "k"], "bytes", 1_000),
    (&["mb", "mib", "m", "兆"], "bytes", 1_000_000),
    (&["gb", "gib", "g"], "bytes", 1_000_000_000),
    (&["tb", "tib", "t"], "bytes", 1_000_000_000_000),
    (&["%", "percent"], "percent", 1_000),
    (&["x", "times", "倍"], "times", 1_000),
    (&["次"], "次", 1_000),
    (&["个", "条", "份", "台"], "个", 1_000),
    (&["行"], "行", 1_000),
    (&["步", "轮"], "步", 1_000),
    (&["核"], "核", 1_000),
    (&["元"], "元", 1_000),
    (&["人", "位", "页", "张", "种", "级", "列", "块", "度", "点"], "个", 1_000),
];

/// What a unit counts, and thousandths of that in one.
pub(super) fn unit(word: &str) -> Option<(&'static str, u64)> {
    UNITS.iter().find(|(words, _, _)| words.contains(&word)).map(|(_, name, factor)| (*name, *factor))
}

/// The Chinese unit with which a text begins, and its bytes.
pub(super) fn han_unit(text: &str) -> Option<(&'static str, u64, usize)> {
    let all =
        UNITS.iter().flat_map(|(words, name, factor)| words.iter().map(move |word| (*word, *name, *factor)));
    all.filter(|(word, _, _)| !word.is_ascii() && text.starts_with(word))
        .max_by_key(|(word, _, _)| word.len())
        .map(|(word, name, factor)| (name, factor, word.len()))
}

/// A word for a number.
pub(super) fn number_word(low: &str) -> Option<&'static str> {
    const WORDS: [(&str, &str); 16] = [
        ("zero", "0"),
        ("one", "1"),
        ("single", "1"),
        ("two", "2"),
        ("double", "2"),
        ("twice", "2"),
        ("three", "3"),
        ("four", "4"),
        ("five", "5"),
        ("six", "6"),
        ("seven", "7"),
        ("eight", "8"),
        ("nine", "9"),
        ("ten", "10"),
        ("dozen", "12"),
        ("once", "1"),
    ];
    WORDS.iter().find(|(word, _)| *word == low).map(|(_, number)| *number)
}

/// A Chinese numeral.
pub(super) fn han_number(c: char) -> Option<&'static str> {
    const WORDS: [(char, &str); 12] = [
        ('一', "1"),
        ('单', "1"),
        ('二', "2"),
        ('两', "2"),
        ('三', "3"),
        ('四', "4"),
        ('五', "5"),
        ('六', "6"),
        ('七', "7"),
        ('八', "8"),
        ('九', "9"),
        ('十', "10"),
    ];
    WORDS.iter().find(|(word, _)| *word == c).map(|(_, number)| *number)
}

impl Amount {
    /// Takes a number apart: `30`, `10,000`, `30s`, `3-5`, `2026-05-01`.
    pub fn of(word: &str, manner: Manner) -> Self {
        let low = word.to_lowercase();
        let end = low.trim_end_matches(|c: char| c.is_alphabetic() || c == '%');
        let tail = low.get(end.len()..).unwrap_or_default();
        let (unit, factor) = match unit(tail) {
            Some(known) => known,
            None if tail.is_empty() => ("", 1_000),
            // Part of a name, such as `3d` or `2fa`.
            None => return Self { unit: String::new(), label: String::new(), raw: low, span: None },
        };
        let mut amount = Self {
            unit: unit.to_owned(),
            label: String::new(),
            raw: end.to_owned(),
            span: span(end, manner),
        };
        amount.scale(factor);
        amount
    }

    /// Gives it the unit that stands behind it.
    pub fn with_unit(mut self, name: &str, factor: u64) -> Self {
        self.unit = name.to_owned();
        self.scale(factor);
        self
    }

    fn scale(&mut self, factor: u64) {
        if factor != 1_000 {
            let one = |n: u64| if n == u64::MAX { n } else { n.saturating_mul(factor) / 1_000 };
            self.span = self.span.map(|(low, high)| (one(low), one(high)));
        }
    }

    /// Whether both count the same.
    pub fn is_of(&self, other: &Self) -> bool {
        let same_label = self.label.is_empty() || other.label.is_empty() || self.label == other.label;
        self.unit == other.unit
            && (!self.unit.is_empty() || same_label)
            && self.span.is_some() == other.span.is_some()
    }

    /// Whether both can hold.
    pub fn agrees(&self, other: &Self) -> bool {
        if self.raw == other.raw && self.span == other.span {
            return true;
        }
        let longer = |long: &str, short: &str| {
            long.strip_prefix(short).is_some_and(|rest| rest.starts_with('.')) && self.unit.is_empty()
        };
        if longer(&self.raw, &other.raw) || longer(&other.raw, &self.raw) {
            return true;
        }
        let (Some(own), Some(its)) = (self.span, other.span) else { return false };
        let open = |span: (u64, u64)| span.1 == u64::MAX || span.0 == 0 && span.1 > 0;
        // Two bounds are the same bound or another one.
        if open(own) && open(its) { own == its } else { own.0 <= its.1 && its.0 <= own.1 }
    }
}

/// A number, or a span of two, in thousandths.
fn span(text: &str, manner: Manner) -> Option<(u64, u64)> {
    if let Some((low, high)) = text.split_once(['-', '~'])
        && let (Some(low), Some(high)) = (thousandths(low), thousandths(high))
    {
        return (low < high).then_some((low, high));
    }
    let number = thousandths(text)?;
    Some(match manner {
        Manner::Exactly => (number, number),
        Manner::About => (number - number / 10, number + number / 10),
        Manner::AtLeast => (number, u64::MAX),
        Manner::AtMost => (0, number),
    })
}

fn thousandths(text: &str) -> Option<u64> {
    let plain: String = text.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let (whole, part) = plain.split_once('.').unwrap_or((&plain, ""));
    let whole: u64 = whole.parse().ok()?;
    let digits: String = part.chars().chain("000".chars()).take(3).collect();
    let part: u64 = digits.parse().ok()?;
    whole.checked_mul(1_000)?.checked_add(part)
}

/// Whether the numbers of two statements differ where both count the same: neither has all that the other has.
pub(super) fn differ(a: &[Amount], b: &[Amount]) -> bool {
    let within = |one: &[&Amount], other: &[&Amount]| one.iter().all(|x| other.iter().any(|y| x.agrees(y)));
    let clash = a.iter().any(|amount| {
        let own: Vec<&Amount> = a.iter().filter(|other| other.is_of(amount)).collect();
        let its: Vec<&Amount> = b.iter().filter(|other| other.is_of(amount)).collect();
        !its.is_empty() && !within(&own, &its) && !within(&its, &own)
    });
    let shared = a.iter().any(|amount| b.iter().any(|other| other.is_of(amount)));
    // One of each, and one does not say of what.
    let alone = match (a, b) {
        ([a], [b]) => {
            let bare = |one: &Amount| one.unit.is_empty() && one.label.is_empty();
            a.span.is_some() && b.span.is_some() && (bare(a) || bare(b)) && a.raw != b.raw
        }
        _ => false,
    };
    clash || !shared && alone
}
