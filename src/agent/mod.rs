//! Pure decisions: [`next()`](next::next) says the one thing that a run does now, [`judge`](policy::judge) what becomes of a proposed
//! call. No I/O, no clock, no randomness: the same state and the same `now` give the same answer, so a worker that was
//! killed asks again and goes on.

pub mod defaults;
pub mod ends;
pub mod hears;
pub mod invariants;
pub mod next;
pub mod policy;
pub mod quota;
pub mod rollback;

pub use defaults::next_default;
pub use hears::{Hands, hears};
pub use next::{Next, Wait, next};
