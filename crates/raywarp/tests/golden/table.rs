//! Every golden picture: its name, its scene, what is asked of the renderer, and how far it may be off.

use crate::{files, lights, materials, surfaces, views};
use raywarp::render::{BuiltInLight, DirectLight, LightRequest, PictureRequest, Scattering, Shown};
use raywarp::scene::{Description, FilterKind, SamplerKind};

/// Columns and rows.
pub const SIZE: [u32; 2] = [64, 48];
/// Samples a pixel.
pub const SPP: u32 = 16;
/// Seed of every picture.
pub const SEED: u32 = 1;
/// How far a picture may be off unless its row says otherwise: see `comparison`.
const TOLERANCE: f64 = 2e-4;

/// A picture that is compared.
pub struct Golden {
    pub name: &'static str,
    pub scene: fn() -> Description,
    pub request: fn(&mut PictureRequest),
    pub tolerance: f64,
}

impl Golden {
    fn with(mut self, request: fn(&mut PictureRequest)) -> Self {
        self.request = request;
        self
    }

    pub fn request(&self) -> PictureRequest {
        let mut request = PictureRequest {
            size: Some(SIZE),
            spp: Some(SPP),
            max_depth: Some(8),
            seed: SEED,
            sampler: Some(SamplerKind::Sobol),
            filter: Some(FilterKind::Box { radius: 0.5 }),
            light: LightRequest::built_in(BuiltInLight::None),
            ..PictureRequest::default()
        };
        (self.request)(&mut request);
        request
    }
}

fn golden(name: &'static str, scene: fn() -> Description) -> Golden {
    Golden { name, scene, request: |_| {}, tolerance: TOLERANCE }
}

/// Every picture, in the order of the sheet.
pub fn all() -> Vec<Golden> {
    let mut all = vec![
        golden("diffuse", materials::diffuse),
        golden("metals", materials::metals),
        golden("glasses", materials::glasses),
        golden("coats", materials::coats),
        golden("plastics", materials::plastics),
        golden("transmission", materials::transmission_and_coats),
        golden("car-paint", materials::car_paint),
        golden("mixtures", materials::mixtures),
        golden("glowing", materials::glowing),
        golden("rough", materials::rough),
        golden("rough-single-scatter", materials::rough).with(|r| r.scattering = Scattering::Single),
        golden("wrap-modes", surfaces::wrap_modes),
        golden("lookups", surfaces::lookups),
        golden("graphs", surfaces::graphs),
        golden("normal-maps", surfaces::normal_maps),
        golden("bump-maps", surfaces::bump_maps),
        golden("alpha", surfaces::alpha),
        golden("vertex-colors", surfaces::vertex_colors),
        golden("instances", surfaces::instances),
        golden("coarse", surfaces::coarse),
        golden("light-panels", lights::panels),
        golden("light-screen", lights::screen),
        golden("light-points", lights::points),
        golden("light-spots", lights::spots),
        golden("light-suns", lights::suns),
        golden("light-even-sky", lights::even_sky),
        golden("light-sky", lights::sky),
        golden("light-turned-sky", lights::turned_sky),
        golden("light-together", lights::together),
        golden("direct-lights", lights::together).with(|r| r.direct = DirectLight::Lights),
        golden("direct-scattering", lights::panels).with(|r| r.direct = DirectLight::Scattering),
        golden("one-bounce", lights::together).with(|r| r.max_depth = Some(1)),
    ];
    all.extend(of_views());
    all.extend([
        golden("added-studio", views::no_light).with(|r| r.light = LightRequest::default()),
        golden("added-sky", views::no_light).with(|r| r.light = LightRequest::built_in(BuiltInLight::Sky)),
        golden("file-gltf", files::gltf),
        golden("file-pbrt3", files::pbrt3).with(|r| r.camera.vfov = Some(20.0)),
        golden("file-pbrt4", files::pbrt4).with(|r| r.camera.vfov = Some(20.0)),
        golden("file-obj", files::obj),
    ]);
    all
}

/// One scene through cameras, integrators, samplers and filters.
fn of_views() -> Vec<Golden> {
    vec![
        golden("view-lens", views::lens),
        golden("view-orthographic", views::orthographic),
        golden("view-upright", views::upright).with(|r| r.size = Some([40, 56])),
        golden("view-crop", views::pinhole).with(|r| r.crop = Some("20,10,40x30".parse().expect("a crop"))),
        golden("view-transparent", views::cut_out).with(|r| r.transparent = true),
        golden("shows-occlusion", views::pinhole).with(|r| r.shown = Shown::AmbientOcclusion(Some(1.0))),
        golden("shows-normal", views::pinhole).with(|r| r.shown = Shown::Normal),
        golden("shows-depth", views::pinhole).with(|r| r.shown = Shown::Depth),
        golden("shows-cost", views::pinhole).with(|r| r.shown = Shown::Cost),
        golden("sampler-halton", views::pinhole).with(|r| r.sampler = Some(SamplerKind::PaddedHalton)),
        golden("sampler-xor32", views::pinhole).with(|r| r.sampler = Some(SamplerKind::Xor32)),
        golden("filter-triangle", views::pinhole).with(|r| r.filter = Some(FilterKind::Triangle { radius: 1.5 })),
        golden("filter-gaussian", views::pinhole)
            .with(|r| r.filter = Some(FilterKind::Gaussian { radius: 1.5, sigma: 0.5 })),
        golden("filter-mitchell", views::pinhole)
            .with(|r| r.filter = Some(FilterKind::Mitchell { radius: 2.0, b: 1.0 / 3.0, c: 1.0 / 3.0 })),
    ]
}
