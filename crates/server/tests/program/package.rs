//! What packages and images rely on: the health command, the check for root, and the generated
//! manual pages and completions.

use std::os::unix::fs::{MetadataExt, chown};

use crate::workspace::Workspace;

#[test]
fn health_asks_the_running_server() {
    let workspace = Workspace::new();
    let server = workspace.serve(&[]);
    let address = server.address.clone();
    assert_eq!(workspace.run(&["health", "--listen", &address]).ok(), "");
    // A server on all addresses is asked at 127.0.0.1.
    let everywhere = address.replace("127.0.0.1", "0.0.0.0");
    assert_eq!(workspace.run(&["health", "--listen", &everywhere]).ok(), "");
    let _ = server.stop();
    let error = workspace.run(&["health", "--listen", &address]).failed(1);
    assert!(error.contains(&format!("http://{address}/health/ready")), "{error}");
    assert!(error.contains("refused"), "{error}");
    let error = workspace.run(&["health", "--listen", "127.0.0.1:0"]).failed(2);
    assert!(error.contains("port 0"), "{error}");
}

#[test]
fn root_does_not_touch_the_data_of_another_user() {
    const OTHER: u32 = 54_321;
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.path("service")).unwrap();
    let store = ["--database-url", "sqlite:service/patrol.db"];
    let photos = ["--photos-url", "file:service/photos"];
    if std::fs::metadata(workspace.path("service")).unwrap().uid() != 0 {
        // Only root can give a folder away. Other users are not refused.
        workspace.run(&[&["migrate"][..], &store, &photos].concat()).ok();
        return;
    }
    workspace.run(&[&["migrate"][..], &store].concat()).ok();
    std::fs::create_dir(workspace.path("service/photos")).unwrap();
    for (data, path) in [(store, "service/patrol.db"), (photos, "service/photos")] {
        chown(workspace.path(path), Some(OTHER), None).unwrap();
        for line in [&["migrate"][..], &["import", "-"], &["serve"], &["token", "list"]] {
            let error = workspace.run(&[line, &data].concat()).failed(2);
            assert!(error.contains(&format!("{path} belongs to the user 54321")), "{error}");
            assert!(error.contains("sudo -u '#54321'"), "{error}");
        }
        chown(workspace.path(path), Some(0), None).unwrap();
    }
    workspace.run(&[&["token", "list"][..], &store, &photos].concat()).ok();
}

#[test]
fn manual_pages_and_completions_have_every_command_and_setting() {
    let workspace = Workspace::new();
    assert_eq!(workspace.run(&["package-files", "made"]).ok(), "");
    let help = workspace.run(&["serve", "--help"]).ok();
    let flags: Vec<_> = help.split_whitespace().filter(|word| word.starts_with("--")).collect();
    assert!(flags.contains(&"--database-url") && flags.contains(&"--demo"), "{help}");
    let plain = |page: &str| workspace.read(page).replace("\\-", "-");
    let page = plain("made/man/patrol-serve.1");
    for flag in flags {
        assert!(page.contains(flag), "{flag}");
        for shell in ["patrol.bash", "_patrol"] {
            assert!(workspace.read(&format!("made/completions/{shell}")).contains(flag), "{flag}");
        }
        let name = format!("-l {}", flag.trim_start_matches('-'));
        assert!(workspace.read("made/completions/patrol.fish").contains(&name), "{flag}");
    }
    // The page is the same on a machine with other cores.
    assert!(page.contains("[default: by the number of cores] [env: PATROL_WORKERS]"), "{page}");
    for command in ["migrate", "import", "export", "token", "token-create", "backup", "check"] {
        let page = plain(&format!("made/man/patrol-{command}.1"));
        assert!(page.contains("PATROL_DATABASE_URL") && page.contains("Examples:"), "{page}");
    }
    let page = plain("made/man/patrol.1");
    assert!(page.contains("patrol-serve") && !page.contains("package-files"), "{page}");
}
