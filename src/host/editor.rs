//! Editing a text in the person's own editor: `VISUAL`, else `EDITOR`, else `vi`.
//!
//! The text goes through a file of its own (0600) in the folder for temporary files; the editor gets the terminal.
//! Blocks until the editor is left. Not to be assumed: that the text changed, or that the editor waits for the person
//! (`code` needs `--wait`).

use super::HostError;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use uuid::Uuid;

/// A text in the hands of an editor; its file goes with the value unless it is kept.
#[derive(Debug)]
pub struct Edited {
    /// The text as it was saved.
    pub text: String,
    file: Option<PathBuf>,
}

impl Edited {
    /// Keeps the file, so that nothing that was typed is lost, and names it.
    pub fn keep(mut self) -> Option<PathBuf> {
        self.file.take()
    }
}

impl Drop for Edited {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            // A file for temporary things that stays behind does no harm.
            let _ = fs::remove_file(file);
        }
    }
}

/// The person's editor, as it is written in the environment: a command, with arguments perhaps.
pub fn command(visual: Option<&str>, editor: Option<&str>) -> String {
    let said = [visual, editor].into_iter().flatten().find(|command| !command.trim().is_empty());
    said.unwrap_or("vi").to_owned()
}

/// Lets the person edit `text` with `command`. `name` ends the file's name, so that the editor knows its kind.
///
/// # Errors
/// If the file cannot be made or read, the editor cannot be started, or it ends with an error: nothing was edited then.
pub fn edit(text: &str, command: &str, name: &str) -> Result<Edited, HostError> {
    let path = path_for(name);
    let mut edited = Edited { text: String::new(), file: Some(path.clone()) };
    write(&path, text)?;
    run(command, &path)?;
    edited.text = fs::read_to_string(&path).map_err(HostError::file("read", &path))?;
    Ok(edited)
}

/// Puts a text into a file of its own (0600) in the folder for temporary files, and leaves it there.
///
/// # Errors
/// If the file cannot be made.
pub fn keep(text: &str, name: &str) -> Result<PathBuf, HostError> {
    let path = path_for(name);
    write(&path, text)?;
    Ok(path)
}

fn path_for(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("wakeful-{}-{name}", Uuid::new_v4().simple()))
}

fn write(path: &Path, text: &str) -> Result<(), HostError> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    made.and_then(|mut file| file.write_all(text.as_bytes())).map_err(HostError::file("write", path))
}

fn run(command: &str, path: &Path) -> Result<(), HostError> {
    // By the shell, as everybody who honours EDITOR does: it may hold arguments.
    let script: OsString = format!("{command} \"$1\"").into();
    let failed = |source| HostError::System { action: "use the editor", source };
    let status =
        Command::new("/bin/sh").arg("-c").arg(script).arg("sh").arg(path).status().map_err(failed)?;
    if status.success() {
        return Ok(());
    }
    // What a shell says of a command that is not there.
    let hint = if status.code() == Some(127) { "; set VISUAL or EDITOR to one that is there" } else { "" };
    Err(failed(io::Error::other(format!("`{command}` ended with {status}; nothing was changed{hint}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_editor_is_a_command_with_arguments_and_the_file_goes() {
        let edited = edit("one\n", "sed -i s/one/two/", "goal.txt").unwrap();
        assert_eq!(edited.text, "two\n");
        let path = edited.file.clone().unwrap();
        assert!(path.exists());
        drop(edited);
        assert!(!path.exists());
        let kept = edit("x", "true", "goal.txt").unwrap().keep().unwrap();
        assert_eq!(fs::read_to_string(&kept).unwrap(), "x");
        fs::remove_file(kept).unwrap();
    }

    #[test]
    fn an_editor_that_fails_changes_nothing() {
        let error = edit("x", "false", "goal.txt").unwrap_err().to_string();
        assert!(error.contains("nothing was changed"), "{error}");
        let error = edit("x", "no-such-editor-here", "goal.txt").unwrap_err().to_string();
        assert!(error.contains("set VISUAL or EDITOR"), "{error}");
        let kept = keep("x", "goal.txt").unwrap();
        assert_eq!(fs::read_to_string(&kept).unwrap(), "x");
        fs::remove_file(kept).unwrap();
        assert_eq!(command(Some(" "), Some("nano")), "nano");
        assert_eq!(command(None, None), "vi");
    }
}
