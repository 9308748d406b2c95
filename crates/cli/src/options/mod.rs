//! Options that several commands share.

pub mod camera;
pub mod levels;
pub mod light;
pub mod made_of;
pub mod named_rays;
pub mod ray_input;
pub mod tree;
pub mod values;
pub mod variant;
pub mod views;
