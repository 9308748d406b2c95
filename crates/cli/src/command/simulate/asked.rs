//! What the modes of kernels share: what is asked for, checked, and then the scene that it is about.

use crate::command::simulate::rays::own_rays;
use crate::command::simulate::{SimulateArgs, progress, refusal};
use crate::common::Common;
use crate::exit::{CliError, Status};
use crate::interrupted_table;
use crate::options::levels;
use crate::options::views::views;
use raywarp::Builder;
use raywarp::scene::{Description, Loaded, View, scene_name};
use raywarp_lab::family::Variant;
use raywarp_lab::report::Document;
use raywarp_lab::sim::machine::Machine;
use raywarp_lab::study::simulate::{EfficiencyRequest, OwnRays, SimulateError};
use raywarp_lab::workload::rays::RESOLUTION;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Kernels and machines to simulate, checked before the scene is loaded.
pub(super) struct Asked {
    pub variants: Vec<Variant>,
    pub widths: Vec<u32>,
    pub machines: Vec<Machine>,
}

impl Asked {
    /// Refuses kernels and machines that cannot be combined.
    pub fn check(args: &SimulateArgs) -> Result<Self, CliError> {
        let (variants, widths) = (args.kernels.variants(), args.kernels.widths(args.bounds.what_if));
        // Bounds are known of lanes that are left to a GPU, too.
        let is_bounded = !args.bounds.machine.is_empty();
        let checked = if is_bounded { variants.iter().map(Variant::voted).collect() } else { variants.clone() };
        crate::options::variant::check_machine(&checked, &widths)?;
        let machines = args.bounds.machines(&args.kernels.settings)?;
        args.kernels.check_options(&variants)?;
        Ok(Self { variants, widths, machines })
    }

    /// Loads the scene to simulate, and finds its viewpoints.
    pub fn load<'a>(self, name: &Path, args: &'a SimulateArgs, common: &'a Common) -> Result<Setup<'a>, CliError> {
        let files = args.rays.read(common)?;
        let (loaded, path, _) = common.load(name, args.allow_missing)?;
        levels::say_flattened(&loaded.scene, common);
        let name = scene_name(&path);
        let own = own_rays(files, loaded.scene.origin);
        let views = match own.is_empty() {
            true => views(common, &loaded.scene, &name, args.view.as_deref())?,
            false => Vec::new(),
        };
        let Self { variants, widths, machines } = self;
        Ok(Setup { args, common, loaded, path, name, views, own, variants, widths, machines })
    }
}

/// Scene to simulate with its viewpoints or rays, and what to simulate on it.
pub(super) struct Setup<'a> {
    pub args: &'a SimulateArgs,
    pub common: &'a Common,
    loaded: Loaded,
    pub path: PathBuf,
    /// Name of the scene, without folder and extension.
    pub name: String,
    /// Viewpoints, with their numbers.
    pub views: Vec<(usize, View)>,
    /// Rays of files, in place of a workload's.
    own: Vec<OwnRays>,
    variants: Vec<Variant>,
    widths: Vec<u32>,
    pub machines: Vec<Machine>,
}

impl Setup<'_> {
    /// Returns the scene's description.
    pub fn scene(&self) -> &Description {
        &self.loaded.scene
    }

    /// Returns the request of rays, kernels and trees to simulate.
    pub fn request(&self) -> EfficiencyRequest {
        let args = self.args;
        let build = args.tree.options_or(Builder::SweepSah);
        let leaf_sizes = &args.kernels.leaf_size;
        EfficiencyRequest {
            workload: args.rays.workload(),
            kinds: args.rays.kinds(),
            own: self.own.clone(),
            views: self.views.iter().map(|(_, view)| view.clone()).collect(),
            size: args.size.unwrap_or(RESOLUTION),
            sample: args.rays.sample.unwrap_or(16_384) as usize,
            rays_per_pixel: args.rays.rays_per_pixel,
            order: args.rays.order(),
            variants: self.variants.clone(),
            widths: self.widths.clone(),
            draw: 0,
            leaf_sizes: if leaf_sizes.is_empty() { vec![build.max_leaf] } else { leaf_sizes.clone() },
            build,
            scene: self.name.clone(),
        }
    }

    /// Returns the number of steps of the simulation: one for each kernel, warp width and tree.
    pub fn kernel_steps(&self, request: &EfficiencyRequest) -> progress::StepCount {
        ("kernels", request.variants.len() * request.widths.len() * request.leaf_sizes.len())
    }

    /// Returns the error, with its exit status, for a simulation that cannot run.
    pub fn refusal(&self, error: SimulateError) -> CliError {
        refusal(error, &self.path)
    }

    /// Prints a report as [`print_report`] does.
    pub fn print(&self, document: &Document, interrupted: bool, out: &mut dyn Write) -> Result<Status, CliError> {
        print_report((self.args, self.common), &self.path, document, interrupted, out)
    }
}

/// Prints a report on the file `path`, even if it was `interrupted`, and writes its page if asked for and complete.
pub(super) fn print_report(
    (args, common): (&SimulateArgs, &Common),
    path: &Path,
    document: &Document,
    interrupted: bool,
    out: &mut dyn Write,
) -> Result<Status, CliError> {
    if interrupted && args.report.wanted() {
        interrupted_table::no_page(common);
    } else {
        args.report.write(path, document)?;
    }
    interrupted_table::print(interrupted, document, common, out)
}
