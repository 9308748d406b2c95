//! Kernels that are compiled again for other blocks and fewer registers: the same pictures and counts.

use super::counted::{EVERYTHING, PLAIN, check};
use super::*;
use raywarp_cuda::{BoundsFault, CudaError, LaunchBounds};
use raywarp_experiments::KernelUse;

const fn bounds(block_threads: Option<u32>, max_registers: Option<u32>) -> LaunchBounds {
    LaunchBounds { block_threads, max_registers }
}

/// Registers of a kernel on the pretended GPU that is told of no limit.
const REGISTERS: u32 = 32;

/// What the kernel that holds paths in its lanes is, if any.
fn kernel_use(prepared: &Prepared, engine: PathExperiment) -> Option<KernelUse> {
    raywarp_experiments::kernel_use(&prepared.engine(engine, 1).renderers()[0]).unwrap()
}

#[test]
fn other_blocks_and_fewer_registers_give_the_same_pictures_and_counts() {
    let Some(_driver) = Driver::get() else { return };
    // More paths a pass than lanes are resident, of blocks of all sizes: else no lane begins another.
    let options = RenderOptions { size: [40, 32], samples: 0..2, ..small() };
    let plain = (room(), options.clone(), PLAIN, "plain");
    let of_all = RenderOptions { samples: 0..1, features: true, sampler: SamplerKind::Xor32, ..options };
    let all = (everything(), of_all, EVERYTHING, "everything");
    let of = PathExperiment::of;
    let scan = PathExperiment { compaction: Compaction::Scan, ..of(MeasuredOrganisation::Regenerate) };
    let atomics = PathExperiment { compaction: Compaction::Atomics, ..of(MeasuredOrganisation::Compact) };
    for (bounds, cases, engines) in [
        (
            bounds(Some(64), None),
            &plain,
            &[of(MeasuredOrganisation::Megakernel), of(MeasuredOrganisation::Regenerate), scan][..],
        ),
        (bounds(Some(64), Some(96)), &plain, &[of(MeasuredOrganisation::Compact), of(MeasuredOrganisation::Split)]),
        (
            bounds(Some(256), Some(64)),
            &plain,
            &[of(MeasuredOrganisation::Megakernel), of(MeasuredOrganisation::Regenerate), atomics],
        ),
        (bounds(Some(128), None), &plain, &[of(MeasuredOrganisation::Megakernel)]),
        (
            bounds(None, Some(255)),
            &plain,
            &[of(MeasuredOrganisation::Megakernel), of(MeasuredOrganisation::TiledGlobal)],
        ),
        (bounds(Some(64), Some(48)), &plain, &[of(MeasuredOrganisation::TiledShared)]),
        (bounds(Some(64), Some(80)), &all, &[of(MeasuredOrganisation::Megakernel), of(MeasuredOrganisation::Compact)]),
        (bounds(Some(256), None), &all, &[of(MeasuredOrganisation::Regenerate)]),
    ] {
        let (prepared, options, bytes, set) = cases;
        for engine in engines {
            let engine = PathExperiment { bounds, paths: 1 << 12, queues_per_batch: 1, ..*engine };
            check(prepared, options, *bytes, engine);
            let stage = match engine.organisation {
                MeasuredOrganisation::Megakernel => "megakernel",
                MeasuredOrganisation::Regenerate if engine.compaction == Compaction::Off => "regenerate",
                organisation if organisation.is_tiled() => continue,
                _ => "bounce",
            };
            let used = kernel_use(prepared, engine).unwrap();
            let registers = bounds.max_registers.unwrap_or(REGISTERS);
            assert_eq!(used.name, format!("{stage}__{set}"));
            assert_eq!((used.block_threads, used.registers), (bounds.threads(), registers), "{engine:?}");
        }
    }
    let as_compiled = kernel_use(&plain.0, of(MeasuredOrganisation::Megakernel)).unwrap();
    assert_eq!((as_compiled.block_threads, as_compiled.registers), (128, REGISTERS));
    for organisation in [MeasuredOrganisation::TiledGlobal, MeasuredOrganisation::WavefrontSorted] {
        assert_eq!(kernel_use(&plain.0, of(organisation)), None);
    }
}

#[test]
fn bounds_that_an_organisation_cannot_have_are_refused_in_a_line() {
    let Some(_driver) = Driver::get() else { return };
    let prepared = room();
    for (organisation, bounds, name, why) in [
        (MeasuredOrganisation::Wavefront, bounds(Some(64), None), "wavefront", BoundsFault::OwnAlone),
        (MeasuredOrganisation::WavefrontSorted, bounds(Some(128), Some(64)), "wavefront-sorted", BoundsFault::OwnAlone),
        (MeasuredOrganisation::TiledShared, bounds(Some(128), Some(64)), "tiled-shared", BoundsFault::Tile),
        (MeasuredOrganisation::Megakernel, bounds(Some(48), None), "megakernel__plain", BoundsFault::Threads),
        (MeasuredOrganisation::Compact, bounds(Some(0), None), "bounce__plain", BoundsFault::Threads),
        (MeasuredOrganisation::Regenerate, bounds(None, Some(256)), "regenerate__plain", BoundsFault::Registers),
    ] {
        let engine = PathExperiment { bounds, ..PathExperiment::of(organisation) };
        let want = CudaError::Bounds { kernel: name.into(), bounds, why };
        let error = prepared.try_engine(engine, 1).unwrap_err();
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
        assert_eq!(error, want.into());
    }
}

#[test]
fn whatever_call_fails_while_a_kernel_is_compiled_again_it_is_an_error() {
    let Some(driver) = Driver::get() else { return };
    let prepared = room();
    let bounds = bounds(Some(64), Some(64));
    let engine =
        || prepared.try_engine(PathExperiment { bounds, ..PathExperiment::of(MeasuredOrganisation::Megakernel) }, 1);
    // What is loaded once is there already.
    drop(engine().unwrap());
    let taken = driver.ask("taken");
    driver.fails_at(pretended::NEVER, false);
    drop(engine().unwrap());
    let calls = driver.ask("calls");
    let mut said = String::new();
    for call in 0..calls {
        driver.fails_at(call, true);
        // Some calls are asked again, or only give memory back.
        said += &engine().err().map_or(String::new(), |error| error.to_string());
        assert_eq!(driver.ask("taken"), taken, "call {call}");
    }
    driver.fails_at(pretended::NEVER, false);
    for doing in [DriverCall::CompilePtx, DriverCall::LoadKernel] {
        assert!(said.contains(&doing.to_string()), "{doing}: {said}");
    }
}
