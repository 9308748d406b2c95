//! The papers' ray batches: primary, ambient occlusion and diffuse rays of a view.
//!
//! - *Primary*: one ray through each pixel's centre, in blocks of 8 x 4 pixels, blocks in Morton order,
//!   so that a warp of 32 lanes is one block (AL09 2: rays follow the Z-curve).
//! - *AO* (any-hit) and *diffuse* (closest-hit): S rays from each primary hit, cosine-weighted about
//!   the geometric normal on the viewer's side, from Halton points of bases 2 and 3 (AL09, table 1),
//!   rotated a pixel: AO takes points 1 to S, diffuse S + 1 to 2 S, and rotation d of pixel
//!   p = y * width + x is `(pcg(2 p + d) >> 8) / 2^24`.
//!
//! What differs between benchmarks is in [`Workload`]. Every ray is a function of its index, so a
//! batch needs no other one, and threads change nothing.

mod batches;
mod order;
mod pixels;
mod surface;

pub use batches::{BATCH, Batches, Order};
pub use order::{Permutation, morton_key, shuffle, sort_morton};
pub use pixels::{block_order, primary_rays};
pub use surface::{RaysError, SurfacePoint, ViewRays};

/// The papers' picture: width and height in pixels.
pub const RESOLUTION: [u32; 2] = [1024, 768];

/// Whose benchmark the secondary rays follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Workload {
    /// Ours: 8 rays a pixel, sample-major, AO of a quarter of the box diagonal, origins moved along
    /// the normal by 1e-4 of the diagonal.
    #[default]
    Raywarp,
    /// The published benchmark of AL09: 32 rays a pixel, a pixel's rays adjacent, then batches sorted.
    Al09,
    /// Guthe's (G14): as [`Workload::Al09`], unsorted.
    G14,
}

impl Workload {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Raywarp, Self::Al09, Self::G14];

    /// What the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Raywarp => "raywarp",
            Self::Al09 => "al09",
            Self::G14 => "g14",
        }
    }

    /// The workload of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|workload| workload.name() == name)
    }

    /// Rays of a kind from each primary hit.
    pub fn rays_per_pixel(self) -> u32 {
        match self {
            Self::Raywarp => 8,
            Self::Al09 | Self::G14 => 32,
        }
    }

    /// `t_max` of AO rays in a scene of the given box diagonal. `ao_radius` is the view's.
    pub fn ao_distance(self, diagonal: f32, ao_radius: Option<f32>) -> f32 {
        match self {
            Self::Raywarp => 0.25 * diagonal,
            Self::Al09 | Self::G14 => ao_radius.unwrap_or(0.1 * diagonal),
        }
    }
}

/// The three kinds of rays in the papers' tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RayKind {
    /// From the eye, closest-hit.
    Primary,
    /// Ambient occlusion, any-hit.
    Ao,
    /// Diffuse interreflection, closest-hit, unbounded.
    Diffuse,
}

impl RayKind {
    /// All of them, in the tables' order.
    pub const ALL: [Self; 3] = [Self::Primary, Self::Ao, Self::Diffuse];

    /// What tables and the command line call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Ao => "ao",
            Self::Diffuse => "diffuse",
        }
    }

    /// The kind of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether the query is any-hit rather than closest-hit.
    pub fn is_any(self) -> bool {
        self == Self::Ao
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        assert!(Workload::ALL.iter().all(|&w| Workload::parse(w.name()) == Some(w)));
        assert!(RayKind::ALL.iter().all(|&k| RayKind::parse(k.name()) == Some(k)));
        assert_eq!((Workload::parse("AL09"), RayKind::parse("")), (None, None));
    }

    #[test]
    fn ao_distances_are_those_of_the_benchmarks() {
        assert_eq!(Workload::Raywarp.ao_distance(40.0, Some(5.0)), 10.0);
        assert_eq!(Workload::Al09.ao_distance(40.0, Some(5.0)), 5.0);
        assert_eq!(Workload::G14.ao_distance(40.0, None), 4.0);
    }
}
