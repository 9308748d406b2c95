//! Closed meshes that no ray may leave: of size 1 around the origin, with a test of points that are surely inside.

mod placed;
mod random;

pub use placed::{OFFSETS, Placed, SIZES};
pub use random::SplitMix64;

type P = [f32; 3];

/// Closed mesh of about size 1 around the origin.
#[derive(Debug, Clone)]
pub struct ClosedMesh {
    /// Name of the shape.
    pub name: &'static str,
    /// Corners of the triangles; neighbours share theirs bit for bit.
    pub triangles: Vec<[P; 3]>,
    /// Half of the side lengths of the mesh's bounding box.
    pub extent: P,
    /// Function that returns `true` for points well inside the mesh, in its own coordinates.
    pub holds: fn(P) -> bool,
}

impl ClosedMesh {
    /// Returns the mesh scaled by `size` with its centre at `place`, each vertex rounded once, so that it stays closed.
    pub fn placed(&self, size: f32, place: P) -> Vec<[P; 3]> {
        self.triangles.iter().map(|t| t.map(|p| at(p, size, place))).collect()
    }

    /// Returns a random point well inside the mesh that is scaled by `size` and centred at `place`.
    pub fn inner(&self, size: f32, place: P, random: &mut SplitMix64) -> P {
        loop {
            let p = random.point();
            let p = std::array::from_fn(|i| p[i] * self.extent[i]);
            if (self.holds)(p) {
                return at(p, size, place);
            }
        }
    }

    /// Returns the point level with the mesh's centre from which a ray along `axis` reaches `target`; `None` unless it
    /// is well inside. The mesh is scaled by `size` and centred at `place`.
    pub fn inner_along(&self, axis: usize, target: P, size: f32, place: P) -> Option<P> {
        let mut origin = target;
        origin[axis] = place[axis];
        let unit: P = std::array::from_fn(|i| (origin[i] - place[i]) / size);
        (self.holds)(unit.map(|x| 1.01 * x)).then_some(origin)
    }
}

/// Returns the centre for a mesh of size `size`, about `offset` sizes away from the origin.
pub fn place(size: f32, offset: f32) -> P {
    [0.8, -0.55, 0.3].map(|x: f32| x * offset * size)
}

/// Returns where a mesh's point `p` lies once the mesh is scaled by `size` and centred at `place`.
pub fn at(p: P, size: f32, place: P) -> P {
    std::array::from_fn(|i| (f64::from(p[i]) * f64::from(size) + f64::from(place[i])) as f32)
}

/// Returns the closed test meshes: a ball, a cube, a torus, a coin and a needle.
pub fn all() -> Vec<ClosedMesh> {
    let long = |p: P| [p[0], 0.05 * p[1], 0.05 * p[2]];
    vec![
        ClosedMesh { name: "ball", triangles: ball(4), extent: [1.0; 3], holds: |p| dot(p, p) < 0.5 },
        ClosedMesh { name: "cube", triangles: cube(8), extent: [1.0; 3], holds: |p| p.iter().all(|x| x.abs() < 0.9) },
        ClosedMesh {
            name: "torus",
            triangles: torus(32, 16),
            extent: [1.0, 1.0, 0.3],
            holds: |p| around_core(p) < 0.15,
        },
        // Flat as a coin.
        ClosedMesh {
            name: "coin",
            triangles: ball(4).into_iter().map(|t| t.map(|p| [p[0], p[1], 0.05 * p[2]])).collect(),
            extent: [1.0, 1.0, 0.05],
            holds: |p| p[0] * p[0] + p[1] * p[1] + 400.0 * p[2] * p[2] < 0.5,
        },
        // Slivers 100 times as long as wide.
        ClosedMesh {
            name: "needle",
            triangles: globe(128, 8).into_iter().map(|t| t.map(long)).collect(),
            extent: [1.0, 0.05, 0.05],
            holds: |p| p[0] * p[0] + 400.0 * (p[1] * p[1] + p[2] * p[2]) < 0.4,
        },
    ]
}

fn dot(a: P, b: P) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn around_core([x, y, z]: P) -> f32 {
    let from_core = x.hypot(y) - 0.7;
    from_core.hypot(z)
}

/// Returns the unit sphere as an octahedron subdivided `levels` times, with 8 * 4^levels triangles.
fn ball(levels: u32) -> Vec<[P; 3]> {
    let corner = |axis: usize, sign: f32| -> P { std::array::from_fn(|i| if i == axis { sign } else { 0.0 }) };
    let mut triangles: Vec<[P; 3]> = (0..8)
        .map(|signs| std::array::from_fn(|axis| corner(axis, if signs >> axis & 1 == 0 { 1.0 } else { -1.0 })))
        .collect();
    // Symmetric in a and b, so that neighbours share the corner bit for bit.
    let middle = |a: P, b: P| -> P {
        let m: P = std::array::from_fn(|i| 0.5 * (a[i] + b[i]));
        m.map(|x| x / dot(m, m).sqrt())
    };
    for _ in 0..levels {
        let split = |[a, b, c]: [P; 3]| {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        triangles = triangles.into_iter().flat_map(split).collect();
    }
    triangles
}

/// Returns the cube from -1 to 1 with `12 n^2` triangles.
fn cube(n: usize) -> Vec<[P; 3]> {
    let mut triangles = Vec::new();
    for face in 0..6 {
        let (axis, sign) = (face / 2, if face % 2 == 0 { 1.0 } else { -1.0 });
        let corner = |i: usize, j: usize| -> P {
            let mut p = [sign; 3];
            p[(axis + 1) % 3] = 2.0 * i as f32 / n as f32 - 1.0;
            p[(axis + 2) % 3] = 2.0 * j as f32 / n as f32 - 1.0;
            p
        };
        triangles.extend(quads(n, n, corner));
    }
    triangles
}

/// Returns a torus around the z axis, with a core circle of radius 0.7 and a tube of radius 0.3.
fn torus(around: usize, tube: usize) -> Vec<[P; 3]> {
    let ring = |i: usize, n: usize| std::f32::consts::TAU * (i % n) as f32 / n as f32;
    quads(around, tube, |i, j| {
        let (a, b) = (ring(i, around), ring(j, tube));
        let r = 0.7 + 0.3 * b.cos();
        [r * a.cos(), r * a.sin(), 0.3 * b.sin()]
    })
}

/// Returns the unit sphere divided by longitude and latitude, with its poles on the x axis.
fn globe(around: usize, rows: usize) -> Vec<[P; 3]> {
    let triangles = quads(around, rows, |i, j| {
        let a = std::f32::consts::TAU * (i % around) as f32 / around as f32;
        // The same pole whatever the longitude.
        if j == 0 || j == rows {
            return [if j == 0 { 1.0 } else { -1.0 }, 0.0, 0.0];
        }
        let b = std::f32::consts::PI * j as f32 / rows as f32;
        [b.cos(), b.sin() * a.cos(), b.sin() * a.sin()]
    });
    triangles.into_iter().filter(|[a, b, c]| a != b && b != c && c != a).collect()
}

/// Returns two triangles for each cell of an `n` by `m` grid whose corner `(i, j)` is `corner(i, j)`.
fn quads(n: usize, m: usize, corner: impl Fn(usize, usize) -> P) -> Vec<[P; 3]> {
    let field = |f: usize| {
        let (i, j) = (f / m, f % m);
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1)];
        [[a, b, c], [b, d, c]]
    };
    (0..n * m).flat_map(field).collect()
}
