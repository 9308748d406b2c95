//! Meshes as trees are built over them: borrowed or rounded, checked, flattened.

use super::source::{Indices, Positions};
use rayon::prelude::*;
use raywarp_geom::{Aabb, Affine, Affine64, Control, MeshError, TriangleMesh};
use raywarp_layout::IndexedCorners;

/// Mesh, as trees are built over it.
pub(super) enum Triangles<'a> {
    Given(Positions<'a>, Indices<'a>),
    /// Relative to a point, in f64 before it is rounded.
    Shifted(Positions<'a>, Indices<'a>, [f64; 3]),
    /// Rounded relative to the scene's origin, or to a centre of its own.
    Rounded(TriangleMesh),
    /// The corners of each.
    List(Vec<[[f32; 3]; 3]>),
}

impl Triangles<'_> {
    pub fn len(&self) -> usize {
        match self {
            Self::Given(positions, indices) | Self::Shifted(positions, indices, _) => indices.len(positions.len()),
            Self::Rounded(mesh) => mesh.indices.len(),
            Self::List(corners) => corners.len(),
        }
    }

    /// Returns positions and indices where they are arrays that need no rounding.
    pub fn plain(&self) -> Option<IndexedCorners<'_>> {
        match self {
            Self::Given(positions, indices) => {
                Some(IndexedCorners { positions: positions.plain()?, indices: indices.named()? })
            }
            Self::Shifted(..) | Self::List(_) => None,
            Self::Rounded(mesh) => Some(IndexedCorners { positions: &mesh.positions, indices: &mesh.indices }),
        }
    }

    #[inline]
    pub fn corners(&self, triangle: usize) -> [[f32; 3]; 3] {
        match self {
            Self::Given(positions, indices) => {
                // Without a closure, which is not always inlined.
                let [a, b, c] = indices.corners(triangle);
                [positions.narrow(a as usize), positions.narrow(b as usize), positions.narrow(c as usize)]
            }
            Self::Shifted(positions, indices, from) => indices.corners(triangle).map(|vertex| {
                let position = positions.wide(vertex as usize);
                std::array::from_fn(|i| (position[i] - from[i]) as f32)
            }),
            Self::Rounded(mesh) => mesh.corners(triangle),
            Self::List(corners) => corners[triangle],
        }
    }

    /// Returns the box around all triangles; `None` if the caller has cancelled.
    pub fn bounds(&self, control: &Control<'_>) -> Option<Aabb> {
        const PART: usize = 1 << 12;
        let plain = self.plain();
        let part = |part: usize| {
            if control.is_cancelled() {
                return None;
            }
            let triangles = part * PART..self.len().min((part + 1) * PART);
            let mut all = Aabb::EMPTY;
            match &plain {
                Some(IndexedCorners { positions, indices }) => {
                    for vertex in indices[triangles].as_flattened() {
                        all.grow(&positions[*vertex as usize]);
                    }
                }
                None => triangles.for_each(|triangle| self.corners(triangle).iter().for_each(|point| all.grow(point))),
            }
            Some(all)
        };
        let parts = (0..self.len().div_ceil(PART)).into_par_iter();
        parts.map(part).try_reduce(|| Aabb::EMPTY, |a, b| Some(a.union(&b)))
    }

    /// Returns the triangles where `transform` takes them.
    pub fn flattened(&self, transform: &Affine64) -> Vec<[[f32; 3]; 3]> {
        let map = transform.rounded();
        let all = (0..self.len()).into_par_iter().with_min_len(1 << 12);
        all.map(|triangle| placed(self.corners(triangle), &map)).collect()
    }
}

/// Returns a triangle where a map takes it: the rule of flattening.
pub(super) fn placed(corners: [[f32; 3]; 3], map: &Affine) -> [[f32; 3]; 3] {
    if *map == Affine::IDENTITY { corners } else { corners.map(|p| map.point(p)) }
}

/// Checks the triangles of a mesh: indices in range, used vertices finite in f32. The error is none if the
/// caller has cancelled.
pub(super) fn check(
    positions: &Positions<'_>,
    indices: &Indices<'_>,
    control: &Control<'_>,
) -> Result<(), Option<MeshError>> {
    let vertices = positions.len();
    if let (Some(positions), Some(indices)) = (positions.plain(), indices.named()) {
        // In the order of memory: almost always enough.
        let is_finite = |p: &[[f32; 3]]| p.as_flattened().iter().fold(true, |all, x| all & x.is_finite());
        let most = |i: &[[u32; 3]]| i.as_flattened().iter().fold(0, |most, &index| most.max(index));
        let is_in_range = |i: &[[u32; 3]]| !control.is_cancelled() && (most(i) as usize) < vertices;
        let is_finite = |p: &[[f32; 3]]| !control.is_cancelled() && is_finite(p);
        if indices.par_chunks(1 << 14).all(is_in_range) && positions.par_chunks(1 << 14).all(is_finite) {
            return Ok(());
        }
    }
    let fault = |triangle: usize| {
        if control.is_cancelled() {
            return Some(None);
        }
        indices.corners(triangle).into_iter().find_map(|index| {
            if index as usize >= vertices {
                return Some(Some(MeshError::IndexOutOfRange { triangle, index, vertices }));
            }
            let value = positions.narrow(index as usize);
            let is_finite = value.iter().all(|x| x.is_finite());
            (!is_finite).then_some(Some(MeshError::NotFinite { vertex: index as usize, value }))
        })
    };
    let all = (0..indices.len(vertices)).into_par_iter().with_min_len(1 << 12);
    all.find_map_first(fault).map_or(Ok(()), Err)
}

/// Returns the least and the greatest coordinates of the triangles of a mesh that was checked; `None` without any.
pub(super) fn range(positions: &Positions<'_>, indices: &Indices<'_>) -> Option<[[f64; 3]; 2]> {
    let triangles = indices.len(positions.len());
    let [mut low, mut high] = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for vertex in (0..triangles).flat_map(|triangle| indices.corners(triangle)) {
        let position = positions.wide(vertex as usize);
        low = std::array::from_fn(|i| low[i].min(position[i]));
        high = std::array::from_fn(|i| high[i].max(position[i]));
    }
    (triangles > 0).then_some([low, high])
}
