//! The signs, each one cell wide, in Unicode and in ASCII.

use ratatui::symbols::border;

macro_rules! glyphs {
    ($($(#[$doc:meta])+ $name:ident: $unicode:literal $ascii:literal,)+) => {
        /// A set of signs. Every field is one cell wide.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Glyphs {
            $($(#[$doc])+ pub $name: &'static str,)+
            ascii: bool,
        }

        impl Glyphs {
            /// As the screens are drawn.
            pub const UNICODE: Glyphs = Glyphs { $($name: $unicode,)+ ascii: false };

            /// For terminals and fonts that have nothing else.
            pub const ASCII: Glyphs = Glyphs { $($name: $ascii,)+ ascii: true };

            /// Every sign with the name of its field.
            #[must_use]
            pub fn all(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($name), self.$name)),+]
            }
        }
    };
}

glyphs! {
    /// Waits for the person.
    needs_you: "!" "!",
    /// Running; the present step.
    running: "▸" ">",
    /// Done.
    done: "✓" "v",
    /// Failed.
    failed: "✗" "x",
    /// Denied or cancelled.
    denied: "⊘" "/",
    /// Nobody knows whether it happened.
    unsure: "?" "?",
    /// Ended at a limit.
    limit: "■" "#",
    /// Not yet; an older checkpoint.
    open: "○" "o",
    /// In progress; the present one.
    current: "●" "@",
    /// A checkpoint.
    checkpoint: "◆" "*",
    /// Folded.
    folded: "▸" ">",
    /// Unfolded.
    unfolded: "▾" "=",
    /// Marks the selected row, and the person's caret.
    selected: "▌" "]",
    /// The start of a field that is being edited.
    field: "▏" "[",
    /// The left edge of a chosen tab.
    tab_left: "▐" "[",
    /// The right edge of a chosen tab.
    tab_right: "▌" "]",
    /// The used part of a bar.
    bar_used: "█" "#",
    /// The free part of a bar.
    bar_free: "░" "_",
    /// Text that was cut.
    ellipsis: "…" "\\",
    /// The end of a line of a command that is shown on one.
    line_end: "⏎" "}",
    /// Before the rest of a line that was broken.
    goes_on: "↳" ">",
    /// Lines that are left out.
    left_out: "⋯" ":",
    /// Between parts of a line; a phase that has not begun; nothing.
    dot: "·" ".",
    /// Between columns; the rail of output, replies and timelines.
    rail: "│" "|",
    /// A rail on which another ends.
    joint: "├" "{",
    /// A rule.
    rule: "─" "-",
    /// The end of a timeline, from above.
    curve_up: "╯" "'",
    /// The begin of a timeline that goes down.
    curve_down: "╮" ",",
    /// The end of a timeline, to the right.
    curve_right: "╰" "`",
    /// The last branch of a tree.
    last: "└" "`",
    /// A rail from which another goes down.
    fork: "┬" "+",
    /// The rail of the person's own words.
    person: "┃" "\"",
    /// Before the line for messages.
    prompt: "›" "%",
    /// To the left.
    left: "←" "<",
    /// To the right.
    right: "→" ">",
    /// What was undone is back.
    again: "→" "R",
    /// More above.
    up: "↑" "^",
    /// More below; following.
    down: "↓" "V",
    /// Lines added; files made.
    plus: "+" "+",
    /// Lines removed; less.
    minus: "−" "-",
    /// Estimated; changed.
    about: "~" "~",
    /// Nearly.
    nearly: "≈" "~",
    /// Times.
    times: "×" "x",
    /// Unknown.
    unknown: "—" "-",
    /// From to.
    range: "–" "-",
    /// The chosen of several.
    chosen: "•" "*",
    /// Before what a search found.
    match_start: "«" "<",
    /// After what a search found.
    match_end: "»" ">",
    /// An eighth of a column of a chart, and so on upwards.
    spark_1: "▁" "_",
    /// Two eighths.
    spark_2: "▂" "_",
    /// Three eighths.
    spark_3: "▃" ".",
    /// Four eighths.
    spark_4: "▄" "-",
    /// Five eighths.
    spark_5: "▅" "-",
    /// Six eighths.
    spark_6: "▆" "=",
    /// Seven eighths.
    spark_7: "▇" "=",
    /// A full column.
    spark_8: "█" "#",
}

const fn ascii_border(horizontal: &'static str) -> border::Set<'static> {
    border::Set {
        top_left: "+",
        top_right: "+",
        bottom_left: "+",
        bottom_right: "+",
        vertical_left: "|",
        vertical_right: "|",
        horizontal_top: horizontal,
        horizontal_bottom: horizontal,
    }
}

impl Glyphs {
    /// The set for a setting: ASCII, or Unicode.
    #[must_use]
    pub fn of(ascii: bool) -> &'static Self {
        if ascii { &Self::ASCII } else { &Self::UNICODE }
    }

    /// Whether it is the ASCII set: borders that meet are then not to be merged.
    #[must_use]
    pub fn is_ascii(&self) -> bool {
        self.ascii
    }

    /// The border of a panel: heavy with the focus, else light (in ASCII `=` and `-`).
    #[must_use]
    pub fn border(&self, focused: bool) -> border::Set<'static> {
        match (self.ascii, focused) {
            (false, true) => border::THICK,
            (false, false) => border::PLAIN,
            (true, true) => ascii_border("="),
            (true, false) => ascii_border("-"),
        }
    }

    /// The columns of a small chart, from low to high.
    #[must_use]
    pub fn sparks(&self) -> [&'static str; 8] {
        [
            self.spark_1,
            self.spark_2,
            self.spark_3,
            self.spark_4,
            self.spark_5,
            self.spark_6,
            self.spark_7,
            self.spark_8,
        ]
    }

    /// `cells` of a bar, of which `share` (from 0 to 1) is used: rounded, but none only at 0 and all only at 1.
    #[must_use]
    pub fn bar(&self, share: f64, cells: usize) -> String {
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of at most a few hundred cells, between 0 and 1"
        )]
        let used = (share * cells as f64).round() as usize;
        let least = usize::from(share > 0.0 && cells > 0);
        let most = if share < 1.0 { cells.saturating_sub(1).max(least) } else { cells };
        let used = used.clamp(least, most.max(least));
        self.bar_used.repeat(used) + &self.bar_free.repeat(cells - used)
    }
}
