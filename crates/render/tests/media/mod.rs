//! Absorbing media whose pictures are known: stated sides, cameras and lights within, shadow rays.

mod bodies;

use crate::common::{add, camera, options, quad, trace};
use raywarp_geom::TriangleMesh;
use raywarp_render::{DirectLight, Integrator, RenderOptions, Rendered};
use raywarp_scene::{
    Absorption, Alpha, Camera, ColorInput, Description, Emission, Light, Material, Medium, MediumId, MediumInterface,
    Projection, Roughness, ScalarInput, Surface,
};
use std::f64::consts::PI;

const ALL_TECHNIQUES: [DirectLight; 3] = [DirectLight::Both, DirectLight::Lights, DirectLight::Scattering];

/// A closed box around `center`, fronts outward.
fn block(center: [f32; 3], half: [f32; 3]) -> TriangleMesh {
    let mut all = TriangleMesh::default();
    for mut face in crate::common::room() {
        let first = all.positions.len() as u32;
        face.positions.iter_mut().for_each(|p| *p = std::array::from_fn(|i| center[i] + half[i] * p[i]));
        all.positions.extend(face.positions);
        all.indices.extend(face.indices.iter().map(|&[a, b, c]| [a + first, c + first, b + first]));
    }
    all
}

/// The same seen from within.
fn turned(mesh: TriangleMesh) -> TriangleMesh {
    let indices = mesh.indices.iter().map(|&[a, b, c]| [a, c, b]).collect();
    TriangleMesh { indices, ..mesh }
}

/// A boundary that neither bends nor reflects, of a body that absorbs `sigma`; none for `None`.
fn body(sigma: Option<f32>) -> Material {
    glass(1.0, sigma)
}

/// The same of an index of refraction.
fn glass(ior: f32, sigma: Option<f32>) -> Material {
    let surface = Surface::Dielectric {
        ior,
        roughness: Roughness::SMOOTH,
        reflectance: ColorInput::constant([1.0; 3]),
        transmittance: ColorInput::constant([1.0; 3]),
        thin: false,
        absorption: sigma.map(|sigma| Absorption { sigma: [sigma; 3] }),
    };
    Material::new("body", surface)
}

/// `material` between two media.
fn between(material: Material, inside: Option<MediumId>, outside: Option<MediumId>) -> Material {
    Material { media: Some(MediumInterface { inside, outside }), ..material }
}

fn nothing() -> Material {
    Material::new("nothing", Surface::Invisible)
}

fn medium(scene: &mut Description, sigma: [f32; 3]) -> Option<MediumId> {
    Some(scene.add_medium(Medium { name: "medium".into(), absorption: Absorption { sigma } }))
}

fn lamp(radiance: f32) -> Material {
    let emission = Emission { radiance: ColorInput::constant([radiance; 3]), two_sided: true };
    Material { emission: Some(emission), ..Material::diffuse("lamp", [0.0; 3]) }
}

fn under_a_white_sky() -> Description {
    Description { lights: vec![Light::uniform_environment([1.0; 3])], ..Description::default() }
}

/// Parallel rays along the z axis, from `z` towards 0.
fn along_z(z: f32) -> Camera {
    Camera { projection: Projection::Orthographic { half_height: 0.1 }, ..camera([0.0, 0.0, z], [0.0; 3], 1.0) }
}

fn seen_from(scene: &Description, camera: &Camera) -> Rendered {
    trace(scene, camera, &options([4, 4], 4, 16))
}

/// The mean luminance agrees with `expected`: within 3 standard errors, and what rays lose by starting off a surface.
#[track_caller]
fn check(rendered: &Rendered, expected: f64) {
    let mean = rendered.film.picture_mean();
    let (found, error) = (mean.luminance, mean.standard_error.unwrap());
    assert!((found - expected).abs() <= 3.0 * error + 2e-4 * expected, "{found} +- {error}, expected {expected}");
    assert!(error <= 0.02 * expected, "{error} is too noisy to say anything of {expected}");
}

/// Each pixel of two pictures, made of the same random numbers, is the same but for rounding.
#[track_caller]
fn check_same(a: &Rendered, b: &Rendered) {
    let (a, b) = (a.film.means(), b.film.means());
    let off = |(a, b): (&[f32; 3], &[f32; 3])| (a[0] - b[0]).abs() > 1e-4 * a[0];
    assert_eq!(a.iter().zip(&b).position(off), None);
}

#[test]
fn an_emitter_in_a_ball_is_seen_through_what_lies_between() {
    let mut scene = Description::default();
    add(&mut scene, block([0.0; 3], [1.0; 3]), lamp(1.0));
    add(&mut scene, block([0.0; 3], [2.0; 3]), body(Some(1.0)));
    for z in [9.0, -9.0, 1.5] {
        let way = if z == 1.5 { 0.5f64 } else { 1.0 };
        check(&seen_from(&scene, &along_z(z)), (-way).exp());
    }
}

#[test]
fn a_slab_before_a_light_absorbs_from_both_sides() {
    // The light behind the slab, in the middle of it, and before it.
    for (at, from_front, from_behind) in [(-3.0, 2.0, 0.0), (0.0, 1.0, 1.0), (3.0, 0.0, 2.0)] {
        for flipped in [false, true] {
            let mut scene = Description::default();
            let light = quad([-1.0, -1.0, at], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]);
            add(&mut scene, if flipped { turned(light) } else { light }, lamp(1.0));
            add(&mut scene, block([0.0; 3], [2.0, 2.0, 1.0]), body(Some(0.7)));
            check(&seen_from(&scene, &along_z(9.0)), (-0.7f64 * from_front).exp());
            check(&seen_from(&scene, &along_z(-9.0)), (-0.7f64 * from_behind).exp());
        }
    }
}

#[test]
fn a_hidden_boundary_tints_nothing() {
    let mut scene = under_a_white_sky();
    let mut tinted = glass(1.0, Some(0.2));
    if let Surface::Dielectric { transmittance, .. } = &mut tinted.surface {
        *transmittance = ColorInput::constant([0.5; 3]);
    }
    // From -2 to 0.5 and from -0.5 to 2: from above, the first begins in the second, and its end is the one hidden.
    add(&mut scene, block([0.0, 0.0, -0.75], [1.0, 1.0, 1.25]), tinted);
    add(&mut scene, block([0.0, 0.0, 0.75], [1.0, 1.0, 1.25]), body(Some(0.6)));
    check(&seen_from(&scene, &along_z(9.0)), 0.25 * (-0.6 * 1.5 - 0.2 * 2.5f64).exp());
    check(&seen_from(&scene, &along_z(-9.0)), 0.5 * (-0.2 * 1.5 - 0.6 * 2.5f64).exp());
}

#[test]
fn light_passes_boundaries_that_are_no_surfaces_without_a_bounce() {
    let mut scene = under_a_white_sky();
    let [tea, milk] = [0.3, 0.5].map(|sigma| medium(&mut scene, [sigma; 3]));
    add(&mut scene, block([0.0; 3], [1.0; 3]), between(nothing(), milk, tea));
    add(&mut scene, block([0.0; 3], [2.0; 3]), between(nothing(), tea, None));
    let expected = (-0.5 * 2.0 - 0.3 * 2.0f64).exp();
    for direct in ALL_TECHNIQUES {
        let options = RenderOptions { direct, ..options([4, 4], 4, 0) };
        check(&trace(&scene, &along_z(9.0), &options), expected);
    }
    let depth = RenderOptions { integrator: Integrator::Depth, ..options([4, 4], 1, 0) };
    assert_eq!(trace(&scene, &along_z(9.0), &depth).film.sums([0, 0]).hits, 0);
}

#[test]
fn shadow_rays_run_in_media_and_through_their_boundaries() {
    // A floor at the bottom of a pool of depth 1, seen from within the pool, and a point light above its middle.
    let sigma = 0.6f64;
    for (height, wet) in [(0.5f64, 0.5), (1.0, 1.0), (3.0, 1.0)] {
        let mut scene = Description::default();
        let floor = quad([-9.0, 0.0, 9.0], [18.0, 0.0, 0.0], [0.0, 0.0, -18.0]);
        let water = medium(&mut scene, [sigma as f32; 3]);
        add(&mut scene, floor, Material::diffuse("floor", [0.5; 3]));
        let surface = quad([-9.0, 1.0 + 1e-4, 9.0], [18.0, 0.0, 0.0], [0.0, 0.0, -18.0]);
        add(&mut scene, surface, between(nothing(), water, None));
        scene.lights.push(Light::Point { position: [0.0, height as f32, 0.0], intensity: [4.0; 3] });
        let eye = Camera { medium: water, ..camera([0.0, 0.25, 0.0], [0.0; 3], 0.1) };
        let expected = 0.5 / PI * 4.0 / (height * height) * (-sigma * (0.25 + wet)).exp();
        let found = trace(&scene, &eye, &options([4, 4], 4, 1)).film.picture_mean().luminance;
        assert!((found / expected - 1.0).abs() < 1e-3, "{found}, expected {expected} from {height}");
        // From above the water: half a unit of air, then the water's depth.
        let above = camera([0.0, 1.5, 0.0], [0.0; 3], 0.1);
        let expected = 0.5 / PI * 4.0 / (height * height) * (-sigma * (1.0 + wet)).exp();
        let found = trace(&scene, &above, &options([4, 4], 4, 1)).film.picture_mean().luminance;
        assert!((found / expected - 1.0).abs() < 1e-3, "{found}, expected {expected} from {height}, above");
    }
}

#[test]
fn light_in_a_medium_does_not_depend_on_how_it_is_found() {
    let mut scene = under_a_white_sky();
    let water = medium(&mut scene, [0.4, 0.1, 0.9]);
    add(&mut scene, quad([-9.0, 0.0, 9.0], [18.0, 0.0, 0.0], [0.0, 0.0, -18.0]), Material::diffuse("floor", [0.8; 3]));
    let surface = quad([-90.0, 1.0, 90.0], [180.0, 0.0, 0.0], [0.0, 0.0, -180.0]);
    add(&mut scene, surface, between(nothing(), water, None));
    add(&mut scene, quad([-1.0, 0.7, -1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 2.0]), lamp(2.0));
    add(&mut scene, quad([-1.0, 1.5, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 2.0]), lamp(2.0));
    let eye = Camera { medium: water, ..camera([2.0, 0.5, 0.5], [0.0; 3], 20.0) };
    let of = |direct| {
        let mean = trace(&scene, &eye, &RenderOptions { direct, ..options([8, 8], 1024, 2) }).film.picture_mean();
        (mean.luminance, mean.standard_error.unwrap())
    };
    let (both, both_error) = of(DirectLight::Both);
    for direct in [DirectLight::Lights, DirectLight::Scattering] {
        let (single, error) = of(direct);
        assert!((single - both).abs() <= 3.5 * error.hypot(both_error), "{direct:?}: {single} for {both}");
        assert!(error < 0.02 * both, "{error}");
    }
}

#[test]
fn a_camera_within_is_in_what_is_around_it() {
    let inside = |z: f32| camera([0.02, 0.03, z], [0.02, 0.03, z - 1.0], 0.1);
    let mut bodies = under_a_white_sky();
    add(&mut bodies, block([0.0; 3], [1.0; 3]), body(Some(0.5)));
    add(&mut bodies, block([0.0; 3], [2.0; 3]), body(Some(0.2)));
    let mut stated = under_a_white_sky();
    let [inner, outer] = [0.5, 0.2].map(|sigma| medium(&mut stated, [sigma; 3]));
    add(&mut stated, block([0.0; 3], [1.0; 3]), between(nothing(), inner, outer));
    add(&mut stated, block([0.0; 3], [2.0; 3]), between(body(None), outer, None));
    for scene in [&bodies, &stated] {
        // In both, in the outer one before and behind the inner one, and before all.
        check(&seen_from(scene, &inside(0.25)), (-0.5 * 1.25 - 0.2 * 1.0f64).exp());
        check(&seen_from(scene, &inside(1.5)), (-0.2 * 0.5 - 0.5 * 2.0 - 0.2 * 1.0f64).exp());
        check(&seen_from(scene, &inside(-1.5)), (-0.2 * 0.5f64).exp());
        check(&seen_from(scene, &inside(4.0)), (-0.2 * 2.0 - 0.5 * 2.0f64).exp());
    }
    // What the camera says of itself counts more.
    let said = Camera { medium: inner, ..inside(1.5) };
    check(&seen_from(&stated, &said), (-0.5 * 0.5 - 0.5 * 2.0 - 0.2 * 1.0f64).exp());
}

#[test]
fn surfaces_that_are_not_closed_do_not_put_the_camera_in_a_medium() {
    let mut scene = under_a_white_sky();
    // The back of a pane, and of two sides of a box that has no others.
    add(&mut scene, turned(quad([-9.0, -9.0, -2.0], [18.0, 0.0, 0.0], [0.0, 18.0, 0.0])), body(Some(1.0)));
    let eye = camera([0.0; 3], [0.0, 0.0, 1.0], 5.0);
    check(&seen_from(&scene, &eye), 1.0);
}

#[test]
fn nothing_comes_from_infinity_through_a_medium_that_absorbs() {
    let mut scene = under_a_white_sky();
    let fog = medium(&mut scene, [0.0, 1e-3, 2.0]);
    scene.lights.push(Light::Directional { direction: [0.0, -1.0, 0.0], irradiance: [PI as f32; 3] });
    let eye = Camera { medium: fog, ..camera([0.0, 1.0, 5.0], [0.0, 1.0, 0.0], 1.0) };
    let [r, g, b] = seen_from(&scene, &eye).film.mean([0, 0]);
    assert!((r - 1.0).abs() < 1e-5 && g == 0.0 && b == 0.0, "{r} {g} {b}");
    // A wall in it, dark but for red: the sky's and the sun's share.
    let wall = block([0.0; 3], [2.0; 3]);
    add(&mut scene, wall, between(Material::diffuse("wall", [0.5; 3]), None, fog));
    let above = Camera { medium: fog, ..camera([0.0, 4.0, 0.0], [0.0; 3], 0.1) };
    let rendered = trace(&scene, &above, &options([16, 16], 64, 1));
    let [r, g, b] = rendered.film.mean([8, 8]);
    assert!((0.9..1.1).contains(&r) && g == 0.0 && b == 0.0, "{r} {g} {b}");
}

#[test]
fn a_surface_that_scatters_sends_light_into_the_medium_on_its_side() {
    // The camera says that it is in empty space; what the wall says of its outside counts from there on.
    let mut scene = Description::default();
    let fog = medium(&mut scene, [0.8; 3]);
    let floor = quad([-9.0, 0.0, 9.0], [18.0, 0.0, 0.0], [0.0, 0.0, -18.0]);
    add(&mut scene, floor, between(Material::diffuse("floor", [0.5; 3]), None, fog));
    let side = quad([-9.0, -1.0, 9.0], [18.0, 0.0, 0.0], [0.0, 0.0, -18.0]);
    add(&mut scene, side, between(nothing(), None, None));
    scene.lights.push(Light::Point { position: [0.0, 2.0, 0.0], intensity: [4.0; 3] });
    let clear = medium(&mut scene, [0.0; 3]);
    let eye = Camera { medium: clear, ..camera([0.0, 1.0, 0.0], [0.0; 3], 0.1) };
    let found = trace(&scene, &eye, &options([4, 4], 4, 1)).film.picture_mean().luminance;
    let expected = 0.5 / PI * (-0.8 * 2.0f64).exp();
    assert!((found / expected - 1.0).abs() < 1e-3, "{found}, expected {expected}");
}

#[test]
fn a_body_is_entered_through_holes_in_its_surface_as_well() {
    for alpha in [0.0f32, 0.5, 1.0] {
        let mut scene = under_a_white_sky();
        let holed = Material { alpha: Alpha::Blend { alpha: ScalarInput::constant(alpha) }, ..body(Some(0.4)) };
        add(&mut scene, block([0.0; 3], [1.0; 3]), holed);
        check(&seen_from(&scene, &along_z(9.0)), (-0.8f64).exp());
    }
}

#[test]
fn media_change_neither_what_is_occluded_nor_depth() {
    let scene = |sigma: f32| {
        let mut scene = Description::default();
        let tea = medium(&mut scene, [sigma; 3]);
        add(&mut scene, quad([-9.0, 0.0, 9.0], [18.0, 0.0, 0.0], [0.0, 0.0, -18.0]), Material::diffuse("f", [0.5; 3]));
        add(&mut scene, block([0.0, 1.0, 0.0], [0.9; 3]), between(nothing(), tea, None));
        add(&mut scene, block([0.0, 1.0, 0.0], [0.4; 3]), Material::diffuse("object", [0.5; 3]));
        scene
    };
    for integrator in [Integrator::AmbientOcclusion { distance: 3.0 }, Integrator::Depth, Integrator::Normal] {
        let options = RenderOptions { integrator, ..options([16, 16], 4, 1) };
        let [with, without] = [2.0, 0.0]
            .map(|sigma| trace(&scene(sigma), &camera([2.0, 2.0, 4.0], [0.0; 3], 40.0), &options).film.means());
        assert_eq!(with, without);
    }
}
