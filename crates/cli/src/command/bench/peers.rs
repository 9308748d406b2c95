//! `raywarp bench --peers embree`: this CPU's tracer and Embree alternating, on the same rays.

use crate::command::bench::args::BenchArgs;
use crate::command::bench::place::{Place, failure, name_scenes};
use crate::command::bench::rays;
use crate::common::{Common, command_line};
use crate::device::DeviceChoice;
use crate::exit::{CliError, Status};
use crate::heading;
use crate::interrupt;
use crate::interrupted_table;
use crate::named_values::named_values;
use crate::options::views::name_inputs;
use crate::progress::Steps;
use crate::whole_number::whole;
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueHint};
use raywarp::trace::npy::RayFile;
use raywarp_lab::bench::peers::embree::{Calls, EmbreePeer, LEGEND, PeerReport, beside_embree, document};
use raywarp_lab::bench::{BenchRequest, BenchWatch, MachineFacts, RaySet, RaySource, Target};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Default number of rounds of a comparison with Embree.
const ROUNDS: u32 = 5;

/// Options of peers.
#[derive(Debug, Args)]
pub struct PeerArgs {
    /// Measure the CPU's tracer and other tracers alternately, on the same rays: embree.
    ///
    /// Embree traces single rays and packets of 8 and 16, and the best of that counts (docs/guide/bench.md).
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = named_values(["embree"], parse), hide_possible_values = true, help_heading = heading::KERNELS)]
    peers: Vec<Peer>,
    /// Embree's library or its folder, of --peers [default: where the system looks].
    #[arg(long, value_name = "PATH", env = "RAYWARP_EMBREE", hide_env_values = true, value_parser = OsStringValueParser::new().map(PathBuf::from), value_hint = ValueHint::AnyPath, help_heading = heading::KERNELS)]
    embree: Option<PathBuf>,
    /// Let Embree trace without its robust flag, too: rays may slip through edges.
    #[arg(long, requires = "peers", help_heading = heading::KERNELS)]
    embree_fast: bool,
    /// Rays of each call of ours [default: as many as a view has].
    ///
    /// With 1 Embree traces single rays too.
    #[arg(long, requires = "peers", value_name = "N", value_parser = whole::<usize>(1..=1 << 20), help_heading = heading::KERNELS)]
    rays_per_call: Option<usize>,
}

/// Ray tracer of others on this CPU to compare with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Peer {
    Embree,
}

fn parse(name: &str) -> Result<Peer, &'static str> {
    if name == "embree" { Ok(Peer::Embree) } else { Err("known is embree") }
}

impl PeerArgs {
    /// Returns `true` if any other ray tracer is named to compare with.
    pub fn are_named(&self) -> bool {
        !self.peers.is_empty()
    }

    /// Returns the path of Embree's library, if given; an empty name counts as none, so that an empty variable counts
    /// as unset.
    fn place(&self) -> Option<&Path> {
        self.embree.as_deref().filter(|place| !place.as_os_str().is_empty())
    }

    fn open(&self) -> Result<EmbreePeer, CliError> {
        let advice = "install it (pip install embreex) and name its library or the library's folder with --embree or RAYWARP_EMBREE";
        EmbreePeer::open(self.place()).map_err(|error| CliError::machine(format!("--peers embree: {error}; {advice}")))
    }
}

/// Runs the comparison with other ray tracers (`bench --peers`).
pub fn run(args: &BenchArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    if let Some(option) = args.of_kernels() {
        return Err(CliError::usage(format!("{option} is for kernels; leave it out with --peers")));
    }
    if !matches!(common.device, DeviceChoice::Cpu | DeviceChoice::Auto) {
        let device = &common.device;
        return Err(CliError::usage(format!("--device {device}: embree is a peer of the CPU; leave it out")));
    }
    let scenes = name_scenes(args, common)?;
    name_inputs(common, args.view.as_deref())?;
    rays::check(args, common)?;
    let peer = args.peers.open()?;
    let (sets, rays): (Vec<RaySet>, Vec<RayFile>) = rays::read_all(args, common)?.into_iter().unzip();
    let machine = MachineFacts::read(&Target::Cpu);
    common.note(format!("{}; Embree {}", machine.line(), peer.version()));
    let mut request = args.request(&Target::Cpu, &[], &sets);
    request.runs = args.runs().unwrap_or(ROUNDS);
    let mut rays = Some(rays).filter(|rays| !rays.is_empty());
    let mut reports: Vec<PeerReport> = Vec::new();
    let mut outcome = Ok(());
    for scene in &scenes {
        match measure(args, common, scene, rays.take(), (&peer, &request)) {
            Ok(Some(report)) => {
                if !common.json {
                    if reports.is_empty() {
                        writeln!(out, "{LEGEND}")?;
                    }
                    writeln!(out, "{}", common.written(&report.document()))?;
                    out.flush()?;
                }
                reports.push(report);
                interrupted_table::leave(&document(&reports, &machine, &command_line()), common);
            }
            Ok(None) => break,
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
        if interrupt::is_interrupted() {
            break;
        }
    }
    let interrupted = interrupt::is_interrupted();
    if !reports.is_empty() {
        interrupted_table::print(interrupted, &document(&reports, &machine, &command_line()), common, out)?;
    }
    outcome?;
    Ok(match (interrupted, reports.iter().all(PeerReport::passes)) {
        (true, _) => Status::Interrupted,
        (false, true) => Status::Done,
        (false, false) => Status::Failed,
    })
}

/// Measures Raywarp and Embree on a scene; returns `None` if interrupted.
fn measure(
    args: &BenchArgs,
    common: &Common,
    scene: &Path,
    rays: Option<Vec<RayFile>>,
    (peer, request): (&EmbreePeer, &BenchRequest),
) -> Result<Option<PeerReport>, CliError> {
    let Place { loaded, path, name, views } = Place::find(args, common, scene)?;
    let (numbers, views): (Vec<_>, Vec<_>) = views.into_iter().unzip();
    let (numbers, source) = match rays {
        Some(files) => (Vec::new(), RaySource::Lists(rays::relative_to(files, loaded.scene.origin))),
        None => (numbers, RaySource::Views(&views)),
    };
    let doing = format!("measuring {name}");
    let _doing = interrupt::doing(&doing);
    let steps = Steps::new(common.quiet, doing, "kinds of rays", 0);
    let keep = interrupt::Keep::later("what was measured will be printed");
    keep.begin();
    let progress = |done: usize, all: usize| steps.set(done as u64, all as u64);
    let watch = BenchWatch { cancel: Some(interrupt::flag()), progress: Some(&progress), ..BenchWatch::default() };
    let per_call = args.peers.rays_per_call.and_then(NonZeroUsize::new);
    let calls = Calls { fast: args.peers.embree_fast, per_call };
    match beside_embree(peer, loaded.scene, (&name, numbers), source, (request, calls), &watch) {
        Err(error) if error.is_cancelled() => Ok(None),
        other => other.map(Some).map_err(|error| failure(error, &path)),
    }
}
