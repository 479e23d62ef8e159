//! Keys: what a key press is, what it means where, and how that is shown. Footer, help and palette are made from the
//! one [`table`], so that none of them can say what the keys do not do.
//!
//! Not to be assumed: that a key has its built-in meaning. Whatever is shown asks the [`Keymap`].

pub mod actions;
pub mod hints;
pub mod keymap;
pub mod live;
pub mod names;
pub mod press;
pub mod table;
#[cfg(test)]
mod tests;

pub use actions::Action;
pub use hints::{Command, Footer, Help, Hint, search};
pub use keymap::{BadKeymap, Bound, Hit, Keymap};
pub use names::BadKey;
pub use press::{Key, KeyPress};
pub use table::{Ctx, Row, TABLE};
