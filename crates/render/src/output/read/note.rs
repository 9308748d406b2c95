//! Notes on a picture that was read.

use std::fmt;

/// Note on what of a picture file could not be read as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadNote {
    /// The primaries of the file's colours are not those of Rec. 709; its numbers are taken as if they were.
    OtherPrimaries,
    /// A part of the file has another size than the picture and is left out.
    PartOfOtherSize {
        /// Name of the part.
        part: String,
    },
}

impl fmt::Display for ReadNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherPrimaries => {
                f.write_str("its primaries are not those of Rec. 709; its numbers are taken as if they were")
            }
            Self::PartOfOtherSize { part } => write!(f, "its part {part} has another size and is left out"),
        }
    }
}
