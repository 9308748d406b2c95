//! A model without camera and light: it fills the picture, stands out from the backdrop, and is neither black nor
//! clipped; and a light of its own counts only if it is seen.

use raywarp::lighting::{BuiltInLight, LightRequest};
use raywarp::picture::{Picture, PictureRequest};
use raywarp::render::film::Film;
use raywarp::render::output::{Look, Lost};
use raywarp::render::{Integrator, RenderOptions, Watch};
use raywarp::scene::{
    ColorInput, Emission, FaceMaterials, Instance, Light, Material, Mesh, MeshId, Scene, SpotFalloff,
};
use raywarp::{Affine, CameraRequest, PrepareOptions, Prepared, TriangleMesh};

const SIZE: [u32; 2] = [96, 72];

/// A sphere of `radius` about `center` as a grid of triangles.
fn sphere(center: [f32; 3], radius: f32) -> TriangleMesh {
    let (rows, columns) = (32u32, 64u32);
    let mut mesh = TriangleMesh::default();
    for row in 0..=rows {
        let (sin, cos) = (row as f32 / rows as f32 * std::f32::consts::PI).sin_cos();
        for column in 0..=columns {
            let (s, c) = (column as f32 / columns as f32 * std::f32::consts::TAU).sin_cos();
            let p = [center[0] + radius * sin * s, center[1] + radius * cos, center[2] + radius * sin * c];
            mesh.positions.push(p);
        }
    }
    for row in 0..rows {
        for column in 0..columns {
            let a = row * (columns + 1) + column;
            let b = a + columns + 1;
            mesh.indices.extend([[a, b, a + 1], [a + 1, b, b + 1]]);
        }
    }
    mesh
}

fn add(scene: &mut Scene, triangles: TriangleMesh, material: Material) {
    let material = FaceMaterials::Uniform(scene.add_material(material));
    let mesh: MeshId = scene.add_mesh(Mesh { name: String::new(), triangles, materials: material });
    scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: None });
}

/// A figure of two balls, one on the other, of one grey.
fn figure(reflectance: f32) -> Scene {
    let mut scene = Scene::default();
    add(&mut scene, sphere([3.0, 1.0, -2.0], 1.0), Material::diffuse("grey", [reflectance; 3]));
    add(&mut scene, sphere([3.0, 2.5, -2.0], 0.6), Material::diffuse("grey", [reflectance; 3]));
    scene
}

/// An axis-aligned box between two corners, facing outwards.
fn cuboid(min: [f32; 3], max: [f32; 3], skip: Option<usize>) -> TriangleMesh {
    let corner = |i: usize| std::array::from_fn(|k| if i >> k & 1 == 0 { min[k] } else { max[k] });
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let kept = faces.iter().enumerate().filter(|(i, _)| Some(*i) != skip).map(|(_, face)| face);
    let indices = kept.flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriangleMesh { positions: (0..8).map(corner).collect(), indices, ..Default::default() }
}

struct Shown {
    picture: Picture,
    film: Film,
    /// Whether a surface covers the whole of each pixel, and whether none does.
    covered: Vec<bool>,
    empty: Vec<bool>,
}

fn show(scene: Scene, request: PictureRequest) -> Shown {
    let mut prepared = Prepared::new(scene, &PrepareOptions::default()).unwrap();
    let request = PictureRequest { size: Some(request.size.unwrap_or(SIZE)), spp: Some(16), features: true, ..request };
    let picture = Picture::settle(&mut prepared, &request).unwrap();
    let film = prepared.render(&picture.camera, &picture.options, &Watch::default()).unwrap().film;
    let depth = RenderOptions { integrator: Integrator::Depth, ..picture.options.clone() };
    let depth = prepared.render(&picture.camera, &depth, &Watch::default()).unwrap().film;
    let hits: Vec<u32> = depth.pixels().map(|p| depth.sums(p).hits).collect();
    Shown {
        covered: hits.iter().map(|&n| n == 16).collect(),
        empty: hits.iter().map(|&n| n == 0).collect(),
        picture,
        film,
    }
}

impl Shown {
    /// sRGB bytes (green) of the pixels for which `of` holds.
    fn bytes(&self, of: &[bool]) -> Vec<u8> {
        let means = self.film.means();
        let shown = std::iter::zip(means, of).filter(|(_, of)| **of);
        let mut bytes: Vec<u8> = shown.map(|(c, _)| Look::default().to_srgb8(c)[1]).collect();
        bytes.sort_unstable();
        bytes
    }

    /// Share of columns and of rows between the outermost pixels that show something, and how far off the middle of
    /// the picture theirs is.
    fn extent(&self) -> ([f32; 2], [f32; 2]) {
        let [width, height] = self.film.size().map(|n| n as usize);
        let seen = |x: usize, y: usize| !self.empty[y * width + x];
        let of = |count: usize, any: &dyn Fn(usize) -> bool| {
            let first = (0..count).find(|&i| any(i)).expect("something is seen") as f32;
            let last = (0..count).rfind(|&i| any(i)).unwrap() as f32 + 1.0;
            ((last - first) / count as f32, ((first + last) / 2.0 / count as f32 - 0.5).abs())
        };
        let (x, off_x) = of(width, &|x| (0..height).any(|y| seen(x, y)));
        let (y, off_y) = of(height, &|y| (0..width).any(|x| seen(x, y)));
        ([x, y], [off_x, off_y])
    }
}

#[test]
fn a_grey_model_is_well_exposed_and_readable() {
    for reflectance in [0.5, 0.7] {
        let shown = show(figure(reflectance), PictureRequest::default());
        assert!(shown.picture.added_light);
        let object = shown.bytes(&shown.covered);
        let at = |share: f64| f64::from(object[(share * (object.len() - 1) as f64) as usize]) / 255.0;
        println!("{reflectance}: {:.2} {:.2} {:.2}", at(0.05), at(0.5), at(0.95));
        assert!((0.38..0.66).contains(&at(0.5)), "the median of {reflectance} is {}", at(0.5));
        // Light from one side: shape shows.
        assert!(at(0.9) - at(0.1) > 0.15, "{} to {}", at(0.1), at(0.9));
    }
    // Not even white is clipped, but for noise.
    let white = show(figure(1.0), PictureRequest::default());
    assert!(Lost::count(white.film.means(), &Look::default()).blown < 5);
}

#[test]
fn white_grey_and_black_models_stand_out_from_the_backdrop() {
    for (reflectance, least) in [(0.95, 0.9), (0.7, 0.9), (0.03, 0.9)] {
        let shown = show(figure(reflectance), PictureRequest::default());
        let backdrop = shown.bytes(&shown.empty);
        let (low, high) = (backdrop[0], backdrop[backdrop.len() - 1]);
        assert!(low > 40 && high < 110, "a grey backdrop: {low} to {high}");
        let object = shown.bytes(&shown.covered);
        // Beyond what the backdrop has anywhere, by 5 of 255.
        let apart = object.iter().filter(|&&byte| byte + 5 < low || byte > high + 5).count();
        let share = apart as f32 / object.len() as f32;
        println!("{reflectance}: backdrop {low} to {high}, {share} apart");
        assert!(share > least, "{share} of a model of reflectance {reflectance} stand out");
    }
}

#[test]
fn the_model_fills_the_picture_whatever_its_shape_and_the_picture_s() {
    let flat = || {
        let mut scene = Scene::default();
        add(&mut scene, cuboid([0.0, 0.0, 0.0], [9.0, 0.2, 2.0], None), Material::diffuse("", [0.5; 3]));
        scene
    };
    // A ball and a far corner of its box: the ball alone is seen, and fills the picture.
    for size in [[96, 72], [72, 96], [200, 50]] {
        for scene in [figure(0.7), flat()] {
            let shown = show(scene, PictureRequest { size: Some(size), ..PictureRequest::default() });
            let ([x, y], off) = shown.extent();
            assert!((0.84..=0.93).contains(&x.max(y)), "{size:?}: {x} {y}");
            assert!(off[0] < 0.03 && off[1] < 0.03, "{size:?}: {off:?} off the middle");
        }
    }
}

fn wide(position: [f32; 3]) -> [f64; 3] {
    position.map(f64::from)
}

fn camera(eye: Option<[f32; 3]>, target: Option<[f32; 3]>, up: Option<[f32; 3]>) -> PictureRequest {
    PictureRequest {
        camera: CameraRequest { eye: eye.map(wide), target: target.map(wide), up, ..CameraRequest::default() },
        ..PictureRequest::default()
    }
}

#[test]
fn parts_of_a_camera_are_completed() {
    // Z upwards: the picture is that of the same figure turned over.
    let mut turned = figure(0.7);
    for instance in &mut turned.instances {
        instance.transform = Affine::rotation(90.0, [1.0, 0.0, 0.0]);
    }
    let y_up = show(figure(0.7), PictureRequest::default());
    let z_up = show(turned, camera(None, None, Some([0.0, 0.0, 1.0])));
    let differ = std::iter::zip(&y_up.empty, &z_up.empty).filter(|(a, b)| a != b).count();
    assert!(differ < 20, "{differ} pixels differ");

    let forward = |request| show(figure(0.7), request).picture.camera;
    let above = forward(camera(Some([3.0, 9.0, -2.0]), Some([3.0, 0.0, -2.0]), None));
    assert_eq!((above.forward, above.up), ([0.0, -1.0, 0.0], [0.0, 0.0, -1.0]));
    // From the right, to the middle of the box.
    let right = forward(camera(Some([9.0, 1.55, -2.0]), None, None));
    assert!((right.forward[0] + 1.0).abs() < 1e-5, "{right:?}");
    let framed = forward(PictureRequest::default());
    let moved = forward(camera(None, Some([3.0, 2.5, -2.0]), None));
    assert!(std::iter::zip(framed.forward, moved.forward).all(|(a, b)| (a - b).abs() < 1e-5));
    let mut prepared = Prepared::new(figure(0.7), &PrepareOptions::default()).unwrap();
    let nowhere = Picture::settle(&mut prepared, &camera(Some([1.0; 3]), Some([1.0; 3]), None));
    assert!(nowhere.is_err());
}

#[test]
fn a_box_with_an_open_side_is_looked_into() {
    // Open towards +x.
    let mut scene = Scene::default();
    add(&mut scene, cuboid([0.0; 3], [2.0, 2.0, 2.0], Some(1)), Material::diffuse("", [0.5; 3]));
    add(&mut scene, cuboid([0.5, 0.0, 0.8], [1.0, 0.9, 1.3], None), Material::diffuse("", [0.5; 3]));
    let shown = show(scene, PictureRequest::default());
    assert_eq!(shown.picture.camera.forward, [-1.0, 0.0, 0.0]);
    // A closed one is seen as any object.
    let mut scene = Scene::default();
    add(&mut scene, cuboid([0.0; 3], [2.0; 3], None), Material::diffuse("", [0.5; 3]));
    assert!(show(scene, PictureRequest::default()).picture.camera.forward[1] < -0.3);
}

fn point(position: [f32; 3], intensity: f32) -> Light {
    Light::Point { position, intensity: [intensity; 3] }
}

/// The figure with lights of its own: whether a studio was added.
#[track_caller]
fn check_own_light(what: &str, light: Light, studio: bool) {
    let scene = Scene { lights: vec![light], ..figure(0.7) };
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
    let night = Scene { lights: vec![Light::uniform_environment([1e-5; 3])], ..figure(0.7) };
    assert!(!show(night, PictureRequest::default()).picture.added_light);
    // Who asks for the exposure that the picture needs sees any light.
    let dim = Scene { lights: vec![point([8.0, 3.0, 5.0], 1e-6)], ..figure(0.7) };
    let request = PictureRequest { exposure: "auto".parse().unwrap(), ..PictureRequest::default() };
    let shown = show(dim, request);
    assert!(!shown.picture.added_light);
    assert!(shown.picture.exposure_of(&shown.film).as_factor().log2() > 15.0);
    let none = PictureRequest { light: LightRequest::built_in(BuiltInLight::None), ..PictureRequest::default() };
    assert!(!show(figure(0.7), none).picture.added_light);
}

/// A room of 6 x 3 x 6 with a block and a cupboard in it, walls being sheets whose fronts point outwards.
fn room() -> Scene {
    let mut scene = Scene::default();
    add(&mut scene, cuboid([0.0; 3], [6.0, 3.0, 6.0], None), Material::diffuse("", [0.7; 3]));
    add(&mut scene, cuboid([2.0, 0.0, 2.0], [3.0, 1.0, 3.0], None), Material::diffuse("", [0.7; 3]));
    add(&mut scene, cuboid([4.0, 0.0, 0.5], [5.5, 2.0, 1.0], None), Material::diffuse("", [0.7; 3]));
    scene
}

#[test]
fn a_room_that_light_does_not_get_into_has_lamps_without_fireflies() {
    let shown = show(room(), camera(Some([5.0, 1.5, 5.0]), None, None));
    assert!(shown.picture.notes.iter().any(|note| note.contains("lamps in the room")), "{:?}", shown.picture.notes);
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
        assert!(!notes.iter().any(|note| note.contains("lamps in the room")), "{notes:?}");
    }
}

#[test]
fn a_closed_room_is_seen_from_inside_and_the_line_names_the_view() {
    for scale in [1e-6, 1.0, 1e6] {
        let mut scene = room();
        for mesh in &mut scene.meshes {
            mesh.triangles.positions.iter_mut().flatten().for_each(|x| *x *= scale);
        }
        let mut prepared = Prepared::new(scene, &PrepareOptions::default()).unwrap();
        let picture = Picture::settle(&mut prepared, &PictureRequest::default()).unwrap();
        let note = picture.notes.iter().find(|note| note.contains("seen from inside")).expect("it is a room");
        let eye = picture.camera.eye.map(|x| x / scale);
        assert!(eye.iter().zip([6.0, 3.0, 6.0]).all(|(x, side)| (0.0..side).contains(x)), "{eye:?}");
        assert!((1.5..1.8).contains(&eye[1]), "{eye:?}: the eye's height");
        // What the line says gives the same camera.
        let number = |flag: &str| {
            let words: Vec<&str> = note.split_whitespace().collect();
            let at = words.iter().position(|word| *word == flag).unwrap();
            words[at + 1].split(',').map(|x| x.parse::<f64>().unwrap()).collect::<Vec<_>>()
        };
        let place = |flag| Some(<[f64; 3]>::try_from(number(flag)).unwrap());
        let camera = CameraRequest {
            eye: place("--eye"),
            target: place("--target"),
            vfov: Some(number("--vfov")[0] as f32),
            ..CameraRequest::default()
        };
        let again = PictureRequest { camera, ..PictureRequest::default() };
        assert_eq!(Picture::settle(&mut prepared, &again).unwrap().camera, picture.camera);
    }
}

#[test]
fn nobody_stands_inside_of_furniture() {
    let mut scene = Scene::default();
    let mut walls = cuboid([0.0; 3], [6.0, 2.8, 5.0], None);
    walls.indices.iter_mut().for_each(|corners| corners.swap(1, 2));
    walls.normals.clear();
    add(&mut scene, walls, Material::diffuse("", [0.7; 3]));
    add(&mut scene, cuboid([1.5, 0.0, 1.2], [4.5, 2.4, 3.8], None), Material::diffuse("", [0.7; 3]));
    let picture = show(scene, PictureRequest::default()).picture;
    assert!(picture.notes.iter().any(|note| note.contains("seen from inside")), "{:?}", picture.notes);
    let [x, _, z] = picture.camera.eye;
    assert!(!((1.5..4.5).contains(&x) && (1.2..3.8).contains(&z)), "{x} {z}");
}

#[test]
fn what_is_open_or_solid_is_seen_from_outside() {
    let inside = |scene: Scene| {
        let notes = show(scene, PictureRequest::default()).picture.notes;
        notes.iter().any(|note| note.contains("seen from inside"))
    };
    assert!(inside(room()));
    // A stage, a house without a roof, an empty box, a figure.
    for skip in 0..6 {
        let mut scene = room();
        scene.meshes[0].triangles = cuboid([0.0; 3], [6.0, 3.0, 6.0], Some(skip));
        assert!(!inside(scene), "without side {skip}");
    }
    let mut scene = room();
    scene.instances.truncate(1);
    assert!(!inside(scene));
    // A door with panels in it, which is as thin as one; an empty jar, whose wall has an inner and an outer surface.
    let mut door = room();
    for mesh in &mut door.meshes {
        mesh.triangles.positions.iter_mut().for_each(|p| p[2] *= 0.1);
    }
    assert!(!inside(door));
    let mut jar = Scene::default();
    add(&mut jar, cuboid([0.0; 3], [2.0; 3], None), Material::diffuse("", [0.5; 3]));
    let mut inner = cuboid([0.1; 3], [1.9; 3], None);
    inner.indices.iter_mut().for_each(|corners| corners.swap(1, 2));
    inner.normals.clear();
    add(&mut jar, inner, Material::diffuse("", [0.5; 3]));
    assert!(!inside(jar));
    assert!(!inside(figure(0.7)));
}
