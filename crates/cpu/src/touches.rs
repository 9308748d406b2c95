//! Every triangle that a ray touches, each once, in one walk and in any order.

use crate::probe::Off;
use crate::query::{OfRange, Query, Range};
use raywarp_geom::{Hit, PrimitiveId};
use raywarp_layout::{INDEX_MASK, Wide8};
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

/// Query for every touch within an interval.
pub(crate) struct Touches<'a, F> {
    range: Range<'a>,
    probe: Off,
    split: &'a Split,
    receiver: &'a Receiver<F>,
    is_over: bool,
}

// Not derived: that would ask it of the closure.
impl<F> Clone for Touches<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Touches<'_, F> {}

impl<'a, F: FnMut(&Hit, u32) -> ControlFlow<()>> OfRange<'a> for Touches<'a, F> {
    type With = (&'a Split, &'a Receiver<F>);

    #[inline(always)]
    fn of_range(range: Range<'a>, (split, receiver): Self::With) -> Self {
        Self { range, probe: Off, split, receiver, is_over: false }
    }
}

impl<F: FnMut(&Hit, u32) -> ControlFlow<()>> Query for Touches<'_, F> {
    const ORDERED: bool = false;
    const PACKETS: bool = false;
    type Probe = Off;

    #[inline(always)]
    fn probe(&mut self) -> &mut Off {
        &mut self.probe
    }

    #[inline(always)]
    fn low(&self) -> f32 {
        self.range.low
    }

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.range.high
    }

    #[inline]
    fn offer(&mut self, tuv: [f32; 3], slot: u32) {
        let (t, index) = (tuv[0], slot & INDEX_MASK);
        if self.is_over || !self.range.holds(t, index) {
            return;
        }
        let id = self.range.ids[index as usize];
        // On an edge a weight may come out as -0.
        let hit = Hit { t, u: tuv[1] + 0.0, v: tuv[2] + 0.0, primitive: id.primitive };
        let flow = self.receiver.take_once(id, self.split.has(index), |receive| receive(&hit, id.instance));
        self.is_over = flow.is_break();
    }

    #[inline(always)]
    fn needs_id(&self, t: f32) -> bool {
        t <= self.range.high
    }

    #[inline(always)]
    fn offer_plain(&mut self, _: [f32; 3], _: u32) {}

    #[inline(always)]
    fn is_decided(&self) -> bool {
        self.is_over
    }
}
