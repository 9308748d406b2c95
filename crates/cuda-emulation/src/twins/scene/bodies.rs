//! Boxes that are full of something: one in the other, side by side, and of stated media.

use raywarp_geom::{Affine, TriangleMesh};
use raywarp_scene::{
    Absorption, ColorInput, Description, FaceMaterials, Instance, Material, MaterialId, Medium, MediumInterface, Mesh,
    Principled, Roughness, ScalarInput, Surface,
};

/// Adds bodies of participating media to the test scene.
pub(super) fn add(scene: &mut Description) {
    let cube = cube(scene);
    let place = |scene: &mut Description, material: MaterialId, low: [f32; 3], size: f32| {
        let transform = Affine::translation(low).after(&Affine::scale([size; 3]));
        scene.instances.push(Instance { mesh: cube, transform, material: Some(material) });
    };
    let smooth = Roughness::SMOOTH;
    let bodies = [
        glass(1.5, smooth, [0.9, 0.2, 0.4]),
        glass(1.3, Roughness::isotropic(0.2), [0.1, 0.3, 0.7]),
        glass(1.0, smooth, [0.5, 0.5, 0.1]),
        volume([0.3, 0.8, 0.2], 1.0),
        volume([1.2, 0.1, 0.9], 0.5),
    ]
    .map(|surface| scene.add_material(Material::new("", surface)));
    // One in the other, more than a path can name.
    for i in 0..6 {
        let inset = 0.15 * i as f32;
        place(scene, bodies[i % bodies.len()], [-2.5 + inset, -2.4 + inset, -2.6 + inset], 2.2 - 2.0 * inset);
    }
    // Side by side, the faces between them in one place.
    for i in 0..4 {
        place(scene, bodies[i], [0.5 + 0.5 * i as f32, 0.75, 1.25], 0.5);
    }
    place(scene, bodies[0], [1.0, 1.25, 1.25], 0.5);

    let [thin, thick] = [[0.1, 0.2, 0.3], [1.5, 0.7, 0.4]]
        .map(|sigma| Some(scene.add_medium(Medium { name: String::new(), absorption: Absorption { sigma } })));
    let mut bounded = |surface: Surface, inside, outside| {
        let media = Some(MediumInterface { inside, outside });
        scene.add_material(Material { media, ..Material::new("", surface) })
    };
    let boundaries = [
        bounded(Surface::Invisible, thin, None),
        bounded(Surface::Invisible, thick, thin),
        bounded(glass(1.5, smooth, [0.0; 3]), None, thin),
        bounded(Surface::Diffuse { reflectance: ColorInput::constant([0.6; 3]) }, None, thick),
        bounded(glass(1.4, Roughness::isotropic(0.3), [0.2; 3]), thick, None),
    ];
    for (i, &boundary) in boundaries.iter().enumerate() {
        place(scene, boundary, [0.4 + 0.2 * i as f32, -2.6 + 0.2 * i as f32, -2.2], 2.0 - 0.4 * i as f32);
    }
    place(scene, boundaries[4], [-2.0, 0.4, 1.1], 1.0);
    // A body that lies half in a stated medium.
    place(scene, bodies[0], [-1.5, 0.9, 1.5], 1.0);
    // A mixture of glass and a body, and walls in three of six directions.
    let amount = ScalarInput::constant(0.5);
    let mixture = Surface::Mix { first: bodies[1], second: bodies[3], amount };
    let mixture = scene.add_material(Material::new("", mixture));
    place(scene, mixture, [-0.5, 1.9, -0.6], 0.9);
    let wall = scene.add_material(Material::diffuse("", [0.7, 0.6, 0.5]));
    for low in [[-4.5, -13.5, -4.5], [-13.5, -4.5, -4.5], [-4.5, -4.5, -13.5]] {
        place(scene, wall, low, 9.0);
    }
}

fn glass(ior: f32, roughness: Roughness, sigma: [f32; 3]) -> Surface {
    let clear = ColorInput::constant([1.0; 3]);
    let absorption = Some(Absorption { sigma }).filter(|&absorption| absorption != Absorption::NONE);
    Surface::Dielectric { ior, roughness, reflectance: clear, transmittance: clear, thin: false, absorption }
}

fn volume(sigma: [f32; 3], transmission: f32) -> Surface {
    Surface::Principled(Box::new(Principled {
        metallic: ScalarInput::constant(0.0),
        roughness: Roughness::isotropic(0.1),
        transmission: ScalarInput::constant(transmission),
        thin: false,
        absorption: Some(Absorption { sigma }),
        ..Default::default()
    }))
}

/// Adds a cube from 0 to 1 along each axis, front sides outwards.
fn cube(scene: &mut Description) -> raywarp_scene::MeshId {
    let positions = (0..8u8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(f32::from)).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let indices = quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let triangles = TriangleMesh { positions, indices, ..Default::default() };
    scene.add_mesh(Mesh { name: String::new(), triangles, materials: FaceMaterials::default() })
}
