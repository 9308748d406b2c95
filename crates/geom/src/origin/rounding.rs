//! Warnings about rounding, and the counts that they are made from.

use super::choose::MOST_LOOKED;
use super::look::look_under;
use super::{Center, PlacedMeshes};

/// Warning that numbers of float32 are too coarse for a scene's triangles, with their counts.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RoundingWarning {
    /// Hits on triangles move, though float32 holds the triangles' corners.
    #[error(
        "float32 has steps of {step} at {about}{hurt} of {triangles} triangles: rays and hits there are off by half of that, more than a twentieth of their size",
        about = about(*is_estimate)
    )]
    Hits {
        /// Largest step of float32 at these triangles.
        step: f64,
        /// Number of triangles on which hits move by more than a twentieth of their extent.
        hurt: u64,
        /// Number of all triangles.
        triangles: u64,
        /// `true` if the counts are extrapolated from a sample of the triangles.
        is_estimate: bool,
    },
    /// Corners of triangles move.
    #[error(
        "rounding to float32 moves corners of {about}{hurt} of {triangles} triangles by more than a thousandth of their size, up to {percent} %{vanish}",
        about = about(*is_estimate),
        percent = percent(*share),
        vanish = vanish(*collapsed)
    )]
    Corners {
        /// Number of triangles with a corner that moves by more than a thousandth of their extent.
        hurt: u64,
        /// Number of all triangles.
        triangles: u64,
        /// Largest relative move of a corner, as a share of its triangle's extent.
        share: f64,
        /// Number of triangles whose three vertices collapsed to one point.
        collapsed: u64,
        /// `true` if the counts are extrapolated from a sample of the triangles.
        is_estimate: bool,
    },
    /// The file's numbers were rounded before it was written, and triangles lost their area.
    #[error(
        "{flat} of {triangles} triangles have no area: the file's float32 coordinates are {step} apart there, more than its details; they were rounded when it was written: write float64, or coordinates near zero"
    )]
    File {
        /// Number of triangles without an area.
        flat: u64,
        /// Number of all triangles.
        triangles: u64,
        /// Largest distance of the file's numbers at its triangles.
        step: f64,
    },
}

fn about(is_estimate: bool) -> &'static str {
    if is_estimate { "about " } else { "" }
}

fn percent(share: f64) -> String {
    if share < 0.1 { format!("{:.1}", share * 100.0) } else { format!("{:.0}", share * 100.0) }
}

fn vanish(collapsed: u64) -> String {
    match collapsed {
        0 => String::new(),
        _ => format!(", and {collapsed} more are points now"),
    }
}

/// Relative move of a corner, as a share of the triangle's extent, that is plainly visible.
pub(super) const PLAIN: f64 = 0.05;
/// Number of triangles, roughly, that are counted for a warning.
pub(super) const MOST_COUNTED: u64 = 1 << 20;
/// Divisor of the number of triangles: at least 1 in so many must be hurt for a warning.
const MANY: u64 = 10;
/// Divisor of the number of triangles: at least 1 in so many must have plainly moved hits for a warning.
const SEVERAL: u64 = 50;
/// Divisor of the number of triangles: at least 1 in so many must be plainly moved for a warning.
const FEW: u64 = 1000;

/// Counts of a scene's triangles by the effect of rounding to f32, for a warning.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rounding {
    /// Number of triangles of the scene.
    pub triangles: u64,
    /// Number of triangles with a corner that is moved by more than a thousandth of their extent.
    pub hurt: u64,
    /// Number of triangles with a corner that is moved by more than a twentieth of their extent. It is seen where a
    /// triangle is twenty pixels large.
    pub plain: u64,
    /// Number of placed meshes of which half the triangles are plainly moved or collapsed.
    pub parts: u64,
    /// Number of triangles on which points, such as hits, are moved by more than a twentieth of the extent.
    pub stepped: u64,
    /// Number of placed meshes of which half the triangles are counted by `stepped`.
    pub stepped_parts: u64,
    /// Largest step of float32 at the triangles that `stepped` counts.
    pub step: f64,
    /// Number of triangles whose three vertices collapsed to one point.
    pub collapsed: u64,
    /// Largest relative move of a corner, as a share of its triangle's extent.
    pub share: f64,
    /// `true` if the counts are extrapolated from a sample of the triangles.
    pub is_estimate: bool,
}

impl Rounding {
    pub(super) fn add(self, other: Self) -> Self {
        Self {
            triangles: self.triangles + other.triangles,
            hurt: self.hurt + other.hurt,
            plain: self.plain + other.plain,
            parts: self.parts + other.parts,
            stepped: self.stepped + other.stepped,
            stepped_parts: self.stepped_parts + other.stepped_parts,
            step: self.step.max(other.step),
            collapsed: self.collapsed + other.collapsed,
            share: self.share.max(other.share),
            is_estimate: self.is_estimate | other.is_estimate,
        }
    }

    /// Returns a warning about the effect of rounding; `None` where it cannot be seen. That is where nothing is hurt,
    /// or only slivers are, which are less than a tenth of all triangles, of which less than a thousandth are moved
    /// plainly, and less than half of any mesh. Triangles whose corners float32 holds, but not the hits on them, are
    /// not worth a line where they are less than a fiftieth of all and less than half of any mesh.
    pub fn warning(&self) -> Option<RoundingWarning> {
        let Self { triangles, hurt, plain, parts, stepped, stepped_parts, step, collapsed, share, is_estimate } = *self;
        let are_few = MANY * hurt < triangles && FEW * plain < triangles && parts == 0;
        if hurt == 0 || are_few {
            return (stepped > 0 && (SEVERAL * stepped >= triangles || stepped_parts > 0))
                .then_some(RoundingWarning::Hits { step, hurt: stepped, triangles, is_estimate });
        }
        Some(RoundingWarning::Corners { hurt, triangles, share, collapsed, is_estimate })
    }
}

/// Counts the effect of rounding on the triangles of a scene as it is.
pub fn rounding(scene: &dyn PlacedMeshes, run: &Center) -> Rounding {
    counted(scene, run, look_under(scene, run, None, MOST_LOOKED).rounding)
}

/// Counts the effect of rounding again, on more triangles than `estimate`, if that would give a warning.
pub(super) fn counted(scene: &dyn PlacedMeshes, run: &Center, estimate: Rounding) -> Rounding {
    if !estimate.is_estimate || estimate.warning().is_none() {
        return estimate;
    }
    look_under(scene, run, None, MOST_COUNTED).rounding
}
