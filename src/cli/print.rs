//! Printing: data on stdout, talk on stderr.
//!
//! Whatever is printed as text passes [`neutral`] or [`one_line`]: most of it was written by a model or a program. A
//! reader that went away (`| head`) is no error: [`Out`] falls silent, and the command ends with its own exit code. What
//! cannot be written for another reason (a full disk) is told on stderr, with exit code 1.
//! Nothing here depends on colour.

use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// True for characters that act on a terminal or hide in a text: controls, direction marks, zero-width and invisible
/// ones. Joiners stay, since scripts and emoji need them.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{feff}'
            | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Text whose lines and tabs stay and in which everything else that acts is shown as an escape.
pub fn neutral(text: &str) -> String {
    escaped(text, |c| (c == '\n' || c == '\t').then_some(c))
}

/// Text for one line: line ends and tabs become spaces.
pub fn one_line(text: &str) -> String {
    escaped(text.trim(), |c| matches!(c, '\n' | '\t' | '\r').then_some(' '))
}

fn escaped(text: &str, keep: impl Fn(char) -> Option<char>) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match keep(c) {
            Some(kept) => out.push(kept),
            None if acts(c) => out.extend(c.escape_unicode()),
            None => out.push(c),
        }
    }
    out
}

/// JSON in which characters that act are `\u` escapes: equal to any parser, harmless on a terminal.
fn harmless(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // Below 0x20 only the line ends of pretty JSON are left: the serialiser escapes the rest itself.
        if c != '\n' && acts(c) {
            let mut units = [0u16; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// Where data goes.
pub struct Out<W: Write> {
    to: W,
    gone: bool,
}

impl Out<io::Stdout> {
    /// The process's stdout.
    pub fn stdout() -> Self {
        Self::new(io::stdout())
    }
}

impl<W: Write> Out<W> {
    /// Prints to `to`.
    pub fn new(to: W) -> Self {
        Self { to, gone: false }
    }

    /// True once the reader went away; what is printed after that goes nowhere.
    pub fn gone(&self) -> bool {
        self.gone
    }

    /// Prints `text`, neutralised, and flushes. A line end is added if there is none.
    ///
    /// # Errors
    /// Whatever writing says, but for a reader that went away.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        let mut text = neutral(text);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        self.raw(&text)
    }

    /// Prints one JSON object in one line, and flushes.
    ///
    /// # Errors
    /// As [`Out::text`].
    pub fn json_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        let json = serde_json::to_string(value)?;
        self.raw(&format!("{}\n", harmless(&json)))
    }

    /// Prints a JSON value over several lines.
    ///
    /// # Errors
    /// As [`Out::text`].
    pub fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        let json = serde_json::to_string_pretty(value)?;
        self.raw(&format!("{}\n", harmless(&json)))
    }

    fn raw(&mut self, text: &str) -> io::Result<()> {
        if self.gone {
            return Ok(());
        }
        match self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush()) {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                self.gone = true;
                Ok(())
            }
            other => other.map_err(|e| io::Error::new(e.kind(), format!("stdout could not be written: {e}"))),
        }
    }
}

/// While the screen is drawn on, nothing else is written to the terminal.
static HUSHED: AtomicBool = AtomicBool::new(false);

/// Keeps [`talk`] silent, or no longer.
pub fn hush(yes: bool) {
    HUSHED.store(yes, Ordering::Relaxed);
}

/// Says something to the person, on stderr. Nobody may be there; that is no error.
pub fn talk(text: &str) {
    if HUSHED.load(Ordering::Relaxed) {
        return;
    }
    let _ = writeln!(io::stderr(), "{}", neutral(text).trim_end());
}

/// Columns of the terminal on stdout; none if it is not a terminal.
pub fn terminal_width() -> Option<usize> {
    width_of(io::stdout())
}

/// Columns of the terminal on stderr, where [`talk`] goes; none if it is not a terminal.
pub fn talk_width() -> Option<usize> {
    width_of(io::stderr())
}

fn width_of(stream: impl IsTerminal + AsFd) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(&stream).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}
