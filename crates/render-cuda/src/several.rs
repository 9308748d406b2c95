//! One picture by several devices: each renders its share of the film's tiles, side by side with the others.

use crate::counts::PathCounts;
use crate::engine::CudaRenderer;
use crate::share::TileShare;
use raywarp_cuda::side_by_side;
use raywarp_geom::TraceError;
use raywarp_render::film::{Film, Tile};
use raywarp_render::{FrameSettings, PassWatch, PathEngine};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Renderers of one scene on one or more devices, each of which renders a share of the picture. The picture has the
/// same bits whatever their number: the paths, and the order in which a pixel's are added up, do not depend on the
/// device that renders the pixel.
#[derive(Debug)]
pub struct CudaRenderers(Vec<CudaRenderer>);

impl CudaRenderers {
    /// Joins renderers of the same scene, one per device.
    ///
    /// # Panics
    /// If there is none.
    pub fn new(renderers: Vec<CudaRenderer>) -> Self {
        assert!(!renderers.is_empty(), "somebody has to render");
        Self(renderers)
    }

    /// Returns the renderers, in the order of their shares.
    pub fn renderers(&self) -> &[CudaRenderer] {
        &self.0
    }

    /// Returns the summed work counts of all devices for the current or last picture.
    pub fn counts(&self) -> PathCounts {
        self.0.iter().fold(PathCounts::default(), |mut all, renderer| {
            all += &renderer.counts();
            all
        })
    }

    /// Runs `work` for all renderers side by side, each with one of `parts`; returns the error of the first that fails,
    /// with its device named if there are several.
    fn each<P: Send>(
        &mut self,
        parts: impl IntoIterator<Item = P>,
        work: impl Fn(&mut CudaRenderer, P) -> Result<(), TraceError> + Sync,
    ) -> Result<(), TraceError> {
        let several = self.0.len() > 1;
        let items = self.0.iter_mut().zip(parts);
        let done = side_by_side(items, |(renderer, part)| {
            let place = renderer.device().ordinal();
            work(renderer, part).map_err(|error| match error {
                TraceError::Device(message) if several => TraceError::Device(format!("cuda:{place}: {message}")),
                other => other,
            })
        });
        done.into_iter().collect()
    }
}

/// Watch of a shared picture that tells the other devices to stop once one has failed, since the picture is lost.
struct Joint<'a> {
    watch: &'a dyn PassWatch,
    failed: AtomicBool,
}

impl PassWatch for Joint<'_> {
    fn goes_on(&self) -> bool {
        !self.failed.load(Ordering::Relaxed) && self.watch.goes_on()
    }

    fn report(&self, paths: u64, rays: u64) {
        self.watch.report(paths, rays);
    }
}

impl PathEngine for CudaRenderers {
    fn begin(&mut self, frame: &FrameSettings<'_>, film: &Film) -> Result<(), TraceError> {
        let of = self.0.len();
        let shares = (0..of).map(|index| TileShare { index, of });
        self.each(shares, |renderer, share| renderer.begin_share(frame, film, share))
    }

    fn pass(&mut self, samples: Range<u32>, watch: &dyn PassWatch) -> Result<(), TraceError> {
        let joint = Joint { watch, failed: AtomicBool::new(false) };
        let all = vec![samples; self.0.len()];
        self.each(all, |renderer, samples| {
            let done = renderer.pass(samples, &joint);
            if done.is_err() {
                joint.failed.store(true, Ordering::Relaxed);
            }
            done
        })
    }

    fn fetch(&mut self, film: &mut Film) -> Result<(), TraceError> {
        let (of, columns) = (self.0.len(), film.columns());
        let mut shares: Vec<Vec<&mut Tile>> = (0..of).map(|_| Vec::new()).collect();
        for (i, tile) in film.tiles_mut().iter_mut().enumerate() {
            shares[TileShare::index_of(of, i, columns)].push(tile);
        }
        self.each(shares, |renderer, mut tiles| renderer.fetch_tiles(&mut tiles))
    }
}
