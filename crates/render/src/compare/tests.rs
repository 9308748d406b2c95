use super::*;
use crate::film::Crop;
use crate::output::{Content, LayerChannel};
use raywarp_testing::Random;

/// Returns a test picture of numbers that depend on the pixel, times `scale`.
fn picture(size: [u32; 2], scale: f32) -> PictureFile {
    let colour = Window::all(size).places().map(|[x, y]| {
        let value = scale * (0.1 + (x * 7 + y * 3) as f32 / 50.0);
        [value, 0.5 * value, 2.0 * value]
    });
    PictureFile {
        path: "a.exr".into(),
        window: Window::all(size),
        colour: colour.collect(),
        alpha: None,
        layers: Vec::new(),
        content: Content::default(),
        from_srgb8: false,
        comments: String::new(),
        notes: Vec::new(),
    }
}

fn layer(picture: &mut PictureFile, name: &str, value: impl Fn(usize) -> f32) {
    let values = (0..picture.colour.len()).map(value).collect();
    picture.layers.push(LayerChannel { name: name.into(), values });
}

/// Returns a grey test picture of means of `samples` uniform numbers times `level`, with the variance stated.
fn noisy(seed: u64, samples: u32, level: f64) -> PictureFile {
    let mut picture = picture([64, 48], 1.0);
    let (mut variances, mut random) = (Vec::new(), Random::new(seed));
    for colour in &mut picture.colour {
        let values: Vec<f64> = (0..samples).map(|_| level * random.unit_f64()).collect();
        let mean = values.iter().sum::<f64>() / f64::from(samples);
        let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
        variances.push((squares / f64::from(samples - 1) / f64::from(samples)) as f32);
        *colour = [mean as f32; 3];
    }
    layer(&mut picture, "variance", |i| variances[i]);
    picture
}

#[test]
fn equal_pictures_are_no_distance_apart() {
    let a = picture([20, 10], 1.0);
    let c = compare(&a, &a.clone()).unwrap();
    assert!(c.are_equal() && c.farthest.is_none() && c.relative_error() == 0.0);
    assert_eq!((c.colour.mse, c.relative_mse, c.colour.largest, c.different), (0.0, 0.0, 0.0, 0));
}

#[test]
fn known_differences_give_known_numbers() {
    let a = picture([20, 10], 1.0);
    let mut b = a.clone();
    // Two channels of one pixel, by 0.3 and by -0.4, of 600 values.
    b.colour[47][0] -= 0.3;
    b.colour[47][2] += 0.4;
    let c = compare(&a, &b).unwrap();
    let near = |got: f64, want: f64| assert!((got / want - 1.0).abs() < 1e-5, "{got} {want}");
    near(c.colour.mse, 0.25 / 600.0);
    near(c.colour.rmse(), (0.25_f64 / 600.0).sqrt());
    near(c.colour.mean_absolute, 0.7 / 600.0);
    near(c.colour.largest, 0.4);
    near(c.relative_error(), c.colour.rmse() / c.colour.mean[1]);
    let square = |i: usize| f64::from(b.colour[47][i]).powi(2) + RELATIVE_EPSILON;
    near(c.relative_mse, (0.09 / square(0) + 0.16 / square(2)) / 600.0);
    assert_eq!((c.different, c.farthest.unwrap().pixel), (1, [7, 2]));
    assert_eq!(c.farthest.unwrap().colours, [a.colour[47], b.colour[47]]);
    near(f64::from(c.map[47]), 0.4);
}

#[test]
fn sizes_must_agree_but_for_parts_of_one_picture() {
    let whole = picture([20, 10], 1.0);
    let Err(CompareError::Sizes { a, b, .. }) = compare(&whole, &picture([10, 20], 1.0)) else {
        panic!("of two sizes")
    };
    assert_eq!([a, b], [[20, 10], [10, 20]].map(|size| Window::new(size, None).unwrap()));
    let part = |origin, size| whole.cut(Window::new([20, 10], Some(Crop { origin, size })).unwrap());
    let (left, right) = (part([0, 2], [8, 5]), part([6, 3], [14, 7]));
    for (a, b, pixels) in [(&left, &whole, 40), (&whole, &right, 98), (&left, &right, 2 * 4)] {
        let c = compare(a, b).unwrap();
        assert!(c.are_equal() && c.map.len() == pixels, "{}", c.window);
    }
    assert!(compare(&part([0, 0], [5, 5]), &part([9, 0], [5, 5])).is_err());
    // A place counts from the whole picture's corner.
    let mut other = right.clone();
    other.colour[1] = [9.0; 3];
    assert_eq!(compare(&whole, &other).unwrap().farthest.unwrap().pixel, [7, 3]);
}

#[test]
fn pixels_that_are_not_finite_are_left_out_and_counted() {
    let a = picture([20, 10], 1.0);
    let mut b = a.clone();
    b.colour[3][1] = f32::NAN;
    let c = compare(&a, &b).unwrap();
    assert_eq!((c.not_finite, c.different, c.colour.values), ([0, 1], 1, 597));
    assert!(c.map[3].is_nan() && c.colour.mse == 0.0 && c.relative_error().is_infinite());
    assert!(compare(&b, &b.clone()).unwrap().are_equal());
    b.colour.fill([f32::INFINITY; 3]);
    let all = compare(&a, &b).unwrap();
    assert_eq!((all.colour.values, all.farthest), (0, None));
}

#[test]
fn noise_explains_two_seeds_and_no_bias() {
    let a = noisy(1, 16, 1.0);
    let c = compare(&a, &noisy(77_777, 16, 1.0)).unwrap();
    let noise = c.noise.unwrap();
    assert!(noise.is_noise() && (noise.ratio - 1.0).abs() < 0.1 && noise.blocks == 48, "{noise:?}");
    // 3 % is a fifth of a pixel's standard error and more than one of a block, and eight of the mean.
    let biased = compare(&a, &noisy(77_777, 16, 1.03)).unwrap().noise.unwrap();
    assert!(!biased.is_noise() && biased.blocks_beyond <= 2, "{biased:?}");
    // One block alone that is too bright.
    let mut spot = noisy(77_777, 16, 1.0);
    for [x, y] in Window::all([64, 48]).places().filter(|p| p[0] / 8 == 3 && p[1] / 8 < 2) {
        spot.colour[(y * 64 + x) as usize] = spot.colour[(y * 64 + x) as usize].map(|c| c + 0.1);
    }
    let spot = compare(&a, &spot).unwrap().noise.unwrap();
    assert!(!spot.is_noise() && spot.blocks_beyond == 2 && spot.mean_apart < 4.0, "{spot:?}");
    assert_eq!(compare(&a, &picture([64, 48], 1.0)).unwrap().noise, None);
}

#[test]
fn bytes_have_a_peak_signal_to_noise_ratio() {
    let bytes = |value: u8| {
        let mut picture = picture([20, 10], 1.0);
        picture.colour.fill([raywarp_scene::srgb_to_linear(value); 3]);
        PictureFile { from_srgb8: true, ..picture }
    };
    let ratio = compare(&bytes(100), &bytes(110)).unwrap().psnr.unwrap();
    assert!((ratio - 20.0 * (255.0_f64 / 10.0).log10()).abs() < 1e-9, "{ratio}");
    assert_eq!(compare(&bytes(7), &bytes(7)).unwrap().psnr, Some(f64::INFINITY));
    assert_eq!(compare(&bytes(7), &picture([20, 10], 1.0)).unwrap().psnr, None);
}

#[test]
fn layers_and_alpha_are_compared_too() {
    let mut a = picture([20, 10], 1.0);
    let mut b = a.clone();
    layer(&mut a, "depth.Z", |i| if i < 50 { MISS_DEPTH } else { 4.0 });
    layer(&mut b, "depth.Z", |i| if i < 60 { MISS_DEPTH } else { 4.5 });
    layer(&mut b, "normal.X", |_| 1.0);
    b.alpha = Some(vec![0.75; 200]);
    let c = compare(&a, &b).unwrap();
    let [depth] = c.layers.as_slice() else { panic!("{:?}", c.layers) };
    assert_eq!((depth.name.as_str(), depth.in_one_only, depth.difference.values), ("depth", 10, 140));
    assert!((depth.difference.rmse() - 0.5).abs() < 1e-6);
    assert_eq!((c.alpha.unwrap().mean, c.different), ([1.0, 0.75], 200));
}
