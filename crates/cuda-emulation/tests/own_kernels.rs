//! Kernels of somebody else's, which include kernels/raywarp.h alone: queries/own.cu, which docs/guide/gpu-programs.md shows, and that of
//! examples/device-rays. On a pretended driver, with trees as the library uploads them, they get the bits of the CPU's tracer,
//! whoever asks together. Where NVRTC is, it compiles them.

use crate::common::pretended::Driver;
use crate::common::{SEVERAL, scenes};
use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};
use raywarp_bvh::{Bvh2, build, presets};
use raywarp_cpu::CpuTracer;
use raywarp_cuda::{
    BLOCK_THREADS, Device, DeviceScene, Encoding, HEADER_OPTIONS, Stream, TreeRecord, header, with_header,
};
use raywarp_family::Variant;
use raywarp_geom::{Candidate, Control, FlatTriangles, Hit, HitKey, Ray, Tracer};
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

/// The kernel that docs/guide/gpu-programs.md shows.
const SHOWN: &str = include_str!("../queries/own.cu");
/// That of the example.
const EXAMPLE: &str = include_str!("../../../examples/device-rays/src/occlusion.cu");

/// Two blocks of two warps, the last one of which is not full.
const RAYS: usize = 3 * 32 + 7;

/// How lanes come to ask: all at once; parted before, one part after the other; by masks.
const WAYS: u32 = 3;

/// As in queries/own.h.
#[repr(C)]
struct OwnRays {
    tree: TreeRecord,
    rays: u64,
    hits: u64,
    shadows: u64,
    count: u32,
    way: u32,
}

/// As in queries/own.h.
#[repr(C)]
struct OwnPicture {
    tree: TreeRecord,
    corners: u64,
    open: u64,
    asked: u64,
    size: [u32; 2],
    eye: [f32; 3],
    unused: u32,
}

/// Rays of a hit point of the example's.
const OCCLUSION_RAYS: usize = 8;

type Handle = *mut c_void;
type Launch =
    extern "C" fn(Handle, u32, u32, u32, u32, u32, u32, u32, Handle, *mut *const c_void, *mut *const c_void) -> i32;

/// Launches a kernel of queries/own.cpp as a program does that has it compiled by itself.
fn launch<P>(driver: &Driver, device: &Device, stream: &Stream, name: &CStr, threads: usize, parameter: &P) {
    // SAFETY: the functions have these types in driver/driver.cpp, as in NVIDIA's.
    let (set_current, load, find, launch) = unsafe {
        (
            driver.function::<extern "C" fn(Handle) -> i32>("cuCtxSetCurrent"),
            driver.function::<extern "C" fn(*mut Handle, *const c_void) -> i32>("cuModuleLoadData"),
            driver.function::<extern "C" fn(*mut Handle, Handle, *const i8) -> i32>("cuModuleGetFunction"),
            driver.function::<Launch>("cuLaunchKernel"),
        )
    };
    let (mut module, mut function) = (null_mut(), null_mut());
    assert_eq!(set_current(device.raw_context()), 0);
    assert_eq!(load(&raw mut module, c"\x7fELF".as_ptr().cast()), 0);
    assert_eq!(find(&raw mut function, module, name.as_ptr()), 0);
    let blocks = (threads as u32).div_ceil(BLOCK_THREADS);
    let mut parameters = [std::ptr::from_ref(parameter).cast()];
    let place = parameters.as_mut_ptr();
    assert_eq!(launch(function, blocks, 1, 1, BLOCK_THREADS, 1, 1, 0, stream.raw(), place, null_mut()), 0);
}

/// The words of `raywarp::Hit`, and of `raywarp::AnyHit`.
type HitWords = [u32; 5];
type AnyHitWords = [u32; 6];

/// What own kernels are told of rays.
fn traced(
    driver: &Driver,
    bvh: &Bvh2,
    triangles: &FlatTriangles,
    rays: &[Ray],
    way: u32,
) -> (Vec<HitWords>, Vec<AnyHitWords>) {
    let device = Device::open(0).unwrap();
    let stream = device.stream().unwrap();
    let scene = DeviceScene::for_kernels(&device, &stream, bvh, triangles).unwrap();
    let own_rays = stream.upload(rays).unwrap();
    let (mut hits, mut shadows) =
        (stream.zeros::<HitWords>(rays.len()).unwrap(), stream.zeros::<AnyHitWords>(rays.len()).unwrap());
    let parameter = OwnRays {
        tree: scene.tree(&stream),
        rays: own_rays.address(&stream),
        hits: hits.address_mut(&stream),
        shadows: shadows.address_mut(&stream),
        count: rays.len() as u32,
        way,
    };
    launch(driver, &device, &stream, c"own_rays", rays.len(), &parameter);
    let mut found = (vec![[0; 5]; rays.len()], vec![[0; 6]; rays.len()]);
    stream.read(&hits, &mut found.0).unwrap();
    stream.read(&shadows, &mut found.1).unwrap();
    found
}

fn words(hit: &Hit, instance: u32) -> HitWords {
    [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), instance, hit.primitive]
}

/// What the CPU's tracer says: hits, and for any-hit rays whether they are blocked, and the candidates.
fn expected(cpu: &CpuTracer, rays: &[Ray]) -> (Vec<HitWords>, Vec<bool>, Vec<Candidate>) {
    let (mut hits, mut instances) = (vec![Hit::default(); rays.len()], vec![0; rays.len()]);
    let control = Control::default();
    cpu.closest(rays, &[], &mut hits, &mut instances, &control).unwrap();
    let (mut blocked, mut undecided) = (vec![0; rays.len().div_ceil(32)], Vec::new());
    let none: &[HitKey] = &[];
    cpu.any(rays, none, &mut blocked, &mut undecided, &control).unwrap();
    let is_blocked = |i: usize| blocked[i / 32] >> (i % 32) & 1 == 1;
    let hits = hits.iter().zip(instances).map(|(hit, instance)| words(hit, instance)).collect();
    (hits, (0..rays.len()).map(is_blocked).collect(), undecided)
}

#[test]
fn kernels_of_others_get_the_bits_of_the_cpus_tracer_whoever_asks_together() {
    let Some(driver) = Driver::get() else { return };
    let (mut faults, mut hits_seen, mut blocked_seen, mut candidates_seen) = (Vec::new(), 0, 0, 0);
    let h8 = raywarp_cuda::ASKED_VARIANT;
    for (number, scene) in scenes().iter().enumerate() {
        let (bvh, triangles, rays) = (scene.tree(&h8), &scene.case.triangles, scene.some_rays(RAYS));
        let (hits, blocked, candidates) = expected(&CpuTracer::new(bvh, triangles).unwrap(), &rays);
        for way in 0..WAYS {
            let order = (number as u64 + u64::from(way)) % 4;
            driver.order(order);
            let (got_hits, got_shadows) = traced(&driver, bvh, triangles, &rays, way);
            for (i, ray) in rays.iter().enumerate() {
                let candidate = candidates.iter().find(|candidate| candidate.ray == i as u32);
                let got = got_shadows[i];
                let same = got_hits[i] == hits[i]
                    && (got[0] & 0xff != 0) == blocked[i]
                    && match candidate {
                        Some(candidate) => got[1..] == words(&candidate.hit, candidate.instance),
                        None => got[5] == Hit::MISS,
                    };
                if !same {
                    let place = format!("{}, way {way}, order {order}, ray {i}", scene.case.name);
                    let want = (hits[i], blocked[i], candidate);
                    faults.push(format!("{place}: {ray:?}: {:?}, {got:?} instead of {want:?}", got_hits[i]));
                }
                hits_seen += usize::from(hits[i][4] != Hit::MISS);
                blocked_seen += usize::from(blocked[i]);
                candidates_seen += usize::from(candidate.is_some());
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults[..faults.len().min(SEVERAL)].join("\n"));
    assert!(hits_seen > 1000 && blocked_seen > 1000 && candidates_seen > 10);
}

/// Rays from far outside are what the tree's test leaves: they are traced again within the call.
#[test]
fn rays_from_beyond_the_trees_reach_are_answered_in_the_same_call() {
    let Some(driver) = Driver::get() else { return };
    let scene = crate::common::cloud::scene(1);
    let bvh = build(&scene.triangles, &presets::SINGLE).unwrap();
    let far = |i: usize| {
        let towards = scene.triangles.vertices[i].map(|corner| corner.map(|x| x / 3.0));
        let target: [f32; 3] = std::array::from_fn(|axis| towards.iter().map(|corner| corner[axis]).sum());
        // A third of them begins within the tree's reach.
        let scale = if i.is_multiple_of(3) { 5e-4 } else { 1.0 + (i % 7) as f32 };
        let origin: [f32; 3] = std::array::from_fn(|axis| [-3000.0, 2000.0, 500.0][axis] * scale);
        Ray::new(origin, std::array::from_fn(|axis| target[axis] - origin[axis]))
    };
    let rays: Vec<Ray> = (0..RAYS).map(far).collect();
    let farthest = |p: [f32; 3]| p.map(f32::abs).into_iter().fold(0.0, f32::max);
    let reach = scene.triangles.vertices.iter().flatten().copied().map(farthest).fold(0.0, f32::max);
    let beyond = rays.iter().filter(|ray| farthest(ray.origin) > 2.0 * reach).count();
    assert!(beyond > RAYS / 2 && beyond < RAYS * 3 / 4);
    let (hits, blocked, _) = expected(&CpuTracer::new(&bvh, &scene.triangles).unwrap(), &rays);
    assert!(hits.iter().filter(|hit| hit[4] != Hit::MISS).count() > RAYS / 2);
    for way in 0..WAYS {
        driver.order(2 + u64::from(way));
        let (got_hits, got_shadows) = traced(&driver, &bvh, &scene.triangles, &rays, way);
        assert_eq!(got_hits, hits);
        assert!(got_shadows.iter().map(|words| words[0] & 0xff != 0).eq(blocked.iter().copied()));
    }
}

#[test]
fn the_example_asks_from_what_it_hits_and_is_answered_as_by_the_cpu() {
    let Some(driver) = Driver::get() else { return };
    const SIZE: [u32; 2] = [21, 15];
    const PIXELS: usize = 21 * 15;
    let mut triangles = crate::common::cloud::scene(1).triangles;
    triangles.opaque.fill(true);
    let bvh = build(&triangles, &presets::SINGLE).unwrap();
    let cpu = CpuTracer::new(&bvh, &triangles).unwrap();
    for order in 0..4 {
        driver.order(order);
        let device = Device::open(0).unwrap();
        let stream = device.stream().unwrap();
        let scene = DeviceScene::for_kernels(&device, &stream, &bvh, &triangles).unwrap();
        let corners: Vec<f32> = triangles.vertices.iter().flatten().flatten().copied().collect();
        let corners = stream.upload(&corners).unwrap();
        let mut open = stream.zeros::<u32>(PIXELS).unwrap();
        let mut asked = stream.zeros::<Ray>(PIXELS * (1 + OCCLUSION_RAYS)).unwrap();
        let parameter = OwnPicture {
            tree: scene.tree(&stream),
            corners: corners.address(&stream),
            open: open.address_mut(&stream),
            asked: asked.address_mut(&stream),
            size: SIZE,
            eye: [0.1, 0.2, 3.0],
            unused: 0,
        };
        launch(&driver, &device, &stream, c"own_picture", PIXELS, &parameter);
        let (mut found, mut rays) =
            (vec![0; PIXELS], vec![Ray::new([0.0; 3], [0.0; 3]); PIXELS * (1 + OCCLUSION_RAYS)]);
        stream.read(&open, &mut found).unwrap();
        stream.read(&asked, &mut rays).unwrap();
        let (mut seen, mut in_the_open) = (0, 0);
        for (pixel, rays) in rays.chunks_exact(1 + OCCLUSION_RAYS).enumerate() {
            let (hits, blocked, _) = expected(&cpu, rays);
            let hit = hits[0][4] != Hit::MISS;
            let open = if hit { blocked[1..].iter().filter(|&&blocked| !blocked).count() } else { 0 };
            assert_eq!(found[pixel] as usize, open, "pixel {pixel}, order {order}");
            seen += usize::from(hit);
            in_the_open += open;
        }
        assert!(seen > 30 && in_the_open > seen && in_the_open < seen * OCCLUSION_RAYS, "{seen} {in_the_open}");
    }
}

#[test]
fn the_guide_shows_the_kernel_that_is_tested() {
    let guide = include_str!("../../../docs/guide/gpu-programs.md");
    assert!(
        guide.contains(&format!("```cpp\n{SHOWN}```\n")),
        "docs/guide/gpu-programs.md shows another kernel than queries/own.cu"
    );
    for option in HEADER_OPTIONS {
        assert!(guide.contains(option) && header().contains(option), "{option}");
    }
}

#[test]
fn trees_for_kernels_are_those_of_the_fastest_kernels() {
    assert_eq!(Encoding::of(&raywarp_cuda::ASKED_VARIANT), Encoding::of(&Variant::RAYWARP_H8));
}

#[test]
fn nvrtc_compiles_kernels_with_the_header() {
    // SAFETY: only looks for the library.
    if !unsafe { cudarc::nvrtc::sys::is_culib_present() } {
        let how = "pip install nvidia-cuda-nvrtc-cu12, and LD_LIBRARY_PATH";
        return raywarp_testing::skip(raywarp_testing::Reason::Gpu, &format!("libnvrtc was not found ({how})"));
    }
    for (name, source, kernel) in [("own.cu", SHOWN, "trace_rays"), ("occlusion.cu", EXAMPLE, "ambient_occlusion")] {
        for architecture in [75, 90] {
            let mut options = HEADER_OPTIONS.map(String::from).to_vec();
            options.push(format!("-arch=compute_{architecture}"));
            let options = CompileOptions { options, ..CompileOptions::default() };
            let ptx =
                compile_ptx_with_opts(with_header(name, source), options).unwrap_or_else(|error| panic!("{error:?}"));
            let text = ptx.to_src();
            assert!(text.contains(&format!(".entry {kernel}(")) && text.contains("vote.sync"), "{name}");
            assert!(!text.contains("mul.f32"), "{name}: products may be fused");
        }
    }
}
