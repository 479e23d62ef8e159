//! Looking at a folder for a new run: whether it is one, and whether what its checks would run is there.

use crate::run::goal::Check;
use crate::ui::app::msg::Place;
use std::ffi::OsStr;
use std::path::Path;

/// Words of the shell itself: they are no files.
const BUILT_IN: &[&str] = &[
    "!", ".", ":", "[", "alias", "bg", "case", "cd", "command", "echo", "eval", "exec", "exit", "export",
    "false", "fg", "for", "if", "printf", "pwd", "read", "set", "sh", "source", "test", "time", "trap",
    "true", "type", "ulimit", "umask", "unset", "until", "wait", "while", "{", "(",
];

/// Looks at a folder. `search` is the path on which programs are looked for.
pub fn look(cwd: &Path, path: &Path, checks: &[Check], search: Option<&OsStr>) -> Place {
    let path = cwd.join(path);
    let place = |path, problem| Place { path, git: None, problem, missing: Vec::new() };
    match std::fs::canonicalize(&path) {
        Ok(real) if real.is_dir() => {
            let missing =
                checks.iter().filter_map(|check| needs(check).filter(|name| !is_there(&real, name, search)));
            Place { missing: missing.collect(), ..place(real.clone(), None) }
        }
        Ok(real) => place(real.clone(), Some(format!("{} is no folder", real.display()))),
        Err(error) => place(path, Some(error.to_string())),
    }
}

/// The file or program that a check needs before the run has done anything. What a run is to make is none.
fn needs(check: &Check) -> Option<String> {
    match check {
        Check::Cmd(command) => program(command),
        Check::JsonSchema(file) => Some(format!("./{file}")),
        Check::File(_)
        | Check::Contains(..)
        | Check::AnswerContains(_)
        | Check::MinChars(_)
        | Check::Regex(_)
        | Check::Human => None,
    }
}

/// The first program of a command, if it is written plainly; what it is cannot be told of anything else.
fn program(command: &str) -> Option<String> {
    let is_setting = |word: &&str| {
        word.split_once('=')
            .is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
    };
    let word = command.split_whitespace().find(|word| !is_setting(word))?;
    let word = word.trim_end_matches(';');
    let plain = word.chars().all(|c| c.is_alphanumeric() || "./_-+@%,".contains(c));
    (plain && !word.is_empty() && !BUILT_IN.contains(&word)).then(|| word.to_owned())
}

fn is_there(folder: &Path, name: &str, search: Option<&OsStr>) -> bool {
    if name.contains('/') {
        return folder.join(name).exists();
    }
    search.is_none_or(|search| std::env::split_paths(search).any(|dir| dir.join(name).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_check_needs_is_looked_for_and_what_it_makes_is_not() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("there.sh"), "").unwrap();
        let read = |text: &str| text.parse::<Check>().unwrap();
        let checks = [
            "cmd:./bench.sh --max 60",
            "cmd:./there.sh",
            "cmd:LANG=C no-such-program-at-all x",
            "cmd:cd x && ./later.sh",
            "cmd:$TOOL",
            "cmd:ls | wc",
            "file:report.md",
            "json-schema:shape.json",
            "human",
        ]
        .map(read);
        let bin = dir.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        std::fs::write(bin.join("ls"), "").unwrap();
        let seen = look(Path::new("/"), dir.path(), &checks, Some(bin.as_os_str()));
        assert_eq!(seen.problem, None);
        assert_eq!(seen.missing, ["./bench.sh", "no-such-program-at-all", "./shape.json"]);
        let file = look(dir.path(), Path::new("there.sh"), &[], None);
        assert!(file.problem.unwrap().contains("is no folder"));
        assert!(look(dir.path(), Path::new("nowhere"), &[], None).problem.is_some());
    }
}
