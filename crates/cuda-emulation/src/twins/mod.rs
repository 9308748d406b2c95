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
pub use scene::{everything, flat, of_pbrt, scene_of_everything};
pub use words::{Numbers, Reader, Writer};

use raywarp_render::flat::ShadingScene;

/// Rust function of the renderer whose CUDA twin must give the same answers.
#[derive(Clone, Copy)]
pub struct Twin {
    /// Name of the function, also of its CUDA twin.
    pub name: &'static str,
    /// Writes a random test case, always of the same number of words.
    pub make: fn(&mut Numbers, &ShadingScene, &mut Writer),
    /// Reads a test case and writes the function's answer, always of the same number of words.
    pub run: fn(&ShadingScene, &mut Reader, &mut Writer),
}

/// Returns all functions with CUDA twins.
pub fn twins() -> Vec<Twin> {
    [sample::TWINS, texture::TWINS, surface::TWINS, light::TWINS, lens::TWINS, bsdf::TWINS, glass::TWINS, vertex::TWINS]
        .concat()
}
