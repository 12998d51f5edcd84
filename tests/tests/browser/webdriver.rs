//! Chromium, driven over the WebDriver protocol by Debian's `chromedriver`.
//!
//! The protocol is JSON over HTTP. Elements are found by role and accessible name, as the browser
//! computes them, so a test finds what a screen reader would announce.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use patrol_test_servers::{debian, free_port};
use patrol_tests::http;
use reqwest::{Method, blocking::Client};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The most time that the browser may take; generous, because test machines are busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// The member of an element's reference (WebDriver 11).
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// The path of commands of the Chrome DevTools protocol.
const CDP: &str = "/goog/cdp/execute";

/// How a browser is started.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) javascript: bool,
    /// The preferred language.
    pub(crate) language: &'static str,
    /// The width of the window.
    pub(crate) width: u32,
    /// The folder of its profile; a new one when absent.
    pub(crate) profile: Option<PathBuf>,
    /// A film that its camera shows, in the format Y4M.
    pub(crate) camera: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self { javascript: true, language: "en", width: 1200, profile: None, camera: None }
    }
}

/// A browser with its own profile. Closed when dropped.
pub(crate) struct Browser {
    http: Client,
    session: String,
    driver: Child,
    _profile: TempDir,
}

/// An element of the page.
pub(crate) struct Element<'a> {
    browser: &'a Browser,
    id: String,
    /// The role and the accessible name by which it was found.
    named: Option<(String, String)>,
}

impl Browser {
    pub(crate) fn start() -> Self {
        Self::with(Options::default())
    }

    pub(crate) fn with(options: Options) -> Self {
        let program = debian::program("chromedriver", &["chromium", "chromium-driver"]);
        let port = free_port();
        let driver = Command::new(program)
            .arg(format!("--port={port}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let http = http().timeout(None).build().expect("a client");
        let root = format!("http://127.0.0.1:{port}");
        let new_profile = TempDir::with_prefix("patrol-chromium-").expect("a folder");
        let Options { javascript, language, width, profile, camera } = options;
        let profile = profile.unwrap_or_else(|| new_profile.path().to_owned());
        let mut arguments = vec![
            "--headless=new".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--disable-gpu".to_owned(),
            "--no-first-run".to_owned(),
            "--disable-background-networking".to_owned(),
            format!("--user-data-dir={}", profile.display()),
            format!("--window-size={width},900"),
        ];
        if let Some(film) = camera {
            arguments.push("--use-fake-ui-for-media-stream".to_owned());
            arguments.push("--use-fake-device-for-media-stream".to_owned());
            arguments.push(format!("--use-file-for-fake-video-capture={}", film.display()));
        }
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "timeouts": { "script": PATIENCE.as_millis() },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
            "goog:chromeOptions": {
                "args": arguments,
                "prefs": {
                    "intl.accept_languages": language,
                    "profile.managed_default_content_settings.javascript":
                        if javascript { 1 } else { 2 },
                },
            },
        } } });
        let until = Instant::now() + PATIENCE;
        while http.get(format!("{root}/status")).send().is_err() {
            assert!(Instant::now() < until, "chromedriver does not listen");
            thread::sleep(Duration::from_millis(50));
        }
        let created = call(&http, Method::POST, &format!("{root}/session"), Some(&capabilities));
        let created = created.unwrap_or_else(|error| panic!("Chromium does not start: {error}"));
        let id = created["sessionId"].as_str().expect("a session");
        Self { session: format!("{root}/session/{id}"), http, driver, _profile: new_profile }
    }

    fn command(&self, method: Method, path: &str, body: Option<&Value>) -> Value {
        self.attempt(method, path, body).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn attempt(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, String> {
        call(&self.http, method, &format!("{}{path}", self.session), body)
    }

    pub(crate) fn open(&self, url: &str) {
        self.command(Method::POST, "/url", Some(&json!({ "url": url })));
    }

    pub(crate) fn url(&self) -> String {
        let url = self.command(Method::GET, "/url", None);
        url.as_str().expect("an address").to_owned()
    }

    pub(crate) fn back(&self) {
        self.command(Method::POST, "/back", Some(&json!({})));
    }

    pub(crate) fn reload(&self) {
        // Chromium asks before it sends a form again.
        self.cdp("Page.reload", json!({}));
    }

    /// Runs a script in the page and returns its result.
    pub(crate) fn run(&self, script: &str) -> Value {
        let body = json!({ "script": script, "args": [] });
        self.command(Method::POST, "/execute/sync", Some(&body))
    }

    /// The text that a reader sees.
    pub(crate) fn text(&self) -> String {
        self.attempt(Method::POST, "/element", Some(&css("body")))
            .and_then(|body| {
                self.attempt(Method::GET, &format!("/element/{}/text", id(&body)), None)
            })
            .map(|text| text.as_str().expect("text").to_owned())
            .unwrap_or_default()
    }

    /// Waits until a reader sees this text.
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait(&format!("the text {text:?}"), || self.text().contains(text).then_some(()));
    }

    /// The element with this role and accessible name, once it is there.
    pub(crate) fn find(&self, role: &str, name: &str) -> Element<'_> {
        self.found(&format!("a {role}"), &candidates(role), Some(role), name)
    }

    /// The field of a form with this accessible name, whatever its role, once it is there.
    pub(crate) fn field(&self, name: &str) -> Element<'_> {
        let fields = css("input:not([type=hidden]), select, textarea");
        self.found("a field", &fields, None, name)
    }

    fn found(
        &self,
        wanted: &str,
        candidates: &Value,
        role: Option<&str>,
        name: &str,
    ) -> Element<'_> {
        self.wait(&format!("{wanted} with the name {name:?}"), || {
            let all = self.attempt(Method::POST, "/elements", Some(candidates)).ok()?;
            let all =
                all.as_array().expect("elements").iter().map(|element| id(element).to_owned());
            let said = |id: &str, what: &str| {
                let said =
                    self.attempt(Method::GET, &format!("/element/{id}/computed{what}"), None);
                said.ok().and_then(|said| said.as_str().map(str::to_owned))
            };
            let matches = |id: &String| {
                said(id, "label").as_deref() == Some(name)
                    && (role.is_none() || said(id, "role").as_deref() == role)
            };
            let id = all.into_iter().find(matches)?;
            let named = role.map(|role| (role.to_owned(), name.to_owned()));
            Some(Element { browser: self, id, named })
        })
    }

    /// The first element that a CSS selector names, once it is there.
    pub(crate) fn first(&self, selector: &str) -> Element<'_> {
        self.wait(&format!("an element {selector:?}"), || {
            let found = self.attempt(Method::POST, "/element", Some(&css(selector))).ok()?;
            Some(Element { browser: self, id: id(&found).to_owned(), named: None })
        })
    }

    /// The names of all elements with this role, once none of them is replaced meanwhile.
    pub(crate) fn names(&self, role: &str) -> Vec<String> {
        self.wait(&format!("names of each {role}"), || {
            let all = self.attempt(Method::POST, "/elements", Some(&candidates(role))).ok()?;
            let label = |element: &Value| {
                let path = format!("/element/{}/computedlabel", id(element));
                self.attempt(Method::GET, &path, None).ok()?.as_str().map(str::to_owned)
            };
            all.as_array()?.iter().map(label).collect()
        })
    }

    pub(crate) fn wait<T>(&self, wanted: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = look() {
                return found;
            }
            assert!(Instant::now() < until, "{} has not {wanted}:\n{}", self.url(), self.text());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Types these keys where the focus is.
    pub(crate) fn keys(&self, keys: &str) {
        let press = |key: char| {
            [json!({ "type": "keyDown", "value": key }), json!({ "type": "keyUp", "value": key })]
        };
        let actions: Vec<_> = keys.chars().flat_map(press).collect();
        let body = json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] });
        self.command(Method::POST, "/actions", Some(&body));
    }

    /// The role and the name of the element that has the focus.
    pub(crate) fn focused(&self) -> (String, String) {
        let element = self.command(Method::GET, "/element/active", None);
        let said = |what: &str| {
            let path = format!("/element/{}/computed{what}", id(&element));
            self.command(Method::GET, &path, None).as_str().expect("text").to_owned()
        };
        (said("role"), said("label"))
    }

    /// Waits until the element with this role and name has the focus.
    pub(crate) fn wait_for_focus(&self, role: &str, name: &str) {
        self.wait(&format!("the focus on the {role} {name:?}"), || {
            self.has_focus(role, name).then_some(())
        });
    }

    fn has_focus(&self, role: &str, name: &str) -> bool {
        self.focused() == (role.to_owned(), name.to_owned())
    }

    /// Presses Tab until the element with this role and name has the focus.
    pub(crate) fn tab_to(&self, role: &str, name: &str) {
        for _ in 0..60 {
            self.keys("\u{e004}");
            if self.has_focus(role, name) {
                return;
            }
        }
        panic!("the {role} {name:?} is not reached by the keyboard:\n{}", self.text());
    }

    /// The errors in the console, and requests to other hosts than `host`.
    pub(crate) fn complaints(&self, host: &str) -> Vec<String> {
        let entries = |kind: &str| {
            let body = json!({ "type": kind });
            let log = self.command(Method::POST, "/se/log", Some(&body));
            log.as_array().expect("a log").clone()
        };
        // A form that is refused with 422 is a line of the console, too.
        let is_error = |entry: &&Value| {
            let message = entry["message"].as_str().unwrap_or_default();
            // Chromium itself asks where it is; some tests take the network away.
            entry["level"] == "SEVERE"
                && !message.contains("status of 4")
                && !message.contains("Network location provider")
                && !message.contains("ERR_INTERNET_DISCONNECTED")
        };
        let mut found: Vec<_> =
            entries("browser").iter().filter(is_error).map(ToString::to_string).collect();
        for entry in entries("performance") {
            let message: Value =
                serde_json::from_str(entry["message"].as_str().expect("a message")).expect("JSON");
            let message = &message["message"];
            let url = message["params"]["request"]["url"].as_str().unwrap_or_default();
            if message["method"] == "Network.requestWillBeSent"
                && url.starts_with("http")
                && !url.starts_with(&format!("http://{host}/"))
            {
                found.push(format!("a request to {url}"));
            }
        }
        found
    }

    /// A command of the Chrome DevTools protocol, and its result.
    pub(crate) fn cdp(&self, name: &str, params: Value) -> Value {
        self.command(Method::POST, CDP, Some(&command(name, params)))
    }

    /// Opens an address in a new tab, and goes there.
    pub(crate) fn open_tab(&self, url: &str) {
        let tab = self.command(Method::POST, "/window/new", Some(&json!({ "type": "tab" })));
        self.command(Method::POST, "/window", Some(&json!({ "handle": tab["handle"] })));
        self.open(url);
    }

    /// Closes this tab, whatever it does, and goes to the first one.
    pub(crate) fn close_tab(&self) {
        self.command(Method::DELETE, "/window", None);
        self.switch_tab(0);
    }

    /// Goes to another tab, counted from 0 in the order in which they were opened.
    pub(crate) fn switch_tab(&self, number: usize) {
        let tabs = self.command(Method::GET, "/window/handles", None);
        self.command(Method::POST, "/window", Some(&json!({ "handle": tabs[number] })));
    }

    /// Takes the network from the page, or gives it back.
    pub(crate) fn set_offline(&self, offline: bool) {
        let throughput = if offline { 0 } else { 100_000_000 };
        self.set_network(&json!({ "offline": offline, "latency": 0, "throughput": throughput }));
    }

    /// Gives the page a network with this latency in milliseconds and this throughput in bytes a second.
    pub(crate) fn set_network(&self, conditions: &Value) {
        let body = json!({ "network_conditions": conditions });
        self.command(Method::POST, "/chromium/network_conditions", Some(&body));
    }

    /// Refuses what a page may be allowed, for example `background-sync`.
    pub(crate) fn deny(&self, permission: &str) {
        let params = json!({ "permission": { "name": permission }, "setting": "denied" });
        self.cdp("Browser.setPermission", params);
    }

    /// Ends the browser without a warning, as a phone whose battery is empty.
    pub(crate) fn kill(self) {
        // The command is never answered.
        drop(self.attempt(Method::POST, CDP, Some(&command("Browser.crash", json!({})))));
    }

    /// A picture of the page as JPEG, of what the window shows or of all of it.
    pub(crate) fn screenshot(&self, whole: bool) -> Vec<u8> {
        let _ = self.cdp("Emulation.setScrollbarsHidden", json!({ "hidden": true }));
        let metrics = self.cdp("Page.getLayoutMetrics", json!({}));
        let (page, window) = (&metrics["cssContentSize"], &metrics["cssVisualViewport"]);
        let clip = if whole {
            json!({ "x": 0, "y": 0, "width": page["width"], "height": page["height"], "scale": 1 })
        } else {
            let width = &window["clientWidth"];
            // Small enough for the book, and still to be read.
            let scale = if width.as_f64() > Some(800.0) { 0.8 } else { 1.0 };
            json!({
                "x": window["pageX"], "y": window["pageY"], "width": width,
                "height": window["clientHeight"], "scale": scale,
            })
        };
        let wanted = json!({
            "format": "jpeg", "quality": 70, "captureBeyondViewport": whole, "clip": clip,
        });
        let picture = self.cdp("Page.captureScreenshot", wanted);
        BASE64.decode(picture["data"].as_str().expect("a picture")).expect("base64")
    }

    /// Makes the system look dark or light.
    pub(crate) fn prefer(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.emulate(json!({ "features": features }));
    }

    /// Gives the page another width, in pixels; `None`: that of the window.
    pub(crate) fn set_width(&self, width: Option<u32>) {
        let _ = match width {
            None => self.cdp("Emulation.clearDeviceMetricsOverride", json!({})),
            Some(width) => {
                let size = json!({
                    "width": width, "height": 844, "deviceScaleFactor": 1, "mobile": false,
                });
                self.cdp("Emulation.setDeviceMetricsOverride", size)
            }
        };
    }

    /// Shows the page as on paper.
    pub(crate) fn show_print(&self) {
        self.emulate(json!({ "media": "print" }));
    }

    fn emulate(&self, media: Value) {
        self.cdp("Emulation.setEmulatedMedia", media);
    }
}

impl Element<'_> {
    fn command(&self, method: Method, what: &str, body: Option<&Value>) -> Value {
        self.browser.command(method, &format!("/element/{}/{what}", self.id), body)
    }

    /// Presses it. When the page has replaced it since it was found, the one that took its place.
    pub(crate) fn click(&self) {
        let path = format!("/element/{}/click", self.id);
        let pressed = self.browser.attempt(Method::POST, &path, Some(&json!({})));
        match (pressed, &self.named) {
            (Err(error), Some((role, name))) if error.contains("stale element reference") => {
                self.browser.find(role, name).click();
            }
            (pressed, _) => drop(pressed.unwrap_or_else(|error| panic!("{path}: {error}"))),
        }
    }

    /// Clicks this many pixels to the right of its middle, and below it.
    pub(crate) fn click_beside(&self, x: i32, y: i32) {
        let origin = json!({ ELEMENT: self.id });
        let actions = json!([
            { "type": "pointerMove", "origin": origin, "x": x, "y": y },
            { "type": "pointerDown", "button": 0 },
            { "type": "pointerUp", "button": 0 },
        ]);
        let mouse = json!({ "type": "pointer", "id": "mouse", "actions": actions });
        let body = json!({ "actions": [mouse] });
        let _ = self.browser.command(Method::POST, "/actions", Some(&body));
    }

    /// Chooses a file in a field for files.
    pub(crate) fn choose_file(&self, file: &Path) {
        self.command(Method::POST, "value", Some(&json!({ "text": file.display().to_string() })));
    }

    /// Replaces the text of a field.
    pub(crate) fn fill(&self, text: &str) {
        self.command(Method::POST, "clear", Some(&json!({})));
        self.command(Method::POST, "value", Some(&json!({ "text": text })));
    }

    /// Chooses the option with this text.
    pub(crate) fn choose(&self, option: &str) {
        self.command(Method::POST, "value", Some(&json!({ "text": option })));
    }

    pub(crate) fn value(&self) -> String {
        let value = self.command(Method::GET, "property/value", None);
        value.as_str().expect("a value").to_owned()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.attempt(Method::DELETE, "", None));
        drop(self.driver.kill());
        drop(self.driver.wait());
    }
}

fn command(name: &str, params: Value) -> Value {
    json!({ "cmd": name, "params": params })
}

fn css(selector: &str) -> Value {
    json!({ "using": "css selector", "value": selector })
}

/// The elements that can have a role.
fn candidates(role: &str) -> Value {
    css(match role {
        "button" => "button, input[type=image]",
        "link" => "a[href]",
        "heading" => "h1, h2",
        "group" => "fieldset",
        "alert" | "status" => "[role]",
        "textbox" => "input:not([type=hidden]), textarea",
        _ => "input:not([type=hidden]), select, table",
    })
}

fn id(element: &Value) -> &str {
    element[ELEMENT].as_str().expect("a reference to an element")
}

/// Sends a command; the error is what the driver says.
fn call(http: &Client, method: Method, url: &str, body: Option<&Value>) -> Result<Value, String> {
    let mut request = http.request(method, url);
    if let Some(body) = body {
        request = request.json(body);
    }
    let answer = request.send().map_err(|error| error.to_string())?;
    let is_done = answer.status().is_success();
    let answer: Value = answer.json().map_err(|error| error.to_string())?;
    if is_done { Ok(answer["value"].clone()) } else { Err(answer["value"]["message"].to_string()) }
}
