//! What rules look at of a call: its command, path or address, in every form in which a rule may name it.
//!
//! Not to be assumed: that rules see what a command does. They see its words; and of `search` and `list_files` they see the
//! folder that is named, not each file in it.

use crate::agent::policy::Subject;
use crate::tool::{self, simple_commands, spellings};
use crate::workspace::Workspace;

/// What rules look at of this call.
pub(super) fn subject(call: &tool::Call, workspace: &Workspace) -> Subject {
    match call {
        tool::Call::Shell(args) => Subject {
            any: spellings(&args.command),
            every: simple_commands(&args.command).unwrap_or_default(),
            command: Some(args.command.clone()),
        },
        tool::Call::ReadFile(args) => path(&args.path, false, workspace),
        tool::Call::ListFiles(args) => path(args.path.as_deref().unwrap_or("."), true, workspace),
        tool::Call::Search(args) => path(args.path.as_deref().unwrap_or("."), true, workspace),
        tool::Call::WriteFile(args) => path(&args.path, false, workspace),
        tool::Call::EditFile(args) => path(&args.path, false, workspace),
        tool::Call::HttpGet(args) => {
            let plain = tool::plain_address(&args.url);
            let any = plain.iter().cloned().chain([args.url.clone()]).collect();
            Subject { any, every: plain.into_iter().collect(), command: None }
        }
        tool::Call::Note(_)
        | tool::Call::Plan(_)
        | tool::Call::Remember(_)
        | tool::Call::Recall(_)
        | tool::Call::AskPerson(_)
        | tool::Call::Decide(_) => Subject::default(),
    }
}

/// A path as written, without detours, and with its links resolved; from the workspace, and from the root of the disk.
fn path(written: &str, folder: bool, workspace: &Workspace) -> Subject {
    let mut every: Vec<String> = workspace.relative(written).into_iter().collect();
    // A path that leads nowhere allowed is refused by its tool.
    every.extend(workspace.real(written));
    every.dedup();
    let mut any = vec![written.to_owned()];
    for path in &every {
        any.extend([
            path.clone(),
            format!("./{path}"),
            workspace.root().join(path).to_string_lossy().into_owned(),
        ]);
    }
    if folder {
        // A pattern for what is in a folder is about the folder too.
        any.extend(any.clone().iter().filter(|path| !path.ends_with('/')).map(|path| format!("{path}/")));
    }
    Subject { any, every, command: None }
}
