//! Options about the rays of a simulation.

use crate::heading;
use crate::options::values;
use crate::whole_number::{whole, whole_from};
use clap::Args;
use raywarp_lab::workload::rays::{Order, RayKind, Workload};

/// Rays that are simulated: whose, of which kinds, how many, and in which order.
#[derive(Debug, Args)]
pub struct RayArgs {
    /// Set of rays: raywarp, al09, g14 or alk12 [default: raywarp].
    #[arg(long, value_name = "NAME", value_parser = values::workload(), hide_possible_values = true, help_heading = heading::RAYS)]
    pub workload: Option<Workload>,
    /// Kinds of rays, comma-separated [default: primary,ao,diffuse].
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = values::kind(), hide_possible_values = true, help_heading = heading::RAYS)]
    pub kind: Vec<RayKind>,
    /// About how many rays of each kind and view to trace [default: 16384].
    ///
    /// In evenly spaced runs. An experiment has its own default.
    #[arg(long, value_name = "RAYS", value_parser = whole_from::<u32>(1), help_heading = heading::RAYS)]
    pub sample: Option<u32>,
    /// AO and diffuse rays of a pixel [default: the workload's].
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=1024), help_heading = heading::RAYS)]
    pub rays_per_pixel: Option<u32>,
    /// Shuffle the rays (Aila and Laine 2009, section 6).
    #[arg(long, conflicts_with = "sort", help_heading = heading::RAYS)]
    pub shuffle: bool,
    /// Sort batches of rays.
    #[arg(long, value_name = "ORDER", value_parser = ["morton"], help_heading = heading::RAYS)]
    pub sort: Option<String>,
}

impl RayArgs {
    /// Returns the workload whose rays are simulated.
    pub fn workload(&self) -> Workload {
        self.workload.unwrap_or(Workload::Raywarp)
    }

    /// Returns the kinds of rays to simulate.
    pub fn kinds(&self) -> Vec<RayKind> {
        if self.kind.is_empty() { RayKind::ALL.to_vec() } else { self.kind.clone() }
    }

    /// Returns the order in which rays are simulated.
    pub fn order(&self) -> Order {
        match (self.shuffle, &self.sort) {
            (true, _) => Order::Shuffled(0),
            (false, Some(_)) => Order::Morton,
            (false, None) => Order::Workload,
        }
    }
}
