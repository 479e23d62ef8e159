//! Examples that stand at the end of a command's help.

/// Of `run`.
pub(super) const RUN: &str = "Examples:
  wakeful run \"Write a summary of this folder to SUMMARY.md\" --check file:SUMMARY.md
  wakeful run \"Make the tests pass\" --check 'cmd:cargo test' --approve safe --max-time 1h
  wakeful run \"Survey this folder\" --model offline --headless --json";

/// Of `resume`.
pub(super) const RESUME: &str = "Examples:
  wakeful resume last
  wakeful resume r-7f3a --max-steps 100 --headless";

/// Of `rollback`.
pub(super) const ROLLBACK: &str = "Examples:
  wakeful rollback last --to 9 --dry-run
  wakeful rollback last --to 9
  wakeful rollback last --to 9 --keep notes.md --take src/main.rs --goal
  wakeful rollback last --to 12@1 --files no";

/// Of `approve`.
pub(super) const APPROVE: &str = "Examples:
  wakeful approve c-91aa
  wakeful approve last:14.2 --reuse
  wakeful approve last:14.2 --args '{\"path\": \"docs/a.md\", \"content\": \"…\"}'";

/// Of `extend`.
pub(super) const EXTEND: &str = "Example:
  wakeful extend last:14.2 10m";

/// Of `goal`.
pub(super) const GOAL: &str = "Examples:
  wakeful goal last
  wakeful goal last --set \"Write the summary in French\"
  wakeful goal last --edit
  wakeful goal last --versions";

/// Of `plan`.
pub(super) const PLAN: &str = "Examples:
  wakeful plan last
  wakeful plan last --edit
  wakeful plan last | sed 's/\\[active]/[done]/' | wakeful plan last --set -";

/// Of `deny`.
pub(super) const DENY: &str = "Example:
  wakeful deny last:14.2 --reason \"Keep the public names\"";

/// Of `answer`.
pub(super) const ANSWER: &str = "Examples:
  wakeful answer last:9.1 \"Yes, keep the row order\"
  wakeful answer last:17.1 2";

/// Of `message`.
pub(super) const MESSAGE: &str = "Examples:
  wakeful message last \"The fixture is under target/\"
  wakeful message last --queued
  wakeful message last --take-back 12";

/// Of `context`.
pub(super) const CONTEXT: &str = "Examples:
  wakeful context last
  wakeful context last --step 14 --slot recent
  wakeful context last --step 14 --request";
