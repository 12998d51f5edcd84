//! `promtool` of Prometheus, which checks rules and metrics.

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

use tempfile::TempDir;

/// Runs `promtool` with these arguments and this standard input.
///
/// # Panics
/// When it fails, or cannot be found or downloaded.
pub fn promtool(arguments: &[&str], stdin: &str) {
    let mut child = Command::new(program())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool starts");
    let mut pipe = child.stdin.take().expect("standard input is piped");
    // A command that needs no input may have closed it.
    drop(pipe.write_all(stdin.as_bytes()));
    drop(pipe);
    let output = child.wait_with_output().expect("promtool ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "promtool {arguments:?}:\n{out}{error}");
}

/// The program: an installed one, or that of Debian's package `prometheus` below `target`.
fn program() -> PathBuf {
    let folders = env::var_os("PATH").unwrap_or_default();
    let installed = env::split_paths(&folders).map(|folder| folder.join("promtool"));
    if let Some(installed) = installed.into_iter().find(|path| path.is_file()) {
        return installed;
    }
    // One download is enough, and apt-get refuses to update its lists twice at once.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools");
    let kept = tools.join("promtool");
    if !kept.is_file() {
        download(&tools, &kept);
    }
    kept
}

/// Downloads the package and keeps the program. Nothing is installed.
fn download(tools: &Path, kept: &Path) {
    fs::create_dir_all(tools).expect("a folder in target");
    // Processes that run at once download for themselves, and the last one wins.
    let folder = TempDir::new_in(tools).expect("a folder in target/tools");
    let fetched = fetch(folder.path()).or_else(|_| {
        // The lists of packages may be old or missing.
        drop(run(Command::new("apt-get").arg("update")));
        fetch(folder.path())
    });
    let package = fetched.unwrap_or_else(|error| {
        panic!(
            "The tests of docs/monitoring need promtool. Install it (Debian: apt-get install \
             prometheus), or give the tests access to Debian's packages: {error}"
        )
    });
    let unpacked = folder.path().join("unpacked");
    run(Command::new("dpkg").arg("-x").arg(package).arg(&unpacked)).expect("the package unpacks");
    fs::rename(unpacked.join("usr/bin/promtool"), kept).expect("the package has promtool");
}

/// Downloads the package into this folder.
fn fetch(folder: &Path) -> Result<PathBuf, String> {
    run(Command::new("apt-get").args(["download", "prometheus"]).current_dir(folder))?;
    let files = fs::read_dir(folder).expect("the folder exists");
    let mut files = files.map(|file| file.expect("a file").path());
    let package = files.find(|path| path.extension().is_some_and(|extension| extension == "deb"));
    package.ok_or_else(|| "apt-get download left no package".to_owned())
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}
