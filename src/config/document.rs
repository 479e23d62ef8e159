//! A TOML file as a tree that knows where each key and value stands, so that every later complaint can say it.

use super::problem::Pos;
use toml::de::{DeTable, DeValue};

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where the value begins.
    pub pos: Pos,
    /// The value.
    pub value: Value,
}

/// A key of a table, with its place, and what it is set to.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub pos: Pos,
    /// Its value.
    pub node: Node,
}

/// What can stand in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A whole number.
    Whole(i128),
    /// A number with a fraction, as written: prices must not go through binary fractions.
    Decimal(String),
    /// True or false.
    Bool(bool),
    /// An array.
    List(Vec<Node>),
    /// A table.
    Table(Vec<Entry>),
    /// A date or time; no setting takes one.
    Date,
}

impl Value {
    /// The value in a sentence: `not "many"`, `not a table`. Long texts are cut.
    pub fn described(&self) -> String {
        match self {
            Value::Text(text) => {
                let short: String = text.chars().take(40).collect();
                let dots = if short.len() < text.len() { "…" } else { "" };
                format!("\"{}{dots}\"", short.escape_debug())
            }
            Value::Whole(n) => n.to_string(),
            Value::Decimal(text) => text.clone(),
            Value::Bool(yes) => yes.to_string(),
            Value::List(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
            Value::Date => "a date".to_owned(),
        }
    }
}

/// A file that is not TOML: where and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotToml {
    /// Where reading stopped.
    pub pos: Option<Pos>,
    /// Why, in the parser's words.
    pub why: String,
}

/// Reads a whole file, its entries in file order.
///
/// # Errors
/// [`NotToml`] where the text is no TOML.
pub fn parse(text: &str) -> Result<Vec<Entry>, NotToml> {
    let table = DeTable::parse(text).map_err(|error| NotToml {
        pos: error.span().map(|span| Pos::of(text, span.start)),
        why: error.message().to_owned(),
    })?;
    Ok(entries(text, table.get_ref()))
}

fn entries(text: &str, table: &DeTable<'_>) -> Vec<Entry> {
    let mut list: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            pos: Pos::of(text, key.span().start),
            node: node(text, value.span().start, value.get_ref()),
        })
        .collect();
    list.sort_by_key(|entry| entry.pos);
    list
}

fn node(text: &str, at: usize, value: &DeValue<'_>) -> Node {
    let value = match value {
        DeValue::String(s) => Value::Text(s.to_string()),
        DeValue::Integer(n) => match i128::from_str_radix(n.as_str(), n.radix()) {
            Ok(n) => Value::Whole(n),
            Err(_) => Value::Decimal(n.as_str().to_owned()),
        },
        DeValue::Float(n) => Value::Decimal(n.as_str().to_owned()),
        DeValue::Boolean(yes) => Value::Bool(*yes),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(items) => {
            Value::List(items.iter().map(|item| node(text, item.span().start, item.get_ref())).collect())
        }
        DeValue::Table(table) => Value::Table(entries(text, table)),
    };
    Node { pos: Pos::of(text, at), value }
}
