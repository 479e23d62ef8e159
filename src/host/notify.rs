//! The person's own command that calls for attention: started without a shell, given the words as its last two arguments,
//! ended if it takes too long. Nothing waits for it.

use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Longest time that the command may take.
const LONGEST: Duration = Duration::from_secs(10);
/// How often its end is looked for.
const LOOK: Duration = Duration::from_millis(50);
/// Most characters of an argument.
const MOST: usize = 1_000;

/// The command: a program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    command: Vec<String>,
    longest: Duration,
}

/// What it is called for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// `needs_you`, `done`, `failed` or `limit`; the command finds it in `WAKEFUL_EVENT`.
    pub event: &'static str,
    /// What happened, in a line.
    pub body: String,
}

impl Hook {
    /// The hook of a configuration; none if no command is set.
    pub fn of(command: &[String]) -> Option<Self> {
        (!command.is_empty()).then(|| Self { command: command.to_vec(), longest: LONGEST })
    }

    /// The same with another longest time.
    #[must_use]
    pub fn within(mut self, longest: Duration) -> Self {
        self.longest = longest;
        self
    }

    /// Starts the command and waits for its end, for the longest time at most. Blocks.
    ///
    /// # Errors
    /// Words that say why it did not start, or how it ended.
    pub fn call(&self, notice: &Notice) -> Result<(), String> {
        let (program, args) = self.command.split_first().ok_or("no command is set")?;
        let named = |why: String| format!("[notify] command `{}`: {why}", harmless(program));
        let mut child = Command::new(program)
            .args(args)
            .args(["wakeful".to_owned(), harmless(&notice.body)])
            .env("WAKEFUL_EVENT", notice.event)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Keys at the terminal are not meant for it, and what it starts ends with it.
            .process_group(0)
            .spawn()
            .map_err(|error| named(error.to_string()))?;
        match self.ended(&mut child) {
            Ok(Some(status)) if status.success() => Ok(()),
            Ok(Some(status)) => Err(named(match (status.code(), status.signal()) {
                (Some(code), _) => format!("exit code {code}"),
                (None, signal) => format!("ended by signal {}", signal.unwrap_or_default()),
            })),
            Ok(None) => {
                end(&mut child);
                Err(named(format!("it took longer than {} s and was ended", self.longest.as_secs())))
            }
            Err(error) => Err(named(error.to_string())),
        }
    }

    fn ended(&self, child: &mut Child) -> std::io::Result<Option<ExitStatus>> {
        let begun = Instant::now();
        while begun.elapsed() < self.longest {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            std::thread::sleep(LOOK.min(self.longest));
        }
        child.try_wait()
    }
}

/// Ends it with all that it started in its group.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Without controls, and not longer than a notification may be.
fn harmless(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(command: &[&str]) -> Hook {
        Hook::of(&command.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_words_are_arguments_and_nothing_in_them_is_run() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("said");
        let script = "printf '%s|%s|%s' \"$WAKEFUL_EVENT\" \"$2\" \"$3\" > \"$1\"";
        let body = "! 1 · $(touch pwned); `id`\u{1b}]0;x\u{7}".to_owned();
        let hook = hook(&["sh", "-c", script, "sh", file.to_str().unwrap()]);
        hook.call(&Notice { event: "needs_you", body }).unwrap();
        let said = std::fs::read_to_string(&file).unwrap();
        assert_eq!(said, "needs_you|wakeful|! 1 · $(touch pwned); `id`]0;x");
    }

    #[test]
    fn a_command_that_fails_or_does_not_end_is_told() {
        let notice = Notice { event: "done", body: "done".to_owned() };
        let why =
            |command: &[&str]| hook(command).within(Duration::from_millis(200)).call(&notice).unwrap_err();
        assert_eq!(why(&["false"]), "[notify] command `false`: exit code 1");
        assert!(why(&["/no/such/program"]).contains("No such file"));
        let begun = Instant::now();
        assert!(why(&["sh", "-c", "sleep 60 & sleep 60"]).contains("was ended"));
        assert!(begun.elapsed() < Duration::from_secs(20));
        assert_eq!(Hook::of(&[]), None);
    }
}
