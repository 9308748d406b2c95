//! Memory, streams, events and contexts of others, on a driver whose streams do everything as late as they may: what is not
//! waited for is not there.

use raywarp_cuda::{
    CudaError, CudaTracer, Device, DeviceBuffer, DeviceHits, DeviceHitsMut, DeviceSlice, DeviceSliceMut, LaunchWork,
    Query, Stream,
};
use raywarp_family::Supply;
use raywarp_geom::{Control, Hit, Ray};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

use crate::common::cloud::{Ask, Scene, ask, expected, scene, tracer, watertight};
use crate::common::pretended::{Driver, NEVER};
use crate::common::raw_driver::{Handle, Raw, TheirMemory, TheirStream, their_device, words};

#[test]
fn rays_and_hits_of_others_are_traced_in_their_context_on_their_stream_without_waiting() {
    let Some(driver) = Driver::get() else { return };
    let raw = Raw::new(&driver);
    let scene = scene(700);
    let (device, context) = their_device(&driver, &raw);
    assert_eq!(device.raw_context(), context);
    let tracer = CudaTracer::new(&device, &watertight(), &scene.bvh, &scene.triangles).unwrap();
    let expected = expected(&scene, Ask::Closest, false);
    let count = scene.rays.len();
    driver.late(true);
    for default_stream in [false, true] {
        let theirs = (!default_stream).then(|| TheirStream(&raw, raw.new_stream()));
        let handle = theirs.as_ref().map_or(null_mut(), |stream| stream.1);
        // SAFETY: a stream of the device's context, which is destroyed behind what is made here.
        let stream = unsafe { Stream::from_raw(&device, handle) };
        assert_eq!(stream.raw(), handle);
        let rays = TheirMemory::new::<Ray>(&raw, count);
        let hits = TheirMemory::new::<Hit>(&raw, count);
        let instances = TheirMemory::new::<u32>(&raw, count);
        let mut work = LaunchWork::new(&stream).unwrap();
        driver.fails_at(NEVER, false);
        // Their copy first, in their order.
        let mut source = scene.rays.clone();
        assert_eq!((raw.register)(source.as_mut_ptr().cast(), size_of_val(&source[..]), 0), 0);
        let bytes = size_of_val(&source[..]);
        assert_eq!((raw.to_device)(rays.1, source.as_ptr().cast(), bytes, handle), 0);
        // SAFETY: as many values, until their stream was waited for.
        let (from, out) = unsafe {
            let out = DeviceHitsMut {
                hits: DeviceSliceMut::from_raw(hits.1, hits.2),
                instances: DeviceSliceMut::from_raw(instances.1, instances.2),
                blocked: DeviceSliceMut::EMPTY,
                undecided: DeviceSliceMut::EMPTY,
                work: &mut work,
            };
            (DeviceSlice::from_raw(rays.1, rays.2), out)
        };
        tracer.launch(&stream, Query::Closest, from, count, None, out).unwrap();
        drop(work);
        drop(stream);
        assert_eq!(driver.ask("waits"), 0, "nothing waits for the device");
        let mut found = vec![Hit::default(); count];
        let mut found_instances = vec![0u32; count];
        let bytes = size_of_val(&found[..]);
        assert_eq!((raw.from_device)(found.as_mut_ptr().cast(), hits.1, bytes, handle), 0);
        assert_eq!((raw.from_device)(found_instances.as_mut_ptr().cast(), instances.1, 4 * count, handle), 0);
        assert_eq!((raw.unregister)(source.as_mut_ptr().cast()), 0);
        assert!(words(&found) == expected.hits && found_instances == expected.instances, "{default_stream}");
        assert_eq!((driver.ask("early_frees"), raw.current()), (0, context));
    }
    // Host slices too.
    assert!(ask(&tracer, &scene, Ask::Closest, false, &Control::default()).as_ref() == Ok(&expected));
    drop((tracer, device));
    assert_eq!((raw.current(), driver.ask("contexts")), (context, driver.ask("contexts")));
    assert_eq!((raw.set_current)(null_mut()), 0);
}

#[test]
fn contexts_of_others_are_neither_destroyed_nor_confused() {
    let Some(driver) = Driver::get() else { return };
    let raw = Raw::new(&driver);
    let scene = scene(100);
    let expected = expected(&scene, Ask::Closest, false);
    let before = driver.ask("modules");
    let devices = [(); 2].map(|()| their_device(&driver, &raw));
    let contexts = driver.ask("contexts");
    let ours = Device::open(0).unwrap();
    for device in [&devices[0].0, &ours, &devices[1].0, &devices[0].0] {
        let tracer = CudaTracer::new(device, &watertight(), &scene.bvh, &scene.triangles).unwrap();
        assert!(ask(&tracer, &scene, Ask::Closest, false, &Control::default()).as_ref() == Ok(&expected));
    }
    assert!(driver.ask("modules") > before);
    let [first, second] = devices.map(|(device, context)| {
        drop(device);
        // SAFETY: alive until the process ends.
        drop(unsafe { Device::from_context(context) }.unwrap());
        context
    });
    assert_eq!(driver.ask("contexts"), contexts);
    assert!(driver.ask("modules") <= before + 1, "what was loaded into contexts of others is unloaded");
    assert_eq!(raw.current(), second);
    assert_ne!(first, second);
    assert_eq!((raw.set_current)(null_mut()), 0);
}

#[test]
fn whatever_is_called_the_threads_context_stays() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let raw = Raw::new(&driver);
    let scene = scene(300);
    let whole = |current: Handle| -> Result<(), CudaError> {
        let kept = |what: &str| assert_eq!(raw.current(), current, "after {what}");
        let device = Device::open(0)?;
        kept("opening");
        let stream = device.stream()?;
        kept("a stream");
        let tracer = CudaTracer::new(&device, &watertight(), &scene.bvh, &scene.triangles)?;
        kept("a tracer");
        let rays = stream.upload(&scene.rays)?;
        let mut out = DeviceHits::new(&stream, 300, true)?;
        kept("buffers");
        tracer.launch(&stream, Query::Any, &rays, 300, None, &mut out)?;
        kept("a launch");
        let mut pinned = device.pinned::<Hit>(300)?;
        stream.read_pinned(&out.hits, &mut pinned, 0)?;
        kept("a copy");
        let (first, second) = (stream.mark()?, stream.event()?);
        let other = device.stream()?;
        other.wait_for(&second)?;
        pinned.get()?;
        first.seconds_until(&other.mark()?)?;
        kept("events");
        drop((first, second, other, pinned));
        kept("the end of events");
        drop((rays, out, stream));
        kept("the end of buffers");
        let closest = ask(&tracer, &scene, Ask::Closest, true, &Control::default());
        kept("a batch");
        closest.map_err(|_| CudaError::NoDriver)?;
        drop((tracer, device));
        kept("everything");
        Ok(())
    };
    let theirs = Device::open(1).unwrap().raw_context();
    for current in [null_mut(), theirs] {
        assert_eq!((raw.set_current)(current), 0);
        whole(current).unwrap();
        let mut call = 0;
        loop {
            driver.fails_at(call, true);
            let done = whole(current);
            let made = driver.ask("calls");
            driver.fails_at(NEVER, false);
            assert_eq!(raw.current(), current, "call {call} has failed: {done:?}");
            if made <= call {
                break;
            }
            call += 7;
        }
    }
    assert_eq!((raw.set_current)(null_mut()), 0);
}

/// Rays on the device, results there, and pinned memory for both.
struct OnDevice {
    rays: DeviceBuffer<Ray>,
    out: DeviceHits,
}

fn on_device(stream: &Stream, scene: &Scene) -> OnDevice {
    let count = scene.rays.len();
    OnDevice { rays: stream.zeros(count).unwrap(), out: DeviceHits::new(stream, count, true).unwrap() }
}

#[test]
fn streams_wait_for_events_of_ours_and_of_others_and_without_them_for_nothing() {
    let Some(driver) = Driver::get() else { return };
    let raw = Raw::new(&driver);
    let scene = scene(200);
    let tracer = tracer(&scene).unwrap();
    let expected = expected(&scene, Ask::Closest, false).hits;
    let device = Device::open(0).unwrap();
    let [copies, launches, reads] = [(); 3].map(|()| device.stream().unwrap());
    let mut source = device.pinned::<Ray>(200).unwrap();
    source.get_mut().unwrap().copy_from_slice(&scene.rays);
    driver.late(true);
    // Which of the two waits there is, and whether it is an event of somebody else's.
    for (first, second, raw_events) in
        [(true, true, false), (true, true, true), (false, true, false), (true, false, false)]
    {
        let OnDevice { mut rays, mut out } = on_device(&copies, &scene);
        let mut found = device.pinned::<Hit>(200).unwrap();
        // A first use of each buffer, which waits by itself for what made it: it finds nothing.
        tracer.launch(&launches, Query::Closest, &rays, 200, None, &mut out).unwrap();
        reads.read_pinned(&out.hits, &mut found, 0).unwrap();
        copies.synchronize().unwrap();
        launches.synchronize().unwrap();
        reads.synchronize().unwrap();
        driver.fails_at(NEVER, false);
        let order = |before: &Stream, after: &Stream| {
            if raw_events {
                assert_eq!((raw.set_current)(device.raw_context()), 0);
                let event = raw.new_event();
                assert_eq!((raw.set_current)(null_mut()), 0);
                // SAFETY: the event lives on.
                unsafe {
                    before.record_raw(event).unwrap();
                    after.wait_for_raw(event).unwrap();
                }
            } else {
                after.wait_for(&before.event().unwrap()).unwrap();
            }
        };
        copies.write_pinned(&mut rays, &source, 0..200).unwrap();
        if first {
            order(&copies, &launches);
        }
        tracer.launch(&launches, Query::Closest, &rays, 200, None, &mut out).unwrap();
        if second {
            order(&launches, &reads);
        }
        reads.read_pinned(&out.hits, &mut found, 0).unwrap();
        let last = reads.event().unwrap();
        assert_eq!(driver.ask("waits"), 0);
        assert!(!last.is_complete().unwrap(), "a late driver has not done it yet");
        let right = words(found.get().unwrap()) == expected;
        assert_eq!(right, first && second, "with {first}, {second}");
        assert!(last.is_complete().unwrap());
    }
    assert_eq!(driver.ask("early_frees"), 0);
}

#[test]
fn what_the_driver_of_others_orders_is_ordered_for_them_too() {
    let Some(driver) = Driver::get() else { return };
    let raw = Raw::new(&driver);
    let scene = scene(64);
    let tracer = tracer(&scene).unwrap();
    let device = Device::open(0).unwrap();
    let ours = device.stream().unwrap();
    assert_eq!((raw.set_current)(device.raw_context()), 0);
    let theirs = TheirStream(&raw, raw.new_stream());
    let rays = ours.upload(&scene.rays).unwrap();
    let mut out = DeviceHits::new(&ours, 64, false).unwrap();
    ours.synchronize().unwrap();
    driver.late(true);
    tracer.launch(&ours, Query::Closest, &rays, 64, None, &mut out).unwrap();
    let event = ours.event().unwrap();
    assert_eq!((raw.stream_waits)(theirs.1, event.raw(), 0), 0);
    drop(event);
    let their_event = raw.new_event();
    assert_eq!((raw.record)(their_event, theirs.1), 0);
    let mut found = vec![Hit::default(); 64];
    let bytes = size_of_val(&found[..]);
    // Read on their stream: it has waited for ours.
    let address = out.hits.address(&ours);
    assert_eq!((raw.from_device)(found.as_mut_ptr().cast(), address, bytes, theirs.1), 0);
    assert_eq!((raw.wait)(theirs.1), 0);
    assert_eq!(words(&found), expected(&scene, Ask::Closest, false).hits);
    assert_eq!((raw.set_current)(null_mut()), 0);
}

#[test]
fn everything_of_ours_may_be_dropped_while_a_stream_uses_it() {
    let Some(driver) = Driver::get() else { return };
    let raw = Raw::new(&driver);
    let scene = scene(500);
    let expected = expected(&scene, Ask::Closest, false);
    let device = Device::open(0).unwrap();
    drop(tracer(&scene).unwrap());
    assert_eq!((raw.set_current)(device.raw_context()), 0);
    driver.late(true);
    // On the stream that has made the buffers, on another one of ours, and on one of somebody else's, which is destroyed
    // right behind; made before or after what it uses.
    for (kind, dropped_first) in [0, 1, 2].into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
        let taken = driver.ask("taken");
        let mut source = device.pinned::<Ray>(500).unwrap();
        source.get_mut().unwrap().copy_from_slice(&scene.rays);
        let mut found = device.pinned::<Hit>(500).unwrap();
        let makes = device.stream().unwrap();
        let tracer = CudaTracer::new(&device, &watertight(), &scene.bvh, &scene.triangles).unwrap();
        let OnDevice { mut rays, mut out } = on_device(&makes, &scene);
        driver.fails_at(NEVER, false);
        let theirs = (kind == 2).then(|| TheirStream(&raw, raw.new_stream()));
        let uses = match &theirs {
            // SAFETY: it is destroyed behind the last use of the value.
            Some(theirs) => unsafe { Stream::from_raw(&device, theirs.1) },
            None if kind == 1 => device.stream().unwrap(),
            None => makes.clone(),
        };
        uses.write_pinned(&mut rays, &source, 0..500).unwrap();
        tracer.launch(&uses, Query::Closest, &rays, 500, None, &mut out).unwrap();
        uses.read_pinned(&out.hits, &mut found, 0).unwrap();
        if dropped_first {
            drop((uses, theirs));
            drop((tracer, rays, out, makes));
        } else {
            drop((tracer, rays, out, makes));
            drop((uses, theirs));
        }
        assert_eq!(driver.ask("waits"), 0, "{kind}: dropping waits for nothing");
        assert!(words(found.get().unwrap()) == expected.hits, "{kind}");
        drop((source, found));
        assert_eq!(driver.ask("early_frees"), 0, "{kind}");
        assert_eq!(driver.ask("taken"), taken, "{kind}: all of it is given back");
    }
    assert_eq!((raw.set_current)(null_mut()), 0);
}

#[test]
fn buffers_that_are_too_short_or_crooked_are_refused_before_anything_is_launched() {
    let Some(driver) = Driver::get() else { return };
    let scene = scene(64);
    let tracer = tracer(&scene).unwrap();
    let device = Device::open(0).unwrap();
    let stream = device.stream().unwrap();
    let OnDevice { rays, mut out } = on_device(&stream, &scene);
    let keys = stream.zeros::<[u32; 3]>(63).unwrap();
    let pinned = device.pinned::<Ray>(64).unwrap();
    let blocks = driver.ask("blocks");
    #[track_caller]
    fn refused(what: &str, work: impl FnOnce()) {
        let place = std::panic::Location::caller();
        assert!(catch_unwind(AssertUnwindSafe(work)).is_err(), "{place}: {what}");
    }
    type Change = fn(DeviceHitsMut<'_>) -> DeviceHitsMut<'_>;
    let shorter: [(&str, Query, Change); 5] = [
        ("hits", Query::Closest, |out| DeviceHitsMut { hits: out.hits.part(0..63), ..out }),
        ("instances", Query::Closest, |out| DeviceHitsMut { instances: out.instances.part(0..63), ..out }),
        ("blocked", Query::Any, |out| DeviceHitsMut { blocked: DeviceSliceMut::EMPTY, ..out }),
        ("undecided", Query::Any, |out| DeviceHitsMut { undecided: out.undecided.part(0..1), ..out }),
        ("hits of any", Query::Any, |out| DeviceHitsMut { hits: DeviceSliceMut::EMPTY, ..out }),
    ];
    for (what, query, change) in shorter {
        refused(what, || {
            let _ = tracer.launch(&stream, query, &rays, 64, None, change((&mut out).into()));
        });
    }
    refused("more rays than there are", || {
        let _ = tracer.launch(&stream, Query::Closest, &rays, 65, None, &mut out);
    });
    refused("a key too few", || {
        let _ = tracer.launch(&stream, Query::Closest, &rays, 64, Some(keys.view()), &mut out);
    });
    // SAFETY: nothing is launched with them.
    unsafe {
        let crooked = DeviceSlice::from_raw(rays.address(&stream) + 8, 63);
        refused("rays between two chunks", || {
            let _ = tracer.launch(&stream, Query::Closest, crooked, 63, None, &mut out);
        });
        refused("an address that is no float's", || {
            DeviceSlice::<Ray>::from_raw(rays.address(&stream) + 1, 1);
        });
    }
    refused("a part behind the end", || {
        rays.view().part(60..65);
    });
    let mut rays = rays;
    refused("a copy of fewer", || drop(stream.write_pinned(&mut rays, &pinned, 0..63)));
    refused("a copy of what is not there", || drop(stream.write_pinned(rays.view_mut().part(0..2), &pinned, 63..65)));
    let mut small = device.pinned::<Ray>(63).unwrap();
    refused("a copy to less room", || drop(stream.read_pinned(&rays, &mut small, 0)));
    assert_eq!(driver.ask("blocks"), blocks);
    // Nothing is no error.
    tracer.launch(&stream, Query::Closest, DeviceSlice::EMPTY, 0, None, &mut out).unwrap();
}

#[test]
fn values_that_a_plain_copy_has_taken_may_change_at_once_pinned_or_not() {
    let Some(driver) = Driver::get() else { return };
    let device = Device::open(0).unwrap();
    let stream = device.stream().unwrap();
    driver.late(true);
    let mut pinned = device.pinned::<u32>(100).unwrap();
    pinned.get_mut().unwrap().fill(7);
    let mut pageable = vec![7u32; 100];
    let mut buffers = [(); 2].map(|()| stream.zeros::<u32>(100).unwrap());
    stream.write(&mut buffers[0], pinned.get().unwrap()).unwrap();
    stream.write(&mut buffers[1], &pageable).unwrap();
    pinned.get_mut().unwrap().fill(8);
    pageable.fill(8);
    for buffer in &buffers {
        let mut found = vec![0; 100];
        stream.read(buffer, &mut found).unwrap();
        assert_eq!(found, [7; 100]);
    }
    // The other way it is not noted until it is looked at.
    stream.write_pinned(&mut buffers[0], &pinned, 0..100).unwrap();
    pinned.get_mut().unwrap().fill(9);
    stream.read_pinned(&buffers[0], &mut pinned, 0).unwrap();
    assert_eq!(pinned.get().unwrap(), [8; 100]);
}

#[test]
fn launches_that_share_stacks_follow_each_other_on_whichever_streams() {
    let Some(driver) = Driver::get() else { return };
    let scene = scene(96);
    let queue = raywarp_cuda::compiled().into_iter().find(|variant| variant.supply() == Supply::Queue).unwrap();
    let device = Device::open(0).unwrap();
    let tracer = CudaTracer::new(&device, &queue, &scene.bvh, &scene.triangles).unwrap();
    let streams = [(); 2].map(|()| device.stream().unwrap());
    driver.late(true);
    let mut held = Vec::new();
    for stream in &streams {
        let OnDevice { rays, mut out } = on_device(stream, &scene);
        tracer.launch(stream, Query::Closest, &rays, 96, None, &mut out).unwrap();
        held.push((rays, out));
    }
    let before = driver.ask("blocks");
    streams[1].synchronize().unwrap();
    let both = driver.ask("blocks") - before;
    streams[0].synchronize().unwrap();
    assert!(both > 0 && both == driver.ask("blocks") - before, "the first launch was done before the second");
}
