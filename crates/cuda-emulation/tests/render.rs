//! Pictures of the path tracer's kernels, emulated under a pretended driver: those of the CPU's renderer, bit for bit.

use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_cuda::Device;
use raywarp_family::Variant;
use raywarp_geom::FlatTriangles;
use raywarp_render::film::{Film, Window};
use raywarp_render::twins::{flat, scene_of_everything};
use raywarp_render::{DirectLight, RenderOptions, ShadingScene, Unobserved, Watch, render_onto, render_with};
use raywarp_render_cuda::{CudaRenderer, EngineOptions, FeatureSet, Organisation, tree_variant};
use raywarp_scene::{Camera, FilterKind, SamplerKind, Scene, flatten};
use raywarp_traverse::{FamilyTracer, Kernel, Machine};
use std::sync::Arc;

#[path = "common/pretended.rs"]
mod pretended;
use pretended::Driver;

/// A scene, its tree, and what traces on the CPU with the bits of the kernels.
struct Prepared {
    scene: Scene,
    shading: ShadingScene,
    triangles: FlatTriangles,
    bvh: Bvh2,
    tracer: FamilyTracer,
    camera: Camera,
}

impl Prepared {
    fn new(scene: Scene, camera: Camera) -> Self {
        let variant: Variant = tree_variant().unwrap();
        let triangles = flatten(&scene).unwrap();
        let options = BuildOptions { max_leaf: variant.tree().max_leaf(), ..BuildOptions::default() };
        let bvh = build(&triangles, &options).unwrap();
        let tracer = FamilyTracer::new(Kernel::new(&variant, &bvh, &triangles).unwrap(), Machine::Scalar).unwrap();
        Self { shading: flat(&scene), scene, triangles, bvh, tracer, camera }
    }

    fn engine(&self, options: EngineOptions) -> CudaRenderer {
        let device = Device::open(0).unwrap();
        let mut first = vec![0];
        for instance in &self.scene.instances {
            let count = self.scene.meshes[instance.mesh.index()].triangles.indices.len() as u32;
            first.push(first[first.len() - 1] + count);
        }
        let tree = CudaRenderer::tree(&device, &self.bvh, &self.triangles, |i| first[i as usize]).unwrap();
        CudaRenderer::new(&device, Arc::new(tree), &self.shading, options).unwrap()
    }

    /// The films of the CPU and of the kernels.
    fn films(&self, options: &RenderOptions, engine: EngineOptions) -> [Film; 2] {
        let film = || Film::of(Window::new(options.size, options.crop).unwrap(), options.features).unwrap();
        let watch = Watch::default();
        let cpu = render_onto(&self.shading, &self.camera, &self.tracer, options, &watch, &Unobserved, film()).unwrap();
        let mut engine = self.engine(engine);
        let rendered =
            render_with(&self.shading, &self.camera, &self.tracer, options, &watch, film(), &mut engine).unwrap();
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
    let camera = Camera::look_at([0.3, 0.4, 5.5], [0.0; 3], [0.0, 1.0, 0.0], 50.0).unwrap();
    Prepared::new(scene_of_everything(), camera)
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
        RenderOptions {
            features: false,
            ..options(SamplerKind::PaddedHalton, DirectLight::Scattering, FilterKind::Box { radius: 0.5 })
        },
    ];
    let mut faults = Vec::new();
    for options in &cases {
        for organisation in Organisation::ALL {
            // More paths than a batch holds, and fewer.
            for paths in [100, 1 << 12] {
                let films = prepared.films(options, EngineOptions { organisation, paths });
                let place = format!("{organisation:?}, {paths} paths, {:?}", options.sampler);
                faults.extend(difference(&films).map(|fault| format!("{place}: {fault}")));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
