//! The server that all tests of a run share, across processes.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use super::{folder, keeper, package, server::Server, sql};

/// How many seconds it stays without tests: cargo builds the next test program in the meantime.
const IDLE: u32 = 30;

/// The most time that a server may take to be cleaned up.
const TIDYING: Duration = Duration::from_secs(15);

/// The URL of a user who may create databases, with this database in it.
///
/// # Panics
/// When there is no server and none can be started.
pub(crate) fn url(database: &str) -> String {
    static OWN: OnceLock<(String, String)> = OnceLock::new();
    let (before, after) = OWN.get_or_init(|| {
        let url = env::var("PATROL_TEST_POSTGRES_URL").unwrap_or_else(|_| join_or_start());
        around_database(&url)
    });
    format!("{before}{database}{after}")
}

/// The parts of a URL before and after the database.
fn around_database(url: &str) -> (String, String) {
    let (place, options) = match url.split_once('?') {
        Some((place, options)) => (place, format!("?{options}")),
        None => (url, String::new()),
    };
    let after_scheme = place.find("://").map_or(0, |at| at + 3);
    let path = place.get(after_scheme..).and_then(|rest| rest.find('/'));
    let end = path.map_or(place.len(), |at| after_scheme + at);
    (format!("{}/", place.get(..end).unwrap_or(place)), options)
}

fn join_or_start() -> String {
    // Each version that tests ask for has its own.
    let version = package::wanted().map(|version| version.to_string()).unwrap_or_default();
    let home = folder::home().join(format!("shared{version}"));
    let _one_at_a_time = folder::lock("shared");
    if let Some(url) = join(&home) {
        return url;
    }
    // A server that does not answer is useless: without users, its script stops it and removes the
    // folder. After a reboot there is no script, so the folder is removed below.
    drop(fs::remove_dir_all(home.join("users")));
    let start = Instant::now();
    while home.exists() && start.elapsed() < TIDYING {
        thread::sleep(Duration::from_millis(50));
    }
    drop(fs::remove_dir_all(&home));
    let server = Server::start_shared(&home, IDLE);
    let url = server.url("postgres");
    fs::write(file(&home), &url).expect("the folder is ours");
    // Not dropped, because other processes use it after this one.
    std::mem::forget(server);
    url
}

/// The URL of a server that already runs.
fn join(home: &Path) -> Option<String> {
    let url = fs::read_to_string(file(home)).ok()?;
    (keeper::uses(home, IDLE) && sql::attempt(&url, "SELECT 1").is_ok()).then_some(url)
}

fn file(home: &Path) -> PathBuf {
    home.join("url")
}

#[cfg(test)]
mod tests {
    use super::around_database;

    #[test]
    fn a_database_is_put_into_any_url() {
        for (url, before, after) in [
            ("postgres://a:b@c:1/d?e=f", "postgres://a:b@c:1/", "?e=f"),
            ("postgres://c/d", "postgres://c/", ""),
            ("postgres://c", "postgres://c/", ""),
            ("postgres://c?e=f", "postgres://c/", "?e=f"),
        ] {
            assert_eq!(around_database(url), (before.to_owned(), after.to_owned()), "{url}");
        }
    }
}
