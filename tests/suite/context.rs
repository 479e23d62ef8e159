//! Tests of `context`.

mod budget;
mod build;
mod items;
mod pairing;
mod schema;
mod window;
