//! What passes every triangle that a ray touches on once, also those that a tree holds several times.

use raywarp_geom::PrimitiveId;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// Triangles that stand in several leaves of a tree (spatial splits): one bit for each triangle; empty if there is
/// none.
#[derive(Debug, Default)]
pub(crate) struct Split(Vec<u64>);

/// Triangles that were seen in leaves of a tree, a bit for each.
pub(crate) struct Seen {
    once: Vec<u64>,
    again: Vec<u64>,
    is_split: bool,
}

impl Seen {
    /// Has seen none of `count` triangles.
    pub fn new(count: usize) -> Self {
        let words = || vec![0u64; count.div_ceil(64)];
        Self { once: words(), again: words(), is_split: false }
    }

    /// Sees a triangle; one that is not there is not seen.
    #[inline]
    pub fn add(&mut self, index: u32) {
        let (word, bit) = (index as usize / 64, 1 << (index % 64));
        if let (Some(once), Some(again)) = (self.once.get_mut(word), self.again.get_mut(word)) {
            self.is_split |= *once & bit != 0;
            *again |= *once & bit;
            *once |= bit;
        }
    }

    /// Returns those that were seen several times.
    pub fn split(self) -> Split {
        Split(if self.is_split { self.again } else { Vec::new() })
    }
}

impl Split {
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
