//! Pictures with known answers, and what holds of the code of shading.
//!
//! One program, so that one is linked: `cargo test -p raywarp-render --test tests MODULE` runs a file of it.

mod analytic;
mod common;
mod last_vertex;
mod layers;
mod media;
mod parts;
mod portable;
mod roulette;
mod validity;
