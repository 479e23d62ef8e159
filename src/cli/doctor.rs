//! `doctor`: is everything in order that a run depends on? The checks themselves are in [`super::doctor_checks`].
//!
//! JSON: `healthy` (the database and the config), `checks`: an array of `check`, `state` (`ok`, `note`, `bad`, or
//! `accepted`: damage that a person accepted, told for ever and no reason to worry again), `words`,
//! `run` and `seq` (of a finding in the journal, or null), `next` (what to do, or null). Exit codes: 0 healthy, 2 the
//! config is wrong, 6 the database is not healthy. What is merely missing (a model's server, a terminal) is a note.

use super::app::{App, Failure};
use super::args::DoctorArgs;
use super::doctor_checks as checks;
use super::exit::Exit;
use super::layout;
use super::print::talk;
use crate::run::{RunId, Seq};
use crate::store::{Finding, Store};
use serde_json::json;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// In order.
    Ok,
    /// Worth knowing, nothing wrong.
    Note,
    /// Was wrong, and a person decided what becomes of it.
    Accepted,
    /// Wrong.
    Bad,
}

impl Health {
    fn word(self) -> &'static str {
        match self {
            Health::Ok => "ok",
            Health::Note => "note",
            Health::Accepted => "accepted",
            Health::Bad => "bad",
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Health::Ok => "✓",
            Health::Note | Health::Accepted => "·",
            Health::Bad => "✗",
        }
    }
}

/// One line of the doctor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What was looked at, one word.
    pub check: &'static str,
    /// How it came out.
    pub health: Health,
    /// What was found.
    pub words: String,
    /// The run it is about.
    pub run: Option<RunId>,
    /// The event it is about.
    pub seq: Option<Seq>,
    /// What to do.
    pub next: Option<String>,
}

impl Line {
    /// A line without a run.
    pub fn new(check: &'static str, health: Health, words: impl Into<String>) -> Self {
        Self { check, health, words: words.into(), run: None, seq: None, next: None }
    }

    /// With what to do.
    pub fn then(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }
}

/// `wakeful doctor`.
///
/// # Errors
/// See [`Failure`]. What is wrong is no error of the doctor: it is printed, and the exit code says so.
pub async fn doctor(app: &App, args: DoctorArgs) -> Result<Exit, Failure> {
    let mut lines = Vec::new();
    let opened = app.open();
    match &opened {
        Ok(store) => {
            if let Some(run) = &args.accept_damage {
                let run = super::run::find(store, run).await?;
                accept(app, store, &run).await?;
            }
            lines.extend(database(app, store, args.repair).await?);
            lines.extend(checks::spools(store).await);
            lines.push(checks::clock(app, store).await);
        }
        Err(failure) => lines.push(broken(app, &failure.message)),
    }
    let stored = lines.iter().any(|line| line.health == Health::Bad);
    let config = checks::config(app);
    let (configured, mut counted) = (config.is_ok(), true);
    match config {
        Ok((config, line)) => {
            let tokenizers = checks::tokenizers(&config);
            counted = tokenizers.is_empty();
            lines.push(if counted { line } else { checks::names_no_tokenizer(app, tokenizers.len()) });
            lines.extend(checks::secrets(app, &config));
            lines.extend(tokenizers);
            lines.extend(checks::endpoint(app, &config).await);
            lines.extend(checks::memory(app, &config, opened.as_ref().ok()).await);
        }
        Err(line) => lines.push(line),
    }
    lines.extend(checks::tools());
    lines.push(checks::terminal(app));
    let configured = configured && counted;
    print(&lines, args.json, !stored && configured)?;
    Ok(match (stored, configured) {
        (true, _) => Exit::Storage,
        (false, false) => Exit::Usage,
        (false, true) => Exit::Completed,
    })
}

/// SQLite's own check, then every run; with `repair` what is derived is made anew first.
async fn database(app: &App, store: &Store, repair: bool) -> Result<Vec<Line>, Failure> {
    let mut findings = match store.integrity_check().await {
        Ok(findings) => findings,
        Err(error) => return Ok(vec![broken(app, &error.to_string())]),
    };
    if repair && findings.is_empty() {
        // What it could not mend is found again below.
        store.rebuild_derived().await?;
        talk("what is derived was made anew from the events");
    }
    match store.verify_all().await {
        Ok(found) => findings.extend(found),
        Err(error) => return Ok(vec![broken(app, &error.to_string())]),
    }
    let mut lines: Vec<Line> = findings.into_iter().map(line).collect();
    if !lines.iter().any(|line| line.health == Health::Bad) {
        let journal = if store.is_wal() { "WAL" } else { "rollback journal, every commit synced" };
        let words = format!(
            "{} ({journal}): {} runs, every {}event, checksum and content in order",
            store.path().display(),
            store.count_runs().await?,
            if lines.is_empty() { "" } else { "other " },
        );
        lines.insert(0, Line::new("database", Health::Ok, words));
    }
    Ok(lines)
}

/// A database that cannot be read, without the advice to ask the doctor.
fn broken(app: &App, message: &str) -> Line {
    let words = message.split(". Run `wakeful doctor`").next().unwrap_or(message);
    let line = Line::new("database", Health::Bad, words);
    if words == message {
        // The message says by itself what to do.
        return line;
    }
    let db = app.paths.db.display();
    line.then(format!(
        "put a backup in its place (`wakeful backup FILE` makes them); without one, `sqlite3 {db} .recover` gets out what \
         can still be read. Keep the damaged file"
    ))
}

fn line(finding: Finding) -> Line {
    if finding.set_aside {
        let next = finding
            .run
            .as_ref()
            .map(|run| format!("accepted; the bad rows are kept, `wakeful show {run}` tells how it stands"));
        let (run, seq) = (finding.run, finding.seq);
        return Line { check: "database", health: Health::Accepted, words: finding.what, run, seq, next };
    }
    let next = match (&finding.run, finding.rebuild_helps) {
        (_, true) => "`wakeful doctor --repair` makes it anew from the events".to_owned(),
        (Some(run), false) if finding.seq.is_some() => format!(
            "`wakeful show {run}` tells how it stands; `wakeful doctor --accept-damage {run}` sets the bad rows \
             aside and goes on from what is whole (if nothing is, it says so); or restore a backup"
        ),
        (Some(_) | None, false) => "restore a backup".to_owned(),
    };
    let (run, seq) = (finding.run, finding.seq);
    Line { check: "database", health: Health::Bad, words: finding.what, run, seq, next: Some(next) }
}

async fn accept(app: &App, store: &Store, run: &RunId) -> Result<(), Failure> {
    let accepted = store.accept_damage(run, app.now()).await?;
    let step = accepted.state.path.step;
    talk(&match accepted.rests_on {
        Some(snapshot) => format!(
            "the bad rows between events {} and {} of {run} were set aside; it stays at step {step}, since its state rests on \
             the snapshot at event {snapshot}",
            accepted.from, accepted.to
        ),
        None => format!(
            "events {} to {} of {run} were set aside; it goes on from step {step}",
            accepted.from, accepted.to
        ),
    });
    for call in accepted.doubtful {
        talk(&format!("call {call} may have been started in that part: `wakeful intents {run}` shows it"));
    }
    Ok(())
}

fn print(lines: &[Line], json: bool, healthy: bool) -> Result<(), Failure> {
    if json {
        let checks = lines.iter().map(|line| {
            json!({
                "check": line.check, "state": line.health.word(), "words": line.words, "run": line.run,
                "seq": line.seq, "next": line.next,
            })
        });
        return layout::json(&json!({ "healthy": healthy, "checks": checks.collect::<Vec<_>>() }));
    }
    let mut text = String::new();
    for line in lines {
        let place = match (&line.run, line.seq) {
            (Some(run), Some(seq)) => format!("{run} event {seq}: "),
            (Some(run), None) => format!("{run}: "),
            (None, _) => String::new(),
        };
        text.push_str(&format!("{} {:<9} {place}{}\n", line.health.sign(), line.check, line.words));
        if let Some(next) = &line.next {
            text.push_str(&format!("            {next}\n"));
        }
    }
    layout::text(&text)
}
