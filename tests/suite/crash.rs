//! Tests of what survives: the whole program is killed, stopped, starved of disk and damaged, and has to come to the
//! same end as if nothing had happened, every effect once.

mod damage;
mod faults;
mod full_disk;
mod golden;
mod kills;
mod many;
mod running;
mod scene;
mod signals;
mod stopped;
