//! Seconds of launches by stage and round, on a clock of the pretended GPU on which each launch takes a millisecond, and a
//! copy or a setting of memory a second; and blocks.

use super::*;
use raywarp_experiments::stage;
use raywarp_render_cuda::{PathCounts, RoundCounts, Stage, StageSeconds};

/// Renders with an organisation; its counts, and what its renderer has timed.
fn timed(prepared: &Prepared, options: &RenderOptions, engine: PathExperiment) -> (PathCounts, CudaRenderers) {
    let mut renderers = prepared.engine(engine, 1);
    let context = RenderContext::by(&mut renderers);
    render(&prepared.shading, &prepared.camera, &prepared.tracer, options, context).unwrap();
    (renderers.counts(), renderers)
}

fn launches(seconds: &StageSeconds, stage: Stage) -> u64 {
    let ms = 1e3 * seconds.of(stage);
    assert!((ms - ms.round()).abs() < 1e-3, "{stage:?}: {ms} ms");
    ms.round() as u64
}

/// Stages that are launched once a batch: where they are timed.
const ONCE: [Stage; 2] = [Stage::REFILL, Stage::FINALIZE];

#[test]
fn each_launch_is_timed_as_of_its_stage_and_its_round() {
    let Some(driver) = Driver::get() else { return };
    driver.ticks(true);
    let options = RenderOptions { samples: 0..1, ..small() };
    let host_counts = true;
    for (prepared, engine) in [
        (room(), PathExperiment::of(MeasuredOrganisation::Wavefront)),
        (room(), PathExperiment { host_counts, ..PathExperiment::of(MeasuredOrganisation::Wavefront) }),
        (surfaces(true), PathExperiment::of(MeasuredOrganisation::WavefrontSorted)),
        (room(), PathExperiment::of(MeasuredOrganisation::Compact)),
        (room(), PathExperiment { host_counts, ..PathExperiment::of(MeasuredOrganisation::Compact) }),
        (room(), PathExperiment::of(MeasuredOrganisation::Megakernel)),
    ] {
        for paths in [1 << 12, 40] {
            let engine = PathExperiment { paths, queues_per_batch: 1, timed: true, ..engine };
            let (counts, renderers) = timed(&prepared, &options, engine);
            let rounds = renderers.renderers()[0].stage_seconds();
            assert_eq!(counts.batches, if paths == 40 { 3 } else { 1 });
            for &stage in counts.stages.keys() {
                let all: Vec<u64> = rounds.iter().map(|round| launches(round, stage)).collect();
                assert_eq!(all.iter().sum::<u64>(), counts.stage(stage).launches, "{engine:?}, {stage:?}: {all:?}");
                // The rounds of all batches begin at the first, and none is left out.
                assert!(all.is_sorted_by(|a, b| a >= b), "{engine:?}, {stage:?}: {all:?}");
                if ONCE.contains(&stage) {
                    assert_eq!(all[0], counts.stage(stage).launches, "{engine:?}, {stage:?}: {all:?}");
                } else if counts.batches == 1 {
                    assert!(all.iter().all(|&round| round == all[0]), "{engine:?}, {stage:?}: {all:?}");
                }
            }
            let begun = counts.stage(Stage::BEGIN_ROUND).launches + counts.stage(stage::BEGIN_BOUNCE).launches;
            assert_eq!(rounds.len() as u64, if counts.batches == 1 { begun.max(1) } else { rounds.len() as u64 });
            let bounces = engine.bounce_seconds(rounds);
            let of_bounces = rounds.iter().map(|round| [round.of(stage::BOUNCE), round.of(stage::LIST_PATHS)]);
            let is_compact = engine.organisation == MeasuredOrganisation::Compact;
            assert_eq!(bounces.len(), if is_compact { rounds.len() } else { 0 });
            assert!(bounces.iter().zip(of_bounces).all(|(own, of)| [own.bounce, own.step] == of), "{bounces:?}");
        }
    }
    driver.ticks(false);
}

#[test]
fn nothing_is_timed_unless_asked_for_nor_what_a_graph_launches() {
    let Some(_driver) = Driver::get() else { return };
    for (organisation, timed) in [(MeasuredOrganisation::Wavefront, false), (MeasuredOrganisation::Graph, true)] {
        let engine = PathExperiment { timed, ..PathExperiment::of(organisation) };
        let (counts, renderers) = self::timed(&room(), &small(), engine);
        assert!(counts.launches() > 0);
        assert_eq!(renderers.renderers()[0].stage_seconds(), []);
    }
}

/// Paths of a block, and blocks that are resident.
const BLOCK: u64 = 128;
const RESIDENT_BLOCKS: u64 = 2;

#[test]
fn a_host_that_counts_launches_as_many_blocks_as_paths_are_left() {
    let Some(driver) = Driver::get() else { return };
    // 240 paths, which take two blocks at first, and 200 in flight.
    let options = RenderOptions { size: [20, 12], samples: 0..1, max_depth: 6, ..RenderOptions::default() };
    let blocks_of = |paths: u64| paths.div_ceil(BLOCK).clamp(1, RESIDENT_BLOCKS);
    for (paths, queues_per_batch) in [(240, 1), (200, 2)] {
        let mut all = Vec::new();
        for host_counts in [true, false] {
            let engine = PathExperiment {
                paths,
                queues_per_batch,
                host_counts,
                ..PathExperiment::of(MeasuredOrganisation::Wavefront)
            };
            let before = driver.ask("blocks");
            let (counts, _) = timed(&room(), &options, engine);
            let got = driver.ask("blocks") - before;
            let rounds = &counts.by_round;
            // The host knows who went on and who waits, and so who is extended next. Kernels of a round: one of one block, and
            // four; where paths may begin one more.
            let waits = |round: usize| round == 0 || rounds[round..].iter().any(|round| round.begun > 0);
            let each = |(round, own): (usize, &RoundCounts)| 1 + blocks_of(own.active) * (4 + u64::from(waits(round)));
            let want = rounds.iter().enumerate().map(each).sum::<u64>() + 240_u64.div_ceil(BLOCK);
            assert_eq!(got == want, host_counts, "{got} blocks, {want}: {counts:?}");
            all.push(got);
        }
        assert!(all[0] < all[1], "{all:?}");
    }
}
