//! The papers' tables on this machine: kernels timed, their hits checked, runs recorded.
//!
//! [`bench_scene`] measures subjects (kernels of the family, or the tracer of this CPU) on the rays of a workload, or
//! on given ones, and fills a [`SceneReport`]; [`document`] and [`csv`] say all of a run. [`suite`] names the papers'
//! tables and side experiments, [`bar`] holds what other tracers reach, [`record`] keeps a run, and [`peers`] trace in
//! this process.
//!
//! - Rays are made once a scene and shared by all subjects; a tree is built once, and encoded once for all subjects
//!   that walk the same bytes.
//! - A rate is total rays over total time of the viewpoints: kernel time by events on a GPU, wall time on a CPU.
//! - Every subject's hits are compared with the reference's on the same encoding and triangle test ([`Check`]), and
//!   those of all its rays with the watertight tracer of this CPU.
#![cfg_attr(not(feature = "vulkan"), forbid(unsafe_code))]
#![deny(unsafe_code)]

pub mod bar;
mod check;
pub mod corpus;
mod data_hash;
mod dispute;
mod engine;
mod error;
mod machine;
mod measure;
mod papers;
pub mod peers;
mod rays;
pub mod record;
pub mod recorded_rates;
mod report;
mod request;
mod statistics;
mod subject;
pub mod suite;

pub use check::{Check, Example, T_TOLERANCE};
pub use data_hash::{DataHash, NoDataHash};
pub use engine::{Resources, Target};
pub use error::BenchError;
pub use machine::{Clocks, MachineFacts};
pub use measure::bench_scene;
pub use papers::{PublishedRate, published_rates};
pub use raywarp_cuda::LaunchBounds;
pub use report::{CODE_BY_DRIVER, ColumnTotal, LEGEND, Row, SceneReport, TreeFacts, ViewTimes, csv, document};
pub use request::{BenchRequest, BenchWatch, CheckSize, RayColumn, RayOrder, RaySet, RaySource};
pub use statistics::{Quartiles, geometric_mean};
pub use subject::Subject;
