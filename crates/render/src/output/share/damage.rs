//! What is wrong with the file of a share.

use super::file::{ATTRIBUTE, VERSION};

/// Fault of a file that is a share, but incomplete or contradictory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShareDamage {
    /// The file's pixels lie outside of the picture that it is a part of.
    #[error("its pixels lie outside of the picture")]
    Outside,
    /// The header claims more pixels than the file can hold.
    #[error("{width}x{height} pixels cannot be in {bytes} bytes")]
    TooManyPixels {
        /// Number of columns.
        width: usize,
        /// Number of rows.
        height: usize,
        /// Size of the file.
        bytes: usize,
    },
    /// The decoder cannot read the file's pixels; holds its message.
    #[error("{0}")]
    Decoder(String),
    /// A channel of sums or counts is missing.
    #[error("channel {0} is missing")]
    MissingChannel(String),
    /// A channel of sums holds a number that is not finite.
    #[error("channel {0} is not finite")]
    NotFinite(&'static str),
    /// A pixel has more samples than the share's range.
    #[error("a pixel has {samples} samples of {range}")]
    TooManySamples {
        /// Number of samples of the pixel.
        samples: u32,
        /// Number of samples in the range.
        range: u32,
    },
    /// A pixel has more hits than samples.
    #[error("a pixel has {hits} hits of {samples} samples")]
    TooManyHits {
        /// Number of hits of the pixel.
        hits: u32,
        /// Number of samples of the pixel.
        samples: u32,
    },
    /// The share's attribute lacks a fact.
    #[error("{ATTRIBUTE} lacks {0}")]
    MissingFact(&'static str),
    /// A fact of the share's attribute is no number.
    #[error("{ATTRIBUTE} has a {0} that is no number")]
    NotANumber(&'static str),
    /// The film's exposure is no positive number.
    #[error("{ATTRIBUTE} has an exposure that is no positive number")]
    Exposure,
    /// The share's range of samples is empty.
    #[error("its range of samples is empty")]
    NoSamples,
    /// The share is of a version that this program does not read.
    #[error("it is of version {0}, this program reads up to {VERSION}")]
    Version(String),
}
