//! `backup FILE`: a copy of the whole database while it is in use.

use super::app::{App, Failure};
use super::args::BackupArgs;
use super::exit::Exit;
use super::print::talk;
use super::runs::size;

/// `wakeful backup`.
///
/// # Errors
/// See [`Failure`].
pub async fn backup(app: &App, args: BackupArgs) -> Result<Exit, Failure> {
    let file = app.cwd.join(&args.file);
    if !app.paths.db.exists() {
        let db = app.paths.db.display();
        return Err(Failure::usage(format!("there is no database {db} to back up. Name it with --db")));
    }
    if file.exists() {
        return Err(Failure::usage(format!(
            "{} exists; a backup never overwrites. Name another file",
            file.display()
        )));
    }
    let store = app.open()?;
    store.backup(&file).await?;
    let bytes = std::fs::metadata(&file)
        .map_err(|e| {
            Failure::internal(format!("the copy {} cannot be looked at: {e}. Make it again", file.display()))
        })?
        .len();
    talk(&format!("copied {} to {} ({})", store.path().display(), file.display(), size(bytes)));
    Ok(Exit::Completed)
}
