//! Observers of a kernel: none, which costs nothing, or a probe that is told every event.

use raywarp_family::{Block, Space};

/// Bytes of memory that a lane reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Touch {
    /// The lane, counted from 0 in its warp.
    pub lane: u8,
    /// Kind of memory.
    pub space: Space,
    /// Record of it that is touched; a stack's entries count from its bottom.
    pub index: u32,
    /// Stack that the entry is in: the stacks of a warp are numbered, lanes first, and a ray that is parked keeps its
    /// own (AL09 5.2). 0 in other memories.
    pub owner: u16,
    /// First byte within the record.
    pub offset: u16,
    /// Number of bytes.
    pub bytes: u16,
    /// `true` for a write, `false` for a read.
    pub write: bool,
}

/// A block of a micro-operation, issued once for a warp.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// The warp, counted from 0 in its launch.
    pub warp: u32,
    /// Block of instructions that runs.
    pub block: Block,
    /// The lanes that run it, bit by bit.
    pub active: u64,
    /// Ray that each lane holds, `u32::MAX` for none.
    pub rays: &'a [u32],
    /// Memory that the active lanes touch; empty for a probe that does not ask ([`Probe::touches`]).
    pub touches: &'a [Touch],
}

/// Observer that is told each event in the order in which a warp issues them.
pub trait Probe {
    /// Returns `true` if [`Event::touches`] is wanted; it costs time to gather.
    fn touches(&self) -> bool;
    /// Tells the probe of an event.
    fn event(&mut self, event: &Event<'_>);
    /// Tells the probe of an event that comes `times` times in a row, without touches.
    fn repeated(&mut self, event: &Event<'_>, times: u32) {
        for _ in 0..times {
            self.event(event);
        }
    }
}

/// Observer that kernels are compiled for: one that watches, or one that does not. Probes themselves are objects, so
/// that a new one does not compile every kernel anew.
pub(crate) trait Watch {
    /// `true` if events are told to a probe.
    const ON: bool;
    /// Forwards to [`Probe::touches`].
    fn touches(&self) -> bool;
    /// Forwards to [`Probe::event`].
    fn event(&mut self, event: &Event<'_>);
    /// Forwards to [`Probe::repeated`].
    fn repeated(&mut self, event: &Event<'_>, times: u32);
}

/// Observer that ignores every event.
pub(crate) struct Unwatched;

impl Watch for Unwatched {
    const ON: bool = false;
    #[inline(always)]
    fn touches(&self) -> bool {
        false
    }
    #[inline(always)]
    fn event(&mut self, _: &Event<'_>) {}
    #[inline(always)]
    fn repeated(&mut self, _: &Event<'_>, _: u32) {}
}

/// A probe watches.
pub(crate) struct Watched<'a> {
    probe: &'a mut dyn Probe,
    touches: bool,
}

impl<'a> Watched<'a> {
    pub fn new(probe: &'a mut dyn Probe) -> Self {
        Self { touches: probe.touches(), probe }
    }

    /// Watches as [`Watched::new`] for a probe that is told of no touches, whether it asks or not.
    pub fn untouched(probe: &'a mut dyn Probe) -> Self {
        Self { touches: false, probe }
    }
}

impl Watch for Watched<'_> {
    const ON: bool = true;
    #[inline(always)]
    fn touches(&self) -> bool {
        self.touches
    }
    #[inline(always)]
    fn event(&mut self, event: &Event<'_>) {
        self.probe.event(event);
    }
    #[inline(always)]
    fn repeated(&mut self, event: &Event<'_>, times: u32) {
        self.probe.repeated(event, times);
    }
}

/// Keeps every event, for comparisons.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorder {
    /// The events, in order.
    pub events: Vec<Recorded>,
}

/// An event on its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Number of the warp, as [`Event::warp`].
    pub warp: u32,
    /// Block that ran, as [`Event::block`].
    pub block: Block,
    /// Lanes that ran it, as [`Event::active`].
    pub active: u64,
    /// Rays of the lanes, as [`Event::rays`].
    pub rays: Vec<u32>,
    /// Memory that was touched, as [`Event::touches`].
    pub touches: Vec<Touch>,
}

impl Probe for Recorder {
    fn touches(&self) -> bool {
        true
    }

    fn event(&mut self, event: &Event<'_>) {
        self.events.push(Recorded {
            warp: event.warp,
            block: event.block,
            active: event.active,
            rays: event.rays.to_vec(),
            touches: event.touches.to_vec(),
        });
    }
}
