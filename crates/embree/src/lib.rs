//! Embree 4 in this process, as far as a bench needs it: triangles in, `t` of nearest hits and blocked rays out.
//!
//! Embree is looked for at run time ([`Library::load`]); nothing of it is compiled in. An [`EmbreeDevice`] has an
//! instruction set, a [`EmbreeScene`] is a committed tree, and [`Queries`] are rays in the form that Embree takes, made
//! before the clock starts:
//!
//! ```no_run
//! use raywarp_embree::{EmbreeDevice, Library, Queries, Quality, EmbreeScene, EmbreeOptions, RayWidth};
//! let library = Library::load(None)?;
//! let device = EmbreeDevice::new(library, &raywarp_embree::DeviceOptions::default())?;
//! let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let scene = EmbreeScene::new(&device, &[triangle], EmbreeOptions { robust: true, quality: Quality::Medium })?;
//! let rays = [raywarp_geom::Ray::new([0.2, 0.2, 1.0], [0.0, 0.0, -1.0])];
//! let mut queries = Queries::new(&rays, RayWidth::Eight, false);
//! scene.trace(&mut queries, false)?;
//! assert_eq!(queries.answers(), [1.0]);
//! # Ok::<(), raywarp_embree::EmbreeError>(())
//! ```
//!
//! Source: the documentation of Embree 4 (functions, structures and constants of its C interface). This crate is unsafe
//! code with a safe face: its users write no unsafe code.

mod api;
mod device;
mod error;
mod library;
mod queries;
mod scene;

pub use device::{DeviceOptions, EmbreeDevice};
pub use error::EmbreeError;
pub use library::Library;
pub use queries::{Queries, RayWidth};
pub use scene::{EmbreeOptions, EmbreeScene, Quality};
