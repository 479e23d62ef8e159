//! Arguments against the tools of a run, before they are sent as a decision: the same reading that the worker does when
//! it takes the decision.

use crate::run::Settings;
use crate::tool::{Registry, ShellLimits, canonical};
use serde_json::Value;

/// The canonical text of `args` for `tool` as the run offers it.
///
/// # Errors
/// What is wrong with them, where, and what to do: words for a person.
pub fn validate(settings: &Settings, tool: &str, args: &Value) -> Result<String, String> {
    let shell = ShellLimits { max_s: settings.limits.shell_timeout_max_s, ..ShellLimits::default() };
    let registry = Registry::new(shell).only(|name| settings.tool(name).is_some());
    let text = canonical(args);
    match registry.read(tool, &text) {
        Ok(_) => Ok(text),
        Err(error) => Err(format!("the arguments do not fit: {} {}", error.message, error.suggestion)),
    }
}
