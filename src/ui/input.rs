//! What a person does, as the program gets it: keys, pastes, mouse, and the end of the terminal.
//!
//! Pure: [`Typed`] takes bytes and times. A paste is one [`Input::Paste`], also where the terminal does not mark it:
//! text keys that arrive as no hand can type them, with an Enter among them, are a paste ([`Burst`]). So what was
//! pasted triggers no commands, and its lines are not sent one by one. Turns of the wheel that follow each other are one
//! [`Input::Wheel`], so that a flood of them costs what a turn costs.
//!
//! Not to be assumed: that a key is delivered when it arrives. It waits for [`GAP`], the time in which the next key of
//! a burst would come.

use super::terminal::parse::{Heard, Parser};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEvent, MouseEventKind};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Something that happened at the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A key pressed or repeating; never a release.
    Key(KeyEvent),
    /// Pasted text, ends of lines as `\n`. From outside: nothing in it is neutralised.
    Paste(String),
    /// A click or drag.
    Mouse(MouseEvent),
    /// Turns of the wheel with nothing else between them, in their order.
    Wheel(Vec<Turns>),
    /// The terminal has another size: columns and rows.
    Resize(u16, u16),
    /// The terminal gained (true) or lost the focus.
    Focus(bool),
    /// SIGINT from outside: save and end. Ctrl-C is a key, which asks.
    Interrupt,
    /// SIGTERM: save and end.
    Terminate,
    /// The terminal is gone, or SIGHUP: save and end. Told once; nothing is drawn afterwards if it is gone.
    Hangup,
}

/// Turns of the wheel at one place and to one side, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    /// The column.
    pub column: u16,
    /// The row.
    pub row: u16,
    /// Towards the end.
    pub down: bool,
    /// How many.
    pub count: usize,
}

impl Turns {
    /// The turn that a report of the mouse is, if it is one.
    #[must_use]
    pub fn of(event: &MouseEvent) -> Option<Self> {
        let down = match event.kind {
            MouseEventKind::ScrollDown => true,
            MouseEventKind::ScrollUp => false,
            MouseEventKind::Down(_)
            | MouseEventKind::Up(_)
            | MouseEventKind::Drag(_)
            | MouseEventKind::Moved
            | MouseEventKind::ScrollLeft
            | MouseEventKind::ScrollRight => return None,
        };
        Some(Self { column: event.column, row: event.row, down, count: 1 })
    }

    /// Takes one that follows in, if it is of the same place and side.
    fn add(&mut self, next: Self) -> bool {
        let same = (self.column, self.row, self.down) == (next.column, next.row, next.down);
        self.count = if same { self.count.saturating_add(next.count) } else { self.count };
        same
    }
}

/// Longest time between two keys of a burst. Key repeat is at least three times slower, and a key that waits this long
/// still reaches its frame.
pub const GAP: Duration = Duration::from_millis(5);
/// Keys from which on a burst is a paste. More than the `yes` and Enter that a slow line delivers at once.
pub const MANY: usize = 8;

/// Finds pastes that the terminal does not mark, by their pace.
///
/// A burst is a sequence of text keys (characters, Tab, Enter) with no more than [`GAP`] between two. It is a paste if it
/// has at least [`MANY`] keys and one of them ends a line; else it is its keys.
#[derive(Debug, Default)]
pub struct Burst {
    keys: Vec<KeyEvent>,
    last: Option<Instant>,
}

impl Burst {
    /// Takes a key that arrived now.
    pub fn key(&mut self, now: Instant, key: KeyEvent, out: &mut Vec<Input>) {
        self.expire(now, out);
        if text_of(&key).is_some() {
            self.keys.push(key);
            self.last = Some(now);
        } else {
            self.end(out);
            out.push(Input::Key(key));
        }
    }

    /// When [`Burst::expire`] ends the burst.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        self.last.map(|last| last + GAP)
    }

    /// Ends the burst if no key of it can come any more.
    pub fn expire(&mut self, now: Instant, out: &mut Vec<Input>) {
        if self.due().is_some_and(|due| now >= due) {
            self.end(out);
        }
    }

    /// Ends the burst: something else happened.
    pub fn end(&mut self, out: &mut Vec<Input>) {
        self.last = None;
        let keys = std::mem::take(&mut self.keys);
        let text: String = keys.iter().filter_map(text_of).collect();
        if keys.len() >= MANY && text.contains('\n') {
            out.push(Input::Paste(text));
        } else {
            out.extend(keys.into_iter().map(Input::Key));
        }
    }
}

/// The character that a key stands for in a text.
fn text_of(key: &KeyEvent) -> Option<char> {
    let plain = key.modifiers.difference(KeyModifiers::SHIFT).is_empty();
    match key.code {
        KeyCode::Char('j') if key.modifiers == KeyModifiers::CONTROL => Some('\n'),
        KeyCode::Char(c) if plain => Some(c),
        KeyCode::Enter if plain => Some('\n'),
        KeyCode::Tab if plain => Some('\t'),
        _ => None,
    }
}

/// What the terminal answered to the loop, not to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It knows keyboard flags.
    KeyboardFlags,
    /// It answered all that was asked.
    Attributes,
}

/// Everything typed and not yet delivered, in its order.
#[derive(Debug, Default)]
pub struct Typed {
    parser: Parser,
    burst: Burst,
    queue: VecDeque<Input>,
    answers: Vec<Answer>,
}

impl Typed {
    /// Takes bytes that arrived now.
    pub fn feed(&mut self, bytes: &[u8], now: Instant) {
        let mut heard = Vec::new();
        self.parser.feed(bytes, now, &mut heard);
        self.take(heard, now);
    }

    fn take(&mut self, heard: Vec<Heard>, now: Instant) {
        let mut out = Vec::new();
        for heard in heard {
            match heard {
                Heard::Input(Input::Key(key)) if key.kind == KeyEventKind::Release => {}
                Heard::Input(Input::Key(key)) => self.burst.key(now, key, &mut out),
                Heard::Input(other) => {
                    self.burst.end(&mut out);
                    out.push(other);
                }
                Heard::KeyboardFlags => self.answers.push(Answer::KeyboardFlags),
                Heard::Attributes => self.answers.push(Answer::Attributes),
            }
        }
        self.queue_all(out);
    }

    /// Queues what is to be delivered; turns of the wheel join those before them.
    fn queue_all(&mut self, inputs: Vec<Input>) {
        for input in inputs {
            let turns = match &input {
                Input::Mouse(event) => Turns::of(event),
                Input::Key(_)
                | Input::Paste(_)
                | Input::Wheel(_)
                | Input::Resize(..)
                | Input::Focus(_)
                | Input::Interrupt
                | Input::Terminate
                | Input::Hangup => None,
            };
            match (turns, self.queue.back_mut()) {
                (None, _) => self.queue.push_back(input),
                (Some(turns), Some(Input::Wheel(all))) => {
                    if !all.last_mut().is_some_and(|last| last.add(turns)) {
                        all.push(turns);
                    }
                }
                (Some(turns), _) => self.queue.push_back(Input::Wheel(vec![turns])),
            }
        }
    }

    /// When time alone decides something.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        [self.parser.due(), self.burst.due()].into_iter().flatten().min()
    }

    /// Decides what time decides.
    pub fn expire(&mut self, now: Instant) {
        let mut out = Vec::new();
        self.burst.expire(now, &mut out);
        self.queue_all(out);
        let mut heard = Vec::new();
        self.parser.expire(now, &mut heard);
        self.take(heard, now);
    }

    /// The next for the program.
    pub fn pop(&mut self) -> Option<Input> {
        self.queue.pop_front()
    }

    /// Whether there is something for the program.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        !self.queue.is_empty()
    }

    /// What the terminal answered since the last time.
    pub fn answers(&mut self) -> Vec<Answer> {
        std::mem::take(&mut self.answers)
    }

    /// Drops what a person typed, pasted and clicked and that is not delivered: it was meant for what was on the screen
    /// then. Sizes, focus and ends stay.
    pub fn drop_typed(&mut self) {
        self.parser.forget();
        self.burst = Burst::default();
        self.queue.retain(|input| match input {
            Input::Key(_) | Input::Paste(_) | Input::Mouse(_) | Input::Wheel(_) => false,
            Input::Resize(..) | Input::Focus(_) | Input::Interrupt | Input::Terminate | Input::Hangup => true,
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]
    use super::*;

    /// Types pieces, each so many milliseconds after the one before, and waits.
    fn typed(pieces: &[(u64, &str)]) -> Vec<Input> {
        let (mut typed, mut now, mut all) = (Typed::default(), Instant::now(), Vec::new());
        for (after, piece) in pieces {
            now += Duration::from_millis(*after);
            typed.expire(now);
            typed.feed(piece.as_bytes(), now);
        }
        while let Some(due) = typed.due() {
            typed.expire(due);
        }
        all.extend(std::iter::from_fn(|| typed.pop()));
        all
    }

    fn keys(text: &str) -> Vec<Input> {
        let key = |c| if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) };
        text.chars().map(|c| Input::Key(KeyEvent::new(key(c), KeyModifiers::NONE))).collect()
    }

    #[test]
    fn lines_that_arrive_as_no_hand_types_are_one_paste() {
        let paste = |text: &str| vec![Input::Paste(text.to_owned())];
        assert_eq!(typed(&[(0, "first line\rq second\r")]), paste("first line\nq second\n"));
        assert_eq!(typed(&[(0, "第一行代码\r第二行")]), paste("第一行代码\n第二行"));
        assert_eq!(typed(&[(0, "quit"), (4, "\rall"), (4, " of it")]), paste("quit\nall of it"));
        let slow: Vec<(u64, &str)> = ["a", "p", "y", "q", "\r", "d", "e", "n", "y"].map(|c| (4, c)).to_vec();
        assert_eq!(typed(&slow), paste("apyq\ndeny"));
        assert_eq!(typed(&[(0, "fn main() {\n\tprintln!();\n}")]), paste("fn main() {\n\tprintln!();\n}"));
    }

    #[test]
    fn what_a_hand_can_type_stays_keys() {
        let by_hand: Vec<(u64, &str)> =
            ["p", "l", "e", "a", "s", "e", "g", "o", "\r"].map(|c| (6, c)).to_vec();
        assert_eq!(typed(&by_hand), keys("pleasego\n"));
        assert_eq!(typed(&[(0, "yes\r")]), keys("yes\n"), "a slow line delivers a word at once");
        assert_eq!(typed(&[(0, "jjjjjjjjjjjjjjj")]), keys("jjjjjjjjjjjjjjj"), "repeated keys have no Enter");
        assert_eq!(typed(&[(0, "jjjj\r"), (5, "kkkk")]), keys("jjjj\nkkkk"), "a pause ends a burst");
    }

    #[test]
    fn another_key_ends_a_burst_and_keeps_its_place() {
        let all = typed(&[(0, "abcd\r\x1b[Aefgh\r")]);
        let mut expected = keys("abcd\n");
        expected.push(Input::Key(KeyEvent::new(KeyCode::Up, KeyModifiers::NONE)));
        expected.extend(keys("efgh\n"));
        assert_eq!(all, expected);
    }

    #[test]
    fn what_is_dropped_was_typed_and_nothing_else() {
        let (mut typed, now) = (Typed::default(), Instant::now());
        typed.feed(b"yy\x1b[I\x1b[<0;3;4Mq\x1b[200~half of a paste", now);
        typed.drop_typed();
        typed.feed(b" and its rest\x1b[201~k\x1b", now);
        typed.drop_typed();
        typed.feed(b"[Ax", now);
        while let Some(due) = typed.due() {
            typed.expire(due);
        }
        let left: Vec<Input> = std::iter::from_fn(|| typed.pop()).collect();
        let mut expected = vec![Input::Focus(true)];
        expected.extend(keys("x"));
        assert_eq!(left, expected, "the arrow had begun before");
    }

    #[test]
    fn a_flood_of_the_wheel_is_summed_and_loses_nothing() {
        let of = |column, row, down, count| Turns { column, row, down, count };
        let flood = format!("{}{}", "\x1b[<64;3;4M".repeat(20_000), "\x1b[<65;3;4M".repeat(7));
        let all = typed(&[
            (0, "j"),
            (9, &flood),
            (0, "\x1b[<64;3;5M\x1b[<80;3;5M"),
            (0, "k"),
            (0, "\x1b[<65;3;5M"),
        ]);
        let mut expected = keys("j");
        expected.push(Input::Wheel(vec![of(2, 3, false, 20_000), of(2, 3, true, 7), of(2, 4, false, 2)]));
        expected.extend(keys("k"));
        expected.push(Input::Wheel(vec![of(2, 4, true, 1)]));
        assert_eq!(all, expected, "a key stays between what came before it and what came after");
        let all = typed(&[(0, "\x1b[<64;3;4M\x1b[<0;3;4M\x1b[<64;3;4M\x1b[<66;3;4M")]);
        assert_eq!(all.len(), 4, "a click stays between turns, and a turn to the side is none: {all:?}");
    }

    #[test]
    fn a_release_is_no_key_and_answers_are_not_for_the_program() {
        let (mut typed, now) = (Typed::default(), Instant::now());
        typed.feed(b"\x1b[?0u\x1b[?62;22c\x1b[97;1:3u\x1b[97;5:2u", now);
        assert_eq!(typed.answers(), [Answer::KeyboardFlags, Answer::Attributes]);
        let Some(Input::Key(key)) = typed.pop() else { unreachable!("the repeat is a key") };
        assert_eq!(
            (key.code, key.modifiers, key.kind),
            (KeyCode::Char('a'), KeyModifiers::CONTROL, KeyEventKind::Repeat)
        );
        assert_eq!(typed.pop(), None);
    }
}
