use super::*;
use rayon::prelude::*;
use raywarp_testing::Random;

fn gray(y: f32) -> SampleResult {
    SampleResult { radiance: [y; 3], ..Default::default() }
}

/// Returns pseudo-random sample values of any magnitude, in place of a path tracer's.
fn noise(pixel: [u32; 2], sample: u32) -> SampleResult {
    let mut random = Random::new([pixel[0], pixel[1], sample].into_iter().fold(0, |seed, n| seed << 20 | u64::from(n)));
    let mut next = || random.unit();
    SampleResult {
        radiance: [next() * 3.0, next() * next(), 1.0 / (next() + 1e-6)],
        albedo: [next(), next(), next()],
        normal: [next(), next(), next()],
        depth: (!sample.is_multiple_of(3)).then(&mut next),
    }
}

fn render(film: &mut Film, from: u32, to: u32) {
    film.tiles_mut().par_iter_mut().for_each(|tile| {
        for pixel in tile.pixels() {
            for sample in from..to {
                tile.add(pixel, &noise(pixel, sample));
            }
        }
    });
}

#[test]
fn threads_tiles_and_passes_do_not_change_a_bit() {
    let size = [70, 33];
    let mut whole = Film::with_tile(size, true, 64).unwrap();
    for pixel in whole.pixels() {
        for sample in 0..8 {
            whole.add(pixel, &noise(pixel, sample));
        }
    }
    for tile in [1, 7, 16, 64] {
        let mut film = Film::with_tile(size, true, tile).unwrap();
        for pass in [0..3, 3..4, 4..8] {
            render(&mut film, pass.start, pass.end);
        }
        for pixel in whole.pixels() {
            assert_eq!(film.sums(pixel), whole.sums(pixel), "tile {tile}, pixel {pixel:?}");
            assert_eq!(film.feature_sums(pixel), whole.feature_sums(pixel), "tile {tile}, pixel {pixel:?}");
        }
    }
}

#[test]
fn tiles_cover_every_pixel_once() {
    for size in [[1, 1], [64, 64], [65, 63], [300, 2], [1, 1000]] {
        let film = Film::new(size, false).unwrap();
        let mut seen = vec![0; film.pixel_count()];
        for [x, y] in film.tiles().iter().flat_map(Tile::pixels) {
            seen[(y * size[0] + x) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| n == 1), "{size:?}");
        assert!(film.tiles().iter().all(|t| t.size()[0] <= MAX_TILE && t.size()[1] <= MAX_TILE));
    }
}

#[test]
fn an_invalid_sample_counts_as_black() {
    let mut film = Film::new([2, 1], true).unwrap();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, LARGEST * 2.0] {
        film.add([1, 0], &SampleResult { radiance: [1.0, bad, 1.0], depth: Some(bad), ..Default::default() });
        film.add([1, 0], &SampleResult { albedo: [bad; 3], normal: [bad; 3], depth: Some(2.0), ..gray(1.0) });
    }
    assert_eq!(film.mean([1, 0]), [0.5; 3]);
    assert_eq!(film.invalid_samples(), 4);
    let features = film.feature_sums([1, 0]).unwrap();
    assert_eq!((features.albedo, features.normal), ([0.0; 3], [0.0; 3]));
    assert_eq!((features.depth, film.sums([1, 0]).hits), (8.0, 4));
}

#[test]
fn the_variance_of_the_mean_is_the_textbook_one() {
    let samples: Vec<f32> = (0..50).map(|i| ((i * 37) % 50) as f32).collect();
    let mut film = Film::new([1, 1], false).unwrap();
    assert_eq!(film.variance_of_mean([0, 0]), None);
    for &y in &samples {
        film.add([0, 0], &gray(y));
    }
    let mean = samples.iter().map(|&y| f64::from(y)).sum::<f64>() / 50.0;
    let want = samples.iter().map(|&y| (f64::from(y) - mean).powi(2)).sum::<f64>() / 49.0 / 50.0;
    let got = film.variance_of_mean([0, 0]).unwrap();
    assert!((got / want - 1.0).abs() < 1e-12, "{got} {want}");
}

#[test]
fn equal_samples_have_no_noise() {
    let mut film = Film::new([9, 5], false).unwrap();
    for pixel in film.pixels() {
        for _ in 0..7 {
            film.add(pixel, &gray(0.1 + pixel[0] as f32));
        }
    }
    assert!(film.noise() < 1e-7, "{}", film.noise());
}

#[test]
fn noise_falls_with_the_root_of_the_sample_count_and_ignores_exposure() {
    let coin = |scale: f32, samples: u32| {
        let mut film = Film::new([40, 40], false).unwrap();
        for pixel in film.pixels() {
            for sample in 0..samples {
                let y = noise(pixel, sample).albedo[0];
                film.add(pixel, &gray(scale * if y < 0.5 { 0.0 } else { 2.0 }));
            }
        }
        film
    };
    // Mean 1, variance 1: the relative error of n samples is 1 / sqrt(n), over 1.01 for the floor.
    for samples in [64, 256] {
        let film = coin(1.0, samples);
        let want = 1.0 / f64::from(samples).sqrt() / 1.01;
        assert!((film.noise() / want - 1.0).abs() < 0.05, "{samples}: {} {want}", film.noise());
        let mean = film.picture_mean();
        let error = mean.standard_error.unwrap();
        assert!((error * 40.0 * f64::from(samples).sqrt() - 1.0).abs() < 0.05, "{mean:?}");
        assert!((mean.luminance - 1.0).abs() < 5.0 * error, "{mean:?}");
    }
    assert_eq!(coin(1.0, 8).noise(), coin(1024.0, 8).noise());
}

#[test]
fn a_pixel_without_two_samples_keeps_the_noise_infinite() {
    let mut film = Film::new([2, 1], false).unwrap();
    assert_eq!(film.noise(), f64::INFINITY);
    for _ in 0..9 {
        film.add([0, 0], &gray(1.0));
    }
    film.add([1, 0], &gray(1.0));
    assert_eq!(film.noise(), f64::INFINITY);
    film.add([1, 0], &gray(1.0));
    assert_eq!(film.noise(), 0.0);
    assert_eq!(film.sample_range(), [2, 9]);
}

#[test]
fn a_black_picture_has_no_noise() {
    let mut film = Film::new([2, 2], false).unwrap();
    for pixel in film.pixels() {
        film.add(pixel, &gray(0.0));
        film.add(pixel, &gray(0.0));
    }
    assert_eq!(film.noise(), 0.0);
    assert_eq!(film.picture_mean().standard_error, Some(0.0));
}

#[test]
fn an_impossible_size_is_an_error() {
    assert_eq!(Film::new([0, 5], false), Err(FilmError::Empty(0, 5)));
    assert_eq!(Film::new([5, 0], true), Err(FilmError::Empty(5, 0)));
    assert_eq!(Film::new([u32::MAX, u32::MAX], true), Err(FilmError::TooLarge(u32::MAX, u32::MAX)));
}

#[test]
fn a_part_has_the_sums_of_the_whole_at_the_same_places() {
    let mut whole = Film::new([70, 33], true).unwrap();
    render(&mut whole, 0, 3);
    for crop in [Crop { origin: [0, 0], size: [1, 1] }, Crop { origin: [13, 5], size: [50, 28] }] {
        let mut part = Film::of(Window::new([70, 33], Some(crop)).unwrap(), true).unwrap();
        render(&mut part, 0, 3);
        assert_eq!(part.pixels().count(), part.pixel_count());
        for pixel in part.pixels() {
            assert_eq!(part.sums(pixel), whole.sums(pixel), "{pixel:?}");
            assert_eq!(part.feature_sums(pixel), whole.feature_sums(pixel), "{pixel:?}");
        }
        assert_eq!(part.pixels().next(), Some(crop.origin));
    }
}

#[test]
fn misses_lower_the_coverage_and_not_the_mean_of_hits() {
    let mut film = Film::new([2, 1], false).unwrap();
    for depth in [None, Some(4.0), Some(8.0), None] {
        let value = depth.unwrap_or(0.0);
        film.add([0, 0], &SampleResult { depth, ..gray(value) });
    }
    film.add([1, 0], &gray(3.0));
    assert_eq!((film.mean_of_hits([0, 0]), film.coverage([0, 0])), (Some([6.0; 3]), 0.5));
    assert_eq!((film.mean_of_hits([1, 0]), film.coverage([1, 0])), (None, 0.0));
}
