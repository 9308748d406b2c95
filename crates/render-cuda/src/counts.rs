//! Counts of the kernels' work for a picture: launches, rounds, paths, rays, warps, and the state that they moved.

use crate::kept_paths::{CountedRounds, KeptPaths};
use crate::launch::Counters;
use crate::stage::{GraphCounts, Stage};
use crate::state::Layout;
use std::collections::BTreeMap;
use std::fmt;

/// Number of lanes in a warp.
const WARP: u64 = 32;

/// Bytes of path state that one kernel reads and writes for a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageMoves {
    /// Kernel that moves these bytes.
    pub stage: Stage,
    /// Number of bytes that the kernel reads.
    pub read: u64,
    /// Number of bytes that the kernel writes.
    pub written: u64,
}

/// Launches of one kernel for a picture, with the bytes of path state that they moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageCounts {
    /// Number of the kernel's launches.
    pub launches: u64,
    /// Bytes of path state that the kernel read: see [`PathCounts::stages`].
    pub read: u64,
    /// Bytes of path state that the kernel wrote.
    pub written: u64,
}

/// Paths and warps of one wavefront round, or of one bounce, summed over all batches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RoundCounts {
    /// Number of paths that the round extended by a ray.
    pub active: u64,
    /// Number of the round's paths that began in it.
    pub begun: u64,
    /// Number of warps that shaded the round's paths; only a batch's or a tile's last warp is not full, since queues
    /// and lists have no gaps.
    pub warps: u64,
}

/// Counts of the work that kernels did for a picture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathCounts {
    /// Number of batches of paths.
    pub batches: u64,
    /// Launches and moved bytes of each kernel, by [`Stage`]. State is what [`Layout::bytes`] tells of; each entry
    /// counts where a stage reads or writes it as a whole:
    ///
    /// - *refill* writes an entry of the queue and a result for each path that begins;
    /// - *extend* reads a ray, and writes a hit, for each ray of a path;
    /// - *sort*, where the layout has an order, reads the hit of each ray of a path, and writes a place;
    /// - *shade* reads that place, the entry and the hit of each ray of a path, and writes an entry for each path
    ///   that goes on, and for each connection its ray, what it brings, and its media where the layout has them;
    /// - *connect* reads the ray of each connection;
    /// - *arrive_light* reads what each brings, and ray and media where the layout has media or holes: as though
    ///   nothing were in the way of any;
    /// - *megakernel* and *first_hits* write a result for each path;
    /// - *finalize* reads the result of each path;
    /// - those of experiments say so where they are.
    ///
    /// Not counted: what *sort_waiting* and *decide_light* read again of those who wait for holes; light and first
    /// hits that are added to results where they are found, bits of blocked connections, and candidates of undecided
    /// ones.
    pub stages: BTreeMap<Stage, StageCounts>,
    /// Number of graph launches, and of the kernel launches in them.
    pub graphs: GraphCounts,
    /// Number of wavefront rounds that had any paths.
    pub rounds: u64,
    /// Number of paths that began.
    pub begun: u64,
    /// Number of paths that began in a queue place freed by an ended path, after the queue's first round.
    pub refilled: u64,
    /// Number of rays that extend paths, camera rays included.
    pub extended: u64,
    /// Number of rays to lights; for ambient occlusion, of rays from first hits.
    pub connected: u64,
    /// Number of rays of either kind that were traced again behind a hole, and of searches for bodies that touch.
    pub asked: u64,
    /// Number of warps with a path to extend, summed over rounds, or for a megakernel over the iterations of its loop.
    pub warps: u64,
    /// Counts by wavefront round, which is the paths' bounce if batches fit into the queue. Rounds past the 4,096th
    /// count as that one. Of compaction, and of tiles, the bounces. Kernels that take a path to its end do not tell its
    /// bounces apart: that would take an atomic each.
    pub by_round: Vec<RoundCounts>,
}

/// Counts of one batch when it has ended.
#[derive(Debug, Clone)]
pub struct BatchCounts {
    /// Number of paths of the batch.
    pub paths: u64,
    /// Number of launches of each kernel.
    pub launches: BTreeMap<Stage, u64>,
    /// Counters that the batch's kernels kept.
    pub counters: Counters,
    /// For each round the number of paths, and a second number by [`CountedRounds`].
    pub rounds: Vec<[u32; 2]>,
    /// Number of paths that began in lanes of ended ones, beside those of the rounds.
    pub refilled: u64,
}

impl PathCounts {
    /// Returns the counts of one kernel; zeros if it did nothing.
    pub fn stage(&self, stage: Stage) -> StageCounts {
        self.stages.get(&stage).copied().unwrap_or_default()
    }

    /// Returns the number of kernel launches of all stages.
    pub fn launches(&self) -> u64 {
        self.stages.values().map(|stage| stage.launches).sum()
    }

    /// Returns the number of launches that the host makes, each graph counted as one.
    pub fn host_launches(&self) -> u64 {
        self.launches() - self.graphs.kernels + self.graphs.launches
    }

    /// Returns the bytes of path state that all kernels read and wrote.
    pub fn bytes(&self) -> u64 {
        self.stages.values().map(|stage| stage.read + stage.written).sum()
    }

    /// Returns the fraction of lanes with a path to extend, in warps that have at least one; 1 if there is no warp.
    pub fn active_lanes(&self) -> f64 {
        if self.warps == 0 { 1.0 } else { self.extended as f64 / (self.warps * WARP) as f64 }
    }

    /// Returns the counts of one path vertex with a connection to a light, from which the path goes on: the bytes it
    /// moves, without launches.
    pub(crate) fn vertex(layout: &Layout, moves: impl FnOnce(&Self) -> Vec<StageMoves>) -> Self {
        let mut counts = Self { extended: 1, connected: 1, ..Self::default() };
        counts.stages = stages(layout, &counts, &BTreeMap::new(), moves(&counts));
        counts
    }

    /// Adds the counts of a batch with this state layout; `moves` returns the bytes that the organisation's kernels
    /// moved.
    pub fn add_batch(&mut self, layout: &Layout, batch: &BatchCounts, moves: impl FnOnce(&Self) -> Vec<StageMoves>) {
        let counters = &batch.counters;
        let used = batch.rounds.iter().rposition(|&[active, _]| active > 0).map_or(0, |last| last + 1);
        let by_round: Vec<RoundCounts> = (batch.rounds[..used].iter().enumerate())
            .map(|(round, &[active, other])| {
                let [active, other] = [active, other].map(u64::from);
                if layout.counted_rounds == CountedRounds::WithWarps {
                    RoundCounts { active, begun: if round == 0 { active } else { 0 }, warps: other }
                } else {
                    RoundCounts { active, begun: other, warps: active.div_ceil(WARP) }
                }
            })
            .collect();
        let later: u64 = by_round.iter().skip(1).map(|round| round.begun).sum();
        let warps = match layout.kept {
            KeptPaths::Queues => by_round.iter().map(|round| round.warps).sum(),
            KeptPaths::Nothing | KeptPaths::Places { .. } => counters.iterations.into(),
        };
        let mut counts = Self {
            batches: 1,
            rounds: used as u64,
            // Kernels count those that begin only where they begin in rounds.
            begun: if counters.refilled > 0 { counters.refilled } else { batch.paths },
            refilled: later + batch.refilled,
            extended: counters.all_extended(),
            connected: counters.all_connected(),
            asked: counters.asked,
            warps,
            by_round,
            ..Self::default()
        };
        counts.stages = stages(layout, &counts, &batch.launches, moves(&counts));
        *self += &counts;
    }
}

/// Returns the counts by kernel, as [`PathCounts::stages`] explains them; kernels that did nothing have no entry.
fn stages(
    layout: &Layout,
    counts: &PathCounts,
    launches: &BTreeMap<Stage, u64>,
    moves: Vec<StageMoves>,
) -> BTreeMap<Stage, StageCounts> {
    let mut stages: BTreeMap<Stage, StageCounts> = BTreeMap::new();
    for (stage, launches) in launches.iter().filter(|(_, launches)| **launches > 0) {
        stages.entry(*stage).or_default().launches += launches;
    }
    let finalize = StageMoves { stage: Stage::FINALIZE, read: counts.begun * layout.bytes().result as u64, written: 0 };
    let moves = moves.into_iter().chain([finalize]);
    for StageMoves { stage, read, written } in moves.filter(|moves| moves.read + moves.written > 0) {
        let counts = stages.entry(stage).or_default();
        counts.read += read;
        counts.written += written;
    }
    stages
}

impl std::ops::AddAssign<&Self> for PathCounts {
    /// Adds the counts of other batches, or of another device's share of the picture.
    fn add_assign(&mut self, other: &Self) {
        for (stage, other) in &other.stages {
            let own = self.stages.entry(*stage).or_default();
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

/// Number of wavefront rounds that are printed.
const SHOWN: usize = 16;

impl fmt::Display for PathCounts {
    /// Writes one line of counts, and for a wavefront a second line with its rounds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Of the integrators beside path tracing no path goes on, nor to a light.
        let is_of_paths = self.stage(Stage::FIRST_HITS).launches == 0;
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
    use crate::organisation::PathOrganisation;
    use crate::sources::{FeatureSet, Organisation};

    fn add_batch(counts: &mut PathCounts, organisation: Organisation, batch: &BatchCounts) {
        let layout = layout(organisation);
        counts.add_batch(&layout, batch, |counts| organisation.moves(&layout, counts));
    }

    fn layout(organisation: Organisation) -> Layout {
        Layout {
            kept: organisation.kept_paths(),
            own: organisation.own_memory(),
            counted_rounds: organisation.counted_rounds(),
            sorts: organisation.sorts(),
            features: FeatureSet::Plain,
            holes: false,
            sorted: false,
            first_hits: false,
            sampler_states: false,
        }
    }

    /// Returns one launch of each stage of a wavefront.
    fn launches() -> BTreeMap<Stage, u64> {
        Stage::OF_WAVEFRONT.map(|stage| (stage, 1)).into()
    }

    #[test]
    fn batches_add_up_round_by_round() {
        let mut counts = PathCounts::default();
        for rounds in [vec![[70, 70], [33, 0], [1, 0]], vec![[40, 40], [40, 8]]] {
            let extended = rounds.iter().map(|round| u64::from(round[0])).sum();
            let refilled = rounds.iter().map(|round| u64::from(round[1])).sum();
            let counters =
                Counters { rounds: rounds.len() as u32, extended, refilled, shadows: 3, ..Counters::default() };
            let batch = BatchCounts { paths: refilled, launches: launches(), counters, rounds, refilled: 0 };
            add_batch(&mut counts, Organisation::Wavefront, &batch);
        }
        let round = |active, begun, warps| RoundCounts { active, begun, warps };
        assert_eq!(counts.by_round, [round(110, 110, 5), round(73, 8, 4), round(1, 0, 1)]);
        assert_eq!((counts.batches, counts.rounds, counts.launches()), (2, 5, 2 * Stage::OF_WAVEFRONT.len() as u64));
        assert_eq!((counts.begun, counts.refilled, counts.extended, counts.connected), (118, 8, 184, 6));
        assert_eq!(counts.warps, 10);
        // Of plain scenes: a queue's entry 48, a hit 16, a result 20, a connection 48.
        let moved = |stage| (counts.stage(stage).read, counts.stage(stage).written);
        assert_eq!(moved(Stage::REFILL), (0, 118 * 68));
        assert_eq!(moved(Stage::EXTEND), (184 * 32, 184 * 16));
        assert_eq!(moved(Stage::SHADE), (184 * 64, 66 * 48 + 6 * 48));
        assert_eq!((moved(Stage::CONNECT), moved(Stage::ARRIVE_LIGHT)), ((6 * 32, 0), (6 * 16, 0)));
        assert_eq!((moved(Stage::FINALIZE), moved(Stage::MEGAKERNEL)), ((118 * 20, 0), (0, 0)));
    }

    #[test]
    fn launches_of_a_graph_are_the_hosts_once() {
        let mut counts = PathCounts::default();
        counts.stages.entry(Stage::EXTEND).or_default().launches = 30;
        assert_eq!((counts.launches(), counts.host_launches()), (30, 30));
        assert!(counts.to_string().starts_with("0 batches, 30 launches; 0 paths"), "{counts}");
        counts.graphs += GraphCounts { launches: 4, kernels: 24 };
        assert_eq!((counts.launches(), counts.host_launches()), (30, 10));
        let line = counts.to_string();
        assert!(line.starts_with("0 batches, 30 launches (24 ") && line.contains(" 4 of a graph); 0 paths"), "{line}");
        let mut both = counts.clone();
        both += &counts;
        assert_eq!(both.graphs, GraphCounts { launches: 8, kernels: 48 });
    }

    #[test]
    fn a_megakernel_moves_results_only() {
        let mut counts = PathCounts::default();
        // More holes than 32 bits count.
        let asked = (1 << 32) + 7;
        let counters = Counters { walked: 100, shadows: 50, asked, iterations: 4, ..Counters::default() };
        let batch = BatchCounts { paths: 40, launches: BTreeMap::new(), counters, rounds: Vec::new(), refilled: 0 };
        add_batch(&mut counts, Organisation::Megakernel, &batch);
        assert_eq!((counts.begun, counts.extended, counts.connected, counts.asked), (40, 100, 50, asked));
        assert_eq!((counts.warps, counts.bytes()), (4, 2 * 40 * 20));
        assert!((counts.active_lanes() - 100.0 / 128.0).abs() < 1e-12);
        assert!(!counts.to_string().contains('\n'));
    }

    #[test]
    fn first_hits_move_results_and_are_told_of_in_words_of_their_own() {
        let mut counts = PathCounts::default();
        let counters = Counters { walked: 40, shadows: 30, asked: 7, iterations: 2, ..Counters::default() };
        let launches = BTreeMap::from([(Stage::FIRST_HITS, 1)]);
        let batch = BatchCounts { paths: 40, launches, counters, rounds: Vec::new(), refilled: 0 };
        add_batch(&mut counts, Organisation::FirstHits, &batch);
        assert_eq!((counts.begun, counts.extended, counts.connected, counts.asked), (40, 40, 30, 7));
        assert_eq!((counts.warps, counts.bytes()), (2, 2 * 40 * 20));
        let line = counts.to_string();
        assert!(["40 rays", ", 30 from", ", 7 were"].iter().all(|part| line.contains(part)), "{line}");
    }
}
