//! The keys outside `[limits]` and the profiles, and those of `[tools.NAME]`.

use super::document::{Node, Value};
use super::key::{
    Guard, Key, choice, duration, not_more, quoted, quoted_list, small, text, texts, whole, word_of, yes_no,
};
use super::settings::{Config, OnHangup, ToolConfig};
use super::units::format_duration;
use crate::run::Mode;
use crate::run::settings::{Strategy, SummaryBy};
use std::path::PathBuf;

/// Words of the approval modes.
pub const MODES: &[(&str, Mode)] = &[("ask", Mode::Ask), ("safe", Mode::Safe), ("auto", Mode::Auto)];
const STRATEGIES: &[(&str, Strategy)] = &[
    ("combined", Strategy::Combined),
    ("summary", Strategy::Summary),
    ("extract", Strategy::Extract),
    ("rounds", Strategy::Rounds),
];
const WRITERS: &[(&str, SummaryBy)] = &[("model", SummaryBy::Model), ("rules", SummaryBy::Rules)];
const HANGUPS: &[(&str, OnHangup)] = &[("save", OnHangup::Save), ("continue", OnHangup::Continue)];
const LANGS: &[(&str, &str)] = &[("en", "en"), ("zh", "zh")];
const GLYPHS: &[(&str, bool)] = &[("unicode", false), ("ascii", true)];

/// How much a mode lets through; less is stricter.
fn freedom(mode: Mode) -> u8 {
    match mode {
        Mode::Ask => 0,
        Mode::Safe => 1,
        Mode::Auto => 2,
    }
}

fn ports(value: &Value) -> Result<Vec<u16>, String> {
    let Value::List(items) = value else {
        return Err(format!("takes a list of ports, such as [8080], not {}", value.described()));
    };
    let port = |Node { value, .. }: &Node| {
        let n = whole(value, 1, u64::from(u16::MAX))?;
        u16::try_from(n).map_err(|e| e.to_string())
    };
    items.iter().map(port).collect()
}

fn folders(value: &Value) -> Result<Vec<PathBuf>, String> {
    let folders: Vec<PathBuf> = texts(value)?.into_iter().map(PathBuf::from).collect();
    match folders.iter().find(|folder| !folder.is_absolute()) {
        Some(folder) => Err(format!("takes absolute paths, and \"{}\" is not one", folder.display())),
        None => Ok(folders),
    }
}

fn hosts(value: &Value) -> Result<Vec<String>, String> {
    let hosts = texts(value)?;
    let odd = |host: &&String| host.contains(['/', '@', '*', ':', ' ']);
    match hosts.iter().find(odd) {
        Some(host) => Err(format!(
            "takes names of hosts without scheme, port or `*`, such as \"docs.rs\", not \"{host}\""
        )),
        None => Ok(hosts.into_iter().map(|host| host.to_lowercase()).collect()),
    }
}

/// Top-level keys; they have to stand before the first section in a TOML file.
pub static TOP: &[Key<Config>] = &[
    Key {
        name: "default_profile",
        doc: "The model profile of new runs when none is named; \"offline\" is the built-in model, not an LLM.",
        example: "\"home\"",
        set: |c, v| text(v).map(|name| c.default_profile = Some(name)),
        show: |c| c.default_profile.as_deref().map(quoted),
        guard: Guard::User,
    },
    Key {
        name: "resume_on_start",
        doc: "True: interrupted runs of the present folder go on when the workstation opens.",
        example: "",
        set: |c, v| yes_no(v).map(|yes| c.resume_on_start = yes),
        show: |c| Some(c.resume_on_start.to_string()),
        guard: Guard::Stricter("only turn it off", |a, b| a.resume_on_start || !b.resume_on_start),
    },
    Key {
        name: "on_hangup",
        doc: "When the terminal goes away: \"save\" stops the runs at once, \"continue\" hands them to a worker.",
        example: "",
        set: |c, v| choice(v, HANGUPS).map(|what| c.on_hangup = what),
        show: |c| word_of(c.on_hangup, HANGUPS),
        guard: Guard::Stricter("only set \"save\"", |a, b| {
            a.on_hangup == b.on_hangup || b.on_hangup == OnHangup::Save
        }),
    },
    Key {
        name: "trust",
        doc: "Workspaces (absolute paths) whose .wakeful/config.toml may loosen safety. Only your own file can say so.",
        example: "",
        set: |c, v| folders(v).map(|list| c.trust = list),
        show: |c| Some(quoted_list(&c.trust.iter().map(|p| p.to_string_lossy()).collect::<Vec<_>>())),
        guard: Guard::User,
    },
];

/// `[approval]`, `[context]`, `[decide]`, `[shell]`, `[network]` and `[discover]`.
pub static SECTIONS: &[Key<Config>] = &[
    Key {
        name: "approval.mode",
        doc: "\"ask\": every effect and every write waits for you. \"safe\": reads, and file writes inside the \
              workspace, go. \"auto\": all but denied and dangerous calls go.",
        example: "",
        set: |c, v| choice(v, MODES).map(|mode| c.mode = mode),
        show: |c| word_of(c.mode, MODES),
        guard: Guard::Stricter("only make it stricter", |a, b| freedom(b.mode) <= freedom(a.mode)),
    },
    Key {
        name: "context.strategy",
        doc: "\"combined\": older rounds become a summary, beside the structured state (plan, facts, questions). \
              \"summary\": the summary alone. \"extract\": the structured state alone. \"rounds\": only the last rounds.",
        example: "",
        set: |c, v| choice(v, STRATEGIES).map(|s| c.context.strategy = s),
        show: |c| word_of(c.context.strategy, STRATEGIES),
        guard: Guard::Free,
    },
    Key {
        name: "context.summary_by",
        doc: "Who writes the summary of older rounds. \"model\": the run's model, which costs a request each time; where \
              it writes none that can be used, the rules do. \"rules\": one line a round, for no tokens.",
        example: "",
        set: |c, v| choice(v, WRITERS).map(|by| c.context.summary_by = by),
        show: |c| word_of(c.context.summary_by, WRITERS),
        guard: Guard::Free,
    },
    Key {
        name: "context.summary_model",
        doc: "A cheaper model profile that is asked first for summaries and the core of the task; then the run's own is. \
              What leaves the window is sent there. Not set: the run's own model.",
        example: "\"NAME\"",
        set: |c, v| text(v).map(|name| c.summary_model = Some(name)),
        show: |c| c.summary_model.as_deref().map(quoted),
        guard: Guard::User,
    },
    Key {
        name: "context.fold_over",
        doc: "Rounds in the window over which the oldest are folded.",
        example: "",
        set: |c, v| small(v, 2, 1_000).map(|n| c.context.fold_over = n),
        show: |c| Some(c.context.fold_over.to_string()),
        guard: Guard::Free,
    },
    Key {
        name: "context.fold_keep",
        doc: "Rounds that remain after folding; fewer than fold_over.",
        example: "",
        set: |c, v| small(v, 1, 1_000).map(|n| c.context.fold_keep = n),
        show: |c| Some(c.context.fold_keep.to_string()),
        guard: Guard::Free,
    },
    Key {
        name: "context.summary_percent",
        doc: "Budget of the summary, percent of the window (1 to 50).",
        example: "",
        set: |c, v| small(v, 1, 50).map(|n| c.context.summary_percent = n),
        show: |c| Some(c.context.summary_percent.to_string()),
        guard: Guard::Free,
    },
    Key {
        name: "context.state_percent",
        doc: "Budget of facts, questions and plan, percent of the window (1 to 50).",
        example: "",
        set: |c, v| small(v, 1, 50).map(|n| c.context.state_percent = n),
        show: |c| Some(c.context.state_percent.to_string()),
        guard: Guard::Free,
    },
    Key {
        name: "context.memory_percent",
        doc: "Budget of memories that fit the step, percent of the window (0 to 50); 0 offers none.",
        example: "",
        set: |c, v| small(v, 0, 50).map(|n| c.context.memory_percent = n),
        show: |c| Some(c.context.memory_percent.to_string()),
        guard: Guard::Free,
    },
    Key {
        name: "decide.default_after",
        doc: "How long a decision that the agent puts before you waits until its own recommendation is taken, such as \
              \"30m\", or \"off\": it waits for you. Your answer counts as long as it comes first. Runs keep what was \
              set when they began.",
        example: "",
        set: |c, v| {
            c.decide_after_ms = match v {
                Value::Text(text) if text == "off" => None,
                _ => Some(duration(v)?),
            };
            Ok(())
        },
        show: |c| Some(quoted(&c.decide_after_ms.map_or("off".to_owned(), format_duration))),
        guard: Guard::User,
    },
    Key {
        name: "shell.env_allow",
        doc: "Environment variables that commands may see although their names or values look like secrets.",
        example: "",
        set: |c, v| texts(v).map(|names| c.env_allow = names),
        show: |c| Some(quoted_list(&c.env_allow)),
        guard: Guard::User,
    },
    Key {
        name: "network.allow_hosts",
        doc: "Hosts that http_get may reach without asking; a URL can carry data out.",
        example: "",
        set: |c, v| hosts(v).map(|names| c.allow_hosts = names),
        show: |c| Some(quoted_list(&c.allow_hosts)),
        guard: Guard::User,
    },
    Key {
        name: "discover.enabled",
        doc: "True: when no model is configured, servers on this machine are looked for.",
        example: "",
        set: |c, v| yes_no(v).map(|yes| c.discover = yes),
        show: |c| Some(c.discover.to_string()),
        guard: Guard::Stricter("only turn it off", |a, b| a.discover || !b.discover),
    },
    Key {
        name: "discover.ports",
        doc: "Ports on 127.0.0.1 where they are looked for, in this order.",
        example: "",
        set: |c, v| ports(v).map(|list| c.discover_ports = list),
        show: |c| Some(format!("{:?}", c.discover_ports)),
        guard: Guard::User,
    },
];

/// `[screen]`.
pub static SCREEN: &[Key<Config>] = &[
    Key {
        name: "screen.lang",
        doc: "Language of the workstation: \"en\" or \"zh\"; not set: that of the locale.",
        example: "\"en\"",
        set: |c, v| choice(v, LANGS).map(|lang: &str| c.screen.lang = Some(lang.to_owned())),
        show: |c| c.screen.lang.as_deref().map(quoted),
        guard: Guard::User,
    },
    Key {
        name: "screen.theme",
        doc: "Theme: \"dark\", \"light\", \"high-contrast\", \"mono\", or one of your own in themes/ beside this file.",
        example: "\"dark\"",
        set: |c, v| text(v).map(|name| c.screen.theme = Some(name)),
        show: |c| c.screen.theme.as_deref().map(quoted),
        guard: Guard::User,
    },
    Key {
        name: "screen.glyphs",
        doc: "\"unicode\", or \"ascii\" for terminals that lack the signs and lines.",
        example: "",
        set: |c, v| choice(v, GLYPHS).map(|ascii| c.screen.ascii = ascii),
        show: |c| word_of(c.screen.ascii, GLYPHS),
        guard: Guard::User,
    },
];

/// `[notify]`.
pub static NOTIFY: &[Key<Config>] = &[Key {
    name: "notify.command",
    doc: "A program with its arguments that calls for your attention, such as [\"notify-send\"]; not set: none. It is \
          started without a shell, with two more arguments: \"wakeful\" and what happened; WAKEFUL_EVENT says \
          needs_you, done, failed or limit. After 10 s it is ended.",
    example: "[\"notify-send\"]",
    set: |c, v| {
        let command = texts(v)?;
        if command.first().is_some_and(|program| program.trim().is_empty()) {
            return Err("begins with the name of a program".to_owned());
        }
        c.notify = command;
        Ok(())
    },
    show: |c| (!c.notify.is_empty()).then(|| quoted_list(&c.notify)),
    guard: Guard::User,
}];

/// Keys of `[tools.NAME]`.
pub static TOOL: &[Key<ToolConfig>] = &[
    Key {
        name: "enabled",
        doc: "False: the model is not offered the tool.",
        example: "",
        set: |t, v| yes_no(v).map(|yes| t.enabled = yes),
        show: |t| Some(t.enabled.to_string()),
        guard: Guard::Stricter("only turn it off", |a, b| a.enabled || !b.enabled),
    },
    Key {
        name: "timeout",
        doc: "Time-out of a call; not set: the tool's own.",
        example: "\"60s\"",
        set: |t, v| duration(v).map(|ms| t.timeout_ms = Some(ms)),
        show: |t| t.timeout_ms.map(|ms| quoted(&format_duration(ms))),
        guard: Guard::User,
    },
    Key {
        name: "max_calls",
        doc: "Most calls of this tool in a run; not set: no own limit.",
        example: "20",
        set: |t, v| small(v, 0, u32::MAX).map(|n| t.max_calls = Some(n)),
        show: |t| t.max_calls.map(|n| n.to_string()),
        guard: Guard::Stricter("only lower it", |a, b| not_more(a.max_calls, b.max_calls)),
    },
];
