//! Checking what is stored, and rebuilding what is derived.
