//! Arguments as models write them, and as they are hashed.
//!
//! Purpose: one canonical form. Models send `""`, `null`, an object, or an object packed into a string; all of these
//! become an object here, before the schema is looked at. [`canonical`] gives equal arguments equal text, whatever the
//! order of their keys, for `args_hash` and `effect_key`.

use serde_json::{Map, Value};

use super::{ToolError, ToolSpec};

/// Reads raw argument text into an object for that tool.
///
/// Nothing and `null` mean `{}`; a JSON string that holds an object is unpacked (once); an optional argument that is
/// `null` counts as left out, unless the schema says that null is a value; `3.0` becomes `3`, the same number in JSON.
///
/// # Errors
/// Kind `invalid_arguments` if it is no JSON, or no object. The text is never repaired: half an object must not run.
pub fn read_arguments(spec: &ToolSpec, raw: &str) -> Result<Value, ToolError> {
    let raw = raw.trim();
    let value = if raw.is_empty() { Value::Null } else { parse(spec, raw)? };
    let value = match value {
        Value::String(inner) => parse(spec, inner.trim())?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value,
    };
    match value {
        Value::Null => Ok(Value::Object(Map::new())),
        Value::Object(object) => Ok(whole_numbers(Value::Object(without_nulls(spec, object)))),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Err(ToolError::arguments(
            format!("the arguments of {} are not a JSON object.", spec.name),
            super::schema::echo(spec),
        )),
    }
}

fn parse(spec: &ToolSpec, text: &str) -> Result<Value, ToolError> {
    serde_json::from_str(text).map_err(|error| {
        let what = if error.is_eof() { "end too early" } else { "are not valid JSON" };
        ToolError::arguments(
            format!("the arguments of {} {what}: {error}. Nothing was run.", spec.name),
            super::schema::echo(spec),
        )
    })
}

fn without_nulls(spec: &ToolSpec, object: Map<String, Value>) -> Map<String, Value> {
    let required = |name: &str| {
        spec.parameters
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|names| names.iter().any(|required| required.as_str() == Some(name)))
    };
    let takes_null = |name: &str| {
        let kind = spec.parameters.get("properties").and_then(|all| all.get(name)?.get("type"));
        match kind {
            Some(Value::String(kind)) => kind == "null",
            Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "null"),
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => false,
        }
    };
    object
        .into_iter()
        .filter(|(name, value)| !value.is_null() || required(name) || takes_null(name))
        .collect()
}

/// Writes whole numbers as such: a schema takes `3.0` for an integer, the readers of arguments do not.
fn whole_numbers(value: Value) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < EXACT => {
                #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53, checked above")]
                let whole = float as i64;
                Value::from(whole)
            }
            Some(_) | None => Value::Number(number),
        },
        Value::Array(items) => Value::Array(items.into_iter().map(whole_numbers).collect()),
        Value::Object(object) => {
            Value::Object(object.into_iter().map(|(k, v)| (k, whole_numbers(v))).collect())
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value,
    }
}

/// JSON with the keys of every object sorted by their bytes and no blanks. Equal values give equal text.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&value.to_string())
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_by_key(|(name, _)| name.as_str());
            out.push('{');
            for (i, (name, item)) in entries.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(name.clone()).to_string());
                out.push(':');
                write_canonical(item, out);
            }
            out.push('}');
        }
    }
}
