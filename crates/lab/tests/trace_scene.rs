//! The CPU's tracer and every kernel of the papers on a small scene, as `raywarp trace` asks them.

use raywarp::device::{BackendError, Plan, PlannedKernels, RayKernels};
use raywarp::scene::{Alpha, Description, FaceMaterials, Instance, Material, Mesh, ScalarInput};
use raywarp::trace::npy::{NpyError, NpyFault, write_rays};
use raywarp::trace::{
    Answers, Field, HitFormat, RayStream, StreamError, StreamOptions, TraceScene, TraceSceneError, Traced,
    surface_columns,
};
use raywarp::{Affine, BatchStats, BuildOptions, Control, Hit, PrepareError, Query, Ray, TraceError, TriangleMesh};
use raywarp_lab::ImitatedKernel;
use raywarp_lab::family::{Variant, papers};
use raywarp_lab::traverse::{Execution, KernelError};
use std::sync::Arc;

/// Rays that a scene traces at once.
const BATCH: usize = 1 << 18;

/// Two placements of a square of two triangles, the first at z = 2, the second at z = 1; full of holes.
fn two_squares() -> Description {
    let mut scene = Description::default();
    let mut holes = Material::diffuse("holes", [0.5; 3]);
    holes.alpha = Alpha::Blend { alpha: ScalarInput::constant(0.5) };
    let materials = FaceMaterials::Uniform(scene.add_material(holes));
    let triangles = TriangleMesh {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]],
        indices: vec![[0, 1, 2], [1, 3, 2]],
        ..Default::default()
    };
    let mesh = scene.add_mesh(Mesh { name: String::new(), triangles, materials });
    for z in [2.0, 1.0] {
        scene.instances.push(Instance { mesh, transform: Affine::translation([0.0, 0.0, z]), material: None });
    }
    scene
}

/// t, primitive, instance.
type Found = Option<(f32, u32, u32)>;

/// A ray along z from (x, x, 0), and what it must find.
fn rays() -> Vec<(Ray, Found)> {
    let ray = |x: f32, dz: f32| Ray::new([x, x, 0.0], [0.0, 0.0, dz]);
    vec![
        (ray(0.25, 1.0), Some((1.0, 0, 1))),
        (ray(0.75, 0.5), Some((2.0, 1, 1))),
        (ray(0.25, 1.0).with_interval(1.25, 9.0), Some((2.0, 0, 0))),
        (ray(0.75, 1.0).with_interval(1.25, 1.75), None),
        (ray(0.25, -1.0), None),
        (ray(1.25, 1.0), None),
        (ray(f32::NAN, 1.0), None),
    ]
}

fn engines() -> Vec<Option<ImitatedKernel>> {
    let on = |machine| papers().iter().map(move |row| Some(ImitatedKernel { variant: row.variant, machine }));
    let lockstep = on(Execution::Lockstep { width: 32 });
    std::iter::once(None).chain(lockstep).chain(on(Execution::Scalar)).collect()
}

/// The CPU's tracer, or a kernel that it imitates.
fn plan(kernel: Option<ImitatedKernel>) -> Plan {
    kernel.map_or_else(Plan::default, |kernel| Plan::own(Arc::new(kernel), BuildOptions::default()))
}

fn prepare(kernel: Option<ImitatedKernel>) -> TraceScene {
    TraceScene::new(&two_squares(), &plan(kernel)).unwrap()
}

#[test]
fn every_engine_finds_the_right_triangle_of_the_right_instance_holes_or_not() {
    let (rays, expected): (Vec<Ray>, Vec<_>) = rays().into_iter().unzip();
    for engine in engines() {
        let scene = prepare(engine);
        assert_eq!((scene.triangle_count(), scene.non_opaque_count()), (4, 4));
        let closest = scene.trace(&rays, Query::Closest, &Control::default()).unwrap();
        let by = scene.kernel(Query::Closest, 7);
        assert_eq!(closest.stats, BatchStats::of(by, 7).with_invalid(1), "{engine:?}");
        assert_eq!(by.as_str() == "cpu/wide8", engine.is_none(), "{by}");
        assert_eq!(closest.answers.hit_count(), 3);
        let Answers::Closest { hits, instances } = &closest.answers else { panic!("{closest:?}") };
        for (i, want) in expected.iter().enumerate() {
            let got = hits[i].is_hit().then_some((hits[i].t, hits[i].primitive, instances[i]));
            let near = |(a, b): (f32, f32)| (a - b).abs() < 1e-5;
            let same = got.map(|g| (g.1, g.2)) == want.map(|w| (w.1, w.2));
            assert!(same && got.zip(*want).is_none_or(|(g, w)| near((g.0, w.0))), "{engine:?}, ray {i}: {got:?}");
            if want.is_none() {
                assert_eq!((hits[i].t.to_bits(), instances[i]), (rays[i].t_max.to_bits(), Hit::MISS), "{engine:?}");
            }
        }
        let any = scene.trace(&rays, Query::Any, &Control::default()).unwrap();
        let blocked = expected.iter().map(Option::is_some).collect();
        assert_eq!(any.answers, Answers::Any { blocked }, "{engine:?}");
        assert_eq!((any.stats, any.answers.hit_count()), (closest.stats, 3));
    }
}

#[test]
fn more_rays_than_a_batch_stay_in_order() {
    let scene = prepare(None);
    // Every third one hits.
    let rays: Vec<Ray> = (0..2 * BATCH + 77)
        .map(|i| Ray::new([if i % 3 == 0 { 0.25 } else { 2.0 }, 0.5, 0.0], [0.0, 0.0, 1.0]))
        .collect();
    let any = scene.trace(&rays, Query::Any, &Control::default()).unwrap();
    assert_eq!(any.answers, Answers::Any { blocked: (0..rays.len()).map(|i| i % 3 == 0).collect() });
    let closest = scene.trace(&rays, Query::Closest, &Control::default()).unwrap();
    let Answers::Closest { hits, instances } = closest.answers else { panic!("not closest") };
    assert!((0..rays.len()).all(|i| hits[i].is_hit() == (i % 3 == 0) && (instances[i] == 1) == (i % 3 == 0)));
    let none = scene.trace(&[], Query::Any, &Control::default()).unwrap();
    assert_eq!((none.answers, none.stats), (Answers::Any { blocked: vec![] }, BatchStats::default()));
}

#[test]
fn answers_in_the_memory_of_others_are_those_in_new_memory() {
    let (rays, _): (Vec<Ray>, Vec<_>) = rays().into_iter().unzip();
    for engine in engines() {
        let (scene, mut traced) = (prepare(engine), Traced::default());
        // Fewer, more and none, and the other query between them.
        for (query, count) in [
            (Query::Closest, 7),
            (Query::Closest, 3),
            (Query::Any, 5),
            (Query::Any, 7),
            (Query::Any, 1),
            (Query::Closest, 6),
            (Query::Closest, 0),
        ] {
            let rays = &rays[7 - count..];
            scene.trace_into(rays, query, &Control::default(), &mut traced).unwrap();
            let right = scene.trace(rays, query, &Control::default()).unwrap();
            assert_eq!((&traced.answers, traced.stats), (&right.answers, right.stats), "{engine:?} {query:?} {count}");
        }
    }
}

#[test]
fn rays_that_a_kernel_would_answer_wrongly_are_refused() {
    let mut rays: Vec<Ray> = rays().into_iter().map(|(ray, _)| ray).collect();
    // One that looks back, behind one that is invalid and may have any interval.
    rays[6].t_min = -1.0;
    rays.push(Ray::new([0.25, 0.25, 3.0], [0.0, 0.0, 1.0]).with_interval(-1.5, 1.0));
    for engine in engines() {
        let traced = prepare(engine).trace(&rays, Query::Any, &Control::default());
        let integers = engine.is_some_and(|kernel| kernel.variant.needs().t_min_not_negative);
        match traced {
            Ok(traced) => {
                let Answers::Any { blocked } = traced.answers else { panic!("not any") };
                assert!(!integers && blocked[7], "{engine:?}");
            }
            Err(error) => {
                assert!(matches!(error, TraceSceneError::NegativeTMin { ray: 7, .. }) && integers, "{error}");
            }
        }
    }
}

#[test]
fn compressed_trees_get_small_leaves_and_others_what_was_asked() {
    for engine in engines() {
        let most = engine.map_or(8, |kernel| kernel.variant.tree().max_leaf());
        assert_eq!(prepare(engine).build_options().max_leaf, most.min(8));
    }
}

#[test]
fn a_scene_without_triangles_is_missed_and_machines_that_do_not_fit_are_refused() {
    for engine in engines() {
        let scene = TraceScene::new(&Description::default(), &plan(engine)).unwrap();
        let ray = [Ray::new([0.0; 3], [1.0; 3])];
        assert_eq!(scene.trace(&ray, Query::Any, &Control::default()).unwrap().answers.hit_count(), 0);
    }
    let refused = |text: &str, machine| {
        let kernel = ImitatedKernel { variant: text.parse().unwrap(), machine };
        match TraceScene::new(&two_squares(), &plan(Some(kernel))).err() {
            Some(TraceSceneError::Prepare(PrepareError::Backend(BackendError::Own(error)))) => {
                error.downcast::<KernelError>().ok().map(|error| *error)
            }
            _ => None,
        }
    };
    let narrow = refused("al09-wide32", Execution::Lockstep { width: 16 });
    assert!(matches!(narrow, Some(KernelError::Width { .. })));
    let gpu = refused("direct/while-while/bvh2?sync=implicit", Execution::Scalar);
    assert!(matches!(gpu, Some(KernelError::NeedsGpu { .. })));
}

#[test]
fn kernels_of_a_gpu_need_one() {
    let plan = Plan { kernels: PlannedKernels::Rays(RayKernels::default()), ..Plan::default() };
    let error = TraceScene::new(&two_squares(), &plan).err().unwrap();
    assert!(matches!(error, TraceSceneError::Prepare(PrepareError::Backend(BackendError::NoGpu))), "{error}");
}

#[test]
fn a_cancelled_batch_says_so() {
    let cancel = std::sync::atomic::AtomicBool::new(true);
    let control = Control { cancel: Some(&cancel), ..Control::default() };
    let result = prepare(None).trace(&[Ray::new([0.0; 3], [1.0; 3])], Query::Closest, &control);
    assert!(matches!(result, Err(TraceSceneError::Trace(TraceError::Cancelled))));
}

#[test]
fn positions_and_normals_are_those_of_the_placed_triangles() {
    let mut scene = two_squares();
    // Mirrored: its winding turns over, its front does not. And stretched, which turns normals.
    let mirrored = Affine::translation([0.0, 0.0, 5.0]).after(&Affine::scale([1.0, 1.0, -1.0]));
    let slanted = Affine { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 8.0]] };
    scene.instances[0].transform = mirrored;
    scene.instances[1].transform = slanted;
    let from = |z: f32| Ray::new([0.25, 0.5, z], [0.0, 0.0, 1.0]);
    let rays = [from(0.0), from(6.0), from(20.0)];
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let expected = [([0.25, 0.5, 5.0], [0.0, 0.0, -1.0]), ([0.25, 0.5, 8.25], [-half, 0.0, half])];
    for engine in engines() {
        let traced = TraceScene::new(&scene, &plan(engine)).unwrap();
        let answers = traced.trace(&rays, Query::Closest, &Control::default()).unwrap().answers;
        let fields = [Field::Normal, Field::Position, Field::Normal];
        let [normals, positions] = &surface_columns(&scene, &answers, &fields)[..] else { panic!("two columns") };
        assert_eq!((normals.field, positions.field), (Field::Normal, Field::Position));
        for (i, (position, normal)) in expected.iter().enumerate() {
            let near =
                |got: [f64; 3], want: &[f32; 3]| got.iter().zip(want).all(|(a, &b)| (a - f64::from(b)).abs() < 1e-5);
            assert!(near(positions.values.get(i), position), "{engine:?}, ray {i}: {:?}", positions.values.get(i));
            assert!(near(normals.values.get(i), normal), "{engine:?}, ray {i}: {:?}", normals.values.get(i));
        }
        assert!(positions.values.get(2).iter().chain(&normals.values.get(2)).all(|x| x.is_nan()));
        let any = traced.trace(&rays, Query::Any, &Control::default()).unwrap().answers;
        assert_eq!(surface_columns(&scene, &any, &fields), []);
    }
}

#[test]
fn an_invalid_ray_misses_with_its_own_t_max_whatever_it_is() {
    let ray = Ray::new([0.25, 0.25, 0.0], [0.0, 0.0, 1.0]);
    let rays = [
        ray.with_interval(0.0, f32::NAN),
        ray.with_interval(f32::NAN, 4.0),
        Ray { direction: [0.0; 3], ..ray },
        Ray { origin: [f32::INFINITY, 0.0, 0.0], t_max: -2.0, ..ray },
    ];
    for engine in engines() {
        let traced = prepare(engine).trace(&rays, Query::Closest, &Control::default()).unwrap();
        assert_eq!(traced.stats.invalid, 4, "{engine:?}");
        let Answers::Closest { hits, instances } = traced.answers else { panic!("not closest") };
        for ((hit, instance), ray) in hits.iter().zip(instances).zip(&rays) {
            let ids = (hit.primitive, instance, hit.u, hit.v);
            assert_eq!(ids, (Hit::MISS, Hit::MISS, 0.0, 0.0), "{engine:?}");
            assert_eq!((hit.t.is_nan(), hit.t == ray.t_max), (ray.t_max.is_nan(), !ray.t_max.is_nan()), "{engine:?}");
        }
    }
}

fn some_rays() -> Vec<Ray> {
    (0..100).map(|i| Ray::new([(i * 37 % 101) as f32 / 80.0, 0.25, 0.0], [0.0, 0.0, 1.0])).collect()
}

#[test]
fn what_is_wrong_with_later_rays_is_said_with_their_number_and_place() {
    let scene = two_squares();
    let needy = |variant: &Variant| variant.needs().t_min_not_negative;
    let variant = papers().iter().map(|row| row.variant).find(needy).unwrap();
    let tracer = prepare(Some(ImitatedKernel { variant, machine: Execution::Scalar }));
    let mut rays = some_rays();
    rays[77].t_min = -1.0;
    let file = write_rays(&rays);
    let options = StreamOptions { query: Query::Closest, format: HitFormat::Npy, fields: &[] };
    let run = |bytes: &[u8], portion| {
        let mut stream = RayStream::new("a.npy", bytes, portion)?;
        stream.trace(&tracer, &scene, &options, &Control::default(), &mut std::io::sink())
    };
    let error = run(&file, 10).unwrap_err();
    assert!(matches!(error, StreamError::Trace(TraceSceneError::NegativeTMin { ray: 77, .. })), "{error}");
    let fault = |bytes: &[u8]| match run(bytes, 10) {
        Err(StreamError::Rays(NpyError::Malformed { fault, .. })) => fault,
        other => panic!("{other:?}"),
    };
    let good = write_rays(&some_rays());
    let count = some_rays().len() as u64;
    assert_eq!(fault(&good[..good.len() - 1]), NpyFault::TooShort { rays: count, bytes: 32 });
    assert_eq!(fault(&[&good[..], b"x"].concat()), NpyFault::TooLong { rays: count });
    // Of a file the length is known before.
    for length in [good.len() as u64 - 1, good.len() as u64 + 1] {
        assert!(RayStream::with_length("a.npy", &good[..], length, 10).is_err());
    }
    assert!(RayStream::with_length("a.npy", &good[..], good.len() as u64, 10).is_ok());
}
