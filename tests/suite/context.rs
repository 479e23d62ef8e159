//! Tests of `context`.

mod budget;
mod build;
mod counted;
mod flat;
mod framing;
mod items;
mod likes;
mod order;
mod pairing;
mod prefix;
mod recount;
mod said;
mod schema;
mod state;
mod window;
