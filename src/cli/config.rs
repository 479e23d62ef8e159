//! `config check|show|schema`.
//!
//! JSON of `show`: an array of `key`, `value` (null if not set), `source` (`default`, `user`, `workspace`, `env`, `flag`)
//! and `from` (the file or variable, or null).

use super::app::{App, Failure};
use super::args::ConfigCommand;
use super::exit::Exit;
use super::layout;
use super::print::talk;
use crate::config::{Config, schema, show, shown, workspace_file};
use std::path::{Path, PathBuf};

/// `wakeful config`.
///
/// # Errors
/// All that is wrong in the files, with places.
pub fn config(app: &App, command: ConfigCommand) -> Result<Exit, Failure> {
    match command {
        ConfigCommand::Schema => layout::text(&schema())?,
        ConfigCommand::Check(args) => {
            let folder = folder(app, args.workspace.as_deref())?;
            let config = app.config(&folder)?;
            super::screen::check(app, &config)?;
            if let Some((profile, why)) = super::model::tokenizer_faults(&config).into_iter().next() {
                return Err(Failure::usage(format!("[profile.{profile}] tokenizer: {why}")));
            }
            for file in [app.paths.config.clone(), workspace_file(&folder)] {
                let state = if file.exists() { "is in order" } else { "is not there, which is fine" };
                talk(&format!("{} {state}", file.display()));
            }
        }
        ConfigCommand::Show(args) => {
            let folder = folder(app, args.workspace.as_deref())?;
            let config: Config = app.config(&folder)?;
            if args.json {
                layout::json(&shown(&config).iter().map(|row| row.json()).collect::<Vec<_>>())?;
            } else {
                layout::text(&show(&config))?;
            }
        }
    }
    Ok(Exit::Completed)
}

fn folder(app: &App, named: Option<&Path>) -> Result<PathBuf, Failure> {
    let folder = named.map_or_else(|| app.cwd.clone(), |path| app.cwd.join(path));
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(Failure::usage(format!("the workspace {} is not a folder. Name one that exists", folder.display())))
}
