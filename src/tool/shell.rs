//! The arguments of `shell`. Running it is not done here.

use serde::{Deserialize, Serialize};

use super::ToolError;

/// The bounds of `timeout_s`, from the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShellLimits {
    /// Without `timeout_s`, in seconds.
    pub default_s: u64,
    /// The most that can be asked for, in seconds.
    pub max_s: u64,
}

impl Default for ShellLimits {
    fn default() -> Self {
        Self { default_s: 120, max_s: 600 }
    }
}

/// A command to run by `sh -c`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShellArgs {
    /// The command line, exactly as it will run.
    pub command: String,
    /// Time-out in seconds; after [`crate::tool::Registry`] read it, always present.
    #[serde(default)]
    pub timeout_s: Option<u64>,
    /// Folder to run in, relative to the workspace; the root without it.
    #[serde(default)]
    pub cwd: Option<String>,
}

impl ShellArgs {
    pub(super) fn checked(mut self, limits: ShellLimits) -> Result<Self, ToolError> {
        if self.command.trim().is_empty() {
            return Err(ToolError::arguments(
                "the command is empty; nothing was run.",
                "Give the command to run.",
            ));
        }
        if self.command.contains('\0') {
            return Err(ToolError::arguments(
                "the command contains a NUL character, which no shell can take.",
                "Write it without.",
            ));
        }
        let timeout = self.timeout_s.unwrap_or(limits.default_s);
        if timeout == 0 || timeout > limits.max_s {
            return Err(ToolError::arguments(
                format!("timeout_s is {timeout}; it must be 1 to {}.", limits.max_s),
                "Ask for less time, or split the work; the person can extend a running command.",
            ));
        }
        self.timeout_s = Some(timeout);
        Ok(self)
    }
}
