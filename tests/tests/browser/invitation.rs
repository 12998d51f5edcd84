//! An invitation, from the administrator's page to the first token.

use super::{Browser, is_clean, running, sign_in, stores, url};

#[test]
fn an_invited_person_sets_a_password_once() {
    for store in stores() {
        let running = running(store);
        let administrator = Browser::start();
        sign_in(&administrator, &running, "A1");
        administrator.find("link", "People").click();
        administrator.find("searchbox", "Search").fill("gus");
        administrator.find("button", "Search").click();
        administrator.find("button", "Invite Gus Ash").click();
        let link = administrator.find("textbox", "Invitation link").value();
        is_clean(&administrator, &running);

        let person = Browser::start();
        let fill = |new: &str, repeated: &str| {
            person.find("heading", "Set a password");
            person.find("textbox", "New password").fill(new);
            person.find("textbox", "Repeat new password").fill(repeated);
            person.find("button", "Save").click();
        };
        person.open(&link);
        // The browser sends it all the same, so that the page says what is wrong.
        fill("too short", "too short");
        person.wait_for("12 to 256 characters");
        fill("a sentence to remember", "another sentence");
        person.wait_for("The two new passwords are not the same.");
        assert_eq!(person.find("textbox", "New password").value(), "");
        fill("a sentence to remember", "a sentence to remember");
        person.find("heading", "My rounds");
        person.wait_for("Gus Ash");
        person.open(&link);
        person.find("heading", "This invitation is no longer valid");
        person.open(&url(&running, "/tokens"));
        person.find("textbox", "Name").fill("phone");
        person.find("button", "Generate token").click();
        let token = person.find("textbox", "New token").value();
        let rounds = running.server.api().with_token(&token).get("/task-executions/info?limit=2");
        assert_eq!(rounds.ok()["data"].as_array().expect("rounds").len(), 2);
        is_clean(&person, &running);
    }
}
