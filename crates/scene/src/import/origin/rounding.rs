//! Warnings about rounding, and the counts that they are made from.

use super::Center;
use super::choose::MOST_LOOKED;
use super::look::look_under;
use crate::Description;

/// A corner that is moved by more than this share of its triangle's largest extent is moved plainly.
pub(super) const PLAIN: f64 = 0.05;
/// Number of triangles of a scene that are counted, more or less, for a line on them.
pub(super) const MOST_COUNTED: u64 = 1 << 20;
/// One hurt triangle of so many is worth a line.
const MANY: u64 = 10;
/// One triangle of so many on which hits are moved plainly is worth a line.
const SEVERAL: u64 = 50;
/// One triangle of so many that is moved plainly is worth a line.
const FEW: u64 = 1000;

/// Counts of triangles by what rounding does to them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Rounding {
    /// Triangles of the scene.
    pub triangles: u64,
    /// Triangles with a corner that is moved by more than a thousandth of their extent.
    pub hurt: u64,
    /// Triangles with one that is moved by more than a twentieth: seen where a triangle is twenty pixels large.
    pub plain: u64,
    /// Placed meshes of which half the triangles are such, or points.
    pub parts: u64,
    /// Triangles where points on them, such as hits, are moved by more than a twentieth of their extent.
    pub stepped: u64,
    /// Placed meshes of which half the triangles are such.
    pub stepped_parts: u64,
    /// Largest step of float32 at the triangles of `stepped`.
    pub step: f64,
    /// Triangles of three vertices that lie at one place.
    pub collapsed: u64,
    /// The largest share of an extent, of those that have one.
    pub share: f64,
    /// `true` if not all were looked at, and the numbers are of as many as these stand for.
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

    /// Returns the warning about what was counted; `None` where nothing can be seen of it: nothing is hurt, or only
    /// slivers are, which are less than a tenth of all triangles, of which less than a thousandth are moved plainly,
    /// and less than half of any mesh. Triangles whose corners float32 holds, but not the hits on them, are not worth a
    /// line where they are less than a fiftieth of all and less than half of any mesh.
    pub fn warning(&self) -> Option<String> {
        let Self { triangles, hurt, plain, parts, stepped, stepped_parts, step, collapsed, share, is_estimate } = *self;
        let about = if is_estimate { "about " } else { "" };
        let are_few = MANY * hurt < triangles && FEW * plain < triangles && parts == 0;
        if hurt == 0 || are_few {
            return (stepped > 0 && (SEVERAL * stepped >= triangles || stepped_parts > 0)).then(|| {
                format!(
                    "float32 has steps of {step} at {about}{stepped} of {triangles} triangles: rays and hits there are off by half of that, more than a twentieth of their size"
                )
            });
        }
        let percent = if share < 0.1 { format!("{:.1}", share * 100.0) } else { format!("{:.0}", share * 100.0) };
        let vanish = match collapsed {
            0 => String::new(),
            _ => format!(", and {collapsed} more are points now"),
        };
        Some(format!(
            "rounding to float32 moves corners of {about}{hurt} of {triangles} triangles by more than a thousandth of their size, up to {percent} %{vanish}"
        ))
    }
}

/// Counts what rounding did to the triangles of a scene as it is.
pub(crate) fn rounding(scene: &Description, run: &Center) -> Rounding {
    counted(scene, run, look_under(scene, run, None, MOST_LOOKED).rounding)
}

/// Counts what rounding did, of more triangles than `estimate` is of, if that is worth a line.
pub(super) fn counted(scene: &Description, run: &Center, estimate: Rounding) -> Rounding {
    if !estimate.is_estimate || estimate.warning().is_none() {
        return estimate;
    }
    look_under(scene, run, None, MOST_COUNTED).rounding
}
