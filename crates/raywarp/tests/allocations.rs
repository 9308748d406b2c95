//! What a single query allocates: nothing.

use raywarp::{Ray, TriangleBvh, TriangleMesh};
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
fn a_single_query_allocates_nothing() {
    assert_eq!(allocations(|| drop(black_box(vec![1]))), 1);
    let mut random = Random::new(4);
    let mut triangle = || {
        let at = random.point();
        [0; 3].map(|_| random.point()).map(|offset| std::array::from_fn(|i| at[i] + 0.2 * offset[i]))
    };
    let positions: Vec<[f32; 3]> = (0..2000).flat_map(|_| triangle()).collect();
    let indices = (0..2000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let bvh = TriangleBvh::build(&[TriangleMesh { positions, indices, ..Default::default() }]).unwrap();
    let (mut hits, mut blocked, mut touches, mut all) = (0, 0, 0, Vec::with_capacity(2000));
    let count = allocations(|| {
        for _ in 0..200 {
            let ray = Ray::new(random.point().map(|x| 3.0 * x), random.point());
            hits += usize::from(bvh.closest(&ray).is_some());
            blocked += usize::from(bvh.any(&ray));
            let _ = bvh.visit(&ray, |_| {
                touches += 1;
                ControlFlow::Continue(())
            });
            bvh.all_into(&ray, &mut all);
        }
    });
    assert!(hits == blocked && hits > 20 && touches > hits, "{hits} {blocked} {touches}");
    assert_eq!(count, 0);
}
