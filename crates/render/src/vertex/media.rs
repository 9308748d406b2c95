//! The media that light runs in along a path.
//!
//! Two kinds of surface bound media. A *body* (a glTF volume) says what fills it and lies in whatever is around it:
//! light that enters is in it until it leaves, and of several bodies that it is in, the one entered last counts. That
//! stands for the priorities of Schmidt and Budge (2002), which no file that is read gives. An *interface* (pbrt's)
//! states the media on both of its sides: beyond it light is in that medium and no other, whatever it was in before.

use crate::flat::{MaterialFlags, MaterialRecord, NONE, ShadingScene};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use raywarp_geom::{Hit, Ray};
use raywarp_sample::elementary::exp;

/// Number of bodies that a path can be in at once with a named medium; further ones are only counted, and their media
/// ignored.
const ENTRIES: usize = 4;
/// Mask of the bits of a stack entry that hold the medium.
const MEDIUM: u16 = 0x3fff;
/// Largest number of bodies beyond the named ones that is counted.
const MOST_UNNAMED: u32 = 255;

/// Stack of the media that a path is in, the last entered first, 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct MediaStack {
    /// Entries of the stack: indices of media plus one, and 0 after the last. The upper two bits of the four, the first
    /// lowest, count the bodies that a path came into when there was no room.
    pub entries: [u16; ENTRIES],
}

/// Media that a path is in, and the distance at which it entered the current one, 12 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct InMedia {
    /// Stack of the media, the last entered on top.
    pub stack: MediaStack,
    /// Distance along the path's ray at which it entered the current medium.
    pub since: f32,
}

const _: () = assert!(size_of::<MediaStack>() == 8 && size_of::<InMedia>() == 12);

/// Surface that light has reached, as a boundary between media.
#[derive(Debug, Clone, Copy)]
pub struct Boundary<'a> {
    /// Material of the surface.
    pub material: &'a MaterialRecord,
    /// Medium of another body whose boundary coincides with this one, or [`NONE`].
    pub touching: u32,
    /// `true` if light comes from behind the surface.
    pub from_behind: bool,
}

impl MediaStack {
    /// Makes a stack of a single medium, or an empty one (empty space) for [`NONE`].
    #[inline]
    pub fn of(medium: u32) -> Self {
        if medium == NONE { Self::default() } else { Self::default().entered(medium) }
    }

    /// Returns the stack as two words, with the first entry in the lowest bits.
    pub fn words(self) -> [u32; 2] {
        let [a, b, c, d] = self.entries.map(u32::from);
        [a | b << 16, c | d << 16]
    }

    /// Returns the medium in which light runs, or [`NONE`] for empty space.
    #[inline]
    pub fn medium(self) -> u32 {
        let entry = self.entries[0] & MEDIUM;
        if entry == 0 { NONE } else { u32::from(entry) - 1 }
    }

    /// Returns the number of bodies that light is in beyond the entries of the stack.
    #[inline]
    fn unnamed(self) -> u32 {
        let [a, b, c, d] = self.entries.map(|entry| u32::from(entry >> 14));
        a | b << 2 | c << 4 | d << 6
    }

    #[inline]
    fn with_unnamed(self, count: u32) -> Self {
        let mut entries = self.entries;
        for i in 0..ENTRIES {
            // Two bits of the count are left of the shift.
            entries[i] = (entries[i] & MEDIUM) | ((count >> (2 * i)) as u16) << 14;
        }
        Self { entries }
    }

    /// Returns `true` if the stack has no entry left for another medium.
    #[inline]
    fn is_full(self) -> bool {
        self.entries[ENTRIES - 1] & MEDIUM != 0
    }

    /// Returns the stack after light enters a medium; one too many is only counted.
    #[inline]
    pub fn entered(self, medium: u32) -> Self {
        if self.is_full() {
            return self.with_unnamed((self.unnamed() + 1).min(MOST_UNNAMED));
        }
        let [a, b, c, _] = self.entries;
        Self { entries: [(medium + 1) as u16, a, b, c] }
    }

    /// Returns the stack after light leaves a medium; unchanged if light was not in it. Those without an entry, entered
    /// last, are left first.
    #[inline]
    pub fn left(self, medium: u32) -> Self {
        if self.unnamed() > 0 {
            return self.with_unnamed(self.unnamed() - 1);
        }
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

    /// Returns `true` if light is in this medium.
    #[inline]
    fn holds(self, medium: u32) -> bool {
        let entry = (medium + 1) as u16;
        self.entries.into_iter().any(|other| other & MEDIUM == entry)
    }

    /// Returns the medium of the other body at a coinciding boundary that light enters as it leaves the first, or
    /// leaves as it enters; else [`NONE`]. At the edge of a body alone, where it begins and ends, light is not in it
    /// before.
    #[inline]
    fn touching(self, at: &Boundary) -> u32 {
        let held = if at.from_behind { at.material.inside } else { at.touching };
        if at.touching != NONE && self.holds(held) { at.touching } else { NONE }
    }

    /// Returns the stack after light has passed the boundary of a body, and of another that touches it there.
    #[inline]
    fn through(self, at: &Boundary) -> Self {
        let (inside, touching) = (at.material.inside, self.touching(at));
        let (left, entered) = if at.from_behind { (inside, touching) } else { (touching, inside) };
        let stack = if left == NONE { self } else { self.left(left) };
        if entered == NONE { stack } else { stack.entered(entered) }
    }

    /// Returns `true` if a body's boundary does not count for light: if it is inside another body entered later, or
    /// beyond the stack's entries.
    #[inline]
    pub fn hides(self, at: &Boundary) -> bool {
        let inside = at.material.body();
        if inside == NONE {
            return false;
        }
        if self.unnamed() > 0 {
            return true;
        }
        if at.from_behind {
            return self.holds(inside) && self.medium() != inside;
        }
        self.is_full() && self.touching(at) == NONE
    }

    /// Returns the refractive index behind a surface over that in front, where its material alone would say `ior`. In
    /// another body, or where it touches one, that is the index of one over the other's.
    #[inline]
    pub fn relative_ior(self, scene: &ShadingScene, at: &Boundary, ior: f32) -> f32 {
        if at.material.body() == NONE {
            return ior;
        }
        let outside = if at.from_behind { self.through(at).medium() } else { self.medium() };
        let around = if outside == NONE { 0.0 } else { scene.media[outside as usize].ior };
        if around > 0.0 { ior / around } else { ior }
    }

    /// Returns the stack after light goes on from a surface, behind it or in front of it.
    #[inline]
    pub fn beyond(self, at: &Boundary, to_behind: bool) -> Self {
        if at.material.has(MaterialFlags::INTERFACE) {
            return Self::of(if to_behind { at.material.inside } else { at.material.outside });
        }
        if at.material.inside == NONE || at.from_behind == to_behind {
            return self;
        }
        self.through(at)
    }
}

impl InMedia {
    /// Makes the state of a path at the start of its ray.
    #[inline]
    pub fn at_start(stack: MediaStack) -> Self {
        Self { stack, since: 0.0 }
    }

    /// Returns the transmittance from where the path entered its medium up to `t` on a ray whose direction has `length`
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

    /// Returns the transmittance along `ray` to a hole in a surface, and the media behind it: a path enters or leaves a
    /// body through holes too.
    #[inline]
    pub fn passed(&self, scene: &ShadingScene, ray: &Ray, hit: &Hit, instance: u32) -> (Vec3, Self) {
        let (triangle, material) = scene.surface_of(hit, instance);
        if material.inside == NONE && !material.has(MaterialFlags::INTERFACE) {
            return (Vec3::ONE, *self);
        }
        let direction = Vec3::from(ray.direction);
        let left = self.transmittance(scene, hit.t, direction.length());
        let from_behind = triangle.is_met_from_behind(direction);
        let at = Boundary { material, touching: NONE, from_behind };
        (left, Self { stack: self.stack.beyond(&at, !from_behind), since: hit.t })
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
    fn what_was_not_entered_cannot_be_left_and_one_too_many_is_not_entered() {
        assert_eq!(stack(&[2, 1]).left(0), stack(&[2, 1]));
        assert_eq!(MediaStack::default().left(7), MediaStack::default());
        let four = stack(&[3, 2, 1, 0]);
        let more = |stack: MediaStack, times| (0..times).fold(stack, |stack, _| stack.entered(4));
        for times in [1, 2, 3, 4, 77, 255] {
            let six = more(four, times);
            assert_eq!((six.medium(), six.unnamed()), (3, times));
            // Whatever is left, it is one of those.
            assert_eq!((0..times).fold(six, |stack, _| stack.left(3)), four);
        }
        assert_eq!(more(four, 256), more(four, 255));
        assert_eq!(four.left(3).left(2).left(1).left(0), MediaStack::default());
        let last = ShadingScene::MOST_MEDIA as u32 - 1;
        assert_eq!(MediaStack::of(last).medium(), last);
        assert_eq!(MediaStack::of(NONE), MediaStack::default());
    }
}
