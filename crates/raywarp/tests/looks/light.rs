//! Light that is added: where the scene's own shows nothing, and only there.

use super::{add, camera, cuboid, figure, room, show};
use raywarp::device::Plan;
use raywarp::render::output::{Look, Lost};
use raywarp::render::{
    Advice, BuiltInLight, Darkness, LightRequest, Picture, PictureNote, PictureRequest, Prepared, RenderContext,
    RenderOptions,
};
use raywarp::scene::{
    ColorInput, Description, Emission, Image, ImageFilter, Light, Material, Pixels, Roughness, SpotFalloff, Surface,
    Texture, UvMapping, Wrap,
};

fn point(position: [f32; 3], intensity: f32) -> Light {
    Light::Point { position, intensity: [intensity; 3] }
}

/// Whether a rotation of the added light is said to have no effect on lamps; `None` if no lamps were added.
fn has_lamps(notes: &[PictureNote]) -> Option<bool> {
    notes.iter().find_map(|note| match note {
        PictureNote::LampsAdded { rotated, .. } => Some(*rotated),
        _ => None,
    })
}

/// The figure with lights of its own: whether a studio was added.
#[track_caller]
fn check_own_light(what: &str, light: Light, studio: bool) {
    let scene = Description { lights: vec![light], ..figure(0.7) };
    let shown = show(scene, PictureRequest::default());
    assert_eq!(shown.picture.added_light, studio, "{what}: {:?}", shown.picture.notes);
    // What is shown is never black.
    let lost = Lost::count(shown.film.means(), &Look::default());
    assert!(lost.black_share() < 0.8, "{what}: {}", lost.black_share());
}

#[test]
fn a_light_too_weak_to_see_does_not_switch_the_studio_off() {
    let spot = |direction: [f32; 3]| Light::Spot {
        position: [8.0, 2.0, 4.0],
        direction,
        intensity: [90.0; 3],
        cos_inner: 0.9,
        cos_outer: 0.8,
        falloff: SpotFalloff::Gltf,
    };
    check_own_light("a lamp", point([8.0, 3.0, 5.0], 60.0), false);
    check_own_light("a lamp of a millionth", point([8.0, 3.0, 5.0], 1e-6), true);
    check_own_light("a lamp inside of the ball", point([3.0, 1.0, -2.0], 60.0), true);
    check_own_light("a spot on it", spot([-0.64, 0.0, -0.768]), false);
    check_own_light("a spot that points away", spot([0.64, 0.0, 0.768]), true);
    let sun = |irradiance| Light::Directional { direction: [0.0, -0.6, -0.8], irradiance: [irradiance; 3] };
    check_own_light("the sun", sun(3.0), false);
    check_own_light("a dark sun", sun(1e-3), true);
}

#[test]
fn what_is_seen_to_glow_is_light_and_night_is_meant() {
    let with_lamp = |radiance: f32| {
        let mut scene = figure(0.7);
        let mut lamp = Material::diffuse("lamp", [0.0; 3]);
        lamp.emission = Some(Emission { radiance: ColorInput::constant([radiance; 3]), two_sided: false });
        add(&mut scene, cuboid([4.5, 0.0, 0.0], [5.0, 3.0, 0.5], None), lamp);
        show(scene, PictureRequest::default()).picture
    };
    assert!(with_lamp(1e-3).added_light);
    assert!(!with_lamp(20.0).added_light);
    // The whole figure glows: its light meets nothing else, and is seen.
    let mut scene = figure(0.0);
    for material in &mut scene.materials {
        material.emission = Some(Emission { radiance: ColorInput::constant([0.5; 3]), two_sided: true });
    }
    assert!(!show(scene, PictureRequest::default()).picture.added_light);
    let night = Description { lights: vec![Light::uniform_environment([1e-5; 3])], ..figure(0.7) };
    assert!(!show(night, PictureRequest::default()).picture.added_light);
    // Who asks for the exposure that the picture needs sees any light.
    let dim = Description { lights: vec![point([8.0, 3.0, 5.0], 1e-6)], ..figure(0.7) };
    let request = PictureRequest { exposure: "auto".parse().unwrap(), ..PictureRequest::default() };
    let shown = show(dim, request);
    assert!(!shown.picture.added_light);
    assert!(shown.picture.exposure_of(&shown.film).as_factor().log2() > 15.0);
    let none = PictureRequest { light: LightRequest::built_in(BuiltInLight::None), ..PictureRequest::default() };
    assert!(!show(figure(0.7), none).picture.added_light);
}

#[test]
fn a_room_that_light_does_not_get_into_has_lamps_without_fireflies() {
    let shown = show(room(), camera(Some([5.0, 1.5, 5.0]), None, None));
    assert_eq!(has_lamps(&shown.picture.notes), Some(false), "{:?}", shown.picture.notes);
    let bytes = shown.bytes(&shown.covered);
    let median = bytes[bytes.len() / 2];
    assert!((80..170).contains(&median), "{median}");
    // The eye stands a hand's breadth before a wall.
    let shown = show(room(), camera(Some([5.99, 1.5, 5.99]), None, None));
    let means = shown.film.means();
    let mean = means.iter().map(|c| c[1]).sum::<f32>() / means.len() as f32;
    let most = means.iter().map(|c| c[1]).fold(0.0, f32::max);
    assert!(most < 8.0 * mean, "{most} where the mean is {mean}");
    // A black model in the open has no need of one, however near it is.
    for request in [PictureRequest::default(), camera(Some([3.0, 1.0, 1.0]), Some([3.0, 1.0, -2.0]), None)] {
        let notes = show(figure(0.0), request).picture.notes;
        assert_eq!(has_lamps(&notes), None, "{notes:?}");
    }
}

/// The figure beside a screen of `side`, whose image glows with `radiance` in every second texel.
fn with_screen(side: f32, radiance: f32, texels: [u8; 2]) -> Description {
    let mut scene = figure(0.7);
    let texels = texels.map(|byte| [byte, byte, byte, 255]);
    let pixels = Pixels::Srgb8(texels.into()).into();
    let image = scene.add_image(Image { name: String::new(), width: 2, height: 1, pixels });
    let (mapping, wrap) = (UvMapping::default(), [Wrap::Repeat; 2]);
    let texture = scene.add_texture(Texture::Image { image, mapping, wrap, filter: ImageFilter::Nearest });
    let mut screen = Material::diffuse("screen", [0.0; 3]);
    let glow = ColorInput { factor: [radiance; 3], texture: Some(texture) };
    screen.emission = Some(Emission { radiance: glow, two_sided: true });
    let mut triangles = cuboid([4.5, 0.0, -1.0], [4.5 + side, side, -0.9], None);
    triangles.uvs = triangles.positions.iter().map(|p| [(p[0] - 4.5) / side, p[1] / side]).collect();
    add(&mut scene, triangles, screen);
    scene
}

#[test]
fn an_image_that_glows_is_light_as_anything_is_that_glows() {
    let default = || PictureRequest::default();
    // Nothing happens where a radiance becomes 1.
    for radiance in [0.7, 0.99, 1.0, 1.01, 1.4, 20.0] {
        let shown = show(with_screen(2.0, radiance, [255, 60]), default());
        assert!(!shown.picture.added_light, "{radiance}: {:?}", shown.picture.notes);
    }
    // Lit signs on a model are no light for it, and what the line says of them is true.
    for radiance in [0.5, 1.0, 1.1] {
        let notes = show(with_screen(0.5, radiance, [255, 60]), default()).picture.notes;
        assert!(notes.contains(&PictureNote::StudioAdded { darkness: Darkness::Weak }), "{notes:?}");
    }
    let notes = show(with_screen(2.0, 1.0, [0, 0]), default()).picture.notes;
    assert!(notes.contains(&PictureNote::StudioAdded { darkness: Darkness::NoLight }), "{notes:?}");
}

#[test]
fn a_factor_on_added_light_holds_for_lamps_in_a_room() {
    let settled = |strength: f32, rotate: f32| {
        let light = LightRequest { strength, rotate, ..LightRequest::default() };
        show(room(), PictureRequest { light, ..camera(Some([5.0, 1.5, 5.0]), Some([1.0, 1.0, 1.0]), None) })
    };
    let mean = |strength: f32| {
        let shown = settled(strength, 0.0);
        // Light from around would be of no use, and is not offered.
        assert_eq!(has_lamps(&shown.picture.notes), Some(false), "{:?}", shown.picture.notes);
        shown.film.means().iter().map(|c| f64::from(c[1])).sum::<f64>()
    };
    let one = mean(1.0);
    for factor in [0.0f32, 0.01, 2.0, 1000.0] {
        let ratio = mean(factor) / one;
        assert!((ratio - f64::from(factor)).abs() <= 1e-4 * f64::from(factor), "{factor}: {ratio}");
    }
    assert_eq!(has_lamps(&settled(1.0, 90.0).picture.notes), Some(true));
}

#[test]
fn a_room_in_which_light_from_around_was_asked_for_is_told_of_lamps() {
    let request = |light| PictureRequest {
        light: LightRequest::built_in(light),
        ..camera(Some([5.0, 1.5, 5.0]), Some([1.0, 1.0, 1.0]), None)
    };
    let is_told = |light| {
        let notes = show(room(), request(light)).picture.notes;
        notes
            .iter()
            .any(|note| matches!(note, PictureNote::WillBeDark { tries, .. } if tries.contains(&Advice::DefaultLamps)))
    };
    assert!(is_told(BuiltInLight::White));
    assert!(!is_told(BuiltInLight::None));
}

/// The irradiance from the points of the lamps on a side of each of some points on every triangle, as if nothing stood between.
fn irradiance_everywhere(scene: &Description) -> f32 {
    let lamps: Vec<_> = scene
        .lights
        .iter()
        .filter_map(|light| match light {
            Light::Point { position, intensity } => Some((*position, intensity[1])),
            _ => None,
        })
        .collect();
    assert!((1..=4 * 8).contains(&lamps.len()), "{lamps:?}");
    let mut most = 0.0f32;
    for mesh in &scene.meshes {
        let triangles = &mesh.triangles;
        for corners in (0..triangles.indices.len()).map(|i| triangles.corners(i)) {
            let [a, b, c] = corners.map(glam::Vec3::from);
            let normal = (b - a).cross(c - a).normalize();
            for (i, j) in (0..=60).flat_map(|i| (0..=60 - i).map(move |j| (i, j))) {
                let point = a + (b - a) * (i as f32 / 60.0) + (c - a) * (j as f32 / 60.0);
                let on_side = |side: f32| -> f32 {
                    let of_lamp = |&(lamp, intensity): &([f32; 3], f32)| {
                        let to_lamp = glam::Vec3::from(lamp) - point;
                        let cos = (side * normal.dot(to_lamp.normalize())).max(0.0);
                        intensity * cos / to_lamp.length_squared()
                    };
                    lamps.iter().map(of_lamp).sum()
                };
                most = most.max(on_side(1.0)).max(on_side(-1.0));
            }
        }
    }
    most
}

#[test]
fn no_bounce_in_a_room_sees_more_than_four_times_what_the_eye_sees() {
    for eye in [[5.0, 1.5, 5.0], [5.99, 1.5, 5.99], [0.5, 2.8, 0.5], [3.5, 0.3, 0.2], [2.5, 1.1, 2.5]] {
        let mut prepared = Prepared::new(room(), &Plan::default()).unwrap();
        let request = PictureRequest { size: Some([64, 48]), ..camera(Some(eye), Some([3.1, 1.2, 2.9]), None) };
        let picture = Picture::settle(&mut prepared, &request).unwrap();
        // Direct light alone, on surfaces of reflectance 0.7.
        let options = RenderOptions { samples: 0..16, max_depth: 1, ..picture.options.clone() };
        let film = prepared.render(&picture.camera, &options, RenderContext::default()).unwrap().film;
        let seen = film.means().iter().map(|c| c[1]).fold(0.0, f32::max);
        let anywhere = irradiance_everywhere(prepared.scene()) * 0.7 / std::f32::consts::PI;
        println!("{eye:?}: {anywhere} anywhere, {seen} seen");
        assert!(anywhere <= 4.0 * seen, "{eye:?}: {anywhere} where the eye sees {seen}");
    }
}

/// The room, with boxes of polished metal in it.
fn room_that_shines() -> Description {
    let mut scene = room();
    for material in &mut scene.materials[1..] {
        let roughness = Roughness::isotropic(0.0025);
        let metal = |x| ColorInput::constant([x; 3]);
        material.surface = Surface::Conductor { eta: metal(0.2), k: metal(4.0), roughness };
    }
    scene
}

/// The radiance of the lamps that were added as balls.
fn radiances_of_balls(scene: &Description) -> Vec<f32> {
    let lamps = scene.materials.iter().filter(|material| material.name == "added lamp");
    lamps.map(|lamp| lamp.emission.as_ref().unwrap().radiance.factor[1]).collect()
}

#[test]
fn lamps_of_a_room_that_shines_are_balls_out_of_view() {
    for eye in [[5.0, 1.5, 5.0], [5.99, 1.5, 5.99], [0.5, 2.8, 0.5], [3.5, 1.3, 0.2]] {
        let request = camera(Some(eye), Some([3.1, 1.2, 2.9]), None);
        let mut prepared = Prepared::new(room_that_shines(), &Plan::default()).unwrap();
        let request = PictureRequest { size: Some([64, 48]), ..request };
        let picture = Picture::settle(&mut prepared, &request).unwrap();
        let lamps = radiances_of_balls(prepared.scene());
        assert!((1..=12).contains(&lamps.len()), "{eye:?}: {lamps:?}");
        assert!(!prepared.scene().lights.iter().any(|light| matches!(light, Light::Point { .. })), "{eye:?}");
        let radiance = lamps.iter().copied().fold(0.0, f32::max);
        // The brightest of all, and of the matte walls.
        let most_seen = |max_depth: u32| {
            let options = RenderOptions { samples: 0..64, max_depth, features: true, ..picture.options.clone() };
            let film = prepared.render(&picture.camera, &options, RenderContext::default()).unwrap().film;
            let is_matte = |pixel: [u32; 2]| {
                let albedo = film.feature_sums(pixel).unwrap().albedo[1] / 64.0;
                (albedo - 0.7).abs() < 0.01
            };
            let seen: Vec<(f32, bool)> = film.pixels().map(|pixel| (film.mean(pixel)[1], is_matte(pixel))).collect();
            let walls = seen.iter().filter(|seen| seen.1).map(|seen| seen.0);
            (seen.iter().map(|seen| seen.0).fold(0.0, f32::max), walls.fold(0.0, f32::max))
        };
        assert_eq!(most_seen(0).0, 0.0, "{eye:?}: a part of a lamp is in the picture");
        let (seen, wall) = most_seen(8);
        println!("{eye:?}: {} lamps of {radiance}, {seen} seen, walls to {wall}", lamps.len());
        // No path brings more than a look at a lamp, and that is not much more than what is seen; around an eye in a corner is
        // little room for lamps.
        assert!(seen < 1.1 * radiance, "{eye:?}: {seen}, lamps {radiance}");
        let times = if eye == [5.99, 1.5, 5.99] { 7.0 } else { 5.0 };
        assert!(radiance <= times * wall, "{eye:?}: lamps {radiance}, walls to {wall}");
    }
}

#[test]
fn a_room_of_mirrors_has_lamps_as_strong_as_it_needs() {
    // They answer no connection to a light.
    let mut scene = room();
    for material in &mut scene.materials {
        material.surface = Surface::Mirror { reflectance: ColorInput::constant([0.9; 3]) };
    }
    let shown = show(scene, camera(Some([5.0, 1.5, 5.0]), None, None));
    assert_eq!(has_lamps(&shown.picture.notes), Some(false), "{:?}", shown.picture.notes);
    let bytes = shown.bytes(&shown.covered);
    let median = bytes[bytes.len() / 2];
    assert!((60..190).contains(&median), "{median}");
}
