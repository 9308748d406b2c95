//! Tracing of rays from a file or a pipe as they come: hits are written as they are found, and neither rays nor hits
//! have to fit in memory.

use super::origin_note::RayRounding;
use super::{Field, HitFormat, OriginNote, TraceScene, TraceSceneError, Traced, surface_columns};
use crate::trace::npy::{NpyError, RayLayout, RayReader};
use raywarp_family::Query;
use raywarp_geom::{BatchStats, Control, Ray};
use raywarp_scene::Description;
use std::io::{self, Read, Write};
use std::time::Duration;

/// Rays from a file or pipe that are traced in portions, so that they need not fit in memory.
pub struct RayStream<'a, R> {
    reader: RayReader<'a, R>,
    portion: usize,
    first: Vec<Ray>,
}

/// Options of tracing a stream of rays: the query, and what the hit file holds.
#[derive(Debug, Clone)]
pub struct StreamOptions<'a> {
    /// Query that all rays ask.
    pub query: Query,
    /// Format of the hit file.
    pub format: HitFormat,
    /// Fields that become further columns of the hit file, duplicates removed; any-hit rays have none.
    pub fields: &'a [Field],
}

/// Totals over the traced rays of a stream.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StreamTotals {
    /// Statistics of the rays: their number, and that of invalid ones.
    pub stats: BatchStats,
    /// Number of rays that hit something.
    pub hits: u64,
    /// Wall time of the tracing alone.
    pub elapsed: Duration,
}

impl StreamTotals {
    /// Returns the number of rays traced per second; 0 for no rays.
    pub fn rays_per_s(&self) -> f64 {
        self.stats.rays as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Error that ended the tracing of a stream. What was written by then is worth nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The rays cannot be read.
    #[error(transparent)]
    Rays(#[from] NpyError),
    /// The rays cannot be traced; the error gives a ray's index in the file.
    #[error(transparent)]
    Trace(#[from] TraceSceneError),
    /// The hits cannot be written.
    #[error(transparent)]
    Write(io::Error),
}

impl<'a, R: Read> RayStream<'a, R> {
    /// Number of rays traced before more are read: enough for a GPU to overlap copying and tracing. With their hits and
    /// the bytes of these they take about half a gigabyte, with text and further columns a whole one.
    pub const PORTION: usize = 1 << 22;

    /// Opens a stream of rays, and reads the first portion; `name` is for messages. At most so many are in memory at a
    /// time, but those of a file in Fortran order all are.
    ///
    /// # Errors
    /// [`NpyError`].
    ///
    /// # Panics
    /// If `portion` is 0.
    pub fn new(name: &'a str, input: R, portion: usize) -> Result<Self, NpyError> {
        Self::begin(RayReader::new(name, input)?, portion)
    }

    /// Opens a stream as [`RayStream::new`] does, from an input of `bytes` bytes, which are first checked against the
    /// number of rays that the header promises.
    ///
    /// # Errors
    /// [`NpyError`].
    ///
    /// # Panics
    /// If `portion` is 0.
    pub fn with_length(name: &'a str, input: R, bytes: u64, portion: usize) -> Result<Self, NpyError> {
        let reader = RayReader::new(name, input)?;
        reader.check_length(bytes)?;
        Self::begin(reader, portion)
    }

    fn begin(mut reader: RayReader<'a, R>, portion: usize) -> Result<Self, NpyError> {
        assert!(portion > 0, "a portion holds rays");
        let first = reader.next(portion)?;
        Ok(Self { reader, portion, first })
    }

    /// Returns the layout of the rays in the input.
    pub fn layout(&self) -> &RayLayout {
        self.reader.layout()
    }

    /// Returns the first portion of the rays: all of them if there are no more.
    pub fn first(&self) -> &[Ray] {
        &self.first
    }

    /// Returns `true` if the first portion holds all rays of the input.
    pub fn is_whole(&self) -> bool {
        self.first.len() as u64 == self.layout().count()
    }

    /// Returns the byte offset in the input of the `t_min` of ray `index`, for messages; of the ray itself if the input
    /// has no `t_min`.
    pub fn byte_of_t_min(&self, index: usize) -> u64 {
        self.reader.byte_of_t_min(index)
    }

    /// Returns a note for the user if tracing relative to `origin` matters. To be asked before
    /// [`RayStream::relative_to`].
    pub fn origin_note(&self, origin: [f64; 3]) -> Option<OriginNote> {
        let far = origin.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if far == 0.0 {
            return None;
        }
        let largest = |numbers: &mut dyn Iterator<Item = f64>| {
            numbers.filter(|x| x.is_finite()).fold(0f64, |most, x| most.max(x.abs())) as f32
        };
        // Less is as good as an origin makes a scene.
        let rounding = |number: f32| (f64::from(number) > far / 8.0).then(|| RayRounding::of(number));
        if let Some(begins) = self.reader.begins() {
            let largest = largest(&mut begins.iter().flat_map(|begin| (0..3).map(|axis| begin[axis] - origin[axis])));
            return Some(OriginNote::Subtracted { origin, coarse: rounding(largest) });
        }
        let largest = largest(&mut self.first.iter().flat_map(|ray| ray.origin).map(f64::from));
        // Rays that begin near zero are exact enough, wherever they go.
        Some(OriginNote::TooCoarse { origin, rounding: rounding(largest)? })
    }

    /// Makes the rays relative to their scene's origin, subtracted in float64 before rounding. May be called once, and
    /// before [`RayStream::trace`].
    pub fn relative_to(&mut self, origin: [f64; 3]) {
        self.reader.relative_to(origin, &mut self.first);
    }

    /// Traces all rays through `scene` by `tracer` in portions, and writes the whole hit file to `out`. May be called
    /// once: nothing is left then.
    ///
    /// # Errors
    /// [`StreamError`].
    pub fn trace(
        &mut self,
        tracer: &TraceScene,
        scene: &Description,
        options: &StreamOptions<'_>,
        control: &Control<'_>,
        out: &mut dyn Write,
    ) -> Result<StreamTotals, StreamError> {
        let StreamOptions { query, format, fields } = *options;
        let mut once: Vec<Field> = Vec::new();
        for &field in fields {
            if !once.contains(&field) {
                once.push(field);
            }
        }
        let count = usize::try_from(self.layout().count()).unwrap_or(usize::MAX);
        let is_wide = scene.origin != [0.0; 3];
        let mut bytes = format.start(query, count, &once, is_wide);
        let mut totals = StreamTotals::default();
        // Memory is asked for once: the system takes as long to give a portion's as a GPU takes to trace it.
        let (mut rays, mut traced) = (std::mem::take(&mut self.first), Traced::default());
        while !rays.is_empty() {
            let done = totals.stats.rays as usize;
            tracer.trace_into(&rays, query, control, &mut traced).map_err(|error| match error {
                TraceSceneError::NegativeTMin { ray, t_min, kernel } => {
                    TraceSceneError::NegativeTMin { ray: done + ray, t_min, kernel }
                }
                other => other,
            })?;
            let columns = surface_columns(scene, &traced.answers, &once);
            traced.answers.name_parts(&scene.parts);
            traced.answers.append(&mut bytes, format, &columns);
            totals.stats += traced.stats;
            totals.hits += traced.answers.hit_count() as u64;
            totals.elapsed += traced.elapsed;
            drop(columns);
            out.write_all(&bytes).map_err(StreamError::Write)?;
            bytes.clear();
            self.reader.next_into(self.portion, &mut rays)?;
        }
        out.write_all(&bytes).map_err(StreamError::Write)?;
        out.flush().map_err(StreamError::Write)?;
        Ok(totals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Plan;
    use crate::trace::npy::{write_rays, write_rays_of_scene};
    use raywarp_geom::Affine;
    use raywarp_scene::{FaceMaterials, Instance, Material, Mesh};
    use std::cell::Cell;

    /// Returns a test scene: one triangle in the plane z = 1.
    fn scene() -> Description {
        let mut scene = Description::default();
        let materials = FaceMaterials::Uniform(scene.add_material(Material::diffuse("grey", [0.5; 3])));
        let triangles = raywarp_geom::TriangleMesh {
            positions: vec![[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]],
            indices: vec![[0, 1, 2]],
            ..Default::default()
        };
        let mesh = scene.add_mesh(Mesh { name: String::new(), triangles, materials });
        scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: None });
        scene
    }

    fn some_rays(count: usize) -> Vec<Ray> {
        let x = |i: usize| (i * 37 % 101) as f32 / 80.0;
        let ray = |i| Ray::new([x(i), x(i + 7), 0.0], [0.0, 0.0, if i % 11 == 3 { f32::NAN } else { 1.0 }]);
        (0..count).map(ray).collect()
    }

    fn options(query: Query, format: HitFormat, fields: &[Field]) -> StreamOptions<'_> {
        StreamOptions { query, format, fields }
    }

    #[test]
    fn portions_of_any_size_make_the_file_of_all_rays_at_once() {
        let (scene, rays) = (scene(), some_rays(1000));
        let tracer = TraceScene::new(&scene, &Plan::default()).unwrap();
        let file = write_rays(&rays);
        let both = [Field::Normal, Field::Position, Field::Normal];
        for (query, format, fields) in [
            (Query::Closest, HitFormat::Npy, &[][..]),
            (Query::Closest, HitFormat::Npy, &both[..]),
            (Query::Closest, HitFormat::Csv, &both[..]),
            (Query::Any, HitFormat::Npy, &[][..]),
            (Query::Any, HitFormat::Csv, &[][..]),
        ] {
            let traced = tracer.trace(&rays, query, &Control::default()).unwrap();
            let whole = traced.answers.file(format, &surface_columns(&scene, &traced.answers, fields));
            for portion in [1, 7, 333, 500, 999, 1000, 1001] {
                let mut stream = RayStream::new("-", &file[..], portion).unwrap();
                assert_eq!((stream.first().len(), stream.is_whole()), (portion.min(1000), portion >= 1000));
                let mut out = Vec::new();
                let options = options(query, format, fields);
                let totals = stream.trace(&tracer, &scene, &options, &Control::default(), &mut out).unwrap();
                assert!(out == whole, "{query:?}, {format:?}, {portion}");
                assert_eq!((totals.stats, totals.hits), (traced.stats, traced.answers.hit_count() as u64));
            }
            let (empty, mut out) = (write_rays(&[]), Vec::new());
            let mut none = RayStream::new("-", &empty[..], 3).unwrap();
            assert!(none.is_whole());
            let totals = none.trace(&tracer, &scene, &options(query, format, fields), &Control::default(), &mut out);
            assert_eq!(totals.unwrap(), StreamTotals::default());
            let nothing = tracer.trace(&[], query, &Control::default()).unwrap().answers;
            assert_eq!(out, nothing.file(format, &surface_columns(&scene, &nothing, fields)));
        }
    }

    #[test]
    fn no_more_is_in_memory_than_a_portion_and_what_its_reading_takes() {
        /// Input that counts, for a test, the bytes read and not yet written.
        struct Watched<'a>(&'a [u8], &'a Cell<usize>);
        impl Read for Watched<'_> {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                let count = self.0.read(out)?;
                self.1.set(self.1.get() + count);
                Ok(count)
            }
        }
        struct Written<'a>(&'a Cell<usize>, usize);
        impl Write for Written<'_> {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.1 = self.1.max(self.0.get());
                // A hit of 20 bytes is the answer to a ray of 32.
                self.0.set(self.0.get().saturating_sub(bytes.len() / 20 * 32));
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let scene = scene();
        let tracer = TraceScene::new(&scene, &Plan::default()).unwrap();
        let (file, inside) = (write_rays(&some_rays(100_000)), Cell::new(0));
        let mut out = Written(&inside, 0);
        let mut stream = RayStream::new("-", Watched(&file, &inside), 1000).unwrap();
        let options = options(Query::Closest, HitFormat::Npy, &[]);
        stream.trace(&tracer, &scene, &options, &Control::default(), &mut out).unwrap();
        assert!(out.1 >= 32_000 && out.1 < 2 * 32_000, "{} bytes of {}", out.1, file.len());
    }

    #[test]
    fn rays_are_said_to_be_moved_or_to_be_too_coarse() {
        let origin = [512_345.0, 5_412_346.0, 100.0];
        // Within the survey, or from zero into it.
        let [survey, zero] = [[0.03f32, -0.97, 100.0], [-512_344.8, -5_412_346.0, 100.0]];
        let note = |file: Vec<u8>, origin| RayStream::new("rays.npy", &file[..], 4).unwrap().origin_note(origin);
        let ray = |at: [f32; 3]| Ray::new(at, [0.0, 0.0, -1.0]);
        let double = |at, origin| note(write_rays_of_scene(&[ray(at)], [512_345.0, 5_412_346.0, 100.0]), origin);
        let single = |at: [f32; 3], origin| {
            let at = std::array::from_fn(|i| (f64::from(at[i]) + [512_345.0, 5_412_346.0, 100.0][i]) as f32);
            note(write_rays(&[ray(at)]), origin)
        };
        assert_eq!(double(survey, origin), Some(OriginNote::Subtracted { origin, coarse: None }));
        let rounding = RayRounding { at: 5_412_345.0, error: 0.25 };
        assert_eq!(single(survey, origin), Some(OriginNote::TooCoarse { origin, rounding }));
        // What is left of a ray's origin is as large as what was subtracted.
        let coarse = Some(RayRounding { at: 5_412_346.0, error: 0.25 });
        assert_eq!(double(zero, origin), Some(OriginNote::Subtracted { origin, coarse }));
        assert_eq!(single(zero, origin), None);
        for at in [survey, zero] {
            assert_eq!((double(at, [0.0; 3]), single(at, [0.0; 3])), (None, None));
        }
    }
}
