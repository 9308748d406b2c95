//! Made-up rates on the built-in scene beside the bounds of the same rays.

mod recorded;

use raywarp::bvh::presets;
use raywarp::scene::{Description, View};
use raywarp::{BuildOptions, Builder, Control};
use raywarp_lab::bench::{
    BenchRequest, BenchWatch, CheckSize, LaunchBounds, RayColumn, RayOrder, SceneReport, Subject, Target,
};
use raywarp_lab::bench::{RaySource, bench_scene, csv};
use raywarp_lab::family::{Supply, Variant};
use raywarp_lab::report::Room;
use raywarp_lab::sim::bounds::{Class, Limit};
use raywarp_lab::sim::gap::Part;
use raywarp_lab::sim::machine::Machine;
use raywarp_lab::study::bounds::{BoundsRequest, bound_rates};
use raywarp_lab::study::measured::{
    MeasuredError, MeasuredRate, MeasuredReport, MeasuredRequest, MeasuredRow, TimeShare, beside_bounds, rates_of,
    read_measured,
};
use raywarp_lab::study::simulate::EfficiencyRequest;
use raywarp_lab::workload::rays::{Order, RayKind, Workload};
use std::path::Path;
use std::sync::OnceLock;

const SIZE: [u32; 2] = [48, 32];
const RAYS_PER_PIXEL: u32 = 2;
const ALL_RAYS: usize = 1 << 30;
/// Those that take no time to build, one with options that no preset has.
const TREES: [BuildOptions; 2] =
    [presets::FASTEST, BuildOptions { builder: Builder::Sbvh, max_leaf: 2, split_below: 0.5, ..presets::BALANCED }];

/// The built-in one.
fn scene() -> &'static Description {
    static SCENE: OnceLock<Description> = OnceLock::new();
    SCENE.get_or_init(raywarp::scene::default_scene)
}

/// From the front, and from nearer and higher.
fn views(scene: &Description) -> Vec<(usize, View)> {
    let camera = scene.cameras.first().unwrap().clone();
    let bounds = raywarp::scene::flatten(scene).unwrap().bounds();
    let framed = raywarp::render::frame_bounds(&bounds);
    [(1, camera), (3, framed)].map(|(number, camera)| (number, View { camera, ao_radius: None })).to_vec()
}

/// A run of this CPU on two trees, with viewpoints 1 and 3.
fn run() -> &'static SceneReport {
    static RUN: OnceLock<SceneReport> = OnceLock::new();
    RUN.get_or_init(|| {
        let scene = raywarp::scene::default_scene();
        let (numbers, views): (Vec<usize>, Vec<View>) = views(&scene).into_iter().unzip();
        let subjects = ["al09-while-while", "raywarp-h8-direct", "alk12-kepler", "cpu"];
        let request = BenchRequest {
            workload: Workload::Raywarp,
            rays_per_pixel: Some(RAYS_PER_PIXEL),
            columns: RayKind::ALL.map(|kind| RayColumn::of(kind, RayOrder::Workload)).to_vec(),
            size: SIZE,
            one_launch: false,
            subjects: subjects.map(|name| name.parse::<Subject>().unwrap()).to_vec(),
            instead: None,
            builds: TREES.to_vec(),
            bounds: vec![LaunchBounds::default()],
            width: 32,
            warmup: 0,
            runs: 1,
            check: CheckSize::Sample(16),
            halves: true,
        };
        let mut report = SceneReport::new("embedded", &Target::Cpu, numbers, &request);
        bench_scene(&Target::Cpu, scene, RaySource::Views(&views), &request, &BenchWatch::default(), &mut report)
            .unwrap();
        report
    })
}

fn beside(rates: Vec<MeasuredRate>, sample: usize) -> Result<MeasuredReport, MeasuredError> {
    let scene = scene();
    let request = MeasuredRequest {
        scene: "embedded".into(),
        views: views(scene),
        size: SIZE,
        rays_per_pixel: Some(RAYS_PER_PIXEL),
        sample,
        machine: Machine::find("h200").unwrap(),
        clock: "1980 MHz".into(),
        rates,
    };
    beside_bounds(scene, &request, &Control::default())
}

/// The rates of the run, of one kernel.
fn rates(name: &str) -> Vec<MeasuredRate> {
    let subject: Subject = name.parse().unwrap();
    let of = rates_of(run()).into_iter().filter(|rate| rate.subject == subject);
    // What a busy CPU took is no matter here.
    of.map(|rate| MeasuredRate { start_and_tail: Some(0.05 * rate.rays as f64 / rate.rays_per_s), ..rate }).collect()
}

fn sum(row: &MeasuredRow) -> f64 {
    row.shares.as_ref().unwrap().iter().map(|(_, share)| share).sum()
}

#[test]
fn parts_of_the_time_sum_to_all_of_it_however_fast_a_run_was_and_however_long_its_tail() {
    let known = beside(rates("al09-while-while"), 600).unwrap();
    // Start and tail as shares of a run.
    let tails = [None, Some(0.0), Some(0.1), Some(1.0), Some(3.0)];
    for (number, (factor, tail)) in
        [0.01, 0.4, 0.95, 50.0].into_iter().flat_map(|f| tails.map(move |tail| (f, tail))).enumerate()
    {
        let faster = |row: &MeasuredRow| {
            let rays_per_s = factor * row.lowest().unwrap().rays_per_s;
            let start_and_tail = tail.map(|tail: f64| tail * row.rate.rays as f64 / rays_per_s);
            MeasuredRate { rays_per_s, most_rays_per_s: rays_per_s, start_and_tail, ..row.rate.clone() }
        };
        let mut rates: Vec<MeasuredRate> = known.rows.iter().map(faster).collect();
        // A kind at a time; two viewpoints and both.
        rates.retain(|rate| rate.tree == "fastest" && rate.kind == RayKind::ALL[number % 3]);
        let report = beside(rates, 600).unwrap();
        assert_eq!(report.rows.len(), 3);
        for row in &report.rows {
            assert!((sum(row) - 1.0).abs() < 1e-9, "{row:?}");
            assert!(row.shares.as_ref().unwrap().iter().all(|(_, share)| (0.0..=1.0).contains(share)), "{row:?}");
            let ratio = row.ratio().unwrap();
            assert!((ratio / factor - 1.0).abs() < 1e-9, "{ratio}, {factor}");
            let measured = row.share(TimeShare::Of(Part::Tail));
            assert_eq!(measured.is_some(), tail.is_some());
            assert!(
                measured.is_none_or(|share| (share - tail.unwrap().min(1.0)).abs() < 1e-9),
                "{measured:?} {tail:?}"
            );
            // What is left over is left over of slow runs.
            let latency = row.share(TimeShare::Of(Part::Latency)).unwrap();
            if tail.is_none_or(|tail| tail < 0.2) {
                assert!(if factor < 0.5 { latency > 0.3 } else { latency < 0.06 }, "{factor}: {latency}");
            }
        }
    }
}

#[test]
fn a_run_that_passes_a_strict_bound_fails_and_one_that_passes_a_modelled_bound_does_not() {
    let strict = |row: &MeasuredRow| {
        let strict = row.bounds.iter().filter(|bound| bound.class == Class::Strict);
        strict.map(|bound| bound.rays_per_s).fold(f64::INFINITY, f64::min)
    };
    // One tree: all rows at once would take long.
    let rates_of_one = || {
        let mut rates = rates("al09-while-while");
        rates.retain(|rate| rate.tree == "fastest" && rate.kind != RayKind::Diffuse);
        rates
    };
    let known = beside(rates_of_one(), ALL_RAYS).unwrap();
    assert!(known.passes() && known.rows.len() == 6);
    let faster = |factor: f64, is_faster: &dyn Fn(usize) -> bool| {
        let rate = |(number, row): (usize, &MeasuredRow)| {
            let most = strict(row);
            assert!(most.is_finite(), "no strict bound of whole launches: {row:?}");
            // It is the fastest run that counts.
            let most_rays_per_s = if is_faster(number) { factor * most } else { row.rate.most_rays_per_s };
            MeasuredRate { most_rays_per_s, ..row.rate.clone() }
        };
        beside(known.rows.iter().enumerate().map(rate).collect(), ALL_RAYS).unwrap()
    };
    let below = faster(0.999, &|_| true);
    assert!(below.passes() && below.rows.iter().all(|row| row.above_strict().is_none()));
    assert!(!below.document().text(Room::Any).contains("WRONG: "), "{}", below.document().text(Room::Any));
    assert_eq!(below.document().json()["pass"], true);
    for number in 0..known.rows.len() {
        let above = faster(1.001, &|other| other == number);
        assert!(!above.passes(), "row {number}");
        let wrong: Vec<usize> = (0..above.rows.len()).filter(|&row| above.rows[row].above_strict().is_some()).collect();
        assert_eq!(wrong, [number]);
        let text = above.document().text(Room::Any);
        assert!(text.contains("WRONG: embedded al09-while-while, "), "{text}");
        assert_eq!(above.document().json()["pass"], false);
    }
    // Of a sample only bytes of memory may be strict, which so few rays do not ask for.
    let mut rates = rates_of_one();
    rates.iter_mut().for_each(|rate| (rate.rays_per_s, rate.most_rays_per_s) = (1e15, 1e15));
    let report = beside(rates, 100).unwrap();
    assert!(report.passes() && report.rows.iter().all(|row| row.ratio().unwrap() > 1.0));
    assert!(
        report.document().text(Room::Any).contains("!: a run passed a modelled bound"),
        "{}",
        report.document().text(Room::Any)
    );
}

/// The slow way: each tree and viewpoint by itself, by `raywarp simulate --machine`.
#[test]
fn a_row_has_the_bounds_of_its_kernel_kind_tree_and_viewpoint() {
    let scene = raywarp::scene::default_scene();
    let all: Vec<MeasuredRate> = rates_of(run()).into_iter().filter(|rate| rate.view.is_some()).collect();
    let report = beside(all, 900).unwrap();
    let variants: Vec<Variant> =
        ["al09-while-while", "raywarp-h8-direct", "alk12-kepler"].map(|name| name.parse().unwrap()).to_vec();
    let mut compared = 0;
    let mut seen: Vec<Vec<f64>> = Vec::new();
    for (number, view) in views(&scene) {
        for build in TREES {
            let rays = EfficiencyRequest {
                workload: Workload::Raywarp,
                kinds: RayKind::ALL.to_vec(),
                own: Vec::new(),
                views: vec![view.clone()],
                size: SIZE,
                sample: 900,
                order: Order::Workload,
                rays_per_pixel: Some(RAYS_PER_PIXEL),
                variants: variants.clone(),
                widths: vec![32],
                draw: 0,
                leaf_sizes: vec![build.max_leaf],
                build,
                scene: "embedded".into(),
            };
            let machines = vec![Machine::find("h200").unwrap()];
            let request = BoundsRequest { rays, machines, changes: vec![], costs: None, what_if: false };
            for alone in bound_rates(&scene, &request, &Control::default()).unwrap().rows {
                let is_it = |row: &&MeasuredRow| {
                    let tree = BuildOptions { max_leaf: build.max_leaf, ..row.rate.build };
                    let rays = row.rate.view == Some(number) && row.rate.kind == alone.kind;
                    rays && tree == build && row.rate.subject == Subject::Kernel(alone.variant)
                };
                let row = report.rows.iter().find(is_it).unwrap();
                // Warps that share a pool ask at other times here.
                if alone.variant.supply() == Supply::Direct {
                    assert_eq!(row.bounds, alone.bounds, "{:?}", row.rate);
                    compared += 1;
                }
                seen.push(row.bounds.iter().map(|bound| bound.rays_per_s).collect());
            }
        }
    }
    // Three kernels, two of them without a pool, two trees, three kinds, two viewpoints; none is like another.
    assert_eq!((compared, seen.len()), (24, 36));
    for (number, bounds) in seen.iter().enumerate() {
        assert!(seen[..number].iter().all(|other| other != bounds), "{number}");
    }
    let tracer = report.rows.iter().find(|row| row.rate.subject == Subject::CpuTracer).unwrap();
    assert!(tracer.bounds.is_empty() && tracer.shares.is_none() && tracer.ratio().is_none());
}

#[test]
fn a_row_of_all_viewpoints_is_their_launches_one_after_the_other() {
    let report = beside(rates("raywarp-h8-direct"), 600).unwrap();
    let [all, one, three] = &report.rows[..3] else { panic!() };
    assert_eq!((all.rate.view, one.rate.view, three.rate.view), (None, Some(1), Some(3)));
    assert!(!all.is_part && one.is_part && three.is_part);
    assert_eq!(all.rate.rays, one.rate.rays + three.rate.rays);
    let seconds = |row: &MeasuredRow, limit: Limit| {
        let bound = row.bounds.iter().find(|bound| bound.limit == limit).unwrap();
        row.rate.rays as f64 / bound.rays_per_s
    };
    for limit in [Limit::Lanes, Limit::Issue, Limit::L1Passes, Limit::Latency] {
        let sum = seconds(one, limit) + seconds(three, limit);
        assert!((seconds(all, limit) / sum - 1.0).abs() < 1e-9, "{limit:?}");
    }
    let time = |row: &MeasuredRow, share| row.share(share).unwrap() * row.rate.rays as f64 / row.rate.rays_per_s;
    let total = |row: &MeasuredRow| row.rate.rays as f64 / row.rate.rays_per_s;
    for share in &TimeShare::ALL[..5] {
        let mean = (time(one, *share) + time(three, *share)) / (total(one) + total(three));
        assert!((all.share(*share).unwrap() - mean).abs() < 1e-9, "{share:?}");
    }
    // Tables have a line of both; files have all.
    assert_eq!(
        report.document().text(Room::Any).lines().filter(|line| line.starts_with("raywarp-h8-direct ")).count(),
        6
    );
    assert_eq!(report.document().csv().lines().count(), 18);
    let columns = MeasuredReport::csv_head().trim_end().split(',').count();
    assert!(
        report.document().csv().lines().all(|line| line.split(',').count() == columns),
        "{}",
        report.document().csv()
    );
}

#[test]
fn of_one_viewpoint_there_is_one_row_and_in_one_launch_too() {
    let mut rates = rates("al09-while-while");
    rates.retain(|rate| rate.kind == RayKind::Primary && rate.view.is_none());
    let report = beside(rates.clone(), 600).unwrap();
    assert_eq!((report.rows.len(), report.rows[0].rate.view), (2, None));
    assert!(report.rows.iter().all(|row| row.ratio().is_some() && !row.is_part));
    let all = std::mem::take(&mut rates).remove(0);
    let one = MeasuredRate { rays: all.rays / 2, view: None, rays_hash: None, ..all.clone() };
    let rows = beside(vec![one.clone(), MeasuredRate { view: Some(3), ..one }], 600).unwrap().rows;
    assert_eq!((rows.len(), rows[0].rate.view, rows[0].is_part), (1, Some(3), false));
}

#[test]
fn lanes_that_are_left_to_the_hardware_have_a_rest_and_what_has_no_known_cost_has_a_dash() {
    let of = |name: &str, bounds: LaunchBounds| {
        let subject: Subject = name.parse().unwrap();
        rates("al09-while-while").into_iter().take(3).map(move |rate| MeasuredRate { subject, bounds, ..rate })
    };
    let as_compiled = LaunchBounds::default();
    let other = LaunchBounds { block_threads: Some(64), max_registers: None };
    let rates = of("direct/while-while/bvh2?sync=implicit", as_compiled)
        .chain(of("al09-while-while", other))
        .chain(of("vulkan-rt", as_compiled));
    let report = beside(rates.collect(), 600).unwrap();
    let (implicit, others) = report.rows.split_at(3);
    for row in implicit {
        assert!((sum(row) - 1.0).abs() < 1e-9);
        assert!(row.share(TimeShare::Rest).unwrap() > 0.0 && row.share(TimeShare::Of(Part::Lanes)).is_none());
        assert!(row.bounds.iter().all(|bound| bound.limit != Limit::Issue));
    }
    assert!(others.len() == 6 && others.iter().all(|row| row.bounds.is_empty() && row.shares.is_none()));
    assert!(report.passes());
    let text = report.document().text(Room::Any);
    let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{text}"));
    // Bound, what sets it, ratio, and where the time went in the three columns that the other row has.
    for start in ["vulkan-rt ", "al09-while-while 64 threads "] {
        assert_eq!(line(start).split_whitespace().filter(|word| *word == "-").count(), 6, "{text}");
    }
}

#[test]
fn other_rays_than_were_measured_are_refused() {
    let mut rates = rates("al09-while-while");
    let of_ao = rates.iter().position(|rate| rate.kind == RayKind::Ao).unwrap();
    rates[of_ao].rays += 1;
    let error = beside(rates.clone(), 600).unwrap_err();
    assert!(matches!(error, MeasuredError::Rays { kind: "ao", .. }), "{error}");
    rates[of_ao].rays -= 1;
    rates[1].view = Some(2);
    let error = beside(rates, 600).unwrap_err();
    assert!(matches!(error, MeasuredError::View(2)), "{error}");
}

#[test]
fn as_many_rays_of_another_hash_are_refused() {
    let other = run().trees[0].hash;
    let of = |kind: RayKind, is_view: bool| {
        let mut rates = rates("al09-while-while");
        let wrong = rates.iter_mut().find(|rate| rate.kind == kind && rate.view.is_some() == is_view).unwrap();
        wrong.rays_hash = Some(other);
        rates
    };
    for is_view in [false, true] {
        // Primary rays are all made, whatever is sampled of them; others are known where all are traced.
        for (kind, sample) in [(RayKind::Primary, 600), (RayKind::Primary, ALL_RAYS), (RayKind::Diffuse, ALL_RAYS)] {
            let error = beside(of(kind, is_view), sample).unwrap_err();
            let MeasuredError::OtherRays { kind: named, view, measured, .. } = error else { panic!("{error}") };
            assert_eq!((named, view.is_some(), measured), (kind.name(), is_view, other));
        }
        assert!(beside(of(RayKind::Diffuse, is_view), 600).is_ok());
    }
    assert!(beside(rates("al09-while-while"), ALL_RAYS).is_ok());
}

#[test]
fn a_tree_that_cannot_be_built_again_has_no_bounds_and_a_plain_line() {
    let mut rates = rates("al09-while-while");
    rates.retain(|rate| rate.kind == RayKind::Primary);
    let nodes = rates[0].tree_nodes.unwrap();
    for rate in rates.iter_mut().filter(|rate| rate.tree == "fastest") {
        rate.tree_nodes = Some(nodes + 1);
    }
    let report = beside(rates.clone(), 600).unwrap();
    assert_eq!(report.rows.len(), 6);
    for row in &report.rows {
        assert_eq!(
            (row.bounds.is_empty(), row.shares.is_none()),
            [(true, true), (false, false)][usize::from(row.rate.tree != "fastest")]
        );
    }
    let line = format!("No bounds on fastest/8: it had {} nodes when it was measured and has {nodes} here", nodes + 1);
    let text = report.document().text(Room::Any);
    // Text is wrapped at the width of a terminal.
    let unwrapped = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(unwrapped.matches(&line).count(), 1, "{text}");
    assert!(report.document().json()["trees_not_rebuilt"][0].as_str().unwrap().starts_with(&line));
    // Older tables do not say how many nodes there were.
    rates.iter_mut().for_each(|rate| rate.tree_nodes = None);
    let report = beside(rates, 600).unwrap();
    assert!(report.other_trees.is_empty() && report.rows.iter().all(|row| !row.bounds.is_empty()));
    assert!(!report.document().text(Room::Any).contains("No bounds on"));
}

#[test]
fn a_run_and_its_table_have_the_same_rates() {
    let run = run();
    let (ours, read) = (rates_of(run), read_measured(&csv(std::slice::from_ref(run))).unwrap());
    assert_eq!(ours.len(), read.len());
    for (a, b) in ours.into_iter().zip(read) {
        // Three digits, six of milliseconds.
        let near = |a: f64, b: f64, digit: f64| (a - b).abs() <= 0.51 * digit;
        assert!(
            near(a.rays_per_s, b.rays_per_s, 1e3) && near(a.most_rays_per_s, b.most_rays_per_s, 1e3),
            "{a:?}, {b:?}"
        );
        assert_eq!(a.start_and_tail.is_some(), b.start_and_tail.is_some());
        assert!(a.start_and_tail.zip(b.start_and_tail).is_none_or(|(a, b)| near(a, b, 1e-9)), "{a:?}, {b:?}");
        let bare = |rate| MeasuredRate { rays_per_s: 0.0, most_rays_per_s: 0.0, start_and_tail: None, ..rate };
        assert_eq!(bare(a), bare(b));
    }
}
