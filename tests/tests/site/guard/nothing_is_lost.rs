//! A random presser in two tabs, while the network comes and goes, the service, a tab and the browser are
//! killed, and pages are reloaded: what the page showed as done is in the service once, in order, with its files.
//! `PATROL_GUARD_ROUNDS=50` walks more rounds, `PATROL_GUARD_SEED` repeats a run.

use std::{env, fs, time::SystemTime};

use image::ImageFormat;
use patrol_tests::{Running, Server, Store, execution_id, pictures};
use serde_json::Value;
use tempfile::TempDir;

use super::{
    super::webdriver::Options, Browser, entries, open, status, store, url, wait_for_status,
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
    let address = running.server.address().to_owned();
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
    for n in 1..=rounds {
        // The texts, and whether there was a picture.
        let mut done: Vec<(String, bool)> = Vec::new();
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
                    if browser.wait("a page", || page_of(&browser)) == "signed out" {
                        open(&browser, &running, "E1");
                        browser.open(&page);
                    }
                    browser.open_tab(&page);
                }
                4 if press % 3 == 0 => {
                    let Running { server, store, admin } = running;
                    server.kill();
                    let server = Server::run_at(store.command(&["serve"]), &address);
                    running = Running { server, store, admin };
                }
                5 => browser.switch_tab(usize::from(random.below(2) == 1)),
                6 => {
                    browser.close_tab();
                    browser.open_tab(&page);
                }
                _ => {}
            }
            browser.find("button", "Finish round");
            let text = format!("{n} {press}");
            browser.find("button", "Add note").click();
            browser.find("textbox", "Text").fill(&text);
            let has_picture = random.below(4) == 0;
            if has_picture {
                let picture = folder.path().join("picture.png");
                fs::write(&picture, pictures::black(32, 16 + press, ImageFormat::Png))
                    .expect("a file");
                browser.first("#note-files").choose_file(&picture);
                browser.first("dialog img");
            }
            browser.find("button", "Save note").click();
            browser.wait_for("The note is saved.");
            done.push((text, has_picture));
        }
        for tab in [1, 0] {
            browser.switch_tab(tab);
            browser.set_offline(false);
        }
        browser.reload();
        browser.find("button", "Finish round").click();
        browser.find("button", "Finish anyway").click();
        browser.wait_for("The round is completed.");
        browser.wait("everything sent", || (status(&browser) == "All sent").then_some(()));
        let arrived = entries(&running, n);
        let notes: Vec<_> = arrived
            .iter()
            .filter(|entry| entry["type"] == "NOTE")
            .map(|entry| {
                let text = entry["textValue"].as_str().expect("a text").to_owned();
                (text, entry["mediaIds"].as_array().is_some_and(|media| media.len() == 1))
            })
            .collect();
        assert_eq!(notes, done, "PATROL_GUARD_SEED={seed}");
        assert!(arrived.iter().all(|entry| entry["outcome"] == "ACCEPTED"), "{arrived:?}");
        for entry in &arrived {
            files_are_whole(&running, entry);
        }
        browser.switch_tab(1);
        browser.close_tab();
    }
}

/// Whether the page shows a round or the sign-in.
fn page_of(browser: &Browser) -> Option<&'static str> {
    let text = browser.text();
    if text.contains("You are signed out.") {
        return Some("signed out");
    }
    text.contains("Finish round").then_some("round")
}

/// Compares the files of a note with those that were chosen for it.
fn files_are_whole(running: &Running, entry: &Value) {
    for medium in entry["mediaIds"].as_array().into_iter().flatten() {
        let press =
            entry["textValue"].as_str().and_then(|text| text.split(' ').nth(1)).expect("a press");
        let height = 16 + press.parse::<u32>().expect("a number");
        let medium = medium.as_str().expect("an id");
        let sent = running.admin.get(&format!("/media/{medium}/file")).body;
        assert_eq!(sent, pictures::black(32, height, ImageFormat::Png));
    }
}
