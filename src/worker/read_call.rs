//! Performing calls that only read: files, the network, memories.

use super::error::WorkError;
use super::vectors::Vectors;
use crate::run::id::RunId;
use crate::store::Store;
use crate::tool::{self, ToolError, ToolResult};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Performs a call that only reads. A walk of files ends early once `stop` is set.
///
/// # Errors
/// The store's; what is wrong with the call is its result.
pub async fn perform(
    store: Store,
    vectors: Option<Arc<Vectors>>,
    run: RunId,
    workspace: Arc<crate::workspace::Workspace>,
    typed: tool::Call,
    stop: Arc<AtomicBool>,
) -> Result<ToolResult, WorkError> {
    if let tool::Call::HttpGet(args) = &typed {
        return Ok(tool::http_get(args, &tool::HttpSettings::default()).await);
    }
    if let tool::Call::Recall(args) = &typed {
        let found = super::recall::asked(&store, vectors.as_deref(), &run, workspace.root(), args).await?;
        let text = tool::neutralise(&tool::RecallArgs::told(&found)).into_owned();
        // What was kept before a form of secrets was known.
        let text = super::secret_forms::told(&text, super::masking::MASK).into_owned();
        return Ok(Ok(tool::Output { text, ..tool::Output::default() }));
    }
    let work = move || match &typed {
        tool::Call::ReadFile(args) => tool::read_file(args, &workspace),
        tool::Call::ListFiles(args) => tool::list_files(args, &workspace, &stop),
        tool::Call::Search(args) => tool::search(args, &workspace, &stop),
        tool::Call::HttpGet(_)
        | tool::Call::Shell(_)
        | tool::Call::WriteFile(_)
        | tool::Call::EditFile(_)
        | tool::Call::Note(_)
        | tool::Call::Plan(_)
        | tool::Call::Remember(_)
        | tool::Call::Recall(_)
        | tool::Call::AskPerson(_)
        | tool::Call::Decide(_) => Err(ToolError::new("internal", "this call is not a read", "Report this.")),
    };
    Ok(tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        let why = format!("the tool broke off: {error}.");
        Err(ToolError::new("internal", why, "Ask for it another way."))
    }))
}

/// What the model gets of a call that took too long.
pub fn timed_out(tool: &str, time: Duration) -> ToolError {
    ToolError::new(
        "timed_out",
        format!("{tool} took longer than {} s and was stopped.", time.as_secs()),
        "Ask for less at a time.",
    )
}
