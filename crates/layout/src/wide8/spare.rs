//! Memory of a tree that nobody has any more, for the next one of its shape.
//!
//! A mesh that moves is fitted to a new copy each frame while others still have the tree before. New pages of memory
//! take the system longer than fitting takes; those of the tree before that are there already.

use super::{Line, Wide8};
use std::sync::{Arc, Mutex};

/// Least number of cache lines that are kept: a megabyte. Below, allocators keep what was freed themselves.
const LEAST: usize = 1 << 14;

/// Place for the memory of one tree, which all trees of a line share.
#[derive(Debug, Clone)]
pub(super) struct Spare(Arc<Mutex<Vec<Line>>>);

impl Spare {
    /// Returns an empty place; `None` if trees of so many lines are not worth one.
    pub fn for_lines(count: usize) -> Option<Self> {
        (count >= LEAST).then(|| Self(Arc::default()))
    }

    /// Returns the memory that is here, with what was in it, if it is of so many lines. Does not wait for others.
    pub fn take(&self, count: usize) -> Option<Vec<Line>> {
        let mut place = self.0.try_lock().ok()?;
        (place.len() == count).then(|| std::mem::take(&mut *place))
    }

    /// Keeps memory if none is here, and frees it otherwise.
    fn put(&self, lines: Vec<Line>) {
        // Freed after the lock, which nobody waits for.
        let unused = match self.0.try_lock() {
            Ok(mut place) if place.is_empty() => std::mem::replace(&mut *place, lines),
            _ => lines,
        };
        drop(unused);
    }

    /// Returns the size of what is here in bytes.
    pub fn bytes(&self) -> usize {
        self.0.try_lock().map_or(0, |place| size_of_val(&place[..]))
    }
}

impl Drop for Wide8 {
    fn drop(&mut self) {
        if let Some(spare) = self.spare.take() {
            spare.put(std::mem::take(&mut self.lines));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode_wide8;
    use raywarp_bvh::{BuildOptions, build};
    use raywarp_geom::FlatTriangles;

    fn tree(count: usize) -> Wide8 {
        let at = |i: usize| [i as f32, (i * i % 7) as f32, (i % 3) as f32];
        let triangles = FlatTriangles::from_vertices((0..count).map(|i| [at(i), at(i + 1), at(i + 2)]).collect());
        encode_wide8(&build(&triangles, &BuildOptions::default()).unwrap(), &triangles).unwrap()
    }

    fn moved(frame: usize) -> impl Fn(u32) -> [[f32; 3]; 3] + Sync {
        move |index| [0, 1, 2].map(|k| [index as f32, (frame * k) as f32, (index as usize % (frame + 2)) as f32])
    }

    #[test]
    fn a_copy_gets_the_memory_of_the_tree_before_the_last_and_nothing_of_what_was_in_it() {
        let built = tree(30_000);
        let mut places = Vec::new();
        let mut last = built.refitted(&moved(0)).0;
        for frame in 1..6 {
            let (new, cost) = last.refitted(&moved(frame));
            let (fresh, fresh_cost) = built.refitted(&moved(frame));
            assert!(new.nodes() == fresh.nodes() && new.bounds() == fresh.bounds() && cost == fresh_cost);
            assert!(bytemuck::cast_slice::<_, u8>(new.lines()) == bytemuck::cast_slice::<_, u8>(fresh.lines()));
            assert_eq!(new.validate(), Ok(()));
            places.push(new.lines().as_ptr());
            last = new;
        }
        // Two pieces of memory in turns, from when there are two.
        assert_eq!([places[2], places[3]], [places[0], places[1]]);
        assert_eq!(last.bytes(), 2 * size_of_val(last.lines()));
        assert_eq!(built.bytes(), size_of_val(built.lines()));
    }

    #[test]
    fn a_tree_that_somebody_has_keeps_its_memory() {
        let first = tree(30_000).refitted(&moved(0)).0;
        let kept = first.clone();
        let second = first.refitted(&moved(1)).0;
        let before = first.lines().to_vec();
        let third = second.refitted(&moved(2)).0;
        assert!(bytemuck::cast_slice::<_, u8>(first.lines()) == bytemuck::cast_slice::<_, u8>(&before));
        assert!(bytemuck::cast_slice::<_, u8>(kept.lines()) == bytemuck::cast_slice::<_, u8>(&before));
        drop((first, second));
        assert_eq!(third.bytes(), 2 * size_of_val(third.lines()));
    }

    #[test]
    fn threads_that_fit_copies_and_drop_them_take_no_memory_from_each_other() {
        let first = tree(20_000).refitted(&moved(0)).0;
        let wanted = [0, 1, 2, 3].map(|frame| first.refitted(&moved(frame)).0.lines().to_vec());
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (first, wanted) = (&first, &wanted);
                scope.spawn(move || {
                    let mut held = first.clone();
                    for step in 0..40 {
                        let frame = (step * (thread + 1) + thread) % 4;
                        let next = held.refitted(&moved(frame)).0;
                        let of = |lines: &[Line]| bytemuck::cast_slice::<_, u8>(lines).to_vec();
                        assert!(of(next.lines()) == of(&wanted[frame]), "thread {thread}, step {step}");
                        held = if step % 3 == 0 { next.clone() } else { next };
                    }
                });
            }
        });
    }

    #[test]
    fn small_trees_keep_nothing() {
        let first = tree(100).refitted(&moved(0)).0;
        assert!(first.spare.is_none() && first.refitted(&moved(1)).0.spare.is_none());
    }
}
