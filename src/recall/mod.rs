//! Pure: which memories are near to what a step is about.
//!
//! A text becomes [`terms`]: words brought to their stems, identifiers with their parts, and for scripts without spaces
//! single characters and pairs of neighbours. The store's full-text index holds the same terms, so that what is found
//! there and what is explained here agree. A [`Reading`] is a text taken apart once. [`rank`] joins the
//! order by text with the order by meaning, gives each memory a score and says why; [`disagree`] tells whether two
//! memories say different things of the same.
//!
//! Not to be assumed: that there are vectors. Everything works by text alone.

mod amounts;
mod bag;
mod conflict;
mod fuse;
mod lexicon;
mod statement;
mod terms;
mod words;

pub use conflict::{Reading, disagree, same};
pub use fuse::{Candidate, Found, Policy, Ranked, rank};
pub use terms::{Terms, terms};
