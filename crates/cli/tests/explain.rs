//! `raywarp explain` as a user meets it.

use crate::common_folder::Folder;
use crate::common_report::elements;
use crate::common_scene::scattered;
use serde_json::Value;

/// Runs of a few rays at the scattered triangles.
const FEW: &str = "explain al09-while-while scattered.obj --size 64x48 --sample 3072 --rays-per-pixel 1 -q";

fn folder() -> Folder {
    Folder::with_files([("scattered.obj", scattered())])
}

/// Sum of a number over the lines or instructions of a kind of rays.
fn sum(of: &Value, rows: &str, key: &str) -> f64 {
    of[rows].as_array().unwrap().iter().map(|row| row[key].as_f64().unwrap()).sum()
}

#[test]
fn a_kernels_lines_have_all_of_its_instructions_and_all_of_the_time() {
    let document = folder().json(&format!("{FEW} --kind primary,ao"));
    assert_eq!(document["kinds"].as_array().unwrap().len(), 2);
    for (of, kind) in document["kinds"].as_array().unwrap().iter().zip(["primary", "ao"]) {
        assert_eq!(of["kind"], kind);
        let per_ray = of["instructions_per_ray"].as_f64().unwrap();
        for (rows, instructions) in [("lines", "instructions_per_ray"), ("instructions", "per_ray")] {
            assert!((sum(of, rows, instructions) / per_ray - 1.0).abs() < 1e-9, "{kind}: {rows}");
            assert!((sum(of, rows, "time_percent") - 100.0).abs() < 1e-6, "{kind}: {rows}");
        }
        // The hottest first; a load's result is waited for at a line of a box test, and the load is of the node.
        let times: Vec<f64> =
            of["lines"].as_array().unwrap().iter().map(|row| row["time_percent"].as_f64().unwrap()).collect();
        assert!(times.is_sorted_by(|a, b| a >= b), "{times:?}");
        let waits = of["lines"].as_array().unwrap().iter().flat_map(|row| row["waits_for"].as_array().unwrap());
        assert!(waits.into_iter().any(|wait| wait["line"].as_str().unwrap().starts_with("tree/bvh2.h:")));
        // An instruction has the lines that it was inlined through.
        let deep = |row: &Value| row["lines"].as_array().unwrap().len() >= 4;
        assert!(of["instructions"].as_array().unwrap().iter().any(deep));
    }
}

#[test]
fn a_text_fits_a_terminal_and_has_as_many_lines_as_are_asked_for() {
    let folder = folder();
    let text = folder.prints(&format!("{FEW} --kind diffuse --top 3"));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let rows = |text: &str| text.lines().filter(|line| line.contains(".h:") && !line.starts_with("    ")).count();
    assert_eq!(rows(&text), 3, "{text}");
    assert_eq!(rows(&folder.prints(&format!("{FEW} --kind diffuse --top 5"))), 5);
}

#[test]
fn a_page_has_the_source_and_a_table_all_lines() {
    let folder = folder();
    folder.succeeds(&format!("{FEW} --kind diffuse --report page.html --csv lines.csv"));
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(elements(&page).is_ok_and(|elements| elements.iter().any(|element| element == "code")));
    for wanted in ["const Span a = enter&lt;O&gt;(ray,", "class=\"hot\" style=\"background:", "tree/bvh2.h"] {
        assert!(page.contains(wanted), "{wanted}");
    }
    let table = std::fs::read_to_string(folder.path().join("lines.csv")).unwrap();
    let (head, rows) = table.split_once('\n').unwrap();
    assert!(head.starts_with("kind,line,time_percent,instructions_per_ray,"), "{head}");
    assert!(rows.lines().count() > 40 && rows.lines().all(|row| row.starts_with("diffuse,")), "{rows}");
    // What is no such table stays.
    folder.file("other.csv", "a,b\n1,2\n");
    folder.refuses(&format!("{FEW} --csv other.csv"), 5, &["other.csv"]);
    folder.refuses(&format!("{FEW} --csv scattered.obj"), 2, &["scattered.obj"]);
}

#[test]
fn samples_stand_beside_the_lines() {
    let folder = folder();
    let table = |offsets: &str, rays: u32| {
        format!(
            "scene,variant,kind,tree,rays,blocks,warp_instructions,ns,cycles,sampled\n\
             scattered,direct/while-while/bvh2,primary,sweep+0/8,{rays},24,1e6,1000,900,{offsets}\n"
        )
    };
    folder.file("run.csv", table("0:30 16:10", 3072));
    let document = folder.json(&format!("{FEW} --sampled run.csv"));
    let [of] = &document["kinds"].as_array().unwrap()[..] else { panic!("{document}") };
    assert!((sum(of, "instructions", "sampled_percent") - 100.0).abs() < 1e-9);
    assert_eq!(of["instructions"][0]["sampled_percent"], 75.0);
    assert!(of["beside_samples"]["mean_points"].as_f64().unwrap() > 5.0, "{}", of["beside_samples"]);
    // Other rays, another kernel, and more code than there is.
    folder.file("rays.csv", table("0:30", 99));
    folder.file("code.csv", table("1600000:30", 3072));
    folder.refuses(&format!("{FEW} --sampled rays.csv"), 2, &["99", "3072"]);
    folder.refuses(&format!("{FEW} --sampled code.csv"), 2, &["al09-while-while"]);
    folder.refuses(&format!("{FEW} --kind ao --sampled run.csv"), 3, &["run.csv", "scattered"]);
}

#[test]
fn machines_without_lines_and_wrong_names_are_refused() {
    let folder = folder();
    folder.refuses(&format!("{FEW} --machine rtx4090"), 2, &["al09-while-while", "8.9"]);
    folder.refuses(&format!("{FEW} --machine gtx480"), 2, &["al09-while-while", "GTX 480"]);
    folder.refuses(&format!("{FEW} --machine h300"), 2, &["h300"]);
    folder.refuses("explain no-kernel scattered.obj", 2, &["no-kernel"]);
}
