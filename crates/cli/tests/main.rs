//! The command as a user meets it.
//!
//! One program, so that one is linked: `cargo test -p raywarp-cli --test command MODULE` runs a file of it.

mod bench;
mod bench_peers;
mod bench_simulate;
mod closed_pipe;
#[cfg(unix)]
mod cluster;
mod command;
mod common_folder;
#[cfg(unix)]
mod common_pages;
mod common_rays;
mod common_report;
mod common_scene;
mod explain;
mod family_command;
mod gltf_choices;
mod gpu;
mod help;
mod instruction_sets;
mod levels;
mod long_runs;
mod messages;
mod origin;
mod output_bytes;
mod output_inputs;
mod output_names;
#[cfg(unix)]
mod pages;
mod paper;
mod path_rays;
mod picture_tools;
#[cfg(unix)]
mod readme;
mod scene_input;
mod simulate;
mod simulate_compaction;
mod simulate_measured;
mod simulate_modes;
mod simulate_own;
mod simulate_report;
mod tables;
mod trace_files;
mod view;
mod words;
