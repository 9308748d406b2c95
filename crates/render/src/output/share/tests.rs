use super::file::parse;
use super::*;
use crate::film::SampleResult;
use crate::output::{Exposure, Layers, Metadata, PictureOptions, Shows, write_film};
use ::exr::prelude::{FlatSamples, read_first_flat_layer_from_file};
use raywarp_testing::{Folder, Random};

const SIZE: [u32; 2] = [19, 11];

/// Returns a pseudo-random sample with numbers of either sign and twenty powers of ten.
fn sample(pixel: [u32; 2], index: u32) -> SampleResult {
    let mut random = Random::new([pixel[0], pixel[1], index].into_iter().fold(0, |seed, n| seed << 20 | u64::from(n)));
    let mut next = || random.unit();
    SampleResult {
        radiance: [next(), next() * 1e-3, 10_f32.powf(next() * 20.0 - 10.0)],
        albedo: [next(), next(), next()],
        normal: [next() - 0.5, next() - 0.5, next() - 0.5],
        depth: (next() > 0.2).then(|| next() * 1e4),
    }
}

fn film(samples: Range<u32>, features: bool) -> Film {
    let mut film = Film::new(SIZE, features).unwrap();
    for pixel in film.pixels() {
        for index in samples.clone() {
            film.add(pixel, &sample(pixel, index));
        }
    }
    film
}

fn content() -> Content {
    Content { shows: Shows::Depth, transparent: true, film_exposure: Exposure::factor(2.5).unwrap() }
}

fn info(samples: Range<u32>) -> ShareInfo {
    ShareInfo { samples, seed: 7, fingerprint: "cornell-3fa9 64x64".into(), content: content() }
}

/// Returns a test share that was written to a file and read back.
fn share(samples: Range<u32>, features: bool) -> Share {
    let folder = Folder::new();
    let path = folder.path().join(format!("{}-{}.exr", samples.start, samples.end));
    write_share(&path, &film(samples.clone(), features), &info(samples), &Metadata::default()).unwrap();
    read_share(&path).unwrap()
}

fn file_of(film: &Film, info: &ShareInfo) -> Vec<u8> {
    let folder = Folder::new();
    let path = folder.at("a.exr");
    write_share(&path, film, info, &Metadata::default()).unwrap();
    std::fs::read(path).unwrap()
}

/// Returns the distance of two floats in units in the last place.
fn ulps(a: f32, b: f32) -> u64 {
    let order = |x: f32| {
        let bits = i64::from(x.to_bits() & 0x7FFF_FFFF);
        if x.is_sign_negative() { -bits } else { bits }
    };
    order(a).abs_diff(order(b))
}

#[test]
fn a_share_comes_back_from_its_file() {
    let whole = film(3..9, true);
    let read = share(3..9, true);
    assert_eq!(read.info, info(3..9));
    let close = |a: f64, b: f64| (a - b).abs() <= a.abs() * 2_f64.powi(-46);
    for pixel in whole.pixels() {
        let (a, b) = (whole.sums(pixel), read.film.sums(pixel));
        assert_eq!(a.samples, b.samples);
        assert!(a.radiance.iter().zip(b.radiance).all(|(a, b)| close(*a, b)));
        assert!(close(a.luminance_squared, b.luminance_squared));
        assert_eq!(a.hits, b.hits);
        let (a, b) = (whole.feature_sums(pixel).unwrap(), read.film.feature_sums(pixel).unwrap());
        assert!(close(a.depth, b.depth));
        for k in 0..3 {
            assert!(close(a.albedo[k], b.albedo[k]) && close(a.normal[k], b.normal[k]));
        }
    }
}

#[test]
fn sums_come_back_from_their_file_to_the_last_bit_and_go_on_as_if_they_had_never_left() {
    let folder = Folder::new();
    let path = folder.at("a.exr");
    for features in [false, true] {
        let options = PictureOptions { layers: Layers::ALL, ..PictureOptions::default() };
        write_film_and_sums(&path, &film(0..7, features), &options, &info(0..7)).unwrap();
        let Share { film: mut read, .. } = read_share(&path).unwrap();
        for pixel in read.pixels() {
            (7..40).for_each(|index| read.add(pixel, &sample(pixel, index)));
        }
        let whole = film(0..40, features);
        for pixel in whole.pixels() {
            assert_eq!(whole.sums(pixel).radiance.map(f64::to_bits), read.sums(pixel).radiance.map(f64::to_bits));
            assert_eq!(whole.feature_sums(pixel), read.feature_sums(pixel));
        }
        let [a, b] = [&whole, &read].map(Film::noise);
        assert!((a / b - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_picture_with_sums_shows_as_a_picture() {
    let folder = Folder::new();
    let [plain, with] = ["plain.exr", "with.exr"].map(|name| folder.at(name));
    let film = film(0..7, true);
    let options = PictureOptions { layers: Layers::ALL, ..PictureOptions::default() };
    write_film(&plain, &film, &options).unwrap();
    write_film_and_sums(&with, &film, &options, &info(0..7)).unwrap();
    let channels = |path: &Path| {
        let image = read_first_flat_layer_from_file(path).unwrap();
        let list = image.layer_data.channel_data.list.into_iter();
        list.map(|channel| (channel.name.to_string(), channel.sample_data)).collect::<Vec<_>>()
    };
    let with = channels(&with);
    for (name, values) in channels(&plain) {
        let found = with.iter().find(|(other, _)| *other == name).unwrap_or_else(|| panic!("{name} is missing"));
        // The share has them as whole numbers.
        if name == "samples" {
            assert!(matches!(&found.1, FlatSamples::U32(counts) if counts.iter().all(|&count| count == 7)));
        } else {
            assert_eq!(found.1, values, "{name}");
        }
    }
}

#[test]
fn a_share_without_the_last_bits_is_a_share() {
    // As in files of two floats a sum: to a reader the third has a name of no meaning.
    let mut bytes = file_of(&film(3..9, true), &info(3..9));
    for at in 0..bytes.len() - 5 {
        if bytes[at..].starts_with(b"rest.") {
            bytes[at..at + 4].copy_from_slice(b"rfst");
        }
    }
    let (whole, read) = (film(3..9, true), parse(Path::new("old.exr"), &bytes).unwrap().film);
    let close = |a: f64, b: f64| (a / b - 1.0).abs() <= 2_f64.powi(-46);
    assert!(whole.pixels().all(|p| close(whole.sums(p).radiance[2], read.sums(p).radiance[2])));
    assert_ne!(whole, read, "all 53 bits in 48");
}

#[test]
fn merged_shares_are_the_whole_within_one_ulp_in_any_order() {
    for features in [false, true] {
        let whole = film(0..40, features);
        let shares = [0..1, 1..2, 2..13, 13..14, 14..40].map(|r| share(r, features));
        let mut first: Option<Film> = None;
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 3, 1]] {
            let merged = merge(order.iter().map(|&i| shares[i].clone()).collect()).unwrap();
            assert_eq!(merged.info(), Some(info(0..40)));
            for pixel in whole.pixels() {
                for k in 0..3 {
                    let (a, b) = (whole.mean(pixel)[k], merged.film.mean(pixel)[k]);
                    assert!(ulps(a, b) <= 1, "{pixel:?}: {a} {b}");
                    assert_eq!(whole.coverage(pixel), merged.film.coverage(pixel));
                    if let (Some(a), Some(b)) = (whole.feature_sums(pixel), merged.film.feature_sums(pixel)) {
                        assert!(ulps(a.albedo[k] as f32, b.albedo[k] as f32) <= 1);
                        assert!(ulps(a.depth as f32, b.depth as f32) <= 1);
                        // A sum of both signs may cancel: absolute, against the size of its terms.
                        assert!((a.normal[k] - b.normal[k]).abs() < 1e-12);
                    }
                }
                let (a, b) = (whole.variance_of_mean(pixel).unwrap(), merged.film.variance_of_mean(pixel).unwrap());
                assert!((a - b).abs() <= a * 1e-6, "{a} {b}");
            }
            assert_eq!(first.get_or_insert_with(|| merged.film.clone()), &merged.film, "order {order:?}");
        }
    }
}

#[test]
fn merging_twice_is_merging_once() {
    let part = merge(vec![share(4..6, true), share(0..4, true)]).unwrap();
    let part = Share { path: "part.exr".into(), info: part.info().unwrap(), film: part.film };
    let all = merge(vec![share(6..9, true), part]).unwrap();
    assert_eq!(all.info(), Some(info(0..9)));
    let whole = film(0..9, true);
    assert!(whole.pixels().all(|p| (0..3).all(|k| ulps(whole.mean(p)[k], all.film.mean(p)[k]) <= 1)));
}

#[test]
fn a_gap_is_told() {
    let merged = merge(vec![share(8..9, false), share(2..3, false), share(3..5, false)]).unwrap();
    assert_eq!(merged.samples, [2..5, 8..9]);
    assert_eq!(merged.missing(), [0..2, 5..8]);
    assert_eq!(merged.info(), None);
}

#[test]
fn shares_of_different_renders_are_refused() {
    let base = || Share { path: "a.exr".into(), ..share(0..2, true) };
    let other = |change: &dyn Fn(&mut Share)| {
        let mut share = Share { path: "b.exr".into(), ..share(2..4, true) };
        change(&mut share);
        let error = merge(vec![base(), share]).unwrap_err();
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
        let ShareError::Different { paths, differences } = error else { panic!("{error:?}") };
        assert_eq!(*paths, ["a.exr", "b.exr"].map(PathBuf::from));
        differences
    };
    let one = |setting, a, b| vec![SettingDifference::new(setting, a, b)];
    let fingerprint = other(&|s| s.info.fingerprint = "other".into());
    assert_eq!(fingerprint, one("fingerprints", "cornell-3fa9 64x64", "other"));
    assert_eq!(other(&|s| s.info.seed = 8), one("seeds", "7", "8"));
    assert_eq!(other(&|s| s.film = Film::new([4, 4], true).unwrap()), one("sizes", "19x11", "4x4"));
    let part = crate::film::Window { whole: [40, 40], origin: [3, 0], size: SIZE };
    let crop = other(&|s| s.film = Film::of(part, true).unwrap());
    assert_eq!(crop, one("sizes", "19x11", "19x11 at 3,0 of 40x40"));
    assert_eq!(other(&|s| s.film = film(2..4, false)), one("layers", "albedo,normal,depth", "none"));
    for samples in [1..3, 0..2] {
        let share = Share { path: "b.exr".into(), ..share(0..2, true) };
        let twice = Share { info: ShareInfo { samples: samples.clone(), ..share.info.clone() }, ..share };
        let Err(ShareError::Overlap { paths, samples: both }) = merge(vec![base(), twice]) else {
            panic!("{samples:?}")
        };
        assert_eq!((*paths, both), (["a.exr", "b.exr"].map(PathBuf::from), samples.start..2));
    }
    assert!(matches!(merge(Vec::new()), Err(ShareError::NoShares)));
}

#[test]
fn invalid_samples_are_counted_through_files_and_merges() {
    let with_nan = |samples: Range<u32>| {
        let mut film = film(samples.clone(), false);
        film.tiles_mut()[0].add([0, 0], &SampleResult { radiance: [f32::NAN; 3], ..Default::default() });
        let info = info(samples.start..samples.end + 1);
        Share { path: "a.exr".into(), ..parse(Path::new("a.exr"), &file_of(&film, &info)).unwrap() }
    };
    assert_eq!(merge(vec![with_nan(0..3), with_nan(4..6)]).unwrap().film.invalid_samples(), 2);
}

#[test]
fn extreme_sums_survive() {
    let mut film = Film::new([3, 1], true).unwrap();
    for radiance in [crate::film::LARGEST, 1e-45] {
        let x = if radiance > 1.0 { 0 } else { 1 };
        for _ in 0..50 {
            film.add([x, 0], &SampleResult { radiance: [radiance; 3], depth: Some(radiance), ..Default::default() });
        }
    }
    let read = parse(Path::new("a.exr"), &file_of(&film, &info(0..50))).unwrap().film;
    for x in 0..3 {
        assert_eq!(read.mean([x, 0]), film.mean([x, 0]));
        assert_eq!(read.sums([x, 0]).samples, film.sums([x, 0]).samples);
    }
    assert_eq!(read.sums([0, 0]).hits, 50);
}

#[test]
fn a_finished_picture_is_no_share() {
    let folder = Folder::new();
    let at = |name: &str| folder.at(name);
    crate::output::write_film(&at("a.exr"), &film(0..2, true), &Default::default()).unwrap();
    std::fs::write(at("text.exr"), "not a picture").unwrap();
    std::fs::write(at("empty.exr"), "").unwrap();
    for name in ["a.exr", "text.exr", "empty.exr"] {
        let error = read_share(&at(name)).unwrap_err();
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
        assert!(matches!(&error, ShareError::NotAShare { path, .. } if *path == at(name)), "{error:?}");
    }
    assert!(matches!(read_share(&at("none.exr")), Err(ShareError::Read { .. })));
    assert!(matches!(read_share(folder.path()), Err(ShareError::Read { .. })));
}

#[test]
fn a_share_is_written_only_as_exr() {
    let folder = Folder::new();
    let path = folder.at("a.png");
    let result = write_share(&path, &film(0..1, false), &info(0..1), &Metadata::default());
    assert!(matches!(result, Err(OutputError::ShareFormat { .. })));
    assert!(matches!(can_write_share(&path), Err(OutputError::ShareFormat { .. })));
    can_write_share(&folder.at("a.exr")).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_fingerprint_cannot_forge_other_facts() {
    let odd = ShareInfo { fingerprint: "a\nseed=9\nsamples=0..99 é".into(), ..info(1..2) };
    let read = parse(Path::new("a.exr"), &file_of(&film(1..2, false), &odd)).unwrap();
    assert_eq!(read.info, ShareInfo { fingerprint: "a seed=9 samples=0..99 é".into(), ..info(1..2) });
}

#[test]
fn facts_that_contradict_are_damage() {
    // Each change keeps the length of the attribute, which the file states.
    let file = file_of(&film(3..9, true), &info(3..9));
    let changed = |from: &str, to: &str| {
        let at = file.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
        let mut file = file.clone();
        file[at..at + from.len()].copy_from_slice(to.as_bytes());
        parse(Path::new("a.exr"), &file).unwrap_err()
    };
    for (from, to, what) in [
        ("version=2", "version=3", ShareDamage::Version("3".into())),
        ("samples=3..9", "samples=9..3", ShareDamage::NoSamples),
        ("samples=3..9", "samples=3..5", ShareDamage::TooManySamples { samples: 6, range: 2 }),
        ("samples=3..9", "samples=3,,9", ShareDamage::NotANumber("samples")),
        ("seed=7", "seed=x", ShareDamage::NotANumber("seed")),
        ("seed=7", "sxxd=7", ShareDamage::MissingFact("seed")),
        ("hi.albedo.R", "hi.albedo.S", ShareDamage::MissingChannel("hi.albedo.R".into())),
    ] {
        let error = changed(from, to);
        assert!(matches!(&error, ShareError::Damaged { damage, .. } if *damage == what), "{from}: {error:?}");
    }
}

#[test]
fn truncated_and_altered_files_never_panic() {
    let mut film = Film::new([5, 40], true).unwrap();
    for pixel in film.pixels() {
        film.add(pixel, &sample(pixel, 0));
    }
    let file = file_of(&film, &info(0..1));
    for length in (0..file.len()).step_by(97).chain(file.len() - 9..file.len()) {
        assert!(parse(Path::new("a.exr"), &file[..length]).is_err(), "{length} bytes");
    }
    // One byte each through the header and offsets, where sizes are, and sparsely through the pixels.
    let header = 1600.min(file.len());
    for at in (0..header).chain((header..file.len()).step_by(41)) {
        for change in [0x01, 0x80, 0xFF] {
            let mut file = file.clone();
            file[at] ^= change;
            // Some changes are harmless, none may panic or ask for the memory that a header claims.
            let _ = parse(Path::new("a.exr"), &file);
        }
    }
}
