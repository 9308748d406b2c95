//! What comes out of scenes.

mod rules;
mod shared;

use super::*;
use crate::bsdf::MaterialKind;
use crate::flat::{Input, InputChannel, LightKind, MaterialFlags, NONE};
use crate::surface::{surface_point, texture_point};
use crate::texture::{TexturePoint, value};
use glam::{Vec2, Vec3, Vec4};
use raywarp_geom::{Affine, Hit, TriangleMesh};
use raywarp_scene::{
    Absorption, Alpha, ColorInput, Emission, FaceMaterials, ImageFilter, ImageId, Instance, Light, Material,
    MaterialId, Mesh, MeshId, NormalInput, Pixels, Principled, ScalarInput, Surface, Texture, UvMapping, Wrap,
};

fn flat(scene: &Description) -> ShadingScene {
    raywarp_scene::validate(scene).unwrap();
    ShadingScene::new(scene, &Aabb { min: [-1.0; 3], max: [1.0; 3] }).unwrap()
}

/// Returns a test scene with an image of four texels: black, red, green and transparent blue.
fn with_four_texels() -> Description {
    let mut scene = Description::default();
    let pixels = Pixels::Linear8(vec![[0, 0, 0, 255], [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 0]]);
    scene.add_image(raywarp_scene::Image { name: "four".into(), width: 2, height: 2, pixels: pixels.into() });
    scene
}

fn image(wrap: Wrap, filter: ImageFilter) -> Texture {
    Texture::Image { image: ImageId(0), mapping: UvMapping::default(), wrap: [wrap; 2], filter }
}

fn at(u: f32, v: f32) -> TexturePoint {
    TexturePoint { uv: [Vec2::new(u, v); 2], color: Vec4::new(0.5, 0.25, 1.0, 1.0) }
}

#[test]
fn images_are_looked_up_at_texel_centres_and_between() {
    let mut scene = with_four_texels();
    let nearest = scene.add_texture(image(Wrap::Repeat, ImageFilter::Nearest)).0;
    let linear = scene.add_texture(image(Wrap::Clamp, ImageFilter::Bilinear)).0;
    let flat = flat(&scene);
    assert_eq!(value(&flat, nearest, &at(0.75, 0.25)), Vec4::new(1.0, 0.0, 0.0, 1.0));
    assert_eq!(value(&flat, nearest, &at(-0.25, 1.75)), Vec4::new(0.0, 0.0, 1.0, 0.0));
    assert_eq!(value(&flat, linear, &at(0.25, 0.75)), Vec4::new(0.0, 1.0, 0.0, 1.0));
    assert_eq!(value(&flat, linear, &at(0.5, 0.25)), Vec4::new(0.5, 0.0, 0.0, 1.0));
    assert_eq!(value(&flat, linear, &at(9.0, -9.0)), Vec4::new(1.0, 0.0, 0.0, 1.0));
    assert!(value(&flat, linear, &at(f32::NAN, f32::INFINITY)).is_finite());
}

#[test]
fn too_many_triangles_are_refused_before_any_is_made_and_the_line_says_what_to_do() {
    for (glows, shares) in [(false, false), (true, true)] {
        let mut scene = Description::default();
        let mut material = Material::diffuse("", [0.5; 3]);
        material.emission = glows.then(|| Emission { radiance: ColorInput::constant([1.0; 3]), two_sided: false });
        let materials = FaceMaterials::Uniform(scene.add_material(material));
        let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let triangles = TriangleMesh { positions, indices: vec![[0, 1, 2]; 1 << 20], ..TriangleMesh::default() };
        let mesh = scene.add_mesh(Mesh { name: String::new(), triangles, materials });
        let instance = Instance { mesh, transform: Affine::IDENTITY, material: None };
        scene.instances = vec![instance; 1 << 12];
        let bounds = Aabb { min: [-1.0; 3], max: [1.0; 3] };
        let made = if shares { ShadingScene::with_shared_meshes } else { ShadingScene::new };
        let line = made(&scene, &bounds).map(drop).unwrap_err().to_string();
        let start = "the scene has 4294967296 triangles to shade, but at most 4294967294 can be numbered; place fewer";
        assert!(line.starts_with(start), "{line}");
    }
}

#[test]
fn graphs_are_evaluated_and_too_deep_ones_refused() {
    let mut scene = with_four_texels();
    let a = scene.add_texture(Texture::Constant([0.5, 1.0, 0.0, 1.0]));
    let b = scene.add_texture(Texture::VertexColor);
    let scale = scene.add_texture(Texture::Scale { a, b });
    let amount = scene.add_texture(Texture::Constant([0.25; 4]));
    let mix = scene.add_texture(Texture::Mix { a, b: scale, amount });
    let check = scene.add_texture(Texture::Checkerboard { mapping: UvMapping::default(), even: mix, odd: b });
    let flat = flat(&scene);
    assert_eq!(flat.validate(), Ok(()));
    assert_eq!(value(&flat, scale.0, &at(0.0, 0.0)), Vec4::new(0.25, 0.25, 0.0, 1.0));
    assert_eq!(value(&flat, mix.0, &at(0.0, 0.0)), Vec4::new(0.4375, 0.8125, 0.0, 1.0));
    assert_eq!(value(&flat, check.0, &at(0.5, 0.5)), Vec4::new(0.4375, 0.8125, 0.0, 1.0));
    assert_eq!(value(&flat, check.0, &at(-0.5, 0.5)), Vec4::new(0.5, 0.25, 1.0, 1.0));

    let mut last = check;
    for _ in 0..30 {
        last = scene.add_texture(Texture::Scale { a: last, b: last });
    }
    let refused = ShadingScene::new(&scene, &Aabb { min: [0.0; 3], max: [1.0; 3] });
    assert!(matches!(refused, Err(RenderError::TextureTooDeep { .. })));
}

/// Returns a test scene: a quad with all vertex attributes, plain and mirrored, with a plain and a textured material,
/// and a light of each kind.
fn rich() -> Description {
    let mut scene = with_four_texels();
    let textured = scene.add_texture(image(Wrap::Repeat, ImageFilter::Bilinear));
    let plain = scene.add_material(Material::diffuse("plain", [0.5; 3]));
    let painted = Material {
        emission: Some(Emission { radiance: ColorInput::constant([2.0; 3]), two_sided: false }),
        normal: Some(NormalInput::Map { texture: textured, scale: 1.0 }),
        alpha: Alpha::Blend { alpha: ScalarInput::constant(0.5) },
        ..Material::new("painted", Surface::Diffuse { reflectance: ColorInput::texture(textured) })
    };
    let painted = scene.add_material(painted);
    let amount = ScalarInput::constant(0.5);
    scene.add_material(Material::new("mix", Surface::Mix { first: plain, second: painted, amount }));
    let triangles = TriangleMesh {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        indices: vec![[0, 1, 2], [0, 2, 3]],
        normals: vec![[0.0, 0.0, -1.0]; 4],
        tangents: vec![[1.0, 0.0, 0.0, -1.0]; 4],
        uvs: vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]],
        uvs1: vec![],
        colors: vec![[1.0, 0.0, 0.0, 1.0]; 4],
    };
    let mesh = Mesh { name: "quad".into(), triangles, materials: FaceMaterials::PerTriangle(vec![plain, painted]) };
    let mesh = scene.add_mesh(mesh);
    let mirrored = Affine::scale([1.0, 2.0, -1.0]);
    scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: None });
    scene.instances.push(Instance { mesh, transform: mirrored, material: Some(painted) });
    let world_to_map = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    scene.lights = vec![
        Light::Environment { map: Some(ImageId(0)), radiance: [1.0; 3], world_to_map },
        Light::Point { position: [0.0, 0.0, 3.0], intensity: [1.0; 3] },
        Light::Directional { direction: [0.0, 0.0, -1.0], irradiance: [1.0; 3] },
    ];
    scene
}

#[test]
fn triangles_come_with_what_is_looked_at_and_no_more() {
    let flat = flat(&rich());
    assert_eq!(flat.validate(), Ok(()));
    assert_eq!(flat.triangles.iter().map(crate::flat::TriangleRecord::material).collect::<Vec<_>>(), [0, 1, 1, 1]);
    assert_eq!(flat.triangles.iter().map(|t| t.instance).collect::<Vec<_>>(), [0, 0, 1, 1]);
    assert_eq!(flat.triangles.iter().map(|t| t.attributes).collect::<Vec<_>>(), [NONE, 0, 1, 2]);
    assert_eq!(flat.triangles.iter().map(|t| t.light).collect::<Vec<_>>(), [NONE, 0, 1, 1]);
    assert_eq!((flat.attributes.len(), flat.colors.len()), (3, 3));
    let kinds: Vec<_> = flat.lights[..2].iter().map(|light| (light.kind(), light.index)).collect();
    assert_eq!(kinds, [(LightKind::Triangle, 1), (LightKind::Parallelogram, 2)]);

    // The second triangle, half way between its second and third corners.
    let hit = Hit { t: 1.0, u: 0.5, v: 0.5, primitive: 1 };
    let here = surface_point(&flat, &hit, 0);
    assert_eq!((here.position, here.shading_normal), (Vec3::new(0.5, 1.0, 0.0), -Vec3::Z));
    // The mesh's normals tell the front, not the winding; a mirror turns both.
    assert_eq!(here.geometric_normal, -Vec3::Z);
    let there = surface_point(&flat, &hit, 1);
    assert_eq!((there.position, there.geometric_normal), (Vec3::new(0.5, 2.0, 0.0), Vec3::Z));
    let texture = texture_point(&flat, here.attributes, here.barycentrics);
    assert_eq!((texture.uv, texture.color), ([Vec2::new(0.5, 0.0); 2], Vec4::new(1.0, 0.0, 0.0, 1.0)));
    // Plain materials look at no coordinates: the barycentrics stand for them.
    let plain = texture_point(&flat, NONE, Vec2::new(0.25, 0.5));
    assert_eq!((plain.uv[0], plain.color), (Vec2::new(0.25, 0.5), Vec4::ONE));
}

/// Returns a test scene with an emissive pbrt sphere of opacity `alpha`.
fn ball(alpha: f32) -> Description {
    pbrt(&format!(
        "Translate 3 -1 2 Rotate 40 1 2 3 Scale -2 2 2 Shape \"sphere\" \"float radius\" 0.7 \"float alpha\" {alpha}"
    ))
}

/// Returns a pbrt scene of emissive shapes.
fn pbrt(shapes: &str) -> Description {
    let text = format!(
        "LookAt 0 0 9  0 0 0  0 1 0 Camera \"perspective\"\nWorldBegin\nAreaLightSource \"diffuse\" \"rgb L\" [1 1 1]\n{shapes}\n"
    );
    let options = raywarp_scene::LoadOptions::default();
    raywarp_scene::load_from(text.as_bytes(), std::path::Path::new("shapes.pbrt"), &options).unwrap().scene
}

/// Returns the kinds of a prepared scene's lights.
#[track_caller]
fn kinds(scene: &Description) -> Vec<LightKind> {
    let flat = flat(scene);
    assert_eq!(flat.validate(), Ok(()));
    let power: f32 = flat.lights.iter().map(|light| light.value).sum();
    assert!((power - 1.0).abs() < 1e-4, "{power}");
    let mut kinds: Vec<_> = flat.lights.iter().map(crate::flat::LightRecord::kind).collect();
    kinds.dedup();
    kinds
}

#[test]
fn shapes_that_importers_tessellate_are_one_light_each() {
    for (shapes, lights) in [
        ("Rotate 30 1 1 0 Scale 3 3 3 Shape \"sphere\" \"float radius\" 0.5", 1),
        ("Translate 100 -30 20 ReverseOrientation Shape \"sphere\" \"float radius\" 1", 1),
        ("Rotate 30 1 1 0 Scale 3 1 -2 Shape \"disk\" \"float radius\" 0.5 \"float height\" 2", 1),
        ("Shape \"disk\" Translate 1 1 1 Shape \"sphere\" Shape \"sphere\"", 3),
        ("Shape \"bilinearmesh\" \"point3 P\" [0 0 0  2 0 0  1 3 0  3 3 0]", 1),
        ("Shape \"trianglemesh\" \"integer indices\" [0 1 2 2 1 3] \"point3 P\" [0 0 0  2 0 0  1 3 0  3 3 0]", 1),
    ] {
        let scene = pbrt(shapes);
        kinds(&scene);
        assert_eq!(flat(&scene).lights.len(), lights, "{shapes}");
    }
    assert_eq!(kinds(&ball(1.0)), [LightKind::Sphere]);
    // Through its holes one would see the other side, which directions to the front do not find.
    assert!(!kinds(&ball(0.5)).contains(&LightKind::Sphere));
}

#[test]
fn what_is_nearly_a_shape_stays_triangles() {
    // An ellipsoid, part of a disk, a kite, a bent pair, a pair with fronts on both sides.
    for shapes in [
        "Scale 1 1 1.01 Shape \"sphere\"",
        "Shape \"disk\" \"float phimax\" 350",
        "Shape \"trianglemesh\" \"integer indices\" [0 1 2 2 1 3] \"point3 P\" [0 0 0  2 0 0  1 3 0  3.01 3 0]",
        "Shape \"trianglemesh\" \"integer indices\" [0 1 2 2 1 3] \"point3 P\" [0 0 0  2 0 0  1 3 0  3 3 0.01]",
        "Shape \"trianglemesh\" \"integer indices\" [0 1 2 1 2 3] \"point3 P\" [0 0 0  2 0 0  1 3 0  3 3 0]",
    ] {
        let found = kinds(&pbrt(shapes));
        assert!(!found.contains(&LightKind::Sphere) && !found.contains(&LightKind::Disk), "{shapes}: {found:?}");
        assert!(found.contains(&LightKind::Triangle) || shapes.contains("sphere"), "{shapes}: {found:?}");
    }
    // One corner of a ball out of place.
    let mut scene = ball(1.0);
    scene.meshes[0].triangles.positions[4000][1] += 0.01;
    assert!(!kinds(&scene).contains(&LightKind::Sphere));
}

#[test]
fn lights_can_be_changed_and_put_back() {
    let mut scene = rich();
    let before = flat(&scene);
    let mut changed = before.clone();
    let bounds = Aabb { min: [-1.0; 3], max: [1.0; 3] };
    scene.lights.push(Light::Point { position: [9.0; 3], intensity: [5.0; 3] });
    changed.set_lights(&scene, &bounds);
    assert_eq!((changed.validate(), changed.lights.len()), (Ok(()), before.lights.len() + 1));
    scene.lights.pop();
    changed.set_lights(&scene, &bounds);
    assert_eq!(
        (changed.lights, changed.light_choice, changed.tables),
        (before.lights, before.light_choice, before.tables)
    );
}

#[test]
fn bodies_that_no_triangle_is_made_of_take_no_medium() {
    let mut scene = Description::default();
    let glass = |sigma: f32| {
        let absorption = Some(Absorption { sigma: [sigma; 3] });
        let surface =
            Principled { transmission: ScalarInput::constant(1.0), thin: false, absorption, ..Default::default() };
        Material::new("", Surface::Principled(Box::new(surface)))
    };
    for i in 0..=ShadingScene::MOST_MEDIA {
        scene.add_material(glass(i as f32));
    }
    // What is in a mixture is used where the mixture is.
    let (first, second) = (MaterialId(7), MaterialId(9));
    let mix = Surface::Mix { first, second, amount: ScalarInput::constant(0.5) };
    let materials = [MaterialId(5), scene.add_material(Material::new("", mix))];
    let triangles = TriangleMesh { positions: vec![[0.0; 3]; 3], indices: vec![[0, 1, 2]; 2], ..Default::default() };
    scene.add_mesh(Mesh { name: String::new(), triangles, materials: FaceMaterials::PerTriangle(materials.to_vec()) });
    let mut place = |material| {
        scene.instances.push(Instance { mesh: MeshId(0), transform: Affine::IDENTITY, material });
        flat(&scene).media.iter().map(|medium| medium.absorption[0]).collect::<Vec<f32>>()
    };
    assert_eq!(place(Some(MaterialId(3))), [3.0]);
    assert_eq!(place(None), [3.0, 5.0, 7.0, 9.0]);
}

#[test]
fn choices_among_many_lights_of_all_powers_are_exact_enough() {
    for (count, power) in [(1, 0), (7, 1), (1000, 3), (100_000, 9)] {
        let mut scene = rich();
        // Powers from 1 to 10^power, the weakest far below a cell's share.
        let intensity = |i: i32| 10f32.powf(power as f32 * (i * 7919 % 1000) as f32 / 1000.0);
        scene.lights.extend((0..count).map(|i| Light::Point { position: [3.0; 3], intensity: [intensity(i); 3] }));
        scene.lights.push(Light::Point { position: [3.0; 3], intensity: [0.0; 3] });
        assert_eq!(flat(&scene).validate(), Ok(()), "{count}");
    }
}
