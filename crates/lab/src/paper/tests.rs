//! Tests of exhibits, records and statements against each other, and against the recorded runs.

use super::exhibit::Formed;
use super::*;
use raywarp_papers::{Claim, Outcome};
use raywarp_report::Room;
use raywarp_study::measured::read_measured;
use std::collections::HashSet;

#[test]
fn names_are_found_and_unlike() {
    for paper in Paper::ALL {
        let mut names: HashSet<&str> = HashSet::new();
        for name in of(paper).map(|exhibit| exhibit.name).chain(statements(paper).iter().map(|row| row.name.as_str())) {
            assert!(names.insert(name), "{} {name} twice", paper.key());
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c)), "{name}");
        }
        assert!(!names.is_empty(), "{}", paper.key());
        assert_eq!(Paper::parse(paper.key()), Some(paper));
    }
    assert_eq!(find(Paper::Al09, "Table 1").map(|exhibit| exhibit.name), Some("table1"));
    assert_eq!(find(Paper::Al09, "table9"), None);
    for paper in Paper::ALL {
        for (name, _) in drawn(paper) {
            assert!(find(paper, name).is_none() && find_drawn(paper, name).is_some(), "{} {name}", paper.key());
        }
    }
    assert!(find_drawn(Paper::Alk12, "Figure 2").is_some());
}

#[test]
fn every_record_is_of_a_quantity_and_says_where_it_is_from() {
    for exhibit in all() {
        let records = stored(exhibit);
        assert!(!records.is_empty(), "{} {}", exhibit.paper.key(), exhibit.name);
        let mut keys = HashSet::new();
        for record in &records {
            let is_known = exhibit.parts.iter().flat_map(|part| part.quantities).any(|own| own.key == record.quantity);
            assert!(is_known, "{} {}: {record:?}", exhibit.paper.key(), exhibit.name);
            assert_eq!(record.ours.is_some(), record.source != NumberSource::Nowhere, "{record:?}");
            assert!(record.ours.is_some() || !record.theirs.is_empty(), "{record:?}");
            assert!(keys.insert(record.key()), "twice: {record:?}");
        }
    }
}

#[test]
fn each_scene_of_an_exhibit_has_numbers_or_can_get_them() {
    for exhibit in all() {
        let (records, alone) = (stored(exhibit), scenes_alone(exhibit));
        for name in &alone {
            let has_own = records.iter().any(|record| record.is_of_scene(name) && !record.is_theirs_alone());
            assert!(has_own || is_simulated(exhibit), "{} {}: {name}", exhibit.paper.key(), exhibit.name);
        }
        assert!(!alone.is_empty() || !scenes_together(exhibit).is_empty(), "{}", exhibit.name);
    }
    let of = |name| find(Paper::Alk12, name).unwrap();
    assert_eq!((scenes_alone(of("figure3")), scenes_together(of("figure3"))), (vec![], vec!["all".to_string()]));
    assert_eq!(scenes_alone(of("table1")), of("table1").scenes);
}

/// Returns statements whose cells or reasons are not what their measure and claims need.
fn faulty() -> Vec<String> {
    let mut faults = Vec::new();
    for paper in Paper::ALL {
        for finding in statements(paper) {
            let row = judge(paper, finding, None);
            let mut fault = |what: &str| faults.push(format!("{} {}: {what}", paper.key(), finding.name));
            if finding.has_cells() != finding.cannot.is_empty() {
                fault("it has both cells and a reason to have none, or neither");
            }
            if finding.has_cells() && (row.cells.is_empty() || finding.measure.is_none()) {
                fault("it has no cell or no measure");
            }
            if finding.theirs.iter().any(|claim| !claim.is_empty() && Claim::parse(claim).is_none()) {
                fault("a claim is not read");
            }
            for cell in &finding.cells {
                let claim = if cell.theirs.is_empty() { finding.claim("") } else { &cell.theirs };
                if Claim::parse(claim).is_none() {
                    fault(&format!("{} has no claim", cell.of));
                }
            }
            for selection in &finding.from {
                if judged::exhibit_of(paper, selection).is_none() {
                    fault("it names no exhibit");
                }
            }
        }
    }
    faults
}

#[test]
fn every_statement_has_cells_or_a_reason_to_have_none() {
    assert_eq!(faulty(), Vec::<String>::new());
}

#[test]
fn the_rule_decides_alike() {
    let status = |name: &str| {
        let finding = statements(Paper::Al09).iter().find(|row| row.name == name).expect("it is a row");
        judge(Paper::Al09, finding, None).status
    };
    // 4 % where AL09 has 9, and 7 points apart: neither is within 5 points.
    assert_eq!(status("sixteen-lanes"), Outcome::NotReproduced);
    assert_eq!(status("efficiency-intersection-conference"), Outcome::NotReproduced);
    assert_eq!(status("efficiency-traversal-conference"), Outcome::Reproduced);
    assert_eq!(status("simulated-rates-sibenik"), Outcome::CannotBe);
    // Sibenik's AO rays gain 0.5 +-1.9 points, which is known more closely than a sign's 2.
    assert_eq!(status("inner-loops-of-4"), Outcome::NotReproduced);
}

#[test]
fn fresh_numbers_take_the_place_of_stored_ones() {
    let finding = statements(Paper::Al09).iter().find(|row| row.name == "efficiency-traversal-conference").unwrap();
    let exhibit = find(Paper::Al09, "table1").unwrap();
    let mut fresh = stored(exhibit);
    for record in fresh.iter_mut().filter(|record| record.quantity == "traversal") {
        record.ours = Some(1.0);
    }
    let row = judge(Paper::Al09, finding, Some(("table1", &fresh)));
    assert_eq!(row.status, Outcome::NotReproduced);
    assert!(row.cells.iter().all(|cell| cell.holds == Some(false)));
}

#[test]
fn missing_scenes_have_the_papers_numbers() {
    let text =
        exhibit_document(find(Paper::Al09, "table1").unwrap(), &stored(find(Paper::Al09, "table1").unwrap()), &[])
            .text(Room::Any);
    let line = text.lines().find(|line| line.starts_with("while-while") && line.contains("diffuse")).unwrap();
    assert!(line.split_whitespace().count() >= 7, "{line}");
    let fairy = text.split("fairy: SIMD").nth(1).unwrap();
    assert!(
        fairy.lines().any(|line| line.split_whitespace().collect::<Vec<_>>() == ["while-while", "diffuse", "35", "43"])
    );
    assert!(text.contains("fitted: four costs"), "{text}");
    assert!(text.contains("2026-11-29-h200/table1.txt"), "{text}");
}

#[test]
fn measured_rates_are_those_of_their_runs() {
    let runs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/runs");
    let text = std::fs::read_to_string(runs.join("2026-11-29-h200/table1.csv")).unwrap();
    let exhibit = find(Paper::Al09, "table1").unwrap();
    let Making::Kernels(kernels) = exhibit.making else { panic!("it is of kernels") };
    let records = stored(exhibit);
    let mut seen = 0;
    for rate in read_measured(&text).unwrap() {
        let name = rate.subject.name();
        let (_, _, subject) = kernels.runs.iter().find(|(_, kernel, _)| name == *kernel).unwrap();
        let key = [&rate.scene, *subject, rate.kind.name(), "measured"];
        let own = records.iter().find(|record| record.key() == key).unwrap();
        assert!((own.ours.unwrap() - rate.rays_per_s / 1e6).abs() < 0.051, "{key:?}");
        seen += 1;
    }
    assert_eq!(seen, 2 * 7 * 3);
}

#[test]
fn quotients_that_the_papers_print_stand_beside_their_rates() {
    let theirs = |paper, exhibit, key: [&str; 4]| {
        let records = stored(find(paper, exhibit).unwrap());
        records.iter().find(|record| record.key() == key).map(|record| record.theirs.text().to_string())
    };
    let al09 = theirs(Paper::Al09, "table1", ["fairy", "packet", "ao", "of simulated"]);
    assert_eq!(al09.as_deref(), Some("43"));
    let alk12 = theirs(Paper::Alk12, "table1", ["san_miguel", "GTX 680", "diffuse", "of previous"]);
    assert_eq!(alk12.as_deref(), Some("1.77"));
    assert_eq!(theirs(Paper::Alk12, "table1", ["san_miguel", "GTX 480", "diffuse", "of previous"]), None);
    let g14 = theirs(Paper::G14, "table2", ["sibenik", "Titan", "primary", "speedup"]);
    assert_eq!(g14.as_deref(), Some("-0.7"));
}

#[test]
fn speedups_follow_from_the_rates_that_were_made() {
    let exhibit = find(Paper::G14, "table2").unwrap();
    let fresh = |subject: &str, ours| Record {
        scene: "sibenik".into(),
        subject: subject.into(),
        rays: "ao".into(),
        quantity: "expected".into(),
        theirs: "".into(),
        ours: Some(ours),
        source: NumberSource::Simulated,
        draws: None,
    };
    let made = vec![fresh("Titan, ALK12's", 400.0), fresh("Titan, improved", 500.0)];
    let all = formed::completed(exhibit, merged(stored(exhibit), made));
    let of = |subject| all.iter().find(|record| record.key() == ["sibenik", subject, "ao", "speedup"]).unwrap();
    assert_eq!((of("Titan").ours, &of("Titan").source), (Some(25.0), &NumberSource::Simulated));
    assert_eq!(of("Titan").theirs.text(), "19.0");
    // An H200 has measured rates, a GTX 480 neither those nor expected ones.
    let measured = |subject: &str| {
        all.iter().find(|record| record.key() == ["sibenik", subject, "ao", "measured"]).unwrap().ours.unwrap()
    };
    let gain = 100.0 * (measured("NVIDIA H200, improved") / measured("NVIDIA H200, ALK12's") - 1.0);
    assert!((of("NVIDIA H200").ours.unwrap() - gain).abs() < 1e-9);
    assert_eq!(of("GTX 480").ours, None);
}

#[test]
fn gains_that_are_stored_follow_from_the_rates_beside_them_and_have_intervals() {
    let mut count = 0;
    for exhibit in all() {
        let Some(Formed::Gains { of: gains, .. }) = exhibit.formed else { continue };
        let own = record::read(exhibit.stored).unwrap();
        // Without those that are stored, all are made of rates.
        let is_gain = |record: &&Record| gains.iter().any(|(key, _)| record.quantity == *key);
        let rates: Vec<Record> = own.iter().filter(|record| !is_gain(record)).cloned().collect();
        let made = formed::completed(exhibit, rates);
        for record in own.iter().filter(is_gain).filter(|record| record.ours.is_some()) {
            let of = made.iter().find(|other| other.key() == record.key()).and_then(|other| other.ours);
            let off = of.unwrap() - record.ours.unwrap();
            assert!(off.abs() < 0.002, "{:?}: stored {:?}, by the rates {of:?}", record.key(), record.ours);
        }
        let simulated = |quantity: &str| gains[0].0 == quantity;
        for gain in stored(exhibit).iter().filter(|record| simulated(&record.quantity) && record.ours.is_some()) {
            let NumberSource::Recorded(source) = &gain.source else { continue };
            assert_eq!(gain.half().is_some(), source.starts_with("simulated"), "{:?}", gain.key());
            count += usize::from(gain.half().is_some());
        }
    }
    assert!(count >= 54, "{count}");
}

#[test]
fn every_interval_holds_the_mean_of_its_samples() {
    let mut count = 0;
    for exhibit in all() {
        let records = stored(exhibit);
        for record in records.iter().filter(|record| record.draws.is_some()) {
            let (ours, numbers) = (record.ours.unwrap(), record.draws.as_ref().unwrap().numbers());
            let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
            let half = record.half().unwrap();
            assert!((mean - ours).abs() <= half, "{} {:?}: {ours} +-{half}, mean {mean}", exhibit.name, record.key());
            count += 1;
        }
    }
    assert!(count >= 1000, "{count}");
    // A launch of a fifth of the rays ends otherwise: these five are all below the number of the whole sample.
    let records = stored(find(Paper::Alk12, "table1").unwrap());
    let key = ["san_miguel", "GTX 480", "ao", "bound"];
    let record = records.iter().find(|record| record.key() == key).unwrap();
    assert!((record.half().unwrap() - 19.2).abs() < 0.1, "{record:?}");
}

/// Returns the text of a statement.
fn said(paper: Paper, name: &str) -> String {
    let finding = statements(paper).iter().find(|row| row.name == name).expect("it is a row");
    finding_document(&judge(paper, finding, None)).text(Room::Any)
}

#[test]
fn a_cell_that_the_rule_leaves_out_says_what_its_interval_says() {
    // 2.91 +-0.12 is surely above 1, but half of its interval is wider than 2 points.
    let text = said(Paper::Al09, "per-ray-beats-packets");
    assert!(text.contains("rule 7 leaves out all 3 cells (3 that surely hold)\n"), "{text}");
    assert!(text.contains("left out; surely yes"), "{text}");
    let text = said(Paper::Al09, "one-lane");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("; rule 7 leaves out 2 of"), "{text}");
    let text = said(Paper::Al09, "slowest-warps");
    assert!(text.contains("rule 7 leaves out all 6 cells (1 that surely fails)\n"), "{text}");
    assert!(text.contains("left out; surely no"), "{text}");
    assert!(text.contains("our sample does not say"), "{text}");
}

#[test]
fn no_distance_is_a_part_of_nothing() {
    for paper in Paper::ALL {
        for finding in statements(paper) {
            let text = said(paper, &finding.name);
            let has = |word: &str| text.split_whitespace().any(|own| own.trim_start_matches(['+', '-']) == word);
            assert!(!has("inf") && !has("NaN"), "{text}");
        }
        for exhibit in of(paper) {
            let text = exhibit_document(exhibit, &stored(exhibit), &[]).text(Room::Any);
            assert!(!text.split_whitespace().any(|word| ["inf", "+inf", "NaN"].contains(&word)), "{text}");
        }
    }
    let text = said(Paper::W11, "naive-spills");
    assert!(text.contains("28 above") && text.contains("968 above"), "{text}");
}

#[test]
fn a_measured_rate_that_is_not_there_is_in_no_run() {
    let table1 = find(Paper::Alk12, "table1").unwrap();
    let records = stored(table1);
    let measured = |record: &&Record| record.scene == "san_miguel" && record.quantity == "measured";
    assert!(records.iter().filter(measured).all(|record| record.ours.is_none()));
    let words = "an H200's measured rates of san_miguel are not there: no recorded run traced the paper's rays in it";
    let text = exhibit_document(table1, &records, &[]).text(Room::Any);
    assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "{text}");
    // What runs have of the scene is of other rays.
    let runs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/runs");
    let mut seen = 0;
    for run in std::fs::read_dir(runs).unwrap().filter_map(|run| std::fs::read_dir(run.ok()?.path()).ok()).flatten() {
        let path = run.unwrap().path();
        let text =
            if path.extension().is_some_and(|end| end == "csv") { std::fs::read_to_string(&path) } else { continue };
        for line in text.unwrap().lines().filter(|line| line.starts_with("san_miguel,")) {
            assert!(line.starts_with("san_miguel,raywarp,"), "{}: {line}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn every_scene_that_is_closed_counts() {
    let finding = statements(Paper::W11).iter().find(|row| row.name == "closed-scenes").unwrap();
    let row = judge(Paper::W11, finding, None);
    let failing: Vec<_> = row.cells.iter().filter(|cell| cell.holds == Some(false)).collect();
    assert_eq!((row.cells.len(), failing.len(), row.status), (6, 1, Outcome::NotReproduced));
    assert!(failing[0].of.starts_with("bathroom2, ") && (failing[0].ours - 41.31).abs() < 0.01, "{failing:?}");
}

#[test]
fn speedups_of_san_miguel_are_of_expected_rates_and_say_so() {
    let table2 = find(Paper::G14, "table2").unwrap();
    let records = stored(table2);
    let of = |subject: &str, quantity| {
        records.iter().find(|record| record.key() == ["san_miguel", subject, "ao", quantity]).and_then(|own| own.ours)
    };
    let rates = ["NVIDIA H200, improved", "NVIDIA H200, ALK12's"];
    assert_eq!(rates.map(|subject| of(subject, "measured")), [None, None]);
    let [after, before] = rates.map(|subject| of(subject, "expected").unwrap());
    assert!((of("NVIDIA H200", "speedup").unwrap() - 100.0 * (after / before - 1.0)).abs() < 1e-9);
    let text = exhibit_document(table2, &records, &[]).text(Room::Any);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "an H200's measured rates of san_miguel are not there: no recorded run traced the paper's rays in it",
        "quotients of expected rates on GPUs of the paper and in san_miguel, and of measured ones elsewhere",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn persistent_threads_gain_what_the_rates_of_al09s_table_say() {
    let [rates, gains] =
        [(Paper::Al09, "table1"), (Paper::Alk12, "table2")].map(|(paper, name)| stored(find(paper, name).unwrap()));
    let ours = |records: &[Record], key: [&str; 4]| {
        records.iter().find(|record| record.key() == key).and_then(|record| record.ours).unwrap()
    };
    for rays in ["primary", "ao", "diffuse"] {
        let quotients = ["sibenik", "conference"].map(|scene| {
            let [after, before] = ["persistent while-while", "while-while"]
                .map(|subject| ours(&rates, [scene, subject, rays, "measured"]));
            let gain = ours(&gains, [scene, "persistent threads", rays, "gain"]);
            // Rates of that table have a digit behind the point.
            assert!((gain - 100.0 * (after / before - 1.0)).abs() < 0.005, "{scene}, {rays}: {gain}");
            after / before
        });
        let both = ours(&gains, ["sibenik and conference", "persistent threads", rays, "gain"]);
        assert!((both - 100.0 * ((quotients[0] * quotients[1]).sqrt() - 1.0)).abs() < 0.005, "{rays}: {both}");
    }
}

#[test]
fn the_kernel_that_others_are_divided_by_has_a_quotient_of_one() {
    let wide = stored(find(Paper::Al09, "wide").unwrap());
    let own = |record: &&Record| record.subject == "binary tree" && record.quantity == "of binary";
    assert_eq!(wide.iter().filter(own).map(|record| record.ours).collect::<Vec<_>>(), [Some(1.0); 9]);
    // It is no cell of what is said of the others.
    let finding = statements(Paper::Al09).iter().find(|row| row.name == "shared-rays-slower").unwrap();
    assert_eq!(judge(Paper::Al09, finding, None).cells.len(), 24);
}

#[test]
fn every_quantity_has_a_unit_and_titles_name_no_column_that_is_not_there() {
    for quantity in all().flat_map(|exhibit| exhibit.parts).flat_map(|part| part.quantities) {
        assert!(!quantity.unit.is_empty(), "{}", quantity.key);
    }
    let exhibit = find(Paper::G14, "table2").unwrap();
    let text = exhibit_document(exhibit, &stored(exhibit), &[]).text(Room::Any);
    assert!(text.contains("fairy: Mrays/s, measured\n"), "{text}");
    assert!(text.contains("conference: Mrays/s, measured, expected, the lowest bound\n"), "{text}");
}

/// Returns the cells of a statement by the records of AL09's Table 1 in which if-if's simulated rates are `ours` and
/// have the samples `draws`, and while-while's are 100 by all.
fn judged_rates(name: &str, ours: f64, draws: [f64; 5]) -> Vec<JudgedCell> {
    let finding = statements(Paper::Al09).iter().find(|row| row.name == name).expect("it is a row");
    let mut fresh = stored(find(Paper::Al09, "table1").unwrap());
    for record in fresh.iter_mut().filter(|record| record.quantity == "simulated") {
        match record.subject.as_str() {
            "if-if" => (record.ours, record.draws) = (Some(ours), Draws::new(&draws, ours)),
            "while-while" => (record.ours, record.draws) = (Some(100.0), Draws::new(&[100.0; 5], 100.0)),
            _ => {}
        }
    }
    judge(Paper::Al09, finding, Some(("table1", &fresh))).cells
}

#[test]
fn a_gain_of_two_rates_is_judged_by_what_each_sample_says() {
    // The paper's are -22.4, -18.1 and -13.4 %.
    let sure = judged_rates("if-if-slower", 82.0, [81.0, 82.0, 83.0, 82.0, 82.0]);
    assert_eq!(sure.iter().map(|cell| cell.holds).collect::<Vec<_>>(), [Some(true); 3]);
    assert!((sure[0].half.unwrap() - 2.776 * (0.5_f64 / 5.0).sqrt()).abs() < 1e-9, "{:?}", sure[0]);
    let unsure = judged_rates("if-if-slower", 82.0, [70.0, 94.0, 82.0, 76.0, 88.0]);
    assert_eq!(unsure.iter().map(|cell| cell.holds).collect::<Vec<_>>(), [None; 3]);
}
