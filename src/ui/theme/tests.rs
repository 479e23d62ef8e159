//! Tests of themes and signs.

use super::*;
use ratatui::style::Color;
use unicode_width::UnicodeWidthStr as _;

fn all() -> impl Iterator<Item = (&'static str, Theme)> {
    BUILT_IN.iter().map(|(name, text)| (*name, Theme::load(text).unwrap()))
}

fn wrong(text: &str) -> String {
    Theme::load(text).unwrap_err().to_string()
}

/// Relative luminance, WCAG 2.2.
fn luminance(colour: Color) -> f64 {
    let (r, g, b) = match colour {
        Color::Rgb(r, g, b) => (r, g, b),
        Color::Indexed(index) => colour::indexed(index),
        other => panic!("{other:?} depends on the terminal"),
    };
    let linear = |value: u8| {
        let s = f64::from(value) / 255.0;
        if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// Contrast, WCAG 2.2.
fn contrast(one: Color, other: Color) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn every_built_in_theme_sets_every_role() {
    for (name, theme) in all() {
        for role in Role::ALL {
            assert_eq!(
                theme.styles.iter().filter(|(set, _)| set == role).count(),
                1,
                "{name} {}",
                role.name()
            );
        }
        assert_eq!(theme.styles.len(), Role::ALL.len());
    }
    assert_eq!(Theme::default(), Theme::named("dark", None, false).unwrap());
}

#[test]
fn text_stands_out_from_its_ground() {
    for (name, least) in [("dark", 4.5), ("light", 4.5), ("high-contrast", 7.0)] {
        for depth in [Depth::True, Depth::Indexed] {
            let theme = Theme::named(name, None, false).unwrap().at(depth);
            let base = theme.style(Role::Base);
            let selected = theme.style(Role::Selection).bg.unwrap();
            for role in Role::ALL.iter().filter(|role| !matches!(role, Role::Border | Role::Selection)) {
                let style = theme.style(*role);
                let fg = style.fg.or(base.fg).unwrap();
                let grounds = style.bg.map_or_else(|| vec![base.bg.unwrap(), selected], |own| vec![own]);
                for ground in grounds {
                    let found = contrast(fg, ground);
                    assert!(found >= least, "{name} {depth:?} {}: {found:.2} on {ground:?}", role.name());
                }
            }
            let border = contrast(theme.style(Role::Border).fg.unwrap(), base.bg.unwrap());
            assert!(border >= if least > 5.0 { 7.0 } else { 2.9 }, "{name} {depth:?} border: {border:.2}");
        }
    }
}

#[test]
fn mono_has_modifiers_alone_and_only_codes_are_reversed() {
    let mono = Theme::named("mono", None, false).unwrap();
    assert!(mono.is_mono());
    assert!(all().all(|(name, theme)| theme.is_mono() == (name == "mono")));
    for (name, theme) in all() {
        for role in Role::ALL {
            let reversed = theme.style(*role).add_modifier.contains(Modifier::REVERSED);
            assert_eq!(reversed, *role == Role::Hidden, "{name} {}", role.name());
        }
    }
    assert!(!mono.style(Role::NeedsYou).add_modifier.is_empty());
    assert_eq!(Theme::named("light", None, true).unwrap(), mono);
    assert_eq!(Theme::named("no such theme", None, true).unwrap(), mono);
}

#[test]
fn a_theme_of_the_person_inherits_what_it_does_not_set() {
    let theme = Theme::load(
        "inherits = \"light\"\nok = \"bright_green\"\nwarn = 214\ndanger = { fg = \"default\", bg = \"#aa0000\", bold = false }",
    )
    .unwrap();
    let light = Theme::named("light", None, false).unwrap();
    assert_eq!(theme.style(Role::Ok), Style::new().fg(Color::LightGreen));
    assert_eq!(theme.style(Role::Warn).fg, Some(Color::Indexed(214)));
    let danger = Style::new().fg(Color::Reset).bg(Color::Rgb(0xaa, 0, 0)).remove_modifier(Modifier::BOLD);
    assert_eq!(theme.style(Role::Danger), danger);
    assert_eq!(theme.style(Role::Goal), light.style(Role::Goal));
}

#[test]
fn what_is_wrong_in_a_theme_is_named_with_line_and_key() {
    assert_eq!(
        wrong("inherits = \"dark\"\n\ndangr = \"red\""),
        "line 3: unknown key \"dangr\"; did you mean \"danger\"?"
    );
    assert_eq!(
        wrong("inherits = \"dark\"\nok = { fg = \"red\", blod = true }"),
        "line 2: unknown key \"ok.blod\"; did you mean \"bold\"?"
    );
    assert_eq!(
        wrong("inherits = \"dark\"\nok = \"gren\"\nwarn = \"#12\"\ngoal = 256\ntool = { bold = 1 }"),
        "line 2: ok: \"gren\" is no colour; write perhaps \"green\"\n\
         line 3: warn: \"#12\" is no colour; write #rrggbb, a number from 0 to 255, or a name such as red or bright_red\n\
         line 4: goal: 256 is no colour; write #rrggbb, a number from 0 to 255, or a name such as red or bright_red\n\
         line 5: tool.bold: not 1, but true or false"
    );
    assert_eq!(wrong("inherits = \"drak\""), "line 1: inherits: there is no built-in theme \"drak\"");
    assert!(wrong("ok = \"red\"").starts_with("not set: base, border, "));
    assert!(wrong("ok = ").starts_with("line 1: this is no TOML: "), "{}", wrong("ok = "));
}

#[test]
fn themes_are_found_in_a_folder_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, "inherits = \"dark\"\nok = \"red\"").unwrap();
    std::fs::write(folder.path().join("dark.toml"), "").unwrap();
    std::fs::write(folder.path().join("notes.txt"), "").unwrap();
    let within = Some(folder.path());
    assert_eq!(Theme::names(within), ["dark", "light", "high-contrast", "mono", "mine"]);
    assert_eq!(Theme::named("mine", within, false).unwrap().style(Role::Ok).fg, Some(Color::Red));
    // A built-in theme stays what it is.
    assert_eq!(Theme::named("dark", within, false).unwrap(), Theme::default());
    let error = Theme::named("mien", within, false).unwrap_err().to_string();
    assert_eq!(error, "there is no theme \"mien\"; did you mean \"mine\"?");
    assert!(Theme::named("../mine", within, false).is_err());
    std::fs::write(&file, "inherits = \"dark\"\nokk = \"red\"").unwrap();
    let error = Theme::named("mine", within, false).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}:2:1: ", file.display())), "{error}");
    assert!(error.ends_with("unknown key \"okk\"; did you mean \"ok\"?"), "{error}");
}

#[test]
fn a_sign_is_one_cell_and_states_differ() {
    for glyphs in [Glyphs::UNICODE, Glyphs::ASCII] {
        for (name, sign) in glyphs.all() {
            assert_eq!(sign.width(), 1, "{name}");
            assert_eq!(sign.chars().count(), 1, "{name}");
            assert!(!glyphs.is_ascii() || sign.is_ascii(), "{name}");
        }
        let g = &glyphs;
        let states = [
            g.needs_you,
            g.running,
            g.done,
            g.failed,
            g.denied,
            g.unsure,
            g.limit,
            g.open,
            g.current,
            g.checkpoint,
        ];
        let distinct: std::collections::BTreeSet<&str> = states.into_iter().collect();
        assert_eq!(distinct.len(), states.len());
        assert_ne!(g.border(true), g.border(false));
        assert_ne!(g.folded, g.unfolded);
    }
    let set = Glyphs::of(true).border(true);
    assert_eq!([set.top_left, set.horizontal_top, set.vertical_left].concat(), "+=|");
    assert_eq!(Glyphs::of(false), &Glyphs::UNICODE);
}

#[test]
fn a_bar_is_full_only_at_the_end() {
    let bar = |share| Glyphs::ASCII.bar(share, 8);
    assert_eq!(bar(0.0), "........");
    assert_eq!(bar(0.001), "#.......");
    assert_eq!(bar(0.5), "####....");
    assert_eq!(bar(0.999), "#######.");
    assert_eq!(bar(1.0), "########");
    assert_eq!(bar(9.0), "########");
    assert_eq!(bar(f64::NAN), "........");
    assert_eq!(Glyphs::UNICODE.bar(0.5, 0), "");
    assert_eq!(Glyphs::UNICODE.bar(0.5, 1), "█");
}

#[test]
fn a_terminal_gets_the_colours_it_has() {
    assert_eq!(Depth::of(Some("truecolor"), None), Depth::True);
    assert_eq!(Depth::of(None, Some("xterm-kitty")), Depth::True);
    assert_eq!(Depth::of(None, Some("xterm-256color")), Depth::Indexed);
    assert_eq!(Depth::Indexed.nearest(Color::Rgb(255, 0, 0)), Color::Indexed(196));
    assert_eq!(Depth::Indexed.nearest(Color::Rgb(18, 18, 19)), Color::Indexed(233));
    assert_eq!(Depth::Indexed.nearest(Color::Red), Color::Red);
    assert_eq!(Depth::True.nearest(Color::Rgb(1, 2, 3)), Color::Rgb(1, 2, 3));
    // The "vt" of others are their own: what says nothing of itself has colours.
    for (term, depth) in [
        ("vt100", Depth::None),
        ("vt220-8bit", Depth::None),
        ("xterm-mono", Depth::None),
        ("linux-m", Depth::None),
        ("xterm", Depth::Indexed),
        ("vte-256color", Depth::Indexed),
        ("screen", Depth::Indexed),
    ] {
        assert_eq!(Depth::of(None, Some(term)), depth, "{term}");
        assert_eq!(Depth::of(Some("truecolor"), Some(term)), Depth::True);
    }
    let dark = || Theme::named("dark", None, false).unwrap();
    assert!(dark().at(Depth::None).is_mono() && !dark().at(Depth::Indexed).is_mono());
    assert_eq!(
        dark().at(Depth::None).style(Role::Danger),
        Theme::named("mono", None, false).unwrap().style(Role::Danger)
    );
    for index in 16..=255 {
        let (r, g, b) = colour::indexed(index);
        let found = Depth::Indexed.nearest(Color::Rgb(r, g, b));
        let Color::Indexed(found) = found else { panic!("{found:?}") };
        assert_eq!(colour::indexed(found), (r, g, b));
    }
}

#[test]
fn nothing_blinks() {
    for (name, theme) in all() {
        for role in Role::ALL {
            let style = theme.style(*role);
            let blinks = Modifier::SLOW_BLINK | Modifier::RAPID_BLINK;
            assert!(!(style.add_modifier | style.sub_modifier).intersects(blinks), "{name}: {}", role.name());
        }
    }
    assert!(
        MODIFIERS
            .iter()
            .all(|(_, modifier)| !modifier.intersects(Modifier::SLOW_BLINK | Modifier::RAPID_BLINK))
    );
    for key in ["blink", "slow_blink", "rapid_blink"] {
        let said = wrong(&format!("inherits = \"dark\"\nwarn = {{ fg = \"red\", {key} = true }}\n"));
        assert!(said.contains(key), "{said}");
    }
}
