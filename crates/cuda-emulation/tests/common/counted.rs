//! What each organisation counts is what the CPU's paths say: how long each is, and how many connections it tries.
//!
//! A queue is played here with nothing but those lengths: who is in it, who leaves, who begins.

use super::*;
use raywarp_geom::Ray;
use raywarp_render::film::Tile;
use raywarp_render::{PathObserver, PathRecorder};
use raywarp_render_cuda::{PathCounts, RoundCounts, Stage, StageCounts};
use std::sync::atomic::{AtomicU64, Ordering};

/// Lanes of a warp.
const WARP: usize = 32;
/// After so many rounds at a time the host looks whether paths are left.
const LOOK: usize = 12;

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

/// Bytes that move as a whole, as docs/gpu.md has them.
#[derive(Clone, Copy)]
struct Bytes {
    queue: u64,
    result: u64,
    /// Of a connection, where it is made and where its light arrives.
    made: u64,
    taken: u64,
    /// Of a place in a list, where paths are sorted, and so many classes are shaded by kernels of their own.
    place: u64,
    classes: u64,
}

/// Ray 32 with number, bounce and flags, throughput and density 16; brings 16; radiance 16, depth 4.
const PLAIN: Bytes = Bytes { queue: 48, result: 20, made: 48, taken: 16, place: 0, classes: 1 };
/// And media 8, twice, a sampler's state 4, a first hit of 28 for its depth.
const EVERYTHING: Bytes = Bytes { queue: 60, result: 44, made: 56, taken: 56, place: 0, classes: 1 };
/// Without media; an entry of a list 4.
const SURFACES: Bytes = Bytes { queue: 52, result: 44, made: 48, taken: 48, place: 4, classes: 5 };

/// The samples of a film's pixels pass by pass, which end at powers of two, and batch by batch: lengths of paths in
/// order.
fn batches(film: &Film, options: &RenderOptions, results: usize, lengths: &[u16]) -> Vec<Vec<usize>> {
    let [width, height] = options.size.map(|side| side as usize);
    let first = options.samples.start;
    let tiles = film.tiles().iter().flat_map(Tile::pixels);
    let pixels: Vec<usize> = tiles.map(|[x, y]| y as usize * width + x as usize).collect();
    let part = pixels.len().div_ceil(pixels.len().div_ceil(results));
    let at_once = (results / part).max(1) as u32;
    let (mut batches, mut next) = (Vec::new(), first);
    while next < options.samples.end {
        let done = next - first;
        let end = (next + (done + 1).next_power_of_two() - done).min(options.samples.end);
        for pixels in pixels.chunks(part) {
            for samples in (next..end).step_by(at_once as usize).map(|s| s..end.min(s + at_once)) {
                let frames = samples.map(|sample| (sample - first) as usize * width * height);
                let paths = frames.flat_map(|frame| pixels.iter().map(move |pixel| frame + pixel));
                batches.push(paths.map(|path| usize::from(lengths[path])).collect());
            }
        }
        next = end;
    }
    batches
}

/// The rounds of a queue with so many places.
fn rounds(batch: &[usize], capacity: usize) -> Vec<RoundCounts> {
    let (mut waiting, mut queue) = (batch.iter(), Vec::<usize>::new());
    let mut rounds = Vec::new();
    loop {
        let stayed = queue.len();
        queue.extend(waiting.by_ref().take(capacity - stayed));
        if queue.is_empty() {
            return rounds;
        }
        let warps = queue.chunks(WARP).count() as u64;
        rounds.push(RoundCounts { active: queue.len() as u64, begun: (queue.len() - stayed) as u64, warps });
        queue = queue.into_iter().filter(|&left| left > 1).map(|left| left - 1).collect();
    }
}

/// How often the host asks for a round.
fn asked_rounds(batch: &[usize], capacity: usize, rounds: usize, max_depth: u32) -> usize {
    let knows = batch.len() <= capacity;
    (1..).find(|&n| knows && n > max_depth as usize || n % LOOK == 0 && n >= rounds).unwrap_or(0)
}

/// What an organisation should count, but for rays that are asked again.
fn expected(batches: &[Vec<usize>], capacity: usize, max_depth: u32, with: (Organisation, Bytes, u64)) -> PathCounts {
    let (organisation, bytes, connected) = with;
    let mut want = PathCounts { batches: batches.len() as u64, connected, ..PathCounts::default() };
    let mut launches = [0; Stage::ALL.len()];
    for batch in batches {
        want.begun += batch.len() as u64;
        want.extended += batch.iter().sum::<usize>() as u64;
        launches[Stage::Finalize as usize] += 1;
        if organisation == Organisation::Megakernel {
            want.warps += batch.chunks(WARP).filter_map(|warp| warp.iter().max()).sum::<usize>() as u64;
            launches[Stage::Megakernel as usize] += 1;
            continue;
        }
        let rounds = rounds(batch, capacity);
        let asked = asked_rounds(batch, capacity, rounds.len(), max_depth) as u64;
        for stage in [Stage::BeginRound, Stage::Extend, Stage::Connect, Stage::ArriveLight] {
            launches[stage as usize] += asked;
        }
        launches[Stage::Sort as usize] += if bytes.place > 0 { asked } else { 0 };
        launches[Stage::SortWaiting as usize] += if bytes.place > 0 { asked } else { 0 };
        launches[Stage::Shade as usize] += asked * bytes.classes;
        // Scenes here that are not plain have holes.
        launches[Stage::DecideLight as usize] += if bytes.taken > PLAIN.taken { asked } else { 0 };
        launches[Stage::Refill as usize] += if batch.len() <= capacity { 1 } else { asked };
        want.rounds += rounds.len() as u64;
        want.refilled += (batch.len() - batch.len().min(capacity)) as u64;
        want.by_round.resize(want.by_round.len().max(rounds.len()), RoundCounts::default());
        for (sum, round) in want.by_round.iter_mut().zip(&rounds) {
            want.warps += round.warps;
            sum.active += round.active;
            sum.begun += round.begun;
            sum.warps += round.warps;
        }
    }
    let PathCounts { begun, extended, .. } = want;
    let (hit, ray, result) = (16, 32, begun * bytes.result);
    let moved: &[(Stage, u64, u64)] = match organisation {
        Organisation::Megakernel => &[(Stage::Megakernel, 0, result), (Stage::Finalize, result, 0)],
        Organisation::FirstHits => unreachable!("paths are counted here"),
        Organisation::Wavefront => &[
            (Stage::Refill, 0, begun * bytes.queue + result),
            (Stage::Extend, extended * ray, extended * hit),
            (Stage::Sort, if bytes.place > 0 { extended * hit } else { 0 }, extended * bytes.place),
            (
                Stage::Shade,
                extended * (bytes.place + bytes.queue + hit),
                (extended - begun) * bytes.queue + connected * bytes.made,
            ),
            (Stage::Connect, connected * ray, 0),
            (Stage::ArriveLight, connected * bytes.taken, 0),
            (Stage::Finalize, result, 0),
        ],
    };
    want.stages = launches.map(|launches| StageCounts { launches, ..StageCounts::default() });
    for &(stage, read, written) in moved {
        let counts = &mut want.stages[stage as usize];
        (counts.read, counts.written) = (read, written);
    }
    want
}

/// Renders on the CPU and on a device, and compares what was counted, and the pictures.
fn check(prepared: &Prepared, options: &RenderOptions, bytes: Bytes, engine: EngineOptions) -> PathCounts {
    let film = || Film::of(Window::new(options.size, options.crop).unwrap(), options.features).unwrap();
    let (scene, camera, tracer, watch) = (&prepared.shading, &prepared.camera, &prepared.tracer, Watch::default());
    let recorder = Recorder {
        lengths: PathRecorder::new(options.size, options.samples.clone()),
        connections: AtomicU64::default(),
    };
    let cpu = render_onto(scene, camera, tracer, options, &watch, &recorder, film()).unwrap();
    let lengths = recorder.lengths.into_segments();
    let capacity = engine.paths.min(lengths.len());
    let batches = batches(&cpu.film, options, capacity * engine.queues_a_batch, &lengths);
    let connected = recorder.connections.into_inner();
    let mut want = expected(&batches, capacity, options.max_depth, (engine.organisation, bytes, connected));
    want.asked = cpu.rays - want.extended - connected;

    let mut renderers = prepared.engine(engine, 1);
    let rendered = render_with(scene, camera, tracer, options, &watch, film(), &mut renderers).unwrap();
    let got = renderers.renderers()[0].counts();
    assert_eq!(got, want, "{engine:?}, {} bounces", options.max_depth);
    assert_eq!(difference(&[cpu.film, rendered.film]), None, "{engine:?}, {} bounces", options.max_depth);
    got
}

/// A batch that fits into the queue, several that do, and queues that are filled up again: of the picture's last pass
/// two samples a batch, and more rounds than the host looks after even where each path has one ray.
const QUEUES: [(usize, usize); 5] = [(1 << 12, 1), (100, 1), (70, 3), (200, 5), (20, 25)];

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
            for (paths, queues_a_batch) in QUEUES {
                for organisation in Organisation::OF_PATHS {
                    let counts = check(
                        &prepared,
                        &options,
                        bytes,
                        EngineOptions { organisation, paths, queues_a_batch, ..EngineOptions::default() },
                    );
                    // That there is something to count.
                    assert_eq!(counts.begun, 24 * 16 * 4);
                    assert_eq!(counts.extended > counts.begun, max_depth > 0, "{counts:?}");
                    assert_eq!(counts.connected > 0, max_depth > 0 || connect_last, "{counts:?}");
                    assert_eq!(counts.asked > 0, FeatureSet::of(&prepared.shading) != FeatureSet::Plain, "{counts:?}");
                    let refills = organisation == Organisation::Wavefront && queues_a_batch > 1;
                    assert_eq!(counts.refilled > 0, refills, "{counts:?}");
                }
            }
        }
    }
}

#[test]
fn counts_of_several_devices_are_those_of_the_whole_picture() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let prepared = room();
    let options = RenderOptions { size: [20, 12], samples: 0..2, max_depth: 3, ..RenderOptions::default() };
    for organisation in Organisation::OF_PATHS {
        let sums = [1, 2].map(|devices| {
            let mut engine = prepared.engine(EngineOptions { organisation, ..EngineOptions::default() }, devices);
            let film = Film::of(Window::new(options.size, None).unwrap(), false).unwrap();
            let (scene, tracer, watch) = (&prepared.shading, &prepared.tracer, Watch::default());
            render_with(scene, &prepared.camera, tracer, &options, &watch, film, &mut engine).unwrap();
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
