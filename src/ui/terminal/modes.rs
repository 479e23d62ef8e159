//! The escape sequences that turn the terminal's modes on and off, each with its counterpart.
//!
//! Sources: xterm's control sequences (ctlseqs) and the kitty keyboard protocol. A terminal that does not know a mode
//! ignores the sequence. Any-event mouse tracking (1003) is left off: nothing here follows a bare pointer, and its
//! reports would wake the process at every movement.

/// What is turned on while the workstation has the screen, beside raw mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Title of the window at first; the one before comes back at the end where the terminal keeps a stack of titles.
    pub title: String,
    /// Whether clicks, drags and the wheel are reported. Off leaves selecting text to the terminal.
    pub mouse: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { title: "wakeful".to_owned(), mouse: true }
    }
}

const ALTERNATE_ON: &str = "\x1b[?1049h";
const ALTERNATE_OFF: &str = "\x1b[?1049l";
const PASTE_ON: &str = "\x1b[?2004h";
const PASTE_OFF: &str = "\x1b[?2004l";
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";
const FOCUS_ON: &str = "\x1b[?1004h";
const FOCUS_OFF: &str = "\x1b[?1004l";
const CURSOR_HIDE: &str = "\x1b[?25l";
/// Shown, and in the shape that is the terminal's own.
const CURSOR_SHOW: &str = "\x1b[0 q\x1b[?25h";
const TITLE_KEEP: &str = "\x1b[22;2t";
const TITLE_BACK: &str = "\x1b[23;2t";
const PLAIN_STYLE: &str = "\x1b[0m";
/// Asks for the keyboard flags, then for the device attributes, which every terminal answers: an answer to the second
/// alone means that the first is not known.
const ASK_KEYBOARD: &str = "\x1b[?u\x1b[c";

/// Escape, Ctrl and Alt keys as unambiguous sequences; text keys stay text.
pub(super) const KEYBOARD_ON: &str = "\x1b[>1u";

/// Begins a frame that the terminal shows all at once.
pub(crate) const FRAME_BEGINS: &[u8] = b"\x1b[?2026h";
/// Ends it.
pub(crate) const FRAME_ENDS: &[u8] = b"\x1b[?2026l";

/// The sequence that sets the window's title. Control characters are left out: one of them would end the sequence, and
/// what follows would be taken for more of them.
pub(crate) fn title(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("\x1b]2;{text}\x1b\\")
}

/// Everything on. The keyboard's flags are pushed on the alternate screen, which has a stack of its own.
pub(super) fn on(options: &Options, keyboard: Option<bool>) -> String {
    let mouse = if options.mouse { MOUSE_ON } else { "" };
    let keys = match keyboard {
        None => ASK_KEYBOARD,
        Some(true) => KEYBOARD_ON,
        Some(false) => "",
    };
    let title = title(&options.title);
    [ALTERNATE_ON, TITLE_KEEP, &title, CURSOR_HIDE, PASTE_ON, mouse, FOCUS_ON, keys].concat()
}

/// Everything off, in reverse; keyboard flags as often as they were pushed. First ends a frame that was cut, which a terminal might hold back for ever.
pub(super) fn off(options: &Options, pushed: usize) -> String {
    let keys = if pushed > 0 { format!("\x1b[<{pushed}u") } else { String::new() };
    let mouse = if options.mouse { MOUSE_OFF } else { "" };
    let end = "\x1b[?2026l";
    [end, &keys, FOCUS_OFF, mouse, PASTE_OFF, PLAIN_STYLE, CURSOR_SHOW, TITLE_BACK, ALTERNATE_OFF].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_turned_on_is_turned_off() {
        let options = Options::default();
        let (on, off) = (on(&options, Some(true)), off(&options, 1));
        for mode in on.split("\x1b[?").skip(1).filter_map(|rest| rest.split_once('h').map(|(n, _)| n)) {
            if mode.chars().all(|c| c.is_ascii_digit()) {
                assert!(off.contains(&format!("\x1b[?{mode}l")), "{mode} stays on");
            }
        }
        assert!(off.contains("\x1b[?25h") && on.contains("\x1b[?25l"));
        assert!(on.contains("\x1b[>1u") && off.contains("\x1b[<1u"));
        assert!(
            off.find("\x1b[<1u") < off.find("\x1b[?1049l"),
            "flags are popped from the stack they were pushed on"
        );
    }

    #[test]
    fn keyboard_flags_are_pushed_only_where_they_are_known_to_work() {
        let options = Options::default();
        assert!(!on(&options, None).contains(KEYBOARD_ON) && on(&options, None).contains(ASK_KEYBOARD));
        assert!(!on(&options, Some(false)).contains(KEYBOARD_ON));
        assert!(!off(&options, 0).contains("\x1b[<"));
    }

    #[test]
    fn a_title_cannot_end_its_sequence() {
        assert_eq!(title("a\x1b\\\x07b\u{9c}读"), "\x1b]2;a\\b读\x1b\\");
    }
}
