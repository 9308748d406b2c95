//! What rounding does to each triangle of a scene, and what it would do under another center.

use super::rounding::PLAIN;
use super::{Center, GAIN, HURT, Moved, Rounding, nearest};
use crate::{MeshId, Scene};
use rayon::prelude::*;
use raywarp_geom::{Affine, TriangleMesh};

/// Triangles of a mesh that are looked at in a run.
const RUN: usize = 1 << 14;
/// Triangles of a scene that are looked at, more or less: of more, every so manieth stands for the others. So many tell
/// shares of a hundredth within a fiftieth, and take 15 ms; copies of copies make any number of triangles.
pub(super) const MOST_LOOKED: u64 = 1 << 18;
/// Hurt triangles of a run that are kept as samples.
const SAMPLES: usize = 64;

/// What is known of a scene's triangles.
#[derive(Default)]
pub(super) struct Looked {
    pub rounding: Rounding,
    /// Triangles where any point, such as a ray's origin or a hit, is rounded so much that a corner would be hurt; with those
    /// that are, and those that have become points.
    pub coarse: u64,
    /// First corners of some of these.
    pub samples: Vec<[f32; 3]>,
    /// Those that are coarse under the other center at most.
    pub hurt_then: u64,
    /// Those that are coarse, and whose numbers the other center makes smaller by [`GAIN`].
    pub gained: u64,
    /// All whose numbers it makes smaller by [`GAIN`].
    pub nearer: u64,
}

impl Looked {
    fn and(mut self, other: Self) -> Self {
        self.rounding = self.rounding.add(other.rounding);
        self.coarse += other.coarse;
        self.samples.extend(other.samples);
        self.hurt_then += other.hurt_then;
        self.gained += other.gained;
        self.nearer += other.nearer;
        self
    }
}

/// At what else is looked than the triangles that are hurt.
#[derive(Clone, Copy)]
pub(super) enum Under<'a> {
    /// Nothing.
    Run,
    /// What another center would do for the same triangles.
    Hurt(&'a Center),
    /// What another center would do for all triangles, which takes far longer.
    All(&'a Center),
}

/// What meshes say of their triangles; `None` of those of which nothing is asked.
pub(super) struct Summaries(Vec<Option<Summary>>);

impl Summaries {
    pub fn of(scene: &Scene, run: &Center) -> Self {
        // Nothing is asked of a mesh that only stands as its file has it, with positions that f32 holds, and near zero: most
        // files are such.
        let moved = |mesh| run.moved(MeshId(mesh as u32));
        let is_asked = |mesh: usize| moved(mesh).by > 0.0 || is_far(&scene.meshes[mesh].triangles);
        let mut is_asked: Vec<bool> = (0..scene.meshes.len()).into_par_iter().map(is_asked).collect();
        for instance in &scene.instances {
            is_asked[instance.mesh.index()] |= instance.transform != Affine::IDENTITY;
        }
        let summary = |mesh: usize| is_asked[mesh].then(|| Summary::of(&scene.meshes[mesh].triangles, moved(mesh)));
        Self((0..scene.meshes.len()).into_par_iter().map(summary).collect())
    }
}

/// Looks at the triangles of a scene, which `run` rounded, in parallel; and at what another center would do.
pub(super) fn look_under(scene: &Scene, run: &Center, summaries: &Summaries, under: Under) -> Looked {
    let (center, is_all) = match under {
        Under::Run => (None, false),
        Under::Hurt(center) => (Some(center), false),
        Under::All(center) => (Some(center), true),
    };
    let view = |(index, instance): (usize, &crate::Instance)| {
        let mut view = View::new(scene, (index, instance), run, center);
        let mut is_looked_at = is_all;
        view.limit = -1.0;
        if let Some(summary) = &summaries.0[instance.mesh.index()] {
            view.limit = view.limit(summary);
            is_looked_at |= summary.collapsed || summary.extent <= view.limit;
        }
        (view, is_looked_at)
    };
    let stride = match scene.triangle_count() {
        0..=MOST_LOOKED => 1,
        _ => {
            let count = |(view, is_looked_at): (View, bool)| u64::from(is_looked_at) * view.mesh.indices.len() as u64;
            let total = scene.instances.par_iter().enumerate().map(view).map(count).reduce(|| 0, u64::saturating_add);
            usize::try_from(total.div_ceil(MOST_LOOKED)).unwrap_or(usize::MAX).max(1)
        }
    };
    let one = |instance| {
        let (view, is_looked_at) = view(instance);
        let indices = &view.mesh.indices;
        let triangles = indices.len() as u64;
        let looked = if is_looked_at {
            indices.par_chunks(RUN).map(|run| view.look(run, stride, is_all)).reduce(Looked::default, Looked::and)
        } else {
            Looked::default()
        };
        let Rounding { plain, collapsed, .. } = looked.rounding;
        let parts = u64::from(plain > 0 && 2 * (plain + collapsed) >= triangles);
        Looked { rounding: Rounding { triangles, parts, ..looked.rounding }, ..looked }
    };
    scene.instances.par_iter().enumerate().map(one).reduce(Looked::default, Looked::and)
}

/// Whether numbers of a mesh may become smaller by [`GAIN`].
fn is_far(mesh: &TriangleMesh) -> bool {
    let bounds = mesh.bounds();
    let of = |of: fn(f32, f32) -> f32| (0..3).map(|i| of(bounds.min[i], bounds.max[i])).fold(0f32, f32::max);
    let (reach, size) = (of(|a, b| a.abs().max(b.abs())), of(|a, b| b - a));
    2.0 * f64::from(reach) >= GAIN * f64::from(size)
}

/// What a mesh as a whole says of its triangles.
struct Summary {
    /// The largest coordinates, without signs.
    reach: [f64; 3],
    /// The smallest extent of a triangle that has one.
    extent: f64,
    /// Whether three vertices of a triangle lie at one place.
    collapsed: bool,
}

impl Summary {
    fn of(mesh: &TriangleMesh, moved: &Moved) -> Self {
        let one = |indices: &[u32; 3]| {
            let extent = extent_stored(&indices.map(|i| mesh.positions[i as usize]));
            if extent > 0.0 { (extent, false) } else { (f32::MAX, moved.is_lost(indices)) }
        };
        let both = |a: (f32, bool), b: (f32, bool)| (a.0.min(b.0), a.1 | b.1);
        let least = mesh.indices.par_iter().with_min_len(RUN).map(one).reduce(|| (f32::MAX, false), both);
        let bounds = mesh.bounds();
        let reach = std::array::from_fn(|i| f64::from(bounds.min[i].abs().max(bounds.max[i].abs())));
        Self { reach, extent: least.0.into(), collapsed: least.1 }
    }
}

/// Half a unit in the last place of f32 at a number.
pub(super) fn half_unit(number: f64) -> f64 {
    let exponent = (number.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    f64::from_bits(((exponent.max(-126) - 24 + 1023) as u64) << 52)
}

/// The rows of the transform of an instance as the file has them.
pub(super) fn exact_rows(run: &Center, instance: usize, transform: &Affine) -> [[f64; 4]; 3] {
    run.placed.get(&instance).copied().unwrap_or_else(|| transform.rows.map(|row| row.map(f64::from)))
}

/// The first position that is a point: it says where the mesh is, as in [`super::Rounder::round`].
pub(super) fn first_point(mesh: &TriangleMesh) -> Option<[f64; 3]> {
    mesh.positions.iter().find(|p| p.iter().all(|x| x.is_finite())).map(|p| p.map(f64::from))
}

/// A placed mesh.
struct View<'a> {
    mesh: &'a TriangleMesh,
    moved: &'a Moved,
    transform: Affine,
    is_identity: bool,
    /// Of the transform, exact.
    rows: [[f64; 4]; 3],
    /// The sums of the rows' numbers without signs, but for the shift.
    norms: [f64; 3],
    /// A triangle that is larger in its own space is not hurt.
    limit: f64,
    other: Option<Other>,
}

/// A placed mesh under another center.
struct Other {
    origin: [f64; 3],
    /// The mesh's centre, and the transform's shift that comes of it.
    local: [f64; 3],
    shift: [f64; 3],
}

impl<'a> View<'a> {
    fn new(
        scene: &'a Scene,
        (index, instance): (usize, &crate::Instance),
        run: &'a Center,
        center: Option<&Center>,
    ) -> Self {
        let mesh = &scene.meshes[instance.mesh.index()].triangles;
        let rows = exact_rows(run, index, &instance.transform);
        let other = center.map(|center| {
            let local = first_point(mesh).map_or([0.0; 3], |p| nearest(&center.locals, p));
            let shift = std::array::from_fn(|i| {
                let r: [f64; 4] = rows[i];
                r[0] * local[0] + r[1] * local[1] + r[2] * local[2] + r[3] - center.origin[i]
            });
            Other { origin: center.origin, local, shift }
        });
        let norms = rows.map(|r| r[0].abs() + r[1].abs() + r[2].abs());
        let is_identity = instance.transform == Affine::IDENTITY && !run.placed.contains_key(&index);
        Self {
            mesh,
            moved: run.moved(instance.mesh),
            transform: instance.transform,
            is_identity,
            rows,
            norms,
            limit: f64::INFINITY,
            other,
        }
    }

    /// The extent, in the mesh's own space, of the largest triangles that may be hurt, by the mesh's largest numbers.
    fn limit(&self, summary: &Summary) -> f64 {
        let terms = self.rows.map(|r| (0..3).map(|j| (r[j] * summary.reach[j]).abs()).sum::<f64>() + r[3].abs());
        let largest = terms.into_iter().fold(0.0, f64::max);
        // At most: four numbers that are rounded, three products and three sums.
        let placed = half_unit(largest) * if self.is_identity { 1.0 } else { 10.0 };
        let reach = summary.reach.into_iter().fold(0.0, f64::max);
        let own = self.moved.by.min(half_unit(reach)) * self.norms.into_iter().fold(0.0, f64::max);
        let matrix = glam::DMat3::from_cols_array_2d(&std::array::from_fn(|c| self.rows.map(|row| row[c])));
        // What is left of an extent at least, by the norm of the inverse.
        let shrink = if self.is_identity {
            1.0
        } else {
            1.0 / (3.0 * matrix.inverse().to_cols_array().iter().map(|x| x * x).sum::<f64>()).sqrt()
        };
        let limit = (placed + own) / (HURT * shrink);
        // A transform without an inverse hurts any.
        if limit.is_nan() { f64::INFINITY } else { limit }
    }

    /// How far the corner that is stored as `stored` is from where the file has it, which is `world` but for the rounding of
    /// `stored` itself, along an axis: exact, and at most what the mesh's rounding adds.
    #[inline]
    fn error(&self, stored: [f32; 3], world: [f64; 3]) -> f64 {
        let mut error = [0.0; 3];
        if !self.is_identity {
            let shown = self.transform.point(stored);
            error = std::array::from_fn(|i| (f64::from(shown[i]) - world[i]).abs());
        }
        if self.moved.by > 0.0 {
            let own = stored.map(|x| self.moved.by.min(half_unit(x.into())));
            for (error, row) in error.iter_mut().zip(&self.rows) {
                *error += row[0].abs() * own[0] + row[1].abs() * own[1] + row[2].abs() * own[2];
            }
        }
        error.into_iter().fold(0.0, f64::max)
    }

    /// Looks at every `by`th triangle of a run, of which each counts as so many; at all, or at those that may be hurt.
    fn look(&self, run: &[[u32; 3]], by: usize, is_all: bool) -> Looked {
        let mut looked = Looked::default();
        let (mut found, mut stride) = (0u64, 1);
        for indices in run.iter().step_by(by) {
            let stored = indices.map(|i| self.mesh.positions[i as usize]);
            let is_small = f64::from(extent_stored(&stored)) <= self.limit;
            if !is_small && !is_all {
                continue;
            }
            let local = stored.map(|p| p.map(f64::from));
            let world = local.map(|l| self.world(l));
            let extent = extent(&world);
            let error = match is_small {
                true => (0..3).map(|k| self.error(stored[k], world[k])).fold(0.0, f64::max),
                false => 0.0,
            };
            let is_hurt = extent > 0.0 && error > HURT * extent;
            let collapsed = extent == 0.0 && self.moved.is_lost(indices);
            let before = self.largest(&local, &world);
            let is_coarse = is_hurt || collapsed || extent > 0.0 && half_unit(before) > HURT * extent;
            looked.coarse += u64::from(is_coarse);
            looked.rounding.hurt += u64::from(is_hurt);
            looked.rounding.collapsed += u64::from(collapsed);
            if is_hurt {
                looked.rounding.share = looked.rounding.share.max(error / extent);
                looked.rounding.plain += u64::from(error > PLAIN * extent);
            }
            if let Some(other) = &self.other {
                let after = self.largest_under(other, &local, &world);
                let is_nearer = before >= GAIN * after;
                looked.nearer += u64::from(is_nearer);
                looked.gained += u64::from(is_nearer && is_coarse);
                looked.hurt_then += u64::from(extent > 0.0 && half_unit(after) > HURT * extent);
                continue;
            }
            if !is_coarse {
                continue;
            }
            // Evenly: where they become too many, every other one goes, and so does what follows.
            if found.is_multiple_of(stride) {
                if looked.samples.len() == SAMPLES {
                    let mut number = 0;
                    looked.samples.retain(|_| {
                        number += 1;
                        number % 2 == 1
                    });
                    stride *= 2;
                }
                looked.samples.push(world[0].map(|x| x as f32));
            }
            found += 1;
        }
        if by > 1 {
            let (all, seen) = (run.len() as u64, run.len().div_ceil(by) as u64);
            let Looked { rounding, coarse, hurt_then, gained, nearer, .. } = &mut looked;
            rounding.is_estimate = true;
            let Rounding { hurt, plain, collapsed, .. } = rounding;
            let counts = [hurt, plain, collapsed, coarse, hurt_then, gained, nearer];
            for count in counts {
                *count = (*count * all + seen / 2) / seen;
            }
        }
        looked
    }

    #[inline]
    fn world(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        if self.is_identity {
            return [x, y, z];
        }
        self.rows.map(|r| r[0] * x + r[1] * y + r[2] * z + r[3])
    }

    /// The largest number that takes part in a triangle as it is.
    #[inline]
    fn largest(&self, local: &[[f64; 3]; 3], world: &[[f64; 3]; 3]) -> f64 {
        let largest = world.iter().flatten().fold(0f64, |most, x| most.max(x.abs()));
        if self.is_identity {
            largest
        } else {
            largest.max(self.largest_terms(local, [0.0; 3], self.rows.map(|r| r[3])))
        }
    }

    /// The same under another center.
    fn largest_under(&self, other: &Other, local: &[[f64; 3]; 3], world: &[[f64; 3]; 3]) -> f64 {
        let apart = |w: &[f64; 3]| (0..3).map(|i| (w[i] - other.origin[i]).abs()).fold(0.0, f64::max);
        let largest = world.iter().map(apart).fold(0.0, f64::max);
        if self.is_identity { largest } else { largest.max(self.largest_terms(local, other.local, other.shift)) }
    }

    /// The largest product or shift of the transform of a triangle that is relative to `center`.
    fn largest_terms(&self, local: &[[f64; 3]; 3], center: [f64; 3], shift: [f64; 3]) -> f64 {
        let mut largest = shift.iter().fold(0f64, |most, x| most.max(x.abs()));
        for l in local {
            for r in &self.rows {
                largest = (0..3).fold(largest, |most, j| most.max((r[j] * (l[j] - center[j])).abs()));
            }
        }
        largest
    }
}

/// The largest of a triangle's sides along axes.
pub(super) fn extent([a, b, c]: &[[f64; 3]; 3]) -> f64 {
    (0..3).map(|i| a[i].max(b[i]).max(c[i]) - a[i].min(b[i]).min(c[i])).fold(0.0, f64::max)
}

/// The same as f32 has numbers.
fn extent_stored([a, b, c]: &[[f32; 3]; 3]) -> f32 {
    (0..3).map(|i| a[i].max(b[i]).max(c[i]) - a[i].min(b[i]).min(c[i])).fold(0.0, f32::max)
}
