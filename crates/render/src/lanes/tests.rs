//! Vectors beside the functions of one path, bit for bit: any hits, from anywhere, by paths in any state.

use super::Vectors;
use crate::flat::{AttributeRecord, NONE, ShadingScene, UnitCode, encode_unit};
use crate::options::{DirectLight, ROULETTE_BELOW, Scattering};
use crate::path::{QueuedPath, Wave};
use crate::stage::shade;
use crate::vertex::{ALL_SPECULAR, MediaStack, SPECULAR, Transport};
use glam::Vec3;
use raywarp_geom::{Aabb, Hit, Ray};
use raywarp_lanes::Isa;
use raywarp_sample::hash::{combine, to_unit};
use raywarp_sample::{Sampler, warp};
use raywarp_scene::{
    Absorption, Channel, Description, Image, Light, Medium, MediumId, MediumInterface, NormalInput, Pixels,
    ScalarInput, Surface, Texture, UvMapping,
};

/// Number of test paths: many groups of lanes of any width, and a part of one.
const PATHS: u32 = 16 * 120 + 5;

/// Test scene in pbrt's format with surfaces of every class, with odd normals and sizes, and lights of every kind, some
/// textured, with holes, or two-sided.
const SCENE: &str = r#"
LookAt 0 0 9  0 0 0  0 1 0 Camera "perspective"
WorldBegin
LightSource "point" "rgb I" [3 2 1] "point from" [0 3 0]
LightSource "infinite" "rgb L" [0.2 0.3 0.4]
AttributeBegin
  AreaLightSource "diffuse" "rgb L" [10 9 8]
  Shape "trianglemesh" "integer indices" [0 1 2 0 2 3] "point P" [-1 4 -1  1 4 -1  1 4 1  -1 4 1]
  Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-5 4 -1  -4 4 -1  -4 5 1]
  Shape "disk" "float radius" [0.5]
  Translate 2 0 0
  Shape "sphere" "float radius" [0.25]
AttributeEnd
AttributeBegin
  AreaLightSource "diffuse" "rgb L" [1 4 2] "bool twosided" ["true"]
  Shape "trianglemesh" "integer indices" [0 1 2] "point P" [0 0 -40  40 0 -40  0 40 -30]
AttributeEnd
AttributeBegin
  AreaLightSource "diffuse" "rgb L" [0 0 3]
  Material "matte" "rgb Kd" [0 0 0]
  Shape "trianglemesh" "integer indices" [0 1 2 0 2 3] "point P" [-30 40 -1  -28 40 -1  -28 40 1  -30 40 1]
    "float alpha" [0.5]
AttributeEnd
Material "matte" "rgb Kd" [0.7 0.5 0.3]
Shape "trianglemesh" "integer indices" [0 1 2 0 2 3] "point P" [-9 -2 -9  9 -2 -9  9 -2 9  -9 -2 9]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [0 0 0  1e-30 0 0  0 1e-30 0]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [0 0 0  1 0 0  2 0 0]
Material "matte" "rgb Kd" [0.02 0.001 0.0]
Shape "trianglemesh" "integer indices" [0 1 2 2 1 3] "point P" [-3 0 0  3 0 0  0 3 0  3 3 1]
  "normal N" [-0.5 0 1  0.5 0 1  0 0.5 1  0 0 -1]
ReverseOrientation
Material "matte" "rgb Kd" [0.9 0.9 2.0]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 1  3 0 1  0 3 2] "normal N" [0 0 0  1 0 0  0 0.5 1]
Material "matte" "rgb Kd" [0 0 0]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [100 0 1  130 0 1  100 30 2]
Texture "checks" "spectrum" "checkerboard" "rgb tex1" [0.8 0.2 0.1] "rgb tex2" [0.1 0.1 0.9]
Material "matte" "texture Kd" "checks"
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 4  3 0 4  0 3 5] "float uv" [0 0  5 0  0 7]
Material "substrate" "rgb Kd" [0.4 0.3 0.2] "rgb Ks" [0.1 0.1 0.1]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6]
Material "substrate" "texture Kd" "checks" "rgb Ks" [0 0 0] "float uroughness" [1] "float vroughness" [1]
Shape "trianglemesh" "integer indices" [0 1 2 0 2 3] "point P" [-3 0 6  3 0 6  0 3 6  3 3 3] "normal N" [-0.5 0 1  0.5 0 1  0 0.5 1  0 0 -1]
Material "plastic" "rgb Kd" [0 0 0] "rgb Ks" [0.9 0.9 0.5] "float roughness" [0.001]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6]
Material "plastic" "rgb Kd" [0 0 0] "rgb Ks" [0 0 0]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6]
Material "substrate" "rgb Kd" [0.5 0.5 0.5] "rgb Ks" [0.5 0.5 0.5] "float uroughness" [0.3] "float vroughness" [0.1]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "normal N" [-0.5 0 1  0.5 0 1  0 0.5 1]
  "float uv" [0 0  5 0  0 7]
Material "substrate" "rgb Kd" [0.9 0.9 0.9] "rgb Ks" [0.9 0.9 0.9] "float uroughness" [0.9] "float vroughness" [1]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "float uv" [0 0  5 0  0 7]
Material "substrate" "rgb Kd" [0.3 0.5 0.1] "rgb Ks" [0.1 0.2 0.3] "float uroughness" [0.0005] "float vroughness" [0.00051]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "float uv" [0 0  0 0  0 7]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "float uv" [0 0  0 0  0 7]
Material "substrate" "texture Kd" "checks" "rgb Ks" [0 0 0.02] "float uroughness" [0.0005] "float vroughness" [0.00051]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "float uv" [0.5 0.1  3 0.2  0.4 7]
Material "substrate" "rgb Kd" [0.5 0.5 0.5] "rgb Ks" [0.5 0.5 0.5] "float uroughness" [1] "float vroughness" [0.99999]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "float uv" [0.5 0.1  3 0.2  0.4 7]
Material "disney" "rgb color" [0.9 0.6 0.2] "float metallic" [1] "float roughness" [0.5]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "normal N" [-0.5 0 1  0.5 0 1  0 0.5 1]
Material "disney" "rgb color" [0.9 0 0.2] "float metallic" [0.3] "float roughness" [0.01] "float eta" [1]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6]
Material "disney" "texture color" "checks" "float metallic" [0.7] "float roughness" [1]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "float uv" [0 0  5 0  0 7]
Texture "spots" "float" "checkerboard" "float tex1" [0] "float tex2" [1]
Material "disney" "rgb color" [0 0 0] "texture metallic" "spots" "float roughness" [0.2]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "float uv" [0 0  5 0  0 7]
Material "blinn" "rgb Kd" [0.4 0.3 0.2] "rgb Ks" [0.3 0.2 0.1] "float exponent" [50]
Shape "trianglemesh" "integer indices" [0 1 2 0 2 3] "point P" [-3 0 6  3 0 6  0 3 6  3 3 3] "normal N" [-0.5 0 1  0.5 0 1  0 0.5 1  0 0 -1]
Material "blinn" "rgb Kd" [0 0 0] "rgb Ks" [1 1 1] "float exponent" [0]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6]
Material "blinn" "rgb Kd" [0.5 0.5 1] "rgb Ks" [0.001 0 0] "float exponent" [1e6]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6]
Material "blinn" "rgb Kd" [0 0 0] "rgb Ks" [0 0 0] "float exponent" [7]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6]
Texture "large" "float" "checkerboard" "float tex1" [3e38] "float tex2" [2e38]
Texture "endless" "float" "scale" "texture tex1" "large" "texture tex2" "large"
Texture "no number" "float" "scale" "texture tex1" "endless" "texture tex2" "spots"
Material "blinn" "rgb Kd" [0.5 0.5 0.5] "rgb Ks" [0.2 0.2 0.2] "texture exponent" "no number"
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "float uv" [0 0  5 0  0 7]
Material "blinn" "texture Kd" "checks" "rgb Ks" [0.1 0.1 0.1] "float exponent" [900]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "float uv" [0 0  5 0  0 7]
Material "metal"
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "normal N" [-0.5 0 1  0.5 0 1  0 0.5 1]
Material "metal" "float roughness" [0.00011] "rgb eta" [0.05 1.4 3] "rgb k" [4 7.6 0] "bool remaproughness" ["false"]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6]
Material "metal" "float roughness" [1] "rgb eta" [1 0 1000] "rgb k" [0 0 0] "bool remaproughness" ["false"]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6]
Material "metal" "float uroughness" [0.9] "float vroughness" [0.1] "bool remaproughness" ["false"]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "float uv" [0 0  5 0  0 7]
Material "metal" "float uroughness" [0.0005] "float vroughness" [0.00051] "texture k" "checks"
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "float uv" [0 0  5 0  0 7]
Material "metal" "float roughness" [0] "bool remaproughness" ["false"]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6]
Material "metal" "float uroughness" [0.00002] "float vroughness" [0.00001] "rgb eta" [1 0 1000] "rgb k" [0 0 0]
  "bool remaproughness" ["false"]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "float uv" [0 0  5 0  0 7]
Material "mirror" "rgb Kr" [0.9 0.2 0.5]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 6  3 0 6  0 3 6] "normal N" [-0.5 0 1  0.5 0 1  0 0.5 1]
Material "mirror" "texture Kr" "checks"
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 7  3 0 7  0 3 7] "float uv" [0 0  5 0  0 7]
Material "mirror" "rgb Kr" [0 0 0]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 7  3 0 7  0 3 7]
Material "glass"
Shape "trianglemesh" "integer indices" [0 1 2 0 2 3] "point P" [-3 0 6  3 0 6  0 3 6  3 3 3] "normal N" [-0.5 0 1  0.5 0 1  0 0.5 1  0 0 -1]
Material "glass" "rgb Kr" [0.5 0.6 0.7] "rgb Kt" [0.9 0.4 0.7]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 7  3 0 7  0 3 7]
Material "glass" "float index" [2.4] "rgb Kr" [0.9 0.9 0]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 7  3 0 7  0 3 7]
Material "glass" "float index" [1] "rgb Kt" [0 0 0]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 7  3 0 7  0 3 7]
Material "glass" "float index" [0.7] "texture Kt" "checks" "float uroughness" [0.00001] "float vroughness" [0.00002]
  "bool remaproughness" ["false"]
Shape "trianglemesh" "integer indices" [0 1 2 0 2 3] "point P" [-3 0 6  3 0 6  0 3 6  3 3 3] "float uv" [0 0  5 0  0 7  1 1]
Material "glass" "float index" [1.01] "float uroughness" [0.3] "float vroughness" [0.3]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 7  3 0 7  0 3 7]
Material "glass" "float index" [1.33] "rgb Kt" [0.8 0.9 1]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 7  3 0 7  0 3 7]
AreaLightSource "diffuse" "rgb L" [1 4 2] "bool twosided" ["true"]
Shape "trianglemesh" "integer indices" [0 1 2] "point P" [-3 0 7  3 0 7  0 3 7]
"#;

fn scene(lights: bool) -> ShadingScene {
    let text: String = if lights {
        SCENE.into()
    } else {
        SCENE.lines().filter(|line| !line.contains("LightSource")).map(|line| format!("{line}\n")).collect()
    };
    flat(&loaded(&text))
}

/// Returns the test scene under an environment map of few texels, some black, one as bright as a sun, one negative;
/// alone or beside the file's environment.
fn scene_under_a_map(alone: bool) -> ShadingScene {
    let mut scene = loaded(SCENE);
    if alone {
        scene.lights.retain(|light| !matches!(light, Light::Environment { .. }));
    }
    let (width, height) = (7, 5);
    let texel = |i: u32| match (i / width, i % width) {
        (2, _) | (_, 3) => [0.0; 4],
        (1, 5) => [900.0, 800.0, 500.0, 1.0],
        (3, 1) => [-0.5, 0.5, 0.1, 1.0],
        (row, column) => [0.1 * row as f32, 0.3, 0.2 * column as f32, 1.0],
    };
    let pixels = Pixels::Float((0..width * height).map(texel).collect()).into();
    let map = scene.add_image(Image { name: String::new(), width, height, pixels });
    let world_to_map = [[0.6, 0.0, 0.8], [0.0, 1.0, 0.0], [-0.8, 0.0, 0.6]];
    scene.lights.push(Light::Environment { map: Some(map), radiance: [1.0, 0.9, 0.8], world_to_map });
    flat(&scene)
}

/// Returns the test scene with media in its glass, one stated on both sides of a surface, and with sheets of glass.
fn scene_with_media() -> ShadingScene {
    let mut scene = loaded(SCENE);
    let absorption = |i: usize| Absorption { sigma: [0.3, 0.0, 0.1 * i as f32] };
    scene.media.push(Medium { name: String::new(), absorption: absorption(9) });
    let glass = scene.materials.iter_mut().filter(|material| matches!(material.surface, Surface::Dielectric { .. }));
    for (i, material) in glass.enumerate() {
        if let Surface::Dielectric { thin, absorption: inside, .. } = &mut material.surface {
            (*thin, *inside) = (i == 1, (i % 4 != 3).then(|| absorption(i)));
        }
        material.media = (i == 2).then_some(MediumInterface { inside: Some(MediumId(0)), outside: None });
    }
    flat(&scene)
}

/// Returns the test scene with bump and normal maps, some of whose normals point below the surface.
fn scene_with_bumps() -> ShadingScene {
    let mut scene = loaded(SCENE);
    let (width, height) = (5, 3);
    let texel = |i: u32| [0.3 * i as f32 % 1.0, 0.7 * i as f32 % 1.0, 0.1 + 0.4 * i as f32 % 0.8, 1.0];
    let pixels = Pixels::Float((0..width * height).map(texel).collect()).into();
    let image = scene.add_image(Image { name: String::new(), width, height, pixels });
    let mapping = UvMapping::default();
    let texture =
        scene.add_texture(Texture::Image { image, mapping, wrap: Default::default(), filter: Default::default() });
    for (i, material) in scene.materials.iter_mut().enumerate() {
        material.normal = match i % 3 {
            0 => Some(NormalInput::Map { texture, scale: 1.5 }),
            1 => Some(NormalInput::Bump { height: ScalarInput { factor: 0.05, texture: Some((texture, Channel::R)) } }),
            _ => None,
        };
    }
    flat(&scene)
}

fn loaded(text: &str) -> Description {
    let options = raywarp_scene::LoadOptions::default();
    raywarp_scene::load_from(text.as_bytes(), std::path::Path::new("surfaces.pbrt"), &options).unwrap().scene
}

fn flat(scene: &Description) -> ShadingScene {
    let mut flat = ShadingScene::new(scene, &Aabb { min: [-10.0; 3], max: [10.0; 3] }).unwrap();
    // No file of this format has tangents: some surfaces get them here, one of them none at a corner.
    for (i, record) in flat.attributes.iter_mut().enumerate().step_by(2) {
        let second = if i % 4 == 0 { UnitCode::ZERO } else { encode_unit([0.0, -1.0, 0.5]) };
        record.tangents = [encode_unit([0.6, 0.8, 0.0]), second, encode_unit([0.5, 0.5, 0.7])];
        record.colors_and_flags |= AttributeRecord::TANGENTS;
    }
    assert_eq!(flat.validate(), Ok(()));
    flat
}

fn transport(sampler: Sampler) -> Transport {
    Transport {
        sampler,
        direct: DirectLight::Both,
        scattering: Scattering::Multiple,
        max_depth: 3,
        connect_last: false,
        roulette_below: ROULETTE_BELOW,
        roulette_scale: 1.0 / ROULETTE_BELOW,
        transparent: false,
        first_albedos: true,
    }
}

/// Returns a wave after `bounce` bounces, with made-up hits of its current rays.
fn wave(scene: &ShadingScene, bounce: u32) -> Wave {
    let mut wave = Wave::default();
    for i in 0..PATHS {
        let random = |what: u32| to_unit(combine(combine(77 + bounce, i), what));
        let direction = warp::uniform_sphere([random(0), random(1)]);
        // Most paths are in empty space, and the others in up to five bodies.
        let media = scene.media.len() as f32;
        let depth = if media == 0.0 { 0 } else { (14.0 * random(14)) as u32 % 9 };
        let stack = (0..if depth < 6 { depth } else { 0 })
            .fold(MediaStack::default(), |stack, k| stack.entered((media * random(20 + k)) as u32));
        wave.push(i * 7, i % 5, Ray::new([random(2), 8.0, random(3)], direction), 1.0, i + 1, stack);
        wave.touching.push(if random(15) < 0.2 && media > 0.0 { (media * random(16)) as u32 } else { NONE });
        let path = &mut wave.paths[i as usize];
        path.throughput = Vec3::new(random(4), 0.1 * random(5), 0.5) * if i % 3 == 0 { 0.05 } else { 1.0 };
        path.previous_pdf = random(6);
        path.media.since = if media > 0.0 { 0.5 * random(17) } else { 0.0 };
        path.flags = [SPECULAR | ALL_SPECULAR, SPECULAR, 0, 0][(4.0 * random(7)) as usize].into();
        let triangle = (random(8) * 1.1 * scene.triangles.len() as f32) as usize;
        // Of the many triangles of disk and sphere a few will do.
        let triangle = if random(12) < 0.9 { scene.triangles.len() - 1 - triangle % 59 } else { triangle };
        // And many paths hit nothing.
        let triangle = if random(13) < 0.1 { usize::MAX } else { triangle };
        let [u, v] = warp::uniform_triangle([random(9), random(10)]);
        let record = scene.triangles.get(triangle);
        let hit = record.map_or(Hit::miss(f32::INFINITY), |record| {
            let primitive = triangle as u32 - scene.placements[record.instance as usize].first_triangle;
            Hit { t: 5.0 * random(11), u, v, primitive }
        });
        wave.hits.push(hit);
        wave.instances.push(record.map_or(0, |record| record.instance));
    }
    wave.bounce = bounce;
    wave
}

/// Results of shading each path, as bits, whatever the order of the queues.
type Made = Vec<(Vec<u32>, Option<[u32; 8]>, Option<[u32; 12]>, Option<([u32; 8], [u32; 3])>)>;

fn made(mut wave: Wave, scene: &ShadingScene, transport: &Transport, vectors: Option<&Vectors>) -> (Made, [u64; 2]) {
    shade(scene, transport, vectors, &mut wave);
    let mut made: Made = (0..PATHS as usize)
        .map(|slot| {
            let first = &wave.first_hit[slot];
            let kept = [wave.radiance[slot], first.albedo, first.normal, Vec3::splat(first.depth)];
            (kept.iter().flat_map(|v| v.to_array().map(f32::to_bits)).collect(), None, None, None)
        })
        .collect();
    for (ray, path) in wave.next_rays.iter().zip(&wave.next_paths) {
        let entry = &mut made[path.slot as usize];
        assert!(entry.1.is_none() && entry.2.is_none(), "slot {} goes on twice", path.slot);
        (entry.1, entry.2) = (Some(bytemuck::cast(*ray)), Some(bytemuck::cast::<QueuedPath, _>(*path)));
    }
    let shadow = &wave.shadow;
    assert_eq!(shadow.media.len(), if scene.media.is_empty() { 0 } else { shadow.rays.len() });
    for ((ray, &slot), contribution) in shadow.rays.iter().zip(&shadow.slots).zip(&shadow.contributions) {
        let entry = &mut made[slot as usize].3;
        assert!(entry.is_none(), "slot {slot} is connected twice");
        *entry = Some((bytemuck::cast(*ray), bytemuck::cast(*contribution)));
    }
    (made, [wave.queues.vertices, wave.queues.in_vectors])
}

/// Compares every instruction set of this CPU with scalar code on a wave. Returns the share of vertices that vectors
/// shaded; all without vectors.
#[track_caller]
fn check(scene: &ShadingScene, transport: &Transport, bounce: u32) -> f64 {
    let (expected, [vertices, none]) = made(wave(scene, bounce), scene, transport, None);
    assert!(vertices > 0 && none == 0);
    let mut share = 1.0;
    for isa in Isa::all() {
        let Some(vectors) = Vectors::with(isa, scene, transport) else { continue };
        let (got, [all, in_vectors]) = made(wave(scene, bounce), scene, transport, Some(&vectors));
        for (slot, (got, expected)) in got.iter().zip(&expected).enumerate() {
            assert_eq!(got, expected, "{isa}, {transport:?}, slot {slot}");
        }
        assert_eq!(all, vertices);
        share = in_vectors as f64 / all as f64;
    }
    share
}

const SOBOL: Sampler = Sampler::Sobol { seed: 5 };
const XOR32: Sampler = Sampler::Xor32 { seed: 5 };
const HALTON: Sampler = Sampler::PaddedHalton { seed: 5 };

#[test]
fn vectors_shade_as_the_functions_of_one_path_do_at_every_bounce() {
    let scene = scene(true);
    for sampler in [SOBOL, XOR32, HALTON] {
        for bounce in 0..=3 {
            let share = check(&scene, &transport(sampler), bounce);
            assert!(share > 0.5, "little was tested: {share}");
        }
    }
}

#[test]
fn every_way_of_transport_is_the_same_in_vectors() {
    let scene = scene(true);
    for direct in [DirectLight::Lights, DirectLight::Scattering] {
        check(&scene, &Transport { direct, ..transport(SOBOL) }, 1);
    }
    check(&scene, &Transport { connect_last: true, ..transport(XOR32) }, 3);
    check(&scene, &Transport { first_albedos: false, ..transport(SOBOL) }, 0);
    check(&scene, &Transport { scattering: Scattering::Single, ..transport(SOBOL) }, 0);
    check(&scene, &Transport { max_depth: 0, ..transport(SOBOL) }, 0);
    check(&scene, &Transport { roulette_below: 2.0, roulette_scale: 0.5, ..transport(XOR32) }, 1);
}

#[test]
fn an_environment_with_a_map_is_the_same_in_vectors() {
    let scene = scene_under_a_map(true);
    for direct in [DirectLight::Both, DirectLight::Lights, DirectLight::Scattering] {
        check(&scene, &Transport { direct, ..transport(SOBOL) }, 1);
    }
    check(&scene, &transport(XOR32), 0);
    check(&scene, &Transport { transparent: true, ..transport(SOBOL) }, 0);
    // Of several environments none has a text in vectors.
    check(&scene_under_a_map(false), &transport(SOBOL), 1);
}

#[test]
fn normals_that_maps_bend_are_the_same_in_vectors() {
    let scene = scene_with_bumps();
    for (sampler, bounce) in [(SOBOL, 0), (XOR32, 1), (SOBOL, 3)] {
        let share = check(&scene, &transport(sampler), bounce);
        assert!(share > 0.5, "little was tested: {share}");
    }
}

#[test]
fn paths_go_through_media_in_vectors_as_the_functions_of_one_path_take_them() {
    let scene = scene_with_media();
    assert!(scene.media.len() > 3);
    for (sampler, bounce) in [(SOBOL, 0), (XOR32, 1), (SOBOL, 3)] {
        check(&scene, &transport(sampler), bounce);
    }
    check(&scene, &Transport { scattering: Scattering::Single, ..transport(SOBOL) }, 1);
}

#[test]
fn scenes_in_any_unit_are_shaded_in_vectors_as_by_the_functions_of_one_path() {
    // Where squares of areas leave the range of floats vectors leave vertices and lights to those.
    for unit in [1e-10, 1e-9, 1e-6, 1e6, 1e9, 1e10] {
        let mut scene = loaded(SCENE);
        scene.meshes.iter_mut().flat_map(|mesh| &mut mesh.triangles.positions).for_each(|p| *p = p.map(|x| x * unit));
        let share = check(&flat(&scene), &transport(SOBOL), 1);
        assert!(share > 0.2 || unit != 1e6, "{unit}: little was tested: {share}");
    }
}

#[test]
fn a_scene_without_lights_is_shaded_in_vectors() {
    check(&scene(false), &transport(SOBOL), 1);
}
