//! Arguments of `raywarp trace`, and the plan of the device and kernels that they ask for.

use crate::common::{Common, Replacing, Scenes, Threads, is_standard_stream};
use crate::device::{self, DeviceChoice, open};
use crate::exit::CliError;
use crate::heading;
use crate::named_values::named_values;
use crate::options::levels::LevelsArgs;
use crate::options::ray_input::Rays;
use crate::options::tree::TreeArgs;
use crate::options::variant::{VariantChoice, auto_needs_gpu, variant_or_auto};
use clap::Args;
use raywarp::cuda::auto::{BatchKind, Promise};
use raywarp::cuda::{CudaError, Device};
use raywarp::device::{Plan, RayKernels};
use raywarp::trace::Field;
use raywarp::{BuildOptions, are_coherent};
use raywarp_lab::ImitatedKernel;
use raywarp_lab::traverse::{Execution, Query};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// Text of `trace --help` about ray and hit files; docs/guide/trace.md has the rest.
const FILES: &str = "RAYS: a NumPy array (.npy) of float32 or float64, a ray a row. (N, 8): ox oy oz t_min dx dy dz t_max. \
    (N, 6): ox oy oz dx dy dz, with t from 0 to infinity. Numbers are rounded to float32; where the scene has an origin (raywarp info shows it), it is subtracted in float64 \
    before that, so give float64 there, and positions are written as float64. A hit counts when \
    t_min <= t <= t_max, t in lengths of the direction.\n\n\
    HITS: one record a ray, in their order. NAME.csv is text, NAME.npy and a name without an ending a NumPy array: t:f4 u:f4 v:f4 primitive:u4 \
    instance:u4. u is the weight of the triangle's second vertex, v that of the third: the point hit is \
    (1 - u - v) v0 + u v1 + v v2. primitive counts the triangles of a mesh, instance the placed meshes, both from 0 in \
    the file's order. A miss has t = t_max, u = v = 0 and 4294967295 for both ids (-1 in CSV). A ray with a NaN, an \
    infinite origin or direction, or a direction of 0 is invalid: a miss, and counted. \
    With --any: one u1 a ray, 1 where anything is on it (in CSV the column blocked).\n\n\
    Rays see geometry: every triangle is opaque, whatever its material says; what is invisible or has no area \
    is not there. The tracer without --variant is watertight; most of the papers' kernels are not.";

/// Traces a file of rays through a scene, and writes what they hit.
#[derive(Debug, Args)]
#[command(override_usage = "raywarp trace [OPTIONS] SCENE RAYS -o HITS", after_long_help = FILES)]
pub struct TraceArgs {
    /// Scene file, or a name in --scenes; then the rays, an .npy file. - is standard input, for one of both.
    #[arg(required = true, num_args = 1..=2, value_names = ["SCENE", "RAYS"])]
    inputs: Vec<PathBuf>,
    /// The same as SCENE.
    #[arg(long, value_name = "SCENE", help_heading = heading::SCENE)]
    scene: Option<PathBuf>,
    /// File of hits to write, .csv or .npy, or - for an .npy file on standard output.
    #[arg(short, long, value_name = "HITS", help_heading = heading::OUTPUT)]
    pub(super) output: PathBuf,
    /// Ask only whether anything is on the ray.
    #[arg(long, help_heading = heading::RAYS)]
    pub(super) any: bool,
    /// Fields that HITS holds too, comma-separated: position, normal [default: neither].
    ///
    /// The position of the hit, and the normal of length 1 on the triangle's front: three numbers each in world space,
    /// NaN for a miss.
    #[arg(long, value_name = "FIELDS", value_delimiter = ',', value_parser = named_values(["position", "normal"], Field::from_str), hide_possible_values = true, conflicts_with = "any", help_heading = heading::OUTPUT)]
    pub(super) with: Vec<Field>,
    /// A kernel of the family: a variant or a row of `raywarp variants`.
    ///
    /// Without it the CPU's own tracer runs, and on a GPU the fastest kernel with the CPU's bits, which loses no ray;
    /// with --device cuda, auto says the same.
    #[arg(long, value_name = "VARIANT", value_parser = variant_or_auto(), hide_possible_values = true, help_heading = heading::KERNELS)]
    variant: Option<VariantChoice>,
    /// Lanes of the warp that runs --variant on this CPU, 1 to 64, or scalar.
    ///
    /// scalar is one lane without masks.
    #[arg(long, value_name = "LANES", default_value = "32", value_parser = named_values(["scalar"], parse_machine), hide_possible_values = true, requires = "variant", help_heading = heading::KERNELS)]
    width: Execution,
    /// Go on without files that the scene names and that are missing.
    #[arg(long, help_heading = heading::SCENE)]
    pub(super) allow_missing: bool,
    #[command(flatten)]
    pub levels: LevelsArgs,
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    pub scenes: Scenes,
    /// Device that traces: cpu, cuda (the first GPU), cuda:N, cuda:0,1, cuda:all, auto.
    ///
    /// auto takes a GPU where there is one and the rays are worth its start: from 16 million beside one thread of the
    /// CPU on, more beside several and in large scenes (docs/guide/gpu.md). It says so, and goes on with the CPU
    /// otherwise; --variant is then imitated there. Several GPUs share the rays. On a GPU the kernel is the fastest
    /// that gives the bits of the CPU, unless --variant names one.
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device::parser_of_several(), hide_possible_values = true, help_heading = heading::MACHINE)]
    pub device: DeviceChoice,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub replacing: Replacing,
}

fn parse_machine(text: &str) -> Result<Execution, String> {
    let width = text.parse().ok().filter(|width| (1..=64).contains(width));
    match (text, width) {
        ("scalar", _) => Ok(Execution::Scalar),
        (_, Some(width)) => Ok(Execution::Lockstep { width }),
        _ => Err("must be scalar or 1 to 64".to_string()),
    }
}

impl TraceArgs {
    /// Returns `true` if the hits go to standard output as bytes.
    pub fn is_piped(&self) -> bool {
        is_standard_stream(&self.output)
    }

    /// Returns the question that the rays ask.
    pub(super) fn query(&self) -> Query {
        if self.any { Query::Any } else { Query::Closest }
    }

    /// Returns the options of the tree, if given.
    pub(super) fn build(&self) -> Option<BuildOptions> {
        self.tree.given().map(|_| self.tree.options())
    }

    /// Returns the plan of the device and kernels that trace `rays`; `None` if the program chooses, which depends on
    /// the scene too.
    pub(super) fn chosen_plan(&self, common: &Common, rays: &Rays<'_>) -> Result<Option<Plan>, CliError> {
        self.levels.check(&common.device)?;
        self.levels.check_variant(self.variant.is_some())?;
        let is_auto = common.device == DeviceChoice::Auto && self.variant.is_none();
        if is_auto { Ok(None) } else { self.plan(common, rays, self.build()).map(Some) }
    }

    /// Returns the plan of the device and kernels that trace `rays`, if the user chose the device; `build` are the
    /// options of the tree, if given.
    fn plan(&self, common: &Common, rays: &Rays<'_>, build: Option<BuildOptions>) -> Result<Plan, CliError> {
        let devices = open(&common.device)?;
        let Some(first) = devices.first() else {
            return match self.variant {
                Some(VariantChoice::One(variant)) => {
                    let imitated = ImitatedKernel { variant, machine: self.width };
                    Ok(Plan::own(Arc::new(imitated), build.unwrap_or_default()))
                }
                Some(VariantChoice::Auto) => Err(auto_needs_gpu()),
                None => Ok(Plan::cpu(build.unwrap_or_default())),
            };
        };
        let kernels = match self.variant {
            Some(VariantChoice::One(variant)) => RayKernels::named(variant),
            None | Some(VariantChoice::Auto) => {
                common.can_choose()?;
                let failed = |error| CliError::machine(format!("--device {}: {error}", common.device));
                self.fastest(common, first, rays).map_err(failed)?
            }
        };
        Ok(Plan::rays_on(devices, kernels, build))
    }

    /// Returns the fastest kernels of a GPU for `rays` whose hits have the same bits as the CPU's.
    pub(super) fn fastest(&self, common: &Common, device: &Device, rays: &Rays<'_>) -> Result<RayKernels, CudaError> {
        let kind = if are_coherent(rays.first()) { BatchKind::Coherent } else { BatchKind::Incoherent };
        Ok(RayKernels::chosen(&common.try_choose(device, Promise::Bits)?, kind))
    }

    /// Returns the paths of the scene and of the rays from the positional arguments.
    pub(super) fn inputs(&self) -> Result<(&Path, &Path), CliError> {
        match (&self.scene, &self.inputs[..]) {
            (None, [scene, rays]) => Ok((scene, rays)),
            (Some(scene), [rays]) => Ok((scene, rays)),
            (None, _) => Err(CliError::usage("no rays are named: raywarp trace SCENE RAYS -o HITS")),
            (Some(_), _) => Err(CliError::usage("two scenes are named; give SCENE or --scene")),
        }
    }
}
