//! What each organisation counts is what the CPU's paths say: how long each is, and how many connections it tries.

pub use super::played::{Bytes, EVERYTHING, PLAIN};
use super::played::{SURFACES, WARP, batches, expected};
use super::*;
use raywarp_experiments::Refusal;
use raywarp_geom::Ray;
use raywarp_render::{PathObserver, PathRecorder};
use raywarp_render_cuda::PathCounts;
use std::sync::atomic::{AtomicU64, Ordering};

/// Listens to the CPU.
struct Recorder {
    lengths: PathRecorder,
    connections: AtomicU64,
}

impl PathObserver for Recorder {
    fn alive(&self, pixel: u32, sample: u32, bounce: u32) {
        self.lengths.alive(pixel, sample, bounce);
    }

    fn connection(&self, _: u32, _: u32, _: u32, _: &Ray, _: [f32; 3]) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }
}

/// Renders on the CPU and on a device, and compares what was counted, and the pictures.
pub fn check(prepared: &Prepared, options: &RenderOptions, bytes: Bytes, engine: PathExperiment) -> PathCounts {
    let (scene, camera, tracer) = (&prepared.shading, &prepared.camera, &prepared.tracer);
    let recorder = Recorder {
        lengths: PathRecorder::new(options.size, options.samples.clone()),
        connections: AtomicU64::default(),
    };
    let context = RenderContext { observer: Some(&recorder), ..RenderContext::default() };
    let cpu = render(scene, camera, tracer, options, context).unwrap();
    let lengths = recorder.lengths.into_segments();
    let capacity = engine.paths.min(lengths.len());
    let results = capacity * if refills(engine.organisation) { engine.queues_per_batch } else { 1 };
    let batches = batches(&cpu.film, options, (engine.organisation, results), &lengths);
    let connected = recorder.connections.into_inner();
    let (mut want, knows_warps) = expected(&batches, capacity, options.max_depth, (&engine, bytes, connected));
    want.asked = cpu.rays - want.extended - connected;

    let mut renderers = prepared.engine(engine, 1);
    let rendered = render(scene, camera, tracer, options, RenderContext::by(&mut renderers)).unwrap();
    let got = renderers.renderers()[0].counts();
    if !knows_warps {
        // A warp has from one path to one for each lane, in each iteration.
        assert!((want.extended.div_ceil(WARP as u64)..=want.extended).contains(&got.warps), "{got:?}");
        want.warps = got.warps;
        for (want, got) in want.by_round.iter_mut().zip(&got.by_round) {
            assert!((want.active.div_ceil(WARP as u64)..=want.active).contains(&got.warps), "{got:?}");
            want.warps = got.warps;
        }
    }
    assert_eq!(got, want, "{engine:?}, {} bounces", options.max_depth);
    assert_eq!(difference(&[cpu.film, rendered.film]), None, "{engine:?}, {} bounces", options.max_depth);
    got
}

/// A batch that fits into the queue, several that do, and queues that are filled up again: of the picture's last pass
/// two samples a batch, and more rounds than the host looks after even where each path has one ray.
const QUEUES: [(usize, usize); 5] = [ONE_BATCH, (100, 1), (70, 3), (200, 5), (20, 25)];

/// Those that an organisation is counted with: where nobody begins in another's place there is only one batch or several,
/// and where nothing is sorted both wavefronts have the same kernels. Refilled queues of all lengths are for short paths.
fn queues(organisation: MeasuredOrganisation, is_sorted: bool, is_short: bool) -> &'static [(usize, usize)] {
    match organisation {
        MeasuredOrganisation::Wavefront if !is_sorted => &QUEUES[..1],
        _ if !refills(organisation) => &QUEUES[..2],
        _ if is_short => &QUEUES,
        _ => &QUEUES[..3],
    }
}

#[test]
fn each_organisation_counts_what_the_lengths_of_the_paths_say() {
    let Some(_driver) = Driver::get() else { return };
    let all = RenderOptions {
        size: [24, 16],
        samples: 3..7,
        features: true,
        sampler: SamplerKind::Xor32,
        seed: 5,
        ..RenderOptions::default()
    };
    let plain = RenderOptions { features: false, sampler: SamplerKind::Sobol, ..all.clone() };
    for (prepared, options, bytes, depths) in [
        (everything(), all.clone(), EVERYTHING, &[(1, false), (6, false)][..]),
        (surfaces(true), all, SURFACES, &[(3, false), (3, true)]),
        (room(), plain, PLAIN, &[(0, false), (0, true), (1, false), (4, false), (20, false)]),
    ] {
        for &(max_depth, connect_last) in depths {
            let options = RenderOptions { max_depth, connect_last, ..options.clone() };
            let is_short = max_depth <= 3 && !connect_last;
            // Who lists paths knows nothing of what there is in a scene.
            let is_plain = FeatureSet::of(&prepared.shading) == FeatureSet::Plain;
            let own = |engine: &PathExperiment| {
                let host = engine.host_counts && engine.organisation != MeasuredOrganisation::WavefrontSorted;
                engine.compaction != Compaction::Atomics && !host
            };
            for engine in engines().into_iter().filter(|engine| is_plain || own(engine)) {
                for &(paths, queues_per_batch) in queues(engine.organisation, bytes.place > 0, is_short) {
                    let engine = PathExperiment { paths, queues_per_batch, ..engine };
                    let counts = check(&prepared, &options, bytes, engine);
                    // That there is something to count.
                    assert_eq!(counts.begun, 24 * 16 * 4);
                    assert_eq!(counts.extended > counts.begun, max_depth > 0, "{counts:?}");
                    assert_eq!(counts.connected > 0, max_depth > 0 || connect_last, "{counts:?}");
                    assert_eq!(counts.asked > 0, FeatureSet::of(&prepared.shading) != FeatureSet::Plain, "{counts:?}");
                    if engine.organisation.is_wavefront() {
                        assert_eq!(counts.refilled > 0, queues_per_batch > 1, "{counts:?}");
                    }
                }
            }
        }
    }
}

/// All organisations, and all that lists those who go on.
pub fn engines() -> Vec<PathExperiment> {
    let of = |organisation| PathExperiment { paths_per_lane: 2, ..PathExperiment::of(organisation) };
    let listed = [MeasuredOrganisation::Compact, MeasuredOrganisation::Regenerate]
        .into_iter()
        .flat_map(|organisation| Compaction::ALL.map(|compaction| PathExperiment { compaction, ..of(organisation) }));
    let others = [
        PathExperiment { host_counts: true, timed: true, ..of(MeasuredOrganisation::Compact) },
        PathExperiment { host_counts: true, compaction: Compaction::Atomics, ..of(MeasuredOrganisation::Regenerate) },
        PathExperiment { host_counts: true, timed: true, ..of(MeasuredOrganisation::Wavefront) },
        PathExperiment { host_counts: true, ..of(MeasuredOrganisation::WavefrontSorted) },
    ];
    let plain = MeasuredOrganisation::ALL.into_iter().map(of).filter(|engine| {
        !matches!(engine.organisation, MeasuredOrganisation::Compact | MeasuredOrganisation::Regenerate)
    });
    plain.chain(listed).chain(others).collect()
}

/// Where paths can be listed in a bounce in parts.
fn listed_at() -> Vec<ListedAt> {
    let flags = [false, true];
    let ends = flags.into_iter().flat_map(|start| flags.map(|shadow| (start, shadow)));
    ends.flat_map(|(start, shadow)| flags.map(|end| ListedAt { start, shadow, end, in_parts: true })).collect()
}

#[test]
fn bounces_in_parts_and_over_binary_trees_give_the_same_picture_and_count_the_same_paths() {
    let Some(_driver) = Driver::get() else { return };
    let prepared = room();
    let options = RenderOptions { size: [24, 16], samples: 3..5, seed: 5, ..RenderOptions::default() };
    let of =
        |compaction| PathExperiment { compaction, paths: 100, ..PathExperiment::of(MeasuredOrganisation::Compact) };
    let parts = listed_at().into_iter().flat_map(|listed_at| {
        [Compaction::Scan, Compaction::Atomics].map(|compaction| PathExperiment { listed_at, ..of(compaction) })
    });
    let off = PathExperiment { listed_at: ListedAt { in_parts: true, ..ListedAt::END }, ..of(Compaction::Off) };
    let walks = [Walk::WhileWhile, Walk::SpeculativeWhileWhile].into_iter().flat_map(|walk| {
        [MeasuredOrganisation::Megakernel, MeasuredOrganisation::Compact].map(|organisation| PathExperiment {
            walk,
            paths: 100,
            ..PathExperiment::of(organisation)
        })
    });
    for engine in parts.chain([off]).chain(walks) {
        // Where roulette is at work, paths end that still have a connection.
        for (max_depth, connect_last, roulette_below) in [(0, true, 0.05), (4, false, 1.0)] {
            let options = RenderOptions { max_depth, connect_last, roulette_below, ..options.clone() };
            check(&prepared, &options, PLAIN, engine);
        }
    }
}

#[test]
fn an_organisation_that_lists_at_the_end_does_so_whatever_the_options_say() {
    let Some(_driver) = Driver::get() else { return };
    let prepared = room();
    let listed_at = ListedAt { start: true, shadow: true, end: false, in_parts: true };
    let own = PathExperiment::of(MeasuredOrganisation::Regenerate);
    let engine = PathExperiment { listed_at, compaction: Compaction::Scan, paths: 70, queues_per_batch: 3, ..own };
    assert_eq!(difference(&prepared.films(&small(), engine)), None);
}

#[test]
fn heavier_shading_gives_the_same_picture() {
    let Some(_driver) = Driver::get() else { return };
    let prepared = room();
    for organisation in
        [MeasuredOrganisation::Megakernel, MeasuredOrganisation::Compact, MeasuredOrganisation::TiledShared]
    {
        let engine = PathExperiment { search_steps: 9, longer_shading: 3, ..PathExperiment::of(organisation) };
        assert_eq!(difference(&prepared.films(&small(), engine)), None, "{organisation:?}");
    }
}

#[test]
fn kernels_of_experiments_refuse_scenes_and_organisations_that_they_do_not_know() {
    let Some(_driver) = Driver::get() else { return };
    let parts = PathExperiment {
        listed_at: ListedAt { start: true, ..ListedAt::END },
        ..PathExperiment::of(MeasuredOrganisation::Compact)
    };
    let binary = PathExperiment { walk: Walk::WhileWhile, ..PathExperiment::of(MeasuredOrganisation::Megakernel) };
    let queued = PathExperiment { walk: Walk::WhileWhile, ..PathExperiment::of(MeasuredOrganisation::Wavefront) };
    let walk = "while-while";
    for (engine, want) in [
        (parts, Refusal::NotPlain { what: "a bounce in parts" }),
        (binary, Refusal::NotPlain { what: walk }),
        (queued, Refusal::NoWalk { organisation: "wavefront", walk }),
    ] {
        assert_eq!(surfaces(true).try_engine(engine, 1).err(), Some(want.into()));
    }
}

#[test]
fn counts_of_several_devices_are_those_of_the_whole_picture() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let prepared = room();
    let options = RenderOptions { size: [20, 12], samples: 0..2, max_depth: 3, ..RenderOptions::default() };
    for organisation in MeasuredOrganisation::ALL {
        let sums = [1, 2].map(|devices| {
            let mut engine = prepared.engine(PathExperiment { organisation, ..PathExperiment::default() }, devices);
            let context = RenderContext::by(&mut engine);
            render(&prepared.shading, &prepared.camera, &prepared.tracer, &options, context).unwrap();
            engine.counts()
        });
        let [one, two] = &sums;
        assert_eq!((two.begun, two.extended, two.connected), (one.begun, one.extended, one.connected));
        assert_eq!((two.batches, two.bytes()), (2 * one.batches, one.bytes()));
        let active = |counts: &PathCounts| counts.by_round.iter().map(|round| round.active).collect::<Vec<_>>();
        assert_eq!(active(one), active(two));
    }
    driver.devices(1);
}
