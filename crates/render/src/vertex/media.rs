//! The media that light runs in along a path.
//!
//! Two kinds of surface bound media. A *body* (a glTF volume) says what fills it and lies in whatever is around it: light
//! that enters is in it until it leaves, and of several bodies that it is in, the one entered last counts. That stands
//! for the priorities of Schmidt and Budge (2002), which no file that is read gives. An *interface* (pbrt's) states the
//! media on both of its sides: beyond it light is in that medium and no other, whatever it was in before.

use crate::flat::{MaterialFlags, MaterialRecord, NONE, ShadingScene};
use glam::Vec3;
use raywarp_geom::{Hit, Ray};
use raywarp_sample::elementary::exp;

/// Bodies that a path can be in at once; with one more, the one entered first is forgotten.
const ENTRIES: usize = 4;

/// The media that a path is in, the one entered last first: 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(transparent)]
pub(crate) struct MediaStack {
    /// Indices of media plus one; 0 behind the last.
    entries: [u16; ENTRIES],
}

/// The media that a path is in, and since when: 12 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
pub(crate) struct InMedia {
    pub stack: MediaStack,
    /// Where on its ray the path came into the medium that it runs in.
    pub since: f32,
}

const _: () = assert!(size_of::<MediaStack>() == 8 && size_of::<InMedia>() == 12);

impl MediaStack {
    /// Of a medium alone, or of empty space for [`NONE`].
    #[inline]
    pub fn of(medium: u32) -> Self {
        if medium == NONE { Self::default() } else { Self::default().entered(medium) }
    }

    /// The medium that light runs in, or [`NONE`] for empty space.
    #[inline]
    pub fn medium(self) -> u32 {
        if self.entries[0] == 0 { NONE } else { u32::from(self.entries[0]) - 1 }
    }

    /// After light has come into a medium.
    #[inline]
    pub fn entered(self, medium: u32) -> Self {
        let [a, b, c, _] = self.entries;
        Self { entries: [(medium + 1) as u16, a, b, c] }
    }

    /// After light has left a medium; the same where it was not in it.
    #[inline]
    pub fn left(self, medium: u32) -> Self {
        let left = (medium + 1) as u16;
        let mut entries = self.entries;
        let mut found = false;
        for i in 0..ENTRIES {
            found |= entries[i] == left;
            if found {
                entries[i] = if i + 1 < ENTRIES { entries[i + 1] } else { 0 };
            }
        }
        Self { entries }
    }

    /// Whether light is in a medium.
    #[inline]
    fn holds(self, medium: u32) -> bool {
        let entry = (medium + 1) as u16;
        self.entries.into_iter().any(|other| other == entry)
    }

    /// The index of refraction of what is behind a surface of `material` over that of what is in front, `ior` being that
    /// which the material says. Inside of another body that is the index of one over the other's. The boundary of a body
    /// in one that was entered later is hidden: 1.
    #[inline]
    pub fn relative_ior(self, scene: &ShadingScene, material: &MaterialRecord, ior: f32, from_behind: bool) -> f32 {
        let inside = material.inside;
        if inside == NONE || material.has(MaterialFlags::INTERFACE) {
            return ior;
        }
        if from_behind && self.medium() != inside && self.holds(inside) {
            return 1.0;
        }
        let outside = if from_behind { self.left(inside).medium() } else { self.medium() };
        let around = if outside == NONE { 0.0 } else { scene.media[outside as usize].ior };
        if around > 0.0 { ior / around } else { ior }
    }

    /// After light has come to a surface of `material` on one side and goes on on one: behind the surface or in front.
    #[inline]
    pub fn beyond(self, material: &MaterialRecord, from_behind: bool, to_behind: bool) -> Self {
        if material.has(MaterialFlags::INTERFACE) {
            return Self::of(if to_behind { material.inside } else { material.outside });
        }
        if material.inside == NONE || from_behind == to_behind {
            return self;
        }
        if to_behind { self.entered(material.inside) } else { self.left(material.inside) }
    }
}

impl InMedia {
    /// From the start of a ray on.
    #[inline]
    pub fn at_start(stack: MediaStack) -> Self {
        Self { stack, since: 0.0 }
    }

    /// What is left of light from where the path came into its medium up to `t` on a ray whose direction has `length`
    /// (Beer-Lambert).
    #[inline]
    pub fn transmittance(&self, scene: &ShadingScene, t: f32, length: f32) -> Vec3 {
        let medium = self.stack.medium();
        if medium == NONE {
            return Vec3::ONE;
        }
        let absorption = Vec3::from(scene.media[medium as usize].absorption);
        let distance = (t - self.since) * length;
        // Zero times an infinite way is no number, and takes nothing away.
        Vec3::select(absorption.cmpgt(Vec3::ZERO), (-absorption * distance).map(exp), Vec3::ONE)
    }

    /// What is left of light that comes along `ray` to a surface that is not there, and the media that it is in behind: a
    /// body that light enters through a hole in its surface is entered.
    #[inline]
    pub fn passed(&self, scene: &ShadingScene, ray: &Ray, hit: &Hit, instance: u32) -> (Vec3, Self) {
        let (triangle, material) = scene.surface_of(hit, instance);
        if material.inside == NONE && !material.has(MaterialFlags::INTERFACE) {
            return (Vec3::ONE, *self);
        }
        let direction = Vec3::from(ray.direction);
        let left = self.transmittance(scene, hit.t, direction.length());
        let from_behind = triangle.is_met_from_behind(direction);
        (left, Self { stack: self.stack.beyond(material, from_behind, !from_behind), since: hit.t })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(media: &[u32]) -> MediaStack {
        media.iter().rev().fold(MediaStack::default(), |stack, &medium| stack.entered(medium))
    }

    #[test]
    fn the_medium_entered_last_counts_until_it_is_left() {
        assert_eq!(MediaStack::default().medium(), NONE);
        assert_eq!(stack(&[2, 1]).medium(), 2);
        assert_eq!(stack(&[2, 1]).left(2), stack(&[1]));
        // Bodies that overlap are left in any order.
        assert_eq!(stack(&[2, 1]).left(1), stack(&[2]));
        assert_eq!(stack(&[3, 2, 1, 0]).left(1), stack(&[3, 2, 0]));
        assert_eq!(stack(&[1, 2, 1]).left(1), stack(&[2, 1]));
        assert_eq!(stack(&[3, 2, 1, 0]).left(0), stack(&[3, 2, 1]));
    }

    #[test]
    fn what_was_not_entered_cannot_be_left_and_too_many_forget_the_first() {
        assert_eq!(stack(&[2, 1]).left(0), stack(&[2, 1]));
        assert_eq!(MediaStack::default().left(7), MediaStack::default());
        let five = stack(&[4, 3, 2, 1, 0]);
        assert_eq!(five, stack(&[4, 3, 2, 1]));
        assert_eq!(five.left(4).left(3).left(2).left(1).left(0), MediaStack::default());
        let last = u32::from(u16::MAX) - 1;
        assert_eq!(MediaStack::of(last).medium(), last);
        assert_eq!(MediaStack::of(NONE), MediaStack::default());
    }
}
