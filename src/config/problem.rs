//! What is wrong with a configuration: where, what, and what to write instead.
//!
//! Values of unknown keys are never repeated: somebody may have put a key there.

use std::fmt;
use std::path::PathBuf;

/// A place in a file, both numbers from 1; columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pos {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

impl Pos {
    /// The place of byte `offset` in `text`.
    pub fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let column = before.get(line_start..).unwrap_or("").chars().count() + 1;
        Self { line, column }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, or none for an environment variable or an option.
    pub file: Option<PathBuf>,
    /// Where in it; none if it is about the whole file.
    pub pos: Option<Pos>,
    /// What is wrong and what to do.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
            if let Some(pos) = self.pos {
                write!(f, "{}:{}:", pos.line, pos.column)?;
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.text)
    }
}

/// A configuration that cannot be used; exit code 2.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", listed(.problems))]
pub struct ConfigError {
    /// Everything that is wrong, in file order; never empty.
    pub problems: Vec<Problem>,
}

impl ConfigError {
    /// An error that is not about a file.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { problems: vec![Problem { file: None, pos: None, text: text.into() }] }
    }
}

fn listed(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}

/// The nearest of `names` to `name`, if one is near enough to be meant.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    names
        .into_iter()
        .map(|known| (strsim::jaro_winkler(&lower, &known.to_lowercase()), known))
        .filter(|(likeness, _)| *likeness >= 0.78)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

/// ` Did you mean X?`, or a list of what there is if nothing is near.
pub fn suggestion<'a>(name: &str, names: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(name, names.clone()) {
        Some(near) => format!(" Did you mean `{near}`?"),
        None => {
            let all: Vec<&str> = names.into_iter().collect();
            if all.is_empty() { String::new() } else { format!(" Known are: {}.", all.join(", ")) }
        }
    }
}
