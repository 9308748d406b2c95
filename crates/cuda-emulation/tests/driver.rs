//! The tracer for GPUs on a driver that fails wherever it can: an error each time, and never a result.

use raywarp_cuda::{CudaError, CudaTracer, Device};
use raywarp_geom::{Control, Hit, TraceError};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use crate::common::cloud::{Ask, QUESTIONS, ask, expected, scene, tracer, watertight};
use crate::common::pretended::{Driver, NEVER};

/// Memory that holds some thousand rays: a batch is split.
const SCARCE: u64 = 100_000;

#[test]
fn batches_larger_than_memory_are_split_and_answered_in_order() {
    let Some(driver) = Driver::get() else { return };
    let scene = scene(2500);
    let whole = tracer(&scene).unwrap();
    let split = tracer(&scene).unwrap();
    for (question, after) in QUESTIONS {
        let expected = expected(&scene, question, after);
        let hits = expected.hits.iter().filter(|hit| hit[3] != Hit::MISS).count();
        assert!(question == Ask::Any || hits > 200, "{hits}");
        assert!(question == Ask::Closest || expected.undecided.len() > 50);
        driver.memory(1 << 30);
        assert!(ask(&whole, &scene, question, after, &Control::default()).as_ref() == Ok(&expected));
        driver.memory(SCARCE);
        let parts = Mutex::new(Vec::new());
        let note = |rays: usize| parts.lock().unwrap().push(rays);
        let control = Control { cancel: None, progress: Some(&note) };
        assert!(ask(&split, &scene, question, after, &control) == Ok(expected), "{question:?}");
        assert_eq!(*parts.lock().unwrap(), [1024, 1024, 452]);
    }
}

#[test]
fn whatever_call_of_a_split_batch_fails_it_is_an_error_and_the_next_batch_is_right() {
    let Some(driver) = Driver::get() else { return };
    let scene = scene(2100);
    for (question, after) in [(Ask::Closest, true), (Ask::Any, false)] {
        let expected = expected(&scene, question, after);
        for once in [true, false] {
            // The first batch of a tracer asks for memory too.
            let mut calls = 0;
            loop {
                let tracer = crate::common::cloud::tracer(&scene).unwrap();
                driver.memory(SCARCE);
                driver.fails_at(calls, once);
                let result = ask(&tracer, &scene, question, after, &Control::default());
                let made = driver.ask("calls");
                driver.fails_at(NEVER, false);
                if made <= calls {
                    assert!(result.as_ref() == Ok(&expected), "nothing has failed");
                    break;
                }
                let error = result.map(drop).expect_err(&format!("{question:?}: call {calls} has failed"));
                assert!(matches!(error, TraceError::Device(_)), "{error}");
                // What fails while memory is given back is told by the next call.
                let next = || ask(&tracer, &scene, question, after, &Control::default());
                let next = next().or_else(|_| next());
                assert!(next.as_ref() == Ok(&expected), "{question:?}: after call {calls} has failed");
                calls += 1;
            }
            // Three parts: rays, results and counters each.
            assert!(calls >= 3 * 6, "{calls}");
        }
    }
}

#[test]
fn whatever_call_fails_while_a_scene_is_uploaded_it_is_an_error_and_nothing_stays_in_memory() {
    let Some(driver) = Driver::get() else { return };
    let scene = scene(1);
    drop(tracer(&scene).unwrap());
    let before = driver.ask("taken");
    let mut calls = 0;
    loop {
        driver.fails_at(calls, true);
        let made = tracer(&scene);
        let failed = driver.ask("calls") > calls;
        driver.fails_at(NEVER, false);
        assert_eq!(made.is_err(), failed, "call {calls}");
        drop(made);
        assert_eq!(driver.ask("taken"), before, "call {calls}");
        if !failed {
            break;
        }
        calls += 1;
    }
    // Four arrays, each allocated, cleared and written.
    assert!(calls >= 12, "{calls}");
}

#[test]
fn a_kernel_is_found_on_its_device_where_the_thread_has_used_another() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let scene = scene(100);
    let expected = expected(&scene, Ask::Closest, false);
    let devices = [0, 1].map(|ordinal| Device::open(ordinal).unwrap());
    // Twice, so that the kernels are loaded already.
    for device in devices.iter().chain(&devices) {
        let tracer = CudaTracer::new(device, &watertight(), &scene.bvh, &scene.triangles).unwrap();
        assert!(ask(&tracer, &scene, Ask::Closest, false, &Control::default()).as_ref() == Ok(&expected));
        assert_eq!(Device::open(1 - device.ordinal()).unwrap().ordinal(), 1 - device.ordinal());
    }
}

#[test]
fn a_scene_larger_than_memory_is_refused_before_anything_is_allocated() {
    let Some(driver) = Driver::get() else { return };
    let scene = scene(1);
    let bytes = tracer(&scene).unwrap().scene().bytes();
    driver.memory(bytes as u64 - 1);
    driver.fails_at(NEVER, false);
    let error = tracer(&scene).unwrap_err();
    assert_eq!(error, CudaError::OutOfMemory { what: "the scene", needed: bytes, free: bytes - 1 });
    assert_eq!(driver.ask("allocations"), 0);
}

#[test]
fn rays_for_which_there_is_no_memory_are_an_error_that_says_how_much_is_missing() {
    let Some(driver) = Driver::get() else { return };
    let scene = scene(2500);
    let tracer = tracer(&scene).unwrap();
    driver.memory(20_000);
    let error = ask(&tracer, &scene, Ask::Closest, false, &Control::default()).unwrap_err();
    let TraceError::Device(message) = &error else { panic!("{error}") };
    assert!(message.contains("MiB"), "{message}");
    // More memory, and the same tracer answers.
    driver.memory(1 << 20);
    let expected = expected(&scene, Ask::Closest, false);
    assert!(ask(&tracer, &scene, Ask::Closest, false, &Control::default()) == Ok(expected));
}

#[test]
fn buffers_of_small_batches_are_not_in_the_way_of_large_ones() {
    let Some(driver) = Driver::get() else { return };
    let taken_after = |batches: &[usize]| {
        let tracer = tracer(&scene(1)).unwrap();
        let before = driver.ask("taken");
        for &rays in batches {
            ask(&tracer, &scene(rays), Ask::Closest, false, &Control::default()).unwrap();
        }
        driver.ask("taken") - before
    };
    let [large, mixed] = [&[5000][..], &[1, 3000, 5000, 2, 4000]].map(taken_after);
    assert!(large == mixed && large > 5000 * 64, "{large} {mixed}");
}

#[test]
fn a_cancelled_batch_says_so() {
    let Some(_driver) = Driver::get() else { return };
    let scene = scene(100);
    let cancel = AtomicBool::new(true);
    let control = Control { cancel: Some(&cancel), progress: None };
    let result = ask(&tracer(&scene).unwrap(), &scene, Ask::Any, false, &control);
    assert_eq!(result, Err(TraceError::Cancelled));
}
