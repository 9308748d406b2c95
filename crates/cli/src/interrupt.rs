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

/// State that decides what an interrupt does right now.
struct State {
    /// Work that is going on: "loading room.gltf".
    doing: String,
    /// Words for what is lost if the work ends here.
    lost: &'static str,
    /// Results that are finished but not printed yet.
    last_words: String,
    /// Number of [`Keep`]s that live, and the words of the last of them.
    keeps: (usize, &'static str),
}

static STATE: Mutex<State> =
    Mutex::new(State { doing: String::new(), lost: "nothing was written", last_words: String::new(), keeps: (0, "") });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts to listen; to be called once. `lost` is what becomes of a command that ends before it has anything.
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

/// Returns `true` if a signal was ignored when the process began. Where nobody says, it counts as ignored: what such a
/// signal does then stays as it is.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignored_signals(&status).is_none_or(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Returns the mask of ignored signals in the text of `/proc/self/status`, signal 1 in the lowest bit.
#[cfg(unix)]
fn ignored_signals(status: &str) -> Option<u64> {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

/// Handles a signal that has come.
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

/// Returns the flag that becomes true at the first interrupt while something is kept.
pub fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Returns `true` if the work was asked to end.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Notes what is being done, for the message; what was said before holds again at the end of the [`Doing`].
pub fn doing(what: &str) -> Doing {
    Doing(std::mem::replace(&mut state().doing, what.to_string()))
}

/// While it lives, [`doing`] something.
pub struct Doing(String);

impl Drop for Doing {
    fn drop(&mut self) {
        state().doing = std::mem::take(&mut self.0);
    }
}

/// Leaves `text` for standard output if an interrupt comes from here on: finished results that are not printed yet.
pub fn leave(text: String, lost: &'static str) {
    let mut state = state();
    (state.last_words, state.lost) = (text, lost);
}

/// While it lives, and from its beginning on, there is something worth saving: an interrupt sets [`flag`], and the work
/// ends by itself.
pub struct Keep {
    line: &'static str,
    begun: AtomicBool,
}

impl Keep {
    /// Makes a guard that will say `line` when interrupted, once [begun](Self::begin).
    pub fn later(line: &'static str) -> Self {
        Self { line, begun: AtomicBool::new(false) }
    }

    /// Makes a guard that says `line` when interrupted from here on.
    pub fn now(line: &'static str) -> Self {
        let keep = Self::later(line);
        keep.begin();
        keep
    }

    /// Begins to guard; the first call counts.
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
