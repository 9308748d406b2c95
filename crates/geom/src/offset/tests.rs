use super::*;
use crate::triangle::Watertight;
use crate::{Affine, Ray};
use raywarp_testing::Random;

/// Returns a random vector in the cube from -1 to 1.
fn vector(random: &mut Random) -> [f64; 3] {
    [0; 3].map(|_: u32| 2.0 * random.unit_f64() - 1.0)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

/// Returns the unit normal of a triangle, computed in `f64` from its rounded corners.
fn exact_normal(corners: &[[f32; 3]; 3]) -> [f64; 3] {
    let [a, b, c] = corners.map(|corner| corner.map(f64::from));
    let (u, v): ([f64; 3], [f64; 3]) = (std::array::from_fn(|i| b[i] - a[i]), std::array::from_fn(|i| c[i] - a[i]));
    let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    n.map(|x| x / dot(n, n).sqrt())
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Any,
    Sliver,
    Needle,
    /// Triangle 10,000 times as large as the others, in the plane of height 0.
    Floor,
    /// Triangle of a mesh in other units, placed by a matrix that rotates, stretches and scales.
    Placed,
}

const FORMS: [Form; 5] = [Form::Any, Form::Sliver, Form::Needle, Form::Floor, Form::Placed];

/// Returns a triangle of form `form` at `place`, scaled by `scale`, and the least cosine to its plane at which its
/// `f32` normal can be trusted.
fn triangle(form: Form, place: [f64; 3], scale: f64, random: &mut Random) -> ([[f32; 3]; 3], f64) {
    let (u, v) = (vector(random), vector(random));
    let along = |u: [f64; 3], v: [f64; 3], share: f64, width: f64| -> [f64; 3] {
        std::array::from_fn(|i| share * u[i] + width * v[i])
    };
    let (u, v, trust) = match form {
        Form::Any | Form::Placed => (u, v, 1e-5),
        Form::Sliver => (u, along(u, v, random.unit_f64(), 1e-4), 1e-2),
        Form::Needle => (u, v.map(|x| 1e-4 * x), 1e-2),
        Form::Floor => ([1e4 * u[0], 0.0, 1e4 * u[2]], [1e4 * v[0], 0.0, 1e4 * v[2]], 0.0),
    };
    let place = if form == Form::Floor { [place[0], 0.0, place[2]] } else { place };
    let corners = [place, along(place, u, 1.0, 1.0), along(place, v, 1.0, 1.0)];
    let corners = match form {
        Form::Placed => {
            let own = 1e3;
            let turned = Affine::rotation(40.0, [1.0, 2.0, -1.0]).after(&Affine::scale([1.0, 0.3, 2.0]));
            let map = Affine::scale([(scale / own) as f32; 3]).after(&turned);
            corners.map(|p| map.point(p.map(|x| (x * own) as f32)))
        }
        _ => corners.map(|p| p.map(|x| (x * scale) as f32)),
    };
    (corners, trust)
}

/// Returns a random direction on the side of the unit normal `n`, often a grazing one, with a cosine down to 1e-6.
fn leaving(n: [f64; 3], trust: f64, random: &mut Random) -> [f32; 3] {
    let d = vector(random);
    let along = dot(d, n);
    let cos = if random.unit_f64() < 0.4 { along.abs() } else { 10f64.powf(-6.0 * random.unit_f64()) };
    let cos = cos.max(trust);
    std::array::from_fn(|i| (d[i] + (cos - along) * n[i]) as f32)
}

/// Returns the number of rays that hit their own triangle again, with `count` rays from each form, scale and place of
/// triangles.
fn count_again(count: usize, mut origin: impl FnMut(&[[f32; 3]; 3], f32, f32, [f32; 3]) -> [f32; 3]) -> usize {
    let mut random = Random::new(3);
    let mut again = 0;
    for form in FORMS {
        for scale in [1e-9, 1e-6, 3e-4, 1e-3, 1.0, 1e3, 1e6, 1e9] {
            for shift in [0.0, 1.0, 100.0, 1e4] {
                for _ in 0..count {
                    let place = vector(&mut random).map(|x| x * shift);
                    let (corners, trust) = triangle(form, place, scale, &mut random);
                    let n = exact_normal(&corners);
                    if n[0].is_nan() {
                        continue;
                    }
                    let (u, v) = (random.unit_f64(), random.unit_f64());
                    let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
                    let side = if random.unit_f64() < 0.5 { n } else { n.map(|x| -x) };
                    let direction = leaving(side, trust, &mut random);
                    let ray = Ray::new(origin(&corners, u as f32, v as f32, direction), direction);
                    let test = Watertight::new(&ray);
                    // The other half of its parallelogram, whose corner rounds too.
                    let [a, b, c] = corners;
                    let beside = [b, std::array::from_fn(|i| b[i] + c[i] - a[i]), c];
                    let is_flat = form == Form::Floor;
                    let is_hit = |corners: &[[f32; 3]; 3]| test.test(corners).is_some_and(|tuv| tuv[0] >= 0.0);
                    again += usize::from(is_hit(&corners) || (is_flat && is_hit(&beside)));
                }
            }
        }
    }
    again
}

#[test]
fn rays_do_not_hit_again_where_they_start() {
    let leaving = |corners: &[[f32; 3]; 3], u, v, direction| origin_leaving(*corners, u, v, direction);
    assert_eq!(count_again(1000, leaving), 0);
}

#[test]
fn from_an_eighth_of_the_distance_some_would() {
    // So the test above can tell.
    let nearer = |corners: &[[f32; 3]; 3], u, v, direction| {
        let (at, moved) = (point(corners, u, v), origin_leaving(*corners, u, v, direction));
        std::array::from_fn(|i| at[i] + 0.125 * (moved[i] - at[i]))
    };
    assert!(count_again(1000, nearer) > 10);
}

fn point(&[a, b, c]: &[[f32; 3]; 3], u: f32, v: f32) -> [f32; 3] {
    std::array::from_fn(|i| a[i] + u * (b[i] - a[i]) + v * (c[i] - a[i]))
}

#[test]
fn points_move_no_farther_than_is_written() {
    let mut random = Random::new(5);
    for form in FORMS {
        for scale in [1e-9, 3e-4, 1.0, 1e9] {
            for _ in 0..1000 {
                let place = vector(&mut random).map(|x| x * 100.0);
                let (corners, _) = triangle(form, place, scale, &mut random);
                let n = exact_normal(&corners);
                let p = point(&corners, 0.25, 0.5);
                let extent = corners.as_flattened().iter().zip(p.iter().cycle()).map(|(c, p)| (c - p).abs());
                let extent = f64::from(extent.fold(0.0, f32::max));
                let moved = offset_from_triangle(p, n.map(|x| x as f32), extent as f32);
                let way: [f64; 3] = std::array::from_fn(|i| f64::from(moved[i]) - f64::from(p[i]));
                let along: f64 = (0..3).map(|i| (n[i] * f64::from(p[i])).abs()).sum();
                let bound = 2f64.powi(-21) * (along + extent);
                // And what the sum rounds.
                let rounding: f64 = (0..3).map(|i| (n[i] * 2f64.powi(-24) * f64::from(p[i])).abs()).sum();
                let height = dot(way, n);
                let slack = 1e-5 * bound + 1.01 * rounding;
                assert!(height > 0.0 && (height - bound).abs() <= slack, "{form:?}, {scale}: {height} for {bound}");
            }
        }
    }
}

#[test]
fn a_power_of_two_changes_no_digit() {
    let mut random = Random::new(7);
    for _ in 0..1000 {
        let (corners, _) = triangle(Form::Any, vector(&mut random), 1.0, &mut random);
        let direction = vector(&mut random).map(|x| x as f32);
        let at = origin_leaving(corners, 0.3, 0.3, direction);
        for scale in [2f32.powi(-30), 2f32.powi(-12), 2f32.powi(30)] {
            let scaled = origin_leaving(corners.map(|p| p.map(|x| x * scale)), 0.3, 0.3, direction);
            assert_eq!(scaled, at.map(|x| x * scale), "{corners:?} times {scale}");
        }
    }
}

#[test]
fn what_cannot_move_stays() {
    assert_eq!(offset_from_triangle([f32::MAX; 3], [1.0, 0.0, 0.0], f32::MAX), [f32::MAX; 3]);
    assert_eq!(offset_from_triangle([0.0; 3], [0.0, 1.0, 0.0], 0.0), [0.0; 3]);
    let point = [[1.0, 2.0, 3.0]; 3];
    assert_eq!(origin_leaving(point, 0.2, 0.2, [0.0, 1.0, 0.0]), point[0]);
}
