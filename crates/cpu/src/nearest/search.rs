//! What a search knows on its way: how far the nearest point can be, and which triangles may have it.

use super::foot::Foot;
use super::found::NearestPoint;
use super::space::{Space, is_valid};
use raywarp_geom::{Aabb, Affine, PrimitiveId};
use raywarp_layout::{BLOCK, INDEX_MASK, TriangleBlock};

/// Number of triangles that wait to be measured. Six meet at a corner of most meshes, and a few more come before the
/// nearest is met.
const WAITING: usize = 12;

/// Where the triangles of a tree's leaves are, and their ids.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf<'a> {
    /// Ids of the tree's triangles.
    pub ids: &'a [PrimitiveId],
    /// What is added to their instances.
    pub base: u32,
    /// How corners get to the world; `None` if they are there.
    pub place: Option<&'a Affine>,
}

/// Triangle that may be the nearest.
#[derive(Debug, Clone, Copy)]
struct Waiting<'a> {
    block: &'a TriangleBlock,
    leaf: Leaf<'a>,
    slot: u32,
    /// How far it is at least, in the world's units.
    lower: f32,
}

/// Triangle that was measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    /// Distance, by which triangles are ordered, and ids among those with the same.
    key: (f32, PrimitiveId),
    foot: Foot,
    /// Its corners in the world.
    pub corners: [[f32; 3]; 3],
}

/// Search for the nearest point.
pub(crate) struct Search<'a> {
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
}

impl<'a> Search<'a> {
    /// Begins a search among triangles within `bounds`; `None` if there is nothing to find.
    pub fn new(point: [f32; 3], within: f32, bounds: &Aabb) -> Option<Self> {
        if !is_valid(&point) || within.is_nan() || within < 0.0 || bounds.is_empty() {
            return None;
        }
        let world = Space::new(&point, bounds);
        let mut search =
            Self { point, world, limit: f32::INFINITY, within, waiting: [None; WAITING], count: 0, best: None };
        search.bring_near(f64::from(within));
        Some(search)
    }

    /// Notes that a triangle with these corners, in the world, is in the scene.
    pub fn note(&mut self, corners: &[[f32; 3]; 3]) {
        self.bring_near(Foot::new(&self.point, corners).distance());
    }

    /// Notes that the nearest point is at most `distance` away; what rounds to that stays within the limit.
    fn bring_near(&mut self, distance: f64) {
        const UP: f64 = 1.0 + 1.0 / (1u64 << 20) as f64;
        // Near zero what rounds to it is off by more.
        let scaled = (distance * UP + f64::from(f32::from_bits(1))) * f64::from(self.world.scale);
        self.limit = self.limit.min((scaled as f32).next_up());
    }

    /// Takes the triangles of a block, each at least `lower` and at most `upper` from the point, in the world's units;
    /// NaN where a slot is unused or need not be looked at.
    #[inline(never)]
    pub fn take(&mut self, block: &'a TriangleBlock, leaf: &Leaf<'a>, lower: &[f32; BLOCK], upper: &[f32; BLOCK]) {
        for &upper in upper {
            if upper < self.limit {
                self.limit = upper;
            }
        }
        for (slot, &lower) in lower.iter().enumerate() {
            if lower <= self.limit {
                if self.count == WAITING {
                    self.measure();
                }
                self.waiting[self.count] = Some(Waiting { block, leaf: *leaf, slot: slot as u32, lower });
                self.count += 1;
            }
        }
    }

    /// Measures what waits, as far as it can still be the nearest.
    fn measure(&mut self) {
        for i in 0..std::mem::take(&mut self.count) {
            let Some(Waiting { block, leaf, slot, lower }) = self.waiting[i] else { continue };
            if lower > self.limit {
                continue;
            }
            let slot = slot as usize % BLOCK;
            let corners = block.vertices(slot);
            let corners = leaf.place.map_or(corners, |place| corners.map(|p| place.point(p)));
            let foot = Foot::new(&self.point, &corners);
            let distance = foot.distance();
            let PrimitiveId { instance, primitive } = leaf.ids[(block.slots[slot] & INDEX_MASK) as usize];
            let key = (distance as f32, PrimitiveId { instance: leaf.base + instance, primitive });
            if self.best.is_none_or(|best| key < best.key) {
                self.best = Some(Measured { key, foot, corners });
            }
            self.bring_near(distance);
        }
    }

    /// Ends the search with the nearest triangle, if it is near enough.
    pub fn measured(&mut self) -> Option<Measured> {
        self.measure();
        self.best.filter(|best| best.key.0 <= self.within)
    }

    /// Ends the search.
    pub fn finish(mut self) -> Option<NearestPoint> {
        self.measured().map(|best| best.answer())
    }
}

impl Measured {
    /// Returns the nearest point of the triangle.
    pub fn answer(&self) -> NearestPoint {
        let Self { key: (distance, PrimitiveId { instance, primitive }), foot, corners } = self;
        let [u, v] = foot.uv();
        NearestPoint {
            point: foot.point(corners),
            distance: *distance,
            u,
            v,
            instance: *instance,
            primitive: *primitive,
            feature: foot.feature(),
        }
    }
}
