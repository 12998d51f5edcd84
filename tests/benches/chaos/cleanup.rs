//! The directory of a run and its processes. Both are removed when the harness ends, also when it
//! is interrupted or killed.

use std::{
    env,
    ffi::OsStr,
    fs,
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{self, Child, Command, Stdio},
};

/// The directory. When this process has ended, a shell script in its own process group kills the
/// remaining processes and removes the directory.
pub(crate) struct Cleanup {
    directory: PathBuf,
    script: Child,
}

impl Cleanup {
    /// Creates the directory.
    pub(crate) fn new() -> Self {
        let directory = env::temp_dir().join(format!("patrol-chaos-{}", process::id()));
        fs::create_dir_all(directory.join("processes")).expect("a directory for the run");
        let script = Command::new("sh")
            .args(["-c", include_str!("cleanup.sh"), "cleanup"])
            .arg(&directory)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("a shell");
        Self { directory, script }
    }

    /// Creates a directory inside that of the run.
    pub(crate) fn directory(&self, name: &str) -> PathBuf {
        let directory = self.directory.join(name);
        fs::create_dir_all(&directory).expect("a directory");
        directory
    }

    /// A command whose process does not outlive the harness: a shell records its process id and
    /// then becomes the program.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", ": >\"$0/$$\"; exec \"$@\""]).arg(self.processes()).arg(program);
        command
    }

    /// Removes a process that has ended from the list, because another process may get its id.
    pub(crate) fn forget(&self, process: u32) {
        drop(fs::remove_file(self.processes().join(process.to_string())));
    }

    fn processes(&self) -> PathBuf {
        self.directory.join("processes")
    }
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        drop(self.script.stdin.take());
        drop(self.script.wait());
    }
}
