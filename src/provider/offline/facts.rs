//! Values that the survey works out from tool results: what is in the folder, what to read, the report.
//!
//! Derived from the texts of `list_files` (`path  size`, `folder/`, `link -> target`, a note in brackets), `read_file`
//! and `search` (`path:line:text`). What is no longer shown (folded away) is said to be so, with what the note of it
//! still tells.
//!
//! Placeholders: `files`, `folders`, `kinds`, `readme_path`, `manifest_path`, `todos`, `overview`, `report`; and, in the
//! goal's language, the questions after a write that a person denied and what can be answered: `ask_denied`,
//! `ask_check`, `ask_write`, `ask_other`, `ask_stop`, `ask_goal`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::history::History;

/// The report's file.
pub const REPORT: &str = "wakeful-report.md";
/// Begins the note that outlives the results.
const NOTE: &str = "Survey:";
const NOTE_ZH: &str = "概览：";

/// What the results tell.
pub struct Facts<'a> {
    history: &'a History,
    listing: Option<Listing>,
    todos: Option<Todos>,
}

#[derive(Default)]
struct Listing {
    files: Vec<String>,
    folders: usize,
    cut: bool,
}

#[derive(Default)]
struct Todos {
    lines: Vec<String>,
    cut: bool,
}

impl<'a> Facts<'a> {
    /// Works them out.
    #[must_use]
    pub fn read(history: &'a History) -> Self {
        Self {
            history,
            listing: history.result("list_files", None).map(Listing::read),
            todos: history.result("search", None).map(Todos::read),
        }
    }

    /// The value of a placeholder; `None` for a name that is none.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<String> {
        let listing = self.listing.as_ref();
        Some(match name {
            "files" => listing.map(|l| self.many(l.files.len(), "file", "个文件")).unwrap_or_default(),
            "folders" => listing.map(|l| self.many(l.folders, "folder", "个文件夹")).unwrap_or_default(),
            "kinds" => listing.map(|l| l.kinds(self.history.chinese, 6)).unwrap_or_default(),
            "readme_path" => self.pick(is_readme),
            "manifest_path" => self.pick(is_manifest),
            "todos" => self.todos.as_ref().map(Todos::count).unwrap_or_default(),
            "overview" => self.overview(),
            "report" => self.report(),
            name if name.starts_with("ask_") => self.asked(name)?.to_owned(),
            _ => return None,
        })
    }

    /// A question, or an answer to choose. The script knows an answer by the file that it names.
    fn asked(&self, name: &str) -> Option<&'static str> {
        Some(match name {
            "ask_denied" => {
                self.say("The report was not written. How am I to go on?", "报告没有写入。接下来怎么做？")
            }
            "ask_check" => self.say(
                "A check of the goal wants the report as a file, and there is none. How am I to go on?",
                "目标的一项验收要求有报告文件，而它不存在。接下来怎么做？",
            ),
            "ask_write" => self.say("Write wakeful-report.md after all", "还是写 wakeful-report.md"),
            "ask_other" => self.say("Write it as wakeful-survey.md instead", "改写成 wakeful-survey.md"),
            "ask_stop" => {
                self.say("Write nothing: the report stands in the answer", "不写文件：报告留在回答里")
            }
            "ask_goal" => self.say(
                "End without it: I have taken that check out of the goal",
                "不写它就结束：我已从目标中去掉这项验收",
            ),
            _ => return None,
        })
    }

    /// The nearest file to the top that fits.
    fn pick(&self, fits: fn(&str) -> bool) -> String {
        let files = self.listing.iter().flat_map(|l| &l.files);
        files
            .filter(|path| fits(path))
            .min_by_key(|path| path.matches('/').count())
            .cloned()
            .unwrap_or_default()
    }

    fn say<'t>(&self, en: &'t str, zh: &'t str) -> &'t str {
        if self.history.chinese { zh } else { en }
    }

    fn many(&self, count: usize, en: &str, zh: &str) -> String {
        if self.history.chinese { format!("{count} {zh}") } else { many(count, en) }
    }

    /// One line about the folder: from the results, else from the note about them.
    fn overview(&self) -> String {
        let Some(listing) = &self.listing else {
            return self.noted().unwrap_or_default();
        };
        let todos = self.todos.as_ref().map(Todos::count);
        let (files, folders) = (listing.files.len(), listing.folders);
        let cut = if listing.cut { self.say(" (the listing was cut)", "（列表不完整）") } else { "" };
        let kinds = listing.kinds(self.history.chinese, 6);
        let todos = todos.unwrap_or_else(|| self.say("not searched", "未搜索").to_owned());
        if self.history.chinese {
            format!("{NOTE_ZH}{files} 个文件，{folders} 个文件夹{cut}；{kinds}；TODO/FIXME：{todos}。")
        } else {
            let (files, folders) = (many(files, "file"), many(folders, "folder"));
            format!("{NOTE} {files} in {folders}{cut}; {kinds}; TODO/FIXME: {todos}.")
        }
    }

    fn noted(&self) -> Option<String> {
        let texts = || self.history.words.iter().rev().flat_map(|text| text.lines().rev());
        texts().find_map(whole_note).or_else(|| texts().find_map(cut_note))
    }

    fn report(&self) -> String {
        let mut out = String::new();
        let title = self.say("Survey of this folder", "文件夹概览");
        let by = self.say(
            "Made by wakeful's offline model: fixed rules, not an LLM.",
            "由 wakeful 的离线模型生成：固定规则，不是大语言模型。",
        );
        let goal = self.say("Goal", "目标");
        let _ = writeln!(out, "# {title}\n\n{by}\n\n{goal}: {}\n", quote(&self.history.goal));
        self.files_part(&mut out);
        self.head_part(&mut out, "readme_path", self.say("Readme", "自述文件"), 12);
        self.head_part(&mut out, "manifest_path", self.say("Project file", "项目文件"), 20);
        self.todo_part(&mut out);
        out
    }

    fn files_part(&self, out: &mut String) {
        let _ = writeln!(out, "## {}\n", self.say("Files", "文件"));
        let Some(listing) = &self.listing else {
            let gone = self.say("The listing is no longer in the context.", "文件列表已不在上下文中。");
            let _ = writeln!(out, "{gone} {}\n", self.noted().unwrap_or_default());
            return;
        };
        let _ =
            writeln!(out, "| {} | {} |\n|---|---:|", self.say("kind", "类型"), self.say("files", "文件数"));
        for (kind, count) in listing.count() {
            let kind = if kind.is_empty() {
                self.say("no extension", "无扩展名").to_owned()
            } else {
                format!(".{kind}")
            };
            let _ = writeln!(out, "| {kind} | {count} |");
        }
        let (files, folders) = (listing.files.len(), listing.folders);
        let total = if self.history.chinese {
            format!("共 {files} 个文件，{folders} 个文件夹。")
        } else {
            format!("{} in {}.", many(files, "file"), many(folders, "folder"))
        };
        let cut = if listing.cut {
            self.say(" The listing was cut; there are more.", "列表不完整，还有更多。")
        } else {
            ""
        };
        let _ = writeln!(out, "\n{total}{cut}\n");
    }

    fn head_part(&self, out: &mut String, which: &str, title: &str, lines: usize) {
        let path = self.value(which).unwrap_or_default();
        if path.is_empty() {
            return;
        }
        let _ = writeln!(out, "## {title}: {path}\n");
        match self.history.result("read_file", Some(&path)) {
            Some(text) => {
                let head: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).take(lines).collect();
                let fence = fence(&head);
                let _ = writeln!(out, "{fence}text\n{}\n{fence}\n", head.join("\n"));
            }
            None => {
                let _ = writeln!(out, "{}\n", self.say("It could not be read.", "未能读取。"));
            }
        }
    }

    fn todo_part(&self, out: &mut String) {
        let _ = writeln!(out, "## {}\n", self.say("Open points", "待办"));
        let Some(todos) = &self.todos else {
            let _ = writeln!(out, "{}", self.say("Not searched.", "未搜索。"));
            return;
        };
        let count = todos.count();
        let lines = if count == "1" { "line" } else { "lines" };
        if self.history.chinese {
            let _ = writeln!(out, "{count} 行含有 TODO 或 FIXME。");
        } else {
            let _ = writeln!(out, "{count} {lines} with TODO or FIXME.");
        }
        for line in todos.lines.iter().take(10) {
            let short: String = line.chars().take(160).collect();
            let _ = writeln!(out, "- {}", short.trim());
        }
    }
}

/// Where the note begins in a line.
fn note_at(line: &str) -> Option<&str> {
    let at = line.find(NOTE).or_else(|| line.find(NOTE_ZH))?;
    line.get(at..)
}

/// The note in a line, and nothing of what stands behind it there: the place in the script, what came of the call.
fn whole_note(line: &str) -> Option<String> {
    let note = note_at(line)?;
    let ends = [("TODO/FIXME: ", '.'), ("TODO/FIXME：", '。')];
    ends.into_iter().find_map(|(count, stop)| {
        let from = note.find(count)?;
        let end = from + note.get(from..)?.find(stop)? + stop.len_utf8();
        note.get(..end).map(str::to_owned)
    })
}

/// What is left of a note that was cut when its round was folded.
fn cut_note(line: &str) -> Option<String> {
    let note = note_at(line)?;
    let end = note.find(['[', '…', '→']).unwrap_or(note.len());
    let kept = note.get(..end)?.trim_end();
    Some(format!("{kept}…"))
}

impl Listing {
    fn read(text: &str) -> Self {
        let mut listing = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if line.starts_with('[') && line.ends_with(']') {
                listing.cut |= line.contains("left out") || line.contains("stopped");
            } else if line.ends_with('/') {
                listing.folders += 1;
            } else if !line.contains(" -> ") {
                let path = line.rsplit_once("  ").map_or(line, |(path, _)| path).trim();
                // The report of an earlier run is no finding.
                if path != REPORT {
                    listing.files.push(path.to_owned());
                }
            }
        }
        listing
    }

    /// Files by extension, most first.
    fn count(&self) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for path in &self.files {
            let name = path.rsplit('/').next().unwrap_or_default();
            let extension = name
                .rsplit_once('.')
                .filter(|(stem, ext)| !stem.is_empty() && ext.len() <= 12)
                .map_or("", |(_, ext)| ext);
            *counts.entry(extension.to_lowercase()).or_default() += 1;
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counts
    }

    fn kinds(&self, chinese: bool, most: usize) -> String {
        let none = if chinese { "无扩展名" } else { "no extension" };
        let shown: Vec<String> = self
            .count()
            .into_iter()
            .take(most)
            .map(|(kind, count)| {
                let kind = if kind.is_empty() { none.to_owned() } else { format!(".{kind}") };
                format!("{kind} {count}")
            })
            .collect();
        if shown.is_empty() {
            return if chinese { "没有文件" } else { "no files" }.to_owned();
        }
        shown.join(", ")
    }
}

impl Todos {
    fn read(text: &str) -> Self {
        let mut todos = Self::default();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            if line.starts_with('[') {
                todos.cut |= line.contains("cut after");
            } else if line.split(':').nth(1).is_some_and(|n| n.parse::<u64>().is_ok())
                && !line.starts_with(REPORT)
            {
                todos.lines.push(line.to_owned());
            }
        }
        todos
    }

    fn count(&self) -> String {
        let plus = if self.cut { "+" } else { "" };
        format!("{}{plus}", self.lines.len())
    }
}

fn many(count: usize, thing: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{s}")
}

fn is_readme(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    name == "readme"
        || name.starts_with("readme.")
        || name.starts_with("readme_")
        || name.starts_with("readme-")
}

fn is_manifest(path: &str) -> bool {
    const NAMES: [&str; 12] = [
        "cargo.toml",
        "package.json",
        "pyproject.toml",
        "go.mod",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "cmakelists.txt",
        "makefile",
        "composer.json",
        "gemfile",
        "requirements.txt",
    ];
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    NAMES.contains(&name.as_str())
}

/// The goal on one line, so that it cannot break the report.
fn quote(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(300).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}

/// A fence longer than any in the lines.
fn fence(lines: &[&str]) -> String {
    let longest = lines
        .iter()
        .map(|line| line.trim_start().chars().take_while(|c| *c == '`').count())
        .max()
        .unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}
