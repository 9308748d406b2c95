//! Costs for the GTX 285, from AL09's own simulator: what it printed in Table 1 says what its operations cost.
//!
//! Its rates are instructions over issue slots under an ideal dual issue, memory for free (AL09 2.1), so that a cell
//! is one equation: events a ray times their costs are the machine's slots a second over the rate. Two cells, while-while's
//! primary and diffuse rays on Sibenik, would fix a visit's cost and a test's if these were all that costs ([`two_cells`]);
//! on our rays and trees they do not: a test comes out at less than nothing, and if-if, which turns its loop once a step,
//! a quarter too fast. With a third cost, a turn of the main loop, [`fit`] finds costs under which all kernels without
//! packets come out.

use crate::efficiency::Efficiency;
use crate::machine::Launch;
use raywarp_family::{Operation, Organisation, Supply, Tree, TriangleTest, Variant};

/// Exchanging rays of a work queue, in instructions (AL09 5.2).
pub const SHUFFLE: f64 = 30.0;
/// Fetching and initialising rays in the middle of others' work (AL09 5.2).
pub const FETCH: f64 = 50.0;

/// What is known of their launches (AL09 2): 21 to 25 registers, blocks of 192.
pub const LAUNCH: Launch = Launch { registers_per_thread: 25, shared_bytes_per_block: 0, threads_per_block: 192 };

/// Issue slots of operations, two in the four clocks that an instruction of a warp takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// A node visit, with all that comes with it.
    pub visit_node: f64,
    /// A triangle test.
    pub test_triangle: f64,
    /// A turn of the main loop.
    pub turn: f64,
}

/// What Sibenik's twelve cells without packets say, on the tree that has as many nodes as the paper's (docs/papers.md, "Table 1's
/// simulated rates"): 150,000 rays of each kind and view.
pub const GTX285: Costs = Costs { visit_node: 141.6, test_triangle: 50.3, turn: 50.6 };

/// A cell: events a ray that warps issued, and slots a ray.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Visits, tests and turns.
    pub events: [f64; 3],
    /// Issue slots: those of the machine in a second over the rate.
    pub slots: f64,
}

impl Cell {
    /// That of counts, and of a rate on a machine that issues `issue_per_s` warp instructions a second.
    pub fn new(counts: &Efficiency, rays_per_s: f64, issue_per_s: f64) -> Self {
        let per_ray = |operation| counts.operation(operation).issued as f64 / counts.rays as f64;
        Self {
            events: [Operation::VisitNode, Operation::TestTriangle, Operation::Loop].map(per_ray),
            slots: issue_per_s / rays_per_s,
        }
    }
}

/// The costs of a visit and of a test under which both cells come out as they are, if nothing else costs; less than nothing
/// where the cells have it so. None where one is as good as a multiple of the other.
pub fn two_cells(cells: [Cell; 2]) -> Option<[f64; 2]> {
    let [a, b] = cells;
    let determinant = a.events[0] * b.events[1] - b.events[0] * a.events[1];
    let costs = [
        (a.slots * b.events[1] - b.slots * a.events[1]) / determinant,
        (a.events[0] * b.slots - b.events[0] * a.slots) / determinant,
    ];
    (determinant != 0.0 && costs.iter().all(|cost| cost.is_finite())).then_some(costs)
}

/// The costs, none of them negative, under which the cells' errors are least: the sum of squares of ours over theirs less one.
/// None for fewer than four cells.
pub fn fit(cells: &[Cell]) -> Option<Costs> {
    if cells.len() < 4 {
        return None;
    }
    let error = |costs: &[f64; 3]| -> f64 {
        let ours = |cell: &Cell| cell.events.iter().zip(costs).map(|(n, cost)| n * cost).sum::<f64>() / cell.slots;
        cells.iter().map(|cell| (ours(cell) - 1.0).powi(2)).sum()
    };
    // Of the operations that cost anything, all choices: a least sum of squares each.
    let choices =
        (1u32..8).filter_map(|choice| least_squares(cells, choice)).filter(|costs| costs.iter().all(|&c| c >= 0.0));
    let best = choices.min_by(|a, b| error(a).total_cmp(&error(b)))?;
    let [visit_node, test_triangle, turn] = best;
    Some(Costs { visit_node, test_triangle, turn })
}

/// Costs of the operations that `choice` has the bit of; 0 of the others. None where the cells do not tell.
fn least_squares(cells: &[Cell], choice: u32) -> Option<[f64; 3]> {
    let chosen = |i: usize| choice >> i & 1 == 1;
    // The normal equations, with an identity in the rows of what is not chosen.
    let mut rows = [[0.0; 4]; 3];
    for (i, row) in rows.iter_mut().enumerate() {
        if !chosen(i) {
            row[i] = 1.0;
            continue;
        }
        for cell in cells {
            let scaled = cell.events.map(|n| n / cell.slots);
            for j in (0..3).filter(|&j| chosen(j)) {
                row[j] += scaled[i] * scaled[j];
            }
            row[3] += scaled[i];
        }
    }
    // Gauss and Jordan, with the largest pivot.
    for i in 0..3 {
        let pivot = (i..3).max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs()))?;
        rows.swap(i, pivot);
        let row = rows[i].map(|x| x / rows[i][i]);
        rows[i] = row;
        for (j, other) in rows.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            debug_assert_ne!(j, i);
            let factor = other[i];
            other.iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let costs = rows.map(|row| row[3]);
    costs.iter().all(|cost| cost.is_finite()).then_some(costs)
}

impl Costs {
    /// Costs of operations for a variant of their time: two boxes, Woop's test. None for others.
    pub fn of(self, variant: &Variant) -> Option<Vec<(Operation, f64)>> {
        let theirs = variant.tree() == Tree::Bvh2
            && variant.triangle() == TriangleTest::Woop
            && !matches!(variant.organisation(), Organisation::IfWhile | Organisation::Phased);
        let mut costs = vec![
            (Operation::VisitNode, self.visit_node),
            (Operation::TestTriangle, self.test_triangle),
            (Operation::Loop, self.turn),
        ];
        if matches!(variant.supply(), Supply::Queue | Supply::Replace) {
            costs.extend([(Operation::Shuffle, SHUFFLE), (Operation::FetchRay, FETCH)]);
        }
        theirs.then_some(costs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(events: [f64; 3], costs: [f64; 3]) -> Cell {
        Cell { events, slots: events.iter().zip(costs).map(|(n, cost)| n * cost).sum() }
    }

    #[test]
    fn a_fit_gives_back_the_costs_that_made_the_cells() {
        let events = [[1.1, 0.2, 0.1], [2.6, 0.9, 0.1], [1.0, 0.3, 1.2], [1.8, 1.2, 2.0]];
        for costs in [[130.0, 90.0, 40.0], [130.0, 0.0, 40.0], [130.0, 0.0, 0.0]] {
            let found = fit(&events.map(|events| cell(events, costs))).unwrap();
            let found = [found.visit_node, found.test_triangle, found.turn];
            assert!(found.iter().zip(costs).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}, {costs:?}");
        }
        // What would be less than nothing costs nothing, and no other costs are better then.
        let found = fit(&events.map(|events| cell(events, [130.0, -9.0, 40.0]))).unwrap();
        assert_eq!(found.test_triangle, 0.0);
        assert!((100.0..130.0).contains(&found.visit_node), "{found:?}");
        assert_eq!(fit(&[cell([1.0, 1.0, 1.0], [1.0; 3]); 3]), None);
        assert_eq!(fit(&[cell([0.0; 3], [1.0; 3]); 4]), None);
    }

    #[test]
    fn two_cells_say_what_two_operations_cost_or_that_they_do_not() {
        let costs = [130.0, 90.0, 0.0];
        let [visit, test] = two_cells([cell([1.1, 0.2, 0.1], costs), cell([2.6, 0.9, 0.1], costs)]).unwrap();
        assert!((visit - 130.0).abs() < 1e-9 && (test - 90.0).abs() < 1e-9);
        assert_eq!(two_cells([cell([1.0, 0.5, 0.0], costs), cell([2.0, 1.0, 0.0], costs)]), None);
    }

    #[test]
    fn costs_are_for_the_kernels_of_2009() {
        let costs = Costs { visit_node: 2.0, test_triangle: 1.0, turn: 1.0 };
        let of = |text: &str| costs.of(&text.parse().unwrap()).map(|costs| costs.len());
        assert_eq!((of("al09-packet"), of("al09-while-while"), of("al09-queue")), (Some(3), Some(3), Some(5)));
        assert_eq!((of("g14"), of("ykl17"), of("raywarp-h8")), (None, None, None));
    }
}
