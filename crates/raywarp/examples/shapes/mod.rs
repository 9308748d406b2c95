//! Meshes for the examples: closed, with their fronts outwards.
#![allow(dead_code, reason = "no example uses all of them")]

/// Vertices and triangles.
pub type Mesh = (Vec<[f32; 3]>, Vec<[u32; 3]>);

/// The box from `low` to `high`.
pub fn cuboid(low: [f32; 3], high: [f32; 3]) -> Mesh {
    let corner = |i: u32| [0, 1, 2].map(|axis| if i >> axis & 1 == 1 { high[axis] } else { low[axis] });
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let indices = quads.iter().flat_map(|&[a, b, c, d]: &[u32; 4]| [[a, b, c], [a, c, d]]);
    ((0..8).map(corner).collect(), indices.collect())
}

/// A ball around zero, with this many parallels.
pub fn ball(radius: f32, parallels: u32) -> Mesh {
    let (around, half) = (2 * parallels, std::f32::consts::PI / (parallels + 1) as f32);
    let mut positions = vec![[0.0, radius, 0.0]];
    for row in 1..=parallels {
        let (sin, cos) = (half * row as f32).sin_cos();
        positions.extend((0..around).map(|i| {
            let (z, x) = (std::f32::consts::TAU * i as f32 / around as f32).sin_cos();
            [radius * sin * x, radius * cos, radius * sin * z]
        }));
    }
    positions.push([0.0, -radius, 0.0]);
    let (last, at) = (1 + parallels * around, |row: u32, i: u32| 1 + row * around + i % around);
    let mut indices = Vec::new();
    for i in 0..around {
        indices.push([0, at(0, i + 1), at(0, i)]);
        indices.push([last, at(parallels - 1, i), at(parallels - 1, i + 1)]);
        for row in 0..parallels - 1 {
            let [a, b, c, d] = [at(row, i), at(row, i + 1), at(row + 1, i + 1), at(row + 1, i)];
            indices.extend([[a, b, c], [a, c, d]]);
        }
    }
    (positions, indices)
}
