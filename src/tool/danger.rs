//! Commands that deserve a second look.
//!
//! Purpose: a help for the person who approves. A command that deletes, publishes, pushes, takes privileges or runs what
//! it downloads asks again even where everything else may go. Conservative: it prefers to warn.
//!
//! Not to be assumed: a wall. A shell can say the same thing in endless ways (`eval`, a script, an interpreter), and a
//! command that is not flagged is not therefore safe. The walls are approval and the sandbox.

/// Why a shell command is dangerous: everything that was recognised, each once, as one sentence; none if nothing was.
#[must_use]
pub fn dangerous(command: &str) -> Option<String> {
    let mut all = Vec::new();
    if command.contains(":(){") || command.contains(":() {") {
        all.push("it looks like a fork bomb");
    }
    all.extend(redirects(command));
    let pieces = pieces(command);
    let runs_download = pieces.windows(2).any(|pair| match pair {
        [from, to] => {
            // `curl … | sh`; `sh -c "$(curl …)"`, `sh <(curl …)`, `eval "$(curl …)"`.
            let piped = to.after_pipe
                && fetches(&from.words)
                && to.words.first().is_some_and(|word| is_interpreter(base(word)));
            let substituted = fetches(&to.words)
                && from
                    .words
                    .last()
                    .is_some_and(|word| matches!(word.as_str(), "-c" | "<" | "eval" | "source" | "."));
            piped || substituted
        }
        _ => false,
    });
    if runs_download {
        all.push("it runs what it downloads");
    }
    pieces.iter().for_each(|piece| judge(&piece.words, &mut all));
    let mut seen = std::collections::HashSet::new();
    all.retain(|why| seen.insert(*why));
    (!all.is_empty()).then(|| all.join(DANGERS))
}

/// Between two dangers of one command.
pub const DANGERS: &str = "; ";

/// One simple command of a line.
pub(super) struct Piece {
    pub words: Vec<String>,
    after_pipe: bool,
}

/// Cuts a line at separators and substitutions and drops quotes. Crude on purpose: text inside quotes that looks like a
/// command is judged too, because `sh -c "rm -r x"` runs it.
pub(super) fn pieces(command: &str) -> Vec<Piece> {
    let joined = command.replace("\\\n", " ");
    let mut pieces = Vec::new();
    let mut words = Vec::new();
    let mut word = String::new();
    let mut after_pipe = false;
    let mut chars = joined.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ';' | '|' | '&' | '\n' | '(' | ')' | '`' | '{' | '}' => {
                end_word(&mut word, &mut words);
                let ended = !words.is_empty();
                if ended {
                    let words = std::mem::take(&mut words);
                    pieces.push(Piece { words, after_pipe });
                }
                if c == '|' {
                    // `|&` is a pipe too, `||` is none.
                    after_pipe = chars.next_if(|&next| next == '|').is_none();
                    let _ = chars.next_if(|&next| next == '&');
                } else if ended || c != '\n' {
                    // A line may end after a pipe.
                    after_pipe = false;
                }
            }
            ' ' | '\t' | '\r' => end_word(&mut word, &mut words),
            // `\rm` and `r"m"` are rm, and `$HOME` is as good as HOME here.
            '"' | '\'' | '\\' | '$' => {}
            _ => word.push(c),
        }
    }
    end_word(&mut word, &mut words);
    if !words.is_empty() {
        pieces.push(Piece { words, after_pipe });
    }
    pieces
}

fn end_word(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

/// The name of a program without its folder.
pub(super) fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn is_interpreter(name: &str) -> bool {
    matches!(
        name,
        "sh" | "bash"
            | "zsh"
            | "dash"
            | "ash"
            | "fish"
            | "ksh"
            | "python"
            | "python3"
            | "perl"
            | "ruby"
            | "node"
            | "sudo"
    )
}

fn fetches(words: &[String]) -> bool {
    words.iter().any(|word| matches!(base(word), "curl" | "wget" | "fetch" | "base64"))
}

/// Commands that run the rest of their words as a command.
fn is_wrapper(name: &str) -> bool {
    is_interpreter(name)
        || matches!(
            name,
            "env"
                | "nohup"
                | "nice"
                | "time"
                | "timeout"
                | "xargs"
                | "command"
                | "exec"
                | "eval"
                | "setsid"
                | "stdbuf"
        )
        || matches!(name, "then" | "do" | "else" | "!" | "if" | "while")
}

/// Adds what is dangerous about one command, and about the one that it runs.
fn judge(words: &[String], all: &mut Vec<&'static str>) {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        all.extend(simple(base(first), after));
        if base(first) == "find"
            && let Some(at) = after.iter().position(|word| word.starts_with("-exec") || word == "-ok")
        {
            judge(after.split_at(at + 1).1, all);
        }
        if !passes_on(first) {
            return;
        }
        rest = after;
    }
}

/// Whether what follows this word may be a command of its own.
pub(super) fn passes_on(word: &str) -> bool {
    is_wrapper(base(word))
        || word.starts_with('-')
        || word.contains('=')
        || word.chars().all(|c| c.is_ascii_digit() || c == '.' || c == 's' || c == 'm')
}

/// The rule for one command and its words.
fn simple(name: &str, words: &[String]) -> Option<&'static str> {
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    // Short options may be bundled: `-rf`.
    let short = |letter: char| {
        words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    let first = words.iter().find(|word| !word.starts_with('-')).map(String::as_str);
    match name {
        "rm" if short('r') || short('R') || has(&["--recursive"]) => Some("it deletes a whole folder"),
        "rm" | "unlink" | "shred" | "rmdir" => Some("it deletes files"),
        "find" if has(&["-delete"]) => Some("it deletes files"),
        "tee" | "cp" | "mv" | "ln" | "install" if words.last().is_some_and(|target| leads_out(target)) => {
            Some("it writes to a file outside the workspace")
        }
        "truncate" => Some("it cuts files short"),
        "sudo" | "su" | "doas" | "pkexec" | "runuser" => Some("it takes other privileges"),
        "dd" if words.iter().any(|word| word.starts_with("of=")) => {
            Some("it writes raw data to a file or device")
        }
        "fdisk" | "parted" | "wipefs" | "sgdisk" | "mkswap" => Some("it changes disks"),
        _ if name.starts_with("mkfs") => Some("it formats a disk"),
        "shutdown" | "reboot" | "halt" | "poweroff" => Some("it stops the machine"),
        "kill" | "pkill" | "killall" => Some("it ends processes"),
        "chmod" | "chown" | "chgrp" if short('R') || has(&["--recursive"]) => {
            Some("it changes permissions of a whole folder")
        }
        "git" => git(words),
        "cargo" | "npm" | "pnpm" | "yarn" | "bun" | "poetry" | "uv" | "gem" | "twine" | "flutter"
        | "dart"
            if has(&["publish", "unpublish", "upload", "push", "yank"]) =>
        {
            Some("it publishes something")
        }
        "docker" | "podman" if has(&["push"]) => Some("it publishes something"),
        "docker" | "podman" if has(&["prune", "rm", "rmi", "kill"]) => {
            Some("it deletes containers or images")
        }
        "kubectl" | "helm" if has(&["delete", "apply", "uninstall", "upgrade", "drain"]) => {
            Some("it changes a cluster")
        }
        "terraform" | "tofu" | "pulumi" if has(&["apply", "destroy", "up"]) => {
            Some("it changes infrastructure")
        }
        "aws" | "gcloud" | "az" if has(&["rm", "delete", "terminate-instances"]) => {
            Some("it deletes cloud resources")
        }
        "gh" if has(&["merge", "delete", "release", "create", "close"]) => {
            Some("it changes something on a forge")
        }
        "scp" | "rsync" | "sftp" if words.iter().any(|word| word.contains(':')) => {
            Some("it copies to or from another machine")
        }
        "curl" if has(&["-T", "-d", "-F", "--data", "--upload-file", "--form", "--data-binary", "-X"]) => {
            Some("it sends data out")
        }
        "crontab" | "systemctl" | "launchctl"
            if first.is_some_and(|verb| !matches!(verb, "status" | "list-units")) =>
        {
            Some("it changes what runs on the machine")
        }
        "mysql" | "psql" | "sqlite3" | "redis-cli" | "mongosh"
            if words.iter().any(|word| {
                let word = word.to_ascii_lowercase();
                matches!(word.as_str(), "drop" | "delete" | "truncate" | "flushall" | "flushdb")
            }) =>
        {
            Some("it deletes from a database")
        }
        _ => None,
    }
}

fn git(words: &[String]) -> Option<&'static str> {
    let mut rest = words.iter().map(String::as_str);
    let verb = loop {
        match rest.next()? {
            "-C" | "-c" | "--git-dir" | "--work-tree" => drop(rest.next()),
            option if option.starts_with('-') => {}
            verb => break verb,
        }
    };
    let options: Vec<&str> = rest.collect();
    let has = |wanted: &[&str]| options.iter().any(|option| wanted.contains(option));
    match verb {
        "push" => Some("it pushes to another repository"),
        "clean" | "restore" => Some("it throws away changes that are not committed"),
        "reset" if has(&["--hard"]) => Some("it throws away changes that are not committed"),
        "checkout" if has(&["--", ".", "-f", "--force"]) => {
            Some("it throws away changes that are not committed")
        }
        "stash" if has(&["drop", "clear"]) => Some("it throws away changes that are not committed"),
        "branch" | "tag" if has(&["-D", "-d", "--delete"]) => Some("it deletes or rewrites history"),
        "filter-branch" | "filter-repo" | "update-ref" | "reflog" | "gc" => {
            Some("it deletes or rewrites history")
        }
        "rm" => Some("it deletes files"),
        _ => None,
    }
}

/// Whether a word names a place that is surely not in the workspace.
fn leads_out(word: &str) -> bool {
    let harmless = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/fd/"];
    let outside = ["/", "~", "../", "$HOME", "${HOME", "HOME"].iter().any(|start| word.starts_with(start))
        || word == "..";
    outside && !harmless.iter().any(|prefix| word.starts_with(prefix))
}

/// A redirection to a place that is surely not in the workspace. `/dev/null` and its like are fine.
fn redirects(command: &str) -> Option<&'static str> {
    command.match_indices('>').find_map(|(at, _)| {
        let target = command.split_at(at + 1).1.trim_start_matches(['>', '|', '&']).trim_start();
        let target = target.trim_start_matches(['"', '\'']);
        leads_out(target).then_some("it writes to a file outside the workspace")
    })
}

#[cfg(test)]
mod tests {
    use super::dangerous;

    #[test]
    fn all_dangers_of_a_command_are_named_each_once() {
        let all = dangerous("rm -rf x; rm -rf y; git push --force; sudo reboot").unwrap();
        let named = "it deletes a whole folder; it pushes to another repository; it takes other privileges; it stops the machine";
        assert_eq!(all, named);
        let found = dangerous("find . -delete -exec git push \\;").unwrap();
        assert_eq!(found, "it deletes files; it pushes to another repository");
        assert_eq!(dangerous("cargo test"), None);
    }
}
