//! References, which builders sort: boxes with the primitive that each stands for.

use crate::build::BuildError;
use crate::parallel::{self, GROUP};
use crate::watch::{Stopped, Watch};
use glam::{DVec3, Vec3A, Vec4};
use raywarp_geom::{Aabb, FlatTriangles, TriangleSource};
use std::sync::atomic::{AtomicBool, Ordering};

/// Axis-aligned box in SIMD registers, for the builders' inner loops; [`Aabb`] is the type in memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) min: Vec3A,
    pub(crate) max: Vec3A,
}

impl Bounds {
    pub(crate) const EMPTY: Self = Self { min: Vec3A::INFINITY, max: Vec3A::NEG_INFINITY };

    /// Returns the box that holds just the point `p`.
    #[inline]
    pub(crate) fn point(p: Vec3A) -> Self {
        Self { min: p, max: p }
    }

    /// Returns the smallest box that holds both this box and `other`.
    #[inline]
    pub(crate) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Returns the part that both boxes share; it is inside out when they are apart.
    #[inline]
    pub(crate) fn intersection(self, other: Self) -> Self {
        Self { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// Returns half of the box's surface area; zero when empty or inside out. In f64, since sides of 1e30 have areas of
    /// 1e60.
    #[inline]
    pub(crate) fn half_area(self) -> f64 {
        // The clamp also takes an empty box to zero and an overflowing side back to a number.
        let DVec3 { x, y, z } = (self.max - self.min).max(Vec3A::ZERO).min(Vec3A::MAX).as_dvec3();
        x * y + y * z + z * x
    }

    /// Returns the axis along which the box is longest; of equal ones the first.
    pub(crate) fn longest_axis(self) -> usize {
        let [x, y, z] = (self.max - self.min).to_array();
        if x >= y && x >= z {
            0
        } else if y >= z {
            1
        } else {
            2
        }
    }

    pub(crate) fn aabb(self) -> Aabb {
        Aabb { min: self.min.into(), max: self.max.into() }
    }
}

/// Input item of the builders: a box around a triangle or a part of one, with the triangle's index: 32 bytes.
///
/// The coordinates hold no negative zero: minima and maxima are then the same in any order of
/// work, and so are the bytes of a tree.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Reference {
    /// Lower corner of the box, the primitive's index plus [`TO_NORMAL`] as bits, the upper corner, and a zero.
    lanes: [f32; 8],
}

/// Offset that turns a primitive's index into the bits of a normal float, between 2^-63 and 2^65. As it stands it would
/// be those of a denormal number, and though nobody looks at `w`, arithmetic on all four lanes then took 6 times as
/// long for the whole build.
const TO_NORMAL: u32 = 0x2000_0000;

const _: () = assert!(FlatTriangles::LIMIT <= 1 << 30);

impl Reference {
    /// Makes a reference to `primitive`, which is below [`FlatTriangles::LIMIT`], with the box `bounds`.
    #[inline]
    pub(crate) fn new(bounds: &Aabb, primitive: u32) -> Self {
        debug_assert!(primitive < FlatTriangles::LIMIT);
        // Adding +0 turns -0 into +0 and leaves the rest.
        let ([a, b, c], [d, e, f]) = (bounds.min.map(|x| x + 0.0), bounds.max.map(|x| x + 0.0));
        Self { lanes: [a, b, c, f32::from_bits(primitive + TO_NORMAL), d, e, f, 0.0] }
    }

    /// Placeholder with which arrays are filled.
    pub(crate) const NONE: Self = Self { lanes: [0.0, 0.0, 0.0, f32::from_bits(TO_NORMAL), 0.0, 0.0, 0.0, 0.0] };

    #[inline]
    pub(crate) fn primitive(&self) -> u32 {
        self.lanes[3].to_bits() - TO_NORMAL
    }

    /// Returns all numbers: the lower corner, one that is none, the upper corner, zero.
    #[inline]
    pub(crate) fn lanes(&self) -> &[f32; 8] {
        &self.lanes
    }

    /// Returns the lower and the upper corner, each with a number that is none of it.
    #[inline]
    pub(crate) fn corners(&self) -> [&[f32; 4]; 2] {
        let (corners, _) = self.lanes.as_chunks();
        [&corners[0], &corners[1]]
    }

    #[inline]
    pub(crate) fn bounds(&self) -> Bounds {
        let [min, max] = self.corners().map(|&corner| Vec3A::from_vec4(Vec4::from_array(corner)));
        Bounds { min, max }
    }

    /// Returns half of the coordinates of the box's centre, by which references are sorted and binned. Halved again so
    /// that the difference of two of them is finite for any finite boxes; only the order along an axis matters.
    #[inline]
    pub(crate) fn centroid(&self) -> Vec3A {
        let [min, max] = self.corners().map(|&corner| Vec4::from_array(corner));
        Vec3A::from_vec4(min * 0.25 + max * 0.25)
    }
}

/// Makes one reference for each triangle, in order. The error names the first vertex that is not finite.
pub(crate) fn references_of(triangles: &dyn TriangleSource, watch: &Watch<'_>) -> Result<Vec<Reference>, BuildError> {
    let any_bad = AtomicBool::new(false);
    let count = triangles.count();
    let group = |first: usize| {
        let (mut indices, mut corners) = ([0; GROUP], [[[0.0; 3]; 3]; GROUP]);
        let length = GROUP.min(count - first);
        for (i, index) in indices[..length].iter_mut().enumerate() {
            *index = (first + i) as u32;
        }
        triangles.gather(&indices[..length], &mut corners);
        let (mut references, mut zeros) = ([Reference::NONE; GROUP], 0.0);
        for i in 0..length {
            let triangle = &corners[i];
            // Zero times a number is zero, times anything else a NaN, which stays one in the sum.
            zeros = triangle.iter().flatten().fold(zeros, |sum, x| sum + x * 0.0);
            references[i] = Reference::new(&Aabb::of_points(triangle), indices[i]);
        }
        if zeros != 0.0 {
            any_bad.store(true, Ordering::Relaxed);
        }
        references
    };
    let references = parallel::map_groups(watch, count, &group).map_err(BuildError::cancelled)?;
    if !any_bad.into_inner() {
        return Ok(references);
    }
    let is_bad = |&i: &usize| !triangles.corners(i).iter().flatten().all(|x| x.is_finite());
    let primitive = (0..triangles.count()).find(is_bad).unwrap_or_default() as u32;
    Err(BuildError::NotFinite { primitive })
}

/// Makes one reference for each box, in order. The error names the first that is empty or not finite.
pub(crate) fn references_of_boxes(boxes: &[Aabb], watch: &Watch<'_>) -> Result<Vec<Reference>, BuildError> {
    let is_good = |aabb: &Aabb| aabb.min.iter().chain(&aabb.max).all(|x| x.is_finite()) && !aabb.is_empty();
    if let Some(primitive) = boxes.iter().position(|aabb| !is_good(aabb)) {
        return Err(BuildError::BadBox { primitive: primitive as u32 });
    }
    parallel::map(watch, boxes.len(), &|i| Reference::new(&boxes[i], i as u32)).map_err(BuildError::cancelled)
}

/// Box around a range of references, and box around their centroids.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RangeBounds {
    pub(crate) boxes: Bounds,
    pub(crate) centroids: Bounds,
}

impl RangeBounds {
    pub(crate) const EMPTY: Self = Self { boxes: Bounds::EMPTY, centroids: Bounds::EMPTY };

    /// Computes the bounds of `references` in parallel; the result does not depend on the order of work.
    pub(crate) fn of(references: &[Reference], watch: &Watch<'_>) -> Result<Self, Stopped> {
        let chunks = parallel::map_chunks(watch, references, 1 << 14, &Self::of_few)?;
        Ok(chunks.into_iter().fold(Self::EMPTY, Self::union))
    }

    /// Computes the bounds of `references` as [`RangeBounds::of`] does, but on this thread.
    pub(crate) fn of_few(references: &[Reference]) -> Self {
        references.iter().fold(Self::EMPTY, Self::with)
    }

    #[inline]
    pub(crate) fn with(self, reference: &Reference) -> Self {
        self.union(Self { boxes: reference.bounds(), centroids: Bounds::point(reference.centroid()) })
    }

    #[inline]
    pub(crate) fn union(self, other: Self) -> Self {
        Self { boxes: self.boxes.union(other.boxes), centroids: self.centroids.union(other.centroids) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_keeps_its_primitive_and_loses_negative_zeros() {
        for primitive in [0, 1, 0x7f_ffff, FlatTriangles::LIMIT - 1] {
            let reference = Reference::new(&Aabb { min: [-0.0; 3], max: [1.0; 3] }, primitive);
            assert_eq!(reference.primitive(), primitive);
            assert_eq!(reference.bounds().min.to_array().map(f32::to_bits), [0; 3]);
        }
    }

    #[test]
    fn areas_and_centroids_of_the_largest_boxes_are_finite() {
        let huge = Reference::new(&Aabb { min: [-f32::MAX; 3], max: [f32::MAX; 3] }, 0);
        assert!(huge.bounds().half_area().is_finite());
        let corner = Reference::new(&Aabb { min: [f32::MAX; 3], max: [f32::MAX; 3] }, 0);
        let other = Reference::new(&Aabb { min: [-f32::MAX; 3], max: [-f32::MAX; 3] }, 0);
        assert!((corner.centroid() - other.centroid()).is_finite());
        assert_eq!(Bounds::EMPTY.half_area(), 0.0);
    }

    #[test]
    fn a_vertex_that_is_not_finite_is_an_error() {
        let good = [[0.0; 3]; 3];
        for bad in [f32::NAN, f32::INFINITY] {
            let triangles = FlatTriangles::from_vertices(vec![good, [[0.0; 3], [0.0, bad, 0.0], [1.0; 3]]]);
            assert_eq!(
                references_of(&triangles, &Watch::nothing()).unwrap_err(),
                BuildError::NotFinite { primitive: 1 }
            );
        }
    }
}
