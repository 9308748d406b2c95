//! Positions of files as f64, up to where [`raywarp_geom::origin`] rounds them relative to the origin of their scene.

pub(crate) use raywarp_geom::origin::{Center, Rounder, coarse, look, rounding};

use crate::Description;
use glam::DAffine3;
use raywarp_geom::origin::PlacedMeshes;
use raywarp_geom::{Affine, TriangleMesh};

impl PlacedMeshes for Description {
    fn mesh_count(&self) -> usize {
        self.meshes.len()
    }

    fn mesh(&self, index: usize) -> &TriangleMesh {
        &self.meshes[index].triangles
    }

    fn placement_count(&self) -> usize {
        self.instances.len()
    }

    fn placement(&self, index: usize) -> (usize, Affine) {
        let instance = &self.instances[index];
        (instance.mesh.index(), instance.transform)
    }
}

/// Returns the rows of a transform.
pub(crate) fn rows(world: &DAffine3) -> [[f64; 4]; 3] {
    let (matrix, shift) = (world.matrix3.transpose(), world.translation.to_array());
    let rows = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    std::array::from_fn(|i| [rows[i].x, rows[i].y, rows[i].z, shift[i]])
}

/// Rounds a transform to f32, for a scene without an origin.
pub(crate) fn single(world: &DAffine3) -> Affine {
    Center::default().placement(&rows(world))
}

/// Parses a decimal number in f64 that rounds to the f32 that direct parsing would give. Twice rounded, a number in
/// 2^29 would be another one. `None` where it is no number or not finite as f32.
pub(crate) fn decimal(word: &str) -> Option<f64> {
    let value: f64 = word.parse().ok()?;
    if value.to_bits() & 0x1fff_ffff != 0x1000_0000 {
        return Some(value).filter(|value| (*value as f32).is_finite());
    }
    // Between two numbers of f32, or so near that f64 cannot tell.
    let single: f32 = word.parse().ok().filter(|single: &f32| single.is_finite())?;
    let twice = value as f32;
    Some(if twice == single {
        value
    } else if twice < single {
        value.next_up()
    } else {
        value.next_down()
    })
}
