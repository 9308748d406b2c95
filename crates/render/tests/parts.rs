//! Parts of pictures, backgrounds that are left out, and distances at silhouettes.

use crate::common::{add, camera, options, quad, sphere, trace, try_trace};
use raywarp_render::film::Crop;
use raywarp_render::{Integrator, RenderError, RenderOptionError, RenderOptions};
use raywarp_scene::{Alpha, Description, FilterKind, Light, Material, ScalarInput};

/// A grey ball before a sky of 2, and beside it a sheet of which a quarter is there.
fn ball_and_veil() -> Description {
    let mut scene = Description { lights: vec![Light::uniform_environment([2.0; 3])], ..Description::default() };
    add(&mut scene, sphere([-1.2, 0.0, 0.0], 1.0, 6, true), Material::diffuse("ball", [0.7; 3]));
    let mut veil = Material::diffuse("veil", [0.5; 3]);
    veil.alpha = Alpha::Blend { alpha: ScalarInput::constant(0.25) };
    add(&mut scene, quad([0.5, -1.0, 0.0], [1.5, 0.0, 0.0], [0.0, 2.0, 0.0]), veil);
    scene
}

const SIZE: [u32; 2] = [30, 18];

#[test]
fn a_part_is_the_whole_bit_for_bit() {
    let (scene, camera) = (ball_and_veil(), camera([0.0, 0.5, 6.0], [0.0; 3], 30.0));
    for integrator in [Integrator::Path, Integrator::AmbientOcclusion { distance: 2.0 }, Integrator::Depth] {
        let whole = RenderOptions { integrator, features: true, ..options(SIZE, 3, 2) };
        let film = trace(&scene, &camera, &whole).film;
        for crop in [Crop { origin: [0, 0], size: [1, 1] }, Crop { origin: [9, 5], size: [20, 13] }] {
            let part = trace(&scene, &camera, &RenderOptions { crop: Some(crop), ..whole.clone() });
            assert_eq!((part.film.size(), part.paths), (crop.size, u64::from(crop.size[0] * crop.size[1] * 3)));
            for pixel in part.film.pixels() {
                assert_eq!(part.film.sums(pixel), film.sums(pixel), "{integrator:?}, {pixel:?}");
                assert_eq!(part.film.feature_sums(pixel), film.feature_sums(pixel), "{integrator:?}, {pixel:?}");
            }
        }
    }
}

#[test]
fn a_part_of_more_pixels_than_can_be_told_apart_is_refused() {
    let (scene, camera) = (ball_and_veil(), camera([0.0, 0.5, 6.0], [0.0; 3], 30.0));
    let crop = Some(Crop { origin: [65_530, 65_535], size: [6, 1] });
    // The last pixels whose numbers fit one word.
    let most = RenderOptions { crop, ..options([1 << 16, 1 << 16], 1, 1) };
    assert_eq!(trace(&scene, &camera, &most).paths, 6);
    let more = RenderOptions { size: [1 << 16, (1 << 16) + 1], ..most };
    let refused = RenderOptionError::TooManyPixels { width: 1 << 16, height: (1 << 16) + 1 };
    let error = try_trace(&scene, &camera, &more).unwrap_err();
    assert!(matches!(error, RenderError::Option(error) if error == refused), "{error}");
}

#[test]
fn a_background_that_is_left_out_lights_all_the_same() {
    let (scene, camera) = (ball_and_veil(), camera([0.0, 0.0, 6.0], [0.0; 3], 30.0));
    for integrator in [Integrator::Path, Integrator::AmbientOcclusion { distance: 0.5 }] {
        let with = RenderOptions { integrator, ..options(SIZE, 16, 3) };
        let sky = if integrator == Integrator::Path { 2.0 } else { 1.0 };
        let seen = trace(&scene, &camera, &with).film;
        let left_out = trace(&scene, &camera, &RenderOptions { transparent: true, ..with }).film;
        let mut between = 0;
        for pixel in seen.pixels() {
            let coverage = left_out.coverage(pixel);
            assert_eq!(coverage, seen.coverage(pixel));
            // What is before the sky, over the sky: the picture with it.
            let over = left_out.mean(pixel)[1] + (1.0 - coverage) * sky;
            assert!((over - seen.mean(pixel)[1]).abs() < 1e-5, "{integrator:?} {pixel:?}: {over}");
            between += u32::from(coverage > 0.0 && coverage < 1.0);
        }
        assert_eq!((left_out.coverage([0, 0]), left_out.mean([0, 0])), (0.0, [0.0; 3]));
        assert_eq!(left_out.coverage([8, 9]), 1.0);
        assert!(left_out.mean([8, 9])[0] > 0.3);
        // 48 pixels of the sheet, 768 samples: a standard error of 0.016.
        let veil =
            (6..12).flat_map(|y| (19..27).map(move |x| [x, y])).map(|p| left_out.coverage(p)).sum::<f32>() / 48.0;
        assert!((veil - 0.25).abs() < 0.065 && between > 50, "{veil}, {between}");
    }
}

#[test]
fn misses_do_not_pull_distances_down() {
    let (scene, camera) = (ball_and_veil(), camera([0.0, 0.0, 6.0], [0.0; 3], 30.0));
    for filter in [FilterKind::Box { radius: 0.5 }, FilterKind::Mitchell { radius: 2.0, b: 1.0 / 3.0, c: 1.0 / 3.0 }] {
        let options = RenderOptions { integrator: Integrator::Depth, filter, features: true, ..options(SIZE, 16, 0) };
        let film = trace(&scene, &camera, &options).film;
        let mut silhouettes = 0;
        for pixel in film.pixels() {
            let (hits, samples) = (film.sums(pixel).hits, film.sums(pixel).samples);
            silhouettes += u32::from(hits > 0 && hits < samples);
            match film.mean_of_hits(pixel) {
                None => assert_eq!(hits, 0),
                // The ball's front is at 4.9 or so and the farthest corner of the sheet at 6.4.
                Some([t, ..]) => assert!((4.8..6.5).contains(&t), "{pixel:?}: {t} of {hits} hits"),
            }
            // The picture and the layer are the same thing.
            let layer = film.feature_sums(pixel).unwrap().depth / f64::from(hits.max(1));
            assert_eq!(film.mean_of_hits(pixel).map_or(0.0, |t| t[0]), layer as f32);
        }
        assert!(silhouettes > 40, "{silhouettes}");
    }
}
