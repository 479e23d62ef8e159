//! A question or a decision of the agent's in words: what is asked, the ways to go on with what each means, what the agent
//! would do, how to answer, and what becomes of it if nobody does.

use super::layout::{moment, wrapped};
use crate::run::call::DefaultAnswer;
use crate::run::id::Millis;
use crate::tool::{AskArgs, DecideArgs};

/// The arguments of a call that asks a person; none if they are not what such a call holds.
pub fn question(tool: &str, args: &str, width: usize) -> Option<String> {
    match tool {
        "decide" => Some(decision(&serde_json::from_str(args).ok()?, width)),
        "ask_person" => Some(plain(&serde_json::from_str(args).ok()?, width)),
        _ => None,
    }
}

fn decision(args: &DecideArgs, width: usize) -> String {
    let mut text =
        wrapped(&format!("decide how to go on; the goal as the agent sees it: {}", args.goal), "    ", width);
    for (at, option) in args.options.iter().enumerate() {
        text.push_str(&wrapped(&format!("{}  {}", at + 1, option.title), "    ", width));
        text.push_str(&wrapped(&option.effect_on_goal, "       ", width));
    }
    // As the agent wrote it: a title or a number.
    let given = args.recommendation.trim();
    let by_title = args.options.iter().position(|option| option.title.to_lowercase() == given.to_lowercase());
    let number = by_title.or_else(|| given.parse::<usize>().ok()?.checked_sub(1));
    let recommended = number.and_then(|at| Some(format!("{}, {}", at + 1, args.options.get(at)?.title)));
    let words =
        format!("the agent recommends {}: {}", recommended.unwrap_or_else(|| given.to_owned()), args.why);
    text.push_str(&wrapped(&words, "    ", width));
    text.push_str("    answer with its number, its title or words of your own\n");
    text
}

fn plain(args: &AskArgs, width: usize) -> String {
    let mut text = wrapped(&args.question, "    ", width);
    for option in &args.options {
        text.push_str(&wrapped(&format!("- {option}"), "    ", width));
    }
    text.push_str(match args.options.is_empty() {
        true => "    answer in your own words\n",
        false => "    answer with one of these or in words of your own\n",
    });
    text
}

/// The option of a decision that a number names, as it is shown; else the text as it is. The error says how many options
/// there are.
///
/// # Errors
/// A number that names none.
pub fn chosen(tool: &str, args: &str, text: String) -> Result<String, String> {
    let number = text.trim().parse::<usize>().ok();
    let (Some(number), "decide") = (number, tool) else { return Ok(text) };
    let Ok(DecideArgs { options, .. }) = serde_json::from_str(args) else { return Ok(text) };
    let count = options.len();
    let option = number.checked_sub(1).and_then(|at| options.into_iter().nth(at));
    match option {
        Some(option) => Ok(option.title),
        None => Err(format!("the options 1 to {count}; there is no {number}")),
    }
}

/// When the recommendation is taken of itself, in words that follow what waits.
pub fn taken(default: DefaultAnswer, now: Millis) -> String {
    let at = moment(default.at);
    match now >= default.at {
        false => format!("without an answer the agent's recommendation is taken at {at}"),
        true => format!("the agent's recommendation was due at {at}; whoever works at the run next takes it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_that_has_passed_was_due() {
        let default = DefaultAnswer { at: 1_000, after_ms: 500 };
        assert!(taken(default, 999).contains("is taken at"));
        assert!(taken(default, 1_000).contains("was due at"));
    }

    #[test]
    fn a_number_chooses_an_option_of_a_decision_and_nothing_else() {
        let args = serde_json::json!({
            "goal": "g", "why": "w", "recommendation": "2",
            "options": [{"title": "wait", "effect_on_goal": "later"}, {"title": "go", "effect_on_goal": "now"}],
        });
        let chosen = |tool: &str, text: &str| chosen(tool, &args.to_string(), text.to_owned());
        assert_eq!(chosen("decide", " 2 "), Ok("go".to_owned()));
        assert_eq!(chosen("decide", "2 please"), Ok("2 please".to_owned()));
        assert_eq!(chosen("ask_person", "2"), Ok("2".to_owned()));
        for none in ["0", "3"] {
            assert!(chosen("decide", none).unwrap_err().contains("the options 1 to 2; there is no"));
        }
    }

    #[test]
    fn what_is_no_question_is_left_to_others() {
        assert_eq!(question("shell", "{}", 80), None);
        assert_eq!(question("decide", "{\"goal\":", 80), None);
    }
}
