//! Arguments of a call in the hands of a person: written for an editor, read back, and held against the tool's schema.

use super::app::{App, Failure};
use super::values::json_object;
use crate::host::editor;
use crate::run::settings::Settings;
use crate::run::state::RunState;
use crate::store::CallRow;
use crate::worker::registry_of;
use serde_json::Value;

/// End of the file's name, so that an editor knows its kind.
pub const FILE: &str = "arguments.json";

/// A value over several lines, as a file is.
pub fn written(args: &Value) -> String {
    format!("{args:#}\n")
}

/// Stored arguments over several lines; what is not JSON stays as it is.
pub fn pretty(args: &str) -> String {
    serde_json::from_str(args).map_or_else(|_| args.to_owned(), |value: Value| written(&value))
}

/// True if the stored arguments are this value.
pub fn same(new: &Value, args: &str) -> bool {
    serde_json::from_str::<Value>(args).is_ok_and(|old| old == *new)
}

/// Lets the person edit a text in VISUAL, EDITOR or `vi`; returns when the editor is left.
///
/// # Errors
/// What [`editor::edit`] says: nothing was edited then.
pub async fn edit(app: &App, text: String) -> Result<String, Failure> {
    let command =
        editor::command(app.env.get("VISUAL").map(String::as_str), app.env.get("EDITOR").map(String::as_str));
    tokio::task::spawn_blocking(move || editor::edit(&text, &command, FILE).map(|edited| edited.text.clone()))
        .await
        .map_err(|e| Failure::internal(e.to_string()))?
        .map_err(Failure::from)
}

/// Reads arguments that a person wrote for this call.
///
/// # Errors
/// What is wrong with them: they are no JSON object, or the tool does not take them.
pub fn read(state: &RunState, row: &CallRow, text: &str) -> Result<Value, String> {
    let args = json_object(text)?;
    let settings = state.settings().ok_or_else(|| "the run has no settings".to_owned())?;
    fits(settings, &row.tool, &args).map_err(|why| format!("the new arguments do not fit: {why}"))?;
    Ok(args)
}

/// Holds arguments against the tool's schema.
///
/// # Errors
/// What does not fit, and what to write.
pub fn fits(settings: &Settings, tool: &str, args: &Value) -> Result<(), String> {
    match registry_of(settings).read(tool, &args.to_string()) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{} {}", error.message, error.suggestion)),
    }
}
