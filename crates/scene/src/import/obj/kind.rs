//! Kinds of surfaces that MTL entries describe, told by evidence.

use super::mtl::Entry;

/// Kind of surface that an MTL entry describes, decided by its statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Glass, either a solid body or a thin sheet.
    Glass { thin: bool },
    /// Metallic-roughness surface, with the statements `Pr` and `Pm`.
    Principled,
    /// Surface of one of the format's original illumination models, by its number.
    Classic { model: u32 },
}

impl Kind {
    pub fn of(entry: &Entry) -> Self {
        let model = entry.model.unwrap_or(2);
        if is_glass(entry) {
            Self::Glass { thin: matches!(model, 4 | 9) }
        } else if has_roughness(entry) || is_as_blender_writes(entry) {
            Self::Principled
        } else {
            Self::Classic { model }
        }
    }
}

/// Returns `true` if an MTL entry describes glass. Programs write such models for whatever is not opaque (Blender), or
/// for everything (Maya), so that another statement must say that light goes through or bends, and none that the
/// surface has gaps or paint.
fn is_glass(entry: &Entry) -> bool {
    // No index is 0: programs write it where there is none.
    let bends = entry.ior.is_some_and(|ior| ior != 1.0 && ior > 0.0);
    let lets_through = bends || entry.filter.is_some_and(|filter| filter != [1.0; 3]);
    let is_painted = entry.diffuse_map.is_some() || entry.dissolve_map.is_some() || has_roughness(entry);
    matches!(entry.model, Some(4 | 6 | 7 | 9)) && lets_through && !is_painted && constant_coverage(entry) >= 1.0
}

/// Returns `true` if the entry has `Pr`, `Pm` or a map of either.
pub(super) fn has_roughness(entry: &Entry) -> bool {
    entry.roughness.is_some()
        || entry.metallic.is_some()
        || entry.roughness_map.is_some()
        || entry.metallic_map.is_some()
}

/// Returns `true` if the entry looks like one by Blender's exporters, which alone give models 6 and 9 to partly
/// transparent surfaces.
pub(super) fn is_as_blender_writes(entry: &Entry) -> bool {
    entry.from_blender || (matches!(entry.model, Some(6 | 9)) && entry.dissolve.is_some_and(|d| d < 1.0))
}

/// Returns the constant opacity of an entry, without maps: `d`, or 1 - `Tr`. `Tr 1` alone is what programs write that
/// mean `d 1`.
pub(super) fn constant_coverage(entry: &Entry) -> f32 {
    match (entry.dissolve, entry.transparency) {
        (Some(d), _) => d.min(1.0),
        (None, Some(tr)) if tr < 1.0 => 1.0 - tr,
        (None, _) => 1.0,
    }
}
