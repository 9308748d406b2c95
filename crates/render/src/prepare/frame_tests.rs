//! Tangent frames of normal maps on coordinates of every kind, against the map's own: the direction that a map shows as
//! (x, y) leans along where its pixels run right and up.

use crate::ShadingScene;
use crate::surface::{bent_normal, surface_point, texture_point};
use glam::{Vec2, Vec3};
use raywarp_geom::{Aabb, Affine, Hit, TriangleMesh};
use raywarp_scene::{
    Description, Image, ImageFilter, Instance, Material, MaterialId, Mesh, MeshId, NormalInput, Pixels, Texture,
    UvMapping, Wrap,
};

/// Direction to which the normal map's only texel leans: right and up, by different amounts.
const LEAN: Vec3 = Vec3::new(102.0 / 255.0, 51.0 / 255.0, 0.0);

/// Test square in the plane z = 0 under a normal map of one texel.
struct Square {
    mesh: TriangleMesh,
    mapping: UvMapping,
    transform: Affine,
}

/// Texture coordinates (v downwards) that run along x and -y.
const UPRIGHT: [[f32; 2]; 4] = [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]];

impl Square {
    fn new() -> Self {
        let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = TriangleMesh {
            positions,
            indices: vec![[0, 1, 2], [0, 2, 3]],
            uvs: UPRIGHT.to_vec(),
            ..TriangleMesh::default()
        };
        Self { mesh, mapping: UvMapping::default(), transform: Affine::IDENTITY }
    }

    fn uvs1(mut self, map: impl Fn([f32; 2]) -> [f32; 2]) -> Self {
        self.mesh.uvs1 = UPRIGHT.map(map).to_vec();
        self.mapping.set = 1;
        self
    }

    fn rows(mut self, rows: [[f32; 3]; 2]) -> Self {
        self.mapping.rows = rows;
        self
    }

    /// Returns the world direction to which the bent normal leans, for both triangles of the square.
    fn leans(self) -> [Vec3; 2] {
        let mut scene = Description::default();
        let pixels = Pixels::Linear8(vec![[178, 153, 255, 255]]);
        let image = scene.add_image(Image { name: "lean".into(), width: 1, height: 1, pixels: pixels.into() });
        let (wrap, filter) = ([Wrap::Repeat; 2], ImageFilter::Bilinear);
        let texture = scene.add_texture(Texture::Image { image, mapping: self.mapping, wrap, filter });
        let mut material = Material::diffuse("", [0.5; 3]);
        material.normal = Some(NormalInput::Map { texture, scale: 1.0 });
        scene.add_material(material);
        scene.add_mesh(Mesh { triangles: self.mesh, ..Mesh::default() });
        scene.instances.push(Instance { mesh: MeshId(0), transform: self.transform, material: None });
        raywarp_scene::validate(&scene).unwrap();
        let flat = ShadingScene::new(&scene, &Aabb { min: [-1.0; 3], max: [1.0; 3] }).unwrap();
        assert_eq!(flat.validate(), Ok(()));
        [0, 1].map(|primitive| {
            let point = surface_point(&flat, &Hit { t: 1.0, u: 0.25, v: 0.5, primitive }, 0);
            let at = texture_point(&flat, point.attributes, Vec2::new(0.25, 0.5));
            let normal = bent_normal(&flat, &flat.materials[MaterialId(0).index()], &point, &at);
            normal / normal.dot(point.shading_normal) - point.shading_normal
        })
    }
}

#[track_caller]
fn check(square: Square, right: Vec3, up: Vec3) {
    // 178 and 153 are that far from the middle.
    let want = LEAN.x * right * (101.0 / 102.0) + LEAN.y * up;
    for lean in square.leans() {
        assert!((lean - want).length() < 3e-3, "{lean}, not {want}");
    }
}

#[test]
fn frames_are_those_of_the_coordinates_that_the_map_uses() {
    let (x, y) = (Vec3::X, Vec3::Y);
    check(Square::new(), x, y);
    // Second coordinates: the same, mirrored either way, turned by quarters.
    check(Square::new().uvs1(|uv| uv), x, y);
    check(Square::new().uvs1(|[u, v]| [1.0 - u, v]), -x, y);
    check(Square::new().uvs1(|[u, v]| [u, 1.0 - v]), x, -y);
    check(Square::new().uvs1(|[u, v]| [v, 1.0 - u]), -y, x);
    check(Square::new().uvs1(|[u, v]| [1.0 - u, 1.0 - v]), -x, -y);
    check(Square::new().uvs1(|[u, v]| [v, u]), -y, -x);
    // The mapping of a texture: mirrored, turned by quarters, both, scaled.
    check(Square::new().rows([[-1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]), -x, y);
    check(Square::new().rows([[1.0, 0.0, 0.0], [0.0, -3.0, 1.0]]), x, -y);
    check(Square::new().rows([[0.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]), -y, x);
    check(Square::new().rows([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), -y, -x);
    check(Square::new().rows([[4.0, 0.0, 0.5], [0.0, 9.0, 0.5]]), x, y);
    // Both together, and only second coordinates.
    let both = Square::new().uvs1(|[u, v]| [1.0 - u, v]).rows([[-2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
    check(both, x, y);
    let mut only = Square::new().uvs1(|[u, v]| [1.0 - u, v]);
    only.mesh.uvs.clear();
    check(only, -x, y);
}

#[test]
fn frames_follow_where_a_mesh_is_placed_and_which_way_it_faces() {
    let mirrored = || Square::new().uvs1(|[u, v]| [1.0 - u, v]);
    let mut placed = mirrored();
    placed.transform = Affine { rows: [[-2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]] };
    check(placed, Vec3::X, Vec3::Y);
    let mut turned = mirrored();
    turned.mesh.normals = vec![[0.0, 0.0, -1.0]; 4];
    check(turned, -Vec3::X, Vec3::Y);
}

#[test]
fn tangents_of_the_file_stay_and_maps_without_area_bend_nothing() {
    let mut stated = Square::new().uvs1(|[u, v]| [1.0 - u, v]);
    stated.mesh.normals = vec![[0.0, 0.0, 1.0]; 4];
    stated.mesh.tangents = vec![[0.0, 1.0, 0.0, 1.0]; 4];
    check(stated, Vec3::Y, -Vec3::X);
    check(Square::new().uvs1(|_| [0.5; 2]), Vec3::ZERO, Vec3::ZERO);
    check(Square::new().rows([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), Vec3::ZERO, Vec3::ZERO);
}
