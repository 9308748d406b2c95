//! Version 4's `bilinearmesh`, as triangles.

use crate::each::Each;
use crate::import::pbrt::params::Params;
use crate::import::pbrt::state::Importer;
use crate::{ImportError, PbrtFault, WarningKind};
use glam::Vec3;
use raywarp_geom::TriangleMesh;

/// Number of pieces along a side into which a patch is divided that is not a parallelogram. The distance to the patch
/// is at most its twist, `|p00 - p10 - p01 + p11|`, times `1 / (4 * 8^2)`.
const PIECES: u32 = 8;

impl Importer<'_> {
    /// Reads a shape `bilinearmesh` as triangles; returns the mesh and the number of its patches.
    pub(super) fn bilinear_mesh(&mut self, params: &Params) -> Result<(TriangleMesh, usize), ImportError> {
        let mut rounder = self.context.center.in_mesh();
        let Some(positions) = params.positions("P", &mut rounder)? else {
            return Err(params.error(PbrtFault::NoPoints { shape: "bilinearmesh" }));
        };
        let patches = match params.indices::<4>("indices", positions.len())? {
            Some(indices) => indices,
            None if positions.len() == 4 => vec![[0, 1, 2, 3]],
            None => {
                let (shape, points) = ("bilinearmesh", positions.len());
                return Err(params.error(PbrtFault::NoIndicesOf { shape, points }));
            }
        };
        let strays = params.check_strays("P", &positions, patches.iter().flatten().copied())?;
        if strays > 0 {
            self.warn(params, WarningKind::StrayVertices { count: strays });
        }
        let normals = self.vertex_normals(params, positions.len())?;
        let uvs = self.vertex_uvs(params, positions.len())?;
        params.ignore_known("Shape");
        self.rounded = rounder;
        let bent = patches.iter().filter(|patch| !is_parallelogram(patch.each(|i| positions[i as usize]))).count();
        self.spend(params, 2 * (patches.len() - bent) as u64 + 2 * u64::from(PIECES * PIECES) * bent as u64)?;
        let mut mesh = TriangleMesh::default();
        // Normals are for all vertices or for none.
        let curved = bent > 0;
        let count = patches.len();
        for patch in patches {
            let points = patch.each(|i| positions[i as usize]);
            let corner_normals = (!normals.is_empty()).then(|| patch.each(|i| normals[i as usize]));
            // Defaults to (u, v) of the patch; v turned to grow downwards.
            let corner_uvs = if uvs.is_empty() {
                [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
            } else {
                patch.each(|i| uvs[i as usize])
            };
            add_patch(&mut mesh, points, corner_normals, corner_uvs, curved);
        }
        Ok((mesh, count))
    }
}

/// Returns `true` if the patch with these corners is a parallelogram. Corners in pbrt's order: p00, p10, p01, p11.
fn is_parallelogram(corners: [[f32; 3]; 4]) -> bool {
    let [a, b, c, d] = corners.each(Vec3::from);
    (a - b - c + d).length() <= 1e-5 * (b - a).length().max((c - a).length())
}

fn add_patch(
    mesh: &mut TriangleMesh,
    points: [[f32; 3]; 4],
    normals: Option<[[f32; 3]; 4]>,
    uvs: [[f32; 2]; 4],
    curved: bool,
) {
    let pieces = if is_parallelogram(points) { 1 } else { PIECES };
    let first = mesh.positions.len() as u32;
    let [a, b, c, d] = points.each(Vec3::from);
    for j in 0..=pieces {
        for i in 0..=pieces {
            let (u, v) = (i as f32 / pieces as f32, j as f32 / pieces as f32);
            let weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v];
            mesh.positions.push(weighted(points, weights));
            mesh.uvs.push(weighted(uvs, weights));
            if let Some(normals) = normals {
                mesh.normals.push(weighted(normals, weights));
            } else if curved {
                let (du, dv) = ((b - a).lerp(d - c, v), (c - a).lerp(d - b, u));
                mesh.normals.push(du.cross(dv).normalize_or_zero().into());
            }
        }
    }
    let at = |i: u32, j: u32| first + j * (pieces + 1) + i;
    for j in 0..pieces {
        for i in 0..pieces {
            mesh.indices.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            mesh.indices.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
}

fn weighted<const N: usize>(values: [[f32; N]; 4], weights: [f32; 4]) -> [f32; N] {
    std::array::from_fn(|axis| values.iter().zip(weights).map(|(value, weight)| value[axis] * weight).sum())
}
