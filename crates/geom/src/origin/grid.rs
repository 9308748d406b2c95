//! Detection of float32 coordinates of a file that are too coarse for its triangles: what wrote it has rounded them.

use super::each::{each, is_small};
use super::look::{extent, half_unit};
use super::{Center, PlacedMeshes, RoundingWarning};
use crate::TriangleMesh;
use crate::triangle::has_no_area;

/// Extent of a triangle, in steps of float32, below which it shows that its coordinates were rounded.
const STEPS: f64 = 4.0;
/// Divisor of the number of triangles: at least 1 in so many must have no area for the warning. Most files have a few
/// such, whatever their coordinates.
const FLAT: u64 = 100;
/// Divisor of the number of triangles with an extent: at least 1 in so many must show steps for the warning. Others are
/// hardly ever so small.
const STEPPED: u64 = 10;
/// Number of triangles of a mesh that are sampled first.
const GLANCE: usize = 256;

/// Counts of triangles: all, those without area, and those of a few float32 steps, which show that a file's coordinates
/// were rounded too coarsely.
#[derive(Clone, Copy, Default)]
struct Count {
    triangles: u64,
    /// Number of triangles without area.
    flat: u64,
    /// Number of triangles whose extent is only a few steps of float32.
    stepped: u64,
    /// Largest step of float32 at those triangles.
    step: f64,
}

impl Count {
    fn and(self, other: Self) -> Self {
        Self {
            triangles: self.triangles + other.triangles,
            flat: self.flat + other.flat,
            stepped: self.stepped + other.stepped,
            step: self.step.max(other.step),
        }
    }

    fn is_coarse(&self) -> bool {
        self.flat > 0
            && self.stepped > 0
            && FLAT * self.flat >= self.triangles
            && STEPPED * self.stepped >= self.triangles - self.flat
    }
}

/// Returns a warning if the file's coordinates were rounded to float32 too coarsely for its triangles by whatever wrote
/// it. The scene is one as an importer without an origin has it, whose meshes nothing has rounded; `None` for almost
/// all scenes. O(meshes) but for meshes that show them.
pub fn coarse(scene: &dyn PlacedMeshes, run: &Center) -> Option<RoundingWarning> {
    let count = |index: usize| {
        let mesh = scene.mesh(index);
        let triangles = mesh.indices.len() as u64;
        let whole = Count { triangles, ..Count::default() };
        if run.moved(index).by > 0.0 || !of(mesh, mesh.indices.len().div_ceil(GLANCE)).is_coarse() {
            return whole;
        }
        of(mesh, 1)
    };
    let count = each(scene.mesh_count(), is_small(scene), count).into_iter().fold(Count::default(), Count::and);
    let Count { triangles, flat, step, .. } = count;
    count.is_coarse().then_some(RoundingWarning::File { flat, triangles, step })
}

/// Counts every `by`th triangle of a mesh.
fn of(mesh: &TriangleMesh, by: usize) -> Count {
    let mut count = Count::default();
    for primitive in (0..mesh.indices.len()).step_by(by.max(1)) {
        let corners = mesh.corners(primitive);
        let largest = corners.iter().flatten().fold(0f32, |most, x| most.max(x.abs()));
        let step = 2.0 * half_unit(largest.into());
        let extent = extent(&corners.map(|p| p.map(f64::from)));
        count.triangles += 1;
        count.flat += u64::from(has_no_area(&corners));
        if extent > 0.0 && extent <= STEPS * step {
            count.stepped += 1;
            count.step = count.step.max(step);
        }
    }
    count
}
