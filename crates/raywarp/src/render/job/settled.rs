//! The stage of a job whose picture is settled.

use super::{FileContents, JobError, PictureWriter, RenderedJob, StageTimes};
use crate::render::{Picture, Prepared, fingerprint};
use crate::scene::Warning;
use raywarp_render::film::{Film, Window};
use raywarp_render::output::{Share, differences};
use raywarp_render::{PathObserver, RenderContext, RenderError, Rendered, Watch};

#[cfg(feature = "cuda")]
use {
    super::AnyError,
    crate::device::{PlaceError, RayKernels},
    raywarp_cuda::Device,
    raywarp_render::PathEngine,
    raywarp_render_cuda::CudaRenderers,
    std::time::Instant,
};

/// Render job whose camera, size, samples and light are decided.
pub struct SettledJob {
    /// Prepared scene, with the light that was added.
    pub prepared: Prepared,
    /// Picture with all settings, and notes on what was assumed.
    pub picture: Picture,
    /// Name of the scene in messages.
    pub name: String,
    /// Wall time of each stage so far.
    pub times: StageTimes,
    /// Warnings about what in the scene's file could not be represented.
    pub warnings: Vec<Warning>,
    /// Number of samples per pixel taken by an earlier render that the job continues; `None` if there is none.
    pub resumed: Option<u32>,
    earlier: Option<Share>,
    film: Option<Film>,
    #[cfg(feature = "cuda")]
    engine: Option<CudaRenderers>,
    #[cfg(feature = "cuda")]
    is_placed: bool,
}

impl SettledJob {
    pub(super) fn new(
        prepared: Prepared,
        picture: Picture,
        (name, warnings): (String, Vec<Warning>),
        times: StageTimes,
        earlier: Option<Share>,
    ) -> Self {
        let resumed = earlier.as_ref().map(|share| share.info.samples.end);
        Self {
            prepared,
            picture,
            name,
            times,
            warnings,
            resumed,
            earlier,
            film: None,
            #[cfg(feature = "cuda")]
            engine: None,
            #[cfg(feature = "cuda")]
            is_placed: false,
        }
    }

    /// Takes over the earlier film to continue, if there is one, and reduces the picture's samples to the missing ones.
    /// [`place`](Self::place) does so, too.
    ///
    /// # Errors
    /// [`JobError::OtherPicture`].
    pub fn take_film(&mut self) -> Result<(), JobError> {
        let Some(Share { path, info, film }) = self.earlier.take() else { return Ok(()) };
        let own = fingerprint(self.prepared.scene(), &self.picture);
        if info.fingerprint != own {
            let differences = differences(&info.fingerprint, &own);
            return Err(JobError::OtherPicture { path, differences });
        }
        let has = info.samples.end;
        self.picture.options.samples = has..self.picture.options.samples.end.max(has);
        self.film = Some(film);
        Ok(())
    }

    /// Puts the scene on GPUs if they are planned to trace whole paths and this was not done yet; [`Prepared::plan`]
    /// tells the outcome. [`render`](Self::render) does so, too.
    ///
    /// # Errors
    /// As [`take_film`](Self::take_film); [`JobError::Prepare`] if GPUs that were named fail or have no room.
    pub fn place(&mut self) -> Result<(), JobError> {
        #[cfg(feature = "cuda")]
        return self.place_with(|_| Ok(RayKernels::default()));
        #[cfg(not(feature = "cuda"))]
        self.take_film()
    }

    /// Puts the scene on GPUs as [`place`](Self::place) does. Where it does not suit the kernels that take whole paths,
    /// the kernels that `choose` takes for the first GPU trace its rays.
    ///
    /// # Errors
    /// As [`place`](Self::place); [`JobError::Kernels`].
    #[cfg(feature = "cuda")]
    pub fn place_with(&mut self, choose: impl FnOnce(&Device) -> Result<RayKernels, AnyError>) -> Result<(), JobError> {
        self.take_film()?;
        if self.is_placed {
            return Ok(());
        }
        let start = Instant::now();
        let placed = self.prepared.place(&self.picture.options, &self.picture.camera, choose);
        self.engine = placed.map_err(|error| match error {
            PlaceError::Prepare(error) => JobError::Prepare { scene: self.name.clone(), error },
            PlaceError::Kernels(error) => JobError::Kernels(error),
        })?;
        self.is_placed = true;
        self.times.place = start.elapsed();
        Ok(())
    }

    /// Returns the GPU renderers that trace whole paths, once the scene is placed; `None` if the CPU shades.
    #[cfg(feature = "cuda")]
    pub fn engine(&self) -> Option<&CudaRenderers> {
        self.engine.as_ref()
    }

    /// Returns the film with which the render begins: the earlier one to continue, or an empty one.
    ///
    /// # Errors
    /// As [`take_film`](Self::take_film); [`JobError::Render`] if there is no memory for a new one, or the part that
    /// alone is rendered lies outside of the picture.
    pub fn film(&mut self) -> Result<&Film, JobError> {
        self.take_film()?;
        let film = match self.film.take() {
            Some(film) => film,
            None => self.empty_film().map_err(|error| JobError::Render { scene: self.name.clone(), error })?,
        };
        Ok(self.film.insert(film))
    }

    fn empty_film(&self) -> Result<Film, RenderError> {
        let options = &self.picture.options;
        Ok(Film::of(Window::new(options.size, options.crop)?, options.features)?)
    }

    /// Returns a writer of the picture's files, which can also write unfinished films during the render.
    pub fn writer(&self, contents: FileContents) -> PictureWriter {
        PictureWriter::new(self.prepared.scene(), &self.picture, self.resumed, contents)
    }

    /// Renders the picture, with `watch` to follow or stop the render. An `observer` is told of the paths that the CPU
    /// follows: GPUs that take whole paths have none, so [`RenderJob::engine`](super::RenderJob::engine) is to be
    /// `None` for it.
    ///
    /// # Errors
    /// As [`place`](Self::place); [`JobError::Render`], also where GPUs that take whole paths would have an observer.
    pub fn render(mut self, watch: Watch<'_>, observer: Option<&dyn PathObserver>) -> Result<RenderedJob, JobError> {
        self.place()?;
        let rendered = match self.film.take() {
            Some(film) if self.picture.options.samples.is_empty() => Rendered::already(film),
            film => self.rendered(watch, observer, film)?,
        };
        self.times.render = rendered.elapsed;
        Ok(RenderedJob {
            prepared: self.prepared,
            picture: self.picture,
            name: self.name,
            times: self.times,
            warnings: self.warnings,
            rendered,
            resumed: self.resumed,
            #[cfg(feature = "cuda")]
            engine: self.engine,
        })
    }

    fn rendered(
        &mut self,
        watch: Watch<'_>,
        observer: Option<&dyn PathObserver>,
        film: Option<Film>,
    ) -> Result<Rendered, JobError> {
        #[cfg(feature = "cuda")]
        let engine = self.engine.as_mut().map(|engine| engine as &mut dyn PathEngine);
        #[cfg(not(feature = "cuda"))]
        let engine = None;
        let context = RenderContext { watch, film, observer, engine };
        let rendered = self.prepared.render(&self.picture.camera, &self.picture.options, context);
        rendered.map_err(|error| JobError::Render { scene: self.name.clone(), error })
    }
}
