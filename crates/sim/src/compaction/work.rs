//! Work of a warp of paths that traces its rays at one bounce, by running the traversal schedule: full warps issue
//! more, since their lanes disagree more.
//!
//! W11 measured time per warp (Table 3) and left open how much of its rise is divergence and how much memory (4.2.4,
//! 4.2.6). Here memory is for free: what rises is divergence, and rays that are longer on average.

use crate::warp_counts::measure;
use raywarp_family::Operation;
use raywarp_geom::Ray;
use raywarp_traverse::{Kernel, KernelError, Query};

/// Work of some warps that trace the rays of a bounce.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Number of rays that were traced.
    pub rays: u64,
    /// Number of warps with at least one ray.
    pub warps: u64,
    /// Number of node visits that warps issued.
    pub visits: u64,
    /// Number of triangle tests that warps issued.
    pub tests: u64,
    /// Number of lanes that took part in the visits and tests, summed over all of them.
    pub active: u64,
}

impl Work {
    /// Returns the sums of both works' counts.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            rays: self.rays + other.rays,
            warps: self.warps + other.warps,
            visits: self.visits + other.visits,
            tests: self.tests + other.tests,
            active: self.active + other.active,
        }
    }

    /// Returns the average number of node visits and triangle tests that a warp issues; NaN without warps.
    pub fn steps_per_warp(&self) -> f64 {
        (self.visits + self.tests) as f64 / self.warps as f64
    }

    /// Returns the average number of node visits and triangle tests that a ray takes part in; NaN without rays.
    pub fn steps_per_ray(&self) -> f64 {
        self.active as f64 / self.rays as f64
    }
}

/// Traces the rays of one bounce, one a lane, in the order of threads, and returns the warps' work without compaction
/// (lanes of `None` idle) and with it. Warps without any ray don't run.
///
/// # Errors
/// [`KernelError::Width`] if warps of this width do not fit the kernel.
/// # Panics
/// If `width` is 0.
pub fn work(kernel: &Kernel, width: u32, threads: &[Option<Ray>]) -> Result<[Work; 2], KernelError> {
    // A lane with such a ray does nothing.
    let idle = Ray::new([f32::NAN; 3], [0.0; 3]);
    let mut naive = Vec::new();
    for warp in threads.chunks(width as usize).filter(|warp| warp.iter().any(Option::is_some)) {
        naive.extend(warp.iter().map(|ray| ray.unwrap_or(idle)));
    }
    let compact: Vec<Ray> = threads.iter().flatten().copied().collect();
    let rays = compact.len() as u64;
    let of = |lanes: &[Ray]| -> Result<Work, KernelError> {
        let counts = measure(kernel, width, lanes, &[], Query::Closest)?;
        let [visits, tests] = [Operation::VisitNode, Operation::TestTriangle].map(|op| counts.operation(op));
        let warps = (lanes.len() as u64).div_ceil(u64::from(width));
        Ok(Work { rays, warps, visits: visits.issued, tests: tests.issued, active: visits.active + tests.active })
    };
    Ok([of(&naive)?, of(&compact)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bvh::{BuildOptions, build};
    use raywarp_geom::FlatTriangles;

    /// Returns triangles: the halves of 16 x 16 squares in the plane z = 0.
    fn grid() -> FlatTriangles {
        let corner = |x: usize, y: usize| [x as f32, y as f32, 0.0];
        let squares = (0..256).map(|i| (i % 16, i / 16));
        FlatTriangles::from_vertices(squares.map(|(x, y)| [corner(x, y), corner(x + 1, y), corner(x, y + 1)]).collect())
    }

    #[test]
    fn a_warp_issues_what_its_longest_lane_needs_at_least_and_all_of_its_lanes_at_most() {
        let triangles = grid();
        let bvh = build(&triangles, &BuildOptions::default()).unwrap();
        let kernel = Kernel::new(&"direct/while-while/bvh2".parse().unwrap(), &bvh, &triangles).unwrap();
        let ray = |i: usize| {
            let (x, y) = ((i * 37 % 160) as f32 / 10.0, (i * 53 % 160) as f32 / 10.0);
            Ray::new([x, y, 3.0], [0.1 * (i % 3) as f32, -0.2, -1.0])
        };
        // Path i lives where i is a multiple of 5, and nowhere in the third warp.
        let alive = |i: usize| i.is_multiple_of(5) && !(64..96).contains(&i);
        let threads: Vec<Option<Ray>> = (0..150).map(|i| alive(i).then(|| ray(i))).collect();
        let [naive, compact] = work(&kernel, 32, &threads).unwrap();
        let alone: Vec<Work> = threads
            .iter()
            .flatten()
            .map(|&ray| {
                let counts = measure(&kernel, 1, &[ray], &[], Query::Closest).unwrap();
                let [visits, tests] =
                    [Operation::VisitNode, Operation::TestTriangle].map(|op| counts.operation(op).issued);
                Work { rays: 1, warps: 1, visits, tests, active: visits + tests }
            })
            .collect();
        let sum = alone.iter().fold(Work::default(), |sum, &one| sum.plus(one));
        for work in [naive, compact] {
            // While-while does not depend on who else is in the warp, but for how long it waits.
            assert_eq!((work.rays, work.active), (sum.rays, sum.active));
            // Lanes share steps, or each would have a warp of its own.
            assert!(work.visits < sum.visits && work.tests < sum.tests, "{work:?} {sum:?}");
        }
        assert_eq!((naive.warps, compact.warps), (4, 1));
        let longest = alone.iter().map(|work| work.active).max().unwrap();
        assert!(compact.visits + compact.tests >= longest);
        assert!(naive.steps_per_warp() < compact.steps_per_warp());
        // By hand: each warp of lanes on its own.
        let by_hand = [0..32, 32..64, 96..128, 128..150].into_iter().map(|warp| {
            let lanes: Vec<Ray> = threads[warp].iter().flatten().copied().collect();
            work(&kernel, 32, &lanes.into_iter().map(Some).collect::<Vec<_>>()).unwrap()[1]
        });
        let by_hand = by_hand.fold(Work::default(), Work::plus);
        assert_eq!(naive, by_hand);
        let nobody = work(&kernel, 32, &[None; 40]).unwrap();
        assert_eq!(nobody, [Work::default(); 2]);
    }
}
