//! Pictures and rays of whole scenes, through the door of the product.
//!
//! One program, so that one is linked: `cargo test -p raywarp --test tests MODULE` runs a file of it.

mod allocations;
mod common;
mod determinism;
mod estimators;
mod jobs;
mod levels;
mod looks;
mod near_lights;
mod path_rays;
mod units;
mod waves;
