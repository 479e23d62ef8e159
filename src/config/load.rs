//! From files to a [`Config`]: reads both, lays them over the defaults, checks what only the whole can show.

use super::layer::{Layer, Whose};
use super::problem::{ConfigError, Problem, suggestion};
use super::settings::Config;
use std::path::{Path, PathBuf};

/// A larger file is no config file.
const LARGEST: u64 = 1 << 20;

/// Where to read from.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// The user's file; it may be absent unless `must_exist`.
    pub user: &'a Path,
    /// True if the person named the file, so that its absence is an error.
    pub must_exist: bool,
    /// The workspace; its file is `.wakeful/config.toml` in it.
    pub workspace: &'a Path,
    /// Names of the tools that exist.
    pub tools: &'a [&'a str],
}

/// The file of a workspace.
pub fn workspace_file(workspace: &Path) -> PathBuf {
    workspace.join(".wakeful").join("config.toml")
}

/// Reads and merges both files.
///
/// # Errors
/// [`ConfigError`] with everything that is wrong in either.
pub fn load(sources: &Sources<'_>) -> Result<Config, ConfigError> {
    let own = workspace_file(sources.workspace);
    let user = read(sources.user)?;
    if user.is_none() && sources.must_exist {
        let text =
            "there is no such config file; `wakeful config schema` prints one to start from".to_owned();
        return Err(ConfigError { problems: vec![about(sources.user, text)] });
    }
    let theirs = if same_file(sources.user, &own) { None } else { read(&own)? };
    merge(sources, user.as_deref(), theirs.as_deref())
}

/// Merges the texts of both files, where there are any.
///
/// # Errors
/// [`ConfigError`] with everything that is wrong in either.
pub fn merge(
    sources: &Sources<'_>,
    user: Option<&str>,
    workspace: Option<&str>,
) -> Result<Config, ConfigError> {
    let (config, problems) = merged(sources, user, workspace);
    if problems.is_empty() { Ok(config) } else { Err(ConfigError { problems }) }
}

/// Both files as far as they can be read, for what has to work with a broken file too: what is wrong in one place must not
/// keep the keys and secrets of another from being masked.
pub fn readable(sources: &Sources<'_>) -> Config {
    let user = read(sources.user).ok().flatten();
    let theirs = read(&workspace_file(sources.workspace)).ok().flatten();
    merged(sources, user.as_deref(), theirs.as_deref()).0
}

fn merged(sources: &Sources<'_>, user: Option<&str>, workspace: Option<&str>) -> (Config, Vec<Problem>) {
    let mut config = Config::default();
    let mut problems = Vec::new();
    // The person is told the folder as it really is, since trust compares real paths.
    let folder = real(sources.workspace);
    if let Some(text) = user {
        let layer = Layer::new(sources.user, Whose::User, &folder, sources.tools);
        problems.extend(layer.apply(&mut config, text));
    }
    if let Some(text) = workspace {
        let trusted = config.trust.iter().any(|trusted| real(trusted) == folder);
        let file = workspace_file(sources.workspace);
        let layer = Layer::new(&file, Whose::Workspace { trusted }, &folder, sources.tools);
        problems.extend(layer.apply(&mut config, text));
    }
    if let Some(name) = &config.default_profile
        && problems.is_empty()
        && name != "offline"
        && !config.profiles.contains_key(name)
    {
        let names = config.profiles.keys().map(String::as_str).chain(["offline"]);
        let hint = suggestion(name, names);
        problems.push(about(sources.user, format!("default_profile: there is no [profile.{name}].{hint}")));
    }
    if let Some(name) = &config.summary_model
        && problems.is_empty()
        && !config.profiles.contains_key(name)
    {
        let hint = suggestion(name, config.profiles.keys().map(String::as_str));
        problems
            .push(about(sources.user, format!("context.summary_model: there is no [profile.{name}].{hint}")));
    }
    (config, problems)
}

fn about(file: &Path, text: String) -> Problem {
    Problem { file: Some(file.to_owned()), pos: None, text }
}

/// The path with links resolved, as far as it exists.
fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

fn same_file(a: &Path, b: &Path) -> bool {
    real(a) == real(b)
}

/// The text of a file; none if there is no file.
fn read(file: &Path) -> Result<Option<String>, ConfigError> {
    let fail = |text: String| ConfigError { problems: vec![about(file, text)] };
    let meta = match std::fs::metadata(file) {
        Ok(meta) => meta,
        Err(e) if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(e) => return Err(fail(format!("cannot be read: {e}"))),
    };
    // A pipe would block for ever.
    if !meta.is_file() {
        return Err(fail("is not an ordinary file".to_owned()));
    }
    if meta.len() > LARGEST {
        return Err(fail("is larger than 1 MiB; that is no config file".to_owned()));
    }
    let bytes = std::fs::read(file).map_err(|e| fail(format!("cannot be read: {e}")))?;
    String::from_utf8(bytes).map(Some).map_err(|_| fail("is not UTF-8; save it as UTF-8".to_owned()))
}
