//! Where the triangles of a tree are in the world: where they stand in it, or where a placement's transform takes them.

use raywarp_geom::Affine;
use raywarp_lanes::Vector;
use raywarp_layout::BLOCK;

/// Map of a tree's corners to the world.
pub(super) trait Place {
    /// Returns the coordinates of the same corner of four triangles along the axes `k`.
    ///
    /// # Safety
    /// Each of `k` is below 3.
    unsafe fn axes<V: Vector<BLOCK>>(&self, set: V::Set, corner: &[[f32; BLOCK]; 3], k: [usize; 3]) -> [V; 3];

    /// Returns the map that has the same bits; `None` where corners stay as they are.
    fn map(&self) -> Option<&Affine>;
}

/// Place of a tree whose triangles stand in the world as they are.
pub(super) struct InPlace;

impl Place for InPlace {
    #[inline(always)]
    unsafe fn axes<V: Vector<BLOCK>>(&self, set: V::Set, corner: &[[f32; BLOCK]; 3], k: [usize; 3]) -> [V; 3] {
        // SAFETY: the caller's promise.
        let [x, y, z] = unsafe { [corner.get_unchecked(k[0]), corner.get_unchecked(k[1]), corner.get_unchecked(k[2])] };
        [V::load(set, x), V::load(set, y), V::load(set, z)]
    }

    #[inline(always)]
    fn map(&self) -> Option<&Affine> {
        None
    }
}

/// The rule by which scenes are flattened, operation by operation as [`Affine::point`] has it.
impl Place for Affine {
    #[inline(always)]
    unsafe fn axes<V: Vector<BLOCK>>(&self, set: V::Set, corner: &[[f32; BLOCK]; 3], k: [usize; 3]) -> [V; 3] {
        let [x, y, z] = [V::load(set, &corner[0]), V::load(set, &corner[1]), V::load(set, &corner[2])];
        // SAFETY: the caller's promise.
        let [a, b, c] =
            unsafe { [self.rows.get_unchecked(k[0]), self.rows.get_unchecked(k[1]), self.rows.get_unchecked(k[2])] };
        [image(a, [x, y, z]), image(b, [x, y, z]), image(c, [x, y, z])]
    }

    #[inline(always)]
    fn map(&self) -> Option<&Affine> {
        Some(self)
    }
}

/// Returns a coordinate of mapped points.
#[inline(always)]
fn image<V: Vector<BLOCK>>(row: &[f32; 4], [x, y, z]: [V; 3]) -> V {
    let set = x.set();
    x * V::splat(set, row[0]) + y * V::splat(set, row[1]) + z * V::splat(set, row[2]) + V::splat(set, row[3])
}
