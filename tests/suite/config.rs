//! Tests of `config`: reading, merging, safety against a workspace, the words of errors, schema and paths.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wakeful::config::{
    Choice, Config, ConfigError, Env, Origin, Overrides, Paths, ProtocolChoice, Sources, load, merge, schema,
    show, shown,
};
use wakeful::run::settings::{Class, LimitsPatch, Price, RuleVerdict, Strategy, ToolSpec};
use wakeful::run::{Limits, Mode};

const TOOLS: &[&str] = &["read_file", "write_file", "shell", "http_get"];
const FULL: &str = include_str!("config/full.toml");
const WRONG: &str = include_str!("config/wrong.toml");
const LOOSE: &str = include_str!("config/loose.toml");
const STRICT: &str = include_str!("config/strict.toml");

fn sources() -> Sources<'static> {
    Sources {
        user: Path::new("/home/me/.config/wakeful/config.toml"),
        must_exist: false,
        workspace: Path::new("/no/such/work"),
        tools: TOOLS,
    }
}

fn user(text: &str) -> Result<Config, ConfigError> {
    merge(&sources(), Some(text), None)
}

fn complaint(text: &str) -> String {
    user(text).unwrap_err().to_string()
}

fn env(pairs: &[(&str, &str)]) -> Env {
    pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
}

#[test]
fn nothing_configured_is_the_defaults_of_a_run() {
    let config = merge(&sources(), None, None).unwrap();
    assert_eq!(config, Config::default());
    assert_eq!(config.limits(), Limits::default());
    assert_eq!(config.mode, Mode::Ask);
}

#[test]
fn every_section_is_read() {
    let c = user(FULL).unwrap();
    assert_eq!(c.limits.steps, 80);
    assert_eq!(c.limits.tokens, 1_000_000);
    assert_eq!(c.limits.cost_micro, Some(2_500_000));
    assert_eq!(c.limits.active_ms, 5_400_000);
    assert_eq!(c.limits.tool_calls_minute, 16);
    assert_eq!(c.limits.output_shown, 32_768);
    assert_eq!(c.limits.first_token_ms, None);
    assert_eq!(c.limits.between_tokens_ms, Some(60_000), "what is not said keeps its default");
    assert_eq!(c.mode, Mode::Safe);
    assert_eq!(c.context.strategy, Strategy::Rounds);
    assert_eq!((c.context.fold_over, c.context.fold_keep), (12, 5));
    let home = &c.profiles["home"];
    assert_eq!(home.base_url, "http://127.0.0.1:8080/v1", "without the slash");
    assert_eq!(home.protocol, ProtocolChoice::Schema);
    assert_eq!((home.window, home.temperature, home.price), (Some(32_768), Some(0.2), None));
    let cloud = &c.profiles["cloud"];
    assert_eq!(cloud.key_env.as_deref(), Some("CLOUD_KEY"));
    assert_eq!(cloud.price, Some(Price { prompt: 280_000, cached: 30_000, completion: 420_000 }));
    assert!(cloud.max_completion_tokens && !cloud.send_reasoning);
    assert_eq!(c.tool("shell").timeout_ms, Some(300_000));
    assert!(!c.tool("http_get").enabled);
    assert_eq!(c.env_allow, ["CI_TOKEN"]);
    assert_eq!(c.allow_hosts, ["docs.rs"]);
    assert_eq!((c.discover, c.discover_ports.as_slice()), (false, [8080].as_slice()));
    assert_eq!(c.rules.len(), 2);
    assert_eq!(c.rules[1].then, RuleVerdict::Deny);
    assert!(!c.resume_on_start);
}

#[test]
fn tools_get_the_configs_word() {
    let spec = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: serde_json::json!({}),
        class: Class::Read,
        timeout_ms: Some(30_000),
        max_calls: None,
    };
    let tools = user(FULL).unwrap().tools(vec![spec("shell"), spec("read_file"), spec("http_get")]);
    let seen: Vec<_> = tools.iter().map(|t| (t.name.as_str(), t.timeout_ms, t.max_calls)).collect();
    assert_eq!(seen, [("shell", Some(300_000), Some(20)), ("read_file", Some(30_000), None)]);
}

#[test]
fn all_that_is_wrong_is_said_at_once_with_its_place() {
    let error = complaint(WRONG);
    let file = "/home/me/.config/wakeful/config.toml";
    for (place, words) in [
        ("1:1", "unknown key `defualt_profile`. Did you mean `default_profile`?"),
        ("2:1", "unknown key `steps`. Did you mean `limits.steps`?"),
        ("3:9", "trust takes absolute paths, and \"relative\" is not one"),
        ("6:1", "unknown key `limits.stepz`. Did you mean `steps`?"),
        ("7:8", "limits.time takes a duration with its unit, such as \"90s\" or \"30m\", not 30"),
        ("8:10", "limits.tokens takes a whole number from 1 to"),
        ("9:8", "limits.cost takes an amount of at least 0"),
        ("12:8", "approval.mode takes one of \"ask\", \"safe\", \"auto\", not \"sfe\". Did you mean `safe`?"),
        ("14:2", "unknown key `aproval`. Did you mean `approval`?"),
        ("18:12", "profile.home.base_url holds a user or password"),
        ("19:1", "profile.home.api_key: keys never stand in files"),
        ("22:10", "[profile.other] needs `model`"),
        ("24:11", "profile.other.key_env takes the name of an environment variable"),
        ("22:10", "[profile.other] needs all of price.prompt, price.cached, price.completion"),
        ("27:8", "there is no tool `shel`. Did you mean `shell`?"),
        ("31:8", "rule.tool: there is no tool `shel`. Did you mean `shell`?"),
        ("36:1", "unknown key `rule.than`. Did you mean `then`?"),
    ] {
        let line = format!("{file}:{place}: {words}");
        assert!(error.lines().any(|l| l.starts_with(&line)), "missing: {line}\nin:\n{error}");
    }
    assert_eq!(error.lines().count(), 17, "{error}");
    for secret in ["hunter2", "sk-abcdefgh", "sk-12345"] {
        assert!(!error.contains(secret), "an error repeats a secret: {error}");
    }
}

#[test]
fn a_hostile_key_cannot_write_to_the_terminal() {
    let error = complaint("\"\\u001b[2J\\u0007\" = 1\n[\"profile\".\"a\\nb\"]\n");
    assert!(error.contains("\\u{1b}[2J\\u{7}") && !error.contains('\u{1b}'), "{error}");
    assert_eq!(error.lines().count(), 3, "{error}");
}

#[test]
fn what_is_no_toml_is_said_with_its_place() {
    let error = complaint("[limits]\nsteps = \n");
    assert!(error.contains("config.toml:2:") && error.contains("this is not TOML"), "{error}");
    let twice = complaint("[limits]\nsteps = 1\nsteps = 2\n");
    assert!(twice.contains("config.toml:3:"), "{twice}");
}

#[test]
fn a_section_in_place_of_a_value_and_the_other_way_round() {
    assert!(complaint("limits = 3").contains("`limits` is a section, written [limits], not 3"));
    assert!(complaint("[limits.steps]\nx = 1").contains("limits.steps takes a whole number"));
    assert!(complaint("[rule]\ntool = \"shell\"").contains("rules are written [[rule]]"));
    assert!(complaint("profile = 1").contains("[profile.NAME]"));
    assert!(complaint("tools.shell = false").contains("`tools.shell` is a section"));
}

#[test]
fn values_that_contradict_each_other_are_refused() {
    assert!(
        complaint("[context]\nfold_over = 4\n").contains("fold_keep has to be less than context.fold_over")
    );
    let profile = "[profile.a]\nbase_url=\"http://h/v1\"\nmodel=\"m\"\nwindow=1000\nreserve=1000\n";
    assert!(complaint(profile).contains("profile.a.reserve has to be less than its window"));
    assert!(complaint("default_profile = \"nope\"").contains("there is no [profile.nope]"));
    assert!(complaint("[profile.offline]\nmodel=\"m\"").contains("a name of wakeful's own"));
    for odd in ["ftp://h", "http://", "http://h/v1?key=1", "http://h/v1/chat/completions", "h:80"] {
        let text = format!("[profile.a]\nmodel=\"m\"\nbase_url=\"{odd}\"");
        assert!(complaint(&text).contains("profile.a.base_url takes"), "{odd}");
    }
}

#[test]
fn a_workspace_cannot_loosen_anything() {
    let mine = "[limits]\ncost = 1\n[tools.shell]\nenabled = false\n\
                [profile.home]\nbase_url = \"http://127.0.0.1/v1\"\nmodel = \"m\"\n";
    let error = merge(&sources(), Some(mine), Some(LOOSE)).unwrap_err();
    let text = error.to_string();
    for (line, key) in [
        (1, "default_profile: a workspace may not set it"),
        (2, "trust can only be set in your own config file"),
        (3, "on_hangup: a workspace may only set \"save\""),
        (6, "limits.steps: a workspace may only lower it"),
        (8, "limits.cost: a workspace may only lower it"),
        (9, "limits.first_token_timeout: a workspace may only lower it"),
        (12, "approval.mode: a workspace may only make it stricter"),
        (14, "[profile.home]: a workspace may not set profiles"),
        (18, "tools.shell.enabled: a workspace may only turn it off"),
        (19, "tools.shell.timeout: a workspace may not set it"),
        (22, "shell.env_allow: a workspace may not set it"),
        (25, "network.allow_hosts: a workspace may not set it"),
        (28, "discover.ports: a workspace may not set it"),
        (32, "rule.then = \"allow\": a workspace may only add rules that ask or deny"),
        (35, "memory.base_url: a workspace may not set it"),
    ] {
        let place = format!("/no/such/work/.wakeful/config.toml:{line}:");
        let found = text.lines().any(|l| l.starts_with(&place) && l.contains(key));
        assert!(found, "missing {place} {key}\nin:\n{text}");
    }
    assert_eq!(error.problems.len(), 15, "limits.tokens = 1000 is stricter and no problem:\n{text}");
    assert!(text.contains("trust = [\"/no/such/work\"]"), "{text}");
}

#[test]
fn a_workspace_may_add_and_make_stricter() {
    let c = merge(&sources(), Some("[limits]\ntokens = 5000\n"), Some(STRICT)).unwrap();
    assert_eq!((c.limits.steps, c.limits.tokens, c.limits.cost_micro), (10, 5_000, Some(500_000)));
    assert!(!c.tool("shell").enabled);
    assert_eq!(c.rules[0].arg.as_deref(), Some("vendor/*"));
    assert_eq!(c.origin("limits.steps").word(), "workspace");
    assert_eq!(c.origin("limits.tokens").word(), "user");
    assert_eq!(c.origin("limits.time"), Origin::Default);
    assert_eq!(c.rule_origins[0].word(), "workspace");
}

#[test]
fn a_trusted_workspace_may_loosen_but_not_spread_trust() {
    let trusting = "trust = [\"/no/such/work\"]";
    let c = merge(&sources(), Some(trusting), Some("[approval]\nmode = \"auto\"")).unwrap();
    assert_eq!(c.mode, Mode::Auto);
    let error = merge(&sources(), Some(trusting), Some("trust = [\"/\"]")).unwrap_err();
    assert!(error.to_string().contains("trust can only be set in your own"), "{error}");
    let below = merge(&sources(), Some("trust = [\"/no/such\"]"), Some("[approval]\nmode = \"auto\""));
    assert!(below.is_err(), "trust in a folder is not trust in what lies below it");
}

#[test]
fn trust_goes_by_the_real_folder() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().join("real");
    std::fs::create_dir_all(real.join(".wakeful")).unwrap();
    std::fs::write(real.join(".wakeful/config.toml"), "[limits]\nsteps = 99\n").unwrap();
    let (file, link) = (dir.path().join("config.toml"), dir.path().join("link"));
    std::fs::write(&file, format!("trust = [\"{}\"]\n", real.display())).unwrap();
    let mut at = Sources { user: &file, must_exist: true, workspace: &real, tools: TOOLS };
    assert_eq!(load(&at).unwrap().limits.steps, 99);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&real, &link).unwrap();
        at.workspace = &link;
        assert_eq!(load(&at).unwrap().limits.steps, 99);
    }
    std::fs::write(&file, "").unwrap();
    at.workspace = &real;
    assert!(load(&at).unwrap_err().to_string().contains("limits.steps: a workspace may only lower it"));
}

#[test]
fn files_that_cannot_be_config_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.toml");
    let at = |user, must_exist| Sources { user, must_exist, workspace: dir.path(), tools: TOOLS };
    assert_eq!(load(&at(&file, false)).unwrap(), Config::default());
    assert!(load(&at(&file, true)).unwrap_err().to_string().contains("there is no such config file"));
    assert!(load(&at(dir.path(), false)).unwrap_err().to_string().contains("not an ordinary file"));
    std::fs::write(&file, [0xff, 0xfe]).unwrap();
    assert!(load(&at(&file, false)).unwrap_err().to_string().contains("not UTF-8"));
    std::fs::write(&file, " ".repeat((1 << 20) + 1)).unwrap();
    assert!(load(&at(&file, false)).unwrap_err().to_string().contains("larger than 1 MiB"));
}

#[test]
fn the_schema_is_the_defaults_and_says_every_key() {
    let text = schema();
    assert_eq!(user(&text).unwrap(), Config::default(), "as printed it changes nothing");
    // Uncommented, every line is read; what has a default changes nothing.
    let all: String = text
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(rest) if !rest.starts_with(' ') && !rest.is_empty() => format!("{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let mut full = user(&all.replace("default_profile = \"home\"", "default_profile = \"NAME\"")).unwrap();
    assert_eq!(full.profiles["NAME"].key_env.as_deref(), Some("OPENAI_API_KEY"));
    assert_eq!(full.rules.len(), 1);
    assert_eq!(full.summary_model.take().as_deref(), Some("NAME"));
    let defaults = Config::default();
    full.profiles.clear();
    full.tools.clear();
    full.rules.clear();
    assert_eq!(std::mem::take(&mut full.secrets)["NAME"], "VARIABLE");
    assert_eq!(std::mem::take(&mut full.keys)["pause_toggle"], ["F5"]);
    full.screen = defaults.screen.clone();
    assert!(std::mem::take(&mut full.memory).source().is_some());
    assert_eq!(std::mem::take(&mut full.notify), ["notify-send"]);
    full.rule_origins.clear();
    full.origins.clear();
    full.default_profile = None;
    assert_eq!(full, defaults);
    for row in shown(&defaults) {
        let name = row.key.rsplit('.').next().unwrap();
        assert!(text.contains(&format!("#{name} = ")), "{} is not in the schema", row.key);
    }
    assert!(text.lines().all(|line| line.chars().count() <= 110), "lines fit");
}

#[test]
fn the_screen_is_set_in_the_persons_own_file_alone() {
    let text =
        "[screen]\nlang = \"zh\"\ntheme = \"light\"\nglyphs = \"ascii\"\n[keys]\ndeny = [\"D\", \"F8\"]\n";
    let config = user(text).unwrap();
    assert_eq!((config.screen.lang.as_deref(), config.screen.ascii), (Some("zh"), true));
    assert_eq!(config.keys["deny"], ["D", "F8"]);
    assert!(show(&config).contains("keys.deny = [\"D\", \"F8\"]  # user"), "{}", show(&config));
    assert!(complaint("[keys]\ndeny = \"D\"\n").contains("keys.deny takes a list"));
    assert!(complaint("[screen]\nlang = \"fr\"\n").contains("takes one of"));
    // A workspace that could set keys could make one do another's work, also where it is trusted.
    let trusting = "trust = [\"/no/such/work\"]\n";
    for (own, theirs) in [("", "[keys]\ndeny = []\n"), (trusting, "[keys]\napprove_once = [\"d\"]\n")] {
        let error = merge(&sources(), Some(own), Some(theirs)).unwrap_err().to_string();
        assert!(error.contains("keys can only be set in your own config file"), "{error}");
    }
    let error = merge(&sources(), None, Some("[screen]\ntheme = \"mono\"\n")).unwrap_err().to_string();
    assert!(error.contains("screen.theme"), "{error}");
}

#[test]
fn a_source_of_vectors_is_named_by_the_person_and_marks_texts_as_its_model_wants() {
    assert_eq!(Config::default().memory.source(), None, "off unless it is named");
    let text = "[memory]\nbase_url = \"http://127.0.0.1:9/v1/\"\nmodel = \"multilingual-e5-small\"\n\
                key_env = \"EMBED_KEY\"\ndimensions = 256\nquery_timeout = \"3s\"\nbatch = 8\n";
    let config = user(text).unwrap();
    assert!(config.memory.keep_results, "unless a person, or a workspace, says no");
    let quiet = merge(&sources(), None, Some("[memory]\nkeep_results = false\n")).unwrap();
    assert!(!quiet.memory.keep_results);
    let fewer = merge(&sources(), None, Some("[memory]\nmax_results = 20\n")).unwrap();
    assert_eq!((config.memory.max_results, fewer.memory.max_results), (200, 20));
    let more = Some("[memory]\nmax_results = 300\n");
    let error = merge(&sources(), None, more).unwrap_err().to_string();
    assert!(error.contains("memory.max_results") && error.contains("only lower it"), "{error}");
    let off = Some("[memory]\nkeep_results = false\n");
    let error = merge(&sources(), off, Some("[memory]\nkeep_results = true\n")).unwrap_err().to_string();
    assert!(error.contains("memory.keep_results") && error.contains("only turn it off"), "{error}");
    assert_eq!(config.memory.source(), Some(("http://127.0.0.1:9/v1", "multilingual-e5-small")));
    assert_eq!((config.memory.dimensions, config.memory.batch), (Some(256), 8));
    assert_eq!((config.memory.query_timeout_ms, config.memory.timeout_ms), (3_000, 60_000));
    let shown = show(&config);
    for line in [
        "memory.query_prefix = \"query: \"  # default",
        "memory.document_prefix = \"passage: \"  # default",
        "memory.query_timeout = \"3s\"  # user",
        "memory.timeout = \"1m\"  # default",
        "memory.key_env = \"EMBED_KEY\"  # user",
    ] {
        assert!(shown.contains(line), "{line} is missing in {shown}");
    }
    let own = user(&format!("{text}query_prefix = \"\"\n")).unwrap();
    assert_eq!((own.memory.query_prefix(), own.memory.document_prefix()), ("", "passage: "));
    for (text, said) in [
        ("base_url = \"http://h/v1\"", "[memory] needs `model`"),
        ("model = \"m\"", "[memory] needs `base_url`"),
        ("base_url = \"http://h/v1/embeddings\"\nmodel = \"m\"", "takes the part before /embeddings"),
        ("base_url = \"http://me:pass@h/v1\"", "memory.base_url holds a user or password"),
        ("api_key = \"sk-abc\"", "memory.api_key: keys never stand in files"),
        ("key_env = \"sk-abc\"", "memory.key_env takes the name of an environment variable"),
        ("batch = 0", "memory.batch takes a whole number from 1"),
        ("modell = \"m\"", "unknown key `memory.modell`. Did you mean `model`?"),
    ] {
        let complaint = complaint(&format!("[memory]\n{text}\n"));
        assert!(complaint.contains(said) && !complaint.contains("sk-abc"), "{text}: {complaint}");
    }
    // A workspace can send what is remembered elsewhere only with the person's consent.
    for theirs in ["model = \"other\"", "key_env = \"HOME\"", "query_prefix = \"\"", "batch = 2048"] {
        let error = merge(&sources(), Some(text), Some(&format!("[memory]\n{theirs}\n"))).unwrap_err();
        assert!(error.to_string().contains("a workspace may not set it"), "{theirs}: {error}");
    }
    let trusting = format!("trust = [\"/no/such/work\"]\n{text}");
    let theirs = "[memory]\nbase_url = \"http://other/v1\"\n";
    let trusted = merge(&sources(), Some(&trusting), Some(theirs)).unwrap();
    assert_eq!(trusted.memory.source(), Some(("http://other/v1", "multilingual-e5-small")));
}

#[test]
fn what_is_shown_reads_back_and_names_its_source() {
    let config = user(FULL).unwrap();
    let text = show(&config);
    assert!(text.contains("limits.steps = 80  # user /home/me/.config/wakeful/config.toml"), "{text}");
    assert!(text.contains("limits.tool_calls = 200  # default"), "{text}");
    assert!(text.contains("limits.time = \"1h30m\""), "{text}");
    assert!(text.contains("profile.cloud.price.cached = 0.03"), "{text}");
    assert!(text.contains("# profile.home.key_env is not set"), "{text}");
    assert!(text.contains("rule[2] = { tool = \"shell\", arg = \"git push*\", then = \"deny\" }"), "{text}");
    let row = |key: &str| shown(&config).into_iter().find(|row| row.key == key).unwrap().json();
    let from = "/home/me/.config/wakeful/config.toml";
    assert_eq!(
        row("limits.steps"),
        serde_json::json!({"key": "limits.steps", "value": 80, "source": "user", "from": from})
    );
    assert_eq!(row("rule[1]")["value"]["arg"], "cargo test*");
    assert_eq!(row("profile.home.key_env")["value"], serde_json::Value::Null);
    assert_eq!(row("limits.cost")["value"], 2.5);
    // All but the rules, which are shown by number, is TOML that gives the same configuration.
    let again: String = text.lines().filter(|l| !l.starts_with("rule[")).map(|l| format!("{l}\n")).collect();
    let again = user(&again).unwrap();
    assert_eq!((again.limits, again.profiles, again.tools), (config.limits, config.profiles, config.tools));
}

#[test]
fn the_command_line_beats_the_files() {
    let flags = Overrides {
        mode: Some(Mode::Auto),
        limits: LimitsPatch { steps: Some(3), cost_micro: Some(7), ..LimitsPatch::default() },
        model: Some("home".to_owned()),
        window: Some(4_096),
    };
    let c = user(FULL).unwrap().with(&flags);
    assert_eq!(
        (c.mode, c.limits.steps, c.limits.cost_micro, c.window),
        (Mode::Auto, 3, Some(7), Some(4_096))
    );
    assert_eq!(c.limits.tokens, 1_000_000);
    assert_eq!(c.origin("limits.steps"), Origin::Flag("--max-steps".to_owned()));
    assert_eq!(c.origin("approval.mode").word(), "flag");
    assert_eq!(c.origin("limits.tokens").word(), "user");
}

fn chosen(config: &str, flag: Option<&str>, vars: &[(&str, &str)]) -> Result<Choice, String> {
    let flags = Overrides { model: flag.map(str::to_owned), ..Overrides::default() };
    user(config).unwrap().with(&flags).choose_model(&env(vars)).map_err(|e| e.to_string())
}

fn endpoint(choice: Result<Choice, String>) -> (String, String, Option<String>) {
    match choice {
        Ok(Choice::Profile(p)) => (p.base_url, p.model, p.key_env),
        other => panic!("no profile: {other:?}"),
    }
}

#[test]
fn the_model_is_chosen_by_option_then_variable_then_config_then_server() {
    let model = |c| endpoint(c).1;
    let base = ("OPENAI_BASE_URL", "http://h/v1/");
    assert_eq!(model(chosen(FULL, Some("cloud"), &[("WAKEFUL_MODEL", "home")])), "big");
    assert_eq!(model(chosen(FULL, None, &[("WAKEFUL_MODEL", "cloud"), base])), "big");
    assert_eq!(model(chosen(FULL, None, &[base])), "qwen3-32b");
    assert_eq!(chosen(FULL, Some("offline"), &[base]), Ok(Choice::Offline));
    let plain = endpoint(chosen("", None, &[base, ("OPENAI_API_KEY", "sk-1")]));
    assert_eq!(plain, ("http://h/v1".into(), String::new(), Some("OPENAI_API_KEY".into())));
    assert_eq!(endpoint(chosen("", Some("m"), &[base])), ("http://h/v1".into(), "m".into(), None));
    let usual = endpoint(chosen("", Some("deepseek-chat"), &[("DEEPSEEK_API_KEY", "sk-1")]));
    assert_eq!(usual.0, "https://api.deepseek.com/v1");
    assert_eq!(chosen("", None, &[]), Ok(Choice::Find { note: None }));
}

#[test]
fn a_key_alone_sends_nothing_and_doubt_is_an_error() {
    let Ok(Choice::Find { note: Some(note) }) = chosen("", None, &[("OPENAI_API_KEY", "sk-1")]) else {
        panic!("a key without a model has to be only a note")
    };
    assert!(note.contains("OPENAI_API_KEY is set") && !note.contains("sk-1"), "{note}");
    let two = [("OPENAI_API_KEY", "a"), ("DEEPSEEK_API_KEY", "b")];
    assert!(chosen("", Some("m"), &two).unwrap_err().contains("not clear which server"));
    let typo = chosen(FULL, Some("clout"), &[]).unwrap_err();
    assert!(typo.starts_with("--model: there is no model profile `clout`. Did you mean `cloud`?"), "{typo}");
    let password = chosen("", None, &[("OPENAI_BASE_URL", "http://u:hunter2@h/v1")]).unwrap_err();
    assert!(
        password.starts_with("OPENAI_BASE_URL holds a user or password") && !password.contains("hunter2")
    );
}

#[test]
fn a_profile_becomes_the_settings_of_a_run() {
    let config = user(FULL).unwrap();
    let settings = config.profiles["cloud"].model_settings(
        8_192,
        wakeful::run::settings::Protocol::Native,
        "o200k",
        false,
    );
    assert_eq!((settings.profile.as_str(), settings.window, settings.reserve), ("cloud", 8_192, 2_048));
    assert_eq!(config.profiles["home"].reserve_in(1 << 20), 4_096);
    let mut config = config;
    let (home, cloud) = (config.profiles["home"].clone(), config.profiles["cloud"].clone());
    assert_eq!(config.window_for(&home, Some(1_024)), 32_768, "what is configured beats the server");
    assert_eq!(config.window_for(&cloud, Some(1_024)), 1_024);
    assert_eq!(config.window_for(&cloud, None), 8_192);
    config.window = Some(2_048);
    assert_eq!(config.window_for(&home, None), 2_048);
    let greedy = wakeful::config::Profile { reserve: Some(4_096), ..home.clone() };
    assert_eq!(greedy.reserve_in(2_048), 1_024, "a prompt has to fit too");
    assert!(config.check_price(&cloud).is_ok());
    let refusal = config.check_price(&home).unwrap_err().to_string();
    assert!(refusal.contains("the price of `qwen3-32b` (home) is not known"), "{refusal}");
    config.limits.cost_micro = None;
    assert!(config.check_price(&home).is_ok());
    assert!(!serde_json::to_string(&settings).unwrap().contains("CLOUD_KEY"));
}

#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn paths_follow_options_then_variables_then_the_platform() {
    let cwd = Path::new("/work");
    let home = env(&[("HOME", "/home/me")]);
    let found = Paths::find(&home, cwd, None, None).unwrap();
    assert_eq!(found.config, PathBuf::from("/home/me/.config/wakeful/config.toml"));
    assert_eq!(found.db, PathBuf::from("/home/me/.local/share/wakeful/wakeful.db"));
    let xdg = env(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c"), ("XDG_DATA_HOME", "rel"), ("WAKEFUL_DB", "")]);
    let found = Paths::find(&xdg, cwd, None, None).unwrap();
    assert_eq!(found.config, PathBuf::from("/c/wakeful/config.toml"));
    assert_eq!(
        found.db,
        PathBuf::from("/h/.local/share/wakeful/wakeful.db"),
        "relative and empty do not count"
    );
    let named = env(&[("HOME", "/h"), ("WAKEFUL_DB", "x.db")]);
    let found = Paths::find(&named, cwd, None, Some(Path::new("my.toml"))).unwrap();
    assert_eq!((found.db, found.db_source), (PathBuf::from("/work/x.db"), "WAKEFUL_DB"));
    assert_eq!((found.config, found.config_named), (PathBuf::from("/work/my.toml"), true));
    let flag = Paths::find(&named, cwd, Some(Path::new("/y.db")), None).unwrap();
    assert_eq!((flag.db, flag.db_source), (PathBuf::from("/y.db"), "--db"));
    let both = Paths::find(&BTreeMap::new(), cwd, Some(Path::new("a")), Some(Path::new("b"))).unwrap();
    assert_eq!(both.db, PathBuf::from("/work/a"), "no home is needed when both are named");
}
