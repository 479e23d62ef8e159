//! Validation of arguments by JSON Schema, before anything else looks at them.

use jsonschema::Validator;
use serde_json::Value;

use super::{ToolError, ToolSpec};

/// At most so many faults are listed; a model repairs the first ones and asks again.
const LISTED: usize = 8;

/// Checks the arguments against the tool's schema.
///
/// # Errors
/// Kind `invalid_arguments`: what is wrong, where, and the whole schema. Kind `invalid_schema` if the schema itself is
/// none (a foreign server's mistake).
pub fn validate(spec: &ToolSpec, arguments: &Value) -> Result<(), ToolError> {
    faults(spec, &compile(spec)?, arguments)
}

/// A tool's schema, made ready: many times the work of one validation.
pub(super) fn compile(spec: &ToolSpec) -> Result<Validator, ToolError> {
    jsonschema::validator_for(&spec.parameters).map_err(|error| {
        ToolError::new(
            "invalid_schema",
            format!("the tool {} cannot be used: its own schema is wrong ({error}).", spec.name),
            "Use another tool and tell the person.",
        )
    })
}

/// Checks the arguments against the tool's schema, made ready before.
pub(super) fn faults(spec: &ToolSpec, validator: &Validator, arguments: &Value) -> Result<(), ToolError> {
    let faults: Vec<String> = validator
        .iter_errors(arguments)
        .take(LISTED + 1)
        .map(|fault| {
            let place = fault.instance_path().to_string();
            let place = if place.is_empty() { "arguments" } else { place.as_str() };
            // A value can be a whole file; the fault is told without it.
            format!("{place}: {}", fault.masked_with("the value"))
        })
        .collect();
    if faults.is_empty() {
        return Ok(());
    }
    let more = if faults.len() > LISTED { "; and more" } else { "" };
    let listed: Vec<&str> = faults.iter().take(LISTED).map(String::as_str).collect();
    Err(ToolError::arguments(
        format!("the arguments of {} do not fit: {}{more}. Nothing was run.", spec.name, listed.join("; ")),
        echo(spec),
    ))
}

/// The advice that carries the schema back to the model.
pub(super) fn echo(spec: &ToolSpec) -> String {
    format!("Call {} again with arguments that fit this JSON Schema: {}", spec.name, spec.parameters)
}
