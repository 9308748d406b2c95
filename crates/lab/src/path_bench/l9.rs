//! The lecture's claims (L9).

use super::frames::{Bench, BenchPathsError, Case, compare, name_of};
use super::table::Table;
use super::table_name::TableName;
use raywarp_experiments::{Compaction, MeasuredOrganisation, PathExperiment, kernel_resources};
use raywarp_papers::w11;
use raywarp_render::RenderOptions;
use raywarp_render_cuda::{Stage, StageSeconds};
use raywarp_scene::SamplerKind;

const DEPTH: u32 = 8;

fn of(organisation: MeasuredOrganisation) -> PathExperiment {
    PathExperiment::of(organisation)
}

/// Makes the lecture's table "N matches the hardware": path rates by queue length, for queues of 2^16 to 2^24 paths
/// that are refilled.
pub(super) fn queues(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["paths in flight", "wavefront", "wavefront-sorted", "regenerate scan", "rounds", "launches"];
    let mut table = Table::new(
        TableName::Queues,
        "L9: million paths a second by the length of queues that are filled up again",
        &columns,
    );
    let options = bench.options(DEPTH);
    let [width, height] = options.size.map(|side| side as usize);
    let paths = width * height * options.samples.len();
    for bits in (16..=24).step_by(2) {
        let scan = PathExperiment { compaction: Compaction::Scan, ..of(MeasuredOrganisation::Regenerate) };
        let engines = [of(MeasuredOrganisation::Wavefront), of(MeasuredOrganisation::WavefrontSorted), scan];
        let cases = engines.map(|engine| {
            let engine = PathExperiment { paths: 1 << bits, ..engine };
            Case { name: name_of(&engine), engine, options: options.clone() }
        });
        let all = bench.frames(&cases)?;
        compare(&mut table, &cases, &all);
        let mut row = vec![format!("2^{bits}")];
        // Seconds are those of a frame.
        let frames = paths as f64 / options.samples.len() as f64;
        row.extend(all.iter().map(|own| format!("{:.1}", frames / own.median() / 1e6)));
        row.extend([all[1].counts.rounds.to_string(), all[1].counts.launches().to_string()]);
        table.row_at(f64::from(bits), row);
    }
    table.notes.push(format!(
        "{} samples a pixel, in passes that end at powers of two; rounds and launches of wavefront-sorted",
        options.samples.len()
    ));
    Ok(table)
}

/// Makes the lecture's table "The weakest link": registers and occupancy of each kernel.
pub(super) fn kernels(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["kernel", "registers", "local bytes", "blocks", "occupancy %"];
    let mut table =
        Table::new(TableName::Kernels, "L9: what each kernel takes of a multiprocessor, blocks of 128", &columns);
    let warps = bench.device().warps_per_multiprocessor()?;
    for kernel in kernel_resources(bench.device())? {
        table.row(vec![
            kernel.name,
            kernel.registers.to_string(),
            kernel.local_bytes.to_string(),
            kernel.blocks.to_string(),
            format!("{:.0}", 100.0 * f64::from(kernel.blocks * 4) / f64::from(warps)),
        ]);
    }
    Ok(table)
}

/// Makes the table of the fraction of paths without a shadow ray, of memory traffic, and of launches.
pub(super) fn shares(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["organisation", "vertices", "without shadow ray %", "lanes", "bytes/path", "launches", "ms"];
    let mut table = Table::new(TableName::Shares, "L9: what a frame is made of", &columns);
    let options = bench.options(DEPTH);
    let scan = PathExperiment { compaction: Compaction::Scan, ..of(MeasuredOrganisation::Compact) };
    let engines = [
        of(MeasuredOrganisation::Megakernel),
        of(MeasuredOrganisation::Split),
        scan,
        of(MeasuredOrganisation::Wavefront),
        of(MeasuredOrganisation::WavefrontSorted),
        of(MeasuredOrganisation::Graph),
    ];
    let cases =
        engines.map(|engine| Case { name: name_of(&engine), engine: bench.a_frame(engine), options: options.clone() });
    let all = bench.frames(&cases)?;
    compare(&mut table, &cases, &all);
    let samples = options.samples.len() as f64;
    for (case, frames) in cases.iter().zip(&all) {
        let counts = &frames.counts;
        table.row(vec![
            case.name.clone(),
            format!("{:.2}", counts.extended as f64 / counts.begun as f64),
            format!("{:.1}", 100.0 * (1.0 - counts.connected as f64 / counts.extended as f64)),
            format!("{:.1}", 32.0 * counts.active_lanes()),
            format!("{:.0}", counts.bytes() as f64 / counts.begun as f64),
            format!("{:.0}", counts.launches() as f64 / samples),
            format!("{:.3}", 1e3 * frames.median()),
        ]);
    }
    table
        .notes
        .push("vertices: rays that extend a path, the camera's with it; a miss is one that has no shadow ray".into());
    Ok(table)
}

/// Makes the lecture's table "We need to inform the host about ray counts": rounds counted by the host or by the
/// device, a frame at a time or with the product's paths in flight.
pub(super) fn counts(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["rounds", "in flight", "frames/s", "least", "most", "of device", "launches by the host", "kernels"];
    let mut table =
        Table::new(TableName::Counts, "L9: who reads how many rays there are, and how rounds are launched", &columns);
    let options = bench.options(DEPTH);
    let host = |organisation| PathExperiment { host_counts: true, ..of(organisation) };
    let sorted = of(MeasuredOrganisation::WavefrontSorted);
    // Each group's first one is what the others are compared with.
    let groups = [
        vec![
            ("wavefront-sorted, device", sorted),
            ("wavefront-sorted, host", host(MeasuredOrganisation::WavefrontSorted)),
            ("graph", of(MeasuredOrganisation::Graph)),
        ],
        vec![
            ("wavefront, device", of(MeasuredOrganisation::Wavefront)),
            ("wavefront, host", host(MeasuredOrganisation::Wavefront)),
        ],
    ];
    let mut ways = Vec::new();
    for is_a_frame in [true, false] {
        for group in &groups {
            let first = ways.len();
            ways.extend(group.iter().map(|(name, engine)| {
                let engine = if is_a_frame { bench.a_frame(*engine) } else { *engine };
                (Case { name: (*name).into(), engine, options: options.clone() }, first)
            }));
        }
    }
    let (cases, firsts): (Vec<Case>, Vec<usize>) = ways.into_iter().unzip();
    let all = bench.frames(&cases)?;
    compare(&mut table, &cases, &all);
    let samples = options.samples.len() as f64;
    for ((case, frames), first) in cases.iter().zip(&all).zip(firsts) {
        let [median, least, most] = frames.spread().map(|seconds| 1.0 / seconds);
        table.row(vec![
            case.name.clone(),
            case.engine.paths.to_string(),
            format!("{median:.1}"),
            format!("{most:.1}"),
            format!("{least:.1}"),
            format!("{:.3}", all[first].median() / frames.median()),
            format!("{:.1}", frames.counts.host_launches() as f64 / samples),
            format!("{:.1}", frames.counts.launches() as f64 / samples),
        ]);
    }
    table.notes.push(format!(
        "device: kernels read the counts there, and the host enqueues a frame's rounds without waiting; host: it waits for them \
         after each round, launches as many lanes, and stops when none is left; graph: two rounds recorded and launched as one. \
         In flight at most; a run has {} frames, in passes that end at powers of two",
        options.samples.len()
    ));
    Ok(table)
}

/// Makes the table of each stage's time in a frame, with one shading kernel and with one for each class of materials
/// (Hoberock et al. 2009).
pub(super) fn stages(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["stage", "one kernel ms", "%", "by class ms", "%", "one over by class"];
    let mut table = Table::new(
        TableName::Stages,
        "L9: what the stages of a frame take, and shading by class of material",
        &columns,
    );
    let options = bench.options(DEPTH);
    let cases = [MeasuredOrganisation::Wavefront, MeasuredOrganisation::WavefrontSorted].map(|organisation| {
        let engine = PathExperiment { timed: true, ..bench.a_frame(of(organisation)) };
        Case { name: name_of(&engine), engine, options: options.clone() }
    });
    let all = bench.frames(&cases)?;
    compare(&mut table, &cases, &all);
    let samples = options.samples.len() as f64;
    let taken = |which: usize, stages: &[Stage]| {
        let of_round = |round: &StageSeconds| stages.iter().map(|stage| round.of(*stage)).sum::<f64>();
        1e3 * all[which].stages.iter().map(of_round).sum::<f64>() / samples
    };
    let mut row = |name: &str, stages: &[Stage]| {
        let [one, by_class] = [0, 1].map(|which| taken(which, stages));
        if one + by_class > 0.0 {
            let [all_one, all_by_class] = [0, 1].map(|which| taken(which, &Stage::OF_WAVEFRONT));
            table.row(vec![
                name.into(),
                format!("{one:.4}"),
                format!("{:.1}", 100.0 * one / all_one),
                format!("{by_class:.4}"),
                format!("{:.1}", 100.0 * by_class / all_by_class),
                if by_class > 0.0 { format!("{:.2}", one / by_class) } else { "-".into() },
            ]);
        }
    };
    row("begin rounds", &[Stage::BEGIN_ROUND]);
    row("generate", &[Stage::REFILL]);
    row("extend", &[Stage::EXTEND]);
    row("sort", &[Stage::SORT, Stage::SORT_WAITING]);
    row("shade", &[Stage::SHADE]);
    row("shade and sort", &[Stage::SHADE, Stage::SORT, Stage::SORT_WAITING]);
    row("connect", &[Stage::CONNECT]);
    row("light arrives", &[Stage::ARRIVE_LIGHT, Stage::DECIDE_LIGHT]);
    row("finalize", &[Stage::FINALIZE]);
    row("all", &Stage::OF_WAVEFRONT);
    table.notes.push(format!(
        "events around each launch make a frame {:.2} times as long; Hoberock et al. 2009, as W11 quotes them: shading alone \
         {} % faster",
        taken(1, &Stage::OF_WAVEFRONT) / (1e3 * all[1].median()),
        w11().shading_by_material.percent
    ));
    Ok(table)
}

/// Makes the lecture's table "Rays are automatically sorted": time of a ray by bounce, and the fraction of the GPU that
/// each launch fills.
pub(super) fn rounds(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["bounce", "paths", "ps/ray extend", "ps/ray connect", "ns/path shade", "fills %"];
    let mut table = Table::new(
        TableName::Rounds,
        "L9: picoseconds of a ray by bounce, all of a frame's rays of a bounce in a launch",
        &columns,
    );
    let options = bench.options(DEPTH);
    let engine = PathExperiment { timed: true, ..bench.a_frame(of(MeasuredOrganisation::WavefrontSorted)) };
    let cases = [Case { name: name_of(&engine), engine, options: options.clone() }];
    let all = bench.frames(&cases)?;
    let frames = &all[0];
    let samples = options.samples.len() as f64;
    let device = bench.device();
    let lanes = f64::from(device.multiprocessors()? * device.warps_per_multiprocessor()? * 32);
    let all_connected = frames.counts.connected as f64 / frames.counts.extended.max(1) as f64;
    for (bounce, (round, seconds)) in frames.counts.by_round.iter().zip(&frames.stages).enumerate() {
        let paths = round.active as f64;
        table.row(vec![
            bounce.to_string(),
            format!("{:.0}", paths / samples),
            format!("{:.0}", 1e12 * seconds.of(Stage::EXTEND) / paths),
            format!("{:.0}", 1e12 * seconds.of(Stage::CONNECT) / (paths * all_connected)),
            format!("{:.2}", 1e9 * seconds.of(Stage::SHADE) / paths),
            format!("{:.0}", 100.0 * (paths / samples / lanes).min(1.0)),
        ]);
    }
    table.notes.push(format!(
        "fills: paths of the launch over the {lanes:.0} lanes that the GPU holds at most; connections of a bounce as though \
         each had as many a path as all together, {all_connected:.2}"
    ));
    Ok(table)
}

/// Makes the table of the cost of random numbers: frame times with other samplers, whose pictures and paths differ.
pub(super) fn samplers(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["sampler", "megakernel", "wavefront-sorted", "vertices"];
    let mut table =
        Table::new(TableName::Samplers, "L9: million vertices a second by where random numbers come from", &columns);
    let samplers =
        [("sobol", SamplerKind::Sobol), ("padded-halton", SamplerKind::PaddedHalton), ("xor32", SamplerKind::Xor32)];
    for (name, sampler) in samplers {
        let options = RenderOptions { sampler, ..bench.options(DEPTH) };
        let cases = [MeasuredOrganisation::Megakernel, MeasuredOrganisation::WavefrontSorted].map(|organisation| {
            Case { name: organisation.name().into(), engine: bench.a_frame(of(organisation)), options: options.clone() }
        });
        let all = bench.frames(&cases)?;
        compare(&mut table, &cases, &all);
        let samples = options.samples.len() as f64;
        let mut row = vec![name.to_string()];
        row.extend(all.iter().map(|own| format!("{:.1}", own.counts.extended as f64 / samples / own.median() / 1e6)));
        row.push(format!("{:.2}", all[0].counts.extended as f64 / all[0].counts.begun as f64));
        table.row(row);
    }
    Ok(table)
}
