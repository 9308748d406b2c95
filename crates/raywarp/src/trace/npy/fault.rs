//! Faults of `.npy` files of rays, and what to do about each.

/// Fault of a `.npy` file of rays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NpyFault {
    /// The file does not begin as a `.npy` file.
    #[error("is no .npy file; numpy.save(FILE, rays) writes one")]
    NoNpyFile,
    /// The format's version (major and minor) is not known.
    #[error("format version {}.{}; 1.0, 2.0 and 3.0 are known", .0[0], .0[1])]
    Version([u8; 2]),
    /// The header has more bytes than that of rays may have.
    #[error("a header of {0} bytes; that of rays has about 100")]
    LongHeader(u32),
    /// The file ends before the length of its header.
    #[error("ends within the header")]
    CutBeforeHeader,
    /// The file ends within its header, whose length in bytes is known.
    #[error("ends within the header, which has {0} bytes")]
    CutHeader(u32),
    /// The header lacks a character.
    #[error("the header should have a '{0}' here")]
    Expected(char),
    /// The header lacks a value.
    #[error("the header should have a value here")]
    ExpectedValue,
    /// The header has an entry that is not known.
    #[error("the header has an entry {0} that is not known")]
    UnknownEntry(String),
    /// The header has an entry twice.
    #[error("the header has two entries {0}")]
    TwoEntries(String),
    /// The header lacks an entry.
    #[error("the header has no entry '{0}'")]
    MissingEntry(&'static str),
    /// The header has text after its end.
    #[error("the header goes on after its end")]
    AfterHeader,
    /// A text of the header lacks its closing quote.
    #[error("a text of the header does not end")]
    OpenText,
    /// A number of the header does not fit into 64 bits.
    #[error("a number of the header is too large")]
    LargeNumber,
    /// The header nests lists too deeply.
    #[error("the header has too many lists in lists")]
    Nested,
    /// The numbers are of a type that rays do not have.
    #[error("the type is {0}, that of rays '<f4' or '<f8'; convert with rays.astype('<f4')")]
    Type(String),
    /// The array's elements are records.
    #[error(
        "the type is a record, that of rays '<f4' or '<f8'; convert with \
             numpy.lib.recfunctions.structured_to_unstructured(rays, '<f4')"
    )]
    Record,
    /// The array's order is neither of the two that there are.
    #[error("fortran_order is {0}, neither True nor False")]
    Order(String),
    /// The array's shape is no tuple.
    #[error("the shape is {0}, which is no tuple")]
    NoTuple(String),
    /// The array has the rows of rays, but more than two sides.
    #[error("the shape is {shape}, that of rays (N, {columns}); convert with rays.reshape(-1, {columns})")]
    Sides {
        /// Shape of the array.
        shape: String,
        /// Number of columns of its rows.
        columns: u64,
    },
    /// The array has not the shape of rays.
    #[error("the shape is {0}, that of rays (N, 8): ox oy oz t_min dx dy dz t_max, or (N, 6): ox oy oz dx dy dz")]
    Shape(String),
    /// The array has more rays than one file may have.
    #[error("{0} rays are more than the {max} of one file; trace them in parts", max = u32::MAX)]
    TooManyRays(u64),
    /// The file ends before its last ray.
    #[error("ends here, but the header promises {rays} rays of {bytes} bytes")]
    TooShort {
        /// Number of rays that the header promises.
        rays: u64,
        /// Size of a ray.
        bytes: usize,
    },
    /// The file goes on after its last ray.
    #[error("goes on after the {rays} rays that the header promises")]
    TooLong {
        /// Number of rays that the header promises.
        rays: u64,
    },
}
