//! Reading stored events: what is known becomes an [`Event`], what a newer program wrote is kept as it is.
//!
//! Not to be assumed: that a kind, or a version of a kind, is one that this program writes.

use super::event::Event;

/// What a stored row turns out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded {
    /// An event.
    Known(Box<Event>),
    /// A kind or version from a newer program: kept, not understood.
    Unknown {
        /// The stored kind.
        kind: String,
        /// The stored version.
        version: u32,
    },
}

/// A stored payload that should be readable and is not.
#[derive(Debug, thiserror::Error)]
#[error("the stored event of kind {kind} (version {version}) cannot be read: {why}")]
pub struct BadPayload {
    kind: String,
    version: u32,
    why: String,
}

/// Reads a stored event.
///
/// # Errors
/// [`BadPayload`] if the kind and version are known and the payload does not fit them.
pub fn decode(kind: &str, version: u32, payload: &[u8]) -> Result<Decoded, BadPayload> {
    let bad = |why: String| BadPayload { kind: kind.to_owned(), version, why };
    match serde_json::from_slice::<Event>(payload) {
        Ok(event) if event.kind() == kind && event.version() == version => {
            Ok(Decoded::Known(Box::new(event)))
        }
        Ok(event) if version > event.version() => Ok(Decoded::Unknown { kind: kind.to_owned(), version }),
        Ok(event) => Err(bad(format!("the payload is a {} of version {}", event.kind(), event.version()))),
        Err(error) if version > 1 || is_unknown_variant(&error) => {
            Ok(Decoded::Unknown { kind: kind.to_owned(), version })
        }
        Err(error) => Err(bad(error.to_string())),
    }
}

fn is_unknown_variant(error: &serde_json::Error) -> bool {
    error.is_data() && error.to_string().starts_with("unknown variant")
}
