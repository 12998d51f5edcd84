//! The program under test, as a process.

use std::{
    env,
    io::Write,
    path::PathBuf,
    process::{Command, Output, Stdio},
    thread,
};

/// The commands that need an existing store, of either kind.
pub const NEEDING_A_STORE: [&[&str]; 9] = [
    &["export", "out.ndjson"],
    &["export", "-"],
    &["check"],
    &["check", "--dry-run"],
    &["token", "list"],
    &["token", "create", "--user", "A1", "--name", "x"],
    &["token", "revoke", "--user", "A1"],
    &["user", "invite", "A1"],
    &["labels", "Yard", "--public-url", "http://patrol.test"],
];

/// The program in `PATROL_UNDER_TEST`, else `patrol` of the profile of the tests.
///
/// # Panics
/// When it has not been built.
#[must_use]
pub fn program() -> PathBuf {
    let path = env::var_os("PATROL_UNDER_TEST").map_or_else(
        || {
            let tests = env::current_exe().expect("this test has a path");
            let profile = tests.parent().and_then(|deps| deps.parent()).expect("target/PROFILE");
            profile.join("patrol")
        },
        PathBuf::from,
    );
    assert!(
        path.is_file(),
        "{} is missing: build it first with `cargo build -p patrol` (`make test` does)",
        path.display()
    );
    path
}

/// A command of the program, without the environment variables of the user who runs the tests.
pub(crate) fn command() -> Command {
    let mut command = Command::new(program());
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("PATROL_") {
            command.env_remove(name);
        }
    }
    command
}

/// The result of a command.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Outcome {
    /// Returns the result if the exit code is `code`.
    ///
    /// # Panics
    /// When it is another one.
    #[must_use]
    pub fn exited(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }
}

/// Runs a command to its end with this standard input.
pub(crate) fn run(command: &mut Command, stdin: Vec<u8>) -> Outcome {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("standard input is piped");
    // A command that refuses its input stops reading it, so the pipe may break.
    let writer = thread::spawn(move || drop(pipe.write_all(&stdin)));
    let Output { status, stdout, stderr } = child.wait_with_output().expect("the program ends");
    writer.join().expect("writing standard input does not panic");
    let outcome = Outcome {
        code: status.code(),
        stdout: String::from_utf8(stdout).expect("standard output is UTF-8"),
        stderr: String::from_utf8(stderr).expect("standard error is UTF-8"),
    };
    assert!(!outcome.stderr.contains("panicked"), "a panic: {outcome:#?}");
    outcome
}
