//! From a name and raw arguments to a call that can be judged and performed.
//!
//! Purpose: one exhaustive [`Call`], so that a new tool shows the compiler every place that must know it. Order: name,
//! JSON, schema, then the tool's own rules; the first that fails answers the model.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::schema::{compile, faults};
use super::{
    AskArgs, DecideArgs, EditArgs, HttpArgs, ListArgs, NoteArgs, PlanArgs, ReadArgs, RecallArgs,
    RememberArgs, SearchArgs, ShellArgs, ShellLimits, ToolError, ToolSpec, WriteArgs, built_in,
    read_arguments,
};

/// A call of a built-in tool, its arguments read and valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// `read_file`
    ReadFile(ReadArgs),
    /// `list_files`
    ListFiles(ListArgs),
    /// `search`
    Search(SearchArgs),
    /// `http_get`
    HttpGet(HttpArgs),
    /// `write_file`
    WriteFile(WriteArgs),
    /// `edit_file`
    EditFile(EditArgs),
    /// `shell`
    Shell(ShellArgs),
    /// `note`
    Note(NoteArgs),
    /// `plan`
    Plan(PlanArgs),
    /// `remember`
    Remember(RememberArgs),
    /// `recall`
    Recall(RecallArgs),
    /// `ask_person`
    AskPerson(AskArgs),
    /// `decide`
    Decide(DecideArgs),
}

/// The tools of a run.
#[derive(Clone, Debug)]
pub struct Registry {
    specs: Vec<ToolSpec>,
    shell: ShellLimits,
    /// Schemas made ready when their tool is first called.
    ready: Arc<Mutex<HashMap<String, Arc<Validator>>>>,
}

impl Registry {
    /// The built-in tools, `shell` with these limits.
    #[must_use]
    pub fn new(shell: ShellLimits) -> Self {
        Self { specs: built_in(shell), shell, ready: Arc::default() }
    }

    /// Leaves out every tool that `enabled` refuses.
    #[must_use]
    pub fn only(mut self, enabled: impl Fn(&str) -> bool) -> Self {
        self.specs.retain(|spec| enabled(&spec.name));
        self
    }

    /// The tools, in the order in which the model is told about them.
    #[must_use]
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// The tool of that name.
    ///
    /// # Errors
    /// Kind `unknown_tool`, with the nearest names.
    pub fn spec(&self, name: &str) -> Result<&ToolSpec, ToolError> {
        self.specs.iter().find(|spec| spec.name == name).ok_or_else(|| self.unknown(name))
    }

    /// Reads a call as the model wrote it: the arguments as an object, for hashing and showing, and the typed call.
    ///
    /// # Errors
    /// `unknown_tool`, or `invalid_arguments` with what is wrong and the schema.
    pub fn read(&self, name: &str, raw: &str) -> Result<(Value, Call), ToolError> {
        let spec = self.spec(name)?;
        let arguments = read_arguments(spec, raw)?;
        let call = self.typed(spec, &arguments)?;
        Ok((arguments, call))
    }

    /// The typed call of arguments that were read before (stored, or edited by a person). Validates them again.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn call(&self, name: &str, arguments: &Value) -> Result<Call, ToolError> {
        self.typed(self.spec(name)?, arguments)
    }

    fn typed(&self, spec: &ToolSpec, arguments: &Value) -> Result<Call, ToolError> {
        faults(spec, &*self.validator(spec)?, arguments)?;
        Ok(match spec.name.as_str() {
            "read_file" => Call::ReadFile(typed(spec, arguments)?),
            "list_files" => Call::ListFiles(typed(spec, arguments)?),
            "search" => Call::Search(typed(spec, arguments)?),
            "http_get" => Call::HttpGet(typed(spec, arguments)?),
            "write_file" => Call::WriteFile(typed(spec, arguments)?),
            "edit_file" => Call::EditFile(typed::<EditArgs>(spec, arguments)?.checked()?),
            "shell" => Call::Shell(typed::<ShellArgs>(spec, arguments)?.checked(self.shell)?),
            "note" => Call::Note(typed::<NoteArgs>(spec, arguments)?.checked()?),
            "plan" => Call::Plan(typed::<PlanArgs>(spec, arguments)?.checked()?),
            "remember" => Call::Remember(typed::<RememberArgs>(spec, arguments)?.checked()?),
            "recall" => Call::Recall(typed(spec, arguments)?),
            "ask_person" => Call::AskPerson(typed::<AskArgs>(spec, arguments)?.checked()?),
            "decide" => Call::Decide(typed::<DecideArgs>(spec, arguments)?.checked()?),
            other => return Err(self.unknown(other)),
        })
    }

    fn validator(&self, spec: &ToolSpec) -> Result<Arc<Validator>, ToolError> {
        // What a panic elsewhere left behind is whole: an entry is put in at once or not at all.
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(validator) = ready.get(&spec.name) {
            return Ok(validator.clone());
        }
        let validator = Arc::new(compile(spec)?);
        ready.insert(spec.name.clone(), validator.clone());
        Ok(validator)
    }

    fn unknown(&self, name: &str) -> ToolError {
        let mut near: Vec<(f64, &str)> = self
            .specs
            .iter()
            .map(|spec| (strsim::jaro_winkler(&spec.name, &name.to_lowercase()), spec.name.as_str()))
            .filter(|(likeness, _)| *likeness > 0.7)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        // One that differs in capitals alone is meant.
        let most = if near.first().is_some_and(|(likeness, _)| *likeness >= 1.0) { 1 } else { 3 };
        let near: Vec<&str> = near.into_iter().take(most).map(|(_, name)| name).collect();
        let all: Vec<&str> = self.specs.iter().map(|spec| spec.name.as_str()).collect();
        let advice = if near.is_empty() {
            format!("The tools are: {}.", all.join(", "))
        } else {
            format!("Did you mean {}? The tools are: {}.", near.join(" or "), all.join(", "))
        };
        let shown: String = name.chars().take(80).collect();
        ToolError::new("unknown_tool", format!("there is no tool named {shown:?}."), advice)
    }
}

/// The arguments as the tool's own type. The schema was checked before, so a failure here is rare (a number too large).
fn typed<T: DeserializeOwned>(spec: &ToolSpec, arguments: &Value) -> Result<T, ToolError> {
    serde_json::from_value(arguments.clone()).map_err(|error| {
        ToolError::arguments(
            format!("the arguments of {} do not fit: {error}. Nothing was run.", spec.name),
            super::schema::echo(spec),
        )
    })
}
