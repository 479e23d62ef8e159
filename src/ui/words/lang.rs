//! The two languages, and how one is chosen.

/// A language of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

/// A name that is no language.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no language \"{0}\" on the screen; take en (English) or zh (简体中文)")]
pub struct BadLang(pub String);

impl Lang {
    /// Both.
    pub const ALL: [Lang; 2] = [Lang::En, Lang::Zh];

    /// The language of the locale, from `LC_ALL`, `LC_MESSAGES` and `LANG` in this order; the first that is set and not
    /// empty decides alone, as POSIX has it. Anything but Chinese is English.
    pub fn from_locale(lc_all: Option<&str>, lc_messages: Option<&str>, lang: Option<&str>) -> Lang {
        let set = [lc_all, lc_messages, lang].into_iter().flatten().find(|value| !value.is_empty());
        match set.map(language) {
            Some(language) if language == "zh" => Lang::Zh,
            Some(_) | None => Lang::En,
        }
    }

    /// The language of `--lang`: `en` or `zh`, also with a country (`zh_CN`, `en-GB`).
    ///
    /// # Errors
    /// [`BadLang`] for anything else.
    pub fn from_flag(flag: &str) -> Result<Lang, BadLang> {
        match language(flag.trim()).as_str() {
            "en" | "english" => Ok(Lang::En),
            "zh" | "chinese" | "中文" | "简体中文" => Ok(Lang::Zh),
            _ => Err(BadLang(flag.to_owned())),
        }
    }

    /// Words in brackets after others, with the space that goes before them.
    pub fn aside(self, text: &str) -> String {
        match self {
            Lang::En => format!(" ({text})"),
            Lang::Zh => format!("（{text}）"),
        }
    }

    /// The code: `en`, `zh`.
    pub fn code(self) -> &'static str {
        self.pick(["en", "zh"])
    }

    /// Its own name.
    pub fn name(self) -> &'static str {
        self.pick(["English", "简体中文"])
    }

    /// The other one.
    pub fn other(self) -> Lang {
        match self {
            Lang::En => Lang::Zh,
            Lang::Zh => Lang::En,
        }
    }

    /// One of a pair: English, Chinese.
    pub fn pick<T>(self, [en, zh]: [T; 2]) -> T {
        match self {
            Lang::En => en,
            Lang::Zh => zh,
        }
    }
}

/// The language of a locale's name in lower case: `zh` of `zh_CN.UTF-8`.
fn language(locale: &str) -> String {
    locale.split(['_', '-', '.', '@']).next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let of = Lang::from_locale;
        assert_eq!(of(None, None, None), Lang::En);
        assert_eq!(of(None, None, Some("zh_CN.UTF-8")), Lang::Zh);
        assert_eq!(of(Some(""), None, Some("zh_CN.UTF-8")), Lang::Zh, "an empty one is not set");
        assert_eq!(of(Some("C.UTF-8"), Some("zh_CN"), Some("zh_CN")), Lang::En);
        assert_eq!(of(None, Some("zh"), Some("de_DE")), Lang::Zh);
        assert_eq!(of(None, None, Some("zhuang")), Lang::En);
        assert_eq!(of(None, None, Some("ZH-Hans")), Lang::Zh);
    }

    #[test]
    fn a_flag_is_a_language_or_an_error_that_names_both() {
        for (flag, lang) in
            [("en", Lang::En), ("EN-gb", Lang::En), ("zh_CN", Lang::Zh), ("zh", Lang::Zh), ("中文", Lang::Zh)]
        {
            assert_eq!(Lang::from_flag(flag), Ok(lang));
        }
        let refused = Lang::from_flag("de").unwrap_err().to_string();
        assert!(refused.contains("\"de\"") && refused.contains("en (English)"), "{refused}");
    }
}
