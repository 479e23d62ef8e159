//! Tests of `host`: shell calls under their supervisors, with real processes.

mod calls;
mod deaths;
mod evidence;
mod kills;
mod output;
mod scene;
mod terminal;
