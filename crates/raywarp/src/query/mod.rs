//! Questions of library users: a scene of placed meshes, one ray or millions.

mod advanced;
mod asked;
mod assemble;
mod batch;
mod builder;
mod coherence;
mod double;
mod edit;
mod error;
mod filter;
mod flattened;
mod hit;
mod ids;
mod inside;
mod kept;
mod nearest;
mod overlaps;
mod path;
mod rims;
mod saved;
mod scene;
mod signed;
mod source;
#[cfg(test)]
mod tests;
mod triangles;
mod visible;
mod winding;

pub use asked::SceneRay;
pub use builder::{Levels, SceneBuilder, SceneOptions};
pub use coherence::are_coherent;
pub use double::{Hit64, Ray64};
pub use edit::{Edit, EditError, Reshape};
pub use error::{BatchError, SceneError};
pub use filter::{Culling, Filter, Filtered};
pub use hit::SurfaceHit;
pub use ids::{GeometryId, InstanceId, Placement};
pub use inside::{Crossings, NotClosed};
pub use nearest::Nearest;
pub use path::PathLevel;
pub use saved::SceneFileError;
pub use scene::Scene;
pub use source::{Indices, Positions};
pub use visible::End;
