//! Custom geometry: surfaces that a program intersects itself, under a tree of ours.

use crate::query::Query;
use raywarp_bvh::{BuildError, BuildOptions, build_over_boxes};
use raywarp_geom::{Aabb, Affine64, Ray};
use raywarp_layout::{LayoutError, Wide8Boxes, encode_wide8_boxes};
use std::sync::Arc;

/// Surfaces that are no triangles: spheres, capsules, height fields, signed distance functions. A scene asks for their
/// boxes once, and for the intersection of those whose boxes a ray meets.
///
/// What is asked has to answer the same at any time: a scene is a snapshot. Threads ask at once.
pub trait Geometry: Send + Sync {
    /// Returns the number of primitives.
    fn len(&self) -> usize;

    /// Returns `true` if there are no primitives.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a box around a primitive, in the geometry's own space. It has to hold every hit that
    /// [`Geometry::intersect`] reports, rounding included; an empty one ([`Aabb::EMPTY`]) is of a primitive that no ray
    /// hits.
    fn bounds(&self, primitive: u32) -> Aabb;

    /// Returns the hit of a ray on a primitive with the smallest `t` within the ray's interval, ends included; `None`
    /// if there is none. The ray is in the geometry's own space; its direction has any length, in which `t` counts.
    /// Hits outside of the interval do not count. Where a filter leaves a hit out, the primitive is asked again for one
    /// behind it.
    fn intersect(&self, primitive: u32, ray: &Ray) -> Option<GeometryHit>;

    /// Returns the point of a primitive's surface that is nearest to `point`, both in the world: `to_world` maps the
    /// geometry's space there. Where that scales by direction, what is nearest in the geometry's own space is not what
    /// is nearest in the world.
    ///
    /// `None`, as by default, of a geometry that does not answer points, so that none finds it. Whether it does is
    /// found out when it is taken into a scene: by one question, of its first primitive where it stands by the
    /// identity. A `None` later leaves out that primitive for that point, as does a point that is not finite. Only
    /// primitives whose boxes may be near enough are asked.
    fn nearest(&self, primitive: u32, point: [f64; 3], to_world: &Affine64) -> Option<[f64; 3]> {
        let _ = (primitive, point, to_world);
        None
    }
}

/// Hit of a ray on a primitive of a [`Geometry`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeometryHit {
    /// Ray parameter of the hit.
    pub t: f32,
    /// First of two numbers that hits carry, such as a place on the surface.
    pub u: f32,
    /// Second of them.
    pub v: f32,
    /// `true` if the ray comes from the primitive's front. Questions that cull one side read it.
    pub is_front: bool,
}

/// Query that takes hits on custom geometry.
pub(crate) trait TakesCustom: Query {
    /// Offers a hit at `t` on a primitive of the geometry that was entered last; returns `true` if it is one that the
    /// filter leaves out. A `t` outside of the interval, or NaN, does not count.
    fn offer_custom(&mut self, hit: &GeometryHit, t: f32, primitive: u32) -> bool;
}

/// Errors of taking a geometry into a scene.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GeometryError {
    /// A primitive's box is NaN or infinite.
    #[error("primitive {primitive} has the box {bounds:?}, which is not finite")]
    Bounds {
        /// Index of the primitive.
        primitive: u32,
        /// Box that the geometry gave.
        bounds: Aabb,
    },
    /// The tree over the boxes cannot be built: there are too many.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The tree cannot be encoded: it is too large.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

/// Geometry under its tree.
pub(crate) struct Custom {
    pub geometry: Arc<dyn Geometry>,
    /// Tree over the primitives that have boxes.
    pub boxes: Wide8Boxes,
    /// Indices of these primitives.
    primitives: Vec<u32>,
    /// `true` if the geometry answers points.
    pub answers_points: bool,
}

impl std::fmt::Debug for Custom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Custom").field("primitives", &self.geometry.len()).field("bounds", self.boxes.bounds()).finish()
    }
}

impl Custom {
    /// Builds the tree. O(n log n) for n primitives.
    pub fn new(geometry: Arc<dyn Geometry>) -> Result<Self, GeometryError> {
        let count = geometry.len();
        let limit = u32::MAX as usize >> 2;
        if count > limit {
            return Err(LayoutError::TooMany { what: "primitives", found: count, limit }.into());
        }
        let (mut boxes, mut primitives) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for primitive in 0..count as u32 {
            let bounds = geometry.bounds(primitive);
            if bounds == Aabb::EMPTY {
                continue;
            }
            let is_box = (0..3).all(|axis| {
                let (low, high) = (bounds.min[axis], bounds.max[axis]);
                low.is_finite() && high.is_finite() && low <= high
            });
            if !is_box {
                return Err(GeometryError::Bounds { primitive, bounds });
            }
            boxes.push(bounds);
            primitives.push(primitive);
        }
        let options = BuildOptions { max_leaf: 1, ..BuildOptions::default() };
        let answers_points = primitives.first().zip(boxes.first()).is_some_and(|(&first, bounds)| {
            geometry.nearest(first, bounds.center().map(f64::from), &Affine64::IDENTITY).is_some()
        });
        let boxes = encode_wide8_boxes(&build_over_boxes(&boxes, &options)?)?;
        Ok(Self { geometry, boxes, primitives, answers_points })
    }

    /// Returns the primitives of a leaf of the tree.
    pub fn of_leaf(&self, reference: u32) -> impl Iterator<Item = u32> {
        self.boxes.items(reference).map(|item| self.primitives[item as usize])
    }

    /// Returns the size in bytes, without what the geometry itself holds.
    pub fn bytes(&self) -> usize {
        self.boxes.bytes() + size_of_val(&self.primitives[..])
    }
}
