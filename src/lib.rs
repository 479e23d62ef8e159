//! wakeful: a workstation for AI agents whose tasks outlive the terminal.
//!
//! An agent works towards a goal in a loop of model calls and tool calls. Every step is on disk before it counts: a run
//! that is killed at any instant goes on where it was, does nothing twice and forgets nothing.
//!
//! # Five ideas that everything follows from
//!
//! 1. **The journal is the truth.** A run is an append-only list of events; its state is their fold.
//! 2. **Decide purely.** [`agent::next`](fn@agent::next) looks at the state and the time and says the one thing to do
//!    now. It reads no file, no clock and no die.
//! 3. **Commit, then act.** What happened is committed before the next thing is done. So recovery is no program of its
//!    own: after a kill the journal is folded and the same question is asked again.
//! 4. **People write records too.** Approvals, pauses, edits and rollbacks are rows in an inbox that any process may
//!    write. They become events at the next safe point.
//! 5. **History is a tree.** A rollback begins a new timeline at an old checkpoint and deletes nothing.
//!
//! # Map
//!
//! A module imports only from floors below its own (`tests/suite/floors.rs` reads the imports). SQL stands in `store`
//! alone, processes are started by `host` alone, the network is used by `provider` and `tool` alone.
//!
//! | Floor | Module | What it is for |
//! |---|---|---|
//! | 8 | [`cli`] | The command line: arguments, one file a subcommand, printing, exit codes; the workstation's hands |
//! | 7 | [`ui`] | The workstation: model, pure update, panels, dialogs, keys, words, themes, the terminal |
//! | 6 | [`worker`] | Performs what `agent::next` says and commits what came of it |
//! | 6 | [`inspect`] | Read-only answers about runs for the command line |
//! | 5 | [`tool`] | What the model can call: specs, validation, and the tools themselves |
//! | 4 | [`store`] | Everything that must last, in one SQLite file; the only place with SQL |
//! | 4 | [`provider`] | Models: OpenAI-compatible servers, the offline model, replay; vectors of texts |
//! | 4 | [`workspace`] | The folder a run works in: confined access, images of files, restoring them |
//! | 4 | [`tokens`] | Counting tokens, exactly or marked as an estimate |
//! | 3 | [`host`] | Processes, locks and clocks of this machine; the supervisor of shell commands |
//! | 2 | [`agent`] | Pure: what a run does next, and what becomes of a proposed call |
//! | 2 | [`context`] | Pure: what the model is shown, counted and rendered |
//! | 2 | [`recall`] | Pure: which memories are near to what a step is about |
//! | 1 | [`config`] | Settings, paths and model profiles |
//! | 0 | [`run`] | Plain data: what can happen to a run, and what a run is |
//!
//! A step goes through them like this: the worker owns the run, folds it ([`store`]), asks [`agent`], has the request
//! made ([`context`]) and answered ([`provider`]), records the calls in the reply and their verdicts ([`agent`]),
//! performs them ([`tool`], [`workspace`], [`host`]), and commits the step.
//!
//! # Glossary
//!
//! - **run**: one task, from its goal to its end. **step**: one turn of its loop: a reply and the results of its calls.
//! - **event**: one fact in a run's journal. **seq**: its number, counted over all timelines. **head**: the last event
//!   of a run, with its checksum and timeline. Every commit names the head that it follows.
//! - **fold**: working out the state from the events. **path**: the half of the state that a rollback takes back
//!   (messages, facts, plan). **ledger**: the half that it does not (calls, tokens, cost, ownership).
//! - **snapshot**: a stored state, so that opening a run folds only a short tail. Derived: it can be thrown away.
//! - **checkpoint**: a run's start or end, the committed end of a step, the moment before a rollback. Each can be
//!   returned to.
//! - **timeline**: the chain of events from the run's start to a head. Numbered from 1.
//! - **call**: a tool call with a life of its own: proposed, waiting, approved, started, and then done, failed,
//!   rejected, denied, cancelled or uncertain. Its open form is also called an **intent**.
//! - **class** of a call: `read` (changes nothing), `keyed` (twice is the same as once), `effect` (twice is wrong),
//!   `inner` (the event is the effect), `person` (a question).
//! - **attempt**: one start of a call. A call proven not to have started gets another, at most
//!   [`run::call::START_TRIES`].
//! - **uncertain**: started, and nobody can know whether it happened. A probe, the class, or a person resolves it.
//! - **args_hash**, **effect_key**: hashes of tool and canonical arguments. An approval binds to the first, which
//!   follows edits; the second finds the same effect on other timelines.
//! - **worker**: the part of a process that advances runs. It lives as long as it holds the lock of its file.
//! - **epoch**: counts the owners of a run. A commit names its epoch, so that a worker that lost the run writes nothing.
//! - **hold**: a run waits until a person says go on: breaker, loop, failed check, full context, damage.
//! - **safe point**: the moment before each decision, at which controls are taken.
//! - **settle**: to apply controls to a run that nobody works on: own it, do what they ask, release it.
//! - **supervisor**: the small process that runs one shell command and outlives the worker. **spool**: its folder, with
//!   token, locks, output and exit record: the evidence of what became of the command.
//! - **slot**: one part of the context, with a token budget. **round**: a reply with its results, or one message of the
//!   person. Older rounds are **folded** into a summary. **core**: the goal keeper's sentences on the task as it stands.
//!   **aside**: a request to the model beside the conversation: for a summary, for the core.
//! - **memory**: something kept beyond one run, for a workspace, a person or a run, with its source. **recalled**: found
//!   near to what a step is about, and offered with its request. **withdrawn**: made on a timeline that was rolled back, or a
//!   result in whose place newer ones of its folder stand.
//! - **phase**: the work up to a part of the plan that the agent reaches, or up to the run's end. **result**: the memory
//!   that a rule makes of it.
//! - **claim**: a reply without calls: the model says that it is done, and the acceptance checks decide.
//! - **blob**: a content named by its hash and stored once.
//! - **ballast**: a file that is given up when the disk is full, so that results of started calls can still be written.

pub mod agent;
pub mod cli;
pub mod config;
pub mod context;
pub mod host;
pub mod inspect;
pub mod provider;
pub mod recall;
pub mod run;
pub mod store;
pub mod tokens;
pub mod tool;
pub mod ui;
pub mod worker;
pub mod workspace;
