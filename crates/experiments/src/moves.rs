//! Bytes of the state of paths that kernels read and write, by what is counted of a batch: see
//! [`PathCounts::stages`](raywarp_render_cuda::PathCounts::stages).
//!
//! - *begin_paths* writes an entry, its mark and a result for each path;
//! - *bounce* reads, for each ray of a path but the first, its place in the list, its mark, entry and radiance, and
//!   writes radiance and mark for each, the entry of each path that goes on, and what a path knows of its first hit
//!   as it begins; where one launch takes paths to their ends it does so once for each;
//! - *list_paths* reads the mark of each ray's path, and its place but for a batch's first; a scan does so twice. It
//!   writes the place of each path that goes on, and of each that has ended where others begin in their places;
//! - of a bounce in parts *extend*, *shade* and *connect* read and write what *bounce* does and what passes between
//!   them, as though each ray hit something and each listing were that of a bounce's end;
//! - *tiled* does as *bounce*, without lists and marks, which its block shares; with all of it shared it writes
//!   results;
//! - *regenerate* writes a result for each path.

use crate::{Compaction, MeasuredOrganisation, PathExperiment, stage};
use raywarp_render_cuda::{Layout, PathCounts, Stage, StageMoves};

const PLACE: u64 = 4;
const RADIANCE: u64 = 16;

/// Returns the number of a batch's paths that begin where others have ended, if the first path of each of `lanes` lanes
/// is its own.
pub(crate) fn refilled(paths: u32, lanes: u32) -> u64 {
    paths.saturating_sub(lanes).into()
}

/// Returns the bytes of path state that the experiment's own kernels read and write, by stage, without those of the
/// product's kernels.
pub(crate) fn moves(experiment: &PathExperiment, layout: &Layout, counts: &PathCounts) -> Vec<StageMoves> {
    let bytes = layout.bytes();
    let [queue, result] = [bytes.queue, bytes.result].map(|bytes| bytes as u64);
    let begun = counts.begun;
    // Who is extended has begun or gone on.
    let (extended, gone_on) = (counts.extended, counts.extended.saturating_sub(begun));
    let moved = |stage, read, written| StageMoves { stage, read, written };
    match experiment.organisation {
        MeasuredOrganisation::Split => vec![
            moved(stage::BEGIN_PATHS, 0, begun * (queue + result + PLACE)),
            // Once a path, whose vertices are one launch's.
            moved(stage::BOUNCE, begun * (queue + RADIANCE + PLACE), begun * (RADIANCE + PLACE)),
        ],
        MeasuredOrganisation::TiledGlobal => vec![moved(
            stage::TILED,
            gone_on * (queue + RADIANCE),
            extended * RADIANCE + gone_on * queue + begun * (result - RADIANCE),
        )],
        MeasuredOrganisation::TiledShared => vec![moved(stage::TILED, 0, begun * result)],
        MeasuredOrganisation::Regenerate if !experiment.has_bounces() => {
            vec![moved(stage::REGENERATE, 0, begun * result)]
        }
        _ => of_bounces(experiment, layout, counts),
    }
}

/// Returns the bytes that the kernels of bounces read and write, by stage, where paths stay at their index in memory.
fn of_bounces(experiment: &PathExperiment, layout: &Layout, counts: &PathCounts) -> Vec<StageMoves> {
    let bytes = layout.bytes();
    let [queue, hit, result] = [bytes.queue, bytes.hit, bytes.result].map(|bytes| bytes as u64);
    let PathCounts { begun, extended, connected, .. } = *counts;
    let gone_on = extended.saturating_sub(begun);
    // Entries of lists: the first of a batch is not written down.
    let first = counts.by_round.first().map_or(0, |round| round.active);
    let listed = if experiment.lists_paths() { extended - first } else { 0 };
    let moved = |stage, read, written| StageMoves { stage, read, written };
    let mut moves = if experiment.is_in_parts() {
        let (put, _) = layout.connection_moved();
        vec![
            moved(
                Stage::EXTEND,
                gone_on * (queue + RADIANCE + PLACE) + listed * PLACE,
                extended * (hit + PLACE) + begun * (queue + result),
            ),
            moved(
                Stage::SHADE,
                extended * (queue + hit + RADIANCE + PLACE) + listed * PLACE,
                extended * (RADIANCE + PLACE) + gone_on * queue + connected * put,
            ),
            moved(
                Stage::CONNECT,
                extended * PLACE + listed * PLACE + connected * (put + RADIANCE),
                connected * (RADIANCE + PLACE),
            ),
        ]
    } else {
        vec![moved(
            stage::BOUNCE,
            gone_on * (queue + RADIANCE + PLACE) + listed * PLACE,
            extended * (RADIANCE + PLACE) + gone_on * queue + begun * (result - RADIANCE),
        )]
    };
    if experiment.lists_paths() {
        let listings = u64::from(experiment.listed_at().listings());
        let times = listings * if experiment.compaction == Compaction::Scan { 2 } else { 1 };
        let ended = if counts.refilled > 0 { begun } else { 0 };
        let (read, written) = (times * (extended + listed) * PLACE, listings * (gone_on + ended) * PLACE);
        moves.push(moved(stage::LIST_PATHS, read, written));
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_render_cuda::{BatchCounts, Counters, FeatureSet, PathOrganisation, RoundCounts, StageCounts};
    use std::collections::BTreeMap;

    fn layout(experiment: PathExperiment) -> Layout {
        Layout {
            kept: experiment.kept_paths(),
            own: experiment.own_memory(),
            counted_rounds: experiment.counted_rounds(),
            sorts: experiment.sorts(),
            features: FeatureSet::Plain,
            holes: false,
            sorted: false,
            first_hits: false,
            sampler_states: false,
        }
    }

    /// Returns the byte counts for a batch of 40 paths with 70 extension rays and 9 shadow rays.
    fn of_40(experiment: PathExperiment, rounds: &[[u32; 2]], refilled: u64) -> PathCounts {
        let counters = Counters { refilled: 40, walked: 70, shadows: 9, iterations: 5, ..Counters::default() };
        let batch = BatchCounts { paths: 40, launches: BTreeMap::new(), counters, rounds: rounds.to_vec(), refilled };
        let mut counts = PathCounts::default();
        let layout = layout(experiment);
        counts.add_batch(&layout, &batch, |counts| experiment.moves(&layout, counts));
        assert_eq!((counts.begun, counts.extended, counts.connected, counts.warps), (40, 70, 9, 5));
        counts
    }

    /// Returns the stages that have moved something, with the bytes that they read and wrote.
    fn moved(counts: &PathCounts) -> Vec<(Stage, u64, u64)> {
        let of = |(stage, counts): (&Stage, &StageCounts)| (*stage, counts.read, counts.written);
        let mut all: Vec<_> = counts.stages.iter().map(of).filter(|(_, read, written)| read + written > 0).collect();
        all.sort_by_key(|(stage, ..)| *stage == Stage::FINALIZE);
        all
    }

    /// Bytes that the final stage reads of 40 paths' results. In plain scenes a path takes 48 bytes, its radiance 16,
    /// its result 20, a mark or an index 4; 30 rays are not their path's first.
    const FINALIZED: (Stage, u64, u64) = (Stage::FINALIZE, 40 * 20, 0);

    #[test]
    fn compaction_reads_places_and_marks_as_often_as_it_lists() {
        let round = |active, begun, warps| RoundCounts { active, begun, warps };
        let bounce = (30 * (48 + 16 + 4), 70 * (16 + 4) + 30 * 48 + 40 * 4);
        let mut compact = PathExperiment::of(MeasuredOrganisation::Compact);
        for (compaction, times) in [(Compaction::Scan, 2), (Compaction::Atomics, 1)] {
            compact.compaction = compaction;
            // All at once: the second and third bounce read 30 places.
            let counts = of_40(compact, &[[40, 40], [20, 0], [10, 0], [0, 0]], 0);
            assert_eq!(counts.by_round, [round(40, 40, 2), round(20, 0, 1), round(10, 0, 1)]);
            assert_eq!((counts.rounds, counts.refilled), (3, 0));
            let list = (stage::LIST_PATHS, times * (70 + 30) * 4, 30 * 4);
            assert_eq!(moved(&counts), [(stage::BOUNCE, bounce.0 + 30 * 4, bounce.1), list, FINALIZED]);
        }
        // Nothing is listed, and warps are counted in place of those that begin.
        compact.compaction = Compaction::Off;
        let counts = of_40(compact, &[[40, 2], [20, 2], [10, 1]], 0);
        assert_eq!(counts.by_round, [round(40, 40, 2), round(20, 0, 2), round(10, 0, 1)]);
        assert_eq!(moved(&counts), [(stage::BOUNCE, bounce.0, bounce.1), FINALIZED]);
    }

    #[test]
    fn paths_that_begin_in_places_of_others_have_these_listed_too() {
        let mut regenerate =
            PathExperiment { compaction: Compaction::Scan, ..PathExperiment::of(MeasuredOrganisation::Regenerate) };
        // 24 at first, and 16 later: 46 rays come by a list, which holds the 40 that end.
        let counts = of_40(regenerate, &[[24, 24], [24, 9], [22, 7]], 0);
        assert_eq!((counts.rounds, counts.refilled), (3, 16));
        let bounce = (30 * (48 + 16 + 4) + 46 * 4, 70 * (16 + 4) + 30 * 48 + 40 * 4);
        let list = (stage::LIST_PATHS, 2 * (70 + 46) * 4, (30 + 40) * 4);
        assert_eq!(moved(&counts), [(stage::BOUNCE, bounce.0, bounce.1), list, FINALIZED]);
        // At once: who is not its lane's first.
        regenerate.compaction = Compaction::Off;
        let counts = of_40(regenerate, &[], refilled(40, 32));
        assert_eq!((counts.rounds, counts.refilled), (0, 8));
        assert_eq!(moved(&counts), [(stage::REGENERATE, 0, 40 * 20), FINALIZED]);
        assert_eq!(of_40(regenerate, &[], refilled(40, 128)).refilled, 0);
    }

    #[test]
    fn tiles_move_paths_where_the_device_keeps_them_and_split_moves_each_once() {
        let round = |active, begun, warps| RoundCounts { active, begun, warps };
        let rounds = [[40, 2], [20, 1], [10, 1], [0, 0]];
        let counts = of_40(PathExperiment::of(MeasuredOrganisation::TiledGlobal), &rounds, 0);
        assert_eq!(counts.by_round, [round(40, 40, 2), round(20, 0, 1), round(10, 0, 1)]);
        let tiled = (stage::TILED, 30 * (48 + 16), 70 * 16 + 30 * 48 + 40 * 4);
        assert_eq!(moved(&counts), [tiled, FINALIZED]);
        let counts = of_40(PathExperiment::of(MeasuredOrganisation::TiledShared), &rounds, 0);
        assert_eq!(moved(&counts), [(stage::TILED, 0, 40 * 20), FINALIZED]);
        let counts = of_40(PathExperiment::of(MeasuredOrganisation::Split), &[], 0);
        assert_eq!((counts.rounds, counts.by_round.len()), (0, 0));
        let begun = (stage::BEGIN_PATHS, 0, 40 * (48 + 20 + 4));
        assert_eq!(moved(&counts), [begun, (stage::BOUNCE, 40 * (48 + 16 + 4), 40 * (16 + 4)), FINALIZED]);
    }

    #[test]
    fn no_path_in_flight_takes_more_than_160_bytes() {
        let flags = [false, true];
        for features in FeatureSet::ALL {
            for (organisation, sampler_states, holes) in MeasuredOrganisation::ALL
                .into_iter()
                .flat_map(|organisation| flags.map(|states| (organisation, states)))
                .flat_map(|(organisation, states)| flags.map(|holes| (organisation, states, holes)))
            {
                let own = PathExperiment { compaction: Compaction::Scan, ..PathExperiment::of(organisation) };
                let layout = Layout { features, holes, sampler_states, ..layout(own) };
                let bytes = layout.bytes();
                assert!(bytes.in_flight() <= 160, "{layout:?}: {bytes:?}");
                let layers = Layout { first_hits: true, ..layout }.bytes();
                assert_eq!(layers.in_flight(), bytes.in_flight() + 24);
                assert_eq!(bytes.total_with(4), bytes.in_flight() + bytes.second_queue + 3 * bytes.result);
            }
        }
    }
}
