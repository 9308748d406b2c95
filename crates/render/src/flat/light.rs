//! Lights that connections are made to.

use super::tag;
use bytemuck::{Pod, Zeroable};

tag! {
    /// Kind of a light, which decides the meaning of its record's fields.
    LightKind {
        /// An emissive triangle. `at`: a corner; `u` and `v`: the edges from it; `w`: the front normal; `index`: the
        /// triangle; `value`: probability that it is chosen.
        Triangle,
        /// Two emissive triangles that form a parallelogram. As [`LightKind::Triangle`]; `index`: the triangle at `at`,
        /// which the other one follows.
        Parallelogram,
        /// [`DISK_SECTORS`] emissive triangles around a point, with corners on an ellipse. `at`: the centre; `u` and
        /// `v`: where the first corner and that a quarter of the turn on lie from there; `w`: the front normal;
        /// `index`: the first of the triangles; `value`: probability that it is chosen.
        Disk,
        /// Opaque emissive ball of [`SPHERE_COLUMNS`] by [`SPHERE_ROWS`] cells, with corners on a sphere. `at`: the
        /// centre; `u`, `v` and `w`: to the sphere at column 0, at a quarter of the turn, and to the pole of the last
        /// row; `index`: the first of the triangles; `value`: probability that it is chosen.
        Sphere,
        /// Point light. `at`: where; `w`: intensity.
        Point,
        /// Spot light: a point that shines into a cone. `at`: the tip; `u`: its axis; `v`: cosines inside and outside;
        /// `w`: intensity; `index`: tag of the [`SpotRamp`].
        Spot,
        /// Directional light, infinitely far away. `u`: where the light goes; `w`: irradiance.
        Directional,
        /// Environment light, infinitely far away on all sides. `index`: the environment.
        Environment,
    }
}

tag! {
    /// Falloff of a spot light between its cones, x growing from 0 at the outer to 1 at the inner one.
    SpotRamp {
        /// Falloff with the square of the ramp, `x^2`.
        Square,
        /// Falloff with the fourth power of the ramp, `x^4`.
        Fourth,
        /// Falloff with a smooth step, `3 x^2 - 2 x^3`.
        Smooth,
    }
}

/// Number of triangles of a disk light, each from the rim to the centre.
pub const DISK_SECTORS: u32 = 128;
/// Number of cells of a sphere light around its axis.
pub const SPHERE_COLUMNS: u32 = 128;
/// Number of cells of a sphere light from pole to pole, at equal angles.
pub const SPHERE_ROWS: u32 = 64;

impl LightKind {
    /// Returns the number of consecutive triangles that form one light of this kind; 0 for lights without a surface.
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

/// Light record of 64 bytes, whose fields depend on the kind of light. [`LightKind`] says what the fields mean.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct LightRecord {
    /// Tag of the [`LightKind`].
    pub kind: u32,
    /// Index of the light's first triangle or of its environment, or tag of a spot light's [`SpotRamp`].
    pub index: u32,
    /// Index of the material of the light's triangles.
    pub material: u32,
    /// Probability of choosing a light with a surface; 0 for other lights.
    pub value: f32,
    /// World-space position, whose meaning depends on the kind of light.
    pub at: [f32; 3],
    /// First vector, whose meaning depends on the kind of light.
    pub u: [f32; 3],
    /// Second vector or pair of numbers, depending on the kind of light.
    pub v: [f32; 3],
    /// Third vector or colour, depending on the kind of light.
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

/// Environment light as a record of 80 bytes: a constant radiance or a map.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct EnvironmentRecord {
    /// Radiance, or factor on the map's; zero for a black map.
    pub radiance: [f32; 3],
    /// Probability with which connections choose this environment.
    pub choice: f32,
    /// Rows of the rotation from world directions to those of the map.
    pub rows: [[f32; 3]; 3],
    /// Index of the map's image, or [`super::NONE`] for a constant radiance.
    pub image: u32,
    /// Columns and rows of the table by which directions are sampled.
    pub size: [u32; 2],
    /// Index in [`super::ShadingScene::tables`] of the cumulative probabilities of the table's `size[1] + 1` row
    /// borders, then of each row's `size[0] + 1` cell borders, then of as many words that guide searches in them.
    pub table: u32,
    /// Padding, which must be zeros.
    pub unused: [u32; 3],
}

const _: () = assert!(size_of::<EnvironmentRecord>() == 80);
