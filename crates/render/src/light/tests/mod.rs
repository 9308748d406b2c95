//! Surfaces that shine: samples weighted by their density against the solid angles of the triangles that rays hit.

use super::{pdf, sample};
use crate::flat::{LightKind, SPHERE_COLUMNS, SPHERE_ROWS, ShadingScene, cell_triangles};
use glam::{DVec3, Vec3};
use raywarp_geom::Aabb;
use raywarp_sample::hash::{pcg, to_unit};
use std::f64::consts::{PI, TAU};

const SAMPLES: u32 = 30_000;

fn random(i: u32) -> [f32; 2] {
    [to_unit(pcg(2 * i)), to_unit(pcg(2 * i + 1))]
}

/// Returns a scene of emissive pbrt shapes.
fn scene(shapes: &str) -> ShadingScene {
    let text = format!(
        "LookAt 0 0 9  0 0 0  0 1 0 Camera \"perspective\"\nWorldBegin\n\
         AreaLightSource \"diffuse\" \"rgb L\" [1 1 1]\n{shapes}\n"
    );
    let options = raywarp_scene::LoadOptions::default();
    let loaded = raywarp_scene::load_from(text.as_bytes(), std::path::Path::new("shapes.pbrt"), &options).unwrap();
    ShadingScene::new(&loaded.scene, &Aabb { min: [-1.0; 3], max: [1.0; 3] }).unwrap()
}

fn corners(scene: &ShadingScene, triangle: usize) -> [DVec3; 3] {
    scene.triangles[triangle].points().map(Vec3::as_dvec3)
}

/// Returns the solid angle of a triangle seen from `point`, in f64.
fn solid_angle(corners: [DVec3; 3], point: DVec3) -> f64 {
    let [a, b, c] = corners.map(|corner| (corner - point).normalize());
    2.0 * a.dot(b.cross(c)).abs().atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
}

/// Returns the barycentric weights of the point of a triangle's plane nearest to `place`.
fn weights([a, b, c]: [DVec3; 3], place: DVec3) -> DVec3 {
    let (u, v, s) = (b - a, c - a, place - a);
    let normal = u.cross(v);
    let (x, y) = (normal.dot(s.cross(v)), normal.dot(u.cross(s)));
    let area = normal.length_squared();
    DVec3::new(1.0 - (x + y) / area, x / area, y / area)
}

/// Returns the index of the triangle that a point is on; on a sphere light, by the point's angles.
fn triangle_at(scene: &ShadingScene, place: DVec3) -> usize {
    let light = &scene.lights[0];
    let candidates: Vec<usize> = if light.kind() == LightKind::Sphere {
        let from_center = place - Vec3::from(light.at).as_dvec3();
        let [x, y, z] =
            [light.u, light.v, light.w].map(|axis| from_center.dot(Vec3::from(axis).as_dvec3().normalize()));
        let radius = f64::from(Vec3::from(light.u).length());
        let row = (-z / radius).clamp(-1.0, 1.0).acos() / PI * f64::from(SPHERE_ROWS);
        let column = (y.atan2(x) / TAU).rem_euclid(1.0) * f64::from(SPHERE_COLUMNS);
        let (row, column) = ((row as u32).min(SPHERE_ROWS - 1), (column as u32).min(SPHERE_COLUMNS - 1));
        cell_triangles(row, column).map(|i| i as usize).to_vec()
    } else {
        (0..scene.triangles.len()).collect()
    };
    let inside = |&i: &usize| weights(corners(scene, i), place).min_element();
    candidates.into_iter().max_by(|a, b| inside(a).total_cmp(&inside(b))).unwrap()
}

/// Returns the parts of a triangle that serve as bins: its quarters, their quarters and so on, or all of it, so that
/// bins are neither few nor empty.
fn parts(count: usize, corners: [DVec3; 3]) -> Vec<[DVec3; 3]> {
    let mut parts = vec![corners];
    while parts.len() * count < 64 {
        let quarters = |[a, b, c]: [DVec3; 3]| {
            let (ab, bc, ca) = (0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        parts = parts.into_iter().flat_map(quarters).collect();
    }
    parts
}

/// Returns the largest deviation, in standard errors, of the solid angles of the light's parts that samples imply, and
/// of their sum; `tamper` changes the samples' weights.
fn deviation(scene: &ShadingScene, point: Vec3, tamper: impl Fn(f32) -> f32) -> f64 {
    const BINS: usize = 64;
    let from = point.as_dvec3();
    let count = scene.triangles.len();
    let each: Vec<Vec<[DVec3; 3]>> = (0..count).map(|i| parts(count, corners(scene, i))).collect();
    let total = count * each[0].len();
    let bin = |triangle: usize, part: usize| (triangle * each[0].len() + part) * BINS / total;
    let mut expected = [0.0; BINS + 1];
    for (i, parts) in each.iter().enumerate() {
        let front = scene.triangles[i].front_normal().as_dvec3();
        if front.dot(from - parts[0][0]) > 0.0 {
            for (k, &part) in parts.iter().enumerate() {
                expected[bin(i, k)] += solid_angle(part, from);
                expected[BINS] += solid_angle(part, from);
            }
        }
    }
    let mut sums = [[0.0; 2]; BINS + 1];
    for i in 0..SAMPLES {
        let Some(found) = sample(scene, point, 0.5, random(i)) else { continue };
        let target = found.target.unwrap();
        let place = target.as_dvec3();
        let triangle = triangle_at(scene, place);
        let inside = |part: &[DVec3; 3]| weights(*part, place).min_element();
        let part =
            (0..each[0].len()).max_by(|&a, &b| inside(&each[triangle][a]).total_cmp(&inside(&each[triangle][b])));
        check_sample(scene, point, triangle, target, &found);
        let weight = f64::from(tamper(found.weight.x));
        for bin in [bin(triangle, part.unwrap()), BINS] {
            sums[bin][0] += weight;
            sums[bin][1] += weight * weight;
        }
    }
    let n = f64::from(SAMPLES);
    let typical = sums[BINS][1] / sums[BINS][0];
    let z = |(&[sum, squares], &expected): (&[f64; 2], &f64)| {
        let mean = sum / n;
        // A part that few samples find is far from normal: its deviation is judged with ten samples' leniency. And an
        // estimator without noise still rounds.
        let largest = 10.0 * (squares / sum.max(1e-30)).max(typical);
        let error = ((squares / n - mean * mean).max(0.0) / n).sqrt() + 2e-4 * expected + largest / n;
        if error > 0.0 {
            (mean - expected).abs() / error
        } else if expected > 0.0 {
            f64::INFINITY
        } else {
            0.0
        }
    };
    std::iter::zip(&sums, &expected).map(z).fold(0.0, f64::max)
}

/// Checks that a sample is on the light, in its stated direction, and has the density that a scattered ray which hits
/// there would get.
fn check_sample(scene: &ShadingScene, point: Vec3, triangle: usize, target: Vec3, found: &super::LightSample) {
    let to_light = target.as_dvec3() - point.as_dvec3();
    let normal = scene.triangles[triangle].front_normal();
    let corner = corners(scene, triangle)[0];
    let scale = (corner - point.as_dvec3()).length() + target.as_dvec3().length();
    let height = normal.as_dvec3().dot(target.as_dvec3() - corner);
    assert!(height.abs() < 3e-5 + 1e-4 * scale && height > 0.0, "{height} off the light of size {scale}");
    let off = (to_light.normalize() - found.wi.as_dvec3()).length();
    assert!(off < 1e-3 + 1e-4 * scale / to_light.length(), "{off} off its direction");
    let distance_squared = (to_light - height * normal.as_dvec3()).length_squared() as f32;
    let by_ray = pdf(scene, 0, point, -normal.dot(found.wi), distance_squared);
    assert!((by_ray / found.pdf - 1.0).abs() < 5e-3, "{by_ray} by a ray, {} by a connection", found.pdf);
}

#[track_caller]
fn check(shapes: &str, points: &[[f32; 3]]) {
    let scene = scene(shapes);
    assert_eq!(scene.lights.len(), 1, "{shapes}");
    for &point in points {
        let z = deviation(&scene, point.into(), |weight| weight);
        // Of 65 numbers a point, thirty points: 5 is passed by chance in one of 900 seeds.
        assert!(z < 5.0, "{shapes} from {point:?}: {z} standard errors");
    }
}

const NEAR_AND_FAR: [[f32; 3]; 6] =
    [[0.1, 0.2, 0.7], [0.4, -0.3, 0.02], [2.0, 0.3, 0.05], [0.0, 1.5, 0.4], [3.0, -5.0, 9.0], [300.0, 200.0, 400.0]];

#[test]
fn triangles_are_found_by_their_solid_angle() {
    check("Shape \"trianglemesh\" \"point3 P\" [-1 -1 0  1 -1 0  0 1 0] \"integer indices\" [0 1 2]", &NEAR_AND_FAR);
    check(
        "Shape \"trianglemesh\" \"point3 P\" [-1 -0.01 0  1 -0.02 0  0 0.003 0] \"integer indices\" [0 1 2]",
        &NEAR_AND_FAR,
    );
}

#[test]
fn parallelograms_are_found_by_their_solid_angle() {
    check("Shape \"bilinearmesh\" \"point3 P\" [-1 -1 0  1 -1 0  -1 1 0  1 1 0]", &NEAR_AND_FAR);
    check("Shape \"bilinearmesh\" \"point3 P\" [-1 -0.1 0  1 -0.5 0  -0.7 0.5 0  1.3 0.1 0]", &NEAR_AND_FAR);
}

#[test]
fn disks_are_found_by_their_solid_angle() {
    check("Shape \"disk\" \"float radius\" 1", &NEAR_AND_FAR);
    check("Scale 1 0.3 1 Rotate 20 0 0 1 Shape \"disk\" \"float radius\" 1", &NEAR_AND_FAR);
}

#[test]
fn balls_are_found_by_their_cone_and_from_inside() {
    let outside = [[2.0, 0.3, 0.4], [0.0, 0.0, 1.05], [0.6, -0.6, 0.6], [0.2, 1.002, 0.1], [900.0, 300.0, 20.0]];
    check("Shape \"sphere\" \"float radius\" 1", &outside);
    let inside = [[0.0, 0.0, 0.0], [0.2, 0.5, -0.7], [0.0, 0.0, 0.99], [0.9, -0.41, 0.02]];
    check("ReverseOrientation Rotate 33 1 2 3 Scale -1 1 1 Shape \"sphere\" \"float radius\" 1", &inside);
}

#[test]
fn a_wrong_density_is_seen() {
    for (shapes, point) in [
        ("Shape \"sphere\" \"float radius\" 1", [2.0, 0.3, 0.4]),
        ("Shape \"disk\" \"float radius\" 1", [0.1, 0.2, 0.7]),
        ("Shape \"bilinearmesh\" \"point3 P\" [-1 -1 0  1 -1 0  -1 1 0  1 1 0]", [0.1, 0.2, 0.7]),
    ] {
        let scene = scene(shapes);
        assert!(deviation(&scene, point.into(), |weight| 1.02 * weight) > 5.0, "{shapes}");
    }
}

#[test]
fn points_without_a_good_answer_get_a_finite_one_or_none() {
    let numbers = [0.0f32, 1.0, -1.0, 0.5, 1e-7, 1e-20, 1e-38, 3e4, 1e12, 1e19, 1e30];
    for shapes in [
        "Shape \"trianglemesh\" \"point3 P\" [0 0 0  1 0 0  0 1 0] \"integer indices\" [0 1 2]",
        "Shape \"trianglemesh\" \"point3 P\" [0 0 0  1 0 0  0.5 1e-6 0] \"integer indices\" [0 1 2]",
        "Shape \"bilinearmesh\" \"point3 P\" [0 0 0  1 0 0  0 1 0  1 1 0]",
        "Scale 1e9 1e9 1e9 Shape \"bilinearmesh\" \"point3 P\" [0 0 0  1 0 0  0 1 0  1 1 0]",
        "Scale 1e-8 1e-8 1e-8 Shape \"disk\"",
        "Shape \"disk\"",
        "Shape \"sphere\"",
        "Scale 1e-8 1e-8 1e-8 Shape \"sphere\"",
        "Scale 1e9 1e9 1e9 Shape \"sphere\"",
    ] {
        let scene = scene(shapes);
        let places = numbers
            .iter()
            .flat_map(|&x| numbers.map(|y| [x, y]))
            .flat_map(|[x, y]| numbers.iter().map(move |&z| Vec3::new(x, y, z)).collect::<Vec<_>>());
        for (i, point) in places.enumerate() {
            for u in [random(i as u32), [0.0, 0.0], [0.999_999_94, 0.999_999_94]] {
                if let Some(found) = sample(&scene, point, 0.5, u) {
                    let target = found.target.unwrap();
                    let finite = found.wi.is_finite() && target.is_finite() && found.pdf.is_finite();
                    assert!(finite && found.pdf > 0.0 && !found.weight.is_nan(), "{shapes} {point}: {found:?}");
                }
                let by_ray = pdf(&scene, 0, point, 0.5, point.length_squared());
                assert!(by_ray >= 0.0, "{shapes} {point}: {by_ray}");
            }
        }
    }
}
