//! One picture by several devices: the same bits as by one, and as by the CPU; also where one of them fails.

use super::*;
use raywarp_geom::TraceError;
use raywarp_render::film::SampleResult;
use raywarp_render::{Between, Progress, RenderError, Rendered, StopReason};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Many small tiles: 6 x 4 of 8 x 8 pixels, the last ones smaller.
fn tiled() -> RenderOptions {
    RenderOptions { size: [44, 27], samples: 2..5, max_depth: 3, ..RenderOptions::default() }
}

fn empty(options: &RenderOptions) -> Film {
    Film::of(Window::new(options.size, options.crop).unwrap(), options.features).unwrap()
}

impl Prepared {
    fn on_cpu(&self, options: &RenderOptions) -> Rendered {
        render(&self.shading, &self.camera, &self.tracer, options, RenderContext::default()).unwrap()
    }

    fn on(
        &self,
        engine: &mut CudaRenderers,
        options: &RenderOptions,
        watch: &Watch<'_>,
    ) -> Result<Rendered, RenderError> {
        let context = RenderContext { watch: *watch, ..RenderContext::by(engine) };
        render(&self.shading, &self.camera, &self.tracer, options, context)
    }
}

#[test]
fn one_two_and_three_devices_render_the_picture_of_the_cpu() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(3);
    let scenes = [
        (everything(), RenderOptions { features: true, sampler: SamplerKind::Xor32, seed: 7, ..tiled() }),
        (room(), RenderOptions { crop: Some("5,3,31x22".parse().unwrap()), ..tiled() }),
    ];
    for (prepared, options) in scenes {
        for organisation in MeasuredOrganisation::ALL {
            // Who has which tiles is the same with each organisation.
            for devices in if MOST_APART.contains(&organisation) { 1..=3 } else { 2..=2 } {
                // Several batches of a share, and one.
                for paths in [300, 1 << 13] {
                    let engine =
                        PathExperiment { organisation, paths, queues_per_batch: 1, ..PathExperiment::default() };
                    let films = prepared.films_of(&options, engine, devices);
                    assert_eq!(difference(&films), None, "{organisation:?}, {devices} devices, {paths} paths");
                }
            }
        }
    }
}

#[test]
fn a_device_without_a_tile_is_no_hindrance() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(3);
    let prepared = room();
    let options = RenderOptions { size: [6, 5], ..small() };
    let engine = PathExperiment { paths: 64, queues_per_batch: 1, ..PathExperiment::default() };
    assert_eq!(difference(&prepared.films_of(&options, engine, 3)), None);
}

#[test]
fn a_film_of_many_portions_comes_back_as_it_went() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let prepared = room();
    let cancel = AtomicBool::new(true);
    let watch = Watch { cancel: Some(&cancel), ..Watch::default() };
    for (devices, features) in [(1, true), (2, false)] {
        let options = RenderOptions { size: [410, 390], samples: 1..2, features, ..tiled() };
        let mut film = empty(&options);
        for (i, pixel) in film.pixels().enumerate() {
            let [radiance, albedo] = [i as f32, 1.0 + i as f32].map(|c| [c; 3]);
            film.add(pixel, &SampleResult { radiance, albedo, ..SampleResult::default() });
        }
        let (want, mut engine) = (film.clone(), prepared.engine(PathExperiment::default(), devices));
        let context = RenderContext { watch, film: Some(film), ..RenderContext::by(&mut engine) };
        let rendered = render(&prepared.shading, &prepared.camera, &prepared.tracer, &options, context).unwrap();
        assert_eq!((rendered.stop, rendered.paths), (StopReason::Cancelled, 0));
        assert_eq!(difference(&[want, rendered.film]), None, "{devices} devices");
    }
}

#[test]
fn devices_with_little_memory_hold_fewer_paths_and_render_the_same() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let prepared = room();
    let options = RenderOptions { samples: 0..32, ..tiled() };
    let want = prepared.on_cpu(&options).film;
    driver.device_memory(1, 4_500_000);
    let mut engine = prepared.engine(PathExperiment { queues_per_batch: 1, ..PathExperiment::default() }, 2);
    let memory = engine.renderers().iter().map(|renderer| renderer.memory(&options).free.unwrap());
    assert!(memory.clone().max().unwrap() > 1 << 29 && memory.min().unwrap() < 4_500_000);
    // Not all paths of a share at once.
    let count = AtomicU64::new(0);
    let note = |_: &Progress| {
        count.fetch_add(1, Ordering::Relaxed);
    };
    let watch = Watch { progress: Some(&note), ..Watch::default() };
    let got = prepared.on(&mut engine, &options, &watch).unwrap().film;
    assert_eq!(difference(&[want, got]), None);
    assert!(count.into_inner() > 2 * 6, "two devices and six passes");
    // Too little for anything.
    drop(engine);
    driver.device_memory(1, 2_000);
    let error = prepared.try_engine(PathExperiment::default(), 2).unwrap_err();
    assert!(error.to_string().contains("memory"), "{error}");
}

#[test]
fn time_noise_and_a_caller_who_cancels_end_a_picture_by_two_devices() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let prepared = room();
    let mut engine =
        prepared.engine(PathExperiment { paths: 200, queues_per_batch: 1, ..PathExperiment::default() }, 2);
    let whole = RenderOptions { samples: 0..1000, ..tiled() };
    let late = RenderOptions { time_limit: Some(Duration::ZERO), ..whole.clone() };
    let calm = RenderOptions { noise_limit: Some(1e9), ..whole.clone() };
    for (options, stop, samples) in [(late, StopReason::Time, 1), (calm, StopReason::Noise, 2)] {
        let rendered = prepared.on(&mut engine, &options, &Watch::default()).unwrap();
        assert_eq!((rendered.stop, rendered.samples), (stop, [samples; 2]));
        let want = prepared.on_cpu(&RenderOptions { samples: 0..samples, ..tiled() });
        assert_eq!((rendered.paths, rendered.rays), (want.paths, want.rays));
        assert_eq!(difference(&[want.film, rendered.film]), None);
    }
    // Batches of 200 paths: the first pass has seven or so.
    let (cancel, paths) = (AtomicBool::new(false), AtomicU64::new(0));
    let stop = |progress: &Progress| {
        cancel.store(true, Ordering::Relaxed);
        paths.fetch_max(progress.paths, Ordering::Relaxed);
    };
    let watch = Watch { cancel: Some(&cancel), progress: Some(&stop), between: None };
    let rendered = prepared.on(&mut engine, &whole, &watch).unwrap();
    assert_eq!((rendered.stop, rendered.samples), (StopReason::Cancelled, [0, 1]));
    assert_eq!(rendered.paths, paths.into_inner());
    assert!(rendered.paths < 44 * 27, "{}", rendered.paths);
    let want = prepared.on_cpu(&RenderOptions { samples: 0..1, ..tiled() }).film;
    let wrong = want.pixels().filter(|&p| rendered.film.sums(p).samples > 0 && rendered.film.sums(p) != want.sums(p));
    assert_eq!(wrong.count(), 0);
}

#[test]
fn what_a_device_gave_back_before_it_failed_is_a_picture() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let prepared = room();
    let options = RenderOptions { samples: 0..1000, ..tiled() };
    for devices in [1, 2] {
        for calls in [1, 30, 75] {
            let mut engine = prepared
                .engine(PathExperiment { paths: 200, queues_per_batch: 1, ..PathExperiment::default() }, devices);
            // Passes are one sample and one, then two, then four.
            let see = |film: &Film| {
                if film.sample_range()[0] == 2 {
                    driver.fails_at(calls, false);
                }
            };
            let between = Some(Between { every: Duration::ZERO, see: &see });
            let rendered = prepared.on(&mut engine, &options, &Watch { between, ..Watch::default() }).unwrap();
            drop(engine);
            driver.fails_at(pretended::NEVER, false);
            let samples = rendered.samples[0];
            assert_eq!((rendered.stop, rendered.samples), (StopReason::Failed, [samples; 2]));
            assert!(samples >= 2 && rendered.failure.unwrap().to_string().contains("CUDA"), "{samples}");
            let want = prepared.on_cpu(&RenderOptions { samples: 0..samples, ..tiled() });
            assert_eq!(difference(&[want.film, rendered.film]), None, "{devices} devices, call {calls}");
        }
    }
}

#[test]
fn whatever_call_fails_on_either_device_it_is_an_error_or_the_same_picture_and_no_memory_stays() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let prepared = room();
    // A tile and a half each.
    let options = RenderOptions { size: [20, 3], samples: 0..2, max_depth: 2, ..RenderOptions::default() };
    for organisation in MOST_APART {
        let engine = PathExperiment { organisation, paths: 64, queues_per_batch: 1, ..PathExperiment::default() };
        let render = || -> Result<Film, String> {
            let mut engine = prepared.try_engine(engine, 2).map_err(|error| error.to_string())?;
            let rendered = prepared.on(&mut engine, &options, &Watch::default());
            rendered.map(|rendered| rendered.film).map_err(|error| error.to_string())
        };
        driver.fails_at(pretended::NEVER, false);
        let want = render().unwrap();
        let (calls, taken) = ([0, 1].map(|device| driver.device_calls(device)), driver.ask("taken"));
        for (device, once) in [(0, true), (0, false), (1, true), (1, false)] {
            let (calls, mut failed, mut named) = (calls[device as usize], 0, 0);
            assert!(calls > 40, "{calls}");
            for call in (0..calls).step_by(if once { 1 } else { 3 }) {
                let place = format!("{organisation:?}, device {device}, call {call}");
                driver.fails_at(pretended::NEVER, false);
                driver.device_fails_at(device, call, once);
                match render() {
                    Ok(film) => assert_eq!(difference(&[want.clone(), film]), None, "{place}"),
                    Err(error) => {
                        failed += 1;
                        named += u32::from(error.contains(&format!("cuda:{device}: ")));
                        assert!(error.contains("CUDA") || error.contains("memory"), "{place}: {error}");
                        assert!(!error.contains(&format!("cuda:{}", 1 - device)), "{place}: {error}");
                    }
                }
                assert!(!once || driver.ask("early_frees") == 0, "{place}: memory is freed that kernels may use");
                assert_eq!(driver.ask("taken"), taken, "{place} leaves memory behind");
            }
            assert!(failed > calls / if once { 2 } else { 6 } && named > 10, "{failed} and {named} of {calls} calls");
        }
    }
    driver.fails_at(pretended::NEVER, false);
}

#[test]
fn a_device_that_fails_keeps_nobody_waiting_for_the_others() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let prepared = room();
    // A film of 64 samples, so that the next pass has 64 more: many batches a device.
    let options = RenderOptions { size: [32, 32], samples: 64..128, ..tiled() };
    let mut film = empty(&options);
    for pixel in film.pixels().collect::<Vec<_>>() {
        (0..64).for_each(|_| film.add(pixel, &SampleResult::default()));
    }
    let mut engine =
        prepared.engine(PathExperiment { paths: 256, queues_per_batch: 1, ..PathExperiment::default() }, 2);
    let paths = AtomicU64::new(0);
    let fail = |progress: &Progress| {
        if paths.fetch_max(progress.paths, Ordering::Relaxed) == 0 {
            driver.device_fails_at(1, 0, false);
        }
    };
    let watch = Watch { progress: Some(&fail), ..Watch::default() };
    let (shading, camera, tracer) = (&prepared.shading, &prepared.camera, &prepared.tracer);
    let context = RenderContext { watch, film: Some(film), ..RenderContext::by(&mut engine) };
    let error = render(shading, camera, tracer, &options, context).unwrap_err();
    let RenderError::Trace(TraceError::Device(message)) = &error else { panic!("{error}") };
    assert!(message.starts_with("cuda:1: ") && message.contains("CUDA_ERROR_"), "{message}");
    let paths = paths.into_inner();
    assert!(paths < 32 * 32 * 64 / 4, "{paths}");
    driver.fails_at(pretended::NEVER, false);
}

#[test]
fn the_pretended_driver_keeps_devices_apart() {
    let Some(driver) = Driver::get() else { return };
    driver.devices(2);
    let prepared = room();
    let open = |ordinal| Device::open(ordinal).unwrap();
    let variant = EngineOptions::default().variant();
    let encoded = CudaRenderer::encode(&variant, &prepared.bvh, &prepared.triangles, 0.0, |_| 0).unwrap();
    let tree = Arc::new(CudaRenderer::tree(&open(0), &variant, &encoded).unwrap());
    let mut renderer = CudaRenderer::new(&open(1), tree, &prepared.shading, EngineOptions::default()).unwrap();
    let context = RenderContext::by(&mut renderer);
    let rendered = render(&prepared.shading, &prepared.camera, &prepared.tracer, &small(), context);
    assert!(rendered.is_err(), "the tree of another device was walked");
    driver.devices(1);
    assert!(matches!(Device::open(1), Err(raywarp_cuda::CudaError::NoDevice { ordinal: 1, count: 1 })));
}
