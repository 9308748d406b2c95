//! A share of a render: the sums of a range of samples, to be added to other shares later.
//!
//! Sample ranges of a render are independent, so machines can render one each. A share is an OpenEXR file that holds
//! each `f64` sum as three `f32` channels: `hi.NAME` the nearest `f32`, `lo.NAME` the nearest to what is left,
//! `rest.NAME` the last bits. A reader may leave those out: two make 48 of 53 bits, and a merged mean differs from the
//! whole render's by less than one unit in the last place of `f32` anyway, as sums of parts are rounded otherwise. Who
//! goes on with a share needs all, and gets the bits of a render that never stopped. Sample and hit counts are `u32`
//! channels. The attribute `raywarpShare` says which samples of what these are.

mod damage;
mod difference;
mod file;
mod merge;
#[cfg(test)]
mod tests;

pub use damage::ShareDamage;
pub use difference::{SettingDifference, differences};
pub(super) use file::{MAX_INFLATION, is_share, parse};
pub use file::{read_share, write_film_and_sums, write_share};
pub use merge::{Merged, merge};

use crate::film::Film;
use crate::output::{Content, OutputError, PictureFormat, format::can_write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Facts about a share: its sample range, its seed, and a fingerprint of the render that it is part of.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareInfo {
    /// Range of sample numbers that every pixel got; not empty.
    pub samples: Range<u32>,
    /// Seed of the sampler.
    pub seed: u64,
    /// Fingerprint of the render: every setting that changes a sample, and hashes of the scene's parts. Shares of
    /// different fingerprints are never added. Words of `KEY=VALUE` between spaces let [`differences`] say in what two
    /// renders differ. Line breaks and other control characters become spaces.
    pub fingerprint: String,
    /// Meaning of the picture that the sums give.
    pub content: Content,
}

/// Share of a picture in memory: the sums of a range of samples, to be merged with others.
#[derive(Debug, Clone)]
pub struct Share {
    /// Path of the file, for messages.
    pub path: PathBuf,
    /// Facts about the share.
    pub info: ShareInfo,
    /// Sums of the share's samples.
    pub film: Film,
}

/// Reason why shares cannot be read or merged; each message is one line that names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShareError {
    /// The operating system fails to read the file.
    #[error("{}: cannot be read ({source})", .path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The file is not a share.
    #[error("{}: is not a share of a render ({reason}); make one with `FileContents::share`", .path.display())]
    NotAShare {
        /// Path of the file.
        path: PathBuf,
        /// Description of what the file lacks.
        reason: String,
    },
    /// The file is a share, but incomplete or contradictory.
    #[error("{}: is damaged ({damage}); copy or render it again", .path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong with the file.
        damage: ShareDamage,
    },
    /// There are no shares to merge.
    #[error("there are no shares to merge; name at least one")]
    NoShares,
    /// Two shares are of different renders.
    #[error("{} and {} are not shares of one render: {}; merge only files of the same render", .paths[0].display(), .paths[1].display(), difference::listed(.differences))]
    Different {
        /// Paths of the two files.
        paths: Box<[PathBuf; 2]>,
        /// Settings in which the renders differ, at least one.
        differences: Vec<SettingDifference>,
    },
    /// Two shares have some of the same samples, which would count twice.
    #[error("{} and {} both hold samples {}..{}; leave one out", .paths[0].display(), .paths[1].display(), .samples.start, .samples.end)]
    Overlap {
        /// Paths of the two files.
        paths: Box<[PathBuf; 2]>,
        /// Range of the samples that both have.
        samples: Range<u32>,
    },
    /// Memory does not suffice for the sums.
    #[error("{}: {source}", .path.display())]
    Film {
        /// Path of the file.
        path: PathBuf,
        /// Error of making the film for the sums.
        source: crate::film::FilmError,
    },
}

/// Checks that a share can be written to `path`, as [`can_write`] does for pictures; it must end in `.exr`.
///
/// # Errors
/// [`OutputError`], the one that writing would give.
pub fn can_write_share(path: &Path) -> Result<(), OutputError> {
    match can_write(path)? {
        PictureFormat::Exr => Ok(()),
        _ => Err(OutputError::ShareFormat { path: path.into() }),
    }
}
