//! A model without camera and light: it fills the picture, stands out from the backdrop, and is neither black nor
//! clipped; a light of its own counts only if it is seen, and a room is seen from inside.

mod causes;
mod dark;
mod light;
mod notes;
mod rooms;
mod viewpoints;

use raywarp::device::Plan;
use raywarp::render::film::Film;
use raywarp::render::output::{Look, Lost};
use raywarp::render::{CameraRequest, Integrator, Picture, PictureRequest, Prepared, RenderContext, RenderOptions};
use raywarp::scene::{Description, FaceMaterials, Instance, Material, Mesh, MeshId};
use raywarp::{Affine, TriangleMesh};

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

fn add(scene: &mut Description, triangles: TriangleMesh, material: Material) {
    let material = FaceMaterials::Uniform(scene.add_material(material));
    let mesh: MeshId = scene.add_mesh(Mesh { name: String::new(), triangles, materials: material });
    scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: None });
}

/// A figure of two balls, one on the other, of one grey.
fn figure(reflectance: f32) -> Description {
    let mut scene = Description::default();
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

fn show(scene: Description, request: PictureRequest) -> Shown {
    let mut prepared = Prepared::new(scene, &Plan::default()).unwrap();
    let request = PictureRequest { size: Some(request.size.unwrap_or(SIZE)), spp: Some(16), features: true, ..request };
    let picture = Picture::settle(&mut prepared, &request).unwrap();
    let film = prepared.render(&picture.camera, &picture.options, RenderContext::default()).unwrap().film;
    let depth = RenderOptions { integrator: Integrator::Depth, ..picture.options.clone() };
    let depth = prepared.render(&picture.camera, &depth, RenderContext::default()).unwrap().film;
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
        let mut scene = Description::default();
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
    let mut prepared = Prepared::new(figure(0.7), &Plan::default()).unwrap();
    let nowhere = Picture::settle(&mut prepared, &camera(Some([1.0; 3]), Some([1.0; 3]), None));
    assert!(nowhere.is_err());
}

#[test]
fn a_box_with_an_open_side_is_looked_into() {
    // Open towards +x.
    let mut scene = Description::default();
    add(&mut scene, cuboid([0.0; 3], [2.0, 2.0, 2.0], Some(1)), Material::diffuse("", [0.5; 3]));
    add(&mut scene, cuboid([0.5, 0.0, 0.8], [1.0, 0.9, 1.3], None), Material::diffuse("", [0.5; 3]));
    let shown = show(scene, PictureRequest::default());
    assert_eq!(shown.picture.camera.forward, [-1.0, 0.0, 0.0]);
    // A closed one is seen as any object.
    let mut scene = Description::default();
    add(&mut scene, cuboid([0.0; 3], [2.0; 3], None), Material::diffuse("", [0.5; 3]));
    assert!(show(scene, PictureRequest::default()).picture.camera.forward[1] < -0.3);
}

/// The same surface with its fronts on the other side.
fn turned_over(mut mesh: TriangleMesh) -> TriangleMesh {
    mesh.indices.iter_mut().for_each(|corners| corners.swap(1, 2));
    mesh
}

/// A room of 6 x 3 x 6 with a block and a cupboard in it, walls being sheets.
fn room() -> Description {
    let mut scene = Description::default();
    add(&mut scene, turned_over(cuboid([0.0; 3], [6.0, 3.0, 6.0], None)), Material::diffuse("", [0.7; 3]));
    add(&mut scene, cuboid([2.0, 0.0, 2.0], [3.0, 1.0, 3.0], None), Material::diffuse("", [0.7; 3]));
    add(&mut scene, cuboid([4.0, 0.0, 0.5], [5.5, 2.0, 1.0], None), Material::diffuse("", [0.7; 3]));
    scene
}
