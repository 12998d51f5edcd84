//! The camera, which shows a film of a QR code, tags, and a phone whose storage is full.

use std::{
    fs,
    path::{Path, PathBuf},
};

use patrol_tests::{Running, Store, step_id};
use qrcodegen::{QrCode, QrCodeEcc};
use serde_json::json;
use tempfile::TempDir;

use super::{
    super::{is_clean, webdriver::Options},
    Browser, entries, open, open_round, store, url, wait_for_entries,
};

/// A film of one picture, 640 by 480, with the code of this text in its middle.
fn film(folder: &Path, text: &str) -> PathBuf {
    const WIDTH: usize = 640;
    const HEIGHT: usize = 480;
    const FIELD: usize = 8;
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).expect("a code");
    let side = usize::try_from(code.size()).expect("a size") * FIELD;
    let at = |place: usize, length: usize| {
        let within = place.checked_sub((length - side) / 2)?;
        i32::try_from(within / FIELD).ok()
    };
    let is_dark =
        |x, y| at(x, WIDTH).zip(at(y, HEIGHT)).is_some_and(|(x, y)| code.get_module(x, y));
    let mut film = b"YUV4MPEG2 W640 H480 F10:1 Ip A1:1 C420jpeg\nFRAME\n".to_vec();
    for y in 0..HEIGHT {
        film.extend((0..WIDTH).map(|x| if is_dark(x, y) { 16 } else { 235 }));
    }
    // The colours are a quarter of the picture each: none.
    film.extend(vec![128; WIDTH * HEIGHT / 2]);
    let file = folder.join("film.y4m");
    fs::write(&file, film).expect("a file");
    file
}

/// A browser whose camera sees this text, on the page of a round that is started.
fn seeing(running: &Running, text: &str) -> Browser {
    let folder = TempDir::new().expect("a folder");
    let camera = Some(film(folder.path(), text));
    let browser = Browser::with(Options { width: 390, camera, ..Options::default() });
    open(&browser, running, "E1");
    open_round(&browser, 1);
    browser.find("button", "Start round").click();
    wait_for_entries(&browser, running, 1, 1);
    browser.find("button", "Scan").click();
    // The film has to stay until the camera has shown it.
    browser.wait("an answer", || {
        let text = browser.text();
        (text.contains("Finish step") || text.contains("belongs to no step")).then_some(())
    });
    browser
}

#[test]
fn a_label_before_the_camera_opens_its_step() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = seeing(&running, &url(&running, "/guard/scan#PIER%2D1"));
    browser.find("textbox", "Remarks");
    wait_for_entries(&browser, &running, 1, 2);
    let sent = entries(&running, 1);
    assert_eq!((&sent[1]["type"], &sent[1]["code"]), (&"SCAN".into(), &"PIER-1".into()));
    assert_eq!(sent[1]["stepId"], *step_id(1, 2));
    assert_eq!(sent[1]["technology"], "QR");
    is_clean(&browser, &running);
}

#[test]
fn a_code_of_no_step_is_said_and_not_recorded() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = seeing(&running, "<script>alert(1)</script>");
    let alert = browser.run("return document.querySelector('[role=alert]').textContent");
    assert_eq!(alert, "This code belongs to no step of the round");
    assert_eq!(entries(&running, 1).len(), 1, "the start alone");
    is_clean(&browser, &running);
}

#[test]
fn a_tag_opens_the_step_of_its_number_or_text() {
    // Chromium reads tags on phones alone.
    const TAG: &str = "
        window.NDEFReader = class {
          async scan() {
            setTimeout(() => this.onreading({ serialNumber: window.tag.number, message: { records: window.tag.texts.map((text) =>
              ({ recordType: 'text', encoding: 'utf-8', data: new TextEncoder().encode(text) })) } }), 50);
          }
        };";
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = Browser::with(Options { width: 390, ..Options::default() });
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": TAG }));
    open(&browser, &running, "E1");
    open_round(&browser, 1);
    browser.find("button", "Start round").click();
    for (number, texts) in [
        ("04:00", json!([])),
        ("04:00", json!(["<b>other</b>"])),
        ("04:a2:5f:11", json!(["other"])),
        ("04:00", json!(["04:a2:5f:11"])),
    ] {
        let is_known = number.len() > 5 || texts[0] == "04:a2:5f:11";
        browser.run(&format!("window.tag = {}", json!({ "number": number, "texts": texts })));
        let scans = || entries(&running, 1).iter().filter(|entry| entry["type"] == "SCAN").count();
        let before = scans();
        browser.find("button", "Tap tag").click();
        if is_known {
            browser.find("button", "Finish step");
            browser.wait("the scan", || (scans() == before + 1).then_some(()));
        } else {
            browser.wait_for("This tag belongs to no step of the round");
            assert_eq!(scans(), before);
        }
    }
    for scan in &entries(&running, 1)[1..] {
        assert_eq!(scan["stepId"], *step_id(1, 1));
        assert_eq!((&scan["technology"], &scan["code"]), (&"NFC".into(), &"04:a2:5f:11".into()));
        assert_eq!(scan["verdicts"], json!([]));
    }
    is_clean(&browser, &running);
}

#[test]
fn a_phone_whose_storage_is_full_says_so_and_shows_nothing_as_done() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = Browser::with(Options { width: 390, ..Options::default() });
    open(&browser, &running, "E1");
    open_round(&browser, 1);
    browser.find("button", "Start round").click();
    wait_for_entries(&browser, &running, 1, 1);
    // No browser lets a test fill its storage.
    browser.run(
        "const { add } = IDBObjectStore.prototype; window.free = () => { IDBObjectStore.prototype.add = add; };
         IDBObjectStore.prototype.add = () => { throw new DOMException('full', 'QuotaExceededError'); };",
    );
    browser.find("button", "No code").click();
    browser.wait_for("The storage of this phone is full: nothing was recorded.");
    assert!(!browser.text().contains("Finish step"), "{}", browser.text());
    browser.run("window.free()");
    browser.find("button", "No code").click();
    browser.find("button", "Finish step");
    wait_for_entries(&browser, &running, 1, 2);
}
