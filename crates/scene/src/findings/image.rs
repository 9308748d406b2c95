//! What in an image breaks its format, needs something that is not supported, or exceeds a limit.

/// Largest width or height of an image in texels.
pub(crate) const MAX_SIDE: u32 = 1 << 14;
/// Largest ratio of texels to file bytes for large images, six times that of a PNG of one colour in eight-bit RGB.
/// Otherwise 30 kilobytes could ask for gigabytes.
pub(crate) const MAX_LARGE_TEXELS_PER_BYTE: u64 = 1 << 11;

/// Fault of an image; `format` names the format of the image's file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum ImageFault {
    #[error("the image is empty; {KNOWN}")]
    Empty,
    #[error("{what}; {KNOWN}")]
    OtherImage { what: &'static str },
    #[error("this is {what}, not an image that is read; {KNOWN}")]
    NoImage { what: &'static str },
    #[error("an unknown kind of image (it begins with {start:02x?}); {KNOWN}")]
    Unknown { start: Vec<u8> },
    #[error("the image decoder gave up on this file")]
    DecoderGaveUp,
    #[error("an image of {width} x {height} texels")]
    NoTexels { width: u64, height: u64 },
    #[error("an image of {width} x {height} texels; at most {MAX_SIDE} x {MAX_SIDE} are read")]
    Size { width: u64, height: u64 },
    #[error("{bytes} bytes cannot hold {width} x {height} texels")]
    CannotHold { bytes: usize, width: u64, height: u64 },
    #[error(
        "{width} x {height} texels in {bytes} bytes; at most {MAX_LARGE_TEXELS_PER_BYTE} a byte are read from \
             images this large"
    )]
    Sparse { width: u64, height: u64, bytes: usize },
    /// The decoder of another crate refuses the file.
    #[error("broken {format} image: {error}")]
    Broken { format: &'static str, error: String },
    /// The decoder of another crate lacks a feature.
    #[error("{format} image: {feature}")]
    Unsupported { format: &'static str, feature: String },
    #[error("broken {format} image: the file ends too early")]
    Cut { format: &'static str },
    #[error("EXR image without a layer that has R, G and B, or Y")]
    ExrLayers,
    #[error("broken EXR image: {found} texels for {width} x {height}")]
    ExrTexels { found: usize, width: u32, height: u32 },
    #[error("broken HDR image: the file ends in its header")]
    HdrHeader,
    #[error("broken HDR image: the file ends before its size")]
    HdrWithoutSize,
    #[error("broken HDR image: no size in {line:?}")]
    HdrSize { line: String },
    #[error("HDR image: colours as {name}")]
    HdrColors { name: String },
    #[error("HDR image: rows in the order {first:.4} {second:.4}")]
    HdrOrder { first: String, second: String },
    #[error("broken HDR image: a row is longer than the image")]
    HdrLongRow,
    #[error("broken HDR image: a row begins with a run of nothing")]
    HdrRun,
    #[error("TGA image: a colour map of {bits} bits an entry")]
    TgaMapBits { bits: u8 },
    #[error("broken TGA image: a texel has no colour in the map")]
    TgaIndex,
    #[error("broken TGA image: it has no colour map")]
    TgaWithoutMap,
    #[error("broken TGA image: indices into a colour map have one byte or two")]
    TgaIndexBits,
    #[error("TGA image: indices larger than the colours")]
    TgaLargeIndices,
    #[error("broken TGA image: it has more bits of alpha than of a texel")]
    TgaAlphaBits,
    #[error("TGA image: {} of {bits} bits, {alpha} of them alpha", if *has_colors { "colours" } else { "greys" })]
    TgaTexels { has_colors: bool, bits: u8, alpha: u8 },
    #[error("KTX2 image is cut off: its largest level lies past the end")]
    KtxLevelCut,
    #[error("KTX2 image is cut off in its header")]
    KtxHeaderCut,
    #[error("KTX2 image is cut off in its level index")]
    KtxIndexCut,
    #[error("KTX2 image is a cube map or has depth; only flat ones are read")]
    KtxNotFlat,
    #[error("KTX2 image says that it has {levels} levels")]
    KtxLevels { levels: u32 },
    #[error("KTX2 level {level} of {length} bytes (unpacked {unpacked}) at byte {offset} does not fit the image")]
    KtxLevel { level: usize, length: u64, unpacked: u64, offset: u64 },
    #[error("KTX2 supercompression scheme {scheme}")]
    KtxScheme { scheme: u32 },
    #[error("KTX2 image has {found} bytes where {width} x {height} texels take {wanted}")]
    KtxTexels { found: usize, width: u32, height: u32, wanted: usize },
    #[error("KTX2 image of VkFormat {code}")]
    KtxFormat { code: u32 },
    #[error("broken KTX2 image (Basis Universal): {error}")]
    KtxBasis { error: String },
    #[error("broken KTX2 image (Basis Universal): it has another size than it says")]
    KtxBasisSize,
    #[error("broken KTX2 image: its largest level does not unpack to {size} bytes")]
    KtxUnpacked { size: u64 },
}

/// Formats that are read, for the end of a sentence.
const KNOWN: &str = "known are PNG, JPEG, WebP, TGA, HDR, EXR and KTX2";
