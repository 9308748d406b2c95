//! Shading in vectors: the vertices of many paths at a time, in one text for every instruction set.
//!
//! A wave's vertices are sorted by the class of their material into [`Queues`]. Those of a class with a text here are
//! shaded 8 or 16 at a time (4 with NEON), a path a lane ([`vertices`]); the others, and those lanes that meet
//! something rare, stay with the functions of one path ([`crate::vertex`]), which remain what defines a picture. Every
//! function here is the arithmetic of its namesake there in the same order, so that a path has the same bits whichever
//! way it goes; the tests compare them.
//!
//! Paths begin in vectors too ([`camera`]), and those that leave the scene for an environment end so ([`missed`]).
//!
//! Records are gathered whole, 64 bytes a triangle and a light, and turned round in registers.

mod albedos;
mod blinn;
mod camera;
mod elementary;
mod environment;
mod exponential;
mod facets;
mod ggx;
mod horizon;
mod leave;
mod light;
mod looked_up;
mod losses;
mod media;
mod metal;
mod missed;
mod model;
mod numbers;
mod point;
mod principled;
mod queues;
mod specular;
mod tables;
mod tangent;
#[cfg(test)]
mod tests;
mod vec3;
mod vertices;
mod warp;
mod width;

pub(crate) use queues::Queues;

use crate::flat::ShadingScene;
use crate::path::Wave;
use crate::stage::Generate;
use crate::vertex::Transport;
use environment::Sky;
use raywarp_lanes::Isa;
use tables::Tables;
use tables::class::{BLINN, DIFFUSE, METAL, PRINCIPLED, SPECULAR};
use width::{AtNativeWidth, AtWidth, has_vectors};

/// Shading of a scene by vector code, many paths at a time.
#[derive(Debug)]
pub(crate) struct Vectors {
    isa: Isa,
    tables: Tables,
}

impl Vectors {
    /// Prepares vector shading of `scene` for this CPU; `None` if it has no vector instructions, so that paths are
    /// shaded one by one.
    pub fn new(scene: &ShadingScene, transport: &Transport) -> Option<Self> {
        Self::with(Isa::preferred(), scene, transport)
    }

    /// Prepares vector shading as [`Vectors::new`] does, for a given instruction set.
    fn with(isa: Isa, scene: &ShadingScene, transport: &Transport) -> Option<Self> {
        has_vectors(isa).then(|| Self { isa, tables: Tables::new(scene, transport.scattering) })
    }

    fn run(&self, work: impl AtWidth) {
        self.isa.run(AtNativeWidth(work));
    }

    /// Makes the camera rays of a wave whose pixels and sample numbers are set; returns `false` if scalar code must
    /// make them.
    pub fn start(&self, with: &Generate, wave: &mut Wave) -> bool {
        let knows = camera::knows(with.sampler);
        if knows {
            self.run(camera::Start { with, wave });
        }
        knows
    }

    /// Shades the paths of a wave that vector code can, and queues the others to be shaded one by one.
    pub fn shade(&self, scene: &ShadingScene, transport: &Transport, wave: &mut Wave) {
        let sky = Sky::of(scene);
        queues::sort(scene, &self.tables, sky.is_some(), wave);
        if let Some(sky) = sky {
            self.run(missed::Leave { sky, transport, wave });
        }
        self.run(vertices::Shade::<DIFFUSE> { scene, transport, tables: &self.tables, wave });
        self.run(vertices::Shade::<PRINCIPLED> { scene, transport, tables: &self.tables, wave });
        self.run(vertices::Shade::<BLINN> { scene, transport, tables: &self.tables, wave });
        self.run(vertices::Shade::<METAL> { scene, transport, tables: &self.tables, wave });
        self.run(vertices::Shade::<SPECULAR> { scene, transport, tables: &self.tables, wave });
    }
}
