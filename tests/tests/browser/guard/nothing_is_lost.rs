//! A random presser in two tabs, while the network comes and goes, the service, a tab and the browser are
//! killed, and pages are reloaded: what the page showed as done is in the service once, in order, with its files.
//! `PATROL_GUARD_ROUNDS=50` walks more rounds, `PATROL_GUARD_SEED` repeats a run.

use std::{env, fs, path::Path, time::SystemTime};

use image::ImageFormat;
use patrol_tests::{Running, Store, execution_id, pictures};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    super::webdriver::Options, Browser, enter_code, entries, open, status, store, url,
    wait_for_status, wait_for_worker,
};

/// Small random numbers that a seed repeats (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|value| value.parse().expect("a number"))
}

#[test]
fn what_the_page_showed_as_done_arrives_once_and_in_order() {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a time");
    let seed = number("PATROL_GUARD_SEED").unwrap_or(now.as_secs());
    let rounds = u32::try_from(number("PATROL_GUARD_ROUNDS").unwrap_or(3)).expect("few rounds");
    println!("PATROL_GUARD_SEED={seed}");
    let mut random = Random(seed);
    let mut running = Running::on(store(Store::sqlite(), 1..=rounds));
    let profile = TempDir::with_prefix("patrol-phone-").expect("a folder");
    let folder = TempDir::new().expect("a folder");
    let phone = || {
        Browser::with(Options {
            width: 390,
            profile: Some(profile.path().to_owned()),
            ..Options::default()
        })
    };
    let mut browser = phone();
    open(&browser, &running, "E1");
    browser.find("link", "Round 1");
    wait_for_status(&browser, "All sent");
    wait_for_worker(&browser);
    for n in 1..=rounds {
        // What the page showed as done, as the service has to have it.
        let mut done = vec![json!(["START", null, null])];
        let mut walk = WALK.iter();
        let page = url(&running, &format!("/guard/rounds/{}", execution_id(n)));
        browser.open(&page);
        browser.find("button", "Start round").click();
        browser.find("button", "Finish round");
        browser.open_tab(&page);
        for press in 0..14 {
            match random.below(12) {
                0 => browser.set_offline(true),
                1 => browser.set_offline(false),
                2 => browser.reload(),
                3 if press % 3 == 0 => {
                    browser.kill();
                    browser = phone();
                    browser.open(&page);
                    // The browser may lose the cookie of the session with its last half minute.
                    if !is_signed_in(&browser) {
                        open(&browser, &running, "E1");
                        browser.open(&page);
                    }
                    wait_for_worker(&browser);
                    browser.open_tab(&page);
                }
                4 if press % 3 == 0 => {
                    running = running.restarted(|| {});
                }
                5 => browser.switch_tab(usize::from(random.below(2) == 1)),
                6 => {
                    browser.close_tab();
                    browser.open_tab(&page);
                }
                _ => {}
            }
            browser.find("button", "Finish round");
            // The rest of the walk is pressed at the end.
            let next = if random.below(2) == 0 { walk.next() } else { None };
            done.push(match next {
                Some(next) => next.press(&browser, &folder.path().join("answer.png")),
                None => {
                    let has_picture = random.below(4) == 0;
                    let picture = has_picture.then(|| folder.path().join("picture.png"));
                    note(&browser, &format!("{n} {press}"), press, picture.as_deref())
                }
            });
        }
        for next in walk {
            done.push(next.press(&browser, &folder.path().join("answer.png")));
        }
        done.push(json!(["COMPLETE", null, null]));
        for tab in [1, 0] {
            browser.switch_tab(tab);
            browser.set_offline(false);
        }
        browser.reload();
        browser.find("button", "Finish round").click();
        browser.wait_for("The round is completed.");
        browser.wait("everything sent", || (status(&browser) == "All sent").then_some(()));
        let arrived = entries(&running, n);
        let found: Vec<_> = arrived.iter().map(said).collect();
        assert_eq!(found, done, "PATROL_GUARD_SEED={seed}");
        assert!(arrived.iter().all(|entry| entry["outcome"] == "ACCEPTED"), "{arrived:?}");
        for entry in &arrived {
            files_are_whole(&running, entry);
        }
        browser.switch_tab(1);
        browser.close_tab();
    }
}

/// A press of the walk from the first step to the last.
enum Press {
    /// A code is typed, of a point with this name.
    Code(&'static str, &'static str),
    Yes,
    Number(&'static str, f64),
    Text(&'static str, &'static str),
    Picture,
}

/// All that a round asks for. The picture is the last answer: it ends the second step.
const WALK: [Press; 6] = [
    Press::Code("GATE-1", "Gate"),
    Press::Yes,
    Press::Number("Pressure", 2.5),
    Press::Code("PIER-1", "Pier"),
    Press::Text("Remarks", "<b>quiet</b>"),
    Press::Picture,
];

/// How high the picture of an answer is, in pixels; those of notes are lower or higher.
const ANSWER_HEIGHT: u32 = 200;

impl Press {
    /// Presses, waits until the page shows it as done, and tells what the service has to have.
    fn press(&self, browser: &Browser, picture: &Path) -> Value {
        let shown = |what: &str, found: &str| {
            browser.wait(what, || (browser.run(&format!("return {found}")) == true).then_some(()));
        };
        // The hint of a field says that its answer is recorded.
        let recorded = |field: &str, count: u32| {
            let hints = "[...document.querySelectorAll('.step .field .quiet')]";
            shown(
                field,
                &format!(
                    "{hints}.filter((hint) => hint.textContent.includes('Recorded')).length === {count}"
                ),
            );
        };
        match self {
            Self::Code(code, point) => {
                enter_code(browser, code);
                browser.wait_for(&format!("Code taken: {point}"));
                json!(["SCAN", code, null])
            }
            Self::Yes => {
                browser.find("radio", "Yes").click();
                recorded("Closed", 1);
                json!(["RESULT", true, null])
            }
            Self::Number(field, number) => {
                browser.find("textbox", field).fill(&number.to_string());
                browser.keys("\t");
                // With it, the first step has all its answers.
                browser.wait_for("1 of 2 steps");
                json!(["RESULT", number, null])
            }
            Self::Text(field, text) => {
                browser.find("textbox", field).fill(text);
                browser.keys("\t");
                recorded(field, 3);
                json!(["RESULT", text, null])
            }
            Self::Picture => {
                let content = pictures::black(32, ANSWER_HEIGHT, ImageFormat::Png);
                fs::write(picture, content).expect("a file");
                browser.first("input[type=file]").choose_file(picture);
                browser.wait_for("2 of 2 steps");
                json!(["RESULT", null, 1])
            }
        }
    }
}

/// Saves a note, with this picture if there is one.
fn note(browser: &Browser, text: &str, press: u32, picture: Option<&Path>) -> Value {
    browser.find("button", "Add note").click();
    browser.find("textbox", "Text").fill(text);
    if let Some(picture) = picture {
        let content = pictures::black(32, 16 + press, ImageFormat::Png);
        fs::write(picture, content).expect("a file");
        browser.first("#note-files").choose_file(picture);
        browser.first("dialog img");
    }
    browser.find("button", "Save note").click();
    browser.wait_for("The note is saved.");
    json!(["NOTE", text, picture.map(|_| 1)])
}

/// Type, content and number of files of an entry.
fn said(entry: &Value) -> Value {
    let contents = ["code", "booleanValue", "numberValue", "textValue"];
    let content = contents.into_iter().map(|name| &entry[name]).find(|value| !value.is_null());
    let files = entry["mediaIds"].as_array().map(Vec::len).filter(|count| *count > 0);
    json!([entry["type"], content, files])
}

/// Whether the browser still has its session; a page may not know it yet.
fn is_signed_in(browser: &Browser) -> bool {
    let status = "return fetch('/guard/session').then(({ status }) => status)";
    let status = browser.run(status);
    assert!(status == 200 || status == 401, "{status}");
    status == 200
}

/// Compares the files of an entry with those that were chosen for it.
fn files_are_whole(running: &Running, entry: &Value) {
    for medium in entry["mediaIds"].as_array().into_iter().flatten() {
        let press = entry["textValue"].as_str().and_then(|text| text.split(' ').nth(1));
        let height =
            press.map_or(ANSWER_HEIGHT, |press| 16 + press.parse::<u32>().expect("a number"));
        let medium = medium.as_str().expect("an id");
        let sent = running.admin.get(&format!("/media/{medium}/file")).body;
        assert_eq!(sent, pictures::black(32, height, ImageFormat::Png));
    }
}
