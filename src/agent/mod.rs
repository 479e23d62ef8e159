//! Pure decisions: what a run does next.
