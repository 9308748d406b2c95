//! Wald 2011's experiments (W11 4).

use super::frames::{Bench, BenchPathsError, Case, Frames, compare, name_of};
use super::resident_then::occupancy_then;
use super::table::Table;
use super::table_name::TableName;
use raywarp_experiments::{Compaction, MeasuredOrganisation, PathExperiment, Walk};
use raywarp_papers::{CompactionScene, w11};
use raywarp_render::RenderOptions;
use raywarp_sim::compaction::PathLengths;

/// Numbers of bounces of Table 1's columns.
const DEPTHS: [u32; 2] = [2, 8];
/// Number of bounces in the tables other than Table 1.
pub(super) const DEPTH: u32 = 8;
/// Scene of the paper's Tables 2 and 3.
const FAIRY: &str = "fairy";
/// Numbers of paths of a tile's thread that Figure 2 tries.
const TILES: [u32; 6] = [1, 2, 4, 8, 16, 32];

pub(super) fn of(organisation: MeasuredOrganisation) -> PathExperiment {
    PathExperiment::of(organisation)
}

pub(super) fn compacted(compaction: Compaction) -> PathExperiment {
    PathExperiment { compaction, ..of(MeasuredOrganisation::Compact) }
}

pub(super) fn tiled_shared(paths_per_lane: u32) -> PathExperiment {
    PathExperiment { paths_per_lane, ..of(MeasuredOrganisation::TiledShared) }
}

/// Returns the organisations of Table 1, starting with W11's naive one.
fn organisations() -> Vec<PathExperiment> {
    vec![
        of(MeasuredOrganisation::Megakernel),
        compacted(Compaction::Scan),
        of(MeasuredOrganisation::TiledGlobal),
        tiled_shared(4),
        tiled_shared(8),
        compacted(Compaction::Atomics),
        compacted(Compaction::Off),
        of(MeasuredOrganisation::Regenerate),
        PathExperiment { compaction: Compaction::Scan, ..of(MeasuredOrganisation::Regenerate) },
        of(MeasuredOrganisation::Split),
        of(MeasuredOrganisation::Wavefront),
        of(MeasuredOrganisation::WavefrontSorted),
        of(MeasuredOrganisation::Graph),
    ]
}

pub(super) fn case(bench: &Bench<'_>, engine: PathExperiment, options: &RenderOptions) -> Case {
    Case { name: name_of(&engine), engine: bench.a_frame(engine), options: options.clone() }
}

pub(super) fn rate(seconds: f64) -> String {
    format!("{:.1}", 1.0 / seconds)
}

/// Returns the texts of the median, least and most frames a second.
pub(super) fn rates(frames: &Frames) -> [String; 3] {
    let [median, least, most] = frames.spread();
    [rate(median), rate(most), rate(least)]
}

pub(super) fn ratio(frames: &Frames, naive: &Frames) -> String {
    format!("{:.2}", naive.median() / frames.median())
}

/// Makes W11's Table 1: frames a second of all organisations.
pub(super) fn table_1(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["organisation", "bounces", "frames/s", "least", "most", "of naive", "lanes", "MB", "launches"];
    let mut table = Table::new(TableName::Table1, "W11 Table 1: frames a second (one sample a pixel)", &columns);
    for depth in DEPTHS {
        let options = bench.options(depth);
        let cases: Vec<Case> = organisations().into_iter().map(|engine| case(bench, engine, &options)).collect();
        let all = bench.frames(&cases)?;
        compare(&mut table, &cases, &all);
        let samples = options.samples.len() as f64;
        for (case, frames) in cases.iter().zip(&all) {
            let [median, least, most] = rates(frames);
            table.row(vec![
                case.name.clone(),
                depth.to_string(),
                median,
                least,
                most,
                ratio(frames, &all[0]),
                format!("{:.1}", 32.0 * frames.counts.active_lanes()),
                format!("{:.1}", frames.counts.bytes() as f64 / samples / 1e6),
                format!("{:.0}", frames.counts.launches() as f64 / samples),
            ]);
        }
    }
    table
        .notes
        .push("lanes: of a warp of 32, that had a path to extend; MB of state moved and launches are a frame's".into());
    let printed = |CompactionScene { name, naive, compacted, tiled }: &CompactionScene| {
        format!("{name} {naive} / {compacted} / {tiled}")
    };
    let theirs: Vec<String> = w11().table_1.scene.iter().map(printed).collect();
    table.notes.push(format!("W11, naive / whole-frame / tiled in shared memory: {}", theirs.join(", ")));
    Ok(table)
}

/// Makes W11's Tables 2 and 3 (4.2.2, 4.2.3): paths, warps and time of each bounce.
pub(super) fn bounces(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let title = "W11 Tables 2 and 3: active paths and warps of a frame, and time of an active warp";
    let mut table = bounces_of(bench, Walk::Phased, Table::new(TableName::Bounces, title, &BOUNCES))?;
    let differs = beside_the_record(bench)?;
    table.passes &= differs.is_none();
    table.notes.push(differs.unwrap_or_else(|| {
        "the first frame's paths, warps and compacted warps of each bounce are those of the CPU's record of its paths".into()
    }));
    Ok(table)
}

/// Returns a note if the device's counts of the first frame differ from the path lengths that the CPU's renderer finds.
fn beside_the_record(bench: &Bench<'_>) -> Result<Option<String>, BenchPathsError> {
    let options = RenderOptions { samples: 0..1, ..bench.options(DEPTH) };
    let cases = [Compaction::Off, Compaction::Scan].map(|compaction| case(bench, compacted(compaction), &options));
    // Counted, not timed.
    let counted = bench.frames_of_runs(&cases, 0)?;
    let segments = bench.recorded(&options)?;
    let paths = PathLengths::new(&segments, segments.len()).expect("a frame has pixels");
    let [off, on] = &counted[..] else { unreachable!("two cases") };
    for (bounce, want) in raywarp_sim::compaction::bounces(paths, 32, 32).into_iter().enumerate() {
        let of =
            |frames: &Frames| frames.counts.by_round.get(bounce).map_or([0; 2], |round| [round.active, round.warps]);
        if (of(off), of(on)) != ([want.paths, want.naive_warps], [want.paths, want.compact_warps]) {
            let text = format!("bounce {bounce}: {:?} and {:?} counted, but {want:?} recorded", of(off), of(on));
            return Ok(Some(text));
        }
    }
    Ok(None)
}

/// Makes W11's Tables 2 and 3 with the while-while loop over a binary tree that W11's kernel had.
pub(super) fn bounces_of_while_while(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    if !bench.is_plain() {
        return Ok(Table::left_out(TableName::BouncesWhileWhile, "W11 Tables 2 and 3 by while-while", NOT_PLAIN));
    }
    let title =
        "W11 Tables 2 and 3 by while-while over a binary tree, as W11's kernel walked (PTX that the driver compiles)";
    bounces_of(bench, Walk::WhileWhile, Table::new(TableName::BouncesWhileWhile, title, &BOUNCES))
}

/// Note printed in place of a table whose kernels only take plain scenes: diffuse surfaces without textures, holes and
/// media.
pub(super) const NOT_PLAIN: &str =
    "left out: its kernels are for scenes of diffuse surfaces alone, as `make_clay` makes them";

const BOUNCES: [&str; 11] = [
    "bounce",
    "paths",
    "warps",
    "paths/warp",
    "compacted",
    "saved",
    "ns/warp",
    "compacted ns",
    "W11 saved",
    "W11 us",
    "W11 compacted us",
];

fn bounces_of(bench: &Bench<'_>, walk: Walk, mut table: Table) -> Result<Table, BenchPathsError> {
    let options = bench.options(DEPTH);
    let timed = |engine| PathExperiment { timed: true, ..engine };
    let [off, on] = [Compaction::Off, Compaction::Scan].map(compacted);
    let engines = [of(MeasuredOrganisation::Megakernel), timed(off), timed(on), off, on];
    let engines = engines.map(|engine| PathExperiment { walk, ..engine });
    let cases = engines.map(|engine| case(bench, engine, &options));
    let all = bench.frames(&cases)?;
    compare(&mut table, &cases, &all);
    let samples = options.samples.len() as f64;
    let [naive, timed_off, timed_on, off, on] = &all[..] else { unreachable!("five cases") };
    let (mut warps, mut full) = (0.0, 0.0);
    for (bounce, (own, compact)) in timed_off.counts.by_round.iter().zip(&timed_on.counts.by_round).enumerate() {
        let [paths, own, compact] = [own.active, own.warps, compact.warps].map(|count| count as f64 / samples);
        (warps, full) = (warps + own, full + compact);
        let time = |frames: &Frames, warps: f64| {
            let seconds = frames.bounces.get(bounce).map_or(f64::NAN, |seconds| seconds.bounce);
            format!("{:.2}", 1e9 * seconds / warps)
        };
        let theirs = w11().table_2.bounce.get(bounce).zip(w11().table_3.bounce.get(bounce));
        let (saved, [their_off, their_on]) = match theirs {
            Some((row, times)) => (format!("{:.1}", row.saved), times.pair().map(|us| format!("{us:.1}"))),
            None => ("-".into(), ["-".into(), "-".into()]),
        };
        table.row(vec![
            bounce.to_string(),
            format!("{paths:.0}"),
            format!("{own:.0}"),
            format!("{:.1}", paths / own),
            format!("{compact:.0}"),
            format!("{:.2}", warps / full),
            time(timed_off, own),
            time(timed_on, compact),
            saved,
            their_off,
            their_on,
        ]);
    }
    let ms = |seconds: f64| 1e3 * seconds;
    let printed = w11();
    let [their_off_ms, their_on_ms] = printed.bounces_ms();
    let [naive_ms, compacted_ms] = printed.table_1.of(FAIRY).map_or([f64::NAN; 2], CompactionScene::frame_ms);
    let [least_stored, most_stored] = printed.storing.percent;
    let [least_gain, most_gain] = printed.table_1.gains();
    let sum = |frames: &Frames| frames.bounces.iter().map(|bounce| bounce.bounce).sum::<f64>();
    let step: f64 = timed_on.bounces.iter().map(|bounce| bounce.step).sum();
    table.notes.extend([
        format!(
            "all bounces: {:.2} times fewer warps where those that go on are listed (W11 {:.1}), {:.1} paths a warp without \
             (W11 {:.1}); saved: this bounce and those before; W11's columns are of {FAIRY} on a {}",
            warps / full,
            printed.table_2.saved(),
            timed_off.counts.extended as f64 / samples / warps,
            printed.paths_per_warp.mean,
            printed.machine
        ),
        format!(
            "kernels of the bounces {:.3} ms without listing, {:.3} ms with; whole frames {:.3} and {:.3} ms, naive {:.3} \
             (W11: {their_off_ms:.0} and {their_on_ms:.0}; {naive_ms:.0} naive and {:.1} %, {compacted_ms:.0})",
            ms(sum(timed_off)),
            ms(sum(timed_on)),
            ms(off.median()),
            ms(on.median()),
            ms(naive.median()),
            printed.storing.mean()
        ),
        format!(
            "listing takes {:.1} % of bounces and listing (W11 4.2.2: {}); paths that are kept in memory {:+.1} % \
             of the naive frame (W11 4.2.3: {least_stored} to {most_stored}); compaction makes {:.2} of the naive rate \
             (W11 {least_gain:.2} to {most_gain:.2})",
            100.0 * step / (sum(timed_on) + step),
            printed.listing.percent,
            100.0 * (off.median() / naive.median() - 1.0),
            naive.median() / on.median()
        ),
    ]);
    Ok(table)
}

/// Makes W11's Figure 2: frame rates with more and more paths a tile, and how many blocks a multiprocessor then holds.
pub(super) fn figure_2(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    let columns = ["M", "shared bytes", "blocks", "occupancy %", "shared", "global", "shared of naive", "GTX 480 %"];
    let mut table = Table::new(
        TableName::Figure2,
        "W11 Figure 2: frames a second of tiles of 64 x M paths, and occupancy",
        &columns,
    );
    let options = bench.options(DEPTH);
    let most = bench.device().shared_bytes_per_block()?;
    let warps = bench.device().warps_per_multiprocessor()?;
    let mut cases = vec![case(bench, of(MeasuredOrganisation::Megakernel), &options)];
    let mut tiles = Vec::new();
    for paths_per_lane in TILES {
        let shared = bench.a_frame(tiled_shared(paths_per_lane));
        let tile = bench.tile_occupancy(&shared, &options)?.filter(|tile| tile.shared_bytes <= most);
        let global = PathExperiment { paths_per_lane, ..of(MeasuredOrganisation::TiledGlobal) };
        cases.push(case(bench, global, &options));
        if tile.is_some() {
            cases.push(case(bench, tiled_shared(paths_per_lane), &options));
        }
        tiles.push((paths_per_lane, tile));
    }
    let all = bench.frames(&cases)?;
    compare(&mut table, &cases, &all);
    let mut measured = all.iter().skip(1);
    for (paths_per_lane, tile) in tiles {
        let global = measured.next().map_or_else(String::new, |frames| rate(frames.median()));
        let none = || "-".to_string();
        let (shared, of_naive) = match tile.and_then(|_| measured.next()) {
            Some(frames) => (rate(frames.median()), ratio(frames, &all[0])),
            None => (none(), none()),
        };
        table.row(vec![
            paths_per_lane.to_string(),
            tile.map_or_else(none, |tile| tile.shared_bytes.to_string()),
            tile.map_or_else(none, |tile| tile.blocks.to_string()),
            tile.map_or_else(none, |tile| format!("{:.0}", 100.0 * f64::from(tile.blocks * 2) / f64::from(warps))),
            shared,
            global,
            of_naive,
            tile.and_then(|tile| occupancy_then(tile.shared_bytes))
                .map_or_else(none, |share| format!("{:.0}", 100.0 * share)),
        ]);
    }
    let printed = w11();
    let tiles = printed.occupancy.tiles.iter().map(|tile| format!("{} at M = {}", tile.percent, tile.paths_per_thread));
    table.notes.push(format!(
        "a block has 64 threads; naive {} frames a second. {}: what the same bytes and {} registers would have left it \
         (W11: {} % without shared memory, {})",
        rate(all[0].median()),
        printed.machine,
        printed.kernels.registers,
        printed.occupancy.no_shared_memory,
        tiles.collect::<Vec<_>>().join(", ")
    ));
    Ok(table)
}
