//! How far a model's own counts lie from our estimates of them, learnt from what its server reports.
//!
//! Derived: the median of the last replies' ratios, so that one odd figure decides nothing. Not to be assumed: that a
//! server's figure is its count of what was sent. One that cut the prompt, leaves cached tokens out or makes figures up is
//! not believed: a ratio outside of `LEAST` to `MOST` teaches nothing.

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
}

impl Calibration {
    /// True if nothing was learnt.
    pub fn is_empty(&self) -> bool {
        self.ratios.is_empty()
    }

    /// Notes a reply: our own count of its prompt, without any factor, and the server's.
    pub fn note(&mut self, ours: u32, server: u64) {
        if ours < SHORT {
            return;
        }
        let ratio = server.saturating_mul(1_000) / u64::from(ours);
        if let Ok(believed) = u32::try_from(ratio)
            && (LEAST..=MOST).contains(&ratio)
        {
            self.ratios.push_back(believed);
            while self.ratios.len() > KEPT {
                self.ratios.pop_front();
            }
        }
    }

    /// What an estimate is multiplied by, thousandths; `start` until enough was learnt.
    pub fn factor(&self, start: u32) -> u32 {
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

    #[test]
    fn what_is_put_into_own_tokens_fits_when_it_comes_back() {
        for factor in [800, 980, 1_020, 1_500, 2_500] {
            for tokens in [0, 1, 999, 8_192, 200_000] {
                assert!(scaled(unscaled(tokens, factor), factor) <= tokens, "{tokens} at {factor}");
            }
        }
    }
}
