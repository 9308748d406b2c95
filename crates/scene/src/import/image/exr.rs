//! OpenEXR: the first layer that has red, green and blue, or a luminance.

use super::Origin;
use crate::{ImageFault, ImportError, Pixels};
use ::exr::error::Error;
use ::exr::io::Tracking;
use ::exr::meta::MetaData;
use ::exr::meta::attribute::Text;
use ::exr::prelude::{ReadChannels, ReadLayers, ReadSpecificChannel, Vec2, read};
use std::io::Cursor;

/// Names of the EXR channels to read; `None` where a luminance channel stands for all three colours.
struct Wanted {
    red: Text,
    green_blue: Option<(Text, Text)>,
    alpha: Text,
}

/// Texels of an EXR layer while it is read.
struct Texels {
    width: usize,
    data: Vec<[f32; 4]>,
}

impl Texels {
    fn new(size: Vec2<usize>) -> Self {
        Self { width: size.width(), data: vec![[0.0; 4]; size.area()] }
    }

    fn set(&mut self, at: Vec2<usize>, texel: [f32; 4]) {
        if let Some(slot) = self.data.get_mut(at.y() * self.width + at.x()) {
            *slot = texel;
        }
    }
}

pub(super) fn decode(origin: &Origin, bytes: &[u8]) -> Result<(u32, u32, Pixels), ImportError> {
    let fault = |error: Error| match error {
        Error::NotSupported(what) => {
            origin.unsupported(ImageFault::Unsupported { format: "EXR", feature: what.to_string() })
        }
        error => origin.malformed(ImageFault::Broken { format: "EXR", error: error.to_string() }),
    };
    // `Tracking` as the reader of pixels has it, so that what reads headers is compiled once.
    let meta = MetaData::read_from_buffered(Tracking::new(Cursor::new(bytes)), false).map_err(fault)?;
    let mut found = None;
    for header in &meta.headers {
        // Every layer's size, since the reader makes room for the offsets of all of them.
        let size = origin.check_size(header.layer_size.0 as u64, header.layer_size.1 as u64, bytes.len())?;
        if found.is_none() && !header.deep {
            let names: Vec<&Text> = header.channels.list.iter().map(|channel| &channel.name).collect();
            found = wanted(&names).map(|wanted| (size, wanted));
        }
    }
    let Some(((width, height), wanted)) = found else {
        return Err(origin.unsupported(ImageFault::ExrLayers));
    };
    let reader = read().no_deep_data().largest_resolution_level().specific_channels();
    let data = match wanted.green_blue {
        Some((green, blue)) => {
            let channels = reader.required(wanted.red).required(green).required(blue).optional(wanted.alpha, 1.0f32);
            let pixels = channels.collect_pixels(
                |size, _| Texels::new(size),
                |texels: &mut Texels, at, (r, g, b, a): (f32, f32, f32, f32)| texels.set(at, [r, g, b, a]),
            );
            let image = pixels.first_valid_layer().all_attributes().from_buffered(Cursor::new(bytes)).map_err(fault)?;
            image.layer_data.channel_data.pixels.data
        }
        None => {
            let channels = reader.required(wanted.red).optional(wanted.alpha, 1.0f32);
            let pixels = channels.collect_pixels(
                |size, _| Texels::new(size),
                |texels: &mut Texels, at, (y, a): (f32, f32)| texels.set(at, [y, y, y, a]),
            );
            let image = pixels.first_valid_layer().all_attributes().from_buffered(Cursor::new(bytes)).map_err(fault)?;
            image.layer_data.channel_data.pixels.data
        }
    };
    if data.len() != width as usize * height as usize {
        return Err(origin.malformed(ImageFault::ExrTexels { found: data.len(), width, height }));
    }
    Ok((width, height, Pixels::Float(data)))
}

/// Chooses the colour channels of an EXR file: those without a prefix, else those of the first layer (`beauty.R`);
/// colours before luminance.
fn wanted(names: &[&Text]) -> Option<Wanted> {
    let text = |name: &Text| name.to_string();
    let mut prefixes = vec![String::new()];
    for name in names {
        if let Some(dot) = text(name).rfind('.') {
            prefixes.push(text(name)[..=dot].to_string());
        }
    }
    let find = |prefix: &str, channel: &str| {
        let named = |name: &&&Text| text(name).strip_prefix(prefix).is_some_and(|c| c.eq_ignore_ascii_case(channel));
        names.iter().find(named).map(|&name| name.clone())
    };
    for prefix in &prefixes {
        // An absent alpha is asked for under a name that no channel has.
        let alpha = find(prefix, "A").unwrap_or_else(|| Text::from(format!("{prefix}A").as_str()));
        if let (Some(r), Some(g), Some(b)) = (find(prefix, "R"), find(prefix, "G"), find(prefix, "B")) {
            return Some(Wanted { red: r, green_blue: Some((g, b)), alpha });
        }
        if let Some(y) = find(prefix, "Y") {
            return Some(Wanted { red: y, green_blue: None, alpha });
        }
    }
    None
}
