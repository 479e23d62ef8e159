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

/// What each panel draws with, and the functions of `cells` that bring signs along.
const PANELS: &[(&str, &[&str])] = &[
    (
        "Loop",
        &[
            include_str!("../view/transcript.rs"),
            include_str!("../view/transcript/call.rs"),
            include_str!("../view/transcript/coming.rs"),
            include_str!("../view/transcript/group.rs"),
            include_str!("../view/transcript/items.rs"),
            include_str!("../view/transcript/live.rs"),
            include_str!("../view/transcript/pieces.rs"),
            include_str!("../view/transcript/running.rs"),
            include_str!("../view/transcript/step.rs"),
            include_str!("../view/transcript/strip.rs"),
            include_str!("../view/transcript/window.rs"),
        ],
    ),
    (
        "Context",
        &[
            include_str!("../view/context.rs"),
            include_str!("../view/context/detail.rs"),
            include_str!("../view/context/memory.rs"),
            include_str!("../view/context/table.rs"),
        ],
    ),
    (
        "Queue",
        &[
            include_str!("../view/queue.rs"),
            include_str!("../view/queue/call.rs"),
            include_str!("../view/queue/counts.rs"),
            include_str!("../view/queue/detail.rs"),
            include_str!("../view/queue/grouped.rs"),
            include_str!("../view/transcript/pieces.rs"),
        ],
    ),
    (
        "Checkpoints",
        &[
            include_str!("../view/checkpoints.rs"),
            include_str!("../view/checkpoints/back.rs"),
            include_str!("../view/checkpoints/lines.rs"),
        ],
    ),
    ("Plan", &[include_str!("../view/plan.rs")]),
    ("Runs", &[include_str!("../view/runs.rs")]),
    ("Limits", &[include_str!("../view/limits.rs"), include_str!("../view/limits/figures.rs")]),
    ("band", &[include_str!("../view/band.rs"), include_str!("../view/banners.rs")]),
];
const BROUGHT: &[(&str, &[&str])] = &[
    ("bar(", &["bar_used", "bar_free"]),
    ("files_touched(", &["plus", "about"]),
    ("argument(", &["line_end"]),
    ("about(", &["line_end"]),
    ("run_face(", &["running", "needs_you", "open", "left_out", "done", "limit", "failed", "denied", "dot"]),
    // Every list has them.
    ("", &["selected", "ellipsis", "up", "down"]),
];
/// Signs that mean the same, or that nobody confuses, for the place in which they stand: an estimate either way; the
/// hyphen before a figure, between two, alone where there is none, and as a whole row.
const ALIKE: &[&[&str]] = &[&["about", "nearly"], &["minus", "range", "unknown", "rule"]];

#[test]
fn no_two_meanings_on_a_panel_share_a_sign() {
    let (unicode, ascii) = (Glyphs::UNICODE.all(), Glyphs::ASCII.all());
    let mut found = Vec::new();
    for (panel, sources) in PANELS {
        let code: String =
            sources.iter().map(|source| source.split("#[cfg(test)]").next().unwrap()).collect();
        let named = code.split("glyphs.").skip(1).map(|rest| {
            rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
        });
        let brought =
            BROUGHT.iter().filter(|(call, _)| code.contains(call)).flat_map(|(_, signs)| signs.iter());
        let used: std::collections::BTreeSet<&str> = named.chain(brought.copied()).collect();
        let at = |name: &str| unicode.iter().position(|(own, _)| *own == name);
        let used: Vec<usize> = used.into_iter().filter_map(at).collect();
        assert!(used.len() >= 5, "{panel}: {used:?}");
        for (nth, one) in used.iter().enumerate() {
            for other in used.iter().skip(nth + 1) {
                let (name, its) = (unicode[*one].0, unicode[*other].0);
                let alike = ALIKE.iter().any(|group| group.contains(&name) && group.contains(&its));
                // What is one sign where there are all of them may be one in ASCII.
                if unicode[*one].1 != unicode[*other].1 && ascii[*one].1 == ascii[*other].1 && !alike {
                    found.push(format!("{panel}: {name} and {its} are {}", ascii[*one].1));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    // Nor does one mean an amount of money, the end of a line and that text was cut.
    let signs: Vec<&str> = ["line_end", "ellipsis", "left_out", "about", "down", "done", "unfolded"]
        .into_iter()
        .map(|name| ascii.iter().find(|(own, _)| *own == name).unwrap().1)
        .chain(["$"])
        .collect();
    let all: std::collections::BTreeSet<&&str> = signs.iter().collect();
    assert_eq!(all.len(), signs.len(), "{signs:?}");
}

#[test]
fn a_bar_is_full_only_at_the_end() {
    let bar = |share| Glyphs::ASCII.bar(share, 8);
    assert_eq!(bar(0.0), "________");
    assert_eq!(bar(0.001), "#_______");
    assert_eq!(bar(0.5), "####____");
    assert_eq!(bar(0.999), "#######_");
    assert_eq!(bar(1.0), "########");
    assert_eq!(bar(9.0), "########");
    assert_eq!(bar(f64::NAN), "________");
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
