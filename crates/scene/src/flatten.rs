//! World-space triangles of all instances.

use crate::each::Each;
use crate::{Alpha, Description, Instance, Material, Surface};
use rayon::prelude::*;
use raywarp_geom::triangle::has_no_area;
use raywarp_geom::{Affine, FlatError, FlatTriangles, PrimitiveId};

/// Transforms the triangles of every instance into world space, ordered by (instance, primitive).
///
/// Triangles that nothing can hit or see are left out: those of exactly zero area, and those of an
/// [`Surface::Invisible`] material that bounds no media. One that does is there, as a candidate that is not opaque. Ids
/// stay those of the scene. O(triangles), in parallel.
///
/// # Errors
/// [`FlatError::TooMany`] above [`FlatTriangles::LIMIT`].
/// # Panics
/// If the scene does not pass [`crate::validate`].
pub fn flatten(scene: &Description) -> Result<FlatTriangles, FlatError> {
    flatten_some(scene, |_| true)
}

/// Flattens those of the instances, by their indices, for which `is_wanted` is true, as [`flatten`] does all.
///
/// # Errors
/// As [`flatten`].
/// # Panics
/// As [`flatten`].
pub fn flatten_some(scene: &Description, is_wanted: impl Fn(usize) -> bool) -> Result<FlatTriangles, FlatError> {
    let wanted = || scene.instances.iter().enumerate().filter(|(index, _)| is_wanted(*index));
    let size = |(_, instance): (usize, &Instance)| scene.meshes[instance.mesh.index()].triangles.indices.len() as u64;
    let found = wanted().map(size).sum();
    if found > u64::from(FlatTriangles::LIMIT) {
        return Err(FlatError::TooMany { found, limit: FlatTriangles::LIMIT });
    }
    let opaque: Vec<bool> =
        scene.materials.iter().map(|m| m.alpha == Alpha::Opaque && m.surface != Surface::Invisible).collect();
    let nothing: Vec<bool> = scene.materials.iter().map(Material::is_nothing).collect();
    let mut flat = FlatTriangles::default();
    flat.vertices.reserve_exact(found as usize);
    flat.ids.reserve_exact(found as usize);
    flat.opaque.reserve_exact(found as usize);
    for (index, instance) in wanted() {
        let mesh = &scene.meshes[instance.mesh.index()].triangles;
        let corners = |primitive: usize| mesh.corners(primitive).each(|p| instance.transform.point(p));
        let world: Vec<[[f32; 3]; 3]> = if mesh.indices.len() > 1 << 14 {
            (0..mesh.indices.len()).into_par_iter().map(corners).collect()
        } else {
            (0..mesh.indices.len()).map(corners).collect()
        };
        for (primitive, vertices) in world.into_iter().enumerate() {
            let material = scene.material_of(index, primitive).index();
            if nothing[material] || has_no_area(&vertices) {
                continue;
            }
            flat.vertices.push(vertices);
            flat.ids.push(PrimitiveId { instance: index as u32, primitive: primitive as u32 });
            flat.opaque.push(opaque[material]);
        }
    }
    Ok(flat)
}

/// Returns `true` if any triangle of an instance has an area. O(1) but for scenes whose first triangles have none:
/// there each mesh is asked once for its own, and copies are only made of those that have some.
pub(crate) fn has_area(scene: &Description) -> bool {
    let mut in_itself: Vec<Option<bool>> = vec![None; scene.meshes.len()];
    scene.instances.iter().any(|instance| {
        let mesh = &scene.meshes[instance.mesh.index()].triangles;
        let has = |place: &dyn Fn([f32; 3]) -> [f32; 3]| {
            (0..mesh.indices.len()).any(|i| !has_no_area(&mesh.corners(i).map(place)))
        };
        let known = &mut in_itself[instance.mesh.index()];
        *known.get_or_insert_with(|| has(&|p| p))
            && !is_line(&instance.transform)
            && has(&|p| instance.transform.point(p))
    })
}

/// Returns `true` if a transform maps all of space to a line or a point.
fn is_line(transform: &Affine) -> bool {
    let [a, b, c] = transform.rows.map(|[x, y, z, _]| [x, y, z]);
    [[a, b], [b, c], [c, a]].iter().all(|&[a, b]| has_no_area(&[[0.0; 3], a, b]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FaceMaterials, MaterialId, Mesh, MeshId};
    use raywarp_geom::TriangleMesh;

    #[test]
    fn instances_are_placed_and_empty_triangles_left_out() {
        let mut scene = Description::default();
        scene.add_material(Material::diffuse("grey", [0.5; 3]));
        scene.add_material(Material::new("air", Surface::Invisible));
        let triangles = TriangleMesh {
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [2.0, 0.0, 0.0]],
            indices: vec![[0, 1, 2], [0, 1, 3], [0, 2, 1]],
            ..Default::default()
        };
        let materials = FaceMaterials::PerTriangle(vec![MaterialId(0), MaterialId(0), MaterialId(1)]);
        scene.add_mesh(Mesh { name: String::new(), triangles, materials });
        for x in [0.0, 5.0] {
            let transform = Affine::translation([x, 0.0, 0.0]);
            scene.instances.push(Instance { mesh: MeshId(0), transform, material: None });
        }
        let flat = flatten(&scene).unwrap();
        let ids: Vec<_> = flat.ids.iter().map(|id| (id.instance, id.primitive)).collect();
        assert_eq!(ids, [(0, 0), (1, 0)]);
        assert_eq!(flat.vertices[1][1], [6.0, 0.0, 0.0]);
        assert_eq!(flat.opaque, [true, true]);

        // Between media, what cannot be seen has still to be crossed.
        scene.materials[1].media = Some(crate::MediumInterface { inside: None, outside: None });
        let flat = flatten(&scene).unwrap();
        assert_eq!(flat.ids.iter().map(|id| id.primitive).collect::<Vec<_>>(), [0, 2, 0, 2]);
        assert_eq!(flat.opaque, [true, false, true, false]);
    }

    #[test]
    fn a_scene_has_an_area_where_a_mesh_has_one_that_is_not_made_a_line() {
        let flat = Affine { rows: [[1.0, 0.0, 0.0, 4.0], [0.0, 1.0, 0.0, 0.0], [0.0; 4]] };
        let line = Affine { rows: [[1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 0.0], [0.0; 4]] };
        let far = Affine::translation([1e20, 0.0, 0.0]);
        let has = |placed: &[(u32, Affine)]| {
            let mut scene = Description::default();
            for indices in [vec![[0, 1, 2]], vec![[0, 0, 1], [0, 1, 3]], vec![]] {
                let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [2.0, 0.0, 0.0]];
                let triangles = TriangleMesh { positions, indices, ..Default::default() };
                scene.add_mesh(Mesh { triangles, ..Default::default() });
            }
            let instance = |&(mesh, transform)| Instance { mesh: MeshId(mesh), transform, material: None };
            scene.instances = placed.iter().map(instance).collect();
            has_area(&scene)
        };
        assert!(has(&[(0, Affine::IDENTITY)]) && has(&[(0, flat)]));
        assert!(has(&[(2, flat), (1, flat), (0, line), (0, flat)]));
        assert!(!has(&[(0, line), (0, far), (1, Affine::IDENTITY), (1, flat), (2, flat)]));
    }
}
