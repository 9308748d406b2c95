//! Options about the kernels of a simulation.

use crate::command::simulate::setting::{self, Setting};
use crate::exit::CliError;
use crate::heading;
use crate::options::values;
use crate::whole_number::whole;
use clap::Args;
use raywarp_lab::family::{Key, Variant};
use raywarp_lab::sim::machine::keys;

/// Kernels that are simulated, with their warps and trees, and what is changed of them.
#[derive(Debug, Args)]
pub struct KernelArgs {
    /// Kernels, comma-separated [default: all rows of `raywarp variants`].
    ///
    /// Variants or names of rows.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = values::variant(), hide_possible_values = true, help_heading = heading::KERNELS)]
    pub variant: Vec<Variant>,
    /// Lanes of a warp, 1 to 64, comma-separated [default: 32].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = whole::<u32>(1..=64), help_heading = heading::KERNELS)]
    pub width: Vec<u32>,
    /// Most triangles of a leaf, comma-separated: a tree each [default: --max-leaf].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = whole::<u32>(1..=255), help_heading = heading::TREE)]
    pub leaf_size: Vec<u32>,
    /// Sizes of the postpone buffer, 0 to 4 [default: the kernel's].
    ///
    /// Comma-separated: each speculative kernel runs with each.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = whole::<u32>(0..=4), help_heading = heading::KERNELS)]
    pub postpone: Vec<u32>,
    /// Change an option of kernels, a number of machines or a cost.
    ///
    /// An option of the family, such as leaves=nested, for every kernel that knows it; with a dot a number of the
    /// machines (l2.bytes=2x) or the cost of an operation in instructions (cost.visit_node=-30).
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting::parse, help_heading = heading::KERNELS)]
    pub settings: Vec<Setting>,
}

impl KernelArgs {
    /// Returns the warp widths (in lanes) to simulate; by default also wider warps if `what_if` is given.
    pub fn widths(&self, what_if: bool) -> Vec<u32> {
        match (&self.width[..], what_if) {
            ([], false) => vec![32],
            ([], true) => vec![32, 64],
            (widths, _) => widths.to_vec(),
        }
    }

    /// Checks that each option that the user set applies to one of the kernels.
    pub fn check_options(&self, variants: &[Variant]) -> Result<(), CliError> {
        for (key, value) in self.options() {
            if !variants.iter().any(|variant| variant.value(key) == value && variant.with(key, value).is_ok()) {
                return Err(CliError::usage(format!("--set {key}={value}: it applies to none of these kernels")));
            }
        }
        Ok(())
    }

    /// Returns `true` if the user changed the machines' clock.
    pub fn sets_clock(&self) -> bool {
        self.settings.iter().filter_map(Setting::number).any(|(key, _)| key == keys::CLOCK_MHZ.path)
    }

    /// Returns `true` if the user changed options of kernels, or costs.
    pub fn sets_kernels(&self) -> bool {
        self.settings.iter().any(|setting| setting.number().is_none())
    }

    /// Returns the kernel options that the user changed.
    fn options(&self) -> impl Iterator<Item = (Key, &str)> {
        self.settings.iter().filter_map(Setting::option)
    }

    /// Returns the kernels to simulate, with the user's options applied, without duplicates.
    pub fn variants(&self) -> Vec<Variant> {
        let rows = || raywarp_lab::family::rows().map(|row| row.variant).collect();
        let chosen: Vec<Variant> = if self.variant.is_empty() { rows() } else { self.variant.clone() };
        let mut variants: Vec<Variant> = Vec::new();
        for variant in chosen {
            let set = |variant: Variant, (key, value): (Key, &str)| variant.with(key, value).unwrap_or(variant);
            let variant = self.options().fold(variant, set);
            if self.postpone.is_empty() || !variant.traversal_loop().is_speculative() {
                variants.push(variant);
            } else {
                let postpone = |size: &u32| variant.with(Key::Postpone, &size.to_string()).ok();
                variants.extend(self.postpone.iter().filter_map(postpone));
            }
        }
        let mut kept: Vec<Variant> = Vec::new();
        for variant in variants {
            if !kept.contains(&variant) {
                kept.push(variant);
            }
        }
        kept
    }
}
