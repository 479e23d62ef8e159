//! The one SQLite file and the only face to it.
