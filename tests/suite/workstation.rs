//! The real binary in a real terminal, worked with keys and the mouse, its screen read through a parser of escape codes.

mod back;
mod banners;
mod choices;
mod data;
mod day;
mod desk;
mod ends;
mod guard;
mod idle;
mod jobs;
mod load;
mod lock;
mod mouse;
mod paste;
mod picture;
mod place;
mod resize;
mod two;
