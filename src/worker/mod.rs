//! Performs what the agent decides, and commits what came of it.
