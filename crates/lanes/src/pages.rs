//! Pages of memory that is read out of order.

/// Smallest allocation, in bytes, for which huge pages are requested: the TLB covers less memory well enough with pages
/// of 4 KiB.
const LEAST_BYTES: usize = 8 << 20;
/// Largest ordinary (not huge) page of any system, in bytes.
const PAGE: usize = 1 << 16;

/// Asks the system to back `memory` with huge pages when it is first written to, so that random reads miss the TLB less
/// often. For memory that is allocated and not yet touched; of other memory, and where a system has no such pages,
/// nothing comes of it. Nothing changes that a program can read.
pub fn prefer_huge_pages<T>(memory: &[T]) {
    let bytes = size_of_val(memory);
    if bytes >= LEAST_BYTES {
        let first = memory.as_ptr().cast::<u8>();
        let before = first.addr().next_multiple_of(PAGE) - first.addr();
        advise(first.wrapping_add(before), (bytes - before) / PAGE * PAGE);
    }
}

/// Advises the system to use huge pages for the `bytes` from address `pages`, which is page-aligned; they must all
/// belong to the caller's memory.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn advise(pages: *const u8, bytes: usize) {
    use rustix::mm::{Advice, madvise};
    // SAFETY: this advice leaves what stands in memory as it is.
    // That it is refused, or does nothing, is no fault: everything works with small pages.
    let _ = unsafe { madvise(pages.cast_mut().cast(), bytes, Advice::LinuxHugepage) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_pages: *const u8, _bytes: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_keeps_what_stands_in_it() {
        for bytes in [0, 100, LEAST_BYTES - 1, LEAST_BYTES, LEAST_BYTES + 12_345] {
            let mut memory = vec![0u8; bytes];
            prefer_huge_pages(&memory);
            assert!(memory.iter().all(|&byte| byte == 0));
            memory.iter_mut().enumerate().for_each(|(place, byte)| *byte = place as u8);
            prefer_huge_pages(&memory);
            assert!(memory.iter().enumerate().all(|(place, &byte)| byte == place as u8), "{bytes}");
        }
    }
}
