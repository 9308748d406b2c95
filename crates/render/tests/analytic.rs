//! Scenes whose pictures are known: furnaces, single lights over a plane, absorption, lenses.

use crate::common::{add, camera, check_mean, options, quad, room, sphere, trace};
use raywarp_render::{DirectLight, RenderOptions};
use raywarp_scene::{
    Absorption, Alpha, CarPaint, ColorInput, Description, Emission, Image, Light, Material, Pixels, Principled,
    Roughness, ScalarInput, SpotFalloff, Surface,
};
use std::f64::consts::PI;

fn white_sky() -> Light {
    Light::uniform_environment([1.0; 3])
}

fn emitter(radiance: f32, reflectance: f32) -> Material {
    let emission = Emission { radiance: ColorInput::constant([radiance; 3]), two_sided: false };
    Material { emission: Some(emission), ..Material::diffuse("light", [reflectance; 3]) }
}

fn glass(roughness: f32, absorption: Option<Absorption>, ior: f32) -> Material {
    let surface = Surface::Dielectric {
        ior,
        roughness: Roughness::isotropic(roughness),
        reflectance: ColorInput::constant([1.0; 3]),
        transmittance: ColorInput::constant([1.0; 3]),
        thin: false,
        absorption,
    };
    Material::new("glass", surface)
}

const ALL_TECHNIQUES: [DirectLight; 3] = [DirectLight::Both, DirectLight::Lights, DirectLight::Scattering];

#[test]
fn a_convex_diffuse_body_under_a_uniform_sky_shows_its_albedo() {
    let mut scene = Description { lights: vec![white_sky()], ..Description::default() };
    add(&mut scene, sphere([0.0; 3], 1.0, 12, false), Material::diffuse("grey", [0.7; 3]));
    let camera = camera([0.0, 0.3, 4.0], [0.0; 3], 14.0);
    for direct in ALL_TECHNIQUES {
        check_mean(&trace(&scene, &camera, &RenderOptions { direct, ..options([16, 12], 64, 4) }), 0.7);
    }
}

#[test]
fn a_closed_glowing_room_sums_the_geometric_series() {
    let (emission, albedo) = (0.5, 0.6f64);
    let mut scene = Description::default();
    for wall in room() {
        add(&mut scene, wall, emitter(emission, albedo as f32));
    }
    let camera = camera([0.2, 0.1, 0.5], [0.0, 0.0, -1.0], 60.0);
    for depth in [0, 1, 2, 5] {
        let expected: f64 = (0..=depth).map(|k| f64::from(emission) * albedo.powi(k)).sum();
        for direct in ALL_TECHNIQUES {
            let options = RenderOptions { direct, ..options([12, 12], 128, depth as u32) };
            check_mean(&trace(&scene, &camera, &options), expected);
        }
    }
}

#[test]
fn russian_roulette_keeps_the_mean_of_long_paths() {
    // Albedo 0.3 falls below 5 % at the third bounce: roulette decides nearly all of what follows.
    let mut scene = Description::default();
    for wall in room() {
        add(&mut scene, wall, emitter(1.0, 0.3));
    }
    let rendered = trace(&scene, &camera([0.0; 3], [0.0, 0.0, -1.0], 60.0), &options([12, 12], 256, 40));
    check_mean(&rendered, 1.0 / 0.7);
    assert!(rendered.rays < rendered.paths * 16, "roulette ends paths");
}

#[test]
fn glass_without_absorption_is_invisible_in_a_uniform_sky() {
    let camera = camera([0.0, 0.0, 4.0], [0.0; 3], 20.0);
    for normals in [false, true] {
        let mut scene = Description { lights: vec![white_sky()], ..Description::default() };
        add(&mut scene, sphere([0.0; 3], 1.0, 12, normals), glass(0.0, None, 1.5));
        let rendered = trace(&scene, &camera, &options([16, 12], 64, 200));
        let mean = rendered.film.picture_mean();
        // Shading normals that disagree with the facets lose a little light at their edges.
        let lost = if normals { 0.02 } else { 1e-4 };
        assert!(mean.luminance <= 1.0 + 1e-4 && mean.luminance >= 1.0 - lost, "{}", mean.luminance);
    }
}

#[test]
fn light_through_a_slab_falls_exponentially() {
    // Index 1 does not bend or reflect: what is left is exp(-sigma d) over the two units of the cube.
    let mut scene = Description { lights: vec![white_sky()], ..Description::default() };
    let absorption = Some(Absorption { sigma: [0.4; 3] });
    for face in room() {
        let indices = face.indices.iter().map(|&[a, b, c]| [a, c, b]).collect();
        add(&mut scene, raywarp_geom::TriangleMesh { indices, ..face }, glass(0.0, absorption, 1.0));
    }
    let mut view = camera([0.0, 0.0, 40.0], [0.0; 3], 1.0);
    view.projection = raywarp_scene::Projection::Orthographic { half_height: 0.9 };
    check_mean(&trace(&scene, &view, &options([8, 8], 4, 8)), (-0.8f64).exp());
}

#[test]
fn a_point_light_lights_a_plane_by_the_inverse_square_and_the_cosine() {
    let (height, intensity) = (2.0f64, 12.0);
    let mut scene = Description::default();
    add(&mut scene, quad([-9.0, 0.0, 9.0], [18.0, 0.0, 0.0], [0.0, 0.0, -18.0]), Material::diffuse("floor", [0.5; 3]));
    scene.lights.push(Light::Point { position: [0.0, height as f32, 0.0], intensity: [intensity as f32; 3] });
    // From above, through the light: the picture is the square of side 4 around the foot point.
    let camera = camera([0.0, 10.0, 0.0], [0.0; 3], 2.0 * (0.2f32).atan().to_degrees());
    let rendered = trace(&scene, &camera, &options([16, 16], 64, 1));
    let steps = 400;
    let mut expected = 0.0;
    for i in 0..steps {
        for j in 0..steps {
            let at = |k: i32| (f64::from(k) + 0.5) / f64::from(steps) * 4.0 - 2.0;
            let d2 = at(i).powi(2) + at(j).powi(2) + height * height;
            expected += 0.5 / PI * intensity * height / d2.powf(1.5) / f64::from(steps * steps);
        }
    }
    check_mean(&rendered, expected);
}

#[test]
fn a_huge_floor_does_not_shadow_itself() {
    // The same light over floors of side 2000 at heights near and far from 0: two triangles, whose
    // hits round by far more than their points' coordinates do.
    for floor in [0.0f32, -1.572_16, -100.0] {
        let mut scene = Description::default();
        let side = quad([-1000.0, floor, 1000.0], [2000.0, 0.0, 0.0], [0.0, 0.0, -2000.0]);
        add(&mut scene, side, Material::diffuse("floor", [0.5; 3]));
        scene.lights.push(Light::Point { position: [31.0, floor + 2.0, 17.0], intensity: [12.0; 3] });
        let camera = camera([31.0, floor + 10.0, 17.0], [31.0, floor, 17.0], 0.2);
        let mean = trace(&scene, &camera, &options([16, 16], 16, 1)).film.picture_mean().luminance;
        // A false shadow in a thousand would show; the moved origin itself changes 1e-4.
        assert!((mean / (0.5 / PI * 12.0 / 4.0) - 1.0).abs() < 5e-4, "{mean} at {floor}");
    }
}

#[test]
fn light_from_a_half_transparent_emitter_does_not_depend_on_how_it_is_found() {
    for alpha in [0.0f32, 0.5, 1.0] {
        let mut scene = Description::default();
        let lamp = Material { alpha: Alpha::Blend { alpha: ScalarInput::constant(alpha) }, ..emitter(5.0, 0.0) };
        add(&mut scene, quad([-1.0, 1.0, -1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 2.0]), lamp);
        let floor = quad([-9.0, 0.0, 9.0], [18.0, 0.0, 0.0], [0.0, 0.0, -18.0]);
        add(&mut scene, floor, Material::diffuse("floor", [0.8; 3]));
        let camera = camera([0.0, 0.5, 0.0], [0.0; 3], 0.5);
        let of = |direct| {
            let options = RenderOptions { direct, ..options([8, 8], 1024, 1) };
            let mean = trace(&scene, &camera, &options).film.picture_mean();
            (mean.luminance, mean.standard_error.unwrap())
        };
        let (both, both_error) = of(DirectLight::Both);
        for direct in [DirectLight::Lights, DirectLight::Scattering] {
            let (single, error) = of(direct);
            assert!((single - both).abs() <= 3.5 * error.hypot(both_error), "{alpha}, {direct:?}: {single} for {both}");
        }
        assert_eq!(alpha == 0.0, both == 0.0);
    }
}

#[test]
fn distant_and_spot_lights_light_a_plane_as_computed() {
    let floor = || quad([-9.0, 0.0, 9.0], [18.0, 0.0, 0.0], [0.0, 0.0, -18.0]);
    let camera = camera([0.0, 10.0, 0.0], [0.0; 3], 0.5);
    let direction = [0.6, -0.8, 0.0];
    let distant = Light::Directional { direction, irradiance: [3.0; 3] };
    let spot = Light::Spot {
        position: [0.0, 2.0, 0.0],
        direction: [0.0, -1.0, 0.0],
        intensity: [8.0; 3],
        cos_inner: 0.9,
        cos_outer: 0.8,
        falloff: SpotFalloff::Pbrt4,
    };
    // Seen at the foot point only, where the spot is full: 8 / 2^2.
    for (light, irradiance) in [(distant, 3.0 * 0.8), (spot, 2.0)] {
        let mut scene = Description { lights: vec![light], ..Description::default() };
        add(&mut scene, floor(), Material::diffuse("floor", [0.5; 3]));
        let mean = trace(&scene, &camera, &options([4, 4], 4, 1)).film.picture_mean().luminance;
        assert!((mean / (0.5 / PI * irradiance) - 1.0).abs() < 1e-3, "{mean}");
    }
}

#[test]
fn a_square_light_lights_the_point_below_by_its_form_factor() {
    // A square of side 2 at height 1, facing down: form factor of a parallel rectangle, four corners.
    let corner = |a: f64, b: f64| {
        let (ra, rb) = ((1.0 + a * a).sqrt(), (1.0 + b * b).sqrt());
        (a / ra * (b / ra).atan() + b / rb * (a / rb).atan()) / (2.0 * PI)
    };
    let mut scene = Description::default();
    add(&mut scene, quad([-1.0, 1.0, -1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 2.0]), emitter(5.0, 0.0));
    add(&mut scene, quad([-9.0, 0.0, 9.0], [18.0, 0.0, 0.0], [0.0, 0.0, -18.0]), Material::diffuse("floor", [0.8; 3]));
    let camera = camera([0.0, 0.5, 0.0], [0.0; 3], 0.5);
    for direct in ALL_TECHNIQUES {
        let options = RenderOptions { direct, ..options([8, 8], 4096, 1) };
        check_mean(&trace(&scene, &camera, &options), 0.8 * 5.0 * 4.0 * corner(1.0, 1.0));
    }
    // Its back is dark.
    let above = camera_from_above();
    assert_eq!(trace(&scene, &above, &options([4, 4], 4, 1)).film.picture_mean().luminance, 0.0);
}

fn camera_from_above() -> raywarp_scene::Camera {
    camera([0.0, 3.0, 0.0], [0.0; 3], 10.0)
}

#[test]
fn no_material_makes_energy_in_a_uniform_sky() {
    let one = ColorInput::constant([1.0; 3]);
    let principled = |metallic: f32, roughness: f32, clearcoat: f32| {
        Surface::Principled(Box::new(Principled {
            metallic: ScalarInput::constant(metallic),
            roughness: Roughness::isotropic(roughness),
            clearcoat: ScalarInput::constant(clearcoat),
            ..Principled::default()
        }))
    };
    let surfaces = [
        Surface::DiffuseTransmission { reflectance: one, transmittance: one },
        Surface::Blinn { diffuse: one, specular: one, exponent: ScalarInput::constant(40.0) },
        Surface::Mirror { reflectance: one },
        Surface::Conductor { eta: ColorInput::constant([0.0; 3]), k: one, roughness: Roughness::isotropic(0.4) },
        Surface::Coated {
            diffuse: one,
            specular: ColorInput::constant([0.04; 3]),
            roughness: Roughness::isotropic(0.1),
        },
        principled(0.0, 0.5, 0.0),
        principled(0.0, 0.2, 1.0),
        principled(1.0, 0.3, 0.5),
        Surface::CarPaint(Box::new(CarPaint { base: one, flake_color: one, ..CarPaint::default() })),
    ];
    let camera = camera([0.0, 0.3, 4.0], [0.0; 3], 14.0);
    for surface in surfaces {
        let mut scene = Description { lights: vec![white_sky()], ..Description::default() };
        let name = format!("{surface:?}");
        add(&mut scene, sphere([0.0; 3], 1.0, 12, false), Material::new("white", surface));
        let mean = trace(&scene, &camera, &options([16, 12], 64, 6)).film.picture_mean();
        let error = mean.standard_error.unwrap();
        assert!(mean.luminance <= 1.002 + 3.0 * error, "{} +- {error}: {name}", mean.luminance);
        // GGX of alpha 0.4 alone loses 23 % by single scattering.
        assert!(mean.luminance > 0.74, "{} is dark: {name}", mean.luminance);
    }
}

#[test]
fn blended_surfaces_let_their_share_through_and_masks_cut_holes() {
    let camera = camera([0.0, 0.0, 4.0], [0.0; 3], 10.0);
    let black = |alpha| Material { alpha, ..Material::diffuse("cards", [0.0; 3]) };
    // Three coincident cards of 30 % each, and the sky behind.
    let mut scene = Description { lights: vec![white_sky()], ..Description::default() };
    for _ in 0..3 {
        let card = quad([-2.0, -2.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]);
        add(&mut scene, card, black(Alpha::Blend { alpha: ScalarInput::constant(0.3) }));
    }
    check_mean(&trace(&scene, &camera, &options([32, 32], 64, 2)), 0.7f64.powi(3));

    // A mask that is there in the left half of the texture only.
    let pixels = Pixels::Linear8(vec![[255, 255, 255, 255], [255, 255, 255, 0]]);
    let image = scene.add_image(Image { name: "half".into(), width: 2, height: 1, pixels: pixels.into() });
    let texture = scene.add_texture(raywarp_scene::Texture::Image {
        image,
        mapping: raywarp_scene::UvMapping::default(),
        wrap: [raywarp_scene::Wrap::Clamp; 2],
        filter: raywarp_scene::ImageFilter::Nearest,
    });
    let alpha = ScalarInput { factor: 1.0, texture: Some((texture, raywarp_scene::Channel::A)) };
    scene.instances.truncate(1);
    scene.materials[0] = black(Alpha::Mask { alpha, cutoff: 0.5 });
    check_mean(&trace(&scene, &camera, &options([32, 32], 64, 2)), 0.5);
}

#[test]
fn shadows_of_blended_cards_are_as_thin_as_the_cards() {
    let mut scene = Description::default();
    add(&mut scene, quad([-9.0, 0.0, 9.0], [18.0, 0.0, 0.0], [0.0, 0.0, -18.0]), Material::diffuse("floor", [0.5; 3]));
    scene.lights.push(Light::Directional { direction: [0.0, -1.0, 0.0], irradiance: [2.0; 3] });
    let lit = trace(&scene, &camera([3.0, 1.0, 0.0], [0.0; 3], 1.0), &options([16, 16], 64, 1));
    for height in [2.0, 3.0] {
        let card = quad([-2.0, height, 2.0], [4.0, 0.0, 0.0], [0.0, 0.0, -4.0]);
        let alpha = Alpha::Blend { alpha: ScalarInput::constant(0.4) };
        add(&mut scene, card, Material { alpha, ..Material::diffuse("card", [0.0; 3]) });
    }
    let expected = lit.film.picture_mean().luminance * 0.36;
    check_mean(&trace(&scene, &camera([3.0, 1.0, 0.0], [0.0; 3], 1.0), &options([32, 32], 128, 1)), expected);
}

/// Counts living paths by bounce.
#[derive(Default)]
struct Alive([std::sync::atomic::AtomicU64; 10]);

impl raywarp_render::PathObserver for Alive {
    fn alive(&self, _pixel: u32, _sample: u32, bounce: u32) {
        self.0[bounce as usize].fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Half a floor, seen from above.
#[test]
fn a_recorder_has_each_path_and_leaves_the_picture_as_it_is() {
    let mut scene = Description { lights: vec![white_sky()], ..Description::default() };
    add(&mut scene, quad([-9.0, 0.0, 9.0], [9.0, 0.0, 0.0], [0.0, 0.0, -18.0]), Material::diffuse("floor", [0.5; 3]));
    let flat = raywarp_scene::flatten(&scene).unwrap();
    let (bounds, size) = (flat.bounds(), [16, 8]);
    let (tracer, camera) = (crate::common::BruteForce(flat), camera([0.0, 4.0, 0.0], [0.0; 3], 40.0));
    let options = raywarp_render::RenderOptions { samples: 3..5, ..options(size, 0, 8) };
    let shading = raywarp_render::ShadingScene::new(&scene, &bounds).unwrap();
    let recorder = raywarp_render::PathRecorder::new(size, 3..5);
    let film = |observer: Option<&dyn raywarp_render::PathObserver>| {
        let context = raywarp_render::RenderContext { observer, ..raywarp_render::RenderContext::default() };
        raywarp_render::render(&shading, &camera, &tracer, &options, context).unwrap().film
    };
    let (seen, plain) = (film(Some(&recorder)), film(None));
    assert_eq!(seen.means(), plain.means());
    let segments = recorder.into_segments();
    assert_eq!(segments.len(), 16 * 8 * 2);
    // A path meets the floor once and leaves for the sky, or leaves at once: half of each row, in both samples.
    for row in segments.chunks(16) {
        let floor = row[0];
        assert!(row[..7].iter().all(|&segments| segments == floor), "{row:?}");
        assert!(row[9..].iter().all(|&segments| segments == 3 - floor), "{row:?}");
    }
}

#[test]
fn an_observer_sees_each_path_until_it_ends() {
    let mut scene = Description { lights: vec![white_sky()], ..Description::default() };
    add(&mut scene, quad([-9.0, 0.0, 9.0], [18.0, 0.0, 0.0], [0.0, 0.0, -18.0]), Material::diffuse("floor", [0.5; 3]));
    let flat = raywarp_scene::flatten(&scene).unwrap();
    let (bounds, alive) = (flat.bounds(), Alive::default());
    // Every camera ray meets the floor, is scattered up into the sky once, and ends.
    raywarp_render::render(
        &raywarp_render::ShadingScene::new(&scene, &bounds).unwrap(),
        &camera([0.0, 4.0, 0.0], [0.0; 3], 40.0),
        &crate::common::BruteForce(flat),
        &options([8, 8], 4, 8),
        raywarp_render::RenderContext { observer: Some(&alive), ..raywarp_render::RenderContext::default() },
    )
    .unwrap();
    assert_eq!(alive.0.map(std::sync::atomic::AtomicU64::into_inner), [256, 256, 0, 0, 0, 0, 0, 0, 0, 0]);
}

/// Engine that must not be asked for anything.
struct Idle;

impl raywarp_render::PathEngine for Idle {
    fn begin(
        &mut self,
        _frame: &raywarp_render::FrameSettings<'_>,
        _film: &raywarp_render::film::Film,
    ) -> Result<(), raywarp_geom::TraceError> {
        unreachable!("the render is refused before it begins")
    }

    fn pass(
        &mut self,
        _samples: std::ops::Range<u32>,
        _watch: &dyn raywarp_render::PassWatch,
    ) -> Result<(), raywarp_geom::TraceError> {
        unreachable!("the render is refused before it begins")
    }

    fn fetch(&mut self, _film: &mut raywarp_render::film::Film) -> Result<(), raywarp_geom::TraceError> {
        unreachable!("the render is refused before it begins")
    }
}

#[test]
fn an_engine_that_would_have_to_tell_an_observer_is_refused() {
    let scene = Description { lights: vec![white_sky()], ..Description::default() };
    let bounds = raywarp_geom::Aabb { min: [-1.0; 3], max: [1.0; 3] };
    let shading = raywarp_render::ShadingScene::new(&scene, &bounds).unwrap();
    let tracer = crate::common::BruteForce(raywarp_scene::flatten(&scene).unwrap());
    let (observer, mut idle) = (Alive::default(), Idle);
    let context =
        raywarp_render::RenderContext { observer: Some(&observer), ..raywarp_render::RenderContext::by(&mut idle) };
    let view = camera([0.0, 4.0, 0.0], [0.0; 3], 40.0);
    let refused = raywarp_render::render(&shading, &view, &tracer, &options([8, 8], 4, 8), context);
    assert!(matches!(refused, Err(raywarp_render::RenderError::Option(_))), "{refused:?}");
}
