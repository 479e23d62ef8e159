//! wakeful: a workstation for AI agents whose tasks outlive the terminal.

pub mod agent;
pub mod cli;
pub mod config;
pub mod context;
pub mod host;
pub mod inspect;
pub mod provider;
pub mod run;
pub mod store;
pub mod tokens;
pub mod tool;
pub mod worker;
pub mod workspace;
