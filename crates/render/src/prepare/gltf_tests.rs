//! Every combination of glTF's material extensions: each one is shaded, or a warning names it.

use crate::ShadingScene;
use crate::bsdf::{Bsdf, Scattering};
use crate::texture::{Inputs, TexturePoint};
use glam::{Vec2, Vec3, Vec4};
use raywarp_geom::Aabb;
use raywarp_scene::{LoadOptions, load_from};
use std::path::Path;

/// Extensions of glTF materials as docs/reference/formats-gltf.md lists them, with values that are not the defaults.
/// The others that it names as not supported are treated as the last but one.
const LAYERS: [(&str, &str); 10] = [
    ("KHR_materials_transmission", r#"{"transmissionFactor": 1}"#),
    (
        "KHR_materials_volume",
        r#"{"thicknessFactor": 1, "attenuationDistance": 1, "attenuationColor": [0.2, 0.5, 0.9]}"#,
    ),
    ("KHR_materials_ior", r#"{"ior": 1.9}"#),
    ("KHR_materials_specular", r#"{"specularFactor": 0.5, "specularColorFactor": [1, 0.5, 0.2]}"#),
    ("KHR_materials_clearcoat", r#"{"clearcoatFactor": 0.7, "clearcoatRoughnessFactor": 0.3}"#),
    ("KHR_materials_emissive_strength", r#"{"emissiveStrength": 3}"#),
    ("KHR_materials_anisotropy", r#"{"anisotropyStrength": 0.5}"#),
    ("KHR_materials_pbrSpecularGlossiness", r#"{"glossinessFactor": 0.5, "specularFactor": [0.1, 0.2, 0.3]}"#),
    ("KHR_materials_sheen", r#"{"sheenColorFactor": [1, 1, 1]}"#),
    ("KHR_materials_unlit", "{}"),
];
const UNLIT: u32 = LAYERS.len() as u32 - 1;

/// Values that a material's evaluation gave, and the warnings of its import.
struct Shown {
    values: Vec<Vec3>,
    warnings: Vec<String>,
}

/// Evaluates a material with the extensions whose bits are set in `set`: transmission makes all of it glass, else it is
/// opaque.
fn shown(set: u32) -> Shown {
    let extensions: Vec<String> = (0..LAYERS.len())
        .filter(|i| set >> i & 1 == 1)
        .map(|i| format!("\"{}\": {}", LAYERS[i].0, LAYERS[i].1))
        .collect();
    let text = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}], "nodes": [{{"mesh": 0}}],
        "buffers": [{{"byteLength": 36, "uri": "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 36}}],
        "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "material": 0}}]}}],
        "materials": [{{"emissiveFactor": [0.5, 0.5, 0.5], "extensions": {{{}}},
            "pbrMetallicRoughness": {{"metallicFactor": 0, "roughnessFactor": 0.6}}}}]}}"#,
        extensions.join(", ")
    );
    let loaded = load_from(text.as_bytes(), Path::new("a.gltf"), &LoadOptions::default()).unwrap();
    let scene = ShadingScene::new(&loaded.scene, &Aabb { min: [-1.0; 3], max: [1.0; 3] }).unwrap();
    let at = TexturePoint { uv: [Vec2::ZERO; 2], color: Vec4::ONE };
    let inputs = Inputs { scene: &scene, material: &scene.materials[0], at: &at, scattering: Scattering::Multiple };
    let mut values: Vec<Vec3> = loaded.scene.materials[0].emission.iter().map(|e| e.radiance.factor.into()).collect();
    let directions = [[0.1, 0.2, 0.9], [-0.7, 0.1, 0.5], [0.2, -0.3, -0.8], [0.6, 0.6, -0.4]];
    let directions = directions.map(|d| Vec3::from(d).normalize());
    for u in [0.1, 0.9] {
        let bsdf = Bsdf::look_up(&inputs, u);
        values.extend(directions.iter().flat_map(|&wo| directions.map(|wi| bsdf.eval(wo, wi).0)));
    }
    Shown { values, warnings: loaded.warnings.iter().map(ToString::to_string).collect() }
}

#[test]
fn every_combination_of_extensions_is_shaded_or_named_in_a_warning() {
    let all: Vec<Shown> = (0..1 << LAYERS.len()).map(shown).collect();
    for (set, with) in all.iter().enumerate() {
        for (i, (name, _)) in LAYERS.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1) {
            // What is unlit is meant to show its colour and nothing else.
            let overridden = set >> UNLIT & 1 == 1 && i as u32 != UNLIT;
            let is_shaded = all[set & !(1 << i)].values != with.values;
            let is_named = with.warnings.iter().any(|warning| warning.contains(name));
            let set: Vec<&str> = (0..LAYERS.len()).filter(|j| set >> j & 1 == 1).map(|j| LAYERS[j].0).collect();
            assert!(is_shaded || is_named || overridden, "{name} is lost in {set:?}, with {:?}", with.warnings);
            assert!(!(is_shaded && is_named) || *name == "KHR_materials_pbrSpecularGlossiness", "{name} in {set:?}");
        }
    }
}
