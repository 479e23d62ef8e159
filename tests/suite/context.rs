//! Tests of `context`.

mod budget;
mod build;
mod items;
mod pairing;
mod said;
mod schema;
mod window;
