//! Themes: what each role looks like, and the signs.
//!
//! No widget names a colour. It names a [`Role`], and the [`Theme`] gives the style; what a role means is also said by a
//! sign of [`Glyphs`], a word or a place, so that a theme without colours loses nothing. Four themes are built in
//! (`themes/*.toml`), more are read from a folder.
//!
//! A role's style is a patch: what it leaves open is taken from what is below it, in the end from [`Role::Base`].

mod colour;
mod glyphs;
mod read;

pub use colour::Depth;
pub use glyphs::Glyphs;

use crate::config::{ConfigError, Problem};
use ratatui::style::{Modifier, Style};
use std::path::Path;

macro_rules! roles {
    ($($(#[$doc:meta])+ $role:ident = $name:literal,)+) => {
        /// What a piece of the screen is, for the eye.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Role {
            $($(#[$doc])+ $role,)+
        }

        impl Role {
            /// All roles.
            pub const ALL: &'static [Role] = &[$(Role::$role),+];

            /// Its name in a theme.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Role::$role => $name,)+
                }
            }
        }
    };
}

roles! {
    /// Ordinary text, and the ground of the whole screen.
    Base = "base",
    /// Borders of what has no focus.
    Border = "border",
    /// The selected row.
    Selection = "selection",
    /// Codes of hidden characters; reversed.
    Hidden = "hidden",
    /// What has the focus, and keys.
    Accent = "accent",
    /// What waits for the person.
    NeedsYou = "needs_you",
    /// What went well.
    Ok = "ok",
    /// What should be looked at.
    Warn = "warn",
    /// What failed, or may do harm.
    Danger = "danger",
    /// What matters less: ages, units, hints.
    Muted = "muted",
    /// The pinned goal.
    Goal = "goal",
    /// Words of the person.
    User = "user",
    /// Words of the agent.
    Agent = "agent",
    /// Names of tools.
    Tool = "tool",
    /// The agent's thinking.
    Thinking = "thinking",
    /// Output of tools.
    Data = "data",
    /// Added lines.
    Add = "add",
    /// Removed lines.
    Del = "del",
    /// What a search found.
    Matched = "matched",
}

/// The themes that are built in, and their texts. The first is the default.
const BUILT_IN: &[(&str, &str)] = &[
    ("dark", include_str!("../../../themes/dark.toml")),
    ("light", include_str!("../../../themes/light.toml")),
    ("high-contrast", include_str!("../../../themes/high-contrast.toml")),
    (MONO, include_str!("../../../themes/mono.toml")),
];

/// The theme without colours.
const MONO: &str = "mono";

/// A style for each role.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    styles: Vec<(Role, Style)>,
}

impl Default for Theme {
    /// The dark theme.
    fn default() -> Self {
        let texts = BUILT_IN.iter().map(|(_, text)| *text);
        texts.filter_map(|text| Self::load(text).ok()).next().unwrap_or(Self { styles: Vec::new() })
    }
}

impl Theme {
    /// Reads a theme from TOML: a role a line, `role = "colour"` or
    /// `role = { fg = "#rrggbb", bg = 236, bold = true }`. Colours are `#rrggbb`, an index of the terminal's 256, or a
    /// name (`red`, `bright_red`, `default`); besides there are `bold`, `dim`, `italic`, `underlined`, `reversed` and
    /// `crossed`. With `inherits = "dark"` a built-in theme gives the roles that are not set.
    ///
    /// # Errors
    /// Everything that is wrong, with line and key; for an unknown key the nearest known one.
    pub fn load(toml: &str) -> Result<Self, ConfigError> {
        read::theme(toml)
    }

    /// The theme of this name: a built-in one, or `NAME.toml` in the folder. With `no_color` (the environment variable
    /// `NO_COLOR` is set and not empty) it is mono, whatever is asked for.
    ///
    /// # Errors
    /// There is no such theme, the file cannot be read, or see [`Theme::load`].
    pub fn named(name: &str, folder: Option<&Path>, no_color: bool) -> Result<Self, ConfigError> {
        let name = if no_color { MONO } else { name };
        if let Some(text) = built_in(name) {
            return Self::load(text);
        }
        let file = folder.filter(|_| plain(name)).map(|folder| folder.join(format!("{name}.toml")));
        let Some(file) = file.filter(|file| file.exists()) else { return Err(no_theme(name, folder)) };
        let text = std::fs::read_to_string(&file).map_err(|error| {
            let text = format!("the theme cannot be read: {error}");
            ConfigError { problems: vec![Problem { file: Some(file.clone()), pos: None, text }] }
        })?;
        Self::load(&text).map_err(|error| {
            let of_file = |problem| Problem { file: Some(file.clone()), ..problem };
            ConfigError { problems: error.problems.into_iter().map(of_file).collect() }
        })
    }

    /// Names of the built-in themes, then of those in the folder, sorted. A folder that cannot be read has none.
    #[must_use]
    pub fn names(folder: Option<&Path>) -> Vec<String> {
        let files = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
        let mut own: Vec<String> = files
            .filter_map(|file| file.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned))
            .filter(|name| plain(name) && built_in(name).is_none())
            .collect();
        own.sort();
        BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).chain(own).collect()
    }

    /// The style of a role.
    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        let found = self.styles.iter().find(|(known, _)| *known == role);
        found.map_or_else(Style::new, |(_, style)| *style)
    }

    /// The style of a border: the accent, if it has the focus.
    #[must_use]
    pub fn border(&self, focused: bool) -> Style {
        self.style(if focused { Role::Accent } else { Role::Border })
    }

    /// The theme in colours that the terminal has; mono where it has none.
    #[must_use]
    pub fn at(mut self, depth: Depth) -> Self {
        if depth == Depth::None {
            return Self::named(MONO, None, true).unwrap_or(Self { styles: Vec::new() });
        }
        for (_, style) in &mut self.styles {
            style.fg = style.fg.map(|colour| depth.nearest(colour));
            style.bg = style.bg.map(|colour| depth.nearest(colour));
        }
        self
    }

    /// Whether the theme uses no colours.
    #[must_use]
    pub fn is_mono(&self) -> bool {
        self.styles.iter().all(|(_, style)| style.fg.is_none() && style.bg.is_none())
    }
}

fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Whether a name names a file of the folder itself.
fn plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

fn no_theme(name: &str, folder: Option<&Path>) -> ConfigError {
    let names = Theme::names(folder);
    let meant = crate::config::problem::nearest(name, names.iter().map(String::as_str));
    let hint = meant.map_or_else(
        || format!("there are {}", names.join(", ")),
        |near| format!("did you mean \"{near}\"?"),
    );
    ConfigError::plain(format!("there is no theme \"{}\"; {hint}", name.escape_debug()))
}

/// Modifiers and their names in a theme.
const MODIFIERS: &[(&str, Modifier)] = &[
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underlined", Modifier::UNDERLINED),
    ("reversed", Modifier::REVERSED),
    ("crossed", Modifier::CROSSED_OUT),
];

#[cfg(test)]
mod tests;
