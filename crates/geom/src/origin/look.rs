//! Effects of rounding on each triangle of a scene, and those that it would have under another center.

use super::each::{each, is_small};
use super::placed::triangles_of;
use super::rounding::PLAIN;
use super::{COARSE, Center, GAIN, HURT, Moved, PlacedMeshes, Rounding, nearest};
use crate::{Affine, TriangleMesh};

/// Number of triangles of a mesh that one task examines.
const RUN: usize = 1 << 14;
/// Number of triangles of a placed mesh, at most, that tell whether half of it is hurt.
const PART: usize = 64;
/// Sampling stride from which on the largest numbers of a mesh are not computed first, as that takes as long as the
/// samples.
const FEW: usize = 16;
/// Number of triangles of a mesh that are sampled first.
const GLANCE: usize = 256;
/// Number of hurt triangles of a run that are kept as samples.
const SAMPLES: usize = 64;

/// Counts of a scene's triangles by what rounding does to them, now and under another center.
#[derive(Default)]
pub(super) struct Looked {
    pub rounding: Rounding,
    /// Number of coarse triangles: points on them, such as hits, are rounded by more than [`COARSE`] of their extent,
    /// or they are hurt or collapsed.
    pub coarse: u64,
    /// First corners of some of the coarse triangles.
    pub samples: Vec<[f32; 3]>,
    /// Number of triangles that would still be coarse under the other center.
    pub hurt_then: u64,
    /// Number of coarse triangles whose coordinates the other center makes smaller by [`GAIN`].
    pub gained: u64,
    /// Number of triangles of `gained` whose corners rounding has moved, or which it made points.
    pub moved: u64,
    /// Number of all triangles whose coordinates the other center makes smaller by [`GAIN`].
    pub nearer: u64,
}

impl Looked {
    fn and(mut self, other: Self) -> Self {
        self.rounding = self.rounding.add(other.rounding);
        self.coarse += other.coarse;
        self.samples.extend(other.samples);
        self.hurt_then += other.hurt_then;
        self.gained += other.gained;
        self.moved += other.moved;
        self.nearer += other.nearer;
        self
    }
}

/// Counts in parallel what rounding did to a scene's triangles, and what it would do under the center `other`. Without
/// that, only those that may be hurt are looked at; with it, all, for meshes around `middles`. Of more than `most`,
/// only every n-th is looked at and stands for the others: a third of `most` or more, at least one of each placed mesh.
pub(super) fn look_under(
    scene: &dyn PlacedMeshes,
    run: &Center,
    other: Option<(&Center, &[[f64; 3]])>,
    most: u64,
) -> Looked {
    // Nothing is asked of a mesh that only stands as its file has it, with positions that f32 holds, and where it is
    // fine: most files are such.
    let is_small = is_small(scene);
    let is_asked = |mesh: usize| run.moved(mesh).by > 0.0 || shows_steps(scene.mesh(mesh));
    let asked: Vec<bool> = match other {
        None => each(scene.mesh_count(), is_small, is_asked),
        Some(_) => Vec::new(),
    };
    let is_looked_at = |placement: usize| {
        let (mesh, transform) = scene.placement(placement);
        other.is_some() || transform != Affine::IDENTITY || asked[mesh]
    };
    let placements = scene.placement_count();
    let total = (0..placements).filter(|&placement| is_looked_at(placement)).map(|at| triangles_of(scene, at));
    let total = total.fold(0, u64::saturating_add);
    let stride = match total {
        _ if total <= most => 1,
        // An odd one is of the first and the second triangles of pairs.
        _ => usize::try_from(total.div_ceil(most / 2) | 1).unwrap_or(usize::MAX),
    };
    let one = |index: usize| {
        let triangles = triangles_of(scene, index);
        if !is_looked_at(index) {
            return Looked { rounding: Rounding { triangles, ..Rounding::default() }, ..Looked::default() };
        }
        let mut view = View::new(scene, index, run);
        view.other = other.map(|(center, middles)| Other::new(center, &view, middles[scene.placement(index).0]));
        // What a center would do is asked of all; and which of a few of many to ask takes longer than to ask them.
        if other.is_none() && stride < FEW {
            view.limit = view.limit();
        }
        let indices = &view.mesh.indices;
        let runs: Vec<&[[u32; 3]]> = indices.chunks(RUN).collect();
        let looked = sum(each(runs.len(), is_small || runs.len() < 2, |run| view.look(runs[run], stride, index + run)));
        let is_part = |Rounding { plain, collapsed, .. }: Rounding| plain > 0 && 2 * (plain + collapsed) >= triangles;
        let is_stepped = |Rounding { stepped, .. }: Rounding| stepped > 0 && 2 * stepped >= triangles;
        let mut whole = looked.rounding;
        if (is_part(whole) || is_stepped(whole)) && indices.len() / stride < PART {
            whole = view.look(indices, indices.len().div_ceil(PART), index).rounding;
        }
        let (parts, stepped_parts) = (u64::from(is_part(whole)), u64::from(is_stepped(whole)));
        Looked { rounding: Rounding { triangles, parts, stepped_parts, ..looked.rounding }, ..looked }
    };
    sum(each(placements, is_small, one))
}

fn sum(looked: Vec<Looked>) -> Looked {
    looked.into_iter().fold(Looked::default(), Looked::and)
}

/// Returns `true` if any of some sampled triangles of a mesh is coarse as it is.
fn shows_steps(mesh: &TriangleMesh) -> bool {
    (0..mesh.indices.len()).step_by(mesh.indices.len().div_ceil(GLANCE).max(1)).any(|primitive| {
        let corners = mesh.corners(primitive).map(|corner| corner.map(f64::from));
        let largest = largest_of(&corners);
        let extent = extent(&corners);
        extent > 0.0 && half_unit(largest) > COARSE * extent
    })
}

/// Returns half a unit in the last place of f32 for a number of this size.
pub(super) fn half_unit(number: f64) -> f64 {
    let exponent = (number.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    f64::from_bits(((exponent.max(-126) - 24 + 1023) as u64) << 52)
}

/// Returns the exact rows of an instance's transform, as the file has it.
pub(super) fn exact_rows(run: &Center, instance: usize, transform: &Affine) -> [[f64; 4]; 3] {
    run.placed(instance).unwrap_or_else(|| transform.rows.map(|row| row.map(f64::from)))
}

/// Placed mesh as rounding is examined on it.
struct View<'a> {
    mesh: &'a TriangleMesh,
    moved: &'a Moved,
    transform: Affine,
    is_identity: bool,
    /// Exact rows of the instance's transform.
    rows: [[f64; 4]; 3],
    /// Extent above which a triangle cannot be hurt or coarse.
    limit: f64,
    other: Option<Other>,
}

/// Placed mesh as it would be under another center.
struct Other {
    origin: [f64; 3],
    /// Centre that would be subtracted from the mesh's positions; the shift of its transform follows.
    local: [f64; 3],
    shift: [f64; 3],
}

impl Other {
    /// Makes the view of a mesh that lies around `middle`, under the center `center`.
    fn new(center: &Center, view: &View, middle: [f64; 3]) -> Self {
        let local = nearest(&center.locals, middle);
        let shift = std::array::from_fn(|i| {
            let r = view.rows[i];
            r[0] * local[0] + r[1] * local[1] + r[2] * local[2] + r[3] - center.origin[i]
        });
        Self { origin: center.origin, local, shift }
    }
}

impl<'a> View<'a> {
    fn new(scene: &'a dyn PlacedMeshes, index: usize, run: &'a Center) -> Self {
        let (mesh, transform) = scene.placement(index);
        Self {
            mesh: scene.mesh(mesh),
            moved: run.moved(mesh),
            transform,
            is_identity: transform == Affine::IDENTITY && run.placed(index).is_none(),
            rows: exact_rows(run, index, &transform),
            limit: f64::INFINITY,
            other: None,
        }
    }

    /// Returns an extent above which no triangle of the mesh can be hurt or coarse, from the mesh's largest
    /// coordinates.
    fn limit(&self) -> f64 {
        let bounds = self.mesh.bounds();
        let reach: [f64; 3] = std::array::from_fn(|i| bounds.min[i].abs().max(bounds.max[i].abs()).into());
        let sums = self.rows.map(|r| (0..3).map(|j| (r[j] * reach[j]).abs()).sum::<f64>());
        let largest = sums.iter().zip(&self.rows).map(|(sum, row)| sum + row[3].abs()).fold(0.0, f64::max);
        let own = self.moved.by * self.rows.iter().map(|r| r[0].abs() + r[1].abs() + r[2].abs()).fold(0.0, f64::max);
        // At most: four numbers that are rounded, three products and three sums.
        (10.0 * half_unit(largest) + own) / HURT
    }

    /// Returns the largest distance along an axis by which rounding moved a corner stored as `stored`, whose exact
    /// position is `world`. That is so but for the rounding of `stored` itself: exact, and at most what the mesh's
    /// rounding adds.
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

    /// Counts every `by`th triangle of a run and scales the counts up; copies with another `number` start at another
    /// triangle.
    fn look(&self, run: &[[u32; 3]], by: usize, number: usize) -> Looked {
        let mut looked = Looked::default();
        let (mut found, mut stride) = (0u64, 1);
        let first = number.wrapping_mul(0x9e37_79b9) % by.min(run.len());
        for indices in run[first..].iter().step_by(by) {
            let stored = indices.map(|i| self.mesh.positions[i as usize]);
            let local = stored.map(|p| p.map(f64::from));
            let world = local.map(|l| self.world(l));
            let extent = extent(&world);
            if extent > self.limit {
                continue;
            }
            let error = (0..3).map(|k| self.error(stored[k], world[k])).fold(0.0, f64::max);
            let is_hurt = extent > 0.0 && error > HURT * extent;
            let collapsed = extent == 0.0 && self.moved.is_lost(indices);
            let before = self.largest(&local, &world);
            let is_coarse = is_hurt || collapsed || extent > 0.0 && half_unit(before) > COARSE * extent;
            looked.coarse += u64::from(is_coarse);
            // What is traced is the triangle where it stands.
            let step = half_unit(largest_of(&world));
            if extent > 0.0 && step > PLAIN * extent {
                looked.rounding.stepped += 1;
                looked.rounding.step = looked.rounding.step.max(2.0 * step);
            }
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
                looked.moved += u64::from(is_nearer && (is_hurt || collapsed));
                looked.hurt_then += u64::from(extent > 0.0 && half_unit(after) > COARSE * extent);
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
            let (all, seen) = (run.len() as u64, (run.len() - first).div_ceil(by) as u64);
            let Looked { rounding, coarse, hurt_then, gained, moved, nearer, .. } = &mut looked;
            rounding.is_estimate = true;
            let Rounding { hurt, plain, stepped, collapsed, .. } = rounding;
            let counts = [hurt, plain, stepped, collapsed, coarse, hurt_then, gained, moved, nearer];
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

    /// Returns the largest number in the computation of a triangle's world-space corners.
    #[inline]
    fn largest(&self, local: &[[f64; 3]; 3], world: &[[f64; 3]; 3]) -> f64 {
        let largest = largest_of(world);
        if self.is_identity {
            largest
        } else {
            largest.max(self.largest_terms(local, [0.0; 3], self.rows.map(|r| r[3])))
        }
    }

    /// Returns the largest number in the computation of a triangle's world-space corners under another center.
    fn largest_under(&self, other: &Other, local: &[[f64; 3]; 3], world: &[[f64; 3]; 3]) -> f64 {
        let apart = |w: &[f64; 3]| (0..3).map(|i| (w[i] - other.origin[i]).abs()).fold(0.0, f64::max);
        let largest = world.iter().map(apart).fold(0.0, f64::max);
        if self.is_identity { largest } else { largest.max(self.largest_terms(local, other.local, other.shift)) }
    }

    /// Returns the largest product or shift when the instance's transform is applied to corners relative to `center`.
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

/// Returns the largest absolute coordinate of a triangle's corners.
fn largest_of(corners: &[[f64; 3]; 3]) -> f64 {
    corners.iter().flatten().fold(0f64, |most, x| most.max(x.abs()))
}

/// Returns the largest side length of a triangle's bounding box.
pub(super) fn extent([a, b, c]: &[[f64; 3]; 3]) -> f64 {
    (0..3).map(|i| a[i].max(b[i]).max(c[i]) - a[i].min(b[i]).min(c[i])).fold(0.0, f64::max)
}
