//! Batches: any size, any number of threads, stopped and watched; and what counting says.

use crate::common::{random_ray, soup, tracers};
use raywarp_cpu::CpuTracer;
use raywarp_geom::{Control, Hit, Ray, RayCost, TraceError, Tracer};
use raywarp_testing::{Random, cases};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

fn rays(count: usize) -> Vec<Ray> {
    let mut random = Random::new(77);
    (0..count).map(|_| random_ray(&mut random)).collect()
}

#[test]
fn results_do_not_depend_on_the_size_of_a_batch_or_on_threads() {
    let triangles = soup(500, 0.2, 14);
    // As many that the largest batch below is one of several.
    let rays = rays(cases(20_000));
    for (name, tracer) in tracers(&triangles) {
        let (whole, whole_instances, stats) = crate::common::closest(&tracer, &rays, &[]);
        let (blocked, undecided) = crate::common::any(&tracer, &rays, &[]);
        assert_eq!(stats.rays, rays.len() as u64);
        assert!(!undecided.is_empty() && undecided.is_sorted_by_key(|c| c.ray), "{name}");
        for size in [1, 31, 513, 4096] {
            let count = if size == 1 { 200 } else { rays.len() };
            let (mut hits, mut instances, mut bits, mut candidates) = (vec![], vec![], vec![], vec![]);
            for (part, rays) in rays[..count].chunks(size).enumerate() {
                let (h, i, _) = crate::common::closest(&tracer, rays, &[]);
                hits.extend(h);
                instances.extend(i);
                let (b, mut c) = crate::common::any(&tracer, rays, &[]);
                bits.extend(b);
                c.iter_mut().for_each(|c| c.ray += (part * size) as u32);
                candidates.extend(c);
            }
            assert_eq!((&hits[..], &instances[..]), (&whole[..count], &whole_instances[..count]), "{name}, {size}");
            assert_eq!(bits, blocked[..count], "{name}, {size}");
            let expected = undecided.iter().filter(|c| (c.ray as usize) < count);
            assert!(candidates.iter().eq(expected), "{name}, {size}");
        }
    }
}

#[test]
fn words_behind_those_of_the_rays_stay_as_they_are() {
    let triangles = soup(100, 0.3, 3);
    for (name, tracer) in tracers(&triangles) {
        for count in [0, 1, 32, 33, 512, 513, 5000] {
            let rays = rays(count);
            let (right, _) = crate::common::any(&tracer, &rays, &[]);
            let (words, mut undecided) = (count.div_ceil(32), Vec::new());
            let mut blocked = vec![0x5555_5555; words + 20];
            tracer.any(&rays, &[], &mut blocked, &mut undecided, &Control::default()).unwrap();
            assert!((0..count).all(|i| right[i] == (blocked[i / 32] >> (i % 32) & 1 == 1)), "{name}, {count}");
            assert!(blocked[words..].iter().all(|&word| word == 0x5555_5555), "{name}, {count}");
        }
    }
}

#[test]
fn costs_are_the_same_for_every_instruction_set_and_less_than_everything() {
    let triangles = soup(500, 0.2, 14);
    let mut rays = rays(600);
    rays[7].direction = [f32::NAN; 3];
    let mut per_tree: Vec<(usize, Vec<RayCost>)> = Vec::new();
    for (name, tracer) in tracers(&triangles) {
        let mut costs = vec![RayCost { nodes: 9, triangles: 9 }; rays.len()];
        let stats = tracer.cost(&rays, &mut costs, &Control::default()).unwrap();
        assert_eq!((stats.rays, stats.invalid, costs[7]), (600, 1, RayCost::default()), "{name}");
        let mean = costs.iter().map(|c| f64::from(c.triangles)).sum::<f64>() / 600.0;
        assert!(costs[0].nodes > 0 && mean < 100.0, "{name}: {mean} of 500 triangles a ray");
        match per_tree.iter().find(|(bytes, _)| *bytes == tracer.bytes()) {
            Some((_, same)) => assert_eq!(*same, costs, "{name}"),
            None => per_tree.push((tracer.bytes(), costs)),
        }
    }
    // One wide and one binary tree for each leaf size, whatever the number of instruction sets.
    assert!(per_tree.len() <= 4);
}

#[test]
fn a_cancelled_batch_says_so() {
    let triangles = soup(50, 0.3, 1);
    let tracer = CpuTracer::new(&crate::common::tree(&triangles, 4), &triangles).unwrap();
    let flag = AtomicBool::new(true);
    let control = Control { cancel: Some(&flag), progress: None };
    for count in [1, 9000] {
        let rays = rays(count);
        let mut hits = vec![Hit::default(); count];
        assert_eq!(tracer.closest(&rays, &[], &mut hits, &mut [], &control), Err(TraceError::Cancelled));
        let mut blocked = vec![0; count.div_ceil(32)];
        assert_eq!(tracer.any(&rays, &[], &mut blocked, &mut vec![], &control), Err(TraceError::Cancelled));
        let mut costs = vec![RayCost::default(); count];
        assert_eq!(tracer.cost(&rays, &mut costs, &control), Err(TraceError::Cancelled));
    }
}

#[test]
fn a_batch_stops_soon_after_it_is_cancelled() {
    let triangles = soup(50, 0.3, 1);
    let tracer = CpuTracer::new(&crate::common::tree(&triangles, 4), &triangles).unwrap();
    let (flag, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    let stop = |rays: usize| {
        done.fetch_add(rays, Ordering::Relaxed);
        flag.store(true, Ordering::Relaxed);
    };
    let control = Control { cancel: Some(&flag), progress: Some(&stop) };
    let rays = rays(4000);
    let mut hits = vec![Hit::default(); rays.len()];
    assert_eq!(tracer.closest(&rays, &[], &mut hits, &mut [], &control), Err(TraceError::Cancelled));
    assert!(done.load(Ordering::Relaxed) < 2000);
}

#[test]
fn progress_adds_up_to_the_rays() {
    let triangles = soup(50, 0.3, 1);
    let tracer = CpuTracer::new(&crate::common::tree(&triangles, 4), &triangles).unwrap();
    for count in [0, 1, 600, 10_001] {
        let done = AtomicUsize::new(0);
        let add = |rays: usize| {
            done.fetch_add(rays, Ordering::Relaxed);
        };
        let mut hits = vec![Hit::default(); count];
        let control = Control { cancel: None, progress: Some(&add) };
        let stats = tracer.closest(&rays(count), &[], &mut hits, &mut [], &control).unwrap();
        assert_eq!((stats.rays as usize, done.into_inner()), (count, count));
    }
}

#[test]
#[should_panic(expected = "one hit a ray")]
fn slices_of_other_lengths_are_refused() {
    let triangles = soup(5, 0.3, 1);
    let tracer = CpuTracer::new(&crate::common::tree(&triangles, 4), &triangles).unwrap();
    let _ = tracer.closest(&rays(2), &[], &mut [Hit::default()], &mut [], &Control::default());
}
