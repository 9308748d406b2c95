//! Reads the time that processors worked for this process.

/// Returns the processor seconds that all threads of this process have used so far; `None` if the system does not say.
/// What others do to a busy machine does not count, other than through what is shared: caches, memory and clocks.
#[cfg(unix)]
pub fn seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

/// Returns `None`: processor time is unknown on this system.
#[cfg(not(unix))]
pub fn seconds() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time_and_sleep_does_not() {
        let Some(start) = seconds() else {
            return raywarp_testing::skip(raywarp_testing::Reason::System, "it does not say");
        };
        let mut sum = 0u64;
        let mut worked = 0.0;
        while worked < 0.01 {
            sum = std::hint::black_box(sum.wrapping_mul(3) + 1);
            worked = seconds().unwrap() - start;
        }
        assert!(worked < 60.0);
    }
}
