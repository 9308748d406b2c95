//! What passes every triangle that a ray touches on once, also those that a tree holds several times.

use raywarp_geom::PrimitiveId;
use raywarp_layout::Wide8;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// Triangles that stand in several leaves of a tree (spatial splits): one bit for each triangle; empty if there is
/// none.
#[derive(Debug, Default)]
pub(crate) struct Split(Vec<u64>);

impl Split {
    /// Finds the triangles of a tree over `count` of them that stand in several leaves.
    pub fn of(tree: &Wide8, count: usize) -> Self {
        let words = || vec![0u64; count.div_ceil(64)];
        let (mut once, mut again, mut is_split) = (words(), words(), false);
        for block in tree.blocks() {
            for index in (0..raywarp_layout::BLOCK).filter_map(|slot| block.index(slot)) {
                let (word, bit) = (index as usize / 64, 1 << (index % 64));
                is_split |= once[word] & bit != 0;
                again[word] |= once[word] & bit;
                once[word] |= bit;
            }
        }
        Self(if is_split { again } else { Vec::new() })
    }

    /// Returns `true` if a triangle stands in several leaves.
    #[inline]
    pub fn has(&self, index: u32) -> bool {
        self.0.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Returns `true` if no triangle does.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }
}

thread_local! {
    /// Triangles of several leaves that a ray of this thread has touched; taken while a ray uses it.
    static TOUCHED: Cell<HashSet<PrimitiveId>> = Cell::new(HashSet::new());
}

/// Receiver of a ray's touches.
pub(crate) struct Receiver<F>(RefCell<Inner<F>>);

struct Inner<F> {
    receive: F,
    touched: HashSet<PrimitiveId>,
}

impl<F> Receiver<F> {
    /// Returns a receiver that passes hits on to `receive`.
    pub fn new(receive: F) -> Self {
        let touched = TOUCHED.take();
        Self(RefCell::new(Inner { receive, touched }))
    }

    /// Has `pass` pass a touch on, unless it is of a triangle of several leaves (`is_split`) that was passed on
    /// already.
    pub fn take_once(
        &self,
        id: PrimitiveId,
        is_split: bool,
        pass: impl FnOnce(&mut F) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut inner = self.0.borrow_mut();
        if is_split && !inner.touched.insert(id) { ControlFlow::Continue(()) } else { pass(&mut inner.receive) }
    }
}

impl<F> Drop for Receiver<F> {
    fn drop(&mut self) {
        let mut touched = std::mem::take(&mut self.0.get_mut().touched);
        touched.clear();
        // Of threads that end nothing is kept.
        let _ = TOUCHED.try_with(|kept| kept.set(touched));
    }
}
