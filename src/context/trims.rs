//! What left the recent rounds, as the budget table tells it: for one request, and since the run began.

use crate::run::budget_table::{Trim, so_many};
use crate::run::state::Path;

/// What left since the last step was committed: for the request that is made now.
pub(super) fn now(path: &Path) -> Vec<Trim> {
    let [rounds, dropped, shortened] = [path.left.rounds, path.left.dropped, path.left.shortened];
    told(rounds, dropped, shortened)
}

/// What left since the run began.
pub(super) fn since_start(path: &Path) -> Vec<Trim> {
    let n = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let rounds = path.folded.as_ref().map_or((0, 0), |folded| (folded.rounds, folded.tokens));
    let dropped = path.dropped.values().map(|saved| u64::from(*saved)).sum();
    let shortened = path.shortened.values().map(|short| u64::from(short.saved)).sum();
    told(rounds, (n(path.dropped.len()), dropped), (n(path.shortened.len()), shortened))
}

fn told(rounds: (u32, u64), dropped: (u32, u64), shortened: (u32, u64)) -> Vec<Trim> {
    let trim = |(n, tokens): (u32, u64), what: &str, why: &str| {
        let what = so_many(usize::try_from(n).unwrap_or(usize::MAX), what);
        let tokens = u32::try_from(tokens).unwrap_or(u32::MAX);
        (n > 0).then(|| Trim { what, why: why.to_owned(), tokens })
    };
    let all = [
        trim(rounds, "rounds", "folded"),
        trim(dropped, "old outputs", "dropped to save room"),
        trim(shortened, "outputs", Trim::SHORTENED),
    ];
    all.into_iter().flatten().collect()
}
