//! Tests of `cli`: the command line as it is read, and what is printed.

mod memory;
mod readme;
mod reads;

use clap::{CommandFactory, Parser, error::ErrorKind};
use std::io::{self, Write};
use wakeful::cli::args::{Cli, Command, ConfigCommand};
use wakeful::cli::print::{Out, neutral, one_line};
use wakeful::cli::table::{Column, Table, clip};
use wakeful::cli::values::{CallArg, RunArg};
use wakeful::run::{Check, Mode, StepRef};

fn parse(line: &[&str]) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(std::iter::once(&"wakeful").chain(line))
}

fn command(line: &[&str]) -> Command {
    parse(line).unwrap().command.unwrap()
}

/// The message of a line that must not be taken; every such line ends with exit code 2.
fn refused(line: &[&str]) -> String {
    let error = parse(line).expect_err(&line.join(" "));
    assert_eq!(error.exit_code(), 2, "{line:?}");
    error.to_string()
}

#[test]
fn clap_finds_no_fault_in_the_commands() {
    Cli::command().debug_assert();
}

#[test]
fn no_command_is_the_default_job_with_the_global_options() {
    assert_eq!(parse(&[]).unwrap().command, None);
    let cli = parse(&["runs", "--db", "x.db", "--config", "c.toml"]).unwrap();
    assert_eq!(cli.global.db.unwrap().to_str(), Some("x.db"));
    assert_eq!(cli.global.config.unwrap().to_str(), Some("c.toml"));
}

#[test]
fn run_takes_every_option() {
    let Command::Run(run) = command(&[
        "run",
        "Write a report",
        "--workspace",
        "w",
        "--check",
        "file:a.md",
        "--check",
        "cmd:make test",
        "--constraint",
        "no new files",
        "--constraint",
        "be quick",
        "--title",
        "T",
        "--model",
        "home",
        "--window",
        "8192",
        "--approve",
        "safe",
        "--max-steps",
        "9",
        "--max-tokens",
        "5000",
        "--max-cost",
        "0.25",
        "--max-time",
        "1h30m",
        "--headless",
        "--wait",
        "--json",
    ]) else {
        panic!("not run")
    };
    assert_eq!(run.goal, "Write a report");
    assert_eq!(run.checks, [Check::File("a.md".into()), Check::Cmd("make test".into())]);
    assert_eq!(run.constraints, ["no new files", "be quick"]);
    assert_eq!(run.title.as_deref(), Some("T"));
    assert!(run.watch.headless && run.watch.wait && run.watch.json);
    let said = run.overrides();
    assert_eq!((said.mode, said.window, said.model.as_deref()), (Some(Mode::Safe), Some(8192), Some("home")));
    let limits = (said.limits.steps, said.limits.tokens, said.limits.cost_micro, said.limits.active_ms);
    assert_eq!(limits, (Some(9), Some(5_000), Some(250_000), Some(5_400_000)));
}

#[test]
fn what_is_not_said_changes_nothing() {
    let Command::Run(run) = command(&["run", "x"]) else { panic!("not run") };
    assert_eq!(run.overrides(), wakeful::config::Overrides::default());
    assert!(!run.watch.asks_nothing());
    let Command::Resume(resume) = command(&["resume", "last", "--max-steps", "100", "--json"]) else {
        panic!("not resume")
    };
    assert_eq!((resume.run, resume.limits.patch().steps), (RunArg::Last, Some(100)));
    assert!(resume.watch.asks_nothing());
}

#[test]
fn every_command_of_the_page_is_there() {
    for line in [
        "resume r-1 --headless --json",
        "runs --json",
        "show last --json",
        "checkpoints r-1 --json",
        "rollback r-1 --to 9@1 --files no --dry-run --json",
        "redo r-1",
        "redo r-1 --dry-run --json",
        "mode r-1 auto",
        "extend c-1 10m",
        "goal r-1 --set new --based-on 2 --json",
        "intents",
        "intents r-1 --json",
        "approve c-1 --args {\"a\":1}",
        "deny c-1 --reason no",
        "answer c-1 yes",
        "resolve c-1 happened",
        "resolve c-1 rerun",
        "resolve last:3.1 skip",
        "pause r-1",
        "pause r-1 --now",
        "continue r-1",
        "cancel r-1",
        "goal r-1",
        "goal r-1 --set new",
        "goal r-1 --edit",
        "message r-1 hello",
        "context r-1 --step 3 --request --json",
        "worker",
        "doctor --json",
        "backup out.db",
        "config check",
        "config show --json",
        "config schema",
        "supervise /spool/x",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        assert!(parse(&words).is_ok(), "{line}: {}", parse(&words).unwrap_err());
    }
    assert!(matches!(command(&["config", "schema"]), Command::Config(ConfigCommand::Schema)));
}

#[test]
fn steps_and_calls_are_read_as_people_write_them() {
    let to = |step: &str| {
        let Command::Rollback(r) = command(&["rollback", "last", "--to", step]) else {
            panic!("not rollback")
        };
        r.to.0
    };
    assert_eq!(to("9"), StepRef { timeline: None, step: 9 });
    assert_eq!(to("9@1"), StepRef { timeline: Some(1), step: 9 });
    assert_eq!(to("0"), StepRef { timeline: None, step: 0 });
    let call = |text: &str| {
        let Command::Deny(d) = command(&["deny", text]) else { panic!("not deny") };
        d.call
    };
    assert_eq!(call("c-91"), CallArg::Prefix("c-91".into()));
    let run = RunArg::Prefix("r-7f".into());
    assert_eq!(call("r-7f:14.2"), CallArg::Place { run, step: 14, position: 2 });
    assert_eq!(call("last:1.1"), CallArg::Place { run: RunArg::Last, step: 1, position: 1 });
}

#[test]
fn usage_errors_say_what_to_write() {
    for (line, words) in [
        (vec!["run"], "<GOAL>"),
        (vec!["run", "  "], "it is empty"),
        (vec!["run", "x", "--check", "fiel:a"], "the kind \"fiel\" is unknown"),
        (vec!["run", "x", "--max-time", "30"], "a duration with its unit"),
        (vec!["run", "x", "--max-cost", "-1"], "an amount of at least 0"),
        (vec!["run", "x", "--max-steps", "0"], "--max-steps"),
        (vec!["run", "x", "--max-tokens", "-5"], "--max-tokens"),
        (vec!["run", "x", "--approve", "everything"], "[possible values: ask, safe, auto]"),
        (vec!["run", "x", "--wait"], "--headless"),
        (vec!["run", "x", "--window", "1"], "--window"),
        (vec!["rollback", "last"], "--to <STEP>"),
        (vec!["rollback", "last", "--to", "nine"], "write a step as 9"),
        (vec!["rollback", "last", "--to", "9@0"], "counted from 1"),
        (vec!["rollback", "last", "--to", "+9"], "write a step as 9"),
        (vec!["deny", "14.2"], "its place RUN:STEP.POSITION"),
        (vec!["deny", "r-1:14"], "its place RUN:STEP.POSITION"),
        (vec!["approve", "c-1", "--args", "[1]"], "a JSON object"),
        (vec!["approve", "c-1", "--args", "{"], "this is not JSON"),
        (vec!["goal", "r-1", "--set", "x", "--edit"], "cannot be used with"),
        (vec!["show", ""], "name a run"),
        (vec!["rollbak", "last"], "rollback"),
        (vec!["run", "x", "--headles"], "--headless"),
    ] {
        let text = refused(&line);
        assert!(text.contains(words), "{line:?}: {text}");
    }
}

#[test]
fn help_says_what_each_command_is_for() {
    let mut cli = Cli::command();
    for sub in cli.get_subcommands() {
        let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
        assert!(about.len() > 15, "{} has no purpose", sub.get_name());
        assert!(about.len() < 100 && !about.contains('\n'), "{}: one line", sub.get_name());
    }
    let help = cli.render_long_help().to_string();
    assert!(help.contains("130 interrupted") && help.contains("RUN is an id"), "{help}");
    assert!(!help.contains("supervise"), "it is no command for people");
    let error = parse(&["run", "--help"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DisplayHelp);
    assert!(error.to_string().contains("Examples:\n  wakeful run"), "{error}");
}

/// The words of a line as a shell would read them.
fn words_of(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (c, quote) {
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[test]
fn each_example_of_a_help_is_a_command_as_it_stands() {
    let mut shown = 0;
    let mut all = vec![Cli::command()];
    while let Some(command) = all.pop() {
        all.extend(command.get_subcommands().cloned());
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in help.lines().filter(|line| line.starts_with("  wakeful ")) {
            for part in line.split(['|', '>']).map(str::trim).filter(|part| part.starts_with("wakeful ")) {
                let parsed = Cli::try_parse_from(words_of(part));
                assert!(parsed.is_ok(), "{part}: {}", parsed.unwrap_err());
                shown += 1;
            }
        }
    }
    assert!(shown >= 30, "{shown}");
}

#[test]
fn nothing_printed_can_act_on_the_terminal() {
    let nasty = "a\u{1b}[2J\u{9b}1m\u{7}\u{202e}b\r\nc\td\u{200b}";
    assert_eq!(neutral(nasty), "a\\u{1b}[2J\\u{9b}1m\\u{7}\\u{202e}b\\u{d}\nc\td\\u{200b}");
    assert_eq!(one_line("a\nb\tc"), "a b c");
    assert_eq!(neutral("你好 é 👩‍💻"), "你好 é 👩‍💻");
    let mut bytes = Vec::new();
    let value = serde_json::json!({"text": nasty, "tag": "\u{e0041}", "plain": "你好"});
    let mut out = Out::new(&mut bytes);
    out.json_line(&value).unwrap();
    out.json(&value).unwrap();
    let printed = String::from_utf8(bytes).unwrap();
    let bad = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}' || c == '\u{e0041}';
    assert!(!printed.contains(bad), "{printed:?}");
    assert!(printed.contains("你好"), "what is harmless stays readable");
    let (line, pretty) = printed.split_once('\n').unwrap();
    for json in [line, pretty] {
        assert_eq!(serde_json::from_str::<serde_json::Value>(json).unwrap(), value, "the same to a parser");
    }
}

/// A reader that takes `left` bytes and goes away.
struct Leaving {
    left: usize,
}

impl Write for Leaving {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let taken = bytes.len().min(self.left);
        self.left -= taken;
        Ok(taken)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut out = Out::new(Leaving { left: 8 });
    assert!(out.text("first").is_ok() && !out.gone());
    assert!(out.text("second").is_ok() && out.gone());
    assert!(out.json_line(&1).is_ok());
    assert!(Out::new(Full).text("x").is_err(), "a full disk is an error");
}

struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn tables_line_up_in_cells_and_mark_what_they_cut() {
    let mut table = Table::new(&[Column::Name("run"), Column::Text("title"), Column::Number("tokens")]);
    table.row(["r-7f3a", "为长任务写一份报告", "127,201"]);
    table.row(["r-1", "Weekly dependency report, all of it", "9"]);
    assert_eq!(
        table.render(None),
        "run     title                                 tokens\n\
         r-7f3a  为长任务写一份报告                   127,201\n\
         r-1     Weekly dependency report, all of it        9\n"
    );
    assert_eq!(
        table.render(Some(30)),
        "run     title           tokens\n\
         r-7f3a  为长任务写一…  127,201\n\
         r-1     Weekly depen…        9\n"
    );
    let narrow = table.render(Some(10));
    assert!(
        narrow.contains("r-7f3a") && narrow.contains("127,201"),
        "names and numbers stay whole: {narrow}"
    );
}

#[test]
fn a_clip_never_exceeds_its_width() {
    assert_eq!(clip("abc", 3), "abc");
    assert_eq!(clip("abcd", 3), "ab…");
    assert_eq!(clip("你好吗", 4), "你…");
    let mut table = Table::new(&[Column::Text("a"), Column::Text("b")]);
    table.row(["x\ny\u{1b}z", "only"]);
    assert_eq!(table.render(None), "a           b\nx y\\u{1b}z  only\n");
}
