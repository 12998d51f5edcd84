//! `/guard`: the files of the app, which are the same for everybody.

use patrol_tests::{Answer, Running, Store};

use super::{PASSWORD, browser, company, running};

/// The most bytes of the shell and its files, as sent.
const MOST: usize = 150 * 1024;

fn get(running: &Running, path: &str) -> Answer {
    let answer = running.server.api().outside(path);
    assert_eq!(answer.status, 200, "{path}");
    answer
}

/// The addresses of files in a text.
pub(super) fn files(text: &str) -> Vec<&str> {
    let parts = text.split('"').filter(|part| part.starts_with("/guard/files/"));
    let mut all: Vec<_> = parts.collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn the_shell_needs_no_session_and_is_the_same_at_every_path() {
    let running = running();
    let shell = get(&running, "/guard");
    for path in [
        "/guard/",
        "/guard/rounds/0190a000-0005-7000-8000-000000000001",
        "/guard/scan",
        "/guard/icon-9.png",
        "/guard/somewhere/else",
    ] {
        assert_eq!(get(&running, path).text(), shell.text(), "{path}");
    }
    let mut signed_in = browser(&running).signed_in("A1", PASSWORD);
    signed_in.set_cookie("patrol_language", "ru");
    assert_eq!(signed_in.open("/guard").text, shell.text(), "nothing of a person or a language");
    assert!(shell.text().contains("<noscript>"));
    assert_eq!(shell.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(shell.header("cache-control"), Some("no-cache"));
    assert_eq!(shell.header("set-cookie"), None);
    let policy = shell.header("content-security-policy").expect("a policy");
    for needed in
        ["default-src 'none'", "worker-src 'self'", "img-src 'self' blob:", "connect-src 'self'"]
    {
        assert!(policy.contains(needed), "{policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains("data:"), "{policy}");
    let permissions =
        |path| get(&running, path).header("permissions-policy").expect("permissions").to_owned();
    let of_the_site = permissions("/sign-in").replace("camera=()", "camera=(self)");
    assert_eq!(permissions("/guard"), of_the_site.replace("geolocation=()", "geolocation=(self)"));
    assert!(permissions("/guard").contains("camera=(self)"));
}

#[test]
fn all_files_are_small_and_kept_for_good() {
    let running = running();
    let shell = get(&running, "/guard");
    let worker = get(&running, "/guard/worker.js");
    assert_eq!(worker.header("service-worker-allowed"), Some("/guard"));
    assert_eq!(worker.header("cache-control"), Some("no-cache"));
    let named = files(shell.text());
    assert_eq!(named, files(worker.text()), "the worker keeps what the shell needs");
    let mut bytes = shell.body.len() + worker.body.len();
    for path in &named {
        let file = get(&running, path);
        assert_eq!(file.header("cache-control"), Some("max-age=31536000, immutable"), "{path}");
        bytes += file.body.len();
        let phone = running.server.api().with("Accept-Encoding", "gzip, deflate, br").outside(path);
        assert_eq!(phone.header("content-encoding"), Some("gzip"), "{path}");
        assert_eq!(phone.header("vary"), Some("accept-encoding"), "{path}");
        assert!(
            phone.body.len() < file.body.len() && phone.body.starts_with(b"\x1f\x8b"),
            "{path}"
        );
        let (_, version) = path.split_once("/guard/files/").expect("a version");
        let other = format!("/guard/files/0{version}");
        assert_eq!(running.server.api().outside(&other).status, 404, "{other}");
        // Modules import each other by paths of the same version.
        let folder = path.rsplit_once('/').expect("a folder").0;
        for import in file.text().split("from \"").skip(1).filter_map(|rest| rest.split('"').next())
        {
            let relative = import.strip_prefix("./").map(|name| format!("{folder}/{name}"));
            let above = || {
                let parent = folder.rsplit_once('/').expect("a folder above").0;
                format!("{parent}/{}", import.trim_start_matches("../"))
            };
            let imported = relative.unwrap_or_else(above);
            assert!(named.contains(&imported.as_str()), "{path} imports {import}");
        }
    }
    assert!(bytes <= MOST, "{bytes} bytes");
    assert!(named.len() > 10, "{named:?}");
}

#[test]
fn the_page_can_be_installed() {
    let running = running();
    let manifest = get(&running, "/guard/manifest.webmanifest");
    assert_eq!(manifest.header("content-type"), Some("application/manifest+json"));
    let manifest: serde_json::Value = serde_json::from_slice(&manifest.body).expect("JSON");
    for (member, value) in [
        ("name", "Patrol"),
        ("start_url", "/guard"),
        ("scope", "/guard"),
        ("display", "standalone"),
    ] {
        assert_eq!(manifest[member], value);
    }
    let icons = manifest["icons"].as_array().expect("icons");
    for icon in icons {
        let file = get(&running, icon["src"].as_str().expect("an address"));
        assert_eq!(file.header("content-type"), Some("image/png"));
        let size = image::load_from_memory(&file.body).expect("a picture").width();
        assert_eq!(icon["sizes"], format!("{size}x{size}"));
    }
    for sizes in ["192x192", "512x512"] {
        assert!(icons.iter().any(|icon| icon["sizes"] == sizes), "{sizes}");
    }
    assert!(icons.iter().any(|icon| icon["purpose"] == "maskable"));
}

#[test]
fn the_shell_says_when_a_round_is_late_and_its_version_follows() {
    let [usual, later] = [&[][..], &[("PATROL_LATE_AFTER", "1h")]].map(|settings| {
        let running = Running::set(Store::with(&company()), settings);
        get(&running, "/guard").text().to_owned()
    });
    for (shell, millis) in [(&usual, 600_000), (&later, 3_600_000)] {
        assert!(shell.contains(&format!("<body data-late-after=\"{millis}\">")), "{shell}");
    }
    assert_ne!(files(&usual), files(&later));
    assert_eq!(files(&usual).len(), files(&later).len());
}
