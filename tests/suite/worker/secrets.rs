//! Secrets of the person: named in arguments, filled in when a call runs, kept out of everything that is stored or shown.

use super::scene::{Scene, processes, shell};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use wakeful::host::drive::Driver;
use wakeful::host::environment::Secrets;
use wakeful::provider::offline::{OfflineModel, Script};
use wakeful::provider::{Delta, Provider};
use wakeful::run::event::NewEvent;
use wakeful::run::id::WorkerId;
use wakeful::run::settings::Settings;
use wakeful::run::{CallStatus, RunId, RunState};
use wakeful::worker::{Engine, Models, Observer, Phase, Stay, advance};

const PLAIN: &str = "ZQplain-value-0815";
const ODD: &str = "ZQ $HOME 'odd\" `x`";

fn scene(steps: &str) -> Scene {
    let mut scene = Scene::new(steps);
    scene.config(
        "[secrets]\nPLAIN = { env = \"PLAIN_CODE\" }\nODD = { env = \"ODD_CODE\" }\nGONE = { env = \"GONE_CODE\" }\n\
         [network]\nallow_hosts = [\"127.0.0.1\"]\n",
    );
    scene.set("PLAIN_CODE", PLAIN);
    scene.set("ODD_CODE", ODD);
    scene
}

#[test]
fn a_command_gets_its_secrets_and_nothing_stored_has_them() {
    let command = "printf '%s|%s' '${secret:PLAIN}' \"${secret:ODD}\" > got; echo said ${secret:PLAIN}; \
                   echo \"and ${secret:ODD}\"; env | grep -c _CODE=; grep -c ZQ /proc/$$/cmdline";
    let scene = scene(&shell(command));
    scene.start(0, "auto");
    assert_eq!(scene.read("got"), Some(format!("{PLAIN}|{ODD}")));
    let result = scene.result(0);
    // No variable of the environment has them besides, and neither has the command line, which anybody can read.
    assert!(result.contains("said [masked secret PLAIN]\nand [masked secret ODD]\n0\n0"), "{result}");
    for secret in [PLAIN, ODD] {
        assert_eq!(scene.stored_in(secret), Vec::<std::path::PathBuf>::new());
    }
    let shown = scene.expect(0, &["intents", "last", "--json"]);
    assert!(shown.out.contains("'${secret:PLAIN}'"), "{shown:?}");
    scene.is_whole();
}

#[test]
fn the_spool_of_a_running_command_has_names_only() {
    let scene = scene(&shell("x='${secret:PLAIN}'; y=\"${secret:ODD}\"; sleep 100.375"));
    let mut owner = scene.start_living("auto");
    scene.until("the command", || !processes("sleep 100.375").is_empty());
    for secret in [PLAIN, ODD] {
        assert_eq!(scene.stored_in(secret), Vec::<std::path::PathBuf>::new());
        assert!(processes(secret).is_empty(), "it stands in a command line");
    }
    assert!(!scene.stored_in("${secret:PLAIN}").is_empty());
    scene.expect(0, &["cancel", "last"]);
    assert_eq!(owner.end(), 5);
}

#[test]
fn an_output_collected_without_a_worker_is_masked_too() {
    let scene = scene(&shell("echo saw ${secret:PLAIN}; sleep 100.4375"));
    let mut owner = scene.start_living("auto");
    scene.until("the command", || !processes("sleep 100.4375").is_empty());
    owner.kill();
    scene.config("unknown = 1\n[secrets]\nPLAIN = { env = \"PLAIN_CODE\" }\n");
    scene.expect(0, &["cancel", "last"]);
    assert!(scene.result(0).contains("saw [masked secret PLAIN]"), "{}", scene.result(0));
    assert_eq!(scene.stored_in(PLAIN), Vec::<std::path::PathBuf>::new());
}

#[test]
fn a_secret_in_the_arguments_is_refused_with_the_way_to_name_it() {
    let key = "ghp_0123456789abcdefghij0123456789abcdef";
    let steps = [
        shell(&format!("echo {PLAIN} >> ran")),
        shell(&format!("curl -H 'Bearer {key}' x")),
        shell("echo x > ran"),
    ];
    let scene = scene(&steps.concat());
    scene.start(0, "auto");
    use CallStatus::{Done, Rejected};
    assert_eq!(scene.call_statuses(), [Rejected, Rejected, Done]);
    assert_eq!(scene.read("ran").as_deref(), Some("x\n"));
    for at in [0, 1] {
        let result = scene.result(at);
        assert!(result.contains("error [secret_in_arguments]"), "{result}");
        assert!(result.contains("${secret:NAME}") && result.contains("${secret:PLAIN}"), "{result}");
    }
    for secret in [PLAIN, key] {
        assert_eq!(scene.stored_in(secret), Vec::<std::path::PathBuf>::new());
    }
    scene.is_whole();
}

#[test]
fn a_secret_without_a_value_is_told_to_the_model() {
    let steps = [shell("echo ${secret:GONE}"), shell("echo ${secret:NEVER}")];
    let write = "[[steps]]\ncalls = [{ name = \"write_file\", args = { path = \"f\", content = \"k=${secret:PLAIN}\" } }]\n";
    let scene = scene(&format!("{}{write}", steps.concat()));
    // The third failure in a row lets the run wait.
    scene.start(4, "auto");
    assert!(scene.result(0).contains("error [secret_missing]") && scene.result(0).contains("GONE_CODE"));
    assert!(scene.result(1).contains("no secret NEVER is configured"), "{}", scene.result(1));
    assert!(scene.result(2).contains("error [secret_in_file]"), "{}", scene.result(2));
    assert_eq!(scene.read("f"), None);
}

#[test]
fn what_a_tool_reads_is_masked() {
    let scene = scene("[[steps]]\ncalls = [{ name = \"read_file\", args = { path = \"settings\" } }]\n");
    scene.put("settings", &format!("user = me\ncode = {PLAIN}\n"));
    scene.start(0, "auto");
    assert!(scene.result(0).contains("code = [masked secret PLAIN]"), "{}", scene.result(0));
    assert_eq!(scene.stored_in(PLAIN), Vec::<std::path::PathBuf>::new());
}

#[test]
fn a_request_gets_its_secret_in_the_address() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut bytes = [0; 2048];
        let read = stream.read(&mut bytes).unwrap();
        let line = String::from_utf8_lossy(&bytes[..read]).lines().next().unwrap().to_owned();
        let body = format!("you asked {line}");
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).unwrap();
        line
    });
    let url = format!("http://127.0.0.1:{port}/x?a=${{secret:PLAIN}}&b=${{secret:ODD}}");
    let scene =
        scene(&format!("[[steps]]\ncalls = [{{ name = \"http_get\", args = {{ url = \"{url}\" }} }}]\n"));
    scene.start(0, "ask");
    let line = server.join().unwrap();
    assert_eq!(line, format!("GET /x?a={PLAIN}&b=ZQ%20%24HOME%20%27odd%22%20%60x%60 HTTP/1.1"));
    let result = scene.result(0);
    assert!(result.contains("?a=[masked secret PLAIN]&b=[masked secret ODD]"), "{result}");
    assert_eq!(scene.stored_in(PLAIN), Vec::<std::path::PathBuf>::new());
}

#[test]
fn the_config_takes_names_of_variables_and_never_a_value() {
    let scene = Scene::new("");
    scene.config(&format!("[secrets]\nA = \"{PLAIN}\"\nB = {{ env = \"B\", value = \"{PLAIN}\" }}\n"));
    let said = scene.expect(2, &["config", "check"]);
    assert!(said.err.contains("NAME = { env = \"VARIABLE\" }"), "{said:?}");
    assert!(!format!("{said:?}").contains(PLAIN), "{said:?}");
    scene.config("[secrets]\nA = { env = \"A_CODE\" }\n");
    let said = scene.expect(0, &["config", "show"]);
    assert!(said.out.contains("secrets.A = { env = \"A_CODE\" }"), "{said:?}");
    let said = scene.expect(0, &["doctor"]);
    assert!(said.out.contains("A_CODE, which is not set"), "{said:?}");
    std::fs::create_dir(scene.ws(".wakeful")).unwrap();
    scene.put(".wakeful/config.toml", "[secrets]\nB = { env = \"HOME\" }\n");
    let said = scene.expect(2, &["config", "check"]);
    assert!(said.err.contains("a workspace may not set secrets"), "{said:?}");
}

#[test]
fn what_a_person_says_is_stored_without_secrets() {
    let scene = scene(&shell("echo x"));
    for goal in [format!("log in with {PLAIN}"), "use sk-proj-4f8a9b2c7d1e6f3a5b9c".to_owned()] {
        let said = scene.expect(2, &["run", &goal, "--headless"]);
        assert!(said.err.contains("${secret:NAME}"), "{said:?}");
    }
    scene.start(4, "ask");
    scene.expect(0, &["message", "last", &format!("the code is {PLAIN}")]);
    let args = format!("{{\"command\":\"echo {PLAIN}\"}}");
    let said = scene.expect(2, &["approve", "last:1.1", "--args", &args]);
    assert!(said.err.contains("a new argument holds"), "{said:?}");
    scene.expect(2, &["goal", "last", "--set", &format!("with {PLAIN}")]);
    scene.expect(0, &["deny", "last:1.1", "--reason", &format!("never print {PLAIN}")]);
    assert!(scene.result(0).contains("never print [masked secret PLAIN]"), "{}", scene.result(0));
    assert_eq!(scene.stored_in(PLAIN), Vec::<std::path::PathBuf>::new());
}

/// Hears the words of the reply, and looks what another process could see of it.
struct Ear(Arc<Mutex<String>>);

impl Observer for Ear {
    fn phase(&self, _run: &RunId, _phase: Phase) {}
    fn delta(&self, _run: &RunId, delta: &Delta) {
        if let Delta::Text(text) = delta {
            self.0.lock().unwrap().push_str(text);
        }
    }
    fn committed(&self, _state: &RunState, _events: &[NewEvent]) {}
}

struct Plays(std::collections::BTreeMap<String, String>);

impl Models for Plays {
    fn provider(&self, _settings: &Settings) -> Result<Arc<dyn Provider>, String> {
        Ok(Arc::new(OfflineModel::new(Script::from_env(&self.0).map_err(|e| e.to_string())?)))
    }
}

#[test]
fn the_text_of_a_reply_is_masked_while_it_comes_in() {
    let scene = Scene::new(
        "[[steps]]\nsay = \"first\"\ncalls = [{ name = \"ask_person\", args = { question = \"?\" } }]\n",
    );
    scene.start(4, "ask");
    scene.expect(0, &["answer", "last:1.1", "yes"]);
    scene.script(&format!("[[steps]]\nsay = \"The code is {PLAIN}, I think.\"\n"));
    let heard = Arc::new(Mutex::new(String::new()));
    let script = scene.beside().with_file_name("script.toml").to_string_lossy().into_owned();
    let (_keep, stop) = tokio::sync::watch::channel(false);
    let engine = Engine {
        store: scene.store().clone(),
        worker: WorkerId::new("w-ear"),
        models: Arc::new(Plays([("WAKEFUL_OFFLINE_SCRIPT".to_owned(), script)].into_iter().collect())),
        driver: Driver::own(),
        secrets: [("PLAIN".to_owned(), PLAIN.to_owned())].into_iter().collect::<Secrets>(),
        env_allow: Vec::new(),
        own_files: Vec::new(),
        allow_hosts: Vec::new(),
        vectors: None,
        observer: Arc::new(Ear(heard.clone())),
        stop,
    };
    scene.within(advance(&engine, &scene.run(), Stay::UntilWait)).unwrap();
    let heard = heard.lock().unwrap().clone();
    assert!(heard.starts_with("The code is [masked secret PLAIN], I think. ["), "{heard}");
    assert!(heard.ends_with(']'), "to its end: {heard}");
    assert_eq!(scene.stored_in(PLAIN), Vec::<std::path::PathBuf>::new());
}

#[test]
fn an_agent_that_wants_a_password_to_be_remembered_is_refused_and_it_is_stored_nowhere() {
    let remember = |text: &str| {
        format!(
            "[[steps]]\ncalls = [{{ name = \"remember\", args = {{ kind = \"fact\", text = \"{text}\" }} }}]\n"
        )
    };
    let scene = Scene::new(
        &[remember("DB_PASSWORD=Zx81kk22mmQQ"), remember("The password is in the vault")].concat(),
    );
    scene.start(0, "auto");
    assert!(scene.result(0).contains("secret_in_arguments"), "{}", scene.result(0));
    let kept = scene.expect(0, &["memory", "ls"]).out;
    assert!(kept.contains("in the vault") && !kept.contains("DB_PASSWORD"), "{kept}");
    assert_eq!(scene.stored_in("Zx81kk22mmQQ"), Vec::<std::path::PathBuf>::new());
}
