//! What each organisation counts is what the CPU's paths say: how long each is, and how many connections it tries.
//!
//! A queue is played here with nothing but those lengths: who is in it, who leaves, who begins.

use super::*;
use raywarp_experiments::stage;
use raywarp_geom::Ray;
use raywarp_render::film::Tile;
use raywarp_render::{PathObserver, PathRecorder};
use raywarp_render_cuda::{PathCounts, RoundCounts, Stage, StageCounts};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Lanes of a warp.
const WARP: usize = 32;
/// That are resident on the pretended GPU.
const RESIDENT_BLOCKS: usize = 2;
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

/// Bytes that move as a whole, as docs/internals/path-tracer.md has them.
#[derive(Clone, Copy)]
pub struct Bytes {
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
pub const PLAIN: Bytes = Bytes { queue: 48, result: 20, made: 48, taken: 16, place: 0, classes: 1 };
/// And media 8, twice, a sampler's state 4, a first hit of 28 for its depth.
pub const EVERYTHING: Bytes = Bytes { queue: 60, result: 44, made: 56, taken: 56, place: 0, classes: 1 };
/// Without media; an entry of a list 4.
const SURFACES: Bytes = Bytes { queue: 52, result: 44, made: 48, taken: 48, place: 4, classes: 5 };

/// The pixels of a tile, of queues row by row and otherwise in squares of 8 x 8, by their number in the picture.
fn in_order(tile: &Tile, width: usize, organisation: MeasuredOrganisation) -> Vec<usize> {
    let origin = tile.pixels().next().expect("tiles have pixels");
    let mut pixels: Vec<[u32; 2]> = tile.pixels().collect();
    let key = |[x, y]: [u32; 2]| {
        let [column, row] = [x - origin[0], y - origin[1]];
        [row / 8, column / 8, row % 8, column % 8]
    };
    if !organisation.is_wavefront() {
        pixels.sort_by_key(|&pixel| key(pixel));
    }
    pixels.iter().map(|[x, y]| *y as usize * width + *x as usize).collect()
}

/// The samples of a film's pixels pass by pass, which end at powers of two, and batch by batch: lengths of paths in
/// order.
fn batches(
    film: &Film,
    options: &RenderOptions,
    (organisation, results): (MeasuredOrganisation, usize),
    lengths: &[u16],
) -> Vec<Vec<usize>> {
    let [width, height] = options.size.map(|side| side as usize);
    let first = options.samples.start;
    let pixels: Vec<usize> = film.tiles().iter().flat_map(|tile| in_order(tile, width, organisation)).collect();
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

/// How many rounds are launched where the host launches graphs of two after the first: it looks after as many of them as
/// there are rounds between two looks, and knows that no path waits for longer than those before it may take.
fn graphed_rounds(batch: &[usize], capacity: usize, rounds: usize, max_depth: u32) -> usize {
    let longest = batch.len().div_ceil(capacity) * (max_depth as usize + 1);
    (1..).map(|look| 1 + look * LOOK).find(|&n| n >= rounds).unwrap_or(0).min(longest)
}

/// The bounces of a batch without gaps between those who are left.
fn bounces(batch: &[usize]) -> Vec<RoundCounts> {
    rounds(batch, batch.len())
}

/// The bounces of a batch whose paths keep their places: warps of neighbours, as long as one of them is left; and of tiles of
/// so many paths, in each of which those who are left move up.
fn bounces_of_parts(batch: &[usize], part: usize) -> Vec<RoundCounts> {
    let mut sums: Vec<RoundCounts> = Vec::new();
    for part in batch.chunks(part) {
        let own = bounces(part);
        sums.resize(sums.len().max(own.len()), RoundCounts::default());
        for (sum, round) in sums.iter_mut().zip(own) {
            sum.active += round.active;
            sum.begun += round.begun;
            sum.warps += round.warps;
        }
    }
    sums
}

/// What a batch should count, but for rays and bytes: its rounds, its launches, and the warps that had a path.
struct Played {
    rounds: Vec<RoundCounts>,
    launches: Vec<(Stage, u64)>,
    /// Where they depend on who comes first: none.
    warps: Option<u64>,
    refilled: u64,
    /// Rounds that are launched by graphs.
    graphed: u64,
}

/// Rays a path and warp of all batches, by those who hold paths in lanes to their end.
fn warps_to_the_end(batch: &[usize]) -> u64 {
    batch.chunks(WARP).filter_map(|warp| warp.iter().max()).sum::<usize>() as u64
}

fn played(batch: &[usize], capacity: usize, max_depth: u32, engine: &PathExperiment, bytes: Bytes) -> Played {
    let waiting = (batch.len() - batch.len().min(capacity)) as u64;
    let warps_of = |rounds: &[RoundCounts]| Some(rounds.iter().map(|round| round.warps).sum());
    let whole =
        |stage: Stage, warps| Played { rounds: Vec::new(), launches: vec![(stage, 1)], warps, refilled: 0, graphed: 0 };
    match engine.organisation {
        MeasuredOrganisation::Megakernel => whole(Stage::MEGAKERNEL, Some(warps_to_the_end(batch))),
        MeasuredOrganisation::Split => {
            let launches = [stage::BEGIN_PATHS, stage::BEGIN_BOUNCE, stage::BOUNCE].map(|stage| (stage, 1)).to_vec();
            Played { launches, ..whole(stage::BOUNCE, Some(warps_to_the_end(batch))) }
        }
        MeasuredOrganisation::Regenerate if engine.compaction == Compaction::Off => {
            // The pretended GPU has one multiprocessor, and so many lanes on it.
            let block = engine.bounds.threads() as usize;
            let lanes = batch.len().div_ceil(block).min(RESIDENT_BLOCKS) * block;
            let refilled = batch.len().saturating_sub(lanes) as u64;
            Played { refilled, ..whole(stage::REGENERATE, None) }
        }
        MeasuredOrganisation::TiledGlobal | MeasuredOrganisation::TiledShared => {
            let rounds = bounces_of_parts(batch, 2 * WARP * engine.paths_per_lane as usize);
            Played { warps: warps_of(&rounds), rounds, ..whole(stage::TILED, None) }
        }
        MeasuredOrganisation::Compact | MeasuredOrganisation::Regenerate => {
            let at = engine.listed_at;
            let is_in_parts = at.splits();
            let is_listed = engine.compaction != Compaction::Off && (at.start || at.end);
            let mut rounds = if is_listed { rounds(batch, capacity) } else { bounces_of_parts(batch, WARP) };
            if is_in_parts {
                // Warps are counted in place of those that begin.
                let mut first = true;
                for round in &mut rounds {
                    round.begun = if std::mem::take(&mut first) { round.active } else { 0 };
                }
            }
            let asked = match (is_listed, engine.host_counts) {
                (false, _) => u64::from(max_depth) + 1,
                (true, false) => asked_rounds(batch, capacity, rounds.len(), max_depth) as u64,
                (true, true) => rounds.len() as u64,
            };
            let step = match engine.compaction {
                Compaction::Off => 0,
                Compaction::Scan => 2,
                Compaction::Atomics => 1,
            };
            let listings = step * asked * u64::from(at.listings());
            let mut launches = vec![(stage::BEGIN_BOUNCE, asked), (stage::LIST_PATHS, listings)];
            if is_in_parts {
                launches.extend([Stage::EXTEND, Stage::SHADE, Stage::CONNECT].map(|stage| (stage, asked)));
            } else {
                launches.push((stage::BOUNCE, asked));
            }
            // Lists of those that have hit something hold some that end there.
            let warps = if is_listed && !at.end { None } else { warps_of(&rounds) };
            Played { warps, rounds, launches, refilled: waiting, graphed: 0 }
        }
        MeasuredOrganisation::Wavefront | MeasuredOrganisation::WavefrontSorted | MeasuredOrganisation::Graph => {
            let is_graph = engine.organisation == MeasuredOrganisation::Graph;
            let is_sorted =
                (engine.organisation == MeasuredOrganisation::WavefrontSorted || is_graph) && bytes.place > 0;
            let rounds = rounds(batch, capacity);
            let asked = match (is_graph, engine.host_counts) {
                (true, _) => graphed_rounds(batch, capacity, rounds.len(), max_depth),
                (false, true) => rounds.len(),
                (false, false) => asked_rounds(batch, capacity, rounds.len(), max_depth),
            };
            let asked = asked as u64;
            // A host that looks each time knows when all have begun.
            let begun = rounds.iter().rposition(|round| round.begun > 0).map_or(0, |last| last as u64 + 1);
            let sorting = if is_sorted { asked } else { 0 };
            let launches = vec![
                (Stage::BEGIN_ROUND, asked),
                (
                    Stage::REFILL,
                    if batch.len() <= capacity {
                        1
                    } else if engine.host_counts {
                        begun
                    } else {
                        asked
                    },
                ),
                (Stage::EXTEND, asked),
                (Stage::SORT, sorting),
                (Stage::SORT_WAITING, sorting),
                (Stage::SHADE, asked * if is_sorted { bytes.classes } else { 1 }),
                (Stage::CONNECT, asked),
                (Stage::ARRIVE_LIGHT, asked),
                // Scenes here that are not plain have holes.
                (Stage::DECIDE_LIGHT, if bytes.taken > PLAIN.taken { asked } else { 0 }),
            ];
            let graphed = if is_graph { (asked - 1) / 2 * 2 } else { 0 };
            Played { warps: warps_of(&rounds), rounds, launches, refilled: waiting, graphed }
        }
    }
}

/// Bytes of a hit, of a ray, of the radiance of a result, and of a mark or a place.
const HIT: u64 = 16;
const RAY: u64 = 32;
const RADIANCE: u64 = 16;
const WORD: u64 = 4;

/// Bytes that the stages of an organisation move for a batch, but for those of connections: read and written.
fn moved(batch: &PathCounts, first: u64, engine: &PathExperiment, bytes: Bytes) -> Vec<(Stage, u64, u64)> {
    let PathCounts { begun, extended, .. } = *batch;
    let (result, went_on, Bytes { queue, .. }) = (begun * bytes.result, extended - begun, bytes);
    // What of a result is put down when a path begins.
    let seen = begun * (bytes.result - RADIANCE);
    let mut moved = match engine.organisation {
        MeasuredOrganisation::Megakernel => vec![(Stage::MEGAKERNEL, 0, result)],
        MeasuredOrganisation::Regenerate if engine.compaction == Compaction::Off => {
            vec![(stage::REGENERATE, 0, result)]
        }
        MeasuredOrganisation::TiledShared => vec![(stage::TILED, 0, result)],
        MeasuredOrganisation::TiledGlobal => {
            vec![(stage::TILED, went_on * (queue + RADIANCE), extended * RADIANCE + went_on * queue + seen)]
        }
        MeasuredOrganisation::Split => vec![
            (stage::BEGIN_PATHS, 0, begun * (queue + WORD) + result),
            (stage::BOUNCE, begun * (queue + RADIANCE + WORD), begun * (RADIANCE + WORD)),
        ],
        MeasuredOrganisation::Compact | MeasuredOrganisation::Regenerate => {
            let listings = u64::from(engine.listed_at.listings());
            let times = listings
                * match engine.compaction {
                    Compaction::Off => 0,
                    Compaction::Scan => 2,
                    Compaction::Atomics => 1,
                };
            let listed = if times > 0 { extended - first } else { 0 };
            let ended = if batch.refilled > 0 { begun } else { 0 };
            let list = (
                stage::LIST_PATHS,
                times * (extended + listed) * WORD,
                if times > 0 { listings * (went_on + ended) * WORD } else { 0 },
            );
            if engine.listed_at.splits() {
                let (put, list_read) = (queue + RADIANCE + WORD, listed * WORD);
                return vec![
                    (Stage::EXTEND, went_on * put + list_read, extended * (HIT + WORD) + begun * queue + result),
                    (Stage::SHADE, extended * (put + HIT) + list_read, extended * (RADIANCE + WORD) + went_on * queue),
                    (Stage::CONNECT, extended * WORD + list_read, 0),
                    list,
                    (Stage::FINALIZE, result, 0),
                ];
            }
            vec![
                (
                    stage::BOUNCE,
                    went_on * (queue + RADIANCE + WORD) + listed * WORD,
                    extended * (RADIANCE + WORD) + went_on * queue + seen,
                ),
                list,
            ]
        }
        MeasuredOrganisation::Wavefront | MeasuredOrganisation::WavefrontSorted | MeasuredOrganisation::Graph => {
            let place = if engine.organisation == MeasuredOrganisation::Wavefront { 0 } else { bytes.place };
            vec![
                (Stage::REFILL, 0, begun * queue + result),
                (Stage::EXTEND, extended * RAY, extended * HIT),
                (Stage::SORT, if place > 0 { extended * HIT } else { 0 }, extended * place),
                (Stage::SHADE, extended * (place + queue + HIT), went_on * queue),
            ]
        }
    };
    moved.push((Stage::FINALIZE, result, 0));
    moved
}

/// What an organisation should count, but for rays that are asked again; and whether warps are known beforehand.
fn expected(
    batches: &[Vec<usize>],
    capacity: usize,
    max_depth: u32,
    (engine, bytes, connected): (&PathExperiment, Bytes, u64),
) -> (PathCounts, bool) {
    let mut want = PathCounts { batches: batches.len() as u64, connected, ..PathCounts::default() };
    let mut launches = BTreeMap::<Stage, u64>::new();
    let mut knows_warps = true;
    for batch in batches {
        let played = played(batch, capacity, max_depth, engine, bytes);
        *launches.entry(Stage::FINALIZE).or_default() += 1;
        // But for the first, in which all that fit begin, all rounds of a graph have the same kernels.
        let in_rounds = |&(stage, count): &(Stage, u64)| match stage {
            Stage::REFILL if batch.len() <= capacity => 0,
            _ => count / played.launches[0].1,
        };
        want.graphs.launches += played.graphed / 2;
        want.graphs.kernels += played.graphed * played.launches.iter().map(in_rounds).sum::<u64>();
        for (stage, count) in played.launches {
            *launches.entry(stage).or_default() += count;
        }
        let own = PathCounts {
            begun: batch.len() as u64,
            extended: batch.iter().sum::<usize>() as u64,
            refilled: played.refilled,
            ..PathCounts::default()
        };
        let first = played.rounds.first().map_or(0, |round| round.active);
        for (stage, read, written) in moved(&own, first, engine, bytes) {
            let counts = want.stages.entry(stage).or_default();
            counts.read += read;
            counts.written += written;
        }
        want.begun += own.begun;
        want.extended += own.extended;
        want.rounds += played.rounds.len() as u64;
        want.refilled += played.refilled;
        want.warps += played.warps.unwrap_or(0);
        knows_warps &= played.warps.is_some();
        want.by_round.resize(want.by_round.len().max(played.rounds.len()), RoundCounts::default());
        for (sum, round) in want.by_round.iter_mut().zip(&played.rounds) {
            sum.active += round.active;
            sum.begun += round.begun;
            sum.warps += round.warps;
        }
    }
    for (stage, launches) in launches {
        want.stages.entry(stage).or_default().launches = launches;
    }
    let mut add = |stage, read, written| {
        let counts = want.stages.entry(stage).or_default();
        counts.read += read;
        counts.written += written;
    };
    if engine.organisation == MeasuredOrganisation::Compact && engine.listed_at.splits() {
        add(Stage::SHADE, 0, connected * bytes.made);
        add(Stage::CONNECT, connected * (bytes.made + RADIANCE), connected * (RADIANCE + WORD));
    }
    if engine.organisation.is_wavefront() {
        add(Stage::SHADE, 0, connected * bytes.made);
        add(Stage::CONNECT, connected * RAY, 0);
        add(Stage::ARRIVE_LIGHT, connected * bytes.taken, 0);
    }
    // Who does nothing has no entry.
    want.stages.retain(|_, counts| *counts != StageCounts::default());
    (want, knows_warps)
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
    for (engine, want) in [
        (parts, "a bounce in parts is for scenes of diffuse surfaces alone, without textures, holes and media"),
        (binary, "while-while is for scenes of diffuse surfaces alone, without textures, holes and media"),
        (queued, "wavefront has no kernels that walk while-while"),
    ] {
        assert_eq!(surfaces(true).try_engine(engine, 1).err().as_deref(), Some(want));
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
