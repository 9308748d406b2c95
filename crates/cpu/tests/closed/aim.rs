//! Rays aimed at the edges, vertices and faces of a closed mesh, and the verdict on those that miss.

use super::exact::{Meeting, is_inside, meeting};
use super::meshes::{self, ClosedMesh, at};
use super::placements;
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_cpu::{CpuOptions, CpuTracer, LevelsTracer};
use raywarp_geom::{
    Aabb, Affine64, BatchStats, Candidate, Control, FlatTriangles, Hit, HitKey, Ray, RayCost, TraceError, Tracer,
};

pub use super::meshes::SplitMix64;

type P = [f32; 3];

/// What came of some rays.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Rays traced.
    pub rays: u64,
    /// Rays that hit nothing where they must hit.
    pub missed: u64,
    /// Rays from outside that hit nothing but cross the solid exactly, all nearer to its border than
    /// the rounding of coordinates: either answer is right.
    pub grazed: u64,
    /// One that missed.
    pub example: Option<Ray>,
}

impl Tally {
    /// Takes what came of others.
    pub fn add(&mut self, other: &Self) {
        self.rays += other.rays;
        self.missed += other.missed;
        self.grazed += other.grazed;
        self.example = self.example.or(other.example);
    }
}

/// A closed mesh at its place.
pub struct Target<'a> {
    pub mesh: &'a ClosedMesh,
    pub triangles: Vec<[P; 3]>,
    pub size: f32,
    pub place: P,
    /// What takes the mesh to its place, and back, where it is turned too.
    turned: Option<[Affine64; 2]>,
    tree: Bvh2,
}

/// Tracer of what moves, asked one ray a call at a time.
pub struct Moving {
    pub levels: LevelsTracer,
    pub time: f32,
}

impl Tracer for Moving {
    fn closest(
        &self,
        rays: &[Ray],
        _: &[HitKey],
        hits: &mut [Hit],
        _: &mut [u32],
        _: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        let at = self.levels.at(self.time);
        for (ray, hit) in rays.iter().zip(hits) {
            *hit = at.closest(ray, None).map_or(Hit::miss(ray.t_max), |found| found.0);
        }
        Ok(BatchStats::default())
    }

    fn any(
        &self,
        _: &[Ray],
        _: &[HitKey],
        _: &mut [u32],
        _: &mut Vec<Candidate>,
        _: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        unreachable!("the nearest hits are asked for")
    }

    fn cost(&self, _: &[Ray], _: &mut [RayCost], _: &Control<'_>) -> Result<BatchStats, TraceError> {
        unreachable!("the nearest hits are asked for")
    }

    fn preferred_batch(&self) -> usize {
        1
    }
}

impl<'a> Target<'a> {
    /// `mesh` of `size`, its middle `offset` times the size away from the origin of space.
    pub fn new(mesh: &'a ClosedMesh, size: f32, offset: f32) -> Self {
        let place = meshes::place(size, offset);
        Self::of(mesh, mesh.placed(size, place), (size, place), None)
    }

    /// The same, with coordinates of few bits, and a tracer through parts of it that are placed one by one and meet bit
    /// for bit ([`placements::cut`]).
    pub fn cut(mesh: &'a ClosedMesh, size: f32, offset: f32, seed: u64) -> (Self, LevelsTracer) {
        let place = meshes::place(size, offset);
        let mut triangles = mesh.placed(size, place);
        placements::to_grid(&mut triangles, size);
        let tracer = placements::cut(&triangles, size, &mut SplitMix64(seed));
        (Self::of(mesh, triangles, (size, place), None), tracer)
    }

    /// `mesh` of one to two times `size`, its middle as in [`Target::new`], turned and scaled by direction and perhaps
    /// mirrored by a transform; and a tracer that has the transform and the mesh as it is.
    pub fn turned(mesh: &'a ClosedMesh, size: f32, offset: f32, seed: u64) -> (Self, LevelsTracer) {
        let place = meshes::place(size, offset);
        let map = placements::transform(size, place, &mut SplitMix64(seed));
        let rule = map.rounded();
        let triangles = mesh.triangles.iter().map(|corners| corners.map(|p| rule.point(p))).collect();
        let back = map.inverse().expect("nothing is scaled to nothing");
        let tracer = placements::whole(&mesh.triangles, &map);
        (Self::of(mesh, triangles, (2.0 * size, place), Some([map, back])), tracer)
    }

    /// `mesh` as in [`Target::turned`], by a transform between two, which it is at some time on a way of some sizes;
    /// and a tracer that has both and the mesh as it is, asked at that time.
    pub fn moving(mesh: &'a ClosedMesh, size: f32, offset: f32, seed: u64) -> (Self, Moving) {
        let (place, mut random) = (meshes::place(size, offset), SplitMix64(seed));
        let moved = || {
            let ends = [(); 2].map(|()| {
                let shift = random.point();
                let place = std::array::from_fn(|i| place[i] + 3.0 * size * shift[i]);
                placements::transform(size, place, &mut random)
            });
            let time = random.unit();
            let rule = ends[0].rounded().between(&ends[1].rounded(), time);
            // What turns far is thin on its way: its middle would not be well inside.
            let map = Affine64::from(&rule);
            let back = map.inverse()?;
            let is_round = back.rows.iter().all(|row| row[..3].iter().all(|x| x.abs() * f64::from(size) < 3.0));
            is_round.then_some((ends, time, rule, map, back))
        };
        let (ends, time, rule, map, back) =
            std::iter::repeat_with(moved).flatten().next().expect("some of many turn little");
        let place = rule.point([0.0; 3]);
        let triangles = mesh.triangles.iter().map(|corners| corners.map(|p| rule.point(p))).collect();
        let tracer = Moving { levels: placements::moving(&mesh.triangles, ends), time };
        (Self::of(mesh, triangles, (2.0 * size, place), Some([map, back])), tracer)
    }

    fn of(
        mesh: &'a ClosedMesh,
        triangles: Vec<[P; 3]>,
        (size, place): (f32, P),
        turned: Option<[Affine64; 2]>,
    ) -> Self {
        let tree =
            build(&FlatTriangles::from_vertices(triangles.clone()), &BuildOptions::default()).expect("a sound mesh");
        Self { mesh, triangles, size, place, turned, tree }
    }

    /// A tracer through its triangles where they are.
    pub fn tracer(&self, options: &CpuOptions) -> CpuTracer {
        let triangles = FlatTriangles::from_vertices(self.triangles.clone());
        CpuTracer::with_options(&self.tree, &triangles, options).expect("a sound tree")
    }

    /// The triangles in the leaves below nodes whose boxes `wanted` takes.
    fn triangles_in(&self, wanted: impl Fn(&Aabb) -> bool) -> Vec<&[P; 3]> {
        let (mut found, mut stack) = (Vec::new(), vec![0u32]);
        while let Some(node) = stack.pop() {
            let node = &self.tree.nodes[node as usize];
            if !wanted(&node.bounds) {
                continue;
            }
            if node.is_leaf() {
                let leaf = &self.tree.references[node.first as usize..][..node.count as usize];
                found.extend(leaf.iter().map(|&i| &self.triangles[i as usize]));
            } else {
                stack.extend([node.first, node.first + 1]);
            }
        }
        found
    }

    /// A point that is well inside.
    pub fn inner(&self, random: &mut SplitMix64) -> P {
        let Some([map, _]) = &self.turned else { return self.mesh.inner(self.size, self.place, random) };
        map.point(self.mesh.inner(1.0, [0.0; 3], random).map(f64::from)).map(|x| x as f32)
    }

    /// The point level with the middle from which a ray along `axis` reaches `target`; `None` unless it is well inside.
    fn inner_along(&self, axis: usize, target: P) -> Option<P> {
        let Some([_, back]) = &self.turned else {
            return self.mesh.inner_along(axis, target, self.size, self.place);
        };
        let mut origin = target;
        origin[axis] = self.place[axis];
        let own = back.point(origin.map(f64::from));
        (self.mesh.holds)(own.map(|x| (1.01 * x) as f32)).then_some(origin)
    }

    /// A point of triangle `t`: a vertex, on an edge, or of the face; weights in f32, so that rays at an
    /// edge pass it on either side, or meet it exactly.
    fn aim(&self, random: &mut SplitMix64) -> P {
        let triangle = random.below(self.triangles.len());
        self.aim_at(triangle, random)
    }

    /// The same of one triangle.
    fn aim_at(&self, triangle: usize, random: &mut SplitMix64) -> P {
        let [a, b, c] = self.triangles[triangle];
        let s = if random.below(4) == 0 { 0.5 } else { random.unit() };
        match random.below(5) {
            0 => a,
            1 | 2 => std::array::from_fn(|i| a[i] + s * (b[i] - a[i])),
            3 => std::array::from_fn(|i| c[i] + s * (b[i] - c[i])),
            _ => {
                let r = random.unit() * (1.0 - s);
                std::array::from_fn(|i| a[i] + s * (b[i] - a[i]) + r * (c[i] - a[i]))
            }
        }
    }

    /// A ray from inside. Of 8 one is parallel to an axis, if a vertex lies so.
    pub fn inner_ray(&self, random: &mut SplitMix64) -> Ray {
        let (target, origin) = (self.aim(random), self.inner(random));
        if random.below(8) == 0 {
            let axis = random.below(3);
            if let Some(origin) = self.inner_along(axis, target) {
                let mut direction = [0.0; 3];
                direction[axis] = if target[axis] < origin[axis] { -1.0 } else { 1.0 };
                return Ray::new(origin, direction);
            }
        }
        Ray::new(origin, sub(target, origin))
    }

    /// A ray from outside, from up to 30 sizes away. Of 8 one is parallel to an axis.
    pub fn outer_ray(&self, random: &mut SplitMix64) -> Ray {
        let target = self.aim(random);
        let distance = 1.8 * 17f32.powf(random.unit());
        if random.below(8) == 0 {
            let axis = random.below(3);
            let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
            let (mut origin, mut direction) = (target, [0.0; 3]);
            origin[axis] = self.place[axis] - sign * distance * self.size;
            direction[axis] = sign;
            return Ray::new(origin, direction);
        }
        let p = loop {
            let p = random.point();
            let length = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
            if (0.1..=1.0).contains(&length) {
                break p.map(|x| x * distance / length);
            }
        };
        let origin = at(p, self.size, self.place);
        Ray::new(origin, sub(target, origin))
    }

    /// Whether what shall be inside is so as exact arithmetic counts; false when rounding to a far place has
    /// folded the mesh.
    pub fn holds_its_middle(&self) -> bool {
        let mut random = SplitMix64(1);
        (0..20).all(|_| is_inside(&self.triangles, self.inner(&mut random).map(f64::from)) == Some(true))
    }

    /// Whether the ray, from outside, has a point in the solid that is farther from the surface than
    /// rounding moves anything; `None` if it crosses, but nowhere so deep.
    pub fn must_hit(&self, ray: &Ray) -> Option<bool> {
        let mut crossings: Vec<f64> = Vec::new();
        for triangle in self.triangles_in(|aabb| passes_near(ray, aabb)) {
            match meeting(ray, triangle) {
                Meeting::Apart | Meeting::Crosses { behind: true } => {}
                _ => crossings.extend(distance_along(ray, triangle).filter(|&t| t > 0.0)),
            }
        }
        if crossings.is_empty() {
            return Some(false);
        }
        crossings.sort_by(f64::total_cmp);
        let point = |t: f64| -> [f64; 3] {
            std::array::from_fn(|i| f64::from(ray.origin[i]) + t * f64::from(ray.direction[i]))
        };
        let reach = self.triangles.iter().flatten().flat_map(|v| (0..3).map(|i| (v[i] - ray.origin[i]).abs()));
        let tolerance = 8.0 * f64::from(f32::EPSILON) * f64::from(reach.fold(0.0, f32::max));
        let length = dot64(ray.direction.map(f64::from), ray.direction.map(f64::from)).sqrt();
        for pair in crossings.windows(2) {
            for share in [0.5f64, 0.15, 0.85] {
                // The ends lie on the surface, so that no point of a short chord is deep.
                if share.min(1.0 - share) * (pair[1] - pair[0]) * length <= tolerance {
                    continue;
                }
                let p = point(pair[0] + (pair[1] - pair[0]) * share);
                let is_near = |i: usize, aabb: &Aabb| {
                    f64::from(aabb.min[i]) - 2.0 * tolerance <= p[i] && p[i] <= f64::from(aabb.max[i]) + 2.0 * tolerance
                };
                let around = self.triangles_in(|aabb| (0..3).all(|i| is_near(i, aabb)));
                let is_deep = around.iter().all(|t| distance(&p, t) > tolerance);
                if is_deep && is_inside(&self.triangles, p) == Some(true) {
                    return Some(true);
                }
            }
        }
        None
    }

    /// Traces `count` rays of a stream and judges those that miss.
    pub fn tally(&self, tracer: &dyn Tracer, inside: bool, count: usize, seed: u64) -> Tally {
        let mut random = SplitMix64(seed);
        let ray = |_| if inside { self.inner_ray(&mut random) } else { self.outer_ray(&mut random) };
        self.judge(tracer, inside, &(0..count).map(ray).collect::<Vec<_>>())
    }

    /// The same of bundles of 16 rays, each from one point and at one triangle, its edges and its vertices: most of
    /// them are coherent.
    pub fn tally_bundles(&self, tracer: &dyn Tracer, inside: bool, count: usize, seed: u64) -> Tally {
        let mut random = SplitMix64(seed);
        let mut rays = Vec::with_capacity(count);
        while rays.len() < count {
            let first = if inside { self.inner_ray(&mut random) } else { self.outer_ray(&mut random) };
            let triangle = random.below(self.triangles.len());
            let ray = |_| Ray::new(first.origin, sub(self.aim_at(triangle, &mut random), first.origin));
            rays.extend((0..16.min(count - rays.len())).map(ray));
        }
        self.judge(tracer, inside, &rays)
    }

    /// Traces rays and judges those that miss.
    fn judge(&self, tracer: &dyn Tracer, inside: bool, rays: &[Ray]) -> Tally {
        let count = rays.len();
        let mut hits = vec![Hit::default(); count];
        for (rays, hits) in rays.chunks(4096).zip(hits.chunks_mut(4096)) {
            tracer.closest(rays, &[], hits, &mut [], &Control::default()).expect("nobody cancels");
        }
        let mut tally = Tally { rays: count as u64, ..Tally::default() };
        for (ray, _) in rays.iter().zip(&hits).filter(|(_, hit)| !hit.is_hit()) {
            // From inside nothing may leave.
            match if inside { Some(true) } else { self.must_hit(ray) } {
                Some(true) => {
                    tally.missed += 1;
                    tally.example = tally.example.or(Some(*ray));
                }
                Some(false) => {}
                None => tally.grazed += 1,
            }
        }
        tally
    }
}

fn sub(a: P, b: P) -> P {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot64(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Whether the line passes near the box: f64 would be off by far less.
fn passes_near(ray: &Ray, aabb: &Aabb) -> bool {
    let (mut near, mut far) = (f64::NEG_INFINITY, f64::INFINITY);
    let largest = |p: &P| p.iter().fold(0.0f64, |m, &x| m.max(f64::from(x).abs()));
    let slack = 1e-6 * (largest(&aabb.min) + largest(&aabb.max) + largest(&ray.origin));
    for i in 0..3 {
        let [o, d, min, max] = [ray.origin[i], ray.direction[i], aabb.min[i], aabb.max[i]].map(f64::from);
        let slack = slack + 1e-3 * f64::from(aabb.extent()[i]);
        let (low, high) = (min - slack - o, max + slack - o);
        if d == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
        } else {
            near = near.max((low / d).min(high / d));
            far = far.min((low / d).max(high / d));
        }
    }
    near <= far
}

/// Where the line meets the triangle's plane, nearly; `None` if it lies along it.
fn distance_along(ray: &Ray, triangle: &[P; 3]) -> impl Iterator<Item = f64> {
    let [a, b, c] =
        triangle.map(|p| -> [f64; 3] { std::array::from_fn(|i| f64::from(p[i]) - f64::from(ray.origin[i])) });
    let (x, y): ([f64; 3], [f64; 3]) = (std::array::from_fn(|i| b[i] - a[i]), std::array::from_fn(|i| c[i] - a[i]));
    let n = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
    let t = dot64(n, a) / dot64(n, ray.direction.map(f64::from));
    t.is_finite().then_some(t).into_iter()
}

/// Distance of a point from a triangle, in f64: from its nearest edge, or from its plane if it projects
/// inside.
pub fn distance(p: &[f64; 3], triangle: &[P; 3]) -> f64 {
    let v: [[f64; 3]; 3] = triangle.map(|q| std::array::from_fn(|i| f64::from(q[i]) - p[i]));
    let minus = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] { std::array::from_fn(|i| a[i] - b[i]) };
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let n = cross(minus(v[1], v[0]), minus(v[2], v[0]));
    let inside = (0..3).all(|i| dot64(cross(v[i], v[(i + 1) % 3]), n) >= 0.0);
    if inside && dot64(n, n) > 0.0 {
        return (dot64(v[0], n) / dot64(n, n).sqrt()).abs();
    }
    let from_edge = |i: usize| {
        let (a, along) = (v[i], minus(v[(i + 1) % 3], v[i]));
        let s = (-dot64(a, along) / dot64(along, along)).clamp(0.0, 1.0);
        let nearest: [f64; 3] = std::array::from_fn(|k| a[k] + s * along[k]);
        dot64(nearest, nearest).sqrt()
    };
    // NaN, of an edge without length, loses.
    (0..3).map(from_edge).fold(f64::INFINITY, f64::min)
}
