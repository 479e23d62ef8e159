//! What the doctor looks at beside the journal: config, the model's server, the source of vectors, tools, terminal, clock, left-over spools.
//! None of these changes anything.

use super::app::App;
use super::doctor::{Health, Line};
use super::embedding;
use super::layout;
use super::words::many;
use crate::config::{Choice, Config, Profile};
use crate::host::drive::left_overs;
use crate::host::environment::Secrets;
use crate::host::spool::{self, Spool, SpoolName};
use crate::provider::Provider;
use crate::provider::discover::{self, Search};
use crate::provider::mask::Secret;
use crate::provider::openai::{OpenAi, Options};
use crate::store::{RunFilter, Store};
use std::io::IsTerminal;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// How long a server may take to say what it has.
const LOOK: Duration = Duration::from_secs(3);
/// A newest event so far in the future means that the clock went back, milliseconds.
const AHEAD_MS: i64 = 60_000;
/// Before this (2024-01-01) no clock that is set can be, milliseconds since 1970.
const TOO_EARLY_MS: i64 = 1_704_067_200_000;

/// The config of the present folder.
pub fn config(app: &App) -> Result<(Config, Line), Line> {
    match app.config(&app.cwd) {
        Ok(config) => {
            let file = app.paths.config.display();
            let words = if app.paths.config.exists() {
                format!("{file} is in order")
            } else {
                format!("defaults ({file} is not there)")
            };
            Ok((config, Line::new("config", Health::Ok, words)))
        }
        Err(failure) => {
            let next = "correct it; `wakeful config schema` prints every key";
            Err(Line::new("config", Health::Bad, failure.message).then(next))
        }
    }
}

/// Tokenizer files of profiles that cannot count.
pub fn tokenizers(config: &Config) -> Vec<Line> {
    let faults = super::model::tokenizer_faults(config).into_iter();
    let line = |(profile, why): (String, String)| {
        Line::new("tokenizer", Health::Bad, format!("profile `{profile}`: {why}"))
            .then("until it is in order, no run begins with this profile")
    };
    faults.map(line).collect()
}

/// The line of a config that can be read and names so many tokenizers that cannot be used.
pub fn names_no_tokenizer(app: &App, faults: usize) -> Line {
    let (file, profiles) = (app.paths.config.display(), many(faults, "profile"));
    Line::new(
        "config",
        Health::Bad,
        format!("{file} can be read, but not the tokenizer of {profiles}, named below"),
    )
}

/// Secrets of the config that have no value here.
pub fn secrets(app: &App, config: &Config) -> Vec<Line> {
    let known = Secrets::named(&config.secrets, &app.env);
    let missing = config.secrets.keys().filter_map(|name| known.missing_in(&format!("${{secret:{name}}}")));
    missing
        .map(|why| Line::new("secrets", Health::Note, why).then("calls that name it are refused"))
        .collect()
}

/// The server that a new run would use, and the profiles that it could be told to use; behind them the one of the model
/// for summaries. Finding none is no error.
pub async fn endpoint(app: &App, config: &Config) -> Vec<Line> {
    let mut lines = own(app, config).await;
    let named = config.summary_model.as_ref().and_then(|name| config.profiles.get(name));
    let Some(profile) = named else { return lines };
    let name = &profile.name;
    let of = format!("`{name}`, for summaries and the core of the task (context.summary_model): ");
    match config.choose_model(&app.env) {
        // The run's own model makes them then.
        Ok(Choice::Profile(own)) if own.name == *name => {}
        Ok(Choice::Offline) => {
            let words = format!("profile {of}not asked, as runs use the offline model, which takes none");
            lines.push(Line::new("model", Health::Note, words));
        }
        Ok(Choice::Profile(_) | Choice::Find { .. }) | Err(_) => {
            let line = asked(app, profile).await;
            let found = line.words.strip_prefix(&format!("profile `{name}`: ")).unwrap_or(&line.words);
            let line = Line { words: format!("profile {of}{found}"), ..line };
            lines.push(match (line.health, &line.next) {
                (Health::Note | Health::Bad, None) => {
                    line.then("until it answers, the model of the run is asked for summaries in its place")
                }
                (Health::Ok | Health::Accepted, _) | (Health::Note | Health::Bad, Some(_)) => line,
            });
        }
    }
    lines
}

/// The server of the run's own model.
async fn own(app: &App, config: &Config) -> Vec<Line> {
    let note = |words: String| Line::new("model", Health::Note, words);
    let hint = match config.choose_model(&app.env) {
        Err(error) => {
            return vec![note(error.to_string()).then("a new run needs it in order, or `--model offline`")];
        }
        Ok(Choice::Offline) => {
            let words = "the built-in offline model: it follows rules, it is not an LLM";
            return vec![Line::new("model", Health::Ok, words)];
        }
        Ok(Choice::Profile(profile)) => return vec![asked(app, &profile).await],
        Ok(Choice::Find { note }) => note,
    };
    // Profiles that none of the defaults names: they exist, and a run uses one when it is told to.
    let mut lines = Vec::new();
    let for_summaries = config.summary_model.as_ref();
    for profile in config.profiles.values().filter(|profile| Some(&profile.name) != for_summaries) {
        let line = asked(app, profile).await;
        let name = &profile.name;
        let found = line.words.strip_prefix(&format!("profile `{name}`: ")).unwrap_or(&line.words);
        let words = format!("profile `{name}`, which no default names: {found}");
        let next = line.next.map(|next| format!("{next}; then ")).unwrap_or_default();
        let next = format!("{next}`--model {name}`, or `default_profile = \"{name}\"`, makes runs use it");
        lines.push(Line::new("model", line.health, words).then(next));
    }
    let offline = "runs without --model use the built-in offline model, which is not an LLM";
    if !config.discover {
        lines.push(note(format!("no default is configured and looking for a server is off: {offline}")));
        return lines;
    }
    let search = Search { ports: config.discover_ports.clone(), ..Search::default() };
    lines.push(match discover::local(&search, None).await.into_iter().next() {
        Some(found) => {
            let words = format!("{} at {}", found.model.unwrap_or(found.name), found.base_url);
            Line::new("model", Health::Ok, words)
        }
        None => {
            let none = note(hint.unwrap_or_else(|| {
                format!("no server answers on the usual ports of this machine: {offline}")
            }));
            match lines.is_empty() {
                true => none.then(
                    "set OPENAI_BASE_URL, or write a [profile.NAME]; `wakeful config schema` shows how",
                ),
                false => none,
            }
        }
    });
    lines
}

async fn asked(app: &App, profile: &Profile) -> Line {
    let key = profile.key_env.as_ref().and_then(|name| app.env.get(name)).filter(|k| !k.trim().is_empty());
    if let (None, Some(name)) = (key, &profile.key_env) {
        let words = format!("the profile `{}` takes its key from {name}, which is not set", profile.name);
        return Line::new("model", Health::Note, words).then(format!("set {name}"));
    }
    let options = Options::new(&profile.name, &profile.base_url, key.map(|key| Secret::new(key)));
    let server = match OpenAi::new(options) {
        Ok(server) => server,
        Err(error) => return Line::new("model", Health::Note, error.to_string()),
    };
    let place = server.describe().base_url;
    match discover::list_models(&server, LOOK).await {
        Ok(models) if profile.model.is_empty() || models.iter().any(|m| m.id == profile.model) => {
            let name = if profile.model.is_empty() { "a server" } else { profile.model.as_str() };
            Line::new("model", Health::Ok, format!("{name} at {place}"))
        }
        Ok(models) => {
            let words = format!("{place} answers and lists {} models, not {}", models.len(), profile.model);
            Line::new("model", Health::Note, words)
        }
        Err(error) => {
            // The error names the place.
            Line::new("model", Health::Note, format!("profile `{}`: {error}", profile.name))
        }
    }
}

/// The source of vectors, if one is configured: a short text is sent there.
pub async fn memory(app: &App, config: &Config, store: Option<&Store>) -> Option<Line> {
    let source = embedding::source(app, config)?;
    Some(match embedding::examined(source, store).await {
        Ok((words, 0)) => Line::new("memory", Health::Ok, words),
        Ok((words, _)) => {
            Line::new("memory", Health::Note, words).then("`wakeful memory index` makes the missing ones")
        }
        Err(why) => Line::new("memory", Health::Note, why)
            .then("until it answers, memories are found by their words alone"),
    })
}

/// What shell calls need.
pub fn tools() -> Vec<Line> {
    let runs = |path: &Path| {
        std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    let mut lines = Vec::new();
    let shell = Path::new("/bin/sh");
    lines.push(if runs(shell) {
        Line::new("tools", Health::Ok, "/bin/sh runs commands")
    } else {
        Line::new("tools", Health::Note, "/bin/sh cannot be run: `shell` calls will fail")
            .then("install a shell")
    });
    // The supervisor of commands is this program itself.
    match std::env::current_exe() {
        Ok(own) if runs(&own) => {}
        Ok(own) => lines.push(
            Line::new("tools", Health::Note, format!("{} is gone or was replaced", own.display()))
                .then("start wakeful again from its new place"),
        ),
        Err(error) => {
            lines.push(Line::new("tools", Health::Note, format!("this program cannot find itself: {error}")));
        }
    }
    if !Path::new("/proc/self/stat").exists() {
        let words = "/proc is not there: commands whose supervisor was killed cannot be found again";
        lines.push(Line::new("tools", Health::Note, words));
    }
    lines
}

/// The terminal as this process sees it.
pub fn terminal(app: &App) -> Line {
    let set = |name: &str| app.env.get(name).map(String::as_str).filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or(set("LC_CTYPE")).or(set("LANG")).unwrap_or("not set");
    let plain = locale.to_lowercase().replace('-', "");
    let size = match super::print::terminal_width() {
        Some(columns) => format!("{columns} columns"),
        None => "stdout is not a terminal".to_owned(),
    };
    let stdin = if std::io::stdin().is_terminal() { "" } else { ", stdin is not a terminal" };
    let words = format!("{size}{stdin}, TERM {}, locale {locale}", set("TERM").unwrap_or("not set"));
    if plain.contains("utf8") {
        return Line::new("terminal", Health::Ok, words);
    }
    Line::new("terminal", Health::Note, words)
        .then("signs and Chinese need a UTF-8 locale, such as LANG=C.UTF-8")
}

/// The wall clock against the journal. Order never rests on it, only what is shown.
pub async fn clock(app: &App, store: &Store) -> Line {
    let now = app.now();
    let newest = store.runs(RunFilter::default()).await.ok();
    let newest = newest.and_then(|rows| rows.into_iter().map(|row| row.updated).max());
    if now < TOO_EARLY_MS {
        return Line::new("clock", Health::Note, format!("it says {}", layout::moment(now)))
            .then("set it: times of events will be wrong");
    }
    match newest {
        Some(newest) if newest - now > AHEAD_MS => {
            let words = format!(
                "it says {}, the newest event was written at {}: it went back",
                layout::moment(now),
                layout::moment(newest)
            );
            Line::new("clock", Health::Note, words).then("order is kept all the same; ages will be wrong")
        }
        Some(_) | None => Line::new("clock", Health::Ok, layout::moment(now)),
    }
}

/// Spools that stayed behind, and commands that still run in them.
pub async fn spools(store: &Store) -> Vec<Line> {
    let root = store.dir().join("spool");
    let names = match spool::list(&root) {
        Ok(names) => names,
        Err(error) => return vec![Line::new("spools", Health::Note, error.to_string())],
    };
    let mut lines = Vec::new();
    for name in names {
        lines.extend(one_spool(store, &root, &name).await);
    }
    if lines.is_empty() {
        lines.push(Line::new("spools", Health::Ok, "no command was left behind"));
    }
    lines
}

async fn one_spool(store: &Store, root: &Path, name: &SpoolName) -> Option<Line> {
    let running = Spool::at(root, name).and_then(|spool| left_overs(&spool)).map_or(0, |found| found.len());
    let processes = match running {
        0 => "nothing of it runs".to_owned(),
        1 => "1 process of it runs".to_owned(),
        n => format!("{n} processes of it run"),
    };
    let Ok(row) = store.find_call(name.call_id()).await else {
        let words = format!("spool {name} belongs to no call that is stored; {processes}");
        return Some(Line::new("spools", Health::Note, words));
    };
    let owner = store.load(&row.run).await.ok().and_then(|loaded| loaded.state.ledger.owner.clone());
    if owner.is_some_and(|owner| store.is_alive(&owner.worker)) {
        return None;
    }
    let words = format!(
        "call {}.{} of {} ({}) left its spool; {processes}, and no worker has the run",
        row.step,
        row.position,
        row.run,
        row.status.word()
    );
    Some(Line {
        run: Some(row.run.clone()),
        ..Line::new("spools", Health::Note, words).then(format!("`wakeful resume {}` takes it up", row.run))
    })
}
