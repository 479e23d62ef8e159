//! Tests of `worker` by the real binary: what people ask of runs, with and without a living owner.

mod arguments;
mod choices;
mod controls;
mod damage;
mod decide;
mod defaults;
mod goal;
mod memory;
mod messages;
mod plan;
mod results;
mod reuse;
mod rollback;
mod rules;
mod scene;
mod secrets;
mod uncertain;
mod vectors;
mod workers;
