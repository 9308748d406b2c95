use super::*;
use crate::film::{Film, SampleResult};
use ::exr::prelude::{FlatSamples, read_first_flat_layer_from_file};
use raywarp_system::files::FileError;
use raywarp_testing::Folder;
use std::path::Path;

/// Returns a small uneven test film with a miss and a pixel without samples.
fn film(features: bool) -> Film {
    let mut film = Film::new([13, 7], features).unwrap();
    for pixel in film.pixels().filter(|&p| p != [12, 6]) {
        for sample in 0..3 + pixel[0] % 4 {
            let x = 0.01 + (pixel[0] * 31 + pixel[1] * 17 + sample * 7) as f32 / 40.0;
            let depth = (pixel != [0, 0]).then_some(x * 3.0);
            film.add(
                pixel,
                &SampleResult {
                    radiance: [x, x * x, 1.0 / x],
                    albedo: [0.1, x / 99.0, 0.9],
                    normal: [0.6, -x, 0.8],
                    depth,
                },
            );
        }
    }
    film
}

fn channel(path: &Path, name: &str) -> Option<Vec<f32>> {
    let image = read_first_flat_layer_from_file(path).unwrap();
    let found = image.layer_data.channel_data.list.iter().find(|c| c.name.to_string() == name)?;
    match &found.sample_data {
        FlatSamples::F32(values) => Some(values.clone()),
        other => panic!("{name} is {other:?}"),
    }
}

fn options() -> PictureOptions {
    let metadata = Metadata {
        command: "raywarp render Säule.gltf\n-o 絵.exr".into(),
        entries: vec![("spp".into(), "64".into()), ("note".into(), "x".repeat(1000))],
        ..Metadata::default()
    };
    PictureOptions { layers: Layers::ALL, metadata, ..PictureOptions::default() }
}

#[test]
fn an_exr_gives_back_every_bit_of_every_layer() {
    let (folder, film) = (Folder::new(), film(true));
    let path = folder.at("a.exr");
    write_film(&path, &film, &options()).unwrap();
    for k in 0..3 {
        let want: Vec<f32> = film.means().iter().map(|c| c[k]).collect();
        assert_eq!(channel(&path, ["R", "G", "B"][k]).unwrap(), want);
        let features = |pick: fn(&crate::film::FeatureSums) -> [f64; 3]| -> Vec<f32> {
            let mean = |p| (pick(film.feature_sums(p).unwrap())[k] / f64::from(film.sums(p).samples.max(1))) as f32;
            film.pixels().map(mean).collect()
        };
        assert_eq!(channel(&path, ["albedo.R", "albedo.G", "albedo.B"][k]).unwrap(), features(|f| f.albedo));
        assert_eq!(channel(&path, ["normal.X", "normal.Y", "normal.Z"][k]).unwrap(), features(|f| f.normal));
    }
    let depth = channel(&path, "depth.Z").unwrap();
    assert_eq!((depth[0], depth[13 * 7 - 1]), (MISS_DEPTH, MISS_DEPTH));
    let f = film.feature_sums([5, 2]).unwrap();
    assert_eq!(depth[2 * 13 + 5], (f.depth / f64::from(film.sums([5, 2]).hits)) as f32);
    let samples = channel(&path, "samples").unwrap();
    assert_eq!((samples[0], samples[3], samples[13 * 7 - 1]), (3.0, 6.0, 0.0));
    let variance = channel(&path, "variance").unwrap();
    assert_eq!(variance[0], film.variance_of_mean([0, 0]).unwrap() as f32);
    assert_eq!(variance[13 * 7 - 1], 0.0);
}

#[test]
fn an_exr_says_how_it_was_made_in_any_alphabet() {
    let folder = Folder::new();
    let path = folder.at("a.exr");
    write_film(&path, &film(false), &options()).unwrap();
    let attributes = read_first_flat_layer_from_file(&path).unwrap().layer_data.attributes;
    let comments = String::from_utf8(attributes.comments.unwrap().as_slice().to_vec()).unwrap();
    assert!(comments.starts_with("command: raywarp render Säule.gltf -o 絵.exr\nspp: 64\nnote: xxx"), "{comments}");
    assert!(attributes.software_name.unwrap().to_string().starts_with("Raywarp "));
}

#[test]
fn only_the_layers_asked_for_and_there_are_written() {
    let folder = Folder::new();
    let path = folder.at("a.exr");
    let names = |film: &Film, layers: Layers| -> Vec<String> {
        write_film(&path, film, &PictureOptions { layers, ..PictureOptions::default() }).unwrap();
        let image = read_first_flat_layer_from_file(&path).unwrap();
        image.layer_data.channel_data.list.iter().map(|c| c.name.to_string()).collect()
    };
    assert_eq!(names(&film(true), Layers::default()), ["B", "G", "R"]);
    let depth = Layers { depth: true, ..Layers::default() };
    assert_eq!(names(&film(true), depth), ["B", "G", "R", "depth.Z"]);
    assert_eq!(names(&film(false), Layers::ALL), ["B", "G", "R", "samples", "variance"]);
}

#[test]
fn equal_pictures_are_equal_files() {
    let folder = Folder::new();
    for extension in ["png", "exr", "hdr"] {
        let [a, b] = ["a", "b"].map(|name| {
            let path = folder.at(&format!("{name}.{extension}"));
            write_film(&path, &film(true), &options()).unwrap();
            std::fs::read(path).unwrap()
        });
        assert_eq!(a, b, "{extension}");
    }
}

#[test]
fn a_png_holds_the_tone_mapped_bytes_and_says_srgb() {
    let (folder, film) = (Folder::new(), film(false));
    let path = folder.at("a.png");
    for tone in Tone::ALL {
        let look = Look { exposure: Exposure::stops(-1.5).unwrap(), tone };
        write_film(&path, &film, &PictureOptions { look, ..options() }).unwrap();
        let decoder = ::png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((frame.width, frame.height), (13, 7));
        let want: Vec<u8> = film.means().iter().flat_map(|&c| look.to_srgb8(c)).collect();
        assert_eq!(bytes, want, "{tone}");
        let info = reader.info();
        assert!(info.srgb.is_some());
        let comment = info.utf8_text.iter().find(|t| t.keyword == "Comment").unwrap();
        assert!(comment.get_text().unwrap().contains("絵.exr\nspp: 64"));
    }
    // The chunks themselves, for readers that know only one of them.
    let file = std::fs::read(&path).unwrap();
    for chunk in [b"sRGB", b"gAMA", b"cHRM"] {
        assert!(file.windows(4).any(|w| w == chunk), "{}", String::from_utf8_lossy(chunk));
    }
}

#[test]
fn an_hdr_is_read_back_by_others() {
    let (folder, film) = (Folder::new(), film(false));
    let path = folder.at("a.hdr");
    write_film(&path, &film, &PictureOptions::default()).unwrap();
    let read = image::open(&path).unwrap().into_rgb32f();
    for (x, y, pixel) in read.enumerate_pixels() {
        let want = film.mean([x, y]);
        let peak = want[0].max(want[1]).max(want[2]);
        assert!((0..3).all(|k| (pixel.0[k] - want[k]).abs() <= peak / 255.0), "{want:?} {pixel:?}");
    }
}

#[test]
fn pictures_of_one_pixel_one_row_and_one_column_are_written() {
    let folder = Folder::new();
    for size in [[1, 1], [200, 1], [1, 200]] {
        let mut film = Film::new(size, true).unwrap();
        for pixel in film.pixels() {
            film.add(pixel, &SampleResult { radiance: [0.5; 3], ..Default::default() });
        }
        for name in ["a.png", "a.exr", "a.hdr"] {
            write_film(&folder.at(name), &film, &options()).unwrap();
        }
        assert_eq!(image::open(folder.at("a.png")).unwrap().into_rgb8().dimensions(), (size[0], size[1]));
        assert!(image::open(folder.at("a.hdr")).unwrap().into_rgb32f().pixels().all(|p| p.0 == [0.5; 3]));
        assert_eq!(channel(&folder.at("a.exr"), "R").unwrap(), vec![0.5; (size[0] * size[1]) as usize]);
    }
}

#[test]
fn a_failure_to_write_is_typed_for_every_format() {
    let (folder, film) = (Folder::new(), film(false));
    for name in ["a.png", "a.exr", "a.hdr"] {
        std::fs::create_dir(folder.at(name)).unwrap();
        let result = write_film(&folder.at(name), &film, &options());
        assert!(matches!(result, Err(OutputError::File(FileError::IsFolder { .. }))), "{result:?}");
        let missing = folder.at("none").join(name);
        assert!(matches!(
            write_film(&missing, &film, &options()),
            Err(OutputError::File(FileError::MissingFolder { .. }))
        ));
    }
    assert!(matches!(write_film(&folder.at("a.jpg"), &film, &options()), Err(OutputError::UnknownFormat { .. })));
    let map = Rgb8 { size: [1, 1], bytes: vec![0; 3] };
    assert!(matches!(write_rgb8(&folder.at("b.exr"), &map, &Metadata::default()), Err(OutputError::NotAPng { .. })));
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_said_so_for_every_format() {
    let Some(device) = raywarp_testing::full_device() else { return };
    let folder = Folder::new();
    for name in ["a.png", "a.exr", "a.hdr"] {
        // The link gives the device a name with an extension.
        std::os::unix::fs::symlink(device, folder.at(name)).unwrap();
        let result = write_film(&folder.at(name), &film(true), &options());
        assert!(matches!(result, Err(OutputError::File(FileError::DiskFull { .. }))), "{result:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}
