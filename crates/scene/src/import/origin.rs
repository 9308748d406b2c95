//! The origin of a scene: positions are f64 up to one place, where they are rounded to f32 relative to it.
//!
//! A run of an importer rounds through a [`Center`], which is zero at first. Where rounding hurts ([`better`]), that is,
//! where it may move corners by more than a thousandth of their triangle's largest extent, and where an origin would mend
//! that, the file is imported again with this origin. So a file that f32 holds well is read once and stays as it is.
//!
//! How far rounding moves a corner is estimated by half a unit in the last place of the largest number that takes part: its
//! coordinate, or, where a mesh is placed, the terms of its transform. Positions of a mesh at the identity that f32 holds
//! as the file gives them are moved by nothing.

use crate::Scene;
use glam::{DAffine3, DVec3};
use rayon::prelude::*;
use raywarp_geom::{Affine, TriangleMesh};

/// A corner that is moved by more than this share of its triangle's largest extent is hurt.
const HURT: f64 = 1e-3;
/// Numbers must become smaller by this factor for an origin to be worth it: three bits. A scene that lies around zero, or
/// not far from it by its own size, gains less, and stays where it is.
const GAIN: f64 = 8.0;

/// One triangle of so many is a part of the scene that counts, where the scene as a whole does not lie far from zero.
const SHARE: u64 = 100;

/// What a run subtracts in f64 before it rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Center {
    /// The origin of the scene.
    pub origin: [f64; 3],
    /// What is subtracted from the coordinates of meshes that are placed and lie nearer to it than to zero.
    pub local: [f64; 3],
    /// Whether rounding moved any position.
    pub moved: bool,
    /// Whether it made one vertex of the three corners of a triangle, which then shows nothing of it.
    pub welded: bool,
}

impl Center {
    /// For the positions of a mesh that stands in the world as its file has it.
    pub fn in_world(&self) -> Rounder {
        Rounder { at: Some(self.origin), local: self.local, ..Rounder::default() }
    }

    /// For the positions of a mesh that is placed by [`Center::placement`].
    pub fn in_mesh(&self) -> Rounder {
        Rounder { at: None, ..self.in_world() }
    }

    /// Makes the positions of a mesh that is placed, exact as they are, relative to a local centre; says which.
    pub fn recenter(&mut self, positions: &mut [[f32; 3]]) -> [f64; 3] {
        if self.local == [0.0; 3] {
            return self.local;
        }
        let mut rounder = self.in_mesh();
        positions.iter_mut().for_each(|position| *position = rounder.round(position.map(f64::from)));
        self.note(&rounder);
        rounder.at()
    }

    /// Takes over whether positions of a mesh were moved.
    pub fn note(&mut self, rounder: &Rounder) {
        self.moved |= rounder.moved;
        self.welded |= rounder.welded;
    }

    /// Whether a triangle without extent may have one in the file.
    fn is_lost(&self, [a, b, c]: &[u32; 3]) -> bool {
        self.moved && (self.welded || (a != b && b != c && c != a))
    }

    /// The placement by `world` of a mesh whose positions are relative to `local`; relative to the origin, rounded once.
    pub fn placement(&self, world: &DAffine3, local: [f64; 3]) -> Affine {
        let shift = world.transform_vector3(local.into()) + (world.translation - DVec3::from(self.origin));
        let (rows, shift) = (world.matrix3.transpose(), shift.to_array());
        let rows = [rows.x_axis, rows.y_axis, rows.z_axis];
        Affine { rows: std::array::from_fn(|r| [rows[r].x, rows[r].y, rows[r].z, shift[r]].map(|x| x as f32)) }
    }

    /// A number of a transform or a point, as f64 in a run with a center; without one as f32 holds it.
    pub fn number(&self, x: f64) -> f64 {
        if self.origin == [0.0; 3] && self.local == [0.0; 3] { f64::from(x as f32) } else { x }
    }

    /// A point that stands in the world by itself, such as a camera or a light, relative to the origin.
    pub fn point(&self, position: impl Into<[f64; 3]>) -> [f32; 3] {
        let position = position.into();
        std::array::from_fn(|i| (position[i] - self.origin[i]) as f32)
    }
}

/// The local centre of a mesh that begins with `position`: one that all meshes far from zero share, so that those which touch
/// still do, or zero.
fn local_of(local: [f64; 3], position: [f64; 3]) -> [f64; 3] {
    let to = |center: [f64; 3]| (0..3).map(|i| (position[i] - center[i]).powi(2)).sum::<f64>();
    if to(local) < to([0.0; 3]) { local } else { [0.0; 3] }
}

/// Rounds the positions of a mesh, the one place where that is done.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rounder {
    /// What is subtracted; `None` until the first position decides.
    at: Option<[f64; 3]>,
    local: [f64; 3],
    moved: bool,
    welded: bool,
}

impl Rounder {
    /// A position relative to what [`Rounder::at`] says.
    #[inline]
    pub fn round(&mut self, position: [f64; 3]) -> [f32; 3] {
        let single = position.map(|x| x as f32);
        // No point, which says nothing of where the others are.
        if !single.iter().all(|x| x.is_finite()) {
            return single;
        }
        let at = *self.at.get_or_insert_with(|| local_of(self.local, position));
        let wide: [f64; 3] = std::array::from_fn(|i| position[i] - at[i]);
        let rounded = wide.map(|x| x as f32);
        self.moved |= rounded.map(f64::from) != wide;
        rounded
    }

    /// Notes that a triangle's corners, which are not at one place, became one vertex.
    pub fn note_weld(&mut self) {
        self.welded = true;
    }

    /// What was subtracted: the mesh's local centre.
    pub fn at(&self) -> [f64; 3] {
        self.at.unwrap_or_default()
    }
}

/// A decimal number such that rounding it to f32 gives what reading it as f32 would: twice rounded, a number in 2^29 would
/// be another one. `None` where it is no number or not finite as f32.
pub(crate) fn decimal(word: &str) -> Option<f64> {
    let value: f64 = word.parse().ok()?;
    if value.to_bits() & 0x1fff_ffff != 0x1000_0000 {
        return Some(value).filter(|value| (*value as f32).is_finite());
    }
    // Between two numbers of f32, or so near that f64 cannot tell.
    let single: f32 = word.parse().ok().filter(|single: &f32| single.is_finite())?;
    let twice = value as f32;
    Some(if twice == single {
        value
    } else if twice < single {
        value.next_up()
    } else {
        value.next_down()
    })
}

/// What rounding does to triangles.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Rounding {
    /// Triangles of the scene.
    pub triangles: u64,
    /// Those that may be moved by more than a thousandth of their extent.
    pub hurt: u64,
    /// Those of three vertices that lie at one place.
    pub collapsed: u64,
    /// The largest share of an extent, of those that have one.
    pub share: f64,
    /// Whether not all were looked at, and the numbers are of as many as these stand for.
    pub is_estimate: bool,
}

impl Rounding {
    fn add(self, other: Self) -> Self {
        Self {
            triangles: self.triangles + other.triangles,
            hurt: self.hurt + other.hurt,
            collapsed: self.collapsed + other.collapsed,
            share: self.share.max(other.share),
            is_estimate: self.is_estimate | other.is_estimate,
        }
    }

    /// What is to be said of it; `None` where nothing is hurt.
    pub fn warning(&self) -> Option<String> {
        let Self { triangles, hurt, collapsed, share, is_estimate } = *self;
        if hurt == 0 {
            return None;
        }
        let percent = if share < 0.1 { format!("{:.1}", share * 100.0) } else { format!("{:.0}", share * 100.0) };
        let vanish = match collapsed {
            0 => String::new(),
            _ => format!(", and {collapsed} more are points now"),
        };
        let about = if is_estimate { "about " } else { "" };
        Some(format!(
            "rounding to float32 moves corners of {about}{hurt} of {triangles} triangles by more than a thousandth of their size, up to {percent} %{vanish}"
        ))
    }
}

/// The center with which `scene`, which was imported with none, is better imported again; `None`: it is good as it is, or no
/// center mends it. `run` is what the run that made it noted.
pub(crate) fn look(scene: &Scene, run: &Center) -> (Option<Center>, Rounding) {
    let looked = look_under(scene, run, &Center::default());
    (better(scene, run, &looked), looked.rounding)
}

fn better(scene: &Scene, run: &Center, looked: &Looked) -> Option<Center> {
    let here = Center::default();
    let both = Center {
        origin: middle(looked.samples.iter().map(|sample| sample.world)),
        local: middle(looked.samples.iter().map(|sample| sample.local)),
        ..here
    };
    let before = looked.rounding.hurt + looked.rounding.collapsed;
    let helps = |center: &Center, most: u64| {
        let then = look_under(scene, run, center);
        // A few screws that are finer than their room are no reason to move the room.
        let triangles = then.rounding.triangles;
        let is_scene = 2 * then.nearer >= triangles || SHARE * then.gained >= triangles;
        is_scene && 2 * then.gained >= before && then.rounding.hurt <= most
    };
    // Meshes that are far from zero in their own space alone stand where they stood.
    let local = Center { origin: here.origin, ..both };
    if local != here && helps(&local, 0) {
        return Some(local);
    }
    (both.origin != here.origin && helps(&both, before)).then_some(both)
}

/// The positions of a mesh and the triangles over them.
pub type DoubleMesh<'a> = (&'a [[f64; 3]], &'a [[u32; 3]]);

/// Rounds meshes, positions and triangles each, relative to the origin that an importer would give them; also says which.
///
/// # Panics
/// If a triangle uses a vertex that is not there.
pub fn recentred(meshes: &[DoubleMesh]) -> ([f64; 3], Vec<TriangleMesh>) {
    let round = |center: &mut Center| -> Vec<TriangleMesh> {
        let mut mesh = |positions: &[[f64; 3]], indices: &[[u32; 3]]| {
            let mut rounder = center.in_world();
            let positions = positions.iter().map(|&position| rounder.round(position)).collect();
            center.note(&rounder);
            TriangleMesh { positions, indices: indices.to_vec(), ..TriangleMesh::default() }
        };
        meshes.iter().map(|(positions, indices)| mesh(positions, indices)).collect()
    };
    let mut scene = Scene::default();
    let mut here = Center::default();
    for triangles in round(&mut here) {
        let mesh = scene.add_mesh(crate::Mesh { triangles, ..crate::Mesh::default() });
        scene.instances.push(crate::Instance { mesh, transform: Affine::IDENTITY, material: None });
    }
    match look(&scene, &here).0 {
        Some(mut center) => (center.origin, round(&mut center)),
        None => ([0.0; 3], scene.meshes.into_iter().map(|mesh| mesh.triangles).collect()),
    }
}

/// What rounding does to the triangles of a scene as it is.
pub(crate) fn rounding(scene: &Scene, run: &Center) -> Rounding {
    look_under(scene, run, &Center::default()).rounding
}

/// The middle of points, to few digits; zero on axes where they lie around zero, or no further from it than by their own
/// spread. Points far from the others have no say.
fn middle(points: impl Iterator<Item = [f32; 3]>) -> [f64; 3] {
    let mut axes: [Vec<f32>; 3] = Default::default();
    for point in points {
        axes.iter_mut().zip(point).for_each(|(axis, x)| axis.push(x));
    }
    let mut spread = 0f64;
    let middles = axes.map(|mut axis| {
        axis.sort_unstable_by(f32::total_cmp);
        let at = |tenths: usize| axis.get(axis.len().saturating_sub(1) * tenths / 10).copied().map_or(0.0, f64::from);
        spread = spread.max((at(9) - at(1)) / 2.0);
        at(5)
    });
    let farthest = middles.iter().fold(0.0, |far: f64, x| far.max(x.abs()));
    let spread = spread.max(farthest * 1e-6);
    let digits = spread.log10().floor() as i32;
    let rounded = |x: f64| match digits {
        // So that the result is the number of fewest digits.
        ..0 => (x * 10f64.powi(-digits)).round() / 10f64.powi(-digits),
        _ => (x / 10f64.powi(digits)).round() * 10f64.powi(digits),
    };
    middles.map(|x| if x.abs() > 2.0 * spread { rounded(x) } else { 0.0 })
}

/// Triangles of a mesh that are looked at in a run.
const RUN: usize = 1 << 14;
/// Triangles of a scene that are looked at, more or less: copies of copies make any number of them, of which every so
/// manieth then stands for the others.
const MOST_LOOKED: u64 = if cfg!(test) { 1 << 18 } else { 1 << 24 };
/// Hurt triangles of a run that are kept as samples.
const SAMPLES: usize = 64;

/// A hurt triangle: its first corner.
struct Sample {
    local: [f32; 3],
    world: [f32; 3],
}

/// What is known of a scene's triangles under a center.
#[derive(Default)]
struct Looked {
    rounding: Rounding,
    /// Some that are hurt.
    samples: Vec<Sample>,
    /// Those that are hurt without the center, and whose numbers it makes smaller by [`GAIN`].
    gained: u64,
    /// All whose numbers it makes smaller by [`GAIN`].
    nearer: u64,
}

impl Looked {
    fn and(mut self, other: Self) -> Self {
        self.rounding = self.rounding.add(other.rounding);
        self.samples.extend(other.samples);
        self.gained += other.gained;
        self.nearer += other.nearer;
        self
    }
}

/// Looks at the triangles of a scene under `center`, in parallel.
fn look_under(scene: &Scene, run: &Center, center: &Center) -> Looked {
    // Nothing is asked of a mesh that only stands as its file has it, with positions that f32 holds: most files are such.
    let mut is_asked = vec![run.moved; scene.meshes.len()];
    for instance in &scene.instances {
        is_asked[instance.mesh.index()] |= instance.transform != Affine::IDENTITY;
    }
    let summary = |(mesh, is_asked): (&crate::Mesh, bool)| is_asked.then(|| Summary::of(&mesh.triangles, run));
    let summaries: Vec<Option<Summary>> = scene.meshes.par_iter().zip(is_asked).map(summary).collect();
    let view = |instance: &crate::Instance| {
        let mesh = &scene.meshes[instance.mesh.index()].triangles;
        let view = View::new(mesh, instance.transform, run, center);
        let may_hurt = || summaries[instance.mesh.index()].as_ref().is_some_and(|summary| view.may_hurt(summary));
        let is_looked_at = *center != Center::default() || may_hurt();
        (view, is_looked_at)
    };
    let stride = match scene.triangle_count() {
        0..=MOST_LOOKED => 1,
        _ => {
            let count = |(view, is_looked_at): (View, bool)| u64::from(is_looked_at) * view.mesh.indices.len() as u64;
            let total = scene.instances.par_iter().map(view).map(count).reduce(|| 0, u64::saturating_add);
            usize::try_from(total.div_ceil(MOST_LOOKED)).unwrap_or(usize::MAX).max(1)
        }
    };
    let one = |instance: &crate::Instance| {
        let (view, is_looked_at) = view(instance);
        let indices = &view.mesh.indices;
        let triangles = indices.len() as u64;
        let looked = if is_looked_at {
            indices.par_chunks(RUN).map(|run| view.look(run, stride)).reduce(Looked::default, Looked::and)
        } else {
            Looked::default()
        };
        Looked { rounding: Rounding { triangles, ..looked.rounding }, ..looked }
    };
    scene.instances.par_iter().map(one).reduce(Looked::default, Looked::and)
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
    fn of(mesh: &TriangleMesh, run: &Center) -> Self {
        let one = |indices: &[u32; 3]| {
            let [a, b, c] = indices.map(|i| mesh.positions[i as usize]);
            let extent = (0..3).map(|i| a[i].max(b[i]).max(c[i]) - a[i].min(b[i]).min(c[i])).fold(0.0, f32::max);
            if extent > 0.0 { (extent, false) } else { (f32::MAX, run.is_lost(indices)) }
        };
        let both = |a: (f32, bool), b: (f32, bool)| (a.0.min(b.0), a.1 | b.1);
        let least = mesh.indices.par_iter().with_min_len(RUN).map(one).reduce(|| (f32::MAX, false), both);
        let bounds = mesh.bounds();
        let reach = std::array::from_fn(|i| f64::from(bounds.min[i].abs().max(bounds.max[i].abs())));
        Self { reach, extent: least.0.into(), collapsed: least.1 }
    }
}

/// Half a unit in the last place of f32 at a number.
fn half_unit(number: f64) -> f64 {
    let exponent = (number.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    f64::from_bits(((exponent.max(-126) - 24 + 1023) as u64) << 52)
}

/// A placed mesh under a center.
struct View<'a> {
    mesh: &'a TriangleMesh,
    /// Of the transform.
    rows: [[f64; 4]; 3],
    is_identity: bool,
    run: &'a Center,
    center: &'a Center,
    /// The mesh's local centre, and the transform's shift that comes of it.
    local: [f64; 3],
    shift: [f64; 3],
}

impl<'a> View<'a> {
    fn new(mesh: &'a TriangleMesh, transform: Affine, run: &'a Center, center: &'a Center) -> Self {
        let rows = transform.rows.map(|row| row.map(f64::from));
        let local = mesh.positions.first().map_or([0.0; 3], |p| local_of(center.local, p.map(f64::from)));
        let shift = std::array::from_fn(|i| {
            let r: [f64; 4] = rows[i];
            r[0] * local[0] + r[1] * local[1] + r[2] * local[2] + r[3] - center.origin[i]
        });
        Self { mesh, rows, is_identity: transform == Affine::IDENTITY, run, center, local, shift }
    }

    /// Whether the mesh stands in the world as its file has it, without a center.
    fn is_exact(&self) -> bool {
        !self.run.moved && self.is_identity
    }

    /// Whether any triangle may be hurt without a center: a look at the smallest one and at the largest numbers.
    fn may_hurt(&self, summary: &Summary) -> bool {
        if self.is_exact() {
            return false;
        }
        let terms = self.rows.map(|r| (0..3).map(|j| (r[j] * summary.reach[j]).abs()).sum::<f64>() + r[3].abs());
        let largest = terms.into_iter().fold(0.0, f64::max);
        let matrix = glam::DMat3::from_cols_array_2d(&std::array::from_fn(|c| self.rows.map(|row| row[c])));
        // What is left of an extent at least, by the norm of the inverse.
        let shrink = if self.is_identity {
            1.0
        } else {
            1.0 / (3.0 * matrix.inverse().to_cols_array().iter().map(|x| x * x).sum::<f64>()).sqrt()
        };
        // Negated, so that a transform without an inverse counts as one that may.
        #[allow(clippy::neg_cmp_op_on_partial_ord, reason = "a NaN counts as hurt")]
        let hurt = !(half_unit(largest) <= HURT * summary.extent * shrink);
        summary.collapsed || hurt
    }

    /// Looks at every `by`th triangle of a run, of which each counts as so many.
    fn look(&self, run: &[[u32; 3]], by: usize) -> Looked {
        let mut looked = Looked::default();
        let is_exact = self.is_exact();
        let (mut found, mut stride) = (0u64, 1);
        for indices in run.iter().step_by(by) {
            let local = indices.map(|i| self.mesh.positions[i as usize].map(f64::from));
            let (mut extent, mut before, mut after) = (0f64, 0f64, 0f64);
            for i in 0..3 {
                let r = &self.rows[i];
                let mut world = [0.0; 3];
                for (w, l) in world.iter_mut().zip(&local) {
                    let terms = [r[0] * l[0], r[1] * l[1], r[2] * l[2]];
                    *w = if self.is_identity { l[i] } else { terms[0] + terms[1] + terms[2] + r[3] };
                    before = before.max(w.abs());
                    after = after.max((*w - self.center.origin[i]).abs());
                    if !self.is_identity {
                        before = before.max(terms.iter().fold(r[3].abs(), |most, term| most.max(term.abs())));
                        let term = |j: usize| (r[j] * (l[j] - self.local[j])).abs();
                        after = after.max(term(0)).max(term(1)).max(term(2)).max(self.shift[i].abs());
                    }
                }
                let [a, b, c] = world;
                extent = extent.max(a.max(b).max(c) - a.min(b).min(c));
            }
            if extent > 0.0 && half_unit(after) > HURT * extent {
                looked.rounding.hurt += 1;
                looked.rounding.share = looked.rounding.share.max(half_unit(after) / extent);
            }
            looked.nearer += u64::from(before >= GAIN * after);
            let was_hurt = extent > 0.0 && !is_exact && half_unit(before) > HURT * extent;
            let collapsed = extent == 0.0 && self.run.is_lost(indices);
            if !(was_hurt || collapsed) {
                continue;
            }
            looked.rounding.collapsed += u64::from(collapsed);
            looked.gained += u64::from(before >= GAIN * after);
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
                let world = std::array::from_fn(|i| {
                    let (r, l) = (&self.rows[i], &local[0]);
                    (r[0] * l[0] + r[1] * l[1] + r[2] * l[2] + r[3]) as f32
                });
                looked.samples.push(Sample { local: local[0].map(|x| x as f32), world });
            }
            found += 1;
        }
        if by > 1 {
            let (all, seen) = (run.len() as u64, run.len().div_ceil(by) as u64);
            let Looked { rounding, gained, nearer, .. } = &mut looked;
            rounding.is_estimate = true;
            for count in [&mut rounding.hurt, &mut rounding.collapsed, gained, nearer] {
                *count = (*count * all + seen / 2) / seen;
            }
        }
        looked
    }
}

#[cfg(test)]
mod tests;
