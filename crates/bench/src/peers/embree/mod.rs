//! Embree beside this CPU's tracer: the same rays in the same order, alternating, in one process.
//!
//! - Both use the same instruction set ([`isa_of`]), rayon's current pool, and rays of a batch in their order.
//! - Ours is timed as users call it: rays in, hits out, by [`closest`](raywarp_geom::Tracer::closest) and
//!   [`any`](raywarp_geom::Tracer::any). Of Embree traversal alone is timed: its rays are put into its structures before.
//! - With [`Calls::per_call`] ours is called with that many rays at a time. One at a time is held against Embree's
//!   single rays alone.
//! - Embree may trace single rays and packets of 8 and 16, told that they are coherent or not, through trees of both
//!   qualities; the best of these modes is what ours is held against. All are robust, as ours is watertight; others
//!   have a race of their own.
//! - Every mode's answers are compared with ours, all rays ([`Agreement`]).

mod agreement;
mod document;
mod mode;
mod ours;
mod race;
mod report;

pub use agreement::Agreement;
pub use document::{LEGEND, document};
pub use mode::EmbreeMode;
pub use raywarp_embree::EmbreeError;
pub use report::{ModeRow, PeerReport, PeerRow};

use crate::rays::{RayBatch, make};
use crate::report::TreeFacts;
use crate::{BenchError, BenchRequest, BenchWatch, DataHash, RaySource};
use ours::Ours;
use race::{Race, Runner, Time};
use raywarp_bvh::build;
use raywarp_cpu::{CpuTracer, Isa};
use raywarp_embree::{DeviceOptions, EmbreeDevice, Library, Queries, RayWidth};
use raywarp_geom::{FlatTriangles, TraceError};
use raywarp_scene::{Description, flatten};
use raywarp_system::memory;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

/// Returns Embree's instruction set that corresponds to ours; `None` where Embree has only one, as on ARM.
pub fn isa_of(isa: Isa) -> Option<&'static str> {
    match isa.name() {
        "avx512" => Some("avx512"),
        "avx2" => Some("avx2"),
        // The least that Embree has.
        "portable" if cfg!(target_arch = "x86_64") => Some("sse2"),
        _ => None,
    }
}

/// How both sides are called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    /// `true` if Embree's modes without its robust flag have a race of their own.
    pub fast: bool,
    /// Number of rays of each call of ours; all rays of a batch if `None`.
    pub per_call: Option<NonZeroUsize>,
}

impl Calls {
    /// Returns `true` if ours traces a ray a call, so that Embree has to as well.
    fn are_single(self) -> bool {
        self.per_call.is_some_and(|count| count.get() == 1)
    }
}

/// The Embree library, loaded, with an open device.
#[derive(Debug)]
pub struct EmbreePeer {
    device: EmbreeDevice,
}

impl EmbreePeer {
    /// Loads Embree from a file, a folder or the system's library path, with the instruction set and number of threads
    /// that our tracer uses.
    ///
    /// # Errors
    /// [`EmbreeError`].
    pub fn open(place: Option<&Path>) -> Result<Self, EmbreeError> {
        let options = DeviceOptions { isa: isa_of(Isa::preferred()), threads: Some(rayon::current_num_threads()) };
        Ok(Self { device: EmbreeDevice::new(Library::load(place)?, &options)? })
    }

    /// Returns the version of the Embree library, such as `4.4.0`.
    pub fn version(&self) -> String {
        self.device.version()
    }
}

/// Measures our tracer and Embree's modes on a scene, whose viewpoints have these numbers. Of `request` rays, the first
/// tree and the number of runs count, which are rounds here. All triangles count as opaque.
///
/// # Errors
/// [`BenchError`]; `Trace(Cancelled)` when [`BenchWatch::cancel`] became true.
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`], or `source` is not what the request's columns say.
pub fn beside_embree(
    peer: &EmbreePeer,
    scene: Description,
    (name, views): (&str, Vec<usize>),
    source: RaySource<'_>,
    (request, calls): (&BenchRequest, Calls),
    watch: &BenchWatch<'_>,
) -> Result<PeerReport, BenchError> {
    let mut triangles = flatten(&scene)?;
    drop(scene);
    triangles.opaque.fill(true);
    let options = request.builds.first().copied().unwrap_or_default();
    let start = Instant::now();
    let bvh = build(&triangles, &options)?;
    let seconds = start.elapsed().as_secs_f64();
    let hash = DataHash::of_tree(&bvh);
    let tree = TreeFacts { options, builder: options.builder, seconds, nodes: bvh.nodes.len(), hash };
    let tracer = CpuTracer::new(&bvh, &triangles)?;
    drop(bvh);
    let batches = make(source, &triangles, &tracer, request, watch, name)?;
    check_memory(&batches)?;
    let mut report = PeerReport::new(peer, name, views, triangles.len(), tree, request);
    let mut theirs = Theirs { scenes: Vec::new(), modes: Vec::new(), queries: None };
    let robustness: &[bool] = if calls.fast { &[true, false] } else { &[true] };
    for options in robustness.iter().copied().flat_map(EmbreeMode::scenes) {
        let start = Instant::now();
        let scene = raywarp_embree::EmbreeScene::new(&peer.device, &triangles.vertices, options)?;
        report.builds.push((options, start.elapsed().as_secs_f64()));
        let modes = EmbreeMode::of(options).filter(|mode| !calls.are_single() || mode.width == RayWidth::One);
        theirs.modes.extend(modes.map(|mode| (theirs.scenes.len(), mode)));
        theirs.scenes.push(scene);
    }
    let diagonal = triangles.bounds().diagonal();
    drop::<FlatTriangles>(triangles);
    let mut ours = Ours::new(&tracer, calls.per_call);
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

/// Runs our tracer and all robust modes of Embree, or all others, alternating over the batches of a column, and returns
/// each mode's result.
fn measure(
    ours: &mut dyn OurSide,
    theirs: &mut dyn TheirSide,
    robust: bool,
    (batches, diagonal): (&[&RayBatch], f32),
    rounds: u32,
    watch: &BenchWatch<'_>,
) -> Result<(Race, Vec<(EmbreeMode, Agreement)>), BenchError> {
    let modes: Vec<(usize, EmbreeMode)> =
        theirs.modes().into_iter().enumerate().filter(|(_, mode)| mode.scene.robust == robust).collect();
    let mut found: Vec<(EmbreeMode, Agreement)> = modes.iter().map(|&(_, mode)| (mode, Agreement::default())).collect();
    let rays: u64 = batches.iter().map(|batch| batch.rays.len() as u64).sum();
    let mut run = |runner| {
        let mut time = Time::default();
        for batch in batches {
            if watch.is_cancelled() {
                return Err(TraceError::Cancelled.into());
            }
            time += match runner {
                Runner::Ours => ours.run(batch)?,
                Runner::Theirs(place) => {
                    let time = theirs.run(modes[place].0, batch)?;
                    let agreement = &mut found[place].1;
                    // Once each.
                    if agreement.rays < rays {
                        agreement.add(&batch.watertight, &theirs.answers(), diagonal);
                    }
                    time
                }
            };
        }
        Ok::<Time, BenchError>(time)
    };
    let race = Race::run(modes.len(), rounds as usize, &mut run)?;
    Ok((race, found))
}

/// Checks that the rays fit in memory in Embree's form, as well.
fn check_memory(batches: &[RayBatch]) -> Result<(), BenchError> {
    /// Bytes of a ray and its hit in Embree's form.
    const BYTES: u64 = 96;
    let rays = batches.iter().map(|batch| batch.rays.len() as u64).max().unwrap_or(0);
    match memory::available() {
        Some(free) if rays * BYTES > free => Err(BenchError::Memory { rays, needed: rays * BYTES, free }),
        _ => Ok(()),
    }
}

/// Our side of a comparison: a tracer whose runs are timed.
trait OurSide {
    /// Traces a batch of rays and returns the time that it took.
    fn run(&mut self, batch: &RayBatch) -> Result<Time, BenchError>;
}

/// The other side of a comparison: Embree, whose modes are timed.
trait TheirSide {
    fn modes(&self) -> Vec<EmbreeMode>;
    /// Traces a batch of rays in one mode and returns the time that it took.
    fn run(&mut self, mode: usize, batch: &RayBatch) -> Result<Time, BenchError>;
    /// Returns the answers of the last run to each ray.
    fn answers(&self) -> Vec<f32>;
}

/// Embree's scenes, with the rays of the last run in Embree's form.
struct Theirs {
    scenes: Vec<raywarp_embree::EmbreeScene>,
    /// Modes of Embree, each with the index of its scene.
    modes: Vec<(usize, EmbreeMode)>,
    queries: Option<(RayWidth, bool, Queries)>,
}

impl TheirSide for Theirs {
    fn modes(&self) -> Vec<EmbreeMode> {
        self.modes.iter().map(|&(_, mode)| mode).collect()
    }

    fn run(&mut self, mode: usize, batch: &RayBatch) -> Result<Time, BenchError> {
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
        Ok(Time::of(|| self.scenes[scene].trace(queries, mode.coherent))?)
    }

    fn answers(&self) -> Vec<f32> {
        self.queries.as_ref().map_or(Vec::new(), |(_, _, queries)| queries.answers())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::trace;
    use raywarp_bvh::BuildOptions;
    use raywarp_geom::{Control, Ray};

    /// Our own tracer in place of Embree, with modes that may change the rays' lengths.
    struct Twin<'a> {
        tracer: &'a CpuTracer,
        /// Factors of the rays' lengths, one for each mode.
        ends: Vec<f32>,
        answers: Vec<f32>,
    }

    impl TheirSide for Twin<'_> {
        fn modes(&self) -> Vec<EmbreeMode> {
            let modes = [true, false].into_iter().flat_map(EmbreeMode::scenes).flat_map(EmbreeMode::of);
            modes.take(self.ends.len()).collect()
        }

        fn run(&mut self, mode: usize, batch: &RayBatch) -> Result<Time, BenchError> {
            let end = self.ends[mode];
            let rays: Vec<Ray> = batch.rays.iter().map(|ray| ray.with_interval(ray.t_min, ray.t_max * end)).collect();
            self.answers = trace(self.tracer, &rays, batch.any, &Control::default())?;
            Ok(race::tests::time(1.0))
        }

        fn answers(&self) -> Vec<f32> {
            self.answers.clone()
        }
    }

    /// Returns a tracer of a staircase, whose steps rays from above hit at different distances.
    fn tracer() -> CpuTracer {
        let step = |i: i32| {
            let (x, y) = (i as f32, i as f32 / 16.0);
            [[x, y, -9.0], [x + 2.0, y, -9.0], [x, y, 9.0]]
        };
        let triangles = FlatTriangles::from_vertices((0..32).map(step).collect());
        CpuTracer::new(&build(&triangles, &BuildOptions::default()).unwrap(), &triangles).unwrap()
    }

    fn batch(tracer: &CpuTracer, id: usize, any: bool) -> RayBatch {
        // Some end before they meet anything, some go past all.
        let ray = |i: i32| Ray::new([(i % 40) as f32 + 0.25, 4.0, 0.0], [0.0, -1.0, 0.0]);
        let rays: Vec<Ray> = (0..400).map(|i| ray(i).with_interval(0.0, 3.0 + (i / 40) as f32 * 0.3)).collect();
        let watertight = trace(tracer, &rays, any, &Control::default()).unwrap();
        RayBatch { id, column: 0, view: Some(id), any, rays, hash: DataHash::default(), watertight, sort: 0.0 }
    }

    fn agreements(ends: &[f32], robust: bool, any: bool) -> Vec<Agreement> {
        let tracer = tracer();
        let batches = [batch(&tracer, 0, any), batch(&tracer, 1, any)];
        let batches: Vec<&RayBatch> = batches.iter().collect();
        let mut ours = Ours::new(&tracer, None);
        let mut theirs = Twin { tracer: &tracer, ends: ends.to_vec(), answers: Vec::new() };
        let watch = BenchWatch::default();
        let (race, found) = measure(&mut ours, &mut theirs, robust, (&batches, 40.0), 2, &watch).unwrap();
        assert_eq!((race.ours.len(), race.theirs.len(), race.heats.len()), (2, 2, found.len()));
        assert!(found.iter().all(|(mode, agreement)| mode.scene.robust == robust && agreement.rays == 800));
        found.into_iter().map(|(_, agreement)| agreement).collect()
    }

    #[test]
    fn the_same_work_passes_with_every_ray_compared_once() {
        for any in [false, true] {
            let found = agreements(&[1.0; 10], true, any);
            assert_eq!(found.len(), 10);
            assert!(found.iter().all(|agreement| agreement.differ() == 0 && agreement.passes()));
            assert_eq!(agreements(&[1.0; 20], false, any).len(), 10);
        }
    }

    #[test]
    fn a_mode_whose_rays_end_elsewhere_is_noticed() {
        for any in [false, true] {
            let mut ends = [1.0; 10];
            ends[3] = 0.75;
            let found = agreements(&ends, true, any);
            for (mode, agreement) in found.iter().enumerate() {
                assert_eq!(agreement.passes(), mode != 3, "{mode}: {agreement:?}");
            }
            assert!(found[3].missed > 80 && found[3].example.is_some(), "{:?}", found[3]);
        }
    }

    #[test]
    fn whoever_stops_a_race_stops_it() {
        use std::sync::atomic::AtomicBool;
        let tracer = tracer();
        let batch = batch(&tracer, 0, true);
        let mut ours = Ours::new(&tracer, None);
        let mut theirs = Twin { tracer: &tracer, ends: vec![1.0], answers: Vec::new() };
        let cancel = AtomicBool::new(true);
        let watch = BenchWatch { cancel: Some(&cancel), ..BenchWatch::default() };
        let error = measure(&mut ours, &mut theirs, true, (&[&batch], 1.0), 1, &watch).unwrap_err();
        assert!(error.is_cancelled());
    }

    #[test]
    fn embree_gets_the_instruction_set_of_ours() {
        for isa in Isa::all() {
            let theirs = isa_of(isa);
            match isa.name() {
                same @ ("avx512" | "avx2") => assert_eq!(theirs, Some(same)),
                "portable" if cfg!(target_arch = "x86_64") => assert_eq!(theirs, Some("sse2")),
                _ => assert_eq!(theirs, None),
            }
        }
    }
}
