//! Tests of the terminal floor of `ui`, with a real program in a real terminal: whatever ends it or stops it, the
//! terminal is as it was; and the loop keeps its pace.

mod ends;
mod job;
mod pace;
mod program;
mod window;
