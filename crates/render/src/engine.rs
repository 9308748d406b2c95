//! The door for who renders paths as a whole: a device with all stages of its own, from camera rays to the sums of the film.

use crate::film::Film;
use crate::filter::PixelFilter;
use crate::lens::Lens;
use crate::options::RenderOptions;
use crate::vertex::MediaStack;
use crate::{FilterTable, LensRecord};
use raywarp_geom::TraceError;
use std::ops::Range;

/// What a path depends on beside the scene: the same for all paths of a render.
#[derive(Debug, Clone)]
pub struct Frame<'a> {
    /// The options, of which threads and stopping rules do not matter here.
    pub options: &'a RenderOptions,
    pub(crate) lens: &'a Lens,
    pub(crate) filter: &'a PixelFilter,
    /// What the camera is in.
    pub(crate) media: MediaStack,
}

impl Frame<'_> {
    /// The camera.
    pub fn lens(&self) -> LensRecord {
        self.lens.record()
    }

    /// The pixel filter.
    pub fn filter(&self) -> FilterTable {
        self.filter.numbers()
    }

    /// What the camera is in, as the words that paths carry.
    pub fn media(&self) -> [u32; 2] {
        self.media.words()
    }
}

/// Who is told of progress, and says whether to go on; from any thread, for an engine may use several.
pub trait PassWatch: Sync {
    /// Whether samples that were not begun still should be.
    fn goes_on(&self) -> bool;

    /// So many paths have ended, and so many rays were traced, since it was last told.
    fn report(&self, paths: u64, rays: u64);
}

/// A device that renders paths as a whole. Pictures have the bits of [`crate::render`]'s, given the same hits.
pub trait PathEngine {
    /// Begins a picture, on a film that may hold earlier samples.
    ///
    /// # Errors
    /// [`TraceError`].
    fn begin(&mut self, frame: &Frame<'_>, film: &Film) -> Result<(), TraceError>;

    /// Adds `samples` of every pixel, each pixel's in their order; of some or all pixels none of them, where `watch` says so.
    ///
    /// # Errors
    /// [`TraceError`].
    fn pass(&mut self, samples: Range<u32>, watch: &dyn PassWatch) -> Result<(), TraceError>;

    /// Makes the film what was added up.
    ///
    /// # Errors
    /// [`TraceError`]; some pixels of the film may then be those of now, and others those of before.
    fn fetch(&mut self, film: &mut Film) -> Result<(), TraceError>;
}
