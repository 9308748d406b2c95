//! The page of the suites W11 and L9: each experiment's table, and the plots of the papers.

use super::{PathSuite, Table, TableName};
use raywarp_papers::{CompactionBounce, CompactionScene, w11};
use raywarp_report::{
    Document,
    chart::{Bar, Bars, ChartLine, Points},
};

/// Returns a report of the tables that a set of experiments made in some scenes.
pub fn path_bench_report(suite: PathSuite, machine: &str, found: &[(String, Vec<Table>)]) -> Document {
    let title = match suite {
        PathSuite::W11 => "Active thread compaction: Wald 2011's experiments on this GPU",
        PathSuite::L9 => "The lecture's claims about queues of rays, on this GPU",
    };
    let mut document = Document::new(title);
    document.prose(format!(
        "{machine}. A frame is one sample of each pixel; seconds are the GPU's own, medians of several runs, one after the other."
    ));
    if suite == PathSuite::W11 {
        document.heading("What the paper printed");
        document.chart(
            "w11-table-1",
            "W11 Table 1: rates over the naive kernel's on a GTX 480, eight bounces",
            printed(),
        );
    }
    document.array("scenes", found, |document, (scene, tables)| {
        document.heading(scene.clone());
        document.data("scene", scene.clone());
        document.array("tables", tables, |document, table| table.describe(document, scene));
    });
    document.data("suite", suite.name());
    document.data("machine", machine);
    document.run([("suite", suite.name().to_string()), ("machine", machine.to_string())]);
    document
}

/// Adds the charts of a table to a report.
pub(super) fn charts(document: &mut Document, scene: &str, table: &Table) {
    let stem: String = scene.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let name = format!("{stem}-{}", table.name.text());
    match table.name {
        TableName::Table1 => document.chart(name, "Rates over the naive kernel's, by bounces", rates(table)),
        TableName::Bounces | TableName::BouncesWhileWhile => {
            document.chart(name.clone(), "Paths of a warp that still runs (W11 Table 2)", paths_per_warp(table));
            document.chart(
                format!("{name}-time"),
                "Time of an active warp where paths are listed, over that where they are not (W11 Table 3)",
                times(table),
            );
        }
        TableName::Figure2 => {
            document.chart(name, "Frames a second of tiles of 64 x M paths (W11 Figure 2, left)", tiles(table));
        }
        TableName::Resolutions => {
            document.chart(name, "Million paths a second by the paths of a frame (W11 4.2.4)", sizes(table));
        }
        TableName::Queues => {
            document.chart(name, "Million paths a second by paths in flight, powers of two", queues(table));
        }
        _ => {}
    }
}

fn bar(value: f64) -> Option<Bar> {
    value.is_finite().then(|| Bar { value, label: format!("{value:.2}") })
}

fn printed() -> Bars {
    let group = |scene: &CompactionScene| {
        (scene.name.clone(), vec![bar(scene.compacted / scene.naive), bar(scene.tiled / scene.naive)])
    };
    Bars {
        axis: "of naive".into(),
        series: vec!["whole-frame compaction".into(), "tiled in shared memory".into()],
        groups: w11().table_1.scene.iter().map(group).collect(),
        least_most: 1.0,
    }
}

/// Returns the bars of frame rates: a group for each organisation, a series for each number of bounces.
fn rates(table: &Table) -> Bars {
    let (depths, ratios) = (table.numbers("bounces"), table.numbers("of naive"));
    let mut series: Vec<f64> = Vec::new();
    depths.iter().for_each(|depth| {
        if !series.contains(depth) {
            series.push(*depth);
        }
    });
    let mut groups: Vec<(String, Vec<Option<Bar>>)> = Vec::new();
    for ((cells, depth), ratio) in table.rows.iter().zip(&depths).zip(&ratios) {
        let group = match groups.iter().position(|(name, _)| *name == cells[0]) {
            Some(group) => group,
            None => {
                groups.push((cells[0].clone(), vec![None; series.len()]));
                groups.len() - 1
            }
        };
        if let Some(place) = series.iter().position(|own| own == depth) {
            groups[group].1[place] = bar(*ratio);
        }
    }
    Bars {
        axis: "of naive".into(),
        series: series.iter().map(|depth| format!("{depth} bounces")).collect(),
        groups,
        least_most: 1.0,
    }
}

fn line(name: &str, xs: &[f64], ys: &[f64]) -> ChartLine {
    let both = xs.iter().zip(ys).filter(|(x, y)| x.is_finite() && y.is_finite());
    ChartLine { name: name.into(), points: both.map(|(&x, &y)| (x, y, String::new())).collect() }
}

fn paths_per_warp(table: &Table) -> Points {
    let bounces = table.numbers("bounce");
    let theirs: Vec<f64> = w11().table_2.bounce.iter().map(CompactionBounce::paths_per_naive_warp).collect();
    Points {
        x_axis: "bounce".into(),
        y_axis: "paths a warp, nobody listed".into(),
        lines: vec![line("here", &bounces, &table.numbers("paths/warp")), line("W11, fairy", &bounces, &theirs)],
        ..Points::default()
    }
}

/// Returns the points of Table 3's curve: a full warp's time divided by that of a warp with only the live paths.
fn times(table: &Table) -> Points {
    let bounces = table.numbers("bounce");
    let (off, on) = (table.numbers("ns/warp"), table.numbers("compacted ns"));
    let here: Vec<f64> = off.iter().zip(&on).map(|(off, on)| on / off).collect();
    let theirs: Vec<f64> = w11().table_3.bounce.iter().map(|time| time.compacted / time.naive).collect();
    Points {
        x_axis: "bounce".into(),
        y_axis: "compacted warp over naive warp".into(),
        lines: vec![line("here", &bounces, &here), line("W11, fairy", &bounces, &theirs)],
        ..Points::default()
    }
}

fn tiles(table: &Table) -> Points {
    let paths = table.numbers("M");
    Points {
        x_axis: "M, paths of a thread".into(),
        y_axis: "frames a second".into(),
        lines: vec![
            line("in shared memory", &paths, &table.numbers("shared")),
            line("in the device's memory", &paths, &table.numbers("global")),
        ],
        ..Points::default()
    }
}

fn sizes(table: &Table) -> Points {
    let lines = ["naive", "compact", "regenerate", "wavefront-sorted"]
        .map(|name| line(name, &table.axis, &table.numbers(name)));
    Points {
        x_axis: "paths of a frame".into(),
        y_axis: "million paths a second".into(),
        logarithmic: true,
        lines: lines.into(),
        ..Points::default()
    }
}

fn queues(table: &Table) -> Points {
    let lines =
        ["wavefront", "wavefront-sorted", "regenerate scan"].map(|name| line(name, &table.axis, &table.numbers(name)));
    Points {
        x_axis: "paths in flight, as a power of two".into(),
        y_axis: "million paths a second".into(),
        lines: lines.into(),
        ..Points::default()
    }
}
