//! The lecture's claims (L9).

use super::frames::{Bench, BenchPathsError, Case, compare, name_of};
use super::table::Table;
use raywarp_render::RenderOptions;
use raywarp_render_cuda::{Compaction, EngineOptions, Organisation, kernel_resources};
use raywarp_scene::SamplerKind;

const DEPTH: u32 = 8;

fn of(organisation: Organisation) -> EngineOptions {
    EngineOptions::of(organisation)
}

/// "N matches the hardware": queues of 2^16 to 2^24 paths that are filled up again.
pub(super) fn queues(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["paths in flight", "wavefront", "wavefront-sorted", "regenerate scan", "rounds", "launches"];
    let mut table =
        Table::new("queues", "L9: million paths a second by the length of queues that are filled up again", &columns);
    let options = bench.options(DEPTH);
    let [width, height] = options.size.map(|side| side as usize);
    let paths = width * height * options.samples.len();
    for bits in (16..=24).step_by(2) {
        let scan = EngineOptions { compaction: Compaction::Scan, ..of(Organisation::Regenerate) };
        let engines = [of(Organisation::Wavefront), of(Organisation::WavefrontSorted), scan];
        let cases = engines.map(|engine| {
            let engine = EngineOptions { paths: 1 << bits, ..engine };
            Case { name: name_of(&engine), engine, options: options.clone() }
        });
        let all = bench.frames(&cases)?;
        compare(&mut table, &cases, &all);
        let mut row = vec![format!("2^{bits}")];
        // Seconds are those of a frame.
        let frames = paths as f64 / options.samples.len() as f64;
        row.extend(all.iter().map(|own| format!("{:.1}", frames / own.median() / 1e6)));
        row.extend([all[1].counts.rounds.to_string(), all[1].counts.launches().to_string()]);
        table.row(row);
    }
    table.notes.push(format!(
        "{} samples a pixel, in passes that end at powers of two; rounds and launches of wavefront-sorted",
        options.samples.len()
    ));
    Ok(table)
}

/// "The weakest link": registers and occupancy of each kernel.
pub(super) fn kernels(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["kernel", "registers", "local bytes", "blocks", "occupancy %"];
    let mut table = Table::new("kernels", "L9: what each kernel takes of a multiprocessor, blocks of 128", &columns);
    let warps = bench.device().warps_a_multiprocessor()?;
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

/// Paths without a shadow ray, traffic and launches.
pub(super) fn shares(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["organisation", "vertices", "without shadow ray %", "lanes", "bytes/path", "launches", "ms"];
    let mut table = Table::new("shares", "L9: what a frame is made of", &columns);
    let options = bench.options(DEPTH);
    let scan = EngineOptions { compaction: Compaction::Scan, ..of(Organisation::Compact) };
    let engines = [
        of(Organisation::Megakernel),
        of(Organisation::Split),
        scan,
        of(Organisation::Wavefront),
        of(Organisation::WavefrontSorted),
        of(Organisation::Graph),
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

/// What random numbers cost: other numbers, and so other pictures and paths.
pub(super) fn samplers(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["sampler", "megakernel", "wavefront-sorted", "vertices"];
    let mut table = Table::new("samplers", "L9: million vertices a second by where random numbers come from", &columns);
    let samplers =
        [("sobol", SamplerKind::Sobol), ("padded-halton", SamplerKind::PaddedHalton), ("xor32", SamplerKind::Xor32)];
    for (name, sampler) in samplers {
        let options = RenderOptions { sampler, ..bench.options(DEPTH) };
        let cases = [Organisation::Megakernel, Organisation::WavefrontSorted].map(|organisation| Case {
            name: organisation.name().into(),
            engine: bench.a_frame(of(organisation)),
            options: options.clone(),
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
