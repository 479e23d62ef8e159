//! The real binary in a real terminal, worked with keys and the mouse, its screen read through a parser of escape codes.

mod back;
mod banners;
mod choices;
mod context;
mod data;
mod day;
mod desk;
mod drafts;
mod ends;
mod files;
mod guard;
mod idle;
mod jobs;
mod lines;
mod live;
mod load;
mod lock;
mod mouse;
mod paste;
mod picture;
mod place;
mod plan;
mod queue;
mod resize;
mod starts;
mod two;
