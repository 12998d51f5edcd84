//! What a phone has: a camera, which shows a film of a QR code, tags, a position, and a storage that is full.

use std::{
    fs,
    path::{Path, PathBuf},
};

use image::ImageFormat;
use patrol_tests::{Running, Store, pictures, step_id};
use qrcodegen::{QrCode, QrCodeEcc};
use serde_json::json;
use tempfile::TempDir;

use super::{
    super::{is_clean, webdriver::Options},
    Browser, enter_code, entries, open, open_round, phone, started, store, url, wait_for_entries,
};

/// A film of one picture, 640 by 480, with the code of this text in its middle; white for the empty text.
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
    let is_dark = |x, y| {
        !text.is_empty()
            && at(x, WIDTH).zip(at(y, HEIGHT)).is_some_and(|(x, y)| code.get_module(x, y))
    };
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
            const { number, texts } = window.tag;
            setTimeout(() => this.onreading({ serialNumber: number, message: { records: texts.map((text) =>
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
        // What is said of the tag before is still there.
        browser.wait("the end of the reading", || {
            (browser.run("return document.querySelector('dialog[open]')") == json!(null))
                .then_some(())
        });
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

/// No browser lets a test fill its storage.
const FULL: &str = "
    const { add } = IDBObjectStore.prototype;
    window.free = () => { IDBObjectStore.prototype.add = add; };
    IDBObjectStore.prototype.add = () => { throw new DOMException('full', 'QuotaExceededError'); };";

#[test]
fn a_phone_whose_storage_is_full_says_so_and_shows_nothing_as_done() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = started(&running);
    browser.run(FULL);
    browser.find("button", "No code").click();
    browser.wait_for("The storage of this phone is full: nothing was recorded.");
    assert!(!browser.text().contains("Finish step"), "{}", browser.text());
    browser.run("window.free()");
    browser.find("button", "No code").click();
    browser.find("button", "Finish step");
    wait_for_entries(&browser, &running, 1, 2);
    // What was typed is not lost, and an answer that was pressed is not shown as given.
    browser.run(FULL);
    browser.find("textbox", "Pressure").fill("2.5");
    browser.keys("\t");
    browser.wait_for("Not recorded");
    browser.find("radio", "Yes").click();
    browser.wait("an answer that is not recorded", || {
        (browser.text().matches("Not recorded").count() == 2).then_some(())
    });
    assert_eq!(browser.run("return document.querySelectorAll('input:checked').length"), 0);
    assert_eq!(browser.find("textbox", "Pressure").value(), "2.5");
    browser.run("window.free()");
    browser.find("radio", "Yes").click();
    wait_for_entries(&browser, &running, 1, 3);
    // The same once more.
    browser.find("textbox", "Pressure").click();
    browser.keys("\t");
    wait_for_entries(&browser, &running, 1, 4);
    assert!(!browser.text().contains("Not recorded"), "{}", browser.text());
}

#[test]
fn a_note_and_a_picture_that_the_phone_has_no_room_for_are_not_recorded() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = phone(&running);
    browser.find("button", "Start round").click();
    enter_code(&browser, "PIER-1");
    browser.find("textbox", "Remarks");
    wait_for_entries(&browser, &running, 1, 2);
    // The room ends when all is written, and is to be kept.
    browser.run(
        "const { add } = IDBObjectStore.prototype;
         window.free = () => { IDBObjectStore.prototype.add = add; };
         IDBObjectStore.prototype.add = function (...values) {
           const { transaction } = this;
           Object.defineProperty(transaction, 'error', { value: new DOMException('full', 'QuotaExceededError') });
           const request = add.apply(this, values);
           request.addEventListener('success', () => transaction.abort());
           return request;
         };",
    );
    let folder = TempDir::new().expect("a folder");
    let picture = folder.path().join("pier.png");
    fs::write(&picture, pictures::black(32, 32, ImageFormat::Png)).expect("a file");
    let full = "The storage of this phone is full: nothing was recorded.";
    browser.first("input[type=file]").choose_file(&picture);
    browser.wait_for(full);
    assert_eq!(browser.run("return document.querySelectorAll('.pictures').length"), 0);
    browser.find("button", "Add note").click();
    browser.find("textbox", "Text").fill("A lamp is broken");
    browser.first("#note-files").choose_file(&picture);
    browser.first("dialog img");
    browser.find("button", "Save note").click();
    browser.wait("what the dialog says", || {
        let said = browser.run("return document.querySelector('dialog [role=alert]').textContent");
        said.as_str().is_some_and(|said| said.starts_with(full)).then_some(())
    });
    // Nothing has to be typed or chosen again.
    browser.run("window.free()");
    browser.find("button", "Save note").click();
    browser.wait_for("The note is saved.");
    wait_for_entries(&browser, &running, 1, 3);
    let note = &entries(&running, 1)[2];
    assert_eq!((&note["type"], &note["textValue"]), (&"NOTE".into(), &"A lamp is broken".into()));
    assert_eq!(note["mediaIds"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_entry_has_the_position_that_the_phone_gives() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = Browser::with(Options { width: 390, ..Options::default() });
    browser.cdp("Browser.grantPermissions", json!({ "permissions": ["geolocation"] }));
    let place = json!({ "latitude": 53.5, "longitude": 10.25, "accuracy": 7.5 });
    browser.cdp("Emulation.setGeolocationOverride", place.clone());
    open(&browser, &running, "E1");
    open_round(&browser, 1);
    browser.find("button", "Start round").click();
    wait_for_entries(&browser, &running, 1, 1);
    assert_eq!(entries(&running, 1)[0]["position"], place);
    // A phone that does not find where it is.
    browser.run(
        "navigator.geolocation.getCurrentPosition = (found, failed, options) => {
           window.options = options;
           setTimeout(() => failed({ code: 3 }), 100);
         };",
    );
    browser.find("button", "No code").click();
    browser.find("button", "Finish step");
    wait_for_entries(&browser, &running, 1, 2);
    assert_eq!(entries(&running, 1)[1]["position"], json!(null));
    let options = browser.run("return window.options");
    assert_eq!((&options["timeout"], &options["maximumAge"]), (&json!(5000), &json!(30_000)));
}

#[test]
fn the_dialog_of_the_camera_is_left_with_cancel() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let folder = TempDir::new().expect("a folder");
    let camera = Some(film(folder.path(), ""));
    let browser = Browser::with(Options { width: 390, camera, ..Options::default() });
    open(&browser, &running, "E1");
    open_round(&browser, 1);
    browser.find("button", "Start round").click();
    wait_for_entries(&browser, &running, 1, 1);
    browser.find("button", "Scan").click();
    browser.find("heading", "Scan a code");
    let shows = |expected: bool| {
        browser.wait("the light of the camera", || {
            (browser.run("return window.film?.active ?? (window.film = document.querySelector('video')?.srcObject)?.active ?? false") == expected).then_some(())
        });
    };
    shows(true);
    // Its picture moves the button.
    browser.wait("a picture", || {
        (browser.run("return document.querySelector('video').videoWidth > 0") == true).then_some(())
    });
    browser.find("button", "Cancel").click();
    shows(false);
    assert_eq!(browser.run("return document.querySelector('dialog[open]')"), json!(null));
    assert_eq!(entries(&running, 1).len(), 1);
    assert!(!browser.text().contains("belongs to no step"), "{}", browser.text());
}

#[test]
fn a_browser_that_reads_codes_itself_asks_the_service_for_none() {
    const READER: &str = "
        window.BarcodeDetector = class {
          static async getSupportedFormats() { return ['aztec', 'qr_code']; }
          async detect(video) { return video.videoWidth > 0 ? [{ rawValue: 'PIER-1' }] : []; }
        };
        window.fetch = new Proxy(window.fetch, { apply(target, self, [path, ...rest]) {
          window.isAsked ||= String(path) === '/guard/codes';
          return target(path, ...rest);
        } });";
    let running = Running::on(store(Store::sqlite(), [1]));
    let folder = TempDir::new().expect("a folder");
    let camera = Some(film(folder.path(), "GATE-1"));
    let browser = Browser::with(Options { width: 390, camera, ..Options::default() });
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": READER }));
    open(&browser, &running, "E1");
    open_round(&browser, 1);
    browser.find("button", "Start round").click();
    browser.find("button", "Scan").click();
    browser.find("textbox", "Remarks");
    wait_for_entries(&browser, &running, 1, 2);
    assert_eq!(entries(&running, 1)[1]["code"], "PIER-1");
    assert_eq!(browser.run("return window.isAsked"), false);
    assert!(!browser.names("button").contains(&"Tap tag".to_owned()), "no Web NFC here");
}
