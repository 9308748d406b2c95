//! Progress of long work: a bar on a terminal, a line every ten seconds where there is none, on standard error.

mod render;
mod ticker;

pub use render::{Limits, RenderProgress, percent};
pub use ticker::{ProgressView, Ticker, aside, hide};

use indicatif::ProgressStyle;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Progress display for work in steps of about equal length.
pub struct Steps {
    done: Arc<AtomicU64>,
    all: Arc<AtomicU64>,
    _ticker: Ticker,
}

impl Steps {
    /// Starts a progress display of `all` steps, counted in `unit`, unless `quiet`.
    pub fn new(quiet: bool, doing: impl Into<String>, unit: &'static str, all: u64) -> Self {
        let (done, all, doing) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(all)), doing.into());
        let seen = [done.clone(), all.clone()];
        let view = move || {
            let [done, all] = seen.each_ref().map(|count| count.load(Ordering::Relaxed));
            // What is cheap may not be counted.
            let share = (all > 0).then(|| (done as f64 / all as f64).min(1.0));
            let more = share.map(|_| format!("{done} of {all} {unit}")).unwrap_or_default();
            ProgressView { doing: doing.clone(), share, more }
        };
        Self { done, all, _ticker: Ticker::start(quiet, view) }
    }

    /// Counts `steps` more steps as done.
    pub fn advance(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// Sets the progress to `done` of `all` steps.
    pub fn set(&self, done: u64, all: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.all.store(all, Ordering::Relaxed);
    }
}

/// Formats a number with three digits and a decimal prefix: 12.3 M.
pub fn si(value: f64) -> String {
    let (scaled, prefix) = match value.abs() {
        v if v >= 9.9995e8 => (value / 1e9, " G"),
        v if v >= 9.9995e5 => (value / 1e6, " M"),
        v if v >= 1e4 => (value / 1e3, " k"),
        _ => (value, " "),
    };
    format!("{scaled:.1}{prefix}").trim_end().to_string()
}

/// Formats a duration in seconds for people.
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
