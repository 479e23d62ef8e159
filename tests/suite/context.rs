//! Tests of `context`.

mod budget;
mod build;
mod flat;
mod framing;
mod items;
mod likes;
mod pairing;
mod prefix;
mod recount;
mod said;
mod schema;
mod window;
