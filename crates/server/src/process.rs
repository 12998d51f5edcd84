//! Metrics of the process and of the disks that it writes to.

use std::path::{Path, PathBuf};

use patrol_domain::{Metric, MetricKind, Monitored};

use crate::descriptors;

/// The metrics of the process, with the names that all clients of Prometheus use.
pub(crate) struct Process;

impl Monitored for Process {
    fn metrics(&self) -> Vec<Metric> {
        [
            cpu_seconds().map(|seconds| Metric {
                kind: MetricKind::Counter,
                ..Metric::gauge(
                    "process_cpu_seconds_total",
                    "Processor time that the process has used.",
                    None,
                    seconds,
                )
            }),
            open_files().map(|files| {
                Metric::gauge_of("process_open_fds", "Open files and connections.", None, files)
            }),
            Some(Metric::gauge_of(
                "process_max_fds",
                "Most open files and connections (LimitNOFILE).",
                None,
                descriptors::limit(),
            )),
        ]
        .into_iter()
        .flatten()
        .chain(memory())
        .collect()
    }
}

/// The processor time of all threads.
fn cpu_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    std::time::Duration::try_from(time).ok().map(|time| time.as_secs_f64())
}

/// The number of open files, where the system reports it.
fn open_files() -> Option<usize> {
    // The listing itself is one of them.
    Some(std::fs::read_dir("/proc/self/fd").ok()?.count().saturating_sub(1))
}

/// Memory and threads, where the system reports them.
fn memory() -> Vec<Metric> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let number = |key: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(key))?;
        line.split_ascii_whitespace().next()?.parse().ok()
    };
    let bytes = |name, help, key| {
        let kib = number(key)?;
        Some(Metric::gauge_of(name, help, None, kib.saturating_mul(1024)))
    };
    let threads = number("Threads:")
        .map(|threads| Metric::gauge_of("process_threads", "Threads.", None, threads));
    [
        bytes("process_resident_memory_bytes", "Memory in use.", "VmRSS:"),
        bytes("process_virtual_memory_bytes", "Address space in use.", "VmSize:"),
        threads,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The space of the file systems with the files of the program.
pub(crate) struct Disks {
    /// The names of the metrics' label, and a folder on each file system.
    pub(crate) places: Vec<(&'static str, PathBuf)>,
}

impl Monitored for Disks {
    fn metrics(&self) -> Vec<Metric> {
        let places = self.places.iter().filter_map(|(name, folder)| Some((*name, space(folder)?)));
        let metrics = places.flat_map(|(name, Space { free, size, files })| {
            let label = Some(("place", name));
            [
                Metric::gauge_of(
                    "patrol_disk_free_bytes",
                    "Space that the program can still use on the file system, by place.",
                    label,
                    free,
                ),
                Metric::gauge_of(
                    "patrol_disk_size_bytes",
                    "Size of the file system, by place.",
                    label,
                    size,
                ),
                Metric::gauge_of(
                    "patrol_disk_free_files",
                    "Files that can still be created on the file system, by place.",
                    label,
                    files,
                ),
            ]
        });
        metrics.collect()
    }
}

/// The space of a file system.
struct Space {
    free: u64,
    size: u64,
    files: u64,
}

/// The space of the file system with this folder; `None` when the system does not report it.
fn space(folder: &Path) -> Option<Space> {
    let known = rustix::fs::statvfs(folder).ok()?;
    Some(Space {
        free: known.f_bavail.saturating_mul(known.f_frsize),
        size: known.f_blocks.saturating_mul(known.f_frsize),
        files: known.f_favail,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(metrics: &[Metric], name: &str) -> f64 {
        metrics.iter().find(|metric| metric.name == name).expect(name).value
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_process_is_measured() {
        let _open: Vec<_> =
            (0..50).map(|_| std::fs::File::open("/dev/null").expect("a file")).collect();
        let metrics = Process.metrics();
        assert!(value(&metrics, "process_open_fds") > 50.0);
        assert!(value(&metrics, "process_max_fds") > value(&metrics, "process_open_fds"));
        let memory = value(&metrics, "process_resident_memory_bytes");
        assert!(memory > 1e6 && memory < value(&metrics, "process_virtual_memory_bytes"));
        assert!(value(&metrics, "process_threads") >= 1.0);
        let before = value(&metrics, "process_cpu_seconds_total");
        while value(&Process.metrics(), "process_cpu_seconds_total") <= before {}
    }

    #[test]
    fn a_disk_is_measured_and_one_that_is_missing_has_no_figures() {
        let folder = tempfile::tempdir().expect("a folder");
        let places = vec![("store", folder.path().into()), ("photos", "/no/such/folder".into())];
        let metrics = Disks { places }.metrics();
        assert!(metrics.iter().all(|metric| metric.label == Some(("place", "store"))));
        let free = value(&metrics, "patrol_disk_free_bytes");
        assert!(free > 0.0 && free <= value(&metrics, "patrol_disk_size_bytes"));
    }
}
