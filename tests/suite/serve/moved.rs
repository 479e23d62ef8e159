//! A server that is gone or moved: the run goes on with another, or with the same one at its new place.

use super::scene::{Scene, call, text};
use crate::suite::provider::server::ChatServer;
use serde_json::json;
use std::net::TcpListener;

#[test]
fn a_run_whose_server_is_gone_goes_on_with_another_model() {
    let gone = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let server = ChatServer::script(vec![
        call("c1", "write_file", json!({"path": "a.txt", "content": "a"})),
        text("It is done.", 20, 4),
    ]);
    let more = format!(
        "[profile.other]\nbase_url = \"{}\"\nmodel = \"other\"\nwindow = 16384\nprotocol = \"schema\"\n",
        server.base()
    );
    let scene = Scene::with(&gone, "stub", "", &format!("[limits]\nmodel_retries = 0\n{more}"));
    scene.run("Write a.txt", &[]).expect(5, "failed");
    assert!(server.requests().is_empty());

    let unknown = scene.command(&["resume", "last", "--headless", "--model", "nowhere"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(2), "{}", String::from_utf8_lossy(&unknown.stderr));
    let end = scene.resume(&["--model", "other"]);
    let changed = end.all("settings_changed");
    assert!(
        changed[0]["why"].as_str().unwrap().starts_with("model changed to other (http://"),
        "{changed:?}"
    );
    assert_eq!(end.all("run_reopened").len(), 1);
    let requests = server.requests();
    assert_eq!(requests[0].body["model"], "other");
    assert!(requests[0].body.get("response_format").is_some(), "the other model's protocol is used");
}

/// A port on which nobody listens, and its base URL.
fn nobody() -> (u16, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (port, format!("http://127.0.0.1:{port}/v1"))
}

#[test]
fn a_server_that_is_started_anew_is_waited_for() {
    let (port, base) = nobody();
    let scene = Scene::with(&base, "stub", "", "");
    let mut work = scene.start(&Scene::goal("Look", &[]));
    let failed = work.until("model_failed");
    assert_eq!(failed["kind"], "connect", "{failed}");
    // It is back some seconds later, before it is asked again.
    let _server = ChatServer::script_at(port, vec![text("Done.", 5, 1)]);
    let done = work.finish();
    done.expect(0, "completed");
    assert_eq!(done.all("model_failed").len(), 1, "it came back before the first retry");
}

#[test]
fn a_run_that_failed_for_its_server_is_tried_again_with_resume() {
    let (port, base) = nobody();
    let scene = Scene::with(&base, "stub", "", "[limits]\nmodel_retries = 0\n");
    scene.run("Look", &[]).expect(5, "failed");
    let again = scene.resume(&[]);
    again.expect(5, "failed");
    assert_eq!(again.all("model_failed").len(), 1, "it was asked again");
    let _server = ChatServer::script_at(port, vec![text("Done.", 5, 1)]);
    let done = scene.resume(&[]);
    done.expect(0, "completed");
    assert_eq!(done.all("run_reopened")[0]["why"], "a person tries again");
    // What has ended as it should is only shown.
    assert!(scene.resume(&[]).all("run_reopened").is_empty());
}

#[test]
fn a_terminal_that_is_dumb_starts_nothing_unasked() {
    let server = ChatServer::script(vec![text("Done.", 5, 1)]);
    let scene = Scene::new(&server).with_variable("TERM", "dumb");
    let desk = scene.terminal_of(200, &[]);
    desk.wait_for("wakeful run");
    assert_eq!(desk.end(), 2);
    assert!(server.requests().is_empty());
    let runs = scene.command(&["runs", "--json"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&runs.stdout).trim(), "[]");
}

#[test]
fn a_key_that_is_missing_is_told_before_there_is_a_run() {
    let server = ChatServer::script(vec![text("Done.", 5, 1)]);
    let scene = Scene::of(&server, "key_env = \"NO_SUCH_KEY\"\nprotocol = \"native\"\n", "");
    let done = scene.run("Look", &[]);
    assert_eq!(done.code, 2, "{}", done.talk);
    assert!(done.talk.contains("NO_SUCH_KEY"), "{}", done.talk);
    let runs = scene.command(&["runs", "--json"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&runs.stdout).trim(), "[]");
}
