//! How people name runs, steps and calls on the command line, and the other values of options.
//!
//! Only the form is checked here: whether there is such a run, step or call is for those who look it up.

use crate::config::units::{parse_duration, parse_micro};
use crate::run::settings::Mode;
use crate::run::{Resolution, StepRef};
use clap::ValueEnum;
use std::str::FromStr;

/// A run: its id, a unique prefix of it, or `last`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunArg {
    /// The newest run.
    Last,
    /// An id or the beginning of one.
    Prefix(String),
}

impl FromStr for RunArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "last" => Ok(RunArg::Last),
            "" => Err("name a run: its id, the beginning of it, or `last`".to_owned()),
            id if id.contains(char::is_whitespace) => Err("a run's id has no spaces".to_owned()),
            id => Ok(RunArg::Prefix(id.to_owned())),
        }
    }
}

/// A step: `9` on the present timeline, `9@1` on timeline 1, `0` for the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepArg(pub StepRef);

impl FromStr for StepArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "write a step as 9, as 9@1 for step 9 of timeline 1, or 0 for the start".to_owned();
        let number = |text: &str| -> Result<u32, String> {
            let plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
            if plain { text.parse().map_err(|_| wrong()) } else { Err(wrong()) }
        };
        let (step, timeline) = match text.trim().split_once('@') {
            Some((step, timeline)) => (step, Some(number(timeline)?)),
            None => (text.trim(), None),
        };
        if timeline == Some(0) {
            return Err("timelines are counted from 1".to_owned());
        }
        Ok(StepArg(StepRef { timeline, step: number(step)? }))
    }
}

/// A call: its id or a unique prefix, or its place in a run, `RUN:14.2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallArg {
    /// A call's id or the beginning of one.
    Prefix(String),
    /// Step and position in a run.
    Place {
        /// The run.
        run: RunArg,
        /// The step.
        step: u32,
        /// The position in the step, from 1.
        position: u32,
    },
}

impl FromStr for CallArg {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || "write a call as its id, the beginning of it, or its place RUN:STEP.POSITION".to_owned();
        let text = text.trim();
        if text.is_empty() || text.contains(char::is_whitespace) {
            return Err(wrong());
        }
        let Some((run, place)) = text.split_once(':') else {
            // `14.2` alone would need a run.
            return if text.contains('.') { Err(wrong()) } else { Ok(CallArg::Prefix(text.to_owned())) };
        };
        let (step, position) = place.split_once('.').ok_or_else(wrong)?;
        let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
        Ok(CallArg::Place { run: run.parse()?, step: number(step)?, position: number(position)? })
    }
}

/// `--approve`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// Every effect and every write waits for you
    Ask,
    /// Reads, and file writes inside the workspace, go
    Safe,
    /// All but denied and dangerous calls go
    Auto,
}

impl From<ModeArg> for Mode {
    fn from(arg: ModeArg) -> Self {
        match arg {
            ModeArg::Ask => Mode::Ask,
            ModeArg::Safe => Mode::Safe,
            ModeArg::Auto => Mode::Auto,
        }
    }
}

/// What became of an uncertain call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ResolutionArg {
    /// It happened
    Happened,
    /// It did not happen: run it
    Rerun,
    /// Leave it
    Skip,
}

impl From<ResolutionArg> for Resolution {
    fn from(arg: ResolutionArg) -> Self {
        match arg {
            ResolutionArg::Happened => Resolution::Happened,
            ResolutionArg::Rerun => Resolution::Rerun,
            ResolutionArg::Skip => Resolution::Skip,
        }
    }
}

/// `--files`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum YesNo {
    /// Restore the files too
    Yes,
    /// The conversation alone
    No,
}

/// A text that says something.
///
/// # Errors
/// When there is nothing but space in it.
pub fn spoken(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("it is empty".to_owned()) } else { Ok(text.to_owned()) }
}

/// Milliseconds of a duration of at least a second.
///
/// # Errors
/// What to write.
pub fn time(text: &str) -> Result<u64, String> {
    match parse_duration(text)? {
        ms if ms < 1_000 => Err("takes at least 1s".to_owned()),
        ms => Ok(ms),
    }
}

/// Millionths of an amount of money.
///
/// # Errors
/// What to write.
pub fn money(text: &str) -> Result<u64, String> {
    parse_micro(text)
}

/// A JSON object, for `--args`.
///
/// # Errors
/// What is wrong with it.
pub fn json_object(text: &str) -> Result<serde_json::Value, String> {
    match serde_json::from_str(text) {
        Ok(value @ serde_json::Value::Object(_)) => Ok(value),
        Ok(_) => Err("arguments are a JSON object, such as {\"path\": \"a.txt\"}".to_owned()),
        Err(e) => Err(format!("this is not JSON: {e}")),
    }
}
