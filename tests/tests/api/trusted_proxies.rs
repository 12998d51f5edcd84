//! The address of a client in the log and for the throttle, with and without reverse proxies.

use patrol_tests::{Api, Running, Store, company::company};

const LIST: &str = "/task-executions/info?limit=0";

fn running(settings: &[(&str, &str)]) -> Running {
    Running::set(Store::with(&company()), settings)
}

/// A client behind proxies: one header for each line.
fn behind(api: &Api, lines: &[&str]) -> Api {
    lines.iter().fold(api.clone(), |api, line| api.with("X-Forwarded-For", line))
}

/// The access line of a request with this id.
fn access_line(running: &Running, api: &Api, id: &str) -> String {
    let _ = api.with("X-Request-Id", id).get(LIST);
    let id = format!("request_id=\"{id}\"");
    let named = |line: &&str| line.contains(&id) && line.contains("answered");
    let log = running.server.log_once(|log| log.lines().any(|line| named(&line)));
    log.lines().find(named).unwrap().to_owned()
}

#[test]
fn the_log_names_the_last_untrusted_hop() {
    let running = running(&[("PATROL_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8, fd00::/8")]);
    for (id, lines, client) in [
        ("none", &[][..], "127.0.0.1"),
        ("one", &["203.0.113.9"][..], "203.0.113.9"),
        ("spoofed", &["198.51.100.1, 203.0.113.9, 10.1.2.3"], "203.0.113.9"),
        ("joined", &["203.0.113.9, 10.1.2.3", "fd00::7"], "203.0.113.9"),
        ("ipv6", &["2001:db8::9, fd00::7"], "2001:db8::9"),
        ("garbage", &["203.0.113.9, unknown, 10.1.2.3"], "10.1.2.3"),
    ] {
        let line = access_line(&running, &behind(&running.admin, lines), id);
        assert!(line.contains(&format!(" client={client} ")), "{id}: {line}");
    }
}

#[test]
fn the_header_of_an_untrusted_peer_is_ignored() {
    for (id, settings) in [("unset", &[][..]), ("other", &[("PATROL_TRUSTED_PROXIES", "10.0.0.1")])]
    {
        let running = running(settings);
        let line = access_line(&running, &behind(&running.admin, &["203.0.113.9"]), id);
        assert!(line.contains(" client=127.0.0.1 ") && !line.contains("203.0.113.9"), "{line}");
    }
}

#[test]
fn the_throttle_counts_clients_behind_a_proxy_separately() {
    let running = running(&[
        ("PATROL_TRUSTED_PROXIES", "127.0.0.0/8"),
        ("PATROL_FAILED_AUTHENTICATIONS", "3"),
    ]);
    let wrong = running.server.api().with_token("ptl_wrong");
    let (one, other) = (behind(&wrong, &["203.0.113.9"]), behind(&wrong, &["203.0.113.10"]));
    for _ in 0..3 {
        assert_eq!(one.get(LIST).status, 401);
    }
    one.get(LIST).refused(429, "too.many.requests").shows(&[]);
    // What a client writes into the header itself is before the hop of the proxy.
    behind(&wrong, &["198.51.100.1, 203.0.113.9"])
        .get(LIST)
        .refused(429, "too.many.requests")
        .shows(&[]);
    assert_eq!(other.get(LIST).status, 401);
    let log = running.server.log_once(|log| log.contains("a credential was rejected"));
    let line = log.lines().find(|line| line.contains("a credential was rejected")).unwrap();
    assert!(line.contains(" client=203.0.113.9 "), "{line}");
}

#[test]
fn a_setting_that_is_no_network_is_refused_with_advice() {
    for bad in ["proxy.example.org", "10.0.0.0/40", "10.0.0.1 10.0.0.2", "*"] {
        let error = Store::empty().run(&["serve", "--trusted-proxies", bad]).exited(2).stderr;
        assert!(error.starts_with("patrol: --trusted-proxies: `"), "{error}");
        assert!(error.contains("such as `10.0.0.7`") && error.lines().count() == 1, "{error}");
    }
}
