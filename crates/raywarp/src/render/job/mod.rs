//! Render jobs: a scene file in, a picture file out, stage by stage.
//!
//! ```text
//! RenderJob      what is asked for: a scene, a picture, a device
//!   load     ->  LoadedJob      the scene as it was read
//!   prepare  ->  PreparedJob    its tree, and the plan that says what renders it
//!   settle   ->  SettledJob     camera, size, samples and light; then a film to go on with, and GPUs
//!   render   ->  RenderedJob    the film, which is written to files
//! ```
//!
//! [`RenderJob::run`] goes through all stages. A program that wants a word in between calls them one by one: each
//! stage has what the next one needs as public fields.

mod error;
mod loaded;
mod prepared;
mod rendered;
mod settled;
mod source;
mod times;
mod writer;

pub use error::JobError;
pub use loaded::LoadedJob;
pub use prepared::PreparedJob;
pub use rendered::RenderedJob;
pub use settled::SettledJob;
pub use times::StageTimes;
pub use writer::{FileContents, PictureWriter};

use crate::device::DeviceChoice;
use crate::query::Levels;
#[cfg(doc)]
use crate::render::Prepared;
use crate::render::{PictureRequest, Watch};
use crate::scene::{LoadOptions, MadeOf};
use raywarp_render::output::{Share, read_share};
use raywarp_scene::Description;
use source::JobSource;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(feature = "cuda")]
use {
    crate::device::RayKernels,
    crate::render::Shown,
    raywarp_cuda::Device,
    raywarp_render_cuda::{EngineOptions, Organisation},
};

/// Builder of a render: which scene, with which picture settings, on which device.
///
/// What is not asked for is left to the scene's file, and then to defaults: [`PictureRequest`].
///
/// # Examples
/// ```
/// use raywarp::device::DeviceChoice;
/// use raywarp::render::RenderJob;
///
/// # let folder = std::env::temp_dir().join(format!("raywarp-job-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let scene = folder.join("scene.ply");
/// # std::fs::write(&scene, "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
/// #     property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
/// #     0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")?;
/// # let picture = folder.join("out.png");
/// let rendered = RenderJob::file(&scene).size([32, 24]).samples(4).device(DeviceChoice::Auto).run()?;
/// rendered.write(&picture)?;
/// println!("{} rays on {:?}", rendered.rendered.rays, rendered.prepared.plan().device);
/// for note in &rendered.picture.notes {
///     println!("{note}"); // what was assumed: here a camera and a light
/// }
/// # assert!(picture.exists() && rendered.rendered.samples == [4, 4]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RenderJob {
    source: JobSource,
    load: LoadOptions,
    made_of: Option<MadeOf>,
    /// Settings of the picture.
    pub request: PictureRequest,
    device: DeviceChoice,
    levels: Levels,
    /// Earlier samples to continue.
    earlier: Option<Share>,
    /// Options of the GPU path tracer; `None` if GPUs are only to trace rays.
    #[cfg(feature = "cuda")]
    engine: Option<EngineOptions>,
    #[cfg(feature = "cuda")]
    opened: Option<OpenedDevices>,
}

/// Opened GPUs that were named, with their ray-tracing kernels if they are not to trace whole paths.
#[cfg(feature = "cuda")]
struct OpenedDevices {
    devices: Vec<Device>,
    kernels: Option<RayKernels>,
}

/// Error of any kind of the caller's function.
#[cfg(feature = "cuda")]
type AnyError = Box<dyn std::error::Error + Send + Sync>;

impl RenderJob {
    /// Makes a render job of the scene in the file `path`, whose extension tells its format unless
    /// [`load_options`](Self::load_options) do.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::of(JobSource::File(path.into()))
    }

    /// Makes a render job of a scene read from `input`, such as standard input. Messages name it `name`, and files that
    /// the scene names are looked up in the folder of `name`.
    pub fn input(input: impl Read + Send + 'static, name: impl Into<PathBuf>) -> Self {
        Self::of(JobSource::Input(Box::new(input), name.into()))
    }

    /// Makes a render job of a scene in memory, which messages call `name`.
    pub fn scene(scene: Description, name: impl Into<String>) -> Self {
        Self::of(JobSource::Scene(Box::new(scene), name.into()))
    }

    fn of(source: JobSource) -> Self {
        Self {
            source,
            load: LoadOptions::default(),
            made_of: None,
            request: PictureRequest::default(),
            device: DeviceChoice::default(),
            levels: Levels::default(),
            earlier: None,
            #[cfg(feature = "cuda")]
            engine: Some(EngineOptions::default()),
            #[cfg(feature = "cuda")]
            opened: None,
        }
    }

    /// Sets the options of reading the scene's file.
    #[must_use]
    pub fn load_options(mut self, options: LoadOptions) -> Self {
        self.load = options;
        self
    }

    /// Sets a material for all surfaces in place of the scene's materials; `None` keeps those.
    #[must_use]
    pub fn made_of(mut self, made_of: impl Into<Option<MadeOf>>) -> Self {
        self.made_of = made_of.into();
        self
    }

    /// Sets all settings of the picture at once.
    #[must_use]
    pub fn request(mut self, request: PictureRequest) -> Self {
        self.request = request;
        self
    }

    /// Sets the number of samples per pixel, or the largest number if there is a time or noise limit.
    #[must_use]
    pub fn samples(mut self, samples: u32) -> Self {
        self.request.spp = Some(samples);
        self
    }

    /// Sets the columns and rows of the picture.
    #[must_use]
    pub fn size(mut self, size: [u32; 2]) -> Self {
        self.request.size = Some(size);
        self
    }

    /// Sets the time limit of the render.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.request.time_limit = Some(limit);
        self
    }

    /// Sets the device that renders; by default a GPU if there is one worth its start, else the CPU.
    #[must_use]
    pub fn device(mut self, choice: DeviceChoice) -> Self {
        self.device = choice;
        self
    }

    /// Sets the number of levels of the scene's trees, which no picture shows: [`Prepared::with_levels`] has the rule
    /// by which they are chosen by default. With [`Levels::Two`] the CPU renders, unless GPUs are named, which is an
    /// error.
    #[must_use]
    pub fn levels(mut self, levels: Levels) -> Self {
        self.levels = levels;
        self
    }

    /// Sets the options by which GPUs trace whole paths; with `None` GPUs only trace rays, and the CPU shades. Pictures
    /// of first hits have kernels of their own, which take the texture filter from here.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub fn engine(mut self, engine: Option<EngineOptions>) -> Self {
        self.engine = engine;
        self
    }

    /// Sets a film to continue: the samples from 0 on that an earlier render of the same picture left in `share`
    /// ([`read_share`]). The number of samples counts as if the render had never stopped.
    ///
    /// # Errors
    /// [`JobError::EarlierSamples`] if the share has not the same samples of each pixel, from 0 on.
    pub fn go_on_with(mut self, share: Share) -> Result<Self, JobError> {
        let [fewest, most] = share.film.sample_range();
        let samples = share.info.samples.clone();
        if samples.start != 0 || fewest != samples.end || most != samples.end {
            return Err(JobError::EarlierSamples { path: share.path, samples });
        }
        self.earlier = Some(share);
        Ok(self)
    }

    /// Sets a picture file with sums, or a share, to continue as [`go_on_with`](Self::go_on_with) does.
    ///
    /// # Errors
    /// [`JobError::Share`] if the file holds no sums, else as [`go_on_with`](Self::go_on_with).
    pub fn resume(self, path: &Path) -> Result<Self, JobError> {
        self.go_on_with(read_share(path)?)
    }

    /// Runs all stages of the job: loads, prepares, settles, places and renders.
    ///
    /// # Errors
    /// [`JobError`], which names the scene and the stage.
    pub fn run(self) -> Result<RenderedJob, JobError> {
        self.run_watched(Watch::default())
    }

    /// Runs all stages of the job as [`run`](Self::run) does, with `watch` to follow or stop the render.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_watched(self, watch: Watch<'_>) -> Result<RenderedJob, JobError> {
        self.load()?.prepare()?.settle()?.render(watch, None)
    }

    /// Opens the GPUs that the device choice names, unless they are open; done before the scene is loaded, which may
    /// take long. A GPU that only traces rays does so by the kernel that is the default.
    ///
    /// # Errors
    /// [`JobError::Device`] if one is not there or fails; [`JobError::SeveralGpus`] if several are named and do not
    /// take whole paths.
    pub fn open(&mut self) -> Result<(), JobError> {
        #[cfg(feature = "cuda")]
        return self.open_with(|_| Ok(RayKernels::default()));
        #[cfg(not(feature = "cuda"))]
        match self.device.names_gpus() {
            true => Err(JobError::BuiltWithoutCuda { choice: self.device.clone() }),
            false => Ok(()),
        }
    }

    /// Opens the named GPUs as [`open`](Self::open) does; if they only trace rays, `choose` selects the kernels for the
    /// first of them.
    ///
    /// # Errors
    /// As [`open`](Self::open); [`JobError::Kernels`].
    #[cfg(feature = "cuda")]
    pub fn open_with(&mut self, choose: impl FnOnce(&Device) -> Result<RayKernels, AnyError>) -> Result<(), JobError> {
        if self.opened.is_some() {
            return Ok(());
        }
        let failed = |error| JobError::Device { choice: self.device.clone(), error };
        let devices = self.device.open().map_err(failed)?;
        let of_rays = self.whole_paths().is_none();
        if of_rays && devices.len() > 1 {
            return Err(JobError::SeveralGpus { choice: self.device.clone() });
        }
        let first = devices.first().filter(|_| of_rays);
        let kernels = first.map(choose).transpose().map_err(JobError::Kernels)?;
        self.opened = Some(OpenedDevices { devices, kernels });
        Ok(())
    }

    /// Returns the options of the GPU path tracer if GPUs may trace whole paths of this picture: not if it shows the
    /// CPU's work, nor if layers beside normals or distances need an albedo.
    #[cfg(feature = "cuda")]
    pub fn whole_paths(&self) -> Option<EngineOptions> {
        let of_paths = self.engine.clone()?;
        let first_hits =
            EngineOptions { texture_filter: of_paths.texture_filter, ..EngineOptions::of(Organisation::FirstHits) };
        match self.request.shown {
            Shown::Path => Some(of_paths),
            Shown::AmbientOcclusion(_) => Some(first_hits),
            Shown::Normal | Shown::Depth => Some(first_hits).filter(|_| !self.request.features),
            Shown::Cost => None,
        }
    }

    /// Opens the named GPUs unless they are open, and loads the scene.
    ///
    /// # Errors
    /// As [`open`](Self::open); [`JobError::Load`].
    pub fn load(mut self) -> Result<LoadedJob, JobError> {
        self.open()?;
        LoadedJob::new(self)
    }
}
