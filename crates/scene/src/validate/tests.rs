//! One valid scene that uses everything, and every way that was thought of to break it.

use super::*;
use raywarp_geom::{Affine, TriangleMesh};

/// Returns a valid scene with two of each thing, so that references have somewhere to go.
fn good() -> Description {
    let mut scene = Description::default();
    let image = |pixels: Pixels| Image { name: "i".into(), width: 2, height: 1, pixels: pixels.into() };
    scene.add_image(image(Pixels::Srgb8(vec![[0; 4]; 2])));
    scene.add_image(image(Pixels::Float(vec![[0.5; 4]; 2])));
    let image = |id| Texture::Image {
        image: ImageId(id),
        mapping: UvMapping::default(),
        wrap: [Wrap::Repeat; 2],
        filter: ImageFilter::Bilinear,
    };
    let constant = scene.add_texture(Texture::Constant([1.0; 4]));
    let picture = scene.add_texture(image(1));
    scene.add_texture(Texture::Scale { a: constant, b: picture });
    let mapping = UvMapping::default();
    scene.add_texture(Texture::Checkerboard { mapping, even: constant, odd: picture });
    scene.add_texture(Texture::Mix { a: constant, b: constant, amount: picture });
    let ink = scene.add_medium(Medium { name: "ink".into(), absorption: Absorption { sigma: [1.0; 3] } });
    let media = Some(MediumInterface { inside: Some(ink), outside: None });
    scene.add_material(Material { media, ..Material::diffuse("grey", [0.5; 3]) });
    let mut lamp = Material::new("lamp", Surface::Principled(Box::default()));
    let radiance = ColorInput::texture(picture);
    lamp.emission = Some(Emission { radiance, two_sided: true });
    lamp.normal = Some(NormalInput::Map { texture: picture, scale: 1.0 });
    scene.add_material(lamp);
    let amount = ScalarInput::constant(0.5);
    scene.add_material(Material::new("mix", Surface::Mix { first: MaterialId(0), second: MaterialId(1), amount }));
    let triangles = TriangleMesh {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        indices: vec![[0, 1, 2]; 2],
        normals: vec![[0.0; 3]; 3],
        ..TriangleMesh::default()
    };
    let materials = FaceMaterials::PerTriangle(vec![MaterialId(0), MaterialId(2)]);
    let mesh = scene.add_mesh(Mesh { name: "m".into(), triangles, materials });
    scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: Some(MaterialId(1)) });
    scene.lights.push(Light::uniform_environment([1.0; 3]));
    scene.lights.push(Light::Directional { direction: [0.0, -1.0, 0.0], irradiance: [3.0; 3] });
    scene.cameras.extend(Camera::look_at([0.0; 3], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0], 40.0));
    scene
}

/// Breaks the valid scene and checks that validation names the item and the message.
#[track_caller]
fn check(break_it: impl FnOnce(&mut Description), item: &str, message: &str) {
    let mut scene = good();
    assert_eq!(validate(&scene), Ok(()));
    break_it(&mut scene);
    let invalid = validate(&scene).expect_err(message);
    assert_eq!(invalid.item, item);
    assert!(invalid.message.contains(message), "{}", invalid.message);
}

#[test]
fn images_and_textures_are_checked() {
    check(|s| s.images[0].width = 3, "images[0] i", "2 texels for a size of 3 x 1");
    check(
        |s| s.images[0] = Image { width: 0, pixels: Pixels::Srgb8(vec![]).into(), ..s.images[0].clone() },
        "images[0] i",
        "0 texels",
    );
    check(
        |s| s.images[1].pixels = Pixels::Float(vec![[f32::NAN; 4]; 2]).into(),
        "images[1] i",
        "a texel is not finite",
    );
    check(|s| s.images.truncate(1), "textures[1]", "refers to image 1, but there are only 1");
    check(|s| s.textures[0] = Texture::Constant([f32::INFINITY; 4]), "textures[0]", "the value is not finite");
    let (zero, four) = (TextureId(0), TextureId(4));
    check(
        |s| s.textures[2] = Texture::Scale { a: TextureId(2), b: zero },
        "textures[2]",
        "texture 2, which does not come",
    );
    check(
        |s| s.textures[4] = Texture::Mix { a: zero, b: zero, amount: four },
        "textures[4]",
        "texture 4, which does not come",
    );
    let set = UvMapping { set: 2, ..UvMapping::default() };
    check(
        |s| s.textures[3] = Texture::Checkerboard { mapping: set, even: zero, odd: zero },
        "textures[3]",
        "coordinates 2",
    );
}

#[test]
fn materials_are_checked() {
    let at =
        |surface: Surface, message: &str| check(|s| s.materials[0].surface = surface, "materials[0] grey", message);
    at(Surface::Diffuse { reflectance: ColorInput::texture(TextureId(9)) }, "texture 9, but there are only 5");
    at(
        Surface::Mirror { reflectance: ColorInput::constant([0.0, -0.1, 0.0]) },
        "reflectance must be finite and not negative",
    );
    let amount = ScalarInput::constant(0.5);
    at(
        Surface::Mix { first: MaterialId(0), second: MaterialId(0), amount },
        "mixes material 0, which does not come before it",
    );
    at(
        Surface::Principled(Box::new(Principled { ior: 0.0, ..Principled::default() })),
        "refraction must be finite and above 0",
    );
    let white = ColorInput::constant([0.1; 3]);
    at(Surface::Blinn { diffuse: white, specular: white, exponent: ScalarInput::constant(-1.0) }, "exponent -1");
    at(
        Surface::CarPaint(Box::new(CarPaint { flake_size: f32::NAN, ..CarPaint::default() })),
        "the size of flakes must be finite",
    );
    let nan = ScalarInput::constant(f32::NAN);
    check(|s| s.materials[2].alpha = Alpha::Blend { alpha: nan }, "materials[2] mix", "alpha is not finite");
    let dark = Some(Emission { radiance: ColorInput::constant([-1.0; 3]), two_sided: false });
    check(|s| s.materials[1].emission = dark, "materials[1] lamp", "emission must be finite and not negative");
    let map = Some(NormalInput::Map { texture: TextureId(5), scale: 1.0 });
    check(|s| s.materials[1].normal = map, "materials[1] lamp", "texture 5, but there are only 5");
}

#[test]
fn meshes_and_instances_are_checked() {
    check(|s| s.meshes[0].triangles.indices[1][2] = 3, "meshes[0] m", "triangle 1 uses vertex 3");
    check(|s| s.meshes[0].triangles.normals[2][0] = f32::NAN, "meshes[0] m", "the normals are not all finite");
    check(|s| s.meshes[0].triangles.uvs = vec![[0.0; 2]; 2], "meshes[0] m", "uvs has 2 entries for 3 vertices");
    let materials = |ids: &[u32]| FaceMaterials::PerTriangle(ids.iter().map(|&id| MaterialId(id)).collect());
    check(|s| s.meshes[0].materials = materials(&[0]), "meshes[0] m", "1 materials for 2 triangles");
    check(|s| s.meshes[0].materials = materials(&[0, 3]), "meshes[0] m", "material 3, but there are only 3");
    check(|s| s.meshes[0].materials = FaceMaterials::Uniform(MaterialId(7)), "meshes[0] m", "material 7");
    check(|s| s.instances[0].mesh = MeshId(1), "instances[0]", "mesh 1, but there are only 1");
    check(|s| s.instances[0].material = Some(MaterialId(3)), "instances[0]", "material 3, but there are only 3");
    check(|s| s.instances[0].transform.rows[1][3] = f32::INFINITY, "instances[0]", "the transform is not finite");
}

#[test]
fn media_are_checked() {
    check(|s| s.media[0].absorption.sigma[1] = -1.0, "media[0] ink", "absorption must be finite and not negative");
    check(|s| s.media[0].absorption.sigma[2] = f32::INFINITY, "media[0] ink", "absorption must be finite");
    let one = Some(MediumId(1));
    let inside = Some(MediumInterface { inside: one, outside: None });
    check(|s| s.materials[0].media = inside, "materials[0] grey", "refers to medium 1, but there are only 1");
    let outside = Some(MediumInterface { inside: None, outside: one });
    check(|s| s.materials[0].media = outside, "materials[0] grey", "refers to medium 1, but there are only 1");
    check(|s| s.cameras[0].medium = one, "cameras[0]", "refers to medium 1, but there are only 1");
}

#[test]
fn lights_cameras_and_settings_are_checked() {
    check(
        |s| s.lights[0] = Light::uniform_environment([0.0, f32::NAN, 0.0]),
        "lights[0]",
        "the radiance must be finite",
    );
    let short = Light::Directional { direction: [0.0, 0.5, 0.0], irradiance: [1.0; 3] };
    check(|s| s.lights[1] = short, "lights[1]", "the direction must have length 1");
    let point = Light::Point { position: [f32::NAN; 3], intensity: [1.0; 3] };
    check(|s| s.lights[1] = point, "lights[1]", "the position is not finite");
    let spot = Light::Spot {
        position: [0.0; 3],
        direction: [0.0, 0.0, 1.0],
        intensity: [1.0; 3],
        cos_inner: 0.5,
        cos_outer: 0.6,
        falloff: SpotFalloff::Gltf,
    };
    check(|s| s.lights[1] = spot, "lights[1]", "cones with cosines 0.5 inside and 0.6 outside");
    let map = Light::Environment { map: Some(ImageId(2)), radiance: [1.0; 3], world_to_map: [[1.0, 0.0, 0.0]; 3] };
    check(|s| s.lights[0] = map, "lights[0]", "image 2, but there are only 2");
    let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    let sheared = |world_to_map| Light::Environment { map: None, radiance: [1.0; 3], world_to_map };
    check(|s| s.lights[0] = sheared([x, y, y]), "lights[0]", "the rotation's rows must be perpendicular");
    check(|s| s.lights[0] = sheared([x, y, [0.8, 0.0, 0.6]]), "lights[0]", "the rotation's rows must be perpendicular");
    check(|s| s.cameras[0].eye[1] = f32::NAN, "cameras[0]", "the eye is not finite");
    check(|s| s.cameras[0].up = [0.0; 3], "cameras[0]", "up must have length 1");
    let fov = |fov| Projection::Perspective { fov, axis: FovAxis::Vertical };
    check(|s| s.cameras[0].projection = fov(180.0), "cameras[0]", "a field of view of 180 degrees");
    check(|s| s.cameras[0].projection = fov(f32::NAN), "cameras[0]", "a field of view of NaN degrees");
    check(|s| s.settings.size = Some([0, 5]), "settings", "a picture of 0 x 5 pixels");
    check(|s| s.settings.spp = Some(0), "settings", "0 samples a pixel");
    check(|s| s.settings.filter = Some(FilterKind::Box { radius: -1.0 }), "settings", "the filter's radius must be");
}
