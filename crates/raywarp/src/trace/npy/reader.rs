//! Reading of a file's rays some at a time, so that files may be larger than memory.

use super::input::Input;
use super::layout::RayLayout;
use super::{CHUNK, NpyError, NpyFault, SMALL_BYTES, WORK_BYTES};
use raywarp_geom::Ray;
use std::io::Read;

/// Reader of rays from a `.npy` file or pipe, in portions.
pub struct RayReader<'a, R> {
    name: &'a str,
    input: Input<'a, R>,
    layout: RayLayout,
    first_byte: u64,
    /// Number of rays handed out so far.
    done: u64,
    /// Rays still to be handed out, of a file in Fortran order, which can only be read as a whole.
    held: Option<std::vec::IntoIter<Ray>>,
    /// Origin to which the rays are made relative.
    origin: [f64; 3],
    /// Origins of the rays read so far, in float64, kept until the scene's origin is known.
    begins: Option<Vec<[f64; 3]>>,
}

impl<'a, R: Read> RayReader<'a, R> {
    /// Opens a ray file, and reads up to the first ray; `name` is for messages.
    ///
    /// # Errors
    /// [`NpyError`].
    pub fn new(name: &'a str, input: R) -> Result<Self, NpyError> {
        let mut input = Input::new(name, input);
        let layout = input.ray_header()?;
        let first_byte = input.offset();
        let begins = layout.is_double().then(Vec::new);
        Ok(Self { name, input, layout, first_byte, done: 0, held: None, origin: [0.0; 3], begins })
    }

    /// Makes rays relative to `origin`, subtracted in float64 before rounding: all rays still to be read, and `given`,
    /// those handed out before. May be called once.
    ///
    /// # Panics
    /// If `given` are not all rays that were given.
    pub fn relative_to(&mut self, origin: [f64; 3], given: &mut [Ray]) {
        let begins = self.begins.take();
        self.origin = origin;
        let mut held: Vec<Ray> = self.held.iter_mut().flatten().collect();
        make_relative(given.iter_mut().chain(&mut held), begins, origin);
        self.held = self.held.is_some().then(|| held.into_iter());
    }

    /// Returns the float64 origins of the rays read so far, if the file is of float64, before
    /// [`RayReader::relative_to`].
    pub(crate) fn begins(&self) -> Option<&[[f64; 3]]> {
        self.begins.as_deref()
    }

    /// Returns the float64 origins of the rays that were read, if the file is of float64.
    pub(super) fn into_begins(self) -> Option<Vec<[f64; 3]>> {
        self.begins
    }

    /// Returns the layout of the rays in the file.
    pub fn layout(&self) -> &RayLayout {
        &self.layout
    }

    /// Returns the byte offset of the first ray in the file.
    pub(super) fn first_byte(&self) -> u64 {
        self.first_byte
    }

    /// Returns the byte offset in the file of the `t_min` of ray `index`, for messages; of the ray itself if the file
    /// has no `t_min`.
    pub fn byte_of_t_min(&self, index: usize) -> u64 {
        self.first_byte + self.layout.offset_of_t_min(index)
    }

    /// Checks that a file of `bytes` bytes holds as many rays as its header promises, before work is done on the first
    /// ones.
    ///
    /// # Errors
    /// [`NpyError::Malformed`], as reading it would say in the end.
    pub fn check_length(&self, bytes: u64) -> Result<(), NpyError> {
        let end = self.first_byte.saturating_add(self.layout.count.saturating_mul(self.layout.ray_bytes() as u64));
        if bytes < end {
            return Err(NpyError::Malformed { name: self.name.to_string(), offset: bytes, fault: self.too_short() });
        }
        if bytes > end { Err(self.too_long(end)) } else { Ok(()) }
    }

    fn too_short(&self) -> NpyFault {
        NpyFault::TooShort { rays: self.layout.count, bytes: self.layout.ray_bytes() }
    }

    fn too_long(&self, offset: u64) -> NpyError {
        let fault = NpyFault::TooLong { rays: self.layout.count };
        NpyError::Malformed { name: self.name.to_string(), offset, fault }
    }

    /// Reads the next rays, up to `most`; none at the end of the file. With the last ones it looks whether the input
    /// ends there. Memory is taken as data arrives; that of a file in Fortran order for all of its rays at the first
    /// call.
    ///
    /// # Errors
    /// [`NpyError`].
    pub fn next(&mut self, most: usize) -> Result<Vec<Ray>, NpyError> {
        let mut rays = Vec::new();
        self.next_into(most, &mut rays)?;
        Ok(rays)
    }

    /// Reads the next rays as [`RayReader::next`] does, but into `rays`, whose memory is reused.
    ///
    /// # Errors
    /// [`NpyError`].
    pub fn next_into(&mut self, most: usize, rays: &mut Vec<Ray>) -> Result<(), NpyError> {
        rays.clear();
        if self.layout.is_by_ray() {
            return self.read(most as u64, rays);
        }
        if self.held.is_none() {
            let mut all = Vec::new();
            self.read(u64::MAX, &mut all)?;
            if all.len() <= most {
                self.held = Some(Vec::new().into_iter());
                *rays = all;
                return Ok(());
            }
            self.held = Some(all.into_iter());
        }
        rays.extend(self.held.iter_mut().flatten().take(most));
        Ok(())
    }

    /// Reads up to `most` rays into `rays`, which is empty.
    fn read(&mut self, most: u64, rays: &mut Vec<Ray>) -> Result<(), NpyError> {
        let layout = self.layout;
        let count = most.min(layout.count - self.done);
        if count == 0 && self.done > 0 {
            return Ok(());
        }
        // What is read in a run: whole rays, or one number of each.
        let columns = if layout.by_column { 1 } else { layout.columns };
        let item_bytes = columns * layout.value_bytes();
        let mut buffer = vec![0; CHUNK * item_bytes];
        let mut numbers = Vec::with_capacity(CHUNK * columns);
        let mut wide = Vec::new();
        let before = self.begins.as_ref().map_or(0, Vec::len);
        for run in 0..layout.columns / columns {
            let mut done = 0;
            while done < count {
                let wanted = &mut buffer[..(count - done).min(CHUNK as u64) as usize * item_bytes];
                if self.input.fill(wanted)? < wanted.len() {
                    return Err(self.input.malformed(self.too_short()));
                }
                numbers.clear();
                layout.append(wanted, &mut numbers);
                let items = numbers.len() / columns;
                if run == 0 {
                    if rays.capacity() - rays.len() < items {
                        grow(self.name, rays, count)?;
                    }
                    rays.resize(rays.len() + items, Ray::new([0.0; 3], [0.0; 3]));
                }
                for (ray, values) in rays[done as usize..].iter_mut().zip(numbers.chunks_exact(columns)) {
                    values.iter().enumerate().for_each(|(i, &value)| layout.set(ray, run + i, value));
                }
                if run < 3 && (self.begins.is_some() || self.origin != [0.0; 3]) {
                    wide.clear();
                    layout.append_wide(wanted, &mut wide);
                    if let Some(begins) = &mut self.begins {
                        begins.resize(before + rays.len(), [0.0; 3]);
                    }
                    for (index, values) in (done as usize..).zip(wide.chunks_exact(columns)) {
                        for (axis, &value) in (run..3).zip(values) {
                            rays[index].origin[axis] = (value - self.origin[axis]) as f32;
                            if let Some(begins) = &mut self.begins {
                                begins[before + index][axis] = value;
                            }
                        }
                    }
                }
                done += items as u64;
            }
        }
        self.done += count;
        let end = self.input.offset();
        if self.done == layout.count && self.input.fill(&mut [0])? > 0 {
            return Err(self.too_long(end));
        }
        Ok(())
    }
}

/// Makes rays relative to `origin`, from their float64 origins if those are known.
///
/// # Panics
/// If not as many beginnings are known as there are rays.
pub(super) fn make_relative<'r>(
    rays: impl Iterator<Item = &'r mut Ray>,
    begins: Option<Vec<[f64; 3]>>,
    origin: [f64; 3],
) {
    if origin == [0.0; 3] {
        return;
    }
    let minus = |p: [f64; 3]| std::array::from_fn(|axis| (p[axis] - origin[axis]) as f32);
    let mut begins = begins.map(Vec::into_iter);
    for ray in rays {
        let begin = begins.as_mut().map(|begins| begins.next().expect("one entry a ray"));
        ray.origin = minus(begin.unwrap_or_else(|| ray.origin.map(f64::from)));
    }
}

/// Doubles the capacity of `rays`, up to `count`, if memory suffices.
fn grow(name: &str, rays: &mut Vec<Ray>, count: u64) -> Result<(), NpyError> {
    let left = usize::try_from(count).unwrap_or(usize::MAX) - rays.len();
    let more = rays.len().max(CHUNK).min(left);
    let needed = WORK_BYTES.saturating_mul((rays.len() + more) as u64);
    let error = |free| NpyError::Memory { name: name.to_string(), rays: rays.len() as u64, needed, free };
    match raywarp_system::memory::available() {
        Some(free) if needed > free.max(SMALL_BYTES) => Err(error(free)),
        _ if rays.try_reserve_exact(more).is_err() => {
            Err(NpyError::Memory { name: name.to_string(), rays: rays.len() as u64, needed, free: 0 })
        }
        _ => Ok(()),
    }
}
