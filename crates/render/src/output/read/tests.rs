use super::*;
use crate::film::{Crop, Film, SampleResult};
use crate::output::{Exposure, PictureOptions, ShareInfo, Shows, Tone, write_film, write_film_and_sums, write_share};
use ::exr::meta::header::ImageAttributes;
use ::exr::prelude::{
    AnyChannel, AnyChannels, Blocks, Compression, Encoding, Image, Layer, LayerAttributes, LineOrder, Vec2,
    WritableImage, f16,
};
use raywarp_scene::ImportError;
use raywarp_testing::Folder;
use std::io::Cursor;

const SIZE: [u32; 2] = [23, 17];

/// Returns an uneven test film: the left third misses, and in the next column half the samples do.
fn film(window: Window) -> Film {
    let mut film = Film::of(window, true).unwrap();
    for [x, y] in film.pixels() {
        for sample in 0..4 {
            let hit = x > 8 || (x == 8 && sample % 2 == 0);
            let value = if hit { 0.05 + (x * 31 + y * 17 + sample * 7) as f32 / 90.0 } else { 0.0 };
            film.add(
                [x, y],
                &SampleResult {
                    radiance: [value, value * value, value.sqrt()],
                    albedo: if hit { [0.2, 0.5, 0.9] } else { [0.0; 3] },
                    normal: if hit { [0.0, 0.6, -0.8] } else { [0.0; 3] },
                    depth: hit.then_some(10.0 + (y + sample) as f32),
                },
            );
        }
    }
    film
}

fn content(transparent: bool) -> Content {
    Content { transparent, film_exposure: Exposure::factor(1.7).unwrap(), ..Content::default() }
}

fn options(content: Content) -> PictureOptions {
    PictureOptions { content, layers: Layers::ALL, ..PictureOptions::default() }
}

fn look(tone: Tone, content: &Content) -> Look {
    Look { exposure: Exposure::stops(1.0).unwrap().and(content.film_exposure), tone }
}

#[test]
fn an_exr_comes_back_with_its_alpha_layers_place_and_facts() {
    let folder = Folder::new();
    let path = folder.at("a.exr");
    let window = Window::new([40, 30], Some(Crop { origin: [7, 2], size: SIZE })).unwrap();
    let film = film(window);
    write_film(&path, &film, &options(content(true))).unwrap();
    let read = read_picture(&path).unwrap();
    assert_eq!((read.window, read.content), (window, content(true)));
    assert_eq!(read.colour, film.means());
    let coverage: Vec<f32> = film.pixels().map(|p| film.coverage(p)).collect();
    assert_eq!(read.alpha.as_ref(), Some(&coverage));
    assert_eq!(read.layer_names(), ["albedo", "depth", "normal", "samples", "variance"]);
    // And once more through the writer.
    let again = folder.at("b.exr");
    write_picture(&again, &read, &Look::default(), &Metadata::default()).unwrap();
    assert_eq!(std::fs::read(path).unwrap(), std::fs::read(again).unwrap());
}

#[test]
fn a_converted_file_has_the_bytes_that_the_render_would_have_written() {
    let folder = Folder::new();
    let at = |name: &str| folder.at(name);
    for shows in [Shows::Radiance, Shows::Depth, Shows::Normal, Shows::Cost] {
        for transparent in [false, true] {
            let content = Content { shows, ..content(transparent && shows == Shows::Radiance) };
            let film = film(Window::all(SIZE));
            write_film(&at("a.exr"), &film, &options(content)).unwrap();
            let info = ShareInfo { samples: 0..4, seed: 0, fingerprint: "x".into(), content };
            write_share(&at("share.exr"), &film, &info, &Metadata::default()).unwrap();
            write_film_and_sums(&at("sums.exr"), &film, &options(content), &info).unwrap();
            assert_eq!(
                read_picture(&at("sums.exr")).unwrap().layer_names(),
                read_picture(&at("a.exr")).unwrap().layer_names()
            );
            for tone in Tone::ALL {
                let look = look(tone, &content);
                // Sums of a share are rounded, so that a merged picture may be one unit in the last place off.
                let merged = crate::output::read_share(&at("share.exr")).unwrap().film;
                for name in if content.transparent { ["b.png", "b.exr"] } else { ["b.png", "b.hdr"] } {
                    for (source, film) in [("a.exr", &film), ("share.exr", &merged)] {
                        write_film(&at(name), film, &PictureOptions { look, ..options(content) }).unwrap();
                        let direct = std::fs::read(at(name)).unwrap();
                        let read = read_picture(&at(source)).unwrap();
                        write_picture(&at(name), &read, &look, &Metadata::default()).unwrap();
                        assert!(direct == std::fs::read(at(name)).unwrap(), "{shows:?} {source} to {name}, {tone}");
                    }
                }
            }
        }
    }
}

#[test]
fn distances_are_means_over_hits_in_pictures_too() {
    let film = film(Window::all(SIZE));
    let (colour, _) = colours(&film, &Content { shows: Shows::Depth, ..Content::default() });
    // The film's colours are some function here; what counts is the divisor.
    let at = |x: u32| colour[x as usize][0];
    assert_eq!(at(3), crate::output::MISS_DEPTH);
    let hits = [0.05 + (8 * 31) as f32 / 90.0, 0.05 + (8 * 31 + 14) as f32 / 90.0];
    assert!((at(8) - (hits[0] + hits[1]) / 2.0).abs() < 1e-5, "{} of {hits:?}", at(8));
}

#[test]
fn a_png_keeps_its_bytes_and_alpha() {
    let folder = Folder::new();
    let (a, b) = (folder.at("a.png"), folder.at("b.png"));
    for transparent in [false, true] {
        // Dark enough that a colour that is divided once too often is another.
        let look = Look { exposure: Exposure::stops(-6.0).unwrap(), tone: Tone::Srgb };
        write_film(&a, &film(Window::all(SIZE)), &PictureOptions { look, ..options(content(transparent)) }).unwrap();
        let read = read_picture(&a).unwrap();
        assert!(read.from_srgb8 && read.alpha.is_some() == transparent);
        write_picture(&b, &read, &Look::default(), &Metadata::default()).unwrap();
        assert!(std::fs::read(&a).unwrap() == std::fs::read(&b).unwrap(), "transparent: {transparent}");
    }
}

#[test]
fn a_straight_alpha_leaves_colours_as_bright_as_where_they_cover_all() {
    let folder = Folder::new();
    let path = folder.at("a.png");
    let mut film = Film::new([3, 1], false).unwrap();
    for sample in 0..4 {
        for x in 0..3 {
            let hit = sample < 2 * x;
            film.add(
                [x, 0],
                &SampleResult {
                    radiance: [if hit { 0.5 } else { 0.0 }; 3],
                    depth: hit.then_some(1.0),
                    ..Default::default()
                },
            );
        }
    }
    let content = Content { transparent: true, ..Content::default() };
    write_film(&path, &film, &PictureOptions { content, ..PictureOptions::default() }).unwrap();
    let bytes = image::open(path).unwrap().into_rgba8().into_raw();
    assert_eq!(bytes, [0, 0, 0, 0, 188, 188, 188, 128, 188, 188, 188, 255]);
    let hdr = write_film(&folder.at("a.hdr"), &film, &PictureOptions { content, ..Default::default() });
    assert!(matches!(hdr, Err(OutputError::NoAlpha { .. })));
}

#[test]
fn layers_become_pictures_that_people_can_read() {
    let folder = Folder::new();
    let path = folder.at("a.exr");
    write_film(&path, &film(Window::all(SIZE)), &options(content(false))).unwrap();
    let read = read_picture(&path).unwrap();
    for (name, shows, hit, miss) in [
        ("albedo", Shows::Albedo, [0.2, 0.5, 0.9], [0.0; 3]),
        ("normal", Shows::Normal, [0.5, 0.8, 0.1], [0.0; 3]),
        ("depth", Shows::Depth, [11.5; 3], [1e10; 3]),
        ("samples", Shows::Samples, [4.0; 3], [4.0; 3]),
        ("Normal", Shows::Normal, [0.5, 0.8, 0.1], [0.0; 3]),
    ] {
        let layer = read.layer(name).unwrap();
        assert_eq!((layer.content.shows, layer.colour[0]), (shows, miss), "{name}");
        assert!((0..3).all(|k| (layer.colour[15][k] - hit[k]).abs() < 1e-5), "{name}: {:?}", layer.colour[15]);
        write_picture(&folder.at("b.png"), &layer, &Look::default(), &Metadata::default()).unwrap();
    }
    let Err(ReadError::NoLayer { name, known, .. }) = read.layer("beauty") else { panic!("there is none") };
    assert_eq!(
        (&*name, known),
        ("beauty", ["albedo", "depth", "normal", "samples", "variance"].map(String::from).into())
    );
}

/// Part of a test file by another program: name, size, and channels with their values.
type Part<'a> = (&'a str, [usize; 2], Vec<(&'a str, FlatSamples)>);

fn foreign(parts: &[Part], blocks: Blocks, compression: Compression) -> Vec<u8> {
    let layer = |(name, size, channels): &Part| {
        let list = channels.iter().map(|(name, samples)| AnyChannel::new(*name, samples.clone())).collect();
        let encoding = Encoding { compression, blocks, line_order: LineOrder::Increasing };
        Layer::new(Vec2(size[0], size[1]), LayerAttributes::named(*name), encoding, AnyChannels::sort(list))
    };
    let layers: Vec<_> = parts.iter().map(layer).collect();
    let bounds = layers[0].absolute_bounds();
    let mut file = Cursor::new(Vec::new());
    Image::from_layers(ImageAttributes::new(bounds), layers).write().to_buffered(&mut file).unwrap();
    file.into_inner()
}

/// Returns the values of a channel of a 40 x 25 picture.
fn floats(scale: f32) -> FlatSamples {
    FlatSamples::F32((0..1000).map(|i| scale * i as f32).collect())
}

fn halves(scale: f32) -> FlatSamples {
    FlatSamples::F16((0..1000).map(|i| f16::from_f32(scale * i as f32)).collect())
}

#[test]
fn files_of_other_programs_are_read() {
    let size = [40, 25];
    let read = |parts: &[Part], blocks, compression| {
        exr::parse(Path::new("a.exr"), &foreign(parts, blocks, compression)).unwrap()
    };
    let tiles = Blocks::Tiles(Vec2(16, 16));
    let rgba = || vec![("R", halves(0.5)), ("G", halves(0.25)), ("B", halves(1.0)), ("A", halves(0.001))];
    let tiled = read(&[("", size, rgba())], tiles, Compression::PIZ);
    assert_eq!((tiled.window, tiled.colour[4]), (Window::all([40, 25]), [2.0, 1.0, 4.0]));
    assert!((tiled.alpha.unwrap()[500] - 0.5).abs() < 1e-3);

    let grey = read(&[("", size, vec![("Y", halves(2.0))])], Blocks::ScanLines, Compression::RLE);
    assert_eq!((grey.colour[3], grey.alpha, grey.layers.len()), ([6.0; 3], None, 0));

    // Blender's names, and a part of another size behind.
    let blender = |layer| [format!("View.{layer}.R"), format!("View.{layer}.G"), format!("View.{layer}.B")];
    let (other, main) = (blender("AO"), blender("Combined"));
    let mut channels: Vec<(&str, FlatSamples)> = other.iter().map(|name| (name.as_str(), floats(9.0))).collect();
    channels.extend(main.iter().map(|name| (name.as_str(), floats(1.0))));
    channels.extend([("View.Depth.Z", floats(0.5)), ("id", FlatSamples::U32((0..1000).collect()))]);
    let small = ("small", [2, 1], vec![("R", FlatSamples::F32(vec![1.0, 2.0]))]);
    let blend = read(&[("main", size, channels), small], Blocks::ScanLines, Compression::ZIP1);
    assert_eq!((blend.colour[7], blend.layer("depth").unwrap().colour[8]), ([7.0; 3], [4.0; 3]));
    assert_eq!(blend.layer("id").unwrap().colour[999], [999.0; 3]);
    assert_eq!(blend.layer("AO").unwrap().content.shows, Shows::Radiance);
    assert_eq!(blend.notes, [ReadNote::PartOfOtherSize { part: "small".into() }]);

    // A picture in the second part.
    let parts = [("depth", size, vec![("Z", floats(1.0))]), ("rgba", size, rgba())];
    let several = read(&parts, Blocks::ScanLines, Compression::Uncompressed);
    assert_eq!((several.colour[4], several.layer_names()), ([2.0, 1.0, 4.0], vec!["depth".to_owned()]));
}

#[test]
fn files_without_a_picture_say_so() {
    let read = |channels| {
        let file = foreign(&[("", [40, 25], channels)], Blocks::ScanLines, Compression::ZIP16);
        exr::parse(Path::new("a.exr"), &file).unwrap_err()
    };
    for channels in [vec![("Z", floats(1.0))], vec![("R", floats(1.0)), ("G", floats(1.0))]] {
        let error = read(channels);
        assert!(matches!(&error, ReadError::NoPicture { path } if path == Path::new("a.exr")), "{error:?}");
    }
    let folder = Folder::new();
    let at = |name: &str| folder.at(name);
    std::fs::write(at("text.exr"), "hello").unwrap();
    std::fs::write(at("empty.png"), "").unwrap();
    for path in [at("text.exr"), at("empty.png"), at("none.exr"), folder.path().to_path_buf()] {
        let error = read_picture(&path).unwrap_err();
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
        let named = match &error {
            ReadError::Read { path, .. } => path,
            ReadError::Image(ImportError::Malformed { path, .. } | ImportError::Unsupported { path, .. }) => path,
            other => panic!("{other:?}"),
        };
        assert_eq!(*named, path, "{error:?}");
    }
}

#[test]
fn numbers_that_are_not_finite_are_counted_and_kept() {
    let odd = FlatSamples::F32((0..1000).map(|i| if i == 5 { f32::NAN } else { f32::INFINITY }).collect());
    let channels = vec![("R", floats(1.0)), ("G", odd), ("B", floats(1.0))];
    let file = foreign(&[("", [40, 25], channels)], Blocks::ScanLines, Compression::ZIP16);
    let read = exr::parse(Path::new("a.exr"), &file).unwrap();
    assert_eq!(read.not_finite(), 1000);
    assert!(read.colour[5][1].is_nan() && read.colour[6][1].is_infinite());
    let folder = Folder::new();
    for name in ["a.png", "a.hdr", "a.exr"] {
        write_picture(&folder.at(name), &read, &Look::default(), &Metadata::default()).unwrap();
    }
}

#[test]
fn sizes_that_no_file_holds_are_refused_before_memory_is_asked_for() {
    let file = foreign(&[("", [40, 25], vec![("Y", floats(1.0))])], Blocks::ScanLines, Compression::ZIP16);
    let at = file.windows(10).position(|w| w == b"dataWindow").unwrap() + "dataWindow\0box2i\0".len() + 4;
    for (place, value) in [(8, 1 << 30), (8, i32::MAX - 1), (12, 1 << 29), (8, 1 << 16)] {
        let mut bomb = file.clone();
        bomb[at + place..][..4].copy_from_slice(&i32::to_le_bytes(value));
        if value == 1 << 16 {
            bomb[at + 12..][..4].copy_from_slice(&i32::to_le_bytes(value));
        }
        let error = exr::parse(Path::new("a.exr"), &bomb).unwrap_err();
        assert!(matches!(&error, ReadError::Damaged { path, .. } if path == Path::new("a.exr")), "{error:?}");
    }
}

#[test]
fn truncated_and_altered_files_never_panic() {
    let film = film(Window::all(SIZE));
    let folder = Folder::new();
    let path = folder.at("a.exr");
    write_film(&path, &film, &options(content(true))).unwrap();
    let ours = std::fs::read(&path).unwrap();
    let rgb = vec![("R", halves(0.5)), ("G", floats(0.25)), ("B", halves(1.0))];
    let tiled = foreign(&[("x", [40, 25], rgb)], Blocks::Tiles(Vec2(16, 16)), Compression::PIZ);
    for file in [ours, tiled] {
        for length in (0..file.len()).step_by(61).chain(file.len() - 9..file.len()) {
            assert!(exr::parse(Path::new("a.exr"), &file[..length]).is_err(), "{length} of {} bytes", file.len());
        }
        for at in (0..1500.min(file.len())).chain((1500..file.len()).step_by(37)) {
            for change in [0x01, 0x80, 0xFF] {
                let mut file = file.clone();
                file[at] ^= change;
                crate::output::fuzz::picture(&file);
            }
        }
    }
}
