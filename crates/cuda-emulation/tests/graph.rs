//! Graphs of what a stream has recorded, on a pretended driver.

use raywarp_cuda::{CudaError, Device, DeviceBuffer, DriverCall, Graph, Stream};

use crate::common::pretended::{Driver, NEVER};

fn values(stream: &Stream, buffer: &DeviceBuffer<u32>) -> Result<Vec<u32>, CudaError> {
    let mut values = vec![0; buffer.len()];
    stream.read(buffer, &mut values).map(|()| values)
}

/// Two buffers, and a graph that clears the first.
fn recorded(stream: &Stream) -> Result<([DeviceBuffer<u32>; 2], Graph), CudaError> {
    let mut buffers = [stream.upload(&[1, 2, 3])?, stream.upload(&[4, 5])?];
    let graph = stream.record(|| stream.clear(&mut buffers[0]))?;
    Ok((buffers, graph))
}

fn launch(graph: &Graph) -> Result<(), CudaError> {
    // SAFETY: its one buffer lives as long as this test.
    unsafe { graph.launch() }
}

#[test]
fn what_is_recorded_is_done_whenever_the_graph_is_launched_and_not_before() {
    let Some(driver) = Driver::get() else { return };
    let stream = Device::open(0).unwrap().stream().unwrap();
    let ([mut first, second], graph) = recorded(&stream).unwrap();
    assert_eq!(values(&stream, &first).unwrap(), [1, 2, 3]);
    launch(&graph).unwrap();
    assert_eq!(values(&stream, &first).unwrap(), [0; 3]);
    stream.write(&mut first, &[6, 7, 8]).unwrap();
    assert_eq!(values(&stream, &first).unwrap(), [6, 7, 8]);
    launch(&graph).unwrap();
    launch(&graph).unwrap();
    assert_eq!(values(&stream, &first).unwrap(), [0; 3]);
    assert_eq!(values(&stream, &second).unwrap(), [4, 5]);
    assert_eq!(driver.ask("graphs"), 1);
    drop(graph);
    assert_eq!(driver.ask("graphs"), 0);
    // Nothing at all is a graph too.
    launch(&stream.record(|| Ok(())).unwrap()).unwrap();
}

#[test]
fn what_cannot_be_recorded_is_an_error_and_the_stream_works_on() {
    let Some(driver) = Driver::get() else { return };
    let stream = Device::open(0).unwrap().stream().unwrap();
    let ([mut first, mut second], graph) = recorded(&stream).unwrap();
    drop(graph);
    let says = |error: &CudaError, call: DriverCall, name: &str| {
        let is_it = matches!(error, CudaError::Driver { doing, message } if *doing == call && message.contains(name));
        assert!(is_it, "{call}, {name}: {error}");
    };
    type Work<'a> = &'a mut dyn FnMut() -> Result<(), CudaError>;
    let attempts: [(Work<'_>, DriverCall); 5] = [
        (&mut || stream.synchronize(), DriverCall::Synchronize),
        (&mut || values(&stream, &first).map(drop), DriverCall::Download),
        (&mut || stream.write(&mut second, &[1]), DriverCall::Upload),
        (&mut || stream.mark().map(drop), DriverCall::RecordEvent),
        (&mut || stream.zeros::<u32>(1).map(drop), DriverCall::Allocate),
    ];
    for (work, doing) in attempts {
        let error = stream.record(work).unwrap_err();
        says(&error, doing, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED");
        assert_eq!(driver.ask("graphs"), 0, "{doing}");
        stream.synchronize().unwrap();
    }
    // Also where nobody has looked at it.
    let error = stream.record(|| stream.synchronize().or(Ok(()))).unwrap_err();
    says(&error, DriverCall::RecordGraph, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED");
    let error = stream.record(|| stream.synchronize().or_else(|_| stream.clear(&mut first))).unwrap_err();
    says(&error, DriverCall::Clear, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED");
    // A stream records once at a time.
    let error = stream.record(|| stream.record(|| Ok(())).map(drop)).unwrap_err();
    says(&error, DriverCall::RecordGraph, "CUDA_ERROR_ILLEGAL_STATE");
    let own = CudaError::NoDriver;
    assert_eq!(stream.record(|| Err(own.clone())).map(drop), Err(own));
    assert_eq!(driver.ask("graphs"), 0);
    assert_eq!(values(&stream, &first).unwrap(), [1, 2, 3]);
    assert_eq!(values(&stream, &second).unwrap(), [4, 5]);
}

#[test]
fn whatever_call_fails_it_is_an_error_and_no_graph_stays() {
    let Some(driver) = Driver::get() else { return };
    let stream = Device::open(0).unwrap().stream().unwrap();
    let whole = || -> Result<Vec<u32>, CudaError> {
        let ([first, _second], graph) = recorded(&stream)?;
        launch(&graph)?;
        values(&stream, &first)
    };
    for once in [true, false] {
        let mut failed = Vec::new();
        let mut calls = 0;
        loop {
            driver.fails_at(calls, once);
            let done = whole();
            let made = driver.ask("calls");
            driver.fails_at(NEVER, false);
            assert_eq!(driver.ask("graphs"), 0, "call {calls}");
            // What fails while memory is given back is told by the next call.
            let _ = stream.synchronize().or_else(|_| stream.synchronize());
            if made <= calls {
                assert_eq!(done, Ok(vec![0; 3]), "nothing has failed");
                break;
            }
            match done.expect_err("a call has failed") {
                CudaError::Driver { doing, .. } => failed.push(doing),
                other => assert!(matches!(other, CudaError::OutOfMemory { .. }), "{other}"),
            }
            calls += 1;
        }
        for doing in [DriverCall::RecordGraph, DriverCall::MakeGraph, DriverCall::LaunchGraph, DriverCall::Clear] {
            assert!(failed.contains(&doing), "{doing}: {failed:?}");
        }
    }
}
