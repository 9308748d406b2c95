//! Records of placements that share a mesh have the bits of those that the flat scene holds.

use super::*;
use crate::flat::TriangleRecord;
use crate::surface::{coverage, position_derivatives, tangent};
use raywarp_sample::hash;

/// Returns numbers from -1 to 1, which are a function of `seed`.
fn numbers<const N: usize>(seed: u32) -> [f32; N] {
    std::array::from_fn(|i| 2.0 * hash::to_unit(hash::combine(hash::pcg(seed), i as u32)) - 1.0)
}

/// Returns a mesh of some triangles, with the vertex attributes whose bits are set: normals, tangents, coordinates,
/// more coordinates, colours.
fn mesh(attributes: u32, materials: FaceMaterials) -> Mesh {
    let vertices = 12;
    let of = |bit: u32| if attributes >> bit & 1 == 1 { vertices } else { 0 };
    let seed = |bit: u32, i: u32| 1000 * (bit + 1) + i;
    let triangles = TriangleMesh {
        positions: (0..vertices).map(numbers).collect(),
        indices: (0..8).map(|i| [i, i + 1 + i % 2, i + 3]).collect(),
        normals: (0..of(0)).map(|i| numbers(seed(0, i))).collect(),
        tangents: (0..of(1)).map(|i| numbers(seed(1, i))).collect(),
        uvs: (0..of(2)).map(|i| numbers(seed(2, i))).collect(),
        uvs1: (0..of(3)).map(|i| numbers(seed(3, i))).collect(),
        colors: (0..of(4)).map(|i| numbers(seed(4, i))).collect(),
    };
    Mesh { name: String::new(), triangles, materials }
}

/// Returns a scene whose meshes have all sets of attributes, each placed mirrored, scaled and turned, with materials of
/// its own and of placements, some of which emit.
fn scene() -> Description {
    let mut scene = with_four_texels();
    let textured = scene.add_texture(image(Wrap::Repeat, ImageFilter::Bilinear));
    let turned = UvMapping { set: 1, rows: [[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]] };
    let turned =
        Texture::Image { image: ImageId(0), mapping: turned, wrap: [Wrap::Repeat; 2], filter: ImageFilter::Bilinear };
    let turned = scene.add_texture(turned);
    let reflectance = ColorInput::texture(textured);
    let bent = |texture| Some(NormalInput::Map { texture, scale: 1.0 });
    scene.add_material(Material::diffuse("plain", [0.5; 3]));
    scene.add_material(Material::new("painted", Surface::Diffuse { reflectance }));
    scene.add_material(Material { normal: bent(textured), ..Material::new("bent", Surface::Diffuse { reflectance }) });
    scene.add_material(Material {
        normal: bent(turned),
        alpha: Alpha::Blend {
            alpha: ScalarInput { factor: 1.0, texture: Some((textured, raywarp_scene::Channel::G)) },
        },
        ..Material::new("turned, with holes", Surface::Diffuse { reflectance })
    });
    scene.add_material(Material {
        emission: Some(Emission { radiance: reflectance, two_sided: true }),
        ..Material::new("shining", Surface::Diffuse { reflectance })
    });
    for attributes in 0..32 {
        let own = |i: u32| MaterialId((i + attributes) % if attributes % 3 == 0 { 5 } else { 4 });
        let materials = if attributes % 4 == 1 {
            FaceMaterials::Uniform(own(0))
        } else {
            FaceMaterials::PerTriangle((0..8).map(own).collect())
        };
        let mesh = scene.add_mesh(mesh(attributes, materials));
        let place = |rows: [f32; 12], material| Instance {
            mesh,
            transform: Affine { rows: std::array::from_fn(|i| std::array::from_fn(|j| rows[4 * i + j])) },
            material,
        };
        let random = numbers(7000 + attributes);
        let mirrored = [-1.0, 0.0, 0.0, 5.0, 0.0, 3.0, 0.0, -2.0, 0.0, 0.0, 0.1, 1.0];
        scene.instances.push(place(random, None));
        scene.instances.push(place(mirrored, Some(MaterialId(attributes % 5))));
        scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: None });
        scene.instances.push(place(random.map(|x| -x), Some(MaterialId(3))));
        if attributes % 7 == 0 {
            let mesh = scene.add_mesh(scene.meshes[mesh.index()].clone());
            scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: None });
        }
    }
    scene
}

#[test]
fn a_triangle_of_a_shared_mesh_is_the_flat_one_bit_for_bit() {
    let scene = scene();
    raywarp_scene::validate(&scene).unwrap();
    let bounds = Aabb { min: [-1.0; 3], max: [1.0; 3] };
    let flat = ShadingScene::new(&scene, &bounds).unwrap();
    let shared = ShadingScene::with_shared_meshes(&scene, &bounds).unwrap();
    assert_eq!((flat.validate(), shared.validate()), (Ok(()), Ok(())));
    assert!(flat.is_flat() && !shared.is_flat());
    let own = |scene: &ShadingScene| (0..scene.placements.len() as u32).filter(|&i| !scene.is_shared(i)).count();
    // Those that emit, and those of meshes that are placed once.
    assert_eq!((own(&shared), shared.placements.len(), shared.lights.len()), (31, 133, flat.lights.len()));
    assert!(shared.bytes().total() < flat.bytes().total());
    let [mut with_tangents, mut light] = [0; 2];
    for instance in 0..scene.instances.len() as u32 {
        for primitive in 0..8 {
            let hit = Hit { t: 1.0, u: 0.25, v: 0.5, primitive };
            let [(a, _), (b, material)] = [flat.surface_of(&hit, instance), shared.surface_of(&hit, instance)];
            assert_eq!((a.attributes == NONE, a.light), (b.attributes == NONE, b.light), "{instance} {primitive}");
            assert_eq!(TriangleRecord { attributes: b.attributes, ..a }, b, "{instance} {primitive}");
            let points = [&flat, &shared].map(|scene| surface_point(scene, &hit, instance));
            let plain = |point: crate::surface::SurfacePoint| crate::surface::SurfacePoint {
                triangle: 0,
                attributes: 0,
                ..point
            };
            assert_eq!(format!("{:?}", plain(points[0])), format!("{:?}", plain(points[1])));
            let answers = [(&flat, &points[0]), (&shared, &points[1])].map(|(scene, point)| {
                let at = texture_point(scene, point.attributes, point.barycentrics);
                let holes = coverage(scene, instance, point.triangle, point.barycentrics);
                let (along, uv) = (tangent(scene, point), position_derivatives(scene, point));
                (format!("{at:?} {holes} {along:?} {uv:?}"), along.is_some())
            });
            assert_eq!(answers[0], answers[1], "{instance} {primitive}");
            let (kind, _) = shared.material_and_attributes(instance, points[1].triangle);
            assert_eq!(kind, material);
            with_tangents += u32::from(answers[0].1);
            light += u32::from(a.light != NONE);
        }
    }
    assert!(with_tangents > 900 && light > 20, "{with_tangents} {light}");
}
