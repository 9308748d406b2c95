//! The path tracer: stages over waves of paths, BSDFs, lights, film and output files.
//!
//! It asks for hits through [`raywarp_geom::Tracer`] and never sees a tree.
#![forbid(unsafe_code)]

mod bsdf;
pub mod compare;
mod engine;
pub mod film;
mod filter;
pub mod flat;
pub mod functions;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod integrator;
mod job;
mod joined;
mod lanes;
mod lens;
mod light;
mod observe;
mod options;
pub mod output;
mod pace;
mod path;
mod prepare;
mod render;
mod stage;
mod surface;
mod texture;
mod vertex;
mod wide;

pub use bsdf::BsdfTables;
#[cfg(any(test, feature = "tables"))]
pub use bsdf::tabulate::tables;
pub use engine::{FrameSettings, PassWatch, PathEngine};
pub use filter::FilterTable;
pub use flat::{ShadingBytes, ShadingScene};
pub use lens::LensRecord;
pub use observe::{PathObserver, PathRecorder};
pub use options::{DirectLight, Integrator, ROULETTE_BELOW, RenderError, RenderOptionError, RenderOptions, Scattering};
pub use pace::Between;
pub use render::{Progress, RenderContext, Rendered, StopReason, Watch, engine_can, render};
pub use texture::srgb_table;
