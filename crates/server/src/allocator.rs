//! The allocator, and when it returns memory to the system.

use libmimalloc_sys::{mi_option_set_default, mi_option_t};

/// Faster than the system's allocator for many small requests.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// `mi_option_purge_delay` of `mimalloc.h`: how long freed pages are kept, in milliseconds.
const PURGE_DELAY: mi_option_t = 15;

/// Makes the allocator return pages to the system as soon as they are free. By default it keeps them
/// for a second and then until its next work, so that an idle server keeps all memory of a burst
/// (docs/adr/0017-small-pages.md). The variable `MIMALLOC_PURGE_DELAY` takes precedence.
#[allow(unsafe_code)]
pub(crate) fn return_memory_at_once() {
    // SAFETY: sets a number of mimalloc. No other thread runs yet that could set options.
    unsafe { mi_option_set_default(PURGE_DELAY, 0) };
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// The memory of the process, in KiB.
    fn resident() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        resident.trim().trim_end_matches(" kB").parse().unwrap()
    }

    #[test]
    fn freed_memory_is_returned_at_once() {
        const MIB: usize = 256;
        return_memory_at_once();
        let taken = vec![vec![1_u8; 1 << 20]; MIB];
        let before = resident();
        drop(taken);
        let returned = before.saturating_sub(resident());
        // Other tests take memory meanwhile.
        assert!(returned > 128 << 10, "{returned} KiB of {MIB} MiB");
    }
}
