//! Workloads: the rays that benches and tests trace, an oracle that judges answers, and cases made to hurt.
//!
//! - [`rays`]: primary, ambient occlusion and diffuse rays as the papers cast them.
//! - [`oracle`]: brute force over every triangle in f64, and a judge of engines.
//! - [`cases`] and [`conformance`]: small scenes chosen to hurt, and one engine's check against them;
//! - [`closed`]: closed meshes, which no ray may slip through.
//!
//! Engines come in as `&dyn` [`raywarp_geom::Tracer`]; none is in here. Equal input gives equal bits,
//! whatever the machine and however many threads it has.
#![forbid(unsafe_code)]

pub mod cases;
pub mod closed;
pub mod conformance;
pub mod oracle;
pub mod rays;
mod vector;
