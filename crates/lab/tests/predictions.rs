//! Rates to expect, judged on scenes that nothing was tuned on, beside two ways to foretell without a model.
//!
//! `bounds-tuned.csv` has the scenes that the intervals are from, `bounds-held.csv` others: of an H200
//! (2026-11-25-h200-2) three that no kernel had run on before they were measured, and san_miguel, which nothing was
//! tuned on; of an H100 (2026-11-28-h100) these three.

mod bullets;

use raywarp_lab::sim::machine::Machine;
use raywarp_lab::study::launch::{GainSpread, Prediction};
use raywarp_lab::workload::rays::RayKind;
use std::collections::BTreeMap;
use std::path::Path;

/// A row of a table that `raywarp bench --simulate --record` wrote.
struct Row {
    scene: String,
    name: String,
    variant: String,
    kind: RayKind,
    /// Million rays a second: measured; as the model has it; the lowest bound.
    measured: f64,
    modelled: f64,
    bound: f64,
}

/// The run of an H200, and that of an H100.
const H200: &str = "2026-11-25-h200-2";
const H100: &str = "2026-11-28-h100";

fn rows(name: &str) -> Vec<Row> {
    rows_of(H200, name)
}

fn rows_of(run: &str, name: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/runs").join(run).join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let field = |name: &str| head.iter().position(|column| *column == name).map(|at| fields[at]);
        let number = |name: &str| field(name)?.parse::<f64>().ok();
        let kind = RayKind::ALL.into_iter().find(|kind| Some(kind.name()) == field("kind"))?;
        (field("view") == Some("1")).then_some(())?;
        Some(Row {
            scene: field("scene")?.to_string(),
            name: field("name")?.to_string(),
            variant: field("variant")?.to_string(),
            kind,
            measured: number("mrays_median")?,
            modelled: number("expected_mrays")?,
            bound: number("bound_mrays")?,
        })
    };
    lines.filter_map(row).collect()
}

fn foretold(row: &Row) -> Prediction {
    foretold_by("h200", row)
}

/// Foretold by the ratios that were measured of this machine.
fn foretold_by(machine: &str, row: &Row) -> Prediction {
    let machine = Machine::find(machine).unwrap();
    Prediction::of(&machine, &row.variant.parse().unwrap(), row.kind, (1e6 * row.modelled, false)).unwrap()
}

/// How far off a foretold rate is, as a share of it.
fn error(row: &Row, foretold: f64) -> f64 {
    row.measured / foretold - 1.0
}

/// Checks that the page has a line as it is made here: figures in it are by hand.
#[track_caller]
fn assert_on_page(line: &str) {
    let page = include_str!("../../../docs/internals/expected-rate.md");
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(line), "docs/internals/expected-rate.md lacks: {line}");
}

fn worst(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// Half of the interval of AO and of diffuse rays, mean over these rows, in per cent.
fn spreads(machine: &str, rows: &[&Row]) -> [f64; 2] {
    [RayKind::Ao, RayKind::Diffuse].map(|kind| {
        let of_kind = rows.iter().filter(|row| row.kind == kind);
        100.0 * mean(&of_kind.map(|row| foretold_by(machine, row).spread()).collect::<Vec<_>>())
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Of the tuned rows with a kernel and kind of rays the geometric mean of something.
fn last_time(tuned: &[Row], like: &Row, what: impl Fn(&Row) -> f64) -> f64 {
    let same = tuned.iter().filter(|row| row.variant == like.variant && row.kind == like.kind);
    mean(&same.map(|row| what(row).ln()).collect::<Vec<_>>()).exp()
}

#[test]
fn intervals_are_from_the_recorded_runs() {
    let tuned = [("H200", rows("bounds-tuned.csv")), ("H100", rows_of(H100, "bounds-tuned.csv"))];
    let wanted = tuned.iter().flat_map(|(machine, rows)| {
        rows.iter().map(move |row| {
            let ratio = row.measured / row.modelled;
            format!("{machine},{},{},{},{ratio:.4}", row.variant, row.kind.name(), row.scene)
        })
    });
    let table = include_str!("../../study/data/calibration.csv");
    assert_eq!(table.lines().skip(1).map(str::to_string).collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
}

/// The same kernels and scenes on an H100, by its own ratios, by an H200's, and without any model.
#[test]
fn an_h100s_held_out_rates_are_foretold_by_its_own_ratios_and_better_by_an_h200s_rates() {
    let (tuned, held) = (rows_of(H100, "bounds-tuned.csv"), rows_of(H100, "bounds-held.csv"));
    let of_h200: Vec<Row> = rows("bounds-held.csv").into_iter().chain(rows("bounds-tuned.csv")).collect();
    let secondary: Vec<&Row> = held.iter().filter(|row| row.kind != RayKind::Primary).collect();
    assert_eq!(secondary.len(), 3 * 10 * 2);
    let errors = |foretell: &dyn Fn(&Row) -> f64| -> Vec<f64> {
        secondary.iter().map(|row| error(row, foretell(row)).abs()).collect()
    };
    let own = errors(&|row| foretold_by("h100", row).rays_per_s / 1e6);
    let others = errors(&|row| foretold_by("h200", row).rays_per_s / 1e6);
    let same_ratio = errors(&|row| row.bound * last_time(&tuned, row, |row| row.measured / row.bound));
    let uncalibrated = errors(&|row| row.modelled);
    let same_as_h200 = errors(&|row| {
        let same = |other: &&Row| (&other.scene, &other.variant, other.kind) == (&row.scene, &row.variant, row.kind);
        of_h200.iter().find(same).unwrap().measured
    });
    let inside = |machine: &str| {
        let holds = |row: &&&Row| {
            let Prediction { low, high, .. } = foretold_by(machine, row);
            (low..=high).contains(&(1e6 * row.measured))
        };
        secondary.iter().filter(holds).count()
    };
    println!(
        "AO and diffuse rays of three held-out scenes on an H100, mean error: by its own ratios {:.1} %, by an H200's {:.1} %, the same \
         ratio to the lowest bound as on its tuned scenes {:.1} %, the model alone {:.1} %, the rate of an H200 {:.1} %; in the intervals \
         {} and {} of {}",
        100.0 * mean(&own),
        100.0 * mean(&others),
        100.0 * mean(&same_ratio),
        100.0 * mean(&uncalibrated),
        100.0 * mean(&same_as_h200),
        inside("h100"),
        inside("h200"),
        secondary.len()
    );
    for (what, errors) in [
        ("baseline: what an H200 reached in the same scene", &same_as_h200),
        ("the model with the H100's own calibration", &own),
        ("the model with an H200's calibration", &others),
        ("baseline: the same ratio to the lowest bound as on its own four scenes", &same_ratio),
        ("the model alone", &uncalibrated),
    ] {
        assert_on_page(&format!("| {what} | {:.1} % | {:.0} % |", 100.0 * mean(errors), 100.0 * worst(errors)));
    }
    let [[ao, diffuse], [by_h200_ao, by_h200_diffuse]] = ["h100", "h200"].map(|machine| spreads(machine, &secondary));
    assert_on_page(&format!(
        "(AO {ao:.0} %, diffuse {diffuse:.0} % to either side; by an H200's ratios {by_h200_ao:.0} and {by_h200_diffuse:.0} %)"
    ));
    assert!(mean(&own) < mean(&others) && mean(&own) < mean(&same_ratio));
    assert!(inside("h100") as f64 >= 0.85 * secondary.len() as f64);
    // One chip, whose trees fit its caches: nothing that a model says comes near.
    assert!(mean(&same_as_h200) < 0.02);
}

#[test]
fn held_out_rates_are_foretold_better_than_without_a_model() {
    let (tuned, held) = (rows("bounds-tuned.csv"), rows("bounds-held.csv"));
    let secondary: Vec<&Row> = held.iter().filter(|row| row.kind != RayKind::Primary).collect();
    assert_eq!(secondary.len(), 4 * 10 * 2);
    let errors = |foretell: &dyn Fn(&Row) -> f64| -> Vec<f64> {
        secondary.iter().map(|row| error(row, foretell(row)).abs()).collect()
    };
    let model = errors(&|row| foretold(row).rays_per_s / 1e6);
    let same_ratio = errors(&|row| row.bound * last_time(&tuned, row, |row| row.measured / row.bound));
    let same_rate = errors(&|row| last_time(&tuned, row, |row| row.measured));
    let uncalibrated = errors(&|row| row.modelled);
    let inside = secondary.iter().filter(|row| {
        let Prediction { low, high, .. } = foretold(row);
        (low..=high).contains(&(1e6 * row.measured))
    });
    let count = inside.count();
    let inside = count as f64 / secondary.len() as f64;
    // Of each kernel, over scenes and both kinds.
    let mut kernels: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (row, error) in secondary.iter().zip(&model) {
        kernels.entry(&row.variant).or_default().push(*error);
    }
    let near = kernels.values().filter(|errors| mean(errors) < 0.05).count();
    let within = model.iter().filter(|error| **error < 0.05).count();
    println!(
        "AO and diffuse rays of four held-out scenes, mean error: foretold {:.1} %, the same ratio to the lowest bound as last time \
         {:.1} %, the same rate as last time {:.0} %, the model without calibration {:.1} %; {within} of {} cells and {near} of {} \
         kernels on average within 5 %, worst {:.0} %; {:.0} % in the intervals of nine of ten",
        100.0 * mean(&model),
        100.0 * mean(&same_ratio),
        100.0 * mean(&same_rate),
        100.0 * mean(&uncalibrated),
        model.len(),
        kernels.len(),
        100.0 * worst(&model),
        100.0 * inside
    );
    for (what, errors) in [
        ("the model with its calibration", &model),
        ("baseline: the same ratio to the lowest bound as on the five scenes", &same_ratio),
        ("the model alone", &uncalibrated),
    ] {
        assert_on_page(&format!("| {what} | {:.1} % |", 100.0 * mean(errors)));
    }
    let changed = 100.0 * mean(&same_rate);
    assert_on_page(&format!("| baseline: the same rate as on the five scenes (nothing changes) | {changed:.0} % |"));
    let [ao, diffuse] = spreads("h200", &secondary);
    assert_on_page(&format!(
        "The intervals are some {ao:.0} % (AO) and {diffuse:.0} % (diffuse) to either side, and hold {count} of the {}",
        secondary.len()
    ));
    assert_on_page(&format!("By cell {within} of {} are", secondary.len()));
    assert!(mean(&model) < mean(&same_ratio) && mean(&model) < mean(&same_rate));
    assert!(near >= 8 && inside >= 0.8, "{near} {inside}");
}

#[test]
fn what_the_model_does_not_tell_is_undecided() {
    let held = rows("bounds-held.csv");
    for row in &held {
        assert_eq!(foretold(row).is_decided(), row.kind != RayKind::Primary, "{}", row.variant);
    }
    // Rightly: primary rays are off by more than any use.
    let primary: Vec<f64> = held
        .iter()
        .filter(|row| row.kind == RayKind::Primary)
        .map(|row| error(row, foretold(row).rays_per_s / 1e6).abs())
        .collect();
    assert!(mean(&primary) > 0.2, "{}", mean(&primary));
}

/// What stands in for gains of changes, which nobody recorded: from one kernel to another on the same scene and rays.
#[test]
fn differences_of_kernels_on_held_out_scenes_lie_in_the_interval_of_a_gain() {
    let held = rows("bounds-held.csv");
    let machine = Machine::find("h200").unwrap();
    let mut shares = Vec::new();
    for kind in RayKind::ALL {
        let spread = GainSpread::of(&machine, kind).unwrap();
        let of_kind: Vec<&Row> = held.iter().filter(|row| row.kind == kind).collect();
        let pairs = of_kind.iter().flat_map(|a| of_kind.iter().map(move |b| (a, b)));
        let pairs: Vec<_> = pairs.filter(|(a, b)| a.scene == b.scene && a.variant < b.variant).collect();
        assert_eq!(pairs.len(), 4 * 45);
        let share = |holds: &dyn Fn(&Row, &Row) -> bool| {
            pairs.iter().filter(|(a, b)| holds(a, b)).count() as f64 / pairs.len() as f64
        };
        let inside = share(&|a, b| {
            let [low, high] = spread.gain(a.modelled, b.modelled).interval();
            (low..=high).contains(&(b.measured / a.measured - 1.0))
        });
        let decided = |a: &Row, b: &Row| spread.gain(a.modelled, b.modelled).is_decided();
        let right = share(&|a, b| decided(a, b) && (b.modelled > a.modelled) == (b.measured > a.measured));
        let decided = share(&decided);
        println!(
            "{}: {:.0} % of {} pairs in the interval; {:.0} % decided, of these {:.0} % with the right sign",
            kind.name(),
            100.0 * inside,
            pairs.len(),
            100.0 * decided,
            100.0 * right / decided
        );
        shares.push(100.0 * inside);
        assert!(inside >= 0.85, "{}: {inside}", kind.name());
        // No gain of primary rays is told.
        let is_told = kind == RayKind::Primary || decided > 0.2;
        assert!(right >= 0.95 * decided && is_told, "{}: {right} of {decided}", kind.name());
    }
    let [_, ao, diffuse] = shares[..] else { panic!("three kinds of rays") };
    let said = format!("in the interval in {ao:.0} % (AO) and {diffuse:.0} % (diffuse) of 180 pairs");
    let page = include_str!("../../../docs/internals/simulator.md");
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&said), "docs/internals/simulator.md lacks: {said}");
}
