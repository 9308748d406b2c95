//! Pictures of the path tracer's kernels, emulated under a pretended driver: those of the CPU's renderer, bit for bit.

use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_cpu::CpuTracer;
use raywarp_cuda::{Device, DriverCall, EncodedScene, side_by_side};
use raywarp_cuda_emulation::twins::{flat, of_pbrt, scene_of_everything};
use raywarp_experiments::{Compaction, ListedAt, MeasuredOrganisation, PathExperiment, Walk};
use raywarp_geom::FlatTriangles;
use raywarp_render::film::{Film, Window};
use raywarp_render::{DirectLight, Integrator, LensRecord, RenderContext, RenderOptions, ShadingScene, Watch, render};
use raywarp_render_cuda::{
    CudaRenderer, CudaRenderers, EngineOptions, FeatureSet, Organisation, RenderCudaError, SceneFeatures, ShadingClass,
    TextureFilter,
};
use raywarp_scene::{Alpha, Camera, Description, FilterKind, SamplerKind, Surface, flatten};
use std::sync::Arc;

#[path = "common/pretended.rs"]
mod pretended;
use pretended::Driver;
#[path = "common/bounded.rs"]
mod bounded;
#[path = "common/counted.rs"]
mod counted;
#[path = "common/filtered.rs"]
mod filtered;
#[path = "common/first_hits.rs"]
mod first_hits;
#[path = "common/played.rs"]
mod played;
#[path = "common/seconds.rs"]
mod seconds;
#[path = "common/several.rs"]
mod several;

/// A scene, its tree, and what traces on the CPU.
struct Prepared {
    scene: Description,
    shading: ShadingScene,
    triangles: FlatTriangles,
    bvh: Bvh2,
    tracer: CpuTracer,
    camera: Camera,
}

impl Prepared {
    fn new(scene: Description, camera: Camera) -> Self {
        let variant = EngineOptions::default().variant();
        let triangles = flatten(&scene).unwrap();
        let options = BuildOptions::default();
        let options = options.with_leaf_limit(variant.tree().max_leaf());
        let bvh = build(&triangles, &options).unwrap();
        let tracer = CpuTracer::new(&bvh, &triangles).unwrap();
        Self { shading: flat(&scene), scene, triangles, bvh, tracer, camera }
    }

    fn engine(&self, options: impl Into<EngineOptions>, devices: usize) -> CudaRenderers {
        self.try_engine(options, devices).unwrap()
    }

    fn encoded(&self, options: &EngineOptions) -> Result<EncodedScene, RenderCudaError> {
        let mut first = vec![0];
        for instance in &self.scene.instances {
            let count = self.scene.meshes[instance.mesh.index()].triangles.indices.len() as u32;
            first.push(first[first.len() - 1] + count);
        }
        let variant = options.variant();
        CudaRenderer::encode(&variant, &self.bvh, &self.triangles, options.farthest_origin, |i| first[i as usize])
    }

    /// The first so many devices.
    fn try_engine(&self, options: impl Into<EngineOptions>, devices: usize) -> Result<CudaRenderers, RenderCudaError> {
        let options = options.into();
        let encoded = self.encoded(&options)?;
        let renderer = |ordinal| -> Result<CudaRenderer, RenderCudaError> {
            let device = Device::open(ordinal)?;
            let tree = Arc::new(CudaRenderer::tree(&device, &options.variant(), &encoded)?);
            CudaRenderer::new(&device, tree, &self.shading, options.clone())
        };
        side_by_side(0..devices, renderer).into_iter().collect::<Result<_, _>>().map(CudaRenderers::new)
    }

    /// The films of the CPU and of the kernels.
    fn films(&self, options: &RenderOptions, engine: impl Into<EngineOptions>) -> [Film; 2] {
        self.films_of(options, engine, 1)
    }

    /// The films of the CPU and of the kernels on so many devices.
    fn films_of(&self, options: &RenderOptions, engine: impl Into<EngineOptions>, devices: usize) -> [Film; 2] {
        let cpu = render(&self.shading, &self.camera, &self.tracer, options, RenderContext::default()).unwrap();
        let mut engine = self.engine(engine, devices);
        let context = RenderContext::by(&mut engine);
        let rendered = render(&self.shading, &self.camera, &self.tracer, options, context).unwrap();
        assert_eq!((rendered.paths, rendered.rays), (cpu.paths, cpu.rays));
        [cpu.film, rendered.film]
    }
}

/// The first pixel whose sums differ, if any.
fn difference(films: &[Film; 2]) -> Option<String> {
    let [want, got] = films;
    let mut differ =
        want.pixels().filter(|&p| want.sums(p) != got.sums(p) || want.feature_sums(p) != got.feature_sums(p));
    let first = differ.next()?;
    let count = differ.count() + 1;
    Some(format!(
        "{count} of {} pixels, the first {first:?}: {:?} {:?} on the CPU, {:?} {:?}",
        want.pixel_count(),
        want.sums(first),
        want.feature_sums(first),
        got.sums(first),
        got.feature_sums(first)
    ))
}

fn everything() -> Prepared {
    Prepared::new(scene_of_everything(), everything_camera())
}

fn everything_camera() -> Camera {
    Camera::look_at([0.3, 0.4, 5.5], [0.0; 3], [0.0, 1.0, 0.0], 50.0).unwrap()
}

/// The same without anything that fills space, whose paths are sorted by class; with holes or without.
fn surfaces(holes: bool) -> Prepared {
    let mut scene = scene_of_everything();
    scene.media.clear();
    for material in &mut scene.materials {
        material.media = None;
        match &mut material.surface {
            Surface::Dielectric { absorption, .. } => *absorption = None,
            Surface::Principled(principled) => principled.absorption = None,
            _ => {}
        }
        if !holes {
            material.alpha = Alpha::Opaque;
        }
    }
    Prepared::new(scene, everything_camera())
}

/// Several batches, one, and a queue that is filled up again.
const QUEUES: [(usize, usize); 3] = [(100, 1), ONE_BATCH, (70, 3)];
const ONE_BATCH: (usize, usize) = (1 << 12, 1);

/// A launch for whole paths, whose kernel has all there is, and one for each stage and class: for what does not depend on
/// where paths are kept in between.
const MOST_APART: [MeasuredOrganisation; 2] = [MeasuredOrganisation::Megakernel, MeasuredOrganisation::WavefrontSorted];

/// Whether paths may begin where others have ended. Without that a batch is rendered as it is were it alone, and
/// `counted` has several of them too.
fn refills(organisation: MeasuredOrganisation) -> bool {
    organisation.is_wavefront() || organisation == MeasuredOrganisation::Regenerate
}

fn faults(prepared: &Prepared, options: &RenderOptions) -> Vec<String> {
    let mut faults = Vec::new();
    for organisation in MeasuredOrganisation::ALL {
        // Where nothing is sorted both wavefronts have the same kernels.
        let is_sorted = FeatureSet::of(&prepared.shading) == FeatureSet::Surfaces;
        let is_other = refills(organisation) && (is_sorted || organisation != MeasuredOrganisation::Wavefront);
        let queues = if is_other { &QUEUES[..] } else { &[ONE_BATCH] };
        for &(paths, queues_per_batch) in queues {
            let engine = PathExperiment { organisation, paths, queues_per_batch, ..PathExperiment::default() };
            let films = prepared.films(options, engine);
            let place = format!("{organisation:?}, {paths} paths, {queues_per_batch}, {:?}", options.sampler);
            faults.extend(difference(&films).map(|fault| format!("{place}: {fault}")));
        }
    }
    faults
}

#[test]
fn pictures_of_surfaces_sorted_by_class_are_those_of_the_cpu() {
    let Some(_driver) = Driver::get() else { return };
    for (holes, sampler) in [(true, SamplerKind::Xor32), (false, SamplerKind::Sobol)] {
        let prepared = surfaces(holes);
        let features = SceneFeatures::of(&prepared.shading);
        let classes = ShadingClass::ALL.to_vec();
        assert_eq!(features, SceneFeatures { set: FeatureSet::Surfaces, holes, classes });
        let features = holes;
        let options = RenderOptions {
            size: [24, 16],
            samples: 3..7,
            max_depth: 6,
            features,
            sampler,
            seed: 5,
            ..RenderOptions::default()
        };
        let faults = faults(&prepared, &options);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}

#[test]
fn pictures_of_all_there_is_are_those_of_the_cpu() {
    let Some(_driver) = Driver::get() else { return };
    let prepared = everything();
    assert_eq!(FeatureSet::of(&prepared.shading), FeatureSet::Everything);
    let options = |sampler, direct, filter| RenderOptions {
        size: [24, 16],
        samples: 3..7,
        max_depth: 6,
        features: true,
        sampler,
        direct,
        filter,
        seed: 5,
        ..RenderOptions::default()
    };
    let cases = [
        options(SamplerKind::Sobol, DirectLight::Both, FilterKind::Box { radius: 0.5 }),
        options(SamplerKind::Xor32, DirectLight::Lights, FilterKind::Gaussian { radius: 1.5, sigma: 0.5 }),
        // The only filter here whose samples do not all have the weight 1.
        RenderOptions {
            features: false,
            ..options(
                SamplerKind::PaddedHalton,
                DirectLight::Scattering,
                FilterKind::Mitchell { radius: 2.0, b: 0.3, c: 0.35 },
            )
        },
    ];
    let faults: Vec<String> = cases.iter().flat_map(|options| faults(&prepared, options)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn connections_at_the_last_vertex_are_those_of_the_cpu() {
    let Some(_driver) = Driver::get() else { return };
    for (prepared, max_depth, direct) in [
        (everything(), 0, DirectLight::Both),
        (everything(), 2, DirectLight::Lights),
        (surfaces(true), 1, DirectLight::Both),
        (surfaces(false), 2, DirectLight::Scattering),
        (room(), 1, DirectLight::Both),
    ] {
        let options = RenderOptions { max_depth, direct, ..small() };
        let last = RenderOptions { connect_last: true, ..options.clone() };
        let faults = faults(&prepared, &last);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        // With a picture of their own, where there are any.
        let [without, with] = [&options, &last].map(|options| prepared.films(options, few(1 << 12))[1].clone());
        assert_eq!(
            difference(&[without, with]).is_some(),
            direct != DirectLight::Scattering,
            "{max_depth}, {direct:?}"
        );
    }
}

/// A room of plain surfaces: a few dozen triangles around the camera, one of them a lamp.
fn room() -> Prepared {
    let text = br#"
        LookAt 0 0 3  0 0 0  0 1 0
        Camera "perspective" "float fov" [ 60 ]
        WorldBegin
        Material "diffuse" "rgb reflectance" [ 0.7 0.6 0.5 ]
        Shape "bilinearmesh" "point3 P" [ -2 -1 4  2 -1 4  -2 -1 -2  2 -1 -2 ]
        Shape "bilinearmesh" "point3 P" [ -2 -1 -2  2 -1 -2  -2 2 -2  2 2 -2 ]
        Shape "bilinearmesh" "point3 P" [ -2 -1 4  -2 -1 -2  -2 2 4  -2 2 -2 ]
        Translate 0.3 -0.5 0
        Shape "sphere" "float radius" [ 0.5 ]
        AttributeBegin
            AreaLightSource "diffuse" "rgb L" [ 6 5 4 ]
            Shape "trianglemesh" "point3 P" [ -0.5 2 -0.5  0.5 2 -0.5  0 2 0.5 ] "integer indices" [ 0 1 2 ]
        AttributeEnd
    "#;
    let scene = of_pbrt(text);
    let camera = scene.cameras[0].clone();
    Prepared::new(scene, camera)
}

fn few(paths: usize) -> PathExperiment {
    PathExperiment { paths, queues_per_batch: 1, ..PathExperiment::default() }
}

fn small() -> RenderOptions {
    RenderOptions { size: [12, 8], samples: 0..3, max_depth: 4, ..RenderOptions::default() }
}

#[test]
fn pictures_depend_on_no_order_of_lanes_and_warps() {
    let Some(driver) = Driver::get() else { return };
    let prepared = room();
    assert_eq!(FeatureSet::of(&prepared.shading), FeatureSet::Plain);
    // More paths a pass than lanes are resident, and than a tile has: else no lane begins another, and no tile has a neighbour.
    let options = RenderOptions { size: [20, 16], samples: 0..2, ..small() };
    for engine in counted::engines() {
        for order in [0, 1, 2, 3] {
            driver.order(order);
            for (paths, queues_per_batch) in QUEUES {
                if queues_per_batch > 1 && !refills(engine.organisation) {
                    continue;
                }
                let engine = PathExperiment { paths, queues_per_batch, ..engine };
                assert_eq!(difference(&prepared.films(&options, engine)), None, "{engine:?}, order {order}");
            }
        }
    }
    driver.order(0);
}

#[test]
fn whatever_call_fails_it_is_an_error_or_the_same_picture_and_no_memory_stays() {
    let Some(driver) = Driver::get() else { return };
    let prepared = room();
    let paths = RenderOptions { size: [5, 4], samples: 0..2, max_depth: 2, ..RenderOptions::default() };
    let occlusion = RenderOptions { integrator: Integrator::AmbientOcclusion { distance: 1.0 }, ..paths.clone() };
    let of = |organisation| PathExperiment { paths: 64, queues_per_batch: 1, ..PathExperiment::of(organisation) };
    for (engine, options, calls_of_its_own) in [
        (of(MeasuredOrganisation::Megakernel).into(), &paths, &[][..]),
        (of(MeasuredOrganisation::WavefrontSorted).into(), &paths, &[]),
        (
            of(MeasuredOrganisation::Graph).into(),
            &paths,
            &[DriverCall::RecordGraph, DriverCall::MakeGraph, DriverCall::LaunchGraph],
        ),
        (of(MeasuredOrganisation::TiledShared).into(), &paths, &[DriverCall::SharedMemory]),
        (
            PathExperiment { host_counts: true, timed: true, ..of(MeasuredOrganisation::Compact) }.into(),
            &paths,
            &[DriverCall::RecordEvent, DriverCall::ElapsedTime],
        ),
        (
            EngineOptions { paths: 64, queues_per_batch: 1, ..EngineOptions::of(Organisation::FirstHits) },
            &occlusion,
            &[],
        ),
    ] {
        let film = || -> Result<Film, String> {
            let mut engine = prepared.try_engine(engine.clone(), 1).map_err(|error| error.to_string())?;
            let context = RenderContext::by(&mut engine);
            let rendered = render(&prepared.shading, &prepared.camera, &prepared.tracer, options, context);
            rendered.map(|rendered| rendered.film).map_err(|error| error.to_string())
        };
        let (calls, said) = every_call_fails(&driver, film);
        assert!(calls > 40, "{calls}");
        for doing in calls_of_its_own {
            assert!(said.contains(&doing.to_string()), "{doing}: {said}");
        }
    }
}

/// Renders with each call of the driver failing, one after the other, and each third one for good: there is an error or the same picture, and no
/// memory or image stays. How many calls a picture takes, and all errors.
fn every_call_fails(driver: &Driver, render: impl Fn() -> Result<Film, String>) -> (u64, String) {
    driver.fails_at(pretended::NEVER, false);
    let want = render().unwrap();
    let (calls, taken) = (driver.ask("calls"), driver.ask("taken"));
    let mut said = String::new();
    for once in [true, false] {
        let mut failed = 0;
        for call in (0..calls).step_by(if once { 1 } else { 3 }) {
            driver.fails_at(call, once);
            match render() {
                Ok(film) => assert_eq!(difference(&[want.clone(), film]), None, "call {call}"),
                Err(error) => {
                    failed += 1;
                    assert!(error.contains("CUDA") || error.contains("memory"), "call {call}: {error}");
                    said += &error;
                }
            }
            // What has gone away for good is not waited for.
            assert!(!once || driver.ask("early_frees") == 0, "call {call}: memory is freed that kernels may use");
            driver.fails_at(pretended::NEVER, false);
            let left = [driver.ask("taken"), driver.ask("images"), driver.ask("graphs")];
            assert_eq!(left, [taken, 0, 0], "call {call} leaves memory behind");
        }
        assert!(failed > calls / if once { 2 } else { 6 }, "{failed} of {calls} calls");
    }
    (calls, said)
}

#[test]
fn what_does_not_fit_is_refused_with_its_sizes_before_anything_starts_and_what_is_asked_for_is_enough() {
    let Some(driver) = Driver::get() else { return };
    let many =
        RenderOptions { size: [40, 30], samples: 0..5, max_depth: 2, features: true, ..RenderOptions::default() };
    let exact = TextureFilter::Exact;
    for (prepared, options, organisation, texture_filter) in [
        (room(), small(), Organisation::WavefrontSorted, exact),
        (room(), many.clone(), Organisation::Megakernel, exact),
        (everything(), many.clone(), Organisation::WavefrontSorted, exact),
        (surfaces(true), many.clone(), Organisation::WavefrontSorted, exact),
        (filtered::nearest(), many, Organisation::WavefrontSorted, TextureFilter::Hardware),
    ] {
        let engine = EngineOptions { texture_filter, ..EngineOptions::of(organisation) };
        let encoded = prepared.encoded(&engine).unwrap();
        let pixels = (options.size[0] * options.size[1]) as usize;
        let needed = CudaRenderer::least_memory(&encoded, &prepared.shading, &engine, &options, pixels);
        let total = needed.total() as u64;
        let device = Device::open(0).unwrap();
        driver.memory(total - 1);
        let (allocations, taken) = (driver.ask("allocations"), driver.ask("taken"));
        let error = needed.check(&device).unwrap_err();
        assert_eq!(error, RenderCudaError::Memory { needed, free: needed.total() - 1 });
        let text = error.to_string();
        assert!(["tree ", "records ", "images ", "film ", "paths "].iter().all(|part| text.contains(part)), "{text}");
        assert_eq!((driver.ask("allocations"), driver.ask("taken")), (allocations, taken));
        // Exactly so much is enough, with fewer paths at once than the picture has; and it is not asked for in vain.
        driver.memory(total);
        assert_eq!(needed.check(&device), Ok(()));
        assert_eq!(difference(&prepared.films(&options, engine.clone())), None, "{organisation:?}");
        driver.memory(total - 1100);
        let mut engine = prepared.engine(engine, 1);
        let context = RenderContext::by(&mut engine);
        let error = render(&prepared.shading, &prepared.camera, &prepared.tracer, &options, context).unwrap_err();
        assert!(error.to_string().contains("memory"), "{error}");
        drop(engine);
        driver.memory(1 << 30);
    }
}

#[test]
fn a_camera_far_outside_gets_the_same_picture_or_none() {
    let Some(_driver) = Driver::get() else { return };
    let mut prepared = room();
    prepared.camera = Camera::look_at([300.0, 40.0, 500.0], [0.0; 3], [0.0, 1.0, 0.0], 0.4).unwrap();
    let farthest_origin = LensRecord::new(&prepared.camera, small().size).farthest_origin();
    let engine = EngineOptions { farthest_origin, ..few(64).into() };
    assert_eq!(difference(&prepared.films(&small(), engine)), None);
    let mut engine = prepared.engine(few(64), 1);
    let context = RenderContext::by(&mut engine);
    let refused = render(&prepared.shading, &prepared.camera, &prepared.tracer, &small(), context);
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("8e0"), "{error}");
}

#[test]
fn scenes_for_which_f32_has_too_few_exponents_are_refused_with_their_size() {
    let triangle = |size: f32| FlatTriangles::from_vertices(vec![[[0.0; 3], [size, 0.0, 0.0], [0.0, size, size]]]);
    let variant = EngineOptions::default().variant();
    for (size, refused) in [(1e-13, true), (1e-11, false), (1.0, false), (1e17, false), (1e18, true)] {
        let triangles = triangle(size);
        let bvh = build(&triangles, &BuildOptions { max_leaf: 1, ..BuildOptions::default() }).unwrap();
        let encoded = CudaRenderer::encode(&variant, &bvh, &triangles, 0.0, |_| 0);
        let is_extent = matches!(encoded, Err(RenderCudaError::Extent { .. }));
        assert_eq!((encoded.is_err(), is_extent), (refused, refused), "{size}");
    }
}
