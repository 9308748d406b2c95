//! Scene files that are loaded whole.
//!
//! One program, so that one is linked: `cargo test -p raywarp-scene --test tests MODULE` runs a file of it.

mod files_read;
mod origin;
mod origin_mixed;
mod other_machines;
mod pbrt_scenes;
mod ply_and_obj_scenes;
mod sheets;
