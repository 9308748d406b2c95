//! One valid scene that uses everything, and every way that was thought of to break it.

use super::SceneRule::{
    Attribute, Cones, FieldOfView, LaterMaterial, LaterTexture, Length, MaterialCount, Negative, NoEntry, NoSamples,
    NotFinite, NotPerpendicular, NotPositive, OutOfRange, PictureSize, Texel, TexelCount, TextureCoordinates,
    Transform,
};
use super::*;
use raywarp_geom::{Affine, MeshError, TriangleMesh};

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

/// Breaks the valid scene and checks that validation names the item and the rule. Rules are compared as `{:?}` writes
/// them, since NaN equals nothing.
#[track_caller]
fn check(break_it: impl FnOnce(&mut Description), item: &str, rule: impl Into<SceneRule>) {
    let mut scene = good();
    assert_eq!(validate(&scene), Ok(()));
    break_it(&mut scene);
    let invalid = validate(&scene).expect_err(item);
    assert_eq!((invalid.item.as_str(), format!("{:?}", invalid.rule)), (item, format!("{:?}", rule.into())));
}

/// Returns the rule about an index that is not below the number of such things.
fn no_entry(kind: &'static str, index: u32, count: usize) -> SceneRule {
    NoEntry { kind, index, count }
}

#[test]
fn images_and_textures_are_checked() {
    check(|s| s.images[0].width = 3, "images[0] i", TexelCount { texels: 2, width: 3, height: 1 });
    check(
        |s| s.images[0] = Image { width: 0, pixels: Pixels::Srgb8(vec![]).into(), ..s.images[0].clone() },
        "images[0] i",
        TexelCount { texels: 0, width: 0, height: 1 },
    );
    check(|s| s.images[1].pixels = Pixels::Float(vec![[f32::NAN; 4]; 2]).into(), "images[1] i", Texel);
    check(|s| s.images.truncate(1), "textures[1]", no_entry("image", 1, 1));
    let infinite = [f32::INFINITY; 4];
    let value = NotFinite { what: "the value", values: infinite.into() };
    check(|s| s.textures[0] = Texture::Constant(infinite), "textures[0]", value);
    let (zero, four) = (TextureId(0), TextureId(4));
    check(|s| s.textures[2] = Texture::Scale { a: TextureId(2), b: zero }, "textures[2]", LaterTexture { id: 2 });
    check(|s| s.textures[4] = Texture::Mix { a: zero, b: zero, amount: four }, "textures[4]", LaterTexture { id: 4 });
    let set = UvMapping { set: 2, ..UvMapping::default() };
    check(
        |s| s.textures[3] = Texture::Checkerboard { mapping: set, even: zero, odd: zero },
        "textures[3]",
        TextureCoordinates { set: 2 },
    );
}

#[test]
fn materials_are_checked() {
    let at = |surface: Surface, rule: SceneRule| check(|s| s.materials[0].surface = surface, "materials[0] grey", rule);
    at(Surface::Diffuse { reflectance: ColorInput::texture(TextureId(9)) }, no_entry("texture", 9, 5));
    at(
        Surface::Mirror { reflectance: ColorInput::constant([0.0, -0.1, 0.0]) },
        Negative { what: "reflectance", values: vec![0.0, -0.1, 0.0] },
    );
    let amount = ScalarInput::constant(0.5);
    at(Surface::Mix { first: MaterialId(0), second: MaterialId(0), amount }, LaterMaterial { id: 0 });
    at(
        Surface::Principled(Box::new(Principled { ior: 0.0, ..Principled::default() })),
        NotPositive { what: "the index of refraction", value: 0.0 },
    );
    let white = ColorInput::constant([0.1; 3]);
    at(
        Surface::Blinn { diffuse: white, specular: white, exponent: ScalarInput::constant(-1.0) },
        OutOfRange { what: "exponent", value: -1.0, most: 1e6 },
    );
    at(
        Surface::CarPaint(Box::new(CarPaint { flake_size: f32::NAN, ..CarPaint::default() })),
        Negative { what: "the size of flakes", values: vec![f32::NAN] },
    );
    let nan = ScalarInput::constant(f32::NAN);
    let alpha = NotFinite { what: "alpha", values: vec![f32::NAN] };
    check(|s| s.materials[2].alpha = Alpha::Blend { alpha: nan }, "materials[2] mix", alpha);
    let dark = Some(Emission { radiance: ColorInput::constant([-1.0; 3]), two_sided: false });
    let emission = Negative { what: "emission", values: vec![-1.0; 3] };
    check(|s| s.materials[1].emission = dark, "materials[1] lamp", emission);
    let map = Some(NormalInput::Map { texture: TextureId(5), scale: 1.0 });
    check(|s| s.materials[1].normal = map, "materials[1] lamp", no_entry("texture", 5, 5));
}

#[test]
fn meshes_and_instances_are_checked() {
    let index = MeshError::IndexOutOfRange { triangle: 1, index: 3, vertices: 3 };
    check(|s| s.meshes[0].triangles.indices[1][2] = 3, "meshes[0] m", index);
    check(|s| s.meshes[0].triangles.normals[2][0] = f32::NAN, "meshes[0] m", Attribute { what: "normals" });
    let length = MeshError::AttributeLength { attribute: "uvs", found: 2, vertices: 3 };
    check(|s| s.meshes[0].triangles.uvs = vec![[0.0; 2]; 2], "meshes[0] m", length);
    let materials = |ids: &[u32]| FaceMaterials::PerTriangle(ids.iter().map(|&id| MaterialId(id)).collect());
    let one = MaterialCount { materials: 1, triangles: 2 };
    check(|s| s.meshes[0].materials = materials(&[0]), "meshes[0] m", one);
    check(|s| s.meshes[0].materials = materials(&[0, 3]), "meshes[0] m", no_entry("material", 3, 3));
    let uniform = FaceMaterials::Uniform(MaterialId(7));
    check(|s| s.meshes[0].materials = uniform, "meshes[0] m", no_entry("material", 7, 3));
    check(|s| s.instances[0].mesh = MeshId(1), "instances[0]", no_entry("mesh", 1, 1));
    check(|s| s.instances[0].material = Some(MaterialId(3)), "instances[0]", no_entry("material", 3, 3));
    check(|s| s.instances[0].transform.rows[1][3] = f32::INFINITY, "instances[0]", Transform);
}

#[test]
fn media_are_checked() {
    let absorption = |values: [f32; 3]| Negative { what: "absorption", values: values.into() };
    check(|s| s.media[0].absorption.sigma[1] = -1.0, "media[0] ink", absorption([1.0, -1.0, 1.0]));
    check(|s| s.media[0].absorption.sigma[2] = f32::INFINITY, "media[0] ink", absorption([1.0, 1.0, f32::INFINITY]));
    let (one, beyond) = (Some(MediumId(1)), || no_entry("medium", 1, 1));
    let inside = Some(MediumInterface { inside: one, outside: None });
    check(|s| s.materials[0].media = inside, "materials[0] grey", beyond());
    let outside = Some(MediumInterface { inside: None, outside: one });
    check(|s| s.materials[0].media = outside, "materials[0] grey", beyond());
    check(|s| s.cameras[0].medium = one, "cameras[0]", beyond());
}

#[test]
fn lights_cameras_and_settings_are_checked() {
    let odd = [0.0, f32::NAN, 0.0];
    let radiance = Negative { what: "the radiance", values: odd.into() };
    check(|s| s.lights[0] = Light::uniform_environment(odd), "lights[0]", radiance);
    let direction = [0.0, 0.5, 0.0];
    let short = Light::Directional { direction, irradiance: [1.0; 3] };
    check(|s| s.lights[1] = short, "lights[1]", Length { what: "the direction", direction });
    let point = Light::Point { position: [f32::NAN; 3], intensity: [1.0; 3] };
    let position = NotFinite { what: "the position", values: vec![f32::NAN; 3] };
    check(|s| s.lights[1] = point, "lights[1]", position);
    let spot = Light::Spot {
        position: [0.0; 3],
        direction: [0.0, 0.0, 1.0],
        intensity: [1.0; 3],
        cos_inner: 0.5,
        cos_outer: 0.6,
        falloff: SpotFalloff::Gltf,
    };
    check(|s| s.lights[1] = spot, "lights[1]", Cones { inner: 0.5, outer: 0.6 });
    let map = Light::Environment { map: Some(ImageId(2)), radiance: [1.0; 3], world_to_map: [[1.0, 0.0, 0.0]; 3] };
    check(|s| s.lights[0] = map, "lights[0]", no_entry("image", 2, 2));
    let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    let oblique = [0.8, 0.0, 0.6];
    let sheared = |world_to_map| Light::Environment { map: None, radiance: [1.0; 3], world_to_map };
    let rows = |a, b| NotPerpendicular { what: "the rotation's rows", a, b };
    check(|s| s.lights[0] = sheared([x, y, y]), "lights[0]", rows(y, y));
    check(|s| s.lights[0] = sheared([x, y, oblique]), "lights[0]", rows(oblique, x));
    let eye = NotFinite { what: "the eye", values: odd.into() };
    check(|s| s.cameras[0].eye[1] = f32::NAN, "cameras[0]", eye);
    check(|s| s.cameras[0].up = [0.0; 3], "cameras[0]", Length { what: "up", direction: [0.0; 3] });
    for fov in [180.0, f32::NAN] {
        let wide = Projection::Perspective { fov, axis: FovAxis::Vertical };
        check(|s| s.cameras[0].projection = wide, "cameras[0]", FieldOfView { fov });
    }
    check(|s| s.settings.size = Some([0, 5]), "settings", PictureSize { width: 0, height: 5 });
    check(|s| s.settings.spp = Some(0), "settings", NoSamples);
    let radius = NotPositive { what: "the filter's radius", value: -1.0 };
    check(|s| s.settings.filter = Some(FilterKind::Box { radius: -1.0 }), "settings", radius);
}
