//! Sources of settings, and accepted values.

use std::collections::HashMap;

use patrol_identity::KeySource;

use super::*;

type Pairs<'a> = &'a [(&'a str, &'a str)];

fn load(flags: Pairs<'_>, variables: Pairs<'_>, file: &str) -> Result<Configuration, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("patrol.toml");
    std::fs::write(&path, file).unwrap();
    let map = |pairs: Pairs<'_>| -> HashMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let (flags, variables) = (map(flags), map(variables));
    Configuration::from_sources(
        |name| flags.get(name).cloned(),
        |name| variables.get(name).map(OsString::from),
        &File::read(Some(&path)).unwrap(),
    )
}

fn error(flags: Pairs<'_>, variables: Pairs<'_>, file: &str) -> String {
    match load(flags, variables, file) {
        Ok(_) => panic!("{flags:?} {variables:?} {file} passed"),
        Err(error) => error,
    }
}

#[test]
fn a_flag_wins_over_a_variable_over_the_file_over_the_default() {
    let flag: Pairs<'_> = &[("limit_name", "1")];
    let variable: Pairs<'_> = &[("PATROL_LIMIT_NAME", "2")];
    let file = "limit_name = 3";
    for (flags, variables, file, name) in [
        (flag, variable, file, 1),
        (&[], variable, file, 2),
        (&[], &[], file, 3),
        (&[], &[], "", 255),
        (flag, &[], "", 1),
        (&[], &[("PATROL_LIMIT_NAME", "")], file, 3),
    ] {
        assert_eq!(load(flags, variables, file).unwrap().limits.name, name);
    }
}

#[test]
fn the_defaults_equal_those_of_the_configured_crates() {
    let found = load(&[], &[], "").unwrap();
    let http = patrol_http::Settings::default();
    assert_eq!(found.limits, Limits::default());
    assert_eq!(found.site.sessions, SessionLimits::default());
    assert!(found.site.enabled && found.site.public_url.is_none());
    assert!(found.database == Database::Sqlite(PathBuf::from("data/patrol.db")));
    assert_eq!(found.photos.place, Place::Folder(PathBuf::from("data/photos")));
    assert_eq!(found.photos.pixels, 25_000_000);
    assert_eq!(found.http.listen, ([127, 0, 0, 1], 8080).into());
    assert_eq!(found.http.body_limit, http.body_limit);
    assert_eq!(found.http.batch_limit, http.batch_limit);
    assert_eq!(found.http.photo_limit, http.photo_limit);
    assert_eq!(found.http.nesting, http.nesting);
    assert_eq!(found.http.request_timeout, http.request_timeout);
    assert_eq!(found.http.keep_alive, http.keep_alive);
    assert_eq!(found.http.header_limit, http.header_limit);
    assert_eq!(found.http.failed_authentications, http.failed_authentications);
}

#[test]
fn an_invalid_value_is_reported_with_its_setting_and_source() {
    // Settings of JWTs and paths accept any text.
    let any_text = |name: &str| name.starts_with("auth_jwt_") || name.starts_with("tls_");
    for setting in SETTINGS.iter().filter(|setting| !any_text(setting.name)) {
        let (name, variable) = (setting.name, setting.variable());
        let flag = format!("--{}: ", setting.flag());
        // A value that no setting accepts.
        let bad = "\u{1}secret=?:";
        assert!(error(&[(name, bad)], &[], "").starts_with(&flag), "{name}");
        let found = error(&[], &[(&variable, bad)], "");
        assert!(found.starts_with(&format!("{variable}: ")), "{found}");
        let found = error(&[], &[], &format!("{name} = '?:'"));
        assert!(found.contains(&format!("patrol.toml: {name}: ")), "{found}");
        let found = error(&[], &[], &format!("{name} = 1.5"));
        assert!(found.contains(&format!("patrol.toml: {name}: ")), "{found}");
        if name.ends_with("_url") || name.starts_with("auth_") {
            assert!(!error(&[(name, bad)], &[], "").contains("secret"), "{name}");
        }
    }
}

#[test]
fn the_number_of_workers_is_bounded() {
    assert_eq!(load(&[("workers", "512")], &[], "").unwrap().http.workers, 512);
    for workers in ["0", "513"] {
        assert!(error(&[("workers", workers)], &[], "").starts_with("--workers: "), "{workers}");
    }
}

#[test]
fn an_unknown_key_of_the_file_is_named() {
    for (file, key) in [("listn = ':80'", "listn"), ("[http]\nlisten = ''", "http")] {
        assert!(error(&[], &[], file).contains(&format!("unknown key `{key}`")), "{file}");
    }
}

#[test]
fn every_setting_reaches_its_field() {
    let file = "
        listen = '[::1]:9'
        database_url = 'sqlite:a b.db'
        database_pool = 9
        photos_url = 'memory:'
        log = 'warn,patrol=debug'
        log_format = 'json'
        workers = 3
        keep_alive = '2m'
        failed_authentications = 5
        request_timeout = '9s'
        limit_header = '4 KiB'
        limit_body = 4096
        trusted_proxies = '10.0.0.0/8, ::1'
        cors_origins = 'https://a.example, http://b.example:81'
        limit_batch = '4 MiB'
        limit_photo = '5 MiB'
        limit_pixels = 1000000
        limit_nesting = 32
        limit_description = 2
        limit_address = 3
        limit_text = 4
        limit_tags = 5
        limit_tag = 6
        limit_steps = 7
        limit_actions = 8
        limit_assignees = 9
        limit_locations = 10
        limit_tokens = 11
        limit_plan_places = 12
        limit_plan_place = '1 KiB'
        public_url = 'HTTPS://Patrol.example.org:8443'
        site = false
        session_idle = '30m'
        session_max = '2d'";
    let found = load(&[], &[], file).unwrap();
    assert!(found.database == Database::Sqlite(PathBuf::from("a b.db")));
    assert_eq!(found.log.filter.to_string(), "patrol=debug,warn");
    assert_eq!(found.log.format, crate::log::Format::Json);
    assert_eq!(found.site.public_url.as_deref(), Some("https://patrol.example.org:8443"));
    assert!(!found.site.enabled);
    let sessions = found.site.sessions;
    assert_eq!((sessions.idle.as_secs(), sessions.max.as_secs()), (1_800, 172_800));
    let http = found.http;
    assert_eq!(http.listen.to_string(), "[::1]:9");
    assert_eq!((http.workers, http.failed_authentications, http.nesting), (3, 5, 32));
    assert_eq!(http.trusted_proxies, "10.0.0.0/8,::1".parse().unwrap());
    let origins = "https://a.example,http://b.example:81".parse();
    assert_eq!(http.cors_origins, origins.unwrap());
    assert_eq!((http.keep_alive.as_secs(), http.request_timeout.as_secs()), (120, 9));
    assert_eq!((http.header_limit, http.body_limit), (4096, 4096));
    assert_eq!((http.batch_limit, http.photo_limit), (4 << 20, 5 << 20));
    assert_eq!((found.photos.place, found.photos.pixels), (Place::Memory, 1_000_000));
    let Limits {
        name,
        description,
        address,
        text,
        tags,
        tag,
        steps,
        actions,
        assignees,
        locations,
        tokens,
        plan_places,
        plan_place,
    } = found.limits;
    assert_eq!([tokens, plan_places, plan_place], [11, 12, 1024]);
    assert_eq!(
        [name, description, address, text, tags, tag, steps, actions, assignees, locations],
        [255, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    );
}

#[test]
fn the_collector_of_traces_is_a_url_and_has_the_usual_variable_as_default() {
    let endpoint = |flags, variables| load(flags, variables, "").unwrap().traces.endpoint;
    assert_eq!(endpoint(&[], &[]), None);
    let usual = [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://usual:4318/")];
    assert_eq!(endpoint(&[], &usual).as_deref(), Some("http://usual:4318"));
    let own = [("traces_endpoint", "https://own/otlp")];
    assert_eq!(endpoint(&own, &usual).as_deref(), Some("https://own/otlp"));
    let found = error(&[], &[("OTEL_EXPORTER_OTLP_ENDPOINT", "usual:4317")], "");
    assert!(found.starts_with("OTEL_EXPORTER_OTLP_ENDPOINT: has to be a URL"), "{found}");
    let found = error(&[("traces_endpoint", "http://u:secret@host")], &[], "");
    assert!(found.starts_with("--traces-endpoint: ") && !found.contains("secret"), "{found}");
    let ratio = |text| load(&[("traces_ratio", text)], &[], "").map(|found| found.traces.ratio);
    assert_eq!(ratio("0.25"), Ok(0.25));
    for bad in ["-0.1", "1.01", "NaN", "often", ""] {
        assert!(ratio(bad).is_err(), "{bad}");
    }
}

#[test]
fn the_public_url_is_a_scheme_and_a_host() {
    let good = |url| load(&[("public_url", url)], &[], "").unwrap().site.public_url.unwrap();
    assert_eq!(good("http://[::1]:80"), "http://[::1]");
    assert_eq!(good("http://localhost:8080"), "http://localhost:8080");
    for bad in ["", "a.example", "https://a.example/", "https://u:secret@a.example", "ws://a"] {
        let error = error(&[("public_url", bad)], &[], "");
        assert!(error.starts_with("--public-url: ") && !error.contains("secret"), "{error}");
    }
    for bad in ["1", "yes", "TRUE", ""] {
        assert!(error(&[("site", bad)], &[], "").starts_with("--site: "), "{bad}");
    }
}

#[test]
fn the_address_of_tiles_has_a_place_for_each_of_their_numbers() {
    let good = |url| load(&[("map_tiles", url)], &[], "").unwrap().site.map_tiles.unwrap();
    let tiles = good(" https://tiles.example.org:8443/a/{z}/{x}/{y}.png?key=k ");
    assert_eq!(tiles.template, "https://tiles.example.org:8443/a/{z}/{x}/{y}.png?key=k");
    assert_eq!(tiles.origin, "https://tiles.example.org:8443");
    assert!(load(&[], &[], "").unwrap().site.map_tiles.is_none());
    for bad in [
        "",
        "{z}/{x}/{y}",
        "https://a.example/{z}/{x}.png",
        "https://a.example/{z}/{x}/{y}/{y}",
        "https://{s}.a.example/{z}/{x}/{y}",
        "https://u:secret@a.example/{z}/{x}/{y}",
        "https://a.example/{z}/{x}/{y} secret",
        "ftp://a.example/{z}/{x}/{y}",
    ] {
        let error = error(&[("map_tiles", bad)], &[], "");
        assert!(error.starts_with("--map-tiles: ") && !error.contains("secret"), "{error}");
    }
}

#[test]
fn jwt_settings_are_given_together_or_not_at_all() {
    let all = [
        ("auth_jwt_issuer", "https://id.example.org"),
        ("auth_jwt_audience", "patrol"),
        ("auth_jwt_jwks", "keys.json"),
    ];
    assert!(load(&[], &[], "").unwrap().provider.is_none());
    let provider = load(&all, &[], "").unwrap().provider.unwrap();
    assert_eq!((&*provider.issuer, &*provider.audience), (all[0].1, all[1].1));
    assert_eq!(provider.keys, KeySource::File("keys.json".into()));
    for one in all {
        assert!(error(&[one], &[], "").contains("need all three"), "{}", one.0);
        let others: Vec<_> = all.into_iter().filter(|other| *other != one).collect();
        assert!(error(&others, &[], "").contains("need all three"), "{}", one.0);
        assert!(error(&[(one.0, "")], &[], "").contains("empty"), "{}", one.0);
    }
    assert!(error(&[("auth_jwt_jwks", "ftp://id/keys")], &[], "").contains("URL"));
}

#[test]
fn the_certificate_and_its_key_are_given_together_or_not_at_all() {
    let both = [("tls_certificate", "cert.pem"), ("tls_key", "key.pem")];
    assert!(load(&[], &[], "").unwrap().tls.is_none());
    let files = load(&both, &[], "").unwrap().tls.unwrap();
    assert_eq!((files.certificate, files.key), ("cert.pem".into(), "key.pem".into()));
    for one in both {
        assert!(error(&[one], &[], "").contains("HTTPS needs both"), "{}", one.0);
        assert!(error(&[(one.0, "")], &[], "").contains("empty"), "{}", one.0);
    }
}

#[test]
fn indexed_texts_are_bounded_on_postgresql() {
    let postgres = ("database_url", "postgres://u:secret@h/db");
    for name in ["limit_name", "limit_text", "limit_tag"] {
        assert!(load(&[postgres, (name, "650")], &[], "").is_ok());
        let error = error(&[postgres, (name, "651")], &[], "");
        assert!(error.contains("PostgreSQL") && !error.contains("secret"), "{error}");
        assert!(load(&[(name, "651")], &[], "").is_ok(), "SQLite has no such bound");
    }
}
