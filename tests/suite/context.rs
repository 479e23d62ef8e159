//! Tests of `context`.

mod budget;
mod build;
mod pairing;
mod schema;
mod window;
