//! Command lines that are nearly right, and what was probably meant: options of `run` without a command, and a goal
//! without `run`. Everything else is said by the reader of the command line itself.

use super::args::Cli;
use clap::CommandFactory;

/// Global options; each takes a value.
const GLOBAL: [&str; 2] = ["--db", "--config"];

/// What to write instead, for a line (without the program's name) that could not be read.
pub fn hint(line: &[String]) -> Option<String> {
    let rest = without_globals(line);
    let first = rest.first()?;
    let option = first.split('=').next().unwrap_or_default();
    if is_of_run(option) {
        return Some(format!(
            "{option} is an option of `wakeful run`, which needs a goal: wakeful run GOAL {}\n\
             `wakeful` alone works on the default job in the present folder and takes no such options. `wakeful --help` \
             tells what else there is",
            shell(line)
        ));
    }
    // No command has a blank in its name.
    let goal = !first.starts_with('-') && first.trim().contains(char::is_whitespace);
    goal.then(|| format!("there is no such command. If that is a goal: wakeful run {}", shell(line)))
}

fn without_globals(mut line: &[String]) -> &[String] {
    while let [first, rest @ ..] = line {
        let skip = if GLOBAL.contains(&first.as_str()) {
            2
        } else if GLOBAL.iter().any(|name| first.strip_prefix(name).is_some_and(|r| r.starts_with('='))) {
            1
        } else {
            break;
        };
        line = rest.get(skip - 1..).unwrap_or_default();
    }
    line
}

fn is_of_run(option: &str) -> bool {
    let Some(name) = option.strip_prefix("--") else { return false };
    let cli = Cli::command();
    cli.find_subcommand("run").is_some_and(|run| run.get_arguments().any(|arg| arg.get_long() == Some(name)))
}

/// Words as a shell takes them.
fn shell(words: &[String]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    let quoted = words.iter().map(|word| match !word.is_empty() && word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &[&str]) -> Option<String> {
        hint(&line.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn options_of_run_without_it_name_the_whole_line() {
        for (line, words) in [
            (vec!["--model", "offline"], "--model is an option of `wakeful run`"),
            (vec!["--model", "offline"], "wakeful run GOAL --model offline\n"),
            (vec!["--db", "x.db", "--max-steps=3"], "wakeful run GOAL --db x.db --max-steps=3\n"),
            (vec!["--config=c", "--json"], "--json is an option"),
            (vec!["--check", "contains:a b:it's"], r"run GOAL --check 'contains:a b:it'\''s'"),
            (vec!["Write a list", "--json"], "wakeful run 'Write a list' --json"),
        ] {
            let hint = of(&line).unwrap_or_default();
            assert!(hint.contains(words), "{line:?}: {hint}");
        }
    }

    #[test]
    fn what_is_something_else_gets_no_hint() {
        for line in [vec![], vec!["--modell", "x"], vec!["rollbak"], vec!["run", "--json"], vec!["--db"]] {
            assert_eq!(of(&line), None, "{line:?}");
        }
    }
}
