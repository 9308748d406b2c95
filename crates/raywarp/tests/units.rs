//! A picture does not depend on the unit of the scene, nor, as far as coordinates can tell, on where the scene lies: one scene
//! with a contact shadow, seen by one camera, in units of 1e-9 to 1e9 and up to 1e4 sizes from zero.

use raywarp::device::Plan;
use raywarp::render::{Picture, PictureNote, PictureRequest, Prepared, RenderContext};
use raywarp::scene::{LoadOptions, SamplerKind, load_from};
use std::fmt::Write;
use std::path::Path;

/// What is in a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Look {
    /// A plate close above a floor under a lamp of two triangles, with a mirror, a ball of tinted glass, a ball that shines
    /// and two lamps without a surface.
    All,
    /// The plate, the floor and the lamp.
    Shadow,
}

/// How coordinates are written: so many times as large, moved, and back again, rounded as `f32` rounds there.
#[derive(Debug, Clone, Copy)]
struct Place {
    scale: f64,
    shift: f64,
    back: bool,
}

impl Place {
    const HERE: Self = Self { scale: 1.0, shift: 0.0, back: false };

    fn point(&self, p: [f64; 3]) -> String {
        let shift = [0.7 * self.shift, self.shift, -0.4 * self.shift];
        let at = |i: usize| {
            let there = (p[i] + shift[i]) * self.scale;
            if self.back { f64::from(there as f32) - shift[i] * self.scale } else { there }
        };
        (0..3).map(|i| format!("{:e} ", at(i))).collect()
    }
}

/// A scene whose plate hovers so far above its floor.
fn scene(look: Look, gap: f64, place: Place) -> String {
    let scale = place.scale;
    let point = |p: [f64; 3]| place.point(p);
    // A file's placement of what it states around zero.
    let placed = |p: [f64; 3], shape: &str| format!("AttributeBegin Translate {} {shape} AttributeEnd\n", point(p));
    let quad = |[a, b, c, d]: [[f64; 3]; 4]| {
        format!(
            "Shape \"trianglemesh\" \"integer indices\" [0 1 2 0 2 3] \"point3 P\" [{} {} {} {}]\n",
            point(a),
            point(b),
            point(c),
            point(d)
        )
    };
    let flat =
        |x: [f64; 2], y: f64, z: [f64; 2]| quad([[x[0], y, z[0]], [x[0], y, z[1]], [x[1], y, z[1]], [x[1], y, z[0]]]);
    let mut text = format!(
        "LookAt {} {} 0 1 0 Camera \"perspective\" \"float fov\" 42\nWorldBegin\n",
        point([1.3, 0.9, 2.4]),
        point([0.0, 0.1, 0.0])
    );
    let grey = "Material \"diffuse\" \"rgb reflectance\" [.6 .6 .5]\n";
    text += &format!("{grey}{}", flat([-2.0, 2.0], 0.0, [-2.0, 2.0]));
    text += &format!("{grey}{}", flat([-0.9, -0.2], gap, [-0.3, 0.6]));
    let lamp = [[-0.8, 1.6, -0.5], [-0.2, 1.7, -0.5], [-0.2, 1.7, 0.4], [-0.8, 1.6, 0.4]];
    writeln!(text, "AttributeBegin AreaLightSource \"diffuse\" \"rgb L\" [6 5 4] {} AttributeEnd", quad(lamp)).unwrap();
    if look == Look::Shadow {
        return text;
    }
    let mirror = quad([[-1.2, 0.0, -0.9], [0.9, 0.0, -1.2], [0.9, 1.1, -1.2], [-1.2, 1.1, -0.9]]);
    text += &format!("Material \"conductor\" \"float roughness\" 0 \"rgb reflectance\" [.9 .9 .9] {mirror}");
    let absorbed = [0.2, 0.9, 2.0].map(|x| format!("{:e} ", x / scale)).concat();
    writeln!(
        text,
        "MakeNamedMedium \"tea\" \"string type\" \"homogeneous\" \"rgb sigma_a\" [{absorbed}] \"rgb sigma_s\" [0 0 0]"
    )
    .unwrap();
    let ball = |radius: f64| format!("Shape \"sphere\" \"float radius\" {:e}", radius * scale);
    let glass = format!("Material \"dielectric\" \"float eta\" 1.5 MediumInterface \"tea\" \"\" {}", ball(0.3));
    text += &placed([0.35, 0.302, 0.4], &glass);
    let shining = format!("AreaLightSource \"diffuse\" \"rgb L\" [9 9 12] {}", ball(0.06));
    text += &placed([0.8, 0.3, 0.9], &shining);
    let power = 0.3 * scale * scale;
    let at = |p: [f64; 3]| -> String { p.map(|x| format!("{:e} ", (x) * scale)).concat() };
    text += &placed(
        [-0.6, 0.3, 1.0],
        &format!("LightSource \"point\" \"rgb I\" [{power:e} {power:e} {power:e}] \"point3 from\" [{}]", at([0.0; 3])),
    );
    text += &placed(
        [0.2, 1.0, 1.0],
        &format!(
            "LightSource \"spot\" \"rgb I\" [{power:e} {power:e} 0] \"point3 from\" [{}] \"point3 to\" [{}]",
            at([0.0; 3]),
            at([0.1, -1.0, -0.4])
        ),
    );
    text
}

/// Pixels, what was said, and what the scene's coordinates are relative to.
struct Shown {
    origin: [f64; 3],
    pixels: Vec<[f32; 3]>,
    warnings: Vec<String>,
    notes: Vec<PictureNote>,
}

fn show(text: &str, seed: u32) -> Shown {
    let loaded = load_from(text.as_bytes(), Path::new("units.pbrt"), &LoadOptions::default()).unwrap();
    let warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    let origin = loaded.scene.origin;
    let mut prepared = Prepared::new(loaded.scene, &Plan::default()).unwrap();
    let request = PictureRequest {
        size: Some([64, 48]),
        spp: Some(64),
        max_depth: Some(6),
        sampler: Some(SamplerKind::Sobol),
        seed,
        ..PictureRequest::default()
    };
    let picture = Picture::settle(&mut prepared, &request).unwrap();
    let rendered = prepared.render(&picture.camera, &picture.options, RenderContext::default()).unwrap();
    assert_eq!(rendered.film.invalid_samples(), 0);
    Shown { origin, pixels: rendered.film.means(), warnings, notes: picture.notes }
}

/// Root of the mean square of differences, in parts of the mean of `want`.
fn error(got: &Shown, want: &Shown) -> f64 {
    let (got, want) = (got.pixels.as_flattened(), want.pixels.as_flattened());
    let mean = want.iter().map(|&x| f64::from(x)).sum::<f64>() / want.len() as f64;
    let squares = got.iter().zip(want).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum::<f64>();
    (squares / want.len() as f64).sqrt() / mean
}

const GAP: f64 = 0.01;

#[test]
fn powers_of_two_change_no_bit() {
    for look in [Look::Shadow, Look::All] {
        let want = show(&scene(look, GAP, Place::HERE), 0);
        for exponent in [-30, -20, -12, -1, 10, 20, 30] {
            let got = show(&scene(look, GAP, Place { scale: 2f64.powi(exponent), ..Place::HERE }), 0);
            let other = got.pixels.iter().zip(&want.pixels).filter(|(a, b)| a != b).count();
            assert_eq!(other, 0, "{look:?}, 2^{exponent}: pixels that differ; RMSE {:.2e}", error(&got, &want));
            assert_eq!((&got.warnings, &got.notes), (&want.warnings, &want.notes), "{look:?}, 2^{exponent}");
        }
    }
}

#[test]
fn the_picture_does_not_depend_on_the_unit() {
    for look in [Look::Shadow, Look::All] {
        let want = show(&scene(look, GAP, Place::HERE), 0);
        for scale in [1e-9, 1e-6, 3e-4, 1e-3, 1e3, 1e6, 1e9] {
            let got = show(&scene(look, GAP, Place { scale, ..Place::HERE }), 0);
            let error = error(&got, &want);
            println!("{look:?}, {scale:e}: {:.4} %", 100.0 * error);
            assert!(error < 0.001, "{look:?}, {scale:e}: {error}");
            assert_eq!((&got.warnings, &got.notes), (&want.warnings, &want.notes), "{look:?}, {scale:e}");
        }
    }
}

#[test]
fn nor_on_where_the_scene_lies() {
    // The same corners, as they are rounded there, around zero; a lamp whose corners rounding moves is sampled otherwise, so
    // what is asked is that the two differ by no more than two pictures with other random numbers do.
    for look in [Look::Shadow, Look::All] {
        for (scale, sizes) in [(1.0, 10.0), (1e-6, 100.0), (1.0, 1e3), (1e-9, 1e4), (1.0, 1e4), (1e6, 1e4)] {
            let place = Place { scale, shift: 4.0 * sizes, back: false };
            let [there, back] = [place, Place { back: true, ..place }].map(|place| scene(look, 0.1, place));
            let noise = [&there, &back].map(|text| error(&show(text, 0), &show(text, 1)));
            let noise = (0.5 * (noise[0] * noise[0] + noise[1] * noise[1])).sqrt();
            let error = error(&show(&there, 0), &show(&back, 0));
            println!("{look:?}, {scale:e}, {sizes} sizes: {:.3} %, noise {:.3} %", 100.0 * error, 100.0 * noise);
            assert!(error < noise + 0.01, "{look:?}, {scale:e}, {sizes} sizes: {error}, noise {noise}");
        }
    }
}

#[test]
fn nor_where_it_lies_so_far_that_it_gets_an_origin() {
    // Triangles in coordinates of the world beside balls, lamps and a camera that are placed.
    for look in [Look::Shadow, Look::All] {
        let want = show(&scene(look, GAP, Place::HERE), 0);
        assert_eq!(want.origin, [0.0; 3]);
        for (scale, sizes) in [(1.0, 1e6), (1e-3, 1e6), (1e3, 1e7)] {
            let got = show(&scene(look, GAP, Place { scale, shift: 4.0 * sizes, back: false }), 0);
            let error = error(&got, &want);
            println!("{look:?}, {scale:e}, {sizes} sizes, origin {:?}: {:.4} %", got.origin, 100.0 * error);
            assert_ne!(got.origin, [0.0; 3], "{look:?}, {scale:e}, {sizes} sizes");
            assert!(error < 0.01, "{look:?}, {scale:e}, {sizes} sizes: {error}");
            assert_eq!(
                (&got.warnings, &got.notes),
                (&want.warnings, &want.notes),
                "{look:?}, {scale:e}, {sizes} sizes"
            );
        }
    }
}
