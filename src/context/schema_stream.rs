//! The words in a reply of the schema protocol while it streams in: its thought and its final answer, as people read
//! them, without the JSON around them. For showing only; what counts is the whole reply
//! ([`super::parse_schema_reply`]). A text that is no JSON object passes as it is.

/// Reads a stream of pieces.
#[derive(Debug, Default)]
pub struct SchemaText {
    form: Form,
    depth: u32,
    string: Option<Text>,
    /// The key of the outer object whose value comes next.
    key: String,
    /// True while a value is expected.
    value: bool,
    /// True once words were shown.
    shown: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Form {
    /// Nothing but spaces or the beginning of a code fence so far.
    #[default]
    Unknown,
    /// A fence: what stands before the object is not shown.
    Fence,
    /// The object.
    Object,
    /// Anything else.
    Plain,
}

/// A string of the JSON that is being read.
#[derive(Debug, Default)]
struct Text {
    /// What becomes of it.
    part: Part,
    escape: Escape,
    /// A high surrogate that waits for its partner.
    high: Option<u32>,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Part {
    /// It is a key of the outer object.
    Key,
    /// Its words are shown.
    Shown,
    /// It is passed over.
    #[default]
    Hidden,
}

#[derive(Debug, Default)]
enum Escape {
    #[default]
    None,
    /// Behind a backslash.
    Open,
    /// Hexadecimal digits still to come, and their value so far.
    Unicode(u32, u32),
}

impl SchemaText {
    /// Takes the next piece and gives the words in it.
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = String::new();
        for c in piece.chars() {
            self.take(c, &mut out);
        }
        out
    }

    fn take(&mut self, c: char, out: &mut String) {
        match self.form {
            Form::Unknown if c.is_whitespace() => {}
            Form::Unknown | Form::Fence if c == '{' => {
                self.form = Form::Object;
                self.depth = 1;
            }
            Form::Unknown if c == '`' => self.form = Form::Fence,
            Form::Fence => {}
            Form::Unknown => {
                self.form = Form::Plain;
                out.push(c);
            }
            Form::Plain => out.push(c),
            Form::Object => self.object(c, out),
        }
    }

    fn object(&mut self, c: char, out: &mut String) {
        if let Some(mut text) = self.string.take() {
            let (found, over) = text.take(c);
            if let Some(found) = found {
                match text.part {
                    Part::Key => self.key.push(found),
                    Part::Shown => {
                        self.shown = true;
                        out.push(found);
                    }
                    Part::Hidden => {}
                }
            }
            if !over {
                self.string = Some(text);
            } else if text.part == Part::Shown {
                self.value = false;
            }
            return;
        }
        match c {
            '"' => self.string = Some(Text { part: self.part(out), ..Text::default() }),
            '{' | '[' => self.depth = self.depth.saturating_add(1),
            '}' | ']' => self.depth = self.depth.saturating_sub(1),
            ':' if self.depth == 1 => self.value = true,
            ',' if self.depth == 1 => {
                self.value = false;
                self.key.clear();
            }
            _ => {}
        }
    }

    /// What the string is that begins here.
    fn part(&mut self, out: &mut String) -> Part {
        if self.depth != 1 {
            return Part::Hidden;
        }
        if !self.value {
            self.key.clear();
            return Part::Key;
        }
        if !matches!(self.key.as_str(), "thought" | "final_answer") {
            return Part::Hidden;
        }
        if std::mem::take(&mut self.shown) {
            out.push('\n');
        }
        Part::Shown
    }
}

impl Text {
    /// The character that `c` completes, and whether the string is over.
    fn take(&mut self, c: char) -> (Option<char>, bool) {
        match self.escape {
            Escape::None if c == '"' => (None, true),
            Escape::None if c == '\\' => {
                self.escape = Escape::Open;
                (None, false)
            }
            Escape::None => (Some(c), false),
            Escape::Open if c == 'u' => {
                self.escape = Escape::Unicode(4, 0);
                (None, false)
            }
            Escape::Open => {
                self.escape = Escape::None;
                let found = match c {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'b' | 'f' => ' ',
                    other => other,
                };
                (Some(found), false)
            }
            Escape::Unicode(left, value) => {
                let value = value * 16 + c.to_digit(16).unwrap_or(0);
                if left > 1 {
                    self.escape = Escape::Unicode(left - 1, value);
                    return (None, false);
                }
                self.escape = Escape::None;
                (self.unit(value), false)
            }
        }
    }

    /// A UTF-16 unit of an escape; halves of a pair are joined.
    fn unit(&mut self, value: u32) -> Option<char> {
        match (self.high.take(), value) {
            (_, 0xD800..=0xDBFF) => {
                self.high = Some(value);
                None
            }
            (Some(high), 0xDC00..=0xDFFF) => {
                char::from_u32(0x10000 + ((high - 0xD800) << 10) + (value - 0xDC00))
            }
            (_, value) => char::from_u32(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SchemaText;

    fn shown(text: &str, size: usize) -> String {
        let mut words = SchemaText::default();
        let chars: Vec<char> = text.chars().collect();
        chars.chunks(size).map(|piece| words.push(&piece.iter().collect::<String>())).collect()
    }

    #[test]
    fn thought_and_answer_are_shown_whatever_the_pieces() {
        let action = r#"{"thought": "I read \"a\"\n文件 \u4f60\ud83d\ude00", "action": {"tool": "read_file", "arguments": {"thought": "no"}}, "final_answer": null}"#;
        let answer = r#" {"thought":"","action":null,"final_answer":"Done: {x}, [y]"}"#;
        let both = "```json\n{\"final_answer\": \"b\", \"thought\": \"a\"}\n```";
        for size in [1, 2, 3, 7, 1000] {
            assert_eq!(shown(action, size), "I read \"a\"\n文件 你😀");
            assert_eq!(shown(answer, size), "Done: {x}, [y]");
            assert_eq!(shown(both, size), "b\na");
            assert_eq!(shown("  Hello, {you}", size), "Hello, {you}");
        }
    }
}
