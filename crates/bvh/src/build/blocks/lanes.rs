//! Boxes as vectors of eight lanes: the lower corner, and the upper corner negated, so that a union is one minimum.

use crate::reference::{Bounds, RangeBounds, Reference};
use glam::Vec3A;
use raywarp_lanes::{InstructionSet, Vector};

/// Such a box in memory.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Lanes(pub(super) [f32; 8]);

impl Lanes {
    pub(super) const EMPTY: Self = Self([f32::INFINITY; 8]);

    pub(super) fn bounds(self) -> Bounds {
        let [a, b, c, _, d, e, f, _] = self.0;
        Bounds { min: Vec3A::new(a, b, c), max: -Vec3A::new(d, e, f) }
    }
}

/// Boxes around the two sides of a split, and around their centroids.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sides {
    pub(super) boxes: [Lanes; 2],
    pub(super) centroids: [Lanes; 2],
}

impl Sides {
    pub(super) fn bounds(&self) -> [RangeBounds; 2] {
        let side =
            |side: usize| RangeBounds { boxes: self.boxes[side].bounds(), centroids: self.centroids[side].bounds() };
        [side(0), side(1)]
    }
}

type Words<S> = <<S as InstructionSet>::F8 as Vector<8>>::Words;

/// Negates the upper four lanes.
#[inline(always)]
fn negate_upper<S: InstructionSet>(set: S, x: S::F8) -> S::F8 {
    const SIGN: u32 = 1 << 31;
    let signs = raywarp_lanes::Words::load(set, &[0, 0, 0, 0, SIGN, SIGN, SIGN, SIGN]);
    S::F8::from_bits(<Words<S> as std::ops::BitXor>::bitxor(x.to_bits(), signs))
}

/// Returns the box of a reference. The fourth and the eighth lane are some numbers.
#[inline(always)]
pub(super) fn box_of<S: InstructionSet>(set: S, reference: &Reference) -> S::F8 {
    negate_upper(set, S::F8::load(set, reference.lanes()))
}

/// Returns the centroid of a reference, as [`Reference::centroid`] does, as a box that holds just this point.
#[inline(always)]
pub(super) fn centroid_of<S: InstructionSet>(set: S, reference: &Reference) -> S::F8 {
    const QUARTERS: [f32; 8] = [0.25, 0.25, 0.25, 0.25, -0.25, -0.25, -0.25, -0.25];
    let [a, b, c, d, e, f, g, h] = *reference.lanes();
    let (here, there) = (S::F8::load(set, reference.lanes()), S::F8::load(set, &[e, f, g, h, a, b, c, d]));
    let quarters = S::F8::load(set, &QUARTERS);
    here * quarters + there * quarters
}

/// Returns what lies in memory, to be stored there.
#[inline(always)]
pub(super) fn stored<F: Vector<8>>(x: F) -> Lanes {
    Lanes(x.store())
}
