//! How far a model's own counts lie from our estimates of them, learnt from what its server reports.
//!
//! Derived: the median of the last replies' ratios, so that one odd figure decides nothing. Not to be assumed: that a
//! server's figure is its count of what was sent. One that cut the prompt, leaves cached tokens out or makes figures up is
//! not believed: a ratio outside of `LEAST` to `MOST` teaches nothing, nor does the same figure for requests of different
//! size. Where a cut is suspected no more is sent than our own count allows, until the server reads clearly more.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A factor that changes nothing, thousandths.
pub const NEUTRAL: u32 = 1_000;
/// Least ratio that is believed, thousandths: estimates are rarely so much too high, and who believes less fills the window
/// of a server that cuts.
const LEAST: u64 = 800;
/// Greatest ratio that is believed, thousandths: small vocabularies take twice the tokens for Chinese.
const MOST: u64 = 2_500;
/// Prompts below are too short to tell, tokens of our own count.
const SHORT: u32 = 256;
/// Tokens of our own count by which requests differ that no server counts alike.
const DIFFERENT: u32 = 128;
/// Replies with one and the same figure from which on it is a limit.
const LIMIT: u32 = 3;
/// Tokens that are missing before a cut is suspected; below, an estimate may be to blame.
pub(super) const FAR_FEWER: u64 = 512;
/// Replies that are remembered.
const KEPT: usize = 9;
/// Replies from which on they are believed.
const ENOUGH: usize = 2;
/// A factor is rounded up to this, thousandths, so that it seldom changes.
const STEP: u32 = 20;

/// What the last replies of a model taught.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    /// The server's count for a thousand of ours, the newest last.
    ratios: VecDeque<u32>,
    /// The figure of the last replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same: Option<Same>,
    /// The figure at which the server seems to cut prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limit: Option<u64>,
}

/// A figure that was reported again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Same {
    server: u64,
    /// Replies in a row.
    times: u32,
    /// Our own counts of their prompts.
    least: u32,
    most: u32,
    /// Ratios that it taught.
    taught: usize,
}

impl Same {
    /// True if it is no count of what was sent: the prompts differ.
    fn of_different(&self) -> bool {
        self.most - self.least >= DIFFERENT
    }
}

impl Calibration {
    /// True if nothing was learnt.
    pub fn is_empty(&self) -> bool {
        self.ratios.is_empty() && self.same.is_none() && self.limit.is_none()
    }

    /// Notes a reply: our own count of its prompt, without any factor, and the server's.
    pub fn note(&mut self, ours: u32, server: u64) {
        if ours < SHORT {
            return;
        }
        let different = self.note_figure(ours, server);
        let ratio = server.saturating_mul(1_000) / u64::from(ours);
        let far = ratio < LEAST && server.saturating_add(FAR_FEWER) <= u64::from(ours);
        if far || different && server < u64::from(ours) {
            self.limit = self.limit.max(Some(server));
        } else if self.limit.is_some_and(|limit| server > limit.saturating_add(limit / 4)) {
            // It reads clearly more than that.
            self.limit = None;
        }
        if let Ok(believed) = u32::try_from(ratio)
            && (LEAST..=MOST).contains(&ratio)
            && !different
        {
            self.ratios.push_back(believed);
            while self.ratios.len() > KEPT {
                self.ratios.pop_front();
            }
            if let Some(same) = &mut self.same {
                same.taught += 1;
            }
        }
    }

    /// Notes a reply's figure. True if it was the same for prompts that differ: what it taught is forgotten.
    fn note_figure(&mut self, ours: u32, server: u64) -> bool {
        let new = Same { server, times: 0, least: ours, most: ours, taught: 0 };
        let mut same = self.same.take().filter(|same| same.server == server).unwrap_or(new);
        same.times = same.times.saturating_add(1);
        (same.least, same.most) = (same.least.min(ours), same.most.max(ours));
        let different = same.of_different();
        if different {
            let left = self.ratios.len().saturating_sub(std::mem::take(&mut same.taught));
            self.ratios.truncate(left);
        }
        self.same = Some(same);
        different
    }

    /// True if the server reports this figure again and again for prompts that differ: a limit of its own.
    pub fn is_limit(&self, server: u64) -> bool {
        let limit = |same: &Same| same.server == server && same.times >= LIMIT && same.of_different();
        self.same.as_ref().is_some_and(limit)
    }

    /// What an estimate is multiplied by, thousandths; `start` until enough was learnt.
    pub fn factor(&self, start: u32) -> u32 {
        let learnt = self.learnt(start);
        if self.limit.is_some() { learnt.max(NEUTRAL) } else { learnt }
    }

    fn learnt(&self, start: u32) -> u32 {
        if self.ratios.len() < ENOUGH {
            return believable(start);
        }
        let mut sorted: Vec<u32> = self.ratios.iter().copied().collect();
        sorted.sort_unstable();
        // Of two in the middle the greater: too few tokens in the window harm less than too many.
        let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(NEUTRAL);
        believable(middle.div_ceil(STEP).saturating_mul(STEP))
    }
}

/// A factor within what is believed; whatever stands in a file or an old journal.
fn believable(factor: u32) -> u32 {
    let bound = |n: u64| u32::try_from(n).unwrap_or(NEUTRAL);
    factor.clamp(bound(LEAST), bound(MOST))
}

/// Tokens times a factor, rounded up.
pub fn scaled(tokens: u32, factor: u32) -> u32 {
    let product = u64::from(tokens) * u64::from(factor);
    u32::try_from(product.div_ceil(u64::from(NEUTRAL))).unwrap_or(u32::MAX)
}

/// Tokens through a factor, rounded down: of our own count so many are surely not more than those.
pub fn unscaled(tokens: u32, factor: u32) -> u32 {
    let product = u64::from(tokens) * u64::from(NEUTRAL);
    u32::try_from(product / u64::from(factor.max(1))).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learnt(all: &[(u32, u64)]) -> u32 {
        let mut calibration = Calibration::default();
        all.iter().for_each(|(ours, server)| calibration.note(*ours, *server));
        calibration.factor(NEUTRAL)
    }

    #[test]
    fn the_median_of_the_last_replies_decides_and_one_alone_does_not() {
        assert_eq!(learnt(&[]), 1_000);
        assert_eq!(learnt(&[(1_000, 1_300)]), 1_000, "one reply may be odd");
        assert_eq!(learnt(&[(1_000, 1_300), (1_000, 1_310)]), 1_320);
        assert_eq!(learnt(&[(1_000, 1_100), (1_000, 2_400), (1_000, 1_110), (2_000, 2_200)]), 1_120);
        let mut many = vec![(1_000, 2_000); 20];
        many.extend([(1_000, 1_200); 9]);
        assert_eq!(learnt(&many), 1_200, "what is long ago is forgotten");
    }

    #[test]
    fn impossible_figures_teach_nothing() {
        for server in [0, 1, 300, 799, 2_600, u64::MAX] {
            assert_eq!(learnt(&[(1_000, server); 9]), 1_000, "{server}");
        }
        assert_eq!(learnt(&[(100, 150); 9]), 1_000, "too short to tell");
        assert_eq!(learnt(&[(0, 0); 9]), 1_000);
        assert_eq!((Calibration::default().factor(0), Calibration::default().factor(u32::MAX)), (800, 2_500));
    }

    /// A server that reads so many tokens at most, and prompts that grow to what the factor allows in a window.
    fn cut_at(limit: u64, window: u32) -> (Calibration, u32) {
        let (mut calibration, mut ours) = (Calibration::default(), 1_500);
        for _ in 0..48 {
            calibration.note(ours, u64::from(ours).min(limit));
            ours = (ours + 150).min(unscaled(window, calibration.factor(NEUTRAL)));
        }
        (calibration, ours)
    }

    #[test]
    fn a_server_that_cuts_never_lets_more_be_sent_than_our_own_count_allows() {
        for limit in [2_600, 4_096, 5_500] {
            let (calibration, ours) = cut_at(limit, 6_144);
            assert_eq!((calibration.factor(NEUTRAL), calibration.factor(800)), (1_000, 1_000), "{limit}");
            assert!(ours <= 6_144 && calibration.is_limit(limit) && !calibration.is_limit(limit + 1));
        }
    }

    #[test]
    fn short_prompts_that_are_not_cut_say_nothing_of_long_ones_until_more_is_read() {
        let mut calibration = Calibration::default();
        (0..5_u32).for_each(|n| calibration.note(1_000 + n, u64::from(900 + n)));
        assert_eq!(calibration.factor(NEUTRAL), 900);
        // Cut, at another place each time.
        calibration.note(6_000, 2_590);
        assert_eq!(calibration.factor(NEUTRAL), 1_000);
        calibration.note(6_200, 2_610);
        (0..5_u32).for_each(|n| calibration.note(1_000 + n, u64::from(900 + n)));
        assert_eq!(calibration.factor(NEUTRAL), 1_000, "the long ones are cut all the same");
        calibration.note(6_100, 5_490);
        assert_eq!(calibration.factor(NEUTRAL), 900, "the server's context was raised");
    }

    #[test]
    fn the_same_figure_for_like_prompts_is_a_count() {
        assert_eq!(learnt(&[(1_000, 1_300), (1_010, 1_300), (990, 1_300)]), 1_300);
        let mut calibration = Calibration::default();
        (0..9).for_each(|_| calibration.note(1_000, 900));
        assert!(!calibration.is_limit(900) && calibration.factor(NEUTRAL) == 900);
    }

    #[test]
    fn what_is_put_into_own_tokens_fits_when_it_comes_back() {
        for factor in [800, 980, 1_020, 1_500, 2_500] {
            for tokens in [0, 1, 999, 8_192, 200_000] {
                assert!(scaled(unscaled(tokens, factor), factor) <= tokens, "{tokens} at {factor}");
            }
        }
    }
}
