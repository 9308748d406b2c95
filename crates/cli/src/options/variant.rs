//! `--variant`: kernels that are named, and what they need.

use crate::exit::CliError;
use crate::named_values::named_values;
use clap::builder::TypedValueParser;
use raywarp_lab::family::Variant;

/// Value of `--variant` in commands where `auto` is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariantChoice {
    /// The fastest kernels for the GPU at hand.
    Auto,
    One(Variant),
}

/// Returns the parser of `--variant` for commands where `auto` is allowed.
pub fn variant_or_auto() -> impl TypedValueParser<Value = VariantChoice> {
    named_values(["auto"].into_iter().chain(crate::options::values::rows()), parse_variant)
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

/// Returns the error for `--variant auto` without a GPU.
pub fn auto_needs_gpu() -> CliError {
    CliError::usage("--variant auto chooses among the kernels of a GPU: it needs --device cuda")
}

/// Refuses kernels that need a GPU, or that run on warps of none of the given widths (in lanes).
pub fn check_machine(variants: &[Variant], widths: &[u32]) -> Result<(), CliError> {
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
