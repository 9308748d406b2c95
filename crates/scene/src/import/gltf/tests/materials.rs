//! Materials and textures.

use super::*;
use crate::{
    Absorption, Alpha, Channel, ColorInput, ImageFilter, Material, NormalInput, Pixels, Principled, RoughnessRemap,
    ScalarInput, StandIns, Surface, Texture, TextureId, Wrap,
};

/// Loads the scene of a triangle with `material`, which has one image, textures 0 to 2 of it and a sampler for texture
/// 1.
fn scene_of(material: &Value) -> Result<(Description, Vec<Warning>), ImportError> {
    import(&triangle(json!({
        "materials": [material],
        "textures": [{"source": 0}, {"source": 0, "sampler": 0}, {"source": 0}],
        "samplers": [{"magFilter": 9728, "wrapS": 33071, "wrapT": 33648}],
    })))
}

#[track_caller]
fn material(json: &Value) -> (Description, Material) {
    let (scene, warnings) = scene_of(json).unwrap();
    assert_eq!(warnings, []);
    let material = scene.materials[0].clone();
    (scene, material)
}

#[track_caller]
fn principled(json: &Value) -> Principled {
    match material(json).1.surface {
        Surface::Principled(p) => *p,
        other => panic!("{other:?}"),
    }
}

fn scalar(factor: f32, texture: u32, channel: Channel) -> ScalarInput {
    ScalarInput { factor, texture: Some((TextureId(texture), channel)) }
}

#[test]
fn an_empty_material_is_a_rough_white_metal_and_opaque() {
    let (_, m) = material(&json!({"name": "plain"}));
    assert_eq!(m.name, "plain");
    assert_eq!((m.alpha, m.emission, m.normal), (Alpha::Opaque, None, None));
    assert_eq!(m.surface, Surface::Principled(Box::default()));
}

#[test]
fn roughness_is_green_and_metal_is_blue_of_one_linear_texture() {
    let (scene, m) = material(&json!({"pbrMetallicRoughness": {
        "baseColorFactor": [0.5, 0.25, 1, 1], "baseColorTexture": {"index": 0},
        "metallicFactor": 0.5, "roughnessFactor": 0.25, "metallicRoughnessTexture": {"index": 0}}}));
    let Surface::Principled(p) = m.surface else { panic!() };
    assert_eq!(p.base_color, ColorInput { factor: [0.5, 0.25, 1.0], texture: Some(TextureId(0)) });
    assert_eq!(p.metallic, scalar(0.5, 1, Channel::B));
    assert_eq!((p.roughness.x, p.roughness.y), (scalar(0.25, 1, Channel::G), scalar(0.25, 1, Channel::G)));
    assert_eq!(p.roughness.remap, RoughnessRemap::Square);
    // The same picture, once as colours and once as data.
    assert!(matches!(*scene.images[0].pixels, Pixels::Srgb8(_)));
    assert!(matches!(*scene.images[1].pixels, Pixels::Linear8(_)));
    assert_eq!(scene.images[0].name, "images[0]");
}

#[test]
fn samplers_wrap_and_filter() {
    let (scene, _) = material(&json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 1}}}));
    let Texture::Image { wrap, filter, .. } = scene.textures[0] else { panic!() };
    assert_eq!((wrap, filter), ([Wrap::Clamp, Wrap::Mirror], ImageFilter::Nearest));
    let (scene, _) = material(&json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}));
    let Texture::Image { wrap, filter, .. } = scene.textures[0] else { panic!() };
    assert_eq!((wrap, filter), ([Wrap::Repeat; 2], ImageFilter::Bilinear));
}

#[test]
fn a_texture_transform_scales_then_turns_then_shifts() {
    let mapping = |info: Value| {
        let (scene, _) = material(&json!({"pbrMetallicRoughness": {"baseColorTexture": info}}));
        let Texture::Image { mapping, .. } = scene.textures[0] else { panic!() };
        mapping
    };
    let half_turn = std::f32::consts::FRAC_PI_2;
    // The extension's own example: the lower left quarter of the picture, turned clockwise.
    let m = mapping(json!({"index": 0, "texCoord": 0, "extensions": {"KHR_texture_transform":
        {"offset": [0, 1], "rotation": half_turn, "scale": [0.5, 0.5], "texCoord": 1}}}));
    assert_eq!(m.set, 1);
    let at = |u: f32, v: f32| m.rows.map(|r| ((r[0] * u + r[1] * v + r[2]) * 1e6).round() / 1e6);
    assert_eq!([at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0)], [[0.0, 1.0], [0.0, 0.5], [0.5, 1.0]]);
    assert_eq!(mapping(json!({"index": 0, "texCoord": 1})).set, 1);
}

#[test]
fn textures_used_alike_are_shared() {
    let (scene, m) = material(&json!({
        "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, "emissiveFactor": [1, 1, 1],
        "emissiveTexture": {"index": 0}, "normalTexture": {"index": 0, "scale": 0.5}}));
    assert_eq!((scene.textures.len(), scene.images.len()), (2, 2));
    assert_eq!(m.normal, Some(NormalInput::Map { texture: TextureId(1), scale: 0.5 }));
}

#[test]
fn coverage_is_factor_times_texture_times_vertex_alpha() {
    let alpha = |mode: &str, extra: Value| {
        let mut json = json!({"alphaMode": mode, "pbrMetallicRoughness": extra});
        if mode == "MASK" {
            json["alphaCutoff"] = json!(0.25);
        }
        material(&json).1.alpha
    };
    let factor = json!({"baseColorFactor": [1, 1, 1, 0.5]});
    let both = json!({"baseColorFactor": [1, 1, 1, 0.5], "baseColorTexture": {"index": 0}});
    assert_eq!(alpha("OPAQUE", factor.clone()), Alpha::Opaque);
    assert_eq!(alpha("BLEND", factor.clone()), Alpha::Blend { alpha: ScalarInput::constant(0.5) });
    assert_eq!(alpha("BLEND", both.clone()), Alpha::Blend { alpha: scalar(0.5, 0, Channel::A) });
    assert_eq!(alpha("MASK", both), Alpha::Mask { alpha: scalar(0.5, 0, Channel::A), cutoff: 0.25 });
    assert_eq!(alpha("BLEND", json!({})), Alpha::Opaque);
    assert_eq!(alpha("MASK", factor), Alpha::Opaque);

    let mut b = Builder::new();
    let position = b.floats("VEC3", 3, &[0.0; 9]);
    let color = b.floats("VEC4", 4, &[0.5; 12]);
    let uvs = b.floats("VEC2", 2, &[0.5; 6]);
    let part = |attributes: Value| json!({"attributes": attributes, "material": 0});
    let colored = json!({"POSITION": position, "COLOR_0": color, "TEXCOORD_0": uvs});
    let plain = json!({"POSITION": position, "TEXCOORD_0": uvs});
    let material = json!({"alphaMode": "BLEND", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}});
    let scene = clean(&b.with(json!({
        "meshes": [{"name": "m", "primitives": [part(colored), part(plain)]}],
        "materials": [material], "textures": [{"source": 0}], "images": [{"uri": PIXELS}]})));
    // One material, but a scene material with and one without the vertices' colours.
    assert_eq!(scene.materials[0].alpha, Alpha::Blend { alpha: scalar(1.0, 2, Channel::A) });
    assert_eq!(scene.textures[1..], [Texture::VertexColor, Texture::Scale { a: TextureId(0), b: TextureId(1) }]);
    assert_eq!(scene.materials[1].alpha, Alpha::Blend { alpha: scalar(1.0, 0, Channel::A) });
    assert_eq!([&scene.meshes[0].name, &scene.meshes[1].name], ["m[0]", "m[1]"]);
}

#[test]
fn blending_by_a_picture_without_transparency_is_opaque() {
    let material = json!({"alphaMode": "BLEND", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}});
    let images = json!([{"uri": OPAQUE_PIXEL}]);
    let scene = clean(&triangle(json!({"materials": [material], "textures": [{"source": 0}], "images": images})));
    assert_eq!(scene.materials[0].alpha, Alpha::Opaque);
}

#[test]
fn a_material_whose_emissive_texture_is_missing_does_not_glow_all_over() {
    let material = json!({"emissiveFactor": [1, 1, 1], "emissiveTexture": {"index": 0}});
    let images = json!([{"uri": "gone.png"}]);
    let (scene, _) =
        import(&triangle(json!({"materials": [material], "textures": [{"source": 0}], "images": images}))).unwrap();
    assert_eq!(scene.materials[0].emission, None);
}

#[test]
fn emission_has_its_strength_and_leaves_the_front_unless_double_sided() {
    let strength = json!({"KHR_materials_emissive_strength": {"emissiveStrength": 8}});
    let (_, m) = material(&json!({"emissiveFactor": [1, 0.5, 0], "extensions": strength}));
    let emission = m.emission.unwrap();
    assert_eq!((emission.radiance, emission.two_sided), (ColorInput::constant([8.0, 4.0, 0.0]), false));
    let (_, m) = material(&json!({"emissiveFactor": [1, 1, 1], "emissiveTexture": {"index": 0}, "doubleSided": true}));
    let emission = m.emission.unwrap();
    assert!(emission.two_sided && emission.radiance == ColorInput::texture(TextureId(0)));
}

#[test]
fn glass_is_transmission_with_an_index_and_a_volume_when_it_has_thickness() {
    let glass = |volume: Value| {
        principled(&json!({"extensions": {"KHR_materials_ior": {"ior": 1.33}, "KHR_materials_volume": volume,
            "KHR_materials_transmission": {"transmissionFactor": 0.5, "transmissionTexture": {"index": 0}}}}))
    };
    let thin = glass(json!({"attenuationDistance": 2, "attenuationColor": [0.5, 1, 1]}));
    assert_eq!((thin.ior, thin.transmission), (1.33, scalar(0.5, 0, Channel::R)));
    assert_eq!((thin.thin, thin.absorption), (true, None));
    let solid = glass(json!({"thicknessFactor": 0.1, "attenuationDistance": 2, "attenuationColor": [0.5, 1, 1]}));
    assert!(!solid.thin);
    assert_eq!(solid.absorption, Absorption::from_attenuation([0.5, 1.0, 1.0], 2.0));
    assert!((solid.absorption.unwrap().sigma[0] - 0.346_573_6).abs() < 1e-6);
    // A clear solid keeps what lies around it out.
    assert_eq!(glass(json!({"thicknessFactor": 1})).absorption, Some(Absorption::NONE));
    assert_eq!(principled(&json!({"extensions": {"KHR_materials_ior": {"ior": 0}}})).ior, 1e4);
}

#[test]
fn a_volume_that_nothing_gets_into_is_named() {
    let warnings = |transmission: Option<Value>| {
        let mut extensions = json!({"KHR_materials_volume": {"thicknessFactor": 1}});
        if let Some(transmission) = transmission {
            extensions["KHR_materials_transmission"] = transmission;
        }
        scene_of(&json!({"extensions": extensions})).unwrap().1
    };
    let without = warnings(None);
    assert_eq!(without, [warning("materials[0]", GltfWarning::VolumeWithoutTransmission)]);
    for none in [json!({}), json!({"transmissionFactor": 0}), json!({"transmissionFactor": -1})] {
        assert_eq!(warnings(Some(none)), [warning("materials[0]", GltfWarning::VolumeOfOpaque)]);
    }
    assert_eq!(warnings(Some(json!({"transmissionFactor": 0.5}))), []);
}

#[test]
fn specular_and_clearcoat_take_their_channels() {
    let p = principled(&json!({"extensions": {
        "KHR_materials_specular": {"specularFactor": 0.5, "specularTexture": {"index": 0},
            "specularColorFactor": [2, 0, 1], "specularColorTexture": {"index": 0}},
        "KHR_materials_clearcoat": {"clearcoatFactor": 1, "clearcoatTexture": {"index": 0},
            "clearcoatRoughnessFactor": 0.5, "clearcoatRoughnessTexture": {"index": 0}}}}));
    assert_eq!(p.specular, scalar(0.5, 0, Channel::A));
    assert_eq!(p.specular_color, ColorInput { factor: [2.0, 0.0, 1.0], texture: Some(TextureId(1)) });
    assert_eq!((p.clearcoat, p.clearcoat_roughness), (scalar(1.0, 0, Channel::R), scalar(0.5, 0, Channel::G)));
    let coat = json!({"clearcoatFactor": 1, "clearcoatNormalTexture": {"index": 0}});
    let (_, warnings) = scene_of(&json!({"extensions": {"KHR_materials_clearcoat": coat}})).unwrap();
    assert_eq!(warnings[0], warning("materials[0]", GltfWarning::CoatNormals));
}

#[test]
fn a_coat_that_bends_with_its_base_is_said_once_per_file() {
    let coated = |name: &str, coat: Value| json!({"name": name, "normalTexture": {"index": 0}, "extensions": {"KHR_materials_clearcoat": coat}});
    let coat = || json!({"clearcoatFactor": 1});
    let said = |materials: Value| {
        let count = materials.as_array().unwrap().len();
        let mut document = triangle(json!({"materials": materials, "textures": [{"source": 0}]}));
        let first = document["meshes"][0]["primitives"][0].clone();
        let mut primitives = vec![first; count];
        (0..).zip(&mut primitives).for_each(|(i, primitive): (usize, _)| primitive["material"] = json!(i));
        document["meshes"][0]["primitives"] = json!(primitives);
        import(&document).unwrap().1
    };
    let own = json!({"clearcoatFactor": 1, "clearcoatNormalTexture": {"index": 0}});
    let flat = json!({"normalTexture": {"index": 0, "scale": 0},
        "extensions": {"KHR_materials_clearcoat": {"clearcoatFactor": 1}}});
    assert_eq!(said(json!([coated("a", own)]))[0].kind, GltfWarning::CoatNormals.into());
    let none = json!([coated("a", json!({})), {"normalTexture": {"index": 0}}, flat,
        {"extensions": {"KHR_materials_clearcoat": coat()}}]);
    assert_eq!(said(none), []);
    let bent = |item, name: &str, more| warning(item, GltfWarning::BentCoats { name: name.into(), more });
    assert_eq!(said(json!([{}, coated("car", coat())])), [bent("materials[1]", "car", 0)]);
    let several = json!([{}, coated("car", coat()), coated("b", coat()), coated("c", coat())]);
    assert_eq!(said(several), [bent("materials[1]", "car", 2)]);
    assert_eq!(said(json!([coated("", coat()), coated("b", coat())])), [bent("materials[0]", "", 1)]);
}

#[test]
fn unlit_shows_its_base_colour_alone() {
    let (_, m) = material(&json!({"emissiveFactor": [1, 1, 1], "normalTexture": {"index": 0},
        "pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.25, 1, 1], "baseColorTexture": {"index": 0}},
        "extensions": {"KHR_materials_unlit": {}}}));
    assert_eq!(
        m.surface,
        Surface::Unlit { color: ColorInput { factor: [0.5, 0.25, 1.0], texture: Some(TextureId(0)) } }
    );
    assert_eq!((m.emission, m.normal), (None, None));
}

#[test]
fn specular_glossiness_is_a_coat_whose_roughness_is_one_minus_gloss() {
    let coated = |json: Value| match material(&json!({"extensions": {"KHR_materials_pbrSpecularGlossiness": json}})) {
        (scene, Material { surface: Surface::Coated { diffuse, specular, roughness }, .. }) => {
            (scene, diffuse, specular, roughness)
        }
        (_, other) => panic!("{other:?}"),
    };
    let (_, diffuse, specular, roughness) = coated(
        json!({"diffuseFactor": [0.5, 0.25, 0, 1], "specularFactor": [0.04, 0.04, 0.04], "glossinessFactor": 0.75}),
    );
    assert_eq!(diffuse, ColorInput::constant([0.5, 0.25, 0.0]));
    assert_eq!(specular, ColorInput::constant([0.04; 3]));
    assert_eq!((roughness.x, roughness.remap), (ScalarInput::constant(0.25), RoughnessRemap::Square));
    let (scene, _, specular, roughness) =
        coated(json!({"glossinessFactor": 0.75, "specularGlossinessTexture": {"index": 0}}));
    assert_eq!(specular, ColorInput::texture(TextureId(0)));
    assert_eq!(roughness.x, scalar(1.0, 3, Channel::A));
    let constants = [Texture::Constant([1.0; 4]), Texture::Constant([0.25; 4])];
    assert_eq!(scene.textures[1..3], constants);
    assert_eq!(scene.textures[3], Texture::Mix { a: TextureId(1), b: TextureId(2), amount: TextureId(0) });
}

#[test]
fn unsupported_looks_warn_by_name_once() {
    for name in
        ["KHR_materials_sheen", "KHR_materials_anisotropy", "KHR_materials_iridescence", "KHR_materials_dispersion"]
    {
        let material = json!({"extensions": {name: {}}});
        let mut document = triangle(json!({"materials": [&material, &material], "extensionsUsed": [name]}));
        let mut second = document["meshes"][0]["primitives"][0].clone();
        second["material"] = json!(1);
        document["meshes"][0]["primitives"].as_array_mut().unwrap().push(second);
        let (scene, warnings) = import(&document).unwrap();
        assert_eq!(scene.materials.len(), 2);
        assert_eq!(warnings, [warning("materials[0]", GltfWarning::MaterialExtension { name })]);
    }
}

#[test]
fn textures_that_cannot_be_had_leave_the_factor() {
    let base = |texture: Value| json!({"pbrMetallicRoughness": {"baseColorTexture": texture}});
    let gone = Warning { path: "gone away.png".into(), place: Place::File, kind: WarningKind::Missing };
    let texture = "materials[0].pbrMetallicRoughness.baseColorTexture";
    for (texture, images, want) in [
        (
            json!({"index": 0, "texCoord": 2}),
            json!([{"uri": PIXELS}]),
            warning(texture, GltfWarning::CoordinateSet { set: 2 }),
        ),
        (json!({"index": 1}), json!([{"uri": PIXELS}]), warning("textures[1]", GltfWarning::NoImage)),
        (json!({"index": 0}), json!([{"uri": "gone%20away.png"}]), gone),
    ] {
        let textures = json!([{"source": 0}, {"extensions": {"MSFT_texture_dds": {"source": 0}}}]);
        let document = triangle(json!({"materials": [base(texture)], "textures": textures, "images": images}));
        let (scene, warnings) = import(&document).unwrap();
        assert_eq!(scene.materials[0].surface, Surface::Principled(Box::default()));
        assert_eq!(warnings, [want]);
    }
}

#[test]
fn a_basis_or_webp_image_is_preferred_to_its_fallback() {
    for name in ["KHR_texture_basisu", "EXT_texture_webp"] {
        let textures = json!([{"source": 1, "extensions": {name: {"source": 0}}}]);
        let materials = json!([{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]);
        let images = json!([{"uri": PIXELS, "name": "chosen"}, {"uri": "unused.png"}]);
        let document = triangle(json!({
            "materials": materials, "textures": textures, "images": images, "extensionsRequired": [name]}));
        assert_eq!(clean(&document).images[0].name, "chosen", "{name}");
    }
}

#[test]
fn a_sound_fallback_is_shown_where_the_image_of_an_extension_is_not() {
    let textures = json!([{"source": 1, "extensions": {"KHR_texture_basisu": {"source": 0}}}]);
    let materials = json!([{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]);
    let document = |images: Value| {
        triangle(json!({"materials": materials, "textures": textures, "images": images,
            "extensionsUsed": ["KHR_texture_basisu"]}))
    };
    let broken = data_uri(b"\xabKTX 20\xbb\r\n\x1a\n and no more");
    for first in [json!({"uri": broken}), json!({"uri": "gone.ktx2"}), json!({"uri": "ftp://example.org/a.ktx2"})] {
        let images = json!([first, {"uri": PIXELS, "name": "fallback"}]);
        let (scene, warnings) = import(&document(images)).unwrap();
        assert_eq!(scene.images[0].name, "fallback");
        let [Warning { kind: WarningKind::Gltf(found), .. }] = &warnings[..] else { panic!("{warnings:?}") };
        assert!(matches!(found, GltfWarning::FallbackImage { image: 0, fallback: 1, .. }), "{found:?}");
    }
    // Without a sound one the fallback's own fault counts.
    let (scene, warnings) = import(&document(json!([{"uri": broken}, {"uri": broken}]))).unwrap();
    assert_eq!(scene.images.len(), 0);
    assert!(matches!(warnings[..], [Warning { kind: WarningKind::Broken { .. }, .. }]), "{warnings:?}");
    let strict = LoadOptions::default();
    let text = document(json!([{"uri": broken}, {"uri": broken}])).to_string();
    let error = crate::import::load_from(text.as_bytes(), Path::new("test.gltf"), &strict).unwrap_err().error;
    assert_eq!(told(error).unwrap().1, Place::Item("images[1]".into()));
}

#[test]
fn a_broken_image_in_the_file_is_an_error_or_a_line() {
    let materials = json!([{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]);
    let images = json!([{"uri": data_uri(b"no image")}]);
    let document = triangle(json!({"materials": materials, "textures": [{"source": 0}], "images": images}));
    let (_, warnings) = import(&document).unwrap();
    assert!(matches!(warnings[..], [Warning { kind: WarningKind::Broken { .. }, .. }]), "{warnings:?}");
    let text = document.to_string();
    let loaded = crate::import::load_from(text.as_bytes(), Path::new("test.gltf"), &LoadOptions::default());
    assert_eq!(told(loaded.unwrap_err().error).unwrap().1, Place::Item("images[0]".into()));
}

#[test]
fn surfaces_that_vanish_are_said() {
    let clear = data_uri(&png([9, 9, 9, 0]));
    let said = |mode: &str, alpha: f32, image: &str| {
        let base = json!({"baseColorFactor": [1, 1, 1, alpha], "baseColorTexture": {"index": 0}});
        let materials = json!([{"alphaMode": mode, "pbrMetallicRoughness": base}]);
        let more = json!({"materials": materials, "textures": [{"source": 0}], "images": [{"uri": image}]});
        import(&triangle(more)).unwrap().1
    };
    let want = warning("materials[0]", GltfWarning::Invisible);
    for (mode, alpha, image) in
        [("BLEND", 0.0, PIXELS), ("BLEND", 1.0, &*clear), ("MASK", 0.4, PIXELS), ("MASK", 1.0, &*clear)]
    {
        assert_eq!(said(mode, alpha, image), std::slice::from_ref(&want), "{mode} {alpha}");
    }
    for (mode, alpha, image) in [("OPAQUE", 0.0, &*clear), ("BLEND", 0.1, PIXELS), ("MASK", 0.5, PIXELS)] {
        assert_eq!(said(mode, alpha, image), [], "{mode} {alpha}");
    }
}

/// Returns a PNG file of one texel.
fn png(texel: [u8; 4]) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let image = image::RgbaImage::from_raw(1, 1, texel.to_vec()).unwrap();
    image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

#[test]
fn textured_meshes_without_coordinates_are_said() {
    let said = |attributes: Value, set: u32| {
        let texture = json!({"index": 0, "texCoord": set});
        let materials = json!([{"pbrMetallicRoughness": {"baseColorTexture": texture}}]);
        let meshes = json!([{"primitives": [{"attributes": attributes, "material": 0}]}]);
        let more = json!({"materials": materials, "textures": [{"source": 0}], "meshes": meshes});
        import(&triangle(more)).unwrap().1
    };
    let check = |attributes: Value, set: usize, has_first: bool| {
        let want = GltfWarning::NoCoordinates { set, has_first };
        assert_eq!(said(attributes, set as u32), [warning("meshes[0].primitives[0]", want)]);
    };
    check(json!({"POSITION": 0}), 0, false);
    check(json!({"POSITION": 0, "TEXCOORD_1": 1}), 0, false);
    check(json!({"POSITION": 0, "TEXCOORD_0": 1}), 1, true);
    assert_eq!(said(json!({"POSITION": 0, "TEXCOORD_1": 1}), 1), []);
}

#[test]
fn lost_textures_are_counted_as_stand_ins() {
    let mut builder = Builder::new();
    let triangle = builder.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let primitive = |material: u32| json!({"attributes": {"POSITION": triangle}, "material": material});
    let mut document = builder.0;
    document["meshes"] = json!([{"primitives": [primitive(0), primitive(1), primitive(2)]}]);
    document["images"] = json!([{"uri": "gone.png"}, {"uri": PIXELS}]);
    document["textures"] = json!([{"source": 0}, {"source": 1}]);
    let color = |texture: u32| json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": texture}}});
    let mut both = color(0);
    both["emissiveFactor"] = json!([1, 1, 1]);
    both["emissiveTexture"] = json!({"index": 0});
    document["materials"] = json!([color(0), color(1), both]);
    let path = Path::new("test.gltf");
    let mut context = Context::new(path, &LoadOptions { allow_missing: true, ..LoadOptions::default() });
    let scene = import_bytes(path, document.to_string().as_bytes(), External::Missing, &mut context).unwrap();
    let counts = StandIns { textures: 1, triangles: 2, of: 3, ..StandIns::default() };
    assert_eq!(context.stand_ins.count(&scene), Some(counts));
}

#[test]
fn surfaces_that_vanish_by_their_vertex_colours_are_said() {
    let said = |mode: &str, factor: f32, alpha: [f32; 3], image: bool| {
        let colors: Vec<f32> = alpha.into_iter().flat_map(|a| [1.0, 1.0, 1.0, a]).collect();
        let mut base = json!({"baseColorFactor": [1, 1, 1, factor]});
        if image {
            base["baseColorTexture"] = json!({"index": 0});
        }
        let materials = json!([{"alphaMode": mode, "pbrMetallicRoughness": base}]);
        let mut builder = Builder(triangle(json!({"materials": materials, "textures": [{"source": 0}]})));
        let colors = builder.floats("VEC4", 4, &colors);
        builder.0["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = json!(colors);
        import(&builder.0).unwrap().1
    };
    let want = |below_cutoff| [warning("meshes[0].primitives[0]", GltfWarning::InvisibleColors { below_cutoff })];
    for image in [false, true] {
        assert_eq!(said("BLEND", 1.0, [0.0; 3], image), want(false));
        assert_eq!(said("MASK", 1.0, [0.4, 0.0, 0.4], image), want(true));
        for (mode, alpha) in [("BLEND", [0.0, 0.1, 0.0]), ("MASK", [0.0, 0.0, 0.5]), ("OPAQUE", [0.0; 3])] {
            assert_eq!(said(mode, 1.0, alpha, image), [], "{mode}");
        }
    }
    assert_eq!(said("BLEND", 0.0, [0.0; 3], false), [warning("materials[0]", GltfWarning::Invisible)]);
}

#[test]
fn materials_and_textures_that_are_not_there_are_a_line_where_only_triangles_are_asked_for() {
    let textured = |index: u32| json!([{"pbrMetallicRoughness": {"baseColorTexture": {"index": index}}}]);
    let material = triangle(json!({"materials": []}));
    let texture = triangle(json!({"materials": textured(5)}));
    let image = triangle(json!({"materials": textured(0), "textures": [{"source": 7}]}));
    for (document, want) in [
        (material, no_entry("materials", 0, 0)),
        (texture, no_entry("textures", 5, 0)),
        (image, no_entry("images", 7, 1)),
    ] {
        let want = FaultKind::from(want);
        let load = |geometry_only| {
            let options = LoadOptions { geometry_only, ..LoadOptions::default() };
            crate::import::load_from(document.to_string().as_bytes(), Path::new("test.gltf"), &options)
        };
        assert_eq!(told(load(false).unwrap_err().error).unwrap().2, want);
        let loaded = load(true).unwrap();
        let [warning] = &loaded.warnings[..] else { panic!("{:?}", loaded.warnings) };
        assert_eq!(warning.kind, WarningKind::BrokenLook { fault: want });
    }
}
