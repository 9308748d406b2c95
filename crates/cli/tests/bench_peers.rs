//! `raywarp bench --peers embree` as a user meets it, with Embree and without.

use crate::common_folder::{Folder, TRIANGLE, check_fails, document, text};
use raywarp_testing::{Reason, skip};
use std::process::Output;

const VIEWS: &str = "[[tri]]\neye = [0.2, 0.2, 2]\ntarget = [0.3, 0.3, 0]\nup = [0, 1, 0]\nvfov = 50\n";
const SMALL: &str = "--device cpu --scenes . --size 32x24 --runs 2 --threads 1";

fn folder() -> Folder {
    Folder::with_files([("tri.obj", TRIANGLE), ("views.toml", VIEWS)])
}

/// The command with Embree where the environment or the system has it. Where neither has, the test is noted as skipped.
fn with_embree(folder: &Folder, line: &str) -> Option<Output> {
    let output = folder.run(line);
    let said = text(&output.stderr);
    if output.status.code() == Some(4) && said.contains("embreex") {
        skip(Reason::Embree, said.trim());
        return None;
    }
    Some(output)
}

#[test]
fn a_library_that_is_not_there_is_said_with_how_to_get_it() {
    let folder = folder();
    let mut places = vec!["--embree nowhere/libembree4.so", "--embree views.toml"];
    // A folder without it.
    folder.file("empty/readme", "");
    places.push("--embree empty");
    for place in places {
        let output = folder.run(&format!("bench tri --peers embree {SMALL} {place}"));
        let library = place.split(' ').nth(1).unwrap();
        check_fails(&output, 4, &["--peers embree: ", library, "embreex", "RAYWARP_EMBREE"]);
    }
}

#[test]
fn the_variable_names_the_library_and_disturbs_nobody_else() {
    let folder = folder();
    let run = |line: &str, place: &str| {
        let output = folder.command(line).env("RAYWARP_EMBREE", place).output().unwrap();
        (output.status.code(), text(&output.stderr))
    };
    let (status, said) = run(&format!("bench tri --peers embree {SMALL}"), "from/variable.so");
    assert!(status == Some(4) && said.contains("from/variable.so"), "{said}");
    let (status, said) = run(&format!("bench tri --peers embree {SMALL} --embree from/option.so"), "from/variable.so");
    assert!(status == Some(4) && said.contains("from/option.so"), "{said}");
    let (status, said) = run(&format!("bench tri {SMALL} --warmup 0 --kind primary"), "from/variable.so");
    assert_eq!(status, Some(0), "{said}");
}

#[test]
fn what_is_not_for_peers_is_refused_before_anything_is_loaded() {
    let folder = folder();
    folder.refuses(&format!("bench tri --peers optix {SMALL}"), 2, &["embree"]);
    for option in ["--variant cpu", "--suite bar", "--trees good,best", "--csv out.csv", "--top 1", "--warmup 1"] {
        let name = option.split(' ').next().unwrap();
        folder.refuses(&format!("bench tri --peers embree {SMALL} {option}"), 2, &[name, "--peers"]);
    }
    folder.refuses("bench tri --peers embree --scenes . --device cuda", 2, &["--device cuda", "CPU"]);
    folder.refuses(&format!("bench tri {SMALL} --embree-fast"), 2, &["--peers"]);
    folder.refuses(&format!("bench tri --suite w11 --peers embree {SMALL}"), 2, &["--peers"]);
}

#[test]
fn both_sides_find_the_same_and_the_best_mode_is_named() {
    let folder = folder();
    let Some(output) = with_embree(&folder, &format!("bench tri --peers embree {SMALL} --embree-fast")) else { return };
    let (said, text) = (text(&output.stderr), text(&output.stdout));
    assert_eq!(output.status.code(), Some(0), "{said}{text}");
    assert!(text.contains("tri: 1 ") && text.contains(" 32 x 24, "), "{text}");
    assert!(text.contains("\nEmbree 4.") && text.lines().all(|line| line.len() <= 80), "{text}");
    for kind in ["primary  ", "primary fast ", "ao  ", "ao fast ", "diffuse  ", "diffuse fast "] {
        assert_eq!(text.lines().filter(|line| line.starts_with(kind)).count(), 1, "{kind}: {text}");
    }
    for mode in ["single, medium ", "16 coherent, high fast "] {
        assert!(text.lines().any(|line| line.starts_with(mode)), "{mode}: {text}");
    }
}

#[test]
fn a_ray_a_call_is_held_against_single_rays_alone() {
    let folder = folder();
    let modes = |count: u32| -> Option<Vec<u64>> {
        let line = format!("bench tri --peers embree {SMALL} --kind primary,ao --rays-per-call {count} --json -q");
        let document = document(&with_embree(&folder, &line)?);
        assert_eq!(document["pass"], true);
        let rows = document["scenes"][0]["rows"].as_array().unwrap().iter();
        let widths = rows.flat_map(|row| row["modes"].as_array().unwrap()).map(|mode| mode["rays_per_call"].as_u64());
        Some(widths.map(Option::unwrap).collect())
    };
    let Some(single) = modes(1) else { return };
    assert!(single.len() == 4 && single.iter().all(|&width| width == 1), "{single:?}");
    assert_eq!(modes(8).unwrap().len(), 20);
    folder.refuses(&format!("bench tri {SMALL} --rays-per-call 1"), 2, &["--peers"]);
}

#[test]
fn json_has_every_mode_with_its_agreement() {
    let folder = folder();
    let line = format!("bench tri --peers embree {SMALL} --kind ao,diffuse --json -q");
    let Some(output) = with_embree(&folder, &line) else { return };
    let said = text(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    let document = document(&output);
    assert_eq!((&document["pass"], &document["interrupted"]), (&true.into(), &false.into()));
    let scene = &document["scenes"][0];
    assert_eq!((&scene["threads"], &scene["raywarp"]["tree"]), (&1.into(), &"good".into()));
    let rows = scene["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["kind"], &rows[1]["kind"]), (2, &"ao".into(), &"diffuse".into()));
    for row in rows {
        let modes = row["modes"].as_array().unwrap();
        assert!(row["rounds"] == 2 && modes.len() == 10, "{row}");
        assert!(modes.iter().any(|mode| mode["mode"] == row["mode"]), "{row}");
        assert!(modes.iter().all(|mode| mode["pass"] == true && mode["robust"] == true), "{row}");
        let ratio = |name: &str| row["ratio"][name].as_f64().unwrap();
        assert!(0.0 < ratio("least") && ratio("least") <= ratio("median") && ratio("median") <= ratio("most"));
    }
}
