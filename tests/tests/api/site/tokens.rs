//! `/tokens`.

use patrol_tests::company::EMPLOYEE;

use super::{PASSWORD, admin, browser, running};

#[test]
fn a_token_is_generated_shown_once_and_revoked() {
    let running = running();
    let mut browser = admin(&running);
    let page = browser.open("/tokens");
    let form = page.hidden("form");
    let fields = [("name", "night <script>"), ("expires", "30"), ("form", form.as_str())];
    let shown = browser.submit(&page, "/tokens", &fields);
    assert_eq!(shown.status, 200, "{}", shown.text);
    let token = shown.value_of("new-token");
    assert!(token.starts_with("ptl_"));
    assert!(shown.text.contains("night &#60;script&#62;") && !shown.text.contains("night <"));
    let command = format!(
        "curl -H &#39;Authorization: Bearer {token}&#39; &#39;http://{}/v1/task-executions/info?limit=3",
        running.server.address()
    );
    assert!(shown.text.contains(&command), "{}", shown.text);
    let api = running.server.api().with_token(&token);
    let _ = api.get("/task-executions/info").ok();
    // The same form again, by a reload of the answer or twice at once: no second token.
    let again = browser.submit(&page, "/tokens", &fields);
    assert_eq!(again.status, 200, "{}", again.text);
    assert!(again.text.contains("This form was sent before"), "{}", again.text);
    let list = browser.open("/tokens");
    assert!(!again.text.contains(&token[4..]) && !list.text.contains(&token[4..]));
    assert_eq!(list.text.matches("Revoke night").count(), 1, "{}", list.text);

    let (before, _) = list.text.split_once("Revoke night").expect("the button of the row");
    let (_, rest) = before.rsplit_once("action=\"/tokens/").expect("its form");
    let path = rest.split('"').next().expect("a path");
    let ask = format!("/tokens/{path}");
    let id = path.strip_suffix("/revoke").expect("the path of a token");
    let line = |line: &str| line.contains("route=\"/tokens\"") && line.contains("method=\"POST\"");
    let log = running.server.log_once(|log| log.lines().any(line));
    let line = log.lines().find(|text| line(text)).expect("a line");
    assert!(line.contains(&format!("record=\"{id}\"")), "{line}");
    let question = browser.open(&ask);
    assert!(
        question.text.contains("<button class=\"danger\">Revoke</button>"),
        "{}",
        question.text
    );
    browser.submit(&question, &ask, &[]).leads_to("/tokens");
    browser.submit(&question, &ask, &[]).leads_to("/tokens");
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while api.get("/task-executions/info").status != 401 {
        assert!(std::time::Instant::now() < until, "the token does not end");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(browser.get(&ask).status, 404);
}

#[test]
fn a_refused_form_keeps_what_was_typed() {
    let running = running();
    let mut browser = admin(&running);
    let page = browser.open("/tokens");
    let form = page.hidden("form");
    let long = "x".repeat(256);
    for (name, expires, why) in [
        ("", "30", "The name has to have 1 to 255 characters."),
        (long.as_str(), "30", "The name has to have 1 to 255 characters."),
        ("laptop", "8", "Choose when the token expires."),
        ("laptop", "", "Choose when the token expires."),
    ] {
        let fields = [("name", name), ("expires", expires), ("form", form.as_str())];
        let refused = browser.submit(&page, "/tokens", &fields);
        refused.refused(why);
        assert_eq!(refused.value_of("name"), name);
    }
    // A refused form is not used up.
    let fields = [("name", "laptop"), ("expires", "0"), ("form", form.as_str())];
    let shown = browser.submit(&page, "/tokens", &fields);
    assert!(shown.value_of("new-token").starts_with("ptl_"));
    assert!(shown.text.contains(">Never</td>"), "{}", shown.text);
}

#[test]
fn an_administrator_sees_and_revokes_all_tokens() {
    let running = running();
    let mut employee = browser(&running).signed_in("E1", PASSWORD);
    let page = employee.open("/tokens");
    let form = page.hidden("form");
    let fields = [("name", "phone"), ("expires", "7"), ("form", form.as_str())];
    let token = employee.submit(&page, "/tokens", &fields).value_of("new-token");
    let mut admin = admin(&running);
    assert!(!admin.open("/tokens").text.contains("phone"), "own ones first");
    let all = admin.open("/tokens?user=all");
    for text in ["<th scope=\"col\">User</th>", "Eve Ash", "Revoke phone"] {
        assert!(all.text.contains(text), "{text}: {}", all.text);
    }
    let listed = running.admin.get(&format!("/tokens?userId={EMPLOYEE}")).ok();
    let id = listed["data"][0]["id"].as_str().expect("an id").to_owned();
    let mut manager = browser(&running).signed_in("M1", PASSWORD);
    let own = manager.open("/tokens");
    assert_eq!(manager.get(&format!("/tokens/{id}/revoke")).status, 403);
    assert_eq!(manager.submit(&own, &format!("/tokens/{id}/revoke"), &[]).status, 403);
    let _ = running.server.api().with_token(&token).get("/task-executions/info").ok();
    let path = format!("/tokens/{id}/revoke?user=all");
    let question = admin.open(&path);
    admin.submit(&question, &path, &[]).leads_to("/tokens?user=all");
    assert!(!admin.open("/tokens?user=all").text.contains("phone"));
}
