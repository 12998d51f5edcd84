//! Facts about the machine and its processes.

use std::{
    ffi::OsString,
    fs::{self, File},
    path::Path,
    process::Command,
    thread,
    time::Duration,
};

/// A figure of a running process in MB, as `/proc/PID/status` names it.
#[must_use]
pub fn memory(process: u32, figure: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(figure))?;
    let kilobytes: f64 = line.trim_matches([':', '\t', ' ', 'k', 'B']).parse().ok()?;
    Some(kilobytes * 1024.0 / 1e6)
}

/// The processor time that a running process has used.
#[must_use]
pub fn processor_time(process: u32) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name in brackets: `utime` and `stime`, in hundredths of a second (proc_pid_stat(5)).
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11).take(2);
    let hundredths: u64 = times.try_fold(0, |sum, time| Some(sum + time.parse::<u64>().ok()?))?;
    Some(Duration::from_millis(10 * hundredths))
}

/// The bytes that a running process has read from disk so far, read-ahead included.
#[must_use]
pub fn disk_reads(process: u32) -> Option<u64> {
    let figures = fs::read_to_string(format!("/proc/{process}/io")).ok()?;
    figures.lines().find_map(|line| line.strip_prefix("read_bytes: ")?.parse().ok())
}

/// Removes a file from the page cache of the kernel. No process may have mapped it.
///
/// # Panics
/// When it cannot be read, or dd is not the one of GNU.
pub fn evict(file: &Path) {
    // Pages stay in the cache until they are written.
    File::open(file).and_then(|file| file.sync_all()).expect("the file is on disk");
    let mut input = OsString::from("if=");
    input.push(file);
    let evicted = Command::new("dd").arg(input).args(["iflag=nocache", "count=0"]).output();
    let is_evicted = evicted.is_ok_and(|output| output.status.success());
    assert!(is_evicted, "{} stays in the page cache", file.display());
}

/// Cores, processor, memory and kernel.
///
/// # Panics
/// When the number of cores is unknown.
#[must_use]
pub fn describe() -> String {
    let cores = cores();
    let model = member("/proc/cpuinfo", "model name");
    format!(
        "{cores} cores ({model}), {} MB of memory, Linux {}",
        total_memory(),
        read("/proc/sys/kernel/osrelease")
    )
}

/// The memory of the machine in MB.
#[must_use]
pub fn total_memory() -> u64 {
    let total = member("/proc/meminfo", "MemTotal");
    total.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(1 << 20) / 1024
}

/// The number of cores.
///
/// # Panics
/// When it is unknown.
#[must_use]
pub fn cores() -> usize {
    thread::available_parallelism().expect("the number of cores").get()
}

/// The load of the last minute, 5 and 15 minutes.
#[must_use]
pub fn load() -> String {
    read("/proc/loadavg").split(' ').take(3).collect::<Vec<_>>().join(" ")
}

/// The first line that a command prints.
///
/// # Panics
/// When it cannot be started.
pub fn says(command: &mut Command) -> String {
    let output = command.output().expect("the command runs");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().unwrap_or_default().to_owned()
}

fn read(file: &str) -> String {
    fs::read_to_string(file).unwrap_or_default().trim_end().to_owned()
}

fn member(file: &str, name: &str) -> String {
    let text = read(file);
    let line = text.lines().find(|line| line.starts_with(name));
    let value = line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim());
    value.unwrap_or("unknown").to_owned()
}
