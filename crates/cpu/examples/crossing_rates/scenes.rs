//! Scenes of closed surfaces.

use crate::Crosses;
use crate::closed::aim::Target;
use crate::closed::meshes::{self, ClosedMesh, SplitMix64};
use crate::closed::oriented::oriented;
use crate::closed::placements;
use raywarp_bvh::{BuildOptions, build, presets};
use raywarp_cpu::{CpuOptions, CpuTracer, LevelsTracer, TreePlacement};
use raywarp_geom::{Affine64, FlatTriangles, PrimitiveId};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

type P = [f32; 3];

/// What a scene is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Solids of unit cubes, all corners whole numbers of steps; rays along axes and diagonals.
    Lattice,
    /// A ball, a cube, a torus, a coin or a needle, 1e-6 to 1e6 large and 0 to 1e4 sizes away.
    Mesh,
    /// Several of these that overlap, contain each other, are cavities, or stand at the very same place.
    Solids,
    /// A closed surface through random points, which passes through itself, and tetrahedra.
    Random,
    /// Placements that turn, scale, mirror and overlap, flattened and in two levels.
    Placed,
}

impl Kind {
    pub const ALL: [Self; 5] = [Self::Lattice, Self::Mesh, Self::Solids, Self::Random, Self::Placed];

    pub fn name(self) -> &'static str {
        match self {
            Self::Lattice => "lattices",
            Self::Mesh => "meshes, at corners and along edges",
            Self::Solids => "solids that overlap and nest",
            Self::Random => "random closed meshes",
            Self::Placed => "placements, flat and two levels",
        }
    }
}

/// Closed surfaces and what traces them.
pub struct Scene {
    pub kind: Kind,
    /// Triangles in the world; their corners turn counter-clockwise as seen from outside of what they bound.
    pub triangles: Vec<[P; 3]>,
    /// Middle of the scene, and about half of its size.
    pub middle: P,
    pub size: f32,
    /// Of lattices the place of a corner by its numbers of half steps.
    pub lattice: Option<Lattice>,
    /// Whether an instance's triangles turn the other way in what is traced.
    pub mirrored: Vec<bool>,
    /// All of them have to cross the same.
    pub tracers: Vec<Crosses>,
}

/// Places of corners: equal numbers give equal bits.
#[derive(Clone, Copy)]
pub struct Lattice {
    pub step: f32,
    pub shift: P,
}

impl Lattice {
    pub fn at(&self, halves: [i32; 3]) -> P {
        std::array::from_fn(|i| halves[i] as f32 * (0.5 * self.step) + self.shift[i])
    }
}

/// Unit cubes along a side of what a lattice's solids are made of.
pub const CUBES: i32 = 6;

impl Scene {
    pub fn new(kind: Kind, random: &mut SplitMix64) -> Self {
        match kind {
            Kind::Lattice => lattice(random),
            Kind::Mesh => {
                let mesh = &meshes()[random.below(meshes().len())];
                let size = [1e-6, 1e-3, 1.0, 1e3, 1e6][random.below(5)];
                let target = Target::new(mesh, size, [0.0, 1.0, 1e2, 1e4][random.below(4)]);
                flat(kind, target.triangles, (target.place, size), random)
            }
            Kind::Solids => solids(random),
            Kind::Random => flat(kind, tangle(random), ([0.0; 3], 1.0), random),
            Kind::Placed => placed(random),
        }
    }
}

/// The closed meshes, the triangles of each turned alike.
fn meshes() -> &'static [ClosedMesh] {
    static MESHES: OnceLock<Vec<ClosedMesh>> = OnceLock::new();
    MESHES.get_or_init(|| {
        let turned = |mesh: ClosedMesh| ClosedMesh { triangles: oriented(&mesh.triangles), ..mesh };
        meshes::all().into_iter().map(turned).collect()
    })
}

/// A tracer over a plain tree or, as often, over one that cuts triangles.
fn tracer(triangles: &FlatTriangles, random: &mut SplitMix64) -> CpuTracer {
    let preset = if random.below(2) == 0 { BuildOptions::default() } else { presets::SINGLE_SPLIT };
    let tree = build(triangles, &BuildOptions { split_alpha: 0.0, ..preset }).expect("sound triangles");
    CpuTracer::with_options(&tree, triangles, &CpuOptions::default()).expect("a sound tree")
}

fn flat(kind: Kind, triangles: Vec<[P; 3]>, (middle, size): (P, f32), random: &mut SplitMix64) -> Scene {
    let tracers = vec![Crosses::Flat(tracer(&FlatTriangles::from_vertices(triangles.clone()), random))];
    Scene { kind, triangles, middle, size, lattice: None, mirrored: vec![false], tracers }
}

/// The faces between full and empty cubes of two random solids, which overlap; so do faces.
fn lattice(random: &mut SplitMix64) -> Scene {
    // Not only powers of two: corners are rounded, and rays along axes still pass them exactly.
    let step = [1.0, 0.25, 0.1, 1e-5, 3e4][random.below(5)];
    let shift = [0.0, 1.0, 100.0][random.below(3)] * step;
    let lattice = Lattice { step, shift: [shift, 0.7 * shift, -0.3 * shift] };
    let mut triangles = Vec::new();
    for _ in 0..2 {
        let full: Vec<bool> = (0..CUBES.pow(3)).map(|_| random.below(3) > 0).collect();
        let is_full = |[x, y, z]: [i32; 3]| {
            let is_in = [x, y, z].iter().all(|k| (0..CUBES).contains(k));
            is_in && full[(x + CUBES * (y + CUBES * z)) as usize]
        };
        for cube in (0..CUBES.pow(3)).map(|i| [i % CUBES, i / CUBES % CUBES, i / CUBES.pow(2)]) {
            for axis in 0..3 {
                for side in [0, 1] {
                    let mut beyond = cube;
                    beyond[axis] += 2 * side - 1;
                    if !is_full(cube) || is_full(beyond) {
                        continue;
                    }
                    let corner = |u: i32, v: i32| {
                        let mut halves = cube.map(|k| 2 * k);
                        halves[axis] += 2 * side;
                        halves[(axis + 1) % 3] += 2 * u;
                        halves[(axis + 2) % 3] += 2 * v;
                        lattice.at(halves)
                    };
                    let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    triangles.extend(if side == 1 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
                }
            }
        }
    }
    let middle = lattice.at([CUBES; 3]);
    let size = 0.5 * CUBES as f32 * step;
    Scene { lattice: Some(lattice), ..flat(Kind::Lattice, triangles, (middle, size), random) }
}

/// Two to five meshes.
fn solids(random: &mut SplitMix64) -> Scene {
    let mut triangles: Vec<[P; 3]> = Vec::new();
    for _ in 0..2 + random.below(4) {
        let mesh = &meshes()[random.below(meshes().len())];
        let size = 1.0 - 0.9 * random.unit();
        let mut solid = mesh.placed(size, random.point().map(|x| 0.5 * x));
        match random.below(4) {
            // A cavity, or less than nothing where it is alone.
            0 => solid.iter_mut().for_each(|corners| corners.swap(1, 2)),
            // Another at the very same place.
            1 => triangles.extend(&solid),
            _ => {}
        }
        triangles.extend(solid);
    }
    flat(Kind::Solids, triangles, ([0.0; 3], 1.2), random)
}

/// A closed mesh whose corners stand anywhere, more or less, and some tetrahedra.
fn tangle(random: &mut SplitMix64) -> Vec<[P; 3]> {
    let mesh = &meshes()[random.below(meshes().len())];
    let amount = [0.05, 0.3, 1.0][random.below(3)];
    let mut moved: HashMap<[u32; 3], P> = HashMap::new();
    let mut corner = |p: P| {
        let shift = random.point();
        let place = std::array::from_fn(|i| (1.0 - amount) * p[i] + amount * shift[i]);
        *moved.entry(p.map(|x| (x + 0.0).to_bits())).or_insert(place)
    };
    let mut triangles: Vec<[P; 3]> = mesh.triangles.iter().map(|corners| corners.map(&mut corner)).collect();
    for _ in 0..random.below(40) {
        let [a, b, c, d] = [random.point(), random.point(), random.point(), random.point()];
        triangles.extend([[a, c, b], [a, b, d], [b, c, d], [c, a, d]]);
    }
    triangles
}

/// Three meshes, placed eight times.
fn placed(random: &mut SplitMix64) -> Scene {
    let meshes: Vec<Vec<[P; 3]>> = (0..3)
        .map(|i| if i == 0 { tangle(random) } else { meshes()[random.below(meshes().len())].triangles.clone() })
        .collect();
    let far = [0.0, 1.0, 1e3][random.below(3)];
    let middle = random.point().map(|x| far * x);
    let (mut maps, mut flattened) = (Vec::<(usize, Affine64)>::new(), FlatTriangles::default());
    let (mut triangles, mut mirrored) = (Vec::new(), Vec::new());
    for instance in 0..8 {
        let near = random.point();
        let size = 0.2 + 0.8 * random.unit();
        let place = std::array::from_fn(|i| middle[i] + near[i]);
        let mut own = (random.below(3), placements::transform(size, place, random));
        // One stands where another does, one where its mesh was made.
        if instance == 6 {
            own = maps[random.below(6)];
        } else if instance == 7 && far == 0.0 {
            own.1 = Affine64::IDENTITY;
        }
        let (mesh, map) = (&meshes[own.0], own.1.rounded());
        let is_mirrored = map.determinant() < 0.0;
        for (primitive, corners) in (0..).zip(mesh) {
            let [a, b, c] = corners.map(|p| map.point(p));
            flattened.vertices.push([a, b, c]);
            flattened.ids.push(PrimitiveId { instance, primitive });
            flattened.opaque.push(true);
            triangles.push(if is_mirrored { [a, c, b] } else { [a, b, c] });
        }
        mirrored.push(is_mirrored);
        maps.push(own);
    }
    let trees = meshes.iter().map(|mesh| Arc::new(tracer(&FlatTriangles::from_vertices(mesh.clone()), random)));
    let place =
        |(base, &(tree, transform)): (u32, &(usize, Affine64))| TreePlacement::still(tree as u32, transform, base);
    let places: Vec<TreePlacement> = (0..).zip(&maps).map(place).collect();
    let levels = LevelsTracer::new(trees.collect(), &places).expect("sound placements");
    let tracers = vec![Crosses::Flat(tracer(&flattened, random)), Crosses::Levels(levels)];
    Scene { kind: Kind::Placed, triangles, middle, size: 2.0, lattice: None, mirrored, tracers }
}
