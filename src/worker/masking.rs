//! Takes keys out of texts before they are stored: the keys in use, and what has the form of a well-known kind of key.
//!
//! Arguments of calls are stored exactly as they run, with `${secret:NAME}` where a configured secret belongs; arguments
//! that hold a key itself are marked and never run. The forms stand in [`secret_forms`]: few for all that is stored, more for
//! what outlives a run.

use super::secret_forms;
use crate::host::environment::Secrets;
use crate::run::control::{Control, Decision};
use crate::run::goal::Goal;
use std::borrow::Cow;

/// Shorter keys are no keys, and would mask ordinary words.
const SHORTEST: usize = 8;
/// Stands where a key stood.
pub(super) const MASK: &str = "[masked key]";

/// Stands in stored arguments where a key or secret stood; such a call never runs.
const TAKEN_OUT: &str = "[a secret was taken out here]";
/// The tool that keeps what outlives a run.
const REMEMBER: &str = "remember";
/// The most that is held back of a text that comes in, bytes: longer than any key.
const HELD: usize = 64 * 1024;

/// What is to be masked in a run.
#[derive(Clone, Default)]
pub struct Masks {
    /// What is looked for, and what stands in its place; the longest first.
    known: Vec<(String, String)>,
}

impl Masks {
    /// Masks these keys and secrets besides the known forms.
    pub fn new(keys: Vec<String>, secrets: &Secrets) -> Self {
        let keys = keys.into_iter().filter(|k| k.len() >= SHORTEST).map(|k| (k, MASK.to_owned()));
        let mut known: Vec<(String, String)> = keys.collect();
        for (name, value) in secrets.iter() {
            let mask = format!("[masked secret {name}]");
            // As a program prints it, inside a JSON text, and inside an address.
            let json = serde_json::Value::from(value).to_string();
            let json = json.trim_matches('"').to_owned();
            for form in [value.to_owned(), json, percent_encoded(value)] {
                if !known.iter().any(|(k, _)| *k == form) {
                    known.push((form, mask.clone()));
                }
            }
        }
        // The longest first: a key that begins like another is masked as a whole.
        known.sort_by_key(|(k, _)| std::cmp::Reverse(k.len()));
        Self { known }
    }

    /// The text without keys.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.replaced(text, None)
    }

    fn replaced<'a>(&self, text: &'a str, with: Option<&str>) -> Cow<'a, str> {
        let mut out = Cow::Borrowed(text);
        for (key, mask) in &self.known {
            if out.contains(key.as_str()) {
                out = Cow::Owned(out.replace(key.as_str(), with.unwrap_or(mask)));
            }
        }
        match secret_forms::sure(&out, with.unwrap_or(MASK)) {
            Cow::Owned(new) => Cow::Owned(new),
            Cow::Borrowed(_) => out,
        }
    }

    /// A text that outlives its run, without keys and without what is told of secrets in words.
    pub fn remembered(&self, text: &str) -> String {
        secret_forms::told(&self.text(text), MASK).into_owned()
    }

    /// True if a memory of these words, about this key, tells no secret.
    pub fn keeps(&self, key: Option<&str>, text: &str) -> bool {
        let key = key.unwrap_or_default();
        // A key may be the name of what the words are the value of.
        let said = [key.to_owned(), text.to_owned(), format!("{key}: {text}")];
        said.iter().all(|said| self.remembered(said) == *said)
    }

    /// The arguments of a call as they may be stored; those that want a secret to be remembered are marked too.
    pub fn call(&self, tool: &str, raw: String) -> String {
        let raw = self.arguments(raw);
        if tool != REMEMBER {
            return raw;
        }
        let Ok(mut value) = serde_json::from_str::<serde_json::Value>(&raw) else {
            return secret_forms::told(&raw, TAKEN_OUT).into_owned();
        };
        let word =
            |name: &str| value.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
        let (key, text) = (word("key"), word("text"));
        if self.keeps(Some(&key), &text) {
            return raw;
        }
        let marked = secret_forms::told(&text, TAKEN_OUT).into_owned();
        if let Some(fields) = value.as_object_mut() {
            let marked = if marked == text { TAKEN_OUT.to_owned() } else { marked };
            fields.insert("text".to_owned(), marked.into());
            if self.remembered(&key) != key {
                fields.insert("key".to_owned(), TAKEN_OUT.into());
            }
        }
        crate::tool::canonical(&value)
    }

    /// The text without keys.
    pub fn owned(&self, text: String) -> String {
        match self.text(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(new) => new,
        }
    }

    /// Raw output without keys: as it is unless there is one.
    pub fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let text = String::from_utf8_lossy(&bytes);
        let masked = self.text(&text);
        if masked == text { bytes } else { masked.into_owned().into_bytes() }
    }

    /// Up to where no key can begin in this text that is not whole: the rest waits for what follows, unless it is very
    /// long.
    pub fn settled(&self, text: &str) -> usize {
        Stream { masks: self.clone(), held: text.to_owned() }.safe()
    }

    /// Arguments as they may be stored. Those that hold a key or a secret are marked, so that the judge knows them: they
    /// are not what was asked for any more, and never run.
    pub fn arguments(&self, raw: String) -> String {
        let canonical = match serde_json::from_str::<serde_json::Value>(&raw) {
            Ok(value) => crate::tool::canonical(&value),
            Err(_) => raw.clone(),
        };
        let marked = self.replaced(&canonical, Some(TAKEN_OUT));
        // A key that is written twice shows in the raw text alone.
        match (marked, self.replaced(&raw, Some(TAKEN_OUT))) {
            (Cow::Owned(marked), _) => marked,
            (Cow::Borrowed(_), Cow::Owned(marked)) => marked,
            (Cow::Borrowed(_), Cow::Borrowed(_)) => raw,
        }
    }
}

/// Words for a person whose text cannot be stored as it is.
fn refused(what: &str) -> String {
    format!(
        "{what} holds a key or another secret, which would be stored. Write ${{secret:NAME}} in its place; `wakeful config \
         schema` says how a secret gets a name"
    )
}

impl Masks {
    fn clean(&self, text: &str) -> bool {
        matches!(self.replaced(text, None), Cow::Borrowed(_))
    }

    /// Looks whether a goal can be stored: it is kept word for word, so that nothing in it is masked.
    ///
    /// # Errors
    /// Words for the person, if it holds a key or a secret.
    pub fn goal(&self, goal: &Goal) -> Result<(), String> {
        let checks: Vec<String> = goal.checks.iter().map(ToString::to_string).collect();
        let mut texts = std::iter::once(&goal.text).chain(&goal.constraints).chain(&checks);
        if texts.all(|text| self.clean(text)) { Ok(()) } else { Err(refused("the goal")) }
    }

    /// A control as it may be stored: words to the agent are masked.
    ///
    /// # Errors
    /// Words for the person, if what has to be kept exactly (arguments, a goal) holds a key or a secret.
    pub fn control(&self, control: Control) -> Result<Control, String> {
        Ok(match control {
            Control::Message { text, now } => Control::Message { text: self.owned(text), now },
            Control::EditGoal { based_on, goal } => {
                self.goal(&goal)?;
                Control::EditGoal { based_on, goal }
            }
            Control::EditPlan { items, .. } if !items.iter().all(|item| self.clean(&item.title)) => {
                return Err(refused("the plan"));
            }
            Control::Decide { call_id, args_hash, attempt, decision } => {
                let decision = match decision {
                    Decision::ApproveEdited { args } | Decision::ApproveShown { args: Some(args), .. }
                        if taken_out(&self.arguments(args.to_string())) =>
                    {
                        return Err(refused("a new argument"));
                    }
                    Decision::Deny { reason } => Decision::Deny { reason: self.owned(reason) },
                    Decision::Answer { text } => Decision::Answer { text: self.owned(text) },
                    same @ (Decision::Approve
                    | Decision::ApproveEdited { .. }
                    | Decision::ApproveShown { .. }
                    | Decision::Reuse { .. }
                    | Decision::Resolve { .. }) => same,
                };
                Control::Decide { call_id, args_hash, attempt, decision }
            }
            same @ (Control::Pause { .. }
            | Control::Continue
            | Control::Cancel
            | Control::EditPlan { .. }
            | Control::SetLimits { .. }
            | Control::SetMode { .. }
            | Control::SetModel { .. }
            | Control::ExtendTimeout { .. }
            | Control::StopCall { .. }
            | Control::Rollback { .. }
            | Control::Redo) => same,
        })
    }
}

/// True for stored arguments in which a key or secret stood.
pub fn taken_out(args: &str) -> bool {
    args.contains(TAKEN_OUT)
}

/// A value as it stands in an address.
pub fn percent_encoded(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// A text that comes in by pieces, masked: what may be the beginning of a key is held back until the rest is there.
pub struct Stream {
    masks: Masks,
    held: String,
}

impl Stream {
    /// Nothing has come yet.
    pub fn new(masks: Masks) -> Self {
        Self { masks, held: String::new() }
    }

    /// Adds a piece and gives what can be shown now.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let rest = self.held.split_off(self.safe());
        self.masks.owned(std::mem::replace(&mut self.held, rest))
    }

    /// Gives the rest.
    pub fn finish(&mut self) -> String {
        self.masks.owned(std::mem::take(&mut self.held))
    }

    /// Up to where no key can begin that is not whole.
    fn safe(&self) -> usize {
        if self.held.len() > HELD {
            return self.held.len();
        }
        let in_key = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let word = |of: &dyn Fn(char) -> bool| {
            let last = self.held.char_indices().rev().find(|(_, c)| !of(*c));
            last.map_or(0, |(at, c)| at + c.len_utf8())
        };
        let mut cut = word(&in_key);
        // Some keys are parts with points between.
        let parted = word(&|c| in_key(c) || c == '.');
        let begun = self.held.get(parted..).unwrap_or_default();
        if ["eyJ", "SG.", "ya29."].iter().any(|begin| begun.contains(begin)) {
            cut = cut.min(parted);
        }
        if let Some(begin) = self.held.rfind("-----BEGIN") {
            const END: &str = "-----END";
            const LAST: &str = "-----";
            let body = self.held.get(begin..).unwrap_or_default();
            let last = body
                .find(END)
                .map(|at| at + END.len())
                .and_then(|at| Some(at + body.get(at..)?.find(LAST)? + LAST.len()));
            if last.is_none_or(|last| begin + last > cut) {
                cut = cut.min(begin);
            }
        }
        for (key, _) in self.masks.known.iter().filter(|(key, _)| !key.chars().all(in_key)) {
            let tail = self.held.len().saturating_sub(key.len());
            let begun = self.held.char_indices().filter(|(at, _)| *at >= tail && *at < cut);
            let open = |at: &usize| {
                let end = self.held.get(*at..).unwrap_or_default();
                key.starts_with(end) || (end.starts_with(key.as_str()) && at + key.len() > cut)
            };
            if let Some(at) = begun.map(|(at, _)| at).find(open) {
                cut = cut.min(at);
            }
        }
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_and_everything_else_stays() {
        let masks = Masks::new(vec!["hunter2-hunter2".into(), "short".into()], &Secrets::default());
        assert_eq!(masks.text("a hunter2-hunter2 b short"), "a [masked key] b short");
        for key in [
            "sk-proj-4f8a9b2c7d1e6f3a5b9c",
            "ghp_0123456789abcdefghij0123456789abcdef",
            "AKIA0123456789ABCDEF",
        ] {
            assert_eq!(masks.text(&format!("KEY={key};")), "KEY=[masked key];");
        }
        let plain = "let api_key = get_api_key(); // class sk-folding-cube-container-name; 任务 sk-1";
        assert!(matches!(masks.text(plain), Cow::Borrowed(_)));
        let raw = vec![0xff, b'x', 0xfe];
        assert_eq!(masks.bytes(raw.clone()), raw);
    }

    fn with_secret(value: &str) -> Masks {
        Masks::new(Vec::new(), &[("DEPLOY".to_owned(), value.to_owned())].into_iter().collect())
    }

    #[test]
    fn a_secret_is_known_in_every_form_and_marked_in_arguments() {
        let masks = with_secret("pa\"ss wört");
        assert_eq!(masks.text("x pa\"ss wört y"), "x [masked secret DEPLOY] y");
        assert_eq!(masks.text(r#"{"a":"pa\"ss wört"}"#), r#"{"a":"[masked secret DEPLOY]"}"#);
        assert_eq!(masks.text("?k=pa%22ss%20w%C3%B6rt&"), "?k=[masked secret DEPLOY]&");
        for raw in [
            r#"{"command":"curl pa\"ss wört"}"#,
            r#"{"command":"curl pa\u0022ss w\u00f6rt"}"#,
            r#"{"command":"pa\"ss wört","command":"ls"}"#,
            r#"{"command":"pa\"ss wört"#,
        ] {
            let stored = masks.arguments(raw.to_owned());
            assert!(taken_out(&stored) && !stored.contains("wört"), "{stored}");
        }
        let plain = r#"{ "command": "echo ${secret:DEPLOY}" }"#;
        assert_eq!(masks.arguments(plain.to_owned()), plain);
    }

    #[test]
    fn a_text_in_pieces_never_shows_a_part_of_a_key() {
        for (masks, text, shown) in [
            (
                with_secret("one two three"),
                "say one two three and 你好 go",
                "say [masked secret DEPLOY] and 你好 go",
            ),
            (with_secret("unused-secret"), "key sk-proj-4f8a9b2c7d1e6f3a5b9c.", "key [masked key]."),
            (
                with_secret("unused-secret"),
                "a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN b",
                "a [masked key] b",
            ),
            (
                with_secret("unused-secret"),
                "a -----BEGIN RSA PRIVATE KEY-----\nab1\n-----END RSA PRIVATE KEY----- b",
                "a [masked key] b",
            ),
        ] {
            for size in 1..text.chars().count() {
                let (mut stream, mut out) = (Stream::new(masks.clone()), Vec::new());
                let chars: Vec<char> = text.chars().collect();
                for piece in chars.chunks(size) {
                    out.push(stream.push(&piece.iter().collect::<String>()));
                }
                out.push(stream.finish());
                assert_eq!(out.concat(), shown, "pieces of {size}");
            }
        }
        let mut stream = Stream::new(with_secret("unused-secret"));
        assert_eq!(stream.push("你好，世界"), "你好，世界", "what cannot be a key is not held back");
        assert_eq!(stream.push("....."), ".....", "nor are the points of a progress");
    }
}
