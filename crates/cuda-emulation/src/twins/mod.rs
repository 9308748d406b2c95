//! The renderer's functions as cases: words in, words out. Their twins in CUDA C++ (crates/render-cuda/kernels) are
//! given the same words, and must answer with the same (tests/twins.rs).

mod bsdf;
mod by_name;
mod glass;
mod lens;
mod light;
mod sample;
mod scene;
mod surface;
mod texture;
mod vertex;
mod words;

pub use by_name::{answer, twin_names};
pub use scene::{everything, flat, scene_of_everything};
pub use words::{Numbers, Reader, Writer};

use raywarp_render::flat::ShadingScene;

/// A function with a twin.
#[derive(Clone, Copy)]
pub struct Twin {
    /// The name of both.
    pub name: &'static str,
    /// Makes a case, of as many words for every case.
    pub make: fn(&mut Numbers, &ShadingScene, &mut Writer),
    /// Answers a case, with as many words for every case.
    pub run: fn(&ShadingScene, &mut Reader, &mut Writer),
}

/// Returns all twins.
pub fn twins() -> Vec<Twin> {
    [sample::TWINS, texture::TWINS, surface::TWINS, light::TWINS, lens::TWINS, bsdf::TWINS, glass::TWINS, vertex::TWINS]
        .concat()
}
