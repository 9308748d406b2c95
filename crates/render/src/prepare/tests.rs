//! What comes out of scenes, and what `validate` says of scenes that were tampered with.

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

/// Breaks a rule of a valid scene by `tamper`, and checks that `validate` reports just that.
#[track_caller]
fn broken(item: &str, message: &str, tamper: impl FnOnce(&mut ShadingScene)) {
    let mut flat = flat(&rich());
    tamper(&mut flat);
    let found = flat.validate().expect_err("a broken rule goes unnoticed");
    assert_eq!((found.item.as_str(), found.message), (item, message));
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
fn every_rule_of_surfaces_is_checked() {
    broken("inputs[0]", "has a factor that is not finite", |s| s.inputs[0].factor[1] = f32::NAN);
    broken("inputs[0]", "names a texture that is not there", |s| s.inputs[0].source = 7);
    broken("inputs[0]", "names a channel that does not exist", |s| s.inputs[0].source = 6 << 28);
    broken("materials[0]", "is of a kind that does not exist", |s| s.materials[0].kind = 99);
    broken("materials[0]", "remaps roughness in a way that does not exist", |s| s.materials[0].remap = 4);
    broken("materials[0]", "has a flag that does not exist", |s| s.materials[0].flags |= 1 << 30);
    broken("materials[0]", "has inputs that are not there", |s| s.materials[0].first_input = u32::MAX);
    broken("materials[0]", "names an input that is not there", |s| s.materials[0].emission = 1000);
    broken("materials[0]", "names a medium that is not there", |s| s.materials[0].inside = 0);
    broken("materials[0]", "names a medium that is not there", |s| s.materials[0].outside = 0);
    broken("materials[0]", "has a medium outside and is no interface", |s| {
        s.media.push(crate::flat::MediumRecord { absorption: [1.0; 3], ior: 0.0 });
        s.materials[0].outside = 0;
    });
    broken("media[0]", "has an index of refraction that is negative or not finite", |s| {
        s.media.push(crate::flat::MediumRecord { absorption: [1.0; 3], ior: f32::NAN });
    });
    broken("media", "are more than a path can tell apart", |s| {
        s.media = vec![crate::flat::MediumRecord { absorption: [1.0; 3], ior: 0.0 }; ShadingScene::MOST_MEDIA + 1];
    });
    broken("materials[0]", "has a cutoff that is not finite", |s| s.materials[0].cutoff = f32::INFINITY);
    broken("materials[0]", "has parts that do not come before it, or should have none", |s| {
        s.materials[0].parts[0] = 0;
    });
    broken("materials[2]", "has parts that do not come before it, or should have none", |s| {
        s.materials[2].parts[1] = 2;
    });
    broken("materials[1]", "looks at attributes and does not say so", |s| s.materials[1].flags = 0);
    broken("materials[1]", "has a normal map without a texture", |s| {
        let input = s.materials[1].normal as usize;
        s.inputs[input].source = NONE;
    });
    broken("materials[0]", "has unused fields that are not zero", |s| s.materials[0].unused[3] = 1);
    broken("all_opaque", "says another thing than the materials", |s| s.all_opaque = true);
    broken("media[0]", "absorbs an amount that is negative or not finite", |s| {
        s.media.push(crate::flat::MediumRecord { absorption: [-1.0; 3], ior: 0.0 });
    });
}

#[test]
fn materials_say_that_they_choose_just_where_they_do() {
    broken("materials[2]", "chooses between parts and does not say so", |s| {
        s.materials[2].flags &= !MaterialFlags::CHOOSES;
    });
    broken("materials[0]", "says that it chooses and has no parts", |s| s.materials[0].flags |= MaterialFlags::CHOOSES);
    // Metal and dielectric, with so much of it glass.
    let principled = |s: &mut ShadingScene, transmission: Input| {
        (s.materials[0].kind, s.materials[0].first_input) = (MaterialKind::Principled.tag(), s.inputs.len() as u32);
        s.inputs.extend([Input::constant([0.5; 3]); MaterialKind::Principled.input_count() as usize]);
        s.inputs[(s.materials[0].first_input + MaterialKind::TRANSMISSION) as usize] = transmission;
    };
    broken("materials[0]", "chooses between parts and does not say so", |s| principled(s, Input::constant([0.1; 3])));
    broken("materials[0]", "chooses between parts and does not say so", |s| {
        principled(s, Input::textured([-1.0; 3], 0, InputChannel::R));
        s.materials[0].flags |= MaterialFlags::LOOKS_AT_ATTRIBUTES;
    });
    broken("materials[0]", "says that it chooses and has no parts", |s| {
        principled(s, Input::constant([0.0; 3]));
        s.materials[0].flags |= MaterialFlags::CHOOSES;
    });
}

#[test]
fn a_boundary_of_media_without_a_surface_is_a_hole_all_over() {
    let boundary = |s: &mut ShadingScene, alpha: f32| {
        (s.materials[0].kind, s.materials[0].flags) = (MaterialKind::Invisible.tag(), MaterialFlags::INTERFACE);
        s.materials[0].alpha = s.inputs.len() as u32;
        s.inputs.push(Input::constant([alpha, 0.0, 0.0]));
    };
    let mut good = flat(&rich());
    boundary(&mut good, 0.0);
    assert_eq!(good.validate(), Ok(()));
    let message = "bounds media without a surface and is no hole all over";
    broken("materials[0]", message, |s| boundary(s, 0.5));
    broken("materials[0]", message, |s| {
        boundary(s, 0.0);
        s.materials[0].alpha = NONE;
    });
    // An alpha of 0 that reaches the cutoff.
    broken("materials[0]", message, |s| {
        boundary(s, 0.0);
        s.materials[0].flags |= MaterialFlags::MASK;
    });
}

#[test]
fn every_rule_of_textures_is_checked() {
    broken("texture_ops[0]", "is of a kind that does not exist", |s| s.texture_ops[0].kind = 6);
    broken("texture_ops[0]", "has a value that is not finite", |s| s.texture_ops[0].value[3] = f32::NAN);
    broken("texture_ops[0]", "has a mapping that is not finite", |s| s.texture_ops[0].rows[1][2] = f32::INFINITY);
    broken("texture_ops[0]", "names texture coordinates that do not exist", |s| s.texture_ops[0].uv_set = 2);
    broken("texture_ops[0]", "names an image that is not there", |s| s.texture_ops[0].image = 1);
    broken("texture_ops[0]", "is looked up in a way that does not exist", |s| s.texture_ops[0].lookup = 2);
    broken("texture_ops[0]", "wraps in a way that does not exist", |s| s.texture_ops[0].wrap[1] = 4);
    broken("programs[0]", "has steps that are not there", |s| s.programs[0].end = 2);
    broken("programs[0]", "takes values that were not pushed", |s| s.texture_ops[0].kind = 4);
    broken("programs[0]", "leaves more than one value", |s| {
        let op = s.texture_ops[0];
        s.texture_ops.push(op);
        s.programs[0].end = 2;
    });
    broken("programs[0]", "holds more values than the stack", |s| {
        s.texture_ops = vec![s.texture_ops[0]; 13];
        s.programs[0].end = 13;
    });
    broken("images[0]", "has another number of texels than its size says", |s| s.images[0].size = [2, 3]);
}

#[test]
fn every_rule_of_triangles_is_checked() {
    broken("placements[1]", "does not begin where the one before it ends", |s| s.placements[1].first_triangle = 1);
    broken("placements[1]", "does not end with the triangles", |s| s.placements[1].triangle_count = 1);
    broken("triangles[3]", "has a corner that is not finite", |s| s.triangles[3].corners[2][0] = f32::NAN);
    broken("triangles[0]", "names a material that is not there", |s| s.triangles[0].material_and_flags = 3);
    broken("triangles[0]", "names attributes that are not there", |s| s.triangles[0].attributes = 3);
    broken("triangles[0]", "names a placement that is not there", |s| s.triangles[0].instance = 2);
    broken("triangles[0]", "names a placement that it is not in", |s| s.triangles[0].instance = 1);
    broken("triangles[0]", "names a light that is not there", |s| s.triangles[0].light = 100);
    broken("triangles[0]", "names a light that is another's", |s| s.triangles[0].light = 1);
    broken("attributes[0]", "names colours that are not there", |s| s.attributes[0].colors_and_flags = 9);
    broken("attributes[0]", "has texture coordinates that are not finite", |s| s.attributes[0].uv1[0][0] = f32::NAN);
    broken("colors[0]", "has a number that is not finite", |s| s.colors[0].corners[0][0] = f32::NAN);
}

#[test]
fn every_rule_of_lights_is_checked() {
    broken("lights[0]", "is of a kind that does not exist", |s| s.lights[0].kind = 8);
    broken("lights[0]", "has a number that is not finite", |s| s.lights[0].w[2] = f32::NAN);
    broken("lights[0]", "has a density that is negative or not finite", |s| s.lights[0].value = -1.0);
    broken("lights[0]", "has another material than its triangles", |s| s.lights[0].material = 0);
    broken("lights[0]", "names a material that is not there", |s| s.lights[0].material = 3);
    broken("lights[0]", "names triangles that are not there", |s| s.lights[0].index = 4);
    broken("lights[1]", "names triangles that are not there", |s| s.lights[1].index = 3);
    broken("lights[1]", "names a triangle that is another light", |s| s.lights[1].index = 1);
    broken("lights[0]", "is not where its triangles are", |s| s.lights[0].u[0] += 0.5);
    broken("lights[1]", "is not where its triangles are", |s| s.triangles[3].corners[1][2] += 0.5);
    broken("lights[1]", "has holes, through which its other side would show", |s| {
        let mut ball = flat(&ball(1.0));
        (s.lights[1].kind, s.lights[1].index) = (LightKind::Sphere.tag(), 4);
        let triangle = crate::flat::TriangleRecord { light: 1, instance: 1, ..s.triangles[2] };
        s.triangles.extend(ball.triangles.drain(..).map(|_| triangle));
        s.triangles[2].light = NONE;
        s.triangles[3].light = NONE;
    });
    broken("lights[0]", "has no cell in the choice, though others have", |s| s.light_choice.truncate(1));
    broken("lights[2]", "names an environment that is not there", |s| s.lights[2].index = 1);
    broken("lights[3]", "falls off in a way that does not exist", |s| {
        (s.lights[3].kind, s.lights[3].index) = (LightKind::Spot.tag(), 3);
    });
    broken("light_choice[0]", "names a light that is not there", |s| s.light_choice[0].alias = 5);
    broken("light_choice[0]", "has a share that is not from 0 to 1", |s| s.light_choice[0].own = 1.5);
    broken("environments[0]", "has a radiance that is not finite", |s| s.environments[0].radiance[0] = f32::NAN);
    broken("environments[0]", "has a rotation that is not finite", |s| s.environments[0].rows[0][0] = f32::NAN);
    for row in [[1.01, 0.0, 0.0], [1.0, 0.01, 0.0], [0.0; 3]] {
        broken("environments[0]", "has a rotation that stretches or shears", |s| s.environments[0].rows[0] = row);
    }
    broken("environments[0]", "has unused fields that are not zero", |s| s.environments[0].unused[0] = 1);
    broken("environments[0]", "is chosen with a probability that is not from 0 to 1", |s| {
        s.environments[0].choice = 2.0;
    });
    broken("environments[0]", "names an image that is not there", |s| s.environments[0].image = 1);
    broken("environments[0]", "has a table that is not there", |s| s.environments[0].table = 1);
    broken("environments[0]", "has a table that does not rise from 0 to 1", |s| s.tables[1] = 2.0f32.to_bits());
    broken("environments[0]", "has a table with the guide of another", |s| *s.tables.last_mut().unwrap() += 1);
}

#[test]
fn directions_have_length_1() {
    let message = "has a direction whose length is not 1";
    broken("lights[3]", message, |s| (s.lights[3].kind, s.lights[3].u) = (LightKind::Spot.tag(), [0.0, 0.0, 0.99999]));
    broken("lights[4]", message, |s| s.lights[4].u[2] *= 1.00001);
}

#[test]
fn lights_are_chosen_as_often_as_everything_says() {
    let message = "has another probability than the choice gives it";
    broken("lights[0]", message, |s| s.lights[0].value *= 1.0001);
    broken("lights[1]", message, |s| s.lights[1].value = 0.0);
    broken("lights[3]", message, |s| s.lights[3].value = 0.1);
    broken("environments[0]", message, |s| s.environments[0].choice *= 0.9999);
    // Nothing is chosen, and the paths that meet a light are told another thing.
    broken("lights[0]", message, |s| s.light_choice.clear());
    broken("lights[3]", "names an environment that is another light", |s| {
        (s.lights[3].kind, s.lights[3].index) = (LightKind::Environment.tag(), 0);
    });
    broken("environments[0]", "is no light", |s| (s.lights[2].kind, s.lights[2].index) = (LightKind::Point.tag(), 0));
    broken("light_choice[0]", "gives its alias another probability than the alias has", |s| {
        s.light_choice[0].alias_probability *= 1.0001;
    });
    broken("light_choice[0]", "is chosen more often or less often than its probability says", |s| {
        s.light_choice[0].own *= 0.99;
    });
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
