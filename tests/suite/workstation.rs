//! The real binary in a real terminal, worked with keys alone, its screen read through a parser of escape codes.

mod back;
mod banners;
mod choices;
mod day;
mod desk;
