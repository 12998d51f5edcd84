//! Pictures of every page for `docs/site.md`: `make screenshots` writes them.

use std::{env, fs, path::PathBuf, process::Command};

use super::{Browser, running, sign_in, url};
use patrol_tests::{Store, company::PORT};

#[test]
fn every_page_has_a_picture_in_both_themes() {
    // Without a folder the pictures are made and thrown away.
    let kept = env::var_os("PATROL_SCREENSHOTS").map(PathBuf::from);
    let running = running(Store::sqlite());
    let browser = Browser::start();
    let picture = |name: &str| {
        for scheme in ["light", "dark"] {
            browser.prefer(scheme);
            let picture = browser.screenshot();
            assert!(picture.starts_with("iVBORw0KGgo"), "{name} is no PNG");
            if let Some(folder) = &kept {
                let file = folder.join(format!("{name}-{scheme}.png"));
                let encoded = file.with_extension("base64");
                fs::write(&encoded, &picture).expect("the folder is there");
                let decode = format!("base64 -d '{}' > '{}'", encoded.display(), file.display());
                assert!(Command::new("sh").args(["-c", &decode]).status().expect("sh").success());
                fs::remove_file(encoded).expect("the file is there");
            }
        }
    };
    browser.open(&url(&running, "/sign-in"));
    picture("sign-in");
    sign_in(&browser, &running, "A1");
    browser.find("textbox", "Name").fill("night shift");
    browser.find("button", "Generate token").click();
    browser.find("textbox", "New token");
    picture("new-token");
    for page in ["tokens", "people", "sessions", "password"] {
        browser.open(&url(&running, &format!("/{page}")));
        picture(page);
    }
    browser.open(&url(&running, &format!("/locations/{PORT}/labels")));
    picture("labels");
    browser.open(&url(&running, "/people"));
    browser.find("button", "Invite Eve Ash").click();
    let link = browser.find("textbox", "Invitation link").value();
    picture("invite");
    browser.open(&link);
    picture("invitation");
}
