//! The labels of a location, on the screen and on paper.

use patrol_tests::company::PORT;

use super::{Browser, accessibility, is_clean, running, sign_in, stores, url};

/// The margin of a page on paper: 10 mm, in pixels of a 96th of an inch.
const MARGIN: u32 = 38;

/// The least side of a printed code: 30 mm.
const LEAST: f64 = 113.0;

#[test]
fn labels_are_printed_in_three_columns_without_the_rest_of_the_page() {
    for store in stores() {
        let running = running(store);
        let browser = Browser::start();
        sign_in(&browser, &running, "A1");
        browser.open(&url(&running, &format!("/locations/{PORT}/labels")));
        browser.find("heading", "Labels of Порт, склад 3");
        let _ = browser.run("window.print = () => { document.title = 'printed'; }");
        browser.find("link", "Print").click();
        assert_eq!(browser.run("return document.title"), "printed");
        browser.show_print();
        let columns = "getComputedStyle(document.querySelector('.labels')).gridTemplateColumns";
        // A4 and Letter, in pixels, without the margins of the page.
        for paper in [794 - 2 * MARGIN, 816 - 2 * MARGIN] {
            browser.set_width(Some(paper));
            assert_eq!(browser.run(&format!("return {columns}.split(' ').length")), 3);
            accessibility::fits(&browser, "the paper");
            let side = "document.querySelector('.labels svg').getBoundingClientRect().width";
            let side = browser.run(&format!("return {side}")).as_f64().expect("a number");
            assert!(side > LEAST, "{side} pixels are too small for a phone at arm's length");
        }
        browser.set_width(None);
        let whole = "getComputedStyle(document.querySelector('.labels li')).breakInside";
        assert_eq!(browser.run(&format!("return {whole}")), "avoid");
        let text = browser.text();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines, ["Labels of Порт, склад 3", "Gate", "Gate", "Pier", "Pier"]);
        is_clean(&browser, &running);
    }
}
