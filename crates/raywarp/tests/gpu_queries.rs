//! Queries of library users on GPUs, or rather on a pretended driver with emulated kernels.

use raywarp::cpu::RayExtra;
use raywarp::cuda::{CudaError, DriverCall};
use raywarp::device::{Amount, BackendError, DeviceChoice, OneOfGpus, PlanReason, PlannedDevice, rays_worth_a_gpu};
use raywarp::{
    Aabb, Affine64, BatchError, Control, Filter, Geometry, GeometryHit, Ray, Ray64, Scene, SceneError, SceneOptions,
    SurfaceHit, TraceError, TriangleMesh,
};
use std::sync::Arc;

#[path = "../../cuda-emulation/tests/common/pretended.rs"]
mod pretended;
use pretended::{Driver, NEVER};

/// Bumpy sheets above each other.
fn meshes() -> Vec<TriangleMesh> {
    let sheet = |z: usize| {
        let mut mesh = TriangleMesh::default();
        for i in 0..64 {
            let [x, y] = [i % 8, i / 8];
            mesh.positions.push([x as f32, y as f32, (10 * z + (x * 7 + y * 5) % 3) as f32]);
            if x < 7 && y < 7 {
                let first = i as u32;
                mesh.indices.extend([[first, first + 1, first + 9], [first, first + 9, first + 8]]);
            }
        }
        mesh
    };
    (0..3).map(sheet).collect()
}

/// The scene of these meshes, each placed once, with batches on `device`.
fn scene(meshes: &[TriangleMesh], device: DeviceChoice) -> Result<Scene, SceneError> {
    let mut builder = Scene::builder();
    for mesh in meshes {
        let mesh = builder.mesh(&mesh.positions, &mesh.indices);
        builder.instance(mesh, Affine64::IDENTITY, u32::MAX, 0);
    }
    builder.build(&SceneOptions { device, ..SceneOptions::default() }, &Control::default())
}

/// Rays through edges, corners and faces, some beside everything and some invalid.
fn rays(count: usize) -> Vec<Ray> {
    let ray = |i: usize| {
        let at = |k: usize| (i * k % 67) as f32 / 8.0 - 0.5;
        let start = if i % 31 == 7 { f32::NAN } else { 25.0 };
        Ray::new([at(5), at(29), start], [0.0, 0.01 * (i % 5) as f32, -1.0])
    };
    (0..count).map(ray).collect()
}

/// The GPUs that trace large batches, in the order of their shares.
fn gpus(bvh: &Scene) -> Vec<usize> {
    let plan = bvh.plan();
    assert!(plan.gpus().iter().all(|device| device.name() == "pretended GPU"), "{plan:?}");
    plan.gpus().iter().map(raywarp::cuda::Device::ordinal).collect()
}

/// Why the CPU traces large batches.
fn reason(bvh: &Scene) -> PlanReason {
    let plan = bvh.plan();
    assert!(matches!(plan.device, PlannedDevice::Cpu), "{plan:?}");
    plan.reason
}

type Answers = (Vec<Option<[u32; 5]>>, Vec<u32>);

fn ask(bvh: &Scene, rays: &[Ray]) -> Result<Answers, BatchError> {
    Ok(ask_by(bvh, rays)?.0)
}

/// Kernels, each with the rays that it answered.
type ByKernel = Vec<(&'static str, u64)>;

/// The answers, and who gave those to both questions.
fn ask_by(bvh: &Scene, rays: &[Ray]) -> Result<(Answers, ByKernel), BatchError> {
    let mut hits = vec![None; rays.len()];
    let mut stats = bvh.closest_batch(rays, &mut hits, &Control::default())?;
    let mut blocked = vec![0; rays.len().div_ceil(32)];
    stats += bvh.any_bits(rays, &mut blocked, &Control::default())?;
    let kernels: Vec<_> = stats.kernels.iter().map(|(kernel, rays)| (kernel.as_str(), rays)).collect();
    assert_eq!(kernels.iter().map(|(_, rays)| rays).sum::<u64>(), 2 * rays.len() as u64);
    let bits = |hit: &SurfaceHit| [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.instance, hit.primitive];
    let hits = hits.iter().map(|hit| hit.as_ref().map(bits)).collect();
    Ok(((hits, blocked), kernels))
}

#[test]
fn batches_on_gpus_have_the_hits_of_the_cpu_in_order_and_single_rays_go_on_without() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(3);
    let cpu = scene(&meshes(), DeviceChoice::Cpu).unwrap();
    for (choice, ordinals) in [
        (DeviceChoice::Cuda(vec![0]), &[0][..]),
        (DeviceChoice::Cuda(vec![2, 0]), &[2, 0]),
        (DeviceChoice::AllCuda, &[0, 1, 2]),
    ] {
        let bvh = scene(&meshes(), choice.clone()).unwrap();
        assert_eq!(gpus(&bvh), ordinals);
        assert!(matches!(bvh.plan().reason, PlanReason::Asked));
        // Fewer than devices, by the kernel for few rays, and by the other.
        for count in [0, 1, 70, 3000] {
            let rays = rays(count);
            assert!(ask(&bvh, &rays) == ask(&cpu, &rays), "{choice}, {count} rays");
        }
        // Whatever becomes of the driver.
        driver.fails_at(0, false);
        for ray in &rays(50) {
            assert_eq!((bvh.closest(ray), bvh.any(ray)), (cpu.closest(ray), cpu.any(ray)));
            assert!(bvh.all(ray).eq(cpu.all(ray)));
        }
        assert!(matches!(ask(&bvh, &rays(70)), Err(BatchError::Trace(TraceError::Device(_)))));
        driver.fails_at(NEVER, false);
        // Rays in f64 are the CPU's, which is not taken without a word.
        let doubles = [Ray64::new([0.0; 3], [0.0, 0.0, 1.0]); 2];
        let (control, mut hits) = (Control::default(), [None; 2]);
        assert_eq!(bvh.closest_batch(&doubles, &mut hits, &control), Err(BatchError::DoublesOnGpu));
        assert_eq!(bvh.any_batch(&doubles, &mut [false; 2], &control), Err(BatchError::DoublesOnGpu));
        assert!(cpu.closest_batch(&doubles, &mut hits, &control).is_ok());
        assert_eq!(bvh.closest(&doubles[0]), cpu.closest(&doubles[0]));
    }
}

/// Geometry without primitives.
struct Nothing;

impl Geometry for Nothing {
    fn len(&self) -> usize {
        0
    }

    fn bounds(&self, _: u32) -> Aabb {
        Aabb::EMPTY
    }

    fn intersect(&self, _: u32, _: &Ray) -> Option<GeometryHit> {
        None
    }
}

#[test]
fn gpus_take_no_custom_geometry() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(1);
    let built = |device: DeviceChoice, is_placed: bool| {
        let mut builder = Scene::builder();
        let custom = builder.custom(Arc::new(Nothing));
        if is_placed {
            builder.instance(custom, Affine64::IDENTITY, u32::MAX, 0);
        }
        builder.build(&SceneOptions { device, ..SceneOptions::default() }, &Control::default())
    };
    let error = built(DeviceChoice::Cuda(vec![0]), true).unwrap_err();
    assert!(matches!(error, SceneError::CustomOnGpu { mesh: 0 }), "{error}");
    assert!(built(DeviceChoice::Cuda(vec![0]), false).is_ok() && built(DeviceChoice::Auto, true).is_ok());
}

#[test]
fn gpus_take_nothing_that_moves_and_no_masks_and_times_of_rays() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(1);
    let up = |z: f64| Affine64::translation([0.0, 0.0, z]);
    let sheet = [[0.0f32, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];
    let built = |device: DeviceChoice, moves: bool| {
        let mut builder = Scene::builder();
        let mesh = builder.mesh(&sheet, &[[0, 1, 2]]);
        builder.instance(mesh, up(0.0), 1, 0);
        if moves {
            builder.moving(mesh, [up(1.0), up(2.0)], u32::MAX, 0);
        }
        builder.build(&SceneOptions { device, ..SceneOptions::default() }, &Control::default())
    };
    let gpu = DeviceChoice::Cuda(vec![0]);
    let error = built(gpu.clone(), true).unwrap_err();
    assert!(matches!(error, SceneError::MovingOnGpu { instance: 1 }), "{error}");
    assert!(built(DeviceChoice::Auto, true).is_ok());
    let scene = built(gpu, false).unwrap();
    let (rays, control) = ([Ray::new([0.2, 0.2, 0.0], [0.0, 0.0, 1.0]); 2], Control::default());
    let (mut hits, extras) = ([None; 2], [RayExtra::default(); 2]);
    let all = scene.with(Filter::new());
    for (filtered, extras) in [(&all, &extras[..]), (&scene.with(Filter::new().mask(1)), &[])] {
        let error = filtered.closest_batch(&rays, extras, &mut hits, &control).unwrap_err();
        assert_eq!(error, BatchError::FilterOnGpu);
        assert_eq!(filtered.any_batch(&rays, extras, &mut [false; 2], &control), Err(BatchError::FilterOnGpu));
        assert!(filtered.all_batch(&rays, extras, &control).is_ok_and(|(starts, _)| starts == [0, 1, 2]));
        assert_eq!(filtered.closest(&rays[0]).map(|hit| hit.t), Some(1.0));
    }
    assert!(all.closest_batch(&rays, &[], &mut hits, &control).is_ok() && hits[1].is_some());
}

#[test]
fn statistics_name_the_kernels_that_answered() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let cpu = scene(&meshes(), DeviceChoice::Cpu).unwrap();
    assert_eq!(ask_by(&cpu, &rays(70)).unwrap().1, [("cpu/wide8", 140)]);
    let [many, few] =
        ["replace/phased/h8?batch=exact&occlusion=far&refill=80", "direct/phased/h8?occlusion=far&step=75&test=37"];
    for choice in [DeviceChoice::Cuda(vec![0]), DeviceChoice::AllCuda] {
        let bvh = scene(&meshes(), choice.clone()).unwrap();
        for (count, kernel) in [(70, few), (3000, many)] {
            assert_eq!(ask_by(&bvh, &rays(count)).unwrap().1, [(kernel, 2 * count as u64)], "{choice}");
        }
        assert_eq!(ask_by(&bvh, &[]).unwrap().1, []);
    }
    // Beyond what any kernel of a GPU is sure of: the CPU, and so it is said.
    let mut far = meshes();
    far.iter_mut().flat_map(|mesh| &mut mesh.positions).flatten().for_each(|x| *x *= 1e31);
    let far_rays: Vec<Ray> =
        rays(300).into_iter().map(|ray| Ray { origin: ray.origin.map(|x| x * 1e31), ..ray }).collect();
    let bvh = scene(&far, DeviceChoice::Cuda(vec![1])).unwrap();
    let (answers, kernels) = ask_by(&bvh, &far_rays).unwrap();
    assert!(answers == ask(&scene(&far, DeviceChoice::Cpu).unwrap(), &far_rays).unwrap());
    assert_eq!(kernels, [("cpu/wide8", 600)]);
    let why = reason(&bvh);
    let PlanReason::NoKernelHolds(cause) = why else { panic!("{why:?}") };
    assert!(matches!(cause.downcast_ref(), Some(CudaError::Unsure { .. })), "{cause:?}");
}

#[test]
fn a_gpu_that_was_named_and_is_not_there_or_fails_is_an_error_that_says_so() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let error = |choice| scene(&meshes(), choice).err().unwrap();
    let is_missing = |error: SceneError, asked, there| {
        let none = CudaError::NoDevice { ordinal: asked, count: there };
        assert!(matches!(&error, SceneError::Backend(BackendError::Cuda(error)) if *error == none), "{error:?}");
    };
    is_missing(error(DeviceChoice::Cuda(vec![0, 2])), 2, 2);
    driver.device_memory(1, 1000);
    let full = error(DeviceChoice::AllCuda);
    let SceneError::Backend(BackendError::OneOfGpus(OneOfGpus { ordinal: 1, error: of_it })) = full else {
        panic!("{full:?}")
    };
    assert!(matches!(*of_it, CudaError::OutOfMemory { what: "the scene", free: 1000, .. }), "{of_it:?}");
    assert!(matches!(error(DeviceChoice::Cuda(vec![1])), SceneError::Backend(BackendError::Cuda(_))));
    driver.devices(0);
    is_missing(error(DeviceChoice::AllCuda), 0, 0);
}

/// Has a pool of one thread, whose rule is about the fewest rays.
fn on_one_thread(test: impl FnOnce() + Send) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(test);
}

/// Asks for almost as many rays as are worth a GPU.
fn ask_many(bvh: &Scene) {
    let mut many = rays_worth_a_gpu(3 * 98, 1).unwrap() as usize - 1;
    let rays = vec![Ray::new([50.0; 3], [1.0, 0.0, 0.0]); 1 << 20];
    while many > 0 {
        let some = &rays[..many.min(rays.len())];
        bvh.any_bits(some, &mut vec![0; some.len().div_ceil(32)], &Control::default()).unwrap();
        many -= some.len();
    }
}

#[test]
fn auto_starts_a_gpu_once_the_rays_are_worth_it_and_keeps_small_batches_on_the_cpu() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    driver.device_memory(0, 1000);
    on_one_thread(|| {
        let cpu = scene(&meshes(), DeviceChoice::Cpu).unwrap();
        let bvh = scene(&meshes(), DeviceChoice::Auto).unwrap();
        ask_many(&bvh);
        let waiting = reason(&bvh);
        let worth = rays_worth_a_gpu(3 * 98, 1).unwrap();
        let PlanReason::TooLittle { work: Amount::Rays(asked), least } = waiting else { panic!("{waiting:?}") };
        assert_eq!((asked, least), (worth - 1, worth));
        let rays = rays(1000);
        // The first has no room.
        assert!(ask(&bvh, &rays) == ask(&cpu, &rays));
        assert_eq!(gpus(&bvh), [1]);
        let PlanReason::WorthAGpu { work: Amount::Rays(asked), left_out } = bvh.plan().reason else {
            panic!("not worth it")
        };
        assert!(asked >= worth && left_out.len() == 1 && left_out[0].ordinal == 0, "{left_out:?}");
        let calls = driver.ask("calls");
        assert!(ask(&bvh, &rays[..299]) == ask(&cpu, &rays[..299]));
        assert_eq!(driver.ask("calls"), calls);
        assert!(ask(&bvh, &rays[..300]) == ask(&cpu, &rays[..300]));
        assert!(driver.ask("calls") > calls);
        // It fails in the middle of its work: the CPU goes on, with the same hits.
        driver.fails_at(5, false);
        assert!(ask(&bvh, &rays) == ask(&cpu, &rays));
        let failed = reason(&bvh);
        let PlanReason::Failed(cause) = &failed else { panic!("{failed:?}") };
        let Some(TraceError::Device(message)) = cause.downcast_ref() else { panic!("{cause:?}") };
        assert!(message.contains("CUDA_ERROR_") && failed.is_loss(), "{message}");
        driver.fails_at(NEVER, false);
        assert!(ask(&bvh, &rays) == ask(&cpu, &rays));
    });
}

/// The error of CUDA that a reason holds, as it is or as the error of a backend.
fn cuda_error<'e>(cause: &'e (dyn std::error::Error + Send + Sync + 'static)) -> Option<&'e CudaError> {
    cause.downcast_ref().or_else(|| match cause.downcast_ref()? {
        BackendError::Cuda(error) => Some(error),
        _ => None,
    })
}

#[test]
fn auto_goes_on_with_the_cpu_where_no_gpu_starts_and_says_what_happened() {
    let Some(driver) = Driver::get() else { return };
    on_one_thread(|| {
        let (cpu, rays) = (scene(&meshes(), DeviceChoice::Cpu).unwrap(), rays(1000));
        type Case<'a> = (&'a dyn Fn(), &'a dyn Fn(&PlanReason) -> bool);
        let has_no_room = |reason: &PlanReason| match reason {
            PlanReason::NoneUsable(gpus) => {
                gpus.len() == 1
                    && gpus[0].ordinal == 0
                    && matches!(cuda_error(&*gpus[0].cause), Some(CudaError::OutOfMemory { what: "the scene", .. }))
            }
            _ => false,
        };
        let fails = |reason: &PlanReason| match reason {
            PlanReason::DriverFails(cause) => {
                matches!(cuda_error(&**cause), Some(CudaError::Driver { doing: DriverCall::CountDevices, .. }))
            }
            _ => false,
        };
        let cases: [Case; 3] = [
            (&|| driver.devices(0), &|reason| matches!(reason, PlanReason::NoGpu)),
            (&|| driver.memory(1000), &has_no_room),
            (&|| driver.fails_at(0, false), &fails),
        ];
        for (number, (plan, is_it)) in cases.into_iter().enumerate() {
            let bvh = scene(&meshes(), DeviceChoice::Auto).unwrap();
            ask_many(&bvh);
            plan();
            let answers = ask(&bvh, &rays);
            driver.fails_at(NEVER, false);
            driver.devices(1);
            driver.memory(1 << 30);
            let why = reason(&bvh);
            assert!(answers == ask(&cpu, &rays), "case {number}: {why:?}");
            assert!(is_it(&why), "case {number}: {why:?}");
        }
    });
}
