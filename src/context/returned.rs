//! What the model is told when a claim to be done, or a reply that nothing can be done with, goes back to it; and the
//! same in a few words for the person.

const FAILED: &str = "You are not done: these acceptance checks failed.\n";
const MEND: &str = "\nMend that, then say that you are done.";

/// These checks failed.
pub fn failed_checks<'a>(details: impl Iterator<Item = &'a str>) -> String {
    let lines: Vec<String> = details.map(|detail| format!("- {detail}")).collect();
    format!("{FAILED}{}{MEND}", lines.join("\n"))
}

/// The goal is another one by now.
pub fn goal_edited() -> String {
    "A person edited the goal while you were finishing. Read it again and go on with it as it is now."
        .to_owned()
}

/// The reply reached its limit.
pub fn too_long() -> String {
    "Your reply was cut off by its length limit. Go on where it broke off, or answer more briefly.".to_owned()
}

/// The server's filter ended the reply.
pub fn filtered() -> String {
    "Your reply was ended by the server's content filter before it was whole, so it counts for nothing. Go on without \
     what the filter objects to; if the goal cannot be reached so, say that."
        .to_owned()
}

/// The reply is not in the form that the protocol wants.
pub fn unreadable(why: &str) -> String {
    format!("Your reply could not be read: {why}. Answer with one JSON object as the format says.")
}

/// The server could not read the call in the reply.
pub fn unparsed(why: &str) -> String {
    format!(
        "Your last reply held a tool call that could not be parsed: {why}\n\
         Write the arguments of a call as one valid JSON object, with every quote and line end in its texts escaped."
    )
}

/// The reason in such a text, for the person.
pub fn reason(text: &str) -> String {
    if let Some(checks) = text.strip_prefix(FAILED) {
        let checks = checks.strip_suffix(MEND).unwrap_or(checks);
        return format!("not done yet: {}", checks.strip_prefix("- ").unwrap_or(checks));
    }
    let first = text.lines().next().unwrap_or_default();
    match first.strip_prefix("Your ") {
        Some(rest) => format!("its {rest}"),
        None => first.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_for_the_person_is_the_one_the_model_gets() {
        let failed = failed_checks(["file:a: there is no file a", "cmd:x: exit 3"].into_iter());
        assert!(failed.ends_with("say that you are done."));
        assert_eq!(reason(&failed), "not done yet: file:a: there is no file a\n- cmd:x: exit 3");
        assert!(reason(&too_long()).starts_with("its reply was cut off"));
        assert!(reason(&filtered()).starts_with("its reply was ended by the server's content filter"));
        assert!(reason(&unreadable("no JSON")).starts_with("its reply could not be read: no JSON"));
        assert_eq!(
            reason(&unparsed("missing quote")),
            "its last reply held a tool call that could not be parsed: missing quote"
        );
        assert!(reason(&goal_edited()).starts_with("A person edited the goal"));
    }
}
