//! Nothing that comes from data is an instruction to the terminal.

use super::desk::Place;

/// What would happen if it were: the screen cleared, a title set, the clipboard written, a device asked, colours, a C1
/// sequence, text turned round, letters that are not seen.
const EVIL: &str = "A\\u001b[2JKLIRR\\u001b]0;KLIRR\\u0007\\u001b]52;c;S0xJUlI=\\u0007\\u001bP+q544e\\u001b\\\\\\u001b[31mB\\u009b3m\\u202eC\\u200bD\\u2066E\\u0007F\\u0008G\\rH";

#[test]
fn codes_in_data_are_never_sent_to_the_terminal() {
    let place = Place::playing("");
    let evil: String = serde_json::from_str(&format!("\"{EVIL}\"")).unwrap();
    std::fs::write(place.workspace().join("out"), &evil).unwrap();
    std::fs::write(place.workspace().join(format!("name{}", evil.replace('/', ""))), "x").unwrap();
    // TOML reads the same escapes.
    place.script(&format!(
        "[[steps]]\nsay = \"Look: {EVIL}\"\n\
         calls = [{{ name = \"shell\", args = {{ command = \"cat out; ls; echo oops{EVIL} >&2\" }} }}, \
         {{ name = \"list_files\", args = {{}} }}, {{ name = \"note\", args = {{ kind = \"fact\", text = \"{EVIL}\" }} }}, \
         {{ name = \"write_file\", args = {{ path = \"made{EVIL}\", content = \"{EVIL}\" }} }}]\n\
         [[steps]]\nsay = \"End {EVIL}\"\n"
    ));
    let goal = format!("Goal {evil}").replace('\u{0}', "");
    let begun = place.ask(&["run", &goal, "--model", "offline", "--headless"]);
    let desk = place.open(120, 40, &[]);
    desk.until("something is shown", || desk.shows("NEEDS YOU") || desk.shows("GOAL"));
    assert!(desk.shows("NEEDS YOU"), "{begun}\n{}", desk.screen());
    let pause = |ms| std::thread::sleep(std::time::Duration::from_millis(ms));
    desk.press("o");
    for panel in ["2", "3", "4", "5", "6", "1"] {
        for key in [panel, "<", "j", "k", "l", "j", "\r", ">"] {
            desk.press(key);
            pause(60);
        }
        // Twice quickly would pause the run.
        pause(700);
        desk.press("\x1b");
    }
    for key in ["a", "x", "g", "L", "e", "d", "?", ":", "q"] {
        pause(700);
        desk.press(key);
        pause(250);
        desk.press(">");
        pause(60);
        desk.press("\x1b");
    }
    // Alone, so that it is no Alt key.
    pause(250);
    desk.press("1");
    desk.wait("━ 1 Loop");
    assert!(desk.shows("\\u{1b}"), "what is there is shown as codes:\n{}", desk.screen());
    let bytes = desk.bytes();
    let has = |what: &[u8]| bytes.windows(what.len()).any(|at| at == what);
    assert!(has(b"KLIRR"));
    for evil in [
        &b"\x1b[2JKLIRR"[..],
        b"\x1b]0;",
        b"\x1b]52",
        b"\x1bP",
        b"\x1b[31mB",
        "\u{9b}".as_bytes(),
        "\u{202e}".as_bytes(),
        "\u{200b}".as_bytes(),
        "\u{2066}".as_bytes(),
        b"\x08",
        b"F\x08G",
    ] {
        assert!(!has(evil), "{:?} reached the terminal", String::from_utf8_lossy(evil));
    }
    // The one title that it sets is its own, its text without controls.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    for title in text.split("\x1b]2;").skip(1) {
        let title = title.split("\x1b\\").next().unwrap();
        assert!(
            title.chars().all(|c| !c.is_control() && !"\u{202e}\u{200b}\u{2066}".contains(c)),
            "{title:?}"
        );
    }
}
