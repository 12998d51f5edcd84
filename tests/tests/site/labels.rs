//! The labels of a location, on the screen and on paper.

use patrol_tests::company::PORT;

use super::{Browser, is_clean, running, sign_in, stores, url};

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
        assert_eq!(browser.run(&format!("return {columns}.split(' ').length")), 3);
        let whole = "getComputedStyle(document.querySelector('.labels li')).breakInside";
        assert_eq!(browser.run(&format!("return {whole}")), "avoid");
        let text = browser.text();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines, ["Labels of Порт, склад 3", "Gate", "Gate", "Pier", "Pier"]);
        is_clean(&browser, &running);
    }
}
