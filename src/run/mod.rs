//! Plain data: what can happen to a run and what a run is.
