//! The first session of the README, typed again in a real terminal: what it prints is what is written there.

use crate::suite::serve::scene::Scene;
use std::path::Path;

/// Lines without what is another each time: ids, milliseconds, the folder.
fn comparable(text: &str, folder: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace(folder, "/home/me/garden");
    let id = pattern("r-[0-9a-f]{12}");
    let took = pattern(r"\d+ ?ms\b");
    text.lines()
        .map(|line| took.replace_all(&id.replace_all(line, "r-ID"), "N ms").trim_end().to_owned())
        .collect()
}

fn pattern(text: &str) -> regex::Regex {
    regex::Regex::new(text).unwrap()
}

#[test]
fn the_first_session_of_the_readme_is_what_a_terminal_shows() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let (_, rest) = readme.split_once("````console\n").unwrap();
    let (block, _) = rest.split_once("````\n").unwrap();
    let (command, shown) = block.split_once("--model offline\n").unwrap();
    let goal = command.split('\'').nth(1).unwrap();
    let check = command.rsplit("--check ").next().unwrap().trim();

    let scene = Scene::with("http://127.0.0.1:9/v1", "nobody", "", "");
    scene.file("README.md", "# Garden\n\nBeds, watering, what was sown when.\n");
    std::fs::create_dir(scene.workspace().join("notes")).unwrap();
    scene.file("notes/beds.md", "TODO order seeds\n");
    scene.file("notes/sown.md", "March: peas\n");
    let desk = scene.terminal_of(120, &["run", goal, "--check", check, "--model", "offline"]);
    desk.wait_for("l later (default) › ");
    desk.type_in("y\r");
    desk.wait_for_times("[survey 9/16]\r\n", 2);
    let folder = scene.workspace().canonicalize().unwrap().to_string_lossy().into_owned();
    let printed = comparable(&desk.screen(), &folder);
    assert_eq!(comparable(shown, &folder), printed, "\n{}", desk.screen());
    assert_eq!(desk.end(), 0);
}
