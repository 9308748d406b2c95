//! OpenEXR files of any program.
//!
//! Sizes are checked before anything of that size is asked for: a few bytes could claim terabytes.

use super::{LayerChannel, PictureFile, ReadError, ReadNote};
use crate::output::exr::{PICTURE_ATTRIBUTE, parse_picture_facts, window};
use crate::output::share::{MAX_INFLATION, is_share, parse as parse_share};
use exr::io::Tracking;
use exr::meta::MetaData;
use exr::meta::attribute::{AttributeValue, Chromaticities, Text};
use exr::meta::header::Header;
use exr::prelude::{FlatSamples, ReadChannels as _, ReadLayers as _, Vec2};
use raywarp_system::memory;
use std::io::Cursor;
use std::path::Path;

/// Size in bytes up to which a picture may be compressed without limit.
const SMALL_BYTES: u64 = 64 << 20;
/// Names of layers that hold the picture itself, as Blender and others call it, among other layers with R, G and B.
const MAIN_LAYERS: [&str; 4] = ["combined", "beauty", "rgba", "rgb"];
/// Prefixes of channel names of a share's sums.
const SUM_PREFIXES: [&str; 3] = ["hi.", "lo.", "rest."];

/// Names of layers that never hold the picture itself.
const OTHER_LAYERS: [&str; 3] = ["albedo", "normal", "depth"];

pub(in crate::output) fn parse(path: &Path, bytes: &[u8]) -> Result<PictureFile, ReadError> {
    let damaged = |reason: String| ReadError::Damaged { path: path.into(), reason: reason.replace('\n', " ") };
    // The decoder is other people's code. A panic in it is a broken file, not a crash.
    std::panic::catch_unwind(|| parse_checked(path, bytes))
        .unwrap_or_else(|_| Err(damaged("the decoder gave up on it".into())))
}

fn parse_checked(path: &Path, bytes: &[u8]) -> Result<PictureFile, ReadError> {
    let damaged = |reason: String| ReadError::Damaged { path: path.into(), reason: reason.replace('\n', " ") };

    // `Tracking` as the reader of pixels has it, so that what reads headers is compiled once.
    let bytes_of_headers = Tracking::new(Cursor::new(bytes));
    let meta = MetaData::read_from_buffered(bytes_of_headers, false).map_err(|e| damaged(e.to_string()))?;
    let Some(main) = find_colours(&meta.headers) else {
        return match meta.headers.as_slice() {
            [header] if is_share(header) => Ok(PictureFile::of_share(parse_share(path, bytes)?)),
            _ => Err(ReadError::NoPicture { path: path.into() }),
        };
    };
    let header = &meta.headers[main.part];
    let window = window(header).ok_or_else(|| damaged("its pixels lie too far from its picture".into()))?;
    check(path, &meta.headers, bytes.len())?;
    let several = meta.headers.len() > 1;
    let (sums, main_size, mut notes) = (is_share(header), header.layer_size, Vec::new());
    if let Some(chromaticities) = header.shared_attributes.chromaticities
        && !is_rec709(&chromaticities)
    {
        notes.push(ReadNote::OtherPrimaries);
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
        .map_err(|e| damaged(e.to_string()))?;

    let count = window.pixel_count();
    let (mut planes, mut layers) = ([const { None::<Vec<f32>> }; 4], Vec::new());
    let (mut comments, mut content) = (String::new(), Default::default());
    for (i, part) in image.layer_data.into_iter().enumerate() {
        let attributes = part.attributes;
        if i == main.part {
            comments = attributes.comments.as_ref().map(string).unwrap_or_default();
            let facts = attributes.other.iter().find(|(name, _)| name.as_slice() == PICTURE_ATTRIBUTE.as_bytes());
            if let Some((_, AttributeValue::Text(text))) = facts {
                content = parse_picture_facts(&String::from_utf8_lossy(text.as_slice()));
            }
        }
        let part_name = attributes.layer_name.as_ref().map(string).unwrap_or_default();
        if part.size != main_size {
            notes.push(ReadNote::PartOfOtherSize { part: part_name });
            continue;
        }
        for channel in part.channel_data.list {
            let name = string(&channel.name);
            if channel.sample_data.len() != count {
                return Err(damaged(format!("channel {name} has {} values", channel.sample_data.len())));
            }
            let colour = (i == main.part).then(|| main.names.iter().position(|wanted| *wanted == name)).flatten();
            // Sums for merging, which a picture may carry, are no layers.
            let is_sum = sums && (SUM_PREFIXES.iter().any(|of_sums| name.starts_with(of_sums)) || name == "hits");
            match colour {
                Some(k) => planes[k] = Some(floats(channel.sample_data)),
                None if is_sum => {}
                None => {
                    let name = if several && i != main.part { format!("{part_name}.{name}") } else { name };
                    layers.push(LayerChannel { name, values: floats(channel.sample_data) });
                }
            }
        }
    }
    let [red, green, blue, alpha] = planes;
    let Some(red) = red else { return Err(damaged("its colours are missing".into())) };
    let colour = match (green, blue) {
        (Some(green), Some(blue)) => (0..count).map(|i| [red[i], green[i], blue[i]]).collect(),
        _ => red.iter().map(|&y| [y; 3]).collect(),
    };
    content.transparent = alpha.is_some();
    Ok(PictureFile { path: path.into(), window, colour, alpha, layers, content, from_srgb8: false, comments, notes })
}

/// Refuses an EXR file whose header promises more than its bytes or the memory can hold, or that the decoder cannot
/// read.
fn check(path: &Path, headers: &[Header], file_bytes: usize) -> Result<(), ReadError> {
    let mut claimed = 0_u128;
    for header in headers {
        if header.deep {
            return Err(ReadError::DeepData { path: path.into() });
        }
        if let Some(channel) = header.channels.list.iter().find(|channel| channel.sampling != Vec2(1, 1)) {
            return Err(ReadError::SmallChannel { path: path.into(), channel: string(&channel.name) });
        }
        let Vec2(width, height) = header.layer_size;
        claimed += width as u128 * height as u128 * 4 * header.channels.list.len() as u128;
    }
    let Vec2(width, height) = headers[0].layer_size;
    if claimed > u128::from(SMALL_BYTES + file_bytes as u64 * MAX_INFLATION) {
        let reason = format!("{width}x{height} pixels cannot be in {file_bytes} bytes");
        return Err(ReadError::Damaged { path: path.into(), reason });
    }
    // As they are decoded, as planes, and the colours once more together.
    let needed = claimed as u64 * 2;
    match memory::available() {
        Some(free) if needed > free.max(SMALL_BYTES) => Err(ReadError::Memory {
            path: path.into(),
            size: [width as u32, height as u32],
            channels: headers.iter().map(|header| header.channels.list.len()).sum(),
            needed,
            free,
        }),
        _ => Ok(()),
    }
}

/// Colours in an EXR file: the part that holds them, and the names of the channels.
struct Colours {
    part: usize,
    /// Names of the red, green, blue and alpha channels; for luminance, the first and the last only.
    names: [String; 4],
}

/// Finds the colours of an EXR file: without a layer's name first, then in a layer named as the picture, then in the
/// first layer; colours before luminance.
fn find_colours(headers: &[Header]) -> Option<Colours> {
    let names: Vec<Vec<String>> = headers
        .iter()
        .map(|header| header.channels.list.iter().map(|channel| string(&channel.name)).collect())
        .collect();
    let mut places: Vec<(usize, String)> = (0..headers.len()).map(|part| (part, String::new())).collect();
    let mut prefixed = Vec::new();
    for (part, names) in names.iter().enumerate() {
        for dot in names.iter().filter_map(|name| Some((name, name.rfind('.')?))) {
            prefixed.push((part, dot.0[..=dot.1].to_owned()));
        }
    }
    let last = |prefix: &str| prefix.trim_end_matches('.').rsplit('.').next().unwrap_or_default().to_lowercase();
    prefixed.sort_by_key(|(_, prefix)| !MAIN_LAYERS.contains(&last(prefix).as_str()));
    // A share's sums and the layers that every renderer has are no picture.
    let is_none = |prefix: &str| {
        SUM_PREFIXES.iter().any(|sums| prefix.starts_with(sums)) || OTHER_LAYERS.contains(&last(prefix).as_str())
    };
    places.extend(prefixed.into_iter().filter(|(_, prefix)| !is_none(prefix)));
    places.into_iter().filter(|(part, _)| !headers[*part].deep).find_map(|(part, prefix)| {
        let find = |channel: &str| {
            let named = |name: &&String| name.strip_prefix(&prefix).is_some_and(|c| c.eq_ignore_ascii_case(channel));
            names[part].iter().find(named).cloned()
        };
        let alpha = find("A").unwrap_or_default();
        let colours = match (find("R"), find("G"), find("B")) {
            (Some(r), Some(g), Some(b)) => [r, g, b, alpha],
            _ => [find("Y")?, String::new(), String::new(), alpha],
        };
        Some(Colours { part, names: colours })
    })
}

/// Returns an EXR text as UTF-8, since the crate's own conversion takes bytes for Latin-1.
fn string(text: &Text) -> String {
    String::from_utf8_lossy(text.as_slice()).into_owned()
}

/// Returns `true` if primaries are those of Rec. 709, within the rounding of usual programs.
fn is_rec709(c: &Chromaticities) -> bool {
    let near = |a: Vec2<f32>, b: [f32; 2]| (a.0 - b[0]).abs() < 2e-3 && (a.1 - b[1]).abs() < 2e-3;
    near(c.red, [0.64, 0.33]) && near(c.green, [0.30, 0.60]) && near(c.blue, [0.15, 0.06])
}

/// Converts a channel's values to `f32`; those that are `f32` already are moved.
pub(super) fn floats(samples: FlatSamples) -> Vec<f32> {
    match samples {
        FlatSamples::F32(values) => values,
        other => other.values_as_f32().collect(),
    }
}
