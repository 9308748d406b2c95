//! Every image here is made in code; the decoders are checked against what went in.

use super::*;
use crate::import::context::told;
use ::image::{ExtendedColorType, ImageEncoder, codecs};
use raywarp_testing::Random;
use std::io::Write;

fn decode_named(name: &str, bytes: &[u8], encoding: Encoding) -> Result<Decoded, ImportError> {
    decode(Path::new(name), Place::File, bytes, encoding)
}

#[track_caller]
fn check(name: &str, bytes: &[u8], encoding: Encoding, size: (u32, u32), want: &Pixels) {
    let got = decode_named(name, bytes, encoding).unwrap();
    assert_eq!((got.image.width, got.image.height), size, "{name}");
    assert_eq!(&*got.image.pixels, want, "{name}");
    assert_eq!(got.notes, [], "{name}");
}

#[track_caller]
fn check_fails(name: &str, bytes: &[u8], want: impl Into<FaultKind>) {
    assert_eq!(FaultKind::from(fault(name, bytes)), want.into());
}

/// Checks that the decoder of another crate refuses an image.
#[track_caller]
fn check_broken(name: &str, bytes: &[u8], wanted: &str) {
    let found = fault(name, bytes);
    assert!(matches!(found, ImageFault::Broken { format, .. } if format == wanted), "{found}");
}

/// Returns the fault of an image.
#[track_caller]
fn fault(name: &str, bytes: &[u8]) -> ImageFault {
    match told(decode_named(name, bytes, Encoding::Srgb).unwrap_err()).unwrap() {
        (path, Place::File, FaultKind::Image(fault)) => {
            assert_eq!(path, Path::new(name));
            fault
        }
        other => panic!("{other:?}"),
    }
}

fn png(data: &[u8], width: u32, height: u32, color: ExtendedColorType) -> Vec<u8> {
    let mut out = Vec::new();
    codecs::png::PngEncoder::new(&mut out).write_image(data, width, height, color).unwrap();
    out
}

fn exr_file(names: &[&str], size: (usize, usize), value: impl Fn(usize, usize) -> f32) -> Vec<u8> {
    use ::exr::prelude::*;
    let channel = |(i, name): (usize, &&str)| {
        let samples = (0..size.0 * size.1).map(|at| value(i, at)).collect();
        AnyChannel::new(*name, FlatSamples::F32(samples))
    };
    let channels = AnyChannels::sort(names.iter().enumerate().map(channel).collect());
    let mut out = std::io::Cursor::new(Vec::new());
    Image::from_channels(size, channels).write().to_buffered(&mut out).unwrap();
    out.into_inner()
}

/// Returns a KTX2 file with one mipmap level.
fn ktx2_file(vk_format: u32, size: [u32; 2], scheme: u32, level: &[u8], unpacked: u64, keys: &[u8]) -> Vec<u8> {
    let mut out = ktx2::SIGNATURE.to_vec();
    for word in [vk_format, 1, size[0], size[1], 0, 0, 1, 1, scheme, 0, 0, 104, keys.len() as u32] {
        out.extend(word.to_le_bytes());
    }
    for long in [0, 0, 104 + keys.len() as u64, level.len() as u64, unpacked] {
        out.extend(long.to_le_bytes());
    }
    out.extend(keys);
    out.extend(level);
    out
}

fn webp(data: &[u8], width: u32, height: u32, color: ExtendedColorType) -> Vec<u8> {
    let mut out = Vec::new();
    codecs::webp::WebPEncoder::new_lossless(&mut out).write_image(data, width, height, color).unwrap();
    out
}

#[test]
fn webp_is_read_with_and_without_alpha_and_may_pack_one_colour_into_nothing() {
    let bytes = webp(&[1, 2, 3, 4, 5, 6, 7, 8], 2, 1, ExtendedColorType::Rgba8);
    check("a.webp", &bytes, Encoding::Srgb, (2, 1), &Pixels::Srgb8(vec![[1, 2, 3, 4], [5, 6, 7, 8]]));
    let bytes = webp(&[1, 2, 3, 5, 6, 7], 1, 2, ExtendedColorType::Rgb8);
    check("any", &bytes, Encoding::Linear, (1, 2), &Pixels::Linear8(vec![[1, 2, 3, 255], [5, 6, 7, 255]]));
    for end in [20, bytes.len() - 3] {
        check_broken("a.webp", &bytes[..end], "WebP");
    }
    let plain = webp(&[9; 3 << 20], 1024, 1024, ExtendedColorType::Rgb8);
    assert!(plain.len() < 4096, "{} bytes", plain.len());
    check("a.webp", &plain, Encoding::Linear, (1024, 1024), &Pixels::Linear8(vec![[9, 9, 9, 255]; 1 << 20]));
}

#[test]
fn png_of_eight_bits_stays_bytes_whatever_its_channels() {
    let rgba = vec![[1, 2, 3, 4], [5, 6, 7, 8]];
    let bytes = png(&[1, 2, 3, 4, 5, 6, 7, 8], 2, 1, ExtendedColorType::Rgba8);
    check("a.png", &bytes, Encoding::Srgb, (2, 1), &Pixels::Srgb8(rgba.clone()));
    check("no extension", &bytes, Encoding::Linear, (2, 1), &Pixels::Linear8(rgba));
    let grey = png(&[9, 200], 1, 2, ExtendedColorType::L8);
    check("a.png", &grey, Encoding::Srgb, (1, 2), &Pixels::Srgb8(vec![[9, 9, 9, 255], [200, 200, 200, 255]]));
    let grey_alpha = png(&[9, 200], 1, 1, ExtendedColorType::La8);
    check("a.png", &grey_alpha, Encoding::Srgb, (1, 1), &Pixels::Srgb8(vec![[9, 9, 9, 200]]));
}

/// Returns a PNG file of these chunks; image data is deflated here.
fn raw_png(width: u32, height: u32, depth: u8, color: u8, chunks: &[(&[u8; 4], &[u8])], rows: &[u8]) -> Vec<u8> {
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([depth, color, 0, 0, 0]);
    let mut deflated = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    deflated.write_all(rows).unwrap();
    let data = deflated.finish().unwrap();
    let mut all: Vec<(&[u8; 4], &[u8])> = vec![(b"IHDR", &header)];
    all.extend(chunks);
    all.extend([(b"IDAT", data.as_slice()), (b"IEND", &[])]);
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, body) in all {
        let mut crc = flate2::Crc::new();
        crc.update(kind);
        crc.update(body);
        out.extend((body.len() as u32).to_be_bytes());
        out.extend([kind.as_slice(), body, &crc.sum().to_be_bytes()].concat());
    }
    out
}

#[test]
fn png_with_a_palette_and_transparency_is_expanded() {
    let palette: &[u8] = &[10, 20, 30, 40, 50, 60];
    let bytes = raw_png(2, 1, 8, 3, &[(b"PLTE", palette), (b"tRNS", &[255, 7])], &[0, 1, 0]);
    check("a.png", &bytes, Encoding::Srgb, (2, 1), &Pixels::Srgb8(vec![[40, 50, 60, 7], [10, 20, 30, 255]]));
}

#[test]
fn sixteen_bits_become_linear_floats() {
    let bytes = raw_png(1, 1, 16, 0, &[], &[0, 0x80, 0x00]);
    let unit = 32768.0f32 / 65535.0;
    check("a.png", &bytes, Encoding::Linear, (1, 1), &Pixels::Float(vec![[unit, unit, unit, 1.0]]));
    let image = decode_named("a.png", &bytes, Encoding::Srgb).unwrap().image;
    let Pixels::Float(srgb) = &*image.pixels else { panic!() };
    // Half way up the sRGB curve is 0.2140.
    assert!((srgb[0][0] - 0.2140).abs() < 1e-4 && srgb[0][3] == 1.0, "{srgb:?}");
}

#[test]
fn jpeg_is_read_as_colour() {
    let mut bytes = Vec::new();
    let grey = [128u8; 3 * 16 * 8];
    codecs::jpeg::JpegEncoder::new(&mut bytes).write_image(&grey, 16, 8, ExtendedColorType::Rgb8).unwrap();
    check("a.jpg", &bytes, Encoding::Srgb, (16, 8), &Pixels::Srgb8(vec![[128, 128, 128, 255]; 128]));
}

#[test]
fn tga_is_told_by_its_header_when_its_name_does_not_tell() {
    // 1 x 2, 24 bits, blue first, rows from the bottom.
    let mut bytes = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 24, 0];
    bytes.extend([3, 2, 1, 6, 5, 4]);
    let want = Pixels::Srgb8(vec![[4, 5, 6, 255], [1, 2, 3, 255]]);
    check("a.tga", &bytes, Encoding::Srgb, (1, 2), &want);
    check("embedded", &bytes, Encoding::Srgb, (1, 2), &want);
    check_fails("cut.tga", &bytes[..20], ImageFault::Cut { format: "TGA" });
}

/// A TGA file of pseudo-random texels, in plain rows or in runs of both kinds.
fn tga_file(kind: u8, map_bits: u8, bits: u8, flags: u8, size: [u16; 2], random: &mut Random) -> Vec<u8> {
    let (map, has_map) = (if map_bits > 0 { 40_u16 } else { 0 }, u8::from(map_bits > 0));
    let mut out = vec![3, has_map, kind, 2, 0, map as u8, 0, map_bits, 0, 0, 0, 0];
    out.extend(size.iter().flat_map(|side| side.to_le_bytes()));
    out.extend([bits, flags]);
    let mut byte = |limit: usize| random.below(limit) as u8;
    out.extend((0..3 + usize::from(map) * usize::from(map_bits.div_ceil(8))).map(|_| byte(256)));
    let mut texel = |out: &mut Vec<u8>| match (map_bits, bits) {
        (0, _) => out.extend((0..bits.div_ceil(8)).map(|_| byte(256))),
        // Indices begin at 2.
        (_, 8) => out.push(2 + byte(40)),
        _ => out.extend([2 + byte(40), 0]),
    };
    let mut left = usize::from(size[0]) * usize::from(size[1]);
    let mut run = 0_usize;
    while left > 0 {
        run = (run * 5 + 3) % 128;
        let count = if kind < 8 { 1 } else { (run + 1).min(left) };
        let repeats = kind > 8 && run % 2 == 1;
        if kind > 8 {
            // The last run may be longer than the image.
            out.push(run as u8 | if repeats { 0x80 } else { 0 });
        }
        let texels = if repeats { 1 } else { count };
        (0..texels).for_each(|_| texel(&mut out));
        left -= count;
    }
    out
}

#[test]
fn tga_of_all_kinds_is_what_another_decoder_reads() {
    let mut random = Random::new(7);
    let kinds: [(u8, u8, u8, u8); 13] = [
        (2, 0, 24, 0),
        (2, 0, 32, 8),
        (2, 0, 32, 0),
        (2, 0, 16, 1),
        (2, 0, 15, 0),
        (3, 0, 8, 0),
        (3, 0, 16, 8),
        (3, 0, 8, 8),
        (1, 24, 8, 0),
        (1, 32, 8, 8),
        (1, 32, 16, 0),
        (1, 16, 8, 0),
        (1, 15, 8, 0),
    ];
    for (kind, map_bits, bits, alpha) in kinds {
        for (packed, order) in [(0, 0), (8, 0), (0, 0x10), (8, 0x20), (8, 0x30)] {
            let bytes = tga_file(kind + packed, map_bits, bits, alpha | order, [13, 11], &mut random);
            let decoder = codecs::tga::TgaDecoder::new(std::io::Cursor::new(&bytes)).unwrap();
            let want = ::image::DynamicImage::from_decoder(decoder).unwrap().into_rgba8();
            let want = Pixels::Srgb8(want.pixels().map(|texel| texel.0).collect());
            check("a.tga", &bytes, Encoding::Srgb, (13, 11), &want);
            check_fails("a.tga", &bytes[..bytes.len() - 1], ImageFault::Cut { format: "TGA" });
        }
    }
    // An index without a colour, and kinds that nobody writes.
    let mut bytes = tga_file(1, 24, 8, 0, [1, 1], &mut random);
    *bytes.last_mut().unwrap() = 42;
    check_fails("a.tga", &bytes, ImageFault::TgaIndex);
    for (kind, map_bits, bits, alpha) in [(2, 0, 8, 0), (3, 0, 24, 0), (1, 15, 16, 0), (1, 12, 8, 0), (2, 0, 8, 9)] {
        let bytes = tga_file(kind, map_bits, bits, alpha, [2, 2], &mut random);
        let other = codecs::tga::TgaDecoder::new(std::io::Cursor::new(&bytes));
        assert!(other.is_err() && decode_named("a.tga", &bytes, Encoding::Srgb).is_err(), "{kind} {map_bits} {bits}");
    }
}

#[test]
fn radiance_in_runs_of_both_kinds_is_what_another_decoder_reads() {
    let mut random = Random::new(9);
    let mut header = b"#?RGBE\nPROGRAM=x\nFORMAT = 32-bit_rle_rgbe\n# a comment\n\n-Y 3 +X 300\n".to_vec();
    let mut old = header.clone();
    for _ in 0..3 {
        // Channel by channel: runs of 100, then 200 that are none.
        header.extend([2, 2, 1, 44]);
        for _ in 0..4 {
            header.extend([228, random.below(256) as u8]);
            for count in [128_usize, 72] {
                header.push(count as u8);
                header.extend((0..count).map(|_| random.below(256) as u8));
            }
        }
        // Two texels, then 41 and 256 times the one before.
        old.extend([9, 8, 7, 130, 3, 2, 1, 0, 1, 1, 1, 41, 1, 1, 1, 1, 77, 0, 255, 1]);
    }
    for bytes in [header, old] {
        let decoder = codecs::hdr::HdrDecoder::new_nonstrict(std::io::Cursor::new(&bytes)).unwrap();
        let want = ::image::DynamicImage::from_decoder(decoder).unwrap().into_rgba32f();
        let want = Pixels::Float(want.pixels().map(|texel| texel.0).collect());
        check("a.hdr", &bytes, Encoding::Linear, (300, 3), &want);
        check_fails("a.hdr", &bytes[..bytes.len() - 1], ImageFault::Cut { format: "HDR" });
    }
    let file = |rest: &[u8]| [b"#?RADIANCE\n\n-Y 1 +X 2\n".as_slice(), rest].concat();
    check_fails("a.hdr", &file(&[1, 1, 1, 4]), ImageFault::HdrRun);
    check_fails("a.hdr", &file(&[5, 5, 5, 5, 1, 1, 1, 2]), ImageFault::HdrLongRow);
    check_fails("a.hdr", &file(&[2, 2, 0, 2, 131, 7]), ImageFault::HdrLongRow);
    let colors = ImageFault::HdrColors { name: "32-bit_rle_xyze".into() };
    check_fails("a.hdr", b"#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 1 +X 2\n", colors);
    check_fails(
        "a.hdr",
        b"#?RADIANCE\n\n+Y 1 +X 2\n",
        ImageFault::HdrOrder { first: "+Y".into(), second: "+X".into() },
    );
    check_fails("a.hdr", b"#?RADIANCE\n\n-Y 1 +X\n", ImageFault::HdrSize { line: "-Y 1 +X".into() });
    check_fails("a.hdr", b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n", ImageFault::HdrHeader);
}

#[test]
fn radiance_is_read_as_linear_floats_with_rows_from_the_top() {
    let mut bytes = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 1\n".to_vec();
    bytes.extend([128, 64, 32, 129, 0, 0, 0, 0]);
    let want = Pixels::Float(vec![[1.0, 0.5, 0.25, 1.0], [0.0, 0.0, 0.0, 1.0]]);
    check("sky.hdr", &bytes, Encoding::Srgb, (1, 2), &want);
    let other = [b"#?RGBE".as_slice(), &bytes[10..]].concat();
    check("sky.hdr", &other, Encoding::Srgb, (1, 2), &want);
    check_fails("cut.hdr", &bytes[..bytes.len() - 3], ImageFault::Cut { format: "HDR" });
}

#[test]
fn exr_takes_colours_or_a_luminance_of_any_layer() {
    let value = |channel: usize, at: usize| (10 * channel + at) as f32;
    let rgb = exr_file(&["R", "G", "B"], (2, 2), value);
    let want = (0..4).map(|at| [at as f32, 10.0 + at as f32, 20.0 + at as f32, 1.0]).collect();
    check("a.exr", &rgb, Encoding::Srgb, (2, 2), &Pixels::Float(want));
    let beauty = exr_file(&["Z", "beauty.R", "beauty.G", "beauty.B", "beauty.A"], (1, 1), value);
    check("a.exr", &beauty, Encoding::Srgb, (1, 1), &Pixels::Float(vec![[10.0, 20.0, 30.0, 40.0]]));
    let grey = exr_file(&["Y"], (1, 1), |_, _| 0.5);
    check("a.exr", &grey, Encoding::Srgb, (1, 1), &Pixels::Float(vec![[0.5, 0.5, 0.5, 1.0]]));
    check_fails("depth.exr", &exr_file(&["Z"], (1, 1), value), ImageFault::ExrLayers);
}

#[test]
fn exr_in_tiles_of_halves_is_read() {
    use ::exr::prelude::*;
    let channels = SpecificChannels::rgb(|at: Vec2<usize>| {
        (f16::from_f32(at.0 as f32), f16::from_f32(at.1 as f32), f16::from_f32(0.25))
    });
    let encoding = ::exr::image::Encoding {
        compression: Compression::ZIP16,
        blocks: Blocks::Tiles(Vec2(3, 5)),
        line_order: LineOrder::Increasing,
    };
    let layer = Layer::new((7, 6), LayerAttributes::default(), encoding, channels);
    let mut out = std::io::Cursor::new(Vec::new());
    Image::from_layer(layer).write().to_buffered(&mut out).unwrap();
    let want = (0..42).map(|i| [(i % 7) as f32, (i / 7) as f32, 0.25, 1.0]).collect();
    check("tiles.exr", &out.into_inner(), super::Encoding::Srgb, (7, 6), &Pixels::Float(want));
}

#[test]
fn texels_that_are_not_finite_become_zero_and_are_said() {
    let bytes = exr_file(&["R", "G", "B"], (2, 1), |channel, at| {
        [[f32::INFINITY, 1.0], [2.0, f32::NAN], [3.0, 4.0]][channel][at]
    });
    let got = decode_named("a.exr", &bytes, Encoding::Srgb).unwrap();
    assert_eq!(*got.image.pixels, Pixels::Float(vec![[0.0, 2.0, 3.0, 1.0], [1.0, 0.0, 4.0, 1.0]]));
    assert_eq!(got.notes, [WarningKind::TexelsNotFinite { count: 2 }]);
}

#[test]
fn ktx2_plain_formats_are_read() {
    let texel = |vk, level: &[u8], encoding, want: Pixels| {
        check("a.ktx2", &ktx2_file(vk, [1, 1], 0, level, level.len() as u64, &[]), encoding, (1, 1), &want);
    };
    let linear = Encoding::Linear;
    texel(9, &[7], linear, Pixels::Linear8(vec![[7, 0, 0, 255]]));
    texel(16, &[7, 8], linear, Pixels::Linear8(vec![[7, 8, 0, 255]]));
    texel(29, &[7, 8, 9], Encoding::Srgb, Pixels::Srgb8(vec![[7, 8, 9, 255]]));
    texel(44, &[7, 8, 9, 10], linear, Pixels::Linear8(vec![[9, 8, 7, 10]]));
    texel(97, &[0, 0x3c, 0, 0xc0, 1, 0, 0xff, 0x7b], linear, Pixels::Float(vec![[1.0, -2.0, 2f32.powi(-24), 65504.0]]));
    let floats: Vec<u8> = [0.5f32, 2.0, -1.0].iter().flat_map(|f| f.to_le_bytes()).collect();
    texel(106, &floats, linear, Pixels::Float(vec![[0.5, 2.0, -1.0, 1.0]]));
}

#[test]
fn ktx2_packed_with_zlib_or_zstandard_is_unpacked_and_turned_upright() {
    let data = [1, 2, 3, 4, 5, 6, 7, 8];
    let want = Pixels::Linear8(vec![[5, 6, 7, 8], [1, 2, 3, 4]]);
    let keys = b"\x12\0\0\0KTXorientation\0ru\0\0\0";
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    zlib.write_all(&data).unwrap();
    let zlib = ktx2_file(37, [1, 2], 3, &zlib.finish().unwrap(), 8, keys);
    check("a.ktx2", &zlib, Encoding::Linear, (1, 2), &want);
    let zstd = ruzstd::encoding::compress_to_vec(data.as_slice(), ruzstd::encoding::CompressionLevel::Fastest);
    let zstd = ktx2_file(37, [1, 2], 2, &zstd, 8, keys);
    check("a.ktx2", &zstd, Encoding::Linear, (1, 2), &want);
}

/// KTX2 file in UASTC, 8 x 8 texels: the left half red, then green above blue with alpha 128. Made with the reference
/// encoder.
const UASTC: &[u8] = include_bytes!("../../../tests/data/uastc.ktx2");
const ETC1S: &[u8] = include_bytes!("../../../tests/data/etc1s.ktx2");

#[test]
fn ktx2_keys_without_their_last_padding_cost_nothing() {
    let mut cut = ETC1S.to_vec();
    cut[60] -= 1;
    let decode = |bytes| decode(Path::new("a.ktx2"), Place::File, bytes, Encoding::Srgb).unwrap().image;
    assert_eq!(decode(&cut).pixels, decode(ETC1S).pixels);
}

#[test]
fn basis_universal_is_transcoded_plain_or_packed() {
    let at = |word: usize| u32::from_le_bytes(UASTC[word..word + 4].try_into().unwrap()) as usize;
    let (level, length) = (at(80), at(88));
    let mut zstd = UASTC[..level].to_vec();
    let packed =
        ruzstd::encoding::compress_to_vec(&UASTC[level..level + length], ruzstd::encoding::CompressionLevel::Fastest);
    zstd[44] = 2;
    zstd[88..92].copy_from_slice(&(packed.len() as u32).to_le_bytes());
    zstd.extend(packed);
    for (name, bytes, tolerance) in [("uastc", UASTC, 2), ("zstd", &zstd, 2), ("etc1s", ETC1S, 12)] {
        let image = decode_named(name, bytes, Encoding::Srgb).unwrap().image;
        assert_eq!((image.width, image.height), (8, 8));
        let Pixels::Srgb8(texels) = &*image.pixels else { panic!("{name}") };
        for (i, got) in texels.iter().enumerate() {
            let want = match (i % 8, i / 8) {
                (0..4, _) => [255, 0, 0, 255],
                (_, 0..4) => [0, 255, 0, 255],
                _ => [0, 0, 255, 128],
            };
            let near = (0..4).all(|c| got[c].abs_diff(want[c]) <= tolerance);
            assert!(near, "{name}, texel {i}: {got:?}, not {want:?}");
        }
    }
}

#[test]
fn sizes_past_the_limits_are_refused_before_memory_is_taken() {
    let row = [0u8; 4];
    check_fails("wide.png", &raw_png(16_385, 1, 8, 2, &[], &row), ImageFault::Size { width: 16_385, height: 1 });
    let bomb = fault("bomb.png", &raw_png(16_384, 16_384, 8, 2, &[], &row));
    assert!(matches!(bomb, ImageFault::CannotHold { width: 16_384, height: 16_384, .. }), "{bomb}");
    let mut hdr = b"#?RADIANCE\n\n-Y 4000000000 +X 4000000000\n".to_vec();
    hdr.extend([0; 8]);
    check_fails("huge.hdr", &hdr, ImageFault::Size { width: 4_000_000_000, height: 4_000_000_000 });
    let huge = ImageFault::Size { width: 1 << 20, height: 1 << 20 };
    check_fails("huge.ktx2", &ktx2_file(37, [1 << 20, 1 << 20], 0, &[0; 4], 4, &[]), huge);
    check_fails("empty.ktx2", &ktx2_file(37, [0, 1], 0, &[], 0, &[]), ImageFault::NoTexels { width: 0, height: 1 });
    let short = ImageFault::KtxTexels { found: 15, width: 2, height: 2, wanted: 16 };
    check_fails("short.ktx2", &ktx2_file(37, [2, 2], 0, &[0; 15], 16, &[]), short);
    let mut exr = exr_file(&["Y"], (1, 1), |_, _| 0.0);
    let window = exr.windows(10).position(|w| w == b"dataWindow").unwrap() + 10 + 1 + 6 + 4 + 8;
    exr[window..window + 8].copy_from_slice(&[0x9f, 0x86, 1, 0, 0x9f, 0x86, 1, 0]);
    check_fails("huge.exr", &exr, ImageFault::Size { width: 100_000, height: 100_000 });
}

#[test]
fn what_is_no_image_is_named() {
    check_fails("a.png", b"", ImageFault::Empty);
    check_broken("a.webp", b"RIFF....WEBPVP8 ", "WebP");
    check_fails("a.png", b"{\"message\": \"Not Found\"}", ImageFault::NoImage { what: "a JSON file" });
    check_fails("a.png", b"Not Found", ImageFault::NoImage { what: "text" });
    let start = vec![0xff, 0xfe, 0xfd, 0xfc];
    check_fails("a.bin", b"\xff\xfe\xfd\xfc", ImageFault::Unknown { start });
    check_fails("a.ktx2", &ktx2_file(131, [4, 4], 0, &[0; 8], 8, &[]), ImageFault::KtxFormat { code: 131 });
    check_fails("a.ktx2", &ktx2::SIGNATURE, ImageFault::KtxHeaderCut);
}

/// Decodes an image and fails if a decoder panics, even where the panic is caught.
#[track_caller]
fn check_no_panic(name: &str, bytes: &[u8]) {
    if let Err(error) = decode_named(name, bytes, Encoding::Srgb) {
        let (path, _, kind) = told(error).unwrap();
        assert!(path == Path::new(name) && kind != ImageFault::DecoderGaveUp.into(), "{kind}");
    }
}

#[test]
fn every_image_cut_off_or_with_one_byte_changed_is_read_or_refused() {
    let value = |channel: usize, at: usize| (10 * channel + at) as f32;
    let mut jpeg = Vec::new();
    codecs::jpeg::JpegEncoder::new(&mut jpeg).write_image(&[90; 192], 8, 8, ExtendedColorType::Rgb8).unwrap();
    let mut tga = vec![0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 1, 0, 24, 0];
    tga.extend([0x83, 1, 2, 3, 0x83, 4, 5, 6]);
    let mut hdr = b"#?RADIANCE\n\n-Y 1 +X 9\n\x02\x02\0\x09".to_vec();
    hdr.extend([0x89, 7, 0x89, 8, 0x89, 9, 0x89, 128]);
    let images = [
        ("a.png", raw_png(2, 2, 8, 3, &[(b"PLTE", &[1, 2, 3, 4, 5, 6])], &[0, 1, 0, 0, 0, 1])),
        ("a.jpg", jpeg),
        ("a.tga", tga),
        ("a.hdr", hdr),
        ("a.exr", exr_file(&["R", "G", "B"], (3, 2), value)),
        ("a.ktx2", ktx2_file(37, [2, 1], 0, &[1, 2, 3, 4, 5, 6, 7, 8], 8, &[])),
        ("uastc.ktx2", UASTC.to_vec()),
        ("etc1s.ktx2", ETC1S.to_vec()),
    ];
    for (name, bytes) in images {
        decode_named(name, &bytes, Encoding::Srgb).unwrap_or_else(|error| panic!("{error}"));
        for length in 0..bytes.len() {
            check_no_panic(name, &bytes[..length]);
        }
        for at in 0..bytes.len() {
            for flip in [0xff, 0x80, 0x01] {
                let mut broken = bytes.clone();
                broken[at] ^= flip;
                check_no_panic(name, &broken);
            }
        }
    }
}
