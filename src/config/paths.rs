//! Where things are: the user's config file and the database, by option, environment variable or platform.
//!
//! The environment is an argument, so that tests do not touch that of the process. What must not be assumed: that any
//! of these files exists.

use super::problem::ConfigError;
use super::profile::Env;
use std::path::{Path, PathBuf};

/// The environment variable that names the database.
pub const DB_VARIABLE: &str = "WAKEFUL_DB";

/// The paths of one invocation, all absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// The user's config file.
    pub config: PathBuf,
    /// True if the person named it with `--config`.
    pub config_named: bool,
    /// The database.
    pub db: PathBuf,
    /// Who says where the database is: `--db`, `WAKEFUL_DB` or the platform.
    pub db_source: &'static str,
}

impl Paths {
    /// The paths for these options, in this environment, seen from `cwd`.
    ///
    /// # Errors
    /// [`ConfigError`] when there is no home folder and no option says where else.
    pub fn find(
        env: &Env,
        cwd: &Path,
        db: Option<&Path>,
        config: Option<&Path>,
    ) -> Result<Self, ConfigError> {
        let named = env.get(DB_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
        let (db, db_source) = match (db, named) {
            (Some(path), _) => (cwd.join(path), "--db"),
            (None, Some(path)) => (cwd.join(path), DB_VARIABLE),
            (None, None) => {
                let folder = folder(env, Kind::Data).ok_or_else(|| homeless("the database", "--db FILE"))?;
                (folder.join("wakeful.db"), "the platform's data folder")
            }
        };
        let config_named = config.is_some();
        let config = match config {
            Some(path) => cwd.join(path),
            None => {
                let folder = folder(env, Kind::Config);
                folder.ok_or_else(|| homeless("the config file", "--config FILE"))?.join("config.toml")
            }
        };
        Ok(Self { config, config_named, db, db_source })
    }
}

fn homeless(what: &str, option: &str) -> ConfigError {
    ConfigError::plain(format!(
        "there is no home folder to look for {what} in: set HOME, or name it with {option}"
    ))
}

#[derive(Clone, Copy)]
enum Kind {
    Config,
    Data,
}

/// `wakeful` in the platform's folder of this kind.
fn folder(env: &Env, kind: Kind) -> Option<PathBuf> {
    let absolute = |name: &str| env.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = if cfg!(windows) || (cfg!(target_os = "macos") && absolute("HOME").is_none()) {
        let dirs = directories::BaseDirs::new()?;
        match kind {
            Kind::Config => dirs.config_dir().to_owned(),
            Kind::Data => dirs.data_dir().to_owned(),
        }
    } else {
        let home = absolute("HOME").or_else(|| directories::BaseDirs::new().map(|d| d.home_dir().to_owned()));
        let under = |path: &str| home.as_ref().map(|home| home.join(path));
        match (kind, cfg!(target_os = "macos")) {
            (_, true) => under("Library/Application Support"),
            (Kind::Config, false) => absolute("XDG_CONFIG_HOME").or_else(|| under(".config")),
            (Kind::Data, false) => absolute("XDG_DATA_HOME").or_else(|| under(".local/share")),
        }?
    };
    Some(base.join("wakeful"))
}
