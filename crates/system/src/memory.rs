//! Reads how much memory is free.
//!
//! Systems that hand out more memory than they have (Linux does) let a film of any size be reserved and end the process
//! without a word once it is filled, so asking is not enough.

/// Returns the number of bytes of memory that can be allocated without swapping; `None` if the system does not say.
#[cfg(target_os = "linux")]
pub fn available() -> Option<u64> {
    let system = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| free_of_system(&text));
    // Containers and batch jobs have a limit of their own (cgroup v2, then v1).
    let read = |name: &str| std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok();
    let group = |limit, usage, statistics| group_free(&read(limit)?, &read(usage)?, &read(statistics)?);
    let group = group("memory.max", "memory.current", "memory.stat")
        .or_else(|| group("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat"));
    system.into_iter().chain(group).min()
}

/// Returns `None`: free memory is unknown on this system, where a reservation that succeeds is trusted.
#[cfg(not(target_os = "linux"))]
pub fn available() -> Option<u64> {
    None
}

/// Returns the `MemAvailable` value in the text of `/proc/meminfo`, in bytes.
#[cfg(any(target_os = "linux", test))]
fn free_of_system(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the bytes that a Linux control group may still allocate, from the texts of its limit, usage and statistics;
/// cached file pages count as free.
#[cfg(any(target_os = "linux", test))]
fn group_free(limit: &str, usage: &str, statistics: &str) -> Option<u64> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let files = ["inactive_file ", "active_file "].iter().filter_map(|&name| {
        // Without children (version 2 has only one kind of line, and counts them).
        statistics.lines().find_map(|line| number(line.strip_prefix(name)?))
    });
    let taken = number(usage)?.saturating_sub(files.sum());
    Some(number(limit)?.saturating_sub(taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_found_in_the_systems_words() {
        assert_eq!(free_of_system("MemTotal: 10 kB\nMemAvailable:    2048 kB\nSwapFree: 0 kB\n"), Some(2 << 20));
        assert_eq!(free_of_system("MemTotal: 10 kB\n"), None);
        assert_eq!(free_of_system("MemAvailable: many kB\n"), None);
        let statistics = "anon 100\ninactive_file 300\nactive_file 50\n";
        assert_eq!(group_free("1000\n", "900\n", statistics), Some(450));
        assert_eq!(group_free("1000\n", "2000\n", ""), Some(0));
        assert_eq!(group_free("max\n", "900\n", statistics), None);
        if cfg!(target_os = "linux") {
            assert!(available().is_some_and(|bytes| bytes > 1 << 20));
        }
    }
}
