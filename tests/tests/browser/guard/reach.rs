//! For everybody: with thumbs in gloves, with a keyboard alone, with a reader, without JavaScript.

use std::fs;

use image::ImageFormat;
use patrol_tests::{Running, Store, execution_id, pictures};
use serde_json::json;
use tempfile::TempDir;

use super::{
    super::{accessibility, axe, is_clean, webdriver::Options},
    Browser, complete, entries, open, open_round, store, url, wait_for_entries,
};

/// The key Enter, in the private use area of WebDriver 17.4.2.
const ENTER: &str = "\u{e007}";

/// The buttons that are pressed, in a language.
struct Buttons {
    language: &'static str,
    start: &'static str,
    no_code: &'static str,
    finish_step: &'static str,
    note: &'static str,
    code: &'static str,
    field: &'static str,
    save: &'static str,
    finish: &'static str,
    cancel: &'static str,
    refused: &'static str,
    absent: &'static str,
    which: &'static str,
    sign_out: &'static str,
}

const BUTTONS: [Buttons; 2] = [
    Buttons {
        language: "English",
        start: "Start round",
        no_code: "No code",
        finish_step: "Finish step",
        note: "Add note",
        code: "Enter code",
        field: "Code",
        save: "Save",
        finish: "Finish round",
        cancel: "Cancel",
        refused: "Not accepted",
        absent: "There is no such round",
        which: "Which round?",
        sign_out: "Sign out",
    },
    Buttons {
        language: "Русский",
        start: "Начать обход",
        no_code: "Нет кода",
        finish_step: "Закончить шаг",
        note: "Добавить заметку",
        code: "Ввести код",
        field: "Код",
        save: "Сохранить",
        finish: "Завершить обход",
        cancel: "Отмена",
        refused: "Не принято",
        absent: "Такого обхода нет",
        which: "Какой обход?",
        sign_out: "Выйти",
    },
];

#[test]
fn every_page_of_the_app_is_accessible_and_fits() {
    let running = Running::on(store(Store::sqlite(), 1..=6));
    for (n, buttons) in (1..).zip(BUTTONS) {
        let browser = Browser::with(Options { width: 320, ..Options::default() });
        let check = |what: &str| {
            let name = format!("{what}, {}", buttons.language);
            accessibility::check(&browser, &name);
            accessibility::fits(&browser, &name);
            // What is below the header scrolls by itself.
            let wide = browser.run("const page = document.querySelector('.page'); return page.scrollWidth - page.clientWidth");
            assert_eq!(wide, 0, "{name} is too wide");
            let small = browser.run(
                "return [...document.querySelectorAll('button, summary, input, textarea, main a, .alert a')].filter((element) => {
                   const box = (element.closest('.choice') ?? element).getBoundingClientRect();
                   return box.height > 0 && Math.min(box.width, box.height) < 48; }).map((element) => element.outerHTML)",
            );
            assert_eq!(small, json!([]), "{name}: too small for a thumb in a glove");
            for scheme in ["light", "dark"] {
                browser.prefer(scheme);
                let pale = axe::high_contrast(&browser);
                assert!(pale.is_empty(), "{name}, {scheme}:\n{}", pale.join("\n"));
            }
            // Letters of twice the size need no sideways scrolling either.
            browser.set_width(Some(390));
            browser.run("document.documentElement.style.fontSize = '200%'");
            accessibility::fits(&browser, &format!("{name} with large letters"));
            let wide = browser.run("const page = document.querySelector('.page'); return page.scrollWidth - page.clientWidth");
            assert_eq!(wide, 0, "{name} with large letters is too wide");
            browser.run("document.documentElement.style.fontSize = ''");
            browser.set_width(None);
        };
        let press = |name: &str| browser.find("button", name).click();
        let round = |n| url(&running, &format!("/guard/rounds/{}", execution_id(n)));
        browser.open(&url(&running, "/guard"));
        browser.wait_for("You are signed out.");
        check("signed out");
        open(&browser, &running, "E1");
        browser.find("link", &format!("Round {n}"));
        press(buttons.language);
        browser.find("link", &format!("Round {n}"));
        check("the rounds");
        open_round(&browser, n);
        check("a round");
        press(buttons.note);
        browser.first("dialog");
        check("the dialog of a note");
        press(buttons.cancel);
        press(buttons.start);
        press(buttons.no_code);
        browser.find("button", buttons.finish_step);
        check("a step");
        press(buttons.code);
        browser.find("textbox", buttons.field).fill("PIER-1");
        press(buttons.save);
        browser.find("textbox", "Remarks");
        let folder = TempDir::new().expect("a folder");
        let picture = folder.path().join("pier.png");
        fs::write(&picture, pictures::black(32, 32, ImageFormat::Png)).expect("a file");
        browser.first("#content input[type=file]").choose_file(&picture);
        browser.first(".pictures img");
        check("a step with a text and a picture");
        press(buttons.code);
        browser.first("dialog");
        check("the dialog of a code");
        press(buttons.cancel);
        press(buttons.finish);
        browser.first("dialog");
        check("the question for missing answers");
        press(buttons.cancel);
        // Meanwhile the office completes the round.
        browser.wait("what was recorded", || (entries(&running, n).len() == 4).then_some(()));
        complete(&running, n);
        press(buttons.finish_step);
        browser.find("heading", buttons.refused);
        check("what was not accepted");
        browser.open(&url(&running, "/guard/scan#NOWHERE"));
        browser.first("main a");
        check("a label of no round");
        browser.open(&round(99));
        browser.wait_for(buttons.absent);
        check("a round that is not there");
        for n in [n + 2, n + 4] {
            browser.open(&round(n));
            press(buttons.start);
            browser.find("button", buttons.finish);
        }
        browser.open(&url(&running, "/guard/scan#GATE-1"));
        browser.wait_for(buttons.which);
        check("the choice of a round");
        browser.set_offline(true);
        browser.open(&round(n + 2));
        press(buttons.no_code);
        press(buttons.sign_out);
        browser.first("dialog");
        check("the question before a sign-out");
        press(buttons.cancel);
        browser.set_offline(false);
        is_clean(&browser, &running);
    }
}

#[test]
fn a_round_is_walked_with_the_keyboard_alone() {
    let running = Running::on(store(Store::sqlite(), [1]));
    let browser = Browser::start();
    open(&browser, &running, "E1");
    for (role, name) in [("link", "Round 1"), ("button", "Start round"), ("button", "Enter code")] {
        browser.find(role, name);
        browser.tab_to(role, name);
        browser.keys(ENTER);
    }
    browser.find("textbox", "Code");
    assert_eq!(browser.focused(), ("textbox".to_owned(), "Code".to_owned()));
    browser.keys("GATE-1");
    browser.keys(ENTER);
    browser.find("radio", "Yes");
    browser.tab_to("radio", "Yes");
    browser.keys(" ");
    browser.tab_to("button", "Finish step");
    browser.keys(ENTER);
    wait_for_entries(&browser, &running, 1, 4);
    let types: Vec<_> = entries(&running, 1).iter().map(|entry| entry["type"].clone()).collect();
    assert_eq!(types, ["START", "SCAN", "RESULT", "FINISH_STEP"]);
}

#[test]
fn without_javascript_the_page_says_what_it_needs() {
    let running = Running::on(store(Store::sqlite(), []));
    let browser = Browser::with(Options { javascript: false, ..Options::default() });
    browser.open(&url(&running, "/guard"));
    browser.wait_for("This page needs JavaScript");
}
