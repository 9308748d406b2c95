//! A scene whose trees are chains: each level half as large as the one before, and as many triangles on it.

use raywarp_bvh::{Bvh2, Node};
use raywarp_geom::triangle::Watertight;
use raywarp_geom::{Aabb, Control, FlatTriangles, Hit, Ray, Tracer};
use raywarp_testing::cases;

/// Clusters at a level of the chain, of three triangles each: as many as fill a node of eight beside the rest of the chain.
const CLUSTERS: usize = 7;

/// The triangles of `levels` levels, each half as large as the one before and nearer to the origin.
pub fn triangles(levels: usize) -> FlatTriangles {
    let of_level = |level: usize| {
        let size = 0.5f32.powi(level as i32);
        (0..3 * CLUSTERS).map(move |i| {
            let turn = (i / 3) as f32 * 0.8 + (i % 3) as f32 * 0.1;
            let [x, y] = [turn.cos() * size, turn.sin() * size];
            let z = size * (1.0 + 0.1 * (i % 3) as f32);
            [[x, y, z], [x + 0.3 * size, y, z], [x, y + 0.3 * size, 1.1 * z]]
        })
    };
    FlatTriangles::from_vertices((0..levels).flat_map(of_level).collect())
}

/// What a tree is made of by hand.
enum Part {
    Leaf(u32),
    Both(Box<Part>, Box<Part>),
}

/// All of `parts`, halved and halved again.
fn balanced(mut parts: Vec<Part>) -> Part {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let rest = parts.split_off(parts.len() / 2);
    Part::Both(Box::new(balanced(parts)), Box::new(balanced(rest)))
}

/// A chain in which each level has its clusters beside all that follows.
pub fn chain(triangles: &FlatTriangles) -> Bvh2 {
    let leaves = (0..triangles.len() as u32).map(Part::Leaf).collect::<Vec<_>>();
    let mut leaves = leaves.into_iter();
    let mut levels = Vec::new();
    while leaves.len() > 0 {
        let clusters = (0..CLUSTERS).map(|_| balanced(leaves.by_ref().take(3).collect())).collect();
        levels.push(balanced(clusters));
    }
    let all = levels.into_iter().rev().reduce(|rest, level| Part::Both(Box::new(level), Box::new(rest))).unwrap();
    let mut bvh = Bvh2 { nodes: Vec::new(), references: Vec::new(), primitive_count: triangles.len() as u32 };
    bvh.nodes.push(Node { bounds: Aabb::EMPTY, first: 0, count: 0 });
    place(&all, 0, triangles, &mut bvh);
    assert_eq!(bvh.validate(triangles), Ok(()));
    bvh
}

/// Puts `part` at `node`, what is below it depth first behind.
fn place(part: &Part, node: usize, triangles: &FlatTriangles, bvh: &mut Bvh2) -> Aabb {
    let (bounds, first, count) = match part {
        Part::Leaf(triangle) => {
            bvh.references.push(*triangle);
            let corners = triangles.vertices[*triangle as usize];
            let bounds = corners.iter().fold(Aabb::EMPTY, |all, &corner| all.union(&Aabb { min: corner, max: corner }));
            (bounds, bvh.references.len() as u32 - 1, 1)
        }
        Part::Both(left, right) => {
            let first = bvh.nodes.len();
            bvh.nodes.extend([Node { bounds: Aabb::EMPTY, first: 0, count: 0 }; 2]);
            let left = place(left, first, triangles, bvh);
            (left.union(&place(right, first + 1, triangles, bvh)), first as u32, 0)
        }
    };
    bvh.nodes[node] = Node { bounds, first, count };
    bounds
}

/// Rays at triangles of all levels, and some beside them.
pub fn rays(triangles: &FlatTriangles) -> Vec<Ray> {
    let mut random = raywarp_testing::Random::new(3);
    let mut point = || random.point();
    let mut ray = |i: usize| {
        let [a, b, c] = triangles.vertices[i * 7 % triangles.len()];
        let target: [f32; 3] = std::array::from_fn(|k| a[k] + 0.3 * (b[k] - a[k]) + 0.3 * (c[k] - a[k]));
        let (from, far) = (point(), [2.0, 2.0 * a[2]][i % 2]);
        let origin: [f32; 3] = std::array::from_fn(|k| target[k] + far * from[k]);
        let past = if i.is_multiple_of(5) { 0.01 } else { 0.0 };
        Ray::new(origin, std::array::from_fn(|k| target[k] - origin[k] + past))
    };
    (0..cases(300)).map(&mut ray).collect()
}

pub fn hits(tracer: &dyn Tracer, rays: &[Ray]) -> Vec<[u32; 4]> {
    let mut hits = vec![Hit::default(); rays.len()];
    tracer.closest(rays, &[], &mut hits, &mut [], &Control::default()).unwrap();
    hits.iter().map(|hit| [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.primitive]).collect()
}

/// Every triangle, no tree.
pub fn by_force(triangles: &FlatTriangles, rays: &[Ray]) -> Vec<[u32; 4]> {
    let one = |ray: &Ray| {
        let test = Watertight::new(ray);
        let mut best = [ray.t_max.to_bits(), 0, 0, Hit::MISS];
        for (primitive, corners) in triangles.vertices.iter().enumerate() {
            if let Some([t, u, v]) = test.test(corners).filter(|[t, ..]| (ray.t_min..=ray.t_max).contains(t))
                && t < f32::from_bits(best[0])
            {
                best = [t.to_bits(), u.to_bits(), v.to_bits(), primitive as u32];
            }
        }
        best
    };
    rays.iter().map(one).collect()
}
