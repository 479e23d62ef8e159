//! Colours: their names in a theme, and what a terminal makes of them.

use ratatui::style::Color;

/// Names of the sixteen colours every terminal has, and of its own default.
const NAMES: &[(&str, Color)] = &[
    ("default", Color::Reset),
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("bright_black", Color::DarkGray),
    ("bright_red", Color::LightRed),
    ("bright_green", Color::LightGreen),
    ("bright_yellow", Color::LightYellow),
    ("bright_blue", Color::LightBlue),
    ("bright_magenta", Color::LightMagenta),
    ("bright_cyan", Color::LightCyan),
    ("bright_white", Color::White),
];

/// The names.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    NAMES.iter().map(|(name, _)| *name)
}

/// A name or `#rrggbb`.
pub fn parse(text: &str) -> Option<Color> {
    if let Some(hex) = text.strip_prefix('#') {
        let digits = hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        return digits.then(|| u32::from_str_radix(hex, 16).ok()).flatten().map(Color::from_u32);
    }
    NAMES.iter().find(|(name, _)| *name == text).map(|(_, colour)| *colour)
}

/// How many colours a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// All 16 million.
    True,
    /// The 256 of xterm.
    Indexed,
    /// None.
    None,
}

/// Parts of `TERM` of terminals that have all colours and do not always say so in `COLORTERM`.
const TRUE_TERMS: &[&str] = &["direct", "kitty", "alacritty", "ghostty", "wezterm", "foot", "contour"];

/// Beginnings and ends of `TERM` of terminals without colours. What says nothing of itself has some.
const PLAIN_TERMS: (&[&str], &[&str]) = (&["vt52", "vt1", "vt2", "vt3", "vt4", "vt5"], &["-m", "-mono"]);

impl Depth {
    /// From the environment variables `COLORTERM` and `TERM`.
    #[must_use]
    pub fn of(colorterm: Option<&str>, term: Option<&str>) -> Self {
        let said = colorterm.is_some_and(|value| value.contains("truecolor") || value.contains("24bit"));
        let known = term.is_some_and(|term| TRUE_TERMS.iter().any(|part| term.contains(part)));
        let (heads, tails) = PLAIN_TERMS;
        let plain = term.is_some_and(|term| {
            heads.iter().any(|head| term.starts_with(head)) || tails.iter().any(|tail| term.ends_with(tail))
        });
        match (said || known, plain && colorterm.is_none_or(str::is_empty)) {
            (true, _) => Self::True,
            (false, true) => Self::None,
            (false, false) => Self::Indexed,
        }
    }

    /// The colour, or the nearest one that the terminal has.
    #[must_use]
    pub fn nearest(self, colour: Color) -> Color {
        match (self, colour) {
            (Self::Indexed, Color::Rgb(r, g, b)) => Color::Indexed(index(r, g, b)),
            (Self::Indexed | Self::True, colour) => colour,
            (Self::None, _) => Color::Reset,
        }
    }
}

/// The nearest of the 216 of the cube and the 24 greys; the first 16 are left out, for everybody sets them otherwise.
fn index(r: u8, g: u8, b: u8) -> u8 {
    let far = |index: u8| {
        let (x, y, z) = indexed(index);
        [(r, x), (g, y), (b, z)].iter().map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum::<u32>()
    };
    (16..=255).min_by_key(|index| far(*index)).unwrap_or(16)
}

/// What xterm draws for an index from 16 on.
pub fn indexed(index: u8) -> (u8, u8, u8) {
    let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    match index.saturating_sub(16) {
        cube @ 0..=215 => (level(cube / 36), level(cube / 6 % 6), level(cube % 6)),
        grey => {
            let value = 8 + 10 * (grey - 216);
            (value, value, value)
        }
    }
}
