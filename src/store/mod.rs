//! The one SQLite file and the only face to it: [`Store`], a cheap handle, async, speaking the types of `run/`.
