//! Who watches a kernel: nobody, which costs nothing, or a probe that is told every event.

use raywarp_family::{Block, Space};

/// Something that a lane reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Touch {
    /// The lane, counted from 0 in its warp.
    pub lane: u8,
    /// Which memory.
    pub space: Space,
    /// Which record of it; a stack's entries count from its bottom.
    pub index: u32,
    /// Whose stack: those of a warp are numbered, lanes first, and a ray that is parked keeps its own
    /// (AL09 5.2). 0 in other memories.
    pub owner: u16,
    /// First byte within the record.
    pub offset: u16,
    /// How many bytes.
    pub bytes: u16,
    /// Whether it is written.
    pub write: bool,
}

/// A block of a micro-operation, issued once for a warp.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// The warp, counted from 0 in its launch.
    pub warp: u32,
    /// What runs.
    pub block: Block,
    /// The lanes that run it, bit by bit.
    pub active: u64,
    /// For each lane the ray that it holds, `u32::MAX` for none.
    pub rays: &'a [u32],
    /// What the active lanes touch; empty for a probe that does not ask ([`Probe::touches`]).
    pub touches: &'a [Touch],
}

/// Told each event in the order in which a warp issues them.
pub trait Probe {
    /// Whether [`Event::touches`] is wanted; it costs time to gather.
    fn touches(&self) -> bool;
    /// Told of an event.
    fn event(&mut self, event: &Event<'_>);
    /// Told of an event that comes `times` times in a row, without touches.
    fn repeated(&mut self, event: &Event<'_>, times: u32) {
        for _ in 0..times {
            self.event(event);
        }
    }
}

/// What kernels are compiled for: watched or not. Probes themselves are objects, so that a new one
/// does not compile every kernel anew.
pub(crate) trait Watch {
    /// Whether anybody is told.
    const ON: bool;
    /// See [`Probe::touches`].
    fn touches(&self) -> bool;
    /// See [`Probe::event`].
    fn event(&mut self, event: &Event<'_>);
    /// See [`Probe::repeated`].
    fn repeated(&mut self, event: &Event<'_>, times: u32);
}

/// Nobody watches.
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

    /// As [`Watched::new`] for a probe that is told of no touches, whether it asks or not.
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
    /// See [`Event::warp`].
    pub warp: u32,
    /// See [`Event::block`].
    pub block: Block,
    /// See [`Event::active`].
    pub active: u64,
    /// See [`Event::rays`].
    pub rays: Vec<u32>,
    /// See [`Event::touches`].
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
