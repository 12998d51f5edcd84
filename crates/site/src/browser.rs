//! A short name of a browser, for the list of sessions.

/// Parts of `User-Agent` with the browsers that they stand for. The first one found counts, because
/// most browsers also name those that they are compatible with.
const BROWSERS: [(&str, &str); 6] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("YaBrowser/", "Yandex Browser"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// Parts of `User-Agent` with the systems that they stand for; the first one found counts.
const SYSTEMS: [(&str, &str); 6] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

/// The longest name of an unknown program.
const MAX_NAME: usize = 40;

/// For example `Firefox (Linux)`; `None` when the browser sent no name.
pub(crate) fn short_name(user_agent: &str) -> Option<String> {
    let find = |table: &[(&str, &'static str)]| {
        table.iter().find(|(part, _)| user_agent.contains(part)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => Some(format!("{browser} ({system})")),
        (Some(browser), None) => Some(browser.to_owned()),
        (None, _) => {
            let name: String = user_agent.split(' ').next()?.chars().take(MAX_NAME).collect();
            (!name.is_empty()).then_some(name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_have_short_names() {
        for (user_agent, name) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
                Some("Firefox (Linux)"),
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0",
                Some("Edge (Windows)"),
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 \
                 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
                Some("Safari (iPhone)"),
            ),
            ("curl/8.5.0", Some("curl/8.5.0")),
            ("", None),
        ] {
            assert_eq!(short_name(user_agent).as_deref(), name);
        }
        assert_eq!(short_name(&"я".repeat(255)).unwrap().chars().count(), MAX_NAME);
    }
}
