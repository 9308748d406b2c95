//! Sentences of docs/internals/expected-rate.md below its tables, made again from the recorded runs.

use super::*;

/// AO and diffuse rays of a run's file.
fn secondary(run: &str, name: &str) -> Vec<Row> {
    rows_of(run, name).into_iter().filter(|row| row.kind != RayKind::Primary).collect()
}

/// Mean error in per cent of the rows that are wanted.
fn percent(rows: &[Row], foretell: &dyn Fn(&Row) -> f64, is_wanted: &dyn Fn(&Row) -> bool) -> f64 {
    let errors = rows.iter().filter(|row| is_wanted(row)).map(|row| error(row, foretell(row)).abs());
    100.0 * mean(&errors.collect::<Vec<_>>())
}

/// Kernels whose mean error is below 5 %.
fn near(rows: &[Row], foretell: &dyn Fn(&Row) -> f64) -> usize {
    let mut kernels: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    kernels.sort_unstable();
    kernels.dedup();
    kernels.iter().filter(|name| percent(rows, foretell, &|row| row.name == **name) < 5.0).count()
}

/// The number in letters.
fn in_words(number: usize) -> &'static str {
    ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"][number]
}

#[test]
fn kernels_and_cells_that_are_far_off_are_those_that_the_page_names() {
    let (tuned, held) = (rows("bounds-tuned.csv"), secondary(H200, "bounds-held.csv"));
    let model = |row: &Row| foretold(row).rays_per_s / 1e6;
    let ratio = |row: &Row| row.bound * last_time(&tuned, row, |row| row.measured / row.bound);
    let of = |name: &'static str| move |row: &Row| row.name == name;
    let persistent = "al09-persistent-spec-while-while";
    let all_but = in_words(near(&held, &model));
    assert_eq!(all_but, "nine");
    assert_on_page(&format!(
        "Nine of the ten kernels are within 5 % on average (the tenth, persistent speculative while-while, {:.1} %); of the \
         same ratio to the bound {} are",
        percent(&held, &model, &of(persistent)),
        in_words(near(&held, &ratio))
    ));
    let within = held.iter().filter(|row| error(row, ratio(row)).abs() < 0.05).count();
    assert_on_page(&format!("of {} are ({within})", held.len()));
    let mut worst: Vec<(f64, String)> = held
        .iter()
        .map(|row| (100.0 * error(row, model(row)).abs(), format!("{}, {}, {}", row.name, row.scene, row.kind.name())))
        .collect();
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("the worst cells: {:?}", &worst[..4]);
    assert_on_page(&format!("The worst are {:.0} and {:.0} % off", worst[0].0, worst[2].0));
    assert_on_page(&format!(
        "(\"g14\" {:.1} to {:.1} %, \"alk12-kepler\" {:.1} to {:.1})",
        percent(&held, &ratio, &of("g14")),
        percent(&held, &model, &of("g14")),
        percent(&held, &ratio, &of("alk12-kepler")),
        percent(&held, &model, &of("alk12-kepler"))
    ));
    let living_room = |row: &Row| row.scene == "living_room" && row.kind == RayKind::Ao;
    assert_on_page(&format!(
        "({:.1} for {:.1} %, {:.1} for {:.1})",
        percent(&held, &ratio, &living_room),
        percent(&held, &model, &living_room),
        percent(&held, &ratio, &of(persistent)),
        percent(&held, &model, &of(persistent))
    ));
}

#[test]
fn errors_the_other_way_round_are_those_of_the_page() {
    let (tuned, held) = (rows("bounds-tuned.csv"), secondary(H200, "bounds-held.csv"));
    let other_way = |foretell: &dyn Fn(&Row) -> f64| {
        100.0 * mean(&held.iter().map(|row| (foretell(row) / row.measured - 1.0).abs()).collect::<Vec<_>>())
    };
    assert_on_page(&format!(
        "Taken the other way round the model alone is {:.1} % off, and \"nothing changes\" {:.0} %",
        other_way(&|row| row.modelled),
        other_way(&|row| last_time(&tuned, row, |row| row.measured))
    ));
}

#[test]
fn an_h100_is_as_near_to_an_h200_as_the_page_says() {
    let both = |run: &str| {
        let mut rows = secondary(run, "bounds-tuned.csv");
        rows.append(&mut secondary(run, "bounds-held.csv"));
        rows
    };
    let (h100, h200) = (both(H100), both(H200));
    let same = |row: &Row| {
        let is_same = |other: &&Row| (&other.scene, &other.name, other.kind) == (&row.scene, &row.name, row.kind);
        h200.iter().find(is_same).map_or(f64::NAN, |other| other.measured)
    };
    let off = |is_h8: bool| -> Vec<f64> {
        let own = h100.iter().filter(|row| row.variant.contains("/h8") == is_h8);
        own.map(|row| 100.0 * error(row, same(row)).abs()).collect()
    };
    assert_on_page(&format!(
        "In all seven scenes the eight kernels whose machine code is the same in both runs differ by {:.1} % in the mean \
         and by {:.1} % at most; the two on h8, which have changed between the runs, by up to {:.1} %",
        mean(&off(false)),
        worst(&off(false)),
        worst(&off(true))
    ));
    let (tuned, held) = (secondary(H100, "bounds-tuned.csv"), secondary(H100, "bounds-held.csv"));
    let by = |machine: &'static str| move |row: &Row| foretold_by(machine, row).rays_per_s / 1e6;
    let all = |_: &Row| true;
    assert_on_page(&format!(
        "An H200's ratios would nearly do for it: {:.1} points are lost",
        percent(&held, &by("h200"), &all) - percent(&held, &by("h100"), &all)
    ));
    let is_inside = |machine: &str, row: &Row| {
        let Prediction { low, high, .. } = foretold_by(machine, row);
        (low..=high).contains(&(1e6 * row.measured))
    };
    let inside = |machine: &str| held.iter().filter(|row| is_inside(machine, row)).count();
    assert_eq!([inside("h100"), inside("h200")], [held.len(); 2]);
    assert_on_page(&format!("Both sets of intervals hold all {} rates", held.len()));
    assert_on_page(&format!(
        "In the four scenes that its ratios are from, an H200's ratios are {:.1} % off, and the H200's rates {:.1} %",
        percent(&tuned, &by("h200"), &all),
        percent(&tuned, &same, &all)
    ));
}
