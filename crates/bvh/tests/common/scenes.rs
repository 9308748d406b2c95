//! Synthetic scenes.

use super::random;
use std::f32::consts::{PI, TAU};

/// Small triangles anywhere in a cube of half side `scale`, and a few that span it.
pub fn soup(count: usize, scale: f32) -> Vec<[[f32; 3]; 3]> {
    let mut rng = random(1);
    (0..count)
        .map(|i| {
            let center = rng.point();
            let size = if i % 50 == 0 { 1.0 } else { 0.05 };
            [(); 3].map(|()| {
                let offset = rng.point();
                std::array::from_fn(|k| scale * (center[k] + size * offset[k]))
            })
        })
        .collect()
}

/// A closed sphere of `rings` rings, with degenerate triangles at its poles.
pub fn sphere(rings: usize) -> Vec<[[f32; 3]; 3]> {
    let point = |i: usize, j: usize| {
        let (theta, phi) = (PI * i as f32 / rings as f32, TAU * (j % (2 * rings)) as f32 / (2 * rings) as f32);
        [theta.sin() * phi.cos(), theta.cos(), theta.sin() * phi.sin()]
    };
    quads(rings, 2 * rings, point)
}

/// A flat sheet of `n` by `n` squares at height 0.
pub fn grid(n: usize) -> Vec<[[f32; 3]; 3]> {
    quads(n, n, |i, j| [i as f32, 0.0, j as f32])
}

fn quads(rows: usize, columns: usize, point: impl Fn(usize, usize) -> [f32; 3]) -> Vec<[[f32; 3]; 3]> {
    let cells = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    cells
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [point(i, j), point(i + 1, j), point(i, j + 1), point(i + 1, j + 1)];
            [[a, b, c], [c, b, d]]
        })
        .collect()
}

/// Long, thin triangles in all directions: what split clipping is for.
pub fn needles(count: usize) -> Vec<[[f32; 3]; 3]> {
    let mut rng = random(2);
    (0..count)
        .map(|_| {
            let (a, b, c) = (rng.point(), rng.point(), rng.point());
            [a, b, std::array::from_fn(|k| 0.5 * (a[k] + b[k]) + 0.01 * c[k])]
        })
        .collect()
}

/// A soup between large axis-parallel walls whose coordinates are no round numbers.
pub fn floors() -> Vec<[[f32; 3]; 3]> {
    let mut vertices = soup(500, 100.0);
    for height in [650.293, -0.1, 1e-3] {
        let [a, b, c, d] = [[-946.888, 595.246], [1653.25, 595.246], [-946.888, -1016.1], [1653.25, -1016.1]]
            .map(|[x, z]| [x, height, z]);
        vertices.extend([[a, b, c], [c, b, d], [a.map(|x| x * 1.1), b, d]]);
    }
    let turned: Vec<_> = vertices.iter().map(|t| t.map(|[x, y, z]| [y, z, x])).collect();
    vertices.extend(turned);
    vertices
}
