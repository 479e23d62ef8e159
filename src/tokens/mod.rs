//! Counting tokens, exactly or marked as an estimate.
