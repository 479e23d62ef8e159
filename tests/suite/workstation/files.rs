//! Files behind an `@`, in the real program: what the ignore rules leave out is not offered, what is taken is text.

use super::desk::Place;
use super::place::{events, text};
use wakeful::run::event::Event;

#[test]
fn a_file_is_named_in_a_goal_and_in_a_message() {
    let place = Place::new();
    let here = place.workspace();
    std::fs::write(here.join(".gitignore"), "secret-notes.md\n").unwrap();
    std::fs::write(here.join("secret-notes.md"), "x").unwrap();
    std::fs::create_dir(here.join("报告")).unwrap();
    std::fs::write(here.join("报告/季度 报告.md"), "x").unwrap();
    let desk = place.open(100, 30, &[]);
    desk.wait("offline model");
    desk.press("n");
    desk.wait("What is to be reached");
    desk.press("Sum up @notes");
    desk.wait("▌notes.md");
    assert!(!desk.shows("secret-notes.md"));
    desk.press("\t");
    desk.wait("Sum up @notes.md ");
    desk.press("and @季度");
    desk.wait("▌报告/季度 报告.md");
    desk.press("\r");
    desk.wait("and @\"报告/季度 报告.md\"");
    desk.press("\x0f");
    desk.wait("NEEDS YOU");
    desk.press("i");
    desk.wait("Enter send");
    desk.press("See @main");
    desk.wait("▌main.py");
    desk.press("\x1b");
    desk.wait_gone("▌main.py");
    desk.press(".");
    desk.press("\x7f");
    desk.press(" @py");
    desk.wait("▌main.py");
    desk.press("\r");
    desk.wait("See @main @main.py");
    desk.press("\r");
    desk.wait("queued: See @main");
    place.ask(&["deny", "last:4.1"]);
    let said = || {
        let of = |event| match event {
            Event::PersonMessage { body, .. } => Some(text(&place, &body)),
            _ => None,
        };
        events(&place).into_iter().find_map(of)
    };
    super::desk::eventually("it is delivered", || said().is_some());
    assert!(said().unwrap().contains("See @main @main.py"), "{:?}", said());
    let goal = events(&place).into_iter().find_map(|event| match event {
        Event::RunCreated { goal, .. } => Some(goal.text),
        _ => None,
    });
    assert_eq!(goal.as_deref(), Some("Sum up @notes.md and @\"报告/季度 报告.md\""));
    desk.kill();
}
