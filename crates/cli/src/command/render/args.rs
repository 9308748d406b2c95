//! Arguments of `raywarp render`, and what they ask of the library.

use crate::command::render::organisation::OrganisationArgs;
use crate::common::{Common, Replacing, Scenes, Threads, command_line};
use crate::device::{self, DeviceChoice};
use crate::exit::CliError;
use crate::heading;
use crate::options::camera::CameraArgs;
use crate::options::levels::LevelsArgs;
use crate::options::light::LightArgs;
use crate::options::made_of::MadeOfArg;
use crate::options::values;
use crate::whole_number::{whole, whole_from};
use clap::{Args, ValueEnum, ValueHint};
use raywarp::render::film::Crop;
use raywarp::render::gpu::{EngineOptions, TextureFilter};
use raywarp::render::output::ExposureChoice;
use raywarp::render::{DirectLight, FileContents, PictureRequest, Scattering, Shown, output};
use raywarp::scene::{FilterKind, SamplerKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Renders a picture of a scene file, or of the built-in scene.
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// Scene file (.gltf .glb .obj .ply .pbrt .stl .off .3mf, also .gz or .zst), a name in --scenes, or - for
    /// standard input [default: the built-in scene].
    #[arg(value_name = "SCENE")]
    positional: Option<PathBuf>,
    /// The same as SCENE.
    #[arg(long = "scene", value_name = "SCENE", conflicts_with = "positional", help_heading = heading::SCENE)]
    named: Option<PathBuf>,
    /// Picture to write: .png, .exr or .hdr; may be repeated [default: the scene's name].
    ///
    /// By default the name that a pbrt scene's film asks for, else the scene's with .png (with --samples .exr), else
    /// render.png; in the current folder.
    #[arg(short, long = "output", value_name = "FILE", help_heading = heading::OUTPUT)]
    output: Vec<PathBuf>,
    /// Columns and rows [default: the file's, else 1024x768].
    ///
    /// A glTF camera says only the picture's shape: its longer side has 1024 pixels then.
    #[arg(long, value_name = "WxH", value_parser = values::size, help_heading = heading::QUALITY)]
    size: Option<[u32; 2]>,
    /// Render only this part, in pixels from the top left: 100,50,320x200.
    ///
    /// Its pixels are those of the whole picture.
    #[arg(long, value_name = "X,Y,WxH", value_parser = values::crop, help_heading = heading::QUALITY)]
    crop: Option<Crop>,
    /// Leave the background out: PNG and EXR get an alpha.
    ///
    /// It is the share of each pixel's samples that hit something (glass counts). The environment lights all the same.
    #[arg(long, help_heading = heading::OUTPUT)]
    transparent: bool,
    /// Samples a pixel [default: the file's, else 64].
    ///
    /// With --time or --noise the most; without it they end a render alone.
    #[arg(long, value_name = "N", value_parser = whole_from::<u32>(1), help_heading = heading::QUALITY)]
    spp: Option<u32>,
    /// Only samples A to B - 1 of each pixel, to an .exr: a share for merge.
    #[arg(long, value_name = "A..B", value_parser = values::range, conflicts_with = "spp", help_heading = heading::QUALITY)]
    samples: Option<(u32, u32)>,
    /// Stop after this time of rendering, such as 10s or 5min [default: never].
    ///
    /// A number alone is of seconds.
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, help_heading = heading::QUALITY)]
    time: Option<f64>,
    /// Stop at this relative noise, such as 0.02 or 2% [default: never].
    ///
    /// It is tested at powers of two of the sample count. The count is recorded, so that --spp repeats the run exactly.
    #[arg(long, value_name = "RELATIVE", value_parser = values::relative, help_heading = heading::QUALITY)]
    noise: Option<f64>,
    /// Write the picture as it stands about every so many seconds [default: never].
    ///
    /// Seconds are of rendering. The final picture does not depend on it.
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, help_heading = heading::OUTPUT)]
    pub write_every: Option<f64>,
    /// Go on where a picture with its sums ended, up to --spp [default: start anew].
    ///
    /// Such a picture is made with --layers sums, or with --samples 0..N. Scene and options must be those that it was
    /// made with; --spp, --noise and --time count as if the render had never stopped, but for the seconds.
    #[arg(long, value_name = "FILE.exr", conflicts_with = "samples", help_heading = heading::QUALITY)]
    pub resume: Option<PathBuf>,
    /// Bounces: 0 is emission only, 1 direct light [default: the file's, else 8].
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..=10_000), help_heading = heading::QUALITY)]
    max_depth: Option<u32>,
    /// Connect the last vertex of a path to a light, too.
    ///
    /// The picture is then of light over one more segment, but for what a mirror or smooth glass at the end would show;
    /// Wald's path tracer does so (8 bounces, nine shadow rays).
    #[arg(long, help_heading = heading::STUDIES)]
    connect_last: bool,
    /// Throughput below which Russian roulette may end a path [default: 0.05].
    ///
    /// From 0 to 1. The more the shorter paths are, and the noisier what they bring; 0 ends none. The picture is the
    /// same in the mean.
    #[arg(long, value_name = "SHARE", value_parser = values::share, help_heading = heading::STUDIES)]
    roulette_below: Option<f32>,
    /// Seed of the sampler.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = heading::STUDIES)]
    seed: u32,
    /// Source of random numbers [default: the file's, else sobol].
    #[arg(long, value_enum, help_heading = heading::STUDIES)]
    sampler: Option<SamplerArg>,
    /// Quantity that pixels show.
    #[arg(long, value_enum, default_value_t = IntegratorArg::Path, help_heading = heading::QUALITY)]
    integrator: IntegratorArg,
    /// Length of rays of --integrator ao [default: 1/4 of the scene's diagonal].
    #[arg(long, value_name = "LENGTH", value_parser = values::positive_f32, help_heading = heading::QUALITY)]
    ao_distance: Option<f32>,
    /// Estimator of direct light; all agree in the mean.
    #[arg(long, value_enum, default_value_t = DirectArg::Mis, help_heading = heading::STUDIES)]
    direct: DirectArg,
    /// Rough surfaces lose the light of further bounces between their facets.
    ///
    /// That is what pbrt and Mitsuba do: for comparisons with them. Rough metal is then darker.
    #[arg(long, help_heading = heading::STUDIES)]
    single_scatter: bool,
    /// Pixel filter: box, triangle, gaussian or mitchell [default: the file's, else box].
    ///
    /// A radius in pixels may stand behind a colon: triangle:1, gaussian:1.5.
    #[arg(long, value_name = "FILTER[:RADIUS]", value_parser = values::filter(), hide_possible_values = true, help_heading = heading::QUALITY)]
    filter: Option<FilterKind>,
    /// Exposure of the PNG: stops, a factor (x3), or auto.
    ///
    /// Auto makes the middle brightness of the picture mid-grey, and says in how many stops.
    #[arg(long, value_name = "STOPS", default_value = "0", allow_negative_numbers = true, value_parser = values::exposure(), hide_possible_values = true, help_heading = heading::OUTPUT)]
    exposure: ExposureChoice,
    /// Tone curve of the PNG: srgb, reinhard, aces, agx, neutral.
    #[arg(long, value_name = "CURVE", default_value = "srgb", value_parser = values::tone(), hide_possible_values = true, help_heading = heading::OUTPUT)]
    tone: output::Tone,
    /// Layers of an EXR beside the picture, comma-separated, or all [default: none].
    ///
    /// There are albedo, normal, depth, samples and variance. One more, sums, is not among all: with it --resume and
    /// merge can go on with the picture.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = values::layer_names(), hide_possible_values = true, help_heading = heading::OUTPUT)]
    layers: Vec<String>,
    /// Write the rays of the paths to a folder, a file for each bounce, for bench --rays.
    ///
    /// bounce-00.npy holds the camera's rays, bounce-01.npy those from what these hit, and so on; shadow-00.npy those
    /// from what bounce-00.npy hits to lights (any-hit, all others closest-hit). They are arrays as trace reads them,
    /// in the order of their paths: sample by sample, and of each sample tile by tile of the picture. Rays that go on
    /// behind a hole (an alpha) are there once, as they start; rays that only ask which medium is where are not there.
    /// A GPU renders as with --organisation rays. An interrupted render writes none.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = heading::STUDIES)]
    pub export_rays: Option<PathBuf>,
    /// Samples of each pixel whose rays are written, from the first on [default: 1].
    ///
    /// A ray takes 32 bytes: a sample of 1024x768 pixels has 25 MB of camera rays, and with 8 bounces at most 430 MB of
    /// all (with --connect-last 455). They are kept in memory until the picture is done. Files of a scene with an
    /// origin (raywarp info shows it) are float64 in the scene file's coordinates: 64 bytes a ray.
    #[arg(long, value_name = "N", value_parser = whole_from::<u32>(1), requires = "export_rays", help_heading = heading::STUDIES)]
    pub export_samples: Option<u32>,
    /// Replace all materials by a diffuse one of this reflectance, 0 to 1.
    #[arg(long, value_name = "R", value_parser = values::share, help_heading = heading::LIGHT)]
    pub clay: Option<f32>,
    /// Replace all materials by mirror, glass, speckles or holes.
    ///
    /// mirror reflects 0.9; glass is smooth, of index 1.5; speckles are diffuse and have 0.06 to 0.94 from triangle to
    /// triangle; holes are clay of 0.7 that lets half of all rays through, as foliage does.
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "clay", hide_possible_values = true, help_heading = heading::STUDIES)]
    pub made_of: Option<MadeOfArg>,
    #[command(flatten)]
    pub light: LightArgs,
    /// Go on without files that the scene names and that are missing.
    #[arg(long, help_heading = heading::SCENE)]
    pub allow_missing: bool,
    #[command(flatten)]
    pub levels: LevelsArgs,
    /// Write into the file how long the render took.
    ///
    /// Two runs then differ in bytes.
    #[arg(long, help_heading = heading::STUDIES)]
    pub record_time: bool,
    #[command(flatten)]
    camera: CameraArgs,
    /// Radius of the lens in scene units: depth of field [default: the camera's].
    #[arg(long, value_name = "RADIUS", value_parser = values::not_negative, help_heading = heading::CAMERA)]
    lens_radius: Option<f32>,
    /// Distance of the plane in focus [default: the camera's, else the middle].
    #[arg(long, value_name = "DISTANCE", value_parser = values::positive_f32, help_heading = heading::CAMERA)]
    focus: Option<f32>,
    #[command(flatten)]
    pub scenes: Scenes,
    /// Device that renders: cpu, cuda (the first GPU), cuda:N, cuda:0,1, cuda:all, auto.
    ///
    /// GPUs take paths from the camera to the film; several share out the tiles. The picture has the same bytes with
    /// each. auto takes GPUs where they can render what is asked for, and there are more than 100,000 samples for each
    /// thread of the CPU, of ao 12 and of normal and depth 24 times as many; one for each thousand times that of one
    /// thread. -v says what renders, and why.
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device::parser_of_several(), hide_possible_values = true, help_heading = heading::MACHINE)]
    device: DeviceChoice,
    #[command(flatten)]
    pub organisation: OrganisationArgs,
    /// Filter of textures on GPUs: exact (as the CPU does), hardware.
    ///
    /// With exact the picture has the CPU's bytes. hardware leaves images of materials to the texture units, whose
    /// weights between texels have 8 bits, so that the picture is about the same (docs/internals/path-tracer.md says
    /// how near, and what it is worth). It is for GPUs that --device names and that take whole paths.
    #[arg(long, value_enum, value_name = "NAME", default_value = "exact", hide_possible_values = true, help_heading = heading::STUDIES)]
    texture_filter: FilterOn,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub replacing: Replacing,
}

/// Samplers that `--sampler` names.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum SamplerArg {
    /// Owen-scrambled Sobol points.
    Sobol,
    /// Halton points with padded replication (Keller 2003).
    PaddedHalton,
    /// Independent xorshift32 numbers.
    Xor32,
}

/// Integrators that `--integrator` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IntegratorArg {
    /// Radiance by path tracing.
    Path,
    /// Ambient occlusion of surfaces.
    Ao,
    /// Shading normals as colours.
    Normal,
    /// Distances from the camera.
    Depth,
    /// Node visits and triangle tests as a heat map.
    Cost,
}

/// Estimates that `--direct` names.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum DirectArg {
    /// Both techniques by multiple importance sampling.
    Mis,
    /// Connections to lights only.
    Light,
    /// Directions of scattering only.
    Bsdf,
}

/// The most pixels of a picture; 2^31 of them would need 86 GB of sums.
const MAX_PIXELS: u64 = 1 << 31;

impl RenderArgs {
    /// Returns the device that is to render: a GPU if an organisation of its kernels is named and no device is.
    pub fn device(&self) -> &DeviceChoice {
        static GPU: DeviceChoice = DeviceChoice::FirstCuda;
        if self.organisation_alone().is_some() { &GPU } else { &self.device }
    }

    /// Returns `--organisation` as it was given if it alone says that a GPU is to render.
    pub fn organisation_alone(&self) -> Option<String> {
        self.organisation.named().filter(|_| self.device == DeviceChoice::Auto)
    }

    /// Returns the scene file, if one is named.
    pub fn scene(&self) -> Option<&Path> {
        self.positional.as_deref().or(self.named.as_deref())
    }

    /// Lists the files to read besides the scene.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let light = self.light.file().map(Path::to_path_buf);
        light.into_iter().chain(self.resume.clone()).chain(self.camera.file()).collect()
    }

    /// Returns the output files that are named; none if the scene is to decide.
    pub fn outputs(&self) -> Result<Vec<PathBuf>, CliError> {
        if self.samples.is_some() && (self.time.is_some() || self.noise.is_some()) {
            return Err(CliError::usage("--samples makes a share of stated samples; leave out --time and --noise"));
        }
        let is_exr =
            |path: &PathBuf| output::PictureFormat::of(path).is_ok_and(|format| format == output::PictureFormat::Exr);
        if self.keeps_sums() && !self.output.iter().any(is_exr) {
            return Err(CliError::usage("--layers sums: only an .exr holds them; give -o a name that ends in .exr"));
        }
        self.organisation.check(&self.device)?;
        self.check_alpha(&self.output)?;
        Ok(self.output.clone())
    }

    /// Refuses outputs whose format has no alpha, if one is asked for.
    pub fn check_alpha(&self, outputs: &[PathBuf]) -> Result<(), CliError> {
        if !self.transparent {
            return Ok(());
        }
        if matches!(self.integrator, IntegratorArg::Depth | IntegratorArg::Cost) {
            return Err(CliError::usage("--transparent is for --integrator path, ao and normal; leave it out"));
        }
        let hdr =
            outputs.iter().find(|path| output::PictureFormat::of(path).is_ok_and(|f| f == output::PictureFormat::Hdr));
        hdr.map_or(Ok(()), |path| Err(CliError::picture(output::OutputError::NoAlpha { path: path.clone() })))
    }

    /// Returns `true` if pixels show radiance found by paths.
    pub fn shows_paths(&self) -> bool {
        self.integrator == IntegratorArg::Path
    }

    /// Returns `true` if pixels show the work of the CPU tracer.
    pub fn shows_cost(&self) -> bool {
        self.integrator == IntegratorArg::Cost
    }

    /// Returns the options of the GPU path tracer, unless the rays of paths are to be exported, which only the CPU can
    /// do.
    pub fn engine(&self) -> Option<EngineOptions> {
        let engine = self.organisation.engine().filter(|_| self.export_rays.is_none())?;
        Some(EngineOptions { texture_filter: self.texture_filter(), ..engine })
    }

    /// Returns the unit that filters textures on GPUs.
    pub fn texture_filter(&self) -> TextureFilter {
        match self.texture_filter {
            FilterOn::Exact => TextureFilter::Exact,
            FilterOn::Hardware => TextureFilter::Hardware,
        }
    }

    /// Returns `true` if the outputs are shares to merge.
    pub fn is_share(&self) -> bool {
        self.samples.is_some()
    }

    /// Returns the options of what the picture's files hold.
    pub fn contents(&self) -> Result<FileContents, CliError> {
        Ok(FileContents {
            tone: self.tone,
            layers: self.layers()?,
            sums: self.keeps_sums(),
            share: self.is_share(),
            time: self.record_time,
            command: command_line(),
        })
    }

    /// Returns the layers for an EXR.
    pub fn layers(&self) -> Result<output::Layers, CliError> {
        values::layers_of(&self.layers)
    }

    /// Returns `true` if any layers are asked for.
    pub fn has_layers(&self) -> bool {
        !self.layers.is_empty()
    }

    /// Returns `true` if an EXR is to hold the sums of samples too.
    pub fn keeps_sums(&self) -> bool {
        values::has_sums(&self.layers)
    }

    /// Returns the picture settings for the library; `path` is the scene's file, or `None` if the scene has none.
    pub fn request(&self, path: Option<&Path>, common: &Common) -> Result<PictureRequest, CliError> {
        if let Some([width, height]) = self.size
            && u64::from(width) * u64::from(height) > MAX_PIXELS
        {
            return Err(CliError::usage(format!("--size {width}x{height} has more than {MAX_PIXELS} pixels")));
        }
        let layers = self.layers()?;
        Ok(PictureRequest {
            size: self.size,
            crop: self.crop,
            transparent: self.transparent,
            spp: self.spp,
            samples: self.samples.map(|(first, end)| first..end),
            time_limit: self.time.map(|seconds| Duration::from_secs_f64(seconds.min(1e9))),
            noise_limit: self.noise,
            max_depth: self.max_depth,
            connect_last: self.connect_last,
            roulette_below: self.roulette_below,
            seed: self.seed,
            sampler: self.sampler.map(|sampler| match sampler {
                SamplerArg::Sobol => SamplerKind::Sobol,
                SamplerArg::PaddedHalton => SamplerKind::PaddedHalton,
                SamplerArg::Xor32 => SamplerKind::Xor32,
            }),
            filter: self.filter,
            shown: match self.integrator {
                IntegratorArg::Path => Shown::Path,
                IntegratorArg::Ao => Shown::AmbientOcclusion(self.ao_distance),
                IntegratorArg::Normal => Shown::Normal,
                IntegratorArg::Depth => Shown::Depth,
                IntegratorArg::Cost => Shown::Cost,
            },
            direct: match self.direct {
                DirectArg::Mis => DirectLight::Both,
                DirectArg::Light => DirectLight::Lights,
                DirectArg::Bsdf => DirectLight::Scattering,
            },
            scattering: if self.single_scatter { Scattering::Single } else { Scattering::Multiple },
            camera: self.camera.request(path, common)?,
            lens_radius: self.lens_radius,
            focal_distance: self.focus,
            light: self.light.request()?,
            exposure: self.exposure,
            features: layers.needs_features(),
            keep_sums: self.keeps_sums(),
            threads: common.threads,
        })
    }
}

/// Filters that `--texture-filter` names.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum FilterOn {
    /// Kernels filter; pictures have the CPU's bits.
    Exact,
    /// Texture units filter, with weights of 8 bits.
    Hardware,
}
