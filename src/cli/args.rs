//! The command line as it is written. What the words mean together is settled by each command; what can be wrong in a
//! word alone is an error here, with exit code 2.

use super::examples;
use super::values::{
    CallArg, ModeArg, ResolutionArg, RunArg, StepArg, YesNo, json_object, money, spoken, time,
};
use crate::config::Overrides;
use crate::run::Check;
use crate::run::budget_table::Slot;
use crate::run::settings::LimitsPatch;
use clap::{ArgGroup, Args, Parser, Subcommand};
use std::path::PathBuf;

const EXIT_CODES: &str =
    "Exit codes of run and resume: 0 completed, 1 internal error or stdout cannot be written, 2 usage or config,
3 stopped at a limit, 4 waiting for a person or paused, 5 failed or cancelled, 6 storage, 130 interrupted (all is
saved).

RUN is an id, the beginning of one, or `last`. STEP is 9, or 9@1 for step 9 of timeline 1; 0 is the start.
CALL is an id, the beginning of one, or RUN:STEP.POSITION.";

/// Runs AI agents whose tasks outlive the terminal: every step is saved before it counts.
///
/// Without a command it opens the workstation; where there is no terminal it works on the default job in the present folder.
#[derive(Debug, Parser)]
#[command(name = "wakeful", version, after_long_help = EXIT_CODES, max_term_width = 110)]
pub struct Cli {
    /// The options of every command.
    #[command(flatten)]
    pub global: Global,
    /// The command; none is the default job.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options of every command.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct Global {
    /// The database; else WAKEFUL_DB, else a file in the platform's data folder
    #[arg(long, global = true, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// Your config file, instead of the one in the platform's config folder
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Language of the screen, en or zh, instead of the locale's
    #[arg(long, global = true, value_name = "LANG")]
    pub lang: Option<String>,
    /// Theme of the screen: dark, light, high-contrast, mono, or one of your own
    #[arg(long, global = true, value_name = "NAME")]
    pub theme: Option<String>,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub enum Command {
    /// Start a run toward a goal
    #[command(after_help = examples::RUN)]
    Run(RunArgs),
    /// Go on with a run: after an interruption, a pause, or with a raised limit
    #[command(after_help = examples::RESUME)]
    Resume(ResumeArgs),
    /// List the runs, newest first
    Runs(JsonArgs),
    /// Show one run: goal, status, limits, plan, what it waits for, report
    Show(RunJson),
    /// List the checkpoints of a run, with its timelines
    Checkpoints(RunJson),
    /// Return a run, and the files it changed, to a checkpoint
    #[command(after_help = examples::ROLLBACK)]
    Rollback(RollbackArgs),
    /// Undo the last rollback
    Redo(RedoArgs),
    /// List tool calls that wait for a decision, and how the others ended
    Intents(IntentsArgs),
    /// Allow a waiting call, as it stands or with other arguments
    #[command(after_help = examples::APPROVE)]
    Approve(ApproveArgs),
    /// Refuse a waiting call; the model is told why
    #[command(after_help = examples::DENY)]
    Deny(DenyArgs),
    /// Answer a question of the agent
    #[command(after_help = examples::ANSWER)]
    Answer(AnswerArgs),
    /// Say what became of a call of which nobody knows whether it happened
    Resolve(ResolveArgs),
    /// Pause a run after the running call
    Pause(PauseArgs),
    /// Let a run go on that is paused, or waits because of a loop, failures or a failed check
    Continue(RunJson),
    /// End a run for good; what it did stays
    Cancel(RunJson),
    /// Change what a run may do without asking; calls that wait go on waiting
    Mode(ModeArgs),
    /// Give a running command more time
    #[command(after_help = examples::EXTEND)]
    Extend(ExtendArgs),
    /// End a running command; what it did stays, and the agent is told
    Stop(CallOnly),
    /// Show the goal of a run, replace its text, or edit it
    #[command(after_help = examples::GOAL)]
    Goal(GoalArgs),
    /// Show the plan of a run, replace it, or edit it
    #[command(after_help = examples::PLAN)]
    Plan(super::plan::PlanArgs),
    /// Say something to the agent; it reads it before its next step
    #[command(after_help = examples::MESSAGE)]
    Message(MessageArgs),
    /// Show the context budget of a run, slot by slot, or the exact request of a step
    #[command(after_help = examples::CONTEXT)]
    Context(ContextArgs),
    /// Browse, search, add, edit, pin, settle and delete what is remembered
    #[command(subcommand)]
    Memory(super::memory::args::MemoryCommand),
    /// Advance every run that can go on, until all wait or are over
    Worker,
    /// Check the database, the config, the tools and the model's server
    #[command(after_help = "Exit codes: 0 healthy, 2 the config is wrong, 6 the database is not healthy.")]
    Doctor(DoctorArgs),
    /// Copy the database to a file, while it is in use
    Backup(BackupArgs),
    /// Check or show the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Watch one command and keep its output and exit status
    #[command(hide = true)]
    Supervise {
        /// The spool folder of the call.
        spool: PathBuf,
    },
}

impl Command {
    /// True if it changes a run, the store or a configuration; false if it only reads.
    pub fn acts(&self) -> bool {
        match self {
            Command::Memory(command) => command.acts(),
            Command::Runs(_)
            | Command::Show(_)
            | Command::Checkpoints(_)
            | Command::Intents(_)
            | Command::Context(_)
            | Command::Doctor(_)
            | Command::Config(_)
            | Command::Supervise { .. } => false,
            Command::Run(_)
            | Command::Resume(_)
            | Command::Rollback(_)
            | Command::Redo(_)
            | Command::Approve(_)
            | Command::Deny(_)
            | Command::Answer(_)
            | Command::Resolve(_)
            | Command::Extend(_)
            | Command::Stop(_)
            | Command::Pause(_)
            | Command::Continue(_)
            | Command::Cancel(_)
            | Command::Mode(_)
            | Command::Goal(_)
            | Command::Plan(_)
            | Command::Message(_)
            | Command::Worker
            | Command::Backup(_) => true,
        }
    }
}

/// Raised or lowered limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Most steps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), allow_negative_numbers = true)]
    pub max_steps: Option<u32>,
    /// Most tokens: uncached prompt and completion together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    pub max_tokens: Option<u64>,
    /// Most cost, in the currency of the profile's prices, such as 2.50
    #[arg(long, value_name = "X", value_parser = money, allow_negative_numbers = true)]
    pub max_cost: Option<u64>,
    /// Most active time, such as 90s, 30m or 1h30m
    #[arg(long, value_name = "D", value_parser = time)]
    pub max_time: Option<u64>,
}

impl LimitArgs {
    /// The change of limits that these options ask for.
    pub fn patch(&self) -> LimitsPatch {
        LimitsPatch {
            steps: self.max_steps,
            tokens: self.max_tokens,
            cost_micro: self.max_cost,
            active_ms: self.max_time,
            tool_calls: None,
        }
    }
}

/// How a run is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "Output", group = ArgGroup::new("unattended").args(["headless", "json"]).multiple(true))]
pub struct WatchArgs {
    /// Ask nothing: stop with exit code 4 when a person is needed
    #[arg(long)]
    pub headless: bool,
    /// With --headless: stay when a person is needed, until somebody decides from elsewhere
    #[arg(long, requires = "unattended")]
    pub wait: bool,
    /// One JSON object a line on stdout; asks nothing, as --headless
    #[arg(long)]
    pub json: bool,
}

impl WatchArgs {
    /// True if nobody is asked in place.
    pub fn asks_nothing(&self) -> bool {
        self.headless || self.json
    }
}

/// `run`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct RunArgs {
    /// What is to be reached, in your words
    #[arg(value_parser = spoken)]
    pub goal: String,
    /// The folder to work in [default: the present one]
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// What must be true at the end: file:PATH, contains:PATH:TEXT, answer-contains:TEXT, min-chars:N,
    /// regex:PATTERN, json-schema:FILE, cmd:COMMAND or human; repeatable
    #[arg(long = "check", value_name = "C")]
    pub checks: Vec<Check>,
    /// What must hold on the way; repeatable
    #[arg(long = "constraint", value_name = "TEXT", value_parser = spoken)]
    pub constraints: Vec<String>,
    /// Title for lists [default: the goal's beginning]
    #[arg(long, value_name = "TEXT", value_parser = spoken)]
    pub title: Option<String>,
    /// A model profile of the config, `offline`, a model's name at the server of OPENAI_BASE_URL, or `replay:RUN`:
    /// the recorded replies of a stored run, with real tools
    #[arg(long, value_name = "PROFILE", value_parser = spoken)]
    pub model: Option<String>,
    /// The model's context window, tokens, instead of what the profile or the server says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(512..))]
    pub window: Option<u32>,
    /// What may run without asking [default: ask]
    #[arg(long, value_name = "MODE")]
    pub approve: Option<ModeArg>,
    /// Limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// How it is watched.
    #[command(flatten)]
    pub watch: WatchArgs,
}

impl RunArgs {
    /// What these options say over the configuration.
    pub fn overrides(&self) -> Overrides {
        Overrides {
            mode: self.approve.map(Into::into),
            limits: self.limits.patch(),
            model: self.model.clone(),
            window: self.window,
        }
    }
}

/// `resume`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct ResumeArgs {
    /// The run
    pub run: RunArg,
    /// End the worker that has the run, and take it: for one that sleeps (ctrl-z, a frozen terminal) and does not
    /// come back. A running command goes on under its supervisor
    #[arg(long)]
    pub take_over: bool,
    /// Go on with another model, or with the same one where it is now: a profile of the config, `offline`, or a model's
    /// name at the server of OPENAI_BASE_URL
    #[arg(long, value_name = "PROFILE", value_parser = spoken)]
    pub model: Option<String>,
    /// Limits.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// How it is watched.
    #[command(flatten)]
    pub watch: WatchArgs,
}

/// `--json` alone.
#[derive(Clone, Copy, Debug, PartialEq, Args)]
pub struct JsonArgs {
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// A run and `--json`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct RunJson {
    /// The run
    pub run: RunArg,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `rollback`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct RollbackArgs {
    /// The run
    pub run: RunArg,
    /// The checkpoint to return to
    #[arg(long, value_name = "STEP")]
    pub to: StepArg,
    /// Restore the files this run changed, or the conversation alone
    #[arg(long, value_name = "yes|no", default_value = "yes")]
    pub files: YesNo,
    /// Leave this file as it is, though it would be restored (more than once for several)
    #[arg(long, value_name = "PATH")]
    pub keep: Vec<String>,
    /// Restore this file, though somebody else changed it since; what they made of it is stored, and redo brings it back
    #[arg(long, value_name = "PATH")]
    pub take: Vec<String>,
    /// The goal of then too, as a new version; without it the goal stays as it is
    #[arg(long)]
    pub goal: bool,
    /// Say what would happen, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `redo`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct RedoArgs {
    /// The run
    pub run: RunArg,
    /// Say what would happen, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `intents`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct IntentsArgs {
    /// Only this run
    pub run: Option<RunArg>,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `approve`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct ApproveArgs {
    /// The call
    pub call: CallArg,
    /// Run it with these arguments instead: a JSON object, valid under the tool's schema
    #[arg(long, value_name = "JSON", value_parser = json_object)]
    pub args: Option<serde_json::Value>,
    /// Do not run it: take the result that the same call had before a rollback, where what it did still stands
    #[arg(long, conflicts_with = "args")]
    pub reuse: bool,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `deny`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct DenyArgs {
    /// The call
    pub call: CallArg,
    /// Why; the model is told
    #[arg(long, value_name = "TEXT", value_parser = spoken)]
    pub reason: Option<String>,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `answer`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct AnswerArgs {
    /// The call that asks
    pub call: CallArg,
    /// Your answer
    #[arg(value_parser = spoken)]
    pub text: String,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `resolve`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct ResolveArgs {
    /// The call
    pub call: CallArg,
    /// What became of it
    pub resolution: ResolutionArg,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `pause`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct PauseArgs {
    /// The run
    pub run: RunArg,
    /// At once: the model's reply is cut, and a running command goes on by itself until the run goes on
    #[arg(long)]
    pub now: bool,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `mode`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct ModeArgs {
    /// The run
    pub run: RunArg,
    /// What may run without asking from now on
    pub mode: ModeArg,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `stop`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct CallOnly {
    /// The running call
    pub call: CallArg,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `extend`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct ExtendArgs {
    /// The running call
    pub call: CallArg,
    /// Time to add to its time-out, such as 90s or 10m
    #[arg(value_parser = time)]
    pub time: u64,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `goal`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct GoalArgs {
    /// The run
    pub run: RunArg,
    /// The new text
    #[arg(long, value_name = "TEXT", value_parser = spoken, conflicts_with = "edit")]
    pub set: Option<String>,
    /// Edit text, constraints and checks in VISUAL or EDITOR
    #[arg(long)]
    pub edit: bool,
    /// The version you saw; the change is refused if there is a newer one [default: the present one]
    #[arg(long, value_name = "N", requires = "set")]
    pub based_on: Option<u32>,
    /// List all versions on the present timeline: who wrote each, when, and from which step on it held
    #[arg(long, conflicts_with_all = ["set", "edit"])]
    pub versions: bool,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `message`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct MessageArgs {
    /// The run
    pub run: RunArg,
    /// What you say
    #[arg(value_parser = spoken, required_unless_present_any = ["queued", "take_back"])]
    pub text: Option<String>,
    /// Deliver it at once: a request to the model that is out is given up for it
    #[arg(long, requires = "text")]
    pub now: bool,
    /// List the messages that wait to be delivered
    #[arg(long, conflicts_with_all = ["text", "take_back"])]
    pub queued: bool,
    /// Take the message of this number back that waits to be delivered; its text goes to stdout
    #[arg(long, value_name = "NUMBER", conflicts_with = "text")]
    pub take_back: Option<i64>,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `context`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct ContextArgs {
    /// The run
    pub run: RunArg,
    /// The step [default: the newest]
    #[arg(long, value_name = "STEP")]
    pub step: Option<StepArg>,
    /// Show the exact request instead of the table
    #[arg(long)]
    pub request: bool,
    /// Show what one slot holds, item by item, instead of the table
    #[arg(long, value_name = "SLOT", value_parser = super::slot::named, conflicts_with_all = ["request", "summary", "core"])]
    pub slot: Option<Slot>,
    /// Show the exact request for a summary of older rounds that was made in the step, instead of its turn
    #[arg(long, conflicts_with_all = ["request", "core"])]
    pub summary: bool,
    /// Show the exact request for the core of the task that was made in the step, instead of its turn
    #[arg(long, conflicts_with = "request")]
    pub core: bool,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `doctor`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct DoctorArgs {
    /// Make everything anew that is derived from the events, then check again
    #[arg(long)]
    pub repair: bool,
    /// Set aside the damaged part of this run's journal, so that it goes on from its last good checkpoint
    #[arg(long, value_name = "RUN")]
    pub accept_damage: Option<RunArg>,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `backup`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct BackupArgs {
    /// The file to write; it must not exist
    pub file: PathBuf,
}

/// `config`.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub enum ConfigCommand {
    /// Say what is wrong in your file and in the workspace's
    Check(ConfigArgs),
    /// Show every value in force and where it comes from
    Show(ConfigShowArgs),
    /// Print a config file with every key, its meaning and its default
    #[command(after_help = "Example:\n  wakeful config schema > ~/.config/wakeful/config.toml")]
    Schema,
}

/// `config check`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct ConfigArgs {
    /// The workspace whose file is read too [default: the present folder]
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
}

/// `config show`.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct ConfigShowArgs {
    /// The workspace whose file is read too [default: the present folder]
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}
