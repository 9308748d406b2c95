//! Golden pictures: small renders over all features, each looked at once and compared since.
//!
//! `cargo xtask figures` remakes them, and says which changed and by how much; look at them then. A failure names what
//! was rendered instead. `table.rs` has a row a picture; `comparison.rs` says what the tolerances mean.

mod comparison;
mod files;
mod lights;
mod materials;
mod stage;
mod surfaces;
mod table;
mod views;

use comparison::error;
use raywarp::device::Plan;
use raywarp::render::output::{
    Exposure, Look, Metadata, PictureFile, PictureOptions, Rgb8, SheetCell, Tone, contact_sheet, encode_srgb, heat_map,
    read_picture, write_film, write_rgb8,
};
use raywarp::render::{Picture, PictureRequest, Prepared, RenderContext};
use raywarp::scene::{Description, Emission, Image, Light, Material, Pixels, SpotFalloff, Texture, Wrap};
use std::path::{Path, PathBuf};
use table::Golden;

/// Set to `write` by `cargo xtask figures`.
const MODE: &str = "RAYWARP_GOLDEN";

fn golden_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/pictures").join(format!("{name}.png"))
}

/// Where what was rendered lies, for looking.
fn got_path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("golden");
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    folder.join(format!("{name}.png"))
}

fn read(path: &Path) -> Result<PictureFile, String> {
    read_picture(path).map_err(|error| error.to_string())
}

/// Renders a scene into a file. `nudge` moves the camera, relative to where it is.
fn render(scene: Description, request: &PictureRequest, nudge: f32, path: &Path) -> PictureFile {
    let mut prepared = Prepared::new(scene, &Plan::default()).expect("a scene of ours");
    let mut picture = Picture::settle(&mut prepared, request).expect("a request of ours");
    picture.camera.eye = picture.camera.eye.map(|c| c + nudge * c);
    let film = prepared.render(&picture.camera, &picture.options, RenderContext::default()).expect("a render").film;
    // A tone curve without a largest value: also what is brighter than white counts.
    let exposure = Exposure::factor(picture.exposure).expect("an exposure of ours");
    let look = Look { exposure, tone: Tone::Reinhard };
    let options = PictureOptions { look, content: picture.content(), ..PictureOptions::default() };
    write_film(path, &film, &options).unwrap_or_else(|error| panic!("{error}"));
    read(path).unwrap_or_else(|error| panic!("{error}"))
}

/// Renders a row; `label` is in the name of its file.
fn render_row(row: &Golden, label: &str) -> PictureFile {
    render((row.scene)(), &row.request(), 0.0, &got_path(&format!("{}{label}", row.name)))
}

fn row(name: &str) -> Golden {
    table::all().into_iter().find(|row| row.name == name).expect("a row")
}

/// Differences of each pixel as a heat map.
fn write_difference(name: &str, got: &PictureFile, want: &PictureFile) -> Option<PathBuf> {
    let path = got_path(&format!("{name}-difference"));
    let pairs = std::iter::zip(&got.colour, &want.colour);
    let apart: Vec<f32> =
        pairs.map(|(a, b)| std::iter::zip(a, b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)).collect();
    if got.window != want.window {
        return None;
    }
    write_rgb8(&path, &heat_map(&apart, got.window.size, 0.0, "difference"), &Metadata::default()).ok()?;
    Some(path)
}

/// All pictures, enlarged; of a heat map without its scale.
fn write_sheet(pictures: &[(&str, PictureFile)]) {
    let cell = |(name, picture): &(&str, PictureFile)| {
        let [width, height] = picture.window.size;
        let size = [width.min(table::SIZE[0]), height.min(56)];
        let rows = picture.colour.chunks_exact(width as usize).take(size[1] as usize);
        let bytes = rows.flat_map(|row| row[..size[0] as usize].as_flattened()).map(|&c| encode_srgb(c)).collect();
        SheetCell { picture: Rgb8 { size, bytes }, name: (*name).to_string() }
    };
    let cells: Vec<SheetCell> = pictures.iter().map(cell).collect();
    let path = got_path("sheet");
    write_rgb8(&path, &contact_sheet(&cells, 9, 3), &Metadata::default()).unwrap_or_else(|error| panic!("{error}"));
    println!("all of them, enlarged: {}", path.display());
}

/// What is wrong with a picture, for people to read.
fn fault(row: &Golden, got: &PictureFile) -> Option<String> {
    let want = match read(&golden_path(row.name)) {
        Ok(want) => want,
        Err(error) => return Some(format!("{error}; cargo xtask figures makes it")),
    };
    let off = error(got, &want);
    println!("{:<22} error {off:.6}, tolerance {}", row.name, row.tolerance);
    (off > row.tolerance).then(|| {
        let difference = write_difference(row.name, got, &want);
        let difference = difference.map_or(String::new(), |path| format!(", difference {}", path.display()));
        format!(
            "golden picture {}: error {off:.5}, tolerance {}; rendered {}, wanted {}{difference}",
            row.name,
            row.tolerance,
            got.path.display(),
            want.path.display()
        )
    })
}

/// Replaces golden pictures that are not the same, byte for byte of their pixels, and says by how much.
fn remake(row: &Golden, got: &PictureFile) {
    let path = golden_path(row.name);
    let what = match read(&path) {
        Ok(want) if want.colour == got.colour && want.alpha == got.alpha && want.window == got.window => return,
        Ok(want) => format!("changed by {:.6} (tolerance {})", error(got, &want), row.tolerance),
        Err(_) => "new".to_string(),
    };
    std::fs::copy(&got.path, &path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    println!("{}: {what}", row.name);
}

#[test]
fn pictures_are_those_that_were_looked_at() {
    let write = std::env::var_os(MODE).is_some_and(|mode| mode == "write");
    let pictures: Vec<(Golden, PictureFile)> = table::all()
        .into_iter()
        .map(|row| {
            let got = render_row(&row, "");
            (row, got)
        })
        .collect();
    let faults: Vec<String> = if write {
        pictures.iter().for_each(|(row, got)| remake(row, got));
        Vec::new()
    } else {
        pictures.iter().filter_map(|(row, got)| fault(row, got)).collect()
    };
    let count = pictures.len();
    let shown: Vec<(&str, PictureFile)> = pictures.into_iter().map(|(row, got)| (row.name, got)).collect();
    write_sheet(&shown);
    assert!(
        faults.is_empty(),
        "{} of {count} pictures differ; if that is meant, look at them and run cargo xtask figures\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn rows_and_files_are_the_same_set() {
    let mut rows: Vec<String> = table::all().iter().map(|row| format!("{}.png", row.name)).collect();
    rows.sort();
    if std::env::var_os(MODE).is_some() {
        return;
    }
    let folder = golden_path("").parent().expect("a folder").to_path_buf();
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<String> =
        files.map(|file| file.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    files.sort();
    assert_eq!(files, rows, "in {}", folder.display());
}

/// The scene of a row, changed: must be far beyond its tolerance.
#[track_caller]
fn check_plant(name: &str, what: &str, change: impl FnOnce(&mut Description)) {
    let row = row(name);
    let want = render_row(&row, &format!("-before-{what}"));
    let mut scene = (row.scene)();
    change(&mut scene);
    let got = render(scene, &row.request(), 0.0, &got_path(&format!("{name}-{what}")));
    let off = error(&got, &want);
    println!("{name}, {what}: error {off:.5}, {:.0} tolerances", off / row.tolerance);
    assert!(off > 20.0 * row.tolerance, "{name}, {what}: {off}");
}

#[test]
fn planted_differences_are_far_beyond_the_tolerance() {
    check_plant("light-spots", "falloff", |scene| {
        for light in &mut scene.lights {
            if let Light::Spot { falloff, .. } = light
                && *falloff == SpotFalloff::Pbrt4
            {
                *falloff = SpotFalloff::Gltf;
            }
        }
    });
    check_plant("normal-maps", "green", |scene| {
        let Image { pixels, .. } = &mut scene.images[0];
        if let Pixels::Linear8(texels) = &**pixels {
            *pixels = Pixels::Linear8(texels.iter().map(|&[r, g, b, a]| [r, 255 - g, b, a]).collect()).into();
        }
    });
    for name in ["light-panels", "glowing"] {
        check_plant(name, "emission", |scene| {
            let twice = |material: &mut Material| {
                let Some(Emission { radiance, .. }) = &mut material.emission else { return };
                radiance.factor = radiance.factor.map(|c| 2.0 * c);
            };
            scene.materials.iter_mut().for_each(twice);
        });
    }
    check_plant("wrap-modes", "wrap", |scene| {
        let mirrored =
            |texture: &&mut Texture| matches!(texture, Texture::Image { wrap, .. } if *wrap == [Wrap::Mirror; 2]);
        let texture = scene.textures.iter_mut().find(mirrored).expect("a mirrored image");
        if let Texture::Image { wrap, .. } = texture {
            *wrap = [Wrap::Repeat; 2];
        }
    });
}

/// How far cameras are moved, relative to their place: four roundings.
const NUDGE: f32 = 4.0 * f32::EPSILON;

/// See `comparison.rs`.
#[test]
fn tolerances_lie_between_rounding_and_noise() {
    let mut faults = Vec::new();
    for row in table::all() {
        let want = render_row(&row, "-same");
        let moved = render((row.scene)(), &row.request(), NUDGE, &got_path(&format!("{}-moved", row.name)));
        let request = PictureRequest { seed: table::SEED + 1, ..row.request() };
        let seed = render((row.scene)(), &request, 0.0, &got_path(&format!("{}-seed", row.name)));
        let [moved, seed] = [moved, seed].map(|picture| error(&picture, &want));
        println!("{:<22} moved {moved:.6}, another seed {seed:.5}", row.name);
        if moved > 0.5 * row.tolerance || seed < 10.0 * row.tolerance {
            faults.push(format!("{}: moved {moved}, another seed {seed}, tolerance {}", row.name, row.tolerance));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
