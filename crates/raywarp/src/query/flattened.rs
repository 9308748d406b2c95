//! Triangles of placed meshes, one after the other as one list would have them, without that list: trees are built over
//! them where the caller has them.

use super::SceneError;
use super::triangles::{Triangles, placed};
use rayon::prelude::*;
use raywarp_cpu::Ids;
use raywarp_geom::{Affine, FlatError, FlatTriangles, PrimitiveId, TriangleSource};
use raywarp_layout::IndexedCorners;

/// Number of triangles of which the placement of the first is noted, so that the others are found near it.
const NOTED: usize = 64;

/// Triangles of placements of meshes, all opaque, in the order of the placements.
pub(super) struct Flattened<'a> {
    placements: Vec<Flat<'a>>,
    /// Index among the placements of every [`NOTED`]th triangle's; empty for a single placement.
    noted: Vec<u32>,
    count: usize,
}

/// Placement of a mesh whose triangles are listed.
struct Flat<'a> {
    mesh: &'a Triangles<'a>,
    /// The same, where it is plain arrays.
    plain: Option<IndexedCorners<'a>>,
    /// Map to the world; `None` if it leaves everything where it is.
    map: Option<Affine>,
    /// Number of the placement in the scene.
    instance: u32,
    /// Index of its first triangle.
    first: usize,
}

impl<'a> Flattened<'a> {
    /// Lists the triangles of placements: their numbers in the scene, meshes and maps.
    pub fn new(
        meshes: &'a [Option<Triangles<'a>>],
        placed: impl Iterator<Item = (usize, usize, Affine)>,
    ) -> Result<Self, SceneError> {
        let (mut placements, mut found) = (Vec::new(), 0u64);
        for (instance, mesh, map) in placed {
            let Some(mesh) = &meshes[mesh] else { continue };
            if mesh.len() > 0 {
                let first = found as usize;
                let map = (map != Affine::IDENTITY).then_some(map);
                placements.push(Flat { mesh, plain: mesh.plain(), map, instance: instance as u32, first });
                found = found.saturating_add(mesh.len() as u64);
            }
        }
        Self::of(placements, found)
    }

    /// Lists the triangles of a mesh, in its own space.
    pub fn mesh(mesh: &'a Triangles<'a>) -> Result<Self, SceneError> {
        let flat = Flat { mesh, plain: mesh.plain(), map: None, instance: 0, first: 0 };
        Self::of(vec![flat], mesh.len() as u64)
    }

    fn of(placements: Vec<Flat<'a>>, found: u64) -> Result<Self, SceneError> {
        if found > u64::from(FlatTriangles::LIMIT) {
            return Err(FlatError::TooMany { found, limit: FlatTriangles::LIMIT }.into());
        }
        let (count, mut noted) = (found as usize, Vec::new());
        if placements.len() > 1 {
            noted.reserve_exact(count.div_ceil(NOTED));
            let mut at = 0;
            for triangle in (0..count).step_by(NOTED) {
                while placements.get(at + 1).is_some_and(|next| next.first <= triangle) {
                    at += 1;
                }
                noted.push(at as u32);
            }
        }
        Ok(Self { placements, noted, count })
    }

    /// Returns the placement of a triangle.
    #[inline]
    fn placement(&self, index: usize) -> &Flat<'a> {
        let Some(&noted) = self.noted.get(index / NOTED) else { return &self.placements[0] };
        let from = noted as usize;
        let end = self.noted.get(index / NOTED + 1).map_or(self.placements.len(), |&next| next as usize + 1);
        let after = self.placements[from..end].partition_point(|flat| flat.first <= index);
        &self.placements[from + after - 1]
    }

    /// Returns the number in the scene of the placement of a triangle.
    pub fn instance(&self, index: usize) -> usize {
        self.placement(index).instance as usize
    }

    /// Returns the ids of all triangles.
    pub fn ids(&self) -> Ids {
        let of = |flat: &Flat<'_>| {
            let instance = flat.instance;
            (0..flat.mesh.len() as u32).map(move |primitive| PrimitiveId { instance, primitive })
        };
        match &self.placements[..] {
            [one] => Ids::InOrder { instance: one.instance, count: one.mesh.len() },
            all => Ids::Listed(all.iter().flat_map(of).collect()),
        }
    }

    /// Returns the list, for those who keep it.
    pub fn flat(&self) -> FlatTriangles {
        let vertices = (0..self.count).into_par_iter().with_min_len(1 << 12).map(|i| self.corners(i)).collect();
        FlatTriangles { vertices, ids: self.ids().iter().collect(), opaque: vec![true; self.count] }
    }
}

impl TriangleSource for Flattened<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn corners(&self, index: usize) -> [[f32; 3]; 3] {
        let flat = self.placement(index);
        let triangle = index - flat.first;
        let corners = match &flat.plain {
            // Without closures, which are not always inlined: a build comes here twice for each triangle.
            Some(IndexedCorners { positions, indices }) => {
                let [a, b, c] = indices[triangle];
                [positions[a as usize], positions[b as usize], positions[c as usize]]
            }
            None => flat.mesh.corners(triangle),
        };
        match &flat.map {
            Some(map) => placed(corners, map),
            None => corners,
        }
    }

    fn gather(&self, indices: &[u32], corners: &mut [[[f32; 3]; 3]]) {
        if let [Flat { plain: Some(mesh), map: None, .. }] = &self.placements[..] {
            for (corners, &index) in corners.iter_mut().zip(indices) {
                let [a, b, c] = mesh.indices[index as usize];
                *corners = [mesh.positions[a as usize], mesh.positions[b as usize], mesh.positions[c as usize]];
            }
            return;
        }
        for (corners, &index) in corners.iter_mut().zip(indices) {
            *corners = self.corners(index as usize);
        }
    }

    fn is_opaque(&self, _: usize) -> bool {
        true
    }

    fn list(&self) -> Option<&[[[f32; 3]; 3]]> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_geom::{Affine64, TriangleMesh};

    #[test]
    fn triangles_of_many_placements_are_found_by_their_index() {
        let mesh = |count: usize| {
            let positions = (0..3 * count).map(|i| [i as f32, 0.0, 1.0]).collect();
            let indices = (0..count as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            Some(Triangles::Rounded(TriangleMesh { positions, indices, ..TriangleMesh::default() }))
        };
        let meshes = [mesh(1), mesh(0), mesh(70), None, mesh(300)];
        let order = [0, 1, 2, 0, 0, 3, 4, 1, 2, 0, 1];
        let leaf = |(number, &mesh): (usize, &usize)| {
            let transform = Affine64::translation([0.0, number as f64, 0.0]);
            (number, mesh, transform.rounded())
        };
        let leaves: Vec<_> = order.iter().enumerate().map(leaf).collect();
        let flattened = Flattened::new(&meshes, leaves.iter().copied()).unwrap();
        let mut wanted = Vec::new();
        for &(instance, mesh, _) in &leaves {
            for i in 0..meshes[mesh].as_ref().map_or(0, Triangles::len) {
                let x = [0, 1, 2].map(|corner| [(3 * i + corner) as f32, instance as f32, 1.0]);
                wanted.push((PrimitiveId { instance: instance as u32, primitive: i as u32 }, x));
            }
        }
        assert_eq!((flattened.count(), flattened.ids().len()), (wanted.len(), wanted.len()));
        for (index, (id, corners)) in wanted.iter().enumerate() {
            assert_eq!((flattened.ids().get(index), flattened.corners(index)), (*id, *corners), "{index}");
            assert_eq!(flattened.instance(index), id.instance as usize);
        }
        let none = Flattened::new(&meshes, leaves[..0].iter().copied()).unwrap();
        assert_eq!((none.count(), none.ids().len()), (0, 0));
    }
}
