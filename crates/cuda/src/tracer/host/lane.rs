//! Lane of a batch: one of the streams on which its portions are traced, with its buffers and the portion that is on
//! its way.

use super::super::{CudaTracer, DeviceHits, DeviceHitsMut};
use crate::{CudaError, Device, DeviceBuffer, DeviceSliceMut, PinnedBuffer, Query, Stream};
use bytemuck::Pod;
use rayon::prelude::*;
use raywarp_geom::{BatchStats, Candidate, Hit, HitKey, Ray};
use std::marker::PhantomData;
use std::ops::Range;

/// Bytes on the device of a ray, its key and its results.
pub(super) const RAY_BYTES: usize = size_of::<Ray>() + 12 + size_of::<Hit>() + 4 + 1;

/// Number of bytes that each core copies at a time; fewer than twice as many are copied by one core.
const COPY_BYTES: usize = 1 << 18;

/// A batch of host rays, as the caller gave it.
pub(super) struct Batch<'a> {
    pub rays: &'a [Ray],
    pub after: &'a [HitKey],
    pub results: Results<'a>,
    /// Arrays that are copied through pinned buffers, unless the caller's are pinned.
    pub staged: Staged,
}

/// Flags of the arrays of a batch that are copied through pinned buffers of the tracer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Staged {
    pub rays: bool,
    pub hits: bool,
    pub instances: bool,
}

/// The caller's arrays for the results.
pub(super) enum Results<'a> {
    Closest { hits: Target<'a, Hit>, instances: Target<'a, u32> },
    Any { blocked: &'a mut [u32], undecided: &'a mut Vec<Candidate> },
}

impl Results<'_> {
    pub fn query(&self) -> Query {
        match self {
            Self::Closest { .. } => Query::Closest,
            Self::Any { .. } => Query::Any,
        }
    }
}

/// Slice of the caller's, parts of which the device may be writing while others are read on the host.
pub(super) struct Target<'a, T> {
    first: *mut T,
    len: usize,
    of: PhantomData<&'a mut [T]>,
}

impl<'a, T: Pod> Target<'a, T> {
    pub fn new(values: &'a mut [T]) -> Self {
        Self { first: values.as_mut_ptr(), len: values.len(), of: PhantomData }
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn pointer(&self, range: &Range<usize>) -> *mut T {
        assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: it lies in the slice.
        unsafe { self.first.add(range.start) }
    }

    /// Returns the values with indices `range`, to read and to write.
    ///
    /// # Safety
    /// The device writes nothing of the range.
    unsafe fn values(&mut self, range: &Range<usize>) -> &mut [T] {
        // SAFETY: it lies in the slice, which is borrowed; of what is left the caller takes care.
        unsafe { std::slice::from_raw_parts_mut(self.pointer(range), range.len()) }
    }
}

/// A stream with device buffers for one portion of a batch.
#[derive(Debug)]
pub(super) struct Lane {
    stream: Stream,
    rays: DeviceBuffer<Ray>,
    after: DeviceBuffer<[u32; 3]>,
    out: DeviceHits,
    pinned: Pinned,
    /// Range of the batch's rays that is in flight on this stream.
    flight: Option<Range<usize>>,
}

/// Pinned buffers of one stream, each allocated when it is first used. The lane's owner waits for the stream before it
/// looks at any.
#[derive(Debug, Default)]
struct Pinned {
    rays: Option<PinnedBuffer<Ray>>,
    after: Option<PinnedBuffer<[u32; 3]>>,
    hits: Option<PinnedBuffer<Hit>>,
    instances: Option<PinnedBuffer<u32>>,
    blocked: Option<PinnedBuffer<u32>>,
    undecided: Option<PinnedBuffer<u32>>,
    counts: Option<PinnedBuffer<u32>>,
}

/// Returns the pinned buffer in `place`, allocated anew if it has fewer than `len` values.
fn pinned<'a, T: Pod>(
    device: &Device,
    place: &'a mut Option<PinnedBuffer<T>>,
    len: usize,
) -> Result<&'a mut PinnedBuffer<T>, CudaError> {
    let buffer = match place.take().filter(|buffer| buffer.len() >= len) {
        Some(buffer) => buffer,
        None => device.pinned(len.next_power_of_two())?,
    };
    Ok(place.insert(buffer))
}

/// Copies values between host arrays, by all cores of the current thread pool if they are many.
fn copy<T: Copy + Send + Sync>(from: &[T], to: &mut [T]) {
    let values = (COPY_BYTES / size_of::<T>()).max(1);
    if from.len() < 2 * values {
        to.copy_from_slice(from);
    } else {
        to.par_chunks_mut(values).zip(from.par_chunks(values)).for_each(|(to, from)| to.copy_from_slice(from));
    }
}

impl Lane {
    pub fn new(device: &Device, rays: usize) -> Result<Self, CudaError> {
        let stream = device.stream()?;
        let (buffer, after) = (stream.zeros(rays)?, stream.zeros(rays)?);
        let out = DeviceHits::new(&stream, rays, true)?;
        Ok(Self { rays: buffer, after, out, stream, pinned: Pinned::default(), flight: None })
    }

    /// Returns the number of rays that the buffers have room for.
    pub fn room(&self) -> usize {
        self.rays.len()
    }

    /// Starts to copy and trace a portion of the batch, after the one before was finished.
    pub fn begin(&mut self, tracer: &CudaTracer, batch: &mut Batch<'_>, range: Range<usize>) -> Result<(), CudaError> {
        let (stream, device, count) = (&self.stream, &tracer.device, range.len());
        // Once for all the calls below.
        let _current = device.choose()?;
        // From here on the device may use the caller's memory, whatever fails.
        self.flight = Some(range.clone());
        let rays = &batch.rays[range.clone()];
        let mut from = rays.as_ptr();
        if batch.staged.rays {
            let staging = pinned(device, &mut self.pinned.rays, count)?;
            copy(rays, &mut staging.get_mut()?[..count]);
            from = staging.pointer();
        }
        // SAFETY: as many rays, which the caller or the lane keeps until the stream was waited for.
        unsafe { stream.write_async(self.rays.view_mut().part(0..count), from) }?;
        let mut after = None;
        if !batch.after.is_empty() {
            let staging = pinned(device, &mut self.pinned.after, count)?;
            let keys = &batch.after[range.clone()];
            let word = |key: &HitKey| [key.t.to_bits(), key.instance, key.primitive];
            let words = staging.get_mut()?.par_iter_mut().with_min_len(COPY_BYTES / 12);
            words.zip(keys).for_each(|(to, key)| *to = word(key));
            // SAFETY: as above.
            unsafe { stream.write_async(self.after.view_mut().part(0..count), staging.pointer()) }?;
            after = Some(self.after.view());
        }
        let words = count.div_ceil(32);
        let wants_instances = !matches!(&batch.results, Results::Closest { instances, .. } if instances.is_empty());
        let out = DeviceHitsMut {
            hits: self.out.hits.view_mut(),
            instances: if wants_instances { self.out.instances.view_mut() } else { DeviceSliceMut::EMPTY },
            blocked: self.out.blocked.view_mut().part(0..words),
            undecided: self.out.undecided.view_mut().part(0..words),
            work: &mut self.out.work,
        };
        tracer.launch(stream, batch.results.query(), self.rays.view(), count, after, out)?;
        match &batch.results {
            Results::Closest { hits, instances } => {
                let mut to = hits.pointer(&range);
                if batch.staged.hits {
                    to = pinned(device, &mut self.pinned.hits, count)?.pointer();
                }
                // SAFETY: room for as many, which the caller or the lane keeps, and nobody looks at, until the stream
                // was waited for.
                unsafe { stream.read_async(self.out.hits.view().part(0..count), to) }?;
                if !instances.is_empty() {
                    let mut to = instances.pointer(&range);
                    if batch.staged.instances {
                        to = pinned(device, &mut self.pinned.instances, count)?.pointer();
                    }
                    // SAFETY: as above.
                    unsafe { stream.read_async(self.out.instances.view().part(0..count), to) }?;
                }
            }
            Results::Any { .. } => {
                for (bits, place) in
                    [(&self.out.blocked, &mut self.pinned.blocked), (&self.out.undecided, &mut self.pinned.undecided)]
                {
                    let to = pinned(device, place, words)?.pointer();
                    // SAFETY: as above.
                    unsafe { stream.read_async(bits.view().part(0..words), to) }?;
                }
            }
        }
        let counts = self.out.work.counts();
        let to = pinned(device, &mut self.pinned.counts, counts.len())?.pointer();
        // SAFETY: as above.
        unsafe { stream.read_async(counts, to) }
    }

    /// Waits for the portion in flight and stores its results in the caller's arrays; returns `None` if there is none.
    pub fn finish(&mut self, tracer: &CudaTracer, batch: &mut Batch<'_>) -> Result<Option<BatchStats>, CudaError> {
        let Some(range) = self.flight.clone() else { return Ok(None) };
        let _current = self.stream.choose()?;
        self.stream.synchronize()?;
        self.flight = None;
        let count = range.len();
        match &mut batch.results {
            Results::Closest { hits, instances } => {
                if let Some(found) = self.pinned.hits.as_ref().filter(|_| batch.staged.hits) {
                    // SAFETY: the device has written this portion.
                    copy(&found.get()?[..count], unsafe { hits.values(&range) });
                }
                if let Some(found) = self.pinned.instances.as_ref()
                    && batch.staged.instances
                    && !instances.is_empty()
                {
                    // SAFETY: as above.
                    copy(&found.get()?[..count], unsafe { instances.values(&range) });
                }
            }
            Results::Any { blocked, undecided } => {
                let words = count.div_ceil(32);
                let bits = |place: &Option<PinnedBuffer<u32>>| -> Result<Vec<u32>, CudaError> {
                    Ok(place.as_ref().map_or(Ok(&[][..]), PinnedBuffer::get)?[..words].to_vec())
                };
                let to = &mut blocked[range.start / 32..range.start / 32 + words];
                to.copy_from_slice(&bits(&self.pinned.blocked)?);
                let bits = bits(&self.pinned.undecided)?;
                if bits.iter().any(|&word| word != 0) {
                    let mut hits = vec![Hit::default(); count];
                    let mut instances = vec![0u32; count];
                    self.stream.read(&self.out.hits, &mut hits)?;
                    self.stream.read(&self.out.instances, &mut instances)?;
                    for ray in (0..count).filter(|ray| bits[ray / 32] >> (ray % 32) & 1 == 1) {
                        let number = (range.start + ray) as u32;
                        undecided.push(Candidate { ray: number, instance: instances[ray], hit: hits[ray] });
                    }
                }
            }
        }
        let counts = self.pinned.counts.as_ref().map_or(Ok(&[0; 2][..]), PinnedBuffer::get)?;
        Ok(Some(tracer.counted(count, [counts[0], counts[1]])))
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        // After an error the device may still be at work on memory of the caller's.
        if self.flight.take().is_some() {
            let _ = self.stream.synchronize().or_else(|_| self.stream.synchronize());
        }
    }
}
