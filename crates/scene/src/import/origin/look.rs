//! Effects of rounding on each triangle of a scene, and those that it would have under another center.

use super::each::{each, is_small};
use super::rounding::PLAIN;
use super::{COARSE, Center, GAIN, HURT, Moved, Rounding, nearest};
use crate::{Description, Instance, Mesh, MeshId};
use raywarp_geom::{Affine, TriangleMesh};

/// Number of triangles of a mesh that are looked at in a run.
const RUN: usize = 1 << 14;
/// Number of triangles of a placed mesh, or all that it has, that say whether half of it is hurt.
const PART: usize = 64;
/// Of so many triangles one is few: the largest numbers of a mesh take as long as these.
const FEW: usize = 16;
/// Number of triangles of a mesh that are looked at first.
const GLANCE: usize = 256;
/// Number of hurt triangles of a run that are kept as samples.
const SAMPLES: usize = 64;

/// Counts of a scene's triangles by what rounding does to them.
#[derive(Default)]
pub(super) struct Looked {
    pub rounding: Rounding,
    /// Triangles where any point, such as a ray's origin or a hit, is rounded by more than [`COARSE`] of their extent;
    /// counted with those of which a corner is hurt, and those that have become points.
    pub coarse: u64,
    /// First corners of some of these.
    pub samples: Vec<[f32; 3]>,
    /// Triangles among these that are coarse under the other center at most.
    pub hurt_then: u64,
    /// Triangles that are coarse, and whose numbers the other center makes smaller by [`GAIN`].
    pub gained: u64,
    /// Triangles of `gained` that rounding has moved, or made points.
    pub moved: u64,
    /// All triangles whose numbers it makes smaller by [`GAIN`].
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

/// Looks at the triangles of a scene, which `run` rounded, in parallel: at those that may be hurt, or at all for what
/// another center would do to meshes around `middles`. Of more than `most`, only every n-th is looked at and stands for
/// the others: a third of `most` or more, at least one of each placed mesh.
pub(super) fn look_under(
    scene: &Description,
    run: &Center,
    other: Option<(&Center, &[[f64; 3]])>,
    most: u64,
) -> Looked {
    // Nothing is asked of a mesh that only stands as its file has it, with positions that f32 holds, and where it is
    // fine: most files are such.
    let is_small = is_small(scene);
    let is_asked =
        |(index, mesh): (usize, &Mesh)| run.moved(MeshId(index as u32)).by > 0.0 || shows_steps(&mesh.triangles);
    let asked: Vec<bool> = match other {
        None => each(&scene.meshes, is_small, is_asked),
        Some(_) => Vec::new(),
    };
    let is_looked_at =
        |instance: &Instance| other.is_some() || instance.transform != Affine::IDENTITY || asked[instance.mesh.index()];
    let triangles = |instance: &Instance| scene.meshes[instance.mesh.index()].triangles.indices.len() as u64;
    let total = scene.instances.iter().filter(|instance| is_looked_at(instance)).map(triangles);
    let total = total.fold(0, u64::saturating_add);
    let stride = match total {
        _ if total <= most => 1,
        // An odd one is of the first and the second triangles of pairs.
        _ => usize::try_from(total.div_ceil(most / 2) | 1).unwrap_or(usize::MAX),
    };
    let one = |(index, instance): (usize, &Instance)| {
        let triangles = triangles(instance);
        if !is_looked_at(instance) {
            return Looked { rounding: Rounding { triangles, ..Rounding::default() }, ..Looked::default() };
        }
        let mut view = View::new(scene, (index, instance), run);
        view.other = other.map(|(center, middles)| Other::new(center, &view, middles[instance.mesh.index()]));
        // What a center would do is asked of all; and which of a few of many to ask takes longer than to ask them.
        if other.is_none() && stride < FEW {
            view.limit = view.limit();
        }
        let indices = &view.mesh.indices;
        let runs: Vec<&[[u32; 3]]> = indices.chunks(RUN).collect();
        let looked = sum(each(&runs, is_small || runs.len() < 2, |(run, of)| view.look(of, stride, index + run)));
        let is_part = |Rounding { plain, collapsed, .. }: Rounding| plain > 0 && 2 * (plain + collapsed) >= triangles;
        let is_stepped = |Rounding { stepped, .. }: Rounding| stepped > 0 && 2 * stepped >= triangles;
        let mut whole = looked.rounding;
        if (is_part(whole) || is_stepped(whole)) && indices.len() / stride < PART {
            whole = view.look(indices, indices.len().div_ceil(PART), index).rounding;
        }
        let (parts, stepped_parts) = (u64::from(is_part(whole)), u64::from(is_stepped(whole)));
        Looked { rounding: Rounding { triangles, parts, stepped_parts, ..looked.rounding }, ..looked }
    };
    sum(each(&scene.instances, is_small, one))
}

fn sum(looked: Vec<Looked>) -> Looked {
    looked.into_iter().fold(Looked::default(), Looked::and)
}

/// Returns `true` if some triangle of a mesh, of a few, is coarse as it is.
fn shows_steps(mesh: &TriangleMesh) -> bool {
    (0..mesh.indices.len()).step_by(mesh.indices.len().div_ceil(GLANCE).max(1)).any(|primitive| {
        let corners = mesh.corners(primitive).map(|corner| corner.map(f64::from));
        let largest = largest_of(&corners);
        let extent = extent(&corners);
        extent > 0.0 && half_unit(largest) > COARSE * extent
    })
}

/// Returns half a unit in the last place of f32 at a number.
pub(super) fn half_unit(number: f64) -> f64 {
    let exponent = (number.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    f64::from_bits(((exponent.max(-126) - 24 + 1023) as u64) << 52)
}

/// Returns the rows of the transform of an instance as the file has them.
pub(super) fn exact_rows(run: &Center, instance: usize, transform: &Affine) -> [[f64; 4]; 3] {
    run.placed(instance).unwrap_or_else(|| transform.rows.map(|row| row.map(f64::from)))
}

/// A placed mesh.
struct View<'a> {
    mesh: &'a TriangleMesh,
    moved: &'a Moved,
    transform: Affine,
    is_identity: bool,
    /// Rows of the transform, exact.
    rows: [[f64; 4]; 3],
    /// Extent above which a triangle is safe: one that is larger is neither hurt nor coarse.
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

impl Other {
    /// Makes the view of a mesh that is around `middle`.
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
    fn new(scene: &'a Description, (index, instance): (usize, &Instance), run: &'a Center) -> Self {
        Self {
            mesh: &scene.meshes[instance.mesh.index()].triangles,
            moved: run.moved(instance.mesh),
            transform: instance.transform,
            is_identity: instance.transform == Affine::IDENTITY && run.placed(index).is_none(),
            rows: exact_rows(run, index, &instance.transform),
            limit: f64::INFINITY,
            other: None,
        }
    }

    /// Returns the extent of the largest triangles that may be hurt or coarse, by the mesh's largest numbers.
    fn limit(&self) -> f64 {
        let bounds = self.mesh.bounds();
        let reach: [f64; 3] = std::array::from_fn(|i| bounds.min[i].abs().max(bounds.max[i].abs()).into());
        let sums = self.rows.map(|r| (0..3).map(|j| (r[j] * reach[j]).abs()).sum::<f64>());
        let largest = sums.iter().zip(&self.rows).map(|(sum, row)| sum + row[3].abs()).fold(0.0, f64::max);
        let own = self.moved.by * self.rows.iter().map(|r| r[0].abs() + r[1].abs() + r[2].abs()).fold(0.0, f64::max);
        // At most: four numbers that are rounded, three products and three sums.
        (10.0 * half_unit(largest) + own) / HURT
    }

    /// Returns how far the corner that is stored as `stored` is from where the file has it, which is `world` but for
    /// the rounding of `stored` itself, along an axis: exact, and at most what the mesh's rounding adds.
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

    /// Looks at every `by`th triangle of a run, of which each counts as so many; copies begin at different ones.
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

    /// Returns the largest number that takes part in a triangle as it is.
    #[inline]
    fn largest(&self, local: &[[f64; 3]; 3], world: &[[f64; 3]; 3]) -> f64 {
        let largest = largest_of(world);
        if self.is_identity {
            largest
        } else {
            largest.max(self.largest_terms(local, [0.0; 3], self.rows.map(|r| r[3])))
        }
    }

    /// Returns the same largest number under another center.
    fn largest_under(&self, other: &Other, local: &[[f64; 3]; 3], world: &[[f64; 3]; 3]) -> f64 {
        let apart = |w: &[f64; 3]| (0..3).map(|i| (w[i] - other.origin[i]).abs()).fold(0.0, f64::max);
        let largest = world.iter().map(apart).fold(0.0, f64::max);
        if self.is_identity { largest } else { largest.max(self.largest_terms(local, other.local, other.shift)) }
    }

    /// Returns the largest product or shift of the transform of a triangle that is relative to `center`.
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

/// Returns the largest number of a triangle's corners.
fn largest_of(corners: &[[f64; 3]; 3]) -> f64 {
    corners.iter().flatten().fold(0f64, |most, x| most.max(x.abs()))
}

/// Returns the largest of a triangle's sides along axes.
pub(super) fn extent([a, b, c]: &[[f64; 3]; 3]) -> f64 {
    (0..3).map(|i| a[i].max(b[i]).max(c[i]) - a[i].min(b[i]).min(c[i])).fold(0.0, f64::max)
}
