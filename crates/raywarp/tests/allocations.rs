//! What a single query, or a batch of a few rays, allocates: nothing.

use raywarp::{Aabb, Affine64, Control, End, Filter, Levels, Ray, Scene, SceneOptions};
use raywarp_testing::Random;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::ops::ControlFlow;

/// The system's allocator, which counts the calls of each thread.
struct Counting;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Not where a thread's end gives its cell back.
        let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
        // SAFETY: the caller's promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises.
        unsafe { System.dealloc(place, layout) }
    }
}

/// Returns how often this thread allocates in `work`.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = CALLS.get();
    work();
    CALLS.get() - before
}

#[test]
fn a_single_query_and_a_batch_of_a_few_rays_allocate_nothing() {
    assert_eq!(allocations(|| drop(black_box(vec![1]))), 1);
    let mut random = Random::new(4);
    let mut triangle = || {
        let at = random.point();
        [0; 3].map(|_| random.point()).map(|offset| std::array::from_fn(|i| at[i] + 0.2 * offset[i]))
    };
    let positions: Vec<[f32; 3]> = (0..2000).flat_map(|_| triangle()).collect();
    let indices: Vec<[u32; 3]> = (0..2000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    for levels in [Levels::One, Levels::Two] {
        let mut builder = Scene::builder();
        let mesh = builder.mesh(&positions, &indices);
        for degrees in [0.0, 90.0] {
            builder.instance(mesh, Affine64::rotation(degrees, [1.0, 2.0, 3.0]), u32::MAX, 0);
        }
        let options = SceneOptions { levels, ..SceneOptions::default() };
        let scene = builder.build(&options, &Control::default()).unwrap();
        let (mut hits, mut blocked, mut touches, mut crossed) = (0, 0, 0, 0);
        let mut all = Vec::with_capacity(4000);
        let count = allocations(|| {
            for _ in 0..200 {
                let ray = Ray::new(random.point().map(|x| 3.0 * x), random.point());
                hits += usize::from(scene.closest(&ray).is_some());
                blocked += usize::from(scene.any(&ray));
                let _ = scene.visit(&ray, |_| {
                    touches += 1;
                    ControlFlow::Continue(())
                });
                scene.all_into(&ray, &mut all);
                crossed += scene.crossings(&ray).front;
                crossed += u32::from(scene.with(Filter::new().skip(0, 0)).any(&ray));
                let _ = scene.overlaps(&Aabb::of_points(&[ray.origin, [0.0; 3]]), |_| {
                    crossed += 1;
                    ControlFlow::Continue(())
                });
                crossed += u32::from(scene.nearest(ray.origin, 1.0).is_some());
                crossed += u32::from(scene.with(Filter::new().skip(0, 0)).nearest(ray.origin, 1.0).is_some());
                crossed += u32::from(scene.visible(End::Point(ray.origin), End::Point([0.0; 3])));
            }
        });
        assert!(hits == blocked && hits > 20 && touches > hits && crossed > 20, "{hits} {blocked} {touches}");
        assert_eq!(count, 0, "{levels:?}");

        // Once before, for the thread's stacks.
        let rays: Vec<Ray> = (0..32).map(|_| Ray::new(random.point().map(|x| 3.0 * x), random.point())).collect();
        let (mut found, mut blocked, control) = ([None; 32], [false; 32], Control::default());
        scene.closest_batch(&rays, &mut found, &control).unwrap();
        for few in 1..=32 {
            let count = allocations(|| {
                scene.closest_batch(&rays[..few], &mut found[..few], &control).unwrap();
                scene.any_batch(&rays[..few], &mut blocked[..few], &control).unwrap();
            });
            assert_eq!(count, 0, "{levels:?}, {few} rays");
        }
    }
}
