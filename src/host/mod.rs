//! Processes, locks and clocks of this machine; the supervisor of shell commands.

pub mod fault;
