//! C13: a server that cuts the front of the prompt and says nothing. Half of what was sent is a cut; three quarters may be
//! an estimate that is too high.

use super::scene::{Scene, messages, text};
use crate::suite::provider::server::ChatServer;
use wakeful::context::request_tokens;
use wakeful::tokens::{Counter, Estimate};

/// What is told of a run whose server says that it read so many percent of what was sent.
fn told(percent: u64) -> String {
    let server = ChatServer::start(move |_, request| {
        let tools = request.body["tools"].as_array().cloned().unwrap_or_default();
        let sent = request_tokens(messages(request), &tools, &|text| Estimate.count(text));
        text("Seen.", u64::from(sent) * percent / 100, 3)
    });
    let scene = Scene::new(&server);
    let out = scene.command(&["run", "Look", "--approve", "auto", "--headless"]).output().unwrap();
    let talk = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(0), "{talk}");
    talk
}

#[test]
fn a_server_that_read_half_is_told_of_and_one_that_read_three_quarters_is_not() {
    for percent in [20, 50] {
        assert!(told(percent).contains("the server read only "), "{percent}: {}", told(percent));
    }
    for percent in [75, 80, 100, 125] {
        assert!(!told(percent).contains("read only"), "{percent}: {}", told(percent));
    }
}
