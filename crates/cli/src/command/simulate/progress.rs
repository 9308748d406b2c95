//! Progress of a simulation, of which what is finished is kept when it is interrupted.

use crate::common::Common;
use crate::interrupt;
use crate::interrupted_table;
use crate::progress::Steps;
use raywarp::Control;

/// Steps of a simulation for the progress display: their name and number.
pub(crate) type StepCount = (&'static str, usize);

/// Guard that keeps finished results on an interrupt until they are printed.
pub(crate) struct Kept {
    _keep: interrupt::Keep,
    _doing: interrupt::Doing,
}

/// Runs `simulate`, which reports its steps through the given control. An interrupt keeps what is finished as long as
/// the first result lives.
pub(crate) fn steps<T>(common: &Common, (name, count): StepCount, simulate: impl FnOnce(&Control) -> T) -> (Kept, T) {
    let doing = interrupt::doing("simulating");
    let bar = Steps::new(common.quiet, "simulating", name, count as u64);
    let keep = interrupt::Keep::later(interrupted_table::KEEPS);
    let progress = |steps: usize| {
        keep.begin();
        bar.advance(steps as u64);
    };
    let result = simulate(&Control { cancel: Some(interrupt::flag()), progress: Some(&progress) });
    drop(bar);
    (Kept { _keep: keep, _doing: doing }, result)
}
