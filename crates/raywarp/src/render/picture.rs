//! The settling of a render: camera, size, samples and light, from what a user asks and what a file says.

use crate::PrepareError;
use crate::render::Prepared;
use crate::render::added_light::Added;
use crate::render::darkness::Darkness;
use crate::render::lighting::LightRequest;
use crate::render::note::PictureNote;
use crate::render::viewpoint::{CameraError, CameraRequest, CameraSource};
use raywarp_geom::Aabb;
use raywarp_render::film::{Crop, Film};
use raywarp_render::output::{self, Content, Exposure, ExposureChoice, Shows};
use raywarp_render::{DirectLight, Integrator, ROULETTE_BELOW, RenderError, RenderOptions, Scattering};
use raywarp_scene::{Camera, Description, FilterKind, Pixels, SamplerKind};
use std::fmt::Write;
use std::time::Duration;

/// Default number of samples per pixel; the largest number if a stopping rule is given.
const DEFAULT_SPP: u32 = 64;
/// Default picture size, if neither the request nor the scene file gives one.
const DEFAULT_SIZE: [u32; 2] = [1024, 768];
/// Longer side of the picture in pixels if the file gives only its aspect ratio.
const LONGER_SIDE: f32 = 1024.0;
/// Default number of bounces, if neither the request nor the scene file gives one.
const DEFAULT_DEPTH: u32 = 8;

/// Quantity that pixels show, as the user asks for it before the scene is known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Shown {
    /// Radiance by path tracing.
    #[default]
    Path,
    /// Ambient occlusion up to a distance; by default, a quarter of the scene's diagonal.
    AmbientOcclusion(Option<f32>),
    /// Shading normals of first hits.
    Normal,
    /// Distances of first hits.
    Depth,
    /// Work of tracing the camera rays.
    Cost,
}

/// Settings of a picture that a user asks for; `None` leaves one to the scene file, then to a default.
#[derive(Debug, Clone, Default)]
pub struct PictureRequest {
    /// Columns and rows of the whole picture.
    pub size: Option<[u32; 2]>,
    /// Part of the picture to render, if not all of it.
    pub crop: Option<Crop>,
    /// `true` to leave out the background, so that the picture has alpha.
    pub transparent: bool,
    /// Number of samples per pixel.
    pub spp: Option<u32>,
    /// Range of sample numbers to render as a share; excludes `spp`.
    pub samples: Option<std::ops::Range<u32>>,
    /// Time after which the render stops.
    pub time_limit: Option<Duration>,
    /// Relative noise at which the render may stop.
    pub noise_limit: Option<f64>,
    /// Largest number of bounces of a path.
    pub max_depth: Option<u32>,
    /// `true` to connect a path's last vertex to a light too: [`RenderOptions::connect_last`].
    pub connect_last: bool,
    /// Throughput below which Russian roulette may end a path: [`RenderOptions::roulette_below`], 0 to 1.
    pub roulette_below: Option<f32>,
    /// Seed of the sampler.
    pub seed: u32,
    /// Sampler that gives the random numbers of paths.
    pub sampler: Option<SamplerKind>,
    /// Filter that spreads samples over pixels.
    pub filter: Option<FilterKind>,
    /// Quantity that pixels show.
    pub shown: Shown,
    /// Techniques that estimate direct light.
    pub direct: DirectLight,
    /// Light bounces that count between the facets of rough surfaces.
    pub scattering: Scattering,
    /// Camera that the user asks for.
    pub camera: CameraRequest,
    /// Lens radius in scene units.
    pub lens_radius: Option<f32>,
    /// Distance to the plane in focus, in scene units.
    pub focal_distance: Option<f32>,
    /// Light to add to the scene.
    pub light: LightRequest,
    /// Exposure of a PNG, on top of the exposure that the scene file gives its film.
    pub exposure: ExposureChoice,
    /// `true` to sum the albedo, normal and depth of first hits too.
    pub features: bool,
    /// `true` to keep the sums of samples, so that all pixels have equally many, whenever the render stops.
    pub keep_sums: bool,
    /// Number of worker threads; 0 means one per logical processor.
    pub threads: usize,
}

/// Origin of a picture's setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The picture request sets it.
    Asked,
    /// The scene file.
    File,
    /// A default, since neither the request nor the scene file gives the setting.
    Default,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Asked => "asked",
            Self::File => "file",
            Self::Default => "default",
        })
    }
}

/// Picture to render, with all settings decided.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Camera of the picture.
    pub camera: Camera,
    /// Origin of the camera: request, file or framing.
    pub camera_source: CameraSource,
    /// Options of the render, for all settings that have no field here.
    pub options: RenderOptions,
    /// Factor on radiance that the scene file gives its film.
    pub exposure: f32,
    /// Exposure that the user asks for, on top of the film's.
    pub exposure_choice: ExposureChoice,
    /// Origins of the size, the samples and the bounces.
    pub sources: [Source; 3],
    /// `true` if studio light was added because the scene's own light, if any, does not show.
    pub added_light: bool,
    /// Light that was added, and whether it gets in.
    pub added: Added,
    /// Reason why the picture will be black, if the user was told so.
    pub darkness: Option<Darkness>,
    /// Notes for the user on what was assumed.
    pub notes: Vec<PictureNote>,
}

/// Error of deciding a picture's settings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The camera that was asked for does not exist, or cannot be made.
    #[error(transparent)]
    Camera(#[from] CameraError),
    /// The scene's own light cannot be tried, since rendering a small picture fails.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The scene with added lamps cannot be prepared.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
}

/// Returns the default size of a picture with this aspect ratio.
fn size_of(aspect: f32) -> [u32; 2] {
    let side = |share: f32| ((LONGER_SIDE * share).round() as u32).max(1);
    [side(aspect.min(1.0)), side(aspect.recip().min(1.0))]
}

fn settle<T>(flag: Option<T>, file: Option<T>, default: T) -> (T, Source) {
    match (flag, file) {
        (Some(value), _) => (value, Source::Asked),
        (None, Some(value)) => (value, Source::File),
        (None, None) => (default, Source::Default),
    }
}

impl PictureRequest {
    /// Returns the options for rendering `scene` within `bounds`, and the origins of size, samples and bounces. The
    /// bounds only matter for ambient occlusion.
    pub fn options(&self, scene: &Description, bounds: &Aabb) -> (RenderOptions, [Source; 3]) {
        let settings = &scene.settings;
        let aspect = self.camera.of_file(scene).and_then(|camera| camera.aspect);
        let (size, size_source) = settle(self.size, settings.size.or(aspect.map(size_of)), DEFAULT_SIZE);
        let is_limited = self.time_limit.is_some() || self.noise_limit.is_some();
        let (samples, samples_source) = settle(
            self.samples.clone().or(self.spp.map(|n| 0..n)),
            // A stopping rule given by flag replaces the file's sample count.
            settings.spp.filter(|_| !is_limited).map(|n| 0..n),
            0..if is_limited { u32::MAX } else { DEFAULT_SPP },
        );
        let (max_depth, depth_source) = settle(self.max_depth, settings.max_depth, DEFAULT_DEPTH);
        let integrator = match self.shown {
            Shown::Path => Integrator::Path,
            Shown::AmbientOcclusion(distance) => {
                let distance = distance.unwrap_or_else(|| (0.25 * bounds.diagonal()).max(f32::MIN_POSITIVE));
                Integrator::AmbientOcclusion { distance }
            }
            Shown::Normal => Integrator::Normal,
            Shown::Depth => Integrator::Depth,
            Shown::Cost => Integrator::Cost,
        };
        let options = RenderOptions {
            size,
            crop: self.crop.or_else(|| {
                let [origin, size] = settings.crop_in(size)?;
                Some(Crop { origin, size })
            }),
            transparent: self.transparent,
            whole_passes: self.samples.is_some() || self.keep_sums,
            samples,
            max_depth,
            connect_last: self.connect_last,
            roulette_below: self.roulette_below.unwrap_or(ROULETTE_BELOW),
            integrator,
            direct: self.direct,
            scattering: self.scattering,
            sampler: self.sampler.or(settings.sampler).unwrap_or(SamplerKind::Sobol),
            seed: self.seed,
            filter: self.filter.or(settings.filter).unwrap_or(FilterKind::Box { radius: 0.5 }),
            features: self.features,
            threads: self.threads,
            time_limit: self.time_limit,
            noise_limit: self.noise_limit,
        };
        (options, [size_source, samples_source, depth_source])
    }
}

impl Picture {
    /// Decides all settings of a picture: adds the light asked for, or studio light if the scene's own does not show,
    /// and notes what was assumed.
    ///
    /// # Errors
    /// [`PictureError`].
    pub fn settle(prepared: &mut Prepared, request: &PictureRequest) -> Result<Self, PictureError> {
        let mut notes = Vec::new();
        let settings = prepared.scene().settings.clone();
        let (options, sources) = request.options(prepared.scene(), prepared.bounds());
        if let Some(crop) = options.crop.filter(|_| request.crop.is_none()) {
            notes.push(PictureNote::CropOfFile { crop, size: options.size });
        }
        let size = options.size;
        let aspect = f64::from(size[0]) / f64::from(size[1]);
        let mut camera = request.camera.settle(prepared, aspect, &mut notes)?;
        if let Some(radius) = request.lens_radius {
            // A file's focus holds where the file itself opens a lens.
            let unfocused = camera.lens_radius == 0.0;
            camera.lens_radius = radius;
            if request.focal_distance.is_none() && unfocused {
                camera.focal_distance = distance_to_center(&camera, prepared.bounds());
                notes.push(PictureNote::FocusOnMiddle { distance: camera.focal_distance });
            }
        }
        if let Some(distance) = request.focal_distance {
            camera.focal_distance = distance;
        }
        let mut picture = Self {
            camera,
            camera_source: request.camera.source(prepared.scene()),
            options,
            exposure: settings.exposure.unwrap_or(1.0),
            exposure_choice: request.exposure,
            sources,
            added_light: false,
            added: Added::Nothing,
            darkness: None,
            notes,
        };
        picture.add_light(prepared, &request.light)?;
        Ok(picture)
    }

    /// Returns the exposure for a PNG of `film`: the file's and the user's, or one measured from the pixels if the user
    /// leaves it open.
    pub fn exposure_of(&self, film: &Film) -> Exposure {
        exposure_of(self.exposure_choice, self.content().film_exposure, film)
    }
}

/// Returns the exposure for a PNG of `film`: `own` (the file's) with the one the user chose, or one measured from the
/// pixels.
pub fn exposure_of(choice: ExposureChoice, own: Exposure, film: &Film) -> Exposure {
    match choice {
        ExposureChoice::Fixed(exposure) => exposure.and(own),
        ExposureChoice::Auto => {
            // What is behind the scene has no say, unless there is nothing else.
            let scene: Vec<[f32; 3]> =
                film.pixels().filter(|&pixel| film.sums(pixel).hits > 0).map(|pixel| film.mean(pixel)).collect();
            let radiance = if scene.is_empty() { film.means() } else { scene };
            output::auto_exposure(&radiance).unwrap_or(own)
        }
    }
}

impl Picture {
    /// Returns an exposure in stops relative to the file's, as [`PictureRequest::exposure`] counts them.
    pub fn stops(&self, exposure: Exposure) -> f32 {
        exposure.as_factor().log2() - self.content().film_exposure.as_factor().log2()
    }

    /// Returns the meaning of the picture's numbers, which its files state.
    pub fn content(&self) -> Content {
        Content {
            shows: Shows::of(self.options.integrator),
            transparent: self.options.transparent,
            film_exposure: Exposure::factor(self.exposure).unwrap_or_default(),
        }
    }
}

/// Returns the distance to the scene's middle along the view direction; 1 if it is behind the camera.
fn distance_to_center(camera: &Camera, bounds: &Aabb) -> f32 {
    let center = bounds.center();
    let along: f32 = (0..3).map(|i| (center[i] - camera.eye[i]) * camera.forward[i]).sum();
    if along.is_finite() && along > 0.0 { along } else { 1.0 }
}

/// Returns the fingerprint of a render: equal for renders whose samples may be added, whatever their sample ranges,
/// threads and stopping rules. It consists of words of `KEY=VALUE`: settings as they are, and 64-bit FNV-1a hashes of
/// the scene's parts, so that [`raywarp_render::output::differences`] can say in what two renders differ.
pub fn fingerprint(scene: &Description, picture: &Picture) -> String {
    // Taken apart, so that what is new cannot be forgotten: each field is here or, by name, changes no sample.
    #[rustfmt::skip]
    let Picture {
        camera, camera_source: _, options, exposure: _, exposure_choice: _, sources: _, added_light: _, added: _, darkness: _, notes: _,
    } = picture;
    #[rustfmt::skip]
    let RenderOptions {
        size, crop, transparent, samples: _, max_depth, connect_last, roulette_below, integrator, direct, scattering,
        sampler, seed, filter, features, threads: _, whole_passes: _, time_limit: _, noise_limit: _,
    } = options;
    #[rustfmt::skip]
    let Description {
        origin, meshes: scene_meshes, instances, parts: _, materials, media, textures, images: scene_images, lights,
        light_names: _, cameras: _, settings: _,
    } = scene;
    let mut meshes = Fnv::default();
    for mesh in scene_meshes {
        let t = &mesh.triangles;
        let lengths = [t.positions.len(), t.normals.len(), t.tangents.len(), t.uvs.len(), t.uvs1.len(), t.colors.len()];
        let _ = write!(meshes, "{lengths:?}");
        meshes.floats(t.positions.as_flattened());
        meshes.floats(t.normals.as_flattened());
        meshes.floats(t.tangents.as_flattened());
        meshes.floats(t.uvs.as_flattened());
        meshes.floats(t.uvs1.as_flattened());
        meshes.floats(t.colors.as_flattened());
        t.indices.as_flattened().iter().for_each(|i| meshes.bytes(&i.to_le_bytes()));
        let _ = write!(meshes, "{:?}", mesh.materials);
    }
    let mut images = Fnv::default();
    for image in scene_images {
        let _ = write!(images, "{}x{}", image.width, image.height);
        match &*image.pixels {
            Pixels::Srgb8(p) => {
                images.bytes(b"srgb");
                images.bytes(p.as_flattened());
            }
            Pixels::Linear8(p) => images.bytes(p.as_flattened()),
            Pixels::Float(p) => images.floats(p.as_flattened()),
        }
    }
    // One word each: what Rust prints of them has spaces.
    let word = |value: &dyn std::fmt::Debug| {
        let text = format!("{value:?}").to_lowercase();
        text.chars().filter(|c| !c.is_whitespace()).collect::<String>()
    };
    let settings: [(&str, String); 19] = [
        ("versions", env!("CARGO_PKG_VERSION").to_string()),
        ("sizes", format!("{}x{}", size[0], size[1])),
        ("seeds", seed.to_string()),
        ("bounces", max_depth.to_string()),
        ("integrators", word(integrator)),
        ("samplers", word(sampler)),
        ("filters", word(filter)),
        ("direct-light", word(direct)),
        ("facets", word(scattering)),
        ("cameras", Fnv::of(camera)),
        ("lights", Fnv::of(lights)),
        ("materials", Fnv::of(&(materials, media, textures))),
        ("images", images.text()),
        ("meshes", meshes.text()),
        ("instances", Fnv::of(instances)),
        // Parts of a picture are of one size.
        ("crops", crop.map_or("none".to_string(), |crop| crop.to_string().replace(' ', ""))),
        ("backgrounds", if *transparent { "transparent" } else { "shown" }.to_string()),
        // What depth means of a pixel that some rays miss.
        ("depths", if *integrator == Integrator::Depth { "over-hits" } else { "none" }.to_string()),
        ("layers", if *features { "albedo,normal,depth" } else { "none" }.to_string()),
    ];
    // Told where it is asked for alone: sums from before there was a choice can be gone on with.
    let last = connect_last.then(|| ("last-connections", "made".to_string()));
    let roulette = (*roulette_below != ROULETTE_BELOW).then(|| ("roulette", format!("{roulette_below:e}")));
    let origin = (*origin != [0.0; 3]).then(|| ("origins", word(origin)));
    let words: Vec<String> = settings
        .into_iter()
        .chain(last)
        .chain(roulette)
        .chain(origin)
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    words.join(" ")
}

struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Fnv {
    /// Returns the FNV hash of `value`'s debug text.
    fn of(value: &impl std::fmt::Debug) -> String {
        let mut hash = Self::default();
        let _ = write!(hash, "{value:?}");
        hash.text()
    }

    fn text(&self) -> String {
        format!("{:016x}", self.0)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }

    fn floats(&mut self, values: &[f32]) {
        values.iter().for_each(|v| self.bytes(&v.to_bits().to_le_bytes()));
    }
}

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Plan;
    use raywarp_scene::Settings;

    fn prepared(settings: Settings) -> Prepared {
        Prepared::new(Description { settings, ..Description::default() }, &Plan::default()).unwrap()
    }

    #[test]
    fn flags_override_the_file_and_the_file_the_defaults() {
        let settings = Settings { size: Some([10, 20]), spp: Some(7), ..Settings::default() };
        let request = PictureRequest { spp: Some(3), ..PictureRequest::default() };
        let picture = Picture::settle(&mut prepared(settings), &request).unwrap();
        assert_eq!(
            (picture.options.size, picture.options.samples.clone(), picture.options.max_depth),
            ([10, 20], 0..3, 8)
        );
        assert_eq!(picture.sources, [Source::File, Source::Asked, Source::Default]);
    }

    #[test]
    fn a_camera_of_the_file_shapes_the_picture_unless_the_file_or_a_flag_sizes_it() {
        let camera = |aspect| {
            let camera = Camera::look_at([0.0, 0.0, 5.0], [0.0; 3], [0.0, 1.0, 0.0], 40.0).unwrap();
            Camera { aspect, ..camera }
        };
        let size = |cameras: &[Option<f32>], request: PictureRequest| {
            let cameras = cameras.iter().map(|&aspect| camera(aspect)).collect();
            let scene = Description { cameras, ..Description::default() };
            request.options(&scene, &Aabb::EMPTY).0.size
        };
        let second = CameraRequest { named: Some("2".into()), ..CameraRequest::default() };
        let elsewhere = CameraRequest { eye: Some([1.0; 3]), ..CameraRequest::default() };
        assert_eq!(size(&[Some(2.0)], PictureRequest::default()), [1024, 512]);
        assert_eq!(size(&[Some(0.5)], PictureRequest::default()), [512, 1024]);
        assert_eq!(size(&[None, Some(2.0)], PictureRequest::default()), DEFAULT_SIZE);
        assert_eq!(size(&[None, Some(2.0)], PictureRequest { camera: second, ..Default::default() }), [1024, 512]);
        assert_eq!(size(&[Some(2.0)], PictureRequest { camera: elsewhere, ..Default::default() }), DEFAULT_SIZE);
        assert_eq!(size(&[Some(2.0)], PictureRequest { size: Some([9, 8]), ..Default::default() }), [9, 8]);
    }

    #[test]
    fn the_part_that_a_file_asks_for_is_rendered_and_said_and_a_flag_overrides_it() {
        let settings = Settings { size: Some([8, 8]), crop: Some([0.0, 0.5, 0.25, 1.0]), ..Settings::default() };
        let settled = |crop| {
            let request = PictureRequest { crop, ..PictureRequest::default() };
            let picture = Picture::settle(&mut prepared(settings.clone()), &request).unwrap();
            let said = PictureNote::CropOfFile { crop: Crop { origin: [0, 2], size: [4, 6] }, size: [8, 8] };
            (picture.options.crop.map(|crop| crop.to_string()), picture.notes.contains(&said))
        };
        assert_eq!(settled(None), (Some("0,2,4x6".into()), true));
        let all = Crop { origin: [0, 0], size: [8, 8] };
        assert_eq!(settled(Some(all)), (Some("0,0,8x8".into()), false));
    }

    #[test]
    fn a_scene_without_camera_and_light_gets_both_and_says_so() {
        let mut scene = prepared(Settings::default());
        let picture = Picture::settle(&mut scene, &PictureRequest::default()).unwrap();
        assert_eq!(
            picture.notes,
            [PictureNote::NothingToFrame, PictureNote::StudioAdded { darkness: Darkness::NoLight }]
        );
        assert!(scene.has_light());
    }

    #[test]
    fn a_stopping_rule_replaces_the_sample_count_of_the_file() {
        let settings = Settings { spp: Some(7), ..Settings::default() };
        let request = PictureRequest { noise_limit: Some(0.1), ..PictureRequest::default() };
        assert_eq!(Picture::settle(&mut prepared(settings), &request).unwrap().options.samples, 0..u32::MAX);
    }
}
