//! The limit of open files and connections.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors for photos, the log, the workers and commands, in addition to those of the store.
const RESERVED: usize = 128;

/// Raises the soft limit to the hard limit and returns it. `None`: unlimited.
pub(crate) fn raise_limit() -> Option<usize> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let limit = if raised.is_ok() { maximum } else { current };
    limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// The limit of open files.
pub(crate) fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// How many of `wanted` connections the limit allows, besides the `store` descriptors of the store.
pub(crate) fn connections(wanted: usize, limit: Option<usize>, store: usize) -> usize {
    let Some(limit) = limit else { return wanted };
    let reserved = RESERVED.saturating_add(store).min(limit / 2);
    let free = limit.saturating_sub(reserved).saturating_sub(patrol_http::SPARE_CONNECTIONS);
    wanted.min(free.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_other_files() {
        for (wanted, limit, store, fit) in [
            (10_000, None, 8, 10_000),
            (10_000, Some(1 << 20), 8, 10_000),
            (10_000, Some(1024), 8, 1024 - 136 - 32),
            (100, Some(1024), 8, 100),
            (10_000, Some(256), 1024, 256 - 128 - 32),
            (10_000, Some(16), 8, 1),
        ] {
            assert_eq!(connections(wanted, limit, store), fit, "{wanted} {limit:?} {store}");
        }
    }
}
