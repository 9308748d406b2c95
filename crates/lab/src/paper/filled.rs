//! Tests that cells of exhibits are filled where a run or another exhibit has their numbers, and with those.

use super::*;

#[test]
fn steps_of_compacted_warps_are_those_of_the_run_in_all_its_scenes() {
    let runs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/runs");
    let text = std::fs::read_to_string(runs.join("2026-11-21-xeon-2c/compaction.json")).unwrap();
    let run: serde_json::Value = serde_json::from_str(&text).unwrap();
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
            assert!((own.ours.unwrap() - steps(1) / steps(0)).abs() < 0.001, "{key:?}");
            seen += 1;
        }
    }
    assert_eq!((seen, records.iter().filter(|record| record.rays == "steps").count()), (63, 63));
}
