//! Functions of shading, each of one hit or one path: kernels on GPUs repeat them under the same names, and tests hold
//! the kernels against them, bit by bit. A caller who renders needs none of them.

/// Scattering models (BSDFs), and their shared parts.
pub mod bsdf {
    pub use crate::bsdf::albedo_table::{AlbedoRow, AlbedoTable, albedo, coupling};
    pub use crate::bsdf::coat::{Beneath, Coat, Left};
    pub use crate::bsdf::facets::{Facets, Returned};
    pub use crate::bsdf::ggx::Ggx;
    pub use crate::bsdf::horizon::Horizon;
    pub use crate::bsdf::loss_table::WhiteLosses;
    pub use crate::bsdf::{
        Blinn, Bsdf, BsdfSample, CarPaintBsdf, Conductor, Dielectric, Glazed, MaterialKind, PrincipledBsdf,
    };
    pub use crate::bsdf::{PreparedBsdf, Scattering, f0_of_ior, fresnel};
}

/// Pixel filters and their tables.
pub mod filter {
    pub use crate::filter::{FilterTable, PixelFilter};
}

/// Cameras and the rays that they start.
pub mod lens {
    pub use crate::lens::{Lens, LensRecord};
}

/// Sampling of connections to lights, and their densities.
pub mod light {
    pub use crate::light::{Environment, LightPoint, LightSample, barycentrics, connect, environments, pdf, sample};
    pub use crate::light::{environment, planar, punctual, sphere, step_of_turn};
}

/// Surface evaluation: from a hit to a surface point and its BSDF.
pub mod surface {
    pub use crate::surface::{
        Frame, Holes, Shading, SurfacePoint, bent_normal, coverage, decided, emitted, facing, lifted,
    };
    pub use crate::surface::{position_derivatives, shading, surface_point, tangent, texture_point};
}

/// Evaluation of textures and of material inputs.
pub mod texture {
    pub use crate::texture::{Inputs, TexturePoint, color, look_up, scalar, value};
}

/// Steps of a path at a vertex: arriving, leaving, ending.
pub mod vertex {
    pub use crate::vertex::{
        Arrival, Boundary, Connection, Departure, FirstHit, InMedia, MediaStack, PathState, Transport, arrive,
    };
    pub use crate::vertex::{leave, power_heuristic, roulette, search, touching};
}
