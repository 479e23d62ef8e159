//! Tests of `floors`: the house keeps its floors. What is checked here is text, read from the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Modules from the lowest floor to the highest. A module imports only from floors below its own, so modules of one
/// floor know nothing of each other.
const FLOORS: &[&[&str]] = &[
    &["run"],
    &["config"],
    &["agent", "context", "recall"],
    &["host"],
    &["store", "provider", "workspace", "tokens"],
    &["tool"],
    &["worker", "inspect"],
    &["ui"],
    &["cli"],
];

/// Imports that go against the floors all the same: who, whom, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// Longest file, lines.
const LONGEST: usize = 600;

/// A source file: its module, its place, and its lines without comments.
struct Source {
    module: String,
    place: String,
    code: Vec<(usize, String)>,
    lines: usize,
}

fn sources(under: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    walk(&root.join(under), &mut files);
    files.sort();
    files.iter().map(|path| read(root, path)).collect()
}

fn walk(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

fn read(root: &Path, path: &Path) -> Source {
    let place = path.strip_prefix(root).unwrap();
    let text = fs::read_to_string(path).unwrap();
    let module = place.iter().nth(1).unwrap().to_string_lossy().trim_end_matches(".rs").to_owned();
    let code = (1..).zip(text.lines()).filter(|(_, line)| !line.trim_start().starts_with("//"));
    Source {
        module,
        place: place.display().to_string(),
        code: code.map(|(no, line)| (no, line.to_owned())).collect(),
        lines: text.lines().count(),
    }
}

/// Lines of `src/` that hold one of the words and stand in none of these modules.
fn outside(words: &[&str], modules: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources("src").iter().filter(|s| !modules.contains(&s.module.as_str())) {
        for (no, line) in &source.code {
            if words.iter().any(|word| line.contains(word)) {
                found.push(format!("{}:{no}: {}", source.place, line.trim()));
            }
        }
    }
    found
}

/// The modules of our own that a file names: `crate::x`, and the members of `use crate::{x::…, y::…}`.
fn imports(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(group) => members(group, &mut found),
            None => drop(found.insert(name(rest))),
        }
    }
    found
}

/// The first names of a group's members, up to its closing brace.
fn members(group: &str, found: &mut BTreeSet<String>) {
    let (mut depth, mut at) = (0, 0);
    for (i, c) in group.char_indices().chain([(group.len(), '}')]) {
        match c {
            '{' => depth += 1,
            '}' | ',' if depth == 0 => {
                let member = name(group.get(at..i).unwrap().trim_start());
                if !member.is_empty() {
                    found.insert(member);
                }
                at = i + 1;
                if c == '}' {
                    return;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
}

fn name(text: &str) -> String {
    text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

/// What is wrong with a module's import, if something is.
fn fault(from: &str, to: &str) -> Option<String> {
    if from == to || EXCEPTIONS.iter().any(|(who, whom, _)| (*who, *whom) == (from, to)) {
        return None;
    }
    match (floor(from), floor(to)) {
        (Some(own), Some(other)) if other < own => None,
        (Some(own), Some(other)) if other == own => Some(format!("{from} and {to} stand on the same floor")),
        (Some(_), Some(_)) => Some(format!("{to} stands above {from}")),
        (None, _) => Some(format!("{from} has no floor")),
        (_, None) => Some(format!("{to} has no floor")),
    }
}

#[test]
fn imports_are_read_in_all_their_forms() {
    let code = "use crate::run::{call, id};\nuse crate::{\n  host::lock::{a, b},\n  store,\n};\nlet x = crate::tool::y();";
    let found: Vec<String> = imports(code).into_iter().collect();
    assert_eq!(found, ["host", "run", "store", "tool"]);
    assert!(imports("use super::x; use wakeful::y; x()").is_empty());
}

#[test]
fn the_rule_tells_below_beside_and_above() {
    assert_eq!(fault("store", "host"), None);
    assert_eq!(fault("cli", "run"), None);
    assert_eq!(fault("store", "tokens").unwrap(), "store and tokens stand on the same floor");
    assert_eq!(fault("agent", "store").unwrap(), "store stands above agent");
    assert_eq!(fault("run", "shed").unwrap(), "shed has no floor");
}

#[test]
fn a_module_imports_only_from_floors_below_it() {
    let mut faults = Vec::new();
    let mut seen = 0;
    for source in sources("src").iter().filter(|s| !matches!(s.module.as_str(), "lib" | "main")) {
        let code: String = source.code.iter().map(|(_, line)| format!("{line}\n")).collect();
        for to in imports(&code) {
            seen += 1;
            if let Some(why) = fault(&source.module, &to) {
                faults.push(format!("{}: {why}", source.place));
            }
        }
    }
    assert!(seen > 100, "only {seen} imports were found: the reading of the sources is broken");
    assert_eq!(faults, Vec::<String>::new());
}

/// The reverse of the rule for `run`: plain data knows no other module and does no I/O.
#[test]
fn the_ground_floor_stands_alone() {
    let words = ["std::fs", "std::net", "std::process", "std::time::", "std::env", "tokio", "rand::"];
    let mut found = outside(&words, &[]);
    found.retain(|line| ["src/run/", "src/agent/", "src/context/"].iter().any(|m| line.starts_with(m)));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn sql_stands_in_the_store_alone() {
    let words = ["rusqlite", "SELECT ", "INSERT INTO", "DELETE FROM", "CREATE TABLE", "UPDATE ", "PRAGMA "];
    assert_eq!(outside(&words, &["store"]), Vec::<String>::new());
    assert!(!outside(&words, &[]).is_empty());
}

#[test]
fn processes_are_started_by_the_host_alone() {
    let words = ["process::Command", "process::{Command", "tokio::process"];
    assert_eq!(outside(&words, &["host"]), Vec::<String>::new());
    assert!(!outside(&words, &[]).is_empty());
}

#[test]
fn the_network_is_used_by_providers_and_tools_alone() {
    let words = ["reqwest", "async_openai", "TcpStream", "tokio::net"];
    assert_eq!(outside(&words, &["provider", "tool"]), Vec::<String>::new());
    assert!(!outside(&words, &[]).is_empty());
}

/// A tokenizer takes its time for a long text: the workstation, whose thread answers keys, has the estimate alone.
#[test]
fn no_tokenizer_counts_where_keys_are_answered() {
    let words = ["counter_of", "counter_for", "OpenAiBpe", "TokenizerJson", "tiktoken", "bpe_openai"];
    let mut found = outside(&words, &[]);
    assert!(found.iter().any(|line| line.starts_with("src/worker/")), "{found:?}");
    found.retain(|line| line.starts_with("src/ui/"));
    assert_eq!(found, Vec::<String>::new());
}

/// Lines of these folders, or of one file, that hold one of the words; tests and their samples are left out.
fn in_product(folders: &[&str], words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for source in folders.iter().flat_map(|folder| sources(folder)) {
        let place = &source.place;
        let of_tests = |part: &str| {
            part.starts_with("tests") || part.ends_with("_tests.rs") || part.starts_with("sample")
        };
        if place.split('/').any(of_tests) {
            continue;
        }
        let product = source.code.iter().take_while(|(_, line)| line.trim() != "mod tests {");
        let lines = product.filter(|(_, line)| words.iter().any(|word| line.contains(word)));
        found.extend(lines.map(|(no, line)| format!("{place}:{no}: {}", line.trim())));
    }
    found
}

/// What keys and reports make of the screen, and what is drawn, is pure: the same inputs at the same times give the same.
#[test]
fn what_answers_keys_and_draws_neither_waits_nor_reads_a_clock() {
    let words = [
        "std::fs",
        "fs::",
        "File::",
        "std::net",
        "tokio",
        "Instant::now",
        "SystemTime",
        "Timestamp::now",
        "Zoned::now",
        "wall_ms",
        "std::thread",
        "thread::",
        "block_on",
        "recv()",
        "stdin()",
        "stdout()",
    ];
    let pure = ["src/ui/app", "src/ui/view", "src/ui/dialog", "src/ui/words", "src/ui/keys"];
    assert_eq!(in_product(&pure, &words), Vec::<String>::new());
    assert!(!in_product(&["src/cli/screen"], &words).is_empty(), "the reading of the sources is broken");
}

/// A widget names a role, and the theme gives its colour.
#[test]
fn colours_are_named_by_themes_alone() {
    let words = ["Color::", "style::Color", "Stylize", ".fg(", ".bg("];
    let mut found = in_product(&["src"], &words);
    assert!(found.iter().any(|line| line.starts_with("src/ui/theme/")), "{found:?}");
    found.retain(|line| !line.starts_with("src/ui/theme/"));
    assert_eq!(found, Vec::<String>::new());
}

/// What stands on the screen is measured in one place: two ways to count cells disagree some day.
#[test]
fn cells_are_counted_by_the_text_module_alone() {
    let words = [
        "unicode_width",
        "UnicodeWidth",
        "CellWidth",
        "cell_width",
        "wcwidth",
        "set_string",
        "chars().count()",
    ];
    let mut found = in_product(&["src/ui"], &words);
    assert!(found.iter().any(|line| line.starts_with("src/ui/text/")), "{found:?}");
    found.retain(|line| !line.starts_with("src/ui/text/"));
    // The pen, through which all text goes, is told the cells that it has; and the person how many characters were copied.
    let known = ["src/ui/view/paint.rs", "src/ui/app/copy.rs"];
    let of = |file: &str| found.iter().filter(|line| line.starts_with(file)).count();
    assert_eq!(known.map(of), [1, 1], "{found:?}");
    found.retain(|line| !known.iter().any(|file| line.starts_with(file)));
    assert_eq!(found, Vec::<String>::new());
}

/// A new event or state must stop the compiler at each place that has to think about it.
#[test]
fn what_folds_and_decides_has_no_catch_all() {
    let mut found = outside(&["_ =>", "_ if "], &[]);
    found.retain(|line| ["src/run/", "src/agent/"].iter().any(|m| line.starts_with(m)));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn no_file_is_too_long_and_each_says_what_it_is_for() {
    let mut faults = Vec::new();
    for under in ["src", "tests", "benches"] {
        for source in sources(under) {
            if source.lines > LONGEST {
                faults.push(format!("{} has {} lines", source.place, source.lines));
            }
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&source.place);
            if under == "src" && !fs::read_to_string(path).unwrap().starts_with("//!") {
                faults.push(format!("{} does not say what it is for", source.place));
            }
        }
    }
    assert_eq!(faults, Vec::<String>::new());
}
