//! The document as it stands in the file: only what is read from it, nothing checked but types.

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, Unexpected, Visitor};
use std::collections::BTreeMap;

/// Unsigned integer in a document: a count, an offset or an index, also if it is spelled `3.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Int(pub u64);

impl Int {
    /// Converts to an index into an array; a value that is too large becomes one that is out of range.
    pub fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<'de> Deserialize<'de> for Int {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IntVisitor;
        impl Visitor<'_> for IntVisitor {
            type Value = Int;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a whole number that is not negative")
            }
            fn visit_u64<E: Error>(self, v: u64) -> Result<Int, E> {
                Ok(Int(v))
            }
            fn visit_f64<E: Error>(self, v: f64) -> Result<Int, E> {
                let exact = (0.0..=9_007_199_254_740_992.0).contains(&v) && v.fract() == 0.0;
                if exact { Ok(Int(v as u64)) } else { Err(E::invalid_value(Unexpected::Float(v), &self)) }
            }
        }
        deserializer.deserialize_any(IntVisitor)
    }
}

/// Name of what is wanted where a number is too large, in the messages of serde.
pub(super) const SINGLE: &str = "a number that fits 32-bit floating point";

/// Number in a document that fits a finite `f32`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Num(pub f32);

impl<'de> Deserialize<'de> for Num {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wide = f64::deserialize(deserializer)?;
        let value = wide as f32;
        if value.is_finite() {
            return Ok(Self(value));
        }
        Err(D::Error::invalid_value(Unexpected::Float(wide), &SINGLE))
    }
}

/// Number of a node's placement in f64, as the file has it. What is large in one node and cancelled in another is not
/// rounded between.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wide(pub f64);

impl<'de> Deserialize<'de> for Wide {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wide = f64::deserialize(deserializer)?;
        if (wide as f32).is_finite() {
            return Ok(Self(wide));
        }
        Err(D::Error::invalid_value(Unexpected::Float(wide), &SINGLE))
    }
}

/// Converts an array of document numbers to floats.
pub fn plain<const N: usize>(values: [Num; N]) -> [f32; N] {
    values.map(|v| v.0)
}

/// Declares a struct for a JSON object of the document: unknown members are skipped, missing ones are `Default`.
macro_rules! object {
    ($(#[$doc:meta])* $name:ident { $($(#[$attr:meta])* $field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, serde::Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name { $($(#[$attr])* pub $field: $type,)* }
    };
}

/// Declares a struct for the extensions of an object, with a member for each supported one.
macro_rules! extensions {
    ($(#[$doc:meta])* $name:ident { $($key:literal $field:ident: $type:ty),* $(,)? } $($others:ident)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, serde::Deserialize)]
        #[serde(default)]
        pub struct $name {
            $(#[serde(rename = $key)] pub $field: Option<$type>,)*
            $(
                /// Extensions that are not supported, kept by name for warnings.
                #[serde(flatten)]
                pub $others: BTreeMap<String, IgnoredAny>,
            )?
        }
    };
}

object!(
    /// Root object of a glTF document.
    DocumentJson {
        asset: Asset,
        scene: Option<Int>,
        scenes: Vec<SceneRoots>,
        nodes: Vec<NodeJson>,
        meshes: Vec<MeshJson>,
        materials: Vec<MaterialJson>,
        textures: Vec<TextureJson>,
        images: Vec<ImageJson>,
        samplers: Vec<SamplerJson>,
        cameras: Vec<CameraJson>,
        accessors: Vec<Accessor>,
        buffer_views: Vec<BufferView>,
        buffers: Vec<Buffer>,
        animations: Vec<AnimationJson>,
        skins: Vec<SkinJson>,
        extensions_used: Vec<String>,
        extensions_required: Vec<String>,
        extensions: DocumentExtensions,
    }
);
extensions!(DocumentExtensions { "KHR_lights_punctual" lights: Lights, "KHR_materials_variants" variants: VariantsJson, } others);
object!(Asset { version: Option<String>, min_version: Option<String>, generator: Option<String>, });
object!(SceneRoots { name: String, nodes: Vec<Int>, });
object!(Lights { lights: Vec<LightJson>, });
object!(VariantsJson { variants: Vec<VariantJson>, });
object!(VariantJson { name: String });

object!(NodeJson {
    name: String,
    children: Vec<Int>,
    mesh: Option<Int>,
    camera: Option<Int>,
    skin: Option<Int>,
    matrix: Option<[Wide; 16]>,
    translation: Option<[Wide; 3]>,
    rotation: Option<[Wide; 4]>,
    scale: Option<[Wide; 3]>,
    weights: Option<Vec<Num>>,
    extensions: NodeExtensions,
});
extensions!(NodeExtensions {
    "KHR_lights_punctual" light: NodeLight,
    "EXT_mesh_gpu_instancing" instancing: Instancing,
    "KHR_node_visibility" visibility: Visibility,
} others);
object!(NodeLight { light: Option<Int>, });
object!(Instancing { attributes: BTreeMap<String, Int>, });
object!(Visibility { visible: Option<bool>, });

object!(MeshJson { name: String, primitives: Vec<Primitive>, weights: Vec<Num>, });
object!(Primitive {
    attributes: BTreeMap<String, Int>,
    indices: Option<Int>,
    material: Option<Int>,
    mode: Option<Int>,
    targets: Vec<BTreeMap<String, Int>>,
    extensions: PrimitiveExtensions,
});
extensions!(PrimitiveExtensions {
    "KHR_draco_mesh_compression" draco: Draco,
    "KHR_materials_variants" variants: VariantMappings,
} others);
object!(Draco { buffer_view: Option<Int>, attributes: BTreeMap<String, Int>, });
object!(VariantMappings { mappings: Vec<VariantMapping>, });
object!(VariantMapping { material: Option<Int>, variants: Vec<Int>, });

object!(SkinJson { joints: Vec<Int>, inverse_bind_matrices: Option<Int>, });

object!(AnimationJson { name: String, channels: Vec<ChannelJson>, samplers: Vec<AnimationSampler>, });
object!(ChannelJson { sampler: Option<Int>, target: TargetJson, });
object!(TargetJson { node: Option<Int>, path: String, extensions: TargetExtensions, });
extensions!(TargetExtensions { "KHR_animation_pointer" pointer: Pointer, });
object!(Pointer { pointer: String });
object!(AnimationSampler { input: Option<Int>, output: Option<Int>, interpolation: Option<String>, });

object!(Buffer { uri: Option<String>, byte_length: Int, extensions: BufferExtensions, });
extensions!(BufferExtensions { "EXT_meshopt_compression" ext: Fallback, "KHR_meshopt_compression" khr: Fallback, });
object!(Fallback { fallback: bool });
object!(BufferView {
    buffer: Option<Int>,
    byte_offset: Int,
    byte_length: Int,
    byte_stride: Option<Int>,
    extensions: BufferViewExtensions,
});
extensions!(BufferViewExtensions { "EXT_meshopt_compression" ext: Meshopt, "KHR_meshopt_compression" khr: Meshopt, });
object!(Meshopt {
    buffer: Option<Int>,
    byte_offset: Int,
    byte_length: Int,
    byte_stride: Int,
    count: Int,
    mode: String,
    filter: Option<String>,
});

object!(Accessor {
    buffer_view: Option<Int>,
    byte_offset: Int,
    component_type: Int,
    count: Int,
    #[serde(rename = "type")]
    kind: String,
    normalized: bool,
    sparse: Option<Sparse>,
});
object!(Sparse { count: Int, indices: SparseIndices, values: SparseValues });
object!(SparseIndices { buffer_view: Int, byte_offset: Int, component_type: Int });
object!(SparseValues { buffer_view: Int, byte_offset: Int });

object!(MaterialJson {
    name: String,
    pbr_metallic_roughness: MetallicRoughness,
    normal_texture: Option<TextureInfo>,
    emissive_texture: Option<TextureInfo>,
    emissive_factor: Option<[Num; 3]>,
    alpha_mode: Option<String>,
    alpha_cutoff: Option<Num>,
    double_sided: bool,
    extensions: MaterialExtensions,
});
object!(MetallicRoughness {
    base_color_factor: Option<[Num; 4]>,
    base_color_texture: Option<TextureInfo>,
    metallic_factor: Option<Num>,
    roughness_factor: Option<Num>,
    metallic_roughness_texture: Option<TextureInfo>,
});
extensions!(MaterialExtensions {
    "KHR_materials_emissive_strength" emissive_strength: EmissiveStrength,
    "KHR_materials_transmission" transmission: Transmission,
    "KHR_materials_volume" volume: Volume,
    "KHR_materials_ior" ior: Ior,
    "KHR_materials_specular" specular: Specular,
    "KHR_materials_clearcoat" clearcoat: Clearcoat,
    "KHR_materials_unlit" unlit: IgnoredAny,
    "KHR_materials_pbrSpecularGlossiness" specular_glossiness: SpecularGlossiness,
    "KHR_materials_sheen" sheen: IgnoredAny,
    "KHR_materials_anisotropy" anisotropy: IgnoredAny,
    "KHR_materials_iridescence" iridescence: IgnoredAny,
    "KHR_materials_dispersion" dispersion: IgnoredAny,
    "KHR_materials_diffuse_transmission" diffuse_transmission: IgnoredAny,
} others);
object!(EmissiveStrength { emissive_strength: Option<Num>, });
object!(Transmission { transmission_factor: Num, transmission_texture: Option<TextureInfo>, });
object!(Volume {
    thickness_factor: Num,
    attenuation_distance: Option<Num>,
    attenuation_color: Option<[Num; 3]>,
});
object!(Ior { ior: Option<Num>, });
object!(Specular {
    specular_factor: Option<Num>,
    specular_texture: Option<TextureInfo>,
    specular_color_factor: Option<[Num; 3]>,
    specular_color_texture: Option<TextureInfo>,
});
object!(Clearcoat {
    clearcoat_factor: Num,
    clearcoat_texture: Option<TextureInfo>,
    clearcoat_roughness_factor: Num,
    clearcoat_roughness_texture: Option<TextureInfo>,
    clearcoat_normal_texture: Option<IgnoredAny>,
});
object!(SpecularGlossiness {
    diffuse_factor: Option<[Num; 4]>,
    diffuse_texture: Option<TextureInfo>,
    specular_factor: Option<[Num; 3]>,
    glossiness_factor: Option<Num>,
    specular_glossiness_texture: Option<TextureInfo>,
});

object!(TextureInfo { index: Option<Int>, tex_coord: Int, scale: Option<Num>, extensions: TextureInfoExtensions, });
extensions!(TextureInfoExtensions { "KHR_texture_transform" transform: TextureTransform, });
object!(TextureTransform {
    offset: Option<[Num; 2]>,
    rotation: Option<Num>,
    scale: Option<[Num; 2]>,
    tex_coord: Option<Int>,
});
object!(TextureJson { sampler: Option<Int>, source: Option<Int>, extensions: TextureExtensions, });
extensions!(TextureExtensions { "KHR_texture_basisu" basisu: OtherSource, "EXT_texture_webp" webp: OtherSource, });
object!(OtherSource { source: Option<Int>, });
object!(ImageJson { name: String, uri: Option<String>, buffer_view: Option<Int>, });
object!(SamplerJson { mag_filter: Option<Int>, wrap_s: Option<Int>, wrap_t: Option<Int>, });

object!(CameraJson {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    perspective: Option<Perspective>,
    orthographic: Option<Orthographic>,
});
object!(Perspective { yfov: Num, aspect_ratio: Option<Num> });
object!(Orthographic { ymag: Num, xmag: Option<Num> });
object!(LightJson {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    color: Option<[Num; 3]>,
    intensity: Option<Wide>,
    range: Option<Num>,
    spot: Option<Spot>,
});
object!(Spot { inner_cone_angle: Option<Num>, outer_cone_angle: Option<Num>, });
