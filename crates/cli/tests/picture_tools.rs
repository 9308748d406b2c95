//! `convert`, `diff`, `render --crop`, `--transparent` and pictures of distances, as a user meets them.

use crate::common_folder::{Folder, text};
use std::path::Path;

/// A folder with a triangle, and a film of its own exposure of a ball before a sky.
fn folder() -> Folder {
    let film = "Film \"rgb\" \"integer xresolution\" 30 \"integer yresolution\" 20 \"float iso\" 250\n";
    let ball = format!(
        "{film}LookAt 0 0 5 0 0 0 0 1 0\nCamera \"perspective\" \"float fov\" 40\nWorldBegin\n\
         LightSource \"infinite\" \"rgb L\" [0.3 0.4 0.5]\nShape \"sphere\"\n"
    );
    Folder::with_files([("a.obj", "v 0 0 0\nv 1 0 -4\nv 0 1 0\nf 1 2 3\n"), ("ball.pbrt", &ball)])
}

/// The kind of a PNG's colours and its packed pixels: what is left without the texts.
fn pixels(folder: &Folder, name: &str) -> (u8, Vec<u8>) {
    let file = folder.read(name);
    let (mut at, mut packed) = (8, Vec::new());
    while at + 8 <= file.len() {
        let length = u32::from_be_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        if file[at + 4..at + 8] == *b"IDAT" {
            packed.extend(&file[at + 8..at + 8 + length]);
        }
        at += length + 12;
    }
    (file[25], packed)
}

#[test]
fn a_crop_has_the_pixels_of_the_whole() {
    let folder = folder();
    let line = folder.prints("render --size 64x48 --spp 4 --layers all -o whole.exr -o whole.png");
    assert!(line.starts_with("wrote whole.exr, whole.png: 64x48 (flag)"), "{line}");
    let line =
        folder.prints("render --size 64x48 --spp 4 --layers all --crop 20,7,31x30 -o part.exr -o part.png -o part.hdr");
    assert!(line.starts_with("wrote part.exr, part.png, part.hdr: 31x30 at 20,7 of 64x48 (flag)"), "{line}");
    let same = folder.json("diff part.exr whole.exr --within 0");
    assert_eq!((&same["equal"], &same["origin"], &same["size"]), (&true.into(), &[20, 7].into(), &[31, 30].into()));
    assert!(same["layers"].as_array().unwrap().iter().all(|layer| layer["largest"] == 0.0), "{same}");
    // The whole is toned as its part was.
    folder.prints("convert part.exr -o again.png");
    assert!(pixels(&folder, "again.png") == pixels(&folder, "part.png"));
    folder.refuses("render --size 64x48 --crop 40,0,25x10 -o a.png", 2, &["--crop", "40,0,25x10", "64x48"]);
    for crop in ["1,2,3", "0,0,0x5", "-1,0,5x5"] {
        folder.refuses(&format!("render --crop={crop} -o a.png"), 2, &["X,Y,WIDTHxHEIGHT"]);
    }
}

#[test]
fn shares_of_a_crop_add_up_and_different_parts_do_not() {
    let folder = folder();
    let base = "render ball.pbrt --transparent --layers depth";
    for (name, line) in [
        ("whole.exr", "--spp 6 --crop 9,4,8x8"),
        ("a.exr", "--samples 0..2 --crop 9,4,8x8"),
        ("b.exr", "--samples 2..6 --crop 9,4,8x8"),
        ("moved.exr", "--samples 2..6 --crop 9,5,8x8"),
        ("solid.exr", "--samples 2..6 --crop 9,4,8x8"),
    ] {
        let base = if name == "solid.exr" { base.replace("--transparent ", "") } else { base.to_owned() };
        folder.prints(&format!("{base} {line} -o {name}"));
    }
    assert!(folder.prints("merge a.exr b.exr -o ab.exr --layers depth").contains("8x8 at 9,4 of 30x20"));
    // Sums are rounded to 48 bits, so that a mean may be a last place off; coverage and places are exact.
    let apart = folder.json("diff ab.exr whole.exr --within 1e-6");
    assert_eq!((&apart["is_within"], &apart["alpha_rmse"]), (&true.into(), &0.0.into()), "{apart}");
    assert_eq!(apart["layers"][0]["in_one_only"], 0);
    folder.refuses("merge a.exr moved.exr -o x.exr", 3, &["a.exr", "moved.exr", "9,4", "9,5"]);
    folder.refuses("merge a.exr solid.exr -o x.exr", 3, &["a.exr", "solid.exr"]);
    folder.refuses("merge a.exr -o x.hdr", 2, &["x.hdr", ".png"]);
}

#[test]
fn a_transparent_picture_has_an_alpha_and_what_cannot_says_so() {
    let folder = folder();
    folder.prints("render ball.pbrt --spp 4 --transparent -o a.exr -o a.png");
    folder.prints("render ball.pbrt --spp 4 -o solid.exr -o solid.png");
    // Colour types of PNG: 6 has alpha, 2 has none.
    assert_eq!((pixels(&folder, "a.png").0, pixels(&folder, "solid.png").0), (6, 2));
    let apart = folder.json("diff a.exr solid.exr");
    assert!(apart["alpha_rmse"].as_f64().unwrap() > 0.1, "{apart}");
    // The sky is gone from the corner, and nothing else: the ball is as bright as it was.
    assert!(apart["largest"].as_f64().unwrap() < 0.51, "{apart}");
    let middle = folder.json("diff a.exr a.exr");
    assert!(middle["mean_a"][0].as_f64().unwrap() > 0.02, "{middle}");
    folder.prints("convert a.exr -o b.png");
    assert!(pixels(&folder, "b.png") == pixels(&folder, "a.png"));
    let noted = folder.run("convert a.exr -o a.hdr");
    assert!(noted.status.success() && text(&noted.stderr).starts_with("raywarp: "), "{}", text(&noted.stderr));
    for integrator in ["ao", "normal"] {
        folder.prints(&format!("render ball.pbrt --spp 4 --transparent --integrator {integrator} -o c.png"));
        assert_eq!(pixels(&folder, "c.png").0, 6, "{integrator}");
    }
    folder.refuses("render ball.pbrt --transparent -o d.hdr", 2, &["d.hdr", ".png", ".exr"]);
    folder.refuses("render ball.pbrt --transparent --integrator depth -o d.png", 2, &["--transparent", "ao", "normal"]);
}

#[test]
fn convert_writes_what_the_render_would_have() {
    let folder = folder();
    let look = "--tone agx --exposure 1";
    folder.prints(&format!("render ball.pbrt --spp 4 -o a.exr -o a.png -o a.hdr --layers all {look}"));
    folder.prints("render ball.pbrt --samples 0..4 -o share.exr");
    let line = folder.prints(&format!("convert a.exr -o b.png -o b.hdr -o b.exr {look}"));
    assert!(line.starts_with("wrote b.png, b.hdr, b.exr: 30x20, a.exr"), "{line}");
    assert!(pixels(&folder, "a.png") == pixels(&folder, "b.png") && folder.read("a.hdr") == folder.read("b.hdr"));
    folder.prints(&format!("merge share.exr -o m.png {look}"));
    folder.prints(&format!("convert share.exr -o c.png {look}"));
    folder.prints(&format!("convert b.exr -o d.png {look}"));
    for name in ["m.png", "c.png", "d.png"] {
        assert!(pixels(&folder, name) == pixels(&folder, "a.png"), "{name}");
    }
    folder.prints("convert a.exr -o plain.png");
    assert!(pixels(&folder, "plain.png") != pixels(&folder, "a.png"));
    assert_eq!(folder.json("diff a.exr b.exr --within 0")["equal"], true);
    for layer in ["albedo", "normal", "depth", "variance", "samples"] {
        folder.prints(&format!("convert a.exr --layer {layer} -o layer.png -o layer.exr"));
    }
    folder.refuses("convert a.exr --layer beauty -o x.png", 3, &["a.exr", "beauty", "albedo", "depth", "normal"]);
    folder.refuses("convert a.exr -o x.jpg", 2, &["x.jpg", ".png", ".exr", ".hdr"]);
    folder.refuses("convert a.exr", 2, &["--output"]);
    folder.refuses("convert a.exr -o none/x.png", 5, &["none"]);
    folder.refuses("convert a.obj -o x.png", 3, &["a.obj", "OBJ"]);
    folder.refuses("convert none.exr -o x.png", 3, &["none.exr"]);
    folder.refuses("convert . -o x.png", 3, &["folder"]);
    folder.file("cut.exr", &folder.read("a.exr")[..2000]);
    folder.refuses("convert cut.exr -o x.png", 3, &["cut.exr"]);
    let noted = folder.run("convert a.exr -o x.hdr --tone agx");
    assert!(["--exposure", "--tone"].iter().all(|flag| text(&noted.stderr).contains(flag)), "{}", text(&noted.stderr));
}

#[test]
fn every_integrator_converts_as_it_was_rendered_and_merges_so_too() {
    let folder = folder();
    for integrator in ["ao", "normal", "depth", "cost"] {
        folder.prints(&format!("render ball.pbrt --spp 4 --integrator {integrator} -o a.exr -o a.png"));
        folder.prints(&format!("render ball.pbrt --samples 0..4 --integrator {integrator} -o s.exr"));
        folder.prints("convert a.exr -o b.png");
        folder.prints("merge s.exr -o c.png");
        assert!(pixels(&folder, "b.png") == pixels(&folder, "a.png"), "{integrator}");
        assert!(pixels(&folder, "c.png") == pixels(&folder, "a.png"), "{integrator}");
    }
}

#[test]
fn distances_lie_between_the_nearest_and_the_farthest_hit() {
    let folder = folder();
    folder.prints("render ball.pbrt --spp 16 --integrator depth -o depth.exr");
    folder.prints("render ball.pbrt --spp 16 --layers depth -o layers.exr");
    folder.prints("convert layers.exr --layer depth -o layer.exr");
    // The integrator's picture is the layer, silhouettes too.
    assert_eq!(folder.json("diff depth.exr layer.exr")["equal"], true);
    // From 5 away, the unit ball's front is at 4 and its rim at sqrt(24); what misses says 1e10.
    let values = floats_of(&folder.at("depth.exr"));
    let there: Vec<f32> = values.iter().copied().filter(|&t| t < 1e9).collect();
    assert!(there.len() > 50 && values.len() > there.len());
    assert!(there.iter().all(|t| (3.99..4.91).contains(t)), "{there:?}");
    assert!(values.iter().all(|&t| t < 1e9 || t == 1e10));
}

/// The first channel of a picture.
fn floats_of(path: &Path) -> Vec<f32> {
    let picture = raywarp::render::output::read_picture(path).unwrap();
    picture.colour.iter().map(|c| c[0]).collect()
}

#[test]
fn diff_says_how_far_apart_and_ends_with_1_past_the_limit() {
    let folder = folder();
    folder.prints("render ball.pbrt --spp 16 --max-depth 1 -o a.exr -o a.png --layers all");
    folder.prints("render ball.pbrt --spp 16 --max-depth 1 --seed 5 -o b.exr -o b.png --layers all");
    let same = folder.prints("diff a.exr a.exr --within 0");
    assert!(same.contains("equal  ") && same.contains("within 0"), "{same}");
    let report = folder.prints("diff a.exr b.exr -o map.png");
    for line in ["RMSE ", "relative MSE", "(b^2 + 0.01)", "largest ", "normal "] {
        assert!(report.contains(line), "no {line} in {report}");
    }
    assert!(report.lines().all(|line| line.chars().count() <= 80), "{report}");
    assert_eq!(folder.read("map.png")[..4], *b"\x89PNG");
    let apart = folder.json("diff a.exr b.exr");
    let relative = apart["relative_rmse"].as_f64().unwrap();
    assert!(relative > 0.0 && apart["noise"]["is_noise"] == true && apart["psnr_db"].is_null(), "{apart}");
    let status = |limit: f64| folder.run(&format!("diff a.exr b.exr -q --within {limit}")).status.code();
    assert_eq!((status(relative * 1.001), status(relative * 0.999)), (Some(0), Some(1)));
    // Emission only: darker than noise explains.
    folder.prints("render ball.pbrt --spp 16 --max-depth 0 -o dark.exr --layers all");
    assert_eq!(folder.json("diff dark.exr a.exr")["noise"]["is_noise"], false);
    let bytes = folder.json("diff a.png b.png");
    assert!(bytes["psnr_db"].as_f64().unwrap() > 20.0, "{bytes}");
    let mixed = folder.run("diff a.png a.exr");
    assert!(mixed.status.success() && text(&mixed.stderr).starts_with("raywarp: a.png "), "{}", text(&mixed.stderr));
    folder.prints("render a.obj --size 8x8 --spp 1 -o small.exr");
    folder.refuses("diff a.exr small.exr", 3, &["a.exr", "30x20", "small.exr", "8x8"]);
    folder.refuses("diff a.exr b.exr -o map.exr", 2, &["map.exr", ".png"]);
    folder.refuses("diff a.exr b.exr --within -1", 2, &["--within", "from 0"]);
    folder.refuses("diff a.exr none.exr", 3, &["none.exr"]);
}
