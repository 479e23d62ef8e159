//! The workstation: one screen on which a person watches runs, decides their calls and steers them.
//!
//! A key or a change of the store becomes a message; `update` turns a message and the present
//! model into the next model and commands, and does nothing else; commands are carried out off the thread that draws
//! (an inbox row is written, a snapshot is read). The screen is drawn from the model alone, when something changed.
//!
//! The workstation never calls the engine. It writes the same inbox rows as the command line, so that a run does the
//! same whether its worker lives in this process, in another one, or not at all.
//!
//! Not to be assumed: that what is shown is the present state. A snapshot is of one head; what a person
//! decides names what they saw, and the store refuses it if that is no longer so.

pub mod app;
pub mod dialog;
pub mod edit;
pub mod feed;
pub mod frame;
pub mod input;
pub mod keys;
pub mod layout;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod view;
pub mod words;
