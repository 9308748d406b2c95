//! A contact sheet of sample scenes: `cargo run --release -p raywarp --example sheet -- OUT.png`.
//!
//! Renders every scene of the list below that lies in the folder of scenes (`RAYWARP_SCENES`), small, with its name
//! under it. Options: `--free` takes only scenes whose licence lets pictures be shown, and prints their credits;
//! `--only WORD` takes those whose path has the word; `--width N` is the width of a picture (default 160);
//! `--spp FACTOR` multiplies the samples.

use raywarp::device::Plan;
use raywarp::render::output::{Look, Metadata, Rgb8, SheetCell, Tone, contact_sheet, write_rgb8};
use raywarp::render::{CameraRequest, Picture, PictureRequest, Prepared, RenderContext};
use raywarp::scene::LoadOptions;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A scene of the sheet.
struct Sample {
    /// From the folder of scenes.
    path: &'static str,
    name: &'static str,
    spp: u32,
    /// Whether it is made to be seen from its front, and has no camera.
    from_front: bool,
    /// Who made it and under which licence, where that allows its picture to be shown.
    credit: Option<&'static str>,
}

const fn sample(path: &'static str, name: &'static str, spp: u32, credit: Option<&'static str>) -> Sample {
    Sample { path, name, spp, from_front: false, credit }
}

const fn chart(path: &'static str, name: &'static str, spp: u32, credit: Option<&'static str>) -> Sample {
    Sample { path, name, spp, from_front: true, credit }
}

const BEVY: Option<&str> = Some("Bevy contributors, MIT or Apache-2.0");
const PLAYCANVAS: Option<&str> = Some("PlayCanvas, MIT");
const TRANSFORM: Option<&str> = Some("Don McCurdy, glTF Transform, MIT");
const PIPELINE: Option<&str> = Some("Cesium GS, gltf-pipeline, Apache-2.0");
const ANALYTICAL: Option<&str> = Some("Ed Mackey, Analytical Graphics, CC BY 4.0");
const OURS: Option<&str> = Some("made for Raywarp, CC0");

/// A licence that is not stated, or forbids commercial use, has no credit here.
const SAMPLES: &[Sample] = &[
    sample("gltf/DamagedHelmet.glb", "damagedhelmet", 128, None),
    sample("gltf/AnisotropyBarnLamp/AnisotropyBarnLamp.gltf", "anisotropybarnlamp", 128, None),
    chart("gltf/AttenuationTest.glb", "attenuationtest", 256, None),
    chart("gltf/ClearCoatTest.glb", "clearcoattest", 128, None),
    chart("gltf/TransmissionRoughnessTest.glb", "transmissionroughness", 256, None),
    chart("gltf/NormalTangentTest.glb", "normaltangenttest", 128, ANALYTICAL),
    chart("gltf/SpecularTest.glb", "speculartest", 128, ANALYTICAL),
    sample("gltf/CornellBox.glb", "cornellbox", 256, BEVY),
    sample("gltf/Lights.glb", "lights", 128, PLAYCANVAS),
    sample("gltf/geometry-camera-light.glb", "geometry-camera-light", 128, PLAYCANVAS),
    sample("gltf/TwoSidedPlane.glb", "twosidedplane", 128, PLAYCANVAS),
    sample("gltf/simple-instancing.glb", "simple-instancing", 128, PLAYCANVAS),
    sample("gltf/small/BoxMeshopt.glb", "boxmeshopt.glb", 128, TRANSFORM),
    sample("gltf/small/BoxMeshopt.gltf", "boxmeshopt.gltf", 128, TRANSFORM),
    sample("gltf/small/BoxTextured_glTF/BoxTextured.gltf", "boxtextured", 128, None),
    sample("gltf/small/BoxVertexColors.glb", "boxvertexcolors", 128, TRANSFORM),
    sample("gltf/small/Box_glTF-Binary/Box.glb", "box.glb", 128, TRANSFORM),
    sample("gltf/small/Box_glTF-Embedded/Box.gltf", "box.gltf", 128, TRANSFORM),
    sample("gltf/small/KHR_materials_transmission/KHR_materials_transmission.gltf", "transmission", 128, None),
    sample("gltf/small/TwoCubes.glb", "twocubes", 128, TRANSFORM),
    sample("gltf/small/meshopt-fallback/meshopt-fallback.gltf", "meshopt-fallback", 128, PIPELINE),
    sample("gltf/small/meshopt-no-fallback/meshopt-no-fallback.gltf", "meshopt-no-fallback", 128, PIPELINE),
    sample("gltf/small/multiple-boxes/multiple-boxes.gltf", "multiple-boxes", 128, PIPELINE),
    sample("gltf/small/triangle-without-indices/triangle-without-indices.gltf", "triangle", 128, PIPELINE),
    chart("loader_tests/gltf/feature_grid.glb", "feature-grid.glb", 256, OURS),
    chart("loader_tests/gltf/feature_grid.gltf", "feature-grid.gltf", 256, OURS),
    sample("loader_tests/pbrt/v3_features.pbrt", "v3-features.pbrt", 256, OURS),
    sample("loader_tests/pbrt/v4_features.pbrt", "v4-features.pbrt", 256, OURS),
    sample("killeroo/killeroo-simple.pbrt", "killeroo.pbrt", 128, None),
    sample("coffee/scene.pbrt", "coffee.pbrt", 256, Some("Coffee Maker by cekuhnen, CC BY 3.0")),
    sample("bmw_m6/bmw-m6.pbrt", "bmw-m6.pbrt", 128, Some("BMW M6 2006 by tyrant monkey, CC0")),
    sample("kitchen/scene.pbrt", "kitchen.pbrt", 256, Some("Country Kitchen by Jay-Artist, CC BY 3.0")),
    sample("bathroom2/scene.pbrt", "bathroom2.pbrt", 256, Some("Salle de bain by nacimus, CC BY 3.0")),
    sample("checks/sibenik-diffuse.pbrt", "sibenik-diffuse.pbrt", 128, None),
    sample("san_miguel/san_miguel.pbrt", "san-miguel.pbrt", 16, None),
];

/// What the command line asks for.
struct Arguments {
    out: PathBuf,
    scenes: PathBuf,
    free: bool,
    only: Option<String>,
    width: u32,
    spp_factor: f32,
}

fn parse() -> Result<Arguments, String> {
    let scenes = std::env::var_os("RAYWARP_SCENES").ok_or("set RAYWARP_SCENES to the folder of scenes")?;
    let mut arguments =
        Arguments { out: PathBuf::new(), scenes: scenes.into(), free: false, only: None, width: 160, spp_factor: 1.0 };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--free" => arguments.free = true,
            "--only" => arguments.only = Some(value()?),
            "--width" => arguments.width = number(&word, &value()?)?,
            "--spp" => arguments.spp_factor = number(&word, &value()?)?,
            out if arguments.out.as_os_str().is_empty() && !out.starts_with('-') => arguments.out = out.into(),
            _ => {
                return Err(format!("{word}: OUT.png [--free] [--only WORD] [--width N] [--spp FACTOR] is understood"));
            }
        }
    }
    if arguments.out.as_os_str().is_empty() {
        return Err("name a picture to write: sheet OUT.png".into());
    }
    if !(16..=2048).contains(&arguments.width) || arguments.spp_factor.is_nan() || arguments.spp_factor <= 0.0 {
        return Err("--width is 16 to 2048, --spp above 0".into());
    }
    Ok(arguments)
}

fn number<T: std::str::FromStr>(option: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{option} {text}: not a number"))
}

/// The camera from straight before the scene's front that just sees all of it.
fn front(prepared: &Prepared) -> CameraRequest {
    const VFOV: f32 = 30.0;
    const TAN: f32 = 0.268;
    let bounds = prepared.bounds();
    let center = bounds.center();
    let half = |i: usize| 0.5 * (bounds.max[i] - bounds.min[i]);
    let distance = 1.05 * half(1).max(0.75 * half(0)) / TAN + half(2);
    CameraRequest {
        eye: Some(prepared.scene().in_file([center[0], center[1], center[2] + distance])),
        target: Some(prepared.scene().in_file(center)),
        vfov: Some(VFOV),
        ..CameraRequest::default()
    }
}

fn render(sample: &Sample, path: &Path, arguments: &Arguments) -> Result<Rgb8, String> {
    let loaded = raywarp::scene::load(path, &LoadOptions::default()).map_err(|error| error.to_string())?;
    for warning in &loaded.warnings {
        println!("  {warning}");
    }
    let mut prepared = Prepared::new(loaded.scene, &Plan::default()).map_err(|error| error.to_string())?;
    let camera = if sample.from_front && prepared.scene().cameras.is_empty() {
        front(&prepared)
    } else {
        CameraRequest::default()
    };
    let request = PictureRequest {
        size: Some([arguments.width, arguments.width * 3 / 4]),
        spp: Some(((sample.spp as f32 * arguments.spp_factor) as u32).max(1)),
        camera,
        ..PictureRequest::default()
    };
    let picture = Picture::settle(&mut prepared, &request).map_err(|error| error.to_string())?;
    for note in &picture.notes {
        println!("  {note}");
    }
    let rendered = prepared.render(&picture.camera, &picture.options, RenderContext::default());
    let film = rendered.map_err(|error| error.to_string())?.film;
    let look = Look { exposure: picture.exposure_of(&film), tone: Tone::Srgb };
    Ok(Rgb8 { size: film.size(), bytes: film.means().into_iter().flat_map(|c| look.to_srgb8(c)).collect() })
}

fn run() -> Result<bool, String> {
    let arguments = parse()?;
    let mut cells = Vec::new();
    let mut all_well = true;
    for sample in SAMPLES {
        if arguments.free && sample.credit.is_none()
            || arguments.only.as_ref().is_some_and(|w| !sample.path.contains(w))
        {
            continue;
        }
        let path = arguments.scenes.join(sample.path);
        if !path.is_file() {
            println!("{}: skipped, {} is not there", sample.name, path.display());
            continue;
        }
        println!("{}{}", sample.name, sample.credit.map_or(String::new(), |credit| format!(" ({credit})")));
        match render(sample, &path, &arguments) {
            Ok(picture) => cells.push(SheetCell { picture, name: sample.name.into() }),
            Err(error) => {
                all_well = false;
                println!("{}: {error}", sample.name);
            }
        }
    }
    let columns = (cells.len() as f64).sqrt().ceil() as u32;
    let sheet = contact_sheet(&cells, columns, 1);
    write_rgb8(&arguments.out, &sheet, &Metadata::default()).map_err(|error| error.to_string())?;
    println!("{} scenes on {}", cells.len(), arguments.out.display());
    Ok(all_well)
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
