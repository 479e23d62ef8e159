//! Settings, paths and model profiles, read from TOML and the environment.
//!
//! - The tables of keys ([`keys`], [`keys_limits`], [`keys_profile`], [`memory`]) say what there is; reading ([`layer`]), the
//!   schema and the view of what is in force ([`mod@show`]) are made from them.
//! - [`mod@load`] lays the user's file over the defaults and the workspace's file over that. A workspace may add and make
//!   stricter; what loosens safety is an error that names it and says how the user consents (`trust`).
//! - [`settings`] is the result, plain data; the command line's word goes over it with [`Config::with`].
//! - [`profile`] says which model a run uses; [`paths`] where files are.
//!
//! What must not be assumed: that a run follows a later edit of a file. It is bound by the settings in its journal.

pub mod document;
pub mod key;
pub mod keys;
pub mod keys_limits;
pub mod keys_profile;
pub mod layer;
pub mod load;
pub mod memory;
pub mod paths;
pub mod problem;
pub mod profile;
pub mod settings;
pub mod show;
pub mod units;

pub use load::{Sources, load, merge, readable, workspace_file};
pub use memory::MemoryConfig;
pub use paths::Paths;
pub use problem::{ConfigError, Pos, Problem};
pub use profile::{Choice, DEFAULT_WINDOW, Env, Profile, ProtocolChoice, TokenizerChoice};
pub use settings::{Config, OnHangup, Origin, Overrides, ToolConfig};
pub use show::{Shown, schema, show, shown};
