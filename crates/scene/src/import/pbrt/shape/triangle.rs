//! Shapes `trianglemesh`, and the attributes of vertices.

use crate::import::pbrt::params::Params;
use crate::import::pbrt::state::Importer;
use crate::import::strays;
use crate::{ImportError, PbrtFault, PbrtWarning, WarningKind};
use raywarp_geom::TriangleMesh;

impl Importer<'_> {
    pub(super) fn triangle_mesh(&mut self, params: &Params) -> Result<Option<TriangleMesh>, ImportError> {
        let mut rounder = self.context.center.in_mesh();
        let Some(positions) = params.positions("P", &mut rounder)? else {
            return Err(params.error(PbrtFault::NoPoints { shape: "trianglemesh" }));
        };
        let indices = match params.indices::<3>("indices", positions.len())? {
            Some(indices) => indices,
            None if positions.len() == 3 => vec![[0, 1, 2]],
            None => {
                let (shape, points) = ("trianglemesh", positions.len());
                return Err(params.error(PbrtFault::NoIndicesOf { shape, points }));
            }
        };
        let strays = params.check_strays("P", &positions, indices.iter().flatten().copied())?;
        let normals = self.vertex_normals(params, positions.len())?;
        let uvs = self.vertex_uvs(params, positions.len())?;
        params.ignore_known("Shape");
        self.rounded = rounder;
        let mut mesh = TriangleMesh { positions, indices, normals, uvs, ..TriangleMesh::default() };
        self.leave_out(params, strays, &mut mesh);
        Ok((!mesh.indices.is_empty()).then_some(mesh))
    }

    /// Removes the `count` vertices that are not finite and that no face uses, with a warning.
    pub(super) fn leave_out(&mut self, params: &Params, count: usize, mesh: &mut TriangleMesh) {
        if count > 0 && strays::leave_out(mesh).is_ok() {
            self.warn(params, WarningKind::StrayVertices { count });
        }
    }

    /// Reads vertex normals from `N`; as in pbrt they are ignored if their number is wrong.
    pub(super) fn vertex_normals(&mut self, params: &Params, vertices: usize) -> Result<Vec<[f32; 3]>, ImportError> {
        let normals = params.groups::<3>("N")?.unwrap_or_default();
        if !normals.is_empty() && normals.len() != vertices {
            self.warn(params, PbrtWarning::Normals { normals: normals.len(), points: vertices });
            return Ok(Vec::new());
        }
        Ok(normals)
    }

    /// Reads texture coordinates from `uv`, `st` or `UV`, as points or numbers, with v turned to grow downwards. As in
    /// pbrt left out where there are too few.
    pub(super) fn vertex_uvs(&mut self, params: &Params, vertices: usize) -> Result<Vec<[f32; 2]>, ImportError> {
        let mut found = None;
        for name in ["uv", "UV", "st"] {
            found = found.or(params.groups::<2>(name)?);
        }
        let mut uvs = found.unwrap_or_default();
        if uvs.is_empty() {
            return Ok(uvs);
        }
        if uvs.len() < vertices {
            self.warn(params, PbrtWarning::Coordinates { coordinates: uvs.len(), points: vertices });
            return Ok(Vec::new());
        }
        uvs.truncate(vertices);
        for uv in &mut uvs {
            uv[1] = 1.0 - uv[1];
        }
        Ok(uvs)
    }
}
