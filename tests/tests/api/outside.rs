//! Paths outside `/v1`: documentation and metrics.

use patrol_tests::{Description, Running, planned};

#[test]
fn the_interface_is_described() {
    let running = Running::with([]);
    let document = running.server.api().outside("/openapi.json").ok();
    let version = document["openapi"].as_str().expect("a version");
    assert!(version.starts_with("3.1"), "{version}");
    for (path, method, operation) in Description(&document).operations() {
        let answers = operation["responses"].as_object().expect("answers");
        assert!(answers.keys().any(|status| status.starts_with('2')), "{method} {path}");
        assert!(answers.contains_key("401"), "{method} {path}");
    }
    for (path, parameters) in LISTS {
        let described = &document["paths"][path]["get"]["parameters"];
        let named: Vec<_> = described
            .as_array()
            .expect("parameters")
            .iter()
            .map(|parameter| match parameter["$ref"].as_str() {
                Some(shared) => document.pointer(shared.trim_start_matches('#')).expect("there"),
                None => parameter,
            })
            .map(|parameter| parameter["name"].as_str().expect("a name"))
            .collect();
        for name in PAGING.iter().chain(parameters) {
            assert!(named.contains(name), "{name} of {path} is not described");
        }
    }
}

/// Parameters of every list.
const PAGING: [&str; 4] = ["limit", "offset", "sort", "q"];

/// Further parameters of each list.
const LISTS: [(&str, &[&str]); 7] = [
    (
        "/task-executions/info",
        &[
            "startAt",
            "endAt",
            "name",
            "priority",
            "userId",
            "state",
            "locationId",
            "pointId",
            "withDateIntersection",
            "includeOpenTasks",
            "tags",
            "status",
            "published",
        ],
    ),
    ("/scheduled-tasks", &["id", "name", "locationId", "userId", "tags", "priority", "enabled"]),
    ("/users", &["id", "name", "employeeNo", "email", "role", "status", "locationId", "tags"]),
    ("/locations", &["name", "address", "withGraphicPlan", "tags"]),
    ("/locations/points", &["id", "name", "type", "locationId", "tags", "qrCode", "rfidCode"]),
    ("/check-lists", &["id", "name"]),
    ("/locations/points/history", &["id", "name", "type", "locationId", "tags"]),
];

#[test]
fn the_documentation_is_served_whole_by_the_program_itself() {
    let running = Running::with([]);
    let api = running.server.api();
    let page = api.outside("/docs");
    assert_eq!(page.status, 200);
    assert!(page.header("Content-Type").unwrap_or_default().starts_with("text/html"));
    let text = page.text();
    let files: Vec<_> = ["src=\"", "href=\""]
        .iter()
        .flat_map(|before| text.split(before).skip(1))
        .filter_map(|after| after.split('"').next())
        .filter(|file| !file.starts_with('#') && !file.starts_with("data:"))
        .collect();
    assert!(files.iter().any(|file| file.ends_with(".js")), "{files:?}");
    for file in files {
        assert!(!file.contains("//"), "{file} is not inside the binary");
        let path = file.trim_start_matches("./");
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/docs/{path}") };
        assert_eq!(api.outside(&path).status, 200, "{file}");
    }
}

#[test]
fn requests_are_counted_and_timed_by_status() {
    let running = Running::with([planned(1)]);
    let path = format!("/task-executions/{}", patrol_tests::execution_id(1));
    for _ in 0..3 {
        let _ = running.admin.get(&path).ok();
    }
    assert_eq!(running.admin.get("/task-executions/x").status, 400);
    let answer = running.server.api().outside("/metrics");
    assert_eq!(answer.status, 200);
    let text = answer.text();
    let samples = |name: &str, status: &str| -> Vec<f64> {
        text.lines()
            .filter(|line| line.split('{').next() == Some(name))
            .filter(|line| line.contains("method=\"GET\"") && line.contains(status))
            .filter(|line| line.contains("route=\"/v1/task-executions/{id}\""))
            .map(|line| line.rsplit(' ').next().unwrap().parse().unwrap())
            .collect()
    };
    for name in ["http_requests_total", "http_request_duration_seconds_count"] {
        assert_eq!(samples(name, "status=\"200\""), [3.0], "{name}");
        assert_eq!(samples(name, "status=\"400\""), [1.0], "{name}");
    }
    assert!(!text.contains("ptl_") && !text.contains("0190a000"), "no tokens, no ids");
}

#[test]
fn the_metrics_name_the_build() {
    let running = Running::with([]);
    let answer = running.server.api().outside("/metrics");
    let text = answer.text();
    let line = text.lines().find(|line| line.starts_with("patrol_build_info{")).expect("a build");
    assert!(line.ends_with(" 1"), "{line}");
    // `patrol 0.1.0 (0123456789ab)`
    let version = running.store.run(&["--version"]).exited(0).stdout;
    let (version, commit) =
        version.trim().trim_start_matches("patrol ").split_once(' ').expect("version and commit");
    assert!(line.contains(&format!("version=\"{version}\"")), "{line}");
    let commit = commit.trim_matches(['(', ')']);
    assert!(line.contains(&format!("commit=\"{commit}\"")), "{line}");
    assert!(commit == "unknown" || commit.len() == 12, "{commit}");
}
