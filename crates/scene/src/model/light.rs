//! Lights without a surface.

use super::ImageId;

/// Shape of a spot light's falloff between its inner and its outer cone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpotFalloff {
    /// Falloff of KHR_lights_punctual: `clamp((cos - cos_outer) / (cos_inner - cos_outer))^2`.
    Gltf,
    /// Falloff of pbrt version 3: `clamp((cos - cos_outer) / (cos_inner - cos_outer))^4`.
    Pbrt3,
    /// Falloff of pbrt version 4: `3x^2 - 2x^3` of `x = clamp((cos - cos_outer) / (cos_inner - cos_outer))`.
    Pbrt4,
}

/// Light source other than an emissive triangle.
#[derive(Debug, Clone, PartialEq)]
pub enum Light {
    /// Point light, which shines in all directions.
    Point {
        /// Position of the light in world space.
        position: [f32; 3],
        /// Radiant intensity in linear RGB, power per steradian.
        intensity: [f32; 3],
    },
    /// Spot light, which shines from a point into a cone.
    Spot {
        /// Position of the light in world space.
        position: [f32; 3],
        /// Unit vector along the axis of the cone, away from the light.
        direction: [f32; 3],
        /// Radiant intensity on the axis in linear RGB, power per steradian.
        intensity: [f32; 3],
        /// Cosine of the angle from the axis up to which the light has full intensity.
        cos_inner: f32,
        /// Cosine of the angle from the axis at which intensity becomes zero; at most `cos_inner`.
        cos_outer: f32,
        /// Falloff between the inner and the outer cone.
        falloff: SpotFalloff,
    },
    /// Directional light, which shines from infinitely far in one direction.
    Directional {
        /// Unit vector in which the light travels.
        direction: [f32; 3],
        /// Irradiance in linear RGB on a surface that faces the light.
        irradiance: [f32; 3],
    },
    /// Environment light, which shines from all directions.
    Environment {
        /// Environment map in latitude and longitude; `None` for the same radiance everywhere. In the map's frame, row
        /// 0 is +y, and direction `d` is at `u = 1/2 + atan2(d.x, -d.z) / 2pi`, `v = acos(d.y) / pi`.
        map: Option<ImageId>,
        /// Factor on the map in linear RGB, or without a map the radiance itself.
        radiance: [f32; 3],
        /// Rows of the rotation from world space to the map's frame; orthonormal, may mirror.
        world_to_map: [[f32; 3]; 3],
    },
}

impl Light {
    /// Makes an environment light with the same radiance from everywhere.
    pub fn uniform_environment(radiance: [f32; 3]) -> Self {
        Self::Environment { map: None, radiance, world_to_map: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] }
    }
}
