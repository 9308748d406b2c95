//! Lights that connections are made to.

use super::tag;
use bytemuck::{Pod, Zeroable};

tag! {
    /// Kind of a light, which says what its record holds.
    LightKind {
        /// An emissive triangle. `at`: a corner; `u` and `v`: the edges from it; `w`: the front normal; `index`: the
        /// triangle; `value`: probability that it is chosen.
        Triangle,
        /// Two triangles that are a parallelogram. As [`LightKind::Triangle`]; `index`: the triangle at `at`, which the
        /// other one follows.
        Parallelogram,
        /// [`DISK_SECTORS`] triangles around a point, corners on an ellipse. `at`: the centre; `u` and `v`: where the
        /// first corner and that a quarter of the turn on lie from there; `w`: the front normal; `index`: the first of
        /// the triangles; `value`: probability that it is chosen.
        Disk,
        /// A ball of [`SPHERE_COLUMNS`] by [`SPHERE_ROWS`] cells, corners on a sphere, opaque. `at`: the centre; `u`,
        /// `v` and `w`: to the sphere at column 0, at a quarter of the turn, and to the pole of the last row; `index`:
        /// the first of the triangles; `value`: probability that it is chosen.
        Sphere,
        /// A point. `at`: where; `w`: intensity.
        Point,
        /// A cone. `at`: the tip; `u`: its axis; `v`: cosines inside and outside; `w`: intensity; `index`: tag of the
        /// [`SpotRamp`].
        Spot,
        /// A light infinitely far away. `u`: where the light goes; `w`: irradiance.
        Directional,
        /// Light from all around. `index`: the environment.
        Environment,
    }
}

tag! {
    /// Falloff of a spot light between its cones, x growing from 0 at the outer to 1 at the inner one.
    SpotRamp {
        /// Square of the ramp, `x^2`.
        Square,
        /// Fourth power of the ramp, `x^4`.
        Fourth,
        /// Smooth step, `3 x^2 - 2 x^3`.
        Smooth,
    }
}

/// Number of triangles of a disk, each from the rim to the centre.
pub const DISK_SECTORS: u32 = 128;
/// Number of cells of a sphere around its axis.
pub const SPHERE_COLUMNS: u32 = 128;
/// Number of cells of a sphere from pole to pole, at even angles.
pub const SPHERE_ROWS: u32 = 64;

impl LightKind {
    /// Returns the number of triangles that are one light, one after the other; 0 for a light without surface.
    #[inline]
    pub const fn triangle_count(self) -> u32 {
        match self {
            Self::Triangle => 1,
            Self::Parallelogram => 2,
            Self::Disk => DISK_SECTORS,
            // Cells at the poles are triangles, the others are two each.
            Self::Sphere => 2 * SPHERE_COLUMNS * (SPHERE_ROWS - 1),
            Self::Point | Self::Spot | Self::Directional | Self::Environment => 0,
        }
    }
}

/// A light: 64 bytes. [`LightKind`] says what the fields mean.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct LightRecord {
    /// Tag of the [`LightKind`].
    pub kind: u32,
    /// Index of the first triangle, of an environment, or tag of a ramp.
    pub index: u32,
    /// Material of the light's triangles.
    pub material: u32,
    /// Probability with which a surface is chosen; 0 for other lights.
    pub value: f32,
    /// Position in world space, whose meaning depends on the kind.
    pub at: [f32; 3],
    /// First vector, whose meaning depends on the kind.
    pub u: [f32; 3],
    /// Second vector, or a pair of numbers, depending on the kind.
    pub v: [f32; 3],
    /// Third vector, or a colour, depending on the kind.
    pub w: [f32; 3],
}

const _: () = assert!(size_of::<LightRecord>() == 64);

impl LightRecord {
    /// Returns the kind of the light.
    #[inline]
    pub fn kind(&self) -> LightKind {
        LightKind::of(self.kind)
    }
}

/// Radiance from everywhere around: 80 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct EnvironmentRecord {
    /// Radiance, or the factor on the map; zero for a black map.
    pub radiance: [f32; 3],
    /// Probability with which a connection is made to this environment.
    pub choice: f32,
    /// Rows of the rotation from the world to the map.
    pub rows: [[f32; 3]; 3],
    /// Index of the map, [`super::NONE`] for the same radiance everywhere.
    pub image: u32,
    /// Columns and rows of the table that directions are drawn by.
    pub size: [u32; 2],
    /// Index in [`super::ShadingScene::tables`] of the `size[1] + 1` cumulative probabilities of its rows, which those
    /// of the cells follow, `size[1]` times `size[0] + 1`, and then as many words that guide searches in them.
    pub table: u32,
    /// Padding, which must be zeros.
    pub unused: [u32; 3],
}

const _: () = assert!(size_of::<EnvironmentRecord>() == 80);
