//! The whole binary against a scripted chat server: what comes over the wire, limits, checks, the context, keys.

pub mod scene;

mod asleep;
mod beside;
mod cached;
mod calibrated;
mod checks;
mod cut;
mod edited;
mod elsewhere;
mod going_back;
mod instructions;
mod keeper;
mod kept;
mod limits;
pub mod long_run;
mod memories;
mod moved;
mod output;
mod question;
mod quirk;
mod recounted;
mod replies;
mod room;
mod secrets;
pub mod slots;
mod strategies;
mod summaries;
mod tokenizer;
mod window;
mod wire;
