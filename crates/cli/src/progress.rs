//! The progress bar: only on a terminal, on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use raywarp::render::Progress;
use std::io::IsTerminal;
use std::time::Duration;

/// A bar for one render.
pub struct Bar {
    bar: Option<ProgressBar>,
    time_limit: Option<Duration>,
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Bar {
    /// A bar unless `quiet` or standard error is not a terminal.
    pub fn new(quiet: bool, time_limit: Option<Duration>) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(10));
            bar.set_style(style("{bar:30} {percent:>3} %  {msg}"));
            bar
        });
        Self { bar, time_limit }
    }

    /// Shows how far the render is; called from any worker.
    pub fn update(&self, progress: &Progress, pixels: u64) {
        let Some(bar) = &self.bar else { return };
        let elapsed = progress.elapsed.as_secs_f64().max(1e-3);
        let by_samples = progress.paths as f64 / progress.paths_total.max(1) as f64;
        let by_time = self.time_limit.map_or(0.0, |limit| elapsed / limit.as_secs_f64().max(1e-3));
        let share = by_samples.max(by_time).clamp(1e-9, 1.0);
        bar.set_length(1000);
        bar.set_position((share * 1000.0) as u64);
        bar.set_message(format!(
            "{:.1} samples a pixel, {} rays/s, {} left",
            progress.paths as f64 / pixels.max(1) as f64,
            si(progress.rays as f64 / elapsed),
            duration(elapsed * (1.0 - share) / share),
        ));
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A bar over steps of about equal length.
pub struct StepBar(Option<ProgressBar>);

impl StepBar {
    /// A bar unless `quiet` or standard error is not a terminal.
    pub fn new(quiet: bool, steps: u64) -> Self {
        Self((!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(10));
            // Before the first step nobody knows how long one takes.
            bar.set_style(style("{bar:30} {pos} of {len}"));
            bar.tick();
            bar
        }))
    }

    /// Shows that `steps` more are done.
    pub fn advance(&self, steps: u64) {
        if let Some(bar) = &self.0 {
            if bar.position() == 0 {
                bar.set_style(style("{bar:30} {pos} of {len}, {eta} left"));
            }
            bar.inc(steps);
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// A number with three digits and a decimal prefix: 12.3 M.
pub fn si(value: f64) -> String {
    let (scaled, prefix) = match value.abs() {
        v if v >= 9.9995e8 => (value / 1e9, " G"),
        v if v >= 9.9995e5 => (value / 1e6, " M"),
        v if v >= 1e4 => (value / 1e3, " k"),
        _ => (value, " "),
    };
    format!("{scaled:.1}{prefix}").trim_end().to_string()
}

/// Seconds as people say them.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 5999.0 => {
            let whole = s.round() as u64;
            format!("{} min {:02} s", whole / 60, whole % 60)
        }
        s => {
            let minutes = (s.min(1e15) / 60.0).round() as u64;
            format!("{} h {:02} min", minutes / 60, minutes % 60)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_durations_are_short() {
        assert_eq!((si(12.0), si(123_456.0), si(12_345_678.0)), ("12.0".into(), "123.5 k".into(), "12.3 M".into()));
        assert_eq!(
            (duration(3.12), duration(61.0), duration(754.0)),
            ("3.1 s".into(), "61 s".into(), "12 min 34 s".into())
        );
        assert_eq!(
            (duration(7500.0), duration(119.7), si(999_990.0)),
            ("2 h 05 min".into(), "2 min 00 s".into(), "1.0 M".into())
        );
    }
}
