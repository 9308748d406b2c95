//! The experiments by which W11 explained its figures (W11 3 and 4.2): ways and places of listing paths, heavier
//! shading, other walks of rays, and numbers of paths in flight.

use super::frames::{Bench, BenchPathsError, Case, compare, name_of};
use super::table::Table;
use super::table_name::TableName;
use super::w11::{DEPTH, NOT_PLAIN, case, compacted, of, rate, rates, ratio, tiled_shared};
use raywarp_experiments::{Compaction, ListedAt, MeasuredOrganisation, PathExperiment, Walk};
use raywarp_papers::w11;
use raywarp_render::RenderOptions;

/// Makes W11's table (3.4) of the ways of listing paths that go on, with counts read by the host or the device.
pub(super) fn steps(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["listing", "counts", "frames/s", "least", "most", "of naive", "listing %"];
    let mut table =
        Table::new(TableName::Steps, "W11 3.4: what lists the paths that go on, and who reads how many", &columns);
    let options = bench.options(DEPTH);
    let mut cases = vec![case(bench, of(MeasuredOrganisation::Megakernel), &options)];
    for host_counts in [false, true] {
        for compaction in [Compaction::Scan, Compaction::Atomics] {
            for timed in [false, true] {
                let engine = PathExperiment { host_counts, timed, ..compacted(compaction) };
                cases.push(case(bench, engine, &options));
            }
        }
    }
    let all = bench.frames(&cases)?;
    compare(&mut table, &cases, &all);
    for (cases, frames) in cases[1..].chunks(2).zip(all[1..].chunks(2)) {
        let engine = cases[0].engine;
        let [median, least, most] = rates(&frames[0]);
        let [bounce, step] = frames[1].bounces.iter().fold([0.0; 2], |[a, b], own| [a + own.bounce, b + own.step]);
        table.row(vec![
            engine.compaction.name().into(),
            if engine.host_counts { "host" } else { "device" }.into(),
            median,
            least,
            most,
            ratio(&frames[0], &all[0]),
            format!("{:.1}", 100.0 * step / (bounce + step)),
        ]);
    }
    table.notes.push(format!("naive {} frames a second", rate(all[0].median())));
    Ok(table)
}

/// Makes W11's table (3) of the points in a bounce at which paths are listed.
pub(super) fn places(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let title = "W11 3: where in a bounce paths are listed (three kernels: PTX that the driver compiles)";
    let columns = ["listed at", "kernels", "frames/s", "least", "most", "of naive", "lanes", "launches"];
    let mut table = Table::new(TableName::Places, title, &columns);
    if !bench.is_plain() {
        return Ok(Table::left_out(TableName::Places, title, NOT_PLAIN));
    }
    let options = bench.options(DEPTH);
    let parts = |start, shadow, end| ListedAt { start, shadow, end, in_parts: true };
    let all = [
        ("-", parts(false, false, false)),
        ("start", parts(true, false, false)),
        ("shadow", parts(false, true, false)),
        ("end", parts(false, false, true)),
        ("start, shadow", parts(true, true, false)),
        ("start, end", parts(true, false, true)),
        ("shadow, end", parts(false, true, true)),
        ("start, shadow, end", parts(true, true, true)),
    ];
    let listed = |listed_at| PathExperiment { listed_at, ..compacted(Compaction::Scan) };
    let engines = [of(MeasuredOrganisation::Megakernel), compacted(Compaction::Off), compacted(Compaction::Scan)];
    let names = ["naive", "-", "end"].into_iter().chain(all.iter().map(|(name, _)| *name));
    let engines = engines.into_iter().chain(all.iter().map(|(_, at)| listed(*at)));
    let cases: Vec<Case> = engines.zip(names).map(|(engine, name)| named(bench, name, engine, &options)).collect();
    let all = bench.frames(&cases)?;
    compare(&mut table, &cases, &all);
    let samples = options.samples.len() as f64;
    for (case, frames) in cases.iter().zip(&all) {
        let [median, least, most] = rates(frames);
        let kernels = match case.engine.organisation {
            MeasuredOrganisation::Megakernel => "of a path",
            _ if case.engine.listed_at.splits() => "3",
            _ => "1",
        };
        table.row(vec![
            case.name.clone(),
            kernels.into(),
            median,
            least,
            most,
            ratio(frames, &all[0]),
            format!("{:.1}", 32.0 * frames.counts.active_lanes()),
            format!("{:.0}", frames.counts.launches() as f64 / samples),
        ]);
    }
    table.notes.push(
        "start: behind the rays that extend paths, of those that have hit something; shadow: before shadow rays, of those that \
         have one; end: of those that go on. A shadow ray that is blocked ends no path, so that behind shadow rays is the end. \
         Lanes: of a warp of 32 that extends paths"
            .into(),
    );
    Ok(table)
}

fn named(bench: &Bench<'_>, name: &str, engine: PathExperiment, options: &RenderOptions) -> Case {
    Case { name: name.into(), ..case(bench, engine, options) }
}

/// Makes W11's table (4.2.6) of other BVH traversal loops than the product's.
pub(super) fn walks(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let title = "W11 4.2.6: frames a second by how rays are walked (other than phased: PTX that the driver compiles)";
    let columns = ["loop", "naive", "compact", "not listed", "compact of naive", "of not listed", "naive of phased"];
    let mut table = Table::new(TableName::Walks, title, &columns);
    if !bench.is_plain() {
        return Ok(Table::left_out(TableName::Walks, title, NOT_PLAIN));
    }
    let options = bench.options(DEPTH);
    let cases: Vec<Case> = Walk::ALL
        .into_iter()
        .flat_map(|walk| {
            let engines =
                [of(MeasuredOrganisation::Megakernel), compacted(Compaction::Scan), compacted(Compaction::Off)];
            engines.map(|engine| PathExperiment { walk, ..engine })
        })
        .map(|engine| case(bench, engine, &options))
        .collect();
    let all = bench.frames(&cases)?;
    compare(&mut table, &cases, &all);
    for (cases, frames) in cases.chunks(3).zip(all.chunks(3)) {
        let [naive, compact, off] = frames else { unreachable!("three of each loop") };
        table.row(vec![
            cases[0].engine.walk.name().into(),
            rate(naive.median()),
            rate(compact.median()),
            rate(off.median()),
            ratio(compact, naive),
            ratio(compact, off),
            ratio(naive, &all[0]),
        ]);
    }
    table.notes.push(format!(
        "phased: over the tree of blocks; the others over a binary tree, as W11's. W11: {}",
        w11().speculation.said
    ));
    Ok(table)
}

/// Makes W11's table (4.2.5) of heavier shading: extra arithmetic that about doubles the naive kernel's frame time, and
/// a search as in an environment map.
pub(super) fn shading(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    const STEPS: u32 = 21;
    let columns =
        ["organisation", "frames/s", "of naive", "arithmetic", "of naive then", "search", "of naive by search"];
    let mut table = Table::new(TableName::Shading, "W11 4.2.5: heavier shading", &columns);
    let options = bench.options(DEPTH);
    let naive = of(MeasuredOrganisation::Megakernel);
    let longer_shading = that_doubles(bench, naive, &options)?;
    let engines = [
        naive,
        compacted(Compaction::Scan),
        compacted(Compaction::Off),
        of(MeasuredOrganisation::TiledGlobal),
        tiled_shared(4),
        of(MeasuredOrganisation::Regenerate),
    ];
    let heavier = |engine| {
        [engine, PathExperiment { longer_shading, ..engine }, PathExperiment { search_steps: STEPS, ..engine }]
    };
    let cases: Vec<Case> = engines.into_iter().flat_map(heavier).map(|engine| case(bench, engine, &options)).collect();
    let all = bench.frames(&cases)?;
    compare(&mut table, &cases, &all);
    for (cases, frames) in cases.chunks(3).zip(all.chunks(3)) {
        let mut row = vec![cases[0].name.clone()];
        row.extend((0..3).flat_map(|way| [rate(frames[way].median()), ratio(&frames[way], &all[way])]));
        table.row(row);
    }
    table.notes.push(format!(
        "{longer_shading} multiply-adds a vertex make the naive frame {:.2} times as long (W11: where they double it \
         compaction gains {}); a search of {STEPS} steps in a table of 2^{STEPS} texels, by radiance and solid angle, \
         makes it {:.2} times as long (W11: {})",
        all[1].median() / all[0].median(),
        w11().longer_shading.arithmetic,
        all[2].median() / all[0].median(),
        w11().longer_shading.search
    ));
    Ok(table)
}

/// Finds the number of extra multiply-adds a vertex that about doubles a frame's time, by trials until they add a third
/// to it.
fn that_doubles(bench: &Bench<'_>, naive: PathExperiment, options: &RenderOptions) -> Result<u32, BenchPathsError> {
    const MOST: u32 = 1 << 20;
    let mut trial = 1024;
    loop {
        let cases = [0, trial].map(|longer_shading| case(bench, PathExperiment { longer_shading, ..naive }, options));
        let [plain, longer] = &bench.frames(&cases)?[..] else { unreachable!("two cases") };
        let added = longer.median() - plain.median();
        if 3.0 * added > plain.median() || trial >= MOST {
            let each = added.max(1e-3 * plain.median()) / f64::from(trial);
            return Ok((plain.median() / each).clamp(1.0, f64::from(MOST)) as u32);
        }
        trial *= 4;
    }
}

/// Makes the table of samples rendered all at once, compared with frame by frame into an accumulation buffer (W11 3.2).
pub(super) fn accumulation(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["frames at once", "naive", "compact", "regenerate", "wavefront-sorted", "compact of naive"];
    let mut table = Table::new(
        TableName::Accumulation,
        "W11 3.2: million paths a second, frame by frame into an accumulation buffer and several at once",
        &columns,
    );
    let options = bench.options(DEPTH);
    let [width, height] = options.size;
    let pixels = (width * height) as usize;
    for frames_at_once in [1, 2, 4, 8] {
        let engines = [
            of(MeasuredOrganisation::Megakernel),
            compacted(Compaction::Scan),
            of(MeasuredOrganisation::Regenerate),
            of(MeasuredOrganisation::WavefrontSorted),
        ];
        let cases = engines.map(|engine| {
            let engine = PathExperiment { paths: pixels * frames_at_once, ..bench.a_frame(engine) };
            Case { name: name_of(&engine), engine, options: options.clone() }
        });
        let all = bench.frames(&cases)?;
        compare(&mut table, &cases, &all);
        let mut row = vec![frames_at_once.to_string()];
        row.extend(all.iter().map(|frames| format!("{:.1}", pixels as f64 / frames.median() / 1e6)));
        row.push(ratio(&all[1], &all[0]));
        table.row(row);
    }
    table.notes.push(format!(
        "{} frames of a run, in passes that end at powers of two: the first ones are shorter than what may be at once",
        options.samples.len()
    ));
    Ok(table)
}

/// Makes W11's table (4.2.4) of frames of other resolutions.
pub(super) fn resolutions(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["size", "naive", "compact", "regenerate", "wavefront-sorted", "compact of naive"];
    let mut table =
        Table::new(TableName::Resolutions, "W11 4.2.4: million paths a second by size, a frame at a time", &columns);
    let [width, height] = bench.setup().options.size;
    for (times, part) in [(1, 4), (1, 2), (1, 1), (2, 1)] {
        let size = [width, height].map(|side| (side * times / part).max(1));
        let options = RenderOptions { size, ..bench.options(DEPTH) };
        let paths = (size[0] * size[1]) as usize;
        let engines = [
            of(MeasuredOrganisation::Megakernel),
            compacted(Compaction::Scan),
            of(MeasuredOrganisation::Regenerate),
            of(MeasuredOrganisation::WavefrontSorted),
        ];
        let cases = engines.map(|engine| {
            let engine = PathExperiment { paths, ..bench.a_frame(engine) };
            Case { name: name_of(&engine), engine, options: options.clone() }
        });
        let all = bench.frames(&cases)?;
        compare(&mut table, &cases, &all);
        let mut row = vec![format!("{}x{}", size[0], size[1])];
        row.extend(all.iter().map(|frames| format!("{:.1}", paths as f64 / frames.median() / 1e6)));
        row.push(ratio(&all[1], &all[0]));
        table.row_at(paths as f64, row);
    }
    Ok(table)
}
