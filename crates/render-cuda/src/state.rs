//! The state of paths in flight: arrays in a device's memory, one entry a path each.

use crate::kept_paths::{CountedRounds, KeptPaths, OwnMemory};
use crate::launch::{Counters, QueueRecord, ShadowRecord};
use crate::sources::FeatureSet;
use raywarp_cuda::{CudaError, Device, DeviceBuffer, Stream};

/// Layout of the path state in device memory: which parts there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Parts of the path state that the organisation stores between kernels.
    pub kept: KeptPaths,
    /// Memory that the organisation lays out itself.
    pub own: OwnMemory,
    /// Numbers that the organisation records for each round.
    pub counted_rounds: CountedRounds,
    /// `true` if the organisation lists paths by shading class, in scenes with several.
    pub sorts: bool,
    /// Features that the scene can have.
    pub features: FeatureSet,
    /// `true` if some surfaces have holes (cut-outs).
    pub holes: bool,
    /// `true` if paths are sorted by shading class before they are shaded.
    pub sorted: bool,
    /// `true` if the layers of first hits (albedo, normal, depth) are wanted.
    pub first_hits: bool,
    /// `true` if the sampler keeps a state for each path.
    pub sampler_states: bool,
}

/// Bytes of device memory that one path takes, by part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathBytes {
    /// Bytes of a queue entry: ray, pixel and bounce numbers, flags, throughput, sampler state and media. Places of
    /// those that wait for holes stand in the one without paths.
    pub queue: usize,
    /// Bytes of the hit of the path's ray.
    pub hit: usize,
    /// Bytes in the lists of paths by shading class, and in the organisation's own arrays.
    pub order: usize,
    /// Bytes of the connection to a light, with two more bits for what blocks it; its non-opaque candidate is stored in
    /// place of the hit.
    pub connection: usize,
    /// Bytes of the result that the path leaves for the film.
    pub result: usize,
    /// Bytes of the entry in the second queue, if there is one, which does not count for paths in flight.
    pub second_queue: usize,
}

impl PathBytes {
    /// Returns the bytes of a path in flight, with one queue.
    pub fn in_flight(&self) -> usize {
        self.queue + self.hit + self.order + self.connection + self.result
    }

    /// Returns the bytes of a path with both queues and with `results` results (at least one): those of paths that have
    /// ended count too.
    pub fn total_with(&self, results: usize) -> usize {
        self.in_flight() + self.second_queue + (results - 1) * self.result
    }
}

impl Layout {
    fn has_media(&self) -> bool {
        self.features == FeatureSet::Everything
    }

    /// Returns `true` if kernels look for holes; those for all features always do.
    pub fn has_holes(&self) -> bool {
        self.holes || self.has_media()
    }

    /// Returns the bytes of a connection to a light written when it is made, and read when its light arrives: all of
    /// them if a medium or hole may be in its way, else what it carries.
    pub fn connection_moved(&self) -> (u64, u64) {
        let made = self.bytes().connection;
        if made == 0 {
            return (0, 0);
        }
        (made as u64, if self.has_holes() || self.has_media() { made as u64 } else { 16 })
    }

    fn is_in_queues(&self) -> bool {
        self.kept == KeptPaths::Queues
    }

    fn has_hits(&self) -> bool {
        matches!(self.kept, KeptPaths::Queues | KeptPaths::Places { between_vertices: true })
    }

    fn has_rounds(&self) -> bool {
        self.counted_rounds != CountedRounds::None
    }

    /// Returns the bytes that a queue stores of a path between two vertices: ray, numbers and flags, throughput,
    /// sampler state and media.
    pub fn queued(&self) -> usize {
        32 + 16 + if self.sampler_states { 4 } else { 0 } + if self.has_media() { 8 } else { 0 }
    }

    /// Returns the bytes of device memory that one path takes, by part.
    pub fn bytes(&self) -> PathBytes {
        let result = 16 + if self.first_hits { 28 } else { 4 };
        let own = self.own.path_bytes;
        let none = PathBytes { queue: 0, hit: 0, order: own, connection: 0, result, second_queue: 0 };
        let queue = self.queued();
        let connection = 32 + 16 + if self.has_media() { 8 } else { 0 };
        match self.kept {
            KeptPaths::Nothing => none,
            KeptPaths::Queues => {
                let order = own + if self.sorted { 12 } else { 0 };
                PathBytes { queue, hit: 16, order, connection, second_queue: queue, ..none }
            }
            KeptPaths::Places { between_vertices: false } => PathBytes { queue, ..none },
            KeptPaths::Places { between_vertices: true } => PathBytes { queue, hit: 16, connection, ..none },
        }
    }
}

/// Device arrays of a path queue: 16-byte parts, words, and pairs of words.
#[derive(Debug)]
struct QueueBuffers {
    rays: DeviceBuffer<[f32; 4]>,
    weights: DeviceBuffer<[f32; 4]>,
    sampler_states: DeviceBuffer<u32>,
    media: DeviceBuffer<[u32; 2]>,
}

#[derive(Debug)]
struct ShadowBuffers {
    rays: DeviceBuffer<[f32; 4]>,
    contributions: DeviceBuffer<[f32; 4]>,
    media: DeviceBuffer<[u32; 2]>,
    blocked: DeviceBuffer<u32>,
    undecided: DeviceBuffer<u32>,
}

/// State of a number of paths in device memory.
#[derive(Debug)]
pub struct State {
    layout: Layout,
    paths: usize,
    results: usize,
    radiance: DeviceBuffer<[f32; 4]>,
    first_hits: DeviceBuffer<[f32; 7]>,
    depths: DeviceBuffer<f32>,
    queues: [QueueBuffers; 2],
    hits: DeviceBuffer<[f32; 4]>,
    order: DeviceBuffer<u32>,
    own: DeviceBuffer<u32>,
    shadows: ShadowBuffers,
    pub(crate) counters: DeviceBuffer<Counters>,
    /// For each round the number of paths that it extends, and of those that begin in it.
    pub(crate) rounds: DeviceBuffer<[u32; 2]>,
}

/// Device addresses of the arrays of a path state, as kernels take them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StateRecords {
    pub radiance: u64,
    pub first_hits: u64,
    pub depths: u64,
    pub queues: [QueueRecord; 2],
    pub hits: u64,
    pub order: u64,
    pub shadows: ShadowRecord,
    pub counters: u64,
    pub rounds: u64,
}

/// Returns the device address of a buffer; 0 if it is empty.
fn address<T: bytemuck::Pod>(buffer: &mut DeviceBuffer<T>, stream: &Stream) -> u64 {
    if buffer.is_empty() { 0 } else { buffer.address_mut(stream) }
}

impl State {
    /// Number of paths in flight for which memory must suffice, if as many are wanted.
    pub const LEAST: usize = 1 << 12;

    /// Returns the bytes of the state of `paths` paths in flight, with `results` results for each, and of `rounds`
    /// rounds.
    pub fn bytes(layout: &Layout, paths: usize, results: usize, rounds: usize) -> usize {
        let answers = if layout.is_in_queues() { 2 * 4 * paths.div_ceil(32) } else { 0 };
        let rounds = if layout.has_rounds() { 8 * rounds } else { 0 };
        let fixed = size_of::<Counters>() + layout.own.fixed_bytes;
        paths * layout.bytes().total_with(results) + answers + rounds + fixed
    }

    /// Allocates the state of `wanted` paths in flight with `batch` results for each, or of fewer if memory is short:
    /// half of the free memory is left, and paths in flight come first. And for the lengths of so many `rounds`.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`] where there is not even room for some thousands; [`CudaError::Driver`].
    pub fn new(
        device: &Device,
        stream: &Stream,
        layout: &Layout,
        wanted: usize,
        batch: usize,
        rounds: usize,
    ) -> Result<Self, CudaError> {
        let bytes = layout.bytes();
        let room = device.free_memory()? / 2;
        let batch = if room / bytes.total_with(batch) < wanted { 1 } else { batch };
        let each = bytes.total_with(batch);
        let fits = room / each;
        let paths = wanted.min(fits.max(Self::LEAST.min(wanted)));
        device.check_room("the state of paths", Self::bytes(layout, paths, batch, rounds))?;
        let results = paths * batch;
        let wavefront = layout.is_in_queues();
        let if_needed = |needed: bool| if needed { paths } else { 0 };
        let (all, media) = (if_needed(wavefront), if_needed(wavefront && layout.has_media()));
        // Of what connects paths, too.
        let hits = if_needed(layout.has_hits());
        let queue = |bytes: usize| -> Result<QueueBuffers, CudaError> {
            let has = bytes > 0;
            Ok(QueueBuffers {
                rays: stream.zeros(2 * if_needed(has))?,
                weights: stream.zeros(if_needed(has))?,
                sampler_states: stream.zeros(if_needed(has && layout.sampler_states))?,
                media: stream.zeros(if_needed(has && layout.has_media()))?,
            })
        };

        Ok(Self {
            layout: *layout,
            paths,
            results,
            radiance: stream.zeros(results)?,
            first_hits: stream.zeros(if layout.first_hits { results } else { 0 })?,
            depths: stream.zeros(if layout.first_hits { 0 } else { results })?,
            queues: [queue(bytes.queue)?, queue(bytes.second_queue)?],
            hits: stream.zeros(hits)?,
            order: stream.zeros(if layout.sorted { 3 * all } else { 0 })?,
            own: stream.zeros(layout.own.bytes(paths) / size_of::<u32>())?,
            shadows: ShadowBuffers {
                rays: stream.zeros(2 * hits)?,
                contributions: stream.zeros(hits)?,
                media: stream.zeros(media)?,
                blocked: stream.zeros(all.div_ceil(32))?,
                undecided: stream.zeros(all.div_ceil(32))?,
            },
            counters: stream.zeros(1)?,
            rounds: stream.zeros(if layout.has_rounds() { rounds } else { 0 })?,
        })
    }

    /// Returns the layout of the state.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the number of paths that can be in flight.
    pub fn paths(&self) -> usize {
        self.paths
    }

    /// Returns the number of results there is room for, which is the largest number of paths in a batch.
    pub fn results(&self) -> usize {
        self.results
    }

    /// Clears the counters of an earlier batch.
    pub(crate) fn clear_counts(&mut self, stream: &Stream) -> Result<(), CudaError> {
        stream.clear(&mut self.counters)?;
        if self.rounds.is_empty() { Ok(()) } else { stream.clear(&mut self.rounds) }
    }

    /// Clears the bits that say which connections to lights are blocked.
    pub(crate) fn clear_answers(&mut self, stream: &Stream) -> Result<(), CudaError> {
        stream.clear(&mut self.shadows.blocked)?;
        if self.layout.has_holes() { stream.clear(&mut self.shadows.undecided) } else { Ok(()) }
    }

    /// Returns the device address of the memory that the organisation lays out itself; 0 if it has none.
    pub(crate) fn own_memory(&mut self, stream: &Stream) -> u64 {
        address(&mut self.own, stream)
    }

    pub(crate) fn records(&mut self, stream: &Stream) -> StateRecords {
        let mut queue = |i: usize| {
            let QueueBuffers { rays, weights, sampler_states, media } = &mut self.queues[i];
            QueueRecord {
                rays: address(rays, stream),
                weights: address(weights, stream),
                sampler_states: address(sampler_states, stream),
                media: address(media, stream),
            }
        };
        let queues = [queue(0), queue(1)];
        let (hits, shadows) = (address(&mut self.hits, stream), &mut self.shadows);
        let counters = address(&mut self.counters, stream);
        StateRecords {
            radiance: address(&mut self.radiance, stream),
            first_hits: address(&mut self.first_hits, stream),
            depths: address(&mut self.depths, stream),
            queues,
            hits,
            order: address(&mut self.order, stream),
            shadows: ShadowRecord {
                rays: address(&mut shadows.rays, stream),
                contributions: address(&mut shadows.contributions, stream),
                media: address(&mut shadows.media, stream),
                blocked: address(&mut shadows.blocked, stream),
                undecided: address(&mut shadows.undecided, stream),
                // Of a round that is shaded nobody needs the hits any more.
                candidates: hits,
            },
            counters,
            rounds: address(&mut self.rounds, stream),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::organisation::PathOrganisation;
    use crate::sources::Organisation;

    #[test]
    fn no_path_in_flight_takes_more_than_160_bytes() {
        let flags = [false, true];
        for (features, sorted) in [
            (FeatureSet::Plain, false),
            (FeatureSet::Surfaces, false),
            (FeatureSet::Surfaces, true),
            (FeatureSet::Everything, false),
        ] {
            for (organisation, sampler_states, holes) in Organisation::OF_PATHS
                .into_iter()
                .flat_map(|organisation| flags.map(|states| (organisation, states)))
                .flat_map(|(organisation, states)| flags.map(|holes| (organisation, states, holes)))
            {
                let sorted = sorted && organisation.sorts();
                let layout = Layout {
                    kept: organisation.kept_paths(),
                    own: organisation.own_memory(),
                    counted_rounds: organisation.counted_rounds(),
                    sorts: organisation.sorts(),
                    features,
                    holes,
                    sorted,
                    first_hits: false,
                    sampler_states,
                };
                let bytes = layout.bytes();
                assert!(bytes.in_flight() <= 160, "{layout:?}: {bytes:?}");
                let layers = Layout { first_hits: true, ..layout }.bytes();
                assert_eq!(layers.in_flight(), bytes.in_flight() + 24);
                assert_eq!(bytes.total_with(4), bytes.in_flight() + bytes.second_queue + 3 * bytes.result);
            }
        }
    }
}
