//! Rates of recorded runs beside the bounds of the same rays.

use super::*;

/// Rates of `table` by `kernels` stand below their bounds, and near what is expected; how many rows there were.
#[track_caller]
fn check_recorded((scene, view): (&Description, &View), table: &str, kernels: [&str; 2]) -> usize {
    let machine = Machine::find("h200").unwrap();
    let kept = kernels.map(|name| name.parse::<Subject>().unwrap());
    let is_kept = |rate: &MeasuredRate| {
        let tree = ["good", "single"].contains(&rate.tree.as_str());
        rate.scene == "sibenik" && rate.kind != RayKind::Primary && tree && kept.contains(&rate.subject)
    };
    let mut rates = read_measured(&crate::common::recorded(table)).unwrap();
    rates.retain(|rate| is_kept(rate) && rate.ran_on(&machine));
    let request = crate::common::on_sibenik(view, rates, 4096);
    let report = beside_bounds(scene, &request, &Control::default()).unwrap();
    assert!(report.passes(), "{}", report.document().text(Room::Any));
    for row in &report.rows {
        let ratio = row.ratio().unwrap();
        assert!((0.5..1.0).contains(&ratio), "{ratio}: {}", report.document().text(Room::Any));
        let of_expected = row.rate.rays_per_s / row.expected.unwrap();
        assert!((0.75..1.02).contains(&of_expected), "{of_expected}: {}", report.document().text(Room::Any));
        assert!((sum(row) - 1.0).abs() < 1e-9);
    }
    report.rows.len()
}

#[test]
fn recorded_runs_of_an_h200_stand_below_their_bounds() {
    let Some((scene, view)) = crate::common::sibenik() else { return };
    let check = |table, kernels| check_recorded((&scene, &view), table, kernels);
    let of_papers = ["alk12-kepler-float?planes=plain", "ykl17?planes=plain&refill=80"];
    assert!(check("2026-11-21-h200-4/bench.csv", of_papers) >= 2);
    // Of h8 only records since its leaf test is the watertight one.
    let of_h8 = ["raywarp-h8", "raywarp-h8-direct"];
    assert_eq!(check("2026-11-23-h200/bench-after-1.csv", of_h8), 4);
}

#[test]
fn recorded_tables_of_measured_rates_and_bounds_pass_and_sum_to_all() {
    let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/runs");
    let folders = std::fs::read_dir(&runs).unwrap().flatten();
    let mut rows = 0;
    for path in folders.map(|entry| entry.path().join("bounds.csv")).filter(|path| path.exists()) {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(&MeasuredReport::csv_head()), "{}", path.display());
        for line in text.lines().skip(1) {
            // From the end, since names may hold commas.
            let cells: Vec<&str> = line.rsplit(',').collect();
            let shares: Vec<f64> = cells[..7].iter().filter_map(|cell| cell.parse().ok()).collect();
            assert!(shares.is_empty() || (shares.iter().sum::<f64>() - 100.0).abs() < 0.01, "{line}");
            assert_eq!(cells[8], "0", "{line}");
            rows += usize::from(!shares.is_empty());
        }
    }
    assert!(rows >= 70, "{rows}");
}
