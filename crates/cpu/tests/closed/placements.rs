//! Closed meshes in scenes of two levels: whole under a transform, or cut into parts that meet bit for bit.

use super::meshes::SplitMix64;
use raywarp_bvh::{BuildOptions, build};
use raywarp_cpu::{CpuTracer, LevelsTracer, TreePlacement};
use raywarp_geom::{Affine64, FlatTriangles};
use std::sync::Arc;

type P = [f32; 3];

/// A transform that turns, may mirror, and scales by 1 to 2 times `size` by direction, to `place`.
pub fn transform(size: f32, place: P, random: &mut SplitMix64) -> Affine64 {
    let mut sign = || if random.below(2) == 0 { 1.0 } else { -1.0 };
    let signs = [sign(), sign(), sign()];
    let scale = signs.map(|sign| sign * f64::from(size) * f64::from(random.unit()).exp2());
    let axis = random.point().map(f64::from);
    let turn = Affine64::rotation(360.0 * f64::from(random.unit()), axis);
    Affine64::translation(place.map(f64::from)).after(&turn).after(&Affine64::scale(scale))
}

/// A tracer through `triangles`, each in its tree's own space, in one tree that `map` places.
pub fn whole(triangles: &[[P; 3]], map: &Affine64) -> LevelsTracer {
    LevelsTracer::new(vec![tree(triangles.to_vec())], &[placement(0, map)]).expect("a sound placement")
}

/// A tracer as [`whole`] makes, whose map moves from one to another.
pub fn moving(triangles: &[[P; 3]], [start, end]: [Affine64; 2]) -> LevelsTracer {
    let placement = TreePlacement { end: Some(end), ..placement(0, &start) };
    LevelsTracer::new(vec![tree(triangles.to_vec())], &[placement]).expect("a sound placement")
}

/// A tracer through `triangles`, in parts of one to eight of them. Each part is a tree of its own that a random
/// transform takes to its place, and corners get there bit for bit, so that seams have no gap.
///
/// The triangles' coordinates are multiples of a power of two ([`to_grid`]), else their bits might not be found.
pub fn cut(triangles: &[[P; 3]], size: f32, random: &mut SplitMix64) -> LevelsTracer {
    let (mut trees, mut placements) = (Vec::new(), Vec::new());
    let mut rest = triangles;
    while !rest.is_empty() {
        let most = rest.len().min(1 + random.below(8));
        let moved = (0..100).find_map(|tried| {
            // Of corners far from each other hardly any transform has the bits of all: then fewer.
            let (part, others) = rest.split_at((most >> (tried / 8)).max(1));
            let shift = random.point();
            // Near the part, whose own coordinates are small then and so have bits to choose from; and on the grid, as
            // sums that cancel have no more bits than it.
            let middle = std::array::from_fn(|i| rounded_to_grid(part[0][0][i] + 0.25 * size * shift[i], size));
            let map = transform(size, middle, random);
            Some((map, moved_back(part, &map, random)?, others))
        });
        let (map, own, others) = moved.expect("one of many transforms has the bits of a few corners");
        placements.push(placement(trees.len() as u32, &map));
        trees.push(tree(own));
        rest = others;
    }
    LevelsTracer::new(trees, &placements).expect("sound placements")
}

/// Rounds coordinates to multiples of some 2^-18 of `size`, so that there is more than one way to come by their bits.
/// Equal corners stay equal.
pub fn to_grid(triangles: &mut [[P; 3]], size: f32) {
    triangles.iter_mut().flatten().flatten().for_each(|x| *x = rounded_to_grid(*x, size));
}

fn rounded_to_grid(x: f32, size: f32) -> f32 {
    let grid = size.log2().floor().exp2() * 2f32.powi(-18);
    // Far from the origin the quotient is 2^24 or more, and stays.
    (x / grid).round() * grid
}

/// Corners that the rule of flattening takes by `map` to those of `part`; `None` if some are not found.
fn moved_back(part: &[[P; 3]], map: &Affine64, random: &mut SplitMix64) -> Option<Vec<[P; 3]>> {
    let (rule, back) = (map.rounded(), Affine64::from(&map.rounded()).inverse()?);
    let mut corner = |wanted: P| -> Option<P> {
        let near = back.point(wanted.map(f64::from));
        let step = near.iter().fold(0.0f64, |largest, x| largest.max(x.abs())) * 2f64.powi(-24);
        // As the rule rounds, it takes some neighbour of what is exact there: of some thousand one is mostly enough.
        // First come those that it moves by almost as much as it may, as boxes have to allow for.
        let tried = (0..3000).map(|i| {
            let far = if i < 100 { 0.49 } else { 0.0 };
            let within = random.point();
            let exact = std::array::from_fn(|k| {
                f64::from(wanted[k])
                    + far * f64::from(within[k]) * f64::from(wanted[k].abs().next_up() - wanted[k].abs())
            });
            let shift = random.point().map(|x| f64::from(i % 100 % 4 + i / 500) * step * f64::from(x));
            let near = back.point(exact);
            std::array::from_fn(|k| (near[k] + shift[k]) as f32)
        });
        tried.into_iter().find(|&p| rule.point(p) == wanted)
    };
    part.iter().map(|corners| Some([corner(corners[0])?, corner(corners[1])?, corner(corners[2])?])).collect()
}

fn tree(triangles: Vec<[P; 3]>) -> Arc<CpuTracer> {
    let triangles = FlatTriangles::from_vertices(triangles);
    let bvh = build(&triangles, &BuildOptions::default()).expect("sound triangles");
    Arc::new(CpuTracer::new(&bvh, &triangles).expect("a sound tree"))
}

fn placement(tree: u32, map: &Affine64) -> TreePlacement {
    TreePlacement::still(tree, *map, tree)
}
