//! Whole scenes of one material, for experiments that compare what surfaces do to paths.

use raywarp_scene::{
    Alpha, ColorInput, Description, FaceMaterials, Material, MaterialId, Roughness, ScalarInput, Surface,
};

/// Material that replaces all materials of a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MadeOf {
    /// Two-sided diffuse material of this reflectance.
    Clay(f32),
    /// Perfect mirror that reflects [`MIRROR_REFLECTANCE`].
    Mirror,
    /// Smooth glass with refractive index [`GLASS_IOR`], without absorption.
    Glass,
    /// Two-sided diffuse material; each triangle has one of eight reflectances from 0.06 to 0.94, 0.5 on average.
    Speckles,
    /// Diffuse material of reflectance 0.7 with opacity one half: half of the rays go through, as through foliage.
    Holes,
}

/// Fraction of light that [`MadeOf::Mirror`] reflects.
pub const MIRROR_REFLECTANCE: f32 = 0.9;
/// Refractive index of [`MadeOf::Glass`].
pub const GLASS_IOR: f32 = 1.5;
/// Number of reflectances of [`MadeOf::Speckles`], as its base-2 logarithm.
const SPECKLE_BITS: u32 = 3;

/// Replaces every material of the scene; emission stays, bumps, masks and media go, and invisible surfaces stay
/// invisible.
pub fn make_of(scene: &mut Description, made_of: MadeOf) {
    let replaced: Vec<bool> = scene.materials.iter().map(|material| material.surface != Surface::Invisible).collect();
    for material in scene.materials.iter_mut().filter(|material| material.surface != Surface::Invisible) {
        let emission = material.emission;
        let name = std::mem::take(&mut material.name);
        *material = Material { emission, ..of(made_of, name) };
    }
    if made_of == MadeOf::Speckles {
        speckle(scene, &replaced);
    }
}

/// Replaces every material of the scene by clay (diffuse) of this reflectance, as W11 and AL09 tested, in the way of
/// [`make_of`].
pub fn make_clay(scene: &mut Description, reflectance: f32) {
    make_of(scene, MadeOf::Clay(reflectance));
}

fn of(made_of: MadeOf, name: String) -> Material {
    let color = |value| ColorInput::constant([value; 3]);
    match made_of {
        MadeOf::Clay(reflectance) => Material::diffuse(name, [reflectance; 3]),
        // Where it emits, which has no speckles.
        MadeOf::Speckles => Material::diffuse(name, [0.5; 3]),
        MadeOf::Mirror => Material::new(name, Surface::Mirror { reflectance: color(MIRROR_REFLECTANCE) }),
        MadeOf::Glass => {
            let surface = Surface::Dielectric {
                ior: GLASS_IOR,
                roughness: Roughness::SMOOTH,
                reflectance: color(1.0),
                transmittance: color(1.0),
                thin: false,
                absorption: None,
            };
            Material::new(name, surface)
        }
        MadeOf::Holes => {
            let alpha = Alpha::Blend { alpha: ScalarInput::constant(0.5) };
            Material { alpha, ..Material::diffuse(name, [0.7; 3]) }
        }
    }
}

/// Gives each triangle whose material was `replaced` and that does not emit light one of the reflectances of
/// [`MadeOf::Speckles`].
fn speckle(scene: &mut Description, replaced: &[bool]) {
    let count = 1u32 << SPECKLE_BITS;
    let speckles: Vec<MaterialId> = (0..count)
        .map(|step| {
            let reflectance = (step as f32 + 0.5) / count as f32;
            scene.add_material(Material::diffuse("speckle", [reflectance; 3]))
        })
        .collect();
    let keeps: Vec<bool> =
        replaced.iter().zip(&scene.materials).map(|(replaced, own)| !replaced || own.emission.is_some()).collect();
    // Fibonacci hashing: neighbours in the mesh differ, and all are as frequent.
    let pick = |index: usize, own: MaterialId| match keeps[own.index()] {
        true => own,
        false => speckles[((index as u32).wrapping_mul(0x9e37_79b9) >> (32 - SPECKLE_BITS)) as usize],
    };
    for mesh in &mut scene.meshes {
        let triangles = 0..mesh.triangles.indices.len();
        mesh.materials =
            FaceMaterials::PerTriangle(triangles.map(|index| pick(index, mesh.materials.get(index))).collect());
    }
    for (index, instance) in scene.instances.iter_mut().enumerate() {
        instance.material = instance.material.map(|own| pick(index, own));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_geom::{Affine, TriangleMesh};
    use raywarp_scene::{Emission, Instance, Mesh};

    const LEAF: MaterialId = MaterialId(0);
    const LAMP: MaterialId = MaterialId(1);
    const AIR: MaterialId = MaterialId(2);

    /// Returns a test scene: a leaf with holes, a lamp that is a mirror, air, a mesh of a thousand leaf triangles, and
    /// one triangle of each material.
    fn scene() -> Description {
        let mut scene = Description::default();
        let alpha = Alpha::Blend { alpha: ScalarInput::constant(0.5) };
        scene.add_material(Material { alpha, ..Material::diffuse("leaf", [0.1, 0.5, 0.1]) });
        let emission = Some(Emission { radiance: ColorInput::constant([5.0; 3]), two_sided: true });
        let mirror = Surface::Mirror { reflectance: ColorInput::constant([1.0; 3]) };
        scene.add_material(Material { emission, ..Material::new("lamp", mirror) });
        scene.add_material(Material::new("air", Surface::Invisible));
        let ids: Vec<MaterialId> = std::iter::repeat_n(LEAF, 1000).chain([LEAF, LAMP, AIR]).collect();
        let triangles = TriangleMesh { indices: vec![[0, 1, 2]; ids.len()], ..TriangleMesh::default() };
        let mesh = scene.add_mesh(Mesh { name: "mesh".into(), triangles, materials: FaceMaterials::PerTriangle(ids) });
        scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: None });
        scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: Some(LAMP) });
        scene
    }

    #[test]
    fn clay_keeps_lights_and_nothing_else() {
        let mut scene = scene();
        make_clay(&mut scene, 0.7);
        assert_eq!(scene.materials[0], Material::diffuse("leaf", [0.7; 3]));
        assert!(scene.materials[1].emission.is_some());
        assert!(matches!(scene.materials[1].surface, Surface::Diffuse { .. }));
        assert_eq!(scene.materials[2].surface, Surface::Invisible);
    }

    #[test]
    fn all_else_is_of_one_surface_too_and_lights_stay() {
        for (made_of, name) in [(MadeOf::Mirror, "mirror"), (MadeOf::Glass, "glass"), (MadeOf::Holes, "diffuse")] {
            let mut scene = scene();
            make_of(&mut scene, made_of);
            assert_eq!(scene.materials.len(), 3);
            assert_eq!([0, 1].map(|index: usize| scene.materials[index].surface.name()), [name; 2]);
            assert_eq!(scene.materials[0].alpha != Alpha::Opaque, made_of == MadeOf::Holes);
            assert!(scene.materials[1].emission.is_some());
            assert_eq!(scene.materials[2].surface, Surface::Invisible);
        }
    }

    #[test]
    fn speckles_are_as_frequent_differ_among_neighbours_and_spare_lights() {
        let mut scene = scene();
        make_of(&mut scene, MadeOf::Speckles);
        let all: Vec<MaterialId> = (0..1003).map(|primitive| scene.material_of(0, primitive)).collect();
        assert_eq!(all[1001..], [LAMP, AIR]);
        assert_eq!(scene.material_of(1, 0), LAMP);
        let mut count = [0; 8];
        all[..1001].iter().for_each(|id| count[id.index() - 3] += 1);
        assert!(count.iter().all(|count| (120..=130).contains(count)), "{count:?}");
        assert!(all[..1001].windows(2).all(|pair| pair[0] != pair[1]));
        let reflectance = |id: &MaterialId| match &scene.materials[id.index()].surface {
            Surface::Diffuse { reflectance } => reflectance.factor[0],
            other => panic!("{other:?}"),
        };
        let mean = all[..1000].iter().map(reflectance).sum::<f32>() / 1000.0;
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
    }
}
