//! Tests of `context`.

mod budget;
mod build;
mod framing;
mod items;
mod likes;
mod pairing;
mod recount;
mod said;
mod schema;
mod window;
