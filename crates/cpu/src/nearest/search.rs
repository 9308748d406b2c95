//! What a search knows on its way: how far the nearest point can be, and which triangles may have it.

use super::filter::NearestFilter;
use super::foot::Foot;
use super::found::{Feature, NearestPoint};
use super::leaf::Leaves;
use super::space::{Space, is_valid};
use raywarp_geom::{Aabb, PrimitiveId};
use raywarp_layout::{BLOCK, INDEX_MASK, TriangleBlock};

/// Number of triangles that wait to be measured. Six meet at a corner of most meshes, and a few more come before the
/// nearest is met.
const WAITING: usize = 12;

/// Triangle that may be the nearest.
#[derive(Clone, Copy)]
struct Waiting<'a> {
    block: &'a TriangleBlock,
    slot: u32,
    /// Number of the tree's placement.
    placed: u32,
    /// How far it is at least, in the world's units.
    lower: f32,
}

/// Triangle that was measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    /// How far it is.
    distance: f32,
    /// Number of its tree's placement, and its index in the tree.
    triangle: (u32, u32),
    foot: Foot,
    /// Its corners in the world.
    pub corners: [[f32; 3]; 3],
}

/// Point of custom geometry.
#[derive(Debug, Clone, Copy)]
struct OnCustom {
    /// How far it is.
    distance: f32,
    id: PrimitiveId,
    point: [f32; 3],
}

impl OnCustom {
    fn nearest(&self) -> NearestPoint {
        let Self { distance, id: PrimitiveId { instance, primitive }, point } = *self;
        NearestPoint { point, distance, u: 0.0, v: 0.0, instance, primitive, feature: Feature::Face }
    }
}

/// Search for the nearest point.
pub(crate) struct Search<'a> {
    leaves: &'a dyn Leaves,
    /// What counts; everything without it.
    filter: Option<&'a dyn NearestFilter>,
    /// Point whose nearest is looked for.
    pub point: [f32; 3],
    /// The point in the world, in units in which lanes measure.
    pub world: Space,
    /// How far the nearest point is at most, in the world's units.
    pub limit: f32,
    /// How far it may be.
    within: f32,
    waiting: [Option<Waiting<'a>>; WAITING],
    count: usize,
    best: Option<Measured>,
    custom: Option<OnCustom>,
}

impl<'a> Search<'a> {
    /// Begins a search among triangles within `bounds`; `None` if there is nothing to find.
    pub fn new(
        (leaves, filter): (&'a dyn Leaves, Option<&'a dyn NearestFilter>),
        (point, within): ([f32; 3], f32),
        bounds: &Aabb,
    ) -> Option<Self> {
        if !is_valid(&point) || within.is_nan() || within < 0.0 || bounds.is_empty() {
            return None;
        }
        let world = Space::new(&point, bounds);
        let limit = scaled(&world, f64::from(within));
        let (waiting, count, best, custom) = ([None; WAITING], 0, None, None);
        Some(Self { leaves, filter, point, world, limit, within, waiting, count, best, custom })
    }

    /// Returns `true` if there is a filter.
    pub fn is_filtered(&self) -> bool {
        self.filter.is_some()
    }

    /// Returns `true` if nothing of a placement counts, or of a tree all of whose triangles have its number.
    pub fn leaves_out(&self, instance: u32) -> bool {
        self.filter.is_some_and(|filter| !filter.sees(instance))
    }

    /// Notes that a triangle with these corners, in the world, is in the scene.
    pub fn note(&mut self, corners: &[[f32; 3]; 3]) {
        self.bring_near(Foot::new(&self.point, corners).distance());
    }

    /// Notes that the nearest point is at most `distance` away; what rounds to that stays within the limit.
    fn bring_near(&mut self, distance: f64) {
        self.limit = self.limit.min(scaled(&self.world, distance));
    }

    /// Takes the triangles of a block, each at least `lower` and at most `upper` from the point, in the world's units;
    /// NaN where a slot is unused; `placed` is the number of the tree's placement.
    #[inline(never)]
    pub fn take(&mut self, block: &'a TriangleBlock, placed: u32, lower: &[f32; BLOCK], upper: &[f32; BLOCK]) {
        if let Some(filter) = self.filter {
            return self.take_seen(filter, block, placed, lower);
        }
        for &upper in upper {
            let upper = upper + MEASURED;
            if upper < self.limit {
                self.limit = upper;
            }
        }
        for (slot, &lower) in lower.iter().enumerate() {
            if lower <= self.limit {
                if self.count == WAITING {
                    self.measure();
                }
                self.waiting[self.count] = Some(Waiting { block, slot: slot as u32, placed, lower });
                self.count += 1;
            }
        }
    }

    /// Takes those triangles of a block that a filter lets count. They are measured at once, since a bound of one that
    /// may not count brings nothing near.
    fn take_seen(&mut self, filter: &dyn NearestFilter, block: &'a TriangleBlock, placed: u32, lower: &[f32; BLOCK]) {
        for (slot, &lower) in lower.iter().enumerate() {
            if lower <= self.limit && filter.sees(self.leaves.id(placed, block.slots[slot] & INDEX_MASK).instance) {
                self.waiting[self.count] = Some(Waiting { block, slot: slot as u32, placed, lower });
                self.count += 1;
            }
        }
        self.measure();
    }

    /// Takes a point of custom geometry, in the world; one that is not finite does not count.
    pub fn take_point(&mut self, id: PrimitiveId, point: [f64; 3]) {
        let squared: f64 = (0..3).map(|i| (point[i] - f64::from(self.point[i])).powi(2)).sum();
        let (exact, rounded) = (squared.sqrt(), point.map(|x| x as f32));
        let distance = exact as f32;
        if !distance.is_finite() || !is_valid(&rounded) {
            return;
        }
        let found = OnCustom { distance, id, point: rounded };
        if self.filter.is_some_and(|filter| !filter.takes(&found.nearest())) {
            return;
        }
        if self.custom.is_none_or(|best| (distance, id) < (best.distance, best.id)) {
            self.custom = Some(found);
        }
        self.bring_near(exact);
    }

    /// Measures what waits, as far as it can still be the nearest.
    fn measure(&mut self) {
        for i in 0..std::mem::take(&mut self.count) {
            let Some(Waiting { block, slot, placed, lower }) = self.waiting[i] else { continue };
            if lower > self.limit {
                continue;
            }
            let slot = slot as usize % BLOCK;
            let corners = self.leaves.in_world(placed, &block.vertices(slot));
            let foot = Foot::new(&self.point, &corners);
            let distance = foot.distance();
            // Farther than f32 can say, where no two would differ: not found.
            if (distance as f32).is_infinite() {
                continue;
            }
            let triangle = (placed, block.slots[slot] & INDEX_MASK);
            let measured = Measured { distance: distance as f32, triangle, foot, corners };
            if self.filter.is_some_and(|filter| !filter.takes(&self.on_triangle(&measured))) {
                continue;
            }
            if self.best.is_none_or(|best| self.is_before(&measured, &best)) {
                self.best = Some(measured);
            }
            self.bring_near(distance);
        }
    }

    /// Returns `true` if a triangle answers rather than another.
    fn is_before(&self, one: &Measured, two: &Measured) -> bool {
        if one.distance != two.distance {
            return one.distance < two.distance;
        }
        // Within a tree the order of indices is that of ids, which lie far away in memory.
        if one.triangle.0 == two.triangle.0 { one.triangle.1 < two.triangle.1 } else { self.id(one) < self.id(two) }
    }

    fn id(&self, measured: &Measured) -> PrimitiveId {
        let (placed, index) = measured.triangle;
        self.leaves.id(placed, index)
    }

    /// Ends the search with the nearest point, if it is near enough, and the corners of its triangle, if it is on one.
    pub fn answer(&mut self) -> Option<(NearestPoint, Option<[[f32; 3]; 3]>)> {
        self.measure();
        let triangle = self.best.filter(|best| best.distance <= self.within);
        let custom = self.custom.filter(|custom| custom.distance <= self.within);
        let Some(found) = triangle.filter(|triangle| {
            custom.is_none_or(|custom| (triangle.distance, self.id(triangle)) < (custom.distance, custom.id))
        }) else {
            return Some((custom?.nearest(), None));
        };
        Some((self.on_triangle(&found), Some(found.corners)))
    }

    /// Returns the nearest point of a triangle that was found.
    fn on_triangle(&self, found: &Measured) -> NearestPoint {
        let PrimitiveId { instance, primitive } = self.id(found);
        let [u, v] = found.foot.uv();
        let point = found.foot.point(&found.corners);
        NearestPoint { point, distance: found.distance, u, v, instance, primitive, feature: found.foot.feature() }
    }
}

/// By how much two measured distances may differ from what they are, in units of a space, where no coordinate is 2 off
/// ([`Foot::distance`]): what is nearer by less may still answer, by its id.
const MEASURED: f32 = 1.0 / (1u64 << 45) as f32;

/// Returns a limit for what is at most `distance` away or rounds to that, in the world's units.
fn scaled(world: &Space, distance: f64) -> f32 {
    const UP: f64 = 1.0 + 1.0 / (1u64 << 20) as f64;
    // Near zero what rounds to it is off by more.
    let scaled = (distance * UP + f64::from(f32::from_bits(1))) * f64::from(world.scale) + f64::from(MEASURED);
    (scaled as f32).next_up()
}
