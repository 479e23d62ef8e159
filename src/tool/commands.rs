//! A shell command as rules look at it: cut into simple commands.
//!
//! Two readings, each wrong only on its safe side. [`simple_commands`] is for rules that allow: it reads quotes as a shell
//! does and gives up on all that it does not read for certain. [`spellings`] is for rules that deny or ask: it ignores
//! quotes and gives a command that is hidden in one too.
//!
//! Not to be assumed: that a denied program cannot be reached. A script, an interpreter or a variable names it otherwise.

use super::danger::{base, passes_on, pieces};

/// Redirections that touch no file.
const NOWHERE: &str = "/dev/null";

/// The simple commands that a shell would run, as they are written; none if that cannot be told: substitutions,
/// redirections to files, subshells, comments and open quotes.
#[must_use]
pub fn simple_commands(command: &str) -> Option<Vec<String>> {
    let mut reader = Reader { rest: command, text: String::new(), found: Vec::new() };
    while let Some(c) = reader.next() {
        reader.take(c)?;
    }
    reader.end_command();
    Some(reader.found)
}

struct Reader<'a> {
    rest: &'a str,
    text: String,
    found: Vec<String>,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        Some(c)
    }

    fn end_command(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !text.trim().is_empty() {
            self.found.push(text.trim().to_owned());
        }
    }

    fn take(&mut self, c: char) -> Option<()> {
        match c {
            ';' | '|' | '&' | '\n' => self.end_command(),
            '`' | '(' | ')' => return None,
            '$' if self.rest.starts_with(['(', '\'', '"']) => return None,
            '#' if self.text.is_empty() || self.text.ends_with([' ', '\t']) => return None,
            '<' => return None,
            '>' => self.redirection()?,
            '\\' => match self.next()? {
                '\n' => {}
                next => self.text.extend(['\\', next]),
            },
            '\'' => {
                let (inside, rest) = self.rest.split_once('\'')?;
                self.text.extend(["'", inside, "'"]);
                self.rest = rest;
            }
            '"' => self.quoted()?,
            other => self.text.push(other),
        }
        Some(())
    }

    /// The rest of a text in double quotes, where substitutions still count.
    fn quoted(&mut self) -> Option<()> {
        self.text.push('"');
        loop {
            let c = self.next()?;
            match c {
                '`' => return None,
                '$' if self.rest.starts_with('(') => return None,
                '\\' => {
                    let next = self.next()?;
                    self.text.extend(['\\', next]);
                }
                other => self.text.push(other),
            }
            if c == '"' {
                return Some(());
            }
        }
    }

    /// A redirection to nowhere (`>/dev/null`) or to another output (`2>&1`), which is left out of the text.
    fn redirection(&mut self) -> Option<()> {
        let before = self.text.trim_end_matches(|c: char| c.is_ascii_digit());
        if before.is_empty() || before.ends_with([' ', '\t']) {
            self.text.truncate(before.len());
        }
        let target = self.rest.strip_prefix('>').unwrap_or(self.rest);
        let after = match target.strip_prefix('&') {
            Some(number) => number.strip_prefix(|c: char| c.is_ascii_digit())?,
            None => target.trim_start_matches([' ', '\t']).strip_prefix(NOWHERE)?,
        };
        let ends = after.is_empty() || after.starts_with([' ', '\t', '\n', ';', '|', '&', '>']);
        self.rest = after;
        ends.then_some(())
    }
}

/// Everything that a command may be said to run: the whole of it, each simple command in it (in quotes and substitutions
/// too), without the path of its program, and without what only passes a command on (`env`, `sudo`, `X=1`).
#[must_use]
pub fn spellings(command: &str) -> Vec<String> {
    let mut all = vec![command.to_owned(), command.trim().to_owned()];
    all.extend(simple_commands(command).unwrap_or_default());
    for piece in pieces(command) {
        let mut words = piece.words.as_slice();
        while let Some((first, after)) = words.split_first() {
            all.push(words.join(" "));
            let mut plain = vec![base(first)];
            plain.extend(after.iter().map(String::as_str));
            all.push(plain.join(" "));
            if !passes_on(first) {
                break;
            }
            words = after;
        }
    }
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_read_for_certain_is_no_list_of_simple_commands() {
        for command in [
            "echo $(touch x)",
            "echo `touch x`",
            "echo \"$(touch x)\"",
            "echo \"a `touch x`\"",
            "echo a > file",
            "echo a >> file",
            "echo a 2>file",
            "echo a >/dev/null2",
            "echo a &> file",
            "echo a >| file",
            "cat < file",
            "cat <<X\na\nX",
            "diff <(ls) b",
            "(echo a)",
            "echo() { touch x; }",
            "echo a # it's\ntouch x # '",
            "echo 'open",
            "echo \"open",
            "echo $'a\\'",
            "echo a\\",
        ] {
            assert_eq!(simple_commands(command), None, "{command}");
        }
    }

    #[test]
    fn commands_are_cut_where_a_shell_cuts_them() {
        let cut = |command| simple_commands(command).unwrap();
        assert_eq!(cut("echo a; touch x"), ["echo a", "touch x"]);
        assert_eq!(
            cut("echo a && touch x || ls & pwd | tee y\nrm z"),
            ["echo a", "touch x", "ls", "pwd", "tee y", "rm z"]
        );
        assert_eq!(cut(" echo 'a; b' \"c | d\" e\\;f "), ["echo 'a; b' \"c | d\" e\\;f"]);
        assert_eq!(cut("echo \"a \\\" ; b\""), ["echo \"a \\\" ; b\""]);
        assert_eq!(cut("cargo test 2>&1 | tail -5"), ["cargo test", "tail -5"]);
        assert_eq!(cut("make >/dev/null 2>&1; ls 2> /dev/null"), ["make", "ls"]);
        assert_eq!(cut("echo a \\\n b"), ["echo a  b"]);
        assert_eq!(cut("echo a#b $HOME"), ["echo a#b $HOME"]);
        assert!(cut(" ").is_empty());
    }

    #[test]
    fn a_program_is_found_wherever_it_stands() {
        for command in [
            " curl x",
            "/usr/bin/curl x",
            "echo a; curl x",
            "echo $(curl x)",
            "sh -c 'curl x'",
            "env A=1 curl x",
            "sudo /usr/bin/curl x",
            "c\"\"url x",
            "\\curl   x",
            "true &&\n\tcurl\tx",
        ] {
            assert!(spellings(command).iter().any(|s| s.starts_with("curl x")), "{command}");
        }
        assert!(!spellings("echo curl x").iter().any(|s| s.starts_with("curl")));
    }
}
