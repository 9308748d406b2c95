//! Options about the rays of a simulation.

use crate::common::{Common, is_standard_stream};
use crate::exit::CliError;
use crate::heading;
use crate::named_values::named_values;
use crate::options::named_rays::{self, NamedRays, parse_query};
use crate::options::values;
use crate::whole_number::{whole, whole_from};
use clap::{Args, ValueHint};
use raywarp_lab::study::simulate::OwnRays;
use raywarp_lab::traverse::Query;
use raywarp_lab::workload::rays::{Order, RayKind, Workload};
use std::path::{Path, PathBuf};

/// Rays that are simulated: whose, of which kinds, how many, and in which order.
#[derive(Debug, Args)]
pub struct RayArgs {
    /// Files of rays (.npy) to simulate, comma-separated [default: the workload's rays].
    ///
    /// As render --export-rays, bench --export-rays (its ao rays: --query any) and NumPy write them. Names that begin
    /// with shadow are asked for any hit, all others for the closest, unless --query says which. Each file is a launch
    /// with rows of its own.
    #[arg(long, value_name = "FILES", value_delimiter = ',', value_hint = ValueHint::FilePath, conflicts_with_all = ["workload", "kind", "view", "rays_per_pixel", "size"], help_heading = heading::RAYS)]
    pub rays: Vec<PathBuf>,
    /// Query of all rays of --rays: the closest hit or any [default: by the names].
    #[arg(long, value_name = "QUERY", value_parser = named_values(["closest", "any"], parse_query), hide_possible_values = true, requires = "rays", help_heading = heading::RAYS)]
    pub query: Option<Query>,
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

    /// Checks that the files of rays can be read beside the `scene`, and records them as inputs.
    pub fn check(&self, scene: &Path, common: &Common) -> Result<(), CliError> {
        if self.rays.iter().map(PathBuf::as_path).chain([scene]).filter(|path| is_standard_stream(path)).count() > 1 {
            return Err(CliError::usage("standard input can be read only once; name files"));
        }
        named_rays::check(&self.rays, common)
    }

    /// Reads the files of rays; none where rays are the workload's.
    pub fn read(&self, common: &Common) -> Result<Vec<NamedRays>, CliError> {
        named_rays::read_all(&self.rays, self.query, common)
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

/// Returns the rays of files relative to the `origin` of their scene, under names that live as long as the program:
/// rows of reports have them.
pub fn own_rays(files: Vec<NamedRays>, origin: [f64; 3]) -> Vec<OwnRays> {
    let own = |NamedRays { name, query, rays }: NamedRays| OwnRays {
        name: name.leak(),
        any: query == Query::Any,
        rays: rays.relative_to(origin).into(),
    };
    files.into_iter().map(own).collect()
}
