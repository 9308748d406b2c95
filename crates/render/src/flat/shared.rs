//! Meshes that many placements share: their triangles have no records, but are made into some where they are hit.

use super::placed::{MapAxes, PlacedMesh};
use super::{AttributeRecord, MaterialFlags, MaterialRecord, NONE, ShadingScene, TriangleRecord};
use raywarp_geom::{Affine, Hit, TriangleMesh};

/// Meshes without records of their placements' triangles.
#[derive(Debug, Clone, Default)]
pub struct Shared {
    /// Meshes of the placements.
    pub meshes: Vec<SharedMesh>,
    /// What each instance of the scene is; empty if none shares a mesh.
    pub placements: Vec<SharedPlacement>,
    /// By material the axes of its normal map, if these are not those of the first texture coordinates; empty if no
    /// instance shares a mesh.
    pub axes: Vec<Option<MapAxes>>,
}

/// Mesh in its own space.
#[derive(Debug, Clone, Default)]
pub struct SharedMesh {
    /// Its triangles, without texture coordinates and colours: these are among the scene's attributes.
    pub triangles: TriangleMesh,
    /// Material of each triangle, or one of all.
    pub materials: Vec<u32>,
    /// Index in [`ShadingScene::attributes`] of its first triangle's, whose tangents are not set; [`NONE`] if it has
    /// none that a material reads.
    pub first_attribute: u32,
}

/// Placement of a shared mesh, 56 bytes.
#[derive(Debug, Clone, Copy)]
pub struct SharedPlacement {
    /// Map of the mesh to the world.
    pub transform: Affine,
    /// Index of the mesh; [`NONE`] if the instance shares none, and has records.
    pub mesh: u32,
    /// Material of all triangles; [`NONE`] if they have the mesh's own.
    pub material: u32,
}

const _: () = assert!(size_of::<SharedPlacement>() == 56);

impl SharedPlacement {
    /// Instance that shares no mesh.
    pub const OWN: Self = Self { transform: Affine::IDENTITY, mesh: NONE, material: NONE };
}

impl SharedMesh {
    fn material(&self, placement: &SharedPlacement, primitive: usize) -> u32 {
        match &self.materials[..] {
            _ if placement.material != NONE => placement.material,
            [one] => *one,
            each => each[primitive],
        }
    }

    /// Returns the bytes of the mesh.
    pub(super) fn bytes(&self) -> u64 {
        let TriangleMesh { positions, indices, normals, tangents, .. } = &self.triangles;
        let vertices = size_of_val(&positions[..]) + size_of_val(&normals[..]) + size_of_val(&tangents[..]);
        (vertices + size_of_val(&indices[..]) + size_of_val(&self.materials[..])) as u64
    }
}

impl ShadingScene {
    /// Returns `true` if every triangle of every placement has a record, as GPUs need it.
    #[inline]
    pub fn is_flat(&self) -> bool {
        self.shared.placements.is_empty()
    }

    /// Returns the mesh that an instance shares, if it does.
    #[inline]
    fn shared_by(&self, instance: u32) -> Option<(&SharedMesh, &SharedPlacement)> {
        let placement = &self.shared.placements[instance as usize];
        let mesh = self.shared.meshes.get(placement.mesh as usize)?;
        Some((mesh, placement))
    }

    /// Returns the record of a triangle that [`ShadingScene::triangle_of`] names: the one that there is, or one that is
    /// made, with the bits that it would have.
    ///
    /// # Panics
    /// If there is no such triangle.
    #[inline]
    pub fn record(&self, instance: u32, triangle: u32) -> TriangleRecord {
        if self.is_flat() { self.triangles[triangle as usize] } else { self.made_record(instance, triangle) }
    }

    #[inline(never)]
    fn made_record(&self, instance: u32, triangle: u32) -> TriangleRecord {
        let Some((mesh, placement)) = self.shared_by(instance) else { return self.triangles[triangle as usize] };
        let material = mesh.material(placement, triangle as usize);
        let placed = PlacedMesh::new(&placement.transform, &mesh.triangles);
        let record = placed.triangle(instance, triangle as usize, material);
        TriangleRecord { attributes: self.shared_attributes(mesh, material, triangle), ..record }
    }

    /// Returns the index of the attributes of a shared mesh's triangle, where its material reads any.
    fn shared_attributes(&self, mesh: &SharedMesh, material: u32, triangle: u32) -> u32 {
        let looks = self.materials[material as usize].has(MaterialFlags::LOOKS_AT_ATTRIBUTES);
        if looks && mesh.first_attribute != NONE { mesh.first_attribute + triangle } else { NONE }
    }

    /// Returns the material and the attributes of a triangle that [`ShadingScene::triangle_of`] names, without making
    /// its record.
    #[inline]
    pub fn material_and_attributes(&self, instance: u32, triangle: u32) -> (&MaterialRecord, u32) {
        let shared = if self.is_flat() { None } else { self.shared_by(instance) };
        let (material, attributes) = match shared {
            None => {
                let record = &self.triangles[triangle as usize];
                (record.material(), record.attributes)
            }
            Some((mesh, placement)) => {
                let material = mesh.material(placement, triangle as usize);
                (material, self.shared_attributes(mesh, material, triangle))
            }
        };
        (&self.materials[material as usize], attributes)
    }

    /// Returns the attributes of a triangle that [`ShadingScene::triangle_of`] names, with its tangents; its record has
    /// their index.
    ///
    /// # Panics
    /// If there are no such attributes.
    #[inline]
    pub fn attributes_of(&self, instance: u32, triangle: u32, attributes: u32) -> AttributeRecord {
        let mut record = self.attributes[attributes as usize];
        if !self.is_flat() {
            self.add_tangents(instance, triangle, &mut record);
        }
        record
    }

    #[inline(never)]
    fn add_tangents(&self, instance: u32, primitive: u32, record: &mut AttributeRecord) {
        let Some((mesh, placement)) = self.shared_by(instance) else { return };
        let triangle = self.made_record(instance, primitive);
        let placed = PlacedMesh::new(&placement.transform, &mesh.triangles);
        let axes = self.shared.axes[triangle.material() as usize].as_ref();
        placed.add_tangents(record, &triangle, primitive as usize, axes);
    }

    /// Returns `true` if an instance shares a mesh.
    #[inline]
    pub fn is_shared(&self, instance: u32) -> bool {
        !self.is_flat() && self.shared.placements[instance as usize].mesh != NONE
    }

    /// Returns the triangle record of a hit, and its material.
    #[inline]
    pub fn surface_of(&self, hit: &Hit, instance: u32) -> (TriangleRecord, &MaterialRecord) {
        let triangle = self.record(instance, self.triangle_of(hit, instance));
        (triangle, &self.materials[triangle.material() as usize])
    }
}
