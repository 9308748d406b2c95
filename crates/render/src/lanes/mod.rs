//! Shading in vectors: the vertices of many paths at a time, in one text for every instruction set.
//!
//! A wave's vertices are sorted by the class of their material into [`Queues`]. Those of a class with a text here are
//! shaded 8 or 16 at a time, a path a lane ([`diffuse`]); the others, and those lanes that meet something rare, stay with the
//! functions of one path ([`crate::vertex`]), which remain what defines a picture. Every function here is the arithmetic
//! of its namesake there in the same order, so that a path has the same bits whichever way it goes; the tests compare them.
//!
//! Records are gathered whole, 64 bytes a triangle and a light, and turned round in registers.

mod diffuse;
mod light;
mod numbers;
mod point;
mod queues;
mod tables;
#[cfg(test)]
mod tests;
mod vec3;
mod warp;

pub(crate) use queues::Queues;

use crate::flat::ShadingScene;
use crate::path::Wave;
use crate::vertex::Transport;
use numbers::Numbers;
use raywarp_lanes::{InstructionSet, Isa, Task};
use tables::Tables;

/// A scene's shading in vectors.
#[derive(Debug)]
pub(crate) struct Vectors {
    isa: Isa,
    lanes: Lanes,
    tables: Tables,
}

/// How many paths at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lanes {
    Eight,
    Sixteen,
}

impl Vectors {
    /// For paths through `scene` on this CPU; none where they are shaded one by one: without vector instructions, with
    /// media, and with a sampler that has no text in vectors.
    pub fn new(scene: &ShadingScene, transport: &Transport) -> Option<Self> {
        match Isa::preferred() {
            // Lanes in plain Rust have nothing to gain: they would be taken one after the other.
            Isa::Portable(_) => None,
            isa => Self::with(
                isa,
                if isa.run(NativeLanes) >= 16 { Lanes::Sixteen } else { Lanes::Eight },
                scene,
                transport,
            ),
        }
    }

    /// As [`Vectors::new`], with an instruction set and a width.
    fn with(isa: Isa, lanes: Lanes, scene: &ShadingScene, transport: &Transport) -> Option<Self> {
        let can = scene.media.is_empty() && Numbers::<()>::has(transport.sampler);
        can.then(|| Self { isa, lanes, tables: Tables::new(scene) })
    }

    /// Shades what it can of a wave, and queues the rest to be shaded one by one.
    pub fn shade(&self, scene: &ShadingScene, transport: &Transport, wave: &mut Wave) {
        queues::sort(scene, &self.tables, wave);
        self.isa.run(diffuse::Shade { lanes: self.lanes, scene, transport, tables: &self.tables, wave });
    }
}

/// The lanes of an instruction.
struct NativeLanes;

impl Task for NativeLanes {
    type Output = usize;

    #[inline(always)]
    fn run<S: InstructionSet>(self, _: S) -> usize {
        S::NATIVE_LANES
    }
}
