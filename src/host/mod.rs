//! Processes, locks and clocks of this machine; the supervisor of shell commands.
//!
//! A shell call survives the kill of the worker that started it, because it does not run under
//! the worker: a small *supervisor* process (this same binary, `wakeful supervise SPOOL`) runs it
//! and keeps its output and exit status in a folder, the *spool*. Whoever owns the run later
//! reads the outcome from there.
//!
//! - [`spec`] what is to be run; [`prepare`](mod@prepare) making and sweeping spools
//! - [`spool`] what stands in a spool; the worker's side of it
//! - [`evidence`] what a spool tells, read in the one order that is safe
//! - [`decide`] the pure decision: from evidence to the next step
//! - [`drive`] performs those steps; the same for a start and for recovery
//! - [`spawn`] starts supervisors, detached, and [`leaving`] knows which have not left our session yet; [`orphan`] ends commands whose supervisor died
//! - [`supervise`] the supervisor's side, with [`reap`] (descendants) and [`limit`] (output)
//! - [`record`] the exit record; [`output`] reading the output; [`environment`] what a command sees
//! - [`editor`] lets the person edit a text in their own editor; [`notify`] calls their own command for attention
//! - [`lock`], [`clock`], [`process`], [`fault`](mod@fault) the tools for all of it
//!
//! What must not be assumed: that a process we started is ours to signal (ids are reused, so a
//! foreign process is named by pid, start time and boot), that the absence of a file proves that
//! nothing happened, that a sleeping owner is dead. Linux only for now: subreaper, pidfd and
//! /proc are used without a substitute.

pub mod clock;
mod command;
pub mod decide;
pub mod drive;
pub mod editor;
pub mod environment;
pub mod error;
pub mod evidence;
pub mod fault;
pub mod leaving;
pub mod limit;
pub mod lock;
pub mod notify;
pub mod orphan;
pub mod output;
pub mod prepare;
pub mod process;
pub mod pulse;
pub mod reap;
pub mod record;
pub mod spawn;
pub mod spec;
pub mod spool;
pub mod supervise;

pub use error::HostError;
pub use fault::fault;
