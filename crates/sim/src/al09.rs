//! Costs for the GTX 285, from AL09's own simulator: what it printed for two cells of Table 1 says what a node visit and a
//! triangle test cost it.
//!
//! Its rates are instructions over issue slots under an ideal dual issue, memory for free (AL09 2.1), so that a cell
//! is one equation: events a ray times their costs are the machine's slots a second over the rate. While-while on Sibenik,
//! primary and diffuse rays, are two; all other operations cost nothing there.

use crate::efficiency::Efficiency;
use crate::machine::Launch;
use raywarp_family::{Operation, Organisation, Supply, Tree, TriangleTest, Variant};

/// Exchanging rays of a work queue, in instructions (AL09 5.2).
pub const SHUFFLE: f64 = 30.0;
/// Fetching and initialising rays in the middle of others' work (AL09 5.2).
pub const FETCH: f64 = 50.0;

/// What is known of their launches (AL09 2): 21 to 25 registers, blocks of 192.
pub const LAUNCH: Launch = Launch { registers_per_thread: 25, shared_bytes_per_block: 0, threads_per_block: 192 };

/// Issue slots of a node visit and of a triangle test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// A visit.
    pub visit_node: f64,
    /// A test.
    pub test_triangle: f64,
}

/// What Sibenik's while-while cells say, on the tree that has as many nodes as the paper's (docs/papers.md, "What bounds them").
pub const GTX285: Costs = Costs { visit_node: 140.0, test_triangle: 90.0 };

/// A cell: events a ray, and slots a ray.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Visits that warps issued, a ray.
    pub visits: f64,
    /// Tests that warps issued, a ray.
    pub tests: f64,
    /// Issue slots a ray: those of the machine in a second over the rate.
    pub slots: f64,
}

impl Cell {
    /// That of counts, and of a rate on a machine that issues `issue_per_s` warp instructions a second.
    pub fn new(counts: &Efficiency, rays_per_s: f64, issue_per_s: f64) -> Self {
        let per_ray = |operation| counts.operation(operation).issued as f64 / counts.rays as f64;
        Self {
            visits: per_ray(Operation::VisitNode),
            tests: per_ray(Operation::TestTriangle),
            slots: issue_per_s / rays_per_s,
        }
    }
}

/// The costs under which both cells come out as they are; none where one is as good as a multiple of the other, or a cost
/// would be negative.
pub fn fit(cells: [Cell; 2]) -> Option<Costs> {
    let [a, b] = cells;
    let determinant = a.visits * b.tests - b.visits * a.tests;
    let costs = Costs {
        visit_node: (a.slots * b.tests - b.slots * a.tests) / determinant,
        test_triangle: (a.visits * b.slots - b.visits * a.slots) / determinant,
    };
    // Written so that NaN is none.
    (costs.visit_node >= 0.0 && costs.test_triangle >= 0.0 && costs.visit_node.is_finite()).then_some(costs)
}

impl Costs {
    /// Costs of operations for a variant of their time: two boxes, Woop's test. None for others.
    pub fn of(self, variant: &Variant) -> Option<Vec<(Operation, f64)>> {
        let theirs = variant.tree() == Tree::Bvh2
            && variant.triangle() == TriangleTest::Woop
            && !matches!(variant.organisation(), Organisation::IfWhile | Organisation::Phased);
        let mut costs = vec![(Operation::VisitNode, self.visit_node), (Operation::TestTriangle, self.test_triangle)];
        if matches!(variant.supply(), Supply::Queue | Supply::Replace) {
            costs.extend([(Operation::Shuffle, SHUFFLE), (Operation::FetchRay, FETCH)]);
        }
        theirs.then_some(costs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_gives_back_the_costs_that_made_the_cells() {
        let made = Costs { visit_node: 130.0, test_triangle: 90.0 };
        let cell = |visits: f64, tests: f64| Cell {
            visits,
            tests,
            slots: visits * made.visit_node + tests * made.test_triangle,
        };
        let found = fit([cell(1.1, 0.2), cell(2.6, 0.9)]).unwrap();
        assert!((found.visit_node - 130.0).abs() < 1e-9 && (found.test_triangle - 90.0).abs() < 1e-9, "{found:?}");
        // Cells of one direction say nothing of the other.
        assert_eq!(fit([cell(1.0, 0.5), cell(2.0, 1.0)]), None);
        let negative = Cell { visits: 1.0, tests: 1.0, slots: 1.0 };
        assert_eq!(fit([cell(1.0, 0.0), negative]), None);
    }

    #[test]
    fn costs_are_for_the_kernels_of_2009() {
        let costs = Costs { visit_node: 2.0, test_triangle: 1.0 };
        let of = |text: &str| costs.of(&text.parse().unwrap()).map(|costs| costs.len());
        assert_eq!((of("al09-packet"), of("al09-while-while"), of("al09-queue")), (Some(2), Some(2), Some(4)));
        assert_eq!((of("g14"), of("ykl17"), of("raywarp-h8")), (None, None, None));
    }
}
