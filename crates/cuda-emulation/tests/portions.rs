//! Batches of the host that go to the device in portions beside each other, on a driver that does everything as late as it
//! may.

use raywarp_cuda::CudaTracer;
use raywarp_geom::{Candidate, Control, Hit, Ray, TraceError, Tracer};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::cloud::{Answers, Ask, QUESTIONS, Scene, ask, expected, scene, tracer};
use crate::common::pretended::{Driver, NEVER};
use crate::common::raw_driver::words;

/// What a tracer says of slices of the host, pinned or not.
fn ask_pinned(tracer: &CudaTracer, scene: &Scene, question: Ask, after: bool) -> Answers {
    let count = scene.rays.len();
    let device = tracer.device();
    let mut rays = device.pinned::<Ray>(count).unwrap();
    rays.get_mut().unwrap().copy_from_slice(&scene.rays);
    let (mut hits, mut instances) = (device.pinned::<Hit>(count).unwrap(), device.pinned::<u32>(count).unwrap());
    hits.get_mut().unwrap().fill(Hit::default());
    let (mut blocked, mut undecided) = (vec![0; count.div_ceil(32)], Vec::<Candidate>::new());
    let after = if after { &scene.after[..] } else { &[] };
    let control = Control::default();
    let mut stats = [Default::default(); 2];
    match question {
        Ask::Closest => {
            let (hits, instances) = (hits.get_mut().unwrap(), instances.get_mut().unwrap());
            stats[0] = tracer.closest(rays.get().unwrap(), after, hits, instances, &control).unwrap();
        }
        Ask::Any => {
            stats[1] = tracer.any(rays.get().unwrap(), after, &mut blocked, &mut undecided, &control).unwrap();
        }
    }
    let instances = instances.get().unwrap().to_vec();
    Answers { hits: words(hits.get().unwrap()), instances, blocked, undecided, stats }
}

#[test]
fn portions_beside_each_other_are_answered_as_one_batch_is() {
    let Some(driver) = Driver::get() else { return };
    let pinned = driver.ask("pinned");
    // More portions than lanes, as many, and fewer; the last one whole and with one ray.
    for (rays, portion) in [(2500, 256), (2049, 256), (700, 512), (300, 1000)] {
        let scene = scene(rays);
        for (question, after) in QUESTIONS {
            let expected = expected(&scene, question, after);
            for late in [false, true] {
                driver.late(late);
                let tracer = tracer(&scene).unwrap().with_portions(portion);
                let parts = Mutex::new(0);
                let note = |rays: usize| *parts.lock().unwrap() += rays;
                let control = Control { cancel: None, progress: Some(&note) };
                // Again, in the buffers of the first time.
                for _ in 0..2 {
                    let got = ask(&tracer, &scene, question, after, &control).unwrap();
                    assert!(got == expected, "{rays} by {portion}, {question:?}, {after}, late: {late}");
                }
                assert_eq!(*parts.lock().unwrap(), 2 * rays);
                assert!(ask_pinned(&tracer, &scene, question, after) == expected, "{rays} by {portion}, pinned");
            }
        }
        driver.late(false);
    }
    assert_eq!((driver.ask("early_frees"), driver.ask("pinned")), (0, pinned));
}

#[test]
fn instances_that_nobody_asks_for_are_not_fetched_and_pinned_slices_are_not_copied() {
    let Some(driver) = Driver::get() else { return };
    let scene = scene(2048);
    let tracer = tracer(&scene).unwrap().with_portions(256);
    let mut hits = vec![Hit::default(); 2048];
    let mut instances = vec![0; 2048];
    let control = Control::default();
    // The first time buffers are made.
    tracer.closest(&scene.rays, &[], &mut hits, &mut instances, &control).unwrap();
    let calls = |hits: &mut [Hit], instances: &mut [u32]| {
        driver.fails_at(NEVER, false);
        tracer.closest(&scene.rays, &[], hits, instances, &control).unwrap();
        (driver.ask("calls"), driver.ask("waits"))
    };
    let with = calls(&mut hits, &mut instances);
    let without = calls(&mut hits, &mut []);
    // Eight portions, a copy each. Nothing but a lane's end is waited for.
    assert_eq!((with.0 - without.0, with.1, without.1), (8, 8, 8));
    let before = driver.ask("pinned");
    let fresh = crate::common::cloud::tracer(&scene).unwrap().with_portions(256);
    let mut pinned = fresh.device().pinned::<Hit>(2048).unwrap();
    let mut rays = fresh.device().pinned::<Ray>(2048).unwrap();
    rays.get_mut().unwrap().copy_from_slice(&scene.rays);
    fresh.closest(rays.get().unwrap(), &[], pinned.get_mut().unwrap(), &mut [], &control).unwrap();
    // Two buffers of ours here, and a lane's number of invalid rays.
    assert_eq!(driver.ask("pinned") - before, 2 + 4);
    assert!(words(pinned.get().unwrap()) == words(&hits));
}

#[test]
fn whatever_call_of_overlapping_portions_fails_it_is_an_error_and_nothing_is_written_later() {
    let Some(driver) = Driver::get() else { return };
    // Five portions: the last takes the place of the first of four.
    let scene = scene(300);
    for (question, after, late) in [(Ask::Closest, true, false), (Ask::Closest, false, true), (Ask::Any, false, true)] {
        let expected = expected(&scene, question, after);
        for once in [true, false] {
            let mut call = 0;
            loop {
                let tracer = tracer(&scene).unwrap().with_portions(64);
                driver.late(late);
                driver.fails_at(call, once);
                let result = ask(&tracer, &scene, question, after, &Control::default());
                let made = driver.ask("calls");
                driver.fails_at(NEVER, false);
                if made <= call {
                    assert!(result.as_ref() == Ok(&expected), "nothing has failed");
                    break;
                }
                let error = result.map(drop).expect_err(&format!("{question:?}: call {call} has failed"));
                assert!(matches!(error, TraceError::Device(_)), "{error}");
                let next = || ask(&tracer, &scene, question, after, &Control::default());
                let next = next().or_else(|_| next());
                assert!(next.as_ref() == Ok(&expected), "{question:?}: after call {call} has failed");
                driver.late(false);
                assert!(!once || driver.ask("early_frees") == 0, "call {call}");
                call += 1;
            }
            driver.late(false);
        }
    }
}

#[test]
fn a_batch_that_is_cancelled_or_panics_on_its_way_leaves_nothing_behind_it() {
    let Some(driver) = Driver::get() else { return };
    let scene = scene(3000);
    let tracer = tracer(&scene).unwrap().with_portions(256);
    driver.later();
    for panics in [false, true] {
        let cancel = AtomicBool::new(false);
        let done = Mutex::new(0);
        let note = |rays: usize| {
            let mut done = done.lock().unwrap();
            *done += rays;
            if *done > 1000 {
                assert!(!panics, "as planned");
                cancel.store(true, Ordering::Relaxed);
            }
        };
        let mut rays = tracer.device().pinned::<Ray>(3000).unwrap();
        rays.get_mut().unwrap().copy_from_slice(&scene.rays);
        let mut hits = tracer.device().pinned::<Hit>(3000).unwrap();
        let result = catch_unwind(AssertUnwindSafe(|| {
            let control = Control { cancel: Some(&cancel), progress: Some(&note) };
            tracer.closest(rays.get().unwrap(), &[], hits.get_mut().unwrap(), &mut [], &control)
        }));
        assert!(if panics { result.is_err() } else { matches!(result, Ok(Err(TraceError::Cancelled))) });
        // What comes later would write to memory that is no longer there.
        drop((rays, hits));
        driver.late(false);
        driver.later();
        assert_eq!(driver.ask("early_frees"), 0);
    }
}
