//! Waves that belong to a device: the same picture as a CPU's workers make, and never a wrong one.

use raywarp::cpu::CpuTracer;
use raywarp::device::Plan;
use raywarp::render::film::Film;
use raywarp::render::{
    Picture, PictureRequest, Prepared, RenderContext, RenderError, Rendered, Shown, StopReason, Watch,
};
use raywarp::scene::{Alpha, Description, ScalarInput, flatten};
use raywarp::{BatchStats, BuildOptions, Control, Hit, HitKey, Ray, TraceError, Tracer};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// This CPU as a device: it likes large batches, notes those it gets, and may fail or be interrupted.
struct Device {
    tracer: CpuTracer,
    batch: usize,
    batches: Mutex<Vec<usize>>,
    calls: AtomicUsize,
    fails_at: usize,
    cancels_at: usize,
    cancel: AtomicBool,
}

impl Device {
    fn new(scene: &Description, batch: usize) -> Self {
        let flat = flatten(scene).unwrap();
        let bvh = raywarp::bvh::build(&flat, &BuildOptions::default()).unwrap();
        Self {
            tracer: CpuTracer::new(&bvh, &flat).unwrap(),
            batch,
            batches: Mutex::default(),
            calls: AtomicUsize::new(0),
            fails_at: usize::MAX,
            cancels_at: usize::MAX,
            cancel: AtomicBool::new(false),
        }
    }

    fn call(&self, rays: &[Ray]) -> Result<(), TraceError> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        self.batches.lock().unwrap().push(rays.len());
        assert!(!rays.is_empty(), "an empty launch");
        if call == self.cancels_at {
            self.cancel.store(true, Ordering::Relaxed);
        }
        if call >= self.fails_at { Err(TraceError::Device("gone".to_string())) } else { Ok(()) }
    }
}

impl Tracer for Device {
    fn closest(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        hits: &mut [Hit],
        instances: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        self.call(rays)?;
        self.tracer.closest(rays, after, hits, instances, control)
    }

    fn any(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<raywarp::Candidate>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        self.call(rays)?;
        self.tracer.any(rays, after, blocked, undecided, control)
    }

    fn cost(
        &self,
        rays: &[Ray],
        costs: &mut [raywarp::RayCost],
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        self.tracer.cost(rays, costs, control)
    }

    fn preferred_batch(&self) -> usize {
        self.batch
    }
}

/// The built-in scene with every second material full of holes, so that rays are asked again and again.
fn holes() -> Description {
    let mut scene = raywarp::scene::default_scene();
    for material in scene.materials.iter_mut().step_by(2) {
        material.alpha = Alpha::Blend { alpha: ScalarInput::constant(0.5) };
    }
    scene
}

struct Setting {
    prepared: Prepared,
    picture: Picture,
}

fn setting(scene: Description, size: [u32; 2], samples: u32, shown: Shown) -> Setting {
    let mut prepared = Prepared::new(scene, &Plan::default()).unwrap();
    let request = PictureRequest {
        size: Some(size),
        spp: Some(samples),
        max_depth: Some(4),
        features: true,
        threads: 2,
        shown,
        ..PictureRequest::default()
    };
    let picture = Picture::settle(&mut prepared, &request).unwrap();
    Setting { prepared, picture }
}

impl Setting {
    fn by_workers(&self) -> Film {
        self.prepared.render(&self.picture.camera, &self.picture.options, RenderContext::default()).unwrap().film
    }

    fn by(&self, device: &Device) -> Result<Rendered, RenderError> {
        let watch = Watch { cancel: Some(&device.cancel), ..Watch::default() };
        let context = RenderContext::watched(watch);
        raywarp_render::render(self.prepared.shading()?, &self.picture.camera, device, &self.picture.options, context)
    }
}

#[test]
fn waves_of_a_device_make_the_picture_of_the_workers() {
    let shown = [Shown::Path, Shown::AmbientOcclusion(None), Shown::Normal, Shown::Depth, Shown::Cost];
    for (scene, shown) in [(raywarp::scene::default_scene(), &shown[..]), (holes(), &shown[..2])] {
        for (i, &shown) in shown.iter().enumerate() {
            let size = [[75, 53], [64, 64], [9, 131], [1, 1], [33, 20]][i];
            let setting = setting(scene.clone(), size, 3, shown);
            let expected = setting.by_workers();
            // One large wave, several waves in flight, and waves of a part.
            for batch in [1 << 24, 8192, 4097] {
                let device = Device::new(setting.prepared.scene(), batch);
                let rendered = setting.by(&device).unwrap();
                assert!(rendered.film == expected, "{shown:?}, batches of {batch}");
                assert_eq!((rendered.stop, rendered.samples), (StopReason::Complete, [3, 3]));
            }
        }
    }
}

#[test]
fn a_wave_is_as_large_as_the_device_likes() {
    let setting = setting(raywarp::scene::default_scene(), [256, 192], 4, Shown::Path);
    let device = Device::new(setting.prepared.scene(), 1 << 15);
    let rendered = setting.by(&device).unwrap();
    let batches = device.batches.into_inner().unwrap();
    // Four samples are passes of 1, 1 and 2: three waves of 2^14, twice, and three of 2^15.
    let camera_rays = |size: usize| batches.iter().filter(|&&batch| batch == size).count();
    assert!(camera_rays(1 << 14) >= 6 && camera_rays(1 << 15) >= 3, "{batches:?}");
    assert!(batches.iter().all(|&batch| batch <= 1 << 15));
    // Before the first wave five rays look for the media around the camera, surface by surface: no rays of paths.
    let looks = batches.iter().take_while(|&&batch| batch == 5).sum::<usize>();
    assert_eq!((batches.iter().sum::<usize>() - looks) as u64, rendered.rays);
    assert_eq!(rendered.paths, 4 * 256 * 192);
}

#[test]
fn a_device_that_fails_at_any_call_gives_no_picture() {
    let setting = setting(holes(), [48, 32], 2, Shown::Path);
    let mut device = Device::new(setting.prepared.scene(), 1 << 13);
    setting.by(&device).unwrap();
    let calls = device.calls.load(Ordering::Relaxed);
    assert!(calls > 20);
    // Each of the first, those of every bounce, and the last.
    for call in (0..8).chain((8..calls).step_by(calls / 16)).chain([calls - 1]) {
        device.calls.store(0, Ordering::Relaxed);
        device.fails_at = call;
        let error = setting.by(&device).unwrap_err();
        assert!(matches!(error, RenderError::Trace(TraceError::Device(_))), "{error}");
    }
}

#[test]
fn an_interrupted_picture_holds_whole_samples_only() {
    let scene = holes();
    let whole: Vec<Film> = (1..=4).map(|n| setting(scene.clone(), [96, 64], n, Shown::Path).by_workers()).collect();
    let setting = setting(scene, [96, 64], 4, Shown::Path);
    let mut device = Device::new(setting.prepared.scene(), 1 << 13);
    for call in [0, 3, 17, 40, 70] {
        device.calls.store(0, Ordering::Relaxed);
        device.cancel.store(false, Ordering::Relaxed);
        device.cancels_at = call;
        let rendered = setting.by(&device).unwrap();
        assert_eq!(rendered.stop, StopReason::Cancelled);
        assert!(rendered.samples[0] < 4, "{:?}", rendered.samples);
        for pixel in rendered.film.pixels() {
            let sums = rendered.film.sums(pixel);
            match sums.samples as usize {
                0 => assert_eq!(sums.radiance, [0.0; 3]),
                n => assert_eq!(sums, whole[n - 1].sums(pixel), "{pixel:?}"),
            }
        }
    }
}

#[test]
fn a_share_is_finished_although_it_is_interrupted() {
    let mut setting = setting(raywarp::scene::default_scene(), [96, 64], 4, Shown::Path);
    setting.picture.options.whole_passes = true;
    let mut device = Device::new(setting.prepared.scene(), 1 << 13);
    device.cancels_at = 2;
    let rendered = setting.by(&device).unwrap();
    assert_eq!((rendered.stop, rendered.samples), (StopReason::Cancelled, [1, 1]));
}

#[test]
fn progress_is_told_and_the_first_pass_is_finished_when_time_is_over() {
    let mut setting = setting(raywarp::scene::default_scene(), [96, 64], 8, Shown::Path);
    setting.picture.options.time_limit = Some(Duration::ZERO);
    let device = Device::new(setting.prepared.scene(), 1 << 13);
    let seen = Mutex::new(Vec::new());
    let note = |progress: &raywarp::render::Progress| seen.lock().unwrap().push((progress.paths, progress.rays));
    let watch = Watch { progress: Some(&note), ..Watch::default() };
    let (shading, picture) = (setting.prepared.shading().unwrap(), &setting.picture);
    let context = RenderContext::watched(watch);
    let rendered = raywarp_render::render(shading, &picture.camera, &device, &picture.options, context).unwrap();
    assert_eq!((rendered.stop, rendered.samples), (StopReason::Time, [1, 1]));
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen.len(), 3);
    assert_eq!(seen.iter().map(|(paths, _)| *paths).max(), Some(96 * 64));
    assert_eq!(seen.iter().map(|(_, rays)| *rays).max(), Some(rendered.rays));
}
