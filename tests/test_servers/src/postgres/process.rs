//! Runs programs and signals processes.

use std::{
    fs,
    process::{Command, Output},
};

use rustix::process::{Pid, Signal, kill_process};

/// Runs a program to its end and returns its output.
///
/// # Panics
/// When it fails, with its output.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let Output { status, stdout, stderr } = output;
    let said = String::from_utf8_lossy(&stdout).into_owned();
    assert!(status.success(), "{command:?}: {status}\n{said}{}", String::from_utf8_lossy(&stderr));
    said
}

/// Sends a signal. Does nothing when the process has ended.
pub(crate) fn signal(process: u32, signal: Signal) {
    if let Some(process) = pid(process) {
        let _ = kill_process(process, signal);
    }
}

/// Whether the process exists.
pub(crate) fn lives(process: u32) -> bool {
    pid(process).is_some_and(|process| {
        rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH)
    })
}

fn pid(process: u32) -> Option<Pid> {
    i32::try_from(process).ok().and_then(Pid::from_raw)
}

/// The running child processes of `parent`.
///
/// # Panics
/// On systems without `/proc`.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("/proc lists processes");
    let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(|process| parent_of(*process) == Some(parent)).collect()
}

/// The fourth field of `/proc/PID/stat`; the second is a name in parentheses.
fn parent_of(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(1)?.parse().ok()
}
