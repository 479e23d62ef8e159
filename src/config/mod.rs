//! Settings, paths and model profiles, read from TOML and the environment.
