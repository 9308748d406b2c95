//! The sub-commands.

pub mod bench;
mod bench_args;
mod bench_outputs;
mod bench_paths;
mod bench_peers;
mod bench_place;
mod bench_rays;
mod bench_simulate;
mod camera_args;
pub mod completions;
pub mod convert;
pub mod diff;
mod diff_report;
pub mod info;
mod interrupted_table;
mod light_args;
mod made_of_args;
pub mod man;
mod measured_bounds;
pub mod merge;
mod organisation_args;
mod ray_input;
pub mod render;
mod render_args;
mod render_device;
mod render_rays;
mod render_report;
mod resume;
pub mod selftest;
pub mod simulate;
mod simulate_compaction;
mod simulate_counters;
mod simulate_experiment;
mod simulate_measured;
pub mod trace;
mod tree_args;
mod values;
pub mod variants;
mod views;
mod write_every;

pub use render_args::RenderArgs;

use crate::exit::CliError;
use crate::named_values::named_values;
use clap::builder::TypedValueParser;
use raywarp_lab::family::Variant;

/// An entry of `--variant` where `auto` may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VariantChoice {
    /// The fastest of the GPU.
    Auto,
    One(Variant),
}

/// `--variant` where `auto` may stand.
fn variant_or_auto() -> impl TypedValueParser<Value = VariantChoice> {
    named_values(["auto"].into_iter().chain(values::rows()), parse_variant)
}

fn parse_variant(text: &str) -> Result<VariantChoice, String> {
    match text {
        "auto" => Ok(VariantChoice::Auto),
        other => other
            .parse()
            .map(VariantChoice::One)
            .map_err(|error: raywarp_lab::family::IllegalVariant| error.to_string()),
    }
}

/// `--variant auto` without a GPU.
fn auto_needs_gpu() -> CliError {
    CliError::usage("--variant auto chooses among the kernels of a GPU: it needs --device cuda")
}

/// Refuses kernels that need a GPU, or that fit warps of none of the widths.
fn check_machine(variants: &[Variant], widths: &[u32]) -> Result<(), CliError> {
    for variant in variants {
        if variant.needs().gpu {
            return Err(CliError::machine(format!("{variant} needs a GPU; leave out sync=implicit")));
        }
        let lanes = variant.lanes_per_ray();
        if widths.iter().all(|width| width % lanes != 0) {
            return Err(CliError::usage(format!("--width: {variant} needs warps of a multiple of {lanes} lanes")));
        }
    }
    Ok(())
}
