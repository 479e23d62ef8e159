//! The command line: arguments, one file a subcommand, printing.
//!
//! Data goes to stdout, talk to stderr. A subcommand returns its exit code, or a [`app::Failure`] whose words are
//! printed here and nowhere else.

pub mod app;
pub mod args;
mod arguments;
mod asked;
mod backup;
mod checkpoints;
mod config;
pub mod contact;
mod context;
mod control;
mod decide;
mod doctor;
mod doctor_checks;
pub mod duration;
mod elsewhere;
mod embedding;
mod examples;
pub mod exit;
mod goal;
mod hints;
mod hook;
mod intents;
mod keys;
mod layout;
mod line;
mod memory;
mod message;
pub mod model;
mod observe;
mod plan;
pub mod print;
mod prompt;
mod question;
mod report;
mod rollback;
mod run;
mod runs;
mod screen;
mod show;
mod signals;
mod slot;
pub mod table;
pub mod values;
pub mod words;
mod worker;

use app::{App, Failure};
use args::{Cli, Command};
use clap::Parser;
use exit::Exit;
use std::io::IsTerminal;
use std::process::ExitCode;

/// What is said where a person sits at a terminal that cannot show the workstation.
const DUMB: &str = "this terminal says that it cannot move its cursor (TERM is \"dumb\"), so the workstation cannot be shown \
     and nothing was started. In lines: `wakeful run \"what is to be done\"`, then `wakeful runs` and `wakeful resume last`. \
     If the terminal can do more, say so: `TERM=xterm-256color wakeful`";

/// Reads the arguments, does what they say, and gives the exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misread(&error),
    };
    if let Some(Command::Supervise { spool }) = &cli.command {
        return ExitCode::from(u8::try_from(crate::host::supervise::main(spool)).unwrap_or(1));
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            print::talk(&format!("wakeful cannot start its threads: {error}"));
            return Exit::Internal.into();
        }
    };
    let exit = match runtime.block_on(dispatch(cli)) {
        Ok(exit) => exit,
        Err(failure) => {
            print::talk(&format!("wakeful: {}", failure.message));
            failure.exit
        }
    };
    // A read of a terminal that nobody answers must not keep the process.
    runtime.shutdown_background();
    exit.into()
}

/// Says what is wrong with the line, or prints the help that was asked for.
fn misread(error: &clap::Error) -> ExitCode {
    let line: Vec<String> = std::env::args_os().skip(1).map(|w| w.to_string_lossy().into_owned()).collect();
    if error.use_stderr()
        && let Some(hint) = hints::hint(&line)
    {
        print::talk(&format!("wakeful: {hint}"));
        return Exit::Usage.into();
    }
    // Nobody may be there to read it; that changes nothing.
    let _ = error.print();
    if error.use_stderr() { Exit::Usage.into() } else { Exit::Completed.into() }
}

async fn dispatch(cli: Cli) -> Result<Exit, Failure> {
    let app = App::new(&cli.global)?;
    if app.env.contains_key(crate::host::environment::MARK) && cli.command.as_ref().is_none_or(Command::acts)
    {
        return Err(Failure::usage(
            "this is a command of an agent's call, and only people decide about runs. Use a terminal of your own",
        ));
    }
    let wanted = screen::Wanted { lang: cli.global.lang.clone(), theme: cli.global.theme.clone() };
    let Some(command) = cli.command else {
        // Without a screen to draw on it works in lines.
        if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
            wanted.check(&app)?;
            return run::default_job(&app).await;
        }
        // A person is there, who asked for a screen and for no job.
        if app.env.get("TERM").is_some_and(|term| term == "dumb") {
            return Err(Failure::usage(DUMB));
        }
        return screen::workstation(&app, &wanted).await;
    };
    match command {
        Command::Run(args) => {
            let json = args.watch.json;
            report::ended_in_json(json, run::run(&app, args).await)
        }
        Command::Resume(args) => {
            let json = args.watch.json;
            report::ended_in_json(json, run::resume(&app, args).await)
        }
        Command::Runs(args) => runs::runs(&app, args).await,
        Command::Show(args) => show::show(&app, args).await,
        Command::Checkpoints(args) => checkpoints::checkpoints(&app, args).await,
        Command::Intents(args) => intents::intents(&app, args).await,
        Command::Context(args) => context::context(&app, args).await,
        Command::Doctor(args) => doctor::doctor(&app, args).await,
        Command::Backup(args) => backup::backup(&app, args).await,
        Command::Config(command) => config::config(&app, command),
        Command::Rollback(args) => rollback::rollback(&app, args).await,
        Command::Redo(args) => rollback::redo(&app, args).await,
        Command::Approve(args) => decide::approve(&app, args).await,
        Command::Deny(args) => decide::deny(&app, args).await,
        Command::Answer(args) => decide::answer(&app, args).await,
        Command::Resolve(args) => decide::resolve(&app, args).await,
        Command::Stop(args) => decide::stop(&app, args).await,
        Command::Extend(args) => decide::extend(&app, args).await,
        Command::Pause(args) => control::pause(&app, args).await,
        Command::Continue(args) => control::go_on(&app, args).await,
        Command::Cancel(args) => control::cancel(&app, args).await,
        Command::Mode(args) => control::mode(&app, args).await,
        Command::Message(args) => message::message(&app, args).await,
        Command::Goal(args) => goal::goal(&app, args).await,
        Command::Plan(args) => plan::plan(&app, args).await,
        Command::Memory(command) => memory::memory(&app, command).await,
        Command::Worker => worker::worker(&app).await,
        // Handled before anything else is started.
        Command::Supervise { .. } => Err(Failure::internal("a supervisor takes one folder and nothing else")),
    }
}
