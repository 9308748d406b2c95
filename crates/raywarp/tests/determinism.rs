//! The same picture, bit for bit, whatever the number of threads, the tile shares and the passes.

use crate::common::render;
use raywarp::device::Plan;
use raywarp::render::film::Film;
use raywarp::render::{PictureRequest, Prepared};
use raywarp::scene::SamplerKind;

fn film(prepared: &mut Prepared, threads: usize, samples: std::ops::Range<u32>, sampler: SamplerKind) -> Film {
    let request = PictureRequest {
        size: Some([75, 53]),
        samples: Some(samples),
        sampler: Some(sampler),
        features: true,
        threads,
        ..PictureRequest::default()
    };
    render(prepared, &request).film
}

fn prepared() -> Prepared {
    Prepared::new(raywarp::scene::default_scene(), &Plan::default()).unwrap()
}

#[test]
fn the_picture_does_not_depend_on_threads() {
    let mut scene = prepared();
    for sampler in [SamplerKind::Sobol, SamplerKind::PaddedHalton, SamplerKind::Xor32] {
        let one = film(&mut scene, 1, 0..6, sampler);
        for threads in [2, 3] {
            assert!(one == film(&mut scene, threads, 0..6, sampler), "{sampler:?} with {threads} threads");
        }
        assert!(one.picture_mean().luminance > 0.05, "the built-in scene is lit");
    }
}

#[test]
fn another_seed_or_range_gives_another_picture_of_the_same_mean() {
    let mut scene = prepared();
    let first = film(&mut scene, 0, 0..8, SamplerKind::Sobol);
    let second = film(&mut scene, 0, 8..16, SamplerKind::Sobol);
    assert!(first != second);
    let (a, b) = (first.picture_mean(), second.picture_mean());
    let error = a.standard_error.unwrap().hypot(b.standard_error.unwrap());
    assert!((a.luminance - b.luminance).abs() < 4.0 * error, "{} {} +- {error}", a.luminance, b.luminance);
}
