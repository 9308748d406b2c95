//! What is wrong with the bytes of a file as a whole: their number, or their compression.

/// Largest number of bytes of a file after decompression: enough for the largest scene in use.
pub(crate) const MAX_BYTES: u64 = 8 << 30;

/// Fault of a file's size, or of its compression with gzip or Zstandard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum PackedFault {
    #[error("larger than {} GiB", MAX_BYTES >> 30)]
    LargeFile,
    #[error("unpacks to more than {limit} bytes; unpack it by hand if it is meant so")]
    Unpacked { limit: u64 },
    #[error("{bytes} bytes that are not gzip data from byte {at}")]
    NotGzip { bytes: usize, at: usize },
    #[error("broken compressed data after {after} bytes: {error}")]
    Broken { after: usize, error: String },
    #[error("broken compressed data: a skippable frame is cut off")]
    CutFrame,
    #[error("broken compressed data: the checksum is wrong")]
    Checksum,
    #[error("broken Zstandard data: {error}")]
    Zstandard { error: String },
}
