//! Tests of `context`.

mod budget;
mod build;
mod flat;
mod items;
mod order;
mod pairing;
mod prefix;
mod said;
mod schema;
mod window;
