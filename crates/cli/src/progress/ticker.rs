//! Ticker that looks at long work from outside: on a terminal ten times a second, elsewhere every ten seconds.
//!
//! A thread asks a [`ProgressView`] of the work and shows it: as a bar or a spinner on a terminal, once the work has
//! taken half a second; as a line of standard error where there is none, so that the log of a batch job says how far it
//! is.

use super::{duration, style};
use indicatif::{ProgressBar, ProgressDrawTarget};
use std::io::IsTerminal;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time within which finished work shows no progress on a terminal.
const DELAY: Duration = Duration::from_millis(500);
/// Interval between updates of a terminal's progress bar.
const FRAME: Duration = Duration::from_millis(100);
/// Interval between progress lines where there is no terminal.
const LINES: Duration = Duration::from_secs(10);
/// Environment variable with another interval between progress lines, in seconds, for tests.
const LINES_VARIABLE: &str = "RAYWARP_PROGRESS_SECONDS";

/// Progress of some work as shown at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressView {
    /// Description of the work.
    pub doing: String,
    /// Fraction of the work that is done, 0 to 1, if known.
    pub share: Option<f64>,
    /// Further details: rates, counts.
    pub more: String,
}

impl ProgressView {
    /// Estimates the seconds until the work is done, from the fraction done in `elapsed` seconds.
    fn left(&self, elapsed: f64) -> Option<f64> {
        self.share.filter(|&share| share > 0.0).map(|share| elapsed * (1.0 - share) / share)
    }

    /// Returns the text after the progress bar, or after the description of the work.
    fn tail(&self, elapsed: f64) -> String {
        let time = match self.left(elapsed) {
            Some(left) => format!("about {} left", duration(left)),
            None => duration(elapsed),
        };
        // First what everybody asks: a narrow terminal cuts the rest off.
        if self.more.is_empty() { time } else { format!("{time}, {}", self.more) }
    }

    /// Returns the progress as a line of a log.
    fn line(&self, elapsed: f64) -> String {
        let percent = self.share.map(|share| format!("{:.0} %, ", 100.0 * share)).unwrap_or_default();
        format!("{}: {percent}{}", self.doing, self.tail(elapsed))
    }
}

/// Background display of progress, until dropped.
pub struct Ticker {
    /// Channel whose end stops the display's thread when dropped.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// Starts to show what `view` returns at each update, unless `quiet`.
    pub fn start(quiet: bool, view: impl Fn() -> ProgressView + Send + 'static) -> Self {
        let (stop, stopped) = channel();
        let watch = move || match std::io::stderr().is_terminal() {
            true => on_terminal(&stopped, view),
            false => in_lines(&stopped, view),
        };
        // Without a thread nothing is shown.
        let spawn = || std::thread::Builder::new().name("progress".into()).spawn(watch).ok();
        let thread = if quiet { None } else { spawn() };
        Self { stop: Some(stop), thread }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Waits for `time`; returns `false` once the work is done.
fn goes_on(stopped: &Receiver<()>, time: Duration) -> bool {
    matches!(stopped.recv_timeout(time), Err(RecvTimeoutError::Timeout))
}

fn in_lines(stopped: &Receiver<()>, view: impl Fn() -> ProgressView) {
    let start = Instant::now();
    let set = std::env::var(LINES_VARIABLE).ok().and_then(|text| text.parse().ok());
    let every = set.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(LINES);
    while goes_on(stopped, every.max(Duration::from_millis(1))) {
        let ended = ended();
        if *ended {
            return;
        }
        crate::screen::say(view().line(start.elapsed().as_secs_f64()));
    }
}

fn on_terminal(stopped: &Receiver<()>, view: impl Fn() -> ProgressView) {
    let start = Instant::now();
    if !goes_on(stopped, DELAY) {
        return;
    }
    if *ended() {
        return;
    }
    let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::stderr_with_hz(20));
    *shown() = Some(bar.clone());
    let mut has_share = None;
    loop {
        let view = view();
        if has_share != Some(view.share.is_some()) {
            has_share = Some(view.share.is_some());
            bar.set_style(style(match view.share {
                Some(_) => "{prefix} {bar:16} {percent:>3} %  {wide_msg}",
                None => "{spinner} {prefix}  {wide_msg}",
            }));
        }
        bar.set_prefix(view.doing.clone());
        bar.set_message(view.tail(start.elapsed().as_secs_f64()));
        bar.set_position((view.share.unwrap_or(0.0) * 1000.0) as u64);
        if !*ended() {
            bar.tick();
        }
        if !goes_on(stopped, FRAME) {
            break;
        }
    }
    *shown() = None;
    bar.finish_and_clear();
}

/// Progress bar that the terminal shows at the moment.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

fn shown() -> MutexGuard<'static, Option<ProgressBar>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `act`, which writes to the terminal, with the progress bar hidden.
pub fn aside<T>(act: impl FnOnce() -> T) -> T {
    // Not held meanwhile: what is done may wait for a reader.
    let bar = shown().clone();
    match bar {
        Some(bar) => bar.suspend(act),
        None => act(),
    }
}

/// `true` once the process is ending, so that no progress is to be shown any more. Held while something is shown.
static ENDED: Mutex<bool> = Mutex::new(false);

fn ended() -> MutexGuard<'static, bool> {
    ENDED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the progress bar for good, since the process is ending and its last message must stay.
pub fn hide() {
    *ended() = true;
    if let Some(bar) = shown().take() {
        bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_done_how_far_it_is_and_how_long_it_takes() {
        let view = |share, more: &str| ProgressView { doing: "rendering".into(), share, more: more.into() };
        assert_eq!(
            view(Some(0.25), "16.0 samples a pixel").line(20.0),
            "rendering: 25 %, about 60 s left, 16.0 samples a pixel"
        );
        assert_eq!(view(None, "").line(12.0), "rendering: 12 s");
        // Nothing is done yet: nobody knows how long it takes.
        assert_eq!(view(Some(0.0), "").line(12.0), "rendering: 0 %, 12 s");
    }
}
