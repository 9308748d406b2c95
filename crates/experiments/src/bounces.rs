//! Bounces of paths that keep their places: a launch a bounce, between which those that go on are listed (W11 3.4).

use crate::launch::ListCounters;
use crate::measured_batch::MeasuredBatch;
use crate::places::{PlaceArrays, listing_warps};
use crate::{Compaction, PATH_KERNELS, PathExperiment, stage};
use raywarp_cuda::{BLOCK_THREADS, CudaError, Device, Function};
use raywarp_render_cuda::{ROUNDS_AT_ONCE, RenderCudaError, Stage};
use std::mem::offset_of;

const WARP: u32 = 32;

/// Bits of the mark that kernels write for each light path in flight, as in kernels/organisation/compact.h.
pub(crate) mod mark {
    pub const GOES_ON: u32 = 1;
    pub const HAS_HIT: u32 = 2;
    pub const CONNECTS: u32 = 4;
}

/// Kernels of the organisations whose light paths stay at their index in memory from bounce to bounce.
#[derive(Debug)]
pub(crate) struct PlacedBounces {
    pub experiment: PathExperiment,
    pub begin_bounce: Function,
    pub bounce: BounceKernels,
    pub listing: Listing,
}

/// Kernels that extend light paths by one segment and shade its end.
#[derive(Debug)]
pub(crate) enum BounceKernels {
    One(Function),
    /// Three kernels that are launched one after the other: they extend paths, shade them, and connect them to lights.
    Parts([Function; 3]),
}

/// Kernels that list the light paths which go on to the next bounce.
#[derive(Debug)]
pub(crate) enum Listing {
    Off,
    Scan { count_alive: Function, list_alive: Function },
    Atomics(Function),
}

impl Listing {
    pub fn load(device: &Device, compaction: Compaction) -> Result<Self, RenderCudaError> {
        let plain = |stage: &str| PATH_KERNELS.plain(device, stage);
        Ok(match compaction {
            Compaction::Off => Self::Off,
            Compaction::Scan => Self::Scan { count_alive: plain("count_alive")?, list_alive: plain("list_alive")? },
            Compaction::Atomics => Self::Atomics(plain("list_by_atomics")?),
        })
    }

    /// Lists the paths with the marks asked for, into the list not in use; later kernels read them from there.
    fn launch(&self, batch: &mut MeasuredBatch<'_, '_>, entries: u32, lists: &mut Lists) -> Result<(), CudaError> {
        batch.places.next_list = lists.free();
        match self {
            Self::Off => return Ok(()),
            Self::Scan { count_alive, list_alive } => {
                let warps = listing_warps(batch.batch.render.capacity as usize) as u32;
                let blocks = warps / (BLOCK_THREADS / WARP);
                batch.blocks(stage::LIST_PATHS, count_alive, blocks)?;
                batch.blocks(stage::LIST_PATHS, list_alive, blocks)?;
            }
            Self::Atomics(list) => batch.lanes(stage::LIST_PATHS, list, entries)?,
        }
        let places = &mut batch.places;
        (places.list, places.count) = (places.next_list, places.listed);
        lists.swap();
        Ok(())
    }
}

/// Two lists of path indices, of which one is read while the other is written.
struct Lists {
    both: [u64; 2],
    next: usize,
}

impl Lists {
    fn new(both: [u64; 2]) -> Self {
        Self { both, next: 0 }
    }

    /// Returns the device address of the list that is written next.
    fn free(&self) -> u64 {
        self.both[self.next]
    }

    fn swap(&mut self) {
        self.next = 1 - self.next;
    }
}

impl PlacedBounces {
    /// Launches the kernels of all bounces of a batch of paths.
    pub fn trace(&self, batch: &mut MeasuredBatch<'_, '_>) -> Result<(), CudaError> {
        let (capacity, paths) = (batch.batch.render.capacity, batch.path_count());
        let arrays = PlaceArrays::of(batch.batch, self.experiment.lists_paths());
        batch.places = arrays.places;
        let mut lists = Lists::new(arrays.lists);
        let mut entries = capacity.min(paths);
        let at = self.experiment.listed_at();
        let (count, listed) = (batch.places.count, batch.places.listed);
        let lists_paths = !matches!(self.listing, Listing::Off) && (at.start || at.end);
        batch.places.in_parts = self.experiment.is_in_parts().into();
        for bounce in 0.. {
            batch.batch.begin_round(bounce);
            batch.places.next_list = if lists_paths { lists.free() } else { 0 };
            batch.blocks(stage::BEGIN_BOUNCE, &self.begin_bounce, 1)?;
            match &self.bounce {
                BounceKernels::One(kernel) => batch.lanes(stage::BOUNCE, kernel, entries)?,
                BounceKernels::Parts(kernels) => self.trace_parts(batch, kernels, entries, &mut lists)?,
            }
            if at.end {
                self.listing.launch(batch, entries, &mut lists)?;
            }
            // All that follows is of those that are listed now, the next bounce's.
            (batch.places.count, batch.places.listed) = (count, listed);
            if bounce >= batch.batch.max_depth && paths <= capacity {
                break;
            }
            let host_counts = self.experiment.host_counts;
            let looks = host_counts || (bounce + 1).is_multiple_of(ROUNDS_AT_ONCE);
            if looks && lists_paths {
                let Some(left) = batch.batch.left()? else { break };
                if host_counts {
                    entries = capacity.min(left.all);
                }
            }
        }
        Ok(())
    }

    /// Launches the three kernels of a bounce in parts, and those that list paths between them.
    fn trace_parts(
        &self,
        batch: &mut MeasuredBatch<'_, '_>,
        [extend, shade, connect]: &[Function; 3],
        entries: u32,
        lists: &mut Lists,
    ) -> Result<(), CudaError> {
        let at = self.experiment.listed_at();
        let lists_at = |wanted: bool| wanted && !matches!(self.listing, Listing::Off);
        let survivors = batch.places.listed;
        let counters = batch.places.counters;
        let counter = |offset: usize| counters + offset as u64;
        let [hit, connecting] = [offset_of!(ListCounters, hit), offset_of!(ListCounters, connecting)].map(counter);
        batch.lanes(Stage::EXTEND, extend, entries)?;
        if lists_at(at.start) {
            // The next bounce takes them from here, unless they are listed again.
            batch.places.listed = if at.end { hit } else { survivors };
            batch.places.listed_marks = mark::HAS_HIT;
            self.listing.launch(batch, entries, lists)?;
        }
        batch.lanes(Stage::SHADE, shade, entries)?;
        let of_shaded = batch.places;
        if lists_at(at.shadow) {
            (batch.places.listed, batch.places.listed_marks) = (connecting, mark::CONNECTS);
            self.listing.launch(batch, entries, lists)?;
            batch.lanes(Stage::CONNECT, connect, entries)?;
            lists.swap();
        } else {
            batch.lanes(Stage::CONNECT, connect, entries)?;
        }
        batch.places = of_shaded;
        (batch.places.listed, batch.places.listed_marks) = (survivors, mark::GOES_ON);
        Ok(())
    }
}
