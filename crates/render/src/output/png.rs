//! PNG: eight bits a channel, marked as sRGB (chunks sRGB, gAMA and cHRM), without dither.

use super::Metadata;
use png::{BitDepth, ColorType, EncodingError, ScaledFloat, SourceChromaticities, SrgbRenderingIntent};

/// Image of sRGB bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rgb8 {
    /// Columns and rows, each at least 1.
    pub size: [u32; 2],
    /// Bytes of the pixels, three each, row by row from the top.
    pub bytes: Vec<u8>,
}

/// Encodes a PNG file to bytes; `bytes` has three per pixel, or four if `has_alpha` (colours not premultiplied).
pub(super) fn encode(
    size: [u32; 2],
    bytes: &[u8],
    has_alpha: bool,
    metadata: &Metadata,
) -> Result<Vec<u8>, EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, size[0], size[1]);
    encoder.set_color(if has_alpha { ColorType::Rgba } else { ColorType::Rgb });
    encoder.set_depth(BitDepth::Eight);
    encoder.set_source_srgb(SrgbRenderingIntent::RelativeColorimetric);
    // For readers that do not know sRGB: what the standard tells to write beside it (PNG 11.3.2.5).
    let point = |x, y| (ScaledFloat::from_scaled(x), ScaledFloat::from_scaled(y));
    encoder.set_source_gamma(ScaledFloat::from_scaled(45_455));
    encoder.set_source_chromaticities(SourceChromaticities {
        white: point(31_270, 32_900),
        red: point(64_000, 33_000),
        green: point(30_000, 60_000),
        blue: point(15_000, 6_000),
    });
    encoder.add_itxt_chunk("Software".into(), metadata.software.clone())?;
    let text = metadata.text();
    if !text.is_empty() {
        // iTXt is UTF-8; tEXt would lose paths that are not Latin-1.
        encoder.add_itxt_chunk("Comment".into(), text)?;
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(bytes)?;
    writer.finish()?;
    Ok(file)
}
