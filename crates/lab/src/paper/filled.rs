//! Tests that cells of exhibits are filled where a run or another exhibit has their numbers, and with those.

use super::*;

/// Reads the recorded counts of paths and warps of W11's path tracer.
fn compaction() -> serde_json::Value {
    let runs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/runs");
    let text = std::fs::read_to_string(runs.join("2026-11-21-xeon-2c/compaction.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn steps_of_compacted_warps_are_those_of_the_run_in_all_its_scenes() {
    let run = compaction();
    let records = stored(find(Paper::W11, "table3").unwrap());
    let mut seen = 0;
    for (scene, of) in run["scenes"].as_object().unwrap() {
        let scene = format!("{}, clay", scene.trim_end_matches("_synthetic"));
        for (bounce, warps) in of["work"].as_array().into_iter().flatten().enumerate() {
            let steps = |kind: usize| {
                let count = |place: usize| warps[kind][place].as_f64().unwrap();
                (count(2) + count(3)) / count(1)
            };
            let key = [&scene, &format!("bounce {bounce}"), "steps", "quotient"];
            let own =
                records.iter().find(|record| record.key() == key).unwrap_or_else(|| panic!("there is no {key:?}"));
            assert!((own.ours.unwrap() - steps(1) / steps(0)).abs() < 1e-5, "{key:?}");
            seen += 1;
        }
    }
    assert_eq!((seen, records.iter().filter(|record| record.rays == "steps").count()), (63, 63));
}

#[test]
fn simulated_paths_and_warps_are_those_of_the_run_so_finely_that_they_are_rounded_once() {
    let run = compaction();
    let table2 = find(Paper::W11, "table2").unwrap();
    let records = stored(table2);
    let mut seen = 0;
    for (scene, of) in run["scenes"].as_object().unwrap() {
        let scene = format!("{}, clay", scene.trim_end_matches("_synthetic"));
        let frames = of["frames"].as_f64().unwrap();
        let count = |bounce: usize, place: usize| of["bounces"][bounce][place].as_f64().unwrap() / frames;
        for bounce in 0..9 {
            let all = |place: usize| (0..=bounce).map(|bounce| count(bounce, place)).sum::<f64>();
            let [paths, naive, compacted] = [0, 1, 2].map(|place| count(bounce, place));
            for (quantity, expected) in [
                ("kilo paths", paths / 1000.0),
                ("paths", 100.0 * paths / count(0, 0)),
                ("naive warps", naive),
                ("paths a warp", paths / naive),
                ("compacted warps", compacted / 1000.0),
                ("all paths", all(0) / 1000.0),
                ("all naive warps", all(1) / 1000.0),
                ("all paths a warp", all(0) / all(1)),
                ("all compacted warps", all(2) / 1000.0),
                ("saved", all(1) / all(2)),
            ] {
                let key = [&scene, &format!("bounce {bounce}"), "simulated", quantity];
                let ours = records.iter().find(|record| record.key() == key).and_then(|record| record.ours);
                let digits = table2.quantity(quantity).unwrap().digits;
                let printed = |number: f64| raywarp_report::number(number, digits);
                assert!((ours.unwrap() - expected).abs() < 1e-5, "{key:?}: {ours:?} for {expected}");
                assert_eq!(printed(ours.unwrap()), printed(expected), "{key:?}");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 8 * 9 * 10);
    // 77.495 %, which 77.5 would round up.
    let key = ["san_miguel, clay", "bounce 6", "simulated", "paths"];
    let record = records.iter().find(|record| record.key() == key).unwrap();
    assert_eq!(raywarp_report::number(record.ours.unwrap(), 0), "77");
}

#[test]
fn compacted_warps_that_w11_misprints_are_one_number_in_table_and_statement() {
    let table = stored(find(Paper::W11, "table2").unwrap());
    let key = ["theirs: fairy", "bounce 2", "", "all compacted warps"];
    let in_table: f64 = table.iter().find(|record| record.key() == key).unwrap().theirs.text().parse().unwrap();
    let statement = statements(Paper::W11).iter().find(|row| row.name == "two-numbers-of-table-2").unwrap();
    let row = judge(Paper::W11, statement, None);
    let cell = row.cells.iter().find(|cell| cell.of.contains("compacted warps up to bounce 2")).unwrap();
    assert_eq!(cell.ours, in_table);
    assert_eq!(in_table, 78.0);
}

#[test]
fn multiples_of_generations_are_formed_of_the_rates_of_table_1() {
    let rates = stored(find(Paper::Alk12, "table1").unwrap());
    let figure = stored(find(Paper::Alk12, "figure3").unwrap());
    let of = |records: &[Record], key: [&str; 4]| {
        records.iter().find(|record| record.key() == key).unwrap_or_else(|| panic!("there is no {key:?}")).clone()
    };
    let ours = |subject: &str, rays: &str| of(&figure, ["all", subject, rays, "multiple"]).ours.unwrap();
    let is_near = |a: f64, b: f64| (a - b).abs() < 0.005;
    for rays in ["primary", "ao", "diffuse"] {
        assert_eq!(ours("GTX 285", rays), 1.0);
        let mut sum = 0.0;
        for scene in ["sibenik", "conference"] {
            let rate = |subject: &str, quantity: &str| of(&rates, [scene, subject, rays, quantity]);
            let theirs: f64 = rate("GTX 285", "measured").theirs.text().parse().unwrap();
            let measured = rate("NVIDIA H200", "measured").ours.unwrap();
            assert!(is_near(ours(&format!("H200, {scene}"), rays), measured / theirs), "{scene} {rays}");
            let (later, before) = (rate("GTX 680", "expected"), rate("GTX 285", "bound"));
            let own = of(&figure, ["all", &format!("GTX 680, {scene}"), rays, "multiple"]);
            let quotient = later.ours.unwrap() / before.ours.unwrap();
            assert!(is_near(own.ours.unwrap(), quotient), "{scene} {rays}: {own:?}");
            let draws = |record: &Record| *record.draws.as_ref().unwrap().numbers().first().unwrap();
            assert!(is_near(draws(&own), draws(&later) / draws(&before)), "{scene} {rays}: {own:?}");
            sum += quotient;
        }
        assert!(is_near(ours("GTX 680", rays), sum / 2.0), "{rays}");
    }
}

#[test]
fn an_h200_has_a_share_of_its_bound_wherever_it_was_measured() {
    let records = stored(find(Paper::Al09, "table1").unwrap());
    let mut seen = 0;
    for rate in records.iter().filter(|record| record.quantity == "measured" && record.ours.is_some()) {
        let of = |subject: &str| {
            let key = [rate.scene.as_str(), subject, rate.rays.as_str(), "of simulated"];
            records.iter().find(|record| record.key() == key).and_then(|record| record.ours).unwrap()
        };
        let share = of(&rate.subject);
        assert!(share > 0.0 && share < 100.0, "{rate:?}: {share} %");
        // Persistent warps run the same loop: their bound is the same but for how rays are taken.
        if let Some(plain) = rate.subject.strip_prefix("persistent ") {
            let key = [rate.scene.as_str(), plain, rate.rays.as_str(), "measured"];
            let before = records.iter().find(|record| record.key() == key).unwrap().ours.unwrap();
            let bounds = (rate.ours.unwrap() / share) / (before / of(plain));
            assert!((0.93..1.01).contains(&bounds), "{rate:?}: {bounds}");
        }
        seen += 1;
    }
    assert_eq!(seen, 2 * 7 * 3);
}

#[test]
fn expected_gains_of_all_improvements_are_the_speedups_of_table_2() {
    let [table, own] = ["table2", "improvements"].map(|name| stored(find(Paper::G14, name).unwrap()));
    let of = |records: &[Record], key: [&str; 4]| {
        records.iter().find(|record| record.key() == key).unwrap_or_else(|| panic!("there is no {key:?}")).clone()
    };
    for scene in ["sibenik", "conference"] {
        for rays in ["primary", "ao", "diffuse"] {
            for (gpu, quantity) in [("GTX 680", "gtx680"), ("Titan", "gtxtitan")] {
                let [a, b] = [of(&table, [scene, gpu, rays, "speedup"]), of(&own, [scene, "all", rays, quantity])];
                assert!((a.ours.unwrap() - b.ours.unwrap()).abs() < 0.01, "{a:?} {b:?}");
                assert_eq!(a.theirs.text(), b.theirs.text(), "{scene} {gpu} {rays}");
                for single in ["4-ary", "unrolled", "unsorted", "4-ary, five comparisons"] {
                    assert!(of(&own, [scene, single, rays, quantity]).ours.is_some(), "{single}");
                }
            }
        }
    }
}
