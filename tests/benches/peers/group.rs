//! Servers with several processes.

use std::{
    fs::{self, File},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use patrol_tests::bench::machine;

use crate::reply;

const SCRIPT: &str = include_str!("group.sh");

/// The most time until the first response of a server.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server with all its processes. They are killed when it is dropped, and when the benchmark is
/// killed.
pub(crate) struct Group {
    leader: Child,
    address: String,
}

/// A command whose processes form a group.
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", SCRIPT, "group"]).arg(program).process_group(0);
    command
}

impl Group {
    /// Starts a server that logs into `log`, and waits until it answers.
    pub(crate) fn start(
        mut command: Command,
        address: String,
        path: &str,
        token: &str,
        log: PathBuf,
    ) -> Result<Self, String> {
        let said = File::create(&log).map_err(|error| error.to_string())?;
        let errors = said.try_clone().map_err(|error| error.to_string())?;
        command.stdin(Stdio::piped()).stdout(said).stderr(errors);
        let leader = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let mut group = Self { leader, address };
        let start = Instant::now();
        loop {
            let Err(reason) = reply::get(&group.address, path, token) else { return Ok(group) };
            let has_ended = group.leader.try_wait().is_ok_and(|status| status.is_some());
            if has_ended || start.elapsed() > PATIENCE {
                return Err(format!("it does not start: {reason}; {}", last_words(&log)));
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// Host and port.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The memory of all processes together, in MB. Shared memory counts for each process.
    pub(crate) fn memory(&self) -> f64 {
        let processes = fs::read_dir("/proc").expect("/proc lists processes");
        let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let of_server = ids.filter(|process| self.has(*process));
        of_server.filter_map(|process| machine::memory(process, "VmRSS")).sum()
    }

    /// Whether a process belongs to the server; the processes of the script do not.
    fn has(&self, process: u32) -> bool {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let Some((head, tail)) = stat.rsplit_once(") ") else { return false };
        let group = tail.split(' ').nth(2).and_then(|group| group.parse().ok());
        group == Some(self.leader.id()) && !head.ends_with("(sh") && !head.ends_with("(cat")
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The script waits for the end of its input.
        drop(self.leader.stdin.take());
        drop(self.leader.wait());
    }
}

/// The last lines of a log, as one line.
pub(crate) fn last_words(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(5)..].join(" / ")
}
