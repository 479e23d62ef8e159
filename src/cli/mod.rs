//! The command line: arguments, one file a subcommand, printing.

pub mod args;
pub mod duration;
pub mod exit;
pub mod print;
pub mod table;
pub mod values;
