//! The papers' ray batches: primary, ambient occlusion and diffuse rays of a view.
//!
//! - *Primary*: one ray through each pixel's centre, in blocks of 8 x 4 pixels, blocks in Morton order,
//!   so that a warp of 32 lanes is one block (AL09 2: rays follow the Z-curve).
//! - *AO* (any-hit) and *diffuse* (closest-hit): S rays from each primary hit, cosine-weighted about
//!   the geometric normal on the viewer's side, from Halton points of bases 2 and 3 (AL09, table 1),
//!   rotated a pixel: AO takes points 1 to S, diffuse S + 1 to 2 S, and rotation d of pixel
//!   p = y * width + x is `(pcg(2 p + d) >> 8) / 2^24`.
//!
//! [`Workload::Alk12`] turns the points a pixel in one dimension alone (below). What else differs between benchmarks is
//! in [`Workload`]. Every ray is a function of its index, so a
//! batch needs no other one, and threads change nothing.

mod batches;
mod order;
mod pixels;
mod surface;

pub use batches::{BATCH, Batches, Order, batches_made, sample_of};
pub use order::{Permutation, morton_key, published_key, shuffle, sort_morton, sort_published};
pub use pixels::{block_order, primary_rays};
pub use surface::{RaysError, ViewRays, VisiblePoint};

/// Resolution of the papers' pictures: width and height in pixels.
pub const RESOLUTION: [u32; 2] = [1024, 768];

/// Benchmark that defines the secondary rays: Raywarp's own, or that of a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Workload {
    /// Raywarp's own benchmark: 8 rays per pixel, sample by sample, AO rays of a quarter of the box diagonal. Origins
    /// are moved along the normal by 1e-4 of the diagonal.
    #[default]
    Raywarp,
    /// Benchmark of AL09: 32 rays per pixel, adjacent, in batches sorted by [`morton_key`]. The key is taken in the box
    /// of the origins, which are moved along the rays by 0.01.
    Al09,
    /// Benchmark of G14 (Guthe 2014): that of AL09 without sorting.
    G14,
    /// Benchmark that the authors of ALK12 published (version 1.4 of 2012). As [`Workload::Al09`], but:
    /// - a ray starts 1e-4 before the hit, towards the eye, and is not moved on;
    /// - points 1 to S are those of AO and of diffuse rays. The one of base 2 is the squared radius of a disk, that of
    ///   base 3 the angle in it, and only the angle is turned, by rotation 0 of the pixel;
    /// - diffuse rays end after 100, the cameras' far plane;
    /// - batches are sorted by [`published_key`] in the box of where rays begin *and end*.
    ///
    /// These lengths are of scenes whose AO rays have 5, and grow with the AO rays in others.
    Alk12,
}

impl Workload {
    /// All benchmarks, Raywarp's own first.
    pub const ALL: [Self; 4] = [Self::Raywarp, Self::Al09, Self::G14, Self::Alk12];

    /// Returns the benchmark's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Raywarp => "raywarp",
            Self::Al09 => "al09",
            Self::G14 => "g14",
            Self::Alk12 => "alk12",
        }
    }

    /// Returns the benchmark called `name` on the command line, if there is one.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|workload| workload.name() == name)
    }

    /// Returns the number of AO rays, and of diffuse rays, from each primary hit.
    pub fn rays_per_pixel(self) -> u32 {
        match self {
            Self::Raywarp => 8,
            Self::Al09 | Self::G14 | Self::Alk12 => 32,
        }
    }

    /// Returns `true` if the workload sorts the rays of a kind, batch by batch.
    pub fn sorts(self, kind: RayKind) -> bool {
        matches!(self, Self::Al09 | Self::Alk12) && kind != RayKind::Primary
    }

    /// Returns the length of diffuse rays as a multiple of the AO rays' length; infinity if they do not end.
    pub(crate) fn diffuse_length(self) -> f32 {
        if self == Self::Alk12 { 20.0 } else { f32::INFINITY }
    }

    /// Returns the length (`t_max`) of AO rays in a scene whose bounding box has the given diagonal. `ao_radius` is the
    /// view's.
    pub fn ao_distance(self, diagonal: f32, ao_radius: Option<f32>) -> f32 {
        match self {
            Self::Raywarp => 0.25 * diagonal,
            Self::Al09 | Self::G14 | Self::Alk12 => ao_radius.unwrap_or(0.1 * diagonal),
        }
    }
}

/// Kind of rays in the papers' tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RayKind {
    /// Primary rays from the camera, for closest-hit queries.
    Primary,
    /// Ambient occlusion rays from primary hits, for any-hit queries.
    Ao,
    /// Diffuse interreflection rays from primary hits, for closest-hit queries, without a far limit in most workloads.
    Diffuse,
}

impl RayKind {
    /// All kinds of rays, in the order of the papers' tables.
    pub const ALL: [Self; 3] = [Self::Primary, Self::Ao, Self::Diffuse];

    /// Returns the kind's name in tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Primary => "primary",
            Self::Ao => "ao",
            Self::Diffuse => "diffuse",
        }
    }

    /// Returns the kind called `name` on the command line, if there is one.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns `true` if the query is any-hit rather than closest-hit.
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
        assert_eq!(Workload::Alk12.ao_distance(40.0, Some(5.0)) * Workload::Alk12.diffuse_length(), 100.0);
    }
}
