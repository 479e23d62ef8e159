//! What a person reads before they decide on a call.

use super::{Edited, diff};
use crate::run::Hash;
use crate::run::settings::Class;
use crate::store::CallRow;
use crate::tool::dangerous;
use crate::ui::app::model::{Look, Model};
use crate::ui::app::msg::FileChange;
use crate::ui::dialog::flow::Flow;
use crate::ui::dialog::parts;
use crate::ui::text::{Hidden, Line, Strength, Text, Wrap, neutral, one_line, one_line_marked};
use crate::ui::theme::Role;
use crate::ui::words::faults::fault;
use crate::ui::words::numbers::size;
use crate::ui::words::reasons::said;
use serde_json::Value;
use std::path::PathBuf;

/// Cells of the labels below the text.
const LABEL: usize = 8;

/// What kind of call it is, for what is shown of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A command.
    Shell,
    /// A file is written.
    Write,
    /// Something is sent.
    Request,
    /// Anything else.
    Other,
}

impl Kind {
    /// The kind of a tool.
    pub fn of(tool: &str) -> Self {
        match tool {
            "shell" => Kind::Shell,
            "write_file" | "edit_file" => Kind::Write,
            "http_get" => Kind::Request,
            _ => Kind::Other,
        }
    }
}

/// The text of the dialog, made once.
#[derive(Debug)]
pub struct Body {
    /// What is approved, whole.
    pub text: Flow,
    /// Set if it could not be read: there is nothing to approve.
    pub unreadable: Option<String>,
    /// Characters that can deceive.
    flagged: usize,
    /// Codes that are shown.
    codes: usize,
    /// Characters shown as codes, each once.
    hidden: Vec<Hidden>,
    /// What is dangerous about it.
    danger: Option<String>,
    /// The folder and the time-out, neutral.
    place: Option<String>,
    /// One line about a write, neutral; and what is wrong with it.
    writes: Option<(String, Option<String>)>,
    /// The hash of the arguments that the person wrote.
    edited: Option<Hash>,
}

/// How a reason begins that names a danger.
const DANGEROUS: &str = "dangerous: ";

impl Body {
    /// The text of a call with these arguments.
    pub fn of(
        model: &Model,
        call: &CallRow,
        kind: Kind,
        args: &Result<String, String>,
        change: Option<&Result<Vec<FileChange>, String>>,
        edited: Option<&Edited>,
    ) -> Self {
        let mut body = Self {
            text: Flow::default(),
            unreadable: None,
            flagged: 0,
            codes: 0,
            hidden: Vec::new(),
            danger: None,
            place: None,
            writes: None,
            edited: edited.map(|edited| sent_hash(&call.tool, &edited.args)),
        };
        let args = match args {
            Ok(args) => args,
            Err(why) => {
                body.unreadable = Some(one_line(&model.look.lang.trouble(why), Strength::Prose).shown());
                return body;
            }
        };
        let value: Option<Value> = serde_json::from_str(args).ok();
        if let Some(edited) = edited {
            body.changes(model, edited);
        }
        let why = call.why.as_deref().unwrap_or_default();
        body.danger = why.strip_prefix(DANGEROUS).map(str::to_owned);
        match (kind, &value) {
            (Kind::Shell, Some(Value::Object(map))) => body.shell(model, call, map, args),
            (Kind::Write, Some(value)) => body.write(model, value, args, change),
            (Kind::Shell | Kind::Write | Kind::Request | Kind::Other, _) => body.arguments(&pretty(args)),
        }
        body
    }

    /// Adds a text and counts what deceives in it.
    fn exact(&mut self, text: &str, role: Role) {
        let shown = neutral(text, Strength::Exact);
        self.count(&shown);
        self.text.text(&shown, role, Wrap::Cells);
    }

    fn count(&mut self, text: &Text<'_>) {
        self.flagged += text.flagged();
        text.lines.iter().for_each(|line| self.coded(line));
    }

    /// Counts and lists all that is shown as a code, whether it deceives or not: nobody can tell them apart by sight.
    fn coded(&mut self, line: &Line<'_>) {
        for hidden in line.codes() {
            self.codes += 1;
            if self.hidden.iter().all(|one| one.ch != hidden.ch) {
                self.hidden.push(hidden);
            }
        }
    }

    /// What the person changed, old against new.
    fn changes(&mut self, model: &Model, edited: &Edited) {
        let (Value::Object(new), Some(Value::Object(own))) = (&edited.args, &edited.own) else { return };
        let (words, glyphs) = (&model.words().review, model.look.glyphs);
        let text = |value: &Value| value.as_str().map_or_else(|| format!("{value:#}"), str::to_owned);
        let names: std::collections::BTreeSet<&String> = own.keys().chain(new.keys()).collect();
        for name in names.into_iter().filter(|name| own.get(*name) != new.get(*name)) {
            let shown = one_line(name, Strength::Exact).shown();
            self.text.words(&words.you_changed(&shown), Role::Tool);
            let sides = [(own.get(name), glyphs.minus, Role::Del), (new.get(name), glyphs.plus, Role::Add)];
            for (value, sign, role) in sides {
                let Some(value) = value else { continue };
                for line in neutral(&text(value), Strength::Exact).lines {
                    self.text.guttered(&format!("{sign} "), "  ", line, role, Wrap::Cells);
                }
            }
        }
        self.text.words(words.it_becomes, Role::Tool);
    }

    fn arguments(&mut self, text: &str) {
        self.exact(text, Role::Data);
    }

    fn shell(&mut self, model: &Model, call: &CallRow, map: &serde_json::Map<String, Value>, args: &str) {
        let Some(command) = map.get("command").and_then(Value::as_str) else {
            return self.arguments(&pretty(args));
        };
        // A record of an earlier version names but the first.
        self.danger = dangerous(command).or_else(|| self.danger.take());
        if command.trim().is_empty() {
            self.text.words(model.words().review.empty_command, Role::Warn);
        }
        self.exact(command, Role::Base);
        // Whatever else it is given is shown as it stands.
        let known = ["command", "timeout_s", "cwd"];
        let rest: serde_json::Map<String, Value> = map
            .iter()
            .filter(|(name, _)| !known.contains(&name.as_str()))
            .map(|(n, v)| (n.clone(), v.clone()))
            .collect();
        if !rest.is_empty() {
            self.arguments(&format!("{:#}", Value::Object(rest)));
        }
        let folder = map.get("cwd").map(|cwd| cwd.as_str().map_or_else(|| cwd.to_string(), str::to_owned));
        let path = workspace(model, call)
            .map(|path| folder.as_ref().map_or(path.clone(), |folder| path.join(folder)));
        let path = path.map(|path| path.to_string_lossy().into_owned()).or(folder);
        if let Some(folder) = map.get("cwd").and_then(Value::as_str) {
            self.count(&neutral(folder, Strength::Exact));
        }
        let time = match map.get("timeout_s") {
            Some(value) => value.as_u64(),
            None => default_time(model, call),
        };
        let time = time.map(|seconds| model.words().review.time_out(seconds));
        let path = path.map(|path| one_line(&path, Strength::Exact).shown());
        let all: Vec<String> = path.into_iter().chain(time).collect();
        self.place = (!all.is_empty()).then(|| all.join(&format!(" {} ", model.look.glyphs.dot)));
    }

    fn write(
        &mut self,
        model: &Model,
        value: &Value,
        args: &str,
        change: Option<&Result<Vec<FileChange>, String>>,
    ) {
        // What deceives is looked for in the arguments: of a difference, that is what comes.
        let mut strings = Vec::new();
        collect(value, &mut strings);
        strings.iter().for_each(|text| self.count(&neutral(text, Strength::Exact)));
        let counted = (self.flagged, self.codes, self.hidden.clone());
        let words = &model.words().review;
        let mut whole = false;
        match change {
            None => {}
            Some(Err(why)) => {
                let why = one_line(&fault(model.look.lang, why), Strength::Prose).shown();
                self.text.words(&format!("{} {why}", model.look.glyphs.failed), Role::Danger);
            }
            Some(Ok(changes)) => {
                whole = !changes.is_empty() && changes.iter().all(|one| diff::is_whole(&one.diff));
                for (nth, one) in changes.iter().enumerate() {
                    let (line, problem) = (described(model, one), one.problem.clone());
                    let problem =
                        problem.map(|why| one_line(&fault(model.look.lang, &why), Strength::Prose).shown());
                    if nth == 0 {
                        self.writes = Some((line, problem));
                    } else {
                        self.text.words(&line, Role::Tool);
                        problem.iter().for_each(|why| self.text.words(why, Role::Danger));
                    }
                    diff::add(model, &one.diff, &mut self.text);
                }
                if !whole && !changes.is_empty() {
                    self.text.words(words.whole_arguments, Role::Warn);
                }
            }
        }
        if !whole {
            self.arguments(&pretty(args));
        }
        (self.flagged, self.codes, self.hidden) = counted;
        if let (true, Some(Ok(changes))) = (whole, change) {
            self.only_shown(changes);
        }
    }

    /// Of a write of which only the differences are shown, the codes in these are counted.
    fn only_shown(&mut self, changes: &[FileChange]) {
        let of_arguments = (std::mem::take(&mut self.codes), std::mem::take(&mut self.hidden));
        for one in changes {
            self.coded(&one_line(&one.path, Strength::Exact));
            diff::drawn(&one.diff).for_each(|line| self.coded(&line));
        }
        // What deceives is named even where none of it is in what changes.
        if self.codes == 0 {
            (self.codes, self.hidden) = of_arguments;
        }
    }

    /// True if the word has to be typed.
    pub fn needs_yes(&self) -> bool {
        self.flagged > 0 || self.danger.is_some()
    }

    /// What stands above the text.
    pub fn head(&self, model: &Model, head: &mut Flow) {
        let (words, glyphs) = (&model.words().review, model.look.glyphs);
        if let Some(why) = &self.unreadable {
            head.words(&format!("{} {}", glyphs.failed, words.unreadable(why)), Role::Danger);
        }
        if self.flagged > 0 {
            let warning = words.hidden(self.codes as u64);
            head.words(&format!("{} {warning}", glyphs.needs_you), Role::Danger);
        }
        if let Some((line, problem)) = &self.writes {
            head.words(line, Role::Tool);
            if let Some(problem) = problem {
                head.words(&format!("{} {problem}", glyphs.failed), Role::Danger);
            }
        }
    }

    /// The class of the call, with what makes it one about which the person has to type the word.
    pub fn class(&self, model: &Model, call: &CallRow) -> (String, Role) {
        let (words, lang) = (&model.words().review, model.look.lang);
        let comma = lang.pick([", ", "，"]);
        let mut class = lang.class(call.class).to_owned();
        if let Some(danger) = &self.danger {
            class = format!("{class}{comma}{}", lang.label(words.dangerous, &said(lang, danger)));
        } else if self.flagged > 0 {
            class = format!("{class}{comma}{}", words.flagged_asks);
        }
        (class, if self.needs_yes() { Role::Danger } else { Role::Base })
    }

    /// What stands below the text; `ended` says that its end was on the screen, and how much.
    pub fn foot(&self, model: &Model, call: &CallRow, ended: Option<String>, foot: &mut Flow) {
        self.told(model, call, (false, ended), foot);
    }

    /// The same where its class, with what is dangerous about it, may stand above already: then it is not said again.
    pub fn told(
        &self,
        model: &Model,
        call: &CallRow,
        (above, ended): (bool, Option<String>),
        foot: &mut Flow,
    ) {
        let (words, lang) = (&model.words().review, model.look.lang);
        let dot = format!(" {} ", model.look.glyphs.dot);
        if !self.hidden.is_empty() {
            let all: Vec<String> = self.hidden.iter().map(|hidden| lang.hidden(*hidden)).collect();
            foot.guttered("  ", "  ", Line::plain(all.join(&dot)), Role::Warn, Wrap::Words);
        }
        if let Some(place) = &self.place {
            foot.labelled(words.inside, LABEL, Line::plain(place.as_str()), Role::Base);
        }
        if !above {
            let (class, role) = self.class(model, call);
            foot.labelled(words.class, LABEL, Line::plain(class), role);
        }
        let mut asked = Vec::new();
        let danger = self.danger.as_deref().filter(|_| above);
        let known = |why: &&String| danger.is_some() && why.strip_prefix(DANGEROUS) == danger;
        if let Some(why) = call.why.as_ref().filter(|why| !known(why)) {
            asked.push(one_line(&said(lang, why), Strength::Prose).shown());
        }
        let hash = self.edited.as_ref().unwrap_or(&call.args_hash);
        if self.edited.is_some() {
            asked.push(words.your_arguments.to_owned());
        }
        asked.push(format!("{} {}", words.hash, short_hash(hash)));
        asked.extend(ended);
        foot.labelled(words.asked, LABEL, Line::plain(asked.join(&dot)), Role::Base);
    }
}

/// `edit_file  src/x.rs   +18 −7   was 212 lines, 7.1 KiB`, neutral.
fn described(model: &Model, change: &FileChange) -> String {
    let (words, glyphs) = (&model.words().review, model.look.glyphs);
    let path = one_line(&change.path, Strength::Exact).shown();
    let was = match change.before {
        Some(bytes) => words.was(change.lines as u64, &size(bytes)),
        None => words.new_file.to_owned(),
    };
    format!("{path}   {}{} {}{}   {was}", glyphs.plus, change.added, glyphs.minus, change.removed)
}

/// All texts in a value.
fn collect(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|one| collect(one, out)),
        Value::Object(map) => {
            for (name, one) in map {
                // What goes is in the file already; only what comes is judged.
                if name != "old_string" {
                    collect(one, out);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Arguments over several lines; what is not JSON stays as it is.
pub fn pretty(args: &str) -> String {
    serde_json::from_str::<Value>(args).map_or_else(|_| args.to_owned(), |value| format!("{value:#}"))
}

/// The hash that the call has once it is approved with these arguments: over the tool and their canonical form.
fn sent_hash(tool: &str, args: &Value) -> Hash {
    crate::worker::effect_key(tool, &crate::tool::canonical(args))
}

/// The first eight digits of a hash, in two groups.
fn short_hash(hash: &Hash) -> String {
    let digits: Vec<char> = hash.to_string().chars().take(8).collect();
    digits.chunks(4).map(|four| four.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
}

fn workspace(model: &Model, call: &CallRow) -> Option<PathBuf> {
    let shot = model.shot.as_ref()?;
    let row = shot.runs.iter().find(|row| row.id == call.run).map(|row| row.workspace.clone());
    row.or_else(|| {
        let view = shot.run.as_ref().filter(|view| view.state.run == call.run)?;
        Some(view.state.ledger.workspace.clone())
    })
}

/// Seconds that a command gets if nothing is said, where the run is known.
fn default_time(model: &Model, call: &CallRow) -> Option<u64> {
    let view = model.shot.as_ref()?.run.as_ref().filter(|view| view.state.run == call.run)?;
    let spec = view.state.settings()?.tool(&call.tool)?;
    spec.timeout_ms.map(|ms| ms / 1_000)
}

/// A call's words in one line, neutral: the command, the file, or the arguments.
pub fn brief(look: &Look, call: &CallRow, args: &str) -> String {
    let value: Option<Value> = serde_json::from_str(args).ok();
    let of = |name: &str| value.as_ref().and_then(|value| value.get(name)).and_then(Value::as_str);
    let text = of("command").or_else(|| of("path")).or_else(|| of("url")).or_else(|| of("question"));
    // A decision that is put before the person is known by its reason.
    let text = text.or_else(|| of("why").filter(|_| call.class == Class::Person));
    let what = one_line_marked(text.unwrap_or(args).trim_end(), look.glyphs.line_end).shown();
    match call.class {
        Class::Person => what,
        Class::Read | Class::Keyed | Class::Effect | Class::Inner => format!("{} {what}", parts::tool(call)),
    }
}
