//! Whether meshes are closed, as the trees hold them.

use crate::levels::LevelsTracer;
use crate::tracer::CpuTracer;
use rayon::prelude::*;
use raywarp_layout::BLOCK;

/// Directed edge of a triangle: an instance, the lower and the higher of its ends, and 1 if it runs from the lower to
/// the higher, -1 else.
type Edge = (u32, [u32; 3], [u32; 3], i8);

impl CpuTracer {
    /// Returns the lowest instance with an edge that no other edge of it runs back along, between corners of the same
    /// bits, and the number of such edges; `None` if there are none, and so every instance is closed. O(n log n) in
    /// parallel, with 84 bytes a triangle meanwhile.
    pub fn open_edges(&self) -> Option<(u32, u64)> {
        let mut edges = self.edges();
        edges.par_sort_unstable();
        let mut open: Option<(u32, u64)> = None;
        for same in edges.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2)) {
            let balance: i64 = same.iter().map(|edge| i64::from(edge.3)).sum();
            let instance = same[0].0;
            match &mut open {
                _ if balance == 0 => {}
                Some((of, count)) if *of == instance => *count += balance.unsigned_abs(),
                Some(_) => break,
                None => open = Some((instance, balance.unsigned_abs())),
            }
        }
        open
    }

    fn edges(&self) -> Vec<Edge> {
        let Some(tree) = self.wide8() else { return Vec::new() };
        let mut edges = Vec::with_capacity(3 * self.ids.len());
        // Those of several leaves once.
        let mut seen = vec![false; self.ids.len()];
        for block in tree.blocks() {
            for slot in 0..BLOCK {
                let Some(index) = block.index(slot).map(|index| index as usize) else { continue };
                if std::mem::replace(&mut seen[index], true) {
                    continue;
                }
                // The two zeros are one place.
                let [a, b, c] = block.vertices(slot).map(|p| p.map(|x| (x + 0.0).to_bits()));
                let instance = self.ids[index].instance;
                for (from, to) in [(a, b), (b, c), (c, a)] {
                    if from != to {
                        let edge = if from < to { (instance, from, to, 1) } else { (instance, to, from, -1) };
                        edges.push(edge);
                    }
                }
            }
        }
        edges
    }
}

impl LevelsTracer {
    /// Returns the lowest instance that is not closed, and the number of its open edges, as
    /// [`CpuTracer::open_edges`] does. Each tree is looked at once, in its own space.
    pub fn open_edges(&self) -> Option<(u32, u64)> {
        let of_tree: Vec<Option<(u32, u64)>> = self.trees.iter().map(|tree| tree.open_edges()).collect();
        let of = |placed: &crate::levels::Placed| {
            of_tree[placed.tree as usize].map(|(instance, open)| (placed.base + instance, open))
        };
        self.placed.iter().filter_map(of).min()
    }
}
