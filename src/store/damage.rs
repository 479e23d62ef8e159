//! Damage that a person accepts: what cannot be trusted is set aside, never deleted.
