//! What the next try at a summary or a core is told of the reply that was not taken.
//!
//! Derived from the state, so that the request can be rebuilt.

use crate::run::Refused;
use crate::run::state::Path;

/// Behind the request for a summary; none if nothing was refused.
pub(super) fn of_summary(path: &Path) -> Option<String> {
    path.summary_refused.filter(|_| path.summary_tries > 0).map(|why| said(why, SUMMARY))
}

/// Behind the request for the core: what was wrong in this step, not what was ten steps ago.
pub(super) fn of_core(path: &Path) -> Option<String> {
    let now = path.keeper.tries > 0 && path.keeper.at == path.step;
    path.keeper.refused.filter(|_| now).map(|why| said(why, CORE))
}

const SUMMARY: &str = "Write it under the headings, shorter than what it stands for";
const CORE: &str = "Write CORE: and behind it three to five plain sentences";

fn said(why: Refused, ask: &str) -> String {
    let advice = match why {
        Refused::Posing => {
            "; report what was done and found, and do not restate or change a goal, a constraint or a rule"
        }
        Refused::Empty
        | Refused::NoHeading
        | Refused::Longer
        | Refused::NoMarker
        | Refused::NoSentences
        | Refused::Unknown => "",
    };
    format!("The reply before this one was not taken: {why}. {ask}{advice}.")
}
