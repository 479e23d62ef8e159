//! Reading of a theme's TOML. Everything that is wrong is found at once, each with its line.

use super::{MODIFIERS, Role, Theme, built_in, colour};
use crate::config::document::{Entry, Node, Value, parse};
use crate::config::problem::nearest;
use crate::config::{ConfigError, Pos, Problem};
use ratatui::style::{Color, Style};

/// The key that names the theme from which unset roles are taken.
const INHERITS: &str = "inherits";

/// Reads a theme.
pub fn theme(text: &str) -> Result<Theme, ConfigError> {
    let entries =
        parse(text).map_err(|error| one(error.pos, format!("this is no TOML: {}", error.why.trim())))?;
    let mut problems = Vec::new();
    let mut styles: Vec<(Role, Style)> = Vec::new();
    let mut parent = None;
    for entry in &entries {
        let done = if entry.key == INHERITS {
            inherited(&entry.node).map(|theme| parent = Some(theme))
        } else {
            role(entry).and_then(|role| style(entry).map(|style| styles.push((role, style))))
        };
        if let Err(problem) = done {
            problems.push(problem);
        }
    }
    if problems.is_empty() {
        problems.extend(complete(&mut styles, parent.as_ref()));
    }
    if problems.is_empty() { Ok(Theme { styles }) } else { Err(ConfigError { problems }) }
}

fn one(pos: Option<Pos>, text: String) -> ConfigError {
    ConfigError { problems: vec![problem(pos, text)] }
}

fn problem(pos: Option<Pos>, text: String) -> Problem {
    // Without a file the place would not be printed.
    let text = pos.map_or_else(|| text.clone(), |pos| format!("line {}: {text}", pos.line));
    Problem { file: None, pos, text }
}

fn inherited(node: &Node) -> Result<Theme, Problem> {
    let wrong = |text: String| problem(Some(node.pos), format!("{INHERITS}: {text}"));
    let Value::Text(name) = &node.value else {
        return Err(wrong(format!("not {}, but the name of a built-in theme", node.value.described())));
    };
    let text = built_in(name).filter(|text| !text.contains(INHERITS));
    let text = text.ok_or_else(|| wrong(format!("there is no built-in theme {}", node.value.described())))?;
    theme(text).map_err(|error| wrong(error.to_string()))
}

/// Takes what is missing from the parent; without one it is a problem.
fn complete(styles: &mut Vec<(Role, Style)>, parent: Option<&Theme>) -> Option<Problem> {
    let missing: Vec<Role> =
        Role::ALL.iter().copied().filter(|role| !styles.iter().any(|(set, _)| set == role)).collect();
    match parent {
        Some(parent) => styles.extend(missing.iter().map(|role| (*role, parent.style(*role)))),
        None if missing.is_empty() => {}
        None => {
            let names: Vec<&str> = missing.iter().map(|role| role.name()).collect();
            let names = names.join(", ");
            return Some(problem(None, format!("not set: {names}; set them, or add {INHERITS} = \"dark\"")));
        }
    }
    None
}

fn role(entry: &Entry) -> Result<Role, Problem> {
    let known = Role::ALL.iter().copied().find(|role| role.name() == entry.key);
    known.ok_or_else(|| {
        let names = Role::ALL.iter().map(|role| role.name()).chain([INHERITS]);
        unknown(entry, &entry.key, names)
    })
}

fn unknown<'a>(entry: &Entry, path: &str, names: impl Iterator<Item = &'a str> + Clone) -> Problem {
    let near = nearest(&entry.key, names.clone());
    let hint = near.map_or_else(
        || format!("there are {}", names.collect::<Vec<_>>().join(", ")),
        |near| format!("did you mean \"{near}\"?"),
    );
    problem(Some(entry.pos), format!("unknown key \"{}\"; {hint}", path.escape_debug()))
}

fn style(entry: &Entry) -> Result<Style, Problem> {
    let Value::Table(parts) = &entry.node.value else {
        return Ok(Style::new().fg(read_colour(&entry.key, &entry.node)?));
    };
    let mut style = Style::new();
    for part in parts {
        let path = format!("{}.{}", entry.key, part.key);
        let modifier = MODIFIERS.iter().find(|(name, _)| *name == part.key);
        style = match (part.key.as_str(), modifier, &part.node.value) {
            ("fg", _, _) => style.fg(read_colour(&path, &part.node)?),
            ("bg", _, _) => style.bg(read_colour(&path, &part.node)?),
            (_, Some((_, modifier)), Value::Bool(true)) => style.add_modifier(*modifier),
            (_, Some((_, modifier)), Value::Bool(false)) => style.remove_modifier(*modifier),
            (_, Some(_), value) => {
                let text = format!("{path}: not {}, but true or false", value.described());
                return Err(problem(Some(part.node.pos), text));
            }
            (_, None, _) => {
                let names = ["fg", "bg"].into_iter().chain(MODIFIERS.iter().map(|(name, _)| *name));
                return Err(unknown(part, &path, names));
            }
        };
    }
    Ok(style)
}

fn read_colour(path: &str, node: &Node) -> Result<Color, Problem> {
    let found = match &node.value {
        Value::Text(text) => colour::parse(text),
        Value::Whole(n) => u8::try_from(*n).ok().map(Color::Indexed),
        Value::Decimal(_) | Value::Bool(_) | Value::List(_) | Value::Table(_) | Value::Date => None,
    };
    found.ok_or_else(|| {
        let near = match &node.value {
            Value::Text(text) if !text.starts_with('#') => nearest(text, colour::names()),
            _ => None,
        };
        let hint = near.map_or_else(
            || "#rrggbb, a number from 0 to 255, or a name such as red or bright_red".to_owned(),
            |near| format!("perhaps \"{near}\""),
        );
        problem(Some(node.pos), format!("{path}: {} is no colour; write {hint}", node.value.described()))
    })
}
