//! A queue of paths that is played with nothing but their lengths: who is in it, who leaves, who begins, and so what an
//! organisation should count.

use super::*;
use raywarp_experiments::stage;
use raywarp_render::film::Tile;
use raywarp_render_cuda::{PathCounts, RoundCounts, Stage, StageCounts};
use std::collections::BTreeMap;

/// Lanes of a warp.
pub const WARP: usize = 32;
/// That are resident on the pretended GPU.
const RESIDENT_BLOCKS: usize = 2;
/// After so many rounds at a time the host looks whether paths are left.
const LOOK: usize = 12;

/// Bytes that move as a whole, as docs/internals/path-tracer.md has them.
#[derive(Clone, Copy)]
pub struct Bytes {
    queue: u64,
    result: u64,
    /// Of a connection, where it is made and where its light arrives.
    made: u64,
    taken: u64,
    /// Of a place in a list, where paths are sorted, and so many classes are shaded by kernels of their own.
    pub place: u64,
    classes: u64,
}

/// Ray 32 with number, bounce and flags, throughput and density 16; brings 16; radiance 16, depth 4.
pub const PLAIN: Bytes = Bytes { queue: 48, result: 20, made: 48, taken: 16, place: 0, classes: 1 };
/// And media 8, twice, a sampler's state 4, a first hit of 28 for its depth.
pub const EVERYTHING: Bytes = Bytes { queue: 60, result: 44, made: 56, taken: 56, place: 0, classes: 1 };
/// Without media; an entry of a list 4.
pub const SURFACES: Bytes = Bytes { queue: 52, result: 44, made: 48, taken: 48, place: 4, classes: 5 };

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
pub fn batches(
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
pub fn expected(
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
