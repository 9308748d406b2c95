//! Ctrl-C, and what batch systems and closing terminals send (SIGTERM, SIGHUP): the first asks the work to end and
//! save, the second ends it at once.
//!
//! Most of the time there is nothing to save: while a scene is loaded, a tree is built, before the first row of a
//! table. Then the first one ends the process too, from the thread that hears it, whatever the others are doing. Only
//! while a [`Keep`] lives is the work asked to end by itself, through [`flag`].

use crate::exit::{CliError, Status};
use crate::progress;
use crate::screen::{Results, fail, say};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// State that decides what an interrupt does at the moment.
struct State {
    /// Current work, for messages: "loading room.gltf".
    doing: String,
    /// What would be lost if the work ended now, in words.
    lost: &'static str,
    /// Results that are finished but not yet printed, which an interrupt prints.
    last_words: String,
    /// Number of living [`Keep`] guards, and the message of the last one.
    keeps: (usize, &'static str),
}

static STATE: Mutex<State> =
    Mutex::new(State { doing: String::new(), lost: "nothing was written", last_words: String::new(), keeps: (0, "") });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts to listen for interrupts; to be called once. `lost` is what becomes of a command that ends before it has
/// anything.
pub fn listen(lost: &'static str) -> Result<(), CliError> {
    {
        let mut state = state();
        (state.doing, state.lost) = ("starting".into(), lost);
    }
    start().map_err(|error| CliError::machine(format!("cannot listen for Ctrl-C: {error}")))
}

#[cfg(unix)]
fn start() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    // nohup ignores it, and its children keep what they inherit.
    if !is_ignored(SIGHUP) {
        signals.add_signal(SIGHUP)?;
    }
    let hear = move || signals.forever().for_each(|_| interrupted());
    std::thread::Builder::new().name("signals".into()).spawn(hear).map(drop)
}

#[cfg(not(unix))]
fn start() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(interrupted)
}

/// Returns `true` if a signal was already ignored when the process began. Where nobody says, it counts as ignored: what
/// such a signal does then stays as it is.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignored_signals(&status).is_none_or(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Returns the mask of ignored signals from the text of `/proc/self/status`, with signal 1 in the lowest bit.
#[cfg(unix)]
fn ignored_signals(status: &str) -> Option<u64> {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

/// Handles an interrupt: asks the work to end if a [`Keep`] lives, else ends the process.
fn interrupted() {
    // Held while the process ends, so that nobody begins to keep something meanwhile.
    let state = state();
    let again = INTERRUPTED.load(Ordering::Relaxed);
    if !again && state.keeps.0 > 0 {
        INTERRUPTED.store(true, Ordering::Relaxed);
        say(format!("interrupted; {} (once more to end at once)", state.keeps.1));
        return;
    }
    // Held until the end, so that no picture is begun meanwhile.
    let _none = raywarp::system::remove_temporaries();
    progress::hide();
    if !again {
        if !state.last_words.is_empty() {
            let mut out = Results::text();
            let _ = out.write_all(state.last_words.as_bytes()).and_then(|()| out.flush());
        }
        fail(format!("interrupted while {}; {}", state.doing, state.lost), Status::Interrupted);
    }
    std::process::exit(Status::Interrupted as i32);
}

/// Returns the flag that an interrupt sets while a [`Keep`] lives.
pub fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Returns `true` if an interrupt asked the work to end.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Sets the description of the current work for messages, until the returned [`Doing`] is dropped.
pub fn doing(what: &str) -> Doing {
    Doing(std::mem::replace(&mut state().doing, what.to_string()))
}

/// Guard for a description of the current work ([`doing`]); holds the previous one.
pub struct Doing(String);

impl Drop for Doing {
    fn drop(&mut self) {
        state().doing = std::mem::take(&mut self.0);
    }
}

/// Leaves finished results `text` to be printed on standard output if an interrupt comes before they are printed.
pub fn leave(text: String, lost: &'static str) {
    let mut state = state();
    (state.last_words, state.lost) = (text, lost);
}

/// Guard for partial results worth saving: while it lives (and has begun), an interrupt only sets [`flag`], and the
/// work ends by itself.
pub struct Keep {
    line: &'static str,
    begun: AtomicBool,
}

impl Keep {
    /// Makes a guard that has not begun, with the message for an interrupt after [`Keep::begin`].
    pub fn later(line: &'static str) -> Self {
        Self { line, begun: AtomicBool::new(false) }
    }

    /// Makes a guard that has begun, with the message for an interrupt.
    pub fn now(line: &'static str) -> Self {
        let keep = Self::later(line);
        keep.begin();
        keep
    }

    /// Begins the guard; later calls do nothing.
    pub fn begin(&self) {
        if !self.begun.swap(true, Ordering::Relaxed) {
            let mut state = state();
            state.keeps = (state.keeps.0 + 1, self.line);
        }
    }
}

impl Drop for Keep {
    fn drop(&mut self) {
        if *self.begun.get_mut() {
            state().keeps.0 -= 1;
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::ignored_signals;

    #[test]
    fn ignored_signals_are_found_in_what_the_kernel_says() {
        let status = "Name:\tsh\nSigBlk:\t0000000000000004\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000002\n";
        assert_eq!(ignored_signals(status), Some(0x1001));
        assert_eq!(ignored_signals("Name:\tsh\n"), None);
        assert_eq!(ignored_signals("SigIgn:\tmany\n"), None);
    }
}
