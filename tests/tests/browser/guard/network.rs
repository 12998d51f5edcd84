//! What can stand between a phone and the service: a network that answers in its place, another version
//! of the program, and a page without a network whose browser has one.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use patrol_tests::{Running, Store};
use serde_json::json;

use super::{
    super::webdriver::Options, Browser, entries, open_at, open_round, store, wait_for_entries,
    wait_for_status, wait_for_worker,
};

/// What answers the phone.
#[derive(Clone, Debug)]
enum Answering {
    Service,
    /// A network whose visitors have to sign in: each answer is its page.
    Portal,
    /// The service with another version of the page: each `from` is `to`.
    Version {
        from: String,
        to: String,
    },
    /// The same but for an address that ends so: there the network asks its visitors to sign in.
    Partly {
        from: String,
        to: String,
        end: &'static str,
    },
}

/// A proxy between phone and service, on an address of its own.
struct Between {
    address: String,
    answering: Arc<Mutex<Answering>>,
    running: Running,
}

impl Between {
    /// The proxy before a service with one round.
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let public_url = format!("http://{address}");
        let settings = [("PATROL_PUBLIC_URL", public_url.as_str())];
        let running = Running::set(store(Store::sqlite(), [1]), &settings);
        let answering = Arc::new(Mutex::new(Answering::Service));
        let (service, shared) = (running.server.address().to_owned(), Arc::clone(&answering));
        thread::spawn(move || {
            for phone in listener.incoming() {
                let (service, shared) = (service.clone(), Arc::clone(&shared));
                thread::spawn(move || {
                    // A phone may close its connection at any time.
                    drop(answer(phone?, &service, &shared));
                    std::io::Result::Ok(())
                });
            }
        });
        Self { address, answering, running }
    }

    fn set(&self, answering: Answering) {
        *self.answering.lock().unwrap_or_else(PoisonError::into_inner) = answering;
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A phone on the page of the round, which is started.
    fn phone(&self) -> Browser {
        let browser = Browser::with(Options { width: 390, ..Options::default() });
        browser.deny("background-sync");
        open_at(&browser, &self.url(""), "E1");
        open_round(&browser, 1);
        browser.find("button", "Start round").click();
        wait_for_entries(&browser, &self.running, 1, 1);
        wait_for_worker(&browser);
        browser
    }
}

/// Reads one request, and answers it.
fn answer(
    mut phone: TcpStream,
    service: &str,
    answering: &Mutex<Answering>,
) -> std::io::Result<()> {
    let (head, body) = request(&mut phone)?;
    // As it is now: a browser opens connections before it uses them.
    let answering = answering.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let head = head.lines().filter(|line| {
        let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
        !["connection", "accept-encoding"].contains(&name.as_str())
    });
    let head: String = head.map(|line| format!("{line}\r\n")).collect();
    let target = head.split(' ').nth(1).unwrap_or_default();
    let (from, to) = match &answering {
        Answering::Version { from, to } => (from.as_str(), to.as_str()),
        Answering::Partly { from, to, end } if !target.ends_with(end) => {
            (from.as_str(), to.as_str())
        }
        Answering::Service => ("\0", "\0"),
        Answering::Portal | Answering::Partly { .. } => {
            let page = "<!doctype html><title>Hotel</title><h1>Welcome</h1>";
            return write!(
                phone,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\
                 Connection: close\r\n\r\n{page}",
                page.len()
            );
        }
    };
    let mut upstream = TcpStream::connect(service)?;
    write!(upstream, "{}Connection: close\r\n\r\n", head.replace(to, from))?;
    upstream.write_all(&body)?;
    let mut whole = Vec::new();
    upstream.read_to_end(&mut whole)?;
    phone.write_all(&replaced(&whole, from.as_bytes(), to.as_bytes()))
}

/// The lines of the head, and the body.
fn request(phone: &mut TcpStream) -> std::io::Result<(String, Vec<u8>)> {
    let mut read = Vec::new();
    let mut some = [0; 4096];
    loop {
        if let Some(end) = read.windows(4).position(|end| end == b"\r\n\r\n") {
            let mut body = read.split_off(end + 4);
            let head = String::from_utf8_lossy(&read[..end]).into_owned();
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
            });
            let length: usize = length.unwrap_or(0);
            let known = body.len();
            body.resize(length.max(known), 0);
            phone.read_exact(&mut body[known..])?;
            return Ok((head, body));
        }
        match phone.read(&mut some)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            length => read.extend_from_slice(&some[..length]),
        }
    }
}

/// The bytes with each `from` replaced by `to`, which is as long.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = bytes.to_vec();
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(from.len()).position(|some| some == from) {
        bytes[at + found..at + found + to.len()].copy_from_slice(to);
        at += found + to.len();
    }
    bytes
}

#[test]
fn the_page_of_another_network_is_not_taken_for_an_answer() {
    let between = Between::start();
    let browser = between.phone();
    between.set(Answering::Portal);
    browser.find("button", "No code").click();
    browser.find("button", "Finish step");
    wait_for_status(&browser, "Offline, 1 waiting");
    // Neither the page nor the worker is replaced.
    browser.run(
        "return navigator.serviceWorker.getRegistration('/guard')
           .then((worker) => worker.update()).then(() => true, () => false)",
    );
    browser.reload();
    browser.find("button", "Finish step").click();
    wait_for_status(&browser, "Offline, 2 waiting");
    browser.open(&between.url("/guard"));
    browser.find("button", "Refresh").click();
    browser.find("link", "Round 1");
    assert!(!browser.text().contains("Welcome"), "{}", browser.text());
    // What waits is sent by itself.
    between.set(Answering::Service);
    wait_for_entries(&browser, &between.running, 1, 3);
    let types: Vec<_> =
        entries(&between.running, 1).iter().map(|entry| entry["type"].clone()).collect();
    assert_eq!(types, ["START", "SCAN", "FINISH_STEP"]);
}

const OTHER_VERSION: &str = "0123456789abcdef";

/// The version of the page.
fn version_of(browser: &Browser) -> String {
    let file = browser.run("return document.querySelector('link[rel=modulepreload]').href");
    let file = file.as_str().expect("an address").to_owned();
    file.split('/').nth(5).expect("a version").to_owned()
}

#[test]
fn a_new_version_that_does_not_arrive_whole_changes_nothing() {
    let between = Between::start();
    let browser = between.phone();
    let own = version_of(&browser);
    // A file, and the page itself.
    for end in ["/app.js", "/guard"] {
        between.set(Answering::Partly { from: own.clone(), to: OTHER_VERSION.to_owned(), end });
        let state = browser.run(
            "return navigator.serviceWorker.getRegistration('/guard').then((registration) => new Promise((resolve) => {
               registration.onupdatefound = () => {
                 const { installing } = registration;
                 installing.onstatechange = () => resolve(installing.state);
               };
               registration.update().catch(() => {});
             }))",
        );
        assert_eq!(state, "redundant", "{end}");
        between.set(Answering::Portal);
        browser.open(&between.url("/guard"));
        browser.find("link", "Round 1");
        assert_eq!(version_of(&browser), own, "{end}");
    }
}

#[test]
fn a_new_version_is_taken_at_the_next_start_and_not_in_the_middle_of_a_round() {
    let between = Between::start();
    let browser = between.phone();
    let version = || version_of(&browser);
    let own = version();
    let other = OTHER_VERSION.to_owned();
    assert_eq!(own.len(), other.len());
    // Also back: a new worker meets an old service.
    for (answering, before, after, button) in [
        (
            Answering::Version { from: own.clone(), to: other.clone() },
            own.clone(),
            other.clone(),
            "No code",
        ),
        (Answering::Service, other, own, "Finish step"),
    ] {
        between.set(answering);
        browser.run(
            "return navigator.serviceWorker.getRegistration('/guard')
               .then((worker) => worker.update()).then(() => true)",
        );
        browser.wait("a version that is ready", || {
            let ready = browser.run(
                "return navigator.serviceWorker.getRegistration('/guard')
                   .then(async ({ installing }) => installing === null && caches.keys())",
            );
            let name = json!(format!("patrol-guard {after}"));
            ready.as_array().is_some_and(|ready| ready.contains(&name)).then_some(())
        });
        let known = entries(&between.running, 1).len();
        browser.find("button", button).click();
        wait_for_entries(&browser, &between.running, 1, known + 1);
        assert_eq!(version(), before, "in the middle of the round");
        browser.reload();
        browser.find("heading", "Round 1");
        assert_eq!(version(), after, "at the next start");
        browser.wait("one version that is kept", || {
            let kept = browser.run("return caches.keys()");
            (kept == json!([format!("patrol-guard {after}")])).then_some(())
        });
    }
    browser.find("button", "Finish round");
}

#[test]
fn the_browser_sends_what_waits_when_the_page_cannot() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = Browser::with(Options { width: 390, ..Options::default() });
    open_at(&browser, &super::url(&running, ""), "E1");
    open_round(&browser, 1);
    wait_for_worker(&browser);
    // This takes the network from the page alone, and not from the worker.
    browser.set_offline(true);
    browser.find("button", "Start round").click();
    browser.find("button", "No code").click();
    browser.wait("what the worker has sent", || (entries(&running, 1).len() == 2).then_some(()));
    browser.set_offline(false);
    browser.reload();
    wait_for_entries(&browser, &running, 1, 2);
}
