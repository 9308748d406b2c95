//! Both tests where they must agree, and what only the watertight one promises.

use super::*;
use crate::Ray;

const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]];

#[test]
fn both_tests_give_t_and_barycentrics() {
    for direction in [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]] {
        let ray = Ray::new([0.25, 0.5, 0.0], direction);
        let expected = [2.0 / direction[2], 0.25, 0.5];
        assert_eq!(Watertight::new(&ray).test(&TRIANGLE), Some(expected));
        assert_eq!(moeller_trumbore(&ray, &TRIANGLE), Some(expected));
    }
    let beside = Ray::new([0.75, 0.5, 0.0], [0.0, 0.0, 1.0]);
    assert_eq!(Watertight::new(&beside).test(&TRIANGLE), None);
    assert_eq!(moeller_trumbore(&beside, &TRIANGLE), None);
}

#[test]
fn a_hit_behind_has_negative_t() {
    let ray = Ray::new([0.25, 0.25, 3.0], [0.0, 0.0, 1.0]);
    assert_eq!(Watertight::new(&ray).test(&TRIANGLE).unwrap()[0], -1.0);
}

#[test]
fn rays_through_shared_edges_and_vertices_hit_a_neighbour() {
    // A fan of eight triangles around an irrational point, seen from many places.
    let center = [0.1f32, 0.2, 0.3];
    let rim: Vec<[f32; 3]> = (0..8)
        .map(|i| {
            let a = i as f32 * std::f32::consts::TAU / 8.0 + 0.05;
            [center[0] + a.cos(), center[1] + a.sin(), 0.3 + 0.11 * (i % 3) as f32]
        })
        .collect();
    for step in 0..2000 {
        let s = step as f32;
        let origin = [0.3 * (0.37 * s).sin(), 0.3 * (0.73 * s).cos(), -2.0 - 0.001 * s];
        let corner = rim[step % 8];
        let along = (step % 101) as f32 / 125.0;
        let target: [f32; 3] = std::array::from_fn(|i| center[i] + along * (corner[i] - center[i]));
        let ray = Ray::new(origin, std::array::from_fn(|i| target[i] - origin[i]));
        let test = Watertight::new(&ray);
        let hits = (0..8).filter(|&i| test.test(&[center, rim[i], rim[(i + 1) % 8]]).is_some()).count();
        assert!(hits >= 1, "ray {step} slipped through");
    }
}

#[test]
fn degenerate_triangles_are_missed() {
    let ray = Ray::new([0.25, 0.0, 0.0], [0.0, 0.0, 1.0]);
    let flat = [[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.5, 0.0, 2.0]];
    assert_eq!(Watertight::new(&ray).test(&flat), None);
    assert_eq!(Watertight::new(&ray).test(&[[0.25, 0.0, 2.0]; 3]), None);
}
