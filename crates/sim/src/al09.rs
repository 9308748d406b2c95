//! Costs of operations on a GTX 285: one set of them, from what AL09's own simulator printed in Table 1.
//!
//! Its rates are instructions over issue slots under an ideal dual issue, memory for free (AL09 2.1), so that a cell
//! is one equation: events a ray times their costs are the machine's time over the rate. Two cells, while-while's
//! primary and diffuse rays on Sibenik, would fix what a visit costs and what a test does if these were all that costs
//! ([`two_cells`]); on our rays and trees they do not: a test comes out at less than nothing, and if-if, which repeats
//! its loop once a step, a quarter too fast. With an iteration of the main loop and what postponing adds, [`fit`] finds
//! costs under which all kernels without packets come out. Bounds on a GTX 285, the experiments and the
//! clocks of warps that share a counter all take [`Al09Costs::default`].

use crate::block_costs::BlockCosts;
use crate::machine::LaunchResources;
use crate::warp_counts::WarpCounts;
use raywarp_family::{Block, Operation, Supply, Tree, TriangleTest, Variant};
use raywarp_papers::Queue;

/// Launch bounds of AL09's kernels as far as they are known (AL09 2): blocks of 192 threads, 21 to 25 registers, which
/// "did not affect performance". At 21 there are more than 20,000 threads at once, as they say there were (3.4); at 25
/// there are 17,280.
pub const LAUNCH: LaunchResources =
    LaunchResources { registers_per_thread: 21, shared_bytes_per_block: 0, threads_per_block: 192 };

/// Number of issue slots, as the GTX 285's machine file counts them under ideal dual issue, in the time of one
/// instruction.
pub const SLOTS: f64 = 2.0;

/// Instruction costs of AL09's operations: "traversal, leaf, and triangle intersection operations" (2.1), and what
/// their section 5 states.
///
/// The unit is the time that an instruction of a warp takes: 4 clocks of a multiprocessor. How many instructions fit
/// into it depends on what the second pipe can take, which the paper does not say; it is in the costs.
///
/// The default's first four numbers are the least squares of Sibenik's twelve simulated rates without packets, on the
/// tree that has as many nodes as the paper's, 150,000 rays of each kind and view (docs/papers/al09-experiments.md,
/// "Table 1's simulated rates"). The others are stated in AL09 5.2, and known when the first are fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Al09Costs {
    /// Cost of visiting a node: fetching it, testing both boxes, ordering, pushing, popping, and the inner loop around
    /// it.
    pub visit_node: f64,
    /// Cost of testing a triangle, with the inner loop around it.
    pub test_triangle: f64,
    /// Cost of an iteration of the main loop.
    pub iteration: f64,
    /// Cost that kernels which postpone leaves add to each node visit.
    pub postpone: f64,
    /// Cost of fetching and setting up new rays.
    pub fetch: f64,
    /// Cost of counting, choosing and exchanging rays, once an iteration of a work queue's main loop.
    pub shuffle: f64,
}

impl Default for Al09Costs {
    fn default() -> Self {
        let Queue { fetch_cost, shuffle_cost, .. } = raywarp_papers::al09().queue;
        Self {
            visit_node: 68.4,
            test_triangle: 23.9,
            iteration: 25.2,
            postpone: 3.5,
            fetch: fetch_cost,
            shuffle: shuffle_cost,
        }
    }
}

impl Al09Costs {
    /// Returns the cost of each code block of `variant`.
    pub fn of(&self, variant: &Variant) -> BlockCosts {
        let postpone = if variant.postpone() > 0 { self.postpone } else { 0.0 };
        let shuffle = if variant.supply() == Supply::Queue { self.shuffle } else { 0.0 };
        BlockCosts::default()
            .with(Block::VisitNode, self.visit_node + postpone)
            .with(Block::TestTriangle, self.test_triangle)
            .with(Block::TestTriangleT, self.test_triangle)
            .with(Block::Iteration, self.iteration + shuffle)
            .with(Block::FetchRay, self.fetch)
    }

    /// Returns `true` if `variant` has only operations of AL09's kernels, for which these costs are: a binary tree,
    /// Woop's test.
    pub fn know(variant: &Variant) -> bool {
        variant.tree() == Tree::Bvh2
            && variant.triangle() == TriangleTest::Woop
            && !variant.traversal_loop().takes_groups_alone()
    }
}

/// Number of costs that are fitted: of a visit, a test, a main-loop iteration, and postponing.
const FITTED: usize = 4;

/// Data of one published rate for the fit of costs: warps' events per ray, and the instruction times per ray that the
/// rate implies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateCell {
    /// Events per ray: visits, tests, main-loop iterations, and visits of a kernel that postpones leaves.
    pub events: [f64; FITTED],
    /// Cost per ray of the events whose costs the paper states.
    pub stated: f64,
    /// Time of a ray at the published rate, in instruction times of the machine.
    pub time: f64,
}

impl RateCell {
    /// Makes the data of a kernel's counts and a published rate, for a machine that issues `times_per_s` warp
    /// instructions a second, one at a time.
    pub fn new(variant: &Variant, counts: &WarpCounts, rays_per_s: f64, times_per_s: f64) -> Self {
        let per_ray = |operation| counts.operation(operation).issued as f64 / counts.rays as f64;
        let [visits, tests, iterations] = [Operation::VisitNode, Operation::TestTriangle, Operation::Loop].map(per_ray);
        let postponing = if variant.postpone() > 0 { visits } else { 0.0 };
        let nothing =
            Al09Costs { visit_node: 0.0, test_triangle: 0.0, iteration: 0.0, postpone: 0.0, ..Default::default() };
        Self {
            events: [visits, tests, iterations, postponing],
            stated: nothing.of(variant).total(counts) / counts.rays as f64,
            time: times_per_s / rays_per_s,
        }
    }

    fn ours(&self, costs: &[f64; FITTED]) -> f64 {
        self.stated + self.events.iter().zip(costs).map(|(n, cost)| n * cost).sum::<f64>()
    }
}

/// Returns the costs of a visit and of a test that give exactly two published rates if nothing else costs; negative
/// where the rates demand it. None where one is as good as a multiple of the other.
pub fn two_cells(cells: [RateCell; 2]) -> Option<[f64; 2]> {
    let [a, b] = cells;
    let determinant = a.events[0] * b.events[1] - b.events[0] * a.events[1];
    let costs = [
        (a.time * b.events[1] - b.time * a.events[1]) / determinant,
        (a.events[0] * b.time - b.events[0] * a.time) / determinant,
    ];
    (determinant != 0.0 && costs.iter().all(|cost| cost.is_finite())).then_some(costs)
}

/// Returns the costs, none of them negative, with the least sum of squared relative errors over the published rates.
/// What has a stated cost keeps it. None for fewer than five cells, or where they do not tell.
pub fn fit(cells: &[RateCell]) -> Option<Al09Costs> {
    if cells.len() <= FITTED {
        return None;
    }
    let error =
        |costs: &[f64; FITTED]| -> f64 { cells.iter().map(|cell| (cell.ours(costs) / cell.time - 1.0).powi(2)).sum() };
    // Of the operations that cost anything, all choices: a least sum of squares each.
    let choices = (1u32..1 << FITTED)
        .filter_map(|choice| least_squares(cells, choice))
        .filter(|costs| costs.iter().all(|&cost| cost >= 0.0));
    let best = choices.min_by(|a, b| error(a).total_cmp(&error(b)))?;
    let [visit_node, test_triangle, iteration, postpone] = best;
    Some(Al09Costs { visit_node, test_triangle, iteration, postpone, ..Default::default() })
}

/// Returns the least-squares costs of the operations whose bits `choice` has; 0 of the others. None where the cells do
/// not tell.
fn least_squares(cells: &[RateCell], choice: u32) -> Option<[f64; FITTED]> {
    let chosen = |i: usize| choice >> i & 1 == 1;
    // The normal equations, with an identity in the rows of what is not chosen.
    let mut rows = [[0.0; FITTED + 1]; FITTED];
    for (i, row) in rows.iter_mut().enumerate() {
        if !chosen(i) {
            row[i] = 1.0;
            continue;
        }
        for cell in cells {
            let scaled = cell.events.map(|n| n / cell.time);
            for j in (0..FITTED).filter(|&j| chosen(j)) {
                row[j] += scaled[i] * scaled[j];
            }
            row[FITTED] += scaled[i] * (1.0 - cell.stated / cell.time);
        }
    }
    // Gauss and Jordan, with the largest pivot.
    for i in 0..FITTED {
        let pivot = (i..FITTED).max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs()))?;
        rows.swap(i, pivot);
        let row = rows[i].map(|x| x / rows[i][i]);
        rows[i] = row;
        for (_, other) in rows.iter_mut().enumerate().filter(|(j, _)| *j != i) {
            let factor = other[i];
            other.iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let costs = rows.map(|row| row[FITTED]);
    costs.iter().all(|cost| cost.is_finite()).then_some(costs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(events: [f64; 4], costs: [f64; 4]) -> RateCell {
        let cell = RateCell { events, stated: 1.5, time: 0.0 };
        RateCell { time: cell.ours(&costs), ..cell }
    }

    #[test]
    fn a_fit_gives_back_the_costs_that_made_the_cells() {
        let events = [
            [1.1, 0.2, 0.1, 0.0],
            [2.6, 0.9, 0.1, 0.0],
            [1.0, 0.3, 1.2, 0.0],
            [1.8, 1.2, 2.0, 1.8],
            [0.9, 0.5, 1.1, 0.9],
        ];
        for costs in [[70.0, 30.0, 24.0, 3.0], [70.0, 30.0, 24.0, 0.0], [70.0, 0.0, 24.0, 3.0], [70.0, 0.0, 0.0, 0.0]] {
            let found = fit(&events.map(|events| cell(events, costs))).unwrap();
            assert_eq!((found.fetch, found.shuffle), (50.0, 30.0));
            let found = [found.visit_node, found.test_triangle, found.iteration, found.postpone];
            assert!(found.iter().zip(costs).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}, {costs:?}");
        }
        // What would be less than nothing costs nothing, and no other costs are better then.
        let found = fit(&events.map(|events| cell(events, [70.0, -9.0, 24.0, 3.0]))).unwrap();
        assert_eq!(found.test_triangle, 0.0);
        assert!((55.0..70.0).contains(&found.visit_node), "{found:?}");
        assert_eq!(fit(&[cell([1.0; 4], [1.0; 4]); 4]), None);
        assert_eq!(fit(&[cell([0.0; 4], [1.0; 4]); 5]), None);
    }

    #[test]
    fn two_cells_say_what_two_operations_cost_or_that_they_do_not() {
        let cell = |events| RateCell { stated: 0.0, ..cell(events, [70.0, 30.0, 0.0, 0.0]) };
        let bare = |mut cell: RateCell| {
            cell.time -= 1.5;
            cell
        };
        let [visit, test] = two_cells([[1.1, 0.2, 0.1, 0.0], [2.6, 0.9, 0.1, 0.0]].map(cell).map(bare)).unwrap();
        assert!((visit - 70.0).abs() < 1e-9 && (test - 30.0).abs() < 1e-9);
        assert_eq!(two_cells([[1.0, 0.5, 0.0, 0.0], [2.0, 1.0, 0.0, 0.0]].map(cell)), None);
    }

    #[test]
    fn only_a_queue_pays_for_shuffling_and_only_speculation_for_postponing() {
        let costs = Al09Costs { visit_node: 64.0, iteration: 24.0, postpone: 3.0, shuffle: 30.0, ..Default::default() };
        let of = |text: &str| costs.of(&text.parse().unwrap());
        assert_eq!(of("al09-while-while").of(Block::Iteration), 24.0);
        assert_eq!(of("al09-queue").of(Block::Iteration), 54.0);
        assert_eq!(of("al09-while-while").of(Block::VisitNode), 64.0);
        assert_eq!(of("al09-spec-if-if").of(Block::VisitNode), 67.0);
        assert_eq!(of("direct/speculative-if-if/bvh2?postpone=0").of(Block::VisitNode), 64.0);
    }

    #[test]
    fn a_cells_equation_is_what_the_costs_make_of_its_counts() {
        let mut counts = WarpCounts::new(32);
        counts.rays = 64;
        for (block, issued) in
            [(Block::VisitNode, 90), (Block::TestTriangle, 40), (Block::Iteration, 20), (Block::FetchRay, 2)]
        {
            counts.blocks[block as usize].issued = issued;
        }
        let costs =
            Al09Costs { visit_node: 70.0, test_triangle: 30.0, iteration: 20.0, postpone: 5.0, ..Default::default() };
        for name in ["al09-while-while", "al09-spec-if-if", "al09-queue"] {
            let variant = name.parse().unwrap();
            let cell = RateCell::new(&variant, &counts, 1.0, 1.0);
            let ours = cell.ours(&[costs.visit_node, costs.test_triangle, costs.iteration, costs.postpone]);
            assert!((64.0 * ours - costs.of(&variant).total(&counts)).abs() < 1e-9, "{name}");
        }
    }

    #[test]
    fn as_many_threads_run_at_once_as_they_say() {
        let machine = crate::machine::Machine::find("gtx285").unwrap();
        let held = machine.occupancy(LAUNCH).unwrap();
        assert!(held.warps * 32 * machine.count(crate::machine::keys::SM_COUNT) > 20_000, "{held:?}");
    }

    #[test]
    fn costs_are_for_the_kernels_of_2009() {
        let know = |text: &str| Al09Costs::know(&text.parse().unwrap());
        assert!(["al09-packet", "al09-while-while", "al09-queue"].into_iter().all(know));
        assert!(!["g14", "ykl17", "raywarp-h8"].into_iter().any(know));
    }
}
