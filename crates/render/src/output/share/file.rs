//! The file of a share: writing and reading the sums as channels of OpenEXR.

use super::{Share, ShareDamage, ShareError, ShareInfo};
use crate::film::{Crop, FeatureSums, Film, PixelSums, Window};
use crate::output::{
    Content, Exposure, Layers, Metadata, OutputError, PictureFormat, PictureOptions, Shows, write_film,
};
use crate::output::{
    exr as exr_file, metadata::one_line, picture::picture_channels, picture::write_encoded, read::read_file,
};
use exr::meta::header::Header;
use exr::prelude::{FlatSamples, ReadChannels as _, ReadLayers as _};
use std::io::Cursor;
use std::path::Path;

/// Name of a share's EXR attribute, whose text is lines of `key=value`.
pub(super) const ATTRIBUTE: &str = "raywarpShare";
/// Version of the share file format, raised when old readers would misread new files. Version 1 had hits only where it
/// had features, and neither the part of the picture nor what it shows.
pub(super) const VERSION: &str = "2";
const READ_VERSIONS: [&str; 2] = ["1", VERSION];

/// Sum of a pixel in a share file: the names of its channels, and how to read and write it.
struct Sum<T> {
    hi: &'static str,
    lo: &'static str,
    /// Name of the channel with the last bits of the sum beyond two floats, which older files lack.
    rest: &'static str,
    get: fn(&T) -> f64,
    set: fn(&mut T, f64),
}

/// Makes a [`Sum`] for a field of `T`.
macro_rules! sum {
    ($name:literal, $($field:tt)+) => {
        Sum {
            hi: concat!("hi.", $name),
            lo: concat!("lo.", $name),
            rest: concat!("rest.", $name),
            get: |s| s.$($field)+,
            set: |s, v| s.$($field)+ = v,
        }
    };
}

const RADIANCE: [Sum<PixelSums>; 4] = [
    sum!("R", radiance[0]),
    sum!("G", radiance[1]),
    sum!("B", radiance[2]),
    // Its root, as squares leave the range of f32.
    Sum {
        hi: "hi.luminanceRoot",
        lo: "lo.luminanceRoot",
        rest: "rest.luminanceRoot",
        get: |s| s.luminance_squared.sqrt(),
        set: |s, v| s.luminance_squared = v * v,
    },
];
const FEATURES: [Sum<FeatureSums>; 7] = [
    sum!("albedo.R", albedo[0]),
    sum!("albedo.G", albedo[1]),
    sum!("albedo.B", albedo[2]),
    sum!("normal.X", normal[0]),
    sum!("normal.Y", normal[1]),
    sum!("normal.Z", normal[2]),
    sum!("depth.Z", depth),
];
const SAMPLES: &str = "samples";
const HITS: &str = "hits";

/// Writes the film's sums as a share; the file appears whole or not at all.
///
/// # Errors
/// [`OutputError`]: as [`crate::output::write_film`], and for a name that does not end in `.exr`.
pub fn write_share(path: &Path, film: &Film, info: &ShareInfo, metadata: &Metadata) -> Result<(), OutputError> {
    if PictureFormat::of(path)? != PictureFormat::Exr {
        return Err(OutputError::ShareFormat { path: path.into() });
    }
    let attribute = attribute(film, info);
    let bytes = exr_file::encode(&film.window(), sums(film), metadata, None, Some((ATTRIBUTE, &attribute)));
    write_encoded(path, bytes)
}

/// Writes a picture as [`write_film`] does, but makes an `.exr` also a share of its samples, which can be merged and
/// resumed.
///
/// # Errors
/// [`OutputError`]; nothing is left behind.
pub fn write_film_and_sums(
    path: &Path,
    film: &Film,
    options: &PictureOptions,
    info: &ShareInfo,
) -> Result<(), OutputError> {
    if PictureFormat::of(path)? != PictureFormat::Exr {
        return write_film(path, film, options);
    }
    // The share's own channel says as much.
    let layers = Layers { samples: false, ..options.layers };
    let mut channels = picture_channels(film, &options.content, layers);
    channels.extend(sums(film));
    let (facts, attribute) = (exr_file::picture_facts(&options.content), attribute(film, info));
    let attribute = Some((ATTRIBUTE, attribute.as_str()));
    let bytes = exr_file::encode(&film.window(), channels, &options.metadata, Some(&facts), attribute);
    write_encoded(path, bytes)
}

/// Makes the EXR channels of a film's sums.
fn sums(film: &Film) -> exr_file::Channels {
    let counts = |of: fn(&PixelSums) -> u32| FlatSamples::U32(film.pixels().map(|p| of(film.sums(p))).collect());
    let mut channels = vec![(SAMPLES, counts(|s| s.samples)), (HITS, counts(|s| s.hits))];
    for sum in RADIANCE {
        let [hi, lo, rest] = planes(film.pixels().map(|p| (sum.get)(film.sums(p))));
        channels.extend([(sum.hi, hi), (sum.lo, lo), (sum.rest, rest)]);
    }
    if film.has_features() {
        let sums = || film.pixels().filter_map(|p| film.feature_sums(p));
        for sum in FEATURES {
            let [hi, lo, rest] = planes(sums().map(sum.get));
            channels.extend([(sum.hi, hi), (sum.lo, lo), (sum.rest, rest)]);
        }
    }
    channels
}

/// Returns the text of a share's EXR attribute.
fn attribute(film: &Film, info: &ShareInfo) -> String {
    format!(
        "version={VERSION}\nsamples={}..{}\nseed={}\nfingerprint={}\nexposure={}\nshows={}\ntransparent={}\ninvalid={}\n",
        info.samples.start,
        info.samples.end,
        info.seed,
        one_line(&info.fingerprint),
        info.content.film_exposure.as_factor(),
        info.content.shows.name(),
        info.content.transparent,
        film.invalid_samples(),
    )
}

/// Splits each f64 into three `f32` values: the nearest one, the nearest one to the rest, and the last bits (24, 24 and
/// 5 of 53). Sums stay below `f32::MAX` by [`crate::film::LARGEST`].
fn planes(values: impl Iterator<Item = f64>) -> [FlatSamples; 3] {
    let (mut hi, mut lo, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for value in values {
        let mut left = value;
        for plane in [&mut hi, &mut lo, &mut rest] {
            plane.push(left as f32);
            // Exact: both have the same leading bits.
            left -= f64::from(left as f32);
        }
    }
    [hi, lo, rest].map(FlatSamples::F32)
}

/// Reads a share file.
///
/// # Errors
/// [`ShareError`] if the file cannot be read, is something else or is damaged.
pub fn read_share(path: &Path) -> Result<Share, ShareError> {
    let read_error = |source| ShareError::Read { path: path.into(), source };
    parse(path, &read_file(path).map_err(read_error)?)
}

/// Largest number of bytes that one byte of a compressed file can stand for; Deflate's limit is 1032.
pub(in crate::output) const MAX_INFLATION: u64 = 1100;

/// Returns `true` if an EXR file holds the sums of a share.
pub(in crate::output) fn is_share(header: &Header) -> bool {
    header.own_attributes.other.keys().any(|name| name.as_slice() == ATTRIBUTE.as_bytes())
}

pub(in crate::output) fn parse(path: &Path, bytes: &[u8]) -> Result<Share, ShareError> {
    let not_a_share = |reason: String| ShareError::NotAShare { path: path.into(), reason };
    let damaged = |damage: ShareDamage| ShareError::Damaged { path: path.into(), damage };
    let no_exr = |e: exr::error::Error| not_a_share(format!("no OpenEXR file: {e}").replace('\n', " "));

    let bytes_of_headers = exr::io::Tracking::new(Cursor::new(bytes));
    let meta = exr::meta::MetaData::read_from_buffered(bytes_of_headers, false).map_err(no_exr)?;
    let [header] = meta.headers.as_slice() else { return Err(not_a_share("it has several parts".into())) };
    let attribute = header.own_attributes.other.iter().find(|(name, _)| name.as_slice() == ATTRIBUTE.as_bytes());
    let Some((_, exr::meta::attribute::AttributeValue::Text(text))) = attribute else {
        return Err(not_a_share(format!("it has no attribute {ATTRIBUTE}; a finished picture has no sums")));
    };
    let window = exr_file::window(header).and_then(|window| {
        let [x, y] = window.origin.map(u32::try_from);
        Window::new(window.whole, Some(Crop { origin: [x.ok()?, y.ok()?], size: window.size })).ok()
    });
    let window = window.ok_or_else(|| damaged(ShareDamage::Outside))?;
    let (info, invalid) = parse_info(&String::from_utf8_lossy(text.as_slice())).map_err(damaged)?;
    // Before anything of the size that the header claims is asked for: a few bytes could claim terabytes.
    let (width, height) = (header.layer_size.0, header.layer_size.1);
    let claimed = (width as u128) * (height as u128) * 4 * header.channels.list.len() as u128;
    if claimed > u128::from(bytes.len() as u64 * MAX_INFLATION) {
        return Err(damaged(ShareDamage::TooManyPixels { width, height, bytes: bytes.len() }));
    }
    drop(meta);

    let image = exr::prelude::read()
        .no_deep_data()
        .largest_resolution_level()
        .all_channels()
        .all_layers()
        .all_attributes()
        .non_parallel()
        .from_buffered(Cursor::new(bytes))
        .map_err(|e| damaged(ShareDamage::Decoder(e.to_string().replace('\n', " "))))?;
    let channels = image.layer_data.into_iter().next().map(|layer| layer.channel_data.list).unwrap_or_default();
    let find = |name: &str| channels.iter().find(|c| c.name.as_slice() == name.as_bytes()).map(|c| &c.sample_data);
    let count = width * height;
    let floats = |name: &str| match find(name) {
        Some(FlatSamples::F32(values)) if values.len() == count => Ok(values),
        _ => Err(damaged(ShareDamage::MissingChannel(name.into()))),
    };
    let counts = |name: &str| match find(name) {
        Some(FlatSamples::U32(values)) if values.len() == count => Ok(values),
        _ => Err(damaged(ShareDamage::MissingChannel(name.into()))),
    };

    let range = info.samples.end - info.samples.start;
    let mut pixels = vec![PixelSums::default(); count];
    for (pixel, &samples) in pixels.iter_mut().zip(counts(SAMPLES)?) {
        if samples > range {
            return Err(damaged(ShareDamage::TooManySamples { samples, range }));
        }
        pixel.samples = samples;
    }
    let none = vec![0.0; count];
    let rest = |name: &str| if find(name).is_some() { floats(name) } else { Ok(&none) };
    for sum in RADIANCE {
        fill(&mut pixels, &sum, [floats(sum.hi)?, floats(sum.lo)?, rest(sum.rest)?]).map_err(damaged)?;
    }
    // Shares of version 1 lack hits where they lack features, and then nothing asks for them.
    if find(HITS).is_some() {
        for (pixel, &hits) in pixels.iter_mut().zip(counts(HITS)?) {
            if hits > pixel.samples {
                return Err(damaged(ShareDamage::TooManyHits { hits, samples: pixel.samples }));
            }
            pixel.hits = hits;
        }
    }
    let mut features = Vec::new();
    if FEATURES.iter().any(|sum| find(sum.hi).is_some()) {
        features = vec![FeatureSums::default(); count];
        for sum in FEATURES {
            fill(&mut features, &sum, [floats(sum.hi)?, floats(sum.lo)?, rest(sum.rest)?]).map_err(damaged)?;
        }
    }

    let mut film =
        Film::of(window, !features.is_empty()).map_err(|source| ShareError::Film { path: path.into(), source })?;
    for (i, pixel) in film.pixels().enumerate() {
        film.merge_pixel(pixel, &pixels[i], features.get(i));
    }
    film.count_invalid(invalid);
    Ok(Share { path: path.into(), info, film })
}

fn fill<T>(into: &mut [T], sum: &Sum<T>, [hi, lo, rest]: [&Vec<f32>; 3]) -> Result<(), ShareDamage> {
    for (((pixel, &hi), &lo), &rest) in into.iter_mut().zip(hi).zip(lo).zip(rest) {
        if ![hi, lo, rest].iter().all(|part| part.is_finite()) {
            return Err(ShareDamage::NotFinite(sum.hi));
        }
        (sum.set)(pixel, f64::from(hi) + f64::from(lo) + f64::from(rest));
    }
    Ok(())
}

/// Parses the text of a share's EXR attribute; returns its facts and its number of invalid samples.
fn parse_info(text: &str) -> Result<(ShareInfo, u64), ShareDamage> {
    let field = |key: &'static str| {
        let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        value.ok_or(ShareDamage::MissingFact(key))
    };
    let version = field("version")?;
    if !READ_VERSIONS.contains(&version) {
        return Err(ShareDamage::Version(version.into()));
    }
    let bad = ShareDamage::NotANumber;
    let (start, end) = field("samples")?.split_once("..").ok_or_else(|| bad("samples"))?;
    let samples = start.parse().map_err(|_| bad("samples"))?..end.parse().map_err(|_| bad("samples"))?;
    if samples.is_empty() {
        return Err(ShareDamage::NoSamples);
    }
    let seed = field("seed")?.parse().map_err(|_| bad("seed"))?;
    let invalid = field("invalid")?.parse().map_err(|_| bad("invalid"))?;
    let film_exposure = field("exposure")?.parse().ok().and_then(Exposure::factor);
    let film_exposure = film_exposure.ok_or(ShareDamage::Exposure)?;
    let content = Content {
        shows: field("shows").map(Shows::named).unwrap_or_default(),
        transparent: field("transparent").is_ok_and(|text| text == "true"),
        film_exposure,
    };
    Ok((ShareInfo { samples, seed, fingerprint: field("fingerprint")?.to_owned(), content }, invalid))
}
