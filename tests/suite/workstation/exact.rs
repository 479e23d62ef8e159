//! The exact request on the screen is what the server got.

use super::desk::{Desk, Place};
use crate::suite::provider::server::{Answer, ChatServer};
use crate::suite::serve::scene::messages;
use serde_json::json;
use std::collections::BTreeMap;

/// The rows of the page in view by their numbers, and whether there are more behind it.
fn page(desk: &Desk) -> Option<(BTreeMap<usize, String>, bool)> {
    let screen = desk.seen();
    let rows: Vec<String> = screen.rows(0, screen.size().1.get()).collect();
    let inside = |row: &String| {
        let mut parts = row.split('┃').skip(1);
        let text = parts.next()?.to_owned();
        parts.next().map(|_| text)
    };
    let mut lines: Vec<String> = rows.iter().filter_map(inside).collect();
    let keys = lines.pop()?;
    // `Ctrl-D more  > end  1–33 / 62`
    let (range, _) = keys.split_once(" / ")?;
    let (from, to) = range.split_whitespace().next_back()?.split_once('–')?;
    let number = |text: &str| text.replace(',', "").parse::<usize>().ok();
    let (from, to) = (number(from)?, number(to)?);
    (lines.len() == to + 1 - from).then(|| ((from..=to).zip(lines).collect(), keys.contains(" more")))
}

/// Pages through it: what stands there, without the spaces, which a page adds and a broken line hides.
fn read_through(desk: &Desk) -> String {
    let mut all = BTreeMap::new();
    loop {
        desk.until("a page", || page(desk).is_some());
        let (lines, more) = page(desk).unwrap();
        let first = *lines.keys().next().unwrap();
        all.extend(lines);
        if !more {
            break;
        }
        desk.press("\x04");
        desk.until("the next page", || page(desk).is_some_and(|(lines, _)| !lines.contains_key(&first)));
    }
    assert!(all.keys().copied().eq(1..=all.len()), "no row is missing");
    all.values().map(|line| bare(line.trim_start_matches("↳ ").trim_start_matches(" ↳ "))).collect()
}

fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn the_exact_request_is_what_the_server_got_message_for_message() {
    let server = ChatServer::start(|nth, _| match nth {
        0 => Answer::calls(&[("c1", "read_file", json!({"path": "poem.txt"}))]),
        _ => Answer::calls(&[("c2", "ask_person", json!({"question": "Which colour?"}))]),
    });
    let place = Place::new();
    place.config(&format!(
        "default_profile = \"stub\"\n[profile.stub]\nbase_url = \"{}\"\nmodel = \"stub\"\nwindow = 32768\n\
         protocol = \"native\"\n",
        server.base()
    ));
    let poem: String = (1..90).map(|n| format!("line {n}: “the quick” brown 狐狸 \\ jumps\t…\n")).collect();
    std::fs::write(place.workspace().join("poem.txt"), poem).unwrap();
    std::fs::write(place.workspace().join("AGENTS.md"), "Count twice, 逐一检查.").unwrap();
    let desk = place.asking_the_stub();
    desk.wait("Which colour?");
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    desk.press("x");
    desk.wait("Exact request · step 2");
    let shown = read_through(&desk);
    desk.press("\x1b");
    desk.wait_gone("Exact request");
    let sent = messages(&requests[1]);
    assert!(sent.len() >= 4, "{sent:#?}");
    for message in sent {
        let text = bare(&format!("{message:#}"));
        assert!(shown.contains(&text), "not shown as it was sent:\n{text}\n\n{shown}");
    }
    for tool in requests[1].body["tools"].as_array().unwrap() {
        assert!(shown.contains(&bare(&format!("{tool:#}"))), "{tool:#}");
    }
    // The step before it had less, and that is told of it.
    let first = messages(&requests[0]);
    assert!(first.len() < sent.len());
    desk.kill();
}
