//! The words of `memory` as they are written.

use crate::cli::values::spoken;
use crate::run::memory::Kind;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What is asked of the memories.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub enum MemoryCommand {
    /// List memories, newest first
    Ls(ListArgs),
    /// Find memories by what they say, in any language
    Search(SearchArgs),
    /// Show one memory with its sources, earlier wordings, and what it disagrees or disagreed with
    Show(OneArgs),
    /// Remember something
    #[command(after_help = "Examples:
  wakeful memory add \"The bench needs --release\" --kind lesson
  wakeful memory add 简体中文 --kind preference --key language --user
  wakeful memory add \"Never touch fixtures/\" --kind rule --pin")]
    Add(AddArgs),
    /// Change a memory; the words before stay as an earlier wording
    #[command(after_help = "Examples:
  wakeful memory edit 12 \"The bench needs --release and the fixture\"
  wakeful memory edit 12 --kind rule --confidence 90")]
    Edit(EditArgs),
    /// Offer a memory to every run that it is for, whatever it asks
    Pin(OneArgs),
    /// Offer it again only where it fits
    Unpin(OneArgs),
    /// Settle what memories disagree about; each of those that stand keeps a note of it
    #[command(after_help = "Examples:
  wakeful memory settle 12 --keep 12
  wakeful memory settle 12 --both \"depends on the branch\"")]
    Settle(SettleArgs),
    /// Delete a memory for good; the journals of runs that wrote it or were offered it keep its words
    #[command(
        after_help = "Its words, earlier wordings and vectors leave the database's file. What a run did is not rewritten: the \
journal of the run that wrote it, and of those that were offered it, holds the words as they were, and so does a backup that \
was made before."
    )]
    Rm(RemoveArgs),
    /// Make the vectors that are missing, so that memories are found by their meaning too
    #[command(
        after_help = "Needs a [memory] section in your config file, with base_url and model. Runs make missing vectors \
by themselves; this is for many at once, and after a change of the model."
    )]
    Index(IndexArgs),
}

impl MemoryCommand {
    /// True if it changes something.
    pub fn acts(&self) -> bool {
        match self {
            MemoryCommand::Ls(_) | MemoryCommand::Search(_) | MemoryCommand::Show(_) => false,
            MemoryCommand::Add(_)
            | MemoryCommand::Edit(_)
            | MemoryCommand::Pin(_)
            | MemoryCommand::Unpin(_)
            | MemoryCommand::Settle(_)
            | MemoryCommand::Rm(_)
            | MemoryCommand::Index(_) => true,
        }
    }
}

/// Whose memories.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct WhereArgs {
    /// Those that runs in this folder see [default: the present one]
    #[arg(long, value_name = "FOLDER")]
    pub workspace: Option<PathBuf>,
    /// Those of all folders and runs
    #[arg(long, conflicts_with = "workspace")]
    pub all: bool,
}

/// `memory ls`
#[derive(Clone, Debug, PartialEq, Args)]
pub struct ListArgs {
    /// Whose.
    #[command(flatten)]
    pub place: WhereArgs,
    /// Only this kind: fact, preference, result, rule or lesson
    #[arg(long, value_parser = kind)]
    pub kind: Option<Kind>,
    /// Only those that disagree with another one
    #[arg(long)]
    pub conflicts: bool,
    /// Also those of timelines that were rolled back, and results that newer ones took the place of
    #[arg(long)]
    pub withdrawn: bool,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `memory search`
#[derive(Clone, Debug, PartialEq, Args)]
pub struct SearchArgs {
    /// Words, or a sentence
    #[arg(value_parser = spoken)]
    pub text: String,
    /// Whose.
    #[command(flatten)]
    pub place: WhereArgs,
    /// How many at most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub limit: u16,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// One memory.
#[derive(Clone, Debug, PartialEq, Args)]
pub struct OneArgs {
    /// Its number
    pub id: u64,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `memory add`
#[derive(Clone, Debug, PartialEq, Args)]
pub struct AddArgs {
    /// What is to be remembered, in a sentence
    #[arg(value_parser = spoken)]
    pub text: String,
    /// fact, preference, result, rule or lesson
    #[arg(long, value_parser = kind, default_value = "fact")]
    pub kind: Kind,
    /// What a preference is about, such as language; of other kinds what two memories would disagree about
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// For the runs in this folder [default: the present one]
    #[arg(long, value_name = "FOLDER")]
    pub workspace: Option<PathBuf>,
    /// For all runs of yours, in whatever folder
    #[arg(long, conflicts_with = "workspace")]
    pub user: bool,
    /// Offer it whatever a run asks
    #[arg(long)]
    pub pin: bool,
    /// How sure it is, percent
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub confidence: u8,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `memory edit`
#[derive(Clone, Debug, PartialEq, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["text", "kind", "confidence"]))]
#[command(override_usage = "wakeful memory edit [OPTIONS] <ID> [TEXT]")]
pub struct EditArgs {
    /// Its number
    pub id: u64,
    /// The new words
    #[arg(value_parser = spoken)]
    pub text: Option<String>,
    /// Another kind
    #[arg(long, value_parser = kind)]
    pub kind: Option<Kind>,
    /// How sure it is, percent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub confidence: Option<u8>,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `memory settle`
#[derive(Clone, Debug, PartialEq, Args)]
#[command(group = clap::ArgGroup::new("how").required(true).args(["keep", "both"]))]
#[command(override_usage = "wakeful memory settle [OPTIONS] <ID> <--keep <ID>|--both <WHEN>>")]
pub struct SettleArgs {
    /// One of those that disagree
    pub id: u64,
    /// This one stands, those that disagree with it are replaced
    #[arg(long, value_name = "ID")]
    pub keep: Option<u64>,
    /// All of them stand, with these words that say when
    #[arg(long, value_name = "WHEN", value_parser = spoken)]
    pub both: Option<String>,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `memory rm`
#[derive(Clone, Debug, PartialEq, Args)]
pub struct RemoveArgs {
    /// Its number
    pub id: u64,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

/// `memory index`
#[derive(Clone, Debug, PartialEq, Args)]
pub struct IndexArgs {
    /// Make all of them anew: the server has another model behind the same name
    #[arg(long)]
    pub anew: bool,
    /// JSON on stdout
    #[arg(long)]
    pub json: bool,
}

fn kind(word: &str) -> Result<Kind, String> {
    Kind::of(word).ok_or_else(|| {
        let all: Vec<&str> = Kind::ALL.into_iter().map(Kind::word).collect();
        format!("the kinds are {}", all.join(", "))
    })
}
