//! Smooth shapes by formulas, with normals and texture coordinates; windings face outward.

use raywarp_geom::TriangleMesh;
use std::f32::consts::{PI, TAU};

/// Makes a grid mesh of `rows + 1` by `columns + 1` vertices, whose position, normal and texture coordinates `at(s, t)`
/// gives for s and t in 0..1.
fn grid(rows: u32, columns: u32, at: impl Fn(f32, f32) -> ([f32; 3], [f32; 3], [f32; 2])) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    for r in 0..=rows {
        for c in 0..=columns {
            let (position, normal, uv) = at(r as f32 / rows as f32, c as f32 / columns as f32);
            mesh.positions.push(position);
            mesh.normals.push(normal);
            mesh.uvs.push(uv);
        }
    }
    let index = |r: u32, c: u32| r * (columns + 1) + c;
    for r in 0..rows {
        for c in 0..columns {
            let [a, b, d, e] = [index(r, c), index(r + 1, c), index(r, c + 1), index(r + 1, c + 1)];
            mesh.indices.push([a, b, d]);
            mesh.indices.push([d, b, e]);
        }
    }
    mesh
}

/// Makes a mesh of the unit sphere.
pub fn sphere(rows: u32, columns: u32) -> TriangleMesh {
    grid(rows, columns, |s, t| {
        let ((sin, cos), (sin_phi, cos_phi)) = ((s * PI).sin_cos(), (t * TAU).sin_cos());
        let p = [sin * sin_phi, cos, sin * cos_phi];
        (p, p, [t, s])
    })
}

/// Makes a studio backdrop of the given width: floor from `z = front` to `z = -back`, a quarter turn of the given
/// radius, and a wall up to `height` above it.
pub fn sweep(width: f32, [front, back, radius, height]: [f32; 4]) -> TriangleMesh {
    const ROWS: u32 = 34;
    grid(ROWS, 1, |s, t| {
        let row = (s * ROWS as f32).round();
        let a = 0.5 * PI * ((row - 1.0) / (ROWS - 2) as f32).clamp(0.0, 1.0);
        let (sin, cos) = a.sin_cos();
        let floor = if row == 0.0 { front + back } else { 0.0 };
        let wall = if row == ROWS as f32 { height } else { 0.0 };
        let x = (0.5 - t) * width;
        ([x, radius * (1.0 - cos) + wall, floor - back - radius * sin], [0.0, cos, sin], [t, s])
    })
}

/// Makes a round podium with a bevelled edge on the plane y = 0, textured by lengths on its surface from the middle of
/// its top.
pub fn podium(radius: f32, height: f32, columns: u32) -> TriangleMesh {
    const BEVEL: f32 = 0.025;
    let mut profile = vec![[0.0, height], [radius - 2.0 * BEVEL, height]];
    for i in 0..=8 {
        let (sin, cos) = (0.5 * PI * i as f32 / 8.0).sin_cos();
        profile.push([radius - BEVEL * (1.0 - sin), height - BEVEL * (1.0 - cos)]);
    }
    profile.extend([[radius, height - 2.0 * BEVEL], [radius, 0.0]]);
    let mut mesh = lathe(&profile, columns);
    let mut length = 0.0;
    for (row, &[r, y]) in profile.iter().enumerate() {
        if row > 0 {
            length += (r - profile[row - 1][0]).hypot(y - profile[row - 1][1]);
        }
        for column in 0..=columns as usize {
            let (sin, cos) = (column as f32 / columns as f32 * TAU).sin_cos();
            mesh.uvs[row * (columns as usize + 1) + column] = [length * sin, length * cos];
        }
    }
    mesh
}

/// Makes a rectangle in the plane y = 0 around the origin that faces +y.
pub fn rectangle(width: f32, depth: f32) -> TriangleMesh {
    grid(1, 1, |s, t| ([(t - 0.5) * width, 0.0, (s - 0.5) * depth], [0.0, 1.0, 0.0], [t, s]))
}

/// Makes a surface of revolution around the y axis from a profile of (radius, height) points, top down.
pub fn lathe(profile: &[[f32; 2]], columns: u32) -> TriangleMesh {
    let rows = profile.len() as u32 - 1;
    grid(rows, columns, |s, t| {
        let i = (s * rows as f32).round() as usize;
        let (before, after) = (profile[i.saturating_sub(1)], profile[(i + 1).min(rows as usize)]);
        let [dr, dy] = [after[0] - before[0], after[1] - before[1]];
        let length = dr.hypot(dy).max(1e-9);
        // The profile goes down, so outward is to the left of its direction.
        let [nr, ny] = [-dy / length, dr / length];
        let (sin, cos) = (t * TAU).sin_cos();
        let [r, y] = profile[i];
        ([r * sin, y, r * cos], [nr * sin, ny, nr * cos], [t, s])
    })
}

/// Returns the profile of a closed vase with a rounded lip, its outside from lip to foot, as (radius, height) points.
pub fn vase_profile(points: u32) -> Vec<[f32; 2]> {
    let radius = |y: f32| {
        // Belly, neck and flaring lip as a sum of smooth bumps over the height 0..1.9.
        let bump = |center: f32, width: f32| (-((y - center) / width).powi(2)).exp();
        0.30 + 0.40 * bump(0.68, 0.48) - 0.11 * bump(1.5, 0.22) + 0.10 * bump(1.98, 0.2)
    };
    let mut profile = vec![[0.0, 1.72]];
    // Inside of the lip, then over it and down the outside.
    for i in 0..=12 {
        let a = PI * i as f32 / 12.0;
        profile.push([radius(1.86) - 0.05 - 0.05 * a.cos(), 1.86 + 0.05 * a.sin()]);
    }
    for i in 1..=points {
        let y = 1.86 * (1.0 - i as f32 / points as f32);
        profile.push([radius(y), y]);
    }
    profile.push([0.0, 0.0]);
    profile
}

/// Makes a tube of radius `tube` along the (p, q) torus knot of size `size`.
pub fn torus_knot(p: u32, q: u32, size: f32, tube: f32, rows: u32, columns: u32) -> TriangleMesh {
    let (p, q) = (p as f32, q as f32);
    // From the torus's ring to the curve; the curve's own curvature would turn the frame abruptly.
    let outward = move |s: f32| -> [f32; 3] {
        let a = s * TAU;
        let r = 0.42 * (q * a).cos();
        [r * (p * a).cos(), 0.62 * (q * a).sin(), r * (p * a).sin()]
    };
    let center = move |s: f32| -> [f32; 3] {
        let (a, o) = (s * TAU, outward(s));
        [size * ((p * a).cos() + o[0]), size * o[1], size * ((p * a).sin() + o[2])]
    };
    grid(rows, columns, move |s, t| {
        let (here, h) = (center(s), 1e-3);
        let tangent = normalize(sub(center(s + h), center(s - h)));
        let side = normalize(cross(tangent, outward(s)));
        let out = cross(side, tangent);
        let (sin, cos) = (t * TAU).sin_cos();
        let normal: [f32; 3] = std::array::from_fn(|i| cos * out[i] - sin * side[i]);
        (std::array::from_fn(|i| here[i] + tube * normal[i]), normal, [t, s])
    })
}

fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn normalize(v: [f32; 3]) -> [f32; 3] {
    let length = v.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-20);
    v.map(|x| x / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windings_agree_with_normals() {
        let shapes = [
            sphere(16, 32),
            sweep(8.0, [4.0, 2.0, 1.0, 3.0]),
            podium(1.0, 0.3, 32),
            rectangle(2.0, 1.0),
            lathe(&vase_profile(40), 32),
            torus_knot(2, 3, 0.62, 0.2, 128, 16),
        ];
        for (shape, mesh) in shapes.iter().enumerate() {
            assert_eq!(mesh.validate(), Ok(()));
            let mut checked = 0;
            for (i, corners) in mesh.indices.iter().enumerate() {
                let [a, b, c] = mesh.corners(i);
                let n = cross(sub(b, a), sub(c, a));
                let area = n.iter().map(|x| x * x).sum::<f32>().sqrt();
                if area < 1e-7 {
                    continue;
                }
                let sum: [f32; 3] = std::array::from_fn(|k| corners.iter().map(|&v| mesh.normals[v as usize][k]).sum());
                let along: f32 = (0..3).map(|k| n[k] * sum[k]).sum();
                assert!(along > 0.0, "shape {shape}, triangle {i}: {along} of {area}");
                checked += 1;
            }
            assert!(checked * 10 >= mesh.indices.len() * 4);
        }
    }
}
