//! Observers of a kernel: none, which costs nothing, or a probe that is told every event.

use raywarp_family::{Block, Space};

/// Bytes of memory that a lane reads or writes in an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Touch {
    /// Index of the lane in its warp.
    pub lane: u8,
    /// Kind of memory that the lane touches.
    pub space: Space,
    /// Index of the record that is touched; for stacks, that of the entry, counted from the bottom.
    pub index: u32,
    /// Index of the stack that is touched among those of the warp: lanes' first, and a ray that is parked keeps its own
    /// (AL09 5.2).
    pub owner: u16,
    /// Offset of the first byte touched within the record.
    pub offset: u16,
    /// Number of bytes that are touched.
    pub bytes: u16,
    /// `true` if the lane writes the memory, `false` if it reads.
    pub write: bool,
}

/// One execution of a code block of a micro-operation by a warp.
#[derive(Debug, Clone, Copy)]
pub struct WarpEvent<'a> {
    /// Index of the warp in its launch.
    pub warp: u32,
    /// Block of code that the warp runs.
    pub block: Block,
    /// Mask of the lanes that run the block of code.
    pub active: u64,
    /// Index of the ray that each lane holds, `u32::MAX` for none.
    pub rays: &'a [u32],
    /// Memory that the active lanes touch; empty for a probe that does not ask for it ([`Probe::touches`]).
    pub touches: &'a [Touch],
}

/// Observer of a warp's run that is told each event in the order of issue.
pub trait Probe {
    /// Returns `true` if the probe wants [`WarpEvent::touches`], which take time to gather.
    fn touches(&self) -> bool;
    /// Tells the probe of one event of a warp.
    fn event(&mut self, event: &WarpEvent<'_>);
    /// Tells the probe of an event that occurs `times` times in a row, without touches.
    fn repeated(&mut self, event: &WarpEvent<'_>, times: u32) {
        for _ in 0..times {
            self.event(event);
        }
    }
}

/// Switch that kernels are compiled for: either a probe watches their events, or nothing does. Probes themselves are
/// objects, so that a new one does not compile every kernel anew.
pub(crate) trait Watch {
    /// `true` if kernels tell their events to a probe.
    const ON: bool;
    /// Returns [`Probe::touches`] of the probe.
    fn touches(&self) -> bool;
    /// Passes an event on to [`Probe::event`].
    fn event(&mut self, event: &WarpEvent<'_>);
    /// Passes a repeated event on to [`Probe::repeated`].
    fn repeated(&mut self, event: &WarpEvent<'_>, times: u32);
}

/// A switch with no probe: every event is ignored.
pub(crate) struct Unwatched;

impl Watch for Unwatched {
    const ON: bool = false;
    #[inline(always)]
    fn touches(&self) -> bool {
        false
    }
    #[inline(always)]
    fn event(&mut self, _: &WarpEvent<'_>) {}
    #[inline(always)]
    fn repeated(&mut self, _: &WarpEvent<'_>, _: u32) {}
}

/// A switch with a probe, which is told all events.
pub(crate) struct Watched<'a> {
    probe: &'a mut dyn Probe,
    touches: bool,
}

impl<'a> Watched<'a> {
    pub fn new(probe: &'a mut dyn Probe) -> Self {
        Self { touches: probe.touches(), probe }
    }

    /// Watches as [`Watched::new`] does, but with no touches told, whether the probe asks for them or not.
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
    fn event(&mut self, event: &WarpEvent<'_>) {
        self.probe.event(event);
    }
    #[inline(always)]
    fn repeated(&mut self, event: &WarpEvent<'_>, times: u32) {
        self.probe.repeated(event, times);
    }
}

/// A probe that keeps a copy of every event, for comparisons.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorder {
    /// Events that the probe was told, in order.
    pub events: Vec<Recorded>,
}

/// A copy of an event that outlives the warp's run.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Index of the warp in its launch, as [`WarpEvent::warp`].
    pub warp: u32,
    /// Block of code that ran, as [`WarpEvent::block`].
    pub block: Block,
    /// Mask of the lanes that ran it, as [`WarpEvent::active`].
    pub active: u64,
    /// Index of the ray that each lane held, as [`WarpEvent::rays`].
    pub rays: Vec<u32>,
    /// Memory that the active lanes touched, as [`WarpEvent::touches`].
    pub touches: Vec<Touch>,
}

impl Probe for Recorder {
    fn touches(&self) -> bool {
        true
    }

    fn event(&mut self, event: &WarpEvent<'_>) {
        self.events.push(Recorded {
            warp: event.warp,
            block: event.block,
            active: event.active,
            rays: event.rays.to_vec(),
            touches: event.touches.to_vec(),
        });
    }
}
