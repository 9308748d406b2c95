//! What the kernels did for a picture: launches, rounds, paths, rays, warps, and the state that they moved.

use crate::launch::Counters;
use crate::sources::{Compaction, Organisation};
use crate::state::Layout;
use std::fmt;

/// Lanes of a warp.
const WARP: u64 = 32;

/// A kernel of an organisation; *list_paths* stands for those of [`Compaction`](crate::Compaction).
#[allow(missing_docs)] // As the kernels are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    BeginRound,
    Refill,
    Extend,
    Sort,
    SortWaiting,
    Shade,
    Connect,
    ArriveLight,
    DecideLight,
    Megakernel,
    BeginBounce,
    BeginPaths,
    Bounce,
    ListPaths,
    Tiled,
    Regenerate,
    FirstHits,
    Finalize,
}

impl Stage {
    /// All of them, as [`PathCounts::stages`] has them.
    pub const ALL: [Self; 18] = [
        Self::BeginRound,
        Self::Refill,
        Self::Extend,
        Self::Sort,
        Self::SortWaiting,
        Self::Shade,
        Self::Connect,
        Self::ArriveLight,
        Self::DecideLight,
        Self::Megakernel,
        Self::BeginBounce,
        Self::BeginPaths,
        Self::Bounce,
        Self::ListPaths,
        Self::Tiled,
        Self::Regenerate,
        Self::FirstHits,
        Self::Finalize,
    ];
}

/// What a kernel did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageCounts {
    /// How often it was launched.
    pub launches: u64,
    /// Bytes of the state of paths that it read: see [`PathCounts::stages`].
    pub read: u64,
    /// Bytes of it that it wrote.
    pub written: u64,
}

/// A round of a wavefront, or a bounce; all batches together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RoundCounts {
    /// Paths that it extended.
    pub active: u64,
    /// Of them those that began in it.
    pub begun: u64,
    /// Warps that shaded them: queues and lists have no gaps, so that only a batch's last warp is not full, or a tile's.
    pub warps: u64,
}

/// Graphs of launches, which the host launches as a whole: [`Organisation::Graph`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GraphCounts {
    /// How often one was launched.
    pub launches: u64,
    /// Launches of kernels that they stand for: part of those of [`PathCounts::stages`].
    pub kernels: u64,
}

impl std::ops::AddAssign for GraphCounts {
    fn add_assign(&mut self, other: Self) {
        self.launches += other.launches;
        self.kernels += other.kernels;
    }
}

/// What the kernels did for a picture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathCounts {
    /// Batches of paths.
    pub batches: u64,
    /// Launches, and bytes of state, by [`Stage`]. State is what [`Layout::bytes`] tells of; each entry counts where a
    /// stage reads or writes it as a whole:
    ///
    /// - *refill* writes an entry of the queue and a result for each path that begins;
    /// - *extend* reads a ray, and writes a hit, for each ray of a path;
    /// - *sort*, where the layout has an order, reads the hit of each ray of a path, and writes a place;
    /// - *shade* reads that place, the entry and the hit of each ray of a path, and writes an entry for each path that goes on, and
    ///   for each connection its ray, what it brings, and its media where the layout has them;
    /// - *connect* reads the ray of each connection;
    /// - *arrive_light* reads what each brings, and ray and media where the layout has media or holes: as though nothing
    ///   were in the way of any;
    /// - *begin_paths* writes an entry, its mark and a result for each path;
    /// - *bounce* reads, for each ray of a path but the first, its place in the list, its mark, entry and radiance, and writes
    ///   radiance and mark for each, the entry of each path that goes on, and what a path knows of its first hit as it begins;
    ///   where one launch takes paths to their ends it does so once for each;
    /// - *list_paths* reads the mark of each ray's path, and its place but for a batch's first; a scan does so twice. It writes
    ///   the place of each path that goes on, and of each that has ended where others begin in their places;
    /// - of a bounce in parts *extend*, *shade* and *connect* read and write what *bounce* does and what passes between them,
    ///   as though each ray hit something and each listing were that of a bounce's end;
    /// - *tiled* does as *bounce*, without lists and marks, which its block shares; with all of it shared it writes results;
    /// - *megakernel*, *regenerate* and *first_hits* write a result for each path;
    /// - *finalize* reads the result of each path.
    ///
    /// Not counted: what *sort_waiting* and *decide_light* read again of those who wait for holes; light and first hits that are added to results where they are found, bits of blocked connections,
    /// and candidates of undecided ones.
    pub stages: [StageCounts; Stage::ALL.len()],
    /// Those launches of kernels that are graphs'.
    pub graphs: GraphCounts,
    /// Rounds of a wavefront that had paths.
    pub rounds: u64,
    /// Paths that began.
    pub begun: u64,
    /// Of them those that took a place in a queue after its first round: lanes that were refilled.
    pub refilled: u64,
    /// Rays that extend paths.
    pub extended: u64,
    /// Rays to lights; of ambient occlusion those from first hits.
    pub connected: u64,
    /// Rays of both kinds that were asked again behind holes, and searches for touching bodies.
    pub asked: u64,
    /// Warps that had a path to extend, once for each round, of a megakernel for each turn of its loop.
    pub warps: u64,
    /// The rounds of a wavefront: where batches fit into its queue, round n is the paths' bounce n. Rounds past the
    /// 4,096th count as that one. Of compaction, and of tiles, the bounces. Kernels that take a path to its end do not tell
    /// its bounces apart: that would take an atomic each.
    pub by_round: Vec<RoundCounts>,
}

/// What is known of a batch at its end.
pub(crate) struct BatchCounts {
    pub paths: u64,
    pub launches: [u64; Stage::ALL.len()],
    pub counters: Counters,
    /// As the device kept them.
    pub rounds: Vec<[u32; 2]>,
    /// Lanes that each begin a path of their own, and then others: of the kernel that regenerates.
    pub lanes: u64,
}

impl PathCounts {
    /// What a stage did.
    pub fn stage(&self, stage: Stage) -> StageCounts {
        self.stages[stage as usize]
    }

    /// Launches of all stages.
    pub fn launches(&self) -> u64 {
        self.stages.iter().map(|stage| stage.launches).sum()
    }

    /// Launches that the host makes: a graph is one.
    pub fn host_launches(&self) -> u64 {
        self.launches() - self.graphs.kernels + self.graphs.launches
    }

    /// Bytes of state that all stages read and wrote.
    pub fn bytes(&self) -> u64 {
        self.stages.iter().map(|stage| stage.read + stage.written).sum()
    }

    /// Lanes that had a path to extend, of those of the warps that had one; 1 where there was none.
    pub fn active_lanes(&self) -> f64 {
        if self.warps == 0 { 1.0 } else { self.extended as f64 / (self.warps * WARP) as f64 }
    }

    /// A vertex with a connection, from which its path goes on: what moves for it, without any launch.
    pub(crate) fn vertex(layout: &Layout) -> Self {
        let mut counts = Self { extended: 1, connected: 1, ..Self::default() };
        counts.stages = stages(layout, &counts, &[0; Stage::ALL.len()]);
        counts
    }

    pub(crate) fn add_batch(&mut self, layout: &Layout, batch: &BatchCounts) {
        let counters = &batch.counters;
        let in_rounds = layout.organisation.is_wavefront() || layout.keeps_places();
        let used = batch.rounds.iter().rposition(|&[active, _]| active > 0).map_or(0, |last| last + 1);
        let by_round: Vec<RoundCounts> = (batch.rounds[..used].iter().enumerate())
            .map(|(round, &[active, other])| {
                let [active, other] = [active, other].map(u64::from);
                if layout.counts_warps() {
                    RoundCounts { active, begun: if round == 0 { active } else { 0 }, warps: other }
                } else {
                    RoundCounts { active, begun: other, warps: active.div_ceil(WARP) }
                }
            })
            .collect();
        let later: u64 = by_round.iter().skip(1).map(|round| round.begun).sum();
        let warps = match layout.organisation.is_wavefront() {
            true => by_round.iter().map(|round| round.warps).sum(),
            false => counters.turns.into(),
        };
        let mut counts = Self {
            batches: 1,
            rounds: used as u64,
            begun: if in_rounds { counters.refilled } else { batch.paths },
            refilled: later + if batch.lanes > 0 { batch.paths.saturating_sub(batch.lanes) } else { 0 },
            extended: counters.all_extended(),
            connected: counters.all_connected(),
            asked: counters.asked,
            warps,
            by_round,
            ..Self::default()
        };
        counts.stages = stages(layout, &counts, &batch.launches);
        *self += &counts;
    }
}

/// What stages did, as [`PathCounts::stages`] says.
fn stages(layout: &Layout, counts: &PathCounts, launches: &[u64; Stage::ALL.len()]) -> [StageCounts; Stage::ALL.len()] {
    const RAY: u64 = 32;
    const PLACE: u64 = 4;
    const RADIANCE: u64 = 16;
    let bytes = layout.bytes();
    let [queue, hit, result] = [bytes.queue, bytes.hit, bytes.result].map(|bytes| bytes as u64);
    let (put, taken) = layout.connection_moved();
    let place = if layout.sorted { PLACE } else { 0 };
    let PathCounts { begun, extended, connected, .. } = *counts;
    // Who is extended has begun or gone on.
    let gone_on = extended.saturating_sub(begun);
    let (organisation, is_wavefront) = (layout.organisation, layout.organisation.is_wavefront());
    // Entries of lists: the first of a batch is not written down.
    let listed =
        if layout.lists_places() { extended - counts.by_round.first().map_or(0, |round| round.active) } else { 0 };
    Stage::ALL.map(|stage| {
        let (read, written) = match stage {
            Stage::BeginRound | Stage::BeginBounce | Stage::SortWaiting | Stage::DecideLight => (0, 0),
            Stage::Refill if is_wavefront => (0, begun * (queue + result)),
            Stage::Extend if is_wavefront => (extended * queue.min(RAY), extended * hit),
            Stage::Sort if layout.sorted => (extended * hit, extended * place),
            Stage::Shade if is_wavefront => (extended * (place + queue + hit), gone_on * queue + connected * put),
            Stage::Extend if layout.is_in_parts() => (
                gone_on * (queue + RADIANCE + PLACE) + listed * PLACE,
                extended * (hit + PLACE) + begun * (queue + result),
            ),
            Stage::Shade if layout.is_in_parts() => (
                extended * (queue + hit + RADIANCE + PLACE) + listed * PLACE,
                extended * (RADIANCE + PLACE) + gone_on * queue + connected * put,
            ),
            Stage::Connect if layout.is_in_parts() => {
                (extended * PLACE + listed * PLACE + connected * (put + RADIANCE), connected * (RADIANCE + PLACE))
            }
            Stage::Connect => (connected * put.min(RAY), 0),
            Stage::ArriveLight if is_wavefront => (connected * taken, 0),
            Stage::BeginPaths if organisation == Organisation::Split => (0, begun * (queue + result + PLACE)),
            // Once a path, whose vertices are one launch's.
            Stage::Bounce if organisation == Organisation::Split => {
                (begun * (queue + RADIANCE + PLACE), begun * (RADIANCE + PLACE))
            }
            Stage::Bounce if layout.keeps_places() && !layout.is_in_parts() => (
                gone_on * (queue + RADIANCE + PLACE) + listed * PLACE,
                extended * (RADIANCE + PLACE) + gone_on * queue + begun * (result - RADIANCE),
            ),
            Stage::ListPaths if layout.lists_places() => {
                let listings = u64::from(layout.listed_at.listings());
                let times = listings * if layout.compaction == Compaction::Scan { 2 } else { 1 };
                let ended = if counts.refilled > 0 { begun } else { 0 };
                (times * (extended + listed) * PLACE, listings * (gone_on + ended) * PLACE)
            }
            Stage::Tiled if organisation == Organisation::TiledGlobal => {
                (gone_on * (queue + RADIANCE), extended * RADIANCE + gone_on * queue + begun * (result - RADIANCE))
            }
            Stage::Tiled if organisation == Organisation::TiledShared => (0, begun * result),
            Stage::Megakernel if organisation == Organisation::Megakernel => (0, begun * result),
            Stage::Regenerate if organisation == Organisation::Regenerate && !layout.keeps_places() => {
                (0, begun * result)
            }
            Stage::FirstHits if organisation == Organisation::FirstHits => (0, begun * result),
            Stage::Finalize => (begun * result, 0),
            _ => (0, 0),
        };
        StageCounts { launches: launches[stage as usize], read, written }
    })
}

impl std::ops::AddAssign<&Self> for PathCounts {
    /// Other batches, or another device's part of the picture.
    fn add_assign(&mut self, other: &Self) {
        for (own, other) in std::iter::zip(&mut self.stages, &other.stages) {
            own.launches += other.launches;
            own.read += other.read;
            own.written += other.written;
        }
        self.graphs += other.graphs;
        self.batches += other.batches;
        self.rounds += other.rounds;
        self.begun += other.begun;
        self.refilled += other.refilled;
        self.extended += other.extended;
        self.connected += other.connected;
        self.asked += other.asked;
        self.warps += other.warps;
        let rounds = self.by_round.len().max(other.by_round.len());
        self.by_round.resize(rounds, RoundCounts::default());
        for (own, other) in std::iter::zip(&mut self.by_round, &other.by_round) {
            own.active += other.active;
            own.begun += other.begun;
            own.warps += other.warps;
        }
    }
}

/// Rounds that are printed.
const SHOWN: usize = 16;

impl fmt::Display for PathCounts {
    /// A line, and for a wavefront a second one with its rounds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Of the integrators beside path tracing no path goes on, nor to a light.
        let is_of_paths = self.stage(Stage::FirstHits).launches == 0;
        let [extending, connecting] = if is_of_paths {
            ["extend paths", "go to lights"]
        } else {
            ["come from the camera", "from what these hit"]
        };
        write!(f, "{} batches, {} launches", self.batches, self.launches())?;
        if self.graphs.launches > 0 {
            write!(f, " ({} of them in {} of a graph)", self.graphs.kernels, self.graphs.launches)?;
        }
        write!(
            f,
            "; {} paths, {} of them in refilled lanes; {} rays {extending}, {} {connecting}, \
             {} were asked again; {:.1} of 32 lanes active; {:.1} MB of state moved",
            self.begun,
            self.refilled,
            self.extended,
            self.connected,
            self.asked,
            self.active_lanes() * WARP as f64,
            self.bytes() as f64 / 1e6
        )?;
        if self.by_round.is_empty() {
            return Ok(());
        }
        write!(f, "\n{} rounds; of all batches' paths (warps) a round:", self.rounds)?;
        for round in self.by_round.iter().take(SHOWN) {
            write!(f, " {} ({})", round.active, round.warps)?;
        }
        if self.by_round.len() > SHOWN { write!(f, " ...") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::{FeatureSet, ListedAt};

    fn layout(organisation: Organisation) -> Layout {
        Layout {
            organisation,
            features: FeatureSet::Plain,
            holes: false,
            sorted: false,
            first_hits: false,
            sampler_states: false,
            compaction: Compaction::Scan,
            listed_at: ListedAt::END,
        }
    }

    #[test]
    fn batches_add_up_round_by_round() {
        let mut counts = PathCounts::default();
        for rounds in [vec![[70, 70], [33, 0], [1, 0]], vec![[40, 40], [40, 8]]] {
            let extended = rounds.iter().map(|round| u64::from(round[0])).sum();
            let refilled = rounds.iter().map(|round| u64::from(round[1])).sum();
            let counters =
                Counters { rounds: rounds.len() as u32, extended, refilled, shadows: 3, ..Counters::default() };
            let batch = BatchCounts { paths: refilled, launches: [1; Stage::ALL.len()], counters, rounds, lanes: 0 };
            counts.add_batch(&layout(Organisation::Wavefront), &batch);
        }
        let round = |active, begun, warps| RoundCounts { active, begun, warps };
        assert_eq!(counts.by_round, [round(110, 110, 5), round(73, 8, 4), round(1, 0, 1)]);
        assert_eq!((counts.batches, counts.rounds, counts.launches()), (2, 5, 2 * Stage::ALL.len() as u64));
        assert_eq!((counts.begun, counts.refilled, counts.extended, counts.connected), (118, 8, 184, 6));
        assert_eq!(counts.warps, 10);
        // Of plain scenes: a queue's entry 48, a hit 16, a result 20, a connection 48.
        let moved = |stage| (counts.stage(stage).read, counts.stage(stage).written);
        assert_eq!(moved(Stage::Refill), (0, 118 * 68));
        assert_eq!(moved(Stage::Extend), (184 * 32, 184 * 16));
        assert_eq!(moved(Stage::Shade), (184 * 64, 66 * 48 + 6 * 48));
        assert_eq!((moved(Stage::Connect), moved(Stage::ArriveLight)), ((6 * 32, 0), (6 * 16, 0)));
        assert_eq!((moved(Stage::Finalize), moved(Stage::Megakernel)), ((118 * 20, 0), (0, 0)));
    }

    #[test]
    fn launches_of_a_graph_are_the_hosts_once() {
        let mut counts = PathCounts::default();
        counts.stages[Stage::Extend as usize].launches = 30;
        assert_eq!((counts.launches(), counts.host_launches()), (30, 30));
        assert!(counts.to_string().starts_with("0 batches, 30 launches; 0 paths"), "{counts}");
        counts.graphs += GraphCounts { launches: 4, kernels: 24 };
        assert_eq!((counts.launches(), counts.host_launches()), (30, 10));
        assert!(
            counts.to_string().starts_with("0 batches, 30 launches (24 of them in 4 of a graph); 0 paths"),
            "{counts}"
        );
        let mut both = counts.clone();
        both += &counts;
        assert_eq!(both.graphs, GraphCounts { launches: 8, kernels: 48 });
    }

    #[test]
    fn a_megakernel_moves_results_only() {
        let mut counts = PathCounts::default();
        // More holes than 32 bits count.
        let asked = (1 << 32) + 7;
        let counters = Counters { walked: 100, shadows: 50, asked, turns: 4, ..Counters::default() };
        let batch = BatchCounts { paths: 40, launches: [0; Stage::ALL.len()], counters, rounds: Vec::new(), lanes: 0 };
        counts.add_batch(&layout(Organisation::Megakernel), &batch);
        assert_eq!((counts.begun, counts.extended, counts.connected, counts.asked), (40, 100, 50, asked));
        assert_eq!((counts.warps, counts.bytes()), (4, 2 * 40 * 20));
        assert!((counts.active_lanes() - 100.0 / 128.0).abs() < 1e-12);
        assert!(!counts.to_string().contains('\n'));
    }

    /// A batch of 40 paths, 70 rays that extend them and 9 that connect them; in rounds, where they are counted: paths, and
    /// what else is counted of each.
    fn of_40(layout: &Layout, rounds: &[[u32; 2]], lanes: u64) -> PathCounts {
        let counters = Counters { refilled: 40, walked: 70, shadows: 9, turns: 5, ..Counters::default() };
        let batch =
            BatchCounts { paths: 40, launches: [0; Stage::ALL.len()], counters, rounds: rounds.to_vec(), lanes };
        let mut counts = PathCounts::default();
        counts.add_batch(layout, &batch);
        assert_eq!((counts.begun, counts.extended, counts.connected, counts.warps), (40, 70, 9, 5));
        counts
    }

    /// Stages that have moved something, with the bytes that they read and wrote.
    fn moved(counts: &PathCounts) -> Vec<(Stage, u64, u64)> {
        let of = |stage| (stage, counts.stage(stage).read, counts.stage(stage).written);
        Stage::ALL.map(of).into_iter().filter(|(_, read, written)| read + written > 0).collect()
    }

    /// Of plain scenes a path takes 48 bytes, its radiance 16, its result 20, a mark or a place 4; 30 rays are not the first
    /// of their path.
    const FINALIZED: (Stage, u64, u64) = (Stage::Finalize, 40 * 20, 0);

    #[test]
    fn compaction_reads_places_and_marks_as_often_as_it_lists() {
        let round = |active, begun, warps| RoundCounts { active, begun, warps };
        let bounce = (30 * (48 + 16 + 4), 70 * (16 + 4) + 30 * 48 + 40 * 4);
        let mut compact = layout(Organisation::Compact);
        for (compaction, times) in [(Compaction::Scan, 2), (Compaction::Atomics, 1)] {
            compact.compaction = compaction;
            // All at once: the second and third bounce read 30 places.
            let counts = of_40(&compact, &[[40, 40], [20, 0], [10, 0], [0, 0]], 0);
            assert_eq!(counts.by_round, [round(40, 40, 2), round(20, 0, 1), round(10, 0, 1)]);
            assert_eq!((counts.rounds, counts.refilled), (3, 0));
            let list = (Stage::ListPaths, times * (70 + 30) * 4, 30 * 4);
            assert_eq!(moved(&counts), [(Stage::Bounce, bounce.0 + 30 * 4, bounce.1), list, FINALIZED]);
        }
        // Nothing is listed, and warps are counted in place of those that begin.
        compact.compaction = Compaction::Off;
        let counts = of_40(&compact, &[[40, 2], [20, 2], [10, 1]], 0);
        assert_eq!(counts.by_round, [round(40, 40, 2), round(20, 0, 2), round(10, 0, 1)]);
        assert_eq!(moved(&counts), [(Stage::Bounce, bounce.0, bounce.1), FINALIZED]);
    }

    #[test]
    fn paths_that_begin_in_places_of_others_have_these_listed_too() {
        let mut layout = layout(Organisation::Regenerate);
        // 24 at first, and 16 later: 46 rays come by a list, which holds the 40 that end.
        let counts = of_40(&layout, &[[24, 24], [24, 9], [22, 7]], 0);
        assert_eq!((counts.rounds, counts.refilled), (3, 16));
        let bounce = (30 * (48 + 16 + 4) + 46 * 4, 70 * (16 + 4) + 30 * 48 + 40 * 4);
        let list = (Stage::ListPaths, 2 * (70 + 46) * 4, (30 + 40) * 4);
        assert_eq!(moved(&counts), [(Stage::Bounce, bounce.0, bounce.1), list, FINALIZED]);
        // At once: who is not its lane's first.
        layout.compaction = Compaction::Off;
        let counts = of_40(&layout, &[], 32);
        assert_eq!((counts.rounds, counts.refilled), (0, 8));
        assert_eq!(moved(&counts), [(Stage::Regenerate, 0, 40 * 20), FINALIZED]);
        assert_eq!(of_40(&layout, &[], 128).refilled, 0);
    }

    #[test]
    fn tiles_move_paths_where_the_device_keeps_them_and_split_moves_each_once() {
        let round = |active, begun, warps| RoundCounts { active, begun, warps };
        let rounds = [[40, 2], [20, 1], [10, 1], [0, 0]];
        let counts = of_40(&layout(Organisation::TiledGlobal), &rounds, 0);
        assert_eq!(counts.by_round, [round(40, 40, 2), round(20, 0, 1), round(10, 0, 1)]);
        let tiled = (Stage::Tiled, 30 * (48 + 16), 70 * 16 + 30 * 48 + 40 * 4);
        assert_eq!(moved(&counts), [tiled, FINALIZED]);
        let counts = of_40(&layout(Organisation::TiledShared), &rounds, 0);
        assert_eq!(moved(&counts), [(Stage::Tiled, 0, 40 * 20), FINALIZED]);
        let counts = of_40(&layout(Organisation::Split), &[], 0);
        assert_eq!((counts.rounds, counts.by_round.len()), (0, 0));
        let begun = (Stage::BeginPaths, 0, 40 * (48 + 20 + 4));
        assert_eq!(moved(&counts), [begun, (Stage::Bounce, 40 * (48 + 16 + 4), 40 * (16 + 4)), FINALIZED]);
    }

    #[test]
    fn first_hits_move_results_and_are_told_of_in_words_of_their_own() {
        let mut counts = PathCounts::default();
        let counters = Counters { walked: 40, shadows: 30, asked: 7, turns: 2, ..Counters::default() };
        let mut launches = [0; Stage::ALL.len()];
        launches[Stage::FirstHits as usize] = 1;
        let batch = BatchCounts { paths: 40, launches, counters, rounds: Vec::new(), lanes: 0 };
        counts.add_batch(&layout(Organisation::FirstHits), &batch);
        assert_eq!((counts.begun, counts.extended, counts.connected, counts.asked), (40, 40, 30, 7));
        assert_eq!((counts.warps, counts.bytes()), (2, 2 * 40 * 20));
        let line = counts.to_string();
        assert!(line.contains("40 rays come from the camera, 30 from what these hit, 7 were asked again"), "{line}");
    }
}
