//! Embree beside this CPU's tracer: the same rays in the same order, in turns, in one process.
//!
//! - Both use the same instruction set ([`isa_of`]), rayon's current pool, and rays of a batch in their order.
//! - Ours is timed as users call it: rays in, hits out, by [`Tracer::closest`](raywarp_geom::Tracer::closest) and
//!   [`any`](raywarp_geom::Tracer::any). Of Embree traversal alone is timed: its rays are put into its structures before.
//! - Embree may trace single rays and packets of 8 and 16, told that they are coherent or not, through trees of both qualities;
//!   the best of these modes is what ours is held against. All are robust, as ours is watertight; others have a race of their own.
//! - Every mode's answers are compared with ours, all rays ([`Agreement`]).

mod agreement;
mod mode;
mod race;
mod report;

pub use agreement::Agreement;
pub use mode::Mode;
pub use raywarp_embree::EmbreeError;
pub use report::{LEGEND, ModeRow, PeerReport, PeerRow, json, summary, text};

use crate::rays::{RayBatch, make};
use crate::report::TreeFacts;
use crate::{BenchError, BenchRequest, RaySource, Watch};
use race::{Race, Turn};
use raywarp_bvh::build;
use raywarp_cpu::{CpuTracer, Isa};
use raywarp_embree::{Device, DeviceOptions, Library, Queries, Width};
use raywarp_geom::{Control, FlatTriangles, Hit, TraceError, Tracer};
use raywarp_scene::{Scene, flatten};
use raywarp_system::memory;
use std::path::Path;
use std::time::Instant;

/// The instruction set of Embree that is the like of ours; none where Embree has but one, as on ARM.
pub fn isa_of(isa: Isa) -> Option<&'static str> {
    match isa.name() {
        "avx512" => Some("avx512"),
        "avx2" => Some("avx2"),
        // The least that Embree has.
        "portable" if cfg!(target_arch = "x86_64") => Some("sse2"),
        _ => None,
    }
}

/// Embree, loaded and open.
#[derive(Debug)]
pub struct EmbreePeer {
    device: Device,
}

impl EmbreePeer {
    /// Loads Embree from a file or folder, or as the system finds it, for the instruction set and threads that ours uses here.
    ///
    /// # Errors
    /// [`EmbreeError`].
    pub fn open(place: Option<&Path>) -> Result<Self, EmbreeError> {
        let options = DeviceOptions { isa: isa_of(Isa::preferred()), threads: Some(rayon::current_num_threads()) };
        Ok(Self { device: Device::new(Library::load(place)?, &options)? })
    }

    /// Its version, such as `4.4.0`.
    pub fn version(&self) -> String {
        self.device.version()
    }
}

/// Measures both sides on a scene, whose viewpoints have these numbers. Of `request` rays, the first tree and the number of runs
/// count, which are rounds here. With `fast` Embree's modes without its robust flag have a race of their own, too. All triangles count as
/// opaque.
///
/// # Errors
/// [`BenchError`]; `Trace(Cancelled)` when [`Watch::cancel`] became true.
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`], or `source` is not what the request's columns say.
pub fn beside_embree(
    peer: &EmbreePeer,
    scene: Scene,
    (name, views): (&str, Vec<usize>),
    source: RaySource<'_>,
    (request, fast): (&BenchRequest, bool),
    watch: &Watch<'_>,
) -> Result<PeerReport, BenchError> {
    let mut triangles = flatten(&scene)?;
    drop(scene);
    triangles.opaque.fill(true);
    let options = request.builds.first().copied().unwrap_or_default();
    let start = Instant::now();
    let bvh = build(&triangles, &options)?;
    let tree = TreeFacts { options, seconds: start.elapsed().as_secs_f64(), nodes: bvh.nodes.len() };
    let tracer = CpuTracer::new(&bvh, &triangles)?;
    drop(bvh);
    let batches = make(source, &triangles, &tracer, request, watch, name)?;
    check_memory(&batches)?;
    let mut report = PeerReport::new(peer, name, views, triangles.len(), tree, request);
    let mut theirs = Theirs { scenes: Vec::new(), modes: Vec::new(), queries: None };
    let robustness: &[bool] = if fast { &[true, false] } else { &[true] };
    for options in robustness.iter().copied().flat_map(Mode::scenes) {
        let start = Instant::now();
        let scene = raywarp_embree::Scene::new(&peer.device, &triangles.vertices, options)?;
        report.builds.push((options, start.elapsed().as_secs_f64()));
        theirs.modes.extend(Mode::of(options).map(|mode| (theirs.scenes.len(), mode)));
        theirs.scenes.push(scene);
    }
    let diagonal = triangles.bounds().diagonal();
    drop::<FlatTriangles>(triangles);
    let mut ours = Ours { tracer: &tracer, hits: Vec::new(), blocked: Vec::new() };
    let (mut done, all) = (0, request.columns.len() * robustness.len());
    for (column, what) in request.columns.iter().enumerate() {
        let batches: Vec<&RayBatch> = batches.iter().filter(|batch| batch.column == column).collect();
        for &robust in robustness {
            let (race, found) = measure(&mut ours, &mut theirs, robust, (&batches, diagonal), request.runs, watch)?;
            let rays = batches.iter().map(|batch| batch.rays.len() as u64).sum();
            report.rows.push(PeerRow::new(what.clone(), robust, rays, &race, found));
            done += 1;
            watch.progress(done, all);
        }
    }
    Ok(report)
}

/// The race of modes that are robust or are not over all batches of a column, in each turn one after the other, and what each
/// mode found.
fn measure(
    ours: &mut dyn OurSide,
    theirs: &mut dyn TheirSide,
    robust: bool,
    (batches, diagonal): (&[&RayBatch], f32),
    rounds: u32,
    watch: &Watch<'_>,
) -> Result<(Race, Vec<(Mode, Agreement)>), BenchError> {
    let modes: Vec<(usize, Mode)> =
        theirs.modes().into_iter().enumerate().filter(|(_, mode)| mode.scene.robust == robust).collect();
    let mut found: Vec<(Mode, Agreement)> = modes.iter().map(|&(_, mode)| (mode, Agreement::default())).collect();
    let rays: u64 = batches.iter().map(|batch| batch.rays.len() as u64).sum();
    let mut run = |turn| {
        let mut seconds = 0.0;
        for batch in batches {
            if watch.is_cancelled() {
                return Err(TraceError::Cancelled.into());
            }
            seconds += match turn {
                Turn::Ours => ours.run(batch)?,
                Turn::Theirs(place) => {
                    let seconds = theirs.run(modes[place].0, batch)?;
                    let agreement = &mut found[place].1;
                    // Once each.
                    if agreement.rays < rays {
                        agreement.add(&batch.watertight, &theirs.answers(), diagonal);
                    }
                    seconds
                }
            };
        }
        Ok::<f64, BenchError>(seconds)
    };
    let race = Race::run(modes.len(), rounds as usize, &mut run)?;
    Ok((race, found))
}

/// Refuses rays that do not fit memory in Embree's form, too.
fn check_memory(batches: &[RayBatch]) -> Result<(), BenchError> {
    /// Of a ray and its hit.
    const BYTES: u64 = 96;
    let rays = batches.iter().map(|batch| batch.rays.len() as u64).max().unwrap_or(0);
    match memory::available() {
        Some(free) if rays * BYTES > free => Err(BenchError::Memory { rays, needed: rays * BYTES, free }),
        _ => Ok(()),
    }
}

/// The side that is measured.
trait OurSide {
    /// Seconds that a batch takes.
    fn run(&mut self, batch: &RayBatch) -> Result<f64, BenchError>;
}

/// The side that it is held against.
trait TheirSide {
    fn modes(&self) -> Vec<Mode>;
    /// Seconds that a batch takes in a mode.
    fn run(&mut self, mode: usize, batch: &RayBatch) -> Result<f64, BenchError>;
    /// Answers of the last run.
    fn answers(&self) -> Vec<f32>;
}

/// This CPU's tracer, with room for its results.
struct Ours<'a> {
    tracer: &'a CpuTracer,
    hits: Vec<Hit>,
    blocked: Vec<u32>,
}

impl OurSide for Ours<'_> {
    fn run(&mut self, batch: &RayBatch) -> Result<f64, BenchError> {
        let rays = &batch.rays;
        self.hits.resize(rays.len(), Hit::default());
        self.blocked.resize(rays.len().div_ceil(32), 0);
        let (control, mut undecided) = (Control::default(), Vec::new());
        let start = Instant::now();
        if batch.any {
            self.tracer.any(rays, &[], &mut self.blocked, &mut undecided, &control)?;
        } else {
            self.tracer.closest(rays, &[], &mut self.hits, &mut [], &control)?;
        }
        Ok(start.elapsed().as_secs_f64())
    }
}

/// Embree's scenes, and the rays of the last run in its form.
struct Theirs {
    scenes: Vec<raywarp_embree::Scene>,
    /// Each with its scene.
    modes: Vec<(usize, Mode)>,
    queries: Option<(Width, bool, Queries)>,
}

impl TheirSide for Theirs {
    fn modes(&self) -> Vec<Mode> {
        self.modes.iter().map(|&(_, mode)| mode).collect()
    }

    fn run(&mut self, mode: usize, batch: &RayBatch) -> Result<f64, BenchError> {
        let (scene, mode) = self.modes[mode];
        // Of one form at a time, for they take three times the room of ours.
        match self.queries.take() {
            Some((width, any, mut queries)) if (width, any) == (mode.width, batch.any) => {
                queries.fill(&batch.rays);
                self.queries = Some((width, any, queries));
            }
            other => {
                drop(other);
                self.queries = Some((mode.width, batch.any, Queries::new(&batch.rays, mode.width, batch.any)));
            }
        }
        let (_, _, queries) = self.queries.as_mut().expect("queries were just put there");
        let start = Instant::now();
        self.scenes[scene].trace(queries, mode.coherent)?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn answers(&self) -> Vec<f32> {
        self.queries.as_ref().map_or(Vec::new(), |(_, _, queries)| queries.answers())
    }
}
