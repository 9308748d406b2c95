//! OpenEXR: one part of `f32` channels, ZIP-compressed, rows from the top.
//!
//! Layers are named as Blender and denoisers look for them: `albedo.R`, `normal.X`, `depth.Z`. The bytes depend on
//! the picture and its metadata alone.

use super::{Content, Exposure, Metadata, Shows};
use crate::film::{Film, Window};
use exr::meta::attribute::{AttributeValue, Chromaticities, IntegerBounds, Text};
use exr::meta::header::Header;
use exr::prelude::{
    AnyChannel, AnyChannels, Blocks, Compression, Encoding, FlatSamples, Image, Layer, LayerAttributes, LineOrder,
    Vec2, WritableImage,
};
use std::io::Cursor;

/// Name of the EXR attribute of finished pictures, whose text is lines of `key=value`.
pub(super) const PICTURE_ATTRIBUTE: &str = "raywarpPicture";

/// Distance that the layer `depth.Z` holds where all samples missed, as in Blender.
pub const MISS_DEPTH: f32 = 1e10;

/// Layers that an EXR file has besides the colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layers {
    /// `true` for the layer `albedo.R`, `.G`, `.B`: mean reflectance at the first hit. Needs a film with features, as
    /// the next two.
    pub albedo: bool,
    /// `true` for the layer `normal.X`, `.Y`, `.Z`: mean world-space normal at the first hit, not normalised again.
    pub normal: bool,
    /// `true` for the layer `depth.Z`: mean distance over the samples that hit something; [`MISS_DEPTH`] where none
    /// did.
    pub depth: bool,
    /// `true` for the layer `samples`: number of samples of the pixel.
    pub samples: bool,
    /// `true` for the layer `variance`: estimated variance of the luminance of the pixel's mean; 0 below two samples.
    pub variance: bool,
}

impl Layers {
    /// All layers that there are.
    pub const ALL: Self = Self { albedo: true, normal: true, depth: true, samples: true, variance: true };

    /// Returns `true` if a film needs sums of albedo, normal and depth for these layers.
    pub fn needs_features(&self) -> bool {
        self.albedo || self.normal || self.depth
    }
}

/// EXR channels by name, each with one value per pixel.
pub(super) type Channels = Vec<(&'static str, FlatSamples)>;

/// Makes the EXR channels R, G and B.
pub(super) fn colour(radiance: &[[f32; 3]]) -> Channels {
    ["R", "G", "B"].into_iter().enumerate().map(|(k, name)| (name, plane(radiance.iter().map(|c| c[k])))).collect()
}

/// Makes the EXR channels of `layers` from a film; without sums of features it has only the last two.
pub(super) fn layers(film: &Film, layers: Layers) -> Channels {
    let mut channels = Vec::new();
    let sums = || film.pixels().map(|p| film.sums(p));
    if film.has_features() {
        let pixels = || film.pixels().filter_map(|p| Some((film.sums(p).samples.max(1), film.feature_sums(p)?)));
        let hits = || film.pixels().filter_map(|p| Some((film.sums(p).hits, film.feature_sums(p)?)));
        if layers.albedo {
            for (k, name) in ["albedo.R", "albedo.G", "albedo.B"].into_iter().enumerate() {
                channels.push((name, plane(pixels().map(|(n, f)| (f.albedo[k] / f64::from(n)) as f32))));
            }
        }
        if layers.normal {
            for (k, name) in ["normal.X", "normal.Y", "normal.Z"].into_iter().enumerate() {
                channels.push((name, plane(pixels().map(|(n, f)| (f.normal[k] / f64::from(n)) as f32))));
            }
        }
        if layers.depth {
            let depth = |hits: u32, sum: f64| if hits == 0 { MISS_DEPTH } else { (sum / f64::from(hits)) as f32 };
            channels.push(("depth.Z", plane(hits().map(|(n, f)| depth(n, f.depth)))));
        }
    }
    if layers.samples {
        channels.push(("samples", plane(sums().map(|s| s.samples as f32))));
    }
    if layers.variance {
        let finite = |v: f64| v.min(f64::from(f32::MAX)) as f32;
        channels.push(("variance", plane(sums().map(|s| finite(s.variance_of_mean().unwrap_or(0.0))))));
    }
    channels
}

/// Returns the text of the EXR attribute [`PICTURE_ATTRIBUTE`].
pub(super) fn picture_facts(content: &Content) -> String {
    format!("version=1\nshows={}\nexposure={}\n", content.shows.name(), content.film_exposure.as_factor())
}

/// Parses the text of the EXR attribute [`PICTURE_ATTRIBUTE`]; missing entries get defaults.
pub(super) fn parse_picture_facts(text: &str) -> Content {
    let field = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    let exposure = field("exposure").and_then(|x| x.parse().ok()).and_then(Exposure::factor);
    Content {
        shows: field("shows").map(Shows::named).unwrap_or_default(),
        transparent: false,
        film_exposure: exposure.unwrap_or_default(),
    }
}

/// Encodes an EXR file to bytes. `facts` is the text of [`PICTURE_ATTRIBUTE`], `attribute` another custom one, name and
/// value. A second of either would be written in random order: the crate keeps each in a hash map of its own.
pub(super) fn encode<Name: AsRef<str>>(
    window: &Window,
    channels: Vec<(Name, FlatSamples)>,
    metadata: &Metadata,
    facts: Option<&str>,
    attribute: Option<(&str, &str)>,
) -> Result<Vec<u8>, exr::error::Error> {
    let list = channels.into_iter().map(|(name, samples)| AnyChannel::new(text(name.as_ref()), samples)).collect();
    let comments = metadata.text();
    let mut attributes = LayerAttributes {
        software_name: Some(text(&metadata.software)),
        comments: (!comments.is_empty()).then(|| text(&comments)),
        layer_position: Vec2(window.origin[0], window.origin[1]),
        ..LayerAttributes::default()
    };
    if let Some((name, value)) = attribute {
        attributes.other.insert(text(name), AttributeValue::Text(text(value)));
    }
    let encoding =
        Encoding { compression: Compression::ZIP16, blocks: Blocks::ScanLines, line_order: LineOrder::Increasing };
    let size = |size: [u32; 2]| Vec2(size[0] as usize, size[1] as usize);
    let layer = Layer::new(size(window.size), attributes, encoding, AnyChannels::sort(list));
    let mut image = Image::from_layer(layer);
    image.attributes.display_window = IntegerBounds { position: Vec2(0, 0), size: size(window.whole) };
    if let Some(facts) = facts {
        image.attributes.other.insert(text(PICTURE_ATTRIBUTE), AttributeValue::Text(text(facts)));
    }
    // Rec. 709 and D65: what the format assumes, said.
    image.attributes.chromaticities = Some(Chromaticities {
        red: Vec2(0.64, 0.33),
        green: Vec2(0.30, 0.60),
        blue: Vec2(0.15, 0.06),
        white: Vec2(0.3127, 0.3290),
    });
    let mut file = Cursor::new(Vec::new());
    image.write().non_parallel().to_buffered(&mut file)?;
    Ok(file.into_inner())
}

/// Returns which part of the whole picture an EXR file holds, from the windows in its header; `None` if they are out of
/// range.
pub(super) fn window(header: &Header) -> Option<Window> {
    let size = |size: Vec2<usize>| Some([u32::try_from(size.0).ok()?, u32::try_from(size.1).ok()?]);
    let (data, display) = (header.own_attributes.layer_position, header.shared_attributes.display_window);
    let origin = [data.0.checked_sub(display.position.0)?, data.1.checked_sub(display.position.1)?];
    Some(Window { whole: size(display.size)?, origin, size: size(header.layer_size)? })
}

pub(super) fn plane(values: impl Iterator<Item = f32>) -> FlatSamples {
    FlatSamples::F32(values.collect())
}

/// Makes an EXR text of UTF-8 bytes as they are, since the crate's own conversion panics beyond Latin-1.
fn text(value: &str) -> Text {
    Text::from_slice_unchecked(value.as_bytes())
}
