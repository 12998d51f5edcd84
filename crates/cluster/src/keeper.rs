//! Who ends a server: a small shell script, since the tests that use it are several processes, any
//! of which may be killed.

use std::{
    fs::{self, File},
    io,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{self, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::process::lives;

const SCRIPT: &str = include_str!("keeper.sh");

/// Lets the script end the server in `folder` when nobody has used it for `seconds`.
pub(crate) fn keep(folder: &Path, seconds: u32) {
    fs::create_dir_all(users(folder)).expect("a folder for users");
    enter(folder).expect("the folder is there");
    // Out of reach of whoever ends the tests and all that belongs to them: in a session of its own,
    // where there is a program for that, or else a group.
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

/// Says that this process uses the server in `folder`, which is kept for `seconds`. False when it is
/// being ended.
pub(crate) fn uses(folder: &Path, seconds: u32) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(1) {
        match enter(folder) {
            // The script may just have moved the folder away, and puts it back when it sees us.
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

/// Whether the script runs, which somebody may have ended all the same.
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
