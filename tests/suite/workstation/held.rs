//! No key waits for the database. It is held for longer than a call of the store waits (10 s), and each key is answered
//! as soon as ever: keys that open something, that read what is stored, that write, and Esc.

use super::desk::{Desk, Place, eventually};
use super::lock::{HELD, held_away, lock};
use super::pace::{Best, Stroke, there_and_back, took};
use super::place::queued;
use std::process::Command;
use std::time::{Duration, Instant};

/// Longer than a call of the store tries.
const HELD_FOR: Duration = Duration::from_secs(12);
/// How many times longer than in a quiet moment a key may take, at its best.
const TIMES: f64 = 10.0;

/// Three files and a question, in two runs; the first one is left waiting, the second one is shown.
fn two_at_their_questions() -> (Place, Desk) {
    let place = Place::new();
    place.config(
        "[limits]\ntool_calls_per_minute = 1000\n[[rule]]\ntool = \"write_file\"\nthen = \"allow\"\n",
    );
    place.script(
        "[[steps]]\nrepeat = 3\nsay = \"Part {i}.\"\n\
         calls = [{ name = \"write_file\", args = { path = \"part-{i}.txt\", content = \"{i}\\n\" } }]\n\
         [[steps]]\nsay = \"One question.\"\n\
         calls = [{ name = \"ask_person\", args = { question = \"Which colour?\" } }]\n[[steps]]\nsay = \"Done.\"\n",
    );
    let desk = place.open(120, 40, &[]);
    desk.wait("offline model");
    desk.press("\r");
    desk.wait("NEEDS YOU");
    desk.press("n");
    desk.wait("What is to be reached");
    desk.press("Sort the photos");
    desk.wait("Sort the photos");
    desk.press("\x0f");
    desk.wait("Sort the photos · r-");
    desk.wait("runs: 2 need you");
    (place, desk)
}

/// Keys of all kinds; most of them read.
fn all_kinds() -> Vec<Stroke> {
    let to = |key, text| Stroke { key, text, shown: true };
    let mut all = there_and_back(&[("?", "type to filter"), ("i", "Ctrl-J new line")]);
    all.extend([to("2", "━ 2 Context"), to("4", "━ 4 Checkpoints")]);
    all.extend(there_and_back(&[
        ("r", "Roll back to step"),
        ("=", " and now"),
        ("x", "Exact request"),
        ("g", "Versions"),
        ("n", "What is to be reached"),
        ("a", "━ The agent asks you ━"),
        ("d", "The agent reads this"),
        ("L", "Change limits"),
        ("q", "Leave wakeful?"),
    ]));
    all.extend([to("1", "━ 1 Loop"), to("]", "Survey this folder"), to("[", "Sort the photos · r-")]);
    all
}

#[test]
fn no_key_waits_while_the_database_is_held_longer_than_the_store_waits() {
    let (place, desk) = two_at_their_questions();
    let strokes = all_kinds();
    // Once for what is read for the first time.
    let quiet = Best::of(&strokes).rounds(&desk, 1).rounds(&desk, 3);
    let ask = Stroke { key: "?", text: "type to filter", shown: true };
    let calm = Best::of(&there_and_back(&[(ask.key, ask.text)])).rounds(&desk, 3);
    let held = lock(&place);
    let begun = Instant::now();
    // The key behind one that writes.
    let mut behind = Best::of(&there_and_back(&[(ask.key, ask.text)]));
    for message in ["first words", "second words", "third words"] {
        desk.press("i");
        desk.wait("Ctrl-J new line");
        desk.press(message);
        desk.wait(message);
        desk.press("\r");
        behind.round(&desk);
    }
    desk.wait("NOT SAVED YET");
    let mut best = Best::of(&strokes);
    let answered = |best: &Best| best.slowest(&quiet).0 < TIMES;
    while begun.elapsed() < HELD_FOR || (!answered(&best) && begun.elapsed() < HELD_FOR * 3) {
        best.round(&desk);
        assert!(desk.shows("NOT SAVED YET"), "{}", desk.screen());
    }
    let slowest = best.slowest(&quiet);
    println!("slowest of all {slowest:?}, behind a write {:?}", behind.slowest(&calm));
    assert!(slowest.0 < TIMES, "{slowest:?}\nquiet {quiet:?}\nheld {best:?}");
    assert!(behind.slowest(&calm).0 < TIMES, "behind a write: {behind:?}, {calm:?}");
    assert!(queued(&place).is_empty(), "it was held all the time");
    drop(held);
    desk.wait_gone("NOT SAVED YET");
    desk.until("all is stored", || queued(&place).len() == 3);
    assert_eq!(queued(&place), ["first words", "second words", "third words"], "once, in their order");
    desk.kill();
}

/// Keeps readers out, which a writer alone does not: a process that holds the marks of all readers, as one that hangs
/// while it brings the log into the file. `SQLite`'s bytes 123 to 127 of the index of the log.
const HOLDS_READERS: &str = "use Fcntl; open(my $f, '+<', $ARGV[0]) or die; \
    my $l = pack('s s x4 q q i x4', F_WRLCK, 0, 123, 5, 0); fcntl($f, F_SETLKW, $l) or die $!; \
    open(my $m, '>', $ARGV[1]) or die; close $m; sleep 600";

/// No answer comes from the store at all: dialogs open and say that they read, and are closed again.
#[test]
fn no_key_waits_while_nothing_can_be_read() {
    let (place, desk) = two_at_their_questions();
    desk.press("4");
    desk.wait("━ 4 Checkpoints");
    let strokes = there_and_back(&[
        ("?", "type to filter"),
        ("x", "Exact request"),
        ("r", "Roll back to step"),
        ("=", " and now"),
        ("n", "What is to be reached"),
        ("q", "Leave wakeful?"),
    ]);
    let quiet = Best::of(&strokes).rounds(&desk, 1).rounds(&desk, 3);
    let mut index = place.db().into_os_string();
    index.push("-shm");
    let mark = place.workspace().join("held");
    let mut holder = Command::new("perl").args(["-e", HOLDS_READERS]).arg(index).arg(&mark).spawn().unwrap();
    eventually("readers are kept out", || mark.exists());
    let begun = Instant::now();
    desk.press("x");
    desk.wait("Reading…");
    desk.press("\x1b");
    desk.wait_gone("Exact request");
    let mut best = Best::of(&strokes);
    while begun.elapsed() < HELD_FOR {
        best.round(&desk);
    }
    holder.kill().unwrap();
    holder.wait().unwrap();
    let slowest = best.slowest(&quiet);
    println!("slowest {slowest:?}");
    assert!(slowest.0 < TIMES, "{slowest:?}\nquiet {quiet:?}\nheld {best:?}");
    // And what is asked now is answered.
    desk.press("x");
    desk.wait("Exact request");
    desk.wait("\"messages\"");
    desk.kill();
}

#[test]
fn no_key_waits_at_a_start_behind_a_held_database() {
    let place = Place::new();
    let (held, desk) = held_away(&place, (120, 40), &[], HELD);
    let begun = Instant::now();
    let strokes = there_and_back(&[("?", "type to filter"), (":", "Command")]);
    let mut best = Best::of(&strokes);
    while begun.elapsed() < HELD_FOR {
        best.round(&desk);
        desk.wait(HELD);
    }
    drop(held);
    desk.wait_gone(HELD);
    desk.wait("offline model");
    let quiet = Best::of(&strokes).rounds(&desk, 3);
    let slowest = best.slowest(&quiet);
    assert!(slowest.0 < TIMES, "{slowest:?}\nquiet {quiet:?}\nheld {best:?}");
    took(&desk, Stroke { key: "n", text: "What is to be reached", shown: true });
    desk.kill();
}
