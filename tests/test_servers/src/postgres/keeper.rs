//! Stops unused servers with a small shell script, because several test processes share a server
//! and each of them may be killed.

use std::{
    fs::{self, File},
    io,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{self, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::process::lives;

const SCRIPT: &str = include_str!("keeper.sh");

/// Starts the script that stops the server in `folder` after `seconds` without users.
pub(crate) fn keep(folder: &Path, seconds: u32) {
    fs::create_dir_all(users(folder)).expect("a folder for users");
    enter(folder).expect("the folder is there");
    // A signal to the group of the tests must not reach the script, so it runs in its own session
    // where `setsid` exists, else in its own process group.
    let start = |program: &str, arguments: &[&str]| {
        Command::new(program)
            .args(arguments)
            .args(["-c", SCRIPT, "keeper"])
            .arg(folder)
            .arg(seconds.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir("/")
            .process_group(0)
            .spawn()
    };
    drop(start("setsid", &["sh"]).or_else(|_| start("sh", &[])).expect("a shell"));
}

/// Registers this process as a user of the server in `folder`, which stays for `seconds` after the
/// last use. False when the server is being stopped.
pub(crate) fn uses(folder: &Path, seconds: u32) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(1) {
        match enter(folder) {
            // The script may just have moved the folder away. It moves the folder back when it
            // finds our entry.
            Ok(entered) if entered.exists() => {
                if !is_kept(folder) {
                    keep(folder, seconds);
                }
                return true;
            }
            Ok(_) => thread::sleep(Duration::from_millis(20)),
            Err(_) => thread::sleep(Duration::from_millis(50)),
        }
    }
    false
}

/// Whether the script runs; it may have been killed.
fn is_kept(folder: &Path) -> bool {
    let script = fs::read_to_string(folder.join("keeper")).ok();
    script.and_then(|script| script.trim().parse().ok()).is_some_and(lives)
}

fn enter(folder: &Path) -> io::Result<PathBuf> {
    let entered = users(folder).join(process::id().to_string());
    drop(File::create(&entered)?);
    Ok(entered)
}

fn users(folder: &Path) -> PathBuf {
    folder.join("users")
}
