//! `patrol user create`.

use patrol_tests::{Server, Store, company};

/// The arguments of a new administrator, and further ones.
fn arguments<'a>(email: &'a str, further: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["user", "create", "--email", email];
    let required = [("--role", "ADMIN"), ("--first-name", "Анна"), ("--last-name", "Berg")];
    for (flag, value) in required {
        if !further.contains(&flag) {
            arguments.extend([flag, value]);
        }
    }
    arguments.extend(further);
    arguments
}

#[test]
fn the_first_administrator_of_an_empty_store_is_made_by_a_command() {
    let store = Store::empty();
    let further = ["--middle-name", "M.", "--employee-no", "A-1", "--phone", "112"];
    let created = store.run(&arguments("Anna@example.org", &further)).exited(0);
    let (id, rest) = created.stdout.split_once('\n').expect("a line");
    assert_eq!((id.len(), rest), (36, ""), "{created:?}");
    let server = Server::start(&store);
    let api = server.api().with_token(&store.token("anna@example.org"));
    let answer = api.patch(&super::path(id), &serde_json::json!({})).ok();
    assert_eq!(
        answer,
        serde_json::json!({
            "id": id, "firstName": "Анна", "middleName": "M.", "lastName": "Berg", "employeeNo": "A-1",
            "employeePin": null, "email": "Anna@example.org", "phone": "112", "language": "en",
            "role": "ADMIN", "status": "ACTIVE", "photoId": null, "locationIds": [], "tags": [],
            "userLinked": false,
        })
    );
}

#[test]
fn a_wrong_value_exits_2_and_a_taken_one_1() {
    let store = Store::with(&company::people());
    for (email, further, code, message) in [
        ("nobody", &[][..], 2, "--email must be an email address"),
        ("b@example.org", &["--role", "BOSS"], 2, "--role must be one of EMPLOYEE, MANAGER, ADMIN"),
        ("b@example.org", &["--first-name", ""], 2, "--first-name must have a length of 1 to 255"),
        ("b@example.org", &["--language", "english"], 2, "--language must be a language tag"),
        ("a1@EXAMPLE.org", &[], 1, "--email: another user has it"),
        ("b@example.org", &["--employee-no", "e1"], 1, "--employee-no: another user has it"),
    ] {
        let outcome = store.run(&arguments(email, further)).exited(code);
        assert_eq!(outcome.stdout, "");
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
        assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
    }
    let _ = store.run(&["user", "create", "--role", "ADMIN"]).exited(2);
}
