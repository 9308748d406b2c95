//! Lights without a surface.

use super::ImageId;

/// Falloff of a spot light between its inner and its outer cone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpotFalloff {
    /// KHR_lights_punctual: `clamp((cos - cos_outer) / (cos_inner - cos_outer))^2`.
    Gltf,
    /// pbrt version 3: the same ratio to the fourth power.
    Pbrt3,
    /// pbrt version 4: the same ratio through `3x^2 - 2x^3`.
    Pbrt4,
}

/// A light that is not an emissive triangle.
#[derive(Debug, Clone, PartialEq)]
pub enum Light {
    /// Light from a point into all directions.
    Point {
        /// Position of the light in the world.
        position: [f32; 3],
        /// Radiant intensity, power per steradian.
        intensity: [f32; 3],
    },
    /// Light from a point into a cone.
    Spot {
        /// Position of the light in the world.
        position: [f32; 3],
        /// Axis of the cone, unit, away from the light.
        direction: [f32; 3],
        /// Radiant intensity on the axis.
        intensity: [f32; 3],
        /// Cosine of the angle up to which intensity is full.
        cos_inner: f32,
        /// Cosine of the angle where it becomes zero; at most `cos_inner`.
        cos_outer: f32,
        /// Falloff between the two cones.
        falloff: SpotFalloff,
    },
    /// Light from infinitely far, in one direction.
    Directional {
        /// Direction in which the light travels, of length 1.
        direction: [f32; 3],
        /// Irradiance on a surface that faces it.
        irradiance: [f32; 3],
    },
    /// Light from everywhere around.
    Environment {
        /// Latitude-longitude map, or none for the same radiance everywhere. In the map's frame, row
        /// 0 is +y, and direction `d` is at `u = 1/2 + atan2(d.x, -d.z) / 2pi`, `v = acos(d.y) / pi`.
        map: Option<ImageId>,
        /// Factor on the map, or without a map the radiance itself.
        radiance: [f32; 3],
        /// Rows of the rotation from the world to the map's frame; orthonormal, may mirror.
        world_to_map: [[f32; 3]; 3],
    },
}

impl Light {
    /// Makes an environment of the same radiance from everywhere.
    pub fn uniform_environment(radiance: [f32; 3]) -> Self {
        Self::Environment { map: None, radiance, world_to_map: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] }
    }
}
