//! Pictures of the integrators beside path tracing: what camera rays hit first, and the rays of ambient occlusion from there.

use super::*;
use raywarp_geom::TraceError;
use raywarp_render::{Integrator, Progress, RenderError, RenderOptionError, StopReason, engine_can};
use raywarp_render_cuda::Stage;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const OCCLUSION: Integrator = Integrator::AmbientOcclusion { distance: 1.5 };
const ALL: [Integrator; 3] = [OCCLUSION, Integrator::Normal, Integrator::Depth];

fn engine(paths: usize) -> EngineOptions {
    EngineOptions { paths, ..EngineOptions::of(Organisation::FirstHits) }
}

/// Pictures whose rays are asked again behind holes, of all samplers and weights, with layers where kernels render them.
fn options(integrator: Integrator, sampler: SamplerKind) -> RenderOptions {
    RenderOptions {
        size: [24, 16],
        samples: 3..7,
        integrator,
        sampler,
        seed: 5,
        features: integrator == OCCLUSION && sampler == SamplerKind::Xor32,
        // Whose samples do not all have the weight 1.
        filter: FilterKind::Mitchell { radius: 2.0, b: 0.3, c: 0.35 },
        ..RenderOptions::default()
    }
}

#[test]
fn pictures_of_first_hits_are_those_of_the_cpu() {
    let Some(_driver) = Driver::get() else { return };
    let mut faults = Vec::new();
    for (scene, prepared) in [
        ("everything", everything()),
        ("surfaces with holes", surfaces(true)),
        ("surfaces", surfaces(false)),
        ("room", room()),
    ] {
        for integrator in ALL {
            for sampler in [SamplerKind::Sobol, SamplerKind::PaddedHalton, SamplerKind::Xor32] {
                // Several batches, and one.
                for paths in [100, 1 << 12] {
                    let films = prepared.films(&options(integrator, sampler), engine(paths));
                    let place = format!("{scene}, {integrator:?}, {sampler:?}, {paths} paths");
                    faults.extend(difference(&films).map(|fault| format!("{place}: {fault}")));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn first_hits_depend_on_no_order_of_lanes_and_warps() {
    let Some(driver) = Driver::get() else { return };
    let prepared = surfaces(true);
    for integrator in ALL {
        let options = RenderOptions { samples: 0..1, ..options(integrator, SamplerKind::Sobol) };
        for order in [0, 1, 2, 3] {
            driver.order(order);
            let films = prepared.films(&options, engine(1 << 10));
            assert_eq!(difference(&films), None, "{integrator:?}, order {order}");
        }
    }
    driver.order(0);
}

#[test]
fn a_background_that_is_left_out_is_not_free() {
    let Some(_driver) = Driver::get() else { return };
    let prepared = everything();
    let sums = [false, true].map(|transparent| {
        let options = RenderOptions { transparent, ..options(OCCLUSION, SamplerKind::Sobol) };
        let films = prepared.films(&options, engine(1 << 12));
        assert_eq!(difference(&films), None, "{transparent}");
        films[1].pixels().map(|pixel| films[1].sums(pixel).radiance[0]).sum::<f64>()
    });
    assert!(sums[1] < sums[0] && sums[1] > 0.0, "{sums:?}");
}

#[test]
fn a_lens_a_part_and_two_devices_give_the_first_hits_of_the_cpu() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(3);
    let mut prepared = surfaces(true);
    (prepared.camera.lens_radius, prepared.camera.focal_distance) = (0.2, 5.0);
    for integrator in ALL {
        let whole = RenderOptions { size: [44, 27], samples: 2..5, ..options(integrator, SamplerKind::Xor32) };
        for crop in [None, Some("5,3,31x22".parse().unwrap())] {
            let options = RenderOptions { crop, ..whole.clone() };
            for devices in 1..=3 {
                let films = prepared.films_of(&options, engine(300), devices);
                assert_eq!(difference(&films), None, "{integrator:?}, {crop:?}, {devices} devices");
            }
        }
    }
}

#[test]
fn what_is_counted_of_first_hits_is_what_the_film_says() {
    let Some(_driver) = Driver::get() else { return };
    for (prepared, holes) in [(surfaces(true), true), (room(), false)] {
        for integrator in ALL {
            let options = options(integrator, SamplerKind::Sobol);
            let mut renderers = prepared.engine(engine(100), 1);
            let (scene, camera, tracer) = (&prepared.shading, &prepared.camera, &prepared.tracer);
            let rendered = render(scene, camera, tracer, &options, RenderContext::by(&mut renderers)).unwrap();
            let hits = rendered.film.pixels().map(|pixel| u64::from(rendered.film.sums(pixel).hits)).sum();
            let counts = renderers.counts();
            let paths = 24 * 16 * 4;
            let connected = if integrator == OCCLUSION { hits } else { 0 };
            assert_eq!((counts.begun, counts.extended, counts.connected), (paths, paths, connected), "{integrator:?}");
            assert_eq!(counts.asked > 0, holes, "{integrator:?}");
            assert_eq!(rendered.rays, paths + connected + counts.asked);
            // Passes of 1, 1 and 2 samples, batches of 96 paths, which are three warps.
            assert_eq!((counts.batches, counts.warps, counts.active_lanes()), (16, 48, 1.0));
            let launches = [Stage::FIRST_HITS, Stage::FINALIZE].map(|stage| counts.stage(stage).launches);
            assert_eq!((launches, counts.launches()), ([16, 16], 32));
            assert_eq!(counts.bytes(), 2 * paths * 20);
        }
    }
}

#[test]
fn time_noise_and_a_caller_who_cancels_end_a_picture_of_first_hits() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let prepared = surfaces(true);
    let (scene, camera, tracer) = (&prepared.shading, &prepared.camera, &prepared.tracer);
    for integrator in ALL {
        let whole =
            RenderOptions { size: [44, 27], samples: 0..1000, ..options(integrator, SamplerKind::PaddedHalton) };
        let mut renderers = prepared.engine(engine(200), 2);
        let late = RenderOptions { time_limit: Some(Duration::ZERO), ..whole.clone() };
        let calm = RenderOptions { noise_limit: Some(1e9), ..whole.clone() };
        for (options, stop, samples) in [(late, StopReason::Time, 1), (calm, StopReason::Noise, 2)] {
            let rendered = render(scene, camera, tracer, &options, RenderContext::by(&mut renderers)).unwrap();
            assert_eq!((rendered.stop, rendered.samples), (stop, [samples; 2]), "{integrator:?}");
            let options = RenderOptions { samples: 0..samples, ..whole.clone() };
            let want = render(scene, camera, tracer, &options, RenderContext::default()).unwrap();
            assert_eq!(difference(&[want.film, rendered.film]), None, "{integrator:?}");
        }
        let cancel = AtomicBool::new(false);
        let stop = |_: &Progress| cancel.store(true, Ordering::Relaxed);
        let watch = Watch { cancel: Some(&cancel), progress: Some(&stop), between: None };
        let context = RenderContext { watch, ..RenderContext::by(&mut renderers) };
        let rendered = render(scene, camera, tracer, &whole, context).unwrap();
        assert_eq!((rendered.stop, rendered.samples), (StopReason::Cancelled, [0, 1]), "{integrator:?}");
        assert!(rendered.paths > 0 && rendered.paths < 44 * 27, "{}", rendered.paths);
    }
}

#[test]
fn kernels_refuse_pictures_of_other_integrators_and_what_they_have_no_albedo_for() {
    let Some(_driver) = Driver::get() else { return };
    let prepared = room();
    let rendered = |integrator, features, organisation| {
        let options = RenderOptions { integrator, features, ..small() };
        let mut renderers = prepared.engine(EngineOptions::of(organisation), 1);
        let (scene, camera, tracer) = (&prepared.shading, &prepared.camera, &prepared.tracer);
        render(scene, camera, tracer, &options, RenderContext::by(&mut renderers))
    };
    for (integrator, organisation) in [
        (Integrator::Path, Organisation::FirstHits),
        (Integrator::Normal, Organisation::WavefrontSorted),
        (OCCLUSION, Organisation::Megakernel),
    ] {
        let error = rendered(integrator, false, organisation).unwrap_err();
        let RenderError::Trace(TraceError::Device(message)) = &error else { panic!("{error}") };
        assert!(message.contains(organisation.name()), "{message}");
    }
    for (integrator, features, why) in [
        (Integrator::Cost, false, RenderOptionError::CostsOfEngine),
        (Integrator::Normal, true, RenderOptionError::LayersOfEngine),
        (Integrator::Depth, true, RenderOptionError::LayersOfEngine),
    ] {
        assert!(engine_can(&RenderOptions { integrator, features, ..small() }).is_err());
        let error = rendered(integrator, features, Organisation::FirstHits).unwrap_err();
        assert!(matches!(error, RenderError::Option(error) if error == why), "{error}");
    }
    assert!(rendered(OCCLUSION, true, Organisation::FirstHits).is_ok());
}
