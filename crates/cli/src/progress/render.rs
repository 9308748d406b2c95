//! Progress of a render, and the time until it will be done.

use super::{ProgressView, Ticker, si};
use raywarp::render::Progress;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Limits that may end a render before its last sample.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Time limit of the render.
    pub time: Option<Duration>,
    /// Limit of relative noise, tested at powers of two of the sample count.
    pub noise: Option<f64>,
    /// Number of samples per pixel from before this render.
    pub first: u32,
}

/// Progress display of a render.
pub struct RenderProgress {
    last: Arc<Mutex<Option<Progress>>>,
    _ticker: Ticker,
}

impl RenderProgress {
    /// Starts the progress display of a picture of `pixels` pixels, unless `quiet`.
    pub fn new(quiet: bool, doing: &'static str, pixels: u64, limits: Limits) -> Self {
        let last = Arc::new(Mutex::new(None));
        let seen = last.clone();
        let view = move || {
            let last: Option<Progress> = *seen.lock().unwrap_or_else(PoisonError::into_inner);
            let begun = || ProgressView { doing: doing.into(), share: None, more: String::new() };
            last.map_or_else(begun, |progress| view(doing, &progress, pixels, limits))
        };
        Self { last, _ticker: Ticker::start(quiet, view) }
    }

    /// Updates the display with the render's progress; may be called by any worker.
    pub fn update(&self, progress: &Progress) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(*progress);
    }
}

fn view(doing: &str, progress: &Progress, pixels: u64, limits: Limits) -> ProgressView {
    let rendered = progress.paths as f64 / pixels.max(1) as f64;
    let samples = f64::from(limits.first) + rendered;
    let elapsed = progress.elapsed.as_secs_f64().max(1e-3);
    let mut share = progress.paths as f64 / progress.paths_total.max(1) as f64;
    if let Some(limit) = limits.time {
        share = share.max(elapsed / limit.as_secs_f64().max(1e-3));
    }
    let mut more = format!("{samples:.1} samples a pixel, {} rays/s", si(progress.rays as f64 / elapsed));
    if let Some(target) = limits.noise {
        let known = progress.noise.filter(|(_, noise)| noise.is_finite());
        let noise = match known {
            Some((at, noise)) => {
                let end = samples_for(at, noise, target);
                // Of the samples that are still to be taken.
                let first = f64::from(limits.first);
                share = share.max((samples - first) / (end - first).max(1.0));
                let now = noise * (f64::from(at) / samples).sqrt();
                format!("noise {} of {}", percent(now), percent(target))
            }
            None => format!("noise not known yet, of {}", percent(target)),
        };
        more = format!("{noise}, {more}");
    }
    ProgressView { doing: doing.into(), share: Some(share.clamp(0.0, 1.0)), more }
}

/// Estimates the samples per pixel at which noise, now `noise` at `at` samples, will be `target`: it falls with their
/// square root, and is tested at powers of two.
fn samples_for(at: u32, noise: f64, target: f64) -> f64 {
    let needed = f64::from(at) * (noise / target).powi(2);
    // A test at `at` has just failed.
    needed.log2().ceil().exp2().max(2.0 * f64::from(at))
}

/// Formats a fraction in percent with at least two digits: 4.7 %.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        p if p < 0.095 => format!("{p:.2} %"),
        p if p < 9.95 => format!("{p:.1} %"),
        p => format!("{p:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(samples: u64, noise: Option<(u32, f64)>) -> Progress {
        let elapsed = Duration::from_secs(10);
        Progress { paths: 100 * samples, paths_total: 100 * u64::from(u32::MAX), rays: 5000, elapsed, noise }
    }

    #[test]
    fn noise_that_falls_with_the_root_of_the_samples_says_how_long_a_render_takes() {
        let limits = Limits { noise: Some(0.05), ..Limits::default() };
        // 20 % at 8 samples: 5 % at 128, of which 16 are an eighth.
        let seen = view("rendering", &after(16, Some((8, 0.2))), 100, limits);
        assert_eq!(seen.share, Some(0.125));
        assert_eq!(seen.more, "noise 14 % of 5.0 %, 16.0 samples a pixel, 500.0 rays/s");
        // A little more than that needs the next power of two.
        assert_eq!(view("rendering", &after(16, Some((8, 0.201))), 100, limits).share, Some(0.0625));
        let early = view("rendering", &after(1, None), 100, limits);
        assert!(early.more.starts_with("noise not known yet, of 5.0 %, ") && early.share < Some(1e-6), "{early:?}");
    }

    #[test]
    fn samples_that_were_there_count_for_the_noise_and_not_for_the_time_left() {
        let limits = Limits { noise: Some(0.05), first: 64, ..Limits::default() };
        let seen = view("rendering", &after(16, Some((64, 0.07))), 100, limits);
        assert_eq!(seen.share, Some(0.25));
        assert!(seen.more.contains(", 80.0 samples a pixel"), "{}", seen.more);
    }

    #[test]
    fn the_rule_that_ends_it_first_says_how_far_a_render_is() {
        let progress = Progress { paths_total: 100 * 32, ..after(16, Some((8, 0.2))) };
        let limits = Limits { noise: Some(0.05), ..Limits::default() };
        assert_eq!(view("rendering", &progress, 100, limits).share, Some(0.5));
        let time = Some(Duration::from_secs_f64(12.5));
        assert_eq!(view("rendering", &progress, 100, Limits { time, ..limits }).share, Some(0.8));
    }
}
